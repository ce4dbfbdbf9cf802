//! Column generation: the one driver for patterns that are too many to list.
//!
//! Symbols: `x_p` is how often pattern `p` is executed per unit of time, `t(p, r)` how long one copy occupies resource
//! `r`, `TP` the throughput. A demand is one commodity (or one reduction) of each instance.
//!
//! ```text
//! maximise TP subject to
//!   for each demand d:    rate_d TP <= sum of x_p over the patterns p of d      (multiplier mu_d)
//!   for each resource r:  sum of t(p, r) x_p <= capacity of r                    (price pi_r)
//! ```
//!
//! The program holds the patterns found so far. Each round searches for cheapest patterns under prices and adds them,
//! until none is cheaper than `mu_d`. Two measures keep the rounds few. First, the prices of a round lie between the
//! best prices so far (those with the smallest bound `sum pi / sum cheapest`) and the program's own (Wentges 1997).
//! Second, every round prices two such points at the same time. Prices guide in rounded integers. The final answer uses
//! an exact optimum and exact cheapest patterns.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_exact::{
    self as exact, Column, LinearProgram, Optimum, Outcome, Relation, Row, Sense, Solver,
};
use oneport_numbers::common_denominator;
use oneport_plan::{Goals, Pattern, SteadyState, WeightedPattern};
use oneport_platform::{NodeId, Rational, ratio};

use crate::mixture::{Effort, Mixture, links_of, mixed};
use crate::odd_sets::PortSets;
use crate::oracles::Patterns;
use crate::resources::Resources;
use crate::rounds::{Best, Pace, Progress};
use crate::stages::{Stages, joined, paired, stages};
use crate::{LpError, Question, Until};

use oneport_watch::News;

/// Fact: sum of the guiding prices. 20 times this sum fits 64 bits. A price that is rounded to zero matters only to a
/// pattern that takes `2^59` times as long as an instance.
const PRICE_SUM: u64 = 1 << 59;
/// Weights, in twentieths, of the incumbent prices in the two smoothed price vectors of a round. Trades gain of the
/// bound (the larger) for gain of the program (the smaller). Measured on reductions of 48 operands: 174 rounds, and 318
/// with the best single weight. One column of each vector is better than several of one.
const SMOOTHING: [u64; 2] = [19, 14];

/// Tight patterns reported. Trades completeness of the list for memory. Not measured.
const MOST_TIGHT: usize = 500;

const FREE: LpError = LpError::Contradiction("an instance takes no time");

/// Finds the optimum, or the best within the limits.
///
/// # Errors
/// The errors of the exact solver and of the pricing.
pub(crate) fn generate(
    question: &Question,
    resources: Resources,
    pricing: &Patterns<'_>,
    until: &Until,
) -> Result<Mixture, LpError> {
    generate_from(question, resources, pricing, Vec::new(), until)
}

/// [`generate`] with some patterns of the question in the program from the beginning.
///
/// # Errors
/// Those of [`generate`].
pub(crate) fn generate_from(
    question: &Question,
    resources: Resources,
    pricing: &Patterns<'_>,
    known: Vec<Pattern>,
    until: &Until,
) -> Result<Mixture, LpError> {
    let mut master = Master::new(question, resources, pricing)?;
    master.add(known)?;
    let mut best = Best::none();
    // Whether floating point can improve nothing more.
    let mut exactly = false;
    loop {
        let finished = match master.approach(&mut best, exactly, until) {
            Err(LpError::Stopped(_)) if best.bound.is_some() => false,
            other => other?,
        };
        let Some(optimum) = master.optimum()? else {
            return master.stopped(best);
        };
        if !finished {
            return master.early(optimum, best, None);
        }
        let prices = master.prices(&optimum.dual);
        if exactly {
            let improved = match master.improve(&mut best, &optimum, &prices) {
                Err(LpError::Stopped(_)) => return master.stopped(best),
                other => other?,
            };
            if improved {
                continue;
            }
        }
        let cheapest = match master.cheapest(&prices) {
            Err(LpError::Stopped(_)) => return master.stopped(best),
            other => other?,
        };
        let known = bound_of(&master.resources, pricing, &prices, &cheapest);
        let cheaper = |(index, (price, _)): &(usize, (Rational, Pattern))| {
            *price < optimum.dual.get(master.demands[*index])
        };
        let missing: Vec<Pattern> = cheapest
            .into_iter()
            .enumerate()
            .filter(cheaper)
            .map(|(_, (_, pattern))| pattern)
            .collect();
        if missing.is_empty() {
            if master.cut_off(&optimum)? {
                continue;
            }
            let tight = master.tight(&optimum);
            return Ok(Mixture {
                tight,
                ..master.mixture(&optimum, &prices, optimum.objective.clone())?
            });
        }
        match master.add(missing) {
            Err(LpError::Stopped(_)) => return master.stopped(best),
            Ok(0) => {}
            added => {
                added?;
                exactly = true;
                continue;
            }
        }
        if pricing.is_exact() {
            return Err(LpError::Contradiction(
                "a pattern of the program is cheaper than its multiplier",
            ));
        }
        return master.early(optimum, best, known.map(|bound| (bound, prices)));
    }
}

/// Upper bound on the throughput that prices of the rows prove. `None` if an instance costs nothing under them.
///
/// # Errors
/// The errors of the pricing.
pub(crate) fn proved(
    pricing: &Patterns<'_>,
    resources: &Resources,
    prices: &[Rational],
) -> Result<Option<Rational>, LpError> {
    let cheapest = pricing.cheapest(&resources.prices(prices))?;
    Ok(bound_of(resources, pricing, prices, &cheapest))
}

/// The bound of these prices, if the cheapest patterns of the demands are given.
fn bound_of(
    resources: &Resources,
    pricing: &Patterns<'_>,
    prices: &[Rational],
    cheapest: &[(Rational, Pattern)],
) -> Option<Rational> {
    let instance: Rational = cheapest
        .iter()
        .zip(pricing.rates())
        .map(|((price, _), rate)| price * rate)
        .sum();
    instance
        .is_positive()
        .then(|| resources.worth(prices) / instance)
}

/// The least cost of an instance under guiding prices, and cheap patterns.
type Guided = (Rational, Vec<Pattern>);

/// A bound on the throughput, and the prices of rows that prove it.
type Proof = (Rational, Vec<Rational>);

/// The program over the patterns found so far.
struct Master<'m> {
    question: &'m Question,
    pricing: &'m Patterns<'m>,
    solver: Solver,
    throughput: Column,
    resources: Resources,
    rows: Vec<Row>,
    demands: Vec<Row>,
    /// Only on platforms with half-duplex nodes.
    port_graph: Option<PortSets>,
    /// Per column: a pattern, or a stage of patterns.
    patterns: Vec<Pattern>,
    /// Per column: its joint, and whether it is the second stage. `None` for whole patterns.
    meets: Vec<Option<(usize, bool)>>,
    /// Per demand and processor: the joint where stages meet. Per joint: a row that lets second stages start at most as
    /// often as first ones end.
    joints: BTreeMap<(usize, NodeId), usize>,
    balances: Vec<Row>,
    known: BTreeSet<(Option<(usize, bool)>, Pattern)>,
    first: usize,
    /// The program's last floating-point optimum.
    estimate: Option<exact::Estimate>,
    effort: Effort,
}

impl<'m> Master<'m> {
    fn new(
        question: &'m Question,
        resources: Resources,
        pricing: &'m Patterns<'m>,
    ) -> Result<Self, LpError> {
        let mut program = LinearProgram::new(Sense::Maximize);
        let capacity = |index| resources.capacity(index).clone();
        let rows = (0..resources.count())
            .map(|index| program.add_row(Relation::AtMost, capacity(index)))
            .collect();
        let demands: Vec<Row> = pricing
            .rates()
            .iter()
            .map(|_| program.add_row(Relation::AtMost, Rational::zero()))
            .collect();
        let rates = demands
            .iter()
            .zip(pricing.rates())
            .map(|(&row, rate)| (row, rate.clone()));
        let throughput = program.add_column(Rational::one(), rates)?;
        Ok(Master {
            question,
            pricing,
            solver: Solver::new(program),
            throughput,
            resources,
            rows,
            demands,
            port_graph: PortSets::new(question.platform()),
            patterns: Vec::new(),
            meets: Vec::new(),
            joints: BTreeMap::new(),
            balances: Vec::new(),
            known: BTreeSet::new(),
            first: throughput.0 + 1,
            estimate: None,
            effort: Effort::default(),
        })
    }

    /// Adds the new patterns, or their new stages. Returns their number. The watch is checked before each.
    fn add(&mut self, patterns: Vec<Pattern>) -> Result<usize, LpError> {
        let mut added = 0;
        for pattern in patterns {
            self.question.watch().ask()?;
            let Some(Stages { at, first, second }) =
                stages(&pattern).filter(|_| self.is_spread(pattern.demand))
            else {
                added += usize::from(self.add_column(pattern, None)?);
                continue;
            };
            let joint = self.joint(pattern.demand, at)?;
            let first = self.add_column(first, Some((joint, false)))?;
            let second = self.add_column(second, Some((joint, true)))?;
            added += usize::from(first) + usize::from(second);
        }
        Ok(added)
    }

    /// Whether several nodes receive the value that this demand combines. Its stages are then priced separately. (The
    /// last results of two schemes of a scan may be different prefixes that are made at one node, so scans have no
    /// stages.)
    fn is_spread(&self, demand: usize) -> bool {
        let demand = self.question.collective().demand(demand);
        demand.is_some_and(|demand| matches!(demand.goals, Goals::Everywhere(_)))
    }

    /// The row at which the stages of a demand meet at a processor. Adds it if there is none yet.
    fn joint(&mut self, demand: usize, at: NodeId) -> Result<usize, LpError> {
        if let Some(&joint) = self.joints.get(&(demand, at)) {
            return Ok(joint);
        }
        let joint = self.balances.len();
        self.balances.push(
            self.solver
                .add_row(Relation::AtMost, Rational::zero(), [])?,
        );
        self.joints.insert((demand, at), joint);
        Ok(joint)
    }

    /// Adds a pattern or a stage. Returns whether it is new. A demand counts patterns, and second stages.
    fn add_column(
        &mut self,
        pattern: Pattern,
        meets: Option<(usize, bool)>,
    ) -> Result<bool, LpError> {
        if !self.known.insert((meets, pattern.clone())) {
            return Ok(false);
        }
        let demand = self.demands[pattern.demand];
        let loads = self.resources.loads(self.question, &pattern);
        let mut entries: Vec<(Row, Rational)> = loads
            .into_iter()
            .map(|(index, time)| (self.rows[index], time))
            .collect();
        if let Some((joint, is_second)) = meets {
            let one = Rational::one();
            entries.push((self.balances[joint], if is_second { one } else { -one }));
        }
        if meets.is_none_or(|(_, is_second)| is_second) {
            entries.push((demand, -Rational::one()));
        }
        self.solver.add_column(Rational::zero(), entries)?;
        self.patterns.push(pattern);
        self.meets.push(meets);
        Ok(true)
    }

    /// The patterns, stages composed, that columns of these weights execute, and how often.
    fn composed(&self, weight: impl Fn(usize) -> Rational) -> Vec<(Pattern, Rational)> {
        let mut whole = Vec::new();
        let mut meeting = vec![[const { Vec::new() }; 2]; self.balances.len()];
        for (index, pattern) in self.patterns.iter().enumerate() {
            let weight = weight(index);
            match self.meets[index] {
                _ if !weight.is_positive() => {}
                None => whole.push((pattern.clone(), weight)),
                Some((joint, is_second)) => {
                    meeting[joint][usize::from(is_second)].push((index, weight))
                }
            }
        }
        for [first, second] in meeting {
            let pairs = paired(&first, &second).into_iter();
            whole.extend(pairs.map(|(first, second, weight)| (self.pair(first, second), weight)));
        }
        whole
    }

    /// The pattern of two stages, by their columns' indices.
    fn pair(&self, first: usize, second: usize) -> Pattern {
        joined(&self.patterns[first], &self.patterns[second])
    }

    /// Adds odd-set inequalities that the patterns' link times violate. Returns whether there are any.
    fn cut(
        &mut self,
        weight: impl Fn(Column) -> Rational,
        room: &Rational,
    ) -> Result<bool, LpError> {
        let Some(ports) = &self.port_graph else {
            return Ok(false);
        };
        let mut times = self.question.platform().per_link(Rational::zero());
        for (index, pattern) in self.patterns.iter().enumerate() {
            let weight = weight(Column(self.first + index));
            if weight.is_positive() {
                for (link, part) in links_of(pattern) {
                    times[link] += &weight * self.question.transfer_time(link, part);
                }
            }
        }
        let mut sets = ports.violated(&times, room)?;
        // Floating point may regard a violated row as satisfied. The exact optimum does not.
        sets.retain(|set| !self.resources.has(set));
        for set in &sets {
            let members = self.resources.add(self.question.platform(), set.clone());
            let mut entries = Vec::new();
            for (index, pattern) in self.patterns.iter().enumerate() {
                let inside =
                    links_of(pattern).filter(|(link, _)| members.binary_search(link).is_ok());
                let time: Rational = inside
                    .map(|(link, part)| self.question.transfer_time(link, part))
                    .sum();
                if time.is_positive() {
                    entries.push((Column(self.first + index), time));
                }
            }
            let capacity = self.resources.capacity(self.resources.count() - 1).clone();
            self.rows
                .push(self.solver.add_row(Relation::AtMost, capacity, entries)?);
        }
        Ok(!sets.is_empty())
    }

    /// [`cut`](Self::cut) at an exact optimum.
    fn cut_off(&mut self, optimum: &Optimum) -> Result<bool, LpError> {
        self.cut(|column| optimum.primal.get(column), &Rational::one())
    }

    /// Adds the patterns found under guiding prices. Returns the number of new ones.
    fn ask<const N: usize>(
        &mut self,
        best: &mut Best,
        answers: [Result<(Guided, Vec<u64>), LpError>; N],
    ) -> Result<usize, LpError> {
        let mut added = 0;
        for answer in answers {
            let (guided, prices) = answer?;
            best.offer(&self.resources, &prices, &guided.0);
            added += self.add(guided.1)?;
        }
        Ok(added)
    }

    fn guide(&self, prices: Vec<u64>) -> Result<(Guided, Vec<u64>), LpError> {
        guide(self.question, self.pricing, &self.resources, prices)
    }

    /// Exact cheapest patterns. An error if the watch cut the answer short.
    fn cheapest(&self, prices: &[Rational]) -> Result<Vec<(Rational, Pattern)>, LpError> {
        let answer = self.pricing.cheapest(&self.resources.prices(prices));
        self.question.watch().ask()?;
        answer
    }

    /// Pricing rounds in floating point until no column improves. Returns false if they ended before. With `exactly`
    /// there are none.
    fn approach(&mut self, best: &mut Best, exactly: bool, until: &Until) -> Result<bool, LpError> {
        if exactly {
            self.question.watch().ask()?;
            let believed = |estimate: &exact::Estimate| estimate.primal[self.throughput.0].clone();
            let throughput = self.estimate.as_ref().map(believed).unwrap_or_default();
            return Ok(!self.ends(best, throughput, until)?.1);
        }
        // Odd sets that are violated by less than this are left to the exact optimum.
        let room = Rational::one() + ratio(1, BigInt::from(1u64 << 24));
        if best.bound.is_none() {
            let level =
                vec![PRICE_SUM / self.resources.count().max(1) as u64; self.resources.count()];
            let answer = self.guide(level);
            self.ask(best, [answer])?;
        }
        if best.bound.is_none() {
            // Rounding can turn all cheap prices into zero next to a huge one. The exact bound is computed then.
            let prices = best.exact(&self.resources);
            best.bound = bound_of(
                &self.resources,
                self.pricing,
                &prices,
                &self.cheapest(&prices)?,
            );
        }
        let mut pace = Pace::default();
        loop {
            let watch = self.question.watch();
            let options = exact::Options {
                watch: watch.clone(),
                ..exact::Options::default()
            };
            let estimate = self.solver.estimate(&options)?;
            self.effort.solver_time += self.solver.statistics().solver_time;
            watch.ask()?;
            let Some(estimate) = estimate else {
                return Ok(true);
            };
            let dual: Vec<Rational> = self
                .rows
                .iter()
                .map(|row| estimate.dual[row.0].clone())
                .collect();
            let own = guiding(&dual);
            let throughput = estimate.primal[self.throughput.0].clone();
            self.estimate = Some(estimate.clone());
            let mut added =
                self.guide_twice(best, SMOOTHING.map(|part| best.smoothed(&own, part)))?;
            if added == 0 {
                let answer = self.guide(own);
                added = self.ask(best, [answer])?;
            }
            let (progress, ends) = self.ends(best, throughput, until)?;
            if ends {
                return Ok(false);
            }
            let near_enough = pace.is_near(&progress);
            if (added == 0 || near_enough)
                && !self.cut(
                    |column| estimate.primal.get(column.0).cloned().unwrap_or_default(),
                    &room,
                )?
            {
                return Ok(true);
            }
        }
    }

    /// Reports a round to the watch. Returns whether it was the last.
    fn ends(
        &mut self,
        best: &Best,
        throughput: Rational,
        until: &Until,
    ) -> Result<(Progress, bool), LpError> {
        let Some(upper_bound) = best.bound.clone() else {
            return Err(FREE);
        };
        let progress = Progress {
            patterns: self.patterns.len(),
            throughput,
            upper_bound,
        };
        self.question.watch().tell(News::Round(&progress));
        self.effort.rounds += 1;
        let ends = until.ends(self.effort.rounds, &progress.upper_bound);
        Ok((progress, ends))
    }

    /// Patterns that are cheap under two lists of guiding prices, priced at the same time. Returns the number of new
    /// ones.
    fn guide_twice(
        &mut self,
        best: &mut Best,
        [one, other]: [Vec<u64>; 2],
    ) -> Result<usize, LpError> {
        // The solver itself stays in this thread.
        let (question, pricing, resources) = (self.question, self.pricing, &self.resources);
        let guide = |prices: Vec<u64>| guide(question, pricing, resources, prices);
        let (one, other) = rayon::join(|| guide(one), || guide(other));
        self.ask(best, [one, other])
    }

    /// Prices patterns under the rounded prices of an exact optimum, which is far quicker than exact pricing. Returns
    /// whether one is new and cheaper than its multiplier. (Exact prices separate patterns that HiGHS cannot, whose
    /// multipliers are off by its tolerance.)
    fn improve(
        &mut self,
        best: &mut Best,
        optimum: &Optimum,
        prices: &[Rational],
    ) -> Result<bool, LpError> {
        let own = guiding(prices);
        let before = self.patterns.len();
        let between = best.smoothed(&own, SMOOTHING[1]);
        self.guide_twice(best, [between, own])?;
        Ok((before..self.patterns.len()).any(|index| self.is_cheaper(index, optimum)))
    }

    /// Whether a column improves the program whose optimum is given.
    fn is_cheaper(&self, index: usize, optimum: &Optimum) -> bool {
        let column = Column(self.first + index);
        let unit = common_denominator(self.solver.program().column(column).map(|(_, value)| value));
        // Rows that came after the optimum are new joints: nothing was made there, or wanted.
        let multiplier =
            |row: Row| (row.0 < optimum.dual.len()).then(|| optimum.dual.numerator(row));
        let entries = self.solver.program().column(column);
        let priced = entries.filter_map(|(row, value)| {
            Some(multiplier(row)? * (value.numer() * &unit / value.denom()))
        });
        priced.sum::<BigInt>().is_negative()
    }

    /// The exact optimum over the patterns found so far. `None` if the watch ended first.
    fn optimum(&mut self) -> Result<Option<Optimum>, LpError> {
        let watch = self.question.watch();
        if watch.ask().is_err() {
            return Ok(None);
        }
        // There is an optimum (doing nothing is possible, and instances take time), and exact pivots reach it.
        let (method, pivot_limit) = (exact::Method::Simplex, usize::MAX);
        let options = exact::Options {
            method,
            pivot_limit,
            watch: watch.clone(),
        };
        let outcome = self.solver.solve(&options)?;
        self.effort += Effort::of(&self.solver);
        match outcome {
            Outcome::Optimal(optimum) => Ok(Some(optimum)),
            _ if watch.ask().is_err() => Ok(None),
            _ => Err(LpError::Contradiction("the patterns have no optimum")),
        }
    }

    fn prices(&self, dual: &exact::RationalVector) -> Vec<Rational> {
        self.rows.iter().map(|&row| dual.get(row)).collect()
    }

    /// The patterns of an optimum.
    fn mixture(
        &self,
        optimum: &Optimum,
        prices: &[Rational],
        at_most: Rational,
    ) -> Result<Mixture, LpError> {
        let throughput = optimum.objective.clone();
        if !throughput.is_positive() {
            return Err(LpError::Contradiction("the throughput is not positive"));
        }
        let mut patterns = Vec::new();
        let mut left: Vec<Rational> = self
            .pricing
            .rates()
            .iter()
            .map(|rate| rate * &throughput)
            .collect();
        for (pattern, weight) in
            self.composed(|index| optimum.primal.get(Column(self.first + index)))
        {
            // A demand may be served more often than required. The surplus is dropped.
            let left = &mut left[pattern.demand];
            let weight = weight.min(left.clone());
            if weight.is_positive() {
                *left -= &weight;
                patterns.push(WeightedPattern { pattern, weight });
            }
        }
        patterns.sort_by(|a, b| a.pattern.cmp(&b.pattern));
        Ok(self.priced(
            SteadyState {
                throughput,
                patterns,
            },
            prices,
            at_most,
        ))
    }

    fn priced(&self, state: SteadyState, prices: &[Rational], at_most: Rational) -> Mixture {
        let prices = self.resources.certificate(prices);
        Mixture {
            state,
            tight: Vec::new(),
            prices,
            at_most,
            effort: self.effort,
        }
    }

    /// Patterns not used that cost exactly their demand's multiplier.
    fn tight(&self, optimum: &Optimum) -> Vec<Pattern> {
        let is_tight = |index: usize| {
            let column = Column(self.first + index);
            let unit =
                || common_denominator(self.solver.program().column(column).map(|(_, value)| value));
            // The demand's entry is -1, so the sum is the price less the multiplier.
            let excess = |unit: BigInt| -> BigInt {
                let entries = self.solver.program().column(column);
                entries
                    .map(|(row, value)| {
                        optimum.dual.numerator(row) * (value.numer() * &unit / value.denom())
                    })
                    .sum()
            };
            optimum.primal.numerator(column).is_zero() && excess(unit()).is_zero()
        };
        // Only the columns that the program had.
        let columns = self.patterns.len().min(optimum.primal.len() - self.first);
        let tight = (0..columns)
            .filter(|&index| is_tight(index))
            .take(MOST_TIGHT);
        let is_used = |index: &usize| {
            !optimum
                .primal
                .numerator(Column(self.first + index))
                .is_zero()
        };
        let partner = |joint: usize, is_second: bool| {
            (0..columns)
                .filter(is_used)
                .find(|&index| self.meets[index] == Some((joint, !is_second)))
        };
        let pattern = |index: usize| match self.meets[index] {
            None => Some(self.patterns[index].clone()),
            Some((joint, true)) => Some(self.pair(partner(joint, true)?, index)),
            Some((joint, false)) => Some(self.pair(index, partner(joint, false)?)),
        };
        tight.filter_map(pattern).collect()
    }

    /// The best so far: the optimum over the patterns found, and the bound of the best prices (or the one known).
    fn early(
        &mut self,
        mut optimum: Optimum,
        best: Best,
        known: Option<Proof>,
    ) -> Result<Mixture, LpError> {
        let mut found = known;
        // If every row has a price, no instance is free: a node that transfers nothing has to compute.
        let level = vec![Rational::one(); self.resources.count()];
        for (index, prices) in [
            best.exact(&self.resources),
            self.prices(&optimum.dual),
            level,
        ]
        .into_iter()
        .enumerate()
        {
            if index > 0 && found.is_some() {
                break;
            }
            let cheapest = match self.cheapest(&prices) {
                Err(LpError::Stopped(_)) => return self.stopped(best),
                other => other?,
            };
            if let Some(bound) = bound_of(&self.resources, self.pricing, &prices, &cheapest)
                && found.as_ref().is_none_or(|(known, _)| bound < *known)
            {
                found = Some((bound, prices));
            }
        }
        let (bound, prices) = found.ok_or(FREE)?;
        // The steady state of the patterns at hand must be schedulable, too.
        while self.cut_off(&optimum)? {
            let Some(better) = self.optimum()? else {
                return self.stopped(best);
            };
            optimum = better;
        }
        self.mixture(&optimum, &prices, bound)
    }

    /// The incumbent after the watch has ended: no program is solved any more. The patterns are mixed as HiGHS last
    /// estimated, by shares of 2^-20, and executed as often as the busiest resource (or odd set) allows.
    fn stopped(&self, best: Best) -> Result<Mixture, LpError> {
        let prices = best.exact(&self.resources);
        let Some(at_most) = best.bound else {
            self.question.watch().ask()?;
            return Err(LpError::Contradiction("the best prices prove nothing"));
        };
        let state = mixed(
            self.question,
            &self.resources,
            self.port_graph.as_ref(),
            self.shares()?,
        )?;
        Ok(self.priced(state, &prices, at_most))
    }

    /// Executions of patterns per instance: the last estimate, or the first pattern of every demand without an
    /// estimate.
    fn shares(&self) -> Result<Vec<(Pattern, Rational)>, LpError> {
        // Bits of estimated weights. Trades length of the answer's numbers for throughput, if a limit ended the rounds:
        // at most `2^-20` is lost. Not measured.
        const BITS: u32 = 20;
        let believed = |index: usize| {
            let primal = self
                .estimate
                .as_ref()
                .and_then(|estimate| estimate.primal.get(self.first + index));
            primal.cloned().unwrap_or_default()
        };
        let mut of_demand: Vec<Vec<(Rational, Pattern)>> = vec![Vec::new(); self.demands.len()];
        for (pattern, weight) in self.composed(believed) {
            of_demand[pattern.demand].push((weight, pattern));
        }
        // Fallback for demands whose estimated weights are all zero.
        for (pattern, weight) in self.composed(|_| Rational::one()) {
            let list = &mut of_demand[pattern.demand];
            if list.is_empty() {
                list.push((weight, pattern));
            }
        }
        let mut shares = Vec::new();
        for (mut list, rate) in of_demand.into_iter().zip(self.pricing.rates()) {
            list.sort();
            let Some((_, heaviest)) = list.last().cloned() else {
                // The watch may end before each demand has a pattern.
                self.question.watch().ask()?;
                return Err(LpError::Contradiction("a demand has no pattern"));
            };
            let sum: Rational = list.iter().map(|(weight, _)| weight).sum();
            let mut left = BigInt::one() << BITS;
            let mut parts: Vec<(Pattern, BigInt)> = Vec::new();
            list.pop();
            for (weight, pattern) in list {
                let part = (weight / &sum * (BigInt::one() << BITS))
                    .floor()
                    .to_integer();
                left -= &part;
                parts.push((pattern, part));
            }
            parts.push((heaviest, left));
            let share = |part: BigInt| ratio(part, BigInt::one() << BITS) * rate;
            let parts = parts.into_iter().filter(|(_, part)| part.is_positive());
            shares.extend(parts.map(|(pattern, part)| (pattern, share(part))));
        }
        Ok(shares)
    }
}

/// Patterns under guiding prices. An error if the watch cut the answer short.
fn guide(
    question: &Question,
    pricing: &Patterns<'_>,
    resources: &Resources,
    prices: Vec<u64>,
) -> Result<(Guided, Vec<u64>), LpError> {
    let answer = pricing.guide(&resources.prices(&prices));
    question.watch().ask()?;
    Ok((answer?, prices))
}

/// Prices as integers that add up to about [`PRICE_SUM`].
fn guiding(dual: &[Rational]) -> Vec<u64> {
    let level = || vec![PRICE_SUM / dual.len().max(1) as u64; dual.len()];
    let positive = || dual.iter().filter(|price| price.is_positive());
    let exponent = |price: &Rational| price.numer().bits() as i64 - price.denom().bits() as i64;
    let Some(largest) = positive().map(exponent).max() else {
        return level();
    };
    // The largest price gets about 60 bits. Sums then fit 128.
    let shift = 60 - largest;
    let scaled = |price: &Rational| {
        let (up, down) = (shift.max(0) as u64, (-shift).max(0) as u64);
        let value = (price.numer() << up) / (price.denom() << down);
        if price.is_positive() {
            value.to_u128().unwrap_or(0)
        } else {
            0
        }
    };
    let scaled: Vec<u128> = dual.iter().map(scaled).collect();
    let sum: u128 = scaled.iter().sum::<u128>().max(1);
    // Each price is below `2^62` and `PRICE_SUM` is `2^59`, so the product fits 128 bits.
    scaled
        .into_iter()
        .map(|price| u64::try_from(price * u128::from(PRICE_SUM) / sum).unwrap_or(PRICE_SUM))
        .collect()
}
