//! `oneport bound`: proved upper bounds on the throughput, as sentences.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use oneport::plan::Form;
use oneport::platform::whole;
use oneport::{Collective, Error, NodeId, Options, Platform, ProblemError, Rational};
use oneport_questions::bound::{self, BoundResult, Bounded};
use oneport_questions::in_network::InNetwork;
use oneport_questions::measured::{self, Measured};
use oneport_questions::{CUSTOM, LeftOut, called, counts, listed, no_collective, node};
use serde_json::{Value, json};

use crate::answers::answer::{bystanders, data, models};
use crate::flags::limits::{LimitArguments, named};
use crate::flags::platform::{FileArguments, ReadingArguments, one};
use crate::words::clock;
use crate::words::exit::End;
use crate::words::numbers::{Shown, percent};
use crate::words::objects::{joined, line};
use crate::words::output::{count, print};
use crate::words::progress::Progress;
use crate::words::settings::hear;
use crate::words::tables::{FormatArguments, Sheet, TableFormat, plain};
use crate::words::usage::usage;

/// The collectives that are bounded by default.
const USUAL: [&str; 6] = [
    "all-gather",
    "reduce-scatter",
    "all-reduce",
    "all-to-all",
    "broadcast",
    "reduce",
];
/// Print a proved upper bound per collective and the cut that limits it. Builds no schedule.
#[derive(Debug, Args)]
pub struct BoundArguments {
    /// The platform.
    #[command(flatten)]
    platform: FileArguments,
    /// Collectives (default: all-gather, reduce-scatter, all-reduce, all-to-all, broadcast, reduce).
    #[arg(value_name = "COLLECTIVE", index = 2)]
    collectives: Vec<String>,
    /// Model and units.
    #[command(flatten)]
    reading: ReadingArguments,
    /// Participants by names or patterns (box0.*, gpu0..7, cn[001-004]), or "all" processors (the default).
    #[arg(long, value_name = "A,B|all")]
    participants: Option<String>,
    /// Source of a broadcast or scatter, target of a reduce or gather (default: the first participant). Also
    /// --source or --target.
    #[arg(long, value_name = "NODE", visible_aliases = ["source", "target"])]
    root: Option<String>,
    /// The counts of a form that ends in -v, as for solve; name no other collective then.
    #[arg(long, value_name = "N,N[;N,N]|@FILE", allow_hyphen_values = true)]
    counts: Option<String>,
    /// A measurement of one collective, as for compare: a bus bandwidth ("212 GB/s"; "212 GB/s algbw"), the time of
    /// one operation of a message of size 1, or a log of nccl-tests, OSU or IMB-MPI1, or what nccl-tests write with
    /// -J: the row of its largest size counts.
    #[arg(long, value_name = "X|FILE.json", allow_hyphen_values = true)]
    measured: Option<String>,
    /// Limits.
    #[command(flatten)]
    limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The table's format.
    #[command(flatten)]
    table: FormatArguments,
}

/// A collective and its bound.
struct BoundRow {
    form: &'static Form,
    collective: Collective,
    result: BoundResult,
    measured: Option<Measured>,
    /// The bound with in-network reduction, beside the measurement.
    in_network: Option<InNetwork>,
}

/// Runs the command.
pub fn run(arguments: &BoundArguments) -> Result<End> {
    let progress = Progress::on_terminal();
    let watch = progress.of(&arguments.limits.watch()?);
    let (path, names) = words(&arguments.platform, &arguments.collectives)?;
    let platform = arguments.reading.read(path)?.platform;
    let (asked, root) = asked(&platform, arguments)?;
    let takers = asked.iter().copied().chain(root).collect::<BTreeSet<_>>();
    let takers: Vec<NodeId> = takers.into_iter().collect();
    let left_out = LeftOut::of(&platform, &takers, arguments.reading.idle());
    let platform = platform.changed(&left_out.changes())?.platform;
    let (participants, root) = self::asked(&platform, arguments)?;
    if arguments.measured.is_some() && names.len() != 1 {
        return Err(usage(
            "--measured: name the collective that was measured, and no other",
        ));
    }
    let counted = names
        .iter()
        .filter(|name| form(name).is_ok_and(|form| form.counted));
    match (counted.count(), names.len(), &arguments.counts) {
        (0, _, Some(_)) => return Err(usage("--counts: name the form that ends in -v")),
        (1.., 2.., _) => return Err(usage("--counts are of one collective; name no other")),
        _ => {}
    }
    let mut rows = Vec::with_capacity(names.len());
    for (left, name) in (1..=names.len() as u32).rev().zip(names) {
        // The collectives share the time left.
        let options = Options {
            watch: watch.turn(100 / left),
            ..Options::default()
        };
        let form = form(name)?;
        progress.about(format!("{}: ", form.name));
        let mut collective = bound::collective(form, &participants, root)?;
        if form.counted {
            collective = counts::counted(&platform, collective, arguments.counts.as_deref())?;
        }
        let mut row = BoundRow {
            form,
            collective: collective.clone(),
            result: BoundResult::TooLarge(String::new()),
            measured: None,
            in_network: None,
        };
        match bound::problem(&platform, collective) {
            Err(error @ ProblemError::Unreachable { .. }) => {
                row.result = BoundResult::Infeasible(error.to_string());
            }
            problem => {
                let problem = problem?;
                row.result = bound::bounded(&problem, &participants, &options)?;
                row.measured = arguments
                    .measured
                    .as_deref()
                    .map(|text| measured::read(&problem, text, false, &hear))
                    .transpose()?;
                let bounds = row.measured.as_ref().zip(row.bounded().ok());
                row.in_network = bounds.and_then(|(measured, bounded)| {
                    InNetwork::of(&problem, measured, &bounded.bound, &options)
                });
            }
        }
        rows.push(row);
    }
    drop(progress);
    let text = match arguments.json {
        true => line(json!({
            "processors": platform.processors().count(),
            "links": platform.links().len(),
            "model": platform.model().name(),
            "units": platform.units().map(|units| units.to_string()),
            "work": "0",
            "commutative": true,
            "bounds": rows.iter().map(BoundRow::json).collect::<Vec<_>>(),
            "seconds": clock::elapsed().as_secs_f64(),
            "left_out": left_out.json()["left_out"],
        })),
        false => match arguments.table.format {
            TableFormat::Text => left_out.line() + &text(&platform, participants.len(), &rows),
            format => table(&platform, &rows).show(format),
        },
    };
    print(&text)?;
    let wrong: Vec<String> = rows.iter().filter_map(BoundRow::wrong).collect();
    for wrong in &wrong {
        eprintln!("error: {wrong}");
    }
    Ok(if wrong.is_empty() {
        End::Done
    } else {
        End::Refused
    })
}

/// The platform's file, and the collectives. The file is the first word that names no collective, unless an option has
/// it.
fn words<'a>(
    platform: &'a FileArguments,
    collectives: &'a [String],
) -> Result<(&'a Path, Vec<&'a str>)> {
    let first = platform
        .file
        .iter()
        .map(|file| file.to_str().unwrap_or_default());
    let mut words: Vec<&str> = first
        .chain(collectives.iter().map(String::as_str))
        .collect();
    let path = match &platform.platform {
        Some(path) => path.as_path(),
        None => {
            let position = words.iter().position(|word| called(word).is_none());
            let file = (!words.is_empty()).then(|| words.remove(position.unwrap_or(0)));
            // Its bytes may be no text.
            one(
                if position == Some(0) {
                    platform.file.as_deref()
                } else {
                    file.map(Path::new)
                },
                None,
            )?
        }
    };
    if words.is_empty() {
        words = USUAL.to_vec();
    }
    Ok((path, words))
}

/// The participants and the root.
fn asked(platform: &Platform, arguments: &BoundArguments) -> Result<(Vec<NodeId>, Option<NodeId>)> {
    let listed = listed(
        platform,
        arguments.participants.as_deref(),
        "--participants",
        None,
    )?;
    let root = arguments
        .root
        .as_ref()
        .map(|name| node(platform, name, "--root"))
        .transpose()?;
    Ok((listed, root))
}

fn form(name: &str) -> Result<&'static Form> {
    let found = called(name).filter(|name| *name != CUSTOM);
    found
        .and_then(Form::find)
        .ok_or_else(|| no_collective(name).into())
}

/// A row for each collective.
fn table(platform: &Platform, rows: &[BoundRow]) -> Sheet {
    let shown = Shown::of(platform, false);
    let cells = |row: &BoundRow| {
        let name = row.form.name.to_string();
        let none = || "-".to_string();
        let bounded = match row.bounded() {
            Ok(bounded) => bounded,
            Err((why, _)) => return vec![name, none(), none(), none(), none(), why],
        };
        let bandwidth = |value: &Option<Rational>| match (value, platform.units()) {
            (Some(value), Some(units)) => units.show_rate(value),
            (Some(value), None) => value.to_string(),
            (None, _) => none(),
        };
        let known = bounded.known.as_ref();
        vec![
            name,
            bandwidth(&bounded.algbw),
            bandwidth(&bounded.busbw),
            shown.rate(&bounded.bound),
            known.map_or_else(none, |known| percent(&(known / &bounded.bound))),
            bounded.sentence.clone(),
        ]
    };
    let often = format!("operations {}", shown.per());
    let header = [
        "collective",
        "algbw",
        "busbw",
        &often,
        "attained",
        "limited by",
    ];
    plain(&header, &[1, 2, 3, 4], rows.iter().map(cells))
}

fn text(platform: &Platform, participants: usize, rows: &[BoundRow]) -> String {
    let size = platform.units();
    let size = size.map_or_else(String::new, |units| {
        format!(", messages of {}", data(&whole(1), units))
    });
    let mut out = format!(
        "bounds for {} among {}, {} ({}){size}{}: no schedule exceeds them, in whatever order values are combined\n",
        count(participants, "processor"),
        count(platform.nodes().len(), "node"),
        count(platform.links().len(), "link"),
        models(platform),
        rows.first()
            .map_or_else(String::new, |row| bystanders(platform, &row.collective))
    );
    for row in rows {
        let name = row.form.name;
        let bounded = match row.bounded() {
            Ok(bounded) => bounded,
            Err((why, _)) => {
                let _ = writeln!(out, "{name:<15} {why}");
                continue;
            }
        };
        let known = known(bounded, row.form);
        let numbers = bounded.numbers(platform, &bounded.bound);
        let short = bounded.ended_by;
        let short = short.map_or_else(String::new, |ended| format!("; {ended}"));
        let _ = writeln!(out, "{name:<15} {numbers}{known}{short}");
        let alike = bounded.alike.as_ref();
        let alike = alike.map_or_else(String::new, |alike| format!("; alike: {alike}"));
        let _ = writeln!(out, "{:<15} {}{alike}", "", bounded.sentence);
        if let (Some(measured), Some(share)) = (&row.measured, row.share()) {
            let why = row.impossible().map(|why| format!(": {why}"));
            let _ = writeln!(
                out,
                "{:<15} your {} is {} of the bound{}",
                "",
                measured.shown,
                percent(&share),
                why.unwrap_or_default()
            );
            if let Some(found) = &row.in_network {
                let numbers = bounded.numbers(platform, &found.bound);
                let _ = writeln!(out, "{:<15} {}", "", found.sentence(measured, &numbers));
            }
        }
    }
    out
}

/// The throughput of the best known schedule, as a share of the bound.
fn known(bounded: &Bounded, form: &Form) -> String {
    let free = if form.combines {
        " if combining takes no time"
    } else {
        ""
    };
    match &bounded.known {
        None => "; no schedule is known".to_string(),
        Some(known) if *known == bounded.bound => format!("; attained{free}"),
        Some(known) => {
            let share = percent(&(known / &bounded.bound));
            format!("; the best schedule known attains {share} of it{free}")
        }
    }
}

impl BoundRow {
    /// The proved bound, or the reason why there is none, in words and for `--json`.
    fn bounded(&self) -> std::result::Result<&Bounded, (String, Value)> {
        let name = self.form.name;
        Err(match &self.result {
            BoundResult::Bounded(bounded) => return Ok(bounded),
            BoundResult::Infeasible(_) => (
                "infeasible: some of its messages cannot arrive".to_string(),
                json!({"collective": name, "status": "infeasible"}),
            ),
            BoundResult::Stopped(limit) => (
                format!("nothing is proved: {}", named(*limit)),
                json!({"collective": name, "status": "unknown", "ended_by": named(*limit)}),
            ),
            BoundResult::TooLarge(why) => (
                "nothing is proved: too large".to_string(),
                json!({"collective": name, "status": "unknown", "error": why}),
            ),
        })
    }

    /// The measured throughput as a share of the bound.
    fn share(&self) -> Option<Rational> {
        Some(&self.measured.as_ref()?.throughput / &self.bounded().ok()?.bound)
    }

    /// The reasons, if the measurement is above the bound.
    fn impossible(&self) -> Option<String> {
        self.measured
            .as_ref()?
            .impossible(&self.bounded().ok()?.bound)
    }

    /// The reason why the row has no bound.
    fn wrong(&self) -> Option<String> {
        match &self.result {
            BoundResult::Bounded(_) => None,
            BoundResult::Infeasible(why) | BoundResult::TooLarge(why) => Some(why.clone()),
            BoundResult::Stopped(limit) => {
                Some(format!("{}: {}", self.form.name, Error::Stopped(*limit)))
            }
        }
    }

    fn json(&self) -> Value {
        let bounded = match self.bounded() {
            Ok(bounded) => bounded,
            Err((_, row)) => return row,
        };
        let measured = self.measured.as_ref();
        let in_network = self.in_network.as_ref().zip(measured);
        let own = json!({
            "share": self.share().map(|share| share.to_string()),
            "in_network": in_network.map(|(found, measured)| found.numbers(measured)),
        });
        joined([json!(bounded), own])
    }
}
