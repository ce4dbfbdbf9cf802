//! How many messages in transit a node holds at one time.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_platform::NodeId;

/// Arrivals (+1) and departures (-1) of messages in transit, by node.
#[derive(Default)]
pub(super) struct Buffers<'r> {
    changes: BTreeMap<NodeId, Vec<(&'r BigUint, i8)>>,
}

impl<'r> Buffers<'r> {
    /// A value is at the node from one date until another.
    pub(super) fn hold(&mut self, node: NodeId, from: &'r BigUint, until: &'r BigUint) {
        if from < until {
            self.changes
                .entry(node)
                .or_default()
                .extend([(from, 1), (until, -1)]);
        }
    }

    /// The most values at one time, by node. A message that leaves when another arrives makes room for it.
    pub(super) fn peaks(self, nodes: usize) -> Vec<usize> {
        let mut peaks = vec![0; nodes];
        for (node, mut changes) in self.changes {
            changes.sort_unstable();
            let mut held: usize = 0;
            for (_, change) in changes {
                held = held.saturating_add_signed(change.into());
                if let Some(peak) = peaks.get_mut(node.index()) {
                    *peak = held.max(*peak);
                }
            }
        }
        peaks
    }
}
