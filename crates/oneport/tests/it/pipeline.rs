//! The full pipeline, on random platforms: every period, every collective, and a round trip through the plan file.

use crate::common;
use crate::planned::{from_json, parts, to_json, verify};
use oneport_testkit::Parts;

use common::{Case, cases, connected_cases, ratio, sample, throughput};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};
use oneport::watch::Watch;
use oneport::{
    Error, Formulation, Options, Period, Problem, ProblemError, Refusal, Solved, Status, solve,
};
use oneport_period::PeriodError;
use proptest::prelude::*;

fn ask(case: &Case, period: Period, formulation: Formulation) -> Result<Solved, Error> {
    let options = Options {
        period,
        formulation,
        ..Options::default()
    };
    solve(
        &Problem::new(&case.platform, &case.collective, case.volumes())?,
        &options,
    )
}

#[track_caller]
fn plan(case: &Case, period: Period) -> Parts {
    match ask(case, period, Formulation::Columns) {
        Ok(solved) => parts(&solved),
        other => panic!("{case:?}: {other:?}"),
    }
}

/// The referee's verdict, a round trip through the file, and equal bytes.
#[track_caller]
fn check(case: &Case, plan: &Parts) {
    let verdict = verify(plan).unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
    assert_eq!(verdict.status(), Status::Optimal, "{case:?}");
    assert_eq!(*verdict.bound(), throughput(case), "{case:?}");
    assert!(plan.schedule.throughput() <= *verdict.bound(), "{case:?}");
    assert_eq!(
        (plan.platform(), plan.collective(), plan.problem.volumes()),
        (&case.platform, &case.collective, &case.volumes())
    );
    let text = to_json(plan);
    let read = from_json(&text);
    assert_eq!(&read, plan, "{case:?}");
    assert_eq!(to_json(&read), text, "{case:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    #[test]
    fn exact_periods_attain_the_optimum(case in connected_cases(6, 12)) {
        let exact = plan(&case, Period::Exact);
        check(&case, &exact);
        prop_assert_eq!(exact.schedule.throughput(), exact.steady_state.throughput.clone());
        // A limit below the exact number is attained by no smaller number, and a limit above it changes nothing.
        if let Ok(instances) = u64::try_from(&exact.schedule.instances) {
            prop_assert_eq!(&plan(&case, Period::AtMost(instances)).schedule, &exact.schedule);
        }
    }

    #[test]
    fn limits_are_kept(case in connected_cases(6, 12), most in 1..30u64) {
        let limited = plan(&case, Period::AtMost(most));
        check(&case, &limited);
        prop_assert!(limited.schedule.instances <= BigUint::from(most));
        prop_assert!(limited.schedule.throughput().is_positive());
        check(&case, &plan(&case, Period::AtMost(1)));
        prop_assert!(plan(&case, Period::AtMost(1)).schedule.instances.is_one());
    }

    #[test]
    fn fixed_periods_are_kept(case in connected_cases(5, 10), p in 1..300i64, q in 1..5i64) {
        let period = ratio(p, q);
        match ask(&case, Period::Fixed(period.clone()), Formulation::Columns) {
            Ok(solved) => {
                let plan = parts(&solved);
                check(&case, &plan);
                prop_assert_eq!(&plan.schedule.period, &period);
            }
            Err(Error::Problem(Refusal::Period(PeriodError::PeriodTooShort { needed, .. }))) => {
                prop_assert!(*needed > period, "{case:?}: {needed} is needed, {period} given");
                check(&case, &plan(&case, Period::Fixed(*needed)));
            }
            other => prop_assert!(false, "{case:?}: {other:?}"),
        }
    }

    #[test]
    fn the_same_question_gives_the_same_bytes(case in connected_cases(6, 12), compact in any::<bool>()) {
        let formulation = if compact { Formulation::Compact } else { Formulation::Columns };
        for period in [Period::Exact, Period::AtMost(7), Period::Fixed(ratio(100, 1))] {
            let texts = [(), ()].map(|()| match ask(&case, period.clone(), formulation) {
                Ok(solved) => to_json(&parts(&solved)),
                other => format!("{other:?}"),
            });
            prop_assert_eq!(&texts[0], &texts[1]);
        }
    }

    #[test]
    fn plans_made_in_no_time_are_checked_too(
        case in connected_cases(5, 16),
        most in 1..40u64,
        milliseconds in 0..100u64,
    ) {
        for period in [Period::Exact, Period::AtMost(most), Period::Fixed(ratio(500, 3))] {
            let options = Options {
                period,
                watch: Watch::in_questions(milliseconds),
                ..Options::default()
            };
            match solve(&Problem::new(&case.platform, &case.collective, case.volumes())?, &options) {
                Ok(solved) => {
                    let plan = parts(&solved);
                    let verdict = verify(&plan)
                        .unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
                    prop_assert_eq!(verdict.status(), plan.status);
                    prop_assert!(plan.schedule.throughput() <= throughput(&case), "{case:?}");
                    prop_assert!(plan.schedule.throughput() <= plan.steady_state.throughput, "{case:?}");
                }
                Err(Error::Problem(Refusal::Period(PeriodError::PeriodTooShort { .. }))) => {}
                other => prop_assert!(false, "{case:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn both_formulations_lead_to_checked_plans(case in cases(6, 8)) {
        let outcomes = [Formulation::Columns, Formulation::Compact].map(|f| ask(&case, Period::AtMost(20), f));
        match outcomes {
            [Ok(one), Ok(other)] => {
                check(&case, &parts(&one));
                check(&case, &parts(&other));
            }
            [Err(one), Err(other)] => {
                let apart = matches!(one, Error::Problem(Refusal::Problem(ProblemError::Unreachable { .. })));
                prop_assert!(apart && one == other, "{one} {other}");
            }
            other => prop_assert!(false, "{case:?}: {other:?}"),
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let case = sample();
    let refused = |period: Period| ask(&case, period, Formulation::Columns).unwrap_err();
    assert_eq!(
        refused(Period::AtMost(0)),
        Error::Problem(Refusal::Period(PeriodError::NoInstances))
    );
    for length in [ratio(0, 1), ratio(-1, 3)] {
        let expected = PeriodError::BadPeriod(Box::new(length.clone()));
        assert_eq!(
            refused(Period::Fixed(length)),
            Error::Problem(Refusal::Period(expected))
        );
    }
    for size in [ratio(0, 1), ratio(-2, 1)] {
        let case = Case {
            size,
            ..case.clone()
        };
        let error = ask(&case, Period::Exact, Formulation::Columns).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Problem(Refusal::Problem(ProblemError::Volume(_)))
            ),
            "{error}"
        );
    }
}

/// The largest and the smallest numbers that files may hold.
#[test]
fn extreme_numbers_are_only_numbers() {
    let case = sample();
    let huge = BigInt::from(10).pow(300);
    for size in [
        oneport::Rational::from_integer(huge.clone()),
        oneport::Rational::new(BigInt::one(), huge),
    ] {
        let case = Case {
            size,
            ..case.clone()
        };
        check(&case, &plan(&case, Period::Exact));
        check(&case, &plan(&case, Period::AtMost(3)));
        assert!(!plan(&case, Period::Exact).schedule.period.is_zero());
    }
}
