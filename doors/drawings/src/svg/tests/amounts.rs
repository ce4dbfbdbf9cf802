//! Labels of links and nodes: the papers' variables, if there is room, and tooltips that have them all.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Collective, Pattern, Problem, SteadyState, Task, WeightedPattern};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational, whole};

use super::graphs::{labels, nodes};
use super::parse::{Element, assert_inside, parse};
use super::reductions::{Reduction, figure_6, random};
use super::samples::{q, size};
use crate::svg::graph::{graph, graph_of_rates};

/// The complete trees of a reduction, per unit of time.
fn steady_state(reduction: &Reduction) -> SteadyState {
    let weighted = |(pattern, copies): &(Pattern, u32)| WeightedPattern {
        pattern: pattern.clone(),
        weight: whole(*copies) / &reduction.schedule.period,
    };
    let instances = whole(reduction.schedule.instances.clone());
    SteadyState {
        patterns: reduction.trees.iter().map(weighted).collect(),
        throughput: instances / &reduction.schedule.period,
    }
}

/// Frequency of each interval on each link, and of each node's merges, added up task by task.
fn sums(
    state: &SteadyState,
) -> (
    BTreeMap<(LinkId, String), Rational>,
    BTreeMap<NodeId, Rational>,
) {
    let (mut sends, mut merges) = (BTreeMap::new(), BTreeMap::new());
    for WeightedPattern { pattern, weight } in &state.patterns {
        for task in &pattern.tasks {
            match *task {
                Task::Send { link, part, .. } => {
                    let what = format!("[{},{}]", part.first, part.last);
                    *sends.entry((link, what)).or_insert_with(|| q("0")) += weight;
                }
                Task::Merge { node, .. } => *merges.entry(node).or_insert_with(|| q("0")) += weight,
            }
        }
    }
    (sends, merges)
}

/// Labels that contain an amount.
fn amounts(elements: &[Element]) -> Vec<String> {
    labels(elements)
        .into_iter()
        .map(|(.., text)| text)
        .filter(|text| text.contains(": "))
        .collect()
}

/// Figure 6(c) of RR-4872: transfers are labelled on the links, `cons(P_i, T)` at the nodes.
#[test]
fn merges_stand_at_the_nodes() {
    let figure = figure_6();
    let state = steady_state(&figure);
    let elements = parse(&graph_of_rates(&figure.problem(), &state, None));
    assert_inside(&elements);
    let shown: BTreeSet<String> = amounts(&elements).into_iter().collect();
    let (sends, merges) = sums(&state);
    let sent = sends
        .iter()
        .map(|((_, what), rate)| format!("{what}: {rate}"));
    // T[1,1,2] at P1 and P2, T[0,0,2] at P0.
    let node = |id: NodeId| {
        if figure.platform.name(id) == "P0" {
            "T[0,0,2]"
        } else {
            "T[1,1,2]"
        }
    };
    let merged = merges
        .iter()
        .map(|(&id, rate)| format!("{}: {rate}", node(id)));
    assert_eq!(shown, sent.chain(merged).collect());
    assert_eq!(merges.len(), 3);
    for (&id, rate) in &merges {
        let name = figure.platform.name(id);
        let title = elements
            .iter()
            .find(|e| e.is("node") && e.title.starts_with(name))
            .map(|e| &e.title);
        assert!(
            title.is_some_and(|title| title.contains(&format!("{} ×{rate}", node(id)))),
            "{title:?}"
        );
    }
}

/// Even without room, the tooltip of a link has every interval that is sent over it.
#[test]
fn tooltips_have_every_amount() {
    let mut tried = 0;
    for seed in 0..8 {
        let sample = random(4 + seed as usize, seed, 5 + 6 * seed as usize);
        if sample.collective.is_commutative() {
            continue;
        }
        let state = steady_state(&sample);
        let elements = parse(&graph_of_rates(&sample.problem(), &state, None));
        assert_inside(&elements);
        let lines: Vec<&str> = elements
            .iter()
            .filter(|e| e.is("link"))
            .flat_map(|e| e.title.lines())
            .collect();
        for ((link, what), rate) in sums(&state).0 {
            let link = sample.platform.link(link);
            let ends = format!(
                "{} → {}:",
                sample.platform.name(link.from),
                sample.platform.name(link.to)
            );
            let line = lines
                .iter()
                .find(|line| line.starts_with(&ends))
                .expect("a tooltip");
            assert!(
                line.contains(&format!("{what} ×{rate}")),
                "{what} {rate}: {line}"
            );
            tried += 1;
        }
    }
    assert!(tried > 0, "no reduction is in order: nothing is tested");
}

/// All-to-all on the complete graph, directly from node to node.
fn complete(
    count: usize,
    cost: impl Fn(usize, usize) -> Rational,
) -> (Platform, Collective, SteadyState) {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..count)
        .map(|node| {
            builder
                .node(Node::processor(format!("host number {node}"), q("1")))
                .unwrap()
        })
        .collect();
    for from in 0..count {
        for to in (0..count).filter(|&to| to != from) {
            builder.link(ids[from], ids[to], cost(from, to)).unwrap();
        }
    }
    let platform = builder.build().unwrap();
    let collective = Collective::all_to_all(ids);
    let path = |number| {
        let demand = collective.demand(number).expect("a demand");
        let link = platform
            .link_between(demand.operands[0], demand.targets()[0])
            .expect("a link");
        WeightedPattern {
            pattern: Pattern::path(number, vec![link]),
            weight: q("1/9"),
        }
    };
    let patterns = (0..collective.demands()).map(path).collect();
    (
        platform,
        collective,
        SteadyState {
            patterns,
            throughput: q("1/9"),
        },
    )
}

/// One label without room removes no other, and the drawing gives the number of omitted ones.
#[test]
fn only_labels_without_room_are_left_out() {
    let mut crowded = 0;
    for count in 3..=6 {
        let (platform, collective, state) =
            complete(count, |from, to| q(if from < to { "1" } else { "2" }));
        let volumes = size("1");
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let elements = parse(&graph_of_rates(&problem, &state, None));
        assert_inside(&elements);
        assert_eq!(nodes(&elements).len(), count);
        let shown = amounts(&elements).len();
        let notes: Vec<&str> = elements
            .iter()
            .filter_map(|e| e.text.strip_suffix("tooltips are complete"))
            .collect();
        let left_out: usize = match notes[..] {
            [] => 0,
            [note] => note
                .split(' ')
                .next()
                .and_then(|number| number.parse().ok())
                .expect("a number"),
            _ => panic!("{notes:?}"),
        };
        // Every link is a separate line, with a label of one line.
        assert_eq!(shown + left_out, count * (count - 1), "{count} nodes");
        assert!(shown > 0, "{count} nodes");
        crowded += usize::from(left_out > 0);
        // This holds for costs and loads, too.
        parse(&graph(&problem, Some(&state), None));
    }
    assert!(crowded > 0, "no drawing is crowded: nothing is tested");
}
