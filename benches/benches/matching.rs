//! Measures the time of the one-port decomposition at full size.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use num_traits::Zero;
use oneport::Rational;
use oneport_matching::{Edge, Watch, decompose, max_weighted_degree};

/// 1000 senders and receivers, 20,000 edges, weights up to a million, from a small linear congruential generator.
fn graph(vertices: usize, degree: usize) -> Vec<Edge> {
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..vertices * degree)
        .map(|index| Edge {
            left: index / degree,
            right: draw(vertices as u64) as usize,
            weight: Rational::from_integer((1 + draw(1_000_000)).into()),
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
                    steps
                        .iter()
                        .fold(Rational::zero(), |sum, step| sum + &step.length),
                    total
                );
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decomposition);
criterion_main!(benches);
