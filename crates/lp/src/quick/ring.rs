//! Chains around a ring: of messages, and of operands that commute.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::Signed;
use oneport_plan::{Around, Block, Demand, Goals, Interval, Kind, Pattern, Task};
use oneport_platform::{LinkId, NodeId, Rational, ratio, whole};
use oneport_watch::Watch;

use super::ways::{Shares, Ways};
use crate::resources::Resources;
use crate::{LpError, Question};

/// Participants in the order of a ring.
pub(super) struct Ring {
    order: Vec<NodeId>,
    positions: BTreeMap<NodeId, usize>,
    /// The path from each participant to the next one. `None` if no path leads there.
    ways: Vec<Option<Vec<LinkId>>>,
}

impl Ring {
    pub(super) fn new(ways: &mut Ways<'_>, order: Vec<NodeId>) -> Result<Ring, LpError> {
        let way = |position: usize| ways.way(order[position], order[(position + 1) % order.len()]);
        let ways = (0..order.len()).map(way).collect::<Result<_, LpError>>()?;
        Ok(Ring {
            positions: order.iter().copied().zip(0..).collect(),
            ways,
            order,
        })
    }

    /// The ring in compact form. `None` if it has a gap.
    pub(super) fn around(self) -> Option<Around> {
        let ways = self.ways.into_iter().collect::<Option<_>>()?;
        Some(Around {
            order: self.order,
            ways,
        })
    }

    /// Upper bound on the tasks of a chain: once around, or twice for a combined result that all receive.
    fn length(&self, block: &Block<'_>) -> u64 {
        let links: usize = self.ways.iter().flatten().map(Vec::len).sum();
        let merges = if block.kind.combines() {
            self.order.len()
        } else {
            0
        };
        (if block.kind == Kind::CombineCopy {
            2 * links + merges
        } else {
            links + merges
        }) as u64
    }

    /// How many tasks all patterns have together, if as few chains share a demand as can be.
    pub(super) fn tasks(&self, block: &Block<'_>) -> u64 {
        self.length(block).saturating_mul(block.count as u64)
    }

    /// Roots at which the chains end, for a demand whose result all receive. Every other participant suffices. Each
    /// step of the ring is left out once, by the combining or by the copying, as with all participants, so only merges
    /// and sizes by operand may make a difference. If there is no room for that many, a single root is used. With
    /// several roots some step would never be left out, too, so more roots would not be faster. With `n` participants,
    /// a single root loses one part in `n`.
    pub(super) fn roots(&self, block: &Block<'_>, room: u64, all: bool) -> Vec<NodeId> {
        let owners: BTreeSet<NodeId> = block.operands().iter().copied().collect();
        let possible: Vec<NodeId> = self
            .order
            .iter()
            .copied()
            .filter(|node| owners.contains(node))
            .collect();
        let count = possible.len();
        let wanted = if all || count % 2 == 1 || count < self.order.len() {
            count
        } else {
            count / 2
        };
        let most = usize::try_from(room / self.length(block).max(1)).unwrap_or(usize::MAX);
        let taken = if wanted <= most { wanted.max(1) } else { 1 };
        (0..taken)
            .map(|position| possible[position * count / taken])
            .collect()
    }

    /// How often per unit of time the links and ports let everything be combined and spread around the ring, if chains
    /// end at every participant equally often.
    pub(super) fn rate(
        &self,
        question: &Question,
        resources: &Resources,
        block: &Block<'_>,
    ) -> Option<Rational> {
        let part = Interval {
            first: 0,
            last: block.operands().len().saturating_sub(1),
        };
        let steps = self
            .ways
            .iter()
            .flatten()
            .flatten()
            .map(|&link| Task::send(link, part));
        let once = Pattern {
            demand: 0,
            order: None,
            tasks: steps.collect(),
        };
        let busy = resources
            .loads(question, &once)
            .into_iter()
            .map(|(position, load)| load / resources.capacity(position));
        let busy = busy.max().filter(Signed::is_positive)?;
        let count = BigInt::from(self.order.len());
        Some(ratio(count.clone(), BigInt::from(2) * (count - 1)) / busy)
    }

    /// One chain per demand, or per root, and how often an instance executes it. `None` if one meets a gap.
    ///
    /// # Errors
    /// [`LpError::Stopped`] by the watch.
    pub(super) fn patterns(
        &self,
        block: &Block<'_>,
        roots: &[NodeId],
        watch: &Watch,
    ) -> Result<Shares, LpError> {
        let rate = whole(block.rate);
        let mut patterns = Vec::new();
        let share = &rate / whole(roots.len().max(1));
        for (demand, number) in block.demands().zip(block.first..) {
            let (ends, often) = match demand.goals {
                Goals::At(target) => (vec![target], &rate),
                _ if demand.operands.len() == 1 => (demand.operands.to_vec(), &rate),
                _ => (roots.to_vec(), &share),
            };
            for root in ends {
                watch.ask()?;
                let Some(chain) = self.chain(number, &demand, root) else {
                    return Ok(None);
                };
                patterns.push((chain, often.clone()));
            }
        }
        Ok(Some(patterns))
    }

    /// Operands are combined around the ring up to a root. From there the result goes to all nodes that receive it.
    fn chain(&self, number: usize, demand: &Demand<'_>, root: NodeId) -> Option<Pattern> {
        let owners: BTreeMap<NodeId, usize> = demand.operands.iter().copied().zip(0..).collect();
        let mut wanting: BTreeSet<NodeId> =
            demand.goals().into_iter().map(|(node, _)| node).collect();
        wanting.remove(&root);
        let start = *self.positions.get(&root)?;
        let mut pattern = Pattern::new(number);
        let mut operands: Vec<usize> = Vec::with_capacity(owners.len());
        let mut last = None;
        // Once around from behind the root to the root, and on until all receivers have the result.
        let count = self.order.len();
        let first = if owners.len() == 1 && owners.contains_key(&root) {
            count
        } else {
            1
        };
        for step in first..=2 * count {
            let node = self.order[(start + step) % count];
            if step <= count
                && let Some(&operand) = owners.get(&node)
            {
                operands.push(operand);
                if let Some(before) = operands.len().checked_sub(2) {
                    let part = Interval {
                        first: 0,
                        last: before + 1,
                    };
                    last = pattern.merge(node, part, before, [last, None]);
                }
            } else if step > count {
                wanting.remove(&node);
            }
            if step >= count && wanting.is_empty() {
                break;
            }
            if let Some(latest) = operands.len().checked_sub(1) {
                let way = self.ways[(start + step) % count].as_ref()?;
                last = pattern.route(
                    way.iter().copied(),
                    Interval {
                        first: 0,
                        last: latest,
                    },
                    last,
                );
            }
        }
        pattern.tasks.shrink_to_fit();
        let is_sorted = operands.is_sorted();
        Some(Pattern {
            order: (!is_sorted).then_some(operands),
            ..pattern
        })
    }
}
