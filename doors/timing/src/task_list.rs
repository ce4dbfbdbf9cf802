//! The tasks of one operation, without dates.

use oneport_platform::{ratio, whole};
use std::collections::BTreeMap;

use num_traits::{ToPrimitive, Zero};
use oneport_baselines::{Algorithm, Message, Routes};
use oneport_plan::{LinkId, Piece, Problem, Rational, RunTask, SteadyState, Task, WeightedPattern};
use oneport_watch::Watch;

use crate::TimingError;

/// Bytes of a task: in the list, in its graph, and dated. Trades runs that barely fit for memory. Not measured.
pub(crate) const TASK: u64 = 250;
/// Tasks between two checks of the watch. Trades lateness after a limit for calls. Not measured.
pub(crate) const OFTEN: usize = 1 << 10;
/// Limit: tasks of a list.
pub(crate) const MOST: usize = 4_000_000;

/// Tasks, each after the tasks whose results it uses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskList {
    /// The pieces of the values.
    pub pieces: Vec<Piece>,
    /// Links with shared capacities that transfer at a part of their full rate, with that part.
    pub shares: BTreeMap<LinkId, Rational>,
    /// The tasks in order of priority: if two can start at the same date, the earlier in the list does.
    pub tasks: Vec<RunTask>,
}

/// A block at a rank: the task that delivered it, and the first and last operand combined in it.
type Held = Option<(Option<u32>, (u32, u32))>;

/// An algorithm being written down, one segment at a time.
struct Writer<'a> {
    problem: &'a Problem,
    algorithm: &'a Algorithm,
    routes: &'a Routes,
    list: TaskList,
    blocks: usize,
    segment: u32,
    held: Vec<Held>,
    step: usize,
    /// Receiver, block, content, and whether it is combined.
    arriving: Vec<(usize, u32, Held, bool)>,
    watch: &'a Watch,
}

impl TaskList {
    /// The messages of an algorithm, segment after segment. Blocks that travel together are one message, and so are all
    /// messages of a demand with a count. The watch is checked for the memory of the held blocks first.
    /// `O(blocks sent x segments)`.
    ///
    /// # Errors
    /// A message between unconnected nodes or of a block that the sender does not hold, more than four million tasks,
    /// or a limit that ended the work.
    pub fn of_algorithm(
        problem: &Problem,
        algorithm: &Algorithm,
        routes: &Routes,
        segments: u32,
        watch: &Watch,
    ) -> Result<TaskList, TimingError> {
        let collective = problem.collective();
        let blocks = collective.demands() * algorithm.pieces as usize;
        let held = (algorithm.ranks.len() as u64).saturating_mul(blocks as u64);
        watch.room_for(held.saturating_mul(size_of::<Held>() as u64))?;
        let cuts = u64::from(algorithm.pieces) * u64::from(segments.max(1));
        let shares: Vec<Rational> = (0..collective.demands())
            .map(|demand| ratio(collective.rate(demand), cuts))
            .collect();
        let mut writer = Writer {
            problem,
            algorithm,
            routes,
            list: TaskList::default(),
            blocks,
            segment: 0,
            held: Vec::new(),
            step: 0,
            arriving: Vec::new(),
            watch,
        };
        for segment in 0..segments.max(1) {
            let pieces = (0..blocks).map(|block| block / algorithm.pieces as usize);
            writer.list.pieces.extend(pieces.map(|demand| Piece {
                demand,
                share: shares[demand].clone(),
            }));
            writer.segment = segment;
            writer.carry_out()?;
        }
        Ok(writer.list)
    }

    /// The patterns of a steady state, each on its share of the values. Messages of a demand with a count travel
    /// together. The largest share is cut into `count` pieces, the other shares into pieces of about that size, at
    /// least one. Pieces are interleaved: in each round every pattern of the largest share has one. A task's priority
    /// rises by `priority_offset` quarters of a round per task on the longest chain from it to the end of its piece, so
    /// that pieces with long chains do not finish late. The watch is checked for the memory of all tasks first.
    /// `O(d log d)` for `d` tasks.
    ///
    /// # Errors
    /// More than four million tasks, or a limit that ended the work.
    pub fn of_patterns(
        problem: &Problem,
        steady_state: &SteadyState,
        count: u32,
        priority_offset: u32,
        watch: &Watch,
    ) -> Result<TaskList, TimingError> {
        let earlier: Vec<Vec<i128>> = steady_state
            .patterns
            .iter()
            .map(|weighted| earlier(&weighted.pattern.tasks, count, priority_offset))
            .collect();
        let key =
            |turn: u64, pattern: usize, task: usize| 4 * i128::from(turn) - earlier[pattern][task];
        TaskList::in_rounds(problem, steady_state, count, &key, watch)
    }

    /// The list of [`TaskList::of_patterns`], but with tasks ordered by windows, those of a window by rounds.
    pub(crate) fn of_windows(
        problem: &Problem,
        steady_state: &SteadyState,
        count: u32,
        windows: &[Vec<usize>],
        watch: &Watch,
    ) -> Result<TaskList, TimingError> {
        let key = |turn: u64, pattern: usize, task: usize| {
            ((windows[pattern][task] as i128) << 64) + i128::from(turn)
        };
        TaskList::in_rounds(problem, steady_state, count, &key, watch)
    }

    /// Every pattern on its share of the values, in pieces. Tasks are in the order of `key(turn, pattern, task)`, in
    /// which the turns of all pieces of a pattern are spread over the same range.
    fn in_rounds(
        problem: &Problem,
        steady_state: &SteadyState,
        count: u32,
        key: &dyn Fn(u64, usize, usize) -> i128,
        watch: &Watch,
    ) -> Result<TaskList, TimingError> {
        let mut sums = vec![Rational::zero(); problem.collective().demands()];
        for weighted in &steady_state.patterns {
            sums[weighted.pattern.demand] += &weighted.weight;
        }
        let share = |weighted: &WeightedPattern| {
            let demand = weighted.pattern.demand;
            let rate = whole(problem.collective().rate(demand));
            &weighted.weight / &sums[demand] * rate
        };
        let shares: Vec<Rational> = steady_state.patterns.iter().map(share).collect();
        let largest = shares.iter().max().cloned().unwrap_or_default();
        let (mut cuts, mut total) = (Vec::new(), 0);
        for ((pattern, weighted), share) in steady_state.patterns.iter().enumerate().zip(shares) {
            if share.is_zero() {
                continue;
            }
            let wanted = (&share / &largest * whole(count)).round().to_integer();
            let pieces = wanted.to_u32().unwrap_or(count).max(1);
            total += u64::from(pieces) * weighted.pattern.tasks.len().max(1) as u64;
            cuts.push((pattern, pieces, share / whole(pieces)));
        }
        if total > MOST as u64 {
            return Err(TimingError::TooMany(MOST));
        }
        watch.room_for(total.saturating_mul(TASK))?;
        // Piece i of n comes at (2 i + 1) / 2 n of all.
        let turn =
            |number: u32, pieces: u32| ((2 * u64::from(number) + 1) << 31) / u64::from(pieces);
        let turns =
            |cut: usize, pieces: u32| (0..pieces).map(move |number| (turn(number, pieces), cut));
        let mut all: Vec<(u64, usize)> = cuts
            .iter()
            .enumerate()
            .flat_map(|(cut, of)| turns(cut, of.1))
            .collect();
        all.sort_unstable();
        let tasks = |cut: usize| &steady_state.patterns[cuts[cut].0].pattern.tasks;
        let mut list = TaskList::default();
        // Sort key, piece, task.
        let mut order: Vec<(i128, u32, u32)> = Vec::with_capacity(total as usize);
        for &(turn, cut) in &all {
            let (pattern, _, share) = &cuts[cut];
            let piece = index(list.pieces.len())?;
            let demand = steady_state.patterns[*pattern].pattern.demand;
            list.pieces.push(Piece {
                demand,
                share: share.clone(),
            });
            let of_piece = 0..index(tasks(cut).len())?;
            order.extend(of_piece.map(|task| (key(turn, *pattern, task as usize), piece, task)));
        }
        order.sort();
        watch.ask()?;
        list.in_order(&order, |piece| tasks(all[piece as usize].1), watch)
    }

    /// Pieces of the demand that has most.
    pub(crate) fn most_pieces(&self) -> u32 {
        let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
        for piece in self.pieces.iter() {
            *counts.entry(piece.demand).or_default() += 1;
        }
        counts.into_values().max().unwrap_or(0)
    }

    /// Turns the tasks of all pieces into tasks of the run, in this order. Every input precedes its users.
    fn in_order<'t>(
        mut self,
        order: &[(i128, u32, u32)],
        tasks: impl Fn(u32) -> &'t Vec<Task>,
        watch: &Watch,
    ) -> Result<TaskList, TimingError> {
        let mut firsts = vec![0_u32];
        for piece in 0..index(self.pieces.len())? {
            firsts.push(firsts[piece as usize] + index(tasks(piece).len())?);
        }
        let mut numbers = vec![0_u32; order.len()];
        for (number, &(_, piece, within)) in order.iter().enumerate() {
            if number % OFTEN == 0 {
                watch.ask()?;
            }
            let first = firsts[piece as usize];
            let moved = |input: Option<u32>| input.map(|input| numbers[(first + input) as usize]);
            let task = match tasks(piece)[within as usize] {
                Task::Send { link, after, .. } => RunTask::Send {
                    link,
                    carried: vec![(piece, moved(after))],
                },
                Task::Merge {
                    node, left, right, ..
                } => RunTask::Merge {
                    node,
                    piece,
                    left: moved(left),
                    right: moved(right),
                },
            };
            numbers[(first + within) as usize] = self.push(task)?;
        }
        Ok(self)
    }

    pub(crate) fn push(&mut self, task: RunTask) -> Result<u32, TimingError> {
        let number = index(self.tasks.len())?;
        self.tasks.push(task);
        Ok(number)
    }
}

/// Per task: its offset in quarter turns, `priority_offset` quarters of a round per task on the longest chain that
/// waits for it.
fn earlier(tasks: &[Task], count: u32, priority_offset: u32) -> Vec<i128> {
    let each = i128::from(priority_offset) * ((1_i128 << 32) / i128::from(count.max(1)));
    let mut all = vec![0_i128; tasks.len()];
    for (number, task) in tasks.iter().enumerate().rev() {
        let inputs = match *task {
            Task::Send { after, .. } => [after, None],
            Task::Merge { left, right, .. } => [left, right],
        };
        for input in inputs.into_iter().flatten() {
            all[input as usize] = all[input as usize].max(all[number] + each);
        }
    }
    all
}

fn index(number: usize) -> Result<u32, TimingError> {
    u32::try_from(number)
        .ok()
        .filter(|_| number < MOST)
        .ok_or(TimingError::TooMany(MOST))
}

impl Writer<'_> {
    fn carry_out(&mut self) -> Result<(), TimingError> {
        self.own();
        self.step = 0;
        let algorithm = self.algorithm;
        let mut result = Ok(());
        algorithm.messages(&mut |message| {
            if result.is_ok() {
                result = self.send(message);
            }
        });
        result?;
        self.arrive()
    }

    /// Every rank holds its own operands.
    fn own(&mut self) {
        self.held = vec![None; self.algorithm.ranks.len() * self.blocks];
        let pieces = self.algorithm.pieces as usize;
        for (number, demand) in self.problem.demands().enumerate() {
            for (operand, owner) in (0_u32..).zip(demand.operands) {
                let Some(rank) = self.algorithm.ranks.iter().position(|node| node == owner) else {
                    continue;
                };
                let first = rank * self.blocks + number * pieces;
                self.held[first..first + pieces].fill(Some((None, (operand, operand))));
            }
        }
    }

    fn piece(&self, block: u32) -> Result<u32, TimingError> {
        index(self.segment as usize * self.blocks + block as usize)
    }

    fn send(&mut self, message: Message<'_>) -> Result<(), TimingError> {
        self.watch.ask()?;
        if message.step != self.step {
            self.arrive()?;
            self.step = message.step;
        }
        let [from, to] = [message.from, message.to].map(|rank| self.algorithm.ranks[rank]);
        let name = |node| self.problem.platform().name(node).to_string();
        let path = self.algorithm.path(message, self.routes);
        let path = path.ok_or_else(|| TimingError::NoWay {
            from: name(from),
            to: name(to),
        })?;
        let mut carried = Vec::with_capacity(message.blocks.len());
        for &block in message.blocks {
            let held = self
                .held
                .get(message.from * self.blocks + block as usize)
                .copied()
                .flatten();
            let not_held = || TimingError::NotHeld {
                node: name(from),
                block,
                step: message.step + 1,
            };
            let (behind, _) = held.ok_or_else(not_held)?;
            carried.push((self.piece(block)?, behind));
        }
        let mut last = None;
        for link in path {
            if let Some(before) = last {
                for (_, behind) in carried.iter_mut() {
                    *behind = Some(before);
                }
            }
            last = Some(self.list.push(RunTask::Send {
                link,
                carried: carried.clone(),
            })?);
        }
        for &block in message.blocks {
            let held = self.held[message.from * self.blocks + block as usize];
            // Two ranks of one node have no links between them, and so no task.
            let arrived = held.map(|(behind, run)| (last.or(behind), run));
            self.arriving
                .push((message.to, block, arrived, message.combine));
        }
        Ok(())
    }

    /// The messages of a step arrive, in the order in which they were sent.
    fn arrive(&mut self) -> Result<(), TimingError> {
        for (to, block, new, combine) in std::mem::take(&mut self.arriving) {
            let cell = to * self.blocks + block as usize;
            let own = self.held[cell].filter(|_| combine);
            self.held[cell] = match (own, new) {
                (Some(own), Some(new)) => {
                    let own_first =
                        own.1.1 + 1 == new.1.0 || new.1.1 + 1 != own.1.0 && own.1.0 < new.1.0;
                    let (left, right) = if own_first { (own, new) } else { (new, own) };
                    let node = self.algorithm.ranks[to];
                    let task = RunTask::Merge {
                        node,
                        piece: self.piece(block)?,
                        left: left.0,
                        right: right.0,
                    };
                    Some((Some(self.list.push(task)?), (left.1.0, right.1.1)))
                }
                (_, new) => new,
            };
        }
        Ok(())
    }
}
