//! Every single change to a plan or a timeline: each number, id and list in turn.

use num_traits::{One, Zero};
use oneport_plan::{BigUint, Collective, Plan, Resource, Status, Timeline};
use oneport_platform::{Link, LinkId, NodeId, Platform, PortModel, Rational};

use super::ratio;

/// A changed copy, and what was changed.
pub struct Mutant<T> {
    pub change: String,
    pub value: T,
}

/// Collects the changed copies that differ from the original.
struct Mutants<'a, T> {
    original: &'a T,
    list: Vec<Mutant<T>>,
}

impl<T: Clone + PartialEq> Mutants<'_, T> {
    fn add(&mut self, change: String, edit: impl FnOnce(&mut T)) {
        let mut value = self.original.clone();
        edit(&mut value);
        if value != *self.original {
            self.list.push(Mutant { change, value });
        }
    }

    /// Replaces each of the fields that `fields` finds by each of its `variants`.
    fn replace<F: Clone>(
        &mut self,
        what: &str,
        fields: impl Fn(&mut T) -> Vec<&mut F>,
        variants: impl Fn(&F) -> Vec<F>,
    ) {
        let mut copy = self.original.clone();
        let originals: Vec<F> = fields(&mut copy).into_iter().map(|field| field.clone()).collect();
        for (place, original) in originals.iter().enumerate() {
            for (number, variant) in variants(original).into_iter().enumerate() {
                self.add(format!("{what} {place}, variant {number}"), |value| {
                    *fields(value).swap_remove(place) = variant;
                });
            }
        }
    }

    /// Drops and duplicates each element of each list, and swaps each with the next.
    fn reshape<E: Clone>(&mut self, what: &str, lists: impl Fn(&mut T) -> Vec<&mut Vec<E>>) {
        let mut copy = self.original.clone();
        let lengths: Vec<usize> = lists(&mut copy).into_iter().map(|list| list.len()).collect();
        for (list, &length) in lengths.iter().enumerate() {
            let at = |value: &mut T, edit: &dyn Fn(&mut Vec<E>)| edit(lists(value).swap_remove(list));
            self.add(format!("{what} {list}: empty"), |value| at(value, &Vec::clear));
            for place in 0..length {
                self.add(format!("{what} {list}: drop {place}"), |value| at(value, &|l| drop(l.remove(place))));
                self.add(format!("{what} {list}: double {place}"), |value| {
                    at(value, &|l| l.insert(place, l[place].clone()));
                });
                if place + 1 < length {
                    self.add(format!("{what} {list}: swap {place} and the next"), |value| {
                        at(value, &|l| l.swap(place, place + 1));
                    });
                }
            }
        }
    }
}

fn numbers(value: &Rational) -> Vec<Rational> {
    let tiny = Rational::new(One::one(), num_bigint::BigInt::from(10).pow(40));
    let mut variants = vec![value * ratio(2, 1), value / ratio(2, 1), -value, Rational::zero()];
    for change in [ratio(1, 97), tiny, ratio(1, 1)] {
        variants.extend([value + &change, value - change]);
    }
    variants
}

fn counts(value: &u64) -> Vec<u64> {
    vec![0, value.wrapping_sub(1), value.saturating_add(1), value.saturating_mul(2), u64::MAX]
}

fn naturals(value: &BigUint) -> Vec<BigUint> {
    let one = BigUint::one();
    let mut variants = vec![BigUint::zero(), value + &one, value * 2u32, value << 300u32];
    variants.extend((value >= &one).then(|| value - one));
    variants
}

fn indices(limit: usize) -> impl Fn(&usize) -> Vec<usize> {
    move |_| (0..=limit).chain([9999, usize::MAX]).collect()
}

fn links(platform: &Platform) -> impl Fn(&LinkId) -> Vec<LinkId> + use<> {
    let count = platform.links().len();
    move |_| (0..=count).chain([9999, usize::MAX]).map(LinkId::new).collect()
}

fn nodes(platform: &Platform) -> impl Fn(&NodeId) -> Vec<NodeId> + use<> {
    let count = platform.nodes().len();
    move |_| (0..=count).chain([9999, usize::MAX]).map(NodeId::new).collect()
}

/// Every single change to a plan.
pub fn plan_mutants(plan: &Plan) -> Vec<Mutant<Plan>> {
    let mut mutants = Mutants { original: plan, list: Vec::new() };
    let commodities = plan.collective.commodities().len();
    mutants.replace("size", |p| vec![&mut p.size], numbers);
    mutants.replace("throughput", |p| vec![&mut p.steady_state.throughput], numbers);
    mutants.replace("upper bound", |p| vec![&mut p.upper_bound], numbers);
    mutants.replace("status", |p| vec![&mut p.status], |_| vec![Status::Optimal, Status::Feasible]);
    mutants.replace("weight", |p| p.steady_state.patterns.iter_mut().map(|w| &mut w.weight).collect(), numbers);
    mutants.replace("price", |p| p.certificate.prices.iter_mut().map(|(_, price)| price).collect(), numbers);
    mutants.replace("period", |p| vec![&mut p.schedule.period], numbers);
    mutants.replace("slot length", |p| p.schedule.slots.iter_mut().map(|slot| &mut slot.length).collect(), numbers);
    mutants.replace("instances", |p| vec![&mut p.schedule.instances], naturals);
    mutants.replace("copies", |p| p.schedule.patterns.iter_mut().map(|s| &mut s.copies).collect(), naturals);

    mutants.replace(
        "steady-state commodity",
        |p| p.steady_state.patterns.iter_mut().map(|w| &mut w.pattern.commodity).collect(),
        indices(commodities),
    );
    mutants.replace(
        "schedule commodity",
        |p| p.schedule.patterns.iter_mut().map(|s| &mut s.pattern.commodity).collect(),
        indices(commodities),
    );
    mutants.replace(
        "steady-state link",
        |p| p.steady_state.patterns.iter_mut().flat_map(|w| &mut w.pattern.links).collect(),
        links(&plan.platform),
    );
    mutants.replace(
        "schedule link",
        |p| p.schedule.patterns.iter_mut().flat_map(|s| &mut s.pattern.links).collect(),
        links(&plan.platform),
    );
    mutants.replace(
        "slot link",
        |p| p.schedule.slots.iter_mut().flat_map(|slot| &mut slot.links).collect(),
        links(&plan.platform),
    );
    mutants.replace("participant", |p| participants(&mut p.collective), nodes(&plan.platform));
    let ids = nodes(&plan.platform);
    let variants =
        |r: &Resource| ids(&r.node()).into_iter().flat_map(|id| [Resource::Send(id), Resource::Receive(id)]).collect();
    mutants.replace("resource", |p| p.certificate.prices.iter_mut().map(|(resource, _)| resource).collect(), variants);

    mutants.reshape("steady-state patterns", |p| vec![&mut p.steady_state.patterns]);
    mutants
        .reshape("steady-state path", |p| p.steady_state.patterns.iter_mut().map(|w| &mut w.pattern.links).collect());
    mutants.reshape("prices", |p| vec![&mut p.certificate.prices]);
    mutants.reshape("schedule patterns", |p| vec![&mut p.schedule.patterns]);
    mutants.reshape("schedule path", |p| p.schedule.patterns.iter_mut().map(|s| &mut s.pattern.links).collect());
    mutants.reshape("slots", |p| vec![&mut p.schedule.slots]);
    mutants.reshape("slot", |p| p.schedule.slots.iter_mut().map(|slot| &mut slot.links).collect());
    mutants.reshape("participants", |p| vec![members(&mut p.collective)]);
    platform_mutants(plan, &mut mutants);
    mutants.list
}

fn members(collective: &mut Collective) -> &mut Vec<NodeId> {
    match collective {
        Collective::Scatter { targets, .. } => targets,
        Collective::Gather { participants, .. } | Collective::AllToAll { participants } => participants,
    }
}

fn participants(collective: &mut Collective) -> Vec<&mut NodeId> {
    match collective {
        Collective::Scatter { source, targets } => std::iter::once(source).chain(targets).collect(),
        Collective::Gather { target, participants } => std::iter::once(target).chain(participants).collect(),
        Collective::AllToAll { participants } => participants.iter_mut().collect(),
    }
}

/// Link costs and ends, missing links, port models.
fn platform_mutants(plan: &Plan, mutants: &mut Mutants<'_, Plan>) {
    let platform = &plan.platform;
    for place in 0..platform.links().len() {
        for cost in numbers(&platform.links()[place].cost) {
            rebuild(mutants, format!("cost of link {place}"), plan, |links| links[place].cost = cost);
        }
        for node in platform.node_ids() {
            rebuild(mutants, format!("start of link {place}"), plan, |links| links[place].from = node);
            rebuild(mutants, format!("end of link {place}"), plan, |links| links[place].to = node);
        }
        rebuild(mutants, format!("drop link {place}"), plan, |links| drop(links.remove(place)));
    }
    for model in PortModel::ALL {
        mutants.add(format!("model {model}"), |p| p.platform = p.platform.clone().with_model(model));
    }
}

/// The plan on a platform with other links, where the builder accepts them.
fn rebuild(mutants: &mut Mutants<'_, Plan>, change: String, plan: &Plan, edit: impl FnOnce(&mut Vec<Link>)) {
    let mut links = plan.platform.links().to_vec();
    edit(&mut links);
    let mut builder = Platform::builder();
    for node in plan.platform.nodes() {
        builder.node(node.clone()).unwrap();
    }
    if links.into_iter().try_for_each(|link| builder.link(link.from, link.to, link.cost).map(drop)).is_ok() {
        let platform = builder.build().unwrap();
        mutants.add(change, |p| p.platform = platform);
    }
}

/// Every single change to a timeline.
pub fn timeline_mutants(plan: &Plan, timeline: &Timeline) -> Vec<Mutant<Timeline>> {
    let mut mutants = Mutants { original: timeline, list: Vec::new() };
    mutants.replace("period", |t| vec![&mut t.period], numbers);
    mutants.replace("starting periods", |t| vec![&mut t.starting_periods], counts);
    mutants.replace("instances per period", |t| vec![&mut t.instances_per_period], counts);
    mutants.replace("clean-up periods", |t| vec![&mut t.clean_up_periods], counts);
    mutants.replace("instance", |t| t.events.iter_mut().map(|e| &mut e.instance).collect(), counts);
    let commodities = plan.collective.commodities().len();
    mutants.replace(
        "commodity",
        |t| t.events.iter_mut().map(|e| &mut e.message.commodity).collect(),
        indices(commodities),
    );
    mutants.replace("link", |t| t.events.iter_mut().map(|e| &mut e.link).collect(), links(&plan.platform));
    mutants.replace(
        "start",
        |t| t.events.iter_mut().flat_map(|e| &mut e.pieces).map(|(start, _)| start).collect(),
        numbers,
    );
    mutants.replace("end", |t| t.events.iter_mut().flat_map(|e| &mut e.pieces).map(|(_, end)| end).collect(), numbers);
    mutants.reshape("events", |t| vec![&mut t.events]);
    mutants.reshape("pieces", |t| t.events.iter_mut().map(|e| &mut e.pieces).collect());
    // Both dates at once: the whole piece moves.
    let moved = |(start, end): &(Rational, Rational)| {
        let shifts = [ratio(1, 97), ratio(-1, 97), ratio(1, 1), ratio(-1, 1)];
        shifts.into_iter().map(|shift| (start + &shift, end + &shift)).collect()
    };
    mutants.replace("piece", |t| t.events.iter_mut().flat_map(|e| &mut e.pieces).collect(), moved);
    mutants.list
}
