//! `oneport verify`.

use anyhow::{Context, Result};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport::{Plan, Platform, formats, referee, schedule};

use crate::End;
use crate::arguments::VerifyArguments;
use crate::numbers::readable;
use crate::output::{count, print};

/// Transfers up to which a plan is also executed, message by message.
const EXECUTED: u64 = 200_000;

/// Runs the command.
pub fn run(arguments: &VerifyArguments) -> Result<End> {
    let plan = formats::read_plan(&arguments.plan)?;
    if let Some(path) = &arguments.platform {
        let platform = formats::read_platform(path)?;
        if let Some(difference) = difference(&plan.platform, &platform) {
            anyhow::bail!("{}: the plan is not for {}: {difference}", arguments.plan.display(), path.display());
        }
    }
    let name = arguments.plan.display();
    let verdict = referee::check_plan(&plan).with_context(|| format!("{name}: violation"))?;
    let executed = execute(&plan).with_context(|| format!("{name}: violation in the run"))?;
    print(&format!(
        "ok: {} throughput {} ({}), proved upper bound {}, schedule {} with period {}{executed}",
        plan.collective.name(),
        readable(&verdict.throughput),
        plan.status.name(),
        readable(&verdict.bound),
        readable(&verdict.schedule_throughput),
        readable(&plan.schedule.period),
    ))?;
    Ok(End::Done)
}

/// Runs start-up, a few steady periods and clean-up, where that is small enough to write down.
fn execute(plan: &Plan) -> Result<String> {
    let depth = plan.schedule.depth() as u64;
    let transfers =
        |scheduled: &oneport::plan::ScheduledPattern| &scheduled.copies * BigUint::from(scheduled.pattern.depth());
    let per_period: BigUint = plan.schedule.patterns.iter().map(transfers).sum();
    let Some(most) = per_period.to_u64().filter(|&count| count > 0).map(|count| EXECUTED / count) else {
        return Ok(String::new());
    };
    let periods = most.min(depth + 3);
    if periods == 0 {
        return Ok(String::new());
    }
    let timeline = schedule::timeline(&plan.platform, &plan.volumes, &plan.schedule, periods)?;
    let report = referee::check_timeline(&plan.platform, &plan.collective, &plan.volumes, &timeline)?;
    Ok(format!("; executed {} over {}", count(report.delivered, "instance"), count(periods, "period")))
}

/// The first difference between two platforms, named.
fn difference(plan: &Platform, file: &Platform) -> Option<String> {
    if plan == file {
        return None;
    }
    for id in plan.node_ids() {
        let node = plan.node(id);
        match file.find(&node.name) {
            None => return Some(format!("the file has no node '{}'", node.name)),
            Some(other) if file.node(other) != node => {
                return Some(format!("node '{}' has other attributes in the file", node.name));
            }
            Some(_) => {}
        }
    }
    for id in file.node_ids() {
        if plan.find(file.name(id)).is_none() {
            return Some(format!("the plan has no node '{}'", file.name(id)));
        }
    }
    let cost = |platform: &Platform, from: &str, to: &str| {
        let link = platform.link_between(platform.find(from)?, platform.find(to)?)?;
        Some(platform.link(link).cost.clone())
    };
    for (one, other, whose) in [(plan, file, "file"), (file, plan, "plan")] {
        for id in one.link_ids() {
            let link = one.link(id);
            match cost(other, one.name(link.from), one.name(link.to)) {
                None => return Some(format!("the {whose} has no link {}", one.link_name(id))),
                Some(cost) if cost != link.cost => {
                    return Some(format!("link {} costs {cost} in the {whose}, not {}", one.link_name(id), link.cost));
                }
                Some(_) => {}
            }
        }
    }
    // The same platform with its nodes or links in another order, or another default model.
    (plan.model() != file.model())
        .then(|| format!("the plan's port model is {}, the file's {}", plan.model(), file.model()))
}
