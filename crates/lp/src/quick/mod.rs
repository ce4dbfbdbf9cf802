//! Many participants: chains around a ring or along a line, before any program.
//!
//! Rounds of column generation take long for hundreds of participants. Chains often attain a bound of cuts, partitions
//! or one port that is proved in a moment. Then they are the answer. If they do not, the program starts from them, and
//! a limit that ends the work early leaves at least chains.
//!
//! The [`ring`] visits the participants in their own order, or always goes on to the nearest one left. A message goes
//! around it from its owner. Operands that commute are combined in sequence on the way around to their target. A result
//! that all need is combined and then spread, equally often from every participant.
//!
//! Operands that keep their order are combined along the [`line`] of their owners, from both ends towards the target.

pub(crate) mod bounds;
pub(crate) mod chains;
mod line;
mod ring;
pub(crate) mod simple;
mod ways;

use crate::known::Known;
use oneport_plan::{Block, Kind, Routing};
use oneport_platform::{NodeId, Rational};

use crate::mixture::mixed;
use crate::odd_sets::PortSets;
use crate::resources::Resources;
use crate::{LpError, Question, room};
use line::Line;
use ring::Ring;
use ways::{Shares, Ways};

/// Fewest participants for which chains are built. Trades quality for time: below, the program is fast and at least as
/// good. Not measured.
const MANY: usize = 64;
/// Percent of the time left for the bounds. Trades a tighter bound for time of the program. Not measured.
const BOUND: u32 = 40;

/// Offers the better of the two rings, or the line if operands keep their order, and the best of the quick bounds.
/// Nothing for few participants, and for collectives that chains cannot execute.
///
/// `O(n (l + t))` for `n` participants, runs of Dijkstra's algorithm over `l` links, and chains of `t` tasks.
///
/// # Errors
/// Errors of the bounds. [`LpError::Stopped`] if the question's watch ends the work, or leaves no room for chains.
/// [`LpError::TooManyTasks`].
pub(crate) fn offer(question: &Question, known: &mut Known) -> Result<(), LpError> {
    let Some(block) = question.block() else {
        return Ok(());
    };
    let Some(participants) = participants(question, &block) else {
        return Ok(());
    };
    let in_order = in_order(&block);
    let mut search = ChainSearch::new(question, block, known);
    if in_order {
        search.line()?;
    } else {
        let order = search.ways.nearest(&participants)?;
        search.ring(order)?;
    }
    search.bound()?;
    if !in_order
        && search.known.bound().is_some()
        && !search.known.is_optimal()
        && question.watch().ask().is_ok()
    {
        search.ring(participants)?;
    }
    Ok(())
}

/// Adds to the best chains so far.
struct ChainSearch<'q, 'k> {
    question: &'q Question,
    block: Block<'q>,
    resources: Resources,
    ports: Option<PortSets>,
    ways: Ways<'q>,
    known: &'k mut Known,
    /// The best known upper bound on the throughput of chains.
    sought: Option<Rational>,
}

impl<'q, 'k> ChainSearch<'q, 'k> {
    fn new(question: &'q Question, block: Block<'q>, known: &'k mut Known) -> Self {
        let resources = Resources::new(question.platform(), question.collective().combines());
        let ports = PortSets::new(question.platform());
        ChainSearch {
            question,
            block,
            resources,
            ports,
            ways: Ways::new(question),
            known,
            sought: None,
        }
    }

    fn line(&mut self) -> Result<(), LpError> {
        let line = Line::new(&mut self.ways, self.block.operands())?;
        self.question.has_room(line.tasks(&self.block))?;
        self.offer(line.patterns(&self.block, self.question.watch())?)
    }

    /// The ring of an order. A combined result that all receive is completed at every other participant, or at every
    /// one if that is better, or at as many as there is room for.
    fn ring(&mut self, order: Vec<NodeId>) -> Result<(), LpError> {
        let ring = Ring::new(&mut self.ways, order)?;
        self.question.has_room(ring.tasks(&self.block))?;
        if self.block.kind != Kind::CombineCopy {
            return self.offer(ring.patterns(&self.block, &[], self.question.watch())?);
        }
        let rate = ring.rate(self.question, &self.resources, &self.block);
        self.sought = self.sought.take().max(rate.clone());
        let (room, _) = room::tasks(self.question.watch());
        let some = ring.roots(&self.block, room, false);
        self.offer(ring.patterns(&self.block, &some, self.question.watch())?)?;
        let all = ring.roots(&self.block, room, true);
        let slow = self
            .known
            .throughput()
            .zip(rate)
            .is_some_and(|(best, rate)| *best < rate);
        if slow && all.len() > some.len() && self.question.watch().ask().is_ok() {
            self.offer(ring.patterns(&self.block, &all, self.question.watch())?)?;
        }
        Ok(())
    }

    fn offer(&mut self, patterns: Shares) -> Result<(), LpError> {
        if let Some(patterns) = patterns {
            self.known.offer_state(mixed(
                self.question,
                &self.resources,
                self.ports.as_ref(),
                patterns,
            )?);
        }
        Ok(())
    }

    /// The least of the quick bounds. Their search ends at the throughput of the chains.
    fn bound(&mut self) -> Result<(), LpError> {
        let watch = self.question.watch();
        let bounded = self.question.clone().watched(watch.turn(BOUND));
        let found = bounds::bounds(&bounded, self.sought.as_ref().max(self.known.throughput()))?;
        if found.is_empty() && bounded.watch().ask().is_err() {
            self.known.offer_bound(simple::bound(self.question)?);
        }
        for bound in found {
            self.known.offer_bound(bound);
        }
        Ok(())
    }
}

/// The two rings of the chains in compact form, for any number of participants: one in the participants' order, and one
/// that always goes on to the nearest. The second is made on demand. Empty for collectives that rings cannot execute.
pub fn rings<'q>(question: &'q Question) -> impl Iterator<Item = Result<Routing, LpError>> + 'q {
    let block = question.block().filter(|block| !in_order(block));
    let participants = block
        .and_then(|block| able(question, &block))
        .filter(|all| all.len() > 1);
    let orders = participants
        .into_iter()
        .flat_map(|all| [false, true].map(|nearer| (nearer, all.clone())));
    let ring = move |(nearer, all): (bool, Vec<NodeId>)| {
        let mut ways = Ways::new(question);
        let order = if nearer { ways.nearest(&all)? } else { all };
        Ok(Ring::new(&mut ways, order)?.around().map(Routing::Ring))
    };
    orders.map(ring).filter_map(Result::transpose)
}

/// Whether operands are combined in their own order.
fn in_order(block: &Block<'_>) -> bool {
    block.kind.combines() && !block.is_commutative()
}

/// The owners and receivers, if there are enough of them for chains and all can take part in one.
fn participants(question: &Question, block: &Block<'_>) -> Option<Vec<NodeId>> {
    able(question, block).filter(|all| all.len() >= MANY)
}

/// The owners and receivers, if all of them replicate and, for a combining collective, can merge.
fn able(question: &Question, block: &Block<'_>) -> Option<Vec<NodeId>> {
    let combines = block.kind.combines();
    let serves = match block.kind {
        Kind::Copy | Kind::Combine | Kind::CombineCopy => true,
        Kind::Route | Kind::Prefix => false,
    };
    let mut seen = question.platform().per_node(false);
    let mut all = Vec::new();
    for demand in block.demands().filter(|_| serves) {
        let owners = demand.operands.iter().copied();
        let goals = demand.goals().into_iter().map(|(node, _)| node);
        all.extend(
            owners
                .chain(goals)
                .filter(|node| !std::mem::replace(&mut seen[*node], true)),
        );
    }
    let able = |&node: &NodeId| {
        let node = question.platform().node(node);
        node.replicates && (!combines || node.merges())
    };
    (!all.is_empty() && all.iter().all(able)).then_some(all)
}

#[cfg(test)]
mod tests {
    use crate::known::Bound;
    use num_traits::{One, Zero};
    use oneport_numbers::ratio;
    use oneport_plan::{Collective, Problem, SteadyState, Volumes};
    use oneport_platform::generate::{Costs, Options, Racks, complete, grid, racks, ring};
    use oneport_platform::{Platform, PortModel};
    use oneport_referee as referee;
    use oneport_watch::Watch;

    use super::*;

    fn answer(problem: &Problem) -> Option<(SteadyState, Bound)> {
        let mut known = Known::default();
        offer(&Question::new(problem), &mut known).unwrap();
        known.finished().map(|(state, _, bound, _)| (state, bound))
    }

    fn collectives(platform: &Platform) -> Vec<Collective> {
        collectives_of(platform, 9)
    }

    /// The collectives of the tests. One of them ends at the node of this index.
    fn collectives_of(platform: &Platform, index: usize) -> Vec<Collective> {
        let all: Vec<NodeId> = platform.processors().collect();
        let (first, others, participants) = (all[0], all[1..].to_vec(), || all.clone());
        vec![
            Collective::all_gather(participants()),
            Collective::reduce_scatter(participants()),
            Collective::all_reduce(participants()),
            Collective::broadcast(first, others.clone()),
            Collective::reduce(first, participants()),
            Collective::reduce(first, others),
            Collective::reduce_scatter(participants()).in_order(),
            Collective::all_reduce(participants()).in_order(),
            Collective::reduce(all[index], participants()).in_order(),
        ]
    }

    /// The referee executes every ring and line, and recomputes every bound.
    #[test]
    fn chains_hold_and_bounds_are_proved() {
        let costs = Options::default();
        let shape = Racks {
            racks: 6,
            hosts: (11, 11),
            ..Racks::default()
        };
        let mut optimal = 0;
        for platform in [
            ring(64, &costs).unwrap(),
            grid(8, 8, &costs).unwrap(),
            racks(&shape, &costs).unwrap(),
        ] {
            for model in PortModel::ALL {
                let platform = platform.clone().with_model(model);
                for collective in collectives(&platform) {
                    let volumes = Volumes::default();
                    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
                    let (state, found) = answer(&problem).unwrap();
                    referee::check_steady_state(&problem, &state, &Watch::unlimited())
                        .unwrap_or_else(|violation| {
                            panic!("{model:?} {collective:?}: {violation}")
                        });
                    let bound =
                        referee::bound(&problem, &found.certificate, &Watch::unlimited()).unwrap();
                    // The referee prices trees that keep the order exactly, which may prove more than cuts.
                    let (claimed, ordered) = (&found.throughput, in_order(&collective.blocks()[0]));
                    assert!(
                        bound == *claimed || ordered && bound < *claimed,
                        "{model:?} {}",
                        collective.name()
                    );
                    assert!(state.throughput <= bound, "{model:?} {}", collective.name());
                    optimal += usize::from(state.throughput == found.throughput);
                }
            }
        }
        assert!(optimal >= 6, "{optimal}");
    }

    /// A compact ring sustains the throughput of its patterns.
    #[test]
    fn rings_in_short_are_rings() {
        let (costs, one) = (Options::default(), Rational::one());
        let shape = Racks {
            racks: 3,
            hosts: (2, 4),
            ..Racks::default()
        };
        let mut compared = 0;
        for platform in [
            ring(5, &costs).unwrap(),
            grid(3, 4, &costs).unwrap(),
            racks(&shape, &costs).unwrap(),
        ] {
            for model in PortModel::ALL {
                let platform = platform.clone().with_model(model);
                let all: Vec<NodeId> = platform.processors().collect();
                let some = all.iter().copied().step_by(2).collect();
                let few = Collective::broadcast(all[1], some);
                for collective in collectives_of(&platform, 3).into_iter().chain([few]) {
                    for work in [Rational::zero(), one.clone()] {
                        let volumes = Volumes {
                            work: oneport_plan::Amount::Constant(work),
                            ..Volumes::default()
                        };
                        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
                        let question = Question::new(&problem);
                        let block = question.block().unwrap();
                        let Some(participants) =
                            able(&question, &block).filter(|_| !in_order(&block))
                        else {
                            continue;
                        };
                        let resources = Resources::new(&platform, collective.combines());
                        let ports = PortSets::new(&platform);
                        let mut ways = Ways::new(&question);
                        let orders = [participants.clone(), ways.nearest(&participants).unwrap()];
                        for (order, short) in orders.into_iter().zip(rings(&question)) {
                            let ring = Ring::new(&mut ways, order).unwrap();
                            let joined = block.kind == Kind::CombineCopy;
                            let all = if joined {
                                ring.roots(&block, u64::MAX, true)
                            } else {
                                Vec::new()
                            };
                            let patterns = ring
                                .patterns(&block, &all, question.watch())
                                .unwrap()
                                .unwrap();
                            let long =
                                mixed(&question, &resources, ports.as_ref(), patterns).unwrap();
                            let watch = oneport_watch::Watch::unlimited();
                            let short =
                                referee::sustained(&problem, &short.unwrap(), &watch).unwrap();
                            assert_eq!(short, long.throughput, "{model:?} {collective:?}");
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 200, "{compared}");
    }

    /// If every node has one port and reaches all others, order costs little: nodes that receive from both sides
    /// receive two messages more than necessary.
    #[test]
    fn a_line_comes_close_on_equal_ports() {
        let [link_cost, compute] = [3, 1].map(|cost| Costs::Uniform {
            low: cost,
            high: cost,
        });
        let platform = complete(
            64,
            &Options {
                link_cost,
                compute,
                ..Options::default()
            },
        )
        .unwrap();
        let participants: Vec<NodeId> = platform.processors().collect();
        let collective = Collective::reduce_scatter(participants).in_order();
        let volumes = Volumes::of_size(Rational::one());
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let (state, bound) = answer(&problem).unwrap();
        assert_eq!(state.throughput, ratio(1, 3 * 65));
        assert_eq!(bound.throughput, ratio(1, 3 * 63));
    }

    /// The program solves questions with few participants, prefixes, and targets outside the line.
    #[test]
    fn others_have_no_chains() {
        let platform = ring(65, &Options::default()).unwrap();
        let participants: Vec<NodeId> = platform.processors().collect();
        let few = Collective::all_gather(participants[2..].to_vec());
        let (target, others) = (participants[0], participants[1..].to_vec());
        let beside = Collective::reduce(target, others).in_order();
        for collective in [few, beside, Collective::scan(participants)] {
            let volumes = Volumes::default();
            let problem = Problem::new(&platform, &collective, &volumes).unwrap();
            assert!(answer(&problem).is_none(), "{}", collective.name());
        }
    }
}
