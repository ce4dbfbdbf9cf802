//! The prices of a certificate, and what links and merges cost under them.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Certificate, OddSet, Resource};
use oneport_platform::{LinkId, PerLink, PerNode, PortModel, Rational, SharedId, whole};

use crate::Violation;
use crate::arithmetic::{Scale, is_positive, least_common_multiple, parts};
use crate::case::Case;
use crate::violation::{bad_price, fault, no_link, no_node, unordered};

/// Bits of all lengths over one denominator. With more, each link keeps a separate denominator. Trades memory for
/// integer sums. Not measured.
const MAX_SCALED_BITS: u64 = 1 << 30;

/// Prices as integers, all times the same factor: the bound does not change.
pub(crate) struct Prices {
    /// Per link: the price of a unit of its time, with the ports at its ends and the odd sets that it belongs to.
    links: PerLink<BigUint>,
    /// Per link with priced shared capacities: the price of a unit of message for them, weight over rate times price.
    shared: BTreeMap<LinkId, Rational>,
    /// Per node: the price of a unit of the processor's time.
    compute: Vec<BigUint>,
    /// Priced time per unit of time: the sum of prices times capacities.
    pub(crate) sum: BigUint,
    /// The factor, as numerator and denominator.
    pub(crate) factor: (BigUint, BigUint),
}

impl Prices {
    /// Checks and scales the prices.
    ///
    /// Every odd-set inequality holds, for each set: at any time a busy link with both ends among the ports takes two
    /// of the units that they offer, a busy further link one of these units and its own unit.
    pub(crate) fn new(case: &Case<'_>, certificate: &Certificate) -> Result<Prices, Violation> {
        let priced: Vec<(Resource, &Rational)> = certificate.prices().collect();
        let sets: Vec<(&OddSet, &Rational)> = certificate.odd_sets().collect();
        check_prices(case, &priced)?;
        check_odd_sets(case, &sets)?;
        if !certificate.rows.is_sorted_by(|one, other| one.0 < other.0) {
            return Err(unordered("certificate: the rows"));
        }
        let platform = case.platform;
        let values = || certificate.rows.iter().map(|(_, price)| price);
        let scale = Scale::new(
            "the prices",
            values(),
            priced.len() + sets.len() + platform.links().len(),
        )?;
        let mut scaled: Vec<BigUint> = values().map(|price| scale.scaled(price)).collect();
        let divisor = common_divisor(&scaled);
        for price in scaled.iter_mut() {
            *price /= &divisor;
        }
        let (resources, set_prices) = scaled.split_at(priced.len());
        let price = |resource: Resource| {
            let index = priced.binary_search_by_key(&resource, |(resource, _)| *resource);
            index.ok().and_then(|index| resources.get(index))
        };
        let link = |id| {
            let resources = Resource::ends(platform, id)
                .into_iter()
                .flatten()
                .chain([Resource::Link(id)]);
            resources.filter_map(price).sum()
        };
        let mut links: PerLink<BigUint> = platform.link_ids().map(link).collect();
        let compute = |id| price(Resource::Compute(id)).cloned().unwrap_or_default();
        let compute = platform.node_ids().map(compute).collect();
        let of_capacity = priced
            .iter()
            .zip(resources)
            .map(|((resource, _), price)| price * resource.capacity(platform));
        let mut sum: BigUint = of_capacity.sum();
        for ((set, _), price) in sets.into_iter().zip(set_prices) {
            for link in set.members(platform) {
                links[link] += price;
            }
            sum += price * set.capacity(platform);
        }
        let mut shared: BTreeMap<LinkId, Rational> = BTreeMap::new();
        for (index, capacity) in platform.shared().iter().enumerate() {
            let Some(price) = price(Resource::Shared(SharedId::new(index))) else {
                continue;
            };
            let price = whole(price.clone());
            for (&link, &weight) in &capacity.weights {
                let time = whole(weight) / &capacity.rate;
                *shared.entry(link).or_default() += &price * time;
            }
        }
        Ok(Prices {
            links,
            shared,
            compute,
            sum,
            factor: (scale.denominator().clone(), divisor),
        })
    }

    /// Per link: the price of a message of unit size, `cost x (price of its time)` plus the price of shared capacities,
    /// as a fraction that is nearly in lowest terms: at an optimum the prices often cancel the denominators of the
    /// costs.
    pub(crate) fn lengths(&self, case: &Case<'_>) -> PerLink<(BigUint, BigUint)> {
        let length = |(id, price): (LinkId, &BigUint)| {
            let cost = &case.platform.link(id).cost;
            if let Some(shared) = self.shared.get(&id) {
                let whole = cost * whole(price.clone()) + shared;
                let (numerator, denominator) = parts(&whole);
                return (numerator.clone(), denominator.clone());
            }
            let (numerator, denominator) = parts(cost);
            let divisor = (price % denominator).gcd(denominator);
            (numerator * (price / &divisor), denominator / divisor)
        };
        case.platform
            .link_ids()
            .zip(&self.links)
            .map(length)
            .collect()
    }

    /// Per node: `compute x (price of the processor)`, the price of a unit of work, in the same form. `None` if
    /// nothing merges.
    pub(crate) fn merges(&self, case: &Case<'_>) -> PerNode<Option<(BigUint, BigUint)>> {
        let merge = |(node, price): (&oneport_platform::Node, &BigUint)| {
            let (numerator, denominator) = parts(node.merge_time()?);
            let divisor = (price % denominator).gcd(denominator);
            Some((numerator * (price / &divisor), denominator / divisor))
        };
        case.platform
            .nodes()
            .iter()
            .zip(&self.compute)
            .map(merge)
            .collect()
    }
}

/// Prices are positive, sorted, and of what exists.
fn check_prices(case: &Case<'_>, prices: &[(Resource, &Rational)]) -> Result<(), Violation> {
    let mut previous: Option<Resource> = None;
    for &(resource, price) in prices {
        check_resource(case, "price of the", resource)?;
        let named = || resource.describe(case.platform);
        if !is_positive(price) {
            return Err(bad_price(&format!("the {}", named()), price));
        }
        if let Some(previous) = previous.filter(|&previous| previous >= resource) {
            let (resource, previous) = (named(), previous.describe(case.platform));
            let ports = "list send ports, then receive ports, then processors, then ports of half-duplex nodes, by node";
            let right = format!("{ports}, then links, then shared capacities, each once");
            return Err(
                fault!(Certificate, "price of the {resource} follows that of the {previous}"; "{right}"),
            );
        }
        previous = Some(resource);
    }
    Ok(())
}

/// The resource exists, under the model of its node.
fn check_resource(case: &Case<'_>, location: &str, resource: Resource) -> Result<(), Violation> {
    let platform = case.platform;
    if let Resource::Link(id) = resource {
        let exists = id.index() < platform.links().len();
        return if exists {
            Ok(())
        } else {
            Err(no_link(location, id, platform))
        };
    }
    if let Resource::Shared(id) = resource {
        let (id, count) = (id.index(), platform.shared().len());
        return if id < count {
            Ok(())
        } else {
            Err(
                fault!(Certificate, "{location} shared capacity {id} does not exist"; "the platform has {count}, numbered from 0"),
            )
        };
    }
    let Some(node) = resource.node() else {
        return Ok(());
    };
    if node.index() >= platform.nodes().len() {
        let kind = match resource {
            Resource::Send(_) => "send port",
            Resource::Receive(_) => "receive port",
            Resource::Compute(_) => "processor",
            Resource::Port(_) | Resource::Link(_) | Resource::Shared(_) => "port",
        };
        return Err(no_node(&format!("{location} {kind}"), node, platform));
    }
    let model = platform.model_of(node);
    let right = match (resource, model) {
        (Resource::Compute(_), _) if platform.node(node).merges() => return Ok(()),
        (Resource::Compute(_), _) => {
            let location = format!("price of the processor of '{}'", case.name(node));
            return Err(
                fault!(Certificate, "the node is a router, which merges nothing"; "leave the price out").at(location)
            );
        }
        (
            Resource::Send(_) | Resource::Receive(_),
            PortModel::FullDuplex | PortModel::Multiport,
        )
        | (Resource::Port(_), PortModel::HalfDuplex) => return Ok(()),
        (_, PortModel::FullDuplex | PortModel::Multiport) => "a node has send and receive ports",
        (_, PortModel::HalfDuplex) => "a node has one port for sends and receives together",
        (_, PortModel::Links) => "only links are limited",
    };
    let resource = resource.describe(platform);
    Err(
        fault!(Certificate, "{location} {resource} does not exist"; "under the {model} model {right}"),
    )
}

/// Odd sets are sorted, have positive prices, and consist of ports and of further links with one end there.
fn check_odd_sets(case: &Case<'_>, sets: &[(&OddSet, &Rational)]) -> Result<(), Violation> {
    for (index, (set, price)) in sets.iter().enumerate() {
        let named = || format!("odd set {index}");
        if !is_positive(price) {
            return Err(bad_price(&named(), price));
        }
        for &port in &set.ports {
            let no_port = matches!(
                port,
                Resource::Compute(_) | Resource::Link(_) | Resource::Shared(_)
            );
            if no_port {
                let resource = match port {
                    Resource::Compute(node) => format!("processor of node {node}"),
                    Resource::Shared(id) => format!("shared capacity {id}"),
                    _ => "link".to_string(),
                };
                let right = "list ports of nodes, and further links among the links";
                return Err(
                    fault!(Certificate, "the {resource} is not a port"; "{right}").at(named()),
                );
            }
            check_resource(case, &format!("odd set {index}: the"), port)?;
        }
        let ordered = [
            ("ports", set.ports.is_sorted_by(|a, b| a < b)),
            ("links", set.links.is_sorted_by(|a, b| a < b)),
        ];
        if let Some((what, _)) = ordered.into_iter().find(|(_, ordered)| !ordered) {
            return Err(unordered(&format!("odd set {index}: its {what}")));
        }
        for &link in &set.links {
            check_resource(case, &format!("odd set {index}: the"), Resource::Link(link))?;
            let ends = Resource::ends(case.platform, link).into_iter().flatten();
            let found = ends
                .filter(|end| set.ports.binary_search(end).is_ok())
                .count();
            if found != 1 {
                let found = format!(
                    "{found} ends of link '{}' are among its ports",
                    case.platform.link_name(link)
                );
                return Err(
                    fault!(Certificate, "{found}"; "a further link has exactly one there")
                        .at(named()),
                );
            }
        }
        if index > 0 && sets[index - 1].0 >= set {
            return Err(unordered("certificate: the odd sets"));
        }
    }
    Ok(())
}

/// The greatest common divisor. 1 for an empty list.
fn common_divisor(numbers: &[BigUint]) -> BigUint {
    let mut divisor = BigUint::zero();
    for number in numbers {
        // One Euclidean step first: the gcd of two numbers of very different length is slow.
        divisor = if divisor.is_zero() {
            number.clone()
        } else {
            (number % &divisor).gcd(&divisor)
        };
    }
    divisor.max(1u32.into())
}

/// A common denominator of the fractions that are not 0. `None` if `entries` numbers over it would take too much
/// memory.
pub(crate) fn common_denominator<'a>(
    fractions: impl Iterator<Item = &'a (BigUint, BigUint)>,
    entries: usize,
) -> Result<BigUint, (u64, u64)> {
    let limit = MAX_SCALED_BITS / entries.to_u64().unwrap_or(u64::MAX).max(1);
    let mut denominators: Vec<&BigUint> = fractions
        .filter(|(numerator, _)| !numerator.is_zero())
        .map(|(_, denominator)| denominator)
        .collect();
    denominators.sort_unstable();
    denominators.dedup();
    least_common_multiple(denominators.into_iter().rev(), limit).map_err(|bits| (bits, limit))
}

/// The numerator over a common denominator.
pub(crate) fn over((numerator, denominator): (BigUint, BigUint), common: &BigUint) -> BigUint {
    if numerator.is_zero() {
        numerator
    } else {
        numerator * (common / denominator)
    }
}
