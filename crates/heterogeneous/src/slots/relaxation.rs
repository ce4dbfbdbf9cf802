//! Do the senders fit, if slots may be shared in fractions? Prices say no, a mixture of choices says perhaps.
//!
//! The linear program of the slot flow decomposes. Its extreme points give all slots of one date to one class (a
//! *choice*). So the senders fit in fractions if and only if the vector of their numbers is a convex mixture of the
//! vectors that choices place. Weights `w` on classes (of any sign) with `sum_i n_i w_i` above the most any choice
//! weighs separate the two. The heaviest choice is one backward recursion over the dates. So a program of one row per
//! class, with choices as columns, proposes weights (in floating point, which decides nothing), and the recursion, in
//! integers, proves or adds a column.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_exact::{
    Column, LinearProgram, Method, Options, Outcome, Relation, Row, Sense, Solver,
};
use oneport_platform::{Rational, ratio, whole};

use super::flow::{CEILING, Flow, IDLE, MANY, Potential};
use crate::Error;

/// Fact: weight of a class of one sender, in bits.
const BITS: u32 = 80;
/// Columns after which the answer is "unknown". Trades a proof for time. Not measured.
const MOST_COLUMNS: usize = 3000;

/// Open slots and senders left.
#[derive(Clone)]
pub(super) struct State {
    /// Open slots, by date.
    pub slots: Vec<u128>,
    /// Senders left, by class.
    pub senders: Vec<u64>,
    /// A date, and the number of first classes that its slots are closed to.
    pub closed: (usize, usize),
}

impl State {
    /// After the first sender, a fastest one.
    pub(super) fn rooted(flow: &Flow, deadline: usize, senders: &[u64]) -> State {
        let mut state = State::new(deadline, senders);
        if let (Some(open), Some(left)) = (flow.opens(0, 0, deadline), state.senders.first_mut()) {
            (state.slots[0], state.slots[open], *left) = (0, 2, left.saturating_sub(1));
        }
        state
    }

    /// Weights with which no class takes a slot that has no senders left.
    fn usable(&self, weights: &[i128]) -> Vec<i128> {
        let weight = |(&weight, &left): (&i128, &u64)| if left == 0 { -CEILING } else { weight };
        weights.iter().zip(&self.senders).map(weight).collect()
    }

    /// At the start: one slot of date 0.
    pub(super) fn new(deadline: usize, senders: &[u64]) -> State {
        let mut slots = vec![0; deadline + 1];
        slots[0] = 1;
        State {
            slots,
            senders: senders.to_vec(),
            closed: (0, 0),
        }
    }
}

/// A fractional placement: shares of choices.
#[derive(Default)]
pub(super) struct Mixture {
    parts: Vec<Part>,
}

/// One choice of a mixture.
struct Part {
    share: Rational,
    choice: Vec<u16>,
    /// Per date: how many slots it takes if the share is 1.
    taken: Vec<u128>,
}

impl Mixture {
    /// How many senders of a class take slots of a date.
    pub(super) fn senders(&self, class: usize, date: usize) -> Rational {
        let own = |part: &&Part| {
            part.choice
                .get(date)
                .is_some_and(|&own| own != IDLE && usize::from(own) == class)
        };
        let taken = |part: &Part| &part.share * whole(part.taken[date]);
        self.parts.iter().filter(own).map(taken).sum()
    }
}

/// An answer.
pub(super) enum Verdict {
    /// They do not fit, even in fractions: weights by class that separate them from all choices.
    Never(Vec<i128>),
    /// They fit in fractions.
    Mixture(Mixture),
    /// No answer within the limits.
    Unknown,
}

/// Decides, for fractions, whether the senders fit by the deadline (the index of a date). `memory` holds weights worth
/// trying and receives the best weights.
pub(super) fn decide(
    flow: &Flow,
    deadline: usize,
    state: &State,
    memory: &mut Vec<Vec<i128>>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Verdict, Error> {
    let mut master = Master::new(flow, state)?;
    // Weights that were worth trying for a similar question come first.
    for weights in memory.iter().rev().take(3 * flow.times.len() + 6) {
        let weights = state.usable(weights);
        let potential = flow.potential(&weights, deadline, state.closed);
        if separates(state, &weights, &potential) {
            return Ok(Verdict::Never(weights));
        }
        master.add(flow, state, potential.choice)?;
    }
    while master.choices.len() < MOST_COLUMNS && go_on() {
        let weights = match master.propose(flow)? {
            Some(Proposal::Weights(weights)) => state.usable(&weights),
            Some(Proposal::Shares(shares)) => return Ok(mixture(flow, state, shares)),
            None => return Ok(Verdict::Unknown),
        };
        let potential = flow.potential(&weights, deadline, state.closed);
        let separated = separates(state, &weights, &potential);
        memory.push(weights.clone());
        if separated {
            return Ok(Verdict::Never(weights));
        }
        if !master.add(flow, state, potential.choice)? {
            // The best column is there already: nothing more to learn from this precision.
            return Ok(Verdict::Unknown);
        }
    }
    Ok(Verdict::Unknown)
}

/// The prices that weights prove their case by, from weights with as few bits as will do.
pub(super) fn prices(flow: &Flow, deadline: usize, state: &State, weights: &[i128]) -> Vec<i128> {
    for shift in (0..BITS).rev().step_by(3) {
        let half = (1i128 << shift) >> 1;
        let short: Vec<i128> = weights
            .iter()
            .map(|&weight| (weight + half) >> shift)
            .collect();
        let potential = flow.potential(&short, deadline, state.closed);
        if separates(state, &short, &potential) {
            return potential.prices;
        }
    }
    flow.potential(weights, deadline, state.closed).prices
}

/// Whether the senders weigh more than anything the open slots can carry.
fn separates(state: &State, weights: &[i128], potential: &Potential) -> bool {
    let need: BigInt = state
        .senders
        .iter()
        .zip(weights)
        .map(|(&n, &w)| BigInt::from(n) * w)
        .sum();
    let priced = state
        .slots
        .iter()
        .zip(&potential.prices)
        .filter(|(slots, _)| **slots > 0);
    let most: BigInt = priced
        .map(|(&slots, &price)| BigInt::from(slots) * price)
        .sum();
    need > most
}

/// Distances below this may be 0: the program is then solved exactly.
fn tolerance() -> Rational {
    ratio(BigInt::one(), BigInt::one() << 20u32)
}

/// A proposal of the program over the known choices.
enum Proposal {
    /// Weights to try.
    Weights(Vec<i128>),
    /// The senders are a mixture of the choices, exactly.
    Shares(Vec<(Rational, Vec<u16>)>),
}

/// A mixture with the senders of its choices. `None` if counting them takes too much.
fn mixture(flow: &Flow, state: &State, shares: Vec<(Rational, Vec<u16>)>) -> Verdict {
    let mut parts = Vec::new();
    for (share, choice) in shares {
        let mut taken = vec![0; choice.len()];
        flow.follow(&choice, &state.slots, |date, _, senders| {
            taken[date] = senders
        });
        if taken.iter().any(|&taken| taken >= MANY) {
            return Verdict::Unknown;
        }
        parts.push(Part {
            share,
            choice,
            taken,
        });
    }
    Verdict::Mixture(Mixture { parts })
}

/// The program over the choices known: the least sum of deviations from the senders' numbers, each relative to its own.
struct Master {
    solver: Solver,
    rows: Vec<Row>,
    convex: Row,
    sizes: Vec<u64>,
    choices: Vec<Vec<u16>>,
    vectors: Vec<Vec<u128>>,
}

impl Master {
    fn new(flow: &Flow, state: &State) -> Result<Master, Error> {
        let mut program = LinearProgram::new(Sense::Minimize);
        let sizes: Vec<u64> = state
            .senders
            .iter()
            .map(|&senders| senders.max(1))
            .collect();
        let share = |(&senders, &size): (&u64, &u64)| ratio(senders, size);
        let rhs: Vec<Rational> = state.senders.iter().zip(&sizes).map(share).collect();
        let rows: Vec<Row> = rhs
            .into_iter()
            .map(|rhs| program.add_row(Relation::Equal, rhs))
            .collect();
        let convex = program.add_row(Relation::AtMost, Rational::one());
        for &row in &rows {
            for sign in [1, -1] {
                let entry = (row, whole(sign));
                program
                    .add_column(Rational::one(), [entry])
                    .map_err(failed)?;
            }
        }
        let mut master = Master {
            solver: Solver::new(program),
            rows,
            convex,
            sizes,
            choices: Vec::new(),
            vectors: Vec::new(),
        };
        let ones = state.usable(&vec![1; flow.times.len()]);
        let deadline = state.slots.len() - 1;
        master.add(
            flow,
            state,
            flow.potential(&ones, deadline, state.closed).choice,
        )?;
        Ok(master)
    }

    /// Adds a choice. Returns false if an equal column exists.
    fn add(&mut self, flow: &Flow, state: &State, choice: Vec<u16>) -> Result<bool, Error> {
        let counts = flow.counts(&choice, &state.slots);
        if self.vectors.contains(&counts) {
            return Ok(false);
        }
        let entry = |((&row, &count), &size): ((&Row, &u128), &u64)| (row, ratio(count, size));
        let mut entries: Vec<(Row, Rational)> = self
            .rows
            .iter()
            .zip(&counts)
            .zip(&self.sizes)
            .map(entry)
            .collect();
        entries.push((self.convex, Rational::one()));
        self.solver
            .add_column(Rational::zero(), entries)
            .map_err(failed)?;
        self.choices.push(choice);
        self.vectors.push(counts);
        Ok(true)
    }

    /// Weights that separate the senders from all choices known as well as possible, or the mixture that they are.
    /// `None` if the solver gives up.
    fn propose(&mut self, flow: &Flow) -> Result<Option<Proposal>, Error> {
        let options = Options {
            method: Method::Simplex,
            ..Options::default()
        };
        let deviations = 2 * flow.times.len();
        // Without estimates (without HiGHS), every proposal is exact.
        if let Some(estimate) = self.solver.estimate(&options).map_err(failed)? {
            let distance: Rational = estimate
                .primal
                .iter()
                .take(deviations)
                .filter(|value| value.is_positive())
                .sum();
            if distance > tolerance() {
                return Ok(Some(Proposal::Weights(self.weights(estimate.dual))));
            }
        }
        let Outcome::Optimal(optimum) = self.solver.solve(&options).map_err(failed)? else {
            return Ok(None);
        };
        if optimum.objective.is_positive() {
            let prices = self.rows.iter().map(|&row| optimum.dual.get(row)).collect();
            return Ok(Some(Proposal::Weights(self.weights(prices))));
        }
        let share = |(index, choice): (usize, &Vec<u16>)| {
            (
                optimum.primal.get(Column(deviations + index)),
                choice.clone(),
            )
        };
        let shares = self.choices.iter().enumerate().map(share);
        Ok(Some(Proposal::Shares(
            shares.filter(|(share, _)| share.is_positive()).collect(),
        )))
    }

    /// Prices of rows as integer weights of senders.
    fn weights(&self, prices: Vec<Rational>) -> Vec<i128> {
        let weight = |(price, &size): (Rational, &u64)| {
            let scaled = price * whole(BigInt::one() << BITS) / whole(size);
            scaled.round().to_integer().to_i128().unwrap_or(0)
        };
        prices.into_iter().zip(&self.sizes).map(weight).collect()
    }
}

/// The error of the solver.
fn failed(error: oneport_exact::ExactError) -> Error {
    Error::Solver {
        what: "the slot flow",
        why: error.to_string(),
    }
}
