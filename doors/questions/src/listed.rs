//! Reads an algorithm that the user supplies: a list of ours, or a schedule of another program.

use std::path::Path;

use oneport::Problem;
use oneport::files::{ListedAlgorithm, ListedSteps, read_algorithm};
use oneport::watch::Watch;
use oneport_baselines::{
    Algorithm, BaselineError, Forwarders, Routes, Send, Ties, of_ring, of_rounds, of_tree, ranks,
};

use crate::error::{QuestionError, Result, unfit};

/// Reads an algorithm from a file and checks that it implements the collective.
pub(crate) fn read(problem: &Problem, path: &Path) -> Result<(Algorithm, Routes)> {
    if let Some(text) = foreign(path) {
        return schedule(problem, path, &text);
    }
    let ListedAlgorithm { mut name, steps } = read_algorithm(path, problem.platform())?;
    if name.is_empty() {
        name = path
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    let made = match steps {
        ListedSteps::Ring(nodes) => of_ring(problem, &name, &nodes)
            .and_then(|made| Ok((made, routes(problem, Forwarders::Anything)?))),
        ListedSteps::Tree(edges) => of_tree(problem, &name, &edges)
            .and_then(|made| Ok((made, routes(problem, Forwarders::Anything)?))),
        ListedSteps::Rounds(pieces, rounds) => {
            let rounds: Vec<Vec<Send>> = rounds
                .into_iter()
                .map(|round| round.into_iter().map(send).collect())
                .collect();
            of_rounds(problem, &name, pieces, &rounds)
        }
    };
    made.map_err(|error| QuestionError::from(error).about(path.display()))
}

/// The cheapest routes from all ranks.
fn routes(problem: &Problem, over: Forwarders) -> Result<Routes, BaselineError> {
    let (platform, unlimited) = (problem.platform(), Watch::unlimited());
    let routes = Routes::new(platform, &ranks(problem), over, Ties::Turns, &unlimited)?;
    Ok(routes)
}

fn send(listed: oneport::files::ListedSend) -> Send {
    Send {
        from: listed.from,
        to: listed.to,
        blocks: listed.blocks,
        combine: listed.combine,
    }
}

/// Largest schedule of another program that is read, in bytes.
const LIMIT: u64 = 1 << 28;

/// The text of a schedule of another program: XML, or JSON with a list of GPUs and without a format of ours.
fn foreign(path: &Path) -> Option<String> {
    let size = std::fs::metadata(path).ok()?.len();
    let text = (size <= LIMIT).then(|| std::fs::read_to_string(path).ok())??;
    let is_list = || {
        let value: Option<serde_json::Value> = serde_json::from_str(&text).ok();
        value.is_some_and(|value| value.get("gpus").is_some() && value.get("format").is_none())
    };
    (text.trim_start().starts_with('<') || is_list()).then_some(text)
}

/// A schedule that ran to its right end in the interpreter of `oneport check`.
#[cfg(feature = "schedules")]
fn schedule(problem: &Problem, path: &Path, text: &str) -> Result<(Algorithm, Routes)> {
    use oneport_baselines::{Moved, Moves, of_moves};

    use crate::error::of_cause;

    let name = path.display();
    let followed =
        oneport_checks::follow(text, None).map_err(|fault| of_cause(fault).about(&name))?;
    let letters = |name: &str| -> String {
        let letters = name.chars().filter(char::is_ascii_alphabetic);
        letters.map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let (asked, its) = (problem.collective().name(), &followed.verdict.collective);
    if letters(asked) != letters(its) {
        return Err(unfit(format!(
            "{name}: the schedule is of '{its}', and the question of '{asked}'"
        )));
    }
    if followed.in_switches {
        return Err(unfit(format!(
            "{name}: the schedule uses switch channels, where switches combine or duplicate (NVLS); only schedules that move \
             data between GPUs are rated; the row 'NCCL NVLS' has such a schedule"
        )));
    }
    let one = |moved: oneport_checks::Moved| Moved {
        rank: moved.rank,
        sources: moved.sources,
        targets: moved.targets,
    };
    let moves = Moves {
        inputs: followed.inputs,
        outputs: followed.outputs,
        moves: followed.moves.into_iter().map(one).collect(),
    };
    let stem = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let made = of_moves(problem, &stem, &moves);
    let made = made.map_err(|error| QuestionError::from(error).about(&name))?;
    Ok((made, routes(problem, Forwarders::Routers)?))
}

/// A schedule that ran to its right end in the interpreter of `oneport check`.
#[cfg(not(feature = "schedules"))]
fn schedule(_problem: &Problem, path: &Path, _text: &str) -> Result<(Algorithm, Routes)> {
    Err(unfit(format!(
        "{}: a schedule of another program; this build of oneport lacks the feature `exports`",
        path.display()
    )))
}
