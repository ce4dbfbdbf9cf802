//! Dates: stages by dates, windows, runs as soon as possible, against naive twins.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Resource, Task, Timeline};
use oneport_platform::Rational;
use oneport_schedule::{DatedTask, Execution, Watch, eager_timeline, execution, timeline};
use proptest::prelude::*;

use crate::follow;
use crate::models::{Case, any_models, cases, problem, schedule};
use oneport_testkit::ratio;

/// Start and end of a task within the period.
fn ends(dated: &DatedTask) -> [&BigInt; 2] {
    [
        &dated.pieces[0].start,
        &dated.pieces[dated.pieces.len() - 1].end,
    ]
}

/// Tries one period after another, from the copy's start.
fn naive_stages(execution: &Execution) -> Vec<usize> {
    let mut stages: Vec<usize> = Vec::new();
    for dated in &execution.tasks {
        let there =
            |input: usize| &execution.period * stages[input] + ends(&execution.tasks[input])[1];
        let arrivals: Vec<BigInt> = dated.inputs.into_iter().flatten().map(there).collect();
        let in_time = |stage: &usize| {
            let start = &execution.period * *stage + ends(dated)[0];
            arrivals.iter().all(|arrival| *arrival <= start)
        };
        stages.push((0..).find(in_time).unwrap());
    }
    stages
}

/// A piece of a task of one period, and when the schedule has it.
struct Turn<'r> {
    dated: &'r DatedTask,
    /// Its task, and the period of its copy.
    of: (usize, u64),
    dates: [BigInt; 2],
}

/// All pieces in the order of the schedule. Among pieces that start together, those without duration come first, inputs
/// before users.
fn turns(execution: &Execution, periods: u64) -> Vec<Turn<'_>> {
    let mut turns = Vec::new();
    for (number, dated) in execution.tasks.iter().enumerate() {
        for (period, piece) in
            (0..periods).flat_map(|period| dated.pieces.iter().map(move |piece| (period, piece)))
        {
            let shift = &execution.period * (period + dated.stage as u64);
            let dates = [&piece.start + &shift, &piece.end + &shift];
            turns.push(Turn {
                dated,
                of: (number, period),
                dates,
            });
        }
    }
    turns.sort_by_key(|turn| {
        (
            turn.dates[0].clone(),
            turn.dates[0] < turn.dates[1],
            turn.of,
        )
    });
    turns
}

/// Starts and ends of all pieces if each waits only for its inputs and its resources: while any piece starts too early,
/// it is postponed.
fn naive_dates(case: &Case, execution: &Execution, turns: &[Turn<'_>]) -> Vec<[BigInt; 2]> {
    let uses = |turn: &Turn<'_>| -> Vec<Resource> {
        match turn.dated.task {
            _ if turn.dates[0] == turn.dates[1] => Vec::new(),
            Task::Send { link, .. } => Resource::uses(&case.platform, link)
                .map(|used| used.resource)
                .collect(),
            Task::Merge { node, .. } => vec![Resource::Compute(node)],
        }
    };
    let resources: Vec<Vec<Resource>> = turns.iter().map(uses).collect();
    let mut ends: Vec<BigInt> = vec![BigInt::zero(); turns.len()];
    loop {
        let mut starts = Vec::new();
        for (index, turn) in turns.iter().enumerate() {
            let inputs: Vec<usize> = execution.tasks[turn.of.0]
                .inputs
                .into_iter()
                .flatten()
                .collect();
            let needed = |other: &usize| {
                turns[*other].of == turn.of
                    || inputs.contains(&turns[*other].of.0) && turns[*other].of.1 == turn.of.1
            };
            let mut start = (0..index)
                .filter(needed)
                .map(|other| ends[other].clone())
                .max()
                .unwrap_or_default();
            for resource in &resources[index] {
                let mut before: Vec<&BigInt> = (0..index)
                    .filter(|&other| resources[other].contains(resource))
                    .map(|other| &ends[other])
                    .collect();
                before.sort();
                // All but one less than its limit of simultaneous tasks have ended.
                let waited = before
                    .len()
                    .checked_sub(resource.capacity(&case.platform) as usize);
                start = waited.map_or(start.clone(), |at| before[at].max(&start).clone());
            }
            starts.push(start);
        }
        let after: Vec<BigInt> = starts
            .iter()
            .zip(turns)
            .map(|(start, turn)| start + &turn.dates[1] - &turn.dates[0])
            .collect();
        if after == ends {
            return starts
                .into_iter()
                .zip(ends)
                .map(|(start, end)| [start, end])
                .collect();
        }
        ends = after;
    }
}

/// Per instance and task: start and end.
type Dates = BTreeMap<(u64, String), Vec<[Rational; 2]>>;

fn dates(run: &Timeline) -> Dates {
    let mut dates = Dates::new();
    for event in &run.events {
        let key = (
            event.instance,
            format!("{:?} over {}", event.message, event.link),
        );
        let [first, last] = [&event.pieces[0], &event.pieces[event.pieces.len() - 1]];
        dates
            .entry(key)
            .or_default()
            .push([first.0.clone(), last.1.clone()]);
    }
    for merge in &run.merges {
        let key = (
            merge.instance,
            format!("{:?} from {} at {}", merge.message, merge.split, merge.node),
        );
        dates
            .entry(key)
            .or_default()
            .push([merge.start.clone(), merge.end.clone()]);
    }
    for list in dates.values_mut() {
        list.sort();
    }
    dates
}

fn last(run: &Timeline) -> Rational {
    dates(run)
        .into_values()
        .flatten()
        .map(|[_, end]| end)
        .max()
        .unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_task_waits_for_its_inputs_and_no_longer(case in cases(any_models(), 6, 3), most in 1..4u64) {
        let schedule = schedule(&case, most);
        let execution = execution(&problem(&case), &schedule, &Watch::unlimited()).unwrap();
        let stages: Vec<usize> = execution.tasks.iter().map(|dated| dated.stage).collect();
        prop_assert_eq!(&stages, &naive_stages(&execution));
        prop_assert_eq!(execution.depth, stages.into_iter().max().map_or(0, |last| last + 1));
        prop_assert!(execution.depth <= schedule.depth());
    }

    /// If all merges of a processor take equally long, none waits while there is a whole window for it.
    #[test]
    fn merges_take_the_first_free_place(case in cases(any_models(), 6, 3), most in 1..4u64) {
        let execution = execution(&problem(&case), &schedule(&case, most), &Watch::unlimited()).unwrap();
        for node in case.platform.node_ids() {
            let merges_here = |dated: &&DatedTask| matches!(dated.task, Task::Merge { node: at, .. } if at == node);
            let merges: Vec<&DatedTask> = execution.tasks.iter().filter(merges_here).collect();
            let Some(length) = merges.first().map(|merge| &merge.duration) else { continue };
            if length.is_zero() || merges.iter().any(|merge| merge.duration != *length) {
                continue;
            }
            let taken: Vec<&BigInt> = merges.iter().map(|merge| ends(merge)[0]).collect();
            for merge in &merges {
                let arrivals = merge.inputs.into_iter().flatten().map(|input| execution.end(&execution.tasks[input]));
                let mut index = arrivals.max().unwrap_or_default();
                while index < execution.start(merge) {
                    let within = &index % &execution.period;
                    let whole = (&within % length).is_zero() && &within + length <= execution.period;
                    prop_assert!(!whole || taken.contains(&&within), "{:?}: {} is free for {:?}", case, within, merge);
                    index += 1u32;
                }
            }
        }
    }

    #[test]
    fn as_soon_as_possible_is_the_longest_way(case in cases(any_models(), 5, 2), most in 1..3u64, periods in 1..=3u64) {
        let schedule = schedule(&case, most);
        let execution = execution(&problem(&case), &schedule, &Watch::unlimited()).unwrap();
        let turns = turns(&execution, periods);
        let mut naive = Dates::new();
        let mut whole: BTreeMap<(usize, u64), [BigInt; 2]> = BTreeMap::new();
        for (turn, [start, end]) in turns.iter().zip(naive_dates(&case, &execution, &turns)) {
            whole.entry(turn.of).or_insert_with(|| [start, BigInt::zero()])[1] = end;
        }
        for ((number, period), dates) in whole {
            let dated = &execution.tasks[number];
            let instance = period * execution.started[&dated.message.demand] + dated.copy;
            let what = match dated.task {
                Task::Send { link, .. } => format!("{:?} over {link}", dated.message),
                Task::Merge { node, split, .. } => format!("{:?} from {split} at {node}", dated.message),
            };
            naive.entry((instance, what)).or_default().push(dates.map(|date| execution.time(&date)));
        }
        for list in naive.values_mut() {
            list.sort();
        }
        let run = eager_timeline(&problem(&case), &schedule, periods).unwrap();
        prop_assert_eq!(dates(&run), naive, "{:?}", case);
    }

    #[test]
    fn as_soon_as_possible_is_a_run_and_never_later(case in cases(any_models(), 6, 3), most in 1..4u64, periods in 1..=4u64) {
        let schedule = schedule(&case, most);
        let run = eager_timeline(&problem(&case), &schedule, periods).unwrap();
        follow::check_dates(&case, &run);
        follow::check_messages(&case, &run);
        oneport_referee::check_timeline(&problem(&case), &run).unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
        let dated = timeline(&problem(&case), &schedule, periods).unwrap();
        let later = dates(&dated);
        for (what, eager) in dates(&run) {
            for (one, other) in eager.iter().zip(&later[&what]) {
                prop_assert!(one[1] <= other[1], "{case:?}: {what:?} ends at {} instead of {}", one[1], other[1]);
            }
        }
        // Not sooner than the busiest port, link or processor allows either.
        let work = |resource: Resource| -> Rational {
            let uses = |task: &Task| match *task {
                Task::Send { link, .. } => Resource::uses(&case.platform, link).map(|used| used.resource).any(|it| it == resource),
                Task::Merge { node, .. } => Resource::Compute(node) == resource,
            };
            let execution = execution(&problem(&case), &schedule, &Watch::unlimited()).unwrap();
            let busy: BigInt = execution.tasks.iter().filter(|it| uses(&it.task)).map(|it| &it.duration).sum();
            execution.time(&(busy * periods)) / ratio(resource.capacity(&case.platform), 1)
        };
        let all = Resource::of_platform(&case.platform).into_iter().chain(case.platform.node_ids().map(Resource::Compute));
        prop_assert!(all.map(work).max().unwrap_or_default() <= last(&run));
        prop_assert_eq!(run.starting_periods * run.instances_per_period, periods * schedule.instances.to_u64().unwrap());
    }
}
