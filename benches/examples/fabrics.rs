//! All-gather, reduce-scatter and all-reduce on machine-learning fabrics: time of every stage, in one run.
//!
//! `cargo run --release -p oneport-benches --example fabrics -- [NAME...]`, names such as a100-2, mi250-2, h100-4,
//! a100-128

use std::time::Duration;

use oneport::platform::generate;
use oneport::{Collective, Platform};
use oneport_benches::{stages_of, weightless};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usual = [
        "a100-1", "a100-2", "a100-4", "mi250-1", "mi250-2", "h100-2", "a100-8", "a100-16",
        "a100-128",
    ];
    let names: Vec<&str> = if arguments.is_empty() {
        usual.to_vec()
    } else {
        arguments.iter().map(String::as_str).collect()
    };
    println!(
        "| fabric | collective | throughput | status | whole s | program | period | slots | referee | patterns | slots |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for name in names {
        let platform = fabric(name);
        let participants: Vec<_> = platform.processors().collect();
        let mut kinds = vec![Collective::all_gather(participants.clone())];
        // Ordered operands distinguish the participants.
        for commutative in [false, true]
            .into_iter()
            .filter(|&any_order| any_order || participants.len() <= 32)
        {
            kinds.push(Collective::reduce_scatter(participants.clone()).commutative(commutative));
            kinds.push(Collective::all_reduce(participants.clone()).commutative(commutative));
        }
        if participants.len() > 256 {
            kinds.truncate(1);
        }
        for collective in kinds {
            row(name, &platform, &collective);
        }
    }
}

fn fabric(name: &str) -> Platform {
    let (kind, boxes) = name.rsplit_once('-').expect("a name such as a100-2");
    let boxes = boxes.parse().expect("a number of boxes");
    let platform = match kind {
        "a100" => generate::dgx_a100(boxes),
        "mi250" => generate::mi250(boxes),
        "h100" => generate::dgx_h100(boxes),
        "ndv2" => generate::ndv2(boxes),
        "fat-tree" => generate::fat_tree(boxes),
        _ => panic!("a100, mi250, h100, ndv2 or fat-tree"),
    };
    platform.expect("a sensible size")
}

fn row(name: &str, platform: &Platform, collective: &Collective) {
    let (plan, stages, whole) = stages_of(platform, collective, &weightless());
    let mut begins: Vec<Duration> = stages.into_iter().map(|(_, begin)| begin).collect();
    begins.push(whole);
    let spent: Vec<String> = begins
        .windows(2)
        .map(|pair| format!("{:.3}", (pair[1] - pair[0]).as_secs_f64()))
        .collect();
    let order = if collective.is_commutative() {
        " (any order)"
    } else {
        ""
    };
    println!(
        "| {name} | {}{order} | {} | {} | {:.3} | {} | {} | {} |",
        collective.name(),
        plan.plan().expect("a plan").steady_state.throughput,
        plan.answer.status().name(),
        whole.as_secs_f64(),
        spent.join(" | "),
        plan.plan().expect("a plan").steady_state.patterns.len(),
        plan.plan().expect("a plan").schedule.slots.len(),
    );
}
