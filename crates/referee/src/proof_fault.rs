//! What can be wrong with a certificate.

use oneport_platform::Rational;

use crate::violation::shown;

/// A price, an odd set, a cut or a share that is not as it should be. Odd sets, cuts and shares count from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofFault {
    /// A resource of a node outside the platform.
    #[error("{place} {kind} of node id {id}: no such node; the platform has {nodes} nodes, numbered from 0")]
    UnknownNode {
        /// "price of the", "odd set 3: the" or "share 3: the".
        place: String,
        /// "send port", "receive port", "processor" or "port".
        kind: &'static str,
        /// The id's number.
        id: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A link outside the platform.
    #[error("{place} link id {id} does not exist; the platform has {links} links, numbered from 0")]
    UnknownLink {
        /// "price of the", "odd set 3: the" or "share 3: the".
        place: String,
        /// The id's number.
        id: usize,
        /// How many links there are.
        links: usize,
    },
    /// A port that the node's model does not have.
    #[error("{place} {resource} does not exist; under the {model} model {right}")]
    OtherModel {
        /// "price of the" or "odd set 3: the".
        place: String,
        /// The resource.
        resource: String,
        /// The node's model.
        model: oneport_platform::PortModel,
        /// What there is.
        right: &'static str,
    },
    /// A price that is not positive.
    #[error("price of {resource} is {}; a price must be positive (leave out what costs nothing)", shown(.found))]
    BadPrice {
        /// "the send port of 'a'", "odd set 3" or "share 3".
        resource: String,
        /// The price.
        found: Box<Rational>,
    },
    /// A price out of order, or given twice.
    #[error(
        "price of the {resource} follows that of the {previous}; list send ports, then receive ports, then processors, then ports of half-duplex nodes, by node, then links, each once"
    )]
    PriceOrder {
        /// The resource.
        resource: String,
        /// The one listed before.
        previous: String,
    },
    /// A price on the processor of a router.
    #[error("price of the processor of '{node}': the node is a router, which merges nothing; leave the price out")]
    Router {
        /// The node's name.
        node: String,
    },
    /// An odd set whose ports or links are out of order, or listed twice; or odd sets, cuts or shares out of order.
    #[error("{place} {what} are out of order; list them ascending, each once")]
    Order {
        /// "odd set 3: its", "cut 3: its" or "certificate: the".
        place: String,
        /// "ports", "links", "nodes", "odd sets", "cuts" or "shares".
        what: &'static str,
    },
    /// Something else than a port in an odd set.
    #[error("{place}: the {resource} is no port; list ports of nodes, and further links among the links")]
    NoPort {
        /// "odd set 3".
        place: String,
        /// The resource.
        resource: String,
    },
    /// A further link of an odd set with both ends among the ports, or none.
    #[error("{place}: {found} ends of link '{link}' are among its ports; a further link has exactly one there")]
    FurtherLink {
        /// "odd set 3".
        place: String,
        /// The link.
        link: String,
        /// How many ends are.
        found: usize,
    },
    /// A cut without nodes.
    #[error("cut {cut}: it has no nodes; list those that something has to leave")]
    EmptyCut {
        /// The cut.
        cut: usize,
    },
    /// A cut with a node outside the platform.
    #[error("cut {cut}: node id {id} does not exist; the platform has {nodes} nodes, numbered from 0")]
    CutNode {
        /// The cut.
        cut: usize,
        /// The id's number.
        id: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A cut of a demand outside the collective.
    #[error("cut {cut}: demand {demand} does not exist; an instance has {demands}, numbered from 0")]
    CutDemand {
        /// The cut.
        cut: usize,
        /// The number.
        demand: usize,
        /// How many demands there are.
        demands: usize,
    },
    /// A cut whose weight is not positive.
    #[error("cut {cut}: its weight is {}; a weight must be positive (leave the cut out)", shown(.found))]
    CutWeight {
        /// The cut.
        cut: usize,
        /// The weight.
        found: Box<Rational>,
    },
    /// Cuts that charge a link for more than it costs.
    #[error("the cuts for {demand} charge {} for link '{link}'; a message over it costs {}", shown(.charged), shown(.cost))]
    Overcharged {
        /// The demand's name.
        demand: String,
        /// The link.
        link: String,
        /// The weights of the cuts that the link leaves.
        charged: Box<Rational>,
        /// The price of the smallest message over the link.
        cost: Box<Rational>,
    },
    /// A border, potential or exchange of something else than an all-reduce.
    #[error("{place}: demand {demand} of {demands} is no all-reduce (they are numbered from 0); leave it out")]
    NoAllReduce {
        /// "border 3", "potential 3" or "exchange 3".
        place: String,
        /// The number.
        demand: usize,
        /// How many demands there are.
        demands: usize,
    },
    /// Sets of nodes that do not meet the conditions of the theorem that they are used for.
    #[error("{place}: {what}; {right}")]
    ExchangeSets {
        /// "border 3" or "exchange 3".
        place: String,
        /// What is wrong.
        what: String,
        /// What there is.
        right: &'static str,
    },
    /// A potential that no node, or not this one, may have.
    #[error("{place}: '{node}' has {}; {right}", shown(.found))]
    BadPotential {
        /// "potential 3".
        place: String,
        /// The node's name.
        node: String,
        /// The potential.
        found: Box<Rational>,
        /// What there is.
        right: &'static str,
    },
    /// Borders, potentials and exchanges that charge a link for more than it costs.
    #[error("{demand}: borders, potentials and exchanges charge {} for link '{link}'; a message over it costs {}", shown(.charged), shown(.cost))]
    ExchangeOvercharged {
        /// The demand's name.
        demand: String,
        /// The link.
        link: String,
        /// What they charge together.
        charged: Box<Rational>,
        /// The price of the smallest message over the link.
        cost: Box<Rational>,
    },
    /// A share of a demand outside the collective.
    #[error("share {share}: demand {demand} does not exist; an instance has {demands}, numbered from 0")]
    ShareDemand {
        /// The share.
        share: usize,
        /// The number.
        demand: usize,
        /// How many demands there are.
        demands: usize,
    },
    /// A share of a demand that has none.
    #[error("share {share}: {demand} has no shares, since {why}; leave them out")]
    ShareKind {
        /// The share.
        share: usize,
        /// The demand's name.
        demand: String,
        /// What keeps it from having shares.
        why: &'static str,
    },
    /// A share of a goal that the demand does not have.
    #[error("share {share}: goal {goal} does not exist; the demand has {goals}, numbered from 0")]
    ShareGoal {
        /// The share.
        share: usize,
        /// The number.
        goal: usize,
        /// How many goals the demand has.
        goals: usize,
    },
    /// A share of a task that no tree of the goal contains.
    #[error("share {share}: {what} is no task of the goal; {right}")]
    ShareTask {
        /// The share.
        share: usize,
        /// What is wrong with the task: a part, a place or a split.
        what: String,
        /// What there is.
        right: String,
    },
    /// Shares of a task that exceed its price.
    #[error("the goals of {demand} pay {} for {task}; it costs {}, and they may pay no more", shown(.charged), shown(.cost))]
    ShareOvercharged {
        /// The demand's name.
        demand: String,
        /// The task.
        task: String,
        /// The sum of its shares.
        charged: Box<Rational>,
        /// Its price.
        cost: Box<Rational>,
    },
    /// Shares of so many goals and operands that their cheapest trees are not looked for.
    #[error(
        "the shares of {demand} ({operands} operands) take {steps} steps to check; the limit is {limit}; leave them out"
    )]
    TooManyShares {
        /// The demand's name.
        demand: String,
        /// How many values it combines.
        operands: usize,
        /// Steps of the interval programs of all goals.
        steps: u128,
        /// The limit.
        limit: u128,
    },
}
