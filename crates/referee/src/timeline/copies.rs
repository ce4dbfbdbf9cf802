//! Broadcasts and schemes: values that are copied, followed by dates alone.
//!
//! A value stays at the nodes at which it arrived or was made. It may be used there any number of times. A node that
//! does not replicate uses it once for every arrival. So it is enough to go through all transfers and merges by their
//! starts and to check that each one's inputs are there. By induction a task makes or brings the value that it names:
//! `v[k,m]` combines the operands `k` to `m` in their order, each once.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_plan::{Demand, Goals, Interval, Kind};
use oneport_platform::NodeId;

use super::DatedRun;
use super::buffers::Buffers;
use super::dated::{Dated, DatedMerge};
use super::follow::Delivery;
use crate::Violation;
use crate::violation::{fault, part_name, wrong_result};

/// A merge or transfer. Order at equal dates: merges first, then transfers in the order of the list. Smaller results
/// come before larger ones, because a merge may use the result of another that takes no time.
#[derive(Clone, Copy)]
enum Action<'r, 'a> {
    Merge(&'r DatedMerge<'a>),
    Transfer(&'r Dated<'a>),
}

impl<'r, 'a> Action<'r, 'a> {
    fn start(&self) -> &'r BigUint {
        match *self {
            Action::Merge(merge) => &merge.start,
            Action::Transfer(dated) => dated.start(),
        }
    }

    fn rank(&self) -> usize {
        match self {
            Action::Merge(merge) => merge.part.operands(),
            Action::Transfer(_) => usize::MAX,
        }
    }
}

/// A value at a node.
#[derive(Default)]
struct Held<'r> {
    /// Whether it is there from the beginning.
    own: bool,
    /// When it arrived, or was made. Ascending when needed.
    arrivals: Vec<&'r BigUint>,
    /// How often it has been used, and until when.
    used: usize,
    until: Option<&'r BigUint>,
}

/// The values at each node, for one demand of one instance.
struct Values<'r, 'a> {
    run: &'r DatedRun<'a>,
    instance: u64,
    commodity: usize,
    held: BTreeMap<(NodeId, Interval), Held<'r>>,
}

impl<'a> DatedRun<'a> {
    /// Follows the copies of a message, or the values of a scheme, from their owners to all goals.
    pub(super) fn follow_copies<'r>(
        &'r self,
        instance: u64,
        commodity: usize,
        demand: &Demand<'_>,
        delivery: &Delivery<'r, 'a>,
        buffers: &mut Buffers<'r>,
    ) -> Result<(), Violation> {
        let merges = delivery.merges.iter().map(|&merge| Action::Merge(merge));
        let transfers = delivery
            .transfers
            .values()
            .flatten()
            .map(|&dated| Action::Transfer(dated));
        let mut actions: Vec<Action<'_, '_>> = merges.chain(transfers).collect();
        actions.sort_by_key(|action| (action.start(), action.rank()));
        let mut values = Values {
            run: self,
            instance,
            commodity,
            held: BTreeMap::new(),
        };
        for (operand, owner) in values.owners(demand, &actions)?.into_iter().enumerate() {
            let part = Interval {
                first: operand,
                last: operand,
            };
            values.held.entry((owner, part)).or_default().own = true;
        }
        for action in actions {
            values.carry_out(action)?;
        }
        values.check_goals(demand, buffers)
    }
}

impl<'r, 'a> Values<'r, 'a> {
    /// The owners of the operands: the participants in their order. For commutative operators each instance has a
    /// separate order: the owner of an operand is the node that first uses it.
    fn owners(
        &self,
        demand: &Demand<'_>,
        actions: &[Action<'_, '_>],
    ) -> Result<Vec<NodeId>, Violation> {
        let right = demand.operands.to_vec();
        if !demand.commutative || demand.goals == Goals::Prefixes || demand.kind() == Kind::Copy {
            return Ok(right);
        }
        let mut owners: Vec<Option<NodeId>> = vec![None; right.len()];
        for action in actions {
            let (node, parts) = match action {
                Action::Merge(merge) => (merge.event.node, merge.operands.map(Some)),
                Action::Transfer(dated) => (dated.from, [Some(dated.event.message.part), None]),
            };
            for part in parts
                .into_iter()
                .flatten()
                .filter(|part| part.first == part.last)
            {
                if let Some(owner) = owners.get_mut(part.first) {
                    owner.get_or_insert(node);
                }
            }
        }
        let found: Vec<NodeId> = owners.into_iter().flatten().collect();
        let sorted = |nodes: &[NodeId]| {
            let mut nodes = nodes.to_vec();
            nodes.sort_unstable();
            nodes
        };
        if sorted(&found) == sorted(&right) {
            return Ok(found);
        }
        let names = |nodes: &[NodeId]| {
            nodes
                .iter()
                .map(|&node| self.run.case.name(node))
                .collect::<Vec<_>>()
                .join(", ")
        };
        Err(wrong_result(&names(&found), &names(&right)).at(self.location()))
    }

    fn location(&self) -> String {
        format!(
            "{} of instance {}",
            self.run.case.demand_name(self.commodity),
            self.instance
        )
    }

    fn carry_out(&mut self, action: Action<'r, 'a>) -> Result<(), Violation> {
        let run = self.run;
        match action {
            Action::Merge(merge) => {
                let node = merge.event.node;
                for part in merge.operands {
                    self.take(node, part, (&merge.start, &merge.end), &|| run.merge(merge))?;
                }
                self.held
                    .entry((node, merge.part))
                    .or_default()
                    .arrivals
                    .push(&merge.end);
            }
            Action::Transfer(dated) => {
                let part = dated.event.message.part;
                self.take(dated.from, part, (dated.start(), dated.end()), &|| {
                    run.transfer(dated)
                })?;
                self.held
                    .entry((dated.to, part))
                    .or_default()
                    .arrivals
                    .push(dated.end());
            }
        }
        Ok(())
    }

    /// The value is at the node when a task starts to use it, and not used up.
    fn take(
        &mut self,
        node: NodeId,
        part: Interval,
        (start, end): (&'r BigUint, &'r BigUint),
        what: &dyn Fn() -> String,
    ) -> Result<(), Violation> {
        let held = self.held.entry((node, part)).or_default();
        let arrived = usize::from(held.own)
            + held
                .arrivals
                .iter()
                .filter(|arrival| **arrival <= start)
                .count();
        let spent = if self.run.case.replicates(node) {
            0
        } else {
            held.used
        };
        if arrived > spent {
            held.used += 1;
            held.until = Some(held.until.map_or(end, |until| until.max(end)));
            return Ok(());
        }
        let none = if arrived == 0 {
            "no copy yet"
        } else {
            "no copy left"
        };
        let (what, start, node) = (what(), self.run.date(start), self.run.case.name(node));
        let value = self.value(part);
        Err(fault!(
            Run,
            "{what} starts at {start}, when '{node}' has {none} of {value} to use"
        )
        .at(self.location()))
    }

    /// The message, or the partial result.
    fn value(&self, part: Interval) -> String {
        let scheme = self
            .run
            .case
            .demand(self.commodity)
            .is_some_and(|demand| demand.kind().combines());
        if scheme {
            part_name(&part)
        } else {
            "the message".to_string()
        }
    }

    /// Checks that each wanted value is at its targets. Counts the values held in between.
    fn check_goals(
        mut self,
        demand: &Demand<'_>,
        buffers: &mut Buffers<'r>,
    ) -> Result<(), Violation> {
        for goal in demand.goals() {
            if self
                .held
                .remove(&goal)
                .is_none_or(|held| !held.own && held.arrivals.is_empty())
            {
                let (node, value) = (self.run.case.name(goal.0), self.value(goal.1));
                return Err(
                    fault!(Run, "{value} never arrives at '{node}', where it is wanted")
                        .at(self.location()),
                );
            }
        }
        for ((node, _), held) in self.held {
            if let (false, Some(since), Some(until)) =
                (held.own, held.arrivals.iter().min(), held.until)
            {
                buffers.hold(node, since, until);
            }
        }
        Ok(())
    }
}
