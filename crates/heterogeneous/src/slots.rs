//! Few classes, any number of senders: slots over dates.
//!
//! Read backwards from its end, a schedule hands out *slots* ([`SlotPrices`](oneport_plan::SlotPrices)): one is open at
//! date 0, and a sender of time `t` in a slot of date `a` opens two at `a + t`. This is the tree of minimum critical
//! path of Liu-Kuo-Wang 2009, section 5.3, without its Observation 1. With `x[i, a]` senders of class `i` in slots of
//! date `a`,
//!
//! ```text
//! sum_i x[i, a] <= [a = 0] + 2 sum_i x[i, a - t_i],   sum_a x[i, a] = n_i,   x[i, a] only if a + t_i <= D,
//! ```
//!
//! whole numbers `x` exist if and only if there is a schedule of length at most `D`. The size of the program does not
//! depend on the number of senders. Prices on slots (`relaxation`) decide its relaxation to fractions. They are a proof
//! that the referee repeats. Whole numbers come from rounding the fractions date by date (`dive`). If the two do not
//! meet and the senders are few, the search over single senders closes the gap within the budget (see
//! [`shortest`](crate::shortest())).

mod dive;
mod flow;
mod relaxation;

use oneport_plan::Proof;

use crate::Error;
use crate::problem::{Problem, Progress};
use crate::snf_placement::{self, Placed};

use dive::{Dive, Diver};
use flow::Flow;
use relaxation::{State, Verdict, decide, prices};

/// Limit: dates of slots.
const MOST_DATES: usize = 1 << 16;
/// Relaxations times classes in the search for whole numbers. Trades a proof for time. Measured: 6 classes of 2000
/// senders, times to 1000: 1.8 s, the worst of 10, one not proved optimal.
const MOST_QUESTIONS: usize = 24_000;
/// This limit times dates, the cost of a relaxation. Trades a proof for time. Measured: see `MOST_QUESTIONS`.
const MOST_WORK: usize = 100_000_000;
/// The result of slot flow, in ticks.
pub(crate) struct Flowed {
    /// No schedule is shorter.
    pub lower: u64,
    /// Length of the best placement.
    pub length: u64,
    /// Why no schedule is shorter than `lower`.
    pub proof: Proof,
    /// The best placement.
    pub placed: Vec<Placed>,
}

/// Improves a placement by slot flow, for any number of classes and up to 2^63 senders.
///
/// The time depends on the number of dates (sums of times up to the length), not on that of the senders. When the
/// budget or `watch` ends the work early, the best placement and bound known so far are returned.
///
/// # Errors
/// More than 65,536 dates. A failing solver.
pub(crate) fn improve(
    problem: &Problem,
    (length, placed): (u64, Vec<Placed>),
    progress: &mut Progress,
) -> Result<Flowed, Error> {
    let Some(flow) = Flow::new(problem.times.clone(), length, MOST_DATES) else {
        let why = format!(
            "the {} times have more than {MOST_DATES} sums up to the length of the slowest-first schedule; use search",
            problem.times.len()
        );
        return Err(Error::Method {
            method: "slots",
            why,
        });
    };
    let mut relaxed = Relaxed::new(&flow, &problem.senders);
    relaxed.bisect(&flow, State::new, progress)?;
    let mut proof = problem.proof(&flow.dates, &relaxed.proof(&flow));
    // This flow with the first slot given to a fastest sender, without loss.
    let priced = relaxed.least;
    relaxed.bisect(
        &flow,
        |deadline, senders| State::rooted(&flow, deadline, senders),
        progress,
    )?;
    if relaxed.least > priced {
        proof = Proof::Exhaustion {
            states: progress.states,
        };
    }
    let mut best = Best {
        lower: relaxed.least,
        length,
        placed,
        proof,
    };
    relaxed.whole(&flow, &mut best, progress)?;
    Ok(Flowed {
        lower: flow.dates[best.lower],
        length: best.length,
        proof: best.proof,
        placed: best.placed,
    })
}

/// How many questions whole numbers are worth.
fn questions(flow: &Flow) -> usize {
    let classes = flow.times.len().max(1);
    (MOST_QUESTIONS / classes)
        .min(MOST_WORK / (classes * flow.dates.len()))
        .max(1)
}

/// The bounds so far.
struct Best {
    /// The first deadline (index of a date) not ruled out.
    lower: usize,
    length: u64,
    placed: Vec<Placed>,
    proof: Proof,
}

/// The relaxation to fractions.
struct Relaxed {
    senders: Vec<u64>,
    /// The first deadline (index of a date) not ruled out.
    least: usize,
    /// Weights that rule out the one before.
    weights: Vec<i128>,
    memory: Vec<Vec<i128>>,
}

impl Relaxed {
    fn new(flow: &Flow, senders: &[u64]) -> Relaxed {
        // At date 0 nothing fits, under any weights.
        let ones = vec![1; flow.times.len()];
        Relaxed {
            senders: senders.to_vec(),
            least: 1,
            weights: ones,
            memory: Vec::new(),
        }
    }

    /// Finds the first deadline that fractions cannot rule out.
    fn bisect(
        &mut self,
        flow: &Flow,
        state: impl Fn(usize, &[u64]) -> State,
        progress: &mut Progress,
    ) -> Result<(), Error> {
        let mut most = flow.dates.len() - 1;
        while self.least < most {
            let middle = (self.least + most) / 2;
            let state = state(middle, &self.senders);
            match decide(flow, middle, &state, &mut self.memory, &mut || {
                progress.go_on(1)
            })? {
                Verdict::Never(weights) => {
                    (self.least, self.weights) = (middle + 1, weights);
                    progress.lower = flow.dates[self.least];
                }
                _ => most = middle,
            }
        }
        Ok(())
    }

    /// The prices that rule out the last deadline below the bound.
    fn proof(&self, flow: &Flow) -> Vec<i128> {
        let deadline = self.least - 1;
        prices(
            flow,
            deadline,
            &State::new(deadline, &self.senders),
            &self.weights,
        )
    }

    /// Searches for whole numbers from the bound upwards, deadline by deadline while each is ruled out, then in longer
    /// and longer steps. Then between the last deadline without and the first with a placement.
    fn whole(
        &mut self,
        flow: &Flow,
        best: &mut Best,
        progress: &mut Progress,
    ) -> Result<(), Error> {
        let mut questions = questions(flow);
        // The last deadline without a placement.
        let mut last = best.lower - 1;
        let mut step = 1;
        let mut jumping = true;
        loop {
            let placed = flow.dates.partition_point(|&date| date < best.length);
            if jumping && last + step >= placed {
                jumping = false;
            }
            let deadline = if jumping {
                last + step
            } else {
                last + (placed - last) / 2
            };
            if deadline == last || questions == 0 || !progress.go_on(0) {
                return Ok(());
            }
            let most = if deadline == best.lower {
                questions.div_ceil(2)
            } else {
                questions.div_ceil(4)
            };
            let mut share = most;
            let dive = self.place(flow, deadline, &mut share, progress)?;
            questions -= most - share;
            match dive {
                Dive::Placed(placed) => {
                    best.length = snf_placement::length(&flow.times, &self.senders, &placed)
                        .unwrap_or(best.length);
                    best.placed = placed;
                    progress.length = best.length;
                    jumping = false;
                }
                Dive::Never if deadline == best.lower => {
                    (best.lower, last) = (deadline + 1, deadline);
                    best.proof = Proof::Exhaustion {
                        states: progress.states,
                    };
                    progress.lower = flow.dates[best.lower];
                }
                Dive::Never | Dive::Open => {
                    // The next one is worth a separate try.
                    step *= if deadline == best.lower { 1 } else { 2 };
                    last = deadline;
                }
            }
        }
    }

    /// Whole numbers for a deadline.
    fn place(
        &mut self,
        flow: &Flow,
        deadline: usize,
        questions: &mut usize,
        progress: &mut Progress,
    ) -> Result<Dive, Error> {
        let mut go_on = || progress.go_on(1);
        Diver {
            flow,
            deadline,
            senders: &self.senders,
            memory: &mut self.memory,
            questions,
        }
        .dive(&mut go_on)
    }
}
