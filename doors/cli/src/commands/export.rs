//! `oneport export`: plans for other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use num_traits::{Signed, ToPrimitive};
use oneport::files::AnswerFile;
use oneport::plan::{Claim, PeriodicSchedule, State, SteadyState};
use oneport::platform::LinkId;
use oneport::{Problem, Status};
use oneport::{files, referee};
use oneport_exports::{
    FORMATS, File, Format, Pieces, Preloaded, Request, SingleRun, Written, format, preload,
    registered,
};
use oneport_questions::{limits, quantity};

use crate::answers::mixed;
use crate::words::exit::End;
use crate::words::numbers::{Shown, percent, readable_count};
use crate::words::output::{Content, MORE, Named, count, few, print, replaced, try_outputs};
use crate::words::usage::usage;

/// The formats of several plans.
const PRELOAD: &str = "mpi-preload";
const REGISTER: &str = "mscclpp-register";

/// Write a plan or one reduction for other programs: events, traces, graphs, GPU libraries, simulators, MPI.
#[derive(Debug, Args)]
#[command(override_usage = "oneport export [OPTIONS] --to <FORMAT> <PLAN>... <OUT>")]
pub struct ExportArguments {
    /// The plan file (mpi-preload and mscclpp-register: one or more; the first names the ranks of mpi-preload), then
    /// the file to write; formats of several files add to its name.
    #[arg(value_name = "PLAN... OUT", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The format.
    #[arg(long, value_name = "FORMAT", value_parser = names())]
    to: String,
    /// Periods in which instances start, for formats that hold a run (default: two more than the plan is deep).
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    periods: Option<u64>,
    /// Pieces per message, for formats that hold one operation: a number, or "exact" for one per instance of the period
    /// (default: exact; mscclpp and msccl, which run only sizes that the pieces divide: the smallest power of two that
    /// keeps 31/32 of the throughput).
    #[arg(long, value_name = "N|exact", value_parser = pieces)]
    pieces: Option<Pieces>,
    /// mscclpp, msccl: input and output are one buffer (default of mscclpp: for all-reduce and broadcast, as PyTorch
    /// calls them; an MSCCL all-reduce or reduce-scatter serves both).
    #[arg(long, conflicts_with = "out_of_place")]
    in_place: bool,
    /// mscclpp, msccl: input and output are two buffers.
    #[arg(long)]
    out_of_place: bool,
    /// Bytes of a message, for formats of operations with sizes: Chakra, and GOAL without dates.
    #[arg(long, value_name = "SIZE", default_value = "1 MiB")]
    bytes: String,
    /// GOAL: one operation of messages in bytes, without dates, for simulators with a network model.
    #[arg(long)]
    without_dates: bool,
    /// Events: sends go from processor to processor; routers between them are omitted.
    #[arg(long)]
    between_processors: bool,
    /// mpi-preload: bytes of the shortest messages that a plan serves, one number per plan or one for all, as 0,64k,2M.
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    at_least: Vec<String>,
    /// mpi-preload: nodes are hosts; OUT.hosts lists them by ranks, and calls on other hosts are left to MPI.
    #[arg(long)]
    hosts: bool,
}

/// A number of pieces.
fn pieces(text: &str) -> Result<Pieces, String> {
    match text.parse::<u64>() {
        Ok(pieces) if pieces > 0 => Ok(Pieces::Number(pieces)),
        _ if text == "exact" => Ok(Pieces::Exact),
        _ => Err("it is a number from 1 on, or exact".to_string()),
    }
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        FORMATS
            .iter()
            .map(|format| PossibleValue::new(format.name).help(format.about)),
    )
}

/// Files, and the options of their writer.
struct Export<'a> {
    arguments: &'a ExportArguments,
    /// Bytes of a message.
    bytes: u64,
    plans: &'a [PathBuf],
    output: &'a Path,
}

/// Runs the command.
pub fn run(arguments: &ExportArguments) -> Result<End> {
    let Some((output, plans)) = arguments
        .files
        .split_last()
        .filter(|(_, plans)| !plans.is_empty())
    else {
        return Err(usage(
            "one file is given; give PLAN, the file to read, and OUT, the file to write",
        ));
    };
    if arguments.without_dates && arguments.to != "goal" {
        return Err(usage("--without-dates is for --to goal; leave it out"));
    }
    if (arguments.in_place || arguments.out_of_place) && !arguments.to.starts_with("msccl") {
        return Err(usage(format!(
            "--in-index and --out-of-index are for --to mscclpp and msccl, not {}; leave them out",
            arguments.to
        )));
    }
    let export = Export {
        arguments,
        bytes: whole_bytes(&arguments.bytes)?,
        plans,
        output,
    };
    try_outputs(Content::Other, &export.inputs(), &[("OUT", output)])?;
    if arguments.to == PRELOAD {
        return export.library();
    }
    if !arguments.at_least.is_empty() || arguments.hosts {
        return Err(usage(format!(
            "--at-least and --hosts are for --to {PRELOAD}, not {}",
            arguments.to
        )));
    }
    if arguments.to == REGISTER {
        return export.registered();
    }
    let [path] = plans else {
        let to = &arguments.to;
        return Err(usage(format!(
            "--to {to} takes one PLAN; several are for --to {PRELOAD} and {REGISTER}"
        )));
    };
    let answer = answer(path)?;
    let end = export.one(path, answer.request())?;
    answer.throughput().map_or(Ok(()), |line| print(&line))?;
    if arguments.to.starts_with("msccl") {
        answer.mixes().map_or(Ok(()), |line| print(&line))?;
    }
    Ok(end)
}

/// A periodic schedule, which is checked, and the statements of its file.
struct Periodic {
    problem: Problem,
    schedule: PeriodicSchedule,
    steady_state: SteadyState,
    status: Status,
}

/// The content of a file.
enum Answer {
    Plan(Box<Periodic>),
    Once(Box<SingleRun>),
}

impl Answer {
    /// The throughputs of a plan, and the share of them that an export keeps.
    fn throughput(&self) -> Option<String> {
        let Answer::Plan(plan) = self else {
            return None;
        };
        let shown = Shown::of(plan.problem.platform(), false);
        let (found, period) = (&plan.steady_state.throughput, plan.schedule.throughput());
        let known = match plan.status {
            Status::Optimal => "optimal",
            Status::Feasible => "best known",
        };
        let below = oneport::platform::whole(1) - &period / found;
        let lost = if below.is_positive() {
            format!(" ({} below)", percent(&below))
        } else {
            String::new()
        };
        Some(format!(
            "throughput: {} ({known}); the plan, a period of {}: {}{lost}",
            shown.frequency(found),
            count(readable_count(&plan.schedule.instances), "instance"),
            shown.plainly(&period)
        ))
    }

    /// Why a runtime for GPUs may not attain the throughput of a plan: it has one way between two GPUs.
    fn mixes(&self) -> Option<String> {
        let Answer::Plan(plan) = self else {
            return None;
        };
        let platform = plan.problem.platform();
        let hops = mixed::hops(platform, &plan.steady_state);
        let links = mixed::pci_links(platform, &hops, &|link| {
            mixed::kind_by_names(platform, link)
        });
        let name = |&link: &LinkId| platform.link_name(link);
        let names = few(links.iter().map(name), 6, MORE);
        (!links.is_empty()).then(|| {
            format!(
                "warning: the plan uses NVLink between some GPUs of a box and PCI between others ({names}); the file names \
                 GPUs and no links, and the runtime has one way between two GPUs, so what is promised for PCI is sent over \
                 NVLink where the two have both: solve again without these PCI links ({})",
                mixed::WITHOUT
            )
        })
    }

    fn request(&self) -> Request<'_> {
        match self {
            Answer::Plan(plan) => Request::new(&plan.problem, &plan.schedule),
            Answer::Once(run) => run.request(),
        }
    }
}

/// Reads a plan, or a schedule that is executed once, and checks it.
fn answer(path: &Path) -> Result<Answer> {
    let name = path.display();
    match files::read_answer(path)? {
        AnswerFile::Plan(claim, stated, _) => {
            let Claim {
                problem,
                state: Some(State::Listed(state)),
                schedule: Some(schedule),
                ..
            } = *claim
            else {
                bail!("{name}: no schedule");
            };
            referee::check_schedule(&problem, &schedule)
                .with_context(|| format!("{name}: violation"))?;
            Ok(Answer::Plan(Box::new(Periodic {
                problem,
                schedule,
                steady_state: state,
                status: stated.status,
            })))
        }
        AnswerFile::Reduction(one) => {
            referee::check_single(&one).with_context(|| format!("{name}: violation"))?;
            let run = SingleRun::new(&one).with_context(|| format!("{name}"))?;
            Ok(Answer::Once(Box::new(run)))
        }
        AnswerFile::Broadcast(one) => {
            referee::check_single_broadcast(&one).with_context(|| format!("{name}: violation"))?;
            let run = SingleRun::of_broadcast(&one).with_context(|| format!("{name}"))?;
            Ok(Answer::Once(Box::new(run)))
        }
        AnswerFile::AllReduce(all) => {
            referee::check_all_reduce(&all).with_context(|| format!("{name}: violation"))?;
            let run = SingleRun::of_all_reduce(&all).with_context(|| format!("{name}"))?;
            Ok(Answer::Once(Box::new(run)))
        }
    }
}

impl Export<'_> {
    fn inputs(&self) -> Vec<Named<'_>> {
        self.plans
            .iter()
            .map(|plan| ("PLAN", plan.as_path()))
            .collect()
    }

    fn asked<'a>(&self, request: Request<'a>) -> Request<'a> {
        Request {
            periods: self.arguments.periods.or(request.periods),
            pieces: self.arguments.pieces.unwrap_or_default(),
            in_place: self
                .arguments
                .in_place
                .then_some(true)
                .or(self.arguments.out_of_place.then_some(false)),
            bytes: Some(self.bytes),
            without_dates: self.arguments.without_dates,
            between_processors: self.arguments.between_processors,
            ..request
        }
    }

    fn one(&self, plan: &Path, request: Request<'_>) -> Result<End> {
        let is_csv = self
            .output
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let to = &self.arguments.to;
        let format = format(if to == "events" && is_csv {
            "events-csv"
        } else {
            to
        })?;
        let written = format
            .write(&self.asked(request))
            .with_context(|| format!("{}", plan.display()))?;
        self.write(format, &written)
    }

    /// Plans for several sizes, and their script.
    fn registered(&self) -> Result<End> {
        let answers = self
            .plans
            .iter()
            .map(|path| answer(path))
            .collect::<Result<Vec<Answer>>>()?;
        let requests = answers
            .iter()
            .zip(self.plans)
            .map(|(answer, _path)| Ok(self.asked(answer.request())));
        let written = registered(&requests.collect::<Result<Vec<Request<'_>>>>()?)
            .with_context(|| self.names())?;
        self.write(format(REGISTER)?, &written)
    }

    fn names(&self) -> String {
        self.plans
            .iter()
            .map(|path| path.display().to_string())
            .collect::<Vec<String>>()
            .join(", ")
    }

    /// One library of all plans.
    fn library(&self) -> Result<End> {
        let sizes = self
            .arguments
            .at_least
            .iter()
            .map(|text| at_least(text))
            .collect::<Result<Vec<u64>>>()?;
        if !matches!(sizes.len(), 0 | 1) && sizes.len() != self.plans.len() {
            let (sizes, plans) = (
                count(sizes.len(), "number"),
                count(self.plans.len(), "plan"),
            );
            return Err(usage(format!(
                "--at-least has {sizes} for {plans}; give one for each, or one for all"
            )));
        }
        let answers = self
            .plans
            .iter()
            .map(|path| answer(path))
            .collect::<Result<Vec<Answer>>>()?;
        let mut plans = Vec::with_capacity(answers.len());
        for (index, (answer, _path)) in answers.iter().zip(self.plans).enumerate() {
            let at_least = sizes.get(index).or(sizes.first()).copied().unwrap_or(0);
            plans.push(Preloaded {
                request: self.asked(answer.request()),
                at_least,
            });
        }
        let files = preload(&plans, self.arguments.hosts).with_context(|| self.names())?;
        self.write(format(PRELOAD)?, &files.into())
    }

    fn write(&self, format: &Format, Written { files, notes }: &Written) -> Result<End> {
        let paths: Vec<PathBuf> = files.iter().map(|file| path(self.output, file)).collect();
        let outputs: Vec<Named<'_>> = paths.iter().map(|path| ("OUT", path.as_path())).collect();
        try_outputs(Content::Other, &self.inputs(), &outputs)?;
        for (file, path) in files.iter().zip(&paths) {
            files::write_atomically(path, &file.bytes)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let lacks = if format.lacks.is_empty() {
            String::new()
        } else {
            format!("; not in it: {}", format.lacks)
        };
        print(&format!(
            "{}: {}{lacks}",
            format.name,
            written(self.output, files)
        ))?;
        for note in notes {
            print(note)?;
        }
        Ok(End::Done)
    }
}

/// A number of bytes, 0 or more.
fn at_least(text: &str) -> Result<u64> {
    if text.trim() == "0" {
        Ok(0)
    } else {
        Ok(limits::bytes("--at-least", text)?)
    }
}

/// A whole number of bytes, at least one.
fn whole_bytes(text: &str) -> Result<u64> {
    let size = quantity::bytes("--bytes", text)?;
    let whole = if size.is_integer() && size.is_positive() {
        size.to_integer().to_u64()
    } else {
        None
    };
    whole.ok_or_else(|| {
        usage(format!(
            "--bytes: '{text}' is not a whole number of bytes from 1 to 2^64 - 1"
        ))
    })
}

/// The path of a file.
fn path(output: &Path, file: &File) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(&file.suffix);
    PathBuf::from(name)
}

fn written(output: &Path, files: &[File]) -> String {
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    let first = files
        .first()
        .map(|file| path(output, file).display().to_string())
        .unwrap_or_default();
    match files.len() {
        1 => format!(
            "{first}, {}{}",
            count(bytes, "byte"),
            replaced(Path::new(&first))
        ),
        several => format!(
            "{first} and so on, {several} files, {}",
            count(bytes, "byte")
        ),
    }
}
