//! Slurm's `topology.conf` and `topology.yaml` (since 25.05): switches with their nodes and switches; blocks.
//!
//! Nodes are processors. The files hold no bandwidths (`LinkSpeed` is not even read by Slurm), so the user gives them:
//! `node` between nodes and their switch, `level1` between these switches and the next, and so on. Blocks are switches
//! below one that joins them all.
//!
//! Facts from slurm.schedmd.com, topology.conf and topology.yaml.

use std::collections::{BTreeMap, BTreeSet};

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::Rational;

use crate::draft::{Draft, Role};
use crate::hostlist::expand;
use crate::imported::Topic;
use crate::mistakes::{said, unexpected, unknown};
use crate::yaml::Yaml;

/// Kinds of links by the level of their lower end.
const LEVELS: [&str; 8] = [
    "node", "level1", "level2", "level3", "level4", "level5", "level6", "level7",
];
/// Most names of all lists.
const MAX_NAMES: usize = 200_000;

/// A switch or block with what is below.
struct Switch {
    name: String,
    nodes: Vec<String>,
    switches: Vec<String>,
    offset: usize,
}

/// Reads `topology.conf`.
pub(crate) fn read_conf(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut switches = Vec::new();
    let mut blocks = Vec::new();
    let mut budget = MAX_NAMES;
    for line in source.text.lines() {
        let offset = source.offset_of(line);
        let wrong = |mistake| source.error(offset, None, mistake);
        let line = line.split('#').next().unwrap_or_default();
        let mut switch = Switch {
            name: String::new(),
            nodes: Vec::new(),
            switches: Vec::new(),
            offset,
        };
        let mut is_block = false;
        for word in line.split_whitespace() {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                let expected = "KEY=VALUE, such as SwitchName=s0 Nodes=tux[0-3]";
                wrong(unexpected(format!("'{}'", clip(word)), expected))
            })?;
            match key.to_ascii_lowercase().as_str() {
                "switchname" => switch.name = value.to_string(),
                "blockname" => (switch.name, is_block) = (value.to_string(), true),
                "nodes" => switch.nodes = expand(value, &mut budget).map_err(wrong)?,
                "switches" => switch.switches = expand(value, &mut budget).map_err(wrong)?,
                "linkspeed" | "blocksizes" => {}
                "ringname" => {
                    let text =
                        "rings are not read; write them as a graph (DOT, GraphML, node-link JSON)";
                    return Err(wrong(said(text)));
                }
                _ => {
                    let known = vec![
                        "SwitchName",
                        "Nodes",
                        "Switches",
                        "LinkSpeed",
                        "BlockName",
                        "BlockSizes",
                    ];
                    return Err(wrong(Mistake::UnknownKey {
                        key: clip(key),
                        known,
                    }));
                }
            }
        }
        match (switch.name.is_empty(), is_block) {
            (true, _) => {}
            (false, true) => blocks.push(switch),
            (false, false) => switches.push(switch),
        }
    }
    add(source, draft, switches, blocks)
}

/// Reads `topology.yaml`.
pub(crate) fn read_yaml(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let document = Yaml::parse(source)?;
    let topologies = document.list(source)?;
    let is_default = |topology: &&Yaml| {
        topology
            .get("cluster_default")
            .and_then(Yaml::text)
            .is_some_and(|text| text.eq_ignore_ascii_case("true"))
    };
    let chosen = topologies
        .iter()
        .find(is_default)
        .or_else(|| topologies.first());
    let Some(chosen) = chosen else {
        return Err(document.error(source, said("there is no topology in the list")));
    };
    if topologies.len() > 1 {
        let name = chosen
            .get("topology")
            .and_then(Yaml::text)
            .unwrap_or_default();
        draft.note(
            Topic::LeftOut,
            format!(
                "all topologies but {}: it is the default, or the first",
                clip(name)
            ),
        );
    }
    let listed = |of: &Yaml, key, meaning, one: &'static str| -> Result<Vec<Switch>, FormatError> {
        let list = of
            .get(key)
            .ok_or_else(|| of.error(source, Mistake::MissingKey { key, meaning }))?;
        let mut budget = MAX_NAMES;
        let entries = list.list(source)?.iter();
        entries
            .map(|entry| switch(source, entry, one, &mut budget))
            .collect()
    };
    let (mut switches, mut blocks) = (Vec::new(), Vec::new());
    if let Some(tree) = chosen.get("tree") {
        switches = listed(tree, "switches", "the switches", "switch")?;
    } else if let Some(block) = chosen.get("block") {
        blocks = listed(block, "blocks", "the blocks", "block")?;
    } else {
        let text = "neither 'tree' nor 'block' is given; a flat topology lists no nodes, and rings and tori are not read: \
                    write them as a graph (DOT, GraphML, node-link JSON)";
        return Err(chosen.error(source, said(text)));
    }
    add(source, draft, switches, blocks)
}

fn switch(
    source: &Source<'_>,
    one: &Yaml,
    key: &'static str,
    budget: &mut usize,
) -> Result<Switch, FormatError> {
    let name = one.get(key).and_then(Yaml::text).ok_or_else(|| {
        one.error(
            source,
            Mistake::MissingKey {
                key,
                meaning: "the name",
            },
        )
    })?;
    let mut names = |key: &str| -> Result<Vec<String>, FormatError> {
        let Some(list) = one.get(key) else {
            return Ok(Vec::new());
        };
        let text = list.text().ok_or_else(|| {
            let expected = "a list of names in one text, such as node[01-16]";
            list.error(source, unexpected(key, expected))
        })?;
        expand(text, budget).map_err(|mistake| list.error(source, mistake))
    };
    Ok(Switch {
        name: name.to_string(),
        nodes: names("nodes")?,
        switches: names("children")?,
        offset: one.offset,
    })
}

/// Puts switches, or blocks and what joins them, into the draft.
fn add(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    mut switches: Vec<Switch>,
    blocks: Vec<Switch>,
) -> Result<(), FormatError> {
    if !blocks.is_empty() {
        draft.note(
            Topic::Assumed,
            "blocks are switches, and one switch joins them: fabric",
        );
        let names = blocks.iter().map(|block| block.name.clone()).collect();
        let offset = blocks.first().map_or(0, |block| block.offset);
        switches = blocks;
        switches.push(Switch {
            name: "fabric".to_string(),
            nodes: Vec::new(),
            switches: names,
            offset,
        });
    }
    if switches.is_empty() {
        let text = "there is no switch with its nodes, such as SwitchName=s0 Nodes=tux[0-3]";
        return Err(source.error_in_file(said(text)));
    }
    let levels = levels(source, &switches)?;
    let rates = rates(source, draft, levels.iter().copied().max().unwrap_or(1))?;
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |switch: &Switch, name: &str, kind, role| {
        let node = draft.node(name, kind, role);
        node.map_err(|mistake| source.error(switch.offset, Some(clip(name)), mistake))
    };
    for switch in &switches {
        for name in &switch.nodes {
            if !places.contains_key(name) {
                places.insert(name.clone(), add(switch, name, "node", Role::Processor)?);
            }
        }
    }
    let mut own = Vec::with_capacity(switches.len());
    for switch in &switches {
        own.push(add(switch, &switch.name, "switch", Role::Switch)?);
    }
    let by_name: BTreeMap<&str, usize> = switches
        .iter()
        .enumerate()
        .map(|(at, one)| (one.name.as_str(), at))
        .collect();
    let below: BTreeSet<&str> = switches
        .iter()
        .flat_map(|switch| &switch.switches)
        .map(String::as_str)
        .collect();
    let tops = by_name.keys().filter(|name| !below.contains(*name)).count();
    if tops > 1 {
        let text = format!(
            "{tops} switches have no switch above them: the file does not connect the nodes below them"
        );
        draft.note(Topic::Assumed, text);
    }
    for (switch, &node) in switches.iter().zip(&own) {
        let wrong = |mistake| source.error(switch.offset, Some(clip(&switch.name)), mistake);
        for below in &switch.nodes {
            let Some(&place) = places.get(below) else {
                continue;
            };
            link(draft, place, node, 0, &rates).map_err(wrong)?;
        }
        for below in &switch.switches {
            let Some(&at) = by_name.get(below.as_str()) else {
                continue;
            };
            let (Some(&place), Some(&level)) = (own.get(at), levels.get(at)) else {
                continue;
            };
            link(draft, place, node, level, &rates).map_err(wrong)?;
        }
    }
    Ok(())
}

fn link(
    draft: &mut Draft<'_>,
    one: usize,
    other: usize,
    level: usize,
    rates: &[Rational],
) -> Result<(), Mistake> {
    if draft.has_link(one, other) {
        // Said twice: the same cable.
        return Ok(());
    }
    match (LEVELS.get(level), rates.get(level)) {
        (Some(kind), Some(rate)) => draft.duplex(one, other, kind, rate.clone()),
        _ => Ok(()),
    }
}

/// The level of every switch: 1 above its nodes, one more than the highest below.
fn levels(source: &Source<'_>, switches: &[Switch]) -> Result<Vec<usize>, FormatError> {
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, switch) in switches.iter().enumerate() {
        if by_name.insert(&switch.name, at).is_some() {
            return Err(source.error(
                switch.offset,
                None,
                Mistake::DuplicateKey(clip(&switch.name)),
            ));
        }
    }
    for switch in switches {
        let mut below = switch.switches.iter();
        if let Some(name) = below.find(|name| !by_name.contains_key(name.as_str())) {
            let mistake = unknown(name);
            return Err(source.error(switch.offset, Some(clip(&switch.name)), mistake));
        }
    }
    // Levels rise until nothing changes, at most once per level.
    let mut levels = vec![1; switches.len()];
    for _ in 0..=LEVELS.len() {
        let mut risen = false;
        for (at, switch) in switches.iter().enumerate() {
            let below = switch
                .switches
                .iter()
                .filter_map(|name| by_name.get(name.as_str()));
            let highest = below
                .filter_map(|&at| levels.get(at))
                .max()
                .map_or(1, |level| level + 1);
            if let Some(level) = levels.get_mut(at).filter(|level| **level < highest) {
                *level = highest;
                risen = true;
            }
        }
        if !risen {
            return Ok(levels);
        }
    }
    let text = format!(
        "switches are below themselves, or over {} levels high",
        LEVELS.len() - 1
    );
    Err(source.error_in_file(said(text)))
}

/// The bandwidth of every level, which the user has to give.
fn rates(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    height: usize,
) -> Result<Vec<Rational>, FormatError> {
    let used = LEVELS.get(..height).unwrap_or_default();
    let missing: Vec<&str> = used
        .iter()
        .copied()
        .filter(|kind| !draft.options.link_bandwidth.contains_key(*kind))
        .collect();
    if !missing.is_empty() {
        let options: Vec<String> = missing
            .iter()
            .map(|kind| format!("--link-bandwidth {kind}=25"))
            .collect();
        let text = format!(
            "Slurm's file holds no bandwidths; give GB/s between nodes and switches, and above each level of switches: {}",
            options.join(" ")
        );
        return Err(source.error_in_file(said(text)));
    }
    Ok(used
        .iter()
        .map(|kind| {
            draft.rate(
                kind,
                Rational::from_integer(1.into()),
                "for every such link",
            )
        })
        .collect())
}
