//! Slowest-node-first (SNF, Liu-Kuo-Wang 2009, section 4): the earliest-possible schedule of the senders sorted by
//! time, slowest first. At most twice the optimum (Theorem 2).
//!
//! Lengths are computed by groups of senders that start together, never per sender: `O(k log n)` groups for `k`
//! classes.
//!
//! # Divisor chains
//!
//! *SNF is optimal if each time divides the next slower one.* The paper states this in its summary and proves
//! Theorem 1, powers of 2. Its proof exchanges two senders and then uses again that every start is a multiple of the
//! sender's time, which the exchange destroys. A proof without that gap:
//!
//! 1. Take a schedule of length at most `L`, its dependency tree (Lemma 1), and start every sender as soon as its
//!    predecessors end. Swap a sender with a faster predecessor while there is one (Observation 1: no path gets
//!    heavier). Then every start is 0 or the end of a slower-or-equal predecessor, hence a sum of multiples of the
//!    sender's time.
//! 2. Among the schedules of length at most `L` obtained so, take one whose sums of starts by class, slowest class
//!    first, are lexicographically least. Steps of 1 never increase that vector: a swap moves the slower of two to an
//!    earlier start. The rest does not move later.
//! 3. Suppose some sender starts after a strictly faster one started. Say `p`, of time `T`, starts at `jT`, and a
//!    faster `q` in the block `[iT, (i+1)T)`, `i < j`. Senders faster than `p` lie within blocks, all others start and
//!    end at multiples of `T`. Move `p` to `iT`, and to block `j`, at the same offsets, a chain `C` of faster senders
//!    of block `i`:
//!    - if one starts in the interior of the block: `C` is it, its latest predecessor, and so on back to `iT`. `C` has
//!      `m >= 2` members, in sequence. At any time of block `i` they counted at least 2 in `2A + C <= n` (one
//!      active, or two complete), as `p` does now.
//!    - else all start at `iT` and nothing starts before `(i+1)T`: `C` is `q`, `m = 1`. Once `q` had ended, `2A + C`
//!      was at most `n - 1` for the rest of the block, and `p` adds 1.
//!
//!    Between the blocks 1 replaces `m`. In block `j`, `p` complete and `C` count at most `1 + (m - 1) + 2`, the same
//!    as `m` complete and `p` active. Later both count `m + 1`. So the new schedule is valid, no longer, and
//!    lexicographically smaller after step 1: a contradiction.
//! 4. So the starts order the senders slowest first, and the earliest-possible schedule of that order is no longer. ∎
//!
//! The argument needs no common unit, only that each time divides the next.
//!
//! # Two classes
//!
//! *SNF is optimal for two classes if the slow time is at least twice the fast one* (Theorem 4). The paper's proof has
//! the same gap (E001-13 in `docs/errata.md`). docs/theory.md, "One reduction, executed once", proves the theorem for
//! all real ratios.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use oneport_numbers::Exact;
use oneport_plan::{Class, Reduction};
use oneport_platform::{Rational, whole};

use crate::integers::{Scaled, scale};
use crate::{Cluster, Error, PlacedSenders, Placement, Processors, earliest};

/// The senders, slowest first. Equal ones in index order.
pub fn sequence(processors: &Processors) -> Vec<usize> {
    let times = processors.times();
    let mut senders: Vec<usize> = processors.senders().collect();
    senders.sort_by(|&a, &b| times[b].cmp(&times[a]));
    senders
}

/// The slowest-node-first schedule. O(n log n).
///
/// # Errors
/// More than 2^32 - 1 processors.
pub fn schedule(processors: &Processors) -> Result<Reduction, Error> {
    earliest(processors, &sequence(processors))
}

/// Length of the slowest-node-first schedule. O(k log n log k) for `k` classes.
pub fn length(cluster: &Cluster) -> Rational {
    match groups(cluster) {
        Groups::Small { unit, groups, .. } => unit * end(&groups),
        Groups::Big { unit, groups, .. } => unit * end(&groups),
    }
}

/// Why slowest-node-first is optimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// At most one class: all senders are alike.
    OneClass,
    /// Each time divides the next slower one (Theorem 1 for powers of 2, the module's proof for all).
    DivisorChain,
    /// Two classes, the slow one at least twice as slow (Theorem 4, proved in docs/theory.md).
    TwoClasses,
}

/// Whether a theorem says that slowest-node-first is optimal.
pub fn is_optimal_by_theorem(cluster: &Cluster) -> Option<Reason> {
    let classes = cluster.classes();
    match classes {
        [] | [_] => Some(Reason::OneClass),
        _ if classes
            .windows(2)
            .all(|pair| (&pair[1].time / &pair[0].time).is_integer()) =>
        {
            Some(Reason::DivisorChain)
        }
        [fast, slow] if slow.time >= &fast.time + &fast.time => Some(Reason::TwoClasses),
        _ => None,
    }
}

/// Length and placement of the slowest-node-first schedule.
pub(crate) fn placed(cluster: &Cluster) -> Result<(Rational, Placement), Error> {
    Ok(match groups(cluster) {
        Groups::Small {
            unit,
            times,
            groups,
        } => (&unit * end(&groups), place(&unit, &times, &groups)?),
        Groups::Big {
            unit,
            times,
            groups,
        } => (&unit * end(&groups), place(&unit, &times, &groups)?),
    })
}

/// Senders of one class that start together.
struct Group<T> {
    class: usize,
    senders: u64,
    end: T,
    /// Whose transfers freed the processors they take: group and how many of it.
    freed_by: Vec<(usize, u64)>,
}

enum Groups {
    Small {
        unit: Rational,
        times: Vec<u64>,
        groups: Vec<Group<u64>>,
    },
    Big {
        unit: Rational,
        times: Vec<BigInt>,
        groups: Vec<Group<BigInt>>,
    },
}

/// Limit: rows of a placement.
const MOST_ROWS: usize = 1 << 20;

fn end<T: Clone + Into<BigInt>>(groups: &[Group<T>]) -> Rational {
    whole(
        groups
            .last()
            .map_or_else(BigInt::zero, |last| last.end.clone().into()),
    )
}

fn groups(cluster: &Cluster) -> Groups {
    let classes = cluster.classes();
    let times: Vec<&Rational> = classes.iter().map(|class| &class.time).collect();
    // A chain of transfers that wait for one another halves the senders left about once per member and class.
    let (unit, ticks) = scale(&times, |ticks| ticks.iter().sum::<BigInt>() * 256);
    match ticks {
        Scaled::Small(times) => Groups::Small {
            groups: simulate(classes, &times),
            unit,
            times,
        },
        Scaled::Big(times) => Groups::Big {
            groups: simulate(classes, &times),
            unit,
            times,
        },
    }
}

fn simulate<T: Exact>(classes: &[Class], times: &[T]) -> Vec<Group<T>> {
    let mut idle = classes.iter().map(|class| class.senders).sum::<u64>() + 1;
    let mut free: VecDeque<(Option<usize>, u64)> = VecDeque::from([(None, idle)]);
    let mut ends: BinaryHeap<Reverse<(T, usize)>> = BinaryHeap::new();
    let mut groups: Vec<Group<T>> = Vec::new();
    let mut now = T::zero();
    for (class, members) in classes.iter().enumerate().rev() {
        let mut left = members.senders;
        while left > 0 {
            while idle < 2 {
                let Some(Reverse((end, group))) = ends.pop() else {
                    break;
                };
                now = end;
                idle += groups[group].senders;
                free.push_back((Some(group), groups[group].senders));
            }
            let senders = left.min(idle / 2);
            left -= senders;
            idle -= 2 * senders;
            let end = now.plus(&times[class]);
            ends.push(Reverse((end.clone(), groups.len())));
            groups.push(Group {
                class,
                senders,
                end,
                freed_by: take(&mut free, 2 * senders),
            });
        }
    }
    groups
}

/// Takes free processors, first those free the longest.
fn take(free: &mut VecDeque<(Option<usize>, u64)>, mut wanted: u64) -> Vec<(usize, u64)> {
    let mut taken = Vec::new();
    while wanted > 0 {
        let Some((by, count)) = free.front_mut() else {
            break;
        };
        let part = wanted.min(*count);
        if let Some(group) = by {
            taken.push((*group, part));
        }
        *count -= part;
        wanted -= part;
        if *count == 0 {
            free.pop_front();
        }
    }
    taken
}

/// The tree of the groups, dates read backwards from its root.
///
/// Any slot of a group may go to any predecessor: a slot's date is at most the rest of the schedule after it.
fn place<T: Exact + Into<BigInt>>(
    unit: &Rational,
    times: &[T],
    groups: &[Group<T>],
) -> Result<Placement, Error> {
    let mut seats: Vec<Vec<(T, u64)>> = groups.iter().map(|_| Vec::new()).collect();
    if let Some(root) = seats.last_mut() {
        root.push((T::zero(), 1));
    }
    let mut rows: BTreeMap<(T, usize), u64> = BTreeMap::new();
    let mut parts = 0;
    for (index, group) in groups.iter().enumerate().rev() {
        let mut dates: BTreeMap<T, u64> = BTreeMap::new();
        for (date, senders) in std::mem::take(&mut seats[index]) {
            *dates.entry(date).or_default() += senders;
        }
        let mut open: VecDeque<(T, u64)> = VecDeque::new();
        for (date, senders) in dates {
            open.push_back((date.plus(&times[group.class]), 2 * senders));
            *rows.entry((date, group.class)).or_default() += senders;
        }
        for &(earlier, count) in group.freed_by.iter().rev() {
            let mut wanted = count;
            while wanted > 0 {
                let Some((date, slots)) = open.front_mut() else {
                    break;
                };
                let part = wanted.min(*slots);
                seats[earlier].push((date.clone(), part));
                *slots -= part;
                wanted -= part;
                parts += 1;
                if *slots == 0 {
                    open.pop_front();
                }
            }
        }
        if parts > MOST_ROWS {
            return Err(Error::Method {
                method: "snf",
                why: format!(
                    "its placement has more than {MOST_ROWS} rows; ask for the length alone"
                ),
            });
        }
    }
    let rows = rows
        .into_iter()
        .map(|((date, class), senders)| PlacedSenders {
            date: unit * whole(date),
            class,
            senders,
        });
    Ok(Placement {
        rows: rows.collect(),
    })
}

/// The cluster with every time raised to a power of 2 times the fastest: Theorem 2's comparison. Its optimum is at most
/// twice the cluster's, and at least the length of slowest-node-first on the cluster.
pub fn raised(cluster: &Cluster) -> Cluster {
    let Some(fastest) = cluster.classes().first() else {
        return cluster.clone();
    };
    let times = cluster.classes().iter().map(|class| {
        let down = power_below(&class.time, &fastest.time);
        if down == class.time {
            down
        } else {
            &down + &down
        }
    });
    cluster.with_times(times)
}

/// The largest `base * 2^k` up to `time`, `k` any integer.
pub(crate) fn power_below(time: &Rational, base: &Rational) -> Rational {
    let ratio = time / base;
    let one = Rational::one();
    if ratio >= one {
        base * whole(BigInt::one() << log2_floor(&ratio))
    } else {
        // The smallest k with ratio * 2^k >= 1.
        let inverse = ratio.denom().div_ceil(ratio.numer());
        let shift = (&inverse - 1u32).bits();
        base / whole(BigInt::one() << shift)
    }
}

/// Bits of a rational's integer part: `floor(log2 x)` for `x >= 1`.
pub(crate) fn log2_floor(x: &Rational) -> u64 {
    x.numer().div_floor(x.denom()).bits().saturating_sub(1)
}

/// `ceil(log2 (n + 1))`: levels of the flattest binary tree of `n` nodes.
pub(crate) fn tree_levels(n: u64) -> u32 {
    u64::BITS - n.leading_zeros()
}

/// `k` as a machine word if it fits, else the largest.
pub(crate) fn word(k: &BigInt) -> u64 {
    k.to_u64().unwrap_or(u64::MAX)
}
