//! The cost of exactness: time of the compact scatter program against HiGHS's time in it.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use num_traits::One;
use oneport::{Problem, Rational};
use oneport_benches::{platform, scatter};
use oneport_lp::{self as lp, Formulation, Question};

fn certified(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compact_scatter_certified");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    // n nodes make about n^2 rows: 100 nodes for 10,000 rows, 316 for 100,000 (`--example share_exact`).
    for nodes in [50, 100] {
        let platform = platform(nodes, 1);
        let collective = scatter(&platform);
        let volumes = oneport::Volumes::of_size(Rational::one());
        let question = Question::new(
            &Problem::new(&platform, &collective, &volumes).expect("a proper question"),
        );
        let options = lp::Options::from(Formulation::Compact);
        let reference = lp::solve(&question, &lp::Options::default()).expect("HiGHS works");
        group.bench_function(format!("{nodes}_nodes"), |bencher| {
            bencher.iter_custom(|iterations| {
                let started = Instant::now();
                for _ in 0..iterations {
                    let solution = lp::solve(&question, &options).expect("HiGHS works");
                    assert_eq!(
                        solution.steady_state.throughput,
                        reference.steady_state.throughput
                    );
                }
                started.elapsed()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, certified);
criterion_main!(benches);
