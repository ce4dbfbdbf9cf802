//! The platforms of other systems' results, from their models: only links are exclusive.

use anyhow::{Result, bail, ensure};
use oneport::platform::{Node, PlatformBuilder, generate};
use oneport::{NodeId, Platform, PortModel, Rational};
use oneport_numbers::{ratio, whole};

/// The platform of a case: its shape, sides (or boxes) and bandwidths by dimension.
pub fn platform(shape: &str, sides: &[usize], bandwidths: &[i64]) -> Result<Platform> {
    if matches!(shape, "mesh" | "torus") {
        return lattice(sides, bandwidths, shape == "torus");
    }
    Ok(match (shape, sides) {
        ("numbered-mesh", &[side]) => numbered_mesh(side)?,
        ("dgx2", &[boxes]) => dgx2(boxes)?,
        ("ndv2", &[boxes]) => copying(&generate::ndv2(boxes)?, None)?,
        ("ndv2-15", []) => copying(&generate::ndv2(2)?, Some("box0.gpu0"))?,
        ("dgx-a100", &[boxes]) => generate::dgx_a100(boxes)?,
        ("mi250", &[boxes]) => generate::mi250(boxes)?,
        ("dgx1", []) => generate::dgx1()?,
        _ => bail!("no shape {shape} has {} sides", sides.len()),
    })
}

/// The cost of a link of `bandwidth` GB/s, in seconds per gigabyte.
fn cost(bandwidth: i64) -> Rational {
    ratio(1, bandwidth)
}

/// A platform without nodes, on which only links are exclusive.
fn fabric() -> PlatformBuilder {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    builder
}

fn processors(builder: &mut PlatformBuilder, prefix: &str, count: usize) -> Result<Vec<NodeId>> {
    let one = whole(1);
    Ok((0..count)
        .map(|index| builder.node(Node::processor(format!("{prefix}{index}"), one.clone())))
        .collect::<Result<_, _>>()?)
}

/// Nodes in rows, columns, ..., linked to their neighbours in both directions, in a torus also around. If a side of a
/// torus is 2, both directions around are one link (so in TACOS, whose second connection replaces the first).
fn lattice(sides: &[usize], bandwidths: &[i64], around: bool) -> Result<Platform> {
    ensure!(
        sides.len() == bandwidths.len(),
        "as many bandwidths as sides"
    );
    let mut builder = fabric();
    let nodes = processors(&mut builder, "P", sides.iter().product())?;
    let mut step = 1;
    for (&side, &bandwidth) in sides.iter().zip(bandwidths) {
        for index in 0..nodes.len() {
            let along = index / step % side;
            let next = if along + 1 < side {
                index + step
            } else if around && side > 2 {
                index - along * step
            } else {
                continue;
            };
            builder.duplex(nodes[index], nodes[next], cost(bandwidth))?;
        }
        step *= side;
    }
    Ok(builder.build()?)
}

/// The mesh of TE-CCL, 100 GB/s: links join numbers that differ by 1, so the end of a row and the beginning of the
/// next, too, or by the length of a side.
fn numbered_mesh(side: usize) -> Result<Platform> {
    let mut builder = fabric();
    let nodes = processors(&mut builder, "P", side * side)?;
    for index in 0..nodes.len() {
        for next in [index + 1, index + side]
            .into_iter()
            .filter(|&next| next < nodes.len())
        {
            builder.duplex(nodes[index], nodes[next], cost(100))?;
        }
    }
    Ok(builder.build()?)
}

/// Boxes of 16 V100 at an NVSwitch that copies (TE-CCL's `switch_copy`), 125 GB/s per direction. Eight links of 12.5
/// GB/s lead from every box to every other, from the odd GPUs to the even ones.
fn dgx2(boxes: usize) -> Result<Platform> {
    let mut builder = fabric();
    let mut groups: Vec<Vec<NodeId>> = Vec::new();
    for index in 0..boxes {
        let switch = builder.node(Node::router(format!("box{index}.nvswitch")))?;
        let group = processors(&mut builder, &format!("box{index}.gpu"), 16)?;
        for &gpu in &group {
            builder.duplex(gpu, switch, cost(125))?;
        }
        groups.push(group);
    }
    for (one, from) in groups.iter().enumerate() {
        for (_, to) in groups.iter().enumerate().filter(|(other, _)| *other != one) {
            for pair in 0..8 {
                builder.link(from[2 * pair + 1], to[2 * pair], cost(25) * whole(2))?;
            }
        }
    }
    Ok(builder.build()?)
}

/// The platform with switches that copy, and one processor made a switch, too.
fn copying(platform: &Platform, switch: Option<&str>) -> Result<Platform> {
    let mut builder = fabric();
    for node in platform.nodes() {
        let compute = node
            .compute
            .clone()
            .filter(|_| Some(node.name.as_str()) != switch);
        builder.node(Node {
            replicates: true,
            compute,
            ..node.clone()
        })?;
    }
    for link in platform.links() {
        builder.link(link.from, link.to, link.cost.clone())?;
    }
    Ok(builder.build()?)
}
