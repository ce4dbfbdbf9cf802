//! Sets the rates of generated machines' links and merges, in gigabytes and seconds.

use num_traits::Signed;
use oneport::platform::{Change, LinkId, Number, ratio, whole};
use oneport::{Platform, Rational, Units};

use crate::error::{Result, usage};

/// GB/s of an accelerator's memory, from the makers' data sheets. MI250: of each of its two dies.
pub(super) const V100: u64 = 900;
/// A100 of 80 GB (SXM).
pub(super) const A100: u64 = 2039;
/// H100 (SXM).
pub(super) const H100: u64 = 3350;
/// B200, in DGX B200 and GB200 NVL72.
pub(super) const B200: u64 = 8000;
/// A die of MI250: half of 3.2 TB/s.
pub(super) const MI250_DIE: u64 = 1600;
/// MI300X.
pub(super) const MI300X: u64 = 5300;

/// GB/s of a host's memory: eight channels of DDR4-3200, 25.6 GB/s each.
pub(super) fn host() -> Rational {
    ratio(1024, 5)
}

/// The platform with other rates: `uplink` for links between two nodes that do not compute, `all` for the others. If
/// `uplink` is not given, `all` is for every link.
///
/// # Errors
/// None in practice: rates are positive.
pub(super) fn carrying(
    platform: &Platform,
    all: Option<Rational>,
    uplink: Option<Rational>,
) -> Result<Platform> {
    let uplink = uplink.or_else(|| all.clone());
    let change = |id: LinkId| {
        let link = platform.link(id);
        let computes = [link.from, link.to]
            .into_iter()
            .any(|end| platform.node(end).is_processor());
        let rate = if computes { &all } else { &uplink };
        rate.as_ref()
            .map(|rate| Change::Cost(id, Number::Exactly(rate.recip())))
    };
    let changes: Vec<Change> = platform.link_ids().filter_map(change).collect();
    Ok(platform.changed(&changes)?.platform)
}

/// The platform in gigabytes and seconds, its processors merging at a third of their memory's rate: for every byte of
/// the result two are read and one is written.
///
/// # Errors
/// A usage error, if `memory` is not positive.
pub(super) fn merging(platform: &Platform, memory: &Rational) -> Result<Platform> {
    if !memory.is_positive() {
        return Err(usage(
            "--memory: 0 is not positive; give GB/s, such as 3350",
        ));
    }
    let cost = whole(3) / memory;
    let change = |node| Change::Compute(node, Number::Exactly(cost.clone()));
    let changes: Vec<Change> = platform.processors().map(change).collect();
    let units = Units {
        work_is_data: true,
        ..Units::gigabytes_and_seconds()
    };
    Ok(platform.changed(&changes)?.platform.with_units(Some(units)))
}

/// Per link: its kind. In boxes of accelerators (`box0.gpu0`), links within a box are of the kind `inside`, the
/// rest is the network.
pub(super) fn kinds(platform: &Platform, inside: Option<&'static str>) -> Vec<&'static str> {
    let of_box = |node| platform.name(node).split_once('.').map(|(name, _)| name);
    let kind = |id: LinkId| {
        let link = platform.link(id);
        match inside {
            None => "link",
            Some(inside) if of_box(link.from) == of_box(link.to) => inside,
            Some(_) => "net",
        }
    };
    platform.link_ids().map(kind).collect()
}
