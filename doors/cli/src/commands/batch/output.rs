//! The answers: a file, which another run goes on with, or standard output.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use oneport_questions::Answered;
use oneport_questions::rows::{AnswerFile, Lock, Start, Written};
use same_file::Handle;

use crate::words::exit;
use crate::words::settings;
use crate::words::usage::usage;

/// Where answers are written.
#[derive(Debug, Default)]
pub struct Output {
    /// `None`: standard output.
    rows: Option<AnswerFile>,
    none: BTreeMap<u64, String>,
    written: Written,
}

impl Output {
    /// Opens and locks the file. Without one, opens standard output.
    ///
    /// # Errors
    /// A file that exists, is locked, cannot be written, or holds other lines than answers.
    pub fn open(path: Option<&Path>, start: Start) -> Result<Output> {
        let Some(path) = path else {
            return Ok(Output::default());
        };
        if start == Start::Anew {
            refuse_existing(path)?;
        }
        Ok(Output {
            rows: Some(AnswerFile::open(path, start, Lock::Whole)?),
            ..Output::default()
        })
    }

    /// Digests of the questions that are answered, by line.
    pub fn done(&self) -> &BTreeMap<u64, String> {
        self.rows.as_ref().map_or(&self.none, AnswerFile::done)
    }

    /// Writes a row in one piece.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, mut row: String, answered: &Answered) -> Result<()> {
        if let Some(rows) = &mut self.rows {
            return Ok(rows.write(row)?);
        }
        row.push('\n');
        let mut out = io::stdout().lock();
        let written = out.write_all(row.as_bytes()).and_then(|()| out.flush());
        written.context("cannot write to standard output")?;
        self.written.answers += 1;
        self.written.errors += u64::from(answered.is_error());
        Ok(())
    }

    /// Sorts the file if rows were added between others. Returns the numbers of its rows.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self, sort: bool) -> Result<Written> {
        match self.rows {
            Some(rows) => Ok(rows.finish(sort)?),
            None => Ok(self.written),
        }
    }
}

/// Refuses to overwrite a file, unless --force is given.
///
/// # Errors
/// It exists.
pub fn refuse_existing(path: &Path) -> Result<()> {
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    if is_file && !settings::force() {
        return Err(usage(format!(
            "--output: {} exists; --resume goes on with it, --force overwrites it",
            path.display()
        )));
    }
    Ok(())
}

/// Refuses an output that is one of the files to be read, under any name.
///
/// # Errors
/// It is one of them.
pub fn refuse_input(output: Option<&Path>, inputs: &[&Path]) -> Result<()> {
    let Some((path, output)) = output.and_then(|path| Some((path, Handle::from_path(path).ok()?)))
    else {
        return Ok(());
    };
    let handle = |input: &Path| match input == Path::new("-") {
        true => Handle::stdin(),
        false => Handle::from_path(input),
    };
    let is_output = |input: &&&Path| handle(input).is_ok_and(|input| input == output);
    match inputs.iter().find(is_output) {
        Some(input) => Err(usage(format!(
            "--output: {} is the file that is read ('{}'); give another name",
            path.display(),
            input.display()
        ))),
        None => Ok(()),
    }
}

/// Lets Ctrl-C end the command, with a line that names `--resume`.
pub fn on_interrupt(path: Option<&Path>) {
    let resume = path.map(|path| {
        format!(
            "{} has the answers so far; --resume goes on",
            path.display()
        )
    });
    let interrupted = move || {
        if let Some(resume) = &resume {
            eprintln!("interrupted: {resume}");
        }
        std::process::exit(exit::INTERRUPTED.into());
    };
    // If the handler cannot be installed, Ctrl-C ends the command without a word.
    let _ = ctrlc::set_handler(interrupted);
}
