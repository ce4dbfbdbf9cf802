//! Amounts in fractions without a common part, at the limit of the possible: exactly that limit is accepted.

use crate::common;

use crate::common::ask::{bound, check_schedule, check_steady_state, check_timeline};
use common::*;
use oneport_plan::{
    Amount, Certificate, Collective, CustomDemand, Event, Message, Pattern, PeriodicSchedule,
    Resource, Slot, SteadyState, Task, Timeline, Volumes, Wanted,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::Rule;

/// A message of 3/5 over a link that takes 5/7 takes 3/7.
fn size() -> Rational {
    ratio(3, 5)
}

fn cost() -> Rational {
    ratio(5, 7)
}

/// A processor on a platform whose links all take equally long.
fn linked(
    names: &[&str],
    links: &[(usize, usize)],
    cost: &Rational,
    node: impl Fn(&str) -> Node,
) -> Platform {
    let mut builder = Platform::builder();
    for name in names {
        assert!(builder.node(node(name)).is_ok());
    }
    for &(from, to) in links {
        builder
            .link(NodeId::new(from), NodeId::new(to), cost.clone())
            .unwrap();
    }
    builder.build().unwrap()
}

/// One message over each link, as a separate demand.
fn over_each(links: &[(usize, usize)]) -> (Collective, Vec<Pattern>) {
    let demand = |&(from, to): &(usize, usize)| CustomDemand {
        owners: vec![NodeId::new(from)],
        wanted: Wanted::At(vec![NodeId::new(to)]),
        commutative: false,
        rate: 1,
    };
    let patterns = (0..links.len())
        .map(|link| path(link, &[LinkId::new(link)]))
        .collect();
    (
        Collective::Custom(links.iter().map(demand).collect()),
        patterns,
    )
}

/// Exactly this rate, and not a thousandth more.
#[track_caller]
fn at_most(
    platform: &Platform,
    (collective, patterns): &(Collective, Vec<Pattern>),
    volumes: &Volumes,
    throughput: Rational,
    rule: Rule,
    words: &str,
) {
    let often = |throughput: Rational| SteadyState {
        patterns: patterns
            .iter()
            .map(|pattern| weighted(pattern, throughput.clone()))
            .collect(),
        throughput,
    };
    assert_eq!(
        check_steady_state(platform, collective, volumes, &often(throughput.clone())),
        Ok(())
    );
    let more = check_steady_state(
        platform,
        collective,
        volumes,
        &often(throughput * ratio(1001, 1000)),
    );
    assert!(broken(&more, rule), "{more:?}");
    assert_eq!(told(&more), words);
}

#[test]
fn steady_states_at_the_limit() {
    let volumes = Volumes::of_size(size());
    // Half-duplex nodes in a triangle: one link at a time, each for 3/7.
    let links = [(0, 1), (1, 2), (2, 0)];
    let node = |name: &str| Node::processor(name, ratio(1, 1));
    let triangle =
        linked(&["A", "B", "C"], &links, &cost(), node).with_model(PortModel::HalfDuplex);
    let words = "3 links among port of 'A', port of 'B', port of 'C' are busy for 1001/1000 of the time \
                 together; at most 1 of them can be busy at a time";
    at_most(
        &triangle,
        &over_each(&links),
        &volumes,
        ratio(7, 9),
        Rule::OddSet,
        words,
    );
    // Two send ports, three links: two at a time.
    let links = [(0, 1), (0, 2), (0, 3)];
    let wide = |name: &str| Node {
        ports: Some(2),
        ..Node::processor(name, ratio(1, 1))
    };
    let star =
        linked(&["A", "B", "C", "D"], &links, &cost(), wide).with_model(PortModel::Multiport);
    let words = "the send port of 'A' is busy for 1001/500 of the time; at most 2 is possible";
    at_most(
        &star,
        &over_each(&links),
        &volumes,
        ratio(14, 9),
        Rule::SteadyState,
        words,
    );
}

/// A sum of two values at B, whose merge takes 3/7. The message takes next to no time.
fn sum() -> (Platform, Collective, Pattern, Volumes) {
    let platform = linked(&["A", "B"], &[(0, 1)], &ratio(1, 100), |name| {
        Node::processor(name, cost())
    });
    let [a, b] = [0, 1].map(NodeId::new);
    let tasks = vec![
        Task::send(LinkId::new(0), part(0, 0)),
        Task::merge(b, part(0, 1), 0),
    ];
    let collective = Collective::reduce(b, vec![a, b]).in_order();
    let volumes = Volumes {
        size: Amount::Constant(ratio(1, 1)),
        work: Amount::Constant(size()),
    };
    (platform, collective, Pattern::tree(0, None, tasks), volumes)
}

#[test]
fn merges_at_the_limit() {
    let (platform, collective, tree, volumes) = sum();
    let words = "the processor of 'B' is busy for 1001/1000 of the time; at most 1 is possible";
    at_most(
        &platform,
        &(collective.clone(), vec![tree.clone()]),
        &volumes,
        ratio(7, 3),
        Rule::SteadyState,
        words,
    );
    let within = |period: Rational| {
        let schedule = PeriodicSchedule {
            period,
            instances: 1u32.into(),
            patterns: vec![scheduled(&tree, 1)],
            slots: vec![Slot {
                shares: Vec::new(),
                length: ratio(1, 100),
                links: vec![LinkId::new(0)],
            }],
        };
        told(&check_schedule(&platform, &collective, &volumes, &schedule))
    };
    assert_eq!(within(ratio(3, 7)), "");
    assert_eq!(
        within(ratio(2, 5)),
        "the merges at 'B' take 3/7 per period; the period is 2/5"
    );
}

#[test]
fn transfers_take_as_long_as_they_take() {
    let platform = linked(&["A", "B"], &[(0, 1)], &cost(), |name| {
        Node::processor(name, cost())
    });
    let collective = Collective::scatter(NodeId::new(0), vec![NodeId::new(1)]);
    let lasts = |time: Rational| {
        let pieces = vec![(ratio(0, 1), time)];
        let message = Message {
            demand: 0,
            part: part(0, 0),
        };
        let run = Timeline::of_one(
            ratio(1, 1),
            vec![Event {
                instance: 0,
                message,
                link: LinkId::new(0),
                pieces,
            }],
            vec![],
        );
        told(&check_timeline(
            &platform,
            &collective,
            &Volumes::of_size(size()),
            &run,
        ))
    };
    assert_eq!(lasts(ratio(3, 7)), "");
    for (time, found) in [
        (ratio(1, 2), "1/2"),
        (ratio(3, 8), "3/8"),
        (ratio(21, 25), "21/25"),
    ] {
        let right = format!(
            "event 0 (message A=>B of instance 0 over A -> B) takes {found}; the transfer takes 3/7"
        );
        assert_eq!(lasts(time), right);
    }
}

/// The demand that a refusal is about is named by its index among all.
#[test]
fn demands_of_files_are_named_by_index() {
    let links = [(0, 1), (1, 2), (2, 0)];
    let platform = linked(&["A", "B", "C"], &links, &cost(), |name| {
        Node::processor(name, cost())
    });
    let (collective, mut patterns) = over_each(&links);
    patterns[2] = path(2, &[LinkId::new(1)]);
    let patterns = patterns
        .iter()
        .map(|pattern| weighted(pattern, ratio(1, 9)))
        .collect();
    let state = SteadyState {
        throughput: ratio(1, 9),
        patterns,
    };
    let refused = told(&check_steady_state(
        &platform,
        &collective,
        &Volumes::of_size(size()),
        &state,
    ));
    let right = "steady-state pattern 2 (demand 2 (C=>A)), task 0: sends the message over B -> C, but it is at 'C' then";
    assert_eq!(refused, right);
}

/// An owner that cannot reach the target is named, at every position in the list.
#[test]
fn an_operand_out_of_reach_is_named() {
    let platform = linked(
        &["A", "B", "C"],
        &[(0, 1), (1, 0), (1, 2)],
        &cost(),
        |name| Node::processor(name, cost()),
    );
    let prices = vec![(Resource::Send(NodeId::new(0)), ratio(1, 1))];
    let certificate = Certificate::of_prices(prices);
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [2, 0, 1],
        [2, 1, 0],
        [1, 0, 2],
        [1, 2, 0],
    ] {
        for commutative in [false, true] {
            let participants = order.iter().map(|&node| NodeId::new(node)).collect();
            let collective =
                Collective::reduce(NodeId::new(1), participants).commutative(commutative);
            let refused = bound(
                &platform,
                &collective,
                &Volumes::of_size(size()),
                &certificate,
            );
            assert_eq!(
                told(&refused),
                "reduce is infeasible: no path from 'C' to 'B'; connect the nodes, or leave them out of the collective"
            );
        }
    }
}
