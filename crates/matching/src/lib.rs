#![doc = include_str!("../README.md")]
//!
//! # Problem
//! Under the one-port model a node sends one message at a time and receives one message at a time. The transfers of a
//! steady state form a weighted bipartite graph: senders on the left, receivers on the right, an edge per transfer,
//! labelled with its time. Transfers that may happen simultaneously are a *matching*. Cut the transfers into a sequence
//! of matchings, each kept for some time, within the shortest total time: the weighted edge colouring of RR-4872
//! section 3.3, and, with machines and jobs for the two sides, the preemptive open shop of Gonzalez and Sahni. This
//! crate has neither platforms nor messages. For half-duplex nodes, nodes with several ports, and links, see
//! [`general`].
//!
//! # Symbols
//! | symbol | here | meaning |
//! |---|---|---|
//! | `w(e)` | [`Edge::weight`] | (remaining) weight of an edge, rational, not negative |
//! | `deg(v)` | | (remaining) weighted degree: sum of the weights at a vertex |
//! | `Delta` | [`max_weighted_degree`] | the largest weighted degree at the start |
//! | `D` | | time remaining: `Delta` minus the steps taken |
//! | `D - deg(v)` | slack | how long the vertex may still idle; *tight* means 0 |
//! | `d`, `M` | [`Step`] | length of a step and its matching |
//! | `n` | | the larger of the numbers of left and right vertices |
//!
//! # Theorem
//! The steps of [`decompose`] are matchings. The steps of every edge add up to exactly its weight. All steps together
//! add up to exactly `Delta`, and no sequence of matchings is shorter. There are at most `|E| + 2n` steps.
//!
//! *Proof.* A step `(d, M)` keeps `deg(v) <= D` everywhere if every vertex with slack below `d` is covered, and keeps
//! weights non-negative if every edge of `M` weighs `d`. For small `d` only the tight vertices need covering, which
//! König's theorem grants for each side and Mendelsohn and Dulmage's for both at once. Take for `d` the largest
//! length that `M` allows: then an edge of `M` is used up or an uncovered vertex becomes tight. Tight vertices stay
//! tight, so this happens at most `|E| + 2n` times, and some vertex is always tight, so `D` ends at 0 with the work.
//!
//! # Algorithm and deviations from the textbook
//! 1. **No padding.** The textbook pads the graph with dummy edges until it is regular and takes perfect matchings.
//!    Slacks have the same effect without the edges. On sparse graphs few vertices are tight and a step touches few
//!    vertices.
//! 2. **Longest steps.** Not any matching, but one that makes `d` largest (max-min) at every step. "Any" ends with
//!    about `|E|` steps if the weights are large integers, "longest" with many times fewer. Neither is a minimum.
//!    Lengths never increase, so a step starts from the length and the matching of the one before and repairs the
//!    broken part, by alternating searches that lower `d` only if Hall's condition forces them to.
//! 3. **Maximum matchings.** The matching is then made maximum among the edges that weigh `d`: idling early makes
//!    vertices tight later, and many tight vertices make for short steps.
//! 4. **Whole edges.** Weights with unrelated denominators admit no few steps at all: the weights are sums of step
//!    lengths, so there are at least as many steps as the weights have dimensions over the rationals. Longest steps
//!    then shred every edge to no avail. A second peeling lets an edge, once begun, run to its end wherever possible
//!    (list scheduling) and runs no more edges at a time than the work requires. It seldom interrupts any.
//! 5. **The cheaper of the two.** Both peelings advance in turn until one is done. A step costs the number of its edges
//!    plus a constant. The result depends on the input alone.
//! 6. **Integers.** Weights are scaled once to integers over their common denominator: `u64` or `u128` if all sums fit,
//!    else big integers, in one generic kernel.
//!
//! # Complexity
//! At most `|E| + 2n` steps. A step costs `O(|E| log |E|)` per vertex whose cover is lost, `O(n)` in the worst case,
//! and in practice little more than the length of its list. Memory `O(|E|)` besides the result.
//!
//! # References
//! - T. Gonzalez, S. Sahni, "Open shop scheduling to minimize finish time", JACM 23(4), 1976 (preemptive case).
//! - A. Schrijver, "Combinatorial Optimization", volume A, chapter 20 (weighted edge colouring, as RR-4872 cites
//!   it).
//! - N. S. Mendelsohn, A. L. Dulmage, "Some generalizations of the problem of distinct representatives",
//!   Canadian J. Math. 10, 1958.

mod decomposition;
mod error;
pub mod general;
mod list_scheduling;
mod max_min_steps;
mod portfolio;
mod residual;
mod scale;
mod search;
#[cfg(test)]
mod tests;

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

pub use decomposition::{Decomposition, Edge, Step};
pub use error::MatchingError;
use list_scheduling::WholeEdges;
use max_min_steps::LongestSteps;
pub use num_rational::BigRational;
use oneport_numbers::Whole;
use oneport_watch::Limit;
pub use oneport_watch::Watch;
use portfolio::race;
use residual::Rest;
use scale::{Scaled, scale};

/// The largest sum of weights at a vertex, `Delta`: no sequence of matchings takes less time. 0 without edges.
///
/// `O(|E| log |E|)`.
///
/// # Errors
/// [`MatchingError`] names the first edge that has an end out of range or an invalid weight.
pub fn max_weighted_degree(
    left: usize,
    right: usize,
    edges: &[Edge],
) -> Result<BigRational, MatchingError> {
    let scaled = scale(left, right, edges)?;
    let mut degrees = vec![BigUint::zero(); scaled.vertices];
    for (ends, weight) in scaled.ends.iter().zip(&scaled.weights) {
        for &v in ends {
            degrees[v] += weight;
        }
    }
    Ok(scaled.rational(degrees.into_iter().max().unwrap_or_default()))
}

/// Cuts the graph with `left` and `right` vertices into matchings that take [`max_weighted_degree`] together: see the
/// theorem at the top of the crate. No steps if no edge has a positive weight.
///
/// The result depends on the input alone. Memory and time follow the edges, not the numbers of vertices. The watch is
/// checked at every step.
///
/// # Errors
/// [`MatchingError`] names the first edge that has an end out of range or an invalid weight.
/// [`MatchingError::Stopped`] if the watch ended the work.
pub fn decompose(
    left: usize,
    right: usize,
    edges: &[Edge],
    watch: &Watch,
) -> Result<Decomposition, MatchingError> {
    let scaled = scale(left, right, edges)?;
    // The kernels form no number above twice the total.
    let bits = scaled.total().bits() + 1;
    let steps = if bits <= u64::BITS.into() {
        steps(&scaled, |weight| weight.to_u64().unwrap_or_default(), watch)
    } else if bits <= u128::BITS.into() {
        steps(
            &scaled,
            |weight| weight.to_u128().unwrap_or_default(),
            watch,
        )
    } else {
        steps(&scaled, BigUint::clone, watch)
    };
    Ok(Decomposition {
        steps: steps.map_err(MatchingError::Stopped)?,
    })
}

/// Runs the kernels in one kind of integers. `convert` must be exact on every weight.
fn steps<W: Whole>(
    scaled: &Scaled,
    convert: impl Fn(&BigUint) -> W,
    watch: &Watch,
) -> Result<Vec<Step>, Limit> {
    let weights = scaled.weights.iter().map(convert).collect();
    let rest = Rest::new(scaled.vertices, scaled.ends.clone(), weights);
    let steps = race(
        LongestSteps::new(rest.clone()),
        WholeEdges::new(rest),
        watch,
    )?;
    let original = |edges: Vec<usize>| edges.into_iter().map(|e| scaled.original[e]).collect();
    let step = |(length, edges)| Step {
        length: scaled.rational(length),
        edges: original(edges),
    };
    Ok(steps.into_iter().map(step).collect())
}
