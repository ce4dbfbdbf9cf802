//! One processor's neighbours in the tree of Algorithm 1 without the tree, and the tree's degree and depth.
//!
//! Processors are numbered as Algorithm 1 (ties: the oldest) delivers them. They fall into *classes* of equal dates
//! `a step + b detour`, O(log^2 n) of them. A class holds, in index order, first the processors delivered by the
//! members of the class one step before, in its order (they were delivered or delivered last at that date). Then the
//! processors delivered by fresh ones, born one detour before. So a processor at position `p` of the class of date `t`
//! has the same deliverer as the one at position `p` of the class of date `t - step`, if that class has a position `p`,
//! otherwise it is the first child of the processor at position `p - |class(t - step)|` of the class of date
//! `t - detour`. Conversely, the position of a processor's first child is that of all its children.

use num_bigint::BigUint;
use oneport_plan::Concurrency;

use crate::count::{Walk, machine, walk};
use crate::root::{Neighbours, shaping};
use crate::time::{Pair, Scaled, Time};
use crate::{EqualCosts, Error};

/// How wide and how deep a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// How many processors send to the root: no processor receives from more.
    pub degree: u64,
    /// Transfers on the longest path to the root.
    pub depth: u64,
}

/// The neighbours of the `index`-th processor that Algorithm 1 of RR-7898 delivers (ties: the oldest), the root being
/// 0, all by their indices. O(log^2 n), any number of values.
///
/// # Errors
/// No values, an index that is out of range.
pub fn delivered(values: u64, index: u64, costs: &EqualCosts) -> Result<Neighbours, Error> {
    if values == 0 {
        return Err(Error::NoValues);
    }
    if index >= values {
        return Err(Error::NoProcessor {
            role: "processor",
            processor: index,
            values,
        });
    }
    let scaled = Scaled::new(costs);
    Ok(match machine(&scaled, &BigUint::ZERO) {
        Some(pair) => Classes::new(&pair, values).neighbours(index),
        None => Classes::new(&scaled.big(), values).neighbours(index),
    })
}

/// Degree and depth of Algorithm 1's tree (ties: the oldest). O(log^2 n).
///
/// # Errors
/// No values.
pub fn extent(values: u64, costs: &EqualCosts) -> Result<Extent, Error> {
    if values == 0 {
        return Err(Error::NoValues);
    }
    let scaled = Scaled::new(costs);
    Ok(match machine(&scaled, &BigUint::ZERO) {
        Some(pair) => Classes::new(&pair, values).extent(),
        None => Classes::new(&scaled.big(), values).extent(),
    })
}

/// Processors delivered at one date.
struct Class<N> {
    date: N,
    /// The index of the first.
    start: u128,
    /// How many there would be in the infinite tree.
    size: u128,
}

struct Classes<N> {
    step: N,
    detour: N,
    values: u128,
    /// Sorted by date. The first holds the root alone.
    classes: Vec<Class<N>>,
}

impl<N: Time> Classes<N> {
    fn new(pair: &Pair<N>, values: u64) -> Classes<N> {
        let pair = shaping(pair);
        let values = u128::from(values);
        let mut classes: Vec<Class<N>> = vec![Class {
            date: N::zero(),
            start: 0,
            size: 1,
        }];
        let mut there = 1_u128;
        let ended = walk(&pair, Concurrency::Unlimited, |date, size| {
            if there < values {
                classes.push(Class {
                    date: date.clone(),
                    start: there,
                    size,
                });
                there = there.saturating_add(size);
            }
            there >= values
        });
        debug_assert!(
            matches!(ended, Walk::Stopped),
            "nothing ends without a limit"
        );
        Classes {
            step: pair.step(),
            detour: pair.detour(),
            values,
            classes,
        }
    }

    /// The class of a date.
    fn of(&self, date: &N) -> Option<&Class<N>> {
        self.classes
            .binary_search_by(|class| class.date.cmp(date))
            .ok()
            .map(|position| &self.classes[position])
    }

    /// How many were delivered a time before a date. The root was not.
    fn before(&self, date: &N, time: &N) -> u128 {
        let there = if date > time {
            self.of(&date.minus(time))
        } else {
            None
        };
        there.map_or(0, |class| class.size)
    }

    /// The class that holds an index.
    fn holding(&self, index: u128) -> Option<&Class<N>> {
        self.classes[..self.classes.partition_point(|class| class.start <= index)].last()
    }

    fn receiver(&self, index: u128) -> Option<u128> {
        let class = self.holding(index).filter(|_| index > 0)?;
        let (mut date, position) = (class.date.clone(), index - class.start);
        loop {
            let again = self.before(&date, &self.step);
            if position >= again {
                return Some(self.of(&date.minus(&self.detour))?.start + position - again);
            }
            date = date.minus(&self.step);
        }
    }

    fn children(&self, index: u128) -> Option<Vec<u128>> {
        let class = self.holding(index)?;
        let mut date = class.date.plus(&self.detour);
        let position = self.before(&date, &self.step) + index - class.start;
        let mut children = Vec::new();
        while let Some(class) = self
            .of(&date)
            .filter(|class| class.start + position < self.values)
        {
            children.push(class.start + position);
            date = date.plus(&self.step);
        }
        // Read backwards the first to be delivered is the last to be merged.
        children.reverse();
        Some(children)
    }

    fn neighbours(&self, index: u64) -> Neighbours {
        let word = |index: u128| u64::try_from(index).unwrap_or(u64::MAX);
        let mut depth = 0;
        let mut at = u128::from(index);
        while let Some(receiver) = self.receiver(at) {
            (at, depth) = (receiver, depth + 1);
        }
        Neighbours {
            receiver: self.receiver(index.into()).map(word),
            children: self
                .children(index.into())
                .unwrap_or_default()
                .into_iter()
                .map(word)
                .collect(),
            depth,
        }
    }

    /// The root delivers first in its class. The only processor of the greatest depth delivers last in its class.
    fn extent(&self) -> Extent {
        let Some(last) = self.classes.last().filter(|class| class.date > N::zero()) else {
            return Extent {
                degree: 0,
                depth: 0,
            };
        };
        let most = |times: u128| u64::try_from(times).unwrap_or(u64::MAX);
        let degree = last
            .date
            .minus(&self.detour)
            .over(&self.step)
            .saturating_add(1);
        let deepest = last.date.over(&self.detour);
        let partial = self.values < last.start.saturating_add(last.size);
        let missing = partial && self.detour.times(deepest) == last.date;
        Extent {
            degree: most(degree),
            depth: most(deepest - u128::from(missing)),
        }
    }
}
