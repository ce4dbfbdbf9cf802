//! A periodic schedule as one operation: the referee executes it. Without delays it is the schedule's own run as soon
//! as possible, or shorter if messages are cut.

use std::time::Duration;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_baselines::{RankHints, named};
use oneport_plan::{
    Collective, PeriodicSchedule, Problem, Rational, ScheduledPattern, Volumes, WholePatterns,
};
use oneport_platform::generate::{self, Costs, Options};
use oneport_platform::{Platform, PortModel};
use oneport_referee::check_run;
use oneport_schedule::{
    common_denominator, cuts, eager_timeline, periodic, tightened, whole_messages,
};
use oneport_timing::{PieceSearch, SearchLimits, TaskList, TimingError, lower_bound};
use oneport_watch::{Limit, Watch};

use crate::runs::{collectives, counted, delayed, number, routes, shared};

/// One instance or a few, by a named algorithm's patterns, in the shortest period. With counts, `plain` is the same
/// problem without.
fn schedules(problem: &Problem, plain: &Problem) -> Vec<PeriodicSchedule> {
    let routes = routes(problem);
    let algorithms = named(
        plain,
        &RankHints {
            order: vec![],
            groups: vec![vec![0, 1, 2], vec![3, 4]],
            ..RankHints::default()
        },
    );
    let schedule = |algorithm: &oneport_baselines::Algorithm| {
        let patterns = algorithm.patterns(problem, &routes).ok()?;
        let unit = common_denominator(patterns.iter().map(|weighted| &weighted.weight));
        let times = Rational::from_integer(unit.clone());
        let copies = |weight: &Rational| (weight * &times).to_integer().to_biguint().unwrap();
        let patterns = patterns.iter().map(|weighted| ScheduledPattern {
            pattern: weighted.pattern.clone(),
            copies: copies(&weighted.weight),
        });
        let instances: BigUint = unit.to_biguint().unwrap();
        let whole = WholePatterns {
            period: Rational::zero(),
            instances,
            patterns: patterns.collect(),
        };
        periodic(
            problem,
            tightened(problem, whole).unwrap(),
            &Watch::unlimited(),
        )
        .ok()
    };
    algorithms.iter().filter_map(schedule).take(4).collect()
}

fn platform(seed: u64, model: PortModel) -> Platform {
    let costs = Costs::Uniform { low: 1, high: 5 };
    let options = Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    };
    generate::random_connected(5, 3, &options)
        .unwrap()
        .with_model(model)
}

#[test]
fn the_referee_executes_schedules_in_turn() {
    let (mut own, mut cut, mut checked) = (0, 0, 0);
    for (seed, model) in (0..).zip(PortModel::ALL) {
        let plain = platform(seed, model);
        let mut all = vec![delayed(&plain), plain.clone()];
        if model == PortModel::Links {
            all.extend([delayed(&shared(&plain)), shared(&plain)]);
        }
        for platform in all {
            let plain = collectives(&platform);
            let pairs = plain.iter().map(|one| (one.clone(), one));
            let counted = plain.iter().filter_map(|one| Some((counted(one)?, one)));
            for (collective, plain) in pairs.chain(counted) {
                let volumes = Volumes::of_size(number("3/2"));
                let problem = Problem::new(&platform, &collective, &volumes).unwrap();
                let plain = problem.asking(plain).unwrap();
                let no_delays = platform.links().iter().all(|link| link.delays.is_none());
                for schedule in schedules(&problem, &plain) {
                    let instances = Rational::from_integer(schedule.instances.clone().into());
                    for periods in [1, 3] {
                        let layout = TaskList::of_schedule(
                            &problem,
                            &schedule,
                            periods,
                            &Watch::unlimited(),
                        )
                        .unwrap()
                        .graph(&problem, &Watch::unlimited())
                        .expect("a graph");
                        let dated = layout
                            .simulate_in_order(&problem, None, &Watch::unlimited())
                            .unwrap();
                        let name = format!("{model} {collective} {periods}");
                        assert_eq!(
                            check_run(&problem, &layout.run(&dated)).unwrap(),
                            dated.length(),
                            "{name}"
                        );
                        let late = layout.simulate_in_order(
                            &problem,
                            Some(&dated.length()),
                            &Watch::unlimited(),
                        );
                        assert_eq!(late, Err(TimingError::AboveLimit));
                        checked += 1;
                        if no_delays {
                            let run = eager_timeline(&problem, &schedule, periods.into()).unwrap();
                            let arrivals =
                                run.events.iter().filter_map(|event| event.pieces.last());
                            let ends = arrivals
                                .map(|(_, end)| end)
                                .chain(run.merges.iter().map(|merge| &merge.end));
                            let length = dated.length()
                                * &instances
                                * Rational::from_integer(periods.into());
                            if cuts(&problem, &schedule).cut.is_zero() {
                                assert_eq!(length, ends.max().unwrap().clone(), "{name}");
                                own += 1;
                            } else {
                                assert!(length <= *ends.max().unwrap(), "{name}");
                                cut += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(
        own > 50 && cut > 10 && checked > 200,
        "{own} and {cut} of {checked}"
    );
}

#[test]
fn a_way_of_a_schedule_comes_close_to_its_period() {
    let platform = platform(3, PortModel::HalfDuplex);
    let all: Vec<_> = platform.processors().collect();
    let collective = Collective::broadcast(all[0], all[1..].to_vec());
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    for schedule in schedules(&problem, &problem) {
        let (schedule, _) = whole_messages(&problem, &schedule);
        let rate = schedule.throughput();
        let search = SearchLimits {
            tasks: 20_000,
            pieces: u32::MAX,
            watch: &Watch::unlimited(),
        };
        let found = PieceSearch::of_schedule(&problem, schedule.clone())
            .shortest(&problem, &search, &Rational::zero())
            .unwrap();
        let run = found.run();
        assert_eq!(check_run(&problem, &run).unwrap(), found.shortest.length);
        assert_eq!(
            BigUint::from(found.shortest.pieces) % &schedule.instances,
            BigUint::zero()
        );
        assert!(
            found.shortest.length
                >= lower_bound(&problem, &number("1000000000"), &Watch::unlimited())
        );
        // Start-up and clean-up are the loss, and by then they are those of small pieces.
        assert!(found.shortest.length * rate < number("21/20"));
    }
}

#[test]
fn too_much_and_too_long_are_refused() {
    let platform = platform(1, PortModel::FullDuplex);
    let all: Vec<_> = platform.processors().collect();
    let collective = Collective::scatter(all[0], all[1..].to_vec());
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let schedule = schedules(&problem, &problem).remove(0);
    let draft = TaskList::of_schedule(&problem, &schedule, u32::MAX, &Watch::unlimited());
    assert_eq!(draft, Err(TimingError::TooMany(4_000_000)));
    let layout = TaskList::of_schedule(&problem, &schedule, 1, &Watch::unlimited())
        .unwrap()
        .graph(&problem, &Watch::unlimited())
        .expect("a graph");
    let ended = Watch::counting(0, Duration::ZERO);
    assert_eq!(
        layout.simulate_in_order(&problem, None, &ended),
        Err(TimingError::Stopped(Limit::Caller))
    );
}
