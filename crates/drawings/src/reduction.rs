//! Reduction trees for drawings: the tasks, strung together.

use oneport_plan::{Collective, Goals, Interval, Pattern, Problem, Task};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::quantities;
use crate::words::{self, inputs};

/// A tree as vertices (values and merges) and what flows between them.
///
/// Tasks that do not fit together are drawn as far as they go: an input that nobody makes is a vertex of its own,
/// what nobody uses is a further root.
pub(crate) struct Assembly {
    /// Inputs come before what is made of them.
    pub vertices: Vec<Vertex>,
    /// What nobody uses: the result, by interval.
    pub roots: Vec<Flow>,
}

/// A value at its owner, or a merge.
pub(crate) struct Vertex {
    pub part: Interval,
    pub kind: Kind,
    /// A merge's left and right part; else none.
    pub inputs: Vec<Flow>,
}

/// What a vertex is.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The value `v[i,i]` at its owner.
    Value(NodeId),
    /// A partial result that no task makes.
    Missing,
    /// The task `T[k,l,m]`.
    Merge { node: NodeId, split: usize },
}

/// The result of a vertex on its way.
pub(crate) struct Flow {
    /// The vertex.
    pub from: usize,
    /// The links travelled, in order; none where the result is used in place.
    pub links: Vec<LinkId>,
}

/// Strings the tasks together. `O(t log t)` for `t` tasks.
pub(crate) fn assemble(collective: &Collective, tree: &Pattern) -> Assembly {
    let mut workshop =
        Workshop { collective, tree, vertices: Vec::new(), results: Vec::with_capacity(tree.tasks.len()) };
    for &task in &tree.tasks {
        let flow = match task {
            Task::Send { link, part, after } => {
                let mut flow = workshop.take(after, part);
                flow.links.push(link);
                flow
            }
            Task::Merge { node, part, split, left, right } => {
                let [first, second] = inputs(part, split);
                let inputs = vec![workshop.take(left, first), workshop.take(right, second)];
                workshop.add(part, Kind::Merge { node, split }, inputs)
            }
        };
        workshop.results.push(Some(flow));
    }
    let mut roots: Vec<Flow> = workshop.results.into_iter().flatten().collect();
    let mut assembly = Assembly { vertices: workshop.vertices, roots: Vec::new() };
    roots.sort_by_key(|root| assembly.part(root));
    assembly.roots = roots;
    assembly
}

impl Assembly {
    /// The part that flows.
    pub fn part(&self, flow: &Flow) -> Interval {
        self.vertices.get(flow.from).map_or(Interval { first: 0, last: 0 }, |vertex| vertex.part)
    }

    /// The node where a flow ends.
    pub fn end(&self, platform: &Platform, flow: &Flow) -> Option<NodeId> {
        match flow.links.last() {
            Some(&last) => words::link(platform, last).map(|link| link.to),
            None => self.vertices.get(flow.from).and_then(|vertex| vertex.kind.node()),
        }
    }
}

impl Kind {
    /// The node where the vertex is.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Kind::Value(node) | Kind::Merge { node, .. } => Some(node),
            Kind::Missing => None,
        }
    }
}

struct Workshop<'a> {
    collective: &'a Collective,
    tree: &'a Pattern,
    vertices: Vec<Vertex>,
    /// By task: its result, until it is used.
    results: Vec<Option<Flow>>,
}

impl Workshop<'_> {
    fn add(&mut self, part: Interval, kind: Kind, inputs: Vec<Flow>) -> Flow {
        self.vertices.push(Vertex { part, kind, inputs });
        Flow { from: self.vertices.len() - 1, links: Vec::new() }
    }

    /// A partial result for use: of an earlier task, or a value at its owner.
    fn take(&mut self, task: Option<u32>, part: Interval) -> Flow {
        let made = task.and_then(|task| self.results.get_mut(task as usize)?.take());
        made.unwrap_or_else(|| {
            let kind = self.owner(part).filter(|_| task.is_none()).map_or(Kind::Missing, Kind::Value);
            self.add(part, kind, Vec::new())
        })
    }

    /// The owner of a single value, by the tree's order.
    fn owner(&self, part: Interval) -> Option<NodeId> {
        if part.first != part.last {
            return None;
        }
        let place = match &self.tree.order {
            Some(order) => *order.get(part.first)?,
            None => part.first,
        };
        // A tree of a demand that does not exist is drawn as one of the first.
        let demand = self.collective.demand(self.tree.demand).or_else(|| self.collective.demand(0))?;
        demand.operands.get(place).copied().filter(|_| demand.kind().combines())
    }
}

/// Title and subtitle of a tree.
pub(crate) fn title(problem: Problem<'_>, tree: &Pattern, weight: Option<&Rational>) -> [String; 2] {
    let (platform, collective) = (problem.platform(), problem.collective());
    let goal = collective.demand(tree.demand).map(|demand| demand.goals);
    let target = match goal.filter(|_| collective.demands() > 1) {
        Some(Goals::At(node)) => format!(", result at {}", words::name(platform, node)),
        _ => String::new(),
    };
    let merges = tree.tasks.iter().filter(|task| matches!(task, Task::Merge { .. })).count();
    let mut parts: Vec<String> =
        weight.map(|weight| quantities::weight(problem.platform(), weight)).into_iter().collect();
    parts.push(words::plural(merges, "merge"));
    parts.push(words::plural(tree.tasks.len() - merges, "transfer"));
    parts.push(quantities::volumes(problem));
    if tree.order.is_some() {
        parts.push("operands in the tree's own order".to_string());
    }
    [format!("{}: a reduction tree{target}", words::describe(problem)), parts.join(" · ")]
}

/// The two lines inside a vertex.
pub(crate) fn vertex_lines(platform: &Platform, part: Interval, kind: Kind) -> [String; 2] {
    let at = |node: NodeId| format!("@ {}", words::name(platform, node));
    match kind {
        Kind::Value(node) => [words::partial(part), at(node)],
        Kind::Missing => [words::partial(part), "made nowhere".to_string()],
        Kind::Merge { node, split } => [format!("T[{},{split},{}]", part.first, part.last), at(node)],
    }
}

/// What a vertex does, with its time.
pub(crate) fn vertex_tooltip(problem: Problem<'_>, part: Interval, kind: Kind) -> String {
    let (platform, volumes) = (problem.platform(), problem.volumes());
    match kind {
        Kind::Value(node) => format!("value {} of {}", words::partial(part), words::name(platform, node)),
        Kind::Missing => format!("no task makes {}", words::partial(part)),
        Kind::Merge { node, split } => {
            let time = quantities::time(platform, &volumes.merge_time(platform, node, part, split));
            format!("{} makes {}, time {time}", words::name(platform, node), words::merge(part, split))
        }
    }
}

/// The result and where it ends.
pub(crate) fn result_words(platform: &Platform, assembly: &Assembly, flow: &Flow) -> String {
    let place = assembly.end(platform, flow).map_or_else(|| "nowhere".to_string(), |node| words::name(platform, node));
    format!("{}\n@ {place}", words::partial(assembly.part(flow)))
}

/// Every link of a flow with its time.
pub(crate) fn flow_tooltip(problem: Problem<'_>, part: Interval, flow: &Flow) -> String {
    let (platform, volumes) = (problem.platform(), problem.volumes());
    let size = volumes.size.of(part).unwrap_or_default();
    let hops: Vec<String> = flow
        .links
        .iter()
        .map(|&link| {
            let time = words::link(platform, link).map(|link| quantities::time(platform, &(&link.cost * &size)));
            let time = time.unwrap_or_default();
            format!("{} (time {time})", words::link_name(platform, link))
        })
        .collect();
    if hops.is_empty() {
        return format!("{} is used in place", words::partial(part));
    }
    format!("{}, size {}: {}", words::partial(part), quantities::size(platform, &size), hops.join(", "))
}
