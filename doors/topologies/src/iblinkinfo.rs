//! Reads the output of `iblinkinfo`, in blocks or with `--line`: every port with width, speed and its other end.
//!
//! Ends are identified by their local identifiers (lid): all ports of a switch have one, each port of a channel adapter
//! has a different one. So a node without a header (`--line`, `--switches-only`, lines picked by grep) is a switch if
//! several of its ports have the same.
//!
//! Facts from linux-rdma/rdma-core, `infiniband-diags/iblinkinfo.c`.

use std::collections::{BTreeMap, BTreeSet};

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;

use crate::draft::Draft;
use crate::imported::Topic;
use crate::infiniband::{Fabric, FabricNode, MAX_PORTS, Width, quoted};
use crate::mistakes::{said, too_many, unexpected};

/// A port with an active link.
struct Port<'a> {
    offset: usize,
    /// GUID or header of its node, the latter by its line: names may repeat.
    owner: String,
    lid: u32,
    number: u32,
    width: Width,
    other: (u32, u32),
    other_name: &'a str,
}

/// Reads the output.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut fabric = Fabric::default();
    let mut ports = Vec::new();
    let mut header: Option<String> = None;
    for (number, line) in source.text.lines().enumerate() {
        let offset = source.offset_of(line);
        if let Some((switch, rest)) = header_of(line) {
            let name = if switch {
                rest.split_once(char::is_whitespace)
                    .map_or("", |(_, name)| name)
            } else {
                rest
            };
            let node = FabricNode {
                name: name.trim().to_string(),
                is_switch: switch,
                offset,
            };
            let key = format!("line {}", number + 1);
            fabric.nodes.insert(key.clone(), node);
            header = Some(key);
        } else if let Some((left, right)) = line.split_once("==>") {
            if !left.contains("LinkUp") {
                continue;
            }
            let port = port(offset, header.as_deref(), left, right);
            ports.push(port.map_err(|mistake| source.error(offset, None, mistake))?);
            if ports.len() > MAX_PORTS {
                let mistake = too_many("ports", MAX_PORTS, "give a part of the fabric");
                return Err(source.error(offset, None, mistake));
            }
        }
    }
    if ports.is_empty() {
        let text = "no port is up ('LinkUp'); give what `iblinkinfo` prints";
        return Err(source.error_in_file(said(text)));
    }
    let switches = switches(&ports);
    if header.is_none() {
        add_owners(&mut fabric, &ports, source.text, &switches);
    }
    // Per lid: the name of its owner.
    let mut owners: BTreeMap<u32, String> = ports
        .iter()
        .map(|port| (port.lid, port.owner.clone()))
        .collect();
    for port in &ports {
        let other = owners.entry(port.other.0).or_insert_with(|| {
            // Only one end is listed, as with --switches-only.
            draft.note(
                Topic::Assumed,
                "nodes without separate lines are switches where several ports share a lid",
            );
            let key = format!("lid {}", port.other.0);
            let is_switch = switches.contains(&port.other.0);
            let node = FabricNode {
                name: port.other_name.to_string(),
                is_switch,
                offset: port.offset,
            };
            fabric.nodes.insert(key.clone(), node);
            key
        });
        let ends = (
            (port.owner.clone(), port.number),
            (other.clone(), port.other.1),
        );
        fabric
            .link(ends.0, ends.1, Some(port.width))
            .map_err(|mistake| source.error(port.offset, None, mistake))?;
    }
    fabric.add(source, draft)
}

/// `Switch: 0x... name:` and `CA: name:`. Returns whether it is a switch, and the rest of the line.
fn header_of(line: &str) -> Option<(bool, &str)> {
    let trimmed = line.trim_start();
    let (switch, rest) = match trimmed.strip_prefix("Switch:") {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix("CA:")?),
    };
    Some((switch, rest.trim().trim_end_matches(':')))
}

/// Lids of several ports: the lids of switches.
fn switches(ports: &[Port<'_>]) -> BTreeSet<u32> {
    let mut numbers: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for port in ports {
        numbers.entry(port.lid).or_default().insert(port.number);
        numbers
            .entry(port.other.0)
            .or_default()
            .insert(port.other.1);
    }
    numbers
        .into_iter()
        .filter(|(_, numbers)| numbers.len() > 1)
        .map(|(lid, _)| lid)
        .collect()
}

/// Without headers: a node per GUID, else per lid, named by the text in quotes before the arrow, else by the text after
/// the arrow of another line.
fn add_owners(fabric: &mut Fabric, ports: &[Port<'_>], text: &str, switches: &BTreeSet<u32>) {
    let called: BTreeMap<u32, &str> = ports
        .iter()
        .map(|port| (port.other.0, port.other_name))
        .collect();
    for port in ports {
        let line = text
            .get(port.offset..)
            .and_then(|rest| rest.lines().next())
            .unwrap_or_default();
        let own = line
            .split("==(")
            .next()
            .and_then(quoted)
            .map(|(name, _)| name);
        let name = own
            .or_else(|| called.get(&port.lid).copied())
            .unwrap_or_default()
            .trim()
            .to_string();
        let node = FabricNode {
            name,
            is_switch: switches.contains(&port.lid),
            offset: port.offset,
        };
        fabric.nodes.entry(port.owner.clone()).or_insert(node);
    }
}

/// `[guid ["name"]] lid port[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)` and `[guid] lid port[ ] "name" ( )`.
fn port<'a>(
    offset: usize,
    header: Option<&str>,
    left: &str,
    right: &'a str,
) -> Result<Port<'a>, Mistake> {
    let broken = || {
        let text = "a port should read `lid port[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> lid port[ ] \"name\"`";
        said(text)
    };
    let (own, state) = left.split_once("==(").ok_or_else(broken)?;
    let (lid, number) = numbers(own).ok_or_else(broken)?;
    let (before, after) = right.split_once('[').ok_or_else(broken)?;
    let other = numbers(before).ok_or_else(broken)?;
    let owner = match header {
        Some(header) => header.to_string(),
        // Ports of channel adapters begin with their GUID. Ports of switches have it in the header.
        None => match own
            .split_whitespace()
            .next()
            .filter(|guid| guid.starts_with("0x"))
        {
            Some(guid) => guid.to_string(),
            None if own.contains('"') => return Err(broken()),
            None => format!("lid {lid}"),
        },
    };
    let mut words = state.split_whitespace();
    let (lanes, gigabits) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let width = Width::signalled(lanes, gigabits, state.contains("FDR10")).ok_or_else(|| {
        let expected = "a width and a speed, such as 4X 25.78125 Gbps";
        unexpected(format!("'{} {}'", clip(lanes), clip(gigabits)), expected)
    })?;
    let other_name = quoted(after).map_or("", |(name, _)| name);
    Ok(Port {
        offset,
        owner,
        lid,
        number,
        width,
        other,
        other_name,
    })
}

/// The last two numbers before `[`: lid and port.
fn numbers(text: &str) -> Option<(u32, u32)> {
    let text = text.rsplit_once('"').map_or(text, |(_, text)| text);
    let mut words = text.split('[').next()?.split_whitespace().rev();
    let port = words.next()?.parse().ok()?;
    Some((words.next()?.parse().ok()?, port))
}
