//! Computes and formats the answers that several commands share: above the options, below the commands.

pub mod answer;
pub mod bottleneck;
pub mod checked;
pub mod chosen;
#[cfg(any(feature = "exports", feature = "rings"))]
pub mod mixed;
pub mod optimum;
pub mod reduction;
#[cfg(feature = "drawings")]
pub mod windows;
