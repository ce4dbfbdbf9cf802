//! Disjoint sets that have to exchange much over little: the counting theorem, and how its sets are found.
//!
//! **Theorem.** Let `S_1..S_k` be disjoint sets, each with a participant, together all processors, and `A_j` be `S_j`
//! with any routers. The transfers of one all-reduce enter the `A_j` at least `2 (k - 1)` times. A transfer that enters
//! two of them counts twice. (With all links turned: the `S_j` are together all nodes that replicate, the `A_j` may
//! hold any that do not. The transfers leave the `A_j` at least as often.)
//!
//! With `c(A)` the capacity that enters `A`, let `C(S)` be the least `c(A)` of all `A` that contain `S` and further
//! nodes that need not lie in a set: a minimum cut. `C` is submodular, so `min over partitions of sum_j (C(S_j) - t)`
//! is a *Dilworth truncation*, found by one minimum cut per participant: take them in turn, `y(v) = min C(S) - t -
//! y(S - v)` over the sets `S` of `v` and participants taken before, and unite the best `S` with all blocks that it
//! meets. The blocks are a best partition.
//!
//! With capacities in transfers per instance and `t = 2`, a sum below -2 is a violated inequality. With bandwidths,
//! Dinkelbach's steps find the partition of least `sum_j C(S_j) / 2 (k - 1)`: no all-reduce has a larger throughput
//! where only links count.
//!
//! *Guests* are nodes that must belong to a set without being participants: processors outside and routers that reduce,
//! or turned round routers that copy. They are left free at first. Then each is put into the set in which it adds least
//! crossing capacity. The choice may not be the best one, but the inequality holds. The best choice is a multiway cut.
//! On boxes around switches that reduce, the best sets are each switch with its participants, and no search from a
//! single participant finds them. So the search is repeated with guests and participants *contracted* if links of some
//! bandwidth or more join them.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use oneport_graph::Network;
use oneport_numbers::{Exact, common_denominator, numerator_over};
use oneport_plan::inequality::{Border, Direction};
use oneport_platform::petgraph::unionfind::UnionFind;
use oneport_platform::{Link, NodeId, PerNode, Platform, Rational, ratio};
use oneport_watch::Watch;

use crate::{LpError, Question};

/// Fact: index of the node where flows start.
const SOURCE: usize = 0;
/// Fact: index of the node where flows end.
const SINK: usize = 1;

/// Bandwidths for which participants are contracted with guests: boxes have one, with a network attached to the
/// accelerators two. Trades the best partition for time: each repeats the search. Not measured.
const LEVELS: usize = 2;

/// Which side of a cut a node is on before anything flows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Outside,
    Inside,
    Free,
}

/// Finds sets of one platform's nodes, in one direction.
#[derive(Clone)]
pub(super) struct Partitions<'a> {
    platform: &'a Platform,
    direction: Direction,
    /// The participants: one representative of each contracted set.
    participants: Vec<NodeId>,
    /// Non-participants that must belong to some set.
    guests: Vec<NodeId>,
    /// Per node: its representative, or the node itself if it is not contracted.
    home: PerNode<NodeId>,
    watch: Watch,
}

/// Sets, and the sum of the capacities that cross them.
pub(super) struct CheapPartition<N> {
    /// Each ascending.
    pub sets: Vec<Vec<NodeId>>,
    /// The sum over the sets.
    pub crossing: N,
}

impl<'a> Partitions<'a> {
    /// Prepares one direction.
    pub(super) fn new(
        question: &'a Question,
        direction: Direction,
        participants: &[NodeId],
    ) -> Self {
        let platform = question.platform();
        let joins = |node: &NodeId| match direction {
            Direction::Into => platform.node(*node).merges(),
            Direction::OutOf => platform.node(*node).replicates,
        };
        let takes_part: BTreeSet<NodeId> = participants.iter().copied().collect();
        let guests = platform
            .node_ids()
            .filter(joins)
            .filter(|node| !takes_part.contains(node))
            .collect();
        Partitions {
            platform,
            direction,
            participants: participants.to_vec(),
            guests,
            home: platform.node_ids().collect(),
            watch: question.watch().clone(),
        }
    }

    /// Returns searches in which links of some bandwidth or more between guests and participants are contracted: one
    /// search for each of the [`LEVELS`] largest bandwidths of such links, and one for the smallest. A search is left
    /// out unless it has at least 2 participants and at most half of all, so that it takes less time than `self`.
    pub(super) fn contracted(&self) -> Vec<Partitions<'a>> {
        let [guests, takes_part] = [&self.guests, &self.participants]
            .map(|nodes| nodes.iter().copied().collect::<BTreeSet<NodeId>>());
        let joins = |link: &&Link| {
            [(link.from, link.to), (link.to, link.from)]
                .iter()
                .any(|(guest, other)| guests.contains(guest) && takes_part.contains(other))
        };
        let joining: Vec<&Link> = self.platform.links().iter().filter(joins).collect();
        let costs: BTreeSet<&Rational> = joining.iter().map(|link| &link.cost).collect();
        let level = |most: &Rational| {
            let mut sets = UnionFind::new(self.platform.nodes().len());
            for link in joining.iter().filter(|link| link.cost <= *most) {
                sets.union(link.from.index(), link.to.index());
            }
            let home = self.homes(&sets.into_labeling().into());
            let is_representative = |node: &&NodeId| home[**node] == **node;
            Partitions {
                participants: self
                    .participants
                    .iter()
                    .filter(is_representative)
                    .copied()
                    .collect(),
                guests: self
                    .guests
                    .iter()
                    .filter(is_representative)
                    .copied()
                    .collect(),
                home,
                platform: self.platform,
                direction: self.direction,
                watch: self.watch.clone(),
            }
        };
        let all = costs.iter().skip(LEVELS).next_back();
        let levels = costs.iter().take(LEVELS).chain(all).map(|most| level(most));
        let sets = 2..=self.participants.len() / 2;
        levels
            .filter(|level| sets.contains(&level.participants.len()))
            .collect()
    }

    /// Per node: the first participant of its set, or the node itself if the set has no participant.
    fn homes(&self, labels: &PerNode<usize>) -> PerNode<NodeId> {
        let mut first = BTreeMap::new();
        for &node in &self.participants {
            first.entry(labels[node]).or_insert(node);
        }
        let home = |node: NodeId| first.get(&labels[node]).copied().unwrap_or(node);
        self.platform.node_ids().map(home).collect()
    }

    /// A border around these sets.
    pub(super) fn border(&self, sets: Vec<Vec<NodeId>>) -> Border {
        Border {
            direction: self.direction,
            sets,
        }
    }

    /// Whether entries or exits are counted.
    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    /// The participants: one representative of each contracted set.
    pub(super) fn participants(&self) -> &[NodeId] {
        &self.participants
    }

    /// The set containing `inside` that minimises crossing capacity minus the values inside, and that minimum.
    ///
    /// # Errors
    /// [`LpError::Stopped`] by the watch.
    pub(super) fn closest<N: Exact>(
        &self,
        capacities: &[N],
        values: &[(NodeId, N)],
        inside: NodeId,
    ) -> Result<(N, Vec<NodeId>), LpError> {
        let mut sides = self.platform.per_node(Side::Free);
        sides[inside] = Side::Inside;
        let (own, others): (Vec<_>, Vec<_>) = values
            .iter()
            .cloned()
            .partition(|(node, _)| *node == inside);
        let (mut least, set) = self.cut(capacities, &sides, &others)?;
        // The cut value includes the positive values outside. Subtract their total.
        let zero = N::zero();
        let wanted = others.iter().filter(|(_, value)| *value > zero);
        for (_, value) in wanted.chain(&own) {
            least -= value;
        }
        Ok((least, set))
    }

    /// Each participant alone, with the nodes that belong to it.
    ///
    /// # Errors
    /// [`LpError::Stopped`] by the watch.
    pub(super) fn singletons<N: Exact>(
        &self,
        capacities: &[N],
    ) -> Result<CheapPartition<N>, LpError> {
        self.completed(
            capacities,
            self.participants.iter().map(|&node| vec![node]).collect(),
        )
    }

    /// Every participant alone, and with the first one all others that have to lie in a set: no cut is looked for.
    fn alone<N: Exact>(&self, capacities: &[N]) -> CheapPartition<N> {
        let mut at_home = self.platform.per_node(None);
        for (index, node) in self.participants.iter().enumerate() {
            at_home[*node] = Some(index);
        }
        for guest in &self.guests {
            at_home[*guest] = Some(0);
        }
        let homes = self.home.iter().map(|home| at_home[*home]);
        let holding: PerNode<Option<usize>> = homes.collect();
        let mut sets = vec![Vec::new(); self.participants.len()];
        for (node, index) in self.platform.node_ids().zip(&holding) {
            if let Some(index) = *index {
                sets[index].push(node);
            }
        }
        let mut crossing = N::zero();
        for (link, capacity) in self.platform.links().iter().zip(capacities) {
            let (inside, outside) = match self.direction {
                Direction::Into => (link.to, link.from),
                Direction::OutOf => (link.from, link.to),
            };
            let inside = holding[inside];
            if inside.is_some() && inside != holding[outside] {
                crossing += capacity;
            }
        }
        sets.sort();
        CheapPartition { sets, crossing }
    }

    /// For every participant but the first, sets without and with the first one that less than `least` crosses.
    ///
    /// # Errors
    /// [`LpError::Stopped`] by the watch.
    pub(super) fn cuts<N: Exact>(
        &self,
        capacities: &[N],
        least: &N,
    ) -> Result<Vec<Vec<NodeId>>, LpError> {
        let Some((&first, others)) = self.participants.split_first() else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for &other in others {
            for (inside, outside) in [(first, other), (other, first)] {
                let mut sides = self.platform.per_node(Side::Free);
                sides[inside] = Side::Inside;
                sides[outside] = Side::Outside;
                let (crossing, set) = self.cut(capacities, &sides, &[])?;
                if crossing < *least && !found.contains(&set) {
                    found.push(set);
                }
            }
        }
        Ok(found)
    }

    /// A partition of least `sum of (crossing - t)`: at least two sets, or `None` if nothing is less than one set's
    /// `-t`. The participants are taken in their order, or turned round. As many minimum cuts as participants, and as
    /// many as sets for each guest.
    ///
    /// # Errors
    /// [`LpError::Stopped`] by the watch.
    pub(super) fn least<N: Exact>(
        &self,
        capacities: &[N],
        twice: &N,
        turned: bool,
    ) -> Result<Option<CheapPartition<N>>, LpError> {
        let mut order = self.participants.clone();
        if turned {
            order.reverse();
        }
        let blocks = self.blocks(capacities, twice, &order)?;
        if blocks.len() > 1 {
            self.completed(capacities, blocks).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The Dilworth truncation.
    fn blocks<N: Exact>(
        &self,
        capacities: &[N],
        twice: &N,
        order: &[NodeId],
    ) -> Result<Vec<Vec<NodeId>>, LpError> {
        let mut sides = self.platform.per_node(Side::Free);
        for node in order {
            sides[*node] = Side::Outside;
        }
        let mut values: Vec<(NodeId, N)> = Vec::with_capacity(order.len());
        let mut blocks: Vec<Vec<NodeId>> = Vec::new();
        for &node in order {
            sides[node] = Side::Inside;
            let (mut value, set) = self.cut(capacities, &sides, &values)?;
            sides[node] = Side::Free;
            let zero = N::zero();
            for (_, own) in values.iter().filter(|(_, own)| *own > zero) {
                value -= own;
            }
            value -= twice;
            values.push((node, value));
            let meets =
                |block: &Vec<NodeId>| block.iter().any(|other| set.binary_search(other).is_ok());
            let (met, mut rest): (Vec<_>, Vec<_>) = blocks.into_iter().partition(meets);
            rest.push(met.into_iter().flatten().chain([node]).collect());
            blocks = rest;
        }
        Ok(blocks)
    }

    /// Assigns the guests to blocks, then grows each block by free nodes to its minimum cut.
    fn completed<N: Exact>(
        &self,
        capacities: &[N],
        mut blocks: Vec<Vec<NodeId>>,
    ) -> Result<CheapPartition<N>, LpError> {
        for &guest in &self.guests {
            let mut best: Option<(N, usize)> = None;
            for index in 0..blocks.len() {
                let mut more = self.crossing(capacities, &blocks, index, Some(guest))?.0;
                more -= &self.crossing(capacities, &blocks, index, None)?.0;
                if best.as_ref().is_none_or(|(least, _)| more < *least) {
                    best = Some((more, index));
                }
            }
            if let Some((_, index)) = best {
                blocks[index].push(guest);
            }
        }
        let mut crossing = N::zero();
        let mut sets = Vec::with_capacity(blocks.len());
        for index in 0..blocks.len() {
            let (own, set) = self.crossing(capacities, &blocks, index, None)?;
            crossing += &own;
            sets.push(set);
        }
        sets.sort();
        Ok(CheapPartition { sets, crossing })
    }

    /// The least that crosses a block, perhaps with a guest more, and the nodes inside.
    fn crossing<N: Exact>(
        &self,
        capacities: &[N],
        blocks: &[Vec<NodeId>],
        index: usize,
        guest: Option<NodeId>,
    ) -> Result<(N, Vec<NodeId>), LpError> {
        let mut sides = self.platform.per_node(Side::Free);
        for node in blocks.iter().flatten() {
            sides[*node] = Side::Outside;
        }
        for node in blocks[index].iter().chain(&guest) {
            sides[*node] = Side::Inside;
        }
        self.cut(capacities, &sides, &[])
    }

    /// A minimum cut around `inside`: its capacity, and the nodes inside, ascending. A node of positive value is wanted
    /// inside, one of negative value outside.
    fn cut<N: Exact>(
        &self,
        capacities: &[N],
        sides: &PerNode<Side>,
        values: &[(NodeId, N)],
    ) -> Result<(N, Vec<NodeId>), LpError> {
        self.watch.ask()?;
        let index = |node: NodeId| {
            let home = self.home[node];
            match sides[home] {
                Side::Outside => SOURCE,
                Side::Inside => SINK,
                Side::Free => home.index() + 2,
            }
        };
        let mut network = Network::new(sides.len() + 2);
        for (link, capacity) in self.platform.links().iter().zip(capacities) {
            let (from, to) = match self.direction {
                Direction::Into => (link.from, link.to),
                Direction::OutOf => (link.to, link.from),
            };
            network.arc(index(from), index(to), capacity.clone());
        }
        let zero = N::zero();
        for (node, value) in values {
            if *value > zero {
                network.arc(index(*node), SINK, value.clone());
            } else {
                let mut cost = N::zero();
                cost -= value;
                network.arc(SOURCE, index(*node), cost);
            }
        }
        let (least, outside) = network.minimum_cut(SOURCE, SINK, &self.watch)?;
        Ok((
            least,
            self.platform
                .node_ids()
                .filter(|&node| !outside[index(node)])
                .collect(),
        ))
    }
}

/// The partition of least `sum of crossing / 2 (k - 1)` that is found for capacities of the links, and its value. Exact
/// if there are no guests. `None` for a single participant.
///
/// A few rounds of as many minimum cuts as there are participants. Where the watch ends them, the best partition known
/// by then: at first that of every participant alone. The first partition that proves no more than `sought` will do.
///
/// # Errors
/// None of the watch.
pub(super) fn best(
    partitions: &Partitions<'_>,
    capacities: &[Rational],
    sought: Option<&Rational>,
) -> Result<Option<(Border, Rational)>, LpError> {
    let (whole, denominator) = scaled(capacities);
    // Capacities are multiplied by fewer than there are participants, and added up.
    let bits: u64 = whole.iter().map(BigInt::bits).max().unwrap_or(0);
    let spare = 3 * u64::from(
        usize::BITS - (capacities.len() + partitions.participants.len()).leading_zeros(),
    );
    let enough = |sets: usize, crossing: &BigInt| {
        let twice = BigInt::from(2 * (sets - 1)) * &denominator;
        sought.is_some_and(|sought| crossing * sought.denom() <= sought.numer() * twice)
    };
    let found = if bits + spare < 120 {
        let narrow: Vec<i128> = whole.iter().filter_map(ToPrimitive::to_i128).collect();
        partitions.dinkelbach(&narrow, |capacity, times| capacity * times as i128, enough)?
    } else {
        partitions.dinkelbach(
            &whole,
            |capacity, times| capacity * BigInt::from(times),
            enough,
        )?
    };
    let Some((sets, crossing)) = found else {
        return Ok(None);
    };
    let times = BigInt::from(2 * (sets.len() - 1));
    Ok(Some((
        partitions.border(sets),
        ratio(crossing, times * &denominator),
    )))
}

/// Sets, and the capacity that crosses them.
type Crossed = (Vec<Vec<NodeId>>, BigInt);

impl Partitions<'_> {
    /// Dinkelbach's steps: while a partition has a smaller value than the last one, it replaces it.
    fn dinkelbach<N: Exact + Into<BigInt>>(
        &self,
        capacities: &[N],
        multiplied: impl Fn(&N, usize) -> N,
        enough: impl Fn(usize, &BigInt) -> bool,
    ) -> Result<Option<Crossed>, LpError> {
        if self.participants.len() < 2 {
            return Ok(None);
        }
        let is_less = |one: &CheapPartition<N>, other: &CheapPartition<N>| {
            multiplied(&one.crossing, other.sets.len() - 1)
                < multiplied(&other.crossing, one.sets.len() - 1)
        };
        let mut best = self.alone(capacities);
        let is_enough =
            |found: &CheapPartition<N>| enough(found.sets.len(), &found.crossing.clone().into());
        if is_enough(&best) {
            return Ok(Some((best.sets, best.crossing.into())));
        }
        match self.singletons(capacities) {
            Ok(found) => best = found,
            // A limit that ends the search leaves the best partition known.
            Err(LpError::Stopped(_)) => return Ok(Some((best.sets, best.crossing.into()))),
            Err(error) => return Err(error),
        }
        while !is_enough(&best) {
            let times = best.sets.len() - 1;
            let larger: Vec<N> = capacities
                .iter()
                .map(|capacity| multiplied(capacity, times))
                .collect();
            let better = self
                .blocks(&larger, &best.crossing, &self.participants)
                .and_then(|blocks| match blocks.len() {
                    ..2 => Ok(None),
                    _ => self.completed(capacities, blocks).map(Some),
                });
            match better {
                Ok(Some(found)) if is_less(&found, &best) => best = found,
                Ok(_) | Err(LpError::Stopped(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Some((best.sets, best.crossing.into())))
    }
}

/// Integers over a common denominator.
pub(super) fn scaled(numbers: &[Rational]) -> (Vec<BigInt>, BigInt) {
    let denominator = common_denominator(numbers);
    (
        numbers
            .iter()
            .map(|number| numerator_over(number, &denominator))
            .collect(),
        denominator,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;
    use oneport_numbers::whole;
    use oneport_plan::{Collective, Problem, Volumes};
    use oneport_platform::generate::{SwitchedBoxes, switched_boxes};
    use oneport_platform::{Change, Node};
    use oneport_testkit::Dice;
    use std::time::Duration;

    /// A strongly connected platform of 3 to 6 processors and up to 3 routers, with directed links of any bandwidths.
    fn platform(dice: &mut Dice) -> Platform {
        let (processors, routers) = (3 + dice.below(4), dice.below(4));
        let mut builder = Platform::builder();
        let mut nodes = Vec::new();
        for at in 0..processors + routers {
            let name = format!("n{at}");
            let node = if at < processors {
                Node::processor(name, Rational::one())
            } else {
                Node::router(name)
            };
            nodes.push(
                builder
                    .node(Node {
                        replicates: at < processors,
                        ..node
                    })
                    .unwrap(),
            );
        }
        let mut link = |from: usize, to: usize, dice: &mut Dice| {
            let cost = ratio(1 + dice.below(9), 1 + dice.below(4));
            // The builder refuses a loop and a second link, as intended.
            let _ = builder.link(nodes[from], nodes[to], cost);
        };
        for at in 0..nodes.len() {
            link(at, (at + 1) % nodes.len(), dice);
        }
        for _ in 0..2 * nodes.len() {
            let (from, to) = (dice.below(nodes.len()), dice.below(nodes.len()));
            link(from, to, dice);
        }
        builder.build().unwrap()
    }

    /// All partitions of the numbers below `count` into at least two blocks.
    fn partitions(count: usize) -> Vec<Vec<Vec<usize>>> {
        let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
        for number in 0..count {
            let mut more = Vec::new();
            for partition in all {
                for index in 0..=partition.len() {
                    let mut larger = partition.clone();
                    if index == larger.len() {
                        larger.push(Vec::new());
                    }
                    larger[index].push(number);
                    more.push(larger);
                }
            }
            all = more;
        }
        all.retain(|partition| partition.len() > 1);
        all
    }

    /// The least that crosses a set of processors with any routers, by trying all of them.
    fn crossing(
        platform: &Platform,
        direction: Direction,
        set: &[usize],
        capacities: &[Rational],
    ) -> Rational {
        let routers: Vec<NodeId> = platform
            .node_ids()
            .filter(|&node| !platform.node(node).merges())
            .collect();
        let choices = (0..1usize << routers.len()).map(|chosen| {
            let more = routers
                .iter()
                .enumerate()
                .filter(|(at, _)| chosen >> at & 1 == 1)
                .map(|(_, &node)| node);
            let mut nodes: Vec<NodeId> =
                set.iter().map(|&at| NodeId::new(at)).chain(more).collect();
            nodes.sort_unstable();
            let crosses = |(link, _): &(oneport_platform::LinkId, &Rational)| {
                Border {
                    direction,
                    sets: vec![nodes.clone()],
                }
                .crossed(platform)[*link]
                    > 0
            };
            platform
                .link_ids()
                .zip(capacities)
                .filter(crosses)
                .map(|(_, capacity)| capacity)
                .sum::<Rational>()
        });
        choices.min().unwrap()
    }

    /// The best bound of plain and contracted partitions of an all-reduce among all processors.
    fn best_of_all(platform: &Platform) -> Rational {
        let participants: Vec<NodeId> = platform.processors().collect();
        let collective = Collective::all_reduce(participants.clone());
        let volumes = Volumes::of_size(Rational::one());
        let problem = Problem::new(platform, &collective, &volumes).unwrap();
        let question = Question::new(&problem);
        let bound = crate::bounds::first_of_all_reduce(&question, None);
        let bound = bound.unwrap().unwrap();
        let accepted = oneport_referee::bound(&problem, &bound.certificate, &Watch::unlimited());
        assert_eq!(
            accepted.as_ref(),
            Ok(&bound.throughput),
            "the referee says otherwise"
        );
        bound.throughput
    }

    /// Every box with its switch is a set, entered over its `n` cards: `k n b / 2 (k - 1)`. A box alone is `n + 1`
    /// nodes, and every accelerator is entered once around them: `a`.
    #[test]
    fn boxes_round_switches_that_merge_are_sets() {
        for (boxes, accelerators) in [(1, 3), (2, 3), (3, 3), (4, 8), (5, 2)] {
            let shape = SwitchedBoxes {
                boxes,
                accelerators,
                sharp: true,
                ..SwitchedBoxes::dgx_h100(1)
            };
            let expected = match boxes {
                1 => whole(450),
                _ => whole(boxes * accelerators * 50) / whole(2 * (boxes - 1)),
            };
            let found = best_of_all(&switched_boxes(shape).unwrap());
            assert_eq!(found, expected, "{boxes} boxes of {accelerators}");
        }
    }

    /// One bystander merges: of all partitions with it in each of their sets, the least proves no more than the search,
    /// and mostly no less.
    #[test]
    fn bystanders_that_merge_lie_in_the_set_of_a_neighbour() {
        let mut best = 0;
        let seeds = 30;
        for seed in 0..seeds {
            let mut dice = Dice::new(seed);
            let plain = platform(&mut dice);
            let router = plain
                .node_ids()
                .find(|&node| !plain.node(node).is_processor());
            let Some(router) = router else {
                best += 1;
                continue;
            };
            let reduces = Change::Reduces(router, Some(Rational::default()));
            let platform = plain.changed(&[reduces]).unwrap().platform;
            let capacities: Vec<Rational> = platform
                .links()
                .iter()
                .map(|link| link.cost.recip())
                .collect();
            let participants: Vec<NodeId> = platform.processors().collect();
            let value = |partition: &Vec<Vec<usize>>| {
                let value_with_router_in = |own: usize| {
                    let set = |(index, set): (usize, &Vec<usize>)| {
                        let mut set = set.clone();
                        set.extend((index == own).then_some(router.index()));
                        crossing(&platform, Direction::Into, &set, &capacities)
                    };
                    partition.iter().enumerate().map(set).sum::<Rational>()
                };
                let least = (0..partition.len())
                    .map(value_with_router_in)
                    .min()
                    .unwrap();
                least / whole(2 * (partition.len() - 1))
            };
            let least = partitions(participants.len())
                .iter()
                .map(value)
                .min()
                .unwrap();
            let collective = Collective::all_reduce(participants.clone());
            let volumes = Volumes::of_size(Rational::one());
            let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
            let own = Partitions::new(&question, Direction::Into, &participants);
            let all = own.contracted().into_iter().chain([own]);
            let found = all
                .map(|one| super::best(&one, &capacities, None).unwrap().unwrap().1)
                .min();
            let found = found.unwrap();
            assert!(
                found >= least,
                "seed {seed}: {found} is less than any partition proves, {least}"
            );
            best += usize::from(found == least);
        }
        // No search of the best one: a multiway cut.
        assert!(best * 2 > seeds as usize, "{best} of {seeds} are the best");
    }

    #[test]
    fn the_best_partition_is_that_of_enumeration() {
        let mut other_than_single = 0;
        let volumes = Volumes::of_size(Rational::one());
        for seed in 0..150 {
            let mut dice = Dice::new(seed);
            let platform = platform(&mut dice);
            let participants: Vec<NodeId> = platform.processors().collect();
            let capacities: Vec<Rational> = platform
                .links()
                .iter()
                .map(|link| link.cost.recip())
                .collect();
            for direction in [Direction::Into, Direction::OutOf] {
                let value = |partition: &Vec<Vec<usize>>| {
                    let all = partition
                        .iter()
                        .map(|set| crossing(&platform, direction, set, &capacities));
                    all.sum::<Rational>() / whole(2 * (partition.len() - 1))
                };
                let least = partitions(participants.len())
                    .iter()
                    .map(value)
                    .min()
                    .unwrap();
                let collective = Collective::all_reduce(participants.clone());
                let question =
                    Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
                let partitions = Partitions::new(&question, direction, &participants);
                let (border, found) = best(&partitions, &capacities, None).unwrap().unwrap();
                assert_eq!(found, least, "seed {seed}, {}", direction.name());
                let proved = |border: &Border| {
                    let crossed = border.crossed(&platform);
                    let counted = platform.link_ids().zip(&capacities);
                    let counted = counted.map(|(link, one)| one * whole(crossed[link]));
                    counted.sum::<Rational>() / whole(border.crossings())
                };
                assert_eq!(
                    proved(&border),
                    found,
                    "seed {seed}: the sets prove something else"
                );
                // Whatever cut is the last one, a bound is left, and more cuts never make it worse.
                let mut last = None;
                for cuts in 0..40 {
                    let question = question
                        .clone()
                        .watched(Watch::counting(cuts, Duration::ZERO));
                    let partitions = Partitions::new(&question, direction, &participants);
                    let (border, found) = best(&partitions, &capacities, None).unwrap().unwrap();
                    assert_eq!(proved(&border), found, "seed {seed}, {cuts} cuts");
                    assert!(
                        found >= least && last.is_none_or(|last| found <= last),
                        "seed {seed}, {cuts} cuts"
                    );
                    last = Some(found);
                }
                other_than_single += usize::from(border.sets.len() < participants.len());
            }
        }
        assert!(other_than_single > 50, "{other_than_single}");
    }
}
