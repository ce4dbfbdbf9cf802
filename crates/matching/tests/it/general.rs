//! The theorems of `general` against a naive twin: all allowed sets and all odd sets of small graphs, enumerated.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use oneport_matching::MatchingError;
use oneport_matching::general::{OddSet, PortGraph, decompose, least_period, separate};
use oneport_numbers::{ratio, whole};
use proptest::prelude::*;

fn integers(times: &[i64]) -> Vec<BigRational> {
    times.iter().map(|&time| ratio(time, 1)).collect()
}

/// Whether the edges may be used simultaneously.
fn is_allowed(graph: &PortGraph, edges: &[usize]) -> bool {
    let ends: Vec<usize> = edges
        .iter()
        .flat_map(|&e| graph.edges[e])
        .flatten()
        .collect();
    (0..graph.capacities.len())
        .all(|v| ends.iter().filter(|&&end| end == v).count() <= graph.capacities[v])
}

/// The bits of `mask`.
fn bits(mask: usize) -> Vec<usize> {
    (0..usize::BITS as usize)
        .filter(|bit| mask >> bit & 1 == 1)
        .collect()
}

/// The largest number of the given edges that may be used simultaneously.
fn rank(graph: &PortGraph, edges: &[usize]) -> usize {
    let mut best = 0;
    for mask in 0..1usize << edges.len() {
        let chosen: Vec<usize> = bits(mask).into_iter().map(|i| edges[i]).collect();
        if chosen.len() > best && is_allowed(graph, &chosen) {
            best = chosen.len();
        }
    }
    best
}

/// Theorem: the least period is the largest ratio of time to rank, over *all* sets of edges whatsoever.
///
/// "At least" is plain: no step does more than the rank of a set. "At most" follows from the odd sets: their ratios,
/// and those of vertices and edges, are among these. No structure of the problem is used.
fn naive_period(graph: &PortGraph, times: &[BigRational]) -> BigRational {
    let mut best = BigRational::zero();
    for mask in 1..1usize << times.len() {
        let edges = bits(mask);
        let load: BigRational = edges.iter().map(|&e| &times[e]).sum();
        if load.is_positive() {
            best = best.max(load / whole(rank(graph, &edges)));
        }
    }
    best
}

fn check_set(graph: &PortGraph, times: &[BigRational], period: &BigRational, set: &OddSet) {
    let members = set.members(graph);
    let capacity = usize::try_from(set.capacity(graph)).unwrap();
    let load: BigRational = members.iter().map(|&e| &times[e]).sum();
    assert!(
        load > period * whole(capacity),
        "a returned inequality is violated"
    );
    if members.len() <= 14 {
        assert!(
            rank(graph, &members) <= capacity,
            "a returned inequality holds for all allowed sets"
        );
    }
    assert!(set.vertices.is_sorted_by(|a, b| a < b) && set.edges.is_sorted_by(|a, b| a < b));
    for &e in &set.edges {
        let inside = graph.edges[e]
            .iter()
            .flatten()
            .filter(|v| set.vertices.contains(v))
            .count();
        assert_eq!(inside, 1, "edges of F leave U");
    }
}

/// The violation of a set's inequality.
fn excess(
    graph: &PortGraph,
    times: &[BigRational],
    period: &BigRational,
    set: &OddSet,
) -> BigRational {
    let load: BigRational = set.members(graph).iter().map(|&e| &times[e]).sum();
    load - period * whole(set.capacity(graph))
}

/// The most violated first, equal ones in ascending order, each once.
fn check_order(graph: &PortGraph, times: &[BigRational], period: &BigRational, sets: &[OddSet]) {
    let excess = |set: &OddSet| excess(graph, times, period, set);
    let in_order =
        |a: &OddSet, b: &OddSet| excess(a) > excess(b) || (excess(a) == excess(b) && a < b);
    assert!(
        sets.is_sorted_by(in_order),
        "{graph:?} {times:?} {period}: {sets:?}"
    );
}

fn check_decomposition(graph: &PortGraph, times: &[BigRational]) -> usize {
    let period = least_period(graph, times).unwrap();
    let steps = decompose(graph, times).unwrap().steps;
    let mut served = vec![BigRational::zero(); times.len()];
    let mut total = BigRational::zero();
    for step in &steps {
        assert!(step.length.is_positive() && is_allowed(graph, &step.edges));
        assert!(step.edges.is_sorted_by(|a, b| a < b));
        total += &step.length;
        for &e in &step.edges {
            served[e] += &step.length;
        }
    }
    assert_eq!(served, times);
    assert_eq!(total, period);
    steps.len()
}

fn check_all(graph: &PortGraph, times: &[BigRational]) {
    let period = least_period(graph, times).unwrap();
    assert_eq!(period, naive_period(graph, times), "{graph:?} {times:?}");
    assert_eq!(separate(graph, times, &period).unwrap(), []);
    check_decomposition(graph, times);
    // Below the least period, yet within all simple bounds, there must be a violated odd set.
    let simple = simple_period(graph, times);
    if simple < period {
        for shorter in [simple.clone(), (&simple + &period) / whole(2)] {
            let sets = separate(graph, times, &shorter).unwrap();
            assert!(!sets.is_empty());
            for set in &sets {
                check_set(graph, times, &shorter, set);
            }
            check_order(graph, times, &shorter, &sets);
        }
    }
}

fn simple_period(graph: &PortGraph, times: &[BigRational]) -> BigRational {
    let mut best = times
        .iter()
        .max()
        .cloned()
        .unwrap_or_else(BigRational::zero);
    for (v, &capacity) in graph
        .capacities
        .iter()
        .enumerate()
        .filter(|(_, capacity)| **capacity > 0)
    {
        let at = (0..times.len()).filter(|&e| graph.edges[e].contains(&Some(v)));
        best = best.max(at.map(|e| &times[e]).sum::<BigRational>() / whole(capacity));
    }
    best
}

fn graph(capacities: &[usize], edges: &[(usize, usize)]) -> PortGraph {
    PortGraph {
        capacities: capacities.to_vec(),
        edges: edges.iter().map(|&(a, b)| [Some(a), Some(b)]).collect(),
    }
}

#[test]
fn figure_2_of_papers_004_takes_five_quarters() {
    let triangle = graph(&[1; 3], &[(0, 1), (1, 2), (0, 2)]);
    let times = [ratio(3, 4), ratio(1, 4), ratio(1, 4)];
    assert_eq!(least_period(&triangle, &times).unwrap(), ratio(5, 4));
    assert_eq!(
        separate(&triangle, &times, &BigRational::one())
            .unwrap()
            .len(),
        1
    );
    assert_eq!(check_decomposition(&triangle, &times), 3);
}

#[test]
fn petersen_graph_takes_three_and_six_matchings() {
    // Fractional chromatic index 3 although it has no edge colouring with 3 colours: the six perfect matchings, half
    // each.
    let mut edges = Vec::new();
    for i in 0..5 {
        edges.extend([(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    }
    let petersen = graph(&[1; 10], &edges);
    let times = integers(&[1; 15]);
    assert_eq!(least_period(&petersen, &times).unwrap(), ratio(3, 1));
    assert_eq!(check_decomposition(&petersen, &times), 6);
}

/// The cycle over some vertices, with times that all are `most` but the last.
fn cycle(
    first: usize,
    length: usize,
    last: BigRational,
    most: &BigRational,
) -> (Vec<(usize, usize)>, Vec<BigRational>) {
    let edges = (0..length)
        .map(|i| (first + i, first + (i + 1) % length))
        .collect();
    let times = (1..length).map(|_| most.clone()).chain([last]).collect();
    (edges, times)
}

#[test]
fn the_most_violated_odd_set_comes_first() {
    // Within 5, cycles of 7, 5 and 3 vertices serve 3, 2 and 1 edges at a time. All vertices could just be served. The
    // loads are 31/2, 11 and 7, so they exceed the served loads by 1/2, 1 and 2. Not every violated set is returned.
    let most = ratio(5, 2);
    let cycles = [
        (0, 7, ratio(1, 2)),
        (7, 5, ratio(1, 1)),
        (12, 3, ratio(2, 1)),
    ];
    let (mut edges, mut times) = (Vec::new(), Vec::new());
    for (first, length, last) in cycles {
        let (more, of) = cycle(first, length, last, &most);
        edges.extend(more);
        times.extend(of);
    }
    let cycles = graph(&[1; 15], &edges);
    let sets = separate(&cycles, &times, &ratio(5, 1)).unwrap();
    check_order(&cycles, &times, &ratio(5, 1), &sets);
    let single = sets
        .iter()
        .filter(|set| [3, 5, 7].contains(&set.vertices.len()));
    let found: Vec<(usize, BigRational)> = single
        .map(|set| (set.vertices[0], excess(&cycles, &times, &ratio(5, 1), set)))
        .collect();
    assert_eq!(found[..2], [(12, ratio(2, 1)), (7, ratio(1, 1))]);
    assert_eq!(least_period(&cycles, &times).unwrap(), ratio(7, 1));
}

#[test]
fn links_between_vertices_of_two_ports_are_exclusive() {
    // Three vertices of capacity 2, a triangle: all links at a time, so only the links count.
    let triangle = graph(&[2; 3], &[(0, 1), (1, 2), (0, 2)]);
    assert_eq!(
        least_period(&triangle, &integers(&[5, 3, 1])).unwrap(),
        ratio(5, 1)
    );
    // Complete graph on 5 vertices of capacity 3: at most 7 of 10 links at a time.
    let edges: Vec<(usize, usize)> = (0..5).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let five = graph(&[3; 5], &edges);
    assert_eq!(
        least_period(&five, &integers(&[7; 10])).unwrap(),
        ratio(10, 1)
    );
    check_decomposition(&five, &integers(&[7; 10]));
    // U = {0}, F = three links: one port and a half.
    let set = OddSet {
        vertices: vec![0],
        edges: vec![0, 1],
    };
    assert_eq!(set.capacity(&five), 2u32.into());
}

/// Two vertices of capacity 1 and one of capacity `p`, each pair linked, and `p - 1` further links of the last to
/// others of its kind: `2 p + 1` units, so `p` edges at a time. Each further link counts, at every position in the
/// list.
#[test]
fn further_links_complete_an_odd_set() {
    for round in 0..36 {
        let p = 2 + round % 3;
        let turned =
            |index: usize, count: usize| (index * (1 + round % 2 * (count - 2)) + round) % count;
        let vertices = p + 2;
        let mut edges = vec![(0, 1, 6), (0, 2, 6), (1, 2, 6)];
        edges.extend((3..vertices).map(|other| (2, other, 12)));
        let count = edges.len();
        let order: Vec<usize> = (0..count).map(|index| turned(index, count)).collect();
        let edges: Vec<(usize, usize, i64)> = order.iter().map(|&index| edges[index]).collect();
        let mut capacities = vec![p; vertices];
        for v in [0, 1] {
            capacities[turned(v, vertices)] = 1;
        }
        let ends: Vec<(usize, usize)> = edges
            .iter()
            .map(|&(a, b, _)| (turned(a, vertices), turned(b, vertices)))
            .collect();
        let graph = graph(&capacities, &ends);
        let times = integers(&edges.iter().map(|edge| edge.2).collect::<Vec<i64>>());
        // 18 and 12 for each further link, in p at a time.
        let period = ratio(18 + 12 * (p as i64 - 1), p as i64);
        assert_eq!(least_period(&graph, &times).unwrap(), period, "{graph:?}");
        assert_eq!(period, naive_period(&graph, &times));
        let sets = separate(&graph, &times, &(&period * ratio(99, 100))).unwrap();
        assert!(
            sets.iter()
                .any(|set| set.vertices.len() == 3 && set.edges.len() == p - 1),
            "{sets:?}"
        );
        check_decomposition(&graph, &times);
    }
}

#[test]
fn without_limits_the_longest_edge_counts() {
    let free = PortGraph {
        capacities: vec![],
        edges: vec![[None; 2]; 3],
    };
    let steps = decompose(&free, &integers(&[3, 0, 5])).unwrap().steps;
    assert_eq!(
        steps.iter().map(|step| &step.length).sum::<BigRational>(),
        ratio(5, 1)
    );
    check_decomposition(&free, &integers(&[3, 0, 5]));
    assert_eq!(decompose(&free, &integers(&[0, 0, 0])).unwrap().steps, []);
    assert_eq!(decompose(&PortGraph::default(), &[]).unwrap().steps, []);
}

#[test]
fn refusals_name_the_culprit() {
    let pair = graph(&[1, 1], &[(0, 1)]);
    assert_eq!(
        least_period(&pair, &[]),
        Err(MatchingError::TimesCount { times: 0, edges: 1 })
    );
    let refusal = |graph: &PortGraph, time| decompose(graph, &[time]).unwrap_err();
    assert!(matches!(
        refusal(&pair, ratio(-1, 1)),
        MatchingError::BadTime { edge: Some(0), .. }
    ));
    let zero = BigRational::new_raw(1.into(), 0.into());
    assert!(matches!(
        refusal(&pair, zero),
        MatchingError::BadTime { edge: Some(0), .. }
    ));
    let one = ratio(1, 1);
    assert_eq!(
        refusal(&graph(&[1], &[(0, 0)]), one.clone()),
        MatchingError::Loop { edge: 0, vertex: 0 }
    );
    assert_eq!(
        refusal(&graph(&[1], &[(0, 1)]), one.clone()),
        MatchingError::EndOutOfRange {
            edge: 0,
            end: 1,
            count: 1
        }
    );
    assert_eq!(
        refusal(&graph(&[1, 0], &[(0, 1)]), one.clone()),
        MatchingError::ZeroCapacity { edge: 0, vertex: 1 }
    );
    assert!(matches!(
        separate(&pair, &[one], &ratio(-1, 2)),
        Err(MatchingError::BadTime { edge: None, .. })
    ));
}

#[test]
fn every_graph_on_at_most_five_vertices() {
    // All edge sets of the complete graph on five vertices, with times that differ from graph to graph.
    let pairs: Vec<(usize, usize)> = (0..5).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    for mask in 0..1usize << pairs.len() {
        let chosen: Vec<(usize, usize)> = bits(mask).into_iter().map(|i| pairs[i]).collect();
        if chosen.len() > 8 {
            continue;
        }
        let times: Vec<i64> = (0..chosen.len())
            .map(|i| [1, 1, 2, 1, 3][(mask * 7 + i * i) % 5])
            .collect();
        check_all(&graph(&[1; 5], &chosen), &integers(&times));
    }
}

/// A graph with up to `vertices` vertices and `edges` edges, and times.
fn instance(
    vertices: std::ops::Range<usize>,
    edges: std::ops::Range<usize>,
    capacity: usize,
    largest: i64,
) -> impl Strategy<Value = (PortGraph, Vec<BigRational>)> {
    vertices.prop_flat_map(move |n| {
        let end = move || prop_oneof![12 => (0..n).prop_map(Some), 1 => Just(None)];
        let ends = (end(), end()).prop_map(|(a, b)| {
            if a == b && a.is_some() {
                [a, None]
            } else {
                [a, b]
            }
        });
        let edge = (ends, prop_oneof![1 => Just(0), 9 => 1..=largest], 1i64..4);
        let capacities = prop::collection::vec(1..=capacity, n);
        (capacities, prop::collection::vec(edge, edges.clone())).prop_map(|(capacities, list)| {
            let times = list.iter().map(|&(_, p, q)| ratio(p, q)).collect();
            (
                PortGraph {
                    capacities,
                    edges: list.into_iter().map(|(ends, _, _)| ends).collect(),
                },
                times,
            )
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn small_graphs_agree_with_the_twin((graph, times) in instance(3..7, 1..10, 1, 4)) {
        check_all(&graph, &times);
    }

    #[test]
    fn small_multiport_graphs_agree_with_the_twin((graph, times) in instance(2..6, 1..10, 3, 4)) {
        check_all(&graph, &times);
    }

    #[test]
    fn larger_graphs_are_decomposed((graph, times) in instance(4..16, 10..50, 1, 1_000_000)) {
        check_decomposition(&graph, &times);
        let period = simple_period(&graph, &times);
        let sets = separate(&graph, &times, &period).unwrap();
        for set in &sets {
            check_set(&graph, &times, &period, set);
        }
        check_order(&graph, &times, &period, &sets);
    }

    #[test]
    fn larger_multiport_graphs_are_decomposed((graph, times) in instance(4..10, 10..30, 4, 1000)) {
        check_decomposition(&graph, &times);
    }
}
