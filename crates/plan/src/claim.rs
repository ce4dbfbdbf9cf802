//! A claim about a problem. Nothing here is checked: the referee makes an answer of it.

use std::fmt;

use oneport_platform::{Platform, Rational};

use crate::{Certificate, Collective, PeriodicSchedule, Problem, Routing, SteadyState};

/// Evidence that a throughput is sustained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Weighted patterns, with a list of their tasks.
    Listed(SteadyState),
    /// Loads of links, without a list of patterns.
    Compact(Routing),
}

impl State {
    /// The weighted patterns. `None` of a compact state.
    pub fn listed(&self) -> Option<&SteadyState> {
        match self {
            State::Listed(state) => Some(state),
            State::Compact(_) => None,
        }
    }
}

/// A problem, a proof of a bound, and evidence of a throughput: solvers fill it in, files hold it, anybody may write
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The question.
    pub problem: Problem,
    /// Prices that are said to bound the throughput of every schedule.
    pub certificate: Certificate,
    /// Evidence of a throughput.
    pub state: Option<State>,
    /// A periodic schedule with whole messages. Its throughput may be below the state's.
    pub schedule: Option<PeriodicSchedule>,
}

/// The numbers that a plan file repeats, although they follow from the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// The bound that the certificate is said to prove, in instances per unit of time.
    pub upper_bound: Rational,
    /// Whether the throughput is said to equal it.
    pub status: Status,
}

/// The parts of a claim with patterns and a schedule, and the numbers stated beside it: the content of a plan file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan<'a> {
    /// The question.
    pub problem: &'a Problem,
    /// The weighted patterns that sustain the throughput.
    pub steady_state: &'a SteadyState,
    /// The proof of the bound.
    pub certificate: &'a Certificate,
    /// No schedule has a larger throughput.
    pub upper_bound: &'a Rational,
    /// Whether the throughput equals the bound.
    pub status: Status,
    /// A periodic schedule with whole messages.
    pub schedule: &'a PeriodicSchedule,
}

impl<'a> Plan<'a> {
    /// The parts. `None` unless the claim lists patterns and has a schedule.
    pub fn of(claim: &'a Claim, upper_bound: &'a Rational, status: Status) -> Option<Self> {
        Some(Plan {
            problem: &claim.problem,
            steady_state: claim.state.as_ref()?.listed()?,
            certificate: &claim.certificate,
            upper_bound,
            status,
            schedule: claim.schedule.as_ref()?,
        })
    }

    /// The platform.
    pub fn platform(&self) -> &'a Platform {
        self.problem.platform()
    }

    /// The collective.
    pub fn collective(&self) -> &'a Collective {
        self.problem.collective()
    }
}

/// The proof status of a throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The certificate's bound equals the throughput.
    Optimal,
    /// The throughput is sustained. The certificate's bound is above it.
    Feasible,
}

impl Status {
    /// The status of a throughput with a proved bound.
    pub fn of(throughput: &Rational, bound: &Rational) -> Self {
        if throughput == bound {
            Status::Optimal
        } else {
            Status::Feasible
        }
    }

    /// The name used in files and `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Feasible => "feasible",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
