//! Lemmas, theorems and propositions of RR-7898, swept against all trees.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use num_traits::ToPrimitive;
use oneport::homogeneous::{self, Strategy, Tie, bounds};
use oneport::plan::Limit;

use super::brute::{self, Tree};
use super::{COSTS, costs, length, reduce};
use crate::numbers::{whole, whole_number};
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("lemma-1", |_| lemma_1()),
    ("logarithms", |_| logarithms()),
    ("theorem-4", |_| theorem_4()),
    ("lemma-5", |_| lemma_5()),
    ("proposition-6", |_| proposition_6()),
    ("degree-and-depth", |_| degree_and_depth()),
    ("theorem-7", |_| theorem_7()),
    ("proposition-8-corrected", |_| corrected_bounds()),
    ("theorem-9", |_| theorem_9()),
    ("theorem-10", |_| theorem_10()),
    ("proposition-13", |_| special_trees(binomial_tree, 10, |k, d, c| (k * (d + c), 1 << k))),
    ("theorem-14", |_| uniqueness(&[(1, 0), (0, 1), (3, 0), (0, 2)], 3, binomial_tree)),
    ("proposition-16", |_| special_trees(fibonacci_tree, 14, fibonacci_facts)),
    ("theorem-17", |_| uniqueness(&[(1, 1), (3, 3)], 4, fibonacci_tree)),
    ("theorem-18", |_| theorem_18()),
    ("theorem-19", |_| theorem_19()),
];

/// Most values for which all trees are tried.
const ALL_TREES: usize = 10;
/// Most values for which all orders of transfers are tried too.
const ALL_ORDERS: usize = 7;

/// Proposition 3: in every greedy tree our transfers start when the naive simulation lets them.
pub fn default_times() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for n in 1..=40 {
            for strategy in [Strategy::Greedy, Strategy::Binomial, Strategy::Fibonacci, Strategy::Chain, Strategy::Flat]
            {
                let reduction = reduce(n, d, c, strategy, Limit::Unlimited)?;
                let tree: Tree = reduction.receivers.iter().map(|&receiver| receiver as usize).collect();
                let naive = brute::length(&tree, d, c);
                ensure!(reduction.length == whole(naive), "n = {n}, d = {d}, c = {c}, {strategy:?}: not {naive}");
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(true, format!("{tried} trees, each simulated step by step")))
}

/// The form of a tree without names: of each machine, the sorted forms of those that send to it.
fn form(tree: &Tree, machine: usize) -> String {
    let senders = (1..tree.len()).filter(|&other| tree[other] == machine);
    let mut below: Vec<String> = senders.map(|other| form(tree, other)).collect();
    below.sort();
    format!("({})", below.concat())
}

/// Lemma 1: machines that send to an earlier one each, in all ways, make every rooted tree.
fn lemma_1() -> Result<Finding> {
    let mut counts = Vec::new();
    for n in 1..=7usize {
        let mut greedy: Vec<Tree> = vec![vec![0]];
        for machine in 1..n {
            greedy = greedy
                .iter()
                .flat_map(|tree| (0..machine).map(move |receiver| [tree.as_slice(), &[receiver]].concat()))
                .collect();
        }
        let forms = |trees: &[Tree]| trees.iter().map(|tree| form(tree, 0)).collect::<BTreeSet<String>>();
        let (all, greedy) = (forms(&brute::trees(n)), forms(&greedy));
        ensure!(all == greedy, "n = {n}: {} trees, {} by greedy strategies", all.len(), greedy.len());
        counts.push(all.len().to_string());
    }
    // Rooted trees without names are known by their numbers.
    ensure!(counts.join(" ") == "1 1 2 4 9 20 48", "{}", counts.join(" "));
    Ok(Finding::claim(true, format!("all {} rooted trees of 1 to 7 machines", counts.join(", "))))
}

/// Section 5: the trees of Algorithm 1 have degree at most 2 ceil(log2 n) and depth at most ceil(log2 n) + 1.
fn logarithms() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS.into_iter().filter(|(d, c)| d + c > 0) {
        for n in (2..=64).chain([100, 256, 500, 1000]) {
            let reduction = reduce(n, d, c, Strategy::Greedy, Limit::Unlimited)?;
            let tree: Tree = reduction.receivers.iter().map(|&receiver| receiver as usize).collect();
            let (mut degree, mut level) = (vec![0u32; tree.len()], vec![1u32; tree.len()]);
            for machine in 1..tree.len() {
                degree[tree[machine]] += 1;
                level[machine] = level[tree[machine]] + 1;
            }
            let log = n.next_power_of_two().ilog2();
            let (degree, depth) = (degree.into_iter().max(), level.into_iter().max());
            ensure!(degree <= Some(2 * log), "n = {n}, d = {d}, c = {c}: degree {degree:?}");
            ensure!(depth <= Some(log + 1), "n = {n}, d = {d}, c = {c}: depth {depth:?}");
            tried += 1;
        }
    }
    Ok(Finding::claim(true, format!("{tried} trees: degree at most 2 ceil(log2 n), depth at most ceil(log2 n) + 1")))
}

/// Algorithm 1 against every rooted tree.
fn theorem_4() -> Result<Finding> {
    let mut tried = 0;
    for n in 1..=ALL_TREES {
        let trees = brute::trees(n);
        for (d, c) in COSTS {
            let (ours, best) =
                (length(n as u64, d, c, Strategy::Greedy, Limit::Unlimited)?, brute::best(&trees, d, c, n));
            ensure!(ours == best, "n = {n}, d = {d}, c = {c}: {ours}, but {best} is possible");
            tried += 1;
        }
    }
    Ok(Finding::claim(true, format!("{tried} cases up to n = {ALL_TREES}, every rooted tree")))
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
            let ours = homogeneous::length(n, &costs(d, c)?, Strategy::Greedy, Limit::Unlimited, Tie::Oldest)?;
            ensure!(floor <= ours, "n = {n}, d = {d}, c = {c}: {ours} is below {floor}");
            ensure!(d.min(c) > 0 || floor == ours, "n = {n}, d = {d}, c = {c}: not tight");
            tried += 1;
        }
    }
    Ok(Finding::claim(true, format!("{tried} cases up to n = 2^60; tight where min(d, c) = 0")))
}

fn proposition_6() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for n in sizes() {
            let ceiling = bounds::upper(n, &costs(d, c)?);
            let ours = homogeneous::length(n, &costs(d, c)?, Strategy::Greedy, Limit::Unlimited, Tie::Oldest)?;
            ensure!(ours <= ceiling, "n = {n}, d = {d}, c = {c}: {ours} is above {ceiling}");
            tried += 1;
        }
    }
    Ok(Finding::claim(true, format!("{tried} cases up to n = 2^60")))
}

/// Section 5: d + (deg - 1) max + c and (depth - 1)(d + c) are lower bounds, whatever the tree.
fn degree_and_depth() -> Result<Finding> {
    let mut tried = 0;
    for n in 2..=9 {
        for tree in brute::trees(n) {
            let children = |machine: usize| (1..n).filter(|&child| tree[child] == machine).count() as u64;
            let degree = (0..n).map(children).max().unwrap_or(0);
            let mut level = vec![1; n];
            (1..n).for_each(|machine| level[machine] = level[tree[machine]] + 1);
            let depth = level.into_iter().max().unwrap_or(1u64);
            for (d, c) in COSTS {
                let length = brute::length(&tree, d, c);
                ensure!(length >= d + (degree - 1) * d.max(c) + c, "{tree:?}: degree");
                ensure!(length >= (depth - 1) * (d + c), "{tree:?}: depth");
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(true, format!("{tried} trees and costs; depth counted in machines")))
}

/// Algorithm 2 against every tree with every order of transfers.
fn theorem_7() -> Result<Finding> {
    let mut tried = 0;
    for n in 2..=ALL_ORDERS {
        let trees = brute::trees(n);
        for (d, c) in COSTS {
            for k in 1..=n / 2 {
                let reduction = reduce(n as u64, d, c, Strategy::Greedy, Limit::Transfers(k as u64))?;
                let best = brute::best_limited(&trees, d, c, k);
                ensure!(reduction.length == whole(best), "n = {n}, d = {d}, c = {c}, K = {k}: {}", reduction.length);
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(true, format!("{tried} cases up to n = {ALL_ORDERS}, every tree and order (line 14 corrected)")))
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
                for limit in [Limit::Transfers(k), Limit::Reducers(k)] {
                    let ours = homogeneous::length(n, &costs(d, c)?, Strategy::Greedy, limit, Tie::Oldest)?;
                    ensure!(ours <= right, "n = {n}, K = {k}, d = {d}, c = {c}, {limit:?}: {ours} is above {right}");
                    fails |= ours > printed;
                    ensure!(!k.is_power_of_two() || ours <= printed, "n = {n}, K = {k}: a power of two fails too");
                }
                printed_fails += usize::from(fails);
                tried += 1;
            }
        }
    }
    ensure!(printed_fails > 0, "the printed bound never fails");
    Ok(Finding::claim(
        true,
        format!("{tried} cases, both algorithms; the printed bound fails in {printed_fails} of them"),
    ))
}

/// Algorithm 3 against every tree with few enough reducers.
fn theorem_9() -> Result<Finding> {
    let mut tried = 0;
    for n in 2..=9 {
        let trees = brute::trees(n);
        for (d, c) in COSTS {
            for k in 1..n {
                let ours = length(n as u64, d, c, Strategy::Greedy, Limit::Reducers(k as u64))?;
                let best = brute::best(&trees, d, c, k);
                ensure!(ours == best, "n = {n}, d = {d}, c = {c}, K = {k}: {ours}, but {best} is possible");
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(true, format!("{tried} cases up to n = 9, every tree with at most K reducers")))
}

/// With d >= c, K reducers do what K transfers do; and d >= c is needed.
fn theorem_10() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS.into_iter().filter(|(d, c)| d >= c) {
        for n in 2..=60u64 {
            for k in 1..=n / 2 {
                let [transfers, reducers] =
                    [Limit::Transfers(k), Limit::Reducers(k)].map(|limit| reduce(n, d, c, Strategy::Greedy, limit));
                let (transfers, reducers) = (transfers?, reducers?);
                ensure!(transfers.length == reducers.length, "n = {n}, d = {d}, c = {c}, K = {k}");
                oneport::referee::check_reduction(&reducers, Limit::Transfers(k))?;
                tried += 1;
            }
        }
    }
    let [transfers, reducers] =
        [Limit::Transfers(1), Limit::Reducers(1)].map(|limit| length(4, 1, 2, Strategy::Greedy, limit));
    let (transfers, reducers) = (transfers?, reducers?);
    ensure!((transfers, reducers) == (6, 7), "n = 4, d = 1, c = 2, K = 1: {transfers} and {reducers}");
    Ok(Finding::claim(
        true,
        format!("{tried} cases; d >= c is needed: n = 4, d = 1, c = 2, K = 1 takes 6 by Algorithm 2, 7 by Algorithm 3"),
    ))
}

/// Definition 12: a tree of order k - 1 whose sink also takes what another one sends.
fn binomial_tree(order: u64) -> Tree {
    let mut tree = vec![0];
    for _ in 0..order {
        let copy: Tree = tree.iter().map(|&receiver| receiver + tree.len()).collect();
        join(&mut tree, copy);
    }
    tree
}

/// Definition 15: the sink of a tree of order k - 2 sends to that of one of order k - 1; a parent sends to its child.
fn fibonacci_tree(order: u64) -> Tree {
    let (mut before, mut tree) = (vec![0], vec![0]);
    for _ in 0..order {
        // "whose sink is the parent of": the sink of the smaller one sends to that of the larger one.
        let copy: Tree = before.iter().map(|&receiver| receiver + tree.len()).collect();
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
    (if k == 0 { 0 } else { d + (k - 1) * d.max(c) + c }, number)
}

/// Length and size of the trees of the definitions.
fn special_trees(tree: fn(u64) -> Tree, most: u64, facts: fn(u64, u64, u64) -> (u64, usize)) -> Result<Finding> {
    let mut tried = 0;
    for k in 0..=most {
        let tree = tree(k);
        for d in 0..=7 {
            for c in 0..=7 {
                let (length, size) = facts(k, d, c);
                ensure!(tree.len() == size, "order {k}: {} machines, not {size}", tree.len());
                ensure!(brute::length(&tree, d, c) == length, "order {k}, d = {d}, c = {c}: not {length}");
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(true, format!("{tried} cases up to order {most}")))
}

/// No tree with one machine more fits into the length, and no other tree with as many does.
fn uniqueness(costs: &[(u64, u64)], most: u64, tree: fn(u64) -> Tree) -> Result<Finding> {
    let mut tried = 0;
    for &(d, c) in costs {
        for k in 1..=most {
            let special = tree(k);
            let time = brute::length(&special, d, c);
            let count = |n: usize| brute::trees(n).iter().filter(|tree| brute::length(tree, d, c) <= time).count();
            ensure!(count(special.len()) == 1, "order {k}, d = {d}, c = {c}: not unique");
            ensure!(count(special.len() + 1) == 0, "order {k}, d = {d}, c = {c}: one value more fits");
            tried += 1;
        }
    }
    Ok(Finding::claim(true, format!("{tried} cases, up to {} machines, every rooted tree", tree(most).len())))
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
                    length(n, d, c, strategy, Limit::Unlimited)?,
                    length(n, d, c, Strategy::Greedy, Limit::Unlimited)?,
                );
                ensure!(ours * below <= best * above, "n = {n}, d = {d}, c = {c}: {ours} against {best}");
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
        whole_number(&(worst.clone() * whole(length(n, d, c, Strategy::Greedy, Limit::Unlimited)?)))? > 0,
        "nothing was tried"
    );
    Ok(Finding::claim(true, format!("{tried} cases; worst {worst} ({shown:.3}) at n = {n}, d = {d}, c = {c}")))
}
