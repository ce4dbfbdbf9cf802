//! Work that is ended ends, measured in checks of the watch, which are the watch's clock.

use std::time::Duration;

use oneport_baselines::{RankHints, named};
use oneport_plan::{Collective, Problem, SteadyState, Volumes};
use oneport_platform::generate::{self, Costs, Options};
use oneport_timing::{NamedSearch, PieceSearch, SearchLimits, TaskList, TimingError, lower_bound};
use oneport_watch::Watch;

use crate::runs::{number, routes};

/// Checks that may follow the end, for any work.
const FEW: u64 = 10;

/// The search for the best number of pieces, of named algorithms and of patterns, as `compare` and `time` call it.
#[test]
fn searches_for_pieces_end() {
    let costs = Costs::Uniform { low: 1, high: 5 };
    let options = Options {
        seed: 3,
        link_cost: costs.clone(),
        compute: costs,
    };
    let platform = generate::random_connected(6, 3, &options).expect("a platform");
    let participants: Vec<_> = platform.processors().collect();
    let volumes = Volumes::of_size(number("90"));
    let mut asked = 0;
    for collective in [
        Collective::all_gather(participants.clone()),
        Collective::all_reduce(participants.clone()),
    ] {
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let routes = routes(&problem);
        for algorithm in named(&problem, &RankHints::default()) {
            let patterns = algorithm.patterns(&problem, &routes).expect("patterns");
            let state = SteadyState {
                throughput: number("1"),
                patterns,
            };
            let work = |watch: &Watch| {
                let search = SearchLimits {
                    tasks: 2_000,
                    pieces: 1 << 10,
                    watch,
                };
                let _ = NamedSearch::new(&problem, &algorithm, &routes)
                    .shortest(&problem, &search, None);
                let _ = PieceSearch::of_patterns(&problem, &state).shortest(
                    &problem,
                    &search,
                    &number("0"),
                );
            };
            let free = Watch::in_questions(u64::from(u32::MAX));
            work(&free);
            asked += free.questions();
            for tenth in 1..10 {
                let limit = free.questions() * tenth / 10;
                let watch = Watch::in_questions(limit);
                work(&watch);
                let after = watch.questions().saturating_sub(limit);
                let name = &algorithm.name;
                assert!(
                    after <= free.questions() / 20 + FEW,
                    "{name}: {after} after {limit} of {}",
                    free.questions()
                );
            }
        }
    }
    assert!(asked > 100, "{asked}");
}

/// For every last check of the watch, the bound is that of the throughput alone, or the whole one.
#[test]
fn a_bound_that_ends_early_is_that_of_the_throughput() {
    let platform = generate::random_connected(6, 3, &Options::default()).expect("a platform");
    let participants: Vec<_> = platform.processors().collect();
    let collective = Collective::all_reduce(participants);
    let volumes = Volumes::of_size(number("90"));
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let throughput = number("7");
    let whole = lower_bound(&problem, &throughput, &Watch::unlimited());
    assert!(whole > throughput.recip());
    for looks in 0.. {
        let watch = Watch::counting(looks, Duration::ZERO);
        let found = lower_bound(&problem, &throughput, &watch);
        if watch.ended().is_none() {
            // The demand, each node three times, each pair.
            assert!(looks >= 1 + 3 * 6 + 30, "{looks}");
            assert_eq!(found, whole);
            return;
        }
        assert_eq!(found, throughput.recip());
    }
}

#[test]
fn a_graph_of_tasks_ends() {
    let platform = generate::random_connected(6, 3, &Options::default()).expect("a platform");
    let participants: Vec<_> = platform.processors().collect();
    let collective = Collective::all_gather(participants);
    let volumes = Volumes::of_size(number("90"));
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let routes = routes(&problem);
    let all = named(&problem, &RankHints::default());
    let list = TaskList::of_algorithm(&problem, &all[0], &routes, 100, &Watch::unlimited())
        .expect("a list");
    let tasks = list.tasks.len() as u64;
    assert!(tasks > 2048, "{tasks}");
    for looks in 0.. {
        let watch = Watch::counting(looks, Duration::ZERO);
        match list.clone().graph(&problem, &watch) {
            Err(TimingError::Stopped(_)) => {}
            found => {
                assert_eq!(found.expect("a graph").tasks() as u64, tasks);
                assert!(looks >= tasks / 1024, "{looks}");
                return;
            }
        }
    }
}
