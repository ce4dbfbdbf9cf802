//! Symmetric platforms: one participant represents all that are like it.
//!
//! A group of automorphisms may act freely on the participants of an all-gather, reduce-scatter or all-reduce (boxes of
//! a cluster that can be exchanged, processors of a torus that can be shifted). It maps steady states to steady states,
//! and their average is symmetric. So one demand per orbit is enough, and resources of one orbit may share a row and a
//! price. The program becomes as small as the quotient of the platform. All elements of the group carry its patterns
//! over, each image with an equal part of the weight, so all resources of an orbit have equal loads. The certificate
//! gives every resource of an orbit the same price and is valid for the whole platform. If operands keep their order,
//! only some trees have images (see `in_order`), and the prices have to prove that no others are cheaper.

use std::collections::BTreeMap;

use crate::known::{Bound, Known};
use oneport_plan::{
    Block, Collective, CustomDemand, Demand, Kind, Pattern, Resource, SteadyState, Task, Wanted,
    WeightedPattern,
};
use oneport_platform::{Automorphism, NodeId, Rational, free_automorphisms, whole};

use crate::bounds;
use crate::bounds::slowest_cut::{all_gather_participants, slowest_cut};
use crate::column_generation::generate;
use crate::findings::Findings;
use crate::in_order::{self, Intervals, Renaming};
use crate::mixture::Mixture;
use crate::oracles::Patterns;
use crate::question::is_all_reduce;
use crate::resources::Resources;
use crate::{LpError, Options, Question, Until};

/// The question about representatives.
pub(crate) struct Quotient<'a> {
    question: &'a Question,
    group: Vec<Automorphism>,
    /// The demands of the representatives.
    collective: Collective,
    participants: Vec<NodeId>,
    /// Per demand: the participant whose demand it is. Empty if the only demand is shared by all participants.
    representatives: Vec<NodeId>,
    /// For operators that keep their operands' order: the partial results that are sent, and the images of the
    /// operands.
    in_order: Option<(Intervals, Vec<Vec<usize>>)>,
}

impl<'a> Quotient<'a> {
    /// `None` if nothing is symmetric.
    pub(crate) fn new(question: &'a Question) -> Option<Self> {
        let platform = question.platform();
        let block = question.block()?;
        let participants = &alike(question, &block)?[..];
        // Odd sets would have to be symmetric, too.
        if platform.half_duplex().is_some() {
            return None;
        }
        let group = free_automorphisms(platform, participants);
        if group.len() < 2 {
            return None;
        }
        let mut seen = platform.per_node(false);
        let mut representatives = Vec::new();
        for &participant in participants {
            if !seen[participant] {
                representatives.push(participant);
                for element in &group {
                    seen[element.nodes[participant]] = true;
                }
            }
        }
        let in_order = if block.kind.combines() && !block.is_commutative() {
            let renamings = renamings(&group, participants);
            Some((
                Intervals::new(&renamings, participants.len(), question.volumes())?,
                renamings,
            ))
        } else {
            None
        };
        if block.count == 1 {
            let collective = question.collective().clone();
            let participants = participants.to_vec();
            return Some(Quotient {
                question,
                group,
                collective,
                participants,
                representatives: Vec::new(),
                in_order,
            });
        }
        let rate = group.len() as u64;
        let demands = participants
            .iter()
            .zip(block.demands())
            .filter(|(node, _)| representatives.contains(node));
        let of_one = |(_, demand): (&NodeId, Demand<'_>)| CustomDemand {
            owners: demand.operands.to_vec(),
            wanted: Wanted::At(demand.targets().to_vec()),
            commutative: demand.commutative,
            rate,
        };
        let collective = Collective::Custom(demands.map(of_one).collect());
        let participants = participants.to_vec();
        Some(Quotient {
            question,
            group,
            collective,
            participants,
            representatives,
            in_order,
        })
    }

    /// Solves the quotient and carries its answer over to the platform. No answer if operands keep their order and
    /// trees other than the images of the quotient's trees may be faster.
    ///
    /// # Errors
    /// Those of [`solve`](crate::solve).
    pub(crate) fn solve(&self, options: &Options, found: &mut Findings) -> Result<(), LpError> {
        let platform = self.question.platform();
        let question = self.question.part(&self.collective)?;
        let roots = question
            .roots()
            .iter()
            .copied()
            .filter(|&node| self.stands_for_others(node))
            .collect();
        let question = question.with_roots(roots);
        let question = match &self.in_order {
            Some((sent, _)) => question.sending_only(sent.clone()),
            None => question,
        };
        let resources = Resources::merged(platform, self.orbits());
        let mixture = generate(
            &question,
            resources.clone(),
            &Patterns::new(&question),
            &found.until(options),
        )?;
        let until = Until {
            bound: Some(mixture.state.throughput.clone()),
            ..found.until(options)
        };
        let mut known = Known::default();
        match self.bound(&question, &resources, &mixture, &until, &mut known) {
            Ok(false) => Ok(()),
            proved => {
                found.mixture(Mixture {
                    state: self.spread(&mixture.state),
                    tight: Vec::new(),
                    ..mixture
                });
                found.known.offer(known);
                found.settled = true;
                proved.map(drop)
            }
        }
    }

    /// Bounds for all schemes. False if others than the images may be faster.
    fn bound(
        &self,
        question: &Question,
        resources: &Resources,
        mixture: &Mixture,
        until: &Until,
        known: &mut Known,
    ) -> Result<bool, LpError> {
        // The cheapest trees to participants that are alike need not be images of one another.
        let cheapest = self.in_order.is_none() || proves(self.question, mixture)?;
        let throughput = &mixture.state.throughput;
        let optimal = |bound: &Bound| bound.throughput == *throughput;
        if question.block().is_some_and(|block| is_all_reduce(&block)) {
            bounds::bound(question, resources, until, known)?;
            return Ok(cheapest || known.bound().is_some_and(optimal));
        }
        // Prefer the cut certificate: the referee checks it without pricing one tree per participant.
        let cut = slowest_cut(self.question, Some(&self.representatives)).filter(optimal);
        known.offer_bound(cut.unwrap_or_else(|| mixture.bound()));
        Ok(cheapest)
    }

    /// Whether the node is the first of its orbit.
    fn stands_for_others(&self, node: NodeId) -> bool {
        self.group.iter().all(|element| element.nodes[node] >= node)
    }

    /// The orbits of resources.
    fn orbits(&self) -> Vec<Vec<Resource>> {
        let platform = self.question.platform();
        let processors = platform
            .mergers()
            .filter(|_| self.question.collective().combines());
        let all = Resource::of_platform(platform)
            .into_iter()
            .chain(processors.map(Resource::Compute));
        let mut orbits: BTreeMap<Resource, Vec<Resource>> = BTreeMap::new();
        for resource in all {
            let images = self.group.iter().map(|element| image_of(element, resource));
            orbits
                .entry(images.min().unwrap_or(resource))
                .or_default()
                .push(resource);
        }
        orbits.into_values().collect()
    }

    /// Every pattern's images, with equal parts of its weight.
    fn spread(&self, quotient: &SteadyState) -> SteadyState {
        let participants = &self.participants;
        let indices: BTreeMap<NodeId, usize> = participants
            .iter()
            .enumerate()
            .map(|(index, &node)| (node, index))
            .collect();
        let part = whole(self.group.len()).recip();
        let mut weights: BTreeMap<Pattern, Rational> = BTreeMap::new();
        for WeightedPattern { pattern, weight } in &quotient.patterns {
            let weight = weight * &part;
            for (number, element) in self.group.iter().enumerate() {
                let index = |node: NodeId| {
                    indices
                        .get(&element.nodes[node])
                        .copied()
                        .unwrap_or_default()
                };
                let demand = self
                    .representatives
                    .get(pattern.demand)
                    .map_or(0, |&node| index(node));
                let order = |order: &Vec<usize>| {
                    order
                        .iter()
                        .map(|&operand| index(participants[operand]))
                        .collect()
                };
                let image = match &self.in_order {
                    Some((_, renamings)) => {
                        let Automorphism { nodes, links, .. } = element;
                        in_order::image(
                            pattern,
                            &Renaming {
                                nodes,
                                links,
                                operands: &renamings[number],
                            },
                            demand,
                        )
                    }
                    None => carried(pattern, element, demand, order),
                };
                *weights.entry(image).or_default() += &weight;
            }
        }
        let patterns = weights
            .into_iter()
            .map(|(pattern, weight)| WeightedPattern { pattern, weight })
            .collect();
        SteadyState {
            throughput: quotient.throughput.clone(),
            patterns,
        }
    }
}

/// Per element: the index, among the participants, of the image of each participant.
fn renamings(group: &[Automorphism], participants: &[NodeId]) -> Vec<Vec<usize>> {
    let indices: BTreeMap<NodeId, usize> = participants
        .iter()
        .zip(0..)
        .map(|(&node, index)| (node, index))
        .collect();
    let index = |node: NodeId| indices.get(&node).copied().unwrap_or_default();
    let images = |element: &Automorphism| {
        participants
            .iter()
            .map(|node| index(element.nodes[*node]))
            .collect()
    };
    group.iter().map(images).collect()
}

/// Whether the prices prove the steady state optimal among all that the question allows.
fn proves(question: &Question, mixture: &Mixture) -> Result<bool, LpError> {
    let (resources, prices) = Resources::of_certificate(question.platform(), &mixture.prices);
    let patterns = Patterns::new(question);
    let priced = patterns.cheapest(&resources.prices(&prices));
    question.watch().ask()?;
    let instance: Rational = priced?
        .into_iter()
        .zip(patterns.rates())
        .map(|((price, _), rate)| price * rate)
        .sum();
    Ok(resources.worth(&prices) == instance * &mixture.state.throughput)
}

/// The participants, if all are treated alike, so that a platform's symmetry is the question's: the participants of an
/// all-gather, of a reduce-scatter (every owner receives a separate reduction, in the owners' order) or of an
/// all-reduce.
fn alike(question: &Question, block: &Block<'_>) -> Option<Vec<NodeId>> {
    match block.kind {
        Kind::Copy => all_gather_participants(question),
        Kind::Combine => {
            let owners = block.operands();
            let wanted = block.demands().flat_map(|demand| demand.targets().to_vec());
            wanted.eq(owners.iter().copied()).then(|| owners.to_vec())
        }
        Kind::CombineCopy => is_all_reduce(block).then(|| block.operands().to_vec()),
        Kind::Route | Kind::Prefix => None,
    }
}

fn image_of(element: &Automorphism, resource: Resource) -> Resource {
    let node = |node: NodeId| element.nodes[node];
    match resource {
        Resource::Send(at) => Resource::Send(node(at)),
        Resource::Receive(at) => Resource::Receive(node(at)),
        Resource::Compute(at) => Resource::Compute(node(at)),
        Resource::Port(at) => Resource::Port(node(at)),
        Resource::Link(link) => Resource::Link(element.links[link]),
        Resource::Shared(id) => Resource::Shared(element.shared[id]),
    }
}

/// The image of a pattern, for this demand.
fn carried(
    pattern: &Pattern,
    element: &Automorphism,
    demand: usize,
    order: impl Fn(&Vec<usize>) -> Vec<usize>,
) -> Pattern {
    let mut image = pattern.clone().with_demand(demand);
    image.order = image.order.as_ref().map(order);
    for task in &mut image.tasks {
        match task {
            Task::Send { link, .. } => *link = element.links[*link],
            Task::Merge { node, .. } => *node = element.nodes[*node],
        }
    }
    image
}
