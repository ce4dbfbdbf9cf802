//! Ways of messages for drawings: where every copy comes from and goes to.

use std::collections::BTreeSet;

use oneport_plan::{Demand, Pattern, Problem, Task};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::quantities;
use crate::words;

/// A message on its way: its source, and the copies sent.
pub(crate) struct Copies {
    pub source: Option<NodeId>,
    /// Every copy after the one it is a copy of.
    pub copies: Vec<Copy>,
}

/// A copy sent over a link.
pub(crate) struct Copy {
    pub link: LinkId,
    /// Where it arrives.
    pub node: Option<NodeId>,
    /// What is the copy's role there.
    pub role: Role,
    /// The copy passed on; `None` at the source.
    pub parent: Option<usize>,
    /// Hops before this one.
    pub stage: usize,
    /// How long the link is busy with it.
    pub time: Rational,
}

/// What a node is to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Target,
    /// A processor that only passes it on.
    Relay,
    /// A node that cannot keep it.
    Router,
    /// One that cannot copy it.
    Switch,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Target => "target",
            Role::Relay => "other processor",
            Role::Router => "router (forwards only)",
            Role::Switch => "switch (forwards only, does not copy)",
        }
    }
}

/// Strings the hops together; one that names no earlier hop starts at the source, and merges are left out. `O(h log t)`
/// for `h` hops and `t` targets.
pub(crate) fn assemble(problem: Problem<'_>, tree: &Pattern) -> Copies {
    let (platform, collective, volumes) = (problem.platform(), problem.collective(), problem.volumes());
    let demand = collective.demand(tree.demand);
    let source = demand.as_ref().and_then(|demand| demand.operands.first().copied());
    let targets: BTreeSet<NodeId> =
        demand.iter().flat_map(Demand::goals).map(|(node, _)| node).filter(|&node| Some(node) != source).collect();
    let size = volumes.size.constant().cloned().unwrap_or_default();
    let mut copies: Vec<Copy> = Vec::with_capacity(tree.tasks.len());
    // By task: the copy that it sends.
    let mut sent: Vec<Option<usize>> = Vec::with_capacity(tree.tasks.len());
    for task in &tree.tasks {
        let Task::Send { link: id, after, .. } = *task else {
            sent.push(None);
            continue;
        };
        sent.push(Some(copies.len()));
        let parent = after.and_then(|after| *sent.get(after as usize)?).filter(|&parent| parent < copies.len());
        let stage = parent.and_then(|parent| copies.get(parent)).map_or(0, |parent| parent.stage + 1);
        let link = words::link(platform, id);
        let node = link.map(|link| link.to);
        let time = link.map(|link| &link.cost * &size).unwrap_or_default();
        let role = match node.and_then(|id| Some((id, words::node(platform, id)?))) {
            Some((id, _)) if targets.contains(&id) => Role::Target,
            Some((_, node)) if !node.replicates => Role::Switch,
            Some((_, node)) if !node.is_processor() => Role::Router,
            _ => Role::Relay,
        };
        copies.push(Copy { link: id, node, role, parent, stage, time });
    }
    Copies { source, copies }
}

/// Title and subtitle.
pub(crate) fn title(
    problem: Problem<'_>,
    tree: &Pattern,
    (copies, weight): (&Copies, Option<&Rational>),
) -> [String; 2] {
    let (platform, collective) = (problem.platform(), problem.collective());
    let mut parts: Vec<String> =
        weight.map(|weight| quantities::weight(problem.platform(), weight)).into_iter().collect();
    parts.push(words::plural(copies.copies.len(), "hop"));
    let depth = copies.copies.iter().map(|copy| copy.stage + 1).max().unwrap_or(0);
    parts.push(format!("depth {depth}"));
    parts.push(quantities::volumes(problem));
    let source = copies.source.map_or_else(|| "nowhere".to_string(), |source| words::name(platform, source));
    let group = words::group_of(collective, tree.demand);
    [format!("{}: the way of {source}'s message{group}", words::describe(problem)), parts.join(" · ")]
}

impl Copy {
    /// Where it goes, what happens there, and how long it takes.
    pub fn tooltip(&self, platform: &Platform) -> String {
        let time = quantities::time(platform, &self.time);
        format!("{} (time {time}), stage {}: {}", words::link_name(platform, self.link), self.stage, self.role.name())
    }

    /// The name of the node where it arrives.
    pub fn name(&self, platform: &Platform) -> String {
        self.node.map_or_else(|| format!("link {}", self.link), |node| words::name(platform, node))
    }
}
