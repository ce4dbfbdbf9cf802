//! Prices of links and processors as integers over a common denominator.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_numbers::{Scaled, common_multiple};
use oneport_platform::{Platform, Rational};

use super::prices::Prices;

/// Factors of prices: costs as integers, over a denominator that includes the denominators of sizes and works.
#[derive(Debug, Clone)]
pub(super) struct Factors {
    /// Per link.
    links: Vec<BigUint>,
    /// Per processor.
    merges: Vec<BigUint>,
    denominator: BigUint,
}

/// Integer prices: `size x link` of a transfer and `work x merge` of a merge, over one denominator, with sizes and
/// works are the numerators of [`Amounts`](super::amounts::Amounts).
pub(super) struct Weights {
    /// Per link.
    pub links: Vec<BigUint>,
    /// Per processor.
    pub merges: Vec<BigUint>,
    pub denominator: BigUint,
}

impl Factors {
    pub(super) fn new(
        platform: &Platform,
        processors: &[usize],
        size: &BigUint,
        work: &BigUint,
    ) -> Self {
        let links = Scaled::of(platform.links().iter().map(|link| &link.cost));
        let nodes = platform.nodes();
        // 0 for a participant that does not merge.
        let compute = |&node: &usize| nodes.get(node)?.merge_time().cloned();
        let compute = processors
            .iter()
            .map(|node| compute(node).unwrap_or_default());
        let merges = Scaled::of(&compute.collect::<Vec<_>>());
        let denominator = |scaled: &Scaled| scaled.unit.denom().magnitude().clone();
        let (of_links, of_merges) = (denominator(&links) * size, denominator(&merges) * work);
        let denominator = common_multiple([&of_links, &of_merges]);
        let (to_links, to_merges) = (&denominator / of_links, &denominator / of_merges);
        Factors {
            links: links.values.iter().map(|cost| cost * &to_links).collect(),
            merges: merges
                .values
                .iter()
                .map(|compute| compute * &to_merges)
                .collect(),
            denominator,
        }
    }

    pub(super) fn weigh_integers(&self, processors: &[usize], prices: &Prices<u64>) -> Weights {
        let big = |prices: &[u64]| {
            prices
                .iter()
                .map(|&price| BigUint::from(price))
                .collect::<Vec<_>>()
        };
        self.product(
            processors,
            [&big(&prices.links), &big(&prices.compute)],
            self.denominator.clone(),
        )
    }

    pub(super) fn weigh(&self, processors: &[usize], prices: &Prices<Rational>) -> Weights {
        let Scaled { values, unit } = Scaled::of(prices.links.iter().chain(&prices.compute));
        let (links, compute) = values.split_at(prices.links.len());
        self.product(
            processors,
            [links, compute],
            unit.denom().magnitude() * &self.denominator,
        )
    }

    fn product(
        &self,
        processors: &[usize],
        [links, compute]: [&[BigUint]; 2],
        denominator: BigUint,
    ) -> Weights {
        let zero = BigUint::zero();
        let price_at = |prices: &[BigUint], node: usize| prices.get(node).unwrap_or(&zero).clone();
        let merges = processors.iter().zip(&self.merges);
        Weights {
            links: self
                .links
                .iter()
                .enumerate()
                .map(|(link, factor)| price_at(links, link) * factor)
                .collect(),
            merges: merges
                .map(|(&node, factor)| price_at(compute, node) * factor)
                .collect(),
            denominator,
        }
    }
}

/// `numerator / denominator` of natural numbers.
pub(super) fn ratio(numerator: BigUint, denominator: &BigUint) -> Rational {
    oneport_platform::ratio(numerator, denominator.clone())
}
