//! Upper bounds on the throughput of every all-reduce, for any routes of its values. Cheap bounds come first.
//!
//! 1. If only links count: the partition over whose borders the least can enter, found exactly ([`partition`]). On
//!    clusters its bound is the optimum.
//! 2. Cutting planes ([`cutting_planes`]): the least uses of links, and the throughput that the times of these uses
//!    allow. For every port model.
//! 3. This program with the exchange theorem ([`exchange`]): for single participants, and for the partitions found.
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
mod rows;
pub(crate) mod shared_tasks;
pub(crate) mod singletons;
pub(crate) mod slowest_cut;
mod volume;

use crate::known::{Bound, Known};
use num_traits::Signed;
use oneport_plan::inequality::{Border, Direction, Inequality, Need};
use oneport_plan::{Certificate, Resource};
use oneport_platform::{LinkId, NodeId, Rational, whole};

use crate::column_generation::proved;
use crate::free;
use crate::oracles::{Patterns, is_composed, part};
use crate::question::is_all_reduce;
use crate::resources::Resources;
use crate::{LpError, Question, Until};
use contained::Contained;
use cutting_planes::{MOST_SHARED_LINKS, Program};
use partition::Partitions;
use singletons::Least;
use volume::Volume;

pub use cuts::cut_bound;
pub(crate) use rows::row_bound;

/// Links up to which cutting planes are tried. Trades a tighter bound for time. Not measured.
const MOST_LINKS: usize = 1500;
/// Partitions between which an exchange is tried. Trades a tighter bound for time. Not measured.
const MOST_PARTITIONS: usize = 4;

/// Offers bounds for an all-reduce until enough is proved. `resources` are the rows that have prices: on a symmetric
/// platform, resources share rows.
///
/// # Errors
/// Errors of the solver. [`LpError::Stopped`] if the question's watch ends the work. Bounds that were proved are kept.
pub(crate) fn bound(
    question: &Question,
    resources: &Resources,
    until: &Until,
    known: &mut Known,
) -> Result<(), LpError> {
    let mut search = BoundSearch::new(question, until);
    let ended = search.run(resources);
    known.offer(search.known);
    ended
}

/// Oracles for bounding: a composition's price is replaced by a price that holds for every schedule. They make no
/// executable patterns.
pub(crate) fn least_patterns<'a>(question: &'a Question) -> Patterns<'a> {
    Patterns::of_parts(question, |question, block| match is_composed(block) {
        true if is_all_reduce(block) => Box::new(Least::new(question, block)),
        true => Box::new(Contained::new(question, block)),
        false => part(question, block),
    })
}

/// The bound on all schemes that prices of some patterns prove. `None` if they prove nothing.
///
/// # Errors
/// The errors of the oracles.
pub(crate) fn prove(question: &Question, prices: &Certificate) -> Result<Option<Bound>, LpError> {
    let (resources, priced) = Resources::of_certificate(question.platform(), prices);
    let bound = proved(&least_patterns(question), &resources, &priced);
    question.watch().ask()?;
    Ok(bound?.map(|throughput| Bound {
        throughput,
        certificate: prices.clone(),
    }))
}

/// Upper bound on the throughput of every all-reduce, with its proof. `None` for other collectives. Stops when enough
/// is proved.
///
/// # Errors
/// Errors of the solver. [`LpError::Stopped`] if the question's watch ends the work before anything is proved.
pub fn all_reduce_bound(question: &Question, until: &Until) -> Result<Option<Bound>, LpError> {
    if !question.block().is_some_and(|block| is_all_reduce(&block)) {
        return Ok(None);
    }
    free::check_kinds(question)?;
    let mut known = Known::default();
    let ended = bound(
        question,
        &Resources::new(question.platform(), true),
        until,
        &mut known,
    );
    match (ended, known.bound()) {
        (Ok(()) | Err(LpError::Stopped(_)), Some(bound)) => Ok(Some(bound.clone())),
        (ended, _) => ended.and(Err(LpError::Contradiction("nothing bounds an all-reduce"))),
    }
}

/// The first bound of an all-reduce that is found. If only links count, the bound of the best partition, or of the
/// first partition that proves no more than `sought`. `None` for other collectives.
///
/// # Errors
/// Those of [`all_reduce_bound`].
pub(crate) fn first_of_all_reduce(
    question: &Question,
    sought: Option<&Rational>,
) -> Result<Option<Bound>, LpError> {
    if !question.block().is_some_and(|block| is_all_reduce(&block)) {
        return Ok(None);
    }
    free::check_kinds(question)?;
    let platform = question.platform();
    if platform.only_links() {
        let mut search = BoundSearch::new(question, &Until::default());
        for (border, throughput) in search.partitions(sought)? {
            search
                .known
                .offer_bound(search.of_partition(&border, &throughput));
        }
        if let Some(bound) = search.known.bound() {
            return Ok(Some(bound.clone()));
        }
    }
    // Above every throughput, so the search stops at its first bound.
    all_reduce_bound(question, &Until::proved(&whole(i64::MAX)))
}

/// One question, and the best bound so far.
struct BoundSearch<'a> {
    question: &'a Question,
    participants: &'a [NodeId],
    volume: Volume,
    until: Until,
    known: Known,
}

impl<'a> BoundSearch<'a> {
    fn new(question: &'a Question, until: &Until) -> Self {
        let participants = question.block().map_or(&[][..], |block| block.operands());
        let volume = Volume::new(question, participants.len());
        BoundSearch {
            question,
            participants,
            volume,
            until: until.clone(),
            known: Known::default(),
        }
    }

    /// The steps, until enough is proved.
    fn run(&mut self, resources: &Resources) -> Result<(), LpError> {
        let platform = self.question.platform();
        let seeds = self.partitions(None)?;
        if platform.only_links() {
            for (border, throughput) in &seeds {
                self.known
                    .offer_bound(self.of_partition(border, throughput));
            }
        }
        let hubs = platform
            .nodes()
            .iter()
            .filter(|node| node.replicates)
            .count();
        let symmetric = self.question.roots().len() < hubs;
        let large = platform.links().len() > MOST_LINKS;
        if !self.is_enough() && (symmetric || platform.links().len() > MOST_SHARED_LINKS) {
            singletons::bound(self.question, resources, &self.until, &mut self.known)?;
        }
        if !self.is_enough() && !large && self.participants.len() > 1 {
            self.cutting_planes(seeds)?;
        }
        if self.known.bound().is_none() {
            singletons::bound(self.question, resources, &self.until, &mut self.known)?;
        }
        Ok(())
    }

    fn is_enough(&self) -> bool {
        self.known
            .bound()
            .is_some_and(|bound| self.until.is_met(&bound.throughput))
    }

    /// The best partitions of both directions as if only links counted, with their values. If `sought` is given, the
    /// search ends at the first partition that proves no more.
    fn partitions(&self, sought: Option<&Rational>) -> Result<Vec<(Border, Rational)>, LpError> {
        let capacities = self.capacities();
        let mut found = Vec::new();
        let plain = [Direction::Into, Direction::OutOf]
            .map(|direction| Partitions::new(self.question, direction, self.participants));
        // Few sets are found sooner than many.
        let contracted = plain.iter().flat_map(Partitions::contracted);
        for partitions in contracted.collect::<Vec<_>>().iter().chain(&plain) {
            found.extend(partition::best(partitions, &capacities, sought)?);
            if found
                .last()
                .is_some_and(|(_, proved)| sought.is_some_and(|sought| proved <= sought))
            {
                break;
            }
        }
        Ok(found)
    }

    /// How many of the smallest transfers a link carries per unit of time.
    fn capacities(&self) -> Vec<Rational> {
        let links = self.question.platform().links();
        let size = Some(&self.volume.size).filter(|size| size.is_positive());
        links
            .iter()
            .map(|link| size.map_or_else(|| link.cost.recip(), |size| (size * &link.cost).recip()))
            .collect()
    }

    /// A partition's proof where only links count: their prices make every crossing cost the same.
    fn of_partition(&self, border: &Border, throughput: &Rational) -> Bound {
        let platform = self.question.platform();
        let crossings = border.crossed(platform);
        let price = |(link, capacity): (LinkId, Rational)| {
            (Resource::Link(link), capacity * whole(crossings[link]))
        };
        let prices = platform.link_ids().zip(self.capacities()).map(price);
        let prices = prices.filter(|(_, price)| price.is_positive());
        let need = Need::once(Some(0), Inequality::Border(border.clone()));
        let certificate = Certificate::new(prices, [], [need]);
        Bound {
            throughput: throughput.clone(),
            certificate,
        }
    }

    /// Cutting planes, then again with exchanges: between single participants, and between the partitions found.
    fn cutting_planes(&mut self, seeds: Vec<(Border, Rational)>) -> Result<(), LpError> {
        let (question, participants, volume) =
            (self.question, self.participants, self.volume.clone());
        let mut program = Program::new(question, participants, &volume)?;
        program.add_singletons()?;
        for (border, _) in seeds {
            program.add(Inequality::Border(border))?;
        }
        let Some((found, optimum)) = program.solve(&self.until)? else {
            return Ok(());
        };
        self.known.offer_bound(found);
        if question.platform().links().len() > MOST_SHARED_LINKS {
            return Ok(());
        }
        let mut partitions = vec![participants.iter().map(|&node| vec![node]).collect()];
        partitions.extend(
            program
                .partitions(&optimum)
                .into_iter()
                .take(MOST_PARTITIONS),
        );
        for parts in partitions {
            if self.is_enough() || program.is_stopped() {
                break;
            }
            for direction in [Direction::Into, Direction::OutOf] {
                program.add_exchange(direction, &parts)?;
            }
            if let Some((found, _)) = program.solve(&self.until)? {
                self.known.offer_bound(found);
            }
        }
        Ok(())
    }
}
