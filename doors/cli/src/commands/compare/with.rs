//! Reads an algorithm that the user supplies.

use std::path::Path;

use anyhow::{Context, Result};
use oneport::Problem;
use oneport::files::{ListedAlgorithm, ListedSteps, read_algorithm};
use oneport_baselines::{Algorithm, Forwarders, Routes, Send, of_ring, of_rounds, of_tree, ranks};

/// Reads an algorithm from a file and checks that it implements the collective.
pub fn read(problem: &Problem, path: &Path) -> Result<(Algorithm, Routes)> {
    let ListedAlgorithm { mut name, steps } = read_algorithm(path, problem.platform())?;
    if name.is_empty() {
        name = path
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    let cheapest = || Routes::new(problem.platform(), &ranks(problem), Forwarders::Anything);
    let made = match steps {
        ListedSteps::Ring(nodes) => of_ring(problem, &name, &nodes).map(|made| (made, cheapest())),
        ListedSteps::Tree(edges) => of_tree(problem, &name, &edges).map(|made| (made, cheapest())),
        ListedSteps::Rounds(pieces, rounds) => {
            let rounds: Vec<Vec<Send>> = rounds
                .into_iter()
                .map(|round| round.into_iter().map(send).collect())
                .collect();
            of_rounds(problem, &name, pieces, &rounds)
        }
    };
    made.with_context(|| path.display().to_string())
}

fn send(listed: oneport::files::ListedSend) -> Send {
    Send {
        from: listed.from,
        to: listed.to,
        blocks: listed.blocks,
        combine: listed.combine,
    }
}
