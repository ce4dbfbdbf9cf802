//! Rounding to whole messages, against the paper's own rule and exhaustive search on tiny platforms.

use crate::common;

use common::brute::{Verdict, check_whole, fits};
use common::{Case, connected_cases, ratio, sample, solution};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_lp::{Formulation, Question, Watch};
use oneport_period::integral::optimal_instances;
use oneport_period::rounding::{Target, round};
use oneport_period::{Period, PeriodError, whole_patterns};
use oneport_plan::{Problem, SteadyState, WholePatterns};
use oneport_platform::Rational;
use proptest::prelude::*;

fn rounded(
    case: &Case,
    steady_state: &SteadyState,
    target: &Target,
) -> Result<WholePatterns, PeriodError> {
    round(
        &Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(),
        steady_state,
        target,
        &Watch::unlimited(),
    )
}

/// RR-4872, section 4.6: every share of the period rounded down. The scarcest message decides.
fn paper_floor(case: &Case, steady_state: &SteadyState, period: &Rational) -> BigInt {
    let copies = |commodity: usize| -> BigInt {
        let of_it = steady_state
            .patterns
            .iter()
            .filter(|weighted| weighted.pattern.demand == commodity);
        of_it
            .map(|weighted| (&weighted.weight * period).floor().to_integer())
            .sum()
    };
    (0..case.collective.commodities().len())
        .map(copies)
        .min()
        .unwrap()
}

fn busiest(case: &Case, whole: &WholePatterns) -> Rational {
    let nodes = case.platform.nodes().len();
    let mut busy = vec![Rational::zero(); 2 * nodes];
    for scheduled in &whole.patterns {
        for link in scheduled.pattern.links() {
            let link = case.platform.link(link);
            let time = ratio(scheduled.copies.clone(), 1) * &case.size * &link.cost;
            busy[link.from.index()] += &time;
            busy[nodes + link.to.index()] += time;
        }
    }
    busy.into_iter().max().unwrap()
}

fn rate(whole: &WholePatterns) -> Rational {
    ratio(whole.instances.clone(), 1) / &whole.period
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_fixed_period_keeps_its_promises(
        case in connected_cases(5, 10),
        compact in any::<bool>(),
        p in 1..200i64,
        q in 1..5i64,
    ) {
        let formulation = if compact { Formulation::Compact } else { Formulation::Columns };
        let steady_state = solution(&case, formulation).steady_state;
        let period = ratio(p, q);
        let floor = paper_floor(&case, &steady_state, &period);
        match rounded(&case, &steady_state, &Target::Period(period.clone())) {
            Ok(whole) => {
                check_whole(&case, &whole);
                prop_assert_eq!(&whole.period, &period);
                let instances = BigInt::from(whole.instances);
                prop_assert!(instances >= floor, "{case:?}: {instances} instances, the paper's rule gives {floor}");
                prop_assert!(instances > BigInt::zero());
                prop_assert!(ratio(instances, 1) <= (&period * &steady_state.throughput).floor());
            }
            Err(PeriodError::PeriodTooShort { period: named, needed }) => {
                prop_assert_eq!(&*named, &period);
                prop_assert!(floor.is_zero(), "{case:?}: the paper's rule gives {floor}");
                prop_assert!(*needed > period, "{case:?}: {needed} is said to be enough, but not {period}");
                let whole = rounded(&case, &steady_state, &Target::Period(*needed)).unwrap();
                check_whole(&case, &whole);
            }
            other => prop_assert!(false, "{case:?}: {other:?}"),
        }
    }

    #[test]
    fn a_number_of_instances_keeps_its_promises(case in connected_cases(5, 10), most in 1..40u64) {
        let solution = solution(&case, Formulation::Columns);
        let steady_state = &solution.steady_state;
        let whole = rounded(&case, steady_state, &Target::Instances(most)).unwrap();
        check_whole(&case, &whole);
        prop_assert!(whole.instances > BigUint::zero() && whole.instances <= BigUint::from(most));
        prop_assert_eq!(&whole.period, &busiest(&case, &whole), "the period is longer than the busiest port needs");
        prop_assert!(rate(&whole) <= steady_state.throughput);
        let more = rounded(&case, steady_state, &Target::Instances(most + 1)).unwrap();
        prop_assert!(rate(&more) >= rate(&whole), "{case:?}: worse with {} instances than with {most}", most + 1);
        let volumes = case.volumes();
        let question = Question::new(&Problem::new(&case.platform, &case.collective, &volumes).unwrap());
        if optimal_instances(&question, &solution).own <= BigUint::from(most) {
            prop_assert_eq!(&rate(&whole), &steady_state.throughput);
        }
    }

    /// With integer programs, a period of a tiny platform is refused only if no whole instance fits.
    #[test]
    fn a_refused_period_is_too_short(case in connected_cases(4, 8), p in 1..40i64, q in 1..4i64) {
        let solution = solution(&case, Formulation::Columns);
        let volumes = case.volumes();
        let question = Question::new(&Problem::new(&case.platform, &case.collective, &volumes).unwrap());
        let period = ratio(p, q);
        if let Err(error) = whole_patterns(&question, &solution, &Period::Fixed(period.clone()), true) {
            prop_assert!(matches!(error, PeriodError::PeriodTooShort { .. }), "{:?}: {}", case, error);
            prop_assert_ne!(fits(&case, 1, &period), Verdict::Fits, "{:?}: {}", case, error);
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let case = sample();
    let steady_state = solution(&case, Formulation::Columns).steady_state;
    for period in [ratio(0, 1), ratio(-3, 2)] {
        let refused = rounded(&case, &steady_state, &Target::Period(period.clone()));
        assert_eq!(refused, Err(PeriodError::BadPeriod(Box::new(period))));
    }
    assert_eq!(
        rounded(&case, &steady_state, &Target::Instances(0)),
        Err(PeriodError::NoInstances)
    );
    for instances in [0, 7] {
        for most in [ratio(-1, 100), ratio(1, 1), ratio(3, 2)] {
            let refused = rounded(
                &case,
                &steady_state,
                &Target::Loss {
                    most: most.clone(),
                    instances,
                },
            );
            let expected = if instances == 0 {
                PeriodError::NoInstances
            } else {
                PeriodError::BadLoss(Box::new(most))
            };
            assert_eq!(refused, Err(expected));
        }
    }
    // The largest limit is an ordinary limit.
    check_whole(
        &case,
        &rounded(&case, &steady_state, &Target::Instances(u64::MAX)).unwrap(),
    );
}
