//! From rationals to integers, once: validation, dense vertices, one common denominator.

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::MatchingError;
use crate::decomposition::Edge;
use oneport_numbers::{common_divisor, common_multiple, gcd, whole};

/// The input's edges of positive weight, with dense vertices and integer weights.
///
/// An input weight is `weights[e] * unit.0 / unit.1`.
pub(crate) struct Scaled {
    /// Index in the input, ascending.
    pub original: Vec<usize>,
    /// `[left, right]`. Vertices are numbered `0..vertices`, the left ones first.
    pub ends: Vec<[usize; 2]>,
    /// Number of vertices with at least one edge.
    pub vertices: usize,
    /// Positive integers without a common divisor.
    pub weights: Vec<BigUint>,
    unit: (BigUint, BigUint),
}

impl Scaled {
    /// The rational that `quantity` units are.
    pub(crate) fn rational(&self, quantity: impl Into<BigUint>) -> BigRational {
        let (unit, denominator) = &self.unit;
        let quantity = quantity.into() * unit;
        if denominator.is_one() {
            return whole(quantity);
        }
        let divisor = gcd(&quantity, denominator);
        BigRational::new_raw((quantity / &divisor).into(), (denominator / divisor).into())
    }

    /// An upper bound on every sum the kernel forms.
    pub(crate) fn total(&self) -> BigUint {
        self.weights.iter().sum()
    }
}

/// Validates the graph and scales it. `O(|E| log |E|)` and one common multiple of all denominators.
pub(crate) fn scale(left: usize, right: usize, edges: &[Edge]) -> Result<Scaled, MatchingError> {
    for (index, edge) in edges.iter().enumerate() {
        check(left, right, index, edge)?;
    }
    let original: Vec<usize> = (0..edges.len())
        .filter(|&e| !edges[e].weight.numer().is_zero())
        .collect();
    let lefts = used(original.iter().map(|&e| edges[e].left));
    let rights = used(original.iter().map(|&e| edges[e].right));
    let dense = |used: &[usize], end: usize| used.partition_point(|&other| other < end);
    let ends = original
        .iter()
        .map(|&e| {
            [
                dense(&lefts, edges[e].left),
                lefts.len() + dense(&rights, edges[e].right),
            ]
        })
        .collect();
    let denominator = common_multiple(
        original
            .iter()
            .map(|&e| edges[e].weight.denom().magnitude()),
    );
    let mut weights: Vec<BigUint> = original
        .iter()
        .map(|&e| integer(&edges[e].weight, &denominator))
        .collect();
    let divisor = common_divisor(&weights);
    if !divisor.is_one() {
        for weight in &mut weights {
            *weight /= &divisor;
        }
    }
    Ok(Scaled {
        original,
        ends,
        vertices: lefts.len() + rights.len(),
        weights,
        unit: (divisor, denominator),
    })
}

fn check(left: usize, right: usize, index: usize, edge: &Edge) -> Result<(), MatchingError> {
    let (numerator, denominator) = (edge.weight.numer(), edge.weight.denom());
    if edge.left >= left {
        return Err(MatchingError::LeftOutOfRange {
            edge: index,
            left: edge.left,
            count: left,
        });
    }
    if edge.right >= right {
        return Err(MatchingError::RightOutOfRange {
            edge: index,
            right: edge.right,
            count: right,
        });
    }
    if denominator.is_zero() {
        return Err(MatchingError::ZeroDenominator {
            edge: index,
            left: edge.left,
            right: edge.right,
        });
    }
    // The signs are compared because an unreduced weight may carry its sign below the bar.
    if !numerator.is_zero() && numerator.sign() != denominator.sign() {
        let weight = Box::new(edge.weight.clone());
        return Err(MatchingError::NegativeWeight {
            edge: index,
            left: edge.left,
            right: edge.right,
            weight,
        });
    }
    Ok(())
}

/// The vertices that have an edge, ascending: memory follows the edges, not the caller's vertex counts.
fn used(ends: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut used: Vec<usize> = ends.collect();
    used.sort_unstable();
    used.dedup();
    used
}

fn integer(weight: &BigRational, denominator: &BigUint) -> BigUint {
    if weight.denom().magnitude() == denominator {
        return weight.numer().magnitude().clone();
    }
    weight.numer().magnitude() * (denominator / weight.denom().magnitude())
}
