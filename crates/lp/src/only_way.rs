//! Messages that travel alone on trees: each pair of nodes has one path.
//!
//! A platform is a tree if it is connected, every link has one opposite, and there is one link less than nodes per
//! direction. Clusters behind switches are trees. The messages over a link are counted in the subtrees, and the busiest
//! resource is both bound and answer, without a program. A tree has no odd cycle, so ports for both directions are no
//! exception.

use crate::known::Bound;
use num_traits::{One, Signed, Zero};
use oneport_plan::inequality::{Cut, Inequality, Need};
use oneport_plan::{Block, Certificate, Goals, Kind, Pattern, Resource};
use oneport_platform::{LinkId, NodeId, PerLink, PerNode, Platform, Rational, whole};

use crate::findings::Findings;
use crate::flow;
use crate::mixture::mixed;
use crate::odd_sets::PortSets;
use crate::resources::Resources;
use crate::{Formulation, LpError, Options, Question};

/// Messages up to which a bound names the cut that they cross. Trades a short proof for time: each message is looked
/// at. Not measured.
const MOST_CROSSING: usize = 1 << 22;
/// Messages between two checks of the watch. Trades lateness after a limit for calls. Not measured.
const OFTEN: usize = 1 << 10;

/// A platform on which each pair of nodes has one path.
struct Tree<'a> {
    platform: &'a Platform,
    /// All nodes, each after its parent.
    order: Vec<NodeId>,
    /// Per node, the links to its parent and back. `None` for the root.
    ways: PerNode<Option<[LinkId; 2]>>,
    depths: PerNode<usize>,
}

impl<'a> Tree<'a> {
    /// `None` for other platforms. `O(nodes + links)`.
    fn of(platform: &'a Platform) -> Option<Tree<'a>> {
        let nodes = platform.nodes().len();
        if platform.links().len() + 2 != 2 * nodes {
            return None;
        }
        let root = platform.node_ids().next()?;
        let mut tree = Tree {
            platform,
            order: vec![root],
            ways: platform.per_node(None),
            depths: platform.per_node(0),
        };
        let mut index = 0;
        while let Some(&node) = tree.order.get(index) {
            index += 1;
            let parent = tree.parent(node);
            for &down in platform.outgoing(node) {
                let child = platform.link(down).to;
                if Some(child) == parent {
                    continue;
                }
                // A second path to a known node.
                if child == root || tree.ways[child].is_some() {
                    return None;
                }
                let up = platform
                    .outgoing(child)
                    .iter()
                    .copied()
                    .find(|&up| platform.link(up).to == node)?;
                tree.ways[child] = Some([up, down]);
                tree.depths[child] = tree.depths[node] + 1;
                tree.order.push(child);
            }
        }
        (tree.order.len() == nodes).then_some(tree)
    }

    fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.ways[node].map(|[up, _]| self.platform.link(up).to)
    }

    /// The links from a node up to the common ancestor, and down to the other node.
    fn path(&self, from: NodeId, to: NodeId) -> Vec<LinkId> {
        let (mut low, mut high) = (from, to);
        let (mut links, mut back) = (Vec::new(), Vec::new());
        while low != high {
            let climbs_first = self.depths[low] >= self.depths[high];
            let end = if climbs_first { &mut low } else { &mut high };
            let Some([up, down]) = self.ways[*end] else {
                break;
            };
            if climbs_first {
                links.push(up)
            } else {
                back.push(down)
            }
            *end = self.platform.link(up).to;
        }
        links.extend(back.into_iter().rev());
        links
    }

    /// Per link, the number of messages of an instance on it.
    fn messages(&self, question: &Question) -> Result<PerLink<u64>, LpError> {
        let mut messages = self.platform.per_link(0);
        for block in question.problem().blocks() {
            match block.exchanged() {
                Some(participants) => self.exchange(participants, block.rate, &mut messages),
                None => self.travel(question, &block, &mut messages)?,
            }
        }
        Ok(messages)
    }

    /// Messages between all pairs cross a link as often as there are pairs with an end on either side.
    fn exchange(&self, participants: &[NodeId], rate: u64, messages: &mut PerLink<u64>) {
        let mut below = self.platform.per_node(0u64);
        for node in participants {
            below[*node] += 1;
        }
        for &node in self.order.iter().rev() {
            let Some(ways) = self.ways[node] else {
                continue;
            };
            let inside = below[node];
            let pairs = (inside * (participants.len() as u64 - inside)).saturating_mul(rate);
            for link in &ways {
                add(&mut messages[*link], pairs);
            }
            if let Some(parent) = &self.parent(node) {
                below[*parent] += inside;
            }
        }
    }

    fn travel(
        &self,
        question: &Question,
        block: &Block<'_>,
        messages: &mut PerLink<u64>,
    ) -> Result<(), LpError> {
        for (index, demand) in block.demands().enumerate() {
            if index % OFTEN == 0 {
                question.watch().ask()?;
            }
            let (&[source], Goals::At(target)) = (demand.operands, demand.goals) else {
                continue;
            };
            for link in self.path(source, target) {
                add(&mut messages[link], block.rate);
            }
        }
        Ok(())
    }

    /// The nodes from which a link leads away.
    fn behind(&self, link: LinkId) -> Vec<NodeId> {
        let (from, to) = (self.platform.link(link).from, self.platform.link(link).to);
        let up = self.parent(from) == Some(to);
        let top = if up { from } else { to };
        let mut below = self.platform.per_node(false);
        below[top] = true;
        for &node in &self.order {
            if self.parent(node).is_some_and(|parent| below[parent]) {
                below[node] = true;
            }
        }
        self.platform
            .node_ids()
            .filter(|node| below[*node] == up)
            .collect()
    }
}

/// An answer has no room for rates that are too large.
fn add(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}

/// Whether all demands are messages that travel alone.
fn travels_alone(question: &Question) -> bool {
    question
        .problem()
        .blocks()
        .iter()
        .all(|block| block.kind == Kind::Route)
}

/// The bound of the busiest resource if one path leads from each node to each. `None` on other platforms, and for
/// values that are copied or combined. `O(nodes + links)` for messages between all pairs, else
/// `O(messages x path length)`.
pub(crate) fn bound(question: &Question, _: Option<&Rational>) -> Result<Option<Bound>, LpError> {
    let Some(tree) = Tree::of(question.platform()).filter(|_| travels_alone(question)) else {
        return Ok(None);
    };
    let messages = tree.messages(question)?;
    busiest(question, &tree, &messages)
}

fn busiest(
    question: &Question,
    tree: &Tree<'_>,
    messages: &PerLink<u64>,
) -> Result<Option<Bound>, LpError> {
    let platform = question.platform();
    let resources = Resources::new(platform, false);
    let mut loads = vec![Rational::zero(); resources.count()];
    for link in platform.link_ids().filter(|link| messages[*link] > 0) {
        let time = question.time(link) * whole(messages[link]);
        for (index, time) in resources.times(link, &time) {
            loads[index] += time;
        }
    }
    let busy = |(index, resource): (usize, Resource)| {
        (&loads[index] / resources.capacity(index), resource)
    };
    let busy = resources
        .list()
        .enumerate()
        .map(busy)
        .filter(|(busy, _)| busy.is_positive());
    let Some((busy, resource)) = busy.reduce(|one, two| if two.0 > one.0 { two } else { one })
    else {
        return Ok(None);
    };
    let mut certificate = Certificate::of_prices(vec![(resource, Rational::one())]);
    let only_links = platform.only_links();
    if let (Resource::Link(link), true) = (resource, only_links)
        && question.problem().collective().demands() <= MOST_CROSSING
    {
        // A unit of its price is a message.
        let need = Need::once(
            None,
            Inequality::Cut(Cut {
                nodes: tree.behind(link),
            }),
        );
        certificate = Certificate::new([(resource, question.time(link).recip())], [], [need]);
    }
    Ok(Some(Bound {
        throughput: busy.recip(),
        certificate,
    }))
}

/// Settles messages that travel alone if one path leads from each node to each and a program would be large.
///
/// # Errors
/// [`LpError::Stopped`] if the question's watch ends the work, or leaves no room for the paths.
/// [`LpError::TooManyTasks`].
pub(crate) fn attempt(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    if question.commodities().is_empty()
        || options.formulation != Formulation::Columns
        || !flow::is_large(question)
    {
        return Ok(());
    }
    let Some(tree) = Tree::of(question.platform()) else {
        return Ok(());
    };
    let messages = tree.messages(question)?;
    question.has_room(
        messages
            .iter()
            .fold(0, |sum, &count| sum.saturating_add(count)),
    )?;
    let Some(bound) = busiest(question, &tree, &messages)? else {
        return Ok(());
    };
    let mut patterns = Vec::with_capacity(question.commodities().len());
    for block in question.problem().blocks() {
        let rate = whole(block.rate);
        for (demand, index) in block.demands().zip(block.first..) {
            if index % OFTEN == 0 {
                question.watch().ask()?;
            }
            let (&[source], Goals::At(target)) = (demand.operands, demand.goals) else {
                continue;
            };
            patterns.push((
                Pattern::path(index, tree.path(source, target)),
                rate.clone(),
            ));
        }
    }
    let ports = PortSets::new(question.platform());
    let state = mixed(
        question,
        &Resources::new(question.platform(), false),
        ports.as_ref(),
        patterns,
    )?;
    if state.throughput == bound.throughput {
        found.settle(state, bound);
    }
    Ok(())
}
