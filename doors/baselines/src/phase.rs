//! Phases: the components of the steps of today's algorithms.

use crate::tree::Tree;

/// Some blocks sent at once from one rank to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// Messages of one step carry the blocks that their senders held before the step.
    pub step: usize,
    /// The rank that sends.
    pub from: usize,
    /// The rank that receives.
    pub to: usize,
    /// The blocks sent, each once.
    pub blocks: &'a [u32],
    /// Whether the receiver combines the blocks with its own of the same numbers. Otherwise they replace these.
    pub combine: bool,
}

/// Receives the messages of an algorithm, step by step.
pub type Sink<'s> = &'s mut dyn FnMut(Message<'_>);

/// Blocks by rank.
pub type Blocks = Vec<Vec<u32>>;

/// A part of an algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Down a tree, the same blocks to all ranks.
    Broadcast(Tree, Vec<u32>),
    /// Up a tree. Every rank combines the blocks that arrive with its own.
    Combine(Tree, Vec<u32>),
    /// Down a tree, to every rank its own blocks: a rank receives the blocks of all ranks below it.
    Scatter(Tree, Blocks),
    /// Up a tree, from every rank its own blocks.
    Gather(Tree, Blocks),
    /// Round a ring, the blocks of every rank pass all others and are copied. (All-gather.)
    RingCopy(Vec<usize>, Blocks),
    /// Round a ring, the blocks of every rank pass all others, are combined with theirs, and end there.
    /// (Reduce-scatter.)
    RingCombine(Vec<usize>, Blocks),
    /// Partners at doubling distances exchange all their blocks: after `k` steps groups of `2^k` have the same. A power
    /// of two ranks.
    Doubling(Vec<usize>, Blocks),
    /// Partners at halving distances exchange and combine the half that the other's group ends with. A power of two
    /// ranks.
    Halving(Vec<usize>, Blocks),
    /// Partners at doubling distances exchange and combine all their blocks. A power of two ranks.
    Exchange(Vec<usize>, Vec<u32>),
    /// In step `k`, every rank sends to the one `2^k` before it all that it has and the other lacks (Bruck 1997).
    BruckCopy(Vec<usize>, Blocks),
    /// In step `k`, a block moves by `2^k` ranks if bit `k` of the distance from its source to its target is set (Bruck
    /// 1997).
    BruckExchange(Vec<usize>),
    /// In step `k`, every rank sends one block to the rank `k` after it.
    Pairwise(Vec<usize>, ExchangeOp),
    /// In one step, every rank sends one block to every other, to the nearest first.
    Direct(Vec<usize>, ExchangeOp),
    /// All pairs over rails: boxes of equally many ranks. A rank sends each rank of its box the blocks for it and for
    /// the ranks at its index in the other boxes. These blocks then go from an index to the same index.
    Rails(Vec<Vec<usize>>),
    /// Some messages, as listed, by step.
    Steps(Vec<Vec<Step>>),
    /// Several at the same time, each among some of the ranks, which it numbers from 0.
    Parallel(Vec<(Vec<usize>, Phase)>),
}

/// Which block a rank sends to another directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeOp {
    /// The block numbered as the sender: its message is copied.
    OfSender,
    /// The block numbered as the receiver, which combines it with its own.
    OfReceiver,
    /// Block 0, which the receiver combines with its own.
    Single,
    /// The block of the pair, numbered by sender and then by receiver, without pairs of a rank and itself.
    OfPair,
}

impl ExchangeOp {
    fn combines(self) -> bool {
        matches!(self, ExchangeOp::OfReceiver | ExchangeOp::Single)
    }

    pub(crate) fn block(self, ranks: usize, from: usize, to: usize) -> u32 {
        let block = match self {
            ExchangeOp::OfSender => from,
            ExchangeOp::OfReceiver => to,
            ExchangeOp::Single => 0,
            ExchangeOp::OfPair => from * (ranks - 1) + to - usize::from(to > from),
        };
        u32::try_from(block).unwrap_or(u32::MAX)
    }
}

/// A message of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The rank that sends.
    pub from: usize,
    /// The rank that receives.
    pub to: usize,
    /// The blocks sent, each once.
    pub blocks: Vec<u32>,
    /// Whether the receiver combines them with its own.
    pub combine: bool,
}

/// Sends with the step counted.
struct Sender<'s> {
    step: usize,
    sink: Sink<'s>,
}

impl Sender<'_> {
    fn send(&mut self, from: usize, to: usize, blocks: &[u32], combine: bool) {
        if from != to && !blocks.is_empty() {
            (self.sink)(Message {
                step: self.step,
                from,
                to,
                blocks,
                combine,
            });
        }
    }
}

impl Phase {
    /// Calls `sink` with all messages, from this step on, and returns the step after the last one. Time is linear in
    /// the blocks sent.
    pub fn messages(&self, step: usize, sink: Sink<'_>) -> usize {
        let mut out = Sender { step, sink };
        match self {
            Phase::Broadcast(tree, blocks) => down(&mut out, tree, |_| blocks),
            Phase::Combine(tree, blocks) => up(&mut out, tree, |_| blocks, true),
            Phase::Scatter(tree, blocks) => {
                let below = subtrees(tree, blocks);
                down(&mut out, tree, |child| &below[child]);
            }
            Phase::Gather(tree, blocks) => {
                let below = subtrees(tree, blocks);
                up(&mut out, tree, |child| &below[child], false);
            }
            Phase::RingCopy(order, blocks) => ring(&mut out, order, blocks, 0, false),
            Phase::RingCombine(order, blocks) => ring(&mut out, order, blocks, 1, true),
            Phase::Doubling(order, blocks) => doubling(&mut out, order, blocks),
            Phase::Halving(order, blocks) => halving(&mut out, order, blocks),
            Phase::Exchange(order, blocks) => exchange(&mut out, order, blocks),
            Phase::BruckCopy(order, blocks) => bruck_copy(&mut out, order, blocks),
            Phase::BruckExchange(order) => bruck_exchange(&mut out, order),
            Phase::Pairwise(order, between) => pairwise(&mut out, order, *between),
            Phase::Direct(order, between) => direct(&mut out, order, *between),
            Phase::Rails(boxes) => rails(&mut out, boxes),
            Phase::Steps(steps) => {
                for list in steps {
                    for one in list.iter() {
                        out.send(one.from, one.to, &one.blocks, one.combine);
                    }
                    out.step += 1;
                }
            }
            Phase::Parallel(phases) => {
                let mut last = step;
                for (members, phase) in phases {
                    let renamed = &mut |message: Message<'_>| {
                        let [from, to] = [message.from, message.to].map(|rank| members[rank]);
                        (out.sink)(Message {
                            from,
                            to,
                            ..message
                        });
                    };
                    last = last.max(phase.messages(step, renamed));
                }
                out.step = last;
            }
        }
        out.step
    }
}

fn down<'b>(out: &mut Sender<'_>, tree: &Tree, blocks: impl Fn(usize) -> &'b Vec<u32>) {
    let first = out.step;
    for (step, parent, child) in tree.edges() {
        out.step = first + step - 1;
        out.send(parent, child, blocks(child), false);
    }
    out.step += 1;
}

/// The steps of `down`, reversed.
fn up<'b>(
    out: &mut Sender<'_>,
    tree: &Tree,
    blocks: impl Fn(usize) -> &'b Vec<u32>,
    combine: bool,
) {
    let (first, edges) = (out.step, tree.edges());
    let last = edges.last().map_or(0, |&(step, ..)| step);
    for (step, parent, child) in edges.into_iter().rev() {
        out.step = first + last - step;
        out.send(child, parent, blocks(child), combine);
    }
    out.step = first + last;
}

/// Per rank: the blocks of all ranks below it.
fn subtrees(tree: &Tree, blocks: &Blocks) -> Blocks {
    let gathered = |below: Vec<usize>| {
        below
            .into_iter()
            .flat_map(|rank| blocks[rank].clone())
            .collect()
    };
    tree.below().into_iter().map(gathered).collect()
}

/// In step `k` the rank at position `p` sends the initial (final) blocks of the rank at `p - k - behind`.
fn ring(out: &mut Sender<'_>, order: &[usize], blocks: &Blocks, behind: usize, combine: bool) {
    let ranks = order.len();
    for step in 0..ranks.saturating_sub(1) {
        for position in 0..ranks {
            let owner = order[(position + 2 * ranks - step - behind) % ranks];
            out.send(
                order[position],
                order[(position + 1) % ranks],
                &blocks[owner],
                combine,
            );
        }
        out.step += 1;
    }
}

/// The blocks of the ranks at these positions.
fn of_positions(
    order: &[usize],
    positions: impl Iterator<Item = usize>,
    blocks: &Blocks,
) -> Vec<u32> {
    positions
        .flat_map(|position| blocks[order[position % order.len()]].iter().copied())
        .collect()
}

fn doubling(out: &mut Sender<'_>, order: &[usize], blocks: &Blocks) {
    let mut distance = 1;
    while distance < order.len() {
        for position in 0..order.len() {
            let group = position & !(distance - 1);
            let held = of_positions(order, group..group + distance, blocks);
            out.send(order[position], order[position ^ distance], &held, false);
        }
        distance *= 2;
        out.step += 1;
    }
}

fn halving(out: &mut Sender<'_>, order: &[usize], blocks: &Blocks) {
    let mut distance = order.len() / 2;
    while distance > 0 {
        for position in 0..order.len() {
            let partner = position ^ distance;
            let group = partner & !(distance - 1);
            let wanted = of_positions(order, group..group + distance, blocks);
            out.send(order[position], order[partner], &wanted, true);
        }
        distance /= 2;
        out.step += 1;
    }
}

fn exchange(out: &mut Sender<'_>, order: &[usize], blocks: &[u32]) {
    let mut distance = 1;
    while distance < order.len() {
        for position in 0..order.len() {
            out.send(order[position], order[position ^ distance], blocks, true)
        }
        distance *= 2;
        out.step += 1;
    }
}

fn bruck_copy(out: &mut Sender<'_>, order: &[usize], blocks: &Blocks) {
    let ranks = order.len();
    let mut distance = 1;
    while distance < ranks {
        for position in 0..ranks {
            let lacking = distance.min(ranks - distance);
            let held = of_positions(order, position..position + lacking, blocks);
            out.send(
                order[position],
                order[(position + ranks - distance) % ranks],
                &held,
                false,
            );
        }
        distance *= 2;
        out.step += 1;
    }
}

fn bruck_exchange(out: &mut Sender<'_>, order: &[usize]) {
    let ranks = order.len();
    let mut distance = 1;
    while distance < ranks {
        for position in 0..ranks {
            // A block that has already moved by the lower bits of its distance.
            let block = |way: usize| {
                let origin = (position + ranks - way % distance) % ranks;
                ExchangeOp::OfPair.block(ranks, order[origin], order[(origin + way) % ranks])
            };
            let moved: Vec<u32> = (1..ranks)
                .filter(|way| way & distance != 0)
                .map(block)
                .collect();
            out.send(
                order[position],
                order[(position + distance) % ranks],
                &moved,
                false,
            );
        }
        distance *= 2;
        out.step += 1;
    }
}

fn pairwise(out: &mut Sender<'_>, order: &[usize], between: ExchangeOp) {
    let ranks = order.len();
    for ahead in 1..ranks {
        for position in 0..ranks {
            let (from, to) = (order[position], order[(position + ahead) % ranks]);
            out.send(
                from,
                to,
                &[between.block(ranks, from, to)],
                between.combines(),
            );
        }
        out.step += 1;
    }
}

/// Direct exchange with left and right neighbours alternately, at growing distance, so that combined operands stay
/// adjacent.
fn direct(out: &mut Sender<'_>, order: &[usize], between: ExchangeOp) {
    let ranks = order.len();
    for distance in 1..ranks {
        for position in 0..ranks {
            let after = Some(position + distance).filter(|&after| after < ranks);
            for other in [position.checked_sub(distance), after]
                .into_iter()
                .flatten()
            {
                let (from, to) = (order[position], order[other]);
                out.send(
                    from,
                    to,
                    &[between.block(ranks, from, to)],
                    between.combines(),
                );
            }
        }
    }
    out.step += 1;
}

fn rails(out: &mut Sender<'_>, boxes: &[Vec<usize>]) {
    let ranks = boxes.iter().map(Vec::len).sum();
    let block = |from: usize, to: usize| ExchangeOp::OfPair.block(ranks, from, to);
    let others = |own: usize, at: usize| {
        let others = boxes
            .iter()
            .enumerate()
            .filter(move |(index, _)| *index != own);
        others.filter_map(move |(_, other)| other.get(at).copied())
    };
    for (own, members) in boxes.iter().enumerate() {
        for &from in members {
            for (at, &near) in members
                .iter()
                .enumerate()
                .filter(|(_, near)| **near != from)
            {
                let wanted = std::iter::once(near).chain(others(own, at));
                let blocks: Vec<u32> = wanted.map(|to| block(from, to)).collect();
                out.send(from, near, &blocks, false);
            }
        }
    }
    out.step += 1;
    for (own, members) in boxes.iter().enumerate() {
        for (at, &near) in members.iter().enumerate() {
            for to in others(own, at) {
                let blocks: Vec<u32> = members.iter().map(|&from| block(from, to)).collect();
                out.send(near, to, &blocks, false);
            }
        }
    }
    out.step += 1;
}
