//! SSR (RR-4872 section 4.2): reductions of values in their owners' order.
//!
//! Corrected, no variable sends the result out of the target or a value into its owner (E000-10). In both forms value
//! `i` is at its owner and `N` is the last value throughout (E000-11, E000-12): read literally, the program yields 0
//! where not all nodes take part.

use num_traits::{One, Zero};
use oneport_plan::{Interval, Problem, Task};
use oneport_platform::{NodeId, Rational};

use std::collections::BTreeMap;

use crate::form::{Form, ProgramError};
use crate::names::Names;
use crate::ports::{Busy, check};
use crate::program::{Program, Relation, Sense, Variable};

/// Builds the program. For `n` values, `m` links and `p` processors it has `O(n^2 m + n^3 p)` variables.
///
/// # Errors
/// Anything but a reduce in order, nodes that are not full-duplex.
pub(crate) fn build(problem: &Problem, form: Form) -> Result<Program, ProgramError> {
    let code = "ssr";
    let collective = problem.collective();
    let in_order = collective.is(oneport_plan::Form::REDUCE) && !collective.is_commutative();
    let (true, &[&[target], participants]) = (in_order, &collective.cast()[..]) else {
        let found = collective.name();
        return Err(ProgramError::Collective {
            program: code,
            found,
            right: "reduce in the participants' order",
        });
    };
    let platform = problem.platform();
    check(platform, code, form)?;
    let title = "SSR(G), steady-state reduce: RR-4872, section 4.2";
    let mut program = Program::new(Sense::Maximise, form.title(title));
    if form == Form::Printed {
        program.note("E000-10: receptions count, also of a result that comes back.");
    }
    program.note("E000-11, E000-12: value i is at its owner, and n - 1 is read as N, the number of the last value.");
    let names = Names::new(platform, &mut program);
    for (place, &owner) in participants.iter().enumerate() {
        program.note(format!(
            "v_{place}_{place} is the value of {}.",
            names.node(owner)
        ));
    }
    let throughput = program.variable("TP".to_string());
    program.aim(throughput);
    let busy = Busy::new(&mut program, platform, &names);
    let mut reduction = Reduction {
        problem,
        target,
        participants,
        form,
        names,
        variables: BTreeMap::new(),
    };
    reduction.add_variables(&mut program);
    reduction.add_times(&mut program, &busy);
    program.section("(10) What is received or made is sent or used.");
    for node in platform.node_ids() {
        for part in reduction.parts() {
            let result = node == target && part == reduction.result();
            if !result && !reduction.owns(node, part) {
                let row = format!("conserve({},{})", reduction.names.node(node), value(part));
                let terms = reduction
                    .gains(node, part)
                    .into_iter()
                    .chain(reduction.losses(node, part));
                program.row(row, terms, Relation::Equal, Rational::zero());
            }
        }
    }
    program.section("(11) What reaches the target.");
    let gains = reduction.gains(target, reduction.result());
    let terms = gains.into_iter().chain([(throughput, -Rational::one())]);
    program.row(
        "throughput".to_string(),
        terms,
        Relation::Equal,
        Rational::zero(),
    );
    Ok(program)
}

/// `v[k,m]`.
fn value(part: Interval) -> String {
    format!("v_{}_{}", part.first, part.last)
}

struct Reduction<'a, 'b> {
    problem: &'b Problem,
    target: NodeId,
    participants: &'b [NodeId],
    form: Form,
    names: Names<'a>,
    /// `send` and `cons`.
    variables: BTreeMap<Task, Variable>,
}

impl Reduction<'_, '_> {
    fn result(&self) -> Interval {
        Interval {
            first: 0,
            last: self.participants.len().saturating_sub(1),
        }
    }

    fn parts(&self) -> Vec<Interval> {
        let last = self.result().last;
        (0..=last)
            .flat_map(|first| (first..=last).map(move |last| Interval { first, last }))
            .collect()
    }

    fn owns(&self, node: NodeId, part: Interval) -> bool {
        part.first == part.last && self.participants.get(part.first) == Some(&node)
    }

    fn add_variables(&mut self, program: &mut Program) {
        let platform = self.problem.platform();
        for part in self.parts() {
            for link in platform.link_ids() {
                let ends = platform.link(link);
                let returns =
                    self.owns(ends.to, part) || (part == self.result() && ends.from == self.target);
                if self.form == Form::Printed || !returns {
                    let name = format!("send({},{})", self.names.link(link), value(part));
                    self.variables
                        .insert(Task::send(link, part), program.variable(name));
                }
            }
            for node in platform.processors() {
                let able = |&split: &usize| self.problem.volumes().can_merge(node, part, split);
                for split in (part.first..part.last).filter(able) {
                    let (name, first, last) = (self.names.node(node), part.first, part.last);
                    let variable =
                        program.variable(format!("cons({name},T_{first}_{split}_{last})"));
                    self.variables
                        .insert(Task::merge(node, part, split), variable);
                }
            }
        }
    }

    /// (7), (8) and (9).
    fn add_times(&self, program: &mut Program, busy: &Busy) {
        let platform = self.problem.platform();
        program.section("(8) A link is busy for what is sent over it.");
        for link in platform.link_ids() {
            let sent = |part| {
                Some((
                    self.of(Task::send(link, part))?,
                    self.problem.transfer_time(link, part),
                ))
            };
            busy.time(
                program,
                &self.names,
                link,
                self.parts().into_iter().filter_map(sent),
            );
        }
        program.section("(7), (9) A processor is busy for what it computes.");
        for node in platform.processors() {
            let name = self.names.node(node);
            let alpha = program.variable(format!("alpha({name})"));
            let time = |part, split| {
                self.problem
                    .volumes()
                    .merge_time(platform, node, part, split)
            };
            let merges = self
                .parts()
                .into_iter()
                .flat_map(|part| self.merges(node, part).zip(part.first..));
            let merges = merges
                .filter_map(|(task, split)| Some((self.of(task)?, -time(task.part(), split))));
            let terms = std::iter::once((alpha, Rational::one())).chain(merges);
            program.row(
                format!("compute({name})"),
                terms,
                Relation::Equal,
                Rational::zero(),
            );
            let row = format!("processor({name})");
            program.row(
                row,
                [(alpha, Rational::one())],
                Relation::AtMost,
                Rational::one(),
            );
        }
    }

    fn of(&self, task: Task) -> Option<Variable> {
        self.variables.get(&task).copied()
    }

    fn merges(&self, node: NodeId, part: Interval) -> impl Iterator<Item = Task> + use<> {
        (part.first..part.last).map(move |split| Task::merge(node, part, split))
    }

    /// Receptions and merges that make `v[k,m]` at a node.
    fn gains(&self, node: NodeId, part: Interval) -> Vec<(Variable, Rational)> {
        let received = self
            .problem
            .platform()
            .incoming(node)
            .iter()
            .map(|&link| Task::send(link, part));
        let tasks = received.chain(self.merges(node, part));
        tasks
            .filter_map(|task| Some((self.of(task)?, Rational::one())))
            .collect()
    }

    /// Sends and merges that use `v[k,m]` at a node, with coefficient -1.
    fn losses(&self, node: NodeId, part: Interval) -> Vec<(Variable, Rational)> {
        let Interval { first, last } = part;
        let sent = self
            .problem
            .platform()
            .outgoing(node)
            .iter()
            .map(|&link| Task::send(link, part));
        let on_the_left = (last + 1..=self.result().last)
            .map(|end| Task::merge(node, Interval { first, last: end }, last));
        let on_the_right = (0..first).map(|start| {
            Task::merge(
                node,
                Interval { first: start, last },
                first.saturating_sub(1),
            )
        });
        let tasks = sent.chain(on_the_left).chain(on_the_right);
        tasks
            .filter_map(|task| Some((self.of(task)?, -Rational::one())))
            .collect()
    }
}
