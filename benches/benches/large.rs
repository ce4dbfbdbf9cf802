//! Collectives on many nodes, each compared with one search on the same platform: an arborescence for copies and
//! reductions, shortest paths for messages that travel alone. Algorithms that are quadratic in the nodes show here
//! first.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use num_traits::ToPrimitive;
use oneport::{Collective, Options, Platform, Problem, Until, Volumes, solve};
use oneport_benches::{broadcast, certified, commutative, gather, multicast, platform, scatter};
use oneport_graph::arborescence::arborescence;
use oneport_graph::petgraph::visit::EdgeRef;
use oneport_graph::{Digraph, shortest_paths};
use oneport_numbers::{Scaled, whole};

/// Rounds of column generation of a multicast, which need not reach the optimum.
const ROUNDS: usize = 12;

/// From, to and cost of all links.
fn links(platform: &Platform) -> Vec<(usize, usize, u64)> {
    let costs: Vec<_> = platform
        .links()
        .iter()
        .map(|link| link.cost.clone())
        .collect();
    let costs = Scaled::coarsest(&costs).values;
    let link = |(link, cost): (&oneport::platform::Link, &num_bigint::BigUint)| {
        (
            link.from.index(),
            link.to.index(),
            cost.to_u64().expect("costs from 1 to 10"),
        )
    };
    platform.links().iter().zip(&costs).map(link).collect()
}

/// One arborescence out of the first node, with its proof.
fn one_arborescence(nodes: usize, links: &[(usize, usize, u64)]) {
    let found = arborescence(nodes, 0, links).expect("a connected platform is spanned");
    assert_eq!(found.dual.weights.iter().sum::<u64>(), found.cost);
}

/// One search for shortest paths from the first node.
fn one_search(graph: &Digraph<u64>) {
    let paths = shortest_paths(graph, [(0, 0)], |arc| *arc.weight(), |_| true);
    assert_eq!(paths.settled.len(), graph.nodes());
}

/// Some rounds: a steady state and a bound that the referee accepted, at most three times as much.
fn some_rounds(platform: &Platform, collective: &Collective) {
    let volumes = Volumes::default();
    let problem = Problem::new(platform, collective, &volumes).expect("the question is proper");
    let options = Options {
        until: Until::rounds(ROUNDS + 1),
        ..Options::default()
    };
    let solved = solve(&problem, &options).expect("a connected platform has a plan");
    let plan = solved.plan().expect("a connected platform has a plan");
    let (throughput, bound) = (&plan.steady_state.throughput, plan.upper_bound);
    assert!(throughput <= bound && *bound <= throughput * whole(3));
}

fn large(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("large");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for nodes in [300, 1000] {
        let platform = platform(nodes, 1);
        let links = links(&platform);
        let graph = Digraph::new(nodes, links.clone());
        group.bench_function(format!("arborescence_{nodes}"), |bencher| {
            bencher.iter(|| one_arborescence(nodes, &links));
        });
        group.bench_function(format!("search_{nodes}"), |bencher| {
            bencher.iter(|| one_search(&graph))
        });
        let mut optimal = vec![
            ("broadcast", broadcast(&platform)),
            ("scatter", scatter(&platform)),
            ("gather", gather(&platform)),
        ];
        if nodes == 300 {
            optimal.push(("reduce", commutative(&platform)));
            let collective = multicast(&platform);
            group.bench_function(format!("multicast_{nodes}"), |bencher| {
                bencher.iter(|| some_rounds(&platform, &collective));
            });
        }
        for (name, collective) in optimal {
            group.bench_function(format!("{name}_{nodes}"), |bencher| {
                bencher.iter(|| certified(&platform, &collective));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, large);
criterion_main!(benches);
