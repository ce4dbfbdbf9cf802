//! The pricing oracle of each kind of demand.
//!
//! A collective is a list of demands. Each part below finds cheapest patterns for demands of one kind. A new kind is a
//! separate file and a line in [`part`].

pub(crate) mod combine;
pub(crate) mod composed;
pub(crate) mod copy;
pub(crate) mod prefix;
pub(crate) mod route;

use oneport_plan::{Block, Kind, Pattern};
use oneport_platform::{Rational, whole};
use oneport_trees::cheapest::Prices;
use oneport_watch::Watch;

use crate::oracle::{Oracle, Priced};
use crate::oracles::combine::Trees;
use crate::oracles::composed::AllReduction;
use crate::oracles::copy::Copies;
use crate::oracles::prefix::Prefixes;
use crate::oracles::route::Paths;
use crate::{LpError, Question};

/// The cheapest patterns of a question: the oracles of all its demands as one.
pub(crate) struct Patterns<'a> {
    rates: Vec<Rational>,
    watch: &'a Watch,
    /// Every part with the index of its first demand.
    parts: Vec<(usize, Box<dyn Oracle + 'a>)>,
}

/// Whether its patterns are compositions of a reduction and copies, which other schemes may beat.
pub(crate) fn is_composed(block: &Block<'_>) -> bool {
    block.kind == Kind::CombineCopy
}

/// The oracle that prices the patterns of a block.
pub(crate) fn part<'a>(question: &'a Question, block: &Block<'a>) -> Box<dyn Oracle + 'a> {
    match block.kind {
        Kind::Route => Box::new(Paths::new(question, block)),
        Kind::Copy => Box::new(Copies::new(question, block)),
        Kind::Combine => Box::new(Trees::new(question, block)),
        Kind::CombineCopy => Box::new(AllReduction::new(question, block)),
        Kind::Prefix => Box::new(Prefixes::new(question, block)),
    }
}

impl<'a> Patterns<'a> {
    /// Prepares a question.
    pub(crate) fn new(question: &'a Question) -> Self {
        Patterns::of_parts(question, part)
    }

    /// Prepares a question whose blocks are priced by these oracles.
    pub(crate) fn of_parts(
        question: &'a Question,
        part: impl Fn(&'a Question, &Block<'a>) -> Box<dyn Oracle + 'a>,
    ) -> Self {
        let blocks = question.problem().blocks();
        let rates = blocks
            .iter()
            .flat_map(|block| vec![whole(block.rate); block.count]);
        let parts = blocks
            .iter()
            .map(|block| (block.first, part(question, block)))
            .collect();
        Patterns {
            rates: rates.collect(),
            watch: question.watch(),
            parts,
        }
    }

    /// One oracle for this number of demands, each of them once per instance.
    pub(crate) fn of_one(question: &'a Question, oracle: impl Oracle + 'a, demands: usize) -> Self {
        let rates = vec![whole(1); demands];
        Patterns {
            rates,
            watch: question.watch(),
            parts: vec![(0, Box::new(oracle))],
        }
    }

    /// The offers of all parts, in the order of the demands, with patterns that name their demands' indices.
    fn offers(
        &self,
        ask: impl Fn(&dyn Oracle) -> Result<Vec<Priced>, LpError>,
    ) -> Result<Vec<Priced>, LpError> {
        let mut all = Vec::with_capacity(self.rates.len());
        for (first, part) in &self.parts {
            self.watch.ask()?;
            for (index, offer) in ask(part.as_ref())?.into_iter().enumerate() {
                let named = |pattern: Pattern| pattern.with_demand(first + index);
                all.push(Priced {
                    patterns: offer.patterns.into_iter().map(named).collect(),
                    ..offer
                });
            }
        }
        Ok(all)
    }

    /// Per demand: its executions per instance.
    pub(crate) fn rates(&self) -> &[Rational] {
        &self.rates
    }

    /// Cheap patterns of every demand under guiding prices. No patterns serve all demands, as often as an instance
    /// does, for less than the number. So the bound is valid for any rounding.
    pub(crate) fn guide(&self, prices: &Prices<u64>) -> Result<(Rational, Vec<Pattern>), LpError> {
        let offers = self.offers(|part| part.guide(prices))?;
        let at_least = offers
            .iter()
            .zip(&self.rates)
            .map(|(offer, rate)| &offer.at_least * rate)
            .sum();
        Ok((
            at_least,
            offers
                .into_iter()
                .flat_map(|offer| offer.patterns)
                .collect(),
        ))
    }

    /// A cheapest pattern for each demand, with its price. If [`is_exact`](Self::is_exact) does not hold, a cheap
    /// pattern, with a lower bound on the price of all.
    pub(crate) fn cheapest(
        &self,
        prices: &Prices<Rational>,
    ) -> Result<Vec<(Rational, Pattern)>, LpError> {
        let cheapest = |offer: Priced| {
            let pattern = offer.patterns.into_iter().next();
            Ok((
                offer.at_least,
                pattern.ok_or(LpError::Contradiction("a demand has no pattern"))?,
            ))
        };
        self.offers(|part| part.cheapest(prices))?
            .into_iter()
            .map(cheapest)
            .collect()
    }

    /// Whether cheapest patterns are found for all prices, and not only bounds.
    pub(crate) fn is_exact(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.is_exact())
    }
}
