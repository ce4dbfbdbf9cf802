//! Random connected graphs of a given average degree.

use std::collections::BTreeSet;

use super::Options;
use super::build::{check_costs, check_size, numbered, processors, refuse};
use super::draw::{Draw, Purpose};
use crate::{Platform, PlatformError};

/// A random connected graph on `P0` .. `P(n-1)` with `n * degree / 2` duplex links (rounded down), so that a node has
/// `degree` neighbours on average.
///
/// A random recursive tree comes first (each node is attached to a uniformly drawn earlier one), then uniformly drawn
/// pairs that are not yet linked. If more than half of all pairs are linked, the pairs left out are drawn instead. So
/// low numbers have somewhat more neighbours than high ones. Graphs of one and of two nodes admit one connected shape
/// only and take any `degree`.
///
/// # Errors
/// `n` is 0. For `n >= 3`, `degree` is below 2 (too few links to connect the nodes) or above `n - 1` (a node has no
/// more neighbours). A cost range is impossible. Ids cannot number nodes or links.
///
/// # Complexity
/// With `m` duplex links: O(m log m) expected time, O(m) space.
///
/// ```
/// use oneport_platform::generate::{Options, random_connected};
/// let platform = random_connected(10, 3, &Options { seed: 7, ..Options::default() })?;
/// assert_eq!(platform.links().len(), 2 * 15);
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn random_connected(
    n: usize,
    degree: usize,
    options: &Options,
) -> Result<Platform, PlatformError> {
    const NAME: &str = "random_connected";
    check_costs(NAME, options)?;
    if n == 0 {
        return Err(refuse(NAME, "n", n, "at least 1 node is needed"));
    }
    if n > 2 && !(2..n).contains(&degree) {
        let value = format!("{degree} for n = {n}");
        return Err(refuse(
            NAME,
            "degree",
            value,
            "with 3 nodes or more, the degree is at least 2 and at most n - 1",
        ));
    }
    let links = if n > 2 {
        n.checked_mul(degree).map(|ends| ends / 2)
    } else {
        Some(n - 1)
    };
    check_size(Some(n), links)?;
    processors(
        numbered(n),
        edges(n, links.unwrap_or(0), options.seed).into_iter(),
        options,
    )
}

/// A random tree, then random further edges up to `links` in all. Each pair in increasing order.
fn edges(n: usize, links: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut draw = Draw::new(seed, Purpose::Graph);
    let mut edges: Vec<_> = (1..n).map(|node| (draw.index(node), node)).collect();
    let mut taken: BTreeSet<_> = edges.iter().copied().collect();
    let pairs = n.saturating_mul(n - 1) / 2;
    if links <= pairs / 2 {
        edges.extend(fresh_pairs(&mut draw, n, links - edges.len(), &mut taken));
    } else {
        // If the graph is dense, the missing pairs are drawn: they are fewer, and few draws hit a taken pair.
        fresh_pairs(&mut draw, n, pairs - links, &mut taken);
        let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        edges.extend(all.filter(|pair| !taken.contains(pair)));
    }
    edges
}

/// `count` different pairs of nodes, uniform among those not taken, in the order of drawing. They are taken now.
fn fresh_pairs(
    draw: &mut Draw,
    n: usize,
    count: usize,
    taken: &mut BTreeSet<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let mut fresh = Vec::new();
    while fresh.len() < count {
        let (a, b) = (draw.index(n), draw.index(n));
        let pair = (a.min(b), a.max(b));
        if a != b && taken.insert(pair) {
            fresh.push(pair);
        }
    }
    fresh
}
