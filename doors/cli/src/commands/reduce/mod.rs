//! `oneport reduce`: the shortest schedule of one reduction executed once.

mod answer;
mod everywhere;
mod heterogeneous;
mod homogeneous;
mod own;
mod rank;
mod read;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::words::exit::End;
use heterogeneous::HeterogeneousArguments;
use homogeneous::HomogeneousArguments;

/// Find the shortest schedule of one reduction executed once.
#[derive(Debug, Args)]
pub struct ReduceArguments {
    /// Equal costs or unequal speeds.
    #[command(subcommand)]
    pub model: ReduceModel,
}

/// The two models of costs.
#[derive(Debug, Subcommand)]
pub enum ReduceModel {
    /// Equal costs: every transfer takes D, every merge C; processors merge while they receive (RR-7898).
    Homogeneous(HomogeneousArguments),
    /// Unequal speeds: a transfer takes its sender's time, merging included (Liu-Kuo-Wang 2009).
    Heterogeneous(HeterogeneousArguments),
}

/// Runs the command.
pub fn run(arguments: &ReduceArguments) -> Result<End> {
    match &arguments.model {
        ReduceModel::Homogeneous(arguments) => homogeneous::run(arguments),
        ReduceModel::Heterogeneous(arguments) => heterogeneous::run(arguments),
    }
}
