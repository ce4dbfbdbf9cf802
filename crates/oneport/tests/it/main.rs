//! The integration tests, one module per subject; one binary links faster than many.

#[path = "../../../lp/tests/it/common/mod.rs"]
mod common;
mod custom;
mod limits;
mod nasty;
mod periods;
mod pipeline;
#[path = "../../examples/nasty/questions.rs"]
mod questions;
mod smallest;
