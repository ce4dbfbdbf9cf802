//! MSCCL++ execution plans, which the executor of microsoft/mscclpp runs on GPUs.
//!
//! Pieces of messages, one per instance of a pattern, are independent. So each is given to one lane, and a lane is one
//! threadblock on every GPU: it sends and merges in the order of the plan, and all dependencies are within lanes. A GPU
//! is written to only after it has signalled, once per lane and sender, that it has entered. Every piece that is put is
//! signalled and waited for. Chunks are written once. If an operation sequence is too long for one threadblock, others
//! continue it. Each waits for a semaphore of the one before.

mod block;
mod chains;
pub(crate) mod register;
pub(crate) mod sizes;

use std::collections::{BTreeMap, BTreeSet};

use num_traits::ToPrimitive;

use crate::fitting::{fitting, note};
use crate::operation::{Operation, Order, Step, Value};
use crate::{ExportError, File, Format, Pieces, Request, Written};

use block::{Block, Key, Spot};
use chains::Chains;
use oneport_checks::mscclpp::limits::{ALIGNMENT, CHANNELS, OPERATIONS, THREADBLOCKS};
use sizes::Sizes;

use oneport_checks::mscclpp::schema::{
    BufferType, Channel, ChannelIds, ChannelType, ChunkRange, Gpu, Name, Op, Plan, Protocol,
    RemoteBuffer, RemoteBufferIds, Semaphore, Threadblock,
};

/// The format.
pub(crate) const FORMAT: Format = Format {
    name: "mscclpp",
    about: "an MSCCL++ execution plan (JSON): all-gather, reduce-scatter, all-reduce, broadcast, all-to-all on GPUs",
    lacks: "dates and slots (the order of every link is kept within a threadblock), routers, the order of operands \
            (the operator is sum), the proof",
    write,
};

/// Numbers of lanes that are tried in sequence if all fits and the pieces suffice. Trades threadblocks for messages in
/// flight. Not measured.
const LANES: [usize; 4] = [16, 32, 64, THREADBLOCKS];

/// Lanes that are tried if threadblocks are continued. Trades messages in flight for operations per threadblock. Not
/// measured.
const CHAINED: [usize; 5] = [32, 16, 8, 4, 1];

/// Names of collectives: ours, theirs.
pub(crate) const COLLECTIVES: [(&str, &str); 5] = [
    ("all-gather", "allgather"),
    ("reduce-scatter", "reducescatter"),
    ("all-reduce", "allreduce"),
    ("broadcast", "broadcast"),
    ("all-to-all", "alltoall"),
];

/// The name of a collective in MSCCL and MSCCL++. Otherwise an error with our names of their collectives.
pub(crate) fn theirs(name: &str) -> Result<&'static str, String> {
    match COLLECTIVES.iter().find(|(ours, _)| *ours == name) {
        Some((_, theirs)) => Ok(theirs),
        None => Err(COLLECTIVES.map(|(ours, _)| ours).join(", ")),
    }
}

fn write(request: &Request<'_>) -> Result<Written, ExportError> {
    let (plan, pieces) = planned(request)?;
    let sizes = Sizes::of(&plan);
    let notes = vec![
        note(request, pieces)?,
        sizes.note(),
        buffer_note(plan.inplace).to_string(),
    ];
    Ok(Written {
        notes,
        ..File::only(to_json(&plan)?)
    })
}

fn refused(reason: String) -> ExportError {
    ExportError::refused(FORMAT.name, reason)
}

fn to_json(plan: &Plan) -> Result<String, ExportError> {
    serde_json::to_string(plan).map_err(|error| refused(error.to_string()))
}

/// Position of the buffers, in words: in place or not.
pub(crate) fn buffer_note(in_place: bool) -> &'static str {
    if in_place {
        "buffers: in place, input and output are one; --out-of-place is for two"
    } else {
        "buffers: out of place, input and output are two; --in-place is for one"
    }
}

/// The requested plan, and its number of pieces.
fn planned(request: &Request<'_>) -> Result<(Plan, u64), ExportError> {
    let name = request.problem.collective().name();
    let collective = theirs(name)
        .map_err(|known| refused(format!("the executor has no {name}; it has {known}")))?;
    let shape = Shape {
        collective,
        in_place: in_place(request).map_err(refused)?,
    };
    let ordered = |pieces: u64, order: Order| -> Result<Result<Plan, String>, ExportError> {
        let request = request.divided(Pieces::Number(pieces));
        let operation = Operation::new(&request, FORMAT.name, order, |_| false)?;
        Ok(plan(&operation, shape))
    };
    let sketch = |pieces: u64| ordered(pieces, Order::Stages);
    let instances = request.schedule.instances.to_u64().unwrap_or(u64::MAX);
    // Another number of pieces must be ordered into slots again, which is slow: it is first tried without slots.
    let dated = |pieces: u64| -> Result<Result<Plan, String>, ExportError> {
        if pieces != instances
            && let Err(limit) = sketch(pieces)?
        {
            return Ok(Err(limit));
        }
        ordered(pieces, Order::Dates)
    };
    let pieces = match request.pieces {
        Pieces::Fitting if request.dated.is_none() => return fitting(request, FORMAT.name, dated),
        Pieces::Number(pieces) => pieces,
        Pieces::Fitting | Pieces::Exact => instances,
    };
    let limit = match dated(pieces)? {
        Ok(plan) => return Ok((plan, pieces)),
        Err(limit) => limit,
    };
    let fits = |&pieces: &u64| sketch(pieces).is_ok_and(|plan| plan.is_ok());
    // Trying many pieces is slow, so halves come first.
    let halves = std::iter::successors(Some(pieces / 2), |&pieces| Some(pieces / 2));
    let too_many = halves
        .take_while(|&pieces| pieces > 0 && !fits(&pieces))
        .last()
        .unwrap_or(pieces);
    // A number that fits without slots may be too large with them.
    let fits_dated = |&pieces: &u64| dated(pieces).is_ok_and(|plan| plan.is_ok());
    let advice = match nearest(too_many).filter(fits).find(fits_dated) {
        Some(fits) => format!("{fits} pieces fit; give --pieces {fits}"),
        None => "no number of pieces fits".to_string(),
    };
    Err(refused(format!(
        "with {pieces} pieces per message, {limit}; {advice}"
    )))
}

/// Whether input and output are one buffer.
///
/// # Errors
/// An all-to-all in place: messages that arrive would overwrite data that are not sent yet.
pub(crate) fn in_place(request: &Request<'_>) -> Result<bool, String> {
    let name = request.problem.collective().name();
    match (request.in_place, name) {
        (Some(true), "all-to-all") => {
            Err("what arrives of an all-to-all in place would overwrite what is not sent yet; leave --in-place out"
                .to_string())
        }
        (Some(in_place), _) => Ok(in_place),
        (None, _) => Ok(["all-reduce", "broadcast"].contains(&name)),
    }
}

/// A plan's collective, and the position of its buffers.
#[derive(Debug, Clone, Copy)]
struct Shape<'a> {
    /// Its name in the file.
    collective: &'a str,
    /// Whether input and output are one buffer.
    in_place: bool,
}

/// Smaller numbers of pieces to be tried: the next ones first, then at growing distance.
fn nearest(pieces: u64) -> impl Iterator<Item = u64> {
    let smaller = |&pieces: &u64| Some(pieces - (pieces / 16).max(1)).filter(|&pieces| pieces > 0);
    std::iter::successors(Some(pieces), smaller as fn(&u64) -> Option<u64>).skip(1)
}

/// The plan with the fewest lanes that fit, from 16 on, every lane one threadblock of a GPU. If none fits, lanes whose
/// threadblocks are continued by others.
fn plan(operation: &Operation, shape: Shape<'_>) -> Result<Plan, String> {
    let units: BTreeSet<(usize, u64)> = operation
        .steps
        .iter()
        .map(|step| (step.demand, step.piece))
        .collect();
    let units: BTreeMap<(usize, u64), usize> = units
        .into_iter()
        .enumerate()
        .map(|(at, unit)| (unit, at))
        .collect();
    let mut last = Err(String::new());
    for (lanes, long) in LANES
        .into_iter()
        .map(|lanes| (lanes, false))
        .chain(CHAINED.map(|lanes| (lanes, true)))
    {
        let lanes = lanes.min(units.len()).max(1);
        last = with_lanes(
            operation,
            shape,
            &Chains::new(operation, &units, lanes, long),
        );
        if last.is_ok() {
            break;
        }
    }
    last
}

fn with_lanes(operation: &Operation, shape: Shape<'_>, chains: &Chains) -> Result<Plan, String> {
    let needed = chains
        .threadblocks(operation.ranks.len())
        .into_iter()
        .enumerate();
    if let Some((rank, needed)) = needed
        .into_iter()
        .find(|&(_, needed)| needed as usize > THREADBLOCKS)
    {
        return Err(format!(
            "rank {rank} needs {needed} threadblocks, and the executor's limit is {THREADBLOCKS}"
        ));
    }
    let (spots, scratch) = spots(operation);
    let pieces = operation.pieces as u32;
    let mut blocks: BTreeMap<Key, Block> = BTreeMap::new();
    for rank in 0..operation.ranks.len() {
        // In place, a value that a rank keeps is already at its index.
        if let Some([from, to, _]) = operation.own(rank).filter(|_| !shape.in_place) {
            let (from, to) = (from as u32 * pieces, to as u32 * pieces);
            let own = blocks.entry((rank, 0, 0)).or_default();
            own.ops.push(Op {
                src_buff: vec![local((BufferType::Input, from), pieces)],
                dst_buff: vec![local((BufferType::Output, to), pieces)],
                ..Op::new(Name::Copy)
            });
        }
    }
    let semaphores = enter(operation, &mut blocks, chains);
    let mut sent: BTreeMap<(Key, Key), u32> = BTreeMap::new();
    let mut arrival = vec![0; operation.steps.len()];
    for (index, step) in operation.steps.iter().enumerate() {
        let (from, to) = (chains.senders[index], chains.receivers[index]);
        let spot = |value: &Value| match *value {
            Value::Own(_) => own_spot(operation, step),
            Value::Of(before) => spots[before],
        };
        let mut sources = Vec::new();
        let block = blocks.entry(from).or_default();
        for value in &step.inputs {
            if let Value::Of(before) = *value {
                if operation.steps[before].merge {
                    block.after(before);
                } else if chains.receivers[before] == from {
                    // Otherwise an earlier threadblock of the chain has waited for the message.
                    block.wait_for(chains.senders[before], arrival[before]);
                }
            }
            sources.push(local(spot(value), 1));
        }
        if step.merge {
            block.merge(sources, local(spots[index], 1), index);
        } else {
            let channel = sent.entry((from, to)).or_insert(0);
            *channel += 1;
            arrival[index] = *channel;
            block.put(to, sources, spots[index]);
            blocks
                .entry(to)
                .or_default()
                .expected
                .entry(from)
                .and_modify(|it| *it += 1)
                .or_insert(1);
        }
        if blocks
            .get(&from)
            .is_some_and(|block| block.ops.len() > OPERATIONS)
        {
            return Err(format!(
                "a threadblock of rank {} needs more than {OPERATIONS} operations",
                from.0
            ));
        }
    }
    for (&(rank, lane, number), block) in &mut blocks {
        block.finish();
        if let Some(&semaphore) = semaphores.get(&(rank, lane, number + 1)) {
            block.nop();
            block.ops.push(Op {
                semaphore_ids: vec![semaphore],
                ..Op::new(Name::SemRelease)
            });
        }
    }
    assemble(
        operation,
        shape,
        blocks,
        [&scratch, &chains.semaphores(operation.ranks.len())],
    )
}

/// Links of threadblocks: the receiver signals that it has entered, the sender waits for that. In between, the later
/// ones of a chain wait for the one before. Returns the semaphores by which they wait.
fn enter(
    operation: &Operation,
    blocks: &mut BTreeMap<Key, Block>,
    chains: &Chains,
) -> BTreeMap<Key, u32> {
    let mut ways: BTreeMap<Key, [BTreeSet<Key>; 2]> = BTreeMap::new();
    for (index, step) in operation.steps.iter().enumerate() {
        let (from, to) = (chains.senders[index], chains.receivers[index]);
        ways.entry(from).or_default();
        if !step.merge {
            ways.entry(to).or_default()[0].insert(from);
            ways.entry(from).or_default()[1].insert(to);
        }
    }
    let (mut semaphores, mut count) = (BTreeMap::new(), vec![0; operation.ranks.len()]);
    for (key, [senders, receivers]) in ways {
        let block = blocks.entry(key).or_default();
        let [senders, receivers] =
            [senders, receivers].map(|keys| keys.into_iter().collect::<Vec<Key>>());
        block.on_channels(Name::Rlxsignal, &senders);
        if key.2 > 0 {
            semaphores.insert(key, count[key.0]);
            block.ops.push(Op {
                semaphore_ids: vec![count[key.0]],
                ..Op::new(Name::SemAcquire)
            });
            count[key.0] += 1;
        }
        block.on_channels(Name::Rlxwait, &receivers);
        block.waited = !receivers.is_empty() || key.2 > 0;
    }
    semaphores
}

/// Buffer and index of the result of each step, and the number of scratch chunks of every rank.
fn spots(operation: &Operation) -> (Vec<Spot>, Vec<u32>) {
    let mut scratch = vec![0; operation.ranks.len()];
    let spot = |step: &Step| {
        if step.result {
            let block = operation.output_block(step.demand) as u32;
            return (
                BufferType::Output,
                block * operation.pieces as u32 + step.piece as u32,
            );
        }
        scratch[step.to] += 1;
        (BufferType::Scratch, scratch[step.to] - 1)
    };
    let spots = operation.steps.iter().map(spot).collect();
    (spots, scratch)
}

/// Buffer and index of the owner's value that a step uses.
fn own_spot(operation: &Operation, step: &Step) -> Spot {
    let block = operation.input_block(step.demand) as u32;
    (
        BufferType::Input,
        block * operation.pieces as u32 + step.piece as u32,
    )
}

fn local((buffer, index): Spot, size: u32) -> ChunkRange {
    ChunkRange {
        buffer: Some(buffer),
        buffer_id: None,
        switch_channel_id: None,
        index,
        size,
    }
}

/// Numbers threadblocks, channels and remote buffers, and checks the executor's limits.
fn assemble(
    operation: &Operation,
    shape: Shape<'_>,
    blocks: BTreeMap<Key, Block>,
    [scratch, semaphores]: [&[u32]; 2],
) -> Result<Plan, String> {
    let [input, output] = operation
        .sizes()
        .map(|blocks| blocks as u32 * operation.pieces as u32);
    let mut gpus: Vec<Gpu> = (0..operation.ranks.len())
        .map(|rank| Gpu {
            id: rank as u32,
            input_chunks: input,
            output_chunks: output,
            scratch_chunks: scratch[rank],
            threadblocks: Vec::new(),
            channels: Vec::new(),
            remote_buffers: Vec::new(),
            semaphores: (0..semaphores[rank])
                .map(|_| Semaphore { init_value: 0 })
                .collect(),
        })
        .collect();
    // The channels of one pair of ranks are numbered in the same order at both ends.
    let ends = blocks.iter().flat_map(|(&one, block)| {
        block
            .peers
            .iter()
            .map(move |&other| (one.min(other), one.max(other)))
    });
    let mut connected: Vec<Vec<u32>> = vec![Vec::new(); gpus.len()];
    let mut channel: BTreeMap<(Key, Key), u32> = BTreeMap::new();
    for (one, other) in ends.collect::<BTreeSet<(Key, Key)>>() {
        for (here, there) in [(one, other), (other, one)] {
            channel.insert((here, there), connected[here.0].len() as u32);
            connected[here.0].push(there.0 as u32);
        }
    }
    for (key, block) in blocks {
        let rank = key.0;
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
        if let Some((what, needed, limit)) =
            limits.into_iter().find(|(_, needed, limit)| needed > limit)
        {
            return Err(format!(
                "rank {rank}, threadblock {id} needs {needed} {what}, and the executor's limit is {limit}"
            ));
        }
        let channel_ids = block
            .peers
            .iter()
            .filter_map(|&peer| channel.get(&(key, peer)).copied());
        let channels = vec![ChannelIds {
            channel_type: ChannelType::Memory,
            channel_ids: channel_ids.collect(),
        }];
        let buffers = &mut gpu.remote_buffers;
        let remote_buffer_ids = block.remote.iter().map(|&(rank, buffer)| {
            let remote = RemoteBuffer {
                rank: rank as u32,
                buffer,
                access_channel_types: vec![ChannelType::Memory],
            };
            let index = buffers
                .iter()
                .position(|known| *known == remote)
                .unwrap_or(buffers.len());
            if index == buffers.len() {
                buffers.push(remote);
            }
            index as u32
        });
        let refs = RemoteBufferIds {
            access_channel_type: ChannelType::Memory,
            remote_buffer_ids: remote_buffer_ids.collect(),
        };
        gpu.threadblocks.push(Threadblock {
            id: id as u32,
            ops: block.ops,
            channels: if block.peers.is_empty() {
                Vec::new()
            } else {
                channels
            },
            remote_buffer_refs: if block.remote.is_empty() {
                Vec::new()
            } else {
                vec![refs]
            },
        });
    }
    for (gpu, connected_to) in gpus.iter_mut().zip(connected) {
        let channel = Channel {
            channel_type: ChannelType::Memory,
            connected_to,
            buffer_type: None,
            rank_groups: Vec::new(),
        };
        gpu.channels
            .extend((!channel.connected_to.is_empty()).then_some(channel));
    }
    let (ranks, pieces, suffix) = (
        gpus.len(),
        operation.pieces,
        if shape.in_place { "-in-place" } else { "" },
    );
    let mut plan = Plan {
        // The executor distinguishes plans that are loaded at the same time only by their names.
        name: format!(
            "oneport-{}-{ranks}-ranks-{pieces}-pieces{suffix}",
            shape.collective
        ),
        collective: shape.collective.to_string(),
        protocol: Protocol::Simple,
        inplace: shape.in_place,
        reuse_resources: false,
        num_threads_per_block: 1024,
        use_double_scratch_buffer: false,
        buffer_alignment: ALIGNMENT,
        min_message_size: 0,
        max_message_size: u64::MAX,
        gpus,
    };
    let sizes = Sizes::of(&plan);
    (plan.min_message_size, plan.max_message_size) = (sizes.least, sizes.most);
    Ok(plan)
}
