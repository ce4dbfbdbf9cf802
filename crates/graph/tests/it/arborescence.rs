//! Spanning arborescences against every choice of entering arcs, and their proofs against tampering.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_graph::arborescence::{
    Arborescence, ArborescenceFault, arborescence, shallow_arborescence,
};
use proptest::prelude::*;

type Arcs = Vec<(usize, usize, u64)>;

/// The least cost over all choices of one entering arc per node that reach every node.
fn brute(nodes: usize, root: usize, arcs: &Arcs) -> Option<u64> {
    let mut parents = vec![usize::MAX; nodes];
    fn choose(
        node: usize,
        root: usize,
        arcs: &Arcs,
        parents: &mut Vec<usize>,
        cost: u64,
        best: &mut Option<u64>,
    ) {
        let nodes = parents.len();
        if node == nodes {
            let reaches = |start: usize| {
                let mut at = start;
                for _ in 0..nodes {
                    if at == root {
                        return true;
                    }
                    at = parents[at];
                }
                at == root
            };
            if (0..nodes).all(reaches) {
                *best = Some(best.map_or(cost, |best| best.min(cost)));
            }
        } else if node == root {
            choose(node + 1, root, arcs, parents, cost, best);
        } else {
            for &(tail, head, price) in arcs {
                if head == node && tail != head {
                    parents[node] = tail;
                    choose(node + 1, root, arcs, parents, cost + price, best);
                }
            }
        }
    }
    let mut best = None;
    choose(0, root, arcs, &mut parents, 0, &mut best);
    best
}

fn graph(most: usize, arcs: usize, price: u64) -> impl Strategy<Value = (usize, usize, Arcs)> {
    (1..=most).prop_flat_map(move |nodes| {
        let arc = (0..nodes, 0..nodes, 0..=price);
        (Just(nodes), 0..nodes, prop::collection::vec(arc, 0..=arcs))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(375))]

    #[test]
    fn least_of_all_choices((nodes, root, arcs) in graph(6, 14, 6)) {
        let found = arborescence(nodes, root, &arcs);
        prop_assert_eq!(found.as_ref().map(|found| found.cost), brute(nodes, root, &arcs));
        if let Some(found) = found {
            prop_assert_eq!(found.check(root, &arcs), Ok(()));
        }
    }

    #[test]
    fn machine_and_big_integers_agree((nodes, root, arcs) in graph(60, 250, 1000)) {
        let big: Vec<_> = arcs.iter().map(|&(tail, head, cost)| (tail, head, BigUint::from(cost))).collect();
        let (small, large) = (arborescence(nodes, root, &arcs), arborescence(nodes, root, &big));
        prop_assert_eq!(small.as_ref().map(|found| &found.entering), large.as_ref().map(|found| &found.entering));
        if let (Some(small), Some(large)) = (small, large) {
            prop_assert_eq!(small.check(root, &arcs), Ok(()));
            prop_assert_eq!(large.check(root, &big), Ok(()));
        }
    }

    /// A proof of a cost is a proof: every change of a weight, an arc or a cost is found.
    #[test]
    fn tampering_is_found((nodes, root, arcs) in graph(8, 40, 9), position in any::<prop::sample::Index>()) {
        let Some(found) = arborescence(nodes, root, &arcs) else { return Ok(()) };
        let mut heavier = found.clone();
        let set = position.index(heavier.dual.weights.len());
        heavier.dual.weights[set] += 1;
        prop_assert!(heavier.check(root, &arcs).is_err());
        // Declaring the cost to be the heavier sum does not help.
        heavier.cost += 1;
        prop_assert!(heavier.check(root, &arcs).is_err());
        let mut fewer = found.clone();
        let node = position.index(nodes);
        fewer.entering[node] = if node == root { Some(0) } else { None };
        prop_assert!(fewer.check(root, &arcs).is_err());
        // An arc below the charge of the sets it enters.
        if let Some(arc) = found.entering.iter().flatten().copied().find(|&arc| arcs[arc].2 > 0) {
            let mut cheaper = arcs.clone();
            cheaper[arc].2 -= 1;
            prop_assert_eq!(found.check(root, &cheaper), Err(ArborescenceFault::Overcharged { arc }));
        }
    }
}

/// Every arborescence: its cost and the distances of the nodes, in which arcs count `hops`.
fn all(nodes: usize, root: usize, arcs: &Arcs, hops: &[u32]) -> Vec<(u64, Vec<u32>)> {
    let arcs_into = |node: usize| {
        arcs.iter()
            .enumerate()
            .filter(move |(_, arc)| arc.1 == node && arc.0 != node)
    };
    let mut choices: Vec<Vec<Option<usize>>> = vec![Vec::new()];
    for node in 0..nodes {
        let entering: Vec<Option<usize>> = if node == root {
            vec![None]
        } else {
            arcs_into(node).map(|(arc, _)| Some(arc)).collect()
        };
        let longer = |choice: &Vec<Option<usize>>| -> Vec<_> {
            entering
                .iter()
                .map(|&arc| choice.iter().copied().chain([arc]).collect())
                .collect()
        };
        choices = choices.iter().flat_map(longer).collect();
    }
    let known = |choice: Vec<Option<usize>>| {
        let far = |node: usize| {
            let parent = |&node: &usize| choice[node].map(|arc| arcs[arc].0);
            let path: Vec<usize> = std::iter::successors(Some(node), parent)
                .take(nodes + 1)
                .collect();
            let count = || {
                path.iter()
                    .filter_map(|&node| choice[node])
                    .map(|arc| hops[arc])
                    .sum()
            };
            (path.len() <= nodes).then(count)
        };
        let far: Vec<u32> = (0..nodes).map(far).collect::<Option<_>>()?;
        Some((choice.iter().flatten().map(|&arc| arcs[arc].2).sum(), far))
    };
    choices.into_iter().filter_map(known).collect()
}

fn shallow_case() -> impl Strategy<Value = (usize, Arcs, Vec<u32>)> {
    (2..=6usize).prop_flat_map(|nodes| {
        let arc = (0..nodes, 0..nodes, 0..=3u64);
        (
            Just(nodes),
            prop::collection::vec(arc, 0..=13),
            prop::collection::vec(1..=3u32, 13),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(375))]

    /// The cost is unchanged and the depth no larger. If only single nodes have weights, no arborescence of that cost
    /// has any node nearer to the root.
    #[test]
    fn shallow_ones_among_all((nodes, arcs, hops) in shallow_case()) {
        let Some(before) = arborescence(nodes, 0, &arcs) else { return Ok(()) };
        let found = shallow_arborescence(nodes, 0, &arcs, |arc| hops[arc]).unwrap();
        prop_assert_eq!(found.check(0, &arcs), Ok(()));
        let far = |tree: &Arborescence<u64>| -> Vec<u32> {
            let parent = |&node: &usize| tree.entering[node].map(|arc| arcs[arc].0);
            let path = |node: usize| std::iter::successors(Some(node), parent).filter_map(|node| tree.entering[node]);
            (0..nodes).map(|node| path(node).map(|arc| hops[arc]).sum()).collect()
        };
        let own = far(&found);
        prop_assert!(own.iter().max() <= far(&before).iter().max());
        let single = found.dual.weights[nodes..].iter().all(Zero::is_zero);
        let all = all(nodes, 0, &arcs, &hops);
        let cheapest = || all.iter().filter(|(cost, _)| *cost == found.cost);
        prop_assert!(cheapest().any(|(_, far)| *far == own));
        for (_, far) in cheapest().filter(|_| single) {
            prop_assert!(own.iter().zip(far).all(|(own, far)| own <= far), "{own:?} {far:?}");
        }
    }
}

/// Eight nodes, all arcs of the same cost: a star and not a chain.
#[test]
fn a_star_and_no_chain() {
    let pairs = (0..8)
        .flat_map(|tail| (0..8).map(move |head| (tail, head, 1u64)))
        .filter(|(tail, head, _)| tail != head);
    let arcs: Arcs = pairs.collect();
    let found = shallow_arborescence(8, 3, &arcs, |_| 2).unwrap();
    assert!(found.entering.iter().flatten().all(|&arc| arcs[arc].0 == 3));
    assert_eq!((found.cost, found.check(3, &arcs)), (7, Ok(())));
}

/// Two nested cycles far from the root: each contraction is charged once.
#[test]
fn nested_cycles() {
    let arcs = vec![
        (1, 2, 1),
        (2, 1, 1),
        (3, 2, 5),
        (1, 3, 2),
        (0, 3, 100),
        (0, 1, 104u64),
    ];
    let found = arborescence(4, 0, &arcs).unwrap();
    assert_eq!(found.cost, 106); // 0 -> 3 -> 2 -> 1
    assert_eq!(found.entering, [None, Some(1), Some(2), Some(4)]);
    assert_eq!(found.check(0, &arcs), Ok(()));
    let sets = found.dual.within.len();
    assert!(sets > 5, "{{1, 2}} and {{1, 2, 3}} are sets of their own");
}

#[test]
fn borders() {
    let none: &[(usize, usize, u64)] = &[];
    assert_eq!(arborescence(0, 0, none), None);
    assert_eq!(arborescence(2, 0, none), None);
    assert_eq!(arborescence(2, 5, &[(0, 1, 1u64)]), None);
    // Loops and nodes that do not exist are ignored.
    let odd = vec![(0, 0, 1u64), (1, 1, 0), (7, 1, 0), (0, 9, 0), (0, 1, 3)];
    let found = arborescence(2, 0, &odd).unwrap();
    assert_eq!((found.cost, found.check(0, &odd)), (3, Ok(())));
    let single = arborescence(1, 0, none).unwrap();
    assert!(single.cost.is_zero() && single.entering == [None]);
}

#[test]
fn the_checker_refuses_nonsense() {
    let arcs = vec![(0, 1, 4u64), (1, 2, 1), (2, 1, 1), (0, 2, 9)];
    let found = arborescence(3, 0, &arcs).unwrap();
    let change = |change: &dyn Fn(&mut Arborescence<u64>)| {
        let mut other = found.clone();
        change(&mut other);
        other.check(0, &arcs)
    };
    assert_eq!(change(&|_| {}), Ok(()));
    assert_eq!(
        change(&|it| it.entering = vec![None, Some(2), Some(1)]),
        Err(ArborescenceFault::NotReached { node: 1 })
    );
    assert_eq!(
        change(&|it| it.entering[1] = Some(1)),
        Err(ArborescenceFault::NotEntered { node: 1 })
    );
    assert_eq!(
        change(&|it| it.entering[1] = Some(77)),
        Err(ArborescenceFault::NotEntered { node: 1 })
    );
    assert_eq!(
        change(&|it| it.dual.within[1] = Some(0)),
        Err(ArborescenceFault::BadSet { set: 1 })
    );
    assert_eq!(
        change(&|it| it.dual.within[1] = Some(2)),
        Err(ArborescenceFault::BadSet { set: 1 })
    );
    assert_eq!(
        change(&|it| it.dual.within[1] = Some(99)),
        Err(ArborescenceFault::BadSet { set: 1 })
    );
    assert_eq!(
        change(&|it| it.dual.weights[0] = 1),
        Err(ArborescenceFault::BadSet { set: 0 })
    );
    assert!(change(&|it| it.dual.weights.clear()).is_err());
    assert_eq!(change(&|it| it.cost = 6), Err(ArborescenceFault::NotEqual));
    // The dual of another problem, and one with a bound that is too low.
    assert_eq!(
        change(&|it| it.dual.weights.fill(0)),
        Err(ArborescenceFault::NotEqual)
    );
}
