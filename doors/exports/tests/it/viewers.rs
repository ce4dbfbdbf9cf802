//! Traces and graphs in the programs of other people that read them, where these are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{export, files};

const NAMES: [&str; 4] = ["scatter", "reduce", "all-gather", "all-reduce"];

/// The output of a program; `None`, with a line that says so, where it is not installed.
fn said(command: &mut Command) -> Option<String> {
    let Ok(output) = command.output() else {
        println!("skipped: there is no {}", command.get_program().display());
        return None;
    };
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Writes a file of a test of this name.
fn place(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Complete events of a trace: process, thread, start, duration.
fn events(trace: &Value) -> Vec<(u64, u64, f64, f64)> {
    let event = |event: &Value| {
        let of = |key: &str| event[key].as_f64().unwrap_or_default();
        (event["ph"] == "X").then(|| (of("pid") as u64, of("tid") as u64, of("ts"), of("dur")))
    };
    trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(event)
        .collect()
}

/// `pj_dump` (pajeng) reads as many states as Perfetto's trace has events, and none begins before another ends.
#[test]
fn pj_dump_reads_every_state() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let text = export(name, "paje", seed as u64, None).unwrap();
        let Some(dump) = said(Command::new("pj_dump").arg(place("run.paje", text.as_bytes())))
        else {
            return;
        };
        let mut states = 0;
        for line in dump.lines() {
            // The last but one is how many states lie below this one.
            let words: Vec<&str> = line.split(", ").collect();
            let ["State", _, _, _, _, length, below, ..] = words[..] else {
                continue;
            };
            assert!(
                !length.starts_with('-') && below == "0.000000",
                "{name}: {line}"
            );
            states += 1;
        }
        let trace =
            serde_json::from_str(&export(name, "perfetto", seed as u64, None).unwrap()).unwrap();
        assert!(
            states > 0 && states == events(&trace).len(),
            "{name}: {states}\n{dump}"
        );
    }
}

/// `trace-lanefix` moves what Perfetto cannot draw, events that overlap on a track: there is nothing to move.
#[test]
fn traces_have_no_overlaps() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let text = export(name, "perfetto", seed as u64, None).unwrap();
        let (from, to) = (
            place("run.json", text.as_bytes()),
            place("run.fixed.json", b""),
        );
        if said(
            Command::new("trace-lanefix")
                .args(["--snap-threshold-us", "0"])
                .args([&from, &to]),
        )
        .is_none()
        {
            return;
        }
        let [before, after] = [from, to].map(|path| {
            let mut events =
                events(&serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap());
            events.sort_by(|one, other| one.partial_cmp(other).unwrap());
            events
        });
        assert!(!before.is_empty() && before == after, "{name}");
    }
}

/// The `jsonizer` of mlcommons/chakra reads every node; `ONEPORT_CHAKRA` names the folder of its package `chakra`.
#[test]
fn chakras_jsonizer_reads_every_node() {
    let Some(package) = std::env::var_os("ONEPORT_CHAKRA") else {
        println!("skipped: ONEPORT_CHAKRA names no folder with the package chakra of mlcommons");
        return;
    };
    for (seed, name) in NAMES.into_iter().enumerate() {
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for (rank, file) in files(name, "chakra", seed as u64, Some(3))
            .unwrap()
            .iter()
            .enumerate()
        {
            let (trace, json) = (place("run.et", &file.bytes), place("run.et.json", b""));
            let mut python = Command::new("python3");
            python.env("PYTHONPATH", &package).args([
                "-m",
                "chakra.src.jsonizer.jsonizer",
                "--input_filename",
            ]);
            said(python.arg(&trace).arg("--output_filename").arg(&json)).unwrap();
            let text = std::fs::read_to_string(&json).unwrap();
            let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
            // The first is the version.
            for (number, node) in values.skip(1).map(Result::unwrap).enumerate() {
                let whole = |value: &Value| {
                    value
                        .as_str()
                        .map_or(0, |text| text.parse::<u64>().unwrap())
                };
                assert_eq!(whole(&node["id"]), number as u64, "{name}, {rank}");
                let message: Vec<String> = node["attr"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter(|one| {
                        one["name"]
                            .as_str()
                            .is_some_and(|name| name.starts_with("comm_"))
                    })
                    .map(ToString::to_string)
                    .collect();
                match node["type"].as_str() {
                    Some("COMM_SEND_NODE") => sent.push(message),
                    Some("COMM_RECV_NODE") => received.push(message),
                    kind => assert_eq!(kind, Some("COMP_NODE"), "{name}, {rank}"),
                }
            }
        }
        sent.sort();
        received.sort();
        assert!(!sent.is_empty() && sent == received, "{name}");
    }
}

/// The edges that networkx has of a graph, with their attributes, sorted, as JSON.
const NETWORKX: &str = "
import json, sys, networkx as nx
read = {'graphml': nx.read_graphml, 'node-link': lambda path: nx.node_link_graph(json.load(open(path)), edges='edges')}
graph = read[sys.argv[1]](sys.argv[2])
name = lambda node: graph.nodes[node]['name']
print(json.dumps(sorted([name(a), name(b), d['exact_cost'], d['messages']] for a, b, d in graph.edges(data=True))))
";

/// networkx reads one graph out of both files; Graphviz places as many nodes and edges.
#[test]
fn graphs_are_read_by_networkx_and_graphviz() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let read = |format: &str| {
            let path = place(
                format,
                export(name, format, seed as u64, None).unwrap().as_bytes(),
            );
            said(
                Command::new("python3")
                    .args(["-c", NETWORKX, format])
                    .arg(path),
            )
        };
        let graphs = ["graphml", "node-link"].map(read);
        assert_eq!(graphs[0], graphs[1], "{name}");
        let dot = export(name, "dot", seed as u64, None).unwrap();
        let plain = said(
            Command::new("dot")
                .arg("-Tplain")
                .arg(place("run.dot", dot.as_bytes())),
        );
        let ([Some(edges), _], Some(plain)) = (graphs, plain) else {
            return;
        };
        let edges: Vec<Value> = serde_json::from_str(&edges).unwrap();
        assert!(!edges.is_empty(), "{name}");
        assert_eq!(
            plain
                .lines()
                .filter(|line| line.starts_with("edge "))
                .count(),
            edges.len(),
            "{name}"
        );
    }
}
