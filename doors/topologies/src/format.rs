//! The formats of platform files.

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
    /// Output of `nvidia-smi topo -m`.
    NvidiaSmi,
    /// Node-link JSON: networkx, d3.
    NodeLink,
    /// GraphML.
    GraphMl,
    /// DOT, the language of Graphviz.
    Dot,
    /// Output of `ibnetdiscover`.
    IbNetDiscover,
    /// Output of `iblinkinfo`.
    IbLinkInfo,
    /// Slurm's `topology.conf`.
    SlurmConf,
    /// Slurm's `topology.yaml`.
    SlurmYaml,
    /// ASTRA-sim's network YAML.
    AstraSim,
    /// hwloc's XML with bandwidths between GPUs.
    Hwloc,
    /// SimGrid's platform XML.
    SimGrid,
}

/// Every format with the name used on the command line and what a file of it is, for people.
const TABLE: [(PlatformFormat, &str, &str); 17] = [
    (PlatformFormat::Toml, "toml", "platform file"),
    (PlatformFormat::Json, "json", "platform file"),
    (PlatformFormat::Matrix, "matrix", "table of bandwidths"),
    (PlatformFormat::Gml, "gml", "GML graph"),
    (PlatformFormat::Joined, "joined", "Tiers topology joined to measured links"),
    (PlatformFormat::Nccl, "nccl", "topology dump of NCCL or RCCL"),
    (PlatformFormat::NvidiaSmi, "nvidia-smi", "table of nvidia-smi topo -m"),
    (PlatformFormat::NodeLink, "node-link", "node-link graph"),
    (PlatformFormat::GraphMl, "graphml", "GraphML graph"),
    (PlatformFormat::Dot, "dot", "DOT graph"),
    (PlatformFormat::IbNetDiscover, "ibnetdiscover", "InfiniBand fabric of ibnetdiscover"),
    (PlatformFormat::IbLinkInfo, "iblinkinfo", "InfiniBand fabric of iblinkinfo"),
    (PlatformFormat::SlurmConf, "slurm-conf", "Slurm's topology.conf"),
    (PlatformFormat::SlurmYaml, "slurm-yaml", "Slurm's topology.yaml"),
    (PlatformFormat::AstraSim, "astra-sim", "network of ASTRA-sim"),
    (PlatformFormat::Hwloc, "hwloc", "machine of hwloc"),
    (PlatformFormat::SimGrid, "simgrid", "platform of SimGrid"),
];

impl PlatformFormat {
    /// Every format, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = PlatformFormat> {
        TABLE.into_iter().map(|(format, ..)| format)
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// A description of the format for users.
    pub fn about(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> (&'static str, &'static str) {
        let row = TABLE.into_iter().find(|(format, ..)| *format == self);
        row.map_or(("", ""), |(_, name, about)| (name, about))
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
}

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
    PlatformFormat::all().map(PlatformFormat::name).collect::<Vec<_>>().join(", ")
}

impl FromStr for PlatformFormat {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PlatformFormat::all().find(|format| format.name() == text).ok_or_else(|| ParseFormatError(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for format in PlatformFormat::all() {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("xml".parse::<PlatformFormat>(), Err(ParseFormatError("xml".to_string())));
    }
}
