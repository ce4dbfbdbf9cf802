//! Trees: bounds of shares of prices, against the cheapest trees of all goals and the cheapest scheme of all, and
//! forbidden shares.

use crate::common;

use std::collections::BTreeMap;

use crate::common::ask::bound;
use common::scheme::{Case, case, least};
use common::*;
use oneport_plan::inequality::{Cut, Inequality, Need, Tree};
use oneport_plan::{Certificate, Collective, Interval, Member, Message, Resource, Task, Volumes};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_referee::Rule;

/// Parts of this number of operands, short ones first.
fn intervals(operands: usize) -> Vec<Interval> {
    let all = |longer: usize| {
        (0..operands - longer).map(move |first| Interval {
            first,
            last: first + longer,
        })
    };
    (0..operands).flat_map(all).collect()
}

/// Everything that a scheme of the case may do, and its price.
fn tasks(case: &Case) -> Vec<(Task, Interval, Rational)> {
    let operands = case.collective.demand(0).unwrap().operands.len();
    let price = |resource: Resource| {
        case.certificate
            .price(resource)
            .cloned()
            .unwrap_or_default()
    };
    let mut all = Vec::new();
    for part in intervals(operands) {
        let size = case.volumes.size_of(Message { demand: 0, part });
        for (id, link) in case.platform.link_ids().zip(case.platform.links()) {
            all.push((
                Task::send(id, part),
                part,
                &size * &link.cost * price(Resource::Link(id)),
            ));
        }
        for node in case.platform.node_ids() {
            for split in part.first..part.last {
                let time = case.volumes.merge_time(&case.platform, node, part, split);
                all.push((
                    Task::merge(node, part, split),
                    part,
                    &time * price(Resource::Compute(node)),
                ));
            }
        }
    }
    all
}

/// Distribution of prices to the goals.
#[derive(Clone, Copy)]
enum Split {
    /// Some twelfths to each goal that the task may serve, perhaps not all twelve.
    Twelfths,
    /// Everything to one goal, the same for all tasks of a part.
    ByPart(u64),
    /// Everything to one goal, the same for all transfers to (and merges at) a node.
    ByNode(u64),
}

/// The price that a goal pays for a task.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Share {
    goal: usize,
    task: Task,
    price: Rational,
}

/// The trees of these shares, which are sorted.
fn trees(shares: &[Share]) -> Vec<Need> {
    let tree = |of_goal: &[Share]| {
        let prices = of_goal
            .iter()
            .map(|share| (share.task, share.price.clone()))
            .collect();
        Need::once(
            Some(0),
            Inequality::Tree(Tree {
                goal: of_goal[0].goal,
                prices,
            }),
        )
    };
    shares
        .chunk_by(|one, other| one.goal == other.goal)
        .map(tree)
        .collect()
}

/// Shares of the tasks' prices.
fn shares(dice: &mut Dice, case: &Case, split: Split) -> Vec<Share> {
    let goals = case.collective.demand(0).unwrap().goals();
    let mut shares = Vec::new();
    for (task, part, price) in tasks(case) {
        let mut rest = 12;
        let mut order: Vec<usize> = (0..goals.len())
            .filter(|&goal| part.last <= goals[goal].1.last)
            .collect();
        let node = match task {
            Task::Send { link, .. } => case.platform.link(link).to,
            Task::Merge { node, .. } => node,
        };
        match split {
            Split::Twelfths => dice.shuffle(&mut order),
            Split::ByPart(seed) => {
                Dice(seed + (part.first * 9 + part.last) as u64).shuffle(&mut order)
            }
            Split::ByNode(seed) => Dice(seed + node.index() as u64).shuffle(&mut order),
        }
        let last = order.last().copied();
        for goal in order {
            let taken = match split {
                Split::Twelfths if Some(goal) == last && dice.one_in(2) => rest,
                Split::Twelfths => dice.below(rest + 1),
                Split::ByPart(_) | Split::ByNode(_) => rest,
            };
            rest -= taken;
            if taken > 0 && price > whole(0) {
                shares.push(Share {
                    goal,
                    task,
                    price: &price * ratio(taken as i64, 12),
                });
            }
        }
    }
    shares.sort();
    shares
}

/// The cheapest trees of all goals under their shares, together: prices of all parts at all nodes, improved until
/// nothing changes.
fn naive_trees(case: &Case, shares: &[Share]) -> Rational {
    let demand = case.collective.demand(0).unwrap();
    let costs: BTreeMap<(usize, Task), &Rational> = shares
        .iter()
        .map(|share| ((share.goal, share.task), &share.price))
        .collect();
    let everything = tasks(case);
    let mut total = whole(0);
    for (goal, (node, wanted)) in demand.goals().into_iter().enumerate() {
        let mut prices: BTreeMap<(NodeId, Interval), Rational> = BTreeMap::new();
        for (operand, &owner) in demand.operands.iter().enumerate() {
            prices.insert(
                (
                    owner,
                    Interval {
                        first: operand,
                        last: operand,
                    },
                ),
                whole(0),
            );
        }
        loop {
            let before = prices.clone();
            for &(task, part, _) in &everything {
                let (at, inputs) = match task {
                    Task::Send { link, .. } => {
                        let link = case.platform.link(link);
                        (link.to, vec![(link.from, part)])
                    }
                    Task::Merge { node, split, .. } => {
                        let [left, right] = [(part.first, split), (split + 1, part.last)];
                        let half = |(first, last)| (node, Interval { first, last });
                        (node, vec![half(left), half(right)])
                    }
                };
                let Some(inputs) = inputs
                    .iter()
                    .map(|input| prices.get(input).cloned())
                    .collect::<Option<Vec<_>>>()
                else {
                    continue;
                };
                let price = inputs.into_iter().sum::<Rational>();
                let price = costs
                    .get(&(goal, task))
                    .map_or(price.clone(), |cost| &price + *cost);
                if prices.get(&(at, part)).is_none_or(|known| price < *known) {
                    prices.insert((at, part), price);
                }
            }
            if prices == before {
                break;
            }
        }
        total += &prices[&(node, wanted)];
    }
    total
}

/// The bound of shares is the sum of the cheapest trees, and at most the cost of the cheapest scheme. Shares only add.
#[test]
fn shares_are_priced_exactly() {
    let (mut cases, mut better, mut tight) = (0, 0, 0);
    for seed in 0..150 {
        let mut dice = Dice(seed);
        let mut case = case(&mut dice);
        if case.collective.is_commutative() || case.price == 0 {
            continue;
        }
        cases += 1;
        let (without, price) = (least(&case).unwrap_or_default(), whole(case.price as usize));
        let mut best = without.clone();
        for round in 0..15 {
            let random = dice.below(1_u64 << 40);
            let split = match round % 3 {
                0 => Split::Twelfths,
                1 => Split::ByPart(random),
                _ => Split::ByNode(random),
            };
            let shares = shares(&mut dice, &case, split);
            case.certificate.needs = trees(&shares);
            let trees = naive_trees(&case, &shares);
            assert!(trees <= price, "seed {seed}: {trees} {price}");
            let with = least(&case).unwrap_or_default();
            assert_eq!(with, without.clone().max(trees), "seed {seed}");
            best = best.max(with);
        }
        better += usize::from(best > without);
        tight += usize::from(best == price && best > without);
    }
    assert!(
        cases > 80 && better > 8 && tight > 4,
        "{cases}: {better} better, {tight} of them tight"
    );
}

/// A task that is charged more than its price is named, with both numbers.
#[test]
fn shares_above_the_price_are_refused() {
    let mut refused = 0;
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let case = case(&mut dice);
        if case.collective.is_commutative() {
            continue;
        }
        let full = shares(&mut dice, &case, Split::Twelfths);
        for (task, _, price) in tasks(&case) {
            let indices: Vec<usize> = (0..full.len())
                .filter(|&index| full[index].task == task)
                .collect();
            let charged: Rational = indices.iter().map(|&index| &full[index].price).sum();
            let Some(&raised) = indices.first() else {
                continue;
            };
            let mut raising = full.clone();
            // The full remaining price, and then slightly more.
            raising[raised].price += &price - &charged;
            let with = |shares: &[Share]| Certificate {
                needs: trees(shares),
                ..case.certificate.clone()
            };
            let proved = bound(
                &case.platform,
                &case.collective,
                &case.volumes,
                &with(&raising),
            );
            assert!(
                proved.is_ok() || broken(&proved, Rule::NoBound),
                "{proved:?}"
            );
            let more = ratio(1, 1000);
            raising[raised].price += &more;
            match bound(
                &case.platform,
                &case.collective,
                &case.volumes,
                &with(&raising),
            ) {
                Err(violation) if violation.rule() == Rule::Overcharge => {
                    let (told, charged) = (violation.to_string(), &price + &more);
                    assert!(told.contains(&format!(" charge {charged} for ")), "{told}");
                    assert!(told.ends_with(&format!("; it costs {price}")), "{told}");
                }
                other => panic!("{other:?}"),
            }
            refused += 1;
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn malformed_shares_are_refused_by_name() {
    let mut builder = Platform::builder();
    let ids = ["A", "B", "C"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    let [a, b, c] = ids;
    let r = builder.node(Node::router("r")).unwrap();
    for (from, to) in [(a, b), (b, c), (b, r)] {
        builder.duplex(from, to, ratio(1, 1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let ab = platform.link_between(a, b).unwrap();
    let scan = Collective::scan(ids.to_vec());
    let volumes = Volumes::of_size(ratio(1, 1));
    let prices: Vec<(Resource, Rational)> = ids
        .iter()
        .map(|&node| (Resource::Compute(node), ratio(1, 1)))
        .collect();
    let say = |collective: &Collective, needs: Vec<Need>| {
        let certificate = Certificate {
            needs,
            ..Certificate::of_prices(prices.clone())
        };
        match bound(&platform, collective, &volumes, &certificate) {
            Ok(bound) => bound.to_string(),
            Err(violation) => violation.to_string(),
        }
    };
    let part = |first, last| Interval { first, last };
    let merge = |node, (first, last), split| Task::merge(node, part(first, last), split);
    let transfer = |link, first, last| Task::send(link, part(first, last));
    let share = |goal, task, price| Share { goal, task, price };
    let tree = |goal, task, price| trees(&[share(goal, task, price)]).remove(0);
    // Three processors offer 3. One merge is for goal 1, and two for goal 2, of which one is the same.
    let honest = || {
        let mut shares = Vec::new();
        for node in ids {
            shares.push(share(1, merge(node, (0, 1), 0), ratio(1, 2)));
            shares.push(share(2, merge(node, (0, 1), 0), ratio(1, 2)));
            shares.push(share(2, merge(node, (1, 2), 1), ratio(1, 1)));
            shares.push(share(2, merge(node, (0, 2), 0), ratio(1, 1)));
            shares.push(share(2, merge(node, (0, 2), 1), ratio(1, 1)));
        }
        shares.sort();
        shares
    };
    assert_eq!(say(&scan, trees(&honest())), "3/2");
    let one = || ratio(1, 1);
    for (wrong, words) in [
        (
            Need {
                demand: None,
                ..tree(1, merge(a, (0, 1), 0), one())
            },
            "need 0 (tree): a tree names no demand; only a cut, or merges, may be of all demands",
        ),
        (
            Need {
                demand: Some(1),
                ..tree(1, merge(a, (0, 1), 0), one())
            },
            "need 0 (tree): demand 1 does not exist; an instance has 1, numbered from 0",
        ),
        (
            tree(3, merge(a, (0, 1), 0), one()),
            "need 0 (tree): goal 3 does not exist; the demand has 3, numbered from 0",
        ),
        (
            tree(1, merge(a, (0, 2), 0), one()),
            "need 0 (tree): v[0,2] is no task of the goal; the goal combines v[0,1]; list parts of it",
        ),
        (
            tree(2, merge(a, (1, 0), 0), one()),
            "need 0 (tree): v[1,0] is no task of the goal; the goal combines v[0,2]; list parts of it",
        ),
        (
            tree(2, merge(a, (0, 1), 1), one()),
            "need 0 (tree): a merge of v[0,1] after operand 1 is no task of the goal; the left part ends at one of its operands, but not at the last",
        ),
        (
            tree(2, merge(r, (0, 1), 0), one()),
            "need 0 (tree): a merge at 'r' is no task of the goal; the node is a router, which merges nothing",
        ),
        (
            tree(2, merge(NodeId::new(9), (0, 1), 0), one()),
            "need 0 (tree): the processor of node id 9: no such node; the platform has 4 nodes, numbered from 0",
        ),
        (
            tree(2, transfer(LinkId::new(6), 0, 1), one()),
            "need 0 (tree): the link id 6 does not exist; the platform has 6 links, numbered from 0",
        ),
        (
            tree(2, merge(a, (0, 1), 0), ratio(0, 1)),
            "need 0 (tree): price of a task is 0; a price must be positive (leave out what costs nothing)",
        ),
        (
            tree(
                2,
                merge(a, (0, 1), 0),
                Rational::new_raw(1.into(), 0.into()),
            ),
            "need 0 (tree): price of a task is 1/0; a price must be positive (leave out what costs nothing)",
        ),
        (
            tree(2, merge(a, (0, 1), 0), ratio(3, 2)),
            "the needs of scan charge 3/2 for the merge of v[0,0] and v[1,1] at 'A'; it costs 1",
        ),
        (
            tree(2, transfer(ab, 0, 0), ratio(1, 9)),
            "the needs of scan charge 1/9 for v[0,0] over link 'A -> B'; it costs 0",
        ),
    ] {
        assert_eq!(say(&scan, vec![wrong]), words);
    }
    // Charges of tasks and of transfers are not added up.
    let cut = Need::once(Some(0), Inequality::Cut(Cut { nodes: vec![a] }));
    let beside = say(&scan, vec![cut, tree(1, merge(a, (0, 1), 0), one())]);
    assert_eq!(
        beside,
        "demand 0 has trees beside other needs; list trees alone, or none"
    );
    let out_of_order = "need 0 (tree): its tasks are out of order; list them ascending, each once";
    let of_goal: Vec<Share> = honest()
        .into_iter()
        .filter(|share| share.goal == 2)
        .collect();
    for index in 1..of_goal.len() {
        let (mut swapped, mut twice) = (of_goal.clone(), of_goal.clone());
        swapped.swap(index - 1, index);
        twice.insert(index, twice[index].clone());
        assert_eq!(
            [swapped, twice].map(|shares| say(&scan, trees(&shares))),
            [out_of_order, out_of_order]
        );
    }
    let mut turned = trees(&honest());
    turned.reverse();
    assert_eq!(
        say(&scan, turned),
        "certificate: the needs are out of order; list them ascending, each once"
    );
    let share = || vec![tree(0, merge(a, (0, 1), 0), one())];
    for (collective, words) in [
        (
            Collective::all_reduce(ids.to_vec()),
            "need 0 (tree): the demand has no trees, since its operands may be combined in any order; leave it out",
        ),
        (
            Collective::all_reduce(vec![a, b]),
            "need 0 (tree): the demand has no trees, since its operands may be combined in any order; leave it out",
        ),
        (
            Collective::reduce(c, ids.to_vec()).in_order(),
            "need 0 (tree): the demand has no trees, since it has a single goal; leave it out",
        ),
        (
            Collective::broadcast(a, vec![b, c]),
            "need 0 (tree): the demand has no trees, since it combines nothing; leave it out",
        ),
    ] {
        assert_eq!(say(&collective, share()), words);
    }
}

/// Shares of one group do not affect the others.
#[test]
fn shares_of_groups_add_up() {
    let mut met = 0;
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let mut case = case(&mut dice);
        if case.collective.is_commutative() {
            continue;
        }
        case.certificate.needs = trees(&shares(&mut dice, &case, Split::Twelfths));
        let Some(least) = least(&case) else { continue };
        met += 1;
        let member = |rate| Member {
            collective: case.collective.clone(),
            rate,
        };
        let collective = Collective::Groups(vec![member(2), member(3)]);
        let mut certificate = case.certificate.clone();
        let others = case.certificate.needs.iter().map(|need| Need {
            demand: Some(1),
            ..need.clone()
        });
        certificate.needs.extend(others);
        let offered: Rational = certificate.prices().map(|(_, price)| price).sum();
        let both = bound(&case.platform, &collective, &case.volumes, &certificate).unwrap();
        assert_eq!(both, &offered / (&least * whole(5)));
    }
    assert!(met > 15, "{met}");
}

/// In every unit of prices and shares, they prove the same bound.
#[test]
fn the_unit_of_prices_and_shares_does_not_matter() {
    let (mut met, mut with_shares) = (0, 0);
    for seed in 0..300 {
        let mut dice = Dice(seed % 60);
        let mut case = case(&mut dice);
        if case.collective.is_commutative() {
            continue;
        }
        let without = least(&case);
        let split = if seed % 2 == 0 {
            Split::ByPart(seed)
        } else {
            Split::ByNode(seed)
        };
        case.certificate.needs = trees(&shares(&mut dice, &case, split));
        let ask = |certificate: &Certificate| {
            bound(&case.platform, &case.collective, &case.volumes, certificate).ok()
        };
        let right = ask(&case.certificate);
        for unit in [ratio(1, 7), ratio(5, 3), ratio(12, 1), ratio(9, 64)] {
            let mut other = case.certificate.clone();
            for (_, price) in &mut other.rows {
                *price *= &unit;
            }
            for need in &mut other.needs {
                need.weight *= &unit;
            }
            assert_eq!(ask(&other), right, "seed {seed}, {unit}");
        }
        met += usize::from(right.is_some());
        with_shares += usize::from(least(&case) > without);
    }
    assert!(met > 25 && with_shares > 3, "{met} {with_shares}");
}

/// This number of goals and operands is refused rather than priced for hours.
#[test]
fn shares_of_many_operands_are_refused() {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..120)
        .map(|i| {
            builder
                .node(Node::processor(format!("n{i}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    for pair in ids.windows(2) {
        builder
            .duplex(pair[0], pair[1], ratio(1, 1))
            .map(|_| ())
            .unwrap()
    }
    let platform = builder.build().unwrap();
    let scan = Collective::scan(ids.clone());
    let task = Task::merge(ids[0], Interval { first: 0, last: 1 }, 0);
    let needs = trees(&[Share {
        goal: 5,
        task,
        price: ratio(1, 1),
    }]);
    let certificate = Certificate::new([(Resource::Compute(ids[0]), ratio(1, 1))], [], needs);
    let refusal = bound(
        &platform,
        &scan,
        &Volumes::of_size(ratio(1, 1)),
        &certificate,
    );
    assert!(broken(&refusal, Rule::Certificate), "{refusal:?}");
    assert!(
        told(&refusal).starts_with("need 0 (tree): the trees of 120 operands take "),
        "{refusal:?}"
    );
}

/// The goals of a scan of a hundred operands on a ring: the refusal states the necessary work.
#[test]
fn programs_that_are_too_large_are_refused() {
    let count = 100;
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
    let platform = builder
        .build()
        .unwrap()
        .with_model(oneport_platform::PortModel::Links);
    let part = Interval { first: 0, last: 0 };
    let share = |goal| {
        let task = Task::send(LinkId::new(0), part);
        Share {
            goal,
            task,
            price: ratio(1, 4),
        }
    };
    let prices = platform
        .link_ids()
        .map(|link| (Resource::Link(link), ratio(1, 1)));
    let certificate = Certificate::new(prices, [], trees(&[share(1), share(2)]));
    let collective = Collective::scan(ids);
    let found = bound(
        &platform,
        &collective,
        &Volumes::of_size(ratio(1, 1)),
        &certificate,
    );
    // For each goal, n^3 / 6 splits at every node, and n^2 parts brought over all links, one node after the other.
    let steps = 100 * (166_666_u64 * 100 + 10_000 * (100 * 100 + 100));
    let limit = 1 << 27;
    let right = format!(
        "need 0 (tree): the trees of 100 operands take {steps} steps to check; the limit is {limit}; leave them out"
    );
    assert_eq!(told(&found), right);
}

/// Sizes, costs, work and prices in fractions: a share may be all that the task costs, and no thousandth more.
#[test]
fn shares_in_fractions_are_held_against_the_price() {
    let mut builder = Platform::builder();
    let [a, b] = ["A", "B"].map(|name| builder.node(Node::processor(name, ratio(5, 9))).unwrap());
    let (there, back) = builder.duplex(a, b, ratio(5, 7)).unwrap();
    let platform = builder
        .build()
        .unwrap()
        .with_model(oneport_platform::PortModel::Links);
    let amount = |numerator| oneport_plan::Amount::Constant(ratio(numerator, 5));
    let volumes = Volumes {
        size: amount(3),
        work: amount(2),
    };
    let computes = [a, b].map(|node| (Resource::Compute(node), ratio(1, 2)));
    let links = [there, back].map(|link| (Resource::Link(link), ratio(1, 3)));
    let collective = Collective::all_reduce(vec![a, b]).in_order();
    // A message takes 3/7 and costs 1/7, a merge takes 2/9 and costs 1/9.
    let tasks = [
        (Task::send(there, part(0, 0)), ratio(1, 7)),
        (Task::merge(b, part(0, 1), 0), ratio(1, 9)),
    ];
    for (task, price) in tasks {
        for (times, fits) in [
            (ratio(999, 1000), true),
            (ratio(1, 1), true),
            (ratio(1001, 1000), false),
        ] {
            let needs = trees(&[Share {
                goal: 1,
                task,
                price: &price * &times,
            }]);
            let certificate = Certificate::new(computes.iter().chain(&links).cloned(), [], needs);
            let found = bound(&platform, &collective, &volumes, &certificate);
            assert_eq!(found.is_ok(), fits, "{times}: {found:?}");
            assert!(fits || broken(&found, Rule::Overcharge), "{found:?}");
        }
    }
}
