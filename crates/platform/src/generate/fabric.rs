//! Machines of several accelerators, on which synthesizers of collectives for machine learning are measured.
//!
//! Every accelerator is a processor of compute 1 and marked as one, every switch a router that cannot duplicate, every
//! port model [`PortModel::Links`]. The unit of message is the gigabyte, of time the second: costs are inverse
//! bandwidths in GB/s.
//!
//! Sources of the facts: bandwidths and links of DGX A100 and MI250 as in the public model of ForestColl
//! (liangyuRain/ForestColl, `topologies.py`), of DGX-1 and NDv2 as in that of TE-CCL (microsoft/TE-CCL,
//! `teccl/topologies/`), of DGX H100, DGX B200 and GB200 NVL72 from NVIDIA's data sheets, of MI300X from AMD's.
//! Latencies are not modelled.

use num_traits::Zero;

use super::build::{check_size, refuse};
use crate::{
    Node, NodeId, Platform, PlatformBuilder, PlatformError, PortModel, Rational, ratio, whole,
};

/// Fact: the duplex links of one hybrid cube mesh, and their NVLink bricks: two fully connected quads and the four
/// links that join them. A brick has 25 GB/s per direction.
const CUBE_MESH: [(usize, usize, u64); 16] = [
    (0, 1, 2),
    (0, 2, 1),
    (0, 3, 1),
    (0, 4, 2),
    (1, 2, 1),
    (1, 3, 2),
    (1, 5, 1),
    (2, 3, 2),
    (2, 6, 2),
    (3, 7, 1),
    (4, 5, 2),
    (4, 6, 1),
    (4, 7, 1),
    (5, 6, 1),
    (5, 7, 2),
    (6, 7, 2),
];

/// Fact: the duplex links between the 16 dies of one MI250 box, and how many Infinity Fabric links of 50 GB/s each
/// represents.
const INFINITY_FABRIC: [(usize, usize, u64); 28] = [
    (0, 1, 4),
    (0, 4, 2),
    (0, 8, 1),
    (1, 5, 1),
    (1, 9, 1),
    (1, 10, 1),
    (2, 3, 4),
    (2, 6, 1),
    (2, 9, 1),
    (2, 10, 1),
    (3, 7, 2),
    (3, 11, 1),
    (4, 5, 4),
    (4, 6, 1),
    (5, 6, 1),
    (5, 7, 1),
    (6, 7, 4),
    (8, 9, 4),
    (8, 12, 2),
    (9, 13, 1),
    (10, 11, 4),
    (10, 14, 1),
    (11, 15, 2),
    (12, 13, 4),
    (12, 14, 1),
    (13, 14, 1),
    (13, 15, 1),
    (14, 15, 4),
];

/// Boxes of accelerators around one switch each, joined by network switches: see [`switched_boxes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchedBoxes {
    /// How many boxes, from 1.
    pub boxes: usize,
    /// Accelerators per box, from 1.
    pub accelerators: usize,
    /// GB/s per direction between an accelerator and the switch of its box.
    pub inside: u64,
    /// GB/s per direction between an accelerator and its network switch.
    pub network: u64,
    /// Network switches: accelerator `g` of every box is on switch `g mod rails`. From 1 to `accelerators`.
    pub rails: usize,
    /// Whether the switch of a box combines and duplicates the values that pass through it (NVLink SHARP), in no time.
    /// Network switches never do.
    pub sharp: bool,
}

impl SwitchedBoxes {
    /// Boxes of eight accelerators with a network card each: see [`dgx_h100`].
    pub fn dgx_h100(boxes: usize) -> Self {
        SwitchedBoxes {
            boxes,
            accelerators: 8,
            inside: 450,
            network: 50,
            rails: 1,
            sharp: false,
        }
    }

    /// Boxes of [`dgx_h100`](Self::dgx_h100) with twice the bandwidth inside ([`dgx_b200`]).
    pub fn dgx_b200(boxes: usize) -> Self {
        SwitchedBoxes {
            inside: 900,
            ..SwitchedBoxes::dgx_h100(boxes)
        }
    }

    /// Racks of 72 accelerators: see [`gb200_nvl72`].
    pub fn gb200_nvl72(boxes: usize) -> Self {
        SwitchedBoxes {
            accelerators: 72,
            ..SwitchedBoxes::dgx_b200(boxes)
        }
    }
}

/// The cost of `bandwidth` GB/s, in seconds per gigabyte.
pub(super) fn inverse(bandwidth: u64) -> Rational {
    ratio(1, bandwidth)
}

/// An accelerator or a host.
pub(super) fn processor(
    builder: &mut PlatformBuilder,
    name: String,
) -> Result<NodeId, PlatformError> {
    builder.node(Node::processor(name, whole(1)))
}

/// A switch that forwards but cannot duplicate.
pub(super) fn switch(builder: &mut PlatformBuilder, name: String) -> Result<NodeId, PlatformError> {
    builder.node(Node {
        replicates: false,
        ..Node::router(name)
    })
}

/// An empty platform whose links only are exclusive.
pub(super) fn fabric() -> PlatformBuilder {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    builder
}

/// The accelerators of box `index`: `box0.gpu0`, `box0.gpu1`, ...
fn accelerators(
    builder: &mut PlatformBuilder,
    index: usize,
    count: usize,
) -> Result<Vec<NodeId>, PlatformError> {
    let one = whole(1);
    (0..count)
        .map(|gpu| {
            builder.node(Node::accelerator(
                format!("box{index}.gpu{gpu}"),
                one.clone(),
            ))
        })
        .collect()
}

/// Boxes whose accelerators are linked directly, `unit` GB/s for each of the wires of a link.
fn meshes(
    builder: &mut PlatformBuilder,
    boxes: usize,
    count: usize,
    mesh: &[(usize, usize, u64)],
    unit: u64,
) -> Result<Vec<Vec<NodeId>>, PlatformError> {
    let groups: Vec<_> = (0..boxes)
        .map(|index| accelerators(builder, index, count))
        .collect::<Result<_, _>>()?;
    for group in &groups {
        for &(from, to, wires) in mesh {
            builder.duplex(group[from], group[to], inverse(unit * wires))?;
        }
    }
    Ok(groups)
}

/// Refuses no boxes, and more than ids can number.
fn check_boxes(
    generator: &'static str,
    boxes: usize,
    nodes: usize,
    links: usize,
) -> Result<(), PlatformError> {
    if boxes == 0 {
        return Err(refuse(
            generator,
            "boxes",
            boxes,
            "at least 1 box is needed",
        ));
    }
    check_size(boxes.checked_mul(nodes), boxes.checked_mul(links))
}

/// The DGX-1 with eight V100: a hybrid cube mesh of NVLink, 25 GB/s per brick, so 25 or 50 GB/s per link. It equals one
/// box of [`ndv2`].
///
/// # Errors
/// None in practice: the platform has no parameter.
///
/// # Complexity
/// Constant: 8 nodes, 32 links.
pub fn dgx1() -> Result<Platform, PlatformError> {
    ndv2(1)
}

/// `boxes` Azure NDv2 machines: hybrid cube meshes as [`dgx1`], joined as in TE-CCL. Accelerator 0 of a box sends to
/// the network and accelerator 1 receives from it, 12.5 GB/s: with two boxes over a link to the other box's accelerator
/// 1, with more boxes through the switch `ib`.
///
/// # Errors
/// No box, or more nodes or links than ids can number.
///
/// # Complexity
/// O(boxes log boxes): 8 nodes and at most 34 links per box.
pub fn ndv2(boxes: usize) -> Result<Platform, PlatformError> {
    check_boxes("ndv2", boxes, 8, 17)?;
    let mut builder = fabric();
    let groups = meshes(&mut builder, boxes, 8, &CUBE_MESH, 25)?;
    let network = ratio(2, 25);
    if let [one, other] = groups.as_slice() {
        builder.link(one[0], other[1], network.clone())?;
        builder.link(other[0], one[1], network)?;
    } else if boxes > 2 {
        let ib = switch(&mut builder, "ib".to_string())?;
        for group in &groups {
            builder.link(group[0], ib, network.clone())?;
            builder.link(ib, group[1], network.clone())?;
        }
    }
    builder.build()
}

/// `boxes` machines of eight MI250, 16 dies each, named `box0.gpu0` to `box0.gpu15`, with Infinity Fabric links of 50,
/// 100 and 200 GB/s. If there is more than one box, every die has 16 GB/s per direction to the switch `ib`. The numbers
/// are those of ForestColl.
///
/// # Errors
/// No box, or more nodes or links than ids can number.
///
/// # Complexity
/// O(boxes log boxes): 16 nodes and at most 88 links per box.
///
/// ```
/// use oneport_platform::generate::mi250;
/// assert_eq!(mi250(2)?.links().len(), 2 * 2 * (28 + 16));
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn mi250(boxes: usize) -> Result<Platform, PlatformError> {
    check_boxes("mi250", boxes, 17, 44)?;
    let mut builder = fabric();
    let groups = meshes(&mut builder, boxes, 16, &INFINITY_FABRIC, 50)?;
    if boxes > 1 {
        let ib = switch(&mut builder, "ib".to_string())?;
        for &die in groups.iter().flatten() {
            builder.duplex(die, ib, inverse(16))?;
        }
    }
    builder.build()
}

/// `boxes` DGX A100: eight accelerators with 300 GB/s per direction to `box0.nvswitch`. With more than one box, the
/// even ones of every box have 25 GB/s per direction to the switch `ib0`, the odd ones to `ib1`, as in ForestColl.
/// Collapsed: ForestColl has a network card of 25 GB/s between accelerator and switch, which limits nothing more.
///
/// # Errors
/// No box, or more nodes or links than ids can number.
///
/// # Complexity
/// O(boxes log boxes): 9 nodes and 32 links per box.
///
/// ```
/// use oneport_platform::generate::dgx_a100;
/// assert_eq!(dgx_a100(2)?.processors().count(), 16);
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn dgx_a100(boxes: usize) -> Result<Platform, PlatformError> {
    switched_boxes(SwitchedBoxes {
        boxes,
        accelerators: 8,
        inside: 300,
        network: 25,
        rails: 2,
        sharp: false,
    })
}

/// `boxes` DGX H100: eight accelerators with 450 GB/s per direction to `box0.nvswitch`. If there is more than one box,
/// each has 50 GB/s per direction to the switch `ib`, which represents the whole network, without contention. NVIDIA's
/// data sheet: NVLink 900 GB/s in both directions together, eight network cards of 400 Gbit/s.
///
/// # Errors
/// No box, or more nodes or links than ids can number.
///
/// # Complexity
/// O(boxes log boxes): 9 nodes and 32 links per box.
pub fn dgx_h100(boxes: usize) -> Result<Platform, PlatformError> {
    switched_boxes(SwitchedBoxes::dgx_h100(boxes))
}

/// `boxes` DGX B200: eight accelerators with 900 GB/s per direction to `box0.nvswitch`. If there is more than one box,
/// each has 50 GB/s per direction to the switch `ib`, which represents the whole network, without contention. NVIDIA's
/// data sheet: NVLink of 14.4 TB/s in both directions together for eight accelerators, eight network cards of 400
/// Gbit/s.
///
/// # Errors
/// No box, or more nodes or links than ids can number.
///
/// # Complexity
/// O(boxes log boxes): 9 nodes and 32 links per box.
pub fn dgx_b200(boxes: usize) -> Result<Platform, PlatformError> {
    switched_boxes(SwitchedBoxes::dgx_b200(boxes))
}

/// `boxes` racks GB200 NVL72: 72 accelerators with 900 GB/s per direction to one NVLink domain, `box0.nvswitch`. If
/// there is more than one rack, each has 50 GB/s per direction to the switch `ib`, which represents the whole network,
/// without contention. NVIDIA's data sheet: NVLink of 130 TB/s in both directions together for 72 accelerators, a
/// network card of 400 Gbit/s for each.
///
/// # Errors
/// No rack, or more nodes or links than ids can number.
///
/// # Complexity
/// O(boxes log boxes): 73 nodes and 288 links per rack.
pub fn gb200_nvl72(boxes: usize) -> Result<Platform, PlatformError> {
    switched_boxes(SwitchedBoxes::gb200_nvl72(boxes))
}

/// `boxes` machines of eight MI300X, every two of a box linked by Infinity Fabric of 64 GB/s per direction. If there is
/// more than one box, each has 50 GB/s per direction to the switch `ib`, which represents the whole network. AMD's data
/// sheet of the platform: 896 GB/s in both directions together for the seven links of an accelerator, and a network
/// card of 400 Gbit/s for each.
///
/// # Errors
/// No box, or more nodes or links than ids can number.
///
/// # Complexity
/// O(boxes log boxes): 8 nodes and at most 72 links per box.
///
/// ```
/// use oneport_platform::generate::mi300x;
/// assert_eq!(mi300x(2)?.links().len(), 2 * 2 * (28 + 8));
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn mi300x(boxes: usize) -> Result<Platform, PlatformError> {
    // Fact: accelerators of a box.
    const ACCELERATORS: usize = 8;
    check_boxes("mi300x", boxes, ACCELERATORS + 1, 36)?;
    let mesh: Vec<_> = (0..ACCELERATORS)
        .flat_map(|to| (0..to).map(move |from| (from, to, 1)))
        .collect();
    let mut builder = fabric();
    let groups = meshes(&mut builder, boxes, ACCELERATORS, &mesh, 64)?;
    if boxes > 1 {
        let ib = switch(&mut builder, "ib".to_string())?;
        for &accelerator in groups.iter().flatten() {
            builder.duplex(accelerator, ib, inverse(50))?;
        }
    }
    builder.build()
}

/// Boxes of accelerators around a switch `box0.nvswitch`. If there is more than one box, also the network switches
/// `ib0`, `ib1`, ... (`ib`, if there is one only). As many rails as accelerators per box make a rail-optimised cluster.
///
/// # Errors
/// A field outside its range, or more nodes or links than ids can number.
///
/// # Complexity
/// O(n log n) for `n = boxes * accelerators`: at most `4 n` links.
pub fn switched_boxes(shape: SwitchedBoxes) -> Result<Platform, PlatformError> {
    const NAME: &str = "switched_boxes";
    let SwitchedBoxes {
        boxes,
        accelerators: count,
        inside,
        network,
        rails,
        sharp,
    } = shape;
    for (parameter, value) in [
        ("accelerators", count as u64),
        ("inside", inside),
        ("network", network),
    ] {
        if value == 0 {
            return Err(refuse(NAME, parameter, value, "at least 1 is needed"));
        }
    }
    if rails == 0 || rails > count {
        return Err(refuse(
            NAME,
            "rails",
            rails,
            "between 1 and the number of accelerators per box is needed",
        ));
    }
    check_boxes(
        NAME,
        boxes,
        count.saturating_add(2),
        count.saturating_mul(2),
    )?;
    let mut builder = fabric();
    let mut all = Vec::new();
    for index in 0..boxes {
        let group = accelerators(&mut builder, index, count)?;
        let nvswitch = builder.node(Node {
            replicates: sharp,
            reduces: sharp.then(Rational::zero),
            ..Node::router(format!("box{index}.nvswitch"))
        })?;
        for &gpu in &group {
            builder.duplex(gpu, nvswitch, inverse(inside))?;
        }
        all.push(group);
    }
    if boxes > 1 {
        let name = |rail| {
            if rails == 1 {
                "ib".to_string()
            } else {
                format!("ib{rail}")
            }
        };
        let rail_switches: Vec<_> = (0..rails)
            .map(|rail| switch(&mut builder, name(rail)))
            .collect::<Result<_, _>>()?;
        for group in &all {
            for (gpu, &node) in group.iter().enumerate() {
                builder.duplex(node, rail_switches[gpu % rails], inverse(network))?;
            }
        }
    }
    builder.build()
}
