//! Figure 17 of Liu-Kuo-Wang 2009: slowest node first against `MPI_Reduce`, on four fast and four slow processors.
//!
//! The machines of 2005 and their MPICH no longer exist, and the paper states no speeds. So [`model`] describes a
//! cluster of the same shape, and its dates are added up exactly. If SimGrid is installed, a C program must take the
//! same time in a simulation. The same program then runs under SMPI's own network, and on real MPI libraries.

mod model;
mod programs;
mod report;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{Context, Result, anyhow, ensure};

use crate::rows::{Check, Finding};
use model::{
    Operator, Question, RANKS, ROOTS, TICKS, binomial, class, length, shortest, slowest_node_first,
};
use programs::{Answers, BUILTIN, Bench, Choice, LIBRARY, Network, Requests};

pub use report::figures;

pub const CHECKS: &[(&str, Check)] = &[("figure-17", |_| figure_17())];

/// Names of the trees.
const SNF: &str = "snf";
const SHORTEST: &str = "shortest";

/// Simulations in SimGrid.
const SIMULATIONS: [(Network, Choice); 7] = [
    (Network::OnePort, Choice::Binomial),
    (Network::OnePort, Choice::Mpich),
    (Network::OnePort, Choice::OpenMpi),
    (Network::Default, Choice::Binomial),
    (Network::Default, Choice::Mpich),
    (Network::Default, Choice::OpenMpi),
    (Network::Default, Choice::Flat),
];

/// Answers by simulation.
type Simulated = BTreeMap<(Network, Choice), Answers>;

/// One simulation shared by the whole program. `None` if SimGrid is missing.
static SIMULATED: LazyLock<Result<Option<Simulated>, String>> =
    LazyLock::new(|| simulate().map_err(|error| format!("{error:#}")));

fn simulated() -> Result<Option<&'static Simulated>> {
    SIMULATED
        .as_ref()
        .map(Option::as_ref)
        .map_err(|error| anyhow!("{error}"))
}

fn simulate() -> Result<Option<Simulated>> {
    let bench = Bench::new("smpi")?;
    let Some(program) = bench.compile("smpicc", "libsimgrid-dev")? else {
        return Ok(None);
    };
    let requests = requests(ROOTS.into_iter().flat_map(Question::all))?;
    let run = |&(network, choice): &(Network, Choice)| {
        Ok((
            (network, choice),
            bench.simulated(&program, &requests, network, choice)?,
        ))
    };
    SIMULATIONS.iter().map(run).collect::<Result<_>>().map(Some)
}

fn requests(questions: impl Iterator<Item = Question>) -> Result<Requests> {
    let trees = |question: Question| {
        let own = (question.operator == Operator::Max).then_some((BUILTIN, Vec::new()));
        let ours = [
            (SNF, slowest_node_first(&question)?),
            (SHORTEST, shortest(&question)?),
        ];
        Ok((question, ours.into_iter().chain(own).collect()))
    };
    questions.map(trees).collect()
}

/// Ticks of `MPI_Reduce` along a binomial tree, of slowest node first, and of the shortest tree.
fn ticks(question: &Question) -> Result<[u64; 3]> {
    let trees = [
        binomial(question.root),
        slowest_node_first(question)?,
        shortest(question)?,
    ];
    Ok(trees.map(|tree| length(question, &tree, &class)))
}

/// Evidence: on our cluster slowest node first is faster than a binomial tree, and no tree is faster, for all numbers
/// of values, from a fast and from a slow root. SimGrid finds the same dates. An `MPI_Reduce` that cuts long vectors is
/// faster than any tree.
fn figure_17() -> Result<Finding> {
    for question in ROOTS.into_iter().flat_map(Question::all) {
        let [library, snf, least] = ticks(&question)?;
        ensure!(
            least == snf && snf < library,
            "{question:?}: {library}, {snf}, shortest {least}"
        );
    }
    let replayed = match simulated()? {
        Some(simulated) => format!(
            "SimGrid finds the same {} dates, and its MPICH, which cuts the vector, faster than SNF from 1024 values on (gcd: 512)",
            agreeing(simulated)?
        ),
        None => "not simulated: SimGrid is not installed".to_string(),
    };
    let [faster, alike] = orders_of_ranks()?;
    ensure!(
        faster + alike == 35,
        "{faster} and {alike} of 35 orders of ranks"
    );
    Ok(Finding::undecided(format!(
        "against a binomial tree of ranks by speed SNF is faster for MAX and gcd, 4 to 4096 values, on a cluster of ours with one port; {replayed}"
    ))
    .note(format!(
        "no tree is shorter than SNF there; of the 35 ways to give the other ranks to processors, a binomial tree is slower in {faster} and as \
         fast in {alike}. MPICH's reduction with a cut vector is no tree"
    )))
}

/// Number of reductions that take as long in SimGrid as in our model, tick by tick.
fn agreeing(simulated: &Simulated) -> Result<usize> {
    let answers = simulated
        .get(&(Network::OnePort, Choice::Binomial))
        .context("no simulation")?;
    let mut compared = 0;
    for question in ROOTS.into_iter().flat_map(Question::all) {
        for (name, ours) in [LIBRARY, SNF, SHORTEST].into_iter().zip(ticks(&question)?) {
            compared += 1;
            let seconds = answers
                .get(&(question, name.to_string()))
                .context("no answer")?;
            let theirs = (seconds * TICKS).round();
            ensure!(
                theirs == ours as f64,
                "{question:?}, {name}: {ours} ticks, in SimGrid {theirs}"
            );
        }
    }
    // MPICH cuts long vectors today, and is faster then.
    let cutting = simulated
        .get(&(Network::OnePort, Choice::Mpich))
        .context("no simulation")?;
    for question in Question::all(ROOTS[0]) {
        let duration = |name: &str| {
            cutting
                .get(&(question, name.to_string()))
                .copied()
                .context("no answer")
        };
        let long = match question.operator {
            Operator::Max => question.values >= 1024,
            Operator::Gcd => question.values >= 512,
        };
        ensure!(
            (duration(LIBRARY)? < duration(SNF)?) == long,
            "{question:?}: MPICH's choice takes {}",
            duration(LIBRARY)?
        );
    }
    Ok(compared)
}

/// The fast processors may have any ranks besides that of the root. Returns the number of orders in which a binomial
/// tree is slower than slowest node first for all sizes, and the number in which it is exactly as fast.
fn orders_of_ranks() -> Result<[usize; 2]> {
    let mut count = [0; 2];
    for fast in
        (0..1usize << RANKS).filter(|set| set & 1 == 1 && set.count_ones() as usize == RANKS / 2)
    {
        let class_of = |rank: usize| 1 - (fast >> rank & 1);
        let (mut slower, mut alike) = (true, true);
        for question in Question::all(0) {
            let [_, snf, _] = ticks(&question)?;
            let library = length(&question, &binomial(0), &class_of);
            (slower, alike) = (slower && library > snf, alike && library == snf);
        }
        count[0] += usize::from(slower);
        count[1] += usize::from(alike);
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::model::VALUES;
    use super::*;

    /// All orders of all messages: one of any two remaining processors sends. Key: class and ready date of the
    /// remaining ones.
    fn any_order(
        question: &Question,
        left: &mut Vec<(usize, u64)>,
        known: &mut BTreeMap<Vec<(usize, u64)>, u64>,
    ) -> u64 {
        left[1..].sort_unstable();
        if left.len() == 1 {
            return left[0].1;
        }
        if let Some(&least) = known.get(left) {
            return least;
        }
        let mut least = u64::MAX;
        for (sender, receiver) in
            (1..left.len()).flat_map(|from| (0..left.len()).map(move |to| (from, to)))
        {
            if sender == receiver {
                continue;
            }
            let mut after = left.clone();
            let arrived = left[sender].1.max(left[receiver].1) + question.send(left[sender].0);
            after[receiver].1 = arrived + question.merge(left[receiver].0);
            after.remove(sender);
            least = least.min(any_order(question, &mut after, known));
        }
        known.insert(left.clone(), least);
        least
    }

    #[test]
    fn the_shortest_tree_is_the_best_of_all_orders() -> Result<()> {
        for operator in Operator::ALL {
            for (values, root) in [(4, 0), (4096, 0), (4096, 4)] {
                let question = Question {
                    operator,
                    values,
                    root,
                };
                let mut left: Vec<_> = (0..RANKS)
                    .filter(|&rank| rank != root)
                    .map(|rank| (class(rank), 0))
                    .collect();
                left.insert(0, (class(root), 0));
                let least = any_order(&question, &mut left, &mut BTreeMap::new());
                assert_eq!(
                    length(&question, &shortest(&question)?, &class),
                    least,
                    "{question:?}"
                );
            }
        }
        Ok(())
    }

    #[test]
    fn every_tree_is_one() -> Result<()> {
        for question in ROOTS.into_iter().flat_map(Question::all) {
            for tree in [
                binomial(question.root),
                slowest_node_first(&question)?,
                shortest(&question)?,
            ] {
                let mut there = [true; RANKS];
                for &(sender, receiver) in &tree {
                    assert!(
                        there[sender] && there[receiver] && sender != receiver,
                        "{question:?}: {tree:?}"
                    );
                    there[sender] = false;
                }
                assert_eq!(
                    there.iter().filter(|&&there| there).count(),
                    1,
                    "{question:?}: {tree:?}"
                );
                assert!(there[question.root], "{question:?}: {tree:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_small_reduction_by_hand() -> Result<()> {
        // 4 values: 32 bytes. A slow message takes 800000 + 32 * 1280, a fast one 500000 + 32 * 800, and a merge
        // 4 * 20.
        let question = Question {
            operator: Operator::Max,
            values: VALUES[0],
            root: 0,
        };
        let [slow, fast, merge] = [840_960, 525_600, 80];
        assert_eq!(
            ticks(&question)?,
            [
                3 * slow + 2 * 128 + merge,
                slow + 2 * fast + 3 * merge,
                slow + 2 * fast + 3 * merge
            ]
        );
        Ok(())
    }
}
