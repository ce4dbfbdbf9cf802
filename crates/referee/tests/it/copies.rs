//! Broadcasts and all-gathers: the cheapest arborescences against a search over all schedules, cuts, and refusals.

use crate::common;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::common::ask::{bound, check_steady_state};
use common::*;
use oneport_plan::inequality::{Inequality, Need};
use oneport_plan::{
    Certificate, Collective, OddSet, Pattern, Resource, SteadyState, Task, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::{Rule, Violation};
use proptest::prelude::*;

/// Some nodes, of which the first replicate and the next may not, with links between almost all pairs.
fn network(dice: &mut Dice) -> Platform {
    let mut builder = Platform::builder();
    let count = 3 + dice.below(4);
    for i in 0..count {
        let replicates = i < 2 || !dice.one_in(3);
        let node = Node::processor(format!("n{i}"), ratio(1, 1));
        let model = PortModel::ALL[dice.below(4)];
        let ports = Some(1 + dice.below(3) as u32);
        builder
            .node(Node {
                replicates,
                model: Some(model),
                ports,
                ..node
            })
            .unwrap();
    }
    let ids: Vec<NodeId> = (0..count).map(NodeId::new).collect();
    for i in 0..count {
        for j in (0..count).filter(|&j| j != i) {
            if j == (i + 1) % count || dice.one_in(2) {
                builder.link(ids[i], ids[j], dice.fraction(4)).unwrap();
            }
        }
    }
    builder.build().unwrap()
}

fn collective(dice: &mut Dice, platform: &Platform) -> Collective {
    let mut able: Vec<NodeId> = platform
        .node_ids()
        .filter(|&node| platform.node(node).replicates)
        .collect();
    dice.shuffle(&mut able);
    let members = 2 + dice.below(able.len() - 1);
    able.truncate(members);
    if dice.one_in(2) {
        return Collective::all_gather(able);
    }
    Collective::broadcast(able[0], able[1..].to_vec())
}

fn nodes_of(need: &Need) -> &[NodeId] {
    match &need.inequality {
        Inequality::Cut(cut) => &cut.nodes,
        other => panic!("{other:?} is no cut"),
    }
}

/// Random prices on existing resources: ports, links, and sets of about three ports.
fn prices(dice: &mut Dice, platform: &Platform) -> Certificate {
    let mut prices = Vec::new();
    let mut resources = Resource::of_platform(platform);
    resources.extend(platform.link_ids().map(Resource::Link));
    resources.sort_unstable();
    resources.dedup();
    for &resource in &resources {
        if !dice.one_in(3) {
            prices.push((resource, dice.fraction(5)));
        }
    }
    let ports: Vec<Resource> = resources
        .into_iter()
        .filter(|port| !matches!(port, Resource::Link(_)))
        .collect();
    let mut sets = BTreeSet::new();
    for _ in 0..dice.below(3) {
        let ports: Vec<Resource> = ports.iter().copied().filter(|_| dice.one_in(2)).collect();
        let one_end = |link: &LinkId| {
            let ends = Resource::ends(platform, *link).into_iter().flatten();
            ends.filter(|end| ports.contains(end)).count() == 1
        };
        let links = platform
            .link_ids()
            .filter(one_end)
            .filter(|_| dice.one_in(4))
            .collect();
        sets.insert(OddSet { ports, links });
    }
    let sets: Vec<_> = sets
        .into_iter()
        .map(|set| (set, dice.fraction(3)))
        .collect();
    Certificate::new(prices, sets, [])
}

/// The cost of a message of unit size over each link.
fn lengths(platform: &Platform, certificate: &Certificate) -> Vec<Rational> {
    let price = |resource: Resource| certificate.price(resource).cloned().unwrap_or_default();
    let length = |link: LinkId| {
        let ends = Resource::ends(platform, link);
        let mut sum = price(Resource::Link(link));
        sum += ends.into_iter().flatten().map(price).sum::<Rational>();
        for (set, price) in certificate.odd_sets() {
            let inside = ends
                .iter()
                .filter(|end| end.is_some_and(|end| set.ports.contains(&end)))
                .count();
            if inside == 2 || set.links.contains(&link) {
                sum += price;
            }
        }
        &platform.link(link).cost * sum
    };
    platform.link_ids().map(length).collect()
}

/// The total of all prices: prices times capacities.
fn offered(platform: &Platform, certificate: &Certificate) -> Rational {
    let capacity = |resource: Resource| match resource {
        Resource::Send(node) | Resource::Receive(node)
            if platform.model_of(node) == PortModel::Multiport =>
        {
            platform.node(node).ports.unwrap_or(1) as usize
        }
        _ => 1,
    };
    let resources: Rational = certificate
        .prices()
        .map(|(resource, price)| price * whole(capacity(resource)))
        .sum();
    let sets = certificate.odd_sets().map(|(set, price)| {
        let offered: usize =
            set.ports.iter().map(|&port| capacity(port)).sum::<usize>() + set.links.len();
        price * whole(offered / 2)
    });
    resources + sets.sum::<Rational>()
}

/// The cheapest way to bring copies to all targets, one hop after the other. The state contains the nodes that keep a
/// copy, and the position of a copy on its way through nodes that do not replicate (one at a time is enough). `None`:
/// out of reach.
fn naive_copies(
    platform: &Platform,
    lengths: &[Rational],
    source: NodeId,
    targets: &[NodeId],
) -> Option<Rational> {
    let wanted = targets
        .iter()
        .fold(0usize, |set, target| set | 1 << target.index());
    let mut heap = BinaryHeap::from([Reverse((
        ratio(0, 1),
        1usize << source.index(),
        None::<usize>,
    ))]);
    let mut done = BTreeSet::new();
    while let Some(Reverse((price, set, passing))) = heap.pop() {
        if set & wanted == wanted {
            return Some(price);
        }
        if !done.insert((set, passing)) {
            continue;
        }
        for (link, length) in platform.links().iter().zip(lengths) {
            let (from, to) = (link.from.index(), link.to.index());
            let holds = match passing {
                None => set >> from & 1 == 1,
                Some(at) => at == from,
            };
            if holds {
                let keeps = platform.node(link.to).replicates;
                let next = if keeps {
                    (set | 1 << to, None)
                } else {
                    (set, Some(to))
                };
                heap.push(Reverse((&price + length, next.0, next.1)));
            }
        }
    }
    None
}

/// By demand: its source and targets.
fn demands(collective: &Collective) -> Vec<(NodeId, Vec<NodeId>)> {
    let of_demand = |index| {
        let demand = collective.demand(index).unwrap();
        (demand.operands[0], demand.targets().to_vec())
    };
    (0..collective.demands()).map(of_demand).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// All port models mixed, odd sets, switches that do not replicate, targets that are not all nodes.
    #[test]
    fn bounds_are_those_of_the_naive_search(seed: u64, stretched: bool) {
        let mut dice = Dice(seed);
        let platform = network(&mut dice);
        let collective = collective(&mut dice, &platform);
        let mut certificate = prices(&mut dice, &platform);
        if stretched {
            // Beyond 128 bits.
            let factor = Rational::new(num_bigint::BigInt::from(7).pow(60) + 1, num_bigint::BigInt::from(3).pow(70));
            for (_, price) in &mut certificate.rows { *price += &factor; }
        }
        let size = dice.fraction(3);
        let lengths = lengths(&platform, &certificate);
        let prices: Option<Rational> =
            demands(&collective).iter().map(|(source, targets)| naive_copies(&platform, &lengths, *source, targets)).sum();
        let total = prices.unwrap() * &size;
        let found = bound(&platform, &collective, &Volumes::of_size(size), &certificate);
        if total == ratio(0, 1) {
            let nothing = broken(&found, Rule::NoBound);
            prop_assert!(nothing);
        } else {
            prop_assert_eq!(found, Ok(offered(&platform, &certificate) / total));
        }
    }

    /// Cuts that charge no link too much are below every arborescence. Charged more, they are refused.
    #[test]
    fn cuts_are_accepted_up_to_the_price(seed: u64) {
        let mut dice = Dice(seed);
        let platform = network(&mut dice);
        let collective = collective(&mut dice, &platform);
        let mut certificate = prices(&mut dice, &platform);
        let size = dice.fraction(3);
        let lengths = lengths(&platform, &certificate);
        let mut rest: Vec<Rational> = lengths.iter().map(|length| length * &size).collect();
        let leaves = |nodes: &[NodeId], link: usize| {
            let link = &platform.links()[link];
            nodes.contains(&link.from) && !nodes.contains(&link.to)
        };
        let demands = demands(&collective);
        let crosses = |nodes: &[NodeId], (source, targets): &(NodeId, Vec<NodeId>)| {
            nodes.contains(source) && targets.iter().any(|target| !nodes.contains(target))
        };
        // Cuts for all demands, each with the whole remaining weight. Then some for one.
        let mut total = vec![None; demands.len()];
        for _ in 0..4 {
            let nodes: Vec<NodeId> = platform.node_ids().filter(|_| dice.one_in(2)).collect();
            let crossing: Vec<usize> = (0..rest.len()).filter(|&link| leaves(&nodes, link)).collect();
            let weight = crossing.iter().map(|&link| rest[link].clone()).min().unwrap_or(ratio(0, 1));
            if weight == ratio(0, 1) || nodes.is_empty() {
                continue;
            }
            for &link in &crossing { rest[link] -= &weight; }
            for (total, demand) in total.iter_mut().zip(&demands) {
                if crosses(&nodes, demand) {
                    *total.get_or_insert(ratio(0, 1)) += &weight;
                }
            }
            certificate.needs.push(cut(None, nodes, weight));
        }
        if dice.one_in(2) {
            let index = dice.below(demands.len());
            let nodes = vec![demands[index].0];
            let crossing: Vec<usize> = (0..rest.len()).filter(|&link| leaves(&nodes, link)).collect();
            let weight = crossing.iter().map(|&link| rest[link].clone()).min().unwrap_or(ratio(0, 1));
            if weight > ratio(0, 1) {
                *total[index].get_or_insert(ratio(0, 1)) += &weight;
                certificate.needs.push(cut(Some(index), nodes, weight));
            }
        }
        certificate.needs.sort();
        let trees: Vec<Rational> = demands
            .iter()
            .map(|(source, targets)| naive_copies(&platform, &lengths, *source, targets).unwrap() * &size)
            .collect();
        let least: Rational = total.iter().zip(&trees).map(|(cut, tree)| cut.clone().unwrap_or(tree.clone())).sum();
        for (cut, tree) in total.iter().zip(&trees) {
            prop_assert!(cut.as_ref().is_none_or(|cut| cut <= tree));
        }
        let volumes = Volumes::of_size(size);
        let found = bound(&platform, &collective, &volumes, &certificate);
        if least == ratio(0, 1) {
            let nothing = broken(&found, Rule::NoBound);
            prop_assert!(nothing);
        } else {
            prop_assert_eq!(found, Ok(offered(&platform, &certificate) / &least));
        }
        // One cut that some demand crosses, heavier than any route that leaves it allows.
        let heavy = (0..certificate.needs.len()).find(|&index| {
            let cut = &certificate.needs[index];
            let used = |at: usize| cut.demand.is_none_or(|demand| demand == at) && crosses(nodes_of(cut), &demands[at]);
            (0..demands.len()).any(used)
        });
        if let Some(index) = heavy {
            let cut = &mut certificate.needs[index];
            let all: Rational = lengths.iter().sum();
            cut.weight += all * volumes.size.constant().unwrap() + ratio(1, 1000);
            let changed = certificate.needs[index].clone();
            certificate.needs.sort();
            prop_assert!(certificate.needs.contains(&changed));
            let refused = bound(&platform, &collective, &volumes, &certificate);
            let overcharged = broken(&refused, Rule::Overcharge);
            prop_assert!(overcharged, "{:?}", refused);
        }
    }
}

/// A source, a switch that does not replicate, and three processors behind it.
fn star() -> Platform {
    let mut builder = Platform::builder();
    let node = |name: &str| Node::processor(name, ratio(1, 1));
    let source = builder.node(node("S")).unwrap();
    let switch = builder
        .node(Node {
            replicates: false,
            ..Node::router("x")
        })
        .unwrap();
    let (_, back) = builder.duplex(source, switch, ratio(1, 1)).unwrap();
    assert_eq!(back, LinkId::new(1));
    for name in ["A", "B", "C"] {
        let leaf = builder.node(node(name)).unwrap();
        builder.duplex(switch, leaf, ratio(1, 2)).unwrap();
    }
    builder.build().unwrap()
}

/// Hops as (link, after).
fn tree(hops: &[(usize, Option<u32>)]) -> Pattern {
    let hops = hops.iter().map(|&(link, after)| (LinkId::new(link), after));
    Pattern::arborescence(0, hops)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Cuts may charge the cost of a route through switches, which is more than any of its links. No arborescence is
    /// cheaper than their total weight, and a little more is refused. Their membership of switches does not matter.
    #[test]
    fn cuts_are_charged_on_routes(seed: u64) {
        let mut dice = Dice(seed);
        let platform = network(&mut dice);
        let mut able: Vec<NodeId> = platform.node_ids().filter(|&node| platform.node(node).replicates).collect();
        dice.shuffle(&mut able);
        let (source, targets) = (able[0], able[1..2 + dice.below(able.len() - 1)].to_vec());
        let mut certificate = prices(&mut dice, &platform);
        let size = dice.fraction(3);
        let lengths = lengths(&platform, &certificate);
        let mut rest: Vec<(NodeId, NodeId, Rational)> = routes(&platform, &lengths);
        for (_, _, length) in &mut rest { *length *= &size; }
        let mut total = ratio(0, 1);
        for _ in 0..5 {
            let nodes: Vec<NodeId> = platform.node_ids().filter(|&node| node == source || dice.one_in(2)).collect();
            let leaves = |from: &NodeId, to: &NodeId| nodes.contains(from) && !nodes.contains(to);
            let crossing = rest.iter_mut().filter(|(from, to, _)| leaves(from, to)).map(|(_, _, length)| length);
            let mut crossing: Vec<&mut Rational> = crossing.collect();
            let weight = crossing.iter().map(|length| (**length).clone()).min().unwrap_or(ratio(0, 1));
            if weight == ratio(0, 1) || targets.iter().all(|target| nodes.contains(target)) {
                continue;
            }
            for length in &mut crossing { **length -= &weight; }
            total += &weight;
            certificate.needs.push(cut(Some(0), nodes, weight));
        }
        certificate.needs.sort();
        prop_assume!(!certificate.needs.is_empty());
        let least = naive_copies(&platform, &lengths, source, &targets).unwrap() * &size;
        prop_assert!(total <= least, "{} {}", total, least);
        let (broadcast, volumes) = (Collective::broadcast(source, targets), Volumes::of_size(size));
        let found = bound(&platform, &broadcast, &volumes, &certificate);
        prop_assert_eq!(found, Ok(offered(&platform, &certificate) / &total));
        // Every weight is all that some route had left.
        let index = dice.below(certificate.needs.len());
        certificate.needs[index].weight += ratio(1, 1_000_000);
        certificate.needs.sort();
        let refused = bound(&platform, &broadcast, &volumes, &certificate);
        let named = told(&refused).contains(" over the cheapest route from 'n") || told(&refused).contains(" over link 'n");
        prop_assert!(broken(&refused, Rule::Overcharge) && named, "{:?}", refused);
    }
}

/// Between nodes that replicate: the cost of the cheapest path through others. Each of these in turn joins the settled
/// ones.
fn routes(platform: &Platform, lengths: &[Rational]) -> Vec<(NodeId, NodeId, Rational)> {
    let mut known: BTreeMap<(NodeId, NodeId), Rational> = BTreeMap::new();
    let offer = |known: &mut BTreeMap<(NodeId, NodeId), Rational>,
                 ends: (NodeId, NodeId),
                 length: Rational| {
        if ends.0 != ends.1 && known.get(&ends).is_none_or(|known| length < *known) {
            known.insert(ends, length);
        }
    };
    for (link, length) in platform.links().iter().zip(lengths) {
        offer(&mut known, (link.from, link.to), length.clone());
    }
    let replicates = |node: NodeId| platform.node(node).replicates;
    for middle in platform.node_ids().filter(|&node| !replicates(node)) {
        let all: Vec<((NodeId, NodeId), Rational)> = known.clone().into_iter().collect();
        for ((from, _), first) in all.iter().filter(|((_, to), _)| *to == middle) {
            for ((_, to), second) in all.iter().filter(|((from, _), _)| *from == middle) {
                offer(&mut known, (*from, *to), first + second);
            }
        }
    }
    known.retain(|(from, to), _| replicates(*from) && replicates(*to));
    known
        .into_iter()
        .map(|((from, to), length)| (from, to, length))
        .collect()
}

/// No message crosses a cut that does not hold the source, or holds all targets: it has no effect, and may have any
/// charge. The nodes in it decide, not its listing under this demand.
#[test]
fn cuts_that_nothing_crosses_prove_nothing() {
    let platform = star();
    let [s, x, a, b, c] = [0, 1, 2, 3, 4].map(NodeId::new);
    let collective = Collective::broadcast(s, vec![a, b, c]);
    let proved = |cuts: &[(&[NodeId], Rational)]| {
        let cuts = cuts
            .iter()
            .map(|(nodes, weight)| cut(Some(0), nodes.to_vec(), weight.clone()));
        let prices = platform
            .link_ids()
            .map(|link| (Resource::Link(link), ratio(1, 1)));
        let volumes = Volumes::of_size(ratio(1, 1));
        bound(
            &platform,
            &collective,
            &volumes,
            &Certificate::new(prices, [], cuts),
        )
    };
    // From S to a leaf over the switch costs 3/2, from leaf to leaf 1: together 7/2.
    let (plain, one, half) = (proved(&[]), ratio(1, 1), ratio(1, 2));
    assert_eq!(plain, Ok(ratio(16, 7)));
    let [but_a, but_b, but_c] = [[s, b, c], [s, a, c], [s, a, b]];
    let packed: [(&[NodeId], Rational); 4] = [
        (&but_a, one.clone()),
        (&but_b, one.clone()),
        (&but_c, one.clone()),
        (&[s], half.clone()),
    ];
    assert_eq!(proved(&packed), plain);
    for without in [vec![a, b], vec![s, a, b, c], vec![s, x, a, b, c], vec![x]] {
        assert_eq!(proved(&[(&without, ratio(7, 1))]), plain, "{without:?}");
    }
    // The membership of x does not matter.
    let mut other = packed.clone();
    let with_x = [s, x, b, c];
    other[0].0 = &with_x;
    assert_eq!(proved(&other), plain);
    // A little more, if one route leaves several cuts.
    let mut more = packed;
    more[2].1 += ratio(1, 1_000_000);
    let right = "the needs of S=>all charge 1500001/1000000 for a message over the cheapest route from 'S' to 'C'; it costs 3/2";
    assert_eq!(told(&proved(&more)), right);
    let nowhere = proved(&[(&[s, NodeId::new(9)], half)]);
    assert_eq!(
        told(&nowhere),
        "need 0 (cut): the member of node id 9: no such node; the platform has 5 nodes, numbered from 0"
    );
}

/// The referee's verdict on one arborescence, at a rate that overloads nothing.
fn verdict(
    platform: &Platform,
    collective: &Collective,
    pattern: Pattern,
) -> Result<(), Violation> {
    let throughput = ratio(1, 100);
    let patterns = vec![WeightedPattern {
        pattern,
        weight: throughput.clone(),
    }];
    check_steady_state(
        platform,
        collective,
        &Volumes::of_size(ratio(1, 1)),
        &SteadyState {
            throughput,
            patterns,
        },
    )
}

#[test]
fn arborescences_are_followed_hop_by_hop() {
    let platform = star();
    let [s, _, a, b, c] = [0, 1, 2, 3, 4].map(NodeId::new);
    let collective = Collective::broadcast(s, vec![a, b, c]);
    // Links: 0 S->x, 1 x->S, 2 x->A, 3 A->x, 4 x->B, 5 B->x, 6 x->C, 7 C->x.
    let chain = [
        (0, None),
        (2, Some(0)),
        (3, Some(1)),
        (4, Some(2)),
        (5, Some(3)),
        (6, Some(4)),
    ];
    let thrice = [
        (0, None),
        (2, Some(0)),
        (0, None),
        (4, Some(2)),
        (0, None),
        (6, Some(4)),
    ];
    let fork = [
        (0, None),
        (2, Some(0)),
        (3, Some(1)),
        (4, Some(2)),
        (3, Some(1)),
        (6, Some(4)),
    ];
    for hops in [&chain, &thrice, &fork] {
        verdict(&platform, &collective, tree(hops)).unwrap();
    }
    // Wasteful: back to the source and out again.
    let waste = [
        (0, None),
        (1, Some(0)),
        (0, None),
        (2, Some(2)),
        (3, Some(3)),
        (4, Some(4)),
        (5, Some(5)),
        (6, Some(6)),
    ];
    verdict(&platform, &collective, tree(&waste)).unwrap();
    let refused = |hops: &[(usize, Option<u32>)]| match verdict(&platform, &collective, tree(hops))
    {
        Err(violation) if violation.rule() == Rule::Task => violation.to_string(),
        other => panic!("{other:?}"),
    };
    // The switch duplicates.
    let mut hops = thrice;
    (hops[2], hops[3]) = ((4, Some(0)), (5, Some(2)));
    let pattern = "steady-state pattern 0 (S=>all)";
    let right = "tasks 1 and 2 both use the same copy at 'x', which does not replicate; bring a copy for each";
    assert_eq!(refused(&hops), format!("{pattern}: {right}"));
    // A target is left out.
    assert_eq!(
        refused(&chain[..4]),
        format!("{pattern}: 'C' gets no copy; every target must get one")
    );
    assert_eq!(
        refused(&[]),
        format!("{pattern}: 'A' gets no copy; every target must get one")
    );
    // A hop from another node, from the future, and from a wrong source.
    let mut hops = chain;
    hops[3] = (5, Some(2));
    assert_eq!(
        refused(&hops),
        format!("{pattern}, task 3: sends the message over B -> x, but it is at 'x' then")
    );
    hops = chain;
    hops[1].1 = Some(1);
    let later = |input| {
        format!(
            "{pattern}, task 1: uses the result of task {input}; a task uses the results of earlier ones"
        )
    };
    assert_eq!(refused(&hops), later(1));
    hops[1].1 = Some(99);
    assert_eq!(refused(&hops), later(99));
    hops[1].1 = None;
    assert_eq!(
        refused(&hops),
        format!("{pattern}, task 1: sends the message over x -> A, but it is at 'S' then")
    );
    hops[1] = (99, Some(0));
    let unknown = verdict(&platform, &collective, tree(&hops));
    assert!(
        broken(&unknown, Rule::Unknown) && told(&unknown).contains("link id 99 does not exist"),
        "{unknown:?}"
    );
    // A message is not merged, and one for a single target takes one path.
    let merge = Pattern {
        demand: 0,
        order: None,
        tasks: vec![Task::merge(a, common::part(0, 0), 0)],
    };
    assert_eq!(
        verdict(&platform, &collective, merge)
            .unwrap_err()
            .to_string(),
        "steady-state pattern 0 (S=>all), task 0: v[0,0] split after operand 0; a merge splits v[k,m] after one of k, ... m-1"
    );
    let scatter = Collective::scatter(s, vec![a]);
    verdict(&platform, &scatter, tree(&chain[..2])).unwrap();
    let two_ways = [(0, None), (2, Some(0)), (4, Some(0))];
    assert_eq!(
        verdict(&platform, &scatter, tree(&two_ways))
            .unwrap_err()
            .to_string(),
        "steady-state pattern 0 (S=>A): tasks 1 and 2 both send the message on from 'x'; it has one target, so it takes one path"
    );
}

/// Every single change to a valid arborescence is refused, or another definition of validity accepts it.
#[test]
fn changed_arborescences_are_refused() {
    let (mut refused, mut kept) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let platform = network(&mut dice);
        let able: Vec<NodeId> = platform
            .node_ids()
            .filter(|&node| platform.node(node).replicates)
            .collect();
        let collective = Collective::broadcast(able[0], able[1..].to_vec());
        // Around the ring, which a node that does not replicate does not hinder.
        let count = platform.nodes().len();
        let around = (0..count - 1).map(|i| {
            platform
                .link_between(NodeId::new(i), NodeId::new(i + 1))
                .unwrap()
        });
        let hops: Vec<(LinkId, Option<u32>)> = around
            .enumerate()
            .map(|(i, link)| (link, i.checked_sub(1).map(|i| i as u32)))
            .collect();
        let judge = |hops: &[(LinkId, Option<u32>)]| {
            let pattern = Pattern::arborescence(0, hops.to_vec());
            verdict(&platform, &collective, pattern).is_ok()
        };
        assert!(judge(&hops));
        let mut variants = Vec::new();
        for (index, &hop) in hops.iter().enumerate() {
            for link in platform.link_ids() {
                variants.push((index, (link, hop.1)));
            }
            for after in [None, Some(0), Some(1), Some(2), Some(9)] {
                variants.push((index, (hop.0, after)));
            }
        }
        for (index, hop) in variants
            .into_iter()
            .filter(|(index, hop)| hops[*index] != *hop)
        {
            let mut changed = hops.clone();
            changed[index] = hop;
            let right = plays(&platform, &changed, able[0], &able);
            assert_eq!(judge(&changed), right, "{changed:?}");
            *(if right { &mut kept } else { &mut refused }) += 1;
        }
        for index in 0..hops.len() {
            let mut changed = hops.clone();
            changed.remove(index);
            assert_eq!(judge(&changed), plays(&platform, &changed, able[0], &able));
        }
    }
    assert!(refused > 500 && kept > 5, "{refused} {kept}");
}

/// Plays an arborescence with tokens: a switch's token is spent when it is forwarded.
fn plays(
    platform: &Platform,
    hops: &[(LinkId, Option<u32>)],
    source: NodeId,
    targets: &[NodeId],
) -> bool {
    let mut tokens: Vec<(NodeId, bool)> = Vec::new();
    for &(link, after) in hops {
        let Some(link) = platform.links().get(link.index()) else {
            return false;
        };
        match after {
            None if link.from == source => {}
            None => return false,
            Some(after) => match tokens.get_mut(after as usize) {
                Some((at, spent)) if *at == link.from && !*spent => {
                    *spent = !platform.node(*at).replicates
                }
                _ => return false,
            },
        }
        tokens.push((link.to, false));
    }
    targets
        .iter()
        .all(|target| *target == source || tokens.iter().any(|(at, _)| at == target))
}
