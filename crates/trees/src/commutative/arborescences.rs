//! Messages of one size, merges of equal work: cheapest trees as arborescences, by the theorem of the parent module.

use oneport_platform::NodeId;

use super::merge_tree::Shape;
use super::scaled::{Fixed, Priced};
use oneport_graph::arborescence::shallow_arborescence;

/// Prices of streams and merges, under one pricing, for one size and one work.
pub(super) struct Streams<'p, N> {
    pub priced: &'p Priced<N>,
    size: N,
    /// Per pair of processors: `D(i,j)`.
    ways: Vec<Vec<Option<N>>>,
    /// Per processor: `q_j`.
    pub merges: Vec<Option<N>>,
    /// Processors that are no participants, and at which a cheapest tree may merge.
    pub helpers: Vec<usize>,
}

/// An arborescence over some processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemberTree<N> {
    /// Cost of the arborescence and of the path to the target, minus one merge per helper.
    pub price: N,
    /// The processors: participants, then helpers.
    pub members: Vec<usize>,
    /// For each of them which of them its stream goes to. `None` if it goes to the target.
    pub next: Vec<Option<usize>>,
}

impl<N> MemberTree<N> {
    /// The tree: at every processor, its own value and all streams that arrive are merged into one. A stream that meets
    /// no other passes a helper unmerged, and a helper that nothing arrives at sends nothing.
    pub(super) fn shape(&self, participants: usize, constant: bool) -> Option<Shape> {
        let count = self.members.len();
        let mut awaited = vec![0usize; count];
        for &to in self.next.iter().flatten() {
            awaited[to] += 1;
        }
        let mut shape = Shape::default();
        let mut arrived: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut ready: Vec<usize> = (0..count)
            .rev()
            .filter(|&member| awaited[member] == 0)
            .collect();
        let mut result = None;
        while let Some(member) = ready.pop() {
            let processor = self.members[member];
            if processor < participants {
                let own = shape.single(processor);
                arrived[member].push(own);
            }
            let stream = shape.merge_all(processor, &arrived[member], constant);
            let Some(to) = self.next[member] else {
                result = stream;
                continue;
            };
            arrived[to].extend(stream);
            awaited[to] -= 1;
            if awaited[to] == 0 {
                ready.push(to);
            }
        }
        result.map(|_| shape)
    }
}

impl<'p, N: Fixed> Streams<'p, N> {
    /// `O(p^2)` for `p` processors.
    pub(super) fn new(priced: &'p Priced<N>, size: &N, work: &N) -> Self {
        let way = |from: usize, &to: &NodeId| Some(priced.distance(from, to)?.times(size));
        let ways: Vec<Vec<Option<N>>> = (0..priced.processors.len())
            .map(|from| priced.processors.iter().map(|to| way(from, to)).collect())
            .collect();
        let merges = priced
            .merges
            .iter()
            .map(|merge| Some(merge.as_ref()?.times(work)))
            .collect();
        let mut this = Streams {
            priced,
            size: size.clone(),
            ways,
            merges,
            helpers: Vec::new(),
        };
        let useful =
            |&helper: &usize| (0..priced.participants).all(|owner| this.may_help(helper, owner));
        this.helpers = (priced.participants..priced.processors.len())
            .filter(useful)
            .collect();
        this
    }

    /// The price of sending a stream to a processor and merging it there.
    pub(super) fn arc(&self, from: usize, to: usize) -> Option<N> {
        Some(
            self.ways[from][to]
                .as_ref()?
                .plus(self.merges[to].as_ref()?),
        )
    }

    /// Whether merging at a helper costs at most as much as sending on and merging there.
    pub(super) fn may_help(&self, helper: usize, there: usize) -> bool {
        let Some(merge) = &self.merges[helper] else {
            return false;
        };
        self.arc(helper, there).is_none_or(|arc| *merge <= arc)
    }

    /// Per processor: the price of sending the result to the target.
    pub(super) fn to_target(&self, target: NodeId) -> Vec<Option<N>> {
        let way = |from| Some(self.priced.distance(from, target)?.times(&self.size));
        (0..self.priced.processors.len()).map(way).collect()
    }

    /// Above every sum of arcs, one out of each of these processors, and a path to the target.
    pub(super) fn beyond(&self, members: &[usize], to_target: &[Option<N>]) -> N {
        let mut beyond = N::from(1);
        for &from in members {
            let arcs = members.iter().filter_map(|&to| self.arc(from, to));
            if let Some(dearest) = arcs.chain(to_target[from].clone()).max() {
                beyond += &dearest;
            }
        }
        beyond
    }

    /// The cheapest arborescence over all participants and these helpers whose result is not made at the processors
    /// `barred`. Ties go to a shallow one. `None` if no such arborescence exists.
    pub(super) fn over(
        &self,
        helpers: &[usize],
        to_target: &[Option<N>],
        barred: &[usize],
    ) -> Option<MemberTree<N>> {
        let members: Vec<usize> = (0..self.priced.participants)
            .chain(helpers.iter().copied())
            .collect();
        // The target is the root, over exactly one arc: a second one is beyond all others.
        let (count, beyond) = (members.len(), self.beyond(&members, to_target));
        let mut arcs = Vec::with_capacity(count * count);
        for (tail, &from) in members.iter().enumerate() {
            let others = members.iter().enumerate().filter(|&(head, _)| head != tail);
            arcs.extend(others.filter_map(|(head, &to)| Some((head, tail, self.arc(from, to)?))));
            if let Some(way) = to_target[from].as_ref().filter(|_| !barred.contains(&from)) {
                arcs.push((count, tail, beyond.plus(way)));
            }
        }
        let links = |arc: usize| {
            let (to, from, _) = &arcs[arc];
            let to = members
                .get(*to)
                .and_then(|&processor| self.priced.processors.get(processor).copied());
            to.map_or(1, |to| self.priced.links(members[*from], to))
        };
        let found = shallow_arborescence(count + 1, count, &arcs, links)?;
        let entering = found.entering.iter().take(count);
        let next: Vec<Option<usize>> = entering
            .map(|arc| arc.map(|arc| arcs[arc].0).filter(|&to| to < count))
            .collect();
        if next.iter().filter(|to| to.is_none()).count() != 1 {
            return None;
        }
        let mut price = found.cost;
        price -= &beyond;
        for &helper in helpers {
            // Helpers that nothing is merged at may be paid more than all costs. Such a set of helpers is not cheapest.
            price = price.surplus(self.merges[helper].as_ref()?);
        }
        Some(MemberTree {
            price,
            members,
            next,
        })
    }

    /// The tree of an arborescence.
    pub(super) fn shape(&self, found: &MemberTree<N>) -> Option<Shape> {
        found.shape(self.priced.participants, self.priced.constant)
    }

    /// The price of a tree in the problem of one size.
    pub(super) fn price(&self, shape: &Shape, to_target: &[Option<N>]) -> Option<N> {
        let transfer = |_, from: usize, to: usize| self.ways[from][to].clone();
        shape.sum(
            transfer,
            |_, at| self.merges[at].clone(),
            |_, from| to_target[from].clone(),
        )
    }

    /// For every helper set in question its cheapest arborescence to a target, cheapest first. For the cheapest set
    /// also up to `more` arborescences that make the result elsewhere. Exact: the first is the least price.
    ///
    /// `2^h` arborescences for `h` helpers.
    pub(super) fn exact(&self, to_target: &[Option<N>], more: usize) -> Vec<MemberTree<N>> {
        let mut all = Vec::new();
        for set in 0usize..1 << self.helpers.len() {
            let chosen: Vec<usize> = self
                .helpers
                .iter()
                .enumerate()
                .filter(|(bit, _)| set >> bit & 1 == 1)
                .map(|(_, &processor)| processor)
                .collect();
            let pays = |&helper: &usize| {
                chosen
                    .iter()
                    .all(|&other| other == helper || self.may_help(helper, other))
            };
            if chosen.iter().all(pays) {
                all.extend(self.over(&chosen, to_target, &[]));
            }
        }
        all.sort_by(|one, two| one.price.cmp(&two.price));
        self.add_elsewhere(&mut all, to_target, more);
        all
    }

    /// Adds arborescences over the helpers of the first that make the result at another processor each.
    pub(super) fn add_elsewhere(
        &self,
        all: &mut Vec<MemberTree<N>>,
        to_target: &[Option<N>],
        more: usize,
    ) {
        let Some(mut last) = all.first().cloned() else {
            return;
        };
        let helpers: Vec<usize> = last
            .members
            .iter()
            .copied()
            .filter(|&at| at >= self.priced.participants)
            .collect();
        let mut barred = Vec::new();
        for _ in 0..more {
            barred.extend(
                last.next
                    .iter()
                    .position(Option::is_none)
                    .map(|end| last.members[end]),
            );
            let Some(next) = self.over(&helpers, to_target, &barred) else {
                break;
            };
            all.push(next.clone());
            last = next;
        }
    }
}
