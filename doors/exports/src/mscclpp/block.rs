//! The operations of one threadblock, with nops, signals and waits only if they are necessary.

use std::collections::{BTreeMap, BTreeSet};

use oneport_checks::mscclpp::limits::CHANNELS_AT_ONCE;
use oneport_checks::mscclpp::schema::{BufferType, ChannelType, ChunkRange, Name, Op};

/// Buffer and index of a value on the rank that holds it.
pub(super) type Spot = (BufferType, u32);

/// A threadblock: rank, lane, index in the lane's chain.
pub(super) type Key = (usize, usize, usize);

/// Builder of a threadblock. Until all threadblocks exist, a channel is identified by the threadblock at its other end.
#[derive(Default)]
pub(super) struct Block {
    pub ops: Vec<Op>,
    /// The other ends, in the order of the threadblock's channel numbers.
    pub peers: Vec<Key>,
    /// Remote buffers, in the order of the threadblock's numbers.
    pub remote: Vec<(usize, BufferType)>,
    /// Per sender: messages that come.
    pub expected: BTreeMap<Key, u32>,
    /// Per sender: messages waited for.
    arrived: BTreeMap<Key, u32>,
    /// Receivers of puts that are not signalled yet.
    unsignalled: Vec<Key>,
    /// Whether something was waited for since the last nop.
    pub waited: bool,
    /// Merges since the last nop.
    made: BTreeSet<usize>,
}

impl Block {
    fn channel(&mut self, peer: Key) -> u32 {
        number(&mut self.peers, peer)
    }

    /// Runs [`on_channels`](Self::on_channels) for peers that may repeat: each once per operation.
    fn in_rounds(&mut self, name: Name, mut left: Vec<Key>) {
        while !left.is_empty() {
            let mut now = Vec::new();
            left.retain(|peer| {
                let repeats = now.contains(peer);
                if !repeats {
                    now.push(*peer);
                }
                repeats
            });
            self.on_channels(name, &now);
        }
    }

    /// Signals or waits on the channels to these threadblocks, each once.
    pub(super) fn on_channels(&mut self, name: Name, peers: &[Key]) {
        for some in peers.chunks(CHANNELS_AT_ONCE) {
            let channel_ids = some.iter().map(|&peer| self.channel(peer)).collect();
            self.ops.push(Op {
                channel_ids,
                channel_type: Some(ChannelType::Memory),
                ..Op::new(name)
            });
        }
    }

    pub(super) fn nop(&mut self) {
        self.ops.push(Op::new(Name::Nop));
        self.waited = false;
        self.made.clear();
    }

    /// Orders the next operations after a step made here.
    pub(super) fn after(&mut self, step: usize) {
        if self.made.contains(&step) {
            self.signal();
        }
        if self.made.contains(&step) {
            self.nop();
        }
    }

    /// Signals all puts.
    fn signal(&mut self) {
        if self.unsignalled.is_empty() {
            return;
        }
        self.nop();
        // Two puts are signalled twice.
        let left = std::mem::take(&mut self.unsignalled);
        self.in_rounds(Name::Signal, left);
    }

    /// Orders the next operations after the message of this number, from 1, of a sender.
    pub(super) fn wait_for(&mut self, sender: Key, number: u32) {
        while self
            .arrived
            .get(&sender)
            .is_none_or(|&arrived| arrived < number)
        {
            self.signal();
            self.on_channels(Name::Wait, &[sender]);
            *self.arrived.entry(sender).or_insert(0) += 1;
            self.waited = true;
        }
    }

    fn ready(&mut self) {
        if self.waited {
            self.nop();
        }
    }

    pub(super) fn merge(&mut self, sources: Vec<ChunkRange>, target: ChunkRange, step: usize) {
        self.signal();
        self.ready();
        self.ops.push(Op {
            src_buff: sources,
            dst_buff: vec![target],
            reduce_op: Some("sum".to_string()),
            ..Op::new(Name::Re)
        });
        self.made.insert(step);
    }

    pub(super) fn put(&mut self, to: Key, sources: Vec<ChunkRange>, (buffer, index): Spot) {
        self.ready();
        let channel = self.channel(to);
        let id = number(&mut self.remote, (to.0, buffer));
        let target = ChunkRange {
            buffer: None,
            buffer_id: Some(id),
            switch_channel_id: None,
            index,
            size: 1,
        };
        self.ops.push(Op {
            src_buff: sources,
            dst_buff: vec![target],
            channel_ids: vec![channel],
            channel_type: Some(ChannelType::Memory),
            ..Op::new(Name::Put)
        });
        self.unsignalled.push(to);
    }

    /// Signals the remaining puts and waits for the remaining messages.
    pub(super) fn finish(&mut self) {
        self.signal();
        let mut left: Vec<Key> = Vec::new();
        for (&sender, &expected) in &self.expected {
            let arrived = self.arrived.get(&sender).copied().unwrap_or(0);
            left.extend((arrived..expected).map(|_| sender));
        }
        self.in_rounds(Name::Wait, left);
    }
}

/// The index of an item in a list. The item is added if it is missing.
fn number<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let index = list.iter().position(|known| *known == item);
    let index = index.unwrap_or(list.len());
    if index == list.len() {
        list.push(item);
    }
    index as u32
}
