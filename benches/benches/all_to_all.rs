//! Measures the time of a certified plan for the personalised all-to-all.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use oneport_benches::{all_to_all, certified, platform};

fn plans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("all_to_all");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for nodes in [16, 32] {
        let platform = platform(nodes, 1);
        let collective = all_to_all(&platform, nodes);
        group.bench_function(format!("{nodes}_of_{nodes}"), |bencher| {
            bencher.iter(|| certified(&platform, &collective))
        });
    }
    group.finish();
}

criterion_group!(benches, plans);
criterion_main!(benches);
