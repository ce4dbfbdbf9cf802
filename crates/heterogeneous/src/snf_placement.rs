//! A schedule to start from: slowest first, by classes, as a placement.

use std::collections::BTreeMap;

/// Senders of one class in slots of one date, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placed {
    /// The date of the slots, backwards from the end.
    pub date: u64,
    /// The class.
    pub class: usize,
    /// How many.
    pub senders: u64,
}

/// Slowest-node-first (Liu-Kuo-Wang 2009, section 4) for classes of ascending times: its length, and the dates of the
/// senders.
///
/// Events are groups of equal completion, so the numbers may be large. The sums must fit 64 bits.
pub(crate) fn slowest_first(times: &[u64], senders: &[u64]) -> (u64, Vec<Placed>) {
    let mut free = senders
        .iter()
        .map(|&senders| u128::from(senders))
        .sum::<u128>()
        + 1;
    let (mut now, mut length) = (0, 0);
    let mut active: BTreeMap<u64, u128> = BTreeMap::new();
    let mut groups = Vec::new();
    for (class, (&time, &senders)) in times.iter().zip(senders).enumerate().rev() {
        let mut left = u128::from(senders);
        while left > 0 {
            while free < 2 {
                let Some((end, done)) = active.pop_first() else {
                    break;
                };
                (now, free) = (end, free + done);
            }
            let started = left.min(free / 2).max(1);
            free = free.saturating_sub(2 * started);
            left -= started;
            *active.entry(now + time).or_default() += started;
            length = length.max(now + time);
            groups.push((now + time, class, started as u64));
        }
    }
    // Backwards a sender starts when it ended. It takes the slot that has been open longest.
    let mut waiting: Vec<(u64, usize, u64)> = groups
        .into_iter()
        .map(|(end, class, senders)| (length - end, class, senders))
        .collect();
    waiting.sort_unstable();
    let mut open: BTreeMap<u64, u128> = BTreeMap::from([(0, 1)]);
    let mut placed: BTreeMap<(u64, usize), u64> = BTreeMap::new();
    for (_, class, mut senders) in waiting {
        while senders > 0 {
            let Some((date, slots)) = open.pop_first() else {
                break;
            };
            let taken = slots.min(u128::from(senders));
            if slots > taken {
                open.insert(date, slots - taken);
            }
            *open.entry(date + times[class]).or_default() += 2 * taken;
            *placed.entry((date, class)).or_default() += taken as u64;
            senders -= taken as u64;
        }
    }
    let rows = placed.into_iter().map(|((date, class), senders)| Placed {
        date,
        class,
        senders,
    });
    (length, rows.collect())
}

/// The length of a placement: the latest end. `None` if it does not place exactly these senders.
pub(crate) fn length(times: &[u64], senders: &[u64], rows: &[Placed]) -> Option<u64> {
    let mut open: BTreeMap<u64, u128> = BTreeMap::from([(0, 1)]);
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    let mut left: Vec<u64> = senders.to_vec();
    let mut length = 0;
    for row in sorted {
        let end = row.date.checked_add(*times.get(row.class)?)?;
        let slots = open.get_mut(&row.date)?;
        *slots = slots.checked_sub(u128::from(row.senders))?;
        left[row.class] = left[row.class].checked_sub(row.senders)?;
        *open.entry(end).or_default() += 2 * u128::from(row.senders);
        length = length.max(end);
    }
    left.iter().all(|&left| left == 0).then_some(length)
}
