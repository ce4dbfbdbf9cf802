//! Many participants, messages of one size, merges of equal work, no other processor that may help: cheapest trees
//! without the distances between all pairs.
//!
//! Using the theorem of the parent module: a cheapest tree is an arborescence over the participants `V`, with arcs of
//! cost `D(i,j) + q_j`. Let `least_x = min over j in V of D(x,j) + q_j`, which one search finds for all nodes `x`. A
//! participant is a *member* if `q_x = least_x`, and a *leaf* if `q_x` is more. (Another processor with `q_w` above
//! `least_w` does not help. If some processor may help, this module does not answer.)
//!
//! 1. *In a cheapest arborescence nothing is merged at a leaf `x`.* Suppose `c_1 .. c_k` send to `x`, and let `y` be a
//!    participant with `D(x,y) + q_y < q_x`. If the path of no `c_i` visits `y`, they all send to `y` instead, over
//!    `x`: `D(c_i,y) + q_y < D(c_i,x) + q_x`. If that of `c_1` does, `c_1` sends over `x` to the node to which `x` sent
//!    its stream, `x` and `c_2 .. c_k` send to `y`: `k` merges at `x` become `k` paths from `x` to `y` with a merge
//!    there. Either is an arborescence, and cheaper.
//! 2. *In one of the cheapest, that with the fewest links, no path visits a member between its ends.* Suppose the path
//!    from `i` to `j` visits the member `x`, and `x` sends its stream to `z`. If `i` is not on the path of that stream,
//!    `i` sends to `x` instead: `D(i,x) + q_x <= D(i,x) + D(x,j) + q_j`, over fewer links. If it is, `i` sends to `x`
//!    and `x` to `j`: that costs `q_x - (D(x,z) + q_z) <= 0` more, and the links from `x` to `z` are left out. The same
//!    holds for the path of the result to the target in place of `j`.
//!
//! So every leaf `x` sends to the member that attains `least_x`, and the members form a cheapest
//! arborescence over arcs whose paths visit no member between their ends. Few of them matter, so a search from each
//! member settles a few others only. The dual solution proves that these are enough: an arc that is left out may stay
//! out if it costs at least the weight of the sets with its tail inside and its head outside. Further searches look for
//! other arcs, up to the weight of the sets around a member. While there are any, they are added and the arborescence
//! is found again.

use oneport_graph::arborescence::{Arborescence, Dual, arborescence, shallow_arborescence};
use oneport_graph::{Searches, ShortestPaths, shortest_paths};
use oneport_numbers::Exact;
use oneport_platform::{LinkId, NodeId, PerNode, Platform};
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::{EdgeRef, Reversed};

use super::arborescences::MemberTree;
use super::scaled::{Fixed, Offer, Priced};

/// Participants below which the distances of all pairs are computed. Trades memory for repeated searches. Not measured.
const MANY: usize = 64;
/// Members that the first search from each settles, itself included. Trades longer searches for further ones. Not
/// measured.
const FIRST: usize = 10;
/// Factor from one search to the next, if the first ones span nothing. Trades longer searches for further ones. Not
/// measured.
const FURTHER: usize = 4;
/// Paths added for a member at a time. Trades longer searches for further ones. Not measured.
const ADDED: usize = 16;

/// One pricing of a problem with many participants.
pub(super) struct Near<'p, N> {
    platform: &'p Platform,
    priced: &'p Priced<N>,
    /// The cost of a message on each link.
    links: Vec<N>,
    /// The cost of a merge at each participant.
    merges: Vec<N>,
    /// The participants: the members, then the leaves.
    participants: Vec<usize>,
    /// The member that each node is.
    members: PerNode<Option<usize>>,
    /// The member that each leaf sends to, and the path.
    leaves: Vec<(usize, Vec<LinkId>)>,
    /// The total cost of the leaves' paths and of the merges at their ends.
    left: N,
    /// The value `least_x` of each node `x`.
    least: Vec<Option<N>>,
    /// The least that a merge costs.
    merge: N,
    ways: Vec<Ways<N>>,
    searches: Searches<N, EdgeIndex>,
}

/// The paths from a member to others that visit no member between.
#[derive(Debug, Clone)]
struct Ways<N> {
    /// How many members, itself among them, the search may have settled.
    most: usize,
    /// Target member, cost of the path and of a merge there, number of links.
    known: Vec<(usize, N, u32)>,
    /// Lower bound on the cost to the other members. `None` if there are no others.
    others: Option<N>,
}

impl<'p, N: Fixed> Near<'p, N> {
    /// `None` if sizes or works differ, participants are few, or other processors may help. `O(m log m)` for `m`
    /// links, and a search near every member.
    pub(super) fn new(platform: &'p Platform, priced: &'p Priced<N>) -> Option<Self> {
        if priced.participants < MANY {
            None
        } else {
            Near::of(platform, priced, FIRST)
        }
    }

    /// The search for at least two participants. First searches settle `first` members each, at least two.
    pub(super) fn of(platform: &'p Platform, priced: &'p Priced<N>, first: usize) -> Option<Self> {
        if priced.participants < 2 || !priced.constant {
            return None;
        }
        let (size, work) = (priced.sizes.first()?, priced.works.get(1)?);
        let links: Vec<N> = priced.links.iter().map(|price| price.times(size)).collect();
        let merges = priced
            .merges
            .iter()
            .map(|merge| Some(merge.as_ref()?.times(work)));
        let mut merges: Vec<Option<N>> = merges.collect();
        let others = merges.split_off(priced.participants);
        let merges = merges.into_iter().collect::<Option<Vec<N>>>()?;
        let (owners, helpers) = priced.processors.split_at(priced.participants);
        let starts = owners
            .iter()
            .zip(&merges)
            .map(|(&owner, merge)| (owner.into(), merge.clone()));
        let least = backwards(platform, &links, starts);
        let least_at = |node: NodeId| least.distances[node.index()].as_ref();
        let may_help = |(&helper, merge): (&NodeId, &Option<N>)| {
            merge
                .as_ref()
                .is_some_and(|merge| least_at(helper).is_none_or(|least| merge <= least))
        };
        if helpers.iter().zip(&others).any(may_help) {
            return None;
        }
        let is_member = |&participant: &usize| {
            least_at(owners[participant]).is_some_and(|least| *least == merges[participant])
        };
        let (mut participants, leaves): (Vec<usize>, Vec<usize>) =
            (0..owners.len()).partition(is_member);
        let mut members = platform.per_node(None);
        for (member, &participant) in participants.iter().enumerate() {
            members[owners[participant]] = Some(member);
        }
        let (mut left, mut sent) = (N::zero(), Vec::with_capacity(leaves.len()));
        for &leaf in &leaves {
            let (links, end) = onwards(&least, owners[leaf].index());
            left += least_at(owners[leaf])?;
            sent.push((members[NodeId::new(end)]?, links));
        }
        participants.extend(leaves);
        let mut this = Near {
            platform,
            priced,
            links,
            least: least.distances,
            merge: merges.iter().min()?.clone(),
            merges,
            participants,
            members,
            leaves: sent,
            left,
            ways: Vec::new(),
            searches: Searches::new(platform.nodes().len()),
        };
        let count = this.participants.len() - this.leaves.len();
        for member in 0..count {
            this.priced.watch.ask().ok()?;
            let ways = this.look(member, first);
            this.ways.push(ways);
        }
        Some(this)
    }

    /// The cheapest tree to a target. `None` if no tree exists. `O(m log m)` for `m` paths that are looked at.
    pub(super) fn offer(&mut self, target: NodeId) -> Option<Offer<N>> {
        self.members.get(target.index())?;
        let to_target = backwards(self.platform, &self.links, [(target.into(), N::zero())]);
        let found = self.found(&to_target)?;
        let mut sent = vec![Vec::new(); self.participants.len()];
        for (member, next) in found.next.iter().take(self.ways.len()).enumerate() {
            sent[self.participants[member]] = match next {
                Some(to) => self.way(member, *to),
                None => onwards(&to_target, self.node(member).index()).0,
            };
        }
        for (participant, (_, links)) in self.participants[self.ways.len()..]
            .iter()
            .zip(&self.leaves)
        {
            sent[*participant].clone_from(links);
        }
        // Every processor sends one stream.
        let owners = &self.priced.processors;
        let path = |from: usize, to: NodeId| {
            if owners[from] == to {
                Vec::new()
            } else {
                sent[from].clone()
            }
        };
        let tree = found
            .shape(self.priced.participants, self.priced.constant)?
            .tree(owners, target, path)?;
        Some(Offer {
            bound: self.priced.amount(found.price.clone()),
            trees: vec![(found.price, tree)],
        })
    }

    fn node(&self, member: usize) -> NodeId {
        self.priced.processors[self.participants[member]]
    }

    /// The cheapest arborescence over all participants.
    fn found(&mut self, to_target: &ShortestPaths<N, EdgeIndex>) -> Option<MemberTree<N>> {
        let root = self.ways.len();
        loop {
            self.priced.watch.ask().ok()?;
            let arcs = self.arcs(to_target);
            let more = match arborescence(root + 1, root, &arcs.all) {
                Some(found) => self.add_missing(&Charges::new(found.dual, root)),
                None => self.look_further(),
            };
            if !more {
                let found = shallow_arborescence(root + 1, root, &arcs.all, |arc| arcs.hops[arc])?;
                return self.whole(found, &arcs);
            }
        }
    }

    /// Searches further from every member. Says whether there was more to find.
    fn look_further(&mut self) -> bool {
        let mut more = false;
        for member in 0..self.ways.len() {
            if self.ways[member].others.is_some() && self.priced.watch.ask().is_ok() {
                self.ways[member] = self.look(member, self.ways[member].most * FURTHER);
                more = true;
            }
        }
        more
    }

    /// Adds paths that cost less than the weight of the sets that they leave, some for every member. Returns whether
    /// there were any.
    fn add_missing(&mut self, charges: &Charges<N>) -> bool {
        let mut more = false;
        for member in 0..self.ways.len() {
            let charge = &charges.around[member];
            let is_short = self.ways[member]
                .others
                .as_ref()
                .is_some_and(|least| charge > least);
            if is_short && self.priced.watch.ask().is_ok() {
                let missing = self.missing(member, charges);
                more |= !missing.is_empty();
                self.ways[member].known.extend(missing);
            }
        }
        more
    }

    /// The arcs of the known paths.
    fn arcs(&self, to_target: &ShortestPaths<N, EdgeIndex>) -> Arcs<N> {
        let (mut all, mut hops, mut beyond) = (Vec::new(), Vec::new(), N::from(1));
        let last = |member: usize| to_target.distances[self.node(member).index()].as_ref();
        for (from, ways) in self.ways.iter().enumerate() {
            let dearest = ways
                .known
                .iter()
                .map(|(_, cost, _)| cost)
                .chain(last(from))
                .max();
            if let Some(cost) = dearest {
                beyond += cost;
            }
            all.extend(
                ways.known
                    .iter()
                    .map(|(to, cost, _)| (*to, from, cost.clone())),
            );
            hops.extend(ways.known.iter().map(|(.., links)| *links));
        }
        let ends = (0..self.ways.len())
            .filter_map(|from| Some((self.ways.len(), from, beyond.plus(last(from)?))));
        all.extend(ends);
        hops.resize(all.len(), 1);
        Arcs { all, hops, beyond }
    }

    /// The arborescence with the leaves. `None` if results are made at several processors.
    fn whole(&self, found: Arborescence<N>, arcs: &Arcs<N>) -> Option<MemberTree<N>> {
        let count = self.ways.len();
        let entering = found.entering.iter().take(count);
        let to_member = entering.map(|arc| arc.map(|arc| arcs.all[arc].0).filter(|&to| to < count));
        let next: Vec<Option<usize>> = to_member
            .chain(self.leaves.iter().map(|(to, _)| Some(*to)))
            .collect();
        if next.iter().filter(|to| to.is_none()).count() != 1 {
            return None;
        }
        let price = found.cost.minus(&arcs.beyond).plus(&self.left);
        Some(MemberTree {
            price,
            members: self.participants.clone(),
            next,
        })
    }

    /// Searches the paths from a member until `most` members are settled, itself among them.
    fn look(&mut self, member: usize, most: usize) -> Ways<N> {
        let (start, merge) = (self.node(member), &self.merge);
        let (mut seen, mut others) = (0, None);
        let through = |node: NodeIndex, far: &N| {
            let is_member = self.members[NodeId::from(node)].is_some();
            seen += usize::from(is_member);
            let ends = is_member && seen >= most;
            others = ends.then(|| far.plus(merge));
            (!ends).then_some(!is_member)
        };
        let paths = search(
            &mut self.searches,
            self.platform,
            &self.links,
            start,
            through,
        );
        let found = paths
            .settled
            .iter()
            .filter_map(|&node| Some((node, self.members[NodeId::new(node)]?)));
        let known = found
            .filter(|&(_, to)| to != member)
            .filter_map(|(node, to)| {
                let cost = paths.distances[node]
                    .as_ref()?
                    .plus(&self.merges[self.participants[to]]);
                Some((to, cost, paths.path(node).len() as u32))
            });
        Ways {
            most,
            known: known.collect(),
            others,
        }
    }

    /// Paths from a member that cost less than the weight of the sets that they leave: at most [`ADDED`].
    fn missing(&mut self, member: usize, charges: &Charges<N>) -> Vec<(usize, N, u32)> {
        let (start, enough, mut missing) = (self.node(member), &charges.around[member], Vec::new());
        let mut met = charges.meeting(member);
        let through = |node: NodeIndex, far: &N| match self.members[NodeId::from(node)] {
            _ if missing.len() == ADDED || far.plus(&self.merge) >= *enough => None,
            Some(to) => {
                let cost = far.plus(&self.merges[self.participants[to]]);
                if to != member && cost < *enough && cost < charges.of(member, to, &mut met) {
                    missing.push((to, cost));
                }
                Some(false)
            }
            // A merge beyond costs at least that.
            None => Some(
                self.least[node.index()]
                    .as_ref()
                    .is_some_and(|least| far.plus(least) < *enough),
            ),
        };
        let paths = search(
            &mut self.searches,
            self.platform,
            &self.links,
            start,
            through,
        );
        let links = |to: usize| {
            paths
                .path(self.priced.processors[self.participants[to]].index())
                .len() as u32
        };
        missing
            .into_iter()
            .map(|(to, cost)| (to, cost, links(to)))
            .collect()
    }

    /// The links of the path to another member.
    fn way(&mut self, member: usize, to: usize) -> Vec<LinkId> {
        let (start, end) = (self.node(member), self.node(to));
        let through = |node: NodeIndex, _: &N| {
            (node.index() != end.index()).then_some(self.members[NodeId::from(node)].is_none())
        };
        let paths = search(
            &mut self.searches,
            self.platform,
            &self.links,
            start,
            through,
        );
        paths
            .path(end.index())
            .into_iter()
            .map(LinkId::from)
            .collect()
    }
}

/// The sets that the dual solution charges arcs for.
struct Charges<N> {
    /// The smallest set around each set.
    within: Vec<Option<usize>>,
    /// The weight of each set and the sets around it, without sets that hold all members.
    around: Vec<N>,
}

impl<N: Exact> Charges<N> {
    /// The number of members, which are the first sets.
    fn new(dual: Dual<N>, members: usize) -> Self {
        let Dual { within, weights } = dual;
        let mut held: Vec<usize> = (0..within.len())
            .map(|set| usize::from(set < members))
            .collect();
        for set in 0..within.len() {
            if let Some(outer) = within[set] {
                held[outer] += held[set];
            }
        }
        let mut around = vec![N::zero(); within.len()];
        for set in (0..within.len()).rev().filter(|&set| held[set] < members) {
            around[set] = match within[set] {
                Some(outer) => weights[set].plus(&around[outer]),
                None => weights[set].clone(),
            };
        }
        Charges { within, around }
    }

    /// Per set: the smallest set around it that holds a member, as far as known. At first only the sets that hold it
    /// themselves are known.
    fn meeting(&self, member: usize) -> Vec<Option<usize>> {
        let mut met = vec![None; self.within.len()];
        for set in std::iter::successors(Some(member), |&set| self.within[set]) {
            met[set] = Some(set);
        }
        met
    }

    /// The weight of the sets that hold the member that meetings are with, and not another one.
    fn of(&self, member: usize, other: usize, met: &mut [Option<usize>]) -> N {
        let mut set = other;
        let mut passed = Vec::new();
        let both = loop {
            if let Some(both) = met[set] {
                break both;
            }
            passed.push(set);
            match self.within[set] {
                Some(outer) => set = outer,
                None => return self.around[member].clone(),
            }
        };
        for set in passed {
            met[set] = Some(both);
        }
        self.around[member].minus(&self.around[both])
    }
}

/// Arcs between members, turned: out of the target, which is one node more.
struct Arcs<N> {
    all: Vec<(usize, usize, N)>,
    /// The links of each arc.
    hops: Vec<u32>,
    /// The surcharge of an arc out of the target beyond the cost of its path: more than all other arcs together.
    beyond: N,
}

/// A search from a member.
fn search<'s, N: Exact>(
    searches: &'s mut Searches<N, EdgeIndex>,
    platform: &Platform,
    links: &[N],
    start: NodeId,
    through: impl FnMut(NodeIndex, &N) -> Option<bool>,
) -> &'s ShortestPaths<N, EdgeIndex> {
    searches.run(
        platform.graph(),
        [(start.into(), N::zero())],
        |link| &links[link.id().index()],
        through,
    )
}

/// Shortest paths from every node to the nearest of some end nodes, each with the cost of ending there.
fn backwards<N: Exact>(
    platform: &Platform,
    links: &[N],
    ends: impl IntoIterator<Item = (NodeIndex, N)>,
) -> ShortestPaths<N, EdgeIndex> {
    shortest_paths(
        Reversed(platform.graph()),
        ends,
        |link| &links[link.id().index()],
        |_| true,
    )
}

/// The links of such a path, in the order of travel, and its end.
fn onwards<N>(paths: &ShortestPaths<N, EdgeIndex>, from: usize) -> (Vec<LinkId>, usize) {
    let (mut links, mut node) = (Vec::new(), from);
    while let Some((link, next)) = paths.last[node] {
        links.push(LinkId::from(link));
        node = next;
    }
    (links, node)
}
