//! Small reductions against all schedules.

use std::collections::{BTreeMap, BTreeSet};

use oneport_baselines::{RankHints, named};
use oneport_plan::{Collective, NodeId, Platform, Problem, Rational, Resource, Volumes};
use oneport_platform::PortModel;
use oneport_platform::generate::{self, Costs, Options};
use oneport_timing::{TaskList, lower_bound};
use oneport_watch::Watch;

use crate::runs::{by_prices, dates, delayed, number, routes};

/// The shortest reduction in uncut pieces: every order of sends and merges, each as early as possible. Every part is
/// used once: a copy of it gains nothing. The tasks of an optimal schedule, sorted by their starts, are one of these
/// orders.
struct SearchLimits<'a> {
    platform: &'a Platform,
    /// The goal of the reduction.
    wants: NodeId,
    pieces: usize,
    operands: usize,
    share: Rational,
    best: Option<Rational>,
}

/// A piece, its node, and the operands it combines, as a set of bits.
type Part = (usize, NodeId, u32);

#[derive(Clone, Default)]
struct State {
    /// The date at which the part is there.
    there: BTreeMap<Part, Rational>,
    /// Parts that have been at a node: returning them gains nothing.
    been: BTreeSet<Part>,
    free: BTreeMap<Resource, Rational>,
    /// Start of the last task: later ones do not start before.
    last: Rational,
}

impl SearchLimits<'_> {
    fn search(&mut self, state: &State) {
        let whole = (1_u32 << self.operands) - 1;
        let goals = (0..self.pieces).map(|piece| (piece, self.wants, whole));
        let done: Option<Vec<&Rational>> = goals.map(|goal| state.there.get(&goal)).collect();
        if let Some(dates) = done {
            let end = dates.into_iter().max().cloned().expect("goals");
            self.best = Some(self.best.take().map_or(end.clone(), |best| best.min(end)));
            return;
        }
        let parts: Vec<(Part, Rational)> = state
            .there
            .iter()
            .map(|(part, date)| (*part, date.clone()))
            .collect();
        for ((piece, node, set), ready) in &parts {
            for link in self.platform.outgoing(*node).to_vec() {
                let of = self.platform.link(link);
                let takes = of.overhead() + &of.cost * &self.share;
                let occupied: Vec<Resource> = Resource::uses(self.platform, link)
                    .map(|used| used.resource)
                    .collect();
                let used = [(*piece, *node, *set)];
                self.next(
                    state,
                    &used,
                    (*piece, of.to, *set),
                    ready,
                    &occupied,
                    &takes,
                    &of.latency(),
                );
            }
            for ((_, _, other), later) in parts
                .iter()
                .filter(|((p, n, o), _)| (p, n) == (piece, node) && o & set == 0 && o > set)
            {
                let compute = self
                    .platform
                    .node(*node)
                    .compute
                    .clone()
                    .expect("a processor");
                let (ready, takes) = (ready.max(later), compute * &self.share);
                let made = (*piece, *node, set | other);
                let used = [(*piece, *node, *set), (*piece, *node, *other)];
                self.next(
                    state,
                    &used,
                    made,
                    ready,
                    &[Resource::Compute(*node)],
                    &takes,
                    &Rational::default(),
                );
            }
        }
    }

    /// Adds one task, unless it ends too late.
    #[expect(clippy::too_many_arguments, reason = "a task and the state before it")]
    fn next(
        &mut self,
        state: &State,
        used: &[Part],
        made: Part,
        ready: &Rational,
        occupied: &[Resource],
        takes: &Rational,
        latency: &Rational,
    ) {
        if state.been.contains(&made) {
            return;
        }
        let free = occupied
            .iter()
            .filter_map(|resource| state.free.get(resource));
        let start = free
            .chain([ready, &state.last])
            .max()
            .cloned()
            .expect("a date");
        let end = &start + takes;
        let there = &end + latency;
        if self.best.as_ref().is_some_and(|best| there >= *best) {
            return;
        }
        let mut next = state.clone();
        used.iter().for_each(|part| drop(next.there.remove(part)));
        next.been.insert(made);
        next.there.insert(made, there);
        occupied
            .iter()
            .for_each(|resource| drop(next.free.insert(*resource, end.clone())));
        next.last = start;
        self.search(&next);
    }
}

#[test]
fn no_reduction_undercuts_the_bound() {
    let mut met = 0;
    for seed in 0..16 {
        let costs = Costs::Uniform { low: 1, high: 4 };
        let options = Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let model = PortModel::ALL[seed as usize % 4];
        let made = generate::random_connected(3, 2, &options)
            .expect("a platform")
            .with_model(model);
        let platform = delayed(&made);
        let nodes: Vec<NodeId> = platform.node_ids().collect();
        let collective = Collective::reduce(nodes[0], nodes.clone());
        let pieces = 1;
        let volumes = Volumes {
            work: oneport_plan::Amount::Constant(number("2")),
            ..Volumes::of_size(number("2"))
        };
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let bound = lower_bound(&problem, &number("1000000000"), &Watch::unlimited())
            .max(by_prices(&problem));
        let share = number("2") / Rational::from_integer(pieces.into());
        let mut search = SearchLimits {
            platform: &platform,
            wants: nodes[0],
            pieces,
            operands: 3,
            share,
            best: None,
        };
        let own = (0..pieces).flat_map(|piece| {
            nodes
                .iter()
                .enumerate()
                .map(move |(bit, &node)| (piece, node, 1 << bit))
        });
        let there: BTreeMap<Part, Rational> = own.map(|part| (part, Rational::default())).collect();
        let been = there.keys().copied().collect();
        search.search(&State {
            there,
            been,
            ..State::default()
        });
        let best = search.best.expect("connected");
        assert!(
            bound <= best,
            "{seed} {model} {collective}: the bound {bound} is above {best}"
        );
        let routes = routes(&problem);
        for algorithm in named(&problem, &RankHints::default())
            .iter()
            .filter(|one| one.pieces == 1)
        {
            let draft = TaskList::of_algorithm(
                &problem,
                algorithm,
                &routes,
                pieces as u32,
                &Watch::unlimited(),
            )
            .expect("a draft");
            let length = dates(
                &problem,
                &draft
                    .graph(&problem, &oneport_timing::Watch::unlimited())
                    .expect("a graph"),
            )
            .length();
            assert!(
                length >= best,
                "{seed} {model} {}: {length} undercuts {best}",
                algorithm.name
            );
            met += usize::from(length == best);
        }
    }
    assert!(met > 2, "{met} algorithms are the shortest schedule");
}
