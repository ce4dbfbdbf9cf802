//! An answer when time or memory is over before any program has one: a single pattern for every demand.
//!
//! Values are sent along shortest paths to one node, which combines them in sequence. Messages and results are copied
//! along a tree of shortest paths. Each prefix of a scan is sent on to the next participant. The bound uses the same
//! price for everything: a demand costs at least the longest path of its values. One run of Dijkstra's algorithm per
//! node that has an operand or combines, for any question. If this takes longer than a moment, the watch is checked.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::known::{Bound, Known};
use num_bigint::BigUint;
use num_traits::{One, Signed, Zero};
use oneport_plan::{Amount, Demand, Goals, Interval, Pattern, SteadyState, Task};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};

use crate::costs::{self, LinkCosts, amount};
use crate::mixture::mixed;
use crate::odd_sets::PortSets;
use crate::oracles::copy::{Hop, Network};
use crate::oracles::prefix::chain::append;
use crate::oracles::route::ShortestPaths;
use crate::resources::Resources;
use crate::{LpError, Question};

const NOWHERE: LpError =
    LpError::Contradiction("no node can combine the values and spread the result");

/// Offers the simple answer to a question whose values can all reach their targets.
///
/// # Errors
/// The limit that ended the work, if no node can combine the values, or prices prove nothing.
pub(crate) fn offer(question: &Question, known: &mut Known) -> Result<(), LpError> {
    let equal = Equal::new(question);
    known.offer_bound(equal.bound()?);
    known.offer_state(equal.state()?);
    Ok(())
}

/// One pattern for every demand.
///
/// # Errors
/// Those of `offer`.
pub fn state(question: &Question) -> Result<SteadyState, LpError> {
    Equal::new(question).state()
}

/// The bound that equal prices prove. If the watch ends the search, only some operands count.
///
/// # Errors
/// Those of [`offer`].
pub(crate) fn bound(question: &Question) -> Result<Bound, LpError> {
    Equal::new(question).bound()
}

/// Equal prices for everything.
struct Equal<'q> {
    question: &'q Question,
    resources: Resources,
    level: Vec<Rational>,
    ways: Ways<'q>,
}

impl<'q> Equal<'q> {
    fn new(question: &'q Question) -> Self {
        let platform = question.platform();
        let resources = Resources::new(platform, question.collective().combines());
        let level = vec![Rational::one(); resources.count()];
        let costs =
            costs::exact_of_size(question, &least_size(question), &resources.prices(&level));
        let ways = Ways {
            question,
            costs,
            network: Network::new(platform),
            known: RefCell::default(),
            searched: Cell::default(),
        };
        Equal {
            question,
            resources,
            level,
            ways,
        }
    }

    fn state(&self) -> Result<SteadyState, LpError> {
        let rate = |index| whole(self.question.collective().rate(index));
        let pattern = |(index, demand): (usize, Demand<'_>)| {
            Ok((self.ways.pattern(&demand)?.with_demand(index), rate(index)))
        };
        let patterns = self
            .question
            .problem()
            .demands()
            .enumerate()
            .map(pattern)
            .collect::<Result<_, LpError>>()?;
        let ports = PortSets::new(self.question.platform());
        mixed(self.question, &self.resources, ports.as_ref(), patterns)
    }

    fn bound(&self) -> Result<Bound, LpError> {
        let mut instance = Rational::zero();
        for (index, demand) in self.question.problem().demands().enumerate() {
            let rate = whole(self.question.collective().rate(index));
            instance += self.ways.longest(&demand)? * rate;
        }
        if !instance.is_positive() {
            self.question.watch().ask()?;
            return Err(LpError::Contradiction("equal prices prove nothing"));
        }
        let throughput = self.resources.worth(&self.level) / instance;
        Ok(Bound {
            throughput,
            certificate: self.resources.certificate(&self.level),
        })
    }
}

/// The least size of a message.
fn least_size(question: &Question) -> Rational {
    let operands = question.collective().most_operands();
    let size = &question.volumes().size;
    let size_of = |first: usize, last: usize| size.of(Interval { first, last });
    let last = operands.saturating_sub(1);
    match size {
        // Monotone in the number of operands.
        Amount::Constant(_) | Amount::Affine { .. } => [size_of(0, 0), size_of(0, last)]
            .into_iter()
            .flatten()
            .min(),
        // Sizes are not by task.
        Amount::Tasks(_) => None,
        Amount::Table(_) => (0..operands)
            .flat_map(|first| (first..operands).filter_map(move |last| size_of(first, last)))
            .min(),
    }
    .unwrap_or_default()
}

/// Distances kept at a time. They are also computed if limits are short. Trades memory for repeated searches. Not
/// measured.
const DISTANCES: usize = 1 << 20;
/// Fact: bytes of a distance and its path.
const BYTES: u64 = 64;

/// Shortest paths under equal prices.
struct Ways<'q> {
    question: &'q Question,
    costs: LinkCosts<BigUint>,
    network: Network,
    /// Per source, while there is room: operands of many demands start from the same nodes.
    known: RefCell<BTreeMap<NodeId, Rc<ShortestPaths<BigUint>>>>,
    /// How many searches there were.
    searched: Cell<usize>,
}

impl Ways<'_> {
    fn platform(&self) -> &Platform {
        self.question.platform()
    }

    fn from(&self, node: NodeId) -> Rc<ShortestPaths<BigUint>> {
        let mut known = self.known.borrow_mut();
        if known.len() * self.platform().nodes().len() > DISTANCES {
            known.clear();
        }
        let paths = || {
            self.searched.set(self.searched.get() + 1);
            Rc::new(ShortestPaths::new(
                self.platform(),
                &self.costs.links,
                node,
                |_| true,
            ))
        };
        known.entry(node).or_insert_with(paths).clone()
    }

    fn links(&self, paths: &ShortestPaths<BigUint>, to: NodeId) -> Result<Vec<LinkId>, LpError> {
        Ok(paths
            .to(to)
            .ok_or(LpError::Contradiction("a target is not reachable"))?
            .1)
    }

    /// The longest of the shortest paths that values of the demand have to take.
    fn longest(&self, demand: &Demand<'_>) -> Result<Rational, LpError> {
        let mut longest = BigUint::zero();
        let mut goals = None;
        for (operand, &owner) in demand.operands.iter().enumerate() {
            // The known paths are long enough for a bound.
            if self.searched.get() * self.platform().nodes().len() > DISTANCES
                && self.question.watch().ask().is_err()
            {
                break;
            }
            let paths = self.from(owner);
            let wanted = goals
                .get_or_insert_with(|| demand.goals())
                .iter()
                .filter(|(_, part)| part.first <= operand && operand <= part.last);
            for (node, _) in wanted {
                longest = longest.max(paths.cost(*node).cloned().unwrap_or_default());
            }
        }
        Ok(amount(&self.costs.unit, &longest))
    }

    fn pattern(&self, demand: &Demand<'_>) -> Result<Pattern, LpError> {
        let (&first, single) = (
            demand.operands.first().ok_or(NOWHERE)?,
            demand.operands.len() == 1,
        );
        match demand.goals {
            Goals::At(target) if single => {
                Ok(Pattern::path(0, self.links(&self.from(first), target)?))
            }
            Goals::Everywhere(targets) if single => {
                Ok(Pattern::arborescence(0, self.spread(first, targets)?))
            }
            Goals::At(target) => self.reduction(demand, target),
            Goals::Everywhere(targets) => self.composition(demand, targets),
            Goals::Prefixes => self.chain(demand.operands),
        }
    }

    fn spread(&self, root: NodeId, targets: &[NodeId]) -> Result<Vec<Hop>, LpError> {
        let spread = self.network.spread(root, targets);
        self.network
            .shortest(self.platform(), &self.costs.links, &spread)
            .ok_or(LpError::Contradiction("a target is not reachable"))
    }

    /// A node that can combine all operands and for which `serves` holds, with the paths to it. The preferred nodes
    /// come first.
    fn root(
        &self,
        demand: &Demand<'_>,
        preferred: &[NodeId],
        serves: impl Fn(NodeId) -> bool,
    ) -> Result<(NodeId, Vec<Vec<LinkId>>), LpError> {
        let platform = self.platform();
        let distances = demand.operands.len() * platform.nodes().len();
        let large = distances > DISTANCES;
        if large {
            self.question.watch().room_for(distances as u64 * BYTES)?;
        }
        let paths_from = |&owner: &NodeId| {
            if large {
                self.question.watch().ask()?;
            }
            Ok(self.from(owner))
        };
        let paths = demand
            .operands
            .iter()
            .map(paths_from)
            .collect::<Result<Vec<_>, LpError>>()?;
        let gathers = |node: &NodeId| paths.iter().all(|paths| paths.cost(*node).is_some());
        let mut roots = preferred
            .iter()
            .chain(demand.operands.iter())
            .copied()
            .chain(platform.mergers());
        let root =
            roots.find(|node| platform.node(*node).merges() && gathers(node) && serves(*node));
        let root = root.ok_or(NOWHERE)?;
        let links = paths
            .iter()
            .map(|paths| self.links(paths, root))
            .collect::<Result<_, _>>()?;
        Ok((root, links))
    }

    fn reduction(&self, demand: &Demand<'_>, target: NodeId) -> Result<Pattern, LpError> {
        let part = |last| Interval { first: 0, last };
        let merges = |node: NodeId| {
            let volumes = self.question.volumes();
            (1..demand.operands.len()).all(|last| volumes.can_merge(node, part(last), last - 1))
        };
        let serves = |node: NodeId| self.from(node).cost(target).is_some() && merges(node);
        let (root, ways) = self.root(demand, &[target], serves)?;
        let mut tasks = Vec::new();
        for (operand, links) in ways.into_iter().enumerate() {
            let part = Interval {
                first: operand,
                last: operand,
            };
            tasks.extend(links.into_iter().map(|link| Task::send(link, part)));
            if operand > 0 {
                let part = Interval {
                    first: 0,
                    last: operand,
                };
                tasks.push(Task::merge(root, part, operand - 1));
            }
        }
        let result = self.links(&self.from(root), target)?;
        tasks.extend(
            result
                .into_iter()
                .map(|link| Task::send(link, demand.whole())),
        );
        Ok(Pattern::tree(0, None, tasks))
    }

    fn composition(&self, demand: &Demand<'_>, targets: &[NodeId]) -> Result<Pattern, LpError> {
        let replicates = |node: NodeId| self.platform().node(node).replicates;
        let (root, ways) = self.root(demand, &[], |node| {
            replicates(node) && self.spread(node, targets).is_ok()
        })?;
        let mut pattern = Pattern::new(0);
        let mut result = None;
        for (operand, links) in ways.into_iter().enumerate() {
            let own = Interval {
                first: operand,
                last: operand,
            };
            let brought = pattern.route(links, own, None);
            result = if operand == 0 {
                brought
            } else {
                let part = Interval {
                    first: 0,
                    last: operand,
                };
                pattern.merge(root, part, operand - 1, [result, brought])
            };
        }
        pattern.copy(demand.whole(), result, self.spread(root, targets)?);
        Ok(pattern)
    }

    /// Every participant merges its value into the prefix of the one before it.
    fn chain(&self, participants: &[NodeId]) -> Result<Pattern, LpError> {
        let mut pattern = Pattern::new(0);
        for (step, pair) in participants.windows(2).enumerate() {
            append(
                &mut pattern,
                participants,
                step,
                self.links(&self.from(pair[0]), pair[1])?,
            );
        }
        Ok(pattern)
    }
}
