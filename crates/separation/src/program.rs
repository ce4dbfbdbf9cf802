//! (P') and (D') over some matchings and patterns, and the optimum over all.

use num_traits::{One, Signed, Zero};
use oneport_exact::{Column, LinearProgram, Options, Outcome, Relation, Row, Sense, Solver};
use oneport_platform::Rational;
use oneport_watch::Watch;

use crate::instance::{Instance, SeparationError};
use crate::oracle::{Inequality, Proof, Separated, times};

/// Optimal solutions of (P') and (D').
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighted {
    /// The throughput: instances per unit of time.
    pub value: Rational,
    /// Matchings with positive weights. The weight is the share of the time.
    pub matchings: Vec<(Vec<usize>, Rational)>,
    /// Patterns with positive weights, for every message its links. The weight is instances per unit of time.
    pub patterns: Vec<(Vec<Vec<usize>>, Rational)>,
    /// The price of time.
    pub u: Rational,
    /// The price of every link's time. 0 for links that cost nothing.
    pub v: Vec<Rational>,
}

/// An optimum of (P), with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Optimum {
    /// The solutions.
    pub weighted: Weighted,
    /// The proof that the prices lie in `K`: so they bound the throughput.
    pub proof: Proof,
    /// How many inequalities of type I the oracle gave.
    pub type_one: usize,
    /// How many of type II.
    pub type_two: usize,
}

/// (P') as a program of the exact simplex.
struct Restricted<'a> {
    instance: &'a Instance,
    solver: Solver,
    time: Row,
    /// For each link. `None` if the cost is 0.
    edges: Vec<Option<Row>>,
    matchings: Vec<(Column, Vec<usize>)>,
    patterns: Vec<(Column, Vec<Vec<usize>>)>,
}

impl<'a> Restricted<'a> {
    fn new(instance: &'a Instance) -> Self {
        let mut program = LinearProgram::new(Sense::Maximize);
        let time = program.add_row(Relation::AtMost, Rational::one());
        let row = |cost: &Rational| {
            cost.is_positive()
                .then(|| program.add_row(Relation::AtMost, Rational::zero()))
        };
        let edges = instance
            .links()
            .iter()
            .map(|(_, _, cost)| cost)
            .map(row)
            .collect();
        Restricted {
            instance,
            solver: Solver::new(program),
            time,
            edges,
            matchings: Vec::new(),
            patterns: Vec::new(),
        }
    }

    fn add_matching(&mut self, links: Vec<usize>) -> Result<(), SeparationError> {
        let served = links
            .iter()
            .filter_map(|&link| Some((self.edges[link]?, -Rational::one())));
        let entries: Vec<_> = served.chain([(self.time, Rational::one())]).collect();
        let column = self.solver.add_column(Rational::zero(), entries)?;
        self.matchings.push((column, links));
        Ok(())
    }

    fn add_pattern(&mut self, ways: Vec<Vec<usize>>) -> Result<(), SeparationError> {
        let times = times(self.instance, &ways);
        if times.is_empty() {
            return Err(SeparationError::Unbounded);
        }
        let entries: Vec<_> = times
            .into_iter()
            .filter_map(|(link, time)| Some((self.edges[link]?, time)))
            .collect();
        let column = self.solver.add_column(Rational::one(), entries)?;
        self.patterns.push((column, ways));
        Ok(())
    }

    fn solve(&mut self, watch: &Watch) -> Result<Weighted, SeparationError> {
        watch.ask()?;
        let options = Options {
            watch: watch.clone(),
            ..Options::default()
        };
        let Outcome::Optimal(optimum) = self.solver.solve(&options)? else {
            watch.ask()?;
            return Err(SeparationError::Unproved("(P') was not solved".to_string()));
        };
        let weight = |column: Column| optimum.primal.get(column);
        let matchings = self
            .matchings
            .iter()
            .map(|(column, links)| (links.clone(), weight(*column)));
        let patterns = self
            .patterns
            .iter()
            .map(|(column, ways)| (ways.clone(), weight(*column)));
        Ok(Weighted {
            matchings: matchings
                .filter(|(_, weight)| weight.is_positive())
                .collect(),
            patterns: patterns
                .filter(|(_, weight)| weight.is_positive())
                .collect(),
            u: optimum.dual.get(self.time),
            v: self
                .edges
                .iter()
                .map(|row| row.map(|row| optimum.dual.get(row)).unwrap_or_default())
                .collect(),
            value: optimum.objective,
        })
    }
}

impl Instance {
    /// (P') over these matchings and patterns, and (D'). The solution is basic: at most as many matchings and
    /// patterns have a positive weight as (P) has rows, one per link with a cost and one more.
    ///
    /// # Errors
    /// A matching or pattern that the instance does not have. [`SeparationError::Unbounded`]. The end of the watch.
    pub fn restricted(
        &self,
        matchings: impl IntoIterator<Item = Vec<usize>>,
        patterns: impl IntoIterator<Item = Vec<Vec<usize>>>,
        watch: &Watch,
    ) -> Result<Weighted, SeparationError> {
        let mut program = Restricted::new(self);
        for (index, links) in matchings.into_iter().enumerate() {
            if !self.is_matching(&links) {
                return Err(SeparationError::NotOfInstance {
                    what: "matching",
                    index,
                });
            }
            program.add_matching(links)?;
        }
        for (index, ways) in patterns.into_iter().enumerate() {
            if !self.is_pattern(&ways) {
                return Err(SeparationError::NotOfInstance {
                    what: "pattern",
                    index,
                });
            }
            program.add_pattern(ways)?;
        }
        program.solve(watch)
    }

    /// The optimum of (P): the oracle separates the optimum of (D') over its own inequalities until that lies in `K`.
    /// Every round adds a new matching or pattern, so it ends. No polynomial number of rounds is known (the ellipsoid
    /// method has one). The solution is basic, as that of [`restricted`](Self::restricted).
    ///
    /// # Errors
    /// [`SeparationError::Unbounded`]. The end of the watch.
    pub fn optimum(&self, watch: &Watch) -> Result<Optimum, SeparationError> {
        let mut program = Restricted::new(self);
        loop {
            let weighted = program.solve(watch)?;
            match self.separate(&weighted.u, &weighted.v)? {
                Separated::Inside(proof) => {
                    let (type_one, type_two) = (program.matchings.len(), program.patterns.len());
                    return Ok(Optimum {
                        weighted,
                        proof: *proof,
                        type_one,
                        type_two,
                    });
                }
                Separated::Outside(Inequality::Matching(links)) => program.add_matching(links)?,
                Separated::Outside(Inequality::Pattern(ways)) => program.add_pattern(ways)?,
                Separated::Outside(Inequality::NegativeU | Inequality::NegativeV(_)) => {
                    return Err(SeparationError::Unproved(
                        "the simplex gave a negative price".to_string(),
                    ));
                }
            }
        }
    }

    /// Whether no two of the links share an end.
    pub fn is_matching(&self, links: &[usize]) -> bool {
        let mut used = vec![false; self.nodes()];
        links.iter().all(|&link| {
            self.links().get(link).is_some_and(|&(from, to, _)| {
                let free = !used[from] && !used[to];
                (used[from], used[to]) = (true, true);
                free
            })
        })
    }

    /// Whether every message's links are a path to its target or a tree to all nodes.
    pub fn is_pattern(&self, ways: &[Vec<usize>]) -> bool {
        ways.len() == self.messages().len()
            && self.messages().iter().zip(ways).all(|(message, links)| {
                let mut has = vec![false; self.nodes()];
                has[message.source] = true;
                let mut left = links.clone();
                loop {
                    let next = left.iter().position(|&link| {
                        self.links()
                            .get(link)
                            .is_some_and(|&(from, to, _)| has[from] && !has[to])
                    });
                    let Some(next) = next else { break };
                    let link = left.remove(next);
                    has[self.links()[link].1] = true;
                }
                let arrives = match message.target {
                    Some(target) => {
                        has[target] && has.iter().filter(|has| **has).count() == links.len() + 1
                    }
                    None => has.iter().all(|has| *has),
                };
                left.is_empty() && arrives
            })
    }
}

impl Optimum {
    /// Adds everything up: the matchings take at most one unit of time and give every link at least the time that its
    /// patterns take. The patterns' weights are the throughput, and no point of `K` promises less (the proof).
    ///
    /// # Errors
    /// [`SeparationError::Unproved`] with the first thing that does not hold.
    pub fn check(&self, instance: &Instance) -> Result<(), SeparationError> {
        let unproved = |what: String| Err(SeparationError::Unproved(what));
        let Weighted {
            value,
            matchings,
            patterns,
            u,
            v,
        } = &self.weighted;
        if matchings
            .iter()
            .any(|(links, weight)| !instance.is_matching(links) || weight.is_negative())
            || patterns
                .iter()
                .any(|(ways, weight)| !instance.is_pattern(ways) || weight.is_negative())
        {
            return unproved(
                "a matching or pattern is not one, or its weight is negative".to_string(),
            );
        }
        let time: Rational = matchings.iter().map(|(_, weight)| weight).sum();
        let total: Rational = patterns.iter().map(|(_, weight)| weight).sum();
        if time > Rational::one() || total != *value || u != value {
            return unproved(format!(
                "time {time}, patterns {total}, price {u}: 1, {value} and {value} are right"
            ));
        }
        let mut left = vec![Rational::zero(); instance.links().len()];
        for (links, weight) in matchings {
            for &link in links {
                left[link] += weight;
            }
        }
        for (ways, weight) in patterns {
            for (link, time) in times(instance, ways) {
                left[link] -= time * weight;
            }
        }
        if let Some(link) = left.iter().position(Signed::is_negative) {
            return unproved(format!("link {link} is given {} too little", -&left[link]));
        }
        self.proof.check(instance, u, v)
    }
}
