//! Earliest-possible schedules: dates as in Fig. 2, receivers as in Lemma 1, trees as in figures 9 to 11.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::{
    Dice, cluster_of, ep_ends, ep_length, int, optimum, orders, processors, ratio, replay,
    tree_optimum,
};
use oneport_heterogeneous::{
    Dependency, Destination, Error, Processors, Rational, earliest, earliest_length, slowest_first,
};
use oneport_plan::Dates;

#[test]
fn dates_are_those_of_the_printed_algorithm() {
    let mut random = Dice(1);
    for _ in 0..400 {
        let n = random.within(1, 40) as usize;
        let times: Vec<u64> = (0..n).map(|_| random.within(1, 9)).collect();
        let processors = processors(&times);
        let mut sequence: Vec<usize> = (0..n).collect();
        random.shuffle(&mut sequence);
        let reduction = earliest(&processors, &sequence).unwrap();
        replay(&reduction);
        let ordered: Vec<u64> = sequence.iter().map(|&sender| times[sender]).collect();
        for (&sender, end) in sequence.iter().zip(ep_ends(&ordered)) {
            assert_eq!(
                reduction.starts.get(sender).unwrap() + int(times[sender] as i64),
                int(end as i64)
            );
        }
        assert_eq!(
            earliest_length(&processors, &sequence).unwrap(),
            reduction.length
        );
        let tree = Dependency::of(&reduction).unwrap();
        assert_eq!(tree.critical_path(), reduction.length);
        assert_eq!(tree.root(), sequence.last().copied());
        let children = (0..=n)
            .flat_map(|sender| tree.predecessors(sender))
            .flatten()
            .count();
        assert_eq!(children, n - 1, "a tree");
        // The windows, from the root down: the heaviest path is the length, and each waits for its two ends.
        let windows = tree.windows();
        assert_eq!(windows.len(), n);
        let mut above = vec![Rational::default(); n];
        let mut heaviest = Rational::default();
        for (index, window) in windows.iter().enumerate() {
            let weight = &above[index] + &window.time;
            heaviest = heaviest.max(weight.clone());
            assert_eq!(window.receiver, reduction.receivers[window.sender as usize]);
            assert_eq!(index == 0, Some(window.sender as usize) == tree.root());
            for (end, earlier) in [window.sender, window.receiver]
                .into_iter()
                .zip(window.waits_for)
            {
                let Some(earlier) = earlier else { continue };
                assert!(earlier > index && windows[earlier].receiver == end);
                above[earlier] = weight.clone();
            }
        }
        assert_eq!(heaviest, reduction.length);
    }
}

/// With a listed destination, rational times, and times too large for machine words.
#[test]
fn any_unit_and_any_destination() {
    let mut random = Dice(2);
    for round in 0..60 {
        let n = random.within(2, 12) as usize;
        let scale = if round % 2 == 0 {
            ratio(3, 7)
        } else {
            int(i64::MAX) * int(i64::MAX) / int(5)
        };
        let plain: Vec<u64> = (0..n).map(|_| random.within(1, 30)).collect();
        let times = plain
            .iter()
            .map(|&time| int(time as i64) * &scale)
            .collect();
        let destination = random.within(0, n as u64 - 1) as usize;
        let processors = Processors::new(times, Destination::Listed(destination)).unwrap();
        let mut sequence: Vec<usize> = processors.senders().collect();
        random.shuffle(&mut sequence);
        let reduction = earliest(&processors, &sequence).unwrap();
        let ordered: Vec<u64> = sequence.iter().map(|&sender| plain[sender]).collect();
        assert_eq!(replay(&reduction), int(ep_length(&ordered) as i64) * &scale);
        assert_eq!(reduction.root as usize, destination);
        assert!(matches!(reduction.starts, Dates::Ticks { .. }));
    }
    let huge: Vec<_> = (0..9u32)
        .map(|power| int(1) + int(i64::MAX) * ratio(1, 3i64.pow(power)) * int(i64::MAX))
        .collect();
    let processors = Processors::new(huge, Destination::Outside).unwrap();
    let reduction = slowest_first::schedule(&processors).unwrap();
    assert!(matches!(reduction.starts, Dates::Exact(_)));
    replay(&reduction);
}

/// Any free processor may be taken: a twin that takes random free processors has the same dates.
#[test]
fn the_choice_of_free_processors_does_not_matter() {
    let mut random = Dice(3);
    for _ in 0..300 {
        let n = random.within(1, 15) as usize;
        let times: Vec<u64> = (0..n).map(|_| random.within(1, 6)).collect();
        // The next date at which each processor is free. The sender leaves, the receiver stays.
        let mut free_at = vec![0; n + 1];
        let mut start = 0;
        let mut ends = Vec::new();
        for &time in &times {
            let mut ready: Vec<u64> = free_at.clone();
            ready.sort_unstable();
            start = start.max(ready[1]);
            for _ in 0..2 {
                let candidates: Vec<usize> = (0..free_at.len())
                    .filter(|&p| free_at[p] <= start)
                    .collect();
                let taken = candidates[random.within(0, candidates.len() as u64 - 1) as usize];
                free_at.swap_remove(taken);
            }
            free_at.push(start + time);
            ends.push(start + time);
        }
        assert_eq!(ends, ep_ends(&times));
    }
}

#[test]
fn sequences_and_trees_have_the_same_optimum() {
    let mut random = Dice(4);
    for round in 0..150 {
        let n = random.within(1, if round < 120 { 6 } else { 8 }) as usize;
        let most = random.within(2, 12);
        let times: Vec<u64> = (0..n).map(|_| random.within(1, most)).collect();
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for &time in &times {
            *counts.entry(time).or_default() += 1;
        }
        let counts: Vec<(u64, usize)> = counts.into_iter().collect();
        assert_eq!(
            optimum(&times),
            tree_optimum(&counts, &mut BTreeMap::new()),
            "{times:?}"
        );
    }
}

/// Figures 1 to 5: the destination is A (10).
#[test]
fn the_worked_example() {
    let times = [5, 5, 5, 4, 2, 2];
    let mut lengths = BTreeSet::new();
    let mut sequences = 0;
    orders(&times, &mut |order| {
        sequences += 1;
        lengths.insert(ep_length(order));
        let processors = processors(order);
        assert_eq!(
            earliest_length(&processors, &[0, 1, 2, 3, 4, 5]).unwrap(),
            int(ep_length(order) as i64)
        );
    });
    assert_eq!(sequences, 60);
    assert_eq!(lengths, BTreeSet::from([11, 12, 14, 15]));
    assert_eq!(slowest_first::length(&cluster_of(&times)), int(11));
    // Figure 3: G, F, D start at 0, C at 2.
    for rest in [[5, 4], [4, 5]] {
        let order = [2, 2, 5, 5, rest[0], rest[1]];
        assert_eq!(ep_ends(&order)[3], 7);
        assert_eq!(ep_length(&order), 14);
    }
    let listed: Vec<_> = [10, 5, 5, 5, 4, 2, 2].map(int).to_vec();
    let processors = Processors::new(listed, Destination::Listed(0)).unwrap();
    let reduction = slowest_first::schedule(&processors).unwrap();
    assert_eq!(replay(&reduction), int(11));
    assert!(Dependency::of(&reduction).unwrap().is_ordered());
}

#[test]
fn sequences_that_are_none() {
    let processors = Processors::new([3, 1, 2].map(int).to_vec(), Destination::Listed(1)).unwrap();
    for (sequence, part) in [
        (vec![0], "2 is missing"),
        (vec![0, 0], "twice"),
        (vec![0, 1], "destination"),
        (vec![0, 3], "no processor 3"),
    ] {
        let error = earliest(&processors, &sequence).unwrap_err();
        assert!(
            matches!(error, Error::NoSequence(_)) && error.to_string().contains(part),
            "{error}"
        );
        assert_eq!(earliest_length(&processors, &sequence).unwrap_err(), error);
    }
    let alone = Processors::new(vec![int(7)], Destination::Listed(0)).unwrap();
    assert_eq!(earliest(&alone, &[]).unwrap().length, int(0));
    let mut broken = earliest(&processors, &[0, 2]).unwrap();
    broken.receivers = vec![2, 1, 0];
    assert!(matches!(Dependency::of(&broken), Err(Error::NoTree(_))));
}
