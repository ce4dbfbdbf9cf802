//! Boxes around switches at 4, 13 and 40 nodes: every kind of picture shows all its elements, without overlaps.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_plan::{Certificate, Collective, Pattern, Problem, Resource};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational, Units};

use super::graphs::nodes;
use super::parse::{Element, assert_inside, parse, text_span};
use super::samples::{self, Sample, finish, matchings, q, size};
use crate::svg::gantt::occupancy;
use crate::svg::{gantt, graph, pattern, timeline_gantt};

/// Numbers of boxes and of processors per box. Each box is around a switch. Several switches are around a core.
const SIZES: [(usize, usize); 3] = [(1, 3), (3, 3), (3, 12)];

/// An all-gather in such a cluster, each message going down the tree.
fn cluster(boxes: usize, each: usize) -> Sample {
    let mut builder = Platform::builder();
    let core = (boxes > 1).then(|| builder.node(Node::router("core")).unwrap());
    for number in 0..boxes {
        let switch = builder
            .node(Node::router(format!("box{number}.switch")))
            .unwrap();
        if let Some(core) = core {
            builder.duplex(core, switch, q("1")).unwrap();
        }
        for gpu in 0..each {
            let id = builder
                .node(Node::processor(format!("box{number}.gpu{gpu}"), q("1")))
                .unwrap();
            builder.duplex(switch, id, q("1/4")).unwrap();
        }
    }
    let platform = builder.build().unwrap();
    let participants: Vec<NodeId> = platform.processors().collect();
    let patterns: Vec<Pattern> = participants
        .iter()
        .enumerate()
        .map(|(demand, &source)| flood(&platform, demand, source))
        .collect();
    let (slots, period) = matchings(&platform, &patterns, 1);
    finish(
        platform,
        Collective::all_gather(participants),
        patterns,
        1,
        slots,
        period,
    )
}

/// A message along all links that lead away from its source, in a tree.
fn flood(platform: &Platform, demand: usize, source: NodeId) -> Pattern {
    let mut hops: Vec<(LinkId, Option<u32>)> = Vec::new();
    let mut known = BTreeSet::from([source]);
    let mut queue = vec![(source, None)];
    while let Some((node, hop)) = queue.pop() {
        for &link in platform.outgoing(node) {
            if known.insert(platform.link(link).to) {
                hops.push((link, hop));
                queue.push((platform.link(link).to, Some(hops.len() as u32 - 1)));
            }
        }
    }
    Pattern::arborescence(demand, hops)
}

/// Left, top, right, bottom and text of all horizontal texts.
fn texts(elements: &[Element]) -> Vec<(f64, f64, f64, f64, &str)> {
    let turned = |e: &&Element| {
        e.parent
            .is_some_and(|p| elements[p].attributes.contains_key("transform"))
    };
    let texts = elements.iter().filter(|e| e.name == "text" && !turned(e));
    let area = |text| {
        let ((left, right), y, size) =
            (text_span(text), text.number("y"), text.number("font-size"));
        (
            left,
            y - 0.72 * size,
            right,
            y + 0.15 * size,
            text.text.as_str(),
        )
    };
    texts.map(area).collect()
}

fn assert_readable(text: &str) -> Vec<Element> {
    let elements = parse(text);
    assert_inside(&elements);
    let texts = texts(&elements);
    for (index, a) in texts.iter().enumerate() {
        for b in &texts[..index] {
            let apart =
                a.2 <= b.0 + 0.02 || b.2 <= a.0 + 0.02 || a.3 <= b.1 + 0.02 || b.3 <= a.1 + 0.02;
            assert!(apart, "{a:?} touches {b:?}");
        }
    }
    elements
}

/// Every picture of a sample.
fn pictures(sample: &Sample) -> Vec<String> {
    let problem = sample.problem();
    let run = samples::timeline(sample, 3);
    let all = || {
        vec![
            graph(&problem, Some(&sample.steady_state), None),
            graph(&problem, None, None),
            gantt(&problem, &sample.schedule),
            timeline_gantt(&problem, &run),
            pattern(&problem, &sample.steady_state.patterns[0].pattern, None),
        ]
    };
    let (once, again) = (all(), all());
    assert_eq!(once, again, "the same input gives the same bytes");
    once
}

#[test]
fn no_two_texts_touch_and_nothing_is_cut() {
    for (boxes, each) in SIZES {
        for text in pictures(&cluster(boxes, each)) {
            let elements = assert_readable(&text);
            assert!(
                elements
                    .iter()
                    .all(|e| e.name != "text" || !e.text.contains('…')),
                "{boxes} boxes"
            );
        }
    }
}

/// Three boxes that do the same are drawn once. If one node of a box does less, that box is drawn, too.
#[test]
fn equal_boxes_are_one_in_large_charts() {
    let mut sample = cluster(3, 6);
    let drawn = |sample: &Sample| {
        let elements = assert_readable(&gantt(&sample.problem(), &sample.schedule));
        let rows = elements
            .iter()
            .filter_map(|e| e.attributes.get("data-node").cloned());
        let boxes: BTreeSet<String> = rows
            .map(|name| name.split('.').next().unwrap().to_string())
            .collect();
        let told = elements
            .iter()
            .filter(|e| e.name == "text" && e.text.contains("drawn once"))
            .count();
        (
            boxes.into_iter().collect::<Vec<_>>(),
            told,
            elements.iter().any(|e| e.text.contains("box0 for 3 boxes")),
        )
    };
    let (boxes, told, three) = drawn(&sample);
    assert_eq!(
        (boxes, told, three),
        (vec!["box0".to_string(), "core".to_string()], 1, true)
    );
    // Without the transfers of one node of the last box.
    let last = sample.platform.processors().last().unwrap();
    let silent = |link: &LinkId| sample.platform.link(*link).from != last;
    for slot in &mut sample.schedule.slots {
        slot.links.retain(silent);
    }
    let (boxes, told, three) = drawn(&sample);
    assert!(
        boxes.contains(&"box2".to_string()) && !boxes.contains(&"box1".to_string()),
        "{boxes:?}"
    );
    assert_eq!((told, three), (1, false));
    // Few rows are all drawn.
    assert_eq!(drawn(&cluster(3, 2)).1, 0);
}

#[test]
fn graphs_name_every_node_in_the_frame_of_its_box() {
    for (boxes, each) in SIZES {
        let sample = cluster(boxes, each);
        let elements = assert_readable(&graph(&sample.problem(), Some(&sample.steady_state), None));
        let frames: BTreeMap<&str, (f64, f64, f64, f64)> = elements
            .iter()
            .filter(|e| e.is("frame"))
            .map(|e| {
                let (left, top) = (e.number("x"), e.number("y"));
                let area = (
                    left,
                    top,
                    left + e.number("width"),
                    top + e.number("height"),
                );
                (e.title.split(':').next().unwrap(), area)
            })
            .collect();
        assert_eq!(frames.len(), boxes);
        let marks = elements
            .iter()
            .filter(|e| e.is("node"))
            .zip(nodes(&elements));
        let texts = texts(&elements);
        let inside = |a: &(f64, f64, f64, f64), b: (f64, f64, f64, f64)| {
            a.0 <= b.0 && a.1 <= b.1 && b.2 <= a.2 && b.3 <= a.3
        };
        let mut count = 0;
        for (element, area) in marks {
            count += 1;
            let name = element.title.split(": ").next().unwrap();
            let (group, own) = name.split_once('.').unwrap_or(("", name));
            let named =
                |t: &&(f64, f64, f64, f64, &str)| t.4 == own && inside(&area, (t.0, t.1, t.2, t.3));
            assert!(texts.iter().any(|text| named(&text)), "{name} is not named");
            for (frame, rectangle) in &frames {
                assert_eq!(
                    inside(rectangle, area),
                    *frame == group,
                    "{name} and {frame}"
                );
            }
        }
        assert_eq!(count, sample.platform.nodes().len());
    }
}

/// Line widths and colours by link.
fn strokes(elements: &[Element]) -> Vec<(&str, f64, &str)> {
    let line = |group: usize| {
        elements
            .iter()
            .find(|e| e.parent == Some(group) && e.is("line"))
            .unwrap()
    };
    let links = elements.iter().enumerate().filter(|(_, e)| e.is("link"));
    links
        .flat_map(|(index, link)| {
            let line = line(index);
            link.title.lines().map(move |title| {
                (
                    title,
                    line.number("stroke-width"),
                    line.attributes["stroke"].as_str(),
                )
            })
        })
        .collect()
}

#[test]
fn wide_links_are_fast_and_dark_ones_busy() {
    let sample = cluster(3, 3);
    let elements = parse(&graph(&sample.problem(), Some(&sample.steady_state), None));
    let mut busy: BTreeMap<String, Rational> = BTreeMap::new();
    for weighted in &sample.steady_state.patterns {
        for id in weighted.pattern.links() {
            let link = sample.platform.link(id);
            let name = format!(
                "{} → {}",
                sample.platform.name(link.from),
                sample.platform.name(link.to)
            );
            *busy.entry(name).or_insert_with(Rational::zero) += &link.cost * &weighted.weight;
        }
    }
    let dark = |colour: &str| -> u32 {
        (0..3)
            .map(|k| u32::from_str_radix(&colour[1 + 2 * k..3 + 2 * k], 16).unwrap())
            .sum()
    };
    let strokes = strokes(&elements);
    assert_eq!(strokes.len(), sample.platform.links().len());
    let name = |title: &str| title.split(':').next().unwrap().to_string();
    let (mut widths, mut shades) = (0, 0);
    for (a, a_width, a_colour) in &strokes {
        for (b, b_width, b_colour) in &strokes {
            if a.contains("cost 1/4") && b.contains("cost 1,") {
                assert!(a_width > b_width, "{a}, {b}");
                widths += 1;
            }
            if busy[&name(a)] > busy[&name(b)] {
                assert!(dark(a_colour) < dark(b_colour), "{a}, {b}");
                shades += 1;
            }
        }
    }
    assert!(widths > 0 && shades > 0);
}

#[test]
fn what_has_a_price_is_red_and_nothing_else() {
    const RED: &str = "#d62718";
    let sample = cluster(3, 3);
    let node = |name: &str| sample.platform.find(name).unwrap();
    let (port, free) = (node("box1.gpu2"), node("box0.gpu0"));
    let link = sample
        .platform
        .link_between(node("box0.switch"), free)
        .unwrap();
    let prices = vec![
        (Resource::Send(port), q("1/2")),
        (Resource::Receive(free), q("0")),
        (Resource::Link(link), q("1/3")),
    ];
    let certificate = Certificate::of_prices(prices);
    let elements = assert_readable(&graph(
        &sample.problem(),
        Some(&sample.steady_state),
        Some(&certificate),
    ));
    let red: Vec<&str> = elements
        .iter()
        .filter(|e| e.is("node") && e.attributes["stroke"] == RED)
        .map(|e| e.title.as_str())
        .collect();
    assert_eq!(red.len(), 1, "{red:?}");
    assert!(
        red[0].starts_with("box1.gpu2: ") && red[0].contains("limits the throughput: send port"),
        "{red:?}"
    );
    let red: Vec<&str> = strokes(&elements)
        .into_iter()
        .filter(|(.., colour)| *colour == RED)
        .map(|(title, ..)| title)
        .collect();
    assert_eq!(red.len(), 1, "{red:?}");
    assert!(red[0].starts_with("box0.switch → box0.gpu0: "), "{red:?}");
}

/// Rows that are busy all the time, by node and port, and all rows with their loads as written.
fn loads(elements: &[Element]) -> (usize, Vec<&str>) {
    let full = elements.iter().filter(|e| e.is("full")).count();
    let texts = elements
        .iter()
        .filter(|e| e.name == "text" && e.parent.is_some_and(|p| elements[p].is("load")));
    (full, texts.map(|e| e.text.as_str()).collect())
}

#[test]
fn rows_that_are_always_busy_are_marked_and_no_others() {
    let mut marked = 0;
    for seed in 0..30 {
        let mut sample = samples::random(3 + seed as usize % 12, 300 + seed, 1 + seed % 3);
        let ports = if seed % 2 == 0 { 1 } else { 3 };
        if ports > 1 {
            let mut builder = Platform::builder();
            for node in sample.platform.nodes() {
                let model = Some(PortModel::Multiport);
                builder
                    .node(Node {
                        model,
                        ports: Some(3),
                        ..node.clone()
                    })
                    .unwrap();
            }
            for link in sample.platform.links() {
                builder.link(link.from, link.to, link.cost.clone()).unwrap();
            }
            sample.platform = builder.build().unwrap();
        }
        let mut busy: BTreeMap<(NodeId, bool), Rational> = BTreeMap::new();
        for bar in occupancy::of_period(&sample.problem(), &sample.schedule) {
            let occupancy::Activity::Transfer(id) = bar.activity else {
                panic!("a merge in a scatter")
            };
            let link = sample.platform.link(id);
            for port in [(link.from, true), (link.to, false)] {
                *busy.entry(port).or_insert_with(Rational::zero) += &bar.end - &bar.start;
            }
        }
        let capacity = &sample.schedule.period * samples::whole(ports);
        let wanted = busy.values().filter(|time| **time >= capacity).count();
        let elements = parse(&gantt(
            &Problem::new(&sample.platform, &sample.collective, size("1")).unwrap(),
            &sample.schedule,
        ));
        let (full, loads) = loads(&elements);
        assert_eq!(full, wanted, "seed {seed}");
        assert_eq!(
            loads.iter().filter(|load| **load == "100 %").count(),
            wanted,
            "seed {seed}: {loads:?}"
        );
        assert_eq!(loads.len(), elements.iter().filter(|e| e.is("row")).count());
        marked += full;
    }
    assert!(marked > 10, "{marked} rows");
}

#[test]
fn many_messages_are_coloured_by_box() {
    let sample = cluster(3, 12);
    let elements = assert_readable(&gantt(&sample.problem(), &sample.schedule));
    let mut colours: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for element in elements.iter().filter(|e| e.is("box")) {
        if let Some((_, rest)) = element.title.split_once("copies of ") {
            colours
                .entry(rest.split('.').next().unwrap())
                .or_default()
                .insert(&element.attributes["fill"]);
        }
    }
    assert_eq!(
        colours.keys().copied().collect::<Vec<_>>(),
        ["box0", "box1", "box2"]
    );
    let all: BTreeSet<&str> = colours.values().flatten().copied().collect();
    assert!(
        colours.values().all(|own| own.len() == 1) && all.len() == 3,
        "{colours:?}"
    );
    for number in 0..3 {
        assert!(
            elements
                .iter()
                .any(|e| e.text == format!("messages of box{number}"))
        );
    }
}

#[test]
fn quantities_have_the_units_of_the_platform() {
    let mut sample = cluster(3, 3);
    for text in pictures(&sample) {
        assert!(!text.contains("GB"));
    }
    sample.platform = sample
        .platform
        .with_units(Some(Units::parse("GB/s").unwrap()));
    let pictures = pictures(&sample);
    for text in &pictures {
        assert_readable(text);
        assert!(!text.contains("per unit of"), "{text}");
    }
    for (picture, wanted) in [
        (0, "fastest link: 4 GB/s"),
        (0, "per second"),
        (2, "time within the period (s)"),
    ] {
        assert!(pictures[picture].contains(wanted), "{wanted}");
    }
    // A thousandth of the data: the axis goes over to milliseconds.
    sample.platform = sample
        .platform
        .with_units(Some(Units::parse("GB/ms").unwrap()));
    let text = gantt(&sample.problem(), &sample.schedule);
    assert!(
        text.contains("time within the period (ms)") && text.contains(" ms to "),
        "{text}"
    );
}

#[cfg(feature = "png")]
#[test]
fn pictures_have_twice_the_size_and_letters() {
    let sample = cluster(3, 3);
    let svg = graph(&sample.problem(), Some(&sample.steady_state), None);
    let picture = crate::png::png(&svg).unwrap().bytes;
    assert_eq!(
        picture,
        crate::png::png(&svg).unwrap().bytes,
        "the same input gives the same bytes"
    );
    assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| f64::from(u32::from_be_bytes(picture[at..at + 4].try_into().unwrap()));
    let root = &parse(&svg)[0];
    for (at, side) in [(16, "width"), (20, "height")] {
        assert!(
            (number(at) - 2.0 * root.number(side)).abs() <= 1.0,
            "{side}"
        );
    }
    let wordless = svg.replace(">box0<", "><").replace(">gpu0<", "><");
    assert_ne!(
        crate::png::png(&wordless).unwrap().bytes,
        picture,
        "names are painted"
    );
    assert!(crate::png::png("no drawing").is_err());
    assert!(crate::png::png(&svg).unwrap().lacking.is_empty());
    let other = svg.replace(">box0<", ">\u{7bc0}\u{9ede}\u{153}<");
    assert_eq!(
        crate::png::png(&other).unwrap().lacking,
        ["\u{7bc0}", "\u{9ede}"],
        "letters that DejaVu lacks"
    );
}
