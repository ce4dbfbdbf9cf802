//! Steiner arborescences against the enumeration of all subsets of the optional nodes, and their proofs by arithmetic.

use oneport_graph::arborescence::arborescence;
use oneport_graph::steiner::{self, Effort, Steiner, heuristic};
use oneport_numbers::Exact;
use oneport_numbers::Rational;
use oneport_testkit::Dice;
use oneport_testkit::ratio;
use oneport_watch::Watch;
use proptest::prelude::*;

type Arcs<N> = Vec<(usize, usize, N)>;

/// With its proof, after at most `budget` subproblems.
fn steiner<N: Exact>(
    nodes: usize,
    root: usize,
    required: &[usize],
    arcs: &[(usize, usize, N)],
    budget: usize,
) -> Option<Steiner<N>> {
    let effort = Effort {
        budget: Some(budget),
        cuts: true,
        watch: &Watch::unlimited(),
    };
    steiner::steiner(nodes, root, required, arcs, effort)
}

/// The cheapest spanning arborescence over the required nodes and any others.
fn brute_force(nodes: usize, root: usize, required: &[usize], arcs: &Arcs<u64>) -> Option<u64> {
    if required.iter().any(|&node| node >= nodes) {
        return None;
    }
    let mut best: Option<u64> = None;
    for set in 0..1usize << nodes {
        let inside = |node: usize| node < nodes && set >> node & 1 == 1;
        if !inside(root) || !required.iter().all(|&node| inside(node)) {
            continue;
        }
        let index = |node: usize| (0..node).filter(|&other| inside(other)).count();
        let inner = arcs
            .iter()
            .filter(|(tail, head, _)| inside(*tail) && inside(*head));
        let inner: Arcs<u64> = inner
            .map(|&(tail, head, cost)| (index(tail), index(head), cost))
            .collect();
        if let Some(found) = arborescence(set.count_ones() as usize, index(root), &inner) {
            best = Some(best.map_or(found.cost, |best| best.min(found.cost)));
        }
    }
    best
}

fn sum<'a, N: Exact + 'a>(terms: impl Iterator<Item = &'a N>) -> N {
    terms.fold(N::zero(), |mut total, term| {
        total += term;
        total
    })
}

/// All documented properties of a result.
fn check<N: Exact + std::fmt::Debug>(
    found: &Steiner<N>,
    nodes: usize,
    root: usize,
    required: &[usize],
    arcs: &Arcs<N>,
) -> Result<(), TestCaseError> {
    let mut reached = vec![false; nodes];
    let mut leaf = vec![false; nodes];
    reached[root] = true;
    for &arc in &found.arcs {
        let (tail, head, _) = arcs[arc];
        prop_assert!(reached[tail], "the tail of arc {} comes later", arc);
        prop_assert!(!reached[head], "node {} is entered twice", head);
        reached[head] = true;
        leaf[head] = true;
        leaf[tail] = false;
    }
    prop_assert!(required.iter().all(|&node| reached[node]));
    prop_assert!((0..nodes).all(|node| !leaf[node] || required.contains(&node)));
    prop_assert_eq!(
        &sum(found.arcs.iter().map(|&arc| &arcs[arc].2)),
        &found.cost
    );
    prop_assert!(found.at_least <= found.cost);

    prop_assert!(sum(found.cuts.iter().map(|(_, weight)| weight)) <= found.at_least);
    for (set, weight) in &found.cuts {
        prop_assert!(*weight > N::zero());
        prop_assert!(
            set.is_sorted() && !set.contains(&root) && set.iter().all(|&node| node < nodes)
        );
        prop_assert!(set.iter().any(|node| required.contains(node)));
    }
    for (tail, head, cost) in arcs
        .iter()
        .filter(|(tail, head, _)| *tail < nodes && *head < nodes)
    {
        let entered = found
            .cuts
            .iter()
            .filter(|(set, _)| set.contains(head) && !set.contains(tail));
        prop_assert!(sum(entered.map(|(_, weight)| weight)) <= *cost);
    }
    Ok(())
}

/// Distance of the farthest node of a tree.
fn depth(found: &Steiner<u64>, arcs: &Arcs<u64>, hops: impl Fn(usize) -> u32) -> u32 {
    let mut far = vec![0; 16];
    for &arc in found.arcs.iter() {
        far[arcs[arc].1] = far[arcs[arc].0] + hops(arc);
    }
    far.into_iter().max().unwrap_or(0)
}

/// A tree over the same nodes: at most the cost, at most the depth if the cost is equal, and all documented properties
/// still hold.
fn is_shallow(
    found: &Steiner<u64>,
    nodes: usize,
    root: usize,
    required: &[usize],
    arcs: &Arcs<u64>,
) -> Result<(), TestCaseError> {
    let hops = |arc: usize| 1 + arc as u32 % 3;
    let shallow = found.clone().shallow(root, required, arcs, hops);
    check(&shallow, nodes, root, required, arcs)?;
    prop_assert!(shallow.cost <= found.cost);
    let (before, after) = (depth(found, arcs, hops), depth(&shallow, arcs, hops));
    prop_assert!(after <= before || shallow.cost < found.cost);
    // A second call changes nothing: the tree is over fewer nodes or the same.
    let again = shallow.clone().shallow(root, required, arcs, hops);
    prop_assert!((again.cost, depth(&again, arcs, hops)) <= (shallow.cost, after));
    Ok(())
}

fn agrees(
    nodes: usize,
    root: usize,
    required: &[usize],
    arcs: &Arcs<u64>,
) -> Result<(), TestCaseError> {
    let best = brute_force(nodes, root, required, arcs);
    let found = steiner(nodes, root, required, arcs, 1000);
    prop_assert_eq!(found.as_ref().map(|found| found.cost), best);
    if let Some(found) = &found {
        prop_assert_eq!(found.at_least, found.cost);
        check(found, nodes, root, required, arcs)?;
        is_shallow(found, nodes, root, required, arcs)?;
    }
    let quick = heuristic(nodes, root, required, arcs);
    // The trees and bounds are the same without the sets that prove them.
    for (proved, budget) in [(&found, Some(1000)), (&quick, None)] {
        let found = steiner::steiner(
            nodes,
            root,
            required,
            arcs,
            Effort {
                budget,
                cuts: false,
                watch: &Watch::unlimited(),
            },
        );
        prop_assert_eq!(
            found,
            proved.clone().map(|proved| Steiner {
                cuts: Vec::new(),
                ..proved
            })
        );
    }
    prop_assert_eq!(quick.is_some(), best.is_some());
    if let (Some(quick), Some(best)) = (quick, best) {
        prop_assert!(quick.at_least <= best && best <= quick.cost);
        check(&quick, nodes, root, required, arcs)?;
        is_shallow(&quick, nodes, root, required, arcs)?;
    }
    Ok(())
}

/// A chain of five nodes and a star cost the same. The chain is the input.
#[test]
fn a_star_and_no_chain() {
    let mut arcs: Arcs<u64> = (0..4).map(|node| (node, node + 1, 1)).collect();
    arcs.extend((2..5).map(|node| (0, node, 1)));
    let chain = Steiner {
        arcs: vec![0, 1, 2, 3],
        cost: 4,
        at_least: 4,
        cuts: Vec::new(),
    };
    let star = chain.shallow(0, &[1, 2, 3, 4], &arcs, |_| 1);
    assert_eq!((depth(&star, &arcs, |_| 1), star.cost), (1, 4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Sparse graphs with few different costs: ties, free arcs, unconnected nodes, loops, nodes that do not exist.
    #[test]
    fn ties(
        nodes in 1..9usize,
        arcs in prop::collection::vec((0..10usize, 0..9usize, 0..4u64), 0..30),
        required in prop::collection::vec(0..8usize, 0..6),
        root in 0..3usize,
    ) {
        let required: Vec<usize> = required.into_iter().map(|node| node % nodes).collect();
        agrees(nodes, root % nodes, &required, &arcs)?;
    }

    #[test]
    fn costs(
        arcs in prop::collection::vec((0..9usize, 0..9usize, 1..100u64), 15..40),
        required in prop::collection::vec(1..9usize, 3..6),
    ) {
        agrees(9, 0, &required, &arcs)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(125))]

    /// More required nodes than the search over subsets accepts.
    #[test]
    fn many(
        arcs in prop::collection::vec((0..14usize, 1..14usize, 0..12u64), 40..80),
        required in prop::sample::subsequence((1..14).collect::<Vec<usize>>(), 9..12),
    ) {
        agrees(14, 0, &required, &arcs)?;
    }

    /// Rationals: the same problem in other units.
    #[test]
    fn rationals(
        nodes in 2..9usize,
        arcs in prop::collection::vec((0..9usize, 0..9usize, 0..20u64), 0..30),
        required in prop::collection::vec(0..8usize, 1..6),
    ) {
        let required: Vec<usize> = required.into_iter().map(|node| node % nodes).collect();
        let unit = |units: u64| ratio(units, 7);
        let parts: Arcs<Rational> = arcs.iter().map(|&(tail, head, cost)| (tail, head, unit(cost))).collect();
        let whole = steiner(nodes, 0, &required, &arcs, 1000);
        let part = steiner(nodes, 0, &required, &parts, 1000);
        prop_assert_eq!(whole.as_ref().map(|found| unit(found.cost)), part.as_ref().map(|found| found.cost.clone()));
        prop_assert_eq!(whole.map(|found| found.arcs), part.as_ref().map(|found| found.arcs.clone()));
        if let Some(part) = part {
            check(&part, nodes, 0, &required, &parts)?;
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Many ties: most subproblems end because no tree in them is cheaper, not because none exists.
    #[test]
    fn plateaus(seed in any::<u64>(), price in 2..10_u64) {
        let mut dice = Dice::new(seed);
        let mut arcs = Vec::new();
        for node in 1..80 {
            let up = dice.below(node);
            link(&mut arcs, up, node, price, &mut dice);
        }
        for _ in 0..60 {
            let (one, other) = (dice.below(80), dice.below(80));
            link(&mut arcs, one, other, price, &mut dice);
        }
        let required: Vec<usize> = (1..80).filter(|_| dice.below(3) == 0).collect();
        let found = steiner(80, 0, &required, &arcs, 300).unwrap();
        check(&found, 80, 0, &required, &arcs)?;
    }

    /// The interval that a budget leaves open contains the optimum.
    #[test]
    fn budgets(seed in any::<u64>(), ties in any::<bool>()) {
        let (nodes, arcs) = grid(8, seed, if ties { 4 } else { 1000 });
        let required: Vec<usize> = (1..nodes).filter(|node| node * 7 % 16 < 4).collect();
        let best = steiner(nodes, 0, &required, &arcs, 100_000).unwrap();
        prop_assert_eq!(best.at_least, best.cost);
        check(&best, nodes, 0, &required, &arcs)?;
        for budget in [0, 1, 3, 10] {
            let found = steiner(nodes, 0, &required, &arcs, budget).unwrap();
            check(&found, nodes, 0, &required, &arcs)?;
            prop_assert!(found.at_least <= best.cost && best.cost <= found.cost);
        }
        let quick = heuristic(nodes, 0, &required, &arcs).unwrap();
        check(&quick, nodes, 0, &required, &arcs)?;
        prop_assert!(quick.at_least <= best.cost && best.cost <= quick.cost);
    }
}

/// Local networks on a ring of routers with a few chords: solved, and the weights alone are hardly less.
#[test]
fn tiers() {
    let (mut weights, mut costs, mut met) = (0, 0, 0);
    for seed in 0..60 {
        let (arcs, required) = networks(&mut Dice::new(seed));
        let found = steiner(98, 0, &required, &arcs, 1000).unwrap();
        check(&found, 98, 0, &required, &arcs).unwrap();
        assert_eq!(found.at_least, found.cost);
        let weight: u64 = sum(found.cuts.iter().map(|(_, weight)| weight));
        met += usize::from(weight == found.cost);
        (weights, costs) = (weights + weight, costs + found.cost);
    }
    assert!(weights * 200 >= costs * 199, "{weights} {costs}");
    assert!(met * 3 >= 60 * 2, "{met}");
}

/// Both directions, with a cost each.
fn link(arcs: &mut Arcs<u64>, one: usize, other: usize, price: u64, dice: &mut Dice) {
    arcs.push((one, other, 1 + dice.below(price)));
    arcs.push((other, one, 1 + dice.below(price)));
}

fn grid(width: usize, seed: u64, price: u64) -> (usize, Arcs<u64>) {
    let mut dice = Dice::new(seed);
    let mut arcs = Vec::new();
    for node in 0..width * width {
        if (node + 1) % width > 0 {
            link(&mut arcs, node, node + 1, price, &mut dice);
        }
        if node + width < width * width {
            link(&mut arcs, node, node + width, price, &mut dice);
        }
    }
    (width * width, arcs)
}

/// Nodes 0..10 a ring with chords, 10..34 in groups of four hung on it twice each, 34..98 leaves.
fn networks(dice: &mut Dice) -> (Arcs<u64>, Vec<usize>) {
    let mut arcs = Vec::new();
    for node in 0..10 {
        link(&mut arcs, node, (node + 1) % 10, 100, dice);
        link(&mut arcs, node, (node + 2 + node % 3) % 10, 100, dice);
    }
    for group in (10..34).step_by(4) {
        for node in group + 1..group + 4 {
            let up = group + dice.below(node - group);
            link(&mut arcs, up, node, 30, dice);
        }
        for node in [group, group + 2] {
            let up = dice.below(10);
            link(&mut arcs, up, node, 100, dice);
        }
    }
    for leaf in 34..98 {
        let up = 10 + dice.below(24);
        link(&mut arcs, up, leaf, 10, dice);
    }
    (arcs, (34..98).collect())
}

#[test]
fn degenerate() {
    let arcs = vec![(0, 1, 3u64), (1, 2, 4)];
    assert_eq!(steiner(3, 3, &[], &arcs, 10), None);
    assert_eq!(steiner(0, 0, &[], &arcs, 10), None);
    assert_eq!(steiner(3, 0, &[5], &arcs, 10), None);
    assert_eq!(steiner(3, 2, &[0], &arcs, 10), None);
    let nothing = Steiner {
        arcs: vec![],
        cost: 0,
        at_least: 0,
        cuts: vec![],
    };
    assert_eq!(steiner(3, 0, &[], &arcs, 10), Some(nothing.clone()));
    assert_eq!(steiner(3, 0, &[0, 0], &arcs, 10), Some(nothing));
    assert_eq!(
        steiner(3, 0, &[2, 2], &arcs, 10).map(|found| (found.arcs, found.cost)),
        Some((vec![0, 1], 7))
    );
}
