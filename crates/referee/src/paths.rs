//! The price of the cheapest paths.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Demand, Goals, Interval};
use oneport_platform::{NodeId, PerLink, Rational};

use crate::Violation;
use crate::arithmetic::{fraction, parts};
use crate::case::Case;
use crate::only_way;
use crate::prices::{common_denominator, over};
use crate::shortest_paths::{Length, ShortestPaths};

/// The sum over the messages of an instance of the price of the cheapest path. `lengths` are the prices of a unit of
/// size by link.
pub(crate) fn cheapest_paths(
    case: &Case<'_>,
    lengths: &PerLink<(BigUint, BigUint)>,
) -> Result<Rational, Violation> {
    if let Some(messages) = only_way::messages(case)? {
        let priced = messages
            .into_iter()
            .zip(lengths)
            .filter(|(count, (price, _))| *count > 0 && !price.is_zero());
        let total: Rational = priced
            .map(|(count, (price, unit))| fraction(price * count, unit))
            .sum();
        return Ok(total * case.size(Interval::single(0)));
    }
    let (total, denominator) = total_length(case, lengths.clone())?;
    Ok(fraction(total, &denominator) * case.size(Interval::single(0)))
}

/// The sum over the commodities of the shortest distance under `cost * price`, as numerator and denominator.
fn total_length(
    case: &Case<'_>,
    lengths: PerLink<(BigUint, BigUint)>,
) -> Result<(BigUint, BigUint), Violation> {
    let Ok(denominator) = common_denominator(lengths.iter(), lengths.len()) else {
        return rational_total(case, lengths);
    };
    let scaled = lengths
        .into_iter()
        .map(|length| over(length, &denominator))
        .collect();
    Ok((integer_total(case, scaled)?, denominator))
}

/// Chooses the narrowest integers in which no path overflows: a path has fewer links than there are nodes.
fn integer_total(case: &Case<'_>, lengths: PerLink<BigUint>) -> Result<BigUint, Violation> {
    let longest = lengths.iter().map(BigUint::bits).max().unwrap_or(0);
    let bits = longest + u64::from(usize::BITS - case.platform.nodes().len().leading_zeros());
    if bits <= 64 {
        let narrow: PerLink<u64> = lengths.iter().filter_map(ToPrimitive::to_u64).collect();
        return sum_of_shortest(case, &narrow, BigUint::zero(), |total, &length| {
            *total += length
        });
    }
    if bits <= 128 {
        let narrow: PerLink<u128> = lengths.iter().filter_map(ToPrimitive::to_u128).collect();
        return sum_of_shortest(case, &narrow, BigUint::zero(), |total, &length| {
            *total += length
        });
    }
    sum_of_shortest(case, &lengths, BigUint::zero(), |total, length| {
        *total += length
    })
}

/// The total over rationals, for costs whose common denominator is too large.
fn rational_total(
    case: &Case<'_>,
    lengths: PerLink<(BigUint, BigUint)>,
) -> Result<(BigUint, BigUint), Violation> {
    let lengths: PerLink<Rational> = lengths.into_iter().map(|(n, d)| fraction(n, &d)).collect();
    let total = sum_of_shortest(case, &lengths, Rational::zero(), |total, length| {
        *total += length
    })?;
    let (numerator, denominator) = parts(&total);
    Ok((numerator.clone(), denominator.clone()))
}

/// Messages between two checks of the watch. Trades lateness after a limit for calls. Not measured.
const OFTEN: usize = 1 << 16;

/// Adds up the shortest distances of all commodities.
fn sum_of_shortest<T: Length, S>(
    case: &Case<'_>,
    lengths: &PerLink<T>,
    mut total: S,
    add: impl Fn(&mut S, &T),
) -> Result<S, Violation> {
    // The number of nodes that are such ends, and of runs of messages in which they come.
    let (mut seen, mut last) = (
        [case.platform.per_node(false), case.platform.per_node(false)],
        [None; 2],
    );
    let (mut count, mut runs) = ([0usize; 2], [0usize; 2]);
    for index in 0..case.demands() {
        if index % OFTEN == 0 {
            case.ask()?;
        }
        let Some(ends) = case.demand(index).and_then(|demand| ends(&demand)) else {
            continue;
        };
        for (end, node) in ends.into_iter().enumerate() {
            count[end] += usize::from(!std::mem::replace(&mut seen[end][node], true));
            runs[end] += usize::from(last[end].replace(node) != Some(node));
        }
    }
    // As few searches as possible: one from every source, or one to every target.
    let reversed = count[1] < count[0];
    let (root, end) = if reversed { (1, 0) } else { (0, 1) };
    let mut paths = ShortestPaths::new(case.platform, lengths, reversed);
    let mut search = |root: NodeId, ends: &[NodeId]| {
        case.ask()?;
        let mut is_end = case.platform.per_node(false);
        for end in ends.iter() {
            is_end[*end] = true;
        }
        paths.run(
            root,
            &is_end,
            is_end.iter().filter(|&&is_end| is_end).count(),
        );
        for &end in ends {
            let Some(distance) = paths.distance(end) else {
                let (from, target) = if reversed { (end, root) } else { (root, end) };
                return Err(case.unreachable(from, target));
            };
            add(&mut total, distance);
        }
        Ok(())
    };
    let pairs = (0..case.demands())
        .filter_map(|index| ends(&case.demand(index)?))
        .map(|ends| (ends[root], ends[end]));
    if runs[root] == count[root] {
        // The messages of a root follow each other, so no list of all of them is made.
        let mut known: Option<(NodeId, Vec<NodeId>)> = None;
        for (root, end) in pairs {
            match &mut known {
                Some((same, ends)) if *same == root => ends.push(end),
                _ => {
                    let before = known.replace((root, vec![end]));
                    before.map_or(Ok(()), |(root, ends)| search(root, &ends))?;
                }
            }
        }
        known.map_or(Ok(()), |(root, ends)| search(root, &ends))?;
        return Ok(total);
    }
    let mut by_root: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for (root, end) in pairs {
        by_root.entry(root).or_default().push(end);
    }
    for (root, ends) in by_root {
        search(root, &ends)?;
    }
    Ok(total)
}

/// The source and the target of a message that is not combined.
fn ends(demand: &Demand<'_>) -> Option<[NodeId; 2]> {
    match (demand.operands, demand.goals) {
        (&[source], Goals::At(target)) => Some([source, target]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::Prices;
    use num_traits::One;
    use oneport_plan::{Certificate, Collective, Resource, Volumes};
    use oneport_platform::ratio;
    use oneport_platform::{Node, Platform};

    /// Both kinds of numbers give the same lengths: 1/(prime) costs, so that every link has a different denominator.
    #[test]
    fn rational_and_integer_lengths_agree() {
        let mut builder = Platform::builder();
        let one = Rational::one();
        let ids: Vec<NodeId> = (0..6)
            .map(|i| {
                builder
                    .node(Node::processor(format!("n{i}"), one.clone()))
                    .unwrap()
            })
            .collect();
        let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        for (i, &prime) in primes.iter().enumerate() {
            let (from, to) = (ids[i % 6], ids[(i % 6 + 1 + i / 6) % 6]);
            builder.link(from, to, ratio(prime + 1, prime)).unwrap();
        }
        let platform = builder.build().unwrap();
        let collective = Collective::all_to_all(ids.clone());
        let volumes = Volumes::of_size(one.clone());
        let problem = oneport_plan::Problem::new(&platform, &collective, &volumes).unwrap();
        let case = Case::new(&problem).groups()[0].case;
        let prices = ids
            .iter()
            .map(|&id| (Resource::Send(id), one.clone()))
            .collect();
        let certificate = Certificate::of_prices(prices);
        let prices = Prices::new(&case, &certificate).unwrap();
        let (numerator, denominator) = total_length(&case, prices.lengths(&case)).unwrap();
        let lengths = platform
            .links()
            .iter()
            .map(|link| parts(&link.cost))
            .map(|(n, d)| (n.clone(), d.clone()))
            .collect();
        let (n, d) = rational_total(&case, lengths).unwrap();
        assert_eq!(fraction(numerator, &denominator), fraction(n, &d));
    }
}
