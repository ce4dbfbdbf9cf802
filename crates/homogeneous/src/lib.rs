#![doc = include_str!("../README.md")]
//!
//! | the paper | here |
//! |---|---|
//! | elements `n`, machines | values, processors |
//! | `d`, `c` | [`EqualCosts::transfer`], [`EqualCosts::compute`] |
//! | child `c_i` (to whom `i` sends) | receiver |
//! | `max(d, c)` | step: between two deliveries to one processor, read backwards |
//! | `d + c` | detour: from a processor's first chance to the first chance of its deliverer |
//! | sink | root |
//!
//! Read backwards from its end, a schedule is a growing set of processors: one that is there at `s` can be given a
//! child, there at `s + d + c`, and further ones every `max(d, c)`. Deviations from the paper:
//!
//! 1. Algorithms 1 and 3 need no heap: the dates of *fresh* processors (without children) and of *used* ones ascend
//!    in the order of their making, so two queues do, and equal dates are handled as one batch.
//! 2. Algorithm 2, line 14, reads `t_i <- t_n - t_i`, without `+ c`. Also `t_(i-K) = 0` holds for `i - K <= 1`.
//! 3. Proposition 8 and Corollary 11 are corrected, see [`bounds::limited`].
//! 4. Ties are broken by a [`Tie`] rule. The paper leaves them open, and its figure 2 depends on them.

pub mod bounds;
mod broadcast;
mod costs;
mod count;
mod delivered;
mod error;
mod given;
mod lengths;
mod reduce;
pub mod reference;
pub mod release;
mod root;
mod sequences;
mod shape;
mod sides;
mod strategy;
mod time;
mod transfers;
mod tree;

pub use broadcast::broadcast;
pub use costs::EqualCosts;
pub use count::{Within, values_within};
pub use delivered::{Extent, delivered, extent};
pub use error::Error;
pub use given::{reduce_tree, tree_length};
pub use lengths::lengths;
pub use oneport_plan::{Broadcast, Concurrency, Dates, Reduction};
pub use oneport_platform::{Rational, whole};
pub use reduce::Reduce;
pub use release::{Released, reduce_released};
pub use root::{Neighbours, neighbours_at, reduce_at};
pub use sides::reduce_around;
pub use strategy::{MOST_WRITTEN, Strategy, Tie};
