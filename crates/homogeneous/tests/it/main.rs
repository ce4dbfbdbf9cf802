//! The integration tests, one module per subject; one binary links faster than many.

mod bounds;
mod broadcast;
mod common;
mod optimal;
mod questions;
mod release;
mod schedules;
