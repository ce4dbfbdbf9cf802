//! Given trees: proposition 3 against all orders of arrival, and the best tree against Algorithm 1.

use oneport_homogeneous::{Concurrency, Error, reduce_tree, tree_length};

use crate::common::{PAIRS, all_trees, costs, greedy, number, whole};

/// The earliest end over all orders in which children can arrive.
fn brute(parents: &[u32], root: usize, (d, c): (u64, u64)) -> u64 {
    let children: Vec<usize> = (0..parents.len())
        .filter(|&i| i != root && parents[i] as usize == root)
        .collect();
    let ready: Vec<u64> = children
        .iter()
        .map(|&child| brute(parents, child, (d, c)))
        .collect();
    fn go(left: &mut Vec<u64>, port: u64, complete: u64, (d, c): (u64, u64)) -> u64 {
        if left.is_empty() {
            return complete;
        }
        let mut best = u64::MAX;
        for index in 0..left.len() {
            let ready = left.remove(index);
            let arrival = ready.max(port) + d;
            best = best.min(go(left, arrival, complete.max(arrival) + c, (d, c)));
            left.insert(index, ready);
        }
        best
    }
    go(&mut ready.clone(), 0, 0, (d, c))
}

#[test]
fn no_order_of_arrival_is_earlier_and_the_best_tree_is_the_optimum() {
    for pair in PAIRS {
        let own = costs(pair);
        for nodes in 1..=6 {
            let mut best = u64::MAX;
            let mut turn = 0;
            all_trees(nodes, &mut |parents| {
                // Names turned round, so that parents are not smaller.
                turn = (turn + 1) % nodes;
                let name = |node: usize| ((node + turn) % nodes) as u32;
                let mut receivers = vec![0; nodes];
                for node in 0..nodes {
                    receivers[name(node) as usize] = name(parents[node]);
                }
                let root = name(0) as usize;
                let right = brute(&receivers, root, pair);
                assert_eq!(
                    tree_length(&receivers, &own).map(|length| number(&length)),
                    Ok(right),
                    "{receivers:?}"
                );
                let reduction = reduce_tree(&receivers, &own).unwrap();
                assert_eq!(
                    (number(&reduction.length), reduction.root as usize),
                    (right, root)
                );
                assert_eq!(reduction.receivers, receivers);
                // The dates are a run of the model: they follow from the port and the merges alone.
                let date = |i: usize| {
                    let merges = reduction.merges.as_ref().unwrap();
                    (
                        number(&merges.get(i).unwrap()),
                        number(&reduction.starts.get(i).unwrap()),
                    )
                };
                for node in 0..nodes {
                    let mut of: Vec<usize> = (0..nodes)
                        .filter(|&i| i != root && receivers[i] as usize == node)
                        .collect();
                    of.sort_by_key(|&child| (date(child).0, date(child).1));
                    let (mut port, mut complete) = (0, 0);
                    for child in of {
                        let (merge, start) = date(child);
                        assert!(start >= port && merge >= start + pair.0 && merge >= complete);
                        (port, complete) = (start + pair.0, merge + pair.1);
                    }
                    assert!(node == root || date(node).1 >= complete);
                }
                best = best.min(right);
            });
            assert_eq!(
                best,
                greedy(nodes as u64, pair, Concurrency::Unlimited),
                "{pair:?} {nodes}"
            );
        }
    }
}

/// The tables of the theory. With "largest" for "smallest" the last would be 7.
#[test]
fn known_trees() {
    let length = |receivers: &[u32], pair| tree_length(receivers, &costs(pair));
    assert_eq!(length(&[0, 0, 1], (2, 3)), Ok(whole(10)));
    assert_eq!(length(&[0, 0, 0, 0], (2, 3)), Ok(whole(11)));
    assert_eq!(length(&[0, 0, 0, 2, 0, 4, 4, 6], (2, 3)), Ok(whole(15)));
    assert_eq!(length(&[0, 0, 0, 2, 3], (1, 1)), Ok(whole(6)));
}

#[test]
fn what_is_no_tree_is_refused() {
    let own = costs((1, 1));
    assert_eq!(reduce_tree(&[], &own), Err(Error::NoValues));
    for (receivers, part) in [
        (&[0, 1][..], "0 and 1 both have no receiver"),
        (&[1, 0], "one, the root, must not"),
        (&[0, 2], "processor 1 sends to 2; the last processor is 1"),
        (&[0, u32::MAX], "4294967295"),
        (
            &[0, 2, 1, 0],
            "processor 1 never reaches the root, processor 0",
        ),
    ] {
        for told in [
            reduce_tree(receivers, &own).unwrap_err(),
            tree_length(receivers, &own).unwrap_err(),
        ] {
            assert!(told.to_string().contains(part), "{told}");
        }
    }
}
