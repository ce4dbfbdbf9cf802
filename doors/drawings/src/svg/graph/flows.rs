//! The load of each part of a platform, and the role of every node in the collective.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_plan::{Collective, Message, Problem, SteadyState, Task};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};

use crate::words;

/// Role of a node in the collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Source,
    Target,
    Participant,
    Processor,
    /// A processor on a drawing without participants.
    Alone,
    Router,
    /// A router that cannot copy.
    Switch,
}

impl Role {
    /// Fill colour, and outline width: the ends of a collective differ by more than colour.
    pub(super) fn style(self) -> (&'static str, f64) {
        match self {
            Role::Source => ("#d55e00", 3.5),
            Role::Target => ("#56b4e9", 1.2),
            Role::Participant | Role::Alone => ("#2fb58c", 1.2),
            Role::Processor => ("#e4e4e4", 1.2),
            Role::Router => ("#555555", 0.0),
            Role::Switch => ("#ffffff", 2.5),
        }
    }

    pub(super) fn name(self, collective: &Collective) -> &'static str {
        let groups = !collective.members().is_empty();
        let centre = words::centre(collective);
        match (self, centre) {
            (Role::Source, _) if groups => "source or target of a group",
            (Role::Participant, _) if groups => "member of a group",
            (Role::Target, Some("target")) => "sender",
            (Role::Source, Some("target")) if words::owns_too(collective) => {
                "target and participant"
            }
            (Role::Source, Some(centre)) => centre,
            (Role::Source, None) => "source",
            (Role::Target, _) => "target",
            (Role::Participant, _) => "participant",
            (Role::Processor, _) => "other processor",
            (Role::Alone, _) => "processor",
            (Role::Router, _) => "router (forwards only)",
            (Role::Switch, _) => "switch (forwards only, does not copy)",
        }
    }
}

/// Busy time of a link, port or processor per unit of time, and its tasks.
#[derive(Default)]
pub(super) struct Flows {
    pub busy: BTreeMap<LinkId, Rational>,
    pub rates: BTreeMap<LinkId, BTreeMap<Message, Rational>>,
    pub send: BTreeMap<NodeId, Rational>,
    pub receive: BTreeMap<NodeId, Rational>,
    pub compute: BTreeMap<NodeId, Rational>,
    pub merges: BTreeMap<NodeId, BTreeMap<Message, Rational>>,
}

/// Adds up the steady state. O(tasks).
pub(super) fn flows(problem: &Problem, steady_state: &SteadyState) -> Flows {
    let (platform, volumes) = (problem.platform(), problem.volumes());
    let mut flows = Flows::default();
    for weighted in &steady_state.patterns {
        for task in &weighted.pattern.tasks {
            let message = weighted.pattern.message(task.part());
            match *task {
                Task::Send { link: id, .. } => {
                    let Some(link) = words::link(platform, id) else {
                        continue;
                    };
                    let time = &weighted.weight * volumes.size_of(message) * &link.cost;
                    add(
                        flows.rates.entry(id).or_default(),
                        message,
                        &weighted.weight,
                    );
                    add(&mut flows.busy, id, &time);
                    add(&mut flows.send, link.from, &time);
                    add(&mut flows.receive, link.to, &time);
                }
                Task::Merge {
                    node, part, split, ..
                } => {
                    let time = &weighted.weight * volumes.merge_time(platform, node, part, split);
                    add(
                        flows.merges.entry(node).or_default(),
                        message,
                        &weighted.weight,
                    );
                    add(&mut flows.compute, node, &time);
                }
            }
        }
    }
    flows
}

fn add<K: Ord>(sums: &mut BTreeMap<K, Rational>, key: K, value: &Rational) {
    *sums.entry(key).or_insert_with(Rational::zero) += value;
}

/// The role of every node.
pub(super) fn roles(platform: &Platform, collective: &Collective) -> Vec<Role> {
    let role = |node: &Node| match (node.is_processor(), node.replicates) {
        (true, _) => Role::Processor,
        (false, true) => Role::Router,
        (false, false) => Role::Switch,
    };
    let mut roles: Vec<Role> = platform.nodes().iter().map(role).collect();
    assign(&mut roles, collective);
    if !collective.members().is_empty() {
        for member in collective.members().iter() {
            assign(&mut roles, &member.collective);
        }
        for role in roles.iter_mut().filter(|role| **role == Role::Target) {
            *role = Role::Participant;
        }
    }
    roles
}

/// The roles of the nodes that take part in a collective. The role that a single node plays is drawn differently.
fn assign(roles: &mut [Role], collective: &Collective) {
    let mut give = |nodes: &[NodeId], role: Role| {
        for node in nodes {
            if let Some(slot) = roles.get_mut(node.index()) {
                *slot = role;
            }
        }
    };
    for demand in collective.custom() {
        give(&demand.owners, Role::Participant);
        give(demand.demand().targets(), Role::Participant);
    }
    let Some(form) = collective.form() else {
        return;
    };
    let others = if words::centre(collective).is_some() && !form.combines {
        Role::Target
    } else {
        Role::Participant
    };
    for (role, nodes) in form.roles.iter().zip(collective.cast()).rev() {
        give(nodes, if role.many { others } else { Role::Source });
    }
}
