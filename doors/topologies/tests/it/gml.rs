//! GML as the Internet Topology Zoo writes it.

use std::collections::BTreeMap;

use oneport_platform::{Units, parse_rational, ratio};
use oneport_testkit::whole;
use oneport_topologies::{
    Capacity, Format, ImportOptions, Imported, Platform, Rational, Topic, parse_topology,
    read_platform,
};

use crate::{import, import_with, samples, says};

fn parse(text: &str) -> Platform {
    let imported = parse_topology(
        "text",
        text.as_bytes(),
        Format::Gml,
        &ImportOptions::default(),
    );
    imported
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .platform
}

/// Links by the names of their ends: the contents of a platform, independent of the order.
fn links_by_name(platform: &Platform) -> BTreeMap<(String, String), Rational> {
    let name = |id| platform.name(id).to_string();
    platform
        .links()
        .iter()
        .map(|link| ((name(link.from), name(link.to)), link.cost.clone()))
        .collect()
}

#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, parts: &[&str]) {
    let message = match parse_topology(
        "bad.file",
        bytes.as_ref(),
        Format::Gml,
        &ImportOptions::default(),
    ) {
        Ok(_) => panic!("was accepted; expected {parts:?}"),
        Err(error) => error.to_string(),
    };
    assert!(
        message.starts_with("bad.file") && !message.contains(['\n', '\r']) && message.len() < 800,
        "{message}"
    );
    for part in parts {
        assert!(message.contains(part), "says '{part}': {message}");
    }
}

fn gml_edge(keys: &str) -> String {
    format!(
        "graph [\n node [ id 0 label \"x\" ]\n node [ id 1 label \"y\" ]\n edge [ {keys} ]\n]\n"
    )
}

#[test]
fn topology_zoo_rules() {
    let text = r#"
# exported
Creator "someone"
graph [
  Note "nested [ brackets ] are text"
  extra [ deep [ 1e5 "x" key ] other 2 ]
  node [ id 0 label "A&#38;B" graphics [ x 1 ] ]
  node [ id 2 label "twin" ]
  node [ id 1 label "twin" ]
  node [ id 3 ]
  edge [ source 0 target 2 LinkSpeedRaw 1000000000.0 LinkLabel "x" ]
  edge [ source 2 target 0 LinkSpeed "2.5" LinkSpeedUnits "G" ]
  edge [ source 0 target 2 LinkSpeed "622" LinkSpeedUnits "M" ]
  edge [ source 1 target 1 ]
  edge [ source 1 target 3 LinkSpeedRaw 64000 ]
]
"#;
    let name = |a: &str, b: &str| (a.to_string(), b.to_string());
    let platform = parse(text);
    let names: Vec<_> = platform
        .nodes()
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(names, ["A&B", "twin#2", "twin#1", "#3"]);
    assert!(
        platform
            .nodes()
            .iter()
            .all(|node| node.compute == Some(ratio(1, 8000)))
    );
    // The fastest of three parallel edges, in both directions: 1/2.5 seconds per gigabit.
    let fast = ratio(2, 5);
    let slow = ratio(1_000_000_000, 64_000);
    let both = BTreeMap::from([
        (name("A&B", "twin#2"), fast.clone()),
        (name("twin#2", "A&B"), fast.clone()),
        (name("twin#1", "#3"), slow.clone()),
        (name("#3", "twin#1"), slow.clone()),
    ]);
    assert_eq!(links_by_name(&platform), both);
    let directed = parse(&text.replace("graph [", "graph [ directed 1"));
    let one_way = BTreeMap::from([
        (name("A&B", "twin#2"), ratio(1, 1)),
        (name("twin#2", "A&B"), fast),
        (name("twin#1", "#3"), slow),
    ]);
    assert_eq!(links_by_name(&directed), one_way);
}

/// Every network of the Zoo with all its speeds: the number of nodes is the file's, it is symmetric, and it is read
/// back.
#[test]
#[ignore = "needs data topology_zoo"]
fn topology_zoo_files() {
    let mut read = 0;
    for (path, text) in samples("topology_zoo", "gml") {
        let platform = read_platform(&path).unwrap_or_else(|error| panic!("{error}"));
        read += 1;
        assert_eq!(
            platform.nodes().len(),
            text.matches("  node [").count(),
            "{}",
            path.display()
        );
        let links = links_by_name(&platform);
        for ((from, to), cost) in &links {
            assert_eq!(
                links.get(&(to.clone(), from.clone())),
                Some(cost),
                "{from} -> {to} of {}",
                path.display()
            );
        }
        // Every cost comes from a speed of the file, exactly.
        let speeds: Vec<_> = text
            .lines()
            .filter_map(|line| {
                let raw = line
                    .trim()
                    .strip_prefix("LinkSpeedRaw ")
                    .map(|speed| parse_rational(speed).expect("a number"));
                // Abilene has OC-192 instead, 192 times 51.84 Mbit/s.
                let carrier = line
                    .trim()
                    .strip_prefix("LinkType \"OC-")
                    .and_then(|rest| rest.strip_suffix('"'));
                let carrier = carrier.map(|n| {
                    parse_rational(n).expect("a number") * parse_rational("51.84e6").expect("one")
                });
                raw.or(carrier)
            })
            .collect();
        let gigabit = whole(1_000_000_000);
        assert!(
            links
                .values()
                .all(|cost| speeds.contains(&(&gigabit / cost))),
            "{}",
            path.display()
        );
    }
    assert!(read >= 17, "{read} files");
}

#[test]
fn files_that_are_wrong() {
    for (keys, parts) in [
        (
            "source 0 target 1",
            &["bad.file:4", "edge[0] (0 -- 1)", "LinkSpeedRaw", "missing"][..],
        ),
        (
            "source 0 target 1 LinkSpeed \"10\"",
            &["LinkSpeedRaw", "LinkSpeedUnits"],
        ),
        (
            "source 0 target 1 LinkSpeed \"10\" LinkSpeedUnits \"X\"",
            &["edge[0]", "X", "K, M, G or T"],
        ),
        (
            "source 0 target 1 LinkSpeed \"<10\" LinkSpeedUnits \"G\"",
            &["edge[0]", "<10", "number"],
        ),
        (
            "source 0 target 1 LinkType \"OC-x\"",
            &["edge[0]", "'x'", "number"],
        ),
        (
            "source 0 target 1 LinkType \"OC-0\"",
            &["edge[0]", "OC-", "0", "positive"],
        ),
        (
            "source 0 target 1 LinkType \"Fibre\"",
            &["edge[0]", "LinkSpeedRaw", "missing", "OC-n"],
        ),
        (
            "source 0 target 1 LinkSpeedRaw 0",
            &["edge[0]", "LinkSpeedRaw is 0", "positive"],
        ),
        (
            "source 0 target 1 LinkSpeedRaw -5",
            &["edge[0]", "-5", "positive"],
        ),
        (
            "source 0 target 2 LinkSpeedRaw 1",
            &["edge[0] (0 -- 2)", "'2'"],
        ),
        ("target 1 LinkSpeedRaw 1", &["edge", "'source' is missing"]),
        ("source 0 source 0 target 1", &["'source' is given twice"]),
        (
            "source 0 target 1 LinkSpeedRaw",
            &["GML", "LinkSpeedRaw needs a number"],
        ),
        ("source [ 0 ] target 1", &["source needs a number"]),
        ("source 0 target 1 %", &["'%'"]),
    ] {
        refused(gml_edge(keys), parts);
    }
    for (text, parts) in [
        ("graph [ node [ id 0 ]", &["cut off"][..]),
        ("graph [ node [ id 0 label \"x", &["cut off", "'\"'"]),
        ("Creator \"me\"", &["no graph"]),
        ("graph 7", &["'['"]),
        ("graph [ node [ id 0 ] node [ id 0 ] ]", &["node", "twice"]),
        (
            "graph [ node [ label \"x\" ] ]",
            &["node", "'id' is missing"],
        ),
        ("graph [ directed maybe ]", &["0 or 1"]),
        ("graph [ ]", &["no node"]),
    ] {
        refused(text, parts);
    }
    refused(format!("graph {}", "[ a ".repeat(1_000_000)), &["GML"]);
    refused(
        format!("graph [ a {}", "[ a ".repeat(1_000_000)),
        &["cut off"],
    );
    refused(
        format!(
            "graph [ node [ id 0 label \"{}\" ] ]",
            "&".repeat(10_000_000)
        ),
        &["too long"],
    );
    refused("#\n".repeat(8_000_000), &["no graph"]);
    refused("#\n".repeat(9_000_000), &["over 16777216 bytes"]);
}

#[test]
fn long_values_are_clipped() {
    let long = "9".repeat(1_000_000);
    refused(
        gml_edge(&format!("source 0 target 1 LinkSpeedRaw \"{long}\"")),
        &["edge[0]", "characters)"],
    );
}

/// The Topology Zoo calls sites of a network routers: they take part, with and without the option for capacities.
#[test]
fn roles_do_not_change_with_the_option_for_capacities() {
    let gml = |kinds: [&str; 3]| {
        let nodes: String = (0..3)
            .map(|id| format!("node [ id {id} label \"n{id}\" {} ]\n", kinds[id]))
            .collect();
        let edges: String = [(0, 1), (1, 2), (2, 0)]
            .map(|(a, b)| format!("edge [ source {a} target {b} LinkSpeedRaw 1000000000 ]\n"))
            .concat();
        format!("graph [\n{nodes}{edges}]\n")
    };
    let capacity = ImportOptions {
        capacity: Some(Capacity {
            attribute: "LinkSpeedRaw".to_string(),
            units: Units::parse("bit/s").expect("units"),
        }),
        ..ImportOptions::default()
    };
    let router = "type \"Router\"";
    for (kinds, processors, said) in [
        ([router; 3], 3, true),
        ([router, "", ""], 3, true),
        (["router 1", "", ""], 2, false),
        (["type \"switch\"", "kind \"router\"", ""], 1, false),
        (
            ["type \"Router\" role \"switch\"", "", "type \"PoP\""],
            2,
            false,
        ),
    ] {
        let text = gml(kinds);
        let [plain, given] = [import(&text), import_with(&text, &capacity)];
        for imported in [&plain, &given] {
            let platform = &imported.platform;
            assert_eq!(platform.processors().count(), processors, "{kinds:?}");
            assert_eq!(platform.model().name(), "full-duplex");
            assert_eq!(
                says(imported, Topic::Assumed, "nodes of type Router take part"),
                said,
                "{kinds:?}"
            );
        }
        // 1 Gbit/s is 1/8 GB/s.
        let costs = |imported: &Imported| imported.platform.links()[0].cost.clone();
        assert_eq!(costs(&plain), ratio(1, 1));
        assert_eq!(costs(&given), ratio(8, 1));
    }
}
