//! Grows rings of a share in sequence, if only links are limited.

use num_traits::ToPrimitive;
use oneport_plan::{Pattern, Task};
use oneport_platform::{Link, PerLink, Rational};
use oneport_watch::Watch;

use super::Cycles;
use super::cycle::cheapest_cycles;

/// Fact: the cost of a link that one more ring can cross; those with more room cost less.
const SCARCE: u64 = 1 << 20;
/// Fact: the cost of a full link: more than any ring costs without one, as `16 nodes SCARCE` is less below 65,536
/// nodes.
const FULL: u64 = 1 << 40;

/// At most `most` rings of this share: each the cheapest one where scarce links are expensive, until none fits.
///
/// O(2^n n^2) additions for each, among `n` processors.
pub(super) fn grown(
    cycles: &Cycles<'_>,
    share: &Rational,
    most: u32,
    watch: &Watch,
) -> Vec<Pattern> {
    let room = |link: &Link| {
        (&link.cost * share)
            .recip()
            .floor()
            .to_integer()
            .to_u64()
            .unwrap_or(u64::MAX)
    };
    let mut left: PerLink<u64> = cycles
        .question
        .platform()
        .links()
        .iter()
        .map(room)
        .collect();
    let mut rings = Vec::new();
    while rings.len() < most as usize && watch.ask().is_ok() {
        let cost = |left: &u64| SCARCE.checked_div(*left).map_or(FULL, |cost| cost.max(1));
        let ways = cycles.hops.ways(&left.iter().map(cost).collect::<Vec<_>>());
        let Some((cost, order)) = cheapest_cycles(&cycles.hops.costs(&ways))
            .into_iter()
            .next()
        else {
            break;
        };
        let Some(ring) = cycles.hops.pattern(&ways, &order).filter(|_| cost < FULL) else {
            break;
        };
        if !crosses(&ring, &mut left) {
            break;
        }
        rings.push(ring);
    }
    rings
}

/// Takes what a ring needs from what is left; `false` if a link lacks room, because the ring crosses it twice.
fn crosses(ring: &Pattern, left: &mut PerLink<u64>) -> bool {
    ring.tasks.iter().all(|task| match *task {
        Task::Send { link, .. } => {
            let room = left[link].checked_sub(1);
            left[link] = room.unwrap_or(0);
            room.is_some()
        }
        Task::Merge { .. } => true,
    })
}
