//! The integration tests, one module per subject; one binary links faster than many.

mod all_reduce_bound;
mod anytime;
mod broadcast;
mod common;
mod families;
mod groups;
mod half_duplex;
mod in_order;
mod models;
mod paths;
mod reductions;
mod scan;
mod ssr;
mod symmetric;
mod theorems;
