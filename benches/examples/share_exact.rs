//! The cost of exactness: time of the compact scatter program (about nodes^2 rows) against HiGHS's time in it.
//!
//! `cargo run --release -p oneport-benches --example share_exact [NODES...]` (316 nodes make 100,000 rows)

use std::time::Instant;

use num_traits::One;
use oneport::watch::Watch;
use oneport::{Problem, Rational, Status, referee};
use oneport_benches::{platform, scatter};
use oneport_lp::{self as lp, Formulation, Question};

fn main() {
    let sizes: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|size| size.parse().ok())
        .collect();
    let sizes = if sizes.is_empty() {
        vec![32, 100]
    } else {
        sizes
    };
    println!("| nodes | rows | columns | whole s | HiGHS s | whole / HiGHS | denominator bits |");
    println!("|---|---|---|---|---|---|---|");
    for nodes in sizes {
        let platform = platform(nodes, 1);
        let collective = scatter(&platform);
        let volumes = oneport::Volumes::of_size(Rational::one());
        let question = Question::new(
            &Problem::new(&platform, &collective, &volumes).expect("a proper question"),
        );
        let options = lp::Options::from(Formulation::Compact);
        let started = Instant::now();
        let solution = lp::solve(&question, &options).expect("HiGHS works");
        let whole = started.elapsed().as_secs_f64();
        assert_eq!(solution.status, Status::Optimal);
        let bound = referee::bound(
            &Problem::new(&platform, &collective, &volumes).unwrap(),
            &solution.certificate,
            &Watch::unlimited(),
        )
        .expect("a sound certificate");
        assert_eq!(bound, solution.steady_state.throughput);
        let solver = solution.solver_time.as_secs_f64();
        let rows = 2 * nodes + (nodes - 1) * (nodes - 1);
        let bits = solution
            .steady_state
            .patterns
            .iter()
            .map(|pattern| pattern.weight.denom().bits())
            .max();
        println!(
            "| {nodes} | {rows} | {} | {whole:.3} | {solver:.3} | {:.3} | {} |",
            (nodes - 1) * platform.links().len(),
            whole / solver,
            bits.unwrap_or(0)
        );
    }
}
