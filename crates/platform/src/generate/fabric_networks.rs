//! Networks of hosts: fat tree, torus, dragonfly. As in the other fabrics only links are exclusive, hosts have compute
//! 1, and switches cannot duplicate. Every link has 25 GB/s per direction (InfiniBand HDR, 200 Gbit/s).

use super::build::{check_size, refuse};
use super::fabric::{fabric, inverse, processor, switch};
use crate::{NodeId, Platform, PlatformError};

/// Fact: GB/s per direction of every link.
const BANDWIDTH: u64 = 25;

/// The fat tree of switches with `k` ports (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008, section 2): `k` pods of `k/2`
/// edge and `k/2` aggregation switches, `k/2` hosts on every edge switch, `(k/2)²` core switches. Core switches `i k/2`
/// to `(i+1) k/2 - 1` are linked to aggregation switch `i` of every pod. `k³/4` hosts, named `pod0.edge0.host0`, ....
/// Switches `pod0.edge0`, `pod0.aggregation0`, `core0`.
///
/// # Errors
/// `k` is odd or 0, or there are more nodes or links than ids can number.
///
/// # Complexity
/// O(k³ log k): `3 k³ / 4` duplex links.
///
/// ```
/// use oneport_platform::generate::fat_tree;
/// let platform = fat_tree(4)?;
/// assert_eq!((platform.processors().count(), platform.nodes().len()), (16, 36));
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn fat_tree(k: usize) -> Result<Platform, PlatformError> {
    if k == 0 || !k.is_multiple_of(2) {
        return Err(refuse(
            "fat_tree",
            "k",
            k,
            "an even number of ports is needed, at least 2",
        ));
    }
    let half = k / 2;
    let layer = half
        .checked_mul(half)
        .and_then(|square| square.checked_mul(k));
    check_size(
        layer.and_then(|hosts| hosts.checked_mul(4)),
        layer.and_then(|hosts| hosts.checked_mul(3)),
    )?;
    let mut builder = fabric();
    let mut aggregations = Vec::new();
    for pod in 0..k {
        let mut edges = Vec::new();
        for edge in 0..half {
            let edge_switch = switch(&mut builder, format!("pod{pod}.edge{edge}"))?;
            for host in 0..half {
                let host = processor(&mut builder, format!("pod{pod}.edge{edge}.host{host}"))?;
                builder.duplex(host, edge_switch, inverse(BANDWIDTH))?;
            }
            edges.push(edge_switch);
        }
        for index in 0..half {
            let aggregation = switch(&mut builder, format!("pod{pod}.aggregation{index}"))?;
            for &edge in &edges {
                builder.duplex(edge, aggregation, inverse(BANDWIDTH))?;
            }
            aggregations.push((index, aggregation));
        }
    }
    let cores: Vec<_> = (0..half * half)
        .map(|core| switch(&mut builder, format!("core{core}")))
        .collect::<Result<_, _>>()?;
    for (index, aggregation) in aggregations {
        for &core in &cores[index * half..(index + 1) * half] {
            builder.duplex(aggregation, core, inverse(BANDWIDTH))?;
        }
    }
    builder.build()
}

/// The torus of these side lengths, every node a processor: `P0`, `P1`, ... in row-major order (the last coordinate
/// runs fastest), each linked to its neighbours in every dimension, around the border. A side of 2 gives one duplex
/// link, a side of 1 none.
///
/// # Errors
/// No side, a side of 0, or more nodes or links than ids can number.
///
/// # Complexity
/// O(n d log n) for `n` nodes and `d` dimensions, with at most `n d` duplex links.
///
/// ```
/// use oneport_platform::generate::torus;
/// assert_eq!(torus(&[4, 4])?.links().len(), 64);
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn torus(sides: &[usize]) -> Result<Platform, PlatformError> {
    if sides.is_empty() {
        return Err(refuse(
            "torus",
            "sides",
            "empty",
            "at least 1 side is needed",
        ));
    }
    if let Some(index) = sides.iter().position(|&side| side == 0) {
        return Err(refuse(
            "torus",
            "sides",
            format!("0 at place {index}"),
            "every side must be at least 1",
        ));
    }
    let count = sides
        .iter()
        .try_fold(1_usize, |product, &side| product.checked_mul(side));
    check_size(
        count,
        count.and_then(|count| count.checked_mul(sides.len())),
    )?;
    let mut builder = fabric();
    let nodes: Vec<_> = (0..sides.iter().product())
        .map(|node| processor(&mut builder, format!("P{node}")))
        .collect::<Result<Vec<NodeId>, _>>()?;
    for from in 0..nodes.len() {
        let mut stride = nodes.len();
        for &side in sides {
            stride /= side;
            let index = from / stride % side;
            let next = if index + 1 < side {
                from + stride
            } else {
                from - index * stride
            };
            // A side of 2 would list its only link twice.
            if side > 2 || next > from {
                builder.duplex(nodes[from], nodes[next], inverse(BANDWIDTH))?;
            }
        }
    }
    builder.build()
}

/// The dragonfly of `groups` groups of `routers` switches of `hosts` hosts (Kim, Dally, Scott, Abts, ISCA 2008, section
/// 3): the switches of a group are all linked, and so is every pair of groups, by one link. Number the other groups by
/// their distance `1, 2, ..` around the ring of groups: the switches of a group take
/// `ceil((groups - 1) / routers)` of these links each, in that order. Hosts
/// `group0.router0.host0`, ..., switches `group0.router0`, ...
///
/// # Errors
/// A number that is 0, or more nodes or links than ids can number.
///
/// # Complexity
/// O(m log m) for `m` links: `groups (routers hosts + routers (routers - 1) / 2 + (groups - 1) / 2)` duplex ones.
///
/// ```
/// use oneport_platform::generate::dragonfly;
/// let platform = dragonfly(5, 4, 2)?;
/// assert_eq!((platform.processors().count(), platform.nodes().len()), (40, 60));
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn dragonfly(groups: usize, routers: usize, hosts: usize) -> Result<Platform, PlatformError> {
    for (parameter, value) in [("groups", groups), ("routers", routers), ("hosts", hosts)] {
        if value == 0 {
            return Err(refuse(
                "dragonfly",
                parameter,
                value,
                "at least 1 is needed",
            ));
        }
    }
    let all_routers = groups.checked_mul(routers);
    let nodes = all_routers.and_then(|all| hosts.checked_add(1)?.checked_mul(all));
    let local = all_routers.and_then(|all| hosts.checked_add(routers)?.checked_mul(all));
    check_size(
        nodes,
        local.and_then(|local| groups.checked_mul(groups)?.checked_add(local)),
    )?;
    let mut builder = fabric();
    let mut switches = Vec::new();
    for group in 0..groups {
        let mut members: Vec<NodeId> = Vec::new();
        for router in 0..routers {
            let node = switch(&mut builder, format!("group{group}.router{router}"))?;
            for host in 0..hosts {
                let host = processor(
                    &mut builder,
                    format!("group{group}.router{router}.host{host}"),
                )?;
                builder.duplex(host, node, inverse(BANDWIDTH))?;
            }
            for &member in &members {
                builder.duplex(member, node, inverse(BANDWIDTH))?;
            }
            members.push(node);
        }
        switches.push(members);
    }
    let per_router = (groups - 1).div_ceil(routers);
    for from in 0..groups {
        for to in from + 1..groups {
            // `to` is at distance `to - from` from `from`, and `from` at the rest of the ring from `to`.
            let [there, back] =
                [to - from, groups - (to - from)].map(|distance| (distance - 1) / per_router);
            builder.duplex(
                switches[from][there],
                switches[to][back],
                inverse(BANDWIDTH),
            )?;
        }
    }
    builder.build()
}
