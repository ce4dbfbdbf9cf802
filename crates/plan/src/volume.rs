//! How much data messages hold and how much work merges take.

use std::sync::Arc;

use num_traits::{One, Signed};
use oneport_platform::{NodeId, Platform, Rational, whole};

use crate::{Block, Collective, Interval, Kind, MergeTask, Message, TaskTable};

/// An amount for every partial result `v[k,m]` of a reduction. Messages of other collectives have constant sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    /// One amount for all.
    Constant(Rational),
    /// `fixed + per_operand x (m - k + 1)`.
    Affine {
        /// The amount that every partial result has.
        fixed: Rational,
        /// The amount added per combined operand.
        per_operand: Rational,
    },
    /// Per interval: entry `j` of row `k` belongs to `[k, k + j]`. The row of operand `k` of `n` has `n - k` entries.
    Table(Vec<Vec<Rational>>),
    /// For each task and processor: the work of merges only, of one reduction whose operands keep their order.
    Tasks(TaskTable),
}

impl From<Rational> for Amount {
    fn from(amount: Rational) -> Amount {
        Amount::Constant(amount)
    }
}

impl Amount {
    /// The amount of a partial result. `None` outside the table, and of an amount by task: use
    /// [`of_merge`](Self::of_merge) for that.
    pub fn of(&self, part: Interval) -> Option<Rational> {
        match self {
            Amount::Constant(amount) => Some(amount.clone()),
            Amount::Affine { fixed, per_operand } => {
                Some(fixed + per_operand * whole(part.operands()))
            }
            Amount::Table(rows) => rows
                .get(part.first)?
                .get(part.last.checked_sub(part.first)?)
                .cloned(),
            Amount::Tasks(_) => None,
        }
    }

    /// The work of the merge of `v[k,l]` and `v[l+1,m]` at a node. `None` if the node cannot do it, and outside the
    /// table.
    pub fn of_merge(&self, node: NodeId, part: Interval, split: usize) -> Option<Rational> {
        match self {
            Amount::Tasks(table) => table.of(node, MergeTask::new(part, split)).cloned(),
            amount => amount.of(part),
        }
    }

    /// Every amount times a factor.
    pub fn times(&self, factor: &Rational) -> Amount {
        let times = |row: &Vec<Rational>| row.iter().map(|value| value * factor).collect();
        match self {
            Amount::Constant(amount) => Amount::Constant(amount * factor),
            Amount::Affine { fixed, per_operand } => Amount::Affine {
                fixed: fixed * factor,
                per_operand: per_operand * factor,
            },
            Amount::Table(rows) => Amount::Table(rows.iter().map(times).collect()),
            Amount::Tasks(table) => Amount::Tasks(table.times(factor)),
        }
    }

    /// The numbers that it is made of.
    fn numbers(&self) -> Vec<&Rational> {
        match self {
            Amount::Constant(constant) => vec![constant],
            Amount::Affine { fixed, per_operand } => vec![fixed, per_operand],
            Amount::Table(rows) => rows.iter().flatten().collect(),
            Amount::Tasks(table) => table.numbers().collect(),
        }
    }

    /// The amount, if it is the same for all.
    pub fn constant(&self) -> Option<&Rational> {
        match self {
            Amount::Constant(amount) => Some(amount),
            Amount::Affine { .. } | Amount::Table(_) | Amount::Tasks(_) => None,
        }
    }
}

/// Sizes of messages and work of merges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volumes {
    /// `size(v[k,m])`, in the unit of the platform's costs. Positive.
    pub size: Amount,
    /// Work of a merge that makes `v[k,m]`: node `i` takes `work x compute_i` for it. Not negative. As a [table of
    /// tasks](Amount::Tasks) it is `w(P_i, T[k,l,m])` of RR-4872 in full. The other amounts depend on the result alone.
    pub work: Amount,
}

/// Why volumes do not fit a collective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeError {
    /// A size or an amount of work over zero or less.
    #[error("the {what} {}/{} is no number; give it a positive denominator", .found.numer(), .found.denom())]
    NoNumber {
        /// "size" or "work".
        what: &'static str,
        /// The value.
        found: Box<Rational>,
    },
    /// A size that is not positive.
    #[error("size {found}{subject}; a message needs a positive size")]
    BadSize {
        /// " of" and the partial result or task. Empty if all are alike.
        subject: String,
        /// The size.
        found: Box<Rational>,
    },
    /// A negative amount of work.
    #[error("work {found}{subject}; give 0 or more")]
    BadWork {
        /// " of" and the partial result or task. Empty if all are alike.
        subject: String,
        /// The work.
        found: Box<Rational>,
    },
    /// Messages that are not partial results have one size.
    #[error(
        "{collective}: the size depends on the operands combined, but nothing is combined; give one number"
    )]
    NotConstant {
        /// The collective's name.
        collective: &'static str,
    },
    /// A commutative operator combines operands in any order, so a partial result is more than an interval.
    #[error(
        "{collective}: a {what} table by interval, but a commutative operator combines operands in any order; \
             give a constant, or an amount that depends on the number of operands"
    )]
    TableOfCommutative {
        /// The collective's name.
        collective: &'static str,
        /// "size" or "work".
        what: &'static str,
    },
    /// A size depends on the interval alone.
    #[error(
        "a size by task; a partial result has the same size at each node: give an amount by interval"
    )]
    SizeByTask,
    /// Work by task belongs to one reduction.
    #[error(
        "{collective}: work by task, but that is of one reduction whose operands keep their order (reduce); \
             give work by interval"
    )]
    TasksElsewhere {
        /// The collective's name.
        collective: &'static str,
    },
    /// An entry of a task that the reduction does not have.
    #[error("work of {task}: {operands} operands have the tasks T[k,l,m] with 0 <= k <= l < m <= {}", operands - 1)]
    NoTask {
        /// The task.
        task: MergeTask,
        /// How many operands there are.
        operands: usize,
    },
    /// A task without any entry.
    #[error("no entry gives the work of {task}; give one, or null where no processor can do it")]
    TaskMissing {
        /// The task.
        task: MergeTask,
    },
    /// An entry of a node that merges nothing.
    #[error("work of {task} at '{node}', which is {}; only processors merge",
            if *exists { "a router" } else { "no node" })]
    NoProcessor {
        /// The task.
        task: MergeTask,
        /// The node's name, or its number.
        node: String,
        /// Whether the platform has it.
        exists: bool,
    },
    /// A table of the wrong shape.
    #[error("{what} table: {list} has {found} entries; {operands} operands need {operands} rows, and row k \
             (counted from 0) an entry for each of [k,k], [k,k+1], ... [k,{}], {right} here", operands - 1)]
    TableShape {
        /// "size" or "work".
        what: &'static str,
        /// "the list of rows" or "row k".
        list: String,
        /// How many entries there are.
        found: usize,
        /// How many there should be.
        right: usize,
        /// How many operands there are.
        operands: usize,
    },
}

impl Default for Volumes {
    /// Messages of size 1, merges of one unit of work.
    fn default() -> Self {
        Volumes::of_size(Rational::one())
    }
}

impl VolumeError {
    /// Whether it is the work that does not fit, and not the size.
    pub fn is_of_work(&self) -> bool {
        match self {
            VolumeError::BadWork { .. }
            | VolumeError::TasksElsewhere { .. }
            | VolumeError::NoTask { .. }
            | VolumeError::TaskMissing { .. }
            | VolumeError::NoProcessor { .. } => true,
            VolumeError::BadSize { .. }
            | VolumeError::NotConstant { .. }
            | VolumeError::SizeByTask => false,
            VolumeError::NoNumber { what, .. }
            | VolumeError::TableOfCommutative { what, .. }
            | VolumeError::TableShape { what, .. } => *what == "work",
        }
    }
}

/// Clones, because [`Problem::new`](crate::Problem::new) owns its parts.
impl From<&Volumes> for Arc<Volumes> {
    fn from(volumes: &Volumes) -> Self {
        Arc::new(volumes.clone())
    }
}

impl Volumes {
    /// Messages of one size, merges of one unit of work for all sizes. On a platform with units,
    /// [`of_message`](Self::of_message) takes the size of a message.
    pub fn of_size(size: Rational) -> Self {
        Volumes {
            size: Amount::Constant(size),
            work: Amount::Constant(Rational::one()),
        }
    }

    /// Messages of this size on this platform, the meaning of the option `--size` alone. If the platform counts work by
    /// data, a merge is as much work as its result has data. Otherwise it is one unit of work.
    ///
    /// ```
    /// use oneport_plan::{Amount, Volumes};
    /// use oneport_platform::{Node, Platform, Units, parse_rational};
    /// let units = Units { work_is_data: true, ..Units::gigabytes_and_seconds() };
    /// let mut builder = Platform::builder();
    /// builder.units(units);
    /// builder.node(Node::processor("gpu", parse_rational("1/100")?))?;
    /// let platform = builder.build()?;
    /// let size = parse_rational("1/8")?;
    /// assert_eq!(Volumes::of_message(&platform, size.clone()).work, Amount::Constant(size));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_message(platform: &Platform, size: impl Into<Amount>) -> Self {
        let size = size.into();
        let by_data = platform.units().is_some_and(|units| units.work_is_data);
        let work = if by_data {
            size.clone()
        } else {
            Amount::Constant(Rational::one())
        };
        Volumes { size, work }
    }

    /// The size of a message. A partial result outside a table counts 0, which [`validate`](Self::validate) excludes.
    pub fn size_of(&self, message: Message) -> Rational {
        self.size.of(message.part).unwrap_or_default()
    }

    /// Time node `node` takes for the merge that makes `part` of `[first, split]` and `[split + 1, last]`. 0 for a
    /// router, outside a table, and at a node that [cannot](Self::can_merge) run it.
    pub fn merge_time(
        &self,
        platform: &Platform,
        node: NodeId,
        part: Interval,
        split: usize,
    ) -> Rational {
        let compute = platform
            .nodes()
            .get(node.index())
            .and_then(|node| node.merge_time());
        compute
            .zip(self.work.of_merge(node, part, split))
            .map(|(compute, work)| compute * work)
            .unwrap_or_default()
    }

    /// Whether a processor can run a merge: always, except tasks that a table by task leaves out or forbids there.
    pub fn can_merge(&self, node: NodeId, part: Interval, split: usize) -> bool {
        match &self.work {
            Amount::Tasks(table) => table.of(node, MergeTask::new(part, split)).is_some(),
            Amount::Constant(_) | Amount::Affine { .. } | Amount::Table(_) => true,
        }
    }

    /// Checks signs and shapes against a valid collective. `O(n^2)` for `n` operands with tables.
    ///
    /// # Errors
    /// See [`VolumeError`].
    pub fn validate(&self, collective: &Collective) -> Result<(), VolumeError> {
        for (what, amount) in [("size", &self.size), ("work", &self.work)] {
            if let Some(found) = amount
                .numbers()
                .into_iter()
                .find(|number| !number.denom().is_positive())
            {
                return Err(VolumeError::NoNumber {
                    what,
                    found: Box::new(found.clone()),
                });
            }
        }
        if let Amount::Tasks(_) = self.size {
            return Err(VolumeError::SizeByTask);
        }
        let blocks = collective.blocks();
        if let Amount::Tasks(_) = self.work {
            let is_reduction = |block: &Block<'_>| (block.kind, block.count) == (Kind::Combine, 1);
            if blocks.len() != 1
                || !blocks
                    .iter()
                    .all(|block| is_reduction(block) && !block.is_commutative())
            {
                return Err(VolumeError::TasksElsewhere {
                    collective: collective.name(),
                });
            }
        }
        blocks
            .iter()
            .try_for_each(|block| self.validate_block(block))
    }

    /// Checks that work by task names processors of this platform.
    ///
    /// # Errors
    /// [`VolumeError::NoProcessor`]: the first entry of another node.
    pub fn validate_on(&self, platform: &Platform) -> Result<(), VolumeError> {
        let Amount::Tasks(table) = &self.work else {
            return Ok(());
        };
        let Some((task, node)) = table.no_processor(platform) else {
            return Ok(());
        };
        let found = platform.nodes().get(node.index());
        let name = found.map_or_else(|| node.index().to_string(), |node| node.name.clone());
        Err(VolumeError::NoProcessor {
            task,
            node: name,
            exists: found.is_some(),
        })
    }

    fn validate_block(&self, block: &Block<'_>) -> Result<(), VolumeError> {
        let collective = block.name;
        if !block.kind.combines() {
            let size = self
                .size
                .constant()
                .ok_or(VolumeError::NotConstant { collective })?;
            return positive(size, String::new());
        }
        let operands = block.operands().len();
        for (what, amount) in [("size", &self.size), ("work", &self.work)] {
            if let Amount::Table(rows) = amount {
                if block.is_commutative() {
                    return Err(VolumeError::TableOfCommutative { collective, what });
                }
                check_shape(what, rows, operands)?;
            }
        }
        for (part, subject) in samples(&self.size, operands) {
            positive(&self.size.of(part).unwrap_or_default(), subject)?;
        }
        if let Amount::Tasks(table) = &self.work {
            return check_tasks(table, operands);
        }
        for (part, subject) in
            samples(&self.work, operands).filter(|(part, _)| part.first < part.last)
        {
            let found = self.work.of(part).unwrap_or_default();
            if found.is_negative() {
                return Err(VolumeError::BadWork {
                    subject,
                    found: Box::new(found),
                });
            }
        }
        Ok(())
    }
}

fn positive(size: &Rational, subject: String) -> Result<(), VolumeError> {
    if size.is_positive() {
        Ok(())
    } else {
        Err(VolumeError::BadSize {
            subject,
            found: Box::new(size.clone()),
        })
    }
}

/// Every task has an entry, no other has one, and no work is negative.
fn check_tasks(table: &TaskTable, operands: usize) -> Result<(), VolumeError> {
    for (task, node, work) in table.entries() {
        if !task.is_over(operands) {
            return Err(VolumeError::NoTask { task, operands });
        }
        if let Some(found) = work.filter(|work| work.is_negative()) {
            let at_node =
                node.map_or_else(String::new, |node| format!(" at node {}", node.index()));
            return Err(VolumeError::BadWork {
                subject: format!(" of {task}{at_node}"),
                found: Box::new(found.clone()),
            });
        }
    }
    table
        .missing(operands)
        .map_or(Ok(()), |task| Err(VolumeError::TaskMissing { task }))
}

fn check_shape(
    what: &'static str,
    rows: &[Vec<Rational>],
    operands: usize,
) -> Result<(), VolumeError> {
    let wrong_shape = |list, found, right| {
        Err(VolumeError::TableShape {
            what,
            list,
            found,
            right,
            operands,
        })
    };
    if rows.len() != operands {
        return wrong_shape("the list of rows".to_string(), rows.len(), operands);
    }
    match rows
        .iter()
        .enumerate()
        .find(|(first, row)| row.len() != operands - first)
    {
        Some((first, row)) => wrong_shape(format!("row {first}"), row.len(), operands - first),
        None => Ok(()),
    }
}

/// The intervals at which an amount has to be checked: its extremes, or all of a table.
fn samples(amount: &Amount, operands: usize) -> Box<dyn Iterator<Item = (Interval, String)>> {
    let last = operands.saturating_sub(1);
    let named = |part: Interval| (part, format!(" of v[{},{}]", part.first, part.last));
    match amount {
        Amount::Constant(_) => Box::new(std::iter::once((
            Interval { first: 0, last },
            String::new(),
        ))),
        Amount::Affine { .. } => Box::new(
            [0, last.min(1), last]
                .map(|last| named(Interval { first: 0, last }))
                .into_iter(),
        ),
        // Sizes are not by task, and work by task is checked task by task.
        Amount::Tasks(_) => Box::new(std::iter::empty()),
        Amount::Table(_) => Box::new((0..operands).flat_map(move |first| {
            (first..operands).map(move |last| named(Interval { first, last }))
        })),
    }
}
