//! A small run of the harness, and false bounds that it has to catch.

use num_traits::One;
use oneport_lp::{Options, Question, solve};
use oneport_plan::CapacityRow;
use oneport_plan::inequality::{Inequality, Need};
use oneport_plan::{Amount, Certificate, Collective, Goals, Problem, Volumes};
use oneport_platform::{
    Change, Node, NodeId, Number, Platform, PortModel, Rational, SharedId, ratio, whole,
};
use oneport_referee::Watch;
use oneport_referee::{Violation, proof};
use oneport_truth::certificates::CertificateKind;
use oneport_truth::check::{Bound, Checked, Effort, Verdict, check, referee};
use oneport_truth::draw::Draw;
use oneport_truth::sample::{Sample, sample};
use oneport_truth::throughput::Oracle;

/// The checks of this number of problems.
fn run(seed: u64, instances: u64, solver: bool, bound: Bound<'_>) -> Vec<(Sample, Checked)> {
    (0..instances)
        .flat_map(|instance| run_one(seed, instance, solver, bound))
        .collect()
}

fn run_one(seed: u64, instance: u64, solver: bool, bound: Bound<'_>) -> Vec<(Sample, Checked)> {
    let mut draw = Draw::new(seed, instance);
    let question = sample(&mut draw);
    let effort = Effort {
        certificates: 1,
        solver,
        states: 10_000,
    };
    check(&mut draw, &question, effort, bound)
        .into_iter()
        .map(|one| (question.clone(), one))
        .collect()
}

fn wrong(results: &[(Sample, Checked)]) -> Vec<&(Sample, Checked)> {
    results
        .iter()
        .filter(|(_, one)| matches!(one.verdict, Verdict::Wrong(_)))
        .collect()
}

#[track_caller]
fn check_all_hold(results: &[(Sample, Checked)]) {
    if let Some((question, one)) = wrong(results).first() {
        panic!("{:?}: {one:?}\n{question:?}", one.verdict);
    }
}

#[test]
fn every_bound_holds() {
    let results = run(1, 1500, false, &referee);
    check_all_hold(&results);
    let given_up = results
        .iter()
        .filter(|(_, one)| one.verdict == Verdict::GivenUp)
        .count();
    assert!(
        given_up * 20 < results.len(),
        "{given_up} of {} given up",
        results.len()
    );
    for kind in [
        CertificateKind::Prices,
        CertificateKind::OddSets,
        CertificateKind::Cuts,
        CertificateKind::Shares,
        CertificateKind::Crossings,
    ] {
        let caught = |tight: bool| {
            let holds = Verdict::Holds { tight };
            results
                .iter()
                .filter(|(_, one)| one.kind == Some(kind) && one.verdict == holds)
                .count()
        };
        assert!(
            caught(true) > 20 && caught(false) + caught(true) > 100,
            "{kind:?}: {} tight, {} not",
            caught(true),
            caught(false)
        );
    }
}

#[test]
fn every_answer_of_the_solver_is_true() {
    let results = run(1, 800, true, &referee);
    check_all_hold(&results);
    let answers = results.iter().filter(|(_, one)| one.kind.is_none());
    let optimal = answers
        .filter(|(_, one)| one.verdict == Verdict::Holds { tight: true })
        .count();
    assert!(optimal > 700, "{optimal}");
}

/// A false bound has to be caught within this number of problems.
#[track_caller]
fn check_caught(instances: u64, bound: Bound<'_>) {
    let caught = |instance| !wrong(&run_one(3, instance, false, bound)).is_empty();
    assert!(
        (0..instances).any(caught),
        "no bound of {instances} questions is wrong"
    );
}

#[test]
fn a_bound_that_is_a_little_too_low_is_caught() {
    check_caught(60, &|question, certificate| {
        Ok(referee(question, certificate)? * ratio(99, 100))
    });
}

#[test]
fn a_capacity_that_is_too_small_is_caught() {
    // Multiport nodes taken for one-port nodes.
    check_caught(200, &|question, certificate| {
        let mut question = question.clone();
        let models: Vec<PortModel> = question
            .platform
            .node_ids()
            .map(|node| question.platform.model_of(node))
            .collect();
        if models.contains(&PortModel::Multiport) {
            let mut builder = oneport_platform::Platform::builder();
            builder.model(question.platform.model());
            for node in question.platform.nodes() {
                builder
                    .node(oneport_platform::Node {
                        ports: None,
                        ..node.clone()
                    })
                    .unwrap();
            }
            for link in question.platform.links() {
                builder.link(link.from, link.to, link.cost.clone()).unwrap();
            }
            question.platform = builder.build().unwrap();
        }
        referee(&question, certificate)
    });
}

#[test]
fn routers_taken_for_switches_that_cannot_copy_are_caught() {
    check_caught(4000, &|question, certificate| {
        let mut question = question.clone();
        question.platform = rebuilt(&question, |node, takes_part| node.replicates &= takes_part);
        referee(&question, certificate)
    });
}

#[test]
fn processors_taken_for_routers_are_caught() {
    check_taken_for_router(300, |node| node.compute.is_some());
}

#[test]
fn switches_that_reduce_taken_for_routers_are_caught() {
    check_taken_for_router(1000, |node| node.reduces.is_some());
}

/// Nodes of this kind that take no part are taken for routers that do not merge.
#[track_caller]
fn check_taken_for_router(instances: u64, kind: fn(&oneport_platform::Node) -> bool) {
    check_caught(instances, &|question, certificate| {
        let mut question = question.clone();
        question.platform = rebuilt(&question, |node, takes_part| {
            if !takes_part && kind(node) {
                (node.compute, node.reduces) = (None, None);
            }
        });
        let of_router = |resource| matches!(resource, oneport_plan::Resource::Compute(node) if !question.platform.node(node).merges());
        let mut certificate: Certificate = certificate.clone();
        certificate.rows.retain(
            |(row, _)| !matches!(row, CapacityRow::Resource(resource) if of_router(*resource)),
        );
        referee(&question, &certificate)
    });
}

#[test]
fn a_commutative_operator_taken_for_an_ordered_one_is_caught() {
    check_caught(600, &|question,
                        certificate|
     -> Result<Rational, Violation> {
        let mut question = question.clone();
        question.collective = question.collective.in_order();
        referee(&question, certificate)
    });
}

#[test]
fn a_shared_capacity_that_is_too_small_is_caught() {
    check_caught(300, &|question, certificate| {
        let mut question = question.clone();
        let half = Number::Times(ratio(1, 2));
        let all = 0..question.platform.shared().len();
        let changes: Vec<Change> = all
            .map(|index| Change::Rate(SharedId::new(index), half.clone()))
            .collect();
        question.platform = question.platform.changed(&changes).unwrap().platform;
        referee(&question, certificate)
    });
}

#[test]
fn an_odd_set_that_holds_one_transfer_less_is_caught() {
    // The odd sets' prices are worth one link less each.
    check_caught(400, &|question, certificate| {
        let bound = referee(question, certificate)?;
        let sets = certificate.odd_sets();
        let less: Rational = sets
            .filter(|(set, _)| set.capacity(&question.platform) > 0)
            .map(|(_, price)| price)
            .sum();
        let resources = certificate.prices();
        let resources =
            resources.map(|(one, price)| price * whole(one.capacity(&question.platform)));
        let sets = certificate.odd_sets();
        let sets = sets.map(|(set, price)| price * whole(set.capacity(&question.platform)));
        let worth: Rational = resources.chain(sets).sum();
        Ok(bound * (Rational::one() - less / worth))
    });
}

/// The bound of gatherings if each is charged one entry too many: the merge that joins all operands is left out.
#[test]
fn a_gathering_without_the_joining_merge_is_caught() {
    check_caught(1500, &|question, certificate| {
        let bound = referee(question, certificate)?;
        let proof = proof(
            &Problem::new(&question.platform, &question.collective, &question.volumes)?,
            certificate,
            &Watch::unlimited(),
        )?;
        let instance = &proof.supply / &bound;
        let holding = |node| {
            let holds = |need: &&Need| matches!(&need.inequality, Inequality::Gathering(one) if one.nodes.contains(&node));
            certificate
                .needs
                .iter()
                .filter(holds)
                .map(|need| &need.weight)
                .sum::<Rational>()
        };
        let most = question
            .platform
            .processors()
            .map(holding)
            .max()
            .unwrap_or_default();
        Ok(proof.supply / (instance + most))
    });
}

/// The problem's platform with other nodes. The change receives the participants, sources and targets.
fn rebuilt(
    question: &Sample,
    change: impl Fn(&mut oneport_platform::Node, bool),
) -> oneport_platform::Platform {
    let platform = &question.platform;
    let mut taking_part = Vec::new();
    for demand in
        (0..question.collective.demands()).filter_map(|index| question.collective.demand(index))
    {
        taking_part.extend(demand.operands.iter().copied());
        match demand.goals {
            Goals::At(node) => taking_part.push(node),
            Goals::Everywhere(nodes) => taking_part.extend(nodes),
            Goals::Prefixes => {}
        }
    }
    let mut builder = oneport_platform::Platform::builder();
    builder.model(platform.model());
    for id in platform.node_ids() {
        let mut node = platform.node(id).clone();
        change(&mut node, taking_part.contains(&id));
        builder.node(node).unwrap();
    }
    for link in platform.links() {
        builder.link(link.from, link.to, link.cost.clone()).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn samples_have_every_collective_model_and_kind_of_node() {
    let (mut kinds, mut rows) = (
        std::collections::BTreeSet::new(),
        std::collections::BTreeSet::new(),
    );
    for instance in 0..3000 {
        let question = sample(&mut Draw::new(1, instance));
        question.collective.validate(&question.platform).unwrap();
        question.volumes.validate(&question.collective).unwrap();
        rows.insert((question.label.clone(), question.model));
        let owners: Vec<_> = (0..question.collective.demands())
            .filter_map(|index| question.collective.demand(index))
            .flat_map(|demand| demand.operands.to_vec())
            .collect();
        for id in question.platform.node_ids() {
            let node = question.platform.node(id);
            let merges = (node.is_processor(), node.reduces.is_some());
            kinds.insert((merges, node.replicates, owners.contains(&id)));
        }
    }
    // 18 collectives under 4 models and mixtures. Switches own no operand, and routers that reduce do not either.
    assert_eq!((rows.len(), kinds.len()), (90, 9));
    let shared: Vec<_> = (0..3000)
        .map(|instance| sample(&mut Draw::new(1, instance)).platform)
        .filter(|platform| !platform.shared().is_empty())
        .collect();
    assert!(shared.len() > 300, "{}", shared.len());
    let weights = shared.iter().flat_map(|platform| platform.shared());
    let weights = weights.flat_map(|shared| shared.weights.values().copied());
    let weights: std::collections::BTreeSet<u32> = weights.collect();
    assert!(weights.into_iter().eq(1..=3));
}

/// All orders of these.
fn orders(nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    let [first, rest @ ..] = nodes else {
        return vec![Vec::new()];
    };
    let with = |order: Vec<NodeId>| {
        (0..=order.len()).map(move |index| {
            let mut order = order.clone();
            order.insert(index, *first);
            order
        })
    };
    orders(rest).into_iter().flat_map(with).collect()
}

/// The true throughput of a barrier, and the best of all-reduces in some order of its participants. The solver agrees.
fn barrier(platform: &Platform, said: &Collective, volumes: &Volumes) -> Option<[Rational; 2]> {
    let truth = |collective: &Collective| {
        let oracle = Oracle::new(platform, collective, volumes, 10_000).ok()?;
        Some(oracle.throughput().ok()?.throughput)
    };
    let participants = said.cast().concat();
    let optimum = truth(said)?;
    let all = Collective::all_reduce(participants.clone());
    assert_eq!(truth(&all), Some(optimum.clone()));
    let in_order = |order| truth(&Collective::all_reduce(order).in_order());
    let best = orders(&participants)
        .into_iter()
        .filter_map(in_order)
        .max()?;
    let problem = Problem::new(platform, said, volumes).expect("a problem");
    let solution = solve(&Question::new(&problem), &Options::default()).expect("a solution");
    assert!(solution.steady_state.throughput <= optimum && solution.upper_bound >= optimum);
    Some([optimum, best])
}

/// A barrier's tokens have no order. For every declared order, its optimum is that of all schemes, and no order of the
/// participants has more. On a ring in one direction every order has less: it sends along two of the three ways around.
#[test]
fn a_barrier_is_held_back_by_no_order() {
    let mut barriers = 0;
    for instance in 0..4000 {
        let mut draw = Draw::new(11, instance);
        let Sample {
            platform,
            collective,
            volumes,
            label,
            ..
        } = sample(&mut draw);
        let participants = collective.cast().concat().len();
        if label != "barrier" || participants != 3 || platform.links().len() > 6 {
            continue;
        }
        let said = collective.clone().in_order();
        assert_eq!(said, collective);
        if let Some([optimum, best]) = barrier(&platform, &said, &volumes) {
            assert!(best <= optimum, "{platform:?}");
            barriers += 1;
        }
        if barriers == 30 {
            break;
        }
    }
    assert_eq!(barriers, 30);
    let mut builder = Platform::builder();
    let nodes = ["a", "b", "c"].map(|name| {
        let node = Node::processor(name, Rational::one());
        builder.node(node).expect("a node")
    });
    for (from, to) in [(0, 2), (2, 1), (1, 0)] {
        builder
            .link(nodes[from], nodes[to], Rational::one())
            .expect("a link");
    }
    let ring = builder.build().expect("a platform");
    let volumes = Volumes {
        work: Amount::Constant(Rational::default()),
        ..Volumes::of_size(Rational::one())
    };
    let said = Collective::barrier(nodes.to_vec()).in_order();
    let ratio = |numerator: i64, denominator: i64| ratio(numerator, denominator);
    let found = barrier(&ring, &said, &volumes);
    assert_eq!(found, Some([ratio(3, 4), ratio(2, 3)]));
}
