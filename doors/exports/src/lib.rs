#![doc = include_str!("../README.md")]

mod chakra;
mod error;
mod events;
mod fitting;
mod format;
mod goal;
mod graph;
mod hops;
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
mod sharing;
mod simgrid;
mod single;
mod text;

pub use error::ExportError;
pub use format::Format;
pub use mpi::preload::{Preloaded, preload};
pub use mscclpp::register::registered;
pub use oneport_plan::{PeriodicSchedule, Problem};
pub use request::{File, Pieces, Request, Written};
pub use results::{Served, results};
pub use single::SingleRun;

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
    mscclpp::register::FORMAT,
    msccl::FORMAT,
    chakra::FORMAT,
    simgrid::FORMAT,
    mpi::FORMAT,
    mpi::preload::PRELOAD,
];

/// The format of this name.
///
/// # Errors
/// No format has the name. The error lists all formats.
pub fn format(name: &str) -> Result<&'static Format, ExportError> {
    let unknown = || {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        ExportError::UnknownFormat {
            name: name.to_string(),
            known: known.join(", "),
        }
    };
    FORMATS
        .iter()
        .find(|format| format.name == name)
        .ok_or_else(unknown)
}
