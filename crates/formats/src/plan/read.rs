//! Reading plan files.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_plan::{
    Certificate, Collective, Commodity, Pattern, PeriodicSchedule, Plan, Resource, ScheduledPattern, Slot, Status,
    SteadyState, WeightedPattern,
};
use oneport_platform::{LinkId, NodeId, NumberError, Platform, Rational, parse_rational};

use super::FORMAT;
use super::commodity::Commodities;
use crate::error::{FormatError, Problem, clip, quoted};
use crate::json::{Json, need};
use crate::native::{self, Scalar, closest, model_named};
use crate::source::Source;

/// Longest number of a plan: exact optima have far more digits than measurements.
const MAX_DIGITS: usize = 20_000;

/// Reads a plan file; `name` is the file's name in messages. Linear in the bytes, but for the numbers.
///
/// Every name and link number has to exist in the plan's own platform and collective. Whether the plan is right
/// (paths that connect, weights that add up, slots that are matchings) is not judged here: that is the referee's part.
///
/// # Errors
/// The first thing that is wrong: its line, key and value, and what would be right.
pub fn plan_from_json(name: &str, bytes: &[u8]) -> Result<Plan, FormatError> {
    let top = Json::parse(Source::new(name, bytes, "a plan")?)?;
    let [format, collective, model, size, status, throughput, upper_bound, certificate, patterns, schedule, platform] =
        top.object([
            "format",
            "collective",
            "model",
            "size",
            "status",
            "throughput",
            "upper_bound",
            "certificate",
            "patterns",
            "schedule",
            "platform",
        ])?;
    check_format(&need(&top, format, "format", "\"oneport-plan/1\"")?)?;
    let platform = native::assemble(need(&top, platform, "platform", "the platform")?, "platform.", long_rational)?;
    check_model(&need(&top, model, "model", "the platform's port model")?, &platform)?;
    let collective = read_collective(&need(&top, collective, "collective", "the question")?, &platform)?;
    let context = Context { platform: &platform, commodities: Commodities::new(&collective) };
    let steady_state = SteadyState {
        throughput: rational(need(&top, throughput, "throughput", "instances per unit of time")?)?,
        patterns: context.weighted(need(&top, patterns, "patterns", "the weighted patterns")?)?,
    };
    let certificate = context.certificate(need(&top, certificate, "certificate", "the list of prices")?)?;
    let schedule = context.schedule(need(&top, schedule, "schedule", "the periodic schedule")?)?;
    let size = rational(need(&top, size, "size", "the size of every message")?)?;
    let status = read_status(&need(&top, status, "status", "optimal or feasible")?)?;
    let upper_bound = rational(need(&top, upper_bound, "upper_bound", "what the certificate proves")?)?;
    drop(context);
    Ok(Plan { platform, collective, size, status, steady_state, certificate, upper_bound, schedule })
}

fn check_format(value: &Json<'_, '_>) -> Result<(), FormatError> {
    let found = value.string()?;
    if found == FORMAT {
        return Ok(());
    }
    Err(value.fail(Problem::WrongFormat { found: quoted(&found), expected: FORMAT }))
}

/// The plan says its model at the top, and its platform says it too: they must be the same.
fn check_model(value: &Json<'_, '_>, platform: &Platform) -> Result<(), FormatError> {
    let model = model_named(&value.string()?).map_err(|problem| value.fail(problem))?;
    if model == platform.model() {
        return Ok(());
    }
    Err(value.wrong(format!("the model of the plan's platform, \"{}\"", platform.model())))
}

fn read_status(value: &Json<'_, '_>) -> Result<Status, FormatError> {
    let text = value.string()?;
    [Status::Optimal, Status::Feasible]
        .into_iter()
        .find(|status| status.name() == text)
        .ok_or_else(|| value.wrong("a status: optimal or feasible"))
}

fn read_collective(value: &Json<'_, '_>, platform: &Platform) -> Result<Collective, FormatError> {
    let keys = ["name", "source", "target", "targets", "participants"];
    let [name, source, target, targets, participants] = value.object(keys)?;
    let name = need(value, name, "name", "scatter, gather or all-to-all")?;
    let one = |node, key| find(&need(value, node, key, "a node's name")?, platform);
    let many = |list, key| {
        let mut nodes = Vec::new();
        need(value, list, key, "a list of nodes' names")?.each(|_, node| {
            nodes.push(find(&node, platform)?);
            Ok(())
        })?;
        Ok(nodes)
    };
    let (collective, spare) = match name.string()?.as_ref() {
        "scatter" => {
            let targets = many(targets, "targets")?;
            (Collective::Scatter { source: one(source, "source")?, targets }, [target, participants, None])
        }
        "gather" => {
            let participants = many(participants, "participants")?;
            (Collective::Gather { target: one(target, "target")?, participants }, [source, targets, None])
        }
        "all-to-all" => {
            let participants = many(participants, "participants")?;
            (Collective::AllToAll { participants }, [source, target, targets])
        }
        _ => return Err(name.wrong("a collective: scatter, gather or all-to-all")),
    };
    if let Some(spare) = spare.into_iter().flatten().next() {
        let key = spare.path.spelt().unwrap_or_default();
        return Err(value.fail(Problem::UnknownKey { key, known: collective_keys(&collective) }));
    }
    collective.validate(platform).map_err(|error| value.fail(Problem::Collective(error)))?;
    Ok(collective)
}

fn collective_keys(collective: &Collective) -> Vec<&'static str> {
    match collective {
        Collective::Scatter { .. } => vec!["name", "source", "targets"],
        Collective::Gather { .. } => vec!["name", "target", "participants"],
        Collective::AllToAll { .. } => vec!["name", "participants"],
    }
}

/// The node that a value names.
fn find(value: &Json<'_, '_>, platform: &Platform) -> Result<NodeId, FormatError> {
    let name = value.string()?;
    platform.find(&name).ok_or_else(|| {
        let close = closest(&name, platform.nodes().iter().map(|node| node.name.as_str()));
        value.fail(Problem::UnknownNode { name: clip(&name), close })
    })
}

/// What the rest of the plan refers to.
struct Context<'c> {
    platform: &'c Platform,
    commodities: Commodities<'c>,
}

impl Context<'_> {
    fn certificate(&self, list: Json<'_, '_>) -> Result<Certificate, FormatError> {
        let mut prices = Vec::new();
        list.each(|_, entry| {
            let [resource, node, price] = entry.object(["resource", "node", "price"])?;
            let resource = need(&entry, resource, "resource", "send or receive")?;
            let node = find(&need(&entry, node, "node", "the node of the resource")?, self.platform)?;
            let kinds = [Resource::Send(node), Resource::Receive(node)];
            let kind = resource.string()?;
            let kind = kinds.into_iter().find(|known| known.kind() == kind);
            let kind = kind.ok_or_else(|| resource.wrong("a resource: send or receive"))?;
            prices.push((kind, rational(need(&entry, price, "price", "the resource's price")?)?));
            Ok(())
        })?;
        Ok(Certificate { prices })
    }

    fn weighted(&self, list: Json<'_, '_>) -> Result<Vec<WeightedPattern>, FormatError> {
        let mut patterns = Vec::new();
        list.each(|_, entry| {
            let [from, to, links, weight] = entry.object(["from", "to", "links", "weight"])?;
            let pattern = self.pattern(&entry, from, to, links)?;
            let weight = rational(need(&entry, weight, "weight", "how often per unit of time")?)?;
            patterns.push(WeightedPattern { pattern, weight });
            Ok(())
        })?;
        Ok(patterns)
    }

    fn schedule(&self, value: Json<'_, '_>) -> Result<PeriodicSchedule, FormatError> {
        let [period, instances, patterns, slots] = value.object(["period", "instances", "patterns", "slots"])?;
        let period = rational(need(&value, period, "period", "the length of the period")?)?;
        let instances = natural(need(&value, instances, "instances", "instances per period")?)?;
        Ok(PeriodicSchedule {
            period,
            instances,
            patterns: self.scheduled(need(&value, patterns, "patterns", "the patterns of a period")?)?,
            slots: self.slots(need(&value, slots, "slots", "the slots of a period")?)?,
        })
    }

    fn scheduled(&self, list: Json<'_, '_>) -> Result<Vec<ScheduledPattern>, FormatError> {
        let mut patterns = Vec::new();
        list.each(|_, entry| {
            let [from, to, links, copies] = entry.object(["from", "to", "links", "copies"])?;
            let pattern = self.pattern(&entry, from, to, links)?;
            let copies = natural(need(&entry, copies, "copies", "whole copies per period")?)?;
            patterns.push(ScheduledPattern { pattern, copies });
            Ok(())
        })?;
        Ok(patterns)
    }

    fn slots(&self, list: Json<'_, '_>) -> Result<Vec<Slot>, FormatError> {
        let mut slots = Vec::new();
        list.each(|_, entry| {
            let [length, links] = entry.object(["length", "links"])?;
            let length = rational(need(&entry, length, "length", "the slot's duration")?)?;
            let links = self.links(need(&entry, links, "links", "the busy links")?)?;
            slots.push(Slot { length, links });
            Ok(())
        })?;
        Ok(slots)
    }

    fn pattern(
        &self,
        entry: &Json<'_, '_>,
        from: Option<Json<'_, '_>>,
        to: Option<Json<'_, '_>>,
        links: Option<Json<'_, '_>>,
    ) -> Result<Pattern, FormatError> {
        let source = find(&need(entry, from, "from", "the node where the message starts")?, self.platform)?;
        let target = find(&need(entry, to, "to", "the node where the message has to arrive")?, self.platform)?;
        let commodity = self.commodities.find(Commodity { source, target }).ok_or_else(|| {
            let value = format!("{} -> {}", self.platform.name(source), self.platform.name(target));
            entry.fail(Problem::WrongValue { value, expected: "a message of the plan's collective".into() })
        })?;
        let links = self.links(need(entry, links, "links", "the links of the path")?)?;
        Ok(Pattern { commodity, links })
    }

    fn links(&self, list: Json<'_, '_>) -> Result<Vec<LinkId>, FormatError> {
        let mut links = Vec::new();
        list.each(|_, link| {
            links.push(LinkId::new(link.place("link", self.platform.links().len())?));
            Ok(())
        })?;
        Ok(links)
    }
}

fn rational(value: Json<'_, '_>) -> Result<Rational, FormatError> {
    match value.scalar()? {
        Scalar::Text(text) | Scalar::Number(text) => {
            long_rational(&text).map_err(|error| value.fail(Problem::Number(error)))
        }
        _ => Err(value.wrong("a number; write \"2/3\"")),
    }
}

fn natural(value: Json<'_, '_>) -> Result<BigUint, FormatError> {
    let number = match value.scalar()? {
        Scalar::Text(text) | Scalar::Number(text) => digits(&text).and_then(|text| text.parse().ok()),
        _ => None,
    };
    number.ok_or_else(|| value.wrong("a whole number, such as \"12\""))
}

/// [`parse_rational`], and beyond its length integers and fractions of integers.
fn long_rational(text: &str) -> Result<Rational, NumberError> {
    let short = match parse_rational(text) {
        Err(NumberError::TooLarge(shown)) => NumberError::TooLarge(shown),
        other => return other,
    };
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let integer = |text: &str| -> Option<BigInt> {
        digits(text.strip_prefix('-').unwrap_or(text))?;
        text.parse().ok()
    };
    match (integer(numerator), digits(denominator).and_then(integer)) {
        (Some(_), Some(denominator)) if denominator.is_zero() => Err(NumberError::ZeroDenominator(clip(text))),
        (Some(numerator), Some(denominator)) => Ok(Rational::new(numerator, denominator)),
        _ => Err(short),
    }
}

/// The text, when it is nothing but digits and not too many.
fn digits(text: &str) -> Option<&str> {
    let plain = !text.is_empty() && text.len() <= MAX_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then_some(text)
}
