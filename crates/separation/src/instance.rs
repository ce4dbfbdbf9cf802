//! The question: nodes, links and messages.

use crate::gadget::Gadget;
use crate::heaviest::HeaviestError;
use oneport_exact::ExactError;
use oneport_plan::{Collective, Demand, Kind};
use oneport_platform::{NodeId, Platform, PortModel, Rational};
use oneport_watch::Limit;

/// A question of the paper: half-duplex nodes, links with costs, messages of size 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub(crate) nodes: usize,
    pub(crate) links: Vec<(usize, usize, Rational)>,
    pub(crate) messages: Vec<Message>,
}

/// One message of every instance of the collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The node that has it at first.
    pub source: usize,
    /// The node that receives it. `None`: all nodes do.
    pub target: Option<usize>,
    /// How often per instance.
    pub rate: u64,
}

/// Why a question does not fit this program, or was not answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SeparationError {
    /// A node under another port model.
    #[error(
        "node '{node}' is {model}; the program is that of half-duplex nodes (the module gadget makes such of others)"
    )]
    NotHalfDuplex {
        /// Name of the node.
        node: String,
        /// Its model.
        model: PortModel,
    },
    /// A demand that combines values.
    #[error(
        "demand {demand} of the {collective} combines values; patterns here are paths and spanning trees"
    )]
    Combines {
        /// Index of the demand.
        demand: usize,
        /// Name of the collective.
        collective: &'static str,
    },
    /// A message for some nodes, but not for all.
    #[error(
        "demand {demand} leaves out node '{node}'; the lightest tree for some nodes only is a Steiner problem"
    )]
    LeavesOut {
        /// Index of the demand.
        demand: usize,
        /// Name of the first node that is neither the source nor a target.
        node: String,
    },
    /// A switch in a tree.
    #[error(
        "node '{node}' does not replicate, so spanning trees are not the patterns of a message for all nodes"
    )]
    CannotCopy {
        /// Name of the node.
        node: String,
    },
    /// A node that the message cannot reach.
    #[error("node {target} is not reachable from node {source_node}: no pattern exists")]
    Unreachable {
        /// The source's number.
        source_node: usize,
        /// The number of a node that receives the message.
        target: usize,
    },
    /// A gadget of another platform.
    #[error(
        "the gadget has {gadget} cores, the platform {platform} nodes; a gadget of this platform is needed"
    )]
    OtherGadget {
        /// Cores.
        gadget: usize,
        /// Nodes.
        platform: usize,
    },
    /// Prices of either sign for a message of a single node.
    #[error(
        "a message for node {target} alone goes by a path, and lightest paths under negative prices are NP-hard to find; \
         messages for all nodes go by trees"
    )]
    EitherSign {
        /// The node's number.
        target: usize,
    },
    /// Not one price per link.
    #[error("{prices} prices are given for {links} links; there must be one per link")]
    PricesCount {
        /// How many prices.
        prices: usize,
        /// How many links.
        links: usize,
    },
    /// A matching or pattern that the instance does not have.
    #[error("{what} {index} names no {what} of this instance")]
    NotOfInstance {
        /// `matching` or `pattern`.
        what: &'static str,
        /// Its index in the list.
        index: usize,
    },
    /// No time is needed at all.
    #[error("a pattern takes no time, so the throughput has no bound")]
    Unbounded,
    /// A proof that does not add up.
    #[error("the proof does not hold: {0}")]
    Unproved(String),
    /// A heaviest matching was refused.
    #[error(transparent)]
    Heaviest(#[from] HeaviestError),
    /// The exact simplex was refused.
    #[error(transparent)]
    Exact(#[from] ExactError),
    /// The watch ended the work.
    #[error("stopped: {0}")]
    Stopped(#[from] Limit),
}

impl Instance {
    /// The question of a collective on a half-duplex platform. Broadcast and all-gather over all nodes, scatter,
    /// gather, all-to-all, and custom lists or groups of such.
    ///
    /// # Errors
    /// [`SeparationError`] names the first node or demand that does not fit.
    pub fn new(platform: &Platform, collective: &Collective) -> Result<Self, SeparationError> {
        for node in platform.node_ids() {
            let model = platform.model_of(node);
            if model != PortModel::HalfDuplex {
                return Err(SeparationError::NotHalfDuplex {
                    node: platform.name(node).to_string(),
                    model,
                });
            }
        }
        let links = platform
            .links()
            .iter()
            .map(|link| (link.from.index(), link.to.index(), link.cost.clone()));
        let messages = messages(platform, collective, NodeId::index)?;
        Instance {
            nodes: platform.nodes().len(),
            links: links.collect(),
            messages,
        }
        .reachable()
    }

    /// The question of a collective on a platform of any models, by the platform's gadget.
    ///
    /// # Errors
    /// Those of [`new`](Self::new) except for port models. A gadget of a platform with another number of nodes.
    pub fn of_gadget(
        platform: &Platform,
        gadget: &Gadget,
        collective: &Collective,
    ) -> Result<Self, SeparationError> {
        let [cores, nodes] = [gadget.cores.len(), platform.nodes().len()];
        if cores != nodes {
            return Err(SeparationError::OtherGadget {
                gadget: cores,
                platform: nodes,
            });
        }
        let links = gadget
            .links
            .iter()
            .map(|link| (link.from, link.to, link.cost.clone()))
            .collect();
        let messages = messages(platform, collective, |node| gadget.cores[node.index()])?;
        Instance {
            nodes: gadget.nodes.len(),
            links,
            messages,
        }
        .reachable()
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Sender, receiver and cost of each link. The cost is a time per message, 0 or more.
    pub fn links(&self) -> &[(usize, usize, Rational)] {
        &self.links
    }

    /// The messages of an instance of the collective.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Refuses messages that cannot arrive.
    fn reachable(self) -> Result<Self, SeparationError> {
        for message in &self.messages {
            let mut reached = vec![false; self.nodes];
            let mut open = vec![message.source];
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut reached[node], true) {
                    open.extend(
                        self.links
                            .iter()
                            .filter(|(from, _, _)| *from == node)
                            .map(|(_, to, _)| *to),
                    );
                }
            }
            let wants = |node: usize| message.target.is_none_or(|target| target == node);
            if let Some(target) = (0..self.nodes).find(|&node| wants(node) && !reached[node]) {
                return Err(SeparationError::Unreachable {
                    source_node: message.source,
                    target,
                });
            }
        }
        Ok(self)
    }
}

/// The messages of a collective. `index` numbers the nodes.
fn messages(
    platform: &Platform,
    collective: &Collective,
    index: impl Fn(NodeId) -> usize,
) -> Result<Vec<Message>, SeparationError> {
    let message = |number: usize| -> Result<Option<Message>, SeparationError> {
        let Some(demand) = collective.demand(number) else {
            return Ok(None);
        };
        let rate = collective.rate(number);
        let source = demand
            .operands
            .first()
            .map(|&node| index(node))
            .unwrap_or_default();
        match demand.kind() {
            Kind::Route => Ok(demand.targets().first().map(|&target| Message {
                source,
                target: Some(index(target)),
                rate,
            })),
            Kind::Copy => {
                spans(platform, &demand, number)?;
                Ok(Some(Message {
                    source,
                    target: None,
                    rate,
                }))
            }
            Kind::Combine | Kind::CombineCopy | Kind::Prefix => Err(SeparationError::Combines {
                demand: number,
                collective: collective.name(),
            }),
        }
    };
    let all: Result<Vec<_>, _> = (0..collective.demands()).map(message).collect();
    Ok(all?.into_iter().flatten().collect())
}

/// Refuses a message for several nodes, but not all, and nodes that do not pass on copies.
fn spans(platform: &Platform, demand: &Demand<'_>, number: usize) -> Result<(), SeparationError> {
    let name = |node: NodeId| platform.name(node).to_string();
    let is_end = |node: &NodeId| demand.operands.contains(node) || demand.targets().contains(node);
    if let Some(node) = platform.node_ids().find(|node| !is_end(node)) {
        return Err(SeparationError::LeavesOut {
            demand: number,
            node: name(node),
        });
    }
    match platform
        .node_ids()
        .find(|&node| !platform.node(node).replicates)
    {
        Some(node) => Err(SeparationError::CannotCopy { node: name(node) }),
        None => Ok(()),
    }
}
