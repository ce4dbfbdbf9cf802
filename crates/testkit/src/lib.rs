//! Helpers shared by the tests of several crates. Only tests depend on it.

use oneport_plan::Collective;
use oneport_platform::NodeId;

/// The reductions of a reduce or a reduce-scatter, read off the collective itself.
pub trait Reductions {
    /// The owners of the values, in operand order; `None` for other collectives.
    fn operands(&self) -> Option<&[NodeId]>;
    /// Where the results are wanted, in the order of the demands; nothing for other collectives.
    fn reductions(&self) -> &[NodeId];
}

impl Reductions for Collective {
    fn operands(&self) -> Option<&[NodeId]> {
        match self {
            Collective::Reduce { participants, .. } | Collective::ReduceScatter { participants, .. } => {
                Some(participants)
            }
            _ => None,
        }
    }

    fn reductions(&self) -> &[NodeId] {
        match self {
            Collective::Reduce { target, .. } => std::slice::from_ref(target),
            Collective::ReduceScatter { participants, .. } => participants,
            _ => &[],
        }
    }
}
