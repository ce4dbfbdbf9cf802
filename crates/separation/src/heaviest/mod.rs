//! A matching of the largest weight in a graph that need not be bipartite, with a proof.
//!
//! Each vertex gets a price `y(v) >= 0` and each of some odd sets of vertices a price `z(B) >= 0`. If the prices at the
//! ends of every edge and of the odd sets around it add up to at least the edge's weight, then no matching weighs more
//! than `sum y(v) + sum z(B) (|B| - 1) / 2`: a matching uses each vertex at most once, and at most `(|B| - 1) / 2`
//! edges within `B`. By Edmonds's theorem, some prices meet the weight of some matching. The algorithm ends with both,
//! and [`Heaviest::check`] adds them up anew. Prices are kept for doubled weights, for which they are whole numbers.
//!
//! **The algorithm** is the primal-dual one of Edmonds, in the form of Galil. Unmatched vertices are roots of
//! alternating trees of edges without slack. Odd cycles are shrunk to blossoms. If no tree can grow, the prices of the
//! vertices at even distance from the roots fall and those at odd distance rise. The change is the least amount that
//! removes the slack of an edge, brings the price of a blossom to 0 or brings the price of the roots to 0, which ends
//! the search.
//!
//! *Whole.* Unmatched vertices have always been roots, so all have the same price. Along edges without slack the
//! prices of the two ends add up to an even number, so all vertices at even distance have prices of the same parity.
//! An edge between two of them has therefore an even slack, half of which each of the two prices gives up.
//!
//! *Size.* With weights of at most `W` every price is at most `4 W` (doubled), since each vertex and each odd set lies
//! on an edge without slack or is unmatched. Every sum of the odd sets' prices around an edge is at most `4 W` as well.
//! No number exceeds `12 W`.
//!
//! # References
//! - J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", J. Res. Nat. Bur. Standards 69B, 1965.
//! - Z. Galil, "Efficient algorithms for finding maximum matching in graphs", ACM Computing Surveys 18(1), 1986.

mod forest;
mod proof;

use oneport_numbers::Whole;

use forest::Forest;
use proof::{SPARE, in_range};

pub use proof::{Heaviest, HeaviestError, Prices};

/// A matching of the largest weight among the edges `(end, end, weight)` of a graph with vertices `0..vertices`, with
/// its proof. Parallel edges are allowed. Loops are never used. Among parallel edges of equal weight the first is used.
/// Which of several heaviest matchings is found depends on the list alone.
///
/// `O(n^3 + m)` operations on numbers for `n` vertices and `m` edges, memory `O(n^2)`.
///
/// ```
/// use oneport_separation::heaviest::heaviest_matching;
/// // A triangle of weight 4 each, and an edge of weight 1 to a fourth vertex.
/// let edges = [(0, 1, 4u64), (1, 2, 4), (0, 2, 4), (2, 3, 1)];
/// let found = heaviest_matching(4, &edges)?;
/// assert_eq!(found.edges, [0, 3]);
/// found.check(4, &edges)?;
/// # Ok::<(), oneport_separation::heaviest::HeaviestError>(())
/// ```
///
/// # Errors
/// [`HeaviestError::EndOutOfRange`], [`HeaviestError::TooLong`].
pub fn heaviest_matching<W: Whole>(
    vertices: usize,
    edges: &[(usize, usize, W)],
) -> Result<Heaviest<W>, HeaviestError> {
    for (edge, (a, b, weight)) in edges.iter().enumerate() {
        in_range(edge, *a, vertices)?;
        in_range(edge, *b, vertices)?;
        if W::BITS < weight.bits().saturating_add(SPARE) {
            return Err(HeaviestError::TooLong {
                edge,
                bits: weight.bits(),
                most: W::BITS,
            });
        }
    }
    let mut forest = Forest::new(vertices, edges);
    while forest.augment() {}
    Ok(Heaviest {
        edges: forest.matching(),
        proof: forest.prices(),
    })
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;

    /// The largest weight of a matching: every edge is taken or not.
    fn brute(edges: &[(usize, usize, u64)], used: usize) -> u64 {
        let Some(((a, b, weight), rest)) = edges.split_first() else {
            return 0;
        };
        let without = brute(rest, used);
        let ends = 1 << a | 1 << b;
        if a == b || used & ends != 0 {
            without
        } else {
            without.max(weight + brute(rest, used | ends))
        }
    }

    fn verify(vertices: usize, edges: &[(usize, usize, u64)]) -> Result<(), TestCaseError> {
        let found = heaviest_matching(vertices, edges)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(
            found.check(vertices, edges).is_ok(),
            "{:?} {:?}",
            found,
            found.check(vertices, edges)
        );
        prop_assert_eq!(found.weight(edges), BigUint::from(brute(edges, 0)));
        prop_assert!(found.edges.iter().all(|&edge| edges[edge].2 > 0));
        Ok(())
    }

    fn graph(most: u64) -> impl Strategy<Value = (usize, Vec<(usize, usize, u64)>)> {
        (2usize..=8).prop_flat_map(move |n| {
            (
                Just(n),
                prop::collection::vec((0..n, 0..n, 0..=most), 0..=16),
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(375))]

        /// Few different weights: ties of all kinds.
        #[test]
        fn ties((vertices, edges) in graph(2)) {
            verify(vertices, &edges)?;
        }

        #[test]
        fn weights((vertices, edges) in graph(1000)) {
            verify(vertices, &edges)?;
        }

        /// Edges that leave few matchings aside: near-equal weights on nearly all pairs.
        #[test]
        fn near_ties(list in prop::collection::vec(0u64..4, 21)) {
            let pairs = (0..7usize).flat_map(|a| (a + 1..7).map(move |b| (a, b)));
            let edges: Vec<_> = pairs.zip(&list).map(|((a, b), more)| (a, b, 10 + more)).collect();
            verify(7, &edges)?;
        }

        /// All kinds of integers give the same matching. Scaled weights give the same matching.
        #[test]
        fn kinds((vertices, edges) in graph(9)) {
            let plain = heaviest_matching(vertices, &edges);
            let huge = BigUint::from(10u32).pow(400);
            let long: Vec<_> = edges.iter().map(|&(a, b, weight)| (a, b, weight * &huge)).collect();
            let found = heaviest_matching(vertices, &long);
            prop_assert_eq!(plain.map(|found| found.edges), found.clone().map(|found| found.edges));
            prop_assert!(found.is_ok_and(|found| found.check(vertices, &long).is_ok()));
        }

        /// Larger graphs, in which blossoms nest and are opened again: the proof alone.
        #[test]
        fn larger(list in prop::collection::vec((0usize..30, 0usize..30, 1u64..12), 60..200)) {
            let found = heaviest_matching(30, &list);
            prop_assert!(found.is_ok_and(|found| found.check(30, &list).is_ok()));
        }
    }

    #[test]
    fn a_blossom_has_a_price() -> Result<(), HeaviestError> {
        let edges: Vec<_> = (0..5).map(|v| (v, (v + 1) % 5, 3u64)).collect();
        let found = heaviest_matching(5, &edges)?;
        assert_eq!(found.weight(&edges), BigUint::from(6u32));
        found.check(5, &edges)?;
        // Without odd sets the bound is 5 times 3/2.
        assert_eq!(found.proof.sets, [((0..5).collect(), 6)]);
        Ok(())
    }

    #[test]
    fn wrong_proofs_are_refused() -> Result<(), HeaviestError> {
        let edges = [(0, 1, 4u64), (1, 2, 4), (0, 2, 4)];
        let right = heaviest_matching(3, &edges)?;
        let mut wrong = right.clone();
        wrong.proof.sets[0].1 -= 2;
        assert!(matches!(
            wrong.check(3, &edges),
            Err(HeaviestError::Underpriced { edge: 0, .. })
        ));
        let mut wrong = right.clone();
        wrong.proof.vertices[0] += 1;
        assert!(matches!(
            wrong.check(3, &edges),
            Err(HeaviestError::NotEqual { .. })
        ));
        let mut wrong = right.clone();
        wrong.edges = vec![0, 1];
        assert!(matches!(
            wrong.check(3, &edges),
            Err(HeaviestError::NoMatching { edge: 1 })
        ));
        let mut wrong = right.clone();
        wrong.proof.sets[0].0 = vec![0, 1];
        assert!(matches!(
            wrong.check(3, &edges),
            Err(HeaviestError::BadSet { set: 0, size: 2 })
        ));
        let mut wrong = right;
        wrong.proof.vertices.pop();
        assert!(matches!(
            wrong.check(3, &edges),
            Err(HeaviestError::PricesCount { .. })
        ));
        Ok(())
    }

    #[test]
    fn hostile_lists() {
        assert_eq!(
            heaviest_matching::<u64>(0, &[]).map(|found| found.edges),
            Ok(vec![])
        );
        let far = heaviest_matching(2, &[(0, 2, 1u64)]);
        assert_eq!(
            far,
            Err(HeaviestError::EndOutOfRange {
                edge: 0,
                end: 2,
                count: 2
            })
        );
        let long = heaviest_matching(2, &[(0, 1, 1u64 << 60)]);
        assert_eq!(
            long,
            Err(HeaviestError::TooLong {
                edge: 0,
                bits: 61,
                most: 64
            })
        );
        assert_eq!(
            heaviest_matching(2, &[(1, 1, 5u64), (0, 1, 0)]).map(|found| found.edges),
            Ok(vec![])
        );
        assert_eq!(
            heaviest_matching(2, &[(0, 1, 5u64), (1, 0, 5)]).map(|found| found.edges),
            Ok(vec![0])
        );
    }
}
