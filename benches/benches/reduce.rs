//! Measures the time of a certified plan for a reduction among all processors.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use oneport_benches::{certified, commutative, platform, reduce, reduce_scatter};

fn plans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reduce_all");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for nodes in [16, 24, 48] {
        let platform = platform(nodes, 1);
        let collective = reduce(&platform);
        group.bench_function(format!("{nodes}_nodes"), |bencher| {
            bencher.iter(|| certified(&platform, &collective))
        });
    }
    group.finish();
}

fn kinds(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reductions_16_nodes");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let platform = platform(16, 1);
    let kinds = [
        ("ordered", reduce(&platform)),
        ("commutative", commutative(&platform)),
        ("reduce_scatter", reduce_scatter(&platform)),
    ];
    let throughputs: Vec<_> = kinds
        .iter()
        .map(|(_, kind)| certified(&platform, kind).answer.bound().clone())
        .collect();
    assert!(throughputs[1] >= throughputs[0], "more freedom");
    assert!(
        throughputs[2] <= throughputs[0],
        "one reduction of the sixteen"
    );
    for (name, kind) in kinds {
        group.bench_function(name, |bencher| bencher.iter(|| certified(&platform, &kind)));
    }
    group.finish();
}

criterion_group!(benches, plans, kinds);
criterion_main!(benches);
