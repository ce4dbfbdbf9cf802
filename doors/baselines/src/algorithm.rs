//! An algorithm: its ranks and its phases.

use std::collections::BTreeMap;

use oneport_plan::{LinkId, NodeId, Problem};

use crate::Routes;
use crate::phase::{Message, Phase};

/// A collective algorithm as people run it today: messages between processors, each along the cheapest path.
///
/// Every value is cut into `pieces` equal pieces, which travel as blocks: piece `k` of demand `d` is block
/// `d * pieces + k`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Algorithm {
    /// Its name: `ring`, `binomial tree`.
    pub name: String,
    /// One sentence that describes it.
    pub about: String,
    /// The node of each rank.
    pub ranks: Vec<NodeId>,
    /// Into how many blocks a value is cut. Positive.
    pub pieces: u32,
    /// One after another. What does not depend on one another overlaps.
    pub phases: Vec<Phase>,
    /// Paths that replace the routes. Empty if all messages take the routes.
    pub ways: Ways,
}

/// Paths that some blocks take instead of the routes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ways {
    /// Per block: the index of its paths in `links`.
    pub of_block: Vec<usize>,
    /// The links of each path from a rank to another, for every set of paths.
    pub links: Vec<BTreeMap<(usize, usize), Vec<LinkId>>>,
}

impl Algorithm {
    /// The links that a message takes: the algorithm's path, else the route. All blocks of a message take one path.
    /// `None` if the route does not exist.
    pub fn path(&self, message: Message<'_>, routes: &Routes) -> Option<Vec<LinkId>> {
        let own = self.own_way(message).map(<[LinkId]>::to_vec);
        own.or_else(|| routes.path(*self.ranks.get(message.from)?, *self.ranks.get(message.to)?))
    }

    /// The algorithm's path of a message, if it has one.
    pub(crate) fn own_way(&self, message: Message<'_>) -> Option<&[LinkId]> {
        let ways = self.ways.of_block.get(*message.blocks.first()? as usize)?;
        self.ways
            .links
            .get(*ways)?
            .get(&(message.from, message.to))
            .map(Vec::as_slice)
    }

    /// Whether it cuts a message that must stay whole, such as a barrier's token.
    pub(crate) fn cuts_a_token(&self, problem: &Problem) -> bool {
        self.pieces > 1 && !problem.collective().is_cut()
    }

    /// Calls `sink` with every message, step by step. `O(blocks sent)`.
    pub fn messages(&self, sink: &mut dyn FnMut(Message<'_>)) {
        let _ = self
            .phases
            .iter()
            .fold(0, |step, phase| phase.messages(step, sink));
    }

    /// Whether all merges combine adjacent operands in the participants' order, as non-commutative operators need. True
    /// if nothing is combined. Ends at the first merge that does not. `O(ranks blocks + blocks sent)`.
    pub fn is_in_order(&self, problem: &Problem) -> bool {
        if !problem.collective().combines() {
            return true;
        }
        let blocks = problem.collective().demands() * self.pieces as usize;
        let mut runs = Runs {
            held: self.owned(problem, blocks),
            blocks,
            in_order: true,
        };
        let (mut step, mut arriving) = (0, Vec::new());
        self.messages(&mut |message| {
            if !runs.in_order {
                return;
            }
            if message.step != step {
                step = message.step;
                runs.arrive(&mut arriving);
            }
            for &block in message.blocks {
                arriving.push((
                    message.to,
                    block,
                    runs.held[message.from * blocks + block as usize],
                    message.combine,
                ));
            }
        });
        runs.arrive(&mut arriving);
        runs.in_order
    }

    /// Per rank and block: the rank's operand, as first and last operand.
    fn owned(&self, problem: &Problem, blocks: usize) -> Vec<Option<(u32, u32)>> {
        let mut held = vec![None; self.ranks.len() * blocks];
        for (number, demand) in problem.demands().enumerate() {
            for (operand, owner) in (0_u32..).zip(demand.operands) {
                let Some(rank) = self.ranks.iter().position(|node| node == owner) else {
                    continue;
                };
                let pieces = self.pieces as usize;
                let first = rank * blocks + number * pieces;
                held[first..first + pieces].fill(Some((operand, operand)));
            }
        }
        held
    }
}

/// Runs of operands that are combined already, by rank and block.
struct Runs {
    held: Vec<Option<(u32, u32)>>,
    blocks: usize,
    in_order: bool,
}

/// The receiver, the block, the operands from and to, and whether they are combined with the receiver's.
type Arrival = (usize, u32, Option<(u32, u32)>, bool);

impl Runs {
    fn arrive(&mut self, arriving: &mut Vec<Arrival>) {
        for (to, block, run, combine) in arriving.drain(..) {
            let own = &mut self.held[to * self.blocks + block as usize];
            *own = match (*own, run) {
                (Some(own), Some(run)) if combine && own.1 + 1 == run.0 => Some((own.0, run.1)),
                (Some(own), Some(run)) if combine && run.1 + 1 == own.0 => Some((run.0, own.1)),
                (Some(own), Some(_)) if combine => {
                    self.in_order = false;
                    Some(own)
                }
                (own, run) => run.or(own),
            };
        }
    }
}
