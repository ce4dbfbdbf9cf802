//! A reduction, prepared for many pricings.

use oneport_graph::Digraph;
use oneport_plan::{Interval, Volumes};
use oneport_platform::{NodeId, Platform};
use oneport_watch::Watch;

use super::amounts::Amounts;
use super::weights::Factors;

/// One reduction problem, prepared once for many pricings.
#[derive(Debug, Clone)]
pub struct Reduction {
    /// The links, by id.
    pub(super) graph: Digraph<()>,
    /// The nodes that compute, and the participants that do not. A *processor* is an index in this list of node
    /// indices.
    pub(super) processors: Vec<usize>,
    /// The owner of each operand, a processor.
    pub(super) owners: Vec<usize>,
    pub(super) sizes: Amounts,
    pub(super) works: Amounts,
    pub(super) factors: Factors,
    pub(super) watch: Watch,
    /// Per first and last operand: whether the partial result must be used at the node that makes it. Empty if all may
    /// be sent.
    pub(super) resting: Vec<bool>,
}

impl Reduction {
    /// Prepares the reduction of the participants' values, in this order.
    ///
    /// Participants and volumes are those of a valid collective. A participant that does not merge only owns a value.
    /// (If the platform does not have a participant, no tree exists. A negative amount counts 0.) `O(n^2 + links)`
    /// exact operations for tables of volumes, `O(n + links)` for other volumes.
    pub fn new(platform: &Platform, participants: &[NodeId], volumes: &Volumes) -> Self {
        let mut processors: Vec<usize> = platform.mergers().map(NodeId::index).collect();
        let known = participants.iter().map(|node| node.index());
        processors.extend(known.filter(|&node| node < platform.nodes().len()));
        processors.sort_unstable();
        processors.dedup();
        let merges = |&node: &usize| platform.node(NodeId::new(node)).merges();
        let able: Vec<bool> = processors.iter().map(merges).collect();
        let index_of = |node: &NodeId| processors.binary_search(&node.index()).ok();
        let owners: Vec<usize> = participants
            .iter()
            .map(index_of)
            .collect::<Option<_>>()
            .unwrap_or_default();
        let sizes = Amounts::new(&volumes.size, owners.len());
        let works = Amounts::of_work(&volumes.work, owners.len(), &processors).at(able);
        let factors = Factors::new(
            platform,
            &processors,
            &sizes.denominator,
            &works.denominator,
        );
        let (graph, _) = Digraph::of(platform.graph(), |_| ());
        let watch = Watch::unlimited();
        Reduction {
            graph,
            processors,
            owners,
            sizes,
            works,
            factors,
            watch,
            resting: Vec::new(),
        }
    }

    /// This reduction under a watch. Answers after the end of the watch are meaningless: check the watch before using
    /// an answer.
    pub fn watched(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// This reduction, of whose partial results only these are sent. The others are used at the node that makes them.
    #[must_use]
    pub fn sending_only(mut self, is_sent: impl Fn(Interval) -> bool) -> Self {
        let operands = self.operands();
        let row = |first| (0..operands).map(move |last| Interval { first, last });
        let rests = |part: Interval| part.first < part.last && !is_sent(part);
        self.resting = (0..operands).flat_map(row).map(rests).collect();
        self
    }

    /// How many operands there are.
    pub(super) fn operands(&self) -> usize {
        self.owners.len()
    }

    /// All operands. `None` without operands.
    pub(super) fn whole(&self) -> Option<Interval> {
        Some(Interval {
            first: 0,
            last: self.operands().checked_sub(1)?,
        })
    }

    /// Whether work depends on the split and the processor, or cannot be done at some processors.
    pub(super) fn is_by_task(&self) -> bool {
        self.works.are_by_task()
    }

    /// Whether a partial result is used at the node that makes it.
    pub(super) fn rests(&self, part: Interval) -> bool {
        self.resting
            .get(part.first * self.operands() + part.last)
            .is_some_and(|&rests| rests)
    }

    /// The processor of the owner, if the interval is a single operand.
    pub(super) fn owner(&self, part: Interval) -> Option<usize> {
        if part.first == part.last {
            self.owners.get(part.first).copied()
        } else {
            None
        }
    }
}
