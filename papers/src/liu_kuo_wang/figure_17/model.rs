//! The experiment in integer ticks: processors, trees, and the end of a tree's root.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use oneport::heterogeneous::{Destination, Processors, slowest_first};

use crate::numbers::whole;

/// Ticks per second. All times are whole numbers of ticks.
pub const TICKS: f64 = 1e10;
/// Four fast processors, four slow ones.
pub const RANKS: usize = 8;
/// Numbers of values per processor: 4, 8, ..., 4096.
pub const VALUES: [u64; 11] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/// Roots: a fast processor (the paper does not name it) and a slow one.
pub const ROOTS: [usize; 2] = [0, 4];

/// A value is an `int`. SMPI adds an envelope to every message, and so does our model.
const VALUE_BYTES: u64 = 4;
const ENVELOPE: u64 = 16;

/// The operator that combines values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// The greatest.
    Max,
    /// The greatest common divisor.
    Gcd,
}

impl Operator {
    /// Both.
    pub const ALL: [Operator; 2] = [Operator::Max, Operator::Gcd];

    /// The name in the program.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Max => "max",
            Operator::Gcd => "gcd",
        }
    }
}

/// Times of a processor's messages and merges, in ticks.
#[derive(Debug, Clone, Copy)]
pub struct Speed {
    /// Per message.
    pub latency: u64,
    /// Per byte sent.
    pub byte: u64,
    /// Per value combined, by operator.
    pub merge: [u64; 2],
}

/// A 3.2 GHz processor on fast Ethernet, and a 2 GHz one that takes 8/5 times as long for everything.
pub const SPEEDS: [Speed; 2] = [
    Speed {
        latency: 500_000,
        byte: 800,
        merge: [20, 2_000],
    },
    Speed {
        latency: 800_000,
        byte: 1_280,
        merge: [32, 3_200],
    },
];

/// The class of a rank: fast ones come first.
pub fn class(rank: usize) -> usize {
    usize::from(rank >= RANKS / 2)
}

/// One reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// The operator that combines values.
    pub operator: Operator,
    /// Number of values per processor.
    pub values: u64,
    /// Receiver of the result.
    pub root: usize,
}

impl Question {
    /// Time in which a class sends a message.
    pub fn send(&self, class: usize) -> u64 {
        SPEEDS[class].latency + SPEEDS[class].byte * (VALUE_BYTES * self.values + ENVELOPE)
    }

    /// Time in which a class combines a message.
    pub fn merge(&self, class: usize) -> u64 {
        SPEEDS[class].merge[self.operator as usize] * self.values
    }

    /// All problems with the given root.
    pub fn all(root: usize) -> impl Iterator<Item = Question> {
        let questions = move |operator| {
            VALUES.map(|values| Question {
                operator,
                values,
                root,
            })
        };
        Operator::ALL.into_iter().flat_map(questions)
    }
}

/// Messages as pairs of sender and receiver. Every processor runs its own messages in this order.
pub type Tree = Vec<(usize, usize)>;

/// When the root is done. A message starts when both ends have finished their earlier messages, and occupies both. The
/// receiver then combines. `class_of` gives the processor class of a rank.
pub fn length(question: &Question, tree: &Tree, class_of: &dyn Fn(usize) -> usize) -> u64 {
    let mut ready = [0; RANKS];
    for &(sender, receiver) in tree {
        let arrived = ready[sender].max(ready[receiver]) + question.send(class_of(sender));
        ready[sender] = arrived;
        ready[receiver] = arrived + question.merge(class_of(receiver));
    }
    ready[question.root]
}

/// MPICH's default MPI_Reduce: a binomial tree on the ranks, counted from the root.
pub fn binomial(root: usize) -> Tree {
    let rank = |index: usize| (index + root) % RANKS;
    let steps = [1, 2, 4].into_iter();
    steps
        .flat_map(|step| {
            (step..RANKS)
                .step_by(2 * step)
                .map(move |at| (rank(at), rank(at - step)))
        })
        .collect()
}

/// Slowest node first. The time of a processor is the time of a merge and a message, by section 2.
pub fn slowest_node_first(question: &Question) -> Result<Tree> {
    let time = |rank| whole(question.send(class(rank)) + question.merge(class(rank)));
    let times: Vec<_> = (0..RANKS).map(time).collect();
    let schedule = slowest_first::schedule(&Processors::new(
        times.clone(),
        Destination::Listed(question.root),
    )?)?;
    let mut ends = Vec::new();
    for sender in (0..RANKS).filter(|&rank| rank != question.root) {
        let start = schedule.starts.get(sender).context("no date")?;
        ends.push((start + &times[sender], sender));
    }
    ends.sort();
    Ok(ends
        .into_iter()
        .map(|(_, sender)| (sender, schedule.receivers[sender] as usize))
        .collect())
}

/// The numbers of fast and slow processors of a tree besides its root.
type Counts = [usize; 2];

/// Key: the root's class and the others. Value: earliest end at the root, and its last child (class and others).
type Shortest = BTreeMap<(usize, Counts), (u64, Option<(usize, Counts)>)>;

/// A shortest tree of all, with the merges of their receivers. The part before a root's last message is a tree as well,
/// and so is the part that its sender has combined. Each may be as early as possible.
pub fn shortest(question: &Question) -> Result<Tree> {
    let mut others = [RANKS / 2; 2];
    others[class(question.root)] -= 1;
    let mut known = Shortest::new();
    solve(question, class(question.root), others, &mut known);
    let mut ranks = [0, 1].map(|of| {
        (0..RANKS)
            .rev()
            .filter(|&rank| class(rank) == of && rank != question.root)
            .collect()
    });
    let mut tree = Tree::new();
    write(question.root, others, &known, &mut ranks, &mut tree)?;
    Ok(tree)
}

fn solve(question: &Question, root: usize, others: Counts, known: &mut Shortest) -> u64 {
    if let Some(&(date, _)) = known.get(&(root, others)) {
        return date;
    }
    let mut best = None;
    for child in (0..2).filter(|&child| others[child] > 0) {
        let mut rest = others;
        rest[child] -= 1;
        for below in (0..=rest[0]).flat_map(|fast| (0..=rest[1]).map(move |slow| [fast, slow])) {
            let before = [rest[0] - below[0], rest[1] - below[1]];
            let both =
                solve(question, root, before, known).max(solve(question, child, below, known));
            let date = both + question.send(child) + question.merge(root);
            if best.is_none_or(|(least, _)| date < least) {
                best = Some((date, Some((child, below))));
            }
        }
    }
    let best = best.unwrap_or((0, None));
    known.insert((root, others), best);
    best.0
}

fn write(
    rank: usize,
    others: Counts,
    known: &Shortest,
    ranks: &mut [Vec<usize>; 2],
    tree: &mut Tree,
) -> Result<()> {
    let Some(&(_, Some((child, below)))) = known.get(&(class(rank), others)) else {
        return Ok(());
    };
    let mut before = others;
    before[child] -= 1;
    for class in 0..2 {
        before[class] -= below[class];
    }
    write(rank, before, known, ranks, tree)?;
    let sender = ranks[child]
        .pop()
        .context("more processors than there are")?;
    write(sender, below, known, ranks, tree)?;
    tree.push((sender, rank));
    Ok(())
}
