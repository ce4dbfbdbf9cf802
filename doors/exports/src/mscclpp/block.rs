//! The operations of one threadblock, with nops, signals and waits where they are needed and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use super::limits::CHANNELS_AT_ONCE;
use super::schema::{BufferType, ChannelType, Name, Op, Place};

/// Buffer and index of a value on the rank that holds it.
pub type Spot = (BufferType, u32);

/// A threadblock: rank, lane, index in the lane's chain.
pub type Key = (usize, usize, usize);

/// Builder of a threadblock. Until all threadblocks exist, a channel is known by the threadblock at its other end.
#[derive(Default)]
pub struct Block {
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
        let place = self
            .peers
            .iter()
            .position(|&known| known == peer)
            .unwrap_or(self.peers.len());
        if place == self.peers.len() {
            self.peers.push(peer);
        }
        place as u32
    }

    /// Signals or waits on the channels to these threadblocks, each once.
    pub fn on_channels(&mut self, name: Name, peers: &[Key]) {
        for some in peers.chunks(CHANNELS_AT_ONCE) {
            let channel_ids = some.iter().map(|&peer| self.channel(peer)).collect();
            self.ops.push(Op {
                channel_ids,
                channel_type: Some(ChannelType::Memory),
                ..Op::new(name)
            });
        }
    }

    pub fn nop(&mut self) {
        self.ops.push(Op::new(Name::Nop));
        self.waited = false;
        self.made.clear();
    }

    /// Orders the next operations after a step made here.
    pub fn after(&mut self, step: usize) {
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
        let mut left = std::mem::take(&mut self.unsignalled);
        while !left.is_empty() {
            // Each channel once per operation; two puts are signalled twice.
            let (mut now, mut later) = (Vec::new(), Vec::new());
            for peer in left {
                if now.contains(&peer) {
                    later.push(peer)
                } else {
                    now.push(peer)
                }
            }
            self.on_channels(Name::Signal, &now);
            left = later;
        }
    }

    /// Orders the next operations after the message of this number, from 1, of a sender.
    pub fn wait_for(&mut self, sender: Key, number: u32) {
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

    pub fn merge(&mut self, sources: Vec<Place>, target: Place, step: usize) {
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

    pub fn put(&mut self, to: Key, sources: Vec<Place>, (buffer, index): Spot) {
        self.ready();
        let channel = self.channel(to);
        let remote = (to.0, buffer);
        let id = self
            .remote
            .iter()
            .position(|known| *known == remote)
            .unwrap_or(self.remote.len());
        if id == self.remote.len() {
            self.remote.push(remote);
        }
        let target = Place {
            buffer: None,
            buffer_id: Some(id as u32),
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
    pub fn finish(&mut self) {
        self.signal();
        let mut left: Vec<Key> = Vec::new();
        for (&sender, &expected) in &self.expected {
            let arrived = self.arrived.get(&sender).copied().unwrap_or(0);
            left.extend((arrived..expected).map(|_| sender));
        }
        while !left.is_empty() {
            let (mut now, mut later) = (Vec::new(), Vec::new());
            for sender in left {
                if now.contains(&sender) {
                    later.push(sender)
                } else {
                    now.push(sender)
                }
            }
            self.on_channels(Name::Wait, &now);
            left = later;
        }
    }
}
