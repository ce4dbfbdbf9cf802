//! Runs MSCCL algorithms in the interpreter, with the data they move and add up.
//!
//! A connection holds one message per slot of the protocol: NCCL divides a connection's buffer into 8 steps, of which a
//! message of `LL` and `LL128` takes one and a message of `Simple` four (`MSCCL_CHUNKSTEPS`). A step of the file is one
//! message here. Executors divide it if the chunks of a step do not fit a slot. A step that receives and combines reads
//! its own `srcbuf`, as the executor does.

mod elements;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::buffers::{
    BufferType, InPlace, Memory, compare, in_place, orders, overwritten, shares_sums, wanted,
};
use crate::followed::Followed;
use crate::machine::{
    Act, Fault, FaultKind, Machine, Move, Names, Outcome, Script, Span, malformed,
};
use crate::text::clipped;
use crate::verdict::Verdict;
use elements::{Columns, Node};

/// Steps that a threadblock has at most.
pub const STEPS: usize = 64;
/// Channels that an algorithm has at most.
pub const CHANNELS: usize = 32;
/// Limit on the chunks of all buffers and messages together.
const CELLS: usize = 1 << 26;
/// Limit on the characters of a name that messages repeat.
const NAME: usize = 60;
/// Messages that a connection holds.
const SLOTS: u32 = 8;
const SIMPLE_SLOTS: u32 = 2;

/// Work of a step.
struct Work {
    name: &'static str,
    receives: bool,
    sends: bool,
    /// Whether it uses its source, and its target.
    reads: bool,
    writes: bool,
}

const fn work(name: &'static str, [receives, sends, reads, writes]: [bool; 4]) -> Work {
    Work {
        name,
        receives,
        sends,
        reads,
        writes,
    }
}

const WORKS: [Work; 9] = [
    work("s", [false, true, true, false]),
    work("r", [true, false, false, true]),
    work("rcs", [true, true, false, true]),
    work("rrs", [true, true, true, false]),
    work("rrc", [true, false, true, true]),
    work("rrcs", [true, true, true, true]),
    work("re", [false, false, true, true]),
    work("cpy", [false, false, true, true]),
    work("nop", [false, false, false, false]),
];

struct Step {
    work: &'static Work,
    from: (BufferType, u32),
    to: (BufferType, u32),
    count: u32,
    after: Option<(u32, u32)>,
    awaited: bool,
}

struct Block {
    send: Option<usize>,
    receive: Option<usize>,
    channel: usize,
    steps: Vec<Step>,
}

struct Gpu {
    chunks: [u32; 3],
    blocks: Vec<Block>,
}

struct Algorithm {
    collective: String,
    /// Messages that a connection holds.
    slots: u32,
    /// Out of place, in place.
    modes: [bool; 2],
    gpus: Vec<Gpu>,
}

/// Runs an algorithm, out of place or in place as its file requires, on connections of `slots` messages. `None` takes
/// the protocol's number.
///
/// # Errors
/// The first fault. For a deadlock, it contains the number of slots without a deadlock.
pub fn check(text: &str, slots: Option<u32>) -> Result<Followed, Fault> {
    let mut algorithm = read(text)?;
    algorithm.slots = slots.unwrap_or(algorithm.slots);
    let mut verdict = None;
    for (mode, in_place) in algorithm.modes.into_iter().zip([false, true]) {
        if mode {
            verdict = Some(run_or_ask_for_slots(&algorithm, in_place)?);
        }
    }
    verdict.ok_or_else(|| malformed("inplace and outofplace are both 0; one must be 1"))
}

/// A deadlock ends if connections hold all messages. If it does not end then, more slots do not help. A schedule
/// without choices that ends with some slots ends with more, so the fewest are found by halving.
fn run_or_ask_for_slots(algorithm: &Algorithm, in_place: bool) -> Result<Followed, Fault> {
    let slots = algorithm.slots;
    let fault = match run(algorithm, in_place, slots) {
        Err(fault) if fault.kind == FaultKind::Deadlock => fault,
        other => return other,
    };
    let is_stuck = |slots: u32| {
        run(algorithm, in_place, slots).is_err_and(|fault| fault.kind == FaultKind::Deadlock)
    };
    let (mut stuck, mut free) = (slots, slots.max(STEPS as u32));
    if is_stuck(free) {
        return Err(Fault {
            text: format!("{}; more slots per connection do not help", fault.text),
            ..fault
        });
    }
    while stuck + 1 < free {
        let middle = stuck + (free - stuck) / 2;
        *(if is_stuck(middle) {
            &mut stuck
        } else {
            &mut free
        }) = middle;
    }
    let messages = if slots == 1 { "slot" } else { "slots" };
    let text = format!(
        "{} (deadlock with {slots} {messages} per connection, none with {free})",
        fault.text
    );
    Err(Fault { text, ..fault })
}

fn attribute<'e>(node: Node<'e>, key: &'static str) -> Result<&'e str, Fault> {
    present(node, key, node.attribute(key))
}

fn present<'e>(node: Node<'e>, key: &str, value: Option<&'e str>) -> Result<&'e str, Fault> {
    value.ok_or_else(|| {
        malformed(format!(
            "line {}: <{}> has no attribute {key}",
            node.line(),
            node.name()
        ))
    })
}

fn number(node: Node<'_>, key: &'static str) -> Result<u32, Fault> {
    natural(node, key, node.attribute(key))
}

fn natural(node: Node<'_>, key: &str, value: Option<&str>) -> Result<u32, Fault> {
    whole(node, key, value)?
        .ok_or_else(|| malformed(format!("line {}: {key} must not be negative", node.line())))
}

/// A number. `None` for -1.
fn peer(node: Node<'_>, key: &'static str) -> Result<Option<u32>, Fault> {
    whole(node, key, node.attribute(key))
}

fn whole(node: Node<'_>, key: &str, value: Option<&str>) -> Result<Option<u32>, Fault> {
    let text = value.unwrap_or_default();
    match text.parse::<i32>() {
        Ok(-1) => Ok(None),
        Ok(number) if number >= 0 => Ok(Some(number as u32)),
        _ => Err(malformed(format!(
            "line {}: <{}> needs {key}, a whole number up to 2^31; it has '{}'",
            node.line(),
            node.name(),
            clipped(text, NAME)
        ))),
    }
}

fn buffer(node: Node<'_>, key: &str, value: Option<&str>) -> Result<BufferType, Fault> {
    let text = value.unwrap_or_default();
    match text {
        "i" => Ok(BufferType::Input),
        "o" => Ok(BufferType::Output),
        "s" => Ok(BufferType::Scratch),
        _ => Err(malformed(format!(
            "line {}: {key} is i, o or s, not '{}'",
            node.line(),
            clipped(text, NAME)
        ))),
    }
}

fn read(text: &str) -> Result<Algorithm, Fault> {
    elements::read(text, algorithm).map_err(|error| {
        malformed(format!(
            "no MSCCL algorithm: {}",
            clipped(&error.to_string(), 300)
        ))
    })?
}

fn algorithm(root: Node<'_>) -> Result<Algorithm, Fault> {
    if root.name() != "algo" {
        return Err(malformed(format!(
            "no MSCCL algorithm: the first element is <{}>, not <algo>",
            clipped(root.name(), NAME)
        )));
    }
    let mut gpus = Vec::new();
    let mut columns = Columns::new(COLUMNS);
    for (rank, gpu) in root.children("gpu").enumerate() {
        if number(gpu, "id")? as usize != rank {
            return Err(malformed(format!(
                "the GPUs must be in the order of their ids; {rank} is missing"
            )));
        }
        let mut chunks = [0; 3];
        for (chunks, key) in chunks.iter_mut().zip(["i_chunks", "o_chunks", "s_chunks"]) {
            *chunks = number(gpu, key)?;
        }
        let mut blocks = Vec::new();
        for (id, block) in gpu.children("tb").enumerate() {
            if number(block, "id")? as usize != id {
                return Err(malformed(format!(
                    "rank {rank}: the threadblocks must be in the order of their ids from 0"
                )));
            }
            let steps = block
                .children("step")
                .enumerate()
                .map(|(index, step)| read_step(step, index, &mut columns));
            blocks.push(Block {
                send: peer(block, "send")?.map(|rank| rank as usize),
                receive: peer(block, "recv")?.map(|rank| rank as usize),
                channel: number(block, "chan")? as usize,
                steps: steps.collect::<Result<_, Fault>>()?,
            });
        }
        gpus.push(Gpu { chunks, blocks });
    }
    let ranks = number(root, "ngpus")? as usize;
    if ranks == 0 || ranks != gpus.len() {
        return Err(malformed(format!(
            "ngpus is {ranks}, and there are {} GPUs",
            gpus.len()
        )));
    }
    let is_set = |key: &'static str, otherwise: bool| {
        root.attribute(key).map_or(otherwise, |value| value == "1")
    };
    let in_place = is_set("inplace", false);
    let collective = clipped(attribute(root, "coll")?, NAME).replace('_', "");
    let slots = if root.attribute("proto") == Some("Simple") {
        SIMPLE_SLOTS
    } else {
        SLOTS
    };
    let algorithm = Algorithm {
        collective,
        slots,
        modes: [is_set("outofplace", !in_place), in_place],
        gpus,
    };
    limits(&algorithm)?;
    Ok(algorithm)
}

/// A step's attributes.
const COLUMNS: [&str; 10] = [
    "s", "depid", "deps", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "hasdep",
];

fn read_step(step: Node<'_>, index: usize, columns: &mut Columns<10>) -> Result<Step, Fault> {
    let [
        number,
        block,
        after,
        name,
        from_buffer,
        from,
        to_buffer,
        to,
        count,
        awaited,
    ] = step.attributes(columns);
    if natural(step, "s", number)? as usize != index {
        return Err(malformed(format!(
            "line {}: the steps must be in the order of s from 0",
            step.line()
        )));
    }
    let after = match (whole(step, "depid", block)?, whole(step, "deps", after)?) {
        (Some(block), Some(step)) => Some((block, step)),
        (None, None) => None,
        _ => {
            return Err(malformed(format!(
                "line {}: depid and deps are both -1, or neither is",
                step.line()
            )));
        }
    };
    let name = present(step, "type", name)?;
    let Some(work) = WORKS.iter().find(|known| known.name == name) else {
        let known = WORKS.map(|known| known.name).join(", ");
        return Err(malformed(format!(
            "line {}: type '{}' is none of {known}",
            step.line(),
            clipped(name, NAME)
        )));
    };
    let or_zero = |key, value| Ok::<u32, Fault>(whole(step, key, value)?.unwrap_or(0));
    let from = (
        buffer(step, "srcbuf", from_buffer)?,
        or_zero("srcoff", from)?,
    );
    let to = (buffer(step, "dstbuf", to_buffer)?, or_zero("dstoff", to)?);
    let count = or_zero("cnt", count)?;
    let awaited = natural(step, "hasdep", awaited)? == 1;
    Ok(Step {
        work,
        from,
        to,
        count,
        after,
        awaited,
    })
}

fn limits(algorithm: &Algorithm) -> Result<(), Fault> {
    let ranks = algorithm.gpus.len();
    for (rank, gpu) in algorithm.gpus.iter().enumerate() {
        for (id, block) in gpu.blocks.iter().enumerate() {
            let at = format!("rank {rank}, threadblock {id}");
            if block.steps.len() > STEPS {
                return Err(malformed(format!(
                    "{at} has {} steps; the limit is {STEPS}",
                    block.steps.len()
                )));
            }
            if block.channel >= CHANNELS {
                return Err(malformed(format!(
                    "{at} uses channel {}; there are {CHANNELS}, from 0",
                    block.channel
                )));
            }
            if let Some(other) = block
                .send
                .iter()
                .chain(&block.receive)
                .find(|&&other| other >= ranks || other == rank)
            {
                return Err(malformed(format!(
                    "{at} is connected to rank {other}; there are {ranks}, from 0"
                )));
            }
            for (index, step) in block.steps.iter().enumerate() {
                let Some((other, awaited)) = step.after else {
                    continue;
                };
                let there = gpu
                    .blocks
                    .get(other as usize)
                    .and_then(|block| block.steps.get(awaited as usize));
                let what =
                    format!("{at}, step {index} waits for step {awaited} of threadblock {other}");
                match there {
                    None => return Err(malformed(format!("{what}, which is not there"))),
                    Some(there) if !there.awaited => {
                        return Err(malformed(format!(
                            "{what}, whose hasdep is 0: no threadblock learns that it is done"
                        )));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    Ok(())
}

/// A connection: from, to, channel.
type Connection = (usize, usize, usize);

/// Steps of an algorithm as steps of the machine.
struct Translation<'a> {
    algorithm: &'a Algorithm,
    memory: &'a Memory,
    /// Per connection: its number.
    connections: BTreeMap<Connection, usize>,
    /// Per number of a connection: the cells of its messages, in the order of their sends.
    messages: Vec<Vec<Range<usize>>>,
    /// The number of the first step among all, by rank and threadblock.
    first: Vec<Vec<usize>>,
    /// Line of each step that waits for another one.
    lines: Vec<Option<u32>>,
    /// Per step: index of the first line of the steps that wait for it in the next list.
    awaited: Vec<u32>,
    by_awaited: Vec<u32>,
    /// Per line after the lines of connections: the step that waits.
    waits: Vec<(usize, usize, usize)>,
    /// Cells of buffers and messages.
    cells: usize,
}

fn run(algorithm: &Algorithm, is_in_place: bool, slots: u32) -> Result<Followed, Fault> {
    let in_place = if is_in_place {
        in_place(&algorithm.collective)
    } else {
        InPlace::No
    };
    let chunks: Vec<[u32; 3]> = algorithm.gpus.iter().map(|gpu| gpu.chunks).collect();
    let chunks = in_place.filled(&chunks);
    let known = wanted(&algorithm.collective, &chunks, 0)
        .map_err(malformed)?
        .is_some();
    let memory = Memory::new(&chunks, 1, in_place, false);
    let memory =
        memory.ok_or_else(|| malformed("the buffers have more than 2^23 chunks together"))?;
    let translation = Translation::new(algorithm, &memory)?;
    let script = translation.script()?;
    let start = || {
        let (mut cells, values) = memory.initial();
        cells.resize(translation.cells, None);
        (cells, values)
    };
    let (cells, values) = start();
    let connections = translation.connections.len();
    let credits = [0, slots].repeat(connections);
    let tokens = [credits, vec![0; translation.waits.len()]].concat();
    let labels = Labels(&translation);
    let machine = Machine::new(&labels, &script, chunks.len(), &[], cells, values, &tokens);
    let Outcome {
        cells,
        mut values,
        steps,
        moved,
        in_step,
    } = machine.run()?;
    compare(&algorithm.collective, &chunks, &memory, &cells, &mut values)?;
    let overwritten = matches!(in_place, InPlace::No)
        .then(|| overwritten(&memory, chunks.len(), &cells, &values))
        .flatten();
    let orders = if shares_sums(&algorithm.collective) {
        let (cells, values) = start();
        let again = Machine::new(
            &labels,
            &script,
            chunks.len(),
            &[],
            cells,
            values.by_order(),
            &tokens,
        );
        // A packet that is written twice in two orders ends the run.
        let ended = again.run().ok();
        ended.and_then(|ended| orders(&memory, chunks.len(), &ended.cells))
    } else {
        None
    };
    let verdict = Verdict {
        format: "MSCCL algorithm",
        collective: algorithm.collective.clone(),
        ranks: chunks.len(),
        threads: script.programs.len(),
        steps,
        known,
        in_step,
        overwritten,
        orders,
    };
    Ok(Followed::new(verdict, &memory, &script, &moved, false))
}

/// Position of a step: rank, threadblock, index, and the numbers of messages that its threadblock has sent and
/// received.
struct Site<'a> {
    at: (usize, usize, usize),
    block: &'a Block,
    step: &'a Step,
    /// The numbers of the threadblock's connections.
    connections: [Option<usize>; 2],
    sent: usize,
    received: usize,
}

impl Site<'_> {
    fn fault(&self, text: impl std::fmt::Display) -> Fault {
        let (rank, id, index) = self.at;
        malformed(format!(
            "rank {rank}, threadblock {id}, step {index} ({}): {text}",
            self.step.work.name
        ))
    }
}

impl<'a> Translation<'a> {
    fn new(algorithm: &'a Algorithm, memory: &'a Memory) -> Result<Self, Fault> {
        let mut it = Translation {
            algorithm,
            memory,
            connections: BTreeMap::new(),
            messages: Vec::new(),
            first: Vec::new(),
            lines: Vec::new(),
            awaited: Vec::new(),
            by_awaited: Vec::new(),
            waits: Vec::new(),
            cells: memory.cells,
        };
        let mut steps = 0;
        for gpu in &algorithm.gpus {
            let first = gpu.blocks.iter().map(|block| {
                steps += block.steps.len();
                steps - block.steps.len()
            });
            it.first.push(first.collect());
        }
        for (rank, gpu) in algorithm.gpus.iter().enumerate() {
            for (id, block) in gpu.blocks.iter().enumerate() {
                let Some(to) = block.send else { continue };
                let mut messages = Vec::new();
                for step in block.steps.iter().filter(|step| step.work.sends) {
                    let count = step.count.min(1 << 16) as usize;
                    messages.push(it.cells..it.cells + count);
                    it.cells += count;
                }
                if it
                    .connections
                    .insert((rank, to, block.channel), it.messages.len())
                    .is_some()
                {
                    let channel = block.channel;
                    return Err(malformed(format!(
                        "rank {rank}, threadblock {id}: another one sends to rank {to} on channel {channel} too"
                    )));
                }
                it.messages.push(messages);
            }
        }
        if it.cells > CELLS {
            return Err(malformed(
                "the buffers and messages have more than 2^26 chunks together",
            ));
        }
        it.link(steps);
        Ok(it)
    }

    /// Numbers the lines of steps that wait for others.
    fn link(&mut self, steps: usize) {
        let first = 2 * self.connections.len();
        self.lines = vec![None; steps];
        self.awaited = vec![0; steps + 1];
        let mut awaited = Vec::new();
        for (rank, gpu) in self.algorithm.gpus.iter().enumerate() {
            for (id, block) in gpu.blocks.iter().enumerate() {
                for (index, step) in block.steps.iter().enumerate() {
                    let Some((other, there)) = step.after else {
                        continue;
                    };
                    let line = (first + self.waits.len()) as u32;
                    self.waits.push((rank, id, index));
                    let [waits, there] = [(id, index), (other as usize, there as usize)]
                        .map(|(id, step)| self.first[rank][id] + step);
                    self.lines[waits] = Some(line);
                    self.awaited[there] += 1;
                    awaited.push((there, line));
                }
            }
        }
        // Counts become ends, and ends beginnings as the lists are filled from behind.
        let mut end = 0;
        for count in &mut self.awaited {
            end += *count;
            *count = end;
        }
        self.by_awaited = vec![0; awaited.len()];
        for (there, line) in awaited.into_iter().rev() {
            self.awaited[there] -= 1;
            self.by_awaited[self.awaited[there] as usize] = line;
        }
    }

    fn script(&self) -> Result<Script, Fault> {
        let mut script = Script::default();
        let mut receivers: BTreeMap<Connection, usize> = BTreeMap::new();
        for (rank, gpu) in self.algorithm.gpus.iter().enumerate() {
            for (id, block) in gpu.blocks.iter().enumerate() {
                let connection = block.receive.map(|from| (from, rank, block.channel));
                let receives =
                    connection.filter(|_| block.steps.iter().any(|step| step.work.receives));
                if let Some(connection) = receives
                    && let Some(other) = receivers.insert(connection, id)
                {
                    let from = connection.0;
                    return Err(malformed(format!(
                        "rank {rank}, threadblocks {other} and {id} both receive from rank {from} on one channel"
                    )));
                }
                let number = |connection: Connection| self.connections.get(&connection).copied();
                let connections = [block.send.map(|to| (rank, to, block.channel)), connection]
                    .map(|it| it.and_then(number));
                let (mut sent, mut received) = (0, 0);
                for (index, step) in block.steps.iter().enumerate() {
                    let site = Site {
                        at: (rank, id, index),
                        block,
                        step,
                        connections,
                        sent,
                        received,
                    };
                    self.acts(&site, &mut script)?;
                    sent += usize::from(step.work.sends);
                    received += usize::from(step.work.receives);
                }
                script.end(rank, None);
            }
        }
        Ok(script)
    }

    fn acts(&self, site: &Site<'_>, script: &mut Script) -> Result<(), Fault> {
        let Site {
            at: (rank, id, index),
            block,
            step,
            connections,
            sent,
            received,
        } = *site;
        let (own, operation) = (self.first[rank][id] + index, index as u32);
        let Work {
            receives,
            sends,
            reads,
            writes,
            name,
        } = *step.work;
        if name != "nop" && step.count == 0 {
            return Err(site.fault("it moves no chunk"));
        }
        let mut arrives = None;
        if receives {
            let from = block
                .receive
                .ok_or_else(|| site.fault("the threadblock has no sender (recv)"))?;
            let number = connections[1];
            let number = number.ok_or_else(|| {
                site.fault(format!(
                    "rank {from} sends nothing on channel {}",
                    block.channel
                ))
            })?;
            // A thread that waits for a message without a send: the machine reports it.
            let cells = self.messages[number]
                .get(received)
                .cloned()
                .unwrap_or(0..step.count as usize);
            if cells.len() != step.count as usize {
                let (takes, sends) = (step.count, cells.len());
                return Err(site.fault(format!(
                    "it takes {takes} chunks, and rank {from} sends {sends}"
                )));
            }
            arrives = Some((number, Span::new(cells, rank, false)));
        }
        let mut leaves = None;
        if sends {
            if block.send.is_none() {
                return Err(site.fault("the threadblock has no receiver (send)"));
            }
            let number = connections[0].ok_or_else(|| site.fault("there is no connection"))?;
            let credit = script.numbers([2 * number + 1]);
            script.act(
                Act::Wait {
                    lines: credit,
                    relaxed: true,
                },
                operation,
            );
            let cells = self.messages[number].get(sent).cloned();
            leaves = Some((number, cells.map(|cells| Span::new(cells, rank, false))));
        }
        let sources = arrives.iter().map(|&(_, span)| Ok(span));
        let sources = sources.chain(reads.then(|| self.local(site, step.from)));
        let sources =
            script.spans(sources.chain((name == "re").then(|| self.local(site, step.to))))?;
        let targets = leaves.iter().filter_map(|&(_, span)| span).map(Ok);
        let targets = script.spans(targets.chain(writes.then(|| self.local(site, step.to))))?;
        let arrives = arrives.map(|(number, _)| 2 * number);
        let waits = script.numbers(
            self.lines[own]
                .map(|line| line as usize)
                .into_iter()
                .chain(arrives),
        );
        if !waits.is_empty() {
            script.act(
                Act::Wait {
                    lines: waits,
                    relaxed: false,
                },
                operation,
            );
        }
        script.act(Act::Sync, operation);
        if name != "nop" {
            let moves = script.moves([Move {
                sources,
                targets,
                through_switch: false,
            }]);
            script.act(Act::Move { moves, agent: None }, operation);
            script.act(Act::Sync, operation);
        }
        if let Some(number) = arrives {
            let lines = script.numbers([number + 1]);
            script.act(
                Act::Signal {
                    lines,
                    relaxed: true,
                    agent: None,
                },
                operation,
            );
        }
        let awaited = &self.by_awaited[self.awaited[own] as usize..self.awaited[own + 1] as usize];
        let awaited = awaited.iter().map(|&line| line as usize);
        let signals = script.numbers(
            leaves
                .map(|(number, _)| 2 * number)
                .into_iter()
                .chain(awaited),
        );
        if !signals.is_empty() {
            script.act(
                Act::Signal {
                    lines: signals,
                    relaxed: false,
                    agent: None,
                },
                operation,
            );
        }
        Ok(())
    }

    /// The local cells that a step uses.
    fn local(&self, site: &Site<'_>, (buffer, index): (BufferType, u32)) -> Result<Span, Fault> {
        let (rank, count) = (site.at.0, site.step.count);
        let cells = self
            .memory
            .chunk(rank, buffer, index as usize, count as usize, false)
            .ok_or_else(|| {
                let (has, name) = (self.memory.chunks(rank, buffer), buffer.name());
                site.fault(format!(
                    "{count} chunks from {index} on of the {name}, which has {has}"
                ))
            })?;
        Ok(Span::new(cells, rank, false))
    }
}

struct Labels<'a>(&'a Translation<'a>);

impl Labels<'_> {
    fn rank_and_block(&self, mut thread: usize) -> (usize, usize) {
        for (rank, gpu) in self.0.algorithm.gpus.iter().enumerate() {
            if thread < gpu.blocks.len() {
                return (rank, thread);
            }
            thread -= gpu.blocks.len();
        }
        (0, 0)
    }

    /// The step that waits along a line.
    fn waits(&self, line: usize) -> Option<(usize, usize, usize)> {
        self.0
            .waits
            .get(line.checked_sub(2 * self.0.connections.len())?)
            .copied()
    }

    fn connection(&self, number: usize) -> Connection {
        self.0
            .connections
            .iter()
            .find(|(_, other)| **other == number)
            .map_or((0, 0, 0), |(connection, _)| *connection)
    }
}

impl Names for Labels<'_> {
    fn operation(&self, thread: usize, operation: u32) -> String {
        let (rank, id) = self.rank_and_block(thread);
        let step = self.0.algorithm.gpus[rank].blocks[id]
            .steps
            .get(operation as usize);
        let kind = step.map_or("end", |step| step.work.name);
        format!("rank {rank}, threadblock {id}, step {operation} ({kind})")
    }

    fn thread(&self, thread: usize) -> String {
        let (rank, id) = self.rank_and_block(thread);
        format!("rank {rank}, threadblock {id}")
    }

    fn line(&self, line: usize) -> String {
        if line < 2 * self.0.connections.len() {
            let (from, to, channel) = self.connection(line / 2);
            return match line % 2 {
                0 => format!("a message of rank {from} to rank {to} on channel {channel}"),
                _ => format!("rank {to} to take what rank {from} has sent on channel {channel}"),
            };
        }
        let waits = self.waits(line);
        let step = waits.and_then(|(rank, id, index)| {
            self.0.algorithm.gpus[rank].blocks[id].steps[index].after
        });
        let (block, step) = step.unwrap_or_default();
        format!("step {step} of threadblock {block}")
    }

    fn sender(&self, line: usize) -> Option<usize> {
        if line < 2 * self.0.connections.len() {
            let (from, to, _) = self.connection(line / 2);
            return Some(if line.is_multiple_of(2) { from } else { to });
        }
        self.waits(line).map(|(rank, ..)| rank)
    }

    fn must_be_taken(&self, line: usize) -> bool {
        line < 2 * self.0.connections.len() && line.is_multiple_of(2)
    }

    fn cell(&self, cell: usize) -> String {
        if cell < self.0.memory.cells {
            self.0.memory.name(cell)
        } else {
            "a message".to_string()
        }
    }
}
