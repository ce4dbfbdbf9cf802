//! Weights of senders, checked as [`SenderWeights`] states them.

use std::collections::BTreeSet;

use num_integer::Integer;
use oneport_plan::{Class, SenderWeights};
use oneport_platform::Rational;

use super::ticks::Clock;
use super::{Finding, not_proved};
use crate::Violation;
use crate::violation::fault;

/// Limit: senders.
const SENDERS: u64 = 2000;
/// Limit: sums of times, slots of all senders, and slots of all lists together: 200 MB.
const CELLS: usize = 1 << 23;
/// Limit: sums of times per sender. Beyond it the time that a slot leaves is not rounded.
const SUMS: usize = 1 << 17;
/// Limit: states that no weights exclude. Measured: 60 senders and 300,000 states take 3 s.
const STATES: usize = 400_000;
/// Limit: slots of states held against lists. Measured: 2^30 take some 3 s.
const LOOKS: usize = 1 << 30;
/// Limit: the size of a weight.
const WEIGHT: u64 = 1 << 40;
/// Fact: above what 2000 senders of greatest weight weigh, by more than any chain of them takes away.
const CEILING: i64 = 1 << 60;

/// Whether the weights prove that no schedule ends before `bound`, which is positive.
///
/// # Errors
/// Malformed lists. [`Rule::Proof`](crate::Rule::Proof) if all senders can be placed before the bound.
pub(super) fn check(
    classes: &[Class],
    bound: &Rational,
    weights: &SenderWeights,
) -> Result<Finding, Violation> {
    let senders = classes
        .iter()
        .fold(0_u64, |sum, class| sum.saturating_add(class.senders));
    check_lists(senders, weights)?;
    if senders > SENDERS {
        let why = format!("{senders} senders are more than the {SENDERS} whose weights are added");
        return Ok(Finding::Unrepeated(why));
    }
    let numbers: Vec<&Rational> = classes
        .iter()
        .map(|class| &class.time)
        .chain([bound])
        .collect();
    let clock = Clock::new(&numbers, &[])?;
    if !clock.is_small() {
        let why = "dates with this common denominator exceed 128 bits";
        return Ok(Finding::Unrepeated(why.into()));
    }
    let times: Vec<u128> = classes
        .iter()
        .flat_map(|class| std::iter::repeat_n(clock.number(&class.time), class.senders as usize))
        .collect();
    // Every date is a sum of times, so the latest one before the bound is a multiple of their divisor.
    let unit = times.iter().fold(0, |unit, time| unit.gcd(time)).max(1);
    let end: u128 = clock.number(bound);
    let times: Vec<u128> = times.iter().map(|time| time / unit).collect();
    let Some(stages) = stages(&times, end.div_ceil(unit) - 1) else {
        let why = format!("the senders find more than {CELLS} different slots");
        return Ok(Finding::Unrepeated(why));
    };
    let cells = |list: &Vec<i64>| {
        let own = &stages[stages.len() - list.len()..];
        own.iter().map(|stage| stage.rests.len()).sum::<usize>()
    };
    if weights
        .lists
        .iter()
        .map(cells)
        .fold(0, usize::saturating_add)
        > CELLS
    {
        let why = format!(
            "{} lists have more than {CELLS} values",
            weights.lists.len()
        );
        return Ok(Finding::Unrepeated(why));
    }
    let tables = weights.lists.iter().map(|list| Table::new(&stages, list));
    match ends_in_time(&stages, &tables.collect::<Vec<_>>()) {
        Some(false) => Ok(Finding::Proved),
        Some(true) => not_proved(bound, "all senders can be placed before it".into()),
        None => Ok(Finding::Unrepeated(format!(
            "the weights leave more states than are tried again, {STATES} at most"
        ))),
    }
}

fn check_lists(senders: u64, weights: &SenderWeights) -> Result<(), Violation> {
    for (index, list) in weights.lists.iter().enumerate() {
        if list.is_empty() || list.len() as u64 > senders {
            let found = format!("list {index} has {} weights", list.len());
            return Err(
                fault!(Proof, "{found}"; "give one to each of the slowest, up to {senders}"),
            );
        }
        if let Some(weight) = list.iter().find(|weight| weight.unsigned_abs() > WEIGHT) {
            let found = format!("list {index} has the weight {weight}");
            return Err(
                fault!(Proof, "{found}"; "divide the list, so that none is beyond {WEIGHT}"),
            );
        }
    }
    Ok(())
}

/// The slots that may be open at a sender's turn, by the time that they leave before the end: only slots that the
/// sender fits in, ascending.
struct Stage {
    rests: Vec<u128>,
    /// Per slot: the index, at the next stage, of the two slots that open if the sender takes it.
    take: Vec<Option<u32>>,
    /// Per slot: its index at the next stage if the sender does not take it.
    stay: Vec<Option<u32>>,
}

/// The slots of every sender (`times` ascend), and an empty list after the last. `None` if they are too many.
///
/// Below a slot are later senders in order, each once, so the time that it leaves counts down to a sum of their times.
fn stages(times: &[u128], latest: u128) -> Option<Vec<Stage>> {
    let sums = sums(times, latest);
    let floor = |sender: usize, rest: u128| {
        let fits = times.get(sender).is_some_and(|&time| time <= rest);
        let rounded = sums.get(sender)?.as_ref().map_or(Some(rest), |sums| {
            let above = sums.partition_point(|&sum| sum <= rest);
            above.checked_sub(1).map(|index| sums[index])
        });
        rounded.filter(|_| fits)
    };
    let mut rests: Vec<u128> = floor(0, latest).into_iter().collect();
    let mut stages = Vec::new();
    let mut cells = 0;
    for (sender, &time) in times.iter().enumerate() {
        cells += rests.len();
        if cells > CELLS {
            return None;
        }
        let taken = rests.iter().map(|&rest| floor(sender + 1, rest - time));
        let stayed = rests.iter().map(|&rest| floor(sender + 1, rest));
        let (taken, stayed) = (taken.collect::<Vec<_>>(), stayed.collect::<Vec<_>>());
        let mut next: Vec<u128> = taken.iter().chain(&stayed).flatten().copied().collect();
        next.sort_unstable();
        next.dedup();
        let index_of = |rest: &Option<u128>| {
            let index = next.binary_search(rest.as_ref()?).ok()?;
            u32::try_from(index).ok()
        };
        stages.push(Stage {
            take: taken.iter().map(index_of).collect(),
            stay: stayed.iter().map(index_of).collect(),
            rests: std::mem::replace(&mut rests, next),
        });
    }
    Some(stages)
}

/// Per sender the sums of times of it and later ones up to the latest date. `None` if there are too many.
fn sums(times: &[u128], latest: u128) -> Vec<Option<Vec<u128>>> {
    let mut all = vec![None; times.len() + 1];
    let mut sums = vec![0];
    let mut cells = 0;
    all[times.len()] = Some(sums.clone());
    for (sender, time) in times.iter().enumerate().rev() {
        let longer = sums.iter().map(|sum| sum + time);
        let mut both: Vec<u128> = sums.iter().copied().chain(longer.clone()).collect();
        both.retain(|&sum| sum <= latest);
        both.sort_unstable();
        both.dedup();
        cells += both.len();
        if both.len() > SUMS || cells > CELLS {
            break;
        }
        all[sender] = Some(both.clone());
        sums = both;
    }
    all
}

/// For a slot, the two greatest weights of trees with different topmost senders.
#[derive(Clone, Copy, Default)]
struct Carried {
    first: i64,
    second: i64,
    /// The topmost sender of the first. `None` for no tree.
    topmost: Option<u32>,
}

/// The most weight below each slot, by one list of weights.
struct Table {
    /// The first stage that the list is about.
    from: usize,
    /// Per stage from there on and slot.
    carried: Vec<Vec<Carried>>,
    /// Per stage from there on: the weight of all that are left.
    needs: Vec<i64>,
}

impl Table {
    fn new(stages: &[Stage], list: &[i64]) -> Table {
        let from = stages.len() - list.len();
        let (mut carried, mut needs) = (vec![Vec::new()], vec![0]);
        let (mut below, mut need) = (Vec::new(), 0);
        let own = stages[from..].iter().zip(list);
        for (index, (stage, &weight)) in own.enumerate().rev() {
            let carried_from = |slot: &Option<u32>| {
                slot.map_or_else(Carried::default, |slot| below[slot as usize])
            };
            let best = stage.take.iter().zip(&stage.stay).map(|(take, stay)| {
                let opened: Carried = carried_from(take);
                let tree = (weight + opened.first + opened.second).min(CEILING);
                carried_from(stay).with(tree, (from + index) as u32)
            });
            let here: Vec<Carried> = best.collect();
            need += weight;
            needs.push(need);
            carried.push(here.clone());
            below = here;
        }
        carried.reverse();
        needs.reverse();
        Table {
            from,
            carried,
            needs,
        }
    }

    /// Whether the open slots carry less than all that are left from `stage` on.
    fn excludes(&self, stage: usize, slots: &[u32]) -> bool {
        let index = stage.checked_sub(self.from);
        index.is_some_and(|index| self.most(index, slots) < i128::from(self.needs[index]))
    }

    /// The most that the open slots carry.
    fn most(&self, index: usize, slots: &[u32]) -> i128 {
        let mut most: i128 = 0;
        // Only one slot has a given sender topmost. The others of the kind carry their second.
        let mut more: Vec<(u32, i64)> = Vec::new();
        for &slot in slots {
            let carried = self.carried[index][slot as usize];
            most += i128::from(carried.second);
            if let Some(topmost) = carried.topmost {
                more.push((topmost, carried.first - carried.second));
            }
        }
        more.sort_unstable_by(|a, b| b.cmp(a));
        more.dedup_by_key(|(topmost, _)| *topmost);
        most + more.iter().map(|(_, gain)| i128::from(*gain)).sum::<i128>()
    }
}

impl Carried {
    /// With one more tree to choose from.
    fn with(self, weight: i64, topmost: u32) -> Carried {
        if weight > self.first {
            Carried {
                first: weight,
                second: self.first,
                topmost: Some(topmost),
            }
        } else {
            Carried {
                second: self.second.max(weight),
                ..self
            }
        }
    }
}

/// Whether some placement of all senders is left. `None` if too many states are.
fn ends_in_time(stages: &[Stage], tables: &[Table]) -> Option<bool> {
    let Some(first) = stages.first() else {
        return Some(true);
    };
    let mut looks = 0;
    let mut excluded = |stage, slots: &[u32]| {
        let found = tables.iter().position(|table| table.excludes(stage, slots));
        looks += (found.unwrap_or(tables.len()) + 1) * slots.len();
        (found.is_some(), looks)
    };
    if first.rests.is_empty() || excluded(0, &[0]).0 {
        return Some(false);
    }
    let mut layer = BTreeSet::from([vec![0]]);
    let mut states = 0;
    for (index, stage) in stages.iter().enumerate() {
        let mut next = BTreeSet::new();
        for slots in &layer {
            for (taken, &slot) in slots.iter().enumerate() {
                // An equal slot, or one that opens the same slots as a smaller one and is wasteful.
                let opens = stage.take[slot as usize];
                if taken > 0 && stage.take[slots[taken - 1] as usize] == opens {
                    continue;
                }
                let child = successor(stage, slots, taken);
                if next.contains(&child) {
                    continue;
                }
                let (dropped, looks) = excluded(index + 1, &child);
                if !dropped {
                    next.insert(child);
                    states += 1;
                }
                if states > STATES || looks > LOOKS {
                    return None;
                }
            }
        }
        layer = next;
        if layer.is_empty() {
            return Some(false);
        }
    }
    Some(true)
}

/// The open slots, ascending, after a sender took one of them.
fn successor(stage: &Stage, slots: &[u32], taken: usize) -> Vec<u32> {
    let stay = slots
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != taken);
    let stay = stay.filter_map(|(_, &slot)| stage.stay[slot as usize]);
    let opened = stage.take[slots[taken] as usize];
    let mut next: Vec<u32> = stay.chain(opened).chain(opened).collect();
    next.sort_unstable();
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_testkit::Dice;

    /// The heaviest choice of senders from `sender` on that find slots, by what these leave, in order: every sender is
    /// left out or takes any slot.
    fn heaviest(times: &[u128], weights: &[i64], slots: &[u128]) -> i64 {
        let (Some((&time, times)), Some((&weight, weights))) =
            (times.split_first(), weights.split_first())
        else {
            return 0;
        };
        let mut most = heaviest(times, weights, slots);
        for slot in (0..slots.len()).filter(|&slot| time <= slots[slot]) {
            let mut next = slots.to_vec();
            let rest = next.swap_remove(slot) - time;
            next.extend([rest, rest]);
            most = most.max(weight + heaviest(times, weights, &next));
        }
        most
    }

    /// The greatest weight of a tree in a slot by its topmost sender, as the statement has it.
    fn tree(times: &[u128], weights: &[i64], topmost: usize, rest: u128) -> Option<i64> {
        let rest = rest.checked_sub(times[topmost])?;
        let below = (topmost + 1..times.len()).filter_map(|k| tree(times, weights, k, rest));
        let mut below: Vec<i64> = below.chain([0, 0]).collect();
        below.sort_unstable();
        Some(weights[topmost] + below.iter().rev().take(2).sum::<i64>())
    }

    /// The most that slots carry, as the statement has it.
    fn stated(times: &[u128], weights: &[i64], from: usize, slots: &[u128]) -> i64 {
        let mut sum = 0;
        let mut gains = vec![0; times.len()];
        for &rest in slots {
            let trees =
                (from..times.len()).filter_map(|j| Some((tree(times, weights, j, rest)?, Some(j))));
            let mut trees: Vec<(i64, Option<usize>)> =
                trees.chain([(0, None), (0, None)]).collect();
            trees.sort_by_key(|(weight, _)| -weight);
            sum += trees[1].0;
            if let Some(topmost) = trees[0].1 {
                gains[topmost] = trees[0].0.wrapping_sub(trees[1].0).max(gains[topmost]);
            }
        }
        sum + gains.iter().sum::<i64>()
    }

    /// Up to six senders and weights of any sign: what slots carry is as stated, and no choice of senders weighs more.
    #[test]
    fn slots_carry_what_is_stated_and_no_choice_weighs_more() {
        let mut dice = Dice::new(5);
        let mut roll = |below: u64| dice.below(below);
        let mut tight = 0;
        for _ in 0..150 {
            let count = 1 + roll(6) as usize;
            let mut times: Vec<u128> = (0..count).map(|_| u128::from(roll(9))).collect();
            times.sort_unstable();
            let weights: Vec<i64> = times.iter().map(|_| roll(13) as i64 - 3).collect();
            let latest = u128::from(roll(26));
            let stages = stages(&times, latest).unwrap();
            let from = roll(count as u64) as usize;
            let table = Table::new(&stages, &weights[from..]);
            for stage in from..count {
                let rests = &stages[stage].rests;
                if rests.is_empty() {
                    continue;
                }
                let mut slots: Vec<u32> = (0..1 + roll(4))
                    .map(|_| roll(rests.len() as u64) as u32)
                    .collect();
                slots.sort_unstable();
                let open: Vec<u128> = slots.iter().map(|&slot| rests[slot as usize]).collect();
                let most = table.most(stage - from, &slots);
                let stated = stated(&times, &weights, stage, &open);
                assert_eq!(most, i128::from(stated), "{times:?} {weights:?} {open:?}");
                let found = i128::from(heaviest(&times[stage..], &weights[stage..], &open));
                assert!(found <= most, "{times:?} {weights:?} {open:?}");
                tight += usize::from(found == most);
                let need = i128::from(weights[stage..].iter().sum::<i64>());
                assert_eq!(table.excludes(stage, &slots), most < need);
            }
        }
        assert!(tight > 100, "{tight}");
    }
}
