//! A file's text and locations in it.

use std::fmt;
use std::io::Read;
use std::path::Path;

use oneport_platform::PlatformError;

use crate::error::{FormatError, Mistake};

/// A file's name and text. Locations are byte offsets. They become lines if a mistake is reported.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The file's name in messages.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The bytes as text: UTF-8, with or without a byte order mark. `what` names the content that an empty file lacks.
    pub fn new(name: &'a str, bytes: &'a [u8], what: &'static str) -> Result<Self, FormatError> {
        let refuse = |line, mistake| FormatError::new(name, line, None, mistake);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
            return Err(refuse(Some(1), Mistake::Utf16));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let byte = error.valid_up_to();
            let line = 1 + count_newlines(bytes.get(..byte).unwrap_or_default());
            refuse(Some(line), Mistake::NotUtf8 { byte })
        })?;
        if text.trim().is_empty() {
            return Err(refuse(None, Mistake::Empty(what)));
        }
        Ok(Source { name, text })
    }

    /// Offset of a slice of the text.
    pub fn offset_of(&self, slice: &str) -> usize {
        (slice.as_ptr() as usize)
            .saturating_sub(self.text.as_ptr() as usize)
            .min(self.text.len())
    }

    /// The line of an offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        1 + count_newlines(
            self.text
                .as_bytes()
                .get(..offset)
                .unwrap_or(self.text.as_bytes()),
        )
    }

    /// An error at an offset.
    pub fn error(&self, offset: usize, key: Option<String>, mistake: Mistake) -> FormatError {
        FormatError::new(self.name, Some(self.line(offset)), key, mistake)
    }

    /// An error about the whole file.
    pub fn error_in_file(&self, mistake: Mistake) -> FormatError {
        FormatError::new(self.name, None, None, mistake)
    }
}

fn count_newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// The path to a value inside a file, kept on the stack and spelt out only in errors.
#[derive(Clone, Copy)]
pub enum KeyPath<'p> {
    /// The outermost value.
    Root,
    /// A member of an object.
    Key(&'p KeyPath<'p>, &'p str),
    /// An element of an array.
    Index(&'p KeyPath<'p>, usize),
}

impl KeyPath<'_> {
    /// `link[3].cost`. Nothing at the root.
    pub fn spelt(&self) -> Option<String> {
        match self {
            KeyPath::Root => None,
            _ => Some(self.to_string()),
        }
    }
}

impl fmt::Display for KeyPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyPath::Root => Ok(()),
            KeyPath::Key(KeyPath::Root, key) => f.write_str(key),
            KeyPath::Key(parent, key) => write!(f, "{parent}.{key}"),
            KeyPath::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// Reads a file of at most `limit` bytes. A larger one is refused before it is in memory.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FormatError> {
    let name = path.display().to_string();
    let refuse = |mistake| FormatError::new(&name, None, None, mistake);
    let unreadable = |error: std::io::Error| refuse(Mistake::Unreadable(error.to_string()));
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(refuse(Mistake::Directory));
    }
    if metadata.len() > limit {
        return Err(refuse(Mistake::TooLarge { limit }));
    }
    let mut bytes = Vec::new();
    // A pipe has no length, and a file may grow: the limit holds while reading, too.
    std::fs::File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(refuse(Mistake::TooLarge { limit }));
    }
    Ok(bytes)
}

/// An error of [`oneport_platform::Platform::builder`], at a line of a file.
pub fn refused(source: &Source<'_>, offset: usize, error: PlatformError) -> FormatError {
    source.error(offset, None, Mistake::Platform(error))
}
