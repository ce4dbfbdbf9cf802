//! The file of answers: one process writes it, a row in one piece, and another run goes on with it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use oneport::files::write_atomically_with;

use crate::answer::Answered;

/// The treatment of answers that the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// They are removed.
    Anew,
    /// They are kept.
    Resume,
    /// They are kept, except errors.
    Retry,
}

/// The time for which the file is locked. A second writer is refused in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Until the file is closed.
    Whole,
    /// While a row is written. Before, the length of the file is compared with the bytes that this process read and
    /// wrote. A fork of this process keeps no lock.
    Row,
}

/// The number of answers, and of errors among them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written {
    /// Rows.
    pub answers: u64,
    /// Rows that are errors.
    pub errors: u64,
}

/// A file that cannot be read or written, or that holds other lines than answers. The text is a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsError(String);

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RowsError {}

type Result<T> = std::result::Result<T, RowsError>;

/// A row of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The identity of the row.
    pub answered: Answered,
    /// The index of its file.
    pub file: usize,
    begin: u64,
    /// Bytes, with the end of the line.
    bytes: u64,
}

/// A file of answers that is being written.
#[derive(Debug)]
pub struct AnswerFile {
    path: PathBuf,
    file: File,
    /// A pipe and a terminal have no rows to keep, no length and no lock.
    is_file: bool,
    lock: Lock,
    /// Bytes that this process read and wrote.
    bytes: u64,
    /// Digests of the questions that the file answered before, by line.
    done: BTreeMap<u64, String>,
    /// The line of the last row. 0 without one.
    last: u64,
    is_sorted: bool,
    written: Written,
}

impl AnswerFile {
    /// Opens and locks a file.
    ///
    /// # Errors
    /// A file that another process writes, that cannot be written, or that holds other lines than answers.
    pub fn open(path: &Path, start: Start, lock: Lock) -> Result<AnswerFile> {
        let is_file = std::fs::metadata(path).map_or(true, |metadata| metadata.is_file());
        let file = if is_file {
            locked(path)?
        } else {
            cannot(path, OpenOptions::new().write(true).open(path))?
        };
        let mut rows = AnswerFile {
            path: path.to_path_buf(),
            file,
            is_file,
            lock,
            bytes: 0,
            done: BTreeMap::new(),
            last: 0,
            is_sorted: true,
            written: Written::default(),
        };
        if is_file {
            rows.begin(start)?;
        }
        Ok(rows)
    }

    fn begin(&mut self, start: Start) -> Result<()> {
        if start == Start::Anew {
            cannot(&self.path, self.file.set_len(0))?;
        } else if self.read(start)? && start == Start::Retry {
            without_errors(&self.path)?;
            self.file = locked(&self.path)?;
        }
        self.bytes = cannot(&self.path, self.file.seek(SeekFrom::End(0)))?;
        if self.lock == Lock::Row {
            unlock(&self.file);
        }
        Ok(())
    }

    /// Digests of the questions that are answered, by line.
    pub fn done(&self) -> &BTreeMap<u64, String> {
        &self.done
    }

    /// Reads the rows, and cuts a last one that is not whole. Returns whether some are errors.
    fn read(&mut self, start: Start) -> Result<bool> {
        let (mut end, mut number, mut errors) = (0, 0, false);
        let mut row = Vec::new();
        let file = cannot(&self.path, self.file.try_clone())?;
        let mut from = BufReader::new(file);
        while cannot(&self.path, from.read_until(b'\n', &mut row))? > 0 && row.ends_with(b"\n") {
            number += 1;
            end += row.len() as u64;
            let answered = answered(&self.path, number, &row)?;
            row.clear();
            errors |= answered.is_error();
            if start == Start::Retry && answered.is_error() {
                continue;
            }
            self.count(&answered);
            let line = answered.line;
            if self.done.insert(line, answered.question).is_some() {
                return Err(RowsError(format!(
                    "{}: line {line} is answered twice; give another output",
                    self.path.display()
                )));
            }
        }
        if !begins_a_row(&row) {
            return Err(no_answer(&self.path, number + 1));
        }
        cannot(&self.path, self.file.set_len(end))?;
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
    /// It is no answer or cannot be written, or another process wrote to the file.
    pub fn write(&mut self, mut row: String) -> Result<()> {
        let answered = answered(&self.path, self.written.answers + 1, row.as_bytes())?;
        row.push('\n');
        if self.is_file && self.lock == Lock::Row {
            lock(&self.path, &self.file)?;
            let bytes = cannot(&self.path, self.file.metadata())?.len();
            if bytes != self.bytes {
                unlock(&self.file);
                return Err(elsewhere(&self.path));
            }
        }
        cannot(&self.path, self.file.write_all(row.as_bytes()))?;
        self.bytes += row.len() as u64;
        if self.is_file && self.lock == Lock::Row {
            unlock(&self.file);
        }
        self.count(&answered);
        Ok(())
    }

    /// Sorts the file by lines, if `sort` and if rows were added between others. Returns the numbers of its rows.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self, sort: bool) -> Result<Written> {
        if sort && self.is_file && !self.is_sorted {
            let files = [self.path.clone()];
            let entries = index(&files)?;
            let sorted = write_atomically_with(&self.path, |file| {
                copy(&files, &entries, &mut BufWriter::new(file))
            });
            cannot(&self.path, sorted)?;
        }
        Ok(self.written)
    }
}

/// Whether bytes are the beginning of a row.
fn begins_a_row(bytes: &[u8]) -> bool {
    const HEAD: &[u8] = b"{\"line\":";
    bytes.starts_with(HEAD) || HEAD.starts_with(bytes)
}

/// The rows of all files, in the order of their lines.
///
/// # Errors
/// A file that cannot be read, that holds other lines than answers, or whose last row is not whole.
pub fn index(files: &[PathBuf]) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (file, path) in files.iter().enumerate() {
        let mut from = BufReader::new(unread(path, File::open(path))?);
        let (mut begin, mut number, mut row) = (0, 0, Vec::new());
        while unread(path, from.read_until(b'\n', &mut row))? > 0 {
            number += 1;
            if !row.ends_with(b"\n") {
                return Err(RowsError(format!(
                    "{}: the last line is cut; finish this part with --resume first",
                    path.display()
                )));
            }
            let answered = answered(path, number, &row)?;
            let bytes = row.len() as u64;
            entries.push(Entry {
                answered,
                file,
                begin,
                bytes,
            });
            begin += bytes;
            row.clear();
        }
    }
    entries.sort_by_key(|entry| (entry.answered.line, entry.file));
    Ok(entries)
}

/// Copies rows in this order.
///
/// # Errors
/// A file cannot be read or written.
pub fn copy(files: &[PathBuf], entries: &[Entry], to: &mut dyn Write) -> io::Result<()> {
    let opened = files.iter().map(File::open);
    let mut opened: Vec<BufReader<File>> = opened
        .map(|file| file.map(BufReader::new))
        .collect::<io::Result<_>>()?;
    for entry in entries {
        if let Some(from) = opened.get_mut(entry.file) {
            from.seek(SeekFrom::Start(entry.begin))?;
            io::copy(&mut from.take(entry.bytes), to)?;
        }
    }
    to.flush()
}

/// Reads a row of a file of answers.
fn answered(path: &Path, number: u64, row: &[u8]) -> Result<Answered> {
    Answered::read(row).ok_or_else(|| no_answer(path, number))
}

fn no_answer(path: &Path, number: u64) -> RowsError {
    RowsError(format!(
        "{}: line {number} is no answer of 'oneport batch'; give another file",
        path.display()
    ))
}

fn elsewhere(path: &Path) -> RowsError {
    RowsError(format!(
        "another process writes {}; wait for it, or give another name",
        path.display()
    ))
}

/// Opens a file to read and write, and locks it if it can be locked.
fn locked(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = cannot(path, options.open(path))?;
    lock(path, &file)?;
    Ok(file)
}

fn lock(path: &Path, file: &File) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(elsewhere(path)),
        // Some file systems have no locks.
        _ => Ok(()),
    }
}

fn unlock(file: &File) {
    // A file system without locks has nothing to unlock.
    let _ = file.unlock();
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
    result.map_err(|error| RowsError(format!("cannot write {}: {error}", path.display())))
}

fn unread<T>(path: &Path, result: io::Result<T>) -> Result<T> {
    result.map_err(|error| RowsError(format!("cannot read {}: {error}", path.display())))
}
