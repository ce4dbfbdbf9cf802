//! Lines of a file of questions.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result};
use oneport_questions::digest;

/// Limit on the bytes of a line.
const MOST: u64 = 64 << 20;

/// A question.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its position among the questions that are asked, from 0.
    pub position: u64,
    /// The number of its line, from 1.
    pub number: u64,
    /// The line without its end, at most [`MOST`] bytes.
    pub bytes: Vec<u8>,
    /// Whether bytes were left out.
    pub long: bool,
}

impl Line {
    /// The digest of the question.
    pub fn digest(&self) -> String {
        digest(self.bytes.trim_ascii())
    }

    /// The text.
    ///
    /// # Errors
    /// A sentence on why it is no question.
    pub fn text(&self) -> std::result::Result<&str, String> {
        if self.long {
            return Err(format!(
                "the line has more than {MOST} bytes; a platform as large as that is given as a file"
            ));
        }
        std::str::from_utf8(&self.bytes).map_err(|_| "the line is no text in UTF-8".to_string())
    }
}

/// The lines of a file or of standard input.
pub struct Lines {
    from: Box<dyn BufRead + Send>,
    name: String,
    number: u64,
}

/// Whether a path stands for standard input.
fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Opens a file of questions.
///
/// # Errors
/// It cannot be read.
pub fn open(path: &Path) -> Result<Lines> {
    let name = path.display().to_string();
    let from: Box<dyn BufRead + Send> = if is_standard(path) {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        Box::new(BufReader::new(file))
    };
    Ok(Lines {
        from,
        name,
        number: 0,
    })
}

/// The number of lines of a regular file.
///
/// # Errors
/// It cannot be read.
pub fn count(path: &Path) -> Result<Option<u64>> {
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    if is_standard(path) || !is_file {
        return Ok(None);
    }
    let cannot = || format!("cannot read {}", path.display());
    let mut file = BufReader::new(File::open(path).with_context(cannot)?);
    let (mut lines, mut open) = (0, false);
    loop {
        let bytes = file.fill_buf().with_context(cannot)?;
        let Some(last) = bytes.last() else {
            return Ok(Some(lines + u64::from(open)));
        };
        open = *last != b'\n';
        lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        let read = bytes.len();
        file.consume(read);
    }
}

impl Lines {
    /// The number of lines read.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next(&mut self) -> Result<Option<Line>> {
        let mut bytes = Vec::new();
        let (name, from) = (&self.name, &mut self.from);
        let cannot = || format!("cannot read {name}");
        let mut limited = from.by_ref().take(MOST + 1);
        let read = limited.read_until(b'\n', &mut bytes).with_context(cannot)?;
        if read == 0 {
            return Ok(None);
        }
        let ended = bytes.pop_if(|last| *last == b'\n').is_some();
        let long = !ended && bytes.len() as u64 > MOST;
        if long {
            bytes.truncate(MOST as usize);
            from.skip_until(b'\n').with_context(cannot)?;
        }
        self.number += 1;
        if self.number == 1 && bytes.starts_with(BOM) {
            bytes.drain(..BOM.len());
        }
        Ok(Some(Line {
            position: 0,
            number: self.number,
            bytes,
            long,
        }))
    }
}

/// The mark that some editors put at the head of a file.
const BOM: &[u8] = "\u{feff}".as_bytes();
