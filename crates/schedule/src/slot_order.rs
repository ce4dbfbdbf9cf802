//! The order of slots. Any order is valid, and fewer interrupted transfers are better. Also links that nothing
//! interrupts.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Signed, Zero};
use oneport_plan::Slot;
use oneport_platform::{LinkId, Rational};

use crate::ports::LinkTimes;

/// Links compared. Trades time for slots that cut fewer messages. Not measured.
const EFFORT: usize = 20_000_000;

/// Reorders slots so that links busy in one slot are busy in the next where possible: each slot is followed by the one
/// that shares most links with it (a greedy path through the slots). The given order is kept if it interrupts fewer.
pub(crate) fn fewest_interruptions(slots: Vec<Slot>) -> Vec<Slot> {
    let longest = slots.iter().map(|slot| slot.links.len()).max().unwrap_or(0);
    if slots.len() * slots.len() * longest > EFFORT {
        return slots;
    }
    let best = (0..slots.len().min(8))
        .map(|start| greedy(&slots, start))
        .min_by_key(|order| runs(&slots, order));
    let given: Vec<usize> = (0..slots.len()).collect();
    let order = match best {
        Some(order) if runs(&slots, &order) < runs(&slots, &given) => order,
        _ => given,
    };
    order
        .into_iter()
        .map(|index| slots[index].clone())
        .collect()
}

/// Adds links that may be busy independently of the others: each works without a break.
///
/// Links of equal times work together. Such groups run in sequence, longest first, while there is time. The next group
/// begins at the start again. So every different time needs at most one more slot, and few links are busy at a time: if
/// all slots began at the start, `n` different times would list `n^2 / 2` links. `O(n log n)` and the size of the slots
/// made.
pub(crate) fn with_unhindered(slots: Vec<Slot>, links: LinkTimes) -> Vec<Slot> {
    if links.is_empty() {
        return slots;
    }
    let mut groups: BTreeMap<Rational, Vec<LinkId>> = BTreeMap::new();
    for (link, time) in links {
        groups.entry(time).or_default().push(link);
    }
    let total = slots.iter().map(|slot| &slot.length).sum::<Rational>();
    let total = groups
        .keys()
        .next_back()
        .map_or(total.clone(), |longest| total.max(longest.clone()));
    // Links that begin at a date, and links that end there.
    let mut dates: BTreeMap<Rational, [Vec<LinkId>; 2]> = BTreeMap::new();
    let mut enter = |start: Rational, end: Rational, links: Vec<LinkId>| {
        dates.entry(end).or_default()[1].extend(&links);
        dates.entry(start).or_default()[0].extend(links);
    };
    let mut start = Rational::zero();
    for slot in slots {
        let end = &start + slot.length;
        enter(start, end.clone(), slot.links);
        start = end;
    }
    start = total.clone();
    for (time, links) in groups.into_iter().rev() {
        if &start + &time > total {
            start = Rational::zero();
        }
        let end = &start + time;
        enter(start, end.clone(), links);
        start = end;
    }
    between(dates)
}

/// Adds links that share capacities, each at its part of its full rate, in all slots and in the rest of the period: at
/// every moment the load of each capacity is its average load.
pub(crate) fn with_shares(
    mut slots: Vec<Slot>,
    period: &Rational,
    members: &[(LinkId, Rational)],
) -> Vec<Slot> {
    if members.is_empty() {
        return slots;
    }
    let rest = period - slots.iter().map(|slot| &slot.length).sum::<Rational>();
    if rest.is_positive() {
        slots.push(Slot::full(rest, Vec::new()));
    }
    let parts = members.iter().filter(|(_, share)| !share.is_one());
    let mut shares: Vec<(LinkId, Rational)> = parts.cloned().collect();
    shares.sort_by_key(|(link, _)| *link);
    for slot in &mut slots {
        slot.links.extend(members.iter().map(|(link, _)| *link));
        slot.links.sort_unstable();
        slot.shares.clone_from(&shares);
    }
    slots
}

/// The slots between dates at which links begin and end. No link works twice at a time.
pub(crate) fn between(dates: BTreeMap<Rational, [Vec<LinkId>; 2]>) -> Vec<Slot> {
    let mut slots = Vec::with_capacity(dates.len());
    let mut busy: BTreeSet<LinkId> = BTreeSet::new();
    let mut start = Rational::zero();
    for (date, [begins, ends]) in dates {
        if date > start {
            slots.push(Slot {
                shares: Vec::new(),
                length: &date - start,
                links: busy.iter().copied().collect(),
            });
        }
        for link in &ends {
            busy.remove(link);
        }
        busy.extend(begins);
        start = date;
    }
    slots
}

/// A greedy path from one slot.
fn greedy(slots: &[Slot], start: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..slots.len()).filter(|&index| index != start).collect();
    let mut order = vec![start];
    let mut last = start;
    while !left.is_empty() {
        let shared = |index: usize| common(&slots[last].links, &slots[index].links);
        // The earliest among equals: `max_by_key` would take the last.
        let next = (0..left.len())
            .rev()
            .max_by_key(|&at| shared(left[at]))
            .unwrap_or(0);
        last = left.remove(next);
        order.push(last);
    }
    order
}

/// Members of both ascending lists.
fn common(a: &[LinkId], b: &[LinkId]) -> usize {
    a.iter()
        .filter(|link| b.binary_search(link).is_ok())
        .count()
}

/// Unbroken stretches over all links: each costs a transfer at most one interruption.
fn runs(slots: &[Slot], order: &[usize]) -> usize {
    let mut last: BTreeMap<LinkId, usize> = BTreeMap::new();
    let mut runs = 0;
    for (at, &index) in order.iter().enumerate() {
        for &link in &slots[index].links {
            if last.insert(link, at).is_none_or(|before| before + 1 != at) {
                runs += 1;
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_platform::parse_rational;

    #[test]
    fn the_toy_is_not_interrupted() -> Result<(), Box<dyn std::error::Error>> {
        let slot = |length: &str, links: &[usize]| -> Result<Slot, Box<dyn std::error::Error>> {
            Ok(Slot {
                shares: Vec::new(),
                length: parse_rational(length)?,
                links: links.iter().map(|&link| LinkId::new(link)).collect(),
            })
        };
        let given = vec![
            slot("1", &[0, 4])?,
            slot("2/3", &[1, 2])?,
            slot("1/3", &[1, 4])?,
        ];
        let mut ordered = fewest_interruptions(given.clone());
        assert_eq!(
            runs(&ordered, &[0, 1, 2]),
            4,
            "each of the four links runs once"
        );
        ordered.sort_by(|a, b| a.links.cmp(&b.links));
        let mut sorted = given;
        sorted.sort_by(|a, b| a.links.cmp(&b.links));
        assert_eq!(ordered, sorted, "the same slots");
        Ok(())
    }
}
