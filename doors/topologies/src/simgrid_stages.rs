//! Draws the routes of a SimGrid platform as links between hosts and stages.
//!
//! A stage is a step in finding a route, not a cable: `GATE.out` follows the path to a gateway, `GATE.in` precedes the
//! path from it, `ZONE.up` follows the list of links of a star's host, `ZONE.down` precedes it. Stages do not merge or
//! copy, so only the paths between hosts through stages matter.
//!
//! *Criterion: if from each host to each other there is one such path and its links load the same capacities as the
//! route, or no path and no route, then the drawing has the steady states of the routes.* Routes are paths of the
//! drawing. Conversely, a pattern that is cut at hosts falls into pieces from one host to one host, because a stage has
//! the messages of one past and passes each on to one future. A piece is a path of stages, so it is a route.
//!
//! A torus is the exception: its hosts pass messages on, so the links between neighbours suffice.

use std::collections::{BTreeMap, BTreeSet};

use oneport_files::error::{Mistake, clip};

use crate::draft::{Draft, MAX_LINKS};
use crate::imported::Topic;
use crate::mistakes::{said, too_many};
use crate::simgrid_net::Net;
use crate::simgrid_sums::Sums;
use crate::simgrid_zones::{Routing, Stretch, Zones};

/// Limit on the hosts between which every route is drawn as a separate link.
const MAX_PAIRED: usize = 500;

/// Limit on the routes of a zone that are drawn one by one if a star has the same routes. Trades the limits of single
/// links for fewer links. Not measured.
const MANY_ROUTES: usize = 2_000;

/// A node of the drawing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Host(usize),
    /// After the path to a gateway of a zone.
    Out(usize, usize),
    /// Before the path from a gateway of a zone.
    In(usize, usize),
    /// Behind the list of a star's member that has the middle links, or that has them not.
    Up(usize, bool),
    /// Before the list of such a member.
    Down(usize, bool),
}

struct Drawing<'z> {
    zones: &'z Zones,
    nodes: BTreeMap<Stage, usize>,
    net: Net,
    /// Per zone: the gateways by which routes leave it, and enter it.
    exits: Vec<BTreeSet<usize>>,
    entries: Vec<BTreeSet<usize>>,
}

/// Puts the hosts, the stages and the links between them into a draft.
///
/// # Errors
/// The drawing has too many nodes or links, a route has no links, or the drawing cannot express a FATPIPE link.
pub(super) fn draw(zones: &Zones, draft: &mut Draft<'_>) -> Result<(), Mistake> {
    let drawing = drawing(zones)?;
    let text = "hosts pass messages on, routers do not; nodes such as NAME.up or NAME.out are steps in finding a route, no \
                machines";
    draft.note(Topic::Assumed, text);
    drawing.net.put(&zones.capacities, draft)
}

fn drawing(zones: &Zones) -> Result<Drawing<'_>, Mistake> {
    let mut drawing = Drawing::new(zones);
    if zones.has_deep_bypass() {
        drawing.every_route()?
    } else {
        drawing.every_zone()?
    }
    drawing.net.simplify();
    let Some(fat) = drawing.net.unbounded(&zones.capacities) else {
        return Ok(drawing);
    };
    let hosts = drawing.net.hosts();
    if hosts > MAX_PAIRED {
        let name = zones.capacities.get(fat).map_or("", |fat| &fat.name);
        let text = format!(
            "FATPIPE link '{}' bounds each transfer alone on routes among {hosts} hosts; such routes are drawn one by one, \
             for up to {MAX_PAIRED} hosts. Give a part of the platform, or SHARED links",
            clip(name)
        );
        return Err(said(text));
    }
    let mut drawing = Drawing::new(zones);
    drawing.every_route()?;
    Ok(drawing)
}

/// Per pair of hosts: the loads of each path between them that passes stages only.
#[cfg(test)]
pub(super) fn paths(zones: &Zones) -> Result<crate::simgrid_net::Paths, Mistake> {
    let drawing = drawing(zones)?;
    let points: BTreeMap<usize, usize> = drawing
        .nodes
        .iter()
        .filter_map(|(stage, node)| match stage {
            Stage::Host(point) => Some((*node, *point)),
            _ => None,
        })
        .collect();
    let paths = drawing.net.paths().into_iter();
    Ok(paths
        .map(|((from, to), loads)| ((points[&from], points[&to]), loads))
        .collect())
}

impl<'z> Drawing<'z> {
    fn new(zones: &'z Zones) -> Self {
        let mut drawing = Drawing {
            zones,
            nodes: BTreeMap::new(),
            net: Net::default(),
            exits: vec![BTreeSet::new(); zones.zones.len()],
            entries: vec![BTreeSet::new(); zones.zones.len()],
        };
        for point in 0..zones.points.len() {
            if zones.is_host(point) {
                drawing.node(Stage::Host(point));
            }
        }
        drawing
    }

    fn node(&mut self, stage: Stage) -> usize {
        if let Some(&node) = self.nodes.get(&stage) {
            return node;
        }
        let zone = |zone: usize| self.zones.zones.get(zone).map_or("", |zone| &zone.name);
        let name = match stage {
            Stage::Host(point) => self.zones.name(point).to_string(),
            Stage::Out(_, gate) => format!("{}.out", self.zones.name(gate)),
            Stage::In(_, gate) => format!("{}.in", self.zones.name(gate)),
            Stage::Up(number, _) => format!("{}.up", zone(number)),
            Stage::Down(number, _) => format!("{}.down", zone(number)),
        };
        let node = self.net.node(name, matches!(stage, Stage::Host(_)));
        self.nodes.insert(stage, node);
        node
    }

    fn arc(&mut self, from: Stage, to: Stage, loads: Vec<usize>) -> Result<(), Mistake> {
        let (from, to) = (self.node(from), self.node(to));
        self.net.arc(from, to, loads)
    }

    /// A link per route between two hosts.
    fn every_route(&mut self) -> Result<(), Mistake> {
        let zones = self.zones;
        let hosts: Vec<usize> = (0..zones.points.len())
            .filter(|&point| zones.is_host(point))
            .collect();
        if hosts.len() > MAX_PAIRED {
            let what = "hosts whose routes are drawn one by one (bypasses between inner zones)";
            return Err(too_many(what, MAX_PAIRED, "give a part of the platform"));
        }
        for &from in &hosts {
            for &to in hosts.iter().filter(|&&to| to != from) {
                let loads = zones.route(from, to)?.unwrap_or_default();
                // SimGrid stops at a message that would pass no link.
                if !loads.is_empty() {
                    self.arc(Stage::Host(from), Stage::Host(to), loads)?;
                }
            }
        }
        Ok(())
    }

    /// Zone after zone, from the platform inwards: a zone's routes name the gateways by which others enter and leave.
    fn every_zone(&mut self) -> Result<(), Mistake> {
        let zones = self.zones;
        for (number, zone) in zones.zones.iter().enumerate() {
            let [exits, entries] = [&self.exits, &self.entries]
                .map(|gates| gates.get(number).cloned().unwrap_or_default());
            self.chain(number, &exits, &entries)?;
            let gates = Gates::new(zones, number, &exits, &entries);
            let bypassed = !zone.bypasses.is_empty();
            let members = zone.members.iter().copied();
            let hosts: Vec<usize> = members.filter(|&member| zones.is_host(member)).collect();
            match &zone.routing {
                Routing::Star(lists) if !bypassed => {
                    if let Some(middle) = Middle::of(lists, &hosts) {
                        self.star(number, &hosts, &middle, &gates)?;
                        continue;
                    }
                }
                Routing::Torus(torus) if torus.limiters.is_empty() && !bypassed => {
                    for (host, &from) in hosts.iter().enumerate() {
                        for to in torus.neighbours(host) {
                            self.pair(number, [from, torus.first + to], &Gates::default())?;
                        }
                    }
                    continue;
                }
                Routing::Pairs(pairs) | Routing::Full(pairs) => {
                    let many = pairs.len() > MANY_ROUTES && !bypassed && gates.is_empty();
                    if many && let Some(sums) = self.sums(&hosts, pairs) {
                        self.lists(number, &sums)?;
                        continue;
                    }
                    let mut ends: BTreeSet<(usize, usize)> =
                        pairs.keys().chain(zone.bypasses.keys()).copied().collect();
                    if matches!(zone.routing, Routing::Full(_)) {
                        ends.extend(gates.pairs(zones, &hosts)?);
                    }
                    for (from, to) in ends {
                        self.pair(number, [from, to], &gates)?;
                    }
                    continue;
                }
                Routing::Star(_) | Routing::Torus(_) => {}
            }
            check_pairs(hosts.len().saturating_mul(hosts.len()))?;
            let mut ends: BTreeSet<(usize, usize)> =
                gates.pairs(zones, &hosts)?.into_iter().collect();
            for &from in &hosts {
                ends.extend(hosts.iter().filter(|&&to| to != from).map(|&to| (from, to)));
            }
            for (from, to) in ends {
                self.pair(number, [from, to], &gates)?;
            }
        }
        Ok(())
    }

    /// The routes of a zone as sums of lists, if they have this form and join every two hosts.
    fn sums(&self, hosts: &[usize], pairs: &BTreeMap<(usize, usize), Stretch>) -> Option<Sums> {
        let loads = pairs
            .iter()
            .map(|(&ends, stretch)| (ends, stretch.loads.as_slice()));
        Sums::of(hosts, loads)
    }

    fn lists(&mut self, zone: usize, sums: &Sums) -> Result<(), Mistake> {
        let (up, down) = (Stage::Up(zone, true), Stage::Down(zone, true));
        for (&host, [leave, enter]) in &sums.lists {
            self.arc(Stage::Host(host), up, leave.clone())?;
            self.arc(down, Stage::Host(host), enter.clone())?;
        }
        self.arc(up, down, sums.middle.clone())
    }

    /// The gateways of a zone are hosts of it, or gateways of zones in it.
    fn chain(
        &mut self,
        zone: usize,
        exits: &BTreeSet<usize>,
        entries: &BTreeSet<usize>,
    ) -> Result<(), Mistake> {
        for &gate in exits {
            let member = self.zones.member_of(zone, gate);
            if let Some(inner) = member.and_then(|member| self.gate(member, Some(gate), true)) {
                self.arc(inner, Stage::Out(zone, gate), Vec::new())?;
            }
        }
        for &gate in entries {
            let member = self.zones.member_of(zone, gate);
            if let Some(inner) = member.and_then(|member| self.gate(member, Some(gate), false)) {
                self.arc(Stage::In(zone, gate), inner, Vec::new())?;
            }
        }
        Ok(())
    }

    /// First or last point of routes of a member: a host, or the gateway of a zone. `None` at a router.
    fn gate(&mut self, member: usize, gate: Option<usize>, leaves: bool) -> Option<Stage> {
        if self.zones.is_host(member) {
            return Some(Stage::Host(member));
        }
        let (zone, gate) = (self.zones.inside(member)?, gate?);
        let (gates, stage) = if leaves {
            (&mut self.exits, Stage::Out(zone, gate))
        } else {
            (&mut self.entries, Stage::In(zone, gate))
        };
        gates.get_mut(zone)?.insert(gate);
        Some(stage)
    }

    /// The route between two members of a zone, also as a part of routes that enter or leave the zone.
    fn pair(&mut self, zone: usize, [from, to]: [usize; 2], gates: &Gates) -> Result<(), Mistake> {
        let zones = self.zones;
        let bypasses = zones.zones.get(zone).map(|zone| &zone.bypasses);
        let bypass = bypasses.and_then(|bypasses| bypasses.get(&(from, to)).cloned());
        let Some(stretch) = bypass.or_else(|| zones.stretch(zone, from, to)) else {
            return Ok(());
        };
        let Stretch {
            loads,
            gates: [left, entered],
        } = stretch;
        let start = self.gate(from, left, true);
        let end = self.gate(to, entered, false);
        if let (Some(start), Some(end), false) = (start, end, loads.is_empty()) {
            self.arc(start, end, loads.clone())?;
        }
        for &gate in gates.entries.get(&from).into_iter().flatten() {
            let inside = zones.route(gate, left.unwrap_or(gate))?;
            if let (Some(end), Some(mut inside)) = (end, inside) {
                inside.extend(&loads);
                self.arc(Stage::In(zone, gate), end, inside)?;
            }
        }
        for &gate in gates.exits.get(&to).into_iter().flatten() {
            let inside = zones.route(entered.unwrap_or(gate), gate)?;
            if let (Some(start), Some(inside)) = (start, inside) {
                let mut loads = loads.clone();
                loads.extend(inside);
                self.arc(start, Stage::Out(zone, gate), loads)?;
            }
        }
        Ok(())
    }

    /// A list up, the middle, a list down.
    fn star(
        &mut self,
        zone: usize,
        hosts: &[usize],
        middle: &Middle<'_>,
        gates: &Gates,
    ) -> Result<(), Mistake> {
        let zones = self.zones;
        for &host in hosts {
            let (up, down) = (middle.up(host), middle.down(host));
            self.arc(Stage::Host(host), Stage::Up(zone, up.0), up.1)?;
            self.arc(Stage::Down(zone, down.0), Stage::Host(host), down.1)?;
        }
        let both = [false, true];
        for (up, down) in both.into_iter().flat_map(|up| both.map(|down| (up, down))) {
            if hosts.len() > 1 && !middle.lists.is_empty() {
                let loads = middle.between(up || down);
                self.arc(Stage::Up(zone, up), Stage::Down(zone, down), loads)?;
            }
        }
        // Lists do not define a route into a zone.
        let direct = |gates: &BTreeMap<usize, Vec<usize>>| -> Vec<usize> {
            let members = gates.keys().copied();
            members
                .filter(|&member| zones.inside(member).is_none())
                .collect()
        };
        for gate in direct(&gates.exits) {
            let out = Stage::Out(zone, gate);
            if zones.is_host(gate) {
                for &host in hosts.iter().filter(|&&host| host != gate) {
                    let stretch = zones.stretch(zone, host, gate).unwrap_or_default();
                    self.arc(Stage::Host(host), out, stretch.loads)?;
                }
                continue;
            }
            let (has, list) = middle.down(gate);
            for up in both {
                let loads = middle.between(up || has);
                self.arc(Stage::Up(zone, up), out, [loads, list.clone()].concat())?;
            }
        }
        for gate in direct(&gates.entries) {
            let enter = Stage::In(zone, gate);
            if zones.is_host(gate) {
                for &host in hosts.iter().filter(|&&host| host != gate) {
                    let stretch = zones.stretch(zone, gate, host).unwrap_or_default();
                    self.arc(enter, Stage::Host(host), stretch.loads)?;
                }
                continue;
            }
            let (has, list) = middle.up(gate);
            for down in both {
                let loads = middle.between(has || down);
                self.arc(
                    enter,
                    Stage::Down(zone, down),
                    [list.clone(), loads].concat(),
                )?;
            }
        }
        Ok(())
    }
}

/// Gateways of a zone by the member that equals or contains them.
#[derive(Default)]
struct Gates {
    exits: BTreeMap<usize, Vec<usize>>,
    entries: BTreeMap<usize, Vec<usize>>,
}

impl Gates {
    fn is_empty(&self) -> bool {
        self.exits.is_empty() && self.entries.is_empty()
    }

    fn new(zones: &Zones, zone: usize, exits: &BTreeSet<usize>, entries: &BTreeSet<usize>) -> Self {
        let by_member = |gates: &BTreeSet<usize>| {
            let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for &gate in gates {
                if let Some(member) = zones.member_of(zone, gate) {
                    all.entry(member).or_default().push(gate);
                }
            }
            all
        };
        Gates {
            exits: by_member(exits),
            entries: by_member(entries),
        }
    }
}

impl Gates {
    /// The paths from all hosts to the exits, and from the entries to all hosts, if these are not zones.
    fn pairs(&self, zones: &Zones, hosts: &[usize]) -> Result<Vec<(usize, usize)>, Mistake> {
        let gates = self.exits.len().saturating_add(self.entries.len());
        check_pairs(hosts.len().saturating_mul(gates))?;
        let direct = |gate: &&usize| zones.inside(**gate).is_none();
        let others = |gate: usize| hosts.iter().copied().filter(move |&host| host != gate);
        let exits = self.exits.keys().filter(direct);
        let out = exits.flat_map(|&gate| others(gate).map(move |host| (host, gate)));
        let entries = self.entries.keys().filter(direct);
        let into = entries.flat_map(|&gate| others(gate).map(move |host| (gate, host)));
        Ok(out.chain(into).collect())
    }
}

/// Refuses a number of links that is too large before they are built.
fn check_pairs(pairs: usize) -> Result<(), Mistake> {
    if pairs <= MAX_LINKS {
        return Ok(());
    }
    let instead = "give a part of the platform";
    Err(too_many("links of routes", MAX_LINKS, instead))
}

/// The links that a star's lists have in common. A route between two members counts each of them once, so they cannot
/// be both on the list up and on the list down.
struct Middle<'z> {
    lists: &'z BTreeMap<usize, [Vec<usize>; 2]>,
    links: Vec<usize>,
}

impl<'z> Middle<'z> {
    /// `None` if the links are not the same for all members that have some, or if some of the hosts have no links: a
    /// message between two of these is refused, one between others is not.
    fn of(lists: &'z BTreeMap<usize, [Vec<usize>; 2]>, hosts: &[usize]) -> Option<Self> {
        let bare = |host: &&usize| {
            lists
                .get(host)
                .is_none_or(|ways| ways.iter().any(Vec::is_empty))
        };
        let without = hosts.iter().filter(bare).count();
        if without > 0 && !lists.is_empty() {
            return None;
        }
        let mut owners: BTreeMap<usize, [Vec<usize>; 2]> = BTreeMap::new();
        for (&member, ways) in lists {
            for (way, list) in ways.iter().enumerate() {
                for link in list {
                    let sides = owners.entry(*link).or_default();
                    let side = sides.get_mut(way)?;
                    if side.last() != Some(&member) {
                        side.push(member);
                    }
                }
            }
        }
        // A link up of one member and down of only the same member is on no route twice.
        let common = |[up, down]: &[Vec<usize>; 2]| {
            !(up.is_empty() || down.is_empty() || (up.len() == 1 && up == down))
        };
        owners.retain(|_, sides| common(sides));
        let mut kinds: Vec<&[Vec<usize>; 2]> = owners.values().collect();
        kinds.dedup();
        (kinds.len() <= 1).then(|| Middle {
            lists,
            links: owners.keys().copied().collect(),
        })
    }

    /// Whether the list up of a member has the middle links, and its other links.
    fn up(&self, member: usize) -> (bool, Vec<usize>) {
        self.rest(member, 0)
    }

    /// Whether the list down of a member has the middle links, and its other links.
    fn down(&self, member: usize) -> (bool, Vec<usize>) {
        self.rest(member, 1)
    }

    fn rest(&self, member: usize, way: usize) -> (bool, Vec<usize>) {
        let list = self.lists.get(&member).and_then(|ways| ways.get(way));
        let mut rest: Vec<usize> = list.into_iter().flatten().copied().collect();
        rest.sort_unstable();
        rest.dedup();
        let all = rest.len();
        rest.retain(|link| !self.links.contains(link));
        (rest.len() < all, rest)
    }

    /// The loads between two lists of which at most one has the middle links.
    fn between(&self, has: bool) -> Vec<usize> {
        if has { self.links.clone() } else { Vec::new() }
    }
}
