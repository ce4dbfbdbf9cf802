//! Exact one-port decomposition in general graphs: half-duplex nodes, several ports, links.
//!
//! # Problem
//! A node that sends or receives, but not both at a time, is one vertex of the graph of transfers, which then need not
//! be bipartite. A node with several ports serves as many transfers at a time. A link serves one. Sets of transfers
//! that may happen simultaneously are *allowed*. Cut the transfers, each of which takes some time, into a sequence of
//! allowed sets, each kept for some time, within the shortest total time: RR-2004-32 section 2.2.2 (its figure 2 is the
//! example below) and the matchings of section 3.2, where the transfers of a steady-state broadcast are so cut.
//!
//! # Symbols
//! | symbol | here | meaning |
//! |---|---|---|
//! | `b(v)` | [`PortGraph::capacities`] | how many edges `v` serves at a time |
//! | `x(e)` | `times` | (remaining) time of an edge, rational, not negative |
//! | `x(delta(v))` | | (remaining) time that `v` has to serve |
//! | `D` | [`least_period`], `period` | (remaining) total time |
//! | `U`, `F` | [`OddSet`] | a set of vertices, and some edges with one end in it |
//! | `E(U)` | | the edges with both ends in `U` |
//!
//! # Theorem
//! The times can be served within `D` if and only if
//! 1. `x(delta(v)) <= b(v) D` for all vertices, and `x(e) <= D` for all edges,
//! 2. `x(E(U)) + x(F) <= floor((b(U) + |F|) / 2) D` for all `U` and `F` with `b(U) + |F|` odd.
//!
//! So the least period is the largest ratio among these, and the steps of [`decompose`] add up to exactly that.
//!
//! *Proof.* Every allowed set satisfies the inequalities with `D = 1`: add the bounds of the vertices in `U` and of
//! the edges in `F`, halve, round down. That nothing else is needed is Edmonds's theorem for `b = 1` (where `F` can
//! be empty) and Edmonds and Johnson's for capacitated b-matchings in general. In bipartite graphs (1) is enough,
//! since the incidence matrix with a unit matrix below it is totally unimodular.
//!
//! # Algorithm
//! - **Separation** ([`separate`]): a violated inequality is a light odd cut (Padberg and Rao), found among the cuts of
//!   a cut tree. Only cuts lighter than `D` matter, so vertices that none of them separates are merged as soon as a
//!   maximum-adjacency scan shows it (Nagamochi and Ibaraki). Few maximum flows remain. An empty answer is exact.
//! - **Least period**: Newton's method over the separation, from the largest ratio in (1) up.
//! - **Capacities**: `v` becomes `b(v)` vertices of capacity 1, among which its edges are divided: whole edges if they
//!   fit, which is always right in bipartite graphs. The decomposer at the root of this crate takes these. In other
//!   graphs the division is checked. If it fails, the division in equal parts is used, which is always right.
//! - **Peeling**: as in the bipartite case, a step takes a matching that lasts as long as possible given the vertices
//!   and edges, found by repairing the one before along alternating paths with blossoms (Edmonds). No weights, no
//!   linear program.
//! - **Tight odd sets**: if an odd set `U` ends a step early, exactly one of its vertices at a time can be idle or busy
//!   with the outside from then on. The inside and the outside of `U` are smaller problems of the same kind, with the
//!   same `D`. Their solutions are run side by side.
//!
//! All decisions are made in integers, of 64 or 128 bits while every sum fits, else big ones. The result depends on
//! the input alone.
//!
//! # Complexity
//! With `n` vertices and `m` edges after the division: a separation takes `O(n)` maximum flows in the worst case,
//! mostly a few scans of `O(m log n)`. Between two splits every step uses up an edge, makes a vertex tight for good, or
//! splits. A split makes two problems with fewer vertices each, or one in which no vertex has slack.
//!
//! # How many steps
//! **Theorem.** With capacities 1, [`decompose`] takes at most as many steps as edges have a positive time. More
//! exactly, it takes at most `m + 1 - r` of them for `m` such edges, where `r` is the rank of all tight inequalities
//! (1) and (2) in the times and `D`. This is a bound, not the least number. It is polynomial, as RR-2004-32 requires
//! (lemma 2).
//!
//! *Proof.* Let `F` be the least face of the matching polytope with `x / D` in it; `dim F = m - r`. We show at most
//! `dim F + 1` steps. A step takes a matching that covers all tight vertices, so it satisfies every tight inequality
//! with equality, until an edge is used up, a vertex becomes tight or an odd set does: each of these is one more
//! independent equation. At a tight odd set `U` the two halves are solved apart. Call each edge that leaves `U`, and
//! idling of each of its vertices, a way if it has time left, `w` of them. Each matching of either half uses exactly
//! one way, and each way is used. So `F` is the product of the halves' faces over the simplex of ways, and `dim F = dim
//! A + dim B - (w - 1)`. The halves take at most `dim A + 1` and `dim B + 1` steps, by induction. Running them side by
//! side, way by way, merges `a` and `b` steps into at most `a + b - 1`, hence in all at most `dim A + 1 + dim B + 1 - w
//! = dim F + 1`. At the least period some inequality is tight, so `r >= 1`. For the two peelings at the root of this
//! crate, which take bipartite graphs, the first argument is enough.
//!
//! With larger capacities the theorem holds of the graph with `b(v)` vertices for each vertex: at most as many steps
//! as it has edges, parts of divided edges and idle edges included.
//!
//! # References
//! - J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", J. Res. Nat. Bur. Standards 69B, 1965.
//! - J. Edmonds, E. L. Johnson, "Matching: a well-solved class of integer linear programs", 1970.
//! - M. W. Padberg, M. R. Rao, "Odd minimum cut-sets and b-matchings", Math. Oper. Res. 7(1), 1982.
//! - A. N. Letchford, G. Reinelt, D. O. Theis, "Odd minimum cut sets and b-matchings revisited", SIAM J. Discrete
//!   Math. 22(4), 2008.
//! - H. Nagamochi, T. Ibaraki, "Computing edge-connectivity in multigraphs and capacitated graphs", SIAM J. Discrete
//!   Math. 5(1), 1992.
//! - A. Schrijver, "Combinatorial Optimization", volume A, chapters 25, 28 and 32.
//!
//! # Example
//! RR-2004-32, figure 2: every port is busy for at most 1, yet the three transfers need 5/4, one at a time.
//! ```
//! use num_rational::BigRational;
//! use oneport_matching::general::{PortGraph, decompose, least_period, separate};
//! let ratio = |p: i64, q: i64| BigRational::new(p.into(), q.into());
//! let edges = vec![[Some(0), Some(1)], [Some(1), Some(2)], [Some(0), Some(2)]];
//! let graph = PortGraph { capacities: vec![1, 1, 1], edges };
//! let times = [ratio(3, 4), ratio(1, 4), ratio(1, 4)];
//! assert_eq!(separate(&graph, &times, &ratio(1, 1))?[0].vertices, [0, 1, 2]);
//! assert_eq!(least_period(&graph, &times)?, ratio(5, 4));
//! assert_eq!(decompose(&graph, &times)?.steps.len(), 3);
//! # Ok::<(), oneport_matching::MatchingError>(())
//! ```

mod blossom;
mod cuts;
mod instance;
mod odd;
mod peel;
mod port_graph;
mod split;
mod splitting;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_rational::BigRational;
use oneport_numbers::ratio;
use oneport_watch::Watch;

use self::instance::{Core, not_negative};
use self::odd::{Ports, violated};
pub use self::port_graph::{OddSet, PortGraph};
use self::splitting::Expanded;
use crate::{Decomposition, Edge, MatchingError, Step};

/// Inequalities that [`separate`] returns. Trades rounds of the caller's program for its size. Not measured.
const MOST: usize = 48;

/// Odd-set inequalities that `times` violate within `period`, the most violated first, at most 48 and no two the
/// same.
///
/// If `times` and `period` keep the bounds of vertices and edges, (1) of the theorem, the answer is empty if and only
/// if the times can be served within the period. Otherwise every returned inequality is violated, but an empty answer
/// proves nothing. `times` has an entry per edge of the graph, in the unit of `period`. For the cost see [`self`].
///
/// # Errors
/// [`MatchingError`] if the numbers of times and edges differ. Otherwise it names the period, or the first edge with an
/// end out of range, two equal ends, an invalid time, or a positive time and an end of capacity 0.
pub fn separate(
    graph: &PortGraph,
    times: &[BigRational],
    period: &BigRational,
) -> Result<Vec<OddSet>, MatchingError> {
    let core = Core::new(graph, times)?;
    not_negative(period, None)?;
    let denominator = period.denom().magnitude();
    let (times, total) = core.scaled(
        &(period.numer().magnitude() * &core.denominator),
        denominator,
    );
    let mut found: Vec<(BigUint, OddSet)> = Vec::new();
    for set in core.violated(&times, &total) {
        let excess = set.load - &total * set.capacity;
        let vertices = set.vertices.into_iter().map(|v| core.vertex[v]).collect();
        let edges = set.edges.into_iter().map(|e| core.original[e]).collect();
        found.push((excess, OddSet { vertices, edges }));
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(MOST);
    Ok(found.into_iter().map(|(_, set)| set).collect())
}

/// The least total time, in the unit of `times`, of a sequence of allowed sets that uses every edge for its time: the
/// largest of the ratios in the theorem. 0 without work.
///
/// A few separations: Newton's method.
///
/// # Errors
/// [`MatchingError`], as for [`separate`].
pub fn least_period(
    graph: &PortGraph,
    times: &[BigRational],
) -> Result<BigRational, MatchingError> {
    let core = Core::new(graph, times)?;
    let (p, q) = core.least_period();
    Ok(ratio(p, q * core.denominator))
}

/// Cuts the transfers into allowed sets that take [`least_period`] together: see the theorem. All steps have different
/// edges. Without positive times there are no steps.
///
/// About one separation per step.
///
/// # Errors
/// [`MatchingError`], as for [`separate`]. [`MatchingError::Unsound`] would be a defect of this crate.
pub fn decompose(graph: &PortGraph, times: &[BigRational]) -> Result<Decomposition, MatchingError> {
    let core = Core::new(graph, times)?;
    let period = core.least_period();
    let (times, total) = core.scaled(&period.0, &period.1);
    let unit = &core.denominator * &period.1;
    let packed = splitting::packed(&core, &times, &total);
    let steps = if let Some(sides) = packed.sides() {
        bipartite(&packed, &sides, &unit)?
    } else if is_divisible(&packed) {
        general(packed, &unit)?
    } else {
        general(splitting::even(&core, &times, &total), &unit)?
    };
    Ok(Decomposition {
        steps: merged(steps, &core),
    })
}

/// Steps with lengths in the caller's unit, and edges of the core.
type Steps = Vec<(BigRational, Vec<usize>)>;

fn is_divisible(expanded: &Expanded) -> bool {
    let problem = &expanded.problem;
    let ends: Vec<[Option<usize>; 2]> = problem.ends.iter().map(|ends| ends.map(Some)).collect();
    violated(
        &Ports {
            capacities: &vec![1; problem.vertices],
            ends: &ends,
        },
        &problem.times,
        &problem.total,
    )
    .is_empty()
}

fn bipartite(expanded: &Expanded, sides: &[bool], unit: &BigUint) -> Result<Steps, MatchingError> {
    let problem = &expanded.problem;
    let mut edges = Vec::new();
    for (ends, time) in problem.ends.iter().zip(&problem.times) {
        let [left, right] = if sides[ends[0]] {
            [ends[1], ends[0]]
        } else {
            *ends
        };
        edges.push(Edge {
            left,
            right,
            weight: ratio(time.clone(), unit.clone()),
        });
    }
    let steps = crate::decompose(
        problem.vertices,
        problem.vertices,
        &edges,
        &Watch::unlimited(),
    )?
    .steps;
    let meaning = |edges: Vec<usize>| {
        edges
            .into_iter()
            .filter_map(|e| expanded.meaning[e])
            .collect()
    };
    Ok(steps
        .into_iter()
        .map(|step| (step.length, meaning(step.edges)))
        .collect())
}

fn general(expanded: Expanded, unit: &BigUint) -> Result<Steps, MatchingError> {
    let Expanded {
        problem,
        meaning,
        scale,
    } = expanded;
    let mut fresh = meaning.len();
    let line = split::solve(problem, &mut fresh)?;
    let unit = unit * scale * line.unit;
    let edges = |names: Vec<usize>| {
        names
            .into_iter()
            .filter_map(|name| meaning.get(name).copied().flatten())
            .collect()
    };
    let length = |length: BigUint| ratio(length, unit.clone());
    Ok(line
        .steps
        .into_iter()
        .map(|(steps, names)| (length(steps), edges(names)))
        .collect())
}

/// Joins steps of the same edges, in the order of their first use, and names edges as the caller does.
fn merged(steps: Steps, core: &Core) -> Vec<Step> {
    let mut index: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    let mut merged: Vec<Step> = Vec::new();
    for (length, edges) in steps {
        let mut edges: Vec<usize> = edges.into_iter().map(|e| core.original[e]).collect();
        edges.sort_unstable();
        let next = merged.len();
        let at = *index.entry(edges.clone()).or_insert(next);
        match merged.get_mut(at) {
            Some(step) => step.length += length,
            None => merged.push(Step { length, edges }),
        }
    }
    merged
}
