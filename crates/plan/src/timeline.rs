//! Timelines: every message of every instance, with dates.

use oneport_platform::{LinkId, NodeId, Rational};

use crate::Message;

/// One transfer of one message of one instance over one link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The instance of the collective, from 0 in the order of starting. A demand of a process group with rate `r` runs
    /// `r` times per instance. These runs are numbered from 0 separately: number `k` belongs to instance `k / r`.
    pub instance: u64,
    /// Which of its messages. `(instance, message)` identifies the value that travels.
    pub message: Message,
    /// The link used.
    pub link: LinkId,
    /// When the link is busy with it: disjoint stretches `(start, end)`, ascending.
    pub pieces: Vec<(Rational, Rational)>,
}

/// One merge of two partial results of one instance: `v[k,m]` of `v[k,l]` and `v[l+1,m]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeEvent {
    /// The instance of the collective, counted as in [`Event::instance`].
    pub instance: u64,
    /// The result.
    pub message: Message,
    /// The last operand of the left part: `l`.
    pub split: usize,
    /// The processor that computes.
    pub node: NodeId,
    /// When it starts.
    pub start: Rational,
    /// When it ends.
    pub end: Rational,
}

/// A finite run of a periodic schedule: start-up, steady periods, clean-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Length of one period.
    pub period: Rational,
    /// Periods in which instances start. `instances_per_period` each.
    pub starting_periods: u64,
    /// Instances started per period.
    pub instances_per_period: u64,
    /// Further periods until the last message has arrived.
    pub clean_up_periods: u64,
    /// Whether everything runs as soon as possible, in the schedule's order: then instances may start before the period
    /// that they belong to. Otherwise every instance starts within it, and every period is like the others.
    pub eager: bool,
    /// All transfers. A message's transfers at one date, over links of cost 0, are in the order of its way.
    pub events: Vec<Event>,
    /// All merges.
    pub merges: Vec<MergeEvent>,
}

impl Timeline {
    /// A single instance within a single period.
    pub fn of_one(period: Rational, events: Vec<Event>, merges: Vec<MergeEvent>) -> Timeline {
        Timeline {
            period,
            starting_periods: 1,
            instances_per_period: 1,
            clean_up_periods: 0,
            eager: false,
            events,
            merges,
        }
    }
}
