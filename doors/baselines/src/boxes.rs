//! Boxes of accelerators, and the accelerators at which the channels of NCCL and RCCL enter them.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{LinkId, NodeId, Problem};
use oneport_platform::Platform;

use crate::chains::{Chains, box_of};
use crate::{Routes, Tree};

/// Boxes of accelerators that take part, in the order of their first [rank](crate::ranks). None on other platforms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Boxes {
    /// Per box: its ranks, in the order in which a channel passes them.
    pub members: Vec<Vec<usize>>,
    /// Per channel and box: the index among the members at which the channel begins. It is that of an accelerator with
    /// a separate network card. Empty if there is one box only: its channels are equal.
    pub channels: Vec<Vec<usize>>,
    /// Paths of rings back from the last of an odd number of boxes, if the shortest one would share a network card of
    /// another channel: over the accelerator at which the channel entered, as PXN does.
    pub returns: BTreeMap<(usize, usize), Vec<LinkId>>,
    /// Whether a switch joins all members of every box, so that their order does not matter.
    pub switched: bool,
    /// If several boxes have no such switches, per channel and box: the members in the order of a path over links
    /// between them, which begins at the start of the channel. Empty if some box has no such path.
    pub chains: Vec<Vec<Vec<usize>>>,
    /// The links of these paths, both ways.
    pub direct: BTreeMap<(usize, usize), Vec<LinkId>>,
    /// Per box: its switch. Empty if some box has none.
    pub switches: Vec<NodeId>,
    /// Per box: its switch, which combines and duplicates. Empty if the switch of some box does not.
    pub combiners: Vec<Combiner>,
    /// Per channel: the switch of the network that combines and duplicates the messages of the channel's accelerators
    /// with cards. Empty if some channel has no such switch.
    pub hubs: Vec<Combiner>,
}

/// A switch that combines and duplicates, and the accelerators that use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combiner {
    /// The switch.
    pub switch: NodeId,
    /// Per rank: the links to the switch, and the links back.
    pub ways: BTreeMap<usize, [Vec<LinkId>; 2]>,
}

/// Whether the node is an accelerator: `gpu3`, `box0.gpu3`, the names used by `generate` and the readers of dumps.
pub fn is_accelerator(platform: &Platform, node: NodeId) -> bool {
    let name = platform.name(node);
    let name = name.rsplit_once('.').map_or(name, |(_, last)| last);
    let number = name.strip_prefix("gpu").unwrap_or_default();
    let named = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    named || platform.node(node).accelerator
}

impl Boxes {
    /// The boxes of the nodes of these ranks, if all are accelerators. `O(ranks (ranks + links))`.
    pub fn find(problem: &Problem, ranks: &[NodeId], routes: &Routes) -> Boxes {
        let platform = problem.platform();
        if !ranks.iter().all(|&node| is_accelerator(platform, node)) {
            return Boxes::default();
        }
        let mut names: Vec<&str> = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (rank, &node) in ranks.iter().enumerate() {
            let name = box_of(platform, node);
            match names.iter().position(|known| *known == name) {
                Some(index) => members[index].push(rank),
                None => {
                    names.push(name);
                    members.push(vec![rank]);
                }
            }
        }
        let switches: Option<Vec<NodeId>> = members
            .iter()
            .map(|of| switch_of(platform, ranks, of))
            .collect();
        for of in &mut members {
            of.sort_by_key(|&rank| ranks[rank]);
        }
        let cards: Option<Vec<Vec<usize>>> = (0..members.len())
            .map(|index| cards(platform, ranks, routes, &members, index))
            .collect();
        let channels = match (cards, members.len()) {
            (Some(cards), 2..) => {
                let most = cards.iter().map(Vec::len).min().unwrap_or(0);
                let cards_of_channel =
                    |channel: usize| cards.iter().map(|indices| indices[channel]).collect();
                (0..most).map(cards_of_channel).collect()
            }
            _ => Vec::new(),
        };
        let mut boxes = Boxes {
            members,
            channels,
            returns: BTreeMap::new(),
            switched: switches.is_some(),
            chains: Vec::new(),
            direct: BTreeMap::new(),
            switches: switches.unwrap_or_default(),
            combiners: Vec::new(),
            hubs: Vec::new(),
        };
        if !boxes.switched {
            let found = Chains::find(platform, ranks, routes, (&boxes.members, &boxes.channels))
                .unwrap_or_default();
            (boxes.chains, boxes.direct) = (found.orders, found.direct);
        }
        boxes.combiners = boxes.own_combiners(platform, ranks);
        boxes.hubs = boxes.find_hubs(platform, ranks, routes);
        if boxes.members.len() % 2 == 1 {
            let returns = boxes
                .channels
                .iter()
                .filter_map(|channel| boxes.way_back(channel, ranks, routes));
            boxes.returns = returns.collect();
        }
        boxes
    }

    /// The path of a channel's ring from the last box to the first, if the shortest one leaves its rail.
    fn way_back(
        &self,
        channel: &[usize],
        ranks: &[NodeId],
        routes: &Routes,
    ) -> Option<((usize, usize), Vec<LinkId>)> {
        let last = self.turned(channel, self.members.len() - 1);
        let (head, end) = (*last.first()?, *last.last()?);
        let first = *self.turned(channel, 0).first()?;
        let path = |from: usize, to: usize| routes.path(ranks[from], ranks[to]);
        let along = path(head, first)?;
        if head == end || path(end, first)?.len() <= along.len() {
            return None;
        }
        Some(((end, first), [path(end, head)?, along].concat()))
    }

    /// The switches of the boxes, if all combine and duplicate, and no two boxes share one.
    fn own_combiners(&self, platform: &Platform, ranks: &[NodeId]) -> Vec<Combiner> {
        let switches = &self.switches;
        let distinct: BTreeSet<&NodeId> = switches.iter().collect();
        if distinct.len() < switches.len() || self.members.iter().any(|of| of.len() < 2) {
            return Vec::new();
        }
        let combiner = |(&switch, of): (&NodeId, &Vec<usize>)| {
            let way = |&rank: &usize| {
                let links = [
                    platform.link_between(ranks[rank], switch)?,
                    platform.link_between(switch, ranks[rank])?,
                ];
                Some((rank, links.map(|link| vec![link])))
            };
            let ways = of.iter().map(way).collect::<Option<_>>()?;
            combines(platform, switch).then_some(Combiner { switch, ways })
        };
        let all: Option<Vec<Combiner>> = switches.iter().zip(&self.members).map(combiner).collect();
        all.unwrap_or_default()
    }

    /// The switch of the network of every channel, if it combines and duplicates. It is on the path from the channel's
    /// accelerator in every box to that in the next. `O(channels boxes links)`.
    fn find_hubs(&self, platform: &Platform, ranks: &[NodeId], routes: &Routes) -> Vec<Combiner> {
        let own = &self.switches;
        if !platform
            .node_ids()
            .any(|node| combines(platform, node) && !own.contains(&node))
        {
            return Vec::new();
        }
        let hub = |channel: &Vec<usize>| -> Option<Combiner> {
            let head = |index: usize| Some(*self.members[index].get(*channel.get(index)?)?);
            let count = self.members.len();
            let heads: Vec<usize> = (0..count).map(head).collect::<Option<_>>()?;
            let next = |index: usize| heads[(index + 1) % count];
            let path = |index: usize| routes.path(ranks[heads[index]], ranks[next(index)]);
            let paths: Vec<Vec<LinkId>> = (0..count).map(path).collect::<Option<_>>()?;
            let receiver = |link: &LinkId| platform.link(*link).to;
            let able = |node: &NodeId| combines(platform, *node) && !own.contains(node);
            let on_all = |node: &NodeId| {
                paths
                    .iter()
                    .all(|path| path.iter().any(|link| receiver(link) == *node))
            };
            let switch = paths
                .first()?
                .iter()
                .map(receiver)
                .find(|node| able(node) && on_all(node))?;
            let mut ways: BTreeMap<usize, [Vec<LinkId>; 2]> = BTreeMap::new();
            for (index, path) in paths.iter().enumerate() {
                let at = path.iter().position(|link| receiver(link) == switch)?;
                let (up, down) = path.split_at(at + 1);
                ways.entry(heads[index]).or_default()[0] = up.to_vec();
                ways.entry(next(index)).or_default()[1] = down.to_vec();
            }
            Some(Combiner { switch, ways })
        };
        let all: Option<Vec<Combiner>> = self.channels.iter().map(hub).collect();
        all.unwrap_or_default()
    }

    /// The number of members per box, if all boxes have the same.
    pub(crate) fn size(&self) -> Option<usize> {
        let size = self.members.first()?.len();
        self.members
            .iter()
            .all(|of| of.len() == size)
            .then_some(size)
    }

    /// Whether the order in which a channel passes a box is determined.
    pub(crate) fn are_passed(&self) -> bool {
        self.switched || !self.chains.is_empty()
    }

    /// Whether every box has one rank.
    pub fn are_single(&self) -> bool {
        self.members.iter().all(|of| of.len() == 1)
    }

    /// The members of a box, from the index on at which a channel begins, and round.
    pub(crate) fn turned(&self, channel: &[usize], index: usize) -> Vec<usize> {
        let of = &self.members[index];
        let path = || {
            let number = self.channels.iter().position(|one| one == channel)?;
            self.chains.get(number)?.get(index).cloned()
        };
        if let Some(path) = path() {
            return path;
        }
        let start = channel.get(index).copied().unwrap_or(0);
        of[start..].iter().chain(&of[..start]).copied().collect()
    }

    /// The rings of NCCL, one per channel: through all members of a box, then to the next box. Every second box is
    /// passed backwards, so that channels stay on their rail.
    pub fn rings(&self) -> Vec<Vec<usize>> {
        let ring = |channel: &[usize]| -> Vec<usize> {
            let through = |index: usize| {
                let mut members = self.turned(channel, index);
                if index % 2 == 1 {
                    members.reverse();
                }
                members
            };
            (0..self.members.len()).flat_map(through).collect()
        };
        self.each_channel(ring)
    }

    /// The two trees of every channel: in a box the chain of its members from the head on, at which the channel begins.
    /// Among the heads they are the trees of [`box_trees`].
    pub fn trees(&self) -> Vec<Tree> {
        let ranks = self.members.iter().map(Vec::len).sum();
        let trees = |channel: &[usize]| -> Vec<Tree> {
            let chains: Vec<Vec<usize>> = (0..self.members.len())
                .map(|index| self.turned(channel, index))
                .collect();
            let tree = |above: &Vec<Option<usize>>| {
                let mut parents = vec![None; ranks];
                for (chain, above) in chains.iter().zip(above) {
                    parents[chain[0]] = above.map(|index| chains[index][0]);
                    for (parent, child) in chain.iter().zip(&chain[1..]) {
                        parents[*child] = Some(*parent);
                    }
                }
                Tree::of_parents(&parents).ok()
            };
            box_trees(chains.len()).iter().filter_map(tree).collect()
        };
        self.each_channel(trees).into_iter().flatten().collect()
    }

    fn each_channel<T>(&self, of: impl Fn(&[usize]) -> T) -> Vec<T> {
        if self.channels.is_empty() {
            vec![of(&[])]
        } else {
            self.channels.iter().map(|channel| of(channel)).collect()
        }
    }
}

/// NCCL's two binary trees over boxes (`ncclGetDtree` in src/graph/trees.cc), as the parent of every box. A single tree
/// for one box. In the first, box 0 is the root. The second is the first, mirrored if the number of boxes is even and
/// otherwise shifted by one box.
pub fn box_trees(boxes: usize) -> Vec<Vec<Option<usize>>> {
    let above = |index: usize| (index > 0).then(|| Tree::above_in_order(index, boxes));
    let first: Vec<Option<usize>> = (0..boxes).map(above).collect();
    if boxes < 2 {
        return vec![first];
    }
    let moved = |index: usize| {
        if boxes.is_multiple_of(2) {
            boxes - 1 - index
        } else {
            (index + 1) % boxes
        }
    };
    let mut second = vec![None; boxes];
    for (index, parent) in first.iter().enumerate() {
        second[moved(index)] = parent.map(moved);
    }
    vec![first, second]
}

/// The router that the cheapest links of all these ranks lead to.
fn switch_of(platform: &Platform, ranks: &[NodeId], of: &[usize]) -> Option<NodeId> {
    let router = |rank: &usize| {
        let links = platform.outgoing(ranks[*rank]).iter();
        let cheapest = links
            .min_by(|one, other| platform.link(**one).cost.cmp(&platform.link(**other).cost))?;
        let to = platform.link(*cheapest).to;
        (!platform.node(to).is_processor()).then_some(to)
    };
    let mut routers = of.iter().map(router);
    let first = routers.next()??;
    routers.all(|other| other == Some(first)).then_some(first)
}

/// Whether the node is a switch that combines and duplicates.
fn combines(platform: &Platform, node: NodeId) -> bool {
    let node = platform.node(node);
    node.reduces.is_some() && node.replicates
}

/// The indices of a box's members that are nearest to one of its network cards each, by card in the order of the
/// members. A card is the last node of the box on the way to the next box. `None` if there is no path.
fn cards(
    platform: &Platform,
    ranks: &[NodeId],
    routes: &Routes,
    members: &[Vec<usize>],
    index: usize,
) -> Option<Vec<usize>> {
    let (own, next) = (&members[index], &members[(index + 1) % members.len()]);
    let mut nearest: BTreeMap<NodeId, (usize, usize)> = BTreeMap::new();
    for (at, &rank) in own.iter().enumerate() {
        let node = ranks[rank];
        let path = routes.path(node, ranks[next[at % next.len()]])?;
        let its = box_of(platform, node);
        let leaves = |link| box_of(platform, platform.link(link).to) != its;
        let hops = path.iter().position(|&link| leaves(link))?;
        let card = platform.link(path[hops]).from;
        let known = nearest.entry(card).or_insert((hops, at));
        *known = (*known).min((hops, at));
    }
    let mut indices: Vec<usize> = nearest.into_values().map(|(_, at)| at).collect();
    indices.sort_unstable();
    Some(indices)
}
