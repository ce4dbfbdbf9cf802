//! Series of reduces (papers/000 section 4), and reduce-scatter: the cheapest patterns are reduction trees.

use oneport_plan::{Pattern, ReductionTree, Resource};
use oneport_platform::{NodeId, Rational};
use oneport_trees::cheapest::{Prices, Reduction, loads};

use crate::columns::{Guided, Pricing, Watch, generate};
use crate::fewest::fewest;
use crate::{LpError, Options, Question, Solution};

/// Solves a question about reductions whose operands can all reach the targets.
///
/// # Errors
/// As [`solve`](crate::solve).
pub fn solve(question: &Question<'_>, options: &Options, watch: Watch<'_>) -> Result<Solution, LpError> {
    let trees = Trees::new(question);
    let solution = generate(&trees, options.time_limit, watch)?;
    fewest(&trees, solution)
}

/// Prices reduction trees; demands are the reductions of an instance.
pub struct Trees<'a> {
    question: &'a Question<'a>,
    reduction: Reduction<'a>,
    targets: &'a [NodeId],
    /// Send ports, receive ports, processors: by node within each kind.
    resources: Vec<Resource>,
}

impl<'a> Trees<'a> {
    /// Prepares a question about a reduction.
    pub fn new(question: &'a Question<'a>) -> Self {
        let platform = question.platform();
        let operands = question.collective().operands().unwrap_or_default();
        let kinds = [Resource::Send, Resource::Receive, Resource::Compute];
        let resources = kinds.iter().flat_map(|kind| platform.node_ids().map(kind)).collect();
        Trees {
            question,
            reduction: Reduction::new(platform, operands, question.volumes()),
            targets: question.collective().reductions(),
            resources,
        }
    }

    fn split<N: Clone>(&self, prices: &[N]) -> Prices<N> {
        let nodes = self.question.platform().nodes().len();
        let part = |kind: usize| prices.iter().skip(kind * nodes).take(nodes).cloned().collect();
        Prices { send: part(0), receive: part(1), compute: part(2) }
    }
}

fn pattern(demand: usize, tree: ReductionTree) -> Pattern {
    Pattern::Reduction(ReductionTree { commodity: demand, ..tree })
}

const UNREACHABLE: LpError = LpError::Contradiction("a connected platform has no reduction tree");

impl Pricing for Trees<'_> {
    fn demands(&self) -> usize {
        self.targets.len()
    }

    fn resources(&self) -> &[Resource] {
        &self.resources
    }

    fn guide(&self, prices: &[u64]) -> Result<Guided, LpError> {
        let guide = self.reduction.guide(&self.split(prices));
        let mut at_least = Rational::default();
        let mut patterns = Vec::new();
        for (demand, &target) in self.targets.iter().enumerate() {
            at_least += guide.lower_bound(target).ok_or(UNREACHABLE)?;
            patterns.push(pattern(demand, guide.tree(target).ok_or(UNREACHABLE)?));
        }
        Ok(Guided { at_least, patterns })
    }

    fn cheapest(&self, prices: &[Rational]) -> Result<Vec<(Rational, Pattern)>, LpError> {
        let found = self.reduction.cheapest(&self.split(prices), self.targets);
        let named = |(demand, found): (usize, Option<(Rational, ReductionTree)>)| {
            let (price, tree) = found.ok_or(UNREACHABLE)?;
            Ok((price, pattern(demand, tree)))
        };
        found.into_iter().enumerate().map(named).collect()
    }

    fn loads(&self, pattern: &Pattern) -> Vec<(usize, Rational)> {
        let nodes = self.question.platform().nodes().len();
        let Some(tree) = pattern.tree() else { return Vec::new() };
        let place = |resource: Resource| match resource {
            Resource::Send(node) => node.index(),
            Resource::Receive(node) => nodes + node.index(),
            Resource::Compute(node) => 2 * nodes + node.index(),
        };
        let times = loads(self.question.platform(), self.question.volumes(), tree);
        times.into_iter().map(|(resource, time)| (place(resource), time)).collect()
    }
}
