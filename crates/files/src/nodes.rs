//! Nodes by name.

use oneport_platform::{NodeId, Platform};

use crate::closest::closest;
use crate::error::{FormatError, Mistake, clip};
use crate::json::Json;

/// The node that a value names.
pub(crate) fn find(value: &Json<'_, '_>, platform: &Platform) -> Result<NodeId, FormatError> {
    let name = value.string()?;
    platform.find(&name).ok_or_else(|| {
        let close = closest(
            &name,
            platform.nodes().iter().map(|node| node.name.as_str()),
        );
        value.fail(Mistake::UnknownNode {
            name: clip(&name),
            close,
        })
    })
}
