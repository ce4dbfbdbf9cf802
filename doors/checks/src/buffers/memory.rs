//! Maps the chunks of every GPU's buffers to the machine's cells.

use std::ops::Range;

use super::BufferType;
use crate::machine::{Value, Values};

/// Limit: cells of all GPUs together.
const CELLS: u64 = 1 << 23;

/// The buffers of all GPUs, as cells: a chunk has `parts` of them, so that every threadblock of a group has full cells.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Cells of a chunk.
    pub parts: usize,
    /// Per GPU and buffer (input, output, scratch): chunks, first cell of data, first cell of packets.
    gpus: Vec<[Buffer; 3]>,
    /// All cells.
    pub cells: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Buffer {
    chunks: usize,
    data: usize,
    packets: usize,
}

/// Whether input and output share memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InPlace {
    /// They are two buffers.
    No,
    /// Input chunk `k` of GPU `g` is output chunk `k`. One buffer may be longer.
    Same,
    /// Input chunk `k` of GPU `g` is output chunk `g input_chunks + k`.
    InputInOutput,
    /// Output chunk `k` of GPU `g` is input chunk `g output_chunks + k`.
    OutputInInput,
}

impl InPlace {
    /// Numbers of chunks (input, output, scratch) with the missing one of two buffers that share memory: files give the
    /// number of one of them, and 0 for the other.
    pub(crate) fn filled(self, ranks: &[[u32; 3]]) -> Vec<[u32; 3]> {
        let count = ranks.len() as u32;
        let fill = |&[input, output, scratch]: &[u32; 3]| {
            let (input, output) = match (self, input, output) {
                (InPlace::Same, 0, both) | (InPlace::Same, both, 0) => (both, both),
                (InPlace::InputInOutput, 0, whole) => (whole / count, whole),
                (InPlace::InputInOutput, own, 0) => (own, own.saturating_mul(count)),
                (InPlace::OutputInInput, whole, 0) => (whole, whole / count),
                (InPlace::OutputInInput, 0, own) => (own.saturating_mul(count), own),
                _ => (input, output),
            };
            [input, output, scratch]
        };
        ranks.iter().map(fill).collect()
    }
}

impl Memory {
    /// Lays out the buffers of these numbers of chunks (input, output, scratch), with cells for packets if there are
    /// any. `None` if they are too large.
    pub(crate) fn new(
        ranks: &[[u32; 3]],
        parts: usize,
        in_place: InPlace,
        packets: bool,
    ) -> Option<Self> {
        let mut memory = Memory {
            parts,
            gpus: Vec::new(),
            cells: 0,
        };
        for (rank, chunks) in ranks.iter().enumerate() {
            let chunks = chunks.map(|chunks| chunks as usize);
            let mut buffers = [Buffer::default(); 3];
            for (buffer, chunks) in buffers.iter_mut().zip(chunks) {
                let data = memory.take(chunks)?;
                *buffer = Buffer {
                    chunks,
                    data,
                    packets: if packets { memory.take(chunks)? } else { data },
                };
            }
            let [input, output, _] = &mut buffers;
            match in_place {
                InPlace::No => {}
                InPlace::Same if input.chunks > output.chunks => output.data = input.data,
                InPlace::Same => input.data = output.data,
                InPlace::InputInOutput => input.data = output.data + rank * input.chunks * parts,
                InPlace::OutputInInput => output.data = input.data + rank * output.chunks * parts,
            }
            memory.gpus.push(buffers);
        }
        Some(memory)
    }

    fn take(&mut self, chunks: usize) -> Option<usize> {
        let first = self.cells;
        self.cells = chunks.checked_mul(self.parts)?.checked_add(first)?;
        (self.cells as u64 <= CELLS).then_some(first)
    }

    /// Chunks of a buffer.
    pub(crate) fn chunks(&self, rank: usize, buffer: BufferType) -> usize {
        self.gpus
            .get(rank)
            .map_or(0, |gpu| gpu[buffer as usize].chunks)
    }

    /// The cells of consecutive chunks. `None` if some are missing.
    pub(crate) fn chunk(
        &self,
        rank: usize,
        buffer: BufferType,
        index: usize,
        size: usize,
        packets: bool,
    ) -> Option<Range<usize>> {
        let buffer = self.gpus.get(rank)?[buffer as usize];
        let end = index
            .checked_add(size)
            .filter(|&end| end <= buffer.chunks)?;
        let first = if packets { buffer.packets } else { buffer.data };
        Some(first + index * self.parts..first + end * self.parts)
    }

    /// Initial memory: every input cell has a separate value.
    pub(crate) fn initial(&self) -> (Vec<Option<Value>>, Values) {
        let (mut cells, mut values) = (vec![None; self.cells], Values::default());
        for rank in 0..self.gpus.len() {
            let chunks = self.chunks(rank, BufferType::Input);
            for cell in self
                .chunk(rank, BufferType::Input, 0, chunks, false)
                .unwrap_or_default()
            {
                cells[cell] = Some(values.alone(cell as u32));
            }
        }
        (cells, values)
    }

    /// `output chunk 3 of rank 1`: the last buffer that has the cell, so an output that is an input too is an output.
    pub(crate) fn name(&self, cell: usize) -> String {
        for (rank, buffers) in self.gpus.iter().enumerate() {
            for (name, buffer) in BufferType::NAMES.iter().zip(buffers).rev() {
                for (packets, first) in [("", buffer.data), (" as packets", buffer.packets)] {
                    let chunk = cell.checked_sub(first).map(|cell| cell / self.parts);
                    if let Some(chunk) = chunk.filter(|&chunk| chunk < buffer.chunks) {
                        return format!("{name} chunk {chunk}{packets} of rank {rank}");
                    }
                }
            }
        }
        "a cell".to_string()
    }
}
