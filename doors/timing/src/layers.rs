//! An operation that ends by a date, as a steady state of a platform in layers: every node once for each window of
//! time. The proof is in docs/theory.md.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Signed, Zero};
use oneport_graph::shortest_paths;
use oneport_plan::{
    Certificate, Collective, CustomDemand, Demand, Kind, Pattern, Problem, Rational, Resource,
    SteadyState, Task, Volumes, Wanted, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PlatformBuilder, PortModel, Shared, whole};
use oneport_watch::Watch;
use petgraph::visit::{EdgeRef, Reversed};

use crate::TaskList;
use crate::TimingError;

/// Lengths of paths that separate windows. If there are more, some are left out, which keeps a bound valid. Trades
/// sharper bounds for smaller programs. Not measured.
const LENGTHS: usize = 9;
/// Operations longer than this multiple of the longest path of a value have no layers: windows of the beginning and the
/// end are too short to matter. Trades the last percents of a bound for time. Not measured.
const FAR: u32 = 32;
/// Nodes of a layered platform. Trades bounds on large platforms for time. Not measured.
const NODES: usize = 3000;

/// An interval of time of a run that ends by a given date.
struct Window {
    start: Rational,
    length: Rational,
    /// Change of the length per unit of the date: -1, 0 or 1.
    growth: i8,
}

/// A link of a layered platform.
#[derive(Clone, Copy)]
struct Layered {
    /// The link of the platform. `None` if a value waits for a later window.
    link: Option<LinkId>,
    window: usize,
}

/// The operation by a date. A schedule that ends by then is a steady state of throughput 1 of the
/// [problem](Layers::problem): a message sent in a window leaves the sender's node of this window and comes to the
/// receiver's node of the window in which it may arrive. A transfer has the length of the window.
pub struct Layers {
    problem: Problem,
    windows: Vec<Window>,
    links: Vec<Layered>,
    /// Per node: the node of the platform, and the window.
    nodes: Vec<(NodeId, usize)>,
    /// Per shared capacity: the window.
    shared: Vec<usize>,
}

/// The date, or the end of a distance: a date that moves with the end, or does not.
type Border = (Rational, bool);

impl Layers {
    /// Returns relaxations that every schedule of the operation solves, too, with one owner or one goal per demand: the
    /// copies of one operand alone, the reduction to one goal alone, and, if no demand has several owners and several
    /// goals, the operation itself, which comes last.
    pub fn relaxed(problem: &Problem) -> Vec<Vec<CustomDemand>> {
        let numbered = || (0..).zip(problem.demands());
        let rate = |number: usize| problem.collective().rate(number);
        let copies = |(number, demand): (usize, Demand<'_>)| {
            let goals = demand.goals();
            let wanting = goals.iter().filter(|(_, part)| part.first == 0);
            let wanting: Vec<NodeId> = wanting.map(|&(node, _)| node).collect();
            let owner = demand.operands.get(..1)?;
            custom(owner, &wanting, true, rate(number)).filter(|_| wanting.len() > 1)
        };
        let combined = |(number, demand): (usize, Demand<'_>)| {
            let (goal, part) = demand.goals().into_iter().next_back()?;
            let operands = demand.operands.get(part.first..=part.last)?;
            custom(operands, &[goal], demand.commutative, rate(number))
                .filter(|_| operands.len() > 1)
        };
        let alone = [numbered().find_map(copies), numbered().find_map(combined)];
        let mut all: Vec<Vec<CustomDemand>> =
            alone.into_iter().flatten().map(|one| vec![one]).collect();
        let several =
            |demand: Demand<'_>| matches!(demand.kind(), Kind::CombineCopy | Kind::Prefix);
        if !problem.demands().any(several) {
            let whole = |(number, demand): (usize, Demand<'_>)| {
                custom(
                    demand.operands,
                    demand.targets(),
                    demand.commutative,
                    rate(number),
                )
            };
            let whole: Vec<CustomDemand> = numbered().filter_map(whole).collect();
            all.retain(|one| *one != whole);
            all.push(whole);
        }
        all
    }

    /// Whether the last of the [relaxations](Layers::relaxed) is the operation itself.
    pub fn are_exact(problem: &Problem) -> bool {
        let kinds = problem.demands().map(|demand| demand.kind());
        kinds
            .into_iter()
            .all(|kind| !matches!(kind, Kind::CombineCopy | Kind::Prefix))
    }

    /// The demands, which an operation of `problem` [has to meet](Layers::relaxed), by a date. `None` if sizes depend
    /// on operands, messages stay whole, the date is too far off for latency to matter, the platform in layers is too
    /// large, or some value cannot arrive by this date.
    pub fn new(problem: &Problem, demands: &[CustomDemand], until: &Rational) -> Option<Layers> {
        let volumes = problem.volumes();
        let (size, work) = (volumes.size.constant()?, volumes.work.constant()?);
        let whole = problem
            .collective()
            .members()
            .iter()
            .any(|one| !one.collective.is_cut());
        if !problem.collective().is_cut() || whole || demands.is_empty() {
            return None;
        }
        let ends = Ends::of(problem.platform(), demands);
        let longest = ends.before.iter().chain(&ends.after).flatten().max()?;
        if *until > longest * Rational::from_integer(FAR.into()) {
            return None;
        }
        let windows = windows(&lengths(problem.platform(), &ends, until), until);
        if windows.len() * problem.platform().nodes().len() > NODES {
            return None;
        }
        let mut draft = Draft {
            of: problem.platform(),
            ends: &ends,
            until,
            windows: &windows,
            builder: Platform::builder(),
            nodes: Vec::new(),
            links: Vec::new(),
            nodes_at: Vec::new(),
        };
        draft.fill()?;
        let shared = draft.share()?;
        let moved = |node: &NodeId, window: usize| draft.node_at(*node, window);
        let last = windows.len().checked_sub(1)?;
        let layered = demands.iter().map(|demand| {
            let owners = demand.owners.iter().map(|owner| moved(owner, 0));
            let Wanted::At(wanted) = &demand.wanted else {
                return None;
            };
            let wanted = wanted.iter().map(|goal| moved(goal, last));
            Some(CustomDemand {
                owners: owners.collect::<Option<_>>()?,
                wanted: Wanted::At(wanted.collect::<Option<_>>()?),
                ..demand.clone()
            })
        });
        let collective = Collective::Custom(layered.collect::<Option<_>>()?);
        let mut volumes = Volumes::of_size(size.clone());
        volumes.work = oneport_plan::Amount::Constant(work.clone());
        let Draft {
            builder,
            nodes,
            links,
            ..
        } = draft;
        let problem = Problem::new(builder.build().ok()?, collective, volumes).ok()?;
        Some(Layers {
            problem,
            windows,
            links,
            nodes,
            shared,
        })
    }

    /// The problem whose throughput is at least 1 if some schedule ends by the date.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Additional time that an operation needs after the date, if the certificate proves a throughput below 1: with its
    /// prices, up to the date at which a window vanishes.
    pub fn lacking(&self, certificate: &Certificate, throughput: &Rational) -> Rational {
        let platform = self.problem.platform();
        let most = self.windows.iter().filter(|window| window.growth < 0);
        let most = most.map(|window| window.length.clone()).min();
        if *throughput >= Rational::one() || throughput.is_zero() {
            return Rational::zero();
        }
        let (mut supply, mut slope) = (Rational::zero(), Rational::zero());
        for (resource, price) in certificate.prices() {
            let all = price * whole(resource.capacity(platform));
            if let Some(window) = self
                .window(resource)
                .and_then(|index| self.windows.get(index))
            {
                slope += &all * whole(window.growth) / &window.length;
            }
            supply += all;
        }
        if certificate.odd_sets().next().is_some() {
            return Rational::zero();
        }
        let needed = slope
            .is_positive()
            .then(|| supply * (throughput.recip() - Rational::one()) / slope);
        [needed, most]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or_default()
    }

    fn window(&self, resource: Resource) -> Option<usize> {
        if let Resource::Link(link) = resource {
            return Some(self.links.get(link.index())?.window);
        }
        if let Resource::Shared(shared) = resource {
            return self.shared.get(shared.index()).copied();
        }
        Some(self.nodes.get(resource.node()?.index())?.1)
    }

    /// The steady state's patterns on the platform itself, each on its share of the values, the largest share in
    /// `count` pieces. Of startable tasks, those of the earlier window start first.
    ///
    /// # Errors
    /// There are more than four million tasks, or [`TimingError::Stopped`] if the watch ends.
    pub fn task_list(
        &self,
        problem: &Problem,
        state: &SteadyState,
        count: u32,
        watch: &Watch,
    ) -> Result<TaskList, TimingError> {
        let (mut patterns, mut windows) = (Vec::new(), Vec::new());
        for weighted in &state.patterns {
            let (pattern, own) = self.on_platform(&weighted.pattern);
            patterns.push(WeightedPattern {
                pattern,
                weight: weighted.weight.clone(),
            });
            windows.push(own);
        }
        let state = SteadyState {
            throughput: state.throughput.clone(),
            patterns,
        };
        TaskList::of_windows(problem, &state, count, &windows, watch)
    }

    /// A pattern without waiting, and the window of each of its tasks.
    fn on_platform(&self, pattern: &Pattern) -> (Pattern, Vec<usize>) {
        let (mut tasks, mut windows) = (Vec::new(), Vec::new());
        // Per task of the layers: the task that brings its result.
        let mut indices: Vec<Option<u32>> = Vec::with_capacity(pattern.tasks.len());
        let mut push = |task: Task, window: usize| {
            tasks.push(task);
            windows.push(window);
            Some(tasks.len() as u32 - 1)
        };
        for task in &pattern.tasks {
            let moved = |input: Option<u32>| indices.get(input? as usize).copied().flatten();
            indices.push(match *task {
                Task::Send { link, part, after } => match self.links.get(link.index()) {
                    Some(&Layered {
                        link: Some(link),
                        window,
                    }) => {
                        let after = moved(after);
                        push(Task::Send { link, part, after }, window)
                    }
                    _ => moved(after),
                },
                Task::Merge {
                    node,
                    part,
                    split,
                    left,
                    right,
                } => {
                    let (node, window) = self.nodes.get(node.index()).copied().unwrap_or((node, 0));
                    let (left, right) = (moved(left), moved(right));
                    let merge = Task::Merge {
                        node,
                        part,
                        split,
                        left,
                        right,
                    };
                    push(merge, window)
                }
            });
        }
        let pattern = Pattern {
            tasks,
            ..pattern.clone()
        };
        (pattern, windows)
    }
}

/// A demand without the goals that own its only value.
fn custom(
    owners: &[NodeId],
    goals: &[NodeId],
    commutative: bool,
    rate: u64,
) -> Option<CustomDemand> {
    let other = |goal: &&NodeId| owners != std::slice::from_ref(*goal);
    let wanted: Vec<NodeId> = goals.iter().filter(other).copied().collect();
    (!wanted.is_empty()).then(|| CustomDemand {
        owners: owners.to_vec(),
        wanted: Wanted::At(wanted),
        commutative: commutative && owners.len() > 1,
        rate,
    })
}

/// Per node: the least delay from an owner, and to a goal. Every link counts its latency only: its data may be in
/// pieces of any size, and its overhead is left out.
struct Ends {
    before: Vec<Option<Rational>>,
    after: Vec<Option<Rational>>,
}

impl Ends {
    fn of(platform: &Platform, demands: &[CustomDemand]) -> Ends {
        let start = |node: &NodeId| ((*node).into(), Rational::zero());
        let owners = demands.iter().flat_map(|demand| &demand.owners).map(start);
        let wanted = demands.iter().flat_map(|demand| match &demand.wanted {
            Wanted::At(nodes) => nodes.as_slice(),
            Wanted::Prefixes => &demand.owners,
        });
        let delay = |id: LinkId| platform.link(id).latency();
        let before = shortest_paths(
            platform.graph(),
            owners,
            |edge| delay(edge.id().into()),
            |_| true,
        );
        let after = shortest_paths(
            Reversed(platform.graph()),
            wanted.map(start),
            |edge| delay(edge.id().into()),
            |_| true,
        );
        Ends {
            before: before.distances,
            after: after.distances,
        }
    }

    fn of_node(&self, node: NodeId) -> Option<(&Rational, &Rational)> {
        let before = self.before.get(node.index())?.as_ref()?;
        Some((before, self.after.get(node.index())?.as_ref()?))
    }
}

/// Lengths of paths that separate windows: the distances of nodes from their ends, and of paths that continue by a
/// link, the shortest first.
fn lengths(platform: &Platform, ends: &Ends, until: &Rational) -> BTreeSet<Rational> {
    let inside = |length: &Rational| length.is_positive() && length < until;
    let all: BTreeSet<Rational> = [&ends.before, &ends.after]
        .into_iter()
        .flat_map(|distances| distances.iter().flatten())
        .filter(|length| inside(length))
        .cloned()
        .collect();
    let step = all.len().div_ceil(LENGTHS).max(1);
    let mut kept: BTreeSet<Rational> = all.into_iter().step_by(step).collect();
    let steps: BTreeSet<Rational> = platform.links().iter().map(|link| link.latency()).collect();
    let mut last = Rational::zero();
    while kept.len() < LENGTHS {
        let further = kept
            .iter()
            .flat_map(|length| steps.iter().map(move |step| length + step))
            .filter(|length| inside(length) && !kept.contains(length))
            .min();
        let Some(further) = further.filter(|further| *further > last) else {
            break;
        };
        last = further.clone();
        kept.insert(further);
    }
    kept
}

/// The windows between the dates that are one of these lengths from the beginning or from the end.
fn windows(lengths: &BTreeSet<Rational>, until: &Rational) -> Vec<Window> {
    let early = lengths.iter().map(|length| (length.clone(), false));
    let late = lengths.iter().map(|length| (until - length, true));
    let mut borders: Vec<Border> = vec![(Rational::zero(), false)];
    borders.extend(early.chain(late).collect::<BTreeSet<Border>>());
    borders.push((until.clone(), true));
    borders.dedup_by(|one, other| one.0 == other.0);
    let window = |pair: &[Border]| Window {
        start: pair[0].0.clone(),
        length: &pair[1].0 - &pair[0].0,
        growth: i8::from(pair[1].1) - i8::from(pair[0].1),
    };
    borders.windows(2).map(window).collect()
}

/// A layered platform that is being built.
struct Draft<'d> {
    of: &'d Platform,
    ends: &'d Ends,
    until: &'d Rational,
    windows: &'d [Window],
    builder: PlatformBuilder,
    nodes: Vec<(NodeId, usize)>,
    links: Vec<Layered>,
    /// Per node and window: the node in the layers.
    nodes_at: Vec<Vec<Option<NodeId>>>,
}

impl Draft<'_> {
    fn node_at(&self, node: NodeId, window: usize) -> Option<NodeId> {
        *self.nodes_at.get(node.index())?.get(window)?
    }

    fn fill(&mut self) -> Option<()> {
        for node in self.of.node_ids() {
            let mut row = Vec::with_capacity(self.windows.len());
            for index in 0..self.windows.len() {
                let useful = self.is_useful(node, index);
                row.push(if useful {
                    Some(self.node(node, index)?)
                } else {
                    None
                });
            }
            let kept: Vec<(usize, NodeId)> = (0..)
                .zip(&row)
                .filter_map(|(index, id)| Some((index, (*id)?)))
                .collect();
            for pair in kept.windows(2) {
                self.wait(pair[0].1, pair[1].1, pair[0].0)?;
            }
            self.nodes_at.push(row);
        }
        for node in self.of.node_ids() {
            for index in 0..self.windows.len() {
                self.links_to(node, index)?;
            }
        }
        Some(())
    }

    /// The shared capacities of every window, each for its length, and their windows.
    fn share(&mut self) -> Option<Vec<usize>> {
        let mut windows = Vec::new();
        for (index, shared) in self.of.shared().iter().enumerate() {
            for (number, window) in self.windows.iter().enumerate() {
                let links = self.links.iter().enumerate();
                let own = links.filter(|(_, layered)| layered.window == number);
                let weight = |(id, layered): (usize, &Layered)| {
                    Some((LinkId::new(id), *shared.weights.get(&layered.link?)?))
                };
                let weights: BTreeMap<LinkId, u32> = own.filter_map(weight).collect();
                if weights.is_empty() {
                    continue;
                }
                let made = Shared {
                    name: format!("{index}@{number}"),
                    rate: &shared.rate * &window.length,
                    weights,
                };
                self.builder.share(made).ok()?;
                windows.push(number);
            }
        }
        Some(windows)
    }

    /// Whether a useful value may be at the node in the window.
    fn is_useful(&self, node: NodeId, index: usize) -> bool {
        let (Some((before, after)), Some(window)) =
            (self.ends.of_node(node), self.windows.get(index))
        else {
            return false;
        };
        *before < &window.start + &window.length && &window.start + after < *self.until
    }

    fn node(&mut self, node: NodeId, index: usize) -> Option<NodeId> {
        let (of, window) = (self.of.node(node), self.windows.get(index)?);
        let made = Node {
            name: format!("{}@{index}", node.index()),
            compute: of.compute.as_ref().map(|compute| compute / &window.length),
            ..of.clone()
        };
        self.nodes.push((node, index));
        self.builder.node(self.ported(made, node)).ok()
    }

    /// The node under its own model. A half-duplex node may send and receive at once, which only weakens the bound.
    fn ported(&self, made: Node, node: NodeId) -> Node {
        let model = match self.of.model_of(node) {
            PortModel::HalfDuplex => PortModel::FullDuplex,
            model => model,
        };
        Node {
            model: Some(model),
            ..made
        }
    }

    fn wait(&mut self, from: NodeId, to: NodeId, window: usize) -> Option<()> {
        self.builder.link(from, to, Rational::zero()).ok()?;
        self.links.push(Layered { link: None, window });
        Some(())
    }

    /// The links into a node on which values are sent in this window. They meet at a separate node, which has the
    /// receiving ports of the node.
    fn links_to(&mut self, node: NodeId, index: usize) -> Option<()> {
        let window = self.windows.get(index)?;
        let incoming: Vec<(LinkId, NodeId, usize)> = self
            .of
            .incoming(node)
            .iter()
            .filter_map(|&id| {
                let link = self.of.link(id);
                let from = self.node_at(link.from, index)?;
                let at = &window.start + link.latency();
                let arrives = self.windows.iter().rposition(|window| window.start <= at)?;
                let in_time = at < *self.until;
                (in_time && self.node_at(node, arrives).is_some()).then_some((id, from, arrives))
            })
            .collect();
        let Some(first) = incoming.iter().map(|(_, _, arrives)| *arrives).min() else {
            return Some(());
        };
        let only_links = self.of.model_of(node) == PortModel::Links;
        let shared = if only_links {
            None
        } else {
            let port = Node {
                ports: self.of.node(node).ports,
                ..Node::router(format!("{}<{index}", node.index()))
            };
            let port = self.ported(port, node);
            self.nodes.push((node, index));
            let port = self.builder.node(port).ok()?;
            self.wait(port, self.node_at(node, first)?, index)?;
            Some(port)
        };
        for (id, from, arrives) in incoming {
            let to = match shared {
                Some(port) => port,
                None => self.node_at(node, arrives)?,
            };
            let cost = &self.of.link(id).cost / &window.length;
            self.builder.link(from, to, cost).ok()?;
            self.links.push(Layered {
                link: Some(id),
                window: index,
            });
        }
        Some(())
    }
}
