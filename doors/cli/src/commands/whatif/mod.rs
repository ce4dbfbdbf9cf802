//! `oneport whatif`: the optimum of a platform that is changed, or the worth of each class of its parts.

mod price;
mod report;

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use oneport::Options;
use oneport_questions::what_if::{self, NextChange};
use oneport_questions::{Asked, Kind, change};

use crate::answers::optimum;
use crate::flags::limits::LimitArguments;
use crate::flags::question::QuestionArguments;
use crate::words::exit::End;
use crate::words::objects::{joined, line};
use crate::words::output::print;
use crate::words::progress::Progress;
use crate::words::tables::{FormatArguments, TableFormat};
use crate::words::usage::usage;
use price::Prices;
use report::{Changed, Report};

/// Solve again with faster, slower or missing links, ports and processors: what is worth buying.
#[derive(Debug, Args)]
#[command(after_long_help = GRAMMAR)]
pub struct WhatIfArguments {
    /// The question.
    #[command(flatten)]
    question: QuestionArguments,
    /// The price of one member of a class, by its name, as 'ib*: 900'; repeatable. The table then has what doubling the
    /// class costs (as many again), and the throughput gained per unit of price.
    #[arg(long = "price", value_name = "NAMES: PRICE")]
    prices: Vec<String>,
    /// Limits. The table is printed as far as it is known.
    #[command(flatten)]
    limits: LimitArguments,
    /// Print fractions in full next to the decimals.
    #[arg(long)]
    exact: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The table's format.
    #[command(flatten)]
    table: FormatArguments,
}

const GRAMMAR: &str = "\
With --change: the platform before and after, several changes together. Without: a table of the gain of each class of
links, ports and processors.

Changes: TARGET: OPERATION
  'A -> B: bandwidth x2'      the link from A to B; also 'bandwidth /2', 'bandwidth = 25', '= 25 GB/s', 'cost x3/2'
  'A <-> B: remove'           both directions, as many as there are
  'rack*.switch <-> spine*: bandwidth x2'   * stands for any letters or none: every link between such nodes
  'A: compute x1/2'           time of a unit of work; 'compute = 1' also makes a processor of a router
  'A: ports = 2'              under multiport
  'A: model = links'          the node's own port model
  'A: reduces = true'         a router combines what passes through it (NVLS, SHARP), in no time; 'reduces = 3600 GB/s', '= 1/2':
                              the time of a merge; 'replicates = true': it duplicates
  'A: bandwidth x2'           every link that enters or leaves A
  \"shared 'bus': bandwidth x2\"   a shared capacity; also '= 25 GB/s', 'remove'
  'A: remove'                 the node and its links are gone; 'all' processors are then the others
Changes apply one after another, and --source, --participants, ... are read on the platform that results.

The table: a class holds cables (a link and its way back), nodes' ports, shared capacities, or processors of equal kind,
port model and cost whose names differ in digits only (shown as *). Each is tried alone, the throughput is found anew
and proved.
  doubled   cables: both directions carry twice as much; ports: every link that enters or leaves these nodes carries
            twice as much; processors: a merge takes half the time
  enough    a factor that gains as much as doubling, the least one unless it says 'or less'
  halved    the opposite
  removed   cables are gone; processors only forward. Not possible for ports and shared capacities, nor for participants
            of a reduction
Where no class alone gains by doubling, pairs and triples of the six classes that cost most when halved are doubled
together; triples are told where they gain more than each of their pairs.
Ports are left out where they have the same links as a class of cables, processors where merges take no time.
Where doubled ports gain by links that become faster than any link of their other end was, a line below the table names
these ends: their ports must be faster, too.
+5 % to +10 %: between these; no schedule for more is known, and no proof that there is none.";

/// Runs the command.
pub fn run(arguments: &WhatIfArguments) -> Result<End> {
    let started = Instant::now();
    let options = Options {
        watch: arguments.limits.watch()?,
        ..Options::default()
    };
    let reading = &arguments.question.reading;
    let path = arguments.question.path()?;
    let question = arguments.question.on(path)?;
    let platform = reading.read_unchanged(path)?.platform;
    let named = &reading.change.changes;
    let changes = change::changes(&platform, named)?;
    let prices = Prices::read(&arguments.prices)?;
    if !prices.is_empty() && !changes.is_empty() {
        return Err(usage(
            "--price is for the table of classes; leave --change out, or --price",
        ));
    }
    let own = Asked::read(platform.clone(), &question)?;
    let problem = own.problem()?;
    let base = Arc::new(optimum::listed(&problem, &options)?);
    let progress = Progress::new();
    let shown = Options {
        watch: progress.of(&options.watch),
        ..options.clone()
    };
    let changed = if changes.is_empty() {
        prices.check(&what_if::class_names(&problem))?;
        let rows = what_if::each_class(&base, &shown, &mut |next| {
            progress.about(of_row(next));
        })?;
        Changed::Classes(rows)
    } else {
        let platform = platform.changed(&changes)?.platform;
        progress.about("changed: ".to_string());
        let name = named.join("; ");
        let asked = Asked::read(platform, &question).map_err(|mut error| {
            if error.kind != Kind::Question {
                let about = format!("on the platform after --change '{name}': ");
                error.message.insert_str(0, &about);
            }
            error
        })?;
        let (row, answer) = what_if::changed(&base, name, &asked, &shown)?;
        Changed::Changes(Box::new(row), answer.map(Box::new))
    };
    // The progress is shown until its watch is gone.
    drop(shown);
    drop(progress);
    let (exact, seconds) = (arguments.exact, started.elapsed());
    let report = Report {
        problem: &problem,
        base,
        changed,
        prices,
        exact,
        seconds,
        ended_by: options.watch.ended_by(),
    };
    print(&match arguments.table.format {
        _ if arguments.json => line(joined([report.json(), own.left_out.json()])),
        TableFormat::Text => own.left_out.line() + &report.text(),
        format => report.sheet(format).show(format),
    })?;
    Ok(match report.lost() {
        None => End::Done,
        Some(error) => {
            eprintln!("error: no throughput after --change: {error}");
            End::Refused
        }
    })
}

/// The beginning of a line of progress on the row that is solved next.
fn of_row(next: NextChange<'_>) -> String {
    let (number, total, name) = (next.index + 1, next.total, next.name);
    match next.trial {
        Some(trial) => format!("{number} of {total}, {name} {}: ", trial.name()),
        None => format!("{number} of {total} sets, {name}: "),
    }
}
