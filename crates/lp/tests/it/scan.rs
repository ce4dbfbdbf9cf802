//! Scans: steady states of schemes, against a naive checker, and the bound of shared values, proved again.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_lp::{Bound, Question, Solution, shared_bound, solve};
use oneport_plan::inequality::Inequality;
use oneport_plan::{
    CapacityRow, Certificate, Collective, Interval, Pattern, Problem, Resource, Status, Task,
    Volumes,
};
use oneport_platform::generate::{Costs, Options, complete, grid, random_connected, ring, star};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational, whole};
use oneport_referee::bound;
use oneport_testkit::ratio;
use oneport_watch::Watch;

fn options(seed: u64, high: u32) -> Options {
    let costs = Costs::Uniform {
        low: 1,
        high: high.into(),
    };
    Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    }
}

/// The bound that the referee derives from prices and shares. It may be at most the bound for which they were made.
fn proves(question: &Question, shared: &Bound) -> Option<Rational> {
    bound(
        &Problem::new(
            question.platform(),
            question.collective(),
            question.volumes(),
        )
        .unwrap(),
        &shared.certificate,
        &Watch::unlimited(),
    )
    .ok()
}

fn steady(question: &Question) -> Solution {
    solve(question, &oneport_lp::Options::default()).unwrap()
}

/// Executes a scheme and records the operands of every result. Panics if a task lacks an input.
fn carry_out(platform: &Platform, participants: &[NodeId], scheme: &Pattern) {
    let mut results: Vec<(NodeId, Vec<usize>)> = Vec::new();
    let mut uses: BTreeMap<u32, usize> = BTreeMap::new();
    for &task in &scheme.tasks {
        let mut take = |input: Option<u32>, node: NodeId, part: Interval| -> Vec<usize> {
            let Some(input) = input else {
                assert_eq!(
                    (part.first, participants[part.first]),
                    (part.last, node),
                    "an operand at its owner"
                );
                return vec![part.first];
            };
            *uses.entry(input).or_default() += 1;
            let (index, value) = &results[input as usize];
            assert_eq!(*index, node);
            assert!(
                platform.node(node).replicates || uses[&input] == 1,
                "copied at a switch"
            );
            value.clone()
        };
        let result = match task {
            Task::Send { link, part, after } => (
                platform.link(link).to,
                take(after, platform.link(link).from, part),
            ),
            Task::Merge {
                node,
                part,
                split,
                left,
                right,
            } => {
                assert!(platform.node(node).is_processor());
                let mut value = take(
                    left,
                    node,
                    Interval {
                        first: part.first,
                        last: split,
                    },
                );
                value.extend(take(
                    right,
                    node,
                    Interval {
                        first: split + 1,
                        last: part.last,
                    },
                ));
                (node, value)
            }
        };
        let part = match task {
            Task::Send { part, .. } | Task::Merge { part, .. } => part,
        };
        assert_eq!(
            result.1,
            (part.first..=part.last).collect::<Vec<_>>(),
            "in order, each once"
        );
        results.push(result);
    }
    for (last, &node) in participants.iter().enumerate().skip(1) {
        let prefix: Vec<usize> = (0..=last).collect();
        assert!(
            results.contains(&(node, prefix)),
            "prefix {last} at {node:?}"
        );
    }
}

/// Weights add up and no resource is overloaded.
fn check(platform: &Platform, participants: &[NodeId], size: &Rational, solution: &Solution) {
    let mut loads: BTreeMap<Resource, Rational> = BTreeMap::new();
    let mut sum = Rational::zero();
    for weighted in &solution.steady_state.patterns {
        carry_out(platform, participants, &weighted.pattern);
        sum += &weighted.weight;
        for task in &weighted.pattern.tasks {
            match *task {
                Task::Send { link, .. } => {
                    let time = &platform.link(link).cost * size * &weighted.weight;
                    for resource in Resource::uses(platform, link).map(|used| used.resource) {
                        *loads.entry(resource).or_default() += &time;
                    }
                }
                Task::Merge { node, .. } => {
                    let time = platform.node(node).compute.clone().unwrap() * &weighted.weight;
                    *loads.entry(Resource::Compute(node)).or_default() += time;
                }
            }
        }
    }
    assert_eq!(sum, solution.steady_state.throughput);
    for (resource, load) in loads {
        assert!(
            load <= whole(resource.capacity(platform)),
            "{resource:?} takes {load}"
        );
    }
}

#[derive(Default)]
struct Count {
    cases: usize,
    optimal: usize,
    by_shared: usize,
}

impl Count {
    fn case(&mut self, platform: &Platform, participants: &[NodeId], size: Rational) -> Bound {
        let collective = Collective::scan(participants.to_vec());
        let volumes = Volumes::of_size(size.clone());
        let question = Question::new(&Problem::new(platform, &collective, &volumes).unwrap());
        let solution = steady(&question);
        check(platform, participants, &size, &solution);
        let shared = shared_bound(&question).unwrap().unwrap();
        let proved = proves(&question, &shared);
        assert!(
            proved
                .as_ref()
                .is_some_and(|proved| *proved <= shared.throughput),
            "{proved:?}, {}",
            shared.throughput
        );
        let proved = |certificate: &Certificate| {
            bound(
                &Problem::new(platform, &collective, &volumes).unwrap(),
                certificate,
                &Watch::unlimited(),
            )
        };
        assert_eq!(
            proved(&shared.certificate),
            Ok(shared.throughput.clone()),
            "so the referee finds"
        );
        assert_eq!(proved(&solution.certificate), Ok(shared.throughput.clone()));
        let throughput = &solution.steady_state.throughput;
        assert!(
            *throughput <= shared.throughput,
            "{throughput} above {}",
            shared.throughput
        );
        assert!(solution.upper_bound <= shared.throughput && *throughput <= solution.upper_bound);
        assert_eq!(
            solution.status == Status::Optimal,
            *throughput == solution.upper_bound
        );
        self.cases += 1;
        self.optimal += usize::from(solution.status == Status::Optimal);
        self.by_shared += usize::from(*throughput == shared.throughput);
        shared
    }

    fn all(&mut self, platform: &Platform, turn: usize, size: Rational) {
        let mut participants: Vec<NodeId> = platform.processors().collect();
        let count = participants.len();
        participants.rotate_left(turn % count);
        if turn % 2 == 1 {
            participants.swap(0, 1);
        }
        self.case(platform, &participants, size);
    }

    fn report(&self, what: &str) {
        eprintln!(
            "{what}: {} of {} optimal, {} by shared values",
            self.optimal, self.cases, self.by_shared
        );
    }
}

#[test]
fn three_participants() {
    let mut count = Count::default();
    for seed in 0..8 {
        for high in [1, 3, 10] {
            let options = options(seed, high);
            for platform in [
                complete(3, &options),
                grid(1, 3, &options),
                star(2, &options),
            ] {
                count.all(&platform.unwrap(), seed as usize, ratio(seed + 1, 2));
            }
        }
    }
    count.report("n = 3");
}

#[test]
fn four_participants() {
    let mut count = Count::default();
    for seed in 0..3 {
        let options = options(seed, 4);
        for platform in [
            complete(4, &options),
            grid(1, 4, &options),
            star(3, &options),
            ring(4, &options),
            random_connected(5, 3, &options),
        ] {
            count.all(&platform.unwrap(), seed as usize, Rational::one());
        }
    }
    count.report("n = 4, 5");
}

/// Three processors around a node that only passes on.
fn around(hub: Node, costs: [i64; 3]) -> Platform {
    let mut builder = Platform::builder();
    let hub = builder.node(hub).unwrap();
    for (index, cost) in costs.into_iter().enumerate() {
        let node = builder
            .node(Node::processor(format!("p{index}"), Rational::one()))
            .unwrap();
        builder.duplex(hub, node, whole(cost)).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn routers_copy_and_switches_do_not() {
    let mut count = Count::default();
    for costs in [[1, 1, 1], [1, 2, 3], [4, 1, 2]] {
        let copying = around(Node::router("hub"), costs);
        let switch = around(
            Node {
                replicates: false,
                ..Node::router("hub")
            },
            costs,
        );
        let relay = around(
            Node {
                replicates: false,
                ..Node::processor("hub", Rational::one())
            },
            costs,
        );
        for platform in [copying, switch, relay] {
            let participants: Vec<NodeId> = platform.node_ids().skip(1).collect();
            count.case(&platform, &participants, Rational::one());
        }
    }
    count.report("around a hub");
}

/// The best schemes here end with a merge at the same node, one of a shorter prefix than the other: their parts must
/// not be joined.
#[test]
fn schemes_of_a_scan_stay_whole() {
    let mut builder = Platform::builder();
    let computes = [1, 2, 2, 3, 2].into_iter().enumerate();
    let nodes: Vec<NodeId> = computes
        .map(|(index, time)| {
            builder
                .node(Node::processor(format!("p{index}"), whole(time)))
                .unwrap()
        })
        .collect();
    for (one, other, there, back) in [
        (0, 2, 1, 1),
        (0, 3, 1, 2),
        (0, 4, 3, 2),
        (1, 2, 4, 3),
        (1, 4, 3, 4),
    ] {
        builder
            .link(nodes[one], nodes[other], whole(there))
            .unwrap();
        builder.link(nodes[other], nodes[one], whole(back)).unwrap();
    }
    let mut count = Count::default();
    count.case(&builder.build().unwrap(), &nodes, Rational::one());
}

#[test]
fn every_port_model() {
    for model in [
        PortModel::HalfDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ] {
        let mut count = Count::default();
        for seed in 0..3 {
            for platform in [
                complete(3, &options(seed, 4)),
                grid(2, 2, &options(seed, 4)),
            ] {
                count.all(
                    &platform.unwrap().with_model(model),
                    seed as usize,
                    Rational::one(),
                );
            }
        }
        count.report(model.name());
    }
}

#[test]
fn false_proofs_prove_nothing() {
    let platform = complete(3, &options(5, 4)).unwrap();
    let participants: Vec<NodeId> = platform.node_ids().collect();
    let shared = Count::default().case(&platform, &participants, Rational::one());
    let collective = Collective::scan(participants);
    let volumes = Volumes::of_size(Rational::one());
    let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
    let tiny = ratio(1, 1000);
    let altered = |need: usize, index: usize, change: &dyn Fn(&mut Rational)| {
        let mut changed = shared.clone();
        let Inequality::Tree(tree) = &mut changed.certificate.needs[need].inequality else {
            panic!("no tree")
        };
        change(&mut tree.prices[index].1);
        changed
    };
    for (need, one) in shared.certificate.needs.iter().enumerate() {
        let Inequality::Tree(tree) = &one.inequality else {
            panic!("no tree")
        };
        for index in 0..tree.prices.len() {
            // Every task of the optimum is charged in full, or at least none can be charged one further unit.
            let greedy = altered(need, index, &|price| *price += whole(100));
            assert_eq!(proves(&question, &greedy), None);
            assert_eq!(
                proves(
                    &question,
                    &altered(need, index, &|price| *price = -tiny.clone())
                ),
                None
            );
            // With a smaller charge, the proved bound is no better.
            let less = altered(need, index, &|price| *price = Rational::zero());
            assert!(proves(&question, &less).is_none_or(|bound| bound >= shared.throughput));
        }
    }
    let mut cheaper = shared.clone();
    for (_, price) in cheaper.certificate.rows.iter_mut() {
        *price /= whole(2);
    }
    assert_eq!(proves(&question, &cheaper), None);
    let mut stranger = shared;
    stranger.certificate.rows.push((
        CapacityRow::Resource(Resource::Compute(NodeId::new(99))),
        tiny,
    ));
    assert_eq!(proves(&question, &stranger), None);
}

/// The stated bound is the referee's, and never above the one that shared values prove.
#[test]
fn all_reduce_is_bounded_too() {
    let (mut cases, mut by_shared, mut optimal) = (0, 0, 0);
    for seed in 0..4 {
        for platform in [
            complete(3, &options(seed, 4)),
            grid(1, 3, &options(seed, 4)),
            star(3, &options(seed, 4)),
        ] {
            let platform = platform.unwrap();
            let collective = Collective::all_reduce(platform.node_ids().collect()).in_order();
            let volumes = Volumes::of_size(Rational::one());
            let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
            let shared = shared_bound(&question).unwrap().unwrap();
            assert!(proves(&question, &shared).is_some_and(|proved| proved <= shared.throughput));
            let solution = steady(&question);
            assert!(solution.steady_state.throughput <= shared.throughput);
            assert!(solution.upper_bound <= shared.throughput);
            let proved = bound(
                &Problem::new(&platform, &collective, &volumes).unwrap(),
                &solution.certificate,
                &Watch::unlimited(),
            );
            assert_eq!(proved, Ok(solution.upper_bound.clone()));
            assert_eq!(
                solution.status == Status::Optimal,
                solution.steady_state.throughput == solution.upper_bound
            );
            cases += 1;
            by_shared += usize::from(!solution.certificate.needs.is_empty());
            optimal += usize::from(solution.status == Status::Optimal);
        }
    }
    eprintln!("all-reduce: {optimal} of {cases} optimal, {by_shared} by shared values");
    assert!(
        by_shared > 0 && optimal > 0,
        "{optimal} optimal, {by_shared} by shared values, of {cases}"
    );
}

/// Many participants get chains, which are best if the platform is one: every node sends and receives one prefix.
#[test]
fn chains_of_many() {
    let costs = Costs::Uniform { low: 2, high: 2 };
    let platform = ring(
        32,
        &Options {
            seed: 0,
            link_cost: costs.clone(),
            compute: costs,
        },
    )
    .unwrap();
    let participants: Vec<NodeId> = platform.processors().collect();
    let collective = Collective::scan(participants.clone());
    let volumes = Volumes::of_size(Rational::one());
    let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
    let solution = steady(&question);
    assert_eq!(solution.steady_state.throughput, ratio(1, 2));
    for weighted in &solution.steady_state.patterns {
        carry_out(&platform, &participants, &weighted.pattern);
    }
    assert!(solution.upper_bound >= solution.steady_state.throughput);
    assert!(
        bound(
            &Problem::new(&platform, &collective, &volumes).unwrap(),
            &solution.certificate,
            &Watch::unlimited(),
        )
        .unwrap()
            >= solution.steady_state.throughput
    );
}
