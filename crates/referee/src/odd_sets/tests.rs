//! Odd cuts against all sets of ports and links.

use super::*;
use oneport_platform::{Node, NodeId, PortModel, whole};
use oneport_testkit::Dice;
use proptest::prelude::*;

const WHOLE: u64 = 12;

/// A few nodes of all models, and links.
fn platform(models: &[u8], ends: &[(usize, usize)], wide: bool) -> Platform {
    let one = || whole(1);
    let mut builder = Platform::builder();
    for (i, byte) in models.iter().enumerate() {
        // Mostly half-duplex, or mostly several ports.
        let mix = if wide {
            [1, 1, 2, 2, 2, 2, 2, 2, 3]
        } else {
            [1, 1, 1, 1, 0, 2, 2, 2, 3]
        };
        let model = PortModel::ALL[mix[*byte as usize % 9]];
        let ports = Some(u32::from(*byte) / 9 % 3 + if wide { 2 } else { 1 });
        let node = Node {
            model: Some(model),
            ports,
            ..Node::processor(format!("n{i}"), one())
        };
        builder.node(node).unwrap();
    }
    for &(from, to) in ends {
        let (from, to) = (from % models.len(), to % models.len());
        let _ = builder.link(NodeId::new(from), NodeId::new(to), one());
    }
    builder.build().unwrap()
}

/// Whether the set is odd and its links are busy for longer than it allows.
fn is_broken(
    platform: &Platform,
    times: &[(LinkId, BigUint)],
    ports: &[Resource],
    further: &[LinkId],
) -> bool {
    let offered: u64 = ports
        .iter()
        .map(|port| u64::from(port.capacity(platform)))
        .sum();
    let offered = offered + further.len() as u64;
    let inside = |link: LinkId| {
        let ends = Resource::ends(platform, link);
        ends.iter()
            .all(|end| end.is_some_and(|end| ports.contains(&end)))
    };
    let busy: BigUint = times
        .iter()
        .filter(|(link, _)| inside(*link) || further.contains(link))
        .map(|(_, time)| time)
        .sum();
    busy > BigUint::from(offered / 2 * WHOLE)
}

/// All sets of ports, each with all sets of links that leave it.
fn any_is_broken(platform: &Platform, times: &[(LinkId, BigUint)]) -> bool {
    let mut all: Vec<Resource> = times
        .iter()
        .flat_map(|(link, _)| Resource::ends(platform, *link))
        .flatten()
        .collect();
    all.sort_unstable();
    all.dedup();
    (0..1usize << all.len()).any(|set| {
        let ports: Vec<Resource> = (0..all.len())
            .filter(|i| set >> i & 1 == 1)
            .map(|i| all[i])
            .collect();
        let leaving: Vec<LinkId> = times
            .iter()
            .filter(|(link, _)| {
                let ends = Resource::ends(platform, *link).into_iter().flatten();
                ends.filter(|end| ports.contains(end)).count() == 1
            })
            .map(|(link, _)| *link)
            .collect();
        (0..1usize << leaving.len()).any(|chosen| {
            let further: Vec<LinkId> = (0..leaving.len())
                .filter(|i| chosen >> i & 1 == 1)
                .map(|i| leaving[i])
                .collect();
            is_broken(platform, times, &ports, &further)
        })
    })
}

/// Scales random times until no port and no link is overloaded.
fn fit(platform: &Platform, times: &mut [(LinkId, BigUint)]) {
    for resource in Resource::of_platform(platform) {
        let uses = |link: LinkId| {
            Resource::uses(platform, link)
                .map(|used| used.resource)
                .any(|used| used == resource)
        };
        let room = BigUint::from(WHOLE * u64::from(resource.capacity(platform)));
        loop {
            let load: BigUint = times
                .iter()
                .filter(|(link, _)| uses(*link))
                .map(|(_, time)| time)
                .sum();
            if load <= room {
                break;
            }
            let longest = times
                .iter_mut()
                .filter(|(link, _)| uses(*link))
                .max_by_key(|(_, time)| time.clone());
            longest.unwrap().1 -= 1u32;
        }
    }
}

fn case() -> impl Strategy<Value = (Platform, Vec<u64>)> {
    let models = prop::collection::vec(any::<u8>(), 3..6);
    let ends = prop::collection::vec((0usize..5, 0usize..5), 3..9);
    let made = (models, ends, any::<bool>()).prop_map(|(mut models, ends, wide)| {
        models.truncate(if wide { 4 } else { 5 });
        platform(&models, &ends, wide)
    });
    // Further links matter if links are busy nearly all the time.
    let least = prop::sample::select(vec![1, WHOLE - 2]);
    (
        made,
        least.prop_flat_map(|least| prop::collection::vec(least..=WHOLE, 9)),
    )
}

/// Random times that overload nothing.
fn times(platform: &Platform, mut number: impl FnMut() -> u64) -> Vec<(LinkId, BigUint)> {
    let mut times: Vec<(LinkId, BigUint)> = platform
        .link_ids()
        .map(|link| (link, BigUint::from(number())))
        .collect();
    fit(platform, &mut times);
    times.retain(|(_, time)| !time.is_zero());
    times
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Refused exactly if some inequality is broken, and then with a broken one.
    #[test]
    fn cuts_find_what_enumeration_finds((platform, numbers) in case()) {
        let mut numbers = numbers.into_iter().cycle();
        let times = times(&platform, || numbers.next().unwrap_or(1));
        let found = violated(&platform, &times, &BigUint::from(WHOLE));
        prop_assert_eq!(found.is_some(), any_is_broken(&platform, &times));
        if let Some(violated) = found {
            let inside = |link: &LinkId| {
                let ends = Resource::ends(&platform, *link);
                ends.iter().all(|end| end.is_some_and(|end| violated.ports.contains(&end)))
            };
            let further: Vec<LinkId> = violated.links.iter().copied().filter(|link| !inside(link)).collect();
            let one_end = |link: &LinkId| {
                let ends = Resource::ends(&platform, *link).into_iter().flatten();
                ends.filter(|end| violated.ports.contains(end)).count() == 1
            };
            prop_assert!(further.iter().all(one_end));
            prop_assert!(is_broken(&platform, &times, &violated.ports, &further));
        }
    }

    /// The link times of slots are never refused.
    #[test]
    fn slots_break_no_inequality((platform, numbers) in case(), seed: u64) {
        let mut times: Vec<(LinkId, BigUint)> =
            platform.link_ids().map(|link| (link, BigUint::zero())).collect();
        let mut left = WHOLE;
        for (slot, number) in numbers.iter().enumerate() {
            let length = left.min(number / 2 + 1);
            left -= length;
            let mut taken: BTreeMap<Resource, u32> = BTreeMap::new();
            let count = times.len().max(1);
            for i in 0..times.len() {
                let index = (i * 7 + slot + seed as usize % 101) % count;
                let (link, time) = &mut times[index];
                let fits = |resource: Resource| taken.get(&resource).copied().unwrap_or(0) < resource.capacity(&platform);
                if Resource::uses(&platform, *link).map(|used| used.resource).all(fits) && (seed >> ((i + slot) % 64)) & 1 == 0 {
                    for resource in Resource::uses(&platform, *link).map(|used| used.resource) { *taken.entry(resource).or_default() += 1; }
                    *time += length;
                }
            }
        }
        // Several entries of one index add up to no more than the whole: each slot takes a link once at most.
        times.retain(|(_, time)| !time.is_zero());
        prop_assert_eq!(violated(&platform, &times, &BigUint::from(WHOLE)), None);
    }
}

/// The module's head, cut by cut: with a set `U` of ports on one side, and each node in the middle on the side that its
/// link chose, the cut is odd if and only if `b(U)` plus the number of chosen links is odd, and its weight is the left
/// side of the inequality.
#[test]
fn each_cut_is_the_inequality_it_stands_for() {
    let mut dice = Dice::new(3);
    let mut roll = |below: usize| dice.below(below);
    let whole = BigUint::from(WHOLE);
    let (mut odd_cuts, mut further_cuts) = (0, 0);
    for _ in 0..400 {
        let capacities: Vec<u32> = (0..2 + roll(3)).map(|_| 1 + roll(3) as u32).collect();
        let count = capacities.len();
        let times: Vec<BigUint> = (0..1 + roll(4))
            .map(|_| BigUint::from(roll(6) + 1))
            .collect();
        let mut left: Vec<usize> = capacities
            .iter()
            .map(|&ports| ports as usize * WHOLE as usize)
            .collect();
        let mut links = Vec::new();
        for (index, time) in times.iter().enumerate() {
            let (one, other) = (roll(count), roll(count + 1));
            let ends = [Some(one), Some(other).filter(|&end| end < count)];
            let spent = time.iter_u32_digits().next().unwrap_or(0) as usize;
            if one == other || ends.iter().flatten().any(|&end| left[end] < spent) {
                continue;
            }
            for &end in ends.iter().flatten() {
                left[end] -= spent;
            }
            links.push(Busy {
                link: LinkId::new(index),
                ends,
                time,
            });
        }
        let graph = graph(&capacities, &links, &vec![true; count], &whole);
        let name = |node: usize| graph.names[node][0];
        for chosen in 0..1usize << (count + links.len()) {
            let in_set = |port: usize| chosen >> port & 1 == 1;
            let picked = |index: usize| chosen >> (count + index) & 1 == 1;
            // A node in the middle is on the first end's side if the link is picked, else with the other's.
            let side: Vec<bool> = (0..graph.names.len())
                .map(|node| match name(node) {
                    port if port < count => in_set(port),
                    root if root == count => false,
                    middle => {
                        let index = middle - count - 1;
                        let [one, other] = links[index].ends.map(|end| end.is_some_and(in_set));
                        if one == other {
                            one != picked(index)
                        } else if picked(index) {
                            one
                        } else {
                            other
                        }
                    }
                })
                .collect();
            let leaves = |busy: &Busy<'_>| {
                let [one, other] = busy.ends.map(|end| end.is_some_and(in_set));
                one != other
            };
            let proper = |index: usize| {
                !picked(index) || (is_further(&capacities, &links[index]) && leaves(&links[index]))
            };
            if !(0..links.len()).all(proper) {
                continue;
            }
            let offered: u32 = (0..count)
                .filter(|&port| in_set(port))
                .map(|port| capacities[port])
                .sum();
            let further = (0..links.len()).filter(|&index| picked(index)).count();
            let is_odd = (offered as usize + further) % 2 == 1;
            let inside = side
                .iter()
                .zip(&graph.odd)
                .filter(|(inside, odd)| **inside && **odd)
                .count();
            assert_eq!(inside % 2 == 1, is_odd, "{capacities:?} {chosen:b}");
            let rest: usize = (0..count)
                .filter(|&port| in_set(port))
                .map(|port| left[port])
                .sum();
            let crossing = (0..links.len())
                .filter(|&index| leaves(&links[index]))
                .map(|index| {
                    if picked(index) {
                        &whole - links[index].time
                    } else {
                        links[index].time.clone()
                    }
                });
            assert_eq!(
                weight(&graph, &side),
                crossing.sum::<BigUint>() + rest,
                "{capacities:?} {chosen:b}"
            );
            odd_cuts += usize::from(is_odd);
            further_cuts += usize::from(further > 0);
        }
    }
    assert!(
        odd_cuts > 1000 && further_cuts > 300,
        "{odd_cuts} {further_cuts}"
    );
}

/// Both answers occur often enough for the agreement above to be about something, also with further links.
#[test]
fn random_times_break_one_or_none() {
    let mut dice = Dice::new(1);
    let (mut plain, mut further) = (0, 0);
    for round in 0..2000 {
        let models: Vec<u8> = (0..4 + round % 2).map(|_| dice.roll() as u8).collect();
        let ends: Vec<(usize, usize)> = (0..8).map(|_| (dice.below(5), dice.below(5))).collect();
        let platform = platform(&models, &ends, round % 2 == 0);
        let times = times(&platform, || {
            if round % 4 == 0 {
                WHOLE - dice.below(3)
            } else {
                dice.below(WHOLE) + 1
            }
        });
        let Some(found) = violated(&platform, &times, &BigUint::from(WHOLE)) else {
            continue;
        };
        let has = |end: Option<Resource>| end.is_some_and(|end| found.ports.contains(&end));
        let inside = |link: &LinkId| Resource::ends(&platform, *link).into_iter().all(has);
        *(if found.links.iter().all(inside) {
            &mut plain
        } else {
            &mut further
        }) += 1;
    }
    assert!(
        plain >= 50 && further >= 1 && plain + further <= 1500,
        "{plain} {further}"
    );
}

/// An undirected graph on six original nodes, with about every second edge.
fn undirected(weights: &[u64], odd: &[bool]) -> Graph {
    let mut graph = Graph {
        names: Vec::new(),
        odd: Vec::new(),
        edges: BTreeMap::new(),
    };
    for (node, &odd) in odd.iter().enumerate() {
        graph.node(node, odd);
    }
    let pairs = (0..6).flat_map(|one| (0..one).map(move |other| (one, other)));
    for ((one, other), weight) in pairs.zip(weights) {
        graph.add(one, other, weight.saturating_sub(9).into());
    }
    graph
}

/// Total weight of the edges that leave a set of nodes.
fn weight(graph: &Graph, side: &[bool]) -> BigUint {
    graph
        .edges
        .iter()
        .filter(|((one, other), _)| side[*one] != side[*other])
        .map(|(_, weight)| weight)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Smallest cuts between two nodes, and odd cuts below a limit, against all sets of nodes.
    #[test]
    fn cuts_are_those_of_enumeration(
        weights in prop::collection::vec(0u64..24, 15), odd in prop::collection::vec(any::<bool>(), 5),
        limit in 1u64..40,
    ) {
        let last = odd.iter().filter(|odd| **odd).count() % 2 == 1;
        let odd: Vec<bool> = odd.into_iter().chain([last]).collect();
        let graph = undirected(&weights, &odd);
        let limit = BigUint::from(limit);
        let sides = || (0..1usize << 6).map(|set| (0..6).map(|node| set >> node & 1 == 1).collect::<Vec<bool>>());
        let least = sides().filter(|side| side[0] && !side[5]).map(|side| weight(&graph, &side)).min();
        match graph.cut(0, 5, &limit) {
            Some(side) => {
                prop_assert!(side[0] && !side[5]);
                prop_assert_eq!(Some(weight(&graph, &side)), least.filter(|least| *least < limit));
            }
            None => prop_assert!(least >= Some(limit.clone())),
        }
        let is_odd = |side: &[bool]| side.iter().zip(&odd).filter(|(inside, odd)| **inside && **odd).count() % 2 == 1;
        let light = |side: &Vec<bool>| is_odd(side) && weight(&graph, side) < limit;
        let any = sides().any(|side| light(&side));
        let found = odd_cut(graph.clone(), &limit);
        prop_assert_eq!(found.is_some(), any);
        if let Some(names) = found {
            let side = (0..6).map(|node| names.contains(&node)).collect();
            prop_assert!(light(&side), "{:?}", names);
        }
    }
}

/// The first path from 0 to 7 takes the edge between 1 and 2 forwards, a maximum flow takes it backwards: the amount
/// sent is taken back, and no more than the edge's weight comes on top of it.
#[test]
fn a_flow_is_taken_back() {
    for unit in 1u32..6 {
        let mut graph = Graph {
            names: Vec::new(),
            odd: Vec::new(),
            edges: BTreeMap::new(),
        };
        for node in 0..8 {
            _ = graph.node(node, false);
        }
        let further = [
            (0, 3, 9),
            (3, 4, 9),
            (4, 2, 9),
            (1, 5, 9),
            (5, 6, 9),
            (6, 7, 9),
        ];
        for (one, other, weight) in [(0, 1, 2), (1, 2, 3), (2, 7, 2)].into_iter().chain(further) {
            graph.add(one, other, BigUint::from(unit * weight));
        }
        let least = 7 * unit;
        let side = graph.cut(0, 7, &BigUint::from(least + 1)).unwrap();
        assert_eq!(weight(&graph, &side), BigUint::from(least));
        assert_eq!(graph.cut(0, 7, &BigUint::from(least)), None);
    }
}

/// Two half-duplex nodes and a sender with `p` ports, each pair linked, and `p - 1` further links: `2 p + 1` units
/// of ports and links, so `p` links at a time. Without any one of the further links no set is odd and full. The
/// same with all links turned round.
#[test]
fn as_many_further_links_as_it_takes() {
    let mut dice = Dice::new(7);
    let mut roll = |below: usize| dice.below(below);
    let one = || whole(1);
    for round in 0..240 {
        let (ports, mirrored) = (2 + round % 3, round % 2 == 1);
        // The nodes in their order: two half-duplex ones, the sender, the receivers of the further links.
        let mut order: Vec<usize> = (0..ports + 2).collect();
        for index in 1..order.len() {
            order.swap(index, roll(index + 1));
        }
        let node =
            |what: usize| NodeId::new(order.iter().position(|&other| other == what).unwrap());
        let mut builder = Platform::builder();
        for (index, &what) in order.iter().enumerate() {
            let model = if what < 2 {
                PortModel::HalfDuplex
            } else {
                PortModel::Multiport
            };
            let node = Node {
                model: Some(model),
                ports: Some(ports as u32),
                ..Node::router(format!("n{index}"))
            };
            builder.node(node).unwrap();
        }
        let mut ends = vec![(0, 1), (2, 0), (2, 1)];
        ends.extend((3..ports + 2).map(|receiver| (2, receiver)));
        for index in 1..ends.len() {
            ends.swap(index, roll(index + 1));
        }
        for &(from, to) in &ends {
            let (from, to) = if mirrored { (to, from) } else { (from, to) };
            builder.link(node(from), node(to), one()).unwrap();
        }
        let platform = builder.build().unwrap();
        // 18 and p - 1 times the further time are more than 12 p.
        let least = [7, 10, 11][ports - 2];
        for time in [least - 1, least, 12] {
            let busy = |(link, &(_, to)): (LinkId, &(usize, usize))| {
                (link, BigUint::from(if to > 2 { time } else { 6u32 }))
            };
            let times: Vec<(LinkId, BigUint)> = platform.link_ids().zip(&ends).map(busy).collect();
            let found = violated(&platform, &times, &BigUint::from(WHOLE));
            assert_eq!(
                found.is_some(),
                time >= least,
                "{ports} ports, {time}, {ends:?} {order:?}"
            );
            let Some(found) = found else { continue };
            assert_eq!(
                (found.ports.len(), found.links.len()),
                (3, ends.len()),
                "{ports} {time} {ends:?}"
            );
            assert_eq!(found.capacity, ports as u64);
        }
    }
}

/// A half-duplex node sends to the receivers, too: both ends of a further link are checked.
#[test]
fn further_links_between_ports_of_the_same_component() {
    let one = || whole(1);
    let (mut broken, mut fine) = (0, 0);
    for round in 0..648u32 {
        let (ports, mirrored, round) = (2 + round % 2, round >= 324, round % 324);
        let mut builder = Platform::builder();
        for index in 0..ports + 2 {
            let model = if index < 2 {
                PortModel::HalfDuplex
            } else {
                PortModel::Multiport
            };
            let node = Node {
                model: Some(model),
                ports: Some(ports + index % 2),
                ..Node::router(format!("n{index}"))
            };
            builder.node(node).unwrap();
        }
        let further: Vec<(u32, u32)> = (3..ports + 2).map(|receiver| (2, receiver)).collect();
        let mut ends = vec![(0, 1), (2, 0), (2, 1), (0, 3)];
        ends.extend(further);
        ends.rotate_left(round as usize % 5);
        let lengths = [
            5,
            6 - round / 4 % 2,
            6,
            1 + round / 4 % 2,
            12 - round / 8 % 3,
        ];
        let time = |&(from, to): &(u32, u32)| match (from, to) {
            (0, 1) => lengths[0],
            (2, 0) => lengths[1],
            (2, 1) => lengths[2],
            (0, 3) => lengths[3] - lengths[3] / 2 * (round / 24 % 2),
            _ => lengths[4],
        };
        let node = |index: u32| NodeId::new(index as usize);
        for &(from, to) in &ends {
            let (from, to) = if mirrored { (to, from) } else { (from, to) };
            builder.link(node(from), node(to), one()).unwrap();
        }
        let platform = builder.build().unwrap();
        let mut times: Vec<(LinkId, BigUint)> = platform
            .link_ids()
            .zip(&ends)
            .map(|(link, ends)| (link, BigUint::from(time(ends))))
            .collect();
        fit(&platform, &mut times);
        let found = violated(&platform, &times, &BigUint::from(WHOLE));
        assert_eq!(
            found.is_some(),
            any_is_broken(&platform, &times),
            "{ends:?} {times:?}"
        );
        *(if found.is_some() {
            &mut broken
        } else {
            &mut fine
        }) += 1;
    }
    assert!(broken > 20 && fine > 20, "{broken} {fine}");
}

/// Two half-duplex nodes and a sender with two ports, each pair linked, and a further link of the sender: five
/// units of ports and link, so two links at a time. Without the further link no set is odd.
#[test]
fn a_further_link_completes_an_odd_set() {
    // Half-duplex are 0 and 1. 2 and 3 have two ports for sends and two for receives.
    let platform = platform(&[0, 0, 2, 2], &[(0, 1), (2, 0), (2, 1), (2, 3)], true);
    for (further, expected) in [(6u32, false), (7, true), (12, true)] {
        let times: Vec<(LinkId, BigUint)> = platform
            .link_ids()
            .zip([6, 6, 6, further].map(BigUint::from))
            .collect();
        let found = violated(&platform, &times, &BigUint::from(WHOLE));
        assert_eq!(found.is_some(), expected, "{further}");
        assert_eq!(any_is_broken(&platform, &times), expected, "{further}");
        if let Some(found) = found {
            assert_eq!(
                (found.ports.len(), found.links.len(), found.capacity),
                (3, 4, 2)
            );
        }
    }
}

#[test]
fn triangles_allow_a_third() {
    let platform = platform(&[0, 0, 0], &[(0, 1), (1, 2), (2, 0)], false);
    for (time, expected) in [(4, false), (5, true)] {
        let times: Vec<(LinkId, BigUint)> = platform
            .link_ids()
            .map(|link| (link, BigUint::from(time as u32)))
            .collect();
        let found = violated(&platform, &times, &BigUint::from(WHOLE));
        assert_eq!(found.is_some(), expected);
        if let Some(found) = found {
            assert_eq!(
                (found.ports.len(), found.links.len(), found.capacity),
                (3, 3, 1)
            );
        }
    }
}
