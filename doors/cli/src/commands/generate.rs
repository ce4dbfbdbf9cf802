//! `oneport generate`: platforms of well-known shapes, and random ones from a seed.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use oneport::files::{self, PlatformFormat};
use oneport_questions::Generated;

use crate::words::exit::End;
use crate::words::output::{Content, count, print, replaced, try_outputs};
use crate::words::settings;
use crate::words::usage::usage;

/// Make a platform file: regular and random graphs, racks, wide-area networks, boxes of GPUs.
#[derive(Debug, Args)]
#[command(after_long_help = UNITS)]
pub struct GenerateArguments {
    /// The shape and its rates.
    #[command(flatten)]
    generated: Generated,
    /// The file; its ending is its format: .toml, .json, .csv or .matrix (default: TOML on standard output).
    #[arg(short, long, value_name = "OUT", global = true)]
    output: Option<PathBuf>,
}

const UNITS: &str = "\
Units: boxes of accelerators, torus, fat-tree, dragonfly, and racks with --bandwidth are in GB/s; a merge of a gigabyte
reads two and writes one, so that accelerators and hosts merge at a third of their memory's bandwidth (data sheets: V100
900 GB/s, A100 2039, H100 3350, B200 8000, MI250 1600 per die, MI300X 5300; hosts: eight channels of DDR4-3200, 204.8).
Tiers are in MB/s. The other shapes have no units.";

/// Runs the command.
pub fn run(arguments: &GenerateArguments) -> Result<End> {
    let format = match &arguments.output {
        None => PlatformFormat::Toml,
        Some(output) => PlatformFormat::to_write(output).ok_or_else(|| {
            let name = output.display();
            usage(format!("--output: cannot tell the format of {name} from its name; end it in .toml, .json or .csv"))
        })?,
    };
    if let Some(output) = &arguments.output {
        try_outputs(Content::Platform, &[], &[("--output", output)])?;
    }
    let platform = arguments.generated.imported(&settings::hear)?.platform;
    let text = files::write_platform(&platform, format)?;
    let Some(output) = &arguments.output else {
        print(&text)?;
        return Ok(End::Done);
    };
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
    Ok(End::Done)
}
