//! Listed algorithms equal named ones. Mistakes in lists are named. Trees of papers.

use oneport_baselines::{
    BaselineError, Comparison, Send, named, of_ring, of_rounds, of_tree, published,
};
use oneport_plan::{Collective, NodeId, Platform, Problem, Volumes};
use oneport_platform::generate::{self, Costs, Options};
use oneport_platform::parse_rational;
use oneport_watch::Watch;

use crate::named::routes;

fn clique(nodes: usize) -> Platform {
    let one = Costs::Constant(parse_rational("1").expect("a number"));
    generate::complete(
        nodes,
        &Options {
            seed: 1,
            link_cost: one.clone(),
            compute: one,
        },
    )
    .expect("a platform")
}

#[test]
fn listed_rings_and_trees_are_those_with_a_name() {
    let platform = clique(6);
    let nodes: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes::default();
    let collective = Collective::all_reduce(nodes.clone());
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let named = named(&problem, &Default::default());
    let find = |name: &str| named.iter().find(|one| one.name == name).expect("named");
    assert_eq!(
        of_ring(&problem, "mine", &nodes).expect("a ring").phases,
        find("ring").phases
    );
    let star: Vec<(NodeId, NodeId)> = nodes[1..].iter().map(|&child| (nodes[0], child)).collect();
    assert_eq!(
        of_tree(&problem, "mine", &star).expect("a tree").phases,
        find("flat tree").phases
    );

    let ring = |order: &[usize]| {
        let order: Vec<NodeId> = order.iter().map(|&place| nodes[place]).collect();
        of_ring(&problem, "", &order).expect_err("no ring")
    };
    let name = |place: usize| platform.name(nodes[place]).to_string();
    assert_eq!(
        ring(&[0, 1, 2, 4, 5]),
        BaselineError::NotListed { node: name(3) }
    );
    assert_eq!(
        ring(&[0, 1, 2, 3, 4, 5, 3]),
        BaselineError::ListedTwice { node: name(3) }
    );
    let tree = |edges: &[(usize, usize)]| {
        let edges: Vec<(NodeId, NodeId)> = edges
            .iter()
            .map(|&(one, other)| (nodes[one], nodes[other]))
            .collect();
        of_tree(&problem, "", &edges).expect_err("no tree")
    };
    let roots = vec![name(0), name(5)];
    assert_eq!(
        tree(&[(0, 1), (1, 2), (2, 3), (3, 4)]),
        BaselineError::NotOneRoot { roots }
    );
    assert_eq!(
        tree(&[(0, 1), (0, 2), (1, 2)]),
        BaselineError::TwoParents { node: name(2) }
    );
    assert_eq!(
        tree(&[(0, 1), (1, 2), (2, 3), (4, 5), (5, 4)]),
        BaselineError::InCircle { node: name(4) }
    );
}

#[test]
fn rounds_go_over_links() {
    let one = Costs::Constant(parse_rational("1").expect("a number"));
    let platform = generate::ring(
        4,
        &Options {
            seed: 1,
            link_cost: one.clone(),
            compute: one,
        },
    )
    .expect("a platform");
    let nodes: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes::default();
    let collective = Collective::broadcast(nodes[0], nodes[1..].to_vec());
    let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
    let send = |from: usize, to: usize| Send {
        from: nodes[from],
        to: nodes[to],
        blocks: vec![0],
        combine: false,
    };
    let rounds = |rounds: &[Vec<Send>]| of_rounds(&problem, "mine", 1, rounds);
    let (made, routes) =
        rounds(&[vec![send(0, 1)], vec![send(0, 3), send(1, 2)]]).expect("a broadcast");
    let loads = made
        .loads(&problem, &routes, &Watch::unlimited())
        .expect("counted");
    assert_eq!(
        loads
            .throughput(&problem)
            .expect("some")
            .throughput
            .to_string(),
        "1/2"
    );
    assert!(matches!(
        rounds(&[vec![send(0, 2)]]),
        Err(BaselineError::MissingLink { step: 1, .. })
    ));
    assert!(matches!(
        rounds(&[vec![send(0, 1), send(1, 2)]]),
        Err(BaselineError::NotHeld { step: 1, .. })
    ));
    assert!(matches!(
        rounds(&[vec![send(0, 1)]]),
        Err(BaselineError::Lacks { .. })
    ));
    assert!(matches!(rounds(&[vec![]]), Err(BaselineError::Nothing)));
}

/// On equal costs and merges of no time, both papers' trees for 8 processors are binomial: the root combines three
/// times.
#[test]
fn published_trees_reduce() {
    let platform = clique(8);
    let nodes: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes {
        work: oneport_plan::Amount::Constant(Default::default()),
        ..Volumes::default()
    };
    for target in [0, 3] {
        let collective = Collective::reduce(nodes[target], nodes.clone());
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let routes = routes(&problem);
        let found = published(&problem, &routes);
        assert_eq!(
            found
                .iter()
                .map(|one| one.name.as_str())
                .collect::<Vec<_>>(),
            ["RR-7898", "Liu-Kuo-Wang"]
        );
        for algorithm in &found {
            let loads = algorithm
                .loads(&problem, &routes, &Watch::unlimited())
                .expect("counted");
            assert_eq!(
                loads
                    .throughput(&problem)
                    .expect("some")
                    .throughput
                    .to_string(),
                "1/3",
                "{}",
                algorithm.name
            );
            assert_eq!(
                algorithm
                    .patterns(&problem, &routes)
                    .expect("carried out")
                    .len(),
                1
            );
        }
        let comparison = Comparison::of(&problem, &Watch::unlimited()).expect("compared");
        assert!(
            comparison
                .rows
                .iter()
                .any(|row| row.algorithm.name == "RR-7898")
        );
        assert!(
            comparison
                .rows
                .windows(2)
                .all(|pair| pair[0].sustained.throughput >= pair[1].sustained.throughput)
        );
    }
}
