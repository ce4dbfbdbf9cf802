//! The cheapest tree against enumeration of all trees and against the recurrence in plain rationals.

use num_bigint::BigInt;
use num_traits::{One, Pow, Zero};
use oneport_plan::{Amount, Interval, MergeTask, Pattern, Resource, Task, TaskTable, Volumes};
use oneport_platform::generate::{Options, complete, random_connected, ring};
use oneport_platform::{Link, LinkId, Node, NodeId, Platform, Rational, ratio, whole};
use oneport_trees::cheapest::{Prices, Reduction, is_tree, loads};
use proptest::prelude::*;

/// Prices as full-duplex nodes have them, by node.
#[derive(Debug, Clone)]
struct Ports<N> {
    send: Vec<N>,
    receive: Vec<N>,
    compute: Vec<N>,
}

impl<N: Clone + Zero> Ports<N> {
    /// Per link: both ports together. Not the library's own sum.
    fn prices(&self, platform: &Platform) -> Prices<N> {
        let both = |link: &Link| {
            self.send[link.from.index()].clone() + self.receive[link.to.index()].clone()
        };
        Prices {
            links: platform.links().iter().map(both).collect(),
            compute: self.compute.clone(),
        }
    }
}

/// Cheapest paths for one unit of message, by Floyd and Warshall.
fn distances(platform: &Platform, prices: &Ports<Rational>) -> Vec<Vec<Option<Rational>>> {
    let n = platform.nodes().len();
    let mut far = vec![vec![None; n]; n];
    for (node, row) in far.iter_mut().enumerate() {
        row[node] = Some(Rational::zero());
    }
    for link in platform.links() {
        let (from, to) = (link.from.index(), link.to.index());
        far[from][to] = Some(&link.cost * (&prices.send[from] + &prices.receive[to]));
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                let Some(detour) = far[from][via]
                    .clone()
                    .zip(far[via][to].clone())
                    .map(|(a, b)| a + b)
                else {
                    continue;
                };
                if far[from][to].as_ref().is_none_or(|direct| detour < *direct) {
                    far[from][to] = Some(detour);
                }
            }
        }
    }
    far
}

struct Twin<'t> {
    platform: &'t Platform,
    participants: &'t [NodeId],
    volumes: &'t Volumes,
    prices: &'t Ports<Rational>,
    far: Vec<Vec<Option<Rational>>>,
    /// Used at the node that makes them.
    resting: Vec<Interval>,
}

impl<'t> Twin<'t> {
    fn new(
        platform: &'t Platform,
        participants: &'t [NodeId],
        volumes: &'t Volumes,
        prices: &'t Ports<Rational>,
    ) -> Self {
        Twin {
            platform,
            participants,
            volumes,
            prices,
            far: distances(platform, prices),
            resting: Vec::new(),
        }
    }

    fn part(&self) -> Interval {
        Interval {
            first: 0,
            last: self.participants.len() - 1,
        }
    }

    fn moved(&self, part: Interval, from: NodeId, to: NodeId) -> Option<Rational> {
        if from != to && self.resting.contains(&part) {
            return None;
        }
        Some(self.far[from.index()][to.index()].as_ref()? * self.volumes.size.of(part).unwrap())
    }

    /// The price of a merge. `None` if it is impossible.
    fn merge(&self, part: Interval, split: usize, at: NodeId) -> Option<Rational> {
        let time = self.volumes.merge_time(self.platform, at, part, split);
        self.volumes
            .can_merge(at, part, split)
            .then(|| time * &self.prices.compute[at.index()])
    }

    /// The prices of all trees that make a partial result, with the nodes that make it: each shape with each placement.
    fn all(&self, part: Interval) -> Vec<(NodeId, Rational)> {
        if part.first == part.last {
            return vec![(self.participants[part.first], Rational::zero())];
        }
        let mut trees = Vec::new();
        for split in part.first..part.last {
            let (left, right) = (
                Interval {
                    last: split,
                    ..part
                },
                Interval {
                    first: split + 1,
                    ..part
                },
            );
            let rights = self.all(right);
            for (a, left_price) in self.all(left) {
                for (b, right_price) in &rights {
                    for at in self.platform.processors() {
                        let moves = self.moved(left, a, at).zip(self.moved(right, *b, at));
                        let tasks = moves.zip(self.merge(part, split, at));
                        let Some(((from_left, from_right), merge)) = tasks else {
                            continue;
                        };
                        trees.push((
                            at,
                            &left_price + right_price + from_left + from_right + merge,
                        ));
                    }
                }
            }
        }
        trees
    }

    fn enumerated(&self, target: NodeId) -> Option<Rational> {
        let to_target =
            |(at, price): (NodeId, Rational)| Some(price + self.moved(self.part(), at, target)?);
        self.all(self.part())
            .into_iter()
            .filter_map(to_target)
            .min()
    }

    /// Per node: the least price of having each partial result there. The plain recurrence, all states.
    fn table(&self) -> Vec<Vec<Vec<Option<Rational>>>> {
        let n = self.participants.len();
        let mut held = vec![vec![Vec::new(); n]; n];
        for length in 1..=n {
            for first in 0..=n - length {
                let part = Interval {
                    first,
                    last: first + length - 1,
                };
                held[first][part.last] = self
                    .platform
                    .node_ids()
                    .map(|to| self.held(&held, part, to))
                    .collect();
            }
        }
        held
    }

    fn held(
        &self,
        held: &[Vec<Vec<Option<Rational>>>],
        part: Interval,
        to: NodeId,
    ) -> Option<Rational> {
        let Interval { first, last } = part;
        if first == last {
            return self.moved(part, self.participants[first], to);
        }
        let made = |at: NodeId| {
            let sums = (first..last).filter_map(|split| {
                let (left, right) = (
                    held[first][split][at.index()].as_ref()?,
                    held[split + 1][last][at.index()].as_ref()?,
                );
                Some(left + right + self.merge(part, split, at)?)
            });
            sums.min()
        };
        self.platform
            .processors()
            .filter_map(|at| Some(made(at)? + self.moved(part, at, to)?))
            .min()
    }

    fn price(&self, tree: &Pattern) -> Rational {
        let price = |resource: &Resource| match resource {
            Resource::Send(node) => &self.prices.send[node.index()],
            Resource::Receive(node) => &self.prices.receive[node.index()],
            Resource::Compute(node) => &self.prices.compute[node.index()],
            other => panic!("{other:?} on a full-duplex platform"),
        };
        loads(self.platform, self.volumes, tree)
            .iter()
            .map(|(resource, time)| price(resource) * time)
            .sum()
    }

    fn reduction(&self) -> Reduction {
        let reduction = Reduction::new(self.platform, self.participants, self.volumes);
        if self.resting.is_empty() {
            reduction
        } else {
            reduction.sending_only(|part| !self.resting.contains(&part))
        }
    }

    fn is_tree(&self, target: NodeId, tree: &Pattern) -> bool {
        let sends =
            |task: &Task| matches!(task, Task::Send { part, .. } if self.resting.contains(part));
        is_tree(self.platform, self.participants, target, tree) && !tree.tasks.iter().any(sends)
    }

    /// All documented properties of exact answers, to every node. `least` is the truth.
    fn check_exact(&self, least: impl Fn(NodeId) -> Option<Rational>) {
        let reduction = self.reduction();
        let targets: Vec<NodeId> = self.platform.node_ids().collect();
        let prices = self.prices.prices(self.platform);
        let together = reduction.cheapest(&prices, &targets);
        for (&target, found) in targets.iter().zip(together) {
            assert_eq!(
                found.as_ref().map(|(price, _)| price),
                least(target).as_ref(),
                "to {target}"
            );
            let alone = reduction.cheapest(&prices, &[target]).remove(0);
            assert_eq!(
                alone.as_ref().map(|(price, _)| price),
                found.as_ref().map(|(price, _)| price)
            );
            for (price, tree) in found.into_iter().chain(alone) {
                assert!(self.is_tree(target, &tree), "{tree:?}");
                assert_eq!(self.price(&tree), price, "{tree:?}");
            }
        }
    }
}

/// The prices for the guide, and its documented properties.
fn check_guide(
    platform: &Platform,
    participants: &[NodeId],
    volumes: &Volumes,
    prices: &Ports<u64>,
) {
    let exact = over(prices, &BigInt::one());
    let twin = Twin::new(platform, participants, volumes, &exact);
    let reduction = Reduction::new(platform, participants, volumes);
    let guide = reduction.guide(&prices.prices(platform));
    let table = twin.table();
    let least = |target: NodeId| table[0][participants.len() - 1][target.index()].clone();
    // The finest unit is chosen by a tree of at most this price, to a processor or an owner. It has 29 bits or more.
    let is_processor =
        |node: &NodeId| platform.node(*node).is_processor() || participants.contains(node);
    let dearest = platform
        .node_ids()
        .filter(is_processor)
        .filter_map(|to| star(&twin, to).or_else(|| least(to)))
        .max()
        .unwrap_or_default();
    for target in platform.node_ids() {
        let Some(truth) = least(target) else {
            assert_eq!(
                (guide.lower_bound(target), guide.tree(target)),
                (None, None)
            );
            continue;
        };
        let (bound, tree) = (
            guide.lower_bound(target).unwrap(),
            guide.tree(target).unwrap(),
        );
        let price = twin.price(&tree);
        assert!(is_tree(platform, participants, target, &tree), "{tree:?}");
        assert!(bound <= truth && truth <= price, "{bound} {truth} {price}");
        let off = &dearest * whole(4 * participants.len() as i64)
            / Rational::from_integer(BigInt::one() << 29);
        if platform.node(target).is_processor() {
            assert!(&price - &bound <= off, "{price} - {bound} > {off}");
        }
    }
}

fn over(prices: &Ports<u64>, denominator: &BigInt) -> Ports<Rational> {
    let list = |prices: &[u64]| {
        prices
            .iter()
            .map(|&p| Rational::new(p.into(), denominator.clone()))
            .collect()
    };
    Ports {
        send: list(&prices.send),
        receive: list(&prices.receive),
        compute: list(&prices.compute),
    }
}

/// The cheapest tree with all merges at one node.
fn star(twin: &Twin<'_>, target: NodeId) -> Option<Rational> {
    let at = |node: NodeId| {
        let mut price = twin.moved(twin.part(), node, target)?;
        for (operand, &owner) in twin.participants.iter().enumerate() {
            price += twin.moved(
                Interval {
                    first: operand,
                    last: operand,
                },
                owner,
                node,
            )?;
            if let Some(before) = operand.checked_sub(1) {
                price += twin.merge(
                    Interval {
                        first: 0,
                        last: operand,
                    },
                    before,
                    node,
                )?;
            }
        }
        Some(price)
    };
    twin.platform.processors().filter_map(at).min()
}

/// A platform with routers and one-way links, participants in any order, volumes of all forms.
fn questions(most: usize) -> impl Strategy<Value = (Platform, Vec<NodeId>, Volumes)> {
    let nodes = prop::collection::vec((1i64..6, 1i64..4, prop::bool::weighted(0.7)), 2..=5);
    let links = prop::collection::vec(prop::option::weighted(0.55, (1i64..8, 1i64..5)), 25);
    let amounts = (amount(most, 1), amount(most, 0));
    (
        nodes,
        links,
        any::<prop::sample::Index>(),
        Just(()).prop_perturb(|(), mut rng| rng.random::<u64>()),
        amounts,
    )
        .prop_map(move |(nodes, links, count, shuffle, (size, work))| {
            let mut builder = Platform::builder();
            let mut ids = Vec::new();
            for (index, (n, d, computes)) in nodes.into_iter().enumerate() {
                let compute = (computes || index < 2).then(|| ratio(n, d));
                let node = Node {
                    compute,
                    ..Node::router(format!("P{index}"))
                };
                ids.push(builder.node(node).unwrap());
            }
            for (at, cost) in links.into_iter().enumerate() {
                let ends = ids
                    .get(at / 5)
                    .zip(ids.get(at % 5))
                    .filter(|(from, to)| from != to);
                if let Some(((&from, &to), (n, d))) = ends.zip(cost) {
                    builder.link(from, to, ratio(n, d)).unwrap();
                }
            }
            let platform = builder.build().unwrap();
            // Routers may own values, too.
            let any = shuffle & (1 << 41) != 0;
            let owns = |node: &NodeId| any || platform.node(*node).is_processor();
            let mut owners: Vec<NodeId> = platform.node_ids().filter(owns).collect();
            let turn = shuffle as usize % owners.len();
            owners.rotate_left(turn);
            if shuffle & (1 << 40) != 0 {
                owners.reverse();
            }
            owners.truncate((2 + count.index(most)).min(most));
            (platform, owners, Volumes { size, work })
        })
}

fn amount(operands: usize, least: i64) -> impl Strategy<Value = Amount> {
    let number = (least..9, 1i64..4).prop_map(|(n, d)| ratio(n, d));
    let row = prop::collection::vec(number.clone(), operands);
    prop_oneof![
        number.clone().prop_map(Amount::Constant),
        (number.clone(), number)
            .prop_map(|(fixed, per_operand)| Amount::Affine { fixed, per_operand }),
        prop::collection::vec(row, operands).prop_map(Amount::Table),
    ]
}

/// These problems with work that depends on the task and the processor. Some processors cannot run some tasks.
fn unrelated(most: usize) -> impl Strategy<Value = (Platform, Vec<NodeId>, Volumes)> {
    let works = prop::collection::vec(prop::option::weighted(0.8, (0i64..9, 1i64..4)), 200);
    (questions(most), works).prop_map(|((platform, owners, volumes), works)| {
        let mut works = works.into_iter().cycle();
        let mut table = TaskTable::default();
        for task in MergeTask::all(owners.len()) {
            let mut next = || works.next().flatten().map(|(n, d)| ratio(n, d));
            if let Some(work) = next() {
                table.everywhere.insert(task, work);
            }
            for node in platform.processors() {
                // One in three has no separate entry.
                if (node.index() + task.split + task.part.last) % 3 > 0 {
                    table.at.insert((task, node), next());
                }
            }
        }
        (
            platform,
            owners,
            Volumes {
                work: Amount::Tasks(table),
                ..volumes
            },
        )
    })
}

fn prices<N: Clone + std::fmt::Debug>(
    price: impl Strategy<Value = N> + Clone,
) -> impl Strategy<Value = Ports<N>> {
    let list = prop::collection::vec(price, 5);
    (list.clone(), list.clone(), list).prop_map(|(send, receive, compute)| Ports {
        send,
        receive,
        compute,
    })
}

fn any_rational() -> impl Strategy<Value = Rational> + Clone {
    let huge = || BigInt::from(10).pow(60u32);
    prop_oneof![
        2 => Just(Rational::zero()),
        3 => (0i64..4, 1i64..3).prop_map(|(n, d)| ratio(n, d)),
        2 => any::<u64>().prop_map(move |n| Rational::new(n.into(), huge() + n % 7)),
        1 => any::<u64>().prop_map(move |n| Rational::new(huge() * n, 7.into())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn exact_prices_are_least_of_all_trees((platform, owners, volumes) in questions(3), prices in prices(any_rational())) {
        let twin = Twin::new(&platform, &owners, &volumes, &prices);
        twin.check_exact(|target| twin.enumerated(target));
    }

    #[test]
    fn unrelated_machines_have_least_trees((platform, owners, volumes) in unrelated(3), prices in prices(any_rational())) {
        let twin = Twin::new(&platform, &owners, &volumes, &prices);
        twin.check_exact(|target| twin.enumerated(target));
    }

    #[test]
    fn unrelated_machines_obey_the_recurrence(
        (platform, owners, volumes) in unrelated(5), prices in prices(any_rational()), guiding in prices(0u64..1 << 40),
    ) {
        let twin = Twin::new(&platform, &owners, &volumes, &prices);
        let table = twin.table();
        twin.check_exact(|target| table[0][owners.len() - 1][target.index()].clone());
        check_guide(&platform, &owners, &volumes, &guiding);
    }

    #[test]
    fn exact_prices_obey_the_recurrence((platform, owners, volumes) in questions(5), prices in prices(any_rational())) {
        let twin = Twin::new(&platform, &owners, &volumes, &prices);
        let table = twin.table();
        twin.check_exact(|target| table[0][owners.len() - 1][target.index()].clone());
    }

    #[test]
    fn the_guide_keeps_its_promises(
        (platform, owners, volumes) in questions(5),
        prices in prices(prop_oneof![2 => Just(0), 3 => 0u64..5, 3 => 0u64..(1 << 40)]),
    ) {
        check_guide(&platform, &owners, &volumes, &prices);
    }

    /// Some partial results are not sent. A bit for each interval of at least two operands.
    #[test]
    fn what_rests_is_used_where_it_is_made(
        (platform, owners, volumes) in questions(5),
        prices in prices(prop_oneof![2 => Just(0), 3 => 0u64..5, 3 => 0u64..(1 << 40)]),
        mask in any::<u16>(),
    ) {
        let exact = over(&prices, &BigInt::one());
        let mut twin = Twin::new(&platform, &owners, &volumes, &exact);
        let pairs = (0..owners.len()).flat_map(|first| (first + 1..owners.len()).map(move |last| Interval { first, last }));
        twin.resting = pairs.zip(0..).filter(|(_, bit)| mask >> bit & 1 == 1).map(|(part, _)| part).collect();
        let table = twin.table();
        twin.check_exact(|target| table[0][owners.len() - 1][target.index()].clone());
        let reduction = twin.reduction();
        let guide = reduction.guide(&prices.prices(&platform));
        let mut lazily = reduction.exactly(&exact.prices(&platform), &platform.node_ids().collect::<Vec<_>>());
        let unit = Rational::from_integer(lazily.denominator().clone().into());
        for target in platform.node_ids() {
            let truth = table[0][owners.len() - 1][target.index()].clone();
            let tree = guide.tree(target);
            prop_assert_eq!(tree.is_some(), truth.is_some());
            let (Some(truth), Some(tree)) = (truth, tree) else { continue };
            prop_assert!(twin.is_tree(target, &tree), "{:?}", tree);
            prop_assert!(guide.lower_bound(target).unwrap() <= truth && truth <= twin.price(&tree));
            let bound = lazily.at_least(target).unwrap();
            prop_assert!(bound <= truth && (bound * &unit).is_integer());
            prop_assert!((&truth * &unit).is_integer());
            prop_assert_eq!(lazily.cheapest(target).unwrap().0, truth);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn larger_platforms(seed in 0u64..1000, n in 6usize..11, table in any::<bool>(), kind in 0u64..4) {
        let platform = random_connected(n, 3, &Options { seed, ..Options::default() }).unwrap();
        let owners: Vec<NodeId> = platform.node_ids().collect();
        let draw = |at: usize| (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (at as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93)) >> 20;
        let rows = |salt: usize| (0..n).map(|k| (k..n).map(|m| whole(draw(salt + k * n + m) as i64 % 5 + 1)).collect()).collect();
        let volumes = if table {
            Volumes { size: Amount::Table(rows(0)), work: Amount::Table(rows(999)) }
        } else {
            Volumes { size: Amount::Affine { fixed: whole(2), per_operand: ratio(1, 3) }, work: Amount::Constant(whole(1)) }
        };
        // Few different prices lead to many ties. Otherwise all are different.
        let price = |at: usize| match kind {
            0 => draw(at) % 2,
            1 => (draw(at) % 4 / 3) * 12_345_678_901,
            2 => draw(at) % 1_000_003,
            _ => draw(at) % (1 << 40),
        };
        let list = |salt: usize| (0..n).map(|at| price(salt + 7 * at)).collect::<Vec<u64>>();
        let machine = Ports { send: list(5000), receive: list(6000), compute: list(7000) };
        check_guide(&platform, &owners, &volumes, &machine);
        // Not a machine number: every ratio between prices stays.
        let exact = over(&machine, &BigInt::from(3).pow(80u32));
        let twin = Twin::new(&platform, &owners, &volumes, &exact);
        let table = twin.table();
        twin.check_exact(|target| table[0][n - 1][target.index()].clone());
    }
}

fn constant<N: Clone>(nodes: usize, send: N, receive: N, compute: N) -> Ports<N> {
    Ports {
        send: vec![send; nodes],
        receive: vec![receive; nodes],
        compute: vec![compute; nodes],
    }
}

fn transfers(tree: &Pattern) -> usize {
    tree.tasks
        .iter()
        .filter(|task| matches!(task, Task::Send { .. }))
        .count()
}

#[test]
fn nothing_moves_needlessly_where_everything_is_free() {
    let platform = complete(6, &Options::default()).unwrap();
    let owners: Vec<NodeId> = platform.node_ids().collect();
    let reduction = Reduction::new(&platform, &owners, &Volumes::of_size(whole(1)));
    for &target in &owners {
        let guide = reduction.guide(&constant(6, 0, 0, 0).prices(&platform));
        let free = constant(6, whole(0), whole(0), whole(0)).prices(&platform);
        let exact = reduction.cheapest(&free, &[target]).remove(0).unwrap();
        assert_eq!(
            (guide.lower_bound(target), &exact.0),
            (Some(whole(0)), &whole(0))
        );
        for tree in [guide.tree(target).unwrap(), exact.1] {
            assert!(is_tree(&platform, &owners, target, &tree));
            assert_eq!(transfers(&tree), 5);
        }
    }
}

#[test]
fn two_operands_meet_where_it_is_cheapest() {
    // a -> r -> b -> t, and merging is expensive at b.
    let mut builder = Platform::builder();
    let [a, r, b, t] =
        [("a", true), ("r", false), ("b", true), ("t", true)].map(|(name, computes)| {
            builder
                .node(if computes {
                    Node::processor(name, whole(1))
                } else {
                    Node::router(name)
                })
                .unwrap()
        });
    for (from, to) in [(a, r), (r, b), (b, t)] {
        builder.link(from, to, whole(1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let reduction = Reduction::new(&platform, &[b, a], &Volumes::of_size(whole(2)));
    let mut prices = constant(4, whole(1), whole(0), whole(1));
    prices.compute[b.index()] = whole(4);
    let found = reduction.cheapest(&prices.prices(&platform), &[t, b, a]);
    // At b: 2 + 2 to b, 4, 2 to t. At t: 2 + 2 + 2, 2, 1.
    let (price, tree) = found[0].clone().unwrap();
    assert_eq!(price, whole(9));
    let leaf = |operand| Interval {
        first: operand,
        last: operand,
    };
    let hop = |link: usize, part| Task::send(LinkId::new(link), part);
    let expected = [
        hop(2, leaf(0)),
        hop(0, leaf(1)),
        hop(1, leaf(1)),
        hop(2, leaf(1)),
        Task::merge(t, Interval { first: 0, last: 1 }, 0),
    ];
    assert_eq!(tree, Pattern::tree(0, None, expected));
    assert_eq!(found[1].as_ref().unwrap().0, whole(8));
    assert_eq!(found[2], None);
    let machine = Ports {
        send: vec![1; 4],
        receive: vec![0; 4],
        compute: vec![1, 1, 4, 1],
    };
    let guide = reduction.guide(&machine.prices(&platform));
    assert_eq!(
        (guide.lower_bound(t), guide.tree(t)),
        (Some(whole(9)), Some(tree))
    );
    assert_eq!(
        (guide.lower_bound(a), guide.lower_bound(NodeId::new(9))),
        (None, None)
    );
}

#[test]
fn prices_of_very_different_sizes() {
    let platform = random_connected(9, 3, &Options::default()).unwrap();
    let owners: Vec<NodeId> = platform.node_ids().collect();
    let volumes = Volumes {
        work: Amount::Constant(whole(0)),
        ..Volumes::of_size(ratio(2, 3))
    };
    let power = |exponent: u32| Rational::from_integer(BigInt::from(10).pow(exponent));
    let list = |salt: usize| {
        (0..9)
            .map(|at| power((at * 7 + salt) as u32 % 31 * 4) / power(60))
            .collect()
    };
    let prices = Ports {
        send: list(0),
        receive: list(3),
        compute: list(5),
    };
    let twin = Twin::new(&platform, &owners, &volumes, &prices);
    let table = twin.table();
    twin.check_exact(|target| table[0][8][target.index()].clone());
    // A link's price is the sum of two: up to the largest machine integer.
    let machine = |salt: usize| {
        (0..9)
            .map(|at| (u64::MAX / 2) >> ((at * 5 + salt) % 60))
            .collect()
    };
    let machine = Ports {
        send: machine(0),
        receive: machine(3),
        compute: machine(5),
    };
    check_guide(&platform, &owners, &volumes, &machine);
}

#[test]
fn a_single_value_travels_the_cheapest_way_and_no_values_make_no_tree() {
    let platform = ring(5, &Options::default()).unwrap();
    let prices = constant(5, whole(1), whole(1), whole(1));
    let volumes = Volumes::of_size(whole(3));
    let (from, to) = (NodeId::new(1), NodeId::new(3));
    let reduction = Reduction::new(&platform, &[from], &volumes);
    let (price, tree) = reduction
        .cheapest(&prices.prices(&platform), &[to])
        .remove(0)
        .unwrap();
    assert_eq!(
        Some(&price),
        distances(&platform, &prices)[1][3]
            .as_ref()
            .map(|far| far * whole(3))
            .as_ref()
    );
    assert!(is_tree(&platform, &[from], to, &tree));
    assert_eq!(
        reduction
            .guide(&constant(5, 1, 1, 1).prices(&platform))
            .lower_bound(to),
        Some(price)
    );
    let none = Reduction::new(&platform, &[], &volumes);
    assert_eq!(none.cheapest(&prices.prices(&platform), &[to]), [None]);
    assert_eq!(
        none.guide(&constant(5, 1, 1, 1).prices(&platform)).tree(to),
        None
    );
    let strange = Reduction::new(&platform, &[NodeId::new(77), from], &volumes);
    assert_eq!(strange.cheapest(&prices.prices(&platform), &[to]), [None]);
}

#[test]
fn missing_prices_are_free() {
    let platform = ring(4, &Options::default()).unwrap();
    let owners: Vec<NodeId> = platform.node_ids().collect();
    let reduction = Reduction::new(&platform, &owners, &Volumes::of_size(whole(1)));
    let found = reduction
        .cheapest(
            &Prices {
                links: vec![whole(-1)],
                ..Prices::default()
            },
            &owners[..1],
        )
        .remove(0);
    assert_eq!(found.unwrap().0, whole(0));
    assert_eq!(
        reduction.guide(&Prices::default()).lower_bound(owners[0]),
        Some(whole(0))
    );
}

/// Ports that a list leaves out are free, and the sum is by link.
#[test]
fn prices_of_ports() {
    let platform = random_connected(7, 3, &Options::default()).unwrap();
    let list = |salt: i64| {
        (0..7)
            .map(|at| ratio((at * 5 + salt) % 11, 3))
            .collect::<Vec<_>>()
    };
    let ports = Ports {
        send: list(1),
        receive: list(4),
        compute: list(6),
    };
    let ours = Prices::of_ports(
        &platform,
        &ports.send,
        &ports.receive,
        ports.compute.clone(),
    );
    assert_eq!(ours, ports.prices(&platform));
    let mut fewer = ports.clone();
    fewer.send[5..].fill(whole(0));
    fewer.receive.fill(whole(0));
    let ours = Prices::of_ports(&platform, &ports.send[..5], &[], ports.compute.clone());
    assert_eq!(ours, fewer.prices(&platform));
}

#[test]
fn what_is_no_tree() {
    let platform = ring(4, &Options::default()).unwrap();
    let owners: Vec<NodeId> = [0, 1, 2].map(NodeId::new).to_vec();
    let reduction = Reduction::new(&platform, &owners, &Volumes::of_size(whole(1)));
    let target = NodeId::new(3);
    let prices = constant(4, whole(1), whole(1), whole(1)).prices(&platform);
    let (_, tree) = reduction.cheapest(&prices, &[target]).remove(0).unwrap();
    let holds =
        |tasks: Vec<Task>| is_tree(&platform, &owners, target, &Pattern::tree(0, None, tasks));
    assert!(holds(tree.tasks.clone()));
    for at in 0..tree.tasks.len() {
        let mut less = tree.tasks.clone();
        less.remove(at);
        assert!(!holds(less), "without task {at}");
        let mut more = tree.tasks.clone();
        more.insert(at, tree.tasks[at]);
        assert!(!holds(more), "task {at} twice");
    }
    // With an input of another task.
    for at in 0..tree.tasks.len() {
        let mut other = tree.clone();
        let (Task::Send { after: input, .. } | Task::Merge { left: input, .. }) =
            &mut other.tasks[at];
        *input = if input.is_some() { None } else { Some(0) };
        assert!(
            !is_tree(&platform, &owners, target, &other),
            "another input of task {at}"
        );
    }
    // Over a link and back again.
    let last = tree.tasks.len();
    let there = platform.link_between(target, owners[0]).unwrap();
    let back = platform.link_between(owners[0], target).unwrap();
    let part = Interval { first: 0, last: 2 };
    let mut detour = tree.tasks.clone();
    detour.extend([there, back].map(|link| Task::send(link, part)));
    assert!(!holds(detour.clone()));
    detour.truncate(last);
    assert!(holds(detour));
    // To another target, in another order, and with an invalid order.
    assert!(!is_tree(&platform, &owners, owners[0], &tree));
    let ordered = |order: Vec<usize>| Pattern {
        order: Some(order),
        ..tree.clone()
    };
    assert!(is_tree(&platform, &owners, target, &ordered(vec![0, 1, 2])));
    let turned = [owners[2], owners[0], owners[1]];
    assert!(is_tree(&platform, &turned, target, &ordered(vec![1, 2, 0])));
    for order in [vec![1, 0, 2], vec![0, 1], vec![0, 1, 1], vec![0, 1, 2, 3]] {
        assert!(!is_tree(&platform, &owners, target, &ordered(order)));
    }
}

#[test]
fn loads_count_sizes_and_works() {
    let mut builder = Platform::builder();
    let a = builder.node(Node::processor("a", ratio(1, 2))).unwrap();
    let b = builder.node(Node::processor("b", whole(3))).unwrap();
    let (there, _) = builder.duplex(a, b, ratio(2, 3)).unwrap();
    let platform = builder.build().unwrap();
    let both = Interval { first: 0, last: 1 };
    let volumes = Volumes {
        size: Amount::Affine {
            fixed: whole(1),
            per_operand: whole(2),
        },
        work: Amount::Table(vec![vec![whole(0), whole(5)], vec![whole(0)]]),
    };
    let tasks = vec![
        Task::send(there, Interval { first: 0, last: 0 }),
        Task::merge(b, both, 0),
    ];
    let tree = Pattern::tree(0, None, tasks);
    let expected = [
        (Resource::Send(a), whole(2)),
        (Resource::Receive(b), whole(2)),
        (Resource::Compute(b), whole(15)),
    ];
    assert_eq!(
        loads(&platform, &volumes, &tree),
        expected.into_iter().collect()
    );
}
