//! Runs MSCCL algorithms in the interpreter, with the data they move and add up.
//!
//! A connection holds as many messages as the protocol has slots: NCCL divides a connection's buffer into 8 steps, of
//! which a message of `LL` and `LL128` takes one and a message of `Simple` four (`MSCCL_CHUNKSTEPS`). A step of the
//! file is one message here; executors divide it where the chunks of a step exceed a slot. A step that receives and
//! combines reads its own `srcbuf`, as the executor does.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::{CHANNELS, STEPS};
use crate::buffers::{BufferType, InPlace, Memory, compare, in_place, wanted};
use crate::machine::{Act, Fault, Few, Kind, Machine, Move, Names, Outcome, Program, Span};
use crate::text::clipped;
use crate::verdict::Verdict;

/// Most XML nodes.
const NODES: u32 = 4_000_000;
/// Most characters of a name that messages repeat.
const NAME: usize = 60;
/// Messages that a connection holds.
const SLOTS: u32 = 8;
const SIMPLE_SLOTS: u32 = 2;

fn malformed(text: impl Into<String>) -> Fault {
    Fault::new(Kind::Malformed, text)
}

struct Step {
    kind: &'static str,
    from: (BufferType, usize),
    to: (BufferType, usize),
    count: usize,
    after: Option<(usize, usize)>,
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

/// Runs an algorithm, out of place and in place as it says, on connections of so many messages; `None`: as many as the
/// protocol has.
///
/// # Errors
/// The first fault; of a deadlock, with how many slots there would be none.
pub fn check(text: &str, slots: Option<u32>) -> Result<Verdict, Fault> {
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

/// A deadlock ends where connections hold all messages, or more slots do not help. A schedule without choices that ends
/// with some slots ends with more, so the fewest are found by halving.
fn run_or_ask_for_slots(algorithm: &Algorithm, in_place: bool) -> Result<Verdict, Fault> {
    let slots = algorithm.slots;
    let fault = match run(algorithm, in_place, slots) {
        Err(fault) if fault.kind == Kind::Deadlock => fault,
        other => return other,
    };
    let is_stuck = |slots: u32| run(algorithm, in_place, slots).is_err_and(|fault| fault.kind == Kind::Deadlock);
    let (mut stuck, mut free) = (slots, slots.max(STEPS as u32));
    if is_stuck(free) {
        return Err(Fault { text: format!("{}; more slots per connection do not help", fault.text), ..fault });
    }
    while stuck + 1 < free {
        let middle = stuck + (free - stuck) / 2;
        *(if is_stuck(middle) { &mut stuck } else { &mut free }) = middle;
    }
    let messages = if slots == 1 { "slot" } else { "slots" };
    let text = format!("{} (deadlock with {slots} {messages} per connection, none with {free})", fault.text);
    Err(Fault { text, ..fault })
}

fn attribute<'x>(node: Node<'x, 'x>, key: &str) -> Result<&'x str, Fault> {
    node.attribute(key).ok_or_else(|| {
        let line = node.document().text_pos_at(node.range().start).row;
        malformed(format!("line {line}: <{}> has no attribute {key}", node.tag_name().name()))
    })
}

fn number(node: Node<'_, '_>, key: &str) -> Result<usize, Fault> {
    peer(node, key)?.ok_or_else(|| {
        let line = node.document().text_pos_at(node.range().start).row;
        malformed(format!("line {line}: {key} must not be negative"))
    })
}

/// A number, or -1 for none.
fn peer(node: Node<'_, '_>, key: &str) -> Result<Option<usize>, Fault> {
    let text = node.attribute(key).unwrap_or_default();
    match text.parse::<i32>() {
        Ok(-1) => Ok(None),
        Ok(number) if number >= 0 => Ok(Some(number as usize)),
        _ => {
            let line = node.document().text_pos_at(node.range().start).row;
            let name = node.tag_name().name();
            Err(malformed(format!(
                "line {line}: <{name}> needs {key}, a whole number up to 2^31; it has '{}'",
                clipped(text, NAME)
            )))
        }
    }
}

fn buffer(node: Node<'_, '_>, key: &str, offset: &str) -> Result<(BufferType, usize), Fault> {
    let text = node.attribute(key).unwrap_or_default();
    let buffer = match text {
        "i" => BufferType::Input,
        "o" => BufferType::Output,
        "s" => BufferType::Scratch,
        _ => {
            let line = node.document().text_pos_at(node.range().start).row;
            return Err(malformed(format!("line {line}: {key} is i, o or s, not '{}'", clipped(text, NAME))));
        }
    };
    Ok((buffer, peer(node, offset)?.unwrap_or(0)))
}

fn children<'x>(node: Node<'x, 'x>, name: &'static str) -> impl Iterator<Item = Node<'x, 'x>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn read(text: &str) -> Result<Algorithm, Fault> {
    let options = ParsingOptions { nodes_limit: NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| malformed(format!("no MSCCL algorithm: {}", clipped(&error.to_string(), 300))))?;
    let root = document.root_element();
    if !root.has_tag_name("algo") {
        return Err(malformed(format!(
            "no MSCCL algorithm: the first element is <{}>, not <algo>",
            clipped(root.tag_name().name(), NAME)
        )));
    }
    let mut gpus = Vec::new();
    for (rank, gpu) in children(root, "gpu").enumerate() {
        if number(gpu, "id")? != rank {
            return Err(malformed(format!("the GPUs must be in the order of their ids; {rank} is missing")));
        }
        let mut chunks = [0; 3];
        for (chunks, key) in chunks.iter_mut().zip(["i_chunks", "o_chunks", "s_chunks"]) {
            *chunks = number(gpu, key)? as u32;
        }
        let mut blocks = Vec::new();
        for (id, block) in children(gpu, "tb").enumerate() {
            if number(block, "id")? != id {
                return Err(malformed(format!(
                    "rank {rank}: the threadblocks must be in the order of their ids from 0"
                )));
            }
            let steps = children(block, "step").enumerate().map(|(place, step)| read_step(step, place));
            blocks.push(Block {
                send: peer(block, "send")?,
                receive: peer(block, "recv")?,
                channel: number(block, "chan")?,
                steps: steps.collect::<Result<_, Fault>>()?,
            });
        }
        gpus.push(Gpu { chunks, blocks });
    }
    let ranks = number(root, "ngpus")?;
    if ranks == 0 || ranks != gpus.len() {
        return Err(malformed(format!("ngpus is {ranks}, and there are {} GPUs", gpus.len())));
    }
    let is = |key: &str, otherwise: bool| root.attribute(key).map_or(otherwise, |value| value == "1");
    let in_place = is("inplace", false);
    let collective = clipped(attribute(root, "coll")?, NAME).replace('_', "");
    let slots = if root.attribute("proto") == Some("Simple") { SIMPLE_SLOTS } else { SLOTS };
    let algorithm = Algorithm { collective, slots, modes: [is("outofplace", !in_place), in_place], gpus };
    limits(&algorithm)?;
    Ok(algorithm)
}

const KINDS: [&str; 9] = ["s", "r", "rcs", "rrs", "rrc", "rrcs", "re", "cpy", "nop"];

fn read_step(step: Node<'_, '_>, place: usize) -> Result<Step, Fault> {
    if number(step, "s")? != place {
        let line = step.document().text_pos_at(step.range().start).row;
        return Err(malformed(format!("line {line}: the steps must be in the order of s from 0")));
    }
    let after = match (peer(step, "depid")?, peer(step, "deps")?) {
        (Some(block), Some(step)) => Some((block, step)),
        (None, None) => None,
        _ => {
            let line = step.document().text_pos_at(step.range().start).row;
            return Err(malformed(format!("line {line}: depid and deps are both -1, or neither is")));
        }
    };
    let kind = attribute(step, "type")?;
    let Some(kind) = KINDS.into_iter().find(|&known| known == kind) else {
        let line = step.document().text_pos_at(step.range().start).row;
        return Err(malformed(format!("line {line}: type '{}' is none of {}", clipped(kind, NAME), KINDS.join(", "))));
    };
    Ok(Step {
        from: buffer(step, "srcbuf", "srcoff")?,
        to: buffer(step, "dstbuf", "dstoff")?,
        count: peer(step, "cnt")?.unwrap_or(0),
        awaited: number(step, "hasdep")? == 1,
        kind,
        after,
    })
}

fn limits(algorithm: &Algorithm) -> Result<(), Fault> {
    let ranks = algorithm.gpus.len();
    for (rank, gpu) in algorithm.gpus.iter().enumerate() {
        for (id, block) in gpu.blocks.iter().enumerate() {
            let at = format!("rank {rank}, threadblock {id}");
            if block.steps.len() > STEPS {
                return Err(malformed(format!("{at} has {} steps; the limit is {STEPS}", block.steps.len())));
            }
            if block.channel >= CHANNELS {
                return Err(malformed(format!("{at} uses channel {}; there are {CHANNELS}, from 0", block.channel)));
            }
            if let Some(other) = block.send.iter().chain(&block.receive).find(|&&other| other >= ranks || other == rank)
            {
                return Err(malformed(format!("{at} is connected to rank {other}; there are {ranks}, from 0")));
            }
            for (place, step) in block.steps.iter().enumerate() {
                let Some((other, awaited)) = step.after else { continue };
                let there = gpu.blocks.get(other).and_then(|block| block.steps.get(awaited));
                let what = format!("{at}, step {place} waits for step {awaited} of threadblock {other}");
                match there {
                    None => return Err(malformed(format!("{what}, which is not there"))),
                    Some(there) if !there.awaited => {
                        return Err(malformed(format!("{what}, whose hasdep is 0: it tells nobody that it is done")));
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
    /// By connection: its number, and the cells of its messages, in the order of their sends.
    connections: BTreeMap<Connection, (usize, Vec<std::ops::Range<usize>>)>,
    /// The number of the first step among all, by rank and threadblock.
    first: Vec<Vec<usize>>,
    /// The line of each step that waits for another one.
    lines: Vec<Option<usize>>,
    /// By step: the lines of those that wait for it.
    awaited: Vec<Few<usize>>,
    /// The step that waits, by line, behind the lines of connections.
    waits: Vec<(usize, usize, usize)>,
    /// Cells of buffers and messages.
    cells: usize,
}

fn run(algorithm: &Algorithm, is_in_place: bool, slots: u32) -> Result<Verdict, Fault> {
    let in_place = if is_in_place { in_place(&algorithm.collective) } else { InPlace::No };
    let chunks: Vec<[u32; 3]> = algorithm.gpus.iter().map(|gpu| gpu.chunks).collect();
    let chunks = in_place.filled(&chunks);
    let known = wanted(&algorithm.collective, &chunks, 0).map_err(malformed)?.is_some();
    let memory = Memory::new(&chunks, 1, in_place, false);
    let memory = memory.ok_or_else(|| malformed("the buffers have more than 2^23 chunks together"))?;
    let translation = Translation::new(algorithm, &memory)?;
    let programs = translation.programs()?;
    let (mut cells, values) = memory.initial();
    cells.resize(translation.cells, None);
    let connections = translation.connections.len();
    let tokens: Vec<u32> = (0..2 * connections + translation.waits.len())
        .map(|line| if line < 2 * connections && line % 2 == 1 { slots } else { 0 })
        .collect();
    let labels = Labels(&translation);
    let machine = Machine::new(&labels, &programs, chunks.len(), &[], cells, values, &tokens);
    let Outcome { cells, mut values, steps, in_step } = machine.run()?;
    compare(&algorithm.collective, &chunks, &memory, &cells, &mut values)?;
    Ok(Verdict {
        format: "MSCCL algorithm",
        collective: algorithm.collective.clone(),
        ranks: chunks.len(),
        threads: programs.len(),
        steps,
        known,
        in_step,
    })
}

fn receives(kind: &str) -> bool {
    kind.starts_with('r') && kind != "re"
}

fn sends(kind: &str) -> bool {
    kind.ends_with('s')
}

impl<'a> Translation<'a> {
    fn new(algorithm: &'a Algorithm, memory: &'a Memory) -> Result<Self, Fault> {
        let mut it = Translation {
            algorithm,
            memory,
            connections: BTreeMap::new(),
            first: Vec::new(),
            lines: Vec::new(),
            awaited: Vec::new(),
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
        it.lines = vec![None; steps];
        it.awaited = vec![Few::default(); steps];
        for (rank, gpu) in algorithm.gpus.iter().enumerate() {
            for (id, block) in gpu.blocks.iter().enumerate() {
                let Some(to) = block.send else { continue };
                let mut messages = Vec::new();
                for step in block.steps.iter().filter(|step| sends(step.kind)) {
                    messages.push(it.cells..it.cells + step.count.min(1 << 16));
                    it.cells += step.count.min(1 << 16);
                }
                let number = it.connections.len();
                if it.connections.insert((rank, to, block.channel), (number, messages)).is_some() {
                    let channel = block.channel;
                    return Err(malformed(format!(
                        "rank {rank}, threadblock {id}: another one sends to rank {to} on channel {channel} too"
                    )));
                }
            }
        }
        let first = 2 * it.connections.len();
        for (rank, gpu) in algorithm.gpus.iter().enumerate() {
            for (id, block) in gpu.blocks.iter().enumerate() {
                for (place, step) in block.steps.iter().enumerate() {
                    let Some((other, awaited)) = step.after else { continue };
                    let line = first + it.waits.len();
                    it.waits.push((rank, id, place));
                    let [waits, awaited] =
                        [(id, place), (other, awaited)].map(|(block, step)| it.first[rank][block] + step);
                    it.lines[waits] = Some(line);
                    it.awaited[awaited].push(line);
                }
            }
        }
        Ok(it)
    }

    fn programs(&self) -> Result<Vec<Program>, Fault> {
        let mut programs = Vec::new();
        let mut receivers: BTreeMap<Connection, usize> = BTreeMap::new();
        for (rank, gpu) in self.algorithm.gpus.iter().enumerate() {
            for (id, block) in gpu.blocks.iter().enumerate() {
                let connection = block.receive.map(|from| (from, rank, block.channel));
                let connection = connection.filter(|_| block.steps.iter().any(|step| receives(step.kind)));
                if let Some(connection) = connection
                    && let Some(other) = receivers.insert(connection, id)
                {
                    let from = connection.0;
                    return Err(malformed(format!(
                        "rank {rank}, threadblocks {other} and {id} both receive from rank {from} on one channel"
                    )));
                }
                let (mut acts, mut sent, mut received) = (Vec::new(), 0, 0);
                for (place, step) in block.steps.iter().enumerate() {
                    let at = (rank, id, place);
                    let steps = self.acts(at, block, step, [&mut sent, &mut received])?;
                    acts.extend(steps.into_iter().map(|act| (act, place as u32)));
                }
                programs.push(Program { rank, group: None, acts });
            }
        }
        Ok(programs)
    }

    fn acts(
        &self,
        at: (usize, usize, usize),
        block: &Block,
        step: &Step,
        [sent, received]: [&mut usize; 2],
    ) -> Result<Vec<Act>, Fault> {
        let (rank, id, place) = at;
        let fault =
            |text: String| malformed(format!("rank {rank}, threadblock {id}, step {place} ({}): {text}", step.kind));
        let own = self.first[rank][id] + place;
        let mut waits: Few<usize> = self.lines[own].into_iter().collect();
        let mut acts = Vec::new();
        let (mut sources, mut targets, mut signals) = (Few::default(), Few::default(), Few::default());
        let mut credits = Few::default();
        let local = |(buffer, index): (BufferType, usize)| {
            let cells = self.memory.chunk(rank, buffer, index, step.count, false).ok_or_else(|| {
                let (has, name) = (self.memory.chunks(rank, buffer), ["input", "output", "scratch"][buffer as usize]);
                fault(format!("{} chunks from {index} on of the {name}, which has {has}", step.count))
            })?;
            Ok(Span { cells, rank, packets: false })
        };
        if step.kind != "nop" && step.count == 0 {
            return Err(fault("it moves no chunk".to_string()));
        }
        if receives(step.kind) {
            let from = block.receive.ok_or_else(|| fault("the threadblock receives from nobody (recv)".to_string()))?;
            let connection = self.connections.get(&(from, rank, block.channel));
            let (number, messages) =
                connection.ok_or_else(|| fault(format!("rank {from} sends nothing on channel {}", block.channel)))?;
            let message = messages.get(*received);
            *received += 1;
            // A message that is never sent is waited for: the machine says so.
            let cells = message.cloned().unwrap_or(0..step.count);
            if cells.len() != step.count {
                return Err(fault(format!("it takes {} chunks, and rank {from} sends {}", step.count, cells.len())));
            }
            waits.push(2 * number);
            credits.push(2 * number + 1);
            sources.push(Span { cells, rank, packets: false });
        }
        if sends(step.kind) {
            let to = block.send.ok_or_else(|| fault("the threadblock sends to nobody (send)".to_string()))?;
            let connection = self.connections.get(&(rank, to, block.channel));
            let (number, messages) = connection.ok_or_else(|| fault("there is no connection".to_string()))?;
            acts.push(Act::Wait { lines: Few::One(2 * number + 1), relaxed: true });
            signals.push(2 * number);
            if let Some(cells) = messages.get(*sent) {
                targets.push(Span { cells: cells.clone(), rank, packets: false });
            }
            *sent += 1;
        }
        if ["s", "rrs", "rrc", "rrcs", "re", "cpy"].contains(&step.kind) {
            sources.push(local(step.from)?);
        }
        if ["r", "rcs", "rrc", "rrcs", "re", "cpy"].contains(&step.kind) {
            targets.push(local(step.to)?);
        }
        if step.kind == "re" {
            sources.push(local(step.to)?);
        }
        if !waits.is_empty() {
            acts.push(Act::Wait { lines: waits, relaxed: false });
        }
        acts.push(Act::Sync);
        if step.kind != "nop" {
            acts.push(Act::Move { moves: Few::One(Move { sources, targets, through_switch: false }), agent: None });
            acts.push(Act::Sync);
        }
        if !credits.is_empty() {
            acts.push(Act::Signal { lines: credits, relaxed: true, agent: None });
        }
        self.awaited[own].iter().for_each(|&line| signals.push(line));
        if !signals.is_empty() {
            acts.push(Act::Signal { lines: signals, relaxed: false, agent: None });
        }
        Ok(acts)
    }
}

struct Labels<'a>(&'a Translation<'a>);

impl Labels<'_> {
    fn place(&self, mut thread: usize) -> (usize, usize) {
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
        self.0.waits.get(line.checked_sub(2 * self.0.connections.len())?).copied()
    }

    fn connection(&self, number: usize) -> Connection {
        self.0
            .connections
            .iter()
            .find(|(_, (other, _))| *other == number)
            .map_or((0, 0, 0), |(connection, _)| *connection)
    }
}

impl Names for Labels<'_> {
    fn operation(&self, thread: usize, operation: u32) -> String {
        let (rank, id) = self.place(thread);
        let step = self.0.algorithm.gpus[rank].blocks[id].steps.get(operation as usize);
        let kind = step.map_or("end", |step| step.kind);
        format!("rank {rank}, threadblock {id}, step {operation} ({kind})")
    }

    fn thread(&self, thread: usize) -> String {
        let (rank, id) = self.place(thread);
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
        let step = waits.and_then(|(rank, id, place)| self.0.algorithm.gpus[rank].blocks[id].steps[place].after);
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
        match cell < self.0.memory.cells {
            true => self.0.memory.name(cell),
            false => "a message".to_string(),
        }
    }
}
