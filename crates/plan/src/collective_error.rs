//! Mistakes of a collective on its platform.

/// Why a collective does not fit its platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// A participant id outside the platform.
    #[error(
        "{collective}: node id {id} does not exist; the platform has {nodes} nodes, numbered from 0"
    )]
    UnknownNode {
        /// The collective's name.
        collective: &'static str,
        /// The id's number.
        id: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// Only a processor owns an operand that is combined in any order, or combined and copied. Only a processor
    /// receives the result.
    #[error(
        "{collective}: {role} '{node}' is a router; here only processors take part: give the node a compute cost (a node \
             that merges nothing takes part in a reduction that keeps the order of operands)"
    )]
    Router {
        /// The collective's name.
        collective: &'static str,
        /// "source", "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// A switch cannot own or keep a message.
    #[error(
        "{collective}: {role} '{node}' is a router with replicates = false, a switch that keeps nothing; choose another \
             {role}, let it replicate, or give it a compute cost"
    )]
    Switch {
        /// The collective's name.
        collective: &'static str,
        /// "source", "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// A participant listed twice.
    #[error("{collective}: {role} '{node}' is listed twice; list every node once")]
    Twice {
        /// The collective's name.
        collective: &'static str,
        /// "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// The source among the targets, or the target among the senders.
    #[error("{collective}: '{node}' would send a message to itself; leave it out of the {role}s")]
    ToItself {
        /// The collective's name.
        collective: &'static str,
        /// "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// Counts for a collective that has none.
    #[error(
        "{collective} takes no counts; scatter, gather, all-to-all, all-gather and reduce-scatter do, others can be listed \
             as custom demands with rates"
    )]
    Uncounted {
        /// The collective's name.
        collective: &'static str,
    },
    /// Not one count for each demand.
    #[error(
        "{collective}: {count} counts are given; {wanted} are needed, one for each message or reduction"
    )]
    Counts {
        /// The collective's name.
        collective: &'static str,
        /// How many there are.
        count: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// Counts that are all 0.
    #[error("{collective}: every count is 0; give at least one from 1")]
    NoCount {
        /// The collective's name.
        collective: &'static str,
    },
    /// A count and the rate of its group that are too large together.
    #[error("group {}: rate {rate} times count {count} is above 18446744073709551615; give smaller ones", .group + 1)]
    LargeCount {
        /// The index in the list, from 0. Messages count from 1.
        group: usize,
        /// The rate of the group.
        rate: u64,
        /// The count.
        count: u64,
    },
    /// A switch that would have to keep a value that it passes on.
    #[error(
        "{collective}: '{node}' has replicates = false, so it cannot both keep and pass on a message; choose another \
             {role} or let it replicate"
    )]
    CannotCopy {
        /// The collective's name.
        collective: &'static str,
        /// "source", "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// A list of groups without a group.
    #[error("no group is given; list the participants of at least one")]
    NoGroups,
    /// Groups within groups.
    #[error("group {} is itself a list of groups; list its groups among the others", .group + 1)]
    Nested {
        /// The index in the list, from 0. Messages count from 1.
        group: usize,
    },
    /// A group with rate 0.
    #[error("group {} has rate 0; give a whole number from 1, or leave the group out", .group + 1)]
    NoRate {
        /// The index in the list, from 0. Messages count from 1.
        group: usize,
    },
    /// A member that does not fit.
    #[error("group {}: {error}", .group + 1)]
    InGroup {
        /// The index in the list, from 0. Messages count from 1.
        group: usize,
        /// The mistake of the group.
        error: Box<CollectiveError>,
    },
    /// A list of demands without a demand.
    #[error("no demand is given; list at least one")]
    NoDemands,
    /// A demand with rate 0.
    #[error(
        "demand {demand} (counted from 0) has rate 0; give a whole number from 1, or leave the demand out"
    )]
    NoRateOfDemand {
        /// The index in the list.
        demand: usize,
    },
    /// A demand that does not fit.
    #[error("demand {demand} (counted from 0): {error}")]
    InDemand {
        /// The index in the list.
        demand: usize,
        /// The mistake of the demand.
        error: Box<CollectiveError>,
    },
    /// A reduction of one value.
    #[error(
        "{collective}: a single participant is its own result, so the throughput would be unbounded; at least 2 \
             participants needed (gather moves a single value)"
    )]
    OwnResult {
        /// The collective's name.
        collective: &'static str,
    },
    /// A reduction of one value, wanted elsewhere.
    #[error(
        "{collective}: a single participant, so nothing is combined; at least 2 participants needed (gather moves a single \
             value)"
    )]
    NothingCombined {
        /// The collective's name.
        collective: &'static str,
    },
    /// Too few participants for anything to be sent.
    #[error("{collective}: {count} {role}s; at least {least} needed")]
    TooFew {
        /// The collective's name.
        collective: &'static str,
        /// "target" or "participant".
        role: &'static str,
        /// How many there are.
        count: usize,
        /// How many there should be.
        least: usize,
    },
}
