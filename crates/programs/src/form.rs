//! Which reading of a program is written, and why one is not.

use std::io;

use oneport_plan::ProblemError;
use oneport_platform::{Platform, PortModel, Rational};
use oneport_watch::Limit;

use crate::errata::Errata;

/// Which reading of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it should read.
    Corrected,
    /// As the paper prints it, with the errors of docs/errata.md.
    Printed,
}

impl Form {
    /// The errors of this reading, those of the paper if it is `Printed`.
    pub(crate) fn errors(self, printed: Errata) -> Errata {
        match self {
            Form::Corrected => Errata::NONE,
            Form::Printed => printed,
        }
    }

    pub(crate) fn title(self, title: &str) -> String {
        match self {
            Form::Corrected => format!("{title}; corrected."),
            Form::Printed => format!("{title}; as printed (docs/errata.md says what is wrong)."),
        }
    }
}

/// Which rows limit ports and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// The paper's: (1) a link, (2) the sends of a node, (3) its receives.
    Papers,
    /// One for each resource of the platform under any port model, shared capacities included.
    Resources,
}

/// Why a program is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// A program of another collective.
    #[error("{program} is a program of {right}, not of {found}")]
    Collective {
        /// The program's name.
        program: &'static str,
        /// The collective of the program.
        found: &'static str,
        /// The program's collective.
        right: &'static str,
    },
    /// A node whose ports the program's rows do not describe.
    #[error("{program}: node '{node}' is {model}; the rows describe {right}")]
    Model {
        /// The program's name.
        program: &'static str,
        /// The node's name.
        node: String,
        /// Its port model.
        model: PortModel,
        /// Which would be right.
        right: &'static str,
    },
    /// A switch that would have to copy.
    #[error("{program}: '{node}' has replicates = false; the paper's nodes copy what they receive")]
    Switch {
        /// The program's name.
        program: &'static str,
        /// The node's name.
        node: String,
    },
    /// Exponentially many columns.
    #[error(
        "{program}: the {what} are enumerated, and there are more than {most} (or {steps} steps); take a smaller platform"
    )]
    TooMany {
        /// The program's name.
        program: &'static str,
        /// "patterns" or "matchings".
        what: &'static str,
        /// Most of them.
        most: usize,
        /// Most steps of the enumeration.
        steps: usize,
    },
    /// (P') without a plan.
    #[error(
        "p-prime lists the patterns and matchings of an optimal plan; solve the question first"
    )]
    NoPlan,
    /// A plan whose matchings do not carry the optimum.
    #[error(
        "p-prime: the plan's schedule has throughput {schedule}, proved is {optimum}; ask for the exact period"
    )]
    NotAttained {
        /// Throughput of the schedule.
        schedule: Box<Rational>,
        /// The bound.
        optimum: Box<Rational>,
    },
    /// A limit ended the work.
    #[error(
        "{program}: {limit} ended the writing after {rows} rows; the program has some {variables} variables; take fewer \
         participants or a larger limit"
    )]
    Stopped {
        /// The program's name.
        program: &'static str,
        /// The limit.
        limit: Limit,
        /// Rows written until then.
        rows: u64,
        /// Variables of the whole program, at most.
        variables: u64,
    },
    /// A limit ended an enumeration.
    #[error(
        "{program}: {limit} ended the enumeration of {what} after {steps} steps; take a smaller platform or a larger limit"
    )]
    Unlisted {
        /// The program's name.
        program: &'static str,
        /// "patterns" or "matchings".
        what: &'static str,
        /// The limit.
        limit: Limit,
        /// Steps of the enumeration until then.
        steps: usize,
    },
    /// A row that does not fit into memory.
    #[error(
        "{program}: the memory limit leaves no room for the longest row, which takes some {bytes} bytes; the program has \
         some {variables} variables; take fewer participants or a larger limit"
    )]
    TooLarge {
        /// The program's name.
        program: &'static str,
        /// Variables of the whole program, at most.
        variables: u64,
        /// Memory that the longest row takes.
        bytes: u64,
    },
    /// The text was not taken.
    #[error("cannot write the program: {message}")]
    Output {
        /// The kind of error.
        kind: io::ErrorKind,
        /// Message of the operating system.
        message: String,
    },
    /// A plan that does not fit together.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Refuses nodes that cannot copy.
pub(crate) fn check_switches(
    platform: &Platform,
    program: &'static str,
) -> Result<(), ProgramError> {
    match platform.nodes().iter().find(|node| !node.replicates) {
        None => Ok(()),
        Some(node) => Err(ProgramError::Switch {
            program,
            node: node.name.clone(),
        }),
    }
}
