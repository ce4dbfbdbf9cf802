//! Platform files of ours: formats, reading, writing.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use oneport_platform::Platform;

use crate::error::{FormatError, Mistake};
use crate::source::{Source, read_bytes};
use crate::{matrix, native};

/// Most bytes of a platform file.
pub const MAX_PLATFORM_BYTES: u64 = 64 << 20;

/// A format of platform files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlatformFormat {
    /// The native format in TOML.
    Toml,
    /// The native format in JSON.
    Json,
    /// A square table of bandwidths, CSV or white space.
    Matrix,
}

impl PlatformFormat {
    /// Every format.
    pub fn all() -> impl Iterator<Item = PlatformFormat> {
        [
            PlatformFormat::Toml,
            PlatformFormat::Json,
            PlatformFormat::Matrix,
        ]
        .into_iter()
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PlatformFormat::Toml => "toml",
            PlatformFormat::Json => "json",
            PlatformFormat::Matrix => "matrix",
        }
    }

    /// A description of the format for users.
    pub fn about(self) -> &'static str {
        match self {
            PlatformFormat::Toml | PlatformFormat::Json => "platform file",
            PlatformFormat::Matrix => "table of bandwidths",
        }
    }

    /// The format that a file name announces, if any: `.toml`, `.json`, and `.csv`, `.tsv`, `.mat`, `.dat` for a
    /// matrix.
    pub fn from_extension(path: &Path) -> Option<Self> {
        match path
            .extension()?
            .to_string_lossy()
            .to_ascii_lowercase()
            .as_str()
        {
            "toml" => Some(PlatformFormat::Toml),
            "json" => Some(PlatformFormat::Json),
            "csv" | "tsv" | "mat" | "dat" => Some(PlatformFormat::Matrix),
            _ => None,
        }
    }

    /// The format in which a file of this name is written, if any. `.joined.json` names files of others.
    pub fn to_write(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        match name {
            _ if name.ends_with(".joined.json") => None,
            _ if name.ends_with(".txt") => Some(PlatformFormat::Matrix),
            _ => Self::from_extension(path),
        }
    }

    /// The format of one of our platform files, by content.
    pub fn of_content(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let beginning = String::from_utf8_lossy(bytes.get(..BEGINNING).unwrap_or(bytes));
        let mut lines = beginning
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        match lines.next().unwrap_or_default() {
            line if line.starts_with('{') => PlatformFormat::Json,
            line if line.starts_with('[') || line.contains('=') => PlatformFormat::Toml,
            _ => PlatformFormat::Matrix,
        }
    }
}

/// How much of a file is looked at: licences and comments may come first.
const BEGINNING: usize = 16 << 10;

impl fmt::Display for PlatformFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no format of platform files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a platform format; the formats are toml, json, matrix")]
pub struct ParseFormatError(pub String);

impl FromStr for PlatformFormat {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PlatformFormat::all()
            .find(|format| format.name() == text)
            .ok_or_else(|| ParseFormatError(text.to_string()))
    }
}

/// Reads a platform file, in the format that its name or else its content indicates.
///
/// # Errors
/// A file that cannot be read or is over [`MAX_PLATFORM_BYTES`]. Else as [`parse_platform`].
pub fn read_platform(path: impl AsRef<Path>) -> Result<Platform, FormatError> {
    let path = path.as_ref();
    checked(
        &path.display().to_string(),
        read_platform_with_any_ports(path)?,
    )
}

/// [`read_platform`] for a platform whose port model is about to change: see
/// [`build_with_any_ports`](oneport_platform::PlatformBuilder::build_with_any_ports).
///
/// # Errors
/// Those of [`read_platform`], except links with shared capacities at nodes with ports.
pub fn read_platform_with_any_ports(path: &Path) -> Result<Platform, FormatError> {
    let bytes = read_bytes(path, MAX_PLATFORM_BYTES)?;
    let format =
        PlatformFormat::from_extension(path).unwrap_or_else(|| PlatformFormat::of_content(&bytes));
    parse_platform_with_any_ports(&path.display().to_string(), &bytes, format)
}

fn checked(name: &str, platform: Platform) -> Result<Platform, FormatError> {
    match platform.check_shared() {
        Ok(()) => Ok(platform),
        Err(error) => Err(FormatError::new(name, None, None, Mistake::Platform(error))),
    }
}

/// Reads a platform from bytes. `name` is the file's name in messages. Time and memory are linear in the bytes
/// (times the logarithm of the number of nodes and links).
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn parse_platform(
    name: &str,
    bytes: &[u8],
    format: PlatformFormat,
) -> Result<Platform, FormatError> {
    checked(name, parse_platform_with_any_ports(name, bytes, format)?)
}

/// [`parse_platform`] for a platform whose port model is about to change.
///
/// # Errors
/// Those of [`parse_platform`], except links with shared capacities at nodes with ports.
pub fn parse_platform_with_any_ports(
    name: &str,
    bytes: &[u8],
    format: PlatformFormat,
) -> Result<Platform, FormatError> {
    if bytes.len() as u64 > MAX_PLATFORM_BYTES {
        return Err(FormatError::new(
            name,
            None,
            None,
            Mistake::TooLarge {
                limit: MAX_PLATFORM_BYTES,
            },
        ));
    }
    let source = Source::new(name, bytes, "a platform")?;
    match format {
        PlatformFormat::Toml => native::read_toml(source),
        PlatformFormat::Json => native::read_json(source),
        PlatformFormat::Matrix => matrix::read(source),
    }
}

/// The text of a platform file. Read back from TOML or JSON, it equals the platform. Read from a matrix, it does up to
/// the order of the links.
///
/// # Errors
/// The part of the platform that the format cannot express.
pub fn write_platform(platform: &Platform, format: PlatformFormat) -> Result<String, FormatError> {
    match format {
        PlatformFormat::Toml => native::write_toml(platform),
        PlatformFormat::Json => native::write_json(platform),
        PlatformFormat::Matrix => matrix::write(platform),
    }
}
