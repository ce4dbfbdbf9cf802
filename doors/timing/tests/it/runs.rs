//! The referee executes every run in its stated time, and the bound is below. Broken runs are refused.

use std::collections::BTreeSet;

use oneport_baselines::{
    Forwarders, Moved, Moves, RankHints, Routes, Ties, named, of_moves, ranks,
};
use oneport_plan::{
    Certificate, Collective, Form, NodeId, Platform, Problem, Rational, Resource, Run, RunTask,
    SteadyState, Volumes,
};
use oneport_platform::generate::{self, Costs, Options, SwitchedBoxes};
use oneport_platform::{Change, Delays, Node, PortModel, Shared, parse_rational};
use oneport_referee::{bound, check_run};
use oneport_timing::{
    PieceSearch, SearchLimits, TaskGraph, TaskList, Timing, lower_bound,
    lower_bound_from_certificate,
};
use oneport_watch::{Limit, Watch};

/// The cheapest routes from all ranks; senders take turns.
pub fn routes(problem: &Problem) -> Routes {
    routes_over(problem, Forwarders::Anything)
}

fn routes_over(problem: &Problem, over: Forwarders) -> Routes {
    let (platform, unlimited) = (problem.platform(), Watch::unlimited());
    Routes::new(platform, &ranks(problem), over, Ties::Turns, &unlimited).expect("no limit")
}

pub fn number(text: &str) -> Rational {
    parse_rational(text).expect("a number")
}

/// The platform with latency `i mod 3 / 2` and overhead `i mod 2 / 3` at link `i`.
pub fn delayed(platform: &Platform) -> Platform {
    let mut builder = Platform::builder();
    builder.model(platform.model());
    platform
        .nodes()
        .iter()
        .for_each(|node| assert!(builder.node(node.clone()).is_ok()));
    for (number, link) in platform.links().iter().enumerate() {
        let made = builder
            .link(link.from, link.to, link.cost.clone())
            .expect("a link");
        let latency = Rational::new((number % 3).into(), 2.into());
        let overhead = Rational::new((number % 2).into(), 3.into());
        builder
            .delays(made, Delays { latency, overhead })
            .expect("delays");
    }
    for shared in platform.shared() {
        builder.share(shared.clone()).expect("links");
    }
    builder.build().expect("a platform")
}

/// Takes the ports away: every second link shares a capacity, every third another, which counts every
/// sixth link twice.
pub fn shared(platform: &Platform) -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    for node in platform.nodes() {
        builder.node(node.clone()).expect("a node");
    }
    for link in platform.links() {
        builder
            .link(link.from, link.to, link.cost.clone())
            .expect("a link");
    }
    let every = |step: usize| platform.link_ids().step_by(step);
    let twice = every(3).chain(every(6)).collect::<Vec<_>>();
    builder
        .share(Shared::new("one", number("3/4"), every(2)))
        .expect("links");
    builder
        .share(Shared::new("other", number("8/5"), twice))
        .expect("links");
    builder.build().expect("a platform")
}

/// Dates without a limit.
pub fn dates(problem: &Problem, layout: &TaskGraph) -> Timing {
    layout
        .simulate(problem, None, &Watch::unlimited())
        .expect("dates")
}

pub fn collectives(platform: &Platform) -> Vec<Collective> {
    let all: Vec<NodeId> = platform.processors().collect();
    let build = |form: &&'static Form| {
        let others = if form.overlaps() {
            all.clone()
        } else {
            all[1..].to_vec()
        };
        let nodes = match form.roles {
            [one, _] if !one.many => vec![vec![all[0]], others],
            [_, _] => vec![all[..2].to_vec(), all.clone()],
            _ => vec![all.clone()],
        };
        form.build(&nodes, form.commutes()).expect("roles")
    };
    Collective::forms()
        .iter()
        .filter(|form| !form.counted)
        .map(build)
        .collect()
}

/// The collective with counts 1, 3 and 2 in turn. `None` if it takes no counts.
pub fn counted(collective: &Collective) -> Option<Collective> {
    let counts: Vec<u64> = (0..collective.demands() as u64)
        .map(|place| 1 + 2 * place % 3)
        .collect();
    collective.clone().with_counts(&counts).ok()
}

/// A throughput above every steady state's: only delays and ports count.
fn boundless() -> Rational {
    number("1000000000")
}

/// The best bound on one operation from single prices and three lists of prices.
pub fn by_prices(problem: &Problem) -> Rational {
    let platform = problem.platform();
    let computing = platform.processors().map(Resource::Compute);
    let all: Vec<Resource> = Resource::of_platform(platform)
        .into_iter()
        .chain(computing)
        .collect();
    let mut lists: Vec<Vec<(Resource, u64)>> =
        all.iter().map(|&resource| vec![(resource, 1)]).collect();
    for seed in 1..4 {
        let price = |(place, &resource): (usize, &Resource)| {
            (resource, (place as u64 * 5 + seed) * seed % 4)
        };
        lists.push(
            all.iter()
                .enumerate()
                .map(price)
                .filter(|(_, price)| *price > 0)
                .collect(),
        );
    }
    let mut best = Rational::default();
    for list in lists {
        let mut prices: Vec<(Resource, Rational)> = list
            .into_iter()
            .map(|(resource, price)| (resource, Rational::from_integer(price.into())))
            .collect();
        prices.sort();
        let certificate = Certificate::of_prices(prices);
        // If everything is free under these prices, they prove nothing.
        if let Ok(throughput) = bound(problem, &certificate, &Watch::unlimited()) {
            let least = lower_bound_from_certificate(problem, &certificate, &throughput);
            assert!(least >= throughput.recip());
            best = best.max(least);
        }
    }
    best
}

#[test]
fn the_referee_executes_every_run() {
    let mut checked = 0;
    for (seed, model) in (0..).zip(PortModel::ALL) {
        let costs = Costs::Uniform { low: 1, high: 5 };
        let options = Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let made = generate::random_connected(5, 3, &options)
            .expect("a platform")
            .with_model(model);
        let platform = delayed(&made);
        for collective in collectives(&platform) {
            let volumes = Volumes::of_size(number("3/2"));
            let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
            let routes = routes(&problem);
            let bound =
                lower_bound(&problem, &boundless(), &Watch::unlimited()).max(by_prices(&problem));
            for algorithm in named(
                &problem,
                &RankHints {
                    order: vec![],
                    groups: vec![vec![0, 1, 2], vec![3, 4]],
                    ..RankHints::default()
                },
            ) {
                // A token is not cut.
                let most = if collective.is_cut() { 4 } else { 1 };
                for segments in [1, most.min(3)] {
                    let draft = TaskList::of_algorithm(
                        &problem,
                        &algorithm,
                        &routes,
                        segments,
                        &Watch::unlimited(),
                    )
                    .expect("a draft");
                    check(
                        &problem,
                        draft,
                        &bound,
                        &format!("{model} {collective} {}", algorithm.name),
                    );
                    checked += 1;
                }
                let patterns = algorithm.patterns(&problem, &routes).expect("patterns");
                let state = SteadyState {
                    throughput: number("1"),
                    patterns,
                };
                let draft = TaskList::of_patterns(&problem, &state, most, 1, &Watch::unlimited())
                    .expect("a draft");
                check(
                    &problem,
                    draft,
                    &bound,
                    &format!("{model} {collective} {} as patterns", algorithm.name),
                );
            }
        }
    }
    assert!(checked > 200, "{checked} runs");
}

/// NCCL's NVLS and CollNet merge in switches, which have no process.
#[test]
fn runs_that_merge_in_switches_are_executed() {
    let mut names = BTreeSet::new();
    for (boxes, hubs) in [(1, &[][..]), (2, &["ib0", "ib1"])] {
        let made = generate::switched_boxes(SwitchedBoxes {
            sharp: true,
            boxes,
            accelerators: 2,
            inside: 4,
            network: 1,
            rails: 2,
        })
        .expect("boxes");
        let changes = hubs.iter().flat_map(|name| {
            let hub = made.find(name).expect("a switch");
            [
                Change::Reduces(hub, Some(number("1/8"))),
                Change::Replicates(hub, true),
            ]
        });
        let changes: Vec<Change> = changes.collect();
        let made = made.changed(&changes).expect("a platform").platform;
        let platform = delayed(&made);
        for collective in collectives(&platform) {
            let problem = Problem::new(&platform, &collective, Volumes::default());
            let problem = problem.expect("a question");
            let routes = routes(&problem);
            let bound = lower_bound(&problem, &boundless(), &Watch::unlimited());
            let all = named(
                &problem,
                &RankHints::find(&problem, &routes, &Watch::unlimited()),
            );
            for row in all.iter().filter(|row| row.name.contains("N")) {
                for segments in [1, 3] {
                    let draft = TaskList::of_algorithm(
                        &problem,
                        row,
                        &routes,
                        segments,
                        &Watch::unlimited(),
                    );
                    check(&problem, draft.expect("a draft"), &bound, &row.name);
                }
                names.insert(row.name.clone());
            }
        }
    }
    for name in [
        "NCCL NVLS",
        "NCCL NVLSTree",
        "NCCL CollNetChain",
        "NCCL CollNetDirect",
    ] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
}

/// Three ranks in full duplex send one another their values, of size 1 at cost 1, and add the three values in three
/// orders: each sends and receives two, so the throughput is 1/2. The value that a rank adds first comes at date 2,
/// after the other, and two merges of time 1 follow: 4.
#[test]
fn moves_of_memory_are_executed() {
    let one = Costs::Constant(number("1"));
    let options = Options {
        seed: 1,
        link_cost: one.clone(),
        compute: one,
    };
    let platform = generate::complete(3, &options).expect("a platform");
    let collective = Collective::all_reduce(platform.processors().collect()).commutative(true);
    let problem = Problem::new(&platform, &collective, Volumes::default()).expect("a question");
    let cell = |rank: usize, from: usize| 3 + 3 * rank + from;
    let mut moves = Moves {
        inputs: (0..3).map(|rank| rank..rank + 1).collect(),
        outputs: (0..3).map(|rank| rank..rank + 1).collect(),
        moves: Vec::new(),
    };
    for rank in 0..3 {
        for to in [(rank + 1) % 3, (rank + 2) % 3] {
            moves.moves.push(Moved {
                rank,
                sources: vec![(rank..rank + 1, rank)],
                targets: vec![(cell(to, rank)..cell(to, rank) + 1, to)],
            });
        }
    }
    for rank in 0..3 {
        let next = [(rank + 1) % 3, (rank + 2) % 3];
        let others = next.map(|from| (cell(rank, from)..cell(rank, from) + 1, rank));
        moves.moves.push(Moved {
            rank,
            sources: [vec![(rank..rank + 1, rank)], others.to_vec()].concat(),
            targets: vec![(rank..rank + 1, rank)],
        });
    }
    let algorithm = of_moves(&problem, "moves", &moves).expect("an algorithm");
    let routes = routes_over(&problem, Forwarders::Routers);
    let loads = algorithm
        .loads(&problem, &routes, &Watch::unlimited())
        .expect("loads");
    let sustained = loads.throughput(&problem).expect("a throughput");
    assert_eq!(sustained.throughput, number("1/2"));
    let draft = TaskList::of_algorithm(&problem, &algorithm, &routes, 1, &Watch::unlimited())
        .expect("a draft");
    let length = dates(
        &problem,
        &draft
            .clone()
            .graph(&problem, &Watch::unlimited())
            .expect("a graph"),
    )
    .length();
    assert_eq!(length, number("4"));
    check(&problem, draft, &length, "moves");
    // Chunks of two results are not one.
    let scattered = Collective::reduce_scatter(platform.processors().collect()).commutative(true);
    let problem = Problem::new(&platform, &scattered, Volumes::default()).expect("a question");
    let wrong = Moves {
        inputs: (0..3).map(|rank| 3 * rank..3 * rank + 3).collect(),
        outputs: (9..12).map(|cell| cell..cell + 1).collect(),
        moves: vec![Moved {
            rank: 0,
            sources: vec![(0..1, 0), (4..5, 1)],
            targets: vec![(9..10, 0)],
        }],
    };
    let error = of_moves(&problem, "wrong", &wrong).expect_err("two results");
    assert!(error.to_string().contains("different results"), "{error}");
    let few = Moves {
        inputs: vec![0..1, 1..2],
        outputs: vec![0..1, 1..2],
        moves: Vec::new(),
    };
    let error = of_moves(&problem, "few", &few).expect_err("two ranks");
    assert!(error.to_string().contains("among 2 ranks"), "{error}");
}

pub fn check(problem: &Problem, draft: TaskList, bound: &Rational, name: &str) {
    let layout = draft.graph(problem, &Watch::unlimited()).expect("a graph");
    let dated = dates(problem, &layout);
    let run = layout.run(&dated);
    let executed =
        check_run(problem, &run).unwrap_or_else(|violation| panic!("{name}: {violation}"));
    assert_eq!(executed, dated.length(), "{name}");
    assert!(*bound <= executed, "{name}: {executed} below {bound}");
}

/// A chain of three nodes, two pieces, by hand: cost 1, overhead 1/4, latency 1/2. The second piece follows the first.
#[test]
fn a_pipeline_by_hand() {
    let one = Costs::Constant(number("1"));
    let ring = generate::ring(
        3,
        &Options {
            seed: 0,
            link_cost: one.clone(),
            compute: one,
        },
    )
    .expect("a ring");
    let mut builder = Platform::builder();
    let nodes: Vec<NodeId> = ring
        .nodes()
        .iter()
        .map(|node| builder.node(node.clone()).expect("a node"))
        .collect();
    for pair in nodes.windows(2) {
        let link = builder.link(pair[0], pair[1], number("1")).expect("a link");
        builder
            .delays(
                link,
                Delays {
                    latency: number("1/2"),
                    overhead: number("1/4"),
                },
            )
            .expect("delays");
    }
    let platform = builder.build().expect("a platform");
    let collective = Collective::broadcast(nodes[0], nodes[1..].to_vec());
    let volumes = Volumes::of_size(number("4"));
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let routes = routes(&problem);
    let named = named(&problem, &RankHints::default());
    let chain = named
        .iter()
        .find(|one| one.name == "chain")
        .expect("a chain");
    let draft =
        |segments| TaskList::of_algorithm(&problem, chain, &routes, segments, &Watch::unlimited());
    let graph = |segments| {
        draft(segments)
            .expect("a draft")
            .graph(&problem, &Watch::unlimited())
            .expect("a graph")
    };
    let length = |segments| dates(&problem, &graph(segments)).length().to_string();
    // s pieces: s sends of 4/s + 1/4, then one more over the second link, and two latencies.
    assert_eq!([length(1), length(2), length(4)], ["19/2", "31/4", "29/4"]);
    let watch = Watch::unlimited();
    let search = SearchLimits {
        tasks: 1000,
        pieces: 1000,
        watch: &watch,
    };
    let shortest = |search: &SearchLimits<'_>| {
        let mut way = PieceSearch::new(&problem, |segments, _| draft(segments));
        way.shortest(&problem, search, &number("0"))
            .expect("a best")
            .shortest
    };
    let best = shortest(&search);
    assert_eq!((best.pieces, best.length.to_string().as_str()), (4, "29/4"));
    // At most as many pieces as a message has bytes. The first number if time is over.
    let coarse = shortest(&SearchLimits {
        pieces: 2,
        ..search
    });
    assert_eq!(
        (coarse.pieces, coarse.length.to_string().as_str()),
        (2, "31/4")
    );
    watch.end(Limit::Interrupt);
    let late = shortest(&search);
    assert_eq!((late.pieces, late.length.to_string().as_str()), (1, "19/2"));
    // All leaves the source (1/4 + 4), then passes the second link: 1/2 + 1/4 + 1/2.
    assert_eq!(
        lower_bound(&problem, &boundless(), &Watch::unlimited()).to_string(),
        "11/2"
    );
}

/// Four nodes round a switch, all links of cost 1 and latency 1, under `links`: a node other than the source sends
/// nothing before 2, and a transfer that ends after T - 2 is late. Three copies of 4 leave four uplinks: 12 <= (T - 2)
/// + 3 (T - 4), or else T <= 4 and 12 <= T - 2.
#[test]
fn windows_by_hand() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let switch = builder
        .node(Node {
            replicates: false,
            ..Node::router("switch")
        })
        .expect("a switch");
    let mut nodes = Vec::new();
    let mut uplinks = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let node = builder
            .node(Node::processor(name, number("1")))
            .expect("a node");
        for (from, to) in [(node, switch), (switch, node)] {
            let link = builder.link(from, to, number("1")).expect("a link");
            builder
                .delays(
                    link,
                    Delays {
                        latency: number("1"),
                        ..Delays::default()
                    },
                )
                .expect("delays");
            if from == node {
                uplinks.push(link);
            }
        }
        nodes.push(node);
    }
    let platform = builder.build().expect("a platform");
    let collective = Collective::broadcast(nodes[0], nodes[1..].to_vec());
    let volumes = Volumes::of_size(number("4"));
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let prices = uplinks
        .iter()
        .map(|&link| (Resource::Link(link), number("1")))
        .collect();
    let certificate = Certificate::of_prices(prices);
    let throughput = bound(&problem, &certificate, &Watch::unlimited()).expect("a bound");
    assert_eq!(throughput.to_string(), "1/3");
    assert_eq!(
        lower_bound_from_certificate(&problem, &certificate, &throughput).to_string(),
        "13/2"
    );
    assert_eq!(
        lower_bound(&problem, &throughput, &Watch::unlimited()).to_string(),
        "6"
    );
    // One price on the source's uplink: 4 leave it, by 2 before the end.
    let certificate = Certificate::of_prices(vec![(Resource::Link(uplinks[0]), number("1"))]);
    let throughput = bound(&problem, &certificate, &Watch::unlimited()).expect("a bound");
    assert_eq!(
        lower_bound_from_certificate(&problem, &certificate, &throughput).to_string(),
        "6"
    );
}

#[test]
fn broken_runs_are_refused() {
    let one = Costs::Constant(number("1"));
    let ring = generate::ring(
        4,
        &Options {
            seed: 0,
            link_cost: one.clone(),
            compute: one,
        },
    )
    .expect("a ring");
    let platform = delayed(&ring);
    let nodes: Vec<NodeId> = platform.processors().collect();
    let collective = Collective::all_reduce(nodes);
    let volumes = Volumes::of_size(number("1"));
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let routes = routes(&problem);
    let named = named(&problem, &RankHints::default());
    let ring = named.iter().find(|one| one.name == "ring").expect("a ring");
    let draft =
        TaskList::of_algorithm(&problem, ring, &routes, 1, &Watch::unlimited()).expect("a draft");
    let layout = draft.graph(&problem, &Watch::unlimited()).expect("a graph");
    let run = layout.run(&dates(&problem, &layout));
    assert!(check_run(&problem, &run).is_ok());
    let refused = |change: &dyn Fn(&mut Run), word: &str| {
        let mut run = run.clone();
        change(&mut run);
        let violation = check_run(&problem, &run).expect_err(word).to_string();
        assert!(violation.contains(word), "{word}: {violation}");
    };
    let last = run.tasks.len() - 1;
    refused(&|run| run.pieces[0].share = number("1/2"), "add up to");
    refused(
        &|run| run.tasks[last].start = 0_u8.into(),
        "it has to be there",
    );
    refused(&|run| run.unit = number("0"), "is positive");
    refused(&|run| run.unit = number("-1"), "is positive");
    refused(&|run| run.unit /= number("2"), "it has to be there");
    refused(&|run| drop(run.tasks.pop()), "in the end");
    refused(
        &|run| {
            if let RunTask::Send { carried, .. } = &mut run.tasks[0].task {
                carried.clear()
            }
        },
        "carries pieces",
    );
    let again = |run: &mut Run| run.tasks.push(run.tasks[0].clone());
    refused(&again, "occupied 2 times");
    let twice = |run: &mut Run| {
        let merge = run.tasks.iter_mut().find_map(|task| match &mut task.task {
            RunTask::Merge { left, right, .. } => Some((left, right)),
            RunTask::Send { .. } => None,
        });
        if let Some((left, right)) = merge {
            *left = *right;
        }
    };
    refused(&twice, "");
}
