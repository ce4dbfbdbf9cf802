//! The upper bound of all-reduces: compared with compositions, and its certificate added up again by a twin that shares
//! no code with the library, and by the referee.

use crate::common;

use common::naive::Dice;
use common::ratio;
use num_traits::{Signed, Zero};
use oneport_lp::{Options, Question, Solution, Until, all_reduce_bound, solve};
use oneport_plan::inequality::{Direction, Exchange, Inequality, Keeps};
use oneport_plan::{Amount, Certificate, Collective, Problem, Resource, Status, Volumes};
use oneport_platform::generate::{self, Racks};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational, whole};
use oneport_watch::Watch;

/// Merges take `work`.
fn volumes(work: i64) -> Volumes {
    Volumes {
        work: Amount::Constant(ratio(work, 1)),
        ..Volumes::of_size(ratio(1, 1))
    }
}

fn all_reduce(participants: Vec<NodeId>) -> Collective {
    Collective::all_reduce(participants)
}

/// The answer. Its bound is that of `all_reduce_bound`, and the one that twin and referee find in the certificate.
#[track_caller]
fn checked(platform: &Platform, participants: Vec<NodeId>, volumes: &Volumes) -> Solution {
    let collective = all_reduce(participants.clone());
    let question = Question::new(&Problem::new(platform, &collective, volumes).unwrap());
    let Ok(solution) = solve(&question, &Options::default()) else {
        panic!("{platform:?} cannot be answered")
    };
    let (reached, bound) = (&solution.steady_state.throughput, &solution.upper_bound);
    assert!(
        bound >= reached,
        "{platform:?}: {reached} is reached, {bound} is claimed to be a bound"
    );
    let proved = oneport_referee::bound(
        &Problem::new(platform, &collective, volumes).unwrap(),
        &solution.certificate,
        &Watch::unlimited(),
    )
    .unwrap();
    if solution.status == Status::Optimal {
        assert_eq!(
            (&proved, bound),
            (bound, reached),
            "{platform:?}: {:?}",
            solution.certificate
        );
    }
    assert!(
        proved >= *reached && proved <= *bound,
        "{platform:?}: {proved} proved, {bound} claimed"
    );
    if solution
        .certificate
        .needs
        .iter()
        .any(|need| !matches!(need.inequality, Inequality::Cut(_)))
    {
        let added = twin(platform, &participants, volumes, &solution.certificate);
        assert_eq!(added, proved, "{platform:?}: {:?}", solution.certificate);
    }
    solution
}

/// The certificate, added up from its definition. Only for few parts and nodes if there are exchanges.
fn twin(
    platform: &Platform,
    participants: &[NodeId],
    volumes: &Volumes,
    certificate: &Certificate,
) -> Rational {
    let price = |wanted: Resource| certificate.price(wanted).cloned().unwrap_or_default();
    let size = volumes.size.constant().unwrap();
    for link in platform.link_ids() {
        let mut of_time: Rational = Resource::uses(platform, link)
            .map(|used| used.resource)
            .map(price)
            .sum();
        for (set, price) in certificate.odd_sets() {
            if set.members(platform).contains(&link) {
                of_time += price;
            }
        }
        let charged = charged(platform, link, certificate);
        let cost = &platform.link(link).cost;
        assert!(
            charged <= size * cost * of_time,
            "{platform:?}: {} is overcharged",
            platform.link_name(link)
        );
    }
    // The merges have their least number, at the node that charges the least. So does the joining node.
    let mut instance = Rational::zero();
    let holding = |node: NodeId| -> Rational {
        let holds = certificate.needs.iter();
        let holds =
            holds.filter(|need| matches!(&need.inequality, Inequality::Gathering(one) if one.nodes.contains(&node)));
        holds.map(|need| &need.weight).sum()
    };
    for need in &certificate.needs {
        let least = match &need.inequality {
            Inequality::Border(one) if one.sets.len() == 1 => ratio(1, 1),
            Inequality::Border(one) => ratio(2 * (one.sets.len() as i64 - 1), 1),
            Inequality::Gathering(one) => ratio(
                2 - participants
                    .iter()
                    .filter(|node| one.nodes.contains(node))
                    .count() as i64,
                1,
            ),
            Inequality::Exchange(one) => exchanged(platform, one),
            _ => Rational::zero(),
        };
        instance += &need.weight * least;
    }
    let merge = |node: NodeId| {
        let time = platform.node(node).compute.as_ref().unwrap() * volumes.work.constant().unwrap();
        time * price(Resource::Compute(node)) + holding(node)
    };
    instance +=
        platform.processors().map(merge).min().unwrap() * ratio(participants.len() as i64 - 1, 1);
    instance -= platform.processors().map(holding).max().unwrap();
    let own = certificate
        .prices()
        .map(|(one, price)| price * ratio(one.capacity(platform), 1));
    let sets = certificate
        .odd_sets()
        .map(|(set, price)| price * ratio(set.capacity(platform) as i64, 1));
    own.chain(sets).sum::<Rational>() / instance
}

/// The charge of a link by borders, gatherings, balances and exchanges.
fn charged(platform: &Platform, link: LinkId, certificate: &Certificate) -> Rational {
    let ends = platform.link(link);
    let mut charged = Rational::zero();
    for need in &certificate.needs {
        let times = match &need.inequality {
            Inequality::Border(one) => {
                let crossed = one
                    .sets
                    .iter()
                    .filter(|set| crosses(set, ends.from, ends.to, one.direction));
                whole(crossed.count())
            }
            Inequality::Gathering(one) => whole(u8::from(crosses(
                &one.nodes,
                ends.from,
                ends.to,
                Direction::Into,
            ))),
            Inequality::Balance(one) => {
                let out = i64::from(one.node == ends.from) - i64::from(one.node == ends.to);
                ratio(
                    if one.keeps == Keeps::AllThatArrives {
                        out
                    } else {
                        -out
                    },
                    1,
                )
            }
            Inequality::Exchange(one) => one
                .lengths
                .iter()
                .filter(|(other, _)| *other == link)
                .map(|(_, length)| length)
                .sum(),
            _ => Rational::zero(),
        };
        charged += &need.weight * times;
    }
    charged
}

fn crosses(set: &[NodeId], from: NodeId, to: NodeId, direction: Direction) -> bool {
    match direction {
        Direction::Into => set.contains(&to) && !set.contains(&from),
        Direction::OutOf => set.contains(&from) && !set.contains(&to),
    }
}

/// The exchange theorem by shortest paths between all pairs (Floyd and Warshall) and every choice of junctions and
/// arcs.
fn exchanged(platform: &Platform, exchange: &Exchange) -> Rational {
    let turned = exchange.direction == Direction::OutOf;
    let part = |node: NodeId| exchange.parts.iter().position(|part| part.contains(&node));
    let merges = |node: NodeId| {
        if turned {
            platform.node(node).replicates
        } else {
            platform.node(node).is_processor()
        }
    };
    let copies = |node: NodeId| {
        if turned {
            platform.node(node).is_processor()
        } else {
            platform.node(node).replicates
        }
    };
    let nodes: Vec<NodeId> = platform.node_ids().collect();
    let between = |inner: &dyn Fn(NodeId) -> bool| {
        let mut paths: Vec<Vec<Option<Rational>>> = vec![vec![None; nodes.len()]; nodes.len()];
        for link in platform.link_ids() {
            let (mut from, mut to) = (
                platform.link(link).from.index(),
                platform.link(link).to.index(),
            );
            if turned {
                std::mem::swap(&mut from, &mut to);
            }
            let length = exchange.lengths.iter().find(|(other, _)| *other == link);
            paths[from][to] =
                Some(length.map_or_else(Rational::zero, |(_, length)| length.clone()));
        }
        for &over in nodes.iter().filter(|&&node| inner(node)) {
            for from in 0..nodes.len() {
                for to in 0..nodes.len() {
                    let sum = paths[from][over.index()]
                        .clone()
                        .zip(paths[over.index()][to].clone());
                    let sum = sum.map(|(one, two)| one + two);
                    if sum.is_some() && (paths[from][to].is_none() || sum < paths[from][to]) {
                        paths[from][to] = sum;
                    }
                }
            }
        }
        paths
    };
    let gathering = between(&|node| part(node).is_none() && !merges(node));
    let entering = between(&|node| part(node).is_none() && !copies(node));
    let entrance = |own: usize| {
        let starts = |node: NodeId| part(node).map_or(copies(node), |other| other != own);
        let pairs = nodes
            .iter()
            .filter(|&&from| starts(from))
            .flat_map(|&from| nodes.iter().map(move |&to| (from, to)));
        let ends = pairs.filter(|(_, to)| part(*to) == Some(own));
        ends.filter_map(|(from, to)| entering[from.index()][to.index()].clone())
            .min()
            .unwrap()
    };
    let entrances: Vec<Rational> = (0..exchange.parts.len()).map(entrance).collect();
    let junctions: Vec<NodeId> = nodes
        .iter()
        .copied()
        .filter(|&node| part(node).is_none() && merges(node))
        .collect();
    let mut best: Option<Rational> = None;
    for chosen in 0..1usize << junctions.len() {
        let mut hubs: Vec<Vec<NodeId>> = exchange.parts.clone();
        hubs.extend(
            junctions
                .iter()
                .enumerate()
                .filter(|(at, _)| chosen >> at & 1 == 1)
                .map(|(_, &node)| vec![node]),
        );
        let near = |from: &[NodeId], to: &[NodeId]| {
            let pairs = from
                .iter()
                .flat_map(|one| to.iter().map(move |other| (one.index(), other.index())));
            pairs
                .filter_map(|(one, other)| gathering[one][other].clone())
                .min()
        };
        let arcs: Vec<Vec<Option<Rational>>> = hubs
            .iter()
            .map(|from| hubs.iter().map(|to| near(from, to)).collect())
            .collect();
        for root in 0..exchange.parts.len() {
            let others: Rational = entrances
                .iter()
                .enumerate()
                .filter(|(part, _)| *part != root)
                .map(|(_, one)| one)
                .sum();
            if let Some(tree) = into(&arcs, root) {
                let all = tree + others;
                best = Some(best.map_or(all.clone(), |known| known.min(all)));
            }
        }
    }
    best.unwrap()
}

/// The cheapest arborescence of all nodes into the root: every node but the root has a next one. Tries all choices, cut
/// short.
fn into(arcs: &[Vec<Option<Rational>>], root: usize) -> Option<Rational> {
    fn choose(
        arcs: &[Vec<Option<Rational>>],
        root: usize,
        next: &mut Vec<usize>,
        sum: Rational,
        best: &mut Option<Rational>,
    ) {
        if best.as_ref().is_some_and(|best| sum >= *best) {
            return;
        }
        let from = next.len();
        if from == arcs.len() {
            *best = Some(sum);
            return;
        }
        if from == root {
            next.push(root);
            choose(arcs, root, next, sum, best);
            next.pop();
            return;
        }
        for to in (0..arcs.len()).filter(|&to| to != from) {
            let Some(length) = &arcs[from][to] else {
                continue;
            };
            // No cycle among the choices.
            let mut at = to;
            while at < from && at != root {
                at = next[at];
            }
            if at != from {
                next.push(to);
                choose(arcs, root, next, &sum + length, best);
                next.pop();
            }
        }
    }
    let mut best = None;
    choose(arcs, root, &mut Vec::new(), Rational::zero(), &mut best);
    best
}

/// A switch that takes no part, merges passing messages and does not copy: results of two hosts may share its path to
/// the third.
#[test]
fn a_switch_that_merges_may_be_shared() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let hosts: Vec<NodeId> = ["a", "b", "c"]
        .map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap())
        .to_vec();
    let hub = builder
        .node(Node {
            replicates: false,
            ..Node::processor("h", ratio(1, 1))
        })
        .unwrap();
    for &host in &hosts {
        builder.link(host, hub, ratio(1, 2)).unwrap();
        builder.link(hub, host, ratio(1, 1)).unwrap();
    }
    let solution = checked(&builder.build().unwrap(), hosts, &volumes(1));
    assert_eq!(
        (solution.upper_bound, solution.status),
        (ratio(1, 1), Status::Optimal)
    );
}

/// Nodes of every kind outside: the bound holds for the throughput of compositions, and twin and referee find it in the
/// certificate.
#[test]
fn bounds_hold_with_nodes_of_every_kind_outside() {
    let mut optimal = 0;
    for seed in 0..240 {
        let mut dice = Dice::new(seed);
        let members = 2 + dice.below(3);
        let mut list: Vec<Node> = (0..members)
            .map(|at| Node::processor(format!("p{at}"), dice.cost()))
            .collect();
        for at in 0..dice.below(3) {
            let name = format!("x{at}");
            let node = if dice.below(2) == 0 {
                Node::router(name)
            } else {
                Node::processor(name, dice.cost())
            };
            list.push(Node {
                replicates: dice.below(2) == 0,
                ..node
            });
        }
        for node in &mut list {
            node.ports = Some(1 + dice.below(2) as u32);
        }
        let extra = 3 + dice.below(8);
        let platform =
            common::naive::random(&mut dice, list, PortModel::ALL[seed as usize % 4], extra);
        let members: Vec<NodeId> = platform.node_ids().take(members).collect();
        let solution = checked(&platform, members, &volumes((seed % 3 % 2) as i64));
        optimal += usize::from(solution.status == Status::Optimal);
    }
    assert!(optimal >= 225, "{optimal} of 240 optimal");
}

/// The shape and costs of a cluster of up to `hosts` hosts.
fn cluster(seed: u64, model: PortModel, hosts: usize) -> Platform {
    let mut dice = Dice::new(seed);
    let racks = 2 + dice.below(4);
    let shape = Racks {
        racks,
        hosts: (2, hosts / racks),
        spines: 1 + dice.below(2),
        copying: dice.below(2) == 1,
        model,
    };
    generate::racks(
        &shape,
        &generate::Options {
            seed,
            ..Default::default()
        },
    )
    .unwrap()
}

/// Merges take about as long as transfers: a merging node has to receive, and may be slow at either.
#[test]
fn clusters_that_merge_slowly_are_optimal() {
    let mut gathered = 0;
    for seed in 0..12 {
        let platform = cluster(
            seed,
            if seed < 10 {
                PortModel::Links
            } else {
                PortModel::FullDuplex
            },
            14,
        );
        let solution = checked(&platform, platform.processors().collect(), &volumes(1));
        assert_eq!(solution.status, Status::Optimal, "seed {seed}");
        let needs = &solution.certificate.needs;
        gathered += usize::from(
            needs
                .iter()
                .any(|need| matches!(need.inequality, Inequality::Gathering(_))),
        );
    }
    // On the other platforms counting is enough.
    assert!(gathered >= 2, "{gathered}");
}

/// Every merge needs a transfer: two enter `a`. Counting would allow 3/4.
#[test]
fn one_fast_processor_receives_everything() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let switch = builder
        .node(Node {
            replicates: false,
            ..Node::router("switch")
        })
        .unwrap();
    for (name, compute) in [
        ("a", ratio(1, 1000)),
        ("b", ratio(1000, 1)),
        ("c", ratio(1000, 1)),
    ] {
        let host = builder.node(Node::processor(name, compute)).unwrap();
        builder.duplex(host, switch, ratio(1, 1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let solution = checked(&platform, platform.processors().collect(), &volumes(1));
    assert_eq!(solution.status, Status::Optimal);
    assert!(
        solution.upper_bound >= ratio(1, 2) && solution.upper_bound < ratio(51, 100),
        "{}",
        solution.upper_bound
    );
}

/// Racks of unequal hosts under every port model, switches that copy or not.
#[test]
fn clusters_are_optimal() {
    for seed in 0..24 {
        let platform = cluster(seed, PortModel::ALL[seed as usize % 4], 20);
        let solution = checked(&platform, platform.processors().collect(), &volumes(0));
        assert_eq!(solution.status, Status::Optimal, "seed {seed}");
    }
}

/// Accelerators in boxes and networks of hosts: the bound meets the throughput of compositions. Four boxes of A100 in
/// closed form: 8 links of 25 into each, 4 x 200 / 2 (4 - 1).
#[test]
fn fabrics_are_optimal() {
    let fabrics = [
        (generate::dgx1(), None),
        (generate::ndv2(2), Some(ratio(25, 2))),
        (generate::mi250(1), Some(ratio(1200, 7))),
        (generate::mi250(2), Some(ratio(2656, 15))),
        (generate::dgx_a100(1), None),
        (generate::dgx_a100(2), None),
        (generate::dgx_a100(4), Some(ratio(400, 3))),
        (generate::dgx_h100(2), None),
        (generate::torus(&[4, 4]), None),
        (generate::fat_tree(4), None),
        (generate::dragonfly(5, 4, 1), None),
    ];
    for (platform, value) in fabrics {
        let platform = platform.unwrap();
        let solution = checked(&platform, platform.processors().collect(), &volumes(0));
        assert_eq!(solution.status, Status::Optimal, "{:?}", platform.nodes());
        assert!(
            value.is_none_or(|value| value == solution.upper_bound),
            "{}",
            solution.upper_bound
        );
    }
}

/// Four fast hosts and four slow ones behind one-port switches. Eight transfers per instance have to pass the slow
/// switch's send port, and every slow host's link has to be used: 4 x 8 + 4 x 8/5.
#[test]
fn a_slow_rack_behind_a_one_port_switch() {
    let mut builder = Platform::builder();
    let core = builder
        .node(Node {
            replicates: false,
            ..Node::router("core")
        })
        .unwrap();
    for (rack, host_cost, core_cost) in [
        ("a", ratio(4, 5), ratio(1, 5)),
        ("b", ratio(8, 1), ratio(8, 5)),
    ] {
        let switch = builder
            .node(Node::router(format!("switch-{rack}")))
            .unwrap();
        builder.duplex(switch, core, core_cost).unwrap();
        for host in 0..4 {
            let host = builder
                .node(Node::processor(format!("{rack}{host}"), ratio(1, 4)))
                .unwrap();
            builder.duplex(host, switch, host_cost.clone()).unwrap();
        }
    }
    let platform = builder.build().unwrap();
    let solution = checked(&platform, platform.processors().collect(), &volumes(0));
    assert_eq!(
        (solution.upper_bound, solution.status),
        (ratio(5, 192), Status::Optimal)
    );
}

/// If merges are the bottleneck, the bound includes them.
#[test]
fn compute_counts() {
    let slow = generate::Options {
        compute: generate::Costs::Constant(ratio(100, 1)),
        link_cost: generate::Costs::Constant(ratio(1, 1)),
        ..Default::default()
    };
    for model in PortModel::ALL {
        let platform = generate::complete(4, &slow).unwrap().with_model(model);
        let solution = checked(&platform, platform.processors().collect(), &volumes(1));
        // Three merges per instance, four processors.
        assert_eq!(
            (solution.upper_bound, solution.status),
            (ratio(4, 300), Status::Optimal),
            "{model}"
        );
    }
}

/// A search that may end early at a sufficient bound returns a bound that no throughput exceeds.
#[test]
fn a_bound_never_falls_below_what_is_reached() {
    for seed in 0..8 {
        let options = generate::Options {
            seed,
            ..Default::default()
        };
        let platform = generate::random_connected(6, 3, &options)
            .unwrap()
            .with_model(PortModel::ALL[seed as usize % 4]);
        let (collective, volumes) = (all_reduce(platform.processors().collect()), volumes(0));
        let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
        let ask = |enough: &Rational| {
            all_reduce_bound(&question, &Until::proved(enough))
                .unwrap()
                .unwrap()
                .throughput
        };
        // With an impossible request, it proves the best bound it can.
        let (least, one) = (ask(&ratio(1, 1_000_000)), ask(&ratio(1_000_000, 1)));
        assert!(least.is_positive() && least <= one, "{least} {one}");
        assert_eq!(ask(&ratio(0, 1)), least);
        let Ok(solution) = solve(&question, &Options::default()) else {
            panic!("seed {seed}")
        };
        assert!(
            least >= solution.steady_state.throughput,
            "{least} {:?}",
            solution.steady_state.throughput
        );
    }
}

/// Sizes that grow and costs that nearly tie: on the way, a round's exchanges may cost less than in the program, down
/// to nothing. That round proves nothing, and the next ones do.
#[test]
fn rounds_that_prove_nothing_are_passed_over() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let ids = ["a", "b", "c"].map(|name| builder.node(Node::processor(name, ratio(1, 1))).unwrap());
    let tie = |more: i64| ratio(1_000_000_000 + more, 1_000_000_000);
    for (from, to, more) in [(1, 2, 0), (2, 1, 1), (0, 1, -1), (1, 0, -1)] {
        builder.link(ids[from], ids[to], tie(more)).unwrap();
    }
    let platform = builder.build().unwrap();
    let collective = Collective::all_reduce(ids.to_vec()).in_order();
    let size = Amount::Affine {
        fixed: ratio(1, 2),
        per_operand: ratio(2, 1),
    };
    let volumes = Volumes {
        size,
        work: Amount::Constant(ratio(0, 1)),
    };
    let question = Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
    let solution = solve(&question, &Options::default()).unwrap();
    // Every link carries 5/2 at least, once. The composition's result is larger.
    assert!(solution.upper_bound >= solution.steady_state.throughput);
    let proved = oneport_referee::bound(
        &Problem::new(&platform, &collective, &volumes).unwrap(),
        &solution.certificate,
        &Watch::unlimited(),
    );
    assert_eq!(proved, Ok(solution.upper_bound));
}
