//! Patterns in two stages: what makes a result at a processor, and what spreads it from there.
//!
//! Any first stage goes with any second stage that starts where the first one ends. A program that holds the stages one by
//! one, with one row per place where they meet, holds all their compositions: `k` first and `l` second stages at a place
//! stand for `k l` patterns, and column generation needs fewer rounds. (Its optimum is the same: weights of stages that
//! balance at every place are weights of compositions, see [`paired`].)

use oneport_plan::{Pattern, Scheme, SchemeTask};
use oneport_platform::{NodeId, Rational};

use num_traits::Signed;

/// The two stages of a composition, each a pattern for the loads it causes.
pub struct Stages {
    /// Where the result is made.
    pub at: NodeId,
    /// Ends with the merge that makes the result.
    pub first: Scheme,
    /// Transfers of the result only; what starts at `at` comes after `None`.
    pub second: Scheme,
}

/// The stages of a pattern: its last merge ends the first one. `None` where what follows is not the spreading of what that
/// merge makes, or where nothing follows.
pub fn stages(pattern: &Pattern) -> Option<Stages> {
    let Pattern::Scheme(scheme) = pattern else { return None };
    let end = scheme.tasks.iter().rposition(|task| matches!(task, SchemeTask::Merge { .. }))?;
    let SchemeTask::Merge { node: at, part: result, .. } = scheme.tasks[end] else { return None };
    let (first, rest) = scheme.tasks.split_at(end + 1);
    let spread = |task: &SchemeTask| match *task {
        SchemeTask::Transfer { link, part, after: Some(after) } if part == result && after >= end => {
            Some(SchemeTask::Transfer { link, part, after: (after - end).checked_sub(1) })
        }
        _ => None,
    };
    let second: Vec<SchemeTask> = rest.iter().map(spread).collect::<Option<_>>()?;
    let stage = |order, tasks| Scheme { commodity: scheme.commodity, order, tasks };
    let (first, second) = (stage(scheme.order.clone(), first.to_vec()), stage(None, second));
    (!second.tasks.is_empty()).then_some(Stages { at, first, second })
}

/// The pattern of a first and a second stage that meet.
pub fn joined(first: &Scheme, second: &Scheme) -> Pattern {
    let mut tasks = first.tasks.clone();
    let start = tasks.len();
    let moved = |task: &SchemeTask| match *task {
        SchemeTask::Transfer { link, part, after } => {
            let after = after.map_or(start.checked_sub(1), |after| Some(start + after));
            SchemeTask::Transfer { link, part, after }
        }
        merge => merge,
    };
    tasks.extend(second.tasks.iter().map(moved));
    Pattern::Scheme(Scheme { commodity: first.commodity, order: first.order.clone(), tasks })
}

/// Composes first and second stages with their weights: each pair `(first, second, weight)` appears once, there are fewer of
/// them than stages, and the weights add up to the smaller of the two sums.
pub fn paired<T: Copy>(first: &[(T, Rational)], second: &[(T, Rational)]) -> Vec<(T, T, Rational)> {
    let (mut first, mut second) = (first.iter().cloned(), second.iter().cloned());
    let mut pairs = Vec::new();
    let (mut one, mut other) = (first.next(), second.next());
    while let (Some((made, more)), Some((spread, wanted))) = (&mut one, &mut other) {
        let weight = (&*more).min(&*wanted).clone();
        *more -= &weight;
        *wanted -= &weight;
        let (is_made, is_spread) = (!more.is_positive(), !wanted.is_positive());
        if weight.is_positive() {
            pairs.push((*made, *spread, weight));
        }
        if is_made {
            one = first.next();
        }
        if is_spread {
            other = second.next();
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use oneport_plan::Interval;
    use oneport_platform::LinkId;

    use super::*;

    /// Two operands merged at node 1, the result sent over links 1 and then 2.
    fn composition(from: usize) -> Scheme {
        let [single, whole] = [Interval { first: 0, last: 0 }, Interval { first: 0, last: 1 }];
        let link = |index: usize| LinkId::new(index);
        let tasks = vec![
            SchemeTask::Transfer { link: link(0), part: single, after: None },
            SchemeTask::Merge { node: NodeId::new(1), part: whole, split: 0, left: Some(0), right: None },
            SchemeTask::Transfer { link: link(1), part: whole, after: Some(1) },
            SchemeTask::Transfer { link: link(2), part: whole, after: Some(from) },
        ];
        Scheme { commodity: 3, order: None, tasks }
    }

    #[test]
    fn stages_join_to_what_they_came_from() {
        for from in [1, 2] {
            let pattern = Pattern::Scheme(composition(from));
            let stages = stages(&pattern).unwrap();
            assert_eq!((stages.at, stages.first.tasks.len(), stages.second.tasks.len()), (NodeId::new(1), 2, 2));
            assert_eq!(joined(&stages.first, &stages.second), pattern);
        }
    }

    /// What follows uses an operand, or nothing follows.
    #[test]
    fn other_schemes_have_no_stages() {
        assert!(stages(&Pattern::Scheme(composition(0))).is_none());
        let mut scheme = composition(1);
        scheme.tasks.truncate(2);
        assert!(stages(&Pattern::Scheme(scheme)).is_none());
    }

    #[test]
    fn pairs_keep_the_weights_of_the_lighter_side() {
        let list = |weights: &[i64]| -> Vec<(usize, Rational)> {
            weights.iter().map(|&weight| Rational::new(weight.into(), 7.into())).enumerate().collect()
        };
        for (first, second) in [(&[3, 2, 5][..], &[4, 1, 5][..]), (&[1, 1], &[9]), (&[9], &[2, 3]), (&[], &[2])] {
            let (first, second) = (list(first), list(second));
            let pairs = paired(&first, &second);
            let sum = |list: &[(usize, Rational)]| list.iter().map(|(_, weight)| weight).sum::<Rational>();
            let total: Rational = pairs.iter().map(|(.., weight)| weight).sum();
            assert_eq!(total, sum(&first).min(sum(&second)));
            assert!(pairs.is_empty() || pairs.len() < first.len() + second.len());
            for (place, weight) in &second {
                let of: Rational = pairs.iter().filter(|pair| pair.1 == *place).map(|pair| &pair.2).sum();
                assert!(of <= *weight);
            }
        }
    }
}
