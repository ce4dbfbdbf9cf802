//! Heterogeneous platforms: processors, routers and links with exact rational costs.
//!
//! A [`Platform`] is the graph `G = (V, E, c)` of RR-4872 section 2: a directed graph whose link
//! `i -> j` is labelled with `c(i, j)`, the time to transfer a message of unit size. Nodes are
//! *processors* (they compute and keep copies) or *routers* (they only forward).
//! Every number is an exact rational: a platform is built once, validated there, and never holds a float.
//!
//! ```
//! use oneport_platform::{Platform, Node, parse_rational};
//! let mut builder = Platform::builder();
//! let a = builder.node(Node::processor("a", parse_rational("1")?))?;
//! let b = builder.node(Node::router("b"))?;
//! builder.link(a, b, parse_rational("2/3")?)?;
//! let platform = builder.build()?;
//! assert_eq!(platform.outgoing(a).len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
