//! Answers per target, and the bound of problems of one size.

use super::arborescences::{MemberTree, Streams};
use super::merge_tree::Shape;
use super::scaled::FEW;
use super::scaled::Fixed;
use super::steiner;

/// Bound and trees for one target.
pub(super) struct Answer<N> {
    /// No tree costs less.
    pub bound: N,
    /// Trees and their prices, cheapest first.
    pub trees: Vec<(N, Shape)>,
}

impl<N: Fixed> Answer<N> {
    /// At most `wanted` trees, each once, cheapest first, ties shallow first. `None` if no tree exists.
    pub(super) fn sorted(mut self, wanted: usize) -> Option<Self> {
        self.trees.sort_by(|one, two| {
            one.0
                .cmp(&two.0)
                .then_with(|| one.1.depth().cmp(&two.1.depth()))
        });
        let mut kept: Vec<(N, Shape)> = Vec::with_capacity(wanted);
        for (price, shape) in self.trees {
            let shape = shape.canonical();
            if !kept.iter().any(|other| other.1 == shape) {
                kept.push((price, shape));
            }
            if kept.len() == wanted {
                break;
            }
        }
        self.trees = kept;
        if self.trees.is_empty() {
            None
        } else {
            Some(self)
        }
    }
}

/// A lower bound on the least price in the problem of one size, the least price for few helpers, and arborescences.
pub(super) fn bounded<N: Fixed>(
    streams: &Streams<'_, N>,
    to_target: &[Option<N>],
    wanted: usize,
) -> Option<(N, Vec<MemberTree<N>>)> {
    let more = wanted.saturating_sub(1);
    if streams.helpers.len() <= FEW {
        let found = streams.exact(to_target, more);
        return Some((found.first()?.price.clone(), found));
    }
    let (bound, tree) = steiner::best(streams, to_target)?;
    let mut found = vec![tree];
    streams.add_elsewhere(&mut found, to_target, more);
    Some((bound, found))
}
