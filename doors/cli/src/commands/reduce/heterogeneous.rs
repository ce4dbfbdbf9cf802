//! `oneport reduce heterogeneous`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use oneport::heterogeneous::{Budget, Cluster, Destination, Method, Processors};
use oneport::plan::{Class, Reduction};
use oneport::{HeterogeneousAnswer, Rational, parse_rational, reduce_cluster, reduce_processors};
use serde_json::{Value, json};

use super::answer::{Answer, AnswerArguments, LISTED, MOST_SENDERS};
use super::read::{numbers, shorten, whole};
use super::{everywhere, own};
use crate::flags::limits::{LimitArguments, named};
use crate::words::exit::End;
use crate::words::output::count;
use crate::words::usage::usage;

/// Default limit on the states of a search. Trades a proof for time. Measured: 2 million states 8 s of CPU.
const STATES: u64 = 20_000_000;

/// Percent of time and memory for a search. Trades a shorter schedule for an answer in time. Not measured.
const SEARCH: u32 = 80;

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
    #[arg(
        long,
        value_name = "T,T,...",
        allow_hyphen_values = true,
        group = "speeds"
    )]
    pub times: Option<String>,
    /// Transmission time and number of senders of each class; the destination is one more processor.
    #[arg(
        long,
        value_name = "T:N,T:N,...",
        allow_hyphen_values = true,
        group = "speeds"
    )]
    pub classes: Option<String>,
    /// The processor of --times that receives the result, counted from 0 (default: one more processor; with
    /// --all-reduce, which also accepts the processors by --classes, the fastest).
    #[arg(long, value_name = "I", allow_hyphen_values = true)]
    pub destination: Option<String>,
    /// The algorithm.
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    pub method: MethodName,
    /// Limit on the states that a search visits. Above it, the best schedule and bound so far are the answer.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_states: Option<String>,
    /// Limits. The best result so far is reported.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Also send the result to all: the best reduction found, then fastest node first. Lists all processors.
    #[arg(long)]
    pub all_reduce: bool,
    /// Send one message to all instead, fastest node first. Lists all processors.
    #[arg(long, conflicts_with_all = ["all_reduce", "method", "destination", "max_states"])]
    pub broadcast: bool,
    /// The processor that sends in a --broadcast, counted from 0 (default: the fastest).
    #[arg(
        long,
        value_name = "I",
        allow_hyphen_values = true,
        requires = "broadcast"
    )]
    pub source: Option<String>,
    /// Time your own order of starts next to the best: the senders, each as early as possible.
    #[arg(long, value_name = "I,I,...", allow_hyphen_values = true, conflicts_with_all = ["all_reduce", "broadcast"])]
    pub sequence: Option<String>,
    /// Time your own start dates: a JSON array with one per processor, null for the destination.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_reduce", "broadcast", "sequence"])]
    pub starts: Option<PathBuf>,
    /// Output.
    #[command(flatten)]
    pub answer: AnswerArguments,
}

/// Runs the command.
pub fn run(arguments: &HeterogeneousArguments) -> Result<End> {
    let question = Question::read(arguments)?;
    let limits = arguments.limits.watch()?;
    let input = arguments.starts.as_deref().map(|path| ("--starts", path));
    arguments.answer.try_outputs(input.as_slice())?;
    let states = match (&arguments.max_states, arguments.method) {
        (Some(most), _) => whole("--max-states", most)?,
        (None, MethodName::Exact) => u64::MAX,
        (None, _) => STATES,
    };
    let started = Instant::now();
    // The rest is for the schedule and the referee.
    let search = limits.stage(SEARCH);
    let watch = |_: &_| match search.ask() {
        Err(_) => ControlFlow::Break(()),
        Ok(()) => ControlFlow::Continue(()),
    };
    let budget = Budget {
        states,
        watch: &watch,
    };
    let method = method(arguments.method);
    if let Some(mut answer) = other(arguments, &question, method, &budget)? {
        answer.fact("model", "heterogeneous");
        return answer.report(&arguments.answer, started.elapsed());
    }
    let found = if arguments.answer.wants_schedule() || question.cluster.senders() <= LISTED {
        reduce_processors(&question.one_by_one()?, method, &budget)?
    } else {
        reduce_cluster(&question.cluster, method, &budget)?
    };
    let took = started.elapsed();
    let mut answer = answer(&question, &found);
    if let Some(limit) = limits.ended_by() {
        answer.fact("ended_by", named(limit));
        answer.notes.push(format!("search  {}", named(limit)));
    }
    answer.report(&arguments.answer, took)
}

/// Answers all questions but the shortest reduction: all-reductions, broadcasts, users' schedules.
fn other(
    arguments: &HeterogeneousArguments,
    question: &Question,
    method: Method,
    budget: &Budget,
) -> Result<Option<Answer>> {
    if let Some(text) = &arguments.sequence {
        return Ok(Some(own::sequence(
            text,
            &question.one_by_one()?,
            method,
            budget,
        )?));
    }
    if let Some(path) = &arguments.starts {
        return Ok(Some(own::starts(
            path,
            &question.one_by_one()?,
            method,
            budget,
        )?));
    }
    if !arguments.all_reduce && !arguments.broadcast {
        return Ok(None);
    }
    let times = question.all()?;
    let processor = |option, text: &Option<String>| {
        text.as_deref()
            .map(|text| processor(option, text, times.len()))
            .transpose()
    };
    Ok(Some(if arguments.broadcast {
        everywhere::broadcast(&times, processor("--source", &arguments.source)?)?
    } else {
        everywhere::all(
            &times,
            processor("--destination", &arguments.destination)?,
            method,
            budget,
        )?
    }))
}

/// A processor, counted from 0.
fn processor(option: &str, text: &str, processors: usize) -> Result<usize> {
    let number = text
        .trim()
        .parse()
        .ok()
        .filter(|&number| number < processors);
    number.ok_or_else(|| {
        usage(format!(
            "{option}: '{}' is not a processor; count from 0 to {}",
            shorten(text),
            processors.max(1) - 1
        ))
    })
}

fn answer(question: &Question, found: &HeterogeneousAnswer) -> Answer {
    let title = format!(
        "reduction of {} into {}, {}",
        count(question.cluster.senders(), "sender"),
        match question.listed {
            Some((_, Destination::Listed(destination))) => format!("processor {destination}"),
            _ => "one more processor".to_string(),
        },
        match question.cluster.classes().len() {
            1 => "1 class of speed".to_string(),
            classes => format!("{classes} classes of speed"),
        },
    );
    let mut answer = Answer::new(title, found.method.name(), found.why.clone(), &found.answer);
    answer.fact("model", "heterogeneous");
    answer.fact("senders", question.cluster.senders());
    let classes =
        |class: &Class| json!({ "time": class.time.to_string(), "senders": class.senders });
    answer.fact(
        "classes",
        question
            .cluster
            .classes()
            .iter()
            .map(classes)
            .collect::<Vec<Value>>(),
    );
    if question.listed.is_none() {
        answer.fact("numbering", numbering(&question.classes));
    }
    if let Some(reduction) = &found.answer.claim().reduction
        && question.cluster.senders() <= LISTED
    {
        answer.fact("destination", reduction.root);
        answer.fact("sequence", sequence(reduction));
    }
    answer
}

/// The range of processor numbers of each class, in the order in which the classes were given.
fn numbering(classes: &[Class]) -> Vec<Value> {
    let mut first = 0;
    let range = |class: &Class| {
        let range = json!({ "time": class.time.to_string(), "first": first, "last": first + class.senders - 1 });
        first += class.senders;
        range
    };
    classes.iter().map(range).collect()
}

/// The senders in the order of their starts, ties by number.
fn sequence(reduction: &Reduction) -> Vec<usize> {
    let mut senders: Vec<usize> = (0..reduction.receivers.len())
        .filter(|&i| i != reduction.root as usize)
        .collect();
    senders.sort_by_cached_key(|&sender| (reduction.starts.get(sender), sender));
    senders
}

/// The instance: the senders by class, and one by one if they were listed.
struct Question {
    cluster: Cluster,
    listed: Option<(Vec<Rational>, Destination)>,
    /// Classes as given, for the numbering of processors.
    classes: Vec<Class>,
}

impl Question {
    fn read(arguments: &HeterogeneousArguments) -> Result<Question> {
        if let Some(text) = &arguments.classes {
            let classes = classes(text)?;
            if arguments.destination.is_some() && !arguments.all_reduce {
                bail!(usage(
                    "--destination: with --classes the destination is one more processor; leave it out, or give --times"
                ));
            }
            return Ok(Question {
                cluster: Cluster::new(&classes)?,
                listed: None,
                classes,
            });
        }
        let times = numbers("--times", arguments.times.as_deref().unwrap_or_default())?;
        let destination = match &arguments.destination {
            None => Destination::Outside,
            Some(text) => Destination::Listed(processor("--destination", text, times.len())?),
        };
        let processors = Processors::new(times.clone(), destination)?;
        Ok(Question {
            cluster: processors.cluster(),
            listed: Some((times, destination)),
            classes: Vec::new(),
        })
    }

    /// The times of all listed processors, without an added destination.
    fn all(&self) -> Result<Vec<Rational>> {
        match &self.listed {
            Some((times, _)) => Ok(times.clone()),
            None => expand(&self.classes),
        }
    }

    /// The processors one by one. Those of classes are in the order of the classes.
    fn one_by_one(&self) -> Result<Processors> {
        let (times, destination) = match &self.listed {
            Some((times, destination)) => (times.clone(), *destination),
            None => (expand(&self.classes)?, Destination::Outside),
        };
        Ok(Processors::new(times, destination)?)
    }
}

fn expand(classes: &[Class]) -> Result<Vec<Rational>> {
    let total: u64 = classes.iter().map(|class| class.senders).sum();
    if total > MOST_SENDERS {
        bail!(
            "{total} senders are too many to write the schedule down; at most {MOST_SENDERS}, leave --gantt and --tree out"
        );
    }
    let list = |class: &Class| std::iter::repeat_n(class.time.clone(), class.senders as usize);
    Ok(classes.iter().flat_map(list).collect())
}

/// `TIME:COUNT,...`.
fn classes(text: &str) -> Result<Vec<Class>> {
    let read = |(index, item): (usize, &str)| {
        let class = format!("--classes: class {index} (counted from 0)");
        let Some((time, senders)) = item.rsplit_once(':') else {
            return Err(usage(format!(
                "{class}: '{}' has no count; write TIME:COUNT, such as 3:100",
                shorten(item)
            )));
        };
        let time = parse_rational(time).map_err(|error| usage(format!("{class}: {error}")))?;
        let empty = senders.trim().parse::<u128>() == Ok(0);
        if empty {
            return Err(usage(format!(
                "{class}: it is empty; give at least 1 sender, or leave the class out"
            )));
        }
        Ok(Class {
            time,
            senders: whole(&class, senders)?,
        })
    };
    text.split(',').enumerate().map(read).collect()
}

fn method(name: MethodName) -> Method {
    match name {
        MethodName::Auto | MethodName::Exact => Method::Auto,
        MethodName::Snf => Method::SlowestFirst,
        MethodName::Dp => Method::DynamicProgram,
        MethodName::Levels => Method::Levels,
        MethodName::Slots => Method::Slots,
        MethodName::Search => Method::Search,
    }
}
