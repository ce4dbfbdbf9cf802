//! Reports that messages cannot arrive.

use oneport::{Commodity, Platform};

use crate::words::output::{MORE, few};

/// The error that messages cannot arrive, with the first five of them.
pub fn infeasible(collective: &str, names: &[String]) -> String {
    let shown = few(names, 5, MORE);
    format!(
        "{collective} is infeasible: no path {shown}; connect the nodes, or leave them out of the collective"
    )
}

/// The source and target of each message: `from 'a' to 'b'`.
pub fn unreachable(platform: &Platform, commodities: &[Commodity]) -> Vec<String> {
    let name = |commodity: &Commodity| {
        format!(
            "from '{}' to '{}'",
            platform.name(commodity.source),
            platform.name(commodity.target)
        )
    };
    commodities.iter().map(name).collect()
}
