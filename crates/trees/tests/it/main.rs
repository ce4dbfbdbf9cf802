//! The integration tests, one module per subject; one binary links faster than many.

mod arborescence;
mod cheapest;
mod commutative;
mod extract;
mod steiner;
