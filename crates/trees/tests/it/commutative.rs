//! Cheapest commutative trees against two naive formulations: sets of operands spread link by link, and every order of
//! merging everywhere.

use std::collections::BTreeMap;

use num_traits::{One, Signed, Zero};
use oneport_plan::{Amount, Interval, Pattern, Resource, Task, Volumes};
use oneport_platform::whole;
use oneport_platform::{Link, Node, NodeId, Platform, Rational, parse_rational, ratio};
use oneport_trees::cheapest::{Prices, is_tree, loads};
use oneport_trees::commutative::{Commutative, Exactness};
use proptest::prelude::*;

/// The transfers of a partial result, in their order.
fn transfers(tree: &Pattern, wanted: Interval) -> impl Iterator<Item = Task> {
    tree.tasks
        .iter()
        .copied()
        .filter(move |task| matches!(task, Task::Send { part, .. } if *part == wanted))
}

/// The tasks that make a partial result: left part, right part, their transfers, merge. The left part holds the first
/// participant of both.
fn write_task_order(tree: &Pattern, part: Interval, tasks: &mut Vec<Task>) {
    let makes = |task: &&Task| matches!(task, Task::Merge { part: made, .. } if *made == part);
    let Some(&merge) = tree.tasks.iter().find(makes) else {
        return;
    };
    let Task::Merge { split, .. } = merge else {
        unreachable!()
    };
    let parts = [
        Interval {
            first: part.first,
            last: split,
        },
        Interval {
            first: split + 1,
            last: part.last,
        },
    ];
    let [left, right] = parts.map(|part| {
        tree.order.as_ref().unwrap()[part.first..=part.last]
            .iter()
            .min()
    });
    assert!(left < right);
    for part in parts {
        write_task_order(tree, part, tasks);
    }
    for part in parts {
        tasks.extend(transfers(tree, part));
    }
    tasks.push(merge);
}

/// Prices as full-duplex nodes have them, by node.
#[derive(Debug, Clone)]
struct Ports {
    send: Vec<u64>,
    receive: Vec<u64>,
    compute: Vec<u64>,
}

#[derive(Debug, Clone)]
struct Case {
    platform: Platform,
    participants: Vec<NodeId>,
    volumes: Volumes,
    prices: Ports,
}

impl Case {
    fn commutative(&self) -> Commutative<'_> {
        Commutative::new(&self.platform, &self.participants, &self.volumes)
    }

    /// Per link: both ports together. Missing prices are free.
    fn prices(&self) -> Prices<u64> {
        let of = |prices: &[u64], node: NodeId| prices.get(node.index()).copied().unwrap_or(0);
        let both =
            |link: &Link| of(&self.prices.send, link.from) + of(&self.prices.receive, link.to);
        Prices {
            links: self.platform.links().iter().map(both).collect(),
            compute: self.prices.compute.clone(),
        }
    }

    fn rational_prices(&self) -> Prices<Rational> {
        let big = |prices: &[u64]| prices.iter().map(|&price| whole(price)).collect();
        let prices = self.prices();
        Prices {
            links: big(&prices.links),
            compute: big(&prices.compute),
        }
    }

    fn targets(&self) -> Vec<NodeId> {
        self.platform.node_ids().collect()
    }

    fn size(&self, count: usize) -> Rational {
        self.volumes
            .size
            .of(Interval {
                first: 0,
                last: count - 1,
            })
            .unwrap()
    }

    fn merge_price(&self, count: usize, node: NodeId) -> Option<Rational> {
        let work = self
            .volumes
            .work
            .of(Interval {
                first: 0,
                last: count - 1,
            })
            .unwrap();
        let price = Rational::from_integer(self.prices.compute[node.index()].into());
        Some(work * self.platform.node(node).compute.as_ref()? * price)
    }

    fn link_price(&self, link: oneport_platform::LinkId) -> Rational {
        let link = self.platform.link(link);
        let ports = self.prices.send[link.from.index()] + self.prices.receive[link.to.index()];
        &link.cost * whole(ports)
    }

    /// The price of a tree, through its loads.
    fn price(&self, tree: &Pattern) -> Rational {
        let price = |(resource, time): (Resource, Rational)| {
            let price = match resource {
                Resource::Send(node) => self.prices.send[node.index()],
                Resource::Receive(node) => self.prices.receive[node.index()],
                Resource::Compute(node) => self.prices.compute[node.index()],
                other => panic!("{other:?} on a full-duplex platform"),
            };
            time * whole(price)
        };
        loads(&self.platform, &self.volumes, tree)
            .into_iter()
            .map(price)
            .fold(Rational::zero(), |sum, next| sum + next)
    }

    /// The least prices to have all operands combined at each node: all sets, spread link by link until nothing
    /// changes.
    fn naive(&self) -> Vec<Option<Rational>> {
        let nodes = self.platform.nodes().len();
        let all = (1usize << self.participants.len()) - 1;
        let mut held: Vec<Vec<Option<Rational>>> = vec![vec![None; nodes]; all + 1];
        for set in 1..=all {
            let count = set.count_ones() as usize;
            if count == 1 {
                held[set][self.participants[set.trailing_zeros() as usize].index()] =
                    Some(Rational::zero());
            }
            for node in self.platform.processors() {
                let Some(merge) = self.merge_price(count.max(2), node) else {
                    continue;
                };
                for part in 1..set {
                    if part & !set != 0 {
                        continue;
                    }
                    let (one, two) = (&held[part][node.index()], &held[set ^ part][node.index()]);
                    if let (Some(one), Some(two)) = (one, two) {
                        let price = one + two + &merge;
                        let old = &mut held[set][node.index()];
                        if old.as_ref().is_none_or(|old| price < *old) {
                            *old = Some(price);
                        }
                    }
                }
            }
            let mut changed = true;
            while changed {
                changed = false;
                for link in self.platform.link_ids() {
                    let ends = self.platform.link(link);
                    let Some(from) = held[set][ends.from.index()].clone() else {
                        continue;
                    };
                    let far = from + self.link_price(link) * self.size(count);
                    let old = &mut held[set][ends.to.index()];
                    if old.as_ref().is_none_or(|old| far < *old) {
                        *old = Some(far);
                        changed = true;
                    }
                }
            }
        }
        held.remove(all)
    }

    /// This value by trying every order of merging, at every node.
    fn brute(&self, target: NodeId) -> Option<Rational> {
        let nodes = self.platform.nodes().len();
        let mut ways: BTreeMap<(usize, usize), Rational> =
            (0..nodes).map(|i| ((i, i), Rational::zero())).collect();
        for _ in 0..nodes {
            for link in self.platform.link_ids() {
                let ends = self.platform.link(link);
                for from in 0..nodes {
                    let Some(near) = ways.get(&(from, ends.from.index())).cloned() else {
                        continue;
                    };
                    let far = near + self.link_price(link);
                    let old = ways
                        .entry((from, ends.to.index()))
                        .or_insert_with(|| far.clone());
                    *old = far.min(old.clone());
                }
            }
        }
        let values: Vec<(usize, NodeId)> =
            self.participants.iter().map(|&node| (1, node)).collect();
        self.merge_any(&values, target, &ways)
    }

    fn merge_any(
        &self,
        values: &[(usize, NodeId)],
        target: NodeId,
        ways: &BTreeMap<(usize, usize), Rational>,
    ) -> Option<Rational> {
        let way = |(count, from): (usize, NodeId), to: NodeId| {
            Some(ways.get(&(from.index(), to.index()))? * self.size(count))
        };
        if let [result] = values {
            return way(*result, target);
        }
        let mut best: Option<Rational> = None;
        for first in 0..values.len() {
            for second in first + 1..values.len() {
                for at in self.platform.processors() {
                    let count = values[first].0 + values[second].0;
                    let (Some(one), Some(two)) = (way(values[first], at), way(values[second], at))
                    else {
                        continue;
                    };
                    let mut rest: Vec<(usize, NodeId)> = values.to_vec();
                    rest.remove(second);
                    rest[first] = (count, at);
                    let Some(others) = self.merge_any(&rest, target, ways) else {
                        continue;
                    };
                    let price = one + two + self.merge_price(count, at).unwrap() + others;
                    if best.as_ref().is_none_or(|best| price < *best) {
                        best = Some(price);
                    }
                }
            }
        }
        best
    }

    fn check_tree(&self, tree: &Pattern, target: NodeId) {
        assert!(tree.order.is_some() && tree.demand == 0);
        assert!(
            is_tree(&self.platform, &self.participants, target, tree),
            "{tree:?}"
        );
        let mut canonical = Vec::new();
        let whole = Interval {
            first: 0,
            last: self.participants.len() - 1,
        };
        write_task_order(tree, whole, &mut canonical);
        canonical.extend(transfers(tree, whole));
        assert_eq!(tree.tasks, canonical);
    }

    /// Everything that has to hold for the answers to an exact problem.
    fn check_exact(&self) {
        let commutative = self.commutative();
        assert_eq!(commutative.exactness(), Exactness::Exact);
        let (targets, naive) = (self.targets(), self.naive());
        for (answer, target) in commutative
            .cheapest(&self.rational_prices(), &targets)
            .into_iter()
            .zip(&targets)
        {
            let right = naive[target.index()].clone();
            assert_eq!(
                answer.as_ref().map(|(price, _)| price.clone()),
                right,
                "to {target}"
            );
            let Some((price, tree)) = answer else {
                continue;
            };
            self.check_tree(&tree, *target);
            assert_eq!(self.price(&tree), price);
        }
        for (answer, target) in commutative
            .guide(&self.prices(), &targets)
            .into_iter()
            .zip(&targets)
        {
            let right = naive[target.index()].clone();
            assert_eq!(answer.is_some(), right.is_some());
            let Some((bound, trees)) = answer else {
                continue;
            };
            let least = right.unwrap();
            // Small numbers are never rounded.
            assert_eq!(
                (bound, self.price(&trees[0])),
                (least.clone(), least.clone())
            );
            let mut prices = Vec::new();
            for (index, tree) in trees.iter().enumerate() {
                self.check_tree(tree, *target);
                assert!(!trees[..index].contains(tree));
                prices.push(self.price(tree));
            }
            assert!(
                prices.is_sorted() && prices.iter().all(|price| *price <= &least * ratio(9, 8))
            );
        }
    }
}

/// Processors `0..processors` and routers, random links, prices that are often 0.
fn cases(
    participants: std::ops::RangeInclusive<usize>,
    others: std::ops::RangeInclusive<usize>,
    constant: bool,
) -> impl Strategy<Value = Case> {
    let small =
        || (1..=6i64, 1..=3i64).prop_map(|(numerator, denominator)| ratio(numerator, denominator));
    let price = || prop_oneof![2 => Just(0u64), 3 => 1..=9u64];
    let work = (0..=3i64).prop_map(|work| ratio(work, 2));
    let volumes =
        (small(), work, -1..=2i64, -1..=2i64).prop_map(move |(size, work, more, more_work)| {
            if constant {
                return Volumes {
                    size: Amount::Constant(size),
                    work: Amount::Constant(work),
                };
            }
            // Sizes stay positive and work not negative up to 16 operands, for every slope.
            let sloped = |start: Rational, more: i64| {
                let fixed = if more < 0 { start + ratio(6, 1) } else { start };
                Amount::Affine {
                    fixed,
                    per_operand: ratio(more, 3),
                }
            };
            Volumes {
                size: sloped(size, more),
                work: sloped(work, more_work),
            }
        });
    (participants, others, 0..=2usize).prop_flat_map(move |(count, others, routers)| {
        let nodes = count + others + routers;
        let links = prop::collection::vec((0..nodes, 0..nodes, small()), nodes..=3 * nodes);
        let ring = prop::bool::weighted(0.8);
        let shuffled = Just((0..count + others).collect::<Vec<_>>()).prop_shuffle();
        let prices = [(); 3].map(|()| prop::collection::vec(price(), nodes));
        (
            links,
            ring,
            shuffled,
            prices,
            prop::collection::vec(small(), nodes),
            volumes.clone(),
        )
            .prop_map(
                move |(links, ring, shuffled, [send, receive, compute], computes, volumes)| {
                    let mut builder = Platform::builder();
                    for (node, cost) in computes.into_iter().enumerate() {
                        let name = format!("P{node}");
                        let processor = node < count + others;
                        builder
                            .node(if processor {
                                Node::processor(name, cost)
                            } else {
                                Node::router(name)
                            })
                            .unwrap();
                    }
                    for (from, to, cost) in links {
                        let _ = builder.link(NodeId::new(from), NodeId::new(to), cost);
                    }
                    for node in (0..nodes).filter(|_| ring) {
                        let _ = builder.duplex(
                            NodeId::new(node),
                            NodeId::new((node + 1) % nodes),
                            ratio(2, 1),
                        );
                    }
                    let participants = shuffled[..count]
                        .iter()
                        .map(|&node| NodeId::new(node))
                        .collect();
                    let platform = builder.build().unwrap();
                    Case {
                        platform,
                        participants,
                        volumes,
                        prices: Ports {
                            send,
                            receive,
                            compute,
                        },
                    }
                },
            )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The theorem: all processors participate, constant volumes.
    #[test]
    fn arborescences_of_participants(case in cases(2..=6, 0..=0, true)) {
        case.check_exact();
    }

    /// The theorem with helpers.
    #[test]
    fn arborescences_with_helpers(case in cases(1..=4, 1..=4, true)) {
        case.check_exact();
    }

    /// More helpers than the limit for enumerating sets of helpers.
    #[test]
    fn many_helpers(case in cases(2..=4, 7..=8, true)) {
        case.check_exact();
    }

    /// Sizes and works that depend on the number of operands.
    #[test]
    fn sets_of_operands(case in cases(1..=5, 0..=3, false)) {
        case.check_exact();
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The naive formulation itself against every order of merging.
    #[test]
    fn every_order(constant in cases(2..=4, 0..=1, true), sloped in cases(2..=4, 0..=1, false)) {
        for case in [constant, sloped] {
            let naive = case.naive();
            for target in case.targets() {
                prop_assert_eq!(&naive[target.index()], &case.brute(target));
            }
        }
    }

    /// Many participants, volumes by number of operands: the bound is one, the trees are trees.
    #[test]
    fn relaxed(case in cases(13..=16, 0..=3, false)) {
        let commutative = case.commutative();
        let slope = |amount: &Amount| matches!(amount, Amount::Affine { per_operand, .. } if !per_operand.is_zero());
        prop_assume!(slope(&case.volumes.size) || slope(&case.volumes.work));
        prop_assert_eq!(commutative.exactness(), Exactness::Bound);
        let targets = case.targets().split_off(12);
        let exact = commutative.cheapest(&case.rational_prices(), &targets);
        let guide = commutative.guide(&case.prices(), &targets);
        for ((exact, guide), &target) in exact.into_iter().zip(guide).zip(&targets) {
            prop_assert_eq!(exact.is_some(), guide.is_some());
            let (Some((bound, tree)), Some((rough, trees))) = (exact, guide) else { continue };
            case.check_tree(&tree, target);
            for tree in &trees { case.check_tree(tree, target); }
            prop_assert!(bound <= case.price(&tree) && rough <= bound);
            prop_assert!(trees.iter().all(|tree| rough <= case.price(tree)));
        }
    }
}

/// The least price to combine all operands at a target by the theorem as it is stated: distances of all pairs, and the
/// cheapest arborescence into each participant.
fn of_all_pairs(case: &Case, target: NodeId) -> Option<Rational> {
    let nodes = case.platform.nodes().len();
    let mut ways: Vec<Vec<Option<Rational>>> = vec![vec![None; nodes]; nodes];
    for (node, row) in ways.iter_mut().enumerate() {
        row[node] = Some(Rational::zero());
    }
    for link in case.platform.link_ids() {
        let ends = case.platform.link(link);
        ways[ends.from.index()][ends.to.index()] = Some(case.link_price(link) * case.size(1));
    }
    for middle in 0..nodes {
        let onwards = ways[middle].clone();
        for row in &mut ways {
            let Some(first) = row[middle].clone() else {
                continue;
            };
            for (way, second) in row.iter_mut().zip(&onwards) {
                let Some(far) = second.as_ref().map(|second| &first + second) else {
                    continue;
                };
                if way.as_ref().is_none_or(|way| far < *way) {
                    *way = Some(far);
                }
            }
        }
    }
    let owners = &case.participants;
    let mut arcs = Vec::new();
    for (from, &tail) in owners.iter().enumerate() {
        for (to, &head) in owners.iter().enumerate().filter(|&(to, _)| to != from) {
            let way = ways[tail.index()][head.index()].clone();
            arcs.extend(way.map(|way| (to, from, way + case.merge_price(2, head).unwrap())));
        }
    }
    let into = |root: usize| {
        let last = ways[owners[root].index()][target.index()].clone()?;
        Some(oneport_graph::arborescence::arborescence(owners.len(), root, &arcs)?.cost + last)
    };
    (0..owners.len()).filter_map(into).min()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// With many participants the distances of all pairs are not computed, and the answer is theirs.
    #[test]
    fn many_participants(case in cases(64..=70, 0..=0, true)) {
        let commutative = case.commutative();
        prop_assert_eq!(commutative.exactness(), Exactness::Exact);
        let targets = [case.participants[5], NodeId::new(case.platform.nodes().len() - 1)];
        let exact = commutative.cheapest(&case.rational_prices(), &targets);
        let guide = commutative.guide(&case.prices(), &targets);
        for ((exact, guide), target) in exact.into_iter().zip(guide).zip(targets) {
            let right = of_all_pairs(&case, target);
            prop_assert_eq!(exact.as_ref().map(|(price, _)| price), right.as_ref());
            prop_assert_eq!(guide.as_ref().map(|(bound, _)| bound), right.as_ref());
            let (Some((price, tree)), Some((_, trees))) = (exact, guide) else { continue };
            for tree in [&tree, &trees[0]] {
                case.check_tree(tree, target);
                prop_assert_eq!(&case.price(tree), &price);
            }
        }
    }
}

/// A star: the hub and `leaves` around it, unit costs.
fn star(leaves: usize) -> Platform {
    let mut builder = Platform::builder();
    let hub = builder
        .node(Node::processor("hub", Rational::one()))
        .unwrap();
    for leaf in 0..leaves {
        let leaf = builder
            .node(Node::processor(format!("leaf{leaf}"), Rational::one()))
            .unwrap();
        builder.duplex(hub, leaf, Rational::one()).unwrap();
    }
    builder.build().unwrap()
}

/// Operands in an order of their own: neighbours in the platform are not neighbours among the participants.
#[test]
fn an_order_of_its_own() {
    // Two pairs, (0, 2) and (1, 3), each with a fast link. All links between the pairs are expensive.
    let mut builder = Platform::builder();
    let nodes: Vec<NodeId> = (0..4)
        .map(|i| {
            builder
                .node(Node::processor(format!("P{i}"), Rational::one()))
                .unwrap()
        })
        .collect();
    for (one, two, cost) in [(0, 2, 1), (1, 3, 1), (0, 1, 100)] {
        builder
            .duplex(nodes[one], nodes[two], ratio(cost, 1))
            .unwrap();
    }
    let volumes = Volumes::of_size(Rational::one());
    let prices = Ports {
        send: vec![1; 4],
        receive: vec![0; 4],
        compute: vec![0; 4],
    };
    let case = Case {
        platform: builder.build().unwrap(),
        participants: nodes.clone(),
        volumes,
        prices,
    };
    let (price, tree) = case
        .commutative()
        .cheapest(&case.rational_prices(), &nodes[..1])[0]
        .clone()
        .unwrap();
    assert_eq!(price, ratio(102, 1));
    assert_eq!(tree.tasks.len(), 6, "three transfers, three merges");
}

/// No price, no work: of all trees the one with the fewest links.
#[test]
fn without_prices_no_idle_links() {
    let platform = star(5);
    let participants: Vec<NodeId> = platform.node_ids().skip(1).collect();
    let volumes = Volumes {
        size: Amount::Constant(ratio(3, 1)),
        work: Amount::Constant(Rational::zero()),
    };
    let none = Ports {
        send: vec![],
        receive: vec![],
        compute: vec![],
    };
    let case = Case {
        platform: platform.clone(),
        participants,
        volumes,
        prices: none,
    };
    for target in platform.node_ids() {
        let links = |tree: &Pattern| tree.tasks.len() - 4;
        let (price, tree) = case.commutative().cheapest(&Prices::default(), &[target])[0]
            .clone()
            .unwrap();
        case.check_tree(&tree, target);
        // Every leaf but the target sends once. The hub's result goes to a leaf.
        assert_eq!((price, links(&tree)), (Rational::zero(), 5));
        let (bound, trees) = case.commutative().guide(&Prices::default(), &[target])[0]
            .clone()
            .unwrap();
        assert_eq!((bound, links(&trees[0])), (Rational::zero(), 5));
    }
}

/// Prices with hundreds of digits, of very different sizes.
#[test]
fn long_numbers() {
    let platform = star(4);
    let participants: Vec<NodeId> = platform.node_ids().collect();
    let tiny = ratio(1, 3) / parse_rational("1e60").unwrap();
    let huge = parse_rational("1e300").unwrap();
    for size in [
        Amount::Constant(tiny.clone()),
        Amount::Affine {
            fixed: tiny.clone(),
            per_operand: tiny.clone(),
        },
    ] {
        let volumes = Volumes {
            size,
            work: Amount::Constant(huge.clone()),
        };
        let commutative = Commutative::new(&platform, &participants, &volumes);
        let price = |node: usize| &tiny * ratio(1, 7 + i64::try_from(node).unwrap()) + &huge;
        let send: Vec<Rational> = (0..5).map(price).collect();
        // Merging costs nothing at the first leaf, and far more than all transfers at every other node.
        let compute = (0..5)
            .map(|node| {
                if node == 1 {
                    Rational::zero()
                } else {
                    &huge * &huge
                }
            })
            .collect();
        let prices = Prices::of_ports(&platform, &send, &[], compute);
        let (price, tree) = commutative.cheapest(&prices, &[NodeId::new(1)])[0]
            .clone()
            .unwrap();
        assert!(is_tree(&platform, &participants, NodeId::new(1), &tree));
        // Everyone sends its own value to the leaf, the other leaves through the hub.
        let one = volumes.size.of(Interval { first: 0, last: 0 }).unwrap();
        let way = &send[0] * ratio(4, 1) + &send[2] + &send[3] + &send[4];
        assert_eq!(price, one * way);
    }
}

#[test]
fn without_answers() {
    let platform = star(2);
    let nodes: Vec<NodeId> = platform.node_ids().collect();
    let volumes = Volumes::of_size(Rational::one());
    let table = Volumes {
        size: Amount::Table(vec![vec![Rational::one()]]),
        work: Amount::Constant(Rational::one()),
    };
    let negative = Volumes {
        size: Amount::Constant(-Rational::one()),
        work: Amount::Constant(Rational::one()),
    };
    assert!(negative.size.constant().unwrap().is_negative());
    let far = NodeId::new(77);
    for (participants, volumes) in [
        (vec![], &volumes),
        (vec![nodes[0], nodes[0]], &volumes),
        (vec![nodes[0], far], &volumes),
        (nodes.clone(), &table),
        (nodes.clone(), &negative),
    ] {
        let commutative = Commutative::new(&platform, &participants, volumes);
        assert_eq!(
            commutative.cheapest(&Prices::default(), &nodes),
            vec![None; 3]
        );
        assert_eq!(commutative.guide(&Prices::default(), &nodes), vec![None; 3]);
    }
    let commutative = Commutative::new(&platform, &nodes, &volumes);
    assert_eq!(commutative.cheapest(&Prices::default(), &[far]), [None]);
    assert_eq!(commutative.cheapest(&Prices::default(), &[]), []);
    // Two nodes without a link.
    let mut builder = Platform::builder();
    let two: Vec<NodeId> = ["a", "b"]
        .map(|name| {
            builder
                .node(Node::processor(name, Rational::one()))
                .unwrap()
        })
        .to_vec();
    let apart = builder.build().unwrap();
    assert_eq!(
        Commutative::new(&apart, &two, &volumes).cheapest(&Prices::default(), &two),
        [None, None]
    );
}

/// Negative prices count 0, for the bound and the tree alike.
#[test]
fn negative_prices() {
    let platform = star(3);
    let participants: Vec<NodeId> = platform.node_ids().collect();
    let volumes = Volumes::of_size(Rational::one());
    let commutative = Commutative::new(&platform, &participants, &volumes);
    // One link of every pair has a negative price.
    let links = |odd: Rational| {
        (0..6)
            .map(|at| {
                if at % 2 == 0 {
                    odd.clone()
                } else {
                    Rational::one()
                }
            })
            .collect()
    };
    let prices = Prices {
        links: links(-Rational::one()),
        compute: vec![-Rational::one(); 4],
    };
    let zero = Prices {
        links: links(Rational::zero()),
        compute: vec![],
    };
    assert_eq!(
        commutative.cheapest(&prices, &participants),
        commutative.cheapest(&zero, &participants)
    );
}
