//! Gantt charts.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_plan::{
    Collective, Interval, Message, Pattern, PeriodicSchedule, Problem, ScheduledPattern, Slot,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational, whole};
use oneport_testkit::Dice;

use super::parse::{Element, assert_inside, parse};
use super::samples::{self, Sample, naive_pieces, q, size};
use crate::svg::gantt::occupancy::{self, Activity, Bar, Note};
use crate::svg::gantt::rows;
use crate::svg::{gantt, period_gantt, timeline_gantt};
use crate::words;

/// Node, and "send" or "recv".
pub(super) type RowName = (String, String);
/// Left, right, tooltip.
pub(super) type Box = (f64, f64, String);

/// The boxes of each row.
pub(super) fn boxes(elements: &[Element]) -> BTreeMap<RowName, Vec<Box>> {
    let mut rows: BTreeMap<RowName, Vec<Box>> = BTreeMap::new();
    for element in elements {
        if element.is("row") {
            rows.entry((
                element.attributes["data-node"].clone(),
                element.attributes["data-port"].clone(),
            ))
            .or_default();
        }
        if element.is("box") {
            let row = &elements[element.parent.unwrap()].attributes;
            let left = element.number("x");
            let span = (left, left + element.number("width"), element.title.clone());
            rows.get_mut(&(row["data-node"].clone(), row["data-port"].clone()))
                .unwrap()
                .push(span);
        }
    }
    rows
}

/// Left edge and width of the time axis: the band behind the rows.
pub(super) fn axis(elements: &[Element]) -> (f64, f64) {
    let band = elements
        .iter()
        .find(|e| e.name == "rect" && e.attributes.contains_key("fill-opacity"))
        .unwrap();
    (band.number("x"), band.number("width"))
}

fn draw(sample: &Sample) -> String {
    gantt(
        &Problem::new(&sample.platform, &sample.collective, size("1")).unwrap(),
        &sample.schedule,
    )
}

#[test]
fn the_toy_schedule_is_drawn_as_the_paper_has_it() {
    let elements = parse(&draw(&samples::toy()));
    assert_inside(&elements);
    let (left, width) = axis(&elements);
    let time = |x: f64| ((x - left) / width * 2.0 * 300.0).round() / 300.0;
    let rows = boxes(&elements);
    let row = |node: &str, port: &str| -> Vec<(f64, f64, String)> {
        let row = &rows[&(node.to_string(), port.to_string())];
        row.iter()
            .map(|(a, b, title)| {
                (
                    time(*a),
                    time(*b),
                    title.split(',').next().unwrap().to_string(),
                )
            })
            .collect()
    };
    let third = |n: f64| (n / 3.0 * 300.0).round() / 300.0;
    let (m0, m1) = ("m P0 ×1".to_string(), "m P1 ×1".to_string());
    assert_eq!(
        row("Ps", "send"),
        [(0.0, 1.0, m1.clone()), (1.0, 2.0, m0.clone())]
    );
    assert_eq!(row("Ps", "recv"), []);
    assert_eq!(row("Pa", "send"), [(0.0, third(2.0), m0.clone())]);
    assert_eq!(row("Pa", "recv"), [(1.0, 2.0, m0.clone())]);
    assert_eq!(row("Pb", "send"), [(third(2.0), 2.0, m1.clone())]);
    assert_eq!(row("P0", "recv"), [(0.0, third(2.0), m0)]);
    assert_eq!(row("P1", "recv"), [(third(2.0), 2.0, m1)]);
    let texts: Vec<&str> = elements
        .iter()
        .filter(|e| e.name == "text")
        .map(|e| e.text.as_str())
        .collect();
    for wanted in [
        "Scatter from Ps to 2 targets: one period",
        "0",
        "2/3",
        "1",
        "2",
        "m P0 ×1",
    ] {
        assert!(texts.contains(&wanted), "{wanted} in {texts:?}");
    }
    assert!(
        texts
            .iter()
            .any(|text| text.contains("period 2") && text.contains("throughput 1/2")),
        "{texts:?}"
    );
}

fn link(bar: &Bar) -> LinkId {
    match bar.activity {
        Activity::Transfer(link) => link,
        Activity::Merge { .. } => panic!("a merge in a scatter"),
    }
}

/// Joins pieces of the same link and message that touch.
fn merged(
    pieces: impl IntoIterator<Item = (LinkId, usize, Rational, Rational)>,
) -> Vec<(LinkId, usize, Rational, Rational)> {
    let mut pieces: Vec<_> = pieces.into_iter().collect();
    pieces.sort_by(|a, b| (a.0, &a.2).cmp(&(b.0, &b.2)));
    let mut merged: Vec<(LinkId, usize, Rational, Rational)> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if (last.0, last.1) == (piece.0, piece.1) && last.3 == piece.2 => {
                last.3 = piece.3
            }
            _ => merged.push(piece),
        }
    }
    merged
}

#[test]
fn bars_agree_with_the_copies_walked_one_by_one() {
    for seed in 0..40 {
        let mut sample = samples::random(3 + seed as usize % 12, seed, 1 + seed % 4);
        if seed % 2 == 0 {
            // The same demand in two patterns, in sequence: still one bar.
            let half = |scheduled: ScheduledPattern| [scheduled.clone(), scheduled];
            sample.schedule.patterns = sample
                .schedule
                .patterns
                .into_iter()
                .flat_map(half)
                .collect();
            for slot in sample.schedule.slots.iter_mut() {
                slot.length *= whole(2);
            }
        }
        for one in ["1", "3/7"] {
            // A smaller message leaves the end of every link's time idle.
            let bars = occupancy::of_period(
                &Problem::new(&sample.platform, &sample.collective, size(one)).unwrap(),
                &sample.schedule,
            );
            let naive = naive_pieces(&sample, &q(one)).into_iter().flat_map(
                |(link, demand, _, _, pieces)| {
                    pieces
                        .into_iter()
                        .map(move |(start, end)| (link, demand, start, end))
                },
            );
            let ours = bars.iter().map(|bar| {
                (
                    link(bar),
                    bar.message.demand,
                    bar.start.clone(),
                    bar.end.clone(),
                )
            });
            assert_eq!(ours.collect::<Vec<_>>(), merged(naive), "seed {seed}");
            let mut counts: BTreeMap<(LinkId, usize), Rational> = BTreeMap::new();
            for bar in &bars {
                let Note::Count(count) = &bar.note else {
                    panic!("a period's bars count messages")
                };
                *counts
                    .entry((link(bar), bar.message.demand))
                    .or_insert_with(Rational::zero) += count;
            }
            for scheduled in &sample.schedule.patterns {
                for link in scheduled.pattern.links() {
                    let copies = whole(scheduled.copies.clone());
                    *counts.get_mut(&(link, scheduled.pattern.demand)).unwrap() -= copies;
                }
            }
            assert!(
                counts.values().all(Zero::is_zero),
                "every copy is counted: {counts:?}"
            );
        }
    }
}

#[test]
fn every_bar_has_two_boxes_and_rows_are_as_long_as_their_ports_are_busy() {
    for seed in 0..25 {
        let sample = samples::random(3 + 2 * seed as usize, 100 + seed, 1 + seed % 3);
        let text = draw(&sample);
        assert_eq!(text, draw(&sample), "the same input gives the same bytes");
        let elements = parse(&text);
        assert_inside(&elements);
        let rows = boxes(&elements);
        let bars = occupancy::of_period(&sample.problem(), &sample.schedule);
        assert!(
            !text.contains("url(#hatch)"),
            "seed {seed}: this sample was meant to be easy"
        );
        assert_eq!(rows.values().map(Vec::len).sum::<usize>(), 2 * bars.len());
        let (_, width) = axis(&elements);
        let mut busy: BTreeMap<(String, String), Rational> = BTreeMap::new();
        for scheduled in &sample.schedule.patterns {
            for id in scheduled.pattern.links() {
                let link = sample.platform.link(id);
                let time = &link.cost * whole(scheduled.copies.clone());
                for (node, port) in [(link.from, "send"), (link.to, "recv")] {
                    let row = (sample.platform.name(node).to_string(), port.to_string());
                    *busy.entry(row).or_insert_with(Rational::zero) += &time;
                }
            }
        }
        assert!(busy.keys().all(|row| rows.contains_key(row)));
        for (row, boxes) in rows {
            let drawn: f64 = boxes.iter().map(|(left, right, _)| right - left).sum();
            let wanted = busy
                .get(&row)
                .map_or(0.0, |time| words::share(time, &sample.schedule.period))
                * width;
            assert!(
                (drawn - wanted).abs() <= 0.011 * (boxes.len() + 1) as f64,
                "{row:?}: {drawn} for {wanted}"
            );
            for pair in boxes.windows(2) {
                assert!(pair[0].1 <= pair[1].0 + 0.02, "boxes of {row:?} overlap");
            }
        }
    }
}

#[test]
fn labels_stay_inside_their_boxes() {
    let sample = samples::random(20, 4, 3);
    let elements = parse(&draw(&sample));
    let boxes: Vec<&Element> = elements
        .iter()
        .filter(|element| element.is("box"))
        .collect();
    let mut labels = 0;
    for element in elements.iter().filter(|element| element.name == "text") {
        let in_rows = element
            .parent
            .is_some_and(|p| elements[p].attributes.contains_key("pointer-events"));
        if in_rows {
            labels += 1;
            let (left, right) = super::parse::text_span(element);
            let y = element.number("y");
            let holds = |b: &&&Element| {
                b.number("x") <= left
                    && right <= b.number("x") + b.number("width")
                    && b.number("y") <= y - 0.7 * element.number("font-size")
                    && y <= b.number("y") + b.number("height")
            };
            assert!(boxes.iter().any(|b| holds(&b)), "{element:?}");
        }
    }
    assert!(labels > 20, "{labels} labels");
}

/// One sender and one receiver. `turns` messages of each of two kinds alternate.
fn chatter(turns: usize) -> (Platform, Collective, PeriodicSchedule) {
    let mut builder = Platform::builder();
    let hub = builder.node(Node::processor("hub", q("1"))).unwrap();
    let ends: Vec<NodeId> = (0..60)
        .map(|k| {
            builder
                .node(Node::processor(format!("leaf{k}"), q("1")))
                .unwrap()
        })
        .collect();
    let links: Vec<LinkId> = ends
        .iter()
        .map(|&end| builder.link(hub, end, q("1/3")).unwrap())
        .collect();
    let patterns: Vec<ScheduledPattern> = links
        .iter()
        .enumerate()
        .map(|(demand, &link)| ScheduledPattern {
            pattern: Pattern::path(demand, vec![link]),
            copies: (turns as u64).into(),
        })
        .collect();
    let slots: Vec<Slot> = (0..turns * links.len())
        .map(|slot| Slot {
            shares: Vec::new(),
            length: q("1/3"),
            links: vec![links[slot % links.len()]],
        })
        .collect();
    let period = whole(slots.len() as u64) / whole(3);
    let schedule = PeriodicSchedule {
        period,
        instances: (turns as u64).into(),
        patterns,
        slots,
    };
    (
        builder.build().unwrap(),
        Collective::scatter(hub, ends),
        schedule,
    )
}

#[test]
fn large_schedules_are_hatched_and_stay_small() {
    let (platform, collective, schedule) = chatter(1000);
    let text = gantt(
        &Problem::new(&platform, &collective, size("1")).unwrap(),
        &schedule,
    );
    assert!(text.len() < 5_000_000, "{} bytes", text.len());
    let elements = parse(&text);
    assert_inside(&elements);
    let rows = boxes(&elements);
    let hub = &rows[&("hub".to_string(), "send".to_string())];
    assert!(
        hub.iter()
            .any(|(.., title)| title.contains("short transfers")),
        "{hub:?}"
    );
    // The hub is never idle, so its boxes cover the axis, for all joins.
    let (_, width) = axis(&elements);
    let covered: f64 = hub.iter().map(|(left, right, _)| right - left).sum();
    assert!((covered - width).abs() < 1.0, "{covered} of {width}");
    // A tooltip counts the transfers that it hides: every transfer is accounted for.
    let count = |title: &String| {
        title
            .split(" short")
            .next()
            .and_then(|n| n.parse::<usize>().ok())
            .unwrap_or(1)
    };
    assert_eq!(
        hub.iter().map(|(.., title)| count(title)).sum::<usize>(),
        60_000
    );
}

#[test]
fn lanes_are_as_many_as_transfers_at_a_time() {
    let mut dice = Dice::new(5);
    for _ in 0..50 {
        let mut builder = Platform::builder();
        let hub = builder.node(Node::router("hub")).unwrap();
        let mut bars = Vec::new();
        for index in 0..12 {
            let end = builder.node(Node::router(format!("n{index}"))).unwrap();
            let link = builder.link(hub, end, q("1")).unwrap();
            let start = dice.below(10) as u64;
            let end = start + 1 + dice.below(4) as u64;
            let note = Note::Count(whole(1));
            let (activity, message) = (
                Activity::Transfer(link),
                Message {
                    demand: index,
                    part: Interval::single(0),
                },
            );
            bars.push(Bar {
                activity,
                message,
                start: whole(start),
                end: whole(end),
                note,
            });
        }
        let platform = builder.build().unwrap();
        let (rows, remarks) = rows::rows(&platform, &bars);
        let lanes = &rows.iter().find(|row| row.node == hub).unwrap().lanes;
        let x_of = |time: &Rational| {
            bars.iter()
                .filter(|bar| bar.start <= *time && *time < bar.end)
                .count()
        };
        assert_eq!(
            Some(lanes.len()),
            bars.iter().map(|bar| x_of(&bar.start)).max()
        );
        for pair in lanes.iter().flat_map(|lane| lane.windows(2)) {
            assert!(
                bars[pair[0]].end <= bars[pair[1]].start,
                "a lane does one thing at a time"
            );
        }
        assert_eq!(lanes.iter().map(Vec::len).sum::<usize>(), bars.len());
        assert!(!remarks.is_empty(), "13 nodes, no idle rows");
    }
}

#[test]
fn a_run_shows_every_instance_and_its_phases() {
    let sample = samples::toy();
    let run = samples::timeline(&sample, 5);
    let text = timeline_gantt(&sample.problem(), &run);
    let elements = parse(&text);
    assert_inside(&elements);
    let boxes = boxes(&elements);
    assert_eq!(
        boxes.values().map(Vec::len).sum::<usize>(),
        2 * run.events.len()
    );
    for instance in 0..5 {
        let tag = format!(" of instance {instance},");
        let count = boxes
            .values()
            .flatten()
            .filter(|(.., title)| title.contains(&tag))
            .count();
        assert_eq!(count, 8, "two messages, two links each, two ports each");
    }
    let (left, width) = axis(&elements);
    let phase = |label: &str| {
        let band = elements
            .iter()
            .find(|e| e.name == "rect" && e.title == label)
            .unwrap();
        let time = |x: f64| ((x - left) / width * 12.0 * 100.0).round() / 100.0;
        (
            time(band.number("x")),
            time(band.number("x") + band.number("width")),
        )
    };
    assert_eq!(phase("start-up"), (0.0, 2.0));
    assert_eq!(phase("steady state"), (2.0, 10.0));
    assert_eq!(phase("clean-up"), (10.0, 12.0));
    for sample in [samples::random(15, 3, 2), samples::random(40, 8, 1)] {
        let text = timeline_gantt(&sample.problem(), &samples::timeline(&sample, 12));
        assert_inside(&parse(&text));
    }
}

/// In the order of patterns the dates of single messages give the same drawing as the slots. In another order they do
/// not.
#[test]
fn a_period_is_drawn_by_its_dates() {
    for sample in [
        samples::toy(),
        samples::random(15, 3, 2),
        samples::random(40, 8, 1),
    ] {
        let mut period = samples::timeline(&sample, 1);
        for event in &mut period.events {
            let stage =
                (&event.pieces[0].0 / &sample.schedule.period).floor() * &sample.schedule.period;
            for date in event
                .pieces
                .iter_mut()
                .flat_map(|(start, end)| [start, end])
            {
                *date -= &stage;
            }
        }
        let drawn = |period: &oneport_plan::Timeline| {
            period_gantt(&sample.problem(), &sample.schedule, period)
        };
        assert!(drawn(&period) == gantt(&sample.problem(), &sample.schedule));
        for event in period.events.iter_mut() {
            event.message.demand = 0;
        }
        assert!(drawn(&period) != gantt(&sample.problem(), &sample.schedule));
    }
}

#[test]
fn a_run_too_short_for_a_steady_state_has_none() {
    let sample = samples::random(12, 6, 1);
    assert!(sample.schedule.depth() > 3, "a sample with long paths");
    let text = timeline_gantt(&sample.problem(), &samples::timeline(&sample, 2));
    let elements = parse(&text);
    let phase = |label: &str| {
        elements
            .iter()
            .find(|e| e.name == "rect" && e.title == label)
    };
    assert!(phase("steady state").is_none());
    let (start_up, clean_up) = (phase("start-up").unwrap(), phase("clean-up").unwrap());
    let end = start_up.number("x") + start_up.number("width");
    assert!(
        (end - clean_up.number("x")).abs() < 0.02,
        "clean-up begins when no more instances start"
    );
}

#[test]
fn names_are_escaped_and_come_back() {
    let mut builder = Platform::builder();
    let long = "very long name of a machine in the second room on the left, rack 17";
    let names = ["<&\"'é>", "a&amp;b", "机器 1", long];
    let ids: Vec<NodeId> = names
        .iter()
        .map(|&n| builder.node(Node::processor(n, q("1"))).unwrap())
        .collect();
    let links: Vec<LinkId> = (1..4)
        .map(|k| builder.duplex(ids[0], ids[k], q("1")).unwrap().0)
        .collect();
    let platform = builder.build().unwrap();
    let collective = Collective::all_to_all(ids.clone());
    let scheduled = |(demand, &link): (usize, &LinkId)| ScheduledPattern {
        pattern: Pattern::path(demand, vec![link]),
        copies: 1u32.into(),
    };
    let schedule = PeriodicSchedule {
        period: q("3"),
        instances: 1u32.into(),
        patterns: links.iter().enumerate().map(scheduled).collect(),
        slots: links
            .iter()
            .map(|&link| Slot {
                shares: Vec::new(),
                length: q("1"),
                links: vec![link],
            })
            .collect(),
    };
    let elements = parse(&gantt(
        &Problem::new(&platform, &collective, size("1")).unwrap(),
        &schedule,
    ));
    assert_inside(&elements);
    let rows = boxes(&elements);
    for name in names {
        assert!(rows.keys().any(|(node, _)| node == name), "{name}");
        assert!(
            elements.iter().any(|e| e.name == "g" && e.title == name),
            "the tooltip has the whole name"
        );
    }
    assert!(elements.iter().any(|e| e.text == "<&\"'é>→a&amp;b ×1"));
}

#[test]
fn what_does_not_fit_together_is_no_panic() {
    let sample = samples::toy();
    let foreign = LinkId::new(999);
    let mut schedule = sample.schedule.clone();
    schedule.patterns[0].pattern = Pattern::path(77, vec![foreign, LinkId::new(0)]);
    schedule.slots[0].links.push(foreign);
    schedule.slots[1].length = q("-1");
    let participants: Vec<NodeId> = sample.platform.processors().collect();
    let collective = Collective::gather(participants[1], vec![participants[0]]);
    for one in ["1", "7/3"] {
        assert_inside(&parse(&gantt(
            &Problem::new(&sample.platform, &collective, size(one)).unwrap(),
            &schedule,
        )));
    }
    let nothing = PeriodicSchedule {
        period: q("0"),
        instances: 0u32.into(),
        patterns: vec![],
        slots: vec![],
    };
    let text = gantt(
        &Problem::new(&sample.platform, &sample.collective, size("1")).unwrap(),
        &nothing,
    );
    assert!(
        parse(&text)
            .iter()
            .any(|element| element.text == "nothing is sent")
    );
    let mut run = samples::timeline(&sample, 2);
    run.events[0].link = foreign;
    (run.starting_periods, run.clean_up_periods) = (u64::MAX, u64::MAX);
    parse(&timeline_gantt(&sample.problem(), &run));
}
