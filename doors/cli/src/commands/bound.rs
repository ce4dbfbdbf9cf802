//! `oneport bound`: proved upper bounds on the throughput, as sentences.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use num_traits::Zero;
use oneport::explain::averaged;
use oneport::plan::inequality::{Inequality, Need};
use oneport::plan::{Certificate, Form, LinkId, Resource};
use oneport::watch::Limit;
use oneport::{
    Amount, Answer, Bandwidth, Collective, Error, Goal, NodeId, Options, Platform, Problem,
    ProblemError, Rational, Refusal, Solved, Status, Volumes, solve,
};
use oneport_questions::{CUSTOM, LeftOut, called, counts, listed, no_collective, node};
use serde_json::{Value, json};

use crate::answers::answer::{bystanders, data, models};
use crate::answers::bottleneck;
use crate::answers::in_network::InNetwork;
use crate::answers::measured::{self, Measured};
use crate::answers::odd_sets;
use crate::flags::limits::{LimitArguments, named};
use crate::flags::platform::{FileArguments, ReadingArguments, one};
use crate::words::clock;
use crate::words::exit::End;
use crate::words::numbers::{Shown, both, percent};
use crate::words::objects::line;
use crate::words::output::{MORE, count, few, print};
use crate::words::progress::Progress;
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
/// Limit on the links or resources named in a line.
const NAMED: usize = 4;

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
struct Row {
    form: &'static Form,
    collective: Collective,
    participants: Vec<NodeId>,
    bandwidth: Option<Bandwidth>,
    found: Found,
    /// The class of the priced resources, if others are like them: each proves the bound as well.
    alike: Option<String>,
    measured: Option<Measured>,
    /// The bound with in-network reduction, beside the measurement.
    in_network: Option<InNetwork>,
}

/// The outcome of the search for a bound.
enum Found {
    /// A bound.
    Solved(Box<Solved>),
    /// Messages cannot arrive; the error says which.
    Infeasible(String),
    /// The limit that ended the search before a bound was proved.
    Stopped(Limit),
    /// The reason why the problem is too large.
    TooLarge(String),
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
    // Bounds hold for every cost of merging and every order of operands.
    let volumes = Volumes {
        work: Amount::Constant(Rational::from_integer(0.into())),
        ..Volumes::default()
    };
    let mut rows = Vec::with_capacity(names.len());
    for (left, name) in (1..=names.len() as u32).rev().zip(names) {
        // The collectives share the time left.
        let options = Options {
            watch: watch.turn(100 / left),
            ..Options::default()
        };
        let form = form(name)?;
        progress.about(format!("{}: ", form.name));
        let mut collective = collective(form, &participants, root)?;
        if form.counted {
            collective = counts::counted(&platform, collective, arguments.counts.as_deref())?;
        }
        let mut row = Row {
            form,
            collective: collective.clone(),
            participants: participants.clone(),
            bandwidth: None,
            found: Found::TooLarge(String::new()),
            alike: None,
            measured: None,
            in_network: None,
        };
        match Problem::new(platform.clone(), collective, volumes.clone()) {
            Err(error @ ProblemError::Unreachable { .. }) => {
                row.found = Found::Infeasible(error.to_string());
            }
            problem => {
                let problem = problem?;
                row.found = found(&problem, &options)?;
                row.alike = row
                    .solved()
                    .ok()
                    .and_then(|solved| alike(&problem, &solved.answer));
                row.bandwidth = Bandwidth::of(&problem);
                row.measured = arguments
                    .measured
                    .as_deref()
                    .map(|text| measured::read(&problem, text, false))
                    .transpose()?;
                let bounds = row.measured.as_ref().zip(row.solved().ok());
                row.in_network = bounds.and_then(|(measured, solved)| {
                    InNetwork::of(&problem, measured, solved.answer.bound(), &options)
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
            "bounds": rows.iter().map(|row| row.json(&platform)).collect::<Vec<_>>(),
            "seconds": clock::elapsed().as_secs_f64(),
            "left_out": left_out.json()["left_out"],
        })),
        false => match arguments.table.format {
            TableFormat::Text => left_out.line() + &text(&platform, &rows),
            format => table(&platform, &rows).show(format),
        },
    };
    print(&text)?;
    let wrong: Vec<String> = rows.iter().filter_map(Row::wrong).collect();
    wrong.iter().for_each(|wrong| eprintln!("error: {wrong}"));
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
            let place = words.iter().position(|word| called(word).is_none());
            let file = (!words.is_empty()).then(|| words.remove(place.unwrap_or(0)));
            // Its bytes may be no text.
            one(
                if place == Some(0) {
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

fn collective(
    form: &'static Form,
    participants: &[NodeId],
    root: Option<NodeId>,
) -> Result<Collective> {
    let centre = root.or(participants.first().copied());
    let rooted = form.roles.iter().any(|role| !role.many);
    let nodes = |many: bool| -> Vec<NodeId> {
        match many {
            false => centre.into_iter().collect(),
            true if rooted && !form.overlaps() => participants
                .iter()
                .copied()
                .filter(|&node| Some(node) != centre)
                .collect(),
            true => participants.to_vec(),
        }
    };
    let nodes: Vec<Vec<NodeId>> = form.roles.iter().map(|role| nodes(role.many)).collect();
    form.build(&nodes, true)
        .ok_or_else(|| usage(format!("{} needs a participant", form.name)))
}

fn rate(platform: &Platform, value: &Rational) -> String {
    match platform.units() {
        Some(units) => units.show_rate(value),
        None => format!("{} per unit of time", both(value)),
    }
}

/// A row for each collective.
fn table(platform: &Platform, rows: &[Row]) -> Sheet {
    let cells = |row: &Row| {
        let name = row.form.name.to_string();
        let none = || "-".to_string();
        let bounded = match row.solved() {
            Ok(solved) => &solved.answer,
            Err((why, _)) => return vec![name, none(), none(), none(), none(), why],
        };
        let bandwidth = |of: fn(&Bandwidth, &Rational) -> Rational| {
            let value = row.bandwidth.as_ref().map(|it| of(it, bounded.bound()));
            value.map_or_else(none, |value| match platform.units() {
                Some(units) => units.show_rate(&value),
                None => value.to_string(),
            })
        };
        let known = bounded.throughput();
        vec![
            name,
            bandwidth(Bandwidth::algorithm),
            bandwidth(Bandwidth::bus),
            Shown::of(platform, false).rate(bounded.bound()),
            known.map_or_else(none, |known| percent(&(known / bounded.bound()))),
            row.sentence(platform, bounded),
        ]
    };
    let often = format!("operations {}", Shown::of(platform, false).per());
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

fn text(platform: &Platform, rows: &[Row]) -> String {
    let one = Rational::from_integer(1.into());
    let size = platform.units();
    let size = size.map_or_else(String::new, |units| {
        format!(", messages of {}", data(&one, units))
    });
    let mut out = format!(
        "bounds for {} among {}, {} ({}){size}{}: no schedule exceeds them, in whatever order values are combined\n",
        rows.first().map_or_else(String::new, |row| count(
            row.participants.len(),
            "processor"
        )),
        count(platform.nodes().len(), "node"),
        count(platform.links().len(), "link"),
        models(platform),
        rows.first()
            .map_or_else(String::new, |row| bystanders(platform, &row.collective))
    );
    for row in rows {
        let solved = match row.solved() {
            Ok(solved) => solved,
            Err((why, _)) => {
                let _ = writeln!(out, "{:<15} {why}", row.form.name);
                continue;
            }
        };
        let bounded = &solved.answer;
        let known = known(bounded, row.form);
        let numbers = row.numbers(platform, bounded.bound());
        let short = solved
            .ended_by
            .map_or_else(String::new, |limit| format!("; {}", named(limit)));
        let _ = writeln!(out, "{:<15} {numbers}{known}{short}", row.form.name);
        let alike = row.alike.as_ref();
        let alike = alike.map_or_else(String::new, |alike| format!("; alike: {alike}"));
        let _ = writeln!(out, "{:<15} {}{alike}", "", row.sentence(platform, bounded));
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
                let numbers = row.numbers(platform, &found.bound);
                let _ = writeln!(out, "{:<15} {}", "", found.sentence(measured, &numbers));
            }
        }
    }
    out
}

/// The throughput of the best known schedule, as a share of the bound.
fn known(bounded: &Answer, form: &Form) -> String {
    let free = if form.combines {
        " if combining takes no time"
    } else {
        ""
    };
    match bounded.throughput() {
        None => "; no schedule is known".to_string(),
        Some(known) if known == bounded.bound() => format!("; attained{free}"),
        Some(known) => {
            let share = percent(&(known / bounded.bound()));
            format!("; the best schedule known attains {share} of it{free}")
        }
    }
}

/// The inequality that alone proves a bound, and the links that it counts.
struct Across<'b> {
    need: &'b Need,
    links: Vec<LinkId>,
    capacity: Rational,
    /// How many messages pass the links at least.
    messages: Rational,
}

impl<'b> Across<'b> {
    fn of(platform: &Platform, collective: &Collective, bounded: &'b Answer) -> Option<Across<'b>> {
        let [need] = &bounded.certificate().needs[..] else {
            return None;
        };
        let says = need.inequality.statement();
        let times = says.of_links(platform);
        let links: Vec<LinkId> = platform
            .link_ids()
            .filter(|link| !times[link.index()].is_zero())
            .collect();
        if links.iter().any(|&link| platform.link(link).cost.is_zero()) {
            return None;
        }
        let capacity: Rational = links
            .iter()
            .map(|&link| &times[link.index()] / &platform.link(link).cost)
            .sum();
        let demands = (0..collective.demands())
            .filter(|place| need.demand.is_none_or(|demand| demand == *place));
        let demands = demands
            .filter_map(|place| collective.demand(place))
            .filter(|demand| says.concerns(demand));
        let messages = demands
            .map(|demand| says.right_side(&demand))
            .sum::<Option<Rational>>()?;
        (capacity == &messages * bounded.bound()).then_some(Across {
            need,
            links,
            capacity,
            messages,
        })
    }

    fn sentence(&self, platform: &Platform, bound: &Rational) -> String {
        let says = self.says(platform);
        let (links, capacity) = (links(platform, &self.links), rate(platform, &self.capacity));
        let (each, per) = if self.messages == Rational::from_integer(1.into()) {
            ("", capacity.clone())
        } else {
            let each = if self.need.demand.is_none() {
                " for each message"
            } else {
                ""
            };
            (
                each,
                format!("{capacity} / {} = {}", self.messages, rate(platform, bound)),
            )
        };
        format!(
            "{says}{each}: through {links} of {capacity} together no schedule exceeds {per} per operation"
        )
    }

    /// States the inequality. A cut with a long list of nodes is named by its other side, if that is short.
    fn says(&self, platform: &Platform) -> String {
        let rest: Vec<NodeId> = match &self.need.inequality {
            Inequality::Cut(cut) if cut.nodes.len() > NAMED => platform
                .node_ids()
                .filter(|node| cut.nodes.binary_search(node).is_err())
                .collect(),
            _ => Vec::new(),
        };
        if rest.is_empty() || rest.len() > NAMED {
            return self.need.inequality.statement().sentence(platform);
        }
        let names = few(rest.iter().map(|&node| platform.name(node)), NAMED, MORE);
        format!("at least 1 transfer leads into {{{names}}}")
    }

    /// For a cut.
    fn json(&self, platform: &Platform, participants: &[NodeId]) -> Option<Value> {
        let Inequality::Cut(cut) = &self.need.inequality else {
            return None;
        };
        let (inside, outside): (Vec<NodeId>, Vec<NodeId>) = participants
            .iter()
            .partition(|node| cut.nodes.binary_search(node).is_ok());
        let list = |nodes: &[NodeId]| {
            nodes
                .iter()
                .map(|&node| platform.name(node))
                .collect::<Vec<_>>()
        };
        Some(json!({
            "inside": list(&inside),
            "outside": list(&outside),
            "links": self.links.iter().map(|&link| platform.link_name(link)).collect::<Vec<_>>(),
            "capacity": self.capacity.to_string(),
            "messages": self.messages.to_string(),
        }))
    }
}

fn links(platform: &Platform, links: &[LinkId]) -> String {
    let names = few(
        links.iter().map(|&link| platform.link_name(link)),
        NAMED,
        ", ...",
    );
    format!("{} ({names})", count(links.len(), "link"))
}

/// The class of the priced resources: `4 x link 'leaf3 -> old*'`; `None` if it has no other members.
fn alike(problem: &Problem, bounded: &Answer) -> Option<String> {
    let priced = bounded.certificate().prices();
    let priced = priced.filter(|(_, price)| !price.is_zero()).count();
    let all: Vec<Resource> = averaged(problem, bounded.certificate())
        .into_keys()
        .collect();
    (all.len() > priced).then(|| bottleneck::summary(problem.platform(), &all))
}

/// Bounds one problem.
fn found(problem: &Problem, options: &Options) -> Result<Found> {
    let options = options.clone().goal(Goal::Bound);
    Ok(match solve(problem, &options) {
        // A row prints numbers; the flows of a large platform are long.
        Ok(solved) => Found::Solved(Box::new(solved.slim())),
        Err(Error::Stopped(limit)) => Found::Stopped(limit),
        Err(error @ Error::Problem(Refusal::TooLarge { .. })) => Found::TooLarge(error.to_string()),
        Err(error) => return Err(error.into()),
    })
}

impl Row {
    /// The bound in words.
    fn sentence(&self, platform: &Platform, bounded: &Answer) -> String {
        let (bound, certificate) = (bounded.bound(), bounded.certificate());
        if let Some(across) = Across::of(platform, &self.collective, bounded) {
            return across.sentence(platform, bound);
        }
        let priced = few(priced(platform, certificate), NAMED, MORE);
        let bound = Shown::of(platform, false).frequency(bound);
        let sets = certificate.odd_sets().take(NAMED);
        let sets: String = sets
            .map(|(set, _)| format!("; {}", odd_sets::sentence(platform, set)))
            .collect();
        format!("by the prices of {priced} no schedule exceeds {bound}{sets}")
    }

    /// The bound in the columns of nccl-tests.
    fn numbers(&self, platform: &Platform, bound: &Rational) -> String {
        match &self.bandwidth {
            Some(bandwidth) => {
                let (algorithm, bus) = (bandwidth.algorithm(bound), bandwidth.bus(bound));
                format!(
                    "algbw {}, busbw {}",
                    rate(platform, &algorithm),
                    rate(platform, &bus)
                )
            }
            None => Shown::of(platform, false).frequency(bound),
        }
    }

    /// The proved bound; else why there is none, in words and for `--json`.
    fn solved(&self) -> std::result::Result<&Solved, (String, Value)> {
        let name = self.form.name;
        Err(match &self.found {
            Found::Solved(solved) => return Ok(solved),
            Found::Infeasible(_) => (
                "infeasible: some of its messages cannot arrive".to_string(),
                json!({"collective": name, "status": "infeasible"}),
            ),
            Found::Stopped(limit) => (
                format!("nothing is proved: {}", named(*limit)),
                json!({"collective": name, "status": "unknown", "ended_by": named(*limit)}),
            ),
            Found::TooLarge(why) => (
                "nothing is proved: too large".to_string(),
                json!({"collective": name, "status": "unknown", "error": why}),
            ),
        })
    }

    /// The measured throughput as a share of the bound.
    fn share(&self) -> Option<Rational> {
        Some(&self.measured.as_ref()?.throughput / self.solved().ok()?.answer.bound())
    }

    /// The reasons, if the measurement is above the bound.
    fn impossible(&self) -> Option<String> {
        self.measured
            .as_ref()?
            .impossible(self.solved().ok()?.answer.bound())
    }

    /// The reason why the row has no bound.
    fn wrong(&self) -> Option<String> {
        match &self.found {
            Found::Solved(_) => None,
            Found::Infeasible(why) => Some(why.clone()),
            Found::Stopped(limit) => {
                Some(format!("{}: {}", self.form.name, Error::Stopped(*limit)))
            }
            Found::TooLarge(why) => Some(why.clone()),
        }
    }

    fn json(&self, platform: &Platform) -> Value {
        let solved = match self.solved() {
            Ok(solved) => solved,
            Err((_, row)) => return row,
        };
        let bounded = &solved.answer;
        let across = Across::of(platform, &self.collective, bounded);
        let cut = across.and_then(|across| across.json(platform, &self.participants));
        let sets = bounded.certificate().odd_sets();
        let sets: Vec<Value> = sets
            .map(|(set, price)| odd_sets::json(platform, set, Some(price)))
            .collect();
        let bandwidth = |of: fn(&Bandwidth, &Rational) -> Rational| {
            self.bandwidth
                .as_ref()
                .map(|bandwidth| of(bandwidth, bounded.bound()).to_string())
        };
        json!({
            "collective": self.form.name,
            "bound": bounded.bound().to_string(),
            "status": if bounded.status() == Status::Optimal { "attained" } else { "bound" },
            "known": bounded.throughput().map(Rational::to_string),
            "gap": bounded.gap().to_string(),
            "algbw": bandwidth(Bandwidth::algorithm),
            "busbw": bandwidth(Bandwidth::bus),
            "cut": cut,
            "odd_sets": sets,
            "sentence": self.sentence(platform, bounded),
            "share": self.share().map(|share| share.to_string()),
            "alike": self.alike,
            "in_network": self.in_network.as_ref().zip(self.measured.as_ref()).map(|(found, own)| found.json(own)),
            "ended_by": solved.ended_by.map(named),
        })
    }
}

/// The names of the odd sets, then of the resources that the certificate charges.
fn priced(platform: &Platform, certificate: &Certificate) -> Vec<String> {
    let sets = certificate
        .odd_sets()
        .map(|(set, _)| set.describe(platform));
    sets.chain(
        certificate
            .prices()
            .map(|(resource, _)| resource.describe(platform)),
    )
    .collect()
}
