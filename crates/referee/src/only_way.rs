//! Number of messages per link, on a platform on which each pair of nodes has one path.
//!
//! A tree is connected, with one link less than nodes per direction, and each link has its opposite. A message enters a
//! subtree by the link to its top.

use oneport_plan::{Goals, LinkId};
use oneport_platform::{NodeId, PerLink, PerNode};

use crate::Violation;
use crate::case::Case;

/// Messages between two checks of the watch. Trades lateness after a limit for calls. Not measured.
const OFTEN: usize = 1 << 12;

/// Per link, the number of messages on it, each executed once. `None` if there are several paths, or other demands.
pub(crate) fn messages(case: &Case<'_>) -> Result<Option<PerLink<u64>>, Violation> {
    let Some((tops, ways)) = tree(case) else {
        return Ok(None);
    };
    let mut messages = case.platform.per_link(0);
    let parent = |node: NodeId| ways[node].map(|[up, _]| case.platform.link(up).to);
    if let Some(participants) = case.exchanged() {
        let mut below = case.platform.per_node(0u64);
        for node in participants.iter() {
            below[*node] += 1;
        }
        for &node in tops.iter().rev() {
            let inside = below[node];
            let pairs = inside * (participants.len() as u64 - inside);
            for link in ways[node].iter().flatten() {
                messages[*link] += pairs;
            }
            if let Some(parent) = parent(node) {
                below[parent] += inside;
            }
        }
        return Ok(Some(messages));
    }
    // How often each node sends, and receives, less what turns round there and goes no further up.
    let mut indices = case.platform.per_node(0usize);
    for (index, node) in tops.iter().enumerate() {
        indices[*node] = index;
    }
    let mut ends = case.platform.per_node([0i64; 2]);
    for index in 0..case.demands() {
        if index % OFTEN == 0 {
            case.ask()?;
        }
        let Some(demand) = case.demand(index) else {
            return Ok(None);
        };
        let (&[source], Goals::At(target)) = (demand.operands, demand.goals) else {
            return Ok(None);
        };
        ends[source][0] += 1;
        ends[target][1] += 1;
        let (mut one, mut other) = (source, target);
        while one != other {
            // The later one is not an ancestor of the other.
            let later = if indices[one] > indices[other] {
                &mut one
            } else {
                &mut other
            };
            let Some(next) = parent(*later) else {
                return Ok(None);
            };
            *later = next;
        }
        for count in ends[one].iter_mut() {
            *count -= 1;
        }
    }
    for &node in tops.iter().rev() {
        let counts = ends[node];
        for (link, count) in ways[node].iter().flatten().zip(counts) {
            messages[*link] += count.unsigned_abs();
        }
        if let Some(parent) = parent(node) {
            for (sum, count) in ends[parent].iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
    Ok(Some(messages))
}

/// Per node, the links to its parent and back.
type Ways = PerNode<Option<[LinkId; 2]>>;

/// The nodes, each after its parent.
fn tree(case: &Case<'_>) -> Option<(Vec<NodeId>, Ways)> {
    let platform = case.platform;
    let count = platform.nodes().len();
    if platform.links().len() + 2 != 2 * count {
        return None;
    }
    let mut order: Vec<NodeId> = platform.node_ids().take(1).collect();
    let mut ways: Ways = platform.per_node(None);
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        for &down in platform.outgoing(node) {
            let child = platform.link(down).to;
            if ways[node].is_some_and(|[up, _]| platform.link(up).to == child) {
                continue;
            }
            let up = platform
                .outgoing(child)
                .iter()
                .copied()
                .find(|&up| platform.link(up).to == node)?;
            if order.first() == Some(&child) || ways[child].replace([up, down]).is_some() {
                return None;
            }
            order.push(child);
        }
        next += 1;
    }
    (order.len() == count).then_some((order, ways))
}
