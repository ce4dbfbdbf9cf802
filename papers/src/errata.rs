//! One counterexample per entry of `docs/errata.md`: the result of the printed text, and the right one.
//!
//! The rows of the report and the tests at the end run the same functions.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use oneport::plan::{Event, Pattern, PeriodicSchedule, ScheduledPattern, Slot};
use oneport::platform::{LinkId, Node};
use oneport::schedule::Policy;
use oneport::{NodeId, Platform, Problem, referee, schedule};
use oneport_numbers::ratio;

use crate::cases::{self, Case, platform, scatter};
use crate::numbers::{common_denominator, number, unit_volumes, whole};
use crate::printed::{Errata, Program};
use crate::rows::{Finding, Paper, Value, root};
use crate::runs::{self, Flow, diameter};
use crate::search;
use crate::toy::Toy;

/// The two sides of an erratum.
#[derive(Debug, PartialEq, Eq)]
pub struct Sides {
    /// Value by the printed text.
    pub printed: Value,
    /// The right value.
    pub right: Value,
}

impl Sides {
    /// Both sides.
    pub fn new(printed: impl Into<Value>, right: impl Into<Value>) -> Sides {
        Sides {
            printed: printed.into(),
            right: right.into(),
        }
    }

    /// Both sides as a finding for a row.
    pub fn finding(self) -> Finding {
        Finding::value(self.right).with_printed(self.printed)
    }
}

/// The optimum of a program with errors, next to the throughput on which both our programs and the referee agree.
fn programs(case: &Case, errors: Errata) -> Result<Sides> {
    let printed =
        Program::new(&case.platform, &case.collective.commodities(), errors)?.throughput()?;
    Ok(Sides::new(printed, case.throughput()?))
}

/// E000-1: SSSP as printed, on the toy.
pub fn conservation_at_the_source() -> Result<Sides> {
    programs(&cases::toy()?, Errata::SSSP)
}

/// E000-2: one fast detour behind a slow link.
pub fn circulation_counts() -> Result<Sides> {
    let platform = platform(
        "s t u",
        &[("s", "t", "1"), ("t", "u", "1/4"), ("u", "t", "1/4")],
    )?;
    let case = scatter("detour", platform, "s", "t")?;
    let sides = programs(&case, Errata::SSSP)?;
    ensure!(
        sides
            == programs(
                &case,
                Errata {
                    source_conserves: false,
                    ..Errata::SSSP
                }
            )?,
        "E000-1 plays a part after all"
    );
    Ok(sides)
}

/// E000-2 on the toy with every link in both directions, with E000-1 corrected.
pub fn circulation_counts_on_the_toy() -> Result<Sides> {
    programs(
        &cases::symmetrised_toy()?,
        Errata {
            source_conserves: false,
            ..Errata::SSSP
        },
    )
}

/// E000-3: one source, one target, one link.
pub fn gossip_indices() -> Result<Sides> {
    let platform = platform("k l", &[("k", "l", "1")])?;
    programs(&scatter("one link", platform, "k", "l")?, Errata::SSPA2A)
}

/// E000-4: a slow link between two participants, each with a fast neighbour.
pub fn gossip_circulation() -> Result<Sides> {
    let links = [
        ("u", "k", "1/4"),
        ("k", "u", "1/4"),
        ("k", "l", "1"),
        ("l", "k", "1"),
        ("l", "v", "1/4"),
        ("v", "l", "1/4"),
    ];
    let case = cases::all_to_all("two pairs", platform("u k l v", &links)?, "k l")?;
    programs(
        &case,
        Errata {
            counted_at_source: false,
            ..Errata::SSPA2A
        },
    )
}

/// E000-5: which figure shows the schedule without split messages, by the captions' periods.
pub fn figure_of_the_long_schedule(captions: [(&str, &Value); 2]) -> Result<Value> {
    let toy = Toy::load()?;
    let period = Value::Number(toy.period()? * toy.unsplit_factor()?);
    let figure = captions
        .into_iter()
        .find(|(_, caption)| **caption == period);
    Ok(Value::Words(
        figure.context("no caption has this period")?.0.to_string(),
    ))
}

/// E000-6: the index of the cut message among those from Pb to P1, and the parts of the period in which it is sent,
/// from 1.
pub fn split_message() -> Result<(usize, Vec<usize>)> {
    let toy = Toy::load()?;
    let schedule = toy.schedule(&toy.period()?)?;
    let platform = &toy.case.platform;
    let link = cases::link(platform, "Pb -> P1")?;
    let timeline = schedule::timeline(
        &Problem::new(platform, &toy.case.collective, unit_volumes())?,
        &schedule,
        1,
    )?;
    // All messages of a period, for every period in which their instance starts.
    let mut sent: Vec<&Event> = timeline
        .events
        .iter()
        .filter(|event| event.link == link)
        .collect();
    let within = |event: &&Event| {
        event
            .pieces
            .first()
            .map(|(start, _)| start - (start / &schedule.period).floor() * &schedule.period)
    };
    sent.sort_by_key(within);
    let mut sent = sent.into_iter().enumerate();
    let (index, event) = sent
        .find(|(_, event)| event.pieces.len() > 1)
        .context("no message is cut")?;
    // Every part has its slot. Find the slots that the message overlaps, counted from the start of its period.
    let (mut start, mut parts) = (whole(0), Vec::new());
    let origin = event
        .pieces
        .first()
        .map(|(start, _)| (start / &schedule.period).floor() * &schedule.period);
    let origin = origin.context("a transfer without a time")?;
    for (part, slot) in schedule.slots.iter().enumerate() {
        let end = &start + &slot.length;
        let (from, to) = (&origin + &start, &origin + &end);
        if event
            .pieces
            .iter()
            .any(|(begin, stop)| *begin < to && *stop > from)
        {
            parts.push(part + 1);
        }
        start = end;
    }
    Ok((index + 1, parts))
}

/// E000-7: messages into and out of the middle of a line within K = 3, in an optimal run whose source sends the most.
pub fn in_transit() -> Result<Sides> {
    let line = platform("s r t", &[("s", "r", "1"), ("r", "t", "1")])?;
    let case = scatter("line", line, "s", "t")?;
    let horizon = 3;
    let timeline = schedule::timeline(&case.problem(), &case.schedule()?, horizon)?;
    let carried = |name: &str| -> Result<usize> {
        let link = cases::link(&case.platform, name)?;
        let ended = |end: &oneport::Rational| *end <= whole(horizon);
        let events = timeline.events.iter().filter(|event| event.link == link);
        Ok(events
            .filter(|event| event.pieces.last().is_some_and(|(_, end)| ended(end)))
            .count())
    };
    let (into, out) = (carried("s -> r")?, carried("r -> t")?);
    let best = search::opt(&case, horizon as usize)?.pop();
    ensure!(
        best == Some(out as u64) && into as u64 == horizon,
        "the run is not optimal, or its source sends less than it can"
    );
    // The proof takes them to be equal.
    Ok(Sides::new(out, into))
}

/// E000-8: periods until all buffers are full, next to the diameter. Four nodes, one long fast path.
pub fn filling_a_long_path() -> Result<Sides> {
    let mut links = Vec::new();
    for from in ["s", "a", "b", "t"] {
        for to in ["s", "a", "b", "t"] {
            let fast = [("s", "a"), ("a", "b"), ("b", "t")].contains(&(from, to));
            if from != to {
                links.push((from, to, if fast { "1" } else { "10" }));
            }
        }
    }
    let case = scatter("long path", platform("s a b t", &links)?, "s", "t")?;
    let solved = case.answer()?;
    let plan = solved.plan()?;
    let mut flow = Flow::new();
    for scheduled in &plan.schedule.patterns {
        for link in scheduled.pattern.links() {
            *flow.entry(link).or_default() += 1;
        }
    }
    ensure!(plan.schedule.patterns.len() == 1, "there is one best path");
    filling(&case.platform, "s", "t", &flow)
}

/// E000-8: a circulation that an optimal solution may contain.
pub fn filling_with_a_circulation() -> Result<Sides> {
    let links = [
        ("s", "z", "1/2"),
        ("s", "a", "1/2"),
        ("a", "t", "1/2"),
        ("a", "b", "1/20"),
        ("b", "a", "1/20"),
    ];
    let case = scatter("circulation", platform("s z a b t", &links)?, "s", "z t")?;
    let mut flow = Flow::new();
    let mut program = Program::new(
        &case.platform,
        &case.collective.commodities(),
        Errata::default(),
    )?;
    let throughput = case.throughput()?;
    ensure!(throughput == whole(1), "one instance per unit of time");
    program.fix_throughput(&throughput);
    for (name, amount) in [
        ("s -> a", 1i64),
        ("a -> t", 1),
        ("a -> b", 10),
        ("b -> a", 10),
    ] {
        let link = cases::link(&case.platform, name)?;
        program.fix(link, 1, &whole(amount));
        flow.insert(link, amount.unsigned_abs());
    }
    ensure!(
        program.throughput()? == throughput,
        "the solution with the circulation is optimal"
    );
    filling(&case.platform, "s", "t", &flow)
}

fn filling(platform: &Platform, source: &str, target: &str, flow: &Flow) -> Result<Sides> {
    let ends: [NodeId; 2] = [
        cases::node(platform, source)?,
        cases::node(platform, target)?,
    ];
    let (periods, fullest) = runs::filling_periods(platform, ends[0], ends[1], flow, 1000)?;
    ensure!(
        fullest <= whole(2),
        "between periods a buffer holds more than twice its minimum: {fullest}"
    );
    Ok(Sides::new(whole(diameter(platform)), whole(periods)))
}

/// E000-26: periods until all buffers are empty again, next to `I + T` with the diameter: a fast path of four links.
pub fn emptying_a_long_path() -> Result<Sides> {
    let names = ["s", "a", "b", "c", "t"];
    let fast: Vec<(&str, &str)> = names.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let mut links = Vec::new();
    for from in names {
        for to in names.into_iter().filter(|&to| to != from) {
            links.push((
                from,
                to,
                if fast.contains(&(from, to)) {
                    "1"
                } else {
                    "10"
                },
            ));
        }
    }
    let case = scatter("long path", platform("s a b c t", &links)?, "s", "t")?;
    let solved = case.answer()?;
    let plan = solved.plan()?;
    ensure!(plan.schedule.patterns.len() == 1, "there is one best path");
    let mut flow = Flow::new();
    for link in plan.schedule.patterns[0].pattern.links() {
        *flow.entry(link).or_default() += 1;
    }
    ensure!(flow.len() == 4, "the best path has {} links", flow.len());
    let periods = runs::emptying_periods(
        &case.platform,
        cases::node(&case.platform, "s")?,
        &flow,
        100,
    )?;
    Ok(Sides::new(
        whole(diameter(&case.platform) + 1),
        whole(periods),
    ))
}

/// E000-28: the printed bound of a's buffer, and the most messages in it: the policy of section 3.4 message by message,
/// on an optimal solution in one of its schedules. a receives all that it gets in a period before it sends.
pub fn a_buffer_within_a_period() -> Result<Sides> {
    let links = [
        ("s", "a", "1"),
        ("s", "b", "1"),
        ("b", "a", "1/6"),
        ("a", "t", "1/6"),
    ];
    let case = scatter("two ways to a", platform("s a b t", &links)?, "s", "t")?;
    let link = |name| cases::link(&case.platform, name);
    let [direct, first, second, last] = [
        link("s -> a")?,
        link("s -> b")?,
        link("b -> a")?,
        link("a -> t")?,
    ];
    let path = |links: &[LinkId], copies: u32| ScheduledPattern {
        pattern: Pattern::path(0, links.iter().copied()),
        copies: copies.into(),
    };
    let slot = |length, links: &[LinkId]| -> Result<Slot> {
        let mut links = links.to_vec();
        links.sort();
        Ok(Slot {
            shares: Vec::new(),
            length: number(length)?,
            links,
        })
    };
    let schedule = PeriodicSchedule {
        period: whole(3),
        instances: 3u32.into(),
        patterns: vec![path(&[direct, last], 2), path(&[first, second, last], 1)],
        slots: vec![
            slot("2", &[direct])?,
            slot("1/6", &[first, second])?,
            slot("1/2", &[first, last])?,
            slot("1/3", &[first])?,
        ],
    };
    let problem = case.problem();
    referee::check_schedule(&problem, &schedule)?;
    ensure!(
        schedule.throughput() == case.throughput()?,
        "the schedule is not optimal"
    );
    let a = cases::node(&case.platform, "a")?;
    let (sent, most) = runs::fullest_within(&case.platform, &schedule, a, 12)?;
    let policy = Policy::of(&problem, &schedule).context("messages travel alone")?;
    ensure!(
        policy.fullest == ratio(most, sent),
        "the policy fills it up to {}",
        policy.fullest
    );
    Ok(Sides::new(2 * sent, most))
}

/// E000-29: the targets of a series of scatters as section 1 numbers them, and those of a scatter, for N = 2.
pub fn targets_counted_twice() -> Result<Sides> {
    let case = cases::toy()?;
    let targets = case.collective.commodities().len();
    // P_{t_0}, ..., P_{t_N} against P_{t_1}, ..., P_{t_N}, with N targets.
    Ok(Sides::new((0..=targets).count(), (1..=targets).count()))
}

/// E003-9: the ends of the link (j, k), as named by slides 3 to 10 and as drawn.
pub fn ends_of_a_link() -> Result<Value> {
    let case = cases::toy()?;
    let (from, to) = ("P_j", "P_k");
    let mut builder = Platform::builder();
    let j = builder.node(Node::router(from))?;
    let k = builder.node(Node::router(to))?;
    let link = builder.link(j, k, case.platform.links()[0].cost.clone())?;
    let platform = builder.build()?;
    let ends = platform.link(link);
    let name = |node| Value::Words(platform.name(node).to_string());
    Ok(Value::List(vec![name(ends.from), name(ends.to)]))
}

/// E000-9: the period that makes all communication times integers, and the one that makes all numbers of messages
/// integers too.
pub fn whole_times_are_not_enough() -> Result<Sides> {
    let case = scatter("one link", platform("s t", &[("s", "t", "2")])?, "s", "t")?;
    let throughput = case.throughput()?;
    let busy = &throughput * &case.platform.links()[0].cost;
    Ok(Sides::new(
        whole(common_denominator([&busy])),
        whole(common_denominator([&busy, &throughput])),
    ))
}

/// E003-1: a single link of cost 2.
pub fn missing_cost() -> Result<Sides> {
    let platform = platform("s t", &[("s", "t", "2")])?;
    programs(
        &scatter("one link", platform, "s", "t")?,
        Errata {
            no_cost: true,
            ..Errata::default()
        },
    )
}

/// E003-2: a forwarding node whose two links have no reverse.
pub fn wrong_right_side() -> Result<Sides> {
    let platform = platform("s r t", &[("s", "r", "2"), ("r", "t", "1")])?;
    programs(
        &scatter("line", platform, "s", "t")?,
        Errata {
            wrong_right_side: true,
            ..Errata::default()
        },
    )
}

/// E003-3: a fast line.
pub fn at_most_one_message() -> Result<Sides> {
    let platform = platform("s r t", &[("s", "r", "1/4"), ("r", "t", "1/4")])?;
    programs(
        &scatter("fast line", platform, "s", "t")?,
        Errata {
            at_most_one: true,
            ..Errata::default()
        },
    )
}

/// E003-4: the printed vertices, with the missing one instead of the one printed twice. Every node that receives has a
/// send and a receive vertex.
pub fn lower_vertices() -> Result<Value> {
    let toy = Toy::load()?;
    let platform = &toy.case.platform;
    let targets = toy
        .case
        .collective
        .commodities()
        .into_iter()
        .map(|ends| ends.target);
    let wanted: Vec<Value> = targets
        .flat_map(|node| {
            ["send", "recv"].map(|side| Value::Words(format!("{} {side}", platform.name(node))))
        })
        .collect();
    let Value::List(mut vertices) = Paper::load("slides")?.printed("vertices")?.clone() else {
        anyhow::bail!("the vertices are not a list")
    };
    let missing: Vec<&Value> = wanted
        .iter()
        .filter(|vertex| !vertices.contains(vertex))
        .collect();
    let [missing] = missing[..] else {
        anyhow::bail!("{} vertices are missing", missing.len())
    };
    let twice = (0..vertices.len()).find(|&index| vertices[index + 1..].contains(&vertices[index]));
    vertices[twice.context("no vertex is printed twice")?] = missing.clone();
    ensure!(
        vertices.len() == wanted.len(),
        "{} vertices",
        vertices.len()
    );
    Ok(Value::List(vertices))
}

/// The ids that `docs/errata.md` lists as substantive, and as misprints, with the numbers it gives.
#[cfg(test)]
fn listed() -> Result<[(usize, std::collections::BTreeSet<String>); 2]> {
    let text = std::fs::read_to_string(root().join("docs/errata.md"))?;
    let list = |name: &str| {
        let start = text
            .find(&format!("{name} ("))
            .with_context(|| format!("no list '{name}'"))?;
        let paragraph = text[start..].split("\n\n").next().unwrap_or_default();
        let (count, rest) = paragraph[name.len() + 2..]
            .split_once(')')
            .context("no number")?;
        let words = rest
            .split_whitespace()
            .map(|word| word.trim_end_matches([',', '.']));
        let ids = words
            .filter(|word| word.starts_with('E') && word.contains('-'))
            .map(str::to_string);
        Ok::<_, anyhow::Error>((count.parse()?, ids.collect()))
    };
    Ok([list("Substantive")?, list("Misprints")?])
}

/// The entries of `docs/errata.md`: id and title, from its headings "## E000-1: title".
pub fn documented() -> Result<Vec<(String, String)>> {
    let path: PathBuf = root().join("docs/errata.md");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let headings = text
        .lines()
        .filter_map(|line| line.strip_prefix("## ")?.split_once(": "));
    Ok(headings
        .map(|(id, title)| (id.to_string(), title.to_string()))
        .collect())
}

#[cfg(test)]
pub mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Asserts both sides of an erratum.
    #[track_caller]
    pub fn check(sides: Result<Sides>, printed: &str, right: &str) {
        let expected = number(printed).and_then(|printed| Ok(Sides::new(printed, number(right)?)));
        match (sides, expected) {
            (Ok(sides), Ok(expected)) => assert_eq!(sides, expected),
            (sides, expected) => panic!("{sides:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn e000_1_the_source_cannot_conserve_what_it_emits() {
        check(conservation_at_the_source(), "0", "1/2");
    }

    #[test]
    fn e000_2_receptions_are_not_throughput() {
        check(circulation_counts(), "4", "1");
        check(circulation_counts_on_the_toy(), "3/4", "1/2");
    }

    #[test]
    fn e000_3_the_last_line_of_sspa2a_counts_at_the_source() {
        check(gossip_indices(), "0", "1");
    }

    #[test]
    fn e000_4_receptions_are_not_throughput_in_sspa2a_either() {
        check(gossip_circulation(), "4", "1");
    }

    #[test]
    fn e000_5_the_long_schedule_is_in_figure_4b() -> Result<()> {
        let (a, b) = (Value::from(12), Value::from(48));
        assert_eq!(
            figure_of_the_long_schedule([("a", &a), ("b", &b)])?,
            Value::Words("b".to_string())
        );
        Ok(())
    }

    #[test]
    fn e000_6_the_fifth_message_is_cut() -> Result<()> {
        assert_eq!(split_message()?, (5, vec![1, 3]));
        Ok(())
    }

    #[test]
    fn e000_7_messages_may_be_in_transit_when_the_time_is_over() {
        check(in_transit(), "2", "3");
    }

    #[test]
    fn e000_8_buffers_fill_along_the_longest_path_not_the_diameter() {
        check(filling_a_long_path(), "1", "2");
        // Node a can send nothing for 11 periods. Then it gains one message every other period, until it has both
        // shares.
        check(filling_with_a_circulation(), "2", "32");
    }

    #[test]
    fn e000_26_buffers_empty_along_the_longest_path_not_the_diameter() {
        check(emptying_a_long_path(), "2", "3");
    }

    #[test]
    fn e000_28_buffers_hold_nearly_three_periods_messages() {
        check(a_buffer_within_a_period(), "6", "8");
    }

    #[test]
    fn e000_29_a_series_has_the_targets_of_a_scatter() {
        check(targets_counted_twice(), "3", "2");
    }

    #[test]
    fn e003_9_a_link_joins_the_nodes_of_its_pair() -> Result<()> {
        assert_eq!(ends_of_a_link()?.to_string(), "P_j, P_k");
        Ok(())
    }

    #[test]
    fn e000_9_whole_communication_times_do_not_make_whole_messages() {
        check(whole_times_are_not_enough(), "1", "2");
    }

    #[test]
    fn e003_1_the_time_on_a_link_has_a_factor_c() {
        check(missing_cost(), "1", "1/2");
    }

    #[test]
    fn e003_2_what_comes_in_goes_out() {
        check(wrong_right_side(), "1", "1/2");
    }

    #[test]
    fn e003_3_messages_are_not_bounded_by_one() {
        check(at_most_one_message(), "1", "4");
    }

    #[test]
    fn e003_4_every_target_has_a_send_and_a_receive_vertex() -> Result<()> {
        assert_eq!(
            lower_vertices()?.to_string(),
            "P0 send, P0 recv, P1 send, P1 recv"
        );
        Ok(())
    }

    const SOURCES: [&str; 5] = [
        include_str!("errata.rs"),
        include_str!("reduce/errata.rs"),
        include_str!("liu_kuo_wang/errata.rs"),
        include_str!("canon_antoniu/errata.rs"),
        include_str!("rr2004_32/errata.rs"),
    ];

    #[test]
    fn every_erratum_has_an_entry_a_test_and_a_row() -> Result<()> {
        let documented: BTreeSet<String> = documented()?.into_iter().map(|(id, _)| id).collect();
        let function = |line: &str| {
            let words: Vec<&str> = line.trim().strip_prefix("fn e")?.splitn(3, '_').collect();
            let numbers =
                words.len() == 3 && words[..2].iter().all(|word| word.parse::<u32>().is_ok());
            numbers.then(|| format!("E{}-{}", words[0], words[1]))
        };
        let tested: BTreeSet<String> = SOURCES
            .iter()
            .flat_map(|source| source.lines())
            .filter_map(function)
            .collect();
        let mut shown = BTreeSet::new();
        for chapter in crate::CHAPTERS {
            shown.extend(
                Paper::load(chapter.stem)?
                    .rows
                    .into_iter()
                    .filter_map(|row| row.erratum),
            );
        }
        let text = std::fs::read_to_string(root().join("docs/errata.md"))?;
        for name in text
            .lines()
            .filter_map(|line| line.strip_prefix("- Test: `")?.strip_suffix("`."))
        {
            assert!(
                SOURCES
                    .iter()
                    .any(|source| source.contains(&format!("fn {name}("))),
                "no test {name}"
            );
        }
        let [(most, substantive), (few, misprints)] = listed()?;
        assert_eq!((most, few), (substantive.len(), misprints.len()));
        assert_eq!(documented, substantive.union(&misprints).cloned().collect());
        assert_eq!(documented.len(), most + few, "an entry is in both lists");
        assert_eq!(documented, tested);
        assert_eq!(documented, shown);
        assert!(!documented.is_empty());
        Ok(())
    }
}
