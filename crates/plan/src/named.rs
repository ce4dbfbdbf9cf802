//! A named collective among nodes: its demands follow from its [`Form`].

use oneport_platform::NodeId;

use crate::demand::{Demand, Goals};
use crate::form::{Form, Wants};
use crate::pairs;

/// A row of the table of [forms](crate::Collective::forms) among nodes.
///
/// Its demands, in order: for each owner (for all owners together where values are combined), for each target (for all
/// targets together where they want the same). A node sends nothing to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    form: &'static Form,
    owners: Vec<NodeId>,
    targets: Vec<NodeId>,
    /// How many nodes stand first in both lists; 0 where a value is not sent from each owner to each target.
    shared: usize,
    /// Places with their counts, ascending, of the demands that are wanted at all; empty: every place, once.
    counts: Vec<(usize, u64)>,
    commutative: bool,
}

impl Named {
    /// Where each owner sends to each target, nodes that are both come to stand first in both lists, in one order: the
    /// place of a message then gives its ends without a search.
    pub(crate) fn new(form: &'static Form, owners: Vec<NodeId>, targets: Vec<NodeId>) -> Named {
        let commutative = form.commutes();
        if !form.is_pairwise() {
            return Named { form, owners, targets, shared: 0, counts: Vec::new(), commutative };
        }
        let (owners, targets) = pairs::align(owners, targets);
        let shared = pairs::shared(&owners, &targets);
        Named { form, owners, targets, shared, counts: Vec::new(), commutative }
    }

    pub(crate) fn commutative(mut self, any_order: bool) -> Named {
        self.commutative = any_order && self.form.commutes();
        self
    }

    /// The same with a count for every place; places of count 0 are left out.
    pub(crate) fn counted(mut self, form: &'static Form, counts: &[u64]) -> Named {
        self.form = form;
        self.counts = counts.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
        self
    }

    /// The row of the table.
    pub fn form(&self) -> &'static Form {
        self.form
    }

    /// The owners of values, in operand order.
    pub fn owners(&self) -> &[NodeId] {
        &self.owners
    }

    /// The nodes at which something is wanted; for a scan its participants.
    pub fn targets(&self) -> &[NodeId] {
        &self.targets
    }

    /// Whether operands may be combined in any order.
    pub fn is_commutative(&self) -> bool {
        self.commutative
    }

    /// The nodes of each role of the form, in its order.
    pub fn cast(&self) -> Vec<&[NodeId]> {
        let nodes = |owns| if owns { self.owners.as_slice() } else { self.targets.as_slice() };
        self.form.roles.iter().map(|role| nodes(role.owns)).collect()
    }

    /// Positive counts with their places in the list without counts, ascending; empty if every place counts once.
    pub fn counts(&self) -> &[(usize, u64)] {
        &self.counts
    }

    /// The counts of all places, 0 where there is no demand.
    pub(crate) fn every_count(&self) -> impl Iterator<Item = u64> + use<'_> {
        let mut positive = self.counts.iter().peekable();
        (0..self.places()).map(move |place| positive.next_if(|one| one.0 == place).map_or(0, |one| one.1))
    }

    /// How many demands there are where each counts once.
    pub(crate) fn places(&self) -> usize {
        let rows = if self.form.combines || self.form.wants == Wants::Prefix { 1 } else { self.owners.len() };
        let columns = if self.form.wants == Wants::Each { self.targets.len() } else { 1 };
        rows.saturating_mul(columns).saturating_sub(self.shared)
    }

    /// How many demands one instance has.
    pub fn demands(&self) -> usize {
        if self.counts.is_empty() { self.places() } else { self.counts.len() }
    }

    /// The demand at this place, from 0; `None` beyond the last.
    pub fn demand(&self, place: usize) -> Option<Demand<'_>> {
        let place = if self.counts.is_empty() { place } else { self.counts.get(place)?.0 };
        if place >= self.places() {
            return None;
        }
        let (owner, target) = match self.form.wants {
            Wants::Each if self.form.combines => (0, place),
            Wants::Each => pairs::pair(place, self.shared, self.targets.len())?,
            Wants::All | Wants::Prefix => (place, 0),
        };
        let operands = match self.form.combines {
            true => self.owners.as_slice(),
            false => std::slice::from_ref(self.owners.get(owner)?),
        };
        let goals = match (self.form.wants, self.targets.as_slice()) {
            (Wants::Each, targets) => Goals::At(*targets.get(target)?),
            // All values, combined, at a single node are a reduction.
            (Wants::All, &[only]) if self.form.combines => Goals::At(only),
            (Wants::All, targets) => Goals::Everywhere(targets),
            (Wants::Prefix, _) => Goals::Prefixes,
        };
        Some(Demand { operands, goals, commutative: self.commutative })
    }

    /// Instances of this demand per instance of the collective: 1, or its count.
    pub fn rate(&self, place: usize) -> u64 {
        self.counts.get(place).map_or(1, |(_, count)| *count)
    }

    /// The participants, if a message goes from each to each other, once.
    pub(crate) fn exchanged(&self) -> Option<&[NodeId]> {
        let everyone = self.shared == self.owners.len() && self.shared == self.targets.len();
        (self.form.is_pairwise() && everyone && self.counts.is_empty()).then_some(self.owners.as_slice())
    }
}
