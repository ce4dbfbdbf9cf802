//! `cargo xtask tidy`: the house rules that no compiler checks. ARCHITECTURE.md gives the reasons.

mod circles;
mod code;
pub mod constants;
mod dependencies;
mod ignored;
mod imports;
mod problem;
mod targets;
mod text;

use anyhow::{Result, bail};

use crate::workspace;
use problem::Problem;

/// Checks every rule on every file and prints all violations.
///
/// # Errors
/// There are violations, or the repository cannot be read.
pub fn run() -> Result<()> {
    let root = workspace::root()?;
    let sources = workspace::sources()?;
    let metadata = workspace::metadata(&["--no-deps"])?;
    let crates = dependencies::crates(&metadata, &root)?;
    let mut problems = dependencies::check(&crates);
    problems.extend(text::check_architecture(&crates, &sources));
    for source in &sources {
        problems.extend(text::check(source));
    }
    problems.extend(code::check(&sources));
    problems.extend(constants::check(&sources));
    problems.extend(circles::check(&sources));
    problems.extend(ignored::check(&sources));
    problems.extend(targets::check(&metadata, &root, &sources));
    problems.sort();
    for Problem {
        path,
        line,
        message,
    } in &problems
    {
        match line {
            0 => eprintln!("{path}: {message}"),
            _ => eprintln!("{path}:{line}: {message}"),
        }
    }
    if !problems.is_empty() {
        bail!(
            "tidy found {} violations of the house rules",
            problems.len()
        );
    }
    eprintln!(
        "tidy: {} files and {} crates keep the house rules",
        sources.len(),
        crates.len()
    );
    Ok(())
}
