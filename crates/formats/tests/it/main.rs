//! The integration tests, one module per subject; one binary links faster than many.

mod amounts;
mod collectives;
mod common;
mod hostile;
mod plans;
mod platforms;
mod reductions;
