//! Work by task and processor: bounds by another method, and impossible merges.

use crate::common;

use crate::common::ask::bound;
use crate::common::trees::naive_cheapest;
use common::*;
use oneport_plan::{
    Amount, Certificate, Collective, Interval, MergeTask, Pattern, Problem, Resource, SteadyState,
    Task, TaskTable, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_referee::{Rule, Watch, check_steady_state};

/// Work by task. A processor cannot run every third task. Sizes are by interval.
fn volumes(dice: &mut Dice, operands: usize, nodes: &[NodeId]) -> Volumes {
    let mut table = TaskTable::default();
    for task in MergeTask::all(operands) {
        if dice.one_in(3) {
            table.everywhere.insert(task, dice.fraction(5));
        }
        for &node in nodes {
            if !dice.one_in(4) {
                let work = dice.fraction(7) * whole(dice.below(3));
                table
                    .at
                    .insert((task, node), (!dice.one_in(3)).then_some(work));
            }
        }
        table.at.entry((task, nodes[0])).or_insert(None);
    }
    let row = |first: usize, dice: &mut Dice| (first..operands).map(|_| dice.fraction(4)).collect();
    Volumes {
        size: Amount::Table((0..operands).map(|k| row(k, dice)).collect()),
        work: Amount::Tasks(table),
    }
}

fn platform(dice: &mut Dice, count: usize) -> Platform {
    let mut builder = Platform::builder();
    let all: Vec<NodeId> = (0..count)
        .map(|n| {
            builder
                .node(Node::processor(format!("n{n}"), dice.fraction(5)))
                .unwrap()
        })
        .collect();
    for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
        if from != to && (to == (from + 1) % count || !dice.one_in(3)) {
            builder.link(all[from], all[to], dice.fraction(5)).unwrap();
        }
    }
    builder.build().unwrap()
}

/// Prices in small and in long numbers, some of them 0 so that movement between some nodes is free.
#[test]
fn cheapest_trees_are_those_of_the_naive_recurrence() {
    let (mut proved, mut refused) = (0, 0);
    for seed in 0..150 {
        let mut dice = Dice(seed);
        let (count, operands) = (3 + dice.below(2), 2 + dice.below(2));
        let platform = platform(&mut dice, count);
        let all: Vec<NodeId> = platform.processors().collect();
        let volumes = volumes(&mut dice, operands, &all);
        let collective = Collective::reduce(all[0], all[..operands].to_vec()).in_order();
        let long = if seed % 2 == 0 {
            ratio(1, 1)
        } else {
            Rational::new(1.into(), num_bigint::BigInt::from(3).pow(90))
        };
        let resources = all.iter().flat_map(|&n| {
            [
                Resource::Send(n),
                Resource::Receive(n),
                Resource::Compute(n),
            ]
        });
        let mut prices: Vec<(Resource, Rational)> = resources
            .map(|resource| {
                (
                    resource,
                    dice.fraction(5) * whole(dice.below(3)) + whole(dice.below(2)) * &long,
                )
            })
            .filter(|(_, price)| *price != whole(0))
            .collect();
        prices.sort_by_key(|(resource, _)| *resource);
        if prices.is_empty() {
            continue;
        }
        let by_resource: Prices<'_> = prices
            .iter()
            .map(|(resource, price)| (*resource, price))
            .collect();
        let cheapest = naive_cheapest(&platform, &collective, &volumes, &by_resource, all[0]);
        let worth: Rational = prices.iter().map(|(_, price)| price).sum();
        let certificate = Certificate::of_prices(prices.clone());
        let found = bound(&platform, &collective, &volumes, &certificate);
        match cheapest {
            None => {
                assert!(broken(&found, Rule::Unreachable), "{seed}: {found:?}");
                assert!(
                    told(&found).contains("no processors can make v[0,"),
                    "{found:?}"
                );
                refused += 1;
            }
            Some(price) if price == whole(0) => {
                assert!(broken(&found, Rule::NoBound), "{seed}: {found:?}")
            }
            Some(price) => {
                assert_eq!(found, Ok(worth / price), "{seed}");
                proved += 1;
            }
        }
    }
    assert!(proved > 60 && refused > 3, "{proved} {refused}");
}

/// Two operands, merged at either end: the work is that of the table, and a merge without an entry is impossible.
#[test]
fn merges_take_what_the_table_says() {
    let mut builder = Platform::builder();
    let ends = ["A", "B"].map(|name| builder.node(Node::processor(name, ratio(2, 1))).unwrap());
    builder.duplex(ends[0], ends[1], ratio(1, 1)).unwrap();
    let platform = builder.build().unwrap();
    let pair = Interval { first: 0, last: 1 };
    let task = MergeTask::new(pair, 0);
    let collective = Collective::reduce(ends[0], ends.to_vec()).in_order();
    let (forth, back) = (LinkId::new(0), LinkId::new(1));
    let at = |node: usize| {
        let tasks = match node {
            0 => vec![
                Task::send(back, Interval::single(1)),
                Task::merge(ends[0], pair, 0),
            ],
            _ => {
                let merge = Task::merge(ends[1], pair, 0);
                vec![
                    Task::send(forth, Interval::single(0)),
                    merge,
                    Task::send(back, pair),
                ]
            }
        };
        let pattern = Pattern::tree(0, None, tasks);
        SteadyState {
            throughput: ratio(1, 3),
            patterns: vec![WeightedPattern {
                pattern,
                weight: ratio(1, 3),
            }],
        }
    };
    let verdict = |node: usize, work: [Option<Rational>; 2]| {
        let at_ends = ends
            .iter()
            .zip(work)
            .map(|(&end, work)| ((task, end), work))
            .collect();
        let work = Amount::Tasks(TaskTable {
            at: at_ends,
            ..TaskTable::default()
        });
        let volumes = Volumes {
            work,
            ..Volumes::default()
        };
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        check_steady_state(&problem, &at(node), &Watch::unlimited())
    };
    // Compute 2: work 3/2 takes the time of three instances out of three.
    assert_eq!(verdict(0, [Some(ratio(3, 2)), None]), Ok(()));
    assert_eq!(verdict(1, [None, Some(ratio(3, 2))]), Ok(()));
    let late = verdict(0, [Some(ratio(8, 5)), Some(ratio(0, 1))]);
    assert!(
        broken(&late, Rule::SteadyState) && told(&late).contains("16/15"),
        "{late:?}"
    );
    for node in 0..2 {
        let mut work = [Some(ratio(1, 1)), Some(ratio(1, 1))];
        work[node] = None;
        let refused = verdict(node, work);
        let name = ["A", "B"][node];
        assert!(broken(&refused, Rule::Task), "{refused:?}");
        assert!(
            told(&refused).contains(&format!("T[0,0,1] at '{name}'")),
            "{refused:?}"
        );
    }
}
