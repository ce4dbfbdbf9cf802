//! Single reductions side by side: ours and the papers' own algorithms, once each, in one run.
//!
//! `cargo run --release -p oneport-benches --example single [all]` (`all` adds 10^8 values: 3 GB)

use std::ops::ControlFlow;
use std::time::Instant;

use oneport::heterogeneous::guided::{self, Guide, Reading};
use oneport::heterogeneous::tables::{Rule, Table};
use oneport::heterogeneous::{Budget, Cluster, Method};
use oneport::homogeneous::reference::listing;
use oneport::homogeneous::{Costs, Strategy, Tie, length, reduce};
use oneport::plan::{Class, Concurrency};
use oneport::{HeterogeneousAnswer, Status, reduce_cluster, reduce_homogeneous};
use oneport_numbers::whole;
use oneport_testkit::Dice;

fn main() {
    println!("| question | the paper's s | ours s | ratio | what |\n|---|---|---|---|---|");
    let all = std::env::args()
        .nth(1)
        .is_some_and(|argument| argument == "all");
    queues(if all {
        &[10_000_000, 100_000_000]
    } else {
        &[10_000_000]
    });
    counting();
    two_classes();
    table_1();
    classes();
    for senders in [22, 26] {
        arbitrary(senders);
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed().as_secs_f64(), result)
}

fn line(question: &str, paper: Option<f64>, ours: f64, what: &str) {
    let [theirs, ratio] = match paper {
        Some(paper) => [format!("{paper:.4}"), format!("{:.0}", paper / ours)],
        None => ["-".to_string(), "-".to_string()],
    };
    println!("| {question} | {theirs} | {ours:.6} | {ratio} | {what} |");
}

/// Algorithm 1: the heap (children and dates only) against queues with the full schedule.
fn queues(sizes: &[u64]) {
    let costs = Costs::new(whole(3), whole(5)).expect("proper costs");
    for &size in sizes {
        let (ours, schedule) = timed(|| {
            reduce(
                size,
                &costs,
                Strategy::Greedy,
                Concurrency::Unlimited,
                Tie::Oldest,
            )
            .expect("proper")
        });
        let optimum = schedule.length;
        let heap = (size <= 10_000_000)
            .then(|| timed(|| listing(size as u32, &3_u64, &5, Concurrency::Unlimited)));
        if let Some((_, listing)) = &heap {
            assert_eq!(listing.length().map(whole), Some(optimum.clone()));
        }
        let paper = heap.map(|(seconds, _)| seconds);
        line(
            &format!("greedy, n = {size}, d = 3, c = 5"),
            paper,
            ours,
            "heap against queues",
        );
    }
}

/// Lengths for 10^18 values, checked by the referee.
fn counting() {
    let costs = Costs::new(whole(3), whole(5)).expect("proper costs");
    let values = 1_000_000_000_000_000_000;
    for limit in [
        Concurrency::Unlimited,
        Concurrency::Reducers(1_000_000_007),
        Concurrency::Transfers(1_000_000_007),
    ] {
        let (ours, _) =
            timed(|| length(values, &costs, Strategy::Greedy, limit, Tie::Oldest).expect("proper"));
        let checked =
            reduce_homogeneous(values, &costs, Strategy::Greedy, limit, Tie::Oldest, false)
                .expect("proper");
        assert_eq!(checked.status(), Status::Optimal);
        line(
            &format!("length, n = 10^18, {limit:?}"),
            None,
            ours,
            "counting",
        );
    }
}

fn cluster(classes: &[(u64, u64)]) -> Cluster {
    let classes: Vec<Class> = classes
        .iter()
        .map(|&(time, senders)| Class {
            time: whole(time),
            senders,
        })
        .collect();
    Cluster::new(&classes).expect("proper classes")
}

fn optimal(cluster: &Cluster, method: Method) -> (f64, HeterogeneousAnswer) {
    let budget = Budget {
        states: u64::MAX,
        watch: &|_| ControlFlow::Continue(()),
    };
    let (seconds, found) =
        timed(|| reduce_cluster(cluster, method, &budget).expect("the method applies"));
    assert_eq!(found.answer.status(), Status::Optimal);
    (seconds, found)
}

/// The dynamic program of table 3 against levels, referee included.
fn two_classes() {
    for (size, ratio) in [(150usize, (10, 20)), (150, (10, 17)), (1000, (10, 17))] {
        let (fast, slow) = ratio;
        let table = || {
            Table::build(&whole(fast), &whole(slow), size, size, Rule::MonotoneSlow)
                .expect("a small table")
        };
        let (paper, table) = timed(table);
        let (ours, found) = optimal(
            &cluster(&[(fast, size as u64), (slow, size as u64)]),
            Method::Levels,
        );
        assert_eq!(
            table.length(size, size),
            Some(found.answer.claim().length.clone())
        );
        let question = format!("two classes {fast}:{slow}, f = s = {size}");
        line(
            &question,
            Some(paper),
            ours,
            "table 3's program against levels",
        );
    }
    for size in [1_000_000, 1_000_000_000] {
        let (ours, _) = optimal(&cluster(&[(10, size), (17, size)]), Method::Levels);
        line(
            &format!("two classes 10:17, f = s = {size}"),
            None,
            ours,
            "levels",
        );
    }
}

/// The paper's guided search, P = 21.
fn table_1() {
    let question = cluster(&[(3, 7), (4, 7), (5, 7)]);
    let (paper, count) = timed(|| {
        guided::search(&question, Guide::SlowestFirst, Reading::Outside, u64::MAX).expect("proper")
    });
    for method in [Method::Search, Method::Slots] {
        let (ours, found) = optimal(&question, method);
        assert_eq!(count.length.as_ref(), Some(&found.answer.claim().length));
        line(
            "three classes, P = 21",
            Some(paper),
            ours,
            &format!("guided search against {}", method.name()),
        );
    }
}

/// Several classes of random times: worst and mean over seeds.
fn classes() {
    for (count, senders, most) in [(3u64, 100_000u64, 60u64), (6, 2000, 60), (6, 2000, 1000)] {
        let mut seconds = Vec::new();
        let mut open = 0;
        for seed in 1..=10 {
            let mut dice = Dice::new(seed);
            let classes: Vec<(u64, u64)> = (0..count)
                .map(|_| (dice.within(3, most + 2), senders / count))
                .collect();
            let budget = Budget {
                states: u64::MAX,
                watch: &|_| ControlFlow::Continue(()),
            };
            let (took, found) = timed(|| {
                reduce_cluster(&cluster(&classes), Method::Auto, &budget).expect("it applies")
            });
            open += usize::from(found.answer.status() != Status::Optimal);
            seconds.push(took);
        }
        let worst = seconds.iter().copied().fold(0.0, f64::max);
        let question = format!("k = {count}, n = {senders}, times to {most}, worst of 10");
        line(
            &question,
            None,
            worst,
            &format!("auto; {open} not proved optimal"),
        );
    }
}

/// Arbitrary times from 10 to 109: worst over seeds.
fn arbitrary(senders: usize) {
    let mut worst: f64 = 0.0;
    for seed in 1..=20 {
        let mut dice = Dice::new(seed);
        let times: Vec<(u64, u64)> = (0..senders).map(|_| (dice.within(10, 109), 1)).collect();
        let (seconds, _) = optimal(&cluster(&times), Method::Auto);
        worst = worst.max(seconds);
    }
    line(
        &format!("arbitrary times, n = {senders}, worst of 20"),
        None,
        worst,
        "auto, proved optimal",
    );
}
