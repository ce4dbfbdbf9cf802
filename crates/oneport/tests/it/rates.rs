//! Plans as the papers' variables and back: the same throughput, and no objection of the referee.

use crate::planned::{parts, verify};
use oneport_testkit::{Parts, whole};
use std::path::PathBuf;

use num_traits::Zero;
use oneport::plan::{Certificate, DemandRates, Rates};
use oneport::watch::Watch;
use oneport::{
    Collective, ExtractionError, Formulation, NodeId, Options, Platform, Problem, Rational, Status,
    Volumes, files, plan_of_rates, solve,
};

use crate::common::{Case, connected_cases};
use proptest::prelude::*;

fn platform(name: &str) -> Platform {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/platforms")
        .join(name);
    files::read_platform(&path).unwrap()
}

#[track_caller]
fn solved(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    formulation: Formulation,
) -> Parts {
    let problem = Problem::new(platform, collective, volumes).unwrap();
    let options = Options {
        formulation,
        ..Options::default()
    };
    parts(&solve(&problem, &options).unwrap())
}

/// Written, read and extracted again.
#[track_caller]
fn round_trip(plan: &Parts) -> Parts {
    let text = plan.with(files::rates_to_json).unwrap().unwrap();
    let file = files::rates_from_json("rates.json", text.as_bytes(), plan.platform());
    let file = file.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let problem = file.problem;
    assert_eq!(problem, plan.problem);
    assert_eq!(file.rates, Rates::of(&problem, &plan.steady_state).unwrap());
    assert_eq!(&file.certificate.rows, &plan.certificate.rows);
    let made = plan_of_rates(
        &problem,
        &file.rates,
        &file.certificate,
        &Options::default(),
    );
    let made = made.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let again = Parts::from(made.answer.plan().unwrap());
    verify(&again).unwrap();
    assert_eq!(again.steady_state.throughput, plan.steady_state.throughput);
    // The sum of the patterns equals the input, minus the named remainder.
    let mut sum = Rates::of(&problem, &again.steady_state).unwrap();
    for left in &made.left_over {
        let rate = match &mut sum.demands[left.demand.unwrap()] {
            DemandRates::Route(sends) | DemandRates::Copy(sends) => {
                sends.entry(left.link).or_default()
            }
            DemandRates::Combine(rates) => rates
                .sends
                .entry((left.link, left.value.clone().unwrap()))
                .or_default(),
        };
        *rate += &left.rate;
    }
    assert_eq!(sum, file.rates);
    again
}

/// Every kind of collective on several platforms, by both formulations.
#[test]
fn the_papers_variables_make_the_plan_again() {
    let (mut plans, mut optimal) = (0, 0);
    for name in [
        "toy-broadcast.toml",
        "toy-reduce.toml",
        "toy-scatter.toml",
        "star.json",
        "two-racks.toml",
    ] {
        let platform = platform(name);
        let nodes: Vec<NodeId> = platform.processors().collect();
        let (first, others) = (nodes[0], nodes[1..].to_vec());
        let mut questions = vec![
            Collective::scatter(first, others.clone()),
            Collective::gather(first, others.clone()),
            Collective::all_to_all(nodes.clone()),
            Collective::broadcast(first, others),
            Collective::all_gather(nodes.clone()),
        ];
        for commutative in [false, true] {
            questions.push(Collective::reduce(first, nodes.clone()).commutative(commutative));
            questions.push(Collective::reduce_scatter(nodes.clone()).commutative(commutative));
        }
        for collective in questions {
            let volumes = Volumes::default();
            if Problem::new(&platform, &collective, &volumes).is_err() {
                continue;
            }
            let plan = solved(&platform, &collective, &volumes, Formulation::Columns);
            let again = round_trip(&plan);
            plans += 1;
            optimal += usize::from(again.status == Status::Optimal);
            assert_eq!(again.status, plan.status, "{name} {collective}");
        }
    }
    assert!(plans >= 28 && optimal >= 28, "{plans} {optimal}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random problems of messages that travel alone, by the papers' own program.
    #[test]
    fn random_flows_come_back(case in connected_cases(6, 12)) {
        let Case { platform, collective, .. } = &case;
        let plan = solved(platform, collective, &case.volumes(), Formulation::Compact);
        if plan.with(files::rates_to_json).is_some_and(|text| text.is_ok()) {
            prop_assert_eq!(round_trip(&plan).status, Status::Optimal);
        }
    }
}

/// Rates above the capacities are refused with the place that is too busy, and a throughput of 0 is refused.
#[test]
fn what_cannot_be_kept_up_is_refused() {
    let platform = platform("toy-scatter.toml");
    let nodes: Vec<NodeId> = platform.processors().collect();
    let collective = Collective::scatter(nodes[0], nodes[1..].to_vec());
    let volumes = Volumes::default();
    let plan = solved(&platform, &collective, &volumes, Formulation::Columns);
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let mut rates = Rates::of(&problem, &plan.steady_state).unwrap();
    let twice = whole(2);
    rates.throughput *= &twice;
    for demand in &mut rates.demands {
        let DemandRates::Route(sends) = demand else {
            panic!("a scatter")
        };
        for rate in sends.values_mut() {
            *rate *= &twice;
        }
    }
    let none = Certificate::default();
    let error = plan_of_rates(&problem, &rates, &none, &Options::default()).unwrap_err();
    assert!(matches!(error, ExtractionError::Overloaded(_)), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("the rates cannot be kept up: "),
        "{error}"
    );
    rates.throughput = Rational::zero();
    assert_eq!(
        plan_of_rates(&problem, &rates, &none, &Options::default()),
        Err(ExtractionError::Nothing)
    );
    // Without prices the bound is recomputed.
    let rates = Rates::of(&problem, &plan.steady_state).unwrap();
    let made = plan_of_rates(
        &problem,
        &rates,
        &none,
        &Options {
            watch: Watch::unlimited(),
            ..Options::default()
        },
    );
    assert_eq!(made.unwrap().answer.status(), Status::Optimal);
}
