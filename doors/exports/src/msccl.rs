//! MSCCL algorithms (XML) for their remaining readers: RCCL up to ROCm 7.12, Azure/msccl-executor-nccl, and the
//! ASTRA-sim converters.
//!
//! Every connection, a pair of ranks on a channel, has a threadblock that sends and one that receives, both in the
//! order of the plan. Others merge. The input of a step is named as its dependency. If there are two, a `nop` before it
//! names the other. Receivers wait for no other step, so no step waits without end, for all buffer sizes of
//! connections.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use oneport_checks::BufferType;
use oneport_checks::msccl::{CHANNELS, STEPS};

use crate::fitting::{fitting, note};
use crate::mscclpp::{buffer_note, in_place, theirs};
use crate::operation::{Operation, Order, Step, Value};
use crate::{ExportError, File, Format, Pieces, Request, Written};

/// The format.
pub(crate) const FORMAT: Format = Format {
    name: "msccl",
    about: "an MSCCL algorithm (XML) for RCCL up to ROCm 7.12 and msccl-executor-nccl: the collectives of mscclpp",
    lacks: "dates and slots (the order of every link is kept), routers, the order of operands, the proof",
    write,
};

/// XML elements of one rank that the executor counts.
const ELEMENTS: usize = 4096;

fn write(request: &Request<'_>) -> Result<Written, ExportError> {
    let refused = |reason: String| ExportError::refused(FORMAT.name, reason);
    let name = request.problem.collective().name();
    let theirs = theirs(name).map_err(|known| {
        refused(format!(
            "there is no {name} in the format; there are {known}"
        ))
    })?;
    let modes = Modes::of(request).map_err(refused)?;
    let with_pieces = |pieces: Pieces| -> Result<Result<Algorithm, Exceeded>, ExportError> {
        let request = request.divided(pieces);
        let operation = Operation::new(&request, FORMAT.name, Order::Dates, |_| false)?;
        Ok(
            algorithm(&operation, theirs, modes).map_err(|exceeded| Exceeded {
                pieces: operation.pieces,
                ..exceeded
            }),
        )
    };
    let algorithm = match request.pieces {
        Pieces::Fitting if request.dated.is_none() => {
            fitting(request, FORMAT.name, |pieces| {
                Ok(with_pieces(Pieces::Number(pieces))?.map_err(|exceeded| exceeded.to_string()))
            })?
            .0
        }
        pieces => with_pieces(pieces)?
            .map_err(|exceeded| refused(format!("{exceeded}; {}", exceeded.advice())))?,
    };
    let notes = vec![
        note(request, algorithm.pieces)?,
        algorithm.sizes(),
        modes.note().to_string(),
    ];
    Ok(Written {
        notes,
        ..File::only(algorithm.text)
    })
}

/// Positions of input and output that a file is for.
#[derive(Debug, Clone, Copy)]
struct Modes {
    out_of_place: bool,
    in_place: bool,
}

impl Modes {
    /// If no rank copies its own value, a file is right in place and out of place, for a result is written after its
    /// operands are read.
    fn of(request: &Request<'_>) -> Result<Modes, String> {
        let copies = !request.problem.collective().combines();
        let in_place = match request.in_place {
            Some(_) => in_place(request)?,
            None => !copies,
        };
        Ok(Modes {
            out_of_place: !in_place || request.in_place.is_none(),
            in_place,
        })
    }

    fn note(self) -> &'static str {
        match (self.in_place, self.out_of_place) {
            (true, true) => "buffers: in place and out of place",
            (in_place, _) => buffer_note(in_place),
        }
    }
}

/// A violated limit.
#[derive(Debug)]
struct Exceeded {
    what: String,
    needed: usize,
    limit: usize,
    pieces: u64,
}

impl std::fmt::Display for Exceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {}, and {} is the limit",
            self.what, self.needed, self.limit
        )
    }
}

impl Exceeded {
    fn advice(&self) -> String {
        match self.pieces * self.limit as u64 / (self.needed as u64).max(1) {
            0 => "even one piece is too much".to_string(),
            fewer => format!("--pieces {fewer} may fit"),
        }
    }
}

/// Builder of a file.
#[derive(Debug)]
struct Algorithm {
    text: String,
    pieces: u64,
    /// Chunks of the longer of input and output.
    chunks: usize,
}

impl Algorithm {
    fn sizes(&self) -> String {
        let Algorithm { chunks, .. } = self;
        format!(
            "sizes: multiples of {chunks} elements of the longer buffer, from {chunks} on, so multiples of {} bytes of \
             4-byte elements; RCCL leaves other sizes to its own algorithms",
            4 * chunks
        )
    }
}

/// Buffer and index of a value.
type Chunk = (BufferType, usize);

/// A value, and the step that leaves it there.
type Made = (Chunk, Option<(usize, usize)>);

/// A step to be written.
#[derive(Debug, Clone)]
struct Line {
    kind: &'static str,
    from: Chunk,
    to: Chunk,
    /// Threadblock and step that it waits for.
    after: Option<(usize, usize)>,
}

/// A threadblock: the rank it sends to, the rank it receives from, its channel, its steps.
#[derive(Debug, Default)]
struct Block {
    send: Option<usize>,
    receive: Option<usize>,
    channel: usize,
    lines: Vec<Line>,
}

/// Threadblocks of one rank, by the rank they send to, the rank they receive from, and the channel.
#[derive(Debug, Default)]
struct Rank {
    blocks: Vec<Block>,
    by_ends: BTreeMap<(Option<usize>, Option<usize>, usize), usize>,
    scratch: usize,
}

impl Rank {
    fn block(&mut self, send: Option<usize>, receive: Option<usize>, channel: usize) -> usize {
        let blocks = &mut self.blocks;
        *self
            .by_ends
            .entry((send, receive, channel))
            .or_insert_with(|| {
                blocks.push(Block {
                    send,
                    receive,
                    channel,
                    lines: Vec::new(),
                });
                blocks.len() - 1
            })
    }

    /// The first threadblock for copies and merges that has room for two steps more.
    fn merging(&mut self) -> usize {
        let mut number = 0;
        loop {
            let block = self.block(None, None, number);
            if self.blocks[block].lines.len() + 2 <= STEPS {
                return block;
            }
            number += 1;
        }
    }

    /// Adds a step. Returns its threadblock and index, by which others wait for it.
    fn add(
        &mut self,
        block: usize,
        kind: &'static str,
        (from, after): Made,
        to: Chunk,
    ) -> (usize, usize) {
        let lines = &mut self.blocks[block].lines;
        lines.push(Line {
            kind,
            from,
            to,
            after,
        });
        (block, lines.len() - 1)
    }
}

fn algorithm(operation: &Operation, collective: &str, modes: Modes) -> Result<Algorithm, Exceeded> {
    let pieces = operation.pieces as usize;
    let [input, output] = operation.sizes().map(|blocks| blocks * pieces);
    let mut ranks: Vec<Rank> = operation.ranks.iter().map(|_| Rank::default()).collect();
    for (number, rank) in ranks.iter_mut().enumerate() {
        // In place, a value that a rank keeps is already at its index.
        let Some([from, to, _]) = operation.own(number).filter(|_| !modes.in_place) else {
            continue;
        };
        for piece in 0..pieces {
            let block = rank.merging();
            let from = (BufferType::Input, from * pieces + piece);
            let to = (BufferType::Output, to * pieces + piece);
            rank.add(block, "cpy", (from, None), to);
        }
    }
    let mut made: Vec<Option<Made>> = vec![None; operation.steps.len()];
    let mut messages: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (index, step) in operation.steps.iter().enumerate() {
        let to = spot(operation, step, &mut ranks[step.to]);
        let own = operation.input_block(step.demand) * pieces + step.piece as usize;
        let value = |value: &Value| match *value {
            Value::Own(_) => ((BufferType::Input, own), None),
            Value::Of(before) => made[before].unwrap_or(((BufferType::Scratch, 0), None)),
        };
        let mut inputs: Vec<Made> = step.inputs.iter().map(value).collect();
        // In place, a result overwrites the rank's own operand, so that is copied first: the operator is sum.
        if step.result
            && step
                .inputs
                .get(1)
                .is_some_and(|value| matches!(value, Value::Own(_)))
        {
            inputs.reverse();
        }
        let last = match inputs.as_slice() {
            [input] => {
                let count = messages.entry((step.from, step.to)).or_insert(0);
                let channel = *count / STEPS;
                *count += 1;
                let block = ranks[step.from].block(Some(step.to), None, channel);
                ranks[step.from].add(block, "s", *input, to);
                let block = ranks[step.to].block(None, Some(step.from), channel);
                ranks[step.to].add(block, "r", (input.0, None), to)
            }
            [left, right, ..] => {
                let rank = &mut ranks[step.from];
                let block = rank.merging();
                rank.add(block, "cpy", *left, to);
                rank.add(block, "re", *right, to)
            }
            [] => continue,
        };
        made[index] = Some((to, Some(last)));
    }
    limits(&ranks, pieces)?;
    let text = text(operation, collective, [input, output], modes, &ranks);
    Ok(Algorithm {
        text,
        pieces: operation.pieces,
        chunks: input.max(output),
    })
}

fn spot(operation: &Operation, step: &Step, rank: &mut Rank) -> Chunk {
    if step.result {
        let first = operation.output_block(step.demand) * operation.pieces as usize;
        return (BufferType::Output, first + step.piece as usize);
    }
    rank.scratch += 1;
    (BufferType::Scratch, rank.scratch - 1)
}

fn limits(ranks: &[Rank], pieces: usize) -> Result<(), Exceeded> {
    for (number, rank) in ranks.iter().enumerate() {
        let connected = rank
            .blocks
            .iter()
            .filter(|block| block.send.is_some() || block.receive.is_some());
        let channels = connected.map(|block| block.channel + 1).max().unwrap_or(0);
        let lengths = || rank.blocks.iter().map(|block| block.lines.len());
        let elements = 2 + rank.blocks.len() + lengths().sum::<usize>();
        let steps = lengths().max().unwrap_or(0);
        let all = [
            ("channels between two ranks", channels, CHANNELS),
            ("steps of a threadblock", steps, STEPS),
            ("XML elements", elements, ELEMENTS),
            ("chunks of a buffer", pieces.max(rank.scratch), 1 << 15),
        ];
        if let Some((what, needed, limit)) =
            all.into_iter().find(|(_, needed, limit)| needed > limit)
        {
            return Err(Exceeded {
                what: format!("rank {number}, {what}"),
                needed,
                limit,
                pieces: pieces as u64,
            });
        }
    }
    Ok(())
}

fn letter(buffer: BufferType) -> char {
    ['i', 'o', 's'][buffer as usize]
}

fn text(
    operation: &Operation,
    collective: &str,
    [input, output]: [usize; 2],
    modes: Modes,
    ranks: &[Rank],
) -> String {
    let channels = ranks
        .iter()
        .flat_map(|rank| &rank.blocks)
        .filter(|block| block.send.is_some());
    let channels = channels.map(|block| block.channel + 1).max().unwrap_or(1);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<algo name=\"oneport_{collective}\" proto=\"Simple\" nchannels=\"{channels}\" nchunksperloop=\"{}\" ngpus=\"{}\" \
         coll=\"{collective}\" inplace=\"{}\" outofplace=\"{}\" minBytes=\"{}\" maxBytes=\"{}\">",
        input.max(output),
        operation.ranks.len(),
        u8::from(modes.in_place),
        u8::from(modes.out_of_place),
        // One byte per chunk: an element has at least one.
        input.max(output),
        u64::MAX / 2
    );
    for (number, rank) in ranks.iter().enumerate() {
        let awaited: BTreeSet<(usize, usize)> = rank
            .blocks
            .iter()
            .flat_map(|block| &block.lines)
            .filter_map(|line| line.after)
            .collect();
        let _ = writeln!(
            text,
            "  <gpu id=\"{number}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"{}\">",
            rank.scratch
        );
        for (id, block) in rank.blocks.iter().enumerate() {
            let peer = |peer: Option<usize>| peer.map_or(-1, |peer| peer as i64);
            let (send, receive) = (peer(block.send), peer(block.receive));
            let channel = if send < 0 && receive < 0 {
                0
            } else {
                block.channel
            };
            let _ = writeln!(
                text,
                "    <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{channel}\">"
            );
            for (step, line) in block.lines.iter().enumerate() {
                let (block, after) = line
                    .after
                    .map_or((-1, -1), |(block, step)| (block as i64, step as i64));
                let _ = writeln!(
                    text,
                    "      <step s=\"{step}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"1\" \
                     depid=\"{block}\" deps=\"{after}\" hasdep=\"{}\"/>",
                    line.kind,
                    letter(line.from.0),
                    line.from.1,
                    letter(line.to.0),
                    line.to.1,
                    u8::from(awaited.contains(&(id, step)))
                );
            }
            text.push_str("    </tb>\n");
        }
        text.push_str("  </gpu>\n");
    }
    text.push_str("</algo>\n");
    text
}
