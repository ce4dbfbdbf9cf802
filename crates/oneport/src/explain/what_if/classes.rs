//! Cables, nodes' ports and processors that are alike, as classes whose speed varies.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_plan::{Problem, Resource};
use oneport_platform::names::{common, list};
use oneport_platform::{
    Change, LinkId, NodeId, Number, Platform, PortModel, Rational, SharedId, ratio,
};

/// The kind of a class's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Cables: a link and, if it has the same cost, the reverse link.
    Links,
    /// The ports of nodes that have some (all models but `links`): all links that enter or leave them.
    Ports,
    /// Processors.
    Processors,
    /// Capacities that links share.
    Shared,
}

impl Kind {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Links => "links",
            Kind::Ports => "ports",
            Kind::Processors => "processors",
            Kind::Shared => "shared",
        }
    }
}

/// Members that are alike: of equal kind, model and cost, with names that differ in digits only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The kind of the members.
    pub kind: Kind,
    /// The common part of the members' names.
    pub name: String,
    /// The number of cables, nodes or processors.
    pub members: usize,
    /// Cost of each link of its own (of ports: of each node's fastest link), or compute cost of each processor. Of
    /// shared capacities 1 over the rate.
    pub cost: Rational,
    links: Vec<LinkId>,
    nodes: Vec<NodeId>,
    shared: Vec<SharedId>,
}

/// A change of all members of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trial {
    /// Twice as fast: half the cost.
    Doubled,
    /// Half as fast: twice the cost.
    Halved,
    /// Links are removed. Processors only forward.
    Removed,
}

impl Trial {
    /// All trials.
    pub const ALL: [Trial; 3] = [Trial::Doubled, Trial::Halved, Trial::Removed];

    /// The name in `--json` and in the table.
    pub fn name(self) -> &'static str {
        match self {
            Trial::Doubled => "doubled",
            Trial::Halved => "halved",
            Trial::Removed => "removed",
        }
    }
}

impl Class {
    /// The changes of the trial. `None` if it does not apply (ports cannot be removed).
    pub fn changes(&self, trial: Trial) -> Option<Vec<Change>> {
        let factor = |up: i64, down: i64| Number::Times(ratio(up, down));
        match (trial, self.kind) {
            (Trial::Doubled, _) => Some(self.times(&factor(1, 2))),
            (Trial::Halved, _) => Some(self.times(&factor(2, 1))),
            (Trial::Removed, Kind::Links) => Some(
                self.links
                    .iter()
                    .copied()
                    .map(Change::WithoutLink)
                    .collect(),
            ),
            (Trial::Removed, Kind::Processors) => {
                Some(self.nodes.iter().copied().map(Change::Router).collect())
            }
            (Trial::Removed, Kind::Ports | Kind::Shared) => None,
        }
    }

    /// The changes that apply `number` to all costs of the class.
    pub(super) fn times(&self, number: &Number) -> Vec<Change> {
        match self.kind {
            Kind::Processors => self
                .nodes
                .iter()
                .map(|&node| Change::Compute(node, number.clone()))
                .collect(),
            Kind::Shared => {
                let rate = match number {
                    Number::Times(factor) => Number::Times(factor.recip()),
                    Number::Exactly(cost) => Number::Exactly(cost.recip()),
                };
                let shared = self.shared.iter();
                shared.map(|&id| Change::Rate(id, rate.clone())).collect()
            }
            Kind::Links | Kind::Ports => self
                .links
                .iter()
                .map(|&link| Change::Cost(link, number.clone()))
                .collect(),
        }
    }
}

/// All classes of a problem's platform. Ports are left out if their links are a class of cables. Processors are left
/// out if no merge takes time.
pub fn classes(problem: &Problem) -> Vec<Class> {
    let platform = problem.platform();
    let mut classes = cables(platform);
    let known: BTreeSet<Vec<LinkId>> = classes.iter().map(|class| class.links.clone()).collect();
    classes.extend(
        ports(platform)
            .into_iter()
            .filter(|class| !known.contains(&class.links)),
    );
    classes.extend(shared(platform));
    let free = problem.volumes().work.constant().is_some_and(Zero::is_zero);
    if problem.collective().combines() && !free {
        classes.extend(processors(platform));
    }
    classes
}

/// The properties that nodes of one class, or ends of its links, share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    name: String,
    computes: bool,
    reduces: bool,
    model: PortModel,
    ports: Option<u32>,
}

fn alike(platform: &Platform, id: NodeId) -> Alike {
    let node = platform.node(id);
    let name = common(&node.name);
    Alike {
        name,
        computes: node.is_processor(),
        reduces: node.reduces.is_some(),
        model: platform.model_of(id),
        ports: node.ports,
    }
}

/// The properties that cables of one class share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct AlikeCables {
    from: Alike,
    to: Alike,
    /// Whether the reverse link exists and has the same cost.
    both: bool,
    cost: Rational,
}

/// A link, and the reverse link if it has the same cost.
type Cable = (LinkId, Option<LinkId>);

fn cables(platform: &Platform) -> Vec<Class> {
    let mut classes: BTreeMap<AlikeCables, Vec<Cable>> = BTreeMap::new();
    // A link that only shared capacities limit has no speed of its own.
    let limited =
        |id: &LinkId| platform.shared_by(*id).is_empty() || !platform.own_cost(*id).is_zero();
    for id in platform.link_ids().filter(limited) {
        let link = platform.link(id);
        let back = platform
            .link_between(link.to, link.from)
            .filter(|back| limited(back) && platform.own_cost(*back) == platform.own_cost(id));
        if back.is_some_and(|back| back < id) {
            continue;
        }
        let (from, to) = (alike(platform, link.from), alike(platform, link.to));
        // A cable has no direction: its ends are sorted.
        let turned = back.filter(|_| to < from);
        let ((from, to), cable) = match turned {
            Some(back) => ((to, from), (back, Some(id))),
            None => ((from, to), (id, back)),
        };
        let alike = AlikeCables {
            from,
            to,
            both: back.is_some(),
            cost: platform.own_cost(id).clone(),
        };
        classes.entry(alike).or_default().push(cable);
    }
    let class = |(AlikeCables { both, cost, .. }, cables): (AlikeCables, Vec<Cable>)| {
        let end = |end: fn(&oneport_platform::Link) -> NodeId| {
            joined(
                cables
                    .iter()
                    .map(|&(link, _)| platform.name(end(platform.link(link)))),
            )
        };
        let arrow = if both { "<->" } else { "->" };
        let name = format!("{} {arrow} {}", end(|link| link.from), end(|link| link.to));
        let mut links: Vec<LinkId> = cables
            .iter()
            .flat_map(|&(link, back)| [Some(link), back])
            .flatten()
            .collect();
        links.sort_unstable();
        Class {
            kind: Kind::Links,
            name,
            members: cables.len(),
            cost,
            links,
            nodes: Vec::new(),
            shared: Vec::new(),
        }
    };
    classes.into_iter().map(class).collect()
}

fn ports(platform: &Platform) -> Vec<Class> {
    let fastest = |id: NodeId| {
        let costs = platform
            .links_at(&[id])
            .into_iter()
            .map(|link| platform.link(link).cost.clone());
        costs
            .min()
            .filter(|_| platform.model_of(id) != PortModel::Links)
    };
    let class = |(name, cost, nodes): (String, Rational, Vec<NodeId>)| Class {
        kind: Kind::Ports,
        name: format!("ports of {name}"),
        members: nodes.len(),
        cost,
        links: platform.links_at(&nodes),
        nodes,
        shared: Vec::new(),
    };
    nodes_alike(platform, fastest)
        .into_iter()
        .map(class)
        .collect()
}

fn processors(platform: &Platform) -> Vec<Class> {
    let compute = |id: NodeId| {
        let node = platform.node(id);
        node.is_processor()
            .then(|| node.compute.clone().unwrap_or_default())
    };
    let class = |(name, cost, nodes): (String, Rational, Vec<NodeId>)| Class {
        kind: Kind::Processors,
        name: format!("processor of {name}"),
        members: nodes.len(),
        cost,
        links: Vec::new(),
        nodes,
        shared: Vec::new(),
    };
    nodes_alike(platform, compute)
        .into_iter()
        .map(class)
        .collect()
}

/// Shared capacities whose names differ in digits only, with equal rates.
fn shared(platform: &Platform) -> Vec<Class> {
    let mut classes: BTreeMap<(String, &Rational), Vec<SharedId>> = BTreeMap::new();
    for (index, shared) in platform.shared().iter().enumerate() {
        let key = (common(&shared.name), &shared.rate);
        classes.entry(key).or_default().push(SharedId::new(index));
    }
    let class = |((name, rate), shared): ((String, &Rational), Vec<SharedId>)| Class {
        kind: Kind::Shared,
        name: match shared[..] {
            [only] => Resource::Shared(only).describe(platform),
            _ => format!("shared '{name}'"),
        },
        members: shared.len(),
        cost: rate.recip(),
        links: Vec::new(),
        nodes: Vec::new(),
        shared,
    };
    classes.into_iter().map(class).collect()
}

/// Nodes that are alike and have equal costs, those without one left out. If several classes have alike names, each
/// lists its own.
fn nodes_alike(
    platform: &Platform,
    cost: impl Fn(NodeId) -> Option<Rational>,
) -> Vec<(String, Rational, Vec<NodeId>)> {
    let mut classes: BTreeMap<(Alike, Rational), Vec<NodeId>> = BTreeMap::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for id in platform.node_ids() {
        let Some(cost) = cost(id) else { continue };
        let nodes = classes.entry((alike(platform, id), cost)).or_default();
        if nodes.is_empty() {
            *names.entry(common(platform.name(id))).or_default() += 1;
        }
        nodes.push(id);
    }
    let named = |((alike, cost), nodes): ((Alike, Rational), Vec<NodeId>)| {
        let name = match names.get(&alike.name) {
            Some(2..) => list(platform, nodes.iter().copied()),
            _ => joined(nodes.iter().map(|&node| platform.name(node))),
        };
        (name, cost, nodes)
    };
    classes.into_iter().map(named).collect()
}

/// Names that differ in digits only, with `*` for the numbers that differ.
fn joined<'n>(mut names: impl Iterator<Item = &'n str>) -> String {
    let pieces = |name: &'n str| {
        let mut pieces: Vec<&'n str> = Vec::new();
        let mut rest = name;
        while let Some(first) = rest.chars().next() {
            let alike = |letter: char| letter.is_ascii_digit() == first.is_ascii_digit();
            let end = rest.find(|letter| !alike(letter)).unwrap_or(rest.len());
            pieces.push(&rest[..end]);
            rest = &rest[end..];
        }
        pieces
    };
    let mut common = names.next().map(pieces).unwrap_or_default();
    for name in names {
        for (piece, other) in common.iter_mut().zip(pieces(name)) {
            if *piece != other {
                *piece = "*";
            }
        }
    }
    common.concat()
}
