//! Random scatter programs of every cost family that misleads floating point, under both formulations: all certified
//! optimal. The long run has a hundred of each family, and ten of the hardest, in which exact pivots do most of the
//! work.

use num_traits::{One, ToPrimitive};
use oneport_lp::{Formulation, Options, Question, solve};
use oneport_plan::{Collective, Problem, Status, Volumes};
use oneport_platform::generate::{self, Costs, random_connected};
use oneport_platform::{Platform, Rational, whole};
use oneport_watch::Watch;

/// A random graph of 16 nodes, its costs replaced by `cost(k)` for the k-th link pair.
fn platform(seed: u64, cost: &dyn Fn(u64) -> u64) -> Platform {
    let options = generate::Options {
        seed,
        link_cost: Costs::Uniform {
            low: 1,
            high: 1 << 40,
        },
        ..Default::default()
    };
    let shape = random_connected(16, 4, &options).expect("a sensible size");
    let mut builder = Platform::builder();
    for node in shape.nodes() {
        builder.node(node.clone()).expect("names are unique");
    }
    for link in shape.links() {
        let draw = link.cost.to_integer().to_u64().expect("drawn below 2^41");
        let cost = whole(cost(draw));
        builder
            .link(link.from, link.to, cost)
            .expect("links are unique");
    }
    builder.build().expect("there are nodes")
}

fn certify(family: &str, seeds: u64, cost: &dyn Fn(u64) -> u64) {
    let mut refined = 0;
    for seed in 0..seeds {
        let platform = platform(seed, cost);
        let mut processors = platform.processors();
        let source = processors.next().expect("sixteen processors");
        let collective = Collective::scatter(source, processors.collect());
        let size = Rational::one();
        let volumes = Volumes::of_size(size.clone());
        let question = Question::new(
            &Problem::new(&platform, &collective, &volumes).expect("a proper question"),
        );
        let mut throughputs = Vec::new();
        for formulation in [Formulation::Columns, Formulation::Compact] {
            let solution = solve(&question, &Options::from(formulation)).expect("HiGHS works");
            assert_eq!(solution.status, Status::Optimal, "{family}, seed {seed}");
            oneport_referee::check_steady_state(
                &Problem::new(&platform, &collective, &volumes).unwrap(),
                &solution.steady_state,
                &Watch::unlimited(),
            )
            .unwrap_or_else(|violation| panic!("{family}, seed {seed}: {violation}"));
            let bound = oneport_referee::bound(
                &Problem::new(&platform, &collective, &volumes).unwrap(),
                &solution.certificate,
                &Watch::unlimited(),
            )
            .unwrap_or_else(|violation| panic!("{family}, seed {seed}: {violation}"));
            assert_eq!(
                bound, solution.steady_state.throughput,
                "{family}, seed {seed}"
            );
            refined += usize::from(solution.repaired);
            throughputs.push(bound);
        }
        assert_eq!(
            throughputs[0], throughputs[1],
            "{family}, seed {seed}: the formulations differ"
        );
    }
    println!(
        "{family}: {seeds} of {seeds} certified optimal under both formulations, {refined} after repair"
    );
}

/// This number of programs of each family, and a tenth of it of the hardest.
fn certify_families(seeds: u64) {
    certify("1..10", seeds, &|draw| 1 + draw % 10);
    certify("1", seeds, &|_| 1);
    certify("1..1e6", seeds, &|draw| 1 + draw % 1_000_000);
    certify("10^k + {0,1}", seeds, &|draw| {
        10u64.pow((draw / 2 % 8) as u32) + draw % 2
    });
    certify("1e7 + {0..3}", seeds, &|draw| 10_000_000 + draw % 4);
    certify("1e9 + {0..3}", seeds / 10, &|draw| 1_000_000_000 + draw % 4);
}

#[test]
fn every_family_is_certified() {
    certify_families(20);
}

#[test]
#[ignore = "long: a hundred programs of each family"]
fn a_hundred_of_each_family_are_certified() {
    certify_families(100);
}
