//! Threads of several ranks that copy and combine parts of one another's memory, signal and wait: an interpreter that
//! follows what lies where, and who may know of what.
//!
//! A thread's work is divided into stretches by [`Act::Sync`]; within a stretch its steps are in no order. What is
//! before what is kept in vector clocks (Lamport 1978; Fidge, Mattern 1988), and the last accesses in every cell of
//! memory (FastTrack, Flanagan and Freund 2009), so two accesses in no order, one of them a write, are found in
//! whatever order they happened to be run.

mod clocks;
mod fault;
mod few;
mod memory;
mod values;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use clocks::Clocks;
use memory::{Access, Cell};

pub use fault::{Fault, Kind};
pub use few::Few;
pub use values::{Value, Values};

/// A step of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// All before is over, and all that was waited for may be used.
    Sync,
    /// Waits for the other threads of a barrier; a `Sync` for all of them.
    Barrier {
        /// Which barrier.
        barrier: usize,
        /// How many threads.
        threads: u32,
    },
    /// Sends a token along each line.
    Signal {
        /// The lines.
        lines: Few<usize>,
        /// It says that the signal was reached, but not that data before it can be seen.
        relaxed: bool,
        /// Behind what this agent of the rank has been told to do before.
        agent: Option<u32>,
    },
    /// Takes a token from each line.
    Wait {
        /// The lines.
        lines: Few<usize>,
        /// Whether data may be seen afterwards.
        relaxed: bool,
    },
    /// Moves or combines data.
    Move {
        /// One after the other.
        moves: Few<Move>,
        /// Who does it, if not the thread itself: an agent that works through what it is told to.
        agent: Option<u32>,
    },
    /// Waits until an agent is done.
    Flush {
        /// The agents.
        agents: Vec<u32>,
    },
}

/// All sources combined, into every target. All spans are equally long.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Move {
    /// What is read.
    pub sources: Few<Span>,
    /// What is written.
    pub targets: Few<Span>,
    /// A switch writes: each rank that knows that this was reached sees it. Shipped plans end so, with relaxed signals.
    pub through_switch: bool,
}

/// Consecutive cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The cells.
    pub cells: Range<usize>,
    /// Whose memory it is.
    pub rank: usize,
    /// Packets carry flags: who reads one waits until it is there.
    pub packets: bool,
}

/// A thread: a rank's threadblock.
#[derive(Debug, Clone)]
pub struct Program {
    /// Whose it is.
    pub rank: usize,
    /// Threads of one group do the same, each on its part of the data.
    pub group: Option<usize>,
    /// Its steps, and which of the file's operations each belongs to.
    pub acts: Vec<(Act, u32)>,
}

/// Names for messages: what threads, operations, lines and cells are called in the file.
pub trait Names {
    /// `rank 0, threadblock 1, operation 3 (put)`.
    fn operation(&self, thread: usize, operation: u32) -> String;
    /// `rank 0, threadblock 1`.
    fn thread(&self, thread: usize) -> String;
    /// `a signal of rank 1`.
    fn line(&self, line: usize) -> String;
    /// Whose threads could send a token along a line: a rank.
    fn sender(&self, line: usize) -> Option<usize>;
    /// Whether nothing may be left on it at the end.
    fn must_be_taken(&self, line: usize) -> bool;
    /// `output chunk 3 of rank 1`.
    fn cell(&self, cell: usize) -> String;
}

/// What a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Awaited {
    Token(usize),
    Packet(usize),
    Barrier(usize),
}

/// What a thread, or an agent, has behind it, and what it may know.
#[derive(Debug, Clone, Default)]
struct Knowledge {
    /// Whose effects are visible.
    seen: Clocks,
    /// Who has come how far, visible or not.
    reached: Clocks,
}

impl Knowledge {
    fn join(&mut self, other: &Knowledge) {
        self.seen.join(&other.seen);
        self.reached.join(&other.reached);
    }

    fn learn(&mut self, thread: u32, stretch: u32) {
        self.seen.learn(thread, stretch);
        self.reached.learn(thread, stretch);
    }
}

#[derive(Debug, Clone)]
struct Thread {
    rank: usize,
    knows: Knowledge,
    /// What it has been told since the last synchronisation.
    told: Knowledge,
    /// The current stretch, from 1.
    stretch: u32,
    next: usize,
    /// Lines of the current wait that have been served.
    served: usize,
    awaits: Option<Awaited>,
    done: bool,
}

/// The interpreter.
pub struct Machine<'p, N> {
    names: &'p N,
    programs: &'p [Program],
    ranks: usize,
    threads: Vec<Thread>,
    cells: Vec<Cell>,
    values: Values,
    lines: Vec<VecDeque<Knowledge>>,
    barriers: BTreeMap<usize, Vec<usize>>,
    waiting: BTreeMap<Awaited, Vec<usize>>,
    ready: VecDeque<usize>,
    /// By step: thread and operation.
    steps: Vec<(u32, u32)>,
    /// For each rank whose memory others read and wrote: of each thread that did, the last stretch and step.
    visits: [Vec<BTreeMap<u32, (u32, u32)>>; 2],
    /// The first race that is none if the threads of a group go in step.
    notes: Option<String>,
}

/// What there is after a run.
#[derive(Debug)]
pub struct Outcome {
    /// What lies in memory.
    pub cells: Vec<Option<Value>>,
    /// The values.
    pub values: Values,
    /// How many steps moved or combined data.
    pub steps: usize,
    /// The first race that is none if the threads of a group go in step.
    pub in_step: Option<String>,
}

impl<'p, N: Names> Machine<'p, N> {
    /// A machine before its start: so many ranks and lines, `agents` threads without a program, memory as it is, and
    /// the number of tokens on lines from the start.
    pub fn new(
        names: &'p N,
        programs: &'p [Program],
        ranks: usize,
        agents: &[usize],
        cells: Vec<Option<Value>>,
        values: Values,
        tokens: &[u32],
    ) -> Self {
        let owners = programs.iter().map(|program| program.rank).chain(agents.iter().copied());
        let first_entry = (programs.len() + agents.len()) as u32;
        let thread = |rank: usize| {
            let mut knows = Knowledge::default();
            knows.reached.learn(first_entry + rank as u32, 1);
            let told = Knowledge::default();
            Thread { rank, knows, told, stretch: 1, next: 0, served: 0, awaits: None, done: false }
        };
        let cell = |value: Option<Value>| value.map_or_else(Cell::default, Cell::holding);
        Machine {
            names,
            programs,
            ranks,
            threads: owners.map(thread).collect(),
            cells: cells.into_iter().map(cell).collect(),
            values,
            lines: tokens.iter().map(|&tokens| (0..tokens).map(|_| Knowledge::default()).collect()).collect(),
            barriers: BTreeMap::new(),
            waiting: BTreeMap::new(),
            ready: (0..programs.len()).collect(),
            steps: Vec::new(),
            visits: [(); 2].map(|()| vec![BTreeMap::new(); ranks]),
            notes: None,
        }
    }

    /// Runs every program to its end.
    ///
    /// # Errors
    /// The first fault: a race, a missing synchronisation, a deadlock, something read that nobody has written.
    pub fn run(mut self) -> Result<Outcome, Fault> {
        while let Some(thread) = self.ready.pop_front() {
            self.advance(thread)?;
        }
        if let Some(stuck) = (0..self.programs.len()).find(|&thread| !self.threads[thread].done) {
            return Err(self.deadlock(stuck));
        }
        self.leave()?;
        let cells = self.cells.into_iter().map(|cell| cell.value).collect();
        Ok(Outcome { cells, values: self.values, steps: self.steps.len(), in_step: self.notes })
    }

    /// Runs a thread until it ends or waits.
    fn advance(&mut self, thread: usize) -> Result<(), Fault> {
        let programs = self.programs;
        let acts = &programs[thread].acts;
        self.threads[thread].awaits = None;
        while let Some((act, operation)) = acts.get(self.threads[thread].next) {
            if !self.act(thread, act, *operation)? {
                return Ok(());
            }
            self.threads[thread].next += 1;
        }
        self.sync(thread);
        self.threads[thread].done = true;
        Ok(())
    }

    /// Runs one step; whether it could be run.
    fn act(&mut self, thread: usize, act: &Act, operation: u32) -> Result<bool, Fault> {
        match act {
            Act::Sync => self.sync(thread),
            Act::Barrier { barrier, threads } => return Ok(self.barrier(thread, *barrier, *threads)),
            Act::Signal { lines, relaxed, agent } => {
                let told = match agent {
                    Some(agent) => {
                        self.tell(thread, *agent);
                        self.threads[*agent as usize].knows.clone()
                    }
                    None => self.threads[thread].knows.clone(),
                };
                let token = if *relaxed { Knowledge { seen: Clocks::default(), reached: told.reached } } else { told };
                for &line in lines {
                    self.lines[line].push_back(token.clone());
                    self.wake(Awaited::Token(line));
                }
            }
            Act::Wait { lines, relaxed } => {
                while let Some(&line) = lines.get(self.threads[thread].served) {
                    let Some(token) = self.lines[line].pop_front() else {
                        self.wait(thread, Awaited::Token(line));
                        return Ok(false);
                    };
                    let told = &mut self.threads[thread].told;
                    told.reached.join(&token.reached);
                    if !relaxed {
                        told.seen.join(&token.seen);
                    }
                    self.threads[thread].served += 1;
                }
                self.threads[thread].served = 0;
            }
            Act::Move { moves, agent } => return self.run_moves(thread, moves, *agent, operation),
            Act::Flush { agents } => {
                for &agent in agents {
                    let done = self.threads[agent as usize].knows.clone();
                    self.threads[thread].told.join(&done);
                }
            }
        }
        Ok(true)
    }

    /// Ends a stretch.
    fn sync(&mut self, thread: usize) {
        let state = &mut self.threads[thread];
        state.knows.learn(thread as u32, state.stretch);
        state.stretch += 1;
        let told = std::mem::take(&mut state.told);
        state.knows.join(&told);
    }

    /// An agent learns what a thread knows when it is told to do something.
    fn tell(&mut self, thread: usize, agent: u32) {
        let knows = self.threads[thread].knows.clone();
        self.threads[agent as usize].knows.join(&knows);
    }

    fn wait(&mut self, thread: usize, awaited: Awaited) {
        self.threads[thread].awaits = Some(awaited);
        self.waiting.entry(awaited).or_default().push(thread);
    }

    fn wake(&mut self, awaited: Awaited) {
        if let Some(threads) = self.waiting.remove(&awaited) {
            self.ready.extend(threads);
        }
    }

    /// Joins a barrier; whether it opens. The last one opens it for all.
    fn barrier(&mut self, thread: usize, barrier: usize, threads: u32) -> bool {
        self.sync(thread);
        let arrived = self.barriers.entry(barrier).or_default();
        arrived.push(thread);
        if (arrived.len() as u32) < threads {
            self.threads[thread].awaits = Some(Awaited::Barrier(barrier));
            return false;
        }
        let arrived = std::mem::take(arrived);
        let mut all = Knowledge::default();
        arrived.iter().for_each(|&thread| all.join(&self.threads[thread].knows));
        for other in arrived {
            self.threads[other].knows = all.clone();
            if other != thread {
                self.threads[other].next += 1;
                self.ready.push_back(other);
            }
        }
        true
    }

    /// Moves data; `false` if a packet has not come yet.
    fn run_moves(&mut self, thread: usize, moves: &[Move], agent: Option<u32>, operation: u32) -> Result<bool, Fault> {
        let packets = moves.iter().flat_map(|it| &it.sources).filter(|span| span.packets);
        if let Some(missing) =
            packets.flat_map(|span| span.cells.clone()).find(|&cell| self.cells[cell].value.is_none())
        {
            self.wait(thread, Awaited::Packet(missing));
            return Ok(false);
        }
        let worker = agent.unwrap_or(thread as u32);
        if agent.is_some() {
            self.tell(thread, worker);
        }
        let step = self.steps.len() as u32;
        self.steps.push((thread as u32, operation));
        let access = Access { thread: worker, stretch: self.threads[worker as usize].stretch, step };
        for it in moves {
            it.sources.iter().try_for_each(|span| self.visit(span, access, false))?;
            it.targets.iter().try_for_each(|span| self.visit(span, access, !it.through_switch))?;
            for place in 0..it.sources.first().map_or(0, |span| span.cells.len()) {
                let (value, over) = self.read_all(it, place, access)?;
                for span in &it.targets {
                    self.write(span, place, (value, &over), access)?;
                }
            }
        }
        if agent.is_some() {
            self.sync(worker as usize);
        }
        Ok(true)
    }

    /// All sources at one place, combined; and the steps whose reads at this place are over by that.
    fn read_all(&mut self, it: &Move, place: usize, access: Access) -> Result<(Value, Vec<u32>), Fault> {
        let mut sum: Option<Value> = None;
        let mut over = Vec::new();
        for span in &it.sources {
            let cell = span.cells.start + place;
            let known = &self.threads[access.thread as usize].knows.seen;
            match span.packets {
                true => over.extend_from_slice(&self.cells[cell].follows),
                false => {
                    if let Some(write) = self.cells[cell].written_meanwhile(access, known) {
                        self.tolerate(access, "reads", cell, write, "writes")?;
                    }
                }
            }
            let known = &self.threads[access.thread as usize].knows.seen;
            self.cells[cell].read(access, known);
            let value = self.cells[cell].value.ok_or_else(|| self.unwritten(access, cell))?;
            sum = Some(match sum {
                None => value,
                Some(sum) => self.values.combine(sum, value).ok_or_else(|| self.too_large(access))?,
            });
        }
        Ok((sum.ok_or_else(|| self.too_large(access))?, over))
    }

    fn write(
        &mut self,
        span: &Span,
        place: usize,
        (value, over): (Value, &[u32]),
        access: Access,
    ) -> Result<(), Fault> {
        let cell = span.cells.start + place;
        if span.packets {
            return self.write_packet(cell, (value, over), access);
        }
        let known = &self.threads[access.thread as usize].knows.seen;
        if let Some((other, wrote)) = self.cells[cell].used_meanwhile(access, known, over) {
            self.tolerate(access, "writes", cell, other, if wrote { "writes" } else { "reads" })?;
        }
        self.cells[cell].write(value, access);
        Ok(())
    }

    /// Packets are written once; the same once more does no harm.
    fn write_packet(&mut self, cell: usize, (value, over): (Value, &[u32]), access: Access) -> Result<(), Fault> {
        match self.cells[cell].value {
            Some(there) if there != value => return Err(self.packet_twice(access, cell)),
            Some(_) => return Ok(()),
            None => {}
        }
        self.cells[cell].write(value, access);
        self.cells[cell].follows = [over, &[access.step]].concat();
        self.wake(Awaited::Packet(cell));
        Ok(())
    }

    /// Two accesses in no order: a race, unless the other threadblocks of the other one's group have it behind them and
    /// groups go in step.
    fn tolerate(&mut self, access: Access, does: &str, cell: usize, other: Access, did: &str) -> Result<(), Fault> {
        let race = self.race(access, does, cell, other, did);
        let known = &self.threads[access.thread as usize].knows.seen;
        let group = self.programs.get(other.thread as usize).and_then(|program| program.group);
        let in_step = group.is_some_and(|group| {
            let members = self.programs.iter().enumerate().filter(|(_, program)| program.group == Some(group));
            members.into_iter().any(|(member, _)| known.of(member as u32) >= other.stretch)
        });
        if !in_step {
            return Err(race);
        }
        self.notes.get_or_insert(race.text);
        Ok(())
    }

    /// Others' memory may be used when they are known to have started, until they end; packets may come at any time.
    fn visit(&mut self, span: &Span, access: Access, writes: bool) -> Result<(), Fault> {
        let worker = &self.threads[access.thread as usize];
        if span.packets || worker.rank == span.rank {
            return Ok(());
        }
        let entry = (self.threads.len() + span.rank) as u32;
        if worker.knows.reached.of(entry) == 0 {
            return Err(self.not_entered(access, span));
        }
        self.visits[usize::from(writes)][span.rank].insert(access.thread, (access.stretch, access.step));
        Ok(())
    }

    /// The conditions at the end of all threads: others' reads are over, and their writes can be seen as well.
    fn leave(&self) -> Result<(), Fault> {
        let mut at_last = vec![Knowledge::default(); self.ranks];
        for thread in &self.threads {
            if let Some(last) = at_last.get_mut(thread.rank) {
                last.join(&thread.knows);
            }
        }
        for (rank, last) in at_last.iter().enumerate() {
            let late = |visits: &BTreeMap<u32, (u32, u32)>, known: &Clocks| {
                visits.iter().find(|&(&thread, &(stretch, _))| known.of(thread) < stretch).map(|(_, &(_, step))| step)
            };
            let [reads, writes] = &self.visits;
            if let Some(step) = late(&reads[rank], &last.reached).or_else(|| late(&writes[rank], &last.reached)) {
                return Err(self.still_used(rank, step));
            }
            if let Some(step) = late(&writes[rank], &last.seen) {
                return Err(self.unseen(rank, step));
            }
        }
        let left = |&line: &usize| !self.lines[line].is_empty() && self.names.must_be_taken(line);
        match (0..self.lines.len()).find(left) {
            Some(line) => Err(self.left_over(line, self.lines[line].len())),
            None => Ok(()),
        }
    }
}
