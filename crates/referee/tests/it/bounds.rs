//! Bounds in closed form, or from another method: the referee proves exactly those.

use crate::common;

use crate::common::ask::bound;
use crate::common::trees::naive_cheapest;
use common::*;
use num_bigint::BigInt;
use oneport_plan::inequality::{Inequality, Merges, Need};
use oneport_plan::{Amount, Certificate, Collective, Member, Resource, Volumes};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::Rule;

/// If costs are multiplied by a factor, the proved bound is divided by it, for numbers of any length: no kind of
/// integer is too narrow for a sum.
#[test]
fn bounds_do_not_depend_on_the_unit_of_cost() {
    let names = ["A", "B", "C", "D", "E"];
    let pairs: Vec<(usize, usize)> = (0..5)
        .flat_map(|from| (0..5).map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
        .collect();
    for (bits, replicates) in (0..140).flat_map(|bits| [(bits, false), (bits, true)]) {
        let unit = Rational::from_integer(BigInt::from(1) << bits);
        let with = |unit: &Rational| {
            let mut builder = Platform::builder();
            for name in names {
                let node = if name == "E" {
                    Node::router(name)
                } else {
                    Node::processor(name, ratio(3, 7) * unit)
                };
                builder
                    .node(Node {
                        replicates: name != "E" || replicates,
                        ..node
                    })
                    .unwrap();
            }
            for (i, &(from, to)) in pairs.iter().enumerate() {
                let cost = ratio(((7 * i + bits) % 11 + 1) as i64, (i % 3 + 1) as i64) * unit;
                builder
                    .link(NodeId::new(from), NodeId::new(to), cost)
                    .unwrap();
            }
            builder.build().unwrap()
        };
        let (platform, once) = (with(&unit), with(&ratio(1, 1)));
        let four: Vec<NodeId> = (0..4).map(NodeId::new).collect();
        let resources = four
            .iter()
            .flat_map(|&node| [Resource::Send(node), Resource::Receive(node)]);
        let mut prices: Vec<(Resource, Rational)> = resources
            .enumerate()
            .map(|(i, resource)| (resource, ratio((i % 4 + 1) as i64, 1)))
            .collect();
        prices.extend(
            four.iter()
                .map(|&node| (Resource::Compute(node), ratio(1, 1))),
        );
        prices.sort_by_key(|(resource, _)| *resource);
        let certificate = Certificate::of_prices(prices);
        let (source, participants, target) = (four[0], four.clone(), four[3]);
        let collectives = [
            Collective::scatter(source, four[1..].to_vec()),
            Collective::broadcast(source, four[1..3].to_vec()),
            Collective::all_gather(participants.clone()),
            Collective::reduce(target, participants.clone()),
            Collective::all_reduce(participants).in_order(),
        ];
        for collective in collectives {
            let proved = |platform: &Platform| {
                bound(
                    platform,
                    &collective,
                    &Volumes::of_size(ratio(1, 1)),
                    &certificate,
                )
            };
            assert_eq!(
                proved(&platform),
                proved(&once).map(|bound| bound / &unit),
                "{} {bits}",
                collective.name()
            );
        }
    }
}

/// A star of 16 processors, around a switch that leads to the target, too: this number of operands is priced from
/// below.
struct Star {
    /// Prices of the links from the leaves up. Empty if they are 0.
    up: Vec<Rational>,
    /// Price of the additional path of the first leaf.
    far: Option<Rational>,
    /// Price of the link to the target.
    down: Rational,
    volumes: Volumes,
    /// The price of the cheapest tree.
    expected: Rational,
}

impl Star {
    #[track_caller]
    fn check(&self) {
        let mut builder = Platform::builder();
        let leaves: Vec<NodeId> = (0..16)
            .map(|leaf| {
                builder
                    .node(Node::processor(format!("P{leaf}"), ratio(5, 7)))
                    .unwrap()
            })
            .collect();
        let [switch, far] = ["switch", "far"].map(|name| builder.node(Node::router(name)).unwrap());
        let target = builder.node(Node::processor("T", ratio(5, 7))).unwrap();
        let mut prices: Vec<(Resource, Rational)> = Vec::new();
        // `None` costs nothing: it has no price.
        let mut link = |from: NodeId, to: NodeId, cost: Option<&Rational>| {
            let id = builder
                .link(from, to, cost.cloned().unwrap_or_else(|| ratio(1, 1)))
                .unwrap();
            prices.extend(cost.map(|_| (Resource::Link(id), ratio(1, 1))));
        };
        for leaf in &leaves {
            link(
                *leaf,
                if leaf.index() == 0 { far } else { switch },
                self.up.get(leaf.index()),
            );
            link(switch, *leaf, None);
        }
        link(far, switch, self.far.as_ref());
        link(switch, target, Some(&self.down));
        prices.extend(
            leaves
                .iter()
                .chain([&target])
                .map(|&node| (Resource::Compute(node), ratio(1, 1))),
        );
        prices.sort_by_key(|(resource, _)| *resource);
        let platform = builder.build().unwrap().with_model(PortModel::Links);
        let worth = whole(prices.len());
        let certificate = Certificate::of_prices(prices);
        let collective = Collective::reduce(target, leaves);
        let found = bound(&platform, &collective, &self.volumes, &certificate);
        assert_eq!(found, Ok(worth / &self.expected));
    }
}

/// Every leaf sends once. Pairs merge, then pairs of pairs, and the result goes down. Nothing is cheaper, and the bound
/// for many operands attains it.
#[test]
fn many_operands_around_a_switch_are_priced_exactly() {
    let up: Vec<Rational> = (0..16).map(|leaf| ratio(leaf + 1, 3)).collect();
    let (far, down) = (ratio(11, 2), ratio(13, 3));
    let ways = up.iter().sum::<Rational>() + &far + &down;
    // A merge of k operands works 2/5 + 3 k / 5: over a balanced tree, 15 and 16 times 4.
    let affine = |fixed, per_operand| Amount::Affine { fixed, per_operand };
    let merges = (ratio(2, 5) * ratio(15, 1) + ratio(3, 5) * ratio(64, 1)) * ratio(5, 7);
    let volumes = Volumes {
        size: Amount::Constant(ratio(3, 5)),
        work: affine(ratio(2, 5), ratio(3, 5)),
    };
    let expected = ways * ratio(3, 5) + &merges;
    Star {
        up,
        far: Some(far),
        down: down.clone(),
        volumes,
        expected,
    }
    .check();
    // Partial results grow, and only the last one pays: 1/2 + 16/3 of size.
    let size = affine(ratio(1, 2), ratio(1, 3));
    let volumes = Volumes {
        size,
        work: affine(ratio(2, 5), ratio(3, 5)),
    };
    let expected = &down * (ratio(1, 2) + ratio(16, 3)) + merges;
    Star {
        up: Vec::new(),
        far: None,
        down,
        volumes,
        expected,
    }
    .check();
}

/// Trees whose prices nearly tie, far behind the digits that machine integers keep: the cheapest is still found.
#[test]
fn near_ties_are_priced_exactly() {
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let (count, commutative) = (3 + dice.below(3), dice.one_in(2));
        // In every fourth case all numbers share their last digits, in every third some links cost nearly nothing.
        let unit = Rational::from_integer(BigInt::from(1) << if seed % 4 == 0 { 90 } else { 0 });
        let cost = |dice: &mut Dice| {
            let tiny = Rational::new((dice.roll() >> 42).into(), BigInt::from(1) << 72);
            let whole = if seed % 3 == 0 && dice.one_in(3) {
                ratio(0, 1)
            } else {
                ratio(1, 1)
            };
            (whole + tiny + Rational::new(1.into(), BigInt::from(1) << 90)) * &unit
        };
        let mut builder = Platform::builder();
        let all: Vec<NodeId> = (0..count)
            .map(|node| {
                builder
                    .node(Node::processor(format!("n{node}"), cost(&mut dice)))
                    .unwrap()
            })
            .collect();
        for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
            if from != to && (to == (from + 1) % count || !dice.one_in(3)) {
                builder.link(all[from], all[to], cost(&mut dice)).unwrap();
            }
        }
        let platform = builder.build().unwrap();
        let collective = Collective::reduce(all[0], all.clone()).commutative(commutative);
        let ports = all.iter().map(|&node| Resource::Send(node));
        let mut prices: Vec<(Resource, Rational)> = ports
            .chain(all.iter().map(|&node| Resource::Compute(node)))
            .map(|one| (one, ratio(1, 1)))
            .collect();
        prices.sort_by_key(|(resource, _)| *resource);
        let volumes = Volumes {
            size: Amount::Constant(ratio(3, 5)),
            work: Amount::Constant(ratio(1, 7)),
        };
        let by_resource: Prices<'_> = prices
            .iter()
            .map(|(resource, price)| (*resource, price))
            .collect();
        let cheapest =
            naive_cheapest(&platform, &collective, &volumes, &by_resource, all[0]).unwrap();
        let worth = whole(prices.len());
        let certificate = Certificate::of_prices(prices.clone());
        assert_eq!(
            bound(&platform, &collective, &volumes, &certificate),
            Ok(worth / cheapest),
            "{seed}"
        );
    }
}

/// A line of a hundred processors: each processor forwards one partial result. The cuts prove that, and the trees need
/// not be tried.
#[test]
fn cuts_of_a_long_line_weigh_what_the_reduction_costs() {
    let mut builder = Platform::builder();
    let line: Vec<NodeId> = (0..100)
        .map(|node| {
            builder
                .node(Node::processor(format!("n{node}"), ratio(5, 7)))
                .unwrap()
        })
        .collect();
    let pairs = line.windows(2);
    let links: Vec<LinkId> = pairs
        .map(|pair| builder.link(pair[0], pair[1], ratio(5, 3)).unwrap())
        .collect();
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let volumes = Volumes {
        size: Amount::Constant(ratio(3, 5)),
        work: Amount::Constant(ratio(2, 5)),
    };
    let computes = line
        .iter()
        .map(|&node| (Resource::Compute(node), ratio(1, 1)));
    let prices = computes.chain(
        links
            .iter()
            .map(|&link| (Resource::Link(link), ratio(1, 1))),
    );
    let cuts = (0..99).map(|last| cut(None, line[..=last].to_vec(), ratio(1, 1)));
    let merges = Need {
        demand: None,
        inequality: Inequality::Merges(Merges),
        weight: ratio(2, 7),
    };
    let certificate = Certificate::new(prices, [], cuts.chain([merges]));
    let reduce = Collective::reduce(line[99], line.clone()).in_order();
    let found = bound(&platform, &reduce, &volumes, &certificate);
    // A message takes 1 on each of 99 links, each of 99 merges 2/7.
    assert_eq!(found, Ok(ratio(199, 1) / (ratio(99, 1) + ratio(99 * 2, 7))));
    // In the second group, after two demands of the first: a weight too large is refused by its name.
    let scatter = Collective::scatter(line[0], vec![line[1], line[2]]);
    let members = [scatter, reduce]
        .map(|collective| Member {
            collective,
            rate: 1,
        })
        .to_vec();
    let mut heavy = certificate;
    heavy.needs[98].weight = ratio(9, 8);
    let refused = bound(&platform, &Collective::Groups(members), &volumes, &heavy);
    assert!(broken(&refused, Rule::Overcharge), "{refused:?}");
    let right = "the needs of reduction=>n99 of group 2 charge 9/8 for a message over link 'n98 -> n99'; it costs 1";
    assert_eq!(told(&refused), right);
}

/// Two nodes that both need their sum: a message in each direction, and at least one merge.
#[test]
fn two_processors_exchange_their_values() {
    let mut builder = Platform::builder();
    let both: Vec<NodeId> = ["A", "B"]
        .map(|name| builder.node(Node::processor(name, ratio(5, 7))).unwrap())
        .to_vec();
    builder.duplex(both[0], both[1], ratio(5, 3)).unwrap();
    let platform = builder.build().unwrap();
    let volumes = Volumes {
        size: Amount::Constant(ratio(3, 5)),
        work: Amount::Constant(ratio(2, 5)),
    };
    let prices = [Resource::Send, Resource::Compute]
        .iter()
        .flat_map(|kind| both.iter().map(|&node| (kind(node), ratio(1, 1))));
    let mut prices: Vec<(Resource, Rational)> = prices.collect();
    prices.sort_by_key(|(resource, _)| *resource);
    let certificate = Certificate::of_prices(prices);
    for commutative in [false, true] {
        let collective = Collective::all_reduce(both.clone()).commutative(commutative);
        let found = bound(&platform, &collective, &volumes, &certificate);
        assert_eq!(found, Ok(ratio(4, 1) / (ratio(2, 1) + ratio(2, 7))));
    }
}

/// Three switches, each of which serves two of three targets, and a line of more targets behind the first: two switches
/// are needed, although halves of the three would suffice fractionally.
#[test]
fn switches_are_not_divided() {
    let mut builder = Platform::builder();
    let source = builder.node(Node::processor("S", ratio(1, 1))).unwrap();
    let [x, y, z] = ["x", "y", "z"].map(|name| builder.node(Node::router(name)).unwrap());
    let targets: Vec<NodeId> = (0..12)
        .map(|node| {
            builder
                .node(Node::processor(format!("T{node}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    let mut prices = Vec::new();
    let mut link = |from: NodeId, to: NodeId, priced: bool| {
        let id = builder.link(from, to, ratio(5, 3)).unwrap();
        prices.extend(priced.then(|| (Resource::Link(id), ratio(1, 1))));
    };
    for switch in [x, y, z] {
        link(source, switch, true);
    }
    for (switch, one, other) in [(x, 0, 1), (y, 1, 2), (z, 2, 0)] {
        link(switch, targets[one], false);
        link(switch, targets[other], false);
    }
    for pair in targets[2..].windows(2) {
        link(pair[0], pair[1], true);
    }
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let worth = whole(prices.len());
    let certificate = Certificate::of_prices(prices);
    let collective = Collective::broadcast(source, targets);
    let found = bound(
        &platform,
        &collective,
        &Volumes::of_size(ratio(3, 5)),
        &certificate,
    );
    // Two switches, and nine links of the line. A message takes 1 on each.
    assert_eq!(found, Ok(worth / ratio(11, 1)));
}

/// Every target has separate cuts: those of one prove nothing for another.
#[test]
fn cuts_of_one_demand_say_nothing_of_another() {
    let mut builder = Platform::builder();
    let [a, b] = ["A", "B"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    let dear = builder.link(a, b, ratio(10, 1)).unwrap();
    let cheap = builder.link(b, a, ratio(1, 1)).unwrap();
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let prices = [dear, cheap]
        .map(|link| (Resource::Link(link), ratio(1, 1)))
        .to_vec();
    let cuts = [(a, 10), (b, 1)].map(|(node, weight)| cut(None, vec![node], ratio(weight, 1)));
    let certificate = Certificate::new(prices, [], cuts);
    for commutative in [false, true] {
        let collective = Collective::reduce_scatter(vec![a, b]).commutative(commutative);
        let found = bound(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &certificate,
        );
        assert_eq!(found, Ok(ratio(2, 11)));
    }
}

/// Long queues of the search for shortest paths: twenty-four nodes with many links, against Bellman and Ford.
#[test]
fn paths_through_many_nodes_are_shortest() {
    for seed in 0..4 {
        let mut dice = Dice(seed);
        let mut builder = Platform::builder();
        let all: Vec<NodeId> = (0..24)
            .map(|node| {
                builder
                    .node(Node::processor(format!("n{node}"), ratio(1, 1)))
                    .unwrap()
            })
            .collect();
        for (from, to) in (0..24)
            .flat_map(|from| (0..24).map(move |to| (from, to)))
            .filter(|(from, to)| from != to)
        {
            if to == (from + 1) % 24 || dice.one_in(4) {
                builder
                    .link(all[from], all[to], ratio(1 + dice.below(900) as i64, 1))
                    .unwrap();
            }
        }
        let platform = builder.build().unwrap().with_model(PortModel::Links);
        let prices: Vec<(Resource, Rational)> = platform
            .link_ids()
            .map(|link| (Resource::Link(link), ratio(1 + dice.below(9) as i64, 1)))
            .collect();
        let collective = Collective::scatter(all[0], all[1..].to_vec());
        let volumes = Volumes::of_size(ratio(1, 1));
        let expected = naive_bound(&platform, &collective, &volumes, &prices);
        let certificate = Certificate::of_prices(prices);
        assert_eq!(
            bound(&platform, &collective, &volumes, &certificate).ok(),
            expected,
            "{seed}"
        );
    }
}
