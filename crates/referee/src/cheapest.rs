//! The price of the cheapest reduction trees, and what schemes cost at least.
//!
//! A tree over intervals of operands (over sets of operands, if the operator is commutative) costs, for every partial
//! result, the path to the processor that needs it, and its merge. Let `C[S][j]` be the least price of having the
//! partial result `S` at processor `j`, and `M[S][i]` the least price of making it at `i`:
//!
//! - `M[S][i] = min over splits S = L + R of C[L][i] + C[R][i]`, `+ work(S) merge(i)`. A single operand is made free of
//!   charge at its owner. If work depends on the split and the processor, it is part of the minimum, and an impossible
//!   merge is left out.
//! - `C[S][j] = min over i of M[S][i] + size(S) distance(i, j)`. Sizes scale all links alike, so one all-pairs shortest
//!   path under unit size serves every `S`.
//!
//! No tree is cheaper than this, since these are the prices of its parts, and each value is one tree's. The numbers are
//! far longer than machine words if prices come from a linear program, and there are many of them (`n^3/6` splits
//! on every processor): see [`search`] for how the exact value is found nevertheless.
//!
//! A scheme contains a reduction tree for each of its goals: the tasks that the goal goes back to. No two of these
//! tasks make or move the same part. So it costs at least the most expensive of the cheapest trees to its goals.

mod arborescence;
mod many_operands;
mod parts;
mod priced;
mod rounded;
mod search;
mod simple;

use std::rc::Rc;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::inequality::Inequality;
use oneport_plan::{Amount, Kind};
use oneport_platform::{LinkId, NodeId, PerLink, PerNode};
use oneport_watch::Limit;

use crate::arithmetic::fraction;
use crate::case::{Case, Group};
use crate::needs::{Least, Needs, Proved};
use crate::prices::Prices;
use crate::violation::fault;
use crate::{Rule, Violation};
use parts::Parts;
use priced::Priced;
use search::TreeSearch;

/// Operands of a commutative operator up to which all subsets are enumerated on every platform. Trades time for
/// certainty. Not measured.
const SET_OPERANDS: usize = 12;
/// With more operands, machine operations up to which all subsets are enumerated. Trades time for certainty. Not
/// measured.
const SET_OPERATIONS: u128 = 1 << 29;
/// Fact: bytes of the lower bounds of a partial result at a processor, made there and brought there.
const STATE: u64 = 16;
/// Limit: partial results times processors, half a gigabyte of lower bounds.
const MAX_STATES: u128 = 1 << 25;
/// Machine operations if cuts bound all demands. Trades a tighter bound for time. Measured: about 70 operands, about 1
/// s.
const MAX_OPERATIONS: u128 = 1 << 24;

/// The sum over the demands of a collective that combines values of the price of the cheapest reduction tree, or of the
/// least that a scheme costs.
///
/// Trees are priced exactly, except for a commutative operator with too many sets of operands. Then they are exact for
/// equal volumes if every processor takes part (see [`arborescence`]), and a lower bound otherwise (see
/// [`many_operands`]), so that the proved bound still holds. Schemes are priced from below. The certificate's
/// inequalities count if they prove more. Of an all-reduce's transfers they alone count.
pub(crate) fn cheapest_combinations(
    group: &Group<'_>,
    prices: &Prices,
    needs: &Needs<'_>,
) -> Result<Least, Violation> {
    let below = simple::of_needs(group, prices, needs)?;
    let has = |of: fn(&Inequality) -> bool| {
        let any = |proved: &Proved| {
            proved
                .by_need
                .iter()
                .any(|(need, _)| needs.inequality(*need).is_some_and(of))
        };
        below.iter().flatten().any(|proved| any(proved))
    };
    let is_crossing = |one: &Inequality| {
        matches!(
            one,
            Inequality::Border(_) | Inequality::Gathering(_) | Inequality::Exchange(_)
        )
    };
    if below.iter().all(Option::is_some) && has(is_crossing) {
        return Ok(sum_of_needs(&below));
    }
    // Cheapest trees are left out if cuts replace them, and stay if the certificate's trees do.
    let cuts = !has(|one| matches!(one, Inequality::Tree(_)));
    let least = with_trees(group, prices, &below, cuts)?;
    if group.is_all_reduce() {
        let exchange = simple::exchange(&group.case, prices)?;
        if exchange > least.total() {
            return Ok(Least {
                cheapest: exchange,
                by_need: Vec::new(),
            });
        }
    }
    Ok(least)
}

/// The demands without inequalities count 0.
fn sum_of_needs(below: &[Option<Rc<Proved>>]) -> Least {
    let mut least = Least::default();
    for proved in below.iter().flatten() {
        least.add(proved, 1);
    }
    least
}

/// Per demand the larger of what inequalities prove and the cheapest trees.
fn with_trees(
    group: &Group<'_>,
    prices: &Prices,
    below: &[Option<Rc<Proved>>],
    cuts: bool,
) -> Result<Least, Violation> {
    let case = &group.case;
    let all_cut = cuts && below.iter().all(Option::is_some);
    let some_cut = cuts && below.iter().any(Option::is_some);
    let many = are_many(case);
    let trees = if all_cut && operations(case, many) > MAX_OPERATIONS {
        None
    } else {
        match priced_demands(case, prices, many) {
            Ok(trees) => Some(trees),
            Err(violation) if is_too_large(&violation) && all_cut => None,
            // The platform is too large to price reductions. Reductions without cuts count 0.
            Err(violation)
                if is_too_large(&violation) && group.kind == Kind::Combine && some_cut =>
            {
                None
            }
            Err(violation) if is_too_large(&violation) && group.kind != Kind::Combine => {
                let (way, needs) = (simple::longest_way(case, prices)?, sum_of_needs(below));
                let way = Least {
                    cheapest: way,
                    by_need: Vec::new(),
                };
                return Ok(if way.cheapest < needs.total() {
                    needs
                } else {
                    way
                });
            }
            Err(violation) => return Err(violation),
        }
    };
    let Some((trees, denominator)) = trees else {
        return Ok(sum_of_needs(below));
    };
    let mut least = Least::default();
    let mut cheapest = BigUint::zero();
    for (tree, proved) in trees.into_iter().zip(below) {
        match proved {
            Some(proved) if proved.total > fraction(tree.clone(), &denominator) => {
                least.add(proved, 1)
            }
            _ => cheapest += tree,
        }
    }
    least.cheapest = fraction(cheapest, &denominator);
    Ok(least)
}

/// Whether the tables have no room, in themselves or under the watch.
fn is_too_large(violation: &Violation) -> bool {
    matches!(
        violation.rule(),
        Rule::TooLarge | Rule::Stopped(Limit::Memory)
    )
}

/// Whether the operator is commutative and all sets of the operands are too many: `3^n` splits on every processor,
/// `2^n` sets to be brought from each to each.
fn are_many(case: &Case<'_>) -> bool {
    let operands = case.operands().len();
    case.is_commutative() && operands > SET_OPERANDS && operations(case, false) > SET_OPERATIONS
}

/// Machine operations of the exact method, roughly.
fn operations(case: &Case<'_>, many: bool) -> u128 {
    let (operands, processors) = (
        case.operands().len(),
        case.platform.mergers().count() as u128,
    );
    let n = operands as u128;
    let exponent = u32::try_from(operands).unwrap_or(u32::MAX);
    let (splits, parts) = if case.is_commutative() && !many {
        (
            3u128.saturating_pow(exponent),
            2u128.saturating_pow(exponent),
        )
    } else {
        (n * n * n / 6, n * n / 2)
    };
    splits
        .saturating_mul(processors)
        .saturating_add(parts.saturating_mul(processors.saturating_mul(processors)))
}

/// Per demand: the price of the most expensive of the cheapest trees to its goals, over a common denominator. A lower
/// bound if the operands are many.
fn priced_demands(
    case: &Case<'_>,
    prices: &Prices,
    many: bool,
) -> Result<(Vec<BigUint>, BigUint), Violation> {
    let operands = case.operands().len();
    // For many operands every owner counts for itself, and if work depends on the processor every processor.
    let lengths = prices.lengths(case);
    let by_task = matches!(case.volumes.work, Amount::Tasks(_));
    let stands_for = if many || by_task {
        case.platform.node_ids().collect()
    } else {
        free_groups(case, &lengths)
    };
    // Owners and receivers that do not merge are entries of their own.
    let mut processors: Vec<NodeId> = case
        .platform
        .mergers()
        .filter(|&node| stands_for[node] == node)
        .chain(case.bystanders())
        .collect();
    processors.sort_unstable();
    let sets = case.is_commutative() && !many;
    // Arborescences need no table of partial results.
    let are_streams = many && arborescence::is_for(case, processors.len());
    let states = if are_streams {
        operands as u128
    } else {
        Parts::count(operands, sets) * processors.len() as u128
    };
    if states > MAX_STATES {
        let (processors, limit) = (processors.len(), MAX_STATES);
        let states = format!("{states} partial results and places");
        let found = format!("{operands} operands on {processors} processors make {states}");
        return Err(fault!(TooLarge, "{found}"; "at most {limit} fit in memory"));
    }
    let bytes = u64::try_from(states).map_or(u64::MAX, |states| states.saturating_mul(STATE));
    case.room_for(if are_streams { 0 } else { bytes })?;
    let parts = if many {
        Parts::counted(operands)
    } else {
        Parts::new(operands, sets)
    };
    let priced = Priced::new(case, prices, processors, &stands_for, &parts)?;
    if are_streams {
        return Ok((arborescence::prices(case, &priced)?, priced.denominator));
    }
    let distances = priced.distances(case, &priced.lengths)?;
    // Per demand: operands `0..=last` at a processor.
    let goals = case.goals();
    let dearest = |price: &mut dyn FnMut(usize, usize) -> Option<BigUint>| -> Result<Vec<BigUint>, Violation> {
        let of_demand = |goals: &Vec<(usize, NodeId)>| {
            case.ask()?;
            let prices = goals.iter().filter_map(|&(last, target)| price(last, priced.index(target)));
            Ok(prices.max().unwrap_or_default())
        };
        goals.iter().map(of_demand).collect()
    };
    // With many operands the goals are whole results: only the goals of a scan are not, and a scan is not commutative.
    // And every owner reaches every target, so that there is a tree to each.
    let trees = if many {
        let bound = many_operands::LowerBound::new(case, &priced, &distances)?;
        dearest(&mut |_, target| Some(bound.price(target)))
    } else {
        let mut search = TreeSearch::new(*case, &priced, &distances, &parts);
        if let Some((target, whole)) = goals.iter().flatten().find_map(|&(last, target)| {
            (!search.is_possible(parts.prefix(last), priced.index(target)))
                .then_some((target, last))
        }) {
            case.ask()?;
            let found = format!(
                "no processors can make v[0,{whole}] and bring it to '{}'",
                case.name(target)
            );
            return Err(
                fault!(Unreachable, "{found}"; "the table of work must let some tree be carried out"),
            );
        }
        dearest(&mut |last, target| Some(search.price(parts.prefix(last), target)))
    }?;
    Ok((trees, priced.denominator))
}

/// Per node: the first processor that it reaches, and is reached from, over links of price 0. Itself if there is no
/// such processor. If one node of such a group has a value, all have it at the same price, so one represents them all:
/// prices on a few ports make even large platforms small.
fn free_groups(case: &Case<'_>, lengths: &PerLink<(BigUint, BigUint)>) -> PerNode<NodeId> {
    let platform = case.platform;
    let is_free = |link: LinkId| lengths[link].0.is_zero();
    let reached = |start: NodeId, forward: bool| {
        let mut reached = platform.per_node(false);
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                let links = if forward {
                    platform.outgoing(node)
                } else {
                    platform.incoming(node)
                };
                let end = |link: LinkId| {
                    if forward {
                        platform.link(link).to
                    } else {
                        platform.link(link).from
                    }
                };
                open.extend(
                    links
                        .iter()
                        .filter(|&&link| is_free(link))
                        .map(|&link| end(link)),
                );
            }
        }
        reached
    };
    let mut stands_for: PerNode<Option<NodeId>> = platform.per_node(None);
    for processor in platform.mergers() {
        if stands_for[processor].is_none() {
            let (to, from) = (reached(processor, true), reached(processor, false));
            let group = platform.mergers().filter(|node| to[*node] && from[*node]);
            for node in group {
                stands_for[node] = Some(processor);
            }
        }
    }
    platform
        .node_ids()
        .map(|node| stands_for[node].unwrap_or(node))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_plan::{Certificate, Collective, Resource, Volumes};
    use oneport_platform::ratio;
    use oneport_platform::{Node, Platform, Rational};
    use proptest::prelude::*;

    fn number(value: u8) -> Rational {
        ratio(value % 7 + 1, value / 7 % 5 + 1)
    }

    /// A one-way ring with chords: `bytes` are the costs. One in four is left out.
    fn platform(nodes: usize, bytes: &[u8]) -> Platform {
        let mut builder = Platform::builder();
        let ids: Vec<NodeId> = (0..nodes)
            .map(|i| {
                builder
                    .node(Node::processor(format!("n{i}"), number(bytes[i])))
                    .unwrap()
            })
            .collect();
        for i in 0..nodes {
            for j in (0..nodes).filter(|&j| j != i) {
                let byte = bytes[nodes + i * nodes + j];
                if j == (i + 1) % nodes || byte & 3 > 0 {
                    builder.link(ids[i], ids[j], number(byte)).unwrap();
                }
            }
        }
        builder.build().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        /// If cheapest trees are arborescences, these are as cheap as the best of all sets.
        #[test]
        fn arborescences_are_priced_exactly(
            nodes in 2usize..7,
            bytes in prop::collection::vec(any::<u8>(), 60),
            priced in prop::collection::vec(0u8..40, 18),
            volumes in prop::collection::vec(0u8..35, 2),
            scattered: bool,
            long: bool,
        ) {
            let platform = platform(nodes, &bytes);
            let participants: Vec<NodeId> = platform.node_ids().collect();
            let collective = if scattered { Collective::reduce_scatter(participants) } else { Collective::reduce(NodeId::new(nodes - 1), participants) };
            // Long numbers fit no machine integer.
            let unit = Rational::from_integer(num_bigint::BigInt::from(3).pow(if long { 90 } else { 0 }));
            let constant = |i: usize| Amount::Constant(number(volumes[i]) * &unit);
            let volumes = Volumes { size: constant(0), work: constant(1) };
            let problem = oneport_plan::Problem::new(&platform, &collective, &volumes).unwrap();
            let case = Case::new(&problem).groups()[0].case;
            let kinds = [Resource::Send, Resource::Receive, Resource::Compute];
            let resources = kinds.iter().flat_map(|kind| platform.node_ids().map(kind));
            let prices = resources.zip(&priced).filter(|(_, byte)| **byte > 9).map(|(r, byte)| (r, number(*byte)));
            let prices = Prices::new(&case, &Certificate::of_prices(prices.collect())).unwrap();
            let price = |many| {
                let (trees, denominator) = priced_demands(&case, &prices, many).unwrap();
                fraction(trees.into_iter().sum(), &denominator)
            };
            prop_assert_eq!(price(true), price(false));
        }

        /// The bound for many operands is a lower bound also if all sets can be tried.
        #[test]
        fn many_operands_are_priced_from_below(
            nodes in 2usize..7,
            bytes in prop::collection::vec(any::<u8>(), 60),
            priced in prop::collection::vec(0u8..40, 18),
            volumes in prop::collection::vec(0u8..35, 4),
            scattered: bool,
        ) {
            let platform = platform(nodes, &bytes);
            let participants: Vec<NodeId> = platform.node_ids().take(nodes.max(3) - 1).collect();
            prop_assume!(participants.len() > 1);
            let target = NodeId::new(nodes - 1);
            let collective = if scattered { Collective::reduce_scatter(participants) } else { Collective::reduce(target, participants) };
            let affine = |i: usize| Amount::Affine { fixed: number(volumes[i]), per_operand: number(volumes[i + 1]) };
            let volumes = Volumes { size: affine(0), work: affine(2) };
            let problem = oneport_plan::Problem::new(&platform, &collective, &volumes).unwrap();
            let case = Case::new(&problem).groups()[0].case;
            let kinds = [Resource::Send, Resource::Receive, Resource::Compute];
            let resources = kinds.iter().flat_map(|kind| platform.node_ids().map(kind));
            let prices = resources.zip(&priced).filter(|(_, byte)| **byte > 9).map(|(r, byte)| (r, number(*byte)));
            let prices = Prices::new(&case, &Certificate::of_prices(prices.collect())).unwrap();
            let price = |many| {
                let (trees, denominator) = priced_demands(&case, &prices, many).unwrap();
                fraction(trees.into_iter().sum(), &denominator)
            };
            let (below, exactly) = (price(true), price(false));
            prop_assert!(below <= exactly, "{below} {exactly}");
        }
    }
}
