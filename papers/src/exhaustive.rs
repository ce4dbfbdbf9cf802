//! Every schedule of RR-4872's scatters and gossips on tiny platforms: proposition 2, and a single operation.

use anyhow::{Result, ensure};
use oneport::Rational;

use crate::cases::{self, Case};
use crate::numbers::{short, whole, whole_number};
use crate::rows::{Finding, Value};
use crate::runs::ScheduleRun;
use crate::search;

/// The maximum over all schedules, our schedule, and the ceiling.
#[derive(Debug, Default)]
pub struct Held {
    /// Pairs (G, K).
    pub pairs: usize,
    /// Cases in which the maximum equals TP K.
    pub tight: usize,
    /// The most possible by the last K, by platform.
    pub last: Vec<String>,
    /// Upper bound on the instances by which our periodic schedule is behind the maximum.
    pub behind: u64,
}

impl Held {
    /// Holds the run of our schedule of `case` and TP K against the most possible by each K.
    ///
    /// # Errors
    /// The results contradict each other.
    pub fn add(&mut self, case: &Case, best: &[u64]) -> Result<()> {
        let (solved, throughput) = (case.answer()?, case.throughput()?);
        let plan = solved.plan()?;
        let period = &plan.schedule.period;
        let periods = whole_number(&(whole(best.len()) / period).floor())?;
        let run = ScheduleRun::new(&case.name, case, plan.schedule, periods)?;
        for (time, &best) in best.iter().enumerate() {
            let ours = run.delivered(whole_number(&(whole(time) / period).floor())?);
            let ceiling = &throughput * whole(time);
            let name = &case.name;
            ensure!(
                ours <= best,
                "{name}, K = {time}: our schedule has {ours}, the search {best}"
            );
            ensure!(
                whole(best) <= ceiling,
                "{name}, K = {time}: opt {best} > TP K = {ceiling}"
            );
            self.tight += usize::from(time > 0 && whole(best) == ceiling);
            self.behind = self.behind.max(best - ours);
            self.pairs += 1;
        }
        let (last, most) = (best.len() - 1, best.last().copied().unwrap_or(0));
        self.last.push(format!("{}: {most} by {last}", case.name));
        Ok(())
    }

    /// The results as a finding.
    pub fn finding(&self) -> Finding {
        let Held {
            pairs,
            tight,
            last,
            behind,
        } = self;
        Finding::claim(true, format!("{} platforms, {pairs} pairs (G, K), every schedule tried", last.len())).note(
            format!(
                "{}; TP K itself in {tight} pairs; our schedule is at most {behind} behind the most possible",
                last.join(", ")
            ),
        )
    }
}

/// One instance more than TP K at the horizon: a search up to this number finds `opt(G, K)` itself, or a contradiction.
pub fn beyond(case: &Case, horizon: usize) -> Result<u8> {
    Ok(u8::try_from(
        whole_number(&(case.throughput()? * whole(horizon)).floor())? + 1,
    )?)
}

/// When the first instance can be complete, over all schedules, within these lists by K.
pub fn first(best: &[u64], factor: &Rational) -> Option<Rational> {
    best.iter()
        .position(|&instances| instances > 0)
        .map(|time| whole(time) / factor)
}

/// Proposition 2 against every schedule of gossips.
pub fn gossips() -> Result<Finding> {
    let duplex = |links: &[(&'static str, &'static str, &'static str)]| {
        links
            .iter()
            .flat_map(|&(a, b, cost)| [(a, b, cost), (b, a, cost)])
            .collect::<Vec<_>>()
    };
    let line = cases::platform("a b c", &duplex(&[("a", "b", "1"), ("b", "c", "1")]))?;
    let triangle = cases::platform(
        "a b c",
        &duplex(&[("a", "b", "1"), ("b", "c", "2"), ("a", "c", "1")]),
    )?;
    let relay = cases::platform("a r b", &duplex(&[("a", "r", "2"), ("r", "b", "1")]))?;
    let circle = cases::platform(
        "a b c",
        &[("a", "b", "1"), ("b", "c", "1"), ("c", "a", "1")],
    )?;
    let tried = [
        (cases::all_to_all("line", line, "a b c")?, 6),
        (cases::all_to_all("two of a triangle", triangle, "b c")?, 8),
        (cases::all_to_all("two over a relay", relay, "a b")?, 12),
        (cases::all_to_all("circle", circle, "a b c")?, 6),
    ];
    let mut held = Held::default();
    for (case, horizon) in &tried {
        held.add(
            case,
            &search::opt_up_to(case, *horizon, beyond(case, *horizon)?)?,
        )?;
    }
    Ok(held.finding())
}

/// Section 1's SCATTER, one operation: its least makespan over all schedules, never below 1 / TP.
pub fn single_scatters() -> Result<Finding> {
    let line = cases::platform("s r t", &[("s", "r", "1"), ("r", "t", "2")])?;
    let fork = cases::platform("s a b", &[("s", "a", "1"), ("s", "b", "2")])?;
    let tried = [
        (cases::toy()?, 9),
        (cases::scatter("line of costs 1 and 2", line, "s", "t")?, 6),
        (
            cases::scatter("fork of costs 1 and 2", fork, "s", "a b")?,
            6,
        ),
    ];
    let (mut found, mut least) = (Vec::new(), Vec::new());
    for (case, horizon) in tried {
        let name = case.name.clone();
        let rate = case.throughput()?;
        let (case, factor) = cases::scaled(case)?;
        let Some(shortest) = first(&search::opt_up_to(&case, horizon, 1)?, &factor) else {
            anyhow::bail!("{name}: nothing by {horizon}")
        };
        ensure!(
            &shortest * &rate >= whole(1),
            "{name}: {shortest} is below 1 / TP"
        );
        found.push(format!(
            "{name}: {} ({} in a series)",
            short(&shortest),
            short(&rate.recip())
        ));
        least.push(Value::Number(shortest));
    }
    Ok(
        Finding::value(Value::List(least))
            .note(format!("{}; never below 1 / TP", found.join("; "))),
    )
}
