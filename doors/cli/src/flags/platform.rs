//! A platform file or a topology, and how it is read.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use oneport::{PortModel, Units};

use crate::flags::idle::Idle;
use crate::flags::topology::{Imported, TopologyArguments};
use crate::words::usage::usage;

/// Model and units of a platform.
#[derive(Debug, Clone, Args)]
pub struct ReadingArguments {
    /// Port model: full-duplex, half-duplex, multiport, links (default: the platform file's, else full-duplex).
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Units of a platform file that names none: data over time, as GB/s or Gbit/s.
    #[arg(long, value_name = "UNITS")]
    units: Option<String>,
    /// Processors that take no part: out leaves them out with their links, forward lets them forward and merge
    /// (default: GPUs and other accelerators are left out, for no process runs there; hosts forward).
    #[arg(long, value_enum, value_name = "out|forward")]
    pub idle: Option<Idle>,
    /// Values that the file lacks.
    #[command(flatten)]
    topology: TopologyArguments,
}

/// A platform as the first argument of a command.
#[derive(Debug, Args)]
pub struct FileArguments {
    /// A platform file, or a topology of another program: a dump of NCCL or RCCL, and others.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Model and units.
    #[command(flatten)]
    pub reading: ReadingArguments,
}

impl ReadingArguments {
    /// Reads the platform under the requested model and in the requested units. Prints assumed values on standard
    /// error.
    pub fn read(&self, path: &Path) -> Result<Imported> {
        let mut imported = self.topology.read(path, None)?;
        if let Some(name) = &self.model {
            let model: PortModel = name
                .parse()
                .map_err(|error| usage(format!("--model: {error}")))?;
            imported.platform = imported.platform.with_model(model);
        }
        if let Some(text) = &self.units {
            let units = Units::parse(text).map_err(|error| usage(format!("--units: {error}")))?;
            if let Some(own) = imported.platform.units() {
                bail!(usage(format!(
                    "--units: {} is in {own} already; leave the option out",
                    path.display()
                )));
            }
            imported.platform = imported.platform.with_units(Some(units));
        }
        Ok(imported)
    }
}

impl FileArguments {
    /// Reads the platform; see [`ReadingArguments::read`].
    pub fn read(&self) -> Result<Imported> {
        self.reading.read(&self.file)
    }
}
