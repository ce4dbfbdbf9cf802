//! Measures the time of a certified plan for scatter to all, and the gain of aggregation.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use num_traits::One;
use oneport::{Problem, Rational, Status};
use oneport_benches::{certified, platform, scatter};
use oneport_lp::{self as lp, Formulation, Question};

fn plans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scatter_to_all");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for nodes in [100, 1000, 10_000] {
        let platform = platform(nodes, 1);
        let collective = scatter(&platform);
        group.bench_function(format!("{nodes}_nodes"), |bencher| {
            bencher.iter(|| certified(&platform, &collective))
        });
    }
    group.finish();
}

/// Both formulations in one run. The ratio is the gain.
fn formulations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scatter_formulations");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let platform = platform(24, 1);
    let collective = scatter(&platform);
    let volumes = oneport::Volumes::of_size(Rational::one());
    let question =
        Question::new(&Problem::new(&platform, &collective, &volumes).expect("a proper question"));
    let solve = |formulation| {
        let solution = lp::solve(&question, &lp::Options::from(formulation)).expect("HiGHS works");
        assert_eq!(solution.status, Status::Optimal);
        solution.steady_state.throughput
    };
    assert_eq!(solve(Formulation::Columns), solve(Formulation::Compact));
    group.bench_function("aggregated_24_nodes", |bencher| {
        bencher.iter(|| solve(Formulation::Columns))
    });
    group.bench_function("compact_24_nodes", |bencher| {
        bencher.iter(|| solve(Formulation::Compact))
    });
    group.finish();
}

criterion_group!(benches, plans, formulations);
criterion_main!(benches);
