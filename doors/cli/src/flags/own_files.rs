//! The stand-in for `topology` in a build without other programs' topologies.

use clap::Args;
use oneport_questions::Reading;

/// No options: platform files of ours leave nothing open.
#[derive(Debug, Clone, Default, Args)]
pub struct TopologyArguments {}

impl TopologyArguments {
    /// Nothing is left open.
    pub fn reading(&self) -> Reading {
        Reading::default()
    }
}
