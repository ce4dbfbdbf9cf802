//! The integration tests, one module per subject; one binary links faster than many.

mod broadcast;
mod common;
mod earliest;
mod search;
mod shortest;
mod slots;
mod slowest_first;
mod two_classes;
