//! One size after the other: cached values change no date.

use oneport_baselines::{RankHints, named};
use oneport_plan::{Amount, Problem, SteadyState, Volumes};
use oneport_platform::PortModel;
use oneport_platform::generate::{self, Costs, Options};
use oneport_referee::check_run;
use oneport_timing::{NamedSearch, PieceSearch, SearchLimits, TaskList, TimedPieces, proportion};
use oneport_watch::Watch;

use crate::runs::{collectives, dates, delayed, number, routes};

fn volumes(size: &str, work: &str) -> Volumes {
    Volumes {
        work: Amount::Constant(number(work)),
        ..Volumes::of_size(number(size))
    }
}

/// A new simulation of the run found has the same dates. The referee finds its length.
fn check(problem: &Problem, found: &TimedPieces, draft: TaskList, name: &str) {
    let layout = draft.graph(problem, &Watch::unlimited()).expect("a graph");
    let run = found.run();
    assert_eq!(run, layout.run(&dates(problem, &layout)), "{name}");
    assert_eq!(
        check_run(problem, &run).expect(name),
        found.shortest.length,
        "{name}"
    );
}

#[test]
fn what_is_kept_from_size_to_size_changes_no_date() {
    let watch = Watch::unlimited();
    let (mut checked, mut finer) = (0, 0);
    for (seed, model) in (0..).zip(PortModel::ALL) {
        let costs = Costs::Uniform { low: 1, high: 5 };
        let options = Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let bare = generate::random_connected(4, 3, &options)
            .expect("a platform")
            .with_model(model);
        for platform in [delayed(&bare), bare] {
            for collective in collectives(&platform) {
                // Work grows with the size except for the last but one, so dates are in proportion to the first's or
                // not.
                let sizes = [
                    ("1/2", "1/3"),
                    ("7/3", "14/9"),
                    ("40", "80/3"),
                    ("90", "7"),
                    ("120", "28/3"),
                ];
                let all = sizes.map(|(size, work)| volumes(size, work));
                let problem =
                    |volumes| Problem::new(&platform, &collective, volumes).expect("a question");
                let first = problem(&all[0]);
                let routes = routes(&first);
                let known = named(&first, &RankHints::default());
                for algorithm in known
                    .iter()
                    .filter(|algorithm| ["ring", "chain", "direct"].contains(&&*algorithm.name))
                {
                    let patterns = algorithm.patterns(&first, &routes).expect("patterns");
                    let state = SteadyState {
                        throughput: number("1"),
                        patterns,
                    };
                    let mut ways = (
                        NamedSearch::new(&first, algorithm, &routes),
                        PieceSearch::of_patterns(&first, &state),
                    );
                    let mut before = 1;
                    for (place, volumes) in all.iter().enumerate() {
                        let problem = problem(volumes);
                        let search = SearchLimits {
                            tasks: 400,
                            pieces: 2 << (2 * place),
                            watch: &watch,
                        };
                        let name = format!("{model} {collective} {} {place}", algorithm.name);
                        let found = ways.0.shortest(&problem, &search, None).expect(&name);
                        let pieces = found.shortest.pieces;
                        finer += usize::from(pieces > before);
                        before = pieces;
                        let draft = TaskList::of_algorithm(
                            &problem,
                            algorithm,
                            &routes,
                            pieces,
                            &Watch::unlimited(),
                        )
                        .expect(&name);
                        check(&problem, &found, draft, &name);
                        let found = ways
                            .1
                            .shortest(&problem, &search, &number("0"))
                            .expect(&name);
                        let draft = TaskList::of_patterns(
                            &first,
                            &state,
                            found.shortest.pieces,
                            found.shortest.priority_offset,
                            &Watch::unlimited(),
                        )
                        .expect(&name);
                        check(&problem, &found, draft, &format!("{name} as patterns"));
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(
        checked > 200 && finer > 20,
        "{checked} sizes, {finer} times more pieces"
    );
}

/// A few trees over one platform: in uncut pieces, the first size has the best of all orders, or one that is equally
/// good.
#[test]
fn the_first_size_has_the_best_order() {
    let watch = Watch::unlimited();
    let (mut earlier, mut checked) = (0, 0);
    for (seed, model) in (0..).zip(PortModel::ALL.into_iter().cycle().take(12)) {
        let costs = Costs::Uniform { low: 1, high: 5 };
        let options = Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let platform = delayed(
            &generate::random_connected(6, 3, &options)
                .expect("a platform")
                .with_model(model),
        );
        for collective in collectives(&platform) {
            let volumes = volumes("40", "1");
            let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
            let routes = routes(&problem);
            let known = named(&problem, &RankHints::default());
            let all = known
                .iter()
                .filter_map(|algorithm| algorithm.patterns(&problem, &routes).ok());
            let patterns: Vec<_> = all.flatten().collect();
            if patterns.is_empty() {
                continue;
            }
            let state = SteadyState {
                throughput: number("1"),
                patterns,
            };
            let search = SearchLimits {
                tasks: 4000,
                pieces: 1,
                watch: &watch,
            };
            let found = PieceSearch::of_patterns(&problem, &state)
                .shortest(&problem, &search, &number("0"))
                .expect("a run");
            check_run(&problem, &found.run()).expect("a run");
            let length = |priority_offset| {
                let draft = TaskList::of_patterns(
                    &problem,
                    &state,
                    1,
                    priority_offset,
                    &Watch::unlimited(),
                )
                .expect("a draft");
                dates(
                    &problem,
                    &draft.graph(&problem, &Watch::unlimited()).expect("a graph"),
                )
                .length()
            };
            // Small gains are not worth a change.
            let best = [0, 1, 4, 16, 64]
                .map(length)
                .into_iter()
                .min()
                .expect("orders");
            assert!(
                &found.shortest.length * number("999/1000") <= best,
                "{model} {collective}"
            );
            assert_eq!(
                found.shortest.length,
                length(found.shortest.priority_offset),
                "{model} {collective}"
            );
            earlier += usize::from(found.shortest.priority_offset > 0);
            checked += 1;
        }
    }
    assert!(
        earlier > 10 && checked > 40,
        "{earlier} of {checked} in another order"
    );
}

/// However small sizes are, a run takes its longest chain of delays.
#[test]
fn no_number_of_segments_is_shorter_than_the_delays() {
    let mut met = 0;
    for (seed, model) in (0..).zip(PortModel::ALL) {
        let costs = Costs::Uniform { low: 1, high: 5 };
        let options = Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let platform = delayed(
            &generate::random_connected(5, 3, &options)
                .expect("a platform")
                .with_model(model),
        );
        for collective in collectives(&platform) {
            let volumes = volumes("1/1000000", "1/1000000");
            let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
            let routes = routes(&problem);
            for algorithm in named(&problem, &RankHints::default()) {
                let draft = |segments| {
                    TaskList::of_algorithm(
                        &problem,
                        &algorithm,
                        &routes,
                        segments,
                        &Watch::unlimited(),
                    )
                    .expect("a draft")
                };
                let delay = draft(1)
                    .graph(&problem, &Watch::unlimited())
                    .expect("a graph")
                    .delay(&platform);
                for segments in [1, 2, 5] {
                    let length = dates(
                        &problem,
                        &draft(segments)
                            .graph(&problem, &Watch::unlimited())
                            .expect("a graph"),
                    )
                    .length();
                    assert!(
                        delay <= length,
                        "{model} {collective} {}: {delay} {length}",
                        algorithm.name
                    );
                    met += usize::from(length < &delay + number("1/1000"));
                }
            }
        }
    }
    assert!(met > 20, "{met} runs take next to nothing but delays");
}

#[test]
fn volumes_grow_in_proportion_or_not() {
    let times = |one: [&str; 2], other: [&str; 2]| {
        proportion(&volumes(one[0], one[1]), &volumes(other[0], other[1]))
            .map(|factor| factor.to_string())
    };
    assert_eq!(times(["2", "3"], ["3", "9/2"]).as_deref(), Some("3/2"));
    assert_eq!(times(["2", "0"], ["1", "0"]).as_deref(), Some("1/2"));
    assert_eq!(times(["2", "3"], ["4", "3"]), None);
    assert_eq!(times(["2", "0"], ["4", "1"]), None);
    assert_eq!(times(["0", "0"], ["4", "0"]), None);
}
