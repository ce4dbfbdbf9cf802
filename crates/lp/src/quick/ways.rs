//! Shortest paths between participants.
//!
//! If only one link leaves a node, every path from it begins with that link. So all hosts behind a switch share one
//! tree, the tree of the switch: around a star of hosts, one run of Dijkstra's algorithm finds all paths.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_bigint::BigUint;
use oneport_numbers::Scaled;
use oneport_plan::Pattern;
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_watch::Watch;

use crate::oracles::route::ShortestPaths;
use crate::{LpError, Question};

/// Patterns and how often an instance executes them. `None` if there are no chains.
pub(super) type Shares = Option<Vec<(Pattern, Rational)>>;

/// Distances kept. Trades memory for repeated searches. Not measured: computed, `2^22` distances.
const DISTANCES: usize = 1 << 22;

/// Paths by the costs of links. Trees of nodes that several others pass are cached.
pub(super) struct Ways<'q> {
    platform: &'q Platform,
    watch: &'q Watch,
    costs: Vec<BigUint>,
    known: BTreeMap<NodeId, Rc<ShortestPaths<BigUint>>>,
}

impl<'q> Ways<'q> {
    pub(super) fn new(question: &'q Question) -> Self {
        let costs: Vec<Rational> = question
            .platform()
            .links()
            .iter()
            .map(|link| link.cost.clone())
            .collect();
        let costs = Scaled::coarsest(&costs).values;
        Ways {
            platform: question.platform(),
            watch: question.watch(),
            costs,
            known: BTreeMap::new(),
        }
    }

    /// The only link that leaves a node, and its head.
    fn exit(&self, node: NodeId) -> Option<(LinkId, NodeId)> {
        match self.platform.outgoing(node)[..] {
            [link] => Some((link, self.platform.link(link).to)),
            _ => None,
        }
    }

    fn tree(&mut self, node: NodeId, kept: bool) -> Result<Rc<ShortestPaths<BigUint>>, LpError> {
        if let Some(known) = self.known.get(&node) {
            return Ok(Rc::clone(known));
        }
        self.watch.ask()?;
        let tree = Rc::new(ShortestPaths::new(self.platform, &self.costs, node, |_| {
            true
        }));
        if kept {
            if self.known.len() * self.platform.nodes().len() > DISTANCES {
                self.known.clear();
            }
            self.known.insert(node, Rc::clone(&tree));
        }
        Ok(tree)
    }

    /// The links of the shortest path. `None` if the target is unreachable.
    ///
    /// # Errors
    /// [`LpError::Stopped`] by the question's watch.
    pub(super) fn way(&mut self, from: NodeId, to: NodeId) -> Result<Option<Vec<LinkId>>, LpError> {
        let links = |found: Option<(BigUint, Vec<LinkId>)>| found.map(|(_, links)| links);
        match self.exit(from).filter(|_| from != to) {
            None => Ok(links(self.tree(from, false)?.to(to))),
            Some((link, next)) if next == to => Ok(Some(vec![link])),
            Some((link, next)) => {
                let rest = links(self.tree(next, true)?.to(to));
                Ok(rest.map(|rest| [vec![link], rest].concat()))
            }
        }
    }

    /// An order in which each participant is the nearest, among the remaining ones, to the one before. Participants
    /// that a limit leaves come in their given order.
    pub(super) fn nearest(&mut self, participants: &[NodeId]) -> Result<Vec<NodeId>, LpError> {
        let mut order: Vec<NodeId> = participants.first().copied().into_iter().collect();
        let mut visited = self.platform.per_node(false);
        for node in &order {
            visited[*node] = true;
        }
        // Per node that paths go by: the participants by distance, and how many of them have been passed.
        let mut lists: BTreeMap<NodeId, (Vec<NodeId>, usize)> = BTreeMap::new();
        while let Some(&last) = order.last().filter(|_| order.len() < participants.len()) {
            if self.watch.ask().is_err() {
                order.extend(participants.iter().filter(|&&node| !visited[node]));
                break;
            }
            let exit = self.exit(last).map(|(_, next)| next);
            let (mut list, mut passed) = match exit.and_then(|next| lists.remove(&next)) {
                Some(list) => list,
                None => (
                    self.by_distance(exit.unwrap_or(last), exit.is_some(), participants)?,
                    0,
                ),
            };
            while list.get(passed).is_some_and(|node| visited[*node]) {
                passed += 1;
            }
            let next = list[passed];
            visited[next] = true;
            order.push(next);
            if let Some(exit) = exit {
                _ = lists.insert(exit, (std::mem::take(&mut list), passed));
            }
        }
        Ok(order)
    }

    /// The participants by their distance from a node, those out of reach at the end.
    fn by_distance(
        &mut self,
        node: NodeId,
        kept: bool,
        participants: &[NodeId],
    ) -> Result<Vec<NodeId>, LpError> {
        let tree = self.tree(node, kept)?;
        let mut list = participants.to_vec();
        list.sort_by_key(|&other| (tree.cost(other).is_none(), tree.cost(other)));
        Ok(list)
    }
}
