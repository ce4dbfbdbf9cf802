//! Which reading of a program is written, and why one is not.

use std::io;

use oneport_plan::ProblemError;
use oneport_platform::{Platform, PortModel, Rational};
use oneport_watch::Limit;

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
    pub(crate) fn errors(self, printed: Errors) -> Errors {
        match self {
            Form::Corrected => Errors::NONE,
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

/// Printed errors, one switch each. docs/errata.md describes them. All off: the corrected program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Errors {
    /// E000-1: the conservation law also binds the source.
    pub source_conserves: bool,
    /// E000-2, E000-4, E000-10: a message or result may leave its target and return to its source.
    pub returns: bool,
    /// E000-3: the last line of SSPA2A counts the messages `m_{k,l}` that reach `P_k`.
    pub counted_at_source: bool,
    /// E000-11: (10) is waived for `v[i,i]` at the node numbered `i`, also if another node owns the value.
    pub node_numbers: bool,
    /// E000-12: (10) is waived at the target for `v[0,n-1]`, with `n` the number of nodes.
    pub nodes_for_operands: bool,
    /// E000-13: `v[k,m]` is used by `T[n,k,m]`, as the text above (10) says.
    pub wrong_split: bool,
    /// E000-30: send and cons may be negative. s and alpha may not.
    pub negative_rates: bool,
    /// E003-1: the time on a link lacks the factor `c(i, j)`.
    pub no_cost: bool,
    /// E003-2: the right side of the conservation law reads `s(P_j -> P_i, m_k)`, summed over the links out of `P_i`.
    pub wrong_right_side: bool,
    /// E003-3: conserved amounts are also at most 1.
    pub at_most_one: bool,
    /// E003-5: the throughput counts `v[0,m]` for every `m`.
    pub any_part: bool,
    /// E003-6: the throughput leaves out the merge `T[0,N-1,N]` at the target.
    pub short_sum: bool,
    /// E004-1: the time of a link is bounded from above by its messages.
    pub time_from_above: bool,
    /// E004-14: (edge_k) counts a link once per pattern, however many of its messages use it.
    pub once_per_pattern: bool,
    /// E004-15: (edge_k) is an equation, so that `v` may be negative.
    pub edge_equation: bool,
}

impl Errors {
    /// None: the corrected programs.
    pub const NONE: Errors = Errors {
        source_conserves: false,
        returns: false,
        counted_at_source: false,
        node_numbers: false,
        nodes_for_operands: false,
        wrong_split: false,
        negative_rates: false,
        no_cost: false,
        wrong_right_side: false,
        at_most_one: false,
        any_part: false,
        short_sum: false,
        time_from_above: false,
        once_per_pattern: false,
        edge_equation: false,
    };

    /// Those of SSSP(G) in RR-4872, section 3.1.
    pub const SSSP: Errors = Errors {
        source_conserves: true,
        returns: true,
        ..Errors::NONE
    };

    /// Those of SSPA2A(G) in RR-4872, section 3.5, whose conservation law leaves out both ends of a message.
    pub const SSPA2A: Errors = Errors {
        returns: true,
        counted_at_source: true,
        ..Errors::NONE
    };

    /// Those of SSR(G) in RR-4872, section 4.2, read with operand `i` at its owner and `n - 1 = N`: otherwise its
    /// throughput is 0 or worse.
    pub const SSR: Errors = Errors {
        returns: true,
        ..Errors::NONE
    };

    /// Those of the flow programs in RR-2004-32, section 2.2.
    pub const BROADCAST: Errors = Errors {
        returns: true,
        time_from_above: true,
        ..Errors::NONE
    };

    /// Those of (P) and (D) in RR-2004-32, sections 3 and 4.
    pub const MATCHINGS: Errors = Errors {
        once_per_pattern: true,
        edge_equation: true,
        ..Errors::NONE
    };
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
