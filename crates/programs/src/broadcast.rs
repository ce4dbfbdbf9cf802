//! The flow program of a broadcast by the occupation of ports (RR-2004-32 sections 2.2.1 and 2.2.2).
//!
//! `x(Pi,Pj,Pk)` is the number of messages for `P_i` that transit on `P_j -> P_k`, `t(Pj,Pk)` the time for which the
//! link is busy, `t_in` and `t_out` the busy times of the ports, `a` the throughput. The paper prints the program of
//! one example. The general one follows its text.
//!
//! Corrected, `t(Pj,Pk)` is at least `c(j,k) x(Pi,Pj,Pk)` (E004-1), and no variable brings a message back to the source
//! or out of its target. If all nodes are targets and none is a switch, the optimum is the throughput (Edmonds'
//! branching theorem). With other nodes it is an upper bound.
//!
//! A half-duplex node has one port for both directions. With such nodes this is the program that section 2.2.2 marks
//! as wrong: its optimum is an upper bound, because port times within limits need not fit (3/4 on figure 2, where 2/3
//! is the throughput). (P) is right there.

use num_traits::{One, Zero};
use oneport_exact::{Relation, Sense};
use oneport_plan::{Interval, Problem};
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational, whole};

use crate::errata::Errata;
use crate::form::{Form, Limits, ProgramError, check_switches};
use crate::linear::{Equation, Port, Quantity};
use crate::names::{Letters, Names};
use crate::ports::{add_limits, check_ports};
use crate::program::{Paper, Program, Size};

/// Writes the program. `O(m k)` variables for `m` links and `k` targets.
///
/// # Errors
/// Another collective, switches. As printed, nodes of several ports.
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
    let mut program = Program::new(paper, code, Sense::Maximize);
    program.note(form.title(title));
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
    program.name(|| Names::new(platform, Letters::Broadcast(targets.to_vec())));
    let message = Message {
        source,
        targets,
        rate: 1,
        time: &|link| problem.transfer_time(link, Interval::single(0)),
    };
    let copies = Copies {
        platform,
        messages: &[message],
        errors: form.errors(Errata::BROADCAST),
    };
    copies.add_rows(&mut program, Limits::Papers)?;
    program.end()
}

/// A message that is copied.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    /// Where it starts.
    pub source: NodeId,
    /// Its targets, without the source.
    pub targets: &'a [NodeId],
    /// How often per instance.
    pub rate: u64,
    /// The time of the message on a link.
    pub time: &'a dyn Fn(LinkId) -> Rational,
}

/// Messages that are copied, and the columns to read. The paper has one message. Several messages share links and
/// ports.
pub(crate) struct Copies<'a> {
    pub(crate) platform: &'a Platform,
    pub(crate) messages: &'a [Message<'a>],
    pub(crate) errors: Errata,
}

impl Copies<'_> {
    /// Writes all rows. With the papers' limits a link's time covers the copies of the only message. With those of the
    /// resources a variable counts the copies of each message on a link, and covers those for each target.
    pub(crate) fn add_rows(
        &self,
        program: &mut Program<'_>,
        limits: Limits,
    ) -> Result<(), ProgramError> {
        let platform = self.platform;
        let links = platform.links().len() as u64;
        let targets: usize = self
            .messages
            .iter()
            .map(|message| message.targets.len())
            .sum();
        let variables = (targets as u64 + 1).saturating_mul(links);
        program.expect(variables.saturating_add(1), links)?;
        program.declare(1);
        program.aim(Quantity::Throughput);
        match limits {
            Limits::Papers => program.declare(links),
            Limits::Resources => {
                add_limits(program, platform, limits)?;
                self.add_times(program)?;
            }
        }
        program.section(
            "All messages leave the source and reach their targets, and what arrives elsewhere leaves.",
        );
        for flow in self.flows() {
            flow.add_rows(program)?;
        }
        program.section("A link is busy for the messages of every target.");
        for flow in self.flows() {
            flow.add_cover(program, limits)?;
        }
        match limits {
            Limits::Papers => add_ports(program, platform),
            Limits::Resources => Ok(()),
        }
    }

    /// A flow for each message and target.
    fn flows(&self) -> impl Iterator<Item = Flow<'_>> {
        let of_message = move |(number, message)| {
            let all: &Message<'_> = message;
            let flow = move |(index, &target)| Flow {
                platform: self.platform,
                errors: self.errors,
                message: all,
                number,
                target,
                index,
            };
            all.targets.iter().enumerate().map(flow)
        };
        self.messages.iter().enumerate().flat_map(of_message)
    }

    /// A link is busy for the copies of every message.
    fn add_times(&self, program: &mut Program<'_>) -> Result<(), ProgramError> {
        for link in self.platform.link_ids() {
            let sent = self.messages.iter().enumerate().map(|(number, message)| {
                let copies = Quantity::Copies {
                    message: number,
                    target: None,
                    link,
                };
                (copies, (message.time)(link))
            });
            program.define(Equation::Time(link), Quantity::Busy(link), sent)?;
        }
        Ok(())
    }
}

/// The copies of a message for one target.
struct Flow<'a> {
    platform: &'a Platform,
    errors: Errata,
    message: &'a Message<'a>,
    number: usize,
    target: NodeId,
    /// The target's number.
    index: usize,
}

impl Flow<'_> {
    /// `x(Pi,Pj,Pk)`. `None` if the message never uses the link.
    fn of(&self, link: LinkId) -> Option<Quantity> {
        let ends = self.platform.link(link);
        let useful = ends.to != self.message.source && ends.from != self.target;
        (self.errors.returns || useful).then_some(Quantity::Copies {
            message: self.number,
            target: Some(self.index),
            link,
        })
    }

    fn sum(&self, links: &[LinkId], value: i64) -> Vec<(Quantity, Rational)> {
        let value = whole(value);
        links
            .iter()
            .filter_map(|&link| Some((self.of(link)?, value.clone())))
            .collect()
    }

    fn add_rows(&self, program: &mut Program<'_>) -> Result<(), ProgramError> {
        let platform = self.platform;
        for node in platform.node_ids() {
            let throughput = (Quantity::Throughput, -whole(self.message.rate));
            let mut terms = Vec::new();
            let row = if node == self.message.source {
                terms.extend(self.sum(platform.outgoing(node), 1));
                terms.push(throughput);
                Equation::Leave(self.index)
            } else {
                terms.extend(self.sum(platform.incoming(node), 1));
                if node == self.target {
                    terms.push(throughput);
                } else {
                    terms.extend(self.sum(platform.outgoing(node), -1));
                }
                Equation::Flow {
                    message: self.number,
                    target: self.index,
                    node,
                }
            };
            program.row(row, terms, Relation::Equal, Rational::zero())?;
        }
        Ok(())
    }

    fn add_cover(&self, program: &mut Program<'_>, limits: Limits) -> Result<(), ProgramError> {
        let (covers, fits) = if self.errors.time_from_above {
            (Relation::AtMost, Relation::AtLeast)
        } else {
            (Relation::AtLeast, Relation::AtMost)
        };
        for link in self.platform.link_ids() {
            let Some(sent) = self.of(link) else { continue };
            let (terms, relation) = match limits {
                Limits::Papers => {
                    let time = (self.message.time)(link);
                    let busy = (Quantity::Busy(link), Rational::one());
                    ([busy, (sent, -time)], covers)
                }
                Limits::Resources => {
                    let all = Quantity::Copies {
                        message: self.number,
                        target: None,
                        link,
                    };
                    ([(all, -Rational::one()), (sent, Rational::one())], fits)
                }
            };
            let row = Equation::Cover {
                message: self.number,
                target: self.index,
                link,
            };
            program.row(row, terms, relation, Rational::zero())?;
            program.declare(1);
        }
        Ok(())
    }
}

/// Occupation of ports. If neither end's port limits it, a link has a separate row.
fn add_ports(program: &mut Program<'_>, platform: &Platform) -> Result<(), ProgramError> {
    program.section("A port is busy for its links, at most all the time.");
    for node in platform.node_ids() {
        let Some(ports) = platform.ports(node) else {
            continue;
        };
        let [incoming, outgoing] = [platform.incoming(node), platform.outgoing(node)];
        let sides = match platform.model_of(node) {
            PortModel::HalfDuplex => vec![(Port::Both, [incoming, outgoing].concat())],
            _ => vec![
                (Port::In, incoming.to_vec()),
                (Port::Out, outgoing.to_vec()),
            ],
        };
        for (side, links) in sides {
            let busy = Quantity::PortBusy(node, side);
            program.declare(1);
            let taken = links
                .iter()
                .map(|&link| (Quantity::Busy(link), -Rational::one()));
            let terms = std::iter::once((busy, Rational::one())).chain(taken);
            let row = Equation::PortTime(node, side);
            program.row(row, terms, Relation::Equal, Rational::zero())?;
            let most = whole(ports);
            let row = Equation::Port(node, side);
            program.row(row, [(busy, Rational::one())], Relation::AtMost, most)?;
        }
    }
    let single = |node: NodeId| platform.ports(node) == Some(1);
    program.section("A link serves one transfer at a time.");
    for link in platform.link_ids() {
        let ends = platform.link(link);
        if !single(ends.from) && !single(ends.to) {
            let busy = [(Quantity::Busy(link), Rational::one())];
            program.row(
                Equation::Link(link),
                busy,
                Relation::AtMost,
                Rational::one(),
            )?;
        }
    }
    Ok(())
}
