//! Any root, operands in order, and nothing lost.
//!
//! **Theorem.** For equal costs without limits, every number of values `n` and every root there is a tree of the
//! shortest length in which each processor merges adjacent intervals.
//!
//! **Proof.** Let `N(t)` be the most values combined within `t`: 1 below `detour = d + c`, from there on `N(t - step) +
//! N(t - detour)` with `step = max(d, c)` (without its last child a tree is shorter by `step`, that child's tree by
//! `detour`). Take an interval of `n' <= N(t)` operands and a root in it. The child that is merged last takes the
//! outermost `m = min(N(t - detour), longer side)` operands of the longer side, its own root at the inner end, within
//! `t - detour`. The root keeps the rest, within `t - step`. The rest fits. If `m = N(t - detour)`, it has at most
//! `N(t) - m = N(t - step)` operands. If `m` is the longer side, `m >= (n' - 1) / 2`, so the rest has at most `(n' + 1)
//! / 2` operands, rounded down. And `N(t - step) >= N(t - detour)` makes `N(t - step)` at least `N(t) / 2`, rounded up.
//! The child starts to send at `t - detour` and is merged from `t - c` on: until then the root's port and processor are
//! free for the rest. QED
//!
//! A processor's neighbours are found by following one branch of the splitting: at most `t / step` splits, `O(log n)`.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_plan::{Concurrency, Reduction};

use crate::count::{count, last_delivery, machine};
use crate::reduce::written_down;
use crate::strategy::written;
use crate::time::{Pair, Scaled, Time};
use crate::{EqualCosts, Error, tree};

/// Whom a processor receives from and whom it sends to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours {
    /// The receiver of each processor. `None` for the root.
    pub receiver: Option<u64>,
    /// Senders to it, in the order of merging.
    pub children: Vec<u64>,
    /// Number of transfers on its path to the root.
    pub depth: u64,
}

/// The shortest schedule whose root is processor `root`, the operands in order: processor `i` holds operand `i` and
/// merges neighbours only. For every root it has the length of [`Reduce::schedule`](crate::Reduce::schedule). If both
/// costs are 0, the tree is that of transfers that take time.
///
/// O(n log n) time, O(n) memory.
///
/// # Errors
/// No values, a root that is out of range, more than [`MOST_WRITTEN`](crate::MOST_WRITTEN) values.
pub fn reduce_at(values: u64, root: u64, costs: &EqualCosts) -> Result<Reduction, Error> {
    check(values, root, "root")?;
    written(values)?;
    let scaled = Scaled::new(costs);
    let (receivers, names) = match machine(&scaled, &BigUint::ZERO) {
        Some(pair) => Splitting::new(&pair).tree(values, root)?,
        None => Splitting::new(&scaled.big()).tree(values, root)?,
    };
    let machine = scaled
        .pair::<u64>()
        .map(|pair| tree::earliest(&receivers, &pair));
    Ok(match machine.filter(|run| !run.length.saturated()) {
        Some(run) => written_down(receivers, &names, run, costs, &scaled),
        None => {
            let run = tree::earliest(&receivers, &scaled.big());
            written_down(receivers, &names, run, costs, &scaled)
        }
    })
}

/// The neighbours of processor `rank` in the tree of [`reduce_at`], without the rest of the tree. O(log^3 n), any
/// number of values up to 2^64 - 1.
///
/// # Errors
/// No values, a root or rank that is out of range.
pub fn neighbours_at(
    values: u64,
    root: u64,
    rank: u64,
    costs: &EqualCosts,
) -> Result<Neighbours, Error> {
    check(values, root, "root")?;
    check(values, rank, "rank")?;
    let scaled = Scaled::new(costs);
    match machine(&scaled, &BigUint::ZERO) {
        Some(pair) => Splitting::new(&pair).neighbours(values, root, rank),
        None => Splitting::new(&scaled.big()).neighbours(values, root, rank),
    }
}

pub(crate) fn check(values: u64, processor: u64, role: &'static str) -> Result<(), Error> {
    if values == 0 {
        return Err(Error::NoValues);
    }
    if processor < values {
        Ok(())
    } else {
        Err(Error::NoProcessor {
            role,
            processor,
            values,
        })
    }
}

/// EqualCosts that shape a tree. If both are 0, transfers get 1.
pub(crate) fn shaping<N: Time>(pair: &Pair<N>) -> Pair<N> {
    if pair.detour() == N::zero() {
        Pair {
            transfer: N::one(),
            compute: N::zero(),
        }
    } else {
        pair.clone()
    }
}

/// Operands `first..end` and their root, to be combined within `time`.
struct Part<N> {
    first: u64,
    end: u64,
    root: u64,
    time: N,
}

/// The child that is merged last, and the operands that its parent combines before.
type Halves<N> = (Part<N>, Part<N>);

struct Splitting<N> {
    pair: Pair<N>,
    /// `N(t)` by `t`, computed on demand.
    room: BTreeMap<N, u64>,
}

impl<N: Time> Splitting<N> {
    fn new(pair: &Pair<N>) -> Splitting<N> {
        Splitting {
            pair: shaping(pair),
            room: BTreeMap::new(),
        }
    }

    fn whole(&self, values: u64, root: u64) -> Result<Part<N>, Error> {
        let time = if values < 2 {
            N::zero()
        } else {
            last_delivery(&self.pair, Concurrency::Unlimited, values)?
        };
        Ok(Part {
            first: 0,
            end: values,
            root,
            time,
        })
    }

    /// The most values combined within a time, at most 2^64 - 1.
    fn room(&mut self, time: &N) -> Result<u64, Error> {
        if let Some(&room) = self.room.get(time) {
            return Ok(room);
        }
        let room =
            u64::try_from(count(&self.pair, Concurrency::Unlimited, time)?).unwrap_or(u64::MAX);
        self.room.insert(time.clone(), room);
        Ok(room)
    }

    /// The child that is merged last, and the operands that its parent combines before. `None` for a single operand.
    fn split(&mut self, part: &Part<N>) -> Result<Option<Halves<N>>, Error> {
        let (left, right) = (part.root - part.first, part.end - part.root - 1);
        let longer = left.max(right);
        if longer == 0 {
            return Ok(None);
        }
        let time = part.time.minus(&self.pair.detour());
        let taken = self.room(&time)?.min(longer);
        let rest = part.time.minus(&self.pair.step());
        Ok(Some(if right >= left {
            let cut = part.end - taken;
            (
                Part {
                    first: cut,
                    end: part.end,
                    root: cut,
                    time,
                },
                Part {
                    first: part.first,
                    end: cut,
                    root: part.root,
                    time: rest,
                },
            )
        } else {
            let cut = part.first + taken;
            (
                Part {
                    first: part.first,
                    end: cut,
                    root: cut - 1,
                    time,
                },
                Part {
                    first: cut,
                    end: part.end,
                    root: part.root,
                    time: rest,
                },
            )
        }))
    }

    /// Receivers in an order in which parents come first and children in the order of splitting, and the name of each.
    fn tree(&mut self, values: u64, root: u64) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let (mut receivers, mut names) = (vec![0], vec![root as u32]);
        let mut open = vec![(0, self.whole(values, root)?)];
        while let Some((index, mut part)) = open.pop() {
            while let Some((child, rest)) = self.split(&part)? {
                names.push(child.root as u32);
                open.push((receivers.len() as u32, child));
                receivers.push(index);
                part = rest;
            }
        }
        Ok((receivers, names))
    }

    fn neighbours(&mut self, values: u64, root: u64, rank: u64) -> Result<Neighbours, Error> {
        let mut part = self.whole(values, root)?;
        let mut found = Neighbours {
            receiver: None,
            children: Vec::new(),
            depth: 0,
        };
        while part.root != rank {
            let at = part.root;
            // A part with another operand than its root can be split.
            let Some((child, rest)) = self.split(&part)? else {
                break;
            };
            part = if (child.first..child.end).contains(&rank) {
                found.receiver = Some(at);
                found.depth += 1;
                child
            } else {
                rest
            };
        }
        while let Some((child, rest)) = self.split(&part)? {
            found.children.push(child.root);
            part = rest;
        }
        found.children.reverse();
        Ok(found)
    }
}
