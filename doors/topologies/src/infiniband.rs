//! InfiniBand fabrics: the code shared by `ibnetdiscover` and `iblinkinfo`.
//!
//! Hosts are processors, switches forward. Channel adapters whose names end in that of the card (`HCA-1`, `mlx5_0`) and
//! agree before it are cards of one host. A link has width x the data rate of a lane: SDR 2, DDR 4, QDR 8 (8b/10b taken
//! off), FDR10 10, FDR 13.6, EDR 25 (64b/66b), HDR 50, NDR 100, XDR 200 Gbit/s.
//!
//! Facts from InfiniBand's table of rates as linux-rdma/rdma-core, infiniband-diags, prints them.

use std::collections::BTreeMap;

use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::{Rational, ratio, whole};

use crate::draft::{Draft, Role};
use crate::imported::Topic;
use crate::mistakes::{said, too_many};

/// Limit on the ports of all nodes.
pub(super) const MAX_PORTS: usize = 250_000;

/// Speeds of a lane: name of the kind, usual notation, signalled Gbit/s as iblinkinfo writes it, data in Gbit/s.
const SPEEDS: [(&str, &str, &str, (u32, u32)); 9] = [
    ("sdr", "SDR", "2.5", (2, 1)),
    ("ddr", "DDR", "5", (4, 1)),
    ("qdr", "QDR", "10", (8, 1)),
    ("fdr10", "FDR10", "10.3125", (10, 1)),
    ("fdr", "FDR", "14.0625", (150, 11)),
    ("edr", "EDR", "25.78125", (25, 1)),
    ("hdr", "HDR", "53.125", (50, 1)),
    ("ndr", "NDR", "106.25", (100, 1)),
    ("xdr", "XDR", "212.5", (200, 1)),
];

/// Part of the names of adapters inside switches that combine values.
const AGGREGATION: &str = "Aggregation Node";

/// A node of the fabric.
pub(super) struct FabricNode {
    pub name: String,
    pub is_switch: bool,
    /// Position in the file.
    pub offset: usize,
}

/// Lanes, and the row of their speed in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Width {
    lanes: u32,
    speed: usize,
}

impl Width {
    /// `4xHDR`.
    pub(crate) fn named(text: &str) -> Option<Width> {
        let (lanes, name) = text.split_once('x')?;
        let speed = SPEEDS.iter().position(|(_, known, ..)| *known == name)?;
        Some(Width {
            lanes: lanes
                .parse()
                .ok()
                .filter(|lanes| (1..=12).contains(lanes))?,
            speed,
        })
    }

    /// The one of two that carries less.
    fn slower(self, other: Width) -> Width {
        let rate = |width: Width| {
            let data = SPEEDS.get(width.speed).map_or((0, 1), |(.., data)| *data);
            ratio(data.0 * width.lanes, data.1)
        };
        if rate(other) < rate(self) {
            other
        } else {
            self
        }
    }

    /// `4xHDR`, in the spelling of the notes.
    fn name(self) -> String {
        let speed = SPEEDS.get(self.speed).map_or("", |(_, name, ..)| name);
        format!("{}x{speed}", self.lanes)
    }

    /// `4X`, `25.78125 Gbps` per lane, with `FDR10` if the text has it.
    pub(crate) fn signalled(lanes: &str, gigabits: &str, is_fdr10: bool) -> Option<Width> {
        let lanes = lanes
            .strip_suffix(['X', 'x'])?
            .parse()
            .ok()
            .filter(|lanes| (1..=12).contains(lanes))?;
        let gigabits = gigabits.strip_suffix(".0").unwrap_or(gigabits);
        let speed = if is_fdr10 {
            SPEEDS.iter().position(|(kind, ..)| *kind == "fdr10")
        } else {
            SPEEDS
                .iter()
                .position(|(.., signalled, _)| *signalled == gigabits)
        };
        Some(Width {
            lanes,
            speed: speed?,
        })
    }
}

/// One end of a link: a node's key and the number of its port.
pub(super) type End = (String, u32);

/// A fabric that is being added to a draft.
#[derive(Default)]
pub(super) struct Fabric {
    pub nodes: BTreeMap<String, FabricNode>,
    /// Without a width if the file states none.
    links: BTreeMap<(End, End), Option<Width>>,
    /// Links whose ends have different widths or speeds, with both.
    unequal: Vec<((End, End), [Width; 2])>,
}

impl Fabric {
    /// Adds a link. If its other end lists it too, that entry changes nothing.
    pub(crate) fn link(
        &mut self,
        one: End,
        other: End,
        width: Option<Width>,
    ) -> Result<(), Mistake> {
        if self.links.len() == MAX_PORTS {
            return Err(too_many("ports", MAX_PORTS, "give a part of the fabric"));
        }
        let ends = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        let known = self.links.entry(ends.clone()).or_default();
        match (*known, width) {
            (Some(found), Some(width)) if found != width => {
                self.unequal.push((ends, [found, width]));
                *known = Some(found.slower(width));
            }
            _ => *known = known.or(width),
        }
        Ok(())
    }

    /// Notes the ends that disagree: a cable carries at most the rate of its slower end.
    fn note_unequal(&self, draft: &mut Draft<'_>) {
        let name = |end: &End| {
            let node = self.nodes.get(&end.0).map_or(&end.0, |node| &node.name);
            format!("{} port {}", clip(node), end.1)
        };
        let Some(((one, other), [found, width])) = self.unequal.first() else {
            return;
        };
        let text = format!(
            "the ends of {} disagree: {} and {} say {} and {}; the slower counts, and such a cable may be broken",
            match self.unequal.len() {
                1 => "one cable".to_string(),
                many => format!("{many} cables"),
            },
            name(one),
            name(other),
            found.name(),
            width.name()
        );
        draft.note(Topic::Assumed, text);
    }

    /// The keys of all ends.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &String> {
        self.links
            .keys()
            .flat_map(|(one, other)| [&one.0, &other.0])
    }

    /// Puts the fabric into the draft.
    pub(crate) fn add(
        &self,
        source: &Source<'_>,
        draft: &mut Draft<'_>,
    ) -> Result<(), FormatError> {
        let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut hosts: BTreeMap<&str, usize> = BTreeMap::new();
        for (key, node) in self.nodes.iter().filter(|(_, node)| !node.is_switch) {
            if node.name.contains(AGGREGATION) {
                draft.note(
                    Topic::LeftOut,
                    "aggregation nodes: they are parts of switches (SHARP), not hosts",
                );
                continue;
            }
            let host = host_of(&node.name);
            let member = match host.and_then(|host| hosts.get(host)) {
                Some(&member) => {
                    draft.note(
                        Topic::Merged,
                        "cards of one host, by their names up to HCA-1, mlx5_0, ...",
                    );
                    member
                }
                None => add_node(source, draft, key, node, host.unwrap_or(&node.name))?,
            };
            if let Some(host) = host {
                hosts.insert(host, member);
            }
            nodes.insert(key, member);
        }
        for (key, node) in self.nodes.iter().filter(|(_, node)| node.is_switch) {
            nodes.insert(key, add_node(source, draft, key, node, &node.name)?);
        }
        self.note_unequal(draft);
        for (((one, _), (other, _)), width) in &self.links {
            let (Some(&from), Some(&to)) = (nodes.get(one.as_str()), nodes.get(other.as_str()))
            else {
                continue;
            };
            let in_file = |mistake| source.error_in_file(mistake);
            let (kind, rate) = bandwidth(draft, *width).map_err(in_file)?;
            if draft.has_link(from, to) {
                draft.note(
                    Topic::Merged,
                    "parallel links are one link, their bandwidths added",
                );
            }
            draft.duplex(from, to, kind, rate).map_err(in_file)?;
        }
        if !hosts.is_empty() || draft.members.is_empty() {
            return Ok(());
        }
        draft.note(
            Topic::Assumed,
            "every channel adapter is a separate host: their names do not end in a card's",
        );
        Ok(())
    }
}

/// The kind of a link and its GB/s: by its lanes, else by the options.
fn bandwidth(
    draft: &mut Draft<'_>,
    width: Option<Width>,
) -> Result<(&'static str, Rational), Mistake> {
    let known = width.and_then(|width| Some((width.lanes, SPEEDS.get(width.speed)?)));
    if let Some((lanes, (kind, name, _, data))) = known {
        let lane = ratio(data.0, data.1 * 8);
        let rate = draft.rate(kind, lane, &format!("of data per lane of {name}"));
        return Ok((kind, rate * whole(lanes)));
    }
    if !draft.options.link_bandwidth.contains_key("link") {
        let text = "a link without width and speed, such as 4xHDR (nets of ibsim and old versions of ibnetdiscover have \
                    none); say how fast each such link is: --link-bandwidth link=200Gbit/s";
        return Err(said(text));
    }
    Ok((
        "link",
        draft.rate("link", whole(1), "for every link without width and speed"),
    ))
}

fn add_node(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    key: &str,
    node: &FabricNode,
    name: &str,
) -> Result<usize, FormatError> {
    let (kind, role) = if node.is_switch {
        ("switch", Role::Network)
    } else {
        ("host", Role::Processor)
    };
    let name = match name.trim() {
        "" => key.to_string(),
        name if draft.has_name(name) => format!("{name}#{key}"),
        name => name.to_string(),
    };
    draft
        .node(name, kind, role)
        .map_err(|mistake| source.error(node.offset, Some(clip(key)), mistake))
}

/// `node1` of `node1 HCA-1` and `node1 mlx5_0`.
fn host_of(name: &str) -> Option<&str> {
    let (host, card) = name.trim().rsplit_once(char::is_whitespace)?;
    let letters = card.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let known = [
        "HCA-", "mlx", "hfi", "qib", "ib", "mthca", "bnxt_re", "irdma",
    ];
    (letters.len() < card.len() && known.iter().any(|known| letters.starts_with(known)))
        .then_some(host.trim())
}

/// The text between the first two quotes, and the rest.
pub(super) fn quoted(text: &str) -> Option<(&str, &str)> {
    text.split_once('"')?.1.split_once('"')
}
