//! Scans of many participants: the best mixture of chains.
//!
//! The steps of a chain are independent. So the best mixture is found step by step: each step is solved as a separate
//! demand, and chains are assembled from the patterns of all steps. The bound is found separately: it is the bound of
//! the reduction into the last participant.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_numbers::Exact;
use oneport_plan::{Collective, Interval, Kind, Pattern, SteadyState, WeightedPattern};
use oneport_platform::{LinkId, NodeId, Rational, whole};
use oneport_trees::cheapest::Prices;

use crate::bounds::shared_tasks;
use crate::column_generation::generate;
use crate::costs::{self, LinkCosts, Times, amount};
use crate::findings::Findings;
use crate::oracle::{Oracle, Priced};
use crate::oracles::prefix::chain::{UNREACHABLE, append, way};
use crate::oracles::{Patterns, prefix};
use crate::resources::Resources;
use crate::{Formulation, LpError, Options, Question, Until};

/// Rounds of the search for a bound. Trades a tighter bound for time. Not measured.
const ROUNDS: usize = 50;

/// The best mixture of chains of a scan of many participants, and an upper bound on every scan. The bound is that of
/// the reduction into the last participant, which a scan contains, as a few rounds prove it.
///
/// # Errors
/// The errors of the solver.
pub(crate) fn attempt(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    let Some(block) = question.block().filter(|block| block.kind == Kind::Prefix) else {
        return Ok(());
    };
    let participants = block.operands();
    if options.formulation != Formulation::Columns
        || !prefix::is_large(question.platform(), participants.len())
    {
        return Ok(());
    }
    found.settled = true;
    let resources = Resources::new(question.platform(), true);
    let steps = Patterns::of_one(
        question,
        Steps::new(question, participants),
        steps_of(participants),
    );
    let mixture = generate(question, resources.clone(), &steps, &found.until(options))?;
    found.effort += mixture.effort;
    let patterns = chains(&mixture.state, participants);
    found.known.offer_state(SteadyState {
        patterns,
        throughput: mixture.state.throughput,
    });
    let Some(&target) = participants.last() else {
        return Err(UNREACHABLE);
    };
    let whole = Collective::reduce(target, participants.to_vec()).in_order();
    let reduction = question.part(whole)?;
    let until = found.until(options);
    let until = Until {
        rounds: until.rounds.into_iter().chain([ROUNDS]).min(),
        ..until
    };
    let bound = generate(&reduction, resources, &Patterns::new(&reduction), &until)?;
    found.effort += bound.effort;
    found
        .known
        .offer_bound(shared_tasks::of_scan(question, bound.bound())?);
    Ok(())
}

/// How many steps a chain has.
fn steps_of(participants: &[NodeId]) -> usize {
    participants.len().saturating_sub(1)
}

/// Chains that execute every step as often as its patterns do: the heaviest patterns of all steps first.
fn chains(steps: &SteadyState, participants: &[NodeId]) -> Vec<WeightedPattern> {
    let mut of_step: Vec<Vec<(Rational, Vec<LinkId>)>> = vec![Vec::new(); steps_of(participants)];
    for WeightedPattern { pattern, weight } in &steps.patterns {
        of_step[pattern.demand].push((weight.clone(), pattern.links().collect()));
    }
    // The heaviest comes last and is taken first.
    for ways in &mut of_step {
        ways.sort_unstable();
    }
    let mut all = Vec::new();
    while let Some(weight) = of_step
        .iter()
        .map(|ways| ways.last().map(|(weight, _)| weight))
        .min()
        .flatten()
        .cloned()
    {
        let mut pattern = Pattern::new(0);
        for (step, ways) in of_step.iter_mut().enumerate() {
            let Some((left, links)) = ways.last_mut() else {
                continue;
            };
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

/// Prices the steps of chains, each as a separate demand.
struct Steps<'a> {
    question: &'a Question,
    participants: &'a [NodeId],
    times: Times,
}

impl<'a> Steps<'a> {
    fn new(question: &'a Question, participants: &'a [NodeId]) -> Self {
        Steps {
            question,
            participants,
            times: Times::of_size(question, &Rational::one()),
        }
    }

    /// Every step's cheapest price and pattern.
    fn all<N: Exact + Into<BigUint>>(
        &self,
        costs: &LinkCosts<N>,
        compute: impl Fn(NodeId) -> Rational,
    ) -> Result<Vec<Priced>, LpError> {
        let (platform, volumes) = (self.question.platform(), self.question.volumes());
        let step = |step: usize| {
            let (cost, links) = way(platform, &costs.links, self.participants, step)?;
            let [sent, made] = [step, step + 1].map(|last| Interval { first: 0, last });
            let node = self.participants[step + 1];
            let transfer = volumes.size.of(sent).unwrap_or_default() * amount(&costs.unit, &cost);
            let price = transfer + volumes.merge_time(platform, node, made, step) * compute(node);
            let mut pattern = Pattern::new(step);
            append(&mut pattern, self.participants, step, links);
            Ok(Priced::one((price, pattern)))
        };
        (0..steps_of(self.participants)).map(step).collect()
    }
}

impl Oracle for Steps<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        self.all(&self.times.costs(prices), |node| {
            whole(prices.compute[node.index()])
        })
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        let costs = costs::exact_of_size(self.question, &Rational::one(), prices);
        self.all(&costs, |node| {
            prices.compute[node.index()].clone().max(Rational::zero())
        })
    }
}
