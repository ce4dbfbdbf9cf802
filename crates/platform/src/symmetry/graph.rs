//! The platform as a coloured directed graph of small integers.

use std::collections::BTreeMap;

use crate::{NodeId, Platform};

/// What an automorphism must keep: colours of nodes, classes of links.
pub(super) struct Graph {
    /// Colour of every node: equal where compute, port model, ports, `replicates` and being a participant are.
    pub colours: Vec<u32>,
    /// Neighbours of node `v`: `neighbours[first[v]..first[v + 1]]`, both directions.
    first: Vec<u32>,
    /// The other end and a number for the cost and the direction of the link.
    neighbours: Vec<(u32, u64)>,
    /// Every link: sender, receiver, rank of its cost.
    links: Vec<(u32, u32, u32)>,
    /// The numbers of the links, sorted by sender and receiver.
    sorted: Vec<u32>,
}

/// Spreads the bits of a small number, so that sums of a few of them tell multisets apart (the finaliser of
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

impl Graph {
    /// O((n + m) log (n + m)) for `n` nodes and `m` links. `chosen` marks the participants.
    pub fn new(platform: &Platform, chosen: &[bool]) -> Self {
        let key = |id: NodeId| {
            let node = platform.node(id);
            (chosen[id.index()], &node.compute, platform.model_of(id), node.ports.unwrap_or(1), node.replicates)
        };
        let colours = ranks(platform.node_ids().map(key).collect());
        let costs = ranks(platform.links().iter().map(|link| &link.cost).collect());
        let end = |id: NodeId| u32::try_from(id.index()).unwrap_or(u32::MAX);
        let links: Vec<_> =
            platform.links().iter().zip(costs).map(|(link, cost)| (end(link.from), end(link.to), cost)).collect();
        let mut sorted: Vec<u32> = (0..links.len() as u32).collect();
        sorted.sort_unstable_by_key(|&link| links[link as usize]);
        let mut first = Vec::with_capacity(colours.len() + 1);
        let mut neighbours = Vec::with_capacity(2 * links.len());
        for id in platform.node_ids() {
            first.push(neighbours.len() as u32);
            for &link in platform.outgoing(id) {
                let (_, to, cost) = links[link.index()];
                neighbours.push((to, spread(2 * u64::from(cost))));
            }
            for &link in platform.incoming(id) {
                let (from, _, cost) = links[link.index()];
                neighbours.push((from, spread(2 * u64::from(cost) + 1)));
            }
        }
        first.push(neighbours.len() as u32);
        Graph { colours, first, neighbours, links, sorted }
    }

    pub fn nodes(&self) -> usize {
        self.colours.len()
    }

    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// The other ends of the links of `node`, each with a number for cost and direction.
    pub fn neighbours(&self, node: u32) -> &[(u32, u64)] {
        &self.neighbours[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// The image of every link if `map` (a bijection of the nodes) is an automorphism, else nothing. O(n + m log m).
    pub fn image_of_links(&self, map: &[u32]) -> Option<Vec<u32>> {
        if map.iter().zip(&self.colours).any(|(&image, &colour)| self.colours[image as usize] != colour) {
            return None;
        }
        let image = |&(from, to, cost): &(u32, u32, u32)| {
            let wanted = (map[from as usize], map[to as usize], cost);
            let place = self.sorted.binary_search_by_key(&wanted, |&link| self.links[link as usize]).ok()?;
            Some(self.sorted[place])
        };
        self.links.iter().map(image).collect()
    }
}
