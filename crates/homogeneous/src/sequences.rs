//! Release dates with merges shorter than transfers (`0 < c < d`): sequences of values, tried one by one.
//!
//! Read backwards from a length `T`, a value that is ready at `r` and placed at `s <= e = T - r` has room for
//! `k = floor((e - s) / c)` children, at the dates `s + c + j d`, `j = 1 .. k`: it must have merged the first of them
//! by `s + k c`, and transfers are what it waits for between them. Giving the next value always the earliest position
//! loses nothing: whatever stands at a later position can move there with all below it, only gaining room. So a
//! schedule is a sequence of values, and `T` can be met if and only if some sequence fits. Values of equal dates are
//! alike. A state that failed, the values left and the open positions, is remembered.

use std::collections::BTreeSet;

/// The outcome of the search for a length.
pub(crate) enum Fits {
    /// A sequence: the value at each position, and the position that it sends to.
    Sequence(Vec<u32>, Vec<u32>),
    /// No sequence exists.
    Never,
    /// Too many states.
    Unknown,
}

/// Values by date, and the costs, in ticks. Sums of all stay below 2^62.
pub(crate) struct Sequences {
    /// Dates, latest first, and the values that are ready then.
    classes: Vec<(u64, Vec<u32>)>,
    /// The class of the first value, if that is given. It is the first of its class.
    first: Option<usize>,
    transfer: u64,
    compute: u64,
}

impl Sequences {
    /// `compute` is positive.
    pub(crate) fn new(ready: &[u64], root: Option<u32>, transfer: u64, compute: u64) -> Sequences {
        let mut values: Vec<u32> = (0..ready.len() as u32).collect();
        let position = |value: u32| (Some(value) != root, value);
        values.sort_by(|&a, &b| {
            let dates = ready[b as usize].cmp(&ready[a as usize]);
            dates.then(position(a).cmp(&position(b)))
        });
        let mut classes: Vec<(u64, Vec<u32>)> = Vec::new();
        for value in values {
            let date = ready[value as usize];
            match classes.last_mut() {
                Some((other, members)) if *other == date => members.push(value),
                _ => classes.push((date, vec![value])),
            }
        }
        let holds = |(_, members): &(u64, Vec<u32>)| members.first().copied() == root;
        Sequences {
            first: root.and_then(|_| classes.iter().position(holds)),
            classes,
            transfer,
            compute,
        }
    }

    /// Whether some sequence fits. `states` is the number of states that may still be visited.
    pub(crate) fn fit(&self, length: u64, states: &mut usize) -> Fits {
        let until: Option<Vec<u64>> = self
            .classes
            .iter()
            .map(|(ready, _)| length.checked_sub(*ready))
            .collect();
        let Some(until) = until else {
            return Fits::Never;
        };
        let left: Vec<u32> = self
            .classes
            .iter()
            .map(|(_, members)| members.len() as u32)
            .collect();
        let mut search = SequenceSearch {
            all: self,
            until,
            failed: BTreeSet::new(),
            sequence: Vec::new(),
            states,
        };
        match search.place(vec![0], left) {
            Some(true) => {
                let sequence = std::mem::take(&mut search.sequence);
                self.grown(&search.until, &sequence)
            }
            Some(false) => Fits::Never,
            None => Fits::Unknown,
        }
    }

    /// The children of a value that is placed at a date, at most `most`.
    fn opened(&self, until: u64, date: u64, most: usize) -> impl Iterator<Item = u64> + use<> {
        let (first, transfer) = (date + self.compute, self.transfer);
        let room = until.saturating_sub(date) / self.compute;
        (1..=room.min(most as u64)).map(move |child| first + child * transfer)
    }

    /// The tree of a sequence of classes.
    fn grown(&self, until: &[u64], sequence: &[usize]) -> Fits {
        let mut next = vec![0; self.classes.len()];
        let mut open: BTreeSet<(u64, u32, u32)> = BTreeSet::from([(0, 0, 0)]);
        let (mut values, mut receivers) = (Vec::new(), Vec::new());
        for &class in sequence {
            let Some((date, _, receiver)) = open.pop_first() else {
                return Fits::Never;
            };
            let position = values.len() as u32;
            values.push(self.classes[class].1[next[class]]);
            next[class] += 1;
            receivers.push(receiver);
            let children = self.opened(until[class], date, sequence.len()).zip(0..);
            open.extend(
                children.map(|(date, child)| {
                    (date, position * sequence.len() as u32 + child, position)
                }),
            );
        }
        Fits::Sequence(values, receivers)
    }
}

struct SequenceSearch<'a> {
    all: &'a Sequences,
    /// Per class: the last date at which a value can be placed.
    until: Vec<u64>,
    /// Open positions and values left that lead nowhere.
    failed: BTreeSet<(Vec<u64>, Vec<u32>)>,
    /// Classes of the values placed.
    sequence: Vec<usize>,
    states: &'a mut usize,
}

impl SequenceSearch<'_> {
    /// Places the values left. `None` if the states are used up. `open` ascends.
    fn place(&mut self, mut open: Vec<u64>, left: Vec<u32>) -> Option<bool> {
        let count: u32 = left.iter().sum();
        if count == 0 {
            return Some(true);
        }
        open.truncate(count as usize);
        let Some(&date) = open.first() else {
            return Some(false);
        };
        // The most urgent value has the earliest end of all that are left.
        if self
            .until
            .iter()
            .zip(&left)
            .any(|(&until, &left)| left > 0 && until < date)
        {
            return Some(false);
        }
        let state = (open, left);
        if self.failed.contains(&state) {
            return Some(false);
        }
        *self.states = self.states.checked_sub(1)?;
        let (open, left) = &state;
        let given = self.all.first.filter(|_| self.sequence.is_empty());
        let fits = |class: &usize| left[*class] > 0 && given.is_none_or(|given| given == *class);
        for class in (0..left.len()).filter(fits) {
            let mut next: Vec<u64> = open[1..].to_vec();
            next.extend(self.all.opened(self.until[class], date, count as usize));
            next.sort_unstable();
            let mut rest = left.clone();
            rest[class] -= 1;
            self.sequence.push(class);
            if self.place(next, rest)? {
                return Some(true);
            }
            self.sequence.pop();
        }
        self.failed.insert(state);
        Some(false)
    }
}
