//! One demand of one instance as a game: facts, tasks that make them, initial facts and goals.

use std::collections::BTreeMap;

use oneport_plan::{Demand, Interval, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

/// A set of operands, one bit each.
pub type Part = u32;

/// "This combination of operands is at this node."
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// Number of operands combined: facts are numbered by it first.
    pub operands: u32,
    /// Which operands.
    pub part: Part,
    /// The node.
    pub node: NodeId,
}

/// The resource that a task occupies, and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carrier {
    /// A link, for a transfer.
    Link(LinkId),
    /// A processor, for a merge.
    Compute(NodeId),
}

/// One possible action: it makes its output from its inputs, which must be available.
#[derive(Debug, Clone)]
pub struct Move {
    /// Facts by number: one for a transfer, two for a merge.
    pub inputs: Vec<u16>,
    /// The fact made.
    pub output: u16,
    /// The resource.
    pub carrier: Carrier,
    /// Time units that it takes.
    pub time: Rational,
}

/// One demand as a game: derive the goals from the initial facts.
#[derive(Debug, Clone)]
pub struct Game {
    /// Every fact that may be of use, ascending: by number of operands, then part, then node.
    pub facts: Vec<Fact>,
    /// Everything that can be done.
    pub moves: Vec<Move>,
    /// The moves that make a fact, by fact.
    pub makers: Vec<Vec<u32>>,
    /// The moves that need a fact, by fact.
    pub users: Vec<Vec<u32>>,
    /// Whether a fact may be used any number of times, because its node replicates.
    pub copies: Vec<bool>,
    /// The operands at their owners.
    pub start: Vec<u16>,
    /// Goals that are not initial facts.
    pub goals: Vec<u16>,
}

impl Game {
    /// The game of a demand. `None` if it has more operands or facts than a search can handle.
    pub fn new(platform: &Platform, demand: &Demand<'_>, volumes: &Volumes) -> Option<Game> {
        let operands = demand.operands.len();
        if operands > 6 {
            return None;
        }
        let parts: Vec<Part> = (1..1 << operands)
            .filter(|&part| demand.commutative || is_interval(part))
            .collect();
        let fact = |part: Part, node| Fact {
            operands: part.count_ones(),
            part,
            node,
        };
        let mut facts: Vec<Fact> = parts
            .iter()
            .flat_map(|&part| platform.node_ids().map(move |node| fact(part, node)))
            .collect();
        facts.sort_unstable();
        let number: BTreeMap<Fact, u16> = facts
            .iter()
            .zip(0..)
            .map(|(&fact, number)| (fact, number))
            .collect();
        let number_of = |part: Part, node: NodeId| number[&fact(part, node)];
        let mut moves = transfers(platform, &parts, volumes, &number_of);
        moves.extend(merges(
            platform,
            &parts,
            demand.commutative,
            volumes,
            &number_of,
        ));
        let (mut makers, mut users) =
            (vec![Vec::new(); facts.len()], vec![Vec::new(); facts.len()]);
        for (one, number) in moves.iter().zip(0..) {
            makers[usize::from(one.output)].push(number);
            for &input in one.inputs.iter() {
                users[usize::from(input)].push(number);
            }
        }
        let copies = facts
            .iter()
            .map(|fact| platform.node(fact.node).replicates)
            .collect();
        let start: Vec<u16> = demand
            .operands
            .iter()
            .enumerate()
            .map(|(i, &owner)| number_of(1 << i, owner))
            .collect();
        let goal = |(node, wanted): (NodeId, Interval)| number_of(mask(wanted), node);
        let goals = demand
            .goals()
            .into_iter()
            .map(goal)
            .filter(|goal| !start.contains(goal))
            .collect();
        Some(Game {
            facts,
            moves,
            makers,
            users,
            copies,
            start,
            goals,
        })
    }
}

/// Every link carries every part.
fn transfers(
    platform: &Platform,
    parts: &[Part],
    volumes: &Volumes,
    at: &impl Fn(Part, NodeId) -> u16,
) -> Vec<Move> {
    let mut moves = Vec::new();
    for link in platform.link_ids() {
        let ends = platform.link(link);
        for &part in parts {
            let time = volumes.size.of(interval(part)).unwrap_or_default() * &ends.cost;
            let (inputs, output) = (vec![at(part, ends.from)], at(part, ends.to));
            moves.push(Move {
                inputs,
                output,
                carrier: Carrier::Link(link),
                time,
            });
        }
    }
    moves
}

/// Every node that merges combines any two parts without a common operand. They must be neighbours if the order
/// matters.
fn merges(
    platform: &Platform,
    parts: &[Part],
    commutative: bool,
    volumes: &Volumes,
    at: &impl Fn(Part, NodeId) -> u16,
) -> Vec<Move> {
    let mut moves = Vec::new();
    for node in platform.mergers() {
        let Some(compute) = platform.node(node).merge_time() else {
            continue;
        };
        for &one in parts {
            for &other in parts.iter().filter(|&&other| one & other == 0) {
                // Each pair once: the one with the lower first operand is the left one.
                let ordered = one.trailing_zeros() < other.trailing_zeros();
                if ordered && (commutative || is_interval(one | other)) {
                    let whole = one | other;
                    let time = volumes.work.of(interval(whole)).unwrap_or_default() * compute;
                    let (inputs, output) = (vec![at(one, node), at(other, node)], at(whole, node));
                    moves.push(Move {
                        inputs,
                        output,
                        carrier: Carrier::Compute(node),
                        time,
                    });
                }
            }
        }
    }
    moves
}

/// Whether the operands are consecutive.
fn is_interval(part: Part) -> bool {
    let shifted = part >> part.trailing_zeros();
    shifted & (shifted + 1) == 0
}

/// The operands of an interval.
fn mask(interval: Interval) -> Part {
    (interval.first..=interval.last)
        .map(|operand| 1 << operand)
        .sum()
}

/// The interval whose amounts apply. If a part is not an interval, its amounts depend on the number of operands only.
fn interval(part: Part) -> Interval {
    if is_interval(part) {
        let first = part.trailing_zeros() as usize;
        return Interval {
            first,
            last: first + part.count_ones() as usize - 1,
        };
    }
    Interval {
        first: 0,
        last: part.count_ones() as usize - 1,
    }
}
