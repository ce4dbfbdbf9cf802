//! Separates the gathering theorem's inequalities for [`cutting_planes`]: transfers that merges inside sets of nodes
//! need from outside. Slow merges and slow entries into sets together imply a limit that neither implies alone. (The
//! theorem: `oneport_plan::inequality::Gathering`.)
//!
//! A set that is violated most is a minimum cut for each participant that may be inside.
//!
//! [`cutting_planes`]: super::cutting_planes

use oneport_numbers::Exact;
use oneport_plan::inequality::{Direction, Gathering};
use oneport_platform::NodeId;

use super::partition::Partitions;
use crate::LpError;

/// Sets entered by fewer transfers than the merges inside need, at most one for each participant that must be inside.
/// All numbers are multiples of `1 / one`. Violations of at most `slack` are ignored.
///
/// # Errors
/// [`LpError::Stopped`] by the watch.
pub(super) fn violated<N: Exact>(
    partitions: &Partitions<'_>,
    transfers: &[N],
    wanted: &[(NodeId, N)],
    one: &N,
    slack: &N,
) -> Result<Vec<Gathering>, LpError> {
    debug_assert!(partitions.direction() == Direction::Into);
    let mut values = wanted.to_vec();
    for (node, value) in &mut values {
        if partitions.participants().contains(node) {
            *value -= one;
        }
    }
    let mut least = one.plus(one);
    least -= slack;
    let mut found = Vec::new();
    for &participant in partitions.participants() {
        let (entering, nodes) = partitions.closest(transfers, &values, participant)?;
        let set = Gathering { nodes };
        if entering < least && !found.contains(&set) {
            found.push(set);
        }
    }
    Ok(found)
}
