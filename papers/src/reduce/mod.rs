//! Series of reduces: RR-4872, section 4, and RR-4872's slides, slides 52 to 82.

mod convergence;
pub mod errata;
pub mod experiment;
mod extraction;
mod naive;
mod optima;
mod period;
mod pictures;
mod program;
mod search;
mod single;
mod tables;
mod tasks;
mod toy;
mod unrelated;

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use num_traits::{One, Zero};
use oneport::plan::{Status, Task};
use oneport::watch::Watch;
use oneport::{Problem, Rational, referee, schedule};
use oneport_numbers::ratio;
use oneport_trees::cheapest::is_tree;

use crate::cases;
use crate::numbers::{common_denominator, unit_volumes, whole};
use crate::rows::{Check, Finding, Value};
use crate::runs::ScheduleRun;
use crate::runs::limit_is_one;
use extraction::{Choice, Figure8, Lines};
use program::{Errata, Program};
use tasks::Rates;
use toy::{AT_1, AT_2, Toy};

pub use pictures::figures;

/// RR-4872, section 4.
pub const CHECKS: &[(&str, Check)] = &[
    ("footnote-1", |_| commutative()),
    ("figure-5", |_| figure_5()),
    ("reduce-conservation", |_| {
        Ok(errata::operands_are_no_nodes()?
            .finding()
            .note("a node that owns nothing may send v[0,0], its owner may not"))
    }),
    ("reduce-last", |_| {
        Ok(errata::more_nodes_than_operands()?.finding())
    }),
    ("work-by-task", |_| unrelated::chains()),
    ("reduce-split", |_| {
        Ok(errata::split_of_the_text()?
            .finding()
            .note("the merge at the target takes v[1,1] from nowhere"))
    }),
    ("ssr", |_| {
        Ok(errata::result_comes_back()?
            .finding()
            .note("v[0,2] travels 0 -> 1 -> 0 for ever; nobody merges anything"))
    }),
    ("signs", |_| {
        Ok(errata::rates_without_sign()?
            .finding()
            .note("for example send(2 -> 0, v[1,1]) = -1/2; s and alpha keep their printed bounds"))
    }),
    ("ssr-figure-6", |_| printed_program_on_figure_6()),
    ("ssr-random", |_| ssr_at_random()),
    ("figure-6b", |_| solution()),
    ("figure-6b-optimal", |_| solution_is_optimal()),
    ("figure-6-period", |_| period()),
    ("figure-6-throughput", |_| throughput()),
    ("figure-6a", |_| links_of_figure_6()),
    ("naive-schedule", |_| {
        Ok(errata::naive_schedule()?
            .finding()
            .note("TP per unit of time would give 2; each of the three statements differs"))
    }),
    ("naive-schedule-length", |_| {
        Ok(errata::naive_length()?
            .finding()
            .note("6.5 at least, so 9 as a multiple of T = 3"))
    }),
    ("naive-schedule-least", |_| naive::lengths()),
    ("footnote-2", |_| period::footnote_2()),
    ("figure-6d-ports", |_| {
        Ok(Finding::value(errata::clashes("figure-6d")?))
    }),
    ("figure-6d", |_| {
        Ok(errata::mirrored()?
            .finding()
            .note("nodes 1 and 2 have changed places"))
    }),
    ("figure-6d-label", |_| {
        Ok(errata::labels()?
            .finding()
            .note("with any other value a merge lacks an input"))
    }),
    ("figure-6e", |_| one_port()),
    ("figure-7", |_| extracted()),
    ("reduce-matchings", |_| matchings()),
    ("find-tree", |_| {
        Ok(errata::endless_search()?
            .finding()
            .note("v[1,2] at 0 comes from 1, at 1 from 0, ...; optimal, and the most that 0 -> 1 can carry"))
    }),
    ("find-tree-13", |_| Ok(errata::looks_for_sends()?.finding())),
    ("find-tree-12", |_| {
        Ok(errata::goes_on_with_the_same_input()?.finding())
    }),
    ("find-tree-19", |_| Ok(errata::returns_nothing()?.finding())),
    ("theorem-1-proof", |_| {
        Ok(errata::difference_not_sum()?
            .finding()
            .note("with the sum no task is ever used up, and the extraction does not end"))
    }),
    ("throughput-units", |_| {
        Ok(errata::throughput_units()?
            .finding()
            .note("TP = 3 per period of 3; r and T_fixed count units of time"))
    }),
    ("extract-trees-7", |_| {
        Ok(errata::pushes_per_task()?.finding())
    }),
    ("definition-1", |_| {
        Ok(errata::lists_of_tasks()?.finding().note(
            "the empty list, a lone transfer and a circulation are trees by the printed words",
        ))
    }),
    ("lemma-2", |_| {
        Ok(Finding::value(errata::left_over()?)
            .note("the circulation of the rows before; here the search happens to avoid it; a tree of weight 2 by definition 1 as printed"))
    }),
    ("lemma-2-four-links", |_| {
        Ok(Finding::value(errata::left_over_on_four_links()?))
    }),
    ("theorem-1", |_| theorem_1()),
    ("proposition-3", |_| {
        Ok(limit_is_one(&runs()?)?.note(
            "up to 500 periods, every value carried along by the referee; never below steady(G, K) of section 3.4 with I the \
             number of stages (the paper does not say what it is for reduces)",
        ))
    }),
    ("proposition-3-opt", |_| optima::proposition_3()),
    ("single-reduce", |_| optima::single()),
    ("reduce-rule", |_| convergence::rule()),
    ("proposition-4-trees", |_| convergence::proposition_4()),
    ("experiment", |_| experiment::finding()),
    ("conclusion", |_| prefixes()),
];

/// RR-4872's slides, slides 52 to 82, and slide 5.
pub const SLIDES: &[(&str, Check)] = &[
    ("reduce-values", |_| {
        Ok(errata::reduction_from_one()?.finding())
    }),
    (
        "partial-result",
        |_| Ok(errata::second_operand()?.finding()),
    ),
    ("reduction-tree", |_| slide_tree()),
    ("reduce-throughput-part", |_| {
        Ok(errata::any_part_counts()?
            .finding()
            .note("v[0,0] counts when it comes and when it is merged"))
    }),
    ("reduce-throughput-sum", |_| {
        Ok(errata::last_merge_left_out()?.finding())
    }),
    ("ssr", |_| Ok(errata::result_comes_back()?.finding())),
    ("reduce-topology", |_| topology()),
    ("reduce-solution", |_| {
        let toy = Toy::load()?;
        Ok(Finding::value(tasks::by_name(&toy.case.platform, &forced(&toy)?)).note(CHOICE))
    }),
];

/// A valid tree, and a shorter one.
fn figure_5() -> Result<Finding> {
    let case = toy::connected()?;
    let figure = single::length(&case, &toy::listed("rr4872", "figure-5")?)?;
    let gather = [
        "1 -> 0: v[1,1]",
        "0: T[0,0,1]",
        "2 -> 0: v[2,2]",
        "0: T[0,1,2]",
    ];
    let shorter = single::length(&case, &tasks::tree(&case.platform, &gather)?)?;
    Ok(Finding::claim(figure > shorter, "a reduction tree by the referee, and not the shortest way").note(format!(
        "fully connected, with the costs of figure 6, one reduction takes {figure}; sending v1 and v2 to P0 takes {shorter}"
    )))
}

/// Fast and slow merges on the four links of the figure: no link leaves the target, so no value can return to it.
fn printed_program_on_figure_6() -> Result<Finding> {
    let mut tried = Vec::new();
    for compute in [["1/2", "1", "1"], ["10", "10", "10"]] {
        let case = toy::four("figure 6", "1", compute)?;
        let (printed, right) = (
            Program::new(&case, Errata::SSR)?.throughput()?,
            case.throughput()?,
        );
        ensure!(
            printed == right,
            "merges of {}: printed {printed}, right {right}",
            compute.join(", ")
        );
        tried.push(right.to_string());
    }
    Ok(Finding::claim(
        true,
        format!("TP = {}", tried.join(" and, with merges of 10, ")),
    )
    .note("so it is wherever no cycle leads through the target"))
}

fn ssr_at_random() -> Result<Finding> {
    let (tried, right) = errata::printed_is_right()?;
    Ok(Finding::claim(
        2 * right < tried,
        format!("right on {right} of {tried}, 3 to 5 nodes, more than there is on the others"),
    ))
}

/// Footnote 1: with a commutative operator never less, and on some platforms more.
fn commutative() -> Result<Finding> {
    let (mut tried, mut more, mut best) = (0, 0, Rational::one());
    for nodes in [4, 5] {
        for seed in 1..=8 {
            let mut case = cases::reduce_of_all("random", cases::random(nodes, 2, seed, 8)?)?;
            let ordered = case.throughput()?;
            case.collective = case.collective.commutative(true);
            let solved = case.answer()?;
            let plan = solved.plan()?;
            ensure!(
                plan.status == Status::Optimal,
                "{nodes} nodes, seed {seed}: not proved"
            );
            let free = plan.steady_state.throughput.clone();
            ensure!(
                free >= ordered,
                "{nodes} nodes, seed {seed}: {free} with more freedom, {ordered}"
            );
            more += usize::from(free > ordered);
            best = best.max(free / ordered);
            tried += 1;
        }
    }
    ensure!(more > 0, "the order of operands costs nothing anywhere");
    Ok(Finding::claim(
        true,
        format!("{tried} random platforms: never less, more on {more}"),
    )
    .note(format!(
        "up to {} times as much",
        crate::numbers::short(&best)
    )))
}

const CHOICE: &str = "send(1 -> 2, v[1,1]) = 2/3 is a choice; with it everything else is forced";

/// One number of figure 6(b) is a choice. It determines the rest, which is computed here, per unit of time.
fn forced(toy: &Toy) -> Result<Rates> {
    let mut program = Program::new(&toy.case, Errata::default())?;
    program.fix_throughput(&toy.case.throughput()?);
    let choice = tasks::parse(&toy.case.platform, "1 -> 2: v[1,1]")?;
    program.fix(
        choice,
        toy.rates
            .get(&choice)
            .context("slide 82 sends no v[1,1] from 1 to 2")?,
    )?;
    let mut forced = Rates::new();
    for &task in program.tasks() {
        let (low, high) = program.range(task)?;
        ensure!(
            low == high,
            "{} is not forced: {low} to {high}",
            tasks::name(&toy.case.platform, task)
        );
        if !low.is_zero() {
            forced.insert(task, low);
        }
    }
    Ok(forced)
}

/// The solution over the period that makes it integral.
fn solution() -> Result<Finding> {
    let toy = Toy::load()?;
    let forced = forced(&toy)?;
    let period = whole(common_denominator(forced.values()));
    let counts = forced
        .into_iter()
        .map(|(task, rate)| (task, rate * &period))
        .collect();
    Ok(Finding::value(tasks::by_name(&toy.case.platform, &counts)).note(CHOICE))
}

fn solution_is_optimal() -> Result<Finding> {
    let toy = Toy::load()?;
    let throughput = toy.case.throughput()?;
    let program = Program::new(&toy.case, Errata::default())?;
    let sound = program.check(&toy.rates, &throughput);
    let tried = sound.as_ref().map_or_else(ToString::to_string, |()| {
        "every row of the corrected program".to_string()
    });
    Ok(Finding::claim(sound.is_ok(), tried).note(format!("TP = {throughput}, certified")))
}

fn period() -> Result<Finding> {
    let toy = Toy::load()?;
    let ours = toy.case.schedule()?.period;
    Ok(
        Finding::value(whole(common_denominator(forced(&toy)?.values())))
            .note(format!("ours: {ours}, with one tree")),
    )
}

/// Two further links do not increase the throughput.
fn links_of_figure_6() -> Result<Finding> {
    let (four, six) = (
        Toy::load()?.case.throughput()?,
        toy::connected()?.throughput()?,
    );
    Ok(Finding::value(Value::List(vec![four.into(), six.into()])))
}

/// The open question of section 6: every P_i receives `v[0,i]`. Proved optima on figure 6's nodes, fully connected, and
/// on random platforms.
fn prefixes() -> Result<Finding> {
    let mut found = Vec::new();
    for platform in [
        toy::connected()?.platform,
        cases::random(3, 2, 1, 4)?,
        cases::random(4, 2, 2, 4)?,
    ] {
        let participants = platform.node_ids().collect();
        let case = cases::Case {
            name: "prefixes".to_string(),
            collective: oneport::Collective::scan(participants),
            platform,
        };
        let solved = case.answer()?;
        let plan = solved.plan()?;
        ensure!(plan.status == Status::Optimal, "a scan is not proved");
        found.push(plan.steady_state.throughput.clone().into());
    }
    Ok(Finding::value(Value::List(found)).note(
        "command `solve scan`: schemes in which one merge serves many prefixes; a certificate proves each of these optima, \
         which not every scan has",
    ))
}

/// The caption of 6(e). The timeline of our two trees reaches it, and the referee executes every value.
fn throughput() -> Result<Finding> {
    let toy = Toy::load()?;
    let schedule = toy.schedule(&toy.steady_state()?)?;
    let timeline = schedule::timeline(&toy.case.problem(), &schedule, 20)?;
    referee::check_timeline(
        &Problem::new(&toy.case.platform, &toy.case.collective, unit_volumes())?,
        &timeline,
    )?;
    ensure!(
        schedule.throughput() == toy.case.throughput()?,
        "the schedule of the two trees is not optimal"
    );
    Ok(Finding::value(schedule.throughput()).note(
        "the two trees over a period of 3, 20 periods carried out by the referee; the certificate proves it optimal",
    ))
}

fn one_port() -> Result<Finding> {
    let (tried, allowed) = tables::residues()?;
    let together = allowed.iter().all(|[out_1, out_2, ..]| out_1 == out_2);
    ensure!(
        together,
        "one-port allows 1 -> 2 and 2 -> 0 at different times"
    );
    Ok(Finding::value(errata::clashes("figure-6e")?).note(format!(
        "of {tried} ways to index the transfers of a period of 3, one-port allows {}: all have 1 -> 2 and 2 -> 0 at the same \
         time, and the table has them at 0 and 2",
        allowed.len()
    )))
}

fn extracted() -> Result<Finding> {
    let toy = Toy::load()?;
    let trees = toy.extracted()?;
    for (names, weight) in [(AT_1, ratio(1, 3)), (AT_2, ratio(2, 3))] {
        let tree = tasks::tree(&toy.case.platform, &names)?;
        let found = trees
            .iter()
            .any(|(other, share)| *share == weight && sorted(other) == sorted(&tree));
        ensure!(found, "no tree {} of weight {weight}", names.join("; "));
    }
    let sum = tasks::sum(trees.iter().map(|(tree, weight)| (tree, weight)));
    ensure!(sum == toy.rates, "the trees do not add up to the solution");
    Ok(Finding::value(trees.len()).note(format!(
        "weights 1/3 (merging at 1) and 2/3 (at 2); they add up to figure 6(b) exactly. Not needed: either alone does as well, \
         with weight 1 and period 1; ours takes {}",
        one_tree()?
    )))
}

fn sorted(tree: &oneport::plan::Pattern) -> Vec<oneport::plan::Task> {
    let mut tasks: Vec<_> = tree.tasks.iter().map(|task| task.alone()).collect();
    tasks.sort();
    tasks
}

/// Each slot holds the transfers of one tree, for the length given by its weight.
fn matchings() -> Result<Finding> {
    let toy = Toy::load()?;
    let steady_state = toy.steady_state()?;
    let schedule = toy.schedule(&steady_state)?;
    for slot in &schedule.slots {
        let of_slot = |one: &&oneport::plan::WeightedPattern| {
            let mut links: Vec<_> = one.pattern.links().collect();
            links.sort();
            links == slot.links && slot.length == &one.weight * &schedule.period
        };
        ensure!(
            steady_state.patterns.iter().any(|one| of_slot(&one)),
            "a slot mixes trees"
        );
    }
    Ok(Finding::value(schedule.slots.len())
        .note("1/3 and 2/3 of the time; each holds the transfers of one tree"))
}

/// Number of trees of our solution. Either tree of figure 7 suffices.
fn one_tree() -> Result<usize> {
    let toy = Toy::load()?;
    let (platform, collective, volumes) =
        (&toy.case.platform, &toy.case.collective, unit_volumes());
    for names in [AT_1, AT_2] {
        let single = toy.single(&names)?;
        referee::check_steady_state(
            &Problem::new(platform, collective, volumes)?,
            &single,
            &Watch::unlimited(),
        )?;
        referee::check_schedule(
            &Problem::new(platform, collective, volumes)?,
            &toy.schedule(&single)?,
        )?;
    }
    Ok(toy.case.steady_state()?.patterns.len())
}

/// Trees extracted from random solutions: their number, and that they add up.
fn theorem_1() -> Result<Finding> {
    let (mut solutions, mut most, mut share, mut holds) = (0, 0, Rational::zero(), true);
    for (nodes, degree) in [(3, 2), (4, 2), (4, 3), (5, 2)] {
        for seed in 1..=5 {
            let case = cases::reduce_of_all("random", cases::random(nodes, degree, seed, 10)?)?;
            let (target, participants) = tasks::ends(&case)?;
            let (throughput, rates) = Program::new(&case, Errata::default())?.solve()?;
            let left = tasks::without_circulations(&case, &rates);
            let weighted = tasks::extracted(&case, &throughput, &rates)?;
            holds &= tasks::sum(weighted.iter().map(|(tree, weight)| (tree, weight))) == left;
            // Figure 8 itself, with its lines corrected, on rates without circulations.
            let figure = Figure8 {
                platform: &case.platform,
                participants,
                target,
                lines: Lines::default(),
                choice: Choice::First,
            };
            let theirs = figure.extract(&left, &throughput);
            holds &= theirs.rest.is_empty() && !theirs.endless;
            let (n, operands) = (nodes, participants.len());
            let bound = operands.pow(3) * n + operands.pow(2) * n * n;
            for count in [weighted.len(), theirs.trees.len()] {
                holds &= count <= left.len() && left.len() <= bound && bound <= 2 * n.pow(4);
                most = most.max(count);
                share = share.max(ratio(count, left.len()));
            }
            solutions += 1;
        }
    }
    Ok(Finding::claim(holds, format!("{solutions} random solutions: trees <= tasks that happen <= 2 n^4, remainder empty"))
        .note(format!(
            "circulations cancelled first; at most {most} trees, and {share} per task; figure 8 with its lines put right and our \
             extraction of the widest tree first"
        )))
}

/// Schedules of reduces to run.
fn runs() -> Result<Vec<ScheduleRun>> {
    let toy = Toy::load()?;
    let random = cases::reduce_of_all("random", cases::random(6, 3, 7, 4)?)?;
    Ok(vec![
        ScheduleRun::new(
            "figure 6, our period 1",
            &toy.case,
            &toy.case.schedule()?,
            500,
        )?,
        ScheduleRun::new(
            "figure 6, the paper's two trees, period 3",
            &toy.case,
            &toy.schedule(&toy.steady_state()?)?,
            300,
        )?,
        ScheduleRun::new(
            "random platform, 6 nodes",
            &random,
            &random.schedule()?,
            100,
        )?,
    ])
}

/// The tasks that the slides draw are a reduction tree, and each of them is necessary.
fn slide_tree() -> Result<Finding> {
    let case = toy::connected()?;
    let (target, participants) = tasks::ends(&case)?;
    let tree = toy::listed("slides", "reduction-tree")?;
    let length = single::length(&case, &tree)?;
    let valid =
        |list: Vec<Task>| is_tree(&case.platform, participants, target, &tasks::of_tasks(list));
    let alone: Vec<Task> = tree.tasks.iter().map(|task| task.alone()).collect();
    ensure!(valid(alone.clone()), "the tasks are no reduction tree");
    for left_out in &alone {
        ensure!(
            !valid(
                alone
                    .iter()
                    .filter(|task| *task != left_out)
                    .copied()
                    .collect()
            ),
            "a task is not needed"
        );
    }
    let same = sorted(&tree) == sorted(&toy::listed("rr4872", "figure-5")?);
    ensure!(same, "section 4.1 of RR-4872 tells of another tree");
    Ok(Finding::claim(
        true,
        format!(
            "by the referee, of length {length} with the costs of figure 6; every task is needed"
        ),
    )
    .note("the tree of section 4.1 of RR-4872"))
}

/// The number of links in slide 82's solution equals the number of labels on slide 81.
fn topology() -> Result<Finding> {
    let toy = Toy::load()?;
    let sends = forced(&toy)?.into_keys().filter_map(|task| match task {
        Task::Send { link, .. } => Some(link),
        Task::Merge { .. } => None,
    });
    let links: BTreeSet<_> = sends.collect();
    let platform = &toy.case.platform;
    let names: Vec<String> = links.iter().map(|&link| platform.link_name(link)).collect();
    ensure!(
        links.len() == platform.links().len(),
        "the fixture has {} links",
        platform.links().len()
    );
    Ok(Finding::value(links.len()).note(names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Paper;

    /// The slides' solution is that of RR-4872 divided by its period.
    #[test]
    fn both_papers_print_the_same_solution() -> Result<()> {
        let toy = Toy::load()?;
        let paper = Paper::load("rr4872")?;
        let period = paper.printed("figure-6-period")?.number()?.clone();
        let printed = tasks::rates(&toy.case.platform, paper.printed("figure-6b")?)?;
        let rates: Rates = printed
            .into_iter()
            .map(|(task, count)| (task, count / &period))
            .collect();
        assert_eq!(rates, toy.rates);
        Ok(())
    }
}
