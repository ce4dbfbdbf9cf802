//! The exchange theorem: the transfers of every all-reduce between disjoint parts of the platform.
//!
//! Let `P_1..P_k` be disjoint sets of nodes, each with a participant. A node outside *merges* if it is a processor and
//! *copies* if it replicates. Let `A_r` be the least length of an in-arborescence into `P_r` that contains all parts
//! and whose arcs are paths through nodes outside that do not merge. Outside nodes that merge may be junctions. Let
//! `e_j` be the least length of a path into `P_j` that starts in another part or at a node outside that copies, through
//! nodes outside that do not copy.
//!
//! **Theorem.** The transfers of one instance have together at least the length `min over r of (A_r + sum over j != r
//! of e_j)`.
//!
//! *Proof.* Choose a participant in every part. Let `t` be the first transfer, in an order that respects inputs, after
//! which the operands of all of them have reached some part `P_r`. *Until then* each travels to `P_r`, on a path that
//! is cut at every part and at every node that merges. The pieces contain an arborescence. Their inner nodes do not
//! merge, so every transfer out depends on just one transfer in, and pieces with different tails share no transfer.
//! *After that* every other `P_j` still lacks an operand. Go back from the first transfer that brings it, to the
//! nearest node in a part or outside that copies. At the nodes passed, at most one transfer out depends on each
//! transfer in, so paths of different `j` share no transfer. They share none with the arborescence either, whose
//! transfers lead to `P_r` before `t` and not to `P_j` after it. QED
//!
//! Turning all links and the order gives the same theorem with "merges" and "copies" exchanged: an out-arborescence
//! from `P_r`, whose junctions copy, and paths out of every other part through nodes that do not merge.
//!
//! With single participants as parts this counts messages as gossiping does (Harary and Schwenk 1974).

use num_traits::One;
use oneport_graph::arborescence::arborescence;
use oneport_graph::{ShortestPaths, shortest_paths, steiner};
use oneport_numbers::Exact;
use oneport_plan::inequality::Direction;
use oneport_platform::{LinkId, NodeId, PerNode, Platform};
use oneport_watch::Watch;
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::{EdgeRef, Reversed};

use crate::Question;

/// From, to, length.
type Arc<N> = (usize, usize, N);

/// Branch-and-bound nodes per Steiner arborescence. Trades a tighter bound for time. Not measured.
const BUDGET: usize = 2000;
/// Fact: up to this many parts, or junctions, the referee finds the cheapest arborescence.
const FEW: usize = 9;

/// The theorem for some parts, in one direction.
pub(super) struct Exchange<'a> {
    platform: &'a Platform,
    watch: Watch,
    direction: Direction,
    parts: usize,
    /// The parts that may be `P_r`: all, or on a symmetric platform the parts that represent all.
    roots: Vec<usize>,
    /// Per node: the part that contains it, or a junction's number, from `parts` on. `None` for inner nodes of arcs.
    hubs: PerNode<Option<usize>>,
    /// Per hub: its nodes.
    members: Vec<Vec<NodeId>>,
}

/// A cheapest collection of transfers.
pub(super) struct Collection<N> {
    /// No collection is shorter.
    pub at_least: N,
    /// The links of one that is short: a link twice if it is used twice.
    pub links: Vec<LinkId>,
}

/// Paths that lead to one hub, by the node they start at.
type Walk<N> = ShortestPaths<N, EdgeIndex>;

impl<'a> Exchange<'a> {
    /// Prepares disjoint parts.
    pub(super) fn new(
        question: &'a Question,
        direction: Direction,
        parts: &[Vec<NodeId>],
        roots: Vec<usize>,
    ) -> Self {
        let platform = question.platform();
        let mut hubs = platform.per_node(None);
        for (index, part) in parts.iter().enumerate() {
            for node in part {
                hubs[*node] = Some(index);
            }
        }
        let mut members = parts.to_vec();
        for node in platform.node_ids() {
            let own = platform.node(node);
            let joins = match direction {
                Direction::Into => own.merges(),
                Direction::OutOf => own.replicates,
            };
            if joins && hubs[node].is_none() {
                hubs[node] = Some(members.len());
                members.push(vec![node]);
            }
        }
        Exchange {
            platform,
            watch: question.watch().clone(),
            direction,
            parts: parts.len(),
            roots,
            hubs,
            members,
        }
    }

    /// Single participants as parts. The question's roots are the parts that may be the last to lack an operand.
    pub(super) fn of_single(
        question: &'a Question,
        direction: Direction,
        participants: &[NodeId],
    ) -> Self {
        let parts: Vec<Vec<NodeId>> = participants.iter().map(|&node| vec![node]).collect();
        let is_root = |index: &usize| question.roots().contains(&participants[*index]);
        let indices = (0..participants.len()).filter(is_root).collect();
        Exchange::new(question, direction, &parts, indices)
    }

    /// Whether there are no junctions: then cheapest collections are found in polynomial time.
    pub(super) fn is_exact(&self) -> bool {
        self.members.len() == self.parts
    }

    /// Whether cheapest collections are found under all lengths, by going through sets where need be.
    pub(super) fn is_small(&self) -> bool {
        self.parts <= FEW || self.members.len() - self.parts <= FEW
    }

    /// The cheapest collection under these lengths of the links. `None` if a part cannot be reached. If `guide` is set,
    /// there is no branching. `O(h m log m)` for `h` hubs, plus the search for a Steiner arborescence if there are
    /// junctions.
    pub(super) fn cheapest<N: Exact + One>(
        &self,
        lengths: &[N],
        guide: bool,
    ) -> Option<Collection<N>> {
        let single: Vec<(N, Vec<LinkId>)> = (0..self.parts)
            .map(|part| self.entrance(lengths, part))
            .collect::<Option<_>>()?;
        let mut all = N::zero();
        for (length, _) in &single {
            all += length;
        }
        let (mut arcs, paths) = self.arcs(lengths);
        // A super-source has an arc to every candidate root. The arc is longer than any tree, so an optimum uses
        // exactly one. A root needs no entrance.
        let (own, super_root) = (arcs.len(), self.members.len());
        let mut price = N::one();
        for (_, _, length) in &arcs {
            price += length;
        }
        price += &all;
        for &root in &self.roots {
            let mut length = price.clone();
            length += &all;
            length -= &single[root].0;
            arcs.push((super_root, root, length));
        }
        let (mut at_least, used) = self.arborescence(&arcs, guide)?;
        at_least = if at_least < price {
            N::zero()
        } else {
            at_least
        };
        if at_least >= price {
            at_least -= &price;
        }
        let root = used
            .iter()
            .find(|&&arc| arc >= own)
            .map(|&arc| arcs[arc].1)?;
        let entered = single
            .into_iter()
            .enumerate()
            .filter(|(part, _)| *part != root);
        let links = used
            .iter()
            .filter(|&&arc| arc < own)
            .flat_map(|&arc| paths[arc].iter().copied());
        Some(Collection {
            at_least,
            links: links
                .chain(entered.flat_map(|(_, (_, links))| links))
                .collect(),
        })
    }

    /// The cheapest arborescence from one node more, which comes last, to all parts: its length from below, and its
    /// arcs.
    fn arborescence<N: Exact>(&self, arcs: &[Arc<N>], guide: bool) -> Option<(N, Vec<usize>)> {
        let root = self.members.len();
        if self.is_exact() {
            let found = arborescence(root + 1, root, arcs)?;
            return Some((found.cost, found.entering.into_iter().flatten().collect()));
        }
        let parts: Vec<usize> = (0..self.parts).collect();
        let found = steiner::steiner(
            root + 1,
            root,
            &parts,
            arcs,
            steiner::Effort {
                budget: (!guide).then_some(BUDGET),
                cuts: false,
                watch: &self.watch,
            },
        )?;
        Some((found.at_least, found.arcs))
    }

    /// The arcs between hubs against the direction of travel, from the hub at the end of a path to the hub at its
    /// start, each with its links.
    fn arcs<N: Exact>(&self, lengths: &[N]) -> (Vec<Arc<N>>, Vec<Vec<LinkId>>) {
        let (mut arcs, mut paths) = (Vec::new(), Vec::new());
        if self.hubs.iter().all(Option::is_some) {
            for (link, length) in self.platform.link_ids().zip(lengths) {
                let (tail, head) = self.ends(link);
                if let (Some(tail), Some(head)) = (self.hubs[tail], self.hubs[head])
                    && tail != head
                {
                    arcs.push((head, tail, length.clone()));
                    paths.push(vec![link]);
                }
            }
            return (arcs, paths);
        }
        for hub in 0..self.members.len() {
            let walk = self.walk(lengths, hub, |node| self.hubs[node].is_none());
            for (other, members) in self
                .members
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != hub)
            {
                let near = members
                    .iter()
                    .filter_map(|&node| Some((walk.distances[node.index()].clone()?, node)))
                    .min();
                if let Some((length, node)) = near {
                    arcs.push((hub, other, length));
                    paths.push(self.path(&walk, node));
                }
            }
        }
        (arcs, paths)
    }

    /// The cheapest entrance of a part: its length and links.
    fn entrance<N: Exact>(&self, lengths: &[N], part: usize) -> Option<(N, Vec<LinkId>)> {
        let copies = |node: NodeId| match self.direction {
            Direction::Into => self.platform.node(node).replicates,
            Direction::OutOf => self.platform.node(node).merges(),
        };
        let of_part = |node: NodeId| self.hubs[node].filter(|&hub| hub < self.parts);
        let walk = self.walk(lengths, part, |node| {
            of_part(node).is_none() && !copies(node)
        });
        let starts = |&node: &NodeId| match of_part(node) {
            Some(other) => other != part,
            None => copies(node),
        };
        let nodes = self.platform.node_ids().filter(starts);
        let near = nodes
            .filter_map(|node| Some((walk.distances[node.index()].clone()?, node)))
            .min()?;
        let links = self.path(&walk, near.1);
        Some((near.0, links))
    }

    /// Cheapest paths to a hub through nodes for which `through` holds.
    fn walk<N: Exact>(
        &self,
        lengths: &[N],
        hub: usize,
        through: impl Fn(NodeId) -> bool,
    ) -> Walk<N> {
        let (graph, ends) = (
            self.platform.graph(),
            self.members[hub]
                .iter()
                .map(|&node| (node.into(), N::zero())),
        );
        let through = |node: NodeIndex| through(node.into());
        match self.direction {
            Direction::Into => shortest_paths(
                Reversed(graph),
                ends,
                |link| &lengths[link.id().index()],
                through,
            ),
            Direction::OutOf => {
                shortest_paths(graph, ends, |link| &lengths[link.id().index()], through)
            }
        }
    }

    /// The links from a node to the hub.
    fn path<N>(&self, walk: &Walk<N>, from: NodeId) -> Vec<LinkId> {
        walk.path(from.index())
            .into_iter()
            .rev()
            .map(LinkId::from)
            .collect()
    }

    /// Start and end of transfers over a link, exchanged if all links are reversed.
    fn ends(&self, link: LinkId) -> (NodeId, NodeId) {
        let link = self.platform.link(link);
        match self.direction {
            Direction::Into => (link.from, link.to),
            Direction::OutOf => (link.to, link.from),
        }
    }
}
