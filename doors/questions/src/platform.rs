//! Reads platforms of questions.

use oneport::{PortModel, Units};

use crate::change::apply;
use crate::error::{Result, usage};
use crate::latency::KnownLatencies;
pub use crate::reading::{Combining, Hearer, Note, Reading, deaf};
pub use crate::source::Source;
use crate::topology::{self, Imported};

impl Reading {
    /// Reads the platform under the requested model and in the requested units, with the changes.
    ///
    /// # Errors
    /// A platform that cannot be read, an option that does not fit it, a change that it does not allow.
    pub fn read(&self, source: &Source, changes: &[String], hear: Hearer<'_>) -> Result<Imported> {
        let (imported, _) = self.with_options(source, false, hear)?;
        changed(source, imported, changes)
    }

    /// [`read`](Self::read) for the time of one operation: a latency that neither platform nor options state is assumed
    /// by kind of link.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn read_for_times(
        &self,
        source: &Source,
        changes: &[String],
        hear: Hearer<'_>,
    ) -> Result<(Imported, KnownLatencies)> {
        let (imported, latencies) = self.with_options(source, true, hear)?;
        Ok((changed(source, imported, changes)?, latencies))
    }

    /// [`read`](Self::read) with the model and the units of the file. Ports are not checked, and a note names the
    /// latencies that are assumed.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn read_as_stated(&self, source: &Source, hear: Hearer<'_>) -> Result<Imported> {
        let (imported, latencies) = self.latencies(self.as_stated(source, hear)?, false, hear)?;
        if let Some(line) = latencies
            .line(&imported.platform)
            .filter(|_| latencies.are_assumed())
        {
            hear(Note::Plain(&line));
        }
        Ok(imported)
    }

    /// Reads the platform with the latencies of the file. Ports are checked once models and changes are known
    /// ([`check_ports`](crate::change::check_ports)).
    fn as_stated(&self, source: &Source, hear: Hearer<'_>) -> Result<Imported> {
        match source {
            Source::File(path) => topology::of_file(path, self, hear),
            Source::Inline(value) => {
                topology::of_json(&source.name(), &value.to_string(), self, hear)
            }
            Source::Generated(generated) => {
                self.refuse_of_files("a generated platform")?;
                generated.imported(hear)
            }
            Source::Given(platform) => {
                self.refuse_of_files("a platform that was read before")?;
                let kinds = vec!["link"; platform.links().len()];
                Ok(topology::generated(platform.as_ref().clone(), kinds))
            }
        }
    }

    fn with_options(
        &self,
        source: &Source,
        assumed: bool,
        hear: Hearer<'_>,
    ) -> Result<(Imported, KnownLatencies)> {
        let mut imported = self.as_stated(source, hear)?;
        if let Some(name) = &self.model {
            let model: PortModel = name
                .parse()
                .map_err(|error| usage(format!("--model: {error}")))?;
            imported.platform = imported.platform.with_model(model);
        }
        if let Some(text) = &self.units {
            let units = Units::parse(text).map_err(|error| usage(format!("--units: {error}")))?;
            if let Some(own) = imported.platform.units() {
                return Err(usage(format!(
                    "--units: {} is in {own} already; leave the option out",
                    source.name()
                )));
            }
            imported.platform = Reading::in_units(&imported, units, hear)?;
        }
        self.latencies(imported, assumed, hear)
    }
}

fn changed(source: &Source, imported: Imported, changes: &[String]) -> Result<Imported> {
    Ok(match apply(&source.name(), &imported.platform, changes)? {
        Some(changed) => imported.changed(changed),
        None => imported,
    })
}
