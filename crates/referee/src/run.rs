//! One operation with dates, executed: who holds what when, and what is occupied meanwhile.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_plan::{Deed, Demand, NodeId, Problem, Resource, Run};
use oneport_platform::{Platform, Rational};

use crate::Violation;
use crate::arithmetic::{is_non_negative, is_positive};
use crate::violation::{Rule, count_name, shown};

/// A result: where it is, from when on, and of what. A message brings one for each of its pieces.
struct Held {
    node: NodeId,
    from: Rational,
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
/// `O(a log a + operands)` for `a` actions.
///
/// # Errors
/// The first rule that is broken; sizes or work that are not constant.
pub fn check_run(problem: Problem<'_>, run: &Run) -> Result<Rational, Violation> {
    let checked = Checked { problem, run, size: constant(problem, true)?, work: constant(problem, false)? };
    checked.pieces()?;
    let mut held = Vec::with_capacity(run.actions.len());
    let mut busy: BTreeMap<Resource, Vec<(Rational, Rational)>> = BTreeMap::new();
    let mut passed: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for (place, action) in run.actions.iter().enumerate() {
        let at = |violation: Violation| violation.at(format!("action {place}"));
        if !is_non_negative(&action.start) {
            return Err(at(fault(format!("starts at {}", shown(&action.start)), "dates are 0 or more")));
        }
        let result = match &action.deed {
            Deed::Send { link, carried } => {
                checked.send(place, &action.start, *link, carried, &held, &mut busy, &mut passed).map_err(at)?
            }
            Deed::Merge { node, piece, left, right } => {
                checked.merge(&action.start, *node, *piece, [*left, *right], &held, &mut busy).map_err(at)?
            }
        };
        held.push(result);
    }
    for (resource, times) in busy {
        occupied(problem.platform(), resource, times)?;
    }
    checked.goals(&held)?;
    Ok(held.into_iter().map(|held| held.from).max().unwrap_or_default())
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

/// At no time more at once than the resource serves.
fn occupied(platform: &Platform, resource: Resource, times: Vec<(Rational, Rational)>) -> Result<(), Violation> {
    let capacity = resource.capacity(platform);
    // At one date, ends come before starts; what takes no time is in nobody's way.
    let mut dates: Vec<(&Rational, bool)> = Vec::with_capacity(2 * times.len());
    for (start, end) in times.iter().filter(|(start, end)| start < end) {
        dates.extend([(start, true), (end, false)]);
    }
    dates.sort_unstable();
    let mut busy = 0_u32;
    for (date, starts) in dates {
        busy = if starts { busy + 1 } else { busy.saturating_sub(1) };
        if busy > capacity {
            let found = format!("{} is occupied {busy} times at {}", resource.describe(platform), shown(date));
            return Err(Violation::new(Rule::Run, found, format!("it serves {} at a time", count_name(capacity))));
        }
    }
    Ok(())
}

struct Checked<'a> {
    problem: Problem<'a>,
    run: &'a Run,
    size: Rational,
    work: Rational,
}

impl Checked<'_> {
    fn pieces(&self) -> Result<(), Violation> {
        let mut shares = vec![Rational::zero(); self.problem.collective().demands()];
        for (place, piece) in self.run.pieces.iter().enumerate() {
            let Some(sum) = shares.get_mut(piece.demand).filter(|_| is_positive(&piece.share)) else {
                let found = format!("piece {place} is {} of demand {}", shown(&piece.share), piece.demand);
                return Err(fault(found, "shares are positive, demands exist"));
            };
            *sum += &piece.share;
        }
        match shares.iter().position(|sum| !sum.is_one()) {
            Some(demand) => {
                Err(fault(format!("the pieces of demand {demand} add up to {}", shown(&shares[demand])), "1"))
            }
            None => Ok(()),
        }
    }

    fn demand(&self, piece: u32) -> Result<(Demand<'_>, &Rational), Violation> {
        let found = self.run.pieces.get(piece as usize);
        let demand = found.and_then(|piece| self.problem.collective().demand(piece.demand));
        let pieces = self.run.pieces.len();
        let unknown = || fault(format!("piece {piece}"), &format!("there are {pieces}, numbered from 0"));
        demand.zip(found.map(|piece| &piece.share)).ok_or_else(unknown)
    }

    /// The operands of a piece at a node, at a date.
    fn input(
        &self,
        node: NodeId,
        piece: u32,
        source: Option<u32>,
        date: &Rational,
        held: &[Held],
    ) -> Result<Vec<usize>, Violation> {
        let name = self.problem.platform().name(node);
        let Some(source) = source else {
            let (demand, _) = self.demand(piece)?;
            let own = demand.operands.iter().position(|owner| *owner == node);
            let none = || fault(format!("'{name}' owns no operand of piece {piece}"), "it has to receive it first");
            return own.map(|own| vec![own]).ok_or_else(none);
        };
        let absent = || fault(format!("'{name}' has no piece {piece} of action {source}"), "it has to be there");
        let result = held.get(source as usize).filter(|result| result.node == node).ok_or_else(absent)?;
        if result.from > *date {
            let found = format!("'{name}' uses at {} what it has from {} on", shown(date), shown(&result.from));
            return Err(fault(found, "it has to be there"));
        }
        let place = result.contents.binary_search_by_key(&piece, |(piece, _)| *piece).map_err(|_| absent())?;
        Ok(result.contents[place].1.clone())
    }

    #[expect(clippy::too_many_arguments, reason = "an action and the state that it changes")]
    fn send(
        &self,
        place: usize,
        start: &Rational,
        link: oneport_platform::LinkId,
        carried: &[(u32, Option<u32>)],
        held: &[Held],
        busy: &mut BTreeMap<Resource, Vec<(Rational, Rational)>>,
        passed: &mut BTreeMap<(usize, u32), usize>,
    ) -> Result<Held, Violation> {
        let platform = self.problem.platform();
        if link.index() >= platform.links().len() {
            return Err(fault(format!("link {}", link.index()), "that link exists"));
        }
        let (from, to) = (platform.link(link).from, platform.link(link).to);
        let mut contents = Vec::with_capacity(carried.len());
        let mut share = Rational::zero();
        for &(piece, source) in carried {
            share += self.demand(piece)?.1;
            contents.push((piece, self.input(from, piece, source, start, held)?));
            if let (Some(source), false) = (source, platform.node(from).replicates)
                && let Some(before) = passed.insert((source as usize, piece), place)
            {
                let found = format!("'{}' passes piece {piece} on in action {before}, too", platform.name(from));
                return Err(fault(found, "it does not replicate"));
            }
        }
        contents.sort_unstable();
        if contents.is_empty() || contents.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(fault("nothing, or a piece twice".to_string(), "a message carries pieces, each once"));
        }
        let link_of = platform.link(link);
        let end = start + link_of.overhead() + &link_of.cost * &self.size * share;
        for resource in Resource::of_link(platform, link) {
            busy.entry(resource).or_default().push((start.clone(), end.clone()));
        }
        Ok(Held { node: to, from: end + link_of.latency(), contents })
    }

    fn merge(
        &self,
        start: &Rational,
        node: NodeId,
        piece: u32,
        parts: [Option<u32>; 2],
        held: &[Held],
        busy: &mut BTreeMap<Resource, Vec<(Rational, Rational)>>,
    ) -> Result<Held, Violation> {
        let platform = self.problem.platform();
        let known = Some(node).filter(|node| node.index() < platform.nodes().len());
        let compute = known.and_then(|node| platform.node(node).compute.as_ref());
        let compute = compute.ok_or_else(|| fault(format!("node {} merges", node.index()), "processors merge"))?;
        let [left, right] = parts.map(|part| self.input(node, piece, part, start, held));
        let (mut operands, right) = (left?, right?);
        if operands.iter().any(|operand| right.contains(operand)) {
            return Err(fault(format!("piece {piece} has an operand twice"), "each operand is combined once"));
        }
        operands.extend(right);
        let end = start + compute * &self.work * self.demand(piece)?.1;
        busy.entry(Resource::Compute(node)).or_default().push((start.clone(), end.clone()));
        Ok(Held { node, from: end, contents: vec![(piece, operands)] })
    }

    fn goals(&self, held: &[Held]) -> Result<(), Violation> {
        let mut found: BTreeMap<(NodeId, u32), Vec<&[usize]>> = BTreeMap::new();
        for result in held {
            for (piece, operands) in &result.contents {
                found.entry((result.node, *piece)).or_default().push(operands);
            }
        }
        for piece in (0..self.run.pieces.len()).filter_map(|piece| u32::try_from(piece).ok()) {
            let (demand, _) = self.demand(piece)?;
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
