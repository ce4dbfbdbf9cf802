//! Any root under a limit.
//!
//! Algorithms 2 and 3 end at processor 0. What one child of the root brings, a *part*, is an interval of operands to
//! the right of all that the root merged before. If some parts are put to the left instead, each to the left of all
//! merged before, every merge still joins neighbours, and no date changes. So the root can be processor `r` with the
//! operands in order if the sizes of some parts add up to `r`. Otherwise processors 0 and `r` change places, and the
//! operator has to commute.

use oneport_plan::{Concurrency, Dates, Reduction};

use crate::root::check;
use crate::{EqualCosts, Error, Reduce, reduce_at};

/// The shortest schedule under a limit whose root is processor `root`, and whether the operands keep their order.
/// Without a limit they always do, see [`reduce_at`]. Under a limit they do if the parts of the schedule found can be
/// put on both sides of the root. O(n log n).
///
/// # Errors
/// Those of [`Reduce::schedule`], and a root that is out of range.
pub fn reduce_around(
    values: u64,
    root: u64,
    costs: &EqualCosts,
    limit: Concurrency,
) -> Result<(Reduction, bool), Error> {
    if limit == Concurrency::Unlimited {
        return Ok((reduce_at(values, root, costs)?, true));
    }
    check(values, root, "root")?;
    let reduction = Reduce::of(values, costs).limit(limit).schedule()?;
    let root = root as usize;
    Ok(match around(&reduction, root) {
        Some(names) => (renamed(reduction, &names), true),
        None => {
            let mut names: Vec<u32> = (0..reduction.receivers.len() as u32).collect();
            names.swap(0, root);
            (renamed(reduction, &names), false)
        }
    })
}

/// New numbers for all processors, the operands in order around the root.
fn around(reduction: &Reduction, root: usize) -> Option<Vec<u32>> {
    let values = reduction.receivers.len();
    // The children of the root. Each begins its part.
    let children: Vec<usize> = (1..values)
        .filter(|&child| reduction.receivers[child] == 0)
        .collect();
    let merges = reduction.merges.as_ref()?;
    if !children.is_sorted_by_key(|&child| merges.get(child)) {
        return None;
    }
    let ends = children.iter().copied().skip(1).chain([values]);
    let parts: Vec<(usize, usize)> = children.iter().copied().zip(ends).collect();
    let sizes: Vec<usize> = parts.iter().map(|(first, end)| end - first).collect();
    let left = adding_up_to(&sizes, root)?;
    let (mut names, mut before, mut after) = (vec![0; values], root, root + 1);
    names[0] = root as u32;
    for ((first, end), is_left) in parts.into_iter().zip(left) {
        let from = if is_left {
            before -= end - first;
            before
        } else {
            after += end - first;
            after - (end - first)
        };
        for (position, old) in (from..).zip(first..end) {
            names[old] = position as u32;
        }
    }
    Some(names)
}

/// Which sizes add up to a sum, the largest first. If no size is more than all smaller ones and 1, as in the
/// schedules that were tried, every sum is found.
fn adding_up_to(sizes: &[usize], sum: usize) -> Option<Vec<bool>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&part| std::cmp::Reverse(sizes[part]));
    let (mut chosen, mut left) = (vec![false; sizes.len()], sum);
    for part in order {
        if sizes[part] <= left {
            chosen[part] = true;
            left -= sizes[part];
        }
    }
    (left == 0).then_some(chosen)
}

/// Processor `i` is called `names[i]`.
fn renamed(reduction: Reduction, names: &[u32]) -> Reduction {
    fn moved<T: Clone>(list: &[T], names: &[u32]) -> Vec<T> {
        let mut moved = list.to_vec();
        for (entry, &name) in list.iter().zip(names) {
            moved[name as usize] = entry.clone();
        }
        moved
    }
    let dates = |dates: &Dates| match dates {
        Dates::Ticks { unit, ticks } => Dates::Ticks {
            unit: unit.clone(),
            ticks: moved(ticks, names),
        },
        Dates::Exact(dates) => Dates::Exact(moved(dates, names)),
    };
    let receivers: Vec<u32> = reduction
        .receivers
        .iter()
        .map(|&receiver| names[receiver as usize])
        .collect();
    Reduction {
        root: names.first().copied().unwrap_or(0),
        receivers: moved(&receivers, names),
        starts: dates(&reduction.starts),
        merges: reduction.merges.as_ref().map(dates),
        ..reduction
    }
}
