//! One counterexample per entry of `docs/errata.md` on reduces, as in [`errata`](crate::errata).

use anyhow::{Context, Result, ensure};
use oneport::Rational;
use oneport::plan::{Interval, Pattern, Task};
use oneport_trees::cheapest::is_tree;

use super::extraction::{Choice, Extraction, Figure8, Lines, TreeSearch};
use super::program::{Errata, Program};
use super::tables::Table;
use super::tasks::{self, Rates};
use super::toy::{self, Toy};
use crate::cases::{self, Case, platform};
use crate::errata::Sides;
use crate::numbers::whole;
use crate::rows::{Paper, Value};

/// The optimum of a program with errors, next to the throughput on which ours and the referee agree.
fn programs(case: &Case, errors: Errata) -> Result<Sides> {
    Ok(Sides::new(
        Program::new(case, errors)?.throughput()?,
        case.throughput()?,
    ))
}

/// E000-10: three fully connected nodes with slow processors.
pub fn result_comes_back() -> Result<Sides> {
    programs(
        &toy::six("slow processors", "1", ["10", "10", "10"])?,
        Errata::SSR,
    )
}

/// E000-10 at random: the number of platforms, and the number of those on which the printed program yields the
/// throughput.
pub fn printed_is_right() -> Result<(usize, usize)> {
    let (mut tried, mut right) = (0, 0);
    for (nodes, degree) in [(3, 2), (4, 2), (4, 3), (5, 2)] {
        for seed in 1..=10 {
            let case = cases::reduce_of_all("random", cases::random(nodes, degree, seed, 10)?)?;
            let corrected = Program::new(&case, Errata::default())?.throughput()?;
            let printed = Program::new(&case, Errata::SSR)?.throughput()?;
            ensure!(printed >= corrected, "the printed program has more freedom");
            tried += 1;
            right += usize::from(printed == corrected);
        }
    }
    Ok((tried, right))
}

/// Two owners of values, one link. The nodes before and after them take no part.
fn one_link(nodes: &str, cost: &str, participants: &str) -> Result<Case> {
    let case = platform(nodes, &[("b", "a", cost)])?;
    cases::reduce("one link", case, "a", participants)
}

/// E000-11: the owners are not the nodes numbered 0 and 1.
pub fn operands_are_no_nodes() -> Result<Sides> {
    programs(
        &one_link("r a b", "1", "a b")?,
        Errata {
            node_numbers: true,
            ..Errata::default()
        },
    )
}

/// E000-30: figure 6 without a lower bound on send and cons.
pub fn rates_without_sign() -> Result<Sides> {
    programs(
        &toy::four("figure 6", "1", ["1/2", "1", "1"])?,
        Errata {
            negative_rates: true,
            ..Errata::default()
        },
    )
}

/// E000-12: a third node, and two operands.
pub fn more_nodes_than_operands() -> Result<Sides> {
    programs(
        &one_link("a b r", "1", "a b")?,
        Errata {
            nodes_for_operands: true,
            ..Errata::default()
        },
    )
}

/// E000-13: a slow link that is not needed.
pub fn split_of_the_text() -> Result<Sides> {
    programs(
        &one_link("a b", "4", "a b")?,
        Errata {
            wrong_split: true,
            ..Errata::default()
        },
    )
}

/// Figure 6(d) or 6(e) as printed.
pub fn table<'a>(case: &'a Case, id: &str) -> Result<Table<'a>> {
    Table::read(case, Paper::load("rr4872")?.table(id)?)
}

/// E000-14: the transfers of figure 6(d) in its three reductions, with corrected labels, and those of figure 6(b).
pub fn mirrored() -> Result<Sides> {
    let toy = Toy::load()?;
    let table = table(&toy.case, "figure-6d")?.relabelled("2 -> 1", right_label(&toy.case)?)?;
    let counts: Rates = table
        .counts()
        .into_iter()
        .map(|(task, count)| (task, whole(count)))
        .collect();
    let period = whole(toy.period());
    let right = toy
        .rates
        .iter()
        .map(|(&task, rate)| (task, rate * &period))
        .collect();
    let named = |rates: &Rates| tasks::by_name(&toy.case.platform, rates);
    Ok(Sides::new(named(&counts), named(&right)))
}

/// The only value on 2 -> 1 with which every cell of figure 6(d) has its inputs.
fn right_label(case: &Case) -> Result<Interval> {
    let table = table(case, "figure-6d")?;
    let mut fitting = Vec::new();
    for first in 0..3 {
        for last in first..3 {
            let part = Interval { first, last };
            if table.relabelled("2 -> 1", part)?.unfounded()?.is_empty() {
                fitting.push(part);
            }
        }
    }
    ensure!(fitting.len() == 1, "{} labels fit", fitting.len());
    fitting.pop().context("no label fits")
}

/// E000-15: the label on 2 -> 1 in figure 6(d), and the one that fits.
pub fn labels() -> Result<Sides> {
    let toy = Toy::load()?;
    let table = table(&toy.case, "figure-6d")?;
    let link = cases::link(&toy.case.platform, "2 -> 1")?;
    let label = table.cells.iter().find_map(|cell| match cell.task {
        Task::Send {
            link: other, part, ..
        } if other == link => Some(part),
        _ => None,
    });
    let words = |part: Interval| Value::Words(format!("v[{},{}]", part.first, part.last));
    Ok(Sides::new(
        words(label.context("nothing travels 2 -> 1")?),
        words(right_label(&toy.case)?),
    ))
}

/// E000-16: when some port serves two links at a time, in figure 6(d) or 6(e): "P0 receives: 2, 5".
pub fn clashes(id: &str) -> Result<Value> {
    let toy = Toy::load()?;
    let mut times: std::collections::BTreeMap<String, Value> = std::collections::BTreeMap::new();
    for clash in table(&toy.case, id)?.clashes() {
        let entry = times
            .entry(clash.what)
            .or_insert_with(|| Value::List(Vec::new()));
        if let Value::List(list) = entry {
            list.push(clash.time.into());
        }
    }
    Ok(Value::Table(times))
}

/// An optimal solution with a circulation: the nodes of figure 6 with links of cost 1/4.
pub struct Circulation {
    /// Platform and reduce.
    pub case: Case,
    /// Throughput.
    pub throughput: Rational,
    /// Per unit of time.
    pub rates: Rates,
}

impl Circulation {
    /// Fully connected: `v[1,2]` goes `0 -> 1 -> 0`.
    pub fn load() -> Result<Circulation> {
        let case = toy::six(
            "fully connected, links of cost 1/4",
            "1/4",
            ["1/2", "1", "1"],
        )?;
        Circulation::of(
            case,
            &[
                ("1 -> 0: v[1,2]", 3),
                ("2 -> 0: v[1,2]", 1),
                ("0 -> 1: v[1,2]", 2),
            ],
        )
    }

    /// The four links of figure 6(a): `v[1,2]` goes `1 -> 2 -> 1`.
    pub fn on_four_links() -> Result<Circulation> {
        let case = toy::four("figure 6, links of cost 1/4", "1/4", ["1/2", "1", "1"])?;
        let sent = [
            ("1 -> 0: v[1,2]", 1),
            ("2 -> 0: v[1,2]", 1),
            ("2 -> 1: v[1,2]", 2),
            ("1 -> 2: v[1,2]", 2),
        ];
        Circulation::of(case, &sent)
    }

    /// Builds it, and checks that it satisfies the corrected program and is optimal, and that the last link carries the
    /// most of `v[1,2]` of any optimal solution: so a simplex method may well end here.
    fn of(case: Case, sent: &[(&str, i32)]) -> Result<Circulation> {
        let both = [
            ("2 -> 1: v[2,2]", 1),
            ("1 -> 2: v[1,1]", 1),
            ("1: T[1,1,2]", 1),
            ("2: T[1,1,2]", 1),
        ];
        let mut rates = Rates::new();
        for (name, rate) in both.iter().chain(&[("0: T[0,0,2]", 2)]).chain(sent) {
            rates.insert(tasks::parse(&case.platform, name)?, whole(*rate));
        }
        let throughput = case.throughput()?;
        let mut program = Program::new(&case, Errata::default())?;
        program.check(&rates, &throughput)?;
        program.fix_throughput(&throughput);
        let back = tasks::parse(&case.platform, sent.last().context("nothing is sent")?.0)?;
        ensure!(
            rates.get(&back) == Some(&program.range(back)?.1),
            "the last link may carry more"
        );
        Ok(Circulation {
            case,
            throughput,
            rates,
        })
    }

    /// Figure 8 with all its lines corrected.
    pub fn extract(&self, choice: Choice) -> Result<Extraction> {
        let (target, participants) = tasks::ends(&self.case)?;
        let figure = Figure8 {
            platform: &self.case.platform,
            participants,
            target,
            lines: Lines::default(),
            choice,
        };
        Ok(figure.extract(&self.rates, &self.throughput))
    }

    /// Ours: circulations cancelled first.
    pub fn extract_corrected(&self) -> Result<Vec<(Pattern, Rational)>> {
        tasks::extracted(&self.case, &self.throughput, &self.rates)
    }
}

/// Result of an extraction: the number of different trees, or that it does not end.
fn outcome(found: &Extraction) -> Value {
    if found.endless {
        return Value::Words("endless".to_string());
    }
    let mut trees: Vec<_> = found.trees.iter().map(|(_, tree)| tree).collect();
    trees.sort();
    trees.dedup();
    trees.len().into()
}

/// E000-17: FIND_TREE goes 0, 1, 0, ... with `v[1,2]`.
pub fn endless_search() -> Result<Sides> {
    let circulation = Circulation::load()?;
    Ok(Sides::new(
        outcome(&circulation.extract(Choice::First)?),
        circulation.extract_corrected()?.len(),
    ))
}

/// Definition 1 word by word: each input of each task is the result of another task of the list, or a value at its
/// owner.
fn is_listed_tree(case: &Case, list: &[Task]) -> Result<bool> {
    let (_, participants) = tasks::ends(case)?;
    let result = |task: &Task| tasks::flow(&case.platform, *task).1;
    let given = |task: &Task, input: tasks::Holding| {
        let others = list.iter().filter(|other| *other != task);
        tasks::owns(participants, input) || others.map(result).any(|made| made == input)
    };
    Ok(list.iter().all(|task| {
        let (inputs, _) = tasks::flow(&case.platform, *task);
        inputs.into_iter().all(|input| given(task, input))
    }))
}

/// Whether the tasks of a list, in some order, take all values to the target as one result and include no other task.
fn is_tree_in_some_order(case: &Case, list: &[Task]) -> Result<bool> {
    let (target, participants) = tasks::ends(case)?;
    let (mut left, mut ordered) = (list.to_vec(), Vec::new());
    let mut there: Vec<tasks::Holding> = Vec::new();
    while let Some(index) = left.iter().position(|task| {
        let (inputs, _) = tasks::flow(&case.platform, *task);
        let mut inputs = inputs.into_iter();
        inputs.all(|input| tasks::owns(participants, input) || there.contains(&input))
    }) {
        let task = left.remove(index);
        there.push(tasks::flow(&case.platform, task).1);
        ordered.push(task);
    }
    ordered.extend(left);
    Ok(is_tree(
        &case.platform,
        participants,
        target,
        &tasks::of_tasks(ordered),
    ))
}

/// E000-27: the number of lists of the tasks of figure 6(b), and of `v[1,2]` between 1 and 2, that are reduction trees
/// by definition 1, and the number of real reduction trees.
pub fn lists_of_tasks() -> Result<Sides> {
    let toy = Toy::load()?;
    let case = &toy.case;
    let mut all: Vec<Task> = toy.rates.keys().copied().collect();
    for name in ["1 -> 2: v[1,2]", "2 -> 1: v[1,2]"] {
        all.push(tasks::parse(&case.platform, name)?);
    }
    let (mut printed, mut right) = (0, 0);
    for chosen in 0..1u32 << all.len() {
        let is_chosen = |(index, _): &(usize, &Task)| chosen >> index & 1 == 1;
        let list: Vec<Task> = all
            .iter()
            .enumerate()
            .filter(is_chosen)
            .map(|(_, &task)| task)
            .collect();
        let (listed, tree) = (
            is_listed_tree(case, &list)?,
            is_tree_in_some_order(case, &list)?,
        );
        ensure!(listed || !tree, "a tree that definition 1 does not admit");
        printed += usize::from(listed);
        right += usize::from(tree);
    }
    Ok(Sides::new(printed, right))
}

/// E000-18: tasks per unit of time that are in no tree when the search ends. Definition 1 would call them one
/// (E000-27), with one weight.
pub fn left_over() -> Result<Rational> {
    let circulation = Circulation::load()?;
    let found = circulation.extract(Choice::Last)?;
    ensure!(!found.endless, "it ends with this choice");
    let rest: Vec<Task> = found.rest.keys().copied().collect();
    ensure!(
        is_listed_tree(&circulation.case, &rest)?
            && !is_tree_in_some_order(&circulation.case, &rest)?
            && found.rest.values().all(|rate| *rate == whole(2)),
        "the rest is not twice a circulation"
    );
    Ok(found.rest.values().sum())
}

/// E000-18 on the links of figure 6(a), on which the search ends with either choice.
pub fn left_over_on_four_links() -> Result<Rational> {
    let circulation = Circulation::on_four_links()?;
    let [first, last] = [Choice::First, Choice::Last].map(|choice| circulation.extract(choice));
    let (first, last) = (first?, last?);
    ensure!(!first.endless && !last.endless, "the search does not end");
    ensure!(
        first.rest == last.rest,
        "the two choices leave different tasks behind"
    );
    Ok(first.rest.values().sum())
}

/// Figure 8 on the solution of figure 6(b), over its period of 3. Extracts trees until their weights reach `until`.
fn figure_8(lines: Lines, until: i32) -> Result<Extraction> {
    let toy = Toy::load()?;
    let (target, participants) = tasks::ends(&toy.case)?;
    let figure = Figure8 {
        platform: &toy.case.platform,
        participants,
        target,
        lines,
        choice: Choice::First,
    };
    let period = whole(toy.period());
    let rates = toy
        .rates
        .iter()
        .map(|(&task, rate)| (task, rate * &period))
        .collect();
    Ok(figure.extract(&rates, &whole(until)))
}

/// A wrong line among the right ones leads to different trees.
fn lines(lines: Lines) -> Result<Sides> {
    Ok(Sides::new(
        outcome(&figure_8(lines, 3)?),
        outcome(&figure_8(Lines::default(), 3)?),
    ))
}

/// E000-19.
pub fn looks_for_sends() -> Result<Sides> {
    lines(Lines {
        looks_for_sends: true,
        ..Lines::default()
    })
}

/// E000-20.
pub fn goes_on_with_the_same_input() -> Result<Sides> {
    lines(Lines {
        same_input: true,
        ..Lines::default()
    })
}

/// E000-21: number of tasks in the result of FIND_TREE. Nothing is ever assigned to its T.
pub fn returns_nothing() -> Result<Sides> {
    let toy = Toy::load()?;
    let (target, participants) = tasks::ends(&toy.case)?;
    let lines = Lines::default();
    let figure = Figure8 {
        platform: &toy.case.platform,
        participants,
        target,
        lines,
        choice: Choice::First,
    };
    let TreeSearch::Tree(found) = figure.find_tree(&toy.rates) else {
        anyhow::bail!("the search does not end")
    };
    let is_tree = |list: &[_]| {
        is_tree(
            &toy.case.platform,
            participants,
            target,
            &tasks::of_tasks(list.to_vec()),
        )
    };
    ensure!(
        is_tree(&found) && !is_tree(&[]),
        "the tasks are a tree, and no tasks are none"
    );
    Ok(Sides::new(0, found.len()))
}

/// E000-22.
pub fn pushes_per_task() -> Result<Sides> {
    lines(Lines {
        pushes_per_task: true,
        ..Lines::default()
    })
}

/// E000-23: the loss at `T_fixed = T = 3`, which is truly 0: with the integer TP of a period, by the start of section
/// 4.6, and with that of a unit of time.
pub fn throughput_units() -> Result<Sides> {
    let found = figure_8(Lines::default(), 3)?;
    let period = whole(Toy::load()?.period());
    let of_period: Rational = found.trees.iter().map(|(weight, _)| weight).sum();
    // r(T) = floor(w(T) / T * T_fixed) with T_fixed = T.
    let rounded: Rational = found
        .trees
        .iter()
        .map(|(weight, _)| (weight / &period * &period).floor())
        .sum();
    let carried = rounded / &period;
    Ok(Sides::new(
        &of_period - &carried,
        of_period / &period - carried,
    ))
}

/// E000-24: reductions that the naive schedule of `T' = 6` must run, `TP T' / T` with the integer TP of a period, and
/// the reductions in figure 6(d), by its time-stamps.
pub fn naive_schedule() -> Result<Sides> {
    let toy = Toy::load()?;
    let period = whole(toy.period());
    let table = table(&toy.case, "figure-6d")?;
    let of_period = toy.case.throughput()? * &period;
    let columns = table.columns();
    ensure!(columns == 6, "figure 6(d) has {columns} columns");
    let stamps: std::collections::BTreeSet<usize> =
        table.cells.iter().map(|cell| cell.stamp).collect();
    Ok(Sides::new(
        of_period * whole(columns) / period,
        stamps.len(),
    ))
}

/// E000-24: `T'`, and the least multiple of the period in which three reductions of figure 6(b) can be made such that
/// the next three follow a period later.
pub fn naive_length() -> Result<Sides> {
    let toy = Toy::load()?;
    let (period, columns) = (
        whole(toy.period()),
        table(&toy.case, "figure-6d")?.columns(),
    );
    let shortest = super::naive::shortest(true)?;
    let multiple = (shortest / &period).ceil() * period;
    Ok(Sides::new(columns, multiple))
}

/// E000-25: the rest of `send(1 -> 0, v[1,2])` after the first step of EXTRACT_TREES, by the sum in the proof of
/// theorem 1 and by line 6.
pub fn difference_not_sum() -> Result<Sides> {
    let toy = Toy::load()?;
    let period = whole(toy.period());
    let tree = tasks::tree(&toy.case.platform, &toy::AT_1)?;
    let before: Rates = toy
        .rates
        .iter()
        .map(|(&task, rate)| (task, rate * &period))
        .collect();
    let weight = tree
        .tasks
        .iter()
        .filter_map(|task| before.get(&task.alone()))
        .min()
        .cloned()
        .context("no task")?;
    let task = tasks::parse(&toy.case.platform, "1 -> 0: v[1,2]")?;
    let before = before.get(&task).context("figure 6(b) sends v[1,2]")?;
    Ok(Sides::new(before + &weight, before - weight))
}

/// E003-5: the first value is not the target's.
pub fn any_part_counts() -> Result<Sides> {
    programs(
        &one_link("a b", "1", "b a")?,
        Errata {
            any_part: true,
            ..Errata::default()
        },
    )
}

/// E003-6: the only merge is `T[0,0,1]` at the target.
pub fn last_merge_left_out() -> Result<Sides> {
    programs(
        &one_link("a b", "1", "a b")?,
        Errata {
            short_sum: true,
            ..Errata::default()
        },
    )
}

/// The values of these indices in sequence.
fn values(indices: impl IntoIterator<Item = usize>) -> Value {
    let names: Vec<String> = indices
        .into_iter()
        .map(|index| format!("v{index}"))
        .collect();
    Value::Words(names.join(" + "))
}

/// E003-7: the values that processors 0 to N own, reduced from 1 on, and the values that our plan delivers. `N = 2`.
pub fn reduction_from_one() -> Result<Sides> {
    let case = toy::connected()?;
    let last = tasks::ends(&case)?.1.len() - 1;
    let solved = case.answer()?;
    let plan = solved.plan()?;
    let (tree, _) = tasks::trees(&plan.steady_state.patterns)
        .next()
        .context("no tree")?;
    let (part, _) = tasks::flow(&case.platform, *tree.tasks.last().context("no task")?).1;
    Ok(Sides::new(values(1..=last), values(part.first..=part.last)))
}

/// Every result of `v[k,m] = v[k,l] + v[l+1,m]`, for every `l`, as the list of its operands.
fn merged(part: Interval) -> std::collections::BTreeSet<Vec<usize>> {
    if part.first == part.last {
        return [vec![part.first]].into();
    }
    let splits =
        (part.first..part.last).map(|split| <[Interval; 2]>::from(part.split(split)).map(merged));
    splits
        .flat_map(|[left, right]| {
            let joined = |one: &Vec<usize>| {
                right
                    .iter()
                    .map(|other| [one.as_slice(), other].concat())
                    .collect::<Vec<_>>()
            };
            left.iter().flat_map(joined).collect::<Vec<_>>()
        })
        .collect()
}

/// E003-8: `v_k + v_2 + ... + v_m` for `k = 0`, `m = 3`, and the results of merging these values in any order.
pub fn second_operand() -> Result<Sides> {
    let (first, last) = (0, 3);
    let mut merged = merged(Interval { first, last });
    let operands = merged.pop_first().context("no result")?;
    ensure!(merged.is_empty(), "the operator is associative");
    Ok(Sides::new(
        values(std::iter::once(first).chain(2..=last)),
        values(operands),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::number;

    fn numbers(printed: &str, right: &str) -> Result<Sides> {
        Ok(Sides::new(number(printed)?, number(right)?))
    }

    fn words(text: &str) -> Value {
        Value::Words(text.to_string())
    }

    #[test]
    fn e000_10_a_result_that_comes_back_is_no_throughput() -> Result<()> {
        assert_eq!(result_comes_back()?, numbers("1", "3/20")?);
        let (tried, right) = printed_is_right()?;
        assert!(right > 0 && right < tried, "{right} of {tried}");
        Ok(())
    }

    #[test]
    fn e000_30_rates_have_no_sign() -> Result<()> {
        assert_eq!(rates_without_sign()?, numbers("3/2", "1")?);
        Ok(())
    }

    #[test]
    fn e000_11_operand_i_is_not_at_node_i() -> Result<()> {
        assert_eq!(operands_are_no_nodes()?, numbers("0", "1")?);
        Ok(())
    }

    #[test]
    fn e000_12_the_last_operand_is_not_the_last_node() -> Result<()> {
        assert_eq!(more_nodes_than_operands()?, numbers("0", "1")?);
        Ok(())
    }

    #[test]
    fn e000_13_the_right_part_starts_after_the_split() -> Result<()> {
        assert_eq!(split_of_the_text()?, numbers("1", "1/4")?);
        Ok(())
    }

    #[test]
    fn e000_14_figure_6d_is_the_mirror_of_figure_6b() -> Result<()> {
        let sides = mirrored()?;
        assert_ne!(sides.printed, sides.right);
        // Nodes 1 and 2 are exchanged, and so are their values.
        let toy = Toy::load()?;
        let mut swapped = std::collections::BTreeMap::new();
        for (name, count) in sides.printed.table()? {
            let exchanged = |text: &str| text.replace('1', "#").replace('2', "1").replace('#', "2");
            let (nodes, what) = name.split_once(": ").context("no nodes")?;
            let what = match what {
                "v[1,1]" => "v[2,2]",
                "v[2,2]" => "v[1,1]",
                other => other,
            };
            let name = format!("{}: {what}", exchanged(nodes));
            swapped.insert(tasks::parse(&toy.case.platform, &name)?, count.clone());
        }
        assert_eq!(tasks::by_name(&toy.case.platform, &swapped), sides.right);
        Ok(())
    }

    #[test]
    fn e000_15_node_2_sends_its_own_value() -> Result<()> {
        assert_eq!(labels()?, Sides::new(words("v[1,1]"), words("v[2,2]")));
        let toy = Toy::load()?;
        assert!(!table(&toy.case, "figure-6d")?.unfounded()?.is_empty());
        let whole = table(&toy.case, "figure-6e")?.relabelled("2 -> 1", right_label(&toy.case)?)?;
        assert!(whole.unfounded()?.is_empty());
        Ok(())
    }

    #[test]
    fn e000_16_two_ports_serve_two_links_at_a_time() -> Result<()> {
        assert_eq!(
            clashes("figure-6e")?.to_string(),
            "P0 receives: 2, 5, 8, 11, P1 sends: 3, 6, 9"
        );
        assert_eq!(clashes("figure-6d")?.to_string(), "P0 receives: 2");
        let (tried, allowed) = super::super::tables::residues()?;
        assert_eq!(tried, 81);
        assert!(allowed.iter().all(|[out_1, out_2, ..]| out_1 == out_2));
        Ok(())
    }

    #[test]
    fn e000_17_find_tree_need_not_end() -> Result<()> {
        assert_eq!(endless_search()?, Sides::new(words("endless"), 2));
        Ok(())
    }

    #[test]
    fn e000_27_a_list_of_tasks_need_not_be_a_tree() -> Result<()> {
        // Counted separately: a tree that merges at 1 or at 2, its result directly to 0 or over the other one.
        assert_eq!(lists_of_tasks()?, numbers("128", "4")?);
        let case = Toy::load()?.case;
        for list in [
            &[][..],
            &["1 -> 2: v[1,1]"],
            &["1 -> 2: v[1,2]", "2 -> 1: v[1,2]"],
        ] {
            let list = list.iter().map(|name| tasks::parse(&case.platform, name));
            let list = list.collect::<Result<Vec<Task>>>()?;
            assert!(is_listed_tree(&case, &list)? && !is_tree_in_some_order(&case, &list)?);
        }
        for names in [toy::AT_1, toy::AT_2] {
            let tree = tasks::tree(&case.platform, &names)?;
            let list: Vec<Task> = tree.tasks.iter().map(|task| task.alone()).collect();
            assert!(is_listed_tree(&case, &list)? && is_tree_in_some_order(&case, &list)?);
            assert!(!is_listed_tree(&case, &list[1..])?);
        }
        Ok(())
    }

    #[test]
    fn e000_18_circulations_are_in_no_tree() -> Result<()> {
        assert_eq!(left_over()?, whole(4));
        assert_eq!(left_over_on_four_links()?, whole(4));
        Ok(())
    }

    #[test]
    fn e000_19_messages_are_looked_for_where_they_come_from() -> Result<()> {
        assert_eq!(looks_for_sends()?, Sides::new(words("endless"), 2));
        Ok(())
    }

    #[test]
    fn e000_20_the_next_input_is_another_one() -> Result<()> {
        assert_eq!(
            goes_on_with_the_same_input()?,
            Sides::new(words("endless"), 2)
        );
        Ok(())
    }

    #[test]
    fn e000_21_the_tasks_are_returned() -> Result<()> {
        assert_eq!(returns_nothing()?, numbers("0", "4")?);
        Ok(())
    }

    #[test]
    fn e000_22_a_tree_is_pushed_once() -> Result<()> {
        assert_eq!(pushes_per_task()?, numbers("1", "2")?);
        Ok(())
    }

    #[test]
    fn e000_23_the_bound_of_a_fixed_period_counts_units_of_time() -> Result<()> {
        assert_eq!(throughput_units()?, numbers("2", "0")?);
        Ok(())
    }

    #[test]
    fn e000_24_the_naive_schedule_is_counted_three_ways() -> Result<()> {
        assert_eq!(naive_schedule()?, numbers("6", "3")?);
        assert_eq!(naive_length()?, numbers("6", "9")?);
        Ok(())
    }

    #[test]
    fn e000_25_the_weights_are_taken_off() -> Result<()> {
        assert_eq!(difference_not_sum()?, numbers("2", "0")?);
        Ok(())
    }

    #[test]
    fn e003_5_the_throughput_counts_results_only() -> Result<()> {
        assert_eq!(any_part_counts()?, numbers("2", "1")?);
        Ok(())
    }

    #[test]
    fn e003_6_the_last_merge_counts_too() -> Result<()> {
        assert_eq!(last_merge_left_out()?, numbers("0", "1")?);
        Ok(())
    }

    #[test]
    fn e003_7_the_first_value_is_v0() -> Result<()> {
        assert_eq!(
            reduction_from_one()?,
            Sides::new(words("v1 + v2"), words("v0 + v1 + v2"))
        );
        Ok(())
    }

    #[test]
    fn e003_8_the_second_operand_is_the_next_one() -> Result<()> {
        assert_eq!(
            second_operand()?,
            Sides::new(words("v0 + v2 + v3"), words("v0 + v1 + v2 + v3"))
        );
        Ok(())
    }
}
