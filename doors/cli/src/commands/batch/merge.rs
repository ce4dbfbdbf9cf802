//! Answers of several files in the order of their questions.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oneport::files::write_atomically_with;
use oneport_questions::rows::{Entry, Written, copy, index};

use super::lines;
use super::output::refuse_existing;
use crate::words::output::count;

/// Merges answers of several parts. `questions` is the file of all questions, if it is given: then every question of
/// it has to be answered.
///
/// # Errors
/// A file that cannot be read, or that holds other lines than answers. A line that is missing, answered twice, or
/// another question. An output that exists.
pub fn run(files: &[PathBuf], questions: Option<&Path>, output: Option<&Path>) -> Result<Written> {
    if let Some(output) = output {
        refuse_existing(output)?;
    }
    let entries = index(files)?;
    for (entry, expected) in entries.iter().zip(1..) {
        let line = entry.answered.line;
        if line > expected {
            bail!("line {expected} has no answer; is each part given, and finished?");
        }
        if line < expected {
            let twice = entries.iter().filter(|other| other.answered.line == line);
            let names: Vec<String> = twice
                .filter_map(|entry| Some(files.get(entry.file)?.display().to_string()))
                .collect();
            bail!(
                "line {line} is answered twice: in {}",
                names.join(" and in ")
            );
        }
    }
    if let Some(questions) = questions {
        compare(&entries, files, questions)?;
    }
    match output {
        Some(output) => {
            write_atomically_with(output, |file| {
                copy(files, &entries, &mut BufWriter::new(file))
            })
            .with_context(|| format!("cannot write {}", output.display()))?;
        }
        None => copy(files, &entries, &mut BufWriter::new(io::stdout().lock()))
            .context("cannot write to standard output")?,
    }
    let errors = entries.iter().filter(|entry| entry.answered.is_error());
    Ok(Written {
        answers: entries.len() as u64,
        errors: errors.count() as u64,
    })
}

/// Compares the answers of lines 1, 2, ... with the questions.
///
/// # Errors
/// A question without an answer, an answer without a question, an answer to another question.
fn compare(entries: &[Entry], files: &[PathBuf], questions: &Path) -> Result<()> {
    let name = questions.display();
    let mut lines = lines::open(questions)?;
    for entry in entries {
        let line = entry.answered.line;
        let Some(question) = lines.next()? else {
            let questions = count(lines.number(), "question");
            bail!(
                "line {line} is answered, and {name} has {questions}; are the parts of other questions?"
            );
        };
        if question.digest() != entry.answered.question {
            let file = files.get(entry.file).map(|file| file.display());
            let file = file.map_or_else(String::new, |file| format!("{file}: "));
            bail!("{file}line {line} answers another question than line {line} of {name}");
        }
    }
    match lines.next()? {
        None => Ok(()),
        Some(question) => bail!(
            "line {} of {name} has no answer; is each part given, and finished?",
            question.number
        ),
    }
}
