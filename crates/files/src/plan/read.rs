//! Reading plan files.

use oneport_plan::{
    Claim, PeriodicSchedule, ScheduledPattern, Slot, State, Stated, Status, SteadyState,
    WeightedPattern,
};
use oneport_platform::{LinkId, Platform, Rational};

use super::cells::{Reader, link_number, links_of};
use super::chosen::{self, Chosen};
use super::demand::Demands;
use super::pattern::Patterns;
use super::question::{read_collective, read_problem};
use super::{FORMAT, FORMER};
use crate::error::{FormatError, Mistake, quoted};
use crate::json::{Json, need};
use crate::native::{self, model_named};
use crate::number::{long_rational, natural, rational};
use crate::source::Source;

/// The keys of a plan.
const KEYS: [&str; 13] = [
    "format",
    "collective",
    "model",
    "size",
    "work",
    "status",
    "throughput",
    "upper_bound",
    "certificate",
    "patterns",
    "schedule",
    "platform",
    "chosen",
];

/// Reads a plan file. `name` is the file's name in messages. Linear in the bytes, apart from the numbers.
///
/// Every name and link number has to exist in the plan's own platform and collective. Whether the plan is right
/// (paths that connect, weights that add up, slots that are matchings) is not judged here: that is the referee's part.
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn plan_from_json(name: &str, bytes: &[u8]) -> Result<(Claim, Stated), FormatError> {
    Ok(plan_and_choice(name, bytes)?.0)
}

/// [`plan_from_json`] with the choice of links.
pub(crate) fn plan_and_choice(
    name: &str,
    bytes: &[u8],
) -> Result<((Claim, Stated), Option<Chosen>), FormatError> {
    let top = Json::parse(Source::new(name, bytes, "a plan")?)?;
    let [
        format,
        collective,
        model,
        size,
        work,
        status,
        throughput,
        upper_bound,
        certificate,
        patterns,
        schedule,
        platform,
        chosen,
    ] = top.object(KEYS)?;
    check_format(&need(&top, format, "format", "\"oneport-plan/3\"")?)?;
    let platform = native::assemble(
        need(&top, platform, "platform", "the platform")?,
        "platform.",
        long_rational,
    )?;
    check_model(
        &need(&top, model, "model", "the platform's port model")?,
        &platform,
    )?;
    let question = need(&top, collective, "collective", "the question")?;
    let collective = read_collective(&question, &platform)?;
    let size = need(&top, size, "size", "the size of every message")?;
    let work = need(&top, work, "work", "the work of every merge");
    let problem = read_problem(&question, collective, &size, work, platform)?;
    let platform = problem.platform();
    let demands = Demands::new(problem.collective());
    let context = Context {
        platform,
        patterns: Patterns::new(platform, &demands),
    };
    let steady_state = SteadyState {
        throughput: rational(need(
            &top,
            throughput,
            "throughput",
            "instances per unit of time",
        )?)?,
        patterns: context.weighted(need(&top, patterns, "patterns", "the weighted patterns")?)?,
    };
    let proof = Reader {
        platform,
        demands: &demands,
    };
    let certificate = proof.read(&need(
        &top,
        certificate,
        "certificate",
        "the prices, and the needs",
    )?)?;
    let schedule = context.schedule(need(&top, schedule, "schedule", "the periodic schedule")?)?;
    let status = read_status(&need(&top, status, "status", "optimal or feasible")?)?;
    let upper_bound = rational(need(
        &top,
        upper_bound,
        "upper_bound",
        "what the certificate proves",
    )?)?;
    let claim = Claim {
        problem,
        certificate,
        state: Some(State::Listed(steady_state)),
        schedule: Some(schedule),
    };
    let stated = Stated {
        upper_bound,
        status,
    };
    Ok((
        (claim, stated),
        chosen.map(|chosen| chosen::read(&chosen)).transpose()?,
    ))
}

fn check_format(value: &Json<'_, '_>) -> Result<(), FormatError> {
    let found = value.string()?;
    if found == FORMAT {
        return Ok(());
    }
    if let Some(former) = FORMER.into_iter().find(|former| *former == found) {
        return Err(value.fail(Mistake::FormerFormat {
            found: former,
            expected: FORMAT,
        }));
    }
    Err(value.fail(Mistake::WrongFormat {
        found: quoted(&found),
        expected: FORMAT,
    }))
}

/// The plan says its model at the top, and its platform says it too: they must be the same.
fn check_model(value: &Json<'_, '_>, platform: &Platform) -> Result<(), FormatError> {
    let model = model_named(&value.string()?).map_err(|mistake| value.fail(mistake))?;
    if model == platform.model() {
        return Ok(());
    }
    Err(value.wrong(format!(
        "the model of the plan's platform, \"{}\"",
        platform.model()
    )))
}

fn read_status(value: &Json<'_, '_>) -> Result<Status, FormatError> {
    let text = value.string()?;
    [Status::Optimal, Status::Feasible]
        .into_iter()
        .find(|status| status.name() == text)
        .ok_or_else(|| value.wrong("a status: optimal or feasible"))
}

/// The context that the rest of the plan refers to.
struct Context<'c> {
    platform: &'c Platform,
    patterns: Patterns<'c>,
}

impl Context<'_> {
    fn weighted(&self, list: Json<'_, '_>) -> Result<Vec<WeightedPattern>, FormatError> {
        let mut patterns = Vec::new();
        list.each(|_, entry| {
            let (pattern, weight) = self.patterns.read(&entry, "weight")?;
            let weight = rational(need(
                &entry,
                weight,
                "weight",
                "how often per unit of time",
            )?)?;
            patterns.push(WeightedPattern { pattern, weight });
            Ok(())
        })?;
        Ok(patterns)
    }

    fn schedule(&self, value: Json<'_, '_>) -> Result<PeriodicSchedule, FormatError> {
        let [period, instances, patterns, slots] =
            value.object(["period", "instances", "patterns", "slots"])?;
        let period = rational(need(&value, period, "period", "the length of the period")?)?;
        let instances = natural(need(
            &value,
            instances,
            "instances",
            "instances per period",
        )?)?;
        Ok(PeriodicSchedule {
            period,
            instances,
            patterns: self.scheduled(need(
                &value,
                patterns,
                "patterns",
                "the patterns of a period",
            )?)?,
            slots: self.slots(need(&value, slots, "slots", "the slots of a period")?)?,
        })
    }

    fn scheduled(&self, list: Json<'_, '_>) -> Result<Vec<ScheduledPattern>, FormatError> {
        let mut patterns = Vec::new();
        list.each(|_, entry| {
            let (pattern, copies) = self.patterns.read(&entry, "copies")?;
            let copies = natural(need(&entry, copies, "copies", "whole copies per period")?)?;
            patterns.push(ScheduledPattern { pattern, copies });
            Ok(())
        })?;
        Ok(patterns)
    }

    /// Reads the links that transfer at a part of their rate, each with that part. The field is absent if a slot has
    /// none.
    fn shares(&self, list: &Json<'_, '_>) -> Result<Vec<(LinkId, Rational)>, FormatError> {
        let mut shares = Vec::new();
        list.each(|_, entry| {
            let [link, share] = entry.object(["link", "share"])?;
            let link = need(&entry, link, "link", "the link's number")?;
            let share = need(&entry, share, "share", "the part of its rate")?;
            shares.push((link_number(&link, self.platform)?, rational(share)?));
            Ok(())
        })?;
        Ok(shares)
    }

    fn slots(&self, list: Json<'_, '_>) -> Result<Vec<Slot>, FormatError> {
        let mut slots = Vec::new();
        list.each(|_, entry| {
            let [length, links, shares] = entry.object(["length", "links", "shares"])?;
            let length = rational(need(&entry, length, "length", "the slot's duration")?)?;
            let links = links_of(
                &need(&entry, links, "links", "the busy links")?,
                self.platform,
            )?;
            let shares = shares.map_or(Ok(Vec::new()), |shares| self.shares(&shares))?;
            slots.push(Slot {
                length,
                links,
                shares,
            });
            Ok(())
        })?;
        Ok(slots)
    }
}
