//! The oracle itself: values computed by hand or printed in papers, and a second search that goes forwards.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use num_traits::{ToPrimitive, Zero};
use oneport_files::{PlatformFormat, parse_platform};
use oneport_plan::{Collective, Volumes};
use oneport_platform::{Platform, Rational, parse_rational};
use oneport_truth::busy::maximal_sets;
use oneport_truth::draw::Draw;
use oneport_truth::game::Game;
use oneport_truth::sample::sample;
use oneport_truth::search::{SearchResult, cheapest};
use oneport_truth::throughput::{Oracle, Refused};

fn platform(text: &str) -> Platform {
    let text = format!("format = \"oneport-platform/1\"\n{text}");
    parse_platform("test.toml", text.as_bytes(), PlatformFormat::Toml).unwrap()
}

#[track_caller]
fn check(platform: &Platform, collective: &Collective, volumes: &Volumes, expected: &str) {
    let oracle = Oracle::new(platform, collective, volumes, 1_000_000).unwrap();
    let truth = oracle.throughput().unwrap();
    assert_eq!(truth.throughput, parse_rational(expected).unwrap());
    // The prices prove it.
    let proved = oracle.worth(&truth.prices) / oracle.cheapest(&truth.prices).unwrap();
    assert_eq!(proved, truth.throughput);
}

fn unit() -> Volumes {
    Volumes::of_size(parse_rational("1").unwrap())
}

/// A hub and three leaves, every link of cost 1 in both directions.
fn star(model: &str, hub: &str) -> Platform {
    platform(&format!(
        "model = \"{model}\"
        node = [{{ name = \"a\", compute = 1 }}, {{ name = \"b\", compute = 1 }}, {{ name = \"c\", compute = 1 }}, {{ name = \"hub\"{hub} }}]
        link = [
            {{ from = \"a\", to = \"hub\", cost = 1, duplex = true }},
            {{ from = \"b\", to = \"hub\", cost = 1, duplex = true }},
            {{ from = \"c\", to = \"hub\", cost = 1, duplex = true }},
        ]"
    ))
}

fn broadcast(platform: &Platform) -> Collective {
    let node = |name| platform.find(name).unwrap();
    Collective::broadcast(node("a"), vec![node("b"), node("c")])
}

#[test]
fn a_broadcast_through_a_hub_depends_on_what_the_hub_may_do() {
    for (model, hub, expected) in [
        // The hub sends to b and to c, in sequence.
        ("full-duplex", "", "1/2"),
        // It also receives once.
        ("half-duplex", "", "1/3"),
        ("links", "", "1"),
        ("multiport", ", ports = 2", "1"),
        // The only copy goes to b, which sends one back through the hub to c: every link carries one.
        ("links", ", replicates = false", "1"),
        // Two copies are received and two sent.
        ("half-duplex", ", replicates = false", "1/4"),
    ] {
        let star = star(model, hub);
        check(&star, &broadcast(&star), &unit(), expected);
    }
}

#[test]
fn a_reduction_through_a_hub_depends_on_whether_the_hub_merges() {
    for (hub, expected) in [
        // Two values travel the last link.
        ("", "1/2"),
        // One result does.
        (", compute = 1", "1"),
        // The hub takes 3 for a merge: per unit of time 1/3 is merged there, and 1/3 in a, over the last link at 2
        // messages each.
        (", compute = 3", "2/3"),
        // The merged fact is needed only once.
        (", compute = 1, replicates = false", "1"),
        // A switch that reduces merges as a processor does, in the time that it states.
        (", switch = true, reduces = true", "1"),
        (", switch = true, reduces = 1", "1"),
        (", switch = true, reduces = 3", "2/3"),
        (", replicates = false, reduces = true", "1"),
    ] {
        let star = platform(&format!(
            "model = \"links\"
            node = [{{ name = \"a\", compute = 1 }}, {{ name = \"b\", compute = 1 }}, {{ name = \"c\", compute = 1 }}, {{ name = \"hub\"{hub} }}]
            link = [
                {{ from = \"b\", to = \"hub\", cost = 1 }},
                {{ from = \"c\", to = \"hub\", cost = 1 }},
                {{ from = \"hub\", to = \"a\", cost = 1 }},
            ]"
        ));
        let node = |name| star.find(name).unwrap();
        let participants = vec![node("b"), node("c")];
        check(
            &star,
            &Collective::reduce(node("a"), participants).in_order(),
            &unit(),
            expected,
        );
    }
}

#[test]
fn a_switch_that_merges_but_cannot_copy_shares_links_on_the_way_in() {
    // All operands merge in the switch, which sends the sum to a. From there two copies go through the switch to b and
    // c. So a's own link into the switch is busy for 3/2, the others for 1/2, each link out of it for 1. In turns, a
    // third of the instances with each centre, every link into the switch is busy for 5/6 per instance.
    let text = "model = \"links\"
        node = [
            { name = \"a\", compute = 1 },
            { name = \"b\", compute = 1 },
            { name = \"c\", compute = 1 },
            { name = \"h\", compute = 1, replicates = false },
        ]
        link = [
            { from = \"a\", to = \"h\", cost = \"1/2\" },
            { from = \"b\", to = \"h\", cost = \"1/2\" },
            { from = \"c\", to = \"h\", cost = \"1/2\" },
            { from = \"h\", to = \"a\", cost = 1 },
            { from = \"h\", to = \"b\", cost = 1 },
            { from = \"h\", to = \"c\", cost = 1 },
        ]";
    let star = platform(text);
    let participants = ["a", "b", "c"]
        .map(|name| star.find(name).unwrap())
        .to_vec();
    let mut volumes = unit();
    volumes.work = oneport_plan::Amount::Constant(Rational::zero());
    check(&star, &Collective::all_reduce(participants), &volumes, "1");
}

#[test]
fn a_triangle_under_half_duplex_has_one_transfer_at_a_time() {
    let triangle = platform(
        "model = \"half-duplex\"
        node = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1 }, { name = \"c\", compute = 1 }]
        link = [
            { from = \"a\", to = \"b\", cost = 1, duplex = true },
            { from = \"b\", to = \"c\", cost = 1, duplex = true },
            { from = \"c\", to = \"a\", cost = 1, duplex = true },
        ]",
    );
    assert_eq!(maximal_sets(&triangle).len(), 6);
    let participants: Vec<_> = triangle.node_ids().collect();
    check(
        &triangle,
        &Collective::all_to_all(participants.clone()),
        &unit(),
        "1/6",
    );
    let twice = Volumes::of_size(parse_rational("2").unwrap());
    check(
        &triangle,
        &Collective::all_gather(participants),
        &twice,
        "1/12",
    );
}

#[test]
fn the_papers_toys() {
    let read =
        |text: &str| parse_platform("toy.toml", text.as_bytes(), PlatformFormat::Toml).unwrap();
    let toy = read(include_str!("../../../fixtures/platforms/toy-scatter.toml"));
    let node = |name| toy.find(name).unwrap();
    check(
        &toy,
        &Collective::scatter(node("Ps"), vec![node("P0"), node("P1")]),
        &unit(),
        "1/2",
    );
    let toy = read(include_str!("../../../fixtures/platforms/toy-reduce.toml"));
    let participants: Vec<_> = toy.node_ids().collect();
    let target = participants[0];
    check(
        &toy,
        &Collective::reduce(target, participants).in_order(),
        &unit(),
        "1",
    );
    let toy = read(include_str!(
        "../../../fixtures/platforms/toy-broadcast.toml"
    ));
    let nodes: Vec<_> = toy.node_ids().collect();
    check(
        &toy,
        &Collective::broadcast(nodes[0], nodes[1..].to_vec()),
        &unit(),
        "4/5",
    );
}

#[test]
fn what_cannot_arrive_is_impossible() {
    let pair = platform(
        "node = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1 }]
        link = [{ from = \"a\", to = \"b\", cost = 1 }]",
    );
    let participants: Vec<_> = pair.node_ids().collect();
    let gossip = Collective::all_to_all(participants);
    let oracle = Oracle::new(&pair, &gossip, &unit(), 1000).unwrap();
    assert_eq!(oracle.throughput(), Err(Refused::Impossible));
}

/// Forwards: the available facts, one count for every fact (1 at most if the node replicates, 4 at most otherwise), and
/// Dijkstra's algorithm over all counts.
fn forwards(game: &Game, prices: &[u64], limit: usize) -> Option<Option<u64>> {
    let mut first = vec![0_u8; game.facts.len()];
    for &fact in game.start.iter() {
        first[usize::from(fact)] = 1;
    }
    let mut settled = BTreeSet::new();
    let mut best = BTreeMap::from([(first.clone(), 0)]);
    let mut open = BinaryHeap::from([(std::cmp::Reverse(0), first)]);
    while let Some((std::cmp::Reverse(spent), state)) = open.pop() {
        if !settled.insert(state.clone()) {
            continue;
        }
        if game.goals.iter().all(|&goal| state[usize::from(goal)] > 0) {
            return Some(Some(spent));
        }
        if settled.len() > limit {
            return None;
        }
        for (one, price) in game.moves.iter().zip(prices) {
            if one
                .inputs
                .iter()
                .any(|&input| state[usize::from(input)] == 0)
            {
                continue;
            }
            let mut next = state.clone();
            for &input in one
                .inputs
                .iter()
                .filter(|&&input| !game.copies[usize::from(input)])
            {
                next[usize::from(input)] -= 1;
            }
            let made = &mut next[usize::from(one.output)];
            *made = (*made + 1).min(if game.copies[usize::from(one.output)] {
                1
            } else {
                4
            });
            let known = best.entry(next.clone()).or_insert(u64::MAX);
            if spent + price < *known {
                *known = spent + price;
                open.push((std::cmp::Reverse(spent + price), next));
            }
        }
    }
    Some(None)
}

/// A scheme is executed move by move: every input is available, and at a node that does not replicate it is used up.
fn carries_out(game: &Game, moves: &[u32]) -> bool {
    let mut at_hand = vec![0; game.facts.len()];
    for &fact in game.start.iter() {
        at_hand[usize::from(fact)] = 1;
    }
    for one in moves.iter().map(|&number| &game.moves[number as usize]) {
        for &input in &one.inputs {
            if at_hand[usize::from(input)] == 0 {
                return false;
            }
            at_hand[usize::from(input)] -= i32::from(!game.copies[usize::from(input)]);
        }
        at_hand[usize::from(one.output)] += 1;
    }
    game.goals
        .iter()
        .all(|&goal| at_hand[usize::from(goal)] > 0)
}

#[test]
fn backwards_and_forwards_agree() {
    let (mut compared, mut several, mut switches) = (0, 0, 0);
    for instance in 0..800 {
        let mut draw = Draw::new(77, instance);
        let question = sample(&mut draw);
        if question.platform.nodes().len() > 4 || question.platform.links().len() > 8 {
            continue;
        }
        let index = draw.below(question.collective.demands());
        let demand = question.collective.demand(index).unwrap();
        let Some(game) = Game::new(&question.platform, &demand, &question.volumes) else {
            continue;
        };
        let largest = draw.pick(&[1, 3, 9]);
        let prices: Vec<u64> = game
            .moves
            .iter()
            .map(|_| draw.between(0, largest).to_u64().unwrap())
            .collect();
        let Some(expected) = forwards(&game, &prices, 3000) else {
            continue;
        };
        let found = match cheapest(&game, &prices, 1_000_000) {
            SearchResult::Scheme(scheme) => {
                assert!(carries_out(&game, &scheme.moves), "instance {instance}");
                let sum: u64 = scheme
                    .moves
                    .iter()
                    .map(|&number| prices[number as usize])
                    .sum();
                assert_eq!(sum, scheme.price, "instance {instance}");
                Some(scheme.price)
            }
            SearchResult::Nothing => None,
            SearchResult::TooMany => panic!("instance {instance} is too large"),
        };
        assert_eq!(found, expected, "instance {instance}: {question:?}");
        compared += 1;
        several += usize::from(game.goals.len() > 1 && demand.operands.len() > 1);
        switches += usize::from(game.goals.len() > 1 && game.copies.contains(&false));
    }
    assert!(
        compared > 400 && several > 100 && switches > 30,
        "{compared} {several} {switches}"
    );
}

/// Three hosts on a bus of rate 2, each pair linked in both directions. The links of one host count twice.
#[test]
fn links_on_a_bus_share_its_rate() {
    let bus = platform(
        "model = \"links\"
        node = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1 }, { name = \"c\", compute = 1 }]
        link = [
            { from = \"a\", to = \"b\", duplex = true },
            { from = \"b\", to = \"c\", duplex = true },
            { from = \"c\", to = \"a\", duplex = true },
        ]
        shared = [{ bandwidth = 2, links = [
            \"a -> b\", \"b -> a\", \"b -> c\", \"c -> b\", \"c -> b\", \"c -> a\", \"c -> a\", \"a -> c\",
        ] }]",
    );
    assert_eq!(maximal_sets(&bus), [Vec::new()], "no link excludes another");
    let participants: Vec<_> = bus.node_ids().collect();
    // Six transfers, two of which take 2 of the bus.
    let exchange = Collective::all_to_all(participants.clone());
    check(&bus, &exchange, &unit(), "1/4");
    // From c one copy leaves, and the other is forwarded from there.
    let broadcast = Collective::broadcast(participants[2], participants[..2].to_vec());
    check(&bus, &broadcast, &unit(), "2/3");
}
