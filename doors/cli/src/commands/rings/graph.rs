//! Writes and reads rings as NCCL graph files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use num_traits::{ToPrimitive, Zero};
use oneport::plan::{EqualRings, LinkId, Resource};
use oneport::platform::whole;
use oneport::{NodeId, PackingError, Platform, Rational, Rings};
use oneport_topologies::{
    Accelerator, Imported, NcclChannel, NcclGpu, NcclGraph, PathType, parse_nccl_graphs,
    write_nccl_graphs,
};

use super::boxes;

/// Id and pattern of rings.
const RING: (u64, u64) = (0, 4);
/// Id and pattern of the tree: a balanced tree over boxes. Within a box NCCL reads the GPUs of a channel as a chain,
/// for every pattern (`ncclTopoPreset` in src/graph/connect.cc: the parent of a GPU is the one listed before it, its
/// only child the one after it), so the trees of the optimum cannot be written: the rings are, as chains.
const TREE: (u64, u64) = (1, 1);

/// GB/s that NCCL's search gives a channel at most within a box of A100 (`speedArrayIntra` in src/graph/search.cc);
/// limits of later GPUs are higher.
const CHANNEL: u64 = 40;

/// Ranks and devices of the processors.
pub struct Ranks {
    gpus: Vec<(NodeId, NcclGpu)>,
    /// The origin of the devices, as text.
    pub origin: &'static str,
    /// The number of their machines. 1 if the file does not give them.
    pub machines: usize,
}

impl Ranks {
    /// The ranks and devices of a topology's file, if it has them. Else ranks count the processors in their order.
    /// Devices are then the numbers that their names end in, if these differ within every box, else the ranks.
    pub fn new(imported: &Imported, gpus: &[NodeId]) -> Ranks {
        let known = |gpu: &NodeId| {
            imported
                .accelerators
                .iter()
                .find(|known| known.node == *gpu)
                .copied()
        };
        let known: Option<Vec<Accelerator>> = gpus.iter().map(known).collect();
        if let Some(known) = known.filter(|known| !known.is_empty()) {
            let machines: BTreeSet<usize> = known.iter().map(|known| known.machine).collect();
            let numbered = |known: Accelerator| {
                (
                    known.node,
                    NcclGpu {
                        device: known.device,
                        rank: known.rank,
                    },
                )
            };
            let gpus = known.into_iter().map(numbered).collect();
            return Ranks {
                gpus,
                origin: "ranks and devices are those of the file",
                machines: machines.len(),
            };
        }
        let numbers: Option<Vec<u64>> = gpus
            .iter()
            .map(|&gpu| boxes::number(imported.platform.name(gpu)))
            .collect();
        let numbered = numbers.iter().flatten().zip(gpus);
        let distinct: BTreeSet<(Option<&str>, u64)> = numbered
            .map(|(&number, &gpu)| (boxes::of(&imported.platform, gpu), number))
            .collect();
        let numbers = numbers.filter(|_| distinct.len() == gpus.len());
        let origin = match numbers {
            Some(_) => {
                "ranks in the order of the processors; devices are the numbers their names end in"
            }
            None => "ranks in the order of the processors; devices are their ranks",
        };
        let gpu = |(rank, &node): (usize, &NodeId)| {
            let rank = rank as u64;
            let device = numbers
                .as_ref()
                .map_or(rank, |numbers| numbers[rank as usize]);
            (
                node,
                NcclGpu {
                    device,
                    rank: Some(rank),
                },
            )
        };
        Ranks {
            gpus: gpus.iter().enumerate().map(gpu).collect(),
            origin,
            machines: 1,
        }
    }

    /// The rank and device of one of the processors.
    pub fn of(&self, node: NodeId) -> NcclGpu {
        let found = self.gpus.iter().find(|(one, _)| *one == node);
        found.map_or(
            NcclGpu {
                device: 0,
                rank: None,
            },
            |(_, gpu)| *gpu,
        )
    }

    /// The processor of a file's entry: by rank if that is given, else by device.
    fn find(&self, gpu: NcclGpu) -> Option<NodeId> {
        let same = |own: &NcclGpu| {
            gpu.rank
                .filter(|_| own.rank.is_some())
                .map_or(own.device == gpu.device, |rank| own.rank == Some(rank))
        };
        self.gpus
            .iter()
            .find(|(_, own)| same(own))
            .map(|(node, _)| *node)
    }
}

/// NCCL's type of the longest path of these rings. NVLink, if the file does not give the kinds of its links.
pub fn path_type(imported: &Imported, rings: &EqualRings) -> PathType {
    let kind = |link: &LinkId| {
        imported
            .link_kinds
            .get(link.index())
            .copied()
            .unwrap_or_default()
    };
    let of_hop = |hop: &Vec<LinkId>| {
        let through = hop
            .iter()
            .skip(1)
            .map(|&link| imported.platform.link(link).from);
        let cpus = through
            .filter(|node| imported.node_kinds.get(node.index()) == Some(&"CPU"))
            .count();
        match cpus {
            0 if hop.iter().all(|link| kind(link) != "pci") => PathType::Nvl,
            0 if hop.len() == 2 => PathType::Pix,
            0 => PathType::Pxb,
            1 => PathType::Phb,
            _ => PathType::Sys,
        }
    };
    rings
        .rings
        .iter()
        .flat_map(|(ring, _)| &ring.hops)
        .map(of_hop)
        .max()
        .unwrap_or(PathType::Nvl)
}

/// Graph files, one per box.
pub struct Graphs {
    /// The box, `None` if there is only one, and the text of the file.
    pub files: Vec<(Option<String>, String)>,
    /// Channels of each.
    pub channels: u32,
    /// The rate of a channel, in GB/s.
    pub speed: Rational,
}

/// The number of channels per ring: NCCL's tables of speeds end at [`CHANNEL`], and a channel is one threadblock.
fn channels_per_ring(platform: &Platform, equal: &EqualRings, most: u32) -> u32 {
    let share = gigabytes(platform, &equal.share);
    let wanted = (share / whole(CHANNEL)).ceil().to_integer();
    let most = (most / equal.count().max(1)).max(1);
    match platform.units() {
        Some(_) => wanted.to_u32().unwrap_or(most).clamp(1, most),
        None => 1,
    }
}

/// The graph files of the equal rings, read back and judged: every channel a ring, and the loads as promised. If a ring
/// carries more than a channel's speed, it is several channels, up to `most` channels in all.
pub fn graphs(
    imported: &Imported,
    gpus: &[NodeId],
    ranks: &Ranks,
    rings: &Rings,
    path_type: PathType,
    most: u32,
) -> Result<Graphs> {
    let (platform, equal) = (&imported.platform, &rings.equal);
    let boxes = boxes::all(platform, gpus).unwrap_or_default();
    if boxes.len() < 2 && ranks.machines > 1 {
        bail!(
            "--output: the GPUs are on {} machines, and their names do not say on which (box0.gpu0); name those of one \
             with --participants",
            ranks.machines
        );
    }
    let per_ring = channels_per_ring(platform, equal, most);
    let speed = gigabytes(platform, &equal.share) / whole(per_ring);
    let gpu = |&node: &NodeId| ranks.of(node);
    let mut channels: Vec<Vec<NcclChannel>> = vec![Vec::new(); boxes.len().max(1)];
    for (ring, times) in &equal.rings {
        let parts: Vec<NcclChannel> = match boxes.len() {
            0 | 1 => vec![NcclChannel {
                nets: Vec::new(),
                gpus: ring.order(platform).iter().map(gpu).collect(),
            }],
            _ => boxes::parts(imported, |gpu| ranks.of(gpu).device, &boxes, ring)?
                .into_iter()
                .map(|part| NcclChannel {
                    nets: part.nets.to_vec(),
                    gpus: part.gpus.iter().map(gpu).collect(),
                })
                .collect(),
        };
        for (of_box, channel) in channels.iter_mut().zip(parts) {
            of_box.extend((0..times * per_ring).map(|_| channel.clone()));
        }
    }
    let crosses = |channel: &NcclChannel| channel.nets.first() != channel.nets.get(1);
    let graph = |(id, pattern): (u64, u64), channels: &[NcclChannel]| NcclGraph {
        id,
        pattern,
        cross_nic: u64::from(
            channels
                .iter()
                .any(|channel| !channel.nets.is_empty() && crosses(channel)),
        ),
        speed_intra: speed.clone(),
        speed_inter: speed.clone(),
        latency_inter: Some(whole(0)),
        type_intra: path_type,
        type_inter: PathType::Pix,
        same_channels: u64::from(equal.rings.len() == 1),
        channels: channels.to_vec(),
    };
    let texts = channels
        .iter()
        .map(|channels| write_nccl_graphs(&[graph(RING, channels), graph(TREE, channels)]));
    let texts: Vec<String> = texts.collect();
    let read = read_back(&texts, platform, gpus, ranks)?;
    // Routes through switches may be longer than the shortest, so the throughput read back may be lower, never higher.
    if read.total() > rings.packing.upper_bound || read.count() != equal.count() * per_ring {
        bail!(
            "the graph file does not hold the rings found; please report it with the platform file"
        );
    }
    let names = (0..texts.len()).map(|index| {
        boxes
            .get(index)
            .filter(|_| boxes.len() > 1)
            .map(|name| name.to_string())
    });
    Ok(Graphs {
        files: names.zip(texts).collect(),
        channels: equal.count() * per_ring,
        speed,
    })
}

/// The rings of the written files: the chains of the boxes, joined in the order of the boxes.
fn read_back(
    texts: &[String],
    platform: &Platform,
    gpus: &[NodeId],
    ranks: &Ranks,
) -> Result<EqualRings> {
    let mut joined: Option<NcclGraph> = None;
    for text in texts {
        let graph = rings_of("the file written", text.as_bytes())?;
        match &mut joined {
            None => joined = Some(graph),
            Some(joined) => {
                for (one, other) in joined.channels.iter_mut().zip(graph.channels) {
                    one.gpus.extend(other.gpus);
                }
            }
        }
    }
    let joined =
        joined.context("no graph file was made; please report it with the platform file")?;
    Ok(judged("the file written", &joined, platform, gpus, ranks)?.rings)
}

/// A rate in GB/s. Without units, the number itself.
pub fn gigabytes(platform: &Platform, rate: &Rational) -> Rational {
    platform
        .units()
        .map_or_else(|| rate.clone(), |units| units.gigabytes_per_second(rate))
}

/// A graph file's rings on a platform.
pub struct Judged {
    /// The rings, and the throughput of each.
    pub rings: EqualRings,
    /// The speed that the file states for them, in GB/s.
    pub stated: Rational,
    /// Whether its channels are paths between network cards through one box of a job of several boxes: the hop from the
    /// last processor to the first is in none of them.
    pub paths: bool,
}

impl Judged {
    /// The channels as paths: without the last hop, and with a share of the links of the network cards where these are
    /// known. Every path carries the same.
    fn between_cards(mut self, imported: &Imported, graph: &NcclGraph) -> Judged {
        let platform = &imported.platform;
        let mut busy: BTreeMap<Resource, Rational> = BTreeMap::new();
        let mut load = |link: LinkId, times: u32| {
            let time = &platform.link(link).cost * whole(times);
            for used in Resource::uses(platform, link) {
                *busy.entry(used.resource).or_default() += used.of(&time);
            }
        };
        for (ring, times) in &self.rings.rings {
            let hops = ring.hops.split_last().map_or(&[][..], |(_, hops)| hops);
            for &link in hops.iter().flatten() {
                load(link, *times);
            }
        }
        for channel in &graph.channels {
            let [first, .., last] = &channel.nets[..] else {
                continue;
            };
            let outgoing = card(imported, *first).map(|card| platform.outgoing(card));
            let incoming = card(imported, *last).map(|card| platform.incoming(card));
            for links in outgoing.into_iter().chain(incoming) {
                if let Some(&link) = links.first() {
                    load(link, 1);
                }
            }
        }
        let share =
            |(resource, busy): (&Resource, &Rational)| whole(resource.capacity(platform)) / busy;
        if let Some(share) = busy
            .iter()
            .filter(|(_, busy)| !busy.is_zero())
            .map(share)
            .min()
        {
            self.rings.share = share;
        }
        self.paths = true;
        self
    }
}

/// The network card of this number.
fn card(imported: &Imported, device: u64) -> Option<NodeId> {
    let platform = &imported.platform;
    let is_card = |node: &NodeId| imported.node_kinds.get(node.index()) == Some(&"network card");
    platform
        .node_ids()
        .filter(is_card)
        .find(|&node| boxes::number(platform.name(node)) == Some(device))
}

/// Reads a graph file and computes the throughput of its rings.
pub fn judge(path: &Path, imported: &Imported, gpus: &[NodeId], ranks: &Ranks) -> Result<Judged> {
    let platform = &imported.platform;
    let bytes =
        std::fs::read(path).with_context(|| format!("--check: cannot read {}", path.display()))?;
    let name = path.display().to_string();
    let graph = rings_of(&name, &bytes)?;
    let judged = judged(&name, &graph, platform, gpus, ranks)?;
    let one_box = boxes::all(platform, gpus).is_none_or(|boxes| boxes.len() < 2);
    let is_path = |channel: &NcclChannel| channel.nets.len() > 1;
    if one_box && !graph.channels.is_empty() && graph.channels.iter().all(is_path) {
        return Ok(judged.between_cards(imported, &graph));
    }
    Ok(judged)
}

/// The graph of rings of a file.
fn rings_of(name: &str, bytes: &[u8]) -> Result<NcclGraph> {
    let graphs = parse_nccl_graphs(name, bytes)?;
    let graph = graphs.into_iter().find(|graph| graph.id == RING.0);
    graph.with_context(|| format!("{name}: it has no rings; they are the graph of id 0"))
}

fn judged(
    name: &str,
    graph: &NcclGraph,
    platform: &Platform,
    gpus: &[NodeId],
    ranks: &Ranks,
) -> Result<Judged> {
    let mut orders = Vec::with_capacity(graph.channels.len());
    for (number, channel) in graph.channels.iter().enumerate() {
        let node_of = |gpu: &NcclGpu| {
            let NcclGpu { device, rank } = *gpu;
            let what = rank.map_or_else(
                || format!("device {device:#x}"),
                |rank| format!("rank {rank}"),
            );
            ranks.find(*gpu).with_context(|| {
                format!("{name}: channel {number}: {what} is not one of the processors")
            })
        };
        let order = channel
            .gpus
            .iter()
            .map(node_of)
            .collect::<Result<Vec<NodeId>>>()?;
        let counts: BTreeMap<NodeId, usize> =
            order.iter().fold(BTreeMap::new(), |mut counts, gpu| {
                *counts.entry(*gpu).or_default() += 1;
                counts
            });
        if let Some(gpu) = gpus.iter().find(|gpu| counts.get(gpu) != Some(&1)) {
            let times = counts.get(gpu).copied().unwrap_or(0);
            let gpu = platform.name(*gpu);
            bail!(
                "{name}: channel {number} visits '{gpu}' {times} times; a ring visits every processor once"
            );
        }
        orders.push(order);
    }
    let rings = oneport::rings_of_orders(platform, &orders)
        .map_err(|error: PackingError| anyhow::anyhow!("{name}: {error}"))?;
    let rings = rings.with_context(|| format!("{name}: its graph of rings has no channels"))?;
    let stated = &graph.speed_intra * whole(graph.channels.len() as u64);
    Ok(Judged {
        rings,
        stated,
        paths: false,
    })
}
