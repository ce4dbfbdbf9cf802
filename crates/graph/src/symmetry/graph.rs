//! The graph as a coloured directed graph of small integers.

use std::collections::BTreeMap;

use petgraph::visit::{IntoEdgeReferences, NodeCompactIndexable};

use crate::Digraph;

/// The structure that an automorphism keeps: colours of nodes, classes of links.
pub(super) struct Graph {
    /// Colour of every node: equal if the keys are equal and both or neither is a point.
    pub colours: Vec<u32>,
    /// Neighbours of node `v`: `neighbours[first[v]..first[v + 1]]`, both directions.
    first: Vec<u32>,
    /// The other end and a number for the class and the direction of the link.
    neighbours: Vec<(u32, u64)>,
    /// Every link: sender, receiver, class.
    links: Vec<(u32, u32, u32)>,
    /// The numbers of the links, sorted by sender and receiver.
    sorted: Vec<u32>,
}

/// Spreads the bits of a small number, so that sums of a few of them distinguish multisets (the finaliser of
/// SplitMix64). A collision would only make a partition coarser: every automorphism is verified link by link.
pub(super) fn spread(value: u64) -> u64 {
    let mut z = value.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The rank of every key among the distinct keys.
fn ranks<K: Ord>(keys: Vec<K>) -> Vec<u32> {
    let mut rank_of: BTreeMap<&K, u32> = keys.iter().map(|key| (key, 0)).collect();
    for (rank, value) in (0_u32..).zip(rank_of.values_mut()) {
        *value = rank;
    }
    keys.iter().map(|key| rank_of[key]).collect()
}

/// The class of every link: equal if the weights are equal and the positions among parallel links of equal weight are.
fn classes<L: Ord>(links: &[(usize, usize, L)]) -> Vec<u32> {
    let mut copies: BTreeMap<(usize, usize, &L), usize> = BTreeMap::new();
    let mut copy = |(from, to, weight)| {
        let count = copies.entry((from, to, weight)).or_default();
        *count += 1;
        *count
    };
    ranks(
        links
            .iter()
            .map(|(from, to, weight)| (weight, copy((*from, *to, weight))))
            .collect(),
    )
}

impl Graph {
    /// `O((n + m) log (n + m))` for `n` nodes and `m` links. `chosen` marks the points that the group moves.
    pub(super) fn new<G, K: Ord, L: Ord>(
        graph: G,
        mut node: impl FnMut(G::NodeId) -> K,
        link: impl FnMut(G::EdgeRef) -> L,
        chosen: &[bool],
    ) -> Self
    where
        G: IntoEdgeReferences + NodeCompactIndexable,
    {
        let key = |index: usize| (chosen[index], node(graph.from_index(index)));
        let colours = ranks((0..graph.node_count()).map(key).collect());
        let (net, _) = Digraph::of(graph, link);
        let end = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let ends = net.arcs().iter().map(|&(from, to, _)| (end(from), end(to)));
        let links: Vec<_> = ends
            .zip(classes(net.arcs()))
            .map(|((from, to), class)| (from, to, class))
            .collect();
        let mut sorted: Vec<u32> = (0..links.len() as u32).collect();
        sorted.sort_unstable_by_key(|&link| links[link as usize]);
        let mut first = Vec::with_capacity(colours.len() + 1);
        let mut neighbours = Vec::with_capacity(2 * links.len());
        for node in 0..colours.len() {
            first.push(neighbours.len() as u32);
            for &link in &net.out[node] {
                let (_, to, class) = links[link];
                neighbours.push((to, spread(2 * u64::from(class))));
            }
            for &link in &net.into[node] {
                let (from, _, class) = links[link];
                neighbours.push((from, spread(2 * u64::from(class) + 1)));
            }
        }
        first.push(neighbours.len() as u32);
        Graph {
            colours,
            first,
            neighbours,
            links,
            sorted,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.colours.len()
    }

    pub(super) fn links(&self) -> usize {
        self.links.len()
    }

    /// Sender, receiver and class of a link.
    pub(super) fn link(&self, link: usize) -> Option<(u32, u32, u32)> {
        self.links.get(link).copied()
    }

    /// The other ends of the links of `node`, each with a number for class and direction.
    pub(super) fn neighbours(&self, node: u32) -> &[(u32, u64)] {
        &self.neighbours[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// The image of every link if `map` (a bijection of the nodes) is an automorphism, else nothing. O(n + m log m).
    pub(super) fn image_of_links(&self, map: &[u32]) -> Option<Vec<u32>> {
        if map
            .iter()
            .zip(&self.colours)
            .any(|(&image, &colour)| self.colours[image as usize] != colour)
        {
            return None;
        }
        let image = |&(from, to, class): &(u32, u32, u32)| {
            let wanted = (map[from as usize], map[to as usize], class);
            let position = self
                .sorted
                .binary_search_by_key(&wanted, |&link| self.links[link as usize])
                .ok()?;
            Some(self.sorted[position])
        };
        self.links.iter().map(image).collect()
    }
}
