//! MSCCL++ execution plans: what the executor of microsoft/mscclpp runs on GPUs.
//!
//! Pieces that travel by themselves, carryings-out of patterns, have nothing to do with one another. So each is given to
//! one lane, and a lane is one threadblock on every GPU: it sends and merges in the order of the plan, and what follows
//! from what is a matter within lanes. Nobody writes into a GPU before that has said, once per lane and sender, that it
//! has entered; every piece that is put is signalled and waited for; places are written once.

pub mod check;
mod expected;
mod memory;
pub mod schema;
mod threadblocks;

use std::collections::{BTreeMap, BTreeSet};

use crate::operation::{Operation, Order, Step, Value};
use crate::{ExportError, File, Format, Request};

use schema::{
    BufferType, Channel, ChannelIds, ChannelType, Gpu, Name, Op, Place, Plan, Protocol, RemoteBuffer, RemoteBufferIds,
    Threadblock,
};

/// The format.
pub const FORMAT: Format = Format {
    name: "mscclpp",
    about: "an MSCCL++ execution plan (JSON): all-gather, reduce-scatter, all-reduce, broadcast, all-to-all on GPUs",
    lacks: "dates and slots (the order of every link is kept within a threadblock), routers, the order of operands \
            (the operator is sum), in-place buffers, the proof",
    write: |request| Ok(File::only(write(request)?)),
};

/// Operations of one threadblock (`MAX_OPERATION` of the executor).
pub const OPERATIONS: usize = 64;
/// Channels of one type, and remote buffers, that one threadblock refers to (`MAX_CHANNEL`).
pub const CHANNELS: usize = 16;
/// Channels that one operation names (`MAX_CHANNEL_PER_OPERATION`).
pub const CHANNELS_AT_ONCE: usize = 8;
/// Threadblocks of one GPU: they wait for one another, so all of them must run at once, each on a multiprocessor of its
/// own, and an A100 has 108 (an H100 132, an MI300X 304).
pub const THREADBLOCKS: usize = 108;
/// Lanes that are used if all fits, where there are so many pieces: numbers that are tried one after the other.
const LANES: [usize; 4] = [16, 32, 64, THREADBLOCKS];

/// Names of collectives: ours, theirs.
pub const COLLECTIVES: [(&str, &str); 5] = [
    ("all-gather", "allgather"),
    ("reduce-scatter", "reducescatter"),
    ("all-reduce", "allreduce"),
    ("broadcast", "broadcast"),
    ("all-to-all", "alltoall"),
];

fn write(request: &Request<'_>) -> Result<String, ExportError> {
    let refused = |reason: String| ExportError::Refused { format: FORMAT.name, reason };
    let name = request.problem.collective().name();
    let Some((_, theirs)) = COLLECTIVES.iter().find(|(ours, _)| *ours == name) else {
        let known: Vec<&str> = COLLECTIVES.iter().map(|(ours, _)| *ours).collect();
        return Err(refused(format!("the executor has no {name}; it has {}", known.join(", "))));
    };
    let sketch = |pieces: Option<u64>| -> Result<(u64, Result<Plan, String>), ExportError> {
        let request = Request { pieces, ..request.clone() };
        let sketch = Operation::new(&request, FORMAT.name, Order::Stages, |_| false)?;
        Ok((sketch.pieces, plan(&sketch, theirs)))
    };
    let (pieces, fits) = sketch(request.pieces)?;
    let written = match fits {
        Ok(_) => plan(&Operation::new(request, FORMAT.name, Order::Dates, |_| false)?, theirs),
        Err(limit) => Err(limit),
    };
    let limit = match written {
        Ok(plan) => return serde_json::to_string(&plan).map_err(|error| refused(error.to_string())),
        Err(limit) => limit,
    };
    let fits = |&pieces: &u64| sketch(Some(pieces)).is_ok_and(|(_, plan)| plan.is_ok());
    let advice = match nearest(pieces).find(fits) {
        Some(fits) => format!("{fits} pieces fit; give --pieces {fits}"),
        None => "no number of pieces fits".to_string(),
    };
    Err(refused(format!("with {pieces} pieces per message, {limit}; {advice}")))
}

/// Smaller numbers of pieces to be tried: the next ones first, then ever further apart.
fn nearest(pieces: u64) -> impl Iterator<Item = u64> {
    let smaller = |&pieces: &u64| Some(pieces - (pieces / 16).max(1)).filter(|&pieces| pieces > 0);
    std::iter::successors(Some(pieces), smaller as fn(&u64) -> Option<u64>).skip(1)
}

/// Where a value lies on the rank that holds it.
type Spot = (BufferType, u32);

/// The plan with as few lanes as fit, from 16 on.
fn plan(operation: &Operation, collective: &str) -> Result<Plan, String> {
    let units: BTreeSet<(usize, u64)> = operation.steps.iter().map(|step| (step.demand, step.piece)).collect();
    let units: BTreeMap<(usize, u64), usize> = units.into_iter().enumerate().map(|(at, unit)| (unit, at)).collect();
    let mut last = Err(String::new());
    for lanes in LANES {
        let lanes = lanes.min(units.len()).max(1);
        last = with_lanes(operation, collective, &units, lanes);
        if last.is_ok() || lanes == units.len() {
            break;
        }
    }
    last
}

fn with_lanes(
    operation: &Operation,
    collective: &str,
    units: &BTreeMap<(usize, u64), usize>,
    lanes: usize,
) -> Result<Plan, String> {
    let (spots, scratch) = spots(operation);
    let pieces = operation.pieces as u32;
    let mut blocks: BTreeMap<(usize, usize), Block> = BTreeMap::new();
    let lane = |step: &Step| units.get(&(step.demand, step.piece)).map_or(0, |unit| unit % lanes);
    for rank in 0..operation.ranks.len() {
        if let Some([from, to]) = operation.own(rank) {
            let (from, to) = (from as u32 * pieces, to as u32 * pieces);
            let own = blocks.entry((rank, 0)).or_default();
            own.ops.push(Op {
                src_buff: vec![local((BufferType::Input, from), pieces)],
                dst_buff: vec![local((BufferType::Output, to), pieces)],
                ..Op::new(Name::Copy)
            });
        }
    }
    enter(operation, &mut blocks, lane);
    let mut sent: BTreeMap<(usize, usize, usize), u32> = BTreeMap::new();
    let mut arrival = vec![0; operation.steps.len()];
    for (place, step) in operation.steps.iter().enumerate() {
        let lane = lane(step);
        let spot = |value: &Value| match *value {
            Value::Own(_) => own_spot(operation, step),
            Value::Of(before) => spots[before],
        };
        let mut sources = Vec::new();
        let block = blocks.entry((step.from, lane)).or_default();
        for value in &step.inputs {
            if let Value::Of(before) = *value {
                let behind = &operation.steps[before];
                match behind.merge {
                    true => block.after(before),
                    false => block.wait_for(behind.from, arrival[before]),
                }
            }
            sources.push(local(spot(value), 1));
        }
        if step.merge {
            block.merge(sources, local(spots[place], 1), place);
        } else {
            let channel = sent.entry((step.from, step.to, lane)).or_insert(0);
            *channel += 1;
            arrival[place] = *channel;
            block.put(step.to, sources, spots[place]);
            blocks.entry((step.to, lane)).or_default().expected.entry(step.from).and_modify(|it| *it += 1).or_insert(1);
        }
    }
    blocks.values_mut().for_each(Block::finish);
    assemble(operation, collective, blocks, &scratch)
}

/// Which rank sends to which in a lane: the receiver says that it has entered, the sender waits for that.
fn enter(operation: &Operation, blocks: &mut BTreeMap<(usize, usize), Block>, lane: impl Fn(&Step) -> usize) {
    let sends = operation.steps.iter().filter(|step| !step.merge);
    let pairs: BTreeSet<(usize, usize, usize)> = sends.map(|step| (lane(step), step.from, step.to)).collect();
    let mut ways: BTreeMap<(usize, usize), [Vec<usize>; 2]> = BTreeMap::new();
    for (lane, from, to) in pairs {
        ways.entry((to, lane)).or_default()[0].push(from);
        ways.entry((from, lane)).or_default()[1].push(to);
    }
    for (place, [senders, receivers]) in ways {
        let block = blocks.entry(place).or_default();
        block.on_channels(Name::Rlxsignal, &senders);
        block.on_channels(Name::Rlxwait, &receivers);
        block.waited = !receivers.is_empty();
    }
}

/// Where each step leaves what it brings or makes, and how many scratch chunks every rank needs.
fn spots(operation: &Operation) -> (Vec<Spot>, Vec<u32>) {
    let mut scratch = vec![0; operation.ranks.len()];
    let spot = |step: &Step| {
        if step.result {
            let block = operation.output_block(step.demand) as u32;
            return (BufferType::Output, block * operation.pieces as u32 + step.piece as u32);
        }
        scratch[step.to] += 1;
        (BufferType::Scratch, scratch[step.to] - 1)
    };
    let spots = operation.steps.iter().map(spot).collect();
    (spots, scratch)
}

/// Where the owner's value lies that a step uses.
fn own_spot(operation: &Operation, step: &Step) -> Spot {
    let block = operation.input_block(step.demand) as u32;
    (BufferType::Input, block * operation.pieces as u32 + step.piece as u32)
}

fn local((buffer, index): Spot, size: u32) -> Place {
    Place { buffer: Some(buffer), buffer_id: None, switch_channel_id: None, index, size }
}

/// A threadblock in the making. Channels are known by the other end's rank until all is there.
#[derive(Default)]
struct Block {
    ops: Vec<Op>,
    /// The other ends, in the order of the threadblock's channel numbers.
    peers: Vec<usize>,
    /// Remote buffers, in the order of the threadblock's numbers.
    remote: Vec<(usize, BufferType)>,
    /// By sender: messages that come.
    expected: BTreeMap<usize, u32>,
    /// By sender: messages waited for.
    arrived: BTreeMap<usize, u32>,
    /// What has been put and not signalled.
    unsignalled: Vec<usize>,
    /// Whether something was waited for since the last nop.
    waited: bool,
    /// Merges since the last nop.
    made: BTreeSet<usize>,
}

impl Block {
    fn channel(&mut self, peer: usize) -> u32 {
        let place = self.peers.iter().position(|&known| known == peer).unwrap_or(self.peers.len());
        if place == self.peers.len() {
            self.peers.push(peer);
        }
        place as u32
    }

    /// Signals or waits on the channels to these ranks, each once.
    fn on_channels(&mut self, name: Name, peers: &[usize]) {
        for some in peers.chunks(CHANNELS_AT_ONCE) {
            let channel_ids = some.iter().map(|&peer| self.channel(peer)).collect();
            self.ops.push(Op { channel_ids, channel_type: Some(ChannelType::Memory), ..Op::new(name) });
        }
    }

    fn nop(&mut self) {
        self.ops.push(Op::new(Name::Nop));
        self.waited = false;
        self.made.clear();
    }

    /// What follows uses what a step made here.
    fn after(&mut self, step: usize) {
        if self.made.contains(&step) {
            self.signal();
        }
        if self.made.contains(&step) {
            self.nop();
        }
    }

    /// Signals all that has been put.
    fn signal(&mut self) {
        if self.unsignalled.is_empty() {
            return;
        }
        self.nop();
        let mut left = std::mem::take(&mut self.unsignalled);
        while !left.is_empty() {
            // Each channel once; what is put twice is signalled twice.
            let (mut now, mut later) = (Vec::new(), Vec::new());
            for peer in left {
                if now.contains(&peer) { later.push(peer) } else { now.push(peer) }
            }
            self.on_channels(Name::Signal, &now);
            left = later;
        }
    }

    /// What follows uses the message of this number, from 1, of a sender.
    fn wait_for(&mut self, sender: usize, number: u32) {
        while self.arrived.get(&sender).is_none_or(|&arrived| arrived < number) {
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

    fn merge(&mut self, sources: Vec<Place>, target: Place, step: usize) {
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

    fn put(&mut self, to: usize, sources: Vec<Place>, (buffer, index): Spot) {
        self.ready();
        let channel = self.channel(to);
        let remote = (to, buffer);
        let id = self.remote.iter().position(|known| *known == remote).unwrap_or(self.remote.len());
        if id == self.remote.len() {
            self.remote.push(remote);
        }
        let target = Place { buffer: None, buffer_id: Some(id as u32), switch_channel_id: None, index, size: 1 };
        self.ops.push(Op {
            src_buff: sources,
            dst_buff: vec![target],
            channel_ids: vec![channel],
            channel_type: Some(ChannelType::Memory),
            ..Op::new(Name::Put)
        });
        self.unsignalled.push(to);
    }

    /// Signals what is left, waits for what is left.
    fn finish(&mut self) {
        self.signal();
        let mut left: Vec<usize> = Vec::new();
        for (&sender, &expected) in &self.expected {
            let arrived = self.arrived.get(&sender).copied().unwrap_or(0);
            left.extend((arrived..expected).map(|_| sender));
        }
        while !left.is_empty() {
            let (mut now, mut later) = (Vec::new(), Vec::new());
            for sender in left {
                if now.contains(&sender) { later.push(sender) } else { now.push(sender) }
            }
            self.on_channels(Name::Wait, &now);
            left = later;
        }
    }
}

/// Numbers threadblocks, channels and remote buffers, and checks the executor's limits.
fn assemble(
    operation: &Operation,
    collective: &str,
    blocks: BTreeMap<(usize, usize), Block>,
    scratch: &[u32],
) -> Result<Plan, String> {
    let [input, output] = operation.sizes().map(|blocks| blocks as u32 * operation.pieces as u32);
    let mut gpus: Vec<Gpu> = (0..operation.ranks.len())
        .map(|rank| Gpu {
            id: rank as u32,
            input_chunks: input,
            output_chunks: output,
            scratch_chunks: scratch[rank],
            threadblocks: Vec::new(),
            channels: Vec::new(),
            remote_buffers: Vec::new(),
            semaphores: Vec::new(),
        })
        .collect();
    let mut connected: Vec<Vec<u32>> = vec![Vec::new(); gpus.len()];
    // By lane: the channels of one pair are numbered in the same order at both ends.
    for ((rank, _), block) in blocks {
        if block.ops.is_empty() {
            continue;
        }
        let gpu = &mut gpus[rank];
        let id = gpu.threadblocks.len();
        let limits = [
            ("operations", block.ops.len(), OPERATIONS),
            ("channels", block.peers.len(), CHANNELS),
            ("remote buffers", block.remote.len(), CHANNELS),
            ("threadblocks of one GPU", id + 1, THREADBLOCKS),
        ];
        if let Some((what, needed, limit)) = limits.into_iter().find(|(_, needed, limit)| needed > limit) {
            return Err(format!(
                "rank {rank}, threadblock {id} needs {needed} {what}, and the executor's limit is {limit}"
            ));
        }
        let channel_ids = block.peers.iter().map(|&peer| {
            connected[rank].push(peer as u32);
            connected[rank].len() as u32 - 1
        });
        let channels = vec![ChannelIds { channel_type: ChannelType::Memory, channel_ids: channel_ids.collect() }];
        let buffers = &mut gpu.remote_buffers;
        let remote_buffer_ids = block.remote.iter().map(|&(rank, buffer)| {
            let remote = RemoteBuffer { rank: rank as u32, buffer, access_channel_types: vec![ChannelType::Memory] };
            let place = buffers.iter().position(|known| *known == remote).unwrap_or(buffers.len());
            if place == buffers.len() {
                buffers.push(remote);
            }
            place as u32
        });
        let refs = RemoteBufferIds {
            access_channel_type: ChannelType::Memory,
            remote_buffer_ids: remote_buffer_ids.collect(),
        };
        gpu.threadblocks.push(Threadblock {
            id: id as u32,
            ops: block.ops,
            channels: if block.peers.is_empty() { Vec::new() } else { channels },
            remote_buffer_refs: if block.remote.is_empty() { Vec::new() } else { vec![refs] },
        });
    }
    for (gpu, connected_to) in gpus.iter_mut().zip(connected) {
        let channel =
            Channel { channel_type: ChannelType::Memory, connected_to, buffer_type: None, rank_groups: Vec::new() };
        gpu.channels.extend((!channel.connected_to.is_empty()).then_some(channel));
    }
    Ok(Plan {
        name: format!("oneport-{collective}"),
        collective: collective.to_string(),
        protocol: Protocol::Simple,
        inplace: false,
        reuse_resources: false,
        num_threads_per_block: 1024,
        use_double_scratch_buffer: false,
        buffer_alignment: 16,
        min_message_size: 0,
        max_message_size: u64::MAX,
        gpus,
    })
}
