//! Replays the messages of an algorithm and yields its patterns.
//!
//! Every block is one pattern: the sends of the block along the routes, and the merges. The operands of a partial
//! result are kept as a list, in the order in which they were combined. The list of the final result is the pattern's
//! order. A merge puts adjacent operands in their order. Otherwise the list that begins with the earlier operand comes
//! first, so that partners that exchange and combine get the same result.

use std::collections::BTreeMap;
use std::rc::Rc;

use oneport_plan::{Demand, Goals, Interval, LinkId, NodeId, Pattern, Problem, WeightedPattern};
use oneport_platform::ratio;

use crate::{Algorithm, BaselineError, Message, Routes};

/// Operands in the order in which they were combined.
type Operands = Rc<[u32]>;

/// The state of a block at a rank: the task that made or delivered it, and its operands.
type Held = (Option<u32>, Operands);

/// A task whose part is known as operands only.
enum Raw {
    Send {
        link: LinkId,
        what: Operands,
        after: Option<u32>,
    },
    Merge {
        node: NodeId,
        what: Operands,
        left: (Option<u32>, usize),
        right: Option<u32>,
    },
}

/// The state of a replay.
struct Replay<'a> {
    algorithm: &'a Algorithm,
    problem: &'a Problem,
    routes: &'a Routes,
    /// Per block.
    tasks: Vec<Vec<Raw>>,
    /// Per rank and block.
    held: BTreeMap<(usize, u32), Held>,
    step: usize,
    /// Receiver, block, what arrives, whether it is combined.
    arriving: Vec<(usize, u32, Held, bool)>,
}

impl Algorithm {
    /// The patterns of an instance, one for every block, with weights that add up to its rate for every demand: the
    /// algorithm, task by task. Every wanted value is checked to reach its targets. `O(operands)` per block sent and
    /// link passed.
    ///
    /// # Errors
    /// The first message that cannot be sent; the first goal that is not reached; operands combined out of order
    /// though the operator is not commutative.
    pub fn patterns(
        &self,
        problem: &Problem,
        routes: &Routes,
    ) -> Result<Vec<WeightedPattern>, BaselineError> {
        let demands = problem.collective().demands();
        let blocks = demands.saturating_mul(self.pieces as usize);
        let mut delivery = Replay {
            algorithm: self,
            problem,
            routes,
            tasks: (0..blocks).map(|_| Vec::new()).collect(),
            held: BTreeMap::new(),
            step: 0,
            arriving: Vec::new(),
        };
        delivery.own();
        let mut result = Ok(());
        self.messages(&mut |message| {
            if result.is_ok() {
                result = delivery.send(message);
            }
        });
        result?;
        delivery.arrive()?;
        delivery.finish()
    }
}

impl Replay<'_> {
    fn name(&self, rank: usize) -> String {
        self.problem
            .platform()
            .name(self.algorithm.ranks[rank])
            .to_string()
    }

    /// The blocks of a demand.
    fn blocks(&self, demand: usize) -> impl Iterator<Item = u32> + use<> {
        let pieces = self.algorithm.pieces as usize;
        (demand * pieces..(demand + 1) * pieces)
            .map(|block| u32::try_from(block).unwrap_or(u32::MAX))
    }

    /// Every rank holds its own operands.
    fn own(&mut self) {
        let ranks: BTreeMap<NodeId, usize> = self
            .algorithm
            .ranks
            .iter()
            .enumerate()
            .rev()
            .map(|(rank, node)| (*node, rank))
            .collect();
        for (number, demand) in self.problem.demands().enumerate() {
            for (operand, owner) in (0_u32..).zip(demand.operands) {
                let Some(&rank) = ranks.get(owner) else {
                    continue;
                };
                let own: Operands = Rc::from([operand]);
                self.held.extend(
                    self.blocks(number)
                        .map(|block| ((rank, block), (None, own.clone()))),
                );
            }
        }
    }

    fn send(&mut self, message: Message<'_>) -> Result<(), BaselineError> {
        if message.step != self.step {
            self.arrive()?;
            self.step = message.step;
        }
        let step = message.step + 1;
        let [from, to] = [message.from, message.to].map(|rank| self.algorithm.ranks[rank]);
        let path = self.algorithm.path(message, self.routes);
        let path = path.ok_or_else(|| BaselineError::no_way(self.problem.platform(), from, to))?;
        for &block in message.blocks {
            let Some(tasks) = self.tasks.get_mut(block as usize) else {
                return Err(BaselineError::UnknownBlock {
                    step,
                    block,
                    blocks: self.tasks.len(),
                });
            };
            let Some((mut after, what)) = self.held.get(&(message.from, block)).cloned() else {
                return Err(BaselineError::NotHeld {
                    step,
                    node: self.name(message.from),
                    block,
                });
            };
            for &link in &path {
                tasks.push(Raw::Send {
                    link,
                    what: what.clone(),
                    after,
                });
                after = u32::try_from(tasks.len() - 1).ok();
            }
            self.arriving
                .push((message.to, block, (after, what), message.combine));
        }
        Ok(())
    }

    /// The messages of a step arrive, in the order in which they were sent.
    fn arrive(&mut self) -> Result<(), BaselineError> {
        for (to, block, new, combine) in std::mem::take(&mut self.arriving) {
            let own = self.held.get(&(to, block)).filter(|_| combine).cloned();
            let kept = match own {
                None => new,
                Some(own) => self.merge(to, block, own, new)?,
            };
            self.held.insert((to, block), kept);
        }
        Ok(())
    }

    fn merge(
        &mut self,
        to: usize,
        block: u32,
        own: Held,
        new: Held,
    ) -> Result<Held, BaselineError> {
        if let Some(&operand) = own.1.iter().find(|operand| new.1.contains(operand)) {
            let demand = self
                .problem
                .collective()
                .demand(block as usize / self.algorithm.pieces as usize);
            let owner = demand.and_then(|demand| demand.operands.get(operand as usize).copied());
            let operand = owner.map_or_else(String::new, |owner| {
                self.problem.platform().name(owner).to_string()
            });
            return Err(BaselineError::Twice {
                step: self.step + 1,
                node: self.name(to),
                operand,
                block,
            });
        }
        let follows = |one: &Held, other: &Held| {
            one.1.last().map(|last| last + 1) == other.1.first().copied()
        };
        let own_first =
            follows(&own, &new) || !follows(&new, &own) && own.1.first() < new.1.first();
        let (left, right) = if own_first { (own, new) } else { (new, own) };
        let what: Operands = left.1.iter().chain(right.1.iter()).copied().collect();
        let tasks = &mut self.tasks[block as usize];
        let node = self.algorithm.ranks[to];
        tasks.push(Raw::Merge {
            node,
            what: what.clone(),
            left: (left.0, left.1.len()),
            right: right.0,
        });
        Ok((u32::try_from(tasks.len() - 1).ok(), what))
    }

    fn finish(mut self) -> Result<Vec<WeightedPattern>, BaselineError> {
        let mut patterns = Vec::new();
        for (number, demand) in self.problem.demands().enumerate() {
            let rate = self.problem.collective().rate(number);
            let weight = ratio(rate, self.algorithm.pieces);
            for block in self.blocks(number) {
                let order = self.order(&demand, block)?;
                let tasks = std::mem::take(&mut self.tasks[block as usize]);
                let pattern = pattern(number, &demand, &order, tasks)
                    .ok_or(BaselineError::OutOfOrder { block })?;
                patterns.push(WeightedPattern {
                    pattern,
                    weight: weight.clone(),
                });
            }
        }
        Ok(patterns)
    }

    /// The order in which the result was combined, the same at each target.
    fn order(&self, demand: &Demand<'_>, block: u32) -> Result<Operands, BaselineError> {
        let platform = self.problem.platform();
        let mut order: Option<Operands> = None;
        for (node, part) in demand.goals() {
            let lacks = |found: String| BaselineError::Lacks {
                node: platform.name(node).to_string(),
                block,
                found,
            };
            let rank = self.algorithm.ranks.iter().position(|rank| *rank == node);
            let held = rank.and_then(|rank| self.held.get(&(rank, block)));
            let (_, found) = held.ok_or_else(|| lacks("it has nothing of it".to_string()))?;
            let mut sorted = found.to_vec();
            sorted.sort_unstable();
            let missing = (part.first..=part.last)
                .find(|&operand| sorted.binary_search(&(operand as u32)).is_err());
            if let Some(missing) = missing {
                let owner = demand
                    .operands
                    .get(missing)
                    .map_or("", |&owner| platform.name(owner));
                return Err(lacks(format!("the operand of '{owner}' is missing")));
            }
            let in_order = sorted[..] == found[..];
            let prefixes = demand.goals == Goals::Prefixes;
            if found.len() != part.operands() || (!in_order && (prefixes || !demand.commutative)) {
                return Err(BaselineError::OutOfOrder { block });
            }
            order = Some(found.clone());
        }
        Ok(order.unwrap_or_else(|| Rc::from([])))
    }
}

/// The pattern with its operands numbered in this order. `None` if a partial result is not a consecutive run of it.
fn pattern(
    number: usize,
    demand: &Demand<'_>,
    order: &Operands,
    tasks: Vec<Raw>,
) -> Option<Pattern> {
    let mut position = vec![usize::MAX; demand.operands.len()];
    for (index, &operand) in order.iter().enumerate() {
        position[operand as usize] = index;
    }
    let part = |what: &Operands| {
        let first = position[*what.first()? as usize];
        let run = order.get(first..first.checked_add(what.len())?)?;
        (run == &what[..]).then(|| Interval {
            first,
            last: first + what.len() - 1,
        })
    };
    let mut pattern = Pattern::new(number);
    let in_order = order.is_sorted();
    pattern.order = (!in_order).then(|| order.iter().map(|&operand| operand as usize).collect());
    for task in tasks {
        match task {
            Raw::Send { link, what, after } => pattern.send(link, part(&what)?, after),
            Raw::Merge {
                node,
                what,
                left,
                right,
            } => {
                let part = part(&what)?;
                pattern.merge(node, part, part.first + left.1 - 1, [left.0, right])
            }
        };
    }
    Some(pattern)
}
