//! `oneport solve`.

mod report;
mod shape;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use oneport::explain::{self, Gain, Hint};
use oneport::watch::{Left, Watch};
use oneport::{Options, Plan, Problem, Shape, Status, files, solve};
use oneport_questions::{Kind, Numbers, Program, Question, paths};
use serde_json::json;

use crate::answers::answer::{self};
use crate::answers::bottleneck::{self, IN_ORDER};
use crate::answers::chosen::certified;
use crate::flags::limits::LimitArguments;
use crate::flags::question::QuestionArguments;
use crate::words::exit::End;
use crate::words::numbers::{Shown, percent};
use crate::words::objects::{joined, line};
use crate::words::output::{Content, Named, named, print, try_outputs, with_written};
use crate::words::progress::Progress;
use crate::words::settings::hear;
use crate::words::tables::{FormatArguments, TableFormat};
use crate::words::usage::{is_usage, on_one_line, usage};

/// Minimum time limit of the search for the gain of any order. If the answer took longer, the limit is the answer's
/// time.
const LEAST: Duration = Duration::from_secs(1);
/// Why a search may end before its limit with a gap.
const EARLY: &str = "the search ended before --time-limit: what it has not tried needs more time than the limit leaves, or is no \
    method of oneport's";
/// Time to write a plan after an interrupt. Trades lateness for a whole file. Not measured.
const WRITING: Duration = Duration::from_secs(5);

/// Which linear program is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormulationName {
    /// Small and fast: one flow per source or target; for reductions, trees generated as needed.
    Columns,
    /// The papers' own program, corrected: one flow per message or partial result. It keeps the order of operands.
    Compact,
}

/// Find the optimal steady-state throughput of a collective, its proof and a periodic schedule.
#[derive(Debug, Args)]
pub struct SolveArguments {
    /// The question.
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Fix the period's length, in units of time.
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with_all = ["max_instances", "max_loss", "exact_period"])]
    pub period: Option<String>,
    /// Use the fewest instances per period that lose at most P of the throughput: 5%, 0.05 or 1/20 (default: no loss if
    /// 64 instances suffice, else 1%).
    #[arg(
        long,
        value_name = "P",
        allow_hyphen_values = true,
        conflicts_with = "exact_period"
    )]
    pub max_loss: Option<String>,
    /// Limit on instances per period (default 10,000). Without --max-loss: the fewest that attain the throughput, else
    /// the best within M, with its loss.
    #[arg(
        long,
        value_name = "M",
        allow_hyphen_values = true,
        conflicts_with = "exact_period"
    )]
    pub max_instances: Option<String>,
    /// Attain the optimal throughput exactly, however long the period is.
    #[arg(long)]
    pub exact_period: bool,
    /// Broadcast: use one tree for all messages, the best one. The plan's platform has no other links.
    #[arg(long, conflicts_with = "single_dag")]
    pub single_tree: bool,
    /// Broadcast: use links without a directed cycle, the best set. The plan's platform has no other links.
    #[arg(long)]
    pub single_dag: bool,
    /// Cut no message; the period is repeated if that is necessary. Without this option, the answer counts the cut
    /// messages.
    #[arg(long)]
    pub whole_messages: bool,
    /// The linear program.
    #[arg(long, value_enum, default_value_t = FormulationName::Columns)]
    pub formulation: FormulationName,
    /// Limits. The best result so far is reported.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Print fractions in full next to the decimals.
    #[arg(long)]
    pub exact: bool,
    /// The format of the answer.
    #[command(flatten)]
    pub table: FormatArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Write the plan, self-contained JSON.
    #[arg(short = 'o', long = "output", value_name = "PLAN")]
    pub output: Option<PathBuf>,
}

impl SolveArguments {
    /// The form of the schedule, as a question without a platform and a collective.
    fn form(&self) -> Question {
        Question {
            period: self.period.clone(),
            max_loss: self.max_loss.clone(),
            max_instances: self.max_instances.clone(),
            exact_period: self.exact_period,
            whole_messages: self.whole_messages,
            formulation: match self.formulation {
                FormulationName::Columns => Program::Columns,
                FormulationName::Compact => Program::Compact,
            },
            ..Question::default()
        }
    }

    /// The question on the platform of this file.
    fn question(&self, path: &Path) -> Result<Question> {
        Ok(Question {
            formulation: self.form().formulation,
            ..self.question.on(path)?
        })
    }
}

/// Runs the command.
pub fn run(arguments: &SolveArguments) -> Result<End> {
    let form = arguments.form();
    let options = Options {
        watch: arguments.limits.watch()?,
        ..form.options()?
    };
    let paths = arguments.question.paths()?;
    let inputs: Vec<Named<'_>> = paths.iter().map(|path| ("--platform", *path)).collect();
    if let [_, _, ..] = inputs[..]
        && arguments.output.is_some()
    {
        return Err(usage(
            "--output: a file holds one plan; give one --platform, or leave --output out",
        ));
    }
    try_outputs(
        Content::Answer,
        &inputs,
        &named(&[("--output", &arguments.output)]),
    )?;
    let format = arguments.table.format;
    let mut rows = report::AnswerTable::default();
    let end = match &paths[..] {
        [path] => one(arguments, path, "", &options, &mut rows),
        paths => several(arguments, paths, &options, &mut rows),
    };
    if format != TableFormat::Text && !rows.is_empty() {
        print(&rows.sheet().show(format))?;
    }
    end
}

/// One platform after another, each with an equal part of the time left. An error of one of them does not keep
/// the others from their answers, but for a mistake in the options.
fn several(
    arguments: &SolveArguments,
    paths: &[&Path],
    options: &Options,
    rows: &mut report::AnswerTable,
) -> Result<End> {
    let mut end = End::Done;
    for (index, path) in paths.iter().enumerate() {
        let percent = u32::try_from(100 / (paths.len() - index))
            .unwrap_or(1)
            .max(1);
        let options = Options {
            watch: options.watch.stage(percent),
            ..options.clone()
        };
        let name = path.display().to_string();
        if !arguments.json && arguments.table.format == TableFormat::Text {
            print(&format!("{}{name}", if index == 0 { "" } else { "\n" }))?;
        }
        match one(arguments, path, &format!("{name}: "), &options, rows) {
            Ok(End::Done) => {}
            Ok(End::Refused) => end = End::Refused,
            Err(error) if is_usage(&error) => return Err(error),
            Err(error) => {
                let told = on_one_line(&error);
                // Errors about reading a file name it themselves.
                let about = if told.starts_with(&name) {
                    String::new()
                } else {
                    format!("{name}: ")
                };
                eprintln!("error: {about}{told}");
                if arguments.json {
                    print(
                        &json!({ "platform": name, "status": "error", "error": told }).to_string(),
                    )?;
                }
                end = End::Refused;
            }
        }
    }
    Ok(end)
}

/// Solves one platform. Lines of progress, and the line that it is infeasible, begin with `about`. If a table is
/// wanted, the answer is one of its rows.
fn one(
    arguments: &SolveArguments,
    path: &Path,
    about: &str,
    options: &Options,
    rows: &mut report::AnswerTable,
) -> Result<End> {
    let is_table = arguments.table.format != TableFormat::Text;
    let asked = arguments.question(path)?.asked(&hear)?;
    let started = Instant::now();
    let problem = match asked.problem() {
        Ok(problem) => problem,
        Err(error) if error.kind == Kind::Infeasible => {
            let missing = paths(&error.unreachable);
            let answer = || report::infeasible(path, &asked, &missing, started.elapsed());
            if arguments.json {
                print(&line(joined([answer(), asked.left_out.json()])))?;
            } else if is_table {
                rows.add(&asked.platform, &answer());
            } else if !asked.left_out.nodes.is_empty() {
                print(asked.left_out.line().trim_end())?;
            }
            eprintln!("error: {about}{error}");
            return Ok(End::Refused);
        }
        Err(error) => return Err(error.into()),
    };
    let shape = match (arguments.single_tree, arguments.single_dag) {
        (true, _) => Some(Shape::Tree),
        (_, true) => Some(Shape::Acyclic),
        _ => None,
    };
    let shaped = shape
        .map(|shape| shape::find(&problem, shape, options))
        .transpose()?;
    let chosen = shape
        .zip(shaped.as_ref())
        .map(|(shape, shaped)| shape::chosen(shape, shaped));
    let problem = match &shaped {
        Some(shaped) => problem.on(&shaped.platform)?,
        None => problem,
    };
    let solved = {
        let progress = Progress::new();
        progress.about(about.to_string());
        let watch = progress.of(&options.watch);
        solve(&problem, &options.clone().watched(watch))?
    };
    let seconds = started.elapsed();
    if let Some(unwritten) = &solved.unwritten {
        let numbers = Numbers::of(&solved, Vec::new());
        let answer = || report::unlisted(path, &solved, unwritten, &numbers, seconds);
        if is_table {
            rows.add(problem.platform(), &answer());
        } else if arguments.json {
            print(&line(joined([answer(), asked.left_out.json()])))?;
        } else {
            let shown = Shown::of(problem.platform(), arguments.exact);
            let text = answer::unlisted(&solved, unwritten, &numbers, seconds, shown);
            print(&(asked.left_out.line() + &text))?;
        }
        // An answer is a throughput, and a plan if one is to be written.
        if solved.answer.throughput().is_some() && arguments.output.is_none() {
            return Ok(End::Done);
        }
        eprintln!("error: {about}{unwritten}");
        return Ok(End::Refused);
    }
    let proved = solved.plan()?;
    // The answer is printed even if its file cannot be written after all.
    let written = arguments.output.as_ref().map_or(Ok(()), |path| {
        let watch = options.watch.finishing(WRITING);
        files::write_atomically_with(path, |file| {
            files::write_chosen_plan(proved, chosen.as_ref(), file, &watch)
        })
        .with_context(|| format!("cannot write {}", path.display()))
    });
    let throughput = &proved.steady_state.throughput;
    let bound = shaped
        .as_ref()
        .map_or(proved.upper_bound.clone(), |shaped| {
            shape::bound(shaped, throughput)
        });
    let status = Status::of(throughput, &bound);
    let plan = Plan::of(solved.answer.claim(), &bound, status).unwrap_or(proved);
    let mut bottleneck = bottleneck::of(&solved.answer);
    let numbers = Numbers::of(&solved, bottleneck.classes()).planned(&plan);
    if arguments.json || is_table {
        let hints = &bottleneck.hints;
        let answer = report::planned(
            path,
            &solved,
            &plan,
            &numbers,
            chosen.as_ref(),
            hints,
            seconds,
        );
        if is_table {
            rows.add(problem.platform(), &answer);
        } else {
            print(&line(joined([answer, asked.left_out.json()])))?;
        }
    } else {
        // Text has the gain of any order. JSON does not wait for it.
        let in_order = bottleneck
            .limits
            .hints
            .contains(&Hint::InOrder)
            .then(|| bottleneck.hints.pop());
        bottleneck
            .hints
            .extend(in_order.and_then(|_| any_order(&problem, &plan, options, seconds)));
        let unused = options
            .watch
            .time_left()
            .is_some_and(|left| !left.is_zero());
        if plan.status == Status::Feasible && solved.ended_by.is_none() && unused {
            bottleneck.hints.push(EARLY.to_string());
        }
        let told = chosen.as_ref().zip(shaped.as_ref());
        bottleneck
            .hints
            .extend(told.map(|(chosen, shaped)| shape::sentence(&problem, chosen, shaped)));
        let proof = chosen
            .as_ref()
            .map(|chosen| certified(chosen, problem.platform().links().len()));
        let shown = Shown::of(problem.platform(), arguments.exact);
        let proof = proof.as_deref();
        let text = answer::text(&solved, &plan, &numbers, &bottleneck, shown, proof);
        let files = named(&[("--output", &arguments.output)]);
        let files = if written.is_ok() { &files[..] } else { &[] };
        print(&with_written(asked.left_out.line() + &text, files))?;
    }
    written?;
    Ok(End::Done)
}

/// The hint that operands are combined in their order, with the gain of any other if it is found in about the time that
/// the answer took. `None` if that is proved to be nothing.
fn any_order(
    problem: &Problem,
    plan: &Plan<'_>,
    options: &Options,
    took: Duration,
) -> Option<String> {
    let left = options.watch.time_left().unwrap_or(Duration::MAX);
    let gain = if left < took.min(LEAST) {
        Gain::Unknown
    } else {
        let (started, memory, most) = (
            Instant::now(),
            options.watch.clone(),
            left.min(took.max(LEAST)),
        );
        let left = move || Left {
            time: Some(most.saturating_sub(started.elapsed())),
            ..memory.left()
        };
        let options = Options {
            watch: Watch::new(left),
            ..options.clone()
        };
        explain::any_order(problem, &plan.steady_state.throughput, &options)
            .unwrap_or(Gain::Unknown)
    };
    Some(match gain {
        Gain::Nothing => return None,
        Gain::Unknown => format!("{IN_ORDER} may give more"),
        Gain::Exactly(more) => format!("{IN_ORDER} gives {} more", percent(&more)),
        Gain::AtLeast(more) => format!("{IN_ORDER} gives at least {} more", percent(&more)),
    })
}
