//! Computes and formats the answers that several commands share: above the options, below the commands.

pub mod answer;
pub mod bottleneck;
pub mod checked;
pub mod chosen;
#[cfg(feature = "compare")]
pub mod fitted;
pub mod in_network;
#[cfg(feature = "compare")]
pub mod layers;
#[cfg(feature = "compare")]
pub mod listed;
pub mod measured;
#[cfg(feature = "topologies")]
pub mod measured_file;
#[cfg(any(feature = "exports", feature = "rings"))]
pub mod mixed;
#[cfg(feature = "compare")]
pub mod nccl;
pub mod odd_sets;
#[cfg(feature = "compare")]
pub mod once;
pub mod optimum;
pub mod reduction;
#[cfg(feature = "drawings")]
pub mod windows;
