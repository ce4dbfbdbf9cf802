//! Cheapest schemes: good ones fast, and within a budget by branch and bound.
//!
//! Finding a cheapest scheme is NP-hard: it contains the Steiner arborescence problem. The search branches on one task
//! at a time. If the task is executed, its price is paid and then it is free. If not, it is barred.

use std::collections::BTreeMap;

use oneport_numbers::Exact;
use oneport_watch::Watch;

use super::ascent::{Ascent, ascend};
use super::forest::{Forest, price};
use super::tasks::{Priced, Tasks};

/// Schemes and a bound.
pub(super) struct CheapSchemes<N> {
    /// No scheme costs less.
    pub at_least: N,
    /// Tasks in order, with their cost. The cheapest scheme first, no two alike.
    pub schemes: Vec<(N, Vec<usize>)>,
}

/// A part of all schemes: the schemes that execute some tasks, and not others.
#[derive(Clone, Default)]
struct Branch {
    done: Vec<usize>,
    barred: Vec<usize>,
}

struct SchemeSearch<'s, N> {
    tasks: &'s Tasks,
    priced: &'s Priced<N>,
    /// Ascending, at most `wanted`.
    schemes: Vec<(N, Vec<usize>)>,
    wanted: usize,
    /// Goals, in several orders.
    orders: Vec<Vec<usize>>,
    watch: &'s Watch,
}

/// Cheap schemes for all goals, at most `wanted` of them, after at most `budget` branches. `None` if a goal cannot be
/// reached. The watch ends the search as the budget does. If it ends before the first branch, the answer is
/// meaningless.
pub(super) fn search<N: Exact>(
    tasks: &Tasks,
    priced: &Priced<N>,
    budget: usize,
    wanted: usize,
    watch: &Watch,
) -> Option<CheapSchemes<N>> {
    let forward: Vec<usize> = (0..tasks.goals.len()).collect();
    let backward = forward.iter().rev().copied().collect();
    let mut search = SchemeSearch {
        tasks,
        priced,
        schemes: Vec::new(),
        wanted: wanted.max(1),
        orders: vec![backward, forward],
        watch,
    };
    search.shapes();
    let mut at_least = priced.top.clone();
    // Branches by their bounds, the latest of equal ones first.
    let mut open: BTreeMap<(N, usize), Branch> = BTreeMap::new();
    let mut serial = usize::MAX;
    open.insert((N::zero(), serial), Branch::default());
    for step in 0.. {
        let Some(((known, _), branch)) = open.pop_first() else {
            break;
        };
        if known >= search.best() || step > budget || watch.ask().is_err() {
            at_least = at_least.min(known);
            break;
        }
        let (bound, next) = search.look(&branch);
        let bound = bound.max(known);
        if bound >= search.best() {
            continue;
        }
        let Some(task) = next else {
            at_least = at_least.min(bound);
            continue;
        };
        for done in [false, true] {
            let mut branch = branch.clone();
            if done {
                branch.done.push(task)
            } else {
                branch.barred.push(task)
            }
            serial -= 1;
            open.insert((bound.clone(), serial), branch);
        }
    }
    let at_least = at_least.min(search.best());
    let schemes = search.schemes;
    (!schemes.is_empty()).then_some(CheapSchemes { at_least, schemes })
}

impl<N: Exact> SchemeSearch<'_, N> {
    /// The cheapest price so far.
    fn best(&self) -> N {
        self.schemes
            .first()
            .map_or(&self.priced.top, |(price, _)| price)
            .clone()
    }

    /// Prices for schemes, which leave relays alone.
    fn without_relays(&self, priced: &Priced<N>) -> Option<Priced<N>> {
        if !self.tasks.relays.contains(&true) {
            return None;
        }
        let mut costs = priced.costs.clone();
        let at_relay = (0..costs.len()).filter(|&task| self.tasks.at_relay(task));
        for task in at_relay {
            costs[task] = priced.top.clone();
        }
        Some(Priced {
            costs,
            top: priced.top.clone(),
            unit: priced.unit.clone(),
        })
    }

    /// Adds a forest, if it is among the cheapest. Returns its price and its tasks.
    fn keep(&mut self, forest: &Forest) -> (N, Vec<usize>) {
        let ordered = forest.tasks(self.tasks);
        let scheme = (price(self.priced, &ordered), ordered);
        if let Err(index) = self.schemes.binary_search(&scheme) {
            self.schemes.insert(index, scheme.clone());
            self.schemes.truncate(self.wanted);
        }
        scheme
    }

    /// Schemes to begin with: a chain, and the recursive halves of Ladner and Fischer, each improved.
    fn shapes(&mut self) {
        let (tasks, barred) = (self.tasks, self.without_relays(self.priced));
        let priced = barred.as_ref().unwrap_or(self.priced);
        let length = |part: usize| tasks.parts[part].operands();
        let chain = |part: usize, left: usize| length(left) + 1 == length(part);
        let halves =
            |part: usize, left: usize| length(left) == length(part).next_power_of_two() / 2;
        for shape in [&chain as &dyn Fn(usize, usize) -> bool, &halves] {
            let mut first = priced.costs.clone();
            for part in 0..tasks.parts.len() {
                let others = tasks
                    .merges(part)
                    .filter(|&(_, _, left, _)| !shape(part, left));
                for (task, ..) in others {
                    first[task] = priced.top.clone();
                }
            }
            for order in self.orders.clone() {
                if let Some(forest) = Forest::grow(tasks, priced, &first, &order, self.watch) {
                    self.keep(&forest);
                }
            }
        }
    }

    /// A bound for a branch, and the task to decide next.
    fn look(&mut self, branch: &Branch) -> (N, Option<usize>) {
        let mut priced = Priced {
            costs: self.priced.costs.clone(),
            top: self.priced.top.clone(),
            unit: self.priced.unit.clone(),
        };
        let paid = price(&priced, &branch.done);
        for &task in branch.done.iter() {
            priced.costs[task] = N::zero();
        }
        for &task in branch.barred.iter() {
            priced.costs[task] = priced.top.clone();
        }
        let ascents: Vec<Ascent<N>> = self
            .orders
            .iter()
            .map(|order| ascend(self.tasks, &priced, order, self.watch))
            .collect();
        let Some(ascent) = ascents.iter().max_by(|a, b| a.bound.cmp(&b.bound)) else {
            return (paid, None);
        };
        let mut bound = ascent.bound.clone();
        bound += &paid;
        if bound >= self.best() {
            return (bound, None);
        }
        let barred = self.without_relays(&priced);
        let open = barred.as_ref().unwrap_or(&priced);
        let mut cheapest: Option<(N, Vec<usize>)> = None;
        for order in self.orders.clone() {
            // Cheap schemes consist of tasks whose price is used up by a bound.
            for first in ascents
                .iter()
                .map(|ascent| &ascent.left)
                .chain([&open.costs])
            {
                if self.watch.ask().is_err() {
                    return (bound, None);
                }
                let Some(forest) = Forest::grow(self.tasks, open, first, &order, self.watch) else {
                    continue;
                };
                let scheme = self.keep(&forest);
                if cheapest.as_ref().is_none_or(|known| scheme.0 < known.0) {
                    cheapest = Some(scheme);
                }
            }
        }
        // Decide about tasks whose price is above their charges.
        let undecided = |&&task: &&usize| !priced.costs[task].is_zero();
        let chosen = cheapest
            .iter()
            .flat_map(|(_, ordered)| ordered)
            .filter(undecided);
        let chosen = chosen.max_by(|&&a, &&b| {
            let key = |task: usize| (&ascent.left[task], &priced.costs[task]);
            key(a).cmp(&key(b)).then(b.cmp(&a))
        });
        (bound, chosen.copied())
    }
}
