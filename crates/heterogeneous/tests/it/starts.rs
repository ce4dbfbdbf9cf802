//! Start times: inequality (1) date by date, against real assignments of receivers.

use oneport_heterogeneous::{Crowded, Rational, check_starts, earliest};
use oneport_platform::whole;

use crate::common::processors;

fn starts(starts: &[u64]) -> Vec<Rational> {
    starts
        .iter()
        .chain([&0])
        .map(|&start| whole(start))
        .collect()
}

/// The example of the theory: four are active and one complete at 4, of seven.
#[test]
fn the_first_violation_is_named() {
    let own = processors(&[5, 5, 5, 4, 2, 2]);
    let found = check_starts(&own, &starts(&[0, 1, 6, 2, 0, 4])).unwrap();
    assert_eq!(
        found,
        Err(Crowded {
            date: whole(4),
            active: 4,
            complete: 1,
            processors: 7
        })
    );
}

/// Whether receivers exist for these starts: every sender needs another processor that is free for its time and sends
/// later or never (by trying all).
fn feasible(times: &[u64], starts: &[u64]) -> bool {
    let n = times.len() + 1;
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&sender| (starts[sender], sender));
    // busy[p]: end of the last transfer of p, or u64::MAX once it has sent.
    fn go(
        order: &[usize],
        times: &[u64],
        starts: &[u64],
        busy: &mut Vec<u64>,
        sent: &mut Vec<bool>,
    ) -> bool {
        let Some((&sender, rest)) = order.split_first() else {
            return true;
        };
        if busy[sender] > starts[sender] {
            return false;
        }
        sent[sender] = true;
        let found = (0..busy.len()).any(|receiver| {
            if receiver == sender || sent[receiver] || busy[receiver] > starts[sender] {
                return false;
            }
            let before = busy[receiver];
            busy[receiver] = starts[sender] + times[sender];
            let found = go(rest, times, starts, busy, sent);
            busy[receiver] = before;
            found
        });
        sent[sender] = false;
        found
    }
    go(&order, times, starts, &mut vec![0; n], &mut vec![false; n])
}

/// Up to four senders at all starts up to 5: inequality (1) holds if and only if there are receivers, and the
/// earliest-possible schedule of the same sequence is never longer.
#[test]
fn starts_are_a_schedule_if_and_only_if_there_are_receivers() {
    let (mut right, mut wrong, mut shorter) = (0, 0, 0);
    for times in [
        &[1][..],
        &[2, 1],
        &[1, 1, 2],
        &[2, 2, 3],
        &[1, 2, 3, 1],
        &[2, 2, 2, 2],
        &[3, 1, 1, 2],
    ] {
        let own = processors(times);
        for code in 0..6_u64.pow(times.len() as u32) {
            let list: Vec<u64> = (0..times.len() as u32)
                .map(|index| code / 6_u64.pow(index) % 6)
                .collect();
            let found = check_starts(&own, &starts(&list)).unwrap();
            assert_eq!(found.is_ok(), feasible(times, &list), "{times:?} {list:?}");
            match found {
                Ok(started) => {
                    let end = list
                        .iter()
                        .zip(times)
                        .map(|(start, time)| start + time)
                        .max()
                        .unwrap();
                    assert_eq!(started.length, whole(end));
                    let early = earliest(&own, &started.sequence).unwrap().length;
                    assert!(early <= started.length, "{times:?} {list:?}");
                    shorter += usize::from(early < started.length);
                    right += 1;
                }
                Err(crowded) => {
                    let active = |date: u64| {
                        let active =
                            |(start, time): (&u64, &u64)| *start <= date && date < start + time;
                        list.iter().zip(times).filter(|&pair| active(pair)).count() as u64
                    };
                    let complete = |date: u64| {
                        list.iter()
                            .zip(times)
                            .filter(|(start, time)| **start + **time <= date)
                            .count() as u64
                    };
                    let first = (0..12)
                        .find(|&date| 2 * active(date) + complete(date) > times.len() as u64 + 1)
                        .unwrap();
                    assert_eq!(crowded.date, whole(first));
                    assert_eq!(
                        (crowded.active, crowded.complete),
                        (active(first), complete(first))
                    );
                    wrong += 1;
                }
            }
        }
    }
    assert!(
        right > 500 && wrong > 500 && shorter > 100,
        "{right} {wrong} {shorter}"
    );
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let own = processors(&[2, 1]);
    let told = |list: &[Rational]| check_starts(&own, list).unwrap_err().to_string();
    assert!(told(&[whole(0)]).contains("1 starts for 3 processors"));
    assert!(told(&[whole(0), whole(0) - whole(1), whole(0)]).contains("processor 1 starts at -1"));
    // The destination's entry has no meaning.
    assert!(
        check_starts(&own, &[whole(0), whole(2), whole(0) - whole(9)])
            .unwrap()
            .is_ok()
    );
}
