//! The result of a method: how many senders of each class take slots of each date.

use oneport_plan::Proof;
use oneport_platform::Rational;

/// How many senders of each class take slots of each date, read backwards from the end.
///
/// Backwards, one *slot* is open at date 0 (the destination's last reception). A sender of time `t` that takes a slot
/// open since date `a` ends `a` before the end of the schedule and opens two slots at `a + t` (see
/// [`SlotPrices`](oneport_plan::SlotPrices)). A placement is proper if no date has more senders than slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Sorted by date, then class. `senders` is positive, and each pair of date and class occurs at most once.
    pub rows: Vec<PlacedSenders>,
}

/// Senders of one class in slots of one date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedSenders {
    /// The date of the slots, backwards from the end.
    pub date: Rational,
    /// Index into [`Cluster::classes`](crate::Cluster::classes), fastest first.
    pub class: usize,
    /// How many.
    pub senders: u64,
}

/// The result of a method.
#[derive(Debug, Clone)]
pub(crate) struct MethodResult {
    pub length: Rational,
    pub lower_bound: Rational,
    pub proof: Proof,
    pub placement: Option<Placement>,
}
