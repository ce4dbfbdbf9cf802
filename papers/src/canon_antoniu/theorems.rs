//! Lemmas, theorems and propositions of RR-7898, swept against all trees.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use num_traits::ToPrimitive;
use oneport::homogeneous::{self, Strategy, Tie, bounds};
use oneport::plan::Concurrency;

use super::brute::{self, Tree};
use super::checked::{COSTS, costs, length, reduce};
use crate::numbers::{short, whole, whole_number};
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("sink", |_| sink()),
    ("each-machine", |_| each_machine()),
    ("lemma-1", |_| lemma_1()),
    ("operand-order", |_| operand_order()),
    ("proposition-2-trees", |_| formula()),
    ("logarithms", |_| logarithms()),
    ("theorem-4", |_| theorem_4()),
    ("lemma-5", |_| lemma_5()),
    ("proposition-6", |_| proposition_6()),
    ("degree-and-depth", |_| degree_and_depth()),
    ("theorem-7", |_| theorem_7()),
    ("proposition-8-corrected", |_| corrected_bounds()),
    ("theorem-9", |_| theorem_9()),
    ("theorem-10", |_| theorem_10()),
    ("proposition-13", |_| {
        special_trees(binomial_tree, 10, |k, d, c| (k * (d + c), 1 << k))
    }),
    ("theorem-14", |_| {
        uniqueness(&[(1, 0), (0, 1), (3, 0), (0, 2)], 3, binomial_tree)
    }),
    ("proposition-16", |_| {
        special_trees(fibonacci_tree, 14, fibonacci_facts)
    }),
    ("theorem-17", |_| {
        uniqueness(&[(1, 1), (3, 3)], 4, fibonacci_tree)
    }),
    ("strategies", |_| strategies()),
    ("theorem-18", |_| theorem_18()),
    ("inverse-fibonacci", |_| inverse_fibonacci()),
    ("theorem-19", |_| theorem_19()),
];

/// Limit on the values for which all trees are tried.
const ALL_TREES: usize = 10;
/// Limit on the values for which all orders of transfers are tried too.
const ALL_ORDERS: usize = 7;

/// Proposition 3: in every greedy tree our transfers start at the dates of the naive simulation.
pub fn default_times() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for n in 1..=40 {
            for strategy in [
                Strategy::Greedy,
                Strategy::Binomial,
                Strategy::Fibonacci,
                Strategy::Chain,
                Strategy::Flat,
            ] {
                let reduction = reduce(n, d, c, strategy, Concurrency::Unlimited)?;
                let tree: Tree = reduction
                    .receivers
                    .iter()
                    .map(|&receiver| receiver as usize)
                    .collect();
                let naive = brute::length(&tree, d, c);
                ensure!(
                    reduction.length == whole(naive),
                    "n = {n}, d = {d}, c = {c}, {strategy:?}: not {naive}"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} trees, each simulated step by step"),
    ))
}

/// Proposition 3 without sorting: the latest arrivals from a machine's children fall into classes of width max(d, c).
/// The earliest arrival of each class decides. The number of steps, and the dates of the formula, which sorts.
pub fn linear_time() -> Result<Finding> {
    let (mut tried, mut most) = (0, whole(0));
    let mut random = 1_u64;
    for (d, c) in COSTS {
        for n in [1, 2, 3, 7, 20, 60, 200, 1000] {
            for shape in 0..3 {
                // Random receivers among all, the nearest and the farthest machines before.
                let tree: Tree = (0..n as usize)
                    .map(|machine| {
                        random ^= random << 13;
                        random ^= random >> 7;
                        random ^= random << 17;
                        let width = machine
                            .min([usize::MAX, 3, 1 + n as usize / 4][shape])
                            .max(1);
                        let back = random as usize % width;
                        if shape == 1 {
                            machine.saturating_sub(1 + back)
                        } else {
                            back.min(machine)
                        }
                    })
                    .collect();
                let (dates, steps) = brute::ready_in_steps(&tree, d, c);
                ensure!(
                    dates == brute::ready(&tree, d, c),
                    "n = {n}, d = {d}, c = {c}: {tree:?}"
                );
                most = most.max(whole(steps) / whole(n));
                tried += 1;
            }
        }
    }
    ensure!(most <= whole(6), "{most} steps per machine");
    Ok(Finding::claim(
        true,
        format!(
            "{tried} random trees of up to 1000 machines: at most {} steps per machine",
            short(&most)
        ),
    )
    .note("ours sorts the children, O(n log n), since a schedule needs their order"))
}

/// Section 6.1: no schedule has more than floor(n / 2) transfers at once, and that limit makes none longer.
pub fn half() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for n in 2..=48 {
            let half = Concurrency::Transfers(n / 2);
            let schedule = reduce(n, d, c, Strategy::Greedy, Concurrency::Unlimited)?;
            oneport::referee::check_reduction(&schedule, half)?;
            let limited = length(n, d, c, Strategy::Greedy, half)?;
            ensure!(
                schedule.length == whole(limited),
                "n = {n}, d = {d}, c = {c}: {limited} instead of {}",
                schedule.length
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!(
            "{tried} cases: Algorithm 1's schedule keeps the limit, and Algorithm 2 is as short"
        ),
    ))
}

/// Section 3.2: every processor can be the sink. The operands stay in order and the schedule has the same length.
fn sink() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for n in (1..=20).chain([33, 55]) {
            let best = length(n, d, c, Strategy::Greedy, Concurrency::Unlimited)?;
            for root in 0..n {
                let reduction = homogeneous::reduce_at(n, root, &costs(d, c)?)?;
                oneport::referee::check_reduction(&reduction, Concurrency::Unlimited)?;
                ensure!(
                    u64::from(reduction.root) == root,
                    "n = {n}: sink {} instead of {root}",
                    reduction.root
                );
                ensure!(
                    reduction.length == whole(best),
                    "n = {n}, d = {d}, c = {c}, sink {root}: not {best}"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} sinks, none longer than another; operands in order by the referee"),
    ))
}

/// Section 3.3: the result that a machine computes alone, for its own number, is its position in the one tree.
fn each_machine() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for (n, root) in [(1, 0), (2, 1), (7, 3), (16, 0), (34, 33), (100, 41)] {
            let costs = costs(d, c)?;
            let tree = homogeneous::reduce_at(n, root, &costs)?.receivers;
            for rank in 0..n {
                let own = homogeneous::neighbours_at(n, root, rank, &costs)?;
                let receiver = (rank != root)
                    .then(|| tree.get(rank as usize).copied().map(u64::from))
                    .flatten();
                ensure!(
                    own.receiver == receiver,
                    "n = {n}, sink {root}, machine {rank}: sends to {:?}",
                    own.receiver
                );
                let sends = |other: &u64| {
                    *other != root && tree.get(*other as usize) == Some(&(rank as u32))
                };
                let mut children = own.children;
                children.sort_unstable();
                ensure!(
                    children == (0..n).filter(sends).collect::<Vec<_>>(),
                    "n = {n}, sink {root}, machine {rank}"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} machines, each from n, the sink, the costs and its own number alone"),
    ))
}

/// Section 4.1: machines numbered along any tree, senders in the order in which they are merged, keep the operands in
/// order. The referee concatenates them.
fn operand_order() -> Result<Finding> {
    let mut tried = 0;
    for n in 1..=8 {
        for tree in brute::trees(n) {
            for (d, c) in COSTS {
                let ready = brute::ready(&tree, d, c);
                let mut order = Vec::new();
                number(&tree, &ready, 0, &mut order);
                let mut receivers = vec![0; n];
                for (position, &machine) in order.iter().enumerate() {
                    let receiver = order
                        .iter()
                        .position(|&other| other == tree[machine])
                        .unwrap_or(0);
                    receivers[position] = receiver as u32;
                }
                let reduction = homogeneous::reduce_tree(&receivers, &costs(d, c)?)?;
                oneport::referee::check_reduction(&reduction, Concurrency::Unlimited)?;
                ensure!(
                    reduction.length == whole(ready[0]),
                    "{tree:?}, d = {d}, c = {c}: {}",
                    reduction.length
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} trees and costs up to n = 8, every rooted tree, no longer than before"),
    ))
}

/// A machine, then its senders, the first ready first.
fn number(tree: &Tree, ready: &[u64], machine: usize, order: &mut Vec<usize>) {
    order.push(machine);
    let mut senders: Vec<usize> = (1..tree.len())
        .filter(|&other| tree[other] == machine)
        .collect();
    senders.sort_by_key(|&sender| ready[sender]);
    for sender in senders {
        number(tree, ready, sender, order);
    }
}

/// Propositions 2 and 3 with the j-th smallest date: the date at which every machine's value is complete, in every
/// rooted tree, and the number of trees in which the printed j-th largest gives another date.
fn formula() -> Result<Finding> {
    let (mut tried, mut printed_fails) = (0, 0);
    for n in 1..=9 {
        for tree in brute::trees(n) {
            let receivers: Vec<u32> = tree.iter().map(|&receiver| receiver as u32).collect();
            for (d, c) in COSTS {
                let ready = brute::ready(&tree, d, c);
                let mut fails = false;
                for (machine, &complete) in ready.iter().enumerate() {
                    let mut dates: Vec<u64> = (1..n)
                        .filter(|&other| tree[other] == machine)
                        .map(|sender| ready[sender])
                        .collect();
                    dates.sort_unstable();
                    let smallest = completion(&dates, d, c);
                    ensure!(
                        smallest == complete,
                        "{tree:?}, d = {d}, c = {c}, machine {machine}: {smallest}"
                    );
                    dates.reverse();
                    fails |= completion(&dates, d, c) != complete;
                }
                let ours = homogeneous::tree_length(&receivers, &costs(d, c)?)?;
                ensure!(
                    ours == whole(ready[0]),
                    "{tree:?}, d = {d}, c = {c}: {ours} by our formula"
                );
                printed_fails += usize::from(fails);
                tried += 1;
            }
        }
    }
    ensure!(printed_fails > 0, "the printed formula never fails");
    Ok(Finding::claim(
        true,
        format!("{tried} trees and costs up to n = 9, every machine of every rooted tree"),
    )
    .note(format!(
        "with the j-th largest, as printed, another date in {printed_fails} of them"
    )))
}

/// The formula of proposition 2 for transfer times in the order in which j counts them.
fn completion(dates: &[u64], d: u64, c: u64) -> u64 {
    let after = |position: usize| (dates.len() - 1 - position) as u64 * d.max(c);
    dates
        .iter()
        .enumerate()
        .map(|(position, date)| date + d + after(position) + c)
        .max()
        .unwrap_or(0)
}

/// The form of a tree without names: per machine, the sorted forms of its senders.
fn form(tree: &Tree, machine: usize) -> String {
    let senders = (1..tree.len()).filter(|&other| tree[other] == machine);
    let mut below: Vec<String> = senders.map(|other| form(tree, other)).collect();
    below.sort();
    format!("({})", below.concat())
}

/// Lemma 1: all assignments of an earlier machine to each machine give all rooted trees.
fn lemma_1() -> Result<Finding> {
    let mut counts = Vec::new();
    for n in 1..=7usize {
        let mut greedy: Vec<Tree> = vec![vec![0]];
        for machine in 1..n {
            greedy = greedy
                .iter()
                .flat_map(|tree| {
                    (0..machine).map(move |receiver| [tree.as_slice(), &[receiver]].concat())
                })
                .collect();
        }
        let forms = |trees: &[Tree]| {
            trees
                .iter()
                .map(|tree| form(tree, 0))
                .collect::<BTreeSet<String>>()
        };
        let (all, greedy) = (forms(&brute::trees(n)), forms(&greedy));
        ensure!(
            all == greedy,
            "n = {n}: {} trees, {} by greedy strategies",
            all.len(),
            greedy.len()
        );
        counts.push(all.len().to_string());
    }
    // The numbers of rooted trees without names are published.
    ensure!(
        counts.join(" ") == "1 1 2 4 9 20 48",
        "{}",
        counts.join(" ")
    );
    Ok(Finding::claim(
        true,
        format!("all {} rooted trees of 1 to 7 machines", counts.join(", ")),
    ))
}

/// Section 5: the trees of Algorithm 1 have degree at most 2 ceil(log2 n) and depth at most ceil(log2 n) + 1.
fn logarithms() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS.into_iter().filter(|(d, c)| d + c > 0) {
        for n in (2..=64).chain([100, 256, 500, 1000]) {
            let reduction = reduce(n, d, c, Strategy::Greedy, Concurrency::Unlimited)?;
            let tree: Tree = reduction
                .receivers
                .iter()
                .map(|&receiver| receiver as usize)
                .collect();
            let (mut degree, mut level) = (vec![0u32; tree.len()], vec![1u32; tree.len()]);
            for machine in 1..tree.len() {
                degree[tree[machine]] += 1;
                level[machine] = level[tree[machine]] + 1;
            }
            let log = n.next_power_of_two().ilog2();
            let (degree, depth) = (degree.into_iter().max(), level.into_iter().max());
            ensure!(
                degree <= Some(2 * log),
                "n = {n}, d = {d}, c = {c}: degree {degree:?}"
            );
            ensure!(
                depth <= Some(log + 1),
                "n = {n}, d = {d}, c = {c}: depth {depth:?}"
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} trees: degree at most 2 ceil(log2 n), depth at most ceil(log2 n) + 1"),
    ))
}

/// Algorithm 1 against every rooted tree.
fn theorem_4() -> Result<Finding> {
    let mut tried = 0;
    for n in 1..=ALL_TREES {
        let trees = brute::trees(n);
        for (d, c) in COSTS {
            let (ours, best) = (
                length(n as u64, d, c, Strategy::Greedy, Concurrency::Unlimited)?,
                brute::best(&trees, d, c, n),
            );
            ensure!(
                ours == best,
                "n = {n}, d = {d}, c = {c}: {ours}, but {best} is possible"
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cases up to n = {ALL_TREES}, every rooted tree"),
    ))
}

/// Values of n for bounds: all small ones, then around powers of two.
fn sizes() -> impl Iterator<Item = u64> {
    let near = |k: u32| [(1u64 << k) - 1, 1 << k, (1 << k) + 1];
    (1..=130).chain((8..=60).flat_map(near))
}

fn lemma_5() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for n in sizes() {
            let floor = bounds::lower(n, &costs(d, c)?);
            let ours = homogeneous::Reduce::of(n, &costs(d, c)?).length()?;
            ensure!(
                floor <= ours,
                "n = {n}, d = {d}, c = {c}: {ours} is below {floor}"
            );
            ensure!(
                d.min(c) > 0 || floor == ours,
                "n = {n}, d = {d}, c = {c}: not tight"
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cases up to n = 2^60; tight where min(d, c) = 0"),
    ))
}

fn proposition_6() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for n in sizes() {
            let ceiling = bounds::upper(n, &costs(d, c)?);
            let ours = homogeneous::Reduce::of(n, &costs(d, c)?).length()?;
            ensure!(
                ours <= ceiling,
                "n = {n}, d = {d}, c = {c}: {ours} is above {ceiling}"
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cases up to n = 2^60"),
    ))
}

/// Section 5: d + (deg - 1) max + c and (depth - 1)(d + c) are lower bounds for every tree.
fn degree_and_depth() -> Result<Finding> {
    let mut tried = 0;
    for n in 2..=9 {
        for tree in brute::trees(n) {
            let children =
                |machine: usize| (1..n).filter(|&child| tree[child] == machine).count() as u64;
            let degree = (0..n).map(children).max().unwrap_or(0);
            let mut level = vec![1; n];
            for machine in 1..n {
                level[machine] = level[tree[machine]] + 1;
            }
            let depth = level.into_iter().max().unwrap_or(1u64);
            for (d, c) in COSTS {
                let length = brute::length(&tree, d, c);
                ensure!(
                    length >= d + (degree - 1) * d.max(c) + c,
                    "{tree:?}: degree"
                );
                ensure!(length >= (depth - 1) * (d + c), "{tree:?}: depth");
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} trees and costs; depth counted in machines"),
    ))
}

/// Algorithm 2 against every tree with every order of transfers.
fn theorem_7() -> Result<Finding> {
    let mut tried = 0;
    for n in 2..=ALL_ORDERS {
        let trees = brute::trees(n);
        for (d, c) in COSTS {
            for k in 1..=n / 2 {
                let reduction = reduce(
                    n as u64,
                    d,
                    c,
                    Strategy::Greedy,
                    Concurrency::Transfers(k as u64),
                )?;
                let best = brute::best_limited(&trees, d, c, k);
                ensure!(
                    reduction.length == whole(best),
                    "n = {n}, d = {d}, c = {c}, K = {k}: {}",
                    reduction.length
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cases up to n = {ALL_ORDERS}, every tree and order (line 14 corrected)"),
    ))
}

/// The corrected proposition 8 and corollary 11, and the printed ones for powers of two.
fn corrected_bounds() -> Result<Finding> {
    let (mut tried, mut printed_fails) = (0, 0);
    for (d, c) in [(1, 0), (0, 1), (1, 1), (1, 2), (2, 1), (3, 5), (5, 3)] {
        for n in 2..=80u64 {
            for k in 1..=n / 2 {
                let right = bounds::limited(n, k, &costs(d, c)?).context("K = 0")?;
                let printed = bounds::limited_as_printed(n, k, &costs(d, c)?).context("K = 0")?;
                let mut fails = false;
                for limit in [Concurrency::Transfers(k), Concurrency::Reducers(k)] {
                    let ours = homogeneous::Reduce::of(n, &costs(d, c)?)
                        .limit(limit)
                        .length()?;
                    ensure!(
                        ours <= right,
                        "n = {n}, K = {k}, d = {d}, c = {c}, {limit:?}: {ours} is above {right}"
                    );
                    fails |= ours > printed;
                    ensure!(
                        !k.is_power_of_two() || ours <= printed,
                        "n = {n}, K = {k}: a power of two fails too"
                    );
                }
                printed_fails += usize::from(fails);
                tried += 1;
            }
        }
    }
    ensure!(printed_fails > 0, "the printed bound never fails");
    Ok(Finding::claim(
        true,
        format!(
            "{tried} cases, both algorithms; the printed bound fails in {printed_fails} of them"
        ),
    ))
}

/// Algorithm 3 against every tree with few enough reducers.
fn theorem_9() -> Result<Finding> {
    let mut tried = 0;
    for n in 2..=9 {
        let trees = brute::trees(n);
        for (d, c) in COSTS {
            for k in 1..n {
                let ours = length(
                    n as u64,
                    d,
                    c,
                    Strategy::Greedy,
                    Concurrency::Reducers(k as u64),
                )?;
                let best = brute::best(&trees, d, c, k);
                ensure!(
                    ours == best,
                    "n = {n}, d = {d}, c = {c}, K = {k}: {ours}, but {best} is possible"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cases up to n = 9, every tree with at most K reducers"),
    ))
}

/// If d >= c, limits of K reducers and of K transfers give the same result. The condition d >= c is needed.
fn theorem_10() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS.into_iter().filter(|(d, c)| d >= c) {
        for n in 2..=60u64 {
            for k in 1..=n / 2 {
                let [transfers, reducers] = [Concurrency::Transfers(k), Concurrency::Reducers(k)]
                    .map(|limit| reduce(n, d, c, Strategy::Greedy, limit));
                let (transfers, reducers) = (transfers?, reducers?);
                ensure!(
                    transfers.length == reducers.length,
                    "n = {n}, d = {d}, c = {c}, K = {k}"
                );
                oneport::referee::check_reduction(&reducers, Concurrency::Transfers(k))?;
                tried += 1;
            }
        }
    }
    let [transfers, reducers] = [Concurrency::Transfers(1), Concurrency::Reducers(1)]
        .map(|limit| length(4, 1, 2, Strategy::Greedy, limit));
    let (transfers, reducers) = (transfers?, reducers?);
    ensure!(
        (transfers, reducers) == (6, 7),
        "n = 4, d = 1, c = 2, K = 1: {transfers} and {reducers}"
    );
    Ok(Finding::claim(
        true,
        format!(
            "{tried} cases; d >= c is needed: n = 4, d = 1, c = 2, K = 1 takes 6 by Algorithm 2, 7 by Algorithm 3"
        ),
    ))
}

/// Definition 12: a tree of order k - 1 whose sink also receives from the sink of another one.
fn binomial_tree(order: u64) -> Tree {
    let mut tree = vec![0];
    for _ in 0..order {
        let copy: Tree = tree.iter().map(|&receiver| receiver + tree.len()).collect();
        join(&mut tree, copy);
    }
    tree
}

/// Definition 15: the sink of a tree of order k - 2 sends to that of one of order k - 1. A parent sends to its child.
fn fibonacci_tree(order: u64) -> Tree {
    let (mut before, mut tree) = (vec![0], vec![0]);
    for _ in 0..order {
        // "whose sink is the parent of": the sink of the smaller one sends to that of the larger one.
        let copy: Tree = before
            .iter()
            .map(|&receiver| receiver + tree.len())
            .collect();
        let mut next = tree.clone();
        join(&mut next, copy);
        before = tree;
        tree = next;
    }
    tree
}

fn join(tree: &mut Tree, mut other: Tree) {
    other[0] = 0;
    tree.extend(other);
}

fn fibonacci_facts(k: u64, d: u64, c: u64) -> (u64, usize) {
    let number = (1..=k + 1).fold((1, 1), |(a, b), _| (b, a + b)).0;
    (
        if k == 0 {
            0
        } else {
            d + (k - 1) * d.max(c) + c
        },
        number,
    )
}

/// Length and size of the trees of the definitions.
fn special_trees(
    tree: fn(u64) -> Tree,
    most: u64,
    facts: fn(u64, u64, u64) -> (u64, usize),
) -> Result<Finding> {
    let mut tried = 0;
    for k in 0..=most {
        let tree = tree(k);
        for d in 0..=7 {
            for c in 0..=7 {
                let (length, size) = facts(k, d, c);
                ensure!(
                    tree.len() == size,
                    "order {k}: {} machines, not {size}",
                    tree.len()
                );
                ensure!(
                    brute::length(&tree, d, c) == length,
                    "order {k}, d = {d}, c = {c}: not {length}"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cases up to order {most}"),
    ))
}

/// No tree with one machine more fits into the length, and no other tree with as many does.
fn uniqueness(costs: &[(u64, u64)], most: u64, tree: fn(u64) -> Tree) -> Result<Finding> {
    let mut tried = 0;
    for &(d, c) in costs {
        for k in 1..=most {
            let special = tree(k);
            let time = brute::length(&special, d, c);
            let count = |n: usize| {
                brute::trees(n)
                    .iter()
                    .filter(|tree| brute::length(tree, d, c) <= time)
                    .count()
            };
            ensure!(
                count(special.len()) == 1,
                "order {k}, d = {d}, c = {c}: not unique"
            );
            ensure!(
                count(special.len() + 1) == 0,
                "order {k}, d = {d}, c = {c}: one value more fits"
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!(
            "{tried} cases, up to {} machines, every rooted tree",
            tree(most).len()
        ),
    ))
}

/// The tree of an order.
type Definition = fn(u64) -> Tree;

/// Section 7.3: at the sizes of the special trees the strategies build these, for all costs and rules for ties.
/// Algorithm 1 builds them if one cost is 0 or both are equal.
fn strategies() -> Result<Finding> {
    let ties = [
        Tie::Oldest,
        Tie::Newest,
        Tie::FewestChildren,
        Tie::MostChildren,
    ];
    let mut tried = 0;
    let special: [(Strategy, Definition, u64); 2] = [
        (Strategy::Binomial, binomial_tree, 7),
        (Strategy::Fibonacci, fibonacci_tree, 9),
    ];
    for (strategy, tree, most) in special {
        for order in 0..=most {
            let (tree, n) = (tree(order), tree(order).len() as u64);
            let expected = form(&tree, 0);
            for (d, c) in COSTS.into_iter().filter(|(d, c)| d + c > 0) {
                let greedy = match strategy {
                    Strategy::Binomial => d.min(c) == 0,
                    _ => d == c,
                };
                for tie in ties {
                    for strategy in [Some(strategy), greedy.then_some(Strategy::Greedy)]
                        .into_iter()
                        .flatten()
                    {
                        let ours = homogeneous::Reduce::of(n, &costs(d, c)?)
                            .strategy(strategy)
                            .tie(tie)
                            .schedule()?;
                        let ours: Tree = ours
                            .receivers
                            .iter()
                            .map(|&receiver| receiver as usize)
                            .collect();
                        ensure!(
                            form(&ours, 0) == expected,
                            "{strategy:?}, n = {n}, d = {d}, c = {c}, {tie:?}"
                        );
                        tried += 1;
                    }
                }
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} trees up to 128 and 89 machines, four rules for ties"),
    )
    .note("so does Algorithm 1 for min(d, c) = 0 and for d = c"))
}

/// The proof of theorem 19: F_k is at least (phi^k - (1 - phi)^2) / sqrt 5, exactly, and the bound on its inverse.
fn inverse_fibonacci() -> Result<Finding> {
    // With psi = 1 - phi, F_k = (phi^k - psi^k) / sqrt 5 and psi^k = (L_k - F_k sqrt 5) / 2: psi^k <= psi^2 reads
    // L_k - 3 <= (F_k - 1) sqrt 5.
    let (mut fibonacci, mut lucas) = ((1i128, 1i128), (1i128, 3i128));
    for k in 1..=80 {
        let (left, right) = (lucas.0 - 3, fibonacci.0 - 1);
        ensure!(
            right >= 0 && (left <= 0 || left * left <= 5 * right * right),
            "k = {k}: F_k is smaller"
        );
        fibonacci = (fibonacci.1, fibonacci.0 + fibonacci.1);
        lucas = (lucas.1, lucas.0 + lucas.1);
    }
    let root = 5f64.sqrt();
    let phi = (1.0 + root) / 2.0;
    let room = |n: f64| 2.0 * n.log2() + 1.0 - (root * n + (1.0 - phi).powi(2)).ln() / phi.ln();
    let sizes = (3..=100_000)
        .map(f64::from)
        .chain((17..=60).map(|power| 2f64.powi(power)));
    let least = sizes.map(room).fold(f64::MAX, f64::min);
    ensure!(least > 1e-6, "the bounds come as close as {least}");
    ensure!(room(2.0) < 0.0, "it holds for n = 2 as well");
    Ok(Finding::claim(
        true,
        format!("n = 3 to 100000 and powers of 2 up to 2^60, never closer than {least:.3}"),
    )
    .note("not for n = 2; F_k >= (phi^k - (1 - phi)^2) / sqrt 5 for k = 1 to 80, exactly"))
}

/// The binomial strategy takes at most 1 + min / max times the optimum.
fn theorem_18() -> Result<Finding> {
    approximation(Strategy::Binomial, |d, c| (d.max(c) + d.min(c), d.max(c)))
}

/// The Fibonacci strategy takes at most twice the optimum.
fn theorem_19() -> Result<Finding> {
    approximation(Strategy::Fibonacci, |_, _| (2, 1))
}

fn approximation(strategy: Strategy, ratio: fn(u64, u64) -> (u64, u64)) -> Result<Finding> {
    let (mut tried, mut worst, mut at) = (0, whole(1), (1, 1, 1));
    for d in 0..=12 {
        for c in 0..=12 {
            if d.max(c) == 0 {
                continue;
            }
            let (above, below) = ratio(d, c);
            for n in (2..=120).chain([233, 256, 257, 500, 1000]) {
                let (ours, best) = (
                    length(n, d, c, strategy, Concurrency::Unlimited)?,
                    length(n, d, c, Strategy::Greedy, Concurrency::Unlimited)?,
                );
                ensure!(
                    ours * below <= best * above,
                    "n = {n}, d = {d}, c = {c}: {ours} against {best}"
                );
                let found = whole(ours) / whole(best);
                if found > worst {
                    (worst, at) = (found, (n, d, c));
                }
                tried += 1;
            }
        }
    }
    let shown = worst.to_f64().unwrap_or(f64::NAN);
    let (n, d, c) = at;
    ensure!(
        whole_number(
            &(worst.clone() * whole(length(n, d, c, Strategy::Greedy, Concurrency::Unlimited)?))
        )? > 0,
        "nothing was tried"
    );
    Ok(Finding::claim(
        true,
        format!("{tried} cases; worst {worst} ({shown:.3}) at n = {n}, d = {d}, c = {c}"),
    ))
}
