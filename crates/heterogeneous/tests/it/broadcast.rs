//! Broadcasts, fastest node first, and all-reductions.

use crate::common;

use common::{Dice, int, optimum, ratio, replay};
use oneport_heterogeneous::broadcast::{fastest_first, lower_bound};
use oneport_heterogeneous::{Error, all_reduce};
use oneport_plan::{Broadcast, Dates, SingleCosts};
use oneport_platform::Rational;

fn rationals(times: &[u64]) -> Vec<Rational> {
    times.iter().map(|&time| int(time as i64)).collect()
}

/// From the definition: a sender has the message, and no node is in two transfers at once.
fn check(broadcast: &Broadcast) -> Rational {
    let SingleCosts::PerSender(times) = &broadcast.costs else {
        panic!("per sender")
    };
    let root = broadcast.root as usize;
    let mut transfers: Vec<(Rational, Rational, usize, usize)> = (0..times.len())
        .filter(|&receiver| receiver != root)
        .map(|receiver| {
            let sender = broadcast.senders[receiver] as usize;
            let start = broadcast.starts.get(receiver).unwrap();
            (start.clone(), start + &times[sender], sender, receiver)
        })
        .collect();
    transfers.sort();
    let mut free: Vec<Option<Rational>> = vec![None; times.len()];
    free[root] = Some(int(0));
    let mut last = int(0);
    for (start, end, sender, receiver) in transfers {
        assert!(free[receiver].is_none() && free[sender].clone().unwrap() <= start);
        free[sender] = Some(end.clone());
        free[receiver] = Some(end.clone());
        last = last.max(end);
    }
    assert!(free.iter().all(Option::is_some));
    assert_eq!(broadcast.length, last);
    last
}

/// The shortest broadcast: every order of sends, for every free sender and every receiver.
fn shortest_broadcast(times: &[u64], source: usize) -> u64 {
    fn go(times: &[u64], free: &mut Vec<Option<u64>>, after: u64, end: u64, best: &mut u64) {
        if end >= *best {
            return;
        }
        if free.iter().all(Option::is_some) {
            *best = end;
            return;
        }
        // Transfers by start: the next one starts no earlier than the last.
        for sender in 0..times.len() {
            let Some(ready) = free[sender] else { continue };
            let start = ready.max(after);
            let stop = start + times[sender];
            for receiver in 0..times.len() {
                if free[receiver].is_some() {
                    continue;
                }
                free[sender] = Some(stop);
                free[receiver] = Some(stop);
                go(times, free, start, end.max(stop), best);
                free[sender] = Some(ready);
                free[receiver] = None;
            }
        }
    }
    let mut best = u64::MAX;
    let mut free = vec![None; times.len()];
    free[source] = Some(0);
    go(times, &mut free, 0, 0, &mut best);
    best
}

#[test]
fn fastest_first_against_all_broadcasts() {
    let mut random = Dice(21);
    let (mut optimal, mut closed, mut rounds) = (0, 0, 0);
    for round in 0..250 {
        let n = random.within(1, if round < 230 { 5 } else { 6 }) as usize;
        let most = random.within(2, 20);
        let times: Vec<u64> = (0..n).map(|_| random.within(1, most)).collect();
        let fastest = (0..n).min_by_key(|&processor| times[processor]).unwrap();
        for source in [fastest, random.within(0, n as u64 - 1) as usize] {
            let broadcast = fastest_first(&rationals(&times), source).unwrap();
            let length = check(&broadcast);
            let best = int(shortest_broadcast(&times, source) as i64);
            let bound = lower_bound(&rationals(&times), source).unwrap();
            assert!(
                bound <= best && best <= length,
                "{times:?} from {source}: {bound} {best} {length}"
            );
            let factor = if source == fastest {
                ratio(3, 2)
            } else {
                int(2)
            };
            assert!(length <= factor * &best, "{times:?} from {source}");
            optimal += u32::from(length == best);
            closed += u32::from(bound == best);
            rounds += 1;
        }
    }
    assert!(
        optimal > rounds / 2 && closed > rounds / 4,
        "{optimal} {closed} of {rounds}"
    );
}

/// Theorem 3.
#[test]
fn all_reductions() {
    let mut random = Dice(23);
    for _ in 0..150 {
        let n = random.within(1, 5) as usize;
        let times: Vec<u64> = (0..n).map(|_| random.within(1, 15)).collect();
        let answer = all_reduce(&rationals(&times)).unwrap();
        assert_eq!(
            replay(&answer.reduction) + check(&answer.broadcast),
            answer.length
        );
        assert_eq!(answer.reduction.root, answer.broadcast.root);
        // An all-reduction reduces to every processor, and broadcasts from every one.
        let reductions = (0..n).map(|destination| {
            let mut senders = times.clone();
            senders.remove(destination);
            if n == 1 { 0 } else { optimum(&senders) }
        });
        let broadcasts = (0..n).map(|source| shortest_broadcast(&times, source));
        let least = int(reductions.chain(broadcasts).max().unwrap() as i64);
        assert!(answer.lower_bound <= least, "{times:?}");
        assert!(answer.length <= ratio(7, 2) * &least, "{times:?}");
        assert!(answer.lower_bound <= answer.length);
    }
}

#[test]
fn large_and_refused() {
    let mut random = Dice(24);
    let times: Vec<Rational> = (0..3000)
        .map(|_| ratio(random.within(100, 2000) as i64, 7))
        .collect();
    let broadcast = fastest_first(&times, 17).unwrap();
    check(&broadcast);
    assert!(matches!(broadcast.starts, Dates::Ticks { .. }));
    let bound = lower_bound(&times, 17).unwrap();
    assert!(bound <= broadcast.length && &bound * int(2) >= broadcast.length);
    let huge: Vec<Rational> = times[..20]
        .iter()
        .map(|time| time * int(i64::MAX) + ratio(1, 1_000_003))
        .collect();
    let broadcast = fastest_first(&huge, 3).unwrap();
    check(&broadcast);
    assert!(matches!(broadcast.starts, Dates::Exact(_)));
    assert!(lower_bound(&huge, 3).unwrap() <= broadcast.length);
    assert_eq!(fastest_first(&[], 0).unwrap_err(), Error::NoProcessor);
    assert!(matches!(
        fastest_first(&[int(1)], 1),
        Err(Error::DestinationOutOfRange { .. })
    ));
    assert!(matches!(
        fastest_first(&[int(1), int(0)], 0),
        Err(Error::NotPositive { .. })
    ));
    assert_eq!(fastest_first(&[int(4)], 0).unwrap().length, int(0));
    assert_eq!(all_reduce(&[]).unwrap_err(), Error::NoProcessor);
}
