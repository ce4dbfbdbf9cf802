//! What can be wrong with copies, and with what is used.

use oneport_plan::Interval;

use crate::violation::part_name;

/// A broken rule of sending and copying. Tasks and operands count from 0; `v[k,m]` combines operands `k` to `m`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyFault {
    /// A link that does not start where its message is.
    #[error("sends the message over {link}, but it is at '{node}' then")]
    BrokenHop {
        /// The link, "from -> to".
        link: String,
        /// Where the message is.
        node: String,
    },
    /// A message for one target that comes to a node where it has been.
    #[error("the message comes to '{node}' twice; cut the detour out")]
    Returned {
        /// The node.
        node: String,
    },
    /// A message for one target that is sent on twice.
    #[error("tasks {first} and {second} both send the message on from '{node}'; it has one target, so it goes one way")]
    TwoWays {
        /// The first that sends it.
        first: usize,
        /// The second.
        second: usize,
        /// The node.
        node: String,
    },
    /// A copy used twice where nothing is replicated.
    #[error(
        "tasks {first} and {second} both use the same copy at '{node}', which does not replicate; bring a copy for each"
    )]
    Duplicated {
        /// The first that uses it.
        first: usize,
        /// The second.
        second: usize,
        /// The node.
        node: String,
    },
    /// A target that is not reached.
    #[error("'{target}' gets no copy; every target must get one")]
    NoCopy {
        /// The target.
        target: String,
    },
    /// A task that uses what comes later, or never.
    #[error("uses the result of task {input}; a task uses the results of earlier ones")]
    LaterTask {
        /// The task named.
        input: usize,
    },
    /// A task that uses something else than it says.
    #[error("uses the result of task {input}, which is {}; it must be {}", part_name(.found), part_name(.part))]
    OtherPart {
        /// The task named.
        input: usize,
        /// Its result.
        found: Interval,
        /// The part needed.
        part: Interval,
    },
    /// A goal that is not reached.
    #[error("{} is not brought to '{node}', where it is wanted", part_name(.part))]
    NoResult {
        /// The part.
        part: Interval,
        /// Where it is wanted.
        node: String,
    },

    // Runs.
    /// A copy used where there is none, or none left.
    #[error("{what} starts at {start}, when '{node}' has {} of {value} to use", if *.waiting { "no copy yet" } else { "no copy left" })]
    NotHeld {
        /// The transfer or the merge.
        what: String,
        /// Its start.
        start: String,
        /// Where.
        node: String,
        /// What it needs.
        value: String,
        /// Whether none has arrived at all; otherwise all have been used by others.
        waiting: bool,
    },
    /// A goal not reached in a run.
    #[error("{value} never arrives at '{node}', where it is wanted")]
    Missing {
        /// What.
        value: String,
        /// Where.
        node: String,
    },
}
