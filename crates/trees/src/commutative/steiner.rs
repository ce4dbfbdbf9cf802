//! Many helpers: a lower bound and a tree from local search.
//!
//! Let every stream that leaves a helper `w` cost `q_w` less. Then a tree that merges at the helpers `H` costs what its
//! arborescence over participants and `H` costs, and no arc is negative: where `q_w > D(w,j) + q_j`, no cheapest tree
//! merges at both `w` and `j`, and the arc is left out. So the cheapest tree is a cheapest *Steiner* arborescence: it
//! has to connect the participants to the target and may use helpers. Its dual: weights on sets that contain a
//! participant and not the target, such that the sets that an arc leaves weigh at most its cost; all weights add up to
//! a lower bound. Dual ascent (Wong, *A dual ascent approach for Steiner tree problems on a directed graph*,
//! Mathematical Programming 28, 1984) finds such weights: for one participant after the other, the sets of what it
//! reaches within a distance, under what is left of the costs, until it reaches the target.

use super::scaled::Fixed;
use super::streams::{Found, Streams};

/// Rounds of local search at most.
const ROUNDS: usize = 3;

/// A lower bound on the price of every tree to the target; `None` if there is no tree. `O(n p^2)`.
pub(super) fn bound<N: Fixed>(streams: &Streams<'_, N>, to_target: &[Option<N>]) -> Option<N> {
    let participants = streams.priced.participants;
    let members: Vec<usize> = (0..participants).chain(streams.helpers.iter().copied()).collect();
    let refund = |place: usize| if place < participants { None } else { streams.merges[place].clone() };
    let less = |price: N, place: usize| match refund(place) {
        Some(refund) if refund > price => None,
        Some(refund) => Some(price.surplus(&refund)),
        None => Some(price),
    };
    // The target is the last node, over one arc; `beyond` also covers the refunds.
    let mut beyond = streams.beyond(&members, to_target);
    members.iter().filter_map(|&place| refund(place)).for_each(|refund| beyond += &refund);
    let row = |&from: &usize| {
        let arcs = members.iter().map(|&to| less(streams.arc(from, to).filter(|_| to != from)?, from));
        let end = to_target[from].as_ref().and_then(|way| less(beyond.plus(way), from));
        arcs.chain([end]).collect()
    };
    let mut costs: Vec<Vec<Option<N>>> = members.iter().map(row).collect();
    let mut total = N::zero();
    for participant in 0..participants {
        total += &ascend(&mut costs, participant)?;
    }
    Some(total.surplus(&beyond))
}

/// Raises the weights of all sets of what a node reaches within a distance; returns by how much in all, which is the
/// distance to the last node, and takes it off the costs.
fn ascend<N: Fixed>(costs: &mut [Vec<Option<N>>], start: usize) -> Option<N> {
    let end = costs.len();
    let mut distances: Vec<Option<N>> = vec![None; end + 1];
    let mut done = vec![false; end + 1];
    distances[start] = Some(N::zero());
    while !done[end] {
        let open = (0..=end).filter(|&node| !done[node]);
        let (near, node) = open.filter_map(|node| Some((distances[node].clone()?, node))).min()?;
        done[node] = true;
        for (to, cost) in costs.get(node).into_iter().flatten().enumerate() {
            let Some(far) = cost.as_ref().map(|cost| near.plus(cost)) else { continue };
            if !done[to] && distances[to].as_ref().is_none_or(|old| far < *old) {
                distances[to] = Some(far);
            }
        }
    }
    let reach = distances[end].clone()?;
    let capped = |distance: &Option<N>| distance.clone().map_or(reach.clone(), |distance| distance.min(reach.clone()));
    let distances: Vec<N> = distances.iter().map(capped).collect();
    for (from, row) in costs.iter_mut().enumerate() {
        for (cost, to) in row.iter_mut().zip(&distances) {
            if let Some(cost) = cost.as_mut().filter(|_| *to > distances[from]) {
                *cost -= &to.surplus(&distances[from]);
            }
        }
    }
    Some(reach)
}

/// A tree: helpers are dropped where nothing is merged, then added and dropped one by one while that helps.
pub(super) fn search<N: Fixed>(streams: &Streams<'_, N>, to_target: &[Option<N>]) -> Option<Found<N>> {
    let all = settle(streams, &streams.helpers, to_target);
    let none = settle(streams, &[], to_target);
    let mut best = [all, none].into_iter().flatten().min_by(|one, two| one.price.cmp(&two.price))?;
    for _ in 0..ROUNDS {
        let before = best.price.clone();
        for &helper in &streams.helpers {
            let mut helpers = helpers_of(streams, &best);
            match helpers.iter().position(|&other| other == helper) {
                Some(place) => drop(helpers.remove(place)),
                None => helpers.push(helper),
            }
            helpers.sort_unstable();
            let other = settle(streams, &helpers, to_target);
            best = other.filter(|other| other.price < best.price).unwrap_or(best);
        }
        if best.price == before {
            break;
        }
    }
    Some(best)
}

fn helpers_of<N>(streams: &Streams<'_, N>, found: &Found<N>) -> Vec<usize> {
    found.members.iter().copied().filter(|&place| place >= streams.priced.participants).collect()
}

/// The cheapest arborescence over these helpers, those dropped, again and again, at which nothing is merged. Then
/// its price is that of its tree.
fn settle<N: Fixed>(streams: &Streams<'_, N>, helpers: &[usize], to_target: &[Option<N>]) -> Option<Found<N>> {
    let mut helpers = helpers.to_vec();
    loop {
        let found = streams.over(&helpers, to_target, &[])?;
        let mut inputs = vec![0; found.members.len()];
        found.next.iter().flatten().for_each(|&to| inputs[to] += 1);
        let merging = |(member, _): &(usize, &usize)| inputs[*member] >= 2;
        let kept: Vec<usize> =
            found.members.iter().enumerate().skip(streams.priced.participants).filter(merging).map(|(_, &at)| at).collect();
        if kept.len() == helpers.len() {
            return Some(found);
        }
        helpers = kept;
    }
}
