//! The limits of a throughput, from its certificate.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_plan::inequality::Inequality;
use oneport_plan::{Amount, Certificate, OddSet, Problem, Resource, Status, SteadyState};
use oneport_platform::{NodeId, Platform, PortModel, Rational, names::common, whole};

use super::averaged;
use crate::Answer;
use crate::loads::Loads;

/// The limits of a throughput.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The classes that the certificate charges, the largest share first.
    pub limiting: Vec<Class>,
    /// The busiest class that the certificate does not charge.
    pub next: Option<Class>,
    /// If the certificate charges a single resource and those alike by symmetry: the classes after `next` that are busy
    /// all the time. Another proof may charge one of them in its place, so a faster `limiting` class may gain nothing
    /// unless these become faster, too.
    pub full: Vec<Class>,
    /// Assumptions that limit and are perhaps not meant.
    pub hints: Vec<Hint>,
}

/// Resources that are alike, and how much of them is charged and busy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Class {
    /// The members.
    pub members: Members,
    /// Its share of the total price that the certificate charges.
    pub share: Rational,
    /// The busy share of its busiest member's time.
    pub busy: Rational,
}

/// The members of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Members {
    /// Resources of one kind, with names that differ in digits only. Ascending.
    Resources(Vec<Resource>),
    /// One odd set, with its price.
    OddSet(OddSet, Rational),
}

/// An assumption that limits, and that is often a mistake of the platform file or of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// The port of this router, which owns and wants nothing, and forwards one message at a time.
    RouterPort(NodeId),
    /// Processors: the work of merges.
    Merging,
    /// A barrier's token is small: latency decides how long one takes, and no throughput counts it.
    Latency,
    /// Operands are combined in their order. [`any_order`](super::any_order) finds the gain of another order.
    InOrder,
}

impl Class {
    /// Number of members.
    pub fn count(&self) -> usize {
        if let Members::Resources(resources) = &self.members {
            resources.len()
        } else {
            1
        }
    }

    /// The name of its only member, or the common part of its members' names, with `*` for digits.
    pub fn name(&self, platform: &Platform) -> String {
        match &self.members {
            Members::OddSet(set, _) => set.describe(platform),
            Members::Resources(resources) => name(platform, resources),
        }
    }
}

/// The busy share of the time of each resource and each link that the listed patterns use. `None` if none are listed.
/// Linear in the tasks of the patterns.
pub fn loads(answer: &Answer) -> Option<BTreeMap<Resource, Rational>> {
    let steady_state = answer.patterns()?;
    Some(Loads::of(answer.problem(), steady_state).with_links())
}

/// Reads the charges of the certificate, [averaged](super::averaged) over the symmetries of the question, and adds up
/// the busy times of the listed patterns (0 if none are listed). Linear in the tasks of the patterns, besides the
/// search for symmetries.
pub fn limits(answer: &Answer) -> Limits {
    let (problem, certificate) = (answer.problem(), answer.certificate());
    let platform = problem.platform();
    let nothing = SteadyState {
        throughput: Rational::zero(),
        patterns: Vec::new(),
    };
    let steady_state = answer.patterns().unwrap_or(&nothing);
    let loads = Loads::of(problem, steady_state);
    let busy = loads.busy();
    let all = certificate.supply(platform);
    let prices: BTreeMap<Resource, Rational> = if all.is_zero() {
        BTreeMap::new()
    } else {
        let share = |(resource, price): (Resource, Rational)| {
            let capacity = whole(resource.capacity(platform));
            (resource, price * capacity / &all)
        };
        averaged(problem, certificate)
            .into_iter()
            .map(share)
            .collect()
    };
    let charge = |resource: &Resource| prices.get(resource).filter(|share| !share.is_zero());
    let class = |resources: Vec<Resource>| Class {
        share: resources.iter().filter_map(charge).sum(),
        busy: resources
            .iter()
            .map(|resource| &busy[resource])
            .max()
            .cloned()
            .unwrap_or_default(),
        members: Members::Resources(resources),
    };
    let (charged, free): (Vec<Resource>, Vec<Resource>) =
        busy.keys().partition(|one| charge(one).is_some());
    let mut limiting: Vec<Class> = alike(platform, &charged).into_iter().map(class).collect();
    // The price of an odd set of capacity 0 charges nothing.
    let sets = certificate
        .odd_sets()
        .filter(|(set, _)| !all.is_zero() && set.capacity(platform) > 0);
    limiting.extend(sets.map(|(set, price)| Class {
        share: price * whole(set.capacity(platform)) / &all,
        busy: loads.odd_set(set),
        members: Members::OddSet(set.clone(), price.clone()),
    }));
    limiting.sort_by_cached_key(|class| (-&class.share, class.name(platform)));
    let mut free: Vec<Class> = alike(platform, &free).into_iter().map(class).collect();
    free.sort_by_cached_key(|class| (-&class.busy, class.name(platform)));
    let mut free = free.into_iter();
    let next = free.next();
    let charged = certificate.prices().filter(|(_, price)| !price.is_zero());
    let is_single = charged.count() == 1 && certificate.odd_sets().next().is_none();
    let full = free.take_while(|class| is_single && class.busy.is_one());
    let full = full.collect();
    Limits {
        limiting,
        next,
        full,
        hints: hints(problem, certificate, answer.status(), &prices),
    }
}

/// Resources that are alike, together: of one kind, with names that differ in digits only. Ascending by these names.
pub fn alike(platform: &Platform, resources: &[Resource]) -> Vec<Vec<Resource>> {
    let mut classes: BTreeMap<String, Vec<Resource>> = BTreeMap::new();
    for resource in resources {
        classes
            .entry(common(&resource.describe(platform)))
            .or_default()
            .push(*resource);
    }
    classes.into_values().collect()
}

/// The name of the only one of [`alike`] resources, or the common part of their names, with `*` for digits.
pub fn name(platform: &Platform, alike: &[Resource]) -> String {
    match alike {
        [] => String::new(),
        [only] => only.describe(platform),
        [first, ..] => common(&first.describe(platform)),
    }
}

fn hints(
    problem: &Problem,
    certificate: &Certificate,
    status: Status,
    prices: &BTreeMap<Resource, Rational>,
) -> Vec<Hint> {
    let (platform, collective) = (problem.platform(), problem.collective());
    // A router that owns or wants something does not only forward.
    let takes_part = |node: NodeId| {
        problem
            .demands()
            .any(|demand| demand.operands.contains(&node) || demand.targets().contains(&node))
    };
    let ports = |resource: &&Resource| !matches!(resource, Resource::Compute(_));
    let router = prices.keys().filter(ports).find_map(|resource| {
        let node = resource
            .node()
            .filter(|&node| !platform.node(node).is_processor())?;
        let forwards = platform.model_of(node) != PortModel::Links && !takes_part(node);
        forwards.then_some(Hint::RouterPort(node))
    });
    let merging = prices
        .keys()
        .any(|resource| matches!(resource, Resource::Compute(_)))
        .then_some(Hint::Merging);
    let in_order = problem
        .demands()
        .any(|demand| !demand.commutative && demand.operands.len() > 2);
    // Inequalities of borders, gatherings and exchanges hold in any order. If they prove the optimum, order costs
    // nothing.
    let any_order = certificate.needs.iter().any(|need| {
        matches!(
            need.inequality,
            Inequality::Border(_) | Inequality::Gathering(_) | Inequality::Exchange(_)
        )
    });
    let in_order = in_order && !(any_order && status == Status::Optimal);
    // Tables are of the operands in their order.
    let volumes = problem.volumes();
    let tabled = [&volumes.size, &volumes.work]
        .iter()
        .any(|it| matches!(it, Amount::Table(_) | Amount::Tasks(_)));
    let commutes =
        collective.combines() && collective.form().is_some_and(|form| form.may_keep_order());
    let in_order = (in_order && !tabled && commutes).then_some(Hint::InOrder);
    let whole = collective
        .form()
        .is_some_and(|form| !form.is_cut())
        .then_some(Hint::Latency);
    [router, merging, whole, in_order]
        .into_iter()
        .flatten()
        .collect()
}
