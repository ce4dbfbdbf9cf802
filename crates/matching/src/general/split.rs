//! Divide and conquer at a tight odd set.
//!
//! While an odd set `U` is tight, exactly one of its vertices at a time idles or works with the outside. *Inside*: the
//! edges in `U`, and one more vertex to which all these exits lead. *Outside*: everything else, with `U` shrunk to a
//! vertex. Neither violates anything, since its odd sets, or their complements, are odd sets of the whole with the same
//! slack. Each is solved separately. Both use each exit for the same length of time, so that the inside can be cut and
//! reordered to go with the outside.
//!
//! A split of a problem without slack makes two with at least two vertices fewer each. Inside, nothing is slack.

use std::collections::{BTreeMap, VecDeque};

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_numbers::common_multiple;

use super::peel::{Ending, Problem, Timeline, peel};
use crate::MatchingError;

/// Solves a problem without slack to spare: its total is the least possible or more. `fresh` is above all names.
///
/// Recursion is at most as deep as there are vertices.
pub(super) fn solve(problem: Problem, fresh: &mut usize) -> Result<Timeline, MatchingError> {
    let (mut line, rest, ending) = peel(problem)?;
    let Ending::Tight(set) = ending else {
        return Ok(line);
    };
    let first = *fresh;
    let exits = exits(&rest, &set);
    let inside = inside(&rest, &set, fresh);
    let outside = outside(&rest, &set);
    let (inside, outside) = (solve(inside, fresh)?, solve(outside, fresh)?);
    let glued = glue(inside, outside, &exits, first)?;
    line.refine(&glued.unit);
    line.steps.extend(glued.steps);
    Ok(line)
}

fn ends_in(set: &[usize], ends: [usize; 2]) -> usize {
    ends.iter()
        .filter(|end| set.binary_search(end).is_ok())
        .count()
}

/// Names of the edges that leave the set, ascending.
fn exits(rest: &Problem, set: &[usize]) -> Vec<usize> {
    let edges = rest.ends.iter().zip(&rest.names);
    let mut exits: Vec<usize> = edges
        .filter(|(ends, _)| ends_in(set, **ends) == 1)
        .map(|(_, &name)| name)
        .collect();
    exits.sort_unstable();
    exits
}

/// The inside. Idling becomes an edge, with a fresh name.
fn inside(rest: &Problem, set: &[usize], fresh: &mut usize) -> Problem {
    let index = |v: usize| set.binary_search(&v).unwrap_or(set.len());
    let mut inside = Problem {
        vertices: set.len() + 1,
        ends: Vec::new(),
        names: Vec::new(),
        times: Vec::new(),
        total: rest.total.clone(),
    };
    let mut busy = vec![BigUint::zero(); set.len() + 1];
    for ((ends, &name), time) in rest.ends.iter().zip(&rest.names).zip(&rest.times) {
        if ends_in(set, *ends) > 0 {
            let indices = ends.map(index);
            for v in indices {
                busy[v] += time;
            }
            inside.push(indices, name, time.clone());
        }
    }
    for (v, busy) in busy.iter().enumerate().take(set.len()) {
        if *busy < rest.total {
            inside.push([v, set.len()], *fresh, &rest.total - busy);
            *fresh += 1;
        }
    }
    inside
}

/// The outside. The set becomes the last vertex.
fn outside(rest: &Problem, set: &[usize]) -> Problem {
    let others: Vec<usize> = (0..rest.vertices)
        .filter(|v| set.binary_search(v).is_err())
        .collect();
    let index = |v: usize| others.binary_search(&v).unwrap_or(others.len());
    let mut outside = Problem {
        vertices: others.len() + 1,
        ends: Vec::new(),
        names: Vec::new(),
        times: Vec::new(),
        total: rest.total.clone(),
    };
    for ((ends, &name), time) in rest.ends.iter().zip(&rest.names).zip(&rest.times) {
        if ends_in(set, *ends) < 2 {
            outside.push(ends.map(index), name, time.clone());
        }
    }
    outside
}

impl Problem {
    fn push(&mut self, ends: [usize; 2], name: usize, time: BigUint) {
        self.ends.push(ends);
        self.names.push(name);
        self.times.push(time);
    }
}

/// Runs both at the same time, the outside in its own order. Names from `first` on are dropped.
fn glue(
    mut inside: Timeline,
    mut outside: Timeline,
    exits: &[usize],
    first: usize,
) -> Result<Timeline, MatchingError> {
    let unit = common_multiple([&inside.unit, &outside.unit]);
    for line in [&mut inside, &mut outside] {
        let factor = &unit / &line.unit;
        line.refine(&factor);
    }
    let exit = |edges: &[usize]| {
        edges
            .iter()
            .copied()
            .find(|name| exits.binary_search(name).is_ok())
    };
    let mut waiting: BTreeMap<Option<usize>, VecDeque<(BigUint, Vec<usize>)>> = BTreeMap::new();
    for (length, mut edges) in inside.steps {
        let way = exit(&edges);
        edges.retain(|&name| name < first && Some(name) != way);
        waiting.entry(way).or_default().push_back((length, edges));
    }
    let mut glued = Timeline {
        unit,
        steps: Vec::new(),
    };
    for (mut length, edges) in outside.steps {
        let queue = waiting.entry(exit(&edges)).or_default();
        while !length.is_zero() {
            let Some((left, within)) = queue.front_mut() else {
                return Err(MatchingError::Unsound {
                    what: "the halves of a tight odd set do not fit",
                });
            };
            let part = (&*left).min(&length).clone();
            glued.steps.push((
                part.clone(),
                edges.iter().chain(&*within).copied().collect(),
            ));
            *left -= &part;
            length -= part;
            if left.is_zero() {
                queue.pop_front();
            }
        }
    }
    Ok(glued)
}
