//! The theorem of the crate, in rationals, on every kind of graph, and a naive twin.

use oneport_numbers::{ratio, whole};
use std::iter::repeat_n;
use std::time::Duration;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use oneport_matching::{Decomposition, Edge, MatchingError, decompose, max_weighted_degree};
use oneport_watch::{Limit, Watch};
use proptest::prelude::*;

fn edge(left: usize, right: usize, weight: BigRational) -> Edge {
    Edge {
        left,
        right,
        weight,
    }
}

/// Asserts the theorem, computing degrees in rationals, and returns the decomposition.
#[track_caller]
fn check(left: usize, right: usize, edges: &[Edge]) -> Decomposition {
    let decomposition = decompose(left, right, edges, &Watch::unlimited()).expect("a valid graph");
    let mut rest: Vec<BigRational> = edges.iter().map(|edge| edge.weight.clone()).collect();
    let mut total = BigRational::zero();
    for step in &decomposition.steps {
        assert!(step.length.is_positive(), "a step takes time");
        assert!(
            !step.edges.is_empty() && step.edges.is_sorted(),
            "a step lists its edges in ascending order"
        );
        total += &step.length;
        let mut busy = (vec![false; left], vec![false; right]);
        for &e in &step.edges {
            rest[e] -= &step.length;
            assert!(
                !std::mem::replace(&mut busy.0[edges[e].left], true),
                "left {} is used twice",
                edges[e].left
            );
            assert!(
                !std::mem::replace(&mut busy.1[edges[e].right], true),
                "right {} is used twice",
                edges[e].right
            );
        }
    }
    assert!(
        rest.iter().all(Zero::is_zero),
        "the steps of every edge add up to its weight"
    );
    let delta = degrees(left, right, edges)
        .into_iter()
        .max()
        .unwrap_or_default();
    assert_eq!(total, delta, "the steps add up to Delta");
    assert_eq!(max_weighted_degree(left, right, edges), Ok(delta));
    assert!(
        decomposition.steps.len() <= edges.len() + 2 * left.max(right),
        "at most |E| + 2n steps"
    );
    decomposition
}

fn degrees(left: usize, right: usize, edges: &[Edge]) -> Vec<BigRational> {
    let mut degrees = vec![BigRational::zero(); left + right];
    for edge in edges {
        degrees[edge.left] += &edge.weight;
        degrees[left + edge.right] += &edge.weight;
    }
    degrees
}

/// The textbook twin: pad with dummy edges until every degree is Delta, then subtract the lightest edge of any
/// perfect matching, again and again. Returns the lengths of its steps.
fn naive_decompose(left: usize, right: usize, edges: &[Edge]) -> Vec<BigRational> {
    let mut padded = pad(left, right, edges);
    let mut lengths = Vec::new();
    while !padded.is_empty() {
        let matching = perfect_matching(left + right, &padded);
        let length = matching
            .iter()
            .map(|&e| padded[e].weight.clone())
            .min()
            .unwrap_or_default();
        for e in matching {
            padded[e].weight -= &length;
        }
        padded.retain(|edge| !edge.weight.is_zero());
        lengths.push(length);
    }
    lengths
}

/// Adds `right` dummy left and `left` dummy right vertices, copies the edges there transposed, and joins every vertex
/// to its copy by its missing degree: then every degree is Delta.
fn pad(left: usize, right: usize, edges: &[Edge]) -> Vec<Edge> {
    let degrees = degrees(left, right, edges);
    let delta = degrees.iter().max().cloned().unwrap_or_default();
    let mut padded = edges.to_vec();
    padded.extend(
        edges
            .iter()
            .map(|e| edge(left + e.right, right + e.left, e.weight.clone())),
    );
    padded.extend((0..left).map(|v| edge(v, right + v, &delta - &degrees[v])));
    padded.extend((0..right).map(|v| edge(left + v, v, &delta - &degrees[left + v])));
    padded.retain(|edge| !edge.weight.is_zero());
    padded
}

/// Kuhn's algorithm. The graph has `n` vertices on each side and a perfect matching.
fn perfect_matching(n: usize, edges: &[Edge]) -> Vec<usize> {
    fn augment(v: usize, edges: &[Edge], mate: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        for (e, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.left == v) {
            if !std::mem::replace(&mut seen[edge.right], true)
                && mate[edge.right]
                    .is_none_or(|other| augment(edges[other].left, edges, mate, seen))
            {
                mate[edge.right] = Some(e);
                return true;
            }
        }
        false
    }
    let mut mate = vec![None; n];
    for v in 0..n {
        assert!(
            augment(v, edges, &mut mate, &mut vec![false; n]),
            "a regular graph has a perfect matching"
        );
    }
    mate.into_iter().flatten().collect()
}

/// Graphs with up to 6 + 6 vertices, isolated ones and parallel edges included.
fn graph(
    weight: impl Strategy<Value = BigRational>,
) -> impl Strategy<Value = (usize, usize, Vec<Edge>)> {
    let edges = prop::collection::vec((0..36usize, 0..36usize, weight), 0..25);
    (1..7usize, 1..7usize, edges).prop_map(|(left, right, edges)| {
        let edges = edges
            .into_iter()
            .map(|(l, r, weight)| edge(l % left, r % right, weight));
        (left, right, edges.collect())
    })
}

fn rational() -> impl Strategy<Value = BigRational> {
    (0..30i64, 1..12i64).prop_map(|(numerator, denominator)| ratio(numerator, denominator))
}

/// Beyond `u64`, and mostly beyond `u128`, above and below the bar.
fn huge() -> impl Strategy<Value = BigRational> {
    let digits = || prop::collection::vec(any::<u32>(), 1..9);
    (digits(), digits()).prop_map(|(numerator, denominator)| {
        let number = |digits| BigInt::from(num_bigint::BigUint::new(digits));
        BigRational::new(number(numerator), number(denominator) + 1)
    })
}

proptest! {
    #[test]
    fn rational_weights((left, right, edges) in graph(rational())) {
        check(left, right, &edges);
    }

    #[test]
    fn huge_weights((left, right, edges) in graph(huge())) {
        check(left, right, &edges);
    }

    /// Integers whose sums straddle the limits of the machine integers.
    #[test]
    fn weights_at_the_limits((left, right, edges) in graph(rational()), bits in prop::sample::select(vec![57u32, 58, 59, 60, 61, 121, 122, 123, 124, 125])) {
        let scale = BigRational::from_integer(BigInt::from(2).pow(bits));
        let one = ratio(1, 1);
        let near = |edge: &Edge| Edge { weight: (edge.weight.ceil() + &one) * &scale - &one, ..edge.clone() };
        check(left, right, &edges.iter().map(near).collect::<Vec<_>>());
    }

    #[test]
    fn the_naive_twin_takes_as_long((left, right, edges) in graph(rational())) {
        let naive: BigRational = naive_decompose(left, right, &edges).into_iter().sum();
        let ours: BigRational = decompose(left, right, &edges, &Watch::unlimited()).unwrap().steps.into_iter().map(|step| step.length).sum();
        prop_assert_eq!(ours, naive);
    }

    #[test]
    fn scaling_the_weights_scales_the_lengths((left, right, edges) in graph(rational()), factor in huge()) {
        prop_assume!(!factor.is_zero());
        let scaled: Vec<Edge> = edges.iter().map(|e| Edge { weight: &e.weight * &factor, ..e.clone() }).collect();
        let mut expected = decompose(left, right, &edges, &Watch::unlimited()).unwrap();
        for step in &mut expected.steps {
            step.length *= &factor;
        }
        prop_assert_eq!(decompose(left, right, &scaled, &Watch::unlimited()).unwrap(), expected);
    }

    /// König: a graph of equal weights needs exactly as many steps as the largest degree.
    #[test]
    fn equal_weights_take_the_largest_degree((left, right, edges) in graph(Just(ratio(2, 7)))) {
        let steps = check(left, right, &edges).steps;
        let delta = degrees(left, right, &edges).into_iter().max().unwrap_or_default();
        prop_assert_eq!(whole(steps.len()), delta / ratio(2, 7));
    }

    /// Edges that share a vertex follow one another: one step each, never cut.
    #[test]
    fn a_star_is_served_one_edge_at_a_time(weights in prop::collection::vec(1..50i64, 1..30), inward: bool) {
        let leaf = |(i, &weight): (usize, &i64)| {
            let (left, right) = if inward { (i, 0) } else { (0, i) };
            edge(left, right, ratio(weight, 3))
        };
        let edges: Vec<Edge> = weights.iter().enumerate().map(leaf).collect();
        prop_assert_eq!(check(weights.len(), weights.len(), &edges).steps.len(), edges.len());
    }
}

#[test]
fn nothing_to_do_takes_no_steps() {
    assert!(check(0, 0, &[]).steps.is_empty());
    assert!(check(3, 2, &[]).steps.is_empty());
    assert!(check(3, 2, &[edge(2, 1, ratio(0, 1))]).steps.is_empty());
}

#[test]
fn a_single_edge_takes_one_step_whatever_the_vertex_numbers() {
    let far = usize::MAX - 1;
    let edges = [edge(0, 0, ratio(0, 1)), edge(far, far, ratio(5, 3))];
    let steps = decompose(usize::MAX, usize::MAX, &edges, &Watch::unlimited())
        .expect("memory follows the edges")
        .steps;
    assert_eq!(steps.len(), 1);
    assert_eq!(
        (&steps[0].length, steps[0].edges.as_slice()),
        (&ratio(5, 3), &[1][..])
    );
}

#[test]
fn parallel_edges_follow_one_another() {
    let edges = [
        edge(0, 0, ratio(1, 2)),
        edge(0, 0, ratio(1, 3)),
        edge(1, 1, ratio(5, 6)),
    ];
    assert!(check(2, 2, &edges).steps.len() >= 2);
}

/// RR-4872 section 3.3: the occupations of the scatter toy. Notes: four matchings are the minimum.
#[test]
fn the_scatter_toy_takes_four_matchings() {
    let edges = [
        edge(0, 0, ratio(1, 4)),
        edge(0, 1, ratio(3, 4)),
        edge(1, 2, ratio(1, 6)),
        edge(2, 2, ratio(1, 3)),
        edge(2, 3, ratio(2, 3)),
    ];
    assert_eq!(check(3, 4, &edges).steps.len(), 4);
}

/// A long path: alternating paths of the graph's length must not overflow the stack.
#[test]
fn a_path_of_ten_thousand_vertices() {
    let n = 10_000;
    let mut edges: Vec<Edge> = (0..n).map(|v| edge(v, v, ratio(1, 1))).collect();
    edges.extend((1..n).map(|v| edge(v, v - 1, ratio(1, 1))));
    assert_eq!(check(n, n, &edges).steps.len(), 2);
}

/// A Latin square whose symbols weigh powers of two: every vertex is tight throughout.
#[test]
fn a_latin_square_of_powers_of_two() {
    let n = 9usize;
    let cell = |i: usize| edge(i / n, i % n, ratio(1 << ((i / n + i % n) % n), 1));
    let edges: Vec<Edge> = (0..n * n).map(cell).collect();
    check(n, n, &edges);
}

#[test]
fn every_refusal_names_the_edge() {
    let good: Vec<Edge> = repeat_n(edge(1, 2, ratio(3, 4)), 3).collect();
    let refuse = |change: fn(&mut Edge)| {
        let mut edges = good.clone();
        change(&mut edges[1]);
        let error = decompose(2, 3, &edges, &Watch::unlimited()).expect_err("an invalid graph");
        assert_eq!(max_weighted_degree(2, 3, &edges), Err(error.clone()));
        assert!(error.to_string().contains("edge 1"), "{error}");
        error
    };
    let negative = MatchingError::NegativeWeight {
        edge: 1,
        left: 1,
        right: 2,
        weight: Box::new(ratio(-3, 4)),
    };
    assert_eq!(refuse(|edge| edge.weight = ratio(-3, 4)), negative);
    let above = |edge: &mut Edge| edge.weight = BigRational::new_raw(3.into(), (-4).into());
    assert!(matches!(
        refuse(above),
        MatchingError::NegativeWeight { .. }
    ));
    assert_eq!(
        refuse(|edge| edge.left = 2),
        MatchingError::LeftOutOfRange {
            edge: 1,
            left: 2,
            count: 2
        }
    );
    assert_eq!(
        refuse(|edge| edge.right = 3),
        MatchingError::RightOutOfRange {
            edge: 1,
            right: 3,
            count: 3
        }
    );
    let zero = |edge: &mut Edge| edge.weight = BigRational::new_raw(3.into(), 0.into());
    assert_eq!(
        refuse(zero),
        MatchingError::ZeroDenominator {
            edge: 1,
            left: 1,
            right: 2
        }
    );
}

/// The watch is checked at every step, and a limit leaves no half of a decomposition.
#[test]
fn a_decomposition_ends() {
    let edges: Vec<Edge> = (0..5)
        .flat_map(|left| {
            (0..5).map(move |right| {
                edge(
                    left,
                    right,
                    BigRational::new(((left + 2 * right) % 7 + 1).into(), 1.into()),
                )
            })
        })
        .collect();
    let all = decompose(5, 5, &edges, &Watch::unlimited()).unwrap();
    let free = Watch::counting(u64::MAX, Duration::ZERO);
    assert_eq!(decompose(5, 5, &edges, &free).unwrap(), all);
    assert!(free.questions() >= all.steps.len() as u64);
    let short = Watch::counting(2, Duration::ZERO);
    assert_eq!(
        decompose(5, 5, &edges, &short),
        Err(MatchingError::Stopped(Limit::Caller))
    );
}
