//! A platform file or a topology as the first argument of a command.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use oneport::formats::Imported;
use oneport::{PortModel, Units};

use crate::topology::{self, TopologyArguments};
use crate::usage::usage;

/// Which platform, and how it is read.
#[derive(Debug, Args)]
pub struct FileArguments {
    /// A platform file, or a topology of another program: a dump of NCCL or RCCL, and others.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Port model: full-duplex, half-duplex, multiport, links (default: the platform file's, else full-duplex).
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Units of a platform file that has none: data over time, as GB/s or Gbit/s.
    #[arg(long, value_name = "UNITS")]
    units: Option<String>,
    /// What the file leaves open.
    #[command(flatten)]
    topology: TopologyArguments,
}

impl FileArguments {
    /// Reads the platform under the model and in the units asked for; says on standard error what was assumed.
    pub fn read(&self) -> Result<Imported> {
        let mut imported = topology::read(&self.file, None, &self.topology)?;
        if let Some(name) = &self.model {
            let model: PortModel = name.parse().map_err(|error| usage(format!("--model: {error}")))?;
            imported.platform = imported.platform.with_model(model);
        }
        if let Some(text) = &self.units {
            let units = Units::parse(text).map_err(|error| usage(format!("--units: {error}")))?;
            if let Some(own) = imported.platform.units() {
                let name = self.file.display();
                bail!(usage(format!("--units: {name} is in {own} already; leave the option out")));
            }
            imported.platform = imported.platform.with_units(Some(units));
        }
        Ok(imported)
    }
}
