//! Many helpers: the cheapest tree is a cheapest Steiner arborescence.
//!
//! Let every stream that leaves a helper `w` cost `q_w` less. Then a tree that merges at the helpers `H` costs what its
//! arborescence over participants and `H` costs, and no arc is negative: if `q_w > D(w,j) + q_j`, no cheapest tree
//! merges at both `w` and `j`, and the arc is left out. So the cheapest tree is a cheapest *Steiner* arborescence, with
//! all arcs turned: it has to connect the target to the participants and may use helpers.

use oneport_graph::steiner::{Effort, steiner};

use super::arborescences::{MemberTree, Streams};
use super::scaled::Fixed;

/// Rounds of local search. Trades time for cheaper trees. Not measured.
const ROUNDS: usize = 3;
/// Subproblems of a branch and bound. Trades time for certainty. Not measured.
const BUDGET: usize = 2000;

/// A lower bound on the price of every tree to the target, and a tree. `None` if no tree exists. The bound is the price
/// if the Steiner arborescence is proved to be cheapest within the limit of subproblems. Prices that only guide get no
/// subproblems.
pub(super) fn best<N: Fixed>(
    streams: &Streams<'_, N>,
    to_target: &[Option<N>],
) -> Option<(N, MemberTree<N>)> {
    let participants = streams.priced.participants;
    let members: Vec<usize> = (0..participants)
        .chain(streams.helpers.iter().copied())
        .collect();
    let (root, required) = (members.len(), (0..participants).collect::<Vec<usize>>());
    let (arcs, beyond) = arcs(streams, &members, to_target);
    let budget = (!streams.priced.guides).then_some(BUDGET);
    let effort = Effort {
        budget,
        cuts: false,
        watch: &streams.priced.watch,
    };
    let found = steiner(root + 1, root, &required, &arcs, effort)?;
    let mut helpers: Vec<usize> = found.arcs.iter().map(|&arc| members[arcs[arc].1]).collect();
    helpers.retain(|&processor| processor >= participants);
    helpers.sort_unstable();
    let bound = found.at_least.surplus(&beyond);
    let tree = settle(streams, &helpers, to_target)?;
    Some(if tree.price == bound {
        (bound, tree)
    } else {
        (bound, improved(streams, tree, to_target))
    })
}

/// The arcs `(to, from, cost)` of streams between members, less what helpers are refunded. The target is one node more,
/// with an arc to every member. It is beyond all other arcs, which is the second result, to take two of these.
fn arcs<N: Fixed>(
    streams: &Streams<'_, N>,
    members: &[usize],
    to_target: &[Option<N>],
) -> (Vec<(usize, usize, N)>, N) {
    let refund = |processor: usize| {
        if processor < streams.priced.participants {
            None
        } else {
            streams.merges[processor].clone()
        }
    };
    let less = |price: N, processor: usize| match refund(processor) {
        Some(refund) if refund > price => None,
        Some(refund) => Some(price.minus(&refund)),
        None => Some(price),
    };
    let mut beyond = streams.beyond(members, to_target);
    for refund in members.iter().filter_map(|&processor| refund(processor)) {
        beyond += &refund;
    }
    let mut arcs = Vec::with_capacity(members.len() * members.len());
    for (tail, &from) in members.iter().enumerate() {
        for (head, &to) in members.iter().enumerate().filter(|&(head, _)| head != tail) {
            arcs.extend(
                streams
                    .arc(from, to)
                    .and_then(|price| less(price, from))
                    .map(|cost| (head, tail, cost)),
            );
        }
        let end = to_target[from]
            .as_ref()
            .and_then(|way| less(beyond.plus(way), from));
        arcs.extend(end.map(|cost| (members.len(), tail, cost)));
    }
    (arcs, beyond)
}

/// Helpers are added and dropped one by one while that makes a tree cheaper.
fn improved<N: Fixed>(
    streams: &Streams<'_, N>,
    mut best: MemberTree<N>,
    to_target: &[Option<N>],
) -> MemberTree<N> {
    for _ in 0..ROUNDS {
        let before = best.price.clone();
        for &helper in &streams.helpers {
            if streams.priced.watch.ask().is_err() {
                return best;
            }
            let mut helpers = helpers_of(streams, &best);
            match helpers.iter().position(|&other| other == helper) {
                Some(processor) => drop(helpers.remove(processor)),
                None => helpers.push(helper),
            }
            helpers.sort_unstable();
            let other = settle(streams, &helpers, to_target);
            best = other
                .filter(|other| other.price < best.price)
                .unwrap_or(best);
        }
        if best.price == before {
            break;
        }
    }
    best
}

fn helpers_of<N>(streams: &Streams<'_, N>, found: &MemberTree<N>) -> Vec<usize> {
    found
        .members
        .iter()
        .copied()
        .filter(|&processor| processor >= streams.priced.participants)
        .collect()
}

/// The cheapest arborescence over these helpers, those dropped, again and again, at which nothing is merged. Then
/// its price is that of its tree.
fn settle<N: Fixed>(
    streams: &Streams<'_, N>,
    helpers: &[usize],
    to_target: &[Option<N>],
) -> Option<MemberTree<N>> {
    let mut helpers = helpers.to_vec();
    loop {
        let found = streams.over(&helpers, to_target, &[])?;
        let mut inputs = vec![0; found.members.len()];
        for &to in found.next.iter().flatten() {
            inputs[to] += 1;
        }
        let merging = |(member, _): &(usize, &usize)| inputs[*member] >= 2;
        let kept: Vec<usize> = found
            .members
            .iter()
            .enumerate()
            .skip(streams.priced.participants)
            .filter(merging)
            .map(|(_, &at)| at)
            .collect();
        if kept.len() == helpers.len() {
            return Some(found);
        }
        helpers = kept;
    }
}
