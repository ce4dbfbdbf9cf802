//! SimGrid: a platform, the transfers and merges of a run with their dates, and a program that replays them.
//!
//! Every port and every link is a link of the simulator that carries as many transfers at a time as it may. So a
//! transfer that starts at its date ends at its date, or its port was not free: the program compares.

use std::fmt::Write as _;

use num_bigint::BigInt;
use oneport_plan::{Resource, Task};
use oneport_platform::{LinkId, Platform, Rational};
use oneport_schedule::Execution;

use crate::run::Run;
use crate::text::{decimal, xml};
use crate::{ExportError, File, Format, Request};

/// The format.
pub const FORMAT: Format = Format {
    name: "simgrid",
    about: "a SimGrid platform (OUT), a run (OUT.replay) and an S4U program that replays it (OUT.cpp)",
    lacks: "exact dates (18 decimals), what is passed on and combined (the dates alone are replayed), the proof",
    write,
};

/// Decimals of dates, bytes and bandwidths.
const DECIMALS: u32 = 18;
/// Bytes of a message of size 1, and operations of a unit of time.
const SCALE: u64 = 1_000_000_000;

const HEAD: &str = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
    <platform version=\"4.1\">\n  <zone id=\"oneport\" routing=\"Full\">\n";

fn write(request: &Request<'_>) -> Result<Vec<File>, ExportError> {
    let run = Run::new(request)?;
    let platform = run.problem.platform();
    let file = |suffix: &str, text: String| File { suffix: suffix.to_string(), bytes: text.into_bytes() };
    Ok(vec![
        file("", hosts_and_links(platform)),
        file(".replay", replay(&run)),
        file(".cpp", include_str!("simgrid/replay.cpp").to_string()),
    ])
}

/// What the simulator calls a port.
fn name(resource: Resource) -> String {
    match resource {
        Resource::Send(node) => format!("out{node}"),
        Resource::Receive(node) => format!("in{node}"),
        Resource::Port(node) => format!("port{node}"),
        Resource::Link(link) => format!("link{link}"),
        Resource::Compute(node) => format!("node{node}"),
    }
}

/// The ports at the ends of a link, and the link between them.
fn way(platform: &Platform, link: LinkId) -> Vec<Resource> {
    let [from, to] = Resource::ends(platform, link);
    from.into_iter().chain([Resource::Link(link)]).chain(to).collect()
}

fn hosts_and_links(platform: &Platform) -> String {
    let mut text = HEAD.to_string();
    for node in platform.node_ids() {
        let _ = writeln!(
            text,
            "    <host id=\"node{node}\" speed=\"{SCALE}f\"/> <!-- {} -->",
            comment(platform.name(node))
        );
    }
    let mut ports: Vec<Resource> = platform.link_ids().flat_map(|link| way(platform, link)).collect();
    ports.sort_unstable();
    ports.dedup();
    for &port in &ports {
        let bandwidth = match port {
            Resource::Link(link) if platform.link(link).cost > Rational::default() => {
                let cost = &platform.link(link).cost;
                decimal(&(Rational::from_integer(SCALE.into()) / cost), DECIMALS)
            }
            _ => "1e30".to_string(),
        };
        let _ = writeln!(text, "    <link id=\"{}\" bandwidth=\"{bandwidth}Bps\" latency=\"0s\"/>", name(port));
    }
    for link in platform.link_ids() {
        let ends = platform.link(link);
        let _ = write!(text, "    <route src=\"node{}\" dst=\"node{}\" symmetrical=\"NO\">", ends.from, ends.to);
        for resource in way(platform, link) {
            let _ = write!(text, "<link_ctn id=\"{}\"/>", name(resource));
        }
        text.push_str("</route>\n");
    }
    text.push_str("  </zone>\n</platform>\n");
    text
}

/// A name within an XML comment.
fn comment(name: &str) -> String {
    xml(name).replace("--", "- -")
}

/// Limits of ports, then transfers and merges in the order of their starts: start, end, and what.
fn replay(run: &Run<'_>) -> String {
    let (platform, execution) = (run.problem.platform(), &run.execution);
    let time = |date: &BigInt| decimal(&execution.time(date), DECIMALS);
    let mut text = format!("period {}\n", time(&execution.period));
    let mut ports: Vec<Resource> = platform.link_ids().flat_map(|link| way(platform, link)).collect();
    ports.sort_unstable();
    ports.dedup();
    for port in ports {
        let _ = writeln!(text, "limit {} {}", name(port), port.capacity(platform));
    }
    let mut lines: Vec<(BigInt, usize, String)> = Vec::new();
    for occurrence in run.occurrences() {
        let dates = format!("{} {}", time(&occurrence.start), time(&occurrence.end));
        let line = match occurrence.dated.task {
            Task::Send { link, part, .. } => {
                let ends = platform.link(link);
                let size = run.problem.volumes().size.of(part).unwrap_or_default();
                let length = &occurrence.piece.end - &occurrence.piece.start;
                let bytes = share(execution, &length, &occurrence.dated.duration) * size * BigInt::from(SCALE);
                format!("send {dates} node{} node{} {}", ends.from, ends.to, decimal(&bytes, DECIMALS))
            }
            Task::Merge { node, .. } => {
                let length = execution.time(&(&occurrence.end - &occurrence.start)) * BigInt::from(SCALE);
                format!("merge {dates} node{node} node{node} {}", decimal(&length, DECIMALS))
            }
        };
        lines.push((occurrence.start, occurrence.number, line));
    }
    lines.sort();
    lines.iter().for_each(|(_, _, line)| text.push_str(&format!("{line}\n")));
    text
}

/// Which share of a message is sent in so many units; all of one that takes no time.
fn share(execution: &Execution, length: &BigInt, all: &BigInt) -> Rational {
    let (length, all) = (execution.time(length), execution.time(all));
    if all == Rational::default() { Rational::from_integer(1.into()) } else { length / all }
}
