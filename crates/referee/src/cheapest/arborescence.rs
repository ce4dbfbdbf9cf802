//! Commutative operators, equal sizes, equal work, a value on every processor: cheapest trees are arborescences.
//!
//! **Upper bound.** Let every processor but one, `r`, send its stream to some other, without a cycle, and let `r` send
//! its stream to the target. Each processor merges its value with every stream that arrives: a reduction tree whose
//! price is the sum over streams `i -> j` of `D(i,j) + q_j`, plus `D(r, target)`. `D` is the price of the path, `q` of
//! a merge.
//!
//! **No tree is cheaper.** Take a cheapest tree, of equal ones that with the fewest *strange* merges: those not
//! connected with `v_x`, where `x` is the processor that merges, by merges at `x` alone. Suppose that there is a
//! strange merge of `A` and `B` at `x`. Say `v_x` leaves `x` as (part of) a value `V`, merged or not.
//! - If `v_x` takes part in a merge at `x`, let one of `A`, `B` that does not contain that merge take part there
//!   instead, and the other pass: the same number of merges at `x`, paths no longer, fewer strange merges.
//! - Otherwise `v_x` alone goes to some `y` and is merged there. If `D(x,y) + q_y < q_x`, take one of `A`, `B` without
//!   `v_x` in it along to `y`, merge it there and let the other pass: cheaper, a contradiction. If not, merge `v_x` at
//!   `x`, with the result of the strange merge, instead of at `y`: not more expensive, and the merges at `x` become
//!   ordinary.
//!
//! Either contradicts the choice (that `v_x` is in one of `A` and `B` does no harm: it is left out there). So no merge
//! is strange, every processor sends one stream, and the tree is an arborescence as above.
//!
//! **Which streams need not be looked at.** Let `least_x` be the least `D(x,j) + q_j` over processors `j`. Call `x` a
//! *leaf* if `q_x > least_x`, else a *member*.
//! - *Leaves merge nothing.* Let a leaf `x` receive streams, and let `y` have `D(x,y) + q_y < q_x`. If `y` is not
//!   before `x`, the streams go on to `y` instead: cheaper. If it is, on the path of the stream from `c`: let `c` send
//!   where `x` sends, and `x` and all others that send to `x` send to `y`: as many merges, each cheaper by more than
//!   the price of the path.
//! - *A stream need not pass a member `x`.* Say one goes from `i` over `x` to `j` (or to the target), and `x` sends to
//!   `z`. If `i` is not after `x`, let `i` send to `x`: that costs `q_x`, not more than `D(x,j) + q_j`. If it is, let
//!   `i` send to `x` and `x` to `j`: `q_x` more, and `D(x,z) + q_z` less. Either takes fewer links.
//!
//! So a leaf `x` pays `least_x`, and a member's stream goes to another member over leaves and routers alone.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport_platform::{NodeId, PerLink};

use super::priced::Priced;
use crate::Violation;
use crate::arborescences::{Weight, spanning_from_each};
use crate::case::Case;
use crate::shortest_paths::ShortestPaths;
use crate::violation::fault;

/// Limit: arcs between members, half a gigabyte.
const MAX_WAYS: usize = 1 << 23;

/// Whether the theorem applies to a commutative operator on this number of processors.
pub(super) fn is_for(case: &Case<'_>, processors: usize) -> bool {
    let alike = [&case.volumes.size, &case.volumes.work]
        .iter()
        .all(|amount| amount.constant().is_some());
    alike && case.operands().len() == processors
}

/// Per demand: the exact price of the most expensive of the cheapest trees to its goals, in machine integers if sums
/// fit.
///
/// O(links log links) for every goal, besides the paths between members and the arborescences over them.
pub(super) fn prices(case: &Case<'_>, priced: &Priced) -> Result<Vec<BigUint>, Violation> {
    let (Some(size), Some(work)) = (priced.sizes.first(), priced.works.first()) else {
        return Ok(Vec::new());
    };
    let lengths: PerLink<BigUint> = priced.lengths.iter().map(|length| length * size).collect();
    let merges: Vec<BigUint> = priced.merges.iter().map(|merge| merge * work).collect();
    // A tree pays for fewer paths than there are processors, each over fewer links than there are nodes.
    let longest = lengths
        .iter()
        .chain(&merges)
        .map(BigUint::bits)
        .max()
        .unwrap_or(0);
    let nodes = u64::from(usize::BITS - case.platform.nodes().len().leading_zeros());
    if longest + 2 * nodes + 2 > u128::BITS.into() {
        return priced_streams(case, priced, &lengths, &merges);
    }
    let small = |numbers: &[BigUint]| {
        numbers
            .iter()
            .map(|number| number.to_u128())
            .collect::<Option<Vec<u128>>>()
    };
    let (Some(lengths), Some(merges)) = (small(&lengths).map(PerLink::from), small(&merges)) else {
        return priced_streams(case, priced, &lengths, &merges);
    };
    Ok(priced_streams(case, priced, &lengths, &merges)?
        .into_iter()
        .map(BigUint::from)
        .collect())
}

fn priced_streams<T: Weight>(
    case: &Case<'_>,
    priced: &Priced,
    lengths: &PerLink<T>,
    merges: &[T],
) -> Result<Vec<T>, Violation> {
    let mut backwards = ShortestPaths::new(case.platform, lengths, true);
    let starts = priced
        .processors
        .iter()
        .copied()
        .zip(merges.iter().cloned());
    backwards.search(starts, |_| Some(true));
    // The member that each node is.
    let mut member_of = case.platform.per_node(None);
    let (mut members, mut leaves) = (Vec::new(), T::zero());
    for (&processor, merge) in priced.processors.iter().zip(merges) {
        match backwards.distance(processor) {
            Some(least) if least < merge => leaves += least,
            _ => {
                member_of[processor] = Some(members.len());
                members.push((processor, merge));
            }
        }
    }
    let mut ways = Vec::new();
    let mut forwards = ShortestPaths::new(case.platform, lengths, false);
    for (from, &(start, _)) in members.iter().enumerate() {
        case.ask()?;
        forwards.search([(start, T::zero())], |node| {
            Some(node == start.index() || member_of[NodeId::new(node)].is_none())
        });
        for node in forwards.found().filter(|&node| node != start) {
            let (Some(to), Some(distance)) = (member_of[node], forwards.distance(node)) else {
                continue;
            };
            let mut length = distance.clone();
            length += members[to].1;
            // Reversed: arcs from a root to all others are the streams from all others to it.
            ways.push((to, from, length));
        }
        if ways.len() > MAX_WAYS {
            let found = format!(
                "more than {MAX_WAYS} paths between {} processors",
                members.len()
            );
            return Err(fault!(TooLarge, "{found}"; "at most {MAX_WAYS} fit in memory"));
        }
    }
    let gathered = spanning_from_each(members.len(), ways);
    let mut price = |target: NodeId| {
        case.ask()?;
        backwards.search([(target, T::zero())], |_| Some(true));
        if let Some(&owner) = case
            .operands()
            .iter()
            .find(|owner| backwards.distance(**owner).is_none())
        {
            return Err(case.unreachable(owner, target));
        }
        let from = |(&(member, _), gathered): (&(NodeId, &T), &Option<T>)| {
            let mut whole = gathered.clone()?;
            whole += backwards.distance(member)?;
            whole += &leaves;
            Some(whole)
        };
        Ok(members
            .iter()
            .zip(&gathered)
            .filter_map(from)
            .min()
            .unwrap_or_else(T::zero))
    };
    let dearest = |goals: &Vec<(usize, NodeId)>| {
        let prices = goals
            .iter()
            .map(|&(_, target)| price(target))
            .collect::<Result<Vec<T>, Violation>>()?;
        Ok(prices.into_iter().max().unwrap_or_else(T::zero))
    };
    case.goals().iter().map(dearest).collect()
}
