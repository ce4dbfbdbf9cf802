//! Runs MSCCL++ execution plans in the interpreter.
//!
//! Chunks are whole. Each threadblock of a group works on its part of them. A pipeline is run three times, each time on
//! a third. Memory channels follow program order. An agent executes the puts of a port channel in sequence. Two things
//! are not checked: `reuse_resources`, which uses scratch once more for long messages, and whether packets and data
//! share bytes of one buffer.

pub mod limits;
#[allow(missing_docs, reason = "the keys of the format, under its names")]
pub mod schema;
mod translate;

use std::collections::{BTreeMap, BTreeSet};

use crate::buffers::{
    InPlace, Memory, compare, in_place, orders, overwritten, shares_sums, wanted,
};
use crate::followed::Followed;
use crate::machine::{Act, Fault, Machine, Names, Outcome, Script, malformed};
use crate::verdict::Verdict;
use limits::{CHANNELS, CHANNELS_AT_ONCE, OPERATIONS};
use schema::{ChannelType, Op, Plan};
use translate::{ITERATIONS, Lines, Translation};

/// Limit on the threadblocks of a group, and on the parts of a chunk.
const PARTS: usize = 1024;

/// Runs a plan.
///
/// # Errors
/// The first fault.
pub fn check(plan: &Plan) -> Result<Followed, Fault> {
    limits(plan)?;
    let chunks: Vec<[u32; 3]> = plan
        .gpus
        .iter()
        .map(|gpu| [gpu.input_chunks, gpu.output_chunks, gpu.scratch_chunks])
        .collect();
    let known = wanted(&plan.collective, &chunks, 0)
        .map_err(malformed)?
        .is_some();
    let parts = parts(plan)?;
    let in_place = if plan.inplace {
        in_place(&plan.collective)
    } else {
        InPlace::No
    };
    let memory = Memory::new(&chunks, parts, in_place, has_packets(plan));
    let memory = memory
        .ok_or_else(|| malformed("the buffers have more than 2^23 parts of chunks together"))?;
    let lines = Lines::new(plan)?;
    let mut translation = Translation {
        plan,
        memory: &memory,
        lines: &lines,
        agents: Vec::new(),
        known: BTreeMap::new(),
        script: Script::default(),
    };
    translation.write()?;
    let Translation { agents, script, .. } = translation;
    exclusive(&script, &lines)?;
    let start = || memory.initial();
    let (cells, values) = start();
    let labels = Labels {
        plan,
        memory: &memory,
        lines: &lines,
    };
    let machine = Machine::new(
        &labels,
        &script,
        plan.gpus.len(),
        &agents,
        cells,
        values,
        &lines.tokens,
    );
    let Outcome {
        cells,
        mut values,
        steps,
        moved,
        in_step,
    } = machine.run()?;
    compare(&plan.collective, &chunks, &memory, &cells, &mut values)?;
    let overwritten = matches!(in_place, InPlace::No)
        .then(|| overwritten(&memory, chunks.len(), &cells, &values))
        .flatten();
    let orders = if shares_sums(&plan.collective) {
        let (cells, values) = start();
        let again = Machine::new(
            &labels,
            &script,
            chunks.len(),
            &agents,
            cells,
            values.by_order(),
            &lines.tokens,
        );
        // A packet that is written twice in two orders ends the run.
        let ended = again.run().ok();
        ended.and_then(|ended| orders(&memory, chunks.len(), &ended.cells))
    } else {
        None
    };
    let threadblocks = plan.gpus.iter().map(|gpu| gpu.threadblocks.len()).sum();
    let verdict = Verdict {
        format: "MSCCL++ execution plan",
        collective: plan.collective.clone(),
        ranks: plan.gpus.len(),
        threads: threadblocks,
        steps,
        known,
        in_step,
        overwritten,
        orders,
    };
    let mut channels = plan.gpus.iter().flat_map(|gpu| &gpu.channels);
    let in_switches = channels.any(|channel| channel.channel_type == ChannelType::Switch);
    Ok(Followed::new(
        verdict,
        &memory,
        &script,
        &moved,
        in_switches,
    ))
}

/// The executor's limits, and ids that must be indices.
fn limits(plan: &Plan) -> Result<(), Fault> {
    if plan.gpus.is_empty() {
        return Err(malformed("there are no gpus"));
    }
    for (rank, gpu) in plan.gpus.iter().enumerate() {
        if gpu.id as usize != rank {
            return Err(malformed(format!(
                "gpus[{rank}] has id {}; ids are places, so {rank}",
                gpu.id
            )));
        }
        if gpu.input_chunks == 0 || gpu.output_chunks == 0 {
            return Err(malformed(format!(
                "rank {rank} has no input or no output chunks; the executor divides by both"
            )));
        }
        for (index, block) in gpu.threadblocks.iter().enumerate() {
            if block.id as usize != index {
                let id = block.id;
                return Err(malformed(format!(
                    "rank {rank}, threadblocks[{index}] has id {id}; ids are places"
                )));
            }
            let operations: usize = block.ops.iter().map(|op| 1 + op.ops.len()).sum();
            let channels = |kind| {
                block
                    .channels
                    .iter()
                    .filter(move |ids| ids.channel_type == kind)
            };
            let most = |kind| {
                channels(kind)
                    .map(|ids| ids.channel_ids.len())
                    .sum::<usize>()
            };
            let most_channels =
                [ChannelType::Memory, ChannelType::Port, ChannelType::Switch].map(most);
            let buffers = block
                .remote_buffer_refs
                .iter()
                .map(|refs| refs.remote_buffer_ids.len())
                .max();
            let at_once = block.ops.iter().map(|op| op.channel_ids.len()).max();
            let all = [
                ("operations", operations, OPERATIONS),
                (
                    "channels of one type",
                    most_channels.into_iter().max().unwrap_or(0),
                    CHANNELS,
                ),
                ("remote buffers", buffers.unwrap_or(0), CHANNELS),
                (
                    "channels in one operation",
                    at_once.unwrap_or(0),
                    CHANNELS_AT_ONCE,
                ),
            ];
            if let Some((what, has, limit)) = all.into_iter().find(|(_, has, limit)| has > limit) {
                return Err(malformed(format!(
                    "rank {rank}, threadblock {index} has {has} {what}; the limit is {limit}"
                )));
            }
        }
    }
    Ok(())
}

/// Number of parts of a chunk.
fn parts(plan: &Plan) -> Result<usize, Fault> {
    let mut parts: usize = 1;
    let mut pending: Vec<&Op> = plan
        .gpus
        .iter()
        .flat_map(|gpu| &gpu.threadblocks)
        .flat_map(|block| &block.ops)
        .collect();
    let mut factors = BTreeSet::new();
    while let Some(op) = pending.pop() {
        factors.extend(op.tbg_info.map(|share| share.tbg_size as usize));
        if !op.ops.is_empty() {
            factors.insert(ITERATIONS);
            pending.extend(&op.ops);
        }
    }
    // Parts of groups within a pipeline are thirds of parts.
    let thirds = if factors.remove(&ITERATIONS) {
        ITERATIONS
    } else {
        1
    };
    for factor in factors {
        parts = num_integer::lcm(parts, factor);
        if factor == 0 || parts * thirds > PARTS {
            return Err(malformed(format!(
                "groups of threadblocks divide chunks into more than {PARTS} parts, or none; sizes from 1 on"
            )));
        }
    }
    Ok(parts * thirds)
}

/// Whether an operation reads or writes packets.
fn has_packets(plan: &Plan) -> bool {
    let blocks = plan.gpus.iter().flat_map(|gpu| &gpu.threadblocks);
    blocks
        .flat_map(|block| &block.ops)
        .any(|op| op.is_of_packets() || op.ops.iter().any(Op::is_of_packets))
}

/// A channel's count belongs to one threadblock at each end.
fn exclusive(script: &Script, lines: &Lines) -> Result<(), Fault> {
    let mut users: [Vec<Option<usize>>; 2] = [(); 2].map(|()| vec![None; lines.channels.len()]);
    for (thread, program) in script.programs.iter().enumerate() {
        for &(act, _) in script.acts_of(thread) {
            let (used, waits) = match act {
                Act::Signal { lines, .. } => (lines, false),
                Act::Wait { lines, .. } => (lines, true),
                _ => continue,
            };
            let used = script.numbers_of(used).iter().map(|&line| line as usize);
            for line in used.filter(|&line| line < lines.channels.len()) {
                let before = *users[usize::from(waits)][line].get_or_insert(thread);
                if before != thread {
                    let does = if waits { "wait for" } else { "send" };
                    let text = format!(
                        "two threadblocks of rank {} {does} {}; give each a separate channel",
                        program.rank,
                        lines.name(line)
                    );
                    return Err(malformed(text));
                }
            }
        }
    }
    Ok(())
}

struct Labels<'a> {
    plan: &'a Plan,
    memory: &'a Memory,
    lines: &'a Lines,
}

impl Labels<'_> {
    /// Rank and index of a thread's threadblock.
    fn rank_and_block(&self, mut thread: usize) -> (usize, usize) {
        for (rank, gpu) in self.plan.gpus.iter().enumerate() {
            if thread < gpu.threadblocks.len() {
                return (rank, thread);
            }
            thread -= gpu.threadblocks.len();
        }
        (0, 0)
    }
}

impl Names for Labels<'_> {
    fn operation(&self, thread: usize, operation: u32) -> String {
        let (rank, block) = self.rank_and_block(thread);
        let op = self.plan.gpus[rank].threadblocks[block]
            .ops
            .get(operation as usize);
        let name = op.map_or("end".to_string(), |op| op.name.spelt());
        format!("rank {rank}, threadblock {block}, operation {operation} ({name})")
    }

    fn thread(&self, thread: usize) -> String {
        let (rank, block) = self.rank_and_block(thread);
        format!("rank {rank}, threadblock {block}")
    }

    fn line(&self, line: usize) -> String {
        self.lines.name(line)
    }

    fn sender(&self, line: usize) -> Option<usize> {
        self.lines.sender(line)
    }

    fn must_be_taken(&self, line: usize) -> bool {
        line < self.lines.channels.len()
    }

    fn cell(&self, cell: usize) -> String {
        self.memory.name(cell)
    }
}
