//! The integration tests, one module per subject; one binary links faster than many.

#[path = "../../../lp/tests/it/common/mod.rs"]
mod common;
mod instances;
mod rounding;
