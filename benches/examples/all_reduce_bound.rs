//! The bound of all-reduces in any order: the frequency with which it meets the throughput of compositions, and its
//! time.
//!
//! `cargo run --release -p oneport-benches --example all_reduce_bound -- [PLATFORMS PER ROW]`
//!
//! | family | platforms |
//! |---|---|
//! | clusters | 2 to 5 racks of unequal hosts, 1 or 2 spines, switches that copy or not, 4 to 40 processors |
//! | one-port racks | 1 to 3 racks, up to 12 processors, switches under the same model |
//! | random | connected graphs of 4 to 10 processors, costs 1..10 |
//! | with routers | the same with 1 to 3 routers, which copy or not |

use std::time::{Duration, Instant};

use oneport::platform::Node;
use oneport::platform::generate::{self, Racks};
use oneport::{Collective, Platform, PortModel, Problem, Status};
use oneport_benches::weightless;
use oneport_lp::{Options, Question, Until, all_reduce_bound, solve};
use oneport_numbers::whole;
use oneport_testkit::Dice;

fn main() {
    let count = std::env::args()
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(40);
    println!(
        "| family | model | asked | closed | largest gap | bound: median ms | mean | largest |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for model in [PortModel::FullDuplex, PortModel::Links] {
        row("clusters", model, count, |seed| {
            racks(seed, model, 2, 5, 40)
        });
    }
    for model in PortModel::ALL {
        row("one-port racks", model, count, |seed| {
            racks(seed, model, 1, 3, 12)
        });
        row("random", model, count, |seed| random(seed, model, 0));
        row("with routers", model, count, |seed| {
            random(seed, model, 1 + seed as usize % 3)
        });
    }
}

/// A number of this range, both ends included.
fn within(dice: &mut Dice, low: usize, high: usize) -> usize {
    low + dice.below(high - low + 1)
}

fn racks(seed: u64, model: PortModel, fewest: usize, most: usize, processors: usize) -> Platform {
    let mut dice = Dice(seed);
    let racks = within(&mut dice, fewest, most);
    let hosts = (2, within(&mut dice, 2, processors / racks));
    let shape = Racks {
        racks,
        hosts,
        spines: within(&mut dice, 1, 2),
        copying: within(&mut dice, 0, 1) == 1,
        model,
    };
    generate::racks(
        &shape,
        &generate::Options {
            seed,
            ..Default::default()
        },
    )
    .expect("a sensible shape")
}

fn random(seed: u64, model: PortModel, routers: usize) -> Platform {
    let mut dice = Dice(seed);
    let nodes = within(&mut dice, 4, 10) + routers;
    let options = generate::Options {
        seed,
        ..Default::default()
    };
    let graph = generate::random_connected(nodes, within(&mut dice, 2, 4.min(nodes - 1)), &options)
        .expect("a sensible size");
    let mut builder = Platform::builder();
    builder.model(model);
    for (index, node) in graph.nodes().iter().enumerate() {
        let router = || Node {
            replicates: index % 2 == 0,
            ..Node::router(node.name.clone())
        };
        let node = if index < routers {
            router()
        } else {
            node.clone()
        };
        let ports = (model == PortModel::Multiport).then(|| within(&mut dice, 1, 3) as u32);
        builder
            .node(Node { ports, ..node })
            .expect("a node of a platform");
    }
    for link in graph.links() {
        builder
            .link(link.from, link.to, link.cost.clone())
            .expect("a link of a platform");
    }
    builder.build().expect("a platform")
}

fn row(family: &str, model: PortModel, count: u64, platform: impl Fn(u64) -> Platform) {
    let (mut closed, mut largest, mut times) = (0, whole(0), Vec::new());
    for seed in 0..count {
        let platform = platform(seed);
        let collective = Collective::all_reduce(platform.processors().collect());
        let volumes = weightless();
        let question = Question::new(
            &Problem::new(&platform, &collective, &volumes).expect("a sensible question"),
        );
        let answer = solve(&question, &Options::default());
        let Ok(solution) = answer else {
            panic!("{family}, {model}, seed {seed}: {answer:?}")
        };
        let reached = &solution.steady_state.throughput;
        let begin = Instant::now();
        let bound = all_reduce_bound(&question, &Until::proved(reached));
        times.push(begin.elapsed());
        let bound = bound.expect("no limit").expect("an all-reduce").throughput;
        assert!(
            bound >= *reached && bound == solution.upper_bound,
            "{family}, {model}, seed {seed}"
        );
        closed += u64::from(solution.status == Status::Optimal);
        largest = largest.max(bound / reached - whole(1));
    }
    times.sort_unstable();
    let milliseconds = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    let gap = num_traits::ToPrimitive::to_f64(&largest).unwrap_or(f64::NAN);
    println!(
        "| {family} | {model} | {count} | {closed} | {:.3} % | {} | {} | {} |",
        100.0 * gap,
        milliseconds(times[times.len() / 2]),
        milliseconds(times.iter().sum::<Duration>() / times.len() as u32),
        milliseconds(times[times.len() - 1]),
    );
}
