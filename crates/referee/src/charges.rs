//! The charges of a certificate's inequalities, column by column.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_plan::Task;
use oneport_platform::{LinkId, NodeId, PerNode};

use crate::arithmetic::Scale;
use crate::case::Case;

/// A link, or a route through nodes that do not replicate, and the price of a unit of message on it.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) link: Option<LinkId>,
    /// Numerator and denominator.
    pub(crate) length: (BigUint, BigUint),
}

impl Way {
    pub(crate) fn name(&self, case: &Case<'_>) -> String {
        match self.link {
            Some(link) => format!("link '{}'", case.platform.link_name(link)),
            None => format!(
                "the cheapest route from '{}' to '{}'",
                case.name(self.from),
                case.name(self.to)
            ),
        }
    }
}

/// All that has been charged so far, in the unit of the scale.
pub(crate) struct Charges<'w> {
    pub(crate) ways: &'w [Way],
    pub(crate) scale: &'w Scale,
    pub(crate) transfers: Vec<BigInt>,
    /// Per node: the charge of a merge there.
    pub(crate) merges: PerNode<BigInt>,
    /// Per node: the charge of the first merge of all operands, if it is there.
    pub(crate) joins: PerNode<BigInt>,
    pub(crate) tasks: BTreeMap<Task, BigInt>,
}

impl<'w> Charges<'w> {
    pub(crate) fn new(case: &Case<'_>, ways: &'w [Way], scale: &'w Scale) -> Self {
        let none = case.platform.per_node(BigInt::zero());
        let transfers = vec![BigInt::zero(); ways.len()];
        Charges {
            ways,
            scale,
            transfers,
            merges: none.clone(),
            joins: none,
            tasks: BTreeMap::new(),
        }
    }

    /// Charges every way as often as a transfer over it counts.
    pub(crate) fn transfers(&mut self, weight: &BigInt, times: impl Fn(NodeId, NodeId) -> i64) {
        for (charge, way) in self.transfers.iter_mut().zip(self.ways) {
            match times(way.from, way.to) {
                0 => {}
                1 => *charge += weight,
                times => *charge += weight * times,
            }
        }
    }
}
