//! Platforms and collectives of the benchmarks. Every answer is asserted.

pub mod paper_p;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oneport::platform::generate::{Options as Costs, random_connected};
use oneport::watch::{News, Watch};
use oneport::{Amount, Collective, Options, Platform, Problem, Solved, Status, Volumes, solve};
use oneport_numbers::whole;

/// A random connected platform of degree 4, costs 1..10, every node a processor.
pub fn platform(nodes: usize, seed: u64) -> Platform {
    random_connected(
        nodes,
        4,
        &Costs {
            seed,
            ..Costs::default()
        },
    )
    .expect("a sensible size")
}

/// Scatter from the first processor to all others.
pub fn scatter(platform: &Platform) -> Collective {
    let mut processors = platform.processors();
    let source = processors.next().expect("a platform has processors");
    Collective::scatter(source, processors.collect())
}

/// Gather from all others to the first processor.
pub fn gather(platform: &Platform) -> Collective {
    let mut processors = platform.processors();
    let target = processors.next().expect("a platform has processors");
    Collective::gather(target, processors.collect())
}

/// Broadcast from the first processor to every second one.
pub fn multicast(platform: &Platform) -> Collective {
    let mut processors = platform.processors();
    let source = processors.next().expect("a platform has processors");
    Collective::broadcast(source, processors.step_by(2).collect())
}

/// All-to-all among the first processors.
pub fn all_to_all(platform: &Platform, participants: usize) -> Collective {
    Collective::all_to_all(platform.processors().take(participants).collect())
}

/// Reduce among all processors into the first one.
pub fn reduce(platform: &Platform) -> Collective {
    let participants: Vec<_> = platform.processors().collect();
    let target = *participants.first().expect("a platform has processors");
    Collective::reduce(target, participants).in_order()
}

/// The collective of [`reduce`], with a commutative operator.
pub fn commutative(platform: &Platform) -> Collective {
    reduce(platform).commutative(true)
}

/// Reduce-scatter among all processors.
pub fn reduce_scatter(platform: &Platform) -> Collective {
    Collective::reduce_scatter(platform.processors().collect()).in_order()
}

/// Broadcast from the first processor to all others.
pub fn broadcast(platform: &Platform) -> Collective {
    let mut processors = platform.processors();
    let source = processors.next().expect("a platform has processors");
    Collective::broadcast(source, processors.collect())
}

/// All-gather among all processors.
pub fn all_gather(platform: &Platform) -> Collective {
    Collective::all_gather(platform.processors().collect())
}

/// Messages of size 1, merges that take no time: bandwidth is the limit on fabrics.
pub fn weightless() -> Volumes {
    let constant = |value: i32| Amount::Constant(whole(value));
    Volumes {
        size: constant(1),
        work: constant(0),
    }
}

/// Solves, and asserts that the plan is optimal with a certificate that the referee accepted.
pub fn certified(platform: &Platform, collective: &Collective) -> Solved {
    let volumes = Volumes::default();
    let problem = Problem::new(platform, collective, &volumes).expect("the question is proper");
    let solved = solve(&problem, &Options::default()).expect("the question is proper");
    accept(solved)
}

fn accept(solved: Solved) -> Solved {
    let plan = solved.plan().expect("a connected platform has a plan");
    assert_eq!(plan.status, Status::Optimal);
    assert_eq!(*plan.upper_bound, plan.steady_state.throughput);
    solved
}

/// Runs [`certified`], and returns also the time at which each stage began and the whole time.
pub fn staged(
    platform: &Platform,
    collective: &Collective,
) -> (Solved, Vec<(String, Duration)>, Duration) {
    let (solved, stages, total) = watched(platform, collective, &Volumes::default());
    (accept(solved), stages, total)
}

/// Runs [`staged`] with these volumes, also for plans that are not proved optimal.
pub fn stages_of(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
) -> (Solved, Vec<(String, Duration)>, Duration) {
    let (solved, stages, total) = watched(platform, collective, volumes);
    solved.plan().expect("a connected platform has a plan");
    (solved, stages, total)
}

fn watched(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
) -> (Solved, Vec<(String, Duration)>, Duration) {
    let problem = Problem::new(platform, collective, volumes).expect("the question is proper");
    let started = Instant::now();
    let stages: Arc<Mutex<Vec<(String, Duration)>>> = Arc::default();
    let heard = Arc::clone(&stages);
    let watch = Watch::unlimited().heard(move |news| {
        if let News::Stage(name) = news {
            heard
                .lock()
                .expect("no hearer panics")
                .push((name.to_string(), started.elapsed()));
        }
    });
    let solved = solve(&problem, &Options::default().watched(watch));
    let total = started.elapsed();
    let stages = stages.lock().expect("no hearer panics").clone();
    (solved.expect("the question is proper"), stages, total)
}
