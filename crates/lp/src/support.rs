//! Fewer patterns for the same throughput: a schedule of few trees has a short period and is easy to read.
//!
//! The optimum is rarely unique. Patterns are left out one by one, the lightest first. If the others, and the tight
//! patterns that were not used, still sustain the throughput exactly, the pattern is left out for good. No further
//! pattern of the result that was tried can be left out. The result need not be the smallest.

use oneport_exact::{self as exact, Column, LinearProgram, Outcome, Relation, Row, Sense, Solver};
use oneport_plan::{Pattern, SteadyState, WeightedPattern};
use oneport_platform::Rational;

use num_traits::{One, Signed, Zero};

use crate::mixture::Mixture;
use crate::odd_sets::PortSets;
use crate::resources::Resources;
use crate::{LpError, Question};

/// Patterns, used and tight, up to which a smaller support is sought. Trades fewer patterns for time. Measured: 27 % of
/// a broadcast's time on 3000 nodes.
const MOST_KNOWN: usize = 300;
/// Patterns tried. Trades fewer patterns for time. Not measured.
const TRIES: usize = 6;

/// The mixture with patterns left out while the throughput stays.
///
/// # Errors
/// HiGHS refuses a call.
pub(crate) fn reduced(
    question: &Question,
    rates: &[Rational],
    mut mixture: Mixture,
) -> Result<Mixture, LpError> {
    let used = mixture.state.patterns.len();
    // Complementary slackness: every priced resource is busy all the time. Fewer patterns than priced resources satisfy
    // these equations only by coincidence.
    let least = mixture.prices.prices().count().max(rates.len());
    // Other patterns might violate other odd sets.
    let half_duplex = PortSets::new(question.platform()).is_some();
    if half_duplex || used <= least || used + mixture.tight.len() > MOST_KNOWN {
        return Ok(mixture);
    }
    let resources = Resources::new(question.platform(), question.collective().combines());
    let mut by_weight = mixture.state.patterns.clone();
    by_weight.sort_by(|a, b| (&a.weight, &a.pattern).cmp(&(&b.weight, &b.pattern)));
    let mut known: Vec<(Pattern, Vec<(usize, Rational)>)> = by_weight
        .iter()
        .map(|weighted| &weighted.pattern)
        .chain(&mixture.tight)
        .map(|pattern| (pattern.clone(), resources.loads(question, pattern)))
        .collect();
    for WeightedPattern { pattern, .. } in by_weight.into_iter().take(TRIES) {
        if mixture.state.patterns.len() <= least || question.watch().ask().is_err() {
            break;
        }
        let without: Vec<_> = known
            .iter()
            .filter(|(other, _)| *other != pattern)
            .cloned()
            .collect();
        let state = best(question, &resources, rates, &without)?;
        if state.throughput == mixture.state.throughput
            && state.patterns.len() <= mixture.state.patterns.len()
        {
            known = without;
            mixture.state = state;
        }
    }
    let left_out = |pattern: &Pattern| {
        mixture
            .state
            .patterns
            .iter()
            .all(|used| used.pattern != *pattern)
    };
    mixture.tight = known
        .into_iter()
        .map(|(pattern, _)| pattern)
        .filter(left_out)
        .collect();
    Ok(mixture)
}

/// The best steady state of some patterns.
fn best(
    question: &Question,
    limits: &Resources,
    rates: &[Rational],
    patterns: &[(Pattern, Vec<(usize, Rational)>)],
) -> Result<SteadyState, LpError> {
    let mut program = LinearProgram::new(Sense::Maximize);
    let capacity = |index| limits.capacity(index).clone();
    let resources: Vec<Row> = (0..limits.count())
        .map(|index| program.add_row(Relation::AtMost, capacity(index)))
        .collect();
    let demands: Vec<Row> = rates
        .iter()
        .map(|_| program.add_row(Relation::Equal, Rational::zero()))
        .collect();
    let rates = demands
        .iter()
        .zip(rates)
        .map(|(&row, rate)| (row, rate.clone()));
    let throughput = program.add_column(Rational::one(), rates)?;
    let mut columns: Vec<Column> = Vec::with_capacity(patterns.len());
    for (pattern, loads) in patterns {
        let loads = loads
            .iter()
            .map(|(index, time)| (resources[*index], time.clone()));
        columns.push(program.add_column(
            Rational::zero(),
            loads.chain([(demands[pattern.demand], -Rational::one())]),
        )?);
    }
    let (method, watch) = (exact::Method::Simplex, question.watch().clone());
    let Outcome::Optimal(optimum) = Solver::new(program).solve(&exact::Options {
        method,
        watch,
        ..Default::default()
    })?
    else {
        return Ok(SteadyState {
            throughput: Rational::zero(),
            patterns: Vec::new(),
        });
    };
    let weighted = patterns
        .iter()
        .zip(columns)
        .map(|((pattern, _), column)| WeightedPattern {
            pattern: pattern.clone(),
            weight: optimum.primal.get(column),
        });
    let mut patterns: Vec<WeightedPattern> = weighted
        .filter(|weighted| weighted.weight.is_positive())
        .collect();
    patterns.sort_by(|a, b| a.pattern.cmp(&b.pattern));
    Ok(SteadyState {
        throughput: optimum.primal.get(throughput),
        patterns,
    })
}
