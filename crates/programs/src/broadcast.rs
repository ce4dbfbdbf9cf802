//! The flow program of a broadcast in the bidirectional one-port model (RR-2004-32 section 2.2.1).
//!
//! `x(Pi,Pj,Pk)` is the number of messages for `P_i` that transit on `P_j -> P_k`, `t(Pj,Pk)` the time for which the
//! link is busy, `t_in` and `t_out` the busy times of the ports, `a` the throughput. The paper prints the program of
//! one example; the general one follows its text.
//!
//! Corrected, `t(Pj,Pk)` is at least `c(j,k) x(Pi,Pj,Pk)` (E004-1), and no variable brings a message back to the source
//! or out of its target. Where all nodes are targets and none is a switch, the optimum is the throughput (Edmonds'
//! branching theorem); with other nodes it is an upper bound.

use num_traits::{One, Zero};
use oneport_plan::{Interval, Problem};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::form::{Form, ProgramError, check_switches};
use crate::names::Names;
use crate::ports::check;
use crate::program::{Program, Relation, Sense, Variable};

/// Builds the program. `O(m k)` variables for `m` links and `k` targets.
///
/// # Errors
/// Another collective, switches, nodes that are not full-duplex.
pub(crate) fn build(problem: &Problem, form: Form) -> Result<Program, ProgramError> {
    let code = "broadcast";
    let collective = problem.collective();
    let (true, &[&[source], targets]) = (
        collective.is(oneport_plan::Form::BROADCAST),
        &collective.cast()[..],
    ) else {
        return Err(ProgramError::Collective {
            program: code,
            found: collective.name(),
            right: code,
        });
    };
    let platform = problem.platform();
    check(platform, code, form)?;
    check_switches(platform, code)?;
    let title = "Bidirectional steady-state broadcast problem on G: RR-2004-32, section 2.2.1";
    let mut program = Program::new(Sense::Maximise, form.title(title));
    match form {
        Form::Printed => {
            program.note("E004-1: the time of a link is bounded from above by its messages.")
        }
        Form::Corrected if targets.len() + 1 < platform.nodes().len() => program.note(
            "Some nodes are no targets: the optimum is an upper bound, and trees may attain less.",
        ),
        Form::Corrected => {}
    }
    let names = Names::new(platform, &mut program);
    let throughput = program.variable("a".to_string());
    program.aim(throughput);
    let times: Vec<Variable> = platform
        .link_ids()
        .map(|link| program.variable(format!("t({})", names.link(link))))
        .collect();
    program.section(
        "All messages leave the source and reach their targets, and what arrives elsewhere leaves.",
    );
    let mut flows = Vec::new();
    for &target in targets {
        let flow = Flow::new(&mut program, problem, form, &names, (source, target));
        flow.add_rows(&mut program, problem, &names, throughput);
        flows.push(flow);
    }
    program.section("A link is busy for the messages of every target.");
    let relation = if form == Form::Printed {
        Relation::AtMost
    } else {
        Relation::AtLeast
    };
    for flow in &flows {
        for link in platform.link_ids() {
            if let Some(sent) = flow.sent[link.index()] {
                let time = problem.transfer_time(link, Interval::single(0));
                let terms = [(times[link.index()], Rational::one()), (sent, -time)];
                let row = format!("time({},{})", names.node(flow.target), names.link(link));
                program.row(row, terms, relation, Rational::zero());
            }
        }
    }
    add_ports(&mut program, problem, &names, &times);
    Ok(program)
}

/// The messages for one target.
struct Flow {
    source: NodeId,
    target: NodeId,
    /// `x(Pi,Pj,Pk)` by links.
    sent: Vec<Option<Variable>>,
}

impl Flow {
    fn new(
        program: &mut Program,
        problem: &Problem,
        form: Form,
        names: &Names<'_>,
        (source, target): (NodeId, NodeId),
    ) -> Flow {
        let variable = |link: LinkId| {
            let ends = problem.platform().link(link);
            let useful = form == Form::Printed || (ends.to != source && ends.from != target);
            useful.then(|| {
                program.variable(format!("x({},{})", names.node(target), names.link(link)))
            })
        };
        let sent = problem.platform().link_ids().map(variable).collect();
        Flow {
            source,
            target,
            sent,
        }
    }

    fn sum(&self, links: &[LinkId], value: i64) -> Vec<(Variable, Rational)> {
        let value = Rational::from_integer(value.into());
        links
            .iter()
            .filter_map(|link| Some((self.sent[link.index()]?, value.clone())))
            .collect()
    }

    fn add_rows(
        &self,
        program: &mut Program,
        problem: &Problem,
        names: &Names<'_>,
        throughput: Variable,
    ) {
        let platform = problem.platform();
        let target = names.node(self.target);
        for node in platform.node_ids() {
            let (mut terms, row) = if node == self.source {
                (
                    self.sum(platform.outgoing(node), 1),
                    format!("leave({target})"),
                )
            } else if node == self.target {
                (
                    self.sum(platform.incoming(node), 1),
                    format!("reach({target})"),
                )
            } else {
                let mut terms = self.sum(platform.incoming(node), 1);
                terms.extend(self.sum(platform.outgoing(node), -1));
                (terms, format!("conserve({target},{})", names.node(node)))
            };
            if node == self.source || node == self.target {
                terms.push((throughput, -Rational::one()));
            }
            program.row(row, terms, Relation::Equal, Rational::zero());
        }
    }
}

/// Occupation of ports. If neither end's port limits it, a link has a separate row.
fn add_ports(program: &mut Program, problem: &Problem, names: &Names<'_>, times: &[Variable]) {
    let platform = problem.platform();
    program.section("A port is busy for its links, at most all the time.");
    for node in platform.node_ids() {
        let Some(ports) = platform.ports(node) else {
            continue;
        };
        for (side, links) in [
            ("in", platform.incoming(node)),
            ("out", platform.outgoing(node)),
        ] {
            let name = names.node(node);
            let port = program.variable(format!("t_{side}({name})"));
            let busy = links
                .iter()
                .map(|link| (times[link.index()], -Rational::one()));
            let terms = std::iter::once((port, Rational::one())).chain(busy);
            program.row(
                format!("{side}({name})"),
                terms,
                Relation::Equal,
                Rational::zero(),
            );
            let limit = Rational::from_integer(ports.into());
            program.row(
                format!("port_{side}({name})"),
                [(port, Rational::one())],
                Relation::AtMost,
                limit,
            );
        }
    }
    let single = |node: NodeId| platform.ports(node) == Some(1);
    program.section("A link serves one transfer at a time.");
    for link in platform.link_ids() {
        let ends = platform.link(link);
        if !single(ends.from) && !single(ends.to) {
            let row = format!("link({})", names.link(link));
            program.row(
                row,
                [(times[link.index()], Rational::one())],
                Relation::AtMost,
                Rational::one(),
            );
        }
    }
}
