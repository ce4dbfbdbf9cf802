//! A steady state from patterns in given proportions: no program, one division by the busiest resource.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use crate::known::Bound;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use oneport_exact::{self as exact, Solver};
use oneport_plan::{Certificate, Interval, Pattern, SteadyState, Task, WeightedPattern};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::odd_sets::PortSets;
use crate::resources::Resources;
use crate::{LpError, Question};

/// Patterns of some kind, mixed as well as they can be.
#[derive(Debug, Clone)]
pub(crate) struct Mixture {
    /// The weighted patterns.
    pub state: SteadyState,
    /// Further patterns that are cheapest under these prices, some that were found meanwhile.
    pub tight: Vec<Pattern>,
    /// Prices that prove `at_most`.
    pub prices: Certificate,
    /// No mixture of patterns of this kind has a larger throughput. Other schemes may have.
    pub at_most: Rational,
    /// The effort.
    pub effort: Effort,
}

impl Mixture {
    /// A steady state that attains more than others. Its prices are not taken.
    pub(crate) fn of(state: SteadyState, at_most: &Rational) -> Self {
        let (tight, prices, at_most) = (Vec::new(), Certificate::default(), at_most.clone());
        Mixture {
            state,
            tight,
            prices,
            at_most,
            effort: Effort::default(),
        }
    }

    /// The bound on every schedule, if the priced patterns are all schemes.
    pub(crate) fn bound(&self) -> Bound {
        Bound {
            throughput: self.at_most.clone(),
            certificate: self.prices.clone(),
        }
    }
}

/// The effort of the solver.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effort {
    /// Time spent inside HiGHS, by its own clock.
    pub solver_time: Duration,
    /// Whether a basis that was proposed had to be repaired.
    pub repaired: bool,
    /// Rounds of column generation.
    pub rounds: usize,
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Self) {
        self.solver_time += other.solver_time;
        self.repaired |= other.repaired;
        self.rounds += other.rounds;
    }
}

impl Effort {
    /// The effort of one program, after its last solve.
    pub(crate) fn of(solver: &Solver) -> Self {
        let exact::Statistics {
            solver_time,
            refinements,
            pivoted,
        } = solver.statistics();
        Effort {
            solver_time,
            repaired: refinements > 0 || pivoted,
            rounds: 0,
        }
    }
}

/// Different proportions up to which uses are counted before they are weighed. Trades memory for additions of long
/// rationals. Not measured.
const PROPORTIONS: usize = 64;

/// The steady state that executes patterns in these proportions, as often per unit of time as the busiest resource and
/// odd set allow. The proportions are executions per instance. `O(tasks)`.
///
/// # Errors
/// Patterns that take no time.
pub(crate) fn mixed(
    question: &Question,
    resources: &Resources,
    ports: Option<&PortSets>,
    shares: Vec<(Pattern, Rational)>,
) -> Result<SteadyState, LpError> {
    let counted = counted(question, resources, &shares);
    let (loads, times) = counted.unwrap_or_else(|| summed(question, resources, &shares));
    let busy = loads
        .iter()
        .enumerate()
        .map(|(index, load)| load / resources.capacity(index))
        .max();
    let busy = match ports {
        Some(ports) => busy.max(Some(ports.least_period(&times)?)),
        None => busy,
    };
    let busy = busy
        .filter(Signed::is_positive)
        .ok_or(LpError::Contradiction("an instance takes no time"))?;
    let weighted = |(pattern, share): (Pattern, Rational)| WeightedPattern {
        pattern,
        weight: share / &busy,
    };
    let mut patterns: Vec<WeightedPattern> = shares.into_iter().map(weighted).collect();
    patterns.sort_by(|a, b| a.pattern.cmp(&b.pattern));
    Ok(SteadyState {
        throughput: busy.recip(),
        patterns,
    })
}

/// The time for which an instance keeps each resource and each link busy.
type Busy = (Vec<Rational>, Vec<Rational>);

fn summed(question: &Question, resources: &Resources, shares: &[(Pattern, Rational)]) -> Busy {
    let mut loads = vec![Rational::zero(); resources.count()];
    let mut times = vec![Rational::zero(); question.platform().links().len()];
    for (pattern, share) in shares {
        for (index, time) in resources.loads(question, pattern) {
            loads[index] += time * share;
        }
        for (link, part) in links_of(pattern) {
            times[link.index()] += share * question.transfer_time(link, part);
        }
    }
    (loads, times)
}

/// The busy times if every transfer has one size and every merge one amount of work: uses are counted, and weighed
/// once. `None` for other volumes, and for many proportions.
fn counted(
    question: &Question,
    resources: &Resources,
    shares: &[(Pattern, Rational)],
) -> Option<Busy> {
    let (platform, volumes) = (question.platform(), question.volumes());
    if volumes.size.constant().is_none() || volumes.work.constant().is_none() {
        return None;
    }
    let mut uses: BTreeMap<&Rational, [Vec<u64>; 2]> = BTreeMap::new();
    for (pattern, share) in shares {
        if uses.len() > PROPORTIONS {
            return None;
        }
        let zeros = || {
            [
                vec![0; platform.links().len()],
                vec![0; platform.nodes().len()],
            ]
        };
        let [links, nodes] = uses.entry(share).or_insert_with(zeros);
        for task in &pattern.tasks {
            match *task {
                Task::Send { link, .. } => links[link.index()] += 1,
                Task::Merge { node, .. } => nodes[node.index()] += 1,
            }
        }
    }
    let mut often = [
        vec![Rational::zero(); platform.links().len()],
        vec![Rational::zero(); platform.nodes().len()],
    ];
    for (share, counts) in uses {
        for (often, counts) in often.iter_mut().zip(counts) {
            let used = often.iter_mut().zip(counts).filter(|(_, count)| *count > 0);
            for (often, count) in used {
                *often += share * BigInt::from(count);
            }
        }
    }
    let [links, nodes] = often;
    let mut loads = vec![Rational::zero(); resources.count()];
    let times: Vec<Rational> = platform
        .link_ids()
        .zip(links)
        .map(|(link, often)| often * question.time(link))
        .collect();
    for (link, time) in platform.link_ids().zip(&times) {
        for (index, time) in resources.times(link, time) {
            loads[index] += time;
        }
    }
    // All merges have the same work.
    let merge =
        |node: NodeId| volumes.merge_time(platform, node, Interval { first: 0, last: 1 }, 0);
    for (node, often) in platform
        .node_ids()
        .zip(nodes)
        .filter(|(_, often)| !often.is_zero())
    {
        if let Some(index) = resources.of_processor(node) {
            loads[index] += &often * merge(node);
        }
    }
    Some((loads, times))
}

/// The pattern's uses of links.
pub(crate) fn links_of(pattern: &Pattern) -> impl Iterator<Item = (LinkId, Interval)> + '_ {
    pattern.tasks.iter().filter_map(|task| match *task {
        Task::Send { link, part, .. } => Some((link, part)),
        Task::Merge { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use oneport_numbers::ratio;
    use oneport_plan::{Amount, Collective, Problem, Volumes};
    use oneport_platform::PortModel;
    use oneport_platform::generate::{Costs, Options, random_connected};

    use super::*;
    use crate::solve;

    /// Counting first and adding up task by task are the same, for patterns of optima in every port model.
    #[test]
    fn what_is_counted_is_the_sum() {
        let costs = Costs::Uniform { low: 1, high: 9 };
        for (seed, model) in (0..).zip(PortModel::ALL.into_iter().cycle()).take(12) {
            let options = Options {
                seed,
                link_cost: costs.clone(),
                compute: costs.clone(),
            };
            let platform = random_connected(5, 3, &options).unwrap().with_model(model);
            let participants: Vec<NodeId> = platform.processors().collect();
            for collective in [
                Collective::all_reduce(participants.clone()),
                Collective::all_gather(participants.clone()),
            ] {
                let work = Amount::Constant(ratio(2, 3));
                let volumes = Volumes {
                    work,
                    ..Volumes::of_size(ratio(5, 7))
                };
                let question =
                    Question::new(&Problem::new(&platform, &collective, &volumes).unwrap());
                let solution = solve(&question, &crate::Options::default()).unwrap();
                let patterns = solution
                    .steady_state
                    .patterns
                    .into_iter()
                    .map(|one| (one.pattern, one.weight));
                let shares: Vec<(Pattern, Rational)> = patterns.collect();
                let resources = Resources::new(&platform, collective.combines());
                let counted = counted(&question, &resources, &shares).unwrap();
                assert!(
                    counted == summed(&question, &resources, &shares),
                    "seed {seed}"
                );
            }
        }
    }
}
