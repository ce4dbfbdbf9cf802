//! The integration tests, one module per subject; one binary links faster than many.

mod common;
mod fabrics;
mod generate;
mod symmetry;
