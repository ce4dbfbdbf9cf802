//! SSR (RR-4872 section 4.2): reductions of values in their owners' order.
//!
//! Corrected, no variable sends the result out of the target or a value into its owner (E000-10). In both forms value
//! `i` is at its owner and `N` is the last value throughout (E000-11, E000-12): read literally, the program yields 0
//! where not all nodes take part.

use num_traits::{One, Zero};
use oneport_exact::{Relation, Sense};
use oneport_plan::{Interval, Problem, Resource};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::errata::Errata;
use crate::form::{Form, Limits, ProgramError};
use crate::linear::{Act, Equation, Quantity};
use crate::names::{Letters, Names};
use crate::ports::{add_limits, check};
use crate::program::{Paper, Program, Size};

/// Writes the program. For `n` values, `m` links and `p` processors it has `O(n^2 m + n^3 p)` variables. No row has
/// more than `O(n^3 + m)` terms.
///
/// # Errors
/// Anything but a reduce in order, nodes that are not full-duplex, a limit.
pub(crate) fn build<'p>(
    problem: &'p Problem,
    form: Form,
    paper: Paper<'p>,
) -> Result<Size, ProgramError> {
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
    let mut program = Program::new(paper, code, Sense::Maximize);
    program.note(form.title(title));
    if form == Form::Printed {
        program.note("E000-10: receptions count, also of a result that comes back.");
    }
    program.note("E000-11, E000-12: value i is at its owner, and n - 1 is read as N, the number of the last value.");
    if let Some(names) = program.name(|| Names::new(platform, Letters::Reduce)) {
        for (index, &owner) in participants.iter().enumerate() {
            program.note(format!(
                "v_{index}_{index} is the value of {}.",
                names.node(owner)
            ));
        }
    }
    let (targets, volumes) = ([target], problem.volumes());
    let given = Reductions {
        platform,
        participants,
        targets: &targets,
        send_time: &|_, link, part| problem.transfer_time(link, part),
        can_merge: &|node, part, split| {
            platform.node(node).merges() && volumes.can_merge(node, part, split)
        },
        merge_time: &|node, part, split| volumes.merge_time(platform, node, part, split),
    };
    let errors = form.errors(Errata::SSR);
    Readings { given, errors }.add_rows(&mut program, Limits::Papers)?;
    program.end()
}

/// The data from which the numbers of reductions are made.
#[derive(Clone, Copy)]
pub struct Reductions<'a> {
    /// The platform.
    pub platform: &'a Platform,
    /// The owners of the operands, in order.
    pub participants: &'a [NodeId],
    /// For each reduction the node that receives its result.
    pub targets: &'a [NodeId],
    /// The time of a reduction's partial result on a link.
    pub send_time: &'a dyn Fn(usize, LinkId, Interval) -> Rational,
    /// Whether a node can make a partial result of two. The last operand of the left one is given.
    pub can_merge: &'a dyn Fn(NodeId, Interval, usize) -> bool,
    /// The time of that merge.
    pub merge_time: &'a dyn Fn(NodeId, Interval, usize) -> Rational,
}

/// Reductions, and how to read the program.
pub(crate) struct Readings<'a> {
    pub(crate) given: Reductions<'a>,
    pub(crate) errors: Errata,
}

impl Readings<'_> {
    /// Writes all rows.
    pub(crate) fn add_rows(
        &self,
        program: &mut Program<'_>,
        limits: Limits,
    ) -> Result<(), ProgramError> {
        let (variables, longest) = self.most();
        program.expect(variables, longest)?;
        program.declare(1);
        program.aim(Quantity::Throughput);
        add_limits(program, self.given.platform, limits)?;
        self.add_times(program, limits)?;
        program.section("(10) What is received or made is sent or used.");
        for reduction in self.all() {
            reduction.add_parts(program)?;
        }
        program.section("(11) What reaches the target.");
        for reduction in self.all() {
            reduction.add_result(program)?;
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = Reduction<'_>> {
        let one = |(number, &target)| Reduction {
            all: self,
            number,
            target,
        };
        self.given.targets.iter().enumerate().map(one)
    }

    /// Variables of the program, and terms of its longest row, at most.
    fn most(&self) -> (u64, u64) {
        let n = self.given.participants.len() as u64;
        let links = self.given.platform.links().len() as u64;
        let processors = self.given.platform.mergers().count() as u64;
        let parts = n.saturating_mul(n + 1) / 2;
        let merges = parts.saturating_mul(n.saturating_sub(1)) / 3;
        let sends = parts.saturating_add(1).saturating_mul(links);
        let all = processors
            .saturating_mul(merges.saturating_add(1))
            .saturating_add(sends);
        (all.saturating_add(1), merges.max(parts).max(links))
    }

    fn result(&self) -> Interval {
        Interval {
            first: 0,
            last: self.given.participants.len().saturating_sub(1),
        }
    }

    fn parts(&self) -> impl Iterator<Item = Interval> + Clone + use<> {
        let last = self.result().last;
        (0..=last).flat_map(move |first| (first..=last).map(move |last| Interval { first, last }))
    }

    fn owns(&self, node: NodeId, part: Interval) -> bool {
        part.first == part.last && self.given.participants.get(part.first) == Some(&node)
    }

    /// (7), (8) and (9).
    fn add_times(&self, program: &mut Program<'_>, limits: Limits) -> Result<(), ProgramError> {
        let platform = self.given.platform;
        program.section("(8) A link is busy for what is sent over it.");
        for link in platform.link_ids() {
            let sent = self.all().flat_map(|reduction| {
                let number = reduction.number;
                self.parts().filter_map(move |part| {
                    Some((
                        reduction.send(link, part)?,
                        (self.given.send_time)(number, link, part),
                    ))
                })
            });
            program.define(Equation::Time(link), Quantity::Busy(link), sent)?;
        }
        program.section("(7), (9) A processor is busy for what it computes.");
        for node in platform.mergers() {
            let alpha = Quantity::Computing(node);
            program.declare(1);
            let splits = |part: Interval| (part.first..part.last).map(move |split| (part, split));
            let merges = self.all().flat_map(|reduction| {
                self.parts()
                    .flat_map(splits)
                    .filter_map(move |(part, split)| {
                        let merge = reduction.merge(node, part, split)?;
                        Some((merge, (self.given.merge_time)(node, part, split)))
                    })
            });
            program.define(Equation::Compute(node), alpha, merges)?;
            let row = match limits {
                Limits::Papers => Equation::Processor(node),
                Limits::Resources => Equation::Capacity(Resource::Compute(node)),
            };
            let busy = [(alpha, Rational::one())];
            program.row(row, busy, Relation::AtMost, Rational::one())?;
        }
        Ok(())
    }
}

/// One of the reductions.
#[derive(Clone, Copy)]
struct Reduction<'a> {
    all: &'a Readings<'a>,
    number: usize,
    target: NodeId,
}

impl Reduction<'_> {
    fn task(&self, part: Interval, act: Act) -> Quantity {
        Quantity::Task {
            reduction: self.number,
            part,
            act,
        }
    }

    /// `send(Pi,Pj,v[k,m])`. `None` if the value never uses the link.
    fn send(&self, link: LinkId, part: Interval) -> Option<Quantity> {
        let ends = self.all.given.platform.link(link);
        let returns =
            self.all.owns(ends.to, part) || (part == self.all.result() && ends.from == self.target);
        let useful = self.all.errors.returns || !returns;
        useful.then(|| self.task(part, Act::Send(link)))
    }

    /// `cons(Pi,T_k,l,m)`. `None` for a node that does not merge.
    fn merge(&self, node: NodeId, part: Interval, split: usize) -> Option<Quantity> {
        (self.all.given.can_merge)(node, part, split)
            .then(|| self.task(part, Act::Merge(node, split)))
    }

    /// The exceptions of (10).
    fn is_waived(&self, node: NodeId, part: Interval) -> bool {
        let errors = self.all.errors;
        let own = if errors.node_numbers {
            part.first == part.last && part.first == node.index()
        } else {
            self.all.owns(node, part)
        };
        let last = if errors.nodes_for_operands {
            self.all.given.platform.nodes().len().saturating_sub(1)
        } else {
            self.all.result().last
        };
        own || (node == self.target && part == Interval { first: 0, last })
    }

    /// (10).
    fn add_parts(&self, program: &mut Program<'_>) -> Result<(), ProgramError> {
        for node in self.all.given.platform.node_ids() {
            for part in self.all.parts() {
                if self.is_waived(node, part) {
                    continue;
                }
                let row = Equation::Part {
                    reduction: self.number,
                    node,
                    part,
                };
                let terms = self
                    .gains(node, part)
                    .into_iter()
                    .chain(self.losses(node, part));
                program.row(row, terms, Relation::Equal, Rational::zero())?;
            }
        }
        Ok(())
    }

    /// (11).
    fn add_result(&self, program: &mut Program<'_>) -> Result<(), ProgramError> {
        let (errors, result) = (self.all.errors, self.all.result());
        let mut gains = self.gains(self.target, result);
        if errors.short_sum {
            let left_out = self.merge(self.target, result, result.last.saturating_sub(1));
            gains.retain(|(task, _)| Some(*task) != left_out);
        }
        if errors.any_part {
            for last in 0..result.last {
                let part = Interval { first: 0, last };
                let received = self.all.given.platform.incoming(self.target).iter();
                let received = received.filter_map(|&link| self.send(link, part));
                gains.extend(received.map(|task| (task, Rational::one())));
            }
        }
        let terms = gains
            .into_iter()
            .chain([(Quantity::Throughput, -Rational::one())]);
        let row = Equation::Result(self.number);
        program.row(row, terms, Relation::Equal, Rational::zero())
    }

    /// Receptions and merges that make `v[k,m]` at a node.
    fn gains(&self, node: NodeId, part: Interval) -> Vec<(Quantity, Rational)> {
        let links = self.all.given.platform.incoming(node).iter();
        let received = links.filter_map(|&link| self.send(link, part));
        let made = (part.first..part.last).filter_map(|split| self.merge(node, part, split));
        received
            .chain(made)
            .map(|variable| (variable, Rational::one()))
            .collect()
    }

    /// Sends and merges that use `v[k,m]` at a node, with coefficient -1.
    fn losses(&self, node: NodeId, part: Interval) -> Vec<(Quantity, Rational)> {
        let Interval { first, last } = part;
        let links = self.all.given.platform.outgoing(node).iter();
        let sent = links.filter_map(|&link| self.send(link, part));
        let on_the_left = (last + 1..=self.all.result().last)
            .filter_map(|end| self.merge(node, Interval { first, last: end }, last));
        let on_the_right = (0..first).filter_map(|start| {
            let whole = Interval { first: start, last };
            let split = if self.all.errors.wrong_split {
                first
            } else {
                first.saturating_sub(1)
            };
            // As printed, the split may be the last operand of the whole: no such merge exists.
            (split < last)
                .then(|| self.merge(node, whole, split))
                .flatten()
        });
        sent.chain(on_the_left)
            .chain(on_the_right)
            .map(|variable| (variable, -Rational::one()))
            .collect()
    }
}
