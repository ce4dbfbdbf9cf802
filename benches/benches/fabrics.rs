//! Measures the time of a certified plan for an all-gather on a machine-learning fabric.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use oneport::platform::generate::{dgx_a100, mi250};
use oneport_benches::{all_gather, certified};

fn fabrics(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("all_gather_fabrics");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let fabrics = [
        ("a100_2_boxes", dgx_a100(2), "65/3"),
        ("a100_4_boxes", dgx_a100(4), "25/3"),
        ("a100_8_boxes", dgx_a100(8), "25/7"),
        ("mi250_2_boxes", mi250(2), "166/15"),
    ];
    for (name, platform, throughput) in fabrics {
        let platform = platform.expect("a sensible size");
        let collective = all_gather(&platform);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let planned = certified(&platform, &collective);
                assert_eq!(planned.answer.bound().to_string(), throughput);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, fabrics);
criterion_main!(benches);
