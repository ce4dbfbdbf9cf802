//! From the caller's graph to the part that matters: validation, edges of positive time, ends that can be short of
//! room, one common denominator.

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::odd::{Ports, Violated, violated};
use super::port_graph::PortGraph;
use crate::MatchingError;
use oneport_numbers::{Whole, common_multiple, gcd};

/// The edges of positive time, with integer times. Vertices that cannot be short of room are left out.
pub(super) struct Core {
    /// Index in the input, ascending.
    pub original: Vec<usize>,
    /// The caller's number of each vertex, ascending.
    pub vertex: Vec<usize>,
    /// Capacity of each vertex, less than its number of edges.
    pub capacities: Vec<u64>,
    /// The ends of each edge. `None` if room is never short.
    pub ends: Vec<[Option<usize>; 2]>,
    /// Positive, in `1 / denominator` of the caller's unit.
    pub times: Vec<BigUint>,
    pub denominator: BigUint,
}

/// A number with the denominator positive, or the refusal of it.
pub(super) fn not_negative(time: &BigRational, edge: Option<usize>) -> Result<(), MatchingError> {
    let (numerator, denominator) = (time.numer(), time.denom());
    // The signs are compared because an unreduced time may carry its sign below the bar.
    if denominator.is_zero() || (!numerator.is_zero() && numerator.sign() != denominator.sign()) {
        return Err(MatchingError::BadTime {
            edge,
            time: format!("{numerator}/{denominator}"),
        });
    }
    Ok(())
}

impl Core {
    /// Validates and scales. `O(|E| log |E|)` and one common multiple.
    pub(super) fn new(graph: &PortGraph, times: &[BigRational]) -> Result<Core, MatchingError> {
        if times.len() != graph.edges.len() {
            return Err(MatchingError::TimesCount {
                times: times.len(),
                edges: graph.edges.len(),
            });
        }
        for (edge, (ends, time)) in graph.edges.iter().zip(times).enumerate() {
            check(graph, edge, ends, time)?;
        }
        let original: Vec<usize> = (0..times.len())
            .filter(|&e| !times[e].numer().is_zero())
            .collect();
        let mut degree = vec![0; graph.capacities.len()];
        for &e in &original {
            for &v in graph.edges[e].iter().flatten() {
                degree[v] += 1;
            }
        }
        let vertex: Vec<usize> = (0..degree.len())
            .filter(|&v| graph.capacities[v] < degree[v])
            .collect();
        let ends = original
            .iter()
            .map(|&e| graph.edges[e].map(|end| vertex.binary_search(&end?).ok()))
            .collect();
        let denominator = common_multiple(original.iter().map(|&e| times[e].denom().magnitude()));
        let integer = |time: &BigRational| {
            time.numer().magnitude() * (&denominator / time.denom().magnitude())
        };
        Ok(Core {
            ends,
            times: original.iter().map(|&e| integer(&times[e])).collect(),
            capacities: vertex.iter().map(|&v| graph.capacities[v] as u64).collect(),
            original,
            vertex,
            denominator,
        })
    }

    pub(super) fn ports(&self) -> Ports<'_> {
        Ports {
            capacities: &self.capacities,
            ends: &self.ends,
        }
    }

    /// Times and period in a common unit: `1 / (denominator * q)` of the caller's for a period of `p / q` of ours.
    pub(super) fn scaled(&self, p: &BigUint, q: &BigUint) -> (Vec<BigUint>, BigUint) {
        (self.times.iter().map(|time| time * q).collect(), p.clone())
    }

    /// Largest ratio of time to be served to capacity, over vertices and single edges, as a fraction.
    pub(super) fn simple_period(&self) -> (BigUint, BigUint) {
        let mut degree = vec![BigUint::zero(); self.capacities.len()];
        for (ends, time) in self.ends.iter().zip(&self.times) {
            for &v in ends.iter().flatten() {
                degree[v] += time;
            }
        }
        let ratios = degree.into_iter().zip(
            self.capacities
                .iter()
                .map(|&capacity| BigUint::from(capacity)),
        );
        let single = self.times.iter().max().cloned().unwrap_or_default();
        ratios.fold((single, BigUint::one()), larger)
    }

    /// Newton's method from below: the ratio of a violated inequality is the next period. After an inequality follow at
    /// most as many others as it has members (its slope falls each time).
    pub(super) fn least_period(&self) -> (BigUint, BigUint) {
        let mut period = self.simple_period();
        loop {
            let (times, total) = self.scaled(&period.0, &period.1);
            let found = self.violated(&times, &total);
            if found.is_empty() {
                return period;
            }
            for set in found {
                period = larger(
                    period.clone(),
                    (set.load / &period.1, BigUint::from(set.capacity)),
                );
            }
            let divisor = gcd(&period.0, &period.1);
            period = (period.0 / &divisor, period.1 / divisor);
        }
    }

    /// Violated inequalities, in the smallest integers that hold every sum.
    pub(super) fn violated(&self, times: &[BigUint], total: &BigUint) -> Vec<Violated<BigUint>> {
        let ports = self.ports();
        let room = self.capacities.iter().sum::<u64>() + times.len() as u64 + 2;
        let bits = (times.iter().sum::<BigUint>() * 2u32 + total * room).bits() + 1;
        if bits <= u64::BITS.into() {
            narrow::<u64>(&ports, times, total)
        } else if bits <= u128::BITS.into() {
            narrow::<u128>(&ports, times, total)
        } else {
            violated(&ports, times, total)
        }
    }
}

fn narrow<W: Whole>(
    ports: &Ports<'_>,
    times: &[BigUint],
    total: &BigUint,
) -> Vec<Violated<BigUint>> {
    let exact = |number| W::narrow(number).unwrap_or_else(W::zero);
    let times: Vec<W> = times.iter().map(exact).collect();
    let found = violated(ports, &times, &exact(total));
    let widen = |set: Violated<W>| Violated {
        vertices: set.vertices,
        edges: set.edges,
        load: set.load.into(),
        capacity: set.capacity,
    };
    found.into_iter().map(widen).collect()
}

/// The larger of two fractions with positive denominators, the first on a tie.
fn larger(a: (BigUint, BigUint), b: (BigUint, BigUint)) -> (BigUint, BigUint) {
    if &b.0 * &a.1 > &a.0 * &b.1 { b } else { a }
}

fn check(
    graph: &PortGraph,
    edge: usize,
    ends: &[Option<usize>; 2],
    time: &BigRational,
) -> Result<(), MatchingError> {
    let count = graph.capacities.len();
    if let Some(&end) = ends.iter().flatten().find(|&&end| end >= count) {
        return Err(MatchingError::EndOutOfRange { edge, end, count });
    }
    not_negative(time, Some(edge))?;
    if let [Some(a), Some(b)] = *ends
        && a == b
    {
        return Err(MatchingError::Loop { edge, vertex: a });
    }
    if let Some(&vertex) = ends.iter().flatten().find(|&&v| graph.capacities[v] == 0)
        && !time.numer().is_zero()
    {
        return Err(MatchingError::ZeroCapacity { edge, vertex });
    }
    Ok(())
}
