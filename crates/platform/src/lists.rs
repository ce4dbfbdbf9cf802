//! Nodes and links by id, as lists.

use std::iter::Map;
use std::ops::Index;
use std::slice::Iter;

use petgraph::graph::{DiGraph, Edge, Node as Vertex};

use crate::nodes::{Link, Node};

macro_rules! list {
    ($(#[$doc:meta])* $list:ident, $item:ident, $raw:ident, $of:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $list<'a>(&'a [$raw<$item>]);

        impl<'a> $list<'a> {
            pub(crate) fn of(graph: &'a DiGraph<Node, Link>) -> Self {
                $list(graph.$of())
            }

            /// How many.
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether the list is empty.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// The one with this index. `None` beyond the last.
            pub fn get(&self, index: usize) -> Option<&'a $item> {
                self.0.get(index).map(|raw| &raw.weight)
            }

            /// All, by id.
            pub fn iter(&self) -> <Self as IntoIterator>::IntoIter {
                self.into_iter()
            }
        }

        impl<'a> IntoIterator for $list<'a> {
            type Item = &'a $item;
            type IntoIter = Map<Iter<'a, $raw<$item>>, fn(&'a $raw<$item>) -> &'a $item>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.iter().map(|raw| &raw.weight)
            }
        }

        impl PartialEq for $list<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.iter().eq(other.iter())
            }
        }

        impl Index<usize> for $list<'_> {
            type Output = $item;

            fn index(&self, index: usize) -> &$item {
                &self.0[index].weight
            }
        }
    };
}

list! {
    /// The nodes of a platform, by id.
    Nodes, Node, Vertex, raw_nodes
}
list! {
    /// The links of a platform, by id.
    Links, Link, Edge, raw_edges
}
