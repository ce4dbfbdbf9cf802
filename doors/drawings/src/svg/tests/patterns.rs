//! Arborescences, paths and schemes.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Collective, Interval, Member, Pattern, Problem, Task};
use oneport_platform::{LinkId, Node, NodeId, Platform};
use oneport_testkit::Dice;

use super::parse::{Element, assert_edges_pass_beside, assert_inside, parse};
use super::samples::{q, size};
use crate::dot;
use crate::svg::pattern;
use crate::words;

/// A random tree of processors, routers and switches, every link in one direction, and the arborescence that spans it.
fn random(nodes: usize, seed: u64) -> (Platform, Collective, Pattern) {
    let mut dice = Dice::new(seed);
    let mut builder = Platform::builder();
    let mut hops: Vec<(LinkId, Option<u32>)> = Vec::new();
    let mut targets = Vec::new();
    let mut used = BTreeSet::new();
    builder.node(Node::processor("source", q("1"))).unwrap();
    for index in 1..nodes {
        let name = format!("node{index}");
        let node = match dice.below(4) {
            0 => Node::router(name),
            1 => Node {
                replicates: false,
                ..Node::router(name)
            },
            _ => Node::processor(name, q("1")),
        };
        // The last one is a target if no other is.
        let node = if targets.is_empty() && index + 1 == nodes {
            Node::processor(node.name, q("1"))
        } else {
            node
        };
        let is_processor = node.is_processor();
        let id = builder.node(node).unwrap();
        if is_processor && dice.below(3) > 0 {
            targets.push(id);
        }
        let mut parent = dice.below(index);
        // A switch passes on one copy.
        if !used.insert(parent) {
            parent = 0;
        }
        let cost = q(["1", "2/3", "5", "22/7"][dice.below(4)]);
        let link = builder.link(NodeId::new(parent), id, cost).unwrap();
        hops.push((link, parent.checked_sub(1).map(|hop| hop as u32)));
    }
    if targets.is_empty() {
        targets.push(NodeId::new(nodes - 1));
    }
    let collective = Collective::broadcast(NodeId::new(0), targets);
    (
        builder.build().unwrap(),
        collective,
        Pattern::arborescence(0, hops),
    )
}

/// The vertical middle of a mark.
fn middle(element: &Element) -> f64 {
    match element.name.as_str() {
        "rect" => element.number("y") + element.number("height") / 2.0,
        _ => {
            let ys = element.attributes["d"].trim_matches(['M', 'Z']).split('L');
            let ys: Vec<f64> = ys
                .map(|point| point.split_once(' ').unwrap().1.parse().unwrap())
                .collect();
            ys.iter().sum::<f64>() / ys.len() as f64
        }
    }
}

#[test]
fn every_copy_of_an_arborescence_stands_below_the_one_it_is_made_of() {
    for seed in 0..40 {
        let (platform, collective, tree) = random(2 + seed as usize % 20, seed);
        let volumes = size("3/2");
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let all = tree.clone();
        let text = pattern(&problem, &all, Some(&q("1/7")));
        assert_eq!(text, pattern(&problem, &all, Some(&q("1/7"))));
        let elements = parse(&text);
        assert_inside(&elements);
        let targets = collective.cast()[1];
        let mut stages: Vec<usize> = Vec::new();
        let mut heights: BTreeMap<usize, f64> = BTreeMap::new();
        let marks: BTreeMap<&str, &Element> = elements
            .iter()
            .filter(|e| {
                ["target", "relay", "router", "switch"]
                    .iter()
                    .any(|class| e.is(class))
            })
            .map(|element| (element.title.as_str(), element))
            .collect();
        assert_eq!(marks.len(), tree.tasks.len());
        for (task, link) in tree.tasks.iter().zip(tree.links()) {
            let stage = task.inputs().next().map_or(0, |after| stages[after] + 1);
            stages.push(stage);
            let link = platform.link(link);
            let node = platform.node(link.to);
            let (class, role) = match (
                targets.contains(&link.to),
                node.is_processor(),
                node.replicates,
            ) {
                (true, ..) => ("target", "target"),
                (_, true, _) => ("relay", "other processor"),
                (_, _, true) => ("router", "router (forwards only)"),
                _ => ("switch", "switch (forwards only, does not copy)"),
            };
            let (from, to) = (platform.name(link.from), platform.name(link.to));
            let time = words::show(&(&link.cost * q("3/2")));
            let mark =
                marks[format!("{from} → {to} (time {time}), stage {stage}: {role}").as_str()];
            assert!(mark.is(class), "{class}");
            let height = *heights.entry(stage).or_insert_with(|| middle(mark));
            assert!((height - middle(mark)).abs() < 0.1, "one height per stage");
        }
        assert!(
            heights
                .values()
                .collect::<Vec<_>>()
                .windows(2)
                .all(|pair| pair[0] + 20.0 < *pair[1])
        );
        assert_eq!(elements.iter().filter(|e| e.is("source")).count(), 1);
        assert_eq!(
            elements.iter().filter(|e| e.is("hop")).count(),
            tree.tasks.len()
        );
        no_overlap(&elements, &["source", "target", "relay", "router"]);
        assert_edges_pass_beside(
            &elements,
            &["hop"],
            &["source", "target", "relay", "router"],
        );
        let drawn = dot::pattern(&problem, &all, None);
        assert_eq!(drawn.matches(" -> ").count(), tree.tasks.len());
        let reached = stages.len() - marks.values().filter(|mark| !mark.is("target")).count();
        assert_eq!(drawn.matches("peripheries=2").count(), reached);
        assert_eq!(drawn.matches('"').count() % 2, 0);
    }
}

fn no_overlap(elements: &[Element], classes: &[&str]) {
    let rect = |e: &Element| {
        let (x, y) = (e.number("x"), e.number("y"));
        (x, y, x + e.number("width"), y + e.number("height"))
    };
    let boxes: Vec<_> = elements
        .iter()
        .filter(|e| e.name == "rect" && classes.iter().any(|c| e.is(c)))
        .map(rect)
        .collect();
    for (index, a) in boxes.iter().enumerate() {
        for b in &boxes[index + 1..] {
            assert!(
                a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1,
                "{a:?} {b:?}"
            );
        }
    }
}

/// A star around a switch.
fn star(leaves: usize) -> Platform {
    let mut builder = Platform::builder();
    let hub = builder
        .node(Node {
            replicates: false,
            ..Node::router("hub")
        })
        .unwrap();
    for leaf in 0..leaves {
        let leaf = builder
            .node(Node::processor(format!("P{leaf}"), q("1/2")))
            .unwrap();
        builder.duplex(leaf, hub, q("1")).unwrap();
    }
    builder.build().unwrap()
}

struct Writer<'a> {
    platform: &'a Platform,
    tasks: Vec<Task>,
}

impl Writer<'_> {
    /// Over the switch, from leaf to leaf.
    fn send(
        &mut self,
        from: usize,
        to: usize,
        part: (usize, usize),
        mut after: Option<u32>,
    ) -> Option<u32> {
        let hops = [(from + 1, 0), (0, to + 1)];
        for (from, to) in hops {
            let link = self
                .platform
                .link_between(NodeId::new(from), NodeId::new(to))
                .unwrap();
            self.tasks.push(Task::Send {
                link,
                part: Interval {
                    first: part.0,
                    last: part.1,
                },
                after,
            });
            after = Some(self.tasks.len() as u32 - 1);
        }
        after
    }

    fn merge(
        &mut self,
        at: usize,
        part: (usize, usize),
        split: usize,
        left: Option<u32>,
        right: Option<u32>,
    ) -> Option<u32> {
        let part = Interval {
            first: part.0,
            last: part.1,
        };
        self.tasks.push(Task::Merge {
            node: NodeId::new(at + 1),
            part,
            split,
            left,
            right,
        });
        Some(self.tasks.len() as u32 - 1)
    }
}

/// A chain: each processor adds its value. For an all-reduce, the last one then sends the result to all others.
fn chain(platform: &Platform, count: usize, tell: bool) -> Pattern {
    let mut writer = Writer {
        platform,
        tasks: Vec::new(),
    };
    let mut last = None;
    for at in 1..count {
        let brought = writer.send(at - 1, at, (0, at - 1), last);
        last = writer.merge(at, (0, at), at - 1, brought, None);
    }
    for at in (0..count - 1).filter(|_| tell) {
        writer.send(count - 1, at, (0, count - 1), last);
    }
    Pattern {
        demand: 0,
        order: None,
        tasks: writer.tasks,
    }
}

#[test]
fn a_scheme_shows_every_task_and_what_is_wanted() {
    for count in 2..12 {
        let platform = star(count);
        let participants: Vec<NodeId> = (1..=count).map(NodeId::new).collect();
        for (collective, tell) in [
            (
                Collective::all_reduce(participants.clone()).in_order(),
                true,
            ),
            (Collective::scan(participants), false),
        ] {
            let scheme = chain(&platform, count, tell);
            let all = scheme.clone();
            let text = pattern(
                &Problem::new(&platform, &collective, size("1")).unwrap(),
                &all,
                None,
            );
            assert_eq!(
                text,
                pattern(
                    &Problem::new(&platform, &collective, size("1")).unwrap(),
                    &all,
                    None
                )
            );
            let elements = parse(&text);
            assert_inside(&elements);
            let count_of = |class: &str| elements.iter().filter(|e| e.is(class)).count();
            let merges = count - 1;
            assert_eq!((count_of("value"), count_of("merge")), (count, merges));
            assert_eq!(count_of("arrival"), scheme.tasks.len() - merges);
            assert_eq!(
                (count_of("sent"), count_of("used")),
                (scheme.tasks.len() - merges, 2 * merges)
            );
            let bold: Vec<&str> = elements
                .iter()
                .filter(|e| {
                    ["value", "merge", "arrival"]
                        .iter()
                        .any(|class| e.is(class))
                })
                .filter(|e| e.number("stroke-width") > 2.0)
                .map(|e| e.title.as_str())
                .collect();
            assert_eq!(bold.len(), count, "{bold:?}");
            assert!(bold.iter().all(|title| title.ends_with("; wanted here")));
            no_overlap(&elements, &["value", "merge", "arrival"]);
            assert_edges_pass_beside(&elements, &["sent", "used"], &["value", "merge", "arrival"]);
            let drawn = dot::pattern(
                &Problem::new(&platform, &collective, size("1")).unwrap(),
                &all,
                None,
            );
            assert_eq!(drawn.matches(" -> ").count(), scheme.tasks.len() + merges);
            assert_eq!(drawn.matches("peripheries=2").count(), count);
            assert_eq!(drawn.matches("style=dashed").count(), 2 * merges);
        }
    }
}

/// An invalid pattern is drawn too.
#[test]
fn nonsense_is_drawn() {
    let mut dice = Dice::new(77);
    let platform = star(4);
    let participants: Vec<NodeId> = (1..=4).map(NodeId::new).collect();
    let collectives = [
        Collective::all_reduce(participants.clone()),
        Collective::scan(participants.clone()),
        Collective::broadcast(participants[0], participants[1..].to_vec()),
        Collective::scatter(participants[0], participants[1..].to_vec()),
        Collective::Groups(vec![Member {
            collective: Collective::scan(participants.clone()),
            rate: 2,
        }]),
    ];
    for round in 0..200 {
        let collective = &collectives[round % collectives.len()];
        let mut any = |bound: usize| (dice.below(4) > 0).then(|| dice.below(bound));
        let patterns: Vec<Pattern> = vec![
            Pattern::path(
                any(3).unwrap_or(9),
                (0..4).map(|_| LinkId::new(any(8).unwrap_or(999))),
            ),
            Pattern::arborescence(
                any(2).unwrap_or(usize::MAX),
                (0..6).map(|_| {
                    (
                        LinkId::new(any(8).unwrap_or(999)),
                        any(7).map(|after| after as u32),
                    )
                }),
            ),
            Pattern {
                demand: any(2).unwrap_or(usize::MAX),
                order: any(3).map(|first| vec![first, 0, usize::MAX]),
                tasks: (0..8)
                    .map(|_| {
                        let part = Interval {
                            first: any(4).unwrap_or(usize::MAX),
                            last: any(4).unwrap_or(usize::MAX),
                        };
                        if any(2) == Some(1) {
                            Task::Send {
                                link: LinkId::new(any(8).unwrap_or(999)),
                                part,
                                after: any(9).map(|after| after as u32),
                            }
                        } else {
                            let node = NodeId::new(any(5).unwrap_or(999));
                            let split = any(4).unwrap_or(usize::MAX);
                            let [left, right] =
                                [any(9), any(9)].map(|input| input.map(|input| input as u32));
                            Task::Merge {
                                node,
                                part,
                                split,
                                left,
                                right,
                            }
                        }
                    })
                    .collect(),
            },
        ];
        for one in &patterns {
            assert_inside(&parse(&pattern(
                &Problem::new(&platform, collective, size("1")).unwrap(),
                one,
                None,
            )));
            assert!(
                dot::pattern(
                    &Problem::new(&platform, collective, size("1")).unwrap(),
                    one,
                    None
                )
                .ends_with("}\n")
            );
        }
    }
}
