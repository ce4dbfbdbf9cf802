//! Measured grids: a Tiers topology joined to its table of links, as JSON.
//!
//! `nodes` have `id`, perhaps `name`, and either `router = true` or a speed (`speed` in Mflop/s, or `capacity`).
//! `links` have `u`, `v` and `bandwidth` in MB/s (or `bandwidth_Mbps` in Mb/s) and work in both directions. A host is a
//! processor with compute 1 / speed. A link costs 1 / bandwidth. So the unit of message is the megabyte (the megabit),
//! the unit of work the Mflop, the unit of time the second. A host of capacity 0 stores but was given no speed: it gets
//! compute 1, which scatter, gather and all-to-all never use. Without names a node is called by its tier and id:
//! `LAN61`. Other keys are ignored: other programs write these files.

use std::collections::BTreeMap;

use num_traits::{One, Signed, Zero};
use oneport_files::error::{FormatError, Mistake};
use oneport_files::json::{Json, need};
use oneport_files::scalar::Scalar;
use oneport_files::source::{Source, refused};
use oneport_platform::{Node, NodeId, Platform, Rational, parse_rational};

pub(crate) fn read(source: Source<'_>) -> Result<Platform, FormatError> {
    let top = Json::parse(source)?;
    let [nodes, links] = top.open_object(["nodes", "links"])?;
    let mut builder = Platform::builder();
    let mut ids: BTreeMap<u64, NodeId> = BTreeMap::new();
    need(&top, nodes, "nodes", "the list of nodes")?.each(|_, entry| {
        let (id, node) = node(&entry)?;
        let added = builder
            .node(node)
            .map_err(|error| refused(&source, entry.offset(), error))?;
        match ids.insert(id, added) {
            None => Ok(()),
            Some(_) => Err(entry.fail(Mistake::DuplicateKey(format!("id {id}")))),
        }
    })?;
    need(&top, links, "links", "the list of links")?.each(|_, link| {
        let [u, v, megabytes, megabits] =
            link.open_object(["u", "v", "bandwidth", "bandwidth_Mbps"])?;
        let end = |value: Option<Json<'_, '_>>, key| {
            let value = need(&link, value, key, "the id of a node")?;
            let id = value.whole()?;
            ids.get(&id).copied().ok_or_else(|| {
                value.fail(Mistake::UnknownNode {
                    name: id.to_string(),
                    close: None,
                })
            })
        };
        let (u, v) = (end(u, "u")?, end(v, "v")?);
        let bandwidth = need(
            &link,
            megabytes.or(megabits),
            "bandwidth",
            "the bandwidth in MB/s",
        )?;
        let value = rational(&bandwidth)?;
        if !value.is_positive() {
            return Err(bandwidth.fail(Mistake::NotPositive {
                what: "a bandwidth",
                value: value.to_string(),
            }));
        }
        builder
            .duplex(u, v, value.recip())
            .map(|_| ())
            .map_err(|error| refused(&source, link.offset(), error))
    })?;
    builder
        .build()
        .map_err(|error| source.error_in_file(Mistake::Platform(error)))
}

fn node(entry: &Json<'_, '_>) -> Result<(u64, Node), FormatError> {
    let [id, name, tier, router, speed, capacity] =
        entry.open_object(["id", "name", "tier", "router", "speed", "capacity"])?;
    let id = need(entry, id, "id", "the node's number")?.whole()?;
    let name = match (name, tier) {
        (Some(name), _) => name.string()?.into_owned(),
        (None, Some(tier)) => format!("{}{id}", tier.string()?),
        (None, None) => format!("P{id}"),
    };
    if let Some(router) = router {
        match router.scalar()? {
            Scalar::Bool(true) => return Ok((id, Node::router(name))),
            Scalar::Bool(false) => {}
            _ => return Err(router.wrong("true or false")),
        }
    }
    let stored = need(
        entry,
        speed.or(capacity),
        "speed",
        "the host's speed (or give router = true)",
    )?;
    let speed = rational(&stored)?;
    if speed.is_negative() {
        return Err(stored.fail(Mistake::NotPositive {
            what: "a speed",
            value: speed.to_string(),
        }));
    }
    let compute = if speed.is_zero() {
        Rational::one()
    } else {
        speed.recip()
    };
    Ok((id, Node::processor(name, compute)))
}

fn rational(value: &Json<'_, '_>) -> Result<Rational, FormatError> {
    match value.scalar()? {
        Scalar::Text(text) | Scalar::Number(text) => {
            parse_rational(&text).map_err(|error| value.fail(Mistake::Number(error)))
        }
        _ => Err(value.wrong("a number")),
    }
}
