//! Common parts of the programs of the bidirectional one-port model: `s(Pi,Pj)`, the fraction of time for which a link
//! is busy, and equations (1) to (3) of RR-4872.

use std::collections::BTreeMap;

use num_traits::One;
use oneport_exact::Relation;
use oneport_plan::Resource;
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational, whole};

use crate::form::{Form, Limits, ProgramError};
use crate::linear::{Equation, Port, Quantity};
use crate::program::Program;

/// Refuses nodes to which the program's rows do not apply: half-duplex ones, for which no rows on single ports are
/// enough, and in the printed form all but full-duplex ones.
pub(crate) fn check(
    platform: &Platform,
    program: &'static str,
    form: Form,
) -> Result<(), ProgramError> {
    check_ports(platform, program, form, |_| false)
}

/// This check for programs that have rows for some more models.
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

/// Writes the rows that limit links and ports over the variables `s(Pi,Pj)`. The papers' (1) to (3): a multiport node
/// has as many sends and receives at a time as ports, a node of the `links` model has no row.
pub(crate) fn add_limits(
    program: &mut Program<'_>,
    platform: &Platform,
    limits: Limits,
) -> Result<(), ProgramError> {
    program.declare(platform.links().len() as u64);
    if limits == Limits::Resources {
        return add_resources(program, platform);
    }
    program.section("(1) A link is busy at most all the time.");
    for link in platform.link_ids() {
        let busy = [(Quantity::Busy(link), Rational::one())];
        program.row(
            Equation::Link(link),
            busy,
            Relation::AtMost,
            Rational::one(),
        )?;
    }
    program.section("(2) Outgoing messages.");
    for node in platform.node_ids() {
        add_port(program, platform, node, Port::Out, platform.outgoing(node))?;
    }
    program.section("(3) Incoming messages.");
    for node in platform.node_ids() {
        add_port(program, platform, node, Port::In, platform.incoming(node))?;
    }
    add_shared(program, platform)
}

/// A row for each shared capacity. The report has none, and the printed form is refused before.
fn add_shared(program: &mut Program<'_>, platform: &Platform) -> Result<(), ProgramError> {
    if platform.shared().is_empty() {
        return Ok(());
    }
    program.section("Shared capacities, which the report lacks: s(Pi,Pj) is at full rate.");
    for (resource, terms) in terms(platform) {
        let Resource::Shared(id) = resource else {
            continue;
        };
        let name = platform.shared().get(id.index()).map(|shared| &shared.name);
        program.note(format!(
            "shared({}) is the capacity {:?}.",
            id.index(),
            name.map_or("", String::as_str)
        ));
        let row = Equation::Capacity(resource);
        program.row(row, terms, Relation::AtMost, Rational::one())?;
    }
    Ok(())
}

/// The busy time of each resource by links.
fn terms(platform: &Platform) -> BTreeMap<Resource, Vec<(Quantity, Rational)>> {
    let mut busy: BTreeMap<Resource, Vec<(Quantity, Rational)>> = BTreeMap::new();
    for link in platform.link_ids() {
        for used in Resource::uses(platform, link) {
            let term = (Quantity::Busy(link), used.of(&Rational::one()));
            busy.entry(used.resource).or_default().push(term);
        }
    }
    busy
}

fn add_port(
    program: &mut Program<'_>,
    platform: &Platform,
    node: NodeId,
    port: Port,
    links: &[LinkId],
) -> Result<(), ProgramError> {
    let Some(ports) = platform.ports(node) else {
        return Ok(());
    };
    if links.is_empty() {
        return Ok(());
    }
    let terms = links
        .iter()
        .map(|&link| (Quantity::Busy(link), Rational::one()));
    let ports = whole(ports);
    program.row(Equation::Port(node, port), terms, Relation::AtMost, ports)
}

fn add_resources(program: &mut Program<'_>, platform: &Platform) -> Result<(), ProgramError> {
    for (resource, terms) in terms(platform) {
        let capacity = whole(resource.capacity(platform));
        let row = Equation::Capacity(resource);
        program.row(row, terms, Relation::AtMost, capacity)?;
    }
    Ok(())
}
