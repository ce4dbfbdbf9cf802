//! The stand-in for `topology` in a build without other programs' topologies: platform files of ours are read.

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use oneport::files::read_platform_with_any_ports;
use oneport::{Platform, Units};

use crate::flags::latency::KnownLatencies;

/// No options: platform files of ours leave nothing open.
#[derive(Debug, Clone, Default, Args)]
pub struct TopologyArguments {}

/// A platform that was read.
pub struct Imported {
    /// The platform.
    pub platform: Platform,
    /// Per link id: the kind of the link.
    pub link_kinds: Vec<&'static str>,
}

/// The platform of a generator.
pub fn generated(platform: Platform, link_kinds: Vec<&'static str>) -> Imported {
    Imported {
        platform,
        link_kinds,
    }
}

/// The platform as it is.
///
/// # Errors
/// A latency is given.
pub fn with_latencies(
    texts: &[String],
    imported: Imported,
    _assumed: bool,
) -> Result<(Imported, KnownLatencies)> {
    if texts.is_empty() {
        return Ok((imported, KnownLatencies::default()));
    }
    bail!(
        "--latency: this build of oneport lacks the feature `topologies`; write latencies into the file"
    )
}

impl Imported {
    /// The file with the changed platform.
    pub fn changed(self, changed: oneport::platform::Changed) -> Imported {
        // A change may leave links out.
        generated(changed.platform, Vec::new())
    }
}

impl TopologyArguments {
    /// The platform of a file that names no units, in these.
    pub fn in_units(imported: &Imported, units: Units) -> Result<Platform> {
        Ok(imported.platform.clone().with_units(Some(units)))
    }

    /// The platform as it is: no option gives a latency.
    ///
    /// # Errors
    /// None.
    pub fn latencies(
        &self,
        imported: Imported,
        _assumed: bool,
    ) -> Result<(Imported, KnownLatencies)> {
        Ok((imported, KnownLatencies::default()))
    }

    /// As [`TopologyArguments::read`].
    ///
    /// # Errors
    /// As [`TopologyArguments::read`].
    pub fn as_stated(&self, path: &Path, format: Option<()>) -> Result<Imported> {
        self.read(path, format)
    }

    /// Reads a platform file of ours, whatever the second argument.
    pub fn read(&self, path: &Path, _format: Option<()>) -> Result<Imported> {
        let path = if path == Path::new("-") {
            Path::new("/dev/stdin")
        } else {
            path
        };
        Ok(generated(read_platform_with_any_ports(path)?, Vec::new()))
    }
}
