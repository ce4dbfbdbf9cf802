#![doc = include_str!("../README.md")]

mod broadcast;
mod form;
mod matchings;
mod messages;
mod names;
mod patterns;
mod ports;
mod program;
mod reduce;

use oneport_plan::{Plan, Problem};

pub use form::{Form, ProgramError};
pub use patterns::{MOST_COLUMNS, MOST_STEPS};
pub use program::{Program, Relation, Row, Sense, Variable};

/// Which of the papers' programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// SSSP(G), scatter (RR-4872 section 3.1).
    Sssp,
    /// SSPA2A(G), all-to-all (RR-4872 section 3.5).
    Sspa2a,
    /// SSR(G), reduce in order (RR-4872 section 4.2).
    Ssr,
    /// The flow program of a broadcast, bidirectional (RR-2004-32 section 2.2.1).
    Broadcast,
    /// (P), patterns and matchings (RR-2004-32 sections 3.2 and 4).
    P,
    /// (P'), the columns of an optimal solution (RR-2004-32 section 3.4).
    PPrime,
    /// (D), the dual of (P) (RR-2004-32 section 3.3).
    D,
}

impl Which {
    /// All of them.
    pub const ALL: [Which; 7] = [
        Which::Sssp,
        Which::Sspa2a,
        Which::Ssr,
        Which::Broadcast,
        Which::P,
        Which::PPrime,
        Which::D,
    ];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Which::Sssp => "sssp",
            Which::Sspa2a => "sspa2a",
            Which::Ssr => "ssr",
            Which::Broadcast => "broadcast",
            Which::P => "p",
            Which::PPrime => "p-prime",
            Which::D => "d",
        }
    }

    /// The collective that it is about, or that it is usually asked for.
    pub fn collective(self) -> &'static str {
        match self {
            Which::Sssp => "scatter",
            Which::Sspa2a => "all-to-all",
            Which::Ssr => "reduce",
            Which::Broadcast | Which::P | Which::PPrime | Which::D => "broadcast",
        }
    }

    /// Whether it is about other collectives too.
    pub fn is_general(self) -> bool {
        match self {
            Which::Sssp | Which::Sspa2a | Which::Ssr | Which::Broadcast => false,
            Which::P | Which::PPrime | Which::D => true,
        }
    }
}

/// Writes a program down.
///
/// # Errors
/// See [`ProgramError`]; (P') is made by [`restricted`].
pub fn build(which: Which, problem: &Problem, form: Form) -> Result<Program, ProgramError> {
    match which {
        Which::Sssp => messages::build(problem, form, messages::Ends::OneSource),
        Which::Sspa2a => messages::build(problem, form, messages::Ends::Both),
        Which::Ssr => reduce::build(problem, form),
        Which::Broadcast => broadcast::build(problem, form),
        Which::P => matchings::primal(problem, form),
        Which::D => matchings::dual(problem, form),
        Which::PPrime => Err(ProgramError::NoPlan),
    }
}

/// Writes (P') down, over the patterns and matchings of a plan whose schedule attains its bound.
///
/// # Errors
/// See [`ProgramError`].
pub fn restricted(plan: &Plan, form: Form) -> Result<Program, ProgramError> {
    matchings::restricted(plan, form)
}
