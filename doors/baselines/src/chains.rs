//! Paths of channels through boxes of accelerators without a switch: NCCL's search (`ncclTopoSearchRec` of
//! src/graph/search.cc), with its conditions and without the order of its tries.
//!
//! A channel enters a box at the accelerator of its network card, passes all others over links between them, and leaves
//! by the card of the last. Of all such paths, the search takes the one whose last accelerator's card is used by the
//! fewest earlier channels, then the one that is nearest to a card, then the one whose links earlier channels use
//! least.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_plan::{LinkId, NodeId};
use oneport_platform::{Platform, Rational, whole};

use crate::Routes;

/// Members of a box. Trades rows for time. Not measured.
const MOST: usize = 16;
/// Nodes of the search of one path. Trades a better path for time. Not measured.
const STEPS: usize = 200_000;

/// The box of a node: the part of its name before the first point. Empty without one.
pub(crate) fn box_of(platform: &Platform, node: NodeId) -> &str {
    platform
        .name(node)
        .split_once('.')
        .map_or("", |(its, _)| its)
}

/// The paths of all channels.
#[derive(Default)]
pub(crate) struct Chains {
    /// Per channel and box: the members.
    pub(crate) orders: Vec<Vec<Vec<usize>>>,
    /// The links of the paths, both ways.
    pub(crate) direct: BTreeMap<(usize, usize), Vec<LinkId>>,
}

impl Chains {
    /// `None` if the boxes are one, or large, or some box has no such path for some channel.
    pub(crate) fn find(
        platform: &Platform,
        ranks: &[NodeId],
        routes: &Routes,
        (members, channels): (&[Vec<usize>], &[Vec<usize>]),
    ) -> Option<Chains> {
        let count = members.len();
        if count < 2 || members.iter().any(|of| of.len() > MOST) {
            return None;
        }
        let mut found = Chains::default();
        let mut used: BTreeMap<LinkId, usize> = BTreeMap::new();
        let mut left: BTreeMap<NodeId, usize> = BTreeMap::new();
        for channel in channels {
            let mut orders = Vec::with_capacity(count);
            for (index, of) in members.iter().enumerate() {
                let next = &members[(index + 1) % count];
                let away = *next.get(*channel.get((index + 1) % count)?)?;
                // The card that each member leaves the box by, and the links that lead out.
                let exit = |rank: usize| {
                    let path = routes.path(ranks[rank], ranks[away])?;
                    let its = box_of(platform, ranks[rank]);
                    let leaves = |link: &&LinkId| box_of(platform, platform.link(**link).to) != its;
                    let card = platform.link(*path.iter().find(leaves)?).from;
                    Some((card, path.len()))
                };
                let exits: BTreeMap<usize, (NodeId, usize)> = of
                    .iter()
                    .filter_map(|&rank| Some((rank, exit(rank)?)))
                    .collect();
                let mut search = ChainSearch {
                    platform,
                    ranks,
                    of,
                    exits: &exits,
                    used: &used,
                    left: &left,
                    path: vec![*of.get(*channel.get(index)?)?],
                    best: None,
                    steps: STEPS,
                };
                search.extend();
                let (_, order) = search.best?;
                for pair in order.windows(2) {
                    let between =
                        |from: usize, to: usize| platform.link_between(ranks[from], ranks[to]);
                    let (there, back) = (between(pair[0], pair[1])?, between(pair[1], pair[0])?);
                    *used.entry(there).or_default() += 1;
                    found.direct.insert((pair[0], pair[1]), vec![there]);
                    found.direct.insert((pair[1], pair[0]), vec![back]);
                }
                let (card, _) = exits.get(order.last()?)?;
                *left.entry(*card).or_default() += 1;
                orders.push(order);
            }
            found.orders.push(orders);
        }
        Some(found)
    }
}

/// The score of a path (less is better): channels that leave by its card, links from its end to the next box, the
/// longest time that one of its links is used, times of all.
type Score = (usize, usize, Rational, Rational);

/// A search in depth for the best path.
struct ChainSearch<'s> {
    platform: &'s Platform,
    ranks: &'s [NodeId],
    of: &'s [usize],
    exits: &'s BTreeMap<usize, (NodeId, usize)>,
    used: &'s BTreeMap<LinkId, usize>,
    left: &'s BTreeMap<NodeId, usize>,
    path: Vec<usize>,
    best: Option<(Score, Vec<usize>)>,
    steps: usize,
}

impl ChainSearch<'_> {
    /// Tries all members that follow the path, the first first.
    fn extend(&mut self) {
        if self.path.len() == self.of.len() {
            let score = self.score();
            let better = |score: &Score| self.best.as_ref().is_none_or(|(best, _)| score < best);
            if let Some(score) = score.filter(better) {
                self.best = Some((score, self.path.clone()));
            }
            return;
        }
        let Some(&last) = self.path.last() else {
            return;
        };
        for &next in self.of {
            if self.steps == 0 {
                return;
            }
            let both = self.link(last, next).is_some() && self.link(next, last).is_some();
            if both && !self.path.contains(&next) {
                self.steps -= 1;
                self.path.push(next);
                self.extend();
                self.path.pop();
            }
        }
    }

    fn link(&self, from: usize, to: usize) -> Option<LinkId> {
        self.platform.link_between(self.ranks[from], self.ranks[to])
    }

    /// `None` if no path leads from the last member to the next box.
    fn score(&self) -> Option<Score> {
        let (card, links) = self.exits.get(self.path.last()?)?;
        let (mut longest, mut all) = (Rational::zero(), Rational::zero());
        for pair in self.path.windows(2) {
            let link = self.link(pair[0], pair[1])?;
            let times = self.used.get(&link).copied().unwrap_or(0) as u64 + 1;
            let busy = &self.platform.link(link).cost * whole(times);
            all += &busy;
            longest = longest.max(busy);
        }
        Some((
            self.left.get(card).copied().unwrap_or(0),
            *links,
            longest,
            all,
        ))
    }
}
