//! Random problems, small enough for naive oracles and hard enough to mislead: one-way links, routers, unrelated costs,
//! participants in any order, unreachable targets.

#![allow(dead_code)] // Every test file uses a part of this.

pub mod brute;
pub mod naive;

pub use oneport_testkit::ratio;
use std::fmt;

use num_traits::{One, Zero};
use oneport_lp::{Formulation, LpError, Options, Question, Solution, solve};
use oneport_plan::{Collective, Problem, ProblemError, Volumes};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A platform with a collective, printed in a user's notation.
#[derive(Clone)]
pub struct Case {
    pub platform: Platform,
    pub collective: Collective,
    pub size: Rational,
}

impl Case {
    /// The size as volumes.
    pub fn volumes(&self) -> Volumes {
        Volumes::of_size(self.size.clone())
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |id: &NodeId| self.platform.name(*id).to_string();
        let names = |ids: &[NodeId]| ids.iter().map(name).collect::<Vec<_>>().join(",");
        write!(f, "{}", self.collective.name())?;
        for nodes in self.collective.cast() {
            write!(f, " {}", names(nodes))?;
        }
        write!(f, ", size {}; routers:", self.size)?;
        for id in self
            .platform
            .node_ids()
            .filter(|&id| !self.platform.node(id).is_processor())
        {
            write!(f, " {}", name(&id))?;
        }
        for id in self.platform.link_ids() {
            write!(
                f,
                "; {} {}",
                self.platform.link_name(id),
                self.platform.link(id).cost
            )?;
        }
        Ok(())
    }
}

/// The values that shrink: everything by index.
#[derive(Debug, Clone)]
pub struct Raw {
    nodes: usize,
    ring: bool,
    /// `from`, `to`, numerator and denominator of the cost. Doubles and loops are skipped.
    links: Vec<(usize, usize, i64, i64)>,
    kind: usize,
    /// Nodes in the order in which they are chosen as participants.
    order: Vec<usize>,
    participants: usize,
    /// Divides the costs at the first participant: the others become the bottleneck, and messages take several paths.
    speed_up: i64,
    size: (i64, i64),
}

impl Raw {
    fn case(&self) -> Case {
        let members: Vec<usize> = self
            .order
            .iter()
            .copied()
            .filter(|&node| node < self.nodes)
            .take(self.participants.max(2))
            .collect();
        let mut builder = Platform::builder();
        for node in 0..self.nodes {
            let name = format!("n{node}");
            // Bystanders are routers as often as not.
            let router = !members.contains(&node) && node % 2 == 0;
            builder
                .node(if router {
                    Node::router(name)
                } else {
                    Node::processor(name, Rational::one())
                })
                .unwrap();
        }
        let around = (0..self.nodes)
            .filter(|_| self.ring)
            .map(|i| (i, (i + 1) % self.nodes, 1 + i as i64 % 3, 1));
        for (from, to, numerator, denominator) in self.links.iter().copied().chain(around) {
            if from < self.nodes && to < self.nodes {
                // A loop or a second link is refused, as intended.
                let speed_up = if from == members[0] || to == members[0] {
                    self.speed_up
                } else {
                    1
                };
                let _ = builder.link(
                    NodeId::new(from),
                    NodeId::new(to),
                    ratio(numerator, denominator * speed_up),
                );
            }
        }
        let members: Vec<NodeId> = members.into_iter().map(NodeId::new).collect();
        let (first, rest) = (members[0], members[1..].to_vec());
        let collective = match self.kind {
            0 => Collective::scatter(first, rest),
            1 => Collective::gather(first, rest),
            _ => Collective::all_to_all(members),
        };
        Case {
            platform: builder.build().unwrap(),
            collective,
            size: ratio(self.size.0, self.size.1),
        }
    }
}

/// Problems on 2 to `nodes` nodes with at most `links` links and, in most of them, a one-way ring.
pub fn cases(nodes: usize, links: usize) -> impl Strategy<Value = Case> {
    // Few different costs lead to ties and small periods, many to neither.
    let costs =
        |p: i64, q: i64| prop::collection::vec((0..nodes, 0..nodes, 1..=p, 1..=q), 0..=links);
    let links = prop_oneof![costs(3, 1), costs(12, 1), costs(12, 7)];
    let order = Just((0..nodes).collect::<Vec<_>>()).prop_shuffle();
    let raw = (
        2..=nodes,
        prop::bool::weighted(0.8),
        links,
        0..3usize,
        order,
        2..=nodes,
        prop_oneof![Just(1i64), 2..=8i64],
        (1..=5i64, 1..=3i64),
    );
    raw.prop_map(
        |(nodes, ring, links, kind, order, participants, speed_up, size)| {
            Raw {
                nodes,
                ring,
                links,
                kind,
                order,
                participants,
                speed_up,
                size,
            }
            .case()
        },
    )
}

/// Cases in which every message can arrive.
pub fn connected_cases(nodes: usize, links: usize) -> impl Strategy<Value = Case> {
    cases(nodes, links).prop_filter("reachable", |case| {
        case.collective
            .commodities()
            .iter()
            .all(|c| !simple_paths(&case.platform, c.source, c.target).is_empty())
    })
}

/// One connected case, equal in every run.
pub fn sample() -> Case {
    let mut runner = TestRunner::deterministic();
    connected_cases(4, 6)
        .new_tree(&mut runner)
        .unwrap()
        .current()
}

pub fn answer(case: &Case, formulation: Formulation) -> Result<Solution, LpError> {
    let problem = Problem::new(&case.platform, &case.collective, case.volumes()).unwrap();
    solve(&Question::new(&problem), &Options::from(formulation))
}

/// The optimal solution of a problem that has one.
#[track_caller]
pub fn solution(case: &Case, formulation: Formulation) -> Solution {
    match answer(case, formulation) {
        Ok(solution) => solution,
        other => panic!("{case:?}: {other:?}"),
    }
}

/// The optimal throughput. 0 if a message cannot arrive.
#[track_caller]
pub fn throughput(case: &Case) -> Rational {
    match Problem::new(&case.platform, &case.collective, case.volumes()) {
        Err(ProblemError::Unreachable { .. }) => Rational::zero(),
        _ => solution(case, Formulation::Columns).steady_state.throughput,
    }
}

/// Every simple path, by enumeration.
pub fn simple_paths(platform: &Platform, source: NodeId, target: NodeId) -> Vec<Vec<LinkId>> {
    fn extend(
        platform: &Platform,
        target: NodeId,
        nodes: &mut Vec<NodeId>,
        links: &mut Vec<LinkId>,
        found: &mut Vec<Vec<LinkId>>,
    ) {
        let at = nodes[nodes.len() - 1];
        if at == target {
            found.push(links.clone());
            return;
        }
        for link in platform.link_ids() {
            let (from, to) = (platform.link(link).from, platform.link(link).to);
            if from == at && !nodes.contains(&to) {
                nodes.push(to);
                links.push(link);
                extend(platform, target, nodes, links, found);
                nodes.pop();
                links.pop();
            }
        }
    }
    let mut found = Vec::new();
    extend(
        platform,
        target,
        &mut vec![source],
        &mut Vec::new(),
        &mut found,
    );
    found
}

/// The platform built again with other links: `(from, to, cost)`.
pub fn relinked(
    platform: &Platform,
    links: impl IntoIterator<Item = (NodeId, NodeId, Rational)>,
) -> Platform {
    let mut builder = Platform::builder();
    for node in platform.nodes() {
        builder.node(node.clone()).unwrap();
    }
    for (from, to, cost) in links {
        builder.link(from, to, cost).unwrap();
    }
    builder.build().unwrap()
}

/// Every link turned round.
pub fn reversed(platform: &Platform) -> Platform {
    relinked(
        platform,
        platform
            .links()
            .iter()
            .map(|link| (link.to, link.from, link.cost.clone())),
    )
}
