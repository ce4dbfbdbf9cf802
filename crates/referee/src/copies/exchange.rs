//! What every all-reduce costs at least: each operand becomes known to each participant.
//!
//! A node knows an operand if it owns it or has received a value that contains it. List an instance's transfers by the
//! time of their end, and let `r` be the node that is the first to know all operands. The transfers up to then contain an
//! arborescence from all participants into `r`; every other participant lacks an operand until then and receives something
//! later. The two sorts of transfers are different ones. (Harary and Schwenk 1974 count the messages of gossiping so.) The
//! same holds for the reversed list: an arborescence from some `r` to all participants, and something else that each other
//! participant sends.
//!
//! So an instance costs at least the cheapest arborescence from any `r` plus the cheapest single routes of the others. One more node that leads to
//! every `r`, for more than all arcs cost together, makes that one question: nobody pays it twice.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport_platform::{NodeId, Rational};

use super::{Arc, Network, Weight, routes, steiner};
use crate::Violation;
use crate::arithmetic::fraction;
use crate::case::Case;
use crate::prices::{common_denominator, over};

/// The least that the transfers of one instance cost, for messages of unit size: the larger of the two directions' bounds.
///
/// Exact arborescences where all nodes that replicate are participants or one of the others is few, as for broadcasts.
pub(crate) fn least_exchange(case: &Case<'_>, lengths: &[(BigUint, BigUint)]) -> Result<Rational, Violation> {
    let too_large = |(bits, limit)| Violation::TooLarge { what: "the priced costs of the links", bits, limit };
    let denominator = common_denominator(lengths.iter(), lengths.len()).map_err(too_large)?;
    let scaled: Vec<BigUint> = lengths.iter().map(|length| over(length.clone(), &denominator)).collect();
    // A route has fewer links than there are nodes, there are fewer arcs than pairs of nodes; all of them are added up.
    let longest = scaled.iter().map(BigUint::bits).max().unwrap_or(0);
    let bits = longest + 5 * u64::from(usize::BITS - case.platform.nodes().len().leading_zeros()) + 4;
    let least: BigUint = if bits <= 128 {
        let narrow: Vec<u128> = scaled.iter().filter_map(ToPrimitive::to_u128).collect();
        both(case, &narrow).into()
    } else {
        both(case, &scaled)
    };
    Ok(fraction(least, &denominator))
}

fn both<T: Weight>(case: &Case<'_>, lengths: &[T]) -> T {
    let participants = case.operands();
    let mut is_hub: Vec<bool> = case.platform.nodes().iter().map(|node| node.replicates).collect();
    participants.iter().for_each(|node| is_hub[node.index()] = true);
    let mut arcs = routes(case, lengths, &is_hub);
    let backwards = one_way(participants, &is_hub, &arcs);
    arcs.iter_mut().for_each(|(from, to, _)| std::mem::swap(from, to));
    backwards.max(one_way(participants, &is_hub, &arcs))
}

/// The cheapest arborescence from any hub to all participants, plus the cheapest arc out of every other participant.
/// (With all arcs turned it is one into a hub, and arcs into the others.)
fn one_way<T: Weight>(participants: &[NodeId], is_hub: &[bool], arcs: &[Arc<T>]) -> T {
    let mut shortest: Vec<Option<&T>> = vec![None; is_hub.len()];
    for (from, _, length) in arcs {
        if shortest[*from].is_none_or(|known| length < known) {
            shortest[*from] = Some(length);
        }
    }
    let own = |node: usize| participants.iter().any(|other| other.index() == node);
    let mut all = T::zero();
    participants.iter().filter_map(|node| shortest[node.index()]).for_each(|length| all += length);
    let mut price = all.clone();
    arcs.iter().for_each(|(_, _, length)| price += length);
    if price.is_zero() {
        return price;
    }
    let mut numbers = vec![0; is_hub.len()];
    let hubs: Vec<usize> = (0..is_hub.len()).filter(|&node| is_hub[node]).collect();
    hubs.iter().enumerate().for_each(|(number, &node)| numbers[node] = number);
    let numbered = |(from, to, length): &Arc<T>| (numbers[*from], numbers[*to], length.clone());
    let mut arcs: Vec<Arc<T>> = arcs.iter().map(numbered).collect();
    for (number, &node) in hubs.iter().enumerate() {
        let mut length = price.clone();
        length += &all;
        if let Some(single) = shortest[node].filter(|_| own(node)) {
            length -= single;
        }
        arcs.push((hubs.len(), number, length));
    }
    let mut targets: Vec<usize> = participants.iter().map(|node| numbers[node.index()]).collect();
    targets.sort_unstable();
    let mut least = steiner::cheapest(&Network { nodes: hubs.len() + 1, source: hubs.len(), targets, arcs });
    if least < price {
        return T::zero();
    }
    least -= &price;
    least
}
