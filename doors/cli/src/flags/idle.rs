//! The option `--idle`.

use clap::ValueEnum;

/// Treatment of processors that take no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Idle {
    /// They are left out, with their links.
    Out,
    /// They forward, and merge.
    Forward,
}

impl From<Idle> for oneport_questions::Idle {
    fn from(idle: Idle) -> Self {
        match idle {
            Idle::Out => oneport_questions::Idle::Out,
            Idle::Forward => oneport_questions::Idle::Forward,
        }
    }
}
