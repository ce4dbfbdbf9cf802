//! Correct schedules are accepted, changed ones judged as a naive twin judges them, pair by pair.

use crate::common::told;
use crate::single_support;

use oneport_plan::{Broadcast, Concurrency, Dates, Reduction, SingleCosts};
use oneport_platform::Rational;
use oneport_referee::{check_broadcast, check_reduction};
use single_support::make::Parts;
use single_support::{Dice, make, ratio, twin};

fn change_reduction(reduction: &mut Reduction, dice: &mut Dice) {
    let mut starts = Some(reduction.starts.clone());
    let lists = vec![&mut starts, &mut reduction.merges, &mut reduction.ready];
    let Reduction {
        costs,
        root,
        receivers,
        length,
        ..
    } = reduction;
    make::change(
        &mut Parts {
            costs,
            root,
            partners: receivers,
            length,
            lists,
        },
        dice,
    );
    reduction.starts = starts.unwrap();
}

fn change_broadcast(broadcast: &mut Broadcast, dice: &mut Dice) {
    let mut starts = Some(broadcast.starts.clone());
    let lists = vec![&mut starts, &mut broadcast.preparations];
    let Broadcast {
        costs,
        root,
        senders,
        length,
        ..
    } = broadcast;
    make::change(
        &mut Parts {
            costs,
            root,
            partners: senders,
            length,
            lists,
        },
        dice,
    );
    broadcast.starts = starts.unwrap();
}

/// Every refusal is tried more than ten times, by its text.
fn assert_tried(sentences: &[&str], refused: &[String]) {
    for sentence in sentences {
        let times = refused
            .iter()
            .filter(|told| told.contains(sentence))
            .count();
        assert!(
            times > 10,
            "'{sentence}' is hardly tried: {times} times of {}",
            refused.len()
        );
    }
}

#[test]
fn reductions_are_judged_as_by_definition() {
    let mut dice = Dice(1);
    let (mut accepted, mut refused) = (0, Vec::new());
    for round in 0..6000 {
        let n = 1 + dice.below(7);
        let right = match round % 3 {
            0 => make::equal(n, false, &mut dice),
            1 => make::equal(n, true, &mut dice),
            _ => make::per_sender(n, &mut dice),
        };
        assert_eq!(
            check_reduction(&right, Concurrency::Unlimited),
            Ok(()),
            "{right:?}"
        );
        assert!(twin::reduction(&right, Concurrency::Unlimited), "{right:?}");
        for _ in 0..4 {
            let mut changed = right.clone();
            for _ in 0..=dice.below(2) {
                change_reduction(&mut changed, &mut dice);
            }
            let limit = make::limit(&mut dice);
            let verdict = check_reduction(&changed, limit);
            assert_eq!(
                verdict.is_ok(),
                twin::reduction(&changed, limit),
                "{verdict:?} {limit:?} {changed:?}"
            );
            match verdict {
                Ok(()) => accepted += 1,
                Err(violation) => refused.push(violation.to_string()),
            }
        }
    }
    assert!(accepted > 2000, "{accepted}");
    let sentences = [
        " entries; give one for each of the ",
        " is missing; with equal costs ",
        "; it must be ",
        "the root is processor ",
        "the receiver of processor ",
        "; the root is its own receiver",
        " in the list of ",
        " is its own receiver by a circle; ",
        ", but its value is complete only at ",
        " takes part in two transfers at once: ",
        ", but that arrives only at ",
        ", but its own value is there only from ",
        " runs two merges at once: ",
        "; only neighbours may be merged",
        " transfers at once; at most ",
        " processors receive; at most ",
        "; the schedule ends at ",
    ];
    assert_tried(&sentences, &refused);
}

#[test]
fn broadcasts_are_judged_as_by_definition() {
    let mut dice = Dice(2);
    let (mut accepted, mut refused) = (0, Vec::new());
    for round in 0..4000 {
        let n = 1 + dice.below(7);
        let right = make::broadcast(n, round % 2 == 0, &mut dice);
        assert_eq!(
            check_broadcast(&right, Concurrency::Unlimited),
            Ok(()),
            "{right:?}"
        );
        assert!(twin::broadcast(&right, Concurrency::Unlimited), "{right:?}");
        for _ in 0..4 {
            let mut changed = right.clone();
            for _ in 0..=dice.below(2) {
                change_broadcast(&mut changed, &mut dice);
            }
            let limit = make::limit(&mut dice);
            let verdict = check_broadcast(&changed, limit);
            assert_eq!(
                verdict.is_ok(),
                twin::broadcast(&changed, limit),
                "{verdict:?} {limit:?} {changed:?}"
            );
            match verdict {
                Ok(()) => accepted += 1,
                Err(violation) => refused.push(violation.to_string()),
            }
        }
    }
    assert!(accepted > 1500, "{accepted}");
    let sentences = [
        ", but has the message only from ",
        ", but it is prepared only at ",
        " prepares two transfers at once: ",
        " takes part in two transfers at once: ",
        " processors send; at most ",
        "; the schedule ends at ",
    ];
    assert_tried(&sentences, &refused);
}

/// Read backwards, a reduction with equal costs is a broadcast.
#[test]
fn a_reduction_read_backwards_is_a_broadcast() {
    let mut dice = Dice(3);
    for _ in 0..500 {
        let n = 1 + dice.below(12);
        let reduction = make::equal(n, false, &mut dice);
        let SingleCosts::Equal { transfer, compute } = &reduction.costs else {
            unreachable!()
        };
        let merges = reduction.merges.as_ref().unwrap();
        let mirror = |dates: &Dates, time: &Rational| {
            let date = |i| &reduction.length - dates.get(i).unwrap() - time;
            let root = reduction.root as usize;
            Dates::Exact(
                (0..n)
                    .map(|i| if i == root { ratio(0, 1) } else { date(i) })
                    .collect(),
            )
        };
        let starts = mirror(&reduction.starts, transfer);
        let mut broadcast = Broadcast {
            costs: reduction.costs.clone(),
            root: reduction.root,
            senders: reduction.receivers.clone(),
            preparations: Some(mirror(merges, compute)),
            length: if n == 1 {
                ratio(0, 1)
            } else {
                starts.latest() + transfer
            },
            starts,
        };
        assert_eq!(
            check_broadcast(&broadcast, Concurrency::Unlimited),
            Ok(()),
            "{broadcast:?}"
        );
        broadcast.length += ratio(1, 1000);
        let refused = told(&check_broadcast(&broadcast, Concurrency::Unlimited));
        assert!(refused.contains("; the schedule ends at "), "{refused}");
    }
}

/// A chain on many processors: too long for words, so stretches of operands decide.
#[test]
fn the_order_of_many_operands_is_checked() {
    let n = 5000_u64;
    let costs = SingleCosts::Equal {
        transfer: ratio(2, 1),
        compute: ratio(3, 1),
    };
    let chain = Reduction {
        costs,
        root: 0,
        receivers: (0..n as u32).map(|i| i.saturating_sub(1)).collect(),
        starts: Dates::Ticks {
            unit: ratio(1, 1),
            ticks: (0..n)
                .map(|i| if i == 0 { 0 } else { (n - 1 - i) * 5 })
                .collect(),
        },
        merges: Some(Dates::Ticks {
            unit: ratio(1, 1),
            ticks: (0..n)
                .map(|i| if i == 0 { 0 } else { (n - 1 - i) * 5 + 2 })
                .collect(),
        }),
        ready: None,
        length: ratio((n as i64 - 1) * 5, 1),
    };
    assert_eq!(
        check_reduction(&chain, Concurrency::Reducers(n - 1)),
        Ok(())
    );
    assert_eq!(check_reduction(&chain, Concurrency::Transfers(1)), Ok(()));
    let refused = told(&check_reduction(&chain, Concurrency::Transfers(0)));
    assert!(
        refused.ends_with(" there are 1 transfers at once; at most 0 are allowed"),
        "{refused}"
    );
    assert!(check_reduction(&chain, Concurrency::Reducers(n - 2)).is_err());
    // All send to the root in the wrong order: 2, 1, 3, 4, ...
    let mut star = chain;
    star.receivers = vec![0; n as usize];
    let start = |i: u64| {
        [0, 3, 0]
            .get(i as usize)
            .copied()
            .unwrap_or(i.saturating_sub(1) * 3)
    };
    star.starts = Dates::Ticks {
        unit: ratio(1, 1),
        ticks: (0..n).map(start).collect(),
    };
    star.merges = Some(Dates::Ticks {
        unit: ratio(1, 1),
        ticks: (0..n)
            .map(|i| if i == 0 { 0 } else { start(i) + 2 })
            .collect(),
    });
    star.length = ratio((n as i64 - 1) * 3 + 2, 1);
    let fault = check_reduction(&star, Concurrency::Unlimited).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "processor 0 holds operand 0 when it merges operand 2 from processor 2; only neighbours may be merged, the operands keep their order"
    );
}

#[test]
fn messages_say_who_when_and_what_would_be_right() {
    let mut fine = Reduction {
        costs: SingleCosts::PerSender(vec![ratio(1, 1), ratio(3, 2), ratio(1, 2)]),
        root: 0,
        receivers: vec![0, 0, 0],
        starts: Dates::Exact(vec![ratio(0, 1), ratio(0, 1), ratio(3, 2)]),
        merges: None,
        ready: None,
        length: ratio(2, 1),
    };
    assert_eq!(check_reduction(&fine, Concurrency::Unlimited), Ok(()));
    fine.length = ratio(5, 2);
    let told = |reduction: &Reduction| {
        check_reduction(reduction, Concurrency::Unlimited)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        told(&fine),
        "the length is given as 5/2; the schedule ends at 2"
    );
    fine.starts = Dates::Exact(vec![ratio(0, 1), ratio(0, 1), ratio(1, 1)]);
    assert_eq!(
        told(&fine),
        "processor 0 takes part in two transfers at once: that from processor 2 starts at 1, that from processor 1 lasts until 3/2"
    );
    fine.receivers = vec![0, 2, 1];
    assert_eq!(
        told(&fine),
        "processor 1 is its own receiver by a circle; all receivers must lead to the root, processor 0"
    );
    fine.receivers.clear();
    assert_eq!(
        told(&fine),
        "there is no processor; a schedule has at least one, its root"
    );
}
