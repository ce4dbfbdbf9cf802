//! A plan: the whole answer to one question, self-contained.

use std::fmt;

use oneport_platform::{Platform, Rational};

use crate::{Certificate, Collective, PeriodicSchedule, Problem, SteadyState};

/// The proof status of the steady state's throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The certificate's bound equals the throughput.
    Optimal,
    /// The steady state holds; the certificate's bound is above it.
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

/// Problem, steady state, proof and schedule. The port model is the platform's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The question that the plan answers.
    pub problem: Problem,
    /// The status that is proved.
    pub status: Status,
    /// The best steady state found.
    pub steady_state: SteadyState,
    /// The proof of `upper_bound`.
    pub certificate: Certificate,
    /// No schedule has a larger throughput; proved by `certificate`.
    pub upper_bound: Rational,
    /// A periodic schedule with whole messages.
    pub schedule: PeriodicSchedule,
}

impl Plan {
    /// The platform.
    pub fn platform(&self) -> &Platform {
        self.problem.platform()
    }

    /// The collective.
    pub fn collective(&self) -> &Collective {
        self.problem.collective()
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
