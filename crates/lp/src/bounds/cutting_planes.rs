//! Bound for every port model: the least uses of links, and the time for which they occupy ports and processors.
//!
//! Symbols: `x(e)` is the number of transfers over link `e`, `z(p)` the number of merges at processor `p`, both per
//! instance. `r(p)` is 1 if all values are joined at `p`. `period` is the time per instance.
//!
//! ```text
//! minimise period subject to
//!   for each resource or odd set r:  sum of size c(e) x(e), or work compute(p) z(p), on r <= capacity(r) period
//!   for each inequality:             sum of coefficients times x(e), z(p) and r(p) >= right side, as its statement
//! says
//!   for each exchange:               sum over its collections C of w(C) uses(C, e) <= x(e),  sum of w(C) >= 1
//! ```
//!
//! Borders, gatherings and odd sets are too many to list: an inequality joins if the solution violates it. A collection
//! joins if it is cheaper than the collections at hand. The rows with a positive dual value are a certificate.

use std::collections::BTreeSet;

use crate::known::Bound;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_exact::{
    self as exact, Column, LinearProgram, Optimum, Outcome, Relation, Row, Sense, Solver,
};
use oneport_numbers::Exact;
use oneport_plan::inequality::{
    self, Balance, Border, Direction, Inequality, Keeps, Merges, Need, Place,
};
use oneport_plan::{Certificate, Demand, Goals, OddSet, Resource};
use oneport_platform::{LinkId, NodeId, Rational, ratio, whole};
use oneport_watch::News;

use super::exchange::Exchange;
use super::gathering;
use super::partition::{Partitions, scaled};
use super::volume::Volume;
use crate::odd_sets::PortSets;
use crate::resources::Resources;
use crate::rounds::Progress;
use crate::{LpError, Question, Until};

/// Links up to which exchanges share the prices with borders. On larger platforms only the exchange of single
/// participants is tried. Trades a tighter bound for a program that converges slowly. Measured: 178 of 180 random
/// graphs with routers closed in 0.5 to 114 ms. Above the limit a gap of some percent usually remains.
pub(super) const MOST_SHARED_LINKS: usize = 150;
/// Fact: transfers per instance are multiples of `2^-30` in floating-point rounds.
const UNIT_BITS: u64 = 30;
/// Violations below `2^-18` are left to the exact optimum. Trades floating-point rounds for exact ones. Not measured.
const SLACK_BITS: u64 = 18;
/// Rounds without progress before floating-point rounds end. Trades a tighter bound for time. Not measured.
const STALLED_ROUNDS: usize = 20;
/// Exact optima per bound. Trades a tighter bound for time. Not measured.
const EXACT_ROUNDS: usize = 12;

/// A program over the inequalities found so far.
pub(super) struct Program<'a> {
    question: &'a Question,
    participants: &'a [NodeId],
    volume: &'a Volume,
    solver: Solver,
    period: Column,
    links: Vec<Column>,
    resources: Resources,
    /// Per index in the resources.
    rows: Vec<Row>,
    /// Where merges take time, per processor: the column of its merges, and the column of whether it joins all
    /// operands.
    merges: Vec<(NodeId, Column, Column)>,
    ports: Option<PortSets>,
    /// Into and out of sets. Later, with participants contracted.
    partitions: Vec<Partitions<'a>>,
    inequalities: Vec<(Inequality, Row)>,
    shares: Vec<Share<'a>>,
    stopped: bool,
}

/// An exchange with the collections found so far.
struct Share<'a> {
    exchange: Exchange<'a>,
    direction: Direction,
    parts: Vec<Vec<NodeId>>,
    /// Per link: its row, if a collection uses it.
    rows: Vec<Option<Row>>,
    /// Convexity row: the weights of the collections add up to at least 1.
    average: Row,
    known: BTreeSet<Vec<LinkId>>,
    /// Per link: an average of past lengths, in fixed point.
    centre: Vec<u128>,
}

impl<'a> Program<'a> {
    /// The program without borders and exchanges.
    ///
    /// # Errors
    /// The errors of the exact solver.
    pub(super) fn new(
        question: &'a Question,
        participants: &'a [NodeId],
        volume: &'a Volume,
    ) -> Result<Self, LpError> {
        let platform = question.platform();
        let resources = Resources::new(platform, true);
        let mut program = LinearProgram::new(Sense::Minimize);
        let rows: Vec<Row> = (0..resources.count())
            .map(|_| program.add_row(Relation::AtMost, Rational::zero()))
            .collect();
        let capacities = rows
            .iter()
            .enumerate()
            .map(|(index, &row)| (row, -resources.capacity(index).clone()));
        let period = program.add_column(Rational::one(), capacities)?;
        let mut links = Vec::with_capacity(platform.links().len());
        for (id, link) in platform.link_ids().zip(platform.links()) {
            let time = &volume.size * &link.cost;
            let busy = resources
                .times(id, &time)
                .map(|(index, time)| (rows[index], time));
            links.push(program.add_column(Rational::zero(), busy)?);
        }
        let mut merges = Vec::new();
        for (row, resource) in rows
            .iter()
            .zip(resources.list())
            .filter(|_| volume.work.is_positive())
        {
            if let Resource::Compute(node) = resource
                && let Some(compute) = platform.node(node).merge_time()
            {
                let column =
                    program.add_column(Rational::zero(), [(*row, &volume.work * compute)])?;
                merges.push((node, column, program.add_column(Rational::zero(), [])?));
            }
        }
        let mut partitions = [Direction::Into, Direction::OutOf]
            .map(|one| Partitions::new(question, one, participants))
            .to_vec();
        let contracted: Vec<_> = partitions.iter().flat_map(Partitions::contracted).collect();
        partitions.extend(contracted);
        let ports = PortSets::new(platform);
        let (inequalities, shares, solver) = (Vec::new(), Vec::new(), Solver::new(program));
        let mut this = Program {
            question,
            participants,
            volume,
            solver,
            period,
            links,
            resources,
            rows,
            merges,
            ports,
            partitions,
            inequalities,
            shares,
            stopped: false,
        };
        this.add_always()?;
        Ok(this)
    }

    /// The inequalities of small number: of routers, of nodes that copy nothing, and of merges if they take time.
    fn add_always(&mut self) -> Result<(), LpError> {
        let platform = self.question.platform();
        for node in platform
            .node_ids()
            .filter(|node| !self.participants.contains(node))
        {
            let own = platform.node(node);
            let limits = [
                (Keeps::AllThatArrives, !own.merges()),
                (Keeps::NoMoreThanArrives, !own.replicates),
            ];
            for (keeps, _) in limits.into_iter().filter(|(_, holds)| *holds) {
                self.add(Inequality::Balance(Balance { node, keeps }))?;
            }
        }
        if !self.merges.is_empty() {
            self.add(Inequality::Merges(Merges))?;
            self.add(Inequality::Place(Place))?;
        }
        Ok(())
    }

    /// Whether the watch requests the best bound so far.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Adds an inequality with a known right side. Returns whether it is new.
    ///
    /// # Errors
    /// The errors of the exact solver.
    pub(super) fn add(&mut self, inequality: Inequality) -> Result<bool, LpError> {
        use oneport_plan::inequality::Column as Counted;
        let Some(right_side) = inequality.statement().right_side(&self.demand()) else {
            return Ok(false);
        };
        if self
            .inequalities
            .iter()
            .any(|(known, _)| *known == inequality)
        {
            return Ok(false);
        }
        let says = inequality.statement();
        let links = self
            .question
            .platform()
            .link_ids()
            .zip(self.question.platform().links())
            .zip(&self.links);
        let transfers = links.map(|((id, link), &column)| {
            (
                column,
                says.coefficient(Counted::Transfer {
                    from: link.from,
                    to: link.to,
                    link: Some(id),
                }),
            )
        });
        let merges = self.merges.iter().flat_map(|&(node, merge, index)| {
            [
                (merge, says.coefficient(Counted::Merge(node))),
                (index, says.coefficient(Counted::Place(node))),
            ]
        });
        let entries = transfers
            .chain(merges)
            .filter(|(_, coefficient)| !coefficient.is_zero());
        let row = self
            .solver
            .add_row(Relation::AtLeast, right_side, entries)?;
        self.inequalities.push((inequality, row));
        Ok(true)
    }

    /// The all-reduce.
    fn demand(&self) -> Demand<'a> {
        Demand {
            operands: self.participants,
            goals: Goals::Everywhere(self.participants),
            commutative: false,
        }
    }

    /// Per processor: its merges minus the indicator that it joins all operands, with the values of `primal`.
    fn wanted(&self, primal: impl Fn(Column) -> Rational) -> Vec<(NodeId, Rational)> {
        self.merges
            .iter()
            .map(|&(node, merges, index)| (node, primal(merges) - primal(index)))
            .collect()
    }

    /// Adds the required crossings around every participant, and around all of them at once.
    ///
    /// # Errors
    /// The errors of the exact solver.
    pub(super) fn add_singletons(&mut self) -> Result<(), LpError> {
        let ones = vec![1i64; self.links.len()];
        for direction in 0..self.partitions.len() {
            let found = self.partitions[direction].singletons(&ones)?;
            for set in &found.sets {
                let border = self.partitions[direction].border(vec![set.clone()]);
                self.add(Inequality::Border(border))?;
            }
            let border = self.partitions[direction].border(found.sets);
            self.add(Inequality::Border(border))?;
        }
        Ok(())
    }

    /// The partitions of the borders, with the largest dual value first. A router in several sets is in none.
    pub(super) fn partitions(&self, optimum: &Optimum) -> Vec<Vec<Vec<NodeId>>> {
        let several = self.inequalities.iter().filter_map(|(one, row)| match one {
            Inequality::Border(border) if border.sets.len() > 1 => {
                Some((optimum.dual.get(*row), border))
            }
            _ => None,
        });
        let mut charged: Vec<(Rational, &Border)> = several.collect();
        charged.sort_by(|one, other| other.cmp(one));
        let mut found: Vec<Vec<Vec<NodeId>>> = Vec::new();
        for (_, border) in charged {
            let parts = disjoint(&border.sets);
            if !found.contains(&parts) {
                found.push(parts);
            }
        }
        found
    }

    /// Adds an exchange between these parts, unless there are too many of them and of junctions.
    ///
    /// # Errors
    /// Errors of the exact solver. Parts that cannot reach one another.
    pub(super) fn add_exchange(
        &mut self,
        direction: Direction,
        parts: &[Vec<NodeId>],
    ) -> Result<(), LpError> {
        let platform = self.question.platform();
        let exchange = Exchange::new(self.question, direction, parts, (0..parts.len()).collect());
        if !exchange.is_small() {
            return Ok(());
        }
        let average = self
            .solver
            .add_row(Relation::AtLeast, Rational::one(), [])?;
        let rows = vec![None; platform.links().len()];
        let ones = vec![1u128; platform.links().len()];
        let found = exchange.cheapest(&ones, true).ok_or(UNREACHABLE)?;
        let (known, centre) = (BTreeSet::new(), vec![0; platform.links().len()]);
        let parts = parts.to_vec();
        self.shares.push(Share {
            exchange,
            direction,
            parts,
            rows,
            average,
            known,
            centre,
        });
        self.add_collection(self.shares.len() - 1, found.links)?;
        Ok(())
    }

    /// Adds a collection of an exchange. Returns whether it is new.
    fn add_collection(&mut self, share: usize, mut links: Vec<LinkId>) -> Result<bool, LpError> {
        links.sort_unstable();
        let share = &mut self.shares[share];
        if !share.known.insert(links.clone()) {
            return Ok(false);
        }
        let mut entries = vec![(share.average, Rational::one())];
        for same in links.chunk_by(|one, other| one == other) {
            let link = same[0].index();
            let row = match share.rows[link] {
                Some(row) => row,
                None => {
                    let own = [(self.links[link], Rational::one())];
                    let row = self
                        .solver
                        .add_row(Relation::AtLeast, Rational::zero(), own)?;
                    *share.rows[link].insert(row)
                }
            };
            entries.push((row, -whole(same.len())));
        }
        self.solver.add_column(Rational::zero(), entries)?;
        Ok(true)
    }

    /// The best bound of the inequalities that the separation finds, if the rounds prove any. Stops as soon as `until`
    /// is proved.
    ///
    /// # Errors
    /// Errors of the exact solver. [`LpError::Stopped`] by the question's watch.
    pub(super) fn solve(&mut self, until: &Until) -> Result<Option<(Bound, Optimum)>, LpError> {
        let mut best: Option<(Bound, Optimum)> = None;
        for _ in 0..EXACT_ROUNDS {
            self.approach(until)?;
            let Some(optimum) = self.optimum()? else {
                break;
            };
            let bound = self.bound(&optimum)?;
            let settled = self.stopped
                || bound
                    .as_ref()
                    .is_some_and(|bound| until.is_met(&bound.throughput));
            let better = |bound: &Bound| {
                best.as_ref()
                    .is_none_or(|(known, _)| bound.throughput < known.throughput)
            };
            if let Some(bound) = bound.filter(better) {
                best = Some((bound, optimum.clone()));
            }
            if settled || !self.separate_exactly(&optimum)? {
                break;
            }
        }
        if best.is_none() {
            self.question.watch().ask()?;
        }
        Ok(best)
    }

    /// The exact optimum over all inequalities so far. `None` if the watch ended first.
    fn optimum(&mut self) -> Result<Option<Optimum>, LpError> {
        let watch = self.question.watch().clone();
        let limits = exact::Options {
            method: exact::Method::Simplex,
            watch,
            ..Default::default()
        };
        match self.solver.solve(&limits)? {
            Outcome::Optimal(optimum) => Ok(Some(optimum)),
            _ => Ok(None),
        }
    }

    /// Rounds in floating point, until no inequality is violated by much. On large platforms, also until the rounds
    /// gain little.
    fn approach(&mut self, until: &Until) -> Result<(), LpError> {
        let enough = until.bound.clone().unwrap_or_default();
        // No period is long enough to prove that nothing is possible.
        let least = enough
            .is_positive()
            .then(|| enough.recip() * (Rational::one() - ratio(1, BigInt::one() << 34)));
        let mut periods: Vec<Rational> = Vec::new();
        loop {
            let limits = exact::Options {
                watch: self.question.watch().clone(),
                ..exact::Options::default()
            };
            let Some(estimate) = self.solver.estimate(&limits)? else {
                return Ok(());
            };
            self.question.watch().ask()?;
            let period = &estimate.primal[self.period.0];
            let mut added = self.price(&estimate.dual)?;
            if least.as_ref().is_none_or(|least| period < least) {
                // A floating-point amount may be slightly below 0.
                let transfers = self
                    .links
                    .iter()
                    .map(|link| estimate.primal[link.0].clone().max(Rational::zero()));
                let transfers: Vec<Rational> = transfers.collect();
                let wanted = self.wanted(|column| estimate.primal[column.0].clone());
                added |= self.separate(&transfers, &wanted)?;
                added |= self.cut_odd_sets(&transfers, period, true)?;
            }
            let upper_bound = if period.is_positive() {
                period.recip()
            } else {
                Rational::zero()
            };
            let progress = Progress {
                patterns: self.inequalities.len(),
                throughput: enough.clone(),
                upper_bound,
            };
            if !added {
                return Ok(());
            }
            periods.push(period.clone());
            let lost = self.links.len() > MOST_SHARED_LINKS
                && least
                    .as_ref()
                    .is_some_and(|least| is_stalled(&periods, least));
            self.question.watch().tell(News::Round(&progress));
            if lost || until.rounds.is_some_and(|most| periods.len() >= most) {
                self.stopped = true;
                return Ok(());
            }
        }
    }

    /// Adds borders that the transfers violate by much. Returns whether there are any.
    fn separate(
        &mut self,
        transfers: &[Rational],
        wanted: &[(NodeId, Rational)],
    ) -> Result<bool, LpError> {
        let unit = whole(BigInt::one() << UNIT_BITS);
        let units = |count: &Rational| (count * &unit).floor().to_integer().to_i128().unwrap_or(0);
        let transfers: Vec<i128> = transfers
            .iter()
            .map(units)
            .map(|count| count.max(0))
            .collect();
        let wanted: Vec<(NodeId, i128)> = wanted
            .iter()
            .map(|(node, count)| (*node, units(count)))
            .collect();
        self.violated(
            &transfers,
            &wanted,
            &(1i128 << UNIT_BITS),
            &(1i128 << (UNIT_BITS - SLACK_BITS)),
        )
    }

    /// Adds inequalities that an exact optimum violates. Returns whether there are any.
    fn separate_exactly(&mut self, optimum: &Optimum) -> Result<bool, LpError> {
        let transfers: Vec<Rational> = self
            .links
            .iter()
            .map(|&link| optimum.primal.get(link))
            .collect();
        let (nodes, wanted): (Vec<NodeId>, Vec<Rational>) = self
            .wanted(|column| optimum.primal.get(column))
            .into_iter()
            .unzip();
        let (mut whole, denominator) = scaled(&[&transfers[..], &wanted].concat());
        let wanted: Vec<(NodeId, BigInt)> = nodes
            .into_iter()
            .zip(whole.split_off(transfers.len()))
            .collect();
        let borders = self.violated(&whole, &wanted, &denominator, &BigInt::zero())?;
        let odd_sets = self.cut_odd_sets(&transfers, &optimum.primal.get(self.period), false)?;
        let dual: Vec<Rational> = (0..self.solver.program().rows())
            .map(|row| optimum.dual.get(Row(row)))
            .collect();
        Ok(self.price_exactly(&dual)? | borders | odd_sets)
    }

    /// Adds borders and gatherings that transfers and merges, in multiples of `1 / one`, violate by more than `slack`.
    fn violated<N: Exact>(
        &mut self,
        transfers: &[N],
        wanted: &[(NodeId, N)],
        one: &N,
        slack: &N,
    ) -> Result<bool, LpError> {
        let mut least = one.clone();
        least -= slack;
        let mut twice = one.clone();
        twice += one;
        let mut found = Vec::new();
        for sets in self.partitions[0].cuts(transfers, &least)? {
            found.push(Inequality::Border(self.partitions[0].border(vec![sets])));
        }
        for partitions in &self.partitions {
            for turned in [false, true] {
                let Some(sets) = partitions.least(transfers, &twice, turned)? else {
                    continue;
                };
                // Less than 2 (k - 1) crossings.
                let mut needed = N::zero();
                for _ in 1..sets.sets.len() {
                    needed += &twice;
                }
                needed -= slack;
                if sets.crossing < needed {
                    found.push(Inequality::Border(partitions.border(sets.sets)));
                }
            }
        }
        if !self.merges.is_empty() {
            let sets = gathering::violated(&self.partitions[0], transfers, wanted, one, slack)?;
            found.extend(sets.into_iter().map(Inequality::Gathering));
        }
        let mut added = false;
        for inequality in found {
            added |= self.add(inequality)?;
        }
        Ok(added)
    }

    /// Adds odd sets that the transfers violate. Returns whether there are any.
    fn cut_odd_sets(
        &mut self,
        transfers: &[Rational],
        period: &Rational,
        guess: bool,
    ) -> Result<bool, LpError> {
        let Some(ports) = &self.ports else {
            return Ok(false);
        };
        let platform = self.question.platform();
        let time = |(link, count): (&oneport_platform::Link, &Rational)| {
            &self.volume.size * &link.cost * count
        };
        let times: Vec<Rational> = platform.links().iter().zip(transfers).map(time).collect();
        let slack = ratio(1, BigInt::one() << 24);
        let room = if guess {
            period * (Rational::one() + slack)
        } else {
            period.clone()
        };
        let mut sets = ports.violated(&times, &room)?;
        sets.retain(|set| !self.resources.has(set));
        let added = !sets.is_empty();
        sets.into_iter().try_for_each(|set| self.add_odd_set(set))?;
        Ok(added)
    }

    fn add_odd_set(&mut self, set: OddSet) -> Result<(), LpError> {
        let platform = self.question.platform();
        let members = self.resources.add(platform, set);
        let time = |&link: &LinkId| {
            (
                self.links[link.index()],
                &self.volume.size * &platform.link(link).cost,
            )
        };
        let capacity = self.resources.capacity(self.resources.count() - 1).clone();
        let entries = members.iter().map(time).chain([(self.period, -capacity)]);
        let row = self
            .solver
            .add_row(Relation::AtMost, Rational::zero(), entries)?;
        self.rows.push(row);
        Ok(())
    }

    /// Adds collections that are cheaper than the known ones for lengths in floating point. It also adds the cheapest
    /// for the mean of these lengths and their average so far: this halves the rounds.
    fn price(&mut self, dual: &[Rational]) -> Result<bool, LpError> {
        let mut added = false;
        let longest = self
            .question
            .platform()
            .links()
            .iter()
            .map(|link| &link.cost)
            .max();
        let unit = longest.map_or_else(Rational::one, |cost| cost * &self.volume.size);
        for position in 0..self.shares.len() {
            let share = &mut self.shares[position];
            let guess = |length: &Rational| guess(&(length / &unit));
            let lengths: Vec<u128> = share.lengths(dual).iter().map(guess).collect();
            let limit = guess(&dual[share.average.0]);
            let found = share.exchange.cheapest(&lengths, true).ok_or(UNREACHABLE)?;
            let cost: u128 = found.links.iter().map(|link| lengths[link.index()]).sum();
            if cost + (limit >> 26) >= limit {
                continue;
            }
            for (centre, own) in share.centre.iter_mut().zip(&lengths) {
                *centre = (3 * *centre + own) / 4;
            }
            let between: Vec<u128> = lengths
                .iter()
                .zip(&share.centre)
                .map(|(own, centre)| own + centre)
                .collect();
            let beside = share.exchange.cheapest(&between, true).ok_or(UNREACHABLE)?;
            added |= self.add_collection(position, found.links)?;
            added |= self.add_collection(position, beside.links)?;
        }
        Ok(added)
    }

    /// As the function above, for exact lengths.
    fn price_exactly(&mut self, dual: &[Rational]) -> Result<bool, LpError> {
        let mut added = false;
        for position in 0..self.shares.len() {
            let share = &self.shares[position];
            let lengths = share.lengths(dual);
            let found = share
                .exchange
                .cheapest(&naturals(&lengths).0, false)
                .ok_or(UNREACHABLE)?;
            let cost: Rational = found.links.iter().map(|link| &lengths[link.index()]).sum();
            if cost < dual[share.average.0] {
                added |= self.add_collection(position, found.links)?;
            }
        }
        Ok(added)
    }

    /// Bound from an optimum's dual values, with its certificate. `None` if they prove nothing: while collections are
    /// missing, an exchange may cost less than the program assumes, or nothing.
    fn bound(&self, optimum: &Optimum) -> Result<Option<Bound>, LpError> {
        let dual: Vec<Rational> = (0..self.solver.program().rows())
            .map(|row| optimum.dual.get(Row(row)))
            .collect();
        let prices: Vec<Rational> = self.rows.iter().map(|row| -&dual[row.0]).collect();
        let mut certificate: Certificate = self.resources.certificate(&prices);
        let (demand, mut instance) = (self.demand(), Rational::zero());
        for (inequality, row) in self
            .inequalities
            .iter()
            .filter(|(_, row)| dual[row.0].is_positive())
        {
            let weight = dual[row.0].clone();
            instance += &weight
                * inequality
                    .statement()
                    .right_side(&demand)
                    .unwrap_or_default();
            certificate.needs.push(Need {
                demand: Some(0),
                inequality: inequality.clone(),
                weight,
            });
        }
        for share in &self.shares {
            let lengths = share.lengths(&dual);
            if lengths.iter().all(Zero::is_zero) {
                continue;
            }
            let (whole, denominator) = naturals(&lengths);
            let found = share.exchange.cheapest(&whole, false).ok_or(UNREACHABLE)?;
            instance += ratio(found.at_least, denominator);
            certificate.needs.push(Need::once(
                Some(0),
                Inequality::Exchange(share.named(lengths)),
            ));
        }
        certificate.needs.sort();
        let proves = instance.is_positive();
        Ok(proves.then(|| Bound {
            throughput: self.resources.worth(&prices) / instance,
            certificate,
        }))
    }
}

/// Whether the last rounds lifted the period by less than a tenth of the remaining distance to the goal.
fn is_stalled(periods: &[Rational], goal: &Rational) -> bool {
    let Some(before) = periods.len().checked_sub(STALLED_ROUNDS) else {
        return false;
    };
    let (Some(before), Some(now)) = (periods.get(before), periods.last()) else {
        return false;
    };
    (now - before) * whole(10) < goal - now
}

impl Share<'_> {
    /// Per link.
    fn lengths(&self, dual: &[Rational]) -> Vec<Rational> {
        let length = |row: &Option<Row>| {
            row.map(|row| dual[row.0].clone())
                .filter(Signed::is_positive)
        };
        self.rows
            .iter()
            .map(|row| length(row).unwrap_or_default())
            .collect()
    }

    fn named(&self, lengths: Vec<Rational>) -> inequality::Exchange {
        let positive = lengths
            .into_iter()
            .enumerate()
            .filter(|(_, length)| length.is_positive());
        inequality::Exchange {
            direction: self.direction,
            parts: self.parts.clone(),
            lengths: positive
                .map(|(link, length)| (LinkId::new(link), length))
                .collect(),
        }
    }
}

const UNREACHABLE: LpError =
    LpError::Contradiction("parts of the platform cannot reach one another");

/// The sets without nodes that lie in several.
fn disjoint(sets: &[Vec<NodeId>]) -> Vec<Vec<NodeId>> {
    let once = |node: &&NodeId| {
        sets.iter()
            .filter(|set| set.binary_search(node).is_ok())
            .count()
            == 1
    };
    sets.iter()
        .map(|set| set.iter().filter(once).copied().collect())
        .collect()
}

/// Fact: sums of `2^40` guiding lengths fit 128 bits.
const LONGEST_GUESS: u128 = u128::MAX >> 40;

/// A length in multiples of 2^-60, rounded down. A length above [`LONGEST_GUESS`] counts as [`LONGEST_GUESS`].
fn guess(length: &Rational) -> u128 {
    let whole = if length.is_positive() {
        (length.numer() << 60u32) / length.denom()
    } else {
        BigInt::zero()
    };
    whole
        .to_u128()
        .map_or(LONGEST_GUESS, |whole| whole.min(LONGEST_GUESS))
}

/// Lengths, which are not negative, over a common denominator.
fn naturals(lengths: &[Rational]) -> (Vec<BigUint>, BigInt) {
    let (whole, denominator) = scaled(lengths);
    (
        whole
            .into_iter()
            .map(|length| length.magnitude().clone())
            .collect(),
        denominator,
    )
}
