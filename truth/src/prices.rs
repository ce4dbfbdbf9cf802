//! The price of a task under a certificate, as documented.

use num_traits::{One, Zero};
use oneport_plan::{Amount, Certificate, Collective, Interval, Resource, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational, SharedId, whole};

/// The price of a unit of time of a link: its ports, itself, the odd sets that count it, and of each shared capacity
/// the part that it takes at full rate: weight over the capacity's rate, per unit of message.
pub fn link_price(platform: &Platform, certificate: &Certificate, link: LinkId) -> Rational {
    let ends = Resource::ends(platform, link);
    let occupies =
        |resource: Resource| resource == Resource::Link(link) || ends.contains(&Some(resource));
    let prices = certificate
        .prices()
        .filter(|(resource, _)| occupies(*resource))
        .map(|(_, price)| price);
    let sets = certificate
        .odd_sets()
        .filter(|(set, _)| set.members(platform).contains(&link));
    let alone: Rational = prices.chain(sets.map(|(_, price)| price)).sum();
    let mut shared = Rational::zero();
    for (index, capacity) in platform.shared().iter().enumerate() {
        let price = certificate.price(Resource::Shared(SharedId::new(index)));
        if let (Some(price), Some(&weight)) = (price, capacity.weights.get(&link)) {
            shared += price * whole(weight) / &capacity.rate;
        }
    }
    if shared.is_zero() {
        return alone;
    }
    alone + shared / &platform.link(link).cost
}

/// The price of a unit of time of a processor.
pub fn compute_price(certificate: &Certificate, node: NodeId) -> Rational {
    let is_its_own = |resource: &Resource| *resource == Resource::Compute(node);
    certificate
        .prices()
        .filter(|(resource, _)| is_its_own(resource))
        .map(|(_, price)| price)
        .sum()
}

/// The smallest message size.
pub(crate) fn smallest_size(collective: &Collective, volumes: &Volumes) -> Rational {
    smallest(&volumes.size, collective.most_operands(), 1).unwrap_or_else(Rational::one)
}

/// The least work of a merge.
pub(crate) fn smallest_work(collective: &Collective, volumes: &Volumes) -> Rational {
    smallest(&volumes.work, collective.most_operands(), 2).unwrap_or_default()
}

fn smallest(amount: &Amount, operands: usize, fewest: usize) -> Option<Rational> {
    let parts = (0..operands)
        .flat_map(|first| (first + fewest - 1..operands).map(move |last| Interval { first, last }));
    parts.filter_map(|part| amount.of(part)).min()
}
