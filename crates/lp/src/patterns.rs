//! The pricing oracle of each kind of demand.
//!
//! A collective is a list of demands; each part below finds cheapest patterns for demands of one kind. A new kind is a
//! file of its own and a line in [`part`].

use oneport_plan::{Block, Kind, Pattern};
use oneport_platform::Rational;
use oneport_trees::cheapest::Prices;
use oneport_watch::Watch;

use crate::all_reduce::AllReduction;
use crate::bounds::contained::Contained;
use crate::bounds::is_all_reduce;
use crate::bounds::singletons::Least;
use crate::broadcast::Copies;
use crate::columns::{Guided, Pricing};
use crate::paths::Paths;
use crate::reduce::Trees;
use crate::scan::Prefixes;
use crate::{LpError, Question};

/// Finds cheapest patterns for some of the demands.
pub trait Part: Sync {
    /// Cheap patterns for each demand under guiding prices.
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Offer>, LpError>;

    /// A cheapest pattern for each demand.
    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Offer>, LpError>;

    /// Whether cheapest patterns are found for all prices, and not only bounds.
    fn is_exact(&self) -> bool {
        true
    }
}

/// Patterns for one demand.
pub struct Offer {
    /// No pattern for the demand costs less.
    pub at_least: Rational,
    /// Patterns, the cheapest first; at least one.
    pub patterns: Vec<Pattern>,
}

/// The cheapest patterns of a question: those of its collective, or of all its groups.
pub struct Patterns<'a> {
    rates: Vec<Rational>,
    watch: &'a Watch,
    /// Every part with the place of its first demand.
    parts: Vec<(usize, Box<dyn Part + 'a>)>,
}

/// Whether its patterns are compositions of a reduction and copies, which other schemes may beat.
pub fn is_composed(block: &Block<'_>) -> bool {
    block.kind == Kind::CombineCopy
}

/// Who prices the patterns of a block.
fn part<'a>(question: &'a Question<'a>, block: &Block<'a>) -> Box<dyn Part + 'a> {
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
    pub fn new(question: &'a Question<'a>) -> Self {
        Patterns::of_parts(question, part)
    }

    /// The same, but what a composition cannot undercut is replaced by what no schedule can: it bounds, and makes no
    /// patterns.
    pub fn least(question: &'a Question<'a>) -> Self {
        Patterns::of_parts(question, |question, block| match is_composed(block) {
            true if is_all_reduce(block) => Box::new(Least::new(question, block)),
            true => Box::new(Contained::new(question, block)),
            false => part(question, block),
        })
    }

    fn of_parts(question: &'a Question<'a>, part: impl Fn(&'a Question<'a>, &Block<'a>) -> Box<dyn Part + 'a>) -> Self {
        let blocks = question.blocks();
        let rates = blocks.iter().flat_map(|block| vec![Rational::from_integer(block.rate.into()); block.count]);
        let parts = blocks.iter().map(|block| (block.first, part(question, block))).collect();
        Patterns { rates: rates.collect(), watch: question.watch(), parts }
    }

    /// The offers of all parts, in the order of the demands, with patterns that name their demands' places.
    fn offers(&self, ask: impl Fn(&dyn Part) -> Result<Vec<Offer>, LpError>) -> Result<Vec<Offer>, LpError> {
        let mut all = Vec::with_capacity(self.rates.len());
        for (first, part) in &self.parts {
            self.watch.ask()?;
            for (place, offer) in ask(part.as_ref())?.into_iter().enumerate() {
                let named = |pattern: Pattern| pattern.with_demand(first + place);
                all.push(Offer { patterns: offer.patterns.into_iter().map(named).collect(), ..offer });
            }
        }
        Ok(all)
    }
}

impl Pricing for Patterns<'_> {
    fn rates(&self) -> &[Rational] {
        &self.rates
    }

    fn guide(&self, prices: &Prices<u64>) -> Result<Guided, LpError> {
        let offers = self.offers(|part| part.guide(prices))?;
        let at_least = offers.iter().zip(&self.rates).map(|(offer, rate)| &offer.at_least * rate).sum();
        Ok(Guided { at_least, patterns: offers.into_iter().flat_map(|offer| offer.patterns).collect() })
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<(Rational, Pattern)>, LpError> {
        let cheapest = |offer: Offer| {
            let pattern = offer.patterns.into_iter().next();
            Ok((offer.at_least, pattern.ok_or(LpError::Contradiction("a demand has no pattern"))?))
        };
        self.offers(|part| part.cheapest(prices))?.into_iter().map(cheapest).collect()
    }

    fn is_exact(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.is_exact())
    }
}
