//! A platform file or a topology, and the options of its reader.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use oneport_questions::topology::Imported;
use oneport_questions::{Reading, Source};

use crate::flags::change::ChangeArguments;
use crate::flags::idle::Idle;
use crate::flags::topology::TopologyArguments;
use crate::words::settings::hear;
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

/// A file as a source of platforms; `-` is standard input, by its name on Unix.
pub fn source(path: &Path) -> Source {
    let standard = path == Path::new("-");
    Source::File(
        if standard {
            Path::new("/dev/stdin")
        } else {
            path
        }
        .into(),
    )
}

impl ReadingArguments {
    /// How the platform is read.
    pub fn reading(&self) -> Reading {
        Reading {
            model: self.model.clone(),
            units: self.units.clone(),
            ..self.topology.reading()
        }
    }

    /// The treatment of processors that take no part.
    pub fn idle(&self) -> Option<oneport_questions::Idle> {
        self.idle.map(Into::into)
    }

    /// Reads the platform under the requested model and in the requested units, with the changes. Prints assumed values
    /// on standard error.
    pub fn read(&self, path: &Path) -> Result<Imported> {
        let reading = self.reading();
        Ok(reading.read(&source(path), &self.change.changes, &hear)?)
    }

    /// [`read`](Self::read) without the changes.
    pub fn read_unchanged(&self, path: &Path) -> Result<Imported> {
        Ok(self.reading().read(&source(path), &[], &hear)?)
    }
}
