//! One operation with dates, executed: who holds what when, and what is occupied meanwhile.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_plan::{Deed, Demand, LinkId, NodeId, Problem, Resource, Run};
use oneport_platform::Rational;

use crate::Violation;
use crate::arithmetic::is_positive;
use crate::clock::{Clock, Date};
use crate::violation::{Rule, count_name, shown};

/// A result: where it is, from when on, and of what. A message brings one for each of its pieces.
struct Held<N> {
    node: NodeId,
    from: N,
    /// By piece, ascending: the operands in the order in which they were combined.
    contents: Vec<(u32, Vec<usize>)>,
}

/// Executes a run by its dates alone, and says when it ends: when the last message has arrived and the last merge is
/// over.
///
/// - Pieces have positive shares, which add up to 1 for every demand.
/// - A message leaves a node at which everything in it is; it occupies what the link occupies for the link's overhead
///   and the size of its pieces times cost, and arrives a latency later. A merge takes its share of work times compute,
///   at a processor that has both parts, and combines operands that are disjoint.
/// - At no time is a port, a link or a processor occupied more often than it serves at once (ends may touch).
/// - In the end every goal is there for every piece: all operands wanted, each once, in order unless the operator is
///   commutative.
/// - Where a node does not replicate, what arrived there is passed on once at most.
///
/// Dates and lengths are integers in one unit. `O(a log a + operands)` for `a` actions.
///
/// # Errors
/// The first rule that is broken; sizes or work that are not constant; numbers without a common unit that fits in
/// memory.
pub fn check_run(problem: Problem<'_>, run: &Run) -> Result<Rational, Violation> {
    let (size, work) = (constant(problem, true)?, constant(problem, false)?);
    pieces(problem, run)?;
    if !is_positive(&run.unit) {
        return Err(fault(format!("dates count {}", shown(&run.unit)), "the unit of dates is positive"));
    }
    let clock = Clock::of(problem, run, &size, &work)?;
    match clock.narrow() {
        Some(clock) => Execution::new(problem, run, &clock).whole(),
        None => Execution::new(problem, run, &clock).whole(),
    }
}

fn fault(found: String, right: &str) -> Violation {
    Violation::new(Rule::Run, found, right.to_string())
}

fn constant(problem: Problem<'_>, size: bool) -> Result<Rational, Violation> {
    let volumes = problem.volumes();
    let amount = if size { &volumes.size } else { &volumes.work };
    let other = || fault("sizes or work depend on what is combined".to_string(), "runs are cut into equal shares");
    amount.constant().cloned().ok_or_else(other)
}

fn pieces(problem: Problem<'_>, run: &Run) -> Result<(), Violation> {
    let mut shares = vec![Rational::zero(); problem.collective().demands()];
    for (place, piece) in run.pieces.iter().enumerate() {
        let Some(sum) = shares.get_mut(piece.demand).filter(|_| is_positive(&piece.share)) else {
            let found = format!("piece {place} is {} of demand {}", shown(&piece.share), piece.demand);
            return Err(fault(found, "shares are positive, demands exist"));
        };
        *sum += &piece.share;
    }
    match shares.iter().position(|sum| !sum.is_one()) {
        Some(demand) => Err(fault(format!("the pieces of demand {demand} add up to {}", shown(&shares[demand])), "1")),
        None => Ok(()),
    }
}

/// A run as it is executed.
struct Execution<'a, N> {
    problem: Problem<'a>,
    run: &'a Run,
    clock: &'a Clock<N>,
    /// By action.
    held: Vec<Held<N>>,
    /// From when to when.
    busy: BTreeMap<Resource, Vec<(N, N)>>,
    /// Which action passes on a piece of an action's result, where nodes do not replicate.
    passed: BTreeMap<(u32, u32), usize>,
}

impl<'a, N: Date> Execution<'a, N> {
    fn new(problem: Problem<'a>, run: &'a Run, clock: &'a Clock<N>) -> Self {
        let held = Vec::with_capacity(run.actions.len());
        Execution { problem, run, clock, held, busy: BTreeMap::new(), passed: BTreeMap::new() }
    }

    fn whole(mut self) -> Result<Rational, Violation> {
        for (place, action) in self.run.actions.iter().enumerate() {
            let start = &self.clock.starts[place];
            let result = match &action.deed {
                Deed::Send { link, carried } => self.send(place, start, *link, carried),
                Deed::Merge { node, piece, left, right } => self.merge(start, *node, *piece, [*left, *right]),
            };
            self.held.push(result.map_err(|violation| violation.at(format!("action {place}")))?);
        }
        for (resource, times) in &self.busy {
            self.occupied(*resource, times)?;
        }
        self.goals()?;
        let last = self.held.into_iter().map(|held| held.from).max();
        Ok(self.clock.time(&last.unwrap_or_else(N::zero)))
    }

    fn date(&self, date: &N) -> String {
        shown(self.clock.time(date))
    }

    /// At no time more at once than the resource serves.
    fn occupied(&self, resource: Resource, times: &[(N, N)]) -> Result<(), Violation> {
        let platform = self.problem.platform();
        let capacity = resource.capacity(platform);
        // At one date, ends come before starts; what takes no time is in nobody's way.
        let mut dates: Vec<(&N, bool)> = Vec::with_capacity(2 * times.len());
        for (start, end) in times.iter().filter(|(start, end)| start < end) {
            dates.extend([(start, true), (end, false)]);
        }
        dates.sort_unstable();
        let mut busy = 0_u32;
        for (date, starts) in dates {
            busy = if starts { busy + 1 } else { busy.saturating_sub(1) };
            if busy > capacity {
                let found = format!("{} is occupied {busy} times at {}", resource.describe(platform), self.date(date));
                return Err(Violation::new(Rule::Run, found, format!("it serves {} at a time", count_name(capacity))));
            }
        }
        Ok(())
    }

    fn demand(&self, piece: u32) -> Result<Demand<'a>, Violation> {
        let found = self.run.pieces.get(piece as usize);
        let demand = found.and_then(|piece| self.problem.collective().demand(piece.demand));
        let pieces = self.run.pieces.len();
        demand.ok_or_else(|| fault(format!("piece {piece}"), &format!("there are {pieces}, numbered from 0")))
    }

    /// The operands of a piece at a node, at a date.
    fn input(&self, node: NodeId, piece: u32, source: Option<u32>, date: &N) -> Result<Vec<usize>, Violation> {
        let name = self.problem.platform().name(node);
        let Some(source) = source else {
            let own = self.demand(piece)?.operands.iter().position(|owner| *owner == node);
            let none = || fault(format!("'{name}' owns no operand of piece {piece}"), "it has to receive it first");
            return own.map(|own| vec![own]).ok_or_else(none);
        };
        let absent = || fault(format!("'{name}' has no piece {piece} of action {source}"), "it has to be there");
        let result = self.held.get(source as usize).filter(|result| result.node == node).ok_or_else(absent)?;
        if result.from > *date {
            let (used, there) = (self.date(date), self.date(&result.from));
            return Err(fault(format!("'{name}' uses at {used} what it has from {there} on"), "it has to be there"));
        }
        let place = result.contents.binary_search_by_key(&piece, |(piece, _)| *piece).map_err(|_| absent())?;
        Ok(result.contents[place].1.clone())
    }

    fn send(
        &mut self,
        place: usize,
        start: &N,
        link: LinkId,
        carried: &[(u32, Option<u32>)],
    ) -> Result<Held<N>, Violation> {
        let platform = self.problem.platform();
        if link.index() >= platform.links().len() {
            return Err(fault(format!("link {}", link.index()), "that link exists"));
        }
        let (from, to) = (platform.link(link).from, platform.link(link).to);
        let mut contents = Vec::with_capacity(carried.len());
        for &(piece, source) in carried {
            contents.push((piece, self.input(from, piece, source, start)?));
            if let (Some(source), false) = (source, platform.node(from).replicates)
                && let Some(before) = self.passed.insert((source, piece), place)
            {
                let found = format!("'{}' passes piece {piece} on in action {before}, too", platform.name(from));
                return Err(fault(found, "it does not replicate"));
            }
        }
        contents.sort_unstable();
        if contents.is_empty() || contents.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(fault("nothing, or a piece twice".to_string(), "a message carries pieces, each once"));
        }
        let shares = contents.iter().map(|&(piece, _)| self.clock.shares[piece as usize].clone());
        let shares = shares.fold(N::zero(), |sum, share| sum + share);
        let [latency, overhead, time] = &self.clock.links[link.index()];
        let end = start.clone() + overhead.clone() + time.clone() * shares;
        for resource in Resource::of_link(platform, link) {
            self.busy.entry(resource).or_default().push((start.clone(), end.clone()));
        }
        Ok(Held { node: to, from: end + latency.clone(), contents })
    }

    fn merge(&mut self, start: &N, node: NodeId, piece: u32, parts: [Option<u32>; 2]) -> Result<Held<N>, Violation> {
        let platform = self.problem.platform();
        if platform.nodes().get(node.index()).is_none_or(|node| node.compute.is_none()) {
            return Err(fault(format!("node {} merges", node.index()), "processors merge"));
        }
        let [left, right] = parts.map(|part| self.input(node, piece, part, start));
        let (mut operands, right) = (left?, right?);
        if operands.iter().any(|operand| right.contains(operand)) {
            return Err(fault(format!("piece {piece} has an operand twice"), "each operand is combined once"));
        }
        operands.extend(right);
        let takes = self.clock.nodes[node.index()].clone() * self.clock.shares[piece as usize].clone();
        let end = start.clone() + takes;
        self.busy.entry(Resource::Compute(node)).or_default().push((start.clone(), end.clone()));
        Ok(Held { node, from: end, contents: vec![(piece, operands)] })
    }

    fn goals(&self) -> Result<(), Violation> {
        let mut found: BTreeMap<(NodeId, u32), Vec<&[usize]>> = BTreeMap::new();
        for result in &self.held {
            for (piece, operands) in &result.contents {
                found.entry((result.node, *piece)).or_default().push(operands);
            }
        }
        for piece in (0..self.run.pieces.len()).filter_map(|piece| u32::try_from(piece).ok()) {
            let demand = self.demand(piece)?;
            for (node, part) in demand.goals() {
                let in_order: Vec<usize> = (part.first..=part.last).collect();
                let right = |operands: &&[usize]| {
                    let mut sorted = operands.to_vec();
                    if demand.commutative {
                        sorted.sort_unstable();
                    }
                    sorted == in_order
                };
                let own = part.operands() == 1 && demand.operands.get(part.first) == Some(&node);
                if !own && !found.get(&(node, piece)).is_some_and(|all| all.iter().any(right)) {
                    let name = self.problem.platform().name(node);
                    return Err(fault(format!("'{name}' lacks piece {piece} in the end"), "it is wanted there"));
                }
            }
        }
        Ok(())
    }
}
