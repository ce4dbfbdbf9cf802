//! A comparison that a limit ends has the algorithms that were rated before.

use std::time::Duration;

use oneport_baselines::{BaselineError, Comparison, known};
use oneport_plan::{Collective, Problem, Rational, Volumes};
use oneport_platform::generate::{self, Costs, Options};
use oneport_watch::{Left, Limit, Watch};

use crate::named::routes;

/// For every last check of the watch: a row is one of the whole comparison, and has at most its throughput.
#[test]
fn what_is_rated_before_the_end_is_of_the_whole_comparison() {
    let costs = Costs::Uniform { low: 1, high: 5 };
    let options = Options {
        seed: 5,
        link_cost: costs.clone(),
        compute: costs,
    };
    let platform = generate::random_connected(6, 3, &options).expect("a platform");
    let all: Vec<_> = platform.processors().collect();
    let volumes = Volumes::of_size(Rational::from_integer(1.into()));
    for collective in [
        Collective::all_gather(all.clone()),
        Collective::reduce(all[0], all.clone()),
    ] {
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let whole = Comparison::of(&problem, &Watch::unlimited()).expect("a comparison");
        let rated = |comparison: &Comparison| {
            let rows = comparison.rows.iter().chain(&comparison.out_of_order);
            let row = |row: &oneport_baselines::Compared| {
                (row.algorithm.name.clone(), row.sustained.throughput.clone())
            };
            rows.map(row).collect::<Vec<_>>()
        };
        let (mut looks, mut most) = (0, 0);
        loop {
            let watch = Watch::counting(looks, Duration::ZERO);
            let part = Comparison::of(&problem, &watch).expect("a comparison");
            if part.ended_by.is_none() {
                assert_eq!(rated(&part), rated(&whole));
                break;
            }
            assert_eq!(part.ended_by, Some(Limit::Caller));
            for (name, throughput) in rated(&part) {
                let whole = rated(&whole);
                let row = whole.iter().find(|(known, _)| *known == name);
                assert!(row.is_some_and(|row| throughput <= row.1), "{name}");
            }
            most = most.max(rated(&part).len());
            looks += 1;
        }
        assert!(most == rated(&whole).len() && looks > 20, "{most}, {looks}");
        // Without room for the routes nothing is rated.
        let narrow = Watch::new(|| Left {
            bytes: Some(100),
            ..Left::default()
        });
        let none = Comparison::of(&problem, &narrow).expect("a comparison");
        assert_eq!(
            (rated(&none).len(), none.ended_by),
            (0, Some(Limit::Memory))
        );
    }
}

/// Loads that a limit cuts short are not returned.
#[test]
fn loads_are_those_of_all_messages() {
    let platform = generate::random_connected(5, 3, &Options::default()).expect("a platform");
    let all: Vec<_> = platform.processors().collect();
    let collective = Collective::all_reduce(all);
    let problem = Problem::new(&platform, &collective, Volumes::default()).expect("a question");
    let routes = routes(&problem);
    for algorithm in known(&problem, &routes, &Watch::unlimited()) {
        let whole = algorithm
            .loads(&problem, &routes, &Watch::unlimited())
            .expect("loads");
        for looks in 0.. {
            let watch = Watch::counting(looks, Duration::ZERO);
            match algorithm.loads(&problem, &routes, &watch) {
                Err(BaselineError::Stopped(limit)) => assert_eq!(limit, Limit::Caller),
                found => {
                    assert_eq!(found, Ok(whole));
                    // Every rank, and at least as many messages.
                    assert!(looks > 8, "{}: {looks}", algorithm.name);
                    break;
                }
            }
        }
    }
}
