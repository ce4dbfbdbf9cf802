//! All-reduces in two levels: the referee accepts them, and their loads are those counted by hand.

use oneport_baselines::in_two_levels;
use oneport_plan::{Collective, Problem, Rational, Volumes};
use oneport_platform::generate::{dgx_a100, dgx_h100};
use oneport_watch::Watch;

use crate::named::{check, routes};

/// A GPU sends S to 7 others of its box and to one of each other box, or shares of S / 8. NVLink carries 300 (450)
/// GB/s, a card 25 (50) GB/s.
#[test]
fn loads_are_those_counted_by_hand() {
    let ratio = |one: u64, other: u64| Rational::new(one.into(), other.into());
    let a100 = |boxes| dgx_a100(boxes).expect("boxes");
    for (platform, expected) in [
        (a100(2), [ratio(25, 1), ratio(25, 1), ratio(300 * 4, 7)]),
        (a100(4), [ratio(25, 3), ratio(25, 3), ratio(25 * 8, 3)]),
        (
            dgx_h100(2).expect("boxes"),
            [ratio(50, 1), ratio(50, 1), ratio(450 * 4, 7)],
        ),
    ] {
        let everybody = platform.processors().collect();
        let collective = Collective::all_reduce(everybody).commutative(true);
        let volumes = Volumes {
            work: oneport_plan::Amount::Constant(Rational::default()),
            ..Volumes::default()
        };
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let routes = routes(&problem);
        let all = in_two_levels(&problem, &Watch::unlimited());
        assert_eq!(all.len(), 3);
        for (algorithm, expected) in all.iter().zip(expected) {
            let loads = algorithm
                .loads(&problem, &routes, &Watch::unlimited())
                .expect("loads");
            let found = loads.throughput(&problem).expect("a throughput");
            assert_eq!(found.throughput, expected, "{}", algorithm.name);
            check(&problem, algorithm, &routes);
        }
    }
}

#[test]
fn unequal_groups_and_other_collectives_have_none() {
    let platform = dgx_a100(2).expect("boxes");
    let all: Vec<_> = platform.processors().collect();
    for collective in [
        Collective::all_gather(all.clone()),
        Collective::all_reduce(all[1..].to_vec()),
        Collective::all_reduce(all[..8].to_vec()),
    ] {
        let problem = Problem::new(&platform, &collective, Volumes::default()).expect("a question");
        assert!(
            in_two_levels(&problem, &Watch::unlimited()).is_empty(),
            "{collective}"
        );
    }
}
