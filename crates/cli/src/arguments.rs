//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Optimal collective communication on heterogeneous platforms: exact throughput, proof, schedule.
#[derive(Debug, Parser)]
#[command(name = "oneport", version, arg_required_else_help = true, max_term_width = 110)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the optimal steady-state throughput of a collective, its proof and a periodic schedule.
    Solve(SolveArguments),
    /// Check a plan: ports, messages, throughput, certificate. Exit 0 and one line, or exit 1 and the first violation.
    Verify(VerifyArguments),
    /// Print a plan, or draw it.
    Show(ShowArguments),
    /// Convert a platform file.
    Convert(ConvertArguments),
}

/// The collectives that can be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CollectiveName {
    /// The source sends a distinct message to each target.
    Scatter,
    /// Each participant sends a distinct message to the target.
    Gather,
    /// Each participant sends a distinct message to each other participant.
    AllToAll,
    /// The participants' values are combined into one at the target.
    Reduce,
    /// One reduction per participant, with the result at that participant.
    ReduceScatter,
}

/// Which linear program is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormulationName {
    /// Small and fast: one flow per source or target; for reductions, trees generated as needed.
    Columns,
    /// The papers' own program, corrected: one commodity per message or partial result.
    Compact,
}

/// `oneport solve`.
#[derive(Debug, Args)]
pub struct SolveArguments {
    /// What to schedule.
    pub collective: CollectiveName,
    /// Platform file: TOML, JSON, bandwidth matrix, GML, joined Tiers JSON.
    #[arg(long, value_name = "FILE")]
    pub platform: PathBuf,
    /// Scatter: the node that owns the messages.
    #[arg(long, value_name = "NODE")]
    pub source: Option<String>,
    /// Gather, reduce: the node that receives the messages, or the result.
    #[arg(long, value_name = "NODE")]
    pub target: Option<String>,
    /// Scatter: receivers, or "all" processors but the source (the default).
    #[arg(long, value_name = "A,B|all")]
    pub targets: Option<String>,
    /// Participants, or "all" processors (the default); reductions combine values in this order.
    #[arg(long, value_name = "A,B|all")]
    pub participants: Option<String>,
    /// Port model: full-duplex, half-duplex, multiport, links (default: the platform file's, else full-duplex).
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Size of every message. For reductions also A+Bn with n the operands combined, or @FILE: a table by interval.
    #[arg(long, value_name = "S", default_value = "1", allow_hyphen_values = true)]
    pub size: String,
    /// Reductions: work of one merge, in the forms of --size (default 1); node i takes work x compute_i for it.
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub work: Option<String>,
    /// Reductions: the operator is commutative, so operands may be combined in any order.
    #[arg(long)]
    pub commutative: bool,
    /// Fix the period's length.
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with_all = ["max_instances", "exact_period"])]
    pub period: Option<String>,
    /// Most instances per period; beyond it the optimum is approached with whole messages and the loss stated.
    #[arg(long, value_name = "M", allow_hyphen_values = true, conflicts_with = "exact_period")]
    pub max_instances: Option<String>,
    /// Insist on the optimum, whatever the period.
    #[arg(long)]
    pub exact_period: bool,
    /// Which linear program.
    #[arg(long, value_enum, default_value_t = FormulationName::Columns)]
    pub formulation: FormulationName,
    /// Stop the linear program after this many seconds and answer with the best steady state and bound known.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub time_limit: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Write the plan, self-contained JSON.
    #[arg(short = 'o', long = "output", value_name = "PLAN")]
    pub output: Option<PathBuf>,
}

/// `oneport verify`.
#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// The plan file.
    pub plan: PathBuf,
    /// Also check that the plan is for this platform.
    #[arg(long, value_name = "FILE")]
    pub platform: Option<PathBuf>,
}

/// `oneport show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The plan file.
    pub plan: PathBuf,
    /// Draw one period: a send and a receive row per node, and a compute row where merges happen.
    #[arg(long, value_name = "F.svg")]
    pub gantt: Option<PathBuf>,
    /// Draw a whole run: start-up, steady periods, clean-up.
    #[arg(long, value_name = "F.svg")]
    pub timeline: Option<PathBuf>,
    /// Periods in which instances start, for --timeline.
    #[arg(long, value_name = "K", default_value_t = 4, requires = "timeline")]
    pub periods: u64,
    /// Draw the platform and its flows.
    #[arg(long, value_name = "F.svg")]
    pub graph: Option<PathBuf>,
    /// Draw each reduction tree: F.svg if there is one, else F-1.svg, F-2.svg, ...; F.dot for Graphviz.
    #[arg(long, value_name = "F.svg")]
    pub tree: Option<PathBuf>,
}

/// `oneport convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The platform file to read.
    pub input: PathBuf,
    /// The platform file to write.
    pub output: PathBuf,
    /// Format of IN (toml, json, matrix, gml, joined); by default told from its name and content.
    #[arg(long, value_name = "F")]
    pub from: Option<String>,
    /// Format of OUT; by default told from its name.
    #[arg(long, value_name = "F")]
    pub to: Option<String>,
}
