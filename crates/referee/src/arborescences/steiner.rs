//! The cheapest arborescence that reaches some of the nodes: exactly if that is cheap, else from below.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use oneport_plan::Certificate;

use super::arborescence::spanning;
use super::network::{Network, Weight};

/// Limit: subsets are enumerated up to this many targets, or up to this many nodes that are not targets.
const SMALL: usize = Certificate::SMALL;

/// The price of the cheapest arborescence, or a lower bound of it: see [`bound`](crate::bound). All targets are in
/// reach.
pub(crate) fn cheapest<T: Weight>(network: &Network<T>) -> T {
    let optional = network.nodes - 1 - network.targets.len();
    if optional == 0 {
        spanning(network.nodes, network.source, network.arcs.clone()).unwrap_or_else(T::zero)
    } else if network.targets.len() <= SMALL {
        sets_of_targets(network)
    } else if optional <= SMALL {
        sets_of_others(network)
    } else {
        dual_ascent(network).max(longest_path(network))
    }
}

/// Dreyfus and Wagner (1972) with directed arcs: `f[S][v]`, the least price of reaching the targets `S` from `v`, is
/// that of a path to some node where `S` is split in two. O(3^targets nodes + 2^targets arcs log nodes).
fn sets_of_targets<T: Weight>(network: &Network<T>) -> T {
    let entering = entering(network);
    let full = (1usize << network.targets.len()) - 1;
    let mut least: Vec<Vec<Option<T>>> = vec![vec![None; network.nodes]; full + 1];
    for set in 1..=full {
        let mut here: Vec<Option<T>> = vec![None; network.nodes];
        if set.is_power_of_two() {
            here[network.targets[set.trailing_zeros() as usize]] = Some(T::zero());
        }
        // The lowest target is in the first half: every pair once.
        let rest = set & (set - 1);
        let mut other = rest;
        while other != 0 {
            for (node, here) in here.iter_mut().enumerate() {
                if let (Some(one), Some(two)) = (&least[set ^ other][node], &least[other][node]) {
                    let mut both = one.clone();
                    both += two;
                    if here.as_ref().is_none_or(|here| both < *here) {
                        *here = Some(both);
                    }
                }
            }
            other = (other - 1) & rest;
        }
        spread(network, &entering, &mut here);
        least[set] = here;
    }
    least
        .pop()
        .and_then(|mut least| least.swap_remove(network.source))
        .unwrap_or_else(T::zero)
}

/// Shortens each entry to the least of a path to another node plus that node's entry.
fn spread<T: Weight>(network: &Network<T>, entering: &[Vec<usize>], entries: &mut [Option<T>]) {
    let known = entries.iter().enumerate();
    let mut heap: BinaryHeap<_> = known
        .filter_map(|(node, entry)| Some(Reverse((entry.clone()?, node))))
        .collect();
    while let Some(Reverse((entry, node))) = heap.pop() {
        if entries[node].as_ref().is_some_and(|known| *known < entry) {
            continue;
        }
        for &arc in &entering[node] {
            let (from, _, length) = &network.arcs[arc];
            let mut longer = entry.clone();
            longer += length;
            if entries[*from].as_ref().is_none_or(|known| longer < *known) {
                entries[*from] = Some(longer.clone());
                heap.push(Reverse((longer, *from)));
            }
        }
    }
}

/// Per node: the indices of the arcs that enter it.
fn entering<T>(network: &Network<T>) -> Vec<Vec<usize>> {
    let mut entering = vec![Vec::new(); network.nodes];
    for (arc, (_, to, _)) in network.arcs.iter().enumerate() {
        entering[*to].push(arc);
    }
    entering
}

/// The cheapest of the arborescences that span source, targets and some of the other nodes. O(2^others nodes arcs).
fn sets_of_others<T: Weight>(network: &Network<T>) -> T {
    let is_other =
        |node: &usize| *node != network.source && network.targets.binary_search(node).is_err();
    let others: Vec<usize> = (0..network.nodes).filter(is_other).collect();
    let mut best: Option<T> = None;
    for set in 0..1usize << others.len() {
        let mut numbers = vec![None; network.nodes];
        let left_out = |node| {
            others
                .binary_search(&node)
                .is_ok_and(|index| set >> index & 1 == 0)
        };
        let mut count = 0;
        for node in (0..network.nodes).filter(|&node| !left_out(node)) {
            numbers[node] = Some(count);
            count += 1;
        }
        let inside = network.arcs.iter().filter_map(|(from, to, length)| {
            Some((numbers[*from]?, numbers[*to]?, length.clone()))
        });
        let price =
            numbers[network.source].and_then(|source| spanning(count, source, inside.collect()));
        if let Some(price) = price
            && best.as_ref().is_none_or(|best| price < *best)
        {
            best = Some(price);
        }
    }
    best.unwrap_or_else(T::zero)
}

/// Wong (1984): while some target is not reached over free arcs, the nodes that reach it over free arcs raise their
/// price, by as much as the shortest arc that enters them, and all arcs that enter them become that much shorter. The
/// sum of these prices is what cuts weigh together that charge no arc for more than its length: see [`crate::cuts`].
///
/// The fewer nodes, the fewer arcs become shorter: smallest sets first. O(arcs^2).
fn dual_ascent<T: Weight>(network: &Network<T>) -> T {
    let entering = entering(network);
    let mut lengths: Vec<T> = network
        .arcs
        .iter()
        .map(|(_, _, length)| length.clone())
        .collect();
    let mut total = T::zero();
    // Sets only grow, so an old size is a lower bound.
    let mut open: BinaryHeap<_> = network
        .targets
        .iter()
        .map(|&target| Reverse((1, target)))
        .collect();
    while let Some(Reverse((_, target))) = open.pop() {
        let mut inside = vec![false; network.nodes];
        let (mut size, mut cut, mut walk) = (0, Vec::new(), vec![target]);
        inside[target] = true;
        while let Some(node) = walk.pop() {
            size += 1;
            for &arc in &entering[node] {
                let from = network.arcs[arc].0;
                if !lengths[arc].is_zero() {
                    cut.push(arc);
                } else if !std::mem::replace(&mut inside[from], true) {
                    walk.push(from);
                }
            }
        }
        if inside[network.source] {
            continue;
        }
        if open.peek().is_some_and(|Reverse((other, _))| *other < size) {
            open.push(Reverse((size, target)));
            continue;
        }
        cut.retain(|&arc| !inside[network.arcs[arc].0]);
        let Some(raise) = cut.iter().map(|&arc| &lengths[arc]).min().cloned() else {
            continue;
        };
        for &arc in cut.iter() {
            lengths[arc] -= &raise;
        }
        total += &raise;
        open.push(Reverse((size, target)));
    }
    total
}

/// The longest of the shortest paths to the targets.
fn longest_path<T: Weight>(network: &Network<T>) -> T {
    let mut leaving = vec![Vec::new(); network.nodes];
    for (from, to, length) in &network.arcs {
        leaving[*from].push((*to, length));
    }
    let mut best: Vec<Option<T>> = vec![None; network.nodes];
    let mut heap = BinaryHeap::from([Reverse((T::zero(), network.source))]);
    best[network.source] = Some(T::zero());
    while let Some(Reverse((distance, node))) = heap.pop() {
        if best[node].as_ref().is_some_and(|best| *best < distance) {
            continue;
        }
        for &(to, length) in &leaving[node] {
            let mut longer = distance.clone();
            longer += length;
            if best[to].as_ref().is_none_or(|best| longer < *best) {
                best[to] = Some(longer.clone());
                heap.push(Reverse((longer, to)));
            }
        }
    }
    network
        .targets
        .iter()
        .filter_map(|&target| best[target].clone())
        .max()
        .unwrap_or_else(T::zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use num_traits::ToPrimitive;
    use oneport_testkit::Dice;
    use proptest::prelude::*;

    /// The least price by Dijkstra's algorithm over sets of nodes that have a copy.
    fn naive(network: &Network<u128>) -> u128 {
        let wanted = network
            .targets
            .iter()
            .fold(0usize, |set, target| set | 1 << target);
        let mut heap = BinaryHeap::from([Reverse((0u128, 1usize << network.source))]);
        let mut done = vec![false; 1 << network.nodes];
        while let Some(Reverse((price, set))) = heap.pop() {
            if set & wanted == wanted {
                return price;
            }
            if std::mem::replace(&mut done[set], true) {
                continue;
            }
            for (from, to, length) in &network.arcs {
                if set >> from & 1 == 1 && set >> to & 1 == 0 {
                    heap.push(Reverse((price + length, set | 1 << to)));
                }
            }
        }
        unreachable!("every target is in reach")
    }

    /// A ring, so that everything is in reach, and chords. Arcs into the source are left out.
    fn network(nodes: usize, source: usize, targets: u32, lengths: &[u128]) -> Network<u128> {
        let mut arcs = Vec::new();
        for from in 0..nodes {
            for to in (0..nodes).filter(|&to| to != from && to != source) {
                let length = lengths[from * nodes + to];
                if to == (from + 1) % nodes || !length.is_multiple_of(3) {
                    arcs.push((from, to, length / 3));
                }
            }
        }
        let targets = (0..nodes)
            .filter(|&node| node != source && targets >> node & 1 == 1)
            .collect();
        Network {
            nodes,
            source,
            targets,
            arcs,
        }
    }

    fn wide(network: &Network<u128>) -> Network<BigUint> {
        let arcs = network
            .arcs
            .iter()
            .map(|(from, to, length)| (*from, *to, BigUint::from(*length)))
            .collect();
        Network {
            nodes: network.nodes,
            source: network.source,
            targets: network.targets.clone(),
            arcs,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Each method against enumeration. The two bounds are below.
        #[test]
        fn every_method_finds_the_least(
            nodes in 2usize..8, source in 0usize..8, targets: u32, lengths in prop::collection::vec(0u128..40, 49),
        ) {
            let network = network(nodes, source % nodes, targets, &lengths);
            prop_assume!(!network.targets.is_empty());
            let right = naive(&network);
            prop_assert_eq!(sets_of_targets(&network), right);
            prop_assert_eq!(sets_of_others(&network), right);
            prop_assert_eq!(cheapest(&network), right);
            prop_assert_eq!(cheapest(&wide(&network)).to_u128(), Some(right));
            let (dual, path) = (dual_ascent(&network), longest_path(&network));
            prop_assert!(dual <= right && path <= right, "{} {} {}", dual, path, right);
            if network.targets.len() == 1 {
                // One target: both are its shortest path.
                prop_assert_eq!((dual, path), (right, right));
            }
            if network.targets.len() + 1 == nodes {
                prop_assert_eq!(spanning(nodes, network.source, network.arcs.clone()), Some(right));
                // Then the ascent ends at the optimum (Fulkerson 1974).
                prop_assert_eq!(dual, right);
            }
        }
    }

    /// One target or one other node more than are tried out: an exact method is taken if there is one, since
    /// prices from below prove less.
    #[test]
    fn few_targets_or_few_others_are_priced_exactly() {
        let mut dice = Dice::new(5);
        let mut roll = |below: u128| dice.below(below);
        let mut weaker = 0;
        for round in 0..24 {
            // The maximum number of others and one target more, and vice versa.
            let (others, count) = if round % 2 == 0 {
                (SMALL, SMALL + 1)
            } else {
                (SMALL + 1, SMALL)
            };
            let nodes = 1 + others + count;
            let mut arcs = Vec::new();
            for other in 1..=others {
                arcs.push((0, other, 3 + roll(4)));
                for _ in 0..3 {
                    arcs.push((other, others + 1 + roll(count as u128) as usize, roll(3)))
                }
            }
            for target in others + 1..nodes {
                arcs.push((0, target, 6));
            }
            let network = Network {
                nodes,
                source: 0,
                targets: (others + 1..nodes).collect(),
                arcs,
            };
            let exact = if round % 2 == 0 {
                sets_of_others(&network)
            } else {
                sets_of_targets(&network)
            };
            assert_eq!(cheapest(&network), exact);
            weaker += usize::from(dual_ascent(&network).max(longest_path(&network)) < exact);
        }
        assert!(weaker >= 4, "{weaker}");
    }

    /// Arborescences on more nodes, with circles within circles, against all choices of predecessors.
    #[test]
    fn circles_within_circles() {
        let mut dice = Dice::new(1);
        let mut roll = || dice.below(32_u128);
        for _ in 0..100 {
            // Two cheap triangles that an expensive cycle joins. The source is far away.
            let mut arcs = Vec::new();
            for from in 0..7 {
                for to in (1..7).filter(|&to| to != from) {
                    let near = from > 0 && (from - 1) / 3 == (to - 1) / 3;
                    arcs.push((
                        from,
                        to,
                        roll()
                            + if from == 0 {
                                300
                            } else if near {
                                0
                            } else {
                                100
                            },
                    ));
                }
            }
            let network = Network {
                nodes: 7,
                source: 0,
                targets: (1..7).collect(),
                arcs,
            };
            assert_eq!(cheapest(&network), naive(&network));
        }
    }
}
