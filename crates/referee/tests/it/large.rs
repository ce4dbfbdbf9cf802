//! Platforms of realistic size, with answers in closed form.

use crate::common;

use crate::common::ask::{bound, check_schedule, check_steady_state};
use common::*;
use num_bigint::BigInt;
use num_traits::One;
use oneport_plan::{
    Amount, Certificate, Collective, Form, Pattern, PeriodicSchedule, Resource, Slot, SteadyState,
    Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::Rule;

/// A square grid of processors with links both ways, all of cost `cost`. The node is `side * row + column`.
fn grid(side: usize, cost: &Rational) -> Platform {
    let mut builder = Platform::builder();
    let nodes: Vec<NodeId> = (0..side * side)
        .map(|i| {
            builder
                .node(Node::processor(format!("n{i}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    for (i, &node) in nodes.iter().enumerate() {
        if i % side + 1 < side {
            builder.duplex(node, nodes[i + 1], cost.clone()).unwrap();
        }
        if i + side < nodes.len() {
            builder.duplex(node, nodes[i + side], cost.clone()).unwrap();
        }
    }
    builder.build().unwrap()
}

/// A fraction of about this many bits above and below the line.
fn wide(bits: u32) -> Rational {
    Rational::new(
        (BigInt::one() << bits) + 7,
        BigInt::from(3).pow(bits * 5 / 8),
    )
}

fn hops(side: usize, from: usize, to: usize) -> usize {
    (from / side).abs_diff(to / side) + (from % side).abs_diff(to % side)
}

/// 10,000 nodes, 39,600 links, prices of 1000 bits and more. Then prices of one bit.
#[test]
fn the_bound_of_a_scatter_on_a_large_grid() {
    let side = 100;
    let (cost, size) = (ratio(7, 5), ratio(3, 2));
    let volumes = Volumes::of_size(size.clone());
    let platform = grid(side, &cost);
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let source = side * (side / 2) + side / 3;
    let targets = ids
        .iter()
        .copied()
        .filter(|id| id.index() != source)
        .collect();
    let collective = Collective::scatter(ids[source], targets);
    let total_hops: usize = ids.iter().map(|id| hops(side, source, id.index())).sum();
    for price in [ratio(1, 1), wide(1000)] {
        let (send, receive) = (price.clone(), &price * ratio(5, 3));
        let mut prices: Vec<(Resource, Rational)> = Vec::new();
        prices.extend(ids.iter().map(|&id| (Resource::Send(id), send.clone())));
        prices.extend(
            ids.iter()
                .map(|&id| (Resource::Receive(id), receive.clone())),
        );
        let found = bound(
            &platform,
            &collective,
            &volumes,
            &Certificate::of_prices(prices),
        );
        assert_eq!(
            found,
            Ok(whole(ids.len()) / (whole(total_hops) * &cost * &size))
        );
    }
}

/// A thousand nodes, a hundred participants, prices of some hundred bits.
#[test]
fn the_bound_of_an_all_to_all_on_a_grid() {
    let side = 32;
    let platform = grid(side, &ratio(1, 3));
    let participants: Vec<NodeId> = platform.node_ids().step_by(10).take(100).collect();
    let total_hops: usize = participants
        .iter()
        .flat_map(|a| {
            participants
                .iter()
                .map(|b| hops(side, a.index(), b.index()))
        })
        .sum();
    let collective = Collective::all_to_all(participants);
    for price in [ratio(2, 1), wide(300)] {
        let prices = platform
            .node_ids()
            .map(|id| (Resource::Receive(id), price.clone()))
            .collect();
        let found = bound(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &Certificate::of_prices(prices),
        );
        assert_eq!(
            found,
            Ok(whole(side * side) / (whole(total_hops) * ratio(1, 3)))
        );
    }
}

/// Every link has a different prime as its denominator: no common denominator fits, and none is needed.
#[test]
fn costs_without_a_common_denominator() {
    let mut builder = Platform::builder();
    let count = 6000;
    let nodes: Vec<NodeId> = (0..count)
        .map(|i| {
            builder
                .node(Node::processor(format!("n{i}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    // A star of two-link arms: the sum of the prices is over primes, the distances are short.
    let modulus = |i: usize| (BigInt::one() << 521) - BigInt::from(2 * i + 1);
    let mut expected = Rational::new(0.into(), 1.into());
    for arm in 1..count {
        let cost = Rational::new(1.into(), modulus(arm));
        if arm < 40 {
            expected += &cost;
        }
        builder.link(nodes[0], nodes[arm], cost).unwrap();
    }
    let platform = builder.build().unwrap();
    let collective = Collective::scatter(nodes[0], nodes[1..40].to_vec());
    let prices = vec![(Resource::Send(nodes[0]), ratio(1, 1))];
    let found = bound(
        &platform,
        &collective,
        &Volumes::of_size(ratio(1, 1)),
        &Certificate::of_prices(prices),
    );
    assert_eq!(found, Ok(ratio(1, 1) / expected));
}

/// Prices without a common denominator are refused rather than added for hours.
#[test]
fn prices_without_a_common_denominator_are_refused() {
    let platform = grid(100, &ratio(1, 1));
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let price =
        |i: usize| Rational::new(1.into(), (BigInt::one() << 521) - BigInt::from(2 * i + 1));
    let prices = ids
        .iter()
        .enumerate()
        .map(|(i, &id)| (Resource::Send(id), price(i)))
        .collect();
    let collective = Collective::scatter(ids[0], ids[1..].to_vec());
    let found = bound(
        &platform,
        &collective,
        &Volumes::of_size(ratio(1, 1)),
        &Certificate::of_prices(prices),
    );
    assert!(broken(&found, Rule::TooLarge), "{found:?}");
    assert!(
        told(&found).starts_with("the common denominator of the prices has "),
        "{found:?}"
    );
}

/// 1,599 commodities, each on two paths through the grid with weights of 3000 bits, all different.
#[test]
fn a_steady_state_with_wide_weights() {
    let side = 40;
    let platform = grid(side, &ratio(1, 1));
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let collective = Collective::scatter(ids[0], ids[1..].to_vec());
    let throughput = ratio(1, 20_000);
    let modulus = BigInt::from(10).pow(900);
    let mut patterns = Vec::new();
    for target in 1..ids.len() {
        let share =
            &throughput * Rational::new(&modulus / 3 + BigInt::from(target), modulus.clone());
        let rest = &throughput - &share;
        let routes = [
            staircase(&platform, side, target, false),
            staircase(&platform, side, target, true),
        ];
        for (links, weight) in routes.into_iter().zip([share, rest]) {
            patterns.push(WeightedPattern {
                pattern: Pattern::path(target - 1, links),
                weight,
            });
        }
    }
    let mut steady_state = SteadyState {
        throughput,
        patterns,
    };
    let volumes = Volumes::of_size(ratio(1, 1));
    assert_eq!(
        check_steady_state(&platform, &collective, &volumes, &steady_state),
        Ok(())
    );
    // One part in 10^900 too much, for the last commodity only.
    steady_state.patterns.last_mut().unwrap().weight += Rational::new(1.into(), modulus);
    let refused = check_steady_state(&platform, &collective, &volumes, &steady_state).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("the weights of n0=>n1599 add up to "),
        "{refused}"
    );
}

/// From the corner to the target, along the row or the column first.
fn staircase(platform: &Platform, side: usize, target: usize, column_first: bool) -> Vec<LinkId> {
    let steps = [vec![1; target % side], vec![side; target / side]];
    let steps = if column_first {
        [&steps[1], &steps[0]]
    } else {
        [&steps[0], &steps[1]]
    };
    let mut at = 0;
    let mut links = Vec::new();
    for &step in steps.into_iter().flatten() {
        links.push(
            platform
                .link_between(NodeId::new(at), NodeId::new(at + step))
                .unwrap(),
        );
        at += step;
    }
    links
}

/// A reduction over all nodes of a grid, in the order of a snake through it. Every node but the target sends at least
/// once and there are n - 1 merges, which is enough along the snake. The prices have 500 digits and no common factor,
/// and very many trees cost the same: the processors of merges and the senders differ.
#[test]
fn the_bound_of_a_large_reduction() {
    let side = 12;
    let platform = grid(side, &ratio(3, 7));
    let snake: Vec<NodeId> = (0..side * side)
        .map(|i| (i / side, i % side))
        .map(|(row, column)| {
            NodeId::new(
                row * side
                    + if row % 2 == 0 {
                        column
                    } else {
                        side - 1 - column
                    },
            )
        })
        .collect();
    let (send, compute) = (wide(1700), wide(1600));
    let mut prices: Vec<(Resource, Rational)> = Vec::new();
    prices.extend(
        platform
            .node_ids()
            .map(|id| (Resource::Send(id), send.clone())),
    );
    prices.extend(
        platform
            .node_ids()
            .map(|id| (Resource::Compute(id), compute.clone())),
    );
    let collective = Collective::reduce(snake[0], snake.clone()).in_order();
    let volumes = Volumes::of_size(ratio(5, 2));
    let found = bound(
        &platform,
        &collective,
        &volumes,
        &Certificate::of_prices(prices),
    );
    let tasks = whole(snake.len() - 1);
    let cheapest = tasks * (&send * ratio(3, 7) * ratio(5, 2) + &compute);
    assert_eq!(found, Ok(whole(snake.len()) * (send + compute) / cheapest));
}

/// Too many operands for the memory are refused. Processors between which everything is free count as one: then the
/// same problem is small.
#[test]
fn a_reduction_too_large_is_refused() {
    let platform = grid(25, &ratio(1, 1));
    let participants: Vec<NodeId> = platform.node_ids().collect();
    let second = participants[1];
    let everywhere = participants
        .iter()
        .map(|&node| (Resource::Send(node), ratio(1, 1)))
        .collect();
    let collective = Collective::reduce_scatter(participants).in_order();
    let volumes = Volumes::of_size(ratio(1, 1));
    let of = |prices| {
        bound(
            &platform,
            &collective,
            &volumes,
            &Certificate::of_prices(prices),
        )
    };
    let found = of(everywhere);
    assert!(broken(&found, Rule::TooLarge), "{found:?}");
    assert!(
        told(&found).starts_with("625 operands on 625 processors make "),
        "{found:?}"
    );
    // Its operand has to leave for each of the others.
    assert_eq!(
        of(vec![(Resource::Send(second), ratio(1, 1))]),
        Ok(ratio(1, 624))
    );
}

/// If operands commute and every processor has one, no partial results are listed: every node but one sends, and there
/// is a merge for each of these transfers.
#[test]
fn a_large_commutative_reduction_is_priced() {
    let side = 25;
    let platform = grid(side, &ratio(2, 3));
    let participants: Vec<NodeId> = platform.node_ids().collect();
    let (target, transfers) = (participants[0], whole(participants.len() - 1));
    let reduce = Collective::reduce(target, participants.clone());
    let volumes = Volumes {
        size: Amount::Constant(ratio(5, 2)),
        work: Amount::Constant(ratio(7, 1)),
    };
    let mut prices: Vec<_> = participants
        .iter()
        .map(|&node| (Resource::Send(node), ratio(1, 1)))
        .collect();
    let of = |prices: &Vec<(Resource, Rational)>| {
        bound(
            &platform,
            &reduce,
            &volumes,
            &Certificate::of_prices(prices.clone()),
        )
    };
    let sent = &transfers * ratio(2, 3) * ratio(5, 2);
    assert_eq!(of(&prices), Ok(whole(participants.len()) / &sent));
    prices.extend(
        participants
            .iter()
            .map(|&node| (Resource::Compute(node), ratio(1, 4))),
    );
    let merged = &transfers * ratio(7, 1) * ratio(1, 4);
    assert_eq!(
        of(&prices),
        Ok(whole(participants.len()) * ratio(5, 4) / (sent + merged))
    );
}

/// If trees are too many to be priced, cuts bound their cost, and the longest path bounds that of schemes: every send
/// of the grid costs 1, and so does every single operand that has to leave its node.
#[test]
fn combinations_too_large_are_bounded_without_trees() {
    let (side, count) = (25, 625);
    let platform = grid(side, &ratio(1, 1));
    let participants: Vec<NodeId> = platform.node_ids().collect();
    let target = participants[0];
    let reduce = Collective::reduce(target, participants.clone()).in_order();
    let scatter = Collective::reduce_scatter(participants.clone()).in_order();
    let scan = Collective::scan(participants.clone());
    let prices: Vec<_> = participants
        .iter()
        .map(|&node| (Resource::Send(node), ratio(1, 1)))
        .collect();
    let of = |collective: &Collective, demand: Option<usize>, leaving: std::ops::Range<usize>| {
        let cuts = leaving.map(|node| cut(demand, vec![participants[node]], ratio(1, 1)));
        let certificate = Certificate::new(prices.clone(), [], cuts);
        bound(
            &platform,
            collective,
            &Volumes::of_size(ratio(1, 1)),
            &certificate,
        )
    };
    let proved = |least: usize| Ok(whole(count) / whole(least));
    for leave in [1, 100, 624] {
        assert_eq!(of(&reduce, None, 1..leave + 1), proved(leave));
        // The last prefix is wanted at the last node: all others leave.
        assert_eq!(of(&scan, None, 0..leave), proved(leave));
        // One reduction of many crosses cuts, the others may be free.
        assert_eq!(of(&scatter, Some(0), 1..leave + 1), proved(leave));
    }
    assert_eq!(of(&scan, None, 0..0), proved(2 * (side - 1)));
    for collective in [&reduce, &scatter] {
        let refused = of(collective, None, 0..0);
        assert!(broken(&refused, Rule::TooLarge), "{refused:?}");
    }
}

/// With up to some seventy operands, weak cuts do not prevent the pricing of trees. With more, only the cuts are used.
#[test]
fn weak_cuts_bound_large_reductions_alone() {
    for (side, trees) in [(6, true), (9, false)] {
        let platform = grid(side, &ratio(1, 1));
        let count = side * side;
        let participants: Vec<NodeId> = platform.node_ids().collect();
        let prices: Vec<_> = participants
            .iter()
            .map(|&node| (Resource::Send(node), ratio(1, 1)))
            .collect();
        let cuts = [cut(None, vec![participants[1]], ratio(1, 1))];
        let collective = Collective::reduce(participants[0], participants).in_order();
        let certificate = Certificate::new(prices, [], cuts);
        let found = bound(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &certificate,
        )
        .unwrap();
        let by_cuts = whole(count);
        // Every node but the target sends at least once.
        assert!(
            if trees {
                found <= whole(count) / whole(count - 1)
            } else {
                found == by_cuts
            },
            "{side}: {found}"
        );
    }
}

/// An operand that cannot reach its goal is named, for any cuts.
#[test]
fn cuts_do_not_hide_what_is_out_of_reach() {
    let mut builder = Platform::builder();
    let ids = ["A", "B", "C"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    let [a, b, c] = ids;
    builder.link(a, b, ratio(1, 1)).unwrap();
    builder.link(b, c, ratio(1, 1)).unwrap();
    let platform = builder.build().unwrap();
    let participants = ids.to_vec();
    for collective in [
        Collective::reduce(b, participants.clone()).in_order(),
        Collective::scan(vec![c, b, a]),
    ] {
        let cuts = vec![cut(None, vec![a], ratio(1, 1))];
        let cuts = if collective.is(Form::SCAN) {
            Vec::new()
        } else {
            cuts
        };
        let certificate = Certificate::new([(Resource::Send(a), ratio(1, 1))], [], cuts);
        let refused = bound(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &certificate,
        );
        assert!(
            refused.is_err() && told(&refused).contains("'C'"),
            "{refused:?}"
        );
    }
}

/// Lengths near the widths of machine integers, on paths of many links: sums that no longer fit are still computed.
#[test]
fn sums_outgrow_machine_integers() {
    for width in (50..70).chain(116..134) {
        for (count, routers) in [
            (2, false),
            (9, false),
            (3, true),
            (9, true),
            (16, true),
            (40, true),
        ] {
            let mut builder = Platform::builder();
            let ids: Vec<NodeId> = (0..count)
                .map(|i| {
                    if routers && 0 < i && i + 1 < count {
                        Node {
                            replicates: false,
                            ..Node::router(format!("n{i}"))
                        }
                    } else {
                        Node::processor(format!("n{i}"), ratio(1, 1))
                    }
                })
                .map(|node| builder.node(node).unwrap())
                .collect();
            let mut sum = ratio(0, 1);
            for i in 1..count {
                let cost =
                    Rational::from_integer((BigInt::one() << width) - BigInt::from(i % 2 + 1));
                sum += &cost;
                builder.duplex(ids[i - 1], ids[i], cost).unwrap();
            }
            let platform = builder.build().unwrap().with_model(PortModel::Links);
            let prices = platform
                .link_ids()
                .map(|link| (Resource::Link(link), ratio(1, 1)))
                .collect();
            let certificate = Certificate::of_prices(prices);
            let (source, target) = (ids[0], ids[count - 1]);
            let worth = whole(platform.links().len());
            let of = |collective: Collective| {
                &worth
                    / bound(
                        &platform,
                        &collective,
                        &Volumes::of_size(ratio(1, 1)),
                        &certificate,
                    )
                    .unwrap()
            };
            let far = vec![target];
            assert_eq!(of(Collective::scatter(source, far.clone())), sum);
            assert_eq!(of(Collective::gather(source, far.clone())), sum);
            assert_eq!(of(Collective::broadcast(source, far)), sum);
            let pair = vec![source, target];
            assert_eq!(of(Collective::all_gather(pair.clone())), &sum * ratio(2, 1));
            let free = Volumes {
                size: Amount::Constant(ratio(1, 1)),
                work: Amount::Constant(ratio(0, 1)),
            };
            let reduce = Collective::reduce(target, pair.clone()).in_order();
            assert_eq!(
                &worth / bound(&platform, &reduce, &free, &certificate).unwrap(),
                sum
            );
            if !routers && count > 2 {
                continue;
            }
            // In one of the two directions, and back.
            let all_reduce = Collective::all_reduce(pair);
            assert_eq!(
                &worth / bound(&platform, &all_reduce, &free, &certificate).unwrap(),
                &sum * ratio(2, 1)
            );
        }
    }
}

/// Many slots and many links, with a long common denominator: large, but within memory.
#[test]
fn long_schedules_are_added_up() {
    let count = 1500;
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..=count)
        .map(|i| {
            builder
                .node(Node::processor(format!("n{i}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    let cost = ratio(1, 1) + Rational::new(1.into(), BigInt::one() << 2000);
    for &id in &ids[1..] {
        builder.link(ids[0], id, cost.clone()).unwrap();
    }
    let platform = builder.build().unwrap();
    let collective = Collective::scatter(ids[0], ids[1..].to_vec());
    let patterns = platform
        .link_ids()
        .map(|link| scheduled(&path(link.index(), &[link]), 1))
        .collect();
    let slots = platform
        .link_ids()
        .map(|link| Slot {
            shares: Vec::new(),
            length: cost.clone(),
            links: vec![link],
        })
        .collect();
    let mut schedule = PeriodicSchedule {
        period: &cost * whole(count),
        instances: 1u32.into(),
        patterns,
        slots,
    };
    assert_eq!(
        check_schedule(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &schedule
        ),
        Ok(())
    );
    schedule.slots[count - 1].length = ratio(1, 1);
    let refused = check_schedule(
        &platform,
        &collective,
        &Volumes::of_size(ratio(1, 1)),
        &schedule,
    );
    assert!(broken(&refused, Rule::Schedule), "{refused:?}");
    assert!(told(&refused).starts_with("the slots of "), "{refused:?}");
}

/// Too many partial results: the bound is the longest path of an operand, and the merges.
#[test]
fn the_longest_way_of_very_many_operands() {
    let one = || ratio(1, 1);
    let count = 409;
    let mut builder = Platform::builder();
    let mut node = |name: String| builder.node(Node::processor(name, one())).unwrap();
    let ring: Vec<NodeId> = (0..count).map(|i| node(format!("p{i}"))).collect();
    let [far, q, r] = ["far", "q", "r"].map(|name| node(name.to_string()));
    // A one-way ring of cost 1. The path from `far` costs 1,000,000, and the path back nothing.
    let dear = builder.link(q, r, ratio(1_000_000, 1)).unwrap();
    let mut priced = vec![dear];
    priced.extend((0..count).map(|i| builder.link(ring[i], ring[(i + 1) % count], one()).unwrap()));
    for (from, to) in [(far, q), (r, ring[0]), (ring[0], far)] {
        builder.link(from, to, one()).unwrap();
    }
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let mut prices: Vec<(Resource, Rational)> = platform
        .node_ids()
        .map(|id| (Resource::Compute(id), one()))
        .collect();
    prices.extend(priced.into_iter().map(|link| (Resource::Link(link), one())));
    let worth = whole(prices.len());
    let certificate = Certificate::of_prices(prices);
    let volumes = Volumes {
        size: Amount::Constant(ratio(3, 2)),
        work: Amount::Constant(ratio(2, 1)),
    };
    let of = |collective| &worth / bound(&platform, &collective, &volumes, &certificate).unwrap();
    let price = |length: i64| ratio(length, 1) * ratio(3, 2) + ratio(2 * count as i64, 1);
    let mut participants = ring.clone();
    participants.push(far);
    // From `far` to the end of the ring.
    let all_reduce = Collective::all_reduce(participants.clone()).in_order();
    assert_eq!(of(all_reduce), price(1_000_000 + count as i64 - 1));
    // In this order no node needs the operand of `far`. In the other every node does.
    assert_eq!(
        of(Collective::scan(participants.clone())),
        price(count as i64 - 1)
    );
    participants.reverse();
    assert_eq!(
        of(Collective::scan(participants.clone())),
        price(1_000_000 + count as i64 - 1)
    );
    // A goal out of reach is named.
    let mut builder = Platform::builder();
    for node in platform.nodes() {
        builder.node(node.clone()).unwrap();
    }
    for link in platform.links().iter().filter(|link| link.from != far) {
        builder.link(link.from, link.to, link.cost.clone()).unwrap();
    }
    let certificate = Certificate::of_prices(vec![(Resource::Link(LinkId::new(0)), one())]);
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let found = bound(
        &platform,
        &Collective::scan(participants),
        &volumes,
        &certificate,
    );
    assert!(broken(&found, Rule::Unreachable), "{found:?}");
    assert!(
        told(&found).starts_with("scan is infeasible: no path from 'far' to "),
        "{found:?}"
    );
}

/// A ring of 256 processors: the distances of all pairs have room for 2^16 bits each, including those of big integers.
#[test]
fn distances_that_fill_the_memory_are_refused() {
    let count = 256;
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..count)
        .map(|i| {
            builder
                .node(Node::processor(format!("n{i}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    for i in 0..count {
        builder
            .link(ids[i], ids[(i + 1) % count], ratio(1, 1))
            .unwrap();
    }
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let collective = Collective::reduce(ids[0], ids[..2].to_vec()).in_order();
    let with = |bits: u32| {
        let mut prices: Vec<(Resource, Rational)> = platform
            .link_ids()
            .map(|link| (Resource::Link(link), ratio(1, 1)))
            .collect();
        prices[7].1 = Rational::from_integer((BigInt::one() << bits) - 1);
        let certificate = Certificate::of_prices(prices);
        bound(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &certificate,
        )
    };
    let right = "the common denominator of the distances between processors has at least 65537 bits; at most 65536 fit \
                 in memory (use fewer different denominators)";
    assert_eq!(told(&with(65_281)), right);
    assert!(with(1_000).is_ok());
}
