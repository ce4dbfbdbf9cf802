//! Lower bounds that need no partial trees: the certificate's inequalities. The longest path of an operand, or the
//! least exchange, plus the least price of the merges.
//!
//! To combine `n` operands takes `n - 1` merges at least, each of at least the least work at the cheapest processor.
//! Merges and transfers are different tasks, so both bounds add up.

use std::rc::Rc;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::inequality::Direction;
use oneport_platform::{NodeId, PerLink, Rational, whole};

use crate::Violation;
use crate::arborescences::least_exchange;
use crate::arithmetic::fraction;
use crate::case::{Case, Group, least};
use crate::needs::{Needs, Proved};
use crate::prices::{Prices, common_denominator, over};
use crate::shortest_paths::ShortestPaths;
use crate::violation::too_large;

/// Per demand: what inequalities prove of it. `None` without any.
pub(super) fn of_needs(
    group: &Group<'_>,
    prices: &Prices,
    needs: &Needs<'_>,
) -> Result<Vec<Option<Rc<Proved>>>, Violation> {
    let mut found: Vec<(Vec<usize>, usize)> = needs.of_group(group).into_iter().zip(0..).collect();
    let mut bounds = vec![None; found.len()];
    found.sort_unstable();
    for same in found.chunk_by(|one, other| one.0 == other.0) {
        let Some((applied, first)) = same.first().filter(|(applied, _)| !applied.is_empty()) else {
            continue;
        };
        let proved = Rc::new(needs.sum(group, *first, applied, (&needs.links(), prices))?);
        for &(_, demand) in same.iter() {
            bounds[demand] = Some(Rc::clone(&proved));
        }
    }
    Ok(bounds)
}

/// The longest of the shortest paths from an operand to a goal, for the smallest size, plus the merges, for one demand.
pub(super) fn longest_way(case: &Case<'_>, prices: &Prices) -> Result<Rational, Violation> {
    let lengths = prices.lengths(case);
    let too_large = |(bits, limit)| too_large("the priced costs of the links", bits, limit);
    let denominator = common_denominator(lengths.iter(), lengths.len()).map_err(too_large)?;
    let lengths: PerLink<BigUint> = lengths
        .into_iter()
        .map(|length| over(length, &denominator))
        .collect();
    let mut paths = ShortestPaths::new(case.platform, &lengths, true);
    let mut longest = BigUint::zero();
    for (last, target) in case.goals().into_iter().flatten() {
        case.ask()?;
        let owners: Vec<NodeId> = case.operands().iter().copied().take(last + 1).collect();
        let mut wanted = case.platform.per_node(false);
        for owner in owners.iter() {
            wanted[*owner] = true;
        }
        paths.run(target, &wanted, owners.len());
        for owner in owners {
            let Some(way) = paths.distance(owner) else {
                return Err(case.unreachable(owner, target));
            };
            if *way > longest {
                longest.clone_from(way);
            }
        }
    }
    let size = least(&case.volumes.size, case.operands().len(), 1);
    Ok(fraction(longest, &denominator) * size + merges(case, prices))
}

/// Least price of an all-reduce's exchange, for the smallest size, if every participant is a separate part, plus the
/// merges.
pub(super) fn exchange(case: &Case<'_>, prices: &Prices) -> Result<Rational, Violation> {
    let parts: Vec<Vec<NodeId>> = case.operands().iter().map(|&node| vec![node]).collect();
    let lengths = prices.lengths(case);
    let into = least_exchange(case, Direction::Into, &parts, &lengths)?;
    let out_of = least_exchange(case, Direction::OutOf, &parts, &lengths)?;
    let size = least(&case.volumes.size, case.operands().len(), 1);
    Ok(into.max(out_of) * size + merges(case, prices))
}

/// The least that the merges of one demand cost.
fn merges(case: &Case<'_>, prices: &Prices) -> Rational {
    let operands = case.operands().len();
    let processors = prices.merges(case).into_iter().flatten();
    let cheapest = processors
        .map(|(numerator, denominator)| fraction(numerator, &denominator))
        .min();
    let merge = cheapest.unwrap_or_default() * least(&case.volumes.work, operands, 2);
    merge * whole(operands.saturating_sub(1))
}
