//! The prices of transfers and merges as integers over one denominator.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Amount, MergeTask};
use oneport_platform::{NodeId, PerLink, PerNode, Rational};

use super::parts::{Class, Parts};
use crate::Violation;
use crate::arithmetic::Scale;
use crate::case::Case;
use crate::prices::{Prices, common_denominator, over};
use crate::shortest_paths::ShortestPaths;
use crate::violation::too_large;

/// Limit: bits of all distances together, half a gigabyte.
const MAX_DISTANCE_BITS: u64 = 1 << 32;
/// Fact: bits of a big integer besides its digits.
const OVERHEAD_BITS: u64 = 256;

/// The exact price of everything, as integers over one denominator.
pub(super) struct Priced {
    pub processors: Vec<NodeId>,
    /// Per node id: the index, in `processors`, of its representative.
    pub indices: PerNode<usize>,
    /// Per operand: the index of its owner in `processors`.
    pub owners: Vec<usize>,
    /// Per class of parts: sizes times a factor. Amounts of work times another factor.
    pub sizes: Vec<BigUint>,
    pub works: Vec<BigUint>,
    pub size_class: Class,
    pub work_class: Class,
    /// If work is by task: the class of each merge that can be done, by number of the result, split and index of the
    /// processor.
    pub tasks: Option<BTreeMap<(usize, usize, usize), usize>>,
    /// Per entry of `processors`: whether it merges. Empty if all do.
    pub merging: Vec<bool>,
    /// Per link: price of a unit of size. `size x length` is a price times `denominator`.
    pub lengths: PerLink<BigUint>,
    /// Per processor: price of a unit of work. `work x merge` is a price times `denominator`.
    pub merges: Vec<BigUint>,
    pub denominator: BigUint,
}

impl Priced {
    /// `stands_for[node]` is the processor that represents the node.
    pub(super) fn new(
        case: &Case<'_>,
        prices: &Prices,
        processors: Vec<NodeId>,
        stands_for: &PerNode<NodeId>,
        parts: &Parts,
    ) -> Result<Priced, Violation> {
        let mut indices = case.platform.per_node(0);
        for node in case.platform.mergers().chain(case.bystanders()) {
            indices[node] = processors
                .binary_search(&stands_for[node])
                .unwrap_or_default();
        }
        let (sizes, size_scale, size_class) =
            amounts("the sizes", &case.volumes.size, parts, true)?;
        let ((works, work_scale, work_class), tasks) = match &case.volumes.work {
            Amount::Tasks(_) => {
                let (works, scale, tasks) = works_by_task(case, &processors, parts)?;
                ((works, scale, Class::Nothing), Some(tasks))
            }
            work => (amounts("the amounts of work", work, parts, false)?, None),
        };
        let links = prices.lengths(case);
        let entries = links.len() + processors.len();
        let too_large = |what| move |(bits, limit)| too_large(what, bits, limit);
        let link_denominator = common_denominator(links.iter(), entries)
            .map_err(too_large("the priced costs of the links"))?;
        let merges: Vec<(BigUint, BigUint)> = prices.merges(case).into_iter().flatten().collect();
        let merge_denominator = common_denominator(merges.iter(), entries)
            .map_err(too_large("the priced compute costs"))?;
        // Transfers are over the first product, merges over the second: bring both over the same.
        let sides = [
            (
                BigUint::from(1u32),
                &link_denominator * size_scale.denominator(),
            ),
            (
                BigUint::from(1u32),
                &merge_denominator * work_scale.denominator(),
            ),
        ];
        let denominator = common_denominator(sides.iter(), entries)
            .map_err(too_large("priced transfers and merges"))?;
        let (link_factor, merge_factor) = (&denominator / &sides[0].1, &denominator / &sides[1].1);
        let merges_at = |node: &NodeId| case.platform.node(*node).merges();
        let merging: Vec<bool> = processors.iter().map(merges_at).collect();
        Ok(Priced {
            merging: if merging.contains(&false) {
                merging
            } else {
                Vec::new()
            },
            owners: case
                .operands()
                .iter()
                .map(|owner| indices[*owner])
                .collect(),
            lengths: links
                .into_iter()
                .map(|length| over(length, &link_denominator) * &link_factor)
                .collect(),
            merges: least_by(
                processors.len(),
                case.platform.mergers().map(|node| indices[node]),
                merges
                    .into_iter()
                    .map(|merge| over(merge, &merge_denominator) * &merge_factor),
            ),
            processors,
            indices,
            sizes,
            works,
            size_class,
            work_class,
            tasks,
            denominator,
        })
    }

    pub(super) fn index(&self, node: NodeId) -> usize {
        self.indices[node]
    }

    /// Shortest distances among the processors, from `i` to `j` at `i x processors + j`. `None`: unreachable.
    pub(super) fn distances(
        &self,
        case: &Case<'_>,
        lengths: &PerLink<BigUint>,
    ) -> Result<Vec<Option<BigUint>>, Violation> {
        let count = self.processors.len();
        let longest = lengths.iter().map(BigUint::bits).max().unwrap_or(0);
        let limit = MAX_DISTANCE_BITS / (count * count).to_u64().unwrap_or(u64::MAX).max(1);
        if longest + OVERHEAD_BITS > limit {
            let bits = longest + OVERHEAD_BITS;
            return Err(too_large("the distances between processors", bits, limit));
        }
        let mut wanted = case.platform.per_node(false);
        for processor in self.processors.iter() {
            wanted[*processor] = true;
        }
        let mut paths = ShortestPaths::new(case.platform, lengths, false);
        let mut distances = Vec::with_capacity(count * count);
        for &root in &self.processors {
            paths.run(root, &wanted, count);
            distances.extend(
                self.processors
                    .iter()
                    .map(|&end| paths.distance(end).cloned()),
            );
        }
        Ok(distances)
    }

    /// Whether a merge depends on the split or cannot be done at some entries of `processors`.
    pub(super) fn is_by_task(&self) -> bool {
        self.tasks.is_some() || !self.merging.is_empty()
    }

    /// The class of work of a merge at this entry of `processors`. `None` if it cannot be done there.
    pub(super) fn work_of(
        &self,
        parts: &Parts,
        part: usize,
        split: usize,
        index: usize,
    ) -> Option<usize> {
        if self.merging.get(index) == Some(&false) {
            return None;
        }
        match &self.tasks {
            Some(tasks) => tasks.get(&(part, split, index)).copied(),
            None => Some(self.work_class.of(parts, part)),
        }
    }

    pub(super) fn size(&self, parts: &Parts, part: usize) -> &BigUint {
        &self.sizes[self.size_class.of(parts, part)]
    }

    pub(super) fn work(&self, parts: &Parts, part: usize) -> &BigUint {
        &self.works[self.work_class.of(parts, part)]
    }
}

/// Per index: the least of its numbers.
fn least_by(
    count: usize,
    indices: impl Iterator<Item = usize>,
    numbers: impl Iterator<Item = BigUint>,
) -> Vec<BigUint> {
    let mut least: Vec<Option<BigUint>> = vec![None; count];
    for (index, number) in indices.zip(numbers) {
        improve(&mut least[index], number);
    }
    least.into_iter().map(or_zero).collect()
}

/// The amounts of all parts over one denominator, by class. `singles` says whether single operands have one.
fn amounts(
    what: &'static str,
    amount: &Amount,
    parts: &Parts,
    singles: bool,
) -> Result<(Vec<BigUint>, Scale, Class), Violation> {
    let class = match amount {
        Amount::Constant(_) => Class::Nothing,
        Amount::Affine { .. } => Class::Operands,
        Amount::Table(_) => Class::Part,
        // See `works_by_task`.
        Amount::Tasks(_) => Class::Nothing,
    };
    let values: Vec<Rational> = parts
        .representatives(class)
        .map(|part| {
            amount
                .of(part)
                .filter(|_| singles || part.first < part.last)
                .unwrap_or_default()
        })
        .collect();
    let scale = Scale::new(what, values.iter(), values.len())?;
    let scaled = values.iter().map(|value| scale.scaled(value)).collect();
    Ok((scaled, scale, class))
}

/// Work of every possible merge, and the index of each merge in the list.
#[expect(clippy::type_complexity, reason = "used once")]
fn works_by_task(
    case: &Case<'_>,
    processors: &[NodeId],
    parts: &Parts,
) -> Result<(Vec<BigUint>, Scale, BTreeMap<(usize, usize, usize), usize>), Violation> {
    let (mut values, mut indices) = (Vec::new(), BTreeMap::new());
    for task in MergeTask::all(case.operands().len()) {
        for (index, &processor) in processors.iter().enumerate() {
            if let Some(work) = case.volumes.work.of_merge(processor, task.part, task.split) {
                indices.insert(
                    (parts.of_interval(task.part), task.split, index),
                    values.len(),
                );
                values.push(work);
            }
        }
    }
    let scale = Scale::new("the amounts of work", values.iter(), values.len())?;
    Ok((
        values.iter().map(|value| scale.scaled(value)).collect(),
        scale,
        indices,
    ))
}

/// The smaller of a price, if any, and a candidate.
pub(super) fn improve(best: &mut Option<BigUint>, candidate: BigUint) {
    if best.as_ref().is_none_or(|best| candidate < *best) {
        *best = Some(candidate);
    }
}

/// A price, or 0 if it is missing: only states that no caller reads lack one.
pub(super) fn or_zero(price: Option<BigUint>) -> BigUint {
    price.unwrap_or_else(BigUint::zero)
}
