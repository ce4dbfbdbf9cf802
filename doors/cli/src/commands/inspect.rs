//! `oneport inspect`: shows a platform file or a topology as it was read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use num_traits::{Inv, Zero};
use oneport::platform::names::common;
use oneport::{Platform, Rational};
use oneport_questions::change;
use oneport_topologies::{Format, Imported, Topic, read_topology_with_any_ports};
use serde_json::{Value, json};

use crate::flags::change::ChangeArguments;
use crate::flags::platform::FileArguments;
use crate::flags::topology::TopologyArguments;
use crate::words::drawing;
use crate::words::exit::End;
use crate::words::numbers::{Shown, both};
use crate::words::objects::line;
use crate::words::output::{Content, count, named, print, try_outputs, with_written};
use crate::words::settings::hear;
use crate::words::tables::{FormatArguments, Sheet, TableFormat, plain};
use crate::words::usage::usage;

/// Show how a platform or topology file was read: nodes, links, assumed values.
#[derive(Debug, Args)]
pub struct InspectArguments {
    /// The platform.
    #[command(flatten)]
    platform: FileArguments,
    /// Format of the file, as for `oneport convert --from` (default: by its name and content).
    #[arg(long, value_name = "F")]
    from: Option<String>,
    /// Changes of the platform.
    #[command(flatten)]
    change: ChangeArguments,
    /// Values that the file lacks.
    #[command(flatten)]
    topology: TopologyArguments,
    /// Draw the platform (F.svg or F.png).
    #[arg(short = 'o', long = "output", value_name = "F.svg")]
    output: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The table's format.
    #[command(flatten)]
    table: FormatArguments,
}

/// Nodes of a picture. Trades a picture for time. Measured: a star of 16,000 nodes 3.6 s of CPU, 90 MB.
const MOST_DRAWN: usize = 1 << 14;

/// Runs the command.
pub fn run(arguments: &InspectArguments) -> Result<End> {
    let format = arguments
        .from
        .as_ref()
        .map(|name| name.parse::<Format>())
        .transpose();
    let format = format.map_err(|error| usage(format!("--from: {error}")))?;
    let file = arguments.platform.path()?;
    try_outputs(
        Content::Other,
        &[("FILE", file)],
        &named(&[("--output", &arguments.output)]),
    )?;
    if let Some(path) = &arguments.output {
        drawing::check("--output", path, &[])?;
    }
    let reading = arguments.topology.reading();
    let imported = read_topology_with_any_ports(file, format, &reading.options()?)?;
    let (_, assumed) = reading.latencies(imported.clone(), true, &hear)?;
    let (imported, _) = reading.latencies(imported, false, &hear)?;
    let (name, changes) = (file.display().to_string(), &arguments.change.changes);
    let imported = match change::apply(&name, &imported.platform, changes)? {
        Some(changed) => imported.changed(changed),
        None => imported,
    };
    if let Some(path) = &arguments.output {
        let nodes = imported.platform.nodes().len();
        if nodes > MOST_DRAWN {
            bail!("{nodes} nodes are too many to draw, at most {MOST_DRAWN}; leave --output out");
        }
        drawing::write(path, &picture(file, &imported)?)?;
    }
    let shown = || {
        let mut text = text(&file.display().to_string(), &imported);
        if let Some(line) = assumed.line(&imported.platform) {
            let _ = writeln!(text, "where one operation is timed: {line}");
        }
        text
    };
    print(&match arguments.table.format {
        _ if arguments.json => {
            let mut object = object(&imported);
            object["latencies"] = assumed.json(&imported.platform);
            line(object)
        }
        TableFormat::Text => with_written(shown(), &named(&[("--output", &arguments.output)])),
        format => table(&imported, format).show(format),
    })?;
    Ok(End::Done)
}

/// Links alike: their kind, the kinds of their ends, their cost.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Class<'i> {
    kind: &'i str,
    ends: [&'i str; 2],
    /// Whether each member is a pair of links, one per direction.
    both_ways: bool,
    cost: &'i Rational,
    latency: Rational,
}

/// The number of links of every class.
fn classes(imported: &Imported) -> BTreeMap<Class<'_>, usize> {
    let platform = &imported.platform;
    let kind_of = |node: oneport::NodeId| {
        imported
            .node_kinds
            .get(node.index())
            .copied()
            .unwrap_or_default()
    };
    let mut classes = BTreeMap::new();
    for (id, &kind) in platform.link_ids().zip(&imported.link_kinds) {
        let link = platform.link(id);
        let back = platform.link_between(link.to, link.from).filter(|&back| {
            platform.link(back).cost == link.cost
                && platform.link(back).latency() == link.latency()
                && imported.link_kinds.get(back.index()) == Some(&kind)
        });
        if back.is_some_and(|back| back < id) {
            continue;
        }
        let mut ends = [kind_of(link.from), kind_of(link.to)];
        if back.is_some() {
            ends.sort_unstable();
        }
        *classes
            .entry(Class {
                kind,
                ends,
                both_ways: back.is_some(),
                cost: &link.cost,
                latency: link.latency(),
            })
            .or_default() += 1;
    }
    classes
}

/// The number of nodes of every kind, in the order of their first appearance.
fn node_counts(imported: &Imported) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for &kind in &imported.node_kinds {
        match counts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
    counts
}

/// `8 GPUs, 2 CPUs`.
fn nodes(imported: &Imported) -> String {
    let counts: Vec<String> = node_counts(imported)
        .iter()
        .map(|(kind, number)| count(*number, kind))
        .collect();
    counts.join(", ")
}

/// Counts the shared capacities of each class of equal name, rate and number of links. If a class has several, `*`
/// replaces the digits of the name.
fn shared(platform: &Platform) -> BTreeMap<(String, Rational, usize), usize> {
    let mut classes: BTreeMap<(String, Rational, usize), Vec<&str>> = BTreeMap::new();
    for shared in platform.shared() {
        let key = (
            common(&shared.name),
            shared.rate.clone(),
            shared.weights.len(),
        );
        classes.entry(key).or_default().push(&shared.name);
    }
    let named = |((name, rate, links), names): ((String, Rational, usize), Vec<&str>)| {
        let name = match names[..] {
            [only] => only.to_string(),
            _ => name,
        };
        ((name, rate, links), names.len())
    };
    classes.into_iter().map(named).collect()
}

/// The bandwidth, in the platform's units if it has units.
fn bandwidth(platform: &Platform, cost: &Rational) -> String {
    match platform.units() {
        _ if cost.is_zero() => "takes no time".to_string(),
        Some(units) => units.show_rate(&cost.inv()),
        None => both(&cost.inv()),
    }
}

/// The classes of links. Programs get a plain number of links, and of their directions.
fn table(imported: &Imported, format: TableFormat) -> Sheet {
    let is_plain = format == TableFormat::Csv;
    let platform = &imported.platform;
    let shown = Shown::of(platform, false);
    let all = classes(imported);
    let delayed = all.keys().any(|class| !class.latency.is_zero());
    let row = |(class, number): (Class<'_>, usize)| {
        let [from, to] = class.ends;
        let (between, ways) = if class.both_ways {
            (format!("{from} - {to}"), "2")
        } else {
            (format!("{from} -> {to}"), "1")
        };
        let told = if class.both_ways && !is_plain {
            format!("{number}, per direction")
        } else {
            number.to_string()
        };
        let mut cells = vec![class.kind.to_string(), bandwidth(platform, class.cost)];
        if delayed {
            cells.push(shown.briefly(&class.latency));
        }
        cells.extend([between, told]);
        if is_plain {
            cells.push(ways.to_string());
        }
        cells
    };
    let mut heads = vec!["links", "bandwidth", "between", "number"];
    if delayed {
        heads.insert(2, "latency");
    }
    if is_plain {
        heads.push("directions");
    }
    plain(&heads, &[], all.into_iter().map(row))
}

fn text(file: &str, imported: &Imported) -> String {
    let mut out = String::new();
    let platform = &imported.platform;
    let _ = writeln!(
        out,
        "{file}: {}, port model {}",
        imported.format.about(),
        platform.model()
    );
    let _ = writeln!(out, "nodes: {}", nodes(imported));
    let _ = writeln!(out, "{}", table(imported, TableFormat::Text).trim_fmt());
    let shared = shared(platform);
    if !shared.is_empty() {
        let row = |((name, rate, links), number): ((String, Rational, usize), usize)| {
            let each = if number > 1 { " each" } else { "" };
            vec![
                format!("'{name}'"),
                bandwidth(platform, &rate.inv()),
                format!("{}{each}", count(links, "link")),
                number.to_string(),
            ]
        };
        let table = plain(
            &["shared", "bandwidth", "by", "number"],
            &[],
            shared.into_iter().map(row),
        );
        let _ = writeln!(out, "{}", table.trim_fmt());
    }
    for topic in Topic::ALL {
        for note in imported.notes.iter().filter(|note| note.topic == topic) {
            let _ = writeln!(out, "{}: {}", topic.name(), note.text);
        }
    }
    let kinds: BTreeSet<&str> = imported.link_kinds.iter().copied().collect();
    let of_kind = |text: &str| {
        text.split_once(": ")
            .and_then(|(kind, _)| kinds.get(kind).copied())
    };
    let assumed = imported
        .notes
        .iter()
        .filter(|note| note.topic == Topic::Assumed);
    if let Some(kind) = assumed.into_iter().find_map(|note| of_kind(&note.text)) {
        let _ = writeln!(
            out,
            "another bandwidth: --link-bandwidth KIND=RATE, such as {kind}=25 (GB/s)"
        );
    }
    out
}

fn object(imported: &Imported) -> Value {
    let platform = &imported.platform;
    let shown = Shown::of(platform, false);
    let links: Vec<Value> = classes(imported)
        .iter()
        .map(|(class, number)| {
            json!({
                "kind": class.kind,
                "from": class.ends[0],
                "to": class.ends[1],
                "both_ways": class.both_ways,
                // A link of cost 0 has no finite bandwidth.
                "bandwidth": (!class.cost.is_zero()).then(|| class.cost.inv().to_string()),
                "latency": shown.seconds(&class.latency).to_string(),
                "number": number,
            })
        })
        .collect();
    let accelerators: Vec<Value> = imported
        .accelerators
        .iter()
        .map(|own| {
            json!({
                "node": platform.name(own.node),
                "machine": own.machine,
                "device": own.device,
                "rank": own.rank,
            })
        })
        .collect();
    let notes = |topic: Topic| -> Vec<&str> {
        imported
            .notes
            .iter()
            .filter(|note| note.topic == topic)
            .map(|note| note.text.as_str())
            .collect()
    };
    json!({
        "format": imported.format.name(),
        "model": platform.model().name(),
        "units": platform.units().map(|units| units.to_string()),
        "nodes": node_counts(imported).into_iter().collect::<BTreeMap<_, _>>(),
        "links": links,
        "shared": shared(platform)
            .into_iter()
            .map(|((name, rate, links), number)| {
                json!({"name": name, "bandwidth": rate.to_string(), "links": links, "number": number})
            })
            .collect::<Vec<Value>>(),
        "accelerators": accelerators,
        "assumed": notes(Topic::Assumed),
        "merged": notes(Topic::Merged),
        "left_out": notes(Topic::LeftOut),
    })
}

/// The platform as a picture, titled by its file.
fn picture(file: &Path, imported: &Imported) -> Result<String> {
    let platform = &imported.platform;
    let count = platform.processors().count();
    if count < 2 {
        bail!(
            "--output: a picture is of processors and what is between them; the file has {count}, two are needed"
        );
    }
    let title = file
        .file_name()
        .unwrap_or(file.as_os_str())
        .to_string_lossy();
    let subtitle = format!("{} · {}", imported.format.about(), nodes(imported));
    Ok(oneport_drawings::svg::platform(platform, &title, &subtitle))
}
