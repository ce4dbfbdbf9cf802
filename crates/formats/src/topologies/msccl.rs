//! A topology of msccl-tools in JSON (`"msccl_type": "topology"`, before it `sccl_type`), or of an algorithm that holds
//! one.
//!
//! `links[dst][src]` chunks go in a round; the user says what a round is, else one chunk is 1 GB/s. A `switches` entry
//! (sources, destinations, chunks, name) bounds what all its sources send to all its destinations: it becomes a port of
//! its one source or one destination; others are refused.
//!
//! Facts from microsoft/msccl-tools, `msccl/serialization.py` and `msccl/topologies`.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_platform::Rational;

use super::Draft;
use super::draft::Role;
use super::taccl::{add_gpus, number, square};
use crate::error::{FormatError, Mistake, clip};
use crate::json::{Json, need};
use crate::source::Source;

/// A bound on several links of one GPU.
struct Port {
    name: String,
    /// The GPU, and those at the other ends.
    gpu: usize,
    others: BTreeSet<usize>,
    chunks: Rational,
    /// Whether the GPU sends through it.
    sends: bool,
}

/// Reads a topology.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let top = Json::parse(*source)?;
    let [kind, former, inner] = top.open_object(["msccl_type", "sccl_type", "topology"])?;
    let kind = need(&top, kind.or(former), "msccl_type", "what the file holds")?;
    let topology = match kind.string()?.as_ref() {
        "topology" => top,
        "algorithm" => need(&top, inner, "topology", "the algorithm's topology")?,
        _ => return Err(kind.wrong("topology, or algorithm, which holds one")),
    };
    let [links, switches] = topology.open_object(["links", "switches"])?;
    let links = need(&topology, links, "links", "chunks per round from each GPU (column) to each (row)")?;
    let mut count = 0;
    links.each(|_, _| {
        count += 1;
        Ok(())
    })?;
    let table = square(links, count)?;
    let ports = match switches {
        Some(switches) => ports(switches, count)?,
        None => Vec::new(),
    };
    let wrong = |mistake| links.fail(mistake);
    let unit = draft.rate("link", Rational::from_integer(1.into()), "per chunk of a round; the file has no units");
    let nodes = add_gpus(draft, count).map_err(wrong)?;
    let mut doors = BTreeMap::new();
    for (place, port) in ports.iter().enumerate() {
        let node = draft.node(format!("{}.{place}", port.name), "port", Role::Switch).map_err(wrong)?;
        for &other in &port.others {
            let pair = if port.sends { (port.gpu, other, true) } else { (other, port.gpu, false) };
            if doors.insert(pair, node).is_some() {
                let text = format!("two switches bound the links between GPUs {} and {other} at one end", port.gpu);
                return Err(wrong(Mistake::Import(text)));
            }
        }
        let Some(&gpu) = nodes.get(port.gpu) else { continue };
        let rate = &unit * &port.chunks;
        let add = if port.sends { draft.link(gpu, node, "link", rate) } else { draft.link(node, gpu, "link", rate) };
        add.map_err(wrong)?;
    }
    for (to, row) in table.iter().enumerate() {
        for (from, chunks) in row.iter().enumerate().filter(|(from, chunks)| !chunks.is_zero() && *from != to) {
            let (Some(&one), Some(&other)) = (nodes.get(from), nodes.get(to)) else { continue };
            let one = doors.get(&(from, to, true)).copied().unwrap_or(one);
            let other = doors.get(&(from, to, false)).copied().unwrap_or(other);
            draft.link(one, other, "link", &unit * chunks).map_err(wrong)?;
        }
    }
    Ok(())
}

fn ports(switches: Json<'_, '_>, count: usize) -> Result<Vec<Port>, FormatError> {
    let mut ports = Vec::new();
    let mut members = 0;
    switches.each(|_, switch| {
        let (mut sources, mut targets) = (BTreeSet::new(), BTreeSet::new());
        let (mut chunks, mut name) = (Rational::zero(), String::new());
        switch.each(|place, part| match place {
            0 | 1 => part.each(|_, gpu| {
                members += 1;
                if members > 1_000_000 {
                    let instead = "give a smaller topology";
                    return Err(gpu.fail(Mistake::TooMany { what: "GPUs in switches", limit: 1_000_000, instead }));
                }
                let gpu = gpu.place("GPU", count)?;
                if place == 0 {
                    sources.insert(gpu)
                } else {
                    targets.insert(gpu)
                };
                Ok(())
            }),
            2 => {
                chunks = number(part)?;
                Ok(())
            }
            _ => {
                name = part.string()?.into_owned();
                Ok(())
            }
        })?;
        if chunks.is_zero() {
            return Err(switch.wrong("sources, destinations, chunks above 0 and a name"));
        }
        let (gpu, others, sends) = match (sources.len(), targets.len()) {
            (1, _) => (sources.first(), &targets, true),
            (_, 1) => (targets.first(), &sources, false),
            _ => (None, &targets, true),
        };
        let Some(&gpu) = gpu else {
            let text = "bounds several sources to several destinations; only switches with one source or one \
                        destination are read";
            return Err(switch.fail(Mistake::Import(text.to_string())));
        };
        ports.push(Port { name: clip(&name), gpu, others: others.clone(), chunks, sends });
        Ok(())
    })?;
    Ok(ports)
}
