//! The fewest matchings that a vector of occupations can be cut into, by trying every set of matchings.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use num_traits::{Signed, Zero};
use oneport::platform::LinkId;
use oneport::{Platform, Rational};
use oneport_exact::{LinearProgram, Method, Options, Outcome, Relation, Sense, Solver};

use crate::numbers::whole;

/// A set of links that can be busy at the same time, ascending.
pub type Matching = Vec<LinkId>;

/// A matching and the length of time that it is kept.
pub type Weighted = (Matching, Rational);

/// All nonempty sets of these links that share no send port and no receive port. Exponential in the number of links:
/// about a dozen at most.
pub fn all_matchings(platform: &Platform, links: &[LinkId]) -> Vec<Matching> {
    let mut found: Vec<Matching> = vec![Vec::new()];
    for &link in links {
        let ends = platform.link(link);
        let free = |other: &LinkId| {
            platform.link(*other).from != ends.from && platform.link(*other).to != ends.to
        };
        let longer: Vec<Matching> = found
            .iter()
            .filter(|matching| matching.iter().all(free))
            .map(|matching| matching.iter().copied().chain([link]).collect())
            .collect();
        found.extend(longer);
    }
    found.retain(|matching| !matching.is_empty());
    found
}

/// Checks that the matchings are matchings, kept for a positive time, and use every link for exactly its time
/// within one unit of time.
///
/// # Errors
/// The first of these conditions that does not hold.
pub fn check(
    platform: &Platform,
    occupations: &BTreeMap<LinkId, Rational>,
    cut: &[Weighted],
) -> Result<()> {
    let mut used: BTreeMap<LinkId, Rational> = BTreeMap::new();
    let mut total = Rational::zero();
    for (matching, time) in cut {
        ensure!(time.is_positive(), "a matching is kept for {time}");
        for (index, &link) in matching.iter().enumerate() {
            let ends = platform.link(link);
            let clash = |other: &&LinkId| {
                platform.link(**other).from == ends.from || platform.link(**other).to == ends.to
            };
            ensure!(
                !matching[..index].iter().any(|other| clash(&other)),
                "{} clashes",
                platform.link_name(link)
            );
            *used.entry(link).or_insert_with(Rational::zero) += time;
        }
        total += time;
    }
    ensure!(
        used == *occupations,
        "the matchings do not add up to the occupations"
    );
    ensure!(
        total <= whole(1),
        "the matchings take {total}, more than the unit of time"
    );
    Ok(())
}

/// All decompositions of the occupations into `count` matchings within one unit of time, one per set of matchings.
pub fn cuts(
    platform: &Platform,
    occupations: &BTreeMap<LinkId, Rational>,
    count: usize,
) -> Result<Vec<Vec<Weighted>>> {
    let links: Vec<LinkId> = occupations.keys().copied().collect();
    let matchings = all_matchings(platform, &links);
    let mut found = Vec::new();
    for set in subsets(matchings.len(), count) {
        let set: Vec<&Matching> = set.into_iter().map(|index| &matchings[index]).collect();
        if let Some(weights) = weights(occupations, &set)? {
            found.push(set.into_iter().cloned().zip(weights).collect());
        }
    }
    Ok(found)
}

/// The time that each matching of the set is kept, all positive, if the set can make up the occupations.
fn weights(
    occupations: &BTreeMap<LinkId, Rational>,
    set: &[&Matching],
) -> Result<Option<Vec<Rational>>> {
    // Largest least weight: positive if and only if all can be.
    let mut program = LinearProgram::new(Sense::Maximize);
    let links: Vec<_> = occupations
        .values()
        .map(|time| program.add_row(Relation::Equal, time.clone()))
        .collect();
    let unit = program.add_row(Relation::AtMost, whole(1));
    let least: Vec<_> = set
        .iter()
        .map(|_| program.add_row(Relation::AtMost, Rational::zero()))
        .collect();
    let mut columns = Vec::new();
    for (matching, &least) in set.iter().zip(&least) {
        let uses = occupations
            .keys()
            .zip(&links)
            .filter(|(link, _)| matching.contains(link));
        let entries = uses
            .map(|(_, &row)| (row, whole(1)))
            .chain([(unit, whole(1)), (least, whole(-1))]);
        columns.push(program.add_column(Rational::zero(), entries)?);
    }
    program.add_column(whole(1), least.into_iter().map(|row| (row, whole(1))))?;
    let options = Options {
        method: Method::ExactPivots,
        ..Options::default()
    };
    Ok(match Solver::new(program).solve(&options)? {
        Outcome::Optimal(optimum) if optimum.objective.is_positive() => Some(
            columns
                .into_iter()
                .map(|column| optimum.primal.get(column))
                .collect(),
        ),
        _ => None,
    })
}

/// All subsets of `0..n` with `count` members, ascending.
fn subsets(n: usize, count: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let grow = |set: &Vec<usize>| {
            let first = set.last().map_or(0, |last| last + 1);
            let set = set.clone();
            (first..n).map(move |next| set.iter().copied().chain([next]).collect())
        };
        sets = sets.iter().flat_map(grow).collect();
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::numbers::number;

    #[test]
    fn two_senders_and_two_receivers_need_what_they_need() -> Result<()> {
        let platform = cases::platform(
            "a b c d",
            &[
                ("a", "c", "1"),
                ("a", "d", "1"),
                ("b", "c", "1"),
                ("b", "d", "1"),
            ],
        )?;
        assert_eq!(subsets(4, 2).len(), 6);
        let links: Vec<LinkId> = platform.link_ids().collect();
        assert_eq!(all_matchings(&platform, &links).len(), 6);
        let times = |text: [&str; 4]| -> Result<BTreeMap<LinkId, Rational>> {
            links
                .iter()
                .zip(text)
                .map(|(&link, text)| Ok((link, number(text)?)))
                .collect()
        };
        let even = times(["1/2", "1/2", "1/2", "1/2"])?;
        assert!(cuts(&platform, &even, 1)?.is_empty());
        assert_eq!(cuts(&platform, &even, 2)?.len(), 1);
        for cut in cuts(&platform, &even, 2)? {
            check(&platform, &even, &cut)?;
            assert!(check(&platform, &times(["1/2", "1/2", "1/2", "1/3"])?, &cut).is_err());
        }
        assert!(cuts(&platform, &times(["1/2", "3/4", "1/2", "1/2"])?, 4)?.is_empty());
        Ok(())
    }
}
