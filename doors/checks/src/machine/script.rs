//! Programs of threads, in lists that all of them share: a step allocates no memory.

use std::ops::Range;

/// Consecutive entries of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Part {
    first: u32,
    end: u32,
}

impl Part {
    /// The entries of a list from an index on.
    fn since<T>(first: usize, list: &[T]) -> Self {
        Part {
            first: first as u32,
            end: list.len() as u32,
        }
    }

    /// Whether the part is empty.
    pub(crate) fn is_empty(self) -> bool {
        self.first == self.end
    }

    /// Number of entries.
    pub(crate) fn len(self) -> usize {
        (self.end - self.first) as usize
    }

    /// Each entry as a part.
    pub(crate) fn each(self) -> impl Iterator<Item = Part> {
        (self.first..self.end).map(|first| Part {
            first,
            end: first + 1,
        })
    }

    fn range(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A step of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Synchronises: earlier steps are complete and received data may be used.
    Sync,
    /// Waits for the other threads of a barrier. A `Sync` for all of them.
    Barrier {
        /// Number of the barrier.
        barrier: u32,
        /// Number of its threads.
        threads: u32,
    },
    /// Sends a token along each line.
    Signal {
        /// The lines.
        lines: Part,
        /// Relaxed signal: orders execution but publishes no writes.
        relaxed: bool,
        /// Sent after the work already queued on this agent.
        agent: Option<u32>,
    },
    /// Takes a token from each line.
    Wait {
        /// The lines.
        lines: Part,
        /// Relaxed wait: makes no data visible.
        relaxed: bool,
    },
    /// Moves or combines data.
    Move {
        /// The moves, in sequence.
        moves: Part,
        /// Agent that executes the moves in order. `None`: the thread itself.
        agent: Option<u32>,
    },
    /// Waits until these agents are done.
    Flush {
        /// The agents.
        agents: Part,
    },
}

/// All sources combined, into every target. All spans are equally long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Move {
    /// Spans that are read.
    pub sources: Part,
    /// Spans that are written.
    pub targets: Part,
    /// A switch writes: each rank that is ordered after this step sees the data. Shipped plans end so, with relaxed
    /// signals.
    pub through_switch: bool,
}

/// Consecutive cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first cell.
    pub first: u32,
    /// Number of cells.
    pub count: u32,
    /// Rank that owns the memory.
    pub rank: u32,
    /// Packets carry flags: a reader waits until its packet has arrived.
    pub packets: bool,
}

impl Span {
    /// These cells of a rank's memory.
    pub(crate) fn new(cells: Range<usize>, rank: usize, packets: bool) -> Self {
        Span {
            first: cells.start as u32,
            count: cells.len() as u32,
            rank: rank as u32,
            packets,
        }
    }

    /// The cells.
    pub(crate) fn cells(self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A thread: a rank's threadblock.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Rank of the thread.
    pub rank: usize,
    /// Group whose threads do the same, each on its part of the data.
    pub group: Option<usize>,
    acts: Part,
}

/// The programs of all threads.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Per thread.
    pub programs: Vec<Program>,
    /// Steps, each with its operation in the file.
    acts: Vec<(Act, u32)>,
    moves: Vec<Move>,
    spans: Vec<Span>,
    /// Lines and agents.
    numbers: Vec<u32>,
    /// Index of the next program's first step.
    first: usize,
}

impl Script {
    /// Adds a step of the thread that is being written.
    pub(crate) fn act(&mut self, act: Act, operation: u32) {
        self.acts.push((act, operation));
    }

    /// Ends a thread.
    pub(crate) fn end(&mut self, rank: usize, group: Option<usize>) {
        self.programs.push(Program {
            rank,
            group,
            acts: Part::since(self.first, &self.acts),
        });
        self.first = self.acts.len();
    }

    /// Stores lines or agents.
    pub(crate) fn numbers(&mut self, numbers: impl IntoIterator<Item = usize>) -> Part {
        let first = self.numbers.len();
        self.numbers
            .extend(numbers.into_iter().map(|number| number as u32));
        Part::since(first, &self.numbers)
    }

    /// Stores spans.
    ///
    /// # Errors
    /// The first error among the spans.
    pub(crate) fn spans<E>(
        &mut self,
        spans: impl IntoIterator<Item = Result<Span, E>>,
    ) -> Result<Part, E> {
        let first = self.spans.len();
        for span in spans {
            self.spans.push(span?);
        }
        Ok(Part::since(first, &self.spans))
    }

    /// Stores moves.
    pub(crate) fn moves(&mut self, moves: impl IntoIterator<Item = Move>) -> Part {
        let first = self.moves.len();
        self.moves.extend(moves);
        Part::since(first, &self.moves)
    }

    /// The steps of a thread.
    pub(crate) fn acts_of(&self, thread: usize) -> &[(Act, u32)] {
        &self.acts[self.programs[thread].acts.range()]
    }

    /// Lines or agents.
    pub(crate) fn numbers_of(&self, part: Part) -> &[u32] {
        &self.numbers[part.range()]
    }

    /// Spans.
    pub(crate) fn spans_of(&self, part: Part) -> &[Span] {
        &self.spans[part.range()]
    }

    /// Moves.
    pub(crate) fn moves_of(&self, part: Part) -> &[Move] {
        &self.moves[part.range()]
    }

    /// Whether a thread uses memory of another rank.
    pub(crate) fn leaves_its_rank(&self) -> bool {
        (0..self.programs.len()).any(|thread| {
            let rank = self.programs[thread].rank as u32;
            let moves = self
                .acts_of(thread)
                .iter()
                .filter_map(|(act, _)| match act {
                    Act::Move { moves, .. } => Some(self.moves_of(*moves)),
                    _ => None,
                });
            moves.flatten().any(|it| {
                let spans = self
                    .spans_of(it.sources)
                    .iter()
                    .chain(self.spans_of(it.targets));
                spans.into_iter().any(|span| span.rank != rank)
            })
        })
    }
}
