//! Slots over dates, and the senders that take them, read backwards from the end.

/// Beyond the deadline.
pub(super) const LATE: u32 = u32::MAX;
/// No sender takes the slots of a date.
pub(super) const IDLE: u16 = u16::MAX;
/// Fact: the largest absolute value. Sums of `2^7` fit 128 bits.
pub(super) const CEILING: i128 = 1 << 120;
/// Fact: the largest count.
pub(super) const MANY: u128 = 1 << 100;

/// The dates of all slots: sums of times up to a latest one.
pub(super) struct Flow {
    /// Per class, fastest first.
    pub times: Vec<u64>,
    /// Ascending, from 0 on.
    pub dates: Vec<u64>,
    /// Per class and date: the index of the date one transfer later.
    pub next: Vec<Vec<u32>>,
}

/// For given weights the least prices, and which class each slot is worth its price for.
pub(super) struct Potential {
    /// Per date.
    pub prices: Vec<i128>,
    /// Per date: a class, or [`IDLE`].
    pub choice: Vec<u16>,
}

impl Flow {
    /// All sums of times up to `latest`. `None` if there are more than `most`.
    pub(super) fn new(times: Vec<u64>, latest: u64, most: usize) -> Option<Flow> {
        let mut dates = vec![0u64];
        let mut heads = vec![0usize; times.len()];
        loop {
            let sums = heads
                .iter()
                .zip(&times)
                .filter_map(|(&head, &time)| dates[head].checked_add(time));
            let Some(date) = sums.min().filter(|&date| date <= latest) else {
                break;
            };
            if dates.len() == most {
                return None;
            }
            dates.push(date);
            for (head, &time) in heads.iter_mut().zip(&times) {
                while dates[*head]
                    .checked_add(time)
                    .is_some_and(|sum| sum <= date)
                {
                    *head += 1;
                }
            }
        }
        let next = times.iter().map(|&time| successors(&dates, time)).collect();
        Some(Flow { times, dates, next })
    }

    /// Where a sender of a class that takes a slot of a date opens two, if it ends by the deadline (an index of a
    /// date).
    pub(super) fn opens(&self, class: usize, date: usize, deadline: usize) -> Option<usize> {
        let index = self.next[class][date];
        (index != LATE && index as usize <= deadline).then_some(index as usize)
    }

    /// The least prices `y >= 0` with `y(a) >= w_i + 2 y(a + t_i)` if `a + t_i` is by the deadline. Slots of the date
    /// `closed` are closed to the first `first` classes.
    pub(super) fn potential(
        &self,
        weights: &[i128],
        deadline: usize,
        (closed, first): (usize, usize),
    ) -> Potential {
        let mut prices = vec![0i128; deadline + 1];
        let mut choice = vec![IDLE; deadline + 1];
        for date in (0..deadline).rev() {
            let from = if date == closed { first } else { 0 };
            for (class, &weight) in weights.iter().enumerate().skip(from) {
                let Some(open) = self.opens(class, date, deadline) else {
                    break;
                };
                let worth = (weight + 2 * prices[open]).min(CEILING);
                if worth > prices[date] {
                    (prices[date], choice[date]) = (worth, class as u16);
                }
            }
        }
        Potential { prices, choice }
    }

    /// How many senders of each class a choice places, starting from these open slots (by date).
    pub(super) fn counts(&self, choice: &[u16], slots: &[u128]) -> Vec<u128> {
        let mut counts = vec![0u128; self.times.len()];
        self.follow(choice, slots, |_, class, senders| {
            counts[class] = (counts[class] + senders).min(MANY)
        });
        counts
    }

    /// Calls `visit(date, class, senders)` for all slots that a choice takes, by ascending date.
    pub(super) fn follow(
        &self,
        choice: &[u16],
        slots: &[u128],
        mut visit: impl FnMut(usize, usize, u128),
    ) {
        let mut open = slots.to_vec();
        open.resize(choice.len(), 0);
        for date in 0..choice.len() {
            let (senders, class) = (open[date], choice[date]);
            if senders == 0 || class == IDLE {
                continue;
            }
            visit(date, usize::from(class), senders);
            if let Some(next) = self.opens(usize::from(class), date, choice.len() - 1) {
                open[next] = (open[next] + 2 * senders).min(MANY);
            }
        }
    }
}

/// Per date: the index of the date `time` later.
fn successors(dates: &[u64], time: u64) -> Vec<u32> {
    let mut index = 0;
    let find = |&date: &u64| {
        while dates
            .get(index)
            .is_some_and(|&other| other - date.min(other) < time)
        {
            index += 1;
        }
        if index < dates.len() {
            index as u32
        } else {
            LATE
        }
    };
    dates.iter().map(find).collect()
}
