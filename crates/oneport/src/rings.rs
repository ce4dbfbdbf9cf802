//! The best rings over the processors of a box, checked.

use oneport_lp as lp;
use std::collections::BTreeMap;

use oneport_plan::{EqualRings, Resource, RingPacking, Status};
use oneport_platform::{NodeId, Platform, Rational, whole};
use oneport_referee::{self as referee, Violation};
use oneport_watch::Watch;

use crate::RingError;

/// Percent of the time and memory left for the packing. Trades throughput for an answer in time. Not measured.
const PACKING: u32 = 60;
/// Percent of the time and memory left after it for equal rings. Trades a larger share for an answer in time. Not
/// measured.
const EQUAL: u32 = 50;

/// Rings with their proved bound. The referee has checked both.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rings {
    /// The best packing with weights. Its bound is as the referee recomputed it.
    pub packing: RingPacking,
    /// Whether the packing attains its bound.
    pub status: Status,
    /// The best equal rings, at most as many as the caller allows.
    pub equal: EqualRings,
}

/// Reasons why no rings are returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackingError {
    /// No rings exist, or no program finds them.
    #[error(transparent)]
    Rings(#[from] RingError),
    /// The referee objects to our own rings, which is a defect of oneport, or a limit ended the check.
    #[error("the rings found are not accepted: {0}")]
    Referee(#[from] Violation),
}

/// The packing of rings over these processors with the largest total rate, and the best of at most `most` equal rings.
///
/// ```
/// use oneport::platform::generate;
/// use oneport::watch::Watch;
/// let box_of_gpus = generate::dgx1()?;
/// let gpus: Vec<_> = box_of_gpus.processors().collect();
/// let rings = oneport::rings(&box_of_gpus, &gpus, 32, &Watch::unlimited())?;
/// // Six links of 25 GB/s at every processor, all of them busy.
/// assert_eq!(rings.packing.total, oneport::parse_rational("150")?);
/// assert_eq!(rings.equal.total(), rings.packing.total);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PackingError`] gives the reason why there is no ring.
pub fn rings(
    platform: &Platform,
    gpus: &[NodeId],
    most: u32,
    watch: &Watch,
) -> Result<Rings, PackingError> {
    let mut packing = lp::rings(platform, gpus, &watch.stage(PACKING))?;
    packing.upper_bound = referee::ring_bound(platform, gpus, &packing.certificate, watch)?;
    referee::check_rings(platform, gpus, &packing, watch)?;
    let equal = lp::equal_rings(platform, gpus, &packing, most, &watch.stage(EQUAL))?;
    referee::check_equal_rings(platform, gpus, &equal)?;
    let status = Status::of(&packing.total, &packing.upper_bound);
    Ok(Rings {
        packing,
        status,
        equal,
    })
}

/// Rate of equal rings in these orders. Every hop takes a shortest route. The upper bound holds for these rings only.
/// `None` if no order is given.
///
/// # Errors
/// An order that is not a ring.
pub fn rings_of_orders(
    platform: &Platform,
    orders: &[Vec<NodeId>],
) -> Result<Option<EqualRings>, PackingError> {
    let mut rings: BTreeMap<_, u32> = BTreeMap::new();
    for order in orders {
        *rings
            .entry(lp::ring_of_order(platform, order)?)
            .or_default() += 1;
    }
    let mut busy: BTreeMap<Resource, Rational> = BTreeMap::new();
    for (ring, times) in &rings {
        for (resource, time) in ring.loads(platform) {
            *busy.entry(resource).or_default() += time * whole(*times);
        }
    }
    let share =
        |(resource, busy): (&Resource, &Rational)| whole(resource.capacity(platform)) / busy;
    let (Some(share), Some(order)) = (busy.iter().map(share).min(), orders.first()) else {
        return Ok(None);
    };
    let upper_bound = &share * whole(orders.len());
    let equal = EqualRings {
        rings: rings.into_iter().collect(),
        share,
        upper_bound,
    };
    referee::check_equal_rings(platform, order, &equal)?;
    Ok(Some(equal))
}
