//! Section 5 of RR-2004-32: the gadget's optimum, by the paper's own algorithm, against the platform's, by
//! enumeration.

use num_traits::One;
use oneport_lp::{Formulation, Options, Question, solve};
use oneport_plan::{Collective, CustomDemand, Problem, Volumes, Wanted};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_separation::gadget::{Gadget, GadgetError, GadgetLink, Part, gadget};
use oneport_separation::{Instance, SeparationError};
use oneport_watch::Watch;

use crate::common::naive::{Dice, check, processors, random};
use crate::common::ratio;

const MODELS: [PortModel; 4] = [
    PortModel::FullDuplex,
    PortModel::HalfDuplex,
    PortModel::Multiport,
    PortModel::Links,
];

fn on_gadget(platform: &Platform, gadget: &Gadget, collective: &Collective) -> Rational {
    let instance = Instance::of_gadget(platform, gadget, collective).expect("fits");
    let optimum = instance.optimum(&Watch::unlimited()).expect("solved");
    optimum.check(&instance).expect("proved");
    // Back on the platform: sets that its models allow, trees and paths that arrive.
    for (ways, _) in &optimum.weighted.patterns {
        for (message, links) in instance.messages().iter().zip(ways) {
            let way = gadget.way(platform, gadget.nodes[message.source].0, links);
            let arrives = |node: usize| {
                way.iter()
                    .any(|&link| platform.link(link).to.index() == node)
            };
            match message.target {
                Some(target) => assert!(arrives(target)),
                None => assert_eq!(way.len() + 1, platform.nodes().len()),
            }
        }
    }
    for (matching, _) in &optimum.weighted.matchings {
        let set = gadget.contracted(matching);
        for node in platform.node_ids() {
            let active = |links: &[_]| links.iter().filter(|link| set.contains(link)).count();
            let (sends, receives) = (
                active(platform.outgoing(node)),
                active(platform.incoming(node)),
            );
            let most = match platform.model_of(node) {
                PortModel::HalfDuplex => {
                    assert!(sends + receives <= 1);
                    1
                }
                PortModel::FullDuplex => 1,
                PortModel::Multiport => platform.node(node).ports.unwrap_or(1) as usize,
                PortModel::Links => usize::MAX,
            };
            assert!(sends.max(receives) <= most);
        }
    }
    optimum.weighted.value
}

fn collective(platform: &Platform, kind: u64) -> Collective {
    let mut all: Vec<NodeId> = platform.node_ids().collect();
    match kind % 4 {
        0 => Collective::broadcast(all.remove(0), all),
        1 => Collective::scatter(all.remove(0), all),
        2 => Collective::all_gather(all),
        _ => Collective::all_to_all(all),
    }
}

/// Nodes of every model, with 1 to 3 ports: equal optima for every gadget.
#[test]
fn the_optimum_is_the_same() {
    let (mut tried, mut shared, mut fewer) = (0, 0, 0);
    for seed in 0..96 {
        let mut dice = Dice::new(5000 + seed);
        // In a third of the cases a node serves two of three links at a time, and its neighbours one.
        let divided = seed % 3 == 0;
        let mut list = processors(if divided {
            4
        } else {
            3 + dice.below(if seed % 4 == 2 { 1 } else { 2 })
        });
        for (at, node) in list.iter_mut().enumerate() {
            node.model = Some(if divided {
                [PortModel::Multiport, MODELS[dice.below(2)]][at.min(1)]
            } else {
                MODELS[dice.below(4)]
            });
            node.ports = Some(if divided { 2 } else { 1 + dice.below(3) as u32 });
        }
        let extra = if divided { 24 } else { 2 + dice.below(8) };
        let platform = random(&mut dice, list, PortModel::FullDuplex, extra);
        let collective = collective(&platform, seed);
        match gadget(&platform) {
            Ok(gadget) => {
                let native = check(&platform, &collective, &Volumes::of_size(Rational::one()));
                assert_eq!(
                    on_gadget(&platform, &gadget, &collective),
                    native,
                    "seed {seed}"
                );
                tried += 1;
                let divided = |node: NodeId| {
                    let ports = platform.node(node).ports.unwrap_or(1) as usize;
                    platform.model_of(node) == PortModel::Multiport
                        && ports > 1
                        && ports < platform.outgoing(node).len()
                };
                fewer += usize::from(platform.node_ids().any(divided));
            }
            Err(GadgetError::Shared { .. }) => shared += 1,
        }
    }
    assert!(
        tried >= 80 && fewer >= 10,
        "{tried} tried, {fewer} with fewer ports than links, {shared} refused"
    );
}

/// Links `from -> to: cost` between full-duplex nodes.
fn full_duplex(nodes: usize, links: &[(usize, usize, i64)]) -> Platform {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = processors(nodes)
        .into_iter()
        .map(|node| builder.node(node).unwrap())
        .collect();
    for &(from, to, cost) in links {
        builder.link(ids[from], ids[to], ratio(cost, 1)).unwrap();
    }
    builder.build().unwrap()
}

/// As printed, figure 7 lacks the links from the core to the in-nodes.
fn as_printed(mut gadget: Gadget) -> Gadget {
    let nodes = gadget.nodes.clone();
    gadget
        .links
        .retain(|link| link.of.is_some() || nodes[link.to].1 != Part::In);
    gadget
}

/// The printed figure 7: a source, or a node of an exchange, has to fill its own in-node over a link.
#[test]
fn figure_7_needs_links_back() {
    let line = full_duplex(3, &[(0, 1, 1), (1, 2, 1), (1, 0, 1)]);
    let broadcast = collective(&line, 0);
    let right = gadget(&line).unwrap();
    assert_eq!(on_gadget(&line, &right, &broadcast), ratio(1, 1));
    let printed = Instance::of_gadget(&line, &as_printed(right), &broadcast).unwrap();
    assert_eq!(
        printed.optimum(&Watch::unlimited()).unwrap().weighted.value,
        ratio(1, 2)
    );

    // A source without incoming links: its in-node gets nothing.
    let out = full_duplex(2, &[(0, 1, 1)]);
    assert_eq!(
        on_gadget(&out, &gadget(&out).unwrap(), &collective(&out, 0)),
        ratio(1, 1)
    );

    let exchange = full_duplex(3, &[(0, 1, 1), (1, 2, 1), (1, 0, 1), (2, 1, 2), (2, 0, 3)]);
    let all = collective(&exchange, 2);
    let right = gadget(&exchange).unwrap();
    assert_eq!(on_gadget(&exchange, &right, &all), ratio(3, 10));
    let printed = Instance::of_gadget(&exchange, &as_printed(right), &all).unwrap();
    assert_eq!(
        printed.optimum(&Watch::unlimited()).unwrap().weighted.value,
        ratio(1, 5)
    );
}

fn divided(nodes: &[(&str, PortModel)], links: &[(usize, usize, i64)]) -> Platform {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = nodes
        .iter()
        .map(|&(name, model)| {
            let node = Node {
                model: Some(model),
                ports: Some(2),
                ..Node::processor(name, Rational::one())
            };
            builder.node(node).unwrap()
        })
        .collect();
    for &(from, to, cost) in links {
        builder.link(ids[from], ids[to], ratio(cost, 1)).unwrap();
    }
    builder.build().unwrap()
}

fn relays(gadget: &Gadget) -> usize {
    gadget
        .nodes
        .iter()
        .filter(|(_, part)| matches!(part, Part::Relay { .. }))
        .count()
}

/// Nodes of two ports with three links joined by links: with relays the optimum is the platform's, as printed it is
/// not.
#[test]
fn links_between_divided_nodes_have_relays() {
    let two = PortModel::Multiport;
    let links = [
        (0, 1, 1),
        (0, 2, 1),
        (0, 3, 1),
        (1, 2, 1),
        (1, 3, 1),
        (2, 1, 5),
        (3, 1, 5),
    ];
    let platform = divided(&[("a", two), ("b", two), ("c", two), ("d", two)], &links);
    let scatter = Collective::scatter(NodeId::new(0), vec![NodeId::new(1)]);
    let right = gadget(&platform).unwrap();
    assert_eq!(relays(&right), 3);
    assert_eq!(on_gadget(&platform, &right, &scatter), ratio(6, 5));
    // Without relays, every out-node joined to every in-node: two copies of a -> b at a time.
    let mut plain = right;
    let indices_of = |part: Part| -> Vec<usize> {
        let node = NodeId::new(usize::from(part == Part::In));
        let indices = 0..plain.nodes.len();
        indices
            .filter(|&index| plain.nodes[index] == (node, part))
            .collect()
    };
    let ends = [indices_of(Part::Out), indices_of(Part::In)];
    plain.links.retain(|link| link.of != Some(LinkId::new(0)));
    for (&from, &to) in ends[0]
        .iter()
        .flat_map(|from| ends[1].iter().map(move |to| (from, to)))
    {
        plain.links.push(GadgetLink {
            from,
            to,
            cost: Rational::one(),
            of: Some(LinkId::new(0)),
        });
    }
    let plain = Instance::of_gadget(&platform, &plain, &scatter).unwrap();
    assert_eq!(
        plain.optimum(&Watch::unlimited()).unwrap().weighted.value,
        ratio(2, 1)
    );
}

/// Random platforms of nodes with two ports and nodes of the other models that close no odd cycle.
#[test]
fn relays_change_no_optimum() {
    let (mut with, mut mattered) = (0, 0);
    for seed in 0..24 {
        let mut dice = Dice::new(7000 + seed);
        let mut list = processors(4);
        for node in &mut list {
            node.model = Some(if dice.below(4) == 0 {
                [PortModel::FullDuplex, PortModel::Links][dice.below(2)]
            } else {
                PortModel::Multiport
            });
            node.ports = Some(2);
        }
        let extra = 12 + dice.below(6);
        let platform = random(&mut dice, list, PortModel::FullDuplex, extra);
        let gadget = gadget(&platform).expect("ports in pairs have no odd cycle");
        if relays(&gadget) == 0 {
            continue;
        }
        with += 1;
        let collective = collective(&platform, seed);
        let native = check(&platform, &collective, &Volumes::of_size(Rational::one()));
        assert_eq!(
            on_gadget(&platform, &gadget, &collective),
            native,
            "seed {seed}"
        );
        // Without limits on ports it would have been easier.
        let mut builder = Platform::builder();
        for node in platform.nodes() {
            let model = Some(PortModel::Links);
            let free = Node {
                model,
                ports: None,
                ..node.clone()
            };
            builder.node(free).unwrap();
        }
        for link in platform.links() {
            builder.link(link.from, link.to, link.cost.clone()).unwrap();
        }
        let free = check(
            &builder.build().unwrap(),
            &collective,
            &Volumes::of_size(Rational::one()),
        );
        mattered += usize::from(free != native);
    }
    assert!(
        with >= 8 && mattered >= 4,
        "{with} with relays, in {mattered} ports matter"
    );
}

/// j and i serve two of three links, u is half-duplex: u, j's send ports and i's receive ports are an odd cycle. It is
/// refused, because relays promise 1/2 while 3/7 is the optimum.
#[test]
fn relays_would_break_an_odd_cycle() {
    let two = PortModel::Multiport;
    let links = [
        (0, 1, 1),
        (0, 2, 1),
        (0, 4, 1),
        (2, 1, 1),
        (3, 1, 1),
        (3, 5, 1),
    ];
    let nodes = |u| {
        [
            ("j", two),
            ("i", two),
            ("u", u),
            ("s", two),
            ("t", two),
            ("w", two),
        ]
    };
    let platform = divided(&nodes(PortModel::HalfDuplex), &links);
    let error = gadget(&platform).unwrap_err();
    assert!(
        error.to_string().starts_with(
            "'j -> i': 'j' sends over 2 of 3 links at a time and 'i' receives over 2 of 3; at one end"
        ),
        "{error}"
    );
    let routes = [(0, 1, 1), (0, 2, 1), (2, 1, 1), (0, 4, 2), (3, 1, 2)];
    let demand = |&(from, to, rate): &(usize, usize, u64)| CustomDemand {
        owners: vec![NodeId::new(from)],
        wanted: Wanted::At(vec![NodeId::new(to)]),
        commutative: false,
        rate,
    };
    let demands = Collective::Custom(routes.iter().map(demand).collect());
    let native = check(&platform, &demands, &Volumes::of_size(Rational::one()));
    // The gadget of two-ported nodes, with u's ports made one.
    let mut relayed = gadget(&divided(&nodes(two), &links)).unwrap();
    let u = NodeId::new(2);
    let core = |index: usize, nodes: &[(NodeId, Part)]| if nodes[index].0 == u { 2 } else { index };
    for link in &mut relayed.links {
        (link.from, link.to) = (
            core(link.from, &relayed.nodes),
            core(link.to, &relayed.nodes),
        );
    }
    relayed.links.retain(|link| link.from != link.to);
    let instance = Instance::of_gadget(&platform, &relayed, &demands).unwrap();
    let promised = instance
        .optimum(&Watch::unlimited())
        .unwrap()
        .weighted
        .value;
    assert_eq!((native, promised), (ratio(3, 7), ratio(1, 2)));
}

#[test]
fn another_platforms_gadget_is_refused() {
    let (one, other) = (
        full_duplex(2, &[(0, 1, 1)]),
        full_duplex(3, &[(0, 1, 1), (1, 2, 1)]),
    );
    let refused = Instance::of_gadget(&other, &gadget(&one).unwrap(), &collective(&other, 0));
    assert_eq!(
        refused,
        Err(SeparationError::OtherGadget {
            gadget: 2,
            platform: 3
        })
    );
}

/// The gadget as a platform of half-duplex nodes. In- and out-nodes are routers.
fn as_platform(platform: &Platform) -> (Platform, Vec<NodeId>) {
    let gadget = gadget(platform).unwrap();
    let mut builder = Platform::builder();
    builder.model(PortModel::HalfDuplex);
    for (at, (node, _)) in gadget.nodes.iter().enumerate() {
        let compute = if gadget.cores.contains(&at) {
            platform.node(*node).compute.clone()
        } else {
            None
        };
        builder
            .node(Node {
                compute,
                ..Node::router(format!("{}.{at}", platform.name(*node)))
            })
            .unwrap();
    }
    for link in &gadget.links {
        builder
            .link(
                NodeId::new(link.from),
                NodeId::new(link.to),
                link.cost.clone(),
            )
            .unwrap();
    }
    (
        builder.build().unwrap(),
        gadget.cores.into_iter().map(NodeId::new).collect(),
    )
}

/// The throughput of messages of size 3/2, by the solver.
fn answer(platform: &Platform, collective: &Collective) -> Rational {
    let problem = Problem::new(platform, collective, Volumes::of_size(ratio(3, 2))).unwrap();
    let options = Options::from(Formulation::Columns);
    let solution = solve(&Question::new(&problem), &options).expect("solved");
    oneport_referee::check_steady_state(&problem, &solution.steady_state, &Watch::unlimited())
        .unwrap();
    let bound =
        oneport_referee::bound(&problem, &solution.certificate, &Watch::unlimited()).unwrap();
    assert_eq!(
        bound, solution.steady_state.throughput,
        "{collective:?} {platform:?}"
    );
    bound
}

/// Section 5's claim, by the solver on both sides: a full-duplex platform and its gadget have equal throughputs.
#[test]
fn gadgets_are_platforms() {
    for seed in 0..24 {
        let dice = &mut Dice::new(seed);
        let native = random(dice, processors(3), PortModel::FullDuplex, 2);
        let (gadget, cores) = as_platform(&native);
        let all: Vec<NodeId> = native.processors().collect();
        let collective = |nodes: &[NodeId]| match seed % 4 {
            0 => Collective::broadcast(nodes[0], nodes[1..].to_vec()),
            1 => Collective::scatter(nodes[0], nodes[1..].to_vec()),
            2 => Collective::all_to_all(nodes.to_vec()),
            _ => Collective::reduce(nodes[0], nodes.to_vec()).in_order(),
        };
        let of_native = answer(&native, &collective(&all));
        assert_eq!(
            answer(&gadget, &collective(&cores)),
            of_native,
            "seed {seed}"
        );
    }
}
