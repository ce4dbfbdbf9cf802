//! Reads the output of `ibnetdiscover` (and the input of `ibsim`): blocks of switches, channel adapters and routers
//! with their ports.
//!
//! Facts from linux-rdma/rdma-core, `infiniband-diags/ibnetdiscover.c` and the networks that come with ibsim.

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;

use crate::draft::Draft;
use crate::infiniband::{End, Fabric, FabricNode, Width, quoted};
use crate::mistakes::{said, unexpected};

/// Own port, the other end, width and speed if the line has them.
type PortLine = (u32, End, Option<Width>);

/// Reads the output.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    if source.text.lines().any(is_port_line) {
        return read_ports(source, draft);
    }
    let mut fabric = Fabric::default();
    let mut block: Option<String> = None;
    for line in source.text.lines() {
        let offset = source.offset_of(line);
        let located = |mistake| source.error(offset, None, mistake);
        let line = line.trim();
        let kind = line.split_whitespace().next().unwrap_or_default();
        if line.starts_with('[') {
            let owner = block
                .as_ref()
                .ok_or_else(|| located(broken("a port before any Switch, Ca or Rt")))?;
            let (one, other, width) = port(line).map_err(located)?;
            fabric
                .link((owner.clone(), one), other, width)
                .map_err(located)?;
        } else if matches!(kind, "Switch" | "Ca" | "Rt" | "Hca") {
            let (key, rest) =
                quoted(line).ok_or_else(|| located(broken("the name in quotes is missing")))?;
            let name = quoted(rest).map_or("", |(name, _)| name).to_string();
            // A router leads to other subnets and forwards.
            let node = FabricNode {
                name,
                is_switch: matches!(kind, "Switch" | "Rt"),
                offset,
            };
            if fabric.nodes.insert(key.to_string(), node).is_some() {
                return Err(located(Mistake::DuplicateKey(clip(key))));
            }
            block = Some(key.to_string());
        }
    }
    if fabric.nodes.is_empty() {
        return Err(source.error_in_file(broken("no line begins with Switch or Ca")));
    }
    let lost = fabric.ends().find(|key| !fabric.nodes.contains_key(*key));
    if let Some(key) = lost {
        let text = format!("{} has no block; the file is cut off", clip(key));
        return Err(source.error_in_file(said(text)));
    }
    fabric.add(source, draft)
}

fn broken(what: &str) -> Mistake {
    said(format!(
        "{what}; give what `ibnetdiscover` prints, without options"
    ))
}

/// `[1](guid)  "S-..."[17](guid)  # "name" lid 5 4xHDR`: own port, the other end, width and speed.
fn port(line: &str) -> Result<PortLine, Mistake> {
    let number = |text: &str| -> Option<u32> {
        text.strip_prefix('[')?
            .split_once(']')?
            .0
            .trim()
            .parse()
            .ok()
    };
    let own = number(line).ok_or_else(|| broken("'[number]' is expected"))?;
    let (key, rest) = quoted(line).ok_or_else(|| broken("the other end in quotes is missing"))?;
    let other = number(rest.trim_start())
        .ok_or_else(|| broken("'[number]' of the other end is expected"))?;
    // Old versions end with the lid, ibsim's nets with the port.
    let comment = rest.split_once('#').map_or("", |(_, comment)| comment);
    let behind_name = quoted(comment).map_or(comment, |(_, behind)| behind);
    let last = behind_name
        .split_whitespace()
        .rev()
        .find(|word| word.contains('x') && !word.starts_with("0x"));
    let Some(text) = last else {
        return Ok((own, (key.to_string(), other), None));
    };
    let width = Width::named(text).ok_or_else(|| {
        let expected = "width and speed, such as 4xHDR, at the end of the line";
        unexpected(format!("'{}'", clip(text)), expected)
    })?;
    Ok((own, (key.to_string(), other), Some(width)))
}

/// Whether a line has the form of `ibnetdiscover -p`: a port of a switch or adapter, and the port at the other end.
pub(crate) fn is_port_line(line: &str) -> bool {
    let kind = line.split_whitespace().next();
    matches!(kind, Some("SW" | "CA" | "RT")) && line.contains(" - ") && line.contains("( '")
}

/// Reads the output of `ibnetdiscover -p`, a line for each port:
/// `SW     2  1 0x0002c90200423e38 4x QDR - CA     5  1 0x0002c9030002f7a3 ( 'leaf' - 'node HCA-1' )`.
fn read_ports(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut fabric = Fabric::default();
    for line in source.text.lines().filter(|line| is_port_line(line)) {
        let offset = source.offset_of(line);
        let located = |mistake| source.error(offset, None, mistake);
        let port = split_port(line).ok_or_else(|| {
            let expected = "a port as `ibnetdiscover -p` prints it: SW 2 1 0x1 4x QDR - CA 5 1 0x3 ( 'leaf' - 'node HCA-1' )";
            located(unexpected(format!("'{}'", clip(line)), expected))
        })?;
        let width = Width::named(&port.width).ok_or_else(|| {
            located(unexpected(
                format!("'{}'", clip(&port.width)),
                "such as 4x HDR",
            ))
        })?;
        for ((key, _), (name, is_switch)) in port.ends.iter().zip(&port.nodes) {
            fabric
                .nodes
                .entry(key.clone())
                .or_insert_with(|| FabricNode {
                    name: name.clone(),
                    is_switch: *is_switch,
                    offset,
                });
        }
        let [one, other] = port.ends;
        fabric.link(one, other, Some(width)).map_err(located)?;
    }
    fabric.add(source, draft)
}

/// A line of a port: both ends, own first, their names, and the width and speed.
struct SplitPort {
    ends: [End; 2],
    nodes: [(String, bool); 2],
    width: String,
}

fn split_port(line: &str) -> Option<SplitPort> {
    let (ports, names) = line.split_once("( '")?;
    let (own_name, other_name) = names.trim_end().strip_suffix("' )")?.split_once("' - '")?;
    let words: Vec<&str> = ports.split_whitespace().collect();
    let [
        kind,
        _,
        port,
        guid,
        lanes,
        speed,
        "-",
        other_kind,
        _,
        other_port,
        other_guid,
    ] = words[..]
    else {
        return None;
    };
    let is_switch = |kind: &str| matches!(kind, "SW" | "RT");
    Some(SplitPort {
        ends: [
            (guid.to_string(), port.parse().ok()?),
            (other_guid.to_string(), other_port.parse().ok()?),
        ],
        nodes: [
            (own_name.to_string(), is_switch(kind)),
            (other_name.to_string(), is_switch(other_kind)),
        ],
        width: format!("{lanes}{speed}"),
    })
}
