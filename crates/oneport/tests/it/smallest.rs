//! The smallest optimal period, and the fewest instances that lose little, against exhaustive search on tiny platforms.

use crate::common;
use crate::planned::parts;

use common::brute::{Verdict, fits};
use common::{Case, connected_cases};
use num_bigint::BigUint;
use num_traits::One;
use oneport::{DEFAULT_MAX_INSTANCES, Options, Period, Problem, Rational, solve};
use oneport_testkit::whole;
use proptest::prelude::*;

/// Largest number of instances searched exhaustively.
const MOST: u32 = 4;

/// The fewest instances per period, up to [`MOST`], that attain the throughput. `None` if the search gave up.
fn fewest(case: &Case, throughput: &Rational) -> Option<Option<u32>> {
    for instances in 1..=MOST {
        match fits(case, instances, &(whole(instances) / throughput)) {
            Verdict::Fits => return Some(Some(instances)),
            Verdict::DoesNotFit => {}
            Verdict::Unknown => return None,
        }
    }
    Some(None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(375))]

    #[test]
    fn no_smaller_period_attains_the_optimum(case in connected_cases(5, 20)) {
        let options = Options { period: Period::Exact, ..Options::default() };
        let Ok(solved) = solve(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), &options) else {
            return Err(TestCaseError::fail(format!("{case:?}: no plan")));
        };
        let plan = parts(&solved);
        let found = &plan.schedule.instances;
        match fewest(&case, &plan.steady_state.throughput) {
            None => {}
            Some(Some(fewest)) => prop_assert_eq!(found, &BigUint::from(fewest), "{:?}", case),
            Some(None) => prop_assert!(*found > BigUint::from(MOST), "{case:?}: {found} found"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(375))]

    #[test]
    fn no_fewer_instances_lose_as_little(case in connected_cases(5, 20), percent in 1..50i64, most in 1..9u64) {
        let loss = Rational::new(percent.into(), 100.into());
        for instances in [most, DEFAULT_MAX_INSTANCES] {
            let period = Period::Losing { most: loss.clone(), instances };
            let options = Options { period, ..Options::default() };
            let Ok(solved) = solve(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), &options) else {
                return Err(TestCaseError::fail(format!("{case:?}: no plan")));
            };
            let plan = parts(&solved);
            let enough = (Rational::one() - &loss) * &plan.steady_state.throughput;
            let found = &plan.schedule.instances;
            prop_assert!(*found <= BigUint::from(instances));
            match fewest(&case, &enough) {
                None => {}
                Some(Some(fewest)) if u64::from(fewest) <= instances => {
                    prop_assert_eq!(found, &BigUint::from(fewest), "{:?}", case);
                    prop_assert!(plan.schedule.throughput() >= enough, "{case:?}");
                }
                Some(_) if plan.schedule.throughput() >= enough => prop_assert!(*found > BigUint::from(MOST)),
                Some(_) => prop_assert!(instances < DEFAULT_MAX_INSTANCES, "{case:?}: 10,000 instances lose {loss}"),
            }
        }
    }
}
