//! One reduction with equal costs: the gain of two queues over a heap, and of counting over building.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use oneport::Rational;
use oneport::homogeneous::reference::listing;
use oneport::homogeneous::{Costs, Strategy, Tie, broadcast, length, reduce, reduce_released};
use oneport::plan::Concurrency;
use oneport_numbers::whole;

/// Ten to the sixth values are built, ten to the eighteenth counted.
const BUILT: u64 = 1_000_000;
const COUNTED: u64 = 1_000_000_000_000_000_000;

fn costs(transfer: u64, compute: u64) -> Costs {
    Costs::new(whole(transfer), whole(compute)).expect("costs are positive")
}

fn counted(values: u64, costs: &Costs, limit: Concurrency) -> Rational {
    length(values, costs, Strategy::Greedy, limit, Tie::Oldest).expect("a proper question")
}

fn building(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("homogeneous_million");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let pair = costs(3, 5);
    let optimum = counted(BUILT, &pair, Concurrency::Unlimited);
    group.bench_function("heap", |bencher| {
        bencher.iter(|| {
            let heap = listing(BUILT as u32, &3_u64, &5, Concurrency::Unlimited);
            assert_eq!(heap.length().map(whole).as_ref(), Some(&optimum));
        });
    });
    let limits = [
        ("queues", Concurrency::Unlimited),
        ("queues_1000_transfers", Concurrency::Transfers(1000)),
        ("queues_1000_reducers", Concurrency::Reducers(1000)),
    ];
    for (name, limit) in limits {
        let optimum = counted(BUILT, &pair, limit);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let built = reduce(BUILT, &pair, Strategy::Greedy, limit, Tie::Oldest)
                    .expect("a proper question");
                assert_eq!(built.length, optimum);
            });
        });
    }
    group.bench_function("broadcast", |bencher| {
        bencher.iter(|| {
            let found = broadcast(BUILT, &pair, Concurrency::Unlimited).expect("a proper question");
            assert_eq!(found.length, optimum);
        });
    });
    group.finish();
}

fn counting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("homogeneous_length");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let questions = [
        ("unlimited", costs(3, 5), Concurrency::Unlimited, 386_u64),
        (
            "billion_reducers",
            costs(3, 5),
            Concurrency::Reducers(1_000_000_007),
            5_000_000_157,
        ),
        (
            "billion_short_transfers",
            costs(3, 5),
            Concurrency::Transfers(1_000_000_007),
            3_000_000_175,
        ),
    ];
    for (name, pair, limit, expected) in questions {
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(counted(COUNTED, &pair, limit), whole(expected)));
        });
    }
    group.finish();
}

fn released(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("homogeneous_released");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    let ready: Vec<_> = (0..20_000)
        .map(|value| whole(value * value % 997))
        .collect();
    let pair = costs(3, 5);
    group.bench_function("20000_values", |bencher| {
        bencher.iter(|| {
            let found = reduce_released(&ready, None, &pair).expect("a proper question");
            assert_eq!(found.reduction.length, found.lower_bound);
        });
    });
    group.finish();
}

criterion_group!(benches, building, counting, released);
criterion_main!(benches);
