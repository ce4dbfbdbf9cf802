//! Many participants: every prefix is passed on to the next participant, which adds its own value.
//!
//! A chain makes each prefix once and where it is wanted: `n - 1` merges and as many ways, the fewest possible. Which
//! ways the chain takes depends on the prices, so a steady state may mix several chains; and it cannot cost less than
//! the cheapest reduction of all operands into the last participant.
//!
//! The ways of a chain do not depend on one another. So the best mixture is found step by step ([`solve`]): each step
//! is a demand of its own, and chains are put together from what is carried out of every step. A bound is found apart
//! from that, as that of the reduction into the last participant.

use std::ops::ControlFlow;
use std::time::Duration;

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_numbers::Exact;
use oneport_plan::{Collective, Interval, Pattern, Status, SteadyState, WeightedPattern};
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_trees::cheapest::Prices;

use crate::column_generation::generate;
use crate::costs::{self, Costs, Times, amount};
use crate::oracle::{Guided, Pricing};
use crate::oracles::combine::Cheapest;
use crate::oracles::route::ShortestPaths;
use crate::oracles::{Patterns, Priced};
use crate::resources::Resources;
use crate::solution::{Observer, Progress};
use crate::{LpError, Question, Solution};

const UNREACHABLE: LpError = LpError::Contradiction("a prefix cannot be reached");

/// Rounds that look for a bound: enough to come close to the best.
const ROUNDS: usize = 50;

/// Prices chains.
pub struct Chain<'a> {
    question: &'a Question<'a>,
    participants: &'a [NodeId],
    whole: Cheapest<'a>,
    times: Times,
}

impl<'a> Chain<'a> {
    /// Prepares the scan of these participants' values.
    pub fn new(question: &'a Question<'a>, participants: &'a [NodeId]) -> Self {
        let whole = Cheapest::new(question, participants, false);
        Chain { question, participants, whole, times: Times::of_size(question, &Rational::one()) }
    }

    fn last(&self) -> &[NodeId] {
        &self.participants[self.participants.len().saturating_sub(1)..]
    }

    /// A chain along cheap ways under guiding prices.
    pub fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        let found = self.whole.guide(prices, self.last()).into_iter().next().flatten();
        let (at_least, _) = found.ok_or(UNREACHABLE)?;
        Ok(vec![Priced { at_least, patterns: vec![self.pattern(&self.times.costs(prices).links)?] }])
    }

    /// The cheapest chain.
    pub fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        let found = self.whole.cheapest(prices, self.last()).into_iter().next().flatten();
        let (at_least, _) = found.ok_or(UNREACHABLE)?;
        let costs: Vec<BigUint> = costs::exact_of_size(self.question, &Rational::one(), prices).links;
        Ok(vec![Priced { at_least, patterns: vec![self.pattern(&costs)?] }])
    }

    fn pattern<N: Exact>(&self, costs: &[N]) -> Result<Pattern, LpError> {
        let mut pattern = Pattern::new(0);
        for step in 0..self.participants.len().saturating_sub(1) {
            let (_, links) = way(self.question.platform(), costs, self.participants, step)?;
            append(&mut pattern, self.participants, step, links);
        }
        Ok(pattern)
    }
}

/// The cheapest way from a participant to the next one.
fn way<N: Exact>(
    platform: &Platform,
    costs: &[N],
    participants: &[NodeId],
    step: usize,
) -> Result<(N, Vec<LinkId>), LpError> {
    let paths = ShortestPaths::new(platform, costs, participants[step], |_| true);
    paths.to(participants[step + 1]).ok_or(UNREACHABLE)
}

/// Appends the transfers of a prefix, which the last task has made, and the merge at the next participant.
fn append(chain: &mut Pattern, participants: &[NodeId], step: usize, links: impl IntoIterator<Item = LinkId>) {
    let part = Interval { first: 0, last: step };
    for link in links {
        // The first prefix is the first participant's own value.
        chain.send(link, part, chain.last());
    }
    let part = Interval { first: 0, last: step + 1 };
    chain.merge(participants[step + 1], part, step, [chain.last(), None]);
}

/// The best mixture of chains, and what no scan exceeds because it contains the reduction into the last participant (as
/// far as a few rounds prove it).
///
/// # Errors
/// Those of the solver.
pub fn solve(
    question: &Question<'_>,
    participants: &[NodeId],
    time_limit: Option<Duration>,
    watch: Observer<'_>,
) -> Result<Solution, LpError> {
    let resources = Resources::new(question.platform(), true);
    let steps = Steps::new(question, participants);
    let found = generate(question, resources.clone(), &steps, time_limit, watch)?;
    let throughput = found.steady_state.throughput.clone();
    let Some(&target) = participants.last() else { return Err(UNREACHABLE) };
    let whole = Collective::Reduce { target, participants: participants.to_vec(), commutative: false };
    let reduction = question.part(&whole)?;
    let mut rounds = 0;
    let mut enough = |progress: &Progress| {
        rounds += 1;
        let done = rounds >= ROUNDS || progress.upper_bound <= throughput;
        let progress = Progress { throughput: throughput.clone(), ..progress.clone() };
        if watch(&progress).is_break() || done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bound = generate(&reduction, resources, &Patterns::new(&reduction), time_limit, &mut enough)?;
    Ok(Solution {
        steady_state: SteadyState {
            patterns: chains(&found.steady_state, participants),
            throughput: throughput.clone(),
        },
        status: if bound.upper_bound == throughput { Status::Optimal } else { Status::Feasible },
        solver_time: found.solver_time + bound.solver_time,
        repaired: found.repaired || bound.repaired,
        tight: Vec::new(),
        ..bound
    })
}

/// Chains that carry out every step as often as its own patterns do: the heaviest patterns of all steps first.
fn chains(steps: &SteadyState, participants: &[NodeId]) -> Vec<WeightedPattern> {
    let mut of_step: Vec<Vec<(Rational, Vec<LinkId>)>> = vec![Vec::new(); participants.len().saturating_sub(1)];
    for WeightedPattern { pattern, weight } in &steps.patterns {
        of_step[pattern.demand].push((weight.clone(), pattern.links().collect()));
    }
    // The heaviest comes last and is taken first.
    of_step.iter_mut().for_each(|ways| ways.sort_unstable());
    let mut all = Vec::new();
    while let Some(weight) = of_step.iter().map(|ways| ways.last().map(|(weight, _)| weight)).min().flatten().cloned() {
        let mut pattern = Pattern::new(0);
        for (step, ways) in of_step.iter_mut().enumerate() {
            let Some((left, links)) = ways.last_mut() else { continue };
            append(&mut pattern, participants, step, links.iter().copied());
            *left -= &weight;
            if left.is_zero() {
                ways.pop();
            }
        }
        all.push(WeightedPattern { pattern, weight });
    }
    all.sort_by(|a, b| a.pattern.cmp(&b.pattern));
    all
}

/// Prices the steps of chains, each a demand of its own.
struct Steps<'a> {
    question: &'a Question<'a>,
    participants: &'a [NodeId],
    times: Times,
    rates: Vec<Rational>,
}

impl<'a> Steps<'a> {
    fn new(question: &'a Question<'a>, participants: &'a [NodeId]) -> Self {
        let rates = vec![Rational::one(); participants.len().saturating_sub(1)];
        Steps { question, participants, times: Times::of_size(question, &Rational::one()), rates }
    }

    /// Every step's cheapest price and pattern.
    fn all<N: Exact + Into<BigUint>>(
        &self,
        costs: &Costs<N>,
        compute: impl Fn(NodeId) -> Rational,
    ) -> Result<Vec<(Rational, Pattern)>, LpError> {
        let (platform, volumes) = (self.question.platform(), self.question.volumes());
        let step = |step: usize| {
            let (cost, links) = way(platform, &costs.links, self.participants, step)?;
            let [sent, made] = [step, step + 1].map(|last| Interval { first: 0, last });
            let node = self.participants[step + 1];
            let transfer = volumes.size.of(sent).unwrap_or_default() * amount(&costs.unit, &cost);
            let price = transfer + volumes.merge_time(platform, node, made) * compute(node);
            let mut pattern = Pattern::new(step);
            append(&mut pattern, self.participants, step, links);
            Ok((price, pattern))
        };
        (0..self.rates.len()).map(step).collect()
    }
}

impl Pricing for Steps<'_> {
    fn rates(&self) -> &[Rational] {
        &self.rates
    }

    fn guide(&self, prices: &Prices<u64>) -> Result<Guided, LpError> {
        let compute = |node: NodeId| Rational::from_integer(prices.compute[node.index()].into());
        let (least, patterns): (Vec<Rational>, _) = self.all(&self.times.costs(prices), compute)?.into_iter().unzip();
        Ok(Guided { at_least: least.into_iter().sum(), patterns })
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<(Rational, Pattern)>, LpError> {
        let costs = costs::exact_of_size(self.question, &Rational::one(), prices);
        self.all(&costs, |node| prices.compute[node.index()].clone().max(Rational::zero()))
    }
}
