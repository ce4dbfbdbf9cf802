//! Start times against inequality (1) of Liu-Kuo-Wang 2009, section 3.
//!
//! At a date `t` a sender is *active* from its start on until its time has passed, and *complete* from then on.
//! `A(s,t)` and `C(s,t)` count them. Every active transfer takes two processors, every complete sender has left. So
//! start times `s` belong to a schedule if and only if `2 A(s,t) + C(s,t) <= n` at all dates `t`, `n` processors in all
//! (the destination included). The sum only grows at starts.

use num_traits::Signed;
use oneport_platform::Rational;

use crate::{Error, Processors};

/// The first break of inequality (1) by start times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crowded {
    /// The date.
    pub date: Rational,
    /// Active senders, `A(s,t)`.
    pub active: u64,
    /// Complete senders, `C(s,t)`.
    pub complete: u64,
    /// All processors, `n`.
    pub processors: u64,
}

/// Start times that belong to a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The senders by their starts, ties by number.
    pub sequence: Vec<usize>,
    /// When the last of them ends.
    pub length: Rational,
}

/// Holds start times against inequality (1). `starts` has an entry per processor, that of the destination is ignored.
/// The earliest-possible schedule of the sequence found ([`earliest`](crate::earliest())) is never longer (section 3).
/// O(n log n).
///
/// # Errors
/// A list of another length. A negative start.
pub fn check_starts(
    processors: &Processors,
    starts: &[Rational],
) -> Result<Result<Started, Crowded>, Error> {
    let times = processors.times();
    if starts.len() != times.len() {
        let why = format!(
            "there are {} starts for {} processors",
            starts.len(),
            times.len()
        );
        return Err(Error::NoSequence(why));
    }
    if let Some(sender) = processors
        .senders()
        .find(|&sender| starts[sender].is_negative())
    {
        return Err(Error::NoSequence(format!(
            "processor {sender} starts at {}; give 0 or more",
            starts[sender]
        )));
    }
    let mut sequence: Vec<usize> = processors.senders().collect();
    sequence.sort_by(|&a, &b| starts[a].cmp(&starts[b]).then(a.cmp(&b)));
    let mut ends: Vec<Rational> = sequence
        .iter()
        .map(|&sender| &starts[sender] + &times[sender])
        .collect();
    ends.sort();
    let (mut started, mut complete) = (0, 0);
    while let Some(&sender) = sequence.get(started) {
        let date = &starts[sender];
        started += sequence[started..]
            .iter()
            .take_while(|&&other| starts[other] == *date)
            .count();
        complete += ends[complete..]
            .iter()
            .take_while(|end| *end <= date)
            .count();
        let active = started - complete;
        if 2 * active + complete > times.len() {
            let [active, complete, processors] =
                [active, complete, times.len()].map(|count| count as u64);
            return Ok(Err(Crowded {
                date: date.clone(),
                active,
                complete,
                processors,
            }));
        }
    }
    Ok(Ok(Started {
        length: ends.pop().unwrap_or_default(),
        sequence,
    }))
}
