//! SSR(G) of RR-4872, section 4.2, exactly as printed; each error can be switched on by itself.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use num_traits::{One, Signed, Zero};
use oneport::plan::{Interval, Task};
use oneport::{NodeId, Platform, Rational};
use oneport_exact::{Relation, Sense};

use super::tasks::{self, Place, Rates, owns};
use crate::cases::Case;
use crate::printed::{Line, optimum};

/// Printed errors to reproduce. All false: the corrected program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Errors {
    /// E000-10: the result may leave the target, and a value return to its owner.
    pub returns: bool,
    /// E000-11: (10) is waived for `v[i,i]` at the node numbered `i`, also if another node owns the value.
    pub node_numbers: bool,
    /// E000-12: (10) is waived at the target for `v[0,n-1]`, with `n` the number of nodes.
    pub nodes_for_operands: bool,
    /// E000-13: `v[k,m]` is used by `T[n,k,m]`, as the text above (10) says.
    pub wrong_split: bool,
    /// E000-30: send and cons may be negative; s and alpha may not.
    pub negative_rates: bool,
    /// E003-5: the throughput counts `v[0,m]` for every `m`.
    pub any_part: bool,
    /// E003-6: the throughput leaves out the merge `T[0,N-1,N]` at the target.
    pub short_sum: bool,
}

/// SSR(G) as printed, read with operand `i` at node `i` and `n - 1 = N`: otherwise its throughput is 0 or worse.
pub const SSR: Errors = Errors {
    returns: true,
    node_numbers: false,
    nodes_for_operands: false,
    wrong_split: false,
    negative_rates: false,
    any_part: false,
    short_sum: false,
};

/// Column 0 is `TP`; the tasks follow.
const THROUGHPUT: usize = 0;

/// The program for unit messages and unit work: variables `send`, `cons` and `TP`.
pub struct Program<'a> {
    platform: &'a Platform,
    participants: &'a [NodeId],
    target: NodeId,
    errors: Errors,
    tasks: Vec<Task>,
    columns: BTreeMap<Task, usize>,
    lines: Vec<Line>,
    /// Name of each line.
    names: Vec<String>,
}

impl<'a> Program<'a> {
    /// Writes the program down.
    ///
    /// # Errors
    /// The case is not a reduce.
    pub fn new(case: &'a Case, errors: Errors) -> Result<Program<'a>> {
        let (target, participants) = tasks::ends(case)?;
        let platform = &case.platform;
        let mut program = Program {
            platform,
            participants,
            target,
            errors,
            tasks: Vec::new(),
            columns: BTreeMap::new(),
            lines: Vec::new(),
            names: Vec::new(),
        };
        program.add_tasks();
        program.add_resources();
        for node in platform.node_ids() {
            for part in program.parts() {
                if !program.is_waived((part, node)) {
                    program.conserve((part, node));
                }
            }
        }
        program.count();
        Ok(program)
    }

    /// `N`, the last operand.
    fn last(&self) -> usize {
        self.participants.len().saturating_sub(1)
    }

    fn parts(&self) -> Vec<Interval> {
        let last = self.last();
        (0..=last)
            .flat_map(|first| (first..=last).map(move |last| Interval { first, last }))
            .collect()
    }

    fn add_tasks(&mut self) {
        let result = Interval {
            first: 0,
            last: self.last(),
        };
        for part in self.parts() {
            for link in self.platform.link_ids() {
                let ends = self.platform.link(link);
                let returns = owns(self.participants, (part, ends.to))
                    || (part == result && ends.from == self.target);
                if self.errors.returns || !returns {
                    self.tasks.push(Task::send(link, part));
                }
            }
            for node in self.platform.processors() {
                self.tasks
                    .extend((part.first..part.last).map(|split| Task::merge(node, part, split)));
            }
        }
        self.columns = self
            .tasks
            .iter()
            .enumerate()
            .map(|(place, &task)| (task, place + 1))
            .collect();
    }

    fn add(
        &mut self,
        name: String,
        relation: Relation,
        side: Rational,
        row: BTreeMap<usize, Rational>,
    ) {
        self.names.push(name);
        self.lines.push((relation, side, row));
    }

    /// (7)-(9) and the one-port constraints. `s(P_i -> P_j) <= 1` follows from them.
    fn add_resources(&mut self) {
        let mut rows: BTreeMap<String, BTreeMap<usize, Rational>> = BTreeMap::new();
        for (task, &column) in &self.columns {
            let (resources, time) = match *task {
                Task::Send { link, .. } => {
                    let ends = self.platform.link(link);
                    let [from, to] = [ends.from, ends.to].map(|node| self.platform.name(node));
                    (
                        vec![
                            format!("send port of {from}"),
                            format!("receive port of {to}"),
                        ],
                        ends.cost.clone(),
                    )
                }
                Task::Merge { node, .. } => {
                    let node = self.platform.node(node);
                    (
                        vec![format!("processor of {}", node.name)],
                        node.compute.clone().unwrap_or_default(),
                    )
                }
            };
            for resource in resources {
                rows.entry(resource)
                    .or_default()
                    .insert(column, time.clone());
            }
        }
        for (name, row) in rows {
            self.add(name, Relation::AtMost, Rational::one(), row);
        }
        if self.errors.negative_rates {
            self.add_bounds();
        }
    }

    /// The printed bounds `0 <= s(P_i -> P_j) <= 1` and `0 <= alpha(P_i)`, which follow only if no rate is negative.
    fn add_bounds(&mut self) {
        let mut rows: BTreeMap<String, BTreeMap<usize, Rational>> = BTreeMap::new();
        for (task, &column) in &self.columns {
            let (name, time) = match *task {
                Task::Send { link, .. } => (
                    format!("s({})", self.platform.link_name(link)),
                    self.platform.link(link).cost.clone(),
                ),
                Task::Merge { node, .. } => {
                    let node = self.platform.node(node);
                    (
                        format!("alpha({})", node.name),
                        node.compute.clone().unwrap_or_default(),
                    )
                }
            };
            rows.entry(name).or_default().insert(column, time);
        }
        for (name, row) in rows {
            self.add(name.clone(), Relation::AtMost, Rational::one(), row.clone());
            self.add(name, Relation::AtLeast, Rational::zero(), row);
        }
    }

    /// The rows; a rate that may be negative is the difference of two columns, the second `self.tasks.len()` later.
    fn rows(&self) -> (Vec<Line>, usize) {
        let columns = self.tasks.len() + 1;
        if !self.errors.negative_rates {
            return (self.lines.clone(), columns);
        }
        let mut lines = self.lines.clone();
        for (_, _, row) in &mut lines {
            let negative: Vec<_> = row
                .range(1..)
                .map(|(&column, value)| (column + self.tasks.len(), -value))
                .collect();
            row.extend(negative);
        }
        (lines, columns + self.tasks.len())
    }

    /// The exceptions of (10).
    fn is_waived(&self, (part, node): Place) -> bool {
        let single = part.first == part.last;
        let own = if self.errors.node_numbers {
            single && part.first == node.index()
        } else {
            owns(self.participants, (part, node))
        };
        let last = if self.errors.nodes_for_operands {
            self.platform.nodes().len() - 1
        } else {
            self.last()
        };
        own || (node == self.target && part == Interval { first: 0, last })
    }

    /// (10) for one partial result at one node.
    fn conserve(&mut self, (part, node): Place) {
        let mut row = self.made((part, node));
        let send = |&link: &_| Task::send(link, part);
        let mut used: Vec<Task> = self.platform.outgoing(node).iter().map(send).collect();
        let longer =
            (part.last + 1..=self.last()).map(|last| (Interval { last, ..part }, part.last));
        used.extend(longer.map(|(part, split)| Task::merge(node, part, split)));
        for first in 0..part.first {
            let split = if self.errors.wrong_split {
                part.first
            } else {
                part.first - 1
            };
            used.push(Task::merge(node, Interval { first, ..part }, split));
        }
        for column in used.iter().filter_map(|task| self.columns.get(task)) {
            *row.entry(*column).or_default() -= Rational::one();
        }
        let name = format!(
            "(10) for v[{},{}] at {}",
            part.first,
            part.last,
            self.platform.name(node)
        );
        self.add(name, Relation::Equal, Rational::zero(), row);
    }

    /// Tasks that make a partial result or bring it to a node.
    fn made(&self, (part, node): Place) -> BTreeMap<usize, Rational> {
        let received = self
            .platform
            .incoming(node)
            .iter()
            .map(|&link| Task::send(link, part));
        let merged = (part.first..part.last).map(|split| Task::merge(node, part, split));
        let columns = received
            .chain(merged)
            .filter_map(|task| self.columns.get(&task));
        columns.map(|&column| (column, Rational::one())).collect()
    }

    /// (11).
    fn count(&mut self) {
        let result = Interval {
            first: 0,
            last: self.last(),
        };
        let mut row = self.made((result, self.target));
        if self.errors.short_sum {
            let left_out = Task::merge(self.target, result, self.last().saturating_sub(1));
            self.columns.get(&left_out).map(|column| row.remove(column));
        }
        if self.errors.any_part {
            for last in 0..self.last() {
                let received = self.platform.incoming(self.target).iter();
                let received = received.map(|&link| Task::send(link, Interval { first: 0, last }));
                row.extend(
                    received.filter_map(|task| Some((*self.columns.get(&task)?, Rational::one()))),
                );
            }
        }
        row.insert(THROUGHPUT, -Rational::one());
        self.add("(11)".to_string(), Relation::Equal, Rational::zero(), row);
    }

    /// The largest throughput, and rates that reach it.
    pub fn solve(&self) -> Result<(Rational, Rates)> {
        let (lines, columns) = self.rows();
        let (throughput, mut values) = optimum(&lines, columns, Sense::Maximize, THROUGHPUT)?;
        let negative = values.split_off(self.tasks.len() + 1);
        for (value, negative) in values.iter_mut().skip(1).zip(negative) {
            *value -= negative;
        }
        let rates = self.tasks.iter().copied().zip(values.into_iter().skip(1));
        Ok((
            throughput,
            rates.filter(|(_, rate)| !rate.is_zero()).collect(),
        ))
    }

    /// The largest throughput.
    pub fn throughput(&self) -> Result<Rational> {
        Ok(self.solve()?.0)
    }

    /// Fixes the throughput.
    pub fn fix_throughput(&mut self, value: &Rational) {
        self.add(
            "TP".to_string(),
            Relation::Equal,
            value.clone(),
            [(THROUGHPUT, Rational::one())].into(),
        );
    }

    /// Fixes the rate of a task.
    ///
    /// # Errors
    /// The program has no such task.
    pub fn fix(&mut self, task: Task, value: &Rational) -> Result<()> {
        let column = self.columns.get(&task).copied();
        let name = tasks::name(self.platform, task);
        let column = column.ok_or_else(|| anyhow::anyhow!("the program has no {name}"))?;
        self.add(
            name,
            Relation::Equal,
            value.clone(),
            [(column, Rational::one())].into(),
        );
        Ok(())
    }

    /// The smallest and the largest rate of a task.
    pub fn range(&self, task: Task) -> Result<(Rational, Rational)> {
        let Some(&column) = self.columns.get(&task) else {
            return Ok((Rational::zero(), Rational::zero()));
        };
        let columns = self.tasks.len() + 1;
        let find = |sense| Ok::<_, anyhow::Error>(optimum(&self.lines, columns, sense, column)?.0);
        Ok((find(Sense::Minimize)?, find(Sense::Maximize)?))
    }

    /// The tasks that may happen.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Checks that rates satisfy every row with this throughput, exactly.
    ///
    /// # Errors
    /// The first row that they do not satisfy.
    pub fn check(&self, rates: &Rates, throughput: &Rational) -> Result<()> {
        for (task, rate) in rates {
            let name = tasks::name(self.platform, *task);
            ensure!(!rate.is_negative(), "{name} happens {rate} times");
            ensure!(
                rate.is_zero() || self.columns.contains_key(task),
                "{name} is no task of the program"
            );
        }
        let value = |column: usize| match column {
            THROUGHPUT => Some(throughput),
            _ => self.tasks.get(column - 1).and_then(|task| rates.get(task)),
        };
        for (name, (relation, side, row)) in self.names.iter().zip(&self.lines) {
            let left: Rational = row
                .iter()
                .filter_map(|(&column, factor)| Some(factor * value(column)?))
                .sum();
            let holds = match relation {
                Relation::AtMost => left <= *side,
                Relation::Equal => left == *side,
                Relation::AtLeast => left >= *side,
            };
            ensure!(holds, "{name}: {left} instead of {side}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::numbers::{number, whole};
    use crate::reduce::toy::{self, Toy};

    /// Without the errors, this second formulation agrees with the product's.
    #[test]
    fn without_errors_the_program_is_the_corrected_one() -> Result<()> {
        let mut all = vec![
            Toy::load()?.case,
            toy::six("slow", "1", ["10", "10", "10"])?,
        ];
        for seed in 0..6 {
            all.push(cases::reduce_of_all(
                "random",
                cases::random(4, 2, seed, 6)?,
            )?);
        }
        let routed = cases::platform(
            "t r a b",
            &[("a", "r", "1/2"), ("b", "r", "1"), ("r", "t", "1/3")],
        )?;
        all.push(cases::reduce("through a relay", routed, "t", "b a")?);
        for case in all {
            let program = Program::new(&case, Errors::default())?;
            let (throughput, rates) = program.solve()?;
            assert_eq!(throughput, case.throughput()?, "{}", case.name);
            program.check(&rates, &throughput)?;
            assert!(program.check(&rates, &(throughput + whole(1))).is_err());
        }
        Ok(())
    }

    #[test]
    fn rates_that_break_a_row_are_refused() -> Result<()> {
        let toy = Toy::load()?;
        let program = Program::new(&toy.case, Errors::default())?;
        program.check(&toy.rates, &whole(1))?;
        for &task in toy.rates.keys() {
            let mut less = toy.rates.clone();
            less.insert(task, number("1/7")?);
            assert!(
                program.check(&less, &whole(1)).is_err(),
                "{}",
                tasks::name(&toy.case.platform, task)
            );
        }
        Ok(())
    }
}
