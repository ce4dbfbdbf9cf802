//! Arbitrary times: an exact search over single senders.
//!
//! Read backwards from its end (Liu-Kuo-Wang 2009, section 5.3), a schedule is a binary tree, and by Observation 1 no
//! sender need be above a faster one. So the senders are placed in order of their times, fastest first; what matters
//! afterwards is the multiset of open slots alone. The search asks whether all senders end by a deadline `D`:
//!
//! - `stages`: a slot matters by what it leaves before `D`, rounded down to sums of later times; many slots become
//!   equal.
//! - `weights`: bounds from Lagrangian relaxation, learnt for states that survive, then applied to all their fellows.
//! - `layers`: all states, sender by sender, equal ones once; a layer may be cut to a width (a beam search).
//!
//! Narrow passes over many deadlines come first: they rule out the low ones and reach the high ones. The width grows
//! until every deadline between is decided. Nothing depends on the number of threads.

mod layers;
mod stages;
mod table;
mod weights;

use crate::problem::{Problem, Progress};
use crate::snf_placement::Placed;

use layers::{Limits, Pass, Pool};
use stages::Stage;

/// States per layer, pass by pass. Trades passes for memory of the last. Measured: 22 and 26 arbitrary times 0.39 and
/// 0.53 s, the worst of 20, all proved optimal.
const WIDTHS: [usize; 6] = [100, 1000, 8000, 64_000, 512_000, usize::MAX];
/// Limit: bytes of one layer and of the origins of all; with the layer before and a copy for the bounds, below 2 GB.
const LAYER_BYTES: usize = 500 << 20;
/// The result of a search.
pub(crate) struct Closed {
    /// No schedule is shorter, in ticks.
    pub lower: u64,
    /// Length of the best placement, in ticks.
    pub length: u64,
    /// That placement.
    pub placed: Vec<Placed>,
    /// Whether the bound needed no search beyond the first state.
    pub at_root: bool,
}

/// Searches between a lower bound and a placement until they meet or the work is to stop.
///
/// Takes at most about 2 GB. When the budget, `watch` or that limit ends the work early, the best placement and bound
/// known are returned.
pub(crate) fn close(
    problem: &Problem,
    (lower, length, placed): (u64, u64, Vec<Placed>),
    progress: &mut Progress,
) -> Closed {
    let classes: Vec<usize> = problem
        .senders
        .iter()
        .enumerate()
        .flat_map(|(class, &n)| (0..n).map(move |_| class))
        .collect();
    let times: Vec<u64> = classes.iter().map(|&class| problem.times[class]).collect();
    let slowest = times.last().copied().unwrap_or(0);
    let closed = Closed {
        lower: lower.max(slowest),
        length,
        placed,
        at_root: true,
    };
    let lengths = stages::sums(&times, length);
    let mut search = Deadlines {
        classes,
        times,
        lengths,
        closed,
    };
    search.closed.lower = search.first_from(search.closed.lower);
    for width in WIDTHS {
        if search.is_closed() || !search.sweep(width, progress) {
            break;
        }
    }
    search.closed
}

/// The deadlines between the bound and the best placement.
struct Deadlines {
    /// Per sender, fastest first.
    classes: Vec<usize>,
    times: Vec<u64>,
    /// The possible lengths, ascending, if they are not too many.
    lengths: Option<Vec<u64>>,
    closed: Closed,
}

/// The answer of a pass for one deadline.
enum Answer {
    Yes,
    No,
    Open,
    Stop,
}

impl Deadlines {
    fn is_closed(&self) -> bool {
        self.closed.lower >= self.closed.length
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

    /// Decides what passes of this width can: raises the bound, then improves the placement. False when the work is to
    /// stop.
    fn sweep(&mut self, width: usize, progress: &mut Progress) -> bool {
        // The first deadline left open by this width.
        let mut open = self.closed.length;
        while let Some(deadline) =
            self.middle(self.closed.lower, open.min(self.closed.length), width)
        {
            match self.ask(deadline, width, progress) {
                Answer::Yes | Answer::No => {}
                Answer::Open => open = deadline,
                Answer::Stop => return false,
            }
        }
        // The last one.
        let mut last = open;
        while let Some(deadline) = self.middle(last.saturating_add(1), self.closed.length, width) {
            match self.ask(deadline, width, progress) {
                Answer::Yes => {}
                Answer::No => last = deadline,
                Answer::Open => last = deadline,
                Answer::Stop => return false,
            }
        }
        true
    }

    /// One pass.
    fn ask(&mut self, deadline: u64, width: usize, progress: &mut Progress) -> Answer {
        let Some(stages) = stages::stages(&self.times, deadline) else {
            return Answer::Stop;
        };
        let Some(mut pool) = Pool::new(&stages) else {
            return self.impossible(deadline, true, progress);
        };
        let mut go_on = |states| progress.go_on(states);
        match layers::pass(
            &stages,
            &mut pool,
            Limits {
                width,
                memory: LAYER_BYTES,
                go_on: &mut go_on,
            },
        ) {
            Pass::Placed(taken) => {
                self.improve(&stages, deadline, &taken);
                progress.length = self.closed.length;
                Answer::Yes
            }
            Pass::Impossible => self.impossible(deadline, false, progress),
            Pass::Cut => Answer::Open,
            Pass::Stopped => Answer::Stop,
        }
    }

    fn impossible(&mut self, deadline: u64, at_root: bool, progress: &mut Progress) -> Answer {
        let next = self.first_from(deadline + 1).min(self.closed.length);
        if next > self.closed.lower {
            self.closed.lower = next;
            self.closed.at_root = at_root;
            progress.lower = next;
        }
        Answer::No
    }

    /// Keeps a placement found for a deadline: which open slots the senders take, by rounded rests, gives their dates.
    fn improve(&mut self, stages: &[Stage], deadline: u64, taken: &[u16]) {
        // The number at the current stage and the date of each open slot.
        let mut open: Vec<(u16, u64)> = stages.first().map(|_| (0, 0)).into_iter().collect();
        let mut rows: std::collections::BTreeMap<(u64, usize), u64> =
            std::collections::BTreeMap::new();
        let mut length = 0;
        for ((stage, &slot), (&time, &class)) in stages
            .iter()
            .zip(taken)
            .zip(self.times.iter().zip(&self.classes))
        {
            // Among slots with one number, the one open longest.
            let same = open
                .iter()
                .enumerate()
                .filter(|(_, (number, _))| *number == slot);
            let Some((place, &(_, date))) = same.min_by_key(|(_, (_, date))| *date) else {
                return;
            };
            open.swap_remove(place);
            *rows.entry((date, class)).or_default() += 1;
            length = length.max(date + time);
            for other in &mut open {
                other.0 = other_number(&stage.stay, other.0);
            }
            let number = other_number(&stage.take, slot);
            open.extend([(number, date + time); 2]);
            open.retain(|(number, _)| *number != stages::DEAD);
        }
        if length <= deadline && length < self.closed.length {
            let placed = rows.into_iter().map(|((date, class), senders)| Placed {
                date,
                class,
                senders,
            });
            (self.closed.length, self.closed.placed) = (length, placed.collect());
        }
    }
}

/// A slot's number at the next stage.
fn other_number(numbers: &[u16], slot: u16) -> u16 {
    numbers
        .get(usize::from(slot))
        .copied()
        .unwrap_or(stages::DEAD)
}
