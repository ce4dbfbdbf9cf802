//! Annealing: the schedules are valid, as short as a given optimum, and equal for equal seeds.

use std::ops::ControlFlow;

use oneport_heterogeneous::{
    Budget, Class, Cluster, Method, Rational, anneal, shortest, slowest_first,
};
use oneport_testkit::{Dice, whole};

/// Times drawn from 100 to 1000, one sender each.
fn drawn(senders: usize, seed: u64) -> Cluster {
    let mut dice = Dice::new(seed);
    let class = |time: u64| Class {
        time: whole(time),
        senders: 1,
    };
    Cluster::new(
        &(0..senders)
            .map(|_| class(dice.within(100, 1000)))
            .collect::<Vec<_>>(),
    )
    .unwrap()
}

/// The length of a placement by its definition: a slot is open at 0, and a sender opens two at its end.
fn length(cluster: &Cluster, rows: &[oneport_heterogeneous::PlacedSenders]) -> Rational {
    let mut open = vec![Rational::default()];
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| a.date.cmp(&b.date));
    let mut left: Vec<u64> = cluster
        .classes()
        .iter()
        .map(|class| class.senders)
        .collect();
    let mut latest = Rational::default();
    for row in rows {
        for _ in 0..row.senders {
            let index = open
                .iter()
                .position(|date| *date == row.date)
                .expect("an open slot");
            let end = open.swap_remove(index) + &cluster.classes()[row.class].time;
            latest = latest.max(end.clone());
            open.extend([end.clone(), end]);
            left[row.class] -= 1;
        }
    }
    assert!(left.iter().all(|&left| left == 0));
    latest
}

/// Small enough for an exact answer: annealing never beats it, and mostly meets it.
#[test]
fn annealing_meets_the_optimum_of_few_senders() {
    let mut met = 0;
    for seed in 0..40 {
        let cluster = drawn(2 + seed % 9, seed as u64);
        let found = anneal(&cluster, 5, 20_000, &Budget::of_states(u64::MAX)).unwrap();
        assert_eq!(length(&cluster, &found.placement.rows), found.length);
        assert!(found.length <= slowest_first::length(&cluster));
        let exact = shortest(&cluster, Method::Search, &Budget::of_states(u64::MAX))
            .unwrap()
            .shortest;
        assert_eq!(exact.length, exact.lower_bound);
        assert!(found.length >= exact.length, "{seed}");
        met += usize::from(found.length == exact.length);
    }
    assert!(met >= 36, "{met} of 40");
}

#[test]
fn the_seed_decides_and_the_watch_ends() {
    let cluster = drawn(40, 7);
    let steps = |seed, steps| anneal(&cluster, seed, steps, &Budget::of_states(u64::MAX)).unwrap();
    assert_eq!(steps(3, 5000), steps(3, 5000));
    assert_ne!(steps(3, 5000).placement, steps(4, 5000).placement);
    assert_eq!(steps(3, 0).length, slowest_first::length(&cluster));
    assert!(steps(3, 100_000).length < slowest_first::length(&cluster));
    let stop = |_: &_| ControlFlow::Break(());
    let budget = Budget {
        states: u64::MAX,
        watch: &stop,
    };
    assert_eq!(
        anneal(&cluster, 3, u64::MAX, &budget).unwrap().length,
        slowest_first::length(&cluster)
    );
}

/// Classes of several senders, fractions, one sender, none, too many.
#[test]
fn any_cluster_is_annealed_or_refused() {
    let third = |numerator: u64| Rational::new(numerator.into(), 3.into());
    let class = |time, senders| Class { time, senders };
    let cluster =
        Cluster::new(&[class(third(2), 7), class(third(5), 9), class(third(7), 4)]).unwrap();
    let found = anneal(&cluster, 1, 3000, &Budget::of_states(u64::MAX)).unwrap();
    assert_eq!(length(&cluster, &found.placement.rows), found.length);
    for classes in [&[][..], &[class(third(4), 1)], &[class(third(4), 300)]] {
        let cluster = Cluster::new(classes).unwrap();
        let found = anneal(&cluster, 1, 1000, &Budget::of_states(u64::MAX)).unwrap();
        assert_eq!(found.length, slowest_first::length(&cluster));
    }
    let many = Cluster::new(&[class(third(1), 2001)]).unwrap();
    assert!(
        anneal(&many, 1, 1, &Budget::of_states(1))
            .unwrap_err()
            .to_string()
            .contains("2000")
    );
    let wide = whole(1_u64 << 60);
    let long = Cluster::new(&[class(third(3), 1), class(wide, 1)]).unwrap();
    assert!(anneal(&long, 1, 1, &Budget::of_states(1)).is_err());
}
