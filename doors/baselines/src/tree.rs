//! Rooted trees over ranks.

/// A permutation of the ranks except the root: `(rank, ranks - 1) -> rank`.
type Relabel = fn(usize, usize) -> usize;

/// A rooted tree over the ranks `0..n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    root: usize,
    /// Per rank: its children, in the order in which they are served.
    children: Vec<Vec<usize>>,
}

/// The reason why a list of edges is not a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Not exactly one node is without a parent.
    #[error("{0} nodes have no parent; exactly one, the root, has none")]
    Roots(usize),
    /// A rank below two others.
    #[error("rank {0} has two parents; every node but the root has one")]
    TwoParents(usize),
    /// A rank that the root does not reach: a circle, or a parent that does not exist.
    #[error("rank {0} is not below the root: its parents go round in a circle")]
    Unreached(usize),
}

impl Tree {
    /// The tree of these pairs of a parent and its child. Children are served in the order of the list. `O(n)`.
    ///
    /// # Errors
    /// A rank has two parents, there is not exactly one root, or a rank is not below it.
    pub fn of_edges(ranks: usize, edges: &[(usize, usize)]) -> Result<Tree, TreeError> {
        let mut has_parent = vec![false; ranks];
        let mut children = vec![Vec::new(); ranks];
        for &(parent, child) in edges {
            let (Some(below), Some(has)) = (children.get_mut(parent), has_parent.get_mut(child))
            else {
                return Err(TreeError::Unreached(child.min(parent)));
            };
            if std::mem::replace(has, true) {
                return Err(TreeError::TwoParents(child));
            }
            below.push(child);
        }
        let roots: Vec<usize> = (0..ranks).filter(|&rank| !has_parent[rank]).collect();
        let &[root] = &roots[..] else {
            return Err(TreeError::Roots(roots.len()));
        };
        let tree = Tree { root, children };
        let mut reached = vec![false; ranks];
        for rank in tree.downwards() {
            reached[rank] = true;
        }
        match reached.iter().position(|reached| !reached) {
            Some(rank) => Err(TreeError::Unreached(rank)),
            None => Ok(tree),
        }
    }

    /// The tree with this parent for every rank, `None` for the root. Children are served in the order of their
    /// ranks. `O(n)`.
    ///
    /// # Errors
    /// There is not exactly one root, or a rank is not below it.
    pub fn of_parents(parents: &[Option<usize>]) -> Result<Tree, TreeError> {
        let edges = parents
            .iter()
            .enumerate()
            .filter_map(|(child, parent)| Some(((*parent)?, child)));
        Tree::of_edges(parents.len(), &edges.collect::<Vec<_>>())
    }

    /// A tree whose parents are right by construction.
    fn from(parent: impl Fn(usize) -> usize, ranks: usize, root: usize) -> Tree {
        let mut children = vec![Vec::new(); ranks];
        for rank in (0..ranks).filter(|&rank| rank != root) {
            children[parent(rank)].push(rank);
        }
        Tree { root, children }
    }

    /// The root is the parent of all others.
    pub fn flat(ranks: usize) -> Tree {
        Tree::from(|_| 0, ranks, 0)
    }

    /// Every rank is the parent of the next.
    pub fn chain(ranks: usize) -> Tree {
        Tree::from(|rank| rank - 1, ranks, 0)
    }

    /// Place `i` loses its lowest binary digit that is 1 to become its parent. The largest subtree is served first.
    pub fn binomial(ranks: usize) -> Tree {
        let mut tree = Tree::from(|rank| rank & (rank - 1), ranks, 0);
        for children in tree.children.iter_mut() {
            children.reverse();
        }
        tree
    }

    /// A rank's parent has its lowest digit that is not 0, in base `radix`, set to 0. The largest subtrees are served
    /// first.
    pub fn nomial(ranks: usize, radix: usize) -> Tree {
        let parent = |rank: usize| {
            let mut power = 1;
            while (rank / power).is_multiple_of(radix) {
                power *= radix;
            }
            rank - rank / power % radix * power
        };
        let mut tree = Tree::from(parent, ranks, 0);
        for children in tree.children.iter_mut() {
            children.reverse();
        }
        tree
    }

    /// `chains` chains from rank 0 on, of consecutive ranks and of lengths that differ by at most one.
    pub fn chains(ranks: usize, chains: usize) -> Tree {
        let others = ranks.saturating_sub(1);
        let (short, longer) = (others / chains, others % chains);
        // The first chains are one longer.
        let begins = |rank: usize| {
            let position = rank - 1;
            let of_longer = longer * (short + 1);
            if position < of_longer {
                position.is_multiple_of(short + 1)
            } else {
                (position - of_longer).is_multiple_of(short.max(1))
            }
        };
        Tree::from(|rank| if begins(rank) { 0 } else { rank - 1 }, ranks, 0)
    }

    /// A heap: the children of `i` are `2i + 1` and `2i + 2`.
    pub fn binary(ranks: usize) -> Tree {
        Tree::from(|rank| (rank - 1) / 2, ranks, 0)
    }

    /// The parent of a rank above 0 in the binary tree whose ranks are numbered in order, with rank 0 above all others.
    pub(crate) fn above_in_order(rank: usize, ranks: usize) -> usize {
        let digit = rank & rank.wrapping_neg();
        let parent = (rank ^ digit) | (digit << 1);
        if parent >= ranks {
            rank ^ digit
        } else {
            parent
        }
    }

    /// Double binary tree (Sanders, Speck, Träff 2009): at most one rank is an inner node of both trees. The first tree
    /// is numbered in order. The second one is the first shifted by one rank if the number of ranks is even, and
    /// mirrored if it is odd. Rank 0 is the root of both.
    pub fn double_binary(ranks: usize) -> [Tree; 2] {
        let in_order = |rank: usize| Tree::above_in_order(rank, ranks);
        let others = ranks.saturating_sub(1);
        // `part` maps a rank to its position in the first tree, `player` is the inverse.
        let (part, player): (Relabel, Relabel) = if ranks.is_multiple_of(2) {
            (
                |rank, others| (rank + others - 2) % others + 1,
                |part, others| part % others + 1,
            )
        } else {
            (
                |rank, others| others + 1 - rank,
                |part, others| others + 1 - part,
            )
        };
        let second = |rank: usize| match in_order(part(rank, others)) {
            0 => 0,
            parent => player(parent, others),
        };
        [Tree::from(in_order, ranks, 0), Tree::from(second, ranks, 0)]
    }

    /// The trees of the groups below a tree of their first members: rank `groups[g][i]` is rank `i` of the tree of
    /// the shape in its group.
    pub fn of_groups(groups: &[Vec<usize>], shape: fn(usize) -> Tree) -> Tree {
        let ranks = groups.iter().map(Vec::len).sum();
        let mut children = vec![Vec::new(); ranks];
        let leaders: Vec<usize> = groups
            .iter()
            .filter_map(|group| group.first().copied())
            .collect();
        for members in std::iter::once(&leaders).chain(groups) {
            for (parent, below) in shape(members.len()).children.into_iter().enumerate() {
                children[members[parent]].extend(below.into_iter().map(|child| members[child]));
            }
        }
        Tree {
            root: leaders.first().copied().unwrap_or(0),
            children,
        }
    }

    /// The root.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.children.len()
    }

    /// All ranks that the root reaches, parents before children. At most the number of ranks, even in a circle.
    pub fn downwards(&self) -> Vec<usize> {
        let mut order = vec![self.root];
        let mut next = 0;
        while next < order.len() && order.len() <= self.children.len() {
            order.extend(&self.children[order[next]]);
            next += 1;
        }
        order
    }

    /// The edges, by step, with the step at which a message passes down, if each rank serves one child per step from
    /// the step after its own on.
    pub(crate) fn edges(&self) -> Vec<(usize, usize, usize)> {
        let mut step = vec![0; self.children.len()];
        let mut edges = Vec::new();
        for parent in self.downwards() {
            for (turn, &child) in self.children[parent].iter().enumerate() {
                step[child] = step[parent] + turn + 1;
                edges.push((step[child], parent, child));
            }
        }
        edges.sort_unstable();
        edges
    }

    /// Per rank: the ranks below it and itself, ascending.
    pub(crate) fn below(&self) -> Vec<Vec<usize>> {
        let mut below: Vec<Vec<usize>> = (0..self.children.len()).map(|rank| vec![rank]).collect();
        for parent in self.downwards().into_iter().rev() {
            let mut all = std::mem::take(&mut below[parent]);
            for &child in self.children[parent].iter() {
                all.extend(&below[child]);
            }
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
        for ranks in 2..70 {
            let [one, two] = Tree::double_binary(ranks);
            for tree in [
                Tree::flat(ranks),
                Tree::chain(ranks),
                Tree::binomial(ranks),
                Tree::binary(ranks),
            ] {
                assert_eq!(tree.downwards().len(), ranks);
            }
            for tree in [&one, &two] {
                let mut reached = tree.downwards();
                reached.sort_unstable();
                assert_eq!(reached, (0..ranks).collect::<Vec<_>>());
                assert!(tree.children.iter().all(|children| children.len() <= 2));
            }
            let inner = |tree: &Tree| {
                (1..ranks)
                    .filter(|&rank| !tree.children[rank].is_empty())
                    .collect::<Vec<_>>()
            };
            let both = inner(&one)
                .into_iter()
                .filter(|rank| inner(&two).contains(rank))
                .count();
            assert!(
                both <= 1,
                "{ranks}: {both} ranks have children in both trees"
            );
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
        assert_eq!(
            Tree::of_parents(&[None, Some(0), Some(1)]),
            Ok(Tree::chain(3))
        );
        assert_eq!(Tree::of_parents(&[None, None]), Err(TreeError::Roots(2)));
        assert_eq!(
            Tree::of_parents(&[None, Some(2), Some(1)]),
            Err(TreeError::Unreached(1))
        );
        assert_eq!(
            Tree::of_parents(&[None, Some(7)]),
            Err(TreeError::Unreached(1))
        );
    }
}
