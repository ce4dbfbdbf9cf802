//! Every schedule of reduces on tiny platforms: proposition 3, and a single reduction.

use anyhow::{Context, Result, ensure};

use super::search::opt_up_to;
use super::{single, tasks, toy};
use crate::cases;
use crate::exhaustive::{Held, beyond, first};
use crate::numbers::{short, whole};
use crate::rows::{Finding, Value};

/// Proposition 3 against every schedule.
pub fn proposition_3() -> Result<Finding> {
    let line = cases::platform("0 1 2", &[("0", "1", "1"), ("1", "2", "1")])?;
    let relay = cases::platform("0 r 1", &[("1", "r", "1"), ("r", "0", "2")])?;
    let triangle = cases::platform(
        "0 1 2",
        &[
            ("1", "0", "1"),
            ("2", "0", "2"),
            ("2", "1", "1"),
            ("1", "2", "1"),
        ],
    )?;
    let tried = [
        (
            cases::scaled(toy::four("figure 6", "1", ["1/2", "1", "1"])?)?.0,
            8,
        ),
        (cases::reduce("line", line, "2", "0 1 2")?, 6),
        (cases::reduce("two over a relay", relay, "0", "0 1")?, 10),
        (cases::reduce("triangle", triangle, "0", "0 1 2")?, 5),
    ];
    let mut held = Held::default();
    for (case, horizon) in &tried {
        held.add(case, &opt_up_to(case, *horizon, beyond(case, *horizon)?)?)?;
    }
    Ok(held.finding())
}

/// Section 1's REDUCE, one operation: the least makespan over all schedules of section 4.1's example and of figure 6.
pub fn single() -> Result<Finding> {
    let gather = [
        "1 -> 0: v[1,1]",
        "0: T[0,0,1]",
        "2 -> 0: v[2,2]",
        "0: T[0,1,2]",
    ];
    let (mut found, mut least) = (Vec::new(), Vec::new());
    for (case, horizon) in [
        (toy::connected()?, 5),
        (toy::four("figure 6", "1", ["1/2", "1", "1"])?, 5),
    ] {
        let (times, factor) = cases::scaled(case.clone())?;
        let shortest = first(&opt_up_to(&times, horizon, 1)?, &factor)
            .with_context(|| format!("{}: nothing", case.name))?;
        let attained = single::length(&case, &tasks::tree(&case.platform, &gather)?)?;
        ensure!(
            attained == shortest,
            "{}: {attained} is not the least, {shortest}",
            case.name
        );
        let rate = case.throughput()?;
        ensure!(
            &shortest * &rate >= whole(1),
            "{}: {shortest} is below 1 / TP",
            case.name
        );
        found.push(format!(
            "{}: {} ({} in a series)",
            case.name,
            short(&shortest),
            short(&rate.recip())
        ));
        least.push(Value::Number(shortest));
    }
    Ok(Finding::value(Value::List(least)).note(format!(
        "{}; never below 1 / TP; attained by sending v1 and v2 to P0, not by figure 5",
        found.join("; ")
    )))
}
