//! Answers of several files in the order of their questions.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oneport::files::write_atomically_with;
use oneport_questions::Answered;

use crate::words::settings;
use crate::words::usage::usage;

/// The number of answers and of errors.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written {
    pub answers: u64,
    pub errors: u64,
}

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: u64,
    file: usize,
    begin: u64,
    /// Bytes, with the end of the line.
    bytes: u64,
    is_error: bool,
}

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

/// Sorts the answers of a file by the lines of their questions.
///
/// # Errors
/// The file cannot be read or written.
pub fn sort(path: &Path) -> Result<()> {
    let files = [path.to_path_buf()];
    let places = places(&files)?;
    write_atomically_with(path, |file| {
        copy(&files, &places, &mut BufWriter::new(file))
    })
    .with_context(|| format!("cannot write {}", path.display()))
}

/// The rows of all files, by line.
fn places(files: &[PathBuf]) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for (file, path) in files.iter().enumerate() {
        let cannot = || format!("cannot read {}", path.display());
        let mut from = BufReader::new(File::open(path).with_context(cannot)?);
        let (mut begin, mut row) = (0, Vec::new());
        while from.read_until(b'\n', &mut row).with_context(cannot)? > 0 {
            if !row.ends_with(b"\n") {
                bail!(
                    "{}: the last line is cut; finish this part with --resume first",
                    path.display()
                );
            }
            let answered = read(path, places.len() as u64 + 1, &row)?;
            let bytes = row.len() as u64;
            places.push(Place {
                line: answered.line,
                file,
                begin,
                bytes,
                is_error: answered.is_error(),
            });
            begin += bytes;
            row.clear();
        }
    }
    places.sort_unstable();
    Ok(places)
}

/// Reads a row of a file of answers.
///
/// # Errors
/// The line is no answer.
pub fn read(path: &Path, number: u64, row: &[u8]) -> Result<Answered> {
    Answered::read(row).with_context(|| {
        format!(
            "{}: line {number} is no answer of 'oneport batch'; give another file",
            path.display()
        )
    })
}

/// Copies rows in this order.
fn copy(files: &[PathBuf], places: &[Place], to: &mut dyn Write) -> io::Result<()> {
    let opened = files.iter().map(File::open);
    let mut opened: Vec<BufReader<File>> = opened
        .map(|file| file.map(BufReader::new))
        .collect::<io::Result<_>>()?;
    for place in places {
        if let Some(from) = opened.get_mut(place.file) {
            from.seek(SeekFrom::Start(place.begin))?;
            io::copy(&mut from.take(place.bytes), to)?;
        }
    }
    to.flush()
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
