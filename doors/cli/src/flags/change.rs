//! The option `--change`.

use clap::Args;

/// Changes of a platform.
#[derive(Debug, Clone, Default, Args)]
pub struct ChangeArguments {
    /// A change of the platform before it is asked about, such as 'tor3 -> core: bandwidth x2', 'a: remove';
    /// repeatable ('oneport whatif --help' has the grammar).
    #[arg(long = "change", value_name = "CHANGE", allow_hyphen_values = true)]
    pub changes: Vec<String>,
}
