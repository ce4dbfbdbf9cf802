//! One operation in layers of latency: a sharper bound on its time, and a run along the same steady state.

use std::time::Duration;

use num_traits::One;
use oneport::plan::SteadyState;
use oneport::watch::Watch;
use oneport::{Answer, Goal, Options, Problem, Rational, solve};
use oneport_timing::{Layers, PieceSearch, TimedPieces};

use crate::limits::within;
use crate::once;

/// Time for the layers of all sizes. Trades sharper bounds and shorter runs for time. Not measured.
const ALL: Duration = Duration::from_secs(20);
/// Largest part of that time for one of several sizes: 1/5. Trades bounds for the first sizes for those for the last.
/// Not measured.
const PART: u32 = 5;
/// Dates tried of one size. Trades sharper bounds for time. Not measured.
const DATES: usize = 24;
/// Dates are this share of the date apart at least: 1/400. Trades a sharper bound for fewer dates. Not measured.
const STEP: u32 = 400;
/// If the best time is within this share of the bound, 1/50, layers are not tried. Trades a sharper bound for time. Not
/// measured.
const WORTH: u32 = 50;

/// The results of the layers for one size.
pub(crate) struct Raised {
    /// Proved lower bound on the time.
    pub(crate) least: Rational,
    /// A run along the steady state by a date just above, if the whole operation has one.
    pub(crate) run: Option<TimedPieces>,
}

/// Limits of the searches in layers.
pub(crate) struct Layered {
    /// The watch over all sizes, from now on.
    watch: Watch,
    /// The time for each size.
    each: Duration,
}

/// The limits for this number of sizes, from now on.
pub(crate) fn limited(watch: &Watch, sizes: usize) -> Layered {
    Layered {
        watch: within(watch, ALL),
        each: if sizes > 1 { ALL / PART } else { ALL },
    }
}

/// Raises a lower bound on the time of one operation towards the best time known.
pub(crate) fn raised(
    problem: &Problem,
    least: &Rational,
    best: &Rational,
    limits: &Layered,
) -> Raised {
    let mut raised = Raised {
        least: least.clone(),
        run: None,
    };
    let share = |part: u32| Rational::one() + Rational::new(1.into(), part.into());
    let delayed = |problem: &Problem| {
        let links = problem.platform().links();
        links.iter().any(|link| link.delays.is_some())
    };
    if *best <= least * share(WORTH) || !delayed(problem) {
        return raised;
    }
    let all = Layers::relaxed(problem);
    let exact = Layers::are_exact(problem);
    let whole = within(&limits.watch, limits.each);
    for (index, demands) in all.iter().enumerate() {
        // If the layers are exact, the last question gives a run, and keeps its part of the time. Otherwise the first
        // may take all the time.
        let parts = if exact { all.len() - index } else { 1 };
        let left = whole.left().time.unwrap_or(limits.each);
        let options = Options {
            watch: within(
                &whole,
                left / u32::try_from(parts).unwrap_or(u32::MAX).max(1),
            ),
            ..Options::default()
        };
        for _ in 0..DATES {
            let until = &raised.least * share(STEP);
            if until >= *best || options.watch.ask().is_err() {
                break;
            }
            let Some(layers) = Layers::new(problem, demands, &until) else {
                break;
            };
            let Some((answer, state)) = rated(&layers, &options) else {
                break;
            };
            if *answer.bound() >= Rational::one() {
                if exact && index + 1 == all.len() {
                    raised.run = run(problem, layers, state, &raised.least, &limits.watch);
                }
                break;
            }
            raised.least = &until + layers.lacking(answer.certificate(), answer.bound());
        }
    }
    raised
}

/// The throughput of the layers, with its patterns.
fn rated(layers: &Layers, options: &Options) -> Option<(Answer, SteadyState)> {
    let options = options.clone().goal(Goal::Rate);
    let answer = solve(layers.problem(), &options).ok()?.answer;
    let state = answer.patterns()?.clone();
    Some((answer, state))
}

/// The best number of pieces of a run along the layers.
fn run(
    problem: &Problem,
    layers: Layers,
    state: SteadyState,
    least: &Rational,
    watch: &Watch,
) -> Option<TimedPieces> {
    let list = move |pieces: u32, watch: &Watch| layers.task_list(problem, &state, pieces, watch);
    let mut search = PieceSearch::new(problem, list);
    let found = search.shortest(problem, &once::search(problem, watch), least);
    found.ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use anyhow::{Context, Result};
    use oneport::plan::Resource;
    use oneport::platform::generate::{self, Costs};
    use oneport::platform::{Delays, Shared};
    use oneport::{Collective, NodeId, Platform, PortModel, Units, Volumes};
    use oneport_baselines::{Forwarders, RankHints, Routes, Ties, named, ranks};
    use oneport_timing::{TaskList, lower_bound};

    fn unlimited() -> Layered {
        Layered {
            watch: Watch::unlimited(),
            each: Duration::from_secs(3600),
        }
    }

    fn rational(numerator: u64, denominator: u64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    /// Link `i` has latency `1 + i mod 3`.
    fn delayed(platform: Platform) -> Result<Platform> {
        let latency =
            |link: oneport::platform::LinkId| Some(rational(1 + link.index() as u64 % 3, 1));
        Ok(platform.with_latencies(latency)?)
    }

    fn random(nodes: usize, degree: usize, seed: u64, model: PortModel) -> Result<Platform> {
        let costs = Costs::Uniform { low: 1, high: 4 };
        let options = generate::Options {
            seed,
            link_cost: costs.clone(),
            compute: costs,
        };
        delayed(generate::random_connected(nodes, degree, &options)?.with_model(model))
    }

    fn least(problem: &Problem) -> Result<Rational> {
        let solved = solve(problem, &Options::of(Goal::Rate))?;
        solved.patterns()?;
        Ok(lower_bound(
            problem,
            solved.answer.bound(),
            &Watch::unlimited(),
        ))
    }

    /// All broadcasts of whole pieces: any order of sends, each as early as it can be.
    struct Search<'p> {
        platform: &'p Platform,
        pieces: usize,
        best: Rational,
    }

    impl Search<'_> {
        fn search(
            &mut self,
            there: &BTreeMap<(NodeId, usize), Rational>,
            free: &BTreeMap<Resource, Rational>,
            last: &Rational,
        ) {
            if there.len() == self.platform.nodes().len() * self.pieces {
                let end = there.values().max().cloned().unwrap_or_default();
                self.best = self.best.clone().min(end);
                return;
            }
            let (platform, pieces) = (self.platform, self.pieces);
            for (link, piece) in platform
                .link_ids()
                .flat_map(|link| (0..pieces).map(move |piece| (link, piece)))
            {
                let of = self.platform.link(link);
                let Some(ready) = there.get(&(of.from, piece)) else {
                    continue;
                };
                if there.contains_key(&(of.to, piece)) {
                    continue;
                }
                let used = Resource::uses(self.platform, link).map(|used| used.resource);
                let used: Vec<Resource> = used.collect();
                let freed = used.iter().filter_map(|resource| free.get(resource));
                let Some(start) = freed.chain([ready, last]).max().cloned() else {
                    continue;
                };
                let end = &start + &of.cost / rational(self.pieces as u64, 1);
                let arrival = &end + of.latency();
                if arrival >= self.best {
                    continue;
                }
                let (mut there, mut free) = (there.clone(), free.clone());
                there.insert((of.to, piece), arrival);
                free.extend(used.into_iter().map(|resource| (resource, end.clone())));
                self.search(&there, &free, &start);
            }
        }
    }

    #[test]
    fn no_broadcast_in_whole_pieces_undercuts_the_bound() -> Result<()> {
        let (mut met, mut higher) = (0, 0);
        for (seed, model) in (0..).zip(PortModel::ALL.into_iter().cycle().take(8)) {
            let platform = random(4, 2, seed, model)?;
            let nodes: Vec<NodeId> = platform.node_ids().collect();
            let collective = Collective::broadcast(nodes[0], nodes[1..].to_vec());
            let problem = Problem::new(&platform, &collective, Volumes::default())?;
            let mut best = rational(1000, 1);
            for pieces in [1, 2] {
                let mut search = Search {
                    platform: &platform,
                    pieces,
                    best: rational(1000, 1),
                };
                let there = (0..pieces).map(|piece| ((nodes[0], piece), Rational::default()));
                search.search(&there.collect(), &BTreeMap::new(), &Rational::default());
                best = best.min(search.best);
            }
            let before = least(&problem)?;
            let bound = raised(&problem, &before, &best, &unlimited()).least;
            assert!(
                before <= bound && bound <= best,
                "{model} {seed}: {bound} {best}"
            );
            met += usize::from(&bound * rational(11, 10) >= best);
            higher += usize::from(before < bound);
        }
        assert!(met > 2 && higher > 2, "{met} met, {higher} higher");
        Ok(())
    }

    #[test]
    fn no_run_undercuts_the_bound() -> Result<()> {
        let [checked, higher, shorter] = undercut(|place| place % 7 == 3)?;
        assert!(
            checked > 3 && higher > 0,
            "{checked}: {higher} higher, {shorter} shorter"
        );
        Ok(())
    }

    #[test]
    #[ignore = "long: every model and kind of collective"]
    fn no_run_of_any_kind_undercuts_the_bound() -> Result<()> {
        let [checked, higher, shorter] = undercut(|_| true)?;
        assert!(
            higher > 8 && shorter > 4,
            "{checked}: {higher} higher, {shorter} shorter"
        );
        Ok(())
    }

    /// Lets the links out of the first two nodes share a capacity.
    fn bus(platform: &Platform) -> Result<Platform> {
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        for node in platform.nodes() {
            builder.node(node.clone())?;
        }
        let mut shared = Vec::new();
        for link in platform.links() {
            let made = builder.link(link.from, link.to, link.cost.clone())?;
            let latency = link.latency();
            builder.delays(
                made,
                Delays {
                    latency,
                    ..Delays::default()
                },
            )?;
            shared.extend((link.from.index() < 2).then_some(made));
        }
        builder.share(Shared::new("bus", rational(1, 2), shared))?;
        Ok(builder.build()?)
    }

    /// Some of the cases: how many, with how many higher bounds and shorter runs.
    fn undercut(taken: impl Fn(usize) -> bool) -> Result<[usize; 3]> {
        let (mut checked, mut higher, mut shorter, mut place) = (0, 0, 0, 0);
        let with_bus = [(7, PortModel::Links)].into_iter();
        for (seed, model) in (0..).zip(PortModel::ALL).chain(with_bus) {
            let mut platform = random(4, 3, 20 + seed, model)?;
            if seed == 7 {
                platform = bus(&platform)?;
            }
            let all: Vec<NodeId> = platform.processors().collect();
            for collective in [
                Collective::broadcast(all[0], all[1..].to_vec()),
                Collective::scatter(all[0], all[1..].to_vec()),
                Collective::reduce(all[0], all.clone()),
                Collective::all_gather(all.clone()),
                Collective::all_reduce(all.clone()),
                Collective::reduce_scatter(all.clone()).in_order(),
                Collective::scan(all.clone()),
                Collective::all_to_all(all.clone()),
            ] {
                place += 1;
                if !taken(place) {
                    continue;
                }
                let problem = Problem::new(&platform, &collective, Volumes::default())?;
                let routes = Routes::new(
                    &platform,
                    &ranks(&problem),
                    Forwarders::Anything,
                    Ties::Turns,
                    &Watch::unlimited(),
                )?;
                let mut best: Option<Rational> = None;
                for algorithm in named(&problem, &RankHints::default()) {
                    if !algorithm.is_in_order(&problem) {
                        continue;
                    }
                    for segments in [1, 4] {
                        let list = TaskList::of_algorithm(
                            &problem,
                            &algorithm,
                            &routes,
                            segments,
                            &Watch::unlimited(),
                        )?;
                        let dated = list.graph(&problem, &Watch::unlimited())?.simulate(
                            &problem,
                            None,
                            &Watch::unlimited(),
                        )?;
                        let length = dated.length();
                        best = Some(best.map_or(length.clone(), |best| best.min(length)));
                    }
                }
                let best = best.context("an algorithm")?;
                let before = least(&problem)?;
                let found = raised(&problem, &before, &best, &unlimited());
                assert!(
                    found.least <= best,
                    "{model} {collective}: {} {best}",
                    found.least
                );
                if let Some(run) = found.run {
                    once::executed(&problem, &run)?;
                    assert!(found.least <= run.shortest.length, "{model} {collective}");
                    shorter += usize::from(run.shortest.length < best);
                }
                checked += 1;
                higher += usize::from(before < found.least);
            }
        }
        Ok([checked, higher, shorter])
    }

    #[test]
    fn the_bound_of_a_box_by_hand_is_found() -> Result<()> {
        bounds_by_hand(0)
    }

    #[test]
    #[ignore = "long: two boxes"]
    fn the_bound_of_two_boxes_by_hand_is_found() -> Result<()> {
        bounds_by_hand(1)
    }

    /// Bounds by hand, T in us, m in kB. A box of 8 at 300 GB/s, 5 us per link: a hop takes 10 us, so only data that
    /// the source sends by T - 20 can be relayed. Data of the next 10 us reaches one receiver:
    /// `7 m <= 7 x 300 (T - 20) + 300 x 10`.
    ///
    /// Two boxes on two networks: data from a GPU to one of other parity takes two hops. If T < 30, it leaves by the
    /// card of the sender or arrives by the card of the receiver, at 25 GB/s for T - 20 each: `m <= 2 x 25 (T - 20)`.
    fn bounds_by_hand(place: usize) -> Result<()> {
        let units = Units::gigabytes_and_seconds();
        let latency = |_| Some(rational(5, 1_000_000));
        let box_of_8 = generate::dgx_a100(1)?
            .with_latencies(latency)?
            .with_units(Some(units));
        let boxes = generate::dgx_a100(2)?
            .with_latencies(latency)?
            .with_units(Some(units));
        let names = |platform: &Platform| platform.processors().collect::<Vec<_>>();
        let (one, two) = (names(&box_of_8), names(&boxes));
        // Sizes in GB, times in seconds.
        let (mebibyte, quarter) = (
            rational(1 << 20, 1_000_000_000),
            rational(1 << 18, 1_000_000_000),
        );
        let broadcast = Collective::broadcast(one[0], one[1..].to_vec());
        let all_reduce = Collective::all_reduce(two);
        let microseconds = |count: u64| rational(count, 1_000_000);
        let first = microseconds(20) + (&mebibyte - rational(3000, 7_000_000)) / rational(300, 1);
        let second = microseconds(20) + &quarter / rational(50, 1);
        for (platform, collective, size, expected) in [
            (box_of_8, broadcast, mebibyte, first),
            (boxes, all_reduce, quarter, second),
        ]
        .into_iter()
        .skip(place)
        .take(1)
        {
            let volumes = Volumes {
                work: oneport::Amount::Constant(Rational::default()),
                ..Volumes::of_size(size)
            };
            let problem = Problem::new(&platform, &collective, &volumes)?;
            let best = microseconds(40);
            let bound = raised(&problem, &least(&problem)?, &best, &unlimited()).least;
            assert!(bound <= expected, "{bound} {expected}");
            assert!(
                &bound * rational(1005, 1000) >= expected,
                "{bound} {expected}"
            );
        }
        Ok(())
    }
}
