//! A named collective among nodes: its demands follow from its [`Form`].

use oneport_platform::NodeId;

use crate::demand::{Demand, Goals};
use crate::form::{Form, Wants};
use crate::pairs;

/// A row of the table of [forms](crate::Collective::forms) among nodes.
///
/// Its demands, in order: for each owner (for all owners together if values are combined), for each target (for all
/// targets together if they receive the same values). A node sends nothing to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    form: &'static Form,
    owners: Vec<NodeId>,
    targets: Vec<NodeId>,
    /// How many nodes come first in both lists. 0 if a value is not sent from each owner to each target.
    shared: usize,
    /// Positive counts with the indices of their demands in the list without counts, ascending. Empty if every demand
    /// counts once.
    counts: Vec<(usize, u64)>,
    commutative: bool,
}

impl Named {
    /// If each owner sends to each target, the nodes that are both come first in both lists, in one order. The index
    /// of a message then gives its ends without a search.
    pub(crate) fn new(form: &'static Form, owners: Vec<NodeId>, targets: Vec<NodeId>) -> Named {
        let commutative = form.commutes();
        if !form.is_pairwise() {
            return Named {
                form,
                owners,
                targets,
                shared: 0,
                counts: Vec::new(),
                commutative,
            };
        }
        let (owners, targets) = pairs::align(owners, targets);
        let shared = pairs::shared(&owners, &targets);
        Named {
            form,
            owners,
            targets,
            shared,
            counts: Vec::new(),
            commutative,
        }
    }

    pub(crate) fn commutative(mut self, any_order: bool) -> Named {
        self.commutative = self.form.commutes() && (any_order || !self.form.may_keep_order());
        self
    }

    /// This list with a count for every demand. Demands of count 0 are left out.
    pub(crate) fn counted(mut self, form: &'static Form, counts: &[u64]) -> Named {
        self.form = form;
        self.counts = counts
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, count)| *count > 0)
            .collect();
        self
    }

    /// Every count divided by a common divisor. If all counts are then 1, the form without counts.
    pub(crate) fn with_counts_over(mut self, divisor: u64) -> Named {
        for one in self.counts.iter_mut() {
            one.1 /= divisor;
        }
        let once = self.counts.iter().all(|one| one.1 == 1);
        if once
            && let Some(form) = self
                .form
                .uncounted_form()
                .filter(|_| self.counts.len() == self.uncounted())
        {
            self.form = form;
            self.counts.clear();
        }
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

    /// The nodes that receive a value. For a scan, its participants.
    pub fn targets(&self) -> &[NodeId] {
        &self.targets
    }

    /// Whether operands may be combined in any order: always for a barrier, never for prefixes.
    pub fn is_commutative(&self) -> bool {
        self.commutative
    }

    /// The nodes of each role of the form, in its order.
    pub fn cast(&self) -> Vec<&[NodeId]> {
        let nodes = |owns| {
            if owns {
                self.owners.as_slice()
            } else {
                self.targets.as_slice()
            }
        };
        self.form
            .roles
            .iter()
            .map(|role| nodes(role.owns))
            .collect()
    }

    /// Positive counts with the indices of their demands in the list without counts, ascending. Empty if every demand
    /// counts once.
    pub fn counts(&self) -> &[(usize, u64)] {
        &self.counts
    }

    /// The count of every demand of the list without counts, 0 if it is left out.
    pub fn every_count(&self) -> impl Iterator<Item = u64> + use<'_> {
        let mut positive = self.counts.iter().peekable();
        (0..self.uncounted()).map(move |index| {
            positive
                .next_if(|one| one.0 == index)
                .map_or(0, |one| one.1)
        })
    }

    /// The number of demands of the list without counts.
    pub(crate) fn uncounted(&self) -> usize {
        let rows = if self.form.combines || self.form.wants == Wants::Prefix {
            1
        } else {
            self.owners.len()
        };
        let columns = if self.form.wants == Wants::Each {
            self.targets.len()
        } else {
            1
        };
        rows.saturating_mul(columns).saturating_sub(self.shared)
    }

    /// How many demands one instance has.
    pub fn demands(&self) -> usize {
        if self.counts.is_empty() {
            self.uncounted()
        } else {
            self.counts.len()
        }
    }

    /// The demand at this index, from 0. `None` beyond the last.
    pub fn demand(&self, index: usize) -> Option<Demand<'_>> {
        let index = if self.counts.is_empty() {
            index
        } else {
            self.counts.get(index)?.0
        };
        if index >= self.uncounted() {
            return None;
        }
        let (owner, target) = match self.form.wants {
            Wants::Each if self.form.combines => (0, index),
            Wants::Each => pairs::pair(index, self.shared, self.targets.len())?,
            Wants::All | Wants::Prefix => (index, 0),
        };
        let operands = if self.form.combines {
            self.owners.as_slice()
        } else {
            std::slice::from_ref(self.owners.get(owner)?)
        };
        let goals = match (self.form.wants, self.targets.as_slice()) {
            (Wants::Each, targets) => Goals::At(*targets.get(target)?),
            // All values, combined, at a single node are a reduction.
            (Wants::All, &[only]) if self.form.combines => Goals::At(only),
            (Wants::All, targets) => Goals::Everywhere(targets),
            (Wants::Prefix, _) => Goals::Prefixes,
        };
        Some(Demand {
            operands,
            goals,
            commutative: self.commutative,
        })
    }

    /// Instances of this demand per instance of the collective: 1, or its count.
    pub fn rate(&self, index: usize) -> u64 {
        self.counts.get(index).map_or(1, |(_, count)| *count)
    }

    /// The participants, if a message goes from each to each other, once.
    pub(crate) fn exchanged(&self) -> Option<&[NodeId]> {
        let everyone = self.shared == self.owners.len() && self.shared == self.targets.len();
        (self.form.is_pairwise() && everyone && self.counts.is_empty())
            .then_some(self.owners.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collective, CollectiveError};

    /// The definitions, in the words of MPI's standard: for each demand its owners and its targets, `None` for
    /// prefixes.
    fn defined(name: &str, cast: &[Vec<NodeId>]) -> Vec<(Vec<NodeId>, Option<Vec<NodeId>>)> {
        let first = &cast[0];
        let second = cast.last().unwrap();
        let each = |nodes: &[NodeId], demand: &dyn Fn(NodeId) -> (Vec<NodeId>, Vec<NodeId>)| {
            let wanted_by = |(owners, wanted)| (owners, Some(wanted));
            nodes
                .iter()
                .map(|&node| wanted_by(demand(node)))
                .collect::<Vec<_>>()
        };
        let pairs = |sources: &[NodeId], targets: &[NodeId]| {
            let messages_from = |&source: &NodeId| {
                let other = targets
                    .iter()
                    .copied()
                    .filter(move |&target| target != source);
                other.map(move |target| (vec![source], Some(vec![target])))
            };
            sources.iter().flat_map(messages_from).collect::<Vec<_>>()
        };
        match name.trim_end_matches("-v") {
            "scatter" => each(second, &|target| (first.clone(), vec![target])),
            "gather" => each(second, &|source| (vec![source], first.clone())),
            "all-to-all" => pairs(first, first),
            "sources-to-targets" => pairs(first, second),
            "reduce" => vec![(second.clone(), Some(first.clone()))],
            "reduce-scatter" => each(first, &|target| (first.clone(), vec![target])),
            "broadcast" => vec![(first.clone(), Some(second.clone()))],
            "all-gather" => each(first, &|source| (vec![source], first.clone())),
            "all-reduce" | "barrier" => vec![(first.clone(), Some(first.clone()))],
            "reduce-to-several" => vec![(second.clone(), Some(first.clone()))],
            "scan" => vec![(first.clone(), None)],
            other => panic!("{other} has no definition here"),
        }
    }

    fn demands(collective: &Collective) -> Vec<(Vec<NodeId>, Option<Vec<NodeId>>)> {
        let wanted = |demand: &Demand<'_>| {
            (demand.goals != Goals::Prefixes).then(|| demand.targets().to_vec())
        };
        let listed = |index| {
            collective
                .demand(index)
                .map(|demand| (demand.operands.to_vec(), wanted(&demand)))
        };
        assert_eq!(listed(collective.demands()), None);
        (0..collective.demands())
            .map(|index| listed(index).unwrap())
            .collect()
    }

    /// Every form, without and with counts, among up to five nodes.
    #[test]
    fn the_table_says_what_the_definitions_say() {
        for form in Collective::forms() {
            for size in 2..6 {
                let list: Vec<NodeId> = [3, 0, 4, 1, 2]
                    .into_iter()
                    .take(size)
                    .map(NodeId::new)
                    .collect();
                let role = |many: bool| {
                    if many {
                        list.clone()
                    } else {
                        vec![NodeId::new(9)]
                    }
                };
                let cast: Vec<Vec<NodeId>> = form
                    .roles
                    .iter()
                    .map(|role_of| role(role_of.many))
                    .collect();
                let plain = form.build(&cast, true).unwrap();
                let right = defined(form.name, &cast);
                if !form.counted {
                    assert_eq!(demands(&plain), right, "{} {size}", form.name);
                    assert!((0..right.len()).all(|index| plain.rate(index) == 1));
                    continue;
                }
                let counts: Vec<u64> = (0..right.len() as u64).map(|index| index * 7 % 3).collect();
                let counted = plain.clone().with_counts(&counts).unwrap();
                let kept = right
                    .into_iter()
                    .zip(counts.iter().copied())
                    .filter(|(_, count)| *count > 0);
                let (right, rates): (Vec<_>, Vec<u64>) = kept.unzip();
                assert_eq!(demands(&counted), right, "{} {size}", form.name);
                assert_eq!(
                    (0..right.len())
                        .map(|index| counted.rate(index))
                        .collect::<Vec<_>>(),
                    rates
                );
                assert_eq!(counted.counts().unwrap().collect::<Vec<_>>(), counts);
                let blocks = counted.blocks();
                let of_blocks = blocks
                    .iter()
                    .flat_map(|block| vec![block.rate; block.count]);
                assert_eq!(of_blocks.collect::<Vec<_>>(), rates, "{} {size}", form.name);
                let even = plain.clone().with_counts(&vec![6; counts.len()]).unwrap();
                assert_eq!(
                    (even.common_rate(), even.with_rates_over(6)),
                    (
                        6,
                        form.uncounted_form().unwrap().build(&cast, true).unwrap()
                    )
                );
                let times: Vec<u64> = counts.iter().map(|count| 6 * count).collect();
                let larger = plain.clone().with_counts(&times).unwrap();
                assert_eq!(larger.common_rate(), 6 * counted.common_rate());
                assert_eq!(
                    larger.with_rates_over(6),
                    counted.clone().with_rates_over(1)
                );
                let wanted = counts.len();
                let short = plain.clone().with_counts(&counts[1..]);
                assert_eq!(
                    short,
                    Err(CollectiveError::Counts {
                        collective: form.name,
                        count: wanted - 1,
                        wanted
                    })
                );
                let none = plain.clone().with_counts(&vec![0; wanted]);
                assert_eq!(
                    none,
                    Err(CollectiveError::NoCount {
                        collective: form.name
                    })
                );
            }
        }
    }

    /// Messages that move have no operator, prefixes always have an order, a barrier's tokens never. `commutative` does
    /// not change that.
    #[test]
    fn order_is_asked_for_only_where_there_is_a_choice() {
        let nodes = [1, 0, 2].map(NodeId::new);
        for form in Collective::forms() {
            let cast: Vec<Vec<NodeId>> = form
                .roles
                .iter()
                .map(|role| nodes[..if role.many { 3 } else { 1 }].to_vec())
                .collect();
            for said in [false, true] {
                let right = match form.name.trim_end_matches("-v") {
                    "barrier" => true,
                    "reduce" | "reduce-scatter" | "all-reduce" | "reduce-to-several" => said,
                    _ => false,
                };
                let built = form.build(&cast, said).unwrap();
                let commutes = |collective: &Collective| {
                    let demand = collective
                        .demand(0)
                        .is_some_and(|demand| demand.commutative);
                    let named = collective.named().is_some_and(Named::is_commutative);
                    assert_eq!(demand, named, "{}", form.name);
                    named
                };
                assert_eq!(commutes(&built), right, "{} {said}", form.name);
                let other = form.build(&cast, !said).unwrap().commutative(said);
                assert_eq!(commutes(&other), right, "{} {said}", form.name);
            }
            let too_many = [&cast[..], &[nodes.to_vec()]].concat();
            assert_eq!(form.build(&too_many, true), None, "{}", form.name);
        }
    }

    #[test]
    fn a_form_without_counts_takes_none() {
        let list: Vec<NodeId> = (0..3).map(NodeId::new).collect();
        let refused = Collective::all_reduce(list.clone()).with_counts(&[1]);
        assert_eq!(
            refused,
            Err(CollectiveError::Uncounted {
                collective: "all-reduce"
            })
        );
        let several = Collective::scatter(NodeId::new(5), list)
            .with_counts(&[0, 2, 1])
            .unwrap();
        assert_eq!(several.name(), "scatter-v");
        assert_eq!(several.demands(), 2);
    }
}
