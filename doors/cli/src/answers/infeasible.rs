//! Reports that messages cannot arrive.

use oneport::{Commodity, Platform};

/// The error that messages cannot arrive, with the first five of them.
pub fn infeasible(collective: &str, names: &[String]) -> String {
    let shown = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() > 5 { format!(" and {} more", names.len() - 5) } else { String::new() };
    format!("{collective} is infeasible: no path {shown}{more}; connect the nodes, or leave them out of the collective")
}

/// The source and target of each message: `from 'a' to 'b'`.
pub fn unreachable(platform: &Platform, commodities: &[Commodity]) -> Vec<String> {
    let name = |commodity: &Commodity| {
        format!("from '{}' to '{}'", platform.name(commodity.source), platform.name(commodity.target))
    };
    commodities.iter().map(name).collect()
}
