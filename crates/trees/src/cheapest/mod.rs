//! The cheapest reduction tree under given prices: the pricing step of column generation for reductions.
//!
//! Ports and processors have prices per unit of time. Sending `v[k,m]` over link `i -> j` costs
//! `size(k,m) c(i,j) (send_i + receive_j)`, merging `v[k,l]` and `v[l+1,m]` at processor `i` costs
//! `work(k,m) compute_i price_i`. The cheapest tree follows by dynamic programming over the intervals of operands
//! (RR-4872 section 4 has the trees, not this algorithm):
//!
//! ```text
//! M[k,m](i) = min_l C[k,l](i) + C[l+1,m](i)  +  work(k,m) compute_i price_i      made at processor i
//! C[k,m](j) = min_i M[k,m](i) + size(k,m) dist(i,j)                              held at node j
//! C[k,k](j) = size(k,k) dist(owner_k, j)
//! ```
//!
//! with `dist` the cheapest paths for one unit of message: sizes scale all links alike, so paths are found once.
//!
//! If work depends on the task, `w(i, T[k,l,m])`, it is part of the minimum over the splits `l`, and a processor that
//! cannot do a task is left out of it.
//!
//! **Two answers from one table.** All prices are brought to a common denominator, so that a price is an integer.
//! [`Reduction::guide`] rounds every task's price *down* to a multiple of a power of two such that the prices of the
//! trees in question fit 30 bits, and fills the table with machine integers. A rounded price is at most the exact one,
//! so the table holds rigorous lower bounds, and the tree read off it is cheapest up to the rounding.
//! [`Reduction::cheapest`] evaluates the same recurrence with exact integers, from the result downwards, but looks only
//! at the choices (a split, a processor) with a lower bound below the exact price of the best choice so far. Rounding
//! decides how much work that is, never the answer.
//!
//! With `n` operands, `p` processors: `O(n^3 p)` machine additions (sixteen at a time) for the table plus
//! `O(n^2 p a)` for moving results. `a` counts the processors that are not worse than a transfer from another
//! one, usually few. `4 n^2 p` bytes.

mod amounts;
mod exact;
mod guide;
mod paths;
mod prices;
mod reduction;
mod rounded;
mod simd;
mod table;
mod transfer_rows;
mod tree;
mod unit;
mod weights;
mod zero_cost;

use oneport_plan::Pattern;
use oneport_platform::{NodeId, Rational};

pub use exact::ExactPrices;
pub use guide::Guide;
pub use prices::Prices;
pub use reduction::Reduction;
use table::Table;
pub use tree::{is_tree, loads};

impl Reduction {
    /// Cheapest trees up to rounding, to any target. Any price up to `u64::MAX` is allowed. The exact price of a tree
    /// is rounded down by less than one unit per task, and a tree has less than `3 n` tasks (a transfer over several
    /// links counts as one). The price of the cheapest tree to the most expensive processor is up to `2^30` units,
    /// rarely less than `2^26`.
    ///
    /// `O(n^3 p)` machine operations. See the module's documentation.
    pub fn guide(&self, prices: &Prices<u64>) -> Guide<'_> {
        let weights = self.factors.weigh_integers(&self.processors, prices);
        let targets: Vec<usize> = self.processors.clone();
        let table = Table::new(self, &weights, &targets);
        Guide::new(self, table, weights.denominator)
    }

    /// The cheapest price, exactly, and a tree that attains it, for each target. `None` if some operand cannot be
    /// brought together with the others and the result to the target. The trees' demand is 0.
    ///
    /// `O(n^3 p)` machine operations, and exact ones for the choices that rounding leaves open.
    pub fn cheapest(
        &self,
        prices: &Prices<Rational>,
        targets: &[NodeId],
    ) -> Vec<Option<(Rational, Pattern)>> {
        let mut exact = self.exactly(prices, targets);
        targets
            .iter()
            .map(|&target| exact.cheapest(target))
            .collect()
    }

    /// Exact prices and trees, computed on demand for each of these targets.
    ///
    /// `O(n^3 p)` machine operations at once. Exact operations for each value that is read.
    pub fn exactly(&self, prices: &Prices<Rational>, targets: &[NodeId]) -> ExactPrices<'_> {
        let weights = self.factors.weigh(&self.processors, prices);
        let nodes: Vec<usize> = targets.iter().map(|target| target.index()).collect();
        let table = Table::new(self, &weights, &nodes);
        ExactPrices::new(self, weights, table)
    }
}
