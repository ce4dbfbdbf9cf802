//! Prices, flows, rings and trees that are found without a program, against optima, and false claims about them.

use num_traits::{One, Zero};
use oneport_lp::{Options, Question, Spread, cut_bound, ring_routings, solve, spread};
use oneport_plan::{Amount, Around, Collective, Form, Problem, Routing, SharedFlow, Volumes};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::{Rule, Watch, bound, sustained};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::common::ratio;

const MODELS: [PortModel; 4] = [
    PortModel::Links,
    PortModel::FullDuplex,
    PortModel::HalfDuplex,
    PortModel::Multiport,
];

/// Processors and switches of either kind, all linked to their neighbours, so that all are reachable. Costs are often
/// equal, so that nodes are alike.
fn platforms() -> impl Strategy<Value = Platform> {
    let costs = prop::collection::vec(
        prop::option::weighted(0.4, prop_oneof![Just((2, 1)), (1..6i64, 1..3i64)]),
        36,
    );
    (2..5usize, 0..3usize, any::<u8>(), costs, 0..4usize).prop_map(
        |(processors, switches, kinds, costs, model)| {
            let mut builder = Platform::builder();
            builder.model(MODELS[model]);
            for index in 0..processors {
                builder
                    .node(Node::processor(format!("p{index}"), Rational::one()))
                    .unwrap();
            }
            for index in 0..switches {
                builder
                    .node(Node {
                        replicates: kinds >> index & 1 == 1,
                        ..Node::router(format!("s{index}"))
                    })
                    .unwrap();
            }
            let nodes = processors + switches;
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
                let around = to == (from + 1) % nodes;
                if let Some((a, b)) = costs[6 * from + to]
                    .or(around.then_some((3, 1)))
                    .filter(|_| from != to)
                {
                    builder
                        .link(NodeId::new(from), NodeId::new(to), ratio(a, b))
                        .unwrap();
                }
            }
            builder.build().unwrap()
        },
    )
}

/// Messages that travel alone, then messages that are copied, combined, or both. Some are among a part of the
/// processors.
fn collectives(platform: &Platform) -> Vec<Collective> {
    let participants: Vec<NodeId> = platform.processors().collect();
    let (first, others) = (participants[0], participants[1..].to_vec());
    vec![
        Collective::scatter(first, others.clone()),
        Collective::gather(first, others.clone()),
        Collective::all_to_all(participants.clone()),
        Collective::all_gather(participants.clone()),
        Collective::broadcast(first, others.clone()),
        Collective::broadcast(first, others[others.len() - 1..].to_vec()),
        Collective::reduce_scatter(participants.clone()),
        Collective::reduce(first, others),
        Collective::reduce(first, participants.clone()),
        Collective::all_reduce(participants),
    ]
}

fn free_merges() -> Volumes {
    Volumes {
        work: Amount::Constant(Rational::zero()),
        ..Volumes::default()
    }
}

/// The attained throughput, and the bound.
fn solved(question: &Question) -> (Rational, Rational) {
    let solution = solve(question, &Options::default()).unwrap();
    (solution.steady_state.throughput, solution.upper_bound)
}

/// Prices prove at least the optimum, flows attain at most the optimum, and both come within a few percent of it.
#[test]
fn prices_and_flows_enclose_the_optimum() {
    let mut runner = TestRunner::deterministic();
    let (mut bounds, mut flows, mut exact, mut all) = (0, 0, 0, 0);
    for _ in 0..60 {
        let platform = platforms().new_tree(&mut runner).unwrap().current();
        let volumes = Volumes::of_size(ratio(3, 2));
        for collective in &collectives(&platform)[..3] {
            let problem = Problem::new(&platform, collective, &volumes).unwrap();
            let question = Question::new(&problem);
            let optimum = solved(&question).0;
            let Spread {
                certificate,
                routing,
            } = spread(&question).unwrap().unwrap();
            let proved = bound(&problem, &certificate, &Watch::unlimited()).unwrap();
            let attained = sustained(&problem, &routing, &Watch::unlimited()).unwrap();
            assert!(
                attained <= optimum && optimum <= proved,
                "{attained} {optimum} {proved} {platform:?}"
            );
            bounds += usize::from(&proved * ratio(99, 100) <= optimum);
            flows += usize::from(&optimum * ratio(97, 100) <= attained);
            exact += usize::from(proved == optimum);
            all += 1;
        }
    }
    // Not always, because 300 rounds are an approximation.
    assert!(
        bounds * 10 >= all * 8 && flows * 10 >= all * 8 && exact * 2 >= all,
        "{bounds} {flows} {exact} of {all}"
    );
}

/// On a torus, prices change in every dimension, for all sizes. The longest dimension decides.
#[test]
fn tori_are_exact() {
    for (sides, throughput) in [
        (&[4, 4][..], ratio(1, 8)),
        (&[3, 6], ratio(2, 27)),
        (&[2, 3, 5], ratio(1, 18)),
    ] {
        let torus = oneport_platform::generate::torus(sides).unwrap();
        let collective = Collective::all_to_all(torus.processors().collect());
        let volumes = Volumes::default();
        let problem = Problem::new(&torus, &collective, &volumes).unwrap();
        let question = Question::new(&problem);
        // Links of 25 GB/s.
        let throughput = throughput * ratio(25, 1);
        assert_eq!(solved(&question).0, throughput, "{sides:?}");
        let Spread {
            certificate,
            routing,
        } = spread(&question).unwrap().unwrap();
        assert_eq!(
            bound(&problem, &certificate, &Watch::unlimited()).unwrap(),
            throughput,
            "{sides:?}"
        );
        let attained = sustained(&problem, &routing, &Watch::unlimited()).unwrap();
        assert!(
            attained > throughput * ratio(999, 1000),
            "{attained} {sides:?}"
        );
    }
}

/// Rings, and trees by Edmonds' theorem, attain at most the optimum. Trees attain all of it if the theorem applies.
#[test]
fn rings_and_trees_stay_below_the_optimum() {
    let mut runner = TestRunner::deterministic();
    let (mut rings, mut trees, mut refused) = (0, 0, 0);
    for _ in 0..40 {
        let platform = platforms().new_tree(&mut runner).unwrap().current();
        let volumes = free_merges();
        for collective in &collectives(&platform)[3..] {
            // For one of two processors there is nothing to reduce.
            let Ok(problem) = Problem::new(&platform, collective, &volumes) else {
                continue;
            };
            let question = Question::new(&problem);
            let (attained, proved) = solved(&question);
            for ring in ring_routings(&question) {
                let found = sustained(&problem, &ring.unwrap(), &Watch::unlimited()).unwrap();
                assert!(
                    found <= proved,
                    "{found} {proved} {collective:?} {platform:?}"
                );
                rings += 1;
            }
            let rate = |gathers: bool| {
                let participants: Vec<NodeId> = platform.processors().collect();
                let whole = match (collective.is(Form::ALL_REDUCE), gathers) {
                    (true, true) => Collective::all_gather(participants),
                    (true, false) => Collective::reduce_scatter(participants),
                    _ => collective.clone(),
                };
                let question = Question::new(&Problem::new(&platform, &whole, &volumes).unwrap());
                Some(cut_bound(&question).unwrap()?.throughput)
            };
            let (Some(copied), Some(combined)) = (rate(true), rate(false)) else {
                continue;
            };
            let promise = Routing::Branchings {
                copied: copied.clone(),
                combined: combined.clone(),
            };
            match sustained(&problem, &promise, &Watch::unlimited()) {
                Ok(found) if collective.is(Form::ALL_REDUCE) => assert!(found <= proved),
                Ok(found) => {
                    assert_eq!(
                        (&found, &found),
                        (&attained, &proved),
                        "{collective:?} {platform:?}"
                    );
                    trees += 1;
                    // A slightly higher rate is too much.
                    let more = |rate: Rational| rate * ratio(1001, 1000);
                    let lie = Routing::Branchings {
                        copied: more(copied),
                        combined: more(combined),
                    };
                    let refusal = sustained(&problem, &lie, &Watch::unlimited()).unwrap_err();
                    assert_eq!(refusal.rule(), Rule::SteadyState, "{refusal}");
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(
        rings > 200 && trees > 20 && refused > 5,
        "{rings} rings, {trees} trees, {refused} refused"
    );
}

/// A copying router on the butterfly promises a throughput that no trees attain: it offers more than it receives.
#[test]
fn the_butterfly_is_refused() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let [s, t1, t2] = ["s", "t1", "t2"].map(|name| {
        builder
            .node(Node::processor(name, Rational::one()))
            .unwrap()
    });
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| builder.node(Node::router(name)).unwrap());
    for (from, to) in [
        (s, a),
        (s, b),
        (a, t1),
        (a, c),
        (b, c),
        (b, t2),
        (c, d),
        (d, t1),
        (d, t2),
    ] {
        builder.link(from, to, Rational::one()).unwrap();
    }
    let platform = builder.build().unwrap();
    let collective = Collective::broadcast(s, vec![t1, t2]);
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let (copied, combined) = (ratio(2, 1), ratio(2, 1));
    let refusal = sustained(
        &problem,
        &Routing::Branchings { copied, combined },
        &Watch::unlimited(),
    )
    .unwrap_err();
    assert!(refusal.to_string().contains("offers"), "{refusal}");
}

/// Flows that lose messages, rings with gaps and paths with wrong ends are refused.
#[test]
fn lies_are_refused() {
    let ring = oneport_platform::generate::torus(&[5]).unwrap();
    let participants: Vec<NodeId> = ring.processors().collect();
    let volumes = Volumes::default();
    let all = Collective::all_to_all(participants.clone());
    let problem = Problem::new(&ring, &all, &volumes).unwrap();
    let Routing::Flows(flows) = spread(&Question::new(&problem)).unwrap().unwrap().routing else {
        panic!("flows")
    };
    let sustained_after = |change: fn(&mut Vec<SharedFlow>)| {
        let mut changed = flows.clone();
        change(&mut changed);
        sustained(&problem, &Routing::Flows(changed), &Watch::unlimited())
    };
    assert_eq!(sustained_after(|_| {}).unwrap(), ratio(25, 3));
    for change in [
        |flows: &mut Vec<SharedFlow>| _ = flows.pop(),
        |flows: &mut Vec<SharedFlow>| flows[1] = flows[0].clone(),
        |flows: &mut Vec<SharedFlow>| flows[2].is_source = false,
        |flows: &mut Vec<SharedFlow>| flows[2].unit = 0,
        |flows: &mut Vec<SharedFlow>| flows[2].unit *= 2,
        |flows: &mut Vec<SharedFlow>| flows[0].amounts[0] += 1,
        |flows: &mut Vec<SharedFlow>| _ = flows[0].amounts.pop(),
        |flows: &mut Vec<SharedFlow>| flows[0].root = NodeId::new(99),
        |flows: &mut Vec<SharedFlow>| flows.clear(),
    ] {
        sustained_after(change).unwrap_err();
    }
    let gather = Collective::all_gather(participants.clone());
    let problem = Problem::new(&ring, &gather, &volumes).unwrap();
    let question = Question::new(&problem);
    let Some(Ok(Routing::Ring(around))) = ring_routings(&question).next() else {
        panic!("a ring")
    };
    let sustained_after = |change: fn(&mut Around)| {
        let mut changed = around.clone();
        change(&mut changed);
        sustained(&problem, &Routing::Ring(changed), &Watch::unlimited())
    };
    assert_eq!(sustained_after(|_| {}).unwrap(), ratio(25, 4));
    for change in [
        |around: &mut Around| _ = around.order.pop(),
        |around: &mut Around| around.order.swap(0, 1),
        |around: &mut Around| around.order[1] = around.order[0],
        |around: &mut Around| around.ways[0].clear(),
        |around: &mut Around| around.ways.swap(1, 2),
        |around: &mut Around| {
            around.order.pop();
            around.ways.pop();
        },
    ] {
        sustained_after(change).unwrap_err();
    }
}
