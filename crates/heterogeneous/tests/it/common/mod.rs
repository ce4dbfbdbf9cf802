//! Shared by the tests: small generators and naive twins, written from the paper's definitions.

pub use oneport_testkit::{Dice, ratio};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use oneport_heterogeneous::{Budget, Cluster, Destination, Placement, Processors};
use oneport_plan::{Class, Reduction, SingleCosts};
use oneport_platform::{Rational, whole};

pub fn int(value: i64) -> Rational {
    whole(value)
}

/// Processors of these times that send to a destination outside.
pub fn processors(times: &[u64]) -> Processors {
    let times = times.iter().map(|&time| whole(time)).collect();
    Processors::new(times, Destination::Outside).unwrap()
}

/// The senders of a cluster one by one.
pub fn processors_of(cluster: &Cluster) -> Processors {
    let classes = cluster.classes().iter();
    let times = classes
        .flat_map(|class| (0..class.senders).map(|_| class.time.clone()))
        .collect();
    Processors::new(times, Destination::Outside).unwrap()
}

pub fn cluster(classes: &[(Rational, u64)]) -> Cluster {
    let classes: Vec<Class> = classes
        .iter()
        .map(|(time, senders)| Class {
            time: time.clone(),
            senders: *senders,
        })
        .collect();
    Cluster::new(&classes).unwrap()
}

pub fn cluster_of(times: &[u64]) -> Cluster {
    cluster(
        &times
            .iter()
            .map(|&time| (int(time as i64), 1))
            .collect::<Vec<_>>(),
    )
}

pub fn endless() -> Budget<'static> {
    Budget {
        states: u64::MAX,
        watch: &|_| ControlFlow::Continue(()),
    }
}

/// Algorithm EP as Fig. 2 prints it: lists of active and complete senders, integer times. Ends by position.
pub fn ep_ends(times: &[u64]) -> Vec<u64> {
    let mut free = times.len() + 1;
    let mut time = 0;
    let mut active: Vec<u64> = Vec::new();
    let mut ends = Vec::new();
    while ends.len() < times.len() {
        while free >= 2 && ends.len() < times.len() {
            let end = time + times[ends.len()];
            active.push(end);
            ends.push(end);
            free -= 2;
        }
        if ends.len() < times.len() {
            time = *active.iter().min().unwrap();
            let before = active.len();
            active.retain(|&end| end != time);
            free += before - active.len();
        }
    }
    ends
}

pub fn ep_length(times: &[u64]) -> u64 {
    ep_ends(times).into_iter().max().unwrap_or(0)
}

/// Calls `visit` with every distinct order of the times.
pub fn orders(times: &[u64], visit: &mut impl FnMut(&[u64])) {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for &time in times {
        *counts.entry(time).or_default() += 1;
    }
    let mut counts: Vec<(u64, usize)> = counts.into_iter().collect();
    extend(&mut Vec::new(), &mut counts, times.len(), visit);
}

fn extend(
    prefix: &mut Vec<u64>,
    counts: &mut [(u64, usize)],
    n: usize,
    visit: &mut impl FnMut(&[u64]),
) {
    if prefix.len() == n {
        return visit(prefix);
    }
    for index in 0..counts.len() {
        if counts[index].1 > 0 {
            counts[index].1 -= 1;
            prefix.push(counts[index].0);
            extend(prefix, counts, n, visit);
            prefix.pop();
            counts[index].1 += 1;
        }
    }
}

/// The optimum, over all orders.
pub fn optimum(times: &[u64]) -> u64 {
    let mut best = u64::MAX;
    orders(times, &mut |order| best = best.min(ep_length(order)));
    best
}

/// The lightest critical path of a binary tree with these weights, any root: over multisets.
pub fn tree_optimum(counts: &[(u64, usize)], known: &mut BTreeMap<Vec<usize>, u64>) -> u64 {
    let shape: Vec<usize> = counts.iter().map(|&(_, count)| count).collect();
    if shape.iter().all(|&count| count == 0) {
        return 0;
    }
    if let Some(&length) = known.get(&shape) {
        return length;
    }
    let mut best = u64::MAX;
    for root in 0..counts.len() {
        if counts[root].1 == 0 {
            continue;
        }
        let mut rest = counts.to_vec();
        rest[root].1 -= 1;
        let mut left: Vec<(u64, usize)> = rest.iter().map(|&(time, _)| (time, 0)).collect();
        loop {
            let right: Vec<(u64, usize)> = rest
                .iter()
                .zip(&left)
                .map(|(all, part)| (all.0, all.1 - part.1))
                .collect();
            let below = tree_optimum(&left, known).max(tree_optimum(&right, known));
            best = best.min(counts[root].0 + below);
            let Some(index) = (0..rest.len()).find(|&i| left[i].1 < rest[i].1) else {
                break;
            };
            left[index].1 += 1;
            for part in &mut left[..index] {
                part.1 = 0;
            }
        }
    }
    known.insert(shape, best);
    best
}

/// Replays a schedule from its definition: no processor is in two transfers at once, each sends once and after all its
/// receptions, and every value reaches the root. Returns its end.
pub fn replay(reduction: &Reduction) -> Rational {
    let SingleCosts::PerSender(times) = &reduction.costs else {
        panic!("per sender")
    };
    let root = reduction.root as usize;
    let n = times.len();
    let mut transfers: Vec<(Rational, Rational, usize, usize)> = (0..n)
        .filter(|&sender| sender != root)
        .map(|sender| {
            let start = reduction.starts.get(sender).unwrap();
            (
                start.clone(),
                &start + &times[sender],
                sender,
                reduction.receivers[sender] as usize,
            )
        })
        .collect();
    transfers.sort();
    let mut busy_until = vec![int(0); n];
    let mut sent = vec![false; n];
    let mut values: Vec<Vec<usize>> = (0..n).map(|processor| vec![processor]).collect();
    let mut end = int(0);
    for (start, stop, sender, receiver) in transfers {
        assert_ne!(sender, receiver);
        assert!(start >= int(0));
        for processor in [sender, receiver] {
            assert!(!sent[processor], "{processor} has sent");
            assert!(busy_until[processor] <= start, "{processor} is busy");
            busy_until[processor] = stop.clone();
        }
        sent[sender] = true;
        let moved = std::mem::take(&mut values[sender]);
        values[receiver].extend(moved);
        end = end.max(stop);
    }
    values[root].sort();
    assert_eq!(values[root], (0..n).collect::<Vec<_>>(), "every value once");
    assert_eq!(reduction.length, end);
    end
}

/// Checks a placement against the statement in its documentation. Returns its length.
pub fn check_placement(cluster: &Cluster, placement: &Placement) -> Rational {
    let classes = cluster.classes();
    let mut counts = vec![0u64; classes.len()];
    let mut slots: BTreeMap<Rational, u128> = BTreeMap::from([(int(0), 1)]);
    let mut length = int(0);
    let mut last: Option<(&Rational, usize)> = None;
    for row in &placement.rows {
        assert!(row.senders > 0);
        assert!(
            last < Some((&row.date, row.class)),
            "sorted, each pair once"
        );
        last = Some((&row.date, row.class));
        counts[row.class] += row.senders;
        // Rows are sorted by date, and new slots have later dates: all slots of this date are complete.
        let open = slots.get_mut(&row.date).expect("a slot of that date");
        assert!(
            *open >= u128::from(row.senders),
            "more senders than slots at {}",
            row.date
        );
        *open -= u128::from(row.senders);
        let end = &row.date + &classes[row.class].time;
        *slots.entry(end.clone()).or_default() += 2 * u128::from(row.senders);
        length = length.max(end);
    }
    assert_eq!(
        counts,
        classes
            .iter()
            .map(|class| class.senders)
            .collect::<Vec<_>>()
    );
    length
}
