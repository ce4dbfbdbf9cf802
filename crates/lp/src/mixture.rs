//! A steady state from patterns in given proportions: no program, one division by the busiest resource.

use num_traits::{Signed, Zero};
use oneport_plan::{Interval, Pattern, SteadyState, Task, WeightedPattern};
use oneport_platform::{LinkId, Rational};

use crate::odd_sets::PortSets;
use crate::resources::Resources;
use crate::{LpError, Question};

/// The steady state that carries out patterns in these proportions, as often per unit of time as the busiest resource
/// and odd set allow. The proportions are how often each is carried out per instance.
///
/// # Errors
/// Patterns that take no time.
pub fn mixed(
    question: &Question<'_>,
    resources: &Resources,
    ports: Option<&PortSets>,
    shares: Vec<(Pattern, Rational)>,
) -> Result<SteadyState, LpError> {
    let mut loads = vec![Rational::zero(); resources.count()];
    let mut times = vec![Rational::zero(); question.platform().links().len()];
    for (pattern, share) in &shares {
        for (place, time) in resources.loads(question, pattern) {
            loads[place] += time * share;
        }
        for (link, part) in links_of(pattern) {
            times[link.index()] += share * question.transfer_time(link, part);
        }
    }
    let busy = loads.iter().enumerate().map(|(place, load)| load / resources.capacity(place)).max();
    let busy = match ports {
        Some(ports) => busy.max(Some(ports.least_period(&times)?)),
        None => busy,
    };
    let busy = busy.filter(Signed::is_positive).ok_or(LpError::Contradiction("an instance takes no time"))?;
    let weighted = |(pattern, share): (Pattern, Rational)| WeightedPattern { pattern, weight: share / &busy };
    let mut patterns: Vec<WeightedPattern> = shares.into_iter().map(weighted).collect();
    patterns.sort_by(|a, b| a.pattern.cmp(&b.pattern));
    Ok(SteadyState { throughput: busy.recip(), patterns })
}

/// The pattern's uses of links.
pub fn links_of(pattern: &Pattern) -> impl Iterator<Item = (LinkId, Interval)> + '_ {
    pattern.tasks.iter().filter_map(|task| match *task {
        Task::Send { link, part, .. } => Some((link, part)),
        Task::Merge { .. } => None,
    })
}
