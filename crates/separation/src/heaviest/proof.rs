//! A matching, prices, and how they are added up.

use num_bigint::BigUint;
use oneport_numbers::Whole;

/// Fact: numbers have this many bits more than the weights.
pub(super) const SPARE: u64 = 4;

/// A matching of the largest weight, and the proof that none weighs more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heaviest<W> {
    /// The edges of the matching, by their index in the list, ascending. Every one has a positive weight.
    pub edges: Vec<usize>,
    /// The prices.
    pub proof: Prices<W>,
}

/// Prices of vertices and of odd sets, for doubled weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices<W> {
    /// The price of each vertex.
    pub vertices: Vec<W>,
    /// Odd sets of at least three vertices, ascending, each with its price, which is positive.
    pub sets: Vec<(Vec<usize>, W)>,
}

/// Why a matching of the largest weight could not be found, or is not proved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaviestError {
    /// An edge with an end that does not exist.
    #[error("edge {edge}: an end is {end}; there are {count} vertices, numbered from 0")]
    EndOutOfRange {
        /// Index of the edge.
        edge: usize,
        /// The refused end.
        end: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// A weight too long for the kind of integers.
    #[error("edge {edge}: the weight has {bits} bits; integers of {most} bits bear weights of at most {}", most - SPARE)]
    TooLong {
        /// Index of the edge.
        edge: usize,
        /// How many bits its weight has.
        bits: u64,
        /// How many bits the integers have.
        most: u64,
    },
    /// An edge that the list does not have, or that shares an end with another edge of the matching.
    #[error(
        "edge {edge} of the matching is not in the list, is a loop or shares an end with another one"
    )]
    NoMatching {
        /// The edge.
        edge: usize,
    },
    /// A set with a price that is not an odd set of at least three vertices of the graph.
    #[error(
        "set {set}: {size} vertices; an odd number of different vertices, at least 3, ascending, is right"
    )]
    BadSet {
        /// Index of the set in the proof.
        set: usize,
        /// How many vertices it lists.
        size: usize,
    },
    /// A number of prices that is not the number of vertices.
    #[error("{prices} prices are given for {count} vertices; there must be one per vertex")]
    PricesCount {
        /// How many prices there are.
        prices: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// An edge whose doubled weight is above the prices around it.
    #[error(
        "edge {edge}: twice its weight is {weight}, the prices at its ends and around it add up to {prices} only"
    )]
    Underpriced {
        /// The edge.
        edge: usize,
        /// Its doubled weight.
        weight: BigUint,
        /// The prices at its ends and of the sets around it.
        prices: BigUint,
    },
    /// Prices that prove a larger bound than the matching's weight.
    #[error("the matching weighs {weight} (doubled), the prices prove {bound}; they must be equal")]
    NotEqual {
        /// The doubled weight of the matching.
        weight: BigUint,
        /// The bound on doubled weights that the prices prove.
        bound: BigUint,
    },
}

/// Refuses an end that does not exist.
pub(super) fn in_range(edge: usize, end: usize, count: usize) -> Result<(), HeaviestError> {
    if end < count {
        Ok(())
    } else {
        Err(HeaviestError::EndOutOfRange { edge, end, count })
    }
}

impl<W: Whole> Heaviest<W> {
    /// The weight of the matching.
    pub fn weight(&self, edges: &[(usize, usize, W)]) -> BigUint {
        self.edges
            .iter()
            .filter_map(|&edge| edges.get(edge))
            .map(|(_, _, weight)| weight.clone().into())
            .sum()
    }

    /// Adds up the proof: the edges form a matching, whose weight the prices prove to be the largest. Any prices will
    /// do, not only the duals of [`heaviest_matching`](super::heaviest_matching). `O(m (1 + sets) log n)`.
    ///
    /// # Errors
    /// [`HeaviestError`] names the first edge or set that is not in order.
    pub fn check(&self, vertices: usize, edges: &[(usize, usize, W)]) -> Result<(), HeaviestError> {
        let mut used = vec![false; vertices];
        for &edge in &self.edges {
            let wrong = HeaviestError::NoMatching { edge };
            let Some(&(a, b, _)) = edges.get(edge) else {
                return Err(wrong);
            };
            if a == b || a >= vertices || b >= vertices || used[a] || used[b] {
                return Err(wrong);
            }
            (used[a], used[b]) = (true, true);
        }
        let (weight, bound) = (
            self.weight(edges) * 2u32,
            self.proof.bound(vertices, edges)?,
        );
        if weight == bound {
            Ok(())
        } else {
            Err(HeaviestError::NotEqual { weight, bound })
        }
    }
}

impl<W: Whole> Prices<W> {
    /// The proved bound: no matching among the edges weighs more than half of this. `O(m (1 + sets) log n)`.
    ///
    /// # Errors
    /// [`HeaviestError`] names the first edge that the prices do not cover, or set that is not in order.
    pub fn bound(
        &self,
        vertices: usize,
        edges: &[(usize, usize, W)],
    ) -> Result<BigUint, HeaviestError> {
        if self.vertices.len() != vertices {
            return Err(HeaviestError::PricesCount {
                prices: self.vertices.len(),
                count: vertices,
            });
        }
        for (set, (members, _)) in self.sets.iter().enumerate() {
            let ascending = members.windows(2).all(|pair| pair[0] < pair[1]);
            let within = members.last().is_some_and(|&last| last < vertices);
            if !ascending || !within || members.len() < 3 || members.len().is_multiple_of(2) {
                return Err(HeaviestError::BadSet {
                    set,
                    size: members.len(),
                });
            }
        }
        for (edge, (a, b, weight)) in edges.iter().enumerate().filter(|(_, (a, b, _))| a != b) {
            in_range(edge, *a, vertices)?;
            in_range(edge, *b, vertices)?;
            let holds_both_ends = |(members, _): &&(Vec<usize>, W)| {
                [a, b].iter().all(|end| members.binary_search(end).is_ok())
            };
            let sets = self
                .sets
                .iter()
                .filter(holds_both_ends)
                .map(|(_, price)| price);
            let prices: BigUint = [&self.vertices[*a], &self.vertices[*b]]
                .into_iter()
                .chain(sets)
                .map(|price| price.clone().into())
                .sum();
            let weight: BigUint = weight.clone().into() * 2u32;
            if prices < weight {
                return Err(HeaviestError::Underpriced {
                    edge,
                    weight,
                    prices,
                });
            }
        }
        let single: BigUint = self.vertices.iter().map(|price| price.clone().into()).sum();
        let within = self
            .sets
            .iter()
            .map(|(members, price)| price.clone().into() * (members.len() / 2));
        Ok(single + within.sum::<BigUint>())
    }
}
