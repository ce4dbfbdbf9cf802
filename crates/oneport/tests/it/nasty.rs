//! Hard numbers: oneport contradicts itself on no problem, and every plan satisfies the referee.

use crate::planned::{parts, verify};
use crate::questions;
use oneport_testkit::{Parts, whole};

use std::time::Duration;

use oneport::plan::Member;
use oneport::platform::Node;
use oneport::{
    Amount, Collective, Formulation, NodeId, Options, Platform, PortModel, Problem, Rational,
    Status, Volumes, parse_rational, solve,
};
use questions::{Fate, ask, question};

/// Nodes `n0`, `n1`, ...: processors, or routers (`false`). Links with their costs.
fn platform(
    model: PortModel,
    nodes: &[bool],
    links: &[(usize, usize, &str)],
) -> (Platform, Vec<NodeId>) {
    let mut builder = Platform::builder();
    builder.model(model);
    let one = whole(1);
    let node = |(index, &computes): (usize, &bool)| {
        let name = format!("n{index}");
        if computes {
            Node::processor(name, one.clone())
        } else {
            Node::router(name)
        }
    };
    let ids: Vec<NodeId> = nodes
        .iter()
        .enumerate()
        .map(node)
        .map(|node| builder.node(node).unwrap())
        .collect();
    for &(from, to, cost) in links {
        builder
            .link(ids[from], ids[to], parse_rational(cost).unwrap())
            .unwrap();
    }
    (builder.build().unwrap(), ids)
}

/// The plan, which the referee accepts.
#[track_caller]
fn plan(
    platform: &Platform,
    collective: &Collective,
    formulation: Formulation,
    work: i64,
) -> Parts {
    let constant = |amount: i64| Amount::Constant(whole(amount));
    let volumes = Volumes {
        size: constant(1),
        work: constant(work),
    };
    let options = Options {
        formulation,
        ..Options::default()
    };
    let problem = Problem::new(platform, collective, &volumes).unwrap();
    parts(&solve(&problem, &options).unwrap())
}

#[track_caller]
fn optimum(plan: &Parts) -> Rational {
    let verdict = verify(plan).unwrap();
    assert_eq!(verdict.status(), Status::Optimal);
    verdict.bound().clone()
}

/// Two processors exchange their values over links of cost 3/1000: each link carries one value, independent of the
/// other links into them.
#[test]
fn a_link_of_no_use_may_cost_anything() {
    for dear in ["1", "1e9", "1e12", "1e40", "1e200"] {
        for model in [PortModel::Links, PortModel::FullDuplex] {
            let links = [(0, 2, dear), (2, 1, "3/1000"), (1, 2, "3/1000")];
            let (platform, ids) = platform(model, &[false, true, true], &links);
            let all = Collective::all_reduce(vec![ids[1], ids[2]]).in_order();
            assert_eq!(
                optimum(&plan(&platform, &all, Formulation::Columns, 0)).to_string(),
                "1000/3",
                "{dear}"
            );
        }
    }
}

/// Compositions pay for resources that other schedules do not need: prices on those prove no bound for other schedules.
#[test]
fn groups_of_all_reduce_have_a_bound() {
    let links = [
        (0, 3, "1"),
        (2, 1, "1"),
        (4, 5, "1"),
        (1, 0, "1"),
        (1, 2, "1"),
        (0, 5, "1"),
        (0, 1, "1"),
    ];
    let links = [&links[..], &[(5, 0, "1"), (3, 0, "1")]].concat();
    let six = platform(
        PortModel::Links,
        &[false, false, true, true, false, true],
        &links,
    );
    let links = [
        (2, 0, "1"),
        (0, 2, "1"),
        (1, 3, "1"),
        (2, 1, "2"),
        (3, 2, "1"),
    ];
    let four = platform(PortModel::FullDuplex, &[true, false, true, true], &links);
    for ((platform, ids), pairs, commutative) in [
        (six, [[3, 5], [2, 5]], true),
        (four.clone(), [[0, 3], [3, 2]], false),
        (four, [[0, 3], [3, 2]], true),
    ] {
        let member = |pair: [usize; 2]| {
            let participants = pair.map(|index| ids[index]).to_vec();
            Member {
                collective: Collective::all_reduce(participants).commutative(commutative),
                rate: 1,
            }
        };
        let groups = Collective::Groups(pairs.map(member).to_vec());
        for work in [0, 1] {
            let plan = plan(&platform, &groups, Formulation::Columns, work);
            let verdict = verify(&plan).unwrap();
            let throughput = verdict.throughput().unwrap();
            assert!(*throughput > Rational::default() && verdict.bound() >= throughput);
        }
    }
}

/// A router without a path to any target is excluded from the search for the slowest cut.
#[test]
fn dead_ends_do_not_disturb_the_compact_all_gather() {
    let pair = [(0, 1, "1"), (1, 0, "1")];
    for router in [
        &[][..],
        &[(2, 0, "1")],
        &[(0, 2, "1")],
        &[(2, 0, "1"), (0, 2, "1")],
    ] {
        let links = [&pair[..], router].concat();
        let (platform, ids) = platform(PortModel::Links, &[true, true, false], &links);
        let all = Collective::all_gather(ids[..2].to_vec());
        assert_eq!(
            optimum(&plan(&platform, &all, Formulation::Compact, 0)),
            whole(1)
        );
    }
}

#[test]
fn nasty_questions_are_answered() {
    let mut fates = Vec::new();
    for seed in 0..250 {
        let nasty = question(seed);
        match ask(&nasty, Duration::from_secs(60)) {
            Ok(fate) => fates.push(fate),
            Err(what) => panic!("seed {seed}: {what}: {nasty:?}"),
        }
    }
    // The problems are real ones: most have a proved optimum.
    let count = |fate: Fate| fates.iter().filter(|&&one| one == fate).count();
    assert!(count(Fate::Optimal) > 100, "{}", count(Fate::Optimal));
    assert!(
        count(Fate::Infeasible) > 10 && count(Fate::Feasible) > 0,
        "{fates:?}"
    );
}
