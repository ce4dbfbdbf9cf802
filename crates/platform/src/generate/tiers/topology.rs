//! Drawing the three-tier network.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::build::refuse;
use super::super::draw::{Draw, Purpose};
use super::{NAME, SIDE, Tier, TiersParameters};
use crate::PlatformError;

/// The purpose of an edge. The discriminants are the codes of Tiers' output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeState {
    /// In the spanning tree, or the star, of a network.
    Tree = 1,
    /// A further edge inside a network.
    Redundant = 2,
    /// The edge that ties a network to its parent node.
    Internetwork = 3,
    /// A further edge to the parent's network.
    RedundantInternetwork = 4,
}

impl EdgeState {
    /// Every state, by code.
    pub const ALL: [EdgeState; 4] = [
        EdgeState::Tree,
        EdgeState::Redundant,
        EdgeState::Internetwork,
        EdgeState::RedundantInternetwork,
    ];
}

/// A node and its position in the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TiersNode {
    /// Horizontal coordinate, in Tiers' grid. A [`Tier::unit`] is a multiple of its cell.
    pub x: i32,
    /// Vertical coordinate.
    pub y: i32,
    /// The tier of its network.
    pub tier: Tier,
}

/// An undirected edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TiersEdge {
    /// The end with the smaller id.
    pub from: usize,
    /// The end with the larger id.
    pub to: usize,
    /// The wider tier of the two ends, from which bandwidths are drawn.
    pub class: Tier,
    /// The purpose of the edge.
    pub state: EdgeState,
}

/// A three-tier network: nodes in the order of their ids, and each undirected edge once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TiersTopology {
    /// Its parameters, which define the network of each node.
    pub parameters: TiersParameters,
    /// The nodes, by id.
    pub nodes: Vec<TiersNode>,
    /// The edges: the WAN's own, then each MAN's and each LAN's own, each followed by those to the tier above.
    pub edges: Vec<TiersEdge>,
}

/// `floor(euclidean distance / unit)`, exactly. The length that the spanning trees of a tier minimise.
pub fn length(a: TiersNode, b: TiersNode, tier: Tier) -> u64 {
    // With integers, floor(sqrt(s) / u) = floor(sqrt(floor(s / u^2))).
    let unit = u64::from(tier.unit());
    let squared = squared_distance(a, b);
    match u64::try_from(squared) {
        Ok(squared) => (squared / (unit * unit)).isqrt(),
        Err(_) => (squared / u128::from(unit * unit)).isqrt() as u64,
    }
}

/// Needs up to 65 bits.
fn squared_distance(a: TiersNode, b: TiersNode) -> u128 {
    let (x, y) = (u128::from(a.x.abs_diff(b.x)), u128::from(a.y.abs_diff(b.y)));
    x * x + y * y
}

/// Draws a three-tier network. The [module page](super) states the rules.
///
/// # Errors
/// `wans` is not 1. A network has no nodes, or more nodes than its square has cells. A redundancy is 0, or needs more
/// edges than the upper network has nodes. Overlapping squares leave no free cell. Ids cannot number the nodes or
/// edges.
///
/// # Complexity
/// O(sum of `R S²`) time over the networks, of `S` nodes and redundancy `R` each. Linear space.
pub fn generate(parameters: &TiersParameters, seed: u64) -> Result<TiersTopology, PlatformError> {
    parameters.check()?;
    let mut sketch = Sketch {
        draw: Draw::new(seed, Purpose::Graph),
        occupied: BTreeSet::new(),
        nodes: Vec::new(),
        edges: Vec::new(),
    };
    let wan = sketch.network(parameters, Tier::Wan, (0, 0))?;
    let mut mans = Vec::new();
    for _ in 0..parameters.mans_per_wan {
        mans.push(sketch.man(parameters, &wan)?);
    }
    for man in &mans {
        for _ in 0..parameters.lans_per_man {
            sketch.lan(parameters, man)?;
        }
    }
    Ok(TiersTopology {
        parameters: *parameters,
        nodes: sketch.nodes,
        edges: sketch.edges,
    })
}

/// A network under construction.
struct Sketch {
    draw: Draw,
    occupied: BTreeSet<(i32, i32)>,
    nodes: Vec<TiersNode>,
    edges: Vec<TiersEdge>,
}

impl Sketch {
    /// A MAN next to a random WAN node, tied to it by a random gateway.
    fn man(
        &mut self,
        parameters: &TiersParameters,
        wan: &Range<usize>,
    ) -> Result<Range<usize>, PlatformError> {
        let parent = wan.start + self.draw.index(wan.len());
        let TiersNode { x, y, .. } = self.nodes[parent];
        let corner = (x + self.shift(), y + self.shift());
        let man = self.network(parameters, Tier::Man, corner)?;
        let gateway = man.start + self.draw.index(man.len());
        self.tie(parameters, Tier::Man, gateway, parent, wan);
        Ok(man)
    }

    /// A LAN at a random node of its MAN, tied to it by the LAN's first node.
    fn lan(
        &mut self,
        parameters: &TiersParameters,
        man: &Range<usize>,
    ) -> Result<(), PlatformError> {
        let parent = man.start + self.draw.index(man.len());
        let TiersNode { x, y, .. } = self.nodes[parent];
        let lan = self.network(parameters, Tier::Lan, (x + 1, y + 1))?;
        self.tie(parameters, Tier::Lan, lan.start, parent, man);
        Ok(())
    }

    /// At most one WAN unit to either side, in MAN units.
    fn shift(&mut self) -> i32 {
        let (unit, most) = (
            Tier::Man.unit() as i32,
            (Tier::Wan.unit() / Tier::Man.unit()) as i32,
        );
        unit * (self.draw.below(2 * most as u64 + 1) as i32 - most)
    }

    /// The nodes and inner edges of one network whose square has this corner.
    fn network(
        &mut self,
        parameters: &TiersParameters,
        tier: Tier,
        corner: (i32, i32),
    ) -> Result<Range<usize>, PlatformError> {
        let (count, redundancy, _) = parameters.of(tier);
        let start = self.nodes.len();
        for _ in 0..count {
            let (x, y) = self.free_cell(tier, corner)?;
            self.nodes.push(TiersNode { x, y, tier });
        }
        let nodes = &self.nodes[start..];
        let tree = if tier == Tier::Lan {
            (1..count).map(|leaf| (0, leaf)).collect()
        } else {
            spanning_tree(nodes)
        };
        let further = redundant(nodes, &tree, redundancy);
        let tagged = tree.into_iter().map(|edge| (edge, EdgeState::Tree));
        for ((a, b), state) in
            tagged.chain(further.into_iter().map(|edge| (edge, EdgeState::Redundant)))
        {
            self.edges.push(TiersEdge {
                from: start + a.min(b),
                to: start + a.max(b),
                class: tier,
                state,
            });
        }
        Ok(start..self.nodes.len())
    }

    /// A uniformly drawn free cell, now occupied.
    fn free_cell(&mut self, tier: Tier, corner: (i32, i32)) -> Result<(i32, i32), PlatformError> {
        /// Occupied cells in sequence after which the free ones are listed. Trades draws for a list of all cells. Not
        /// measured. Another value changes the platforms that a seed generates.
        const TRIES: usize = 64;
        let unit = tier.unit() as i32;
        let cell = |index: usize| {
            (
                corner.0 + unit * (index % SIDE) as i32,
                corner.1 + unit * (index / SIDE) as i32,
            )
        };
        for _ in 0..TRIES {
            let drawn = cell(self.draw.index(SIDE * SIDE));
            if self.occupied.insert(drawn) {
                return Ok(drawn);
            }
        }
        let free: Vec<_> = (0..SIDE * SIDE)
            .map(cell)
            .filter(|cell| !self.occupied.contains(cell))
            .collect();
        let expected = "fewer or smaller networks: their squares overlap and no cell is free";
        let free = *self
            .draw
            .pick(&free)
            .ok_or_else(|| refuse(NAME, "nodes", self.nodes.len(), expected))?;
        self.occupied.insert(free);
        Ok(free)
    }

    /// Edges from `node`, of this tier, to the parent and to the nodes of the parent's network nearest to it.
    fn tie(
        &mut self,
        parameters: &TiersParameters,
        tier: Tier,
        node: usize,
        parent: usize,
        upper: &Range<usize>,
    ) {
        let (_, _, redundancy) = parameters.of(tier);
        let mut ends: Vec<usize> = upper.clone().collect();
        // The parent itself is at distance 0, and no other node is.
        ends.sort_by_key(|&end| (squared_distance(self.nodes[end], self.nodes[parent]), end));
        for (rank, &from) in ends.iter().take(redundancy).enumerate() {
            let state = if rank == 0 {
                EdgeState::Internetwork
            } else {
                EdgeState::RedundantInternetwork
            };
            self.edges.push(TiersEdge {
                from,
                to: node,
                class: self.nodes[from].tier,
                state,
            });
        }
    }
}

/// Prim's minimum spanning tree from node 0 by [`length`], as index pairs `(parent, child)`. Ties go to the smallest
/// child, then to the parent that joined the tree first.
fn spanning_tree(nodes: &[TiersNode]) -> Vec<(usize, usize)> {
    let mut tree = Vec::new();
    // For each node outside the tree: its distance to the tree, itself, its nearest tree node.
    let mut outside: Vec<(u64, usize, usize)> =
        (1..nodes.len()).map(|node| (u64::MAX, node, 0)).collect();
    let mut last = 0;
    loop {
        for (distance, node, parent) in &mut outside {
            let through_last = length(nodes[last], nodes[*node], nodes[*node].tier);
            if through_last < *distance {
                (*distance, *parent) = (through_last, last);
            }
        }
        let Some((nearest, _)) = outside.iter().enumerate().min_by_key(|(_, entry)| **entry) else {
            return tree;
        };
        let (_, node, parent) = outside.swap_remove(nearest);
        tree.push((parent, node));
        last = node;
    }
}

/// The edges that raise degrees to `redundancy`: in the order of the nodes, each is linked to its nearest node
/// without a link to it until its degree suffices, or until that node's degree is above `redundancy`.
fn redundant(
    nodes: &[TiersNode],
    tree: &[(usize, usize)],
    redundancy: usize,
) -> Vec<(usize, usize)> {
    let mut adjacent = vec![BTreeSet::new(); nodes.len()];
    for &(a, b) in tree {
        adjacent[a].insert(b);
        adjacent[b].insert(a);
    }
    let mut edges = Vec::new();
    for node in 0..nodes.len() {
        while adjacent[node].len() < redundancy {
            let strangers =
                (0..nodes.len()).filter(|&other| other != node && !adjacent[node].contains(&other));
            let Some(nearest) =
                strangers.min_by_key(|&other| squared_distance(nodes[node], nodes[other]))
            else {
                break;
            };
            if adjacent[nearest].len() > redundancy {
                break;
            }
            adjacent[node].insert(nearest);
            adjacent[nearest].insert(node);
            edges.push((node, nearest));
        }
    }
    edges
}
