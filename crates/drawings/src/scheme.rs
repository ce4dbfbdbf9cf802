//! Schemes for drawings: the tasks and values as a graph.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Demand, Interval, Pattern, Problem, Task};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::quantities;
use crate::reduction::Kind;
use crate::words::{self, inputs};

/// A scheme as vertices, each after its inputs. Inputs that no earlier task makes are vertices of their own.
pub(crate) struct Diagram {
    pub vertices: Vec<Vertex>,
    /// Rows of vertices: the values, then a row per stage.
    pub rows: usize,
}

/// A value at its owner, a partial result where it arrives, or a merge.
pub(crate) struct Vertex {
    /// What it is: [`Kind::Value`] with a link is an arrival.
    pub kind: Kind,
    /// The link that brought it here.
    pub link: Option<LinkId>,
    pub part: Interval,
    pub row: usize,
    /// Whether the demand wants this here, and nothing that does is before it.
    pub wanted: bool,
    pub inputs: Vec<usize>,
}

/// Strings the tasks together. `O(t log t)` for `t` tasks.
pub(crate) fn diagram(problem: Problem<'_>, scheme: &Pattern) -> Diagram {
    let (platform, collective) = (problem.platform(), problem.collective());
    let demand = collective.demand(scheme.demand);
    let mut wanted: BTreeSet<(NodeId, Interval)> = demand.iter().flat_map(Demand::goals).collect();
    let mut workshop = Workshop { demand, scheme, vertices: Vec::new(), values: BTreeMap::new(), tasks: Vec::new() };
    for task in &scheme.tasks {
        let (kind, link, part, inputs) = match *task {
            Task::Send { link, part, after } => {
                let kind = words::link(platform, link).map_or(Kind::Missing, |link| Kind::Value(link.to));
                (kind, Some(link), part, vec![workshop.input(after, part)])
            }
            Task::Merge { node, part, split, left, right } => {
                let [first, second] = inputs(part, split);
                let inputs = vec![workshop.input(left, first), workshop.input(right, second)];
                (Kind::Merge { node, split }, None, part, inputs)
            }
        };
        let row = inputs.iter().filter_map(|&input| workshop.vertices.get(input)).map(|vertex| vertex.row).max();
        let wanted = kind.node().is_some_and(|node| wanted.remove(&(node, part)));
        workshop.tasks.push(workshop.vertices.len());
        workshop.vertices.push(Vertex { kind, link, part, row: row.unwrap_or(0) + 1, wanted, inputs });
    }
    let mut vertices = workshop.vertices;
    // Only what nothing else brings is wanted of an owner.
    for vertex in vertices.iter_mut().filter(|vertex| vertex.inputs.is_empty()) {
        vertex.wanted = vertex.kind.node().is_some_and(|node| wanted.contains(&(node, vertex.part)));
    }
    let rows = vertices.iter().map(|vertex| vertex.row + 1).max().unwrap_or(0);
    Diagram { vertices, rows }
}

struct Workshop<'a> {
    demand: Option<Demand<'a>>,
    scheme: &'a Pattern,
    vertices: Vec<Vertex>,
    /// The vertices of values that no task makes.
    values: BTreeMap<Interval, usize>,
    /// The vertex of every task.
    tasks: Vec<usize>,
}

impl Workshop<'_> {
    /// The vertex of an input: an earlier task, or the value at its owner.
    fn input(&mut self, task: Option<u32>, part: Interval) -> usize {
        if let Some(&vertex) = task.and_then(|task| self.tasks.get(task as usize)) {
            return vertex;
        }
        if let Some(&vertex) = self.values.get(&part) {
            return vertex;
        }
        let kind = self.owner(part).filter(|_| task.is_none()).map_or(Kind::Missing, Kind::Value);
        self.values.insert(part, self.vertices.len());
        self.vertices.push(Vertex { kind, link: None, part, row: 0, wanted: false, inputs: Vec::new() });
        self.vertices.len() - 1
    }

    /// The owner of a single value, by the scheme's order.
    fn owner(&self, part: Interval) -> Option<NodeId> {
        if part.first != part.last {
            return None;
        }
        let place = match &self.scheme.order {
            Some(order) => *order.get(part.first)?,
            None => part.first,
        };
        self.demand.as_ref()?.operands.get(place).copied()
    }
}

impl Vertex {
    /// What stands in the vertex.
    pub fn label(&self) -> String {
        match self.kind {
            Kind::Merge { split, .. } => format!("T[{},{split},{}]", self.part.first, self.part.last),
            Kind::Value(_) | Kind::Missing => words::partial(self.part),
        }
    }

    /// What is done, and how long it takes.
    pub fn tooltip(&self, problem: Problem<'_>) -> String {
        let (platform, volumes) = (problem.platform(), problem.volumes());
        let part = words::partial(self.part);
        let mut text = match (self.kind, self.link) {
            (Kind::Merge { node, split }, _) => {
                let time = quantities::time(platform, &volumes.merge_time(platform, node, self.part, split));
                format!("{} makes {}, time {time}", words::name(platform, node), words::merge(self.part, split))
            }
            (_, Some(link)) => {
                let cost = words::link(platform, link).map(|link| link.cost.clone()).unwrap_or_default();
                let time = quantities::time(platform, &(cost * volumes.size.of(self.part).unwrap_or_default()));
                format!("{part}, {} (time {time})", words::link_name(platform, link))
            }
            (Kind::Value(node), None) => format!("value {part} of {}", words::name(platform, node)),
            (Kind::Missing, None) => format!("no task makes {part}"),
        };
        if self.wanted {
            text += "; wanted here";
        }
        text
    }
}

/// Title and subtitle of a scheme.
pub(crate) fn title(problem: Problem<'_>, scheme: &Pattern, weight: Option<&Rational>) -> [String; 2] {
    let collective = problem.collective();
    let merges = scheme.tasks.iter().filter(|task| matches!(task, Task::Merge { .. })).count();
    let mut parts: Vec<String> =
        weight.map(|weight| quantities::weight(problem.platform(), weight)).into_iter().collect();
    parts.push(words::plural(merges, "merge"));
    parts.push(words::plural(scheme.tasks.len() - merges, "transfer"));
    parts.push(quantities::volumes(problem));
    if scheme.order.is_some() {
        parts.push("operands in the scheme's own order".to_string());
    }
    let group = words::group_of(collective, scheme.demand);
    [format!("{}: a scheme{group}", words::describe(problem)), parts.join(" · ")]
}
