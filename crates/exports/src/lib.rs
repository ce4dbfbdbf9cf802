#![doc = include_str!("../README.md")]

mod buffers;
mod chakra;
mod check;
mod error;
mod events;
mod goal;
mod graph;
mod hops;
mod machine;
mod mpi;
mod msccl;
mod mscclpp;
mod operation;
mod paje;
mod perfetto;
mod pieces;
mod request;
mod results;
mod run;
mod simgrid;
mod text;

pub use check::{Verdict, check};
pub use error::ExportError;
pub use machine::{Fault, Kind};
pub use oneport_plan::{PeriodicSchedule, Problem};
pub use request::{File, Request};
pub use results::{Served, results};

/// A format that plans can be written in.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is and who reads it.
    pub about: &'static str,
    /// What of a plan it cannot carry; empty where it carries all.
    pub lacks: &'static str,
    write: fn(&Request<'_>) -> Result<Vec<File>, ExportError>,
}

impl Format {
    /// Writes a plan.
    ///
    /// # Errors
    /// What the format cannot carry, or the plan does not hold.
    pub fn write(&self, request: &Request<'_>) -> Result<Vec<File>, ExportError> {
        (self.write)(request)
    }
}

/// Every format, in the order of the documentation.
pub const FORMATS: &[Format] = &[
    events::JSON,
    events::CSV,
    perfetto::FORMAT,
    paje::FORMAT,
    goal::FORMAT,
    graph::GRAPHML,
    graph::NODE_LINK,
    graph::DOT,
    mscclpp::FORMAT,
    msccl::FORMAT,
    chakra::FORMAT,
    simgrid::FORMAT,
    mpi::FORMAT,
    mpi::PRELOAD,
];

/// The format of this name.
///
/// # Errors
/// There is none; the error lists all.
pub fn format(name: &str) -> Result<&'static Format, ExportError> {
    let unknown = || ExportError::UnknownFormat { name: name.to_string() };
    FORMATS.iter().find(|format| format.name == name).ok_or_else(unknown)
}
