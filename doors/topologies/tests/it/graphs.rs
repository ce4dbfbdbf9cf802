//! Graphs: node-link JSON, GraphML, DOT, GML with capacities.

use std::path::Path;
use std::process::Command;

use oneport_platform::Units;
use oneport_testkit::whole;
use oneport_topologies::{Capacity, Format, ImportOptions, Rational, Topic, parse_topology};

use crate::{check_whole, import, import_with, names, rate, reached, refused, says};

fn capacity(attribute: &str, units: &str) -> ImportOptions {
    let units = Units::parse(units).unwrap_or_else(|error| panic!("{error}"));
    ImportOptions {
        capacity: Some(Capacity {
            attribute: attribute.into(),
            units,
        }),
        ..ImportOptions::default()
    }
}

fn with_default(rate: u32) -> ImportOptions {
    ImportOptions {
        capacity_default: Some(whole(rate)),
        ..ImportOptions::default()
    }
}

/// One graph in every format: a switch between two nodes and a direct edge, with the capacities in this order.
fn texts(c: [&str; 3]) -> [(Format, String); 5] {
    let quoted = |text: &str| {
        if text.contains(['/', ' ', 'N']) {
            format!("\"{text}\"")
        } else {
            text.to_string()
        }
    };
    let [a, b, d] = c.map(quoted);
    let node_link = |key: &str| {
        format!(
            "{{\"directed\": false, \"multigraph\": false, \"graph\": {{}}, \"nodes\": [{{\"id\": \"x\"}}, {{\"id\": \
             \"y\"}}, {{\"type\": \"switch\", \"id\": \"s\"}}],\n\"{key}\": [{{\"capacity\": {a}, \"source\": \"x\", \
             \"target\": \"s\"}}, {{\"capacity\": {b}, \"source\": \"y\", \"target\": \"s\"}},\n{{\"capacity\": {d}, \
             \"source\": \"x\", \"target\": \"y\"}}]}}"
        )
    };
    let graphml = format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"d0\" for=\"edge\" attr.name=\"capacity\" attr.type=\"double\"/>\n\
         <key id=\"d1\" for=\"node\" attr.name=\"router\" attr.type=\"boolean\"><default>false</default></key>\n\
         <graph edgedefault=\"undirected\"><node id=\"x\"/><node id=\"y\"/><node id=\"s\"><data key=\"d1\">true</data>\
         </node>\n<edge source=\"x\" target=\"s\"><data key=\"d0\">{}</data></edge>\n<edge source=\"y\" target=\"s\">\
         <data key=\"d0\">{}</data></edge>\n<edge source=\"x\" target=\"y\"><data key=\"d0\">{}</data></edge>\n</graph>\
         </graphml>",
        c[0], c[1], c[2]
    );
    let dot = format!(
        "strict graph \"a b\" {{ // c\n x; y\n /* s */ s [type=switch, label=<<b>s</b>>];\n x -- s [capacity={a}];\n \
         subgraph cluster_1 {{ edge [capacity={b}] y:p -- s }}\n edge [capacity={d}, color=\"a \\\" b\"]; \"x\" -- y;\n}}\n"
    );
    let dot = dot.replace("label=<<b>s</b>>", "tooltip=<<b>s</b>>");
    [
        (Format::NodeLink, node_link("edges")),
        (Format::NodeLink, node_link("links")),
        (Format::GraphMl, graphml),
        (Format::Dot, dot.clone()),
        (
            Format::Dot,
            dot.replace("--", "->").replace("strict graph", "digraph") + "\n",
        ),
    ]
}

#[test]
fn one_graph_in_every_format() {
    for (index, (format, text)) in texts(["25", "12.5", "100 Gbit/s"]).into_iter().enumerate() {
        let imported = import(&text);
        let platform = &imported.platform;
        assert_eq!(imported.format, format);
        assert_eq!(names(platform), ["x", "y", "s"], "{text}");
        assert_eq!(
            (rate(platform, "x", "s"), rate(platform, "y", "s")),
            ("25".into(), "25/2".into()),
            "{text}"
        );
        // Directed in the last only.
        let back = if index == 4 { "none" } else { "25/2" };
        assert_eq!(
            (rate(platform, "x", "y"), rate(platform, "y", "x")),
            ("25/2".into(), back.into()),
            "{text}"
        );
        assert_eq!(platform.processors().count(), 2, "{text}");
        assert!(says(
            &imported,
            Topic::Assumed,
            "capacity is the bandwidth, in GB/s where it has no unit"
        ));
        check_whole(&imported);
        let bits = import_with(&text, &capacity("capacity", "Mbit/s")).platform;
        assert_eq!(
            (rate(&bits, "x", "s"), rate(&bits, "x", "y")),
            ("1/320".into(), "25/2".into())
        );
        let other = ImportOptions {
            capacity_default: Some(whole(7)),
            ..capacity("c", "GB/s")
        };
        assert_eq!(rate(&import_with(&text, &other).platform, "x", "y"), "7");
        refused(
            &text,
            &capacity("c", "GB/s"),
            &["no attribute c", "there is capacity", "--capacity-default"],
        );
    }
}

#[test]
fn capacities_that_are_none() {
    for value in ["0", "-1", "NaN", "1e999999", "1/0", "5 kg"] {
        for (_, text) in texts(["25", value, "25"]) {
            refused(&text, &ImportOptions::default(), &["y -- s"]);
        }
    }
    let text = "graph { a -- b -- c }";
    refused(
        text,
        &ImportOptions::default(),
        &["a -- b", "there is none", "--capacity ATTRIBUTE[,UNITS]"],
    );
    let platform = import_with(text, &with_default(3)).platform;
    assert_eq!(
        (rate(&platform, "c", "b"), rate(&platform, "a", "c")),
        ("3".into(), "none".into())
    );
}

#[test]
fn parallel_edges_are_added() {
    let text = "{\"nodes\": [{\"id\": 0, \"name\": \"n\"}, {\"id\": [1, 2], \"name\": \"n\"}], \"edges\": [\
                {\"source\": 0, \"target\": [1, 2], \"bandwidth\": 1}, {\"source\": [1, 2], \"target\": 0, \"bandwidth\": 2}]}";
    let imported = import(text);
    assert_eq!(names(&imported.platform), ["n", "n#[1, 2]"]);
    assert_eq!(rate(&imported.platform, "n#[1, 2]", "n"), "3");
    assert!(says(&imported, Topic::Merged, "parallel edges"));
}

#[test]
fn gml_with_an_attribute_of_ones_own() {
    let gml = "graph [\n edge [ source 0 target 1 weight 5 ]\n node [ id 0 label \"a\" x [ y 1 ] ]\n \
               node [ id 1 label \"b\" ]\n edge [ source 1 target 1 ]\n]\n";
    refused(
        gml,
        &ImportOptions::default(),
        &["LinkSpeedRaw", "--capacity"],
    );
    let options = ImportOptions {
        capacity_default: with_default(2).capacity_default,
        ..capacity("weight", "GB/s")
    };
    let imported = import_with(gml, &options);
    assert_eq!(rate(&imported.platform, "b", "a"), "5");
    assert!(says(&imported, Topic::LeftOut, "from a node to itself"));
    refused(
        &gml.replace("target 1 weight", "target 2 weight"),
        &options,
        &["edge[0] (0 -- 2)", "'2'"],
    );
    refused(
        gml.trim_end().trim_end_matches(']'),
        &options,
        &["']' is missing"],
    );
}

#[test]
fn graphs_that_are_wrong() {
    let none = ImportOptions::default();
    for (_, text) in texts(["1", "1", "1"]) {
        let cut = text.trim_end().trim_end_matches(['}', ']', '>']);
        refused(cut, &none, &["not valid"]);
    }
    let edges = "\"edges\": []}";
    refused(
        &format!("{{\"nodes\": [{{\"id\": 1}}, {{\"id\": 1}}], {edges}"),
        &none,
        &["nodes[1]", "'node 1'", "twice"],
    );
    refused(
        &format!("{{\"nodes\": [{{\"x\": 1}}], {edges}"),
        &none,
        &["nodes[0]", "'id' is missing"],
    );
    refused(
        &format!("{{\"nodes\": [{{\"id\": \"\"}}], {edges}"),
        &none,
        &["empty"],
    );
    refused(
        "{\"nodes\": [], \"edges\": [], \"links\": []}",
        &none,
        &["both 'edges' and 'links'"],
    );
    let lost = "{\"nodes\": [{\"id\": \"a\"}], \"edges\": [{\"source\": \"a\", \"target\": \"b\", \"capacity\": 1}]}";
    refused(lost, &none, &["edges[0] (a -- b)", "'b'"]);
    refused("graph { a -> b }", &none, &["'--' in a graph"]);
    refused(
        "digraph { a -> { b -> c } }",
        &none,
        &["edges to subgraphs"],
    );
    refused(
        "digraph { a -> { subgraph s { b } } }",
        &none,
        &["edges to subgraphs"],
    );
    refused(
        &format!("digraph {{ a -> {{ {} }} }}", "b ".repeat(2_000_000)),
        &none,
        &["file"],
    );
    refused("digraph { { a b } -> c }", &none, &["edges to subgraphs"]);
    refused("graph { a [x=\"", &none, &["file is cut off"]);
    refused(
        "<graphml><graph><hyperedge/></graph></graphml>",
        &none,
        &["hyperedges"],
    );
    refused(
        "<graphml><graph/><graph/></graphml>",
        &none,
        &["several graphs"],
    );
    refused("<graphml/>", &none, &["no <graph>"]);
}

#[test]
fn hostile_graphs_end_soon() {
    let none = ImportOptions::default();
    refused(
        &format!("graph {{ {}", "{".repeat(1_000_000)),
        &none,
        &["over 100 levels"],
    );
    refused(
        &format!("graph {{ a{} }}", "--a".repeat(1_000_000)),
        &none,
        &["over 10000 nodes in a chain"],
    );
    refused(
        &format!("graph {{ {} }}", "edge [a=1] ".repeat(200_000)),
        &none,
        &["over 200 default attributes"],
    );
    refused(
        &format!("graph {{ a [{}] }}", "x=1 ".repeat(1_000_000)),
        &none,
        &["over 500 attributes"],
    );
    let nodes: String = (0..150_000).map(|id| format!("n{id};")).collect();
    refused(
        &format!("graph {{ {nodes} }}"),
        &none,
        &["over 100000 nodes"],
    );
    let many = format!(
        "{{\"nodes\": [{{\"id\": 0{}}}], \"edges\": []}}",
        ", \"a\": 1".repeat(1_000_000)
    );
    refused(&many, &none, &["over 500 attributes"]);
    let deep = format!("{{\"nodes\": {}, \"edges\": []}}", "[".repeat(1_000_000));
    refused(&deep, &none, &["not valid JSON"]);
    let gml = format!("graph [ node [ id 0 {} ] ]", "a 1 ".repeat(1_000_000));
    let gml = parse_topology("file", gml.as_bytes(), Format::Gml, &with_default(1));
    assert!(gml.is_err_and(|error| error.to_string().contains("over 500 attributes")));
    assert_eq!(
        Format::detect(Path::new("a.gv"), b"digraph g{}"),
        Format::Dot
    );
}

#[test]
fn edges_of_dot_may_lead_to_lists() {
    let options = ImportOptions {
        capacity_default: Some(whole(2)),
        ..ImportOptions::default()
    };
    let platform = import_with("graph { a -- { b; c:port, d } -- e }", &options).platform;
    assert_eq!(
        (names(&platform), platform.links().len()),
        (vec!["a", "b", "c", "d", "e"], 12)
    );
    assert_eq!(
        (
            rate(&platform, "c", "a"),
            rate(&platform, "d", "e"),
            rate(&platform, "b", "c")
        ),
        ("2".into(), "2".into(), "none".into())
    );
    let many = format!(
        "graph {{ x -- {{ {} }} -- {{ {} }} }}",
        "a ".repeat(3000),
        "b ".repeat(3000)
    );
    refused(&many, &options, &["over 500000 edges"]);
}

/// Zachary's karate club as networkx ships it, in every format that it writes, and as a text for Graphviz.
const KARATE: &str = "
import json, sys, networkx as nx
graph, folder = nx.karate_club_graph(), sys.argv[1]
json.dump(nx.node_link_data(graph), open(folder + '/karate.json', 'w'))
nx.write_graphml(graph, folder + '/karate.graphml')
nx.write_gml(graph, folder + '/karate.gml')
edges = [f'{a} -- {b} [weight={d[\"weight\"]}]' for a, b, d in graph.edges(data=True)]
open(folder + '/karate.txt', 'w').write('graph { ' + '; '.join(edges) + ' }')
";

#[test]
#[ignore = "needs python networkx, program dot"]
fn what_networkx_and_graphviz_write() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let ran = |command: &mut Command| assert!(command.status().expect("a program").success());
    let (text, drawn) = (folder.join("karate.txt"), folder.join("karate.dot"));
    ran(Command::new("python3").args(["-c", KARATE]).arg(folder));
    ran(Command::new("dot")
        .args(["-Tdot", "-o"])
        .args([&drawn, &text]));
    for (name, format) in [
        ("karate.json", Format::NodeLink),
        ("karate.graphml", Format::GraphMl),
        ("karate.gml", Format::Gml),
        ("karate.dot", Format::Dot),
    ] {
        let bytes = std::fs::read(folder.join(name)).expect("written");
        assert_eq!(Format::detect(Path::new(name), &bytes), format, "{name}");
        let imported = parse_topology(name, &bytes, format, &capacity("weight", "GB/s"));
        let platform = imported.unwrap_or_else(|error| panic!("{error}")).platform;
        // 34 members, 78 friendships that met 231 times in all.
        assert_eq!(
            (
                platform.nodes().len(),
                platform.links().len(),
                reached(&platform)
            ),
            (34, 156, 34),
            "{name}"
        );
        let sum: Rational = platform.links().iter().map(|link| link.cost.recip()).sum();
        assert_eq!(sum, whole(462), "{name}");
        assert_eq!(
            (rate(&platform, "0", "1"), rate(&platform, "33", "32")),
            ("4".into(), "5".into()),
            "{name}"
        );
    }
}

/// A path x - s - y in every format whose nodes have attributes. The one of `s` is given as each format writes it.
fn marked(name: &str, value: &str) -> [(Format, String); 4] {
    let json = if value.starts_with(['[', '{']) || value.parse::<u32>().is_ok() {
        value.to_string()
    } else {
        format!("\"{value}\"")
    };
    let gml = if value.parse::<u32>().is_ok() {
        value.to_string()
    } else {
        format!("\"{value}\"")
    };
    let gml_edge = |to: u8| format!("edge [ source 1 target {to} LinkSpeedRaw 1000000000 ]\n");
    let edge =
        |to: &str| format!("<edge source=\"s\" target=\"{to}\"><data key=\"c\">1</data></edge>");
    [
        (
            Format::NodeLink,
            format!(
                "{{\"nodes\": [{{\"id\": \"x\"}}, {{\"id\": \"s\", \"{name}\": {json}}}, {{\"id\": \"y\"}}], \"edges\": [\
                 {{\"source\": \"x\", \"target\": \"s\", \"capacity\": 1}}, {{\"source\": \"s\", \"target\": \"y\", \
                 \"capacity\": 1}}]}}"
            ),
        ),
        (
            Format::GraphMl,
            format!(
                "<graphml><key id=\"c\" attr.name=\"capacity\"/><key id=\"k\" attr.name=\"{name}\"/>\
                 <graph edgedefault=\"undirected\"><node id=\"x\"/><node id=\"s\"><data key=\"k\">{value}</data>\
                 </node><node id=\"y\"/>{}{}</graph></graphml>",
                edge("x"),
                edge("y")
            ),
        ),
        (
            Format::Dot,
            format!(
                "graph {{ x; s [{name}=\"{value}\"]; y; x -- s [capacity=1]; s -- y [capacity=1] }}"
            ),
        ),
        (
            Format::Gml,
            format!(
                "graph [\nnode [ id 0 label \"x\" ]\nnode [ id 1 label \"s\" {name} {gml} ]\nnode [ id 2 label \"y\" \
                 ]\n{}{}]\n",
                gml_edge(0),
                gml_edge(2)
            ),
        ),
    ]
}

/// A value that is understood decides. Any other is refused, or a note names it.
#[test]
fn a_role_is_understood_or_named() {
    let none = ImportOptions::default();
    let processors = |text: &str| import(text).platform.processors().count();
    for (name, value) in [
        ("router", "true"),
        ("router", "True"),
        ("router", "yes"),
        ("router", "on"),
        ("router", "1"),
        ("kind", "Switch"),
        ("role", "router"),
        ("type", "switch"),
    ] {
        for (format, text) in marked(name, value) {
            assert_eq!(processors(&text), 2, "{name} {value}: {format}");
        }
    }
    for (name, value) in [
        ("router", "false"),
        ("router", "no"),
        ("router", "0"),
        ("type", "host"),
        ("kind", "GPU"),
    ] {
        for (format, text) in marked(name, value) {
            let imported = import(&text);
            assert_eq!(
                imported.platform.processors().count(),
                3,
                "{name} {value}: {format}"
            );
            let silent = imported
                .notes
                .iter()
                .all(|note| !note.text.contains("take part"));
            assert!(silent, "{name} {value}: {format}: {:?}", imported.notes);
        }
    }
    for (name, value, parts) in [
        ("router", "maybe", ["router maybe", "true or false"]),
        ("router", "3", ["router 3", "true or false"]),
        ("type", "spine", ["type spine", "type switch"]),
        ("role", "Leaf", ["role Leaf", "role processor"]),
        ("kind", "NVSwitch", ["kind NVSwitch", "kind switch"]),
    ] {
        for (_, text) in marked(name, value) {
            refused(&text, &none, &parts);
        }
    }
    for (name, value, note) in [
        ("type", "3", "type 3 (1 node)"),
        ("type", "Small Node", "type Small Node (1 node)"),
        ("role", "gateway", "role gateway (1 node)"),
    ] {
        for (format, text) in marked(name, value) {
            let imported = import(&text);
            assert_eq!(imported.platform.processors().count(), 3);
            assert!(
                says(&imported, Topic::Assumed, note),
                "{format}: {:?}",
                imported.notes
            );
        }
    }
    let [(_, json), ..] = marked("router", "[1]");
    refused(&json, &none, &["router [1]", "true or false"]);
    for (name, value) in [
        ("device_type", "switch"),
        ("is_switch", "true"),
        ("Router", "yes"),
    ] {
        for (format, text) in marked(name, value) {
            let imported = import(&text);
            let note = format!("{name} {value} (1 node)");
            assert!(
                says(&imported, Topic::LeftOut, &note),
                "{format}: {:?}",
                imported.notes
            );
        }
    }
}

/// Graphviz merges the attributes of all mentions of a node.
#[test]
fn a_later_mention_of_a_node_marks_it() {
    let text = "graph { x -- s [capacity=1]; s -- y [capacity=1]; s [type=switch] }";
    assert_eq!(import(text).platform.processors().count(), 2);
    let none = ImportOptions::default();
    refused(&text.replace("switch", "spine"), &none, &["type spine"]);
}

/// A misspelt attribute of edges is named, unless the right one stands beside it.
#[test]
fn attributes_near_to_one_that_is_read_are_named() {
    let dot = |attributes: &str| format!("graph {{ a -- b [{attributes}] }}");
    for (attributes, name, near) in [
        ("capcity=5", "capcity", "capacity"),
        ("Bandwith=5", "Bandwith", "bandwidth"),
        ("bandwidth=5, lateny=\"2 us\"", "lateny", "latency"),
        ("capacity=5, Bandwidth=7", "Bandwidth", "bandwidth"),
    ] {
        let imported = import_with(&dot(attributes), &with_default(1));
        let note = format!("attribute {name} of edges, which is not {near}");
        assert!(
            says(&imported, Topic::LeftOut, &note),
            "{attributes}: {:?}",
            imported.notes
        );
    }
    for attributes in [
        "capacity=5, capacity2=7",
        "weight=3",
        "color=red, latency=\"2 us\"",
    ] {
        let imported = import_with(&dot(attributes), &with_default(1));
        let silent = imported
            .notes
            .iter()
            .all(|note| !note.text.contains("of edges, which"));
        assert!(silent, "{attributes}: {:?}", imported.notes);
    }
}
