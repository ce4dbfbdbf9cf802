//! One reduction (or broadcast) executed once, as short as possible: schedules, lengths and their proofs.
//!
//! A [`Reduction`] is a tree of processors with dates. Every processor but the root sends once, to its *receiver*,
//! when it has combined its own value with all it received. Two cost models exist, see [`SingleCosts`].

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_platform::{Rational, whole};

use crate::Status;

/// The durations of transfers and merges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SingleCosts {
    /// The model of RR-7898, section 3: every transfer takes `transfer`, every merge `compute`. A processor takes
    /// part in one transfer at a time and runs one merge at a time. It merges while it receives. The order of the
    /// operands is kept: processor `i` holds operand `i`.
    Equal {
        /// Time of one transfer, the paper's `d`, not negative.
        transfer: Rational,
        /// Time of one merge, the paper's `c`, not negative.
        compute: Rational,
    },
    /// The model of Liu-Kuo-Wang 2009, section 2: the transfer from processor `i` takes `times[i]` to every receiver,
    /// and merging is part of it. A processor takes part in one transfer at a time. The operator is commutative.
    PerSender(Vec<Rational>),
}

impl SingleCosts {
    /// How long the transfer from `processor` takes. `None` beyond the list of [`SingleCosts::PerSender`].
    pub fn transfer(&self, processor: usize) -> Option<&Rational> {
        match self {
            SingleCosts::Equal { transfer, .. } => Some(transfer),
            SingleCosts::PerSender(times) => times.get(processor),
        }
    }
}

/// One date per processor. Large schedules keep them as multiples of one unit: 8 bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dates {
    /// `ticks[i] * unit`.
    Ticks {
        /// The common unit, positive.
        unit: Rational,
        /// The multiples.
        ticks: Vec<u64>,
    },
    /// The dates themselves.
    Exact(Vec<Rational>),
}

impl Dates {
    /// Number of dates.
    pub fn len(&self) -> usize {
        match self {
            Dates::Ticks { ticks, .. } => ticks.len(),
            Dates::Exact(dates) => dates.len(),
        }
    }

    /// True without dates.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The date of `processor`, `None` beyond the list.
    pub fn get(&self, processor: usize) -> Option<Rational> {
        match self {
            Dates::Ticks { unit, ticks } => ticks.get(processor).map(|&ticks| unit * whole(ticks)),
            Dates::Exact(dates) => dates.get(processor).cloned(),
        }
    }

    /// The latest date, 0 for an empty list. O(n).
    pub fn latest(&self) -> Rational {
        match self {
            Dates::Ticks { unit, ticks } => unit * whole(ticks.iter().copied().max().unwrap_or(0)),
            Dates::Exact(dates) => dates.iter().max().cloned().unwrap_or_else(Rational::zero),
        }
    }
}

/// A transmission window of a reduction under [`SingleCosts::PerSender`]: a node of the tree of Liu-Kuo-Wang 2009,
/// figures 9 to 11. A list of windows has the destination's last reception first, and every window before the windows
/// that it waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The processor that sends.
    pub sender: u32,
    /// The processor that receives.
    pub receiver: u32,
    /// How long it takes: the node's weight.
    pub time: Rational,
    /// Indices of the transfers that it waits for: the sender's last reception, and the receiver's previous one.
    pub waits_for: [Option<usize>; 2],
}

/// A limit on simultaneous operations (RR-7898, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concurrency {
    /// None.
    Unlimited,
    /// At most this many transfers at any time.
    Transfers(u64),
    /// At most this many processors that merge.
    Reducers(u64),
}

/// A schedule of one reduction: senders, receivers and dates.
///
/// Processors are numbered from 0. All lists have one entry per processor. The entries of the root are void (its
/// receiver is itself, its dates are 0).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    /// The durations of transfers and merges.
    pub costs: SingleCosts,
    /// The processor that ends with the result.
    pub root: u32,
    /// Processor `i` sends to `receivers[i]`. 32 bits: a hundred million processors take 400 MB.
    pub receivers: Vec<u32>,
    /// When processor `i` starts to send.
    pub starts: Dates,
    /// When the receiver starts to merge the value that `i` sent. Absent under [`SingleCosts::PerSender`], whose
    /// transfers include the merge.
    pub merges: Option<Dates>,
    /// When processor `i`'s own value is there, from 0 on. Absent when all are there at 0.
    pub ready: Option<Dates>,
    /// When the result is complete.
    pub length: Rational,
}

impl Reduction {
    /// Sender, receiver and start of every transfer, by sender. The root sends nothing.
    ///
    /// O(n) for all of them. A sender without a receiver or a date, as a file may have it, is left out.
    pub fn transfers(&self) -> impl Iterator<Item = (u32, u32, Rational)> {
        (0..)
            .zip(&self.receivers)
            .filter(|&(sender, _)| sender != self.root)
            .filter_map(|(sender, &receiver)| {
                let start = self.starts.get(usize::try_from(sender).ok()?)?;
                Some((sender, receiver, start))
            })
    }
}

/// A schedule of one broadcast: receivers, senders and dates.
///
/// Lists as in [`Reduction`]. Under [`SingleCosts::Equal`] the sender prepares a transfer for the time `compute`, once
/// it has the message. Under [`SingleCosts::PerSender`] a transfer takes the time of its sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    /// The durations of transfers and of their preparation.
    pub costs: SingleCosts,
    /// The processor that owns the message.
    pub root: u32,
    /// Processor `i` receives from `senders[i]`.
    pub senders: Vec<u32>,
    /// When the transfer to processor `i` starts.
    pub starts: Dates,
    /// When the sender starts to prepare the transfer to `i`. Absent under [`SingleCosts::PerSender`].
    pub preparations: Option<Dates>,
    /// When the last processor has the message.
    pub length: Rational,
}

/// A class of like senders of Liu-Kuo-Wang 2009.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// How long a transfer from one of them takes. Positive.
    pub time: Rational,
    /// How many there are. Positive.
    pub senders: u64,
}

/// A reduction that is to be executed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instance {
    /// The model [`SingleCosts::Equal`].
    Equal {
        /// Number of values, one per processor, at least 1.
        values: u64,
        /// Time of one transfer.
        transfer: Rational,
        /// Time of one merge.
        compute: Rational,
        /// Limit on simultaneous transfers or reducers.
        limit: Concurrency,
    },
    /// The model [`SingleCosts::PerSender`]: classes of senders, fastest first, with different times. The destination
    /// is one more processor, which sends nothing.
    Classes(Vec<Class>),
}

/// Why no schedule is shorter than the bound. Each variant is an argument that the referee repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// Equal costs: in less time than the bound, fewer values can be combined. The referee counts them (RR-7898: the
    /// proof of Lemma 5 if reducers are unlimited, Theorem 9 if they are limited).
    Counting,
    /// Equal costs, limited transfers: Theorem 7 of RR-7898 (Algorithm 2 with its last loop corrected).
    LimitedTransfers,
    /// Classes: prices of slots, see [`SlotPrices`].
    Prices(SlotPrices),
    /// Classes: weights of senders, see [`SenderWeights`].
    Weights(SenderWeights),
    /// Two classes: the numbers of fast senders per level (Liu-Kuo-Wang 2009, Observation 1).
    Levels,
    /// Classes whose times divide one another, or two classes with a ratio of at least 2: slowest-node-first is optimal
    /// (Liu-Kuo-Wang 2009, Theorems 1 and 4).
    SlowestFirst,
    /// Classes, their times lowered to these, fastest first. `proof` proves the bound for the lowered classes, for
    /// which no shortest reduction is longer (Liu-Kuo-Wang 2009, proof of Theorem 2).
    Lowered {
        /// One time per class, at most the class's own. Positive, except for [`Proof::Weights`], which allows 0.
        /// Classes of equal times become one.
        times: Vec<Rational>,
        /// [`Proof::SlowestFirst`], [`Proof::Levels`] or [`Proof::Weights`].
        proof: Box<Proof>,
    },
    /// All schedules below the bound were enumerated. No short proof exists.
    Exhaustion {
        /// States visited.
        states: u64,
    },
}

/// Prices of slots: a proof that no schedule of a [`Instance::Classes`] is shorter than a bound `B`.
///
/// Read a schedule backwards from its end: at date 0 one *slot* is open (the destination's last reception). A sender of
/// time `t` that takes a slot open since date `a` opens two slots at `a + t`, its own reception and its receiver's
/// next. With a price `y(a) >= 0` on a slot of date `a`, a sender of class `i` uses up at least `w_i = min (y(a) - 2
/// y(a + t_i))` over all dates `a` that are sums of times with `a + t_i < B`. All senders together use up at most
/// `y(0)`. So `sum_i senders_i w_i > y(0)` proves that no schedule ends before `B`. A class without any such date
/// cannot be served before `B` at all, which proves it as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotPrices {
    /// Dates with a positive price, ascending, each at most once. Other dates are free.
    pub prices: Vec<(Rational, Rational)>,
}

/// Weights of senders: a proof that no schedule of a [`Instance::Classes`] is shorter than a bound `B`.
///
/// Read a schedule backwards as [`SlotPrices`] does, and number the single senders `1, ..., n` from the fastest to the
/// slowest. Without loss the senders below a sender have larger numbers (Liu-Kuo-Wang 2009, Observation 1). Give each
/// sender a weight `w_j` of any sign. In a slot that leaves the time `r` before `B`, a tree whose topmost sender is `j`
/// weighs at most `F_j(r)`, which is `w_j` plus the two largest of the values `F_k(r - t_j)` of different `k > j` and
/// of 0, for nothing. If the senders `i, ..., n` are left, let a slot's two largest such values be `A >= A'`. One
/// sender is on top in one slot only. So the open slots carry at most the sum of all `A'`, plus for every sender the
/// largest `A - A'` of the slots where `A` has it on top. If that is less than `w_i + ... + w_n`, these senders do not
/// all end before `B`.
///
/// The proof assigns the senders in order, each to every open slot, and drops the states that a list of weights
/// excludes. No state is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderWeights {
    /// A list of `m` weights is about the states with at most `m` senders left: weights of the `m` slowest, slowest
    /// last.
    pub lists: Vec<Vec<i64>>,
}

impl Proof {
    /// Its short name, as files and reports have it.
    pub fn name(&self) -> &'static str {
        match self {
            Proof::Counting => "counting",
            Proof::LimitedTransfers => "limited-transfers",
            Proof::Prices(_) => "prices",
            Proof::Weights(_) => "weights",
            Proof::Levels => "levels",
            Proof::SlowestFirst => "slowest-first",
            Proof::Lowered { .. } => "lowered",
            Proof::Exhaustion { .. } => "exhaustion",
        }
    }
}

/// A schedule of one reduction with its length, bound and proof: the content of a file `oneport-reduction/1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleReduction {
    /// The schedule.
    pub reduction: Reduction,
    /// The limit that it keeps, and under which no schedule is shorter than the bound.
    pub limit: Concurrency,
    /// Whether operands may be combined in any order. Otherwise every processor merges neighbours: processor `i` holds
    /// operand `i`. Under [`SingleCosts::PerSender`] always true.
    pub commutative: bool,
    /// No schedule is shorter. At most the length. Without a proof it is a claim of its author.
    pub lower_bound: Rational,
    /// Why. Absent if the argument is the method's own and cannot be repeated.
    pub proof: Option<Proof>,
}

impl SingleReduction {
    /// The status that a file states: optimal if the length equals its bound, of which there is a proof. Nothing is
    /// proved by it: see `oneport_referee::SingleAnswer`.
    pub fn stated_status(&self) -> Status {
        if self.proof.is_some() && self.reduction.length == self.lower_bound {
            Status::Optimal
        } else {
            Status::Feasible
        }
    }

    /// The question that the schedule answers. Release dates are left out: without them no schedule is longer, so a
    /// bound of the question holds for the schedule too. Classes are the times of all processors but the root, fastest
    /// first. O(n log n).
    pub fn instance(&self) -> Instance {
        match &self.reduction.costs {
            SingleCosts::Equal { transfer, compute } => Instance::Equal {
                values: self.reduction.receivers.len() as u64,
                transfer: transfer.clone(),
                compute: compute.clone(),
                limit: self.limit,
            },
            SingleCosts::PerSender(times) => Instance::into_one(times, self.reduction.root),
        }
    }
}

impl Instance {
    /// The reduction into `root` of all other processors of the list. O(n log n).
    pub fn into_one(times: &[Rational], root: u32) -> Instance {
        let mut counts: BTreeMap<&Rational, u64> = BTreeMap::new();
        for (_, time) in times
            .iter()
            .enumerate()
            .filter(|&(index, _)| index != root as usize)
        {
            *counts.entry(time).or_default() += 1;
        }
        let class = |(time, senders): (&Rational, u64)| Class {
            time: time.clone(),
            senders,
        };
        Instance::Classes(counts.into_iter().map(class).collect())
    }
}

/// A schedule of one broadcast with its bound: the content of a file `oneport-broadcast/1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleBroadcast {
    /// The schedule.
    pub broadcast: Broadcast,
    /// The limit that it keeps, and under which no broadcast is shorter than the bound. Unlimited if each sender has a
    /// time of its own.
    pub limit: Concurrency,
    /// No broadcast from the same root is shorter. At most the length.
    pub lower_bound: Rational,
    /// Equal costs: why no reduction of as many values is shorter. A broadcast read backwards is one. Absent if each
    /// sender has a time of its own: the referee computes that bound itself.
    pub proof: Option<Proof>,
}

impl SingleBroadcast {
    /// The status that a file states: optimal if the length equals its bound.
    pub fn stated_status(&self) -> Status {
        if self.broadcast.length == self.lower_bound {
            Status::Optimal
        } else {
            Status::Feasible
        }
    }
}

/// A reduction into one processor and the broadcast from it, with their bound: the content of a file
/// `oneport-all-reduce/1`. Both have the same times, one per processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleAllReduce {
    /// The reduction.
    pub reduction: Reduction,
    /// The broadcast from the reduction's root. Its dates count from the end of the reduction.
    pub broadcast: Broadcast,
    /// No all-reduction is shorter: it contains a reduction into every processor, and a broadcast from every one.
    pub lower_bound: Rational,
    /// A processor, and why no reduction into it is shorter than the bound. Absent if the bound is one on
    /// broadcasts, which the referee computes itself.
    pub proof: Option<(u32, Proof)>,
}

impl SingleAllReduce {
    /// When all processors have the result.
    pub fn length(&self) -> Rational {
        &self.reduction.length + &self.broadcast.length
    }

    /// The status that a file states: optimal if the length equals its bound.
    pub fn stated_status(&self) -> Status {
        if self.length() == self.lower_bound {
            Status::Optimal
        } else {
            Status::Feasible
        }
    }
}

/// The answer to "how short can one reduction be?".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortest {
    /// The question.
    pub instance: Instance,
    /// Length of the best schedule known.
    pub length: Rational,
    /// No schedule is shorter.
    pub lower_bound: Rational,
    /// Why.
    pub proof: Proof,
    /// The schedule, if it was requested.
    pub reduction: Option<Reduction>,
}

impl Shortest {
    /// The status by the numbers alone: optimal if the length equals its bound.
    pub fn stated_status(&self) -> Status {
        if self.length == self.lower_bound {
            Status::Optimal
        } else {
            Status::Feasible
        }
    }
}
