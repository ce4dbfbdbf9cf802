#![doc = include_str!("../README.md")]

mod error;
pub mod generate;
mod model;
mod number;
mod platform;
mod symmetry;

pub use error::PlatformError;
pub use model::{ParsePortModelError, PortModel};
pub use number::{NumberError, parse_rational};
pub use platform::{Link, LinkId, Node, NodeId, Platform, PlatformBuilder};
pub use symmetry::{Automorphism, free_automorphisms};

/// The public rational type of oneport: arbitrary precision, always in lowest terms.
pub type Rational = num_rational::BigRational;
