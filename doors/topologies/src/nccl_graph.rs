//! Graph files of NCCL: the channels that `NCCL_GRAPH_FILE` gives it, and `NCCL_GRAPH_DUMP_FILE` shows (version 1).
//!
//! ```xml
//! <graphs version="1">
//!   <graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="20" speedinter="20"
//!     typeintra="NVL" typeinter="PIX" samechannels="1">
//!     <channel><gpu dev="0" rank="0"/> <gpu dev="1" rank="1"/></channel>
//!   </graph>
//! </graphs>
//! ```
//!
//! A graph is a ring (id 0) or a tree (1), among others. A channel is an order of the GPUs of one machine, with the
//! network cards before and after them if there are several machines. `dev` is hexadecimal. If `rank` is given, it
//! replaces `dev`. Speeds are in GB/s.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use crate::mistakes::unexpected;
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::{Rational, decimal_down, parse_rational};
use roxmltree::Node;

use crate::xml;

/// Limit on the bytes of a graph file.
pub const MAX_GRAPH_BYTES: u64 = 4 << 20;
/// Digits of speeds.
const DIGITS: usize = 9;

/// The distance of two GPUs, or of a GPU and a network card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathType {
    /// The two are the same device.
    Loc,
    /// NVLink.
    Nvl,
    /// NVLink through another GPU.
    Nvb,
    /// Chips of one board.
    P2c,
    /// One PCI switch.
    Pix,
    /// Several PCI switches.
    Pxb,
    /// A network card through another GPU.
    Pxn,
    /// Through a CPU.
    Phb,
    /// Between CPUs.
    Sys,
}

impl PathType {
    /// All of them, the nearest first.
    pub const ALL: [PathType; 9] = [
        PathType::Loc,
        PathType::Nvl,
        PathType::Nvb,
        PathType::P2c,
        PathType::Pix,
        PathType::Pxb,
        PathType::Pxn,
        PathType::Phb,
        PathType::Sys,
    ];

    /// The spelling in the file.
    pub fn name(self) -> &'static str {
        let names = [
            "LOC", "NVL", "NVB", "P2C", "PIX", "PXB", "PXN", "PHB", "SYS",
        ];
        names[self as usize]
    }
}

impl fmt::Display for PathType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PathType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || PathType::ALL.map(PathType::name).join(", ");
        let found = PathType::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| format!("'{}' is not a path type; there are {}", clip(text), names()))
    }
}

/// A GPU of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NcclGpu {
    /// Number of the device on its machine.
    pub device: u64,
    /// Its rank, if it is given.
    pub rank: Option<u64>,
}

/// An order of GPUs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NcclChannel {
    /// Network cards by device: the one in, the one out. Empty on one machine.
    pub nets: Vec<u64>,
    /// The GPUs, each once.
    pub gpus: Vec<NcclGpu>,
}

/// A graph: channels of one use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NcclGraph {
    /// Purpose: 0 rings, 1 trees.
    pub id: u64,
    /// 4 ring, 1 balanced tree, 2 split tree, 3 tree, 5 and 6 with switches that compute.
    pub pattern: u64,
    /// Whether a channel may use two network cards.
    pub cross_nic: u64,
    /// Bandwidth of a channel within a machine, in GB/s.
    pub speed_intra: Rational,
    /// Bandwidth of a channel between machines, in GB/s.
    pub speed_inter: Rational,
    /// Latency between machines.
    pub latency_inter: Option<Rational>,
    /// The longest path between GPUs.
    pub type_intra: PathType,
    /// The longest path to a network card.
    pub type_inter: PathType,
    /// Whether all channels have one order.
    pub same_channels: u64,
    /// The channels.
    pub channels: Vec<NcclChannel>,
}

/// Writes graphs as NCCL reads them. Speeds are rounded down to nine digits. Devices from ten on are written `0xa`,
/// which old readers, with decimal numbers only, understand as well.
pub fn write_nccl_graphs(graphs: &[NcclGraph]) -> String {
    let mut out = String::from("<graphs version=\"1\">\n");
    for graph in graphs {
        let NcclGraph {
            id,
            pattern,
            cross_nic,
            type_intra,
            type_inter,
            same_channels,
            channels,
            ..
        } = graph;
        let (intra, inter) = (
            decimal_down(&graph.speed_intra, DIGITS),
            decimal_down(&graph.speed_inter, DIGITS),
        );
        let latency = graph
            .latency_inter
            .as_ref()
            .map_or(String::new(), |latency| {
                format!(" latencyinter=\"{}\"", decimal_down(latency, DIGITS))
            });
        let _ = writeln!(
            out,
            "  <graph id=\"{id}\" pattern=\"{pattern}\" crossnic=\"{cross_nic}\" nchannels=\"{}\" speedintra=\"{intra}\" \
             speedinter=\"{inter}\"{latency} typeintra=\"{type_intra}\" typeinter=\"{type_inter}\" \
             samechannels=\"{same_channels}\">",
            channels.len()
        );
        for channel in channels.iter() {
            write_channel(&mut out, channel);
        }
        out.push_str("  </graph>\n");
    }
    out.push_str("</graphs>\n");
    out
}

fn write_channel(out: &mut String, channel: &NcclChannel) {
    let device = |device: u64| {
        if device < 10 {
            device.to_string()
        } else {
            format!("{device:#x}")
        }
    };
    let net = |net: Option<&u64>| {
        net.map(|net| format!("      <net dev=\"{}\"/>\n", device(*net)))
            .unwrap_or_default()
    };
    out.push_str("    <channel>\n");
    out.push_str(&net(channel.nets.first()));
    for gpu in &channel.gpus {
        let rank = gpu
            .rank
            .map(|rank| format!(" rank=\"{rank}\""))
            .unwrap_or_default();
        let _ = writeln!(out, "      <gpu dev=\"{}\"{rank}/>", device(gpu.device));
    }
    out.push_str(&net(channel.nets.get(1)));
    out.push_str("    </channel>\n");
}

/// Reads the graphs of a file. `name` is for errors.
///
/// # Errors
/// The first element that NCCL would refuse or misread: another version, attributes that are missing or not numbers,
/// another number of channels than stated, a GPU twice in a channel.
pub fn parse_nccl_graphs(name: &str, bytes: &[u8]) -> Result<Vec<NcclGraph>, FormatError> {
    let source = Source::new(name, bytes, "an NCCL graph file")?;
    if bytes.len() as u64 > MAX_GRAPH_BYTES {
        return Err(source.error_in_file(Mistake::TooLarge {
            limit: MAX_GRAPH_BYTES,
        }));
    }
    let document = xml::parse(&source)?;
    let reader = Reader { source };
    let root = document.root_element();
    if !root.has_tag_name("graphs") {
        return Err(reader.error_at(
            root,
            "the root",
            "<graphs>, as NCCL_GRAPH_DUMP_FILE writes it",
        ));
    }
    if reader.number(root, "version")? != 1 {
        return Err(reader.error_at(root, "the version", "1, the only one that NCCL reads"));
    }
    reader
        .children(root, "graph")?
        .into_iter()
        .map(|graph| reader.graph(graph))
        .collect()
}

struct Reader<'a> {
    source: Source<'a>,
}

impl Reader<'_> {
    fn error_at(&self, element: Node<'_, '_>, what: &str, expected: &'static str) -> FormatError {
        xml::error_at(&self.source, element, unexpected(what, expected))
    }

    fn children<'n, 'd>(
        &self,
        parent: Node<'n, 'd>,
        name: &'static str,
    ) -> Result<Vec<Node<'n, 'd>>, FormatError> {
        let elements: Vec<Node<'_, '_>> = parent.children().filter(Node::is_element).collect();
        match elements.iter().find(|element| !element.has_tag_name(name)) {
            Some(other) => {
                let expected = if name == "graph" {
                    "<graph>"
                } else {
                    "<channel>"
                };
                Err(self.error_at(*other, "the element", expected))
            }
            None => Ok(elements),
        }
    }

    /// The value of an attribute that has to be there.
    fn value<T>(
        &self,
        element: Node<'_, '_>,
        key: &'static str,
        expected: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, FormatError> {
        let text = xml::need(&self.source, element, key, "what NCCL asks for")?;
        read(text)
            .ok_or_else(|| self.error_at(element, &format!("{key} '{}'", clip(text)), expected))
    }

    /// An integer, decimal or after `0x` hexadecimal.
    fn number(&self, element: Node<'_, '_>, key: &'static str) -> Result<u64, FormatError> {
        self.value(element, key, "a whole number", |text| {
            match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok(),
                None => text.parse().ok(),
            }
        })
    }

    /// A device: hexadecimal, with or without `0x`.
    fn device(&self, element: Node<'_, '_>) -> Result<u64, FormatError> {
        self.value(element, "dev", "a hexadecimal number", |text| {
            u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
        })
    }

    fn speed(&self, element: Node<'_, '_>, key: &'static str) -> Result<Rational, FormatError> {
        self.value(element, key, "a number", |text| parse_rational(text).ok())
    }

    fn path(&self, element: Node<'_, '_>, key: &'static str) -> Result<PathType, FormatError> {
        let expected = "one of LOC, NVL, NVB, P2C, PIX, PXB, PXN, PHB, SYS";
        self.value(element, key, expected, |text| text.parse().ok())
    }

    fn graph(&self, graph: Node<'_, '_>) -> Result<NcclGraph, FormatError> {
        let channels = self.children(graph, "channel")?;
        let channels = channels
            .into_iter()
            .map(|channel| self.channel(channel))
            .collect::<Result<Vec<_>, _>>()?;
        if self.number(graph, "nchannels")? != channels.len() as u64 {
            return Err(self.error_at(
                graph,
                "nchannels",
                "the number of <channel> elements that follow",
            ));
        }
        let latency = graph
            .attribute("latencyinter")
            .map(|_| self.speed(graph, "latencyinter"));
        Ok(NcclGraph {
            id: self.number(graph, "id")?,
            pattern: self.number(graph, "pattern")?,
            cross_nic: self.number(graph, "crossnic")?,
            speed_intra: self.speed(graph, "speedintra")?,
            speed_inter: self.speed(graph, "speedinter")?,
            latency_inter: latency.transpose()?,
            type_intra: self.path(graph, "typeintra")?,
            type_inter: self.path(graph, "typeinter")?,
            same_channels: self.number(graph, "samechannels")?,
            channels,
        })
    }

    fn channel(&self, channel: Node<'_, '_>) -> Result<NcclChannel, FormatError> {
        let mut read = NcclChannel::default();
        for element in channel.children().filter(Node::is_element) {
            let device = self.device(element)?;
            match element.tag_name().name() {
                "net" => read.nets.push(device),
                "gpu" => {
                    let rank = element
                        .attribute("rank")
                        .map(|_| self.number(element, "rank"))
                        .transpose()?;
                    let gpu = NcclGpu { device, rank };
                    if read.gpus.contains(&gpu) {
                        return Err(self.error_at(
                            element,
                            &format!("dev {device}"),
                            "listed once in a channel",
                        ));
                    }
                    read.gpus.push(gpu);
                }
                _ => return Err(self.error_at(element, "the element", "<gpu> or <net>")),
            }
        }
        Ok(read)
    }
}
