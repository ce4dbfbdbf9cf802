//! The arcs that enter the outermost sets, stored in heaps or rows.

/// The entering arcs of the sets on top.
pub(super) trait Entering<N> {
    /// Takes the cheapest arc that enters a set on top from another one, and takes its cost off all that enter.
    fn take(&mut self, set: usize, tops: &mut Tops) -> Option<(usize, N)>;
    /// Makes one set, the next in number, of several outermost ones. Their entering arcs enter it.
    fn join(&mut self, parts: &[usize]);
}

/// Finds the set on top around a set: union-find with halved paths.
pub(super) struct Tops {
    /// For every set one that contains it, or itself if it is on top.
    pub above: Vec<usize>,
}

impl Tops {
    pub(super) fn find(&mut self, mut set: usize) -> usize {
        while self.above[set] != set {
            self.above[set] = self.above[self.above[set]];
            set = self.above[set];
        }
        set
    }
}

/// The arcs that may be chosen: `(index, tail, head, cost)`.
pub(super) fn useful<N>(
    nodes: usize,
    root: usize,
    arcs: &[(usize, usize, N)],
) -> impl Iterator<Item = (usize, usize, usize, &N)> {
    let useful = move |&(_, tail, head, _): &(usize, usize, usize, &N)| {
        tail < nodes && head < nodes && tail != head && head != root
    };
    arcs.iter()
        .enumerate()
        .map(|(arc, (tail, head, cost))| (arc, *tail, *head, cost))
        .filter(useful)
}
