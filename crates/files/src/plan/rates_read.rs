//! Reads rates: a solution in the papers' variables, from any program, for a platform in a separate file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use num_traits::{One, Signed, Zero};
use oneport_plan::{
    Certificate, Demand, DemandRates, Interval, Kind, Problem, Rates, RatesError, TaskRates, Value,
};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};

use super::cells::Reader;
use super::demand::Demands;
use super::question::{read_collective, read_problem};
use super::{MAX_PLAN_BYTES, RATES_FORMAT};
use crate::error::{FormatError, Mistake, clip, quoted};
use crate::json::{Json, need};
use crate::native::model_named;
use crate::nodes::find;
use crate::number::rational;
use crate::scalar::Scalar;
use crate::source::{Source, read_bytes};

/// A solution in the papers' variables, and the question that it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatesFile {
    /// The question.
    pub problem: Problem,
    /// How often everything is sent and merged per unit of time.
    pub rates: Rates,
    /// Prices of resources and odd sets, if there are any. The referee derives the bound from them.
    pub certificate: Certificate,
}

/// Reads a file of rates for a platform.
///
/// # Errors
/// A file that cannot be read or is as large as no plan is. Else as [`rates_from_json`].
pub fn read_rates(path: &Path, platform: &Platform) -> Result<RatesFile, FormatError> {
    rates_from_json(
        &path.display().to_string(),
        &read_bytes(path, MAX_PLAN_BYTES)?,
        platform,
    )
}

/// Reads a `oneport-rates/1` file. `name` is the file's name in messages. Whether the rates balance and fit the ports
/// is not judged here. Rates and prices that are not listed are 0. Values that follow from the rates (`towards`, `busy`
/// with `s` or `price`, `alpha`) may be left out as a whole. If they are given, they have to be right and complete.
/// `O(n log n)` for `n` bytes, apart from long numbers.
///
/// # Errors
/// The first mistake: its line, key and value, and the expected value. Unknown keys, names and tasks. The same variable
/// twice. Rates below 0 or with a decimal point. Derived values that differ from the rates' values, or that are missing
/// in a list of them.
pub fn rates_from_json(
    name: &str,
    bytes: &[u8],
    platform: &Platform,
) -> Result<RatesFile, FormatError> {
    let top = Json::parse(Source::new(name, bytes, "a file of rates")?)?;
    let keys = [
        "format",
        "collective",
        "model",
        "size",
        "work",
        "throughput",
        "per",
        "sends",
        "copies",
        "cons",
        "busy",
        "alpha",
        "prices",
        "odd_sets",
    ];
    let [
        format,
        collective,
        model,
        size,
        work,
        throughput,
        per,
        sends,
        copies,
        cons,
        busy,
        alpha,
        prices,
        odd_sets,
    ] = top.object(keys)?;
    let format = need(&top, format, "format", "\"oneport-rates/1\"")?;
    let found = format.string()?;
    if found != RATES_FORMAT {
        return Err(format.fail(Mistake::WrongFormat {
            found: quoted(&found),
            expected: RATES_FORMAT,
        }));
    }
    if let Some(model) = model {
        let named = model_named(&model.string()?).map_err(|mistake| model.fail(mistake))?;
        if named != platform.model() {
            return Err(model.wrong(format!(
                "the model of the platform, \"{}\"; give --model {named}",
                platform.model()
            )));
        }
    }
    let question = need(&top, collective, "collective", "the question")?;
    let collective = read_collective(&question, platform)?;
    let size = need(&top, size, "size", "the size of every message")?;
    let work = need(&top, work, "work", "the work of every merge");
    let problem = read_problem(&question, collective, &size, work, platform)?;
    let refuse = |error: RatesError| question.fail(Mistake::Import(error.to_string()));
    let per = match per {
        None => Rational::one(),
        Some(per) => Some(exact(&per)?)
            .filter(Signed::is_positive)
            .ok_or_else(|| per.wrong("a positive length of time"))?,
    };
    let rates = Rates::none_of(&problem).map_err(refuse)?;
    let mut reading = Reading {
        problem: &problem,
        demands: Demands::new(problem.collective()),
        rates,
        per,
        flows: BTreeMap::new(),
    };
    let throughput = need(&top, throughput, "throughput", "instances per unit of time")?;
    reading.rates.throughput = reading.rate(&throughput)?;
    reading.each(sends, Reading::send)?;
    reading.each(copies, Reading::copy)?;
    reading.each(cons, Reading::merge)?;
    let mut certificate = Certificate::default();
    let prover = Reader {
        platform,
        demands: &reading.demands,
    };
    prover.read_rows(prices, odd_sets, &mut certificate)?;
    if let Some(copies) = copies {
        reading.check_flows(&copies)?;
    }
    reading.check_busy(busy, &certificate)?;
    reading.check_alpha(alpha)?;
    let rates = reading.rates;
    Ok(RatesFile {
        problem,
        rates,
        certificate,
    })
}

/// Every element of a list that may be absent.
fn each(
    list: Option<Json<'_, '_>>,
    mut read: impl FnMut(&Json<'_, '_>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    list.map_or(Ok(()), |list| list.each(|_, entry| read(&entry)))
}

/// An exact number: a string, or a whole JSON number. A decimal point in a JSON number is a rounded result.
fn exact(value: &Json<'_, '_>) -> Result<Rational, FormatError> {
    match value.scalar()? {
        Scalar::Number(text) if text.contains(['.', 'e', 'E']) => {
            Err(value.wrong("exact; write a fraction as a string, such as \"2/3\""))
        }
        _ => rational(*value),
    }
}

/// Per demand: the flow over a link towards a target.
type Flows = BTreeMap<usize, BTreeMap<(NodeId, LinkId), Rational>>;

/// The rates read so far, and their context.
struct Reading<'a> {
    problem: &'a Problem,
    demands: Demands<'a>,
    rates: Rates,
    per: Rational,
    flows: Flows,
}

impl<'a> Reading<'a> {
    fn each(
        &mut self,
        list: Option<Json<'_, '_>>,
        read: fn(&mut Self, &Json<'_, '_>) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        each(list, |entry| read(self, entry))
    }

    fn platform(&self) -> &'a Platform {
        self.problem.platform()
    }

    /// A number of times, per unit of time.
    fn rate(&self, value: &Json<'_, '_>) -> Result<Rational, FormatError> {
        let rate = exact(value)?;
        if rate.is_negative() {
            Err(value.wrong("a rate; a rate is 0 or more"))
        } else {
            Ok(rate / &self.per)
        }
    }

    fn demand(
        &self,
        entry: &Json<'_, '_>,
        demand: Option<Json<'_, '_>>,
    ) -> Result<(usize, Demand<'a>), FormatError> {
        let count = self.demands.count();
        let index = match demand {
            None if count == 1 => 0,
            demand => need(
                entry,
                demand,
                "demand",
                "the number of the demand, counted from 0",
            )?
            .index("demand", count)?,
        };
        let found = self.demands.get(index);
        Ok((
            index,
            found.ok_or_else(|| entry.wrong("of a demand of the collective"))?,
        ))
    }

    fn link(
        &self,
        entry: &Json<'_, '_>,
        [from, to]: [Option<Json<'_, '_>>; 2],
    ) -> Result<LinkId, FormatError> {
        let from = find(
            &need(entry, from, "from", "the node that sends")?,
            self.platform(),
        )?;
        let to = need(entry, to, "to", "the node that receives")?;
        let end = find(&to, self.platform())?;
        self.platform().link_between(from, end).ok_or_else(|| {
            let name = self.platform().name(from);
            to.wrong(format!("joined to '{name}' by a link of the platform"))
        })
    }

    fn send(&mut self, entry: &Json<'_, '_>) -> Result<(), FormatError> {
        let [demand, from, to, value, operands, rate] =
            entry.object(["demand", "from", "to", "value", "operands", "rate"])?;
        let (index, demand) = self.demand(entry, demand)?;
        let link = self.link(entry, [from, to])?;
        let rate = self.rate(&need(entry, rate, "rate", "how often it is sent")?)?;
        let part = match demand.kind() {
            Kind::Combine => Some(part(entry, &demand, [value, operands])?),
            _ => {
                if let Some(value) = value.or(operands) {
                    let why = "a message is nothing but itself";
                    return Err(value.fail(Mistake::NotHere { key: "value", why }));
                }
                None
            }
        };
        let known = match (&mut self.rates.demands[index], part) {
            (DemandRates::Route(sends), _) => sends.insert(link, rate),
            (DemandRates::Combine(rates), Some(part)) => rates.sends.insert((link, part), rate),
            _ => {
                return Err(entry
                    .wrong("of this demand, whose messages are copied; list it under 'copies'"));
            }
        };
        once(entry, known)
    }

    fn copy(&mut self, entry: &Json<'_, '_>) -> Result<(), FormatError> {
        let [demand, from, to, rate, towards] =
            entry.object(["demand", "from", "to", "rate", "towards"])?;
        let link = self.link(entry, [from, to])?;
        let rate = self.rate(&need(entry, rate, "rate", "how many copies are sent")?)?;
        if demand.is_none() && self.demands.count() > 1 {
            if let Some(towards) = towards {
                let why = "the copies do not say which demand they belong to";
                return Err(towards.fail(Mistake::NotHere {
                    key: "towards",
                    why,
                }));
            }
            return once(entry, self.rates.together.insert(link, rate));
        }
        let (index, of) = self.demand(entry, demand)?;
        if let Some(towards) = towards {
            towards.entries(|name, amount| {
                let unknown = || {
                    amount.fail(Mistake::UnknownNode {
                        name: clip(&name),
                        close: None,
                    })
                };
                let node = self.platform().find(&name).ok_or_else(unknown)?;
                if !of.targets().contains(&node) {
                    return Err(amount.wrong("the flow to a target of the demand"));
                }
                let flow = self.rate(&amount)?;
                if flow > rate {
                    return Err(amount.wrong(
                        "a flow; no more can be on its way to a target than copies are sent",
                    ));
                }
                let flows = self.flows.entry(index).or_default();
                once(&amount, flows.insert((node, link), flow))
            })?;
        }
        match &mut self.rates.demands[index] {
            DemandRates::Copy(copies) => once(entry, copies.insert(link, rate)),
            _ => {
                Err(entry
                    .wrong("of this demand, whose messages are not copied; list it under 'sends'"))
            }
        }
    }

    fn merge(&mut self, entry: &Json<'_, '_>) -> Result<(), FormatError> {
        let [demand, node, task, left, right, rate] =
            entry.object(["demand", "node", "task", "left", "right", "rate"])?;
        let (index, demand) = self.demand(entry, demand)?;
        let node = find(
            &need(entry, node, "node", "the node that merges")?,
            self.platform(),
        )?;
        let rate = self.rate(&need(entry, rate, "rate", "how often it merges")?)?;
        if demand.kind() != Kind::Combine {
            return Err(entry.wrong("of this demand, which combines nothing"));
        }
        let (left, right) = match (task, left, right) {
            (Some(task), None, None) => {
                let [first, split, last] = numbers(&task, &demand)?;
                if first > split || split >= last {
                    return Err(task.wrong("a merge [k,l,m] with k <= l < m"));
                }
                let (left, right) = Interval { first, last }.split(split);
                (Value::from(left), Value::from(right))
            }
            (None, left, right) => {
                const MEANING: &str = "the operands of one input (or give 'task', [k,l,m])";
                let left = part(
                    entry,
                    &demand,
                    [None, Some(need(entry, left, "left", MEANING)?)],
                )?;
                let right = part(
                    entry,
                    &demand,
                    [None, Some(need(entry, right, "right", MEANING)?)],
                )?;
                if left.join(&right).is_none() {
                    return Err(entry.wrong("a merge; its inputs share an operand"));
                }
                if left < right {
                    (left, right)
                } else {
                    (right, left)
                }
            }
            (Some(task), ..) => return Err(task.fail(Mistake::BothKeys("task", "left"))),
        };
        match &mut self.rates.demands[index] {
            DemandRates::Combine(TaskRates { merges, .. }) => {
                once(entry, merges.insert((node, left, right), rate))
            }
            _ => Err(entry.wrong("of this demand, which combines nothing")),
        }
    }

    /// Flows towards targets carry the throughput there, if there are any.
    fn check_flows(&self, copies: &Json<'_, '_>) -> Result<(), FormatError> {
        for (&index, flows) in &self.flows {
            let Some(demand) = self.demands.get(index) else {
                continue;
            };
            let often = whole(self.problem.collective().rate(index)) * &self.rates.throughput;
            let source = demand.operands.first();
            let mut gains: BTreeMap<(NodeId, NodeId), Rational> = BTreeMap::new();
            for (&(target, link), flow) in flows {
                let ends = self.platform().link(link);
                *gains.entry((target, ends.to)).or_default() += flow;
                *gains.entry((target, ends.from)).or_default() -= flow;
            }
            for &target in demand
                .targets()
                .iter()
                .filter(|target| Some(*target) != source)
            {
                gains.entry((target, target)).or_default();
            }
            let wrong = gains.into_iter().find(|((target, node), gain)| {
                let right = if node == target {
                    often.clone()
                } else {
                    Rational::zero()
                };
                Some(node) != source && *gain != right
            });
            if let Some(((target, node), gain)) = wrong {
                let (target, node) = (self.platform().name(target), self.platform().name(node));
                let message = format!("the flow towards '{target}' gains {gain} at '{node}'");
                let right = "a flow gains the throughput at its target and nothing elsewhere; correct it or leave it out";
                return Err(copies.fail(Mistake::Import(format!("{message}; {right}"))));
            }
        }
        Ok(())
    }

    /// `s` and the prices of links are what rates and prices say.
    fn check_busy(
        &self,
        list: Option<Json<'_, '_>>,
        certificate: &Certificate,
    ) -> Result<(), FormatError> {
        let (busy, prices) = (
            self.rates.busy(self.problem),
            certificate.link_prices(self.platform()),
        );
        let Some(list) = list else { return Ok(()) };
        let mut listed: BTreeMap<LinkId, [bool; 2]> = BTreeMap::new();
        list.each(|_, entry| {
            let entry = &entry;
            let [from, to, share, price] = entry.object(["from", "to", "s", "price"])?;
            let link = self.link(entry, [from, to])?;
            if listed
                .insert(link, [share.is_some(), price.is_some()])
                .is_some()
            {
                return Err(entry.fail(Mistake::Import(
                    "lists the link a second time; keep one".to_string(),
                )));
            }
            if let Some(given) = share {
                same(
                    &given,
                    &self.rate(&given)?,
                    &busy.get(&link).cloned().unwrap_or_default(),
                    "rates",
                )?;
            }
            match price {
                Some(given) => same(
                    &given,
                    &exact(&given)?,
                    &prices[link],
                    "prices of resources",
                ),
                None => Ok(()),
            }
        })?;
        // A list of prices alone says nothing of s. An empty list says that no link is busy.
        let gives = |index: usize| listed.values().any(|given| given[index]);
        let has = |link: LinkId, index: usize| listed.get(&link).is_some_and(|given| given[index]);
        let derived = |link: LinkId| [busy.get(&link), prices.get(link.index())];
        let lists = [
            ("s", "rates", gives(0) || !gives(1)),
            ("price", "prices of resources", gives(1)),
        ];
        for (index, (key, of, given)) in lists.into_iter().enumerate() {
            let value = |link: LinkId| derived(link)[index].filter(|value| !value.is_zero());
            let missing = self
                .platform()
                .link_ids()
                .filter(|&link| given && !has(link, index));
            if let Some((link, value)) =
                missing.filter_map(|link| Some((link, value(link)?))).next()
            {
                let name = self.platform().link_name(link);
                return Err(incomplete(
                    &list,
                    &format!("{key} of link '{name}'"),
                    value,
                    of,
                ));
            }
        }
        Ok(())
    }

    /// `alpha` equals the rates of the merges.
    fn check_alpha(&self, list: Option<Json<'_, '_>>) -> Result<(), FormatError> {
        let shares = self.rates.alpha(self.problem);
        let Some(list) = list else { return Ok(()) };
        let mut listed: BTreeSet<NodeId> = BTreeSet::new();
        list.each(|_, entry| {
            let entry = &entry;
            let [node, alpha] = entry.object(["node", "alpha"])?;
            let node = find(
                &need(entry, node, "node", "the processor")?,
                self.platform(),
            )?;
            let given = need(
                entry,
                alpha,
                "alpha",
                "the share of the time during which it merges",
            )?;
            if !listed.insert(node) {
                return Err(entry.fail(Mistake::Import(
                    "lists the node a second time; keep one".to_string(),
                )));
            }
            same(
                &given,
                &self.rate(&given)?,
                &shares.get(&node).cloned().unwrap_or_default(),
                "rates",
            )
        })?;
        let missing = shares
            .iter()
            .find(|(node, share)| !share.is_zero() && !listed.contains(node));
        missing.map_or(Ok(()), |(&node, share)| {
            Err(incomplete(
                &list,
                &format!("alpha of '{}'", self.platform().name(node)),
                share,
                "rates",
            ))
        })
    }
}

/// A variable is given once.
fn once(entry: &Json<'_, '_>, known: Option<Rational>) -> Result<(), FormatError> {
    match known {
        None => Ok(()),
        Some(rate) => Err(entry.fail(Mistake::Import(format!(
            "is given a second time (the first time {rate}); keep one"
        )))),
    }
}

/// Checks a derived value against the values that it is derived from.
fn same(
    value: &Json<'_, '_>,
    given: &Rational,
    right: &Rational,
    of: &str,
) -> Result<(), FormatError> {
    if given == right {
        return Ok(());
    }
    Err(value.fail(Mistake::Import(format!(
        "is {given}, but the {of} give {right}; correct it or leave it out"
    ))))
}

/// A derived list has every value that is not 0.
fn incomplete(list: &Json<'_, '_>, what: &str, right: &Rational, of: &str) -> FormatError {
    let missing = format!(
        "has no {what}, which the {of} give as {right}; add it, or leave the whole list out"
    );
    list.fail(Mistake::Import(missing))
}

/// A partial result: `[k,m]`, or, if operands may be combined in any order, a list of operands.
fn part(
    entry: &Json<'_, '_>,
    demand: &Demand<'_>,
    [value, operands]: [Option<Json<'_, '_>>; 2],
) -> Result<Value, FormatError> {
    match (value, operands) {
        (Some(value), Some(_)) => Err(value.fail(Mistake::BothKeys("value", "operands"))),
        (Some(value), None) => {
            let [first, last] = numbers(&value, demand)?;
            if first > last {
                return Err(value.wrong("a partial result [k,m] with k <= m"));
            }
            Ok(Value::from(Interval { first, last }))
        }
        (None, Some(list)) => {
            let mut all = Vec::new();
            list.each(|_, operand| {
                all.push(operand.index("operand", demand.operands.len())?);
                Ok(())
            })?;
            let (count, value) = (all.len(), Value::of(all));
            if count == 0 || value.count() != count {
                return Err(list.wrong("a set of operands; list each once, one at least"));
            }
            if !demand.commutative && value.interval().is_none() {
                return Err(
                    list.wrong("a run of consecutive operands; the operator is not commutative")
                );
            }
            Ok(value)
        }
        (None, None) => {
            let meaning =
                "the partial result that is sent, [k,m] (or give 'operands', the list of them)";
            Err(entry.fail(Mistake::MissingKey {
                key: "value",
                meaning,
            }))
        }
    }
}

/// `N` numbers of operands.
fn numbers<const N: usize>(
    list: &Json<'_, '_>,
    demand: &Demand<'_>,
) -> Result<[usize; N], FormatError> {
    let mut all = Vec::new();
    list.each(|_, number| {
        all.push(number.index("operand", demand.operands.len())?);
        Ok(())
    })?;
    let right = if N == 2 {
        "a partial result, [k,m]"
    } else {
        "a merge, [k,l,m]"
    };
    all.try_into().map_err(|_| list.wrong(right))
}
