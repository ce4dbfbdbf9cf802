//! Which slots matter to which sender.
//!
//! The senders are taken in order of their times, fastest first, so that no sender is above a faster one (Liu-Kuo-Wang
//! 2009, Observation 1). A slot of date `a` leaves `r = D - a` before the deadline. Below it hang senders later in the
//! order, in sequence: `r` may be rounded down to a sum of times of later senders, and slots that become equal are
//! equal for all that follows. The few remaining slots are numbered: the search handles slots as 16-bit numbers.

/// No slot: nothing fits in what remains.
pub(super) const DEAD: u16 = u16::MAX;
/// Sums of later times kept per stage. With more, slots are not rounded. Trades memory for fewer states. Not measured.
const MOST_SUMS: usize = 1 << 15;
/// Limit for all stages together. Trades memory for fewer states. Not measured.
const ALL_SUMS: usize = 1 << 22;

/// The slots that may be open at one sender's turn, by the time that they leave before the deadline, ascending.
pub(super) struct Stage {
    /// The time that each slot leaves before the deadline.
    pub rests: Vec<u64>,
    /// Per slot: the number at the next stage of each of the two slots that open if the sender takes it.
    pub take: Vec<u16>,
    /// Per slot: its number at the next stage if the sender does not take it.
    pub stay: Vec<u16>,
}

/// The stages of all senders with these times (ascending) under a deadline. `None` if a stage has too many slots.
///
/// The first stage has one slot at most: that of date 0.
pub(super) fn stages(times: &[u64], deadline: u64) -> Option<Vec<Stage>> {
    let sums = suffix_sums(times, deadline);
    let mut rests = Vec::from_iter(floor(
        sums.first().and_then(Option::as_deref),
        deadline,
        times.first().copied(),
    ));
    let mut stages = Vec::with_capacity(times.len());
    for (sender, &time) in times.iter().enumerate() {
        let later = sums.get(sender + 1).and_then(Option::as_deref);
        let next = times.get(sender + 1).copied();
        let target = |rest: u64| floor(later, rest, next);
        let taken: Vec<Option<u64>> = rests.iter().map(|&rest| target(rest - time)).collect();
        let stayed: Vec<Option<u64>> = rests.iter().map(|&rest| target(rest)).collect();
        let mut open: Vec<u64> = taken.iter().chain(&stayed).flatten().copied().collect();
        open.sort_unstable();
        open.dedup();
        if open.len() >= usize::from(DEAD) {
            return None;
        }
        let number = |rest: &Option<u64>| match rest.map(|rest| open.binary_search(&rest)) {
            Some(Ok(index)) => index as u16,
            _ => DEAD,
        };
        let (take, stay) = (
            taken.iter().map(number).collect(),
            stayed.iter().map(number).collect(),
        );
        stages.push(Stage {
            rests: std::mem::replace(&mut rests, open),
            take,
            stay,
        });
    }
    Some(stages)
}

/// The slots of all these stages.
pub(super) fn cells(stages: &[Stage]) -> usize {
    stages.iter().map(|stage| stage.rests.len()).sum()
}

/// The largest sum of later times within `rest`. `None` if not even the next time fits.
fn floor(sums: Option<&[u64]>, rest: u64, next: Option<u64>) -> Option<u64> {
    next.filter(|&next| next <= rest)?;
    let Some(sums) = sums else { return Some(rest) };
    let index = sums.partition_point(|&sum| sum <= rest);
    index.checked_sub(1).map(|index| sums[index])
}

/// All sums of these times up to `latest`. `None` if they are too many.
pub(super) fn sums(times: &[u64], latest: u64) -> Option<Vec<u64>> {
    suffix_sums(times, latest).into_iter().next().flatten()
}

/// Per sender the sums, up to the deadline, of the times of it and later ones. `None` if they are too many.
fn suffix_sums(times: &[u64], deadline: u64) -> Vec<Option<Vec<u64>>> {
    let mut sums = vec![None; times.len() + 1];
    let mut last = vec![0u64];
    let mut all = 0;
    sums[times.len()] = Some(last.clone());
    for (sender, &time) in times.iter().enumerate().rev() {
        let fitting = last.partition_point(|&sum| sum <= deadline.saturating_sub(time));
        let shifted = last[..if time <= deadline { fitting } else { 0 }]
            .iter()
            .map(|&sum| sum + time);
        let mut both: Vec<u64> = last.iter().copied().chain(shifted).collect();
        both.sort_unstable();
        both.dedup();
        all += both.len();
        if both.len() > MOST_SUMS || all > ALL_SUMS {
            break;
        }
        sums[sender] = Some(both.clone());
        last = both;
    }
    sums
}
