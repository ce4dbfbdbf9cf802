//! Interprets threads of several ranks that copy and combine parts of one another's memory, signal and wait. Follows
//! the value in every cell and the threads to which it is visible.
//!
//! [`Act::Sync`] divides a thread's work into epochs. The steps within an epoch are unordered. Vector clocks (Lamport
//! 1978, Fidge and Mattern 1988) hold the order of epochs, and every cell of memory holds its last accesses (FastTrack,
//! Flanagan and Freund 2009). So two unordered accesses, one of them a write, are found in every order of execution.

mod clocks;
mod fault;
mod memory;
mod script;
mod values;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use clocks::Clocks;
use memory::{Access, Cells};

pub(crate) use fault::malformed;
pub use fault::{Fault, FaultKind};
pub(crate) use script::{Act, Move, Part, Script, Span};
pub(crate) use values::{Value, Values};

/// Names for messages: the file's names of threads, operations, lines and cells.
pub(crate) trait Names {
    /// `rank 0, threadblock 1, operation 3 (put)`.
    fn operation(&self, thread: usize, operation: u32) -> String;
    /// `rank 0, threadblock 1`.
    fn thread(&self, thread: usize) -> String;
    /// `a signal of rank 1`.
    fn line(&self, line: usize) -> String;
    /// Rank whose threads can send a token along a line.
    fn sender(&self, line: usize) -> Option<usize>;
    /// Whether the line must be empty at the end.
    fn must_be_taken(&self, line: usize) -> bool;
    /// `output chunk 3 of rank 1`.
    fn cell(&self, cell: usize) -> String;
}

/// The event that a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Token(usize),
    Packet(usize),
    Barrier(u32),
}

/// Vector clocks of a thread or agent.
#[derive(Debug, Clone, Default)]
struct Knowledge {
    /// Epochs whose effects are visible.
    seen: Clocks,
    /// Further epochs that are certainly reached.
    reached: Clocks,
}

impl Knowledge {
    fn join(&mut self, other: &Knowledge) {
        self.seen.join(&other.seen);
        self.reached.join(&other.reached);
    }

    /// Whether a thread has certainly reached this epoch, visibly or not.
    fn has_reached(&self, thread: u32, stretch: u32) -> bool {
        self.seen.has(thread, stretch) || self.reached.has(thread, stretch)
    }

    /// These epochs with no effect visible.
    fn relaxed(&self) -> Knowledge {
        let mut reached = self.reached.clone();
        reached.join(&self.seen);
        Knowledge {
            seen: Clocks::default(),
            reached,
        }
    }
}

#[derive(Debug, Clone)]
struct Thread {
    rank: usize,
    knows: Knowledge,
    /// Knowledge received since the last synchronisation. The next one applies it.
    received: Knowledge,
    /// Whether `received` has entries.
    has_received: bool,
    /// The current epoch, from 1.
    stretch: u32,
    next: usize,
    /// Lines of the current wait that have been served.
    served: usize,
    /// The next thread in the queue for the same line.
    behind: Option<u32>,
    awaits: Option<Awaited>,
    done: bool,
    /// The last use of each rank's memory for reading, and for writing.
    visits: Vec<Visit>,
}

/// A use of another rank's memory.
#[derive(Debug, Clone, Copy)]
struct Visit {
    rank: u32,
    writes: bool,
    stretch: u32,
    step: u32,
}

/// Tokens that are not taken yet. Most lines have one at a time.
#[derive(Debug, Default)]
struct Line {
    first: Option<Token>,
    others: VecDeque<Token>,
    /// The first of the threads that wait for a token.
    waiting: Option<u32>,
}

/// Clocks that a signal sends, the same along all its lines.
type Token = Rc<Knowledge>;

impl Line {
    fn push(&mut self, token: Token) {
        match self.first {
            None => self.first = Some(token),
            Some(_) => self.others.push_back(token),
        }
    }

    fn pop(&mut self) -> Option<Token> {
        let token = self.first.take()?;
        self.first = self.others.pop_front();
        Some(token)
    }

    fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }
}

/// The interpreter.
pub(crate) struct Machine<'p, N> {
    names: &'p N,
    script: &'p Script,
    ranks: usize,
    threads: Vec<Thread>,
    cells: Cells,
    values: Values,
    lines: Vec<Line>,
    /// A token without knowledge.
    blank: Token,
    barriers: BTreeMap<u32, Vec<usize>>,
    /// Per cell: threads that wait for a packet there.
    waiting: BTreeMap<usize, Vec<usize>>,
    ready: VecDeque<usize>,
    /// Per step: thread and operation.
    steps: Vec<(u32, u32)>,
    /// The moves in the order of the run, each with its thread's rank.
    moved: Vec<(usize, Move)>,
    /// Whether ranks use memory of one another. Only then does `Knowledge::reached` matter.
    apart: bool,
    /// First race that disappears if the threadblocks of a group run in lockstep.
    notes: Option<String>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The values in memory.
    pub cells: Vec<Option<Value>>,
    /// The values.
    pub values: Values,
    /// Number of steps that moved or combined data.
    pub steps: usize,
    /// The moves in the order of the run, each with its thread's rank.
    pub moved: Vec<(usize, Move)>,
    /// First race that disappears if the threadblocks of a group run in lockstep.
    pub in_step: Option<String>,
}

impl<'p, N: Names> Machine<'p, N> {
    /// A machine before its start: numbers of ranks and lines, `agents` threads without a program, the initial memory,
    /// and the number of initial tokens per line.
    pub(crate) fn new(
        names: &'p N,
        script: &'p Script,
        ranks: usize,
        agents: &[usize],
        cells: Vec<Option<Value>>,
        values: Values,
        tokens: &[u32],
    ) -> Self {
        let owners = script
            .programs
            .iter()
            .map(|program| program.rank)
            .chain(agents.iter().copied());
        let first_entry = (script.programs.len() + agents.len()) as u32;
        let apart = script.leaves_its_rank();
        let thread = |rank: usize| {
            let mut knows = Knowledge::default();
            if apart {
                knows.reached.learn(first_entry + rank as u32, 1);
            }
            Thread {
                rank,
                knows,
                received: Knowledge::default(),
                has_received: false,
                stretch: 1,
                next: 0,
                served: 0,
                behind: None,
                awaits: None,
                done: false,
                visits: Vec::new(),
            }
        };
        let blank = Token::default();
        let line = |&tokens: &u32| {
            let mut line = Line::default();
            for _ in 0..tokens {
                line.push(blank.clone());
            }
            line
        };
        Machine {
            names,
            script,
            ranks,
            threads: owners.map(thread).collect(),
            cells: Cells::new(cells),
            values,
            lines: tokens.iter().map(line).collect(),
            blank,
            barriers: BTreeMap::new(),
            waiting: BTreeMap::new(),
            ready: (0..script.programs.len()).collect(),
            steps: Vec::new(),
            moved: Vec::new(),
            apart,
            notes: None,
        }
    }

    /// Runs every program to its end.
    ///
    /// # Errors
    /// The first fault: a race, a missing synchronisation, a deadlock, a read of an unwritten cell.
    pub(crate) fn run(mut self) -> Result<Outcome, Fault> {
        while let Some(thread) = self.ready.pop_front() {
            self.advance(thread)?;
        }
        if let Some(stuck) =
            (0..self.script.programs.len()).find(|&thread| !self.threads[thread].done)
        {
            return Err(self.deadlock(stuck));
        }
        self.leave()?;
        let steps = self.steps.len();
        Ok(Outcome {
            cells: self.cells.values(),
            values: self.values,
            steps,
            moved: self.moved,
            in_step: self.notes,
        })
    }

    /// Runs a thread until it ends or waits.
    fn advance(&mut self, thread: usize) -> Result<(), Fault> {
        let acts = self.script.acts_of(thread);
        self.threads[thread].awaits = None;
        while let Some(&(act, operation)) = acts.get(self.threads[thread].next) {
            if !self.act(thread, act, operation)? {
                return Ok(());
            }
            self.threads[thread].next += 1;
        }
        self.sync(thread);
        self.threads[thread].done = true;
        Ok(())
    }

    /// Runs one step. Returns whether it could run.
    fn act(&mut self, thread: usize, act: Act, operation: u32) -> Result<bool, Fault> {
        match act {
            Act::Sync => self.sync(thread),
            Act::Barrier { barrier, threads } => return Ok(self.barrier(thread, barrier, threads)),
            Act::Signal {
                lines,
                relaxed,
                agent,
            } => self.signal(thread, lines, relaxed, agent),
            Act::Wait { lines, relaxed } => return Ok(self.take(thread, lines, relaxed)),
            Act::Move { moves, agent } => return self.run_moves(thread, moves, agent, operation),
            Act::Flush { agents } => {
                for &agent in self.script.numbers_of(agents) {
                    let done = self.threads[agent as usize].knows.clone();
                    self.threads[thread].received.join(&done);
                    self.threads[thread].has_received = true;
                }
            }
        }
        Ok(true)
    }

    fn signal(&mut self, thread: usize, lines: Part, relaxed: bool, agent: Option<u32>) {
        if let Some(agent) = agent {
            self.tell(thread, agent);
        }
        let knows = &self.threads[agent.map_or(thread, |agent| agent as usize)].knows;
        let token = match (relaxed, self.apart) {
            (false, _) => Token::new(knows.clone()),
            (true, true) => Token::new(knows.relaxed()),
            (true, false) => self.blank.clone(),
        };
        for &line in self.script.numbers_of(lines) {
            let line = &mut self.lines[line as usize];
            line.push(token.clone());
            let mut waiting = line.waiting.take();
            while let Some(thread) = waiting {
                self.ready.push_back(thread as usize);
                waiting = self.threads[thread as usize].behind.take();
            }
        }
    }

    /// Takes a token from each line. Returns whether all were there.
    fn take(&mut self, thread: usize, lines: Part, relaxed: bool) -> bool {
        let lines = self.script.numbers_of(lines);
        while let Some(&number) = lines.get(self.threads[thread].served) {
            let Some(token) = self.lines[number as usize].pop() else {
                self.threads[thread].awaits = Some(Awaited::Token(number as usize));
                self.queue(thread as u32, number);
                return false;
            };
            let state = &mut self.threads[thread];
            state.received.reached.join(&token.reached);
            match (relaxed, self.apart) {
                (false, _) => state.received.seen.join(&token.seen),
                (true, true) => state.received.reached.join(&token.seen),
                (true, false) => {}
            }
            state.has_received = true;
            state.served += 1;
        }
        self.threads[thread].served = 0;
        true
    }

    /// Appends a thread to the queue of a line.
    fn queue(&mut self, thread: u32, line: u32) {
        let mut last = &mut self.lines[line as usize].waiting;
        while let Some(before) = *last {
            last = &mut self.threads[before as usize].behind;
        }
        *last = Some(thread);
    }

    /// Ends an epoch.
    fn sync(&mut self, thread: usize) {
        let state = &mut self.threads[thread];
        state.knows.seen.learn(thread as u32, state.stretch);
        state.stretch += 1;
        if state.has_received {
            state.knows.join(&state.received);
            state.received = Knowledge::default();
            state.has_received = false;
        }
    }

    /// Adds a thread's clocks to those of an agent that receives work from it.
    fn tell(&mut self, thread: usize, agent: u32) {
        let knows = self.threads[thread].knows.clone();
        self.threads[agent as usize].knows.join(&knows);
    }

    /// Joins a barrier. Returns whether it opens. The last thread opens it for all.
    fn barrier(&mut self, thread: usize, barrier: u32, threads: u32) -> bool {
        self.sync(thread);
        let arrived = self.barriers.entry(barrier).or_default();
        arrived.push(thread);
        if (arrived.len() as u32) < threads {
            self.threads[thread].awaits = Some(Awaited::Barrier(barrier));
            return false;
        }
        let arrived = std::mem::take(arrived);
        let mut all = Knowledge::default();
        for &thread in arrived.iter() {
            all.join(&self.threads[thread].knows);
        }
        for other in arrived {
            self.threads[other].knows = all.clone();
            if other != thread {
                self.threads[other].next += 1;
                self.ready.push_back(other);
            }
        }
        true
    }

    /// Moves data. Returns `false` if a packet has not come yet.
    fn run_moves(
        &mut self,
        thread: usize,
        moves: Part,
        agent: Option<u32>,
        operation: u32,
    ) -> Result<bool, Fault> {
        let script = self.script;
        let moves = script.moves_of(moves);
        let mut packets = moves
            .iter()
            .flat_map(|it| script.spans_of(it.sources))
            .filter(|span| span.packets);
        if let Some(missing) =
            packets.find_map(|span| span.cells().find(|&cell| self.cells.value(cell).is_none()))
        {
            self.threads[thread].awaits = Some(Awaited::Packet(missing));
            self.waiting.entry(missing).or_default().push(thread);
            return Ok(false);
        }
        let worker = agent.unwrap_or(thread as u32);
        if agent.is_some() {
            self.tell(thread, worker);
        }
        let step = self.steps.len() as u32;
        self.steps.push((thread as u32, operation));
        let access = Access {
            thread: worker,
            stretch: self.threads[worker as usize].stretch,
            step,
        };
        let rank = self.threads[thread].rank;
        for it in moves {
            self.moved.push((rank, *it));
            let (sources, targets) = (script.spans_of(it.sources), script.spans_of(it.targets));
            if self.apart {
                for span in sources {
                    self.visit(span, access, false)?;
                }
                for span in targets {
                    self.visit(span, access, !it.through_switch)?;
                }
            }
            for offset in 0..sources.first().map_or(0, |span| span.count) {
                let (value, over) = self.read_all(sources, offset, access)?;
                for span in targets {
                    self.write(span, offset, value, &over, access)?;
                }
            }
        }
        if agent.is_some() {
            self.sync(worker as usize);
        }
        Ok(true)
    }

    /// Combines all sources at one index. Also returns the steps whose reads at this index are complete by that.
    fn read_all(
        &mut self,
        sources: &[Span],
        offset: u32,
        access: Access,
    ) -> Result<(Value, Vec<u32>), Fault> {
        let mut sum: Option<Value> = None;
        let mut over = Vec::new();
        for span in sources {
            let cell = (span.first + offset) as usize;
            let known = &self.threads[access.thread as usize].knows.seen;
            if span.packets {
                over.extend_from_slice(self.cells.follows(cell))
            } else {
                if let Some(write) = self.cells.written_meanwhile(cell, access, known) {
                    self.tolerate(access, "reads", cell, write, "writes")?;
                }
            }
            let known = &self.threads[access.thread as usize].knows.seen;
            self.cells.read(cell, access, known);
            let value = self
                .cells
                .value(cell)
                .ok_or_else(|| self.unwritten(access, cell))?;
            sum = Some(match sum {
                None => value,
                Some(sum) => self
                    .values
                    .combine(sum, value)
                    .ok_or_else(|| self.too_large(access))?,
            });
        }
        Ok((sum.ok_or_else(|| self.too_large(access))?, over))
    }

    fn write(
        &mut self,
        span: &Span,
        offset: u32,
        value: Value,
        over: &[u32],
        access: Access,
    ) -> Result<(), Fault> {
        let cell = (span.first + offset) as usize;
        if span.packets {
            return self.write_packet(cell, value, over, access);
        }
        let known = &self.threads[access.thread as usize].knows.seen;
        if let Some((other, wrote)) = self.cells.used_meanwhile(cell, access, known, over) {
            self.tolerate(
                access,
                "writes",
                cell,
                other,
                if wrote { "writes" } else { "reads" },
            )?;
        }
        self.cells.write(cell, value, access);
        Ok(())
    }

    /// Packets are written once. The same packet may be written again.
    fn write_packet(
        &mut self,
        cell: usize,
        value: Value,
        over: &[u32],
        access: Access,
    ) -> Result<(), Fault> {
        match self.cells.value(cell) {
            Some(there) if there != value => return Err(self.packet_twice(access, cell)),
            Some(_) => return Ok(()),
            None => {}
        }
        self.cells.write(cell, value, access);
        self.cells.follow(cell, [over, &[access.step]].concat());
        self.ready
            .extend(self.waiting.remove(&cell).unwrap_or_default());
        Ok(())
    }

    /// Two unordered accesses are a race, unless lockstep orders them. Then the access is only recorded. Lockstep
    /// orders them if the epoch of `other` is complete at any threadblock of its group.
    fn tolerate(
        &mut self,
        access: Access,
        does: &str,
        cell: usize,
        other: Access,
        did: &str,
    ) -> Result<(), Fault> {
        let race = self.race(access, does, cell, other, did);
        let known = &self.threads[access.thread as usize].knows.seen;
        let programs = &self.script.programs;
        let group = programs
            .get(other.thread as usize)
            .and_then(|program| program.group);
        let in_step = group.is_some_and(|group| {
            let members = programs
                .iter()
                .enumerate()
                .filter(|(_, program)| program.group == Some(group));
            members
                .into_iter()
                .any(|(member, _)| known.has(member as u32, other.stretch))
        });
        if !in_step {
            return Err(race);
        }
        self.notes.get_or_insert(race.text);
        Ok(())
    }

    /// Remote access: the owner must certainly have started and must not have ended. Packets may arrive at any time.
    fn visit(&mut self, span: &Span, access: Access, writes: bool) -> Result<(), Fault> {
        let entry = self.threads.len() as u32 + span.rank;
        let worker = &mut self.threads[access.thread as usize];
        if span.packets || worker.rank == span.rank as usize {
            return Ok(());
        }
        let visit = Visit {
            rank: span.rank,
            writes,
            stretch: access.stretch,
            step: access.step,
        };
        let before = worker
            .visits
            .iter_mut()
            .find(|before| before.rank == span.rank && before.writes == writes);
        match before {
            Some(before) => *before = visit,
            None if !worker.knows.has_reached(entry, 1) => {
                return Err(self.not_entered(access, span));
            }
            None => worker.visits.push(visit),
        }
        Ok(())
    }

    /// Checks at the end of all threads that remote reads are complete and remote writes are visible.
    fn leave(&self) -> Result<(), Fault> {
        let mut at_last = vec![Knowledge::default(); self.ranks];
        let mut visits: Vec<Vec<(u32, Visit)>> = vec![Vec::new(); self.ranks];
        for (number, thread) in self.threads.iter().enumerate().filter(|_| self.apart) {
            if let Some(last) = at_last.get_mut(thread.rank) {
                last.join(&thread.knows);
            }
            for &visit in thread.visits.iter() {
                visits[visit.rank as usize].push((number as u32, visit));
            }
        }
        for (rank, (last, visits)) in at_last.iter().zip(&visits).enumerate() {
            let late = |writes: bool, has: &dyn Fn(u32, u32) -> bool| {
                let mut some = visits.iter().filter(|(_, visit)| visit.writes == writes);
                some.find(|&&(thread, visit)| !has(thread, visit.stretch))
                    .map(|(_, visit)| visit.step)
            };
            let reached = |thread: u32, stretch: u32| last.has_reached(thread, stretch);
            if let Some(step) = late(false, &reached).or_else(|| late(true, &reached)) {
                return Err(self.still_used(rank, step));
            }
            if let Some(step) = late(true, &|thread, stretch| last.seen.has(thread, stretch)) {
                return Err(self.unseen(rank, step));
            }
        }
        let left =
            |&line: &usize| self.lines[line].first.is_some() && self.names.must_be_taken(line);
        match (0..self.lines.len()).find(left) {
            Some(line) => Err(self.left_over(line, self.lines[line].len())),
            None => Ok(()),
        }
    }
}
