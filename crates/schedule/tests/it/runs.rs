//! When things happen: stages by dates and places, against naive twins.

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_period::rounding::{Target, round};
use oneport_plan::{PeriodicSchedule, Problem, Task};
use oneport_schedule::{DatedTask, Execution, execution, periodic};
use proptest::prelude::*;

use crate::models::{Case, any_models, cases};

fn problem(case: &Case) -> Problem<'_> {
    Problem::new(&case.platform, &case.collective, &case.volumes).unwrap()
}

fn schedule(case: &Case, most: u64) -> PeriodicSchedule {
    let whole = round(problem(case), &case.steady_state, &Target::Instances(most)).unwrap();
    periodic(problem(case), whole).unwrap()
}

/// What starts, and ends, when in the period.
fn ends(dated: &DatedTask) -> [&BigInt; 2] {
    [&dated.pieces[0].start, &dated.pieces[dated.pieces.len() - 1].end]
}

/// Periods tried one after the other, from the copy's start.
fn naive_stages(execution: &Execution) -> Vec<usize> {
    let mut stages: Vec<usize> = Vec::new();
    for dated in &execution.tasks {
        let there = |input: usize| &execution.period * stages[input] + ends(&execution.tasks[input])[1];
        let arrivals: Vec<BigInt> = dated.inputs.into_iter().flatten().map(there).collect();
        let in_time = |stage: &usize| {
            let start = &execution.period * *stage + ends(dated)[0];
            arrivals.iter().all(|arrival| *arrival <= start)
        };
        stages.push((0..).find(in_time).unwrap());
    }
    stages
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_task_waits_for_its_inputs_and_no_longer(case in cases(any_models(), 6, 3), most in 1..4u64) {
        let schedule = schedule(&case, most);
        let execution = execution(problem(&case), &schedule).unwrap();
        let stages: Vec<usize> = execution.tasks.iter().map(|dated| dated.stage).collect();
        prop_assert_eq!(&stages, &naive_stages(&execution));
        prop_assert_eq!(execution.depth, stages.into_iter().max().map_or(0, |last| last + 1));
        prop_assert!(execution.depth <= schedule.depth());
    }

    /// Where all merges of a processor take as long, none waits while there is a whole place for it.
    #[test]
    fn merges_take_the_first_free_place(case in cases(any_models(), 6, 3), most in 1..4u64) {
        let execution = execution(problem(&case), &schedule(&case, most)).unwrap();
        for node in case.platform.node_ids() {
            let here = |dated: &&DatedTask| matches!(dated.task, Task::Merge { node: at, .. } if at == node);
            let merges: Vec<&DatedTask> = execution.tasks.iter().filter(here).collect();
            let Some(length) = merges.first().map(|merge| &merge.duration) else { continue };
            if length.is_zero() || merges.iter().any(|merge| merge.duration != *length) {
                continue;
            }
            let taken: Vec<&BigInt> = merges.iter().map(|merge| ends(merge)[0]).collect();
            for merge in &merges {
                let arrivals = merge.inputs.into_iter().flatten().map(|input| execution.end(&execution.tasks[input]));
                let mut place = arrivals.max().unwrap_or_default();
                while place < execution.start(merge) {
                    let within = &place % &execution.period;
                    let whole = (&within % length).is_zero() && &within + length <= execution.period;
                    prop_assert!(!whole || taken.contains(&&within), "{:?}: {} is free for {:?}", case, within, merge);
                    place += 1u32;
                }
            }
        }
    }
}
