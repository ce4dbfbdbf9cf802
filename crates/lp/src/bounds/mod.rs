//! Computes upper bounds on the throughput of every all-reduce, however its values travel; cheap bounds first.
//!
//! 1. Where only links count: the partition over whose borders the least can enter, found exactly ([`partition`]). On
//!    clusters that is the answer.
//! 2. Cutting planes ([`cutting_planes`]): how often links have to be used, at most how much that leaves time for.
//!    Every port model.
//! 3. The same with shares of the exchange theorem ([`exchange`]) in addition: single participants, and the partitions
//!    found.
//!
//! On symmetric platforms the exchange theorem for single participants alone ([`singletons`]) comes before the second
//! step: it works on the quotient.

pub(crate) mod arborescences;
pub(crate) mod contained;
mod cuts;
mod cutting_planes;
mod exchange;
mod gathering;
mod partition;
pub(crate) mod shared_tasks;
pub mod singletons;
pub(crate) mod slowest_cut;
mod volume;

use std::ops::ControlFlow;

use num_traits::Signed;
use oneport_plan::inequality::{Border, Direction, Inequality, Need};
use oneport_plan::{Certificate, Resource, Status};
use oneport_platform::{LinkId, NodeId, PortModel, Rational};

use crate::free;
use crate::oracles::{Patterns, is_composed, part};
use crate::question::is_all_reduce;
use crate::resources::Resources;
use crate::solution::Observer;
use crate::{LpError, Question, Solution};
use contained::Contained;
use cutting_planes::{MOST_SHARED_LINKS, Program};
use partition::Partitions;
use singletons::Least;
use volume::Volume;

pub use cuts::cut_bound;
pub use volume::Bound;

/// Most links of a platform that cutting planes are tried on.
const MOST_LINKS: usize = 1500;
/// Partitions between which an exchange is looked at, at most.
const MOST_PARTITIONS: usize = 4;

/// The best bound for an all-reduce; stops when `enough` is proved. `resources` are the rows that have prices: on a
/// symmetric platform, resources share rows.
///
/// # Errors
/// The errors of the solver; [`LpError::Stopped`] if the question's watch ends the work before anything is proved.
pub(crate) fn bound(
    question: &Question<'_>,
    resources: &Resources,
    enough: &Rational,
    watch: Observer<'_>,
) -> Result<Bound, LpError> {
    let participants = question.block().map_or(&[][..], |block| block.operands());
    let volume = Volume::new(question, participants.len());
    let mut search = Search { question, participants, volume, enough, best: None };
    match search.run(resources, watch) {
        Err(LpError::Stopped(limit)) => search.best.ok_or(LpError::Stopped(limit)),
        other => {
            other?;
            search.best.ok_or(LpError::Contradiction("nothing bounds an all-reduce"))
        }
    }
}

/// The solution with the bound that holds for every all-reduce, and not only for compositions.
///
/// # Errors
/// The errors of the solver.
pub fn bounded(
    question: &Question<'_>,
    resources: &Resources,
    solution: Solution,
    watch: Observer<'_>,
) -> Result<Solution, LpError> {
    let throughput = &solution.steady_state.throughput;
    let proved = match bound(question, resources, throughput, watch) {
        // The bound of compositions does not hold for all schemes: the referee computes what its prices prove.
        Err(LpError::Stopped(_)) => return Ok(Solution { status: Status::Feasible, ..solution }),
        other => other?,
    };
    let status = Status::of(throughput, &proved.throughput);
    let (upper_bound, certificate) = (proved.throughput, proved.certificate);
    Ok(Solution { status, upper_bound, certificate, ..solution })
}

/// Oracles for bounding: a composition's price is replaced by a price that holds for every schedule. They make no
/// executable patterns.
pub fn least_patterns<'a>(question: &'a Question<'a>) -> Patterns<'a> {
    Patterns::of_parts(question, |question, block| match is_composed(block) {
        true if is_all_reduce(block) => Box::new(Least::new(question, block)),
        true => Box::new(Contained::new(question, block)),
        false => part(question, block),
    })
}

/// Upper bound on the throughput of every all-reduce, with its proof. `None` for other collectives. Stops when the
/// bound is at most `enough`.
///
/// # Errors
/// The errors of the solver.
pub fn all_reduce_bound(
    question: &Question<'_>,
    enough: &Rational,
    watch: Observer<'_>,
) -> Result<Option<Bound>, LpError> {
    if !question.block().is_some_and(|block| is_all_reduce(&block)) {
        return Ok(None);
    }
    free::check_kinds(question)?;
    bound(question, &Resources::new(question.platform(), true), enough, watch).map(Some)
}

/// The first bound of an all-reduce that is found; where only links count, that of the best partition, or of the first
/// one that proves no more than `sought`. `None` for other collectives.
///
/// # Errors
/// As [`all_reduce_bound`].
pub(crate) fn first_of_all_reduce(
    question: &Question<'_>,
    sought: Option<&Rational>,
) -> Result<Option<Bound>, LpError> {
    let Some(block) = question.block().filter(|block| is_all_reduce(block)) else { return Ok(None) };
    free::check_kinds(question)?;
    let platform = question.platform();
    if platform.node_ids().all(|node| platform.model_of(node) == PortModel::Links) {
        let participants = block.operands();
        let volume = Volume::new(question, participants.len());
        let enough = Rational::default();
        let mut search = Search { question, participants, volume, enough: &enough, best: None };
        for (border, throughput) in search.partitions(sought)? {
            search.offer(search.of_partition(&border, &throughput));
        }
        if search.best.is_some() {
            return Ok(search.best);
        }
    }
    // Above every throughput, so the search stops at its first bound.
    let any = Rational::from_integer(i64::MAX.into());
    all_reduce_bound(question, &any, &mut |_| ControlFlow::Continue(()))
}

/// One question, and the best bound so far.
struct Search<'a> {
    question: &'a Question<'a>,
    participants: &'a [NodeId],
    volume: Volume,
    enough: &'a Rational,
    best: Option<Bound>,
}

impl Search<'_> {
    /// The steps, until enough is proved.
    fn run(&mut self, resources: &Resources, watch: Observer<'_>) -> Result<(), LpError> {
        let platform = self.question.platform();
        let seeds = self.partitions(None)?;
        if platform.node_ids().all(|node| platform.model_of(node) == PortModel::Links) {
            seeds.iter().for_each(|(border, throughput)| self.offer(self.of_partition(border, throughput)));
        }
        let hubs = platform.nodes().iter().filter(|node| node.replicates).count();
        let symmetric = self.question.roots().len() < hubs;
        let large = platform.links().len() > MOST_LINKS;
        if !self.is_enough() && (symmetric || platform.links().len() > MOST_SHARED_LINKS) {
            self.offer(singletons::bound(self.question, resources, self.enough, watch)?);
        }
        if !self.is_enough() && !large && self.participants.len() > 1 {
            self.cutting_planes(seeds, watch)?;
        }
        if self.best.is_none() {
            self.offer(singletons::bound(self.question, resources, self.enough, watch)?);
        }
        Ok(())
    }

    fn is_enough(&self) -> bool {
        self.best.as_ref().is_some_and(|bound| bound.throughput <= *self.enough)
    }

    fn offer(&mut self, found: Bound) {
        if self.best.as_ref().is_none_or(|known| found.throughput < known.throughput) {
            self.best = Some(found);
        }
    }

    /// The best partitions of both directions if only links counted, with their values; where something is sought, up
    /// to the first that proves no more.
    fn partitions(&self, sought: Option<&Rational>) -> Result<Vec<(Border, Rational)>, LpError> {
        let capacities = self.capacities();
        let mut found = Vec::new();
        for direction in [Direction::Into, Direction::OutOf] {
            let partitions = Partitions::new(self.question, direction, self.participants);
            found.extend(partition::best(&partitions, &capacities, sought)?);
            if found.last().is_some_and(|(_, proved)| sought.is_some_and(|sought| proved <= sought)) {
                break;
            }
        }
        Ok(found)
    }

    /// How many of the smallest transfers a link carries per unit of time.
    fn capacities(&self) -> Vec<Rational> {
        let links = self.question.platform().links();
        let size = Some(&self.volume.size).filter(|size| size.is_positive());
        links.iter().map(|link| size.map_or_else(|| link.cost.recip(), |size| (size * &link.cost).recip())).collect()
    }

    /// A partition's proof where only links count: their prices make every crossing cost the same.
    fn of_partition(&self, border: &Border, throughput: &Rational) -> Bound {
        let platform = self.question.platform();
        let crossings = border.crossed(platform);
        let price = |(link, capacity): (LinkId, Rational)| {
            (Resource::Link(link), capacity * Rational::from_integer(crossings[link.index()].into()))
        };
        let prices = platform.link_ids().zip(self.capacities()).map(price);
        let prices = prices.filter(|(_, price)| price.is_positive());
        let need = Need::once(Some(0), Inequality::Border(border.clone()));
        let certificate = Certificate::new(prices, [], [need]);
        Bound { throughput: throughput.clone(), certificate }
    }

    /// Cutting planes, then again with exchanges: between single participants, and between the partitions found.
    fn cutting_planes(&mut self, seeds: Vec<(Border, Rational)>, watch: Observer<'_>) -> Result<(), LpError> {
        let (question, participants, volume) = (self.question, self.participants, self.volume.clone());
        let mut program = Program::new(question, participants, &volume)?;
        program.add_singletons()?;
        for (border, _) in seeds {
            program.add(Inequality::Border(border))?;
        }
        let Some((found, optimum)) = program.solve(self.enough, watch)? else { return Ok(()) };
        self.offer(found);
        if question.platform().links().len() > MOST_SHARED_LINKS {
            return Ok(());
        }
        let mut partitions = vec![participants.iter().map(|&node| vec![node]).collect()];
        partitions.extend(program.partitions(&optimum).into_iter().take(MOST_PARTITIONS));
        for parts in partitions {
            if self.is_enough() || program.is_stopped() {
                break;
            }
            for direction in [Direction::Into, Direction::OutOf] {
                program.add_exchange(direction, &parts)?;
            }
            program.solve(self.enough, watch)?.into_iter().for_each(|(found, _)| self.offer(found));
        }
        Ok(())
    }
}
