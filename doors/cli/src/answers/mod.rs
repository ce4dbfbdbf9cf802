//! Computes and formats the answers that several commands share: above the options, below the commands.

pub mod answer;
pub mod bottleneck;
pub mod chosen;
pub mod in_network;
pub mod infeasible;
pub mod measured;
pub mod odd_sets;
#[cfg(feature = "compare")]
pub mod once;
pub mod optimum;
pub mod reduction;
#[cfg(feature = "drawings")]
pub mod windows;
