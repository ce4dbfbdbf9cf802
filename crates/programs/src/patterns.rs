//! Enumerations for (P) and (D) of RR-2004-32: sets of links that can be busy at the same time, simple paths, trees,
//! and one of each for every demand.
//!
//! Each is exponential in the platform. All count their steps, and are refused beyond [`MOST_STEPS`] of them or
//! [`MOST_COLUMNS`] results.

use std::collections::BTreeSet;

use oneport_plan::{Demand, Kind, Problem};
use oneport_platform::{LinkId, NodeId, PerNode, Platform, PortModel};
use oneport_watch::Watch;

use crate::form::ProgramError;

/// Limit: matchings, and patterns, that a program lists.
pub const MOST_COLUMNS: usize = 20_000;

/// Limit: steps of an enumeration. Measured: seconds.
pub const MOST_STEPS: usize = 2_000_000;

/// Links, ascending. In a pattern as often as its paths or trees use them.
pub(crate) type Links = Vec<LinkId>;

/// Steps between two checks of the watch. Trades lateness after a limit for calls. Not measured.
const OFTEN: usize = 1 << 10;

/// Counts steps and results.
struct Budget<'w> {
    program: &'static str,
    what: &'static str,
    steps: usize,
    watch: &'w Watch,
}

impl<'w> Budget<'w> {
    fn new(program: &'static str, what: &'static str, watch: &'w Watch) -> Self {
        Budget {
            program,
            what,
            steps: 0,
            watch,
        }
    }

    fn step(&mut self, found: usize) -> Result<(), ProgramError> {
        self.steps += 1;
        if self.steps % OFTEN == 1
            && let Err(limit) = self.watch.ask()
        {
            let (program, what, steps) = (self.program, self.what, self.steps);
            return Err(ProgramError::Unlisted {
                program,
                what,
                limit,
                steps,
            });
        }
        if found > MOST_COLUMNS || self.steps > MOST_STEPS {
            let (program, what) = (self.program, self.what);
            return Err(ProgramError::TooMany {
                program,
                what,
                most: MOST_COLUMNS,
                steps: MOST_STEPS,
            });
        }
        Ok(())
    }
}

/// All nonempty sets of links that can be busy at the same time, under any port models. They are matchings if all nodes
/// are half-duplex. Smaller sets of the same links come first.
pub(crate) fn matchings(
    platform: &Platform,
    program: &'static str,
    watch: &Watch,
) -> Result<Vec<Links>, ProgramError> {
    let mut budget = Budget::new(program, "matchings", watch);
    let mut sets: Vec<Links> = vec![Vec::new()];
    for link in platform.link_ids() {
        for index in 0..sets.len() {
            budget.step(sets.len())?;
            if fits(platform, &sets[index], link) {
                let longer = sets[index].iter().copied().chain([link]).collect();
                sets.push(longer);
            }
        }
    }
    sets.remove(0);
    Ok(sets)
}

/// Whether the ports of a link's ends serve it together with the links of a set.
fn fits(platform: &Platform, set: &[LinkId], link: LinkId) -> bool {
    let (from, to) = (platform.link(link).from, platform.link(link).to);
    let sends = |node: NodeId| {
        set.iter()
            .filter(|&&other| platform.link(other).from == node)
            .count()
    };
    let receives = |node: NodeId| {
        set.iter()
            .filter(|&&other| platform.link(other).to == node)
            .count()
    };
    let free = |node: NodeId, busy: usize| match platform.model_of(node) {
        PortModel::HalfDuplex => sends(node) + receives(node) == 0,
        _ => platform
            .ports(node)
            .is_none_or(|ports| busy < ports as usize),
    };
    free(from, sends(from)) && free(to, receives(to))
}

/// The patterns: a simple path, or a tree, for every demand, in all combinations. Combinations that use the same links
/// equally often are taken once.
pub(crate) fn patterns(
    problem: &Problem,
    program: &'static str,
    watch: &Watch,
) -> Result<Vec<Links>, ProgramError> {
    let mut budget = Budget::new(program, "patterns", watch);
    let mut all: BTreeSet<Links> = BTreeSet::from([Vec::new()]);
    for demand in problem.demands() {
        let ways = ways(problem.platform(), &demand, &mut budget)?;
        let mut longer = BTreeSet::new();
        for pattern in &all {
            for way in &ways {
                budget.step(longer.len())?;
                let mut links: Links = pattern.iter().chain(way).copied().collect();
                links.sort_unstable();
                longer.insert(links);
            }
        }
        all = longer;
    }
    Ok(all.into_iter().collect())
}

fn ways(
    platform: &Platform,
    demand: &Demand<'_>,
    budget: &mut Budget<'_>,
) -> Result<Vec<Links>, ProgramError> {
    let source = demand.operands.first().copied();
    match (demand.kind(), source) {
        (Kind::Route, Some(source)) => paths(platform, source, demand.targets(), budget),
        (Kind::Copy, Some(source)) => trees(platform, source, demand.targets(), budget),
        _ => Ok(Vec::new()),
    }
}

/// All paths to the only target that visit no node twice.
fn paths(
    platform: &Platform,
    from: NodeId,
    targets: &[NodeId],
    budget: &mut Budget<'_>,
) -> Result<Vec<Links>, ProgramError> {
    let mut found = Vec::new();
    let mut open: Vec<(Vec<NodeId>, Links)> = vec![(vec![from], Vec::new())];
    while let Some((nodes, links)) = open.pop() {
        budget.step(found.len())?;
        let Some(&at) = nodes.last() else { continue };
        if targets.contains(&at) {
            found.push(links);
            continue;
        }
        for &link in platform.outgoing(at) {
            let to = platform.link(link).to;
            if !nodes.contains(&to) {
                let nodes = nodes.iter().copied().chain([to]).collect();
                open.push((nodes, links.iter().copied().chain([link]).collect()));
            }
        }
    }
    Ok(found)
}

/// All trees out of `root` that reach the targets and whose leaves are targets.
fn trees(
    platform: &Platform,
    root: NodeId,
    targets: &[NodeId],
    budget: &mut Budget<'_>,
) -> Result<Vec<Links>, ProgramError> {
    let mut search = Trees {
        platform,
        root,
        targets,
        parents: platform.per_node(None),
        found: Vec::new(),
    };
    search.grow(0, budget)?;
    Ok(search.found)
}

struct Trees<'a> {
    platform: &'a Platform,
    root: NodeId,
    targets: &'a [NodeId],
    parents: PerNode<Option<LinkId>>,
    found: Vec<Links>,
}

impl Trees<'_> {
    /// Chooses the links into the nodes from this index on. The depth is the number of nodes.
    fn grow(&mut self, index: usize, budget: &mut Budget<'_>) -> Result<(), ProgramError> {
        budget.step(self.found.len())?;
        let Some(node) = self.platform.node_ids().nth(index) else {
            if self.is_tree() {
                let mut links: Links = self.parents.iter().flatten().copied().collect();
                links.sort_unstable();
                self.found.push(links);
            }
            return Ok(());
        };
        if node == self.root || !self.targets.contains(&node) {
            self.grow(index + 1, budget)?;
        }
        if node == self.root {
            return Ok(());
        }
        for &link in self.platform.incoming(node) {
            if self.top(self.platform.link(link).from) != node {
                self.parents[node] = Some(link);
                self.grow(index + 1, budget)?;
                self.parents[node] = None;
            }
        }
        Ok(())
    }

    /// The first node above this one that has no parent yet. A cycle is closed by its last link, whose tail is then
    /// below the node that the link enters.
    fn top(&self, mut node: NodeId) -> NodeId {
        while let Some(up) = self.parents[node] {
            node = self.platform.link(up).from;
        }
        node
    }

    /// Whether all links hang together under the root, and end at targets.
    fn is_tree(&self) -> bool {
        let is_reached = |node: &NodeId| self.parents[*node].is_some();
        let inner = |node: NodeId| {
            self.parents
                .iter()
                .flatten()
                .any(|&link| self.platform.link(link).from == node)
        };
        self.platform.node_ids().filter(is_reached).all(|node| {
            self.top(node) == self.root && (self.targets.contains(&node) || inner(node))
        })
    }
}
