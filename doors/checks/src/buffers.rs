//! Buffers of ranks in chunks, and the input and output of each collective.

mod expected;
mod memory;

pub(crate) use expected::{in_place, wanted};
pub(crate) use memory::{InPlace, Memory};

use crate::machine::{Fault, FaultKind, Value, Values};

/// A buffer of a rank.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum BufferType {
    /// The rank's input.
    #[serde(rename = "i")]
    Input,
    /// The rank's output.
    #[serde(rename = "o")]
    Output,
    /// Intermediate values.
    #[serde(rename = "s")]
    Scratch,
}

impl BufferType {
    /// Names in the order of the variants.
    pub const NAMES: [&str; 3] = ["input", "output", "scratch"];

    /// The name in messages.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Compares memory at the end with the result of the collective.
///
/// # Errors
/// The first output chunk with a wrong value.
pub(crate) fn compare(
    collective: &str,
    chunks: &[[u32; 3]],
    memory: &Memory,
    cells: &[Option<Value>],
    values: &mut Values,
) -> Result<(), Fault> {
    // Files do not name the root of a broadcast: it is the rank whose data arrived.
    let root = || {
        let first = memory.chunk(0, BufferType::Output, 0, 1, false)?.start;
        let input = *values.inputs(cells.get(first).copied()??).first()? as usize;
        (0..chunks.len()).find(|&rank| {
            let all = memory.chunks(rank, BufferType::Input);
            memory
                .chunk(rank, BufferType::Input, 0, all, false)
                .is_some_and(|cells| cells.contains(&input))
        })
    };
    let root = root().unwrap_or(0);
    let wanted =
        wanted(collective, chunks, root).map_err(|text| Fault::new(FaultKind::Malformed, text))?;
    let wanted = wanted.unwrap_or_default();
    let sums: Vec<Vec<Value>> = wanted
        .sums
        .iter()
        .map(|inputs| sum(memory, values, inputs))
        .collect();
    for (rank, chunk, sum) in wanted.chunks {
        let target = memory
            .chunk(rank, BufferType::Output, chunk, 1, false)
            .unwrap_or_default();
        for (cell, &value) in target.zip(&sums[sum]) {
            let there = cells.get(cell).copied().flatten();
            if there != Some(value) {
                return Err(wrong(memory, values, cell, there, value));
            }
        }
    }
    Ok(())
}

/// Names the first part of an input that a run out of place has changed. `None` if all inputs are unchanged.
pub(crate) fn overwritten(
    memory: &Memory,
    ranks: usize,
    cells: &[Option<Value>],
    values: &Values,
) -> Option<String> {
    let changed = |cell: &usize| {
        let there = cells.get(*cell).copied().flatten();
        there.is_none_or(|value| values.inputs(value) != [*cell as u32])
    };
    let inputs = (0..ranks).filter_map(|rank| {
        let all = memory.chunks(rank, BufferType::Input);
        memory.chunk(rank, BufferType::Input, 0, all, false)
    });
    let cell = inputs.flatten().find(changed)?;
    Some(format!(
        "{} is overwritten, though the schedule is out of place: the caller's input is lost",
        memory.name(cell)
    ))
}

/// Whether the ranks' results of this collective are the same sums.
pub(crate) fn shares_sums(collective: &str) -> bool {
    collective == "allreduce"
}

/// Names the first part of an output that two ranks combined in different orders. `None` if all orders agree. The
/// values of the run must differ [by order](Values::by_order).
pub(crate) fn orders(memory: &Memory, ranks: usize, cells: &[Option<Value>]) -> Option<String> {
    let output = |rank: usize| {
        let all = memory.chunks(rank, BufferType::Output);
        memory.chunk(rank, BufferType::Output, 0, all, false)
    };
    let first = output(0)?;
    let value = |cell: usize| cells.get(cell).copied().flatten();
    for rank in 1..ranks {
        let differs = |pair: &(usize, usize)| value(pair.0) != value(pair.1);
        if let Some((one, other)) = first.clone().zip(output(rank)?).find(differs) {
            return Some(format!(
                "{} and {} combine the operands in different orders",
                memory.name(one),
                memory.name(other)
            ));
        }
    }
    None
}

/// Combined values of these input chunks, per part of a chunk.
fn sum(memory: &Memory, values: &mut Values, inputs: &[(usize, usize)]) -> Vec<Value> {
    let spans = inputs
        .iter()
        .filter_map(|&(rank, chunk)| memory.chunk(rank, BufferType::Input, chunk, 1, false));
    let spans: Vec<_> = spans.collect();
    let value = |part: usize| {
        let mut inputs: Vec<u32> = spans
            .iter()
            .map(|span| (span.start + part) as u32)
            .collect();
        inputs.sort_unstable();
        values.of(inputs.into())
    };
    (0..memory.parts).map(value).collect()
}

fn wrong(
    memory: &Memory,
    values: &Values,
    cell: usize,
    there: Option<Value>,
    value: Value,
) -> Fault {
    let list = |value: Value| {
        let inputs = values.inputs(value);
        let mut names: Vec<String> = inputs
            .iter()
            .take(8)
            .map(|&cell| memory.name(cell as usize))
            .collect();
        if inputs.len() > 8 {
            names.push(format!("{} more", inputs.len() - 8));
        }
        names.join(" + ")
    };
    let there = there.map_or("nothing".to_string(), list);
    Fault::new(
        FaultKind::Result,
        format!(
            "{} ends with {there}; it should be {}",
            memory.name(cell),
            list(value)
        ),
    )
}
