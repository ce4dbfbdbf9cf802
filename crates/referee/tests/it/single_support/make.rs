//! Correct schedules, as early as possible except for random delays, and changes of a single value.

use oneport_plan::{Broadcast, Concurrency, Dates, Reduction, SingleCosts};
use oneport_platform::Rational;

use super::{Dice, ratio};

/// A schedule in ticks.
struct Draft {
    partners: Vec<u32>,
    starts: Vec<u64>,
    merges: Vec<u64>,
    ready: Vec<u64>,
    transfer: Vec<u64>,
    compute: u64,
}

/// Pauses now and then.
fn pause(dice: &mut Dice) -> u64 {
    if dice.chance(20) { dice.below(3) } else { 0 }
}

impl Draft {
    fn new(n: usize) -> Draft {
        let zero = vec![0; n];
        Draft {
            partners: vec![0; n],
            starts: zero.clone(),
            merges: zero.clone(),
            ready: zero.clone(),
            transfer: zero,
            compute: 0,
        }
    }

    /// A tree on the operands `first..end` that keeps their order. Returns its root and the date at which its value is
    /// complete.
    fn ordered(&mut self, first: usize, end: usize, dice: &mut Dice) -> (usize, u64) {
        let root = first + dice.below(end - first);
        let mut children = Vec::new();
        let (mut low, mut high) = (root, root + 1);
        while low > first || high < end {
            if low > first && (high == end || dice.chance(50)) {
                let from = first + dice.below(low - first);
                children.push(self.ordered(from, low, dice));
                low = from;
            } else {
                let to = high + 1 + dice.below(end - high);
                children.push(self.ordered(high, to, dice));
                high = to;
            }
        }
        (root, self.gather(root, &children, dice))
    }

    /// Any tree on these processors.
    fn any(&mut self, processors: &[usize], dice: &mut Dice) -> (usize, u64) {
        let mut children = Vec::new();
        let mut rest = &processors[1..];
        while !rest.is_empty() {
            let (part, left) = rest.split_at(1 + dice.below(rest.len()));
            children.push(self.any(part, dice));
            rest = left;
        }
        (processors[0], self.gather(processors[0], &children, dice))
    }

    /// Dates of the transfers (in random order) and the merges (in the order given) of one processor.
    fn gather(&mut self, root: usize, children: &[(usize, u64)], dice: &mut Dice) -> u64 {
        let mut order: Vec<usize> = (0..children.len()).collect();
        if dice.chance(30) {
            for index in (1..order.len()).rev() {
                order.swap(index, dice.below(index + 1));
            }
        }
        let mut port = 0;
        for index in order {
            let (child, complete) = children[index];
            self.partners[child] = root as u32;
            self.starts[child] = port.max(complete) + pause(dice);
            port = self.starts[child] + self.transfer[child];
        }
        let mut complete = self.ready[root];
        for &(child, _) in children {
            self.merges[child] =
                complete.max(self.starts[child] + self.transfer[child]) + pause(dice);
            complete = self.merges[child] + self.compute;
        }
        complete
    }
}

/// Ticks or rationals, all times `factor`.
fn dates(ticks: Vec<u64>, factor: &Rational, dice: &mut Dice) -> Dates {
    match dice.below(3) {
        0 => Dates::Exact(
            ticks
                .into_iter()
                .map(|tick| factor * ratio(tick as i64, 1))
                .collect(),
        ),
        1 if ticks.iter().all(|tick| tick % 2 == 0) => Dates::Ticks {
            unit: factor * ratio(2, 1),
            ticks: ticks.into_iter().map(|tick| tick / 2).collect(),
        },
        _ => Dates::Ticks {
            unit: factor.clone(),
            ticks,
        },
    }
}

/// Units that need machine integers, fractions and big integers.
pub fn factor(dice: &mut Dice) -> Rational {
    match dice.below(3) {
        0 => ratio(1, 1),
        1 => ratio(5, 6),
        _ => Rational::new((num_bigint::BigInt::from(1) << 90) + 1, 7.into()),
    }
}

pub fn equal(n: usize, released: bool, dice: &mut Dice) -> Reduction {
    let mut draft = Draft::new(n);
    draft.compute = dice.below(4);
    draft.transfer = vec![dice.below(4); n];
    if released {
        draft.ready = (0..n).map(|_| dice.below(8)).collect();
    }
    let (root, end) = if released && dice.chance(50) {
        let mut processors: Vec<usize> = (0..n).collect();
        processors.rotate_left(dice.below(n));
        draft.any(&processors, dice)
    } else {
        draft.ordered(0, n, dice)
    };
    draft.partners[root] = root as u32;
    let factor = factor(dice);
    let times = |tick: u64| &factor * ratio(tick as i64, 1);
    Reduction {
        costs: SingleCosts::Equal {
            transfer: times(draft.transfer[0]),
            compute: times(draft.compute),
        },
        root: root as u32,
        receivers: draft.partners,
        length: times(end),
        starts: dates(draft.starts, &factor, dice),
        merges: Some(dates(draft.merges, &factor, dice)),
        ready: released.then(|| dates(draft.ready, &factor, dice)),
    }
}

pub fn per_sender(n: usize, dice: &mut Dice) -> Reduction {
    let mut draft = Draft::new(n);
    draft.transfer = (0..n).map(|_| 1 + dice.below(4)).collect();
    let mut processors: Vec<usize> = (0..n).collect();
    processors.rotate_left(dice.below(n));
    let (root, _) = draft.any(&processors, dice);
    draft.partners[root] = root as u32;
    let ends = (0..n)
        .filter(|&p| p != root)
        .map(|p| draft.starts[p] + draft.transfer[p]);
    let end = ends.max().unwrap_or(0);
    draft.transfer[root] = dice.below(2);
    let factor = factor(dice);
    let times = |tick: u64| &factor * ratio(tick as i64, 1);
    Reduction {
        costs: SingleCosts::PerSender(draft.transfer.iter().map(|&time| times(time)).collect()),
        root: root as u32,
        receivers: draft.partners,
        length: times(end),
        starts: dates(draft.starts, &factor, dice),
        merges: None,
        ready: None,
    }
}

/// A broadcast made forwards from the root, every processor sending to its children in sequence.
pub fn broadcast(n: usize, equal: bool, dice: &mut Dice) -> Broadcast {
    let times: Vec<u64> = (0..n).map(|_| 1 + dice.below(4)).collect();
    let (transfer, compute) = (dice.below(4), dice.below(4));
    let mut order: Vec<usize> = (0..n).collect();
    order.rotate_left(dice.below(n));
    let mut draft = Draft::new(n);
    let root = order[0];
    draft.partners[root] = root as u32;
    // When a processor has the message, may prepare again, may send again.
    let mut held = vec![[0; 3]; n];
    for index in 1..n {
        let (receiver, sender) = (order[index], order[dice.below(index)]);
        let [have, prepare, port] = held[sender];
        let work = if equal { compute } else { 0 };
        let prepared = have.max(prepare) + pause(dice);
        let start = port.max(prepared + work) + pause(dice);
        let end = start + if equal { transfer } else { times[sender] };
        held[sender] = [have, prepared + work, end];
        held[receiver] = [end; 3];
        draft.partners[receiver] = sender as u32;
        draft.starts[receiver] = start;
        draft.merges[receiver] = prepared;
    }
    let end = held.iter().map(|dates| dates[0]).max().unwrap_or(0);
    let factor = factor(dice);
    let scaled = |tick: u64| &factor * ratio(tick as i64, 1);
    let costs = if equal {
        SingleCosts::Equal {
            transfer: scaled(transfer),
            compute: scaled(compute),
        }
    } else {
        SingleCosts::PerSender(times.into_iter().map(scaled).collect())
    };
    Broadcast {
        costs,
        root: root as u32,
        senders: draft.partners,
        length: scaled(end),
        starts: dates(draft.starts, &factor, dice),
        preparations: equal.then(|| dates(draft.merges, &factor, dice)),
    }
}

pub fn limit(dice: &mut Dice) -> Concurrency {
    match dice.below(3) {
        0 => Concurrency::Transfers(dice.below(4)),
        1 => Concurrency::Reducers(dice.below(4)),
        _ => Concurrency::Unlimited,
    }
}

/// The parts of a schedule that can be changed.
pub struct Parts<'a> {
    pub costs: &'a mut SingleCosts,
    pub root: &'a mut u32,
    pub partners: &'a mut Vec<u32>,
    pub length: &'a mut Rational,
    pub lists: Vec<&'a mut Option<Dates>>,
}

/// One tick more or less, or about that.
fn nudge(value: &mut Rational, dice: &mut Dice) {
    let step = match dice.below(3) {
        0 => ratio(1, 1),
        1 => ratio(5, 6),
        _ => Rational::new((num_bigint::BigInt::from(1) << 90) + 1, 7.into()),
    };
    *value += if dice.chance(50) { step } else { -step };
}

fn change_dates(dates: &mut Dates, dice: &mut Dice) {
    let n = dates.len().max(1);
    let (i, j) = (dice.below(n), dice.below(n));
    let edit = dice.below(12);
    match dates {
        Dates::Ticks { ticks, .. } if ticks.is_empty() => ticks.push(0),
        Dates::Exact(dates) if dates.is_empty() => dates.push(ratio(0, 1)),
        Dates::Ticks { unit, ticks } => match edit {
            0..4 => ticks[i] = ticks[i].saturating_add(1),
            4..8 => ticks[i] = ticks[i].saturating_sub(1),
            8 => ticks.swap(i, j),
            9 => {
                *unit = if dice.chance(50) {
                    -unit.clone()
                } else {
                    unit.clone() * ratio(2, 1)
                }
            }
            10 => drop(ticks.pop()),
            _ => ticks[i] = u64::MAX,
        },
        Dates::Exact(dates) => match edit {
            0..8 => nudge(&mut dates[i], dice),
            8 => dates.swap(i, j),
            9 => dates[i] = -dates[i].clone(),
            10 => drop(dates.pop()),
            _ => dates[i] = Rational::new_raw(1.into(), (-1).into()),
        },
    }
}

/// Changes a single value.
pub fn change(parts: &mut Parts<'_>, dice: &mut Dice) {
    let n = parts.partners.len();
    let (i, j) = (dice.below(n), dice.below(n));
    match dice.below(20) {
        0 => parts.partners[i] = dice.below(n + 1) as u32,
        1 => parts.partners.swap(i, j),
        2 => parts.partners[i] = i as u32,
        3 => *parts.root = dice.below(n + 1) as u32,
        4 | 5 => nudge(parts.length, dice),
        6 => match parts.costs {
            SingleCosts::Equal { transfer, .. } => nudge(transfer, dice),
            SingleCosts::PerSender(times) => nudge(&mut times[i], dice),
        },
        7 => match parts.costs {
            SingleCosts::Equal { compute, .. } => nudge(compute, dice),
            SingleCosts::PerSender(times) => times[i] = ratio(0, 1),
        },
        8 => {
            let list = dice.below(parts.lists.len());
            let starts = list == 0;
            if !starts {
                *parts.lists[list] = None;
            }
        }
        9 => {
            // Exchanges the names of two processors everywhere: still right, unless the order matters.
            let swap = |id: &mut u32| {
                *id = if *id as usize == i {
                    j as u32
                } else if *id as usize == j {
                    i as u32
                } else {
                    *id
                };
            };
            parts.partners.swap(i, j);
            for partner in parts.partners.iter_mut() {
                swap(partner);
            }
            swap(parts.root);
            if let SingleCosts::PerSender(times) = parts.costs {
                times.swap(i, j);
            }
            for dates in parts.lists.iter_mut().filter_map(|list| list.as_mut()) {
                match dates {
                    Dates::Ticks { ticks, .. } if i.max(j) < ticks.len() => ticks.swap(i, j),
                    Dates::Exact(dates) if i.max(j) < dates.len() => dates.swap(i, j),
                    _ => {}
                }
            }
        }
        _ => {
            let list = dice.below(parts.lists.len());
            if let Some(dates) = parts.lists[list].as_mut() {
                change_dates(dates, dice);
            }
        }
    }
}
