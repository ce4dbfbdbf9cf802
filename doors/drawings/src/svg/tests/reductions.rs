//! Reductions in charts and graphs.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_plan::{
    Amount, Collective, Event, Interval, MergeEvent, Message, Pattern, PeriodicSchedule, Problem,
    ScheduledPattern, Slot, SteadyState, Task, Timeline, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_testkit::Dice;

use super::parse::{Element, assert_inside, parse};
use super::samples::{q, whole};
use crate::svg::gantt::occupancy::{self, Activity};
use crate::svg::{gantt, graph, timeline_gantt};
use crate::words::Messages;

/// A reduction with complete trees and a schedule.
pub(super) struct Reduction {
    pub platform: Platform,
    pub collective: Collective,
    pub volumes: Volumes,
    pub trees: Vec<(Pattern, u32)>,
    pub schedule: PeriodicSchedule,
}

impl Reduction {
    pub(super) fn problem(&self) -> Problem {
        Problem::new(&self.platform, &self.collective, &self.volumes).unwrap()
    }
}

pub(super) fn part(first: usize, last: usize) -> Interval {
    Interval { first, last }
}

/// The example of RR-4872, figure 6: two trees, three reductions in period 3.
pub(super) fn figure_6() -> Reduction {
    let mut builder = Platform::builder();
    let mut node = |name, compute| builder.node(Node::processor(name, q(compute))).unwrap();
    let (p0, p1, p2) = (node("P0", "1/2"), node("P1", "1"), node("P2", "1"));
    let (there, back) = builder.duplex(p1, p2, q("1")).unwrap();
    let (left, right) = (
        builder.link(p1, p0, q("1")).unwrap(),
        builder.link(p2, p0, q("1")).unwrap(),
    );
    let tree = |given, owner, at, result| {
        let tasks = vec![
            Task::send(given, part(owner, owner)),
            Task::merge(at, part(1, 2), 1),
            Task::send(result, part(1, 2)),
            Task::merge(p0, part(0, 2), 0),
        ];
        Pattern::tree(0, None, tasks)
    };
    let slot = |length, links: &[LinkId]| Slot {
        shares: Vec::new(),
        length: q(length),
        links: links.to_vec(),
    };
    Reduction {
        platform: builder.build().unwrap(),
        collective: Collective::reduce(p0, vec![p0, p1, p2]).in_order(),
        volumes: Volumes::of_size(q("1")),
        trees: vec![(tree(there, 1, p2, right), 2), (tree(back, 2, p1, left), 1)],
        schedule: PeriodicSchedule {
            period: q("3"),
            instances: 3u32.into(),
            patterns: Vec::new(),
            slots: vec![slot("2", &[there, right]), slot("1", &[back, left])],
        },
    }
    .scheduled()
}

/// Random trees of random shapes among hosts around a router. One link is busy at a time.
pub(super) fn random(hosts: usize, seed: u64, trees: usize) -> Reduction {
    let mut dice = Dice::new(seed);
    let mut builder = Platform::builder();
    let hub = builder.node(Node::router("hub")).unwrap();
    let costs = ["1", "2/3", "1/2", "4/3"];
    let mut ids = Vec::new();
    let (mut out, mut back) = (BTreeMap::new(), BTreeMap::new());
    for index in 0..hosts {
        let id = builder
            .node(Node::processor(
                format!("h{index}"),
                q(costs[dice.below(4)]),
            ))
            .unwrap();
        out.insert(id, builder.link(id, hub, q(costs[dice.below(4)])).unwrap());
        back.insert(id, builder.link(hub, id, q(costs[dice.below(4)])).unwrap());
        ids.push(id);
    }
    let collective = if dice.below(2) == 0 {
        Collective::reduce(ids[0], ids.clone()).in_order()
    } else {
        Collective::reduce_scatter(ids.clone())
    };
    let mut builds = Vec::new();
    for _ in 0..trees {
        let demand = dice.below(collective.demands());
        let mut order: Vec<usize> = (0..hosts).collect();
        if collective.is_commutative() {
            order.rotate_left(dice.below(hosts));
        }
        let owners: Vec<NodeId> = order.iter().map(|&owner| ids[owner]).collect();
        let mut tasks = Vec::new();
        let mut send = |from: NodeId, to: NodeId, part, tasks: &mut Vec<Task>| {
            if from != to {
                tasks.extend([out[&from], back[&to]].map(|link| Task::send(link, part)));
            }
        };
        let end = grow(
            &owners,
            part(0, hosts - 1),
            &mut dice,
            &mut send,
            &mut tasks,
        );
        send(
            end,
            collective.demand(demand).unwrap().targets()[0],
            part(0, hosts - 1),
            &mut tasks,
        );
        let order = collective.is_commutative().then_some(order);
        builds.push((
            Pattern::tree(demand, order, tasks),
            1 + dice.below(3) as u32,
        ));
    }
    let size = Amount::Affine {
        fixed: q("1"),
        per_operand: q("1/3"),
    };
    let table = (0..hosts)
        .map(|first| {
            (first..hosts)
                .map(|last| whole((1 + last) as u64))
                .collect()
        })
        .collect();
    let work = if collective.is_commutative() {
        Amount::Constant(q("2/5"))
    } else {
        Amount::Table(table)
    };
    let platform = builder.build().unwrap();
    let schedule = PeriodicSchedule {
        period: q("0"),
        instances: 1u32.into(),
        patterns: Vec::new(),
        slots: Vec::new(),
    };
    let mut sample = Reduction {
        platform,
        collective,
        volumes: Volumes { size, work },
        trees: builds,
        schedule,
    }
    .scheduled();
    sample.schedule.slots = sample.one_link_at_a_time();
    sample.schedule.period = sample.schedule.slots.iter().map(|slot| &slot.length).sum();
    sample
}

/// The tasks of a random tree over the operands, and the node of its result.
fn grow(
    owners: &[NodeId],
    whole: Interval,
    dice: &mut Dice,
    send: &mut impl FnMut(NodeId, NodeId, Interval, &mut Vec<Task>),
    tasks: &mut Vec<Task>,
) -> NodeId {
    if whole.first == whole.last {
        return owners[whole.first];
    }
    let split = whole.first + dice.below(whole.last - whole.first);
    let node = owners[dice.below(owners.len())];
    for input in [part(whole.first, split), part(split + 1, whole.last)] {
        let at = grow(owners, input, dice, send, tasks);
        send(at, node, input, tasks);
    }
    tasks.push(Task::merge(node, whole, split));
    node
}

impl Reduction {
    fn scheduled(mut self) -> Self {
        let scheduled = |(tree, copies): &(Pattern, u32)| ScheduledPattern {
            pattern: tree.clone(),
            copies: (*copies).into(),
        };
        self.schedule.patterns = self.trees.iter().map(scheduled).collect();
        self
    }

    fn one_link_at_a_time(&self) -> Vec<Slot> {
        let mut times: BTreeMap<LinkId, Rational> = BTreeMap::new();
        for (tree, copies) in &self.trees {
            for task in &tree.tasks {
                if let Task::Send { link, part, .. } = task {
                    let time =
                        self.volumes.size.of(*part).unwrap() * &self.platform.link(*link).cost;
                    *times.entry(*link).or_default() += time * whole(u64::from(*copies));
                }
            }
        }
        times
            .into_iter()
            .map(|(link, length)| Slot {
                shares: Vec::new(),
                length,
                links: vec![link],
            })
            .collect()
    }

    pub(super) fn steady_state(&self) -> SteadyState {
        let weighted = |(tree, copies): &(Pattern, u32)| WeightedPattern {
            pattern: tree.clone(),
            weight: whole(u64::from(*copies)) / &self.schedule.period,
        };
        SteadyState {
            throughput: q("1"),
            patterns: self.trees.iter().map(weighted).collect(),
        }
    }
}

/// Node, and "send", "recv" or "comp".
type RowName = (String, String);
/// Left, right, tooltip.
type Box = (f64, f64, String);

/// The boxes of each row.
fn boxes(elements: &[Element]) -> BTreeMap<RowName, Vec<Box>> {
    let mut rows: BTreeMap<RowName, Vec<Box>> = BTreeMap::new();
    for element in elements.iter().filter(|element| element.is("box")) {
        let row = &elements[element.parent.unwrap()].attributes;
        let drawn = (
            element.number("x"),
            element.number("x") + element.number("width"),
            element.title.clone(),
        );
        rows.entry((row["data-node"].clone(), row["data-port"].clone()))
            .or_default()
            .push(drawn);
    }
    rows
}

#[test]
fn figure_6_is_drawn_as_the_paper_has_it() {
    let sample = figure_6();
    let text = gantt(&sample.problem(), &sample.schedule);
    let elements = parse(&text);
    assert_inside(&elements);
    let rows = boxes(&elements);
    let titles = |node: &str, port: &str| -> Vec<&str> {
        let row = rows.get(&(node.to_string(), port.to_string()));
        row.map(|row| row.iter().map(|(.., title)| title.as_str()).collect())
            .unwrap_or_default()
    };
    assert_eq!(
        titles("P0", "comp"),
        ["v[0,2] ×3, v[0,2] of v0 and v[1,2] at P0, 0 to 3/2"]
    );
    assert_eq!(
        titles("P1", "comp"),
        ["v[1,2] ×1, v[1,2] of v1 and v2 at P1, 0 to 1"]
    );
    assert_eq!(
        titles("P2", "comp"),
        ["v[1,2] ×2, v[1,2] of v1 and v2 at P2, 0 to 2"]
    );
    assert_eq!(
        titles("P1", "send"),
        ["v1 ×2, P1 → P2, 0 to 2", "v[1,2] ×1, P1 → P0, 2 to 3"]
    );
    assert_eq!(
        titles("P0", "recv"),
        ["v[1,2] ×2, P2 → P0, 0 to 2", "v[1,2] ×1, P1 → P0, 2 to 3"]
    );
    assert_eq!(titles("P0", "send"), Vec::<&str>::new());
    for wanted in [
        "Reduce to P0 of 3 values: one period",
        "v[0,2] ×3",
        "comp",
        "v[1,2]",
        "v1",
    ]
    .into_iter()
    .chain(["v0 of P0, v1 of P1, v2 of P2"])
    {
        assert!(
            elements
                .iter()
                .any(|e| e.name == "text" && e.text == wanted),
            "{wanted}"
        );
    }
}

/// One activity: its kind, its message, its start and its end.
type Piece = (Activity, Message, Rational, Rational);

/// The naive twin: every copy of every task on its own, stage by stage, link by link and processor by processor.
fn naive_pieces(sample: &Reduction) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut starts: BTreeMap<LinkId, Rational> = BTreeMap::new();
    let mut start = Rational::zero();
    for slot in &sample.schedule.slots {
        starts.insert(slot.links[0], start.clone());
        start += &slot.length;
    }
    let mut clocks: BTreeMap<NodeId, Rational> = BTreeMap::new();
    for (tree, copies) in &sample.trees {
        let stages = stages(tree);
        for stage in 0..=*stages.iter().max().unwrap() {
            for (task, _) in tree
                .tasks
                .iter()
                .zip(&stages)
                .filter(|(_, own)| **own == stage)
            {
                for _ in 0..*copies {
                    let message = |part| Message {
                        demand: tree.demand,
                        part,
                    };
                    let (clock, activity, part, time) = match *task {
                        Task::Send { link, part, .. } => {
                            let time = sample.volumes.size.of(part).unwrap()
                                * &sample.platform.link(link).cost;
                            (
                                starts.get_mut(&link).unwrap(),
                                Activity::Transfer(link),
                                part,
                                time,
                            )
                        }
                        Task::Merge {
                            node, part, split, ..
                        } => {
                            let compute = sample.platform.node(node).compute.clone().unwrap();
                            let time = sample.volumes.work.of(part).unwrap() * compute;
                            (
                                clocks.entry(node).or_default(),
                                Activity::Merge { node, split },
                                part,
                                time,
                            )
                        }
                    };
                    let start = clock.clone();
                    *clock += time;
                    pieces.push((activity, message(part), start, clock.clone()));
                }
            }
        }
    }
    pieces
}

/// One later than the latest task that makes or moves an input, by searching back through the list.
fn stages(tree: &Pattern) -> Vec<usize> {
    let mut stages: Vec<usize> = Vec::new();
    for (index, task) in tree.tasks.iter().enumerate() {
        let inputs = match *task {
            Task::Send { part, .. } => vec![part],
            Task::Merge {
                part: made, split, ..
            } => vec![part(made.first, split), part(split + 1, made.last)],
        };
        let makes = |earlier: &Task| match earlier {
            Task::Send { part, .. } | Task::Merge { part, .. } => inputs.contains(part),
        };
        let before = (0..index)
            .filter(|&earlier| makes(&tree.tasks[earlier]))
            .map(|earlier| stages[earlier] + 1);
        stages.push(before.max().unwrap_or(0));
    }
    stages
}

/// Joins pieces of the same row and message that touch.
fn merged(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by(|a, b| (a.0, &a.2).cmp(&(b.0, &b.2)));
    let mut merged: Vec<Piece> = Vec::new();
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
        let sample = random(2 + seed as usize % 7, seed, 1 + seed as usize % 4);
        let bars = occupancy::of_period(&sample.problem(), &sample.schedule);
        let ours = bars
            .iter()
            .map(|bar| {
                (
                    bar.activity,
                    bar.message,
                    bar.start.clone(),
                    bar.end.clone(),
                )
            })
            .collect();
        assert_eq!(merged(ours), merged(naive_pieces(&sample)), "seed {seed}");
        let text = gantt(&sample.problem(), &sample.schedule);
        let elements = parse(&text);
        assert_inside(&elements);
        let merges = bars
            .iter()
            .filter(|bar| matches!(bar.activity, Activity::Merge { .. }))
            .count();
        let rows = boxes(&elements);
        let drawn: usize = rows
            .iter()
            .filter(|(row, _)| row.1 == "comp")
            .map(|(_, boxes)| boxes.len())
            .sum();
        assert_eq!(drawn, merges, "seed {seed}");
        assert_eq!(
            rows.values().map(Vec::len).sum::<usize>(),
            2 * bars.len() - merges,
            "seed {seed}"
        );
        // If all trees number the operands equally, their owners are named.
        let own: Vec<usize> = (0..sample.collective.demand(0).unwrap().operands.len()).collect();
        let order =
            |one: &ScheduledPattern| one.pattern.order.clone().unwrap_or_else(|| own.clone());
        let orders: BTreeSet<Vec<usize>> = sample.schedule.patterns.iter().map(order).collect();
        let told = elements.iter().any(|e| e.text.starts_with("v0 of "));
        assert_eq!(told, orders.len() == 1, "seed {seed}");
        let note = elements
            .iter()
            .any(|e| e.text.contains("in the order of its own tree"));
        assert_eq!(
            note,
            sample.collective.is_commutative() && !told,
            "seed {seed}"
        );
    }
}

#[test]
fn a_run_shows_merges_with_their_instances() {
    let sample = figure_6();
    let message = |first, last| Message {
        demand: 0,
        part: part(first, last),
    };
    let transfer = |instance, message, link, start: &str, end: &str| {
        let pieces = vec![(q(start), q(end))];
        Event {
            instance,
            message,
            link: LinkId::new(link),
            pieces,
        }
    };
    let merge = |instance, message, split, node, start: &str, end: &str| {
        let node = NodeId::new(node);
        MergeEvent {
            instance,
            message,
            split,
            node,
            start: q(start),
            end: q(end),
        }
    };
    let run = Timeline {
        period: q("3"),
        starting_periods: 1,
        instances_per_period: 3,
        clean_up_periods: 3,
        eager: false,
        events: vec![
            transfer(0, message(1, 1), 0, "0", "1"),
            transfer(0, message(1, 2), 3, "6", "7"),
        ],
        merges: vec![
            merge(0, message(1, 2), 1, 2, "3", "5"),
            merge(0, message(0, 2), 0, 0, "9", "19/2"),
            merge(1, message(0, 2), 0, 99, "9", "9"),
        ],
    };
    let elements = parse(&timeline_gantt(&sample.problem(), &run));
    assert_inside(&elements);
    let rows = boxes(&elements);
    let row = |node: &str| rows[&(node.to_string(), "comp".to_string())][0].2.clone();
    assert_eq!(
        row("P2"),
        "v[1,2] of instance 0, v[1,2] of v1 and v2 at P2, 3 to 5"
    );
    assert_eq!(
        row("P0"),
        "v[0,2] of instance 0, v[0,2] of v0 and v[1,2] at P0, 9 to 19/2"
    );
    assert_eq!(
        rows.values().map(Vec::len).sum::<usize>(),
        6,
        "a merge that takes no time has no box"
    );
    assert!(elements.iter().any(|e| e.text == "v[1,2] #0"));
}

#[test]
fn graphs_show_how_long_processors_compute() {
    let sample = figure_6();
    let state = sample.steady_state();
    let text = graph(&sample.problem(), Some(&state), None);
    let elements = parse(&text);
    assert_inside(&elements);
    let node = |name: &str| {
        elements
            .iter()
            .find(|e| e.is("node") && e.title.starts_with(name))
            .unwrap()
            .title
            .clone()
    };
    let p0 = "P0: target and participant, compute 1/2, receives 1 of the time, computes 1/2 of the time; \
              per unit of time v[0,2] ×1";
    assert_eq!(node("P0"), p0);
    assert!(
        node("P2").contains("participant, compute 1, sends 1 of the time, receives 2/3"),
        "{}",
        node("P2")
    );
    assert!(
        node("P2").ends_with("computes 2/3 of the time; per unit of time v[1,2] ×2/3"),
        "{}",
        node("P2")
    );
    let link = elements
        .iter()
        .find(|e| e.is("link") && e.title.starts_with("P2 → P0"))
        .unwrap();
    assert_eq!(
        link.title,
        "P2 → P0: cost 1, busy 2/3 of the time; per unit of time v[1,2] ×2/3"
    );
    for wanted in [
        "target and participant",
        "participant",
        "ring: share of time computing",
    ] {
        assert!(elements.iter().any(|e| e.text == wanted), "{wanted}");
    }
    let alone = parse(&graph(&sample.problem(), None, None));
    assert!(!alone.iter().any(|e| e.text.contains("ring")));
}

#[test]
fn shares_of_graphs_add_up() {
    for seed in 0..20 {
        let sample = random(2 + seed as usize % 9, 70 + seed, 3);
        let state = sample.steady_state();
        let elements = parse(&graph(&sample.problem(), Some(&state), None));
        assert_inside(&elements);
        let mut busy: BTreeMap<NodeId, Rational> = BTreeMap::new();
        for (activity, _, start, end) in naive_pieces(&sample) {
            if let Activity::Merge { node, .. } = activity {
                *busy.entry(node).or_default() += (end - start) / &sample.schedule.period;
            }
        }
        for node in sample.platform.node_ids() {
            let name = format!("{}: ", sample.platform.name(node));
            let title = &elements
                .iter()
                .find(|e| e.is("node") && e.title.starts_with(&name))
                .unwrap()
                .title;
            let wanted = busy
                .get(&node)
                .map(|share| format!("computes {} of", crate::words::show(share)));
            match wanted {
                Some(wanted) => assert!(title.contains(&wanted), "{title}: {wanted}"),
                None => assert!(!title.contains("computes"), "{title}"),
            }
        }
    }
}

/// Every partial result of a reduction has a separate colour, the first ones in order of their length.
#[test]
fn partial_results_have_their_colours() {
    let mut builder = Platform::builder();
    for name in 0..8 {
        builder
            .node(Node::processor(format!("P{name}"), q("1")))
            .unwrap();
    }
    let platform = builder.build().unwrap();
    for count in 2..9 {
        let participants: Vec<NodeId> = (0..count).map(NodeId::new).collect();
        let collective = Collective::reduce(NodeId::new(0), participants).in_order();
        let messages = Messages::new(&platform, &collective);
        let mut intervals: Vec<Interval> = (0..count)
            .flat_map(|first| (first..count).map(move |last| part(first, last)))
            .collect();
        intervals.sort_by_key(|part| (part.last - part.first, part.first));
        for (index, &part) in intervals.iter().enumerate() {
            assert_eq!(
                messages.category(Message { demand: 0, part }),
                index,
                "{part:?} of {count}"
            );
        }
    }
}

#[test]
fn what_does_not_fit_together_is_no_panic() {
    let mut sample = random(4, 3, 2);
    let most = usize::MAX - 1;
    for tree in &mut sample.trees {
        tree.0.demand = most;
        tree.0.tasks.extend([
            Task::send(LinkId::new(999), part(7, 3)),
            Task::send(LinkId::new(0), part(most, most)),
            Task::merge(NodeId::new(999), part(0, most), 2),
            Task::merge(NodeId::new(0), part(5, 1), most - 1),
        ]);
    }
    let sample = sample.scheduled();
    parse(&gantt(&sample.problem(), &sample.schedule));
    parse(&graph(
        &sample.problem(),
        Some(&sample.steady_state()),
        None,
    ));
}
