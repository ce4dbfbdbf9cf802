//! The true steady-state throughput: a linear program over schemes and sets of simultaneous transfers, solved exactly,
//! with the search for cheapest schemes as its pricing.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_exact::{Column, LinearProgram, Options, Outcome, Relation, Row, Sense, Solver};
use oneport_plan::{Collective, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};

use crate::busy::{fluid_rows, maximal_sets};
use crate::game::{Carrier, Game};
use crate::search::{SearchResult, cheapest};

/// Reason for a missing answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// A demand without a scheme.
    Impossible,
    /// Too many facts, states or links.
    TooLarge,
}

/// A price per time unit for every link and every processor. An absent price is 0.
pub type Prices = BTreeMap<Carrier, Rational>;

/// The time that a scheme occupies each resource.
pub type Load = BTreeMap<Carrier, Rational>;

/// Precomputed data of a platform for searches.
#[derive(Debug, Clone)]
pub struct Oracle<'a> {
    platform: &'a Platform,
    /// The demands as games, each with its rate.
    games: Vec<(Game, Rational)>,
    /// Limit on the states of a search.
    limit: usize,
}

/// The optimum and a solution that attains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// Instances per unit of time.
    pub throughput: Rational,
    /// The price of a link's time and of a processor's in the optimal dual solution: they prove the throughput.
    pub prices: Prices,
}

impl<'a> Oracle<'a> {
    /// Prepares a valid problem.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] for more facts or links than can be enumerated.
    pub fn new(
        platform: &'a Platform,
        collective: &Collective,
        volumes: &Volumes,
        limit: usize,
    ) -> Result<Self, Refused> {
        if platform.links().len() > 12 || collective.demands() > 40 {
            return Err(Refused::TooLarge);
        }
        let game = |index| {
            let demand = collective.demand(index)?;
            let rate = whole(collective.rate(index));
            Some((Game::new(platform, &demand, volumes)?, rate))
        };
        let games: Option<Vec<_>> = (0..collective.demands()).map(game).collect();
        Ok(Oracle {
            platform,
            games: games.ok_or(Refused::TooLarge)?,
            limit,
        })
    }

    /// The least that an instance costs: of every demand the cheapest scheme, times its rate.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn cheapest(&self, prices: &Prices) -> Result<Rational, Refused> {
        let mut sum = Rational::zero();
        for demand in 0..self.games.len() {
            sum += self.cheapest_of(demand, prices)?.0 * &self.games[demand].1;
        }
        Ok(sum)
    }

    /// The cheapest scheme of one demand: its price and its load.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn cheapest_of(&self, demand: usize, prices: &Prices) -> Result<(Rational, Load), Refused> {
        let (game, _) = &self.games[demand];
        let none = Rational::zero();
        let price = |carrier: &Carrier| prices.get(carrier).unwrap_or(&none);
        let costs: Vec<Rational> = game
            .moves
            .iter()
            .map(|one| price(&one.carrier) * &one.time)
            .collect();
        let (costs, _) = scaled(&costs);
        // Room for sums over the moves of any scheme.
        let short = costs.iter().all(|cost| cost.bits() < 100);
        let moves = if short {
            let costs: Vec<u128> = costs
                .iter()
                .map(|cost| cost.to_u128().unwrap_or_default())
                .collect();
            moves_of(cheapest(game, &costs, self.limit))?
        } else {
            moves_of(cheapest(game, &costs, self.limit))?
        };
        let mut load = Load::new();
        for one in moves.into_iter().map(|number| &game.moves[number as usize]) {
            *load.entry(one.carrier).or_insert_with(Rational::zero) += &one.time;
        }
        let total = load
            .iter()
            .map(|(carrier, time)| price(carrier) * time)
            .sum();
        Ok((total, load))
    }

    /// Value of the prices per unit of time: the maximum over sets of simultaneous transfers, plus all processors.
    pub fn worth(&self, prices: &Prices) -> Rational {
        let price_of = |carrier: Carrier| prices.get(&carrier).cloned().unwrap_or_default();
        let set = |links: &Vec<LinkId>| {
            links
                .iter()
                .map(|&link| price_of(Carrier::Link(link)))
                .sum::<Rational>()
        };
        let links = maximal_sets(self.platform)
            .iter()
            .map(set)
            .max()
            .unwrap_or_default();
        links
            + self.fluid_worth(&price_of)
            + self
                .platform
                .mergers()
                .map(|node| price_of(Carrier::Compute(node)))
                .sum::<Rational>()
    }

    /// The most that the rates of fluid links are worth together.
    fn fluid_worth(&self, price: &dyn Fn(Carrier) -> Rational) -> Rational {
        let mut program = LinearProgram::new(Sense::Maximize);
        let columns = fluid_columns(self.platform, &mut program);
        for (link, entries) in columns {
            program
                .add_column(price(Carrier::Link(link)), entries)
                .expect("rows exist");
        }
        match Solver::new(program).solve(&Options::default()) {
            Ok(Outcome::Optimal(optimum)) => optimum.objective,
            _ => panic!("the rates of fluid links have no best sum"),
        }
    }

    /// The most instances per unit of time that any schedule reaches in the long run.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn throughput(&self) -> Result<Truth, Refused> {
        let mut master = Master::new(self.platform, &self.games);
        let unit = self
            .all_carriers()
            .into_iter()
            .map(|carrier| (carrier, Rational::one()))
            .collect();
        for demand in 0..self.games.len() {
            master.add(demand, &self.cheapest_of(demand, &unit)?.1);
        }
        loop {
            let (throughput, prices, values) = master.solve().ok_or(Refused::TooLarge)?;
            let mut improved = false;
            for (demand, value) in values.iter().enumerate() {
                let (price, load) = self.cheapest_of(demand, &prices)?;
                if price < *value {
                    master.add(demand, &load);
                    improved = true;
                }
            }
            if !improved {
                return Ok(Truth { throughput, prices });
            }
        }
    }

    fn all_carriers(&self) -> Vec<Carrier> {
        let links = self.platform.link_ids().map(Carrier::Link);
        links
            .chain(self.platform.mergers().map(Carrier::Compute))
            .collect()
    }
}

/// Adds the rows that limit fluid links. Returns the entries of each link's column, which is the part of its full rate.
fn fluid_columns(
    platform: &Platform,
    program: &mut LinearProgram,
) -> BTreeMap<LinkId, Vec<(Row, Rational)>> {
    let mut columns: BTreeMap<LinkId, Vec<(Row, Rational)>> = BTreeMap::new();
    for row in fluid_rows(platform) {
        let at_most = program.add_row(Relation::AtMost, Rational::one());
        for (link, factor) in row {
            columns.entry(link).or_default().push((at_most, factor));
        }
    }
    columns
}

/// The moves of a scheme, or the reason for its absence.
fn moves_of<P>(found: SearchResult<P>) -> Result<Vec<u32>, Refused> {
    match found {
        SearchResult::Scheme(scheme) => Ok(scheme.moves),
        SearchResult::Nothing => Err(Refused::Impossible),
        SearchResult::TooMany => Err(Refused::TooLarge),
    }
}

/// Non-negative numbers as integers over a common denominator.
fn scaled(numbers: &[Rational]) -> (Vec<BigUint>, BigInt) {
    let common = numbers
        .iter()
        .fold(BigInt::one(), |common, number| common.lcm(number.denom()));
    let scale = |number: &Rational| {
        (number.numer() * (&common / number.denom()))
            .magnitude()
            .clone()
    };
    (numbers.iter().map(scale).collect(), common)
}

/// The program over the schemes found so far: throughput, rate of each scheme, and duration of each maximal set of
/// simultaneous transfers, all per unit of time.
struct Master {
    solver: Solver,
    throughput: Column,
    /// Per demand: its schemes reach its rate.
    served: Vec<Row>,
    /// Per link: its sets last at least for its busy time.
    links: BTreeMap<LinkId, Row>,
    /// Per processor: it is busy for at most one unit of time.
    processors: BTreeMap<NodeId, Row>,
}

impl Master {
    fn new(platform: &Platform, games: &[(Game, Rational)]) -> Self {
        let mut program = LinearProgram::new(Sense::Maximize);
        let served: Vec<Row> = games
            .iter()
            .map(|_| program.add_row(Relation::AtMost, Rational::zero()))
            .collect();
        let links: BTreeMap<LinkId, Row> = platform
            .link_ids()
            .map(|link| (link, program.add_row(Relation::AtMost, Rational::zero())))
            .collect();
        let time = program.add_row(Relation::AtMost, Rational::one());
        let processors = platform
            .mergers()
            .map(|node| (node, program.add_row(Relation::AtMost, Rational::one())))
            .collect();
        let rates = served
            .iter()
            .zip(games)
            .map(|(&row, (_, rate))| (row, rate.clone()));
        let throughput = program
            .add_column(Rational::one(), rates)
            .expect("rows exist");
        // The mean rates of fluid links are possible rates, since the limits on rates are linear.
        for (link, entries) in fluid_columns(platform, &mut program) {
            let entries = entries
                .into_iter()
                .chain([(links[&link], -Rational::one())]);
            program
                .add_column(Rational::zero(), entries)
                .expect("rows exist");
        }
        for set in maximal_sets(platform) {
            let lasts = set.iter().map(|link| (links[link], -Rational::one()));
            program
                .add_column(Rational::zero(), lasts.chain([(time, Rational::one())]))
                .expect("rows exist");
        }
        Master {
            solver: Solver::new(program),
            throughput,
            served,
            links,
            processors,
        }
    }

    /// Adds a scheme of a demand.
    fn add(&mut self, demand: usize, load: &Load) {
        let row = |carrier: &Carrier| match carrier {
            Carrier::Link(link) => self.links[link],
            Carrier::Compute(node) => self.processors[node],
        };
        let busy = load
            .iter()
            .map(|(carrier, time)| (row(carrier), time.clone()));
        let entries = busy.chain([(self.served[demand], -Rational::one())]);
        self.solver
            .add_column(Rational::zero(), entries)
            .expect("rows exist");
    }

    /// The throughput over the schemes found so far, and the dual prices of links, processors and each demand.
    fn solve(&mut self) -> Option<(Rational, Prices, Vec<Rational>)> {
        let Ok(Outcome::Optimal(optimum)) = self.solver.solve(&Options::default()) else {
            return None;
        };
        let pay = |row: &Row| optimum.dual.get(*row);
        let links = self
            .links
            .iter()
            .map(|(&link, row)| (Carrier::Link(link), pay(row)));
        let processors = self
            .processors
            .iter()
            .map(|(&node, row)| (Carrier::Compute(node), pay(row)));
        let prices: Prices = links
            .chain(processors)
            .filter(|(_, price)| price.is_positive())
            .collect();
        let values = self.served.iter().map(pay).collect();
        Some((optimum.primal.get(self.throughput), prices, values))
    }
}
