//! Symmetries of a platform: renamings of nodes that change nothing.

use petgraph::graph::{EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::{
    Link, LinkId, Node, NodeId, PerLink, PerNode, PerShared, Platform, Rational, SharedId,
};

/// A renaming of nodes that keeps links, costs, shared capacities, compute costs, port models, ports, `replicates` and
/// `reduces`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automorphism {
    /// The image of each node, by its id.
    pub nodes: PerNode<NodeId>,
    /// The image of each link, by its id.
    pub links: PerLink<LinkId>,
    /// The image of each shared capacity, by its id.
    pub shared: PerShared<SharedId>,
}

/// A group of automorphisms that acts freely on `participants`: it maps the set to itself, and no element but the
/// identity fixes a participant. As large as found. Its order divides the number of participants.
///
/// The identity comes first. The others are sorted by the rank of the image of the first participant. Ids must come
/// from this platform: others are ignored. Repeated ids count once. For the method and its cost see
/// [`oneport_graph::free_automorphisms`].
///
/// ```
/// use oneport_platform::{free_automorphisms, generate::torus};
/// let platform = torus(&[4, 4])?;
/// let participants: Vec<_> = platform.processors().collect();
/// assert_eq!(free_automorphisms(&platform, &participants).len(), 16);
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn free_automorphisms(platform: &Platform, participants: &[NodeId]) -> Vec<Automorphism> {
    let node = |index: NodeIndex| {
        let (id, node) = (NodeId::from(index), &platform.graph()[index]);
        (
            &node.compute,
            platform.model_of(id),
            node.ports.unwrap_or(1),
            node.replicates,
            &node.reduces,
        )
    };
    let cost = |link: EdgeReference<'_, Link>| colour(platform, link.id().into());
    let known = participants
        .iter()
        .filter(|id| id.index() < platform.nodes().len());
    let points: Vec<NodeIndex> = known.map(|&id| id.into()).collect();
    let shared = platform.shared_after(|link| link);
    let renaming = |found: oneport_graph::Automorphism| {
        let links: PerLink<LinkId> = found
            .edges
            .into_iter()
            .map(|link| LinkId::new(link as usize))
            .collect();
        let renamed = platform.shared_after(|link| links[link]);
        let mut images: Vec<(SharedId, SharedId)> = Vec::with_capacity(shared.len());
        for (old, new) in shared.iter().zip(renamed) {
            if (old.0, &old.1) != (new.0, &new.1) {
                return None;
            }
            images.push((new.2, old.2));
        }
        images.sort_unstable();
        Some(Automorphism {
            nodes: found
                .nodes
                .into_iter()
                .map(|node| NodeId::new(node as usize))
                .collect(),
            links,
            shared: images.into_iter().map(|(_, image)| image).collect(),
        })
    };
    // The automorphisms that keep the shared capacities are a subgroup.
    oneport_graph::free_automorphisms(platform.graph(), node, cost, &points)
        .into_iter()
        .filter_map(renaming)
        .collect()
}

/// The costs of a link, and the weights and rates of its shared capacities, sorted.
fn colour(platform: &Platform, link: LinkId) -> (&Rational, &Rational, Vec<(u32, &Rational)>) {
    let of_group = |(id, _): &(SharedId, Rational)| {
        let shared = &platform.shared()[id.index()];
        (
            shared.weights.get(&link).copied().unwrap_or(0),
            &shared.rate,
        )
    };
    let mut shared: Vec<(u32, &Rational)> = platform.shared_by(link).iter().map(of_group).collect();
    shared.sort_unstable();
    (&platform.link(link).cost, platform.own_cost(link), shared)
}

/// The orbits of some nodes and links, each once, ascending: renamings of nodes that keep everything but names, and the
/// `mark` of every node, take the members of an orbit to one another. An orbit may be found in parts. For the method
/// and its cost see [`oneport_graph::orbits`].
///
/// ```
/// use oneport_platform::{generate::torus, orbits};
/// let torus = torus(&[3, 5])?;
/// let first = torus.link_ids().next().unwrap();
/// // The links of the short circles are like one another, and those of the long ones, in either direction.
/// let found = orbits(&torus, |_| (), &[], &[first]);
/// assert_eq!((found.len(), found[0].1.len()), (1, 2 * 15));
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn orbits<K: Ord>(
    platform: &Platform,
    mark: impl Fn(NodeId) -> K,
    nodes: &[NodeId],
    links: &[LinkId],
) -> Vec<(Vec<NodeId>, Vec<LinkId>)> {
    let nameless = |index: NodeIndex| {
        let id = NodeId::from(index);
        let node = Node {
            name: String::new(),
            alias: None,
            model: Some(platform.model_of(id)),
            ..platform.node(id).clone()
        };
        (node, mark(id))
    };
    let cost = |link: EdgeReference<'_, Link>| colour(platform, link.id().into());
    let nodes: Vec<NodeIndex> = nodes.iter().map(|&id| id.into()).collect();
    let links: Vec<usize> = links.iter().map(|link| link.index()).collect();
    let ids = |orbit: oneport_graph::Orbit| {
        let nodes = orbit.nodes.into_iter().map(NodeId::new);
        let links = orbit.edges.into_iter().map(LinkId::new);
        (nodes.collect(), links.collect())
    };
    oneport_graph::orbits(platform.graph(), nameless, cost, &nodes, &links)
        .into_iter()
        .map(ids)
        .collect()
}
