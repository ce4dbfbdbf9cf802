//! The formats of platform files, told apart by name and content.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of platform files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PlatformFormat {
    /// The native format in TOML.
    Toml,
    /// The native format in JSON.
    Json,
    /// A square table of bandwidths, CSV or white space.
    Matrix,
    /// GML: the Internet Topology Zoo's, networkx's.
    Gml,
    /// A Tiers topology joined to measured links, in JSON: hosts are processors with compute 1 / speed,
    /// links work in both directions and cost 1 / bandwidth.
    Joined,
    /// A topology dump of NCCL or RCCL.
    Nccl,
}

impl PlatformFormat {
    /// Every format, in the order of the documentation.
    pub const ALL: [PlatformFormat; 6] = [
        PlatformFormat::Toml,
        PlatformFormat::Json,
        PlatformFormat::Matrix,
        PlatformFormat::Gml,
        PlatformFormat::Joined,
        PlatformFormat::Nccl,
    ];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PlatformFormat::Toml => "toml",
            PlatformFormat::Json => "json",
            PlatformFormat::Matrix => "matrix",
            PlatformFormat::Gml => "gml",
            PlatformFormat::Joined => "joined",
            PlatformFormat::Nccl => "nccl",
        }
    }

    /// What a file of this format is, for people.
    pub fn about(self) -> &'static str {
        match self {
            PlatformFormat::Toml | PlatformFormat::Json => "platform file",
            PlatformFormat::Matrix => "table of bandwidths",
            PlatformFormat::Gml => "GML graph",
            PlatformFormat::Joined => "Tiers topology joined to measured links",
            PlatformFormat::Nccl => "topology dump of NCCL or RCCL",
        }
    }

    /// The format of a file: by its extension where that says it (see [`from_extension`](Self::from_extension)), else
    /// by its content.
    pub fn detect(path: &Path, bytes: &[u8]) -> Self {
        let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        Self::from_extension(path).unwrap_or_else(|| Self::from_content(bytes, json))
    }

    /// The format that a file name announces, if any: `.toml`, `.joined.json`, `.gml`; `.csv`, `.tsv`, `.mat`, `.dat`
    /// for a matrix.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        if name.ends_with(".joined.json") {
            return Some(PlatformFormat::Joined);
        }
        match name.rsplit_once('.')?.1 {
            "toml" => Some(PlatformFormat::Toml),
            "gml" => Some(PlatformFormat::Gml),
            "csv" | "tsv" | "mat" | "dat" => Some(PlatformFormat::Matrix),
            _ => None,
        }
    }

    /// The format in which a file of this name is written, if any.
    pub fn to_write(path: &Path) -> Option<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") => Some(Self::from_extension(path).unwrap_or(PlatformFormat::Json)),
            Some("txt") => Some(PlatformFormat::Matrix),
            _ => Self::from_extension(path),
        }
    }

    fn from_content(bytes: &[u8], json: bool) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let beginning = String::from_utf8_lossy(bytes.get(..BEGINNING).unwrap_or(bytes));
        if beginning.trim_start().starts_with('<') {
            return PlatformFormat::Nccl;
        }
        let mut lines = beginning.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = lines.clone().next().unwrap_or_default();
        let opens_graph =
            |line: &str| line.strip_prefix("graph").is_some_and(|rest| rest.trim_start().starts_with('['));
        if json || first.starts_with('{') {
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

/// How much of a file is looked at to tell its format: licences and comments may come first.
const BEGINNING: usize = 16 << 10;

impl fmt::Display for PlatformFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no platform format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a platform format; the formats are {names}", names = names())]
pub struct ParseFormatError(pub String);

fn names() -> String {
    PlatformFormat::ALL.map(PlatformFormat::name).join(", ")
}

impl FromStr for PlatformFormat {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PlatformFormat::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| ParseFormatError(text.to_string()))
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
            ("a.txt", "<!-- c -->\n<system/>", PlatformFormat::Nccl),
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
