//! The question of a plan: the collective, the sizes of its messages, the work of its merges.

use num_traits::{One, ToPrimitive};
use oneport_plan::{Collective, CollectiveError, Member, VolumeError, Volumes};
use oneport_platform::{NodeId, Platform, Rational};

use crate::amount::amount;
use crate::error::{FormatError, Problem, clip};
use crate::json::{Json, need};
use crate::native::{Scalar, closest};
use crate::number::natural;

const NAMES: &str = "a collective: scatter, gather, all-to-all, reduce, reduce-scatter, broadcast, all-gather, all-reduce, \
                     scan or groups";

/// The collective, checked against its platform.
pub(super) fn read_collective(value: &Json<'_, '_>, platform: &Platform) -> Result<Collective, FormatError> {
    read_member(value, platform, None)
}

/// A collective, or one of several: the `group`-th of a list, which holds no lists.
fn read_member(value: &Json<'_, '_>, platform: &Platform, group: Option<usize>) -> Result<Collective, FormatError> {
    let keys = ["name", "source", "target", "targets", "participants", "commutative", "members"];
    let [name, source, target, targets, participants, commutative, members] = value.object(keys)?;
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
    let targets_of = || many(targets, "targets");
    let participants_of = || many(participants, "participants");
    let collective = match (name.string()?.as_ref(), group) {
        ("scatter", _) => {
            let targets = targets_of()?;
            Collective::Scatter { source: one(source, "source")?, targets }
        }
        ("gather", _) => {
            let participants = participants_of()?;
            Collective::Gather { target: one(target, "target")?, participants }
        }
        ("all-to-all", _) => Collective::AllToAll { participants: participants_of()? },
        ("reduce", _) => {
            let (target, participants) = (one(target, "target")?, participants_of()?);
            Collective::Reduce { target, participants, commutative: flag(commutative)? }
        }
        ("reduce-scatter", _) => {
            Collective::ReduceScatter { participants: participants_of()?, commutative: flag(commutative)? }
        }
        ("broadcast", _) => Collective::Broadcast { source: one(source, "source")?, targets: targets_of()? },
        ("all-gather", _) => Collective::AllGather { participants: participants_of()? },
        ("all-reduce", _) => {
            Collective::AllReduce { participants: participants_of()?, commutative: flag(commutative)? }
        }
        ("scan", _) => Collective::Scan { participants: participants_of()? },
        ("groups", None) => {
            let list = need(value, members, "members", "the groups, a list of {\"rate\": 1, \"collective\": {...}}")?;
            Collective::Groups { members: read_groups(&list, platform)? }
        }
        ("groups", Some(group)) => return Err(name.fail(Problem::Collective(CollectiveError::Nested { group }))),
        _ => return Err(name.wrong(NAMES)),
    };
    let known = collective_keys(&collective);
    for (key, given) in keys.into_iter().zip([Some(name), source, target, targets, participants, commutative, members])
    {
        if let Some(given) = given.filter(|_| !known.contains(&key)) {
            let key = given.path.spelt().unwrap_or_default();
            return Err(value.fail(Problem::UnknownKey { key, known }));
        }
    }
    collective.validate(platform).map_err(|error| value.fail(Problem::Collective(error)))?;
    Ok(collective)
}

fn read_groups(list: &Json<'_, '_>, platform: &Platform) -> Result<Vec<Member>, FormatError> {
    let mut members = Vec::new();
    list.each(|group, entry| {
        let [rate, collective] = entry.object(["rate", "collective"])?;
        let collective = need(&entry, collective, "collective", "what the group carries out")?;
        let collective = read_member(&collective, platform, Some(group))?;
        let rate = need(&entry, rate, "rate", "how often per instance of the whole")?;
        let often = natural(rate)?.to_u64().ok_or_else(|| rate.wrong("a whole number up to 18446744073709551615"))?;
        if often == 0 {
            return Err(rate.fail(Problem::Collective(CollectiveError::NoRate { group })));
        }
        members.push(Member { collective, rate: often });
        Ok(())
    })?;
    Ok(members)
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
        Collective::Scatter { .. } | Collective::Broadcast { .. } => vec!["name", "source", "targets"],
        Collective::Gather { .. } => vec!["name", "target", "participants"],
        Collective::AllToAll { .. } | Collective::AllGather { .. } | Collective::Scan { .. } => {
            vec!["name", "participants"]
        }
        Collective::Reduce { .. } => vec!["name", "target", "participants", "commutative"],
        Collective::ReduceScatter { .. } | Collective::AllReduce { .. } => vec!["name", "participants", "commutative"],
        Collective::Groups { .. } => vec!["name", "members"],
    }
}

/// `size`, and `work` where something is combined, checked against the collective.
pub(super) fn read_volumes(
    size: &Json<'_, '_>,
    work: Result<Json<'_, '_>, FormatError>,
    collective: &Collective,
) -> Result<Volumes, FormatError> {
    let amount_of_size = amount(size)?;
    let (volumes, work) = if collective.combines() {
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
