//! Platforms as graphs.

use oneport_plan::{Collective, Problem, SteadyState};
use oneport_platform::{Node, NodeId, Platform};

use super::parse::{Element, assert_inside, parse, text_span};
use super::samples::{self, q, size};
use crate::svg::graph::{graph, graph_of_rates, layout};

/// The areas of the nodes: left, top, right, bottom.
pub(super) fn nodes(elements: &[Element]) -> Vec<(f64, f64, f64, f64)> {
    let area = |element: &Element| match element.name.as_str() {
        "rect" => {
            let (left, top) = (element.number("x"), element.number("y"));
            (
                left,
                top,
                left + element.number("width"),
                top + element.number("height"),
            )
        }
        _ => {
            let corners = element.attributes["d"]
                .trim_start_matches('M')
                .trim_end_matches('Z')
                .split('L');
            let corners: Vec<(f64, f64)> = corners
                .map(|corner| corner.split_once(' ').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect();
            let start = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
            corners.iter().fold(start, |a, c| {
                (a.0.min(c.0), a.1.min(c.1), a.2.max(c.0), a.3.max(c.1))
            })
        }
    };
    elements
        .iter()
        .filter(|element| element.is("node"))
        .map(area)
        .collect()
}

/// The tooltips of links. One line can represent both directions.
fn links(elements: &[Element]) -> Vec<&str> {
    elements
        .iter()
        .filter(|e| e.is("link"))
        .flat_map(|e| e.title.lines())
        .collect()
}

/// The labels of nodes and links, as (left, top, right, bottom, text).
pub(super) fn labels(elements: &[Element]) -> Vec<(f64, f64, f64, f64, String)> {
    let inner = |e: &&Element| {
        e.name == "text"
            && e.parent
                .is_some_and(|p| elements[p].attributes.contains_key("pointer-events"))
    };
    elements
        .iter()
        .filter(inner)
        .map(|element| {
            let (left, right) = text_span(element);
            let (y, size) = (element.number("y"), element.number("font-size"));
            (
                left,
                y - 0.75 * size,
                right,
                y + 0.15 * size,
                element.text.clone(),
            )
        })
        .collect()
}

/// Figure 2(b): every amount of the steady state is on its link, and no other text is.
#[test]
fn amounts_stand_on_the_links() {
    let sample = samples::toy();
    let volumes = size("1");
    let problem = Problem::new(&sample.platform, &sample.collective, &volumes).unwrap();
    let elements = parse(&graph_of_rates(&problem, &sample.steady_state, None));
    assert_inside(&elements);
    let mut shown: Vec<String> = labels(&elements)
        .into_iter()
        .map(|(.., text)| text)
        .filter(|t| t.contains(": "))
        .collect();
    shown.sort_unstable();
    let mut sums = std::collections::BTreeMap::new();
    for weighted in &sample.steady_state.patterns {
        for link in weighted.pattern.links() {
            *sums
                .entry((link, weighted.pattern.demand))
                .or_insert_with(|| q("0")) += &weighted.weight;
        }
    }
    let target = |demand: usize| {
        sample
            .platform
            .name(sample.collective.demand(demand).unwrap().targets()[0])
    };
    let mut right: Vec<String> = sums
        .iter()
        .map(|((_, demand), rate)| format!("m {}: {rate}", target(*demand)))
        .collect();
    right.sort_unstable();
    assert_eq!(shown, right);
    assert!(!right.is_empty());
}

#[test]
fn nodes_links_and_figures_are_all_there() {
    let sample = samples::toy();
    let text = graph(
        &Problem::new(&sample.platform, &sample.collective, size("1")).unwrap(),
        Some(&sample.steady_state),
        None,
    );
    let elements = parse(&text);
    assert_inside(&elements);
    assert_eq!(nodes(&elements).len(), 5);
    let links = links(&elements);
    assert_eq!(links.len(), 5);
    assert!(
        links.contains(&"Pa → P0: cost 2/3, busy 1/3 of the time; per unit of time m P0 ×1/2"),
        "{links:?}"
    );
    assert!(links.contains(&"Pb → P0: cost 4/3"), "{links:?}");
    let texts: Vec<String> = labels(&elements).into_iter().map(|label| label.4).collect();
    for wanted in ["c 2/3 · 33.3 %", "c 4/3 · 66.7 %", "c 4/3", "Ps", "P1"] {
        assert!(
            texts.iter().any(|text| text == wanted),
            "{wanted} in {texts:?}"
        );
    }
    let source = elements
        .iter()
        .find(|e| e.is("node") && e.title.starts_with("Ps: source"))
        .unwrap();
    assert!(
        source.title.ends_with("sends 1 of the time"),
        "{}",
        source.title
    );
}

#[test]
fn the_size_of_messages_counts() {
    let sample = samples::toy();
    let text = graph(
        &Problem::new(&sample.platform, &sample.collective, size("1/2")).unwrap(),
        Some(&sample.steady_state),
        None,
    );
    assert!(parse(&text).iter().any(|e| {
        e.title
            .starts_with("Pa → P0: cost 2/3, busy 1/6 of the time")
    }));
}

#[test]
fn nothing_overlaps() {
    let check = |text: String, count: usize, links: usize| {
        let elements = parse(&text);
        assert_inside(&elements);
        let nodes = nodes(&elements);
        assert_eq!(nodes.len(), count);
        assert_eq!(self::links(&elements).len(), links);
        for (index, a) in nodes.iter().enumerate() {
            for b in &nodes[..index] {
                let apart = a.2 < b.0 || b.2 < a.0 || a.3 < b.1 || b.3 < a.1;
                assert!(apart, "nodes at {a:?} and {b:?}");
            }
        }
        let labels = labels(&elements);
        for (index, a) in labels.iter().enumerate() {
            for b in &labels[..index] {
                let apart = a.2 <= b.0 + 0.02
                    || b.2 <= a.0 + 0.02
                    || a.3 <= b.1 + 0.02
                    || b.3 <= a.1 + 0.02;
                assert!(apart, "{a:?} touches {b:?}");
            }
        }
    };
    for seed in 0..20u64 {
        let sample = samples::random(2 + 3 * seed as usize, seed, 1);
        let (platform, collective) = (&sample.platform, &sample.collective);
        for state in [None, Some(&sample.steady_state)] {
            let text = graph(
                &Problem::new(platform, collective, size("1")).unwrap(),
                state,
                None,
            );
            assert_eq!(
                text,
                graph(
                    &Problem::new(platform, collective, size("1")).unwrap(),
                    state,
                    None
                ),
                "the same input gives the same bytes"
            );
            check(text, platform.nodes().len(), platform.links().len());
        }
    }
}

/// Nodes with these links, all processors.
fn platform(nodes: usize, links: &[(usize, usize)]) -> Platform {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..nodes)
        .map(|k| {
            builder
                .node(Node::processor(format!("node {k}"), q("1")))
                .unwrap()
        })
        .collect();
    for &(a, b) in links {
        builder.duplex(ids[a], ids[b], q("1")).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn every_shape_of_platform_is_drawn() {
    let star: Vec<(usize, usize)> = (1..60).map(|leaf| (0, leaf)).collect();
    let chain: Vec<(usize, usize)> = (1..100).map(|node| (node - 1, node)).collect();
    let complete: Vec<(usize, usize)> = (0..9).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let many: Vec<(usize, usize)> = (1..1500).map(|node| (node / 3, node)).collect();
    for (count, links) in [
        (2, vec![]),
        (7, vec![]),
        (60, star),
        (100, chain),
        (9, complete),
        (1500, many),
    ] {
        let platform = platform(count, &links);
        let participants: Vec<NodeId> = platform.processors().collect();
        let text = match Problem::new(&platform, Collective::all_to_all(participants), size("1")) {
            Ok(problem) => graph(&problem, None, None),
            Err(_) => crate::svg::platform(&platform, "apart", "no links"),
        };
        let elements = parse(&text);
        assert_inside(&elements);
        assert_eq!(nodes(&elements).len(), count);
        let width = elements[0].number("width");
        assert!(
            (500.0..2700.0).contains(&width),
            "{count} nodes on {width} px"
        );
    }
}

#[test]
fn layouts_keep_links_short_and_strangers_apart() {
    // A ring: neighbours are nearer than opposite nodes, all links about equally long.
    let ring: Vec<(usize, usize)> = (0..12).map(|node| (node, (node + 1) % 12)).collect();
    let positions = layout::arrange(&[0.0; 12], &ring, 0);
    let distance = |a: usize, b: usize| {
        ((positions[a].0 - positions[b].0).powi(2) + (positions[a].1 - positions[b].1).powi(2))
            .sqrt()
    };
    let lengths: Vec<f64> = ring.iter().map(|&(a, b)| distance(a, b)).collect();
    let (low, high) = lengths
        .iter()
        .fold((f64::MAX, 0.0f64), |(l, h), &x| (l.min(x), h.max(x)));
    assert!(
        low > 0.5 && high < 1.5 && high / low < 1.3,
        "{low} to {high}"
    );
    assert!((0..6).all(|node| distance(node, node + 6) > 2.5 * high));
    // A source at the edge is above the rest, or left of it.
    let tree = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 5)];
    let positions = layout::arrange(&[0.0; 6], &tree, 0);
    let (above, left) = (
        (1..6).all(|n| positions[n].1 > positions[0].1),
        (1..6).all(|n| positions[n].0 > positions[0].0),
    );
    assert!(above || left, "{positions:?}");
}

#[test]
fn ids_of_another_platform_are_no_panic() {
    let sample = samples::toy();
    let small = platform(2, &[(0, 1)]);
    let one = size("1");
    let scatter = Collective::scatter(NodeId::new(0), vec![NodeId::new(1)]);
    let problem = Problem::new(&small, &scatter, &one).unwrap();
    let text = graph(&problem, Some(&sample.steady_state), None);
    assert_eq!(nodes(&parse(&text)).len(), 2);
    let nothing = SteadyState {
        throughput: q("0"),
        patterns: Vec::new(),
    };
    parse(&graph(&problem, Some(&nothing), None));
}
