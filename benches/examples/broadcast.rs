//! Broadcast, all-gather and the half-duplex optimum: time of every stage, and the paper's (P), in one run.
//!
//! `cargo run --release -p oneport-benches --example broadcast -- [full|half|paper|all-gather|all] [NODES...]`

use std::time::Duration;

use oneport::{Platform, PortModel};
use oneport_benches::{all_gather, broadcast, paper_p, platform, staged};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.first().map_or("all", String::as_str);
    let sizes: Vec<usize> = arguments
        .iter()
        .skip(1)
        .filter_map(|size| size.parse().ok())
        .collect();
    let numbers_or = |usual: &[usize]| {
        if sizes.is_empty() {
            usual.to_vec()
        } else {
            sizes.clone()
        }
    };
    if matches!(what, "full" | "all") {
        println!("Broadcast to all, full-duplex");
        table(&numbers_or(&[20, 100, 500]), platform, broadcast);
    }
    if matches!(what, "all-gather" | "all") {
        println!("All-gather among all, full-duplex");
        table(&numbers_or(&[10, 20, 50]), platform, all_gather);
    }
    if matches!(what, "half" | "all") {
        println!("Broadcast to all, half-duplex");
        table(&numbers_or(&[20, 50, 100]), half_duplex, broadcast);
    }
    if matches!(what, "paper" | "all") {
        paper(&numbers_or(&[10, 20, 30]));
    }
}

fn half_duplex(nodes: usize, seed: u64) -> Platform {
    platform(nodes, seed).with_model(PortModel::HalfDuplex)
}

fn table(
    sizes: &[usize],
    platform: impl Fn(usize, u64) -> Platform,
    collective: impl Fn(&Platform) -> oneport::Collective,
) {
    println!(
        "| nodes | links | seed | whole s | program | period | slots | referee | patterns | odd sets | slots |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for &nodes in sizes {
        for seed in 1..=3 {
            let platform = platform(nodes, seed);
            let (planned, stages, whole) = staged(&platform, &collective(&platform));
            let mut begins: Vec<Duration> = stages.into_iter().map(|(_, begin)| begin).collect();
            begins.push(whole);
            let spent: Vec<String> = begins
                .windows(2)
                .map(|pair| format!("{:.3}", (pair[1] - pair[0]).as_secs_f64()))
                .collect();
            println!(
                "| {nodes} | {} | {seed} | {:.3} | {} | {} | {} | {} |",
                platform.links().len(),
                whole.as_secs_f64(),
                spent.join(" | "),
                planned.plan().expect("a plan").steady_state.patterns.len(),
                planned
                    .plan()
                    .expect("a plan")
                    .certificate
                    .odd_sets()
                    .count(),
                planned.plan().expect("a plan").schedule.slots.len(),
            );
        }
    }
}

/// The paper's (P) by plain column generation against our full time, plan and referee included.
fn paper(sizes: &[usize]) {
    const LIMIT: Duration = Duration::from_secs(60);
    println!("Half-duplex broadcast: the paper's (P) against ours (whole plan)");
    println!("| nodes | seed | ours s | (P) s | rounds of (P) | ratio |");
    println!("|---|---|---|---|---|---|");
    for &nodes in sizes {
        for seed in 1..=3 {
            let platform = half_duplex(nodes, seed);
            let (planned, _, whole) = staged(&platform, &broadcast(&platform));
            let source = platform
                .processors()
                .next()
                .expect("a platform has processors");
            let theirs = paper_p::solve(&platform, source, LIMIT);
            let done = theirs.throughput.is_some();
            if let Some(throughput) = theirs.throughput {
                assert_eq!(
                    throughput,
                    planned.plan().expect("a plan").steady_state.throughput,
                    "both programs have one optimum"
                );
            }
            let (ours, theirs_s) = (whole.as_secs_f64(), theirs.time.as_secs_f64());
            let least = if done { "" } else { "> " };
            println!(
                "| {nodes} | {seed} | {ours:.3} | {least}{theirs_s:.2} | {} | {least}{:.0} |",
                theirs.rounds,
                theirs_s / ours
            );
        }
    }
}
