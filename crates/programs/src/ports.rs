//! Common parts of the programs of the bidirectional one-port model: `s(Pi,Pj)`, the fraction of time for which a link
//! is busy, and equations (1) to (3) of RR-4872.

use num_traits::One;
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};

use crate::form::{Form, ProgramError};
use crate::names::Names;
use crate::program::{Program, Relation, Variable};

/// The variables `s(Pi,Pj)`, by links.
pub(crate) struct Busy {
    variables: Vec<Variable>,
}

/// Refuses nodes to which the program's rows do not apply: half-duplex ones, for which no rows on single ports are
/// enough, and in the printed form whatever is not full-duplex.
pub(crate) fn check(
    platform: &Platform,
    program: &'static str,
    form: Form,
) -> Result<(), ProgramError> {
    check_ports(platform, program, form, |_| false)
}

/// The same, where nodes of some more models have rows.
pub(crate) fn check_ports(
    platform: &Platform,
    program: &'static str,
    form: Form,
    described: impl Fn(PortModel) -> bool,
) -> Result<(), ProgramError> {
    let fits = |&node: &NodeId| match platform.model_of(node) {
        PortModel::FullDuplex => true,
        PortModel::HalfDuplex => described(PortModel::HalfDuplex),
        PortModel::Multiport | PortModel::Links => form == Form::Corrected,
    };
    match platform.node_ids().find(|node| !fits(node)) {
        None => Ok(()),
        Some(node) => Err(ProgramError::Model {
            program,
            node: platform.name(node).to_string(),
            model: platform.model_of(node),
            right: match (form, described(PortModel::HalfDuplex)) {
                (Form::Corrected, _) => {
                    "full-duplex, multiport or links (p and d take half-duplex)"
                }
                (Form::Printed, false) => "full-duplex",
                (Form::Printed, true) => "full-duplex or half-duplex",
            },
        }),
    }
}

impl Busy {
    /// The variables and rows (1) to (3). A multiport node has as many sends and receives at a time as ports, a node
    /// of the `links` model has no row.
    pub(crate) fn new(
        program: &mut Program<'_>,
        platform: &Platform,
        names: &Names<'_>,
    ) -> Result<Busy, ProgramError> {
        let name = |link| format!("s({})", names.link(link));
        let variables: Vec<Variable> = platform
            .link_ids()
            .map(|link| program.variable(name(link)))
            .collect();
        let busy = Busy { variables };
        program.section("(1) A link is busy at most all the time.");
        for link in platform.link_ids() {
            let row = format!("busy({})", names.link(link));
            program.row(
                row,
                [(busy.of(link), Rational::one())],
                Relation::AtMost,
                Rational::one(),
            )?;
        }
        program.section("(2) Outgoing messages.");
        for node in platform.node_ids() {
            busy.port(
                program,
                platform,
                node,
                format!("out({})", names.node(node)),
                platform.outgoing(node),
            )?;
        }
        program.section("(3) Incoming messages.");
        for node in platform.node_ids() {
            busy.port(
                program,
                platform,
                node,
                format!("in({})", names.node(node)),
                platform.incoming(node),
            )?;
        }
        if !platform.shared().is_empty() {
            program.section("Shared capacities, which the report lacks: s(Pi,Pj) is at full rate.");
        }
        for (place, shared) in platform.shared().iter().enumerate() {
            program.note(format!(
                "shared({place}) is the capacity {:?}.",
                shared.name
            ));
            let part = |(&link, &weight): (&LinkId, &u32)| {
                let time = Rational::from_integer(weight.into()) / &shared.rate;
                (busy.of(link), time / &platform.link(link).cost)
            };
            program.row(
                format!("shared({place})"),
                shared.weights.iter().map(part),
                Relation::AtMost,
                Rational::one(),
            )?;
        }
        Ok(busy)
    }

    fn port(
        &self,
        program: &mut Program<'_>,
        platform: &Platform,
        node: NodeId,
        name: String,
        links: &[LinkId],
    ) -> Result<(), ProgramError> {
        let Some(ports) = platform.ports(node) else {
            return Ok(());
        };
        if !links.is_empty() {
            let terms = links.iter().map(|&link| (self.of(link), Rational::one()));
            program.row(
                name,
                terms,
                Relation::AtMost,
                Rational::from_integer(ports.into()),
            )?;
        }
        Ok(())
    }

    /// `s(Pi,Pj)` of a link.
    pub(crate) fn of(&self, link: LinkId) -> Variable {
        self.variables[link.index()]
    }

    /// (4) and (8): a link is busy for what is sent over it; `sent` lists variables of families with their times, each
    /// of which is in no other row of this kind.
    pub(crate) fn time(
        &self,
        program: &mut Program<'_>,
        names: &Names<'_>,
        link: LinkId,
        sent: impl IntoIterator<Item = (Variable, Rational)>,
    ) -> Result<(), ProgramError> {
        let mut count = 0;
        let sent = sent.into_iter().map(|(variable, time)| {
            count += 1;
            (variable, -time)
        });
        let terms = std::iter::once((self.of(link), Rational::one())).chain(sent);
        program.row(
            format!("time({})", names.link(link)),
            terms,
            Relation::Equal,
            Rational::default(),
        )?;
        program.declare(count);
        Ok(())
    }
}
