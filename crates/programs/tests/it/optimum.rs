//! Every program's optimum is the one of `solve`, by HiGHS' reader and exactly. The plan's own solution satisfies every
//! row.

use oneport_testkit::Parts;
use std::collections::BTreeMap;
use std::path::Path;

use num_traits::{One, Signed, Zero};
use oneport::plan::Task;
use oneport::{
    Collective, NodeId, Options, Period, Platform, PortModel, Problem, Rational, Volumes, solve,
};
use oneport_exact::{FileOutcome, solve_file};
use oneport_programs::{Form, Program, ProgramError, Which, build, restricted};
use proptest::prelude::*;

use super::reader::{Ended, File, Sum};
use super::{nodes, platform, scatter, volumes};
use oneport_testkit::whole;

/// The plan of a problem, whose schedule attains the optimum.
pub fn plan(problem: &Problem) -> Parts {
    let options = Options {
        period: Period::Exact,
        ..Options::default()
    };
    let solved = solve(problem, &options).unwrap();
    Parts::from(solved.plan().unwrap())
}

/// The result of HiGHS' own reader for a text.
pub fn highs(text: &str) -> FileOutcome {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.lp");
    std::fs::write(&path, text).unwrap();
    solve_file(&path).unwrap()
}

/// Whether a float's value is this number, to six digits.
fn is_near(found: &Rational, right: &Rational) -> bool {
    (found - right).abs() * whole(1_000_000) <= right.abs() + Rational::one()
}

/// Solved by two readers, a program yields this value. So does the plan's own solution, if one is given.
fn check(text: &str, right: &Rational, point: Option<&Sum>) {
    let FileOutcome::Optimal(found) = highs(text) else {
        panic!("HiGHS finds no optimum:\n{text}")
    };
    assert!(
        is_near(&found, right),
        "HiGHS finds {found}, right is {right}:\n{text}"
    );
    let file = File::read(text);
    assert_eq!(file.solve(), Ended::Optimal(right.clone()), "{text}");
    if let Some(point) = point {
        assert_eq!(file.value(point), *right, "{text}");
    }
}

fn name(platform: &Platform, link: oneport::platform::LinkId) -> String {
    let ends = platform.link(link);
    format!("{},{}", platform.name(ends.from), platform.name(ends.to))
}

/// The plan's steady state in the variables of SSSP, SSPA2A and SSR.
fn rates(plan: &Parts) -> Sum {
    let (platform, problem) = (plan.platform(), &plan.problem);
    let mut point = Sum::from([("TP".to_string(), plan.steady_state.throughput.clone())]);
    let mut add =
        |name: String, value: Rational| *point.entry(name).or_insert_with(Rational::zero) += value;
    for weighted in &plan.steady_state.patterns {
        let demand = plan.collective().demand(weighted.pattern.demand).unwrap();
        for task in &weighted.pattern.tasks {
            match *task {
                Task::Send { link, part, .. } => {
                    let target = platform.name(demand.targets()[0]);
                    let message = match plan.collective().form() {
                        Some(oneport_plan::Form::SCATTER) => format!("m_{target}"),
                        Some(form) if form.is_pairwise() => {
                            format!("m_{},{target}", platform.name(demand.operands[0]))
                        }
                        _ => format!("v_{}_{}", part.first, part.last),
                    };
                    let link_name = name(platform, link);
                    add(
                        format!("send({link_name},{message})"),
                        weighted.weight.clone(),
                    );
                    add(
                        format!("s({link_name})"),
                        problem.transfer_time(link, part) * &weighted.weight,
                    );
                }
                Task::Merge {
                    node, part, split, ..
                } => {
                    let (at, time) = (
                        platform.name(node),
                        plan.problem
                            .volumes()
                            .merge_time(platform, node, part, split),
                    );
                    add(
                        format!("cons({at},T_{}_{split}_{})", part.first, part.last),
                        weighted.weight.clone(),
                    );
                    add(format!("alpha({at})"), time * &weighted.weight);
                }
            }
        }
    }
    point
}

/// The plan's trees in the variables of the broadcast program.
fn flows(plan: &Parts) -> Sum {
    let (platform, problem) = (plan.platform(), &plan.problem);
    let mut point = Sum::from([("a".to_string(), plan.steady_state.throughput.clone())]);
    let mut add =
        |name: String, value: Rational| *point.entry(name).or_insert_with(Rational::zero) += value;
    for weighted in &plan.steady_state.patterns {
        let mut into: BTreeMap<NodeId, oneport::platform::LinkId> = BTreeMap::new();
        for task in &weighted.pattern.tasks {
            let Task::Send { link, part, .. } = *task else {
                panic!("a broadcast merges nothing")
            };
            let (ends, time) = (
                platform.link(link),
                problem.transfer_time(link, part) * &weighted.weight,
            );
            into.insert(ends.to, link);
            add(format!("t({})", name(platform, link)), time.clone());
            for (port, node) in [("t_out", ends.from), ("t_in", ends.to)] {
                // A node of the `links` model has no port.
                if platform.model_of(node) != PortModel::Links {
                    add(format!("{port}({})", platform.name(node)), time.clone());
                }
            }
        }
        for &target in plan.collective().demand(0).unwrap().targets() {
            let mut at = target;
            while let Some(&link) = into.get(&at) {
                add(
                    format!("x({},{})", platform.name(target), name(platform, link)),
                    weighted.weight.clone(),
                );
                at = platform.link(link).from;
            }
        }
    }
    point
}

fn restrict(plan: &Parts) -> Result<Program, ProgramError> {
    plan.with(|plan| restricted(&plan, Form::Corrected))
        .unwrap()
}

/// Every corrected program that applies to this problem.
fn check_question(platform: &Platform, collective: &Collective, volumes: &Volumes) {
    let problem = Problem::new(platform, collective, volumes).unwrap();
    let plan = plan(&problem);
    let right = plan.upper_bound.clone();
    assert_eq!(
        plan.steady_state.throughput, right,
        "the plan is not proved optimal"
    );
    let half = platform
        .node_ids()
        .any(|node| platform.model_of(node) == PortModel::HalfDuplex);
    let usual = if collective.name() == "sources-to-targets" {
        "all-to-all"
    } else {
        collective.name()
    };
    for which in Which::ALL {
        let (text, point) = match which {
            Which::Sssp | Which::Sspa2a | Which::Ssr if half || which.collective() != usual => {
                continue;
            }
            Which::Broadcast if half || collective.name() != "broadcast" => continue,
            Which::P | Which::D | Which::PPrime if collective.name() == "reduce" => continue,
            Which::Sssp | Which::Sspa2a | Which::Ssr => (
                build(which, &problem, Form::Corrected).unwrap().to_lp(),
                Some(rates(&plan)),
            ),
            Which::Broadcast => (
                build(which, &problem, Form::Corrected).unwrap().to_lp(),
                Some(flows(&plan)),
            ),
            Which::P | Which::D => (
                build(which, &problem, Form::Corrected).unwrap().to_lp(),
                None,
            ),
            Which::PPrime => (restrict(&plan).unwrap().to_lp(), None),
        };
        check(&text, &right, point.as_ref());
    }
}

fn fixture(name: &str) -> Platform {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/platforms")
        .join(name);
    oneport::files::read_platform(&path).unwrap()
}

/// A scatter, a broadcast from the first node and a reduce to it, and an all-to-all of the first three.
fn questions(platform: &Platform) -> Vec<Collective> {
    let all: Vec<NodeId> = platform.processors().collect();
    let (first, others) = all.split_first().unwrap();
    vec![
        Collective::scatter(*first, others.to_vec()),
        Collective::broadcast(*first, others.to_vec()),
        Collective::reduce(*first, all.clone()).in_order(),
        Collective::all_to_all(all[..3].to_vec()),
        Collective::sources_to_targets(all[1..].to_vec(), vec![all[1], all[0]]),
    ]
}

#[test]
fn the_papers_toys_and_a_star_have_the_optima_of_solve() {
    let toy = fixture("toy-scatter.toml");
    check_question(&toy, &scatter(&toy, "Ps", "P0 P1"), &volumes("1"));
    let toy = fixture("toy-broadcast.toml");
    let broadcast = Collective::broadcast(nodes(&toy, "Ps")[0], nodes(&toy, "P1 P2 P3 P4"));
    for model in [PortModel::HalfDuplex, PortModel::FullDuplex] {
        check_question(&toy.clone().with_model(model), &broadcast, &volumes("7/3"));
    }
    let toy = fixture("toy-reduce.toml");
    for question in questions(&toy) {
        check_question(&toy, &question, &volumes("1"));
    }
    let star = fixture("star.json");
    for question in questions(&star) {
        check_question(&star, &question, &volumes("2"));
    }
}

/// A triangle of half-duplex ports has an odd set. Routers and one-way links have none.
#[test]
fn small_questions_of_all_kinds_agree() {
    let links = [
        ("a", "b", "1"),
        ("b", "c", "2"),
        ("c", "a", "1/3"),
        ("b", "a", "5/7"),
        ("c", "b", "1"),
    ];
    for model in [
        PortModel::HalfDuplex,
        PortModel::FullDuplex,
        PortModel::Links,
    ] {
        let triangle = platform(model, "a b c", &links);
        let all = nodes(&triangle, "a b c");
        for question in questions(&triangle) {
            if model != PortModel::HalfDuplex || question.name() != "reduce" {
                check_question(&triangle, &question, &volumes("3/2"));
            }
        }
        check_question(
            &triangle,
            &Collective::all_gather(all.clone()),
            &volumes("1"),
        );
        check_question(
            &triangle,
            &Collective::gather(all[0], all[1..].to_vec()),
            &volumes("1"),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn random_platforms_agree(costs in prop::collection::vec(0_u32..8, 12), nodes in 3_usize..=4, half: bool) {
        let model = if half { PortModel::HalfDuplex } else { PortModel::FullDuplex };
        let names = &["a", "b", "c", "d"][..nodes];
        let mut costs = costs.into_iter();
        let mut links = Vec::new();
        for (from, first) in names.iter().enumerate() {
            for (to, last) in names.iter().enumerate().filter(|&(to, _)| to != from) {
                // A ring, so that all nodes are reachable, and some of the other links.
                let cost = costs.next().unwrap_or(1);
                if to == (from + 1) % nodes || cost > 4 {
                    links.push((*first, *last, format!("{}/3", cost + 1)));
                }
            }
        }
        let links: Vec<(&str, &str, &str)> = links.iter().map(|(from, to, cost)| (*from, *to, cost.as_str())).collect();
        let platform = platform(model, &names.join(" "), &links);
        for question in questions(&platform) {
            if !half || question.name() != "reduce" {
                check_question(&platform, &question, &volumes("1"));
            }
        }
    }
}
