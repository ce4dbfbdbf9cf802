//! Finds the optimal throughput, for commands that do not build a schedule.

use anyhow::Result;
use oneport::{Options, Problem, Rated, Rating, Unlisted, rate};

use crate::words::progress::Progress;

/// The optimum or its bounds.
pub enum Optimum {
    /// With a steady state.
    Rated(Rated),
    /// Without a steady state.
    Unlisted(Unlisted),
}

/// Finds the optimum.
pub fn found(problem: &Problem, options: &Options) -> Result<Optimum> {
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
    Ok(match rating {
        Rating::Rated(rated) => Optimum::Rated(*rated),
        Rating::Unlisted(unlisted) => Optimum::Unlisted(*unlisted),
    })
}
