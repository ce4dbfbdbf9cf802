//! Regular graphs: complete, ring, grid, star. Only the costs depend on the seed.

use super::Options;
use super::build::{check_costs, check_size, numbered, processors, refuse};
use crate::{Platform, PlatformError};

/// The complete graph on `P0` .. `P(n-1)`: `n (n - 1) / 2` duplex links.
///
/// # Errors
/// `n` is 0, a cost range is impossible, or ids cannot number the links.
///
/// # Complexity
/// O(n² log n) time, O(n²) space.
///
/// ```
/// use oneport_platform::generate::{Options, complete};
/// let platform = complete(4, &Options::default())?;
/// assert_eq!(platform.links().len(), 12);
/// # Ok::<(), oneport_platform::PlatformError>(())
/// ```
pub fn complete(n: usize, options: &Options) -> Result<Platform, PlatformError> {
    check_costs("complete", options)?;
    if n == 0 {
        return Err(refuse("complete", "n", n, "at least 1 node is needed"));
    }
    check_size(Some(n), n.checked_mul(n - 1).map(|twice| twice / 2))?;
    let edges = (0..n).flat_map(|from| (from + 1..n).map(move |to| (from, to)));
    processors(numbered(n), edges, options)
}

/// The ring `P0`, `P1`, .., `P(n-1)`, `P0`: `n` duplex links. Two nodes share one duplex link, a single node has none.
///
/// # Errors
/// `n` is 0, a cost range is impossible, or ids cannot number the nodes.
///
/// # Complexity
/// O(n log n) time, O(n) space.
pub fn ring(n: usize, options: &Options) -> Result<Platform, PlatformError> {
    check_costs("ring", options)?;
    if n == 0 {
        return Err(refuse("ring", "n", n, "at least 1 node is needed"));
    }
    check_size(Some(n), Some(n))?;
    let closing = (n > 2).then_some((n - 1, 0));
    let edges = (1..n).map(|to| (to - 1, to)).chain(closing);
    processors(numbered(n), edges, options)
}

/// The mesh of `rows * columns` nodes, row by row: `P(r * columns + c)` is linked to its neighbours in row `r` and
/// column `c`. `rows (columns - 1) + columns (rows - 1)` duplex links, none around the border.
///
/// # Errors
/// `rows` or `columns` is 0, a cost range is impossible, or ids cannot number nodes or links.
///
/// # Complexity
/// O(rows columns log(rows columns)) time, O(rows columns) space.
pub fn grid(rows: usize, columns: usize, options: &Options) -> Result<Platform, PlatformError> {
    check_costs("grid", options)?;
    for (parameter, value) in [("rows", rows), ("columns", columns)] {
        if value == 0 {
            return Err(refuse("grid", parameter, value, "at least 1 is needed"));
        }
    }
    let nodes = rows.checked_mul(columns);
    check_size(
        nodes,
        nodes
            .and_then(|nodes| nodes.checked_mul(2))
            .map(|links| links - rows - columns),
    )?;
    let edges = (0..rows * columns).flat_map(|node| {
        let right = (node % columns + 1 < columns).then_some((node, node + 1));
        let down = (node / columns + 1 < rows).then_some((node, node + columns));
        right.into_iter().chain(down)
    });
    processors(numbered(rows * columns), edges, options)
}

/// The star: the centre `hub`, itself a processor and the first node, and the leaves `P0` .. `P(leaves-1)`.
///
/// # Errors
/// `leaves` is 0, a cost range is impossible, or ids cannot number the nodes.
///
/// # Complexity
/// O(leaves log leaves) time, O(leaves) space.
pub fn star(leaves: usize, options: &Options) -> Result<Platform, PlatformError> {
    check_costs("star", options)?;
    if leaves == 0 {
        return Err(refuse(
            "star",
            "leaves",
            leaves,
            "at least 1 leaf is needed",
        ));
    }
    check_size(leaves.checked_add(1), Some(leaves))?;
    let names = std::iter::once("hub".to_string()).chain(numbered(leaves));
    processors(names, (1..=leaves).map(|leaf| (0, leaf)), options)
}
