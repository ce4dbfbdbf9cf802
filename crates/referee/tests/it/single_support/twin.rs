//! The definition of a correct schedule, pair by pair: slow, and without code shared with the referee.

use num_traits::{Signed, Zero};
use oneport_plan::{Broadcast, Concurrency, Dates, Reduction, SingleCosts};
use oneport_platform::Rational;

struct Window {
    sender: usize,
    receiver: usize,
    start: Rational,
    end: Rational,
}

fn number(value: &Rational) -> bool {
    value.denom().is_positive() && !value.is_negative()
}

fn list(dates: &Dates, n: usize) -> Option<Vec<Rational>> {
    let sound = match dates {
        Dates::Ticks { unit, .. } => number(unit) && !unit.is_zero(),
        Dates::Exact(dates) => dates.iter().all(number),
    };
    (sound && dates.len() == n).then(|| (0..n).filter_map(|i| dates.get(i)).collect())
}

fn tree(partners: &[u32], root: u32) -> Option<usize> {
    let n = partners.len();
    let root = root as usize;
    if root >= n || partners.iter().any(|&p| p as usize >= n) || partners[root] as usize != root {
        return None;
    }
    let leads = |mut p: usize| {
        for _ in 0..n {
            p = partners[p] as usize;
        }
        p == root
    };
    (0..n).all(leads).then_some(root)
}

fn apart(first: (&Rational, &Rational), second: (&Rational, &Rational)) -> bool {
    first.1 <= second.0 || second.1 <= first.0
}

fn ports(windows: &[Window]) -> bool {
    windows.iter().enumerate().all(|(i, a)| {
        windows[..i].iter().all(|b| {
            let shared = [a.sender, a.receiver]
                .iter()
                .any(|p| [b.sender, b.receiver].contains(p));
            !shared || apart((&a.start, &a.end), (&b.start, &b.end))
        })
    })
}

fn within(windows: &[Window], inner: impl Fn(&Window) -> usize, limit: Concurrency) -> bool {
    match limit {
        Concurrency::Unlimited => true,
        Concurrency::Transfers(limit) => windows.iter().all(|at| {
            let running = windows
                .iter()
                .filter(|w| w.start <= at.start && at.start < w.end)
                .count();
            running as u64 <= limit
        }),
        Concurrency::Reducers(limit) => {
            let mut all: Vec<usize> = windows.iter().map(inner).collect();
            all.sort_unstable();
            all.dedup();
            all.len() as u64 <= limit
        }
    }
}

/// The operands of `p`'s value, ascending, if they can be merged by neighbours in some order of the dates.
fn operands(p: usize, partners: &[u32], merges: &[Rational]) -> Option<Vec<usize>> {
    let mut children: Vec<usize> = (0..partners.len())
        .filter(|&i| i != p && partners[i] as usize == p)
        .collect();
    children.sort_by_key(|&child| merges[child].clone());
    let parts: Option<Vec<_>> = children
        .iter()
        .map(|&child| operands(child, partners, merges))
        .collect();
    let parts: Vec<_> = parts?
        .into_iter()
        .zip(children.iter().map(|&child| &merges[child]))
        .collect();
    merge_some_way(vec![p], &parts)
}

fn merge_some_way(own: Vec<usize>, parts: &[(Vec<usize>, &Rational)]) -> Option<Vec<usize>> {
    let Some((_, date)) = parts.first() else {
        return Some(own);
    };
    for index in (0..parts.len()).take_while(|&index| parts[index].1 == *date) {
        let mut rest = parts.to_vec();
        let (part, _) = rest.remove(index);
        for both in [
            [own.clone(), part.clone()].concat(),
            [part.clone(), own.clone()].concat(),
        ] {
            if both.windows(2).all(|pair| pair[1] == pair[0] + 1)
                && let Some(found) = merge_some_way(both, &rest)
            {
                return Some(found);
            }
        }
    }
    None
}

pub fn reduction(reduction: &Reduction, limit: Concurrency) -> bool {
    judge_reduction(reduction, limit).unwrap_or(false)
}

fn judge_reduction(reduction: &Reduction, limit: Concurrency) -> Option<bool> {
    let n = reduction.receivers.len();
    let root = tree(&reduction.receivers, reduction.root)?;
    let starts = list(&reduction.starts, n)?;
    let ready = match &reduction.ready {
        Some(ready) => list(ready, n)?,
        None => vec![Rational::zero(); n],
    };
    let (times, compute, merges) = match (&reduction.costs, &reduction.merges) {
        (SingleCosts::Equal { transfer, compute }, Some(merges))
            if number(transfer) && number(compute) =>
        {
            (vec![transfer.clone(); n], compute.clone(), list(merges, n)?)
        }
        (SingleCosts::PerSender(times), None) if times.len() == n => {
            let right = times
                .iter()
                .enumerate()
                .all(|(i, time)| i == root || number(time) && !time.is_zero());
            if !right {
                return None;
            }
            let arrivals = (0..n).map(|i| {
                if i == root {
                    Rational::zero()
                } else {
                    &starts[i] + &times[i]
                }
            });
            (times.clone(), Rational::zero(), arrivals.collect())
        }
        _ => return None,
    };
    let senders = || (0..n).filter(|&i| i != root);
    let windows: Vec<Window> = senders()
        .map(|i| Window {
            sender: i,
            receiver: reduction.receivers[i] as usize,
            start: starts[i].clone(),
            end: &starts[i] + &times[i],
        })
        .collect();
    let equal = reduction.merges.is_some();
    let merged = windows
        .iter()
        .all(|w| merges[w.sender] >= w.end && (!equal || merges[w.sender] >= ready[w.receiver]));
    let ends: Vec<Rational> = merges.iter().map(|merge| merge + &compute).collect();
    let one_merge = !equal
        || windows.iter().all(|a| {
            windows.iter().all(|b| {
                a.sender == b.sender
                    || a.receiver != b.receiver
                    || apart(
                        (&merges[a.sender], &ends[a.sender]),
                        (&merges[b.sender], &ends[b.sender]),
                    )
            })
        });
    let complete = windows.iter().all(|w| {
        w.start >= ready[w.sender]
            && windows
                .iter()
                .all(|v| v.receiver != w.sender || w.start >= ends[v.sender])
    });
    let end = windows
        .iter()
        .map(|w| ends[w.sender].clone().max(w.end.clone()))
        .max()
        .unwrap_or_default();
    let right = end.max(ready[root].clone()) == reduction.length && number(&reduction.length);
    let ordered = !equal
        || reduction.ready.is_some()
        || operands(root, &reduction.receivers, &merges) == Some((0..n).collect::<Vec<usize>>());
    let still = starts[root].is_zero() && (!equal || merges[root].is_zero());
    let limited = within(&windows, |w| w.receiver, limit);
    Some(ports(&windows) && merged && one_merge && complete && right && ordered && still && limited)
}

pub fn broadcast(broadcast: &Broadcast, limit: Concurrency) -> bool {
    judge_broadcast(broadcast, limit).unwrap_or(false)
}

fn judge_broadcast(broadcast: &Broadcast, limit: Concurrency) -> Option<bool> {
    let n = broadcast.senders.len();
    let root = tree(&broadcast.senders, broadcast.root)?;
    let starts = list(&broadcast.starts, n)?;
    let sender = |i: usize| broadcast.senders[i] as usize;
    let others = || (0..n).filter(|&i| i != root);
    let (times, compute, prepared) = match (&broadcast.costs, &broadcast.preparations) {
        (SingleCosts::Equal { transfer, compute }, Some(dates))
            if number(transfer) && number(compute) =>
        {
            (vec![transfer.clone(); n], compute.clone(), list(dates, n)?)
        }
        (SingleCosts::PerSender(times), None) if times.len() == n => {
            if others().any(|i| !number(&times[sender(i)]) || times[sender(i)].is_zero()) {
                return None;
            }
            (
                (0..n).map(|i| times[sender(i)].clone()).collect(),
                Rational::zero(),
                starts.clone(),
            )
        }
        _ => return None,
    };
    let windows: Vec<Window> = others()
        .map(|i| Window {
            sender: sender(i),
            receiver: i,
            start: starts[i].clone(),
            end: &starts[i] + &times[i],
        })
        .collect();
    let informed = windows.iter().all(|w| {
        let mut own = windows.iter().filter(|v| v.receiver == w.sender);
        own.all(|v| prepared[w.receiver] >= v.end) && w.start >= &prepared[w.receiver] + &compute
    });
    let one_preparation = windows.iter().all(|a| {
        windows.iter().all(|b| {
            let [p, q] = [&prepared[a.receiver], &prepared[b.receiver]];
            a.receiver == b.receiver
                || a.sender != b.sender
                || apart((p, &(p + &compute)), (q, &(q + &compute)))
        })
    });
    let end = windows
        .iter()
        .map(|w| w.end.clone())
        .max()
        .unwrap_or_default();
    let still = starts[root].is_zero() && prepared[root].is_zero();
    let right = number(&broadcast.length) && end == broadcast.length;
    Some(
        ports(&windows)
            && informed
            && one_preparation
            && still
            && right
            && within(&windows, |w| w.sender, limit),
    )
}
