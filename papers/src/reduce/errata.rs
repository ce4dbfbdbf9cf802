//! One counterexample per entry of `docs/errata.md` on reduces, as in [`errata`](crate::errata).

use anyhow::{Context, Result, ensure};
use num_traits::Zero;
use oneport::Rational;
use oneport::plan::{Interval, Pattern};
use oneport_trees::cheapest::is_tree;

use super::extraction::{Choice, Extraction, Figure8, Lines, Search};
use super::program::{Errors, Program, SSR};
use super::tables::Table;
use super::tasks::{self, Rates};
use super::toy::{self, Toy};
use crate::cases::{self, Case, platform};
use crate::errata::Sides;
use crate::numbers::whole;
use crate::rows::{Paper, Value};

/// The optimum of a program with errors, beside the throughput on which ours and the referee agree.
fn programs(case: &Case, errors: Errors) -> Result<Sides> {
    Ok(Sides::new(Program::new(case, errors)?.throughput()?, case.throughput()?))
}

/// E000-10: figure 6 with slow processors.
pub fn result_comes_back() -> Result<Sides> {
    programs(&toy::case("slow processors", "1", ["10", "10", "10"])?, SSR)
}

/// E000-10 at random: platforms, and those on which the printed program yields the throughput.
pub fn printed_is_right() -> Result<(usize, usize)> {
    let (mut tried, mut right) = (0, 0);
    for (nodes, degree) in [(3, 2), (4, 2), (4, 3), (5, 2)] {
        for seed in 1..=10 {
            let case = cases::reduce_of_all("random", cases::random(nodes, degree, seed, 10)?)?;
            let corrected = Program::new(&case, Errors::default())?.throughput()?;
            let printed = Program::new(&case, SSR)?.throughput()?;
            ensure!(printed >= corrected, "the printed program has more freedom");
            tried += 1;
            right += usize::from(printed == corrected);
        }
    }
    Ok((tried, right))
}

/// Two owners of values, one link; the nodes before and after them take no part.
fn one_link(nodes: &str, cost: &str, participants: &str) -> Result<Case> {
    let case = platform(nodes, &[("b", "a", cost)])?;
    cases::reduce("one link", case, "a", participants)
}

/// E000-11: the owners are not the nodes numbered 0 and 1.
pub fn operands_are_no_nodes() -> Result<Sides> {
    programs(&one_link("r a b", "1", "a b")?, Errors { node_numbers: true, ..Errors::default() })
}

/// E000-12: a third node, and two operands.
pub fn more_nodes_than_operands() -> Result<Sides> {
    programs(&one_link("a b r", "1", "a b")?, Errors { nodes_for_operands: true, ..Errors::default() })
}

/// E000-13: a slow link that is not needed.
pub fn split_of_the_text() -> Result<Sides> {
    programs(&one_link("a b", "4", "a b")?, Errors { wrong_split: true, ..Errors::default() })
}

/// Figure 6(d) or 6(e) as printed.
pub fn table<'a>(case: &'a Case, id: &str) -> Result<Table<'a>> {
    Table::read(case, Paper::load("000")?.table(id)?)
}

/// E000-14: what figure 6(d) does in its three reductions, its labels put right; what figure 6(b) says.
pub fn mirrored() -> Result<Sides> {
    let toy = Toy::load()?;
    let table = table(&toy.case, "figure-6d")?.relabelled("2 -> 1", right_label(&toy.case)?)?;
    let counts: Rates = table.counts().into_iter().map(|(task, count)| (task, whole(count))).collect();
    let period = whole(toy.period());
    let right = toy.rates.iter().map(|(&task, rate)| (task, rate * &period)).collect();
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
        oneport::plan::Task::Send { link: other, part, .. } if other == link => Some(part),
        _ => None,
    });
    let words = |part: Interval| Value::Words(format!("v[{},{}]", part.first, part.last));
    Ok(Sides::new(words(label.context("nothing travels 2 -> 1")?), words(right_label(&toy.case)?)))
}

/// E000-16: when some port serves two links at a time, in figure 6(e): "P0 receives: 2, 5".
pub fn clashes() -> Result<Value> {
    let toy = Toy::load()?;
    let mut times: std::collections::BTreeMap<String, Value> = std::collections::BTreeMap::new();
    for clash in table(&toy.case, "figure-6e")?.clashes() {
        let entry = times.entry(clash.what).or_insert_with(|| Value::List(Vec::new()));
        if let Value::List(list) = entry {
            list.push(clash.time.into());
        }
    }
    Ok(Value::Table(times))
}

/// An optimal solution with a circulation: figure 6 with links of cost 1/4.
pub struct Circulation {
    /// Platform and reduce.
    pub case: Case,
    /// Throughput.
    pub throughput: Rational,
    /// Per unit of time.
    pub rates: Rates,
}

impl Circulation {
    /// Writes it down, and checks that it satisfies the corrected program and is optimal, and that 0 -> 1 carries as
    /// much of `v[1,2]` as it can in an optimal solution: so a simplex method may well end here.
    pub fn load() -> Result<Circulation> {
        let case = toy::case("figure 6, links of cost 1/4", "1/4", ["1/2", "1", "1"])?;
        let mut rates = Rates::new();
        for (name, rate) in [
            ("2 -> 1: v[2,2]", 1),
            ("1 -> 2: v[1,1]", 1),
            ("1: T[1,1,2]", 1),
            ("2: T[1,1,2]", 1),
            ("0: T[0,0,2]", 2),
            ("1 -> 0: v[1,2]", 3),
            ("2 -> 0: v[1,2]", 1),
            ("0 -> 1: v[1,2]", 2),
        ] {
            rates.insert(tasks::parse(&case.platform, name)?, whole(rate));
        }
        let throughput = case.throughput()?;
        let mut program = Program::new(&case, Errors::default())?;
        program.check(&rates, &throughput)?;
        program.fix_throughput(&throughput);
        let back = tasks::parse(&case.platform, "0 -> 1: v[1,2]")?;
        ensure!(rates.get(&back) == Some(&program.range(back)?.1), "0 -> 1 may carry more");
        Ok(Circulation { case, throughput, rates })
    }

    /// Figure 8 with all its lines put right.
    pub fn extract(&self, choice: Choice) -> Result<Extraction> {
        let (target, participants) = tasks::ends(&self.case)?;
        let figure = Figure8 { platform: &self.case.platform, participants, target, lines: Lines::default(), choice };
        Ok(figure.extract(&self.rates, &self.throughput))
    }

    /// Ours: circulations cancelled first.
    pub fn extract_corrected(&self) -> Result<Vec<(Pattern, Rational)>> {
        tasks::extracted(&self.case, &self.throughput, &self.rates)
    }
}

/// What an extraction comes to: the number of different trees, or that it does not end.
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
    Ok(Sides::new(outcome(&circulation.extract(Choice::First)?), circulation.extract_corrected()?.len()))
}

/// E000-18: tasks per unit of time that are in no tree, where the search happens to end.
pub fn left_over() -> Result<Sides> {
    let found = Circulation::load()?.extract(Choice::Last)?;
    ensure!(!found.endless, "it ends with this choice");
    Ok(Sides::new(Rational::zero(), found.rest.values().sum::<Rational>()))
}

/// Figure 8 on the solution of figure 6(b), over its period of 3; trees until their weights reach so much.
fn figure_8(lines: Lines, until: i32) -> Result<Extraction> {
    let toy = Toy::load()?;
    let (target, participants) = tasks::ends(&toy.case)?;
    let figure = Figure8 { platform: &toy.case.platform, participants, target, lines, choice: Choice::First };
    let period = whole(toy.period());
    let rates = toy.rates.iter().map(|(&task, rate)| (task, rate * &period)).collect();
    Ok(figure.extract(&rates, &whole(until)))
}

/// A wrong line beside the right ones: different trees found.
fn lines(lines: Lines) -> Result<Sides> {
    Ok(Sides::new(outcome(&figure_8(lines, 3)?), outcome(&figure_8(Lines::default(), 3)?)))
}

/// E000-19.
pub fn looks_for_sends() -> Result<Sides> {
    lines(Lines { looks_for_sends: true, ..Lines::default() })
}

/// E000-20.
pub fn goes_on_with_the_same_input() -> Result<Sides> {
    lines(Lines { same_input: true, ..Lines::default() })
}

/// E000-21: tasks in what FIND_TREE returns. Nothing is ever assigned to its T.
pub fn returns_nothing() -> Result<Sides> {
    let toy = Toy::load()?;
    let (target, participants) = tasks::ends(&toy.case)?;
    let lines = Lines::default();
    let figure = Figure8 { platform: &toy.case.platform, participants, target, lines, choice: Choice::First };
    let Search::Tree(found) = figure.find_tree(&toy.rates) else { anyhow::bail!("the search does not end") };
    let is_tree = |list: &[_]| is_tree(&toy.case.platform, participants, target, &tasks::of_tasks(list.to_vec()));
    ensure!(is_tree(&found) && !is_tree(&[]), "the tasks are a tree, and no tasks are none");
    Ok(Sides::new(0, found.len()))
}

/// E000-22.
pub fn pushes_per_task() -> Result<Sides> {
    lines(Lines { pushes_per_task: true, ..Lines::default() })
}

/// E000-23: TP per unit of time, `A` and the weights per period.
pub fn stops_at_the_throughput() -> Result<Sides> {
    Ok(Sides::new(outcome(&figure_8(Lines::default(), 1)?), outcome(&figure_8(Lines::default(), 3)?)))
}

/// E003-5: the first value is not the target's.
pub fn any_part_counts() -> Result<Sides> {
    programs(&one_link("a b", "1", "b a")?, Errors { any_part: true, ..Errors::default() })
}

/// E003-6: the only merge is `T[0,0,1]` at the target.
pub fn last_merge_left_out() -> Result<Sides> {
    programs(&one_link("a b", "1", "a b")?, Errors { short_sum: true, ..Errors::default() })
}

/// The values of these indices in a row.
fn values(indices: impl IntoIterator<Item = usize>) -> Value {
    let names: Vec<String> = indices.into_iter().map(|index| format!("v{index}")).collect();
    Value::Words(names.join(" + "))
}

/// E003-7: what the processors 0 to N own, reduced from 1 on; `N = 2`.
pub fn reduction_from_one() -> Sides {
    Sides::new(values(1..=2), values(0..=2))
}

/// E003-8: `v_k + v_2 + ... + v_m` for `k = 0`, `m = 3`.
pub fn second_operand() -> Sides {
    Sides::new(values(std::iter::once(0).chain(2..=3)), values(0..=3))
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
        // Nodes 1 and 2 change places, and so do their values.
        let toy = Toy::load()?;
        let mut swapped = std::collections::BTreeMap::new();
        for (name, count) in sides.printed.table()? {
            let places = |text: &str| text.replace('1', "#").replace('2', "1").replace('#', "2");
            let (place, what) = name.split_once(": ").context("no place")?;
            let what = match what {
                "v[1,1]" => "v[2,2]",
                "v[2,2]" => "v[1,1]",
                other => other,
            };
            let name = format!("{}: {what}", places(place));
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
        assert_eq!(clashes()?.to_string(), "P0 receives: 2, 5, 8, 11, P1 sends: 3, 6, 9");
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
    fn e000_18_circulations_are_in_no_tree() -> Result<()> {
        assert_eq!(left_over()?, numbers("0", "4")?);
        Ok(())
    }

    #[test]
    fn e000_19_messages_are_looked_for_where_they_come_from() -> Result<()> {
        assert_eq!(looks_for_sends()?, Sides::new(words("endless"), 2));
        Ok(())
    }

    #[test]
    fn e000_20_the_next_input_is_another_one() -> Result<()> {
        assert_eq!(goes_on_with_the_same_input()?, Sides::new(words("endless"), 2));
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
    fn e000_23_the_weights_add_up_to_the_throughput_of_a_period() -> Result<()> {
        assert_eq!(stops_at_the_throughput()?, numbers("1", "2")?);
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
    fn e003_7_the_first_value_is_v0() {
        assert_eq!(reduction_from_one(), Sides::new(words("v1 + v2"), words("v0 + v1 + v2")));
    }

    #[test]
    fn e003_8_the_second_operand_is_the_next_one() {
        assert_eq!(second_operand(), Sides::new(words("v0 + v2 + v3"), words("v0 + v1 + v2 + v3")));
    }
}
