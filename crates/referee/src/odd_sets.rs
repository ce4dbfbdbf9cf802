//! Whether links can be busy for given times: all odd-set inequalities at once.
//!
//! If a node has one port for sends and receives together, it is not enough that no port is overloaded: on a triangle
//! of half-duplex nodes only one link can be busy at a time. The times `x` can be scheduled if and only if no port is
//! overloaded and for all ports `U` and links `F` with one end in `U`, `b(U) + |F|` odd, the links inside `U` and the
//! links of `F` are busy for at most `(b(U) + |F| - 1) / 2` together (Edmonds 1965, Pulleyblank 1973). `F` needs only
//! links whose ends both serve several links at a time: an end that serves one can join, or leave, `U` instead.
//!
//! **As cuts** (Padberg and Rao 1982). With `s(v)` the unused capacity of port `v`, the inequality says `s(U) +
//! x(leaving U, not F) + sum over F of (1 - x) >= 1`. So let a root take the unused capacity of every port, and put a
//! node in the middle of every link that could be in `F`, with `x` on one side and `1 - x` on the other: the left side
//! is the weight of the cut around `U`. Ports of odd capacity are odd, as are the nodes in the middle, each of which
//! also changes the kind of the port on its `1 - x` side. The root makes their number even. Cuts with an odd number of
//! odd nodes on each side are the inequalities (a cut that puts a node in the middle on its more expensive side weighs
//! 1 or more, or is another inequality), and the root is on the side that is not `U`.
//!
//! **No odd cut below 1.** Take two odd nodes and a smallest cut `X` between them. If it weighs 1 or more, no cut below
//! 1 separates them: they become one node. If it weighs less and is odd, it is the cut to be found. If it is even,
//! there is an odd cut below 1 only if there is one that has all of `X` on one side, or all of the rest: let `U` be one
//! that has not, without loss of generality with `s` (inside `X`) in `U`. One of `X ∩ U`, `X \ U` is odd if and only if
//! the other is, and otherwise `U \ X` and the rest are. Say the first. If the other node `t` is not in `U`, `X ∪ U`
//! separates the two, so it weighs at least as much as `X`, and by submodularity `X ∩ U` at most as much as `U`. If `t`
//! is in `U`, so does `U \ X`, and `X \ U` weighs at most as much as `U`. Say the second. `X ∩ U` or, if `t` is in `U`,
//! the same set separates the two, and what is outside of both weighs at most as much as `U`. So both halves are
//! searched on their own.

use std::collections::{BTreeMap, VecDeque};

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::Resource;
use oneport_platform::{LinkId, Platform};

/// An inequality that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violated {
    pub(crate) ports: Vec<Resource>,
    /// The links inside, and the further links.
    pub(crate) links: Vec<LinkId>,
    /// How many of them can be busy at a time.
    pub(crate) capacity: u64,
}

/// A link that is busy.
struct Busy<'t> {
    link: LinkId,
    /// The ports at its ends. `None`: no limit.
    ends: [Option<usize>; 2],
    time: &'t BigUint,
}

/// An odd-set inequality that the times of the links, as parts of `whole`, break. `None` if they can be scheduled. No
/// port and no link is busy for more than its capacity.
///
/// Bipartite components of ports (senders and receivers) need no inequality and are left out. The others take O(ports)
/// maximum flows. Most of these are stopped when they reach 1.
pub(crate) fn violated(
    platform: &Platform,
    times: &[(LinkId, BigUint)],
    whole: &BigUint,
) -> Option<Violated> {
    let mut ports: Vec<Resource> = times
        .iter()
        .flat_map(|(link, _)| Resource::ends(platform, *link))
        .flatten()
        .collect();
    ports.sort_unstable();
    ports.dedup();
    let index = |end: Resource| ports.binary_search(&end).ok();
    let busy = |(link, time)| {
        let ends = Resource::ends(platform, link).map(|end| end.and_then(index));
        Busy { link, ends, time }
    };
    let links: Vec<Busy<'_>> = times
        .iter()
        .map(|(link, time)| busy((*link, time)))
        .collect();
    let odd = odd_components(ports.len(), &links);
    let capacities: Vec<u32> = ports.iter().map(|port| port.capacity(platform)).collect();
    let graph = graph(&capacities, &links, &odd, whole);
    let root = ports.len();
    let side = odd_cut(graph, whole)?;
    let inverted = side.binary_search(&root).is_ok();
    let within = |node: usize| side.binary_search(&node).is_ok() != inverted;
    let counted = |(index, busy): (usize, &Busy<'_>)| {
        let inside = busy
            .ends
            .map(|end| end.is_some_and(|end| odd[end] && within(end)));
        // If the first end of the link is inside, its middle is a further one. If the second is, further unless inside.
        let further = is_further(&capacities, busy)
            && (inside[0] != inside[1])
            && within(root + 1 + index) == inside[0];
        ((inside[0] && inside[1]) || further).then_some((busy.link, u64::from(further)))
    };
    let members: Vec<(LinkId, u64)> = links.iter().enumerate().filter_map(counted).collect();
    let inside = (0..ports.len()).filter(|&port| within(port) && odd[port]);
    let offered: u64 = inside.clone().map(|port| u64::from(capacities[port])).sum();
    Some(Violated {
        ports: inside.map(|port| ports[port]).collect(),
        capacity: (offered + members.iter().map(|(_, further)| further).sum::<u64>()) / 2,
        links: members.into_iter().map(|(link, _)| link).collect(),
    })
}

/// Whether the link may be a further link.
fn is_further(capacities: &[u32], busy: &Busy<'_>) -> bool {
    busy.ends.iter().any(Option::is_some)
        && busy.ends.iter().flatten().all(|&end| capacities[end] > 1)
}

/// Per port: whether its component has a cycle with an odd number of links. The other ports split into senders and
/// receivers.
fn odd_components(ports: usize, links: &[Busy<'_>]) -> Vec<bool> {
    let mut next = vec![Vec::new(); ports];
    for busy in links {
        if let [Some(from), Some(to)] = busy.ends {
            next[from].push(to);
            next[to].push(from);
        }
    }
    let mut colour: Vec<Option<bool>> = vec![None; ports];
    let mut odd = vec![false; ports];
    for start in 0..ports {
        let (mut component, mut walk, mut fits) = (Vec::new(), vec![(start, true)], true);
        while let Some((port, wanted)) = walk.pop() {
            match colour[port] {
                Some(known) => fits &= known == wanted || component.is_empty(),
                None => {
                    colour[port] = Some(wanted);
                    component.push(port);
                    walk.extend(next[port].iter().map(|&other| (other, !wanted)));
                }
            }
        }
        if !fits {
            for port in component {
                odd[port] = true;
            }
        }
    }
    odd
}

/// An undirected graph with weights. A node can represent several original nodes.
#[derive(Debug, Clone)]
struct Graph {
    /// Per node: the original nodes that it represents, ascending.
    names: Vec<Vec<usize>>,
    odd: Vec<bool>,
    /// The smaller node first.
    edges: BTreeMap<(usize, usize), BigUint>,
}

/// The graph of the module's head: nodes are the indices of the ports, then the root, then those of the links.
fn graph(capacities: &[u32], links: &[Busy<'_>], odd: &[bool], whole: &BigUint) -> Graph {
    let root = capacities.len();
    let mut graph = Graph {
        names: vec![vec![root]],
        odd: vec![false],
        edges: BTreeMap::new(),
    };
    let mut numbers = vec![None; root];
    let mut rest = vec![BigUint::zero(); root];
    for port in (0..root).filter(|&port| odd[port]) {
        numbers[port] = Some(graph.node(port, capacities[port] % 2 == 1));
        rest[port] = whole * capacities[port];
    }
    for (index, busy) in links.iter().enumerate() {
        let [one, other] = busy.ends.map(|end| end.and_then(|end| numbers[end]));
        // Both ends are in the same component, or one has no limit.
        let (one, other) = (one.unwrap_or(0), other.unwrap_or(0));
        if one == other {
            continue;
        }
        for end in busy.ends.into_iter().flatten() {
            rest[end] -= busy.time;
        }
        if is_further(capacities, busy) {
            let middle = graph.node(root + 1 + index, true);
            graph.odd[other] ^= true;
            graph.add(one, middle, busy.time.clone());
            graph.add(middle, other, whole - busy.time);
        } else {
            graph.add(one, other, busy.time.clone());
        }
    }
    for (number, rest) in numbers.into_iter().zip(rest) {
        if let Some(number) = number {
            graph.add(0, number, rest);
        }
    }
    graph.odd[0] = false;
    graph.odd[0] = graph.odd.iter().filter(|odd| **odd).count() % 2 == 1;
    graph
}

impl Graph {
    fn node(&mut self, name: usize, odd: bool) -> usize {
        self.names.push(vec![name]);
        self.odd.push(odd);
        self.names.len() - 1
    }

    fn add(&mut self, one: usize, other: usize, weight: BigUint) {
        if one != other && !weight.is_zero() {
            *self
                .edges
                .entry((one.min(other), one.max(other)))
                .or_default() += weight;
        }
    }

    /// Some nodes become one.
    fn merged(&self, joined: &[bool]) -> Graph {
        let mut graph = Graph {
            names: vec![Vec::new()],
            odd: vec![false],
            edges: BTreeMap::new(),
        };
        let mut numbers = vec![0; self.names.len()];
        for (node, names) in self.names.iter().enumerate() {
            if !joined[node] {
                numbers[node] = graph.names.len();
                graph.names.push(Vec::new());
                graph.odd.push(false);
            }
            graph.names[numbers[node]].extend(names);
            graph.odd[numbers[node]] ^= self.odd[node];
        }
        for names in graph.names.iter_mut() {
            names.sort_unstable();
        }
        for (&(one, other), weight) in &self.edges {
            graph.add(numbers[one], numbers[other], weight.clone());
        }
        graph
    }

    /// The nodes on the first one's side of a smallest cut between the two. `None` if it weighs `limit` or more.
    ///
    /// Maximum flow along shortest paths (Edmonds and Karp 1972).
    fn cut(&self, from: usize, to: usize, limit: &BigUint) -> Option<Vec<bool>> {
        let mut next = vec![Vec::new(); self.names.len()];
        let mut room: Vec<BigUint> = Vec::with_capacity(2 * self.edges.len());
        for (&(one, other), weight) in &self.edges {
            next[one].push((other, room.len()));
            next[other].push((one, room.len() + 1));
            room.extend([weight.clone(), weight.clone()]);
        }
        let mut flow = BigUint::zero();
        loop {
            let mut before: Vec<Option<(usize, usize)>> = vec![None; next.len()];
            let mut seen = vec![false; next.len()];
            seen[from] = true;
            let mut open = VecDeque::from([from]);
            while let Some(node) = open.pop_front().filter(|_| !seen[to]) {
                for &(other, arc) in &next[node] {
                    if !seen[other] && !room[arc].is_zero() {
                        seen[other] = true;
                        before[other] = Some((node, arc));
                        open.push_back(other);
                    }
                }
            }
            if !seen[to] {
                return Some(seen);
            }
            let way: Vec<usize> = std::iter::successors(before[to], |&(node, _)| before[node])
                .map(|(_, arc)| arc)
                .collect();
            let least = way.iter().map(|&arc| &room[arc]).min().cloned()?;
            for arc in way {
                room[arc] -= &least;
                room[arc ^ 1] += &least;
            }
            flow += least;
            if flow >= *limit {
                return None;
            }
        }
    }
}

/// The names on one side of an odd cut that weighs less than the limit, ascending.
fn odd_cut(graph: Graph, limit: &BigUint) -> Option<Vec<usize>> {
    let mut open = vec![graph];
    while let Some(graph) = open.pop() {
        let mut odd = (0..graph.odd.len()).filter(|&node| graph.odd[node]);
        let (Some(one), Some(other)) = (odd.next(), odd.next()) else {
            continue;
        };
        match graph.cut(one, other, limit) {
            None => {
                let joined: Vec<bool> = (0..graph.odd.len())
                    .map(|node| node == one || node == other)
                    .collect();
                open.push(graph.merged(&joined));
            }
            Some(side) => {
                let inside = side
                    .iter()
                    .zip(&graph.odd)
                    .filter(|(inside, odd)| **inside && **odd)
                    .count();
                if inside % 2 == 1 {
                    let names = graph.names.iter().zip(&side).filter(|(_, inside)| **inside);
                    let mut names: Vec<usize> =
                        names.flat_map(|(names, _)| names.iter().copied()).collect();
                    names.sort_unstable();
                    return Some(names);
                }
                open.push(graph.merged(&side));
                let rest: Vec<bool> = side.iter().map(|inside| !inside).collect();
                open.push(graph.merged(&rest));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
