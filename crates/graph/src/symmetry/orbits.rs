//! Orbits of some nodes and edges under the automorphisms that are found.

use std::collections::BTreeMap;

use petgraph::visit::{IntoEdgeReferences, NodeCompactIndexable};

use super::graph::Graph;
use super::partition::{Partition, Scratch};

/// Links and nodes looked at before the search ends with the orbits so far. Trades time for larger orbits. Not
/// measured.
const BUDGET: u64 = 1 << 25;

/// Nodes and edges that automorphisms take to one another, ascending. Edges by their index among the graph's edges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Orbit {
    /// Nodes, by index.
    pub nodes: Vec<usize>,
    /// Edges, by index among the graph's edges.
    pub edges: Vec<usize>,
}

/// The orbits of the given nodes and edges, each once: the images of a given one under the automorphisms that are
/// found, and itself. An automorphism keeps edges, the keys of nodes that `node` returns and the keys of edges that
/// `edge` returns. An orbit has nodes or edges, not both.
///
/// Each automorphism is found by individualisation and refinement, without backtracking, and verified: members of an
/// orbit are alike indeed, and there may be more than are found. If the search takes too long, every orbit has one
/// member.
///
/// # Complexity
/// A refinement, `O((n + m) log n)`, for every member of the orbits, and at most some 10⁸ elementary steps.
///
/// ```
/// use oneport_graph::orbits;
/// use petgraph::graph::{DiGraph, NodeIndex};
/// let star = DiGraph::<(), u64>::from_edges([(0, 1, 7), (0, 2, 7), (0, 3, 8)]);
/// let found = orbits(&star, |_| (), |edge| *edge.weight(), &[NodeIndex::new(1)], &[2]);
/// assert_eq!((&found[0].nodes[..], &found[1].edges[..]), (&[1, 2][..], &[2][..]));
/// ```
pub fn orbits<G, K: Ord, L: Ord>(
    graph: G,
    node: impl FnMut(G::NodeId) -> K,
    edge: impl FnMut(G::EdgeRef) -> L,
    nodes: &[G::NodeId],
    edges: &[usize],
) -> Vec<Orbit>
where
    G: IntoEdgeReferences + NodeCompactIndexable,
{
    let nodes: Vec<u32> = nodes
        .iter()
        .map(|&node| graph.to_index(node) as u32)
        .collect();
    let graph = Graph::new(graph, node, edge, &vec![false; graph.node_count()]);
    let mut scratch = Scratch::new(graph.nodes());
    let base = Partition::equitable(&graph, &mut scratch);
    let mut found = OrbitForest {
        parent: (0..graph.nodes() + graph.links()).collect(),
        begun: vec![false; graph.nodes() + graph.links()],
        nodes: graph.nodes(),
    };
    let mut starts = Vec::new();
    for &node in &nodes {
        if found.is_new(node as usize, &mut starts) {
            for &other in base.members(base.cell(node)) {
                found.join(
                    &graph,
                    &base,
                    &mut scratch,
                    [node as usize, other as usize],
                    &[(node, other)],
                );
            }
        }
    }
    for &edge in edges {
        let Some((from, to, class)) = graph.link(edge) else {
            continue;
        };
        if !found.is_new(graph.nodes() + edge, &mut starts) || scratch.work > BUDGET {
            continue;
        }
        scratch.work += graph.links() as u64;
        for other in 0..graph.links() {
            let Some((tail, head, own)) = graph.link(other) else {
                continue;
            };
            let alike = own == class
                && base.cell(tail) == base.cell(from)
                && base.cell(head) == base.cell(to);
            if alike {
                let both = [edge, other].map(|edge| graph.nodes() + edge);
                found.join(
                    &graph,
                    &base,
                    &mut scratch,
                    both,
                    &[(from, tail), (to, head)],
                );
            }
        }
    }
    // Some members of an orbit, as many as there was time for, would mislead.
    if scratch.work > BUDGET {
        found.parent = (0..graph.nodes() + graph.links()).collect();
        starts = nodes.iter().map(|&node| node as usize).collect();
        starts.extend(edges.iter().map(|edge| graph.nodes() + edge));
        starts.retain(|&start| start < found.parent.len());
    }
    found.all(&starts)
}

/// Orbits of nodes and, numbered after the nodes, of edges: a union-find forest.
struct OrbitForest {
    parent: Vec<usize>,
    /// Per root: whether its orbit contains a start.
    begun: Vec<bool>,
    nodes: usize,
}

impl OrbitForest {
    fn root(&mut self, mut index: usize) -> usize {
        while self.parent[index] != index {
            self.parent[index] = self.parent[self.parent[index]];
            index = self.parent[index];
        }
        index
    }

    /// Whether the orbit of `index` contains no start. If so, `index` becomes one of `starts`.
    fn is_new(&mut self, index: usize, starts: &mut Vec<usize>) -> bool {
        let root = self.root(index);
        let new = !std::mem::replace(&mut self.begun[root], true);
        if new {
            starts.push(index);
        }
        new
    }

    /// Does nothing if the two are in one orbit. Otherwise looks for an automorphism with these images, and unites the
    /// orbits of each element and its image.
    fn join(
        &mut self,
        graph: &Graph,
        base: &Partition,
        scratch: &mut Scratch,
        [one, other]: [usize; 2],
        images: &[(u32, u32)],
    ) {
        if self.root(one) == self.root(other) || scratch.work > BUDGET {
            return;
        }
        scratch.work += 1;
        if are_twins(graph, scratch, images) {
            let (one, two) = (self.root(one), self.root(other));
            self.parent[one] = two;
            self.begun[two] |= self.begun[one];
            return;
        }
        for identity in [true, false] {
            let map = taking(graph, base, scratch, images, identity);
            let verified = map.and_then(|map| Some((graph.image_of_links(&map)?, map)));
            scratch.work += (graph.nodes() + graph.links()) as u64;
            if let Some((links, map)) = verified {
                let link_vertex = |&link: &u32| link as usize + self.nodes;
                let images: Vec<usize> = map
                    .iter()
                    .map(|&node| node as usize)
                    .chain(links.iter().map(link_vertex))
                    .collect();
                for (index, image) in images.into_iter().enumerate() {
                    let (one, two) = (self.root(index), self.root(image));
                    self.parent[one] = two;
                    self.begun[two] |= self.begun[one];
                }
                return;
            }
        }
    }

    /// The orbits of these. Starts that were joined later are in one.
    fn all(mut self, starts: &[usize]) -> Vec<Orbit> {
        let mut index_of = BTreeMap::new();
        let mut orbits: Vec<Orbit> = Vec::new();
        for &start in starts {
            let root = self.root(start);
            index_of.entry(root).or_insert_with(|| {
                orbits.push(Orbit::default());
                orbits.len() - 1
            });
        }
        for member in 0..self.parent.len() {
            let root = self.root(member);
            let Some(&index) = index_of.get(&root) else {
                continue;
            };
            match member.checked_sub(self.nodes) {
                Some(edge) => orbits[index].edges.push(edge),
                None => orbits[index].nodes.push(member),
            }
        }
        orbits
    }
}

/// Whether one node alone moves, and an exchange with its image is an automorphism: the two have links to the same
/// nodes.
fn are_twins(graph: &Graph, scratch: &mut Scratch, images: &[(u32, u32)]) -> bool {
    let mut moved = images.iter().filter(|(x, y)| x != y);
    let (Some(&(x, y)), None) = (moved.next(), moved.next()) else {
        return false;
    };
    let sorted = |node: u32| {
        let mut neighbours = graph.neighbours(node).to_vec();
        neighbours.sort_unstable();
        neighbours
    };
    let (ours, theirs) = (sorted(x), sorted(y));
    scratch.work += (ours.len() + theirs.len()) as u64;
    let between = |list: &[(u32, u64)]| list.iter().any(|&(node, _)| node == x || node == y);
    ours == theirs && !between(&ours) && graph.colours[x as usize] == graph.colours[y as usize]
}

/// A map of the nodes with these images that keeps the equitable partition, still to be verified: each other node stays
/// if that is possible. Otherwise the nodes of a cell are mapped in their order.
fn taking(
    graph: &Graph,
    base: &Partition,
    scratch: &mut Scratch,
    images: &[(u32, u32)],
    identity: bool,
) -> Option<Vec<u32>> {
    let (mut source, mut target) = (base.clone(), base.clone());
    let mut map_to = |source: &mut Partition, target: &mut Partition, x: u32, y: u32| {
        if source.cell(x) != target.cell(y) || source.companions(x) != target.companions(y) {
            return false;
        }
        if source.companions(x) == 1 {
            return true;
        }
        let changed = [source.individualise(x)];
        target.individualise(y);
        let trace = source.refine(graph, scratch, &changed);
        trace == target.refine(graph, scratch, &changed)
    };
    for &(x, y) in images {
        if !map_to(&mut source, &mut target, x, y) {
            return None;
        }
    }
    for x in 0..graph.nodes() as u32 {
        if source.is_discrete() {
            break;
        }
        let cell = source.cell(x);
        let stays = identity && target.cell(x) == cell;
        let y = if stays {
            x
        } else {
            *target.members(cell).first()?
        };
        if !map_to(&mut source, &mut target, x, y) {
            return None;
        }
    }
    let mut map = vec![0; graph.nodes()];
    for (&node, &image) in source.order().iter().zip(target.order()) {
        map[node as usize] = image;
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_testkit::Dice;
    use petgraph::graph::{DiGraph, NodeIndex};

    /// Orbits by trying all permutations.
    fn naive(
        count: usize,
        colours: &[u8],
        arcs: &[(usize, usize, u8)],
        node: usize,
        edge: Option<usize>,
    ) -> (Vec<usize>, Vec<usize>) {
        let mut nodes = vec![false; count];
        let mut edges = vec![false; arcs.len()];
        let mut map: Vec<usize> = (0..count).collect();
        permute(&mut map, 0, &mut |map| {
            let image = |&(from, to, weight): &(usize, usize, u8)| {
                let wanted = (map[from], map[to], weight);
                arcs.iter().position(|arc| *arc == wanted)
            };
            let images: Option<Vec<usize>> = arcs.iter().map(image).collect();
            let colours = (0..count).all(|node| colours[node] == colours[map[node]]);
            if let (Some(images), true) = (images, colours) {
                nodes[map[node]] = true;
                if let Some(edge) = edge {
                    edges[images[edge]] = true;
                }
            }
        });
        let marked = |flags: &[bool]| (0..flags.len()).filter(|&at| flags[at]).collect();
        (marked(&nodes), marked(&edges))
    }

    fn permute(map: &mut Vec<usize>, at: usize, visit: &mut dyn FnMut(&[usize])) {
        if at == map.len() {
            return visit(map);
        }
        for other in at..map.len() {
            map.swap(at, other);
            permute(map, at + 1, visit);
            map.swap(at, other);
        }
    }

    /// Never more than the orbits of all permutations, and on small random graphs nearly always all of them.
    #[test]
    fn orbits_are_those_of_all_permutations() {
        let mut dice = Dice::new(7);
        let mut roll = |below: u64| dice.below(below);
        let (mut whole, mut cases) = (0, 0);
        for _ in 0..300 {
            let count = 3 + roll(4) as usize;
            let colours: Vec<u8> = (0..count).map(|_| (roll(5) == 0) as u8).collect();
            let mut arcs = Vec::new();
            for from in 0..count {
                for to in 0..count {
                    if from != to && roll(3) == 0 {
                        arcs.push((from, to, (roll(4) == 0) as u8));
                    }
                }
            }
            let node = roll(count as u64) as usize;
            let edge = (!arcs.is_empty()).then(|| roll(arcs.len() as u64) as usize);
            let mut graph = DiGraph::<u8, u8>::new();
            for &colour in &colours {
                _ = graph.add_node(colour);
            }
            for &(from, to, weight) in &arcs {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), weight);
            }
            let edges: Vec<usize> = edge.into_iter().collect();
            let start = [NodeIndex::new(node)];
            let key = |node: NodeIndex| graph[node];
            let mut found = orbits(&graph, key, |edge| *edge.weight(), &start, &edges);
            let by_edge = found.get(1).map_or(Vec::new(), |orbit| orbit.edges.clone());
            let by_node = std::mem::take(&mut found[0].nodes);
            let (nodes, links) = naive(count, &colours, &arcs, node, edge);
            assert!(
                by_node.iter().all(|node| nodes.contains(node)),
                "{arcs:?} {node}"
            );
            assert!(
                by_edge.iter().all(|edge| links.contains(edge)),
                "{arcs:?} {edge:?}"
            );
            assert!(by_node.contains(&node));
            whole += usize::from(by_node == nodes) + usize::from(by_edge == links);
            cases += 2;
        }
        assert!(whole * 100 >= cases * 99, "{whole} of {cases}");
    }

    /// Boxes of two around a hub, and a star of 5000: every leaf is like every other.
    #[test]
    fn boxes_and_stars() {
        let mut boxes = DiGraph::<(), u64>::new();
        let hub = boxes.add_node(());
        let mut links = Vec::new();
        for _ in 0..5 {
            let [switch, a, b] = [(); 3].map(|()| boxes.add_node(()));
            boxes.add_edge(hub, switch, 9);
            boxes.add_edge(switch, a, 1);
            links.push(boxes.add_edge(switch, b, 2).index());
        }
        // The orbit of one is that of all, once.
        let found = orbits(&boxes, |_| (), |edge| *edge.weight(), &[], &links);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].edges, links);
        let star = DiGraph::<(), u64>::from_edges((1..=5000).map(|leaf| (0, leaf, 1)));
        let found = orbits(
            &star,
            |_| (),
            |edge| *edge.weight(),
            &[NodeIndex::new(9)],
            &[3],
        );
        let sizes: Vec<usize> = found
            .iter()
            .map(|orbit| orbit.nodes.len() + orbit.edges.len())
            .collect();
        assert_eq!(sizes, [5000, 5000]);
    }
}
