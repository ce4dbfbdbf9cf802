//! The named collectives as data: names, roles, constructors. Readers, writers and commands loop over them.

use std::collections::BTreeSet;

use oneport_platform::NodeId;

use crate::collective::Collective;

/// A role that nodes play in a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Its name in files and options: `source`, `targets`.
    pub key: &'static str,
    /// The name of one node of the role in messages: `source`, `target`.
    pub one: &'static str,
    /// Whether several nodes play it.
    pub many: bool,
}

/// The roles and properties of a named collective. Readers, writers and commands need no others.
#[derive(Debug)]
pub struct Form {
    /// The name used on the command line and in files.
    pub name: &'static str,
    /// One sentence that describes it.
    pub about: &'static str,
    /// The roles: at most one that a single node plays, before the lists.
    pub roles: &'static [Role],
    /// Whether values are combined, so that work matters.
    pub combines: bool,
    /// Whether the operator may be commutative.
    pub commutes: bool,
    /// How benchmarks count its bandwidth; `None` where they do not.
    pub traffic: Option<Traffic>,
    build: fn(&[Vec<NodeId>], bool) -> Collective,
}

impl Form {
    /// The form of this name.
    pub fn find(name: &str) -> Option<&'static Form> {
        Collective::forms().iter().find(|form| form.name == name)
    }

    /// The collective whose roles are played by these nodes, one list per role. A list that is missing is empty; a role
    /// that a single node plays needs one.
    pub fn build(&self, nodes: &[Vec<NodeId>], commutative: bool) -> Option<Collective> {
        let complete = self.roles.iter().enumerate().all(|(place, role)| match nodes.get(place) {
            Some(nodes) => role.many || nodes.len() == 1,
            None => role.many,
        });
        complete.then(|| (self.build)(nodes, commutative))
    }

    /// Whether a node may play both the first role and one of the others. The target of a reduction may own a value,
    /// but a source does not send to itself.
    pub fn overlaps(&self) -> bool {
        self.combines
    }
}

impl Collective {
    /// The named collectives.
    pub fn forms() -> &'static [Form] {
        &FORMS
    }

    /// The form of a named collective; `None` for groups and custom demands.
    pub fn form(&self) -> Option<&'static Form> {
        Form::find(self.name())
    }
}

/// How benchmarks (nccl-tests) count the bandwidth of a collective among `n` ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Whether the size of an operation is that of `n` messages (one per rank), and not of one.
    pub per_rank: bool,
    /// Bus bandwidth is algorithm bandwidth times `passes (n - 1) / n`; 0 passes: they are the same.
    pub passes: u64,
}

/// One message per rank; each rank sends or receives all but its own.
const SPREAD: Traffic = Traffic { per_rank: true, passes: 1 };
/// One message, which passes every rank once.
const ROOTED: Traffic = Traffic { per_rank: false, passes: 0 };
/// One message, reduced and spread again.
const TWICE: Traffic = Traffic { per_rank: false, passes: 2 };

const SOURCES: Role = Role { key: "sources", one: "source", many: true };
const SOURCE: Role = Role { key: "source", one: "source", many: false };
const TARGET: Role = Role { key: "target", one: "target", many: false };
const TARGETS: Role = Role { key: "targets", one: "target", many: true };
const PARTICIPANTS: Role = Role { key: "participants", one: "participant", many: true };

fn single(nodes: &[Vec<NodeId>]) -> NodeId {
    nodes.first().and_then(|nodes| nodes.first()).copied().unwrap_or(NodeId::new(0))
}

fn list(nodes: &[Vec<NodeId>], place: usize) -> Vec<NodeId> {
    nodes.get(place).cloned().unwrap_or_default()
}

/// The nodes that are in the other list too, and the rest; each in the order of this list.
fn split(nodes: &[NodeId], others: &[NodeId]) -> (Vec<NodeId>, Vec<NodeId>) {
    let others: BTreeSet<NodeId> = others.iter().copied().collect();
    nodes.iter().partition(|node| others.contains(*node))
}

/// The named collectives.
static FORMS: [Form; 11] = [
    Form {
        name: "scatter",
        about: "The source sends a distinct message to each target",
        roles: &[SOURCE, TARGETS],
        combines: false,
        commutes: false,
        traffic: Some(SPREAD),
        build: |nodes, _| Collective::Scatter { source: single(nodes), targets: list(nodes, 1) },
    },
    Form {
        name: "gather",
        about: "Each participant sends a distinct message to the target",
        roles: &[TARGET, PARTICIPANTS],
        combines: false,
        commutes: false,
        traffic: Some(SPREAD),
        build: |nodes, _| Collective::Gather { target: single(nodes), participants: list(nodes, 1) },
    },
    Form {
        name: "all-to-all",
        about: "Each participant sends a distinct message to each other participant",
        roles: &[PARTICIPANTS],
        combines: false,
        commutes: false,
        traffic: Some(SPREAD),
        build: |nodes, _| Collective::AllToAll { participants: list(nodes, 0) },
    },
    Form {
        name: "sources-to-targets",
        about: "Each source sends a distinct message to each target",
        roles: &[SOURCES, TARGETS],
        combines: false,
        commutes: false,
        traffic: None,
        build: |nodes, _| {
            let (sources, targets) = (list(nodes, 0), list(nodes, 1));
            let (both, apart) = split(&sources, &targets);
            let (_, targets) = split(&targets, &sources);
            Collective::SourcesToTargets { sources: [both.clone(), apart].concat(), targets: [both, targets].concat() }
        },
    },
    Form {
        name: "reduce",
        about: "The participants' values are combined into one at the target",
        roles: &[TARGET, PARTICIPANTS],
        combines: true,
        commutes: true,
        traffic: Some(ROOTED),
        build: |nodes, commutative| Collective::Reduce {
            target: single(nodes),
            participants: list(nodes, 1),
            commutative,
        },
    },
    Form {
        name: "reduce-scatter",
        about: "One reduction per participant, with the result at that participant",
        roles: &[PARTICIPANTS],
        combines: true,
        commutes: true,
        traffic: Some(SPREAD),
        build: |nodes, commutative| Collective::ReduceScatter { participants: list(nodes, 0), commutative },
    },
    Form {
        name: "broadcast",
        about: "The source's message is copied to all targets",
        roles: &[SOURCE, TARGETS],
        combines: false,
        commutes: false,
        traffic: Some(ROOTED),
        build: |nodes, _| Collective::Broadcast { source: single(nodes), targets: list(nodes, 1) },
    },
    Form {
        name: "all-gather",
        about: "Each participant's message is copied to all others",
        roles: &[PARTICIPANTS],
        combines: false,
        commutes: false,
        traffic: Some(SPREAD),
        build: |nodes, _| Collective::AllGather { participants: list(nodes, 0) },
    },
    Form {
        name: "all-reduce",
        about: "The participants' values are combined into one, which all receive",
        roles: &[PARTICIPANTS],
        combines: true,
        commutes: true,
        traffic: Some(TWICE),
        build: |nodes, commutative| Collective::AllReduce { participants: list(nodes, 0), commutative },
    },
    Form {
        name: "reduce-to-several",
        about: "The participants' values are combined into one, which every target receives",
        roles: &[TARGETS, PARTICIPANTS],
        combines: true,
        commutes: true,
        traffic: None,
        build: |nodes, commutative| Collective::ReduceToSeveral {
            targets: list(nodes, 0),
            participants: list(nodes, 1),
            commutative,
        },
    },
    Form {
        name: "scan",
        about: "Parallel prefix: each participant receives the values up to its own, combined",
        roles: &[PARTICIPANTS],
        combines: true,
        commutes: false,
        traffic: None,
        build: |nodes, _| Collective::Scan { participants: list(nodes, 0) },
    },
];
