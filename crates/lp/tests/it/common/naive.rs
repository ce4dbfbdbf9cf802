//! The definition as one linear program: every set of links that may be busy at a time, every pattern, exact weights.
//! Nothing here is shared with the library but the vocabulary and the solver of exact programs.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};
use oneport_exact::{
    LinearProgram, Options as ExactOptions, Outcome, Relation, Row, Sense, Solver, check_optimum,
};
use oneport_lp::{Options, Question, Solution, solve};
use oneport_plan::{
    Certificate, Collective, Goals, Interval, Problem, Resource, Status, Task, Volumes,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_watch::Watch;

pub use oneport_testkit::Dice;

use super::simple_paths;
use oneport_testkit::whole;

/// A strongly connected platform: these nodes, a one-way ring, and about `extra` further one-way links.
pub fn random(dice: &mut Dice, nodes: Vec<Node>, model: PortModel, extra: usize) -> Platform {
    let n = nodes.len();
    let mut builder = Platform::builder();
    builder.model(model);
    let ids: Vec<NodeId> = nodes
        .into_iter()
        .map(|node| builder.node(node).unwrap())
        .collect();
    for at in 0..n {
        builder
            .link(ids[at], ids[(at + 1) % n], dice.cost())
            .unwrap();
    }
    for _ in 0..extra {
        let (from, to, cost) = (dice.below(n), dice.below(n), dice.cost());
        // A loop or a second link is refused, as intended.
        let _ = builder.link(ids[from], ids[to], cost);
    }
    builder.build().unwrap()
}

/// Processors with unit compute cost.
pub fn processors(count: usize) -> Vec<Node> {
    (0..count)
        .map(|at| Node::processor(format!("p{at}"), Rational::one()))
        .collect()
}

/// Sends and receives at a time, and both together, that a node is capable of.
fn limits(platform: &Platform, node: NodeId) -> [usize; 3] {
    let ports = platform.node(node).ports.unwrap_or(1) as usize;
    match platform.model_of(node) {
        PortModel::FullDuplex => [1, 1, 2],
        PortModel::HalfDuplex => [1, 1, 1],
        PortModel::Multiport => [ports, ports, 2 * ports],
        PortModel::Links => [usize::MAX; 3],
    }
}

fn allowed(platform: &Platform, set: &[LinkId]) -> bool {
    platform.node_ids().all(|node| {
        let sends = set
            .iter()
            .filter(|&&link| platform.link(link).from == node)
            .count();
        let receives = set
            .iter()
            .filter(|&&link| platform.link(link).to == node)
            .count();
        let [most_sends, most_receives, most] = limits(platform, node);
        sends <= most_sends && receives <= most_receives && sends + receives <= most
    })
}

/// Every largest set of links that may be busy at the same time.
pub fn link_sets(platform: &Platform) -> Vec<Vec<LinkId>> {
    fn extend(
        platform: &Platform,
        links: &[LinkId],
        set: &mut Vec<LinkId>,
        found: &mut Vec<Vec<LinkId>>,
    ) {
        let Some((&link, rest)) = links.split_first() else {
            let larger = |&more: &LinkId| {
                !set.contains(&more) && allowed(platform, &[&set[..], &[more]].concat())
            };
            if !platform.link_ids().any(|link| larger(&link)) {
                found.push(set.clone());
            }
            return;
        };
        extend(platform, rest, set, found);
        set.push(link);
        if allowed(platform, set) {
            extend(platform, rest, set, found);
        }
        set.pop();
    }
    let mut found = Vec::new();
    extend(
        platform,
        &platform.link_ids().collect::<Vec<_>>(),
        &mut Vec::new(),
        &mut found,
    );
    found
}

/// The time that a pattern takes of links and processors.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Load {
    pub links: BTreeMap<LinkId, Rational>,
    pub processors: BTreeMap<NodeId, Rational>,
}

impl Load {
    fn over(platform: &Platform, links: impl IntoIterator<Item = LinkId>, size: &Rational) -> Load {
        let mut load = Load::default();
        for link in links {
            *load.links.entry(link).or_default() += &platform.link(link).cost * size;
        }
        load
    }

    fn plus(&self, other: &Load) -> Load {
        let mut sum = self.clone();
        for (&link, time) in other.links.iter() {
            *sum.links.entry(link).or_default() += time;
        }
        for (&node, time) in other.processors.iter() {
            *sum.processors.entry(node).or_default() += time;
        }
        sum
    }
}

/// Every scheme that copies a message from a node to all the targets: each node that keeps a copy got it over one
/// route, whose inner nodes do not replicate. Leaves that are not targets are included, since they only cost more.
pub fn trees(
    platform: &Platform,
    source: NodeId,
    targets: &[NodeId],
    size: &Rational,
) -> Vec<Load> {
    let keeps = |node: NodeId| platform.node(node).replicates;
    let holders: Vec<NodeId> = platform
        .node_ids()
        .filter(|&node| keeps(node) && node != source)
        .collect();
    let mut routes: BTreeMap<NodeId, Vec<(NodeId, Vec<LinkId>)>> = BTreeMap::new();
    for &to in &holders {
        for from in platform
            .node_ids()
            .filter(|&from| keeps(from) && from != to)
        {
            let direct = |path: &Vec<LinkId>| {
                path[1..]
                    .iter()
                    .all(|&link| !keeps(platform.link(link).from))
            };
            let paths = simple_paths(platform, from, to).into_iter().filter(direct);
            routes
                .entry(to)
                .or_default()
                .extend(paths.map(|path| (from, path)));
        }
    }
    let mut choices: Vec<BTreeMap<NodeId, (NodeId, Vec<LinkId>)>> = vec![BTreeMap::new()];
    for to in holders {
        let mut more = Vec::new();
        for chosen in &choices {
            for route in routes.get(&to).into_iter().flatten() {
                let mut chosen = chosen.clone();
                chosen.insert(to, route.clone());
                more.push(chosen);
            }
            if !targets.contains(&to) {
                more.push(chosen.clone());
            }
        }
        choices = more;
    }
    let rooted = |chosen: &BTreeMap<NodeId, (NodeId, Vec<LinkId>)>| {
        chosen.keys().all(|&node| {
            let (mut at, mut steps) = (node, 0);
            while let Some((from, _)) = chosen.get(&at).filter(|_| steps <= chosen.len()) {
                (at, steps) = (*from, steps + 1);
            }
            at == source
        })
    };
    let loads: BTreeSet<Load> = choices
        .into_iter()
        .filter(rooted)
        .map(|chosen| {
            Load::over(
                platform,
                chosen.into_values().flat_map(|(_, path)| path),
                size,
            )
        })
        .collect();
    loads.into_iter().collect()
}

/// Every reduction tree, by its loads.
struct Reductions<'a> {
    platform: &'a Platform,
    owners: &'a [NodeId],
    volumes: &'a Volumes,
}

impl Reductions<'_> {
    fn made(&self, part: Interval, at: NodeId) -> BTreeSet<Load> {
        if part.first == part.last {
            return (self.owners[part.first] == at)
                .then(Load::default)
                .into_iter()
                .collect();
        }
        let mut made = BTreeSet::new();
        let Some(compute) = &self.platform.node(at).compute else {
            return made;
        };
        for split in part.first..part.last {
            // Absent: it cannot be done here.
            let Some(work) = self.volumes.work.of_merge(at, part, split) else {
                continue;
            };
            let mut merge = Load::default();
            merge.processors.insert(at, work * compute);
            let left = self.held(
                Interval {
                    first: part.first,
                    last: split,
                },
                at,
            );
            let right = self.held(
                Interval {
                    first: split + 1,
                    last: part.last,
                },
                at,
            );
            let pairs = left
                .iter()
                .flat_map(|left| right.iter().map(move |right| left.plus(right)));
            made.extend(pairs.map(|pair| pair.plus(&merge)));
        }
        made
    }

    fn held(&self, part: Interval, to: NodeId) -> BTreeSet<Load> {
        let size = self.volumes.size.of(part).unwrap();
        let mut held = BTreeSet::new();
        for at in self.platform.node_ids() {
            let made = self.made(part, at);
            for path in simple_paths(self.platform, at, to) {
                let way = Load::over(self.platform, path, &size);
                held.extend(made.iter().map(|made| made.plus(&way)));
            }
        }
        held
    }
}

/// Every pattern of every demand, by its loads, with the demand's rate.
pub fn demands(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
) -> Vec<(u64, Vec<Load>)> {
    let rated_loads = |index: usize| {
        let demand = collective.demand(index).unwrap();
        let size = volumes.size.of(Interval { first: 0, last: 0 }).unwrap();
        let source = demand.operands[0];
        let loads = match demand.goals {
            Goals::At(target) if demand.operands.len() > 1 => {
                assert!(!demand.commutative, "only orders as given are enumerated");
                let reductions = Reductions {
                    platform,
                    owners: demand.operands,
                    volumes,
                };
                reductions
                    .held(demand.whole(), target)
                    .into_iter()
                    .collect()
            }
            Goals::At(target) => simple_paths(platform, source, target)
                .into_iter()
                .map(|path| Load::over(platform, path, &size))
                .collect(),
            Goals::Everywhere(targets) if demand.operands.len() == 1 => {
                trees(platform, source, targets, &size)
            }
            other => panic!("{other:?} is not enumerated"),
        };
        (collective.rate(index), loads)
    };
    (0..collective.demands()).map(rated_loads).collect()
}

/// Solves a maximisation exactly, and checks both solutions.
#[track_caller]
pub fn maximum(program: &LinearProgram) -> (Rational, oneport_exact::RationalVector) {
    let outcome = Solver::new(program.clone())
        .solve(&ExactOptions::default())
        .unwrap();
    let Outcome::Optimal(optimum) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(check_optimum(program, &optimum));
    (optimum.objective, optimum.primal)
}

/// The largest throughput: patterns' weights and shares of time for sets of links in one program.
#[track_caller]
pub fn optimum(platform: &Platform, demands: &[(u64, Vec<Load>)]) -> Rational {
    let one = Rational::one;
    let mut program = LinearProgram::new(Sense::Maximize);
    let links: Vec<Row> = platform
        .link_ids()
        .map(|_| program.add_row(Relation::AtMost, Rational::zero()))
        .collect();
    let busy: Vec<Row> = platform
        .node_ids()
        .map(|_| program.add_row(Relation::AtMost, one()))
        .collect();
    let time = program.add_row(Relation::AtMost, one());
    let served: Vec<Row> = demands
        .iter()
        .map(|_| program.add_row(Relation::Equal, Rational::zero()))
        .collect();
    let rates = demands
        .iter()
        .zip(&served)
        .map(|((rate, _), &row)| (row, -whole(*rate)));
    program.add_column(one(), rates).unwrap();
    for set in link_sets(platform) {
        let entries = set
            .iter()
            .map(|link| (links[link.index()], -one()))
            .chain([(time, one())]);
        program.add_column(Rational::zero(), entries).unwrap();
    }
    for ((_, loads), &row) in demands.iter().zip(&served) {
        for load in loads {
            let on_links = load
                .links
                .iter()
                .map(|(link, time)| (links[link.index()], time.clone()));
            let on_nodes = load
                .processors
                .iter()
                .map(|(node, time)| (busy[node.index()], time.clone()));
            program
                .add_column(
                    Rational::zero(),
                    on_links.chain(on_nodes).chain([(row, one())]),
                )
                .unwrap();
        }
    }
    maximum(&program).0
}

/// The library's answer, checked by the referee. It must be optimal.
#[track_caller]
pub fn solved(platform: &Platform, collective: &Collective, volumes: &Volumes) -> Solution {
    let question = Question::new(&Problem::new(platform, collective, volumes).unwrap());
    let solution = solve(&question, &Options::default()).unwrap();
    oneport_referee::check_steady_state(
        &Problem::new(platform, collective, volumes).unwrap(),
        &solution.steady_state,
        &Watch::unlimited(),
    )
    .unwrap();
    let bound = oneport_referee::bound(
        &Problem::new(platform, collective, volumes).unwrap(),
        &solution.certificate,
        &Watch::unlimited(),
    )
    .unwrap();
    assert_eq!(bound, solution.upper_bound, "{collective:?} {platform:?}");
    assert_eq!(
        solution.status,
        Status::Optimal,
        "{collective:?} {platform:?}"
    );
    assert_eq!(
        bound, solution.steady_state.throughput,
        "{collective:?} {platform:?}"
    );
    solution
}

/// The throughput is the optimum of the definition, and the certificate proves it over all patterns.
#[track_caller]
pub fn check(platform: &Platform, collective: &Collective, volumes: &Volumes) -> Rational {
    let solution = solved(platform, collective, volumes);
    let demands = demands(platform, collective, volumes);
    let throughput = solution.steady_state.throughput.clone();
    assert_eq!(
        throughput,
        optimum(platform, &demands),
        "{collective:?} {platform:?}"
    );
    assert_eq!(
        throughput,
        certified(platform, &solution, &demands),
        "{collective:?} {platform:?}"
    );
    check_loads(platform, collective, volumes, &solution);
    throughput
}

/// A certificate's prices, with recomputed capacities.
pub struct Priced {
    links: Vec<Rational>,
    pub processors: Vec<Rational>,
    /// The total price of all capacities.
    pub worth: Rational,
}

impl Priced {
    pub fn price(&self, load: &Load) -> Rational {
        let moved: Rational = load
            .links
            .iter()
            .map(|(link, time)| &self.links[link.index()] * time)
            .sum();
        moved
            + load
                .processors
                .iter()
                .map(|(node, time)| &self.processors[node.index()] * time)
                .sum::<Rational>()
    }

    /// The price of one message over a link.
    pub fn link(&self, platform: &Platform, link: LinkId, size: &Rational) -> Rational {
        self.price(&Load::over(platform, [link], size))
    }
}

/// Adds up the prices. A port counts with the largest number of its links that can be busy at the same time.
#[track_caller]
pub fn priced(platform: &Platform, certificate: &Certificate) -> Priced {
    let mut links = vec![Rational::zero(); platform.links().len()];
    let mut processors = vec![Rational::zero(); platform.nodes().len()];
    let mut worth = Rational::zero();
    let sets = link_sets(platform);
    for (resource, price) in certificate.prices() {
        let members: Vec<LinkId> = match resource {
            Resource::Send(node) => platform.outgoing(node).to_vec(),
            Resource::Receive(node) => platform.incoming(node).to_vec(),
            Resource::Port(node) => [platform.outgoing(node), platform.incoming(node)].concat(),
            Resource::Link(link) => vec![link],
            Resource::Shared(id) => {
                for link in platform.link_ids() {
                    let mut own = platform.shared_by(link).iter();
                    let part = own
                        .find(|(other, _)| *other == id)
                        .map(|(_, part)| part * price);
                    links[link.index()] += part.unwrap_or_default();
                }
                worth += price;
                continue;
            }
            Resource::Compute(node) => {
                processors[node.index()] += price;
                worth += price;
                continue;
            }
        };
        for link in &members {
            links[link.index()] += price;
        }
        worth += price * most_at_a_time(&sets, &members);
    }
    for (set, price) in certificate.odd_sets() {
        let members = set.members(platform);
        let most = most_at_a_time(&sets, &members);
        assert!(
            most <= whole(set.capacity(platform)),
            "{set:?} of {platform:?}"
        );
        for link in &members {
            links[link.index()] += price;
        }
        worth += price * whole(set.capacity(platform));
    }
    Priced {
        links,
        processors,
        worth,
    }
}

/// The bound that a certificate proves. Its cheapest patterns are found by enumeration.
#[track_caller]
pub fn certified(
    platform: &Platform,
    solution: &Solution,
    demands: &[(u64, Vec<Load>)],
) -> Rational {
    let priced = priced(platform, &solution.certificate);
    let cheapest = |(rate, loads): &(u64, Vec<Load>)| {
        loads.iter().map(|load| priced.price(load)).min().unwrap() * whole(*rate)
    };
    &priced.worth / demands.iter().map(cheapest).sum::<Rational>()
}

fn most_at_a_time(sets: &[Vec<LinkId>], members: &[LinkId]) -> Rational {
    let most = sets
        .iter()
        .map(|set| set.iter().filter(|link| members.contains(link)).count())
        .max();
    whole(most.unwrap_or(0))
}

/// Weights add up to every demand's rate, and no resource is busy for longer than the time available. (For half-duplex
/// nodes only a necessary condition is checked here.)
#[track_caller]
pub fn check_loads(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    solution: &Solution,
) {
    let mut links = vec![Rational::zero(); platform.links().len()];
    let mut processors = vec![Rational::zero(); platform.nodes().len()];
    let mut served = vec![Rational::zero(); collective.demands()];
    for one in &solution.steady_state.patterns {
        assert!(one.weight > Rational::zero());
        served[one.pattern.demand] += &one.weight;
        for task in &one.pattern.tasks {
            match *task {
                Task::Send { link, part, .. } => {
                    let size = volumes.size.of(part).unwrap();
                    links[link.index()] += size * &platform.link(link).cost * &one.weight;
                }
                Task::Merge {
                    node, part, split, ..
                } => {
                    let compute = platform.node(node).compute.as_ref().unwrap();
                    let work = volumes
                        .work
                        .of_merge(node, part, split)
                        .expect("a merge that can be done");
                    processors[node.index()] += work * compute * &one.weight;
                }
            }
        }
    }
    for (position, served) in served.iter().enumerate() {
        let wanted = whole(collective.rate(position)) * &solution.steady_state.throughput;
        assert_eq!(*served, wanted, "demand {position} of {collective:?}");
    }
    assert!(
        links
            .iter()
            .chain(&processors)
            .all(|time| *time <= Rational::one()),
        "{collective:?} {platform:?}"
    );
    let sum = |of: &[LinkId]| -> Rational { of.iter().map(|link| &links[link.index()]).sum() };
    for node in platform.node_ids() {
        let (sends, receives) = (sum(platform.outgoing(node)), sum(platform.incoming(node)));
        let [most_sends, most_receives, most] = limits(platform, node);
        for (time, most) in [
            (&sends, most_sends),
            (&receives, most_receives),
            (&(&sends + &receives), most),
        ] {
            assert!(*time <= whole(most), "{node}: {collective:?} {platform:?}");
        }
    }
}
