//! What no all-reduce exceeds, however its values travel: the strategy, the cheap bounds first.
//!
//! 1. Where only links count: the partition over whose borders the least can enter, found exactly ([`partition`]). On clusters
//!    that is the answer.
//! 2. Cutting planes ([`cutting_planes`]): how often links have to be used, at most how much that leaves time for. Every port model.
//! 3. The same with shares of the exchange theorem ([`exchange`]) beside: single participants, and the partitions found.
//!
//! On symmetric platforms the exchange theorem for single participants alone ([`singletons`]) comes before the second step: it works on the
//! quotient.

mod cutting_planes;
mod exchange;
mod flow;
mod partition;
pub mod singletons;

use num_traits::{Signed, Zero};
use oneport_plan::{Certificate, Collective, Direction, Resource};
use oneport_platform::{NodeId, Platform, PortModel, Rational};

use crate::columns::Watch;
use crate::resources::Resources;
use crate::{LpError, Question};
use cutting_planes::Program;

/// Most links of a platform that cutting planes are tried on.
const MOST_LINKS: usize = 1500;
/// Partitions between which an exchange is looked at, at most.
const MOST_PARTITIONS: usize = 4;

/// What no schedule exceeds, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// No schedule has a larger throughput.
    pub throughput: Rational,
    /// The proof.
    pub certificate: Certificate,
}

/// The smallest transfers and merges of an all-reduce.
pub struct Volume {
    /// Of a partial result.
    pub size: Rational,
    /// Of a merge.
    pub work: Rational,
    /// How many merges an instance has.
    pub merges: usize,
}

impl Volume {
    fn new(question: &Question<'_>, operands: usize) -> Self {
        let volumes = question.volumes();
        Volume {
            size: singletons::least(&volumes.size, operands, 1).1,
            work: singletons::least(&volumes.work, operands, 2).1,
            merges: operands.saturating_sub(1),
        }
    }

    /// What the merges of an instance cost at least under the certificate's prices.
    fn cheapest_merges(&self, platform: &Platform, certificate: &Certificate) -> Rational {
        let price = |node: NodeId| {
            let found = certificate.prices.binary_search_by(|(other, _)| other.cmp(&Resource::Compute(node)));
            found.map_or_else(|_| Rational::zero(), |place| certificate.prices[place].1.clone())
        };
        let cost = |node: NodeId| Some(platform.node(node).compute.as_ref()? * price(node));
        let least = platform.processors().filter_map(cost).min().unwrap_or_default();
        least * &self.work * Rational::from_integer(self.merges.into())
    }
}

/// The best bound for an all-reduce; stops as soon as `enough` is proved. `resources` are the rows that prices are given to: those of a
/// symmetric platform share them.
///
/// # Errors
/// Those of the solver.
pub(crate) fn bound(
    question: &Question<'_>,
    resources: &Resources,
    enough: &Rational,
    watch: Watch<'_>,
) -> Result<Bound, LpError> {
    let platform = question.platform();
    let participants = question.collective().values().unwrap_or_default();
    let volume = Volume::new(question, participants.len());
    let mut best = by_partition(platform, participants, &volume);
    let proved = |best: &Option<Bound>| best.as_ref().is_some_and(|bound| bound.throughput <= *enough);
    if proved(&best) {
        return best.ok_or(NOTHING);
    }
    let hubs = platform.nodes().iter().filter(|node| node.replicates).count();
    let symmetric = question.roots().len() < hubs;
    let large = platform.links().len() > MOST_LINKS;
    if symmetric || large {
        improve(&mut best, singletons::bound(question, resources, enough, watch)?);
    }
    if !proved(&best) && !large && participants.len() > 1 {
        by_cutting_planes(question, participants, &volume, &mut best, (enough, watch))?;
    }
    if best.is_none() {
        best = Some(singletons::bound(question, resources, enough, watch)?);
    }
    best.ok_or(NOTHING)
}

/// What no all-reduce exceeds, with its proof; `None` for other collectives. Stops as soon as no more than `enough` is proved.
///
/// # Errors
/// Those of the solver.
pub fn all_reduce_bound(
    question: &Question<'_>,
    enough: &Rational,
    watch: Watch<'_>,
) -> Result<Option<Bound>, LpError> {
    if !matches!(question.collective(), Collective::AllReduce { .. }) {
        return Ok(None);
    }
    bound(question, &Resources::new(question.platform(), true), enough, watch).map(Some)
}

const NOTHING: LpError = LpError::Contradiction("nothing bounds an all-reduce");

fn improve(best: &mut Option<Bound>, found: Bound) {
    if best.as_ref().is_none_or(|known| found.throughput < known.throughput) {
        *best = Some(found);
    }
}

/// Where only links count: the better of the best partitions of both directions.
fn by_partition(platform: &Platform, participants: &[NodeId], volume: &Volume) -> Option<Bound> {
    if platform.node_ids().any(|node| platform.model_of(node) != PortModel::Links) || !volume.size.is_positive() {
        return None;
    }
    let capacities: Vec<Rational> = platform.links().iter().map(|link| (&volume.size * &link.cost).recip()).collect();
    let mut best = None;
    for direction in [Direction::Into, Direction::OutOf] {
        if let Some((border, throughput)) = partition::best(platform, direction, participants, &capacities) {
            let crossed = |link| direction.crossed(platform, link, &border.sets);
            let price = |link: oneport_platform::LinkId| {
                let crossed = Rational::from_integer(crossed(link).into());
                (Resource::Link(link), crossed * &capacities[link.index()])
            };
            let prices = platform.link_ids().map(price).filter(|(_, price)| price.is_positive()).collect();
            let certificate = Certificate { prices, borders: vec![border], ..Certificate::default() };
            improve(&mut best, Bound { throughput, certificate });
        }
    }
    best
}

/// Cutting planes, then with exchanges beside.
fn by_cutting_planes(
    question: &Question<'_>,
    participants: &[NodeId],
    volume: &Volume,
    best: &mut Option<Bound>,
    (enough, watch): (&Rational, Watch<'_>),
) -> Result<(), LpError> {
    let platform = question.platform();
    let mut program = Program::new(question, participants, volume)?;
    program.add_singletons()?;
    let capacities: Vec<Rational> = platform.links().iter().map(|link| link.cost.recip()).collect();
    for direction in [Direction::Into, Direction::OutOf] {
        if let Some((border, _)) = partition::best(platform, direction, participants, &capacities) {
            program.add_border(border)?;
        }
    }
    let (found, optimum, stopped) = program.solve(enough, watch)?;
    let done = stopped || found.throughput <= *enough;
    improve(best, found);
    if done {
        return Ok(());
    }
    let single: Vec<Vec<NodeId>> = participants.iter().map(|&node| vec![node]).collect();
    let mut partitions = vec![single];
    partitions.extend(program.partitions(&optimum).into_iter().take(MOST_PARTITIONS));
    for parts in partitions {
        for direction in [Direction::Into, Direction::OutOf] {
            program.add_exchange(direction, parts.clone())?;
        }
        let (found, _, stopped) = program.solve(enough, watch)?;
        let done = stopped || found.throughput <= *enough;
        improve(best, found);
        if done {
            return Ok(());
        }
    }
    Ok(())
}
