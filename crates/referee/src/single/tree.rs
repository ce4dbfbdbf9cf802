//! The tree of a schedule: the partners of every processor, and an order from the leaves to the root.

use crate::Violation;
use crate::violation::fault;

/// The children of every processor, in one flat list: the processors that send to it (or receive from it).
#[derive(Debug)]
pub(super) struct Tree {
    root: usize,
    /// `children[offsets[p]..offsets[p + 1]]` are the children of `p`.
    offsets: Vec<u32>,
    children: Vec<u32>,
    /// Every processor after all its children. The root is the last.
    order: Vec<u32>,
}

impl Tree {
    /// The tree in which `partners[p]` is the parent of `p`. All ids are in range. O(n).
    ///
    /// # Errors
    /// A circle.
    pub(super) fn new(partners: &[u32], root: u32, role: &'static str) -> Result<Tree, Violation> {
        let root = root as usize;
        let mut offsets = vec![0_u32; partners.len() + 1];
        let linked = || {
            partners
                .iter()
                .enumerate()
                .filter(|&(processor, _)| processor != root)
        };
        for (_, &parent) in linked() {
            offsets[parent as usize + 1] += 1;
        }
        // Children not yet in the order, by parent.
        let mut pending: Vec<u32> = offsets[1..].to_vec();
        for index in 1..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        let mut next: Vec<u32> = offsets[..partners.len()].to_vec();
        let mut children = vec![0_u32; partners.len().saturating_sub(1)];
        for (child, &parent) in linked() {
            let next_child = &mut next[parent as usize];
            children[*next_child as usize] = child as u32;
            *next_child += 1;
        }
        drop(next);
        let mut order = Vec::with_capacity(partners.len());
        for leaf in 0..partners.len() {
            let mut processor = leaf;
            // Follow the chain upwards while its processors have no other child left.
            while pending[processor] == 0 {
                pending[processor] = u32::MAX;
                order.push(processor as u32);
                if processor == root {
                    break;
                }
                processor = partners[processor] as usize;
                pending[processor] -= 1;
            }
        }
        if order.len() < partners.len() {
            let processor = pending
                .iter()
                .position(|&left| left != u32::MAX)
                .unwrap_or(root);
            let right = format!("all {role}s must lead to the root, processor {root}");
            return Err(
                fault!(Single, "processor {processor} is its own {role} by a circle"; "{right}"),
            );
        }
        Ok(Tree {
            root,
            offsets,
            children,
            order,
        })
    }

    /// How many processors there are.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The processor without a parent.
    pub(super) fn root(&self) -> usize {
        self.root
    }

    /// The children of a processor, ascending.
    pub(super) fn children(&self, processor: usize) -> &[u32] {
        &self.children[self.offsets[processor] as usize..self.offsets[processor + 1] as usize]
    }

    /// All processors, every one after its children.
    pub(super) fn upwards(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().map(|&processor| processor as usize)
    }

    /// How many processors have children.
    pub(super) fn inner(&self) -> u64 {
        self.offsets
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_processor_comes_after_its_children() {
        let partners = [3, 0, 0, 3, 6, 4, 3, 5];
        let tree = Tree::new(&partners, 3, "receiver").unwrap();
        let order: Vec<usize> = tree.upwards().collect();
        assert_eq!(order.len(), partners.len());
        for (child, &parent) in partners.iter().enumerate().filter(|&(child, _)| child != 3) {
            let position = |p: usize| order.iter().position(|&q| q == p);
            assert!(position(child) < position(parent as usize), "{order:?}");
            assert!(tree.children(parent as usize).contains(&(child as u32)));
        }
        assert_eq!(tree.inner(), 5);
    }

    #[test]
    fn circles_are_found_and_named() {
        for (partners, circle) in [
            (vec![0, 2, 1, 0], vec![1, 2]),
            (vec![0, 1], vec![1]),
            (vec![0, 0, 4, 2, 3, 2], vec![2, 3, 4]),
        ] {
            let told = Tree::new(&partners, 0, "receiver").unwrap_err().to_string();
            let on_circle = |processor| {
                told.starts_with(&format!(
                    "processor {processor} is its own receiver by a circle"
                ))
            };
            assert!(circle.iter().any(on_circle), "{told}: {circle:?}");
        }
    }
}
