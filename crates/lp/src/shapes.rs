//! The best broadcast along one tree, and along one acyclic graph (RR-2004-32 section 2.3), by branch and bound over
//! links that are left out.
//!
//! Both are NP-hard: with links of cost 1 and full-duplex nodes, throughput 1 along a tree, or an acyclic graph, takes
//! a Hamiltonian path out of the source.
//!
//! **Bound.** What all trees of the remaining links attain together, with the proof that `solve` has of it, and never
//! more than the bound of the links that they are part of. So the largest open bound never grows.
//!
//! **Branching.** For a tree, a node that the optimum's trees enter by several links is entered by one of its links: a
//! branch for each. For an acyclic graph, one of the links of a shortest cycle of the optimum's trees is missing: a
//! branch for the first that is missing, which keeps the links before it. Without such a node or cycle, the optimum is
//! of the wanted kind.
//!
//! **A tree's throughput** is one over its largest load of a port, for every port model: the links of a tree are
//! bipartite, so no odd set binds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use num_traits::{One, Zero};
use oneport_plan::{Kind, Pattern, ProblemError, Resource, Status, Task};
use oneport_platform::{Change, Changed, LinkId, NodeId, PerNode, Platform, Rational, whole};

use crate::free;
use crate::{LpError, Options, Question, solve};

/// The shape that a broadcast is confined to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One tree for all messages.
    Tree,
    /// Links without a directed cycle.
    Acyclic,
}

/// The best of its kind that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shaped {
    /// The links of the tree or the graph, ascending.
    pub links: Vec<LinkId>,
    /// The platform with these links alone.
    pub platform: Platform,
    /// Their throughput.
    pub throughput: Rational,
    /// No tree, or acyclic graph, sustains more.
    pub upper_bound: Rational,
    /// Whether the two meet.
    pub status: Status,
    /// How many programs were solved.
    pub programs: usize,
}

impl Shaped {
    /// This result with the bound on all links together, if that is smaller.
    pub fn within(mut self, most: &Rational) -> Shaped {
        if *most < self.upper_bound {
            self.upper_bound = self.throughput.clone().max(most.clone());
            self.status = Status::of(&self.throughput, &self.upper_bound);
        }
        self
    }
}

/// Finds the best tree or acyclic graph for a broadcast. When the watch ends the search, the best so far with the
/// largest open bound.
///
/// # Errors
/// [`LpError::NoShape`] for other questions and platforms with switches. Those of [`solve`](crate::solve).
pub fn best(question: &Question, options: &Options, shape: Shape) -> Result<Shaped, LpError> {
    check(question)?;
    free::check(question)?;
    let mut search = ShapeSearch {
        question,
        options,
        shape,
        programs: 0,
        found: None,
        closed: Rational::zero(),
    };
    let Some(root) = search.relaxed(Branch::default())? else {
        return Err(LpError::Contradiction("no path leads to a target"));
    };
    search.offer_trees(&root);
    if shape == Shape::Acyclic {
        search.offer_by_distance()?;
    }
    let open = search.run(root)?;
    let Some((throughput, links)) = search.found else {
        return Err(LpError::Contradiction("no tree is found"));
    };
    let gone = question
        .platform()
        .link_ids()
        .filter(|link| links.binary_search(link).is_err());
    let platform = without(question.platform(), gone)?.platform;
    let upper_bound = open.max(search.closed).max(throughput.clone());
    let status = Status::of(&throughput, &upper_bound);
    Ok(Shaped {
        links,
        platform,
        throughput,
        upper_bound,
        status,
        programs: search.programs,
    })
}

fn check(question: &Question) -> Result<(), LpError> {
    let collective = question.collective().name();
    let blocks = question.problem().blocks();
    let broadcast = matches!(blocks[..], [block] if block.kind == Kind::Copy && block.count == 1);
    let switch = question
        .platform()
        .nodes()
        .iter()
        .find(|node| !node.replicates);
    match (broadcast, switch) {
        (false, _) => Err(LpError::NoShape {
            collective,
            why: "only a broadcast has one".to_string(),
        }),
        (true, Some(node)) => {
            let why = format!(
                "'{}' has replicates = false, and the nodes of a tree copy",
                node.name
            );
            Err(LpError::NoShape { collective, why })
        }
        (true, None) => Ok(()),
    }
}

/// The platform without these links.
fn without(platform: &Platform, links: impl Iterator<Item = LinkId>) -> Result<Changed, LpError> {
    let changes: Vec<Change> = links.map(Change::WithoutLink).collect();
    platform
        .changed(&changes)
        .map_err(|_| LpError::Contradiction("a link that is there cannot be left out"))
}

/// Which links are left out, and which may no longer be.
#[derive(Debug, Clone, Default)]
struct Branch {
    gone: BTreeSet<LinkId>,
    kept: BTreeSet<LinkId>,
}

/// A branch with the optimum over its remaining links.
struct Node {
    branch: Branch,
    throughput: Rational,
    bound: Rational,
    /// Every tree of the optimum.
    trees: Vec<Vec<LinkId>>,
}

impl Node {
    /// The links of all its trees.
    fn support(&self) -> BTreeSet<LinkId> {
        self.trees.iter().flatten().copied().collect()
    }
}

struct ShapeSearch<'a> {
    question: &'a Question,
    options: &'a Options,
    shape: Shape,
    programs: usize,
    /// The best so far.
    found: Option<(Rational, Vec<LinkId>)>,
    /// The largest bound of branches that end without a proof.
    closed: Rational,
}

impl ShapeSearch<'_> {
    fn platform(&self) -> &Platform {
        self.question.platform()
    }

    /// Takes the branch of the largest bound until no branch can be better than the best found. Returns the largest
    /// open bound, 0 if no branch is open.
    fn run(&mut self, root: Node) -> Result<Rational, LpError> {
        let mut open = vec![root];
        loop {
            let best = self
                .found
                .as_ref()
                .map_or_else(Rational::zero, |(best, _)| best.clone());
            open.retain(|node| node.bound > best);
            let Some(index) =
                (0..open.len()).max_by(|one, other| open[*one].bound.cmp(&open[*other].bound))
            else {
                return Ok(Rational::zero());
            };
            let bound = open[index].bound.clone();
            if self.question.watch().ask().is_err() {
                return Ok(bound);
            }
            let node = open.swap_remove(index);
            let Some(branches) = self.branches(&node) else {
                self.offer(node.throughput.clone(), node.support());
                if node.throughput < node.bound {
                    self.closed = self.closed.clone().max(node.bound);
                }
                continue;
            };
            for branch in branches {
                match self.relaxed(branch) {
                    Ok(Some(mut child)) => {
                        self.offer_trees(&child);
                        // Fewer links sustain no more, however little a program proves that a limit cut short.
                        child.bound = child.bound.min(bound.clone());
                        open.push(child);
                    }
                    Ok(None) => {}
                    Err(LpError::Stopped(_)) => return Ok(bound),
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// The optimum without the removed links. `None` if a target cannot be reached.
    fn relaxed(&mut self, branch: Branch) -> Result<Option<Node>, LpError> {
        let changed = without(self.platform(), branch.gone.iter().copied())?;
        let problem = match self.question.problem().on(&changed.platform) {
            Ok(problem) => problem,
            Err(ProblemError::Unreachable { .. }) => return Ok(None),
            Err(_) => {
                return Err(LpError::Contradiction(
                    "the broadcast is not valid with fewer links",
                ));
            }
        };
        let question = Question::new(&problem).watched(self.question.watch().clone());
        self.programs += 1;
        let solution = solve(&question, self.options)?;
        let mut old: BTreeMap<LinkId, LinkId> = BTreeMap::new();
        for (link, new) in self.platform().link_ids().zip(&changed.links) {
            new.map(|new| old.insert(new, link));
        }
        let links = |pattern: &Pattern| -> Vec<LinkId> {
            let sent = |task: &Task| {
                if let Task::Send { link, .. } = task {
                    old.get(link).copied()
                } else {
                    None
                }
            };
            pattern.tasks.iter().filter_map(sent).collect()
        };
        let trees = solution
            .steady_state
            .patterns
            .iter()
            .map(|weighted| links(&weighted.pattern))
            .collect();
        let throughput = solution.steady_state.throughput.clone();
        Ok(Some(Node {
            branch,
            throughput,
            bound: solution.upper_bound,
            trees,
        }))
    }

    fn offer(&mut self, throughput: Rational, links: BTreeSet<LinkId>) {
        if self
            .found
            .as_ref()
            .is_none_or(|(best, _)| throughput > *best)
        {
            self.found = Some((throughput, links.into_iter().collect()));
        }
    }

    /// Every tree of an optimum by itself: no port is busy for more than its capacity.
    fn offer_trees(&mut self, node: &Node) {
        for tree in &node.trees {
            let mut loads: BTreeMap<Resource, Rational> = BTreeMap::new();
            for &link in tree {
                let time = self.question.time(link);
                for used in Resource::uses(self.platform(), link) {
                    *loads.entry(used.resource).or_default() += used.of(&time);
                }
            }
            let busy = |(resource, load): (Resource, Rational)| {
                load / whole(resource.capacity(self.platform()))
            };
            let period = loads
                .into_iter()
                .map(busy)
                .max()
                .unwrap_or_else(Rational::one);
            if !period.is_zero() {
                self.offer(period.recip(), tree.iter().copied().collect());
            }
        }
    }

    /// The links that lead away from the source, in the order of distances.
    fn offer_by_distance(&mut self) -> Result<(), LpError> {
        let Some(source) = self
            .question
            .problem()
            .demands()
            .next()
            .and_then(|demand| demand.operands.first().copied())
        else {
            return Ok(());
        };
        let distances = distances(self.platform(), source);
        let away = |link: &LinkId| {
            let ends = self.platform().link(*link);
            match (&distances[ends.from], &distances[ends.to]) {
                (Some(from), Some(to)) => (from, ends.from) < (to, ends.to),
                _ => false,
            }
        };
        let gone = self
            .platform()
            .link_ids()
            .filter(|link| !away(link))
            .collect();
        match self.relaxed(Branch {
            gone,
            kept: BTreeSet::new(),
        }) {
            Ok(Some(node)) => self.offer(node.throughput.clone(), node.support()),
            Ok(None) | Err(LpError::Stopped(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The branches below a node. `None` if its optimum is of the kind wanted.
    fn branches(&self, node: &Node) -> Option<Vec<Branch>> {
        match self.shape {
            Shape::Tree => self.entries(node),
            Shape::Acyclic => self.cycle(node),
        }
    }

    /// One branch for every link into a node that the optimum enters by several.
    fn entries(&self, node: &Node) -> Option<Vec<Branch>> {
        let mut into: BTreeMap<NodeId, usize> = BTreeMap::new();
        for link in node.support() {
            *into.entry(self.platform().link(link).to).or_default() += 1;
        }
        let (&entered, _) = into.iter().find(|(_, links)| **links > 1)?;
        let left: Vec<LinkId> = self
            .platform()
            .incoming(entered)
            .iter()
            .copied()
            .filter(|link| !node.branch.gone.contains(link))
            .collect();
        let only = |&link: &LinkId| {
            let mut branch = node.branch.clone();
            branch
                .gone
                .extend(left.iter().filter(|&&other| other != link));
            branch
        };
        Some(left.iter().map(only).collect())
    }

    /// One branch for every link of a shortest cycle of the optimum.
    fn cycle(&self, node: &Node) -> Option<Vec<Branch>> {
        let cycle = shortest_cycle(self.platform(), &node.support())?;
        let mut branches = Vec::new();
        for (index, link) in cycle.iter().enumerate() {
            if !node.branch.kept.contains(link) {
                let mut branch = node.branch.clone();
                branch.gone.insert(*link);
                branch.kept.extend(&cycle[..index]);
                branches.push(branch);
            }
        }
        Some(branches)
    }
}

/// The distance of every node from the source. `None` if no path leads there. `O(n m)`.
fn distances(platform: &Platform, source: NodeId) -> PerNode<Option<Rational>> {
    let mut found: PerNode<Option<Rational>> = platform.per_node(None);
    found[source] = Some(Rational::zero());
    loop {
        let mut shorter = false;
        for link in platform.link_ids() {
            let ends = platform.link(link);
            let Some(way) = found[ends.from].as_ref().map(|way| way + &ends.cost) else {
                continue;
            };
            if found[ends.to].as_ref().is_none_or(|known| way < *known) {
                found[ends.to] = Some(way);
                shorter = true;
            }
        }
        if !shorter {
            return found;
        }
    }
}

/// A directed cycle of as few of these links as possible. `None` without a cycle. `O(n m)`.
fn shortest_cycle(platform: &Platform, links: &BTreeSet<LinkId>) -> Option<Vec<LinkId>> {
    let mut best: Option<Vec<LinkId>> = None;
    for start in platform.node_ids() {
        let mut into: PerNode<Option<LinkId>> = platform.per_node(None);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &link in platform
                .outgoing(node)
                .iter()
                .filter(|link| links.contains(link))
            {
                let to = platform.link(link).to;
                if into[to].is_none() {
                    into[to] = Some(link);
                    if to != start {
                        queue.push_back(to);
                    }
                }
            }
        }
        let mut cycle = Vec::new();
        let mut at = start;
        while let Some(link) = into[at] {
            cycle.push(link);
            at = platform.link(link).from;
            if at == start {
                break;
            }
        }
        let closed = !cycle.is_empty() && at == start;
        if closed && best.as_ref().is_none_or(|best| cycle.len() < best.len()) {
            best = Some(cycle);
        }
    }
    best
}
