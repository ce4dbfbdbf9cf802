#![doc = include_str!("../README.md")]

mod broadcast;
mod errata;
mod form;
mod linear;
mod matchings;
mod messages;
mod names;
mod patterns;
mod ports;
mod program;
mod reduce;

use std::io;

use oneport_exact::Sense;
use oneport_plan::{Commodity, Plan, Problem};
use oneport_platform::{LinkId, Platform, Rational};
use oneport_watch::Watch;

pub use broadcast::Message;
pub use errata::Errata;
pub use form::{Form, Limits, ProgramError};
pub use linear::{Act, Equation, Line, Linear, Port, Quantity, Solvable};
pub use matchings::Matchings;
pub use patterns::{MOST_COLUMNS, MOST_STEPS};
pub use program::Size;
use program::{Out, Paper};
pub use reduce::Reductions;

/// Which of the papers' programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// SSSP(G), scatter (RR-4872 section 3.1).
    Sssp,
    /// SSPA2A(G), all-to-all (RR-4872 section 3.5).
    Sspa2a,
    /// SSR(G), reduce in order (RR-4872 section 4.2).
    Ssr,
    /// The flow program of a broadcast by port times (RR-2004-32 sections 2.2.1 and 2.2.2).
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

    /// The collective of the program, or the usual one.
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

/// A program as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    text: Vec<u8>,
    /// How large it is.
    pub size: Size,
}

impl Program {
    /// The program in the CPLEX LP format.
    pub fn to_lp(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }

    fn written(
        write: impl FnOnce(&mut dyn io::Write) -> Result<Size, ProgramError>,
    ) -> Result<Program, ProgramError> {
        let mut text = Vec::new();
        let size = write(&mut text)?;
        Ok(Program { text, size })
    }
}

/// A program as text. Large ones belong into a file: [`write`](fn@write).
///
/// # Errors
/// Those of [`write`](fn@write).
pub fn build(which: Which, problem: &Problem, form: Form) -> Result<Program, ProgramError> {
    Program::written(|out| write(which, problem, form, out, &Watch::unlimited()))
}

/// Writes a program row by row. One row at a time is in memory, besides the names of nodes and the list of messages.
///
/// # Errors
/// See [`ProgramError`]. [`write_restricted`] writes (P'). The text in `out` before an error is not a program.
pub fn write(
    which: Which,
    problem: &Problem,
    form: Form,
    out: &mut dyn io::Write,
    watch: &Watch,
) -> Result<Size, ProgramError> {
    let has_rows = matches!(which, Which::Sssp | Which::Sspa2a | Which::Ssr);
    if !has_rows || form == Form::Printed {
        check_shared(problem)?;
    }
    let paper = Paper {
        out: Out::Text(out),
        watch,
    };
    match which {
        Which::Sssp => messages::build(problem, form, messages::Ends::OneSource, paper),
        Which::Sspa2a => messages::build(problem, form, messages::Ends::Both, paper),
        Which::Ssr => reduce::build(problem, form, paper),
        Which::Broadcast => broadcast::build(problem, form, paper),
        Which::P => matchings::primal(problem, form, paper),
        Which::D => matchings::dual(problem, form, paper),
        Which::PPrime => Err(ProgramError::NoPlan),
    }
}

/// (P') as text, over the patterns and matchings of a plan whose schedule attains its bound.
///
/// # Errors
/// See [`ProgramError`].
pub fn restricted(plan: &Plan<'_>, form: Form) -> Result<Program, ProgramError> {
    Program::written(|out| write_restricted(plan, form, out, &Watch::unlimited()))
}

/// Writes (P') row by row, over the patterns and matchings of a plan whose schedule attains its bound.
///
/// # Errors
/// See [`ProgramError`].
pub fn write_restricted(
    plan: &Plan<'_>,
    form: Form,
    out: &mut dyn io::Write,
    watch: &Watch,
) -> Result<Size, ProgramError> {
    check_shared(plan.problem)?;
    let paper = Paper {
        out: Out::Text(out),
        watch,
    };
    matchings::restricted(plan, form, paper)
}

/// The papers have no shared capacities. The corrected programs over busy times of links have a row for each.
fn check_shared(problem: &Problem) -> Result<(), ProgramError> {
    let refused = problem
        .platform()
        .without_shared("this program (sssp, sspa2a and ssr in the corrected form do)");
    refused.map_err(|error| ProgramError::Problem(error.into()))
}

/// SSSP and SSPA2A as numbers, for any messages that travel alone. `time` is that of a message on a link.
///
/// # Errors
/// None: nothing limits the work.
pub fn messages(
    platform: &Platform,
    commodities: &[Commodity],
    time: &dyn Fn(LinkId) -> Rational,
    errors: Errata,
    limits: Limits,
) -> Result<Linear, ProgramError> {
    let messages = messages::Messages {
        platform,
        commodities,
        time,
        errors,
    };
    numbers("sspa2a", Sense::Maximize, |program| {
        messages.add_rows(program, limits)
    })
}

/// SSR as numbers, for one reduction or several of equal throughput.
///
/// # Errors
/// None: nothing limits the work.
pub fn reductions(
    reductions: Reductions<'_>,
    errors: Errata,
    limits: Limits,
) -> Result<Linear, ProgramError> {
    let all = reduce::Readings {
        given: reductions,
        errors,
    };
    let mut linear = numbers("ssr", Sense::Maximize, |program| {
        all.add_rows(program, limits)
    })?;
    if errors.negative_rates {
        let tasks = linear.quantities().into_iter();
        linear.free = tasks
            .filter(|quantity| matches!(quantity, Quantity::Task { .. }))
            .collect();
    }
    Ok(linear)
}

/// The flow program of a broadcast as numbers, for one message or several. With [`Limits::Papers`] there is one
/// message, and a link's time covers its copies. With [`Limits::Resources`] a variable counts each message's copies on
/// a link.
///
/// # Errors
/// None: nothing limits the work.
pub fn copies(
    platform: &Platform,
    messages: &[Message<'_>],
    errors: Errata,
    limits: Limits,
) -> Result<Linear, ProgramError> {
    let copies = broadcast::Copies {
        platform,
        messages,
        errors,
    };
    numbers("broadcast", Sense::Maximize, |program| {
        copies.add_rows(program, limits)
    })
}

impl Matchings<'_> {
    /// (P) over these matchings and patterns, as numbers.
    ///
    /// # Errors
    /// None: nothing limits the work.
    pub fn primal(&self) -> Result<Linear, ProgramError> {
        numbers("p", Sense::Maximize, |program| self.add_primal(program))
    }

    /// (D), as numbers.
    ///
    /// # Errors
    /// None: nothing limits the work.
    pub fn dual(&self) -> Result<Linear, ProgramError> {
        numbers("d", Sense::Minimize, |program| self.add_dual(program))
    }
}

/// Has rows written as numbers.
fn numbers(
    code: &'static str,
    sense: Sense,
    write: impl FnOnce(&mut program::Program<'_>) -> Result<(), ProgramError>,
) -> Result<Linear, ProgramError> {
    let (mut linear, watch) = (Linear::new(sense), Watch::unlimited());
    let paper = Paper {
        out: Out::Numbers(&mut linear),
        watch: &watch,
    };
    let mut program = program::Program::new(paper, code, sense);
    write(&mut program)?;
    program.end()?;
    Ok(linear)
}
