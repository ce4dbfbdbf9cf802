//! Without any time for the linear program: still a steady state that holds and a bound that is proved.

use crate::common;

use common::{Case, connected_cases, throughput};
use oneport_lp::{Answer, Formulation, Options, Question, Watch, solve};
use oneport_plan::{Problem, Status};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_optimum_lies_between_what_is_found_and_what_is_proved(
        case in connected_cases(6, 20),
        compact in any::<bool>(),
        milliseconds in 0..100u64,
    ) {
        let formulation = if compact { Formulation::Compact } else { Formulation::Columns };
        let volumes = case.volumes();
        let question = Question::new(Problem::new(&case.platform, &case.collective, &volumes).unwrap());
        let question = question.watched(Watch::in_questions(milliseconds));
        let answer = solve(&question, &Options::from(formulation)).unwrap();
        let Answer::Steady(solution) = answer else { return Err(TestCaseError::fail(format!("{case:?}: {answer:?}"))) };
        let Case { platform, collective, .. } = &case;
        oneport_referee::check_steady_state(Problem::new(platform, collective, &case.volumes()).unwrap(), &solution.steady_state)
            .unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
        let bound = oneport_referee::bound(Problem::new(platform, collective, &case.volumes()).unwrap(), &solution.certificate)
            .unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
        prop_assert_eq!(&bound, &solution.upper_bound);
        let optimum = throughput(&case);
        prop_assert!(solution.steady_state.throughput <= optimum, "{case:?}: {:?}", solution.steady_state);
        prop_assert!(optimum <= bound, "{case:?}: {bound} is no bound");
        prop_assert_eq!(solution.status == Status::Optimal, solution.steady_state.throughput == bound);
    }
}
