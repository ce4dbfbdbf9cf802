//! Arbitrary times: an exact search over single senders.
//!
//! Read backwards from its end (Liu-Kuo-Wang 2009, section 5.3), a schedule is a binary tree, and by Observation 1 no
//! sender need be above a faster one. So the senders are placed in order of their times, fastest first. The state is
//! then the multiset of open slots alone. The search decides whether all senders end by a deadline `D`:
//!
//! - `stages`: only the time that a slot leaves before `D` matters, rounded down to sums of later times, so many slots
//!   become equal. If too many are left, all times are lowered to a grid, which keeps bounds.
//! - `weights`: bounds from Lagrangian relaxation, learnt for states that survive, then applied to all their fellows.
//!   The weights are the proof: the referee tries the states again that they leave.
//! - `layers`: all states, sender by sender, equal ones once. A layer may be cut to a width (a beam search).
//!
//! Narrow passes over many deadlines come first: they exclude the low ones and reach the high ones. The width grows
//! until every deadline between is decided. Nothing depends on the number of threads.

mod layers;
mod stages;
mod table;
mod weights;

use std::collections::BTreeMap;

use crate::problem::{Problem, Progress};
use crate::snf_placement::Placed;
use oneport_plan::{Proof, SenderWeights};

use layers::{Limits, Pass, Pool};
use stages::Stage;

/// States per layer, pass by pass. Trades passes for memory of the last. Not measured.
pub(crate) const WIDTHS: [usize; 6] = [100, 1000, 8000, 64_000, 512_000, usize::MAX];
/// Limit: bytes of one layer and of the origins of all. With the layer before and a copy for the bounds, below 2 GB.
const LAYER_BYTES: usize = 500 << 20;
/// Slots of all stages. With more, times are lowered to a grid. Trades a tighter bound for time. Not measured.
const MOST_CELLS: usize = 1 << 18;
/// Fact: states of a pass up to which its weights are a proof, three quarters of the referee's limit.
const MOST_REPEATED: u64 = 300_000;

/// The deadlines between the bound and the best placement, in units of the grid.
pub(crate) struct Deadlines<'p> {
    problem: &'p Problem,
    /// Per sender, fastest first.
    classes: Vec<usize>,
    /// Ticks of a unit: times are rounded down to it.
    grid: u64,
    /// Per sender, in units.
    times: Vec<u64>,
    /// The possible lengths, ascending, if they are not too many.
    lengths: Option<Vec<u64>>,
    /// No schedule of the rounded times is shorter.
    lower: u64,
    /// Bound that the lists of weights prove for the same senders, in fewer states.
    proved: (u64, Vec<Vec<i64>>),
    /// The rounded times fit, or need not be tried.
    fits: u64,
    /// Length of the best placement, in ticks, and that placement.
    pub best: (u64, Vec<Placed>),
    /// Weights for the first state.
    weights: Vec<i64>,
}

/// A bound in ticks, and why.
pub(crate) struct Lower {
    /// No schedule is shorter.
    pub length: u64,
    /// Why.
    pub proof: Proof,
}

/// The answer of a pass for one deadline.
enum Answer {
    Yes,
    No,
    Open,
    Stop,
}

impl<'p> Deadlines<'p> {
    /// Between the known bounds: no schedule is shorter than `lower` ticks.
    pub(crate) fn new(problem: &'p Problem, lower: u64, best: (u64, Vec<Placed>)) -> Deadlines<'p> {
        let alike = problem.senders.iter().enumerate();
        let classes: Vec<usize> = alike
            .flat_map(|(class, &senders)| std::iter::repeat_n(class, senders as usize))
            .collect();
        let ticks: Vec<u64> = classes.iter().map(|&class| problem.times[class]).collect();
        let grid = grid(&ticks, best.0);
        let times: Vec<u64> = ticks.iter().map(|&time| time / grid).collect();
        let slowest = times.last().copied().unwrap_or(0);
        let fits = best.0.div_ceil(grid);
        // The slowest sender alone: it fits nowhere before its own time.
        let mut alone = vec![0; times.len()];
        if let Some(weight) = alone.last_mut() {
            *weight = 1;
        }
        let mut deadlines = Deadlines {
            problem,
            classes,
            grid,
            lengths: stages::sums(&times, fits),
            lower: slowest,
            proved: (slowest, vec![alone]),
            fits,
            best,
            weights: weights::even(times.len()),
            times,
        };
        if grid == 1 {
            deadlines.lower = deadlines.first_from(lower.max(slowest));
        }
        deadlines
    }

    /// No schedule is shorter, in ticks. Not necessarily a possible length.
    pub(crate) fn lower(&self) -> u64 {
        self.lower * self.grid
    }

    /// Whether the best placement is optimal.
    pub(crate) fn is_closed(&self) -> bool {
        self.lower() >= self.best.0
    }

    /// Keeps a placement if it is shorter.
    pub(crate) fn offer(&mut self, (length, placed): (u64, Vec<Placed>)) {
        if length < self.best.0 {
            self.best = (length, placed);
            self.fits = self.fits.min(length.div_ceil(self.grid));
        }
    }

    /// The bound that weights prove.
    pub(crate) fn weighed(&self) -> Lower {
        let weights = Proof::Weights(SenderWeights {
            lists: self.proved.1.clone(),
        });
        Lower {
            length: self.proved.0 * self.grid,
            proof: self.of_rounded(weights),
        }
    }

    /// A proof for the rounded times as one for the times.
    fn of_rounded(&self, proof: Proof) -> Proof {
        if self.grid == 1 {
            return proof;
        }
        let lowered = |time: &u64| self.problem.date(time / self.grid * self.grid);
        Proof::Lowered {
            times: self.problem.times.iter().map(lowered).collect(),
            proof: Box::new(proof),
        }
    }

    /// The first possible length from `date` on.
    fn first_from(&self, date: u64) -> u64 {
        let Some(lengths) = &self.lengths else {
            return date;
        };
        lengths
            .get(lengths.partition_point(|&length| length < date))
            .copied()
            .unwrap_or(date)
    }

    /// Some possible length in `from..below`, early in it if the passes are wide: a deadline that cannot be met costs
    /// less than one that can.
    fn middle(&self, from: u64, below: u64, width: usize) -> Option<u64> {
        let part = if width > 10_000 { 4 } else { 2 };
        let Some(lengths) = &self.lengths else {
            return (from < below).then(|| from + (below - from) / part);
        };
        let start = lengths.partition_point(|&length| length < from);
        let end = lengths.partition_point(|&length| length < below);
        (start < end).then(|| lengths[start + (end - start) / part as usize])
    }

    /// Runs passes of this width: raises the bound, then improves the placement. Returns false if the work is to stop.
    pub(crate) fn sweep(&mut self, width: usize, progress: &mut Progress) -> bool {
        // The first deadline left open by this width.
        let mut open = self.fits;
        while let Some(deadline) = self.middle(self.lower, open.min(self.fits), width) {
            match self.ask(deadline, width, progress) {
                Answer::Yes | Answer::No => {}
                Answer::Open => open = deadline,
                Answer::Stop => return false,
            }
        }
        // The last one.
        let mut last = open;
        while let Some(deadline) = self.middle(last.saturating_add(1), self.fits, width) {
            match self.ask(deadline, width, progress) {
                Answer::Yes => {}
                Answer::No | Answer::Open => last = deadline,
                Answer::Stop => return false,
            }
        }
        true
    }

    /// One pass.
    fn ask(&mut self, deadline: u64, width: usize, progress: &mut Progress) -> Answer {
        let stages = stages::stages(&self.times, deadline);
        let Some(stages) = stages.filter(|stages| stages::cells(stages) <= 2 * MOST_CELLS) else {
            return Answer::Stop;
        };
        let (mut pool, excluded) = Pool::new(&stages, &self.weights, progress);
        self.weights.clone_from(&pool.weights);
        if excluded {
            return self.impossible(deadline, pool, progress);
        }
        let limits = Limits {
            width,
            memory: LAYER_BYTES,
        };
        match layers::pass(&stages, &mut pool, &limits, progress) {
            Pass::Placed(taken) => {
                self.fits = deadline;
                self.improve(&stages, &taken);
                progress.length = self.best.0;
                Answer::Yes
            }
            Pass::Impossible => self.impossible(deadline, pool, progress),
            Pass::Cut => Answer::Open,
            Pass::Stopped => Answer::Stop,
        }
    }

    fn impossible(&mut self, deadline: u64, pool: Pool, progress: &mut Progress) -> Answer {
        let next = self.first_from(deadline + 1).min(self.fits);
        if next > self.proved.0 && pool.states <= MOST_REPEATED {
            self.proved = (next, pool.lists);
        }
        if next > self.lower {
            self.lower = next;
            progress.lower = self.lower();
        }
        Answer::No
    }

    /// Keeps a placement found for a deadline: which open slots the senders take, by rounded rests, gives their dates.
    fn improve(&mut self, stages: &[Stage], taken: &[u16]) {
        // The number at the current stage and the date of each open slot.
        let mut open: Vec<(u16, u64)> = stages.first().map(|_| (0, 0)).into_iter().collect();
        let mut rows: BTreeMap<(u64, usize), u64> = BTreeMap::new();
        let mut length = 0;
        for ((stage, &slot), &class) in stages.iter().zip(taken).zip(&self.classes) {
            let time = self.problem.times[class];
            // Among slots with one number, the one open longest.
            let same = open
                .iter()
                .enumerate()
                .filter(|(_, (number, _))| *number == slot);
            let Some((index, &(_, date))) = same.min_by_key(|(_, (_, date))| *date) else {
                return;
            };
            open.swap_remove(index);
            *rows.entry((date, class)).or_default() += 1;
            length = length.max(date + time);
            for other in &mut open {
                other.0 = other_number(&stage.stay, other.0);
            }
            let number = other_number(&stage.take, slot);
            open.extend([(number, date + time); 2]);
            open.retain(|(number, _)| *number != stages::DEAD);
        }
        let placed = rows.into_iter().map(|((date, class), senders)| Placed {
            date,
            class,
            senders,
        });
        self.offer((length, placed.collect()));
    }
}

/// Ticks of a unit: 1 if that leaves few slots.
fn grid(times: &[u64], length: u64) -> u64 {
    let unit = |grid: u64| {
        let times: Vec<u64> = times.iter().map(|time| time / grid).collect();
        let stages = stages::stages(&times, length.div_ceil(grid));
        stages.is_some_and(|stages| stages::cells(&stages) <= MOST_CELLS)
    };
    // Each stage may have as many slots as there are dates.
    let dates = (MOST_CELLS / times.len().max(1)).max(1) as u64;
    if unit(1) { 1 } else { length.div_ceil(dates) }
}

/// A slot's number at the next stage.
fn other_number(numbers: &[u16], slot: u16) -> u16 {
    numbers
        .get(usize::from(slot))
        .copied()
        .unwrap_or(stages::DEAD)
}
