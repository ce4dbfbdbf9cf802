//! Every named algorithm performs its collective: its patterns, weighted, are a steady state that the referee accepts,
//! with the throughput that was counted.

use oneport_baselines::{
    Algorithm, BaselineError, Forwarders, RankHints, Routes, Send, Ties, named, of_ring, of_rounds,
    of_tree, on_rings, ranks,
};
use oneport_plan::{
    Collective, Form, Member, NodeId, Platform, Problem, Rational, SteadyState, Task, Volumes,
};
use oneport_platform::generate::{self, Costs, Options};
use oneport_platform::{PortModel, parse_rational};
use oneport_watch::Watch;

/// The cheapest routes from all ranks; senders take turns.
pub fn routes(problem: &Problem) -> Routes {
    let (platform, unlimited) = (problem.platform(), Watch::unlimited());
    let over = Forwarders::Anything;
    Routes::new(platform, &ranks(problem), over, Ties::Turns, &unlimited).expect("no limit")
}

pub fn uniform(seed: u64) -> Options {
    let costs = Costs::Uniform { low: 1, high: 9 };
    Options {
        seed,
        link_cost: costs.clone(),
        compute: costs,
    }
}

/// Every named collective on the platform's processors. The second is the root.
pub fn collectives(platform: &Platform) -> Vec<Collective> {
    let all: Vec<NodeId> = platform.processors().collect();
    let build = |form: &&'static Form| {
        let root = vec![all[1]];
        let others: Vec<NodeId> = all
            .iter()
            .copied()
            .filter(|node| form.overlaps() || *node != root[0])
            .collect();
        let nodes = match form.roles {
            [one, _] if !one.many => vec![root, others],
            [_, _] => vec![all[..2].to_vec(), all.clone()],
            _ => vec![all.clone()],
        };
        form.build(&nodes, form.commutes()).expect("roles")
    };
    Collective::forms()
        .iter()
        .filter(|form| !form.counted)
        .map(build)
        .collect()
}

/// Two or three consecutive ranks each.
pub fn groups(ranks: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..ranks)
        .collect::<Vec<_>>()
        .chunks(3)
        .map(<[usize]>::to_vec)
        .collect();
    if groups.last().is_some_and(|group| group.len() == 1) && groups.len() > 1 {
        let last = groups.pop().expect("a group");
        groups.last_mut().expect("a group").extend(last);
    }
    groups
}

/// The patterns as a steady state, whose loads are those counted.
pub fn check(problem: &Problem, algorithm: &Algorithm, routes: &Routes) {
    let name = format!(
        "{} {} of {}",
        problem.collective(),
        algorithm.name,
        algorithm.ranks.len()
    );
    let loads = algorithm
        .loads(problem, routes, &Watch::unlimited())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let found = loads
        .throughput(problem)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut patterns = algorithm
        .patterns(problem, routes)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let platform = problem.platform();
    let mut links = vec![Rational::default(); platform.links().len()];
    let mut nodes = vec![Rational::default(); platform.nodes().len()];
    for weighted in &patterns {
        for task in &weighted.pattern.tasks {
            match *task {
                Task::Send { link, part, .. } => {
                    links[link.index()] += problem.transfer_time(link, part) * &weighted.weight;
                }
                Task::Merge { node, part, .. } => {
                    let work = problem.volumes().work.of(part).expect("work");
                    let compute = platform
                        .node(node)
                        .merge_time()
                        .cloned()
                        .expect("it merges");
                    nodes[node.index()] += work * compute * &weighted.weight;
                }
            }
        }
    }
    assert_eq!(
        (&links[..], &nodes[..]),
        (&*loads.links, &*loads.nodes),
        "{name}: counted otherwise than carried out"
    );
    let any_order = patterns
        .iter()
        .any(|weighted| weighted.pattern.order.is_some());
    assert_eq!(
        !any_order,
        algorithm.is_in_order(problem),
        "{name}: in order"
    );
    for weighted in &mut patterns {
        weighted.weight *= &found.throughput;
        without_detours(problem, &mut weighted.pattern);
    }
    let state = SteadyState {
        throughput: found.throughput.clone(),
        patterns,
    };
    oneport_referee::check_steady_state(problem, &state, &Watch::unlimited())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let Some(set) = &found.odd_set else {
        assert!(!found.busiest.is_empty(), "{name}");
        return;
    };
    // If no port or link explains the throughput, the odd set does: its links are busy all the time.
    assert!(
        found.busiest.is_empty() && platform.model() == PortModel::HalfDuplex,
        "{name}"
    );
    let busy: Rational = set
        .members(platform)
        .into_iter()
        .map(|link| &links[link.index()])
        .sum();
    assert_eq!(
        busy * &found.throughput,
        Rational::from_integer(set.capacity(platform).into()),
        "{name}: {set:?}"
    );
}

/// In the referee's patterns a value with a goal at one node never comes to a node twice. Algorithms that store and
/// forward may do that. The tasks between the two visits are left out.
fn without_detours(problem: &Problem, pattern: &mut oneport_plan::Pattern) {
    let demand = problem
        .collective()
        .demand(pattern.demand)
        .expect("a demand");
    if demand.goals().len() > 1 || demand.kind().copies() {
        return;
    }
    let platform = problem.platform();
    let mut kept = oneport_plan::Pattern {
        tasks: Vec::new(),
        ..pattern.clone()
    };
    // Per task: the task of the shortened pattern with its result.
    let mut stands: Vec<Option<u32>> = Vec::new();
    let ends = |pattern: &oneport_plan::Pattern,
                place: Option<u32>,
                part: oneport_plan::Interval| match place {
        None => {
            let operand = pattern
                .order
                .as_ref()
                .map_or(part.first, |order| order[part.first]);
            demand.operands[operand]
        }
        Some(place) => match pattern.tasks[place as usize] {
            Task::Send { link, .. } => platform.link(link).to,
            Task::Merge { node, .. } => node,
        },
    };
    for task in &pattern.tasks {
        let of = |place: Option<u32>| place.and_then(|place| stands[place as usize]);
        let place = match *task {
            Task::Send { link, part, after } => {
                let mut holder = of(after);
                let start = holder;
                // If it was at its next node already, it continues from there.
                loop {
                    if ends(&kept, holder, part) == platform.link(link).to {
                        break holder;
                    }
                    match holder.map(|place| kept.tasks[place as usize]) {
                        Some(Task::Send { after, .. }) => holder = after,
                        _ => break kept.send(link, part, start),
                    }
                }
            }
            Task::Merge {
                node,
                part,
                split,
                left,
                right,
            } => kept.merge(node, part, split, [of(left), of(right)]),
        };
        stands.push(place);
    }
    // Sends without a further use.
    let used = |kept: &oneport_plan::Pattern, place: usize| {
        place + 1 == kept.tasks.len()
            || kept
                .tasks
                .iter()
                .any(|task| task.inputs().any(|input| input == place))
    };
    let end = stands.last().copied().flatten();
    if let Some(end) = end {
        kept.tasks.truncate(end as usize + 1);
    }
    while let Some(idle) = (0..kept.tasks.len())
        .rev()
        .find(|&place| !used(&kept, place))
    {
        kept.tasks.remove(idle);
        let moved = |input: &mut Option<u32>| {
            *input = input.map(|place| {
                if place as usize > idle {
                    place - 1
                } else {
                    place
                }
            });
        };
        for task in &mut kept.tasks {
            match task {
                Task::Send { after, .. } => moved(after),
                Task::Merge { left, right, .. } => [left, right].into_iter().for_each(moved),
            }
        }
    }
    *pattern = kept;
}

#[test]
fn the_referee_accepts_what_is_counted() {
    let mut checked = 0;
    for nodes in [2, 3, 4, 5, 7, 8] {
        for (seed, model) in (1..).zip(PortModel::ALL) {
            let made = match nodes {
                2..4 => generate::complete(nodes, &uniform(seed)),
                _ => generate::random_connected(nodes, 3, &uniform(seed)),
            };
            checked += check_all(&made.expect("a platform").with_model(model), nodes);
        }
    }
    assert!(checked > 1000, "{checked} algorithms");
}

#[test]
fn switches_only_forward() {
    let platform = generate::dgx_a100(2).expect("boxes");
    assert!(check_all(&platform, 16) > 40);
}

/// All messages of a demand are moved alike: the referee accepts the counts of a collective with counts, of the list of
/// its demands, and of groups that run several times.
#[test]
fn counts_are_carried_out() {
    let mut checked = 0;
    for (seed, model) in (1..).zip(PortModel::ALL) {
        let made = generate::random_connected(4, 3, &uniform(seed)).expect("a platform");
        let platform = made.with_model(model);
        for plain in collectives(&platform) {
            let problem = Problem::new(&platform, &plain, Volumes::default()).expect("a question");
            let routes = routes(&problem);
            let counts: Vec<u64> = (0..plain.demands() as u64)
                .map(|place| 1 + 2 * place % 3)
                .collect();
            let member = Member {
                collective: plain.clone(),
                rate: 3,
            };
            let group = Collective::Groups(vec![member]);
            let counted = plain.with_counts(&counts).ok();
            for often in counted.into_iter().chain([group]) {
                let often = problem.asking(often).expect("a question");
                for algorithm in named(&problem, &RankHints::default()) {
                    check(&often, &algorithm, &routes);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 200, "{checked} algorithms");
}

fn check_all(platform: &Platform, nodes: usize) -> usize {
    let volumes = Volumes::of_size(parse_rational("3/2").expect("a number"));
    let mut checked = 0;
    for collective in collectives(platform) {
        let problem = Problem::new(platform, &collective, &volumes).expect("a question");
        let routes = routes(&problem);
        let order: Vec<usize> = (0..nodes).rev().collect();
        for algorithm in named(
            &problem,
            &RankHints {
                order,
                groups: groups(nodes),
                ..RankHints::default()
            },
        ) {
            check(&problem, &algorithm, &routes);
            checked += 1;
        }
    }
    checked
}

/// Computed by hand, on a complete graph of 8 nodes with costs 1 and full-duplex ports. A ring all-reduce sends and
/// receives 2 x 7/8 of a message at every node. A chain sends and receives 2 at its inner nodes, one per direction. A
/// flat tree sends 7 at its root, a binomial tree 3. A binary tree sends 3 at inner nodes, two such trees (3 + 1) / 2.
#[test]
fn loads_by_hand() {
    let one = Costs::Constant(Rational::from_integer(1.into()));
    let options = Options {
        seed: 1,
        link_cost: one.clone(),
        compute: one,
    };
    let platform = generate::complete(8, &options).expect("a platform");
    let mut volumes = Volumes::of_size(Rational::from_integer(1.into()));
    volumes.work = oneport_plan::Amount::Constant(Rational::default());
    let all: Vec<NodeId> = platform.processors().collect();
    let expected = [
        ("ring", "4/7"),
        ("chain", "1/2"),
        ("flat tree", "1/7"),
        ("binomial tree", "1/3"),
        ("binary tree", "1/3"),
        ("double binary tree", "1/2"),
        ("recursive doubling", "1/3"),
        ("Rabenseifner", "4/7"),
    ];
    let collective = Collective::all_reduce(all);
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let routes = routes(&problem);
    let found = named(&problem, &RankHints::default());
    for (name, throughput) in expected {
        let algorithm = found
            .iter()
            .find(|algorithm| algorithm.name == name)
            .expect(name);
        let counted = algorithm
            .loads(&problem, &routes, &Watch::unlimited())
            .and_then(|loads| loads.throughput(&problem))
            .expect(name);
        assert_eq!(counted.throughput.to_string(), throughput, "{name}");
    }
}

/// A barrier is executed as an all-reduce, by the algorithms that keep its token whole.
#[test]
fn a_barrier_is_an_all_reduce_of_a_whole_token() {
    let platform = generate::complete(8, &uniform(2)).expect("a platform");
    let all: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes::default();
    let names = |collective: Collective| {
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let found = named(&problem, &RankHints::default());
        let of = |algorithm: &Algorithm| (algorithm.name.to_string(), algorithm.pieces);
        found.iter().map(of).collect::<Vec<_>>()
    };
    let reduced = names(Collective::all_reduce(all.clone()));
    let whole: Vec<_> = reduced
        .iter()
        .filter(|(_, pieces)| *pieces == 1)
        .cloned()
        .collect();
    assert!(!whole.is_empty() && whole.len() < reduced.len());
    let barrier = Collective::barrier(all.clone());
    assert_eq!(names(barrier.clone()), whole);
    // A list does not cut it either: rings would, a tree does not.
    let problem = Problem::new(&platform, &barrier, &volumes).expect("a question");
    assert!(!on_rings(&problem));
    let ring = of_ring(&problem, "mine", &all).expect_err("cut");
    assert_eq!(
        ring.to_string(),
        "a ring does no barrier; list rounds of sends"
    );
    let star: Vec<(NodeId, NodeId)> = all[1..].iter().map(|&child| (all[0], child)).collect();
    assert_eq!(
        of_tree(&problem, "mine", &star).map(|made| made.pieces),
        Ok(1)
    );
    let round = |node: usize| {
        let to_all = |from: NodeId, combine: bool| -> Vec<Send> {
            let others = all.iter().filter(|&&to| to != from);
            let send = |&to: &NodeId| {
                let (from, to) = if combine { (to, from) } else { (from, to) };
                let blocks = vec![0, 1];
                Send {
                    from,
                    to,
                    blocks,
                    combine,
                }
            };
            others.map(send).collect()
        };
        vec![to_all(all[node], true), to_all(all[node], false)]
    };
    let cut = of_rounds(&problem, "mine", 2, &round(0)).expect_err("cut");
    assert!(
        matches!(cut, BaselineError::TokenCut { pieces: 2, .. }),
        "{cut}"
    );
    let reduced = problem
        .asking(Collective::all_reduce(all.clone()))
        .expect("a question");
    assert!(of_rounds(&reduced, "mine", 2, &round(0)).is_ok());
}
