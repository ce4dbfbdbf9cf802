//! `oneport batch`: answers a file of questions, a line each.

mod children;
mod lines;
mod merge;
mod output;
mod progress;
mod shard;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

use anyhow::{Context, Result};
use clap::Args;
use oneport_questions::Answered;
use oneport_questions::rows::{Start, Written};

use crate::words::exit::End;
use crate::words::output::{count, print};
use crate::words::usage::usage;
use children::{Asked, Done};
use lines::Line;
use output::Output;
use progress::Progress;
use shard::Shard;

/// Questions that are read ahead of the first one without an answer, for each process. Trades memory for processes that
/// wait for one long question. Not measured.
const AHEAD: usize = 64;

/// Answer a file of questions: JSON lines in, JSON lines out.
#[derive(Debug, Args)]
#[command(after_long_help = KEYS)]
pub struct BatchArguments {
    /// The questions, a JSON object a line ("-": standard input); with --merge: answers of several parts.
    #[arg(value_name = "QUESTIONS.jsonl", required_unless_present = "child")]
    files: Vec<PathBuf>,
    /// Write the answers to this file instead of standard output.
    #[arg(short = 'o', long = "output", value_name = "ANSWERS.jsonl")]
    output: Option<PathBuf>,
    /// Answer one of N parts: part I has each line L with (L - 1) mod N = I - 1.
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Go on with the file of --output: a question that it answers is not asked again, and a last line that was cut is
    /// removed.
    #[arg(long, requires = "output")]
    resume: bool,
    /// With --resume: ask questions again whose answer is an error.
    #[arg(long, requires = "resume")]
    retry: bool,
    /// Write answers as they come, not in the order of the questions.
    #[arg(long)]
    unordered: bool,
    /// Number of processes. If one ends before it answers, its question is asked once more.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Add the time of each answer in seconds. Answers then differ from run to run.
    #[arg(long)]
    timings: bool,
    /// Merge answers of several parts in the order of the questions. A line that is missing or answered twice is an
    /// error.
    #[arg(long, conflicts_with_all = ["shard", "resume", "retry", "unordered", "jobs", "timings"])]
    merge: bool,
    /// With --merge: the questions. A question without an answer is then an error, and so is an answer to another one.
    #[arg(long, value_name = "QUESTIONS.jsonl", requires = "merge")]
    questions: Option<PathBuf>,
    /// Answer questions of the process that started this one.
    #[arg(long, hide = true)]
    child: bool,
}

const KEYS: &str = "\
A question is an object on one line. Its keys are the options of solve, with _ for -:
  {\"platform\": \"cluster.toml\", \"collective\": \"all-reduce\", \"bytes\": \"64 MiB\", \"max_loss\": \"1%\"}
  {\"platform\": {\"generate\": \"torus\", \"sides\": [4, 4]}, \"collective\": \"all-to-all\", \"ask\": \"rate\"}
A value is a number, a text as the option has it, or a list where the option takes A,B.
  platform      the path of a file, its content, or {\"generate\": SHAPE} with the options of generate
  read          an object: the options for topologies of other programs
  changes       a list: --change
  commutative   true for --commutative, false for --in-order
  ask           solve (the default), rate (no schedule), bound; time and compare, with the options of
                these commands: sizes, measured, with, tuning
  keep          numbers (the default), certificate, plan
  id            anything; the answer repeats it
An answer has the number of its line, a digest of the question, its id, and the numbers of
solve --json, but no time and no name of a machine. If a question is wrong, its answer has
\"status\": \"error\" and a sentence. Files are read where the command runs.
Exit codes: 0 all questions have answers, 1 some answers are errors, 2 usage.";

/// Runs the command.
pub fn run(arguments: &BatchArguments) -> Result<End> {
    if arguments.child {
        children::serve()?;
        return Ok(End::Done);
    }
    if arguments.merge {
        let (questions, output) = (arguments.questions.as_deref(), arguments.output.as_deref());
        return report(output, &merge::run(&arguments.files, questions, output)?);
    }
    let [file] = &arguments.files[..] else {
        return Err(usage(
            "give one file of questions; with --merge, several files of answers",
        ));
    };
    let shard = Shard::read(arguments.shard.as_deref())?;
    output::refuse_input(arguments.output.as_deref(), &[file])?;
    let questions = lines::open(file)?;
    let start = match (arguments.resume, arguments.retry) {
        (_, true) => Start::Retry,
        (true, _) => Start::Resume,
        _ => Start::Anew,
    };
    let mut output = Output::open(arguments.output.as_deref(), start)?;
    refuse_others(file, shard, output.done().clone())?;
    let jobs = usize::from(arguments.jobs);
    let all = lines::count(file)?.map(|lines| shard.size(lines));
    let mut progress = Progress::new(all, output.done().len() as u64);
    output::on_interrupt(arguments.output.as_deref());
    let (asked, permits) = feed(questions, shard, output.done().clone(), jobs * AHEAD);
    let answers = children::start(jobs, asked)?;
    write(arguments, &mut output, &mut progress, &answers, &permits)?;
    drop(progress);
    report(
        arguments.output.as_deref(),
        &output.finish(!arguments.unordered)?,
    )
}

fn report(path: Option<&Path>, written: &Written) -> Result<End> {
    let Written { answers, errors } = *written;
    if let Some(path) = path {
        print(&format!(
            "{}: {}, {}",
            path.display(),
            count(answers, "answer"),
            if errors == 0 {
                "no error".to_string()
            } else {
                format!("{} among them", count(errors, "error"))
            }
        ))?;
    }
    Ok(if errors == 0 { End::Done } else { End::Refused })
}

/// Reads questions in a thread of its own, for a pipe may be slow: those of the shard that are not done. At most
/// `ahead` of them have no answer written. Each that is written frees a permit.
fn feed(
    mut questions: lines::Lines,
    shard: Shard,
    mut done: BTreeMap<u64, String>,
    ahead: usize,
) -> (Receiver<Asked>, Receiver<()>) {
    let (asked, questions_out) = channel();
    let (taken, permits) = sync_channel(ahead);
    std::thread::spawn(move || {
        let mut position = 0;
        loop {
            let next = questions.next().and_then(|line| match line {
                Some(line) => Ok(Some(line)),
                None => nothing_left(&done, questions.number()).map(|()| None),
            });
            match next {
                Ok(None) => return,
                Err(error) => return drop(asked.send(Err(error))),
                Ok(Some(line)) if !shard.has(line.number) => {}
                Ok(Some(line)) => {
                    match is_done(&mut done, &line) {
                        Ok(false) => {}
                        Ok(true) => continue,
                        Err(error) => return drop(asked.send(Err(error))),
                    }
                    let line = Line { position, ..line };
                    position += 1;
                    if !send(&asked, &taken, line) {
                        return;
                    }
                }
            }
        }
    });
    (questions_out, permits)
}

/// Sends a question as soon as there is a permit. False if the receiver has ended.
fn send(asked: &std::sync::mpsc::Sender<Asked>, taken: &SyncSender<()>, line: Line) -> bool {
    taken.send(()).is_ok() && asked.send(Ok(line)).is_ok()
}

/// Whether a question has an answer, which is then taken out.
///
/// # Errors
/// The answer is one to another question.
fn is_done(done: &mut BTreeMap<u64, String>, line: &Line) -> Result<bool> {
    match done.remove(&line.number) {
        None => Ok(false),
        Some(digest) if digest == line.digest() => Ok(true),
        Some(_) => Err(usage(format!(
            "line {} was another question when it was answered; give another output",
            line.number
        ))),
    }
}

/// Refuses answers of lines beyond the last one.
fn nothing_left(done: &BTreeMap<u64, String>, lines: u64) -> Result<()> {
    match done.keys().next() {
        None => Ok(()),
        Some(line) => Err(usage(format!(
            "--resume: the output answers line {line}, and there are {}; give another output",
            count(lines, "question")
        ))),
    }
}

/// Refuses answers of another shard or of other questions before anything is asked. The questions of a pipe are
/// compared as they come.
fn refuse_others(file: &Path, shard: Shard, mut done: BTreeMap<u64, String>) -> Result<()> {
    if let Some(line) = done.keys().find(|line| !shard.has(**line)) {
        return Err(usage(format!(
            "--resume: the output answers line {line}, which is of another shard; give another output"
        )));
    }
    if lines::count(file)?.is_none() {
        return Ok(());
    }
    let mut questions = lines::open(file)?;
    while !done.is_empty() {
        match questions.next()? {
            Some(line) => is_done(&mut done, &line)?,
            None => return nothing_left(&done, questions.number()),
        };
    }
    Ok(())
}

/// Writes answers as they come, or in the order of the questions.
fn write(
    arguments: &BatchArguments,
    output: &mut Output,
    progress: &mut Progress,
    answers: &Receiver<Result<Done>>,
    permits: &Receiver<()>,
) -> Result<()> {
    let (mut waiting, mut next) = (BTreeMap::new(), 0);
    for done in answers {
        let Done {
            position,
            mut row,
            took,
        } = done?;
        if arguments.timings {
            // The object is open for one more key.
            row.pop();
            row.push_str(&format!(",\"seconds\":{:.6}}}", took.as_secs_f64()));
        }
        let position = if arguments.unordered { next } else { position };
        waiting.insert(position, row);
        while let Some(row) = waiting.remove(&next) {
            let answered = Answered::read(row.as_bytes()).context("a process gave no answer")?;
            output.write(row, &answered)?;
            progress.one(&answered);
            // The permit of this question. Its sender may have ended.
            let _ = permits.recv();
            next += 1;
        }
    }
    Ok(())
}
