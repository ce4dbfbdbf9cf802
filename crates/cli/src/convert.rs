//! `oneport convert`.

use anyhow::{Context, Result};
use oneport::formats::{self, PlatformFormat};

use crate::End;
use crate::arguments::ConvertArguments;
use crate::output::{count, print, try_outputs};
use crate::topology;
use crate::usage::usage;

/// Runs the command.
pub fn run(arguments: &ConvertArguments) -> Result<End> {
    let format = |option: &str, name: &String| -> Result<PlatformFormat> {
        name.parse().map_err(|error| usage(format!("{option}: {error}")))
    };
    let from = arguments.from.as_ref().map(|name| format("--from", name)).transpose()?;
    let to = match &arguments.to {
        Some(name) => format("--to", name)?,
        None => PlatformFormat::to_write(&arguments.output).ok_or_else(|| {
            usage(format!(
                "cannot tell the format of {} from its name; add --to toml, json or matrix",
                arguments.output.display()
            ))
        })?,
    };
    try_outputs(&[("IN", &arguments.input)], &[("OUT", &arguments.output)])?;
    let platform = topology::read(&arguments.input, from, &arguments.topology)?.platform;
    let text = formats::write_platform(&platform, to).with_context(|| arguments.output.display().to_string())?;
    formats::write_atomically(&arguments.output, text.as_bytes())
        .with_context(|| format!("cannot write {}", arguments.output.display()))?;
    print(&format!(
        "{}: {} ({}), {}",
        arguments.output.display(),
        count(platform.nodes().len(), "node"),
        count(platform.processors().count(), "processor"),
        count(platform.links().len(), "link"),
    ))?;
    Ok(End::Done)
}
