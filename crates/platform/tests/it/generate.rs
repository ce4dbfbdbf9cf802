//! The regular and random generators: shape, costs, determinism, refusals.

use crate::common;

use std::collections::BTreeSet;

use common::{connected, duplex_edges, refused};
use oneport_platform::generate::{Costs, Options, complete, grid, random_connected, ring, star};
use oneport_platform::{Platform, PlatformError, ratio, whole};
use proptest::prelude::*;

fn seeded(seed: u64) -> Options {
    Options {
        seed,
        ..Options::default()
    }
}

/// Connected, duplex, all processors. Returns the edges and every node's degree.
#[track_caller]
fn shape(platform: &Platform) -> (BTreeSet<(usize, usize)>, Vec<usize>) {
    let edges = duplex_edges(platform);
    let nodes = platform.nodes().len();
    assert!(connected(nodes, &edges));
    assert!(platform.nodes().iter().all(|node| node.is_processor()));
    let degrees = platform
        .node_ids()
        .map(|node| platform.outgoing(node).len())
        .collect();
    (edges, degrees)
}

proptest! {
    #[test]
    fn complete_graphs_link_every_pair(n in 1_usize..30, seed: u64) {
        let platform = complete(n, &seeded(seed)).unwrap();
        let (edges, degrees) = shape(&platform);
        prop_assert_eq!(edges.len(), n * (n - 1) / 2);
        prop_assert_eq!(degrees, vec![n - 1; n]);
    }

    #[test]
    fn rings_are_connected_and_two_regular(n in 3_usize..60, seed: u64) {
        let platform = ring(n, &seeded(seed)).unwrap();
        let (edges, degrees) = shape(&platform);
        // A connected graph in which every degree is 2 is a cycle. These are its edges.
        prop_assert_eq!(degrees, vec![2; n]);
        prop_assert!(edges.iter().all(|&(a, b)| b - a == 1 || (a, b) == (0, n - 1)));
    }

    #[test]
    fn grids_link_the_pairs_at_manhattan_distance_one(rows in 1_usize..9, columns in 1_usize..9, seed: u64) {
        let platform = grid(rows, columns, &seeded(seed)).unwrap();
        let (edges, _) = shape(&platform);
        let cell = |node: usize| (node / columns, node % columns);
        let near = |a, b| {
            let ((ra, ca), (rb, cb)) = (cell(a), cell(b));
            ra.abs_diff(rb) + ca.abs_diff(cb) == 1
        };
        let nodes = rows * columns;
        let expected = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).filter(|&(a, b)| near(a, b));
        prop_assert_eq!(edges, expected.collect());
    }

    #[test]
    fn stars_have_one_centre(leaves in 1_usize..50, seed: u64) {
        let platform = star(leaves, &seeded(seed)).unwrap();
        let (_, degrees) = shape(&platform);
        prop_assert_eq!(platform.find("hub").map(|hub| hub.index()), Some(0));
        prop_assert_eq!(platform.nodes()[leaves].name.clone(), format!("P{}", leaves - 1));
        prop_assert_eq!(degrees[0], leaves);
        prop_assert!(degrees[1..].iter().all(|&degree| degree == 1));
    }

    #[test]
    fn random_graphs_have_the_promised_average_degree(n in 3_usize..40, extra in 0_usize..40, seed: u64) {
        let degree = 2 + extra % (n - 2);
        let platform = random_connected(n, degree, &seeded(seed)).unwrap();
        let (edges, degrees) = shape(&platform);
        prop_assert_eq!(edges.len(), n * degree / 2);
        prop_assert!(degrees.iter().sum::<usize>().abs_diff(n * degree) <= 1);
        prop_assert_eq!(platform.nodes()[n - 1].name.clone(), format!("P{}", n - 1));
        prop_assert_eq!(&platform, &random_connected(n, degree, &seeded(seed)).unwrap());
    }

    #[test]
    fn costs_stay_in_their_range(low in 1_u64..20, width in 0_u64..20, seed: u64) {
        let high = low + width;
        let options = Options { seed, link_cost: Costs::Uniform { low, high }, ..Options::default() };
        let range = whole(low)..=whole(high);
        let platform = complete(8, &options).unwrap();
        prop_assert!(platform.links().iter().all(|link| range.contains(&link.cost) && link.cost.is_integer()));
    }
}

/// Each generator with a size that has a random cost everywhere.
fn each(options: &Options) -> [Platform; 5] {
    [
        complete(9, options).unwrap(),
        ring(9, options).unwrap(),
        grid(3, 4, options).unwrap(),
        star(9, options).unwrap(),
        random_connected(12, 4, options).unwrap(),
    ]
}

#[test]
fn the_seed_decides_everything() {
    for (a, (b, other)) in each(&seeded(5))
        .into_iter()
        .zip(each(&seeded(5)).into_iter().zip(each(&seeded(6))))
    {
        assert_eq!(a, b);
        assert_ne!(a, other);
    }
    // The costs differ, and the random graph's edges too.
    let [.., a] = each(&seeded(5));
    let [.., b] = each(&seeded(6));
    assert_ne!(duplex_edges(&a), duplex_edges(&b));
}

#[test]
fn other_costs_leave_the_graph_and_the_other_costs_alone() {
    let dear = Options {
        compute: Costs::Uniform {
            low: 100,
            high: 200,
        },
        ..seeded(5)
    };
    for (a, b) in each(&seeded(5)).iter().zip(each(&dear)) {
        assert_eq!(a.links(), b.links());
        assert_ne!(a.nodes(), b.nodes());
    }
}

#[test]
fn constant_costs_are_kept_exactly() {
    let third = ratio(1, 3);
    let options = Options {
        link_cost: Costs::Constant(third.clone()),
        compute: Costs::Constant(third.clone()),
        ..seeded(1)
    };
    for platform in each(&options) {
        assert!(platform.links().iter().all(|link| link.cost == third));
        assert!(
            platform
                .nodes()
                .iter()
                .all(|node| node.compute.as_ref() == Some(&third))
        );
    }
}

#[test]
fn every_integer_cost_occurs() {
    let platform = complete(40, &seeded(1)).unwrap();
    let costs: BTreeSet<String> = platform
        .links()
        .iter()
        .map(|link| link.cost.to_string())
        .collect();
    assert_eq!(costs, (1..=10).map(|cost| cost.to_string()).collect());
}

#[test]
fn every_pair_is_linked_in_some_random_graph() {
    let all: BTreeSet<_> = (0..30)
        .flat_map(|seed| duplex_edges(&random_connected(6, 2, &seeded(seed)).unwrap()))
        .collect();
    assert_eq!(all.len(), 15);
}

#[test]
fn the_smallest_graphs() {
    let options = Options::default();
    for degree in [0, 1, 7] {
        assert_eq!(
            random_connected(1, degree, &options).unwrap().links().len(),
            0
        );
        assert_eq!(
            random_connected(2, degree, &options).unwrap().links().len(),
            2
        );
    }
    assert_eq!(ring(1, &options).unwrap().links().len(), 0);
    assert_eq!(ring(2, &options).unwrap().links().len(), 2);
    assert_eq!(complete(1, &options).unwrap().links().len(), 0);
    assert_eq!(grid(1, 1, &options).unwrap().links().len(), 0);
}

#[test]
fn impossible_sizes_are_refused() {
    let options = Options::default();
    assert_eq!(refused(complete(0, &options)), "n");
    assert_eq!(refused(ring(0, &options)), "n");
    assert_eq!(refused(grid(0, 3, &options)), "rows");
    assert_eq!(refused(grid(3, 0, &options)), "columns");
    assert_eq!(refused(star(0, &options)), "leaves");
    assert_eq!(refused(random_connected(0, 2, &options)), "n");
    for (n, degree) in [(3, 0), (3, 1), (3, 3), (10, 10), (10, usize::MAX)] {
        assert_eq!(refused(random_connected(n, degree, &options)), "degree");
    }
}

#[test]
fn enormous_sizes_are_refused_before_anything_is_built() {
    let options = Options::default();
    let huge = [1 << 20, 1 << 40, usize::MAX];
    for n in huge {
        assert!(
            matches!(complete(n, &options), Err(PlatformError::TooMany { .. })),
            "{n}"
        );
        assert!(
            matches!(
                random_connected(n, 100, &options),
                Err(PlatformError::TooMany { .. })
            ),
            "{n}"
        );
        assert!(
            matches!(grid(n, n, &options), Err(PlatformError::TooMany { .. })),
            "{n}"
        );
    }
    for n in &huge[1..] {
        assert!(
            matches!(ring(*n, &options), Err(PlatformError::TooMany { .. })),
            "{n}"
        );
        assert!(
            matches!(star(*n, &options), Err(PlatformError::TooMany { .. })),
            "{n}"
        );
    }
}

#[test]
fn impossible_costs_are_refused() {
    let zero = whole(0);
    let bad = [
        Costs::Constant(zero.clone()),
        Costs::Constant(zero - whole(1)),
        Costs::Uniform { low: 0, high: 3 },
        Costs::Uniform { low: 4, high: 3 },
    ];
    for costs in bad {
        for (parameter, options) in [
            (
                "link_cost",
                Options {
                    link_cost: costs.clone(),
                    ..seeded(1)
                },
            ),
            (
                "compute",
                Options {
                    compute: costs.clone(),
                    ..seeded(1)
                },
            ),
        ] {
            assert_eq!(refused(complete(3, &options)), parameter);
            assert_eq!(refused(ring(3, &options)), parameter);
            assert_eq!(refused(grid(1, 3, &options)), parameter);
            assert_eq!(refused(star(3, &options)), parameter);
            assert_eq!(refused(random_connected(3, 2, &options)), parameter);
        }
    }
}
