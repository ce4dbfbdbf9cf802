//! Costs of links under prices, as integers that add up without rounding or overflow.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_numbers::Scaled;
use oneport_platform::{Link, Platform, Rational, whole};
use oneport_trees::cheapest::Prices;

use crate::Question;

/// Bits of the longest time in guiding units if prices are machine words. Trades accuracy of guiding prices for time.
/// Not measured.
const TIME_BITS: u64 = 36;
/// Bits of the highest cost if prices are long integers. Trades accuracy of guiding prices for time. Not measured.
const COST_BITS: u64 = 96;

/// Costs of links for messages of one size, in multiples of a unit.
pub(crate) struct LinkCosts<N> {
    /// Per link.
    pub links: Vec<N>,
    /// Value of one unit, in the unit of the prices.
    pub unit: Rational,
}

/// Times of the links as integers: prepared once for many guiding prices.
pub(crate) struct Times {
    times: Integers,
    unit: Rational,
}

/// Machine words if all times fit.
enum Integers {
    Short(Vec<u64>),
    Long(Vec<BigUint>),
}

impl Times {
    /// Times on every link of a message of the size that all have.
    pub(crate) fn new(question: &Question) -> Self {
        Times::of_size(question, question.size())
    }

    /// Times on every link of a message of this size.
    pub(crate) fn of_size(question: &Question, size: &Rational) -> Self {
        let exact: Vec<Rational> = question
            .platform()
            .links()
            .iter()
            .map(|link| size * &link.cost)
            .collect();
        let scaled = Scaled::of(&exact);
        let times = scaled
            .narrow(TIME_BITS)
            .map_or(Integers::Long(scaled.values), Integers::Short);
        Times {
            times,
            unit: scaled.unit,
        }
    }

    /// Costs under guiding prices. If times are long, costs are rounded down relative to the highest cost that has a
    /// price (not to the longest time: one unneeded link must not make the others free). Guiding prices add up to less
    /// than `2^60`, so a sum of fewer than `2^30` costs fits 128 bits.
    pub(crate) fn costs(&self, prices: &Prices<u64>) -> LinkCosts<u128> {
        let long = match &self.times {
            Integers::Short(times) => {
                let cost = |(&time, &price): (&u64, &u64)| u128::from(time) * u128::from(price);
                return LinkCosts {
                    links: times.iter().zip(&prices.links).map(cost).collect(),
                    unit: self.unit.clone(),
                };
            }
            Integers::Long(times) => times,
        };
        let exact: Vec<BigUint> = long
            .iter()
            .zip(&prices.links)
            .map(|(time, &price)| time * price)
            .collect();
        let shift = exact
            .iter()
            .map(BigUint::bits)
            .max()
            .unwrap_or(0)
            .saturating_sub(COST_BITS);
        let links = exact
            .iter()
            .map(|cost| (cost >> shift).to_u128().unwrap_or(u128::MAX >> 32))
            .collect();
        LinkCosts {
            links,
            unit: &self.unit * whole(BigInt::one() << shift),
        }
    }
}

/// Exact costs over a common denominator, for messages of the size that all have.
pub(crate) fn exact(question: &Question, prices: &Prices<Rational>) -> LinkCosts<BigUint> {
    exact_of_size(question, question.size(), prices)
}

/// Exact costs over a common denominator, for messages of this size.
pub(crate) fn exact_of_size(
    question: &Question,
    size: &Rational,
    prices: &Prices<Rational>,
) -> LinkCosts<BigUint> {
    let cost = |(link, price): (&Link, &Rational)| {
        if price.is_positive() {
            size * &link.cost * price
        } else {
            Rational::zero()
        }
    };
    let costs: Vec<Rational> = question
        .platform()
        .links()
        .iter()
        .zip(&prices.links)
        .map(cost)
        .collect();
    let Scaled { values, unit } = Scaled::of(&costs);
    LinkCosts {
        links: values,
        unit,
    }
}

/// These costs in machine integers, if four times the sum of all arcs between nodes that replicate cannot overflow,
/// as Steiner arborescences require. An arc is a link or a route of fewer links than there are nodes, and there are no
/// more arcs than links or pairs of nodes.
pub(crate) fn narrowed(costs: &LinkCosts<BigUint>, platform: &Platform) -> Option<LinkCosts<u128>> {
    let (nodes, links) = (
        platform.nodes().len() as u128,
        platform.links().len() as u128,
    );
    let limit = u128::MAX / (4 * links.max(nodes * nodes).max(1) * nodes.max(1));
    let narrow = |cost: &BigUint| cost.to_u128().filter(|&cost| cost <= limit);
    Some(LinkCosts {
        links: costs.links.iter().map(narrow).collect::<Option<_>>()?,
        unit: costs.unit.clone(),
    })
}

/// A sum of costs as a rational number.
pub(crate) fn amount<N: Clone + Into<BigUint>>(unit: &Rational, sum: &N) -> Rational {
    let units: BigUint = sum.clone().into();
    whole(units) * unit
}

#[cfg(test)]
mod tests {
    use num_traits::One;
    use oneport_graph::steiner::{Effort, steiner};
    use oneport_platform::generate::{Options, complete};
    use oneport_watch::Watch;

    use super::*;

    /// The largest costs that are narrowed give the same arborescence as long integers. Costs larger by one stay long.
    /// (An overflow would end a test.)
    #[test]
    fn narrowed_costs_do_not_overflow() {
        let platform = complete(6, &Options::default()).unwrap();
        let limit = u128::MAX / (4 * 36 * 6);
        let uniform = |cost: BigUint| LinkCosts {
            links: vec![cost; platform.links().len()],
            unit: Rational::one(),
        };
        assert!(narrowed(&uniform(BigUint::from(limit) + 1u32), &platform).is_none());
        let long = uniform(limit.into());
        let short = narrowed(&long, &platform).unwrap();
        let ends = |index: usize| {
            (
                platform.links()[index].from.index(),
                platform.links()[index].to.index(),
            )
        };
        let narrow: Vec<(usize, usize, u128)> = short
            .links
            .iter()
            .enumerate()
            .map(|(index, cost)| (ends(index).0, ends(index).1, *cost))
            .collect();
        let wide: Vec<(usize, usize, BigUint)> = long
            .links
            .iter()
            .enumerate()
            .map(|(index, cost)| (ends(index).0, ends(index).1, cost.clone()))
            .collect();
        let watch = Watch::unlimited();
        let effort = Effort {
            budget: Some(1000),
            cuts: true,
            watch: &watch,
        };
        let narrow = steiner(6, 0, &[2, 4, 5], &narrow, effort).unwrap();
        let wide = steiner(6, 0, &[2, 4, 5], &wide, effort).unwrap();
        assert_eq!(
            (BigUint::from(narrow.cost), BigUint::from(narrow.at_least)),
            (wide.cost, wide.at_least)
        );
    }
}
