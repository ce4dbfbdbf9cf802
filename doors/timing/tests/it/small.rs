//! Small broadcasts and gathers against all schedules.

use oneport_baselines::{RankHints, named};
use oneport_plan::{Collective, NodeId, Platform, Problem, Rational, Resource, Volumes};
use oneport_platform::generate::{self, Costs, Options};
use oneport_platform::{LinkId, PortModel};
use oneport_timing::{TaskList, lower_bound};
use oneport_watch::Watch;
use std::collections::BTreeMap;

use crate::runs::{by_prices, dates, delayed, number, routes, shared};

/// The shortest broadcast in uncut pieces: every order of sends, each as early as possible. An optimal schedule, its
/// sends taken by their starts, is one of these.
struct SearchLimits<'a> {
    platform: &'a Platform,
    pieces: usize,
    size: Rational,
    best: Option<Rational>,
}

#[derive(Clone)]
struct State {
    /// Per node and piece: the date from which it is there.
    there: BTreeMap<(NodeId, usize), Rational>,
    free: BTreeMap<Resource, Rational>,
    /// Per shared capacity: ends of transfers, each with its part of it.
    carried: BTreeMap<Resource, Vec<(Rational, Rational)>>,
    /// Start of the last send: later ones do not start before.
    last: Rational,
}

impl SearchLimits<'_> {
    fn search(&mut self, state: &State) {
        let platform = self.platform;
        if state.there.len() == platform.nodes().len() * self.pieces {
            let end = state.there.values().max().cloned().expect("pieces");
            self.best = Some(self.best.take().map_or(end.clone(), |best| best.min(end)));
            return;
        }
        let links: Vec<LinkId> = platform.link_ids().collect();
        let pieces = self.pieces;
        for (link, piece) in links
            .into_iter()
            .flat_map(|link| (0..pieces).map(move |piece| (link, piece)))
        {
            let of = platform.link(link);
            let Some(ready) = state.there.get(&(of.from, piece)) else {
                continue;
            };
            if state.there.contains_key(&(of.to, piece)) {
                continue;
            }
            let free = Resource::uses(platform, link)
                .map(|used| used.resource)
                .filter_map(|resource| state.free.get(&resource));
            let mut start = free
                .chain([ready, &state.last])
                .max()
                .cloned()
                .expect("a date");
            for used in Resource::uses(platform, link) {
                let Some(part) = used.part else { continue };
                let carried = state.carried.get(&used.resource).into_iter().flatten();
                let mut later: Vec<_> = carried.filter(|(end, _)| *end > start).collect();
                later.sort();
                let mut sum: Rational = later.iter().map(|(_, part)| part).sum();
                for (end, ended) in later {
                    if &sum + part <= number("1") {
                        break;
                    }
                    sum -= ended;
                    start = end.clone();
                }
            }
            let end = &start + of.overhead() + &of.cost * &self.size;
            let arrival = &end + of.latency();
            if self.best.as_ref().is_some_and(|best| arrival >= *best) {
                continue;
            }
            let mut next = state.clone();
            next.there.insert((of.to, piece), arrival);
            for used in Resource::uses(platform, link) {
                match used.part {
                    Some(part) => next
                        .carried
                        .entry(used.resource)
                        .or_default()
                        .push((end.clone(), part.clone())),
                    None => drop(next.free.insert(used.resource, end.clone())),
                }
            }
            next.last = start;
            self.search(&next);
        }
    }
}

#[test]
fn no_schedule_undercuts_the_bound() {
    let mut met = 0;
    for seed in 0..12 {
        let costs = Costs::Uniform { low: 1, high: 4 };
        let options = Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        let model = [
            PortModel::FullDuplex,
            PortModel::HalfDuplex,
            PortModel::Links,
        ][seed as usize % 3];
        let made = generate::random_connected(4, 2, &options)
            .expect("a platform")
            .with_model(model);
        let made = if seed % 6 == 5 { shared(&made) } else { made };
        let platform = delayed(&made);
        let nodes: Vec<NodeId> = platform.node_ids().collect();
        let collective = Collective::broadcast(nodes[0], nodes[1..].to_vec());
        let volumes = Volumes::of_size(number("2"));
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let bound = lower_bound(&problem, &number("1000000000"), &Watch::unlimited())
            .max(by_prices(&problem));
        let routes = routes(&problem);
        for pieces in [1, 2] {
            let size = number("2") / Rational::from_integer(pieces.into());
            let mut search = SearchLimits {
                platform: &platform,
                pieces,
                size,
                best: None,
            };
            let there = (0..pieces)
                .map(|piece| ((nodes[0], piece), Rational::default()))
                .collect();
            search.search(&State {
                there,
                free: BTreeMap::new(),
                carried: BTreeMap::new(),
                last: Rational::default(),
            });
            let best = search.best.expect("connected");
            assert!(
                bound <= best,
                "{seed} {model}: the bound {bound} is above {best}"
            );
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
                // Trees along routes may bring a node a piece twice, which never helps.
                assert!(
                    length >= best,
                    "{seed} {model} {}: {length} undercuts {best}",
                    algorithm.name
                );
                met += usize::from(length == best);
            }
        }
    }
    assert!(met > 5, "{met} algorithms are the shortest schedule");
}
