//! Traces and graphs in the programs of other people that read them, if these are installed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{export, files};

const NAMES: [&str; 4] = ["scatter", "reduce", "all-gather", "all-reduce"];

/// The output of a program.
fn said(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Writes a file of a test of this name.
fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Complete events of a trace: process, thread, start, duration.
fn events(trace: &Value) -> Vec<(u64, u64, f64, f64)> {
    let event = |event: &Value| {
        let number = |key: &str| event[key].as_f64().unwrap_or_default();
        (event["ph"] == "X").then(|| {
            (
                number("pid") as u64,
                number("tid") as u64,
                number("ts"),
                number("dur"),
            )
        })
    };
    trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(event)
        .collect()
}

/// Pushed states of a Paje trace of ours are popped before the next one of their container, and are as many as
/// Perfetto's trace has events.
#[test]
fn states_do_not_overlap() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let text = export(name, "paje", seed as u64, None).unwrap();
        // Per container, the date since which it is in a state.
        let mut since: BTreeMap<&str, f64> = BTreeMap::new();
        let (mut states, mut last) = (0, 0.0);
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let ["4" | "5", date, "S", container, ..] = words[..] else {
                continue;
            };
            let date: f64 = date.parse().unwrap();
            assert!(date >= last, "{name}: {line}");
            last = date;
            if words[0] == "4" {
                assert_eq!(since.insert(container, date), None, "{name}: {line}");
                states += 1;
            } else {
                assert!(since.remove(container).is_some(), "{name}: {line}");
            }
        }
        assert!(since.is_empty(), "{name}: {since:?}");
        let trace =
            serde_json::from_str(&export(name, "perfetto", seed as u64, None).unwrap()).unwrap();
        assert!(states > 0 && states == events(&trace).len(), "{name}");
    }
}

/// `pj_dump` (pajeng) reads as many states as Perfetto's trace has events, and none begins before another ends.
#[test]
#[ignore = "needs program pj_dump"]
fn pj_dump_reads_every_state() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let text = export(name, "paje", seed as u64, None).unwrap();
        let dump = said(Command::new("pj_dump").arg(written("run.paje", text.as_bytes())));
        let mut states = 0;
        for line in dump.lines() {
            // The last but one is the number of states below this one.
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

/// No event of a trace begins before the one before it on its track has ended.
#[test]
fn events_of_a_track_do_not_overlap() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let text = export(name, "perfetto", seed as u64, None).unwrap();
        let mut events = events(&serde_json::from_str(&text).unwrap());
        assert!(!events.is_empty(), "{name}");
        events.sort_by(|one, other| one.partial_cmp(other).unwrap());
        for pair in events.windows(2) {
            let [(pid, tid, start, duration), (process, thread, next, _)] = pair else {
                continue;
            };
            // Dates have 12 decimals at most. Floats of this size have as many.
            let is_after = start + duration <= next + 1e-6;
            assert!(
                (pid, tid) != (process, thread) || is_after,
                "{name}: {pair:?}"
            );
        }
    }
}

/// `trace-lanefix` moves events that Perfetto cannot draw because they overlap on a track. It must move nothing.
#[test]
#[ignore = "needs program trace-lanefix"]
fn traces_have_no_overlaps() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let text = export(name, "perfetto", seed as u64, None).unwrap();
        let (from, to) = (
            written("run.json", text.as_bytes()),
            written("run.fixed.json", b""),
        );
        said(
            Command::new("trace-lanefix")
                .args(["--snap-threshold-us", "0"])
                .args([&from, &to]),
        );
        let [before, after] = [from, to].map(|path| {
            let mut events =
                events(&serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap());
            events.sort_by(|one, other| one.partial_cmp(other).unwrap());
            events
        });
        assert!(!before.is_empty() && before == after, "{name}");
    }
}

/// The `jsonizer` of mlcommons/chakra reads every node. `ONEPORT_CHAKRA` names the folder of its package `chakra`.
#[test]
#[ignore = "needs variable ONEPORT_CHAKRA"]
fn chakras_jsonizer_reads_every_node() {
    let package = oneport_testkit::folder("ONEPORT_CHAKRA");
    for (seed, name) in NAMES.into_iter().enumerate() {
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for (rank, file) in files(name, "chakra", seed as u64, Some(3))
            .unwrap()
            .iter()
            .enumerate()
        {
            let (trace, json) = (written("run.et", &file.bytes), written("run.et.json", b""));
            let mut python = Command::new("python3");
            python.env("PYTHONPATH", &package).args([
                "-m",
                "chakra.src.jsonizer.jsonizer",
                "--input_filename",
            ]);
            said(python.arg(&trace).arg("--output_filename").arg(&json));
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

/// Edges by the names of their ends, with exact cost and number of messages, in the order of the file.
type Edges = Vec<[String; 4]>;

fn edges_of_graphml(text: &str) -> Edges {
    let document = roxmltree::Document::parse(text).unwrap();
    let data = |id: &str, key: &str| {
        let mut owners = document.descendants();
        let owner = owners.find(|node| node.attribute("id") == Some(id) && node.is_element());
        let mut data = owner.unwrap().children();
        let found = data
            .find(|data| data.attribute("key") == Some(key))
            .unwrap();
        found.text().unwrap_or_default().to_string()
    };
    let edges = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://graphml.graphdrawing.org/xmlns", "edge")));
    edges
        .map(|edge| {
            let end = |name: &str| data(edge.attribute(name).unwrap(), "node_name");
            let own = |key: &str| {
                let mut data = edge.children();
                let found = data
                    .find(|data| data.attribute("key") == Some(key))
                    .unwrap();
                found.text().unwrap_or_default().to_string()
            };
            [
                end("source"),
                end("target"),
                own("edge_exact_cost"),
                own("edge_messages"),
            ]
        })
        .collect()
}

fn edges_of_node_link(text: &str) -> Edges {
    let graph: Value = serde_json::from_str(text).unwrap();
    let nodes = graph["nodes"].as_array().unwrap();
    let name = |id: &Value| {
        let node = nodes.iter().find(|node| node["id"] == *id).unwrap();
        node["name"].as_str().unwrap().to_string()
    };
    let edges = graph["edges"].as_array().unwrap().iter();
    edges
        .map(|edge| {
            [
                name(&edge["source"]),
                name(&edge["target"]),
                edge["exact_cost"].as_str().unwrap().to_string(),
                edge["messages"].to_string(),
            ]
        })
        .collect()
}

/// One graph is in the three files: GraphML and node-link JSON have the same edges, DOT has equally many.
#[test]
fn graphs_have_the_same_edges() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let text = |format: &str| export(name, format, seed as u64, None).unwrap();
        let edges = edges_of_graphml(&text("graphml"));
        assert!(!edges.is_empty(), "{name}");
        assert_eq!(edges, edges_of_node_link(&text("node-link")), "{name}");
        let arrows = text("dot").matches(" -> ").count();
        assert_eq!(arrows, edges.len(), "{name}");
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

/// networkx reads one graph from both files. Graphviz places equally many nodes and edges.
#[test]
#[ignore = "needs python networkx, program dot"]
fn graphs_are_read_by_networkx_and_graphviz() {
    for (seed, name) in NAMES.into_iter().enumerate() {
        let read = |format: &str| {
            let path = written(
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
                .arg(written("run.dot", dot.as_bytes())),
        );
        let edges: Vec<Value> = serde_json::from_str(&graphs[0]).unwrap();
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
