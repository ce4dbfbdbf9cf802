//! Several rings at once, the same share of every message on each: what runtimes make of a box of GPUs.

use std::collections::BTreeMap;

use oneport_plan::{EqualRings, LinkId, Problem, Ring};

use crate::algorithm::Ways;
use crate::catalogue::Maker;
use crate::custom::{order_of, undone};
use crate::{Algorithm, BaselineError, Tree};

/// Whether rings through all its [ranks](crate::ranks) can perform the collective.
pub fn on_rings(problem: &Problem) -> bool {
    let maker = Maker::new(problem);
    let order = (0..maker.ranks.len()).collect();
    let made = maker.on_equal_rings("", &[order]);
    maker.ranks.len() > 1 && made.is_some_and(|made| !made.cuts_a_token(problem))
}

/// The collective on equal rings through all its [ranks](crate::ranks), the same share of every message on each, over
/// the links of the rings. All-gathers, reduce-scatters and all-reduces send around. A broadcast is passed on from the
/// root along every ring, and operands of a reduction are combined along it towards the root, as NCCL does both.
///
/// An all-gather, or a reduce-scatter without work, attains `total / ((n - 1) size)` on `n` ranks, the all-reduce
/// `n / 2` times as many. `O(k n^2)` for `k` rings.
///
/// # Errors
/// A collective that rings do not do; a ring that leaves out a rank or passes it twice.
pub fn of_equal_rings(
    problem: &Problem,
    name: &str,
    rings: &EqualRings,
) -> Result<Algorithm, BaselineError> {
    let repeated = || {
        rings
            .rings
            .iter()
            .flat_map(|(ring, times)| std::iter::repeat_n(ring, *times as usize))
    };
    let orders = repeated().map(|ring| order_of(problem, &ring.order(problem.platform())));
    let orders = orders.collect::<Result<Vec<_>, _>>()?;
    let mut algorithm = Maker::new(problem)
        .on_equal_rings(name, &orders)
        .filter(|made| !made.cuts_a_token(problem))
        .ok_or_else(|| undone(problem, "equal rings"))?;
    algorithm.ways.links = repeated()
        .zip(&orders)
        .map(|(ring, order)| hops(ring, order))
        .collect();
    Ok(algorithm)
}

/// The links of the hop from each rank to the next.
fn hops(ring: &Ring, order: &[usize]) -> BTreeMap<(usize, usize), Vec<LinkId>> {
    let pairs = order.iter().zip(order.iter().cycle().skip(1));
    pairs
        .zip(&ring.hops)
        .map(|((&from, &to), hop)| ((from, to), hop.clone()))
        .collect()
}

impl Maker<'_> {
    /// The algorithm with the ring of every block, and no links.
    fn on_equal_rings(&self, name: &str, orders: &[Vec<usize>]) -> Option<Algorithm> {
        let (ranks, count) = (self.ranks.len(), orders.len());
        let about = format!("{count} rings at once, the same share of every message on each");
        let mut algorithm = match self.chains(orders) {
            Some(trees) => self.tree(name, &about, &trees)?,
            None => self.ring(name, &about, orders)?,
        };
        let pieces = algorithm.pieces as usize;
        // Pieces of a message that is cut for every rank as well are listed ring by ring.
        let each = if pieces == count { 1 } else { ranks };
        algorithm.ways = Ways {
            of_block: (0..self.demands() * pieces)
                .map(|block| block % pieces / each)
                .collect(),
            links: Vec::new(),
        };
        Some(algorithm)
    }

    /// The trees of a broadcast or reduction: every ring, cut at the root.
    pub(crate) fn chains(&self, orders: &[Vec<usize>]) -> Option<Vec<Tree>> {
        let towards = self.towards_root()?;
        let chain = |order: &Vec<usize>| {
            let root = order.iter().position(|&rank| rank == 0)?;
            let mut turned: Vec<usize> = order[root..]
                .iter()
                .chain(&order[..root])
                .copied()
                .collect();
            if towards {
                turned[1..].reverse();
            }
            let mut parents = vec![None; order.len()];
            for (&parent, &child) in turned.iter().zip(&turned[1..]) {
                parents[child] = Some(parent);
            }
            Tree::of_parents(&parents).ok()
        };
        orders.iter().map(chain).collect()
    }
}
