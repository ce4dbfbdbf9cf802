//! Bounds by the price of one row, or of all rows of a class: the least use of them by every instance.
//!
//! If links share capacities, the capacity of a cut is not the sum of its links' capacities, and cuts are not
//! submodular, so no flow finds the slowest cut. But a price of 1 on a shared capacity is a certificate: an instance
//! costs at least the use of that capacity by its cheapest patterns. So is a price of 1 on all shared capacities of one
//! class, or on all links of one class.

use std::collections::BTreeMap;

use crate::known::Bound;
use num_traits::{One, Zero};
use oneport_graph::shortest_paths;
use oneport_plan::{Certificate, Resource};
use oneport_platform::{LinkId, Rational, SharedId};

use crate::bounds::{least_patterns, prove};
use crate::resources::Resources;
use crate::{LpError, Question};

/// Rows, and classes of rows, that are priced. Trades a tighter bound for time. Not measured.
const TRIED: usize = 6;

/// Demands, and owners of each, whose paths are looked at to find the busiest capacity. Trades a tighter bound for
/// time. Not measured.
const SAMPLED: usize = 4;
/// Demands times nodes above which only the capacities with the largest estimated load are priced, each alone. Trades a
/// tighter bound for time. Measured: an all-gather among 513 hosts on a backbone takes 1.8 s of CPU in the tests'
/// profile. The full search did not end within two minutes on a busy machine.
const MANY: usize = 1 << 16;

/// Capacities that seem to be busiest and are priced. Trades a tighter bound for time. Not measured.
const FEW: usize = 3;

/// A class of rows: the kind, with rate and weights of a shared capacity, or the cost of a link.
type Class = (&'static str, Rational, Vec<u32>);

/// Returns the best bound by the price of one row or one class of rows. `None` if no capacity is shared. `O(1)`
/// cheapest patterns for each demand.
///
/// # Errors
/// Errors of the oracles. [`LpError::Stopped`] if the question's watch ends the work before anything is proved.
pub(crate) fn row_bound(
    question: &Question,
    sought: Option<&Rational>,
) -> Result<Option<Bound>, LpError> {
    let mut best: Option<Bound> = None;
    for rows in candidates(question)? {
        let prices = rows.into_iter().map(|row| (row, Rational::one())).collect();
        let bound = match prove(question, &Certificate::of_prices(prices)) {
            Err(LpError::Stopped(_)) if best.is_some() => break,
            bound => bound?,
        };
        let better = |bound: &Bound| {
            best.as_ref()
                .is_none_or(|best| bound.throughput < best.throughput)
        };
        if let Some(bound) = bound.filter(better) {
            let enough = sought.is_some_and(|sought| bound.throughput <= *sought);
            best = Some(bound);
            if enough {
                break;
            }
        }
    }
    Ok(best)
}

/// The shared capacities that are busiest if the messages of a few demands take paths of fewest links, the busiest
/// first.
fn busiest(question: &Question) -> Vec<Resource> {
    let (platform, problem) = (question.platform(), question.problem());
    let step = (problem.collective().demands() / SAMPLED).max(1);
    let mut loads = vec![Rational::zero(); platform.shared().len()];
    for demand in problem.demands().step_by(step) {
        for &owner in demand.operands.iter().take(SAMPLED) {
            let paths = shortest_paths(platform.graph(), [(owner.into(), 0u64)], |_| 1, |_| true);
            for (goal, _) in demand.goals() {
                for link in paths.path(goal.index()).into_iter().map(LinkId::from) {
                    let cost = &platform.link(link).cost;
                    for (id, part) in platform.shared_by(link) {
                        loads[id.index()] += part * cost;
                    }
                }
            }
        }
    }
    let mut loads: Vec<(usize, Rational)> = loads.into_iter().enumerate().collect();
    loads.retain(|(_, load)| !load.is_zero());
    loads.sort_by(|one, other| other.1.cmp(&one.1));
    let busiest = loads.into_iter().take(FEW);
    busiest
        .map(|(index, _)| Resource::Shared(SharedId::new(index)))
        .collect()
}

/// The busiest rows alone and their classes, the busiest first: busy under patterns that are cheapest if every row has
/// the same price.
fn candidates(question: &Question) -> Result<Vec<Vec<Resource>>, LpError> {
    let platform = question.platform();
    if platform.shared().is_empty() {
        return Ok(Vec::new());
    }
    let size = question
        .problem()
        .collective()
        .demands()
        .saturating_mul(platform.nodes().len());
    if size > MANY {
        let alone = busiest(question).into_iter().map(|row| vec![row]);
        return Ok(alone.collect());
    }
    let resources = Resources::new(platform, question.collective().combines());
    let patterns = least_patterns(question);
    let even = resources.prices(&vec![Rational::one(); resources.count()]);
    let mut loads = vec![Rational::zero(); resources.count()];
    for ((_, pattern), rate) in patterns.cheapest(&even)?.into_iter().zip(patterns.rates()) {
        for (index, load) in resources.loads(question, &pattern) {
            loads[index] += load * rate;
        }
    }
    let class = |resource: Resource| -> Option<Class> {
        match resource {
            Resource::Shared(id) => {
                let shared = platform.shared().get(id.index())?;
                let mut weights: Vec<u32> = shared.weights.values().copied().collect();
                weights.sort_unstable();
                Some(("shared", shared.rate.clone(), weights))
            }
            Resource::Link(link) => Some(("link", platform.link(link).cost.clone(), Vec::new())),
            _ => None,
        }
    };
    let mut classes: BTreeMap<Class, Vec<Resource>> = BTreeMap::new();
    let mut busy: Vec<(Rational, Resource)> = Vec::new();
    for (resource, load) in resources.list().zip(loads) {
        if let Some(class) = class(resource) {
            classes.entry(class).or_default().push(resource);
            busy.push((load, resource));
        }
    }
    // The busiest first, and of these the first.
    busy.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut found: Vec<Vec<Resource>> = Vec::new();
    for (_, resource) in busy {
        let all = class(resource).and_then(|class| classes.remove(&class));
        let Some(all) = all else { continue };
        if all.len() > 1 {
            found.push(vec![resource]);
        }
        found.push(all);
        if found.len() >= TRIED {
            break;
        }
    }
    Ok(found)
}
