//! Reduce among all processors: time of every stage, and the compact program solved by HiGHS alone, in one run.
//!
//! `cargo run --release -p oneport-benches --example reduce -- [NODES...] [--against RATIO]`
//!
//! With `--against`, HiGHS gets RATIO times our whole time for the compact program in floating point (interior point,
//! then crossover, without proof). If it was still running, the printed ratio is a lower bound.

use std::time::{Duration, Instant};

use oneport::watch::{Left, Watch};
use oneport::{Problem, Rational, Volumes};
use oneport_benches::{platform, reduce, staged};
use oneport_lp::{self as lp, Formulation, Question};
use oneport_numbers::whole;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let against = arguments
        .iter()
        .position(|argument| argument == "--against");
    let ratio: Option<u32> = against.and_then(|index| arguments.get(index + 1)?.parse().ok());
    let sizes = arguments[..against.unwrap_or(arguments.len())]
        .iter()
        .filter_map(|size| size.parse().ok());
    let sizes: Vec<usize> = sizes.collect();
    let sizes = if sizes.is_empty() {
        vec![16, 24, 48]
    } else {
        sizes
    };
    println!(
        "| nodes | seed | whole s | program | period | slots | referee | trees | bits | compact by HiGHS s | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for nodes in sizes {
        for seed in 1..=3 {
            let platform = platform(nodes, seed);
            let (planned, stages, whole) = staged(&platform, &reduce(&platform));
            let mut begins: Vec<Duration> = stages.into_iter().map(|(_, begin)| begin).collect();
            begins.push(whole);
            let spent: Vec<String> = begins
                .windows(2)
                .map(|pair| format!("{:.3}", (pair[1] - pair[0]).as_secs_f64()))
                .collect();
            let state = planned.plan().expect("a plan").steady_state;
            let compact = ratio.map(|ratio| compact(&platform, whole * ratio, &state.throughput));
            let compact = compact.map_or("|".to_string(), |(time, done)| {
                let times = time.as_secs_f64() / whole.as_secs_f64();
                let least = if done { "" } else { "> " };
                format!("{least}{:.2} | {least}{times:.0}", time.as_secs_f64())
            });
            println!(
                "| {nodes} | {seed} | {:.3} | {} | {} | {} | {compact} |",
                whole.as_secs_f64(),
                spent.join(" | "),
                state.patterns.len(),
                state.throughput.denom().bits()
            );
        }
    }
}

/// Time of the compact program inside HiGHS, and whether it finished.
fn compact(platform: &oneport::Platform, limit: Duration, optimum: &Rational) -> (Duration, bool) {
    let collective = reduce(platform);
    let volumes = Volumes::of_size(whole(1));
    let question =
        Question::new(&Problem::new(platform, &collective, &volumes).expect("a proper question"));
    let started = Instant::now();
    let left = move || Left {
        time: Some(limit.saturating_sub(started.elapsed())),
        ..Left::default()
    };
    let question = question.watched(Watch::new(left));
    let solution = lp::solve(&question, &Formulation::Compact.into()).expect("HiGHS works");
    if started.elapsed() >= limit {
        return (limit, false);
    }
    assert_eq!(
        solution.steady_state.throughput, *optimum,
        "both programs have one optimum"
    );
    (solution.solver_time, true)
}
