//! Rows of charts under every port model, and switches in graphs.

use std::collections::BTreeMap;

use oneport_plan::{Collective, Goals, Interval, Member, Message, Problem, Volumes};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational, whole};
use oneport_testkit::Dice;

use super::charts::{axis, boxes};
use super::parse::{assert_inside, parse};
use super::samples::{self, q, size};
use crate::svg::gantt::occupancy;
use crate::svg::{gantt, graph, timeline_gantt};
use crate::words::{self, Messages};

/// The platform with a model for every node, alternating.
fn mixed(platform: &Platform, models: &[PortModel]) -> Platform {
    let mut builder = Platform::builder();
    for (node, &model) in platform.nodes().iter().zip(models.iter().cycle()) {
        builder
            .node(Node {
                model: Some(model),
                ports: Some(3),
                ..node.clone()
            })
            .unwrap();
    }
    for link in platform.links() {
        builder.link(link.from, link.to, link.cost.clone()).unwrap();
    }
    builder.build().unwrap()
}

/// The rows of a transfer, by name, according to each end's model.
fn rows_of(platform: &Platform, id: LinkId) -> Vec<(String, &'static str)> {
    let link = platform.link(id);
    let end = |node: NodeId, port| match platform.model_of(node) {
        PortModel::FullDuplex | PortModel::Multiport => vec![(node, port)],
        PortModel::HalfDuplex => vec![(node, "port")],
        PortModel::Links => Vec::new(),
    };
    let mut rows = [end(link.from, "send"), end(link.to, "recv")].concat();
    if rows.is_empty() {
        rows.push((link.from, "link"));
    }
    rows.into_iter()
        .map(|(node, port)| (platform.name(node).to_string(), port))
        .collect()
}

#[test]
fn rows_are_as_long_as_what_they_stand_for_is_busy() {
    use PortModel::{FullDuplex, HalfDuplex, Links, Multiport};
    let lists: [&[PortModel]; 6] = [
        &[FullDuplex],
        &[HalfDuplex],
        &[Multiport],
        &[Links],
        &PortModel::ALL,
        &[Links, HalfDuplex, Links],
    ];
    for (seed, models) in (0..18).zip(lists.iter().cycle()) {
        let mut sample = samples::random(4 + seed, 700 + seed as u64, 1 + seed as u64 % 3);
        sample.platform = mixed(&sample.platform, models);
        let text = gantt(
            &Problem::new(&sample.platform, &sample.collective, size("1")).unwrap(),
            &sample.schedule,
        );
        let elements = parse(&text);
        assert_inside(&elements);
        assert!(!text.contains("url(#hatch)"));
        let mut busy: BTreeMap<(String, String), Rational> = BTreeMap::new();
        for scheduled in &sample.schedule.patterns {
            for id in scheduled.pattern.links() {
                let time = &sample.platform.link(id).cost * whole(scheduled.copies.clone());
                for (node, port) in rows_of(&sample.platform, id) {
                    *busy.entry((node, port.to_string())).or_default() += &time;
                }
            }
        }
        let (_, width) = axis(&elements);
        let rows = boxes(&elements);
        assert!(busy.keys().all(|row| rows.contains_key(row)), "{models:?}");
        for (row, boxes) in &rows {
            let drawn: f64 = boxes.iter().map(|(left, right, _)| right - left).sum();
            let wanted = busy
                .get(row)
                .map_or(0.0, |time| words::share(time, &sample.schedule.period))
                * width;
            assert!(
                (drawn - wanted).abs() <= 0.011 * (boxes.len() + 1) as f64,
                "{row:?}: {drawn} for {wanted}"
            );
        }
        // A dark foot for every box that a half-duplex port receives.
        let bars = occupancy::of_period(&sample.problem(), &sample.schedule);
        let received = bars.iter().filter(|bar| match bar.activity {
            occupancy::Activity::Transfer(id) => {
                sample.platform.model_of(sample.platform.link(id).to) == PortModel::HalfDuplex
            }
            occupancy::Activity::Merge { .. } => false,
        });
        assert_eq!(
            elements
                .iter()
                .filter(|element| element.is("received"))
                .count(),
            received.count()
        );
        // One row per link in use between nodes without ports.
        let own: std::collections::BTreeSet<LinkId> = bars
            .iter()
            .filter_map(|bar| match bar.activity {
                occupancy::Activity::Transfer(id) => Some(id),
                occupancy::Activity::Merge { .. } => None,
            })
            .filter(|&id| {
                rows_of(&sample.platform, id)
                    .iter()
                    .all(|(_, port)| *port == "link")
            })
            .collect();
        let link_rows = elements
            .iter()
            .filter(|e| e.is("row") && e.attributes["data-port"] == "link")
            .count();
        assert_eq!(link_rows, own.len(), "{models:?}");
        // A run has the same rows.
        let run = samples::timeline(&sample, 2);
        let elements = parse(&timeline_gantt(&sample.problem(), &run));
        assert_inside(&elements);
        assert_eq!(
            boxes_keys(&boxes(&elements)),
            boxes_keys(&rows),
            "{models:?}"
        );
    }
}

fn boxes_keys<T>(rows: &BTreeMap<(String, String), T>) -> Vec<&(String, String)> {
    rows.keys().collect()
}

/// Transfers over one link stay in one lane of a multiport node.
#[test]
fn lanes_keep_to_their_links() {
    let mut dice = Dice::new(5);
    let mut builder = Platform::builder();
    builder.model(PortModel::Multiport);
    let hub = builder
        .node(Node {
            ports: Some(3),
            ..Node::router("hub")
        })
        .unwrap();
    let mut bars = Vec::new();
    for link in 0..3_u64 {
        let end = builder.node(Node::router(format!("n{link}"))).unwrap();
        let id = builder.link(hub, end, q("1")).unwrap();
        let mut clock = q("0");
        for _ in 0..20 {
            let start = clock.clone();
            clock += samples::whole(1 + dice.below(4) as u64);
            let message = Message {
                demand: 0,
                part: Interval::single(0),
            };
            let note = occupancy::Note::Count(q("1"));
            let activity = occupancy::Activity::Transfer(id);
            bars.push(occupancy::Bar {
                activity,
                message,
                start,
                end: clock.clone(),
                note,
            });
        }
    }
    let platform = builder.build().unwrap();
    let (rows, _) = crate::svg::gantt::rows::rows(&platform, &bars);
    let lanes = &rows
        .iter()
        .find(|row| row.node == hub && !row.lanes.is_empty())
        .unwrap()
        .lanes;
    assert_eq!(lanes.len(), 3);
    for lane in lanes {
        assert!(
            lane.iter()
                .all(|&bar| bars[bar].activity == bars[lane[0]].activity)
        );
    }
}

#[test]
fn switches_look_different() {
    let mut builder = Platform::builder();
    let mut node = |name: &str, processor: bool, replicates| {
        let node = if processor {
            Node::processor(name, q("1"))
        } else {
            Node::router(name)
        };
        builder.node(Node { replicates, ..node }).unwrap()
    };
    let ids = [
        node("a", true, true),
        node("b", true, false),
        node("r", false, true),
        node("s", false, false),
    ];
    builder.duplex(ids[0], ids[2], q("1")).unwrap();
    builder.duplex(ids[2], ids[3], q("1")).unwrap();
    builder.duplex(ids[3], ids[1], q("1")).unwrap();
    let platform = builder.build().unwrap();
    let collective = Collective::scatter(ids[0], vec![ids[1]]);
    let elements = parse(&graph(
        &Problem::new(&platform, &collective, size("1")).unwrap(),
        None,
        None,
    ));
    assert_inside(&elements);
    let marks: Vec<(&str, bool, &str)> = elements
        .iter()
        .filter(|element| element.is("node"))
        .map(|e| {
            let round =
                e.attributes.contains_key("rx") && 2.0 * e.number("rx") >= e.number("height");
            let shape = if round { "round" } else { e.name.as_str() };
            (
                shape,
                e.attributes.contains_key("stroke-dasharray"),
                e.title.as_str(),
            )
        })
        .collect();
    assert_eq!(
        marks,
        [
            ("round", false, "a: source, compute 1"),
            ("round", true, "b: target, compute 1, does not replicate"),
            ("rect", false, "r: router (forwards only)"),
            ("path", false, "s: switch (forwards only, does not copy)"),
        ]
    );
}

#[test]
fn messages_have_names() {
    let mut builder = Platform::builder();
    let ids = ["A", "B", "C"].map(|name| builder.node(Node::processor(name, q("1"))).unwrap());
    for other in [1, 2] {
        builder.duplex(ids[0], ids[other], q("1")).unwrap();
    }
    let platform = builder.build().unwrap();
    let all = ids.to_vec();
    let part = |first, last| Interval { first, last };
    let broadcast = Collective::broadcast(ids[0], ids[1..].to_vec());
    let all_gather = Collective::all_gather(all.clone());
    let all_reduce = Collective::all_reduce(all.clone());
    let scan = Collective::scan(all.clone());
    let member = |rate, collective: &Collective| Member {
        collective: collective.clone(),
        rate,
    };
    let groups = Collective::Groups(vec![
        member(2, &all_gather),
        member(1, &scan),
        member(1, &broadcast),
    ]);
    for (collective, words, demand, part, label, category) in [
        (
            &broadcast,
            "Broadcast from A to 2 targets",
            0,
            part(0, 0),
            "copies of A's message",
            "copies of A's message",
        ),
        (
            &all_gather,
            "All-gather between 3 participants",
            2,
            part(0, 0),
            "copies of C's message",
            "copies of C's message",
        ),
        (
            &all_reduce,
            "Commutative all-reduce of 3 values",
            0,
            part(1, 2),
            "v[1,2]",
            "v[1,2]",
        ),
        (
            &scan,
            "Scan of 3 values",
            0,
            part(0, 1),
            "prefix v[0,1]",
            "prefix v[0,1]",
        ),
        (&scan, "Scan of 3 values", 0, part(1, 2), "v[1,2]", "v[1,2]"),
        (
            &groups,
            "3 groups: all-gather among 3 ×2, scan among 3, broadcast among 3",
            1,
            part(0, 0),
            "copies of B's message of group 1",
            "copies of B's message of group 1",
        ),
        (
            &groups,
            "3 groups: all-gather among 3 ×2, scan among 3, broadcast among 3",
            3,
            part(0, 2),
            "prefix v[0,2] of group 2",
            "values of the scan of group 2",
        ),
    ] {
        let volumes = Volumes::default();
        let problem = Problem::new(&platform, collective, &volumes).unwrap();
        let messages = Messages::new(problem.platform(), problem.collective());
        let message = Message { demand, part };
        assert_eq!(words::describe(&problem), words);
        assert_eq!(messages.label(message), label);
        assert_eq!(messages.category_label(message), category);
    }
    // Every demand has a name and a separate colour, for every collective.
    for collective in [&broadcast, &all_gather, &all_reduce, &scan, &groups] {
        let messages = Messages::new(&platform, collective);
        for demand in 0..collective.demands() + 2 {
            for part in [part(0, 0), part(0, 2), part(2, 0), part(7, 9)] {
                let message = Message { demand, part };
                assert!(
                    !messages.label(message).is_empty()
                        && messages.short_label(message).is_none_or(|l| !l.is_empty())
                );
                let _ = crate::svg::colour::Colour::category(messages.category(message));
            }
            let known = collective
                .demand(demand)
                .is_some_and(|demand| !matches!(demand.goals, Goals::Prefixes));
            assert_eq!(
                words::group_of(collective, demand).is_empty(),
                demand >= 5 || *collective != groups,
                "{known}"
            );
        }
    }
}
