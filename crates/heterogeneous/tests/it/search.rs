//! The search against brute force and slot flow, and the paper's own searches.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use num_traits::{Signed, ToPrimitive, Zero};
use oneport_heterogeneous::guided::{self, Guide, Reading};
use oneport_heterogeneous::{
    Budget, Cluster, Destination, Error, Method, Processors, SearchProgress, earliest, shortest,
};
use oneport_plan::{Class, Proof};
use oneport_platform::{Rational, whole};
use oneport_testkit::Dice;
use proptest::prelude::*;

const FREE: Budget = Budget {
    states: u64::MAX,
    watch: &|_| ControlFlow::Continue(()),
};

fn cluster(times: &[u64]) -> Cluster {
    let class = |&time: &u64| Class {
        time: whole(time),
        senders: 1,
    };
    Cluster::new(&times.iter().map(class).collect::<Vec<_>>()).unwrap()
}

/// The least critical path of a binary tree of these nodes: every order of growing it in ascending order.
fn brute_force(times: &[u64]) -> u64 {
    fn grow(times: &[u64], open: &mut Vec<u64>, latest: u64, best: &mut u64) {
        if latest >= *best {
            return;
        }
        let Some((&time, rest)) = times.split_first() else {
            *best = latest;
            return;
        };
        for slot in 0..open.len() {
            let date = open.swap_remove(slot);
            open.extend([date + time; 2]);
            grow(rest, open, latest.max(date + time), best);
            open.truncate(open.len() - 2);
            open.push(date);
            let last = open.len() - 1;
            open.swap(slot, last);
        }
    }
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let mut best = u64::MAX;
    grow(&sorted, &mut vec![0], 0, &mut best);
    if times.is_empty() { 0 } else { best }
}

/// The length of the shortest earliest-possible schedule, order by order.
fn all_orders(times: &[u64]) -> Rational {
    fn permute(order: &mut Vec<usize>, from: usize, visit: &mut dyn FnMut(&[usize])) {
        if from == order.len() {
            return visit(order);
        }
        for other in from..order.len() {
            order.swap(from, other);
            permute(order, from + 1, visit);
            order.swap(from, other);
        }
    }
    let times: Vec<Rational> = times.iter().map(|&time| whole(time)).collect();
    let processors = Processors::new(times, Destination::Outside).unwrap();
    let mut best: Option<Rational> = None;
    permute(&mut processors.senders().collect(), 0, &mut |order| {
        let length = earliest(&processors, order).unwrap().length;
        if best.as_ref().is_none_or(|best| length < *best) {
            best = Some(length);
        }
    });
    best.unwrap()
}

fn optimum(cluster: &Cluster, method: Method) -> Rational {
    let answer = shortest(cluster, method, &FREE).unwrap();
    assert_eq!(
        answer.shortest.lower_bound,
        answer.shortest.length,
        "{method:?} {:?}",
        cluster.classes()
    );
    let times = cluster
        .classes()
        .iter()
        .flat_map(|class| (0..class.senders).map(|_| class.time.clone()))
        .collect();
    let processors = Processors::new(times, Destination::Outside).unwrap();
    assert_eq!(
        answer.schedule(&processors).unwrap().length,
        answer.shortest.length
    );
    answer.shortest.length
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 75, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn search_equals_brute_force(times in prop::collection::vec(1u64..40, 1..9)) {
        prop_assert_eq!(optimum(&cluster(&times), Method::Search), whole(brute_force(&times)));
    }

    #[test]
    fn search_equals_brute_force_on_large_and_on_few_times(
        times in prop::collection::vec(prop_oneof![900_000_000u64..2_000_000_000, 5u64..8], 1..9),
    ) {
        prop_assert_eq!(optimum(&cluster(&times), Method::Search), whole(brute_force(&times)));
    }

    #[test]
    fn guided_searches_keep_the_optimum(times in prop::collection::vec(prop_oneof![Just(3u64), Just(4), Just(5), Just(9)], 1..9)) {
        let cluster = cluster(&times);
        let best = whole(brute_force(&times));
        for guide in [Guide::Generic, Guide::SlowestFirst, Guide::Priority] {
            let count = guided::search(&cluster, guide, Reading::Outside, u64::MAX).unwrap();
            prop_assert!(count.complete);
            prop_assert_eq!(count.length.as_ref(), Some(&best));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_view_is_the_schedule_view(times in prop::collection::vec(1u64..20, 1..7)) {
        prop_assert_eq!(all_orders(&times), whole(brute_force(&times)));
    }

    #[test]
    fn search_equals_slots(times in prop::collection::vec(3u64..30, 8..15)) {
        let cluster = cluster(&times);
        prop_assert_eq!(optimum(&cluster, Method::Search), optimum(&cluster, Method::Slots));
    }

    #[test]
    fn the_last_of_the_sequence_is_the_best_destination(times in prop::collection::vec(2u64..6, 2..8)) {
        // The search over all sequences chooses the destination: the slowest, or as good.
        let best = (0..times.len()).map(|destination| {
            let mut senders = times.clone();
            senders.remove(destination);
            brute_force(&senders)
        });
        let best = whole(best.min().unwrap());
        for guide in [Guide::Generic, Guide::SlowestFirst, Guide::Priority] {
            let count = guided::search(&cluster(&times), guide, Reading::Last, u64::MAX).unwrap();
            prop_assert_eq!(count.length, Some(best.clone()));
        }
    }
}

#[test]
fn worked_examples() {
    let integer = |value: u64| whole(value);
    // Figures 1 to 5, destination A. Figure 8 with a slow destination. The worst ratios found.
    assert_eq!(
        optimum(&cluster(&[5, 5, 5, 4, 2, 2]), Method::Search),
        integer(11)
    );
    let figure_8 = |x: u64| [vec![x; 3], vec![100; 8]].concat();
    for (x, best) in [
        (105, 400),
        (125, 400),
        (150, 400),
        (175, 450),
        (195, 490),
        (200, 500),
        (225, 500),
    ] {
        assert_eq!(
            optimum(&cluster(&figure_8(x)), Method::Search),
            integer(best),
            "{x}"
        );
    }
    assert_eq!(
        optimum(&cluster(&[4, 6, 6, 6, 9, 9, 9, 10]), Method::Search),
        integer(22)
    );
    assert_eq!(
        optimum(&cluster(&[4, 11, 11, 11, 17, 17, 17, 17]), Method::Search),
        integer(38)
    );
}

#[test]
fn eighteen_different_times() {
    different_times(18);
}

#[test]
#[ignore = "long: 22 different times"]
fn twenty_two_different_times() {
    different_times(22);
}

/// Ten to a hundred and nine, as in a good mixed room. The number of threads does not change answers.
fn different_times(senders: usize) {
    let mut dice = Dice::new(22);
    for _ in 0..4 {
        let times: Vec<u64> = (0..senders).map(|_| 10 + dice.below(100)).collect();
        let cluster = cluster(&times);
        let alone = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let first = shortest(&cluster, Method::Search, &FREE).unwrap();
        let second = alone.install(|| shortest(&cluster, Method::Search, &FREE).unwrap());
        assert_eq!(first, second);
        assert_eq!(first.shortest.length, first.shortest.lower_bound);
    }
}

#[test]
fn one_list_of_weights_is_enough_where_senders_are_counted() {
    // One class: counting alone proves the bound.
    let answer = shortest(&cluster(&[7; 9]), Method::Search, &FREE).unwrap();
    assert_eq!(answer.shortest.length, whole(28));
    let Proof::Weights(weights) = &answer.shortest.proof else {
        panic!("{:?}", answer.shortest.proof);
    };
    assert_eq!(weights.lists, [vec![1; 9]]);
}

/// Times without small common unit are lowered to a grid: the bound is valid, and close.
#[test]
fn times_are_lowered_where_they_leave_too_many_slots() {
    let mut dice = Dice::new(5);
    let mut draw = || (1 << (28 + dice.below(12))) + dice.below(1 << 28);
    let mut times: Vec<u64> = (0..50).map(|_| draw()).collect();
    // A few senders that are faster than the grid.
    times.extend([1, 2, 3]);
    let cluster = cluster(&times);
    let budget = Budget::of_states(500);
    let found = shortest(&cluster, Method::Search, &budget)
        .unwrap()
        .shortest;
    let Proof::Lowered { times, proof } = &found.proof else {
        panic!("{:?}", found.proof);
    };
    assert!(matches!(**proof, Proof::Weights(_)));
    let classes = cluster.classes().iter();
    assert!(classes.zip(times).all(|(class, time)| *time <= class.time));
    assert!(times[..3].iter().all(Zero::is_zero));
    let gap = &found.length - &found.lower_bound;
    assert!(gap.is_positive() && gap * whole(20) < found.length);
}

/// A watch ends the work at once, at any point. The answer is the best result until then.
#[test]
fn a_watch_ends_the_work_at_once() {
    let mut dice = Dice::new(60);
    let times: Vec<u64> = (0..60).map(|_| 100 + dice.below(900)).collect();
    let cluster = cluster(&times);
    let stopped = |enough: fn(&SearchProgress) -> bool| {
        let late = AtomicU64::new(0);
        let watch = |search: &SearchProgress| {
            if enough(search) || late.load(Ordering::Relaxed) > 0 {
                late.fetch_add(1, Ordering::Relaxed);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let budget = Budget {
            states: u64::MAX,
            watch: &watch,
        };
        let found = shortest(&cluster, Method::Auto, &budget).unwrap();
        // Once per walk and little more.
        assert!(late.load(Ordering::Relaxed) < 50);
        found.shortest
    };
    let none = stopped(|_| true);
    let some = stopped(|search| search.lower_bound.is_positive());
    assert!(none.length > some.length && none.lower_bound < some.lower_bound);
}

#[test]
fn too_many_senders_are_refused() {
    let class = Class {
        time: whole(1),
        senders: 1001,
    };
    let error = shortest(&Cluster::new(&[class]).unwrap(), Method::Search, &FREE).unwrap_err();
    assert!(matches!(
        error,
        Error::TooMany {
            senders: 1001,
            most: 1000,
            ..
        }
    ));
}

/// The distinct beginnings of all sequences, one by one.
fn count_nodes(left: &mut Vec<u64>) -> (u64, u64) {
    let mut sum = (1, u64::from(left.iter().all(|&left| left == 0)));
    for class in 0..left.len() {
        if left[class] > 0 {
            left[class] -= 1;
            let below = count_nodes(left);
            sum = (sum.0 + below.0, sum.1 + below.1);
            left[class] += 1;
        }
    }
    sum
}

#[test]
fn tree_sizes() {
    for counts in [
        vec![],
        vec![4],
        vec![2, 3],
        vec![3, 1, 2],
        vec![0, 3, 3],
        vec![2, 2, 2, 1],
    ] {
        let tree = guided::tree(&counts).unwrap();
        let (nodes, leaves) = count_nodes(&mut counts.clone());
        assert_eq!(
            (tree.nodes.to_u64(), tree.leaves.to_u64()),
            (Some(nodes), Some(leaves)),
            "{counts:?}"
        );
    }
}

#[test]
fn expected_tree_sizes() {
    // All 3^6 clusters, one by one.
    let mut sums = [0u64; 4];
    for cluster in 0..729u64 {
        let mut counts = vec![0; 3];
        for index in 0..6 {
            counts[(cluster / 3u64.pow(index) % 3) as usize] += 1;
        }
        let (nodes, leaves) = count_nodes(&mut counts);
        let squares = [nodes, nodes * nodes, leaves, leaves * leaves];
        for (sum, value) in sums.iter_mut().zip(squares) {
            *sum += value;
        }
    }
    let mean = |sum: u64| Rational::new(sum.into(), 729.into());
    let expected = guided::expected(6, 3).unwrap();
    for (moments, [sum, squares]) in [
        (&expected.nodes, [sums[0], sums[1]]),
        (&expected.leaves, [sums[2], sums[3]]),
    ] {
        assert_eq!(moments.mean, mean(sum));
        assert_eq!(moments.variance, mean(squares) - mean(sum) * mean(sum));
    }
    // Measured independently before, and rounded.
    for (processors, nodes) in [
        (10, 7765),
        (11, 21288),
        (12, 58797),
        (13, 163_426),
        (21, 675_255_835),
    ] {
        let mean = guided::expected(processors, 3).unwrap().nodes.mean;
        assert_eq!(mean.round().to_integer().to_u64(), Some(nodes));
    }
    assert_eq!(
        guided::expected(10, 3)
            .unwrap()
            .leaves
            .mean
            .round()
            .to_integer()
            .to_u64(),
        Some(2382)
    );
    assert!(
        guided::expected(65, 3).is_err()
            && guided::expected(5, 0).is_err()
            && guided::expected(5, 5).is_err()
    );
}

#[test]
fn limits_and_counts_of_the_guided_searches() {
    let classes = [(3, 3), (4, 3), (5, 4)].map(|(time, senders)| Class {
        time: whole(time),
        senders,
    });
    let cluster = Cluster::new(&classes).unwrap();
    let nodes = guided::tree(&[3, 3, 4]).unwrap().nodes.to_u64().unwrap();
    let full = guided::search(&cluster, Guide::Generic, Reading::Outside, u64::MAX).unwrap();
    let guided_full =
        guided::search(&cluster, Guide::SlowestFirst, Reading::Outside, u64::MAX).unwrap();
    assert!(full.expanded <= full.generated && full.generated <= nodes);
    assert!(guided_full.generated < full.generated && guided_full.length == full.length);
    for limit in [1, 5, 100] {
        let cut = guided::search(&cluster, Guide::SlowestFirst, Reading::Outside, limit).unwrap();
        assert!(!cut.complete && cut.generated == limit);
        assert!(
            cut.length
                .is_none_or(|length| length >= full.length.clone().unwrap())
        );
    }
    assert_eq!(full.length.map(|length| length.is_zero()), Some(false));
}
