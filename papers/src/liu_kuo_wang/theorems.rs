//! Lemmas, theorems and observations of Liu-Kuo-Wang 2009, swept against all sequences and all trees.

use anyhow::{Result, ensure};
use oneport::heterogeneous::{Method, broadcast, slowest_first};
use oneport::{Rational, all_reduce};
use oneport_numbers::ratio;

use super::brute::{self, Dice, is_valid};
use super::checked::{budget, optimum, processors, rationals, schedule, solve};
use crate::numbers::{digits, pixels, short, whole};
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("windows", |_| windows()),
    ("predecessor", |_| predecessor()),
    ("conversion", |_| conversion()),
    ("one-by-one", |_| one_by_one()),
    ("lemma-1", |_| lemma_1()),
    ("exact", |_| exact()),
    ("figure-6", |_| lemma_2()),
    ("lemma-2-gap", |_| lemma_2_gap()),
    ("figure-7", |_| lemma_3()),
    ("lemma-3-within", |_| lemma_3_within()),
    ("corollary-1", |_| corollary_1()),
    ("theorem-1", |_| divisor_chains(&[2])),
    ("multiples", |_| divisor_chains(&[2, 3, 4, 5])),
    ("theorem-2", |_| theorem_2()),
    ("fastest-first", |_| fastest_first(|_, _| true, 2)),
    ("fastest-source", |_| {
        fastest_first(
            |times, source| times.iter().all(|&time| time >= times[source]),
            1,
        )
    }),
    ("theorem-3", |_| theorem_3()),
    ("definition-1", |_| definition_1()),
    ("theorem-4", |_| theorem_4()),
    ("trees", |_| trees()),
    ("observation-1", |_| observation_1()),
    ("observation-2", |_| observation_2()),
    ("recursion", |_| recursion()),
    ("lemma-4", |_| lemma_4()),
    ("lemma-5", |_| lemma_5()),
    ("theorem-6", |_| theorem_6()),
    ("theorem-6-pairs", |_| theorem_6_pairs()),
];

/// Times of two classes (fast, slow) with ratios from 1 to 3.
const RATIOS: [(u64, u64); 12] = [
    (20, 21),
    (10, 11),
    (5, 6),
    (4, 5),
    (10, 13),
    (2, 3),
    (3, 5),
    (10, 19),
    (1, 2),
    (10, 21),
    (2, 5),
    (1, 3),
];

fn samples(seed: u64, most_senders: usize, most_time: u64) -> Vec<Vec<u64>> {
    let mut dice = Dice::new(seed);
    let sizes = (1..=most_senders).flat_map(|n| [n; 25]);
    sizes.map(|n| dice.rolls(n, most_time)).collect()
}

/// Inequality (1) and the first property of EP schedules, at every start and end.
fn windows() -> Result<Finding> {
    let mut tried = 0;
    for times in samples(1, 9, 9) {
        let (n, run) = (times.len() + 1, brute::earliest(&times));
        let ours = schedule(&times)?;
        ensure!(
            ours.length == whole(run.length),
            "{times:?}: {} by ours, {} by figure 2",
            ours.length,
            run.length
        );
        for (position, &start) in run.starts.iter().enumerate() {
            ensure!(
                ours.starts.get(position) == Some(whole(start)),
                "{times:?}: sender {position} starts at {start}"
            );
            ensure!(
                position >= n / 2 || start == 0,
                "{times:?}: only the first {position} start at 0"
            );
            let ends = [start, start + times[position]];
            for t in ends.into_iter().filter(|&t| t < run.length) {
                let [active, _, complete] = brute::counts(&times, &run, t);
                let used = 2 * active + complete;
                ensure!(
                    (n - 1..=n).contains(&used),
                    "{times:?}: 2A + C = {used} at {t}, n = {n}"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} dates of EP schedules, ours and figure 2 line by line"),
    ))
}

/// The second property: a message that does not start at 0 starts when another message ends.
fn predecessor() -> Result<Finding> {
    let mut tried = 0;
    for times in samples(2, 10, 12) {
        let run = brute::earliest(&times);
        for &start in run.starts.iter().filter(|&&start| start > 0) {
            let ends = run
                .starts
                .iter()
                .zip(&times)
                .any(|(from, takes)| from + takes == start);
            ensure!(ends, "{times:?}: nothing ends at {start}");
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} senders that start later than 0"),
    ))
}

/// Section 3: valid schedules with pauses, and the EP schedule of the same order.
fn conversion() -> Result<Finding> {
    let (mut tried, mut shorter) = (0, 0);
    let mut dice = Dice::new(21);
    for times in samples(20, 10, 9) {
        let n = times.len() + 1;
        let mut run = brute::EarliestRun {
            starts: Vec::new(),
            length: 0,
        };
        for position in 0..times.len() {
            // Not before the one ahead, and after a pause as soon as inequality (1) allows.
            let ahead = run.starts.last().copied().unwrap_or(0);
            let mut start = ahead + (dice.roll(6) - 1) % 4;
            let given = &times[..=position];
            while {
                let mut next = run.clone();
                next.starts.push(start);
                let [active, _, complete] = brute::counts(given, &next, start);
                2 * active + complete > n
            } {
                start += 1;
            }
            run.starts.push(start);
            run.length = run.length.max(start + times[position]);
        }
        ensure!(is_valid(&times, &run), "{times:?}: {:?}", run.starts);
        let earliest = brute::earliest(&times).length;
        ensure!(
            earliest <= run.length,
            "{times:?} from {:?}: {earliest}",
            run.starts
        );
        shorter += usize::from(earliest < run.length);
        tried += 1;
    }
    ensure!(shorter > tried / 4, "only {shorter} of {tried} had pauses");
    Ok(Finding::claim(
        true,
        format!("{tried} random valid schedules, {shorter} of them longer than the EP schedule"),
    ))
}

/// Section 1: a source so fast that it sends to every other node before one of these could have sent once, and a slower
/// source that is helped by others. Every broadcast.
fn one_by_one() -> Result<Finding> {
    let mut tried = 0;
    for others in 1..=5u64 {
        for slow in [others, others + 1, 3 * others] {
            let times = [vec![1], vec![slow; others as usize]].concat();
            let best = brute::broadcast(&times, 0);
            ensure!(best == others, "{times:?}: {best}");
            let ours = broadcast::fastest_first(&rationals(&times), 0)?;
            ensure!(
                ours.length == whole(others),
                "{times:?}: ours {}",
                ours.length
            );
            tried += 1;
        }
    }
    let helped = brute::broadcast(&[1, 2, 2, 2, 2], 0);
    ensure!(helped < 4, "[1, 2, 2, 2, 2]: nobody helps, {helped}");
    Ok(Finding::claim(
        true,
        format!(
            "{tried} clusters of up to 5 slow processors, all orders of transfers; with times 1, 2, 2, 2, 2 it takes {helped} instead of 4"
        ),
    ))
}

/// Destinations as in lemma 1: the referee finds no two overlapping windows with a processor in common.
fn lemma_1() -> Result<Finding> {
    let samples = samples(3, 24, 20);
    for times in &samples {
        schedule(times)?;
    }
    Ok(Finding::claim(
        true,
        format!(
            "{} random sequences, every schedule passed by the referee",
            samples.len()
        ),
    ))
}

/// Our exact methods against every sequence.
fn exact() -> Result<Finding> {
    let mut tried = 0;
    for times in samples(4, 8, 6) {
        let best = brute::best(&times);
        for method in [Method::Auto, Method::Slots, Method::Search] {
            let shortest = solve(&times, method)?.answer.into_claim();
            ensure!(
                shortest.length == whole(best),
                "{times:?}, {}: {}, not {best}",
                method.name(),
                shortest.length
            );
            ensure!(
                shortest.lower_bound == whole(best),
                "{times:?}, {}: bound {}",
                method.name(),
                shortest.lower_bound
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} solutions, every sequence of up to 8 senders"),
    ))
}

/// Figure 6: a slower sender that starts when a faster one ends may be exchanged with it.
fn lemma_2() -> Result<Finding> {
    let mut tried = 0;
    for times in samples(15, 10, 6) {
        let run = brute::earliest(&times);
        for q in 0..times.len() {
            for p in (0..times.len())
                .filter(|&p| run.starts[p] == run.starts[q] + times[q] && times[p] > times[q])
            {
                let mut changed = run.clone();
                changed.starts[p] = run.starts[q];
                changed.starts[q] = run.starts[q] + times[p];
                ensure!(is_valid(&times, &changed), "{times:?}: senders {p} and {q}");
                tried += 1;
            }
        }
    }
    ensure!(tried > 0, "no pair was exchanged");
    Ok(Finding::claim(
        true,
        format!("{tried} exchanges in EP schedules"),
    ))
}

/// Lemma 2, second case: between a predecessor q of p and p there is a gap. No message starts in it, q can be delayed
/// until p starts, and both can be exchanged.
fn lemma_2_gap() -> Result<Finding> {
    let mut tried = 0;
    for times in samples(22, 12, 6) {
        let run = brute::earliest(&times);
        for (q, p) in brute::waits(&times, &run) {
            let end = run.starts[q] + times[q];
            if times[p] <= times[q] || end == run.starts[p] {
                continue;
            }
            ensure!(
                run.starts
                    .iter()
                    .all(|&start| start <= end || start >= run.starts[p]),
                "{times:?}: a sender starts between {q} and {p}"
            );
            let mut delayed = run.clone();
            delayed.starts[q] = run.starts[p] - times[q];
            ensure!(is_valid(&times, &delayed), "{times:?}: {q} delayed to {p}");
            let mut changed = delayed.clone();
            changed.starts[p] = delayed.starts[q];
            changed.starts[q] = delayed.starts[q] + times[p];
            ensure!(is_valid(&times, &changed), "{times:?}: senders {p} and {q}");
            tried += 1;
        }
    }
    ensure!(tried > 50, "{tried} gaps");
    Ok(Finding::claim(
        true,
        format!("{tried} predecessors in EP schedules that end before their successor starts"),
    ))
}

/// Figure 7: a slow sender that starts within the last of three consecutive fast windows goes before them, times 1 and
/// 2 or more.
fn lemma_3() -> Result<Finding> {
    let mut dice = Dice::new(16);
    let mut tried = 0;
    for _ in 0..4000 {
        let slow = dice.roll(3) + 1;
        let times: Vec<u64> = (0..12)
            .map(|_| if dice.roll(3) == 1 { slow } else { 1 })
            .collect();
        let run = brute::earliest(&times);
        let start = |sender: usize| run.starts[sender];
        for p in (0..times.len()).filter(|&p| times[p] == slow) {
            // Windows have length 1, so "within" the window of q1 is at its start.
            let fast =
                |at: Option<u64>| (0..times.len()).find(|&q| times[q] == 1 && Some(start(q)) == at);
            let before = |steps: u64| fast(start(p).checked_sub(steps));
            let (Some(q1), Some(q2), Some(q3)) = (before(0), before(1), before(2)) else {
                continue;
            };
            let mut changed = run.clone();
            changed.starts[p] = start(q3);
            changed.starts[q3] = start(p);
            changed.starts[q1] = start(p) + slow - 1;
            changed.starts[q2] = start(p) + slow - 2;
            ensure!(
                is_valid(&times, &changed),
                "{times:?}: sender {p}, fast {q3}, {q2}, {q1}"
            );
            tried += 1;
        }
    }
    ensure!(tried > 0, "nothing was rearranged");
    Ok(Finding::claim(
        true,
        format!("{tried} rearrangements in EP schedules, ratios 2, 3 and 4"),
    ))
}

/// Lemma 3 if `p` starts strictly inside the window of `q1`. A fast window takes 4, a slow one 8 to 18. Each
/// rearrangement has the times, the run before and after, and the index of p.
pub type Rearranged = (Vec<u64>, brute::EarliestRun, usize, [usize; 3]);

pub fn rearrangements() -> Vec<Rearranged> {
    const FAST: u64 = 4;
    let mut dice = Dice::new(17);
    let mut found = Vec::new();
    for _ in 0..4000 {
        let slow = 2 * FAST + dice.roll(11) - 1;
        let times: Vec<u64> = (0..12)
            .map(|_| if dice.roll(3) == 1 { slow } else { FAST })
            .collect();
        let run = brute::earliest(&times);
        for p in (0..times.len()).filter(|&p| times[p] == slow && slow > FAST) {
            let fast = |at: Option<u64>| {
                (0..times.len()).find(|&q| times[q] == FAST && Some(run.starts[q]) == at)
            };
            for q1 in (0..times.len()).filter(|&q| times[q] == FAST) {
                let (from, at) = (run.starts[q1], run.starts[p]);
                if !(from <= at && at < from + FAST) {
                    continue;
                }
                let Some(q2) = fast(from.checked_sub(FAST)) else {
                    continue;
                };
                let Some(q3) = fast(from.checked_sub(2 * FAST)) else {
                    continue;
                };
                let mut changed = run.clone();
                changed.starts[p] = run.starts[q3];
                changed.starts[q3] = at;
                changed.starts[q1] = at + slow - FAST;
                changed.starts[q2] = at + slow - 2 * FAST;
                found.push((times.clone(), changed, p, [q1, q2, q3]));
            }
        }
    }
    found
}

/// Lemma 3 for every start of p within the window.
fn lemma_3_within() -> Result<Finding> {
    let (mut tried, mut inside) = (0, 0);
    for (times, changed, p, [_, _, q3]) in rearrangements() {
        ensure!(is_valid(&times, &changed), "{times:?}: sender {p}");
        tried += 1;
        // The new start of q3 is the old start of p. q1 started a multiple of the fast time after the new start of p.
        inside += usize::from((changed.starts[q3] - changed.starts[p]) % times[q3] > 0);
    }
    ensure!(inside > 100, "p starts inside in {inside} cases only");
    Ok(Finding::claim(
        true,
        format!("{tried} rearrangements, {inside} with p strictly inside, ratios 2 to 4.5"),
    ))
}

/// Number of rearrangements with `s'(q2) < c(s', p)`, as the proof of lemma 3 has it, and of all: the inequality is
/// reversed.
pub fn order_in_lemma_3() -> Result<(usize, usize)> {
    let all = rearrangements();
    let printed = all.iter().filter(|(times, changed, p, [_, q2, _])| {
        changed.starts[*q2] < changed.starts[*p] + times[*p]
    });
    Ok((printed.count(), all.len()))
}

/// The search that considers only senders with slower predecessors finds the optimum.
fn corollary_1() -> Result<Finding> {
    let mut tried = 0;
    for times in samples(5, 8, 5).into_iter().filter(|times| times.len() > 1) {
        let (found, best) = (super::searches::guided(&times)?, brute::best(&times));
        ensure!(found == best, "{times:?}: {found}, not {best}");
        tried += 1;
    }
    Ok(Finding::claim(
        true,
        format!("{tried} clusters of up to 8 senders"),
    ))
}

/// Slowest node first if the times divide one another, with these quotients.
fn divisor_chains(quotients: &[u64]) -> Result<Finding> {
    let mut dice = Dice::new(6);
    let mut tried = 0;
    for n in 2..=8 {
        for _ in 0..40 {
            let mut chain = vec![1];
            for _ in 0..3 {
                let quotient = quotients[dice.roll(quotients.len() as u64) as usize - 1];
                chain.push(chain[chain.len() - 1] * quotient);
            }
            let times: Vec<u64> = (0..n).map(|_| chain[dice.roll(4) as usize - 1]).collect();
            let (snf, best) = (brute::slowest_first(&times), brute::best(&times));
            ensure!(snf == best, "{times:?}: SNF {snf}, optimum {best}");
            let ours = slowest_first::length(&processors(&times)?.cluster());
            ensure!(ours == whole(best), "{times:?}: our SNF {ours}");
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} clusters of up to 8 senders, all sequences"),
    ))
}

/// The worst ratio found. It must stay below 2.
fn theorem_2() -> Result<Finding> {
    let mut worst = (whole(1), vec![1]);
    let mut tried = 0;
    let known = [
        vec![4, 6, 6, 6, 9, 9, 9, 10],
        vec![4, 11, 11, 11, 17, 17, 17, 17],
    ];
    for times in samples(7, 8, 12)
        .into_iter()
        .chain(samples(8, 8, 4))
        .chain(known)
    {
        let ratio: Rational = whole(brute::slowest_first(&times)) / whole(brute::best(&times));
        ensure!(ratio <= whole(2), "{times:?}: {ratio}");
        if ratio > worst.0 {
            worst = (ratio, times);
        }
        tried += 1;
    }
    let mut dice = Dice::new(9);
    for _ in 0..60 {
        let times = dice.rolls(14, 30);
        let ratio: Rational = whole(brute::slowest_first(&times)) / whole(optimum(&times)?);
        ensure!(ratio <= whole(2), "{times:?}: {ratio}");
        if ratio > worst.0 {
            worst = (ratio, times);
        }
        tried += 1;
    }
    Ok(Finding::claim(
        true,
        format!(
            "{tried} clusters; worst ratio {} by {:?}",
            short(&worst.0),
            worst.1
        ),
    ))
}

/// Fastest node first from the selected sources, against every broadcast: at most `1 + halves / 2` times the shortest.
fn fastest_first(wanted: fn(&[u64], usize) -> bool, halves: u64) -> Result<Finding> {
    let (mut tried, mut worst) = (0, (whole(1), vec![1], 0));
    let most = ratio(2 + halves, 2);
    for times in samples(18, 6, 9)
        .into_iter()
        .chain(samples(19, 6, 3))
        .filter(|times| times.len() > 1)
    {
        for source in (0..times.len()).filter(|&source| wanted(&times, source)) {
            let ours = broadcast::fastest_first(&rationals(&times), source)?;
            oneport::referee::check_broadcast(&ours, oneport::plan::Concurrency::Unlimited)?;
            let ratio = ours.length / whole(brute::broadcast(&times, source));
            ensure!(
                ratio >= whole(1) && ratio <= most,
                "{times:?}, source {source}: {ratio}"
            );
            if ratio > worst.0 {
                worst = (ratio, times.clone(), source);
            }
            tried += 1;
        }
    }
    let (ratio, times, source) = worst;
    Ok(Finding::claim(
        true,
        format!("{tried} broadcasts to up to 5, all orders of transfers"),
    )
    .note(format!(
        "worst ratio {} by {times:?} from processor {source}",
        short(&ratio)
    )))
}

/// All-reduction within 3.5 times a lower bound.
fn theorem_3() -> Result<Finding> {
    let mut worst = whole(1);
    let samples: Vec<Vec<u64>> = samples(10, 12, 15)
        .into_iter()
        .filter(|times| times.len() > 1)
        .collect();
    for times in &samples {
        let all = all_reduce(&rationals(times), None, Method::SlowestFirst, &budget())?
            .answer
            .into_claim();
        ensure!(
            all.length() <= &all.lower_bound * ratio(7, 2),
            "{times:?}: {}",
            all.length()
        );
        worst = worst.max(all.length() / &all.lower_bound);
    }
    Ok(Finding::claim(
        true,
        format!(
            "{} clusters; worst ratio to our lower bound {}",
            samples.len(),
            short(&worst)
        ),
    ))
}

/// Ratios above 2 that are not whole numbers, besides [`RATIOS`].
const BROKEN: [(u64, u64); 4] = [(100, 201), (3, 7), (5, 14), (4, 13)];

/// Two classes, ratio at least 2: figure 2 on the senders by time, slowest first, takes T(f, s) of (2) and (3). Below 2
/// it does not, for every ratio tried.
fn theorem_4() -> Result<Finding> {
    const MOST: usize = 24;
    let (mut tried, mut failed) = (0, Vec::new());
    for (fast, slow) in RATIOS.into_iter().chain(BROKEN) {
        let table = brute::table(fast, slow, MOST, MOST);
        let mut fails = 0;
        for (f, column) in table.iter().enumerate() {
            for (s, &best) in column.iter().enumerate().skip(usize::from(f == 0)) {
                let snf = brute::slowest_first(&[vec![fast; f], vec![slow; s]].concat());
                ensure!(
                    snf >= best && (slow < 2 * fast || snf == best),
                    "f = {f}, s = {s}, {fast}:{slow}: SNF {snf}, T(f, s) = {best}"
                );
                fails += usize::from(snf > best);
                tried += usize::from(slow >= 2 * fast);
            }
        }
        if slow < 2 * fast {
            failed.push(fails);
        }
    }
    ensure!(
        failed.iter().all(|&fails| fails > 0),
        "failures by ratio below 2: {failed:?}"
    );
    Ok(Finding::claim(
        true,
        format!(
            "{tried} cells of (2), (3) with ratios from 2 on, f, s <= {MOST}; it fails for each of {} ratios below 2",
            failed.len()
        ),
    )
    .note("the printed proof has a gap (E001-13); docs/theory.md proves the theorem for every ratio"))
}

/// Two classes: in some optimal schedule every slow sender starts at 0 or when another slow one ends, and so at a
/// multiple of the slow time. Its layers are those of definition 1.
fn definition_1() -> Result<Finding> {
    let (mut tried, mut deepest) = (0, 0);
    for (fast, slow) in RATIOS {
        for (f, s) in (0..=8usize).flat_map(|f| (1..=9 - f).map(move |s| (f, s))) {
            let all = brute::orders(&[vec![fast; f], vec![slow; s]].concat());
            let runs: Vec<(Vec<u64>, brute::EarliestRun)> = all
                .into_iter()
                .map(|order| (order.clone(), brute::earliest(&order)))
                .collect();
            let best = runs.iter().map(|(_, run)| run.length).min().unwrap_or(0);
            let layers = |(order, run): &(Vec<u64>, brute::EarliestRun)| {
                let starts = || {
                    run.starts
                        .iter()
                        .zip(order)
                        .filter(|&(_, &time)| time == slow)
                        .map(|(start, _)| *start)
                };
                let layered =
                    starts().all(|start| start == 0 || starts().any(|other| other + slow == start));
                (layered && starts().all(|start| start % slow == 0))
                    .then(|| starts().max().unwrap_or(0) / slow + 1)
            };
            let found = runs
                .iter()
                .filter(|(_, run)| run.length == best)
                .find_map(layers);
            ensure!(
                found.is_some(),
                "f = {f}, s = {s}, {fast}:{slow}: no optimal schedule has layers"
            );
            deepest = deepest.max(found.unwrap_or(0));
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} clusters of up to 9 senders, every sequence; up to {deepest} layers"),
    ))
}

/// Figures 9 to 11: reversed in time, schedules are binary trees.
fn trees() -> Result<Finding> {
    let samples = samples(11, 8, 8);
    for times in &samples {
        let (tree, best) = (brute::critical_path(times, false), brute::best(times));
        ensure!(tree == best, "{times:?}: critical path {tree}, EP {best}");
    }
    Ok(Finding::claim(
        true,
        format!(
            "{} clusters: best sequence = minimum critical path",
            samples.len()
        ),
    ))
}

fn observation_1() -> Result<Finding> {
    let samples = samples(12, 9, 8);
    for times in &samples {
        let (any, fastest) = (
            brute::critical_path(times, false),
            brute::critical_path(times, true),
        );
        ensure!(
            any == fastest,
            "{times:?}: {any} with any root, {fastest} with the fastest"
        );
    }
    Ok(Finding::claim(
        true,
        format!("{} clusters, all trees", samples.len()),
    ))
}

/// Every node with one child, in every binary tree of up to 8 nodes with random weights: its parent is connected to the
/// child.
fn observation_2() -> Result<Finding> {
    let mut dice = Dice::new(13);
    let (mut tried, mut shorter) = (0, 0);
    for n in 2..=8 {
        for tree in brute::shapes(n).into_iter().flat_map(|tree| vec![tree; 20]) {
            let weights = dice.rolls(n, 9);
            let whole_tree = brute::heaviest_path(&tree, &weights, 0);
            for node in (0..n).filter(|&node| tree[node].iter().flatten().count() == 1) {
                let (rest, root) = brute::without(&tree, node);
                let rest = brute::heaviest_path(&rest, &weights, root);
                ensure!(
                    rest <= whole_tree,
                    "{tree:?}, weights {weights:?}: {rest} without node {node}, {whole_tree} with it"
                );
                shorter += usize::from(rest < whole_tree);
                tried += 1;
            }
        }
    }
    ensure!(shorter > 0, "no removal shortened a path");
    Ok(Finding::claim(
        true,
        format!(
            "{tried} nodes with one child, in every binary tree of up to 8 nodes; {shorter} removals make the tree lighter"
        ),
    ))
}

fn recursion() -> Result<Finding> {
    let mut tried = 0;
    for (fast, slow) in RATIOS {
        let table = brute::table(fast, slow, 9, 9);
        for (f, row) in table.iter().enumerate() {
            for (s, &cell) in row
                .iter()
                .enumerate()
                .filter(|(s, _)| (1..=9).contains(&(f + s)))
            {
                let best = brute::best(&[vec![fast; f], vec![slow; s]].concat());
                ensure!(
                    cell == best,
                    "f = {f}, s = {s}, {fast}:{slow}: {cell}, not {best}"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} cells with f + s <= 9, every sequence"),
    ))
}

fn lemma_4() -> Result<Finding> {
    monotone(|table, f, s| (s + 1 < table[f].len()).then(|| (table[f][s], table[f][s + 1])))
}

fn lemma_5() -> Result<Finding> {
    monotone(|table, f, s| {
        (f + 1 < table.len() && f + 1 >= s).then(|| (table[f][s], table[f + 1][s]))
    })
}

/// Two neighbours of a table that a lemma compares at `(f, s)`.
type Neighbours = fn(&[Vec<u64>], usize, usize) -> Option<(u64, u64)>;

fn monotone(pair: Neighbours) -> Result<Finding> {
    let mut tried = 0;
    for (fast, slow) in RATIOS {
        let table = brute::table(fast, slow, 24, 24);
        for f in 0..table.len() {
            for s in 0..table[f].len() {
                let Some((before, after)) = pair(&table, f, s) else {
                    continue;
                };
                ensure!(
                    before <= after,
                    "{fast}:{slow}, f = {f}, s = {s}: {before}, then {after}"
                );
                tried += 1;
            }
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} neighbours in tables of 12 ratios, f, s <= 24"),
    ))
}

/// The dynamic program for several classes.
fn theorem_6() -> Result<Finding> {
    let mut tried = 0;
    for times in samples(14, 8, 4) {
        let shortest = solve(&times, Method::DynamicProgram)?.answer.into_claim();
        let best = brute::best(&times);
        ensure!(
            shortest.length == whole(best) && shortest.lower_bound == whole(best),
            "{times:?}: not {best}"
        );
        tried += 1;
    }
    Ok(Finding::claim(
        true,
        format!("{tried} clusters of up to 4 classes, every sequence"),
    ))
}

/// Theorem 6: pairs compared by its program, for equal numbers of 1 to 4 classes.
fn theorem_6_pairs() -> Result<Finding> {
    let mut found = Vec::new();
    for (classes, most) in [(1usize, 64usize), (2, 20), (3, 6), (4, 3)] {
        let times: Vec<u64> = [3, 4, 5, 7][..classes].to_vec();
        let mut share = whole(0);
        for count in 1..=most {
            let counts = vec![count; classes];
            let (length, pairs) = brute::classes(&times, &counts);
            let senders: Vec<u64> = times.iter().flat_map(|&time| vec![time; count]).collect();
            ensure!(
                length == optimum(&senders)?,
                "{counts:?}: {length} is not the optimum"
            );
            let n = (count * classes) as u64;
            let bound = whole(n.pow(2 * classes as u32 - 1)) * whole(n.ilog2() + 3);
            ensure!(whole(pairs) <= bound, "{counts:?}: {pairs} pairs");
            share = share.max(whole(pairs) / bound);
        }
        let n = most * classes;
        found.push(format!(
            "k = {classes}, n up to {n}: {}",
            digits(pixels(&share))
        ));
    }
    Ok(Finding::claim(
        true,
        format!(
            "pairs over n^(2k-1) (log2 n + 3), at most: {}",
            found.join("; ")
        ),
    )
    .note("lengths equal to our optimum"))
}
