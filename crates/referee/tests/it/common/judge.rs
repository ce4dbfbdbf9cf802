//! The naive twin of `check_plan`: the definitions, word for word, in rationals.

use oneport_testkit::Reductions;
use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed, Zero};
use oneport_plan::{Interval, Pattern, Plan, ReductionTree, Resource, Status, Task};
use oneport_platform::{LinkId, NodeId, PortModel, Rational};

use super::{naive_bound, part};

/// Whether everything that the plan says is true.
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
    let weights: Vec<(&Pattern, &Rational)> =
        state.patterns.iter().map(|weighted| (&weighted.pattern, &weighted.weight)).collect();
    state.throughput.is_positive()
        && weights.iter().all(|(pattern, weight)| weight.is_positive() && is_honest(plan, pattern))
        && weights.windows(2).all(|pair| pair[0].0.commodity() <= pair[1].0.commodity())
        && totals(plan, &weights).iter().all(|total| *total == state.throughput)
        && loads(plan, &weights).0.iter().all(|(resource, load)| *load <= capacity(plan, *resource))
}

fn capacity(plan: &Plan, resource: Resource) -> Rational {
    Rational::from_integer(resource.capacity(&plan.platform).into())
}

/// Whether the node has such a port, or a processor.
fn exists(plan: &Plan, resource: Resource) -> bool {
    let Some(node) = resource.node().filter(|node| node.index() < plan.platform.nodes().len()) else { return false };
    let models: &[PortModel] = match resource {
        Resource::Compute(_) => return plan.platform.node(node).is_processor(),
        Resource::Port(_) => &[PortModel::HalfDuplex],
        _ => &[PortModel::FullDuplex, PortModel::Multiport],
    };
    models.contains(&plan.platform.model_of(node))
}

/// By commodity, the sum of the weights.
fn totals(plan: &Plan, weights: &[(&Pattern, &Rational)]) -> Vec<Rational> {
    let of =
        |place| weights.iter().filter(|(pattern, _)| pattern.commodity() == place).map(|&(_, weight)| weight).sum();
    (0..patterns_of_instance(plan)).map(of).collect()
}

/// How long resources and links are busy.
fn loads(plan: &Plan, weights: &[(&Pattern, &Rational)]) -> (BTreeMap<Resource, Rational>, BTreeMap<LinkId, Rational>) {
    let (mut resources, mut links) = (BTreeMap::new(), BTreeMap::new());
    for &(pattern, weight) in weights {
        for used in pattern.transfers() {
            let time = weight * plan.volumes.size_of(used.message) * &plan.platform.link(used.link).cost;
            for port in Resource::of_link(&plan.platform, used.link) {
                *resources.entry(port).or_insert_with(Rational::zero) += &time;
            }
            *links.entry(used.link).or_insert_with(Rational::zero) += time;
        }
        for used in pattern.merges() {
            let time = plan.volumes.merge_time(&plan.platform, used.node, used.message.part.unwrap());
            *resources.entry(Resource::Compute(used.node)).or_insert_with(Rational::zero) += weight * time;
        }
    }
    (resources, links)
}

fn certificate(plan: &Plan) -> bool {
    let prices = &plan.certificate.prices;
    let status = if plan.upper_bound == plan.steady_state.throughput { Status::Optimal } else { Status::Feasible };
    prices.windows(2).all(|pair| pair[0].0 < pair[1].0)
        && prices.iter().all(|(resource, price)| price.is_positive() && exists(plan, *resource))
        && naive_bound(&plan.platform, &plan.collective, &plan.volumes, prices).as_ref() == Some(&plan.upper_bound)
        && plan.status == status
}

fn schedule(plan: &Plan) -> bool {
    let schedule = &plan.schedule;
    let copies: Vec<Rational> =
        schedule.patterns.iter().map(|scheduled| Rational::from_integer(scheduled.copies.clone().into())).collect();
    let weights: Vec<(&Pattern, &Rational)> =
        schedule.patterns.iter().map(|scheduled| &scheduled.pattern).zip(&copies).collect();
    let instances = Rational::from_integer(schedule.instances.clone().into());
    if !schedule.period.is_positive()
        || !instances.is_positive()
        || !weights.iter().all(|(pattern, copies)| copies.is_positive() && is_honest(plan, pattern))
        || totals(plan, &weights).iter().any(|total| *total != instances)
    {
        return false;
    }
    let (resources, mut links) = loads(plan, &weights);
    for slot in &schedule.slots {
        let mut ports: BTreeMap<Resource, u32> = BTreeMap::new();
        let fits = slot.links.windows(2).all(|pair| pair[0] < pair[1])
            && slot.links.iter().all(|link| {
                link.index() < plan.platform.links().len()
                    && Resource::of_link(&plan.platform, *link).all(|port| {
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
        && schedule.slots.iter().map(|slot| &slot.length).sum::<Rational>() <= schedule.period
        && resources.iter().all(|(resource, load)| *load <= capacity(plan, *resource) * &schedule.period)
}

/// Whether a pattern carries out its commodity.
pub fn is_honest(plan: &Plan, pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Path(path) => {
            let commodities = plan.collective.commodities();
            let Some(commodity) = commodities.get(path.commodity) else { return false };
            let links = plan.platform.links();
            if path.links.iter().any(|link| link.index() >= links.len()) {
                return false;
            }
            let mut nodes = vec![commodity.source];
            nodes.extend(path.links.iter().map(|&link| plan.platform.link(link).to));
            let starts = path.links.iter().map(|&link| plan.platform.link(link).from);
            starts.zip(&nodes).all(|(start, node)| start == *node)
                && nodes.iter().collect::<BTreeSet<_>>().len() == nodes.len()
                && nodes.last() == Some(&commodity.target)
        }
        Pattern::Reduction(tree) => plays(plan, tree),
        Pattern::Arborescence(_) | Pattern::Scheme(_) => false,
    }
}

/// Plays the tasks on a table of (value, place); at the end only the result is on it, at the target.
fn plays(plan: &Plan, tree: &ReductionTree) -> bool {
    let Some(&target) = plan.collective.reductions().get(tree.commodity) else { return false };
    let owners = plan.collective.operands().unwrap();
    let natural: Vec<usize> = (0..owners.len()).collect();
    let order = tree.order.clone().unwrap_or(natural.clone());
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != natural || (tree.order.is_some() && !plan.collective.is_commutative()) {
        return false;
    }
    let mut table: Vec<(Interval, NodeId)> =
        order.iter().enumerate().map(|(operand, &participant)| (part(operand, operand), owners[participant])).collect();
    let mut seen: BTreeSet<(Interval, NodeId)> = table.iter().copied().collect();
    for &task in &tree.tasks {
        let (inputs, output) = match task {
            Task::Transfer { link, part } => {
                let Some(link) = plan.platform.links().get(link.index()) else { return false };
                (vec![(part, link.from)], (part, link.to))
            }
            Task::Merge { node, part: whole, split } => {
                if split == usize::MAX || !plan.platform.processors().any(|processor| processor == node) {
                    return false;
                }
                (vec![(part(whole.first, split), node), (part(split + 1, whole.last), node)], (whole, node))
            }
        };
        for input in inputs {
            let Some(place) = table.iter().position(|value| *value == input) else { return false };
            table.swap_remove(place);
        }
        table.push(output);
        if !seen.insert(output) {
            return false;
        }
    }
    table == [(part(0, owners.len() - 1), target)]
}
