//! `oneport run`: a given time, or a given number of operations.

mod report;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args};
use num_bigint::BigUint;
use num_traits::{Signed, ToPrimitive, Zero};
use oneport::plan::Timeline;
use oneport::schedule::{self, Execution, Horizon, Policy, ScheduleError};
use oneport::watch::{Limit, Watch};
use oneport::{Plan, Problem, Rational, Units, files, parse_rational, referee};

use crate::answers::checked;
use crate::flags::limits::{LimitArguments, named};
use crate::words::exit::End;
use crate::words::objects::line;
use crate::words::output::print;
use crate::words::tables::{FormatArguments, TableFormat};
use crate::words::usage::usage;
use oneport_questions::quantity::time;

/// Transfers and merges of a run that is listed and executed by the referee. Trades a check for time. Measured: 98,568
/// transfers 1.2 s of CPU.
const FOLLOWED: u64 = 100_000;

/// Count the instances that a plan delivers within a time (start-up, steady periods, clean-up), next to a proved upper
/// bound.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("horizon").required(true).args(["until", "instances"]))]
pub struct RunArguments {
    /// The plan file.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Run until time K, in units of time, or with a unit, as "10 s".
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    until: Option<String>,
    /// Run until N instances are complete.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    instances: Option<String>,
    /// Limits. What is known without a list of one period is printed.
    #[command(flatten)]
    limits: LimitArguments,
    /// Print fractions in full next to the decimals.
    #[arg(long)]
    exact: bool,
    /// The format of the answer.
    #[command(flatten)]
    table: FormatArguments,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The instances delivered by a date.
struct Delivery<'a> {
    plan: Plan<'a>,
    until: Rational,
    /// No schedule delivers more: the proved bound times the time, rounded down.
    bound: BigUint,
    /// `None` if a period is too long to list, for itself or for a limit.
    counted: Option<Counted>,
    /// Instances delivered if every task starts as soon as possible. `None` if the run is too long to list.
    eager: Option<u64>,
    policy: Option<Policy>,
    followed: bool,
    /// The limit that ended the count, or the data that execute the run again.
    ended_by: Option<Limit>,
}

/// The facts that take a list of one period.
struct Counted {
    horizon: Horizon,
    /// Instances delivered by the plan's dates.
    dated: BigUint,
    /// The largest buffer that a node needs, in messages.
    buffer: BigUint,
}

/// Runs the command.
pub fn run(arguments: &RunArguments) -> Result<End> {
    let instances = arguments.instances.as_deref().map(whole).transpose()?;
    let watch = arguments.limits.watch()?;
    let (claim, stated) = files::read_plan(&arguments.plan)?;
    let answer = checked::answer(&arguments.plan, claim, &stated, &watch)?;
    let plan = checked::plan(&arguments.plan, &answer)?;
    let delivery = match (&arguments.until, instances) {
        (Some(until), _) => {
            let until = date(until, plan.platform().units())?;
            of(plan, &watch, |_| Some(until))?
        }
        (None, Some(instances)) => of(plan, &watch, |horizon| Some(horizon?.time_of(&instances)))?,
        (None, None) => bail!(usage("run: give --until K or --instances N")),
    };
    print(&match arguments.table.format {
        _ if arguments.json => line(delivery.json()),
        TableFormat::Text => delivery.text(arguments.exact)?,
        format => delivery.sheet().show(format),
    })?;
    Ok(End::Done)
}

/// A date in the plan's unit of time.
fn date(text: &str, units: Option<Units>) -> Result<Rational> {
    let value = time("--until", text, units)?;
    match value.is_negative() {
        true => Err(usage(format!(
            "--until: {text} is negative; give a time such as 12, 0.5 or 5/2"
        ))),
        false => Ok(value),
    }
}

fn whole(text: &str) -> Result<BigUint> {
    let value = parse_rational(text)
        .ok()
        .filter(|value| value.is_integer() && value.is_positive());
    let wrong = || {
        usage(format!(
            "--instances: '{text}' is not a whole number from 1 on"
        ))
    };
    value
        .and_then(|value| value.to_integer().to_biguint())
        .ok_or_else(wrong)
}

/// Counts by the sum over one period. If the run is short, the referee executes all its messages.
fn of<'a>(
    plan: Plan<'a>,
    watch: &Watch,
    until: impl FnOnce(Option<&Horizon>) -> Option<Rational>,
) -> Result<Delivery<'a>> {
    let problem = plan.problem;
    let (execution, ended_by) = match schedule::execution(problem, plan.schedule, watch) {
        Err(ScheduleError::TooManyEvents { .. }) => (None, None),
        Err(ScheduleError::Unlisted { limit, .. }) => (None, Some(limit)),
        execution => (Some(execution?), None),
    };
    let horizon = execution
        .as_ref()
        .map(|execution| Horizon::new(problem, execution));
    let Some(until) = until(horizon.as_ref()) else {
        let short = ended_by.map_or_else(String::new, |limit| format!(" ({})", named(limit)));
        bail!(
            "--instances: one period has too many transfers and merges to be listed{short}, which this takes; give --until K, \
             for which the bound is known"
        );
    };
    let bound = (plan.upper_bound * &until)
        .floor()
        .to_integer()
        .magnitude()
        .clone();
    let mut delivery = Delivery {
        policy: Policy::of(problem, plan.schedule),
        until,
        bound,
        counted: None,
        eager: None,
        followed: false,
        ended_by,
        plan,
    };
    if let (Some(execution), Some(horizon)) = (execution, horizon) {
        delivery.count(&execution, horizon, watch)?;
    }
    Ok(delivery)
}

impl Delivery<'_> {
    /// Counts the instances that are delivered, by the plan's dates and as soon as possible.
    fn count(&mut self, execution: &Execution, horizon: Horizon, watch: &Watch) -> Result<()> {
        let Delivery { plan, until, .. } = &*self;
        let problem = &plan.problem;
        let dated = horizon.delivered(until);
        let tasks = execution.tasks.len() as u64;
        let short = |periods: &BigUint| {
            periods
                .to_u64()
                .filter(|periods| *periods > 0 && tasks.saturating_mul(*periods) <= FOLLOWED)
        };
        let periods = short(&horizon.starting_periods(until));
        let followed = |run: Timeline| -> Result<u64> {
            let report =
                referee::check_timeline(problem, &run).context("the referee objects to the run")?;
            Ok(report.complete_by(until))
        };
        let limit = watch.ask().err();
        let periods = periods.filter(|_| limit.is_none());
        if let Some(periods) = periods {
            let counted = followed(schedule::timeline(problem, plan.schedule, periods)?)?;
            if dated != counted.into() {
                bail!(
                    "the referee's run delivers {counted} instances, the sum says {dated}; please report it with the plan"
                );
            }
        }
        // No run delivers more than the bound, so it has no use for more periods.
        let limit = limit.or(watch.ask().err());
        let most = short(&(&self.bound / &plan.schedule.instances + 1u32));
        let most = most.filter(|_| limit.is_none());
        let eager = most
            .map(|periods| followed(schedule::eager_timeline(problem, plan.schedule, periods)?))
            .transpose()?;
        let most_held = schedule::buffers(plan.platform(), execution)
            .into_values()
            .max();
        check_bound(
            problem,
            &[Some(dated.clone()), eager.map(BigUint::from)],
            &self.bound,
        )?;
        (self.eager, self.followed) = (eager, periods.is_some() || dated.is_zero());
        self.ended_by = limit;
        self.counted = Some(Counted {
            horizon,
            dated,
            buffer: most_held.unwrap_or_default(),
        });
        Ok(())
    }
}

/// An error, if more instances are delivered than the proved bound allows.
fn check_bound(problem: &Problem, found: &[Option<BigUint>], bound: &BigUint) -> Result<()> {
    let rates = problem.collective().name();
    match found.iter().flatten().find(|delivered| *delivered > bound) {
        Some(delivered) => {
            bail!("{delivered} instances of the {rates} delivered, {bound} proved to be the most")
        }
        None => Ok(()),
    }
}
