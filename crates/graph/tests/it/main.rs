//! The integration tests, one module per subject; one binary links faster than many.

mod arborescence;
mod steiner;
