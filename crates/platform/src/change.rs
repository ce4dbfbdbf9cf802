//! Platforms that differ from another one in a few numbers, or lack some of its links or nodes.

use crate::{
    LinkId, NodeId, PerLink, PerNode, PerShared, Platform, PlatformError, PortModel, Rational,
    Shared, SharedId,
};

/// A number that replaces another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// The old one times this factor, which must be positive.
    Times(Rational),
    /// This one.
    Exactly(Rational),
}

impl Number {
    fn of(&self, old: &Rational) -> Rational {
        match self {
            Number::Times(factor) => old * factor,
            Number::Exactly(value) => value.clone(),
        }
    }
}

/// A change of one link, node or shared capacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A link's own cost (time for one unit of message).
    Cost(LinkId, Number),
    /// The rate of a shared capacity (units of message per unit of time).
    Rate(SharedId, Number),
    /// The shared capacity is gone: its links have their other limits only.
    WithoutShared(SharedId),
    /// The link is gone.
    WithoutLink(LinkId),
    /// A processor's compute cost (time for one unit of work). A router has none that could be multiplied, and becomes
    /// a processor by [`Number::Exactly`].
    Compute(NodeId, Number),
    /// The node only forwards.
    Router(NodeId),
    /// Whether the node duplicates messages.
    Replicates(NodeId, bool),
    /// The router combines the values that pass through it, in this time per unit of work. `None`: it does not.
    Reduces(NodeId, Option<Rational>),
    /// Simultaneous sends, and receives, under [`PortModel::Multiport`].
    Ports(NodeId, u32),
    /// The node's own port model.
    Model(NodeId, PortModel),
    /// The node is gone, with all its links.
    WithoutNode(NodeId),
}

/// A platform made of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The new platform. The rest keeps its order, so that ids stay the same if nothing is removed.
    pub platform: Platform,
    /// Per id of the old platform: the node in the new one. `None` if it is removed.
    pub nodes: PerNode<Option<NodeId>>,
    /// Per id of the old platform: the link in the new one. `None` if it is removed.
    pub links: PerLink<Option<LinkId>>,
    /// Per id of the old platform: the shared capacity in the new one. `None` if it is removed or has no links left.
    pub shared: PerShared<Option<SharedId>>,
}

impl Platform {
    /// The platform with these changes, one after another. The platform itself stays as it is.
    ///
    /// ```
    /// use oneport_platform::{Change, Number, parse_rational};
    /// use oneport_platform::generate::torus;
    /// let torus = torus(&[3, 3])?;
    /// let [first, second] = [0, 1].map(|link| torus.link_ids().nth(link).unwrap());
    /// let half = Number::Times(parse_rational("1/2")?);
    /// let changed = torus.changed(&[Change::Cost(first, half), Change::WithoutLink(second)])?;
    /// assert_eq!(changed.platform.link(first).cost, torus.link(first).cost.clone() / parse_rational("2")?);
    /// assert_eq!((changed.links[second], changed.platform.links().len()), (None, 35));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An id of another platform, a cost below 0, a rate or a compute cost that is not positive, a multiple of a number
    /// that a router does not have, a processor that would reduce as a router, no ports, or no node left.
    ///
    /// # Complexity
    /// `O((n + m) log (n + m) + k)` for `k` changes of `n` nodes and `m` links.
    pub fn changed(&self, changes: &[Change]) -> Result<Changed, PlatformError> {
        let mut draft = Draft::of(self);
        for change in changes {
            draft.apply(self, change)?;
        }
        draft.build(self)
    }
}

/// The rest of a platform, with its new numbers.
struct Draft {
    nodes: PerNode<Option<crate::Node>>,
    costs: PerLink<Option<Rational>>,
    shared: Vec<Option<Shared>>,
}

impl Draft {
    fn of(platform: &Platform) -> Draft {
        Draft {
            nodes: platform.nodes().iter().cloned().map(Some).collect(),
            costs: platform
                .link_ids()
                .map(|link| Some(platform.own_cost(link).clone()))
                .collect(),
            shared: platform.shared().iter().cloned().map(Some).collect(),
        }
    }

    /// A change of an element that was removed has no effect.
    fn apply(&mut self, platform: &Platform, change: &Change) -> Result<(), PlatformError> {
        match change {
            Change::Cost(link, number) => {
                let cost = self.cost(*link)?;
                *cost = cost.as_ref().map(|old| number.of(old));
            }
            Change::WithoutLink(link) => *self.cost(*link)? = None,
            Change::Rate(id, number) => {
                if let Some(shared) = self.shared(*id)? {
                    shared.rate = number.of(&shared.rate);
                }
            }
            Change::WithoutShared(id) => *self.shared(*id)? = None,
            Change::WithoutNode(node) => {
                *self.entry(*node)? = None;
                let all = platform
                    .outgoing(*node)
                    .iter()
                    .chain(platform.incoming(*node));
                for link in all {
                    self.costs[*link] = None;
                }
            }
            Change::Compute(id, number) => {
                let Some(node) = self.entry(*id)? else {
                    return Ok(());
                };
                node.compute = match (&node.compute, number) {
                    (Some(old), number) => Some(number.of(old)),
                    (None, Number::Exactly(value)) => Some(value.clone()),
                    (None, Number::Times(_)) => {
                        return Err(PlatformError::NoCompute {
                            node: platform.name(*id).to_string(),
                        });
                    }
                };
                node.reduces = None;
            }
            Change::Router(node) => {
                if let Some(node) = self.entry(*node)? {
                    (node.compute, node.reduces) = (None, None);
                }
            }
            Change::Replicates(node, replicates) => {
                if let Some(node) = self.entry(*node)? {
                    node.replicates = *replicates;
                }
            }
            Change::Reduces(id, time) => {
                if let Some(node) = self.entry(*id)? {
                    node.reduces.clone_from(time);
                }
            }
            Change::Ports(node, ports) => {
                if let Some(node) = self.entry(*node)? {
                    node.ports = Some(*ports);
                }
            }
            Change::Model(node, model) => {
                if let Some(node) = self.entry(*node)? {
                    node.model = Some(*model);
                }
            }
        }
        Ok(())
    }

    fn entry(&mut self, id: NodeId) -> Result<&mut Option<crate::Node>, PlatformError> {
        let nodes = self.nodes.len();
        self.nodes
            .get_mut(id.index())
            .ok_or(PlatformError::UnknownNodeId {
                id: id.index(),
                nodes,
            })
    }

    fn cost(&mut self, id: LinkId) -> Result<&mut Option<Rational>, PlatformError> {
        let links = self.costs.len();
        self.costs
            .get_mut(id.index())
            .ok_or(PlatformError::UnknownLinkId {
                id: id.index(),
                links,
            })
    }

    fn shared(&mut self, id: SharedId) -> Result<&mut Option<Shared>, PlatformError> {
        let shared = self.shared.len();
        self.shared
            .get_mut(id.index())
            .ok_or(PlatformError::UnknownSharedId {
                id: id.index(),
                shared,
            })
    }

    fn build(self, old: &Platform) -> Result<Changed, PlatformError> {
        let mut builder = Platform::builder();
        builder.model(old.model());
        if let Some(units) = old.units() {
            _ = builder.units(units);
        }
        let node = |node: Option<crate::Node>| node.map(|node| builder.node(node)).transpose();
        let nodes: PerNode<Option<NodeId>> =
            self.nodes.into_iter().map(node).collect::<Result<_, _>>()?;
        let mut links = old.per_link(None);
        for (id, cost) in old.link_ids().zip(self.costs) {
            let link = old.link(id);
            let ends = nodes[link.from].zip(nodes[link.to]);
            let kept = ends
                .zip(cost)
                .map(|((from, to), cost)| builder.link(from, to, cost));
            let kept = kept.transpose()?;
            if let (Some(kept), Some(delays)) = (kept, &link.delays) {
                builder.delays(kept, (**delays).clone())?;
            }
            links[id] = kept;
        }
        let mut shared = Vec::with_capacity(self.shared.len());
        for kept in self.shared {
            let kept = kept.map(|mut kept| {
                let weights = std::mem::take(&mut kept.weights).into_iter();
                kept.weights = weights
                    .filter_map(|(link, weight)| Some((links[link]?, weight)))
                    .collect();
                kept
            });
            let kept = kept.filter(|kept| !kept.weights.is_empty());
            shared.push(kept.map(|kept| builder.share(kept)).transpose()?);
        }
        Ok(Changed {
            platform: builder.build()?,
            nodes,
            links,
            shared: shared.into(),
        })
    }
}
