//! Mistakes of a platform.

use crate::{PortModel, Rational};

/// Why a platform was refused. Every variant names the nodes and values involved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlatformError {
    /// Two nodes share a name.
    #[error("node name '{name}' is used twice; give each node a unique name")]
    DuplicateNode {
        /// The name used twice.
        name: String,
    },
    /// A node has an empty name, or one with control characters.
    #[error(
        "node name {name:?} is empty, too long (over 200 characters) or holds control characters"
    )]
    BadName {
        /// The refused name, shortened.
        name: String,
    },
    /// A processor whose compute cost is not positive.
    #[error(
        "node '{node}': compute is {value}; a processor's time per unit of work must be positive (leave compute out for a router)"
    )]
    BadCompute {
        /// The node's name.
        node: String,
        /// The refused value.
        value: Box<Rational>,
    },
    /// A router whose merges take less than no time.
    #[error("node '{node}': reduces is {value}; a time per unit of work is 0 or more")]
    BadReduces {
        /// The node's name.
        node: String,
        /// The refused value.
        value: Box<Rational>,
    },
    /// A processor that reduces as a router, too.
    #[error(
        "node '{node}' has compute and reduces; a processor merges as it is, so leave one of them out"
    )]
    MergesTwice {
        /// The node's name.
        node: String,
    },
    /// A node with zero ports.
    #[error("node '{node}': ports is 0; a node needs at least one port")]
    NoPorts {
        /// The node's name.
        node: String,
    },
    /// A link whose cost is negative.
    #[error("link {from} -> {to}: cost is {cost}; a cost is 0 or more")]
    BadCost {
        /// Name of the sending node.
        from: String,
        /// Name of the receiving node.
        to: String,
        /// The refused cost.
        cost: Box<Rational>,
    },
    /// A latency or an overhead below 0.
    #[error("link {from} -> {to}: {what} is {value}; a time is 0 or more")]
    BadDelay {
        /// Name of the sending node.
        from: String,
        /// Name of the receiving node.
        to: String,
        /// Latency or overhead.
        what: &'static str,
        /// The refused time.
        value: Box<Rational>,
    },
    /// A link from a node to itself.
    #[error("link {node} -> {node}: a node needs no link to itself")]
    SelfLoop {
        /// The node's name.
        node: String,
    },
    /// An ordered pair of nodes is linked twice.
    #[error(
        "link {from} -> {to} is given twice (cost {first} and {second}); keep one, or give the two wires a router each"
    )]
    DuplicateLink {
        /// Name of the sending node.
        from: String,
        /// Name of the receiving node.
        to: String,
        /// Cost given first.
        first: Box<Rational>,
        /// Cost given second.
        second: Box<Rational>,
    },
    /// An id that this builder did not hand out.
    #[error("node id {id} does not exist; this platform has {nodes} nodes, numbered from 0")]
    UnknownNodeId {
        /// The id's number.
        id: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// An id that is not a link of this platform.
    #[error("link id {id} does not exist; this platform has {links} links, numbered from 0")]
    UnknownLinkId {
        /// The id's number.
        id: usize,
        /// How many links there are.
        links: usize,
    },
    /// An id that is not a shared capacity of this platform.
    #[error("shared capacity {id} does not exist; this platform has {shared}, numbered from 0")]
    UnknownSharedId {
        /// The id's number.
        id: usize,
        /// How many shared capacities there are.
        shared: usize,
    },
    /// A multiple of a compute cost that is not there.
    #[error(
        "node '{node}' is a router and has no compute cost that could be multiplied; give it one"
    )]
    NoCompute {
        /// The node's name.
        node: String,
    },
    /// Two shared capacities have the same name.
    #[error("shared '{shared}' is given twice; give each shared capacity a unique name")]
    DuplicateShared {
        /// The name used twice.
        shared: String,
    },
    /// A shared capacity of no links.
    #[error("shared '{shared}' has no links; name the links that share it, or leave it out")]
    NoLinks {
        /// The name of the capacity.
        shared: String,
    },
    /// A shared capacity whose rate is not positive.
    #[error(
        "shared '{shared}': its rate is {rate}; units of message per unit of time must be positive"
    )]
    BadRate {
        /// The name of the capacity.
        shared: String,
        /// The refused rate.
        rate: Box<Rational>,
    },
    /// A shared capacity that counts a link 0 times, or too often.
    #[error("shared '{shared}' counts link {link} {weight} times; a link counts 1 to 1000 times")]
    BadWeight {
        /// The name of the capacity.
        shared: String,
        /// The number of the link.
        link: usize,
        /// The refused weight.
        weight: u32,
    },
    /// A link with a shared capacity that ends at a node with ports.
    #[error(
        "shared '{shared}': link '{link}' ends at '{node}', which has ports ({model}); one transfer at a time does not divide \
         a shared capacity. Put model = \"links\" on '{node}', or write its port as a shared capacity of its links"
    )]
    SharedAtPort {
        /// The name of the capacity.
        shared: String,
        /// The link, by the names of its ends.
        link: String,
        /// The name of the end with ports.
        node: String,
        /// Its port model.
        model: PortModel,
    },
    /// An operation that does not support shared capacities.
    #[error(
        "the platform has shared capacities ('{shared}' is the first), which {what} does not support; throughputs and their bounds do"
    )]
    SharedUnsupported {
        /// The refusing operation.
        what: &'static str,
        /// The name of the first capacity.
        shared: String,
    },
    /// A platform without nodes.
    #[error("the platform has no node; at least one is needed")]
    Empty,
    /// A generator has an impossible parameter.
    #[error("generator {generator}: {parameter} is {value}; {expected}")]
    BadParameter {
        /// The generator's name.
        generator: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// The refused value.
        value: String,
        /// The expected value.
        expected: &'static str,
    },
    /// More nodes or links than ids can number.
    #[error("too many {what}: at most {limit}")]
    TooMany {
        /// "nodes" or "links".
        what: &'static str,
        /// The largest number accepted.
        limit: usize,
    },
}
