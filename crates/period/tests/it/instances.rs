//! Whole messages at the optimum, against exhaustive search on tiny platforms.

use crate::common;
use oneport_plan::Problem;

use common::brute::{Verdict, check_whole, fits};
use common::{Case, connected_cases, solution};
use num_bigint::BigUint;
use num_traits::Zero;
use oneport_lp::{Formulation, Question};
use oneport_period::integral::{
    OptimalInstances, optimal_instances, rounded_at, whole_at, whole_within,
};
use oneport_period::rounding::own_period;
use oneport_platform::Rational;
use oneport_testkit::ratio;
use proptest::prelude::*;

/// The time of this number of instances at the optimal throughput.
fn optimal_time(instances: u32, throughput: &Rational) -> Rational {
    ratio(instances, 1) / throughput
}

fn check(case: &Case, formulation: Formulation) {
    let solution = solution(case, formulation);
    let volumes = case.volumes();
    let question =
        Question::new(&Problem::new(&case.platform, &case.collective, &volumes).unwrap());
    let throughput = &solution.steady_state.throughput;
    let OptimalInstances { step, own } = optimal_instances(&question, &solution);
    assert!((&own % &step).is_zero(), "{case:?}: own {own}, step {step}");
    let whole = own_period(&solution.steady_state);
    assert_eq!(whole.instances, own, "{case:?}");
    assert_eq!(ratio(own, 1) / &whole.period, *throughput, "{case:?}");
    check_whole(case, &whole);
    for instances in 1..=4u32 {
        let period = optimal_time(instances, throughput);
        let verdict = fits(case, instances, &period);
        let count = BigUint::from(instances);
        if verdict == Verdict::Fits {
            assert!(
                (&count % &step).is_zero(),
                "{case:?}: {instances} instances attain the optimum, step {step}"
            );
        }
        let found = [
            rounded_at(&question, &solution, &count),
            whole_at(&question, &solution, &count),
        ];
        for whole in found.into_iter().filter_map(|found| found.unwrap()) {
            assert_ne!(
                verdict,
                Verdict::DoesNotFit,
                "{case:?}: {instances} instances do not fit"
            );
            assert_eq!(
                (&whole.instances, &whole.period),
                (&count, &period),
                "{case:?}"
            );
            check_whole(case, &whole);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_step_divides_every_optimal_number(case in connected_cases(4, 8)) {
        check(&case, Formulation::Columns);
        check(&case, Formulation::Compact);
    }

    /// With integer programs of this size, the search must find every solution.
    #[test]
    fn tiny_integer_programs_are_solved(case in connected_cases(4, 6)) {
        let solution = solution(&case, Formulation::Columns);
        let volumes = case.volumes();
        let question = Question::new(&Problem::new(&case.platform, &case.collective, &volumes).unwrap());
        for instances in 1..=4u32 {
            let period = optimal_time(instances, &solution.steady_state.throughput);
            if fits(&case, instances, &period) == Verdict::Fits {
                let found = whole_at(&question, &solution, &BigUint::from(instances)).unwrap();
                prop_assert!(found.is_some(), "{case:?}: {instances} instances fit into {period}");
            }
        }
    }

    #[test]
    fn whatever_fits_a_period_fits(case in connected_cases(4, 6), p in 1..60i64, q in 1..4i64) {
        let solution = solution(&case, Formulation::Columns);
        let volumes = case.volumes();
        let question = Question::new(&Problem::new(&case.platform, &case.collective, &volumes).unwrap());
        let period = common::ratio(p, q);
        let most = (&period * &solution.steady_state.throughput).floor();
        if let Some(whole) = whole_within(&question, &solution, &period).unwrap() {
            prop_assert_eq!(&whole.period, &period);
            prop_assert!(ratio(whole.instances.clone(), 1) <= most);
            prop_assert!(whole.instances > BigUint::zero());
            check_whole(&case, &whole);
        }
    }
}
