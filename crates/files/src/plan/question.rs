//! The question of a plan: the collective, the sizes of its messages, the work of its merges.

use std::sync::Arc;

use num_traits::{One, ToPrimitive};
use oneport_plan::{
    Collective, CollectiveError, CustomDemand, Form, Member, Problem, ProblemError, Role, Volumes,
    Wanted,
};
use oneport_platform::{NodeId, Pattern, PatternError, Platform, Rational};

use crate::amount::{amount, work as work_of};
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::nodes::find;
use crate::number::natural;
use crate::scalar::Scalar;

/// The names that a collective may have.
fn names() -> String {
    let named: Vec<&str> = Collective::forms().iter().map(|form| form.name).collect();
    format!("a collective: {}, groups or custom", named.join(", "))
}

/// The keys of the roles.
const ROLES: [&str; 5] = ["source", "sources", "target", "targets", "participants"];

/// The collective, checked against its platform.
pub(super) fn read_collective(
    value: &Json<'_, '_>,
    platform: &Platform,
) -> Result<Collective, FormatError> {
    read_member(value, platform, None)
}

/// A collective, or one of several: the `group`-th of a list, which holds no lists.
fn read_member(
    value: &Json<'_, '_>,
    platform: &Platform,
    group: Option<usize>,
) -> Result<Collective, FormatError> {
    let [one, two, three, four, five] = ROLES;
    let keys = [
        "name",
        one,
        two,
        three,
        four,
        five,
        "commutative",
        "counts",
        "members",
        "demands",
    ];
    let given = value.object(keys)?;
    let [
        name,
        source,
        sources,
        target,
        targets,
        participants,
        commutative,
        counts,
        members,
        demands,
    ] = given;
    let name = need(value, name, "name", "the collective's name")?;
    let (collective, known) = match (name.string()?.as_ref(), group) {
        ("groups", None) => {
            let list = need(
                value,
                members,
                "members",
                "the groups, a list of {\"rate\": 1, \"collective\": {...}}",
            )?;
            (
                Collective::Groups(read_groups(&list, platform)?),
                vec!["name", "members"],
            )
        }
        ("custom", None) => {
            let list = need(
                value,
                demands,
                "demands",
                "the demands, a list of {\"values\": [...], \"wanted\": [...]}",
            )?;
            (
                Collective::Custom(read_demands(&list, platform)?),
                vec!["name", "demands"],
            )
        }
        ("groups" | "custom", Some(group)) => {
            return Err(name.fail(Mistake::Collective(CollectiveError::Nested { group })));
        }
        (label, _) => {
            let form = Form::find(label).ok_or_else(|| name.wrong(names()))?;
            let mut nodes = Vec::with_capacity(form.roles.len());
            // Lists first: an entry that is missing there gives the clearest error.
            for role in form.roles.iter().rev() {
                let index = ROLES.iter().position(|key| *key == role.key);
                let listed =
                    index.and_then(|index| [source, sources, target, targets, participants][index]);
                nodes.push(read_role(value, listed, role, platform)?);
            }
            nodes.reverse();
            let any_order = match commutative {
                _ if !form.commutes() => false,
                Some(said) if !form.may_keep_order() && !flag(commutative)? => {
                    return Err(said.fail(Mistake::NotHere {
                        key: "commutative",
                        why: "tokens have no order, so they are combined in any",
                    }));
                }
                said => flag(said)?,
            };
            let known: Vec<&'static str> = std::iter::once("name")
                .chain(form.roles.iter().map(|role| role.key))
                .chain(form.commutes().then_some("commutative"))
                .chain(form.counted.then_some("counts"))
                .collect();
            let built = form
                .build(&nodes, any_order)
                .ok_or_else(|| value.wrong("one node for each role"))?;
            (
                if form.counted {
                    with_counts(value, counts, built)?
                } else {
                    built
                },
                known,
            )
        }
    };
    for (key, given) in keys.into_iter().zip(given) {
        if let Some(given) = given.filter(|_| !known.contains(&key)) {
            let key = given.path.spelt().unwrap_or_default();
            return Err(value.fail(Mistake::UnknownKey { key, known }));
        }
    }
    collective
        .validate(platform)
        .map_err(|error| value.fail(Mistake::Collective(error)))?;
    Ok(collective)
}

/// The collective with the count of each message or reduction, in order. 0 without a count.
fn with_counts(
    value: &Json<'_, '_>,
    counts: Option<Json<'_, '_>>,
    collective: Collective,
) -> Result<Collective, FormatError> {
    let list = need(
        value,
        counts,
        "counts",
        "a list of whole numbers, one for each message or reduction",
    )?;
    let mut counts = Vec::new();
    list.each(|_, count| {
        counts.push(whole(&count)?);
        Ok(())
    })?;
    collective
        .with_counts(&counts)
        .map_err(|error| list.fail(Mistake::Collective(error)))
}

/// The nodes that play a role.
fn read_role(
    value: &Json<'_, '_>,
    listed: Option<Json<'_, '_>>,
    role: &Role,
    platform: &Platform,
) -> Result<Vec<NodeId>, FormatError> {
    if role.many {
        return read_nodes(
            &need(value, listed, role.key, "a list of nodes' names")?,
            platform,
        );
    }
    Ok(vec![find(
        &need(value, listed, role.key, "a node's name")?,
        platform,
    )?])
}

/// Listed nodes.
pub(crate) fn read_nodes(
    list: &Json<'_, '_>,
    platform: &Platform,
) -> Result<Vec<NodeId>, FormatError> {
    let mut nodes = Vec::new();
    list.each(|_, name| {
        nodes.push(find(&name, platform)?);
        Ok(())
    })?;
    Ok(nodes)
}

/// Listed nodes, by names or patterns.
fn read_patterns(list: &Json<'_, '_>, platform: &Platform) -> Result<Vec<NodeId>, FormatError> {
    let mut nodes = Vec::new();
    list.each(|_, name| {
        let text = name.string()?;
        let named = platform.find(&text).map(|node| vec![node]);
        let matched = || Pattern::parse(&text).and_then(|it| it.participants(platform));
        match named.map_or_else(matched, Ok) {
            Ok(found) if !found.is_empty() => nodes.extend(found),
            Ok(_) | Err(PatternError::Unreadable { .. }) => nodes.push(find(&name, platform)?),
            Err(error) => return Err(name.fail(Mistake::Import(error.to_string()))),
        }
        Ok(())
    })?;
    Ok(nodes)
}

fn read_groups(list: &Json<'_, '_>, platform: &Platform) -> Result<Vec<Member>, FormatError> {
    let mut members = Vec::new();
    list.each(|group, entry| {
        let [rate, collective] = entry.object(["rate", "collective"])?;
        let collective = need(
            &entry,
            collective,
            "collective",
            "the collective of the group",
        )?;
        let collective = read_member(&collective, platform, Some(group))?;
        let rate = need(&entry, rate, "rate", "how often per instance of the whole")?;
        members.push(Member {
            collective,
            rate: read_rate(&rate, CollectiveError::NoRate { group })?,
        });
        Ok(())
    })?;
    Ok(members)
}

/// Any list of demands. `rate` is 1 and `commutative` false if absent.
pub(crate) fn read_demands(
    list: &Json<'_, '_>,
    platform: &Platform,
) -> Result<Vec<CustomDemand>, FormatError> {
    let mut demands = Vec::new();
    list.each(|index, entry| {
        let [values, wanted, prefixes, rate, commutative] =
            entry.object(["values", "wanted", "prefixes", "rate", "commutative"])?;
        let owners = read_patterns(
            &need(
                &entry,
                values,
                "values",
                "the owners of the values, in operand order",
            )?,
            platform,
        )?;
        let wanted = match (wanted, flag(prefixes)?) {
            (None, true) => Wanted::Prefixes,
            (Some(wanted), true) => {
                return Err(wanted.fail(Mistake::NotHere {
                    key: "wanted",
                    why: "prefixes are wanted by their owners",
                }));
            }
            (wanted, false) => {
                let meaning = "a list of nodes' names, or \"prefixes\": true";
                Wanted::At(read_patterns(
                    &need(&entry, wanted, "wanted", meaning)?,
                    platform,
                )?)
            }
        };
        let rate = match rate {
            Some(rate) => read_rate(&rate, CollectiveError::NoRateOfDemand { demand: index })?,
            None => 1,
        };
        demands.push(CustomDemand {
            owners,
            wanted,
            commutative: flag(commutative)?,
            rate,
        });
        Ok(())
    })?;
    Ok(demands)
}

/// A whole number from 1. `none` is what to say of 0.
fn read_rate(rate: &Json<'_, '_>, none: CollectiveError) -> Result<u64, FormatError> {
    let often = whole(rate)?;
    if often == 0 {
        Err(rate.fail(Mistake::Collective(none)))
    } else {
        Ok(often)
    }
}

fn whole(number: &Json<'_, '_>) -> Result<u64, FormatError> {
    natural(*number)?
        .to_u64()
        .ok_or_else(|| number.wrong("a whole number up to 18446744073709551615"))
}

/// `commutative`: false when absent.
pub(crate) fn flag(value: Option<Json<'_, '_>>) -> Result<bool, FormatError> {
    let Some(value) = value else { return Ok(false) };
    match value.scalar()? {
        Scalar::Bool(flag) => Ok(flag),
        _ => Err(value.wrong("true or false")),
    }
}

/// The problem, of `collective`, `size`, and `work` if something is combined.
pub(super) fn read_problem(
    question: &Json<'_, '_>,
    collective: Collective,
    size: &Json<'_, '_>,
    work: Result<Json<'_, '_>, FormatError>,
    platform: impl Into<Arc<Platform>>,
) -> Result<Problem, FormatError> {
    let platform = platform.into();
    let amount_of_size = amount(size)?;
    let (volumes, work) = if collective.combines() {
        let work = work?;
        (
            Volumes {
                size: amount_of_size,
                work: work_of(&work, &platform)?,
            },
            Some(work),
        )
    } else if let Ok(work) = work {
        return Err(work.fail(Mistake::NotHere {
            key: "work",
            why: "this collective combines nothing",
        }));
    } else {
        (
            Volumes {
                size: amount_of_size,
                ..Volumes::of_size(Rational::one())
            },
            None,
        )
    };
    Problem::new(platform, collective, volumes).map_err(|error| {
        let at_fault = match (&error, &work) {
            (ProblemError::Volume(error), Some(work)) if error.is_of_work() => work,
            (ProblemError::Volume(_), _) => size,
            _ => question,
        };
        at_fault.fail(Mistake::Problem(error))
    })
}
