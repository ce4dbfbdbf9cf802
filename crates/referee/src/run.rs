//! Executes one operation with dates: which node holds which values when, and which resources are occupied.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_plan::{Demand, Interval, LinkId, NodeId, Problem, Resource, Run, RunTask};
use oneport_platform::{Platform, Rational, Shared, SharedId, whole};

use crate::Violation;
use crate::arithmetic::is_positive;
use crate::dates::{Clock, Date};
use crate::violation::{Rule, count_name, shown};

/// Executes a run by its dates alone, and says when it ends: when the last message has arrived and the last merge is
/// over.
///
/// - Pieces have positive shares, which add up to its rate for every demand.
/// - A message leaves a node that has all its values. It occupies the link's resources for the link's overhead plus the
///   size of its pieces times cost, over its share of the rate. It arrives a latency later. A merge takes its share of
///   work times compute, at a processor that has both parts, and combines operands that are disjoint.
/// - At no time is a port, a link or a processor occupied more often than it serves at once (ends may touch), nor does
///   a shared capacity carry more than its rate. A message takes up its link's part of it for as long as it occupies
///   the link.
/// - In the end every goal is there for every piece: all operands wanted, each once, in order unless the operator is
///   commutative.
/// - A node that does not replicate passes on each arrival at most once.
///
/// Dates and lengths are integers in one unit. `O(a log a + operands)` for `a` tasks
/// and the operands of all different results.
///
/// # Errors
/// The first rule that is broken. Sizes or work that are not constant. Numbers without a common unit that fits in
/// memory.
pub fn check_run(problem: &Problem, run: &Run) -> Result<Rational, Violation> {
    let (size, work) = (constant(problem, true)?, constant(problem, false)?);
    let demands = problem.collective().demands();
    let wrong = |piece: &oneport_plan::Piece| piece.demand >= demands || !is_positive(&piece.share);
    if let Some(index) = run.pieces.iter().position(wrong) {
        let piece = &run.pieces[index];
        let found = format!(
            "piece {index} is {} of demand {}",
            shown(&piece.share),
            piece.demand
        );
        return Err(fault(found, "shares are positive, demands exist"));
    }
    if !is_positive(&run.unit) {
        return Err(fault(
            format!("dates count {}", shown(&run.unit)),
            "the unit of dates is positive",
        ));
    }
    check_rates(problem.platform(), run)?;
    let clock = Clock::of(problem, run, &size, &work)?;
    if let Some(clock) = clock.narrow::<u64>(run) {
        return Execution::new(problem, run, &clock).whole();
    }
    match clock.narrow::<u128>(run) {
        Some(clock) => Execution::new(problem, run, &clock).whole(),
        None => Execution::new(problem, run, &clock).whole(),
    }
}

/// Only links of shared capacities transfer at a part of their full rate.
fn check_rates(platform: &Platform, run: &Run) -> Result<(), Violation> {
    for (link, share) in &run.shares {
        if link.index() >= platform.links().len() || platform.shared_by(*link).is_empty() {
            let found = format!("link {} has a share", link.index());
            return Err(fault(found, "it exists and has a shared capacity"));
        }
        if !is_positive(share) || *share >= Rational::one() {
            let (link, share) = (platform.link_name(*link), shown(share));
            let found = format!("the share of link '{link}' is {share}");
            return Err(fault(found, "it is more than 0 and less than 1"));
        }
    }
    Ok(())
}

fn fault(found: String, right: &str) -> Violation {
    Violation::new(Rule::Run, found, right.to_string())
}

fn constant(problem: &Problem, size: bool) -> Result<Rational, Violation> {
    let volumes = problem.volumes();
    let amount = if size { &volumes.size } else { &volumes.work };
    let other = || {
        fault(
            "sizes or work depend on what is combined".to_string(),
            "runs are cut into equal shares",
        )
    };
    amount.constant().cloned().ok_or_else(other)
}

/// Operands in the order in which they were combined, each once.
struct Combined {
    operands: Vec<usize>,
    /// The least and the largest of them.
    least: usize,
    largest: usize,
    /// Each is the one before plus 1.
    in_order: bool,
}

impl Combined {
    fn of(operands: Vec<usize>) -> Combined {
        let extreme = |one: Option<&usize>| one.copied().unwrap_or(0);
        let (least, largest) = (
            extreme(operands.iter().min()),
            extreme(operands.iter().max()),
        );
        let in_order = operands.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        Combined {
            operands,
            least,
            largest,
            in_order,
        }
    }

    /// Whether these are exactly the part's operands (in order, if the operator is not commutative). Each occurs once,
    /// so count and extremes suffice.
    fn is(&self, part: &Interval, commutative: bool) -> bool {
        let all = self.largest - self.least + 1 == self.operands.len();
        (self.least, self.largest) == (part.first, part.last)
            && all
            && (commutative || self.in_order)
    }
}

/// Contents of results. Equal merges share an entry.
#[derive(Default)]
struct Contents {
    all: Vec<Combined>,
    /// Per operand: the entry of that operand alone.
    single: BTreeMap<usize, u32>,
    /// Per left and right part: the entry of both together.
    merged: BTreeMap<(u32, u32), u32>,
}

impl Contents {
    fn add(&mut self, operands: Vec<usize>) -> u32 {
        self.all.push(Combined::of(operands));
        (self.all.len() - 1) as u32
    }

    fn single(&mut self, operand: usize) -> u32 {
        if let Some(&known) = self.single.get(&operand) {
            return known;
        }
        let added = self.add(vec![operand]);
        *self.single.entry(operand).or_insert(added)
    }

    /// Both parts together. `None` if they share an operand.
    fn merged(&mut self, left: u32, right: u32) -> Option<u32> {
        if let Some(&known) = self.merged.get(&(left, right)) {
            return Some(known);
        }
        let [one, other] = [left, right].map(|part| &self.all[part as usize].operands);
        let mut sorted = one.clone();
        sorted.sort_unstable();
        if other
            .iter()
            .any(|operand| sorted.binary_search(operand).is_ok())
        {
            return None;
        }
        let both = [one.as_slice(), other.as_slice()].concat();
        let added = self.add(both);
        Some(*self.merged.entry((left, right)).or_insert(added))
    }
}

/// A piece of a result.
struct Part {
    piece: u32,
    /// Index of its contents.
    contents: u32,
    /// The task that passes it on, if nodes do not replicate.
    passed: Option<u32>,
}

/// A result: its node, its first date, and its part. A message brings a part for each of its pieces.
struct Held<N> {
    node: NodeId,
    from: N,
    /// End index in `parts`. The start is the previous result's end. Parts are ascending by piece.
    end: usize,
}

/// A demand and its goals.
struct Wanted<'a> {
    demand: Demand<'a>,
    /// Ascending, and whether it is there from the beginning.
    goals: Vec<(NodeId, Interval, bool)>,
}

impl<'a> Wanted<'a> {
    fn of(demand: Demand<'a>) -> Wanted<'a> {
        let own_operand = |node, part: &Interval| {
            part.operands() == 1 && demand.operands.get(part.first) == Some(&node)
        };
        let goals = demand
            .goals()
            .into_iter()
            .map(|(node, part)| (node, part, own_operand(node, &part)));
        let mut goals: Vec<(NodeId, Interval, bool)> = goals.collect();
        goals.sort_unstable();
        Wanted { demand, goals }
    }
}

/// A run as it is executed.
struct Execution<'a, N> {
    problem: &'a Problem,
    run: &'a Run,
    clock: &'a Clock<N>,
    wanted: Vec<Wanted<'a>>,
    contents: Contents,
    /// Per task: its result.
    held: Vec<Held<N>>,
    parts: Vec<Part>,
    /// Resources that each link, then each node, occupies, as indices in `busy`.
    occupied: Vec<Vec<usize>>,
    /// From when it is occupied, and until when.
    busy: Vec<(Resource, [Vec<N>; 2])>,
    /// Per link: its parts of shared capacities.
    parts_of: Vec<Vec<(usize, Rational)>>,
    /// Per shared capacity and date: the change of its load, in parts of its rate.
    carried: Vec<BTreeMap<N, Rational>>,
}

impl<'a, N: Date> Execution<'a, N> {
    fn new(problem: &'a Problem, run: &'a Run, clock: &'a Clock<N>) -> Self {
        let platform = problem.platform();
        let mut busy: Vec<(Resource, [Vec<N>; 2])> = Vec::new();
        let mut indices: BTreeMap<Resource, usize> = BTreeMap::new();
        let mut index_of = |resource: Resource| {
            *indices.entry(resource).or_insert_with(|| {
                busy.push((resource, Default::default()));
                busy.len() - 1
            })
        };
        let of_links = platform.link_ids().map(|link| {
            let whole = Resource::uses(platform, link).filter(|used| used.part.is_none());
            whole.map(|used| used.resource).collect()
        });
        let parts_of = |link: LinkId| {
            let rate = &platform.link(link).cost;
            let share = run.shares.get(&link).cloned();
            let share = share.unwrap_or_else(Rational::one);
            let shared = (0..).zip(platform.shared());
            let part = |(index, of): (usize, &Shared)| {
                let weight = whole(*of.weights.get(&link)?);
                Some((index, weight * &share / rate / &of.rate))
            };
            shared.filter_map(part).collect()
        };
        let of_nodes = platform
            .node_ids()
            .map(|node| vec![Resource::Compute(node)]);
        let of_both: Vec<Vec<Resource>> = of_links.chain(of_nodes).collect();
        let occupied = of_both
            .into_iter()
            .map(|all| all.into_iter().map(&mut index_of).collect())
            .collect();
        let wanted = problem.demands().map(Wanted::of).collect();
        let (held, parts) = (
            Vec::with_capacity(run.tasks.len()),
            Vec::with_capacity(run.tasks.len()),
        );
        Execution {
            problem,
            run,
            clock,
            wanted,
            contents: Contents::default(),
            held,
            parts,
            occupied,
            busy,
            parts_of: if platform.shared().is_empty() {
                Vec::new()
            } else {
                platform.link_ids().map(parts_of).collect()
            },
            carried: vec![BTreeMap::new(); platform.shared().len()],
        }
    }

    fn whole(mut self) -> Result<Rational, Violation> {
        self.shares()?;
        for (index, task) in self.run.tasks.iter().enumerate() {
            let start = self.clock.date(&task.start);
            let result = match &task.task {
                RunTask::Send { link, carried } => self.send(index, start, *link, carried),
                RunTask::Merge {
                    node,
                    piece,
                    left,
                    right,
                } => self.merge(start, *node, *piece, [*left, *right]),
            };
            self.held
                .push(result.map_err(|violation| violation.at(format!("task {index}")))?);
        }
        for (resource, times) in std::mem::take(&mut self.busy) {
            self.not_too_often(resource, times)?;
        }
        for (index, changes) in std::mem::take(&mut self.carried).into_iter().enumerate() {
            self.not_too_much(index, changes)?;
        }
        self.goals()?;
        let last = self.held.into_iter().map(|held| held.from).max();
        Ok(self.clock.time(&last.unwrap_or_else(N::zero)))
    }

    /// The shares of every demand add up to its rate.
    fn shares(&self) -> Result<(), Violation> {
        let mut sums = vec![N::zero(); self.wanted.len()];
        for (piece, share) in self.run.pieces.iter().zip(&self.clock.shares) {
            let sum = &mut sums[piece.demand];
            *sum = std::mem::replace(sum, N::zero()) + share.clone();
        }
        let (collective, whole) = (self.problem.collective(), &self.clock.whole);
        let wrong = |(demand, sum): (usize, &N)| match collective.rate(demand) {
            1 => sum != whole,
            rate => sum.big() != whole.big() * rate,
        };
        let Some(demand) = sums.iter().enumerate().position(wrong) else {
            return Ok(());
        };
        let shares = self
            .run
            .pieces
            .iter()
            .filter(|piece| piece.demand == demand)
            .map(|piece| &piece.share);
        let sum: Rational = shares.sum();
        Err(fault(
            format!("the pieces of demand {demand} add up to {}", shown(&sum)),
            &collective.rate(demand).to_string(),
        ))
    }

    fn date(&self, date: &N) -> String {
        shown(self.clock.time(date))
    }

    /// At no time more at once than the resource serves. At one date, ends come before starts.
    fn not_too_often(
        &self,
        resource: Resource,
        [mut starts, mut ends]: [Vec<N>; 2],
    ) -> Result<(), Violation> {
        let platform = self.problem.platform();
        let capacity = resource.capacity(platform);
        starts.sort();
        ends.sort();
        let mut over = 0;
        for (before, date) in starts.iter().enumerate() {
            while ends.get(over).is_some_and(|end| end <= date) {
                over += 1;
            }
            let busy = before + 1 - over;
            if busy > capacity as usize {
                let found = format!(
                    "{} is occupied {busy} times at {}",
                    resource.describe(platform),
                    self.date(date)
                );
                return Err(Violation::new(
                    Rule::Run,
                    found,
                    format!("it serves {} at a time", count_name(capacity)),
                ));
            }
        }
        Ok(())
    }

    /// A shared capacity carries at most its rate.
    fn not_too_much(&self, index: usize, changes: BTreeMap<N, Rational>) -> Result<(), Violation> {
        let mut carried = Rational::zero();
        for (date, change) in changes {
            carried += change;
            if carried > Rational::one() {
                let shared = Resource::Shared(SharedId::new(index));
                let found = format!(
                    "the {} carries {} of its rate from {}",
                    shared.describe(self.problem.platform()),
                    shown(&carried),
                    self.date(&date)
                );
                return Err(fault(found, "at most 1 is possible"));
            }
        }
        Ok(())
    }

    /// The index of a piece's demand.
    fn demand(&self, piece: u32) -> Result<usize, Violation> {
        let found = self.run.pieces.get(piece as usize);
        let pieces = self.run.pieces.len();
        let none = || {
            fault(
                format!("piece {piece}"),
                &format!("there are {pieces}, numbered from 0"),
            )
        };
        found.map(|piece| piece.demand).ok_or_else(none)
    }

    /// Contents of `piece` at `node` by `date`, and the index of the part if a task brought it.
    fn input(
        &mut self,
        node: NodeId,
        piece: u32,
        source: Option<u32>,
        date: &N,
    ) -> Result<(u32, Option<usize>), Violation> {
        let name = || self.problem.platform().name(node);
        let Some(source) = source else {
            let operands = self.wanted[self.demand(piece)?].demand.operands;
            let own = operands.iter().position(|owner| *owner == node);
            let none = || {
                fault(
                    format!("'{}' owns no operand of piece {piece}", name()),
                    "it has to receive it first",
                )
            };
            return Ok((self.contents.single(own.ok_or_else(none)?), None));
        };
        let absent = || {
            fault(
                format!("'{}' has no piece {piece} of task {source}", name()),
                "it has to be there",
            )
        };
        let result = self
            .held
            .get(source as usize)
            .filter(|result| result.node == node)
            .ok_or_else(absent)?;
        if result.from > *date {
            let (used, there) = (self.date(date), self.date(&result.from));
            let found = format!("'{}' uses at {used} what it has from {there} on", name());
            return Err(fault(found, "it has to be there"));
        }
        let first = (source as usize)
            .checked_sub(1)
            .map_or(0, |before| self.held[before].end);
        let parts = &self.parts[first..result.end];
        let index = first
            + parts
                .binary_search_by_key(&piece, |part| part.piece)
                .map_err(|_| absent())?;
        Ok((self.parts[index].contents, Some(index)))
    }

    fn send(
        &mut self,
        task: usize,
        start: N,
        link: LinkId,
        carried: &[(u32, Option<u32>)],
    ) -> Result<Held<N>, Violation> {
        let platform = self.problem.platform();
        if link.index() >= platform.links().len() {
            return Err(fault(format!("link {}", link.index()), "that link exists"));
        }
        let (from, to) = (platform.link(link).from, platform.link(link).to);
        let first = self.parts.len();
        for &(piece, source) in carried {
            let (contents, index) = self.input(from, piece, source, &start)?;
            if let (Some(index), false) = (index, platform.node(from).replicates)
                && let Some(before) = self.parts[index].passed.replace(task as u32)
            {
                let found = format!(
                    "'{}' passes piece {piece} on in task {before}, too",
                    platform.name(from)
                );
                return Err(fault(found, "it does not replicate"));
            }
            self.parts.push(Part {
                piece,
                contents,
                passed: None,
            });
        }
        let new = &mut self.parts[first..];
        new.sort_unstable_by_key(|part| part.piece);
        if new.is_empty() || new.windows(2).any(|pair| pair[0].piece == pair[1].piece) {
            return Err(fault(
                "nothing, or a piece twice".to_string(),
                "a message carries pieces, each once",
            ));
        }
        let shares = new
            .iter()
            .map(|part| self.clock.shares[part.piece as usize].clone());
        let shares = shares.fold(N::zero(), |sum, share| sum + share);
        let [latency, overhead, time] = &self.clock.links[link];
        let end = start.clone() + overhead.clone() + time.clone() * shares;
        for (shared, part) in self.parts_of.get(link.index()).into_iter().flatten() {
            let changes = &mut self.carried[*shared];
            *changes.entry(start.clone()).or_default() += part;
            *changes.entry(end.clone()).or_default() -= part;
        }
        self.occupy(link.index(), start, &end);
        Ok(Held {
            node: to,
            from: end + latency.clone(),
            end: self.parts.len(),
        })
    }

    fn merge(
        &mut self,
        start: N,
        node: NodeId,
        piece: u32,
        parts: [Option<u32>; 2],
    ) -> Result<Held<N>, Violation> {
        let platform = self.problem.platform();
        if platform
            .nodes()
            .get(node.index())
            .is_none_or(|node| !node.merges())
        {
            return Err(fault(
                format!("node {} merges", node.index()),
                "processors merge, and switches that reduce",
            ));
        }
        let [left, right] = parts.map(|part| {
            self.input(node, piece, part, &start)
                .map(|(contents, _)| contents)
        });
        let twice = || {
            fault(
                format!("piece {piece} has an operand twice"),
                "each operand is combined once",
            )
        };
        let contents = self.contents.merged(left?, right?).ok_or_else(twice)?;
        let takes = self.clock.nodes[node].clone() * self.clock.shares[piece as usize].clone();
        let end = start.clone() + takes;
        self.occupy(platform.links().len() + node.index(), start, &end);
        self.parts.push(Part {
            piece,
            contents,
            passed: None,
        });
        Ok(Held {
            node,
            from: end,
            end: self.parts.len(),
        })
    }

    /// Tasks of length 0 occupy no resource.
    fn occupy(&mut self, index: usize, start: N, end: &N) {
        if start < *end {
            for &resource in &self.occupied[index] {
                let [starts, ends] = &mut self.busy[resource].1;
                starts.push(start.clone());
                ends.push(end.clone());
            }
        }
    }

    fn goals(&self) -> Result<(), Violation> {
        // Per piece, then per goal of its demand.
        let mut firsts = Vec::with_capacity(self.run.pieces.len());
        let mut met: Vec<bool> = Vec::new();
        for piece in &self.run.pieces {
            firsts.push(met.len());
            met.extend(
                self.wanted[piece.demand]
                    .goals
                    .iter()
                    .map(|(_, _, own)| own),
            );
        }
        let mut first = 0;
        for held in &self.held {
            for part in &self.parts[first..held.end] {
                let Wanted { demand, goals } =
                    &self.wanted[self.run.pieces[part.piece as usize].demand];
                let contents = &self.contents.all[part.contents as usize];
                let from = goals.partition_point(|(node, _, _)| *node < held.node);
                let here = goals[from..]
                    .iter()
                    .take_while(|(node, _, _)| *node == held.node);
                for (index, (_, wanted, _)) in (firsts[part.piece as usize] + from..).zip(here) {
                    met[index] |= contents.is(wanted, demand.commutative);
                }
            }
            first = held.end;
        }
        let Some(index) = met.iter().position(|met| !met) else {
            return Ok(());
        };
        let piece = firsts.partition_point(|first| *first <= index) - 1;
        let (node, _, _) = self.wanted[self.run.pieces[piece].demand].goals[index - firsts[piece]];
        let name = self.problem.platform().name(node);
        Err(fault(
            format!("'{name}' lacks piece {piece} in the end"),
            "it is wanted there",
        ))
    }
}
