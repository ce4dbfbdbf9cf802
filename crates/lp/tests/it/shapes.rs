//! The best tree and the best acyclic graph against enumeration: every choice of a link into every node, every set of
//! links without a cycle.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use num_traits::{One, Zero};
use oneport_lp::{LpError, Options, Question, Shape, Status, Watch, best, solve};
use oneport_plan::{Collective, Problem, ProblemError, Resource, Volumes};
use oneport_platform::{Change, LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_testkit::{number, ratio, toys};
use oneport_watch::Left;
use proptest::prelude::*;

fn platform(model: PortModel, nodes: usize, links: &[(usize, usize, &str)]) -> Platform {
    let mut builder = Platform::builder();
    builder.model(model);
    for node in 0..nodes {
        builder
            .node(Node::processor(format!("n{node}"), Rational::one()))
            .unwrap();
    }
    for &(from, to, cost) in links {
        builder
            .link(NodeId::new(from), NodeId::new(to), number(cost))
            .unwrap();
    }
    builder.build().unwrap()
}

/// Figure 1 of RR-2004-32. Node 0 is the source.
fn figure_1(model: PortModel) -> Platform {
    toys::broadcast().with_model(model)
}

fn figure_2(model: PortModel) -> Platform {
    toys::odd_set().with_model(model)
}

fn broadcast(targets: &[usize]) -> Collective {
    Collective::broadcast(
        NodeId::new(0),
        targets.iter().map(|&node| NodeId::new(node)).collect(),
    )
}

fn rate(platform: &Platform, collective: &Collective) -> Rational {
    let problem = match Problem::new(platform, collective, Volumes::default()) {
        Err(ProblemError::Unreachable { .. }) => return Rational::zero(),
        problem => problem.unwrap(),
    };
    let solution = solve(&Question::new(&problem), &Options::default()).unwrap();
    assert_eq!(solution.status, Status::Optimal);
    solution.steady_state.throughput
}

/// The best of a kind, its links checked: they are of the kind, and attain the claimed throughput.
fn found(platform: &Platform, collective: &Collective, shape: Shape) -> Rational {
    let volumes = Volumes::default();
    let problem = Problem::new(platform, collective, &volumes).unwrap();
    let found = best(&Question::new(&problem), &Options::default(), shape).unwrap();
    assert_eq!(
        (found.status, &found.throughput),
        (Status::Optimal, &found.upper_bound)
    );
    let gone: Vec<Change> = platform
        .link_ids()
        .filter(|link| !found.links.contains(link))
        .map(Change::WithoutLink)
        .collect();
    assert_eq!(
        rate(&platform.changed(&gone).unwrap().platform, collective),
        found.throughput
    );
    assert!(is_acyclic(platform, &found.links));
    if shape == Shape::Tree {
        let mut entered: Vec<NodeId> = found
            .links
            .iter()
            .map(|&link| platform.link(link).to)
            .collect();
        entered.sort_unstable();
        assert!(
            entered.windows(2).all(|pair| pair[0] != pair[1]),
            "a node is entered twice"
        );
    }
    found.throughput
}

/// Whether all links can be removed, each time those out of a node without incoming links.
fn is_acyclic(platform: &Platform, links: &[LinkId]) -> bool {
    let mut left = links.to_vec();
    while !left.is_empty() {
        let before = left.len();
        let entered: Vec<NodeId> = left.iter().map(|&link| platform.link(link).to).collect();
        left.retain(|&link| entered.contains(&platform.link(link).from));
        if left.len() == before {
            return false;
        }
    }
    true
}

/// All trees: a link, or none, into every node but the source.
fn best_tree(platform: &Platform, targets: &[usize]) -> Rational {
    let nodes = platform.nodes().len();
    let mut best = Rational::zero();
    let mut choice = vec![0; nodes];
    loop {
        let parent = |node: usize| {
            let incoming = platform.incoming(NodeId::new(node));
            (choice[node] > 0 && node > 0).then(|| incoming[choice[node] - 1])
        };
        // Up from a target to the source, in at most as many steps as nodes.
        let path = |target: usize| -> Option<Vec<LinkId>> {
            let (mut at, mut links) = (target, Vec::new());
            while at != 0 {
                let link = parent(at).filter(|_| links.len() < nodes)?;
                links.push(link);
                at = platform.link(link).from.index();
            }
            Some(links)
        };
        let paths: Option<Vec<Vec<LinkId>>> = targets.iter().map(|&target| path(target)).collect();
        if let Some(mut links) = paths.map(|paths| paths.concat()) {
            links.sort_unstable();
            links.dedup();
            let load = |resource: &Resource| -> Rational {
                let uses = links.iter().filter(|&&link| {
                    Resource::uses(platform, link)
                        .map(|used| used.resource)
                        .any(|one| one == *resource)
                });
                let busy: Rational = uses.map(|&link| platform.link(link).cost.clone()).sum();
                busy / ratio(resource.capacity(platform), 1)
            };
            let period = Resource::of_platform(platform)
                .iter()
                .map(load)
                .max()
                .unwrap();
            best = best.max(period.recip());
        }
        let Some(position) =
            (1..nodes).find(|&node| choice[node] < platform.incoming(NodeId::new(node)).len())
        else {
            return best;
        };
        choice[position] += 1;
        choice[1..position].fill(0);
    }
}

/// All sets of links without a cycle.
fn best_acyclic(platform: &Platform, collective: &Collective) -> Rational {
    let links: Vec<LinkId> = platform.link_ids().collect();
    let mut best = Rational::zero();
    for set in 0..1_usize << links.len() {
        let within = |index: usize, set: usize| set >> index & 1 == 1;
        let chosen = |set: usize| -> Vec<LinkId> {
            links
                .iter()
                .enumerate()
                .filter(|(index, _)| within(*index, set))
                .map(|(_, &link)| link)
                .collect()
        };
        // Smaller sets have at most the throughput.
        let extended = (0..links.len())
            .any(|index| !within(index, set) && is_acyclic(platform, &chosen(set | 1 << index)));
        if !extended && is_acyclic(platform, &chosen(set)) {
            let kept = chosen(set);
            let gone: Vec<Change> = links
                .iter()
                .filter(|link| !kept.contains(link))
                .map(|&link| Change::WithoutLink(link))
                .collect();
            best = best.max(rate(&platform.changed(&gone).unwrap().platform, collective));
        }
    }
    best
}

/// The numbers of section 2.3, half-duplex: 4/7 for a tree, 8/13 for a DAG, 4/5 for all links.
#[test]
fn figures_1_and_2_have_the_printed_optima() {
    use PortModel::{FullDuplex, HalfDuplex};
    for (model, tree, acyclic, whole) in [
        (HalfDuplex, "4/7", "8/13", "4/5"),
        (FullDuplex, "1", "1", "1"),
    ] {
        let (figure, all) = (figure_1(model), broadcast(&[1, 2, 3, 4]));
        assert_eq!(found(&figure, &all, Shape::Tree), number(tree));
        assert_eq!(found(&figure, &all, Shape::Acyclic), number(acyclic));
        assert_eq!(rate(&figure, &all), number(whole));
    }
    for (model, one) in [(HalfDuplex, "2/3"), (FullDuplex, "1")] {
        for shape in [Shape::Tree, Shape::Acyclic] {
            assert_eq!(
                found(&figure_2(model), &broadcast(&[1, 2]), shape),
                number(one)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn random_platforms_agree_with_enumeration(
        costs in prop::collection::vec(0_usize..8, 12),
        model in prop::sample::select(PortModel::ALL.to_vec()),
        some: bool,
    ) {
        const COSTS: [&str; 5] = ["1/3", "1/2", "1", "3/2", "2"];
        let pairs = (0..4).flat_map(|from| (0..4).filter(move |&to| to != from).map(move |to| (from, to)));
        let drawn = pairs.zip(&costs);
        let links: Vec<(usize, usize, &str)> =
            drawn.filter_map(|((from, to), &cost)| Some((from, to, *COSTS.get(cost)?))).take(8).collect();
        let (platform, targets) = (platform(model, 4, &links), if some { vec![1, 3] } else { vec![1, 2, 3] });
        let collective = broadcast(&targets);
        let whole = rate(&platform, &collective);
        prop_assume!(!whole.is_zero());
        let tree = found(&platform, &collective, Shape::Tree);
        let acyclic = found(&platform, &collective, Shape::Acyclic);
        prop_assert_eq!(&tree, &best_tree(&platform, &targets));
        prop_assert_eq!(&acyclic, &best_acyclic(&platform, &collective));
        prop_assert!(tree <= acyclic && acyclic <= whole);
    }
}

/// A search that is ended at once has a tree and a bound that holds.
#[test]
fn a_search_that_is_ended_has_a_bound() {
    let (figure, all, volumes) = (
        figure_1(PortModel::HalfDuplex),
        broadcast(&[1, 2, 3, 4]),
        Volumes::default(),
    );
    let ended = Watch::new(|| Left {
        time: Some(Duration::ZERO),
        ..Left::default()
    });
    let problem = Problem::new(&figure, &all, &volumes).unwrap();
    match best(
        &Question::new(&problem).watched(ended),
        &Options::default(),
        Shape::Acyclic,
    ) {
        Ok(found) => {
            assert!(found.throughput <= number("8/13") && found.upper_bound >= number("8/13"))
        }
        Err(error) => assert!(matches!(error, LpError::Stopped(_)), "{error}"),
    }
}

/// A search that is ended after this number of checks of its watch: once all links together are bounded, it never
/// states a larger bound, and a longer search never states a larger bound than a shorter one. The full search gives the
/// true value.
#[test]
fn a_bound_never_grows_with_time() {
    let cost = ["3", "1", "4", "1", "5", "9", "2", "6", "5/3", "7"];
    let links: Vec<(usize, usize, &str)> = (0..6)
        .flat_map(|from| [1, 2, 4].map(|step| (from, (from + step) % 6)))
        .enumerate()
        .map(|(index, (from, to))| (from, to, cost[index * 7 % 10]))
        .collect();
    let platform = platform(PortModel::HalfDuplex, 6, &links);
    let problem = Problem::new(&platform, broadcast(&[1, 2, 3, 4, 5]), Volumes::default()).unwrap();
    let options = Options::default();
    let all = solve(&Question::new(&problem), &options)
        .unwrap()
        .upper_bound;
    for shape in [Shape::Tree, Shape::Acyclic] {
        let truth = best(&Question::new(&problem), &options, shape).unwrap();
        assert_eq!(truth.status, Status::Optimal);
        let mut stated: Option<Rational> = None;
        let mut between = 0;
        for most in (0..40_u32).map(|step| 2 * step * step) {
            let asked = Arc::new(AtomicU32::new(0));
            let watch = Watch::new(move || Left {
                time: (asked.fetch_add(1, Ordering::Relaxed) > most).then_some(Duration::ZERO),
                ..Left::default()
            });
            let Ok(found) = best(&Question::new(&problem).watched(watch), &options, shape) else {
                continue;
            };
            assert!(found.throughput <= truth.throughput && found.upper_bound >= truth.throughput);
            // Before that the program of all links itself has been cut short.
            if found.upper_bound <= all || stated.is_some() {
                assert!(
                    found.upper_bound <= *stated.as_ref().unwrap_or(&all),
                    "{most}"
                );
                between += usize::from(found.status == Status::Feasible);
                stated = Some(found.upper_bound);
            }
        }
        assert!(between > 2, "{between} searches ended on the way");
    }
}

#[test]
fn what_has_no_tree_is_refused() {
    let figure = figure_1(PortModel::FullDuplex);
    let all: Vec<NodeId> = figure.node_ids().collect();
    let volumes = Volumes::default();
    let scatter = Collective::scatter(all[0], all[1..].to_vec());
    let problem = Problem::new(&figure, &scatter, &volumes).unwrap();
    let refused = best(&Question::new(&problem), &Options::default(), Shape::Tree);
    assert!(matches!(
        refused,
        Err(LpError::NoShape {
            collective: "scatter",
            ..
        })
    ));
}
