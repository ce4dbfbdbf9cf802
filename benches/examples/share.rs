//! Profile: stages of scatter to all, and the share spent outside HiGHS.
//!
//! `cargo run --release -p oneport-benches --example share [NODES...]`

use oneport_benches::{platform, scatter, staged};

fn main() {
    let sizes: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|size| size.parse().ok())
        .collect();
    let sizes = if sizes.is_empty() {
        vec![100, 1000]
    } else {
        sizes
    };
    println!(
        "| nodes | whole s | HiGHS s | outside | program | period | slots | referee | slots |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for nodes in sizes {
        let platform = platform(nodes, 1);
        let collective = scatter(&platform);
        let (planned, stages, total) = staged(&platform, &collective);
        let ends = stages.iter().skip(1).map(|stage| stage.1).chain([total]);
        let lengths: Vec<String> = stages
            .iter()
            .zip(ends)
            .map(|(stage, end)| format!("{:.4}", (end - stage.1).as_secs_f64()))
            .collect();
        let (whole, solver) = (total.as_secs_f64(), planned.solver_time.as_secs_f64());
        println!(
            "| {nodes} | {whole:.4} | {solver:.4} | {:.0} % | {} | {} |",
            100.0 * (whole - solver) / whole,
            lengths.join(" | "),
            planned.plan().expect("a plan").schedule.slots.len()
        );
    }
}
