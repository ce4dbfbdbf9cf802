//! GML as the Internet Topology Zoo, networkx and yEd write it.

use std::collections::BTreeMap;

use oneport_platform::{Units, parse_rational, ratio};
use oneport_testkit::whole;
use oneport_topologies::{
    Capacity, Format, ImportOptions, Imported, Platform, Rational, Topic, parse_topology,
    read_platform,
};

use crate::{fixture, import, import_with, names, rate, samples, says};

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
    let capacity = by_attribute("LinkSpeedRaw", "bit/s");
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

fn by_attribute(attribute: &str, units: &str) -> ImportOptions {
    ImportOptions {
        capacity: Some(Capacity {
            attribute: attribute.to_string(),
            units: Units::parse(units).expect("units"),
        }),
        ..ImportOptions::default()
    }
}

/// A multigraph of networkx: bandwidths of parallel edges are added, a list is a repeated key.
#[test]
fn files_of_networkx() {
    let (text, options) = (fixture("networkx.gml"), by_attribute("capacity", "GB/s"));
    let imported = import_with(&text, &options);
    let platform = &imported.platform;
    assert_eq!(names(platform), ["a", "b", "s"]);
    assert_eq!(
        (platform.processors().count(), platform.links().len()),
        (2, 4)
    );
    // Twice 12.5 GB/s, and 100 Gbit/s.
    assert_eq!(
        (rate(platform, "a", "s"), rate(platform, "s", "b")),
        ("25".into(), "25/2".into())
    );
    assert!(says(&imported, Topic::Merged, "their bandwidths added"));
    let weights = import_with(&text, &by_attribute("weight", "Gbit/s"));
    assert_eq!(rate(&weights.platform, "s", "a"), "25/8");
    crate::refused(
        &text,
        &ImportOptions::default(),
        &["LinkSpeedRaw", "--capacity"],
    );
    for (from, to, parts) in [
        (
            "capacity 12.5",
            "capacity 12.5 capacity 1",
            ["edge", "'capacity' is given twice"],
        ),
        (
            "capacity 12.5",
            "capacity [ x 1 ]",
            ["GML", "capacity needs a number"],
        ),
        ("id 2", "id 1", ["'node 1'", "twice"]),
    ] {
        let wrong = text.replacen(from, to, 1);
        crate::refused(&wrong, &options, &parts);
    }
}

/// A drawing of yEd: the text on an edge is its bandwidth.
#[test]
fn files_of_yed() {
    let imported = import_with(&fixture("yed.gml"), &by_attribute("label", "Gbit/s"));
    let platform = &imported.platform;
    assert_eq!(names(platform), ["left", "middle", "right & last"]);
    let rates = [
        ("left", "middle"),
        ("middle", "right & last"),
        ("right & last", "left"),
        ("middle", "left"),
    ]
    .map(|(from, to)| rate(platform, from, to));
    assert_eq!(rates, ["5", "5/4", "10", "none"]);
    assert_eq!(
        platform.units().map(|units| units.to_string()),
        Some("GB/s".to_string())
    );
}

/// Nothing that a file of the Topology Zoo leaves open, or says twice, is decided in silence.
#[test]
fn notes_of_the_topology_zoo() {
    let text = gml_edge(
        "source 0 target 1 LinkSpeedRaw 1000000000 ] edge [ source 1 target 1 ] edge [ source 1 target 0 LinkSpeedRaw 2000000000",
    );
    let imported = import(&text);
    assert_eq!(
        imported.platform.units().map(|units| units.to_string()),
        Some("Gbit/s".to_string())
    );
    assert_eq!(
        links_by_name(&imported.platform)
            .into_values()
            .collect::<Vec<_>>(),
        [ratio(1, 2), ratio(1, 2)]
    );
    for (topic, words) in [
        (Topic::Assumed, "combines values at 1000 GB/s"),
        (Topic::Assumed, "--model links"),
        (Topic::Merged, "the fastest counts"),
        (Topic::LeftOut, "such as that of y"),
    ] {
        assert!(
            says(&imported, topic, words),
            "{words}: {:?}",
            imported.notes
        );
    }
    // The options for every topology hold here, too: 16 GB/s are 128 Gbit/s, a merge at 500 GB/s takes 1/4000 per
    // gigabit.
    let options = ImportOptions {
        merge_rate: Some(ratio(500, 1)),
        ..crate::bandwidths(&[("link", 16)])
    };
    let given = import_with(&text, &options).platform;
    assert!(given.links().iter().all(|link| link.cost == ratio(1, 128)));
    assert!(
        given
            .nodes()
            .iter()
            .all(|node| node.compute == Some(ratio(1, 4000)))
    );
}
