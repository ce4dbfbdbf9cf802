//! Prices of links and processors.

use num_traits::Zero;
use oneport_platform::Platform;

/// Prices per unit of time, in any common unit. A missing or negative price is 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices<N> {
    /// Per link: the sum of the prices of all resources that a transfer over it occupies.
    pub links: Vec<N>,
    /// Per node: the price of its processor. Routers have none.
    pub compute: Vec<N>,
}

impl<N: Clone + Zero + for<'n> std::ops::AddAssign<&'n N>> Prices<N> {
    /// Prices of send and receive ports of full-duplex and multiport nodes, by node. A missing price is 0.
    pub fn of_ports(platform: &Platform, send: &[N], receive: &[N], compute: Vec<N>) -> Self {
        let price = |link: &oneport_platform::Link| {
            let mut price = send.get(link.from.index()).cloned().unwrap_or_else(N::zero);
            if let Some(receive) = receive.get(link.to.index()) {
                price += receive;
            }
            price
        };
        Prices {
            links: platform.links().iter().map(price).collect(),
            compute,
        }
    }
}
