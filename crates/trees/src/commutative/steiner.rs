//! Many helpers: a lower bound and a tree from local search.
//!
//! Let every stream that leaves a helper `w` cost `q_w` less. Then a tree that merges at the helpers `H` costs what its
//! arborescence over participants and `H` costs, and no arc is negative: where `q_w > D(w,j) + q_j`, no cheapest tree
//! merges at both `w` and `j`, and the arc is left out. So the cheapest tree is a cheapest *Steiner* arborescence: it
//! has to connect the participants to the target and may use helpers. Its dual: weights on sets that contain a
//! participant and not the target, such that the sets that an arc leaves weigh at most its cost; all weights add up to
//! a lower bound. Dual ascent (Wong, *A dual ascent approach for Steiner tree problems on a directed graph*,
//! Mathematical Programming 28, 1984) finds such weights: as long as some participant does not reach the target over
//! arcs whose costs are used up, it raises the weight of what such a participant reaches, until another arc is used up.
//! The participant is one that the other participants it reaches reach, too; without helpers the bound is then the
//! least cost, as in the algorithm of Chu, Liu and Edmonds.

use super::scaled::Fixed;
use super::streams::{Found, Streams};

/// Rounds of local search at most.
const ROUNDS: usize = 3;

/// A lower bound on the price of every tree to the target; `None` if there is no tree.
///
/// `O(p^2)` for each raise of a weight, of which there are at most `p` for each of `n` participants, usually far less.
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
    let rest: Vec<Vec<Option<N>>> = members.iter().map(row).collect();
    let mut ascent = Ascent { rest, used_up: vec![Vec::new(); members.len() + 1], total: N::zero() };
    ascent.use_up(|_| true);
    (0..participants).try_for_each(|participant| {
        streams.priced.watch.ask().ok()?;
        ascent.raise(participant, participants)
    })?;
    Some(ascent.total.surplus(&beyond))
}

/// Weights under way. Nodes are participants, helpers, and at last the target.
struct Ascent<N> {
    /// What is left of the costs of arcs, by tail and head.
    rest: Vec<Vec<Option<N>>>,
    /// The heads of arcs of which nothing is left, by tail.
    used_up: Vec<Vec<usize>>,
    /// The sum of all weights.
    total: N,
}

impl<N: Fixed> Ascent<N> {
    /// Raises weights until a participant reaches the target; `None` if it cannot.
    fn raise(&mut self, participant: usize, participants: usize) -> Option<()> {
        loop {
            let mut start = participant;
            let mut reached = self.reached(start);
            if reached.last() == Some(&true) {
                return Some(());
            }
            // What a participant reaches that does not reach it reaches less.
            let mut other = 0;
            while other < participants {
                if reached[other] && other != start {
                    let less = self.reached(other);
                    if !less[start] {
                        (start, reached, other) = (other, less, 0);
                        continue;
                    }
                }
                other += 1;
            }
            self.charge(&reached)?;
        }
    }

    /// What a node reaches over arcs that are used up.
    fn reached(&self, start: usize) -> Vec<bool> {
        let mut reached = vec![false; self.used_up.len()];
        let mut wanted = vec![start];
        while let Some(node) = wanted.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                wanted.extend(self.used_up[node].iter().filter(|&&to| !reached[to]));
            }
        }
        reached
    }

    /// Raises the weight of a set until an arc that leaves it is used up; `None` if no arc leaves it.
    fn charge(&mut self, set: &[bool]) -> Option<()> {
        let inside = || set.iter().enumerate().filter(|(_, inside)| **inside).map(|(node, _)| node);
        let leaving = |from: usize| self.rest[from].iter().zip(set).filter(|(_, inside)| !**inside);
        let least = inside().flat_map(leaving).filter_map(|(rest, _)| rest.as_ref()).min()?.clone();
        for from in inside() {
            let leaving = self.rest[from].iter_mut().zip(set).filter(|(_, inside)| !**inside);
            leaving.filter_map(|(rest, _)| rest.as_mut()).for_each(|rest| *rest -= &least);
        }
        self.total += &least;
        self.use_up(|node| set[node]);
        Some(())
    }

    /// Lists anew the used-up arcs out of some nodes.
    fn use_up(&mut self, tails: impl Fn(usize) -> bool) {
        let lists = self.used_up.iter_mut().zip(&self.rest).enumerate();
        for (_, (used_up, rest)) in lists.filter(|(tail, _)| tails(*tail)) {
            used_up.clear();
            let empty = |(_, rest): &(usize, &Option<N>)| rest.as_ref().is_some_and(N::is_zero);
            used_up.extend(rest.iter().enumerate().filter(empty).map(|(head, _)| head));
        }
    }
}

/// A tree: helpers are dropped where nothing is merged, then added and dropped one by one while that helps.
pub(super) fn search<N: Fixed>(streams: &Streams<'_, N>, to_target: &[Option<N>]) -> Option<Found<N>> {
    let all = settle(streams, &streams.helpers, to_target);
    let none = settle(streams, &[], to_target);
    let mut best = [all, none].into_iter().flatten().min_by(|one, two| one.price.cmp(&two.price))?;
    for _ in 0..ROUNDS {
        let before = best.price.clone();
        for &helper in &streams.helpers {
            if streams.priced.watch.ask().is_err() {
                return Some(best);
            }
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
