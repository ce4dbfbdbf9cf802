//! Broadcast and all-gather to all nodes against a second formulation: flows of the throughput to every target, one
//! copy of each message counted (notes on RR-2004-32 section 4, exact if every node is a target, by Edmonds'
//! branchings). The branchings are built, too.

use crate::common;

use std::collections::BTreeSet;

use common::naive::{Dice, check_loads, maximum, processors, random, solved};
use num_traits::{One, Zero};
use oneport_exact::{Column, LinearProgram, Relation, Sense};
use oneport_lp::{Options, Question, solve};
use oneport_plan::{Certificate, Collective, Problem, Volumes};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational, whole};
use oneport_watch::Watch;

/// The throughput, and by source the part of its message that every link carries.
fn by_flows(
    platform: &Platform,
    sources: &[NodeId],
    size: &Rational,
) -> (Rational, Vec<Vec<Rational>>) {
    let one = Rational::one;
    let mut program = LinearProgram::new(Sense::Maximize);
    let throughput = program.add_column(one(), []).unwrap();
    let mut copies: Vec<Vec<Column>> = Vec::new();
    for &source in sources {
        let carried: Vec<Column> = platform
            .link_ids()
            .map(|_| program.add_column(Rational::zero(), []).unwrap())
            .collect();
        for target in platform.node_ids().filter(|&target| target != source) {
            let flow: Vec<Column> = platform
                .link_ids()
                .map(|_| program.add_column(Rational::zero(), []).unwrap())
                .collect();
            for (&flow, &carried) in flow.iter().zip(&carried) {
                program
                    .add_row_with(
                        Relation::AtMost,
                        Rational::zero(),
                        [(flow, one()), (carried, -one())],
                    )
                    .unwrap();
            }
            for node in platform.node_ids().filter(|&node| node != target) {
                let sent = platform
                    .outgoing(node)
                    .iter()
                    .map(|link| (flow[link.index()], one()));
                let got = platform
                    .incoming(node)
                    .iter()
                    .map(|link| (flow[link.index()], -one()));
                let own = (node == source).then(|| (throughput, -one()));
                program
                    .add_row_with(
                        Relation::Equal,
                        Rational::zero(),
                        sent.chain(got).chain(own),
                    )
                    .unwrap();
            }
        }
        copies.push(carried);
    }
    let busy = |links: &[LinkId]| -> Vec<(Column, Rational)> {
        let times = |&link: &LinkId| {
            let time = &platform.link(link).cost * size;
            copies
                .iter()
                .map(move |carried| (carried[link.index()], time.clone()))
        };
        links.iter().flat_map(times).collect()
    };
    for link in platform.link_ids() {
        program
            .add_row_with(Relation::AtMost, one(), busy(&[link]))
            .unwrap();
    }
    for node in platform.node_ids() {
        let ports = match platform.model_of(node) {
            PortModel::FullDuplex => 1,
            PortModel::Multiport => platform.node(node).ports.unwrap_or(1),
            PortModel::Links => continue,
            PortModel::HalfDuplex => panic!("flows are not enough for half-duplex nodes"),
        };
        for links in [platform.outgoing(node), platform.incoming(node)] {
            program
                .add_row_with(Relation::AtMost, whole(ports), busy(links))
                .unwrap();
        }
    }
    let (best, primal) = maximum(&program);
    let amounts = copies
        .iter()
        .map(|carried| carried.iter().map(|&column| primal.get(column)).collect())
        .collect();
    (best, amounts)
}

/// The cuts that the message has to cross: by their leaving links.
fn cuts(platform: &Platform, source: NodeId) -> Vec<Vec<LinkId>> {
    let nodes = platform.nodes().len();
    let inside = |set: usize, node: NodeId| set & (1 << node.index()) != 0;
    let leaving = |set: usize| {
        let leaves = |&link: &LinkId| {
            inside(set, platform.link(link).from) && !inside(set, platform.link(link).to)
        };
        platform.link_ids().filter(leaves).collect()
    };
    (0..(1 << nodes) - 1)
        .filter(|&set| inside(set, source))
        .map(leaving)
        .collect()
}

/// Packs branchings into capacities whose cuts are all worth the throughput at least. Their total equals the throughput
/// (Edmonds, with Lovasz's proof: a link may join the branching if no cut without slack is crossed twice).
fn pack(
    platform: &Platform,
    source: NodeId,
    mut room: Vec<Rational>,
    throughput: &Rational,
) -> usize {
    let cuts = cuts(platform, source);
    let mut left = throughput.clone();
    let mut branchings = 0;
    while !left.is_zero() {
        let worth =
            |cut: &Vec<LinkId>| cut.iter().map(|link| &room[link.index()]).sum::<Rational>();
        let slack: Vec<Rational> = cuts.iter().map(|cut| worth(cut) - &left).collect();
        assert!(slack.iter().all(|slack| *slack >= Rational::zero()));
        let crossings = |tree: &[LinkId], cut: &Vec<LinkId>| {
            tree.iter().filter(|link| cut.contains(link)).count()
        };
        let (mut tree, mut reached) = (Vec::new(), vec![source]);
        while reached.len() < platform.nodes().len() {
            let joins = |&link: &LinkId| {
                let ends = platform.link(link);
                let new = reached.contains(&ends.from) && !reached.contains(&ends.to);
                let longer = [&tree[..], &[link]].concat();
                let fits = || {
                    cuts.iter()
                        .zip(&slack)
                        .all(|(cut, slack)| !slack.is_zero() || crossings(&longer, cut) < 2)
                };
                new && !room[link.index()].is_zero() && fits()
            };
            let link = platform
                .link_ids()
                .find(joins)
                .expect("Lovasz: some link always may");
            tree.push(link);
            reached.push(platform.link(link).to);
        }
        // Links may have more room than is needed.
        let room_left = tree
            .iter()
            .map(|link| room[link.index()].clone())
            .min()
            .unwrap();
        let mut weight = room_left.min(left.clone());
        for (cut, slack) in cuts.iter().zip(&slack) {
            let again = crossings(&tree, cut) - 1;
            if again > 0 {
                weight = weight.min(slack / whole(again));
            }
        }
        assert!(weight > Rational::zero());
        for link in &tree {
            room[link.index()] -= &weight;
        }
        left -= weight;
        branchings += 1;
    }
    branchings
}

/// Both formulations agree, the library's patterns fit, and the flows are worth branchings.
fn check(platform: &Platform, collective: &Collective, sources: &[NodeId], size: &Rational) {
    let volumes = Volumes::of_size(size.clone());
    let solution = solved(platform, collective, &volumes);
    check_loads(platform, collective, &volumes, &solution);
    let (throughput, amounts) = by_flows(platform, sources, size);
    assert_eq!(
        solution.steady_state.throughput, throughput,
        "{collective:?} {platform:?}"
    );
    for (&source, amounts) in sources.iter().zip(amounts) {
        assert!(pack(platform, source, amounts, &throughput) > 0);
    }
}

fn broadcast(platform: &Platform, source: usize) -> Collective {
    let source = NodeId::new(source);
    Collective::broadcast(
        source,
        platform.node_ids().filter(|&node| node != source).collect(),
    )
}

/// Nodes of one model, with one to three ports, or of all three models.
fn platform(seed: u64, nodes: usize, extra: usize) -> Platform {
    let mut dice = Dice::new(seed);
    let models = [
        PortModel::FullDuplex,
        PortModel::Links,
        PortModel::Multiport,
    ];
    let mut list = processors(nodes);
    for node in &mut list {
        node.ports = Some(1 + dice.below(3) as u32);
        node.model = (seed % 4 == 3).then(|| models[dice.below(3)]);
    }
    random(&mut dice, list, models[seed as usize % 4 % 3], extra)
}

#[test]
fn broadcasts_are_as_fast_as_flows() {
    for seed in 0..60 {
        let mut dice = Dice::new(1000 + seed);
        let nodes = 3 + dice.below(5);
        let platform = platform(seed, nodes, 2 * nodes);
        let source = dice.below(nodes);
        check(
            &platform,
            &broadcast(&platform, source),
            &[NodeId::new(source)],
            &dice.cost(),
        );
    }
}

#[test]
fn all_gathers_are_as_fast_as_flows() {
    for seed in 0..32 {
        let mut dice = Dice::new(2000 + seed);
        let nodes = 3 + dice.below(3);
        let platform = platform(seed, nodes, nodes);
        let participants: Vec<NodeId> = platform.node_ids().collect();
        let collective = Collective::all_gather(participants.clone());
        check(&platform, &collective, &participants, &dice.cost());
    }
}

/// Eleven targets and eighteen nodes that may help: cheapest arborescences are hard to find, and the best prices have
/// many ties. The certificate's cuts nearly always prove the whole bound of the solver. It is never less than the bound
/// that the referee finds alone, and sometimes more.
#[test]
fn multicasts_to_many_are_proved_by_cuts() {
    let (mut proved, mut gained, size) = (0, 0, Volumes::of_size(Rational::one()));
    for seed in 0..12 {
        let platform = hard(&mut Dice::new(3000 + seed));
        let collective = Collective::broadcast(NodeId::new(0), (1..12).map(NodeId::new).collect());
        let question = Question::new(&Problem::new(&platform, &collective, &size).unwrap());
        let solution = solve(&question, &Options::default()).unwrap();
        let bound = |certificate| {
            oneport_referee::bound(
                &Problem::new(&platform, &collective, &size).unwrap(),
                &certificate,
                &Watch::unlimited(),
            )
            .unwrap()
        };
        assert!(!solution.certificate.needs.is_empty());
        let by_itself = bound(Certificate {
            needs: Vec::new(),
            ..solution.certificate.clone()
        });
        let by_cuts = bound(solution.certificate);
        assert!(
            solution.upper_bound <= by_cuts && by_cuts <= by_itself,
            "{by_cuts} {by_itself}"
        );
        proved += usize::from(by_cuts == solution.upper_bound);
        gained += usize::from(by_cuts < by_itself);
    }
    assert!(
        proved > 8 && gained > 0,
        "of 12, {proved} are proved, and {gained} would not be without cuts"
    );
}

/// Thirty half-duplex nodes with four links each, of equal times except around the source and into the targets, which
/// are fast, and two nodes without outgoing or incoming links.
fn hard(dice: &mut Dice) -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::HalfDuplex);
    let ids: Vec<NodeId> = processors(30)
        .into_iter()
        .map(|node| builder.node(node).unwrap())
        .collect();
    let mut pairs: BTreeSet<(usize, usize)> =
        (1..30).map(|node| (dice.below(node), node)).collect();
    while pairs.len() < 60 {
        let (one, other) = (dice.below(30), dice.below(30));
        if one != other {
            pairs.insert((one.min(other), one.max(other)));
        }
    }
    for (one, other) in pairs {
        for (from, to) in [(one, other), (other, one)] {
            let mut cost = 12 * (1 + dice.below(2) as i64);
            cost /= if from == 0 || to == 0 { 6 } else { 1 };
            cost /= if (1..12).contains(&to) { 2 } else { 1 };
            builder.link(ids[from], ids[to], whole(cost)).unwrap();
        }
    }
    for (name, leads) in [("end", false), ("spring", true)] {
        let aside = builder
            .node(Node::processor(name, Rational::one()))
            .unwrap();
        for &node in &ids {
            let (from, to) = if leads { (aside, node) } else { (node, aside) };
            builder.link(from, to, Rational::one()).unwrap();
        }
    }
    builder.build().unwrap()
}
