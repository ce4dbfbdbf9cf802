//! The integration tests, one module per subject; one binary links faster than many.

#[path = "../../../lp/tests/it/common/mod.rs"]
mod common;
mod follow;
mod models;
mod port_models;
mod reductions;
mod slots;
mod trees;
