//! Peeling: steps as long as possible, until the work is done or an odd set is tight.
//!
//! For capacities of 1. A step lasts at most as long as its matching's edges, as uncovered vertices may idle, and as
//! the rest violates no odd set. Newton's method over the separation finds the last limit, from above. If an odd set
//! ends the step, it has become tight: from now on exactly one of its vertices at a time idles or works with the
//! outside. Then the problem is split in two ([`super::split`]).

use num_bigint::BigUint;

use super::blossom::Rest;
use super::odd::{Ports, Violated, violated};
use crate::MatchingError;
use oneport_numbers::Whole;

/// A graph with capacities of 1, and integer times that can be served within `total`.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub vertices: usize,
    pub ends: Vec<[usize; 2]>,
    /// The edge's name, unique.
    pub names: Vec<usize>,
    pub times: Vec<BigUint>,
    pub total: BigUint,
}

/// Steps in sequence. A length of `unit` is 1 in the unit of the problem they solve.
pub(super) struct Timeline {
    pub unit: BigUint,
    /// Lengths, and names of edges.
    pub steps: Vec<(BigUint, Vec<usize>)>,
}

/// How a peeling ended.
pub(super) enum Ending {
    /// Nothing is left.
    Done,
    /// This odd set is tight.
    Tight(Vec<usize>),
    /// The integers have become too narrow.
    Narrow,
}

impl Timeline {
    pub(super) fn empty() -> Self {
        Timeline {
            unit: BigUint::from(1u8),
            steps: Vec::new(),
        }
    }

    /// Divides the unit.
    pub(super) fn refine(&mut self, factor: &BigUint) {
        if *factor != BigUint::from(1u8) {
            self.unit *= factor;
            for (length, _) in &mut self.steps {
                *length *= factor;
            }
        }
    }
}

/// Peels in integers of type `W`, from the narrowest that have room. Returns the steps, the rest in the unit of the
/// steps, and the reason for the end. [`Ending::Narrow`] is dealt with here.
pub(super) fn peel(problem: Problem) -> Result<(Timeline, Problem, Ending), MatchingError> {
    let mut line = Timeline::empty();
    let mut rest = problem;
    for width in 0..3 {
        let (steps, left, ending) = match width {
            0 if room(&rest, u64::BITS.into()) => run::<u64>(&rest)?,
            1 if room(&rest, u128::BITS.into()) => run::<u128>(&rest)?,
            2 => run::<BigUint>(&rest)?,
            _ => continue,
        };
        line.refine(&steps.unit);
        line.steps.extend(steps.steps);
        rest = left;
        if !matches!(ending, Ending::Narrow) {
            return Ok((line, rest, ending));
        }
    }
    Err(MatchingError::Unsound {
        what: "big integers are too narrow",
    })
}

/// Bits that the numbers of a peeling may have, the problem's own scaled up to 16 bits included.
fn room(problem: &Problem, bits: u64) -> bool {
    let sum =
        problem.times.iter().sum::<BigUint>() * 2u32 + &problem.total * (problem.vertices + 2);
    sum.bits() + slopes(problem.vertices) + 16 <= bits
}

/// Bits of the numbers of edges that ratios are compared with.
fn slopes(vertices: usize) -> u64 {
    u64::from(usize::BITS - vertices.leading_zeros()) + 1
}

/// A length, in `1 / scale` of the present unit, the scale, and the odd set that is tight thereafter, if one is.
type Length<W> = (W, u64, Option<Vec<usize>>);

struct Peeling<'a, W> {
    problem: &'a Problem,
    rest: Rest<W>,
    capacities: Vec<u64>,
    ends: Vec<[Option<usize>; 2]>,
    unit: BigUint,
    steps: Vec<(W, Vec<usize>)>,
}

fn run<W: Whole>(problem: &Problem) -> Result<(Timeline, Problem, Ending), MatchingError> {
    let narrow = MatchingError::Unsound {
        what: "a number needs more bits than reserved",
    };
    let exact = |number: &BigUint| W::narrow(number).ok_or_else(|| narrow.clone());
    let time = problem.times.iter().map(exact).collect::<Result<_, _>>()?;
    let mut peeling = Peeling {
        problem,
        rest: Rest::new(
            problem.vertices,
            problem.ends.clone(),
            time,
            exact(&problem.total)?,
        ),
        capacities: vec![1; problem.vertices],
        ends: problem.ends.iter().map(|ends| ends.map(Some)).collect(),
        unit: BigUint::from(1u8),
        steps: Vec::new(),
    };
    let ending = peeling.run()?;
    Ok(peeling.finish(ending))
}

impl<W: Whole> Peeling<'_, W> {
    fn run(&mut self) -> Result<Ending, MatchingError> {
        while !self.rest.total.is_zero() {
            if !self.rest.longest() {
                return Err(MatchingError::Unsound {
                    what: "tight vertices that no matching covers",
                });
            }
            let matching = self.rest.matching();
            let Some((length, scale, tight)) = self.length(&matching)? else {
                return Ok(Ending::Narrow);
            };
            self.refine(scale);
            if !length.is_zero() {
                self.rest.take(&length);
                self.steps.push((length, matching));
            }
            if let Some(set) = tight
                && !self.rest.total.is_zero()
            {
                return Ok(Ending::Tight(set));
            }
        }
        Ok(Ending::Done)
    }

    /// The greatest length of `matching`. `None` if the integers have no room for it.
    fn length(&self, matching: &[usize]) -> Result<Option<Length<W>>, MatchingError> {
        let idle = (0..self.rest.mate.len()).filter(|&v| self.rest.mate[v] == super::blossom::NONE);
        let slacks = idle.map(|v| self.rest.slack(v));
        let lasts = matching.iter().map(|&e| self.rest.time[e].clone());
        let mut length = lasts.chain(slacks).fold(self.rest.total.clone(), W::min);
        let (mut scale, mut tight) = (1u64, None);
        let ports = Ports {
            capacities: &self.capacities,
            ends: &self.ends,
        };
        loop {
            if self.bits() + u64::from(u64::BITS - scale.leading_zeros()) > W::BITS {
                return Ok(None);
            }
            let mut left: Vec<W> = self
                .rest
                .time
                .iter()
                .map(|time| time.multiple(scale))
                .collect();
            for &e in matching {
                left[e] -= &length;
            }
            let total = self.rest.total.multiple(scale).surplus(&length);
            let found = violated(&ports, &left, &total);
            if found.is_empty() {
                return Ok(Some((length, scale, tight)));
            }
            for set in found {
                let (slack, slope) = self.margin(matching, &set)?;
                // slack / slope < length / scale
                if slack.multiple(scale) < length.multiple(slope) {
                    let divisor = slack.gcd(&W::from(slope));
                    (length, scale) = (slack / divisor.clone(), slope / small(divisor, slope));
                    tight = Some(set.vertices);
                }
            }
        }
    }

    /// The slack of the set's inequality now, and its loss per unit of time along `matching`.
    fn margin(&self, matching: &[usize], set: &Violated<W>) -> Result<(W, u64), MatchingError> {
        let is_inside = |e: usize| {
            self.rest.ends[e]
                .iter()
                .all(|v| set.vertices.binary_search(v).is_ok())
        };
        let mut load = W::zero();
        for e in (0..self.rest.time.len()).filter(|&e| is_inside(e)) {
            load += &self.rest.time[e];
        }
        let room = self.rest.total.multiple(set.capacity);
        let used = matching.iter().filter(|&&e| is_inside(e)).count() as u64;
        if load > room || used >= set.capacity {
            return Err(MatchingError::Unsound {
                what: "an odd set was violated before the step",
            });
        }
        Ok((room.surplus(&load), set.capacity - used))
    }

    /// Bits of the largest number that a length in the present unit takes.
    fn bits(&self) -> u64 {
        let sum = self.rest.degree.iter().fold(W::zero(), |mut sum, degree| {
            sum += degree;
            sum
        });
        let vertices = self.rest.mate.len();
        sum.bits().max(self.rest.total.bits() + slopes(vertices)) + 2 + slopes(vertices)
    }

    fn refine(&mut self, scale: u64) {
        if scale == 1 {
            return;
        }
        self.unit *= scale;
        let numbers = self
            .rest
            .time
            .iter_mut()
            .chain(&mut self.rest.degree)
            .chain([&mut self.rest.total]);
        for number in numbers
            .chain([&mut self.rest.length])
            .chain(self.steps.iter_mut().map(|step| &mut step.0))
        {
            *number = number.multiple(scale);
        }
    }

    fn finish(self, ending: Ending) -> (Timeline, Problem, Ending) {
        let names = |edges: Vec<usize>| edges.into_iter().map(|e| self.problem.names[e]).collect();
        let steps = self
            .steps
            .into_iter()
            .map(|(length, edges)| (length.into(), names(edges)))
            .collect();
        let kept: Vec<usize> = (0..self.rest.time.len())
            .filter(|&e| !self.rest.time[e].is_zero())
            .collect();
        let left = Problem {
            vertices: self.problem.vertices,
            ends: kept.iter().map(|&e| self.problem.ends[e]).collect(),
            names: kept.iter().map(|&e| self.problem.names[e]).collect(),
            times: kept
                .iter()
                .map(|&e| self.rest.time[e].clone().into())
                .collect(),
            total: self.rest.total.into(),
        };
        (
            Timeline {
                unit: self.unit,
                steps,
            },
            left,
            ending,
        )
    }
}

/// `divisor`, which divides `number`, as a machine integer.
fn small<W: Whole>(divisor: W, number: u64) -> u64 {
    let big: BigUint = divisor.into();
    u64::narrow(&big).unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles joined by an edge, within their least period.
    fn triangles(unit: &BigUint) -> Problem {
        let ends = vec![[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]];
        let times = [3u32, 2, 1, 2, 2, 2, 1].map(|time| unit * time).to_vec();
        Problem {
            vertices: 6,
            names: (0..ends.len()).collect(),
            ends,
            times,
            total: unit * 6u32,
        }
    }

    #[test]
    fn integers_that_are_too_narrow_are_noticed_and_widened() {
        let unit = BigUint::from(1u64 << 56);
        let (line, left, ending) = run::<u64>(&triangles(&unit)).unwrap();
        assert!(line.steps.is_empty() && matches!(ending, Ending::Narrow));
        assert_eq!(left.times, triangles(&unit).times);
        for unit in [BigUint::from(1u8), unit, BigUint::from(1u8) << 300] {
            let (line, left, ending) = peel(triangles(&unit)).unwrap();
            let served: BigUint = line.steps.iter().map(|(length, _)| length).sum();
            assert_eq!(served + &left.total, &unit * 6u32 * &line.unit);
            assert_eq!(
                matches!(ending, Ending::Done),
                left.total == BigUint::from(0u8)
            );
            for (name, time) in triangles(&unit).times.iter().enumerate() {
                let steps = line.steps.iter().filter(|(_, names)| names.contains(&name));
                let kept = left
                    .names
                    .iter()
                    .position(|&other| other == name)
                    .map(|e| &left.times[e]);
                assert_eq!(
                    steps.map(|(length, _)| length).chain(kept).sum::<BigUint>(),
                    time * &line.unit
                );
            }
        }
    }
}
