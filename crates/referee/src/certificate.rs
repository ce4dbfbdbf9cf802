//! What a list of prices proves.
//!
//! In a schedule of throughput `TP`, the instances of one time unit occupy resource `r` for at most 1, so the
//! priced time is at most `sum_r pi_r`. Each commodity of each instance travels some path from its source to
//! its target and so costs at least the shortest path under `pi`: `TP * sum_k shortest_k <= sum_r pi_r`.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Certificate, Collective, Resource};
use oneport_platform::{NodeId, Platform, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, least_common_multiple, parts};
use crate::case::Case;
use crate::shortest_paths::{Length, ShortestPaths};

/// Lengths over one denominator may take this many bits together; beyond, each link keeps its own denominator.
const MAX_SCALED_BITS: u64 = 1 << 30;

/// The throughput, in instances per unit of time, that no schedule exceeds: the sum of the prices (every
/// resource has capacity 1) over the sum of the commodities' shortest paths, exactly.
///
/// One run of Dijkstra's algorithm per source (per target for a gather), in machine integers where the scaled
/// prices fit and in big integers otherwise: O(sources (nodes + links) log nodes) operations on numbers of about
/// the length of the prices' common denominator.
///
/// # Errors
/// Prices that are not positive, not sorted by resource or on nodes that do not exist; a commodity without any
/// path; prices under which every path is free, which prove nothing; an ill-posed question.
pub fn bound(
    platform: &Platform,
    collective: &Collective,
    size: &Rational,
    certificate: &Certificate,
) -> Result<Rational, Violation> {
    let case = Case::new(platform, collective, size)?;
    let prices = Prices::new(&case, certificate)?;
    // lengths = cost * price * price denominator; size and denominators come back at the end.
    let (total, denominator) = total_length(&case, &prices)?;
    if total.is_zero() {
        return Err(Violation::NoBound { prices: certificate.prices.len() });
    }
    let (size_numerator, size_denominator) = parts(size);
    Ok(fraction(prices.sum * denominator * size_denominator, &(total * size_numerator)))
}

/// Prices as integers, all times the same factor: the bound does not change.
struct Prices {
    send: Vec<BigUint>,
    receive: Vec<BigUint>,
    sum: BigUint,
}

impl Prices {
    fn new(case: &Case<'_>, certificate: &Certificate) -> Result<Prices, Violation> {
        let nodes = case.platform.nodes().len();
        let mut previous: Option<Resource> = None;
        for (resource, price) in &certificate.prices {
            let (kind, id) = (resource.kind(), resource.node());
            if id.index() >= nodes {
                return Err(Violation::UnknownPricedNode { kind, id: id.index(), nodes });
            }
            if !is_positive(price) {
                return Err(Violation::BadPrice { kind, node: case.name(id), found: Box::new(price.clone()) });
            }
            if let Some(previous) = previous.filter(|previous| previous >= resource) {
                return Err(Violation::PriceOrder {
                    kind,
                    node: case.name(id),
                    previous_kind: previous.kind(),
                    previous_node: case.name(previous.node()),
                });
            }
            previous = Some(*resource);
        }
        let values = certificate.prices.iter().map(|(_, price)| price);
        let scale = Scale::new("the prices", values, certificate.prices.len() + case.platform.links().len())?;
        let mut prices =
            Prices { send: vec![BigUint::zero(); nodes], receive: vec![BigUint::zero(); nodes], sum: BigUint::zero() };
        for (resource, price) in &certificate.prices {
            let price = scale.scaled(price);
            prices.sum += &price;
            match resource {
                Resource::Send(node) => prices.send[node.index()] = price,
                Resource::Receive(node) => prices.receive[node.index()] = price,
            }
        }
        Ok(prices)
    }
}

/// The sum over the commodities of the shortest distance under `cost * price`, as numerator and denominator.
fn total_length(case: &Case<'_>, prices: &Prices) -> Result<(BigUint, BigUint), Violation> {
    let platform = case.platform;
    let lengths: Vec<(BigUint, BigUint)> = platform
        .links()
        .iter()
        .map(|link| {
            let price = &prices.send[link.from.index()] + &prices.receive[link.to.index()];
            let (numerator, denominator) = parts(&link.cost);
            // Lowest terms: at an optimum the prices often cancel the denominators of the costs.
            let divisor = (&price % denominator).gcd(denominator);
            (numerator * (price / &divisor), denominator / divisor)
        })
        .collect();
    let mut denominators: Vec<&BigUint> =
        lengths.iter().filter(|(numerator, _)| !numerator.is_zero()).map(|(_, denominator)| denominator).collect();
    denominators.sort_unstable();
    denominators.dedup();
    let limit = MAX_SCALED_BITS / lengths.len().to_u64().unwrap_or(u64::MAX).max(1);
    let Ok(denominator) = least_common_multiple(denominators.into_iter().rev(), limit) else {
        return rational_total(case, lengths);
    };
    let scaled: Vec<BigUint> =
        lengths.into_iter().map(|(n, d)| if n.is_zero() { n } else { n * (&denominator / d) }).collect();
    Ok((integer_total(case, scaled)?, denominator))
}

/// Chooses the narrowest integers in which no path overflows: a path has fewer links than there are nodes.
fn integer_total(case: &Case<'_>, lengths: Vec<BigUint>) -> Result<BigUint, Violation> {
    let longest = lengths.iter().map(BigUint::bits).max().unwrap_or(0);
    let bits = longest + u64::from(usize::BITS - case.platform.nodes().len().leading_zeros());
    if bits <= 64 {
        let narrow: Vec<u64> = lengths.iter().filter_map(ToPrimitive::to_u64).collect();
        return sum_of_shortest(case, &narrow, BigUint::zero(), |total, &length| *total += length);
    }
    if bits <= 128 {
        let narrow: Vec<u128> = lengths.iter().filter_map(ToPrimitive::to_u128).collect();
        return sum_of_shortest(case, &narrow, BigUint::zero(), |total, &length| *total += length);
    }
    sum_of_shortest(case, &lengths, BigUint::zero(), |total, length| *total += length)
}

/// The same over rationals, for costs whose common denominator is out of reach.
fn rational_total(case: &Case<'_>, lengths: Vec<(BigUint, BigUint)>) -> Result<(BigUint, BigUint), Violation> {
    let lengths: Vec<Rational> = lengths.into_iter().map(|(n, d)| fraction(n, &d)).collect();
    let total = sum_of_shortest(case, &lengths, Rational::zero(), |total, length| *total += length)?;
    let (numerator, denominator) = parts(&total);
    Ok((numerator.clone(), denominator.clone()))
}

/// Adds up the shortest distances of all commodities.
fn sum_of_shortest<T: Length, S>(
    case: &Case<'_>,
    lengths: &[T],
    mut total: S,
    add: impl Fn(&mut S, &T),
) -> Result<S, Violation> {
    // For an all-to-all the root is among the ends: its distance to itself is 0.
    let (roots, ends, reversed): (&[NodeId], &[NodeId], bool) = match case.collective {
        Collective::Scatter { source, targets } => (std::slice::from_ref(source), targets, false),
        Collective::Gather { target, participants } => (std::slice::from_ref(target), participants, true),
        Collective::AllToAll { participants } => (participants, participants, false),
    };
    let mut is_end = vec![false; case.platform.nodes().len()];
    for end in ends {
        is_end[end.index()] = true;
    }
    let mut paths = ShortestPaths::new(case.platform, lengths, reversed);
    for &root in roots {
        paths.run(root, &is_end, ends.len());
        for &end in ends {
            let Some(distance) = paths.distance(end) else {
                let (from, target) = if reversed { (end, root) } else { (root, end) };
                return Err(Violation::Unreachable { from: case.name(from), target: case.name(target) });
            };
            add(&mut total, distance);
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;
    use oneport_platform::Node;

    /// Both ways of adding lengths agree: 1/(prime) costs, so that every link has a denominator of its own.
    #[test]
    fn rational_and_integer_lengths_agree() {
        let mut builder = Platform::builder();
        let one = Rational::one();
        let ids: Vec<NodeId> =
            (0..6).map(|i| builder.node(Node::processor(format!("n{i}"), one.clone())).unwrap()).collect();
        let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        for (i, &prime) in primes.iter().enumerate() {
            let (from, to) = (ids[i % 6], ids[(i % 6 + 1 + i / 6) % 6]);
            builder.link(from, to, Rational::new((prime + 1).into(), prime.into())).unwrap();
        }
        let platform = builder.build().unwrap();
        let collective = Collective::AllToAll { participants: ids.clone() };
        let size = Rational::one();
        let case = Case::new(&platform, &collective, &size).unwrap();
        let certificate = Certificate { prices: ids.iter().map(|&id| (Resource::Send(id), one.clone())).collect() };
        let prices = Prices::new(&case, &certificate).unwrap();
        let (numerator, denominator) = total_length(&case, &prices).unwrap();
        let lengths =
            platform.links().iter().map(|link| parts(&link.cost)).map(|(n, d)| (n.clone(), d.clone())).collect();
        let (n, d) = rational_total(&case, lengths).unwrap();
        assert_eq!(fraction(numerator, &denominator), fraction(n, &d));
    }
}
