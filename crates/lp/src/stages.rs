//! Patterns in two stages: one makes a result at a processor, the other spreads it from there.
//!
//! Any first stage goes with any second stage that starts at the node of its result. Such a node is a *joint*. A
//! program with a column per stage and a row per joint holds all compositions: `k` first and `l` second stages at a
//! joint represent `k l` patterns, and column generation needs fewer rounds. The optimum is the same: weights of stages
//! that balance at every joint are weights of compositions, see [`paired`].

use oneport_plan::{Pattern, Task};
use oneport_platform::{LinkId, NodeId, Rational};

use num_traits::Signed;

/// The two stages of a composition, each a pattern for the loads it causes.
pub(crate) struct Stages {
    /// Where the result is made.
    pub at: NodeId,
    /// Ends with the merge that makes the result.
    pub first: Pattern,
    /// Transfers of the result only. Transfers that start at `at` have the input `None`.
    pub second: Pattern,
}

/// The stages of a pattern: its last merge ends the first one. `None` if a later transfer sends anything but the result
/// of that merge, or if nothing follows.
pub(crate) fn stages(pattern: &Pattern) -> Option<Stages> {
    let end = pattern
        .tasks
        .iter()
        .rposition(|task| matches!(task, Task::Merge { .. }))?;
    let Task::Merge {
        node: at,
        part: result,
        ..
    } = pattern.tasks[end]
    else {
        return None;
    };
    let (first, rest) = pattern.tasks.split_at(end + 1);
    let index = u32::try_from(end).ok()?;
    let spread = |task: &Task| match *task {
        Task::Send {
            link,
            part,
            after: Some(after),
        } if part == result && after >= index => Some((link, (after - index).checked_sub(1))),
        _ => None,
    };
    let hops: Vec<(LinkId, Option<u32>)> = rest.iter().map(spread).collect::<Option<_>>()?;
    let first = Pattern {
        tasks: first.to_vec(),
        ..pattern.clone()
    };
    let mut second = Pattern::new(pattern.demand);
    second.copy(result, None, hops);
    (!second.tasks.is_empty()).then_some(Stages { at, first, second })
}

/// The pattern of a first and a second stage that meet.
pub(crate) fn joined(first: &Pattern, second: &Pattern) -> Pattern {
    let mut pattern = first.clone();
    let hop = |task: &Task| match *task {
        Task::Send { link, part, after } => Some((part, (link, after))),
        Task::Merge { .. } => None,
    };
    let hops: Vec<_> = second.tasks.iter().filter_map(hop).collect();
    if let Some(&(part, _)) = hops.first() {
        pattern.copy(part, first.last(), hops.into_iter().map(|(_, hop)| hop));
    }
    pattern
}

/// Composes first and second stages with their weights: each pair `(first, second, weight)` appears once, there are
/// fewer of them than stages, and the weights add up to the smaller of the two sums.
pub(crate) fn paired<T: Copy>(
    first: &[(T, Rational)],
    second: &[(T, Rational)],
) -> Vec<(T, T, Rational)> {
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
    use oneport_numbers::ratio;
    use oneport_plan::Interval;

    use super::*;

    /// Two operands merged at node 1, the result sent over links 1 and then 2.
    fn composition(from: u32) -> Pattern {
        let [single, whole] = [
            Interval { first: 0, last: 0 },
            Interval { first: 0, last: 1 },
        ];
        let link = |index: usize| LinkId::new(index);
        let tasks = vec![
            Task::Send {
                link: link(0),
                part: single,
                after: None,
            },
            Task::Merge {
                node: NodeId::new(1),
                part: whole,
                split: 0,
                left: Some(0),
                right: None,
            },
            Task::Send {
                link: link(1),
                part: whole,
                after: Some(1),
            },
            Task::Send {
                link: link(2),
                part: whole,
                after: Some(from),
            },
        ];
        Pattern {
            demand: 3,
            order: None,
            tasks,
        }
    }

    #[test]
    fn stages_join_to_what_they_came_from() {
        for from in [1, 2] {
            let pattern = composition(from);
            let stages = stages(&pattern).unwrap();
            assert_eq!(
                (
                    stages.at,
                    stages.first.tasks.len(),
                    stages.second.tasks.len()
                ),
                (NodeId::new(1), 2, 2)
            );
            assert_eq!(joined(&stages.first, &stages.second), pattern);
        }
    }

    /// If the rest uses an operand, or if nothing follows, there are no stages.
    #[test]
    fn other_schemes_have_no_stages() {
        assert!(stages(&composition(0)).is_none());
        let mut scheme = composition(1);
        scheme.tasks.truncate(2);
        assert!(stages(&scheme).is_none());
    }

    #[test]
    fn pairs_keep_the_weights_of_the_lighter_side() {
        let list = |weights: &[i64]| -> Vec<(usize, Rational)> {
            weights
                .iter()
                .map(|&weight| ratio(weight, 7))
                .enumerate()
                .collect()
        };
        for (first, second) in [
            (&[3, 2, 5][..], &[4, 1, 5][..]),
            (&[1, 1], &[9]),
            (&[9], &[2, 3]),
            (&[], &[2]),
        ] {
            let (first, second) = (list(first), list(second));
            let pairs = paired(&first, &second);
            let sum = |list: &[(usize, Rational)]| {
                list.iter().map(|(_, weight)| weight).sum::<Rational>()
            };
            let total: Rational = pairs.iter().map(|(.., weight)| weight).sum();
            assert_eq!(total, sum(&first).min(sum(&second)));
            assert!(pairs.is_empty() || pairs.len() < first.len() + second.len());
            for (index, weight) in &second {
                let of: Rational = pairs
                    .iter()
                    .filter(|pair| pair.1 == *index)
                    .map(|pair| &pair.2)
                    .sum();
                assert!(of <= *weight);
            }
        }
    }
}
