//! The naive twin of `check_plan`: the definitions, word for word, in rationals.

use oneport_testkit::Reductions;
use std::collections::{BTreeMap, BTreeSet};

use super::plan::Plan;
use num_traits::{Signed, Zero};
use oneport_plan::{Goals, Interval, Pattern, Resource, Status, Task};
use oneport_platform::{LinkId, NodeId, PortModel, Rational, whole};

use super::{made, naive_bound, part, sends};

/// Whether all statements of the plan are true.
pub fn judge(plan: &Plan) -> bool {
    plan.collective.validate(&plan.platform).is_ok()
        && plan.volumes.validate(&plan.collective).is_ok()
        && steady_state(plan)
        && certificate(plan)
        && schedule(plan)
}

fn patterns_of_instance(plan: &Plan) -> usize {
    plan.collective.commodities().len() + plan.collective.reductions().len()
}

fn steady_state(plan: &Plan) -> bool {
    let state = &plan.steady_state;
    let weights: Vec<(&Pattern, &Rational)> = state
        .patterns
        .iter()
        .map(|weighted| (&weighted.pattern, &weighted.weight))
        .collect();
    state.throughput.is_positive()
        && weights
            .iter()
            .all(|(pattern, weight)| weight.is_positive() && is_honest(plan, pattern))
        && weights
            .windows(2)
            .all(|pair| pair[0].0.demand <= pair[1].0.demand)
        && totals(plan, &weights)
            .iter()
            .all(|total| *total == state.throughput)
        && loads(plan, &weights)
            .0
            .iter()
            .all(|(resource, load)| *load <= capacity(plan, *resource))
}

fn capacity(plan: &Plan, resource: Resource) -> Rational {
    whole(resource.capacity(&plan.platform))
}

/// Whether the node has such a port, or a processor.
fn exists(plan: &Plan, resource: Resource) -> bool {
    let Some(node) = resource
        .node()
        .filter(|node| node.index() < plan.platform.nodes().len())
    else {
        return false;
    };
    let models: &[PortModel] = match resource {
        Resource::Compute(_) => return plan.platform.node(node).merges(),
        Resource::Port(_) => &[PortModel::HalfDuplex],
        _ => &[PortModel::FullDuplex, PortModel::Multiport],
    };
    models.contains(&plan.platform.model_of(node))
}

/// By commodity, the sum of the weights.
fn totals(plan: &Plan, weights: &[(&Pattern, &Rational)]) -> Vec<Rational> {
    let of = |index| {
        weights
            .iter()
            .filter(|(pattern, _)| pattern.demand == index)
            .map(|&(_, weight)| weight)
            .sum()
    };
    (0..patterns_of_instance(plan)).map(of).collect()
}

/// Busy times of resources and links.
fn loads(
    plan: &Plan,
    weights: &[(&Pattern, &Rational)],
) -> (BTreeMap<Resource, Rational>, BTreeMap<LinkId, Rational>) {
    let (mut resources, mut links) = (BTreeMap::new(), BTreeMap::new());
    for &(pattern, weight) in weights {
        for used in sends(pattern) {
            let time =
                weight * plan.volumes.size_of(used.message) * &plan.platform.link(used.link).cost;
            for port in Resource::uses(&plan.platform, used.link).map(|used| used.resource) {
                *resources.entry(port).or_insert_with(Rational::zero) += &time;
            }
            *links.entry(used.link).or_insert_with(Rational::zero) += time;
        }
        for used in made(pattern) {
            let time =
                plan.volumes
                    .merge_time(&plan.platform, used.node, used.message.part, used.split);
            *resources
                .entry(Resource::Compute(used.node))
                .or_insert_with(Rational::zero) += weight * time;
        }
    }
    (resources, links)
}

fn certificate(plan: &Plan) -> bool {
    let prices = &super::prices_of(&plan.certificate);
    let status = if plan.upper_bound == plan.steady_state.throughput {
        Status::Optimal
    } else {
        Status::Feasible
    };
    prices.windows(2).all(|pair| pair[0].0 < pair[1].0)
        && prices
            .iter()
            .all(|(resource, price)| price.is_positive() && exists(plan, *resource))
        && naive_bound(&plan.platform, &plan.collective, &plan.volumes, prices).as_ref()
            == Some(&plan.upper_bound)
        && plan.status == status
}

fn schedule(plan: &Plan) -> bool {
    let schedule = &plan.schedule;
    let copies: Vec<Rational> = schedule
        .patterns
        .iter()
        .map(|scheduled| whole(scheduled.copies.clone()))
        .collect();
    let weights: Vec<(&Pattern, &Rational)> = schedule
        .patterns
        .iter()
        .map(|scheduled| &scheduled.pattern)
        .zip(&copies)
        .collect();
    let instances = whole(schedule.instances.clone());
    if !schedule.period.is_positive()
        || !instances.is_positive()
        || !weights
            .iter()
            .all(|(pattern, copies)| copies.is_positive() && is_honest(plan, pattern))
        || totals(plan, &weights)
            .iter()
            .any(|total| *total != instances)
    {
        return false;
    }
    let (resources, mut links) = loads(plan, &weights);
    for slot in &schedule.slots {
        let mut ports: BTreeMap<Resource, u32> = BTreeMap::new();
        let fits = slot.links.windows(2).all(|pair| pair[0] < pair[1])
            && slot.links.iter().all(|link| {
                link.index() < plan.platform.links().len()
                    && Resource::uses(&plan.platform, *link)
                        .map(|used| used.resource)
                        .all(|port| {
                            let busy = ports.entry(port).or_default();
                            *busy += 1;
                            *busy <= port.capacity(&plan.platform)
                        })
            });
        if !fits || !slot.length.is_positive() {
            return false;
        }
        for link in &slot.links {
            *links.entry(*link).or_insert_with(Rational::zero) -= &slot.length;
        }
    }
    links.values().all(Zero::is_zero)
        && schedule
            .slots
            .iter()
            .map(|slot| &slot.length)
            .sum::<Rational>()
            <= schedule.period
        && resources
            .iter()
            .all(|(resource, load)| *load <= capacity(plan, *resource) * &schedule.period)
}

/// Whether a pattern performs its demand, which has one result at one node: plays the tasks with tokens (value, node),
/// each of which is spent at its use. At the end only the result remains, at the target.
pub fn is_honest(plan: &Plan, pattern: &Pattern) -> bool {
    let Some(demand) = plan.collective.demand(pattern.demand) else {
        return false;
    };
    let Goals::At(target) = demand.goals else {
        return false;
    };
    let natural: Vec<usize> = (0..demand.operands.len()).collect();
    let order = pattern.order.clone().unwrap_or(natural.clone());
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != natural || (pattern.order.is_some() && !demand.commutative) {
        return false;
    }
    let own = order
        .iter()
        .enumerate()
        .map(|(operand, &owner)| (part(operand, operand), demand.operands[owner]));
    let mut own: Vec<Option<(Interval, NodeId)>> = own.map(Some).collect();
    let mut made: Vec<Option<(Interval, NodeId)>> = Vec::new();
    let mut seen: BTreeSet<(Interval, NodeId)> = own.iter().flatten().copied().collect();
    for &task in &pattern.tasks {
        let (inputs, output) = match task {
            Task::Send { link, part, after } => {
                let Some(link) = plan.platform.links().get(link.index()) else {
                    return false;
                };
                (vec![(after, (part, link.from))], (part, link.to))
            }
            Task::Merge {
                node,
                part: whole,
                split,
                left,
                right,
            } => {
                if split == usize::MAX
                    || !plan.platform.mergers().any(|processor| processor == node)
                {
                    return false;
                }
                let inputs = [
                    (left, part(whole.first, split)),
                    (right, part(split + 1, whole.last)),
                ];
                (
                    inputs.map(|(input, part)| (input, (part, node))).to_vec(),
                    (whole, node),
                )
            }
        };
        for (input, wanted) in inputs {
            let token = match input {
                Some(input) => made
                    .get_mut(input as usize)
                    .filter(|token| **token == Some(wanted)),
                None => own.iter_mut().find(|token| **token == Some(wanted)),
            };
            let Some(token) = token else { return false };
            *token = None;
        }
        made.push(Some(output));
        if !seen.insert(output) {
            return false;
        }
    }
    let left: Vec<(Interval, NodeId)> = own.into_iter().chain(made).flatten().collect();
    left == [(demand.whole(), target)]
}
