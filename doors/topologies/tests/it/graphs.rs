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
