//! `oneport convert`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use oneport::files::{self, PlatformFormat};
use oneport::{NodeId, Platform};
use oneport_questions::{Reading, change};
use oneport_separation::gadget::{Part, gadget};
use oneport_topologies::Format;

use crate::flags::change::ChangeArguments;
use crate::flags::platform::source;
use crate::flags::topology::TopologyArguments;
use crate::words::exit::End;
use crate::words::output::{Content, count, print, replaced, try_outputs};
use crate::words::settings::hear;
use crate::words::usage::usage;

/// Convert a platform file.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The platform file to read.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The platform file to write.
    #[arg(value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The platform file to read, instead of IN.
    #[arg(short = 'p', long = "platform", value_name = "FILE")]
    pub platform: Option<PathBuf>,
    /// Format of IN: toml, json, matrix, gml, joined, nccl, nvidia-smi, node-link, graphml, dot,
    /// ibnetdiscover, iblinkinfo, slurm-conf, slurm-yaml, astra-sim, hwloc, simgrid, rocm-smi, gpu-matrix, edges
    /// (default: by its name and content).
    #[arg(long, value_name = "F")]
    pub from: Option<String>,
    /// Format of OUT (default: by its name).
    #[arg(long, value_name = "F")]
    pub to: Option<String>,
    /// Write a platform of half-duplex nodes with the same throughputs (RR-2004-32, section 5): a node `a` with
    /// several ports becomes a core `a`, ports `a in 1`, `a out 1`, .., and relays `a -> b in`, `relay`, `out` for
    /// links that need them. All but the cores are routers, and links between parts cost 0.
    #[arg(long)]
    pub gadget: bool,
    /// Changes of the platform.
    #[command(flatten)]
    pub change: ChangeArguments,
    /// Values that a topology file lacks.
    #[command(flatten)]
    pub topology: TopologyArguments,
}

/// Runs the command.
pub fn run(arguments: &ConvertArguments) -> Result<End> {
    let from = arguments.from.as_ref().map(|name| name.parse::<Format>());
    from.transpose()
        .map_err(|error| usage(format!("--from: {error}")))?;
    let (input, output) = match (&arguments.platform, &arguments.output) {
        (Some(input), None) => (input, &arguments.input),
        (None, Some(output)) => (&arguments.input, output),
        _ => {
            return Err(usage(
                "give two files: IN, which is read (or --platform IN), and OUT, which is written",
            ));
        }
    };
    let to = match &arguments.to {
        Some(name) => name
            .parse()
            .map_err(|error| usage(format!("--to: {error}")))?,
        None => PlatformFormat::to_write(output).ok_or_else(|| {
            usage(format!(
                "cannot tell the format of {} from its name; add --to toml, json or matrix",
                output.display()
            ))
        })?,
    };
    try_outputs(Content::Platform, &[("IN", input)], &[("OUT", output)])?;
    let reading = Reading {
        format: arguments.from.clone(),
        ..arguments.topology.reading()
    };
    let read = reading.read_as_stated(&source(input), &hear)?.platform;
    let read = change::apply(
        &input.display().to_string(),
        &read,
        &arguments.change.changes,
    )?
    .map_or(read, |changed| changed.platform);
    let (platform, parts) = if arguments.gadget {
        let (platform, parts) = as_gadget(&read)?;
        (platform, Some(parts))
    } else {
        (read, None)
    };
    let text =
        files::write_platform(&platform, to).with_context(|| output.display().to_string())?;
    files::write_atomically(output, text.as_bytes())
        .with_context(|| format!("cannot write {}", output.display()))?;
    print(&format!(
        "{}: {} ({}), {}{}",
        output.display(),
        count(platform.nodes().len(), "node"),
        count(platform.processors().count(), "processor"),
        count(platform.links().len(), "link"),
        replaced(output),
    ))?;
    parts.map_or(Ok(()), |parts| print(&parts))?;
    Ok(End::Done)
}

/// The gadget as a platform, and the meaning of its nodes.
fn as_gadget(platform: &Platform) -> Result<(Platform, String)> {
    let gadget = gadget(platform)?;
    let written = gadget.as_platform(platform)?;
    let mut lines = Vec::new();
    for (index, &(node, part)) in gadget.nodes.iter().enumerate() {
        let (name, of) = (written.name(NodeId::new(index)), platform.name(node));
        let is = match part {
            Part::Core => continue,
            Part::In => format!("receives for '{of}'"),
            Part::Out => format!("sends for '{of}'"),
            Part::Relay { of, .. } => format!("is on the link '{}'", platform.link_name(of)),
        };
        lines.push(format!("  '{name}' {is}"));
    }
    let mut text = if lines.is_empty() {
        "all nodes were half-duplex before: no node is added".to_string()
    } else {
        let named = count(platform.nodes().len(), "node");
        format!(
            "all nodes are half-duplex; {named} under their names, and {} more:",
            lines.len()
        )
    };
    if platform.links().iter().any(|link| link.delays.is_some()) {
        text.insert_str(0, "latencies and overheads are left out; ");
    }
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    Ok((written, text))
}
