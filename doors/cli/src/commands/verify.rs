//! `oneport verify`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport::files::{AnswerFile, Chosen, SingleReduction};
use oneport::plan::{SingleAllReduce, SingleBroadcast};
use oneport::referee::Recheck;
use oneport::watch::Watch;
use oneport::{Plan, files, referee, schedule};

use crate::answers::checked;
use crate::answers::{chosen, reduction as words};
use crate::flags::limits::{self, LimitArguments};
use crate::flags::platform::{PlatformArguments, source};
use crate::flags::topology::TopologyArguments;
use crate::words::exit::End;
use crate::words::numbers::{readable, readable_count};
use crate::words::output::{count, print};
use crate::words::settings::hear;

/// Transfers up to which a plan is also executed, message by message. Trades a second check for time. Measured: 98,568
/// transfers 0.6 s of CPU.
const EXECUTED: u64 = 100_000;
/// Transfers times machine words of a date up to which a plan is also executed. Trades a second check for time.
/// Measured: a period of 20,000 digits 0.02 s, above 92 s before this limit.
const WORDS: u64 = 2_000_000;

/// Check a plan, or one reduction, broadcast or all-reduction: ports, messages, throughput, certificate. Exit 0 and one
/// line, or exit 1 and the first violation.
#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// The plan file.
    #[arg(value_name = "PLAN", index = 1)]
    pub plan: PathBuf,
    /// Also check that the plan is for this platform.
    #[command(flatten)]
    pub platform: PlatformArguments,
    /// Also check that the schedule cuts no message: every transfer is one stretch within the period.
    #[arg(long)]
    pub whole_messages: bool,
    /// Values that a topology file lacks.
    #[command(flatten)]
    pub topology: TopologyArguments,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArguments,
}

/// Runs the command.
pub fn run(arguments: &VerifyArguments) -> Result<End> {
    let watch = arguments.limits.watch()?;
    let (claim, stated, chosen) = match files::read_answer(&arguments.plan)? {
        AnswerFile::Plan(claim, stated, chosen) => (*claim, stated, chosen),
        AnswerFile::Reduction(one) => return reduction(arguments, &one),
        AnswerFile::Broadcast(one) => return broadcast(arguments, &one),
        AnswerFile::AllReduce(all) => return all_reduce(arguments, &all),
    };
    if let Some(path) = arguments.platform.given()? {
        let reading = arguments.topology.reading();
        let platform = reading.read_as_stated(&source(path), &hear)?.platform;
        referee::check_same_platform(claim.problem.platform(), &platform).map_err(
            |difference| {
                let (plan, file) = (arguments.plan.display(), path.display());
                anyhow::anyhow!("{plan}: the plan is not for {file}: {difference}")
            },
        )?;
    }
    let name = arguments.plan.display();
    let answer = checked::answer(&arguments.plan, claim, &stated, &watch)?;
    let plan = checked::plan(&arguments.plan, &answer)?;
    let whole = if arguments.whole_messages {
        let checked = referee::check_whole_messages(plan.problem, plan.schedule);
        checked.with_context(|| format!("{name}: violation"))?;
        ", no message cut"
    } else {
        ""
    };
    let executed =
        execute(&plan, &watch).with_context(|| format!("{name}: violation in the run"))?;
    print(&format!(
        "ok: {} throughput {} ({}), proved upper bound {}, schedule {} with period {}{whole}{executed}",
        plan.collective().name(),
        readable(&plan.steady_state.throughput),
        status(&plan, chosen.as_ref()),
        readable(plan.upper_bound),
        readable(&plan.schedule.throughput()),
        readable(&plan.schedule.period),
    ))?;
    Ok(End::Done)
}

/// The status. If a search chose the links, also the platform of which it holds.
fn status(plan: &Plan<'_>, chosen: Option<&Chosen>) -> String {
    let status = plan.status.name();
    chosen.map_or_else(
        || status.to_string(),
        |chosen| {
            let links = count(plan.platform().links().len(), "link");
            let choice = chosen::words(chosen);
            format!("{status} on its {links}, {choice}, which is not checked")
        },
    )
}

/// One reduction: its schedule, date by date, and its bound.
fn reduction(arguments: &VerifyArguments, one: &SingleReduction) -> Result<End> {
    executed_once(arguments, "one reduction")?;
    let name = arguments.plan.display();
    let recheck = referee::check_single(one).with_context(|| format!("{name}: violation"))?;
    print(&format!(
        "ok: reduction of {}, length {}",
        count(one.reduction.receivers.len(), "value"),
        words::length(
            &one.reduction.length,
            &one.lower_bound,
            recheck == Recheck::Proved,
            &words::proof(one.proof.as_ref(), &recheck)
        ),
    ))?;
    Ok(End::Done)
}

/// Refuses options that only plans take.
fn executed_once(arguments: &VerifyArguments, what: &str) -> Result<()> {
    let name = arguments.plan.display();
    if arguments.platform.given()?.is_some() {
        anyhow::bail!("{name}: {what} has no platform; leave --platform out");
    }
    if arguments.whole_messages {
        anyhow::bail!(
            "{name}: {what} has no period and cuts no message; leave --whole-messages out"
        );
    }
    Ok(())
}

/// One broadcast: its schedule, date by date, and its bound.
fn broadcast(arguments: &VerifyArguments, one: &SingleBroadcast) -> Result<End> {
    executed_once(arguments, "one broadcast")?;
    let name = arguments.plan.display();
    let recheck =
        referee::check_single_broadcast(one).with_context(|| format!("{name}: violation"))?;
    print(&format!(
        "ok: broadcast to {}, length {}",
        count(one.broadcast.senders.len(), "processor"),
        words::length(
            &one.broadcast.length,
            &one.lower_bound,
            recheck == Recheck::Proved,
            &words::of_broadcast(one.proof.as_ref(), &recheck)
        ),
    ))?;
    Ok(End::Done)
}

/// One all-reduction: both schedules, date by date, and the bound.
fn all_reduce(arguments: &VerifyArguments, all: &SingleAllReduce) -> Result<End> {
    executed_once(arguments, "one all-reduction")?;
    let name = arguments.plan.display();
    let recheck = referee::check_all_reduce(all).with_context(|| format!("{name}: violation"))?;
    let (into, proof) = (all.proof.as_ref())
        .map(|(into, proof)| (*into, proof))
        .unzip();
    print(&format!(
        "ok: all-reduction among {}, length {}",
        count(all.reduction.receivers.len(), "processor"),
        words::length(
            &all.length(),
            &all.lower_bound,
            recheck == Recheck::Proved,
            &words::of_all_reduce(into, proof, &recheck)
        ),
    ))?;
    Ok(End::Done)
}

/// Executes start-up, a few steady periods and clean-up, as far as the limits on work allow. Returns a sentence about
/// the executed and the omitted parts.
fn execute(plan: &Plan<'_>, watch: &Watch) -> Result<String> {
    let tasks = |scheduled: &oneport::plan::ScheduledPattern| {
        &scheduled.copies * BigUint::from(scheduled.pattern.tasks.len())
    };
    let per_period: BigUint = plan.schedule.patterns.iter().map(tasks).sum();
    let words = words(plan);
    let most = EXECUTED.min(WORDS / words);
    let Some(fitting) = per_period
        .to_u64()
        .filter(|&count| count > 0)
        .map(|count| most / count)
    else {
        return Ok(not_executed(&per_period, words));
    };
    if fitting == 0 {
        return Ok(not_executed(&per_period, words));
    }
    let wanted =
        schedule::execution(plan.problem, plan.schedule, &Watch::unlimited())?.depth as u64 + 3;
    let periods = fitting.min(wanted);
    if let Err(limit) = watch.ask() {
        return Ok(format!("; not executed: {}", limits::named(limit)));
    }
    let timeline = schedule::timeline_in_units(plan.problem, plan.schedule, periods)?;
    let report = referee::check_timeline(plan.problem, &timeline)?;
    let short = if periods < wanted {
        format!(", not the {wanted} that reach the steady state and leave it")
    } else {
        String::new()
    };
    Ok(format!(
        "; executed {} over {}{short}",
        count(report.delivered, "instance"),
        count(periods, "period")
    ))
}

fn not_executed(tasks: &BigUint, words: u64) -> String {
    let long = if words > 8 {
        format!(" with dates of some {} digits", words * 19)
    } else {
        String::new()
    };
    format!(
        "; not executed: one period has {}{long}, too many to follow",
        count(readable_count(tasks), "transfer")
    )
}

/// Approximate machine words of a date: the bits of the period and of the longest denominator of its slots.
fn words(plan: &Plan<'_>) -> u64 {
    let times = || {
        plan.schedule
            .slots
            .iter()
            .map(|slot| &slot.length)
            .chain([&plan.schedule.period])
    };
    let longest = times().map(|time| time.denom().bits()).max().unwrap_or(0);
    1 + (longest + plan.schedule.period.ceil().to_integer().bits()) / 64
}
