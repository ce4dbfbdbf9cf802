//! Honest plans are accepted, with the right figures. Wrong ones are refused by name.

use crate::common;

use crate::common::ask::{bound, check_schedule, check_steady_state, check_timeline};
use common::*;
use oneport_plan::CapacityRow;
use oneport_plan::{
    Certificate, Claim, Collective, Member, Problem, Resource, State, Stated, Status, Volumes,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::{Answer, Proved, Rule, judge, verify};
use oneport_watch::{Limit, Watch};
use proptest::prelude::*;

#[test]
fn the_toy_of_the_paper_is_optimal_at_one_half() {
    for plan in [toy(), paper_toy()] {
        let verdict = check_plan(&plan).unwrap();
        assert_eq!(verdict.throughput, ratio(1, 2));
        assert_eq!(verdict.bound, ratio(1, 2));
        assert_eq!(verdict.schedule_throughput, ratio(1, 2));
        assert_eq!(verdict.status, Status::Optimal);
    }
}

/// RR-4872 section 3.4 on the toy: K periods deliver K instances per period, less a constant number.
#[test]
fn the_toy_runs() {
    for (plan, per_period) in [(toy(), 1), (paper_toy(), 6)] {
        for starting in 1..5 {
            let timeline = unroll(&plan, starting);
            let report =
                check_timeline(&plan.platform, &plan.collective, &plan.volumes, &timeline).unwrap();
            assert_eq!(report.delivered, starting * per_period);
            assert_eq!(
                report.horizon,
                &plan.schedule.period * ratio(starting as i64 + 1, 1)
            );
            assert!(report.last_arrival <= report.horizon);
            assert_eq!(
                report.throughput,
                ratio((starting * per_period) as i64, 1) / &report.horizon
            );
            for periods in 0..starting + 3 {
                // Two hops: an instance that starts in period p is complete by the end of period p + 1.
                let expected = periods.saturating_sub(1).min(starting) * per_period;
                assert_eq!(report.complete_after(periods), expected);
            }
        }
    }
    let plan = toy();
    let report = check_timeline(
        &plan.platform,
        &plan.collective,
        &plan.volumes,
        &unroll(&plan, 4),
    )
    .unwrap();
    // Pa gets a message at the end of each period and has sent it 2/3 later. Pb holds one from time 1 after the start
    // of a period until the end of the next, so two for a while.
    assert_eq!(report.peak_buffer, [0, 1, 2, 0, 0]);
    assert_eq!(report.complete, [(2, 1), (3, 2), (4, 3), (5, 4)]);
}

#[test]
fn the_ring_is_optimal_and_runs() {
    let plan = ring();
    let verdict = check_plan(&plan).unwrap();
    assert_eq!(
        (verdict.throughput, verdict.status),
        (ratio(1, 3), Status::Optimal)
    );
    let report = check_timeline(
        &plan.platform,
        &plan.collective,
        &plan.volumes,
        &unroll(&plan, 3),
    )
    .unwrap();
    assert_eq!((report.delivered, report.horizon), (3, ratio(12, 1)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Weak duality on random honest plans: the checks pass and no throughput exceeds any bound.
    #[test]
    fn random_honest_plans_pass(seed: u64) {
        let mut dice = Dice(seed);
        let plan = generate::plan(&mut dice, false);
        let verdict = check_plan(&plan).unwrap();
        prop_assert!(verdict.schedule_throughput <= verdict.throughput);
        prop_assert!(verdict.throughput <= verdict.bound);
        let starting = 1 + dice.below(3) as u64;
        let report = check_timeline(&plan.platform, &plan.collective, &plan.volumes, &unroll(&plan, starting)).unwrap();
        prop_assert!(report.throughput <= verdict.bound);
        // Lemma 1 of RR-4872: after any time K, at most bound * K instances are complete.
        for &(periods, complete) in &report.complete {
            let time = &plan.schedule.period * ratio(periods as i64, 1);
            prop_assert!(ratio(complete as i64, 1) <= &verdict.bound * time);
        }
    }

    /// The referee's Dijkstra on integers against Bellman and Ford on rationals. `width` makes the scaled prices
    /// outgrow 64 and 128 bits.
    #[test]
    fn bounds_are_those_of_bellman_and_ford(seed: u64, width in 0u32..6) {
        let mut dice = Dice(seed);
        let plan = generate::plan(&mut dice, false);
        let mut prices = generate::random_prices(&mut dice, &plan.platform);
        for (_, price) in &mut prices {
            for _ in 0..width {
                *price += Rational::new(1.into(), (2 * (dice.roll() >> 34) + 1).into());
            }
        }
        let certificate = Certificate::of_prices(prices);
        let found = bound(&plan.platform, &plan.collective, &plan.volumes, &certificate);
        let expected = naive_bound(&plan.platform, &plan.collective, &plan.volumes, &prices_of(&certificate));
        prop_assert_eq!(found.ok(), expected);
    }

    /// A bound does not depend on the unit of the prices.
    #[test]
    fn bounds_are_scale_invariant(seed: u64, factor in 1i64..1000, divisor in 1i64..1000) {
        let plan = generate::plan(&mut Dice(seed), false);
        let mut certificate = plan.certificate.clone();
        for (_, price) in &mut certificate.rows {
            *price *= ratio(factor, divisor);
        }
        let found = bound(&plan.platform, &plan.collective, &plan.volumes, &certificate);
        prop_assert_eq!(found, Ok(plan.upper_bound));
    }
}

#[test]
fn a_gather_is_a_scatter_against_the_links() {
    let scatter = toy();
    let mut builder = Platform::builder();
    for node in scatter.platform.nodes() {
        builder.node(node.clone()).unwrap();
    }
    for link in scatter.platform.links() {
        builder.link(link.to, link.from, link.cost.clone()).unwrap();
    }
    let mut gather = scatter.clone();
    gather.platform = builder.build().unwrap();
    let &[&[source], targets] = &scatter.collective.cast()[..] else {
        unreachable!()
    };
    gather.collective = Collective::gather(source, targets.to_vec());
    gather.certificate = Certificate::of_prices(vec![(Resource::Receive(source), ratio(7, 3))]);
    for weighted in &mut gather.steady_state.patterns {
        relink(&mut weighted.pattern, |links| links.reverse());
    }
    for scheduled in &mut gather.schedule.patterns {
        relink(&mut scheduled.pattern, |links| links.reverse());
    }
    let verdict = check_plan(&gather).unwrap();
    assert_eq!(
        (verdict.throughput, verdict.status),
        (ratio(1, 2), Status::Optimal)
    );
}

/// One change to the toy, and the words of the refusal.
#[track_caller]
fn refused(change: impl Fn(&mut Plan), words: &str) {
    refused_after(&change, words);
}

/// Compiled once, not once per change.
#[track_caller]
fn refused_after(change: &dyn Fn(&mut Plan), words: &str) {
    let mut plan = toy();
    change(&mut plan);
    let violation = check_plan(&plan).expect_err(words);
    assert_eq!(violation.to_string(), words);
}

#[test]
fn refusals_name_the_question() {
    refused(
        |plan| plan.platform = plan.platform.clone().with_model(PortModel::HalfDuplex),
        "the port of 'Pb' is busy for 7/6 of the time; at most 1 is possible",
    );
    refused(
        |plan| plan.collective = Collective::scatter(NodeId::new(9999), vec![NodeId::new(3)]),
        "scatter: node id 9999 does not exist; the platform has 5 nodes, numbered from 0",
    );
    refused(
        |plan| plan.volumes = Volumes::of_size(ratio(0, 1)),
        "size 0; a message needs a positive size",
    );
}

#[test]
fn refusals_name_patterns() {
    let first = |plan: &mut Plan, links: &[usize]| {
        let links: Vec<LinkId> = links.iter().map(|&link| LinkId::new(link)).collect();
        plan.steady_state.patterns[0].pattern = path(0, &links);
    };
    refused(
        |plan| first(plan, &[0, 99]),
        "steady-state pattern 0, task 1: link id 99 does not exist; the platform has 5 links, numbered from 0",
    );
    refused(
        |plan| plan.schedule.patterns[1].pattern.demand = 2,
        "schedule pattern 1: demand 2 does not exist; an instance has 2, numbered from 0",
    );
    refused(
        |plan| first(plan, &[0, 4]),
        "steady-state pattern 0 (Ps=>P0), task 1: sends the message over Pb -> P1, but it is at 'Pa' then",
    );
    refused(
        |plan| first(plan, &[2]),
        "steady-state pattern 0 (Ps=>P0), task 0: sends the message over Pa -> P0, but it is at 'Ps' then",
    );
    refused(
        |plan| first(plan, &[1, 4]),
        "steady-state pattern 0 (Ps=>P0) ends at 'P1'; it must end at the target",
    );
    refused(
        |plan| first(plan, &[]),
        "steady-state pattern 0 (Ps=>P0) ends at 'Ps'; it must end at the target",
    );
    let mut plan = ring();
    plan.schedule.patterns[0].pattern = path(0, &[0, 1, 2, 0].map(LinkId::new));
    assert_eq!(
        check_plan(&plan).unwrap_err().to_string(),
        "schedule pattern 0 (A=>B), task 2: the message comes to 'A' twice; cut the detour out"
    );
}

#[test]
fn refusals_name_the_steady_state() {
    refused(
        |plan| plan.steady_state.throughput = ratio(-1, 2),
        "the throughput is -1/2; it must be positive",
    );
    refused(
        |plan| plan.steady_state.patterns[1].weight = ratio(0, 1),
        "steady-state pattern 1 (Ps=>P1) has weight 0; a weight must be positive",
    );
    refused(
        |plan| plan.steady_state.patterns.swap(0, 1),
        "steady-state pattern 1 (Ps=>P0) follows one of Ps=>P1; sort patterns by demand",
    );
    refused(
        |plan| plan.steady_state.patterns[1].weight = ratio(1, 3),
        "the weights of Ps=>P1 add up to 1/3; they must add up to the throughput, 1/2",
    );
    refused(
        |plan| {
            plan.steady_state.throughput = ratio(3, 4);
            for weighted in &mut plan.steady_state.patterns {
                weighted.weight = ratio(3, 4);
            }
        },
        "the send port of 'Ps' is busy for 3/2 of the time; at most 1 is possible",
    );
}

#[test]
fn refusals_name_the_certificate() {
    let prices = |plan: &mut Plan, prices: &[(Resource, i64)]| {
        plan.certificate.rows = prices
            .iter()
            .map(|&(resource, price)| (CapacityRow::Resource(resource), ratio(price, 1)))
            .collect();
    };
    let [s, _, b, _, p1] = [0, 1, 2, 3, 4].map(NodeId::new);
    refused(
        |plan| prices(plan, &[(Resource::Send(NodeId::new(5)), 1)]),
        "price of the send port of node id 5: no such node; the platform has 5 nodes, numbered from 0",
    );
    refused(
        |plan| prices(plan, &[(Resource::Receive(b), -1)]),
        "price of the receive port of 'Pb' is -1; a price must be positive (leave out what costs nothing)",
    );
    refused(
        |plan| prices(plan, &[(Resource::Receive(b), 1), (Resource::Send(s), 1)]),
        "price of the send port of 'Ps' follows that of the receive port of 'Pb'; list send ports, then receive ports, then processors, then ports of half-duplex nodes, by node, then links, then shared capacities, each once",
    );
    refused(
        |plan| prices(plan, &[(Resource::Send(s), 1), (Resource::Send(s), 1)]),
        "price of the send port of 'Ps' follows that of the send port of 'Ps'; list send ports, then receive ports, then processors, then ports of half-duplex nodes, by node, then links, then shared capacities, each once",
    );
    refused(
        |plan| prices(plan, &[(Resource::Send(p1), 1)]),
        "the 1 prices make every cheapest pattern free, which proves nothing; some demand must have to pay",
    );
    refused(
        |plan| prices(plan, &[(Resource::Send(s), 1), (Resource::Send(b), 1)]),
        "the plan states the upper bound 1/2; the certificate proves 3/5",
    );
    let plan = toy();
    let backwards = Collective::scatter(p1, vec![s]);
    assert_eq!(
        bound(&plan.platform, &backwards, &plan.volumes, &plan.certificate)
            .unwrap_err()
            .to_string(),
        "scatter is infeasible: no path from 'P1' to 'Ps'; connect the nodes, or leave them out of the collective"
    );
    let gather = Collective::gather(s, vec![p1]);
    let refused = bound(&plan.platform, &gather, &plan.volumes, &plan.certificate);
    assert!(broken(&refused, Rule::Unreachable), "{refused:?}");
    assert_eq!(
        told(&refused),
        "gather is infeasible: no path from 'P1' to 'Ps'; connect the nodes, or leave them out of the collective"
    );
}

#[test]
fn refusals_name_the_schedule() {
    refused(
        |plan| plan.schedule.period = ratio(0, 1),
        "the period is 0; it must be positive",
    );
    refused(
        |plan| plan.schedule.instances = 0u32.into(),
        "the schedule starts 0 instances per period; at least 1 is needed",
    );
    refused(
        |plan| plan.schedule.patterns[1].copies = 0u32.into(),
        "schedule pattern 1 (Ps=>P1) has 0 copies; leave it out, or start at least 1",
    );
    refused(
        |plan| plan.schedule.patterns.truncate(1),
        "the copies of Ps=>P1 add up to 0; the schedule starts 1 instances per period",
    );
    refused(
        |plan| plan.schedule.slots[2].length = ratio(-1, 1),
        "slot 2 has length -1; it must be positive",
    );
    refused(
        |plan| plan.schedule.slots[1].links.swap(0, 1),
        "slot 1: Ps -> Pb follows Pb -> P1; list links by id, each once",
    );
    refused(
        |plan| plan.schedule.slots[1].links.insert(0, LinkId::new(0)),
        "slot 1: Ps -> Pa and Ps -> Pb both need the send port of 'Ps'; it serves one at a time",
    );
    refused(
        |plan| plan.schedule.slots[0].links.push(LinkId::new(3)),
        "slot 0: Pa -> P0 and Pb -> P0 both need the receive port of 'P0'; it serves one at a time",
    );
    refused(
        |plan| plan.schedule.period = ratio(19, 10),
        "the slots last 2 together; the period is 19/10",
    );
    refused(
        |plan| plan.schedule.slots[1].links.truncate(1),
        "the slots of Pb -> P1 last 1 per period; its messages take 4/3",
    );
    refused(
        |plan| plan.schedule.slots[2].links = [0, 3].map(LinkId::new).to_vec(),
        "the slots of Pb -> P0 last 1 per period; its messages take 0",
    );
}

#[test]
fn refusals_name_the_plan() {
    refused(
        |plan| plan.upper_bound = ratio(1, 3),
        "the plan states the upper bound 1/3; the certificate proves 1/2",
    );
    refused(
        |plan| plan.status = Status::Feasible,
        "the status is feasible; with throughput 1/2 and bound 1/2 it must be optimal",
    );
    let huge = Rational::new(
        (num_bigint::BigInt::from(1) << 4000) + 1,
        num_bigint::BigInt::from(3) << 3999,
    );
    refused(
        |plan| plan.upper_bound = huge.clone(),
        "the plan states the upper bound about 0.666667 (a fraction of 8002 bits); the certificate proves 1/2",
    );
}

/// One change to a run of the toy over two starting periods, and the words of the refusal. The events are, by period:
/// [0] sa(0), sb(0). [1] sa(1), sb(1), a0(0), b1(0). [2] a0(1), b1(1).
#[track_caller]
fn run_refused(change: impl Fn(&mut oneport_plan::Timeline), words: &str) {
    run_refused_after(&change, words);
}

#[track_caller]
fn run_refused_after(change: &dyn Fn(&mut oneport_plan::Timeline), words: &str) {
    let plan = toy();
    let mut timeline = unroll(&plan, 2);
    check_timeline(&plan.platform, &plan.collective, &plan.volumes, &timeline).unwrap();
    change(&mut timeline);
    let violation = check_timeline(&plan.platform, &plan.collective, &plan.volumes, &timeline)
        .expect_err(words);
    assert_eq!(violation.to_string(), words);
}

#[test]
fn refusals_name_the_run() {
    let piece = |start: (i64, i64), end: (i64, i64)| (ratio(start.0, start.1), ratio(end.0, end.1));
    run_refused(
        |run| run.period = ratio(-2, 1),
        "the period is -2; it must be positive",
    );
    run_refused(
        |run| run.starting_periods = 0,
        "0 starting periods of 1 instances start nothing; both must be positive",
    );
    run_refused(
        |run| run.events[1].instance = 2,
        "event 1 belongs to instance 2; 2 instances are started, numbered from 0",
    );
    run_refused(
        |run| run.events[4].pieces.clear(),
        "event 4 (message Ps=>P0 of instance 0 over Pa -> P0) has no pieces; a transfer takes time",
    );
    run_refused(
        |run| run.events[0].pieces[0].0 = ratio(-1, 1),
        "message Ps=>P0 of instance 0 over Ps -> Pa: date -1; dates start at 0",
    );
    run_refused(
        |run| run.events[0].pieces[0] = piece((2, 1), (1, 1)),
        "event 0 (message Ps=>P0 of instance 0 over Ps -> Pa): piece from 2 to 1 after one that ends at 0; pieces must be positive, ascending and disjoint",
    );
    run_refused(
        |run| run.events[1].pieces = vec![piece((0, 1), (1, 2)), piece((1, 3), (5, 6))],
        "event 1 (message Ps=>P1 of instance 0 over Ps -> Pb): piece from 1/3 to 5/6 after one that ends at 1/2; pieces must be positive, ascending and disjoint",
    );
    run_refused(
        |run| run.events[6].pieces = vec![piece((17, 3), (19, 3))],
        "message Ps=>P0 of instance 1 over Pa -> P0 ends at 19/3; the run ends at 6",
    );
    run_refused(
        |run| run.events[0].pieces = vec![piece((1, 1), (3, 2))],
        "event 0 (message Ps=>P0 of instance 0 over Ps -> Pa) takes 1/2; the transfer takes 1",
    );
    run_refused(
        |run| run.events[0].pieces = vec![piece((1, 2), (3, 2))],
        "the send port of 'Ps' starts message Ps=>P0 of instance 0 over Ps -> Pa at 1/2, while message Ps=>P1 of instance 0 over Ps -> Pb lasts until 2/3; it serves one at a time",
    );
    run_refused(
        |run| run.events[4].link = LinkId::new(3),
        "event 4 (message Ps=>P0 of instance 0 over Pb -> P0) takes 2/3; the transfer takes 4/3",
    );
    run_refused(
        |run| {
            run.events[0].link = LinkId::new(1);
        },
        "message Ps=>P0 of instance 0 starts over Pa -> P0 at 2, but 'Pb' holds it then, or is about to",
    );
    run_refused(
        |run| run.events[4].pieces = vec![piece((5, 3), (7, 3))],
        "message Ps=>P0 of instance 0 starts over Pa -> P0 at 5/3, but arrives at 'Pa' only at 2",
    );
    run_refused(
        |run| {
            run.events.pop();
        },
        "message Ps=>P1 of instance 1 gets no further than 'Pb'; it must arrive at 'P1'",
    );
    run_refused(
        |run| run.starting_periods = 3,
        "message Ps=>P0 of instance 2 gets no further than 'Ps'; it must arrive at 'P0'",
    );
    run_refused(
        |run| {
            // The second copy of the message travels later, in a run that is long enough.
            let mut again = run.events[0].clone();
            again.pieces = vec![piece((5, 1), (6, 1))];
            run.events.push(again);
        },
        "message Ps=>P0 of instance 0 starts over Ps -> Pa at 5, after its arrival at its target 'P0'",
    );
    run_refused(
        |run| run.period = ratio(3, 1),
        "instance 1 starts at 2; it belongs to period 1, from 3 until before 6",
    );
    run_refused(
        |run| run.clean_up_periods = 4,
        "4 clean-up periods, but the last message arrives at 6; 1 are enough",
    );
}

/// Two routers between source and target, so that a message can return to an earlier node.
#[test]
fn a_message_is_delivered_once() {
    let one = || ratio(1, 1);
    let links = [
        ("S", "x", one()),
        ("x", "y", one()),
        ("y", "x", one()),
        ("y", "T", one()),
    ];
    let platform = platform(&["S", "T", "x", "y"], &links);
    let collective = Collective::scatter(NodeId::new(0), vec![NodeId::new(1)]);
    let event = |link: usize, start: i64| oneport_plan::Event {
        instance: 0,
        message: oneport_plan::Message {
            demand: 0,
            part: part(0, 0),
        },
        link: LinkId::new(link),
        pieces: vec![(ratio(start, 1), ratio(start + 1, 1))],
    };
    let run = |events| oneport_plan::Timeline::of_one(ratio(5, 1), events, Vec::new());
    let straight = run(vec![event(0, 0), event(1, 1), event(3, 2)]);
    let report =
        check_timeline(&platform, &collective, &Volumes::of_size(one()), &straight).unwrap();
    assert_eq!(
        (report.last_arrival, report.peak_buffer),
        (ratio(3, 1), vec![0, 0, 1, 1])
    );
    let round = run(vec![
        event(0, 0),
        event(1, 1),
        event(2, 2),
        event(1, 3),
        event(3, 4),
    ]);
    assert_eq!(
        check_timeline(&platform, &collective, &Volumes::of_size(one()), &round)
            .unwrap_err()
            .to_string(),
        "message S=>T of instance 0 comes over y -> x to 'x', where it has been before; deliver it once"
    );
}

/// Models are mixed freely: a node under another model matters only to messages that pass it.
#[test]
fn one_foreign_node_changes_nothing_elsewhere() {
    let plan = toy();
    for (index, model) in PortModel::ALL.into_iter().enumerate() {
        let mut builder = Platform::builder();
        for node in plan.platform.nodes() {
            builder.node(node.clone()).unwrap();
        }
        let far = builder
            .node(Node {
                model: Some(model),
                ..Node::router("far")
            })
            .unwrap();
        for link in plan.platform.links() {
            builder.link(link.from, link.to, link.cost.clone()).unwrap();
        }
        builder.link(NodeId::new(index), far, ratio(1, 7)).unwrap();
        let platform = builder.build().unwrap();
        let timeline = unroll(&plan, 1);
        let Plan {
            collective,
            volumes,
            ..
        } = &plan;
        assert_eq!(
            bound(&platform, collective, volumes, &plan.certificate),
            Ok(ratio(1, 2))
        );
        check_steady_state(&platform, collective, volumes, &plan.steady_state).unwrap();
        check_schedule(&platform, collective, volumes, &plan.schedule).unwrap();
        check_timeline(&platform, collective, volumes, &timeline).unwrap();
    }
}

/// A watch that has ended gives no verdict on the plan, for every collective. One that goes on changes nothing.
#[test]
fn an_ended_watch_stops_the_check() {
    let one = || ratio(1, 1);
    let links = [("A", "B", one()), ("B", "C", one()), ("C", "A", one())];
    let platform = platform(&["A", "B", "C"], &links);
    let all: Vec<NodeId> = platform.node_ids().collect();
    let (source, targets, participants) = (all[0], all[1..].to_vec(), all.clone());
    let mut collectives = vec![
        Collective::scatter(source, targets.clone()),
        Collective::gather(source, targets.clone()),
        Collective::all_to_all(participants.clone()),
        Collective::broadcast(source, targets),
        Collective::all_gather(participants.clone()),
        Collective::scan(participants.clone()),
    ];
    for commutative in [false, true] {
        let participants = participants.clone();
        collectives.extend([
            Collective::reduce(source, participants.clone()).commutative(commutative),
            Collective::reduce_scatter(participants.clone()).commutative(commutative),
            Collective::all_reduce(participants).commutative(commutative),
        ]);
    }
    let members = collectives[..2].iter().map(|collective| Member {
        collective: collective.clone(),
        rate: 2,
    });
    collectives.push(Collective::Groups(members.collect()));
    let prices = all
        .iter()
        .map(|&node| (Resource::Send(node), one()))
        .collect();
    let (certificate, volumes) = (Certificate::of_prices(prices), Volumes::of_size(one()));
    let ended = Watch::counting(0, std::time::Duration::MAX);
    for collective in &collectives {
        let problem = Problem::new(&platform, collective, &volumes).unwrap();
        let watched = |watch: &Watch| oneport_referee::bound(&problem, &certificate, watch);
        assert_eq!(
            watched(&ended),
            Err(Limit::Caller.into()),
            "{}",
            collective.name()
        );
        let free = bound(&platform, collective, &volumes, &certificate);
        assert!(free.is_ok(), "{free:?}");
        assert_eq!(watched(&Watch::unlimited()), free);
        assert_eq!(
            watched(&Watch::counting(1 << 40, std::time::Duration::MAX)),
            free
        );
    }
    let stated = Stated {
        upper_bound: toy().upper_bound,
        status: toy().status,
    };
    assert_eq!(
        verify(toy().claim().unwrap(), &stated, &ended),
        Err(Limit::Caller.into())
    );
    assert_eq!(
        judge(toy().claim().unwrap(), &ended),
        Err(Limit::Caller.into())
    );
}

/// Odd sets are prices, too.
#[test]
fn refusals_count_all_prices() {
    let one = || ratio(1, 1);
    let links = [("A", "B", one()), ("B", "C", one()), ("C", "A", one())];
    let platform = platform(&["A", "B", "C"], &links).with_model(PortModel::HalfDuplex);
    let [a, b, c] = [0, 1, 2].map(NodeId::new);
    let far = vec![Resource::Port(c)];
    let far = oneport_plan::OddSet {
        ports: far,
        links: Vec::new(),
    };
    let certificate = Certificate::new([(Resource::Port(c), one())], [(far, one())], []);
    let collective = Collective::scatter(a, vec![b]);
    let found = bound(
        &platform,
        &collective,
        &Volumes::of_size(one()),
        &certificate,
    );
    assert!(
        broken(&found, Rule::NoBound) && told(&found).starts_with("the 2 prices make "),
        "{found:?}"
    );
}

/// For every stated bound and status of a plan, the judge states the true ones.
#[test]
fn the_judge_states_bound_and_status() {
    let right = toy();
    let lie = Plan {
        upper_bound: ratio(7, 3),
        status: Status::Feasible,
        ..right.clone()
    };
    assert!(check_plan(&lie).is_err());
    let judged = judge(lie.claim().unwrap(), &Watch::unlimited()).unwrap();
    assert_eq!(
        (judged.bound(), judged.status()),
        (&right.upper_bound, Status::Optimal)
    );
    again(&judged);
    // A price that proves less.
    let mut weak = right.clone();
    weak.certificate.rows.push((
        CapacityRow::Resource(Resource::Send(NodeId::new(2))),
        ratio(1, 1),
    ));
    let judged = judge(weak.claim().unwrap(), &Watch::unlimited()).unwrap();
    assert_eq!(
        (judged.bound(), judged.status()),
        (&ratio(3, 5), Status::Feasible)
    );
    again(&judged);
}

/// The evidence of an answer proves the same answer again, and its numbers equal the numbers of its file.
#[track_caller]
fn again(answer: &Answer) {
    let (claim, stated) = (answer.claim().clone(), answer.stated());
    let again = verify(claim, &stated, &Watch::unlimited());
    assert_eq!(again.as_ref(), Ok(answer));
}

/// Facts are replaced by better ones only. Without a bound there is no answer. A stop leaves the facts unchanged.
#[test]
fn proved_facts_only_improve() {
    let claim = toy().claim().unwrap();
    let (unlimited, ended) = (
        Watch::unlimited(),
        Watch::counting(0, std::time::Duration::MAX),
    );
    let mut proved = Proved::about(&claim.problem);
    assert!(broken(&proved.clone().answer(), Rule::NoBound));
    let state = claim.state.clone().unwrap();
    let mut half = toy().steady_state;
    half.throughput = ratio(1, 4);
    for weighted in &mut half.patterns {
        weighted.weight /= ratio(2, 1);
    }
    for _ in 0..2 {
        proved
            .sustain(State::Listed(half.clone()), &unlimited)
            .unwrap();
        proved.sustain(state.clone(), &unlimited).unwrap();
    }
    assert_eq!(
        (proved.throughput(), proved.bound()),
        (Some(&ratio(1, 2)), None)
    );
    let mut weak = claim.certificate.clone();
    weak.rows.push((
        CapacityRow::Resource(Resource::Send(NodeId::new(2))),
        ratio(1, 1),
    ));
    proved.prove(weak.clone(), &unlimited).unwrap();
    assert_eq!(
        (proved.bound(), proved.is_optimal()),
        (Some(&ratio(3, 5)), false)
    );
    assert!(proved.prove(claim.certificate.clone(), &ended).is_err());
    assert!(proved.sustain(state.clone(), &ended).is_err());
    assert_eq!(proved.bound(), Some(&ratio(3, 5)));
    proved.prove(claim.certificate.clone(), &unlimited).unwrap();
    proved.prove(weak, &unlimited).unwrap();
    // Twice the price proves the same bound. The first certificate stays.
    let mut twice = claim.certificate.clone();
    for (_, price) in &mut twice.rows {
        *price *= ratio(2, 1);
    }
    proved.prove(twice, &unlimited).unwrap();
    assert!(proved.is_optimal() && proved.certificate() == Some(&claim.certificate));
    let alone = proved.bound_alone().answer().unwrap();
    assert_eq!((alone.throughput(), alone.gap()), (None, ratio(1, 1)));
    // Facts about another problem are left alone.
    let other = claim
        .problem
        .asking(Collective::scatter(NodeId::new(0), vec![NodeId::new(3)]));
    let mut about_other = Proved::about(&other.unwrap());
    about_other.merge(proved.clone());
    assert_eq!(
        (about_other.bound(), about_other.throughput()),
        (None, None)
    );
    let answer = proved.answer().unwrap();
    assert_eq!(
        (answer.status(), answer.gap()),
        (Status::Optimal, ratio(0, 1))
    );
    again(&answer);
    // With the schedule the claim is complete.
    let whole = Proved::from(answer.clone()).with(Some(state), claim.schedule, &unlimited);
    let whole = whole.unwrap();
    assert!(whole.plan().is_some() && answer.plan().is_none());
    again(&whole);
    // A schedule is evidence enough.
    let scheduled = Claim {
        state: None,
        ..whole.claim().clone()
    };
    let scheduled = judge(scheduled, &unlimited).unwrap();
    assert_eq!(
        (scheduled.throughput(), scheduled.status()),
        (Some(&ratio(1, 2)), Status::Optimal)
    );
    let slim = whole.slim();
    assert_eq!(
        (slim.throughput(), slim.patterns()),
        (Some(&ratio(1, 2)), None)
    );
}

/// A merge of 2 does not fit in a period of 3/2, in any unit.
#[test]
fn merges_fit_in_the_period() {
    let links = [("A", "B", ratio(1, 2))];
    let platform = platform(&["A", "B"], &links);
    let [a, b] = [0, 1].map(NodeId::new);
    let collective = Collective::reduce(b, vec![a, b]).in_order();
    let tasks = vec![
        oneport_plan::Task::send(LinkId::new(0), part(0, 0)),
        oneport_plan::Task::merge(b, part(0, 1), 0),
    ];
    let tree = oneport_plan::Pattern::tree(0, None, tasks);
    let volumes = Volumes {
        size: oneport_plan::Amount::Constant(ratio(1, 1)),
        work: oneport_plan::Amount::Constant(ratio(2, 1)),
    };
    let with = |period: Rational| {
        let schedule = oneport_plan::PeriodicSchedule {
            period,
            instances: 1u32.into(),
            patterns: vec![scheduled(&tree, 1)],
            slots: vec![oneport_plan::Slot {
                shares: Vec::new(),
                length: ratio(1, 2),
                links: vec![LinkId::new(0)],
            }],
        };
        check_schedule(&platform, &collective, &volumes, &schedule)
    };
    for period in [ratio(2, 1), ratio(5, 2)] {
        assert_eq!(with(period), Ok(()));
    }
    for period in [ratio(3, 2), ratio(199, 100)] {
        let right = format!("the merges at 'B' take 2 per period; the period is {period}");
        assert_eq!(told(&with(period)), right);
    }
}
