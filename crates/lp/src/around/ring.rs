//! Chains around a ring: of messages, and of operands that commute.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Around, Block, Demand, Goals, Interval, Pattern};
use oneport_platform::{LinkId, NodeId, Rational};

use super::link_costs;
use crate::oracles::route::ShortestPaths;
use crate::{LpError, Question};

/// Participants in the order of a ring.
pub(super) struct Ring {
    order: Vec<NodeId>,
    places: BTreeMap<NodeId, usize>,
    /// From each to the next one; `None` where no way leads.
    ways: Vec<Option<Vec<LinkId>>>,
}

impl Ring {
    pub(super) fn new(question: &Question<'_>, order: Vec<NodeId>) -> Result<Ring, LpError> {
        let costs = link_costs(question);
        let way = |place: usize| {
            question.watch().ask()?;
            let paths = ShortestPaths::new(question.platform(), &costs, order[place], |_| true);
            Ok(paths.to(order[(place + 1) % order.len()]).map(|(_, links)| links))
        };
        let ways = (0..order.len()).map(way).collect::<Result<_, LpError>>()?;
        Ok(Ring { places: order.iter().copied().zip(0..).collect(), ways, order })
    }

    /// The ring in short; `None` where it has a gap.
    pub(super) fn around(self) -> Option<Around> {
        let ways = self.ways.into_iter().collect::<Option<_>>()?;
        Some(Around { order: self.order, ways })
    }

    /// A chain for every demand, or one towards every participant, and how often; `None` where one meets a gap.
    pub(super) fn patterns(&self, block: &Block<'_>) -> Option<Vec<(Pattern, Rational)>> {
        let rate = Rational::from_integer(block.rate.into());
        let mut patterns = Vec::new();
        for (demand, number) in block.demands().zip(block.first..) {
            match demand.goals {
                Goals::At(target) => patterns.push((self.chain(number, &demand, target)?, rate.clone())),
                _ if demand.operands.len() == 1 => {
                    patterns.push((self.chain(number, &demand, demand.operands[0])?, rate.clone()));
                }
                _ => {
                    let share = &rate / Rational::from_integer(demand.operands.len().into());
                    for &root in demand.operands {
                        patterns.push((self.chain(number, &demand, root)?, share.clone()));
                    }
                }
            }
        }
        Some(patterns)
    }

    /// Operands are combined around the ring until a root has all; from there the result goes on to all who want it.
    fn chain(&self, number: usize, demand: &Demand<'_>, root: NodeId) -> Option<Pattern> {
        let owners: BTreeMap<NodeId, usize> = demand.operands.iter().copied().zip(0..).collect();
        let mut wanting: BTreeSet<NodeId> = demand.goals().into_iter().map(|(node, _)| node).collect();
        wanting.remove(&root);
        let start = *self.places.get(&root)?;
        let mut pattern = Pattern::new(number);
        let mut operands: Vec<usize> = Vec::with_capacity(owners.len());
        let mut last = None;
        // Once around from behind the root to the root, and on until nobody is left.
        let count = self.order.len();
        let first = if owners.len() == 1 && owners.contains_key(&root) { count } else { 1 };
        for step in first..=2 * count {
            let node = self.order[(start + step) % count];
            if step <= count
                && let Some(&operand) = owners.get(&node)
            {
                operands.push(operand);
                if let Some(before) = operands.len().checked_sub(2) {
                    let part = Interval { first: 0, last: before + 1 };
                    last = pattern.merge(node, part, before, [last, None]);
                }
            } else if step > count {
                wanting.remove(&node);
            }
            if step >= count && wanting.is_empty() {
                break;
            }
            if let Some(latest) = operands.len().checked_sub(1) {
                for &link in self.ways[(start + step) % count].as_ref()? {
                    last = pattern.send(link, Interval { first: 0, last: latest }, last);
                }
            }
        }
        let is_sorted = operands.is_sorted();
        Some(Pattern { order: (!is_sorted).then_some(operands), ..pattern })
    }
}
