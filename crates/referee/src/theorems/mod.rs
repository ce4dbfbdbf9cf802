//! The theorems that certificates rest on: of each the conditions, the proof, and the charges. Its data stand in
//! `oneport_plan::inequality`. This module never uses the meaning stated there, so that two readings can be compared.

mod asked;
mod balance;
mod counting;
mod cut;
mod exchange;
mod gathering;
mod merges;
mod place;
mod tree;

use num_bigint::BigInt;
use oneport_plan::inequality::{Inequality, Need};
use oneport_platform::{PerNode, Platform, Rational};

use crate::Violation;
use crate::case::Case;
use crate::charges::Charges;
use crate::violation::fault;

pub(crate) use asked::Asked;
pub(crate) use cut::Crossing;

/// Whether the theorem may be used.
pub(crate) fn check(case: &Case<'_>, need: &Need) -> Result<(), Violation> {
    let demands = case.demands();
    if let Some(demand) = need.demand.filter(|&demand| demand >= demands) {
        let right = format!("an instance has {demands}, numbered from 0");
        return Err(fault!(Certificate, "demand {demand} does not exist"; "{right}"));
    }
    let demand = match (need.demand, &need.inequality) {
        (_, Inequality::Cut(cut)) => return cut::check(case, cut),
        (None, Inequality::Merges(_)) => return Ok(()),
        (Some(demand), _) => case.demand(demand),
        (None, other) => {
            let found = format!("a {} names no demand", other.name());
            return Err(
                fault!(Certificate, "{found}"; "only a cut, or merges, may be of all demands"),
            );
        }
    };
    let Some(demand) = demand else { return Ok(()) };
    let asked = Asked {
        case,
        demand: &demand,
    };
    match &need.inequality {
        Inequality::Cut(_) => Ok(()),
        Inequality::Border(one) => counting::check(&asked, one),
        Inequality::Gathering(one) => gathering::check(&asked, one),
        Inequality::Balance(one) => balance::check(&asked, one),
        Inequality::Merges(_) => merges::check(&asked),
        Inequality::Place(_) => place::check(&asked),
        Inequality::Exchange(one) => exchange::check(&asked, one),
        Inequality::Tree(one) => tree::check(&asked, one),
    }
}

/// Charges the columns, and returns weight times right side, in the unit of the scale.
pub(crate) fn charge(
    asked: &Asked<'_, '_>,
    need: &Need,
    charges: &mut Charges<'_>,
) -> Result<Rational, Violation> {
    let weight = BigInt::from(charges.scale.scaled(&need.weight));
    let right_side = match &need.inequality {
        Inequality::Cut(one) => cut::charge(asked, one, &weight, charges),
        Inequality::Border(one) => counting::charge(asked, one, &weight, charges),
        Inequality::Gathering(one) => gathering::charge(asked, one, &weight, charges),
        Inequality::Balance(one) => balance::charge(one, &weight, charges),
        Inequality::Merges(_) => merges::charge(asked, &weight, charges),
        Inequality::Place(_) => place::charge(&weight, charges),
        Inequality::Exchange(one) => return exchange::charge(asked, one, &need.weight, charges),
        Inequality::Tree(one) => return tree::charge(asked, one, &need.weight, charges),
    };
    Ok(Rational::from_integer(weight * right_side))
}

/// All numbers that are charged: the weight, or its products with lengths and prices.
pub(crate) fn numbers(need: &Need) -> Vec<Rational> {
    match &need.inequality {
        Inequality::Exchange(one) => one
            .lengths
            .iter()
            .map(|(_, length)| length * &need.weight)
            .collect(),
        Inequality::Tree(one) => one
            .prices
            .iter()
            .map(|(_, price)| price * &need.weight)
            .collect(),
        _ => vec![need.weight.clone()],
    }
}

/// Whether the inequality proves nothing alone, or no more than any cheapest pattern does.
pub(crate) fn only_helps(inequality: &Inequality) -> bool {
    matches!(
        inequality,
        Inequality::Balance(_) | Inequality::Merges(_) | Inequality::Place(_)
    )
}

/// The nodes inside a cut. `None` for other inequalities.
pub(crate) fn side(inequality: &Inequality, platform: &Platform) -> Option<PerNode<bool>> {
    match inequality {
        Inequality::Cut(cut) => Some(asked::inside(&cut.nodes, platform)),
        _ => None,
    }
}
