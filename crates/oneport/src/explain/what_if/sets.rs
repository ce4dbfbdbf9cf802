//! Sets of classes: if doubling any class alone gains nothing, doubling two or three together may.

use std::collections::BTreeSet;

use oneport_plan::Status;
use oneport_platform::{Change, Rational};

use super::classes::{Class, Trial};
use super::row::ChangedAnswer;
use crate::Answer;

/// Classes that form sets: the classes whose halving costs most. Six classes give 15 pairs and 20 triples. Each is
/// solved. Trades further sets for time. Measured: 69 rows of an all-reduce on 4 racks of 8 take 7.1 s of CPU.
const MOST: usize = 6;

/// Classes that are doubled together.
pub(super) struct Set {
    /// `A and B`, `A and B and C`.
    pub(super) name: String,
    /// Their indices among the classes that form sets.
    pub(super) members: BTreeSet<usize>,
    /// Each link or processor once.
    pub(super) changes: Vec<Change>,
}

/// The pairs, then the triples to try. Empty unless every class alone is proved to gain nothing.
pub(super) fn sets(base: &Answer, rows: &[ChangedAnswer]) -> Vec<Set> {
    let optimum = base.bound();
    let bound = |row: &ChangedAnswer| {
        row.effect
            .listed()
            .map(|(answer, _)| answer.bound().clone())
    };
    let gains = |row: &ChangedAnswer| {
        let doubled = matches!(row.change, Some((_, Trial::Doubled)));
        doubled && bound(row).is_none_or(|bound| bound > *optimum)
    };
    if base.status() != Status::Optimal || rows.iter().any(gains) {
        return Vec::new();
    }
    // A class that is not saturated can be somewhat slower. One that is slower by half limits, or is saturated already.
    let halved = |row: &ChangedAnswer| -> Option<(Rational, Class)> {
        let Some((class, Trial::Halved)) = &row.change else {
            return None;
        };
        let bound = bound(row).filter(|bound| bound < optimum)?;
        Some((bound, class.clone()))
    };
    let mut classes: Vec<(Rational, Class)> = rows.iter().filter_map(halved).collect();
    classes.sort_by(|one, other| one.0.cmp(&other.0));
    classes.truncate(MOST);
    let classes: Vec<Class> = classes.into_iter().map(|(_, class)| class).collect();
    let larger = |index: usize| index + 1..classes.len();
    let pairs: Vec<Vec<usize>> = (0..classes.len())
        .flat_map(|one| larger(one).map(move |other| vec![one, other]))
        .collect();
    let third = |pair: &Vec<usize>| {
        larger(pair[1])
            .map(|index| [&pair[..], &[index]].concat())
            .collect::<Vec<_>>()
    };
    let triples: Vec<Vec<usize>> = pairs.iter().flat_map(third).collect();
    pairs
        .into_iter()
        .chain(triples)
        .filter_map(|indices| set(&classes, &indices))
        .collect()
}

fn set(classes: &[Class], indices: &[usize]) -> Option<Set> {
    let (mut changes, mut names): (Vec<Change>, Vec<&str>) = (Vec::new(), Vec::new());
    for class in indices.iter().map(|&index| &classes[index]) {
        names.push(&class.name);
        let more: Vec<Change> = class.changes(Trial::Doubled)?;
        changes.extend(
            more.into_iter()
                .filter(|change| !changes.contains(change))
                .collect::<Vec<_>>(),
        );
    }
    Some(Set {
        name: names.join(" and "),
        members: indices.iter().copied().collect(),
        changes,
    })
}
