//! Slowest-node-first by classes, and when it is optimal (Liu-Kuo-Wang 2009, sections 4 and 5).

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

/// Limit: dates at which a task ends. If slowest-first is optimal, they are few.
const DATES: usize = 1 << 20;

/// Whether slowest-node-first is known to be optimal for these ascending times: each divides the next (Theorem 1, and
/// the first claim of the introduction), or there are two with a ratio of at least 2 (Theorem 4). Both are proved in
/// docs/theory.md, "One reduction, executed once". The paper's proofs have gaps.
pub(super) fn is_optimal(times: &[BigUint]) -> bool {
    let divide = times
        .windows(2)
        .all(|pair| pair[1].is_multiple_of(&pair[0]));
    divide || matches!(times, [fast, slow] if *slow >= fast * 2_u8)
}

/// When the last sender ends if all start as early as possible, slowest first. `None` if there are too many dates.
/// `classes` are times and numbers of senders, fastest first. The destination is one more processor.
///
/// Two free processors make one transfer, at whose end the receiver is free again.
pub(super) fn length(classes: &[(BigUint, u64)]) -> Option<BigUint> {
    let mut waiting: Vec<(BigUint, u128)> = classes
        .iter()
        .map(|(time, senders)| (time.clone(), u128::from(*senders)))
        .collect();
    let mut free = 1 + waiting.iter().map(|(_, senders)| senders).sum::<u128>();
    let mut ending: BTreeMap<BigUint, u128> = BTreeMap::new();
    let mut now = BigUint::zero();
    for _ in 0..DATES {
        while free >= 2 {
            let Some((time, senders)) = waiting.last_mut() else {
                break;
            };
            let starting = (free / 2).min(*senders);
            free -= 2 * starting;
            *senders -= starting;
            *ending.entry(&now + &*time).or_default() += starting;
            if *senders == 0 {
                waiting.pop();
            }
        }
        let Some((date, ended)) = ending.pop_first() else {
            return Some(now);
        };
        now = date;
        free += ended;
    }
    None
}
