//! Dates against a naive twin: rationals, sets, and one event after the other.

use std::collections::{BTreeMap, BTreeSet};

use oneport_baselines::{RankHints, named};
use oneport_plan::{Amount, Platform, Problem, Rational, Resource, RunTask, SteadyState, Volumes};
use oneport_platform::generate::{self, Costs, Options};
use oneport_platform::{Node, PortModel};
use oneport_timing::{TaskList, TimingError};
use oneport_watch::Watch;

use crate::runs::{collectives, dates, delayed, number, routes, shared};

/// A task that needs an occupied resource, or one with a queue, joins its queue. A free resource goes to the first task
/// of its queue that can start.
struct Naive<'a> {
    needed: Vec<Vec<usize>>,
    /// Per task and needed resource: the part of it, if it is a shared capacity.
    parts: Vec<Vec<Option<Rational>>>,
    /// Per resource: ends of transfers over its links, each with its part. Only for shared capacities.
    carried: Vec<Vec<(Rational, Rational)>>,
    takes: Vec<[Rational; 2]>,
    inputs: Vec<Vec<u32>>,
    /// Per resource.
    lanes: Vec<Vec<Rational>>,
    parked: Vec<BTreeSet<usize>>,
    /// Date. Then 0 and a resource to visit, or 1 and a ready task.
    events: BTreeSet<(Rational, usize, usize)>,
    starts: Vec<Option<Rational>>,
    draft: &'a TaskList,
}

impl<'a> Naive<'a> {
    fn new(problem: &Problem, draft: &'a TaskList) -> Naive<'a> {
        let (platform, volumes) = (problem.platform(), problem.volumes());
        let mut numbers: BTreeMap<Resource, usize> = BTreeMap::new();
        let mut lanes = Vec::new();
        let links = platform
            .link_ids()
            .flat_map(|link| Resource::uses(platform, link).map(|used| used.resource));
        for resource in links.chain(platform.node_ids().map(Resource::Compute)) {
            numbers.entry(resource).or_insert_with(|| {
                lanes.push(vec![number("0"); resource.capacity(platform) as usize]);
                lanes.len() - 1
            });
        }
        let (size, work) = (
            volumes.size.constant().expect("size"),
            volumes.work.constant().expect("work"),
        );
        let share = |piece: u32| draft.pieces[piece as usize].share.clone();
        let (mut needed, mut takes, mut inputs): (Vec<Vec<usize>>, Vec<_>, Vec<_>) =
            Default::default();
        let mut parts: Vec<Vec<Option<Rational>>> = Vec::new();
        for task in &draft.tasks {
            match task {
                RunTask::Send { link, carried } => {
                    let of = platform.link(*link);
                    let shares: Rational = carried.iter().map(|(piece, _)| share(*piece)).sum();
                    takes.push([
                        of.overhead() + &of.cost * size * shares,
                        of.latency().clone(),
                    ]);
                    let uses = Resource::uses(platform, *link);
                    parts.push(uses.map(|used| used.part.cloned()).collect());
                    needed.push(
                        Resource::uses(platform, *link)
                            .map(|used| used.resource)
                            .map(|resource| numbers[&resource])
                            .collect(),
                    );
                    inputs.push(carried.iter().filter_map(|(_, source)| *source).collect());
                }
                RunTask::Merge {
                    node,
                    piece,
                    left,
                    right,
                } => {
                    let compute = platform.node(*node).compute.as_ref().expect("a processor");
                    takes.push([compute * work * share(*piece), number("0")]);
                    needed.push(vec![numbers[&Resource::Compute(*node)]]);
                    parts.push(vec![None]);
                    inputs.push([*left, *right].into_iter().flatten().collect());
                }
            }
        }
        let parked = vec![BTreeSet::new(); lanes.len()];
        let starts = vec![None; draft.tasks.len()];
        Naive {
            parts,
            carried: vec![Vec::new(); lanes.len()],
            needed,
            takes,
            inputs,
            lanes,
            parked,
            events: BTreeSet::new(),
            starts,
            draft,
        }
    }

    fn free(&self, resource: usize) -> &Rational {
        self.lanes[resource].iter().min().expect("a lane")
    }

    fn park(&mut self, task: usize, resource: usize, date: &Rational) {
        self.parked[resource].insert(task);
        self.wake(resource, date);
    }

    fn wake(&mut self, resource: usize, date: &Rational) {
        let Some(&first) = self.parked[resource].first() else {
            return;
        };
        let ends = self.carried[resource].iter().map(|(end, _)| end);
        let at = if self.fits(first, resource, date) {
            date
        } else {
            let next = ends.filter(|end| *end > date).min();
            next.unwrap_or_else(|| self.free(resource))
        };
        self.events.insert((at.clone(), 0, resource));
    }

    fn fits(&self, task: usize, resource: usize, date: &Rational) -> bool {
        let uses = self.needed[task].iter().zip(&self.parts[task]);
        let mut part = uses.filter_map(|(own, part)| part.as_ref().filter(|_| *own == resource));
        let Some(part) = part.next() else {
            return self.free(resource) <= date;
        };
        let carried = self.carried[resource].iter().filter(|(end, _)| end > date);
        carried.map(|(_, part)| part).sum::<Rational>() + part <= number("1")
    }

    fn occupied(&self, task: usize, date: &Rational) -> Option<usize> {
        let needed = self.needed[task].iter().copied();
        needed
            .clone()
            .find(|&resource| !self.fits(task, resource, date))
    }

    fn start(&mut self, task: usize, date: &Rational) {
        let end = date + &self.takes[task][0];
        for (resource, part) in self.needed[task]
            .clone()
            .into_iter()
            .zip(self.parts[task].clone())
        {
            match part {
                Some(part) => self.carried[resource].push((end.clone(), part)),
                None => *self.lanes[resource].iter_mut().min().expect("a lane") = end.clone(),
            }
            self.wake(resource, date);
        }
        self.starts[task] = Some(date.clone());
        let users =
            (0..self.inputs.len()).filter(|&user| self.inputs[user].contains(&(task as u32)));
        let ready: Vec<_> = users
            .filter_map(|user| Some((self.ready(user)?, 1, user)))
            .collect();
        self.events.extend(ready);
    }

    /// Arrival of the last input, if it is determined.
    fn ready(&self, task: usize) -> Option<Rational> {
        let arrival = |&input: &u32| {
            let [takes, latency] = &self.takes[input as usize];
            Some(self.starts[input as usize].as_ref()? + takes + latency)
        };
        let all: Option<Vec<Rational>> = self.inputs[task].iter().map(arrival).collect();
        Some(all?.into_iter().max().unwrap_or_default())
    }

    fn run(mut self) -> Vec<Rational> {
        let first = (0..self.inputs.len()).filter(|&task| self.inputs[task].is_empty());
        self.events = first.map(|task| (number("0"), 1, task)).collect();
        while let Some((date, kind, place)) = self.events.pop_first() {
            if kind == 1 {
                let queue = |resource: &usize| !self.parked[*resource].is_empty();
                let waits = self.needed[place].iter().copied().find(queue);
                match self.occupied(place, &date).or(waits) {
                    Some(resource) => self.park(place, resource, &date),
                    None => self.start(place, &date),
                }
            } else {
                while let Some(&task) = self.parked[place].first() {
                    if !self.fits(task, place, &date) {
                        self.wake(place, &date);
                        break;
                    }
                    self.parked[place].pop_first();
                    match self.occupied(task, &date) {
                        Some(other) => self.park(task, other, &date),
                        None => {
                            self.start(task, &date);
                            break;
                        }
                    }
                }
            }
        }
        let starts: Option<Vec<Rational>> = self.starts.into_iter().collect();
        assert_eq!(starts.as_ref().map(Vec::len), Some(self.draft.tasks.len()));
        starts.expect("all start")
    }
}

/// The platform with two ports at every node that has several.
fn drawn(seed: u64, model: PortModel) -> Platform {
    let costs = Costs::Uniform { low: 1, high: 3 };
    let options = Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    };
    let made = generate::random_connected(5, 3, &options)
        .expect("a platform")
        .with_model(model);
    let mut builder = Platform::builder();
    builder.model(model);
    for node in made.nodes() {
        builder
            .node(Node {
                ports: (model == PortModel::Multiport).then_some(2),
                ..node.clone()
            })
            .expect("a node");
    }
    for link in made.links() {
        builder
            .link(link.from, link.to, link.cost.clone())
            .expect("a link");
    }
    builder.build().expect("a platform")
}

#[test]
fn dates_are_those_of_a_naive_twin() {
    let (mut checked, mut late) = (0, 0);
    for (seed, model) in (0..).zip(PortModel::ALL) {
        let bare = drawn(seed, model);
        let mut all = vec![delayed(&bare), bare.clone()];
        if model == PortModel::Links {
            all.extend([shared(&delayed(&bare)), delayed(&shared(&bare))]);
        }
        for platform in all {
            for collective in collectives(&platform) {
                // Without work merges take no time.
                let work = Amount::Constant(number(["0", "2/3"][checked % 2]));
                let volumes = Volumes {
                    work,
                    ..Volumes::of_size(number("3/2"))
                };
                let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
                let routes = routes(&problem);
                for algorithm in named(&problem, &RankHints::default()) {
                    let patterns = algorithm.patterns(&problem, &routes).expect("patterns");
                    let state = SteadyState {
                        throughput: number("1"),
                        patterns,
                    };
                    let drafts = [
                        TaskList::of_algorithm(
                            &problem,
                            &algorithm,
                            &routes,
                            2,
                            &Watch::unlimited(),
                        )
                        .expect("a draft"),
                        TaskList::of_patterns(
                            &problem,
                            &state,
                            3,
                            [0, 1, 7][checked % 3],
                            &Watch::unlimited(),
                        )
                        .expect("a draft"),
                    ];
                    for draft in drafts.into_iter().filter(|draft| draft.tasks.len() < 600) {
                        let expected = Naive::new(&problem, &draft).run();
                        let layout = draft.graph(&problem, &Watch::unlimited()).expect("a graph");
                        let dated = dates(&problem, &layout);
                        let run = layout.run(&dated);
                        let starts = run
                            .tasks
                            .iter()
                            .map(|one| Rational::from_integer(one.start.clone().into()));
                        let starts: Vec<Rational> = starts.map(|start| start * &run.unit).collect();
                        assert_eq!(starts, expected, "{model} {collective} {}", algorithm.name);
                        // Below a limit there are these dates or none.
                        let length = dated.length();
                        for factor in ["1/2", "9/10", "999/1000", "1", "1000001/1000000", "2"] {
                            let limit = &length * number(factor);
                            let found =
                                layout.simulate(&problem, Some(&limit), &Watch::unlimited());
                            let right = if length < limit {
                                Ok(dated.clone())
                            } else {
                                Err(TimingError::AboveLimit)
                            };
                            assert_eq!(
                                found, right,
                                "{model} {collective} {} {factor}",
                                algorithm.name
                            );
                            late += usize::from(found.is_err());
                        }
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(
        checked > 500 && late > 1000,
        "{checked} drafts, {late} late"
    );
}
