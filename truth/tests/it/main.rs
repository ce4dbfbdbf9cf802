//! The integration tests, one module per subject. One binary links faster than many.

mod harness;
mod oracle;
