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
//! Where work depends on the task, `w(i, T[k,l,m])`, it joins the minimum over the splits `l`, and a processor that
//! cannot do a task is left out of it.
//!
//! **Two answers from one table.** All prices are brought to a common denominator, so that a price is an integer;
//! [`Reduction::guide`] rounds every task's price *down* to a multiple of a power of two such that the prices of the
//! trees in question fit 30 bits, and fills the table with machine integers. A rounded price never exceeds the
//! exact one, so the table holds rigorous lower bounds, and the tree read off it is cheapest up to the rounding.
//! [`Reduction::cheapest`] evaluates the same recurrence with exact integers, from the result downwards, but looks
//! only at those choices (a split, a place) whose lower bound is below the exact price of the best choice so far.
//! Rounding decides how much work that is, never the answer.
//!
//! With `n` operands, `p` processors: `O(n^3 p)` machine additions (sixteen at a time) for the table plus
//! `O(n^2 p a)` for moving results, where `a` counts the processors that are not worse than a transfer from another
//! one, usually few; `4 n^2 p` bytes.

mod amounts;
mod exact;
mod guide;
mod lanes;
mod paths;
mod rounded;
mod table;
mod transfer_rows;
mod tree;
mod unit;
mod weights;
mod zero_cost;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_graph::Digraph;
use oneport_plan::{Interval, Pattern, Volumes};
use oneport_platform::{NodeId, Platform, Rational};
use oneport_watch::Watch;

use amounts::Amounts;
pub use exact::Exact;
pub use guide::Guide;
use table::Table;
pub use tree::{is_tree, loads};
use weights::Factors;

/// Prices per unit of time, in any common unit. A missing or negative price is 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices<N> {
    /// By link: the prices of all that a transfer over it occupies, together.
    pub links: Vec<N>,
    /// By node: of its processor; routers have none.
    pub compute: Vec<N>,
}

impl<N: Clone + Zero + for<'n> std::ops::AddAssign<&'n N>> Prices<N> {
    /// Prices of send and receive ports (by node; a missing price is 0), as full-duplex and multiport nodes have them.
    pub fn of_ports(platform: &Platform, send: &[N], receive: &[N], compute: Vec<N>) -> Self {
        let price = |link: &oneport_platform::Link| {
            let mut price = send.get(link.from.index()).cloned().unwrap_or_else(N::zero);
            receive.get(link.to.index()).into_iter().for_each(|receive| price += receive);
            price
        };
        Prices { links: platform.links().iter().map(price).collect(), compute }
    }
}

/// One reduction problem, prepared once for many pricings.
#[derive(Debug, Clone)]
pub struct Reduction {
    /// The links, by id.
    graph: Digraph<()>,
    /// The node index of each processor; a processor's *place* is its place here.
    processors: Vec<usize>,
    /// The place of each operand's owner.
    owners: Vec<usize>,
    sizes: Amounts,
    works: Amounts,
    factors: Factors,
    watch: Watch,
    /// By first and last operand: the partial result is used where it is made. Empty where all may be sent.
    resting: Vec<bool>,
}

impl Reduction {
    /// Prepares the reduction of the participants' values, in this order.
    ///
    /// Participants and volumes are those of a valid collective. (A participant that does not compute, or that the
    /// platform does not have, owns nothing: then there is no tree. A negative amount counts 0.)
    /// `O(n^2 + links)` exact operations for tables of volumes, `O(n + links)` for other volumes.
    pub fn new(platform: &Platform, participants: &[NodeId], volumes: &Volumes) -> Self {
        let processors: Vec<usize> = platform.processors().map(NodeId::index).collect();
        let place = |node: &NodeId| processors.binary_search(&node.index()).ok();
        let owners: Vec<usize> = participants.iter().map(place).collect::<Option<_>>().unwrap_or_default();
        let sizes = Amounts::new(&volumes.size, owners.len());
        let works = Amounts::of_work(&volumes.work, owners.len(), &processors);
        let factors = Factors::new(platform, &processors, &sizes.denominator, &works.denominator);
        let (graph, _) = Digraph::of(platform.graph(), |_| ());
        let watch = Watch::unlimited();
        Reduction { graph, processors, owners, sizes, works, factors, watch, resting: Vec::new() }
    }

    /// The same reduction under a watch. What is answered after the watch has ended is meaningless: ask it before
    /// believing an answer.
    pub fn watched(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// The same reduction, of whose partial results only these are sent; the others are used where they are made.
    #[must_use]
    pub fn sending_only(mut self, is_sent: impl Fn(Interval) -> bool) -> Self {
        let operands = self.operands();
        let row = |first| (0..operands).map(move |last| Interval { first, last });
        let rests = |part: Interval| part.first < part.last && !is_sent(part);
        self.resting = (0..operands).flat_map(row).map(rests).collect();
        self
    }

    /// Cheapest trees up to rounding, to any target. Any price up to `u64::MAX` is welcome; the exact price of a tree
    /// is rounded down by less than one unit per task, of which a tree has less than `3 n` (a transfer over several
    /// links counts as one task), and the price of the cheapest tree to the most expensive processor is up to `2^30`
    /// units, rarely less than `2^26`.
    ///
    /// `O(n^3 p)` machine operations; see the module's documentation.
    pub fn guide(&self, prices: &Prices<u64>) -> Guide<'_> {
        let weights = self.factors.weigh_integers(&self.processors, prices);
        let targets: Vec<usize> = self.processors.clone();
        let table = Table::new(self, &weights, &targets);
        Guide::new(self, table, weights.denominator)
    }

    /// The cheapest price, exactly, and a tree that attains it, for each target; `None` where some operand cannot be
    /// brought together with the others and the result to the target. The trees' demand is 0.
    ///
    /// `O(n^3 p)` machine operations, and exact ones for the choices that rounding cannot tell apart.
    pub fn cheapest(&self, prices: &Prices<Rational>, targets: &[NodeId]) -> Vec<Option<(Rational, Pattern)>> {
        let mut exact = self.exactly(prices, targets);
        targets.iter().map(|&target| exact.cheapest(target)).collect()
    }

    /// Exact prices and trees, to those of these targets that turn out to be wanted.
    ///
    /// `O(n^3 p)` machine operations at once, exact ones for what is asked.
    pub fn exactly(&self, prices: &Prices<Rational>, targets: &[NodeId]) -> Exact<'_> {
        let weights = self.factors.weigh(&self.processors, prices);
        let nodes: Vec<usize> = targets.iter().map(|target| target.index()).collect();
        let table = Table::new(self, &weights, &nodes);
        Exact::new(self, weights, table)
    }

    /// How many operands there are.
    fn operands(&self) -> usize {
        self.owners.len()
    }

    /// All operands; `None` where there are none.
    fn whole(&self) -> Option<Interval> {
        Some(Interval { first: 0, last: self.operands().checked_sub(1)? })
    }

    /// Whether work depends on the split and the processor, and some processors may not do some tasks.
    fn is_by_task(&self) -> bool {
        self.works.are_by_task()
    }

    /// Whether a partial result is used where it is made.
    fn rests(&self, part: Interval) -> bool {
        self.resting.get(part.first * self.operands() + part.last).is_some_and(|&rests| rests)
    }

    /// The place of the owner, if the interval is a single operand.
    fn owner(&self, part: Interval) -> Option<usize> {
        if part.first == part.last { self.owners.get(part.first).copied() } else { None }
    }
}

/// `numerator / denominator` of natural numbers.
fn ratio(numerator: BigUint, denominator: &BigUint) -> Rational {
    Rational::new(numerator.into(), denominator.clone().into())
}
