//! Defines a format of plans.

use crate::error::ExportError;
use crate::request::{Request, Written};

/// Formats with the dates, or the loads, of links that transfer at a part of their rate. In others the rates are left
/// to what runs the plan, which shares a capacity in another way.
///
/// GraphML and node-link JSON are not among them: they are read as platforms, and would lack the capacities.
const WITH_RATES: [&str; 6] = ["events", "events-csv", "perfetto", "paje", "simgrid", "dot"];

/// Refuses a plan whose rates a format does not hold.
///
/// # Errors
/// The platform has shared capacities.
pub(crate) fn check_rates(format: &'static str, request: &Request<'_>) -> Result<(), ExportError> {
    let unsupported = request.problem.platform().without_shared("this format");
    match unsupported {
        Err(error) if !WITH_RATES.contains(&format) => {
            let formats = WITH_RATES.join(", ");
            Err(ExportError::refused(
                format,
                format!("{error}, or export to {formats}"),
            ))
        }
        _ => Ok(()),
    }
}

/// A format that plans can be written in.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// The format and its readers.
    pub about: &'static str,
    /// Parts of a plan that the format lacks. Empty if it has all.
    pub lacks: &'static str,
    pub(crate) write: fn(&Request<'_>) -> Result<Written, ExportError>,
}

impl Format {
    /// Writes a plan.
    ///
    /// # Errors
    /// Parts that the format lacks, or that the plan does not hold.
    pub fn write(&self, request: &Request<'_>) -> Result<Written, ExportError> {
        check_rates(self.name, request)?;
        (self.write)(request)
    }
}
