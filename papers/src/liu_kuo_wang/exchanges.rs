//! The rearrangements in the proofs of theorems 1 and 4 of Liu-Kuo-Wang 2009, one after another as printed, up to the
//! first that cannot be made.

use anyhow::{Result, ensure};

use super::brute::{self, EarliestRun, is_valid};

/// Where a proof stops: a slowest sender starts within the window of a faster one.
#[derive(Debug, PartialEq, Eq)]
pub struct Stop {
    /// Start of the slowest sender.
    pub start: u64,
    /// Its time.
    pub time: u64,
    /// The window of the faster one.
    pub window: [u64; 2],
    /// The number of senders in a row, each as fast, that end at the start of this window.
    pub levels: usize,
    /// Rearrangements before.
    pub moves: usize,
}

/// The proofs: the earliest slowest sender that has a faster one before it is moved before the last of these, until
/// there is none. `lemma_3` is allowed for theorem 4. `None` if the proof reaches slowest node first.
pub fn printed_proof(times: &[u64], lemma_3: bool) -> Result<Option<Stop>> {
    let mut run = brute::earliest(times);
    ensure!(
        in_form(times, &run),
        "{times:?}: not in the form of corollary 1"
    );
    let slowest = times.iter().copied().max().unwrap_or(0);
    let mut moves = 0;
    loop {
        let before = |p: usize, run: &EarliestRun| -> Vec<usize> {
            let faster = |&q: &usize| times[q] < slowest && run.starts[q] < run.starts[p];
            (0..times.len()).filter(faster).collect()
        };
        let late = (0..times.len()).filter(|&p| times[p] == slowest && !before(p, &run).is_empty());
        let Some(p) = late.min_by_key(|&p| run.starts[p]) else {
            return Ok(None);
        };
        let ends = |q: usize| run.starts[q] + times[q];
        let Some(q) = before(p, &run).into_iter().max_by_key(|&q| ends(q)) else {
            return Ok(None);
        };
        let start = run.starts[p];
        if ends(q) <= start {
            // Delayed until it ends there, and lemma 2.
            run.starts[p] = start - times[q];
            run.starts[q] = start - times[q] + slowest;
        } else {
            let chain = chain(times, &run, q);
            let [q2, q3, ..] = chain[..] else {
                return Ok(Some(stop(times, &run, (p, q), moves)));
            };
            if !lemma_3 {
                return Ok(Some(stop(times, &run, (p, q), moves)));
            }
            run.starts[p] = run.starts[q3];
            run.starts[q3] = start;
            run.starts[q] = start + slowest - times[q];
            run.starts[q2] = start + slowest - 2 * times[q];
        }
        moves += 1;
        let length = (0..times.len()).map(|i| run.starts[i] + times[i]).max();
        ensure!(
            is_valid(times, &run),
            "{times:?}: invalid after {moves} moves"
        );
        ensure!(
            length <= Some(run.length),
            "{times:?}: longer after {moves} moves"
        );
    }
}

fn stop(times: &[u64], run: &EarliestRun, (p, q): (usize, usize), moves: usize) -> Stop {
    Stop {
        start: run.starts[p],
        time: times[p],
        window: [run.starts[q], run.starts[q] + times[q]],
        levels: chain(times, run, q).len(),
        moves,
    }
}

/// Senders as fast as `q`, each ending at the start of the next one, from `q`'s start back.
fn chain(times: &[u64], run: &EarliestRun, q: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut at = run.starts[q];
    while let Some(r) =
        (0..times.len()).find(|&r| times[r] == times[q] && run.starts[r] + times[r] == at)
    {
        chain.push(r);
        at = run.starts[r];
    }
    chain
}

/// Whether predecessors can be chosen so that none is faster than its successor (corollary 1): by dates, every sender
/// takes the two fastest of the processors that are free and not faster than itself.
fn in_form(times: &[u64], run: &EarliestRun) -> bool {
    let mut free: Vec<u64> = vec![u64::MAX; times.len() + 1];
    let mut active: Vec<usize> = Vec::new();
    let mut dates = run.starts.clone();
    dates.sort_unstable();
    dates.dedup();
    dates.into_iter().all(|date| {
        active.retain(|&i| {
            let ended = run.starts[i] + times[i] <= date;
            free.extend(ended.then_some(times[i]));
            !ended
        });
        free.sort_unstable();
        let mut starting: Vec<usize> = (0..times.len())
            .filter(|&i| run.starts[i] == date)
            .collect();
        starting.sort_by_key(|&i| times[i]);
        starting.into_iter().all(|i| {
            active.push(i);
            let from = free.partition_point(|&time| time < times[i]);
            let enough = from + 2 <= free.len();
            free.drain(from..(from + 2).min(free.len()));
            enough
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_that_reaches_its_end() -> Result<()> {
        // A slow sender right after two fast ones is exchanged. Powers of 2 in order need no exchange.
        assert_eq!(printed_proof(&[4, 4, 2, 2, 1, 1], false)?, None);
        assert!(printed_proof(&[1, 1, 2], false).is_err(), "not in form");
        Ok(())
    }
}
