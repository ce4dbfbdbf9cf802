//! Steps and seconds of the decomposition of general port graphs. Every decomposition is checked against the theorem.
//!
//! `cargo run --release -p oneport-matching --example general`
//!
//! Columns: vertices, edges, steps, least period over the largest load of a vertex, seconds for the least period, and
//! seconds for the whole decomposition.

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

use std::time::Instant;

use num_rational::BigRational;
use num_traits::Zero;
use oneport_matching::general::{PortGraph, decompose, least_period};
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

type Instance = (PortGraph, Vec<BigRational>);

/// A random graph with times in `1..=largest` and capacities in `1..=ports`.
fn random(vertices: usize, edges: usize, largest: u64, ports: u64, seed: u64) -> Instance {
    let mut random = Random(seed);
    let mut list = Vec::new();
    while list.len() < edges {
        let mut end = || random.below(vertices as u64) as usize;
        let (a, b) = (end(), end());
        if a != b {
            list.push([Some(a), Some(b)]);
        }
    }
    let times = list
        .iter()
        .map(|_| whole(1 + random.below(largest)))
        .collect();
    let capacities = (0..vertices)
        .map(|_| 1 + random.below(ports) as usize)
        .collect();
    (
        PortGraph {
            capacities,
            edges: list,
        },
        times,
    )
}

/// Nobody idles: the sum of some random near-perfect matchings, each kept for a random time in `1..=largest`.
fn busy(vertices: usize, matchings: usize, largest: u64) -> Instance {
    let mut random = Random(3);
    let mut times = std::collections::BTreeMap::new();
    let mut order: Vec<usize> = (0..vertices).collect();
    for _ in 0..matchings {
        for i in 0..vertices {
            order.swap(i, i + random.below((vertices - i) as u64) as usize);
        }
        let time = whole(1 + random.below(largest));
        for pair in order.chunks_exact(2) {
            *times
                .entry([pair[0].min(pair[1]), pair[0].max(pair[1])])
                .or_insert_with(BigRational::zero) += &time;
        }
    }
    let (edges, times) = times
        .into_iter()
        .map(|(ends, time)| (ends.map(Some), time))
        .unzip();
    (
        PortGraph {
            capacities: vec![1; vertices],
            edges,
        },
        times,
    )
}

/// Senders on one side, receivers on the other, with `1..=ports` ports each.
fn two_sided(vertices: usize, edges: usize, ports: u64) -> Instance {
    let (mut graph, times) = random(vertices, edges, 1_000_000, ports, 4);
    graph.capacities.extend(graph.capacities.clone());
    for [_, to] in graph.edges.iter_mut() {
        *to = to.map(|v| v + vertices);
    }
    (graph, times)
}

/// `count` triangles in a row, joined by single edges.
fn triangles(count: usize, largest: u64) -> Instance {
    let mut random = Random(5);
    let mut edges = Vec::new();
    for i in 0..count {
        edges.extend([
            [3 * i, 3 * i + 1],
            [3 * i + 1, 3 * i + 2],
            [3 * i, 3 * i + 2],
        ]);
        if i > 0 {
            edges.push([3 * i - 1, 3 * i]);
        }
    }
    let times = edges
        .iter()
        .map(|_| whole(largest / 2 + random.below(largest / 2)))
        .collect();
    (
        PortGraph {
            capacities: vec![1; 3 * count],
            edges: edges.into_iter().map(|ends| ends.map(Some)).collect(),
        },
        times,
    )
}

fn measure(family: &str, (graph, times): Instance) {
    let start = Instant::now();
    let period = least_period(&graph, &times).expect("valid");
    let first = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let steps = decompose(&graph, &times).expect("valid").steps;
    let seconds = start.elapsed().as_secs_f64();
    let mut left = times.clone();
    let mut total = BigRational::zero();
    for step in &steps {
        total += &step.length;
        let mut room = graph.capacities.clone();
        for &e in &step.edges {
            left[e] -= &step.length;
            for &v in graph.edges[e].iter().flatten() {
                room[v] = room[v]
                    .checked_sub(1)
                    .expect("a step respects the capacities");
            }
        }
    }
    assert!(
        left.iter().all(Zero::is_zero),
        "every edge's steps add up to its time"
    );
    assert_eq!(total, period, "the steps add up to the least period");
    let mut degree = vec![BigRational::zero(); graph.capacities.len()];
    for (ends, time) in graph.edges.iter().zip(&times) {
        for &v in ends.iter().flatten() {
            degree[v] += time / whole(graph.capacities[v] as u64);
        }
    }
    let largest = degree.into_iter().max().unwrap_or_default();
    println!(
        "{family:34} {:4} {:5} {:5} steps {:8} period {first:9.4} s {seconds:9.4} s",
        graph.capacities.len(),
        times.len(),
        steps.len(),
        if period == largest {
            "= degree"
        } else {
            "> degree"
        },
    );
}

fn main() {
    const MILLION: u64 = 1_000_000;
    for (vertices, edges) in [(20, 60), (50, 150), (100, 300), (200, 800)] {
        measure("random, up to 10", random(vertices, edges, 10, 1, 1));
        measure("random, up to 10^6", random(vertices, edges, MILLION, 1, 1));
        measure("random, up to 2^63", random(vertices, edges, 1 << 63, 1, 1));
    }
    for (vertices, matchings) in [
        (20, 6),
        (21, 6),
        (50, 6),
        (51, 6),
        (100, 6),
        (101, 6),
        (200, 8),
    ] {
        measure(
            "nobody idles, up to 10^6",
            busy(vertices, matchings, MILLION),
        );
    }
    for count in [7, 17, 33] {
        measure("triangles", triangles(count, MILLION));
    }
    for (vertices, edges) in [(20, 60), (50, 150), (100, 300)] {
        measure("1 to 3 ports", random(vertices, edges, MILLION, 3, 2));
        measure("1 to 3 ports, two-sided", two_sided(vertices, edges, 3));
    }
}
