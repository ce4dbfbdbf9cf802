//! Many participants, volumes that depend on the number of operands: lower bounds and a tree.
//!
//! Let `size(c) >= a + b c` for every number of operands `c`, with `a, b >= 0`, and `work(c) >= w`. In any tree, the
//! transfers cost at least `a` times their distances plus, for every operand, `b` times the distance that it travels as
//! part of any message, which is at least that from its owner to the target. So
//!
//! ```text
//! cheapest >= cheapest for messages of size a, merges of work w  +  b sum_k dist(owner_k, target)
//! ```
//!
//! and the first term is a problem of one size. The best of two such lines is taken: the least size for all, and the
//! line that rises most. The trees considered are the trees found for the bounds, and the trees that merge everything
//! at one processor, at their true prices. The best of them is improved by redirecting single streams.

use oneport_platform::NodeId;

use super::answer::{Answer, bounded};
use super::arborescences::{MemberTree, Streams};
use super::scaled::{Fixed, Priced};

/// Rounds of improvement. Trades time for cheaper trees. Not measured.
const ROUNDS: usize = 3;
/// Nearest processors tried per stream. Trades time for cheaper trees. Not measured.
const NEAREST: usize = 8;

/// Two problems of one size per target, and up to 27 trees for each processor.
pub(super) fn answers<N: Fixed>(
    priced: &Priced<N>,
    targets: &[NodeId],
    wanted: usize,
) -> Vec<Option<Answer<N>>> {
    let work = priced
        .works
        .iter()
        .skip(1)
        .min()
        .cloned()
        .unwrap_or_else(N::zero);
    let lines: Vec<(Streams<'_, N>, N)> = lines(&priced.sizes)
        .into_iter()
        .map(|(fixed, rise)| (Streams::new(priced, &fixed, &work), rise))
        .collect();
    let answer = |&target: &NodeId| {
        priced.watch.ask().ok()?;
        let ways: Option<Vec<&N>> = (0..priced.participants)
            .map(|owner| priced.distance(owner, target))
            .collect();
        let mut total = N::zero();
        for way in ways? {
            total += way;
        }
        let (mut bound, mut found) = (N::zero(), one_processor(priced));
        for (streams, rise) in &lines {
            let Some((of_line, more)) = bounded(streams, &streams.to_target(target), wanted) else {
                continue;
            };
            bound = bound.max(of_line.plus(&total.times(rise)));
            found.extend(more);
        }
        let (streams, _) = lines.first()?;
        let tree = |found: &MemberTree<N>| {
            let shape = streams.shape(found)?;
            Some((shape.price(priced, target)?, shape))
        };
        let best = found
            .iter()
            .filter_map(|found| Some((tree(found)?.0, found)))
            .min_by(|one, two| one.0.cmp(&two.0));
        let better = best.map(|(price, found)| {
            improved(streams, found.clone(), price, |found| Some(tree(found)?.0))
        });
        Answer {
            bound,
            trees: better.iter().chain(&found).filter_map(tree).collect(),
        }
        .sorted(wanted)
    };
    targets.iter().map(answer).collect()
}

/// Redirects single streams to nearby processors, or moves the result to one, while that helps.
fn improved<N: Fixed>(
    streams: &Streams<'_, N>,
    mut found: MemberTree<N>,
    mut price: N,
    true_price: impl Fn(&MemberTree<N>) -> Option<N>,
) -> MemberTree<N> {
    for _ in 0..ROUNDS {
        let before = price.clone();
        for member in 0..found.members.len() {
            if streams.priced.watch.ask().is_err() {
                return found;
            }
            for to in nearest(streams, &found, member) {
                let Some(other) = redirected(&found, member, to) else {
                    continue;
                };
                if let Some(lower) = true_price(&other).filter(|lower| *lower < price) {
                    (found, price) = (other, lower);
                }
            }
        }
        if price == before {
            break;
        }
    }
    found
}

/// The members to which the stream of a member is sent and merged most cheaply, and the target.
fn nearest<N: Fixed>(
    streams: &Streams<'_, N>,
    found: &MemberTree<N>,
    member: usize,
) -> Vec<Option<usize>> {
    let arc = |(to, &processor): (usize, &usize)| {
        Some((streams.arc(found.members[member], processor)?, to))
    };
    let others = found
        .members
        .iter()
        .enumerate()
        .filter(|&(to, _)| to != member);
    let mut arcs: Vec<(N, usize)> = others.filter_map(arc).collect();
    arcs.sort_unstable();
    arcs.into_iter()
        .take(NEAREST)
        .map(|(_, to)| Some(to))
        .chain([None])
        .collect()
}

/// The arborescence with a member's stream sent elsewhere. What made the result before now sends it to a member that
/// is to send it to the target. `None` if that closes a cycle or changes nothing.
fn redirected<N: Fixed>(
    found: &MemberTree<N>,
    member: usize,
    to: Option<usize>,
) -> Option<MemberTree<N>> {
    let path = std::iter::successors(to, |&at| found.next[at]);
    if found.next[member] == to
        || found.next[member].is_none()
        || path.into_iter().any(|at| at == member)
    {
        return None;
    }
    let mut other = found.clone();
    other.next[member] = to;
    if to.is_none() {
        let end = found.next.iter().position(Option::is_none)?;
        other.next[end] = Some(member);
    }
    Some(other)
}

/// Lines `(a, b)` below the sizes.
fn lines<N: Fixed>(sizes: &[N]) -> Vec<(N, N)> {
    let Some((first, least)) = sizes.first().zip(sizes.iter().min()) else {
        return Vec::new();
    };
    let mut lines = vec![(least.clone(), N::zero())];
    // Sizes that rise by at least `rise` each time are above the line through the first one with this slope. It has to
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

/// For every processor the arborescence that merges everything there.
fn one_processor<N: Fixed>(priced: &Priced<N>) -> Vec<MemberTree<N>> {
    let participants = priced.participants;
    let tree = |at: usize| {
        let members: Vec<usize> = (0..participants)
            .chain((at >= participants).then_some(at))
            .collect();
        let centre = at.min(participants);
        let next = (0..members.len())
            .map(|member| if member == centre { None } else { Some(centre) })
            .collect();
        MemberTree {
            price: N::zero(),
            members,
            next,
        }
    };
    (0..priced.processors.len()).map(tree).collect()
}
