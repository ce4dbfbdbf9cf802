//! Parses the options that define a problem: collective, participants, sizes, work.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use num_traits::Signed;
use oneport::plan::{Form, Member, Role};
use oneport::platform::{Pattern, names, parts};
use oneport::{
    Amount, Bandwidth, Collective, NodeId, Platform, Problem, ProblemError, Units, Volumes, files,
    parse_rational,
};

use crate::flags::counts;
use crate::flags::idle::LeftOut;
use crate::flags::latency::KnownLatencies;
use crate::flags::platform::{ReadingArguments, one};
use crate::words::output::few;
use crate::words::usage::usage;

/// The collective's name for custom demands.
pub const CUSTOM: &str = "custom";

/// The name of an all-to-all, and its name with separate sources and targets.
const ALL_TO_ALL: (&str, &str) = ("all-to-all", "sources-to-targets");

/// The name of a collective on the command line.
pub fn asked_as(name: &'static str) -> &'static str {
    if name == ALL_TO_ALL.1 {
        ALL_TO_ALL.0
    } else {
        name
    }
}

/// The collectives that can be solved.
fn forms() -> impl Iterator<Item = &'static Form> {
    let all = Collective::forms().iter().copied();
    all.filter(|form| form.name == asked_as(form.name))
}

/// The name of a collective that is called so, as libraries write it, or [`CUSTOM`].
pub fn called(text: &str) -> Option<&'static str> {
    let named = Form::called(text).map(|form| form.name);
    named
        .filter(|name| *name == asked_as(name))
        .or_else(|| (text == CUSTOM).then_some(CUSTOM))
}

/// The error about a text that names no collective.
pub fn no_collective(text: &str) -> anyhow::Error {
    let names = || forms().map(|form| form.name).chain([CUSTOM]);
    let list = names().collect::<Vec<_>>().join(", ");
    let shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    usage(match files::closest(text, names()) {
        Some(close) => format!(
            "there is no collective '{shown}'; did you mean '{close}'? The collectives are {list}"
        ),
        None => format!("there is no collective '{shown}'; the collectives are {list}"),
    })
}

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
            .ok_or_else(|| no_collective(&self.collective))
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

    /// Reads the platform under the requested model and in the requested units, with its changes.
    pub fn platform(&self, path: &Path) -> Result<Platform> {
        Ok(self.reading.read(path)?.platform)
    }

    /// As [`QuestionArguments::platform`], with latencies: those of kinds of links are assumed where nothing states
    /// them.
    pub fn platform_for_times(&self, path: &Path) -> Result<(Platform, KnownLatencies)> {
        let (imported, latencies) = self.reading.read_for_times(path)?;
        Ok((imported.platform, latencies))
    }

    /// Whether operands may be combined in any order: so they may unless --in-order is given, or what needs an order: a
    /// table of sizes or of work by interval, or one of these nodes without compute.
    fn any_order<'n>(
        &self,
        platform: &Platform,
        mut nodes: impl Iterator<Item = &'n NodeId>,
    ) -> bool {
        let is_table =
            |amount: Option<Amount>| matches!(amount, Some(Amount::Table(_) | Amount::Tasks(_)));
        let size = || files::read_amount(Path::new(self.part.size.strip_prefix('@')?)).ok();
        let work = || {
            let path = self.part.work.as_deref()?.strip_prefix('@')?;
            files::read_work(Path::new(path), platform).ok()
        };
        let needs_order = is_table(size())
            || is_table(work())
            || nodes.any(|&node| !platform.node(node).is_processor());
        self.commutative || !(self.in_order || needs_order)
    }

    /// Changes the question for a method that keeps the order of operands, unless `--commutative` is given.
    pub fn keeping_order(&self) -> Result<QuestionArguments> {
        let form = Form::find(self.name()?);
        let in_order = self.in_order || !self.commutative && form.is_some_and(Form::may_keep_order);
        Ok(QuestionArguments {
            in_order,
            ..self.clone()
        })
    }

    /// Whether the size of the operation is given: then the time of one operation is computed too.
    pub fn is_sized(&self) -> bool {
        self.bytes.is_some() || self.part.size != "1"
    }
}

/// The options that a named collective takes.
fn options_of(form: &Form) -> Vec<String> {
    let roles = form.roles.iter().map(|role| format!("--{}", role.key));
    let work = form.combines.then(|| "--work".to_string());
    let order = form.may_keep_order().then(|| "--in-order".to_string());
    let counts = form.counted.then(|| "--counts".to_string());
    roles.chain(work).chain(order).chain(counts).collect()
}

/// Whether a collective has one root, and receivers beside it: then --participants may name all of them.
fn spreads(form: &Form) -> bool {
    form.roles.first().is_some_and(|role| !role.many)
        && form.roles.iter().all(|role| role.key != "participants")
}

/// The text of a role's option; `None` if it was not given.
fn given<'a>(arguments: &'a QuestionArguments, role: &Role) -> Option<&'a str> {
    let part = &arguments.part;
    let (source, target) = if part.root.is_some() {
        (&part.root, &part.root)
    } else {
        (&part.source, &part.target)
    };
    let given = [
        ("source", source),
        ("sources", &arguments.part.sources),
        ("target", target),
        ("targets", &arguments.part.targets),
        ("participants", &arguments.part.participants),
    ];
    given
        .into_iter()
        .find(|(key, _)| *key == role.key)
        .and_then(|(_, text)| text.as_deref())
}

/// The requested collective. An error, if an option is given that it does not take.
pub fn collective(platform: &Platform, arguments: &QuestionArguments) -> Result<Collective> {
    let apart = arguments.part.sources.is_some() || arguments.part.targets.is_some();
    let name = arguments.name()?;
    let name = if apart && name == ALL_TO_ALL.0 {
        ALL_TO_ALL.1
    } else {
        name
    };
    let Some(form) = Form::find(name) else {
        return custom(platform, arguments);
    };
    let takes = options_of(form);
    refuse_others(arguments, asked_as(form.name), &takes)?;
    if !arguments.groups.is_empty() {
        return groups(platform, arguments, form);
    }
    let mut nodes: Vec<Vec<NodeId>> = Vec::with_capacity(form.roles.len());
    for role in form.roles {
        let option = format!("--{}", role.key);
        let text = given(arguments, role);
        nodes.push(if role.many {
            // If nothing is combined, the owner of the messages (or their receiver) sends no message to itself.
            let rooted = form.roles.first().is_some_and(|role| !role.many);
            let except = nodes.first().and_then(|nodes| nodes.first()).copied();
            let except = except.filter(|_| rooted && !form.overlaps());
            match (text, arguments.part.participants.as_deref()) {
                (None, Some(all)) if spreads(form) => {
                    let all = listed(platform, Some(all), "--participants", except)?;
                    all.into_iter().filter(|&one| Some(one) != except).collect()
                }
                _ => listed(platform, text, &option, except)?,
            }
        } else {
            let missing = || {
                usage(format!(
                    "{} needs {option} NODE, one of {}",
                    form.name,
                    some(platform)
                ))
            };
            vec![node(platform, text.ok_or_else(missing)?, &option)?]
        });
    }
    let missing = || usage(format!("{} needs {}", form.name, takes.join(", ")));
    let any_order = arguments.any_order(platform, nodes.iter().flatten());
    let built = form.build(&nodes, any_order).ok_or_else(missing)?;
    if form.counted {
        counts::counted(platform, built, arguments.counts.as_deref())
    } else {
        Ok(built)
    }
}

/// Rejects options that the collective does not take.
fn refuse_others(arguments: &QuestionArguments, label: &str, takes: &[String]) -> Result<()> {
    let form = Form::find(label);
    let part = &arguments.part;
    let may_list = form.is_some_and(spreads) && part.targets.is_none();
    let has_root = form.is_some_and(|form| form.roles.iter().any(|role| !role.many));
    let may_commute = form.is_some_and(Form::commutes);
    let is_ordered = form.is_some_and(|form| form.combines && !form.commutes());
    let given = [
        ("--root", part.root.is_some() && !has_root),
        ("--source", arguments.part.source.is_some()),
        ("--sources", arguments.part.sources.is_some()),
        ("--targets", arguments.part.targets.is_some()),
        ("--target", arguments.part.target.is_some()),
        ("--participants", part.participants.is_some() && !may_list),
        // `--work 0` is accepted everywhere: scripts pass it to all collectives.
        (
            "--work",
            arguments.part.work.as_ref().is_some_and(|work| work != "0"),
        ),
        // An option that confirms a fact is accepted: tokens are combined in any order, prefixes in their order.
        ("--commutative", arguments.commutative && !may_commute),
        ("--in-order", arguments.in_order && !is_ordered),
        ("--counts", arguments.counts.is_some()),
        ("--demands", arguments.demands.is_some()),
    ];
    match given
        .iter()
        .find(|(option, given)| *given && !takes.iter().any(|taken| taken == option))
    {
        Some((option, _)) => Err(usage(format!(
            "{label} takes no {option}; it takes {}",
            takes.join(", ")
        ))),
        None => Ok(()),
    }
}

/// The demands of a file.
fn custom(platform: &Platform, arguments: &QuestionArguments) -> Result<Collective> {
    refuse_others(
        arguments,
        CUSTOM,
        &["--demands".to_string(), "--work".to_string()],
    )?;
    if !arguments.groups.is_empty() {
        return Err(usage(
            "custom takes no --group; list the demands of all groups in the file",
        ));
    }
    let missing = || {
        usage(
            "custom needs --demands FILE: JSON or TOML with a list of values and where they are wanted",
        )
    };
    Ok(files::read_demands_file(
        arguments.demands.as_deref().ok_or_else(missing)?,
        platform,
    )?)
}

/// Process groups: `A,B,C` or `A,B,C@RATE`; the first of a rooted collective is its source or target.
fn groups(
    platform: &Platform,
    arguments: &QuestionArguments,
    form: &'static Form,
) -> Result<Collective> {
    let options = [
        &arguments.part.source,
        &arguments.part.root,
        &arguments.part.sources,
        &arguments.part.targets,
        &arguments.part.target,
        &arguments.part.participants,
    ];
    if options.into_iter().any(Option::is_some) {
        return Err(usage(
            "--group lists a group's members itself; leave out --root, --source, --sources, --targets, --target, --participants",
        ));
    }
    if form.counted {
        return Err(usage(format!(
            "{} takes no --group; list the demands with their rates in a file of demands",
            form.name
        )));
    }
    let rooted = form.roles.iter().any(|role| !role.many);
    let member = |group: &String| {
        let (list, rate) = match group.rsplit_once('@') {
            Some((list, rate)) if platform.find(group).is_none() => {
                let wrong = || {
                    usage(format!(
                        "--group {group}: '{rate}' is not a rate: give a whole number from 1 to 2^64 - 1, as in A,B,C@2 for twice as often"
                    ))
                };
                (
                    list,
                    rate.parse::<u64>()
                        .ok()
                        .filter(|&rate| rate > 0)
                        .ok_or_else(wrong)?,
                )
            }
            _ => (group.as_str(), 1),
        };
        let listed = listed(platform, Some(list), "--group", None)?;
        let nodes = match listed.split_first() {
            // The target of a reduction owns a value, too.
            Some((&centre, others)) if rooted => {
                vec![
                    vec![centre],
                    if form.overlaps() {
                        listed.clone()
                    } else {
                        others.to_vec()
                    },
                ]
            }
            _ => vec![listed],
        };
        let any_order = arguments.any_order(platform, nodes.iter().flatten());
        let built = form.build(&nodes, any_order);
        let collective = built.ok_or_else(|| {
            usage(format!(
                "--group {group}: {} needs a node to start from",
                form.name
            ))
        })?;
        Ok(Member { collective, rate })
    };
    Ok(Collective::Groups(
        arguments.groups.iter().map(member).collect::<Result<_>>()?,
    ))
}

/// Parses size and work: a number, a number with a unit, `A+Bn` or `@FILE`. If `bytes` is given, it is the size of the
/// whole operation.
pub fn volumes_of(
    platform: &Platform,
    collective: &Collective,
    arguments: &QuestionArguments,
    bytes: Option<&str>,
) -> Result<Volumes> {
    let units = platform.units();
    let file = |text: &str| {
        text.strip_prefix('@')
            .map(|path| files::read_amount(Path::new(path)))
    };
    let work_file = |text: &str| {
        text.strip_prefix('@')
            .map(|path| files::read_work(Path::new(path), platform))
    };
    let size = match (bytes, file(&arguments.part.size)) {
        (Some(bytes), _) => message(platform, collective, bytes)?,
        (None, Some(amount)) => amount?,
        (None, None) => {
            let given = arguments.part.size.as_str();
            // One unit of data is a gigabyte on most platforms with units.
            let token = given == "1" && units.is_some() && collective.is(Form::BARRIER);
            parsed("--size", given, if token { "8 B" } else { given }, units)?
        }
    };
    let Some(text) = arguments.part.work.as_deref() else {
        return Ok(Volumes::of_message(platform, size));
    };
    let work = match work_file(text) {
        Some(amount) => amount?,
        None => files::parse_work(text, units, &size)
            .map_err(|error| usage(format!("--work: {error}")))?,
    };
    Ok(Volumes { size, work })
}

/// Parses a positive size. Errors quote it as `given`.
fn parsed(option: &str, given: &str, text: &str, units: Option<Units>) -> Result<Amount> {
    let size =
        files::parse_size(text, units).map_err(|error| usage(format!("{option}: {error}")))?;
    if size.constant().is_some_and(|size| !size.is_positive()) {
        bail!(usage(format!(
            "{option}: '{given}' is not positive; a message needs a positive size"
        )));
    }
    Ok(size)
}

/// The size of a message, from the size of the whole operation.
fn message(platform: &Platform, collective: &Collective, bytes: &str) -> Result<Amount> {
    let plain = parse_rational(bytes).is_ok() && platform.units().is_some();
    let text = if plain {
        format!("{bytes} B")
    } else {
        bytes.to_string()
    };
    let size = parsed("--bytes", bytes, &text, platform.units())?;
    let bandwidth = Bandwidth::of(&Problem::new(platform, collective, Volumes::default())?);
    match (size.constant(), bandwidth) {
        (Some(size), Some(bandwidth)) => Ok(Amount::Constant(bandwidth.message(size))),
        (None, _) => Err(usage(format!(
            "--bytes: '{bytes}' is not one size; give sizes that grow by --size"
        ))),
        (_, None) => Err(usage(format!(
            "--bytes: no benchmark counts the bytes of {}; give the size of a message by --size",
            collective.name()
        ))),
    }
}

/// The platform without processors that take no part, as far as they are left out, and the collective on it.
pub fn taking_part(
    platform: Platform,
    arguments: &QuestionArguments,
) -> Result<(Platform, Collective, LeftOut)> {
    let asked = collective(&platform, arguments)?;
    let left_out = LeftOut::of(&platform, &asked.nodes(), arguments.reading.idle);
    if left_out.nodes.is_empty() {
        return Ok((platform, asked, left_out));
    }
    let rest = platform.changed(&left_out.changes())?.platform;
    let asked = collective(&rest, arguments)?;
    Ok((rest, asked, left_out))
}

/// A question with its platform.
pub struct Asked {
    pub platform: Arc<Platform>,
    pub collective: Arc<Collective>,
    volumes: Arc<Volumes>,
    /// The processors that are left out.
    pub left_out: LeftOut,
}

impl Asked {
    /// Reads the names of the question on this platform.
    pub fn read(platform: Platform, arguments: &QuestionArguments) -> Result<Asked> {
        let (platform, collective, left_out) = taking_part(platform, arguments)?;
        let volumes = volumes_of(
            &platform,
            &collective,
            arguments,
            arguments.bytes.as_deref(),
        )?;
        Ok(Asked {
            platform: platform.into(),
            collective: collective.into(),
            volumes: volumes.into(),
            left_out,
        })
    }

    /// As [`problem`].
    pub fn problem(&self) -> Result<Problem> {
        problem(
            self.platform.clone(),
            self.collective.clone(),
            self.volumes.clone(),
        )
    }
}

/// The problem. A usage error, if the volumes do not fit the collective.
pub fn problem(
    platform: impl Into<Arc<Platform>>,
    collective: impl Into<Arc<Collective>>,
    volumes: impl Into<Arc<Volumes>>,
) -> Result<Problem> {
    Problem::new(platform, collective, volumes).map_err(|error| match error {
        ProblemError::Volume(error) => {
            let option = if error.is_of_work() {
                "--work"
            } else {
                "--size"
            };
            usage(format!("{option}: {error}"))
        }
        // Under the name that was typed.
        ProblemError::Collective(error) if error.to_string().contains(ALL_TO_ALL.1) => {
            anyhow!(error.to_string().replace(ALL_TO_ALL.1, ALL_TO_ALL.0))
        }
        error => error.into(),
    })
}

/// The first few processors, for error messages.
fn some(platform: &Platform) -> String {
    const SHOWN: usize = 8;
    let quoted = |id| format!("'{}'", platform.name(id));
    let everyone = platform.participants();
    if everyone.is_empty() {
        return "none (all are switches)".to_string();
    }
    few(everyone.into_iter().map(quoted), SHOWN, ", ...")
}

/// The node of this name, or the only one of this pattern.
pub fn node(platform: &Platform, name: &str, option: &str) -> Result<NodeId> {
    if let Some(node) = platform.find(name) {
        return Ok(node);
    }
    let pattern = Pattern::parse(name).ok();
    let found = pattern.and_then(|pattern| pattern.participants(platform).ok());
    let found = found.filter(|found| !found.is_empty());
    match found.or_else(|| in_capitals(platform, name)).as_deref() {
        Some(&[only]) => Ok(only),
        Some(several @ [_, _, ..]) => Err(usage(format!(
            "{option}: '{name}' stands for {} nodes ({}); name one",
            several.len(),
            names::list(platform, several.iter().copied())
        ))),
        _ => unknown(platform, name, option),
    }
}

/// The accelerators of a name or pattern in capitals, such as `GPU0..3`: so nvidia-smi and its like call them.
fn in_capitals(platform: &Platform, name: &str) -> Option<Vec<NodeId>> {
    let pattern = Pattern::parse(&name.to_ascii_lowercase()).ok()?;
    let found = pattern.participants(platform).ok()?;
    let are_accelerators = found.iter().all(|&node| platform.node(node).accelerator);
    (are_accelerators && !found.is_empty()).then_some(found)
}

/// The error that there is no such node.
fn unknown(platform: &Platform, name: &str, option: &str) -> Result<NodeId> {
    platform.find(name).ok_or_else(|| {
        let clipped: String = name.chars().take(60).flat_map(char::escape_debug).collect();
        let alike = platform
            .node_ids()
            .map(|id| platform.name(id))
            .find(|known| known.eq_ignore_ascii_case(name));
        let hint = match alike {
            Some(known) => format!("did you mean '{known}'?"),
            None if platform.processors().next().is_none() => {
                format!("its nodes are {}", some(platform))
            }
            None => format!("its processors are {}", some(platform)),
        };
        anyhow!("{option}: the platform has no node '{clipped}'; {hint}")
    })
}

/// Parses a list of names and patterns. "all" and a missing list mean every processor but `except` (without
/// processors, every node except switches); so does `*` in a pattern.
pub fn listed(
    platform: &Platform,
    list: Option<&str>,
    option: &str,
    except: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    match list {
        None | Some("all") => Ok(platform
            .participants()
            .into_iter()
            .filter(|&id| Some(id) != except)
            .collect()),
        // A name may contain a comma.
        Some(name) if platform.find(name).is_some() => Ok(vec![node(platform, name, option)?]),
        Some(list) if parts(list).any(|name| name.trim().is_empty()) => Err(usage(format!(
            "{option}: '{list}' holds an empty name; write A,B or all"
        ))),
        Some(list) => {
            let mut nodes = Vec::new();
            for name in parts(list) {
                nodes.extend(matching(platform, name.trim(), option, except)?);
            }
            Ok(nodes)
        }
    }
}

/// The nodes of a name or pattern. An open pattern stands for processors other than `except`.
fn matching(
    platform: &Platform,
    name: &str,
    option: &str,
    except: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    if platform.find(name).is_some() {
        return Ok(vec![node(platform, name, option)?]);
    }
    let pattern = Pattern::parse(name).map_err(|error| anyhow!("{option}: {error}"))?;
    let found = pattern.participants(platform);
    let mut found = found.map_err(|error| anyhow!("{option}: {error}"))?;
    if found.is_empty() {
        return match in_capitals(platform, name) {
            Some(found) => Ok(found),
            None => Ok(vec![unknown(platform, name, option)?]),
        };
    }
    if pattern.is_open() {
        found.retain(|&node| Some(node) != except);
    }
    Ok(found)
}
