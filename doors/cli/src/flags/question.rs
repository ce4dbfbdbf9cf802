//! Parses the options that define a problem: collective, participants, sizes, work.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use oneport_questions::{CUSTOM, Demands, Group, Nodes, Question, called, forms, no_collective};

use crate::flags::platform::{ReadingArguments, one, source};

/// Reads any text: which of the words is the collective is decided later. Help and completions list the names.
#[derive(Clone)]
struct Collectives;

impl TypedValueParser for Collectives {
    type Value = String;

    fn parse_ref(
        &self,
        _: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> std::result::Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let named = forms().map(|form| PossibleValue::new(form.name).help(form.about));
        let custom =
            PossibleValue::new(CUSTOM).help("The demands listed in the file given by --demands");
        Some(Box::new(named.chain([custom])))
    }
}

/// Roles and volumes, for collectives and for the papers' programs.
#[derive(Debug, Clone, Args)]
pub struct PartArguments {
    /// Scatter, broadcast: the node that owns the messages.
    #[arg(long, value_name = "NODE")]
    pub source: Option<String>,
    /// Stands for --source or --target, whichever the collective has.
    #[arg(long, value_name = "NODE", conflicts_with_all = ["source", "target"])]
    pub root: Option<String>,
    /// Gather, reduce: the node that receives the messages, or the result.
    #[arg(long, value_name = "NODE")]
    pub target: Option<String>,
    /// All-to-all: the nodes that send, or "all" processors (the default if --targets is given), instead of
    /// --participants.
    #[arg(long, value_name = "A,B|all")]
    pub sources: Option<String>,
    /// Scatter, broadcast: receivers, or "all" processors except the source (the default); all-to-all: the nodes that
    /// receive from each source; reduce-to-several: the nodes that receive the result.
    #[arg(long, value_name = "A,B|all")]
    pub targets: Option<String>,
    /// Participants by names or patterns (box0.*, gpu0..7, cn[001-004]), or "all" processors (the default); with
    /// --in-order reductions combine values in this order. Scatter, broadcast: the source and its receivers, instead of
    /// --targets.
    #[arg(long, value_name = "A,B|all")]
    pub participants: Option<String>,
    /// Size of each message: a number, or with a unit, as 64MiB, if the platform has units (default: 1 of its unit of
    /// data, so 1 GB on a platform in GB/s and 125 MB on one in Gbit/s; a barrier's token there: 8 bytes
    /// unless another size than 1 is given). Reductions also accept A+Bn, where n operands are combined, or @FILE, a
    /// table by interval.
    #[arg(
        long,
        value_name = "S",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub size: String,
    /// Reductions: work of one merge, in the forms of --size (default 1); it takes node i work x compute_i. Also a
    /// time, as "2 ms", or a time per data, as "2 ms/GB". Reduce also accepts @FILE with a list of entries by task and
    /// processor: {"task": [k, l, m], "node": "P", "time": "1/4"}.
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub work: Option<String>,
}

/// A collective, its roles and its volumes.
#[derive(Debug, Clone, Args)]
pub struct QuestionArguments {
    /// The collective to schedule; names of libraries (MPI_Allreduce, bcast) are understood.
    #[arg(value_name = "COLLECTIVE", value_parser = Collectives, index = 1, hide_possible_values = false)]
    pub collective: String,
    /// The platform: a file of ours (TOML, JSON), a matrix of bandwidths, or a topology of another program (a dump of
    /// NCCL, nvidia-smi topo -m, Slurm, SimGrid, a graph, ...).
    #[arg(value_name = "FILE", index = 2)]
    pub file: Option<PathBuf>,
    /// The platform, instead of FILE. In solve it is repeatable: the answers are printed in sequence, with --json one
    /// object per line.
    #[arg(short = 'p', long = "platform", value_name = "FILE")]
    pub platforms: Vec<PathBuf>,
    /// Roles and volumes.
    #[command(flatten)]
    pub part: PartArguments,
    /// A process group, instead of the options above; repeat it for several groups at once. A,B,C@2 runs twice as often
    /// as the others; the first node is the source or target of a rooted collective.
    #[arg(long = "group", value_name = "A,B,C[@RATE]")]
    pub groups: Vec<String>,
    /// Custom: a JSON or TOML file of demands. A demand lists owners of values, receivers and a rate.
    #[arg(long, value_name = "FILE")]
    pub demands: Option<PathBuf>,
    /// Model and units of the platform.
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Size of the whole operation, instead of --size, as nccl-tests count it: the sum of all ranks' messages for
    /// scatter, gather, all-gather, reduce-scatter and all-to-all, else one message. A plain number is in bytes.
    #[arg(long, value_name = "B", conflicts_with = "size")]
    pub bytes: Option<String>,
    /// Reductions: operands are combined in the order of --participants, for operators that do not commute. By default
    /// they may be combined in any order, as the built-in operators of NCCL and MPI allow.
    #[arg(long, conflicts_with = "commutative")]
    pub in_order: bool,
    /// Reductions: operands may be combined in any order. That is the default.
    #[arg(long)]
    pub commutative: bool,
    /// Forms that end in -v: how many messages of --size for each target, of each participant; all-to-all-v: a row for
    /// each participant with a count for each, 0 for itself, rows separated by ';'. @FILE: the same, a row on a line.
    #[arg(long, value_name = "N,N[;N,N]|@FILE", allow_hyphen_values = true)]
    pub counts: Option<String>,
}

impl QuestionArguments {
    /// The collective and the platform's file among the words: the collective is first, but both orders are read.
    fn words(&self) -> (Option<&'static str>, Option<&Path>) {
        let file = self.file.as_deref();
        match (called(&self.collective), file.and_then(Path::to_str)) {
            (None, Some(second)) if called(second).is_some() => {
                (called(second), Some(Path::new(&self.collective)))
            }
            (name, _) => (name, file),
        }
    }

    /// The collective's name.
    ///
    /// # Errors
    /// No word is a collective.
    pub fn name(&self) -> Result<&'static str> {
        self.words()
            .0
            .ok_or_else(|| no_collective(&self.collective).into())
    }

    /// The platforms' files.
    ///
    /// # Errors
    /// No file is given.
    pub fn paths(&self) -> Result<Vec<&Path>> {
        // A mistaken collective is the better message.
        self.name()?;
        let options = self.platforms.iter().map(PathBuf::as_path);
        let all: Vec<&Path> = self.words().1.into_iter().chain(options).collect();
        match &all[..] {
            [] => one(None, None).map(|path| vec![path]),
            _ => Ok(all),
        }
    }

    /// The platform's file.
    ///
    /// # Errors
    /// No file is given, or several.
    pub fn path(&self) -> Result<&Path> {
        let all = self.paths()?;
        one(all.first().copied(), all.get(1).copied())
    }

    /// The question on the platform of this file.
    ///
    /// # Errors
    /// Those of [`name`](Self::name).
    pub fn on(&self, path: &Path) -> Result<Question> {
        let commutative = match (self.in_order, self.commutative) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        };
        Ok(Question {
            platform: source(path),
            read: self.reading.reading(),
            changes: self.reading.change.changes.clone(),
            idle: self.reading.idle(),
            collective: self.name()?.to_string(),
            groups: self.groups.iter().cloned().map(Group::Text).collect(),
            demands: self.demands.clone().map(Demands::File),
            counts: self.counts.clone(),
            bytes: self.bytes.clone(),
            commutative,
            ..self.part.question()
        })
    }
}

impl PartArguments {
    /// A question with these roles and volumes.
    pub fn question(&self) -> Question {
        let nodes = |text: &Option<String>| text.clone().map(Nodes::Text);
        Question {
            source: self.source.clone(),
            root: self.root.clone(),
            target: self.target.clone(),
            sources: nodes(&self.sources),
            targets: nodes(&self.targets),
            participants: nodes(&self.participants),
            size: Some(self.size.clone()),
            work: self.work.clone(),
            ..Question::default()
        }
    }
}
