//! The question of a plan: the collective, the sizes of its messages, the work of its merges.

use num_traits::One;
use oneport_plan::{Collective, VolumeError, Volumes};
use oneport_platform::{NodeId, Platform, Rational};

use crate::amount::amount;
use crate::error::{FormatError, Problem, clip};
use crate::json::{Json, need};
use crate::native::{Scalar, closest};

/// The collective, checked against its platform.
pub(super) fn read_collective(value: &Json<'_, '_>, platform: &Platform) -> Result<Collective, FormatError> {
    const NAMES: &str = "a collective: scatter, gather, all-to-all, reduce or reduce-scatter";
    let keys = ["name", "source", "target", "targets", "participants", "commutative"];
    let [name, source, target, targets, participants, commutative] = value.object(keys)?;
    let name = need(value, name, "name", NAMES)?;
    let one = |node, key| find(&need(value, node, key, "a node's name")?, platform);
    let many = |list, key| {
        let mut nodes = Vec::new();
        need(value, list, key, "a list of nodes' names")?.each(|_, node| {
            nodes.push(find(&node, platform)?);
            Ok(())
        })?;
        Ok(nodes)
    };
    let (collective, spare) = match name.string()?.as_ref() {
        "scatter" => {
            let targets = many(targets, "targets")?;
            (Collective::Scatter { source: one(source, "source")?, targets }, [target, participants, commutative, None])
        }
        "gather" => {
            let participants = many(participants, "participants")?;
            (Collective::Gather { target: one(target, "target")?, participants }, [source, targets, commutative, None])
        }
        "all-to-all" => {
            let participants = many(participants, "participants")?;
            (Collective::AllToAll { participants }, [source, target, targets, commutative])
        }
        "reduce" => {
            let (target, participants) = (one(target, "target")?, many(participants, "participants")?);
            let commutative = flag(commutative)?;
            (Collective::Reduce { target, participants, commutative }, [source, targets, None, None])
        }
        "reduce-scatter" => {
            let (participants, commutative) = (many(participants, "participants")?, flag(commutative)?);
            (Collective::ReduceScatter { participants, commutative }, [source, target, targets, None])
        }
        _ => return Err(name.wrong(NAMES)),
    };
    if let Some(spare) = spare.into_iter().flatten().next() {
        let key = spare.path.spelt().unwrap_or_default();
        return Err(value.fail(Problem::UnknownKey { key, known: collective_keys(&collective) }));
    }
    collective.validate(platform).map_err(|error| value.fail(Problem::Collective(error)))?;
    Ok(collective)
}

/// `commutative`: false when absent.
fn flag(value: Option<Json<'_, '_>>) -> Result<bool, FormatError> {
    let Some(value) = value else { return Ok(false) };
    match value.scalar()? {
        Scalar::Bool(flag) => Ok(flag),
        _ => Err(value.wrong("true or false")),
    }
}

fn collective_keys(collective: &Collective) -> Vec<&'static str> {
    match collective {
        Collective::Scatter { .. } => vec!["name", "source", "targets"],
        Collective::Gather { .. } => vec!["name", "target", "participants"],
        Collective::AllToAll { .. } => vec!["name", "participants"],
        Collective::Reduce { .. } => vec!["name", "target", "participants", "commutative"],
        Collective::ReduceScatter { .. } => vec!["name", "participants", "commutative"],
    }
}

/// `size`, and `work` where something is combined, checked against the collective.
pub(super) fn read_volumes(
    size: &Json<'_, '_>,
    work: Result<Json<'_, '_>, FormatError>,
    collective: &Collective,
) -> Result<Volumes, FormatError> {
    let amount_of_size = amount(size)?;
    let (volumes, work) = if collective.operands().is_some() {
        let work = work?;
        (Volumes { size: amount_of_size, work: amount(&work)? }, Some(work))
    } else if let Ok(work) = work {
        return Err(work.fail(Problem::NotHere { key: "work", why: "this collective combines nothing" }));
    } else {
        (Volumes { size: amount_of_size, ..Volumes::of_size(Rational::one()) }, None)
    };
    volumes.validate(collective).map_err(|error| {
        let of_work = match &error {
            VolumeError::BadWork { .. } => true,
            VolumeError::BadSize { .. } | VolumeError::NotConstant { .. } => false,
            VolumeError::TableOfCommutative { what, .. } | VolumeError::TableShape { what, .. } => *what == "work",
        };
        let place = work.as_ref().filter(|_| of_work).unwrap_or(size);
        place.fail(Problem::Volume(error))
    })?;
    Ok(volumes)
}

/// The node that a value names.
pub(super) fn find(value: &Json<'_, '_>, platform: &Platform) -> Result<NodeId, FormatError> {
    let name = value.string()?;
    platform.find(&name).ok_or_else(|| {
        let close = closest(&name, platform.nodes().iter().map(|node| node.name.as_str()));
        value.fail(Problem::UnknownNode { name: clip(&name), close })
    })
}
