//! Cheapest paths from one node over machine or exact integers. Of equally cheap ones those with the fewest links.

use std::ops::{Add, AddAssign, SubAssign};

use num_traits::Zero;
use oneport_graph::{Arc, Digraph, ShortestPaths, shortest_paths};
use oneport_numbers::Exact;
use oneport_platform::LinkId;
use petgraph::visit::EdgeRef;

/// The length of a path, compared by price, then by links.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Length<N> {
    price: N,
    links: u32,
}

impl<N> Length<N> {
    /// The lengths of links of these prices.
    pub(super) fn of_links(prices: &[N]) -> Vec<Length<N>>
    where
        N: Clone,
    {
        prices
            .iter()
            .map(|price| Length {
                price: price.clone(),
                links: 1,
            })
            .collect()
    }
}

impl<N: Exact> Zero for Length<N> {
    fn zero() -> Self {
        Length {
            price: N::zero(),
            links: 0,
        }
    }

    fn is_zero(&self) -> bool {
        self.links == 0 && self.price.is_zero()
    }
}

impl<N: Exact> Add for Length<N> {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += &other;
        self
    }
}

impl<N: Exact> AddAssign<&Length<N>> for Length<N> {
    fn add_assign(&mut self, other: &Self) {
        self.price += &other.price;
        self.links += other.links;
    }
}

impl<N: Exact> SubAssign<&Length<N>> for Length<N> {
    fn sub_assign(&mut self, other: &Self) {
        self.price -= &other.price;
        self.links -= other.links;
    }
}

/// Cheapest paths from one node for one unit of message.
pub(super) struct Paths<N>(ShortestPaths<Length<N>, usize>);

impl<N: Exact> Paths<N> {
    /// From `source`, with the lengths of links by id. `O(m log m)` for `m` links.
    pub(super) fn new(graph: &Digraph<()>, lengths: &[Length<N>], source: usize) -> Self {
        let length = |link: Arc<'_, ()>| &lengths[link.id()];
        Paths(shortest_paths(
            graph,
            [(source, Length::zero())],
            length,
            |_| true,
        ))
    }

    /// The price of the path to a node.
    pub(super) fn distance(&self, to: usize) -> Option<&N> {
        Some(&self.0.distances.get(to)?.as_ref()?.price)
    }

    /// The highest price of all paths.
    pub(super) fn farthest(&self) -> Option<&N> {
        self.0
            .distances
            .iter()
            .flatten()
            .map(|length| &length.price)
            .max()
    }

    /// How many links the path to a node has.
    pub(super) fn links(&self, to: usize) -> u32 {
        self.0
            .distances
            .get(to)
            .and_then(Option::as_ref)
            .map_or(0, |length| length.links)
    }

    /// The links of the path to a node, in the order of travel.
    pub(super) fn path(&self, to: usize) -> Vec<LinkId> {
        self.0.path(to).into_iter().map(LinkId::new).collect()
    }
}
