//! Demands with counts: compared with lists that contain every message separately, and with larger messages.

use oneport_baselines::{Algorithm, RankHints, Routes, named};
use oneport_plan::{
    Collective, CustomDemand, Goals, Member, Platform, Problem, SteadyState, Volumes, Wanted,
};
use oneport_platform::generate::{self, Costs, Options};
use oneport_platform::{Node, PortModel, whole};
use oneport_referee::check_run;
use oneport_timing::{NamedSearch, PieceSearch, SearchLimits, TaskList, lower_bound};
use oneport_watch::Watch;

use crate::runs::{by_prices, check, collectives, counted, dates, delayed, number, routes};

fn platform(seed: u64, model: PortModel) -> Platform {
    let costs = Costs::Uniform { low: 1, high: 5 };
    let options = Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    };
    let made = generate::random_connected(4, 3, &options).unwrap();
    delayed(&made.with_model(model))
}

/// The demands as a list: each repeated by its rate, or once with that rate.
fn listed(collective: &Collective, once: bool) -> Collective {
    let one = |place: usize| {
        let (demand, rate) = (collective.demand(place).unwrap(), collective.rate(place));
        let custom = CustomDemand {
            owners: demand.operands.to_vec(),
            wanted: match demand.goals {
                Goals::At(node) => Wanted::At(vec![node]),
                Goals::Everywhere(nodes) => Wanted::At(nodes.to_vec()),
                Goals::Prefixes => Wanted::Prefixes,
            },
            commutative: demand.commutative,
            rate: if once { rate } else { 1 },
        };
        vec![custom; if once { 1 } else { rate as usize }]
    };
    Collective::Custom((0..collective.demands()).flat_map(one).collect())
}

/// Sizes and work of the operations here, times a number.
fn volumes(times: u64) -> Volumes {
    Volumes {
        size: (number("3/2") * whole(times)).into(),
        work: whole(times).into(),
    }
}

/// A platform, a collective with counts, the same without, and an algorithm that performs both.
fn each(see: &mut dyn FnMut(&Platform, &Collective, &Collective, &Algorithm, &Routes)) {
    for (seed, model) in (0..).zip(PortModel::ALL) {
        let platform = platform(seed, model);
        for plain in collectives(&platform) {
            let Some(counted) = counted(&plain) else {
                continue;
            };
            let problem = Problem::new(&platform, &plain, volumes(1)).unwrap();
            let routes = routes(&problem);
            for algorithm in named(&problem, &RankHints::default()) {
                see(&platform, &counted, &plain, &algorithm, &routes);
            }
        }
    }
}

#[test]
fn the_referee_executes_counts_above_the_bound() {
    let mut checked = 0;
    each(&mut |platform, counted, plain, algorithm, routes| {
        let problem = Problem::new(platform, counted, volumes(1)).unwrap();
        let name = format!("{} {counted} {}", platform.model(), algorithm.name);
        let loads = algorithm
            .loads(&problem, routes, &Watch::unlimited())
            .unwrap();
        let busiest = loads.throughput(&problem).unwrap().throughput.recip();
        let every = number("1000000000");
        let bound = lower_bound(&problem, &every, &Watch::unlimited()).max(by_prices(&problem));
        let steady = SteadyState {
            throughput: whole(1),
            patterns: algorithm.patterns(&problem, routes).unwrap(),
        };
        for pieces in [1, 3] {
            for draft in [
                TaskList::of_algorithm(&problem, algorithm, routes, pieces, &Watch::unlimited()),
                TaskList::of_patterns(&problem, &steady, pieces, 1, &Watch::unlimited()),
            ] {
                // The algorithm's own load is done by its own run.
                check(
                    &problem,
                    draft.unwrap(),
                    &bound.clone().max(busiest.clone()),
                    &name,
                );
                checked += 1;
            }
        }
        // Messages of one demand leave and enter together as one by one.
        for once in [true, false] {
            let list = problem.asking(listed(counted, once)).unwrap();
            assert_eq!(
                lower_bound(&list, &every, &Watch::unlimited()),
                lower_bound(&problem, &every, &Watch::unlimited()),
                "{name}"
            );
        }
        // A list that moves each value once does not perform a collective with counts.
        let single = problem.asking(plain).unwrap();
        let layout = TaskList::of_algorithm(&single, algorithm, routes, 1, &Watch::unlimited())
            .unwrap()
            .graph(&single, &Watch::unlimited())
            .expect("a graph");
        let run = layout.run(&dates(&single, &layout));
        let refused = check_run(&problem, &run).unwrap_err().to_string();
        assert!(refused.contains("add up to 1"), "{name}: {refused}");
    });
    assert!(checked > 200, "{checked} runs");
}

/// `c` messages of a demand are one of `c` times the size: in a form with counts, in a list, and in a group.
#[test]
fn equal_counts_are_larger_messages() {
    let mut checked = 0;
    each(&mut |platform, _, plain, algorithm, routes| {
        let name = format!("{} {plain} {}", platform.model(), algorithm.name);
        let larger = Problem::new(platform, plain, volumes(3)).unwrap();
        let state = |problem: &Problem| SteadyState {
            throughput: whole(1),
            patterns: algorithm.patterns(problem, routes).unwrap(),
        };
        let watch = Watch::unlimited();
        let limits = |pieces| SearchLimits {
            tasks: 2000,
            pieces,
            watch: &watch,
        };
        let shortest = |problem: &Problem, pieces: u32| {
            let state = state(problem);
            let zero = whole(0);
            let of_patterns =
                PieceSearch::of_patterns(problem, &state).shortest(problem, &limits(pieces), &zero);
            let of_named = NamedSearch::new(problem, algorithm, routes).shortest(
                problem,
                &limits(pieces),
                None,
            );
            [of_patterns, of_named].map(|found| {
                let found = found.unwrap();
                assert_eq!(
                    check_run(problem, &found.run()).unwrap(),
                    found.shortest.length,
                    "{name}"
                );
                found.shortest
            })
        };
        let right = shortest(&larger, 6);
        let member = Member {
            collective: plain.clone(),
            rate: 3,
        };
        for counted in [
            plain
                .clone()
                .with_counts(&vec![3; plain.demands()])
                .unwrap(),
            Collective::Groups(vec![member]),
            listed(
                &plain
                    .clone()
                    .with_counts(&vec![3; plain.demands()])
                    .unwrap(),
                true,
            ),
        ] {
            let problem = Problem::new(platform, &counted, volumes(1)).unwrap();
            // A message of two bytes: three of them are six.
            assert_eq!(shortest(&problem, 2), right, "{name}");
            let alike = problem.with_largest_messages();
            assert_eq!(alike.volumes(), larger.volumes(), "{name}");
            assert_eq!(
                alike.demands().collect::<Vec<_>>(),
                larger.demands().collect::<Vec<_>>()
            );
            assert!((0..plain.demands()).all(|demand| alike.collective().rate(demand) == 1));
            checked += 1;
        }
    });
    assert!(checked > 100, "{checked} questions");
}

/// With a factor in all counts, or in the size and the work, the dates are equal.
#[test]
fn a_common_factor_is_a_size() {
    let mut checked = 0;
    each(&mut |platform, counted, plain, algorithm, routes| {
        let counts: Vec<u64> = counted.counts().unwrap().map(|count| 5 * count).collect();
        let five = plain.clone().with_counts(&counts).unwrap();
        let often = Problem::new(platform, &five, volumes(1)).unwrap();
        let alike = often.with_largest_messages();
        assert_eq!(alike, Problem::new(platform, counted, volumes(5)).unwrap());
        let length = |problem: &Problem| {
            let draft =
                TaskList::of_algorithm(problem, algorithm, routes, 2, &Watch::unlimited()).unwrap();
            dates(
                problem,
                &draft.graph(problem, &Watch::unlimited()).expect("a graph"),
            )
            .length()
        };
        assert_eq!(length(&often), length(&alike));
        checked += 1;
    });
    assert!(checked > 20, "{checked} questions");
}

/// Three tokens pass a row of nodes in sequence: three differ from one that is three times as large.
#[test]
fn whole_tokens_are_not_joined() {
    let mut builder = Platform::builder();
    let mut node = |name: u32| {
        builder
            .node(Node::processor(name.to_string(), whole(1)))
            .unwrap()
    };
    let nodes: Vec<_> = (0..5).map(&mut node).collect();
    for pair in nodes.windows(2) {
        builder.link(pair[0], pair[1], whole(1)).unwrap();
        builder.link(pair[1], pair[0], whole(1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let volumes = Volumes {
        work: whole(0).into(),
        ..Volumes::of_size(whole(1))
    };
    let barrier = Collective::barrier(nodes);
    let once = Problem::new(&platform, &barrier, &volumes).unwrap();
    let member = Member {
        collective: barrier,
        rate: 3,
    };
    let thrice = once.asking(Collective::Groups(vec![member])).unwrap();
    let routes = routes(&once);
    let named = named(&once, &RankHints::default());
    let chain = named.iter().find(|one| one.name == "chain").unwrap();
    let pattern = chain.patterns(&once, &routes).unwrap();
    let state = SteadyState {
        throughput: whole(1),
        patterns: [&pattern[..]; 3].concat(),
    };
    let draft = TaskList::of_patterns(&thrice, &state, 1, 0, &Watch::unlimited()).unwrap();
    assert!(draft.pieces.iter().all(|piece| piece.share == whole(1)));
    let layout = draft.graph(&thrice, &Watch::unlimited()).expect("a graph");
    let timing = dates(&thrice, &layout);
    let length = check_run(&thrice, &layout.run(&timing)).unwrap();
    // Joined they would pass four links in 3 each.
    assert!(length < whole(12));
    let alike = thrice.with_largest_messages();
    assert!(lower_bound(&alike, &whole(1_000_000), &Watch::unlimited()) <= length);
    // An uncut token passes four links.
    assert!(lower_bound(&once, &whole(1_000_000), &Watch::unlimited()) >= whole(4));
}
