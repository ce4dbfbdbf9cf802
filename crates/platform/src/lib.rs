#![doc = include_str!("../README.md")]

mod change;
mod error;
pub mod gadget;
pub mod generate;
mod lists;
mod model;
mod nodes;
mod platform;
mod symmetry;

pub use change::{Change, Changed, Number};
pub use error::PlatformError;
pub use lists::{Links, Nodes};
pub use model::{ParsePortModelError, PortModel};
pub use nodes::{Delays, Link, LinkId, Node, NodeId};
pub use oneport_numbers::{NumberError, Rational, Units, decimal, decimal_down, parse_rational, percent, units};
pub use petgraph;
pub use platform::{Platform, PlatformBuilder};
pub use symmetry::{Automorphism, free_automorphisms};
