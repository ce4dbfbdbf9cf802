//! Many participants, volumes that depend on the number of operands: lower bounds and a tree.
//!
//! Let `size(c) >= a + b c` for every number of operands `c`, with `a, b >= 0`, and `work(c) >= w`. In any tree, the
//! transfers cost at least `a` times their distances plus, for every operand, `b` times the distance that it travels as
//! part of whatever message, which is at least that from its owner to the target. So
//!
//! ```text
//! cheapest >= cheapest for messages of size a, merges of work w  +  b sum_k dist(owner_k, target)
//! ```
//!
//! and the first term is a problem of one size. The best of two such lines is taken: the least size for all, and the
//! line that rises most. The trees considered are those found for the bounds, and those that merge everything in one
//! place, all at their true prices.

use oneport_platform::NodeId;

use super::answer::{Answer, of_streams};
use super::scaled::{Fixed, Priced};
use super::shape::Shape;
use super::streams::Streams;

/// `O(p)` problems of one size for the bounds, and `p` trees of `n` merges.
pub(super) fn answers<N: Fixed>(priced: &Priced<N>, targets: &[NodeId], wanted: usize) -> Vec<Option<Answer<N>>> {
    let work = priced.works.iter().skip(1).min().cloned().unwrap_or_else(N::zero);
    let lines: Vec<(Streams<'_, N>, N)> =
        lines(&priced.sizes).into_iter().map(|(fixed, rise)| (Streams::new(priced, &fixed, &work), rise)).collect();
    let answer = |&target: &NodeId| {
        let mut all = Answer { bound: N::zero(), trees: one_place(priced, target) };
        let ways: Option<Vec<&N>> = (0..priced.participants).map(|owner| priced.distance(owner, target)).collect();
        let mut total = N::zero();
        ways?.into_iter().for_each(|way| total += way);
        for (streams, rise) in &lines {
            let Some(found) = of_streams(streams, target, wanted) else { continue };
            all.bound = all.bound.max(found.bound.plus(&total.times(rise)));
            let true_price = |(_, shape): (N, Shape)| Some((shape.price(priced, target)?, shape));
            all.trees.extend(found.trees.into_iter().filter_map(true_price));
        }
        all.sorted(wanted)
    };
    targets.iter().map(answer).collect()
}

/// Lines `(a, b)` below the sizes.
fn lines<N: Fixed>(sizes: &[N]) -> Vec<(N, N)> {
    let Some((first, least)) = sizes.first().zip(sizes.iter().min()) else { return Vec::new() };
    let mut lines = vec![(least.clone(), N::zero())];
    // Sizes that rise by at least `rise` each time are above the line through the first one with this slope; it has to
    // start at 0 or above.
    let rises = sizes.windows(2).map(|pair| pair[1].surplus(&pair[0]));
    let rise = rises.min().unwrap_or_else(N::zero);
    if rise > *first {
        lines.push((N::zero(), first.clone()));
    } else if !rise.is_zero() {
        lines.push((first.surplus(&rise), rise));
    }
    lines
}

/// For every place the tree that merges everything there.
fn one_place<N: Fixed>(priced: &Priced<N>, target: NodeId) -> Vec<(N, Shape)> {
    let tree = |at: usize| {
        let mut shape = Shape::default();
        let parts: Vec<usize> = (0..priced.participants).map(|participant| shape.single(participant)).collect();
        shape.merge_all(at, &parts)?;
        Some((shape.price(priced, target)?, shape))
    };
    (0..priced.places.len()).filter_map(tree).collect()
}
