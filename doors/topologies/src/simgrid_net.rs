//! Hosts and stages with the capacities that each arc between two of them loads, and the platform made of them.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_files::error::{Mistake, clip};
use oneport_platform::{Rational, whole};

use crate::draft::{Draft, MAX_LINKS, Role};
use crate::imported::Topic;
use crate::mistakes::{said, too_many};
use crate::simgrid_zones::Capacity;

struct Node {
    name: String,
    is_host: bool,
}

struct Arc {
    from: usize,
    to: usize,
    /// Capacities, each as often as it is passed.
    loads: Vec<usize>,
}

/// A directed graph without circles but through hosts.
#[derive(Default)]
pub(super) struct Net {
    nodes: Vec<Node>,
    arcs: Vec<Arc>,
}

/// The arcs of each node.
struct Ends {
    out: Vec<Vec<usize>>,
    into: Vec<Vec<usize>>,
}

impl Net {
    pub(crate) fn node(&mut self, name: String, is_host: bool) -> usize {
        self.nodes.push(Node { name, is_host });
        self.nodes.len() - 1
    }

    /// Number of hosts.
    pub(crate) fn hosts(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_host).count()
    }

    fn is_host(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|node| node.is_host)
    }

    /// Adds a path that loads some capacities, each as often as it is named.
    pub(crate) fn arc(&mut self, from: usize, to: usize, loads: Vec<usize>) -> Result<(), Mistake> {
        if self.arcs.len() == MAX_LINKS {
            let instead = "give a part of the platform";
            return Err(too_many("links of routes", MAX_LINKS, instead));
        }
        self.arcs.push(Arc { from, to, loads });
        Ok(())
    }

    fn ends(&self) -> Ends {
        let mut ends = Ends {
            out: vec![Vec::new(); self.nodes.len()],
            into: vec![Vec::new(); self.nodes.len()],
        };
        for (number, arc) in self.arcs.iter().enumerate() {
            if let Some(out) = ends.out.get_mut(arc.from) {
                out.push(number);
            }
            if let Some(into) = ends.into.get_mut(arc.to) {
                into.push(number);
            }
        }
        ends
    }

    /// Removes nodes and links that no route passes, and joins the two ends of paths without load if this joins no
    /// routes.
    pub(crate) fn simplify(&mut self) {
        self.prune();
        self.contract();
    }

    /// Removes stages that no host reaches, or that reach no host.
    fn prune(&mut self) {
        let ends = self.ends();
        let reached = |ends: &[Vec<usize>], next: fn(&Arc) -> usize| {
            let mut seen: Vec<bool> = self.nodes.iter().map(|node| node.is_host).collect();
            let mut open: Vec<usize> = (0..seen.len()).filter(|&node| self.is_host(node)).collect();
            while let Some(node) = open.pop() {
                for arc in ends.get(node).into_iter().flatten() {
                    let Some(next) = self.arcs.get(*arc).map(next) else {
                        continue;
                    };
                    if let Some(seen) = seen.get_mut(next)
                        && !std::mem::replace(seen, true)
                    {
                        open.push(next);
                    }
                }
            }
            seen
        };
        let ahead = reached(&ends.out, |arc| arc.to);
        let behind = reached(&ends.into, |arc| arc.from);
        let is_marked = |list: &[bool], node: usize| list.get(node) == Some(&true);
        self.arcs
            .retain(|arc| is_marked(&ahead, arc.from) && is_marked(&behind, arc.to));
    }

    /// Joins `a` and `b` of each path `a -> b` without load, if stage `a` has no other outgoing path or stage `b` no
    /// other incoming path.
    fn contract(&mut self) {
        let free: Vec<usize> = (0..self.arcs.len())
            .filter(|&arc| self.arcs.get(arc).is_some_and(|arc| arc.loads.is_empty()))
            .collect();
        let mut join = Join {
            ends: self.ends(),
            pairs: self.arcs.iter().map(|arc| (arc.from, arc.to)).collect(),
            gone: BTreeSet::new(),
        };
        let mut before = None;
        while before != Some(join.gone.len()) {
            before = Some(join.gone.len());
            for &number in &free {
                self.join(number, &mut join);
            }
        }
        let mut number = 0..;
        self.arcs.retain(|_| {
            number
                .next()
                .is_some_and(|number| !join.gone.contains(&number))
        });
    }

    fn join(&mut self, number: usize, join: &mut Join) {
        let Some(arc) = self.arcs.get(number) else {
            return;
        };
        let (one, other) = (arc.from, arc.to);
        if join.gone.contains(&number) {
            return;
        }
        let alone = |list: &[Vec<usize>], node: usize| {
            !self.is_host(node) && list.get(node).is_some_and(|arcs| arcs.len() == 1)
        };
        let (node, target, forward) = if alone(&join.ends.out, one) {
            (one, other, false)
        } else if alone(&join.ends.into, other) {
            (other, one, true)
        } else {
            return;
        };
        let sides = if forward {
            &join.ends.out
        } else {
            &join.ends.into
        };
        let moved = sides.get(node).cloned().unwrap_or_default();
        let swap = |end: usize| if end == node { target } else { end };
        let pair = |arc: &usize| self.arcs.get(*arc).map(|arc| (arc.from, arc.to));
        let after = |(from, to): (usize, usize)| (swap(from), swap(to));
        let mut pairs = moved.iter().filter_map(pair).map(after);
        if pairs.any(|pair| join.pairs.contains(&pair)) {
            return;
        }
        join.remove(number, one, other);
        for number in join.take(node, forward) {
            let Some(arc) = self.arcs.get_mut(number) else {
                continue;
            };
            join.pairs.remove(&(arc.from, arc.to));
            (arc.from, arc.to) = after((arc.from, arc.to));
            join.put(target, forward, number);
            join.pairs.insert((arc.from, arc.to));
            // From a host to itself.
            if arc.from == arc.to {
                join.remove(number, arc.from, arc.to);
            }
        }
    }
}

/// The state of [`Net::contract`]: arcs per node, pairs with an arc, and removed arcs.
struct Join {
    ends: Ends,
    pairs: BTreeSet<(usize, usize)>,
    gone: BTreeSet<usize>,
}

impl Join {
    fn remove(&mut self, number: usize, from: usize, to: usize) {
        self.pairs.remove(&(from, to));
        self.gone.insert(number);
        for list in [self.ends.out.get_mut(from), self.ends.into.get_mut(to)]
            .into_iter()
            .flatten()
        {
            list.retain(|&arc| arc != number);
        }
    }

    /// Removes and returns the list of arcs that leave a node, or that enter it.
    fn take(&mut self, node: usize, leaves: bool) -> Vec<usize> {
        self.side(leaves)
            .get_mut(node)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    fn put(&mut self, node: usize, leaves: bool, number: usize) {
        if let Some(list) = self.side(leaves).get_mut(node) {
            list.push(number);
        }
    }

    fn side(&mut self, leaves: bool) -> &mut Vec<Vec<usize>> {
        if leaves {
            &mut self.ends.out
        } else {
            &mut self.ends.into
        }
    }
}

/// The loads of an arc: shared capacities with the number of passes, FATPIPE capacities, and the latency.
struct Loads {
    shared: BTreeMap<usize, u32>,
    fat: BTreeSet<usize>,
    latency: Rational,
}

impl Loads {
    fn of(arc: &Arc, capacities: &[Capacity]) -> Self {
        let mut loads = Loads {
            shared: BTreeMap::new(),
            fat: BTreeSet::new(),
            latency: Rational::zero(),
        };
        for &load in &arc.loads {
            let Some(capacity) = capacities.get(load) else {
                continue;
            };
            loads.latency += &capacity.latency;
            if capacity.fat {
                loads.fat.insert(load);
            } else {
                *loads.shared.entry(load).or_default() += 1
            }
        }
        loads
    }

    /// The rate of a single transfer, by the shared capacities. `None` if the arc has no shared capacity.
    fn rate(&self, capacities: &[Capacity]) -> Option<Rational> {
        self.rate_of(capacities, |_| true)
    }

    /// Computes [`rate`](Self::rate) by the shared capacities for which `counts` holds.
    fn rate_of(&self, capacities: &[Capacity], counts: impl Fn(usize) -> bool) -> Option<Rational> {
        let rate = |(load, count): (&usize, &u32)| {
            let rate = &capacities.get(*load)?.rate;
            Some(match count {
                1 => rate.clone(),
                _ => rate / whole(*count),
            })
        };
        let loads = self.shared.iter().filter(|(load, _)| counts(**load));
        loads.filter_map(rate).min()
    }
}

/// The smaller of two rates. `None` is no limit.
fn least(one: Option<Rational>, other: Option<Rational>) -> Option<Rational> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

impl Net {
    /// A FATPIPE link between stages that bounds some transfer more than the shared links of its route do.
    pub(crate) fn unbounded(&self, capacities: &[Capacity]) -> Option<usize> {
        if !capacities.iter().any(|capacity| capacity.fat) {
            return None;
        }
        let rates = self.arcs.iter();
        let rates = rates.map(|arc| Loads::of(arc, capacities).rate(capacities));
        let mut widest = Ways::widest(self, rates.collect());
        self.arcs.iter().enumerate().find_map(|(number, arc)| {
            if self.is_host(arc.from) && self.is_host(arc.to) {
                return None;
            }
            let loads = Loads::of(arc, capacities);
            let mut fat = loads.fat.into_iter();
            fat.find(|&fat| {
                let rate = widest.through(number);
                let own = capacities.get(fat).map(|fat| &fat.rate);
                rate.is_none_or(|rate| own.is_some_and(|own| *own < rate))
            })
        })
    }
}

/// Rates of the paths between stages and hosts, after a node or before it. Stages have no circles.
struct Ways<'n> {
    net: &'n Net,
    /// Per arc. `None` if it has no bound.
    rates: Vec<Option<Rational>>,
    ends: Ends,
    /// Per node and direction.
    known: BTreeMap<(usize, bool), Option<Rational>>,
    /// The rate of an arc and of the paths after it.
    along: fn(Option<Rational>, Option<Rational>) -> Option<Rational>,
    /// The rate of two parallel paths.
    beside: fn(Rational, Rational) -> Rational,
}

impl<'n> Ways<'n> {
    /// Paths whose widest counts.
    fn widest(net: &'n Net, rates: Vec<Option<Rational>>) -> Self {
        Ways {
            net,
            rates,
            ends: net.ends(),
            known: BTreeMap::new(),
            along: least,
            beside: Ord::max,
        }
    }

    /// Paths whose first bounds are added up.
    fn together(net: &'n Net, rates: Vec<Option<Rational>>) -> Self {
        Ways {
            along: Option::or,
            beside: |one, other| one + other,
            ..Ways::widest(net, rates)
        }
    }

    /// The rate of the paths from a node on (`ahead`), or before it. `None` at a host, and if one of them has no bound.
    fn beyond(&mut self, node: usize, ahead: bool) -> Option<Rational> {
        if self.net.is_host(node) {
            return None;
        }
        if let Some(known) = self.known.get(&(node, ahead)) {
            return known.clone();
        }
        let sides = if ahead {
            &self.ends.out
        } else {
            &self.ends.into
        };
        let arcs = sides.get(node).cloned().unwrap_or_default();
        let mut all = Some(Rational::zero());
        for number in arcs {
            let own = self.rates.get(number).cloned().flatten();
            let Some(arc) = self.net.arcs.get(number) else {
                continue;
            };
            let next = if ahead { arc.to } else { arc.from };
            let rate = (self.along)(own, self.beyond(next, ahead));
            all = all.zip(rate).map(|(all, rate)| (self.beside)(all, rate));
        }
        self.known.insert((node, ahead), all.clone());
        all
    }

    /// The rate of the widest route that passes an arc. `None` if it has no bound.
    fn through(&mut self, arc: usize) -> Option<Rational> {
        let own = self.rates.get(arc).cloned().flatten();
        let Some(Arc { from, to, .. }) = self.net.arcs.get(arc) else {
            return own;
        };
        let (from, to) = (*from, *to);
        let before = self.beyond(from, false);
        let on = self.beyond(to, true);
        least(least(before, own), on)
    }

    /// The rate of an arc without load: the total rate of the paths after it, or of those before it.
    fn implied(&mut self, arc: usize) -> Result<Rational, Mistake> {
        let Some(Arc { from, to, .. }) = self.net.arcs.get(arc) else {
            return Ok(Rational::zero());
        };
        let (from, to) = (*from, *to);
        let bound = self.beyond(to, true).or_else(|| self.beyond(from, false));
        bound.ok_or_else(|| {
            let name = |node: usize| self.net.nodes.get(node).map_or("", |node| &node.name);
            said(format!(
                "a route by '{}' and '{}' has no link that bounds it, so a transfer would take no time; give hosts links \
                 (<host_link>, <route>)",
                clip(name(from)),
                clip(name(to))
            ))
        })
    }
}

impl Net {
    /// Puts hosts, stages, links and shared capacities into a draft.
    ///
    /// # Errors
    /// A route has no links, or the result would become too large.
    pub(crate) fn put(
        &self,
        capacities: &[Capacity],
        draft: &mut Draft<'_>,
    ) -> Result<(), Mistake> {
        let indices = self.put_nodes(draft)?;
        let index = |node: usize| indices.get(node).copied().flatten().unwrap_or_default();
        let loads: Vec<Loads> = self
            .arcs
            .iter()
            .map(|arc| Loads::of(arc, capacities))
            .collect();
        let mut owners: BTreeMap<usize, Vec<(usize, u32)>> = BTreeMap::new();
        for (number, loads) in loads.iter().enumerate() {
            for (&capacity, &count) in &loads.shared {
                owners.entry(capacity).or_default().push((number, count));
            }
        }
        let bounds = self.fat_bounds(&loads, capacities, draft);
        let rates = loads.iter().zip(&bounds);
        let rates = rates.map(|(loads, fat)| least(loads.rate(capacities), fat.clone()));
        let mut implied = Ways::together(self, rates.collect());
        for (number, (arc, loads)) in self.arcs.iter().zip(&loads).enumerate() {
            let alone = |load: usize| owners.get(&load).is_some_and(|all| all.len() == 1);
            let own = loads.rate_of(capacities, alone);
            let mut rate = least(own, bounds.get(number).cloned().flatten());
            if rate.is_none() && loads.shared.is_empty() {
                rate = Some(implied.implied(number)?);
            }
            draft.way(index(arc.from), index(arc.to), rate, &loads.latency)?;
        }
        for (capacity, arcs) in owners {
            let Some(capacity) = capacities.get(capacity) else {
                continue;
            };
            if arcs.len() > 1 {
                draft.share(&capacity.name, &capacity.rate, arcs.into_iter().collect());
            }
        }
        Ok(())
    }

    /// Per node: its index in the draft. Stages without paths are left out.
    fn put_nodes(&self, draft: &mut Draft<'_>) -> Result<Vec<Option<usize>>, Mistake> {
        let used: BTreeSet<usize> = self
            .arcs
            .iter()
            .flat_map(|arc| [arc.from, arc.to])
            .collect();
        let mut indices = Vec::with_capacity(self.nodes.len());
        for (number, node) in self.nodes.iter().enumerate() {
            indices.push(match (node.is_host, used.contains(&number)) {
                (true, _) => Some(draft.node(node.name.clone(), "host", Role::Processor)?),
                (false, true) => {
                    let name = draft.free_name(node.name.clone());
                    Some(draft.node(name, "stage", Role::Switch)?)
                }
                (false, false) => None,
            });
        }
        Ok(indices)
    }

    /// Per arc between hosts: the rate that its FATPIPE links leave to it. On other arcs, other links are at most as
    /// fast.
    fn fat_bounds(
        &self,
        loads: &[Loads],
        capacities: &[Capacity],
        draft: &mut Draft<'_>,
    ) -> Vec<Option<Rational>> {
        let bound = |(arc, loads): (&Arc, &Loads)| {
            let rates = loads.fat.iter().filter_map(|fat| capacities.get(*fat));
            let fat = rates.map(|fat| &fat.rate).min()?;
            let rate = loads.rate(capacities);
            let inner = !(self.is_host(arc.from) && self.is_host(arc.to));
            if inner || rate.is_some_and(|rate| rate <= *fat) {
                let text = "FATPIPE links: other links of their routes are no faster";
                draft.note(Topic::LeftOut, text);
                return None;
            }
            let text = "FATPIPE links: transfers from one host to another share them; SimGrid gives each of them the \
                        whole rate";
            draft.note(Topic::Assumed, text);
            Some(fat.clone())
        };
        self.arcs.iter().zip(loads).map(bound).collect()
    }
}

/// Per pair of hosts: the sorted loads of each path between them that passes stages only.
#[cfg(test)]
pub(super) type Paths = BTreeMap<(usize, usize), Vec<Vec<usize>>>;

#[cfg(test)]
impl Net {
    pub(crate) fn paths(&self) -> Paths {
        let ends = self.ends();
        let mut all = Paths::new();
        for host in (0..self.nodes.len()).filter(|&node| self.is_host(node)) {
            let mut open = vec![(host, Vec::new())];
            while let Some((node, loads)) = open.pop() {
                for arc in ends.out[node].iter().map(|&arc| &self.arcs[arc]) {
                    let mut loads = [loads.clone(), arc.loads.clone()].concat();
                    if self.is_host(arc.to) {
                        loads.sort_unstable();
                        all.entry((host, arc.to)).or_default().push(loads);
                    } else {
                        open.push((arc.to, loads));
                    }
                }
            }
        }
        all
    }
}
