//! Bounds by cuts against all sets of nodes, and in the referee's eyes.

use num_traits::{One, Zero};
use oneport_lp::{Question, cut_bound};
use oneport_plan::{Amount, Collective, Form, Goals, Problem, Volumes};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational, whole};
use oneport_referee::bound;
use oneport_watch::Watch;
use proptest::prelude::*;

use crate::common::ratio;

/// Processors, and perhaps a switch, all linked to their neighbours, so that all are reachable.
fn platforms() -> impl Strategy<Value = Platform> {
    let costs = prop::collection::vec(prop::option::weighted(0.4, (1..6i64, 1..3i64)), 36);
    (2..5usize, 0..2usize, costs, any::<bool>()).prop_map(|(processors, switches, costs, keeps)| {
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        for index in 0..processors {
            // The last one may not keep the messages it forwards: fewer collectives are solved then, by the same cuts.
            let replicates = index + 1 < processors || keeps;
            builder
                .node(Node {
                    replicates,
                    ..Node::processor(format!("p{index}"), Rational::one())
                })
                .unwrap();
        }
        for index in 0..switches {
            builder
                .node(Node {
                    replicates: false,
                    ..Node::router(format!("s{index}"))
                })
                .unwrap();
        }
        let nodes = processors + switches;
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
            let around = to == (from + 1) % nodes;
            if let Some((a, b)) = costs[6 * from + to]
                .or(around.then_some((3, 1)))
                .filter(|_| from != to)
            {
                builder
                    .link(NodeId::new(from), NodeId::new(to), ratio(a, b))
                    .unwrap();
            }
        }
        builder.build().unwrap()
    })
}

fn collectives(platform: &Platform) -> Vec<Collective> {
    let participants: Vec<NodeId> = platform.processors().collect();
    let (first, others) = (participants[0], participants[1..].to_vec());
    vec![
        Collective::all_gather(participants.clone()),
        Collective::reduce_scatter(participants.clone()),
        Collective::broadcast(first, others.clone()),
        Collective::reduce(first, participants.clone()),
        Collective::scatter(first, others.clone()),
        Collective::gather(first, others),
        Collective::all_to_all(participants),
    ]
}

/// The least that any set proves, by the definition.
fn least(platform: &Platform, collective: &Collective) -> Rational {
    let proved = |set: usize| -> Option<Rational> {
        let inside = |node: NodeId| set >> node.index() & 1 == 1;
        let leaving = platform
            .links()
            .iter()
            .filter(|link| inside(link.from) && !inside(link.to));
        let capacity: Rational = leaving.map(|link| link.cost.recip()).sum();
        let crosses = |position: &usize| {
            let demand = collective.demand(*position).unwrap();
            let outside = match demand.goals {
                Goals::At(target) => !inside(target),
                Goals::Everywhere(targets) => targets.iter().any(|&node| !inside(node)),
                Goals::Prefixes => false,
            };
            outside && demand.operands.iter().any(|&node| inside(node))
        };
        let crossing = (0..collective.demands()).filter(crosses).count();
        (crossing > 0).then(|| capacity / whole(crossing))
    };
    (0..1usize << platform.nodes().len())
        .filter_map(proved)
        .min()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The best set is found (for messages between all pairs: one that is at most as good), and its proof is valid.
    #[test]
    fn cuts_are_least_and_proved(platform in platforms()) {
        let volumes = Volumes { work: Amount::Constant(Rational::zero()), ..Volumes::default() };
        for collective in collectives(&platform) {
            let Ok(problem) = Problem::new(&platform, &collective, &volumes) else {
                prop_assert!(platform.nodes().iter().any(|node| node.is_processor() && !node.replicates));
                continue;
            };
            let found = cut_bound(&Question::new(&problem)).unwrap().expect("links only");
            let best = least(&platform, &collective);
            match collective.form() {
                Some(Form::ALL_TO_ALL) => prop_assert!(found.throughput >= best),
                _ => prop_assert_eq!(&found.throughput, &best, "{}", collective.name()),
            }
            let proved = bound(&problem, &found.certificate, &Watch::unlimited());
            prop_assert!(proved.as_ref().is_ok_and(|proved| *proved <= found.throughput), "{:?}", proved);
        }
    }
}

/// If ports count, or values are combined for several, cuts of links are not tried.
#[test]
fn others_are_left_alone() {
    let platform = oneport_platform::generate::torus(&[3]).unwrap();
    let volumes = Volumes::default();
    let ask = |platform: &Platform, collective: &Collective| {
        cut_bound(&Question::new(
            &Problem::new(platform, collective, &volumes).unwrap(),
        ))
        .unwrap()
    };
    let participants: Vec<NodeId> = platform.processors().collect();
    let gather = Collective::all_gather(participants.clone());
    assert_eq!(
        ask(&platform.clone().with_model(PortModel::FullDuplex), &gather),
        None
    );
    let links = platform.with_model(PortModel::Links);
    assert!(ask(&links, &gather).is_some());
    assert_eq!(ask(&links, &Collective::all_reduce(participants)), None);
}
