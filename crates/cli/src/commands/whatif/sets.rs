//! Pairs of classes: where doubling any class alone gains nothing, two that limit together may.

use oneport::platform::Change;
use oneport::{Rated, Rational, Status};

use super::classes::{Class, Trial};
use super::row::{Outcome, Row};

/// Classes that pairs are made of, at most: those whose halving costs most.
const MOST: usize = 6;

/// Two classes, and what doubles both.
pub struct Pair {
    /// `A and B`.
    pub name: String,
    /// Each link or processor once.
    pub changes: Vec<Change>,
}

/// The pairs to try; none where a class alone gains something, or is not proved to gain nothing.
pub fn of(base: &Rated, rows: &[Row]) -> Vec<Pair> {
    let optimum = &base.upper_bound;
    let gains = |row: &Row| match (&row.class, &row.outcome) {
        (Some((_, Trial::Doubled)), Outcome::Rated(rated)) => rated.upper_bound > *optimum,
        (Some((_, Trial::Doubled)), _) => true,
        _ => false,
    };
    if base.status != Status::Optimal || rows.iter().any(gains) {
        return Vec::new();
    }
    // A class that is not saturated can be somewhat slower; one that is slower by half limits, or is saturated already.
    let halved = |row: &Row| -> Option<(Rational, Class)> {
        match (&row.class, &row.outcome) {
            (Some((class, Trial::Halved)), Outcome::Rated(rated)) if rated.upper_bound < *optimum => {
                Some((rated.upper_bound.clone(), class.clone()))
            }
            _ => None,
        }
    };
    let mut classes: Vec<(Rational, Class)> = rows.iter().filter_map(halved).collect();
    classes.sort_by(|one, other| one.0.cmp(&other.0));
    classes.truncate(MOST);
    let both = |(place, (_, one)): (usize, &(Rational, Class))| -> Vec<Pair> {
        let others = classes[place + 1..].iter();
        others.filter_map(|(_, other)| pair(one, other)).collect()
    };
    classes.iter().enumerate().flat_map(both).collect()
}

fn pair(one: &Class, other: &Class) -> Option<Pair> {
    let mut changes = one.changes(Trial::Doubled)?;
    let more = other.changes(Trial::Doubled)?.into_iter().filter(|change| !changes.contains(change));
    let more: Vec<Change> = more.collect();
    changes.extend(more);
    Some(Pair { name: format!("{} and {}", one.name, other.name), changes })
}
