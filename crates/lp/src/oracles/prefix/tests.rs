//! Cheapest schemes against a sweep over all sets of held values.

use num_traits::{One, Zero};
use oneport_plan::{Collective, Interval, Pattern, Problem, Task, Volumes};
use oneport_platform::generate::{Costs, Options, complete, grid, ring, star};
use oneport_platform::{NodeId, Platform, Rational, ratio, whole};
use oneport_testkit::Dice;
use oneport_trees::cheapest::Prices;

use super::Prefixes;
use super::tasks::Tasks;
use crate::Question;
use crate::oracles::Oracle;

/// Many zeros, some large.
fn drawn(dice: &mut Dice) -> Rational {
    let price = match dice.below(4) {
        0 => 0,
        1 => 1,
        2 => dice.below(5) + 1,
        _ => dice.below(60) + 1,
    };
    ratio(price, 1 + dice.below(3))
}

fn prices(platform: &Platform, dice: &mut Dice) -> Prices<Rational> {
    Prices {
        links: platform.links().iter().map(|_| drawn(dice)).collect(),
        compute: platform.nodes().iter().map(|_| drawn(dice)).collect(),
    }
}

fn time(platform: &Platform, task: Task) -> Rational {
    match task {
        Task::Send { link, .. } => platform.link(link).cost.clone(),
        Task::Merge { node, .. } => platform.node(node).compute.clone().unwrap_or_default(),
    }
}

fn price(platform: &Platform, prices: &Prices<Rational>, task: Task) -> Rational {
    let price = match task {
        Task::Send { link, .. } => &prices.links[link.index()],
        Task::Merge { node, .. } => &prices.compute[node.index()],
    };
    time(platform, task) * price
}

/// The cheapest scheme's price: every set of (part, node) pairs that can be held is visited, smaller sets first.
fn sweep(platform: &Platform, participants: &[NodeId], prices: &Prices<Rational>) -> Rational {
    let operands = participants.len();
    let nodes = platform.nodes().len();
    let mut bits = vec![];
    for (first, owner) in participants.iter().enumerate() {
        for last in first..operands {
            for node in 0..nodes {
                if first != last || owner.index() != node {
                    bits.push((Interval { first, last }, node));
                }
            }
        }
    }
    // An operand at its owner is always there: no bit.
    let bit = |part: Interval, node: usize| {
        bits.iter()
            .position(|&held| held == (part, node))
            .map_or(0, |bit| 1usize << bit)
    };
    let mut tasks: Vec<(usize, usize, Task)> = Vec::new();
    for first in 0..operands {
        for last in first..operands {
            let part = Interval { first, last };
            for link in platform.link_ids() {
                let ends = platform.link(link);
                tasks.push((
                    bit(part, ends.from.index()),
                    bit(part, ends.to.index()),
                    Task::send(link, part),
                ));
            }
            for node in platform.processors() {
                for split in first..last {
                    let (left, right) = part.split(split);
                    let (left, right) = (bit(left, node.index()), bit(right, node.index()));
                    tasks.push((
                        left | right,
                        bit(part, node.index()),
                        Task::merge(node, part, split),
                    ));
                }
            }
        }
    }
    let all: Vec<Rational> = tasks
        .iter()
        .map(|&(.., task)| price(platform, prices, task))
        .collect();
    let unit = all.iter().fold(num_bigint::BigInt::one(), |unit, price| {
        num_integer::Integer::lcm(&unit, price.denom())
    });
    let units =
        |price: &Rational| u64::try_from((price * whole(unit.clone())).to_integer()).unwrap();
    let costs: Vec<u64> = all.iter().map(units).collect();
    let goal = (1..operands).fold(0, |goal, last| {
        goal | bit(Interval { first: 0, last }, participants[last].index())
    });
    let mut cheapest = vec![u64::MAX; 1 << bits.len()];
    cheapest[0] = 0;
    let mut best = u64::MAX;
    for held in 0..cheapest.len() {
        let so_far = cheapest[held];
        if so_far >= best {
            continue;
        }
        if held & goal == goal {
            best = so_far;
            continue;
        }
        for (&(needed, made, _), &cost) in tasks.iter().zip(&costs) {
            if held & needed == needed && made & !held != 0 {
                let next = &mut cheapest[held | made];
                *next = (*next).min(so_far + cost);
            }
        }
    }
    ratio(best, unit)
}

fn total(platform: &Platform, prices: &Prices<Rational>, pattern: &Pattern) -> Rational {
    let price = |task: &Task| match *task {
        Task::Send { link, .. } => &prices.links[link.index()] * &platform.link(link).cost,
        Task::Merge { node, .. } => {
            &prices.compute[node.index()] * platform.node(node).compute.as_ref().unwrap()
        }
    };
    pattern.tasks.iter().map(price).sum()
}

fn options(seed: u64) -> Options {
    let costs = Costs::Uniform { low: 1, high: 4 };
    Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    }
}

/// Compares under prices. Returns whether guiding prices led to a cheapest scheme at once.
fn compare(platform: &Platform, participants: &[NodeId], dice: &mut Dice) -> bool {
    let collective = Collective::scan(participants.to_vec());
    let volumes = Volumes::of_size(Rational::one());
    let question = Question::new(&Problem::new(platform, &collective, &volumes).unwrap());
    let blocks = collective.blocks();
    let prefixes = Prefixes::new(&question, &blocks[0]);
    let prices = prices(platform, dice);
    let cheapest = sweep(platform, participants, &prices);
    let offer = prefixes.cheapest(&prices).unwrap().remove(0);
    assert_eq!(offer.at_least, cheapest, "bound");
    assert_eq!(
        total(platform, &prices, &offer.patterns[0]),
        cheapest,
        "scheme"
    );
    let in_units =
        |price: &Rational| u64::try_from((price * whole(6u64 << 30)).to_integer()).unwrap();
    let guiding = Prices {
        links: prices.links.iter().map(in_units).collect(),
        compute: prices.compute.iter().map(in_units).collect(),
    };
    let guided = prefixes.guide(&guiding).unwrap().remove(0);
    let unit = whole(6u64 << 30);
    assert!(guided.at_least / unit <= cheapest, "guiding bound");
    let found = guided
        .patterns
        .iter()
        .map(|pattern| total(platform, &prices, pattern))
        .min()
        .unwrap_or_else(Rational::zero);
    assert!(found >= cheapest, "guided schemes are schemes");
    found == cheapest
}

#[test]
fn three_participants_have_cheapest_schemes() {
    let mut dice = Dice::new(7);
    let (mut cases, mut guided) = (0, 0);
    for seed in 0..15 {
        let platforms = [
            complete(3, &options(seed)),
            grid(1, 3, &options(seed)),
            ring(3, &options(seed)),
        ];
        for platform in platforms {
            let platform = platform.unwrap();
            let mut participants: Vec<NodeId> = platform.node_ids().collect();
            participants.rotate_left(seed as usize % 3);
            for _ in 0..4 {
                cases += 1;
                guided += usize::from(compare(&platform, &participants, &mut dice));
            }
        }
    }
    eprintln!("{cases} cases, {guided} cheapest at once");
}

#[test]
fn helpers_and_routers_have_cheapest_schemes() {
    let mut dice = Dice::new(11);
    for seed in 0..2 {
        for platform in [grid(2, 2, &options(seed)), star(3, &options(seed))] {
            let platform = platform.unwrap();
            let mut participants: Vec<NodeId> = platform.processors().collect();
            participants.reverse();
            participants.truncate(3);
            compare(&platform, &participants, &mut dice);
        }
    }
}

#[test]
fn tasks_are_counted_before_they_are_listed() {
    for nodes in 2..8usize {
        let platform = ring(nodes, &Options::default()).unwrap();
        let participants: Vec<NodeId> = platform.processors().collect();
        for operands in 1..=nodes {
            let collective = Collective::scan(participants[..operands].to_vec());
            let Some(demand) = collective.demand(0) else {
                continue;
            };
            assert_eq!(
                Tasks::count_of(&platform, operands),
                Tasks::new(&platform, &demand, true).count as u128
            );
        }
    }
}
