//! Answers of several files in the order of their questions.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oneport::files::write_atomically_with;
use oneport_questions::rows::{Written, copy, places};

use super::output::refuse_existing;

/// Merges answers of several parts.
///
/// # Errors
/// A file that cannot be read, or that holds other lines than answers; a line that is missing or answered twice; an
/// output that exists.
pub fn run(files: &[PathBuf], output: Option<&Path>) -> Result<Written> {
    if let Some(output) = output {
        refuse_existing(output)?;
    }
    let places = places(files)?;
    for (place, expected) in places.iter().zip(1..) {
        let line = place.line;
        if line > expected {
            bail!("line {expected} has no answer; is each part given, and finished?");
        }
        if line < expected {
            let twice = places.iter().filter(|other| other.line == line);
            let names: Vec<String> = twice
                .filter_map(|place| Some(files.get(place.file)?.display().to_string()))
                .collect();
            bail!(
                "line {line} is answered twice: in {}",
                names.join(" and in ")
            );
        }
    }
    match output {
        Some(output) => {
            write_atomically_with(output, |file| {
                copy(files, &places, &mut BufWriter::new(file))
            })
            .with_context(|| format!("cannot write {}", output.display()))?;
        }
        None => copy(files, &places, &mut BufWriter::new(io::stdout().lock()))
            .context("cannot write to standard output")?,
    }
    Ok(Written {
        answers: places.len() as u64,
        errors: places.iter().filter(|place| place.is_error).count() as u64,
    })
}
