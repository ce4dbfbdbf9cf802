//! SimGrid: a platform, the transfers and merges of a run with their dates, and a program that replays them.
//!
//! Every port and every link is a link of the simulator with the same limit on simultaneous transfers. A send or a
//! merge waits until its inputs have arrived. So a task that starts at its date ends at its date, unless its port was
//! busy or its inputs were late: the program compares.
//!
//! A shared capacity is a link of the simulator in the routes of its links, as often as it counts them. A link that
//! transfers at a part of its rate has that part as its bandwidth. Together these never exceed the capacity, so that
//! the simulator, which shares it by max-min fairness, gives each transfer the rate of the schedule.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use num_bigint::BigInt;
use oneport_plan::{Resource, Task};
use oneport_platform::{LinkId, Platform, Rational, floored, floored_quotient, whole};
use oneport_schedule::{DatedTask, Execution, Piece};

use crate::run::{Occurrence, RepeatedPeriod};
use crate::text::xml;
use crate::{ExportError, File, Format, Request};

/// The format.
pub(crate) const FORMAT: Format = Format {
    name: "simgrid",
    about: "a SimGrid platform (OUT), a run (OUT.replay) and an S4U program that replays it (OUT.cpp)",
    lacks: "exact dates (18 decimals), the values themselves (who waits for whom is replayed), the proof",
    write: |request| Ok(write(request)?.into()),
};

/// Decimals of dates, bytes and bandwidths.
const DECIMALS: u32 = 18;
/// Digits of the bytes of the largest message, and of the operations of a unit of time: doubles hold them.
const DIGITS: u32 = 15;

const HEAD: &str = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
    <platform version=\"4.1\">\n  <zone id=\"oneport\" routing=\"Full\">\n";

fn write(request: &Request<'_>) -> Result<Vec<File>, ExportError> {
    let run = RepeatedPeriod::new(request)?;
    let file = |suffix: &str, text: String| File {
        suffix: suffix.to_string(),
        bytes: text.into_bytes(),
    };
    Ok(vec![
        file("", hosts_and_links(&run, &scale(&run))),
        file(".replay", replay(&run, &scale(&run))),
        file(".cpp", include_str!("simgrid/replay.cpp").to_string()),
    ])
}

/// Bytes of a message of size 1: a power of ten.
fn scale(run: &RepeatedPeriod<'_>) -> BigInt {
    let sizes = run
        .execution
        .tasks
        .iter()
        .map(|dated| run.problem.volumes().size.of(dated.task.part()));
    let largest = sizes
        .flatten()
        .max()
        .unwrap_or_default()
        .ceil()
        .to_integer();
    let digits = largest.to_string().len().try_into().unwrap_or(DIGITS);
    BigInt::from(10).pow(DIGITS.saturating_sub(digits))
}

/// Name of a port in the simulator.
fn name(resource: Resource) -> String {
    match resource {
        Resource::Send(node) => format!("out{node}"),
        Resource::Receive(node) => format!("in{node}"),
        Resource::Port(node) => format!("port{node}"),
        Resource::Link(link) => format!("link{link}"),
        Resource::Shared(id) => format!("shared{id}"),
        Resource::Compute(node) => format!("node{node}"),
    }
}

/// The ports at the ends of a link, and between them the link and its shared capacities, as often as these count it.
fn way(platform: &Platform, link: LinkId) -> Vec<Resource> {
    let [from, to] = Resource::ends(platform, link);
    let shared = platform.shared_by(link).iter().flat_map(|(id, _)| {
        let shared = platform.shared().get(id.index());
        let weight = shared.and_then(|shared| shared.weights.get(&link));
        std::iter::repeat_n(
            Resource::Shared(*id),
            weight.map_or(0, |weight| *weight as usize),
        )
    });
    from.into_iter()
        .chain([Resource::Link(link)])
        .chain(shared)
        .chain(to)
        .collect()
}

/// Per link with shared capacities: the rate at which the run's messages pass it.
fn rates(run: &RepeatedPeriod<'_>) -> BTreeMap<LinkId, Rational> {
    let platform = run.problem.platform();
    let mut rates = BTreeMap::new();
    for dated in &run.execution.tasks {
        let time = run.execution.time(&dated.duration);
        if let Task::Send { link, part, .. } = dated.task
            && !platform.shared_by(link).is_empty()
            && time > Rational::default()
        {
            let size = run.problem.volumes().size.of(part).unwrap_or_default();
            rates.insert(link, size / time);
        }
    }
    rates
}

/// All ports and links, each once.
fn ports(platform: &Platform) -> BTreeSet<Resource> {
    let ways = platform.link_ids().map(|link| way(platform, link));
    ways.flatten().collect()
}

fn hosts_and_links(run: &RepeatedPeriod<'_>, scale: &BigInt) -> String {
    let (platform, rates) = (run.problem.platform(), rates(run));
    let mut text = HEAD.to_string();
    for node in platform.node_ids() {
        let _ = writeln!(
            text,
            "    <host id=\"node{node}\" speed=\"1e{DIGITS}f\"/> <!-- {} -->",
            comment(platform.name(node))
        );
    }
    for port in ports(platform) {
        let rate = match port {
            Resource::Link(link) if platform.link(link).cost > Rational::default() => {
                let whole = || platform.link(link).cost.recip();
                Some(rates.get(&link).cloned().unwrap_or_else(whole))
            }
            Resource::Shared(id) => platform
                .shared()
                .get(id.index())
                .map(|one| one.rate.clone()),
            _ => None,
        };
        let bandwidth = rate.map_or_else(
            || "1e30".to_string(),
            |rate| floored(&(whole(scale.clone()) * rate), DECIMALS),
        );
        let _ = writeln!(
            text,
            "    <link id=\"{}\" bandwidth=\"{bandwidth}Bps\" latency=\"0s\"/>",
            name(port)
        );
    }
    for link in platform.link_ids() {
        let ends = platform.link(link);
        let _ = write!(
            text,
            "    <route src=\"node{}\" dst=\"node{}\" symmetrical=\"NO\">",
            ends.from, ends.to
        );
        for resource in way(platform, link) {
            let _ = write!(text, "<link_ctn id=\"{}\"/>", name(resource));
        }
        text.push_str("</route>\n");
    }
    text.push_str("  </zone>\n</platform>\n");
    text
}

/// A name within an XML comment, which no two hyphens in a row may be in.
fn comment(name: &str) -> String {
    let mut text = xml(name);
    while text.contains("--") {
        text = text.replace("--", "- -");
    }
    text
}

/// Limits of ports, then transfers and merges in the order of their starts: start, end, nodes, amount, and the numbers
/// of the lines, from 0, that have to end before.
fn replay(run: &RepeatedPeriod<'_>, scale: &BigInt) -> String {
    let (platform, execution) = (run.problem.platform(), &run.execution);
    let time = |date: &BigInt| floored_quotient(date, &execution.units, DECIMALS);
    let mut text = format!("period {}\n", time(&execution.period));
    for port in ports(platform) {
        if !matches!(port, Resource::Shared(_)) {
            let _ = writeln!(text, "limit {} {}", name(port), port.capacity(platform));
        }
    }
    let events: Vec<Occurrence<'_>> = run.occurrences().collect();
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|&event| (&events[event].start, event));
    let mut line = vec![0; events.len()];
    for (at, &event) in order.iter().enumerate() {
        line[event] = at;
    }
    let before = Before::new(run);
    // All periods move the same amounts.
    let amounts: Vec<Vec<String>> = execution
        .tasks
        .iter()
        .map(|dated| amounts(run, scale, dated))
        .collect();
    for &event in &order {
        let occurrence = &events[event];
        let (dates, ends) = (
            [&occurrence.start, &occurrence.end].map(time).join(" "),
            ends(platform, occurrence.dated),
        );
        let pieces = &amounts[occurrence.number];
        let amount = &pieces[(event - before.first[occurrence.number]) % pieces.len()];
        let _ = write!(text, "{} {dates} {ends} {amount}", kind(occurrence.dated));
        for input in before.of(event, occurrence) {
            let _ = write!(text, " {}", line[input]);
        }
        text.push('\n');
    }
    text
}

fn kind(dated: &DatedTask) -> &'static str {
    match dated.task {
        Task::Send { .. } => "send",
        Task::Merge { .. } => "merge",
    }
}

/// Source and target.
fn ends(platform: &Platform, dated: &DatedTask) -> String {
    let [from, to] = match dated.task {
        Task::Send { link, .. } => [platform.link(link).from, platform.link(link).to],
        Task::Merge { node, .. } => [node, node],
    };
    format!("node{from} node{to}")
}

/// Per piece of a transfer or merge: bytes or operations.
fn amounts(run: &RepeatedPeriod<'_>, scale: &BigInt, dated: &DatedTask) -> Vec<String> {
    let execution = &run.execution;
    let amount = |piece: &Piece| {
        let length = &piece.end - &piece.start;
        let amount = match dated.task {
            Task::Send { part, .. } => {
                let size = run.problem.volumes().size.of(part).unwrap_or_default();
                share(execution, &length, &dated.duration) * size * scale
            }
            Task::Merge { .. } => execution.time(&length) * BigInt::from(10).pow(DIGITS),
        };
        floored(&amount, DECIMALS)
    };
    dated.pieces.iter().map(amount).collect()
}

/// Pieces that have to end before a piece starts.
struct Before<'r> {
    tasks: &'r [DatedTask],
    /// Per task: its first piece in the order of the run's occurrences.
    first: Vec<usize>,
}

impl<'r> Before<'r> {
    fn new(run: &'r RepeatedPeriod<'_>) -> Self {
        let mut next = 0;
        let mut first = Vec::new();
        for dated in &run.execution.tasks {
            first.push(next);
            next += dated.pieces.len() * run.periods as usize;
        }
        Before {
            tasks: &run.execution.tasks,
            first,
        }
    }

    /// The previous piece of the same message. For the first piece, the last ones of the inputs.
    fn of(&self, event: usize, occurrence: &Occurrence<'_>) -> Vec<usize> {
        let period = occurrence.period;
        if event > self.first[occurrence.number] + period as usize * occurrence.dated.pieces.len() {
            return vec![event - 1];
        }
        let mut last = Vec::new();
        let mut inputs: Vec<usize> = occurrence.dated.inputs.into_iter().flatten().collect();
        while let Some(input) = inputs.pop() {
            match self.tasks[input].pieces.len() {
                // A link of cost 0: it takes no time, and has no slot.
                0 => inputs.extend(self.tasks[input].inputs.into_iter().flatten()),
                pieces => last.push(self.first[input] + (period as usize + 1) * pieces - 1),
            }
        }
        last
    }
}

/// Share of a message that is sent in `length` of `all` units. 1 for a message that takes no time.
fn share(execution: &Execution, length: &BigInt, all: &BigInt) -> Rational {
    let (length, all) = (execution.time(length), execution.time(all));
    if all == Rational::default() {
        whole(1)
    } else {
        length / all
    }
}
