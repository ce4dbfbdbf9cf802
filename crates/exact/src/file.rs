//! Model files, read and solved by HiGHS alone: a second reader of the files that this project writes. Nothing is made
//! exact.

use std::path::Path;

use oneport_watch::Watch;

use crate::Rational;
use crate::float::Claim;
use crate::highs::FloatModel;
use crate::program::ExactError;

/// The answer of HiGHS to a model file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOutcome {
    /// The objective, as HiGHS computed it: a float, here as the rational that it is.
    Optimal(Rational),
    /// No solution.
    Infeasible,
    /// No finite optimum.
    Unbounded,
    /// No claim, or no HiGHS.
    Unknown,
}

/// Reads a model file (`.lp`, `.mps`) with HiGHS' own reader and solves it, in floating point.
///
/// # Errors
/// A file that HiGHS does not read.
pub fn solve_file(path: &Path) -> Result<FileOutcome, ExactError> {
    let Some(mut model) = FloatModel::read(path)? else {
        return Ok(FileOutcome::Unknown);
    };
    // Presolve may leave open whether a program is infeasible or unbounded.
    model.set_presolve(false)?;
    Ok(match model.run(&Watch::default())? {
        Claim::Optimal => model
            .objective()
            .map_or(FileOutcome::Unknown, FileOutcome::Optimal),
        Claim::Infeasible => FileOutcome::Infeasible,
        Claim::Unbounded => FileOutcome::Unbounded,
        Claim::LimitReached | Claim::Unknown => FileOutcome::Unknown,
    })
}
