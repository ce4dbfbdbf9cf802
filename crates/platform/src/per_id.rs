//! One value per node, link or shared capacity, indexed by id.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::nodes::{LinkId, NodeId, SharedId};

/// One value per id `I` of a platform, in the order of ids. It is indexed by an id: an index that counts something
/// else does not compile. All other methods are those of a slice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PerId<I, T> {
    values: Vec<T>,
    ids: PhantomData<fn(I)>,
}

/// One value per node.
pub type PerNode<T> = PerId<NodeId, T>;
/// One value per link.
pub type PerLink<T> = PerId<LinkId, T>;
/// One value per [shared capacity](crate::Shared).
pub type PerShared<T> = PerId<SharedId, T>;

impl<I, T> From<Vec<T>> for PerId<I, T> {
    /// The values in the order of ids.
    fn from(values: Vec<T>) -> Self {
        let ids = PhantomData;
        PerId { values, ids }
    }
}

impl<I, T> FromIterator<T> for PerId<I, T> {
    /// The values in the order of ids.
    fn from_iter<V: IntoIterator<Item = T>>(values: V) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<I, T> Default for PerId<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I: Into<usize>, T> Index<I> for PerId<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.values[id.into()]
    }
}

impl<I: Into<usize>, T> IndexMut<I> for PerId<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.values[id.into()]
    }
}

impl<I, T> Deref for PerId<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<I, T> DerefMut for PerId<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<I, T> IntoIterator for PerId<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a PerId<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut PerId<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
