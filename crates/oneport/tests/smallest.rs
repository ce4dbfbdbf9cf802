//! The smallest optimal period, against exhaustive search on tiny platforms.

#[path = "../../lp/tests/common/mod.rs"]
mod common;

use common::brute::{Verdict, fits};
use common::{Case, connected_cases};
use num_bigint::BigUint;
use oneport::{Options, Outcome, Period, Rational, solve};
use proptest::prelude::*;

/// Largest number of instances searched exhaustively.
const MOST: u32 = 4;

/// The fewest instances per period, up to [`MOST`], that attain the throughput; `None` when the search gave up.
fn fewest(case: &Case, throughput: &Rational) -> Option<Option<u32>> {
    for instances in 1..=MOST {
        match fits(case, instances, &(Rational::from_integer(instances.into()) / throughput)) {
            Verdict::Fits => return Some(Some(instances)),
            Verdict::DoesNotFit => {}
            Verdict::Unknown => return None,
        }
    }
    Some(None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_smaller_period_attains_the_optimum(case in connected_cases(5, 20)) {
        let options = Options { volumes: case.volumes(), period: Period::Exact, ..Options::default() };
        let Ok(Outcome::Planned(planned)) = solve(&case.platform, &case.collective, &options) else {
            return Err(TestCaseError::fail(format!("{case:?}: no plan")));
        };
        let found = &planned.plan.schedule.instances;
        match fewest(&case, &planned.plan.steady_state.throughput) {
            None => {}
            Some(Some(fewest)) => prop_assert_eq!(found, &BigUint::from(fewest), "{:?}", case),
            Some(None) => prop_assert!(*found > BigUint::from(MOST), "{case:?}: {found} found"),
        }
    }
}
