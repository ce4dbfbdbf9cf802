//! Defines a format of plans.

use crate::error::ExportError;
use crate::request::{Request, Written};

/// A format that plans can be written in.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// The format and its readers.
    pub about: &'static str,
    /// Parts of a plan that the format lacks; empty if it has all.
    pub lacks: &'static str,
    pub(crate) write: fn(&Request<'_>) -> Result<Written, ExportError>,
}

impl Format {
    /// Writes a plan.
    ///
    /// # Errors
    /// Parts that the format lacks, or that the plan does not hold.
    pub fn write(&self, request: &Request<'_>) -> Result<Written, ExportError> {
        (self.write)(request)
    }
}
