//! Prices of links and processors as integers over a common denominator.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;
use oneport_platform::{Platform, Rational};

use super::Prices;
use super::amounts::integers;

/// What prices are multiplied by: costs as integers, over a denominator that includes those of sizes and works.
#[derive(Debug, Clone)]
pub(super) struct Factors {
    /// By link.
    links: Vec<BigUint>,
    /// By place of the processor.
    merges: Vec<BigUint>,
    denominator: BigUint,
}

/// Integer prices: `size x link` of a transfer and `work x merge` of a merge, over one denominator, where sizes and
/// works are the numerators of [`Amounts`](super::amounts::Amounts).
pub(super) struct Weights {
    /// By link.
    pub links: Vec<BigUint>,
    /// By place of the processor.
    pub merges: Vec<BigUint>,
    pub denominator: BigUint,
}

impl Factors {
    pub fn new(platform: &Platform, processors: &[usize], size: &BigUint, work: &BigUint) -> Self {
        let (links, of_links) = integers(platform.links().iter().map(|link| &link.cost));
        let nodes = platform.nodes();
        let (merges, of_merges) = integers(processors.iter().filter_map(|&node| nodes.get(node)?.compute.as_ref()));
        let (of_links, of_merges) = (of_links * size, of_merges * work);
        let denominator = of_links.lcm(&of_merges);
        let (to_links, to_merges) = (&denominator / of_links, &denominator / of_merges);
        Factors {
            links: links.iter().map(|cost| cost * &to_links).collect(),
            merges: merges.iter().map(|compute| compute * &to_merges).collect(),
            denominator,
        }
    }

    pub fn weigh_integers(&self, platform: &Platform, processors: &[usize], prices: &Prices<u64>) -> Weights {
        let big = |prices: &[u64]| prices.iter().map(|&price| BigUint::from(price)).collect::<Vec<_>>();
        let (send, receive, compute) = (big(&prices.send), big(&prices.receive), big(&prices.compute));
        self.product(platform, processors, [&send, &receive, &compute], self.denominator.clone())
    }

    pub fn weigh(&self, platform: &Platform, processors: &[usize], prices: &Prices<Rational>) -> Weights {
        let all = prices.send.iter().chain(&prices.receive).chain(&prices.compute);
        let (numerators, denominator) = integers(all);
        let (send, rest) = numerators.split_at(prices.send.len());
        let (receive, compute) = rest.split_at(prices.receive.len());
        self.product(platform, processors, [send, receive, compute], denominator * &self.denominator)
    }

    fn product(
        &self,
        platform: &Platform,
        processors: &[usize],
        [send, receive, compute]: [&[BigUint]; 3],
        denominator: BigUint,
    ) -> Weights {
        let zero = BigUint::zero();
        let of = |prices: &[BigUint], node: usize| prices.get(node).unwrap_or(&zero).clone();
        let links = platform.links().iter().zip(&self.links);
        let merges = processors.iter().zip(&self.merges);
        Weights {
            links: links
                .map(|(link, factor)| (of(send, link.from.index()) + of(receive, link.to.index())) * factor)
                .collect(),
            merges: merges.map(|(&node, factor)| of(compute, node) * factor).collect(),
            denominator,
        }
    }
}
