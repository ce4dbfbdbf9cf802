//! Nodes with several ports as half-duplex nodes and links that take no time (RR-2004-32, section 5, figures 7 and
//! 8).
//!
//! Every node of the platform becomes a *core*. A half-duplex node is its core. Any other node also gets *in-nodes*,
//! where its links arrive, and *out-nodes*, where they leave, all half-duplex, with links of cost 0 from in-nodes to
//! the core and from the core to out-nodes. A node that serves `k` transfers at a time per direction gets `min(k,
//! degree)` of them per direction (a full-duplex node: one, a node with limits on links only: one per link). If there
//! is one per link, each link has its own. Otherwise each link is joined to each of them.
//!
//! **Corrections.** The core also has a link of cost 0 *to* each of its in-nodes, in figure 7 as in figure 8. A message
//! for all nodes has to reach the in-nodes too. Without these links the source's in-node, or an in-node of a node that
//! got the message elsewhere, costs a separate transfer.
//!
//! **Relays.** A link between two nodes that serve several, but not all, of their links at a time is not alone at
//! either end: copies of it would be used simultaneously. It gets three half-duplex *relays* `in -> relay -> out`,
//! joined at cost 0. All out-nodes of the sender send to the first, and the last sends to all in-nodes of the
//! receiver, each at the link's cost. The receiver's core has links of cost 0 to all three, so that messages for all
//! nodes reach them. Nothing else leaves a relay, or enters it. Links of cost 0 occupy nothing and need no relays.
//!
//! **Theorem.** Let every link have an end at which it is alone (a half-duplex core, or a node that serves one transfer
//! in that direction at a time, or a separate in- or out-node), or relays. Take the graph whose vertices are ports
//! (one for a half-duplex node, one per direction for another, a separate one for a link that has its own) and whose
//! edges are the links that take time. If the parts of it that hold links with relays have no odd cycle, the largest
//! throughput on the gadget is that on the platform.
//!
//! *Proof.* From the platform: at most `k` transfers per direction happen simultaneously at a node. So they can be
//! given different in- and out-nodes, and are a matching of the gadget. A link with relays is used twice in that
//! matching: for the message that enters, and for the one before it that leaves. Links of cost 0 need no matching. A
//! path on the platform continues over links of cost 0, and these reach all in- and out-nodes from the cores.
//!
//! Back: contract the gadget's nodes to the cores. A tree becomes a connected graph, which contains a tree that uses
//! each link at most as long: a message that arrives at a core through relays has come from the sender, since all
//! others in the relays are the receiver's own. It remains that the platform's ports can serve the links for these
//! times. In a part of the graph without relays a matching of the gadget is a set of transfers that the platform
//! allows: at most `k` per direction at a node, and each link once, because of the end where it is alone. In a part
//! without odd cycles, times fit if each port is busy for no more than its capacity, and each link for no more than 1
//! (Koenig). The gadget ensures both: out-nodes and in-nodes serve as much as the ports, and the first relay of a link
//! receives all of its messages. Different parts of the graph share no port.
//!
//! With an odd cycle the gadget would promise too much: the two transfers over a relayed link need not happen
//! simultaneously, and so break the cycle (E004-13 has an example with 3/7 on the platform and 1/2 with relays). Such
//! platforms are refused: we have no gadget for them.

use std::collections::BTreeSet;

use num_traits::Zero;
use oneport_platform::{
    Link, LinkId, Node, NodeId, PerNode, Platform, PlatformError, PortModel, Rational,
};
use petgraph::unionfind::UnionFind;

/// A platform of half-duplex nodes with the same throughputs as another platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gadget {
    /// All nodes: for each, the platform's node and the part of it. Relays are parts of the receiver.
    pub nodes: Vec<(NodeId, Part)>,
    /// All links.
    pub links: Vec<GadgetLink>,
    /// For each node of the platform, its core.
    pub cores: Vec<usize>,
}

/// The part that a node of a gadget has of the node of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Has the properties of the platform's node.
    Core,
    /// Receives.
    In,
    /// Sends.
    Out,
    /// Stands between the out-nodes of a link's sender and the in-nodes of its receiver.
    Relay {
        /// The platform's link.
        of: LinkId,
        /// 0 receives, 1 is between, 2 sends.
        stage: u8,
    },
}

/// A link of a gadget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GadgetLink {
    /// The sending node, by its position.
    pub from: usize,
    /// The receiving node, by its position.
    pub to: usize,
    /// Time per unit of message, that of the platform's link. 0 between the parts of a node, and between relays.
    pub cost: Rational,
    /// The platform's link. `None` between the parts of a node, and between relays.
    pub of: Option<LinkId>,
}

/// Why a platform has no gadget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GadgetError {
    /// A link that is not alone at either end, on an odd cycle of ports.
    #[error(
        "'{from} -> {to}': '{from}' sends over {sends} of {outgoing} links at a time and '{to}' receives over {receives} of \
         {incoming}; at one end it must be one, or all, since half-duplex nodes close an odd cycle of ports here and \
         relays would be too fast"
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

/// The positions of the in-nodes or out-nodes of a node, on one side.
struct Side {
    positions: Vec<usize>,
    degree: usize,
}

impl Side {
    /// The positions that the link number `index` of this side is joined to.
    fn of(&self, index: usize) -> &[usize] {
        match self.positions.get(index) {
            Some(own) if self.positions.len() == self.degree => std::slice::from_ref(own),
            _ => &self.positions,
        }
    }

    fn is_shared(&self) -> bool {
        self.positions.len() > 1 && self.positions.len() < self.degree
    }
}

/// The gadget of a platform. Delays of links are left aside: a throughput does not depend on them. `O(n + m k^2)` for
/// `n` nodes, `m` links and at most `k` ports of a node.
///
/// ```
/// use oneport_separation::gadget::gadget;
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
/// [`GadgetError::Shared`] names the first link that is not alone at either end and lies where half-duplex nodes close
/// an odd cycle of ports.
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
    let joined: Vec<Joined> = platform
        .link_ids()
        .map(|link| Joined::of(platform, link, &ends))
        .collect();
    let mut cover = DoubleCover::of(gadget.nodes.len(), &joined);
    for joined in joined {
        let Link { from, to, cost, .. } = platform.link(joined.link);
        let (sending, receiving) = (&ends[from.index()][0], &ends[to.index()][1]);
        if !(sending.is_shared() && receiving.is_shared()) || cost.is_zero() {
            gadget.join(&joined.senders, &joined.receivers, cost, joined.link);
            continue;
        }
        if cover.has_odd_cycle(&joined) {
            return Err(GadgetError::Shared {
                from: platform.name(*from).to_string(),
                to: platform.name(*to).to_string(),
                sends: sending.positions.len(),
                outgoing: sending.degree,
                receives: receiving.positions.len(),
                incoming: receiving.degree,
            });
        }
        let [first, last] = gadget.relays(joined.link, *to);
        gadget.join(&joined.senders, &[first], cost, joined.link);
        gadget.join(&[last], &joined.receivers, cost, joined.link);
    }
    Ok(gadget)
}

/// A link of the platform and the gadget's nodes that it joins.
struct Joined {
    link: LinkId,
    senders: Vec<usize>,
    receivers: Vec<usize>,
    takes_time: bool,
}

impl Joined {
    fn of(platform: &Platform, link: LinkId, ends: &[[Side; 2]]) -> Joined {
        let arc = platform.link(link);
        let index = |links: &[LinkId]| {
            links
                .iter()
                .position(|other| *other == link)
                .unwrap_or_default()
        };
        let out = index(platform.outgoing(arc.from));
        let into = index(platform.incoming(arc.to));
        Joined {
            link,
            senders: ends[arc.from.index()][0].of(out).to_vec(),
            receivers: ends[arc.to.index()][1].of(into).to_vec(),
            takes_time: !arc.cost.is_zero(),
        }
    }

    /// The ports that it joins, each by the first of its positions.
    fn ports(&self) -> Option<[usize; 2]> {
        Some([*self.senders.first()?, *self.receivers.first()?])
    }
}

/// The graph of ports twice over, every link from one copy to the other. A part of the graph has an odd cycle if and
/// only if its two copies are connected.
struct DoubleCover(UnionFind<usize>);

impl DoubleCover {
    fn of(positions: usize, links: &[Joined]) -> DoubleCover {
        let mut sets = UnionFind::new(2 * positions);
        let timed = links.iter().filter(|link| link.takes_time);
        for [from, to] in timed.filter_map(Joined::ports) {
            sets.union(2 * from, 2 * to + 1);
            sets.union(2 * from + 1, 2 * to);
        }
        DoubleCover(sets)
    }

    fn has_odd_cycle(&mut self, link: &Joined) -> bool {
        link.ports()
            .is_some_and(|[from, _]| self.0.equiv(2 * from, 2 * from + 1))
    }
}

impl Gadget {
    /// Adds the parts of a node on one side, and the links between them and the core.
    fn side(&mut self, platform: &Platform, node: NodeId, part: Part, degree: usize) -> Side {
        let core = node.index();
        let most = match platform.model_of(node) {
            PortModel::HalfDuplex => {
                return Side {
                    positions: vec![core],
                    degree: 1,
                };
            }
            PortModel::FullDuplex => 1,
            PortModel::Multiport => platform.node(node).ports.unwrap_or(1) as usize,
            PortModel::Links => degree,
        };
        let mut positions = Vec::new();
        for _ in 0..most.min(degree) {
            let position = self.nodes.len();
            self.nodes.push((node, part));
            self.free(core, position);
            if part == Part::In {
                self.free(position, core);
            }
            positions.push(position);
        }
        Side { positions, degree }
    }

    /// Adds the relays of a link to `receiver`: the first and the last.
    fn relays(&mut self, of: LinkId, receiver: NodeId) -> [usize; 2] {
        let first = self.nodes.len();
        for stage in 0..3 {
            self.nodes.push((receiver, Part::Relay { of, stage }));
            self.free(receiver.index(), first + usize::from(stage));
        }
        self.free(first, first + 1);
        self.free(first + 1, first + 2);
        [first, first + 2]
    }

    fn join(&mut self, senders: &[usize], receivers: &[usize], cost: &Rational, of: LinkId) {
        for &from in senders {
            for &to in receivers {
                self.links.push(GadgetLink {
                    from,
                    to,
                    cost: cost.clone(),
                    of: Some(of),
                });
            }
        }
    }

    fn free(&mut self, from: usize, to: usize) {
        self.links.push(GadgetLink {
            from,
            to,
            cost: Rational::zero(),
            of: None,
        });
    }

    /// The gadget as a platform, and the part that each node represents. A core keeps its name, its work and whether it
    /// replicates. The others are routers that pass a message on once, since the core has copies for all of them:
    /// `a in 2` and `a out 1` are ports of `a`, and `a -> b in`, `a -> b relay` and `a -> b out` the relays of a link.
    /// Latencies and overheads are left out.
    ///
    /// # Errors
    /// A node of the platform has such a name already.
    pub fn as_platform(&self, platform: &Platform) -> Result<Platform, PlatformError> {
        platform.without_shared("the gadget")?;
        let mut builder = Platform::builder();
        builder.model(PortModel::HalfDuplex);
        if let Some(units) = platform.units() {
            builder.units(units);
        }
        for (position, &(of, part)) in self.nodes.iter().enumerate() {
            let name = self.name(platform, position);
            builder.node(match part {
                Part::Core => Node {
                    model: None,
                    ports: None,
                    ..platform.node(of).clone()
                },
                Part::In | Part::Out | Part::Relay { .. } => Node {
                    replicates: false,
                    ..Node::router(name)
                },
            })?;
        }
        for link in &self.links {
            builder.link(
                NodeId::new(link.from),
                NodeId::new(link.to),
                link.cost.clone(),
            )?;
        }
        builder.build()
    }

    fn name(&self, platform: &Platform, position: usize) -> String {
        let Some(&(node, part)) = self.nodes.get(position) else {
            return String::new();
        };
        let name = platform.name(node);
        // The positions of one side of a node follow each other.
        let number = || {
            let before = self.nodes.iter().take(position);
            1 + before
                .rev()
                .take_while(|&&other| other == (node, part))
                .count()
        };
        match part {
            Part::Core => name.to_string(),
            Part::In => format!("{name} in {}", number()),
            Part::Out => format!("{name} out {}", number()),
            Part::Relay { of, stage } => {
                let stage = ["in", "relay", "out"][usize::from(stage.min(2))];
                format!("{} {stage}", platform.link_name(of))
            }
        }
    }

    /// The platform's links among those of one of the gadget's patterns, ascending, each once. A link with relays
    /// counts if both of its transfers are there.
    pub fn contracted(&self, links: &[usize]) -> Vec<LinkId> {
        let relay = |node: usize| matches!(self.nodes.get(node), Some((_, Part::Relay { .. })));
        let (mut whole, mut halves) = (BTreeSet::new(), [BTreeSet::new(), BTreeSet::new()]);
        for link in links.iter().filter_map(|&link| self.links.get(link)) {
            let Some(of) = link.of else { continue };
            match (relay(link.to), relay(link.from)) {
                (true, _) => halves[0].insert(of),
                (_, true) => halves[1].insert(of),
                _ => whole.insert(of),
            };
        }
        whole.extend(halves[0].intersection(&halves[1]));
        whole.into_iter().collect()
    }

    /// The platform's path or tree from `source` of one of the gadget: the first link to arrive at each node, in the
    /// order of arrival. `O(n m)`.
    pub fn way(&self, platform: &Platform, source: NodeId, links: &[usize]) -> Vec<LinkId> {
        let mut left = self.contracted(links);
        let mut has: PerNode<bool> = vec![false; self.cores.len()].into();
        if let Some(has) = has.get_mut(source.index()) {
            *has = true;
        }
        let mut way = Vec::new();
        let arrives = |link: LinkId, has: &PerNode<bool>| {
            let link = platform.link(link);
            has[link.from] && !has[link.to]
        };
        while let Some(next) = left.iter().position(|&link| arrives(link, &has)) {
            let link = left.remove(next);
            has[platform.link(link).to] = true;
            way.push(link);
        }
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_numbers::whole;

    /// A star: the hub sends to and receives from three leaves.
    fn star(
        hub: PortModel,
        ports: u32,
        leaf: PortModel,
        leaf_ports: u32,
    ) -> Result<Platform, PlatformError> {
        let mut builder = Platform::builder();
        let one = whole(1);
        let node = |name: &str, model, ports| Node {
            model: Some(model),
            ports: Some(ports),
            ..Node::processor(name, whole(1))
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
        // Two in- and two out-nodes, each joined to all three links. Three links of cost 0 per pair.
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

    /// Four nodes of two ports, every pair joined in both directions. The last node is of another model.
    fn complete(last: PortModel) -> Result<Platform, PlatformError> {
        let mut builder = Platform::builder();
        let one = whole(1);
        for name in ["a", "b", "c", "d"] {
            let node = Node::processor(name, one.clone());
            builder.node(Node {
                model: Some(if name == "d" {
                    last
                } else {
                    PortModel::Multiport
                }),
                ports: Some(2),
                ..node
            })?;
        }
        for from in 0..4 {
            for to in (0..4).filter(|&to| to != from) {
                builder.link(NodeId::new(from), NodeId::new(to), one.clone())?;
            }
        }
        builder.build()
    }

    #[test]
    fn links_that_are_nowhere_alone_have_relays() -> Result<(), Box<dyn std::error::Error>> {
        let platform = complete(PortModel::Multiport)?;
        let gadget = gadget(&platform)?;
        // Cores, two ports a side and node, three relays a link. Three links of cost 0 per pair of ports, five among
        // the relays of a link, and four that take time.
        assert_eq!(
            (gadget.nodes.len(), gadget.links.len()),
            (4 + 4 * 4 + 12 * 3, 4 * 6 + 12 * (5 + 4))
        );
        // Half of a relayed link leads nowhere.
        let positions_of = |link: LinkId| -> Vec<usize> {
            (0..gadget.links.len())
                .filter(|&position| gadget.links[position].of == Some(link))
                .collect()
        };
        let used = positions_of(LinkId::new(0));
        assert_eq!(used.len(), 4);
        assert_eq!(gadget.contracted(&used), [LinkId::new(0)]);
        assert!(gadget.contracted(&used[..2]).is_empty());
        assert!(gadget.contracted(&used[2..]).is_empty());
        Ok(())
    }

    #[test]
    fn odd_cycles_of_ports_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        let error = gadget(&complete(PortModel::HalfDuplex)?)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(
            error.starts_with("'a -> b': 'a' sends over 2 of 3 links at a time"),
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
