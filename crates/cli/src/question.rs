//! From names on the command line to a question.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use oneport::plan::VolumeError;
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

/// The collective asked for, every option it does not take refused.
pub fn collective(platform: &Platform, arguments: &SolveArguments) -> Result<Collective> {
    let name = arguments.collective;
    let label = match name {
        CollectiveName::Scatter => "scatter",
        CollectiveName::Gather => "gather",
        CollectiveName::AllToAll => "all-to-all",
        CollectiveName::Reduce => "reduce",
        CollectiveName::ReduceScatter => "reduce-scatter",
    };
    let takes: &[&str] = match name {
        CollectiveName::Scatter => &["--source", "--targets"],
        CollectiveName::Gather => &["--target", "--participants"],
        CollectiveName::AllToAll => &["--participants"],
        CollectiveName::Reduce => &["--target", "--participants", "--work", "--commutative"],
        CollectiveName::ReduceScatter => &["--participants", "--work", "--commutative"],
    };
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
    let missing = |option: &str| usage(format!("{label} needs {option} NODE; the processors are {}", some(platform)));
    Ok(match name {
        CollectiveName::Scatter => {
            let source = node(platform, arguments.source.as_deref().ok_or_else(|| missing("--source"))?, "--source")?;
            let targets = nodes(platform, arguments.targets.as_deref(), "--targets", Some(source))?;
            Collective::Scatter { source, targets }
        }
        CollectiveName::Gather => {
            let target = node(platform, arguments.target.as_deref().ok_or_else(|| missing("--target"))?, "--target")?;
            let participants = nodes(platform, arguments.participants.as_deref(), "--participants", Some(target))?;
            Collective::Gather { target, participants }
        }
        CollectiveName::AllToAll => Collective::AllToAll {
            participants: nodes(platform, arguments.participants.as_deref(), "--participants", None)?,
        },
        CollectiveName::Reduce => {
            let target = node(platform, arguments.target.as_deref().ok_or_else(|| missing("--target"))?, "--target")?;
            let participants = nodes(platform, arguments.participants.as_deref(), "--participants", None)?;
            Collective::Reduce { target, participants, commutative: arguments.commutative }
        }
        CollectiveName::ReduceScatter => {
            let participants = nodes(platform, arguments.participants.as_deref(), "--participants", None)?;
            Collective::ReduceScatter { participants, commutative: arguments.commutative }
        }
    })
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
