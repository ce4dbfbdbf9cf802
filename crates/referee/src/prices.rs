//! The prices of a certificate, and what links and merges cost under them.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Certificate, Resource};

use crate::Violation;
use crate::arithmetic::{Scale, is_positive, least_common_multiple, parts};
use crate::case::Case;

/// Lengths over one denominator may take this many bits together; beyond, each link keeps its own denominator.
const MAX_SCALED_BITS: u64 = 1 << 30;

/// "send port", "receive port" or "processor", for messages.
fn kind_of(resource: Resource) -> &'static str {
    match resource {
        Resource::Send(_) => "send port",
        Resource::Receive(_) => "receive port",
        Resource::Compute(_) => "processor",
    }
}

/// Prices as integers, all times the same factor: the bound does not change.
pub(crate) struct Prices {
    send: Vec<BigUint>,
    receive: Vec<BigUint>,
    compute: Vec<BigUint>,
    pub(crate) sum: BigUint,
}

impl Prices {
    /// Checks and scales the prices.
    pub(crate) fn new(case: &Case<'_>, certificate: &Certificate) -> Result<Prices, Violation> {
        let nodes = case.platform.nodes().len();
        let mut previous: Option<Resource> = None;
        for (resource, price) in &certificate.prices {
            let (kind, id) = (kind_of(*resource), resource.node());
            if id.index() >= nodes {
                return Err(Violation::UnknownPricedNode { kind, id: id.index(), nodes });
            }
            if !is_positive(price) {
                return Err(Violation::BadPrice { kind, node: case.name(id), found: Box::new(price.clone()) });
            }
            if let Some(previous) = previous.filter(|previous| previous >= resource) {
                return Err(Violation::PriceOrder {
                    kind,
                    node: case.name(id),
                    previous_kind: kind_of(previous),
                    previous_node: case.name(previous.node()),
                });
            }
            if matches!(resource, Resource::Compute(_)) && !case.platform.node(id).is_processor() {
                return Err(Violation::PricedRouter { node: case.name(id) });
            }
            previous = Some(*resource);
        }
        let values = certificate.prices.iter().map(|(_, price)| price);
        let scale = Scale::new("the prices", values, certificate.prices.len() + case.platform.links().len())?;
        let mut scaled: Vec<BigUint> = certificate.prices.iter().map(|(_, price)| scale.scaled(price)).collect();
        let divisor = common_divisor(&scaled);
        let zero = vec![BigUint::zero(); nodes];
        let mut prices = Prices { send: zero.clone(), receive: zero.clone(), compute: zero, sum: BigUint::zero() };
        for ((resource, _), price) in certificate.prices.iter().zip(&mut scaled) {
            *price /= &divisor;
            prices.sum += &*price;
            let (list, node) = match resource {
                Resource::Send(node) => (&mut prices.send, node),
                Resource::Receive(node) => (&mut prices.receive, node),
                Resource::Compute(node) => (&mut prices.compute, node),
            };
            list[node.index()] = std::mem::take(price);
        }
        Ok(prices)
    }

    /// By link, `cost x (price of its ports)`, the time-unit price of a message of unit size, as a fraction that is
    /// nearly in lowest terms: at an optimum the prices often cancel the denominators of the costs.
    pub(crate) fn lengths(&self, case: &Case<'_>) -> Vec<(BigUint, BigUint)> {
        let length = |link: &oneport_platform::Link| {
            let price = &self.send[link.from.index()] + &self.receive[link.to.index()];
            let (numerator, denominator) = parts(&link.cost);
            let divisor = (&price % denominator).gcd(denominator);
            (numerator * (price / &divisor), denominator / divisor)
        };
        case.platform.links().iter().map(length).collect()
    }

    /// By node, `compute x (price of the processor)`, the price of a unit of work, in the same form; `None` for routers.
    pub(crate) fn merges(&self, case: &Case<'_>) -> Vec<Option<(BigUint, BigUint)>> {
        let merge = |(node, price): (&oneport_platform::Node, &BigUint)| {
            let (numerator, denominator) = parts(node.compute.as_ref()?);
            let divisor = (price % denominator).gcd(denominator);
            Some((numerator * (price / &divisor), denominator / divisor))
        };
        case.platform.nodes().iter().zip(&self.compute).map(merge).collect()
    }
}

/// The greatest common divisor; 1 for an empty list.
fn common_divisor(numbers: &[BigUint]) -> BigUint {
    let mut divisor = BigUint::zero();
    for number in numbers {
        // One Euclidean step first: the gcd of two numbers of very different length is slow.
        divisor = if divisor.is_zero() { number.clone() } else { (number % &divisor).gcd(&divisor) };
    }
    divisor.max(1u32.into())
}

/// A common denominator of the fractions that are not 0; `None` if `entries` numbers over it would take too much
/// memory.
pub(crate) fn common_denominator<'a>(
    fractions: impl Iterator<Item = &'a (BigUint, BigUint)>,
    entries: usize,
) -> Result<BigUint, (u64, u64)> {
    let limit = MAX_SCALED_BITS / entries.to_u64().unwrap_or(u64::MAX).max(1);
    let mut denominators: Vec<&BigUint> =
        fractions.filter(|(numerator, _)| !numerator.is_zero()).map(|(_, denominator)| denominator).collect();
    denominators.sort_unstable();
    denominators.dedup();
    least_common_multiple(denominators.into_iter().rev(), limit).map_err(|bits| (bits, limit))
}

/// The numerator over a common denominator.
pub(crate) fn over((numerator, denominator): (BigUint, BigUint), common: &BigUint) -> BigUint {
    if numerator.is_zero() { numerator } else { numerator * (common / denominator) }
}
