//! Symmetries of a platform: renamings of nodes that change nothing.

use petgraph::graph::{EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::{Link, LinkId, NodeId, Platform};

/// A renaming of nodes that keeps links, costs, compute costs, port models, ports, `replicates` and `reduces`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automorphism {
    /// The image of each node, by its id.
    pub nodes: Vec<NodeId>,
    /// The image of each link, by its id.
    pub links: Vec<LinkId>,
}

/// A group of automorphisms that acts freely on `participants`: it maps the set to itself, and no element but the
/// identity fixes a participant. As large as found; its order divides the number of participants.
///
/// The identity comes first; the others are sorted by the place among the participants of the image of the first one.
/// Ids must come from this platform (others are ignored); repeated ids count once. For the method and its cost see
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
    let cost = |link: EdgeReference<'_, Link>| &platform.link(link.id().into()).cost;
    let known = participants
        .iter()
        .filter(|id| id.index() < platform.nodes().len());
    let points: Vec<NodeIndex> = known.map(|&id| id.into()).collect();
    let renaming = |found: oneport_graph::Automorphism| Automorphism {
        nodes: found
            .nodes
            .into_iter()
            .map(|node| NodeId::new(node as usize))
            .collect(),
        links: found
            .edges
            .into_iter()
            .map(|link| LinkId::new(link as usize))
            .collect(),
    };
    oneport_graph::free_automorphisms(platform.graph(), node, cost, &points)
        .into_iter()
        .map(renaming)
        .collect()
}
