//! Limits as counted steps: for every last check of every loop, there is a checked plan or a named limit.

use crate::planned::{parts, verify};
use std::time::Duration;

use oneport::platform::generate::{self, Costs, random_connected};
use oneport::watch::{Limit, Watch};
use oneport::{
    Amount, Collective, Error, NodeId, Options, Platform, PortModel, Problem, Rational, Status,
    Volumes, referee, solve,
};
use proptest::prelude::*;

const MODELS: [PortModel; 4] = [
    PortModel::FullDuplex,
    PortModel::HalfDuplex,
    PortModel::Multiport,
    PortModel::Links,
];
const KINDS: usize = 11;

fn collective(kind: usize, participants: Vec<NodeId>) -> Collective {
    let (centre, others) = (participants[0], participants[1..].to_vec());
    match kind {
        0 => Collective::scatter(centre, others),
        1 => Collective::gather(centre, others),
        2 => Collective::all_to_all(participants),
        3 => Collective::broadcast(centre, others),
        4 => Collective::all_gather(participants),
        5 => Collective::reduce(centre, participants).in_order(),
        6 => Collective::reduce(centre, participants),
        7 => Collective::reduce_scatter(participants).in_order(),
        8 => Collective::all_reduce(participants).in_order(),
        9 => Collective::all_reduce(participants),
        _ => Collective::scan(participants),
    }
}

fn platform(nodes: usize, seed: u64, model: PortModel) -> Platform {
    let costs = Costs::Uniform { low: 1, high: 9 };
    let options = generate::Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    };
    random_connected(nodes, 3, &options)
        .expect("the parameters are valid")
        .with_model(model)
}

/// Whether some work was ended. A plan must be right, and a refusal must name the limit.
fn ended(
    platform: &Platform,
    collective: &Collective,
    watch: Watch,
) -> Result<bool, TestCaseError> {
    let options = Options {
        watch,
        ..Options::default()
    };
    let volumes = Volumes {
        work: Amount::Constant(Rational::new(1.into(), 2.into())),
        ..Volumes::default()
    };
    let problem = Problem::new(platform, collective, &volumes).unwrap();
    match solve(&problem, &options) {
        Ok(solved) if solved.unwritten.is_none() => {
            let plan = parts(&solved);
            let verdict = verify(&plan);
            prop_assert!(verdict.is_ok(), "{:?}", verdict);
            prop_assert!(plan.steady_state.throughput > Rational::default());
            prop_assert!(plan.schedule.throughput() > Rational::default());
            prop_assert_eq!(
                plan.status == Status::Optimal,
                plan.steady_state.throughput == plan.upper_bound
            );
            prop_assert!(solved.ended_by.is_none_or(|limit| limit == Limit::Caller));
            Ok(solved.ended_by.is_some())
        }
        Ok(solved) => {
            let limit = solved.unwritten.and_then(|unwritten| unwritten.limit);
            prop_assert_eq!(limit, Some(Limit::Caller));
            let proved = referee::bound(&problem, solved.answer.certificate(), &Watch::unlimited());
            prop_assert_eq!(proved.as_ref(), Ok(solved.answer.bound()));
            Ok(true)
        }
        Err(error) => {
            let stopped = matches!(&error, Error::Stopped(_));
            prop_assert!(
                stopped && error.to_string().contains("the caller's request"),
                "{}",
                error
            );
            Ok(true)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_question_may_be_the_last(
        nodes in 4usize..7, taking_part in 2usize..6, seed: u64, kind in 0..KINDS, model in 0..MODELS.len(), young: bool,
    ) {
        let platform = platform(nodes, seed, MODELS[model]);
        let participants: Vec<NodeId> = platform.processors().take(taking_part.min(nodes)).collect();
        let collective = collective(kind, participants);
        // Young requests leave slots and referee their grace. Old ones end these, too.
        let age = if young { Duration::ZERO } else { Duration::MAX };
        let (mut questions, mut answered) = (0u64, false);
        while ended(&platform, &collective, Watch::counting(questions, age))? {
            answered = true;
            questions += 1 + questions / 4;
        }
        prop_assert!(answered, "nobody asked");
    }
}
