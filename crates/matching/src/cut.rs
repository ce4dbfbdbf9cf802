//! Does so much flow? Else, which cut is in the way?

use num_bigint::BigUint;
use num_traits::Zero;

use crate::general::{Flow, Number, directed_flow};

/// Whether at least `limit` can flow from `source` to `sink` along directed arcs `(from, to, capacity)`: `None` if so,
/// else the nodes on the source's side of a minimum cut, whose leaving arcs have less capacity together than `limit`.
/// Arcs of nodes that do not exist carry nothing; from a node to itself anything flows.
///
/// Dinic's algorithm in machine integers where sums fit, `O(n^2 m)`, in practice a few searches of the graph.
///
/// ```
/// use num_bigint::BigUint;
/// use oneport_matching::minimum_cut;
/// let arcs = [(0, 1, BigUint::from(3u32)), (0, 2, BigUint::from(2u32)), (1, 2, BigUint::from(1u32))];
/// assert_eq!(minimum_cut(3, &arcs, 0, 2, &BigUint::from(3u32)), None);
/// assert_eq!(minimum_cut(3, &arcs, 0, 2, &BigUint::from(4u32)), Some(vec![true, true, false]));
/// ```
pub fn minimum_cut(
    nodes: usize,
    arcs: &[(usize, usize, BigUint)],
    source: usize,
    sink: usize,
    limit: &BigUint,
) -> Option<Vec<bool>> {
    if source >= nodes || sink >= nodes || source == sink || limit.is_zero() {
        return None;
    }
    let total: BigUint = arcs.iter().map(|(_, _, capacity)| capacity).sum::<BigUint>() + limit;
    match total.bits() {
        0..64 => narrowed::<u64>(nodes, arcs, source, sink, limit),
        64..128 => narrowed::<u128>(nodes, arcs, source, sink, limit),
        _ => narrowed::<BigUint>(nodes, arcs, source, sink, limit),
    }
}

/// The same in numbers in which all capacities fit.
fn narrowed<W: Number>(
    nodes: usize,
    arcs: &[(usize, usize, BigUint)],
    source: usize,
    sink: usize,
    limit: &BigUint,
) -> Option<Vec<bool>> {
    let known = arcs.iter().filter(|(from, to, _)| *from < nodes && *to < nodes);
    let narrow = |(from, to, capacity): &(usize, usize, BigUint)| Some((*from, *to, W::exact(capacity)?));
    let arcs: Vec<(usize, usize, W)> = known.filter_map(narrow).collect();
    match directed_flow(nodes, &arcs, source, sink, &W::exact(limit)?) {
        Flow::Enough => None,
        Flow::Cut(side) => Some(side),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every answer on small graphs against all cuts.
    #[test]
    fn a_cut_is_in_the_way_or_there_is_none() {
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let mut blocked = 0;
        for case in 0..600 {
            let nodes = 2 + case % 5;
            // Up to 10^30: all three kinds of integers.
            let unit =
                [BigUint::from(1u32), BigUint::from(10u32).pow(15), BigUint::from(10u32).pow(30)][case % 3].clone();
            let arcs: Vec<(usize, usize, BigUint)> = (0..draw(12))
                .map(|_| (draw(nodes as u64) as usize, draw(nodes as u64) as usize, &unit * draw(6)))
                .collect();
            let limit = &unit * draw(10);
            let leaving = |side: &[bool]| -> BigUint {
                arcs.iter().filter(|(from, to, _)| side[*from] && !side[*to]).map(|(_, _, capacity)| capacity).sum()
            };
            let sides = (0..1usize << nodes).filter(|set| set & 1 == 1 && set >> (nodes - 1) == 0);
            let least = sides.map(|set| leaving(&(0..nodes).map(|v| set >> v & 1 == 1).collect::<Vec<_>>())).min();
            match minimum_cut(nodes, &arcs, 0, nodes - 1, &limit) {
                None => assert!(least.unwrap() >= limit),
                Some(side) => {
                    assert!(side[0] && !side[nodes - 1]);
                    assert!(leaving(&side) < limit && Some(leaving(&side)) == least);
                    blocked += 1;
                }
            }
        }
        assert!(blocked > 100, "{blocked}");
    }
}
