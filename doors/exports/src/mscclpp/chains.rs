//! Assigns steps to threadblocks: lanes, and chains of threadblocks if one is too short.

use std::collections::{BTreeMap, BTreeSet};

use super::block::Key;
use crate::operation::{Operation, Step};
use oneport_checks::mscclpp::limits::{CHANNELS, OPERATIONS};

/// Operations that a threadblock of a chain needs besides its sends and merges: it signals that it has entered, waits
/// for the same signal of others and for a semaphore, and releases one.
const FRAME: usize = 9;

/// Threadblock of each step.
pub(super) struct Chains {
    /// Per step: the threadblock that sends or merges.
    pub senders: Vec<Key>,
    /// Per step: the threadblock that waits for the message.
    pub receivers: Vec<Key>,
}

/// Number of operations and messages in the last threadblock of a chain.
#[derive(Default)]
struct Filled {
    /// Index in the chain.
    index: usize,
    operations: usize,
    messages: usize,
}

impl Filled {
    /// Adds operations, and perhaps messages, to the last threadblock, or to a new one if they do not fit.
    fn add(&mut self, operations: usize, messages: usize) -> usize {
        let full = self.operations + operations + FRAME > OPERATIONS
            || self.messages + messages > CHANNELS;
        if full {
            *self = Filled {
                index: self.index + 1,
                ..Filled::default()
            };
        }
        self.operations += operations;
        self.messages += messages;
        self.index
    }
}

impl Chains {
    /// Assigns the steps to `lanes` lanes. If they may be `long`, a full threadblock is continued by the next: each
    /// message may need a separate channel, a send four operations (two nops, put, signal), a merge three, a wait two.
    pub(super) fn new(
        operation: &Operation,
        units: &BTreeMap<(usize, u64), usize>,
        lanes: usize,
        long: bool,
    ) -> Self {
        let lane = |step: &Step| {
            units
                .get(&(step.demand, step.piece))
                .map_or(0, |unit| unit % lanes)
        };
        let steps = &operation.steps;
        let mut senders: Vec<Key> = steps
            .iter()
            .map(|step| (step.from, lane(step), 0))
            .collect();
        let mut receivers: Vec<Key> = steps.iter().map(|step| (step.to, lane(step), 0)).collect();
        if !long {
            return Chains { senders, receivers };
        }
        let mut filled: BTreeMap<(usize, usize), Filled> = BTreeMap::new();
        let mut received = vec![false; steps.len()];
        let indices: Vec<usize> = (0..steps.len()).collect();
        for (index, step) in steps.iter().enumerate() {
            let chain = filled.entry((step.from, lane(step))).or_default();
            let mut behind = step.uses(&indices);
            behind.retain(|&before| !steps[before].merge && !received[before]);
            let (operations, messages) = if step.merge { (3, 0) } else { (4, 1) };
            let at = chain.add(operations + 2 * behind.len(), messages + behind.len());
            senders[index].2 = at;
            if step.merge {
                receivers[index].2 = at;
            }
            for before in behind {
                received[before] = true;
                receivers[before].2 = at;
            }
        }
        for (index, step) in steps.iter().enumerate().filter(|(_, step)| !step.merge) {
            if !received[index] {
                receivers[index].2 = filled.entry((step.to, lane(step))).or_default().add(1, 1);
            }
        }
        Chains { senders, receivers }
    }

    /// Per rank: number of threadblocks that wait for an earlier one.
    pub(super) fn semaphores(&self, ranks: usize) -> Vec<u32> {
        self.count(ranks, |key| key.2 > 0)
    }

    /// Per rank: number of threadblocks that send, merge or wait.
    pub(super) fn threadblocks(&self, ranks: usize) -> Vec<u32> {
        self.count(ranks, |_| true)
    }

    fn count(&self, ranks: usize, which: impl Fn(&Key) -> bool) -> Vec<u32> {
        let keys = self.senders.iter().chain(&self.receivers);
        let keys: BTreeSet<&Key> = keys.filter(|key| which(key)).collect();
        let mut count = vec![0; ranks];
        for &&(rank, ..) in keys.iter() {
            count[rank] += 1;
        }
        count
    }
}
