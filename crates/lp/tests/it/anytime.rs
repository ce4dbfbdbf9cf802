//! With too little time for the linear program there is still a valid steady state and a proved bound.

use crate::common;

use std::time::Duration;

use common::{Case, connected_cases, throughput};
use oneport_lp::{Formulation, LpError, Options, Question, Watch, solve};
use oneport_plan::{Collective, Problem, Status, Volumes};
use oneport_platform::generate::{Costs, Options as Drawn, random_connected};
use oneport_platform::{NodeId, PortModel};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    #[test]
    fn the_optimum_lies_between_what_is_found_and_what_is_proved(
        case in connected_cases(6, 20),
        compact in any::<bool>(),
        milliseconds in 0..100u64,
    ) {
        let formulation = if compact { Formulation::Compact } else { Formulation::Columns };
        let volumes = case.volumes();
        let question = Question::new(&Problem::new(&case.platform, &case.collective, &volumes).unwrap());
        let question = question.watched(Watch::in_questions(milliseconds));
        let solution = solve(&question, &Options::from(formulation)).unwrap();
        let Case { platform, collective, .. } = &case;
        oneport_referee::check_steady_state(&Problem::new(platform, collective, case.volumes()).unwrap(), &solution.steady_state, &Watch::unlimited())
            .unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
        let bound = oneport_referee::bound(&Problem::new(platform, collective, case.volumes()).unwrap(), &solution.certificate, &Watch::unlimited())
            .unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
        prop_assert_eq!(&bound, &solution.upper_bound);
        let optimum = throughput(&case);
        prop_assert!(solution.steady_state.throughput <= optimum, "{case:?}: {:?}", solution.steady_state);
        prop_assert!(optimum <= bound, "{case:?}: {bound} is no bound");
        prop_assert_eq!(solution.status == Status::Optimal, solution.steady_state.throughput == bound);
    }
}

/// A bound holds for every scheme at every end of the work, although compositions are priced before any bound on the
/// others is proved.
#[test]
fn bounds_are_bounds_wherever_the_work_ends() {
    let costs = Costs::Uniform { low: 1, high: 9 };
    let mut early = 0;
    for (seed, model) in (0..).zip(PortModel::ALL.into_iter().cycle()).take(4) {
        let options = Drawn {
            seed,
            link_cost: costs.clone(),
            compute: costs.clone(),
        };
        let platform = random_connected(6, 3, &options).unwrap().with_model(model);
        let participants: Vec<NodeId> = platform.processors().collect();
        for commutative in [true, false] {
            let collective = Collective::all_reduce(participants.clone()).commutative(commutative);
            let volumes = Volumes::default();
            let problem = Problem::new(&platform, &collective, &volumes).unwrap();
            let best = solve(&Question::new(&problem), &Options::default()).unwrap();
            for milliseconds in [1, 10, 30, 60, 100, 200, 400, 800] {
                let question = Question::new(&problem).watched(Watch::in_questions(milliseconds));
                let found = match solve(&question, &Options::default()) {
                    Ok(found) => found,
                    Err(LpError::Stopped(_)) => continue,
                    other => panic!("{other:?}"),
                };
                let proved =
                    oneport_referee::bound(&problem, &found.certificate, &Watch::unlimited())
                        .unwrap();
                assert!(
                    proved <= found.upper_bound,
                    "{seed} {milliseconds}: {proved}, not {}",
                    found.upper_bound
                );
                assert!(
                    best.steady_state.throughput <= found.upper_bound,
                    "{seed} {milliseconds}"
                );
                assert!(
                    found.steady_state.throughput <= best.upper_bound,
                    "{seed} {milliseconds}"
                );
                early +=
                    usize::from(found.status == Status::Feasible && best.status == Status::Optimal);
            }
        }
    }
    assert!(early > 0, "no limit came first");
}

/// For every last check of the watch, of every fifth: a valid steady state and a bound, or only the limit.
#[test]
fn every_end_leaves_a_state_or_the_limit() {
    let platform = random_connected(4, 2, &Drawn::default()).unwrap();
    let participants: Vec<NodeId> = platform.processors().collect();
    let (first, others) = (participants[0], participants[1..].to_vec());
    let mut early = 0;
    for collective in [
        Collective::all_gather(participants.clone()),
        Collective::all_reduce(participants),
        Collective::broadcast(first, others),
    ] {
        let problem = Problem::new(&platform, &collective, Volumes::default()).unwrap();
        let best = solve(&Question::new(&problem), &Options::default()).unwrap();
        for looks in (0..).step_by(5) {
            let watch = Watch::counting(looks, Duration::ZERO);
            let question = Question::new(&problem).watched(watch.clone());
            match solve(&question, &Options::default()) {
                Ok(found) => {
                    oneport_referee::check_steady_state(
                        &problem,
                        &found.steady_state,
                        &Watch::unlimited(),
                    )
                    .unwrap();
                    assert!(found.steady_state.throughput <= best.upper_bound);
                    assert!(best.steady_state.throughput <= found.upper_bound);
                }
                Err(LpError::Stopped(_)) => {}
                other => panic!("{collective}, {looks} looks: {other:?}"),
            }
            if watch.ended().is_none() {
                break;
            }
            early += 1;
        }
    }
    assert!(early > 5, "{early}");
}
