//! Cells of a plan: nodes by name, links by number, lists.

use std::fmt::Write as _;

use oneport_platform::{LinkId, NodeId, Platform};

use super::demand::Demands;
use crate::error::FormatError;
use crate::json::Json;
use crate::native::quote;

/// The platform and demands that a certificate refers to.
#[derive(Clone, Copy)]
pub(super) struct Reader<'c> {
    pub platform: &'c Platform,
    pub demands: &'c Demands<'c>,
}

/// A link of the platform, by its number.
pub(super) fn link_number(
    value: &Json<'_, '_>,
    platform: &Platform,
) -> Result<LinkId, FormatError> {
    value.index("link", platform.links().len()).map(LinkId::new)
}

/// A list of links.
pub(super) fn links_of(
    list: &Json<'_, '_>,
    platform: &Platform,
) -> Result<Vec<LinkId>, FormatError> {
    let mut links = Vec::new();
    list.each(|_, link| {
        links.push(link_number(&link, platform)?);
        Ok(())
    })?;
    Ok(links)
}

/// A list of objects, one a line.
pub(super) fn list<T>(
    out: &mut String,
    indent: &str,
    name: &str,
    entries: &[T],
    mut entry: impl FnMut(&mut String, &T),
) {
    let _ = write!(out, "{indent}\"{name}\": [");
    for (index, value) in entries.iter().enumerate() {
        let _ = write!(out, "{}\n{indent}  {{", if index == 0 { "" } else { "," });
        entry(out, value);
        out.push('}');
    }
    let _ = write!(out, "\n{indent}]");
}

/// `"links": [...]`.
pub(super) fn link_list(out: &mut String, links: &[LinkId]) {
    out.push_str("\"links\": [");
    for (index, link) in links.iter().enumerate() {
        let _ = write!(out, "{}{link}", if index == 0 { "" } else { "," });
    }
    out.push(']');
}

/// `"key": ["a", "b"]`.
pub(super) fn node_list(out: &mut String, platform: &Platform, key: &str, nodes: &[NodeId]) {
    let names: Vec<String> = nodes.iter().map(|&node| name(platform, node)).collect();
    let _ = write!(out, "\"{key}\": [{}]", names.join(", "));
}

/// The node's name in quotes, `null` for a node of nowhere.
pub(super) fn name(platform: &Platform, node: NodeId) -> String {
    platform
        .nodes()
        .get(node.index())
        .map_or_else(|| "null".to_string(), |node| quote(&node.name))
}
