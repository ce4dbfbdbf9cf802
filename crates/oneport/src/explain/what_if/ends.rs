//! Ports at the other ends of faster links that must become faster, too.

use std::collections::BTreeSet;

use oneport_platform::{Change, LinkId, NodeId, Platform, PlatformError, PortModel, Rational};

/// Returns the nodes with ports at which some links become faster than every link was before, but not all links become
/// faster: the changes are meant for the other ends of these links, and need faster ports at these nodes, too.
/// Ascending. `O((n + m) log (n + m))` for `n` nodes and `m` links.
///
/// # Errors
/// Those of [`Platform::changed`].
pub fn outgrown(platform: &Platform, changes: &[Change]) -> Result<Vec<NodeId>, PlatformError> {
    let changed = platform.changed(changes)?;
    let new_cost = |link: LinkId| -> Option<&Rational> {
        let kept = changed.links.get(link.index()).copied().flatten()?;
        Some(&changed.platform.link(kept).cost)
    };
    let old = |link: LinkId| &platform.link(link).cost;
    let faster: BTreeSet<LinkId> = platform
        .link_ids()
        .filter(|&link| new_cost(link).is_some_and(|cost| cost < old(link)))
        .collect();
    let grows = |&node: &NodeId| {
        let links = platform.links_at(&[node]);
        let Some(least) = links.iter().map(|&link| old(link)).min() else {
            return false;
        };
        let above = |link: &LinkId| {
            faster.contains(link) && new_cost(*link).is_some_and(|cost| cost < least)
        };
        platform.model_of(node) != PortModel::Links
            && !links.iter().all(|link| faster.contains(link))
            && links.iter().any(above)
    };
    Ok(platform.node_ids().filter(grows).collect())
}
