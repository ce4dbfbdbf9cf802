//! A plan as text.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use num_traits::Zero;
use oneport::plan::BigUint;
use oneport::platform::names::common;
use oneport::schedule::{Execution, Watch};
use oneport::{Amount, Answer, Plan, Rational, schedule};
use oneport_questions::Numbers;

use super::prices::prices;
use super::{explain, patterns};
use crate::answers::answer;
use crate::answers::bottleneck;
use crate::words::numbers::{Shown, readable, readable_count};
use crate::words::output::{count, few};
use crate::words::tables::{FormatArguments, Sheet, plain, wide};
use crate::words::usage::usage;

/// Limit on the kinds of nodes whose buffers are listed.
const BUFFERS: usize = 12;
/// Tasks of a period that is executed for depth and buffers. Trades these two figures for time. Measured: 180,000 tasks
/// 1.2 s of CPU.
const TASKS: u64 = 1_000_000;

/// Parts of a plan to print.
#[derive(Debug, Args)]
pub struct TextArguments {
    /// Explain why no schedule is faster: the certificate step by step.
    #[arg(long)]
    pub explain: bool,
    /// List all prices of the certificate.
    #[arg(long)]
    pub prices: bool,
    /// List each path, tree or scheme of the steady state in full.
    #[arg(long)]
    pub patterns: bool,
    /// List the busy links of each slot.
    #[arg(long)]
    pub slots: bool,
    /// The format of --prices, --patterns, --slots or --rates.
    #[command(flatten)]
    pub table: FormatArguments,
    /// Print fractions in full next to the decimals.
    #[arg(long)]
    pub exact: bool,
}

/// The requested sections of the plan. Its overview if none is requested.
///
/// # Errors
/// The plan is invalid.
pub fn text(
    answer: &Answer,
    plan: &Plan<'_>,
    arguments: &TextArguments,
    certified: Option<&str>,
) -> Result<String> {
    let shown = Shown::of(plan.platform(), arguments.exact);
    let sections = [
        (
            arguments.explain,
            explain::text as fn(&Plan<'_>, Shown) -> Result<String>,
        ),
        (arguments.prices, |plan, shown| Ok(prices(plan, shown))),
        (arguments.patterns, |plan, shown| {
            Ok(patterns::all(plan, shown))
        }),
        (arguments.slots, |plan, shown| Ok(wide(&slots(plan, shown)))),
    ];
    let mut asked = sections.into_iter().filter(|(asked, _)| *asked).peekable();
    if asked.peek().is_none() {
        return whole(answer, plan, shown, certified);
    }
    let texts: Vec<String> = asked
        .map(|(_, section)| section(plan, shown))
        .collect::<Result<_>>()?;
    Ok(texts.join("\n\n"))
}

/// The one table that is requested.
///
/// # Errors
/// A usage error, if none or several are requested.
pub fn sheet(plan: &Plan<'_>, arguments: &TextArguments, of_rates: bool) -> Result<Sheet> {
    let shown = Shown::of(plan.platform(), arguments.exact);
    let asked = [
        arguments.prices,
        arguments.patterns,
        arguments.slots,
        of_rates,
        arguments.explain,
    ];
    match asked {
        [true, false, false, false, false] => Ok(super::prices::sheet(plan, shown)),
        [false, true, false, false, false] => Ok(patterns::sheet(plan, shown)),
        [false, false, true, false, false] => Ok(slots(plan, shown)),
        [false, false, false, true, false] => super::rates::sheet(plan),
        _ => Err(usage(
            "--format prints one table; give one of --prices, --patterns, --slots and --rates with it",
        )),
    }
}

/// The answer, one pattern of each class, and the buffers of the nodes.
fn whole(
    judged: &Answer,
    plan: &Plan<'_>,
    shown: Shown,
    certified: Option<&str>,
) -> Result<String> {
    let bottleneck = bottleneck::of(judged);
    let numbers = Numbers::of_answer(judged, bottleneck.classes()).planned(plan);
    let mut out = answer::head(plan.problem, &numbers, &bottleneck, shown, certified);
    let work = if plan.collective().combines() {
        format!("a merge takes {}, ", work(plan))
    } else {
        String::new()
    };
    let (_, step) = patterns::words(plan.collective());
    let execution = execution(plan)?;
    let _ = writeln!(
        out,
        "schedule    {work}{} one after the other at most; an instance takes {}{}",
        count(plan.schedule.depth(), step),
        if execution.is_some() { "" } else { "at most " },
        count(
            execution
                .as_ref()
                .map_or(plan.schedule.depth(), |execution| execution.depth),
            "period"
        ),
    );
    if let Some(buffers) = execution.and_then(|execution| buffers(plan, &execution)) {
        let _ = writeln!(out, "buffers     messages to hold at most: {buffers}");
    }
    let _ = writeln!(out, "\n{}", patterns::classes(plan, shown));
    let _ = write!(
        out,
        "\nMore: --explain (why nothing is faster), --prices, --patterns, --slots; drawings: --help"
    );
    Ok(out)
}

/// Transfers and merges of one period.
pub fn tasks(plan: &Plan<'_>) -> BigUint {
    let patterns = plan.schedule.patterns.iter();
    patterns
        .map(|scheduled| &scheduled.copies * scheduled.pattern.tasks.len())
        .sum()
}

/// Executes one period task by task. `None` if it has more than `TASKS` tasks, or if the execution fails.
pub fn execution(plan: &Plan<'_>) -> Result<Option<Execution>> {
    if tasks(plan) <= BigUint::from(TASKS) {
        Ok(schedule::execution(plan.problem, plan.schedule, &Watch::unlimited()).ok())
    } else {
        Ok(None)
    }
}

/// The work of a merge at compute 1, or per data.
fn work(plan: &Plan<'_>) -> String {
    let (work, compute) = (&plan.problem.volumes().work, "x compute");
    match (work, plan.platform().units()) {
        (Amount::Constant(work), _) if work.is_zero() => "no time".to_string(),
        (Amount::Constant(work), Some(units)) if units.work_is_data => {
            format!("{} {compute}", units.show_data(work))
        }
        (Amount::Constant(work), Some(units)) => format!("{} {compute}", units.show_time(work)),
        (Amount::Constant(work), None) => format!("{} {compute}", readable(work)),
        (Amount::Affine { fixed, per_operand }, _) => {
            format!("({fixed} + {per_operand} per operand) {compute}")
        }
        (Amount::Table(_), _) => format!("work by interval {compute}"),
        (Amount::Tasks(_), _) => format!("work by task and processor {compute}"),
    }
}

/// The messages that forwarding nodes hold, alike nodes together.
fn buffers(plan: &Plan<'_>, execution: &Execution) -> Option<String> {
    let buffers = schedule::buffers(plan.platform(), execution);
    let mut classes: Vec<(String, String, Vec<_>)> = Vec::new();
    for (&node, messages) in &buffers {
        let (name, messages) = (common(plan.platform().name(node)), readable_count(messages));
        match classes
            .iter_mut()
            .find(|(known, held, _)| *known == name && *held == messages)
        {
            Some((_, _, nodes)) => nodes.push(node),
            None => classes.push((name, messages, vec![node])),
        }
    }
    let class = |(name, messages, nodes): &(String, String, Vec<oneport::NodeId>)| match nodes[..] {
        [node] => format!("{} {messages}", plan.platform().name(node)),
        _ => format!("{name} (each of {}) {messages}", nodes.len()),
    };
    (!classes.is_empty()).then(|| few(classes.iter().map(class), BUFFERS, ", ..."))
}

/// Which links are busy when.
fn slots(plan: &Plan<'_>, shown: Shown) -> Sheet {
    let mut start = Rational::zero();
    let rows = plan
        .schedule
        .slots
        .iter()
        .enumerate()
        .map(|(number, slot)| {
            let links: Vec<String> = slot
                .links
                .iter()
                .map(|&link| match slot.share(link) {
                    None => plan.platform().link_name(link),
                    Some(share) => format!(
                        "{} ({} of its rate)",
                        plan.platform().link_name(link),
                        readable(share)
                    ),
                })
                .collect();
            let from = start.clone();
            start += &slot.length;
            vec![
                (number + 1).to_string(),
                shown.time(&from),
                shown.time(&slot.length),
                links.join(", "),
            ]
        });
    plain(&["slot", "start", "length", "busy links"], &[], rows)
}
