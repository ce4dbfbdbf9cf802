//! Trees over places: who gets from whom.

/// Another place for a place, of so many.
type Moved = fn(usize, usize) -> usize;

/// A rooted tree over the places `0..n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    root: usize,
    /// By place: its children, in the order in which they are served.
    children: Vec<Vec<usize>>,
}

/// Why parents are no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Nobody is without a parent, or several are.
    #[error("{0} nodes have no parent; exactly one, the root, has none")]
    Roots(usize),
    /// A place below two others.
    #[error("place {0} has two parents; every node but the root has one")]
    TwoParents(usize),
    /// A place that the root does not reach: a circle, or a parent that does not exist.
    #[error("place {0} is not below the root: its parents go round in a circle")]
    Unreached(usize),
}

impl Tree {
    /// The tree of these pairs of a parent and its child; who is listed first is served first. `O(n)`.
    ///
    /// # Errors
    /// A place with two parents; not exactly one root; a place that is not below it.
    pub fn of_edges(places: usize, edges: &[(usize, usize)]) -> Result<Tree, TreeError> {
        let mut has_parent = vec![false; places];
        let mut children = vec![Vec::new(); places];
        for &(parent, child) in edges {
            let (Some(below), Some(has)) = (children.get_mut(parent), has_parent.get_mut(child)) else {
                return Err(TreeError::Unreached(child.min(parent)));
            };
            if std::mem::replace(has, true) {
                return Err(TreeError::TwoParents(child));
            }
            below.push(child);
        }
        let roots: Vec<usize> = (0..places).filter(|&place| !has_parent[place]).collect();
        let &[root] = &roots[..] else { return Err(TreeError::Roots(roots.len())) };
        let tree = Tree { root, children };
        let mut reached = vec![false; places];
        tree.downwards().into_iter().for_each(|place| reached[place] = true);
        match reached.iter().position(|reached| !reached) {
            Some(place) => Err(TreeError::Unreached(place)),
            None => Ok(tree),
        }
    }

    /// The tree with this parent for every place, `None` for the root. Children are served in the order of their
    /// places. `O(n)`.
    ///
    /// # Errors
    /// Not exactly one root; a place that is not below it.
    pub fn of_parents(parents: &[Option<usize>]) -> Result<Tree, TreeError> {
        let edges = parents.iter().enumerate().filter_map(|(child, parent)| Some(((*parent)?, child)));
        Tree::of_edges(parents.len(), &edges.collect::<Vec<_>>())
    }

    /// A tree whose parents are right by construction.
    fn from(parent: impl Fn(usize) -> usize, places: usize, root: usize) -> Tree {
        let mut children = vec![Vec::new(); places];
        (0..places).filter(|&place| place != root).for_each(|place| children[parent(place)].push(place));
        Tree { root, children }
    }

    /// The root is the parent of all others.
    pub fn flat(places: usize) -> Tree {
        Tree::from(|_| 0, places, 0)
    }

    /// Every place is the parent of the next.
    pub fn chain(places: usize) -> Tree {
        Tree::from(|place| place - 1, places, 0)
    }

    /// Place `i` loses its lowest binary digit that is 1 to become its parent; the largest subtree is served first.
    pub fn binomial(places: usize) -> Tree {
        let mut tree = Tree::from(|place| place & (place - 1), places, 0);
        tree.children.iter_mut().for_each(|children| children.reverse());
        tree
    }

    /// A heap: the children of `i` are `2i + 1` and `2i + 2`.
    pub fn binary(places: usize) -> Tree {
        Tree::from(|place| (place - 1) / 2, places, 0)
    }

    /// Two binary trees below one root, each over all places: who has children in one is a leaf of the other, but for
    /// one place at most (Sanders, Speck, Träff 2009). The first is numbered in order; the second is its mirror image,
    /// or moved by one place, over the places from 1 on.
    pub fn double_binary(places: usize) -> [Tree; 2] {
        let in_order = |place: usize| {
            let digit = place & place.wrapping_neg();
            let parent = (place ^ digit) | (digit << 1);
            if parent >= places { place ^ digit } else { parent }
        };
        let others = places.saturating_sub(1);
        // The place whose part `place` plays in the second tree, and the reverse.
        let (part, player): (Moved, Moved) = if places.is_multiple_of(2) {
            (|place, others| (place + others - 2) % others + 1, |part, others| part % others + 1)
        } else {
            (|place, others| others + 1 - place, |part, others| others + 1 - part)
        };
        let second = |place: usize| match in_order(part(place, others)) {
            0 => 0,
            parent => player(parent, others),
        };
        [Tree::from(in_order, places, 0), Tree::from(second, places, 0)]
    }

    /// The trees of the groups below a tree of their first members: place `groups[g][i]` is place `i` of the tree of
    /// the shape in its group.
    pub fn of_groups(groups: &[Vec<usize>], shape: fn(usize) -> Tree) -> Tree {
        let places = groups.iter().map(Vec::len).sum();
        let mut children = vec![Vec::new(); places];
        let leaders: Vec<usize> = groups.iter().filter_map(|group| group.first().copied()).collect();
        for members in std::iter::once(&leaders).chain(groups) {
            for (parent, below) in shape(members.len()).children.into_iter().enumerate() {
                children[members[parent]].extend(below.into_iter().map(|child| members[child]));
            }
        }
        Tree { root: leaders.first().copied().unwrap_or(0), children }
    }

    /// The root.
    pub fn root(&self) -> usize {
        self.root
    }

    /// How many places there are.
    pub fn places(&self) -> usize {
        self.children.len()
    }

    /// All places that the root reaches, parents before children. Never more than there are, even in a circle.
    pub fn downwards(&self) -> Vec<usize> {
        let mut order = vec![self.root];
        let mut next = 0;
        while next < order.len() && order.len() <= self.children.len() {
            order.extend(&self.children[order[next]]);
            next += 1;
        }
        order
    }

    /// The edges with the step at which a message passes down, if each place serves one child per step from the step
    /// after its own on; by step.
    pub(crate) fn edges(&self) -> Vec<(usize, usize, usize)> {
        let mut step = vec![0; self.children.len()];
        let mut edges = Vec::new();
        for parent in self.downwards() {
            for (place, &child) in self.children[parent].iter().enumerate() {
                step[child] = step[parent] + place + 1;
                edges.push((step[child], parent, child));
            }
        }
        edges.sort_unstable();
        edges
    }

    /// By place: the places below it and itself, ascending.
    pub(crate) fn below(&self) -> Vec<Vec<usize>> {
        let mut below: Vec<Vec<usize>> = (0..self.children.len()).map(|place| vec![place]).collect();
        for parent in self.downwards().into_iter().rev() {
            let mut all = std::mem::take(&mut below[parent]);
            self.children[parent].iter().for_each(|&child| all.extend(&below[child]));
            all.sort_unstable();
            below[parent] = all;
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_trees() {
        for places in 2..70 {
            let [one, two] = Tree::double_binary(places);
            for tree in [Tree::flat(places), Tree::chain(places), Tree::binomial(places), Tree::binary(places)] {
                assert_eq!(tree.downwards().len(), places);
            }
            for tree in [&one, &two] {
                let mut reached = tree.downwards();
                reached.sort_unstable();
                assert_eq!(reached, (0..places).collect::<Vec<_>>());
                assert!(tree.children.iter().all(|children| children.len() <= 2));
            }
            let inner = |tree: &Tree| (1..places).filter(|&place| !tree.children[place].is_empty()).collect::<Vec<_>>();
            let both = inner(&one).into_iter().filter(|place| inner(&two).contains(place)).count();
            assert!(both <= 1, "{places}: {both} places have children in both trees");
        }
    }

    #[test]
    fn a_binomial_tree_doubles_at_every_step() {
        let edges = Tree::binomial(8).edges();
        let steps: Vec<usize> = edges.iter().map(|&(step, ..)| step).collect();
        assert_eq!(steps, [1, 2, 2, 3, 3, 3, 3]);
        assert_eq!(Tree::binomial(8).below()[4], [4, 5, 6, 7]);
    }

    #[test]
    fn parents_that_are_no_tree_are_refused() {
        assert_eq!(Tree::of_parents(&[None, Some(0), Some(1)]), Ok(Tree::chain(3)));
        assert_eq!(Tree::of_parents(&[None, None]), Err(TreeError::Roots(2)));
        assert_eq!(Tree::of_parents(&[None, Some(2), Some(1)]), Err(TreeError::Unreached(1)));
        assert_eq!(Tree::of_parents(&[None, Some(7)]), Err(TreeError::Unreached(1)));
    }
}
