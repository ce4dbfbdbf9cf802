//! From capacities to copies: a vertex of capacity `b` becomes `b` vertices that serve one edge at a time.
//!
//! An edge's time is divided among the copies. Different copies of both its ends may get parts. Then two vertices `p`
//! and `q` and an edge between them, for the time when the edge is idle, keep the parts apart: `p` serves one of the
//! first end's parts exactly while `q` serves one of the other's.
//!
//! Which division? In a bipartite graph any that overloads no copy: the expanded graph is bipartite, so nothing else
//! can be violated. Otherwise equal parts are always right: take a sequence of steps for the given graph, lift each
//! allowed set to the copies in all assignments, and their average serves equal parts. But few divided edges make for
//! few steps, so that is the last resort.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_numbers::common_multiple;

use super::instance::Core;
use super::peel::Problem;

/// The problem on copies.
pub(super) struct Expanded {
    pub problem: Problem,
    /// Per name: the edge, `None` for auxiliary edges.
    pub meaning: Vec<Option<usize>>,
    /// The unit of the core is this many units of the problem.
    pub scale: BigUint,
}

/// Parts of an edge: copies at an end, and how long each serves it.
type Parts = Vec<(usize, BigUint)>;

/// Fills one copy after the other: whole edges first, longest first, wherever they fit. Then the others, cut if a copy
/// is full.
pub(super) fn packed(core: &Core, times: &[BigUint], total: &BigUint) -> Expanded {
    expand(core, times, total, BigUint::one(), |copies, edges| {
        let mut room = vec![total.clone(); copies];
        let mut parts: Vec<Parts> = vec![Vec::new(); edges.len()];
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by(|&a, &b| times[edges[b]].cmp(&times[edges[a]]));
        for &i in &order {
            let time = &times[edges[i]];
            if let Some(copy) = room.iter().position(|room| room >= time) {
                room[copy] -= time;
                parts[i].push((copy, time.clone()));
            }
        }
        for i in order {
            let mut time = if parts[i].is_empty() {
                times[edges[i]].clone()
            } else {
                BigUint::zero()
            };
            for (copy, room) in room.iter_mut().enumerate() {
                let part = (&*room).min(&time).clone();
                if !part.is_zero() {
                    *room -= &part;
                    time -= &part;
                    parts[i].push((copy, part));
                }
            }
        }
        parts
    })
}

/// Equal parts for all copies.
pub(super) fn even(core: &Core, times: &[BigUint], total: &BigUint) -> Expanded {
    let scale = common_multiple(
        core.capacities
            .iter()
            .map(|&capacity| BigUint::from(capacity)),
    );
    let times: Vec<BigUint> = times.iter().map(|time| time * &scale).collect();
    expand(core, &times, &(total * &scale), scale, |copies, edges| {
        edges
            .iter()
            .map(|&e| (0..copies).map(|copy| (copy, &times[e] / copies)).collect())
            .collect()
    })
}

fn expand(
    core: &Core,
    times: &[BigUint],
    total: &BigUint,
    scale: BigUint,
    divide: impl Fn(usize, &[usize]) -> Vec<Parts>,
) -> Expanded {
    let mut incident = vec![Vec::new(); core.capacities.len()];
    for (e, ends) in core.ends.iter().enumerate() {
        for &v in ends.iter().flatten() {
            incident[v].push(e);
        }
    }
    let mut parts: Vec<[Option<Parts>; 2]> = vec![[None, None]; times.len()];
    let mut vertices = 0;
    for (v, edges) in incident.iter().enumerate() {
        let copies = core.capacities[v] as usize;
        for (&e, mut list) in edges.iter().zip(divide(copies, edges)) {
            for (copy, _) in &mut list {
                *copy += vertices;
            }
            parts[e][usize::from(core.ends[e][0] != Some(v))] = Some(list);
        }
        vertices += copies;
    }
    let problem = Problem {
        vertices,
        ends: Vec::new(),
        names: Vec::new(),
        times: Vec::new(),
        total: total.clone(),
    };
    let mut expanded = Expanded {
        problem,
        meaning: Vec::new(),
        scale,
    };
    for (e, [a, b]) in parts.into_iter().enumerate() {
        // An end without a limit is a vertex of the edge's own.
        let [a, b] =
            [a, b].map(|list| list.unwrap_or_else(|| vec![(expanded.vertex(), times[e].clone())]));
        expanded.join(e, a, b, &times[e]);
    }
    expanded
}

impl Expanded {
    fn vertex(&mut self) -> usize {
        self.problem.vertices += 1;
        self.problem.vertices - 1
    }

    fn push(&mut self, a: usize, b: usize, time: BigUint, meaning: Option<usize>) {
        if !time.is_zero() {
            self.problem.names.push(self.meaning.len());
            self.meaning.push(meaning);
            self.problem.ends.push([a, b]);
            self.problem.times.push(time);
        }
    }

    /// Adds the parts of edge `e`.
    fn join(&mut self, e: usize, a: Parts, b: Parts, time: &BigUint) {
        match (&a[..], &b[..]) {
            ([(a, _)], _) => {
                for (copy, part) in b {
                    self.push(*a, copy, part, Some(e));
                }
            }
            (_, [(b, _)]) => {
                for (copy, part) in a {
                    self.push(copy, *b, part, Some(e));
                }
            }
            _ => {
                let (p, q) = (self.vertex(), self.vertex());
                for (copy, part) in a {
                    self.push(copy, p, part, Some(e));
                }
                for (copy, part) in b {
                    self.push(q, copy, part, None);
                }
                let idle = &self.problem.total - time;
                self.push(p, q, idle, None);
            }
        }
    }

    /// The side of each vertex, if the expanded graph is bipartite.
    pub(super) fn sides(&self) -> Option<Vec<bool>> {
        let mut others = vec![Vec::new(); self.problem.vertices];
        for &[a, b] in &self.problem.ends {
            others[a].push(b);
            others[b].push(a);
        }
        let mut side = vec![None; self.problem.vertices];
        for start in 0..side.len() {
            if side[start].is_some() {
                continue;
            }
            side[start] = Some(false);
            let mut open = vec![start];
            while let Some(v) = open.pop() {
                for &w in &others[v] {
                    if side[w].is_none() {
                        side[w] = side[v].map(|side: bool| !side);
                        open.push(w);
                    } else if side[w] == side[v] {
                        return None;
                    }
                }
            }
        }
        side.into_iter().collect()
    }
}
