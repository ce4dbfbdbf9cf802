//! The file of answers: one process writes it, a row in one piece, and another run goes on with it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oneport::files::write_atomically_with;
use oneport_questions::Answered;

use super::merge::{self, Written, refuse_existing};

/// The treatment of answers that the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// There must be none.
    Anew,
    /// They are kept.
    Resume,
    /// They are kept, but for errors.
    Retry,
}

/// Where answers are written.
#[derive(Debug)]
pub struct Output {
    /// The file; `None`: standard output.
    file: Option<(PathBuf, File)>,
    /// Digests of the questions that the file answered before, by line.
    done: BTreeMap<u64, String>,
    /// The line of the last row; 0 without one.
    last: u64,
    is_sorted: bool,
    written: Written,
}

impl Output {
    /// Opens and locks the file; without one, standard output.
    ///
    /// # Errors
    /// A file that exists, is locked, cannot be written, or holds other lines than answers.
    pub fn open(path: Option<&Path>, start: Start) -> Result<Output> {
        let mut output = Output {
            file: None,
            done: BTreeMap::new(),
            last: 0,
            is_sorted: true,
            written: Written::default(),
        };
        let Some(path) = path else {
            return Ok(output);
        };
        if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            // A pipe or a terminal holds nothing.
            let file = cannot(path, OpenOptions::new().write(true).open(path))?;
            output.file = Some((path.to_path_buf(), file));
            return Ok(output);
        }
        if start == Start::Anew {
            refuse_existing(path)?;
        }
        let mut file = locked(path)?;
        if start == Start::Anew {
            cannot(path, file.set_len(0))?;
        } else {
            let errors = output.read(path, &mut file, start)?;
            if errors && start == Start::Retry {
                without_errors(path)?;
                file = locked(path)?;
            }
        }
        cannot(path, file.seek(SeekFrom::End(0)))?;
        output.file = Some((path.to_path_buf(), file));
        Ok(output)
    }

    /// Digests of the questions that are answered, by line.
    pub fn done(&self) -> &BTreeMap<u64, String> {
        &self.done
    }

    /// Reads the rows, and cuts what follows the last whole one. Returns whether there are errors.
    fn read(&mut self, path: &Path, file: &mut File, start: Start) -> Result<bool> {
        let (mut end, mut number, mut errors) = (0, 0, false);
        let mut row = Vec::new();
        let mut from = BufReader::new(&*file);
        while cannot(path, from.read_until(b'\n', &mut row))? > 0 && row.ends_with(b"\n") {
            number += 1;
            end += row.len() as u64;
            let answered = merge::read(path, number, &row)?;
            row.clear();
            errors |= answered.is_error();
            if start == Start::Retry && answered.is_error() {
                continue;
            }
            self.count(&answered);
            if self.done.insert(answered.line, answered.question).is_some() {
                bail!(
                    "{}: line {} is answered twice; give another output",
                    path.display(),
                    answered.line
                );
            }
        }
        cannot(path, file.set_len(end))?;
        Ok(errors)
    }

    fn count(&mut self, answered: &Answered) {
        self.is_sorted &= answered.line > self.last;
        self.last = answered.line;
        self.written.answers += 1;
        self.written.errors += u64::from(answered.is_error());
    }

    /// Writes a row in one piece.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, mut row: String, answered: &Answered) -> Result<()> {
        row.push('\n');
        match &mut self.file {
            Some((path, file)) => cannot(path, file.write_all(row.as_bytes()))?,
            None => {
                let mut out = io::stdout().lock();
                let written = out.write_all(row.as_bytes()).and_then(|()| out.flush());
                written.context("cannot write to standard output")?;
            }
        }
        self.count(answered);
        Ok(())
    }

    /// Sorts the file if rows were added between others. Returns what it holds.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self, sort: bool) -> Result<Written> {
        if let Some((path, _)) = self.file.filter(|_| sort && !self.is_sorted) {
            merge::sort(&path)?;
        }
        Ok(self.written)
    }
}

/// Opens a file to read and write, and locks it if it can be locked.
fn locked(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = cannot(path, options.open(path))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!(
            "--output: another process writes {}; wait for it, or give another name",
            path.display()
        ),
        // Some file systems have no locks.
        _ => Ok(file),
    }
}

/// Writes the file anew without errors.
fn without_errors(path: &Path) -> Result<()> {
    let from = BufReader::new(cannot(path, File::open(path))?);
    let written = write_atomically_with(path, |file| {
        let mut to = BufWriter::new(file);
        for row in from.split(b'\n') {
            let row = row?;
            if Answered::read(&row).is_some_and(|answered| !answered.is_error()) {
                to.write_all(&row)?;
                to.write_all(b"\n")?;
            }
        }
        to.flush()
    });
    cannot(path, written)
}

fn cannot<T>(path: &Path, result: io::Result<T>) -> Result<T> {
    result.with_context(|| format!("--output: cannot write {}", path.display()))
}

/// Lets Ctrl-C end the command with a word on how to go on.
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
        std::process::exit(INTERRUPTED);
    };
    // If the handler cannot be installed, Ctrl-C ends the command without a word.
    let _ = ctrlc::set_handler(interrupted);
}

/// Exit code of an interrupted command.
const INTERRUPTED: i32 = 130;
