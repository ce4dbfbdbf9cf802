//! What a format is.

use crate::error::ExportError;
use crate::request::{Request, Written};

/// A format that plans can be written in.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is and who reads it.
    pub about: &'static str,
    /// What of a plan it cannot carry; empty where it carries all.
    pub lacks: &'static str,
    pub(crate) write: fn(&Request<'_>) -> Result<Written, ExportError>,
}

impl Format {
    /// Writes a plan.
    ///
    /// # Errors
    /// What the format cannot carry, or the plan does not hold.
    pub fn write(&self, request: &Request<'_>) -> Result<Written, ExportError> {
        (self.write)(request)
    }
}
