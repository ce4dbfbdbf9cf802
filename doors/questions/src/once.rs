//! Times one operation: our own schedules and named algorithms, each with its best number of pieces.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport::plan::{PeriodicSchedule, SteadyState, WeightedPattern};
use oneport::watch::Watch;
use oneport::{Problem, Rational, Units, referee};
use oneport_timing::{
    BestPieces, NamedSearch, PieceSearch, SearchLimits, TaskList, TimedPieces, TimingError,
};

use crate::error::{Result, chain, defect};

/// Tasks of a run of a named algorithm. Trades shorter runs for time. Not measured.
const NAMED: usize = 30_000;
/// Tasks of a run of our own schedules. Trades shorter runs for time. Not measured.
const OWN: usize = 300_000;
/// Tasks of a run of the periodic schedule that promises most, if the question has a single size. Trades shorter runs
/// for time and memory. Measured: a broadcast among 20 half-duplex nodes (degree 4, costs 10 to 20) takes 1.4 % more
/// than its bound, with 300,000 tasks 3.0 %.
pub(crate) const FOLLOWED: usize = 1_200_000;
/// If the best time is within 1/1000 of the bound, periodic schedules are not searched. Trades the last 0.1 % for time.
/// Not measured.
const WORTH: u32 = 1000;

/// The limits of the search for the number of pieces. A piece has at least a byte. A token is not cut.
pub(crate) fn search<'w>(problem: &Problem, watch: &'w Watch) -> SearchLimits<'w> {
    let bytes = |units: Units| Some(units.bytes(problem.volumes().size.constant()?).to_integer());
    let bytes = problem.platform().units().and_then(bytes);
    let pieces = bytes.map_or(u32::MAX, |bytes| bytes.to_u32().unwrap_or(u32::MAX).max(1));
    SearchLimits {
        tasks: OWN,
        pieces: if problem.collective().is_cut() {
            pieces
        } else {
            1
        },
        watch,
    }
}

/// Instances per period of the periodic schedules tried: more lose less throughput, fewer start sooner. Trades time for
/// shorter runs. Not measured.
const INSTANCES: [u64; 3] = [16, 32, 64];

/// Messages in a period that is tried of a question with counts. Trades shorter runs for time. Measured: half-duplex,
/// an all-gather-v among 8 GPUs of 4,020 messages takes 1.3 s of CPU, of 19,220 71 s, of 20,820 without periods 59 s.
const COPIES: u64 = 4096;

/// Our own schedules: the optimum's patterns, each on its share, and periodic schedules in the order of their
/// matchings. If messages stay whole, each has one pattern of the optimum.
pub(crate) struct Own<'a> {
    ways: Vec<PieceSearch<'a>>,
    /// Tasks of the second way, the schedule that promises most.
    followed: usize,
    /// Whether the first run takes a moment.
    few: bool,
}

impl<'a> Own<'a> {
    /// If no periodic schedule is found before the watch ends, only the patterns are searched.
    pub(crate) fn new(problem: &'a Problem, state: &'a SteadyState, watch: &Watch) -> Own<'a> {
        let tasks = state.patterns.iter().map(|one| one.pattern.tasks.len());
        let few = tasks.sum::<usize>() <= NAMED;
        if !problem.collective().is_cut() {
            let way = |state: SteadyState| {
                PieceSearch::new(problem, move |pieces, watch| {
                    TaskList::of_patterns(problem, &state, pieces, 0, watch)
                })
            };
            return Own {
                ways: whole(state).into_iter().map(way).collect(),
                followed: OWN,
                few,
            };
        }
        let mut ways = vec![PieceSearch::of_patterns(problem, state)];
        let mut schedules = schedules(problem, state, watch);
        schedules.sort_by_cached_key(|schedule| promise(schedule, FOLLOWED));
        ways.extend(
            schedules
                .into_iter()
                .map(|schedule| PieceSearch::of_schedule(problem, schedule)),
        );
        Own {
            ways,
            followed: OWN,
            few,
        }
    }

    /// The schedule that promises most is followed for this many tasks.
    pub(crate) fn following(self, tasks: usize) -> Own<'a> {
        Own {
            followed: tasks,
            ..self
        }
    }

    /// The shortest of them. `least` is a lower bound on the time. `None` if a limit came before the first was dated.
    ///
    /// # Errors
    /// The errors of the search over the patterns.
    pub(crate) fn shortest(
        &mut self,
        problem: &Problem,
        search: &SearchLimits<'_>,
        least: &Rational,
    ) -> Result<Option<TimedPieces>> {
        let [first, others @ ..] = &mut self.ways[..] else {
            return Err(defect(
                "the steady state has no pattern; please report it with the platform file",
            ));
        };
        let mut best = match first.shortest(problem, search, least) {
            Err(TimingError::Stopped(limit)) if self.few => {
                // Of all runs, only a first one of few tasks is dated after the limit.
                let over = Watch::unlimited();
                over.end(limit);
                let watch = &over;
                first.shortest(problem, &SearchLimits { watch, ..*search }, least)?
            }
            Err(TimingError::Stopped(_)) => return Ok(None),
            found => found?,
        };
        for (index, way) in others.iter_mut().enumerate() {
            if (&best.shortest.length - least) * Rational::from_integer(WORTH.into()) < *least
                || search.watch.ask().is_err()
            {
                break;
            }
            let tasks = match index {
                0 => search.tasks.max(self.followed),
                _ => search.tasks,
            };
            let Ok(found) = way.shortest(problem, &SearchLimits { tasks, ..*search }, least) else {
                continue;
            };
            let bytes = Rational::from_integer(search.pieces.into()) * found.least_share();
            let no_less_than_a_byte =
                search.pieces == u32::MAX || bytes >= Rational::from_integer(1.into());
            if found.shortest.length < best.shortest.length && no_less_than_a_byte {
                best = found;
            }
        }
        Ok(Some(best))
    }
}

/// Periodic schedules of a steady state. If demands have counts, one instance is many messages, so fewer of them make a
/// period.
fn schedules(problem: &Problem, state: &SteadyState, watch: &Watch) -> Vec<PeriodicSchedule> {
    let collective = problem.collective();
    let mut instances = INSTANCES.to_vec();
    if !collective.is_uniform() {
        let rates = || (0..collective.demands()).map(|demand| collective.rate(demand));
        let all = rates().fold(0, u64::saturating_add);
        let largest = rates().max().unwrap_or(1).max(1);
        instances = INSTANCES.map(|most| most.div_ceil(largest)).to_vec();
        instances.retain(|most| largest == 1 || all.saturating_mul(*most) <= COPIES);
    }
    // Sends and merges of one instance.
    let tasks = |one: &WeightedPattern| {
        &one.weight * Rational::from_integer(one.pattern.tasks.len().into())
    };
    let tasks = state.patterns.iter().map(tasks).sum::<Rational>();
    let fits = |instances: u64, most: usize| {
        let (all, most) = (
            Rational::from_integer(instances.into()),
            Rational::from_integer(most.into()),
        );
        all * &tasks <= most * &state.throughput
    };
    instances.retain(|&instances| fits(instances, FOLLOWED));
    let own = collective.is_uniform() && fits(1, OWN);
    oneport::schedules_of(problem, state, &instances, own, watch).unwrap_or_default()
}

/// The time per instance that a schedule takes in a run of about this many tasks, by its dates and without overheads:
/// the periods in which instances start, and those until the last is complete.
fn promise(schedule: &PeriodicSchedule, tasks: usize) -> Rational {
    let patterns = schedule.patterns.iter();
    let of_period: BigUint = patterns
        .map(|scheduled| &scheduled.copies * scheduled.pattern.tasks.len())
        .sum();
    let periods =
        (BigUint::from(tasks) / of_period.max(BigUint::from(1u32))).max(BigUint::from(1u32));
    let whole = |value: BigUint| Rational::from_integer(value.into());
    let rest = schedule.depth().saturating_sub(1);
    let instances = whole(&periods * &schedule.instances);
    &schedule.period * whole(periods + rest) / instances
}

/// Steady states of one pattern per demand: in the first the one of the largest weight, then the others in turn.
fn whole(state: &SteadyState) -> Vec<SteadyState> {
    let mut lists: BTreeMap<usize, Vec<&WeightedPattern>> = BTreeMap::new();
    for weighted in state.patterns.iter().filter(|one| !one.weight.is_zero()) {
        let of_demand = lists.entry(weighted.pattern.demand).or_default();
        of_demand.push(weighted);
    }
    lists
        .values_mut()
        .for_each(|list| list.sort_by(|one, other| other.weight.cmp(&one.weight)));
    let most = lists.values().map(Vec::len).max().unwrap_or(0);
    let choice = |turn: usize| SteadyState {
        throughput: state.throughput.clone(),
        patterns: lists
            .values()
            .map(|list| list[turn % list.len()].clone())
            .collect(),
    };
    (0..most).map(choice).collect()
}

/// [`Own`] for one size.
pub(crate) fn own(
    problem: &Problem,
    state: &SteadyState,
    search: &SearchLimits<'_>,
    least: &Rational,
) -> Result<Option<BestPieces>> {
    let found = Own::new(problem, state, search.watch).shortest(problem, search, least)?;
    Ok(found.map(|found| found.shortest))
}

/// The best run of a named algorithm. `None` if it sends between unconnected nodes, or too many messages, or a limit
/// came before its first run was dated. If it cannot take less than `goal`, the search is shorter.
pub(crate) fn named(
    problem: &Problem,
    way: &mut NamedSearch<'_>,
    search: &SearchLimits<'_>,
    goal: Option<&Rational>,
) -> Result<Option<TimedPieces>> {
    match way.shortest(
        problem,
        &SearchLimits {
            tasks: NAMED,
            ..*search
        },
        goal,
    ) {
        Err(TimingError::NoWay { .. } | TimingError::TooMany(_) | TimingError::Stopped(_)) => {
            Ok(None)
        }
        found => Ok(Some(found?)),
    }
}

/// The referee executes the run.
///
/// # Errors
/// Its length differs, or the referee refuses it: a defect.
pub(crate) fn executed(problem: &Problem, found: &TimedPieces) -> Result<()> {
    let length = &found.shortest.length;
    let executed = referee::check_run(problem, &found.run()).map_err(|violation| {
        defect(format!(
            "the referee objects to our own run; please report it: {}",
            chain(&violation)
        ))
    })?;
    if executed != *length {
        return Err(defect(format!(
            "the referee's run takes {executed}, ours {length}; please report it with the platform file"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, Result};

    use super::*;
    use oneport::platform::generate::{self, Costs};
    use oneport::{Collective, Options, PortModel, Solved, Volumes, files, solve};
    use oneport_timing::{TaskList, lower_bound};

    fn planned(problem: &Problem) -> Result<Solved> {
        Ok(solve(problem, &Options::default())?)
    }

    /// RR-2004-32, figure 1: the plan's own period cut into 512 pieces follows its matchings.
    #[test]
    fn figure_1_in_512_pieces_is_within_three_thousandths_of_the_bound() -> Result<()> {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../fixtures/platforms/toy-broadcast.toml"
        );
        let platform = files::read_platform(path)?.with_model(PortModel::HalfDuplex);
        let source = platform.find("Ps").context("no Ps")?;
        let targets = platform
            .processors()
            .filter(|node| *node != source)
            .collect();
        let (collective, volumes) = (Collective::broadcast(source, targets), Volumes::default());
        let problem = Problem::new(&platform, &collective, &volumes)?;
        let solved = planned(&problem)?;
        let plan = solved.plan()?;
        let watch = Watch::unlimited();
        let periods = 512 / plan.schedule.instances.to_u32().context("few instances")?;
        let graph = TaskList::of_schedule(&problem, plan.schedule, periods, &watch)?
            .graph(&problem, &watch)?;
        assert_eq!(graph.list().pieces.len(), 512);
        let timing = graph.simulate_in_order(&problem, None, &Watch::unlimited())?;
        assert_eq!(
            referee::check_run(&problem, &graph.run(&timing))?,
            timing.length()
        );
        let least = lower_bound(&problem, plan.upper_bound, &watch);
        assert!(
            timing.length() * Rational::from_integer(1000.into())
                <= least * Rational::from_integer(1003.into())
        );
        Ok(())
    }

    /// The run of a solved plan, message by message (theorem 4), takes no less than one operation does in as many
    /// tasks.
    #[test]
    fn no_run_of_the_plan_is_shorter() -> Result<()> {
        let watch = Watch::unlimited();
        let search = SearchLimits {
            tasks: 4000,
            pieces: u32::MAX,
            watch: &watch,
        };
        for seed in 0..4 {
            let costs = Costs::Uniform { low: 10, high: 20 };
            let options = generate::Options {
                seed,
                link_cost: costs.clone(),
                compute: costs,
            };
            let platform =
                generate::random_connected(7, 3, &options)?.with_model(PortModel::HalfDuplex);
            let all: Vec<_> = platform.processors().collect();
            let (collective, volumes) = (
                Collective::broadcast(all[0], all[1..].to_vec()),
                Volumes::default(),
            );
            let problem = Problem::new(&platform, &collective, &volumes)?;
            let solved = planned(&problem)?;
            let plan = solved.plan()?;
            let least = lower_bound(&problem, plan.upper_bound, &watch);
            let found = Own::new(&problem, plan.steady_state, &watch)
                .shortest(&problem, &search, &least)?
                .context("nothing ends the search")?;
            executed(&problem, &found)?;
            // Two doublings that gain less than 1/1000 each end the search.
            let dated =
                promise(plan.schedule, search.tasks) * Rational::new(1002.into(), 1000.into());
            let length = found.shortest.length;
            assert!(
                length <= dated,
                "seed {seed}: {length}, the plan's run takes {dated}"
            );
        }
        Ok(())
    }

    /// Under every model and for every collective, the order of the schedule is one more candidate. The referee
    /// executes it.
    #[test]
    fn a_periodic_schedule_shortens_and_never_lengthens() -> Result<()> {
        let mut shorter = std::collections::BTreeSet::new();
        let watch = Watch::unlimited();
        let search = SearchLimits {
            tasks: 3000,
            pieces: u32::MAX,
            watch: &watch,
        };
        for (seed, model) in (0..3).flat_map(|seed| PortModel::ALL.map(|model| (seed, model))) {
            let costs = Costs::Uniform { low: 1, high: 9 };
            let options = generate::Options {
                seed,
                link_cost: costs.clone(),
                compute: costs,
            };
            let platform = generate::random_connected(5, 3, &options)?.with_model(model);
            let all: Vec<_> = platform.processors().collect();
            let (source, targets) = (all[0], all[1..].to_vec());
            let counts: Vec<u64> = (1..=targets.len() as u64).collect();
            for collective in [
                Collective::broadcast(source, targets.clone()),
                Collective::scatter(source, targets.clone()),
                Collective::reduce(source, all.clone()).in_order(),
                Collective::scatter(source, targets).with_counts(&counts)?,
                Collective::all_to_all(all),
            ] {
                let volumes = Volumes::default();
                let problem = Problem::new(&platform, &collective, &volumes)?;
                let solved = planned(&problem)?;
                let plan = solved.plan()?;
                let least = lower_bound(&problem, plan.upper_bound, &watch);
                let found = Own::new(&problem, plan.steady_state, &watch)
                    .shortest(&problem, &search, &least)?
                    .context("nothing ends the search")?;
                executed(&problem, &found)?;
                let patterns = PieceSearch::of_patterns(&problem, plan.steady_state)
                    .shortest(&problem, &search, &least)?;
                let [ours, theirs] = [found, patterns].map(|found| found.shortest.length);
                assert!(
                    least <= ours && ours <= theirs,
                    "{model} {collective}: {least}, {ours}, {theirs}"
                );
                if ours < theirs {
                    shorter.insert(model);
                }
            }
        }
        assert!(shorter.contains(&PortModel::HalfDuplex), "{shorter:?}");
        Ok(())
    }
}
