//! Trees for one atomic broadcast, by the greedy heuristics that RR-2004-32 cites for heterogeneous networks (Bhat,
//! Raghavendra and Prasanna 1999; Banikazemi, Moorthy and Panda 1998), here one message after another without a break.
//!
//! Every node sends to one other at a time. A step chooses a node that has the message and one that has not. Both are
//! ready for the next transfer when this one is over. `c(i, j)` is the time of the cheapest route, `r(i)` the date from
//! which `i` may send:
//!
//! | heuristic | chooses the receiver | and the sender |
//! |---|---|---|
//! | fastest node first | of the smallest average `c(j, k)` over all `k` | of the smallest `r(i) + c(i, j)` |
//! | fastest edge first | and the sender of the smallest `c(i, j)` | |
//! | earliest completing edge first | and the sender of the smallest `r(i) + c(i, j)` | |
//!
//! Ties go to the smaller rank, of the sender first.

use num_traits::Zero;
use oneport_plan::{Form, Problem, Rational};
use oneport_platform::whole;

use crate::catalogue::{Maker, ranks};
use crate::{Algorithm, Routes, Tree};

/// Ranks. A step looks at all pairs. Trades an algorithm in the comparison for time. Measured: all algorithms of a
/// broadcast on a complete graph of 64 nodes 1.3 s of CPU.
const MOST: usize = 64;

/// The trees of the heuristics for a broadcast among at most 64 nodes; None for other collectives, or if a node cannot
/// be reached. `O(ranks^3)`.
pub fn atomic(problem: &Problem, routes: &Routes) -> Vec<Algorithm> {
    if !problem.collective().is(Form::BROADCAST) || ranks(problem).len() > MOST {
        return Vec::new();
    }
    let costs = costs(problem, routes);
    let maker = Maker::new(problem);
    let rules: [(&str, &str, Rule); 3] = [
        (
            "fastest node first",
            "to the node with the fastest sends next, from who serves it first",
            Rule::Node,
        ),
        (
            "fastest edge first",
            "over the fastest link to a node without the message",
            Rule::Edge,
        ),
        (
            "earliest completing edge first",
            "to the node that can have the message next",
            Rule::Completion,
        ),
    ];
    let made =
        |(name, about, rule): (&str, &str, Rule)| maker.tree(name, about, &[grown(&costs, rule)?]);
    rules.into_iter().filter_map(made).collect()
}

/// Which transfer comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Node,
    Edge,
    Completion,
}

/// `c(i, j)` by ranks. `None` if no route leads.
fn costs(problem: &Problem, routes: &Routes) -> Vec<Vec<Option<Rational>>> {
    let (platform, ranks) = (problem.platform(), ranks(problem));
    let cost = |from, to| -> Option<Rational> {
        let path = routes.path(from, to)?;
        Some(path.into_iter().map(|link| &platform.link(link).cost).sum())
    };
    ranks
        .iter()
        .map(|&from| ranks.iter().map(|&to| cost(from, to)).collect())
        .collect()
}

/// The tree out of rank 0. Children in the order in which they are served. `None` if some rank has no route.
fn grown(costs: &[Vec<Option<Rational>>], rule: Rule) -> Option<Tree> {
    let count = costs.len();
    let mut ready: Vec<Option<Rational>> = vec![None; count];
    *ready.first_mut()? = Some(Rational::zero());
    let mut edges = Vec::with_capacity(count);
    while edges.len() + 1 < count {
        let receivers: Vec<usize> = match rule {
            Rule::Node => vec![fastest(costs, &ready)?],
            Rule::Edge | Rule::Completion => {
                (0..count).filter(|&rank| ready[rank].is_none()).collect()
            }
        };
        let pairs = (0..count).flat_map(|from| receivers.iter().map(move |&to| (from, to)));
        let served = pairs.filter_map(|(from, to)| {
            let (date, cost) = (ready[from].as_ref()?, costs[from][to].as_ref()?);
            let key = if rule == Rule::Edge {
                cost.clone()
            } else {
                date + cost
            };
            Some((key, from, to, date + cost))
        });
        let (_, from, to, over) = served.min()?;
        ready[from] = Some(over.clone());
        ready[to] = Some(over);
        edges.push((from, to));
    }
    Tree::of_edges(count, &edges).ok()
}

/// The rank without the message whose sends take the least time on average. A rank that sends to no other comes last.
fn fastest(costs: &[Vec<Option<Rational>>], ready: &[Option<Rational>]) -> Option<usize> {
    let average = |rank: usize| {
        let sends: Vec<&Rational> = (0..costs.len())
            .filter(|&to| to != rank)
            .filter_map(|to| costs[rank][to].as_ref())
            .collect();
        let total: Rational = sends.iter().copied().sum();
        let count = sends.len() as u64;
        (count == 0, total / whole(count.max(1)))
    };
    let without = (0..costs.len()).filter(|&rank| ready[rank].is_none());
    without
        .map(|rank| (average(rank), rank))
        .min()
        .map(|(_, rank)| rank)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix(count: usize, cost: impl Fn(usize, usize) -> u32) -> Vec<Vec<Option<Rational>>> {
        (0..count)
            .map(|from| (0..count).map(|to| Some(whole(cost(from, to)))).collect())
            .collect()
    }

    /// When the last rank has the message, if every rank serves its children in order.
    fn length(tree: &Tree, costs: &[Vec<Option<Rational>>]) -> Rational {
        let mut has = vec![Rational::zero(); tree.ranks()];
        let mut free = has.clone();
        for parent in tree.downwards() {
            free[parent] = free[parent].clone().max(has[parent].clone());
            for (_, _, child) in tree
                .edges()
                .into_iter()
                .filter(|(_, from, _)| *from == parent)
            {
                free[parent] += costs[parent][child].as_ref().unwrap();
                has[child] = free[parent].clone();
            }
        }
        has.into_iter().max().unwrap()
    }

    /// The cheapest spanning tree, over all choices of parents.
    fn cheapest(costs: &[Vec<Option<Rational>>]) -> Rational {
        let count = costs.len();
        let mut best = None;
        for code in 0..count.pow(count as u32 - 1) {
            let parent = |rank: usize| code / count.pow(rank as u32 - 1) % count;
            let rooted = (1..count).all(|rank| {
                let mut at = rank;
                (0..count).any(|_| {
                    at = if at == 0 { 0 } else { parent(at) };
                    at == 0
                })
            });
            if rooted {
                let cost: Rational = (1..count)
                    .map(|rank| costs[parent(rank)][rank].clone().unwrap())
                    .sum();
                best = Some(best.map_or(cost.clone(), |best: Rational| best.min(cost)));
            }
        }
        best.unwrap()
    }

    proptest! {
        /// If costs are equal in both directions, the fastest edges out of the reached set are Prim's.
        #[test]
        fn fastest_edges_make_a_cheapest_tree(drawn in prop::collection::vec(1_u32..20, 10)) {
            let pair = |low: usize, high: usize| drawn[high * (high - 1) / 2 + low];
            let costs = matrix(5, |from, to| if from == to { 0 } else { pair(from.min(to), from.max(to)) });
            let tree = grown(&costs, Rule::Edge).unwrap();
            let cost: Rational = tree.edges().into_iter()
                .map(|(_, from, to)| costs[from][to].clone().unwrap())
                .sum();
            prop_assert_eq!(cost, cheapest(&costs));
        }

        /// If costs depend on the sender alone, nodes are served in the order of their times, each by the node that can
        /// finish sending to it first.
        #[test]
        fn where_senders_alone_count_nodes_are_served_in_order(times in prop::collection::vec(1_u32..9, 2..9)) {
            let costs = matrix(times.len(), |from, _| times[from]);
            let tree = grown(&costs, Rule::Node).unwrap();
            let mut others = times[1..].to_vec();
            others.sort_unstable();
            // Per node with the message: the end of its next transfer, and the duration of one.
            let mut holders = vec![(times[0], times[0])];
            let mut last = 0;
            for time in others {
                let rank = (0..holders.len()).min_by_key(|&rank| holders[rank].0).unwrap();
                last = holders[rank].0;
                holders[rank].0 += holders[rank].1;
                holders.push((last + time, time));
            }
            prop_assert_eq!(length(&tree, &costs), whole(last));
        }
    }

    /// With equal costs, each round doubles the number of nodes with the message.
    #[test]
    fn equal_costs_take_a_logarithm_of_rounds() {
        for count in 2..20_usize {
            let costs = matrix(count, |_, _| 3);
            for rule in [Rule::Node, Rule::Completion] {
                let rounds = count.next_power_of_two().trailing_zeros();
                assert_eq!(
                    length(&grown(&costs, rule).unwrap(), &costs),
                    whole(3 * rounds),
                    "{count} {rule:?}"
                );
            }
        }
    }

    #[test]
    fn a_place_without_a_route_has_no_tree() {
        let mut costs = matrix(3, |_, _| 1);
        for row in costs.iter_mut() {
            row[2] = None;
        }
        assert!(
            [Rule::Node, Rule::Edge, Rule::Completion]
                .into_iter()
                .all(|rule| grown(&costs, rule).is_none())
        );
    }
}
