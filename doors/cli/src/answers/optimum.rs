//! Finds the optimal throughput, for commands that do not build a schedule.

use anyhow::Result;
use oneport::{Options, Problem, Rated, Rating, Unlisted, rate};

use crate::answers::answer::label;
use crate::answers::infeasible::{infeasible, unreachable};
use crate::words::progress::Progress;

/// The optimum or its bounds.
pub enum Optimum {
    /// With a steady state.
    Rated(Rated),
    /// Without a steady state.
    Unlisted(Unlisted),
}

/// Finds the optimum. If some messages cannot arrive, prints them on standard error and returns `None`.
pub fn found(problem: Problem<'_>, options: &Options) -> Result<Option<Optimum>> {
    let rating = {
        let progress = Progress::new();
        rate(
            problem,
            &Options {
                watch: progress.of(&options.watch),
                ..options.clone()
            },
            None,
        )?
    };
    match rating {
        Rating::Rated(rated) => Ok(Some(Optimum::Rated(*rated))),
        Rating::Unlisted(unlisted) => Ok(Some(Optimum::Unlisted(*unlisted))),
        Rating::Unreachable(commodities) => {
            let names = unreachable(problem.platform(), &commodities);
            eprintln!("error: {}", infeasible(label(problem.collective()), &names));
            Ok(None)
        }
    }
}
