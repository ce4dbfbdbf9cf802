//! The stand-in for `topology` in a build without other programs' topologies: platform files of ours are read.

use std::path::Path;

use oneport::files::{PlatformFormat, parse_platform_with_any_ports, read_platform_with_any_ports};
use oneport::{Platform, Units};

use crate::error::{Result, unfit};
use crate::latency::KnownLatencies;
use crate::reading::{Hearer, Reading};

/// A platform that was read.
#[derive(Debug, Clone)]
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
    _hear: Hearer<'_>,
) -> Result<(Imported, KnownLatencies)> {
    if texts.is_empty() {
        return Ok((imported, KnownLatencies::default()));
    }
    Err(unfit(
        "--latency: this build of oneport lacks the feature `topologies`; write latencies into the file",
    ))
}

impl Imported {
    /// The file with the changed platform.
    #[must_use]
    pub fn changed(self, changed: oneport::platform::Changed) -> Imported {
        // A change may leave links out.
        generated(changed.platform, Vec::new())
    }
}

/// Reads a platform file of ours.
pub(crate) fn of_file(path: &Path, _reading: &Reading, _hear: Hearer<'_>) -> Result<Imported> {
    Ok(generated(read_platform_with_any_ports(path)?, Vec::new()))
}

/// [`of_file`] from JSON. `name` is the platform's name in messages.
pub(crate) fn of_json(
    name: &str,
    text: &str,
    _reading: &Reading,
    _hear: Hearer<'_>,
) -> Result<Imported> {
    let platform = parse_platform_with_any_ports(name, text.as_bytes(), PlatformFormat::Json)?;
    Ok(generated(platform, Vec::new()))
}

impl Reading {
    /// The platform of a file that names no units, in these.
    pub(crate) fn in_units(
        imported: &Imported,
        units: Units,
        _hear: Hearer<'_>,
    ) -> Result<Platform> {
        Ok(imported.platform.clone().with_units(Some(units)))
    }

    /// The platform with the latencies given.
    ///
    /// # Errors
    /// A latency is given.
    pub fn latencies(
        &self,
        imported: Imported,
        assumed: bool,
        hear: Hearer<'_>,
    ) -> Result<(Imported, KnownLatencies)> {
        with_latencies(&self.latency.split(), imported, assumed, hear)
    }
}
