//! Any root without loss, and the neighbours of one processor without the tree.

use oneport_homogeneous::reference::listing;
use oneport_homogeneous::{
    Concurrency, EqualCosts, Error, Extent, Reduce, Within, delivered, extent, neighbours_at,
    reduce_around, reduce_at, values_within,
};
use oneport_platform::Rational;

use crate::common::{PAIRS, costs, greedy, judge, whole};

/// Senders and receivers in a schedule, by the dates of merging.
fn children(reduction: &oneport_homogeneous::Reduction) -> Vec<Vec<u64>> {
    let merges = reduction.merges.as_ref().unwrap();
    let mut children = vec![Vec::new(); reduction.receivers.len()];
    for (child, &receiver) in reduction.receivers.iter().enumerate() {
        if child != reduction.root as usize {
            children[receiver as usize].push(child as u64);
        }
    }
    for (parent, list) in children.iter_mut().enumerate() {
        list.sort_by_key(|&child| {
            (
                merges.get(child as usize).unwrap(),
                reduction.starts.get(child as usize),
                child.abs_diff(parent as u64),
            )
        });
    }
    children
}

/// Every root under a limit: as short as the shortest schedule under that limit, the operands in order by the
/// definition of the model.
#[test]
fn every_root_under_a_limit() {
    for pair in PAIRS {
        for values in [1, 2, 3, 4, 5, 7, 8, 12, 17, 20] {
            for most in 1..=6 {
                for limit in [Concurrency::Transfers(most), Concurrency::Reducers(most)] {
                    let best = Reduce::of(values, &costs(pair)).limit(limit).length();
                    for root in 0..values {
                        let (found, keeps) =
                            reduce_around(values, root, &costs(pair), limit).unwrap();
                        assert_eq!(u64::from(found.root), root);
                        assert_eq!(Ok(&found.length), best.as_ref());
                        let merge = (whole(pair.0), whole(pair.1));
                        judge(&found, merge, limit);
                        assert!(keeps, "{pair:?}, {values}, {root}, {limit:?}");
                    }
                }
            }
        }
    }
    let refused = reduce_around(3, 3, &costs((1, 1)), Concurrency::Transfers(1));
    assert!(matches!(
        refused,
        Err(Error::NoProcessor { processor: 3, .. })
    ));
}

/// Every root: the length of the shortest schedule of all, the operands in order by the definition of the model, and
/// every processor's neighbours those of the tree.
#[test]
fn every_root_is_as_good_as_any() {
    for pair in PAIRS {
        let own = costs(pair);
        for values in (1..=25).chain([40, 63]) {
            for root in 0..values {
                let reduction = reduce_at(values, root, &own).unwrap();
                let merge = (whole(pair.0), whole(pair.1));
                judge(&reduction, merge, Concurrency::Unlimited);
                assert_eq!(u64::from(reduction.root), root);
                assert_eq!(
                    reduction.length,
                    whole(greedy(values, pair, Concurrency::Unlimited)),
                    "{pair:?} {values} {root}"
                );
                let of = children(&reduction);
                for rank in 0..values {
                    let found = neighbours_at(values, root, rank, &own).unwrap();
                    let receiver = u64::from(reduction.receivers[rank as usize]);
                    assert_eq!(found.receiver, (rank != root).then_some(receiver));
                    // Transfers of no time may be merged in either order of the sides.
                    let (mut list, mut right) = (found.children.clone(), of[rank as usize].clone());
                    if pair == (0, 0) {
                        list.sort_unstable();
                        right.sort_unstable();
                    }
                    assert_eq!(list, right, "{pair:?} {values} {root} {rank}");
                    let (mut at, mut depth) = (rank, 0);
                    while at != root {
                        (at, depth) = (u64::from(reduction.receivers[at as usize]), depth + 1);
                    }
                    assert_eq!(found.depth, depth);
                }
            }
        }
    }
}

/// Fractions, and numbers beyond machine words.
#[test]
fn long_costs_have_roots_too() {
    let long = Rational::from_integer(num_bigint::BigInt::from(1) << 90);
    for pair in [
        (
            Rational::new(2.into(), 3.into()),
            Rational::new(5.into(), 7.into()),
        ),
        (long.clone(), long + whole(1)),
    ] {
        let own = EqualCosts::new(pair.0.clone(), pair.1.clone()).unwrap();
        for (values, root) in [(1, 0), (2, 1), (17, 5), (40, 39)] {
            let reduction = reduce_at(values, root, &own).unwrap();
            judge(&reduction, pair.clone(), Concurrency::Unlimited);
            assert_eq!(Ok(reduction.length), Reduce::of(values, &own).length());
        }
    }
}

/// Compared with the algorithm as printed, with a heap.
#[test]
fn neighbours_are_those_that_the_algorithm_delivers() {
    for (transfer, compute) in PAIRS {
        for values in [1, 2, 3, 5, 8, 50, 333, 1000_u64] {
            let own = costs((transfer, compute));
            // If both costs are 0, the tree is that of transfers that take time.
            let shape = if (transfer, compute) == (0, 0) {
                (1, 0)
            } else {
                (transfer, compute)
            };
            let tree = listing(values as u32, &shape.0, &shape.1, Concurrency::Unlimited).children;
            let mut of = vec![Vec::new(); values as usize];
            for child in (1..values).rev() {
                of[tree[child as usize] as usize].push(child);
            }
            let mut depths = vec![0_u64; values as usize];
            for index in 0..values {
                let found = delivered(values, index, &own).unwrap();
                let receiver = u64::from(tree[index as usize]);
                if index > 0 {
                    depths[index as usize] = depths[receiver as usize] + 1;
                }
                assert_eq!(
                    found.receiver,
                    (index > 0).then_some(receiver),
                    "{shape:?} {values} {index}"
                );
                assert_eq!(
                    found.children, of[index as usize],
                    "{shape:?} {values} {index}"
                );
                assert_eq!(found.depth, depths[index as usize]);
            }
            let right = Extent {
                degree: of.iter().map(Vec::len).max().unwrap_or(0) as u64,
                depth: depths.into_iter().max().unwrap_or(0),
            };
            assert_eq!(extent(values, &own), Ok(right), "{shape:?} {values}");
        }
    }
}

/// Degree and depth for every number of values until several dates have filled: the last class may be partial.
#[test]
fn extents_are_those_of_every_tree() {
    for (transfer, compute) in PAIRS.into_iter().filter(|&pair| pair != (0, 0)) {
        let tree = listing(700, &transfer, &compute, Concurrency::Unlimited).children;
        let mut depths = vec![0; 700];
        let mut degrees = vec![0; 700];
        let mut right = Extent {
            degree: 0,
            depth: 0,
        };
        for values in 1..=700_usize {
            if values > 1 {
                let receiver = tree[values - 1] as usize;
                depths[values - 1] = depths[receiver] + 1;
                degrees[receiver] += 1;
                right = Extent {
                    degree: right.degree.max(degrees[receiver]),
                    depth: right.depth.max(depths[values - 1]),
                };
            }
            assert_eq!(
                extent(values as u64, &costs((transfer, compute))),
                Ok(right),
                "{transfer} {compute} {values}"
            );
        }
    }
}

/// A billion billion values: too many for any tree, so two counting methods are compared, and every child's receiver is
/// its parent.
#[test]
fn a_billion_billion_values() {
    let many = 1_000_000_000_000_000_000;
    for (pair, time, receiver, degree) in [
        ((1, 1), 87, 320_108_362_361_387_741, 86),
        ((2, 3), 237, 137_412_832_986_812_461, 78),
        ((5, 1), 331, 260_142_360_490_164_595, 66),
        ((7, 10), 798, 143_031_081_283_179_830, 79),
    ] {
        let own = costs(pair);
        assert_eq!(greedy(many, pair, Concurrency::Unlimited), time);
        let fit = |time| match values_within(&whole(time), &own, Concurrency::Unlimited) {
            Ok(Within::Most(most)) => most >= many.into(),
            other => panic!("{other:?}"),
        };
        assert!(fit(time) && !fit(time - 1));
        assert_eq!(
            delivered(many, many - 1, &own).unwrap().receiver,
            Some(receiver)
        );
        let root = delivered(many, 0, &own).unwrap();
        assert_eq!(
            (root.receiver, root.depth, root.children.len() as u64),
            (None, 0, degree)
        );
        for child in root.children {
            assert_eq!(delivered(many, child, &own).unwrap().receiver, Some(0));
        }
    }
    let own = costs((1, 1));
    let mut children = delivered(many, 12345, &own).unwrap().children;
    children.reverse();
    assert_eq!(children[..3], [41002, 58713, 87370]);
    let at = 333_333_333_333_333_333;
    for (pair, receiver) in [
        ((1, 1), 999_999_999_999_999_997),
        ((2, 3), 999_999_999_999_999_998),
        ((7, 10), 999_999_999_999_999_997),
    ] {
        let found = neighbours_at(many, at, many - 1, &costs(pair)).unwrap();
        assert_eq!(found.receiver, Some(receiver), "{pair:?}");
        // The path up ends at the root.
        let (mut rank, mut hops) = (many - 1, 0);
        while let Some(receiver) = neighbours_at(many, at, rank, &costs(pair))
            .unwrap()
            .receiver
        {
            assert!(
                neighbours_at(many, at, receiver, &costs(pair))
                    .unwrap()
                    .children
                    .contains(&rank)
            );
            (rank, hops) = (receiver, hops + 1);
        }
        assert_eq!((rank, hops), (at, found.depth));
    }
}

#[test]
fn processors_that_are_not_there_are_refused() {
    let own = costs((2, 3));
    assert_eq!(reduce_at(0, 0, &own), Err(Error::NoValues));
    assert_eq!(delivered(0, 0, &own), Err(Error::NoValues));
    assert_eq!(extent(0, &own), Err(Error::NoValues));
    let told = |error: Error| error.to_string();
    assert!(
        told(reduce_at(5, 5, &own).unwrap_err())
            .contains("the root 5 is not one of the 5 processors; count from 0 to 4")
    );
    assert!(
        told(neighbours_at(5, 0, u64::MAX, &own).unwrap_err())
            .contains("the rank 18446744073709551615")
    );
    assert!(told(delivered(5, 7, &own).unwrap_err()).contains("the processor 7"));
    assert!(matches!(
        reduce_at(u64::MAX, 3, &own),
        Err(Error::TooMany { .. })
    ));
    assert_eq!(neighbours_at(u64::MAX, 0, 0, &own).unwrap().receiver, None);
}
