//! Measures the speed of single reductions on unequal speeds: the paper's programs and searches (Liu-Kuo-Wang 2009)
//! against ours.

use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use oneport::heterogeneous::guided::{Guide, Reading, search};
use oneport::heterogeneous::tables::{Rule, Table};
use oneport::heterogeneous::{Answer, Budget, Cluster, Method, levels, shortest};
use oneport::plan::Class;
use oneport::{Rational, Status};

fn time(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

fn cluster(classes: &[(Rational, u64)]) -> Cluster {
    let classes: Vec<Class> = classes
        .iter()
        .map(|(time, senders)| Class {
            time: time.clone(),
            senders: *senders,
        })
        .collect();
    Cluster::new(&classes).expect("proper classes")
}

fn optimal(cluster: &Cluster, method: Method) -> Answer {
    let budget = Budget {
        states: u64::MAX,
        watch: &|_| ControlFlow::Continue(()),
    };
    let answer = shortest(cluster, method, &budget).expect("the method applies");
    assert_eq!(answer.shortest.stated_status(), Status::Optimal);
    answer
}

/// The dynamic program of Table 3 (and 4) against levels, for the same clusters.
fn programs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("two_classes");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(2));
    let (fast, slow) = (time(1, 1), time(17, 10));
    for size in [150usize, 400] {
        let question = cluster(&[(fast.clone(), size as u64), (slow.clone(), size as u64)]);
        let expected = optimal(&question, Method::Levels).shortest.length;
        for (name, rule) in [
            ("table_3", Rule::MonotoneSlow),
            ("table_4", Rule::MonotoneBoth),
        ] {
            group.bench_function(format!("{name}_{size}"), |bencher| {
                bencher.iter(|| {
                    let table =
                        Table::build(&fast, &slow, size, size, rule).expect("a small table");
                    assert_eq!(table.length(size, size), Some(expected.clone()));
                });
            });
        }
    }
    for size in [150u64, 1000, 1_000_000, 1_000_000_000, 1 << 62] {
        let question = cluster(&[(fast.clone(), size), (slow.clone(), size)]);
        group.bench_function(format!("levels_{size}"), |bencher| {
            bencher.iter(|| {
                let length = optimal(&question, Method::Levels).shortest.length;
                // Path sums differ by at least a tenth.
                let below = &length - time(1, 20);
                assert!(levels::holds(size, size, &fast, &slow, &length).expect("proper"));
                assert!(!levels::holds(size, size, &fast, &slow, &below).expect("proper"));
            });
        });
    }
    group.finish();
}

/// Table 1's last row: 21 processors of three classes.
fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("three_classes_21_processors");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(2));
    let question = cluster(&[(time(3, 1), 7), (time(4, 1), 7), (time(5, 1), 6)]);
    let expected = optimal(&question, Method::Slots).shortest.length;
    group.bench_function("paper_guided", |bencher| {
        bencher.iter(|| {
            let count =
                search(&question, Guide::SlowestFirst, Reading::Outside, u64::MAX).expect("proper");
            assert!(count.complete);
            assert_eq!(count.length.as_ref(), Some(&expected));
        });
    });
    for method in [Method::Search, Method::Slots, Method::DynamicProgram] {
        group.bench_function(method.name(), |bencher| {
            bencher.iter(|| assert_eq!(optimal(&question, method).shortest.length, expected));
        });
    }
    group.finish();
}

criterion_group!(benches, programs, searches);
criterion_main!(benches);
