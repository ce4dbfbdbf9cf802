//! Steps and seconds of the decomposition on families of graphs. Every decomposition is checked against the theorem.
//!
//! `cargo run --release -p oneport-matching --example measure`
//!
//! Columns: vertices per side, edges, steps, edges listed in all steps per edge, uninterrupted runs per edge (1.00: no
//! preemption), seconds.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic
)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

use oneport_numbers::ratio;
use std::time::Instant;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use oneport_matching::{Edge, Step, Watch, decompose, max_weighted_degree};
use oneport_numbers::whole;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

/// Every left vertex has `degree` different right neighbours. Weights are in `1..=largest`.
fn random(n: usize, degree: usize, largest: u64) -> Vec<Edge> {
    let mut random = Random(1);
    let mut rights: Vec<usize> = (0..n).collect();
    let mut edges = Vec::new();
    for left in 0..n {
        for i in 0..degree {
            rights.swap(i, i + random.below((n - i) as u64) as usize);
            edges.push(Edge {
                left,
                right: rights[i],
                weight: ratio(1 + random.below(largest), 1),
            });
        }
    }
    edges
}

/// A scatter from vertex 0: a random tree of out-degree at most 4 in which a tenth of the nodes is served by two
/// parents, half by each. A link is busy for its cost times the number of targets behind it.
fn near_tree(n: usize, mut cost: impl FnMut(&mut Random) -> BigRational) -> Vec<Edge> {
    let mut random = Random(7);
    let mut children = vec![0; n];
    let mut parents: Vec<Vec<usize>> = vec![Vec::new()];
    for v in 1..n {
        let mut chosen = Vec::new();
        while chosen.is_empty() || (chosen.len() == 1 && v > 8 && random.below(10) == 0) {
            let parent = random.below((v as u64).div_ceil(3)) as usize;
            if children[parent] < 4 && !chosen.contains(&parent) {
                children[parent] += 1;
                chosen.push(parent);
            }
        }
        parents.push(chosen);
    }
    let mut behind = vec![BigRational::one(); n];
    let mut edges = Vec::new();
    for right in (1..n).rev() {
        let share = &behind[right] / whole(parents[right].len());
        for &left in &parents[right] {
            behind[left] += &share;
            edges.push(Edge {
                left,
                right,
                weight: &share * cost(&mut random),
            });
        }
    }
    edges
}

/// Asserts the theorem in integers over the common denominator.
fn check(n: usize, edges: &[Edge], steps: &[Step]) {
    let weights = edges.iter().map(|edge| &edge.weight);
    let numbers = weights.chain(steps.iter().map(|step| &step.length));
    let denominator = numbers.fold(BigInt::one(), |multiple, number| {
        if (&multiple % number.denom()).is_zero() {
            multiple
        } else {
            multiple.lcm(number.denom())
        }
    });
    let integer = |number: &BigRational| number.numer() * (&denominator / number.denom());
    let mut rest: Vec<BigInt> = edges.iter().map(|edge| integer(&edge.weight)).collect();
    let mut total = BigInt::zero();
    for step in steps {
        let length = integer(&step.length);
        total += &length;
        let mut busy = [vec![false; n], vec![false; n]];
        for &e in &step.edges {
            rest[e] -= &length;
            assert!(
                !std::mem::replace(&mut busy[0][edges[e].left], true),
                "a step is a matching"
            );
            assert!(
                !std::mem::replace(&mut busy[1][edges[e].right], true),
                "a step is a matching"
            );
        }
    }
    assert!(
        rest.iter().all(Zero::is_zero),
        "every edge's steps add up to its weight"
    );
    assert_eq!(
        total,
        integer(&max_weighted_degree(n, n, edges).expect("valid")),
        "the steps add up to Delta"
    );
    assert!(steps.len() <= edges.len() + 2 * n, "at most |E| + 2n steps");
}

/// Stretches of consecutive steps that list the same edge.
fn runs(edges: usize, steps: &[Step]) -> usize {
    let mut last = vec![usize::MAX - 1; edges];
    let mut runs = 0;
    for (i, step) in steps.iter().enumerate() {
        for &e in &step.edges {
            runs += usize::from(last[e] + 1 != i);
            last[e] = i;
        }
    }
    runs
}

fn measure(family: &str, n: usize, edges: &[Edge]) {
    let start = Instant::now();
    let steps = decompose(n, n, edges, &Watch::unlimited())
        .expect("valid")
        .steps;
    let seconds = start.elapsed().as_secs_f64();
    check(n, edges, &steps);
    let count = edges.len();
    let listed: usize = steps.iter().map(|step| step.edges.len()).sum();
    let per_edge = |number: usize| number as f64 / count as f64;
    println!(
        "{family:36} {n:6} {count:7} {:6} steps {:7.2} listed {:6.2} runs {seconds:9.4} s",
        steps.len(),
        per_edge(listed),
        per_edge(runs(count, &steps)),
    );
}

fn main() {
    const MILLION: u64 = 1_000_000;
    for (n, degree, largest) in [
        (20, 8, 10),
        (20, 8, MILLION),
        (50, 8, MILLION),
        (100, 8, MILLION),
        (200, 3, MILLION),
        (200, 8, 10),
        (200, 8, MILLION),
        (200, 100, MILLION),
        (1000, 20, MILLION),
        (1000, 20, u64::MAX),
        (1000, 100, MILLION),
        (10_000, 4, MILLION),
    ] {
        measure(
            &format!("random, degree {degree}, up to {largest}"),
            n,
            &random(n, degree, largest),
        );
    }
    let bandwidths: Vec<u64> = (0..100)
        .scan(Random(5), |random, _| {
            Some(10 * MILLION + random.below(90 * MILLION))
        })
        .collect();
    for n in [100, 1000, 10_000] {
        measure(
            "near-tree, costs k/8",
            n,
            &near_tree(n, |r| ratio(2 + r.below(15), 8)),
        );
        measure(
            "near-tree, costs k/1000",
            n,
            &near_tree(n, |r| ratio(250 + r.below(1750), 1000)),
        );
        measure(
            "near-tree, 100 bandwidths",
            n,
            &near_tree(n, |r| ratio(MILLION, bandwidths[r.below(100) as usize])),
        );
    }
    measure(
        "near-tree, each its bandwidth",
        1000,
        &near_tree(1000, |r| ratio(MILLION, MILLION + r.below(99 * MILLION))),
    );
    let star: Vec<Edge> = (0..10_000)
        .map(|right| Edge {
            left: 0,
            right,
            weight: ratio(1 + right as u64 % 97, 1),
        })
        .collect();
    measure("star", 10_000, &star);
    measure("equal weights, degree 20", 1000, &random(1000, 20, 1));
}
