//! From names on the command line to a question.

use std::path::Path;

use anyhow::{Result, anyhow};
use oneport::{Collective, NodeId, Platform, PortModel, formats};

use crate::arguments::{CollectiveName, SolveArguments};

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
    };
    let takes = match name {
        CollectiveName::Scatter => "--source, --targets",
        CollectiveName::Gather => "--target, --participants",
        CollectiveName::AllToAll => "--participants",
    };
    let refuse = |option: &str, given: bool, taken: bool| match given && !taken {
        true => Err(usage(format!("{label} takes no {option}; it takes {takes}"))),
        false => Ok(()),
    };
    refuse("--source", arguments.source.is_some(), name == CollectiveName::Scatter)?;
    refuse("--targets", arguments.targets.is_some(), name == CollectiveName::Scatter)?;
    refuse("--target", arguments.target.is_some(), name == CollectiveName::Gather)?;
    refuse("--participants", arguments.participants.is_some(), name != CollectiveName::Scatter)?;
    refuse("--work", arguments.work.is_some(), false)?;
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
    })
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
