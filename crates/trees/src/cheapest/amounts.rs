//! Sizes and works as integers over a common denominator.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_numbers::Scaled;
use oneport_plan::{Amount, Interval, MergeTask, TaskTable};
use oneport_platform::{NodeId, Rational};

/// Which intervals, or tasks at which processors, have the same amount.
#[derive(Debug, Clone)]
enum Classes {
    One,
    ByOperands,
    ByInterval,
    ByTask(TaskClasses),
}

/// Classes by task and processor.
#[derive(Debug, Clone)]
struct TaskClasses {
    processors: usize,
    /// For each interval, as `ByInterval` counts them: the index of its first split in `classes`.
    starts: Vec<usize>,
    /// Per interval, split and processor.
    classes: Vec<u32>,
}

/// The class of what cannot be done.
const NEVER: u32 = u32::MAX;

/// An amount for every interval, by class.
#[derive(Debug, Clone)]
pub(super) struct Amounts {
    classes: Classes,
    operands: usize,
    /// Per processor: whether merges can be done there. Empty if they can everywhere.
    able: Vec<bool>,
    /// Numerators by class.
    pub values: Vec<BigUint>,
    /// Common denominator of all values.
    pub denominator: BigUint,
}

impl Amounts {
    pub(super) fn new(amount: &Amount, operands: usize) -> Self {
        let (classes, parts): (_, Vec<Interval>) = match amount {
            Amount::Constant(_) => (Classes::One, vec![Interval { first: 0, last: 0 }]),
            Amount::Affine { .. } => (
                Classes::ByOperands,
                (0..operands)
                    .map(|last| Interval { first: 0, last })
                    .collect(),
            ),
            Amount::Table(_) => {
                let row = |first| (0..operands).map(move |last| Interval { first, last });
                (Classes::ByInterval, (0..operands).flat_map(row).collect())
            }
            // Classes of merges: see `of_work`.
            Amount::Tasks(_) => (Classes::One, vec![Interval { first: 0, last: 0 }]),
        };
        let exact: Vec<Rational> = parts
            .iter()
            .map(|&part| amount.of(part).unwrap_or_default())
            .collect();
        let Scaled { values, unit } = Scaled::of(&exact);
        Amounts {
            classes,
            operands,
            able: Vec::new(),
            values,
            denominator: unit.denom().magnitude().clone(),
        }
    }

    /// Restricts merges to the processors that `able` marks.
    pub(super) fn at(mut self, able: Vec<bool>) -> Self {
        if able.contains(&false) {
            self.able = able;
        }
        self
    }

    /// Works of merges at these processors.
    pub(super) fn of_work(amount: &Amount, operands: usize, processors: &[usize]) -> Self {
        match amount {
            Amount::Tasks(table) => Amounts::by_task(table, operands, processors),
            amount => Amounts::new(amount, operands),
        }
    }

    fn by_task(table: &TaskTable, operands: usize, processors: &[usize]) -> Self {
        let mut exact: Vec<Rational> = Vec::new();
        let mut known: BTreeMap<&Rational, u32> = BTreeMap::new();
        let (mut starts, mut classes) = (vec![0; operands * operands], Vec::new());
        for task in MergeTask::all(operands) {
            if task.split == task.part.first {
                starts[task.part.first * operands + task.part.last] = classes.len();
            }
            for &node in processors {
                let class = table.of(NodeId::new(node), task).map_or(NEVER, |work| {
                    *known.entry(work).or_insert_with(|| {
                        exact.push(work.clone());
                        u32::try_from(exact.len() - 1).unwrap_or(NEVER)
                    })
                });
                classes.push(class);
            }
        }
        let Scaled { values, unit } = Scaled::of(&exact);
        let classes = Classes::ByTask(TaskClasses {
            processors: processors.len(),
            starts,
            classes,
        });
        Amounts {
            classes,
            operands,
            able: Vec::new(),
            values,
            denominator: unit.denom().magnitude().clone(),
        }
    }

    /// Whether these are works by task, or some merges cannot be done at some processors.
    pub(super) fn are_by_task(&self) -> bool {
        matches!(self.classes, Classes::ByTask(_)) || !self.able.is_empty()
    }

    /// The class of the merge of a result at a processor. `None` if it cannot be done there.
    pub(super) fn class_of_merge(
        &self,
        part: Interval,
        split: usize,
        processor: usize,
    ) -> Option<usize> {
        if self.able.get(processor) == Some(&false) {
            return None;
        }
        let Classes::ByTask(tasks) = &self.classes else {
            return Some(self.class(part));
        };
        let start = tasks.starts.get(part.first * self.operands + part.last)?;
        let class = *tasks
            .classes
            .get(start + (split - part.first) * tasks.processors + processor)?;
        (class != NEVER).then_some(class as usize)
    }

    /// The class of an interval of these operands: its index in `values`. (Works by task have none.)
    pub(super) fn class(&self, part: Interval) -> usize {
        match self.classes {
            Classes::One | Classes::ByTask(_) => 0,
            Classes::ByOperands => part.last - part.first,
            Classes::ByInterval => part.first * self.operands + part.last,
        }
    }

    pub(super) fn of(&self, part: Interval) -> &BigUint {
        &self.values[self.class(part)]
    }
}
