//! Nodes with several ports as half-duplex nodes and links that take no time (RR-2004-32, section 5, figures 7 and
//! 8).
//!
//! Every node of the platform becomes a *core*. A half-duplex node is its core. Any other node also gets *in-nodes*,
//! where its links arrive, and *out-nodes*, where they leave, all half-duplex, with links of cost 0 from in-nodes to
//! the core and from the core to out-nodes. A node that serves `k` transfers at a time per direction gets `min(k,
//! degree)` of them per direction (a full-duplex node: one; a node with limits on links only: one per link). If there
//! is one per link, each link has its own; else each link is joined to each of them.
//!
//! **Corrections.** The core also has a link of cost 0 *to* each of its in-nodes, in figure 7 as in figure 8. A message
//! for all nodes has to reach the in-nodes too. Without these links the source's in-node, or an in-node of a node that
//! got the message elsewhere, costs a separate transfer.
//!
//! **Theorem.** If every link has an end at which it is alone (a half-duplex core, or a node that serves one transfer
//! in that direction at a time, or a separate in- or out-node), the largest throughput on the gadget is that on the
//! platform.
//!
//! *Proof.* From the platform: transfers that may happen simultaneously number at most `k` per direction at a node, so
//! they can be given different in- and out-nodes, and are a matching of the gadget; links of cost 0 need none. A path
//! on the platform continues over links of cost 0, and these reach all in- and out-nodes from the cores. Back: a
//! matching of the gadget has at most `k` transfers per direction at a node, and uses a link once, because of the end
//! where the link is alone. Contract the gadget's nodes to the cores: a tree becomes a connected graph, which contains
//! a tree that uses each link at most as long.
//!
//! A link between two nodes that serve several, but not all, of their links at a time is not alone at either end: its
//! copies would be used simultaneously. Such platforms are refused. Whether there is a gadget for them is not known
//! here.

use num_traits::Zero;

use crate::{LinkId, NodeId, Platform, PortModel, Rational};

/// A platform of half-duplex nodes that does what another platform does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gadget {
    /// All nodes: whose part each is, and which.
    pub nodes: Vec<(NodeId, Part)>,
    /// All links.
    pub links: Vec<GadgetLink>,
    /// For each node of the platform, its core.
    pub cores: Vec<usize>,
}

/// The part that a node of a gadget has of the node of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Has what the node has.
    Core,
    /// Receives.
    In,
    /// Sends.
    Out,
}

/// A link of a gadget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GadgetLink {
    /// The sending node, by its place.
    pub from: usize,
    /// The receiving node, by its place.
    pub to: usize,
    /// Time per unit of message, that of the platform's link; 0 between the parts of a node.
    pub cost: Rational,
    /// The platform's link; `None` between the parts of a node.
    pub of: Option<LinkId>,
}

/// Why a platform has no gadget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GadgetError {
    /// A link that is not alone at either end.
    #[error(
        "'{from} -> {to}': '{from}' sends over {sends} of {outgoing} links at a time and '{to}' receives over {receives} of \
         {incoming}; at one end of every link it must be one, or all"
    )]
    Shared {
        /// Name of the sender.
        from: String,
        /// Name of the receiver.
        to: String,
        /// How many transfers the sender sends at a time.
        sends: usize,
        /// How many links leave it.
        outgoing: usize,
        /// How many transfers the receiver receives at a time.
        receives: usize,
        /// How many links enter it.
        incoming: usize,
    },
}

/// The places of the nodes where a node's links end, on one side.
struct Side {
    places: Vec<usize>,
    degree: usize,
}

impl Side {
    /// The places that the link number `index` of this side is joined to.
    fn of(&self, index: usize) -> &[usize] {
        match self.places.get(index) {
            Some(own) if self.places.len() == self.degree => std::slice::from_ref(own),
            _ => &self.places,
        }
    }

    fn is_shared(&self) -> bool {
        self.places.len() > 1 && self.places.len() < self.degree
    }
}

/// The gadget of a platform. Delays of links are left aside: a throughput does not depend on them. `O(n + m k)` for
/// `n` nodes, `m` links and at most `k` ports of a node.
///
/// ```
/// use oneport_platform::gadget::gadget;
/// use oneport_platform::{Node, Platform, PortModel, parse_rational};
/// let mut builder = Platform::builder();
/// let one = parse_rational("1")?;
/// let a = builder.node(Node::processor("a", one.clone()))?;
/// let b = builder.node(Node::processor("b", one.clone()))?;
/// builder.duplex(a, b, one)?;
/// let platform = builder.build()?.with_model(PortModel::FullDuplex);
/// let gadget = gadget(&platform)?;
/// assert_eq!((gadget.nodes.len(), gadget.links.len()), (6, 2 + 2 * 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GadgetError::Shared`] names the first link that is not alone at either end.
pub fn gadget(platform: &Platform) -> Result<Gadget, GadgetError> {
    let mut gadget = Gadget {
        nodes: platform.node_ids().map(|node| (node, Part::Core)).collect(),
        links: Vec::new(),
        cores: (0..platform.nodes().len()).collect(),
    };
    let mut ends = Vec::new();
    for node in platform.node_ids() {
        let [outgoing, incoming] = [platform.outgoing(node).len(), platform.incoming(node).len()];
        ends.push([
            gadget.side(platform, node, Part::Out, outgoing),
            gadget.side(platform, node, Part::In, incoming),
        ]);
    }
    for link in platform.link_ids() {
        let arc = platform.link(link);
        let (sending, receiving) = (&ends[arc.from.index()][0], &ends[arc.to.index()][1]);
        if sending.is_shared() && receiving.is_shared() {
            return Err(GadgetError::Shared {
                from: platform.name(arc.from).to_string(),
                to: platform.name(arc.to).to_string(),
                sends: sending.places.len(),
                outgoing: sending.degree,
                receives: receiving.places.len(),
                incoming: receiving.degree,
            });
        }
        let index = |links: &[LinkId]| {
            links
                .iter()
                .position(|other| *other == link)
                .unwrap_or_default()
        };
        let (out, into) = (
            index(platform.outgoing(arc.from)),
            index(platform.incoming(arc.to)),
        );
        for &from in sending.of(out) {
            for &to in receiving.of(into) {
                gadget.links.push(GadgetLink {
                    from,
                    to,
                    cost: arc.cost.clone(),
                    of: Some(link),
                });
            }
        }
    }
    Ok(gadget)
}

impl Gadget {
    /// Adds the parts of a node on one side, and the links between them and the core.
    fn side(&mut self, platform: &Platform, node: NodeId, part: Part, degree: usize) -> Side {
        let core = node.index();
        let most = match platform.model_of(node) {
            PortModel::HalfDuplex => {
                return Side {
                    places: vec![core],
                    degree: 1,
                };
            }
            PortModel::FullDuplex => 1,
            PortModel::Multiport => platform.node(node).ports.unwrap_or(1) as usize,
            PortModel::Links => degree,
        };
        let mut places = Vec::new();
        for _ in 0..most.min(degree) {
            let place = self.nodes.len();
            self.nodes.push((node, part));
            self.free(core, place);
            if part == Part::In {
                self.free(place, core);
            }
            places.push(place);
        }
        Side { places, degree }
    }

    fn free(&mut self, from: usize, to: usize) {
        self.links.push(GadgetLink {
            from,
            to,
            cost: Rational::zero(),
            of: None,
        });
    }

    /// The platform's links among some of the gadget's, ascending, each once: what may be used simultaneously, of
    /// what may be on the gadget.
    pub fn contracted(&self, links: &[usize]) -> Vec<LinkId> {
        let mut own: Vec<LinkId> = links
            .iter()
            .filter_map(|&link| self.links.get(link)?.of)
            .collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// The platform's path or tree from `source` of one of the gadget: the first link to arrive at each node, in the
    /// order of arrival. `O(n m)`.
    pub fn way(&self, platform: &Platform, source: NodeId, links: &[usize]) -> Vec<LinkId> {
        let mut left = self.contracted(links);
        let mut has = vec![false; self.cores.len()];
        has.iter_mut()
            .skip(source.index())
            .take(1)
            .for_each(|has| *has = true);
        let mut way = Vec::new();
        let arrives = |link: LinkId, has: &[bool]| {
            let link = platform.link(link);
            has[link.from.index()] && !has[link.to.index()]
        };
        while let Some(next) = left.iter().position(|&link| arrives(link, &has)) {
            let link = left.remove(next);
            has[platform.link(link).to.index()] = true;
            way.push(link);
        }
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, PlatformError};

    /// A star: the hub sends to and receives from three leaves.
    fn star(
        hub: PortModel,
        ports: u32,
        leaf: PortModel,
        leaf_ports: u32,
    ) -> Result<Platform, PlatformError> {
        let mut builder = Platform::builder();
        let one = Rational::from_integer(1.into());
        let node = |name: &str, model, ports| Node {
            model: Some(model),
            ports: Some(ports),
            ..Node::processor(name, Rational::from_integer(1.into()))
        };
        let center = builder.node(node("hub", hub, ports))?;
        for name in ["a", "b", "c"] {
            let leaf = builder.node(node(name, leaf, leaf_ports))?;
            builder.duplex(center, leaf, one.clone())?;
        }
        builder.build()
    }

    #[test]
    fn parts_and_links() -> Result<(), Box<dyn std::error::Error>> {
        let half = gadget(&star(PortModel::HalfDuplex, 1, PortModel::HalfDuplex, 1)?)?;
        assert_eq!((half.nodes.len(), half.links.len()), (4, 6));
        // Two in- and two out-nodes, each joined to all three links; three links of cost 0 per pair.
        let two = gadget(&star(PortModel::Multiport, 2, PortModel::HalfDuplex, 1)?)?;
        assert_eq!((two.nodes.len(), two.links.len()), (4 + 4, 2 * 3 + 2 * 6));
        // As many ports as links, and more: one each.
        for ports in [3, 7] {
            let all = gadget(&star(
                PortModel::Multiport,
                ports,
                PortModel::HalfDuplex,
                1,
            )?)?;
            assert_eq!((all.nodes.len(), all.links.len()), (4 + 6, 3 * 3 + 6));
            assert_eq!(
                all.links,
                gadget(&star(PortModel::Links, 1, PortModel::HalfDuplex, 1)?)?.links
            );
        }
        Ok(())
    }

    #[test]
    fn links_that_are_nowhere_alone_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        let mut builder = Platform::builder();
        let one = Rational::from_integer(1.into());
        for name in ["a", "b", "c", "d"] {
            let node = Node::processor(name, one.clone());
            builder.node(Node {
                model: Some(PortModel::Multiport),
                ports: Some(2),
                ..node
            })?;
        }
        for from in 0..4 {
            for to in (0..4).filter(|&to| to != from) {
                builder.link(NodeId::new(from), NodeId::new(to), one.clone())?;
            }
        }
        let error = gadget(&builder.build()?)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(
            error.starts_with("'a -> b': 'a' sends over 2 of 3 links"),
            "{error}"
        );
        Ok(())
    }

    #[test]
    fn ways_are_contracted() -> Result<(), Box<dyn std::error::Error>> {
        let platform = star(PortModel::Multiport, 2, PortModel::FullDuplex, 1)?;
        let gadget = gadget(&platform)?;
        let all: Vec<usize> = (0..gadget.links.len()).collect();
        assert_eq!(
            gadget.contracted(&all),
            platform.link_ids().collect::<Vec<_>>()
        );
        // From the first leaf to the hub, then on to the others.
        let way = gadget.way(&platform, NodeId::new(1), &all);
        let names: Vec<String> = way.iter().map(|&link| platform.link_name(link)).collect();
        assert_eq!(names, ["a -> hub", "hub -> b", "hub -> c"]);
        Ok(())
    }
}
