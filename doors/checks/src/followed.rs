//! Another program's schedule that ran to its right end, and the data that it moved.

use std::ops::Range;

use crate::buffers::{BufferType, Memory};
use crate::machine::{Move, Script, Span};
use crate::verdict::Verdict;

/// A schedule that was found to be right, and the cells that it moves. Cells are parts of the chunks of the ranks'
/// buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The result of the run.
    pub verdict: Verdict,
    /// Per rank: the cells of its input.
    pub inputs: Vec<Range<usize>>,
    /// Per rank: the cells of its output.
    pub outputs: Vec<Range<usize>>,
    /// In an order in which they can be carried out one after another.
    pub moves: Vec<Moved>,
    /// Whether switches combine or duplicate data (MSCCL++'s switch channels).
    pub in_switches: bool,
}

/// Cells at a rank.
pub type CellsAt = (Range<usize>, usize);

/// Cells that a rank combines, one by one, and writes. All are equally many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The rank.
    pub rank: usize,
    /// The values that are combined. A single one is copied.
    pub sources: Vec<CellsAt>,
    /// Where it is written.
    pub targets: Vec<CellsAt>,
}

impl Followed {
    pub(crate) fn new(
        verdict: Verdict,
        memory: &Memory,
        script: &Script,
        moved: &[(usize, Move)],
        in_switches: bool,
    ) -> Followed {
        let buffers = |buffer: BufferType| -> Vec<Range<usize>> {
            let cells = |rank| {
                let chunks = memory.chunks(rank, buffer);
                memory.chunk(rank, buffer, 0, chunks, false)
            };
            (0..verdict.ranks)
                .map(|rank| cells(rank).unwrap_or_default())
                .collect()
        };
        let cells = |span: &Span| (span.cells(), span.rank as usize);
        let one = |(rank, it): &(usize, Move)| Moved {
            rank: *rank,
            sources: script.spans_of(it.sources).iter().map(cells).collect(),
            targets: script.spans_of(it.targets).iter().map(cells).collect(),
        };
        Followed {
            inputs: buffers(BufferType::Input),
            outputs: buffers(BufferType::Output),
            moves: moved.iter().map(one).collect(),
            in_switches,
            verdict,
        }
    }
}
