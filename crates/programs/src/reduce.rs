//! SSR (RR-4872 section 4.2): reductions of values in their owners' order.
//!
//! Corrected, no variable sends the result out of the target or a value into its owner (E000-10). In both forms value
//! `i` is at its owner and `N` is the last value throughout (E000-11, E000-12): read literally, the program yields 0
//! where not all nodes take part.

use std::fmt::Write as _;
use std::rc::Rc;

use num_traits::{One, Zero};
use oneport_plan::{Interval, Problem};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::form::{Form, ProgramError};
use crate::names::Names;
use crate::ports::{Busy, check};
use crate::program::{Family, Paper, Program, Relation, Sense, Size, Variable};

/// Writes the program. For `n` values, `m` links and `p` processors it has `O(n^2 m + n^3 p)` variables; no row has
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
    let mut program = Program::new(paper, code, Sense::Maximise, form.title(title));
    if form == Form::Printed {
        program.note("E000-10: receptions count, also of a result that comes back.");
    }
    program.note("E000-11, E000-12: value i is at its owner, and n - 1 is read as N, the number of the last value.");
    let names = Rc::new(Names::new(platform, &mut program));
    for (place, &owner) in participants.iter().enumerate() {
        program.note(format!(
            "v_{place}_{place} is the value of {}.",
            names.node(owner)
        ));
    }
    let places = Places {
        values: participants.len() as u64,
        links: platform.links().len() as u64,
        nodes: platform.nodes().len() as u64,
    };
    let processors = platform.mergers().count() as u64;
    let (variables, longest) = places.most(processors);
    program.expect(variables, longest)?;
    let throughput = program.variable("TP".to_string());
    program.aim(throughput);
    let busy = Busy::new(&mut program, platform, &names)?;
    let named = Rc::clone(&names);
    let tasks = program.family(move |place, text| {
        let _ = match places.task(place) {
            Place::Send(link, part) => {
                write!(text, "send({},{})", named.link(link), value(part))
            }
            Place::Merge(node, Interval { first, last }, split) => {
                write!(text, "cons({},T_{first}_{split}_{last})", named.node(node))
            }
        };
    });
    let reduction = Reduction {
        problem,
        target,
        participants,
        form,
        names,
        tasks,
        places,
    };
    reduction.add_times(&mut program, &busy)?;
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
                program.row(row, terms, Relation::Equal, Rational::zero())?;
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
    )?;
    program.end()
}

/// `v[k,m]`.
fn value(part: Interval) -> String {
    format!("v_{}_{}", part.first, part.last)
}

/// A task of the program, `send` or `cons`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Send(LinkId, Interval),
    Merge(NodeId, Interval, usize),
}

/// Numbers tasks: by parts, then links, then nodes and splits.
#[derive(Debug, Clone, Copy)]
struct Places {
    values: u64,
    links: u64,
    nodes: u64,
}

impl Places {
    fn per_part(self) -> u64 {
        self.links + self.nodes * self.values
    }

    fn of(self, task: Place) -> u64 {
        let (part, place) = match task {
            Place::Send(link, part) => (part, link.index() as u64),
            Place::Merge(node, part, split) => (
                part,
                self.links + node.index() as u64 * self.values + split as u64,
            ),
        };
        (part.first as u64 * self.values + part.last as u64) * self.per_part() + place
    }

    fn task(self, place: u64) -> Place {
        let (part, place) = (place / self.per_part(), place % self.per_part());
        let part = Interval {
            first: (part / self.values) as usize,
            last: (part % self.values) as usize,
        };
        match place.checked_sub(self.links) {
            None => Place::Send(LinkId::new(place as usize), part),
            Some(place) => {
                let node = NodeId::new((place / self.values) as usize);
                Place::Merge(node, part, (place % self.values) as usize)
            }
        }
    }

    /// Variables of the program, and terms of its longest row, at most.
    fn most(self, processors: u64) -> (u64, u64) {
        let n = self.values;
        let parts = n.saturating_mul(n + 1) / 2;
        let merges = parts.saturating_mul(n.saturating_sub(1)) / 3;
        let sends = parts.saturating_add(1).saturating_mul(self.links);
        let all = processors
            .saturating_mul(merges.saturating_add(1))
            .saturating_add(sends);
        (all.saturating_add(1), merges.max(parts).max(self.links))
    }
}

struct Reduction<'a> {
    problem: &'a Problem,
    target: NodeId,
    participants: &'a [NodeId],
    form: Form,
    names: Rc<Names<'a>>,
    /// `send` and `cons`.
    tasks: Family,
    places: Places,
}

impl Reduction<'_> {
    fn result(&self) -> Interval {
        Interval {
            first: 0,
            last: self.participants.len().saturating_sub(1),
        }
    }

    fn parts(&self) -> impl Iterator<Item = Interval> + use<> {
        let last = self.result().last;
        (0..=last).flat_map(move |first| (first..=last).map(move |last| Interval { first, last }))
    }

    fn owns(&self, node: NodeId, part: Interval) -> bool {
        part.first == part.last && self.participants.get(part.first) == Some(&node)
    }

    /// (7), (8) and (9).
    fn add_times(&self, program: &mut Program<'_>, busy: &Busy) -> Result<(), ProgramError> {
        let platform = self.problem.platform();
        program.section("(8) A link is busy for what is sent over it.");
        for link in platform.link_ids() {
            let sent = |part| {
                Some((
                    self.send(link, part)?,
                    self.problem.transfer_time(link, part),
                ))
            };
            busy.time(program, &self.names, link, self.parts().filter_map(sent))?;
        }
        program.section("(7), (9) A processor is busy for what it computes.");
        for node in platform.mergers() {
            let name = self.names.node(node);
            let alpha = program.variable(format!("alpha({name})"));
            let (volumes, mut count) = (self.problem.volumes(), 0);
            let splits = |part: Interval| (part.first..part.last).map(move |split| (part, split));
            let merges = self.parts().flat_map(splits).filter_map(|(part, split)| {
                let variable = self.merge(node, part, split)?;
                count += 1;
                Some((variable, -volumes.merge_time(platform, node, part, split)))
            });
            let terms = std::iter::once((alpha, Rational::one())).chain(merges);
            program.row(
                format!("compute({name})"),
                terms,
                Relation::Equal,
                Rational::zero(),
            )?;
            program.declare(count);
            let row = format!("processor({name})");
            program.row(
                row,
                [(alpha, Rational::one())],
                Relation::AtMost,
                Rational::one(),
            )?;
        }
        Ok(())
    }

    /// `send(Pi,Pj,v[k,m])`; `None` where the value has no business.
    fn send(&self, link: LinkId, part: Interval) -> Option<Variable> {
        let ends = self.problem.platform().link(link);
        let returns =
            self.owns(ends.to, part) || (part == self.result() && ends.from == self.target);
        (self.form == Form::Printed || !returns).then(|| self.at(Place::Send(link, part)))
    }

    /// `cons(Pi,T_k,l,m)`; `None` for a node that does not merge.
    fn merge(&self, node: NodeId, part: Interval, split: usize) -> Option<Variable> {
        let able = self.problem.platform().node(node).merges()
            && self.problem.volumes().can_merge(node, part, split);
        able.then(|| self.at(Place::Merge(node, part, split)))
    }

    fn at(&self, task: Place) -> Variable {
        self.tasks.at(self.places.of(task))
    }

    /// Receptions and merges that make `v[k,m]` at a node.
    fn gains(&self, node: NodeId, part: Interval) -> Vec<(Variable, Rational)> {
        let links = self.problem.platform().incoming(node).iter();
        let received = links.filter_map(|&link| self.send(link, part));
        let made = (part.first..part.last).filter_map(|split| self.merge(node, part, split));
        received
            .chain(made)
            .map(|variable| (variable, Rational::one()))
            .collect()
    }

    /// Sends and merges that use `v[k,m]` at a node, with coefficient -1.
    fn losses(&self, node: NodeId, part: Interval) -> Vec<(Variable, Rational)> {
        let Interval { first, last } = part;
        let links = self.problem.platform().outgoing(node).iter();
        let sent = links.filter_map(|&link| self.send(link, part));
        let on_the_left = (last + 1..=self.result().last)
            .filter_map(|end| self.merge(node, Interval { first, last: end }, last));
        let on_the_right = (0..first).filter_map(|start| {
            let whole = Interval { first: start, last };
            self.merge(node, whole, first.saturating_sub(1))
        });
        sent.chain(on_the_left)
            .chain(on_the_right)
            .map(|variable| (variable, -Rational::one()))
            .collect()
    }
}
