//! The stand-in for `topology` in a build without other programs' topologies: platform files of ours are read.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use oneport::files::read_platform;
use oneport::{Platform, Units};

/// No options: platform files of ours leave nothing open.
#[derive(Debug, Clone, Default, Args)]
pub struct TopologyArguments {}

/// A platform that was read.
pub struct Imported {
    /// The platform.
    pub platform: Platform,
}

impl Imported {
    /// The file with the changed platform.
    pub fn changed(self, changed: oneport::platform::Changed) -> Imported {
        Imported {
            platform: changed.platform,
        }
    }
}

impl TopologyArguments {
    /// The platform of a file that names no units, in these.
    pub fn in_units(imported: &Imported, units: Units) -> Result<Platform> {
        Ok(imported.platform.clone().with_units(Some(units)))
    }

    /// Reads a platform file of ours, whatever the second argument.
    pub fn read(&self, path: &Path, _format: Option<()>) -> Result<Imported> {
        let path = if path == Path::new("-") {
            Path::new("/dev/stdin")
        } else {
            path
        };
        Ok(Imported {
            platform: read_platform(path)?,
        })
    }
}
