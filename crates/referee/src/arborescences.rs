//! Cheapest arborescences under prices: that span all nodes, that reach targets, and those of two roots compared.

mod arborescence;
mod exchange;
mod network;
mod steiner;

pub(crate) use arborescence::spanning_from_each;
pub(crate) use exchange::least_exchange;
pub(crate) use network::{Arc, Weight, nearest, network, routes};
pub(crate) use steiner::cheapest;
