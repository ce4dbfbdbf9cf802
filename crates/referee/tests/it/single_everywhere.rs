//! One broadcast and one all-reduction with bounds on their lengths.

use oneport_plan::{
    Broadcast, Concurrency, Dates, Proof, Reduction, SingleAllReduce, SingleBroadcast, SingleCosts,
    Status,
};
use oneport_platform::{Rational, whole};
use oneport_referee::{Recheck, Rule, check_all_reduce, check_single_broadcast};

use crate::single_support::{Dice, make, ratio};

fn dates(ticks: &[u64]) -> Dates {
    Dates::Exact(ticks.iter().map(|&tick| whole(tick)).collect())
}

/// The source sends to all others itself.
fn star(times: &[u64], root: usize) -> Broadcast {
    let (mut starts, mut now) = (vec![0; times.len()], 0);
    for (index, start) in starts.iter_mut().enumerate() {
        if index != root {
            *start = now;
            now += times[root];
        }
    }
    Broadcast {
        costs: SingleCosts::PerSender(times.iter().map(|&time| whole(time)).collect()),
        root: root as u32,
        senders: vec![root as u32; times.len()],
        starts: dates(&starts),
        preparations: None,
        length: whole(now),
    }
}

/// The shortest broadcast, by trying every list of transfers.
fn shortest(times: &[u64], free: &mut Vec<Option<u64>>, length: u64, best: &mut u64) {
    if length >= *best {
        return;
    }
    if free.iter().all(Option::is_some) {
        *best = length;
        return;
    }
    for sender in 0..times.len() {
        let Some(start) = free[sender] else { continue };
        let end = start + times[sender];
        for receiver in 0..times.len() {
            if free[receiver].is_none() {
                (free[sender], free[receiver]) = (Some(end), Some(end));
                shortest(times, free, length.max(end), best);
                (free[sender], free[receiver]) = (Some(start), None);
            }
        }
    }
}

fn one(broadcast: Broadcast, lower_bound: Rational) -> SingleBroadcast {
    SingleBroadcast {
        broadcast,
        limit: Concurrency::Unlimited,
        lower_bound,
        proof: None,
    }
}

/// With a time per sender no bound above the optimum is accepted, and the optimum itself often is.
#[test]
fn a_bound_above_the_shortest_broadcast_is_refused() {
    let mut dice = Dice(5);
    let (mut refused, mut met) = (0, 0);
    for _ in 0..300 {
        let times: Vec<u64> = (0..2 + dice.below(4)).map(|_| 1 + dice.below(9)).collect();
        let root = dice.below(times.len());
        let (mut free, mut best) = (vec![None; times.len()], u64::MAX);
        free[root] = Some(0);
        shortest(&times, &mut free, 0, &mut best);
        let broadcast = star(&times, root);
        assert_eq!(
            check_single_broadcast(&one(broadcast.clone(), whole(0))),
            Ok(Recheck::Proved)
        );
        met += u32::from(check_single_broadcast(&one(broadcast.clone(), whole(best))).is_ok());
        let above = whole(best) + ratio(1, 3);
        if above <= broadcast.length {
            let told = check_single_broadcast(&one(broadcast, above)).unwrap_err();
            assert_eq!(told.rule(), Rule::Proof, "{times:?} from {root}: {told}");
            refused += 1;
        }
    }
    assert!(refused > 50 && met > 100, "{refused} refused, {met} met");
}

/// Schedules of both models are judged as they are alone. A bound above the length and a proof of another problem are
/// refused.
#[test]
fn broadcasts_are_judged_with_their_bounds() {
    let mut dice = Dice(6);
    for round in 0..200 {
        let equal = round % 2 == 0;
        let broadcast = make::broadcast(1 + dice.below(8), equal, &mut dice);
        let length = broadcast.length.clone();
        let good = one(broadcast, whole(0));
        let free = good.broadcast.senders.len() == 1;
        assert_eq!(good.stated_status() == Status::Optimal, length == whole(0));
        let recheck = check_single_broadcast(&good).unwrap();
        assert!(
            free || equal == matches!(recheck, Recheck::Unrepeated { .. }),
            "{good:?}"
        );
        let above = SingleBroadcast {
            lower_bound: &length + ratio(1, 7),
            ..good.clone()
        };
        assert_eq!(
            check_single_broadcast(&above).unwrap_err().rule(),
            Rule::Claim
        );
        let counted = SingleBroadcast {
            proof: Some(Proof::Counting),
            ..good.clone()
        };
        match check_single_broadcast(&counted) {
            Ok(recheck) => assert!(equal && recheck == Recheck::Proved),
            Err(violation) => assert!(!equal && violation.rule() == Rule::Proof, "{violation}"),
        }
        let mut late = good;
        late.broadcast.length += ratio(1, 7);
        assert!(check_single_broadcast(&late).is_err());
    }
}

/// Times 1, 2 and 3 over processor 0: 2 and 1 send to it in sequence, and it sends back.
fn all_reduce() -> SingleAllReduce {
    let times = [1, 2, 3];
    SingleAllReduce {
        reduction: Reduction {
            costs: SingleCosts::PerSender(times.map(whole).to_vec()),
            root: 0,
            receivers: vec![0, 0, 0],
            starts: dates(&[0, 3, 0]),
            merges: None,
            ready: None,
            length: whole(5),
        },
        broadcast: star(&times, 0),
        lower_bound: whole(5),
        proof: Some((0, Proof::Exhaustion { states: 1 })),
    }
}

#[test]
fn all_reductions_are_judged_with_their_bounds() {
    let good = all_reduce();
    assert_eq!(
        (good.length(), good.stated_status()),
        (whole(7), Status::Feasible)
    );
    assert_eq!(check_all_reduce(&good), Ok(Recheck::Proved));
    let changed = |change: &dyn Fn(&mut SingleAllReduce)| {
        let mut all = good.clone();
        change(&mut all);
        check_all_reduce(&all)
    };
    // From the slowest processor the message takes 3 to the fastest, which passes it on in 1.
    let spread = |bound| {
        changed(&|all: &mut SingleAllReduce| {
            (all.proof, all.lower_bound) = (None, whole(bound));
        })
    };
    assert_eq!(spread(4), Ok(Recheck::Proved));
    assert_eq!(spread(5).unwrap_err().rule(), Rule::Proof);
    let rules = [
        // No reduction into processor 0 takes less than 5, but one into processor 2 takes 3.
        (Rule::Proof, changed(&|all| all.lower_bound = whole(6))),
        (
            Rule::Proof,
            changed(&|all| all.proof = Some((2, Proof::Exhaustion { states: 1 }))),
        ),
        (
            Rule::Proof,
            changed(&|all| all.proof = Some((3, Proof::Exhaustion { states: 1 }))),
        ),
        (
            Rule::Proof,
            changed(&|all| all.proof = Some((0, Proof::Counting))),
        ),
        (Rule::Claim, changed(&|all| all.lower_bound = whole(8))),
        (
            Rule::Single,
            changed(&|all| all.broadcast = star(&[1, 2, 3], 1)),
        ),
        (
            Rule::Single,
            changed(&|all| all.broadcast = star(&[1, 2, 4], 0)),
        ),
    ];
    for (rule, found) in rules {
        assert_eq!(found.unwrap_err().rule(), rule);
    }
    assert!(changed(&|all| all.reduction.starts = dates(&[0, 2, 0])).is_err());
    assert!(changed(&|all| all.broadcast.starts = dates(&[0, 0, 0])).is_err());
}
