//! Measures the time of the one-port decomposition at full size.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use oneport_matching::{Edge, Watch, decompose, max_weighted_degree};
use oneport_numbers::whole;
use oneport_testkit::Dice;

/// `vertices` senders and receivers, `degree` edges per sender, weights up to a million.
fn graph(vertices: usize, degree: usize) -> Vec<Edge> {
    let mut dice = Dice::new(1);
    (0..vertices * degree)
        .map(|index| Edge {
            left: index / degree,
            right: dice.below(vertices),
            weight: whole(dice.within(1, 1_000_000)),
        })
        .collect()
}

fn decomposition(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decompose");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for (vertices, degree) in [(200, 8), (1000, 20)] {
        let edges = graph(vertices, degree);
        let total = max_weighted_degree(vertices, vertices, &edges).expect("a proper graph");
        group.bench_function(format!("{vertices}_vertices_degree_{degree}"), |bencher| {
            bencher.iter(|| {
                let steps = decompose(vertices, vertices, &edges, &Watch::unlimited())
                    .expect("a proper graph")
                    .steps;
                assert!(steps.len() <= edges.len() + 2 * vertices);
                assert_eq!(
                    steps.iter().fold(whole(0), |sum, step| sum + &step.length),
                    total
                );
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decomposition);
criterion_main!(benches);
