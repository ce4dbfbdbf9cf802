//! A platform file or a topology, and how it is read.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use oneport::{PortModel, Units};

use crate::flags::change::{ChangeArguments, check_ports};
use crate::flags::idle::Idle;
use crate::flags::latency::KnownLatencies;
use crate::flags::topology::{Imported, TopologyArguments};
use crate::words::usage::usage;

/// Model and units of a platform, and changes of it.
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
    /// Changes of the platform.
    #[command(flatten)]
    pub change: ChangeArguments,
    /// Values that the file lacks.
    #[command(flatten)]
    topology: TopologyArguments,
}

/// The platform of a command that reads another file first, or writes one.
#[derive(Debug, Clone, Args)]
pub struct PlatformArguments {
    /// The platform: a file of ours, or a topology of another program (also by -p).
    #[arg(value_name = "FILE", index = 2)]
    file: Option<PathBuf>,
    /// The platform, instead of FILE.
    #[arg(short = 'p', long = "platform", value_name = "FILE")]
    platform: Option<PathBuf>,
}

/// A platform as the first argument of a command.
#[derive(Debug, Args)]
pub struct FileArguments {
    /// A platform file, or a topology of another program: a dump of NCCL or RCCL, and others (also by -p).
    #[arg(value_name = "FILE", index = 1)]
    pub file: Option<PathBuf>,
    /// The platform, instead of FILE.
    #[arg(short = 'p', long = "platform", value_name = "FILE")]
    pub platform: Option<PathBuf>,
}

impl PlatformArguments {
    /// The file.
    ///
    /// # Errors
    /// No file, or two.
    pub fn path(&self) -> Result<&Path> {
        one(self.file.as_deref(), self.platform.as_deref())
    }

    /// The file, if one is given.
    ///
    /// # Errors
    /// Two files.
    pub fn given(&self) -> Result<Option<&Path>> {
        match (&self.file, &self.platform) {
            (None, None) => Ok(None),
            _ => self.path().map(Some),
        }
    }
}

impl FileArguments {
    /// The file.
    ///
    /// # Errors
    /// No file, or two.
    pub fn path(&self) -> Result<&Path> {
        one(self.file.as_deref(), self.platform.as_deref())
    }
}

/// A platform is named once, as an argument or by -p.
///
/// # Errors
/// It is named twice, or not at all.
pub fn one<'a>(file: Option<&'a Path>, option: Option<&'a Path>) -> Result<&'a Path> {
    match (file, option) {
        // Standard input, by its name on Unix.
        (Some(path), None) | (None, Some(path)) if path == Path::new("-") => {
            Ok(Path::new("/dev/stdin"))
        }
        (Some(path), None) | (None, Some(path)) => Ok(path),
        (None, None) => Err(usage(
            "which platform? Give its FILE as an argument, or by --platform FILE (-p FILE)",
        )),
        (Some(file), Some(option)) => Err(usage(format!(
            "two platforms are given, {} and --platform {}; keep one",
            file.display(),
            option.display()
        ))),
    }
}

impl ReadingArguments {
    /// Reads the platform under the requested model and in the requested units, with the changes. Prints assumed values
    /// on standard error.
    pub fn read(&self, path: &Path) -> Result<Imported> {
        let (imported, _) = self.latencies(path, false)?;
        self.changed(path, imported)
    }

    /// As [`read`](Self::read), without the changes.
    pub fn read_unchanged(&self, path: &Path) -> Result<Imported> {
        let (imported, _) = self.latencies(path, false)?;
        check_ports(path, &imported.platform)?;
        Ok(imported)
    }

    /// As [`read`](Self::read), for a time of one operation: if neither file nor options state a latency, it is assumed
    /// by kind of link.
    pub fn read_for_times(&self, path: &Path) -> Result<(Imported, KnownLatencies)> {
        let (imported, latencies) = self.latencies(path, true)?;
        Ok((self.changed(path, imported)?, latencies))
    }

    fn changed(&self, path: &Path, imported: Imported) -> Result<Imported> {
        Ok(match self.change.apply(path, &imported.platform)? {
            Some(changed) => imported.changed(changed),
            None => imported,
        })
    }

    fn latencies(&self, path: &Path, assumed: bool) -> Result<(Imported, KnownLatencies)> {
        let mut imported = self.topology.as_stated(path, None)?;
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
            imported.platform = TopologyArguments::in_units(&imported, units)?;
        }
        self.topology.latencies(imported, assumed)
    }
}
