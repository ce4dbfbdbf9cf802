//! The needs of a demand: inequalities over the tasks of its pattern. Each is a theorem. A file here has its data, its
//! coefficients and its sentence. A file of the same name in the referee has its conditions and its proof.
//!
//! A **column** is counted in a pattern: transfers between two nodes, merges at a processor, and (once) the node where
//! all operands are joined. An inequality states `sum of coefficient x times >= right side`.

mod balance;
mod counting;
mod cut;
mod exchange;
mod gathering;
mod merges;
mod tree;

use std::fmt;

use num_traits::{One, Zero};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};

use crate::Demand;

pub use balance::{Balance, Keeps};
pub use counting::Border;
pub use cut::Cut;
pub use exchange::Exchange;
pub use gathering::Gathering;
pub use merges::{Merges, Place};
pub use tree::Tree;

/// A thing that inequalities count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// Transfers from one node to another, over a link (for a copy, over a route through nodes that do not replicate).
    Transfer {
        /// Where they start.
        from: NodeId,
        /// Where they end.
        to: NodeId,
        /// The link. None for a route.
        link: Option<LinkId>,
    },
    /// Merges at a processor.
    Merge(NodeId),
    /// 1 at the processor that joins all operands, 0 elsewhere.
    Place(NodeId),
}

/// The meaning of a theorem, for programs and sentences. The referee reads the data by itself.
pub trait Statement {
    /// How often a column counts.
    fn coefficient(&self, column: Column) -> Rational;

    /// How often a transfer over each link counts, in the order of links: one [`coefficient`](Self::coefficient) each,
    /// or faster.
    fn of_links(&self, platform: &Platform) -> Vec<Rational> {
        let column = |id: LinkId| {
            let link = platform.link(id);
            Column::Transfer {
                from: link.from,
                to: link.to,
                link: Some(id),
            }
        };
        platform
            .link_ids()
            .map(|link| self.coefficient(column(link)))
            .collect()
    }

    /// The right side. `None` if it is a minimum that needs a search.
    fn right_side(&self, demand: &Demand<'_>) -> Option<Rational>;

    /// Whether an inequality of all demands is used for this one.
    fn concerns(&self, _: &Demand<'_>) -> bool {
        true
    }

    /// Subject, verb, numbers: "at least 2 transfers in all lead into {a, b}, {c}".
    fn sentence(&self, platform: &Platform) -> String;
}

/// One theorem about one demand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inequality {
    /// Something leaves a set.
    Cut(Cut),
    /// Sets are entered, or left, at least this number of times.
    Border(Border),
    /// Merges inside a set need transfers into it.
    Gathering(Gathering),
    /// A node sends on no more (no less) than it receives.
    Balance(Balance),
    /// Combining takes merges.
    Merges(Merges),
    /// All operands are joined at one node.
    Place(Place),
    /// Parts exchange over these lengths.
    Exchange(Exchange),
    /// A goal needs a reduction tree under these prices of tasks.
    Tree(Tree),
}

impl Inequality {
    /// Its meaning.
    pub fn statement(&self) -> &dyn Statement {
        match self {
            Inequality::Cut(one) => one,
            Inequality::Border(one) => one,
            Inequality::Gathering(one) => one,
            Inequality::Balance(one) => one,
            Inequality::Merges(one) => one,
            Inequality::Place(one) => one,
            Inequality::Exchange(one) => one,
            Inequality::Tree(one) => one,
        }
    }

    /// The tag in files.
    pub fn name(&self) -> &'static str {
        match self {
            Inequality::Cut(_) => "cut",
            Inequality::Border(_) => "border",
            Inequality::Gathering(_) => "gathering",
            Inequality::Balance(_) => "balance",
            Inequality::Merges(_) => "merges",
            Inequality::Place(_) => "place",
            Inequality::Exchange(_) => "exchange",
            Inequality::Tree(_) => "tree",
        }
    }
}

/// An inequality of a certificate and its weight.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// Index of the demand. `None` for a cut that is used for every demand which crosses it, and for the merges of
    /// every demand which combines.
    pub demand: Option<usize>,
    /// The inequality.
    pub inequality: Inequality,
    /// The charge for one unit of it. Positive.
    pub weight: Rational,
}

impl Need {
    /// An inequality of weight 1.
    pub fn once(demand: Option<usize>, inequality: Inequality) -> Need {
        Need {
            demand,
            inequality,
            weight: Rational::one(),
        }
    }
}

/// Whether transfers are counted that enter sets of nodes, or that leave them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Transfers from outside a set to a node inside.
    Into,
    /// Transfers from a node inside a set to one outside.
    OutOf,
}

impl Direction {
    /// "into" or "out of".
    pub fn name(self) -> &'static str {
        match self {
            Direction::Into => "into",
            Direction::OutOf => "out of",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn integer(value: impl Into<num_bigint::BigInt>) -> Rational {
    whole(value)
}

fn has(nodes: &[NodeId], node: NodeId) -> bool {
    nodes.binary_search(&node).is_ok()
}

fn none() -> Rational {
    Rational::zero()
}

/// Shown: characters of a list in a sentence before the rest is left out: a sentence fits a line of a terminal.
const ROOM: usize = 60;

fn listed(names: impl Iterator<Item = String>, room: usize) -> String {
    let mut text = String::new();
    for name in names {
        if text.len() > room {
            return text + ", ...";
        }
        text += if text.is_empty() { "" } else { ", " };
        text += &name;
    }
    text
}

fn set_within(platform: &Platform, nodes: &[NodeId], room: usize) -> String {
    format!(
        "{{{}}}",
        listed(
            nodes.iter().map(|&node| platform.name(node).to_string()),
            room
        )
    )
}

fn set(platform: &Platform, nodes: &[NodeId]) -> String {
    set_within(platform, nodes, ROOM)
}

/// The sets one by one: `{a}, {b, c}`. More than two single nodes are written `a, b, c`.
fn family(platform: &Platform, sets: &[Vec<NodeId>]) -> String {
    if sets.len() > 2 && sets.iter().all(|set| set.len() == 1) {
        let names = sets.iter().flatten().map(|&node| platform.name(node));
        return listed(names.map(str::to_string), ROOM);
    }
    listed(
        sets.iter().map(|one| set_within(platform, one, ROOM / 2)),
        ROOM,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Goals;
    use oneport_platform::Node;

    fn ring(names: usize) -> Platform {
        let mut builder = Platform::builder();
        let one = Rational::one();
        let node = |name: usize| Node::processor(format!("n{name}"), one.clone());
        let ids: Vec<NodeId> = (0..names)
            .map(|name| builder.node(node(name)).unwrap())
            .collect();
        for at in 0..names {
            _ = builder
                .link(ids[at], ids[(at + 1) % names], one.clone())
                .unwrap()
        }
        builder.build().unwrap()
    }

    /// Every partition of a ring is entered by as many links as it has sets, and by more transfers than that.
    #[test]
    fn coefficients_count_what_the_sets_say() {
        let platform = ring(6);
        let nodes: Vec<NodeId> = platform.node_ids().collect();
        let demand = Demand {
            operands: &nodes,
            goals: Goals::Everywhere(&nodes),
            commutative: true,
        };
        for cut in 1..5 {
            let sets = vec![nodes[..cut].to_vec(), nodes[cut..].to_vec()];
            for direction in [Direction::Into, Direction::OutOf] {
                let border = Border {
                    direction,
                    sets: sets.clone(),
                };
                let times = |link: LinkId| {
                    let ends = platform.link(link);
                    border.coefficient(Column::Transfer {
                        from: ends.from,
                        to: ends.to,
                        link: Some(link),
                    })
                };
                let all: Vec<Rational> = platform.link_ids().map(times).collect();
                assert_eq!(all.iter().sum::<Rational>(), integer(2));
                assert_eq!(border.of_links(&platform), all, "{border:?}");
                assert_eq!(border.right_side(&demand), Some(integer(2)));
            }
            let gathering = Gathering {
                nodes: sets[0].clone(),
            };
            assert_eq!(gathering.right_side(&demand), Some(integer(2 - cut as i64)));
            assert_eq!(gathering.coefficient(Column::Merge(nodes[0])), integer(-1));
            assert_eq!(gathering.coefficient(Column::Merge(nodes[5])), none());
        }
    }

    #[test]
    fn sentences_fit_a_line() {
        let platform = ring(40);
        let nodes: Vec<NodeId> = platform.node_ids().collect();
        let border = |sets| {
            Border {
                direction: Direction::Into,
                sets,
            }
            .sentence(&platform)
        };
        let pair = border(vec![nodes[..1].to_vec(), nodes[1..3].to_vec()]);
        assert_eq!(pair, "at least 2 transfers in all lead into {n0}, {n1, n2}");
        assert_eq!(
            border(vec![nodes[..2].to_vec()]),
            "at least 1 transfer leads into {n0, n1}"
        );
        let single = |count: usize| nodes[..count].iter().map(|&node| vec![node]).collect();
        assert_eq!(
            border(single(3)),
            "at least 4 transfers in all lead into n0, n1, n2"
        );
        let halves = border(vec![nodes[..20].to_vec(), nodes[20..].to_vec()]);
        for long in [
            border(single(40)),
            border(nodes.chunks(13).map(<[NodeId]>::to_vec).collect()),
            halves,
        ] {
            assert!(long.len() < 140 && long.contains(", ..."), "{long}");
        }
    }
}
