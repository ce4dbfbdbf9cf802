//! Schedules that move cells of memory, as other programs' schedules do, as algorithms of messages.
//!
//! A rank has one copy of a block here, but one per cell in such a schedule. So every further cell for a block is a
//! further rank on the same node. Messages between ranks of one node take no time.

use std::collections::BTreeMap;
use std::ops::Range;

use oneport_plan::{Form, NodeId, Problem};

use crate::algorithm::Ways;
use crate::catalogue::{Maker, ranks};
use crate::custom::undone;
use crate::phase::{ExchangeOp, Phase, Step};
use crate::{Algorithm, BaselineError};

/// A schedule that moves cells of memory. Ranks are [ranks](crate::ranks). It is trusted to be right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moves {
    /// Per rank: the cells of its input.
    pub inputs: Vec<Range<usize>>,
    /// Per rank: the cells of its output.
    pub outputs: Vec<Range<usize>>,
    /// One after another.
    pub moves: Vec<Moved>,
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
    /// The cells to which it is written.
    pub targets: Vec<CellsAt>,
}

/// The schedule as messages: the messages between ranks, and the blocks that ranks combine. `O(cells moved log cells)`.
///
/// # Errors
/// The collective is one that such schedules do not perform here, the number of ranks or of cells does not fit the
/// collective, or cells combine parts of different results.
pub fn of_moves(problem: &Problem, name: &str, moves: &Moves) -> Result<Algorithm, BaselineError> {
    let maker = Maker::new(problem);
    let nodes = ranks(problem);
    if moves.inputs.len() != nodes.len() || moves.outputs.len() != nodes.len() {
        return Err(BaselineError::OtherRanks {
            ranks: nodes.len(),
            found: moves.inputs.len(),
        });
    }
    let blocks = Layout::of(&maker, moves)
        .ok_or_else(|| undone(problem, "a schedule of these numbers of chunks"))?;
    let mut writer = Writer {
        slots: BTreeMap::new(),
        nodes,
        copies: BTreeMap::new(),
        cells: BTreeMap::new(),
        steps: Vec::new(),
    };
    for (rank, cells) in moves.inputs.iter().enumerate() {
        for (at, cell) in cells.clone().enumerate() {
            let block = blocks.of_input(rank, at);
            writer.cells.insert(cell, block.map(|block| (rank, block)));
            if let Some(block) = block {
                writer.slots.insert((rank, block, cell), rank);
            }
        }
    }
    for moved in &moves.moves {
        writer.moved(moved)?;
    }
    writer.ended(&blocks, moves);
    let about = "the schedule of a file, message by message";
    let made = Algorithm {
        name: name.to_string(),
        about: about.to_string(),
        ranks: writer.nodes,
        pieces: u32::try_from(blocks.pieces).unwrap_or(u32::MAX),
        phases: vec![Phase::Steps(writer.steps)],
        ways: Ways::default(),
    };
    if made.cuts_a_token(problem) {
        return Err(BaselineError::TokenCut {
            collective: problem.collective().name(),
            pieces: made.pieces,
        });
    }
    Ok(made)
}

/// Which blocks cells of inputs and outputs hold.
struct Layout {
    form: &'static Form,
    ranks: usize,
    /// Pieces of a demand.
    pieces: usize,
}

impl Layout {
    /// `None` if the cells do not fit the collective.
    fn of(maker: &Maker<'_>, moves: &Moves) -> Option<Layout> {
        let (form, ranks) = (maker.form?, moves.inputs.len());
        let (input, output) = (moves.inputs.first()?.len(), moves.outputs.first()?.len());
        let (input_is, output_is, pieces) = match form {
            Form::ALL_REDUCE | Form::BROADCAST => (input, input, input),
            Form::ALL_GATHER => (input, input * ranks, input),
            Form::REDUCE_SCATTER => (output * ranks, output, output),
            Form::ALL_TO_ALL => (input, input, input / ranks),
            _ => return None,
        };
        let fits = moves.inputs.iter().all(|cells| cells.len() == input_is)
            && moves.outputs.iter().all(|cells| cells.len() == output_is);
        let whole = form != Form::ALL_TO_ALL || pieces * ranks == input;
        (fits && whole && pieces > 0).then_some(Layout {
            form,
            ranks,
            pieces,
        })
    }

    fn block(&self, demand: usize, piece: usize) -> Option<u32> {
        u32::try_from(demand * self.pieces + piece).ok()
    }

    /// The piece of the message of a pair. `None` from a rank to itself.
    fn of_pair(&self, from: usize, to: usize, piece: usize) -> Option<u32> {
        let pair = (from != to).then(|| ExchangeOp::OfPair.block(self.ranks, from, to))?;
        self.block(pair as usize, piece)
    }

    fn of_input(&self, rank: usize, at: usize) -> Option<u32> {
        match self.form {
            Form::ALL_GATHER => self.block(rank, at),
            Form::BROADCAST if rank > 0 => None,
            Form::ALL_TO_ALL => self.of_pair(rank, at / self.pieces, at % self.pieces),
            _ => self.block(0, at),
        }
    }

    fn of_output(&self, rank: usize, at: usize) -> Option<u32> {
        match self.form {
            Form::REDUCE_SCATTER => self.block(rank, at),
            Form::ALL_TO_ALL => self.of_pair(at / self.pieces, rank, at % self.pieces),
            _ => self.block(0, at),
        }
    }
}

/// The steps written so far.
struct Writer {
    /// Per rank of the schedule, block and cell: the rank of the algorithm that represents it.
    slots: BTreeMap<(usize, u32, usize), usize>,
    nodes: Vec<NodeId>,
    /// Per rank and number: the algorithm's rank of the further copy of that number. Number 0 combines the inputs of a
    /// move.
    copies: BTreeMap<(usize, usize), usize>,
    /// Per nonempty cell: the algorithm's rank and the block, if it is of a requested result.
    cells: BTreeMap<usize, Option<(usize, u32)>>,
    steps: Vec<Vec<Step>>,
}

impl Writer {
    /// The algorithm's rank of the further copy of this number.
    fn copy(&mut self, rank: usize, number: usize) -> usize {
        let node = self.nodes[rank];
        let next = self.nodes.len();
        let found = *self.copies.entry((rank, number)).or_insert(next);
        if found == next {
            self.nodes.push(node);
        }
        found
    }

    /// The algorithm's rank of a block in a cell of this rank.
    fn slot(&mut self, rank: usize, block: u32, cell: usize) -> usize {
        if let Some(&slot) = self.slots.get(&(rank, block, cell)) {
            return slot;
        }
        let known = self
            .slots
            .range((rank, block, 0)..=(rank, block, usize::MAX));
        let number = known.count() + 1;
        let slot = self.copy(rank, number);
        self.slots.insert((rank, block, cell), slot);
        slot
    }

    fn moved(&mut self, moved: &Moved) -> Result<(), BaselineError> {
        let (mut read, mut written) = (Messages::default(), Messages::default());
        let count = moved.sources.first().map_or(0, |(cells, _)| cells.len());
        // A value from another rank comes once for all targets.
        let gathers = moved.sources.len() > 1 || moved.targets.len() > 1;
        for (turn, (cells, _)) in moved.sources.iter().enumerate().filter(|_| gathers) {
            for at in 0..count {
                let (from, block) = match (self.held(cells.start + at), self.held_first(moved, at))
                {
                    (Some((from, block)), Some((_, first))) if block == first => (from, block),
                    // Input that no result needs.
                    (None, None) => continue,
                    _ => return Err(BaselineError::MixedBlocks),
                };
                read.add((from, self.copy(moved.rank, 0)), block, turn > 0);
            }
        }
        for at in 0..count {
            let found = self.held_first(moved, at);
            for (cells, rank) in &moved.targets {
                let cell = cells.start + at;
                let Some((from, block)) = found else {
                    self.cells.insert(cell, None);
                    continue;
                };
                let from = if gathers {
                    self.copy(moved.rank, 0)
                } else {
                    from
                };
                let to = self.slot(*rank, block, cell);
                written.add((from, to), block, false);
                self.cells.insert(cell, Some((to, block)));
            }
        }
        let steps = [read.steps, written.steps];
        self.steps
            .extend(steps.into_iter().filter(|steps| !steps.is_empty()));
        Ok(())
    }

    fn held(&self, cell: usize) -> Option<(usize, u32)> {
        self.cells.get(&cell).copied().flatten()
    }

    /// The contents of a move's first source.
    fn held_first(&self, moved: &Moved, at: usize) -> Option<(usize, u32)> {
        let (cells, _) = moved.sources.first()?;
        self.held(cells.start + at)
    }

    /// Moves results to their goals: the ranks themselves.
    fn ended(&mut self, blocks: &Layout, moves: &Moves) {
        let mut last = Messages::default();
        for (rank, cells) in moves.outputs.iter().enumerate() {
            for (at, cell) in cells.clone().enumerate() {
                let held = self.held(cell);
                if let (Some((from, block)), Some(wanted)) = (held, blocks.of_output(rank, at))
                    && block == wanted
                {
                    last.add((from, rank), block, false);
                }
            }
        }
        self.steps.push(last.steps);
    }
}

/// The messages of one step. Blocks between the same ranks travel together.
#[derive(Default)]
struct Messages {
    steps: Vec<Step>,
    /// Per sender, receiver and whether the receiver combines: the index in the list.
    indices: BTreeMap<(usize, usize, bool), usize>,
}

impl Messages {
    fn add(&mut self, (from, to): (usize, usize), block: u32, combine: bool) {
        let next = self.steps.len();
        let index = *self.indices.entry((from, to, combine)).or_insert(next);
        if let Some(step) = self.steps.get_mut(index) {
            step.blocks.push(block);
            return;
        }
        self.steps.push(Step {
            from,
            to,
            blocks: vec![block],
            combine,
        });
    }
}
