//! From names on the command line to a question.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::ValueEnum;
use oneport::plan::{Member, VolumeError};
use oneport::{Collective, NodeId, Platform, PortModel, Volumes, formats, parse_rational};

use crate::arguments::{CollectiveName, SolveArguments};
use crate::numbers::decimal;

/// A mistake in how the command was called: exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A usage error as `anyhow` carries it.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    anyhow!(Usage(message.into()))
}

/// A number of seconds, 0 or more.
pub fn seconds(option: &str, text: &str) -> Result<Duration> {
    let wrong = || usage(format!("{option}: '{text}' is not a number of seconds, 0 or more"));
    let seconds = parse_rational(text).map_err(|_| wrong())?;
    // The limit is a hint to a clock: the decimal rounding is harmless.
    let seconds: f64 = decimal(&seconds).parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// Reads the platform under the model asked for.
pub fn platform(path: &Path, model: Option<&str>) -> Result<Platform> {
    let platform = formats::read_platform(path)?;
    match model {
        None => Ok(platform),
        Some(name) => {
            let model: PortModel = name.parse().map_err(|error| usage(format!("--model: {error}")))?;
            Ok(platform.with_model(model))
        }
    }
}

/// The options that name nodes, by collective.
fn options_of(name: CollectiveName) -> &'static [&'static str] {
    match name {
        CollectiveName::Scatter | CollectiveName::Broadcast => &["--source", "--targets"],
        CollectiveName::Gather => &["--target", "--participants"],
        CollectiveName::AllToAll | CollectiveName::AllGather => &["--participants"],
        CollectiveName::Reduce => &["--target", "--participants", "--work", "--commutative"],
        CollectiveName::ReduceScatter | CollectiveName::AllReduce => &["--participants", "--work", "--commutative"],
        CollectiveName::Scan => &["--participants", "--work"],
    }
}

/// The collective asked for, every option it does not take refused.
pub fn collective(platform: &Platform, arguments: &SolveArguments) -> Result<Collective> {
    let name = arguments.collective;
    let label = name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string());
    let takes = options_of(name);
    let given = [
        ("--source", arguments.source.is_some()),
        ("--targets", arguments.targets.is_some()),
        ("--target", arguments.target.is_some()),
        ("--participants", arguments.participants.is_some()),
        ("--work", arguments.work.is_some()),
        ("--commutative", arguments.commutative),
    ];
    if let Some((option, _)) = given.iter().find(|(option, given)| *given && !takes.contains(option)) {
        return Err(usage(format!("{label} takes no {option}; it takes {}", takes.join(", "))));
    }
    if !arguments.groups.is_empty() {
        return groups(platform, arguments);
    }
    let missing = |option: &str| usage(format!("{label} needs {option} NODE; the processors are {}", some(platform)));
    let centre = if takes.contains(&"--source") {
        let name = arguments.source.as_deref().ok_or_else(|| missing("--source"))?;
        Some(node(platform, name, "--source")?)
    } else if takes.contains(&"--target") {
        let name = arguments.target.as_deref().ok_or_else(|| missing("--target"))?;
        Some(node(platform, name, "--target")?)
    } else {
        None
    };
    // Where nothing is combined, the owner of the messages (or their receiver) sends itself none.
    let except = centre.filter(|_| name != CollectiveName::Reduce);
    let members = match takes.contains(&"--targets") {
        true => nodes(platform, arguments.targets.as_deref(), "--targets", except)?,
        false => nodes(platform, arguments.participants.as_deref(), "--participants", except)?,
    };
    Ok(assemble(name, centre, members, arguments.commutative))
}

/// A collective from its root, where it has one, and its other members.
fn assemble(name: CollectiveName, centre: Option<NodeId>, members: Vec<NodeId>, commutative: bool) -> Collective {
    let root = || centre.unwrap_or(NodeId::new(0));
    match name {
        CollectiveName::Scatter => Collective::Scatter { source: root(), targets: members },
        CollectiveName::Broadcast => Collective::Broadcast { source: root(), targets: members },
        CollectiveName::Gather => Collective::Gather { target: root(), participants: members },
        CollectiveName::AllToAll => Collective::AllToAll { participants: members },
        CollectiveName::AllGather => Collective::AllGather { participants: members },
        CollectiveName::Reduce => Collective::Reduce { target: root(), participants: members, commutative },
        CollectiveName::ReduceScatter => Collective::ReduceScatter { participants: members, commutative },
        CollectiveName::AllReduce => Collective::AllReduce { participants: members, commutative },
        CollectiveName::Scan => Collective::Scan { participants: members },
    }
}

/// Process groups: `A,B,C` or `A,B,C@RATE`; the first of a rooted collective is its source or target.
fn groups(platform: &Platform, arguments: &SolveArguments) -> Result<Collective> {
    let options = [&arguments.source, &arguments.targets, &arguments.target, &arguments.participants];
    if options.into_iter().any(Option::is_some) {
        return Err(usage(
            "--group lists a group's members itself; leave out --source, --targets, --target, --participants",
        ));
    }
    let name = arguments.collective;
    let takes = options_of(name);
    let rooted = takes.contains(&"--source") || takes.contains(&"--target");
    let member = |group: &String| {
        let (list, rate) = match group.rsplit_once('@') {
            Some((list, rate)) if platform.find(group).is_none() => {
                let wrong = || {
                    usage(format!(
                        "--group {group}: '{rate}' is not a rate: give a whole number from 1 to 2^64 - 1, as in A,B,C@2 for twice as often"
                    ))
                };
                (list, rate.parse::<u64>().ok().filter(|&rate| rate > 0).ok_or_else(wrong)?)
            }
            _ => (group.as_str(), 1),
        };
        let listed = nodes(platform, Some(list), "--group", None)?;
        let (centre, members) = match listed.split_first() {
            Some((&centre, others)) if rooted => {
                // The target of a reduction owns a value, too.
                let members = if name == CollectiveName::Reduce { listed.clone() } else { others.to_vec() };
                (Some(centre), members)
            }
            _ => (None, listed),
        };
        Ok(Member { collective: assemble(name, centre, members, arguments.commutative), rate })
    };
    Ok(Collective::Groups { members: arguments.groups.iter().map(member).collect::<Result<_>>()? })
}

/// Sizes and work: a number, `A+Bn` or `@FILE`.
pub fn volumes(arguments: &SolveArguments) -> Result<Volumes> {
    let amount = |option: &str, text: &str| match text.strip_prefix('@') {
        Some(path) => Ok(formats::read_amount(Path::new(path))?),
        None => formats::parse_amount(text).map_err(|error| usage(format!("{option} {text}: {error}"))),
    };
    Ok(Volumes {
        size: amount("--size", &arguments.size)?,
        work: amount("--work", arguments.work.as_deref().unwrap_or("1"))?,
    })
}

/// Volumes that do not fit the collective, as a mistake in an option.
pub fn volume_usage(error: &VolumeError) -> anyhow::Error {
    let option = match error {
        VolumeError::BadWork { .. } | VolumeError::TableShape { what: "work", .. } => "--work",
        VolumeError::TableOfCommutative { what: "work", .. } => "--work",
        _ => "--size",
    };
    usage(format!("{option}: {error}"))
}

/// The first few processors, for error messages.
fn some(platform: &Platform) -> String {
    const SHOWN: usize = 8;
    let quoted = |id| format!("'{}'", platform.name(id));
    let names: Vec<String> = platform.processors().take(SHOWN + 1).map(quoted).collect();
    match names.len() {
        0 => "none (give nodes a compute cost)".to_string(),
        count if count > SHOWN => format!("{}, ...", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

fn node(platform: &Platform, name: &str, option: &str) -> Result<NodeId> {
    platform.find(name).ok_or_else(|| {
        let clipped: String = name.chars().take(60).flat_map(char::escape_debug).collect();
        let alike = platform.processors().map(|id| platform.name(id)).find(|known| known.eq_ignore_ascii_case(name));
        let hint = match alike {
            Some(known) => format!("did you mean '{known}'?"),
            None => format!("its processors are {}", some(platform)),
        };
        anyhow!("{option}: the platform has no node '{clipped}'; {hint}")
    })
}

/// A list of names; "all" and nothing mean every processor except one.
fn nodes(platform: &Platform, list: Option<&str>, option: &str, except: Option<NodeId>) -> Result<Vec<NodeId>> {
    match list {
        None | Some("all") => Ok(platform.processors().filter(|&id| Some(id) != except).collect()),
        // A name may contain a comma.
        Some(name) if platform.find(name).is_some() => Ok(vec![node(platform, name, option)?]),
        Some(list) if list.split(',').any(|name| name.trim().is_empty()) => {
            Err(usage(format!("{option}: '{list}' holds an empty name; write A,B or all")))
        }
        Some(list) => list.split(',').map(|name| node(platform, name.trim(), option)).collect(),
    }
}
