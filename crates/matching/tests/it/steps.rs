//! Number of steps of a decomposition: the theorem on steps of `general`, against the rank of all tight inequalities.

use num_rational::BigRational;
use num_traits::{One, Zero};
use oneport_matching::general::{PortGraph, decompose, least_period};
use oneport_numbers::{ratio, whole};
use proptest::prelude::*;

/// The rank of some rows, by elimination.
fn rank(mut rows: Vec<Vec<BigRational>>) -> usize {
    let width = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..width {
        let Some(pivot) = (rank..rows.len()).find(|&row| !rows[row][column].is_zero()) else {
            continue;
        };
        rows.swap(rank, pivot);
        let lead = rows[rank].clone();
        for row in rows
            .iter_mut()
            .skip(rank + 1)
            .filter(|row| !row[column].is_zero())
        {
            let factor = &row[column] / &lead[column];
            for (entry, lead) in row.iter_mut().zip(&lead) {
                *entry -= &factor * lead;
            }
        }
        rank += 1;
    }
    rank
}

/// The rank of the inequalities of vertices and odd sets that are tight, over the edges with a positive time and the
/// period: all sets of vertices, by bits.
fn tight(
    vertices: usize,
    ends: &[[usize; 2]],
    times: &[BigRational],
    period: &BigRational,
) -> usize {
    let mut rows = Vec::new();
    let mut offer = |member: &dyn Fn(&[usize; 2]) -> bool, most: usize| {
        let mut row: Vec<BigRational> = ends
            .iter()
            .map(|ends| {
                if member(ends) {
                    BigRational::one()
                } else {
                    BigRational::zero()
                }
            })
            .collect();
        let load: BigRational = row
            .iter()
            .zip(times)
            .map(|(entry, time)| entry * time)
            .sum();
        assert!(load <= period * whole(most), "the period is too short");
        if load == period * whole(most) {
            row.push(-whole(most));
            rows.push(row);
        }
    };
    for v in 0..vertices {
        offer(&|ends| ends.contains(&v), 1);
    }
    for set in
        (0..1usize << vertices).filter(|set| set.count_ones() >= 3 && set.count_ones() % 2 == 1)
    {
        offer(
            &|ends| ends.iter().all(|v| set >> v & 1 == 1),
            set.count_ones() as usize / 2,
        );
    }
    rank(rows)
}

fn steps(vertices: usize, ends: &[[usize; 2]], times: &[BigRational]) -> (usize, BigRational) {
    let graph = PortGraph {
        capacities: vec![1; vertices],
        edges: ends.iter().map(|ends| ends.map(Some)).collect(),
    };
    (
        decompose(&graph, times).unwrap().steps.len(),
        least_period(&graph, times).unwrap(),
    )
}

/// Vertices, and edges with positive times. Parallel edges occur.
fn instance(
    most: usize,
    edges: usize,
    longest: u64,
) -> impl Strategy<Value = (usize, Vec<[usize; 2]>, Vec<BigRational>)> {
    (3..=most).prop_flat_map(move |n| {
        prop::collection::vec((0..n, 1..n, 1..=longest, 1..4u64), 1..=edges).prop_map(move |list| {
            let ends = list
                .iter()
                .map(|&(a, away, ..)| [a, (a + away) % n])
                .collect();
            let times = list.iter().map(|&(_, _, p, q)| ratio(p, q)).collect();
            (n, ends, times)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    #[test]
    fn no_more_than_the_face_has_dimensions_and_one((vertices, ends, times) in instance(8, 14, 6)) {
        let (steps, period) = steps(vertices, &ends, &times);
        let most = ends.len() + 1 - tight(vertices, &ends, &times, &period);
        prop_assert!(steps <= most, "{} steps, {} at most: {:?} {:?}", steps, most, ends, times);
    }

    #[test]
    fn no_more_than_edges((vertices, ends, times) in instance(16, 50, 1_000_000)) {
        prop_assert!(steps(vertices, &ends, &times).0 <= ends.len());
    }
}

/// RR-2004-32, figure 2: the bound is attained. The Petersen graph: 15 edges, least period 3.
#[test]
fn named_graphs() {
    let quarter = |times: i64| ratio(times, 4);
    let figure = steps(
        3,
        &[[0, 1], [0, 2], [1, 2]],
        &[quarter(3), quarter(1), quarter(1)],
    );
    assert_eq!(figure, (3, quarter(5)));
    let petersen: Vec<[usize; 2]> = (0..5)
        .flat_map(|v| [[v, (v + 1) % 5], [v, v + 5], [v + 5, (v + 2) % 5 + 5]])
        .collect();
    let (found, period) = steps(10, &petersen, &vec![BigRational::one(); 15]);
    assert_eq!(period, whole(3));
    assert!(
        (4..=15).contains(&found),
        "three matchings cannot cover it: {found}"
    );
}
