//! `w(P_i, T[k,l,m])` and `size(v[k,m])` by tables: unrelated machines, and products of matrices.

use num_traits::Zero;
use oneport_lp::{Formulation, LpError, Options, Question, solve, unmade};
use oneport_plan::{
    Amount, Collective, Interval, MergeTask, Problem, TaskTable, VolumeError, Volumes,
};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational};
use oneport_watch::Watch;

use crate::common::naive::{self, Dice};
use crate::common::ratio;
use oneport_testkit::{platform, toys};

fn reduce(owners: &[usize], target: usize) -> Collective {
    let participants = owners.iter().map(|&node| NodeId::new(node)).collect();
    Collective::reduce(NodeId::new(target), participants).in_order()
}

/// Matrix `k` of a chain has `dimensions[k]` rows and `dimensions[k + 1]` columns: the product of matrices `k..=m` has
/// `dimensions[k] dimensions[m + 1]` entries, and `T[k,l,m]` takes one multiplication for each row, column and number
/// in between.
fn chain(dimensions: &[i64]) -> Volumes {
    let n = dimensions.len() - 1;
    let size = |k: usize, m: usize| ratio(dimensions[k] * dimensions[m + 1], 1000);
    let work = |task: MergeTask| {
        let (rows, inner, columns) = (task.part.first, task.split + 1, task.part.last + 1);
        ratio(
            dimensions[rows] * dimensions[inner] * dimensions[columns],
            10_000,
        )
    };
    let everywhere = MergeTask::all(n).map(|task| (task, work(task))).collect();
    Volumes {
        size: Amount::Table(
            (0..n)
                .map(|k| (k..n).map(|m| size(k, m)).collect())
                .collect(),
        ),
        work: Amount::Tasks(TaskTable {
            everywhere,
            ..TaskTable::default()
        }),
    }
}

fn throughput(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    formulation: Formulation,
) -> Rational {
    let problem = Problem::new(platform, collective, volumes).unwrap();
    let options = Options::from(formulation);
    let solution = solve(&Question::new(&problem), &options).unwrap();
    oneport_referee::check_steady_state(&problem, &solution.steady_state, &Watch::unlimited())
        .unwrap();
    assert_eq!(
        oneport_referee::bound(&problem, &solution.certificate, &Watch::unlimited()).unwrap(),
        solution.steady_state.throughput
    );
    solution.steady_state.throughput
}

/// The optimum by columns, by the compact program, and by the list of all trees.
fn optimum(platform: &Platform, collective: &Collective, volumes: &Volumes) -> Rational {
    let found = naive::check(platform, collective, volumes);
    assert_eq!(
        throughput(platform, collective, volumes, Formulation::Compact),
        found
    );
    found
}

fn task(first: usize, split: usize, last: usize) -> MergeTask {
    MergeTask::new(Interval { first, last }, split)
}

#[test]
fn a_product_of_three_matrices() {
    let (platform, collective) = (toys::reduce(), reduce(&[0, 1, 2], 0));
    let volumes = chain(&[10, 100, 5, 50]);
    let found = optimum(&platform, &collective, &volumes);
    // A separate program found 29/15.
    assert_eq!(found, ratio(29, 15));
    // If the work were that of the most expensive split, products of three would be slower.
    let dearest = |k: usize, m: usize| {
        let volumes = &volumes;
        let works = (k..m).filter_map(move |l| {
            volumes
                .work
                .of_merge(NodeId::new(1), Interval { first: k, last: m }, l)
        });
        works.max().unwrap_or_default()
    };
    let by_interval = Amount::Table(
        (0..3)
            .map(|k| (k..3).map(|m| dearest(k, m)).collect())
            .collect(),
    );
    let by_interval = Volumes {
        work: by_interval,
        ..volumes.clone()
    };
    assert_eq!(optimum(&platform, &collective, &by_interval), ratio(8, 11));
}

#[test]
fn unrelated_machines() {
    let (platform, collective) = (toys::reduce(), reduce(&[0, 1, 2], 0));
    let volumes = chain(&[10, 100, 5, 50]);
    let Amount::Tasks(mut table) = volumes.work.clone() else {
        panic!("by task")
    };
    let fast = table.everywhere[&task(0, 0, 1)].clone() / ratio(5, 1);
    table.at.insert((task(0, 0, 1), NodeId::new(2)), Some(fast));
    table.at.insert((task(0, 1, 2), NodeId::new(0)), None);
    let volumes = Volumes {
        work: Amount::Tasks(table),
        ..volumes
    };
    assert_eq!(optimum(&platform, &collective, &volumes), ratio(862, 555));
}

/// The chain of the textbooks. One processor owns two of its matrices.
#[test]
fn a_product_of_four_matrices() {
    // A node owns one value: the last matrix is at a separate node, which is joined to P0 at cost 0 and multiplies
    // nothing.
    let links = [
        ("P0", "P1", "1"),
        ("P0", "P2", "1"),
        ("P1", "P0", "1"),
        ("P1", "P2", "1"),
        ("P2", "P0", "1"),
        ("P2", "P1", "1"),
        ("P0'", "P0", "0"),
    ];
    let own = NodeId::new(3);
    let platform = platform("P0=1/2 P1 P2 P0'", &links);
    let collective = reduce(&[0, 1, 2, 3], 2);
    let mut volumes = chain(&[30, 35, 15, 5, 10]);
    if let Amount::Tasks(table) = &mut volumes.work {
        table.at = MergeTask::all(4).map(|task| ((task, own), None)).collect();
    }
    for formulation in [Formulation::Columns, Formulation::Compact] {
        assert_eq!(
            throughput(&platform, &collective, &volumes, formulation),
            ratio(360, 91)
        );
    }
}

/// Work by task. About one in four tasks cannot run at a processor.
fn unrelated(dice: &mut Dice, platform: &Platform, operands: usize) -> Volumes {
    let mut table = TaskTable::default();
    for task in MergeTask::all(operands) {
        if dice.below(3) == 0 {
            table
                .everywhere
                .insert(task, ratio(dice.below(5) as i64, 1 + dice.below(3) as i64));
        }
        for node in platform.processors() {
            if dice.below(3) > 0 || !table.everywhere.contains_key(&task) {
                let work = ratio(dice.below(6) as i64, 1 + dice.below(3) as i64);
                table
                    .at
                    .insert((task, node), (dice.below(3) > 0).then_some(work));
            }
        }
    }
    let rows = |k: usize, dice: &mut Dice| (k..operands).map(|_| dice.cost()).collect();
    let size = Amount::Table((0..operands).map(|k| rows(k, dice)).collect());
    Volumes {
        size,
        work: Amount::Tasks(table),
    }
}

/// Whether a tree takes no time, so that its rate is unbounded.
fn is_free(load: &naive::Load) -> bool {
    load.links
        .values()
        .chain(load.processors.values())
        .all(Zero::is_zero)
}

#[test]
fn all_trees_of_tiny_questions() {
    let (mut solved, mut refused) = (0, 0);
    for seed in 0..60 {
        let dice = &mut Dice::new(seed);
        let model = [PortModel::FullDuplex, PortModel::HalfDuplex][dice.below(2)];
        let nodes = naive::processors(3);
        let platform = naive::random(dice, nodes, model, 2);
        let first = dice.below(3);
        let owners: Vec<usize> = (0..2 + dice.below(2)).map(|at| (at + first) % 3).collect();
        let collective = reduce(&owners, dice.below(3));
        let volumes = unrelated(dice, &platform, owners.len());
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let none = naive::demands(&platform, &collective, &volumes)[0]
            .1
            .is_empty();
        assert_eq!(unmade(&problem).is_some(), none, "{volumes:?}");
        if none {
            let refusal = solve(&Question::new(&problem), &Options::default()).unwrap_err();
            assert!(matches!(refusal, LpError::Unmade { .. }), "{refusal}");
            refused += 1;
        } else if !naive::demands(&platform, &collective, &volumes)[0]
            .1
            .iter()
            .any(is_free)
        {
            optimum(&platform, &collective, &volumes);
            solved += 1;
        }
    }
    assert!(solved >= 30 && refused >= 1, "{solved} {refused}");
}

/// Owners and receivers that merge nothing: every tree of tiny problems, for all kinds of volumes.
#[test]
fn owners_and_targets_without_a_processor() {
    let (mut solved, mut refused) = (0, 0);
    for seed in 200..270 {
        let dice = &mut Dice::new(seed);
        let model = [PortModel::FullDuplex, PortModel::HalfDuplex][dice.below(2)];
        let count = 3 + dice.below(2);
        let mut nodes = naive::processors(count);
        for (at, node) in nodes.iter_mut().enumerate() {
            if dice.below(2) == 0 {
                *node = Node::router(format!("r{at}"));
            }
        }
        let platform = naive::random(dice, nodes, model, 2);
        let first = dice.below(count);
        let owners: Vec<usize> = (0..2 + dice.below(2))
            .map(|at| (at + first) % count)
            .collect();
        let collective = reduce(&owners, dice.below(count));
        let work = match dice.below(4) {
            0 => Amount::Constant(Rational::zero()),
            1 => Amount::Affine {
                fixed: ratio(1, 2),
                per_operand: ratio(1, 3),
            },
            2 if platform.processors().next().is_some() => {
                unrelated(dice, &platform, owners.len()).work
            }
            _ => Amount::Constant(ratio(3, 2)),
        };
        let volumes = Volumes {
            size: Amount::Affine {
                fixed: ratio(1, 1),
                per_operand: ratio(dice.below(2) as i64, 1),
            },
            work,
        };
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let trees = &naive::demands(&platform, &collective, &volumes)[0].1;
        assert_eq!(unmade(&problem).is_some(), trees.is_empty(), "{volumes:?}");
        if trees.is_empty() {
            let refusal = solve(&Question::new(&problem), &Options::default()).unwrap_err();
            assert!(matches!(refusal, LpError::Unmade { .. }), "{refusal}");
            refused += 1;
        } else if !trees.iter().any(is_free) {
            optimum(&platform, &collective, &volumes);
            solved += 1;
        }
    }
    assert!(solved >= 30 && refused >= 1, "{solved} {refused}");
}

#[test]
fn columns_and_the_compact_program_agree() {
    let mut solved = 0;
    for seed in 100..130 {
        let dice = &mut Dice::new(seed);
        let count = 3 + dice.below(3);
        let nodes = naive::processors(count);
        let platform = naive::random(dice, nodes, PortModel::FullDuplex, 2 * count);
        let owners: Vec<usize> = (0..3 + dice.below(count - 2))
            .map(|at| (at + seed as usize) % count)
            .collect();
        let collective = reduce(&owners, dice.below(count));
        let volumes = unrelated(dice, &platform, owners.len());
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        if unmade(&problem).is_none() {
            let [columns, compact] = [Formulation::Columns, Formulation::Compact]
                .map(|formulation| throughput(&platform, &collective, &volumes, formulation));
            assert_eq!(columns, compact, "seed {seed}");
            solved += 1;
        }
    }
    assert!(solved >= 20, "{solved}");
}

#[test]
fn a_table_that_lets_nothing_be_made_is_refused_by_name() {
    let (platform, collective) = (toys::reduce(), reduce(&[0, 1, 2], 0));
    let volumes = chain(&[10, 100, 5, 50]);
    let Amount::Tasks(table) = &volumes.work else {
        panic!("by task")
    };
    let mut without = table.clone();
    // The result can be made of two parts in two ways. Both are impossible at every node.
    for split in 0..2 {
        without.at.extend(
            platform
                .processors()
                .map(|node| ((task(0, split, 2), node), None)),
        );
    }
    let volumes = Volumes {
        work: Amount::Tasks(without),
        ..volumes.clone()
    };
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let refusal = solve(&Question::new(&problem), &Options::default()).unwrap_err();
    assert!(
        refusal
            .to_string()
            .starts_with("no processors can make v[0,2]: "),
        "{refusal}"
    );
}

#[test]
fn tables_that_do_not_fit_are_refused_by_entry() {
    let (platform, collective) = (toys::reduce(), reduce(&[0, 1, 2], 0));
    let volumes = chain(&[10, 100, 5, 50]);
    let refusal = |change: &dyn Fn(&mut TaskTable), collective: &Collective| {
        let Amount::Tasks(mut table) = volumes.work.clone() else {
            panic!("by task")
        };
        change(&mut table);
        let volumes = Volumes {
            work: Amount::Tasks(table),
            ..volumes.clone()
        };
        Problem::new(&platform, collective, &volumes)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    let found = refusal(
        &|table| drop(table.everywhere.remove(&task(0, 1, 2))),
        &collective,
    );
    assert_eq!(
        found,
        "no entry gives the work of T[0,1,2]; give one, or null where no processor can do it"
    );
    let found = refusal(
        &|table| drop(table.everywhere.insert(task(1, 2, 3), ratio(1, 1))),
        &collective,
    );
    assert!(
        found.starts_with("work of T[1,2,3]: 3 operands have the tasks"),
        "{found}"
    );
    let found = refusal(
        &|table| drop(table.everywhere.insert(task(0, 0, 1), ratio(-1, 1))),
        &collective,
    );
    assert!(found.contains("work -1 of T[0,0,1]"), "{found}");
    let found = refusal(
        &|table| drop(table.at.insert((task(0, 0, 1), NodeId::new(7)), None)),
        &collective,
    );
    assert_eq!(
        found,
        "work of T[0,0,1] at '7', which is no node; only processors merge"
    );
    let all = Collective::all_reduce(platform.processors().collect()).in_order();
    assert!(
        refusal(&|_| (), &all).starts_with("all-reduce: work by task"),
        "{}",
        refusal(&|_| (), &all)
    );
    let any = Collective::reduce(NodeId::new(0), platform.processors().collect());
    assert!(
        refusal(&|_| (), &any).starts_with("reduce: work by task"),
        "{}",
        refusal(&|_| (), &any)
    );
    let Amount::Tasks(table) = &volumes.work else {
        panic!("by task")
    };
    let sized = Volumes {
        size: Amount::Tasks(table.clone()),
        ..volumes.clone()
    };
    assert_eq!(sized.validate(&collective), Err(VolumeError::SizeByTask));
}

/// Twice the table means half the throughput of an operation that only computes. A table of tasks without work equals
/// the table of zeros.
#[test]
fn throughput_scales_with_the_table() {
    let (platform, collective) = (toys::reduce(), reduce(&[0, 1, 2], 0));
    let volumes = chain(&[10, 100, 5, 50]);
    let two = ratio(2, 1);
    let doubled = Volumes {
        size: volumes.size.times(&two),
        work: volumes.work.times(&two),
    };
    assert_eq!(
        optimum(&platform, &collective, &doubled) * two,
        optimum(&platform, &collective, &volumes)
    );
    let free = Volumes {
        work: volumes.work.times(&Rational::zero()),
        ..volumes.clone()
    };
    let constant = Volumes {
        work: Amount::Constant(Rational::zero()),
        ..volumes
    };
    assert_eq!(
        optimum(&platform, &collective, &free),
        optimum(&platform, &collective, &constant)
    );
}
