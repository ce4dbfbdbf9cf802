//! Platform files of every format: detection, reading, writing.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use oneport_platform::Platform;

use crate::error::{FormatError, Mistake};
use crate::source::{Source, read_bytes};
use crate::{gml, matrix, native, tiers_json};

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
    /// GML as the Internet Topology Zoo writes it.
    Gml,
    /// A Tiers topology joined to measured links, in JSON: hosts are processors with compute 1 / speed,
    /// links work in both directions and cost 1 / bandwidth.
    Joined,
}

impl PlatformFormat {
    /// Every format, in the order of the documentation.
    pub const ALL: [PlatformFormat; 5] = [
        PlatformFormat::Toml,
        PlatformFormat::Json,
        PlatformFormat::Matrix,
        PlatformFormat::Gml,
        PlatformFormat::Joined,
    ];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PlatformFormat::Toml => "toml",
            PlatformFormat::Json => "json",
            PlatformFormat::Matrix => "matrix",
            PlatformFormat::Gml => "gml",
            PlatformFormat::Joined => "joined",
        }
    }

    /// The format of a file, by its extension (`.toml`, `.joined.json`, `.json`, `.gml`; `.csv`, `.tsv`, `.txt`,
    /// `.mat`, `.dat` for a matrix); where the extension says nothing, by its first lines.
    pub fn detect(path: &Path, bytes: &[u8]) -> Self {
        Self::from_extension(path).unwrap_or_else(|| Self::from_content(bytes))
    }

    /// The format that a file name announces, if any.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        if name.ends_with(".joined.json") {
            return Some(PlatformFormat::Joined);
        }
        match name.rsplit_once('.')?.1 {
            "toml" => Some(PlatformFormat::Toml),
            "json" => Some(PlatformFormat::Json),
            "gml" => Some(PlatformFormat::Gml),
            "csv" | "tsv" | "txt" | "mat" | "dat" => Some(PlatformFormat::Matrix),
            _ => None,
        }
    }

    fn from_content(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let beginning = String::from_utf8_lossy(bytes.get(..4096).unwrap_or(bytes));
        let mut lines = beginning.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = lines.clone().next().unwrap_or_default();
        let opens_graph =
            |line: &str| line.strip_prefix("graph").is_some_and(|rest| rest.trim_start().starts_with('['));
        if first.starts_with('{') {
            PlatformFormat::Json
        } else if first == "graph" || lines.any(opens_graph) {
            PlatformFormat::Gml
        } else if first.starts_with('[') || first.contains('=') {
            PlatformFormat::Toml
        } else {
            PlatformFormat::Matrix
        }
    }
}

impl fmt::Display for PlatformFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no platform format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a platform format; the formats are toml, json, matrix, gml, joined")]
pub struct ParseFormatError(pub String);

impl FromStr for PlatformFormat {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PlatformFormat::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| ParseFormatError(text.to_string()))
    }
}

/// Reads a platform file of any format.
///
/// # Errors
/// A file that cannot be read or is over [`MAX_PLATFORM_BYTES`]; else as [`parse_platform`].
pub fn read_platform(path: &Path) -> Result<Platform, FormatError> {
    let bytes = read_bytes(path, MAX_PLATFORM_BYTES)?;
    parse_platform(&path.display().to_string(), &bytes, PlatformFormat::detect(path, &bytes))
}

/// Reads a platform file of a format that the caller names.
///
/// # Errors
/// As [`read_platform`].
pub fn read_platform_as(path: &Path, format: PlatformFormat) -> Result<Platform, FormatError> {
    parse_platform(&path.display().to_string(), &read_bytes(path, MAX_PLATFORM_BYTES)?, format)
}

/// Reads a platform from bytes; `name` is the file's name in messages. Time and memory are linear in the bytes
/// (times the logarithm of the number of nodes and links).
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn parse_platform(name: &str, bytes: &[u8], format: PlatformFormat) -> Result<Platform, FormatError> {
    if bytes.len() as u64 > MAX_PLATFORM_BYTES {
        return Err(FormatError::new(name, None, None, Mistake::TooLarge { limit: MAX_PLATFORM_BYTES }));
    }
    let source = Source::new(name, bytes, "a platform")?;
    match format {
        PlatformFormat::Toml => native::read_toml(source),
        PlatformFormat::Json => native::read_json(source),
        PlatformFormat::Matrix => matrix::read(source),
        PlatformFormat::Gml => gml::read(source),
        PlatformFormat::Joined => tiers_json::read(source),
    }
}

/// The text of a platform file. What was read back from TOML or JSON equals the platform; from a matrix it equals
/// it up to the order of the links.
///
/// # Errors
/// A format that is only read, or that cannot say what the platform says: the reason, by name.
pub fn write_platform(platform: &Platform, format: PlatformFormat) -> Result<String, FormatError> {
    match format {
        PlatformFormat::Toml => native::write_toml(platform),
        PlatformFormat::Json => native::write_json(platform),
        PlatformFormat::Matrix => matrix::write(platform),
        PlatformFormat::Gml | PlatformFormat::Joined => {
            let why = "this format is only read".to_string();
            let mistake = Mistake::Unsupported { format: format.name(), why };
            Err(FormatError::new("the platform", None, None, mistake))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for format in PlatformFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("xml".parse::<PlatformFormat>(), Err(ParseFormatError("xml".to_string())));
    }

    #[test]
    fn formats_are_detected() {
        for (name, content, format) in [
            ("a.toml", "", PlatformFormat::Toml),
            ("a.JSON", "", PlatformFormat::Json),
            ("a.joined.json", "", PlatformFormat::Joined),
            ("a.csv", "", PlatformFormat::Matrix),
            ("a.mat", "{", PlatformFormat::Matrix),
            ("a.gml", "", PlatformFormat::Gml),
            ("stdin", "\u{feff}# c\nformat = \"oneport-platform/1\"", PlatformFormat::Toml),
            ("stdin", "[[node]]", PlatformFormat::Toml),
            ("stdin", "  {\"format\"", PlatformFormat::Json),
            ("stdin", "Creator \"x\"\r\ngraph [\r\n", PlatformFormat::Gml),
            ("stdin", "graph\n[\n", PlatformFormat::Gml),
            ("stdin", "0 1\n1 0\n", PlatformFormat::Matrix),
            ("no.extension.here", ",a,b\na,0,1\nb,1,0", PlatformFormat::Matrix),
        ] {
            assert_eq!(PlatformFormat::detect(Path::new(name), content.as_bytes()), format, "{name} {content:?}");
        }
    }
}
