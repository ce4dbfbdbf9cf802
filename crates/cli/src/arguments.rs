//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use oneport::Collective;

use crate::bound::BoundArguments;
use crate::check::CheckArguments;
use crate::compare::CompareArguments;
use crate::export::ExportArguments;
use crate::generate::GenerateArguments;
use crate::inspect::InspectArguments;
use crate::rings::RingsArguments;
use crate::time::TimeArguments;
use crate::topology::TopologyArguments;
use crate::whatif::WhatIfArguments;

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
    Solve(Box<SolveArguments>),
    /// Rate the algorithms that people run today, and yours, against the optimum: rings, trees, recursive doubling, ...
    Compare(Box<CompareArguments>),
    /// Time one operation of so many bytes, with latency and start-up, against a proved lower bound.
    Time(Box<TimeArguments>),
    /// Find the shortest schedule of one reduction executed once.
    Reduce(ReduceArguments),
    /// Check a plan: ports, messages, throughput, certificate. Exit 0 and one line, or exit 1 and the first violation.
    Verify(VerifyArguments),
    /// Print a plan, or draw it.
    Show(ShowArguments),
    /// Convert a platform file.
    Convert(ConvertArguments),
    /// Make a platform file: regular and random graphs, racks, wide-area networks, boxes of GPUs.
    Generate(GenerateArguments),
    /// Solve again with faster, slower or missing links, ports and processors: what is worth buying.
    Whatif(Box<WhatIfArguments>),
    /// Say what is understood of a platform file or of another program's topology, and what is assumed.
    Inspect(InspectArguments),
    /// Write a plan for other programs: events, traces, graphs, GPU libraries, simulators, MPI.
    Export(ExportArguments),
    /// Run another program's schedule with the data it moves: races, deadlocks, wrong results are named.
    Check(CheckArguments),
    /// The best rings over the GPUs of one box, and what they cost beside trees; written as a graph file for NCCL.
    Rings(RingsArguments),
    /// What no schedule exceeds, collective by collective, and the cut that says so; no schedule is made.
    Bound(BoundArguments),
}

/// Custom demands, beside the named collectives.
pub const CUSTOM: &str = "custom";

/// The collectives that can be solved.
fn collectives() -> PossibleValuesParser {
    let named = Collective::forms().iter().map(|form| PossibleValue::new(form.name).help(form.about));
    let custom = PossibleValue::new(CUSTOM).help("The demands listed in the file given by --demands");
    PossibleValuesParser::new(named.chain([custom]))
}

/// Which linear program is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormulationName {
    /// Small and fast: one flow per source or target; for reductions, trees generated as needed.
    Columns,
    /// The papers' own program, corrected: one flow per message or partial result.
    Compact,
}

/// Limits of a run. (Ctrl-C is one more: once ends with the best so far, twice at once.)
#[derive(Debug, Args)]
pub struct LimitArguments {
    /// End after this many seconds of the whole command, reading and checking included, with the best known; never more
    /// than 10 % and half a second later.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub time_limit: Option<String>,
    /// End before more memory than this is used, with the best known: bytes, or 500k, 500M, 2.5G (default: 80 % of what
    /// is available; only Linux says how much is used, elsewhere the limit has no effect).
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    pub memory_limit: Option<String>,
}

/// What is asked: a collective, who takes part, what is moved. (Of which platform, every command says itself.)
#[derive(Debug, Clone, Args)]
pub struct QuestionArguments {
    /// What to schedule.
    #[arg(value_parser = collectives())]
    pub collective: String,
    /// Scatter, broadcast: the node that owns the messages.
    #[arg(long, value_name = "NODE")]
    pub source: Option<String>,
    /// Gather, reduce: the node that receives the messages, or the result.
    #[arg(long, value_name = "NODE")]
    pub target: Option<String>,
    /// Scatter, broadcast: receivers, or "all" processors but the source (the default); reduce-to-several: the nodes
    /// that receive the result.
    #[arg(long, value_name = "A,B|all")]
    pub targets: Option<String>,
    /// Participants, or "all" processors (the default); reductions combine values in this order.
    #[arg(long, value_name = "A,B|all")]
    pub participants: Option<String>,
    /// A process group, instead of the options above; repeat it for several at once. A,B,C@2 runs twice as often as the
    /// others; the first node is the source or target, where there is one.
    #[arg(long = "group", value_name = "A,B,C[@RATE]")]
    pub groups: Vec<String>,
    /// Custom: the demands, a JSON or TOML file: who owns which values, what is wanted where, how often.
    #[arg(long, value_name = "FILE")]
    pub demands: Option<PathBuf>,
    /// Port model: full-duplex, half-duplex, multiport, links (default: the platform file's, else full-duplex).
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Units of a platform file that has none: data over time, as GB/s or Gbit/s.
    #[arg(long, value_name = "UNITS")]
    pub units: Option<String>,
    /// What the file of a topology leaves open.
    #[command(flatten)]
    pub topology: TopologyArguments,
    /// Size of every message: a number, or with a unit, as 64MiB, where the platform has units. For reductions also
    /// A+Bn with n the operands combined, or @FILE: a table by interval.
    #[arg(long, value_name = "S", default_value = "1", allow_hyphen_values = true)]
    pub size: String,
    /// Size of the whole operation, instead of --size, as nccl-tests count it: of all ranks' messages where each rank
    /// has one (scatter, gather, all-gather, reduce-scatter, all-to-all), else of the message. A plain number is in
    /// bytes.
    #[arg(long, value_name = "B", conflicts_with = "size")]
    pub bytes: Option<String>,
    /// Reductions: work of one merge, in the forms of --size (default 1): node i takes work x compute_i for it. Also a
    /// time, as "2 ms", or time per data, as "2 ms/GB", which follows the size.
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub work: Option<String>,
    /// Reductions: the operator is commutative, so operands may be combined in any order.
    #[arg(long)]
    pub commutative: bool,
}

impl QuestionArguments {
    /// Whether the size of the operation is given: what one of it takes is asked for, too.
    pub fn is_sized(&self) -> bool {
        self.bytes.is_some() || self.size != "1"
    }
}

/// `oneport solve`.
#[derive(Debug, Args)]
pub struct SolveArguments {
    /// Platform file: TOML, JSON, bandwidth matrix, GML, joined Tiers JSON; or a topology of another program. Repeat it
    /// to ask the same of several: one answer after another, with --json one object a line.
    #[arg(long = "platform", value_name = "FILE", required = true)]
    pub platforms: Vec<PathBuf>,
    /// The question.
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Fix the period's length, in units of time.
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with_all = ["max_instances", "max_loss", "exact_period"])]
    pub period: Option<String>,
    /// Take the fewest instances per period that lose at most this share of the throughput: 5%, 0.05 or 1/20; 0:
    /// nothing (default: what loses nothing with at most 64 instances, else 1%).
    #[arg(long, value_name = "P", allow_hyphen_values = true, conflicts_with = "exact_period")]
    pub max_loss: Option<String>,
    /// Most instances per period (default 10,000): without --max-loss the fewest that attain the throughput; where none
    /// do, the best within M, the loss stated.
    #[arg(long, value_name = "M", allow_hyphen_values = true, conflicts_with = "exact_period")]
    pub max_instances: Option<String>,
    /// Insist on the optimum, whatever the period.
    #[arg(long)]
    pub exact_period: bool,
    /// Which linear program.
    #[arg(long, value_enum, default_value_t = FormulationName::Columns)]
    pub formulation: FormulationName,
    /// When to end with the best so far.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Print fractions in full beside the decimals.
    #[arg(long)]
    pub exact: bool,
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
    /// What the file of a topology leaves open.
    #[command(flatten)]
    pub topology: TopologyArguments,
    /// When to end.
    #[command(flatten)]
    pub limits: LimitArguments,
}

/// `oneport show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The plan file.
    pub plan: PathBuf,
    /// Say why nothing is faster: the certificate step by step.
    #[arg(long)]
    pub explain: bool,
    /// List everything that the certificate charges.
    #[arg(long)]
    pub prices: bool,
    /// List every path, tree or scheme of the steady state in full.
    #[arg(long)]
    pub patterns: bool,
    /// List which links are busy when.
    #[arg(long)]
    pub slots: bool,
    /// Print fractions in full beside the decimals.
    #[arg(long)]
    pub exact: bool,
    /// Draw one period: a send and a receive row per node, and a compute row where merges happen. F.svg or F.png, as
    /// all drawings.
    #[arg(long, value_name = "F.svg")]
    pub gantt: Option<PathBuf>,
    /// Draw a whole run: start-up, steady periods, clean-up.
    #[arg(long, value_name = "F.svg")]
    pub timeline: Option<PathBuf>,
    /// Periods in which instances start, for --timeline [default: as many as one instance takes, and four].
    #[arg(long, value_name = "K", requires = "timeline", value_parser = clap::value_parser!(u64).range(1..))]
    pub periods: Option<u64>,
    /// --timeline without the plan's dates: everything as soon as possible in the plan's order; says when each run
    /// ends.
    #[arg(long, requires = "timeline")]
    pub eager: bool,
    /// Draw the platform and its flows.
    #[arg(long, value_name = "F.svg")]
    pub graph: Option<PathBuf>,
    /// Draw each tree or scheme: F.svg if there is one, else F-1.svg, F-2.svg, ...; F.dot for Graphviz.
    #[arg(long, value_name = "F.svg")]
    pub tree: Option<PathBuf>,
}

/// `oneport convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The platform file to read.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The platform file to write.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Format of IN (toml, json, matrix, gml, joined, nccl, nvidia-smi, rocm-smi, node-link, graphml, dot,
    /// ibnetdiscover, iblinkinfo, slurm-conf, slurm-yaml, taccl, msccl, astra-sim, hwloc, simgrid); by default told
    /// from its name and content.
    #[arg(long, value_name = "F")]
    pub from: Option<String>,
    /// Format of OUT; by default told from its name.
    #[arg(long, value_name = "F")]
    pub to: Option<String>,
    /// What the file of a topology leaves open.
    #[command(flatten)]
    pub topology: TopologyArguments,
}

/// `oneport reduce`.
#[derive(Debug, Args)]
pub struct ReduceArguments {
    /// Which costs.
    #[command(subcommand)]
    pub model: ReduceModel,
}

/// The two models of costs.
#[derive(Debug, Subcommand)]
pub enum ReduceModel {
    /// Equal costs: every transfer takes D, every merge C; processors merge while they receive (RR-7898).
    Homogeneous(HomogeneousArguments),
    /// Unequal speeds: a transfer takes its sender's time, merging included (Liu-Kuo-Wang 2009).
    Heterogeneous(HeterogeneousArguments),
}

/// Where the answer goes.
#[derive(Debug, Args)]
pub struct AnswerArguments {
    /// Draw a Gantt chart (F.svg or F.png).
    #[arg(long, value_name = "F.svg")]
    pub gantt: Option<PathBuf>,
    /// Draw the tree (F.svg or F.png), or write it for Graphviz (F.dot) or programs (F.json).
    #[arg(long, value_name = "F.svg")]
    pub tree: Option<PathBuf>,
    /// Print one JSON object; up to 100,000 processors it holds the schedule.
    #[arg(long)]
    pub json: bool,
}

/// The trees of RR-7898.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// Shortest schedule (RR-7898, Algorithm 1; Algorithms 2 and 3 under a limit).
    Greedy,
    /// Algorithm 1 as if the smaller cost were 0.
    Binomial,
    /// Algorithm 1 as if both costs were equal.
    Fibonacci,
    /// Every processor sends to the one before it.
    Chain,
    /// All processors send to the first.
    Flat,
}

/// Rules for ties of Algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TieName {
    /// The processor added first.
    Oldest,
    /// The processor added last.
    Newest,
    /// The processor with the fewest children.
    FewestChildren,
    /// The processor with the most children.
    MostChildren,
}

/// `oneport reduce homogeneous`.
#[derive(Debug, Args)]
pub struct HomogeneousArguments {
    /// Number of values, one per processor, 1 to 2^63.
    #[arg(long, value_name = "N", allow_hyphen_values = true, required_unless_present = "ready")]
    pub n: Option<String>,
    /// Time of a transfer, 0 or more.
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub transfer: String,
    /// Time of a merge, 0 or more.
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub compute: String,
    /// At most K transfers at once.
    #[arg(long, value_name = "K", allow_hyphen_values = true, conflicts_with = "max_reducers")]
    pub max_transfers: Option<String>,
    /// At most K processors that merge.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub max_reducers: Option<String>,
    /// Shape of the tree.
    #[arg(long, value_enum, default_value_t = StrategyName::Greedy)]
    pub strategy: StrategyName,
    /// Tie-breaking rule of Algorithm 1; it matters for the binomial and Fibonacci strategies.
    #[arg(long, value_enum, default_value_t = TieName::Oldest)]
    pub tie: TieName,
    /// When each value is ready (instead of 0): the operator is then taken as commutative.
    #[arg(long, value_name = "R,R,...", allow_hyphen_values = true, conflicts_with_all = ["max_transfers", "max_reducers", "strategy", "tie"])]
    pub ready: Option<String>,
    /// The schedule read backwards: a broadcast whose transfers are prepared for C each.
    #[arg(long, conflicts_with_all = ["ready", "strategy"])]
    pub broadcast: bool,
    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArguments,
}

/// Methods for unequal speeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// The fastest exact method for the question, within --max-states.
    Auto,
    /// As auto, without a limit on the states; a gap remains where no method closes it.
    Exact,
    /// Slowest node first: at most twice the optimum.
    Snf,
    /// Dynamic program over the numbers per class.
    Dp,
    /// Two classes: numbers of fast senders per level.
    Levels,
    /// Several classes: time-expanded flow.
    Slots,
    /// Branch and bound for arbitrary speeds.
    Search,
}

/// `oneport reduce heterogeneous`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("speeds").required(true)))]
pub struct HeterogeneousArguments {
    /// Transmission time of each processor.
    #[arg(long, value_name = "T,T,...", allow_hyphen_values = true, group = "speeds")]
    pub times: Option<String>,
    /// Transmission time and number of senders of each class; the destination is one more processor.
    #[arg(long, value_name = "T:N,T:N,...", allow_hyphen_values = true, group = "speeds")]
    pub classes: Option<String>,
    /// The processor of --times that ends with the result, counted from 0 (default: one more processor).
    #[arg(long, value_name = "I", allow_hyphen_values = true, conflicts_with = "classes")]
    pub destination: Option<String>,
    /// Which algorithm.
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    pub method: MethodName,
    /// Most states a search visits before it answers with the best schedule and bound known.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_states: Option<String>,
    /// When to end with the best so far.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Also send the result to all: slowest node first into the fastest processor, then fastest node first.
    #[arg(long, conflicts_with_all = ["classes", "destination", "method"])]
    pub all_reduce: bool,
    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArguments,
}
