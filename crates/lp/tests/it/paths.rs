//! A second formulation as oracle: one variable per simple path, solved without any floating point.

use crate::common;

use std::collections::BTreeMap;

use common::{Case, cases, simple_paths, throughput};
use num_traits::{One, Zero};
use oneport_exact::{
    LinearProgram, Method, Options, Outcome, Relation, Sense, Solver, check_optimum,
};
use oneport_plan::Resource;
use oneport_platform::Rational;
use proptest::prelude::*;

/// Maximise TP such that every message's paths add up to TP and no port is busy for more than one unit of time.
fn by_paths(case: &Case) -> Rational {
    let mut program = LinearProgram::new(Sense::Maximize);
    let mut ports = BTreeMap::new();
    for node in case.platform.node_ids() {
        for port in [Resource::Send(node), Resource::Receive(node)] {
            ports.insert(port, program.add_row(Relation::AtMost, Rational::one()));
        }
    }
    let commodities = case.collective.commodities();
    let served: Vec<_> = commodities
        .iter()
        .map(|_| program.add_row(Relation::Equal, Rational::zero()))
        .collect();
    program
        .add_column(
            Rational::one(),
            served.iter().map(|&row| (row, -Rational::one())),
        )
        .unwrap();
    for (commodity, row) in commodities.iter().zip(&served) {
        for path in simple_paths(&case.platform, commodity.source, commodity.target) {
            let mut entries = vec![(*row, Rational::one())];
            for link in path {
                let link = case.platform.link(link);
                let time = &case.size * &link.cost;
                // A simple path uses a port at most once.
                entries.push((ports[&Resource::Send(link.from)], time.clone()));
                entries.push((ports[&Resource::Receive(link.to)], time));
            }
            program.add_column(Rational::zero(), entries).unwrap();
        }
    }
    let options = Options {
        method: Method::ExactPivots,
        ..Options::default()
    };
    let outcome = Solver::new(program.clone()).solve(&options).unwrap();
    let Outcome::Optimal(optimum) = outcome else {
        panic!("{case:?}: {outcome:?}")
    };
    assert!(check_optimum(&program, &optimum), "{case:?}");
    optimum.objective
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn flows_are_as_fast_as_paths(case in cases(5, 12)) {
        prop_assert_eq!(throughput(&case), by_paths(&case), "{:?}", case);
    }
}
