//! Patterns as graphs for drawings: values, merges and arrivals, and the parts that flow between them.
//!
//! Tasks that do not fit together are drawn too: an input that no earlier task makes becomes a vertex without a node.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Demand, Goals, Interval, Kind, Pattern, Problem, Task};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::quantities;
use crate::words::{self, inputs};

/// Layout of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// From a source down: paths and arborescences, and patterns of demands that do not exist.
    Copies,
    /// From values up to a result. Consecutive transfers are one edge.
    Tree,
    /// Merges and copies in any order.
    Scheme,
}

/// A pattern in the form in which it is drawn.
pub(crate) struct Diagram {
    pub style: Style,
    pub title: String,
    pub subtitle: String,
    /// Inputs come before the parts made of them. The results of a tree come last, ascending by part.
    pub vertices: Vec<Vertex>,
    pub edges: Vec<Edge>,
}

impl Diagram {
    /// The longest time of an edge.
    pub(crate) fn longest(&self) -> Rational {
        let times = self.edges.iter().map(|edge| &edge.time);
        times.max().cloned().unwrap_or_default()
    }
}

/// The most edges on a path.
pub(crate) fn depth(vertices: &[Vertex]) -> usize {
    vertices.iter().map(|vertex| vertex.row).max().unwrap_or(0)
}

/// A vertex of a diagram.
pub(crate) struct Vertex {
    pub role: Role,
    /// The texts inside.
    pub lines: Vec<String>,
    pub part: Interval,
    /// The node of the part. `None` for an input that no task makes.
    pub node: Option<NodeId>,
    /// Whether the part is a goal of the demand here, and no earlier vertex equals it.
    pub wanted: bool,
    pub tooltip: String,
    /// Edges on the longest path from a value.
    pub row: usize,
}

/// A value or message that flows from one vertex to another.
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
    pub part: Interval,
    /// The links travelled, in order. Empty if the part is used in place.
    pub links: Vec<LinkId>,
    /// Time that the last link is busy with it.
    pub time: Rational,
    pub tooltip: String,
}

/// Role of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// The owner of a message.
    Source,
    /// A copy arrives at a target.
    Target,
    /// A copy arrives at a processor that only passes it on.
    Relay,
    /// A copy arrives at a node that cannot keep it.
    Router,
    /// A copy arrives at a node that cannot copy it.
    Switch,
    /// The value `v[i,i]` at its owner.
    Value,
    /// A partial result that no task makes.
    Missing,
    /// The task `T[k,l,m]`.
    Merge,
    /// A partial result at its arrival.
    Arrival,
    /// A result that no task uses.
    Result,
}

impl Role {
    /// The name in classes of elements and in legends.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Target => "target",
            Role::Relay => "other processor",
            Role::Router => "router (forwards only)",
            Role::Switch => "switch (forwards only, does not copy)",
            Role::Value => "value",
            Role::Missing => "missing",
            Role::Merge => "merge",
            Role::Arrival => "arrival",
            Role::Result => "result",
        }
    }
}

/// Strings the tasks of a pattern together. `O(t log t)` for `t` tasks.
pub(crate) fn diagram(problem: &Problem, pattern: &Pattern, weight: Option<&Rational>) -> Diagram {
    let style = match problem
        .collective()
        .demand(pattern.demand)
        .map(|demand| demand.kind())
    {
        Some(Kind::Combine) => Style::Tree,
        Some(Kind::CombineCopy | Kind::Prefix) => Style::Scheme,
        Some(Kind::Route | Kind::Copy) | None => Style::Copies,
    };
    drawn_as(style, problem, pattern, weight)
}

/// Draws [`diagram`] in a style that the caller chooses.
pub(crate) fn drawn_as(
    style: Style,
    problem: &Problem,
    pattern: &Pattern,
    weight: Option<&Rational>,
) -> Diagram {
    let mut assembly = Assembly::new(style, problem, pattern);
    for &task in pattern.tasks.iter() {
        assembly.add(task);
    }
    assembly.mark_wanted();
    let depth = depth(&assembly.vertices);
    let [title, subtitle] = heading(style, problem, pattern, weight, depth);
    let diagram = Diagram {
        style,
        title,
        subtitle,
        vertices: assembly.vertices,
        edges: assembly.edges,
    };
    if style == Style::Tree {
        contracted(problem, diagram)
    } else {
        diagram
    }
}

struct Assembly<'a> {
    style: Style,
    problem: &'a Problem,
    demand: Option<Demand<'a>>,
    pattern: &'a Pattern,
    wanted: BTreeSet<(NodeId, Interval)>,
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    /// Vertices of values that no task makes.
    values: BTreeMap<Interval, usize>,
    /// Per task, its vertex.
    tasks: Vec<usize>,
}

impl<'a> Assembly<'a> {
    fn new(style: Style, problem: &'a Problem, pattern: &'a Pattern) -> Self {
        let collective = problem.collective();
        let found = collective.demand(pattern.demand);
        let wanted = found.iter().flat_map(Demand::goals).collect();
        // A tree of a demand that does not exist is drawn as one of the first.
        let demand = found.or_else(|| {
            collective
                .demand(0)
                .filter(|demand| demand.kind().combines())
        });
        let mut new = Assembly {
            style,
            problem,
            demand,
            pattern,
            wanted,
            vertices: Vec::new(),
            edges: Vec::new(),
            values: BTreeMap::new(),
            tasks: Vec::with_capacity(pattern.tasks.len()),
        };
        if style == Style::Copies {
            new.input(None, Interval::single(0));
        }
        new
    }

    fn add(&mut self, task: Task) {
        let platform = self.problem.platform();
        let (vertex, inputs) = match task {
            Task::Send { link, part, after } => {
                let input = self.input(after, part);
                (
                    self.arrival(link, part, input),
                    vec![(input, part, vec![link])],
                )
            }
            Task::Merge {
                node,
                part,
                split,
                left,
                right,
            } => {
                let [first, second] = inputs(part, split);
                let used = [(left, first), (right, second)];
                let used = used.map(|(task, part)| (self.input(task, part), part, Vec::new()));
                let time = self
                    .problem
                    .volumes()
                    .merge_time(platform, node, part, split);
                let time = quantities::time(platform, &time);
                let tooltip = format!(
                    "{} makes {}, time {time}",
                    words::name(platform, node),
                    words::merge(part, split)
                );
                let label = format!("T[{},{split},{}]", part.first, part.last);
                (
                    self.vertex(Role::Merge, label, part, Some(node), tooltip),
                    used.to_vec(),
                )
            }
        };
        let row = inputs
            .iter()
            .filter_map(|(input, ..)| self.vertices.get(*input))
            .map(|vertex| vertex.row + 1)
            .max();
        let to = self.vertices.len();
        self.tasks.push(to);
        self.vertices.push(Vertex {
            row: row.unwrap_or(0),
            ..vertex
        });
        for (from, part, links) in inputs {
            let time = links
                .last()
                .map(|&link| transfer_time(self.problem, link, part))
                .unwrap_or_default();
            let tooltip = flow_words(self.problem, part, &links);
            self.edges.push(Edge {
                from,
                to,
                part,
                links,
                time,
                tooltip,
            });
        }
    }

    /// The vertex of an input: an earlier task, or the value at its owner.
    fn input(&mut self, task: Option<u32>, part: Interval) -> usize {
        if let Some(&vertex) = task.and_then(|task| self.tasks.get(task as usize)) {
            return vertex;
        }
        if let Some(&vertex) = self.values.get(&part) {
            return vertex;
        }
        let owner = self.owner(part).filter(|_| task.is_none());
        let platform = self.problem.platform();
        let name = owner.map_or_else(
            || "nowhere".to_string(),
            |owner| words::name(platform, owner),
        );
        let value = words::partial(part);
        let (role, tooltip, label) = match (self.style, owner) {
            (Style::Copies, _) => (Role::Source, format!("{name}: source"), name),
            (_, Some(_)) => (Role::Value, format!("value {value} of {name}"), value),
            (_, None) => (Role::Missing, format!("no task makes {value}"), value),
        };
        let vertex = self.vertex(role, label, part, owner, tooltip);
        self.values.insert(part, self.vertices.len());
        self.vertices.push(vertex);
        self.vertices.len() - 1
    }

    /// The owner of a single value, by the pattern's order.
    fn owner(&self, part: Interval) -> Option<NodeId> {
        let operand = match &self.pattern.order {
            Some(order) => *order.get(part.first)?,
            None => part.first,
        };
        self.demand
            .as_ref()?
            .operands
            .get(operand)
            .copied()
            .filter(|_| part.first == part.last)
    }

    /// The end of a transfer.
    fn arrival(&self, link: LinkId, part: Interval, input: usize) -> Vertex {
        let platform = self.problem.platform();
        let node = words::link(platform, link).map(|link| link.to);
        let time = quantities::time(platform, &transfer_time(self.problem, link, part));
        let hop = format!("{} (time {time})", words::link_name(platform, link));
        if self.style != Style::Copies {
            let role = node.map_or(Role::Missing, |_| Role::Arrival);
            let value = words::partial(part);
            let tooltip = format!("{value}, {hop}");
            return self.vertex(role, value, part, node, tooltip);
        }
        let source = self
            .values
            .get(&part)
            .and_then(|&value| self.vertices.get(value)?.node);
        let role = match node.and_then(|id| Some((id, words::node(platform, id)?))) {
            Some((id, _))
                if Some(id) != source && self.wanted.iter().any(|(goal, _)| *goal == id) =>
            {
                Role::Target
            }
            Some((_, node)) if !node.replicates => Role::Switch,
            Some((_, node)) if !node.is_processor() => Role::Router,
            _ => Role::Relay,
        };
        let name = node.map_or_else(
            || format!("link {link}"),
            |node| words::name(platform, node),
        );
        let stage = self.vertices.get(input).map_or(0, |vertex| vertex.row);
        self.vertex(
            role,
            name,
            part,
            node,
            format!("{hop}, stage {stage}: {}", role.name()),
        )
    }

    fn vertex(
        &self,
        role: Role,
        label: String,
        part: Interval,
        node: Option<NodeId>,
        tooltip: String,
    ) -> Vertex {
        let mut lines = vec![label];
        if self.style == Style::Tree {
            lines.push(
                at_node(self.problem.platform(), node)
                    .unwrap_or_else(|| "made nowhere".to_string()),
            );
        }
        Vertex {
            role,
            lines,
            part,
            node,
            wanted: false,
            tooltip,
            row: 0,
        }
    }

    /// Marks the first vertex of every goal. A value is marked only if no task delivers it.
    fn mark_wanted(&mut self) {
        if self.style != Style::Scheme {
            return;
        }
        let (made, values): (Vec<_>, Vec<_>) =
            self.vertices.iter_mut().partition(|vertex| vertex.row > 0);
        for vertex in made.into_iter().chain(values) {
            vertex.wanted = vertex
                .node
                .is_some_and(|node| self.wanted.remove(&(node, vertex.part)));
            if vertex.wanted {
                vertex.tooltip += "; wanted here";
            }
        }
    }
}

/// "@ a". `None` without a node.
fn at_node(platform: &Platform, node: Option<NodeId>) -> Option<String> {
    node.map(|node| format!("@ {}", words::name(platform, node)))
}

fn transfer_time(problem: &Problem, link: LinkId, part: Interval) -> Rational {
    let cost = words::link(problem.platform(), link)
        .map(|link| link.cost.clone())
        .unwrap_or_default();
    cost * problem.volumes().size.of(part).unwrap_or_default()
}

/// Every link of a flow with its time.
fn flow_words(problem: &Problem, part: Interval, links: &[LinkId]) -> String {
    let platform = problem.platform();
    let hop = |&link: &LinkId| {
        let time = quantities::time(platform, &transfer_time(problem, link, part));
        format!("{} (time {time})", words::link_name(platform, link))
    };
    let hops: Vec<String> = links.iter().map(hop).collect();
    if hops.is_empty() {
        return format!("{} is used in place", words::partial(part));
    }
    let size = quantities::size(
        platform,
        &problem.volumes().size.of(part).unwrap_or_default(),
    );
    format!("{}, size {size}: {}", words::partial(part), hops.join(", "))
}

/// The tree in which consecutive transfers are one edge, and parts that no task uses are results.
fn contracted(problem: &Problem, mut diagram: Diagram) -> Diagram {
    let (vertices, edges) = (diagram.vertices, diagram.edges);
    let mut uses = vec![0usize; vertices.len()];
    for edge in edges.iter() {
        uses[edge.from] += 1;
    }
    let mut tree = Contraction {
        problem,
        vertices: Vec::new(),
        edges: Vec::new(),
        paths: Vec::new(),
        uses,
    };
    let mut edges = edges.into_iter().peekable();
    let mut roots = Vec::new();
    for (index, vertex) in vertices.into_iter().enumerate() {
        let own: Vec<Edge> =
            std::iter::from_fn(|| edges.next_if(|edge| edge.to == index)).collect();
        if tree.uses[index] == 0 {
            roots.push((vertex.part, vertex.node, index));
        }
        tree.add(vertex, own);
    }
    roots.sort();
    let top = depth(&tree.vertices) + 1;
    for (part, node, root) in roots {
        let lines = vec![
            words::partial(part),
            at_node(problem.platform(), node).unwrap_or_else(|| "@ nowhere".into()),
        ];
        let tooltip = format!("the result {}", lines.join(" "));
        tree.join(root, tree.vertices.len(), part);
        tree.vertices.push(Vertex {
            role: Role::Result,
            lines,
            part,
            node,
            wanted: true,
            tooltip,
            row: top,
        });
    }
    (diagram.vertices, diagram.edges) = (tree.vertices, tree.edges);
    diagram
}

/// A tree whose consecutive transfers are being joined.
struct Contraction<'a> {
    problem: &'a Problem,
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    /// Per vertex of the full diagram: the new vertex that makes its part, and the links from there.
    paths: Vec<(usize, Vec<LinkId>)>,
    uses: Vec<usize>,
}

impl Contraction<'_> {
    fn add(&mut self, vertex: Vertex, inputs: Vec<Edge>) {
        if let [Edge { from, links, .. }] = &inputs[..] {
            let mut path = self.path(*from);
            path.1.extend(links);
            return self.paths.push(path);
        }
        let to = self.vertices.len();
        for edge in inputs {
            self.join(edge.from, to, edge.part);
        }
        let own = self.edges.iter().rev().take_while(|edge| edge.to == to);
        let row = own
            .map(|edge| self.vertices[edge.from].row + 1)
            .max()
            .unwrap_or(0);
        self.vertices.push(Vertex { row, ..vertex });
        self.paths.push((to, Vec::new()));
    }

    fn join(&mut self, from: usize, to: usize, part: Interval) {
        let (from, links) = self.path(from);
        let tooltip = flow_words(self.problem, part, &links);
        self.edges.push(Edge {
            from,
            to,
            part,
            links,
            time: Rational::default(),
            tooltip,
        });
    }

    /// The path to a vertex. A path that is used once is not copied, so long paths take linear time.
    fn path(&mut self, vertex: usize) -> (usize, Vec<LinkId>) {
        let (made, links) = &mut self.paths[vertex];
        (
            *made,
            if self.uses[vertex] > 1 {
                links.clone()
            } else {
                std::mem::take(links)
            },
        )
    }
}

/// Title and subtitle.
fn heading(
    style: Style,
    problem: &Problem,
    pattern: &Pattern,
    weight: Option<&Rational>,
    depth: usize,
) -> [String; 2] {
    let (platform, collective) = (problem.platform(), problem.collective());
    let demand = collective.demand(pattern.demand);
    let group = words::group_of(collective, pattern.demand);
    let name = match style {
        Style::Copies => {
            let source = demand
                .as_ref()
                .and_then(|demand| demand.operands.first().copied());
            let source = source.map_or_else(
                || "nowhere".to_string(),
                |source| words::name(platform, source),
            );
            format!("the way of {source}'s message{group}")
        }
        Style::Tree => match demand
            .map(|demand| demand.goals)
            .filter(|_| collective.demands() > 1)
        {
            Some(Goals::At(node)) => format!(
                "a reduction tree, result at {}",
                words::name(platform, node)
            ),
            _ => "a reduction tree".to_string(),
        },
        Style::Scheme => format!("a scheme{group}"),
    };
    let merges = pattern
        .tasks
        .iter()
        .filter(|task| matches!(task, Task::Merge { .. }))
        .count();
    let transfers = pattern.tasks.len() - merges;
    let mut parts: Vec<String> = weight
        .map(|weight| quantities::weight(platform, weight))
        .into_iter()
        .collect();
    match style {
        Style::Copies => parts.extend([words::plural(transfers, "hop"), format!("depth {depth}")]),
        _ => parts.extend([
            words::plural(merges, "merge"),
            words::plural(transfers, "transfer"),
        ]),
    }
    parts.push(quantities::volumes(problem));
    if pattern.order.is_some() {
        let whose = if style == Style::Tree {
            "tree"
        } else {
            "scheme"
        };
        parts.push(format!("operands in the {whose}'s own order"));
    }
    [
        format!("{}: {name}", words::describe(problem)),
        parts.join(" · "),
    ]
}
