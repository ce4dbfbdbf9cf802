//! Broadcasts are reductions read backwards.

use crate::common;

use common::{PAIRS, costs, exhaustive, greedy, whole};
use oneport_homogeneous::{EqualCosts, broadcast};
use oneport_plan::{Broadcast, Concurrency, Dates};
use oneport_platform::Rational;

/// Follows a broadcast from the definition of its model.
fn judge(broadcast: &Broadcast, (d, c): (Rational, Rational), limit: Concurrency) {
    let n = broadcast.senders.len();
    let preparations = broadcast.preparations.as_ref().unwrap();
    assert_eq!(
        (
            broadcast.starts.len(),
            preparations.len(),
            broadcast.root,
            broadcast.senders[0]
        ),
        (n, n, 0, 0)
    );
    let start = |i: usize| broadcast.starts.get(i).unwrap();
    let prepare = |i: usize| preparations.get(i).unwrap();
    assert_eq!((start(0), prepare(0)), (whole(0), whole(0)));
    let held = |i: usize| if i == 0 { whole(0) } else { start(i) + &d };
    for sender in 0..n {
        let mut receivers: Vec<usize> = (1..n)
            .filter(|&i| broadcast.senders[i] as usize == sender)
            .collect();
        receivers.sort_by_key(|&i| (prepare(i), start(i)));
        let (mut port, mut free) = (held(sender), held(sender));
        for receiver in receivers {
            assert!(receiver > sender, "no cycles");
            assert!(
                prepare(receiver) >= free,
                "one preparation at a time, of what is there"
            );
            free = prepare(receiver) + &c;
            assert!(
                start(receiver) >= free && start(receiver) >= port,
                "prepared, and one transfer at a time"
            );
            port = start(receiver) + &d;
        }
    }
    assert_eq!(broadcast.length, (0..n).map(held).max().unwrap());
    match limit {
        Concurrency::Unlimited => {}
        Concurrency::Reducers(most) => {
            let senders: std::collections::BTreeSet<_> = broadcast.senders.iter().skip(1).collect();
            assert!(senders.len() as u64 <= most);
        }
        Concurrency::Transfers(most) => {
            let mut starts: Vec<_> = (1..n).map(start).collect();
            starts.sort();
            for window in starts.windows((most as usize).min(n) + 1) {
                assert!(window[most as usize] >= &window[0] + &d);
            }
        }
    }
}

#[test]
fn broadcasts_are_valid_and_as_short_as_reductions() {
    for pair in PAIRS {
        for values in [1, 2, 3, 5, 8, 33, 90] {
            for limit in [
                Concurrency::Unlimited,
                Concurrency::Transfers(1),
                Concurrency::Transfers(4),
                Concurrency::Reducers(1),
                Concurrency::Reducers(4),
            ] {
                let found = broadcast(values, &costs(pair), limit).unwrap();
                judge(&found, (whole(pair.0), whole(pair.1)), limit);
                assert_eq!(
                    found.length,
                    whole(greedy(values, pair, limit)),
                    "{values}, {pair:?}, {limit:?}"
                );
            }
        }
    }
    assert_eq!(
        broadcast(6, &costs((2, 3)), Concurrency::Transfers(2))
            .unwrap()
            .length,
        whole(exhaustive(&[0; 6], (2, 3), 2, 99))
    );
}

#[test]
fn without_preparation_it_is_the_binomial_broadcast() {
    for values in 1..=70_u64 {
        let found = broadcast(values, &costs((3, 0)), Concurrency::Unlimited).unwrap();
        assert_eq!(
            found.length,
            whole(3 * u64::from(values.next_power_of_two().ilog2()))
        );
    }
}

#[test]
fn huge_costs_keep_their_dates() {
    let huge = whole(u64::MAX);
    let costs = EqualCosts::new(&huge + whole(1), huge.clone()).unwrap();
    for limit in [
        Concurrency::Unlimited,
        Concurrency::Transfers(2),
        Concurrency::Reducers(2),
    ] {
        let found = broadcast(9, &costs, limit).unwrap();
        assert!(matches!(found.starts, Dates::Exact(_)));
        judge(&found, (&huge + whole(1), huge.clone()), limit);
    }
}
