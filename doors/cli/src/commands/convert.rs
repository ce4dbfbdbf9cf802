//! `oneport convert`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use oneport::files::{self, PlatformFormat};
use oneport_topologies::Format;

use crate::flags::topology::TopologyArguments;
use crate::words::end::End;
use crate::words::output::{count, print, try_outputs};
use crate::words::usage::usage;

/// Convert a platform file.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The platform file to read.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The platform file to write.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Format of IN: toml, json, matrix, gml, joined, nccl, nvidia-smi, node-link, graphml, dot,
    /// ibnetdiscover, iblinkinfo, slurm-conf, slurm-yaml, astra-sim, hwloc, simgrid (default: by its name
    /// and content).
    #[arg(long, value_name = "F")]
    pub from: Option<String>,
    /// Format of OUT (default: by its name).
    #[arg(long, value_name = "F")]
    pub to: Option<String>,
    /// Values that a topology file lacks.
    #[command(flatten)]
    pub topology: TopologyArguments,
}

/// Runs the command.
pub fn run(arguments: &ConvertArguments) -> Result<End> {
    let from = arguments
        .from
        .as_ref()
        .map(|name| name.parse::<Format>())
        .transpose();
    let from = from.map_err(|error| usage(format!("--from: {error}")))?;
    let to = match &arguments.to {
        Some(name) => name
            .parse()
            .map_err(|error| usage(format!("--to: {error}")))?,
        None => PlatformFormat::to_write(&arguments.output).ok_or_else(|| {
            usage(format!(
                "cannot tell the format of {} from its name; add --to toml, json or matrix",
                arguments.output.display()
            ))
        })?,
    };
    try_outputs(&[("IN", &arguments.input)], &[("OUT", &arguments.output)])?;
    let platform = arguments.topology.read(&arguments.input, from)?.platform;
    let text = files::write_platform(&platform, to)
        .with_context(|| arguments.output.display().to_string())?;
    files::write_atomically(&arguments.output, text.as_bytes())
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
