//! Chakra execution traces, a file per rank, for ASTRA-sim: as protocol buffers, each message behind its length.
//!
//! One operation of the plan: every send and receive is a node, every merge a computation. A node depends on the nodes
//! whose data it uses, and on the previous one on the same rank and link, so that the order of the plan is kept.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use oneport_plan::{Amount, Interval};

use crate::operation::{Operation, Order, Step, may_have_rank};
use crate::{ExportError, File, Format, Request, Written};

/// The format.
pub(crate) const FORMAT: Format = Format {
    name: "chakra",
    about: "Chakra execution traces for ASTRA-sim, a file OUT.RANK.et per rank: sends, receives, merges of one operation",
    lacks: "dates and slots (the order of every link is kept), routers and costs (the simulator has its own network), \
            what is wanted where, the proof; a message has --bytes (1 MiB), divided into the pieces",
    write,
};

/// Node types of the format.
const COMPUTE: u64 = 4;
const SEND: u64 = 5;
const RECEIVE: u64 = 6;

/// Builder of a protocol buffer.
#[derive(Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn packed(self, field: u64, numbers: &[u64]) -> Self {
        let mut all = Message::default();
        for &number in numbers.iter() {
            all.varint(number);
        }
        if numbers.is_empty() {
            self
        } else {
            self.bytes(field, &all.0)
        }
    }

    /// An attribute of a node: its name, and the value in the field of its type.
    fn attribute(self, name: &str, field: u64, value: u64) -> Self {
        let attribute = Message::default()
            .bytes(1, name.as_bytes())
            .number(field, value);
        self.bytes(NODE_ATTRIBUTES, &attribute.0)
    }
}

/// Fields of a node: id, name, type, data dependencies, duration, attributes.
const NODE_ID: u64 = 1;
const NODE_NAME: u64 = 2;
const NODE_TYPE: u64 = 3;
const NODE_DEPENDENCIES: u64 = 5;
const NODE_DURATION: u64 = 7;
const NODE_ATTRIBUTES: u64 = 10;
/// Fields of an attribute, by the type of its value.
const INT32: u64 = 7;
const INT64: u64 = 9;
const BOOL: u64 = 27;

/// The nodes of one rank.
#[derive(Default)]
struct Trace {
    bytes: Vec<u8>,
    nodes: u64,
    /// The last node of each link, by direction and other end.
    last: BTreeMap<(bool, usize), u64>,
}

impl Trace {
    fn add(&mut self, message: &Message) {
        let mut length = Message::default();
        length.varint(message.0.len() as u64);
        self.bytes.extend_from_slice(&length.0);
        self.bytes.extend_from_slice(&message.0);
    }

    /// Adds a node of a type. Its number.
    fn node(
        &mut self,
        name: &str,
        kind: u64,
        mut after: Vec<u64>,
        line: Option<(bool, usize)>,
        rest: impl FnOnce(Message) -> Message,
    ) -> u64 {
        let id = self.nodes;
        self.nodes += 1;
        if let Some(line) = line {
            after.extend(self.last.insert(line, id));
        }
        after.sort_unstable();
        after.dedup();
        let node = Message::default()
            .number(NODE_ID, id)
            .bytes(NODE_NAME, name.as_bytes())
            .number(NODE_TYPE, kind);
        let node = rest(node.packed(NODE_DEPENDENCIES, &after)).attribute("is_cpu_op", BOOL, 0);
        self.add(&node);
        id
    }
}

fn write(request: &Request<'_>) -> Result<Written, ExportError> {
    let platform = request.problem.platform();
    needs_no_splits(request, FORMAT.name)?;
    let operation = Operation::new(request, FORMAT.name, Order::Dates, |node| {
        may_have_rank(platform, node)
    })?;
    let mut traces: Vec<Trace> = operation.ranks.iter().map(|_| Trace::default()).collect();
    for trace in &mut traces {
        trace.add(&Message::default().bytes(1, b"0.0.4"));
    }
    // Per step: the node that leaves its result, at the rank that has it.
    let mut made: Vec<u64> = Vec::with_capacity(operation.steps.len());
    for (tag, step) in operation.steps.iter().enumerate() {
        let inputs = step.uses(&made);
        let bytes = request.piece_bytes(step.piece, operation.pieces);
        if step.merge {
            let micros = merge_length(request, &operation, step, 1000);
            let name = format!("merge {tag}");
            made.push(
                traces[step.from].node(&name, COMPUTE, inputs, None, |node| {
                    node.number(NODE_DURATION, micros)
                }),
            );
            continue;
        }
        let ends = |node: Message| {
            let rest = [
                ("comm_src", step.from),
                ("comm_dst", step.to),
                ("comm_tag", tag),
            ];
            let node = node.attribute("comm_size", INT64, bytes);
            rest.into_iter().fold(node, |node, (name, value)| {
                node.attribute(name, INT32, value as u64)
            })
        };
        traces[step.from].node(
            &format!("send {tag}"),
            SEND,
            inputs,
            Some((true, step.to)),
            ends,
        );
        made.push(traces[step.to].node(
            &format!("receive {tag}"),
            RECEIVE,
            Vec::new(),
            Some((false, step.from)),
            ends,
        ));
    }
    let file = |(rank, trace): (usize, Trace)| File {
        suffix: format!(".{rank}.et"),
        bytes: trace.bytes,
    };
    Ok(Written {
        files: traces.into_iter().enumerate().map(file).collect(),
        notes: operation.note(platform),
    })
}

/// Refuses work by task: the merges of one operation carry no split.
pub(crate) fn needs_no_splits(
    request: &Request<'_>,
    format: &'static str,
) -> Result<(), ExportError> {
    if let Amount::Tasks(_) = request.problem.volumes().work {
        let reason =
            "its merges carry no split, and work by task depends on it; give work by interval";
        return Err(ExportError::refused(format, reason));
    }
    Ok(())
}

/// Duration of a piece's merge, rounded up, in units of `1 / units` milliseconds: a unit of time of a whole message is
/// a millisecond.
pub(crate) fn merge_length(
    request: &Request<'_>,
    operation: &Operation,
    merge: &Step,
    units: u32,
) -> u64 {
    let [first, last] = merge.part;
    let (problem, part) = (request.problem, Interval { first, last });
    let time = operation.ranks.get(merge.from).map(|&node| {
        let volumes = problem.volumes();
        volumes.merge_time(problem.platform(), node, part, first)
    });
    let time = time.unwrap_or_default();
    let all: BigInt = time.numer() * units;
    all.div_ceil(&(time.denom() * operation.pieces))
        .to_u64()
        .unwrap_or(u64::MAX)
}
