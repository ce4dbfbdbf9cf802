//! The tasks that can make and move partial results, numbered, with their costs.
//!
//! Vertices are the nodes where values can be kept: the nodes that replicate. Other nodes are passed through, on the
//! cheapest route between two vertices. A processor that does not replicate is a *relay*: a node where values may be
//! made, but no scheme is built that does so (bounds take it into account, as if it replicated).

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_numbers::Exact;
use oneport_plan::{Demand, Interval};
use oneport_platform::{LinkId, NodeId, PerNode, Platform, Rational, ratio, whole};
use oneport_trees::cheapest::Prices;

use crate::Question;
use crate::costs::LinkCosts;
use crate::oracles::route::ShortestPaths;

use super::fixed::Fixed;

/// A transfer between two vertices: a link, or a route through nodes that keep nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arc {
    /// Vertex of the sender.
    pub from: usize,
    /// Vertex of the receiver.
    pub to: usize,
    /// The link, if the arc is a single link under all prices.
    pub link: Option<LinkId>,
}

/// The meaning of a task's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// A partial result is sent.
    Transfer {
        /// Index of the arc.
        arc: usize,
        /// Index of the partial result.
        part: usize,
    },
    /// Two partial results are combined.
    Merge {
        /// Where.
        vertex: usize,
        /// Index of the result.
        part: usize,
        /// Index of the left input.
        left: usize,
        /// Index of the right input.
        right: usize,
    },
}

/// The tasks of one demand. With `n` operands, `v` vertices and `a` arcs there are about `a n^2 / 2 + v n^3 / 6`.
#[derive(Debug, Clone)]
pub(crate) struct Tasks {
    /// The vertices' nodes.
    pub vertices: Vec<NodeId>,
    /// Per vertex: whether it is a relay.
    pub relays: Vec<bool>,
    /// The transfers between vertices.
    pub arcs: Vec<Arc>,
    /// Per vertex: the arcs that leave it.
    leaving: Vec<Vec<usize>>,
    /// Per vertex: the arcs that enter it.
    entering: Vec<Vec<usize>>,
    /// The partial results, short ones first.
    pub parts: Vec<Interval>,
    /// The vertices that compute.
    computing: Vec<usize>,
    /// Per part: the number of its first merge.
    merges: Vec<usize>,
    /// Per operand: its owner's vertex.
    owners: Vec<usize>,
    /// Vertex and part.
    pub goals: Vec<(usize, usize)>,
    operands: usize,
    /// How many tasks there are.
    pub count: usize,
}

impl Tasks {
    /// Number of tasks for this number of operands if every node is a vertex and every arc a link. No task is listed.
    pub(crate) fn count_of(platform: &Platform, operands: usize) -> u128 {
        let n = operands as u128;
        let transfers = n * (n + 1) / 2 * platform.links().len() as u128;
        // There are `n - j` parts of `j + 1` operands, and each can be split at `j` positions.
        let splits = (n + 1) * n * n.saturating_sub(1) / 6;
        transfers + splits * platform.mergers().count() as u128
    }

    /// Numbers the tasks of a demand. With `direct`, every node is a vertex and every arc a link.
    pub(crate) fn new(platform: &Platform, demand: &Demand<'_>, direct: bool) -> Self {
        let kept = |&node: &NodeId| {
            direct || platform.node(node).replicates || platform.node(node).merges()
        };
        let vertices: Vec<NodeId> = platform.node_ids().filter(kept).collect();
        let mut vertex_of = platform.per_node(None);
        for (vertex, node) in vertices.iter().enumerate() {
            vertex_of[*node] = Some(vertex);
        }
        let all_replicate = platform.nodes().iter().all(|node| node.replicates);
        let arcs = if direct || all_replicate {
            links(platform, &vertex_of)
        } else {
            routes(platform, &vertices)
        };
        let operands = demand.operands.len();
        let mut parts: Vec<Interval> = (0..operands)
            .flat_map(|first| (first..operands).map(move |last| Interval { first, last }))
            .collect();
        parts.sort_by_key(|part| (part.operands(), part.first));
        let computing: Vec<usize> = (0..vertices.len())
            .filter(|&vertex| platform.node(vertices[vertex]).merges())
            .collect();
        let mut count = parts.len() * arcs.len();
        let mut merges = Vec::with_capacity(parts.len());
        for part in &parts {
            merges.push(count);
            count += (part.operands() - 1) * computing.len();
        }
        let mut tasks = Tasks {
            relays: vertices
                .iter()
                .map(|&node| !platform.node(node).replicates)
                .collect(),
            leaving: vec![Vec::new(); vertices.len()],
            entering: vec![Vec::new(); vertices.len()],
            owners: demand
                .operands
                .iter()
                .filter_map(|node| vertex_of[*node])
                .collect(),
            vertices,
            arcs,
            parts,
            computing,
            merges,
            goals: Vec::new(),
            operands,
            count,
        };
        for (number, arc) in tasks.arcs.iter().enumerate() {
            tasks.leaving[arc.from].push(number);
            tasks.entering[arc.to].push(number);
        }
        let goal = |(node, part): (NodeId, Interval)| Some((vertex_of[node]?, tasks.number(part)));
        tasks.goals = demand.goals().into_iter().filter_map(goal).collect();
        tasks
    }

    /// The number of a partial result.
    pub(crate) fn number(&self, part: Interval) -> usize {
        // Longer parts come later. There are n - j parts of j + 1 operands.
        let longer = part.last - part.first;
        longer * self.operands - longer * longer.saturating_sub(1) / 2 + part.first
    }

    /// The owner's vertex, if the part is an operand.
    pub(crate) fn owner(&self, part: usize) -> Option<usize> {
        (part < self.operands).then(|| self.owners[part])
    }

    /// The number of a transfer.
    pub(crate) fn transfer(&self, part: usize, arc: usize) -> usize {
        part * self.arcs.len() + arc
    }

    /// The merges that make a part: number, vertex, left, right.
    pub(crate) fn merges(
        &self,
        part: usize,
    ) -> impl Iterator<Item = (usize, usize, usize, usize)> + '_ {
        let Interval { first, last } = self.parts[part];
        let merges = move |split: usize| {
            let (left, right) = self.parts[part].split(split);
            let (left, right) = (self.number(left), self.number(right));
            let number = self.merges[part] + (split - first) * self.computing.len();
            self.computing
                .iter()
                .enumerate()
                .map(move |(vertex, &node)| (number + vertex, node, left, right))
        };
        (first..last).flat_map(merges)
    }

    /// Arcs that leave a vertex.
    pub(crate) fn leaving(&self, vertex: usize) -> &[usize] {
        &self.leaving[vertex]
    }

    /// Arcs that enter a vertex.
    pub(crate) fn entering(&self, vertex: usize) -> &[usize] {
        &self.entering[vertex]
    }

    /// The decoded number of a task.
    pub(crate) fn name(&self, task: usize) -> Named {
        let transfers = self.parts.len() * self.arcs.len();
        if task < transfers {
            return Named::Transfer {
                arc: task % self.arcs.len(),
                part: task / self.arcs.len(),
            };
        }
        let part = self.merges.partition_point(|&first| first <= task) - 1;
        let (split, vertex) = (
            (task - self.merges[part]) / self.computing.len(),
            (task - self.merges[part]) % self.computing.len(),
        );
        let whole = self.parts[part];
        let (left, right) = whole.split(whole.first + split);
        let (left, right) = (self.number(left), self.number(right));
        Named::Merge {
            vertex: self.computing[vertex],
            part,
            left,
            right,
        }
    }

    /// Whether a task is executed at a relay.
    pub(crate) fn at_relay(&self, task: usize) -> bool {
        match self.name(task) {
            Named::Transfer { arc, .. } => {
                self.relays[self.arcs[arc].from] || self.relays[self.arcs[arc].to]
            }
            Named::Merge { vertex, .. } => self.relays[vertex],
        }
    }

    /// The parts that a goal may need: those within it, short ones first.
    pub(crate) fn within(&self, goal: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let whole = self.parts[self.goals[goal].1];
        let inside = move |&part: &usize| {
            let part = self.parts[part];
            whole.first <= part.first && part.last <= whole.last
        };
        (0..self.parts.len()).filter(inside)
    }
}

fn links(platform: &Platform, vertex_of: &PerNode<Option<usize>>) -> Vec<Arc> {
    let arc = |link: LinkId| {
        let ends = platform.link(link);
        Some(Arc {
            from: vertex_of[ends.from]?,
            to: vertex_of[ends.to]?,
            link: Some(link),
        })
    };
    platform.link_ids().filter_map(arc).collect()
}

fn routes(platform: &Platform, vertices: &[NodeId]) -> Vec<Arc> {
    let level = vec![1u64; platform.links().len()];
    let mut arcs = Vec::new();
    for (from, &node) in vertices.iter().enumerate() {
        let paths = ShortestPaths::new(platform, &level, node, |node| {
            !platform.node(node).replicates
        });
        let reached = |&(to, end): &(usize, &NodeId)| to != from && paths.cost(*end).is_some();
        arcs.extend(
            vertices
                .iter()
                .enumerate()
                .filter(reached)
                .map(|(to, _)| Arc {
                    from,
                    to,
                    link: None,
                }),
        );
    }
    arcs
}

/// Times of tasks as integers in a common unit, prepared once for many prices.
pub(crate) struct Scaled {
    /// Per link: time for a unit of size.
    links: Vec<BigUint>,
    /// Per node: time for a unit of work.
    compute: Vec<BigUint>,
    /// Per part.
    sizes: Vec<BigUint>,
    works: Vec<BigUint>,
    /// Value of 1.
    unit: Rational,
}

/// Costs of tasks under prices, and the links behind the arcs.
pub(crate) struct Priced<N> {
    /// Per task. At least `top` if the task is barred.
    pub costs: Vec<N>,
    /// More than all tasks together.
    pub top: N,
    /// Value of 1, in the unit of the prices.
    pub unit: Rational,
}

/// Numbers over a common denominator.
fn integers(values: &[Rational]) -> (Vec<BigUint>, BigInt) {
    let scaled = oneport_numbers::Scaled::of(values);
    (scaled.values, scaled.unit.denom().clone())
}

impl Scaled {
    /// Times of all tasks.
    pub(crate) fn new(question: &Question, tasks: &Tasks) -> Self {
        let (platform, volumes) = (question.platform(), question.volumes());
        let links: Vec<Rational> = platform
            .links()
            .iter()
            .map(|link| link.cost.clone())
            .collect();
        let compute: Vec<Rational> = platform
            .nodes()
            .iter()
            .map(|node| node.merge_time().cloned().unwrap_or_default())
            .collect();
        let sizes: Vec<Rational> = tasks
            .parts
            .iter()
            .map(|&part| volumes.size.of(part).unwrap_or_default())
            .collect();
        let works: Vec<Rational> = tasks
            .parts
            .iter()
            .map(|&part| volumes.work.of(part).unwrap_or_default())
            .collect();
        let ((mut links, by_cost), (sizes, by_size)) = (integers(&links), integers(&sizes));
        let ((mut compute, by_compute), (works, by_work)) = (integers(&compute), integers(&works));
        let (transfer, merge) = (by_cost * by_size, by_compute * by_work);
        let denominator = transfer.lcm(&merge);
        let (up_transfer, up_merge) = (&denominator / &transfer, &denominator / &merge);
        for time in &mut links {
            *time *= up_transfer.magnitude();
        }
        for time in &mut compute {
            *time *= up_merge.magnitude();
        }
        Scaled {
            links,
            compute,
            sizes,
            works,
            unit: ratio(BigInt::one(), denominator),
        }
    }

    /// Costs under prices in integers of any length, with the links of every arc.
    pub(crate) fn price(
        &self,
        platform: &Platform,
        tasks: &Tasks,
        prices: &Prices<BigUint>,
        unit: &Rational,
    ) -> (Priced<BigUint>, Vec<Vec<LinkId>>) {
        let links: Vec<BigUint> = self
            .links
            .iter()
            .zip(&prices.links)
            .map(|(time, price)| time * price)
            .collect();
        let compute: Vec<BigUint> = self
            .compute
            .iter()
            .zip(&prices.compute)
            .map(|(time, price)| time * price)
            .collect();
        let costs = LinkCosts {
            links,
            unit: Rational::one(),
        };
        let routes = self.routes(platform, tasks, &costs);
        let mut all = Vec::with_capacity(tasks.count);
        for size in &self.sizes {
            all.extend(routes.iter().map(|(cost, _)| cost * size));
        }
        for (part, work) in self.works.iter().enumerate() {
            all.extend(
                tasks
                    .merges(part)
                    .map(|(_, vertex, ..)| &compute[tasks.vertices[vertex].index()] * work),
            );
        }
        let top = all.iter().sum::<BigUint>() + 1u32;
        let unit = &self.unit * unit;
        (
            Priced {
                costs: all,
                top,
                unit,
            },
            routes.into_iter().map(|(_, links)| links).collect(),
        )
    }

    fn routes(
        &self,
        platform: &Platform,
        tasks: &Tasks,
        costs: &LinkCosts<BigUint>,
    ) -> Vec<(BigUint, Vec<LinkId>)> {
        let mut routes = Vec::with_capacity(tasks.arcs.len());
        let mut paths: Option<(usize, ShortestPaths<BigUint>)> = None;
        for arc in &tasks.arcs {
            if let Some(link) = arc.link {
                routes.push((costs.links[link.index()].clone(), vec![link]));
                continue;
            }
            let from = tasks.vertices[arc.from];
            if paths.as_ref().is_none_or(|(vertex, _)| *vertex != arc.from) {
                let found = ShortestPaths::new(platform, &costs.links, from, |node| {
                    !platform.node(node).replicates
                });
                paths = Some((arc.from, found));
            }
            let found = paths
                .as_ref()
                .and_then(|(_, paths)| paths.to(tasks.vertices[arc.to]));
            // Which pairs are joined does not depend on prices.
            routes.push(found.unwrap_or_default());
        }
        routes
    }
}

/// Exact prices over a common denominator, and the value of 1 in them.
pub(crate) fn whole_prices(prices: &Prices<Rational>) -> (Prices<BigUint>, Rational) {
    let positive = |price: &Rational| {
        if price.is_positive() {
            price.clone()
        } else {
            Rational::zero()
        }
    };
    let all: Vec<Rational> = prices
        .links
        .iter()
        .chain(&prices.compute)
        .map(positive)
        .collect();
    let (mut links, denominator) = integers(&all);
    let compute = links.split_off(prices.links.len());
    (Prices { links, compute }, ratio(BigInt::one(), denominator))
}

impl Priced<BigUint> {
    /// In 64 bits, rounded down if necessary: a lower bound on a rounded cost is one on the given cost.
    pub(crate) fn rounded(&self) -> Priced<u64> {
        // Sums of three values up to the top occur.
        let shift = (self.top.bits() + 2).saturating_sub(63);
        let down = |cost: &BigUint| (cost >> shift).to_u64().unwrap_or(0);
        let costs: Vec<u64> = self.costs.iter().map(down).collect();
        let top = costs.iter().sum::<u64>() + 1;
        Priced {
            costs,
            top,
            unit: &self.unit * whole(BigInt::one() << shift),
        }
    }

    /// In 128 bits, if nothing can overflow.
    pub(crate) fn narrowed(&self) -> Option<Priced<u128>> {
        if self.top.bits() + 2 > 127 {
            None
        } else {
            self.of(ToPrimitive::to_u128)
        }
    }

    /// In numbers of a fixed length, if nothing can overflow: sums of three values up to the top occur.
    pub(crate) fn fixed<const WORDS: usize>(&self) -> Option<Priced<Fixed<WORDS>>> {
        if self.top.bits() + 2 > Fixed::<WORDS>::BITS {
            None
        } else {
            self.of(Fixed::of)
        }
    }

    /// In another type of number, if all costs and the top fit.
    fn of<N>(&self, number: impl Fn(&BigUint) -> Option<N>) -> Option<Priced<N>> {
        let costs = self.costs.iter().map(&number).collect::<Option<_>>()?;
        Some(Priced {
            costs,
            top: number(&self.top)?,
            unit: self.unit.clone(),
        })
    }
}

impl<N: Exact> Priced<N> {
    /// Whether a price means "unreachable".
    pub(crate) fn is_barred(&self, price: &N) -> bool {
        *price >= self.top
    }
}
