//! Names the resources that limit a throughput, from its certificate.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use oneport::plan::inequality::Inequality;
use oneport::plan::{Certificate, OddSet, Problem, Resource, SteadyState, WeightedPattern};
use oneport::schedule::{Measure, common_denominator};
use oneport::{Amount, Platform, PortModel, Rational, Status};
use serde_json::{Value, json};

use crate::answers::odd_sets;
use crate::words::names::common;
use crate::words::numbers::{decimal, percent};

/// Resources that are alike: of one kind, with names that differ in digits only; or one odd set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The name of its only member, or the common part of its members' names, with `*` for digits.
    pub name: String,
    /// The number of its resources.
    pub members: usize,
    /// Its share of the total price that the certificate charges.
    pub share: Rational,
    /// The busy share of its busiest member's time.
    pub busy: Rational,
    /// The odd set, in words and for `--json`; `None` for resources.
    pub odd_set: Option<(String, Value)>,
}

/// The resources that limit a throughput.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bottleneck {
    /// The classes that the certificate charges, the largest share first.
    pub limiting: Vec<Class>,
    /// The busiest class that the certificate does not charge.
    pub next: Option<Class>,
    /// Warnings about likely modelling mistakes.
    pub hints: Vec<String>,
}

/// The hint that the order of the operands may cost something.
pub const IN_ORDER: &str = "operands are combined in their order; --commutative may give more";

/// Limit on the classes named in a line.
const NAMED: usize = 3;

/// Computes the bottleneck from the certificate and the loads of the steady state.
pub fn of(problem: Problem<'_>, steady_state: &SteadyState, certificate: &Certificate, status: Status) -> Bottleneck {
    let platform = problem.platform();
    let loads = Loads::of(problem, steady_state);
    let busy = loads.busy();
    let all = certificate.supply(platform);
    let prices = shares(platform, certificate, &all);
    let mut classes: BTreeMap<String, Class> = BTreeMap::new();
    let mut limiting: Vec<Class> = Vec::new();
    for charged_for in [true, false] {
        classes.clear();
        for (resource, busy) in &busy {
            let share = prices.get(resource).cloned().unwrap_or_default();
            if share.is_zero() == charged_for {
                continue;
            }
            let name = resource.describe(platform);
            let class = Class { name: name.clone(), members: 1, share, busy: busy.clone(), odd_set: None };
            classes.entry(common(&name)).and_modify(|known| known.join(&class)).or_insert(class);
        }
        if charged_for {
            limiting = classes.values().cloned().collect();
        }
    }
    // The price of an odd set of capacity 0 charges nothing.
    let sets = certificate.odd_sets().filter(|(set, _)| set.capacity(platform) > 0);
    limiting.extend(sets.map(|(set, price)| Class {
        name: odd_sets::name(platform, set),
        members: 1,
        share: price * capacity(platform, set) / &all,
        busy: loads.odd_set(set),
        odd_set: Some((odd_sets::sentence(platform, set), odd_sets::json(platform, set, Some(price)))),
    }));
    limiting.sort_by(|one, other| (&other.share, &one.name).cmp(&(&one.share, &other.name)));
    let next = classes.into_values().max_by(|one, other| (&one.busy, &other.name).cmp(&(&other.busy, &one.name)));
    let hints = hints(problem, certificate, status, &prices);
    Bottleneck { limiting, next: next.filter(|class| !class.busy.is_zero()), hints }
}

impl Class {
    fn join(&mut self, other: &Class) {
        self.name = common(&other.name);
        self.members += other.members;
        self.share += &other.share;
        self.busy = self.busy.clone().max(other.busy.clone());
    }

    /// "send port of 'a'", or "8 x link 'ib*' -> 'gpu*'".
    fn named(&self) -> String {
        if self.members == 1 { self.name.clone() } else { format!("{} x {}", self.members, self.name) }
    }
}

impl Bottleneck {
    /// The bottleneck, for `--json`.
    pub fn json(&self) -> Value {
        let class = |class: &Class| {
            let mut row = json!({
                "resource": class.name,
                "members": class.members,
                "share": decimal(&class.share),
                "busy": decimal(&class.busy),
            });
            if let (Some(row), Some((_, set))) = (row.as_object_mut(), &class.odd_set) {
                row.insert("odd_set".to_string(), set.clone());
            }
            row
        };
        self.limiting.iter().map(class).collect()
    }

    /// The names of the classes with the largest shares.
    pub fn limiting_names(&self) -> String {
        let names = self.limiting.iter().take(NAMED).map(Class::named);
        let more = if self.limiting.len() > NAMED { ", ..." } else { "" };
        names.collect::<Vec<_>>().join(", ") + more
    }

    /// The lines of a report.
    pub fn lines(&self) -> Vec<String> {
        let shares = self.limiting.iter().take(NAMED).map(|class| {
            let share = if class.share.is_one() { String::new() } else { format!(" ({})", percent(&class.share)) };
            format!("{}{share}, {} busy", class.named(), percent(&class.busy))
        });
        let more = match self.limiting.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let mut lines = Vec::new();
        if !self.limiting.is_empty() {
            lines.push(format!("limited by  {}{more}", shares.collect::<Vec<_>>().join("; ")));
            let sets = self.limiting.iter().take(NAMED).filter_map(|class| class.odd_set.as_ref());
            lines.extend(sets.map(|(sentence, _)| format!("odd set     {sentence}")));
        }
        if let Some(next) = &self.next {
            lines.push(format!("next        {}, {} busy", next.named(), percent(&next.busy)));
        }
        lines.extend(self.hints.iter().map(|hint| format!("hint        {hint}")));
        lines
    }
}

/// The first class of these resources by name, and the number of further classes: `8 x send port of 'gpu*'`.
pub fn summary(platform: &Platform, resources: &[Resource]) -> String {
    let mut classes: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for resource in resources {
        let name = resource.describe(platform);
        let class = classes.entry(common(&name)).or_insert((0, name));
        class.0 += 1;
    }
    let named = classes.iter().map(|(common, (members, name))| match members {
        1 => name.clone(),
        _ => format!("{members} x {common}"),
    });
    let more = if classes.len() > 1 { format!("; and {} more", classes.len() - 1) } else { String::new() };
    named.take(1).map(|name| name + &more).collect()
}

/// The busy share of each used resource's time.
pub fn busy(problem: Problem<'_>, steady_state: &SteadyState) -> BTreeMap<Resource, Rational> {
    Loads::of(problem, steady_state).busy()
}

/// The loads of a steady state. Sums are integers, over the common denominator of the weights.
struct Loads<'a> {
    platform: &'a Platform,
    measure: Measure<'a>,
    unit: BigInt,
    totals: Vec<BigInt>,
}

impl<'a> Loads<'a> {
    fn of(problem: Problem<'a>, steady_state: &SteadyState) -> Loads<'a> {
        let measure = Measure::new(problem);
        let unit = common_denominator(steady_state.patterns.iter().map(|weighted| &weighted.weight));
        let mut totals = vec![BigInt::zero(); measure.places()];
        for WeightedPattern { pattern, weight } in &steady_state.patterns {
            measure.add(pattern, &(weight.numer() * (&unit / weight.denom())), &mut totals);
        }
        Loads { platform: problem.platform(), measure, unit, totals }
    }

    fn busy(&self) -> BTreeMap<Resource, Rational> {
        let loads: Vec<Rational> = self.measure.loads(&self.totals, |place| self.measure.time(place));
        let whole = &self.unit * self.measure.scale();
        let used = loads.into_iter().enumerate().filter(|(_, load)| !load.is_zero());
        used.filter_map(|(number, load)| Some((self.measure.resource(number)?, load / &whole))).collect()
    }

    /// The busy share of an odd set's time.
    fn odd_set(&self, set: &OddSet) -> Rational {
        let members = set.members(self.platform);
        let times = self.measure.link_times(&self.totals);
        let inside = times.iter().filter(|(link, _)| members.binary_search(link).is_ok());
        let busy: Rational = inside.map(|(_, time)| time).sum();
        busy / &self.unit / capacity(self.platform, set)
    }
}

fn capacity(platform: &Platform, set: &OddSet) -> Rational {
    Rational::from_integer(set.capacity(platform).into())
}

/// Every resource's share of the total price; empty if the total is 0.
fn shares(platform: &Platform, certificate: &Certificate, all: &Rational) -> BTreeMap<Resource, Rational> {
    if all.is_zero() {
        return BTreeMap::new();
    }
    let whole = |resource: &Resource| Rational::from_integer(resource.capacity(platform).into());
    certificate.prices().map(|(resource, price)| (resource, price * whole(&resource) / all)).collect()
}

/// Warnings about limiting assumptions that are likely modelling mistakes.
fn hints(
    problem: Problem<'_>,
    certificate: &Certificate,
    status: Status,
    prices: &BTreeMap<Resource, Rational>,
) -> Vec<String> {
    let (platform, collective) = (problem.platform(), problem.collective());
    let mut hints = Vec::new();
    let router = prices.keys().find_map(|resource| {
        let node = resource.node().filter(|&node| !platform.node(node).is_processor())?;
        (platform.model_of(node) != PortModel::Links).then(|| platform.name(node))
    });
    if let Some(name) = router {
        hints.push(format!(
            "the port of router '{name}' limits, which forwards one message at a time; a switch that forwards on all its \
             ports at once says switch = true"
        ));
    }
    if prices.keys().any(|resource| matches!(resource, Resource::Compute(_))) {
        hints.push("processors limit; is --work, times each node's compute, the time of a merge?".to_string());
    }
    let in_order = problem.demands().any(|demand| !demand.commutative && demand.operands.len() > 2);
    // Inequalities of borders, gatherings and exchanges hold in any order. If they prove the optimum, order costs
    // nothing.
    let any_order = certificate.needs.iter().any(|need| {
        matches!(need.inequality, Inequality::Border(_) | Inequality::Gathering(_) | Inequality::Exchange(_))
    });
    let in_order = in_order && !(any_order && status == Status::Optimal);
    // Tables are of the operands in their order.
    let volumes = problem.volumes();
    let tabled = [&volumes.size, &volumes.work].iter().any(|it| matches!(it, Amount::Table(_) | Amount::Tasks(_)));
    let in_order = in_order && !tabled;
    if in_order && collective.combines() && collective.form().is_some_and(|form| form.commutes) {
        hints.push(IN_ORDER.to_string());
    }
    hints
}
