//! Platform generators, deterministic per seed.
//!
//! | family | functions |
//! |---|---|
//! | regular graphs | [`complete`], [`ring`], [`grid`], [`star`] |
//! | random graphs | [`random_connected`] |
//! | three-tier networks | [`tiers::generate`], [`tiers::instantiate`] |
//! | accelerators | [`dgx1`], [`ndv2`], [`dgx_a100`], [`dgx_h100`], [`dgx_b200`], [`gb200_nvl72`], [`mi250`], [`mi300x`], [`switched_boxes`] |
//! | networks of hosts | [`fat_tree`], [`torus`], [`dragonfly`] |
//! | clusters | [`racks`] |
//!
//! Every link is duplex with the same cost in both directions (except in the network of [`ndv2`]), and every generated
//! graph is connected. The first two families make every node a processor. Accelerators and networks of hosts draw no
//! numbers.
//!
//! **Randomness.** Numbers come from the ChaCha8 key stream whose key is the seed in little-endian bytes followed by 24
//! zero bytes. Graph shape, compute costs and link costs use separate streams (the nonces 0, 1 and 2, and 3 for Tiers
//! hosts), so another cost range leaves the graph unchanged. An integer below `n` is a 64-bit word modulo `n`, words of
//! the incomplete last round being skipped. The same seed therefore gives the same bytes with every version of the
//! `rand` crates and on every machine.

mod build;
mod draw;
mod fabric;
mod fabric_networks;
mod racks;
mod random;
mod regular;
pub mod tiers;

pub use fabric::{
    SwitchedBoxes, dgx_a100, dgx_b200, dgx_h100, dgx1, gb200_nvl72, mi250, mi300x, ndv2,
    switched_boxes,
};
pub use fabric_networks::{dragonfly, fat_tree, torus};
pub use racks::{Racks, racks};
pub use random::random_connected;
pub use regular::{complete, grid, ring, star};

use num_traits::Signed;

use crate::{PlatformError, Rational, whole};
use draw::Draw;

/// How costs are drawn. The costs of links (time per unit of message) and of compute (time per unit of work).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Costs {
    /// Every cost is this number, which must be positive.
    Constant(Rational),
    /// Integers drawn uniformly and independently, both ends included. `1 <= low <= high`.
    Uniform {
        /// Smallest cost.
        low: u64,
        /// Largest cost.
        high: u64,
    },
}

/// Options shared by the regular and the random generators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Decides the random graph and every drawn cost.
    pub seed: u64,
    /// One draw per duplex link, in the order of the links.
    pub link_cost: Costs,
    /// One draw per node, in the order of the nodes.
    pub compute: Costs,
}

impl Default for Options {
    /// Seed 1, link and compute costs uniform on 1..=10.
    fn default() -> Self {
        let costs = Costs::Uniform { low: 1, high: 10 };
        Options {
            seed: 1,
            link_cost: costs.clone(),
            compute: costs,
        }
    }
}

impl Costs {
    /// Refuses costs that could be zero or negative, and empty ranges.
    fn check(&self, generator: &'static str, parameter: &'static str) -> Result<(), PlatformError> {
        let (value, expected) = match self {
            Costs::Constant(cost) if !cost.is_positive() => {
                (cost.to_string(), "a constant cost must be positive")
            }
            Costs::Uniform { low, high } if *low == 0 || low > high => (
                format!("{low}..={high}"),
                "uniform costs need 1 <= low <= high",
            ),
            _ => return Ok(()),
        };
        Err(PlatformError::BadParameter {
            generator,
            parameter,
            value,
            expected,
        })
    }

    /// One cost. Call [`Self::check`] first.
    fn draw(&self, draw: &mut Draw) -> Rational {
        match self {
            Costs::Constant(cost) => cost.clone(),
            Costs::Uniform { low, high } => whole(draw.between(*low, *high)),
        }
    }
}
