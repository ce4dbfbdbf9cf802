//! Every single change to an honest plan or run is refused, or provably states nothing false.

use crate::common;

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::common::ask::check_timeline;
use common::judge::judge;
use common::mutate::{Mutant, plan_mutants, timeline_mutants};
use common::*;
use oneport_plan::{Event, Timeline};
use oneport_platform::{LinkId, Rational};

/// Results for the mutants of one kind.
#[derive(Default)]
struct Tally {
    refused: usize,
    equivalent: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Judges each mutant. An accepted one needs a proof that all its statements are true.
    fn count<T: Debug, V, E>(
        &mut self,
        mutants: Vec<Mutant<T>>,
        check: impl Fn(&T) -> Result<V, E>,
        proof: impl Fn(&T) -> Option<&'static str>,
    ) {
        for Mutant { change, value } in mutants {
            if check(&value).is_err() {
                self.refused += 1;
                continue;
            }
            match proof(&value) {
                Some(why) => *self.equivalent.entry(why).or_default() += 1,
                None => panic!("accepted, but nothing proves it right: {change}\n{value:#?}"),
            }
        }
    }

    fn print(&self, what: &str) {
        let equivalent: usize = self.equivalent.values().sum();
        println!(
            "{what}: {} of {} mutants refused; the others say nothing false:",
            self.refused,
            self.refused + equivalent
        );
        for (why, count) in &self.equivalent {
            println!("  {count}: {why}");
        }
        assert!(
            self.refused > equivalent,
            "more mutants of {what} are equivalent than not: change more"
        );
    }
}

fn sorted<T: Clone>(items: &[T], key: impl Fn(&T) -> String) -> Vec<String> {
    let mut keys: Vec<String> = items.iter().map(key).collect();
    keys.sort();
    keys
}

fn same_items<T: Debug + Clone>(one: &[T], other: &[T]) -> bool {
    let key = |item: &T| format!("{item:?}");
    sorted(one, key) == sorted(other, key)
}

/// The changed prices are proper, and by Bellman and Ford prove the stated bound.
fn proves_stated_bound(plan: &Plan) -> bool {
    let prices = &prices_of(&plan.certificate);
    prices.windows(2).all(|pair| pair[0].0 < pair[1].0)
        && prices.iter().all(|(resource, price)| {
            *price > ratio(0, 1) && resource.node().unwrap().index() < plan.platform.nodes().len()
        })
        && naive_bound(&plan.platform, &plan.collective, &plan.volumes, prices).as_ref()
            == Some(&plan.upper_bound)
}

fn is_used(plan: &Plan, link: LinkId) -> bool {
    plan.steady_state
        .patterns
        .iter()
        .any(|weighted| weighted.pattern.links().any(|used| used == link))
        || plan
            .schedule
            .patterns
            .iter()
            .any(|scheduled| scheduled.pattern.links().any(|used| used == link))
        || plan
            .schedule
            .slots
            .iter()
            .any(|slot| slot.links.contains(&link))
}

/// The reason why all statements of the changed plan are true.
fn plan_proof(original: &Plan, mutant: &Plan) -> Option<&'static str> {
    // Each proof undoes one kind of change: if the plans are equal then, they differed only in that.
    if mutant.platform
        == original
            .platform
            .clone()
            .with_model(mutant.platform.model())
    {
        let mut undone = mutant.clone();
        undone.platform.clone_from(&original.platform);
        if undone == *original && judge(mutant) {
            return Some("another port model, under which all is true as well");
        }
    }
    let mut undone = mutant.clone();
    undone.schedule.slots.clone_from(&original.schedule.slots);
    if undone == *original && same_items(&mutant.schedule.slots, &original.schedule.slots) {
        return Some("the slots in another order: the same matchings, for the same times");
    }
    let mut undone = mutant.clone();
    undone
        .schedule
        .patterns
        .clone_from(&original.schedule.patterns);
    if undone == *original && same_items(&mutant.schedule.patterns, &original.schedule.patterns) {
        return Some("the schedule's patterns in another order: links send in another order");
    }
    let mut undone = mutant.clone();
    undone
        .steady_state
        .patterns
        .clone_from(&original.steady_state.patterns);
    let patterns = &mutant.steady_state.patterns;
    if undone == *original
        && same_items(patterns, &original.steady_state.patterns)
        && patterns
            .windows(2)
            .all(|pair| pair[0].pattern.demand <= pair[1].pattern.demand)
    {
        return Some("patterns of one commodity in another order");
    }
    let mut undone = mutant.clone();
    undone.certificate.clone_from(&original.certificate);
    if undone == *original && proves_stated_bound(mutant) {
        return Some("other prices, which prove the same bound");
    }
    let mut undone = mutant.clone();
    undone.schedule.period.clone_from(&original.schedule.period);
    let busy: Rational = mutant.schedule.slots.iter().map(|slot| &slot.length).sum();
    if undone == *original && mutant.schedule.period >= busy {
        return Some("a period that still holds all slots: more or less idle time");
    }
    let mut undone = mutant.clone();
    undone.platform.clone_from(&original.platform);
    let (old, new) = (original.platform.links(), mutant.platform.links());
    if undone == *original
        && original.platform.nodes() == mutant.platform.nodes()
        && original
            .platform
            .link_ids()
            .all(|id| old.get(id.index()) == new.get(id.index()) || !is_used(original, id))
        && proves_stated_bound(mutant)
    {
        return Some("a changed link that no pattern uses and no shortest path notices");
    }
    let mut undone = mutant.clone();
    undone.volumes.work.clone_from(&original.volumes.work);
    undone.platform.clone_from(&original.platform);
    if undone == *original && original.platform.links() == mutant.platform.links() && judge(mutant)
    {
        return Some("other work or compute costs: nothing is merged");
    }
    None
}

/// The reason why all statements of the changed run are true.
fn timeline_proof(plan: &Plan, original: &Timeline, mutant: &Timeline) -> Option<&'static str> {
    let mut undone = mutant.clone();
    undone.events.clone_from(&original.events);
    if undone == *original && same_items(&mutant.events, &original.events) {
        return Some("the events in another order: they have dates");
    }
    let mut undone = mutant.clone();
    undone.period.clone_from(&original.period);
    if undone == *original && dates_fit(mutant) {
        return Some("a period that the dates fit as well");
    }
    let mut undone = mutant.clone();
    undone.events.clone_from(&original.events);
    if undone == *original && one_piece_moved(plan, original, mutant) {
        return Some("a piece moved into idle time");
    }
    None
}

/// Instances start in their periods and the last message arrives in the last period.
fn dates_fit(run: &Timeline) -> bool {
    let starts = run.eager
        || (0..run.starting_periods * run.instances_per_period).all(|instance| {
            let first = run
                .events
                .iter()
                .filter(|event| event.instance == instance)
                .map(|event| &event.pieces[0].0)
                .min();
            first.is_some_and(|first| {
                (first / &run.period).floor() == whole(instance / run.instances_per_period)
            })
        });
    let last = run
        .events
        .iter()
        .flat_map(|event| &event.pieces)
        .map(|(_, end)| end)
        .max()
        .unwrap()
        / &run.period;
    let periods = whole(run.starting_periods + run.clean_up_periods);
    starts && last <= periods && (run.clean_up_periods == 0 || last > periods - whole(1))
}

/// One piece moved, keeping its length, to a time at which its ports are idle, between the message's arrival and its
/// next departure: each looked up by brute force.
fn one_piece_moved(plan: &Plan, original: &Timeline, mutant: &Timeline) -> bool {
    let changed: Vec<usize> = (0..original.events.len())
        .filter(|&i| original.events[i] != mutant.events[i])
        .collect();
    let [index] = changed[..] else { return false };
    let (old, new) = (&original.events[index], &mutant.events[index]);
    let duration = |pieces: &[(Rational, Rational)]| {
        pieces
            .iter()
            .map(|(start, end)| end - start)
            .sum::<Rational>()
    };
    let precedes = |one: &Event, other: &Event| one.pieces.last().unwrap().1 <= other.pieces[0].0;
    let link = plan.platform.link(new.link);
    (old.instance, old.message, old.link) == (new.instance, new.message, new.link)
        && duration(&old.pieces) == duration(&new.pieces)
        && new
            .pieces
            .iter()
            .all(|(start, end)| ratio(0, 1) <= *start && start < end)
        && new.pieces.windows(2).all(|pair| pair[0].1 <= pair[1].0)
        && dates_fit(mutant)
        && mutant
            .events
            .iter()
            .enumerate()
            .filter(|&(i, _)| i != index)
            .all(|(_, event)| {
                let other = plan.platform.link(event.link);
                let apart = (other.from != link.from && other.to != link.to)
                    || event
                        .pieces
                        .iter()
                        .all(|(start, end)| new.pieces.iter().all(|(s, e)| e <= start || end <= s));
                let same = (event.instance, event.message) == (new.instance, new.message);
                let ordered = (precedes(event, old) && precedes(event, new))
                    || (precedes(old, event) && precedes(new, event));
                apart && (!same || ordered)
            })
}

fn honest_plans() -> Vec<(String, Plan)> {
    let mut plans = vec![
        ("toy".to_string(), toy()),
        ("toy as printed".to_string(), paper_toy()),
        ("ring".to_string(), ring()),
    ];
    for seed in 0..12 {
        plans.push((
            format!("random {seed}"),
            generate::path_plan(&mut Dice(seed), seed % 3 == 0),
        ));
    }
    plans
}

#[test]
fn changed_plans_are_refused() {
    let mut tally = Tally::default();
    for (_, plan) in honest_plans() {
        check_plan(&plan).unwrap();
        tally.count(plan_mutants(&plan), check_plan, |mutant| {
            plan_proof(&plan, mutant)
        });
    }
    tally.print("plans");
}

#[test]
fn changed_runs_are_refused() {
    let mut tally = Tally::default();
    for (name, plan) in honest_plans() {
        let starting = if name.starts_with("random") { 1 } else { 2 };
        let timeline = unroll(&plan, starting);
        let check =
            |run: &Timeline| check_timeline(&plan.platform, &plan.collective, &plan.volumes, run);
        check(&timeline).unwrap();
        tally.count(timeline_mutants(&plan, &timeline), check, |mutant| {
            timeline_proof(&plan, &timeline, mutant)
        });
    }
    tally.print("runs");
}
