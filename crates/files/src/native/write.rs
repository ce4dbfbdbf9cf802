//! Writing native platform files.

use std::fmt::Write as _;

use num_traits::Zero;
use oneport_platform::{LinkId, Node, Platform, Shared, parse_rational};

use super::shared::SHARED_KEYS;
use super::toml::check_size;
use super::{FORMAT, LINK_KEYS, NODE_KEYS};
use crate::error::{FormatError, Mistake};

/// Why a platform cannot be written in a format that reads numbers of bounded length only.
fn check_numbers(platform: &Platform, format: &'static str) -> Result<(), FormatError> {
    let costs = platform.link_ids().map(|link| platform.own_cost(link));
    let rates = platform.shared().iter().map(|shared| &shared.rate);
    let delays = platform
        .links()
        .iter()
        .filter_map(|link| link.delays.as_deref());
    let delays = delays.flat_map(|delays| [&delays.latency, &delays.overhead]);
    let numbers = platform
        .nodes()
        .iter()
        .filter_map(Node::merge_time)
        .chain(costs)
        .chain(delays)
        .chain(rates);
    for number in numbers {
        // Cheap bound first: 1,000 characters are over 3,000 bits.
        if number.numer().bits() + number.denom().bits() > 3000
            && let Err(error) = parse_rational(&number.to_string())
        {
            return Err(unsupported(format, error.to_string()));
        }
    }
    Ok(())
}

fn unsupported(format: &'static str, why: String) -> FormatError {
    FormatError::new(
        "the platform",
        None,
        None,
        Mistake::Unsupported { format, why },
    )
}

/// The platform as TOML.
pub(crate) fn write_toml(platform: &Platform) -> Result<String, FormatError> {
    check_numbers(platform, "toml")?;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "format = {}\nmodel = {}",
        quote(FORMAT),
        quote(platform.model().name())
    );
    if let Some(units) = platform.units() {
        let _ = writeln!(out, "units = \"{units}\"");
    }
    for node in platform.nodes() {
        out.push_str("\n[[node]]\n");
        for (key, value) in node_values(platform, node) {
            let _ = writeln!(out, "{key} = {value}");
        }
    }
    for (link, duplex) in folded(platform, true) {
        out.push_str("\n[[link]]\n");
        for (key, value) in link_values(platform, link, duplex) {
            let _ = writeln!(out, "{key} = {value}");
        }
    }
    for shared in platform.shared() {
        out.push_str("\n[[shared]]\n");
        for (key, value) in shared_values(platform, shared) {
            let _ = writeln!(out, "{key} = {value}");
        }
    }
    check_size(&out).map_err(|mistake| unsupported("toml", mistake.to_string()))?;
    Ok(out)
}

/// The platform as JSON, one node or link a line.
pub(crate) fn write_json(platform: &Platform) -> Result<String, FormatError> {
    check_numbers(platform, "json")?;
    let mut out = String::new();
    write_json_into(&mut out, platform, "", true);
    out.push('\n');
    Ok(out)
}

/// [`write_json`] indented, inside a larger file. `fold` writes two opposite links as one entry.
pub(crate) fn write_json_into(out: &mut String, platform: &Platform, indent: &str, fold: bool) {
    let _ = writeln!(out, "{{\n{indent}  \"format\": {},", quote(FORMAT));
    let _ = writeln!(
        out,
        "{indent}  \"model\": {},",
        quote(platform.model().name())
    );
    if let Some(units) = platform.units() {
        let _ = writeln!(out, "{indent}  \"units\": \"{units}\",");
    }
    let nodes = platform
        .nodes()
        .iter()
        .map(|node| node_values(platform, node));
    write_list(out, "node", nodes, indent);
    out.push_str(",\n");
    let links = folded(platform, fold).map(|(link, duplex)| link_values(platform, link, duplex));
    write_list(out, "link", links, indent);
    if !platform.shared().is_empty() {
        out.push_str(",\n");
        let shared = platform.shared().iter();
        let shared = shared.map(|shared| shared_values(platform, shared));
        write_list(out, "shared", shared, indent);
    }
    let _ = write!(out, "\n{indent}}}");
}

type Values = Vec<(&'static str, String)>;

fn write_list(out: &mut String, name: &str, entries: impl Iterator<Item = Values>, indent: &str) {
    let _ = write!(out, "{indent}  \"{name}\": [");
    for (index, entry) in entries.enumerate() {
        let _ = write!(out, "{}\n{indent}    {{", if index == 0 { "" } else { "," });
        for (index, (key, value)) in entry.into_iter().enumerate() {
            let _ = write!(
                out,
                "{}\"{key}\": {value}",
                if index == 0 { "" } else { ", " }
            );
        }
        out.push('}');
    }
    let _ = write!(out, "\n{indent}  ]");
}

/// Keys and values, which TOML and JSON write alike.
fn node_values(platform: &Platform, node: &Node) -> Values {
    let [
        name,
        compute,
        model,
        ports,
        replicates,
        _,
        accelerator,
        alias,
        reduces,
    ] = NODE_KEYS;
    let mut values = vec![(name, quote(&node.name))];
    // If a unit of work is one of data, computes have a unit of their own.
    let per_data = platform.units().filter(|units| units.work_is_data);
    let unit = per_data
        .map(|units| format!(" {}/{}", units.time, units.data))
        .unwrap_or_default();
    values.extend(
        node.compute
            .as_ref()
            .map(|value| (compute, format!("\"{value}{unit}\""))),
    );
    values.extend(node.model.map(|value| (model, quote(value.name()))));
    values.extend(node.ports.map(|value| (ports, value.to_string())));
    if !node.replicates {
        values.push((replicates, "false".to_string()));
    }
    if node.accelerator {
        values.push((accelerator, "true".to_string()));
    }
    values.extend(node.alias.as_ref().map(|value| (alias, quote(value))));
    values.extend(node.reduces.as_ref().map(|time| {
        let free = time.is_zero();
        let value = if free {
            "true".to_string()
        } else {
            format!("\"{time}{unit}\"")
        };
        (reduces, value)
    }));
    values
}

fn link_values(platform: &Platform, id: LinkId, both: bool) -> Values {
    let [from, to, cost, _, duplex, latency, overhead] = LINK_KEYS;
    let (link, own) = (platform.link(id), platform.own_cost(id));
    let mut values = vec![
        (from, quote(platform.name(link.from))),
        (to, quote(platform.name(link.to))),
    ];
    if !own.is_zero() || platform.shared_by(id).is_empty() {
        values.push((cost, format!("\"{own}\"")));
    }
    if both {
        values.push((duplex, "true".to_string()));
    }
    for (key, value) in [(latency, link.latency()), (overhead, link.overhead())] {
        if !value.is_zero() {
            values.push((key, format!("\"{value}\"")));
        }
    }
    values
}

fn shared_values(platform: &Platform, shared: &Shared) -> Values {
    let [name, bandwidth, links] = SHARED_KEYS;
    let pairs = shared.weights.iter().flat_map(|(&link, &weight)| {
        let link = platform.link(link);
        let [from, to] = [link.from, link.to].map(|end| quote(platform.name(end)));
        std::iter::repeat_n(format!("[{from}, {to}]"), weight as usize)
    });
    let pairs: Vec<String> = pairs.collect();
    vec![
        (name, quote(&shared.name)),
        (bandwidth, format!("\"{}\"", shared.rate)),
        (links, format!("[{}]", pairs.join(", "))),
    ]
}

/// The links in order. With `fold`, a link and its reverse of equal cost directly behind it are one entry, with `true`.
fn folded(platform: &Platform, fold: bool) -> impl Iterator<Item = (LinkId, bool)> {
    let mut links = platform.link_ids().peekable();
    std::iter::from_fn(move || {
        let id = links.next()?;
        let link = platform.link(id);
        let reverse = |next: &LinkId| {
            let reverse = platform.link(*next);
            fold && reverse.from == link.to
                && reverse.to == link.from
                && platform.own_cost(*next) == platform.own_cost(id)
                // If both costs are 0, one is written and the other not, unless both links or none are shared.
                && platform.shared_by(*next).is_empty() == platform.shared_by(id).is_empty()
                && reverse.delays == link.delays
        };
        Some((id, links.next_if(reverse).is_some()))
    })
}

/// The text in quotes with the escapes that JSON and TOML share. Names hold no control characters.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
