//! The search of the exchange theorem (`theorems::exchange`): the least that the transfers of an all-reduce cost, if
//! some nodes are put together into parts. Links inside parts are free. A node outside all parts *merges* if it is a
//! processor, and *copies* if it replicates.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport_plan::inequality::Direction;
use oneport_platform::{NodeId, PerLink, PerNode, Rational};

use super::network::{Arc, Network, Weight, routes};
use super::steiner;
use crate::Violation;
use crate::arithmetic::fraction;
use crate::case::Case;
use crate::prices::{common_denominator, over};
use crate::violation::too_large;

/// The least that the transfers of one instance cost by the theorem, if link `e` costs `lengths[e]`.
///
/// Exact arborescences if few nodes are optional or parts are few, as for broadcasts. Otherwise from below.
pub(crate) fn least_exchange(
    case: &Case<'_>,
    direction: Direction,
    parts: &[Vec<NodeId>],
    lengths: &PerLink<(BigUint, BigUint)>,
) -> Result<Rational, Violation> {
    let too_large = |(bits, limit)| too_large("the priced costs of the links", bits, limit);
    let denominator = common_denominator(lengths.iter(), lengths.len()).map_err(too_large)?;
    let scaled: PerLink<BigUint> = lengths
        .iter()
        .map(|length| over(length.clone(), &denominator))
        .collect();
    // A route has fewer links than there are nodes, there are fewer arcs than pairs of nodes. All of them are added up.
    let longest = scaled.iter().map(BigUint::bits).max().unwrap_or(0);
    let bits =
        longest + 5 * u64::from(usize::BITS - case.platform.nodes().len().leading_zeros()) + 4;
    let least: BigUint = if bits <= 128 {
        let narrow: PerLink<u128> = scaled.iter().filter_map(ToPrimitive::to_u128).collect();
        one_way(case, direction, parts, &narrow)?.into()
    } else {
        one_way(case, direction, parts, &scaled)?
    };
    Ok(fraction(least, &denominator))
}

/// Nodes that begin and end routes: numbers of parts, then of other nodes, by node.
struct Hubs {
    number: PerNode<Option<usize>>,
    count: usize,
}

impl Hubs {
    fn new(
        case: &Case<'_>,
        parts: &[Vec<NodeId>],
        others: impl Fn(&oneport_platform::Node) -> bool,
    ) -> Hubs {
        let mut number = case.platform.per_node(None);
        for (part, nodes) in parts.iter().enumerate() {
            for node in nodes.iter() {
                number[*node] = Some(part);
            }
        }
        let mut count = parts.len();
        for (number, node) in number.iter_mut().zip(case.platform.nodes()) {
            if number.is_none() && others(node) {
                *number = Some(count);
                count += 1;
            }
        }
        Hubs { number, count }
    }

    /// The shortest routes between different hubs.
    fn routes<T: Weight>(
        &self,
        case: &Case<'_>,
        lengths: &PerLink<T>,
    ) -> Result<Vec<Arc<T>>, Violation> {
        let is_hub: PerNode<bool> = self.number.iter().map(Option::is_some).collect();
        let number = |node: usize| self.number[NodeId::new(node)];
        let numbered = |(from, to, length)| Some((number(from)?, number(to)?, length));
        let arcs = routes(case, lengths, &is_hub)?
            .into_iter()
            .filter_map(numbered);
        Ok(arcs.filter(|(from, to, _)| from != to).collect())
    }
}

fn one_way<T: Weight>(
    case: &Case<'_>,
    direction: Direction,
    parts: &[Vec<NodeId>],
    lengths: &PerLink<T>,
) -> Result<T, Violation> {
    let into = direction == Direction::Into;
    let junctions = Hubs::new(case, parts, |node| {
        if into { node.merges() } else { node.replicates }
    });
    let sources = Hubs::new(case, parts, |node| {
        if into { node.replicates } else { node.merges() }
    });
    let mut cheapest: Vec<Option<T>> = vec![None; parts.len()];
    for (from, to, length) in sources.routes(case, lengths)? {
        let known = cheapest.get_mut(if into { to } else { from });
        if let Some(known) =
            known.filter(|known| known.as_ref().is_none_or(|known| length < *known))
        {
            *known = Some(length);
        }
    }
    let entrances: Vec<T> = cheapest
        .into_iter()
        .map(|length| length.unwrap_or_else(T::zero))
        .collect();
    let mut arcs = junctions.routes(case, lengths)?;
    if into {
        for (from, to, _) in arcs.iter_mut() {
            std::mem::swap(from, to);
        }
    }
    Ok(rooted_anywhere(
        parts.len(),
        junctions.count,
        arcs,
        &entrances,
    ))
}

/// The cheapest arborescence from any of the first nodes to all of them, plus the cost of the other first nodes.
///
/// One more node leads to each of them, for more than all arcs cost together, so that it is left once.
fn rooted_anywhere<T: Weight>(
    parts: usize,
    nodes: usize,
    mut arcs: Vec<Arc<T>>,
    others: &[T],
) -> T {
    let mut all = T::zero();
    for length in others.iter() {
        all += length;
    }
    let mut more = all.clone();
    for (_, _, length) in arcs.iter() {
        more += length;
    }
    if more.is_zero() {
        return more;
    }
    for (part, own) in others.iter().enumerate() {
        let mut length = more.clone();
        length += &all;
        length -= own;
        arcs.push((nodes, part, length));
    }
    let mut least = steiner::cheapest(&Network {
        nodes: nodes + 1,
        source: nodes,
        targets: (0..parts).collect(),
        arcs,
    });
    if least < more {
        return T::zero();
    }
    least -= &more;
    least
}
