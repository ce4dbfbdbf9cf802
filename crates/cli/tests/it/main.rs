//! The integration tests, one module per subject; one binary links faster than many.

mod all_reduce;
mod collectives;
mod common;
mod limits;
mod plans;
mod platforms;
mod reduce;
mod single;
mod solve;
