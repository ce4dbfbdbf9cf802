//! The two kernels apart: the race between them would hide faults of one.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use proptest::prelude::*;

use crate::list_scheduling::WholeEdges;
use crate::max_min_steps::LongestSteps;
use crate::residual::Rest;

type Ends = Vec<[usize; 2]>;
type Steps = Vec<(u64, Vec<usize>)>;

/// Up to `most` edges between `side` left and `side` right vertices. Parallel edges and isolated vertices occur.
fn graph(
    side: usize,
    most: usize,
    heaviest: u64,
) -> impl Strategy<Value = (usize, Ends, Vec<u64>)> {
    let edge = (0..side, side..2 * side, 1..=heaviest);
    prop::collection::vec(edge, 0..=most).prop_map(move |edges| {
        let ends = edges
            .iter()
            .map(|&(left, right, _)| [left, right])
            .collect();
        // Kernels are given vertices with edges only. A vertex without edges gets a light one.
        let (mut ends, mut weights): (Ends, Vec<u64>) =
            (ends, edges.iter().map(|edge| edge.2).collect());
        for v in 0..2 * side {
            if !ends.iter().any(|pair| pair.contains(&v)) && !ends.is_empty() {
                ends.push(if v < side { [v, side] } else { [0, v] });
                weights.push(1);
            }
        }
        (if ends.is_empty() { 0 } else { 2 * side }, ends, weights)
    })
}

fn degrees(vertices: usize, ends: &Ends, weights: &[u64]) -> Vec<u64> {
    let weights_at = |v| {
        ends.iter()
            .zip(weights)
            .filter(move |(pair, _)| pair.contains(&v))
            .map(|(_, &weight)| weight)
    };
    (0..vertices).map(|v| weights_at(v).sum()).collect()
}

fn check_theorem(
    vertices: usize,
    ends: &Ends,
    weights: &[u64],
    steps: &Steps,
) -> Result<(), TestCaseError> {
    let mut rest = weights.to_vec();
    for (length, edges) in steps {
        prop_assert!(*length > 0 && edges.is_sorted());
        let mut busy = vec![false; vertices];
        for &e in edges {
            prop_assert!(
                rest[e] >= *length,
                "edge {} is used for longer than its weight",
                e
            );
            rest[e] -= length;
            for v in ends[e] {
                prop_assert!(
                    !std::mem::replace(&mut busy[v], true),
                    "vertex {} is used twice in a step",
                    v
                );
            }
        }
    }
    prop_assert!(rest.iter().all(|&weight| weight == 0));
    let total: u64 = steps.iter().map(|step| step.0).sum();
    prop_assert_eq!(
        total,
        degrees(vertices, ends, weights)
            .into_iter()
            .max()
            .unwrap_or(0)
    );
    prop_assert!(steps.len() <= ends.len() + vertices);
    Ok(())
}

/// All matchings but the empty one, by enumeration of the sets of edges.
fn matchings(ends: &Ends) -> Vec<Vec<usize>> {
    let sets =
        (1..1u32 << ends.len()).map(|set| (0..ends.len()).filter(|e| set >> e & 1 == 1).collect());
    let are_disjoint = |e: usize, f: usize| e == f || !ends[e].iter().any(|v| ends[f].contains(v));
    sets.filter(|set: &Vec<usize>| set.iter().all(|&e| set.iter().all(|&f| are_disjoint(e, f))))
        .collect()
}

/// The longest length that any matching allows.
fn longest_by_enumeration(vertices: usize, ends: &Ends, weights: &[u64], total: u64) -> u64 {
    let degrees = degrees(vertices, ends, weights);
    let allowed = |matching: &Vec<usize>| {
        let lightest = matching.iter().map(|&e| weights[e]).min().unwrap_or(0);
        let idle = (0..vertices).filter(|v| !matching.iter().any(|&e| ends[e].contains(v)));
        idle.map(|v| total - degrees[v])
            .min()
            .unwrap_or(total)
            .min(lightest)
    };
    matchings(ends).iter().map(allowed).max().unwrap_or(0)
}

fn longest(vertices: usize, ends: &Ends, weights: &[u64]) -> Steps {
    LongestSteps::new(Rest::new(vertices, ends.clone(), weights.to_vec())).collect()
}

fn whole(vertices: usize, ends: &Ends, weights: &[u64]) -> Steps {
    WholeEdges::new(Rest::new(vertices, ends.clone(), weights.to_vec())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    #[test]
    fn longest_steps_meet_the_theorem((vertices, ends, weights) in graph(7, 30, 50)) {
        check_theorem(vertices, &ends, &weights, &longest(vertices, &ends, &weights))?;
    }

    #[test]
    fn whole_edges_meet_the_theorem((vertices, ends, weights) in graph(7, 30, 50)) {
        check_theorem(vertices, &ends, &weights, &whole(vertices, &ends, &weights))?;
    }

    #[test]
    fn no_matching_allows_a_longer_step((vertices, ends, mut weights) in graph(3, 6, 12)) {
        let mut total: u64 = degrees(vertices, &ends, &weights).into_iter().max().unwrap_or(0);
        let mut last = u64::MAX;
        for (length, edges) in longest(vertices, &ends, &weights) {
            // Edges that are used up stay in the enumeration: at weight 0 they allow no step.
            prop_assert_eq!(length, longest_by_enumeration(vertices, &ends, &weights, total));
            prop_assert!(length <= last, "lengths never increase");
            last = length;
            total -= length;
            for &e in &edges {
                weights[e] -= length;
            }
        }
        prop_assert!(total == 0);
    }

    #[test]
    fn no_matching_of_that_length_has_more_edges((vertices, ends, mut weights) in graph(4, 8, 12)) {
        for (length, edges) in longest(vertices, &ends, &weights) {
            let heavy = |matching: &&Vec<usize>| matching.iter().all(|&e| weights[e] >= length);
            let most = matchings(&ends).iter().filter(heavy).map(Vec::len).max();
            prop_assert_eq!(Some(edges.len()), most);
            for &e in &edges {
                weights[e] -= length;
            }
        }
    }

    #[test]
    fn big_integers_take_the_same_steps((vertices, ends, weights) in graph(6, 20, 1000)) {
        let big: Vec<BigUint> = weights.iter().map(|&weight| weight.into()).collect();
        let rest = Rest::new(vertices, ends.clone(), big);
        let small = |(length, edges): (BigUint, Vec<usize>)| (length.to_u64().unwrap(), edges);
        let steps: Steps = LongestSteps::new(rest.clone()).map(small).collect();
        prop_assert_eq!(steps, longest(vertices, &ends, &weights));
        let steps: Steps = WholeEdges::new(rest).map(small).collect();
        prop_assert_eq!(steps, whole(vertices, &ends, &weights));
    }
}

/// Ten edges of one vertex, each of its own partner: nothing competes, so nothing is interrupted.
#[test]
fn whole_edges_run_to_their_end_in_a_star() {
    let ends: Ends = (0..10).map(|e| [0, 1 + e]).collect();
    let weights: Vec<u64> = (1..=10).map(|e| 7 * e % 11).collect();
    let steps = whole(11, &ends, &weights);
    assert_eq!(steps.len(), 10);
    assert!(
        steps
            .iter()
            .all(|(length, edges)| edges.len() == 1 && weights[edges[0]] == *length)
    );
    assert!(!steps.iter().any(|step| step.0.is_zero()));
}
