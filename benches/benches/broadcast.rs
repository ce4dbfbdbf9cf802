//! Measures the time of a certified plan for a broadcast, full-duplex and half-duplex, and for an all-gather.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use oneport::PortModel;
use oneport_benches::{all_gather, broadcast, certified, paper_p, platform};

fn full_duplex(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broadcast_full_duplex");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for nodes in [20, 100] {
        let platform = platform(nodes, 1);
        let collective = broadcast(&platform);
        group.bench_function(format!("{nodes}_nodes"), |bencher| {
            bencher.iter(|| certified(&platform, &collective))
        });
    }
    let platform = platform(20, 1);
    let collective = all_gather(&platform);
    group.bench_function("all_gather_20_nodes", |bencher| {
        bencher.iter(|| certified(&platform, &collective))
    });
    group.finish();
}

fn half_duplex(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broadcast_half_duplex");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for nodes in [10, 20, 50] {
        let platform = platform(nodes, 1).with_model(PortModel::HalfDuplex);
        let collective = broadcast(&platform);
        let optimum = certified(&platform, &collective).answer.bound().clone();
        group.bench_function(format!("{nodes}_nodes"), |bencher| {
            bencher.iter(|| certified(&platform, &collective))
        });
        if nodes == 10 {
            let source = platform
                .processors()
                .next()
                .expect("a platform has processors");
            group.bench_function("paper_p_10_nodes", |bencher| {
                bencher.iter(|| {
                    let theirs = paper_p::solve(&platform, source, Duration::from_secs(60));
                    assert_eq!(
                        theirs.throughput.as_ref(),
                        Some(&optimum),
                        "both programs have one optimum"
                    );
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, full_duplex, half_duplex);
criterion_main!(benches);
