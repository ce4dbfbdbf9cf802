//! Many distinct times: short schedules by simulated annealing, without a bound.
//!
//! Read backwards, a *sequence* of all senders is a schedule: each sender takes the slot that has been open longest and
//! opens two at its end. Some sequence is as short as the optimum: put the senders of an optimal tree in the order of
//! the dates of their slots, and each finds a slot no later than its own. For a target length the *tardiness* of a
//! sequence is the sum, over its senders, of the excess of their ends over the target. Unlike the length it measures
//! how far a sequence is from the target. It is made smaller by exchanging two senders or moving one. A change that
//! makes it larger by `x` is accepted with probability `2^-ceil(x / h)`, the heat `h` falling from a small part of the
//! mean time to nothing, twice. A sequence without tardiness is shorter than all before, and the target falls below it.
//!
//! Everything is in integers and follows from the seed and the number of steps. Only the end depends on the clock.

use std::collections::BTreeMap;

use oneport_platform::Rational;
use rayon::prelude::*;

use crate::problem::{Budget, Problem, Progress};
use crate::snf_placement::{self, Placed};
use crate::{Cluster, Error, PlacedSenders, Placement};

/// Senders of a sequence up to which it is annealed. Trades shorter schedules for time. Not measured.
pub(crate) const MOST_ANNEALED: u64 = 2000;
/// Senders from which on sequences are annealed by [`race`]. Trades time for nothing if searches are exact. Not
/// measured.
const LEAST_ANNEALED: u64 = 21;
/// Falls of the temperature. Trades time for shorter schedules. Not measured.
const ROUNDS: u64 = 2;
/// Walks that start from one placement, side by side, each with half the heat of the one before. Trades time for
/// shorter schedules. Not measured.
const WALKS: u64 = 4;
/// Senders times steps of a walk of the first round. Trades states of the search for shorter schedules. Not measured.
const WORK: u64 = 10_000_000;
/// Steps per sender of a walk of the first round. Trades time for nothing if senders are few. Measured: of 100 times
/// from 100 to 1000, walks of 150,000, 400,000 and 3,000,000 steps end at 2112, 2107 and 2103.
const MOST_STEPS: u64 = 1000;
/// Parts of the mean time that the heat is counted in. Trades time for shorter schedules. Measured: of 100 times from
/// 100 to 1000, walks with 4, 1, 0.4 and 0.2 parts end at 1988, 1985, 1984 and 1984. 30 times want the larger ones.
const COLD: u64 = 200;
/// Parts at the start of a walk, and of the first of several. Trades time for shorter schedules. Measured: see `COLD`.
const MOST_HEAT: u64 = 4;
/// Steps between two checks of the watch. Trades lateness after a limit for calls. Not measured.
const ASKED: u64 = 256;

/// A schedule found by annealing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annealed {
    /// Its length, not longer than slowest-node-first.
    pub length: Rational,
    /// Numbers of senders per class and date of the slot.
    pub placement: Placement,
}

/// The shortest schedule met in `steps` steps. It depends on the seed alone unless the budget's watch ends the work
/// early. A step takes O(n) for `n` senders.
///
/// # Errors
/// More than 2000 senders. Times of more than 56 bits in their common unit.
pub fn anneal(
    cluster: &Cluster,
    seed: u64,
    steps: u64,
    budget: &Budget,
) -> Result<Annealed, Error> {
    let senders = cluster.senders();
    if senders > MOST_ANNEALED {
        return Err(Error::TooMany {
            senders,
            purpose: "to anneal their sequences",
            most: MOST_ANNEALED,
        });
    }
    let problem = Problem::new(cluster)?;
    let first = snf_placement::slowest_first(&problem.times, &problem.senders);
    let mut progress = Progress::new(&problem, budget, first.0);
    let (length, placed) = improve(&problem, &first, (seed, MOST_HEAT, steps), &progress);
    progress.length = length;
    let row = |placed: Placed| PlacedSenders {
        date: problem.date(placed.date),
        class: placed.class,
        senders: placed.senders,
    };
    Ok(Annealed {
        length: problem.date(length),
        placement: Placement {
            rows: placed.into_iter().map(row).collect(),
        },
    })
}

/// Shortens a placement by several walks, twice as long with every round, and other ones.
///
/// If the senders are few, other methods are exact at once.
pub(crate) fn race(
    problem: &Problem,
    best: (u64, Vec<Placed>),
    round: u32,
    progress: &mut Progress,
) -> (u64, Vec<Placed>) {
    let senders = problem.count();
    if senders < LEAST_ANNEALED {
        return best;
    }
    let steps = (WORK / senders).min(MOST_STEPS * senders) << round;
    let watched = &*progress;
    let walk = |walk| {
        let share = MOST_HEAT >> walk;
        improve(
            problem,
            &best,
            (WALKS * u64::from(round) + walk, share, steps),
            watched,
        )
    };
    let walks: Vec<(u64, Vec<Placed>)> = (0..WALKS).into_par_iter().map(walk).collect();
    let best = walks
        .into_iter()
        .min_by_key(|(length, _)| *length)
        .unwrap_or(best);
    progress.length = best.0;
    best
}

/// Shortens a placement by one walk, while the work may go on.
fn improve(
    problem: &Problem,
    best: &(u64, Vec<Placed>),
    (seed, share, steps): (u64, u64, u64),
    progress: &Progress,
) -> (u64, Vec<Placed>) {
    let mut best = best.clone();
    // The sequence has an entry per sender.
    if !(2..=MOST_ANNEALED).contains(&problem.count()) {
        return best;
    }
    let mut walk = Walk::new(problem, &best, seed, share);
    let round = steps.div_ceil(ROUNDS).max(1);
    for step in 0..steps {
        if step.is_multiple_of(ASKED) && !progress.goes_on() {
            break;
        }
        let left = round - step % round;
        // Falls with the square of the rest of the round. u128: heat and round are below 2^64.
        let heat = u128::from(walk.heat) * u128::from(left) / u128::from(round) * u128::from(left)
            / u128::from(round);
        if walk.step(heat.max(1)) {
            let placed = walk.placed();
            if let Some(length) = snf_placement::length(&problem.times, &problem.senders, &placed)
                && length < best.0
            {
                best = (length, placed);
            }
            walk.aim(best.0);
        }
    }
    best
}

struct Walk<'a> {
    times: &'a [u64],
    /// Classes of the senders, in the order of their slots.
    sequence: Vec<usize>,
    /// Open slots, ascending from `head` on.
    open: Vec<u64>,
    target: u64,
    tardiness: u128,
    /// The heat at the start of a round.
    heat: u64,
    random: u64,
}

impl<'a> Walk<'a> {
    fn new(
        problem: &'a Problem,
        (length, placed): &(u64, Vec<Placed>),
        seed: u64,
        share: u64,
    ) -> Walk<'a> {
        let mut rows: Vec<&Placed> = placed.iter().collect();
        rows.sort_unstable();
        let sequence: Vec<usize> = rows
            .into_iter()
            .flat_map(|row| std::iter::repeat_n(row.class, row.senders as usize))
            .collect();
        let total: u128 = sequence
            .iter()
            .map(|&class| u128::from(problem.times[class]))
            .sum();
        let mean = u64::try_from(total / (sequence.len().max(1) as u128)).unwrap_or(u64::MAX);
        let mut walk = Walk {
            times: &problem.times,
            sequence,
            open: Vec::new(),
            target: 0,
            tardiness: 0,
            heat: mean.saturating_mul(share) / COLD,
            random: seed,
        };
        walk.aim(*length);
        walk
    }

    /// The target falls below this length.
    fn aim(&mut self, length: u64) {
        self.target = length.saturating_sub(1);
        self.tardiness = self.evaluate();
    }

    /// Splitmix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.draw()) * end as u128) >> 64) as usize
    }

    /// Tries one change. Returns true if no end is above the target any more.
    fn step(&mut self, heat: u128) -> bool {
        let senders = self.sequence.len();
        let (one, apart) = (self.below(senders), 1 + self.below((senders / 2).max(1)));
        let other = (one + apart) % senders;
        let exchange = self.draw() & 1 == 0;
        if self.sequence[one] == self.sequence[other] {
            return false;
        }
        self.change(one, other, exchange);
        let doubt = u128::from(self.draw().leading_zeros());
        let most = self.tardiness.saturating_add(heat.saturating_mul(doubt));
        let tardiness = self.evaluate();
        if tardiness <= most {
            self.tardiness = tardiness;
            return tardiness == 0;
        }
        if exchange {
            self.change(one, other, true)
        } else {
            self.change(other, one, false)
        }
        false
    }

    /// Exchanges two senders, or moves the first to the place of the other.
    fn change(&mut self, from: usize, to: usize, exchange: bool) {
        match (exchange, from < to) {
            (true, _) => self.sequence.swap(from, to),
            (false, true) => self.sequence[from..=to].rotate_left(1),
            (false, false) => self.sequence[to..=from].rotate_right(1),
        }
    }

    /// Gives every sender the slot open longest. Returns the tardiness.
    fn evaluate(&mut self) -> u128 {
        let mut tardiness = 0;
        let target = self.target;
        self.run(|_, _, end| tardiness += u128::from(end.saturating_sub(target)));
        tardiness
    }

    /// Calls `visit(class, date, end)` for every sender in turn.
    fn run(&mut self, mut visit: impl FnMut(usize, u64, u64)) {
        let (times, open) = (self.times, &mut self.open);
        open.clear();
        open.push(0);
        for (head, &class) in self.sequence.iter().enumerate() {
            let date = open[head];
            // Problem::new leaves room for all sums up to a schedule's length, and 2000 times of 56 bits fit 67 bits.
            let end = date.saturating_add(times[class]);
            visit(class, date, end);
            let mut position = open.len();
            open.extend([end; 2]);
            while position > head + 1 && open[position - 1] > end {
                open[position + 1] = open[position - 1];
                position -= 1;
            }
            open[position] = end;
            open[position + 1] = end;
            // Later slots than there are senders left are never taken.
            open.truncate(self.sequence.len().max(head + 1));
        }
    }

    fn placed(&mut self) -> Vec<Placed> {
        let mut rows: BTreeMap<(u64, usize), u64> = BTreeMap::new();
        self.run(|class, date, _| *rows.entry((date, class)).or_default() += 1);
        rows.into_iter()
            .map(|((date, class), senders)| Placed {
                date,
                class,
                senders,
            })
            .collect()
    }
}
