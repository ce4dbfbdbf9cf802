//! The formats of topologies: ours, and other programs'.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use oneport_files::PlatformFormat;

use crate::unread::Unread;

/// A format of a file that holds a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A platform file of ours.
    Own(PlatformFormat),
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
    /// The tables of `rocm-smi --showtopo` and `amd-smi topology`.
    Rocm,
    /// Bandwidths between GPUs: `p2pBandwidthLatencyTest`, `nvbandwidth`.
    GpuMatrix,
    /// A list of links: two nodes and a bandwidth in every row.
    Edges,
    /// A file that is not read. See [`Unread`].
    Unread(Unread),
}

/// Every format of other programs, with its name on the command line and a description.
const TABLE: [(Format, &str, &str); 17] = [
    (Format::Gml, "gml", "GML graph"),
    (
        Format::Joined,
        "joined",
        "Tiers topology joined to measured links",
    ),
    (Format::Nccl, "nccl", "topology dump of NCCL or RCCL"),
    (
        Format::NvidiaSmi,
        "nvidia-smi",
        "table of nvidia-smi topo -m",
    ),
    (Format::NodeLink, "node-link", "node-link graph"),
    (Format::GraphMl, "graphml", "GraphML graph"),
    (Format::Dot, "dot", "DOT graph"),
    (
        Format::IbNetDiscover,
        "ibnetdiscover",
        "InfiniBand fabric of ibnetdiscover",
    ),
    (
        Format::IbLinkInfo,
        "iblinkinfo",
        "InfiniBand fabric of iblinkinfo",
    ),
    (Format::SlurmConf, "slurm-conf", "Slurm's topology.conf"),
    (Format::SlurmYaml, "slurm-yaml", "Slurm's topology.yaml"),
    (Format::AstraSim, "astra-sim", "network of ASTRA-sim"),
    (Format::Hwloc, "hwloc", "machine of hwloc"),
    (Format::SimGrid, "simgrid", "platform of SimGrid"),
    (
        Format::Rocm,
        "rocm-smi",
        "table of rocm-smi --showtopo or amd-smi topology",
    ),
    (
        Format::GpuMatrix,
        "gpu-matrix",
        "output of p2pBandwidthLatencyTest or nvbandwidth",
    ),
    (Format::Edges, "edges", "list of links"),
];

impl Format {
    /// Every format, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Format> {
        PlatformFormat::all()
            .map(Format::Own)
            .chain(TABLE.into_iter().map(|(format, ..)| format))
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
        if let Format::Own(format) = self {
            return (format.name(), format.about());
        }
        let row = TABLE.into_iter().find(|(format, ..)| *format == self);
        row.map_or(("", ""), |(_, name, about)| (name, about))
    }

    /// The format that a file name announces, if any: `.joined.json`, `.gml`, and those of ours.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        match name {
            _ if name.ends_with(".joined.json") => Some(Format::Joined),
            _ if name.ends_with(".gml") => Some(Format::Gml),
            // Other programs' JSON has the same extension.
            _ if name.ends_with(".json") => None,
            _ => PlatformFormat::from_extension(path).map(Format::Own),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no format of platforms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no format of platforms; the formats are {names}", names = names())]
pub struct ParseFormatError(pub String);

fn names() -> String {
    Format::all()
        .map(Format::name)
        .collect::<Vec<_>>()
        .join(", ")
}

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Format::all()
            .find(|format| format.name() == text)
            .ok_or_else(|| ParseFormatError(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for format in Format::all() {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!(
            "xml".parse::<Format>(),
            Err(ParseFormatError("xml".to_string()))
        );
    }
}
