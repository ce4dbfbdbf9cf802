//! The flow program of a broadcast by the occupation of ports (RR-2004-32 sections 2.2.1 and 2.2.2).
//!
//! `x(Pi,Pj,Pk)` is the number of messages for `P_i` that transit on `P_j -> P_k`, `t(Pj,Pk)` the time for which the
//! link is busy, `t_in` and `t_out` the busy times of the ports, `a` the throughput. The paper prints the program of
//! one example; the general one follows its text.
//!
//! Corrected, `t(Pj,Pk)` is at least `c(j,k) x(Pi,Pj,Pk)` (E004-1), and no variable brings a message back to the source
//! or out of its target. Where all nodes are targets and none is a switch, the optimum is the throughput (Edmonds'
//! branching theorem); with other nodes it is an upper bound.
//!
//! A half-duplex node has one port for both directions. With such nodes this is the program that section 2.2.2 marks
//! as wrong: its optimum is an upper bound, because port times within limits need not fit (3/4 on figure 2, where 2/3
//! is the throughput). (P) is right there.

use std::fmt::Write as _;
use std::rc::Rc;

use num_traits::{One, Zero};
use oneport_plan::{Interval, Problem};
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};

use crate::form::{Form, ProgramError, check_switches};
use crate::names::Names;
use crate::ports::check_ports;
use crate::program::{Family, Paper, Program, Relation, Sense, Size, Variable};

/// Writes the program. `O(m k)` variables for `m` links and `k` targets.
///
/// # Errors
/// Another collective, switches; as printed, nodes of several ports.
pub(crate) fn build<'p>(
    problem: &'p Problem,
    form: Form,
    paper: Paper<'p>,
) -> Result<Size, ProgramError> {
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
    let half = platform
        .node_ids()
        .any(|node| platform.model_of(node) == PortModel::HalfDuplex);
    check_ports(platform, code, form, |model| model == PortModel::HalfDuplex)?;
    check_switches(platform, code)?;
    let title = if half {
        "Unidirectional steady-state broadcast problem on G (wrong solution): RR-2004-32, section 2.2.2"
    } else {
        "Bidirectional steady-state broadcast problem on G: RR-2004-32, section 2.2.1"
    };
    let mut program = Program::new(paper, code, Sense::Maximise, form.title(title));
    match form {
        Form::Printed => {
            program.note("E004-1: the time of a link is bounded from above by its messages.")
        }
        Form::Corrected if targets.len() + 1 < platform.nodes().len() => program.note(
            "Some nodes are no targets: the optimum is an upper bound, and trees may attain less.",
        ),
        Form::Corrected => {}
    }
    if half {
        program.note(
            "The paper calls this program wrong: half-duplex ports that are not too busy may still be too slow, since",
        );
        program.note("their links have to be matchings. The optimum is an upper bound; program p has the throughput.");
    }
    let names = Rc::new(Names::new(platform, &mut program));
    let links = platform.links().len();
    let variables = (targets.len() as u64 + 1).saturating_mul(links as u64);
    program.expect(variables.saturating_add(1), links as u64)?;
    let throughput = program.variable("a".to_string());
    program.aim(throughput);
    let times: Vec<Variable> = platform
        .link_ids()
        .map(|link| program.variable(format!("t({})", names.link(link))))
        .collect();
    program.section(
        "All messages leave the source and reach their targets, and what arrives elsewhere leaves.",
    );
    let named = (Rc::clone(&names), targets);
    let sent = program.family(move |place, text| {
        let (names, targets) = &named;
        let (target, link) = (place as usize / links, place as usize % links);
        if let Some(&target) = targets.get(target) {
            let (target, link) = (names.node(target), names.link(LinkId::new(link)));
            let _ = write!(text, "x({target},{link})");
        }
    });
    let flows = |(place, &target): (usize, &NodeId)| Flow {
        platform,
        form,
        source,
        target,
        sent,
        first: (place * links) as u64,
    };
    for flow in targets.iter().enumerate().map(flows) {
        flow.add_rows(&mut program, &names, throughput)?;
    }
    program.section("A link is busy for the messages of every target.");
    let relation = if form == Form::Printed {
        Relation::AtMost
    } else {
        Relation::AtLeast
    };
    for flow in targets.iter().enumerate().map(flows) {
        for link in platform.link_ids() {
            if let Some(sent) = flow.of(link) {
                let time = problem.transfer_time(link, Interval::single(0));
                let terms = [(times[link.index()], Rational::one()), (sent, -time)];
                let row = format!("time({},{})", names.node(flow.target), names.link(link));
                program.row(row, terms, relation, Rational::zero())?;
                program.declare(1);
            }
        }
    }
    add_ports(&mut program, problem, &names, &times)?;
    program.end()
}

/// The messages for one target.
struct Flow<'a> {
    platform: &'a Platform,
    form: Form,
    source: NodeId,
    target: NodeId,
    /// `x(Pi,Pj,Pk)`, by targets, then links.
    sent: Family,
    /// The place of the target's first link.
    first: u64,
}

impl Flow<'_> {
    /// `x(Pi,Pj,Pk)`; `None` where the messages have no business.
    fn of(&self, link: LinkId) -> Option<Variable> {
        let ends = self.platform.link(link);
        let useful = ends.to != self.source && ends.from != self.target;
        let place = self.first + link.index() as u64;
        (self.form == Form::Printed || useful).then(|| self.sent.at(place))
    }

    fn sum(&self, links: &[LinkId], value: i64) -> Vec<(Variable, Rational)> {
        let value = Rational::from_integer(value.into());
        links
            .iter()
            .filter_map(|&link| Some((self.of(link)?, value.clone())))
            .collect()
    }

    fn add_rows(
        &self,
        program: &mut Program<'_>,
        names: &Names<'_>,
        throughput: Variable,
    ) -> Result<(), ProgramError> {
        let platform = self.platform;
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
            program.row(row, terms, Relation::Equal, Rational::zero())?;
        }
        Ok(())
    }
}

/// Occupation of ports. If neither end's port limits it, a link has a separate row.
fn add_ports(
    program: &mut Program<'_>,
    problem: &Problem,
    names: &Names<'_>,
    times: &[Variable],
) -> Result<(), ProgramError> {
    let platform = problem.platform();
    program.section("A port is busy for its links, at most all the time.");
    for node in platform.node_ids() {
        let Some(ports) = platform.ports(node) else {
            continue;
        };
        let [incoming, outgoing] = [platform.incoming(node), platform.outgoing(node)];
        let sides = match platform.model_of(node) {
            PortModel::HalfDuplex => vec![(["busy", "t", "port"], [incoming, outgoing].concat())],
            _ => vec![
                (["in", "t_in", "port_in"], incoming.to_vec()),
                (["out", "t_out", "port_out"], outgoing.to_vec()),
            ],
        };
        for ([busy, time, limit], links) in sides {
            let name = names.node(node);
            let port = program.variable(format!("{time}({name})"));
            let taken = links
                .iter()
                .map(|link| (times[link.index()], -Rational::one()));
            let terms = std::iter::once((port, Rational::one())).chain(taken);
            program.row(
                format!("{busy}({name})"),
                terms,
                Relation::Equal,
                Rational::zero(),
            )?;
            let ports = Rational::from_integer(ports.into());
            program.row(
                format!("{limit}({name})"),
                [(port, Rational::one())],
                Relation::AtMost,
                ports,
            )?;
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
            )?;
        }
    }
    Ok(())
}
