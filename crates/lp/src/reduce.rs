//! Series of reduces (papers/000 section 4), and reduce-scatter: the cheapest patterns are reduction trees.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use oneport_plan::{Pattern, ReductionTree, Resource};
use oneport_platform::{NodeId, Rational};
use oneport_trees::cheapest::{Prices, Reduction, loads};
use oneport_trees::commutative::{Commutative, Exactness};

use crate::columns::{Guided, Pricing, Progress, Watch, generate};
use crate::fewest::fewest;
use crate::ssr;
use crate::{Formulation, LpError, Options, Question, Solution};

/// Solves a question about reductions whose operands can all reach the targets.
///
/// # Errors
/// As [`solve`](crate::solve).
pub fn solve(question: &Question<'_>, options: &Options, watch: Watch<'_>) -> Result<Solution, LpError> {
    let trees = Trees::new(question);
    let solution = match options.formulation {
        Formulation::Columns => generate(&trees, options.time_limit, watch)?,
        Formulation::Compact if question.collective().is_commutative() => return Err(LpError::CompactCommutative),
        Formulation::Compact => match ssr::solve(question, options)? {
            Some(solution) => solution,
            // Out of time: what trees make of as much time again, and of few rounds.
            None => generate(&trees, options.time_limit, &mut few_rounds(watch))?,
        },
    };
    fewest(&trees, solution)
}

/// Rounds of trees after the compact program ran out of time.
const FEW_ROUNDS: usize = 50;

fn few_rounds(watch: Watch<'_>) -> impl FnMut(&Progress) -> ControlFlow<()> {
    let mut rounds = 0;
    move |progress| {
        rounds += 1;
        if rounds >= FEW_ROUNDS { ControlFlow::Break(()) } else { watch(progress) }
    }
}

/// Prices reduction trees; demands are the reductions of an instance.
pub struct Trees<'a> {
    question: &'a Question<'a>,
    cheapest: Cheapest<'a>,
    targets: &'a [NodeId],
    /// Send ports, receive ports, processors.
    resources: Vec<Resource>,
    places: BTreeMap<Resource, usize>,
}

/// Who finds cheapest trees.
enum Cheapest<'a> {
    Ordered(Reduction<'a>),
    Commutative(Commutative<'a>),
}

impl<'a> Trees<'a> {
    /// Prepares a question about a reduction.
    pub fn new(question: &'a Question<'a>) -> Self {
        let platform = question.platform();
        let operands = question.collective().operands().unwrap_or_default();
        let ports = [Resource::Send, Resource::Receive].into_iter().flat_map(|kind| platform.node_ids().map(kind));
        let resources: Vec<Resource> = ports.chain(platform.processors().map(Resource::Compute)).collect();
        let places = resources.iter().enumerate().map(|(place, &resource)| (resource, place)).collect();
        let cheapest = match question.collective().is_commutative() {
            false => Cheapest::Ordered(Reduction::new(platform, operands, question.volumes())),
            true => Cheapest::Commutative(Commutative::new(platform, operands, question.volumes())),
        };
        Trees { question, cheapest, targets: question.collective().reductions(), resources, places }
    }

    fn split<N: Clone + Default>(&self, prices: &[N]) -> Prices<N> {
        let none = || vec![N::default(); self.question.platform().nodes().len()];
        let mut split = Prices { send: none(), receive: none(), compute: none() };
        for (resource, price) in self.resources.iter().zip(prices) {
            let part = match resource {
                Resource::Send(_) => &mut split.send,
                Resource::Receive(_) => &mut split.receive,
                Resource::Compute(_) => &mut split.compute,
            };
            part[resource.node().index()] = price.clone();
        }
        split
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
        let prices = self.split(prices);
        let answers: Vec<Option<(Rational, Vec<ReductionTree>)>> = match &self.cheapest {
            Cheapest::Ordered(reduction) => {
                let guide = reduction.guide(&prices);
                let answer = |&target: &NodeId| Some((guide.lower_bound(target)?, vec![guide.tree(target)?]));
                self.targets.iter().map(answer).collect()
            }
            Cheapest::Commutative(commutative) => commutative.guide(&prices, self.targets),
        };
        let mut at_least = Rational::default();
        let mut patterns = Vec::new();
        for (demand, answer) in answers.into_iter().enumerate() {
            let (bound, trees) = answer.ok_or(UNREACHABLE)?;
            at_least += bound;
            patterns.extend(trees.into_iter().map(|tree| pattern(demand, tree)));
        }
        Ok(Guided { at_least, patterns })
    }

    fn cheapest(&self, prices: &[Rational]) -> Result<Vec<(Rational, Pattern)>, LpError> {
        let prices = self.split(prices);
        let found = match &self.cheapest {
            Cheapest::Ordered(reduction) => reduction.cheapest(&prices, self.targets),
            Cheapest::Commutative(commutative) => commutative.cheapest(&prices, self.targets),
        };
        let named = |(demand, found): (usize, Option<(Rational, ReductionTree)>)| {
            let (price, tree) = found.ok_or(UNREACHABLE)?;
            Ok((price, pattern(demand, tree)))
        };
        found.into_iter().enumerate().map(named).collect()
    }

    fn is_exact(&self) -> bool {
        match &self.cheapest {
            Cheapest::Ordered(_) => true,
            Cheapest::Commutative(commutative) => commutative.exactness() == Exactness::Exact,
        }
    }

    fn loads(&self, pattern: &Pattern) -> Vec<(usize, Rational)> {
        let Some(tree) = pattern.tree() else { return Vec::new() };
        let times = loads(self.question.platform(), self.question.volumes(), tree);
        times.into_iter().filter_map(|(resource, time)| Some((*self.places.get(&resource)?, time))).collect()
    }
}
