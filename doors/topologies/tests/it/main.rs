//! Topologies of other programs: small ones written from facts, and real ones if they are available.

#![allow(unreachable_pub, reason = "a test program has no outside")]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic
)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod cards;
mod clusters;
mod fixtures;
mod gml;
mod graphs;
mod joined;
mod latency;
mod measurements;
mod mutants;
mod nccl;
mod nccl_graphs;
mod simgrid;
mod simulators;
mod slurm;
mod smi;
mod tables;

use std::path::{Path, PathBuf};

use oneport_files::{PlatformFormat, parse_platform, write_platform};
use oneport_testkit::{data, whole};
use oneport_topologies::parse_topology;
use oneport_topologies::{
    Fabric, Format, FormatError, ImportOptions, Imported, Platform, Replicate, Topic,
};

/// Reads a text under a name without an extension.
pub fn try_import(text: &str, options: &ImportOptions) -> Result<Imported, FormatError> {
    let format = Format::detect(Path::new("file"), text.as_bytes());
    parse_topology("file", text.as_bytes(), format, options)
}

/// Reads like [`import_with`], without options.
#[track_caller]
pub fn import(text: &str) -> Imported {
    import_with(text, &ImportOptions::default())
}

/// Reads a text that has to be read.
#[track_caller]
pub fn import_with(text: &str, options: &ImportOptions) -> Imported {
    try_import(text, options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Asserts that a text is refused, and that the message has all parts.
#[track_caller]
pub fn refused(text: &str, options: &ImportOptions, parts: &[&str]) {
    match try_import(text, options) {
        Ok(imported) => panic!("was read as {}; expected {parts:?}", imported.format),
        Err(error) => {
            let message = error.to_string();
            assert!(
                !message.contains('\n') && message.len() < 800,
                "one line: {message}"
            );
            for part in parts {
                assert!(message.contains(part), "says '{part}': {message}");
            }
        }
    }
}

/// Bandwidth of a link in GB/s, or "none" if there is no link.
#[track_caller]
pub fn rate(platform: &Platform, from: &str, to: &str) -> String {
    let find = |name: &str| {
        platform
            .find(name)
            .unwrap_or_else(|| panic!("no node {name}: {:?}", names(platform)))
    };
    match platform.link_between(find(from), find(to)) {
        Some(link) => platform.link(link).cost.recip().to_string(),
        None => "none".to_string(),
    }
}

/// The names of the nodes, in their order.
pub fn names(platform: &Platform) -> Vec<&str> {
    platform
        .nodes()
        .iter()
        .map(|node| node.name.as_str())
        .collect()
}

/// Whether a remark on this topic contains the text.
pub fn says(imported: &Imported, topic: Topic, text: &str) -> bool {
    imported
        .notes
        .iter()
        .any(|note| note.topic == topic && note.text.contains(text))
}

/// Several machines and the network between them.
pub fn replicated(count: usize, fabric: Fabric, bandwidth: Option<u32>) -> ImportOptions {
    let bandwidth = bandwidth.map(whole);
    ImportOptions {
        replicate: Some(Replicate {
            count,
            fabric,
            bandwidth,
        }),
        ..ImportOptions::default()
    }
}

/// A small file of ours in the manner of another program's.
#[track_caller]
pub fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/topologies");
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The text as a terminal of this width shows it (`expanded`: tabs become spaces, and lines lose those at their ends),
/// or as `fold` writes it.
pub fn folded(text: &str, width: usize, expanded: bool) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let (mut column, mut part) = (0, String::new());
        for c in line.chars() {
            let next = if c == '\t' {
                (column / 8 + 1) * 8
            } else {
                column + 1
            };
            if next > width && column > 0 {
                all += if expanded { part.trim_end() } else { &part };
                all.push('\n');
                (column, part) = (0, String::new());
            }
            let next = if c == '\t' {
                (column / 8 + 1) * 8
            } else {
                column + 1
            };
            match (c, expanded) {
                ('\t', true) => part += &" ".repeat(next - column),
                _ => part.push(c),
            }
            column = next;
        }
        all += if expanded { part.trim_end() } else { &part };
        all.push('\n');
    }
    all
}

/// The first columns of every line.
pub fn cut(text: &str, width: usize) -> String {
    let lines = text.lines();
    lines
        .map(|line| {
            let lines = folded(line, width, true);
            format!("{}\n", lines.lines().next().unwrap_or_default())
        })
        .collect()
}

/// Options that give bandwidths in GB/s by kind.
pub fn bandwidths(rates: &[(&str, u32)]) -> ImportOptions {
    let rates = rates
        .iter()
        .map(|(kind, rate)| (kind.to_string(), whole(*rate)));
    ImportOptions {
        link_bandwidth: rates.collect(),
        ..ImportOptions::default()
    }
}

/// The real files with this ending in a folder of the data of others: at least one.
#[track_caller]
pub fn samples(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(data(folder)).expect("a folder");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == ending))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} has no .{ending}");
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a text");
    files
        .into_iter()
        .map(|path| (path.clone(), text(&path)))
        .collect()
}

/// Properties of every import: gigabytes and seconds, a kind for every node and link, and equality after a round trip
/// through our own files.
#[track_caller]
pub fn check_whole(imported: &Imported) {
    let platform = &imported.platform;
    assert_eq!(
        platform.units().map(|units| units.to_string()).as_deref(),
        Some("GB/s")
    );
    assert_eq!(imported.node_kinds.len(), platform.nodes().len());
    assert_eq!(imported.link_kinds.len(), platform.links().len());
    for format in [PlatformFormat::Toml, PlatformFormat::Json] {
        let text = write_platform(platform, format).unwrap_or_else(|error| panic!("{error}"));
        let back = parse_platform("copy", text.as_bytes(), format)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(back == *platform, "{format}");
    }
}

/// Processors that the first processor reaches, itself included.
pub fn reached(platform: &Platform) -> usize {
    let Some(start) = platform.processors().next() else {
        return 0;
    };
    let mut seen = vec![false; platform.nodes().len()];
    let mut open = vec![start];
    seen[start.index()] = true;
    while let Some(node) = open.pop() {
        for &link in platform.outgoing(node) {
            let next = platform.link(link).to;
            if !std::mem::replace(&mut seen[next.index()], true) {
                open.push(next);
            }
        }
    }
    platform
        .processors()
        .filter(|node| seen[node.index()])
        .count()
}

/// One cluster of SimGrid of a topology: its parameters, number of hosts, other attributes.
pub fn cluster(topology: &str, parameters: &str, hosts: usize, more: &str) -> String {
    format!(
        "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" \
         speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" topology=\"{topology}\" topo_parameters=\"{parameters}\" {more}/></zone></platform>",
        hosts - 1
    )
}
