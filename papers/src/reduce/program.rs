//! SSR(G) of RR-4872, section 4.2, exactly as printed, with rows of `oneport_programs`. Each error can be enabled
//! separately.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use num_traits::{Signed, Zero};
use oneport::plan::{Interval, Task};
use oneport::platform::LinkId;
use oneport::{NodeId, Platform, Rational};
use oneport_exact::{Relation, Sense};
use oneport_programs::{Act, Equation, Limits, Linear, Port, Quantity, Reductions, reductions};

use super::tasks::{self, Rates};
use crate::cases::Case;
use crate::printed::{fix, optimum, range};

pub use crate::printed::Errata;

/// The program for unit messages and unit work: variables `send`, `cons` and `TP`.
pub struct Program<'a> {
    platform: &'a Platform,
    linear: Linear,
    tasks: Vec<Task>,
}

impl<'a> Program<'a> {
    /// Writes the program down.
    ///
    /// # Errors
    /// The case is not a reduce.
    pub fn new(case: &'a Case, errors: Errata) -> Result<Program<'a>> {
        let (target, participants) = tasks::ends(case)?;
        let platform = &case.platform;
        let given = Reductions {
            platform,
            participants,
            targets: &[target],
            send_time: &|_, link: LinkId, _| platform.link(link).cost.clone(),
            can_merge: &|node: NodeId, _, _| platform.node(node).is_processor(),
            merge_time: &|node: NodeId, _, _| {
                platform.node(node).compute.clone().unwrap_or_default()
            },
        };
        let mut linear = reductions(given, errors, Limits::Papers)?;
        if !errors.negative_rates {
            linear = linear.substituted();
        }
        let tasks = linear.quantities().into_iter().filter_map(task).collect();
        Ok(Program {
            platform,
            linear,
            tasks,
        })
    }

    /// The largest throughput, and rates that reach it.
    ///
    /// # Errors
    /// The program has no optimum.
    pub fn solve(&self) -> Result<(Rational, Rates)> {
        let (throughput, values) = optimum(&self.linear, Sense::Maximize, Quantity::Throughput)?;
        let rates = values
            .into_iter()
            .filter_map(|(quantity, rate)| Some((task(quantity)?, rate)));
        Ok((
            throughput,
            rates.filter(|(_, rate)| !rate.is_zero()).collect(),
        ))
    }

    /// The largest throughput.
    ///
    /// # Errors
    /// The program has no optimum.
    pub fn throughput(&self) -> Result<Rational> {
        Ok(self.solve()?.0)
    }

    /// Fixes the throughput.
    pub fn fix_throughput(&mut self, value: &Rational) {
        fix(&mut self.linear, Quantity::Throughput, value);
    }

    /// Fixes the rate of a task.
    ///
    /// # Errors
    /// The program has no such task.
    pub fn fix(&mut self, task: Task, value: &Rational) -> Result<()> {
        let name = tasks::name(self.platform, task);
        ensure!(self.tasks.contains(&task), "the program has no {name}");
        fix(&mut self.linear, quantity(task), value);
        Ok(())
    }

    /// The smallest and the largest rate of a task.
    ///
    /// # Errors
    /// The program has no optimum.
    pub fn range(&self, task: Task) -> Result<(Rational, Rational)> {
        range(&self.linear, quantity(task))
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
        let mut values = BTreeMap::from([(Quantity::Throughput, throughput)]);
        for (task, rate) in rates {
            let name = tasks::name(self.platform, *task);
            ensure!(!rate.is_negative(), "{name} happens {rate} times");
            ensure!(
                rate.is_zero() || self.tasks.contains(task),
                "{name} is no task of the program"
            );
            values.insert(quantity(*task), rate);
        }
        for line in &self.linear.lines {
            let terms = line.terms.iter();
            let left: Rational = terms
                .filter_map(|(quantity, factor)| Some(factor * *values.get(quantity)?))
                .sum();
            let side = &line.side;
            let holds = match line.relation {
                Relation::AtMost => left <= *side,
                Relation::Equal => left == *side,
                Relation::AtLeast => left >= *side,
            };
            let name = self.name(line.equation);
            ensure!(holds, "{name}: {left} instead of {side}");
        }
        Ok(())
    }

    /// A row's name.
    fn name(&self, equation: Equation) -> String {
        let node = |node| self.platform.name(node);
        match equation {
            Equation::Part {
                node: at,
                part: Interval { first, last },
                ..
            } => format!("(10) for v[{first},{last}] at {}", node(at)),
            Equation::Result(_) => "(11)".to_string(),
            Equation::Processor(at) => format!("processor of {}", node(at)),
            Equation::Port(at, Port::Out) => format!("send port of {}", node(at)),
            Equation::Port(at, _) => format!("receive port of {}", node(at)),
            Equation::Link(link) => self.platform.link_name(link),
            other => format!("{other:?}"),
        }
    }
}

/// The task that a variable counts.
fn task(quantity: Quantity) -> Option<Task> {
    match quantity {
        Quantity::Task { part, act, .. } => Some(match act {
            Act::Send(link) => Task::send(link, part),
            Act::Merge(node, split) => Task::merge(node, part, split),
        }),
        _ => None,
    }
}

/// The variable that counts a task.
fn quantity(task: Task) -> Quantity {
    let (part, act) = match task {
        Task::Send { link, part, .. } => (part, Act::Send(link)),
        Task::Merge {
            node, part, split, ..
        } => (part, Act::Merge(node, split)),
    };
    Quantity::Task {
        reduction: 0,
        part,
        act,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::numbers::{number, whole};
    use crate::reduce::toy::{self, Toy};

    /// Without the errors, these rows agree with the solver's trees.
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
            let program = Program::new(&case, Errata::default())?;
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
        let program = Program::new(&toy.case, Errata::default())?;
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
