//! The network of a Slurm cluster: the switch of every node, and the rates that Slurm does not record.
//!
//! Nodes are processors. A node has a link to the lowest switches that list it: upper switches list all nodes below
//! them. Blocks are switches below one that joins them all. Neighbours on a ring or torus are joined.
//!
//! A link below a switch has the rate that the user gives for that switch or for its level (`node` between nodes and
//! their switch, `level1` between these switches and the next, ...), else the switch's `LinkSpeed` if that has a unit.

use std::collections::{BTreeMap, BTreeSet};

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::Rational;

use crate::draft::{Draft, Role, gigabytes};
use crate::hostlist::expand;
use crate::imported::Topic;
use crate::mistakes::{said, unknown};

/// Kinds of links by the level of their lower end.
const LEVELS: [&str; 8] = [
    "node", "level1", "level2", "level3", "level4", "level5", "level6", "level7",
];
/// The kind of links between neighbours on a ring, and on a torus.
const AROUND: [&str; 2] = ["ring", "torus"];
/// Limit on the switches that one option may name.
const MAX_NAMES: usize = 100_000;

/// A switch, or a block, with its children.
#[derive(Default)]
pub(super) struct Switch {
    pub name: String,
    pub nodes: Vec<String>,
    pub switches: Vec<String>,
    /// `LinkSpeed` in its spelling, and in GB/s if it has a unit.
    pub speed: Option<(String, Option<Rational>)>,
    pub offset: usize,
}

/// Nodes on a ring, or on a torus of three dimensions: the first coordinate varies fastest.
pub(super) struct Torus {
    pub name: String,
    /// Sizes of the dimensions. One for a ring.
    pub sizes: Vec<usize>,
    /// Per position: its node, if it has one.
    pub nodes: Vec<Option<String>>,
    pub offset: usize,
}

/// The contents of a file.
#[derive(Default)]
pub(super) struct Cluster {
    pub switches: Vec<Switch>,
    pub blocks: Vec<Switch>,
    pub tori: Vec<Torus>,
}

/// Puts a cluster into the draft.
pub(super) fn add(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    cluster: Cluster,
) -> Result<(), FormatError> {
    let Cluster {
        mut switches,
        blocks,
        tori,
    } = cluster;
    join_blocks(draft, &mut switches, blocks);
    if switches.is_empty() && tori.is_empty() {
        let text = "there is no switch with its nodes, such as SwitchName=s0 Nodes=tux[0-3]";
        return Err(source.error_in_file(said(text)));
    }
    if !switches.is_empty() {
        add_switches(source, draft, &switches)?;
    }
    for torus in &tori {
        add_torus(source, draft, torus)?;
    }
    if tori.len() > 1 {
        let text = format!("{} rings or tori: the file does not join them", tori.len());
        draft.note(Topic::Assumed, text);
    }
    Ok(())
}

/// Blocks are switches below one.
fn join_blocks(draft: &mut Draft<'_>, switches: &mut Vec<Switch>, blocks: Vec<Switch>) {
    let Some(first) = blocks.first() else {
        return;
    };
    draft.note(
        Topic::Assumed,
        "blocks are switches, and one switch joins them: fabric",
    );
    let fabric = Switch {
        name: "fabric".to_string(),
        switches: blocks.iter().map(|block| block.name.clone()).collect(),
        offset: first.offset,
        ..Switch::default()
    };
    *switches = blocks;
    switches.push(fabric);
}

/// Adds switches, nodes and the links between them.
fn add_switches(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    switches: &[Switch],
) -> Result<(), FormatError> {
    let tree = Tree::new(source, switches)?;
    let links = tree.links(draft);
    let rates = Rates::new(source, draft, &tree, &links)?;
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    let mut add = |offset: usize, name: &str, kind, role| {
        let node = draft.node(name, kind, role);
        node.map_err(|mistake| source.error(offset, Some(clip(name)), mistake))
    };
    for switch in switches {
        for name in &switch.nodes {
            if !by_name.contains_key(name.as_str()) {
                by_name.insert(name, add(switch.offset, name, "node", Role::Processor)?);
            }
        }
    }
    let mut own = Vec::with_capacity(switches.len());
    for switch in switches {
        own.push(add(switch.offset, &switch.name, "switch", Role::Switch)?);
    }
    tree.note_tops(draft);
    for link in &links {
        let below = match link.below {
            End::Node(name) => by_name.get(name),
            End::Switch(at) => own.get(at),
        };
        let (Some(&below), Some(&above), Some(switch)) =
            (below, own.get(link.above), switches.get(link.above))
        else {
            continue;
        };
        // Listed twice: the same cable.
        if let Some((kind, rate)) = rates
            .of(&tree, link)
            .filter(|_| !draft.has_link(below, above))
        {
            draft
                .duplex(below, above, kind, rate.clone())
                .map_err(|mistake| {
                    source.error(switch.offset, Some(clip(&switch.name)), mistake)
                })?;
        }
    }
    Ok(())
}

/// The lower end of a link.
enum End<'s> {
    Node(&'s str),
    Switch(usize),
}

/// A link below a switch.
struct Link<'s> {
    above: usize,
    below: End<'s>,
    /// The level of the lower end: 0 for a node.
    level: usize,
}

/// Switches by number, with the switches below each and the level of each.
struct Tree<'s> {
    switches: &'s [Switch],
    by_name: BTreeMap<&'s str, usize>,
    below: Vec<Vec<usize>>,
    /// 1 above nodes alone, one more than the highest below.
    levels: Vec<usize>,
}

impl<'s> Tree<'s> {
    fn new(source: &Source<'_>, switches: &'s [Switch]) -> Result<Self, FormatError> {
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, switch) in switches.iter().enumerate() {
            if by_name.insert(&switch.name, at).is_some() {
                let mistake = Mistake::DuplicateKey(clip(&switch.name));
                return Err(source.error(switch.offset, None, mistake));
            }
        }
        let mut below = Vec::with_capacity(switches.len());
        for switch in switches {
            let find = |name: &String| {
                by_name.get(name.as_str()).copied().ok_or_else(|| {
                    source.error(switch.offset, Some(clip(&switch.name)), unknown(name))
                })
            };
            below.push(switch.switches.iter().map(find).collect::<Result<_, _>>()?);
        }
        let mut tree = Tree {
            switches,
            by_name,
            below,
            levels: vec![1; switches.len()],
        };
        if tree.raise() {
            return Ok(tree);
        }
        let text = format!(
            "switches are below themselves, or over {} levels high",
            LEVELS.len() - 1
        );
        Err(source.error_in_file(said(text)))
    }

    /// Raises levels until nothing changes, at most once per level. Returns false if they still rise.
    fn raise(&mut self) -> bool {
        for _ in 0..=LEVELS.len() {
            let mut risen = false;
            for (at, below) in self.below.iter().enumerate() {
                let below = below.iter().filter_map(|&at| self.levels.get(at));
                let highest = below.max().map_or(1, |level| level + 1);
                if let Some(level) = self.levels.get_mut(at).filter(|level| **level < highest) {
                    *level = highest;
                    risen = true;
                }
            }
            if !risen {
                return true;
            }
        }
        false
    }

    fn below(&self, at: usize) -> &[usize] {
        self.below.get(at).map_or(&[], Vec::as_slice)
    }

    /// The links below all switches, in their order.
    fn links(&self, draft: &mut Draft<'_>) -> Vec<Link<'s>> {
        let lowest = self.lowest(draft);
        let mut links = Vec::new();
        for (above, switch) in self.switches.iter().enumerate() {
            let here = |name: &&String| {
                let on = lowest.get(name.as_str());
                on.is_some_and(|on| on.contains(&above))
            };
            links.extend(switch.nodes.iter().filter(here).map(|name| Link {
                above,
                below: End::Node(name),
                level: 0,
            }));
            links.extend(self.below(above).iter().map(|&at| Link {
                above,
                below: End::Switch(at),
                level: self.levels.get(at).copied().unwrap_or(1),
            }));
        }
        links
    }

    fn note_tops(&self, draft: &mut Draft<'_>) {
        let below: BTreeSet<usize> = self.below.iter().flatten().copied().collect();
        let tops = self.switches.len() - below.len();
        if tops > 1 {
            let text = format!(
                "{tops} switches have no switch above them: the file does not connect the nodes below them"
            );
            draft.note(Topic::Assumed, text);
        }
    }

    /// Per node: the switches that list it and have no other such switch below.
    fn lowest(&self, draft: &mut Draft<'_>) -> BTreeMap<&'s str, Vec<usize>> {
        let mut listed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, switch) in self.switches.iter().enumerate() {
            for name in &switch.nodes {
                let on = listed.entry(name).or_default();
                if on.last() != Some(&at) {
                    on.push(at);
                }
            }
        }
        let mut upper = false;
        let mut several = Vec::new();
        for (name, on) in &mut listed {
            if on.len() < 2 {
                continue;
            }
            let all = on.clone();
            on.retain(|&at| !self.covers(at, &all));
            upper |= on.len() < all.len();
            if on.len() > 1 {
                several.push((*name, on.clone()));
            }
        }
        if upper {
            let text =
                "nodes that an upper switch lists, too: each has a link to its lowest switch";
            draft.note(Topic::Merged, text);
        }
        if let Some((name, on)) = several.first() {
            let names: Vec<String> = on
                .iter()
                .filter_map(|&at| Some(clip(&self.switches.get(at)?.name)))
                .collect();
            let text = format!(
                "{} nodes are under several switches, and have a link to each: {} under {}",
                several.len(),
                clip(name),
                names.join(" and ")
            );
            draft.note(Topic::Assumed, text);
        }
        listed
    }

    /// Whether one of these switches is below this one.
    fn covers(&self, at: usize, others: &[usize]) -> bool {
        let mut open = self.below(at).to_vec();
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            if others.contains(&next) {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.below(next));
            }
        }
        false
    }
}

/// The rates of links, by their lower level or by the switch above them.
struct Rates {
    levels: Vec<Option<Rational>>,
    /// Per switch: the user's rate of the links below it.
    given: BTreeMap<usize, Rational>,
}

impl Rates {
    fn new(
        source: &Source<'_>,
        draft: &mut Draft<'_>,
        tree: &Tree<'_>,
        links: &[Link<'_>],
    ) -> Result<Self, FormatError> {
        let given = Self::given(draft, tree).map_err(|mistake| source.error_in_file(mistake))?;
        let height = tree.levels.iter().copied().max().unwrap_or(1);
        let levels = LEVELS
            .iter()
            .take(height)
            .map(|kind| {
                draft.allow(kind);
                let rate = draft.options.link_bandwidth.get(*kind).cloned()?;
                Some(draft.rate(kind, rate, "for every such link"))
            })
            .collect();
        let rates = Rates { levels, given };
        rates.note_speeds(draft, tree, links);
        let without = |link: &&Link<'_>| rates.of(tree, link).is_none();
        let missing: BTreeSet<usize> = links
            .iter()
            .filter(without)
            .map(|link| link.level)
            .collect();
        if missing.is_empty() {
            return Ok(rates);
        }
        let options: Vec<String> = missing
            .iter()
            .filter_map(|&level| LEVELS.get(level))
            .map(|kind| format!("--link-bandwidth {kind}=25"))
            .collect();
        let mut speeds = tree
            .switches
            .iter()
            .filter_map(|switch| switch.speed.as_ref());
        let unitless = speeds.find(|(_, rate)| rate.is_none());
        let unitless = unitless.map_or(String::new(), |(text, _)| {
            format!(
                " (LinkSpeed={0} has no unit; where Gbit/s are meant, write LinkSpeed={0}G, or {0}Gbit/s below)",
                clip(text)
            )
        });
        let text = format!(
            "Slurm's file holds no bandwidths{unitless}; give GB/s between nodes and switches, and above each level of switches: {}; \
             --link-bandwidth SWITCH=25 is that of the links below one switch",
            options.join(" ")
        );
        Err(source.error_in_file(said(text)))
    }

    /// The rates that the user gives by switches' names: `leaf3=25`, `leaf[1-2]=100`.
    fn given(draft: &mut Draft<'_>, tree: &Tree<'_>) -> Result<BTreeMap<usize, Rational>, Mistake> {
        let mut given = BTreeMap::new();
        let options = draft.options;
        let kinds = LEVELS.iter().chain(&AROUND);
        let is_kind = |key: &String| kinds.clone().any(|kind| kind == key);
        for (key, rate) in options
            .link_bandwidth
            .iter()
            .filter(|(key, _)| !is_kind(key))
        {
            let mut budget = MAX_NAMES;
            for name in &expand(key, &mut budget)? {
                let Some(&at) = tree.by_name.get(name.as_str()) else {
                    return Err(said(format!(
                        "there are no links of kind '{}' here, and no switch of that name; the kinds are {}",
                        clip(name),
                        LEVELS.join(", ")
                    )));
                };
                given.insert(at, rate.clone());
            }
            draft.allow(key);
            let text = format!("links below {}: {}, as given", clip(key), gigabytes(rate));
            draft.note(Topic::Assumed, text);
        }
        Ok(given)
    }

    /// The kind and the rate of a link.
    fn of<'r>(
        &'r self,
        tree: &'r Tree<'_>,
        link: &Link<'_>,
    ) -> Option<(&'static str, &'r Rational)> {
        let kind = LEVELS.get(link.level)?;
        let own_speed = || tree.switches.get(link.above)?.speed.as_ref()?.1.as_ref();
        let rate = self
            .given
            .get(&link.above)
            .or_else(|| self.levels.get(link.level)?.as_ref())
            .or_else(own_speed)?;
        Some((*kind, rate))
    }

    /// Notes the `LinkSpeed`s that count, and the others.
    fn note_speeds(&self, draft: &mut Draft<'_>, tree: &Tree<'_>, links: &[Link<'_>]) {
        let mut plain: BTreeMap<&str, &str> = BTreeMap::new();
        let speed = |at: usize| tree.switches.get(at)?.speed.as_ref()?.1.as_ref();
        let overruled: BTreeSet<usize> = links
            .iter()
            .filter(|link| self.of(tree, link).map(|(_, rate)| rate) != speed(link.above))
            .map(|link| link.above)
            .collect();
        for (at, switch) in tree.switches.iter().enumerate() {
            let Some((text, speed)) = &switch.speed else {
                continue;
            };
            let Some(speed) = speed else {
                plain.entry(text).or_insert(&switch.name);
                continue;
            };
            let name = clip(&switch.name);
            if !overruled.contains(&at) {
                let text = format!(
                    "links below {name}: {} by LinkSpeed={}",
                    gigabytes(speed),
                    clip(text)
                );
                draft.note(Topic::Assumed, text);
            } else {
                let text = format!(
                    "LinkSpeed={} of {name}: --link-bandwidth counts",
                    clip(text)
                );
                draft.note(Topic::LeftOut, text);
            }
        }
        if plain.len() > 1 {
            let some: Vec<String> = plain
                .iter()
                .take(4)
                .map(|(speed, name)| format!("{} {}", clip(name), clip(speed)))
                .collect();
            let text = format!(
                "LinkSpeed, which differs ({}): it has no unit, and Slurm does not use it; --link-bandwidth SWITCH=RATE is \
                 that of the links below one switch",
                some.join(", ")
            );
            draft.note(Topic::LeftOut, text);
        }
    }
}

/// Adds the nodes of a ring or torus, and the links between neighbours.
fn add_torus(source: &Source<'_>, draft: &mut Draft<'_>, torus: &Torus) -> Result<(), FormatError> {
    let located = |mistake| source.error(torus.offset, Some(clip(&torus.name)), mistake);
    let kind = if torus.sizes.len() == 1 {
        AROUND[0]
    } else {
        AROUND[1]
    };
    draft.allow(kind);
    let Some(rate) = draft.options.link_bandwidth.get(kind).cloned() else {
        let text = format!(
            "Slurm's file holds no bandwidths; give GB/s between neighbours: --link-bandwidth {kind}=25"
        );
        return Err(source.error_in_file(said(text)));
    };
    let rate = draft.rate(kind, rate, "for every such link");
    draft.note(
        Topic::Assumed,
        format!(
            "{kind}: a cable joins every two neighbours, the last and the first of a dimension, too"
        ),
    );
    let mut nodes = Vec::with_capacity(torus.nodes.len());
    for name in &torus.nodes {
        let node = name
            .as_ref()
            .map(|name| draft.node(name, "node", Role::Processor));
        nodes.push(node.transpose().map_err(located)?);
    }
    let mut stride = 1;
    for &size in &torus.sizes {
        for (position, node) in nodes.iter().enumerate() {
            let at = position / stride % size;
            let next = position - at * stride + (at + 1) % size * stride;
            let (Some(one), Some(Some(other))) = (*node, nodes.get(next).copied()) else {
                continue;
            };
            // A dimension of two has one cable between its nodes.
            if one != other && !draft.has_link(one, other) {
                draft
                    .duplex(one, other, kind, rate.clone())
                    .map_err(located)?;
            }
        }
        stride *= size;
    }
    Ok(())
}
