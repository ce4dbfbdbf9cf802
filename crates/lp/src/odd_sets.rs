//! Odd-set inequalities for platforms with half-duplex nodes: which of them do link times violate?
//!
//! Ports alone do not suffice there (RR-2004-32 section 2.2.2): three nodes that talk in a triangle do so one pair at a
//! time. With the odd-set inequalities (Edmonds 1965) they do: link times that satisfy all of them can be cut into
//! matchings that take no longer than the busiest port.

use num_traits::{One, Zero};
use oneport_exact::{Column, Options, Outcome, Relation, Row, Solver};
use oneport_matching::general::{self, PortGraph};
use oneport_plan::{OddSet, Resource};
use oneport_platform::{LinkId, Platform, Rational, whole};

use crate::LpError;

/// The graph of ports of a platform with half-duplex nodes.
pub(crate) struct PortSets {
    ports: Vec<Resource>,
    graph: PortGraph,
}

impl PortSets {
    /// `None` where no node is half-duplex: between send and receive ports the graph is bipartite, and ports suffice.
    pub(crate) fn new(platform: &Platform) -> Option<Self> {
        platform.half_duplex()?;
        let ends = |link: LinkId| Resource::ends(platform, link);
        let mut ports: Vec<Resource> = platform.link_ids().flat_map(ends).flatten().collect();
        ports.sort_unstable();
        ports.dedup();
        let place = |end: Option<Resource>| end.and_then(|end| ports.binary_search(&end).ok());
        let edges = platform
            .link_ids()
            .map(|link| ends(link).map(place))
            .collect();
        let capacities = ports
            .iter()
            .map(|port| port.capacity(platform) as usize)
            .collect();
        Some(PortSets {
            graph: PortGraph { capacities, edges },
            ports,
        })
    }

    /// The least period in which links can be busy for these times.
    ///
    /// # Errors
    /// [`LpError::Contradiction`] never: times are not negative.
    pub(crate) fn least_period(&self, times: &[Rational]) -> Result<Rational, LpError> {
        general::least_period(&self.graph, times)
            .map_err(|_| LpError::Contradiction("a link time is negative"))
    }

    /// Inequalities that the links' times violate if the period is this long; none only if none is violated.
    ///
    /// # Errors
    /// [`LpError::Contradiction`] never: times are not negative.
    pub(crate) fn violated(
        &self,
        times: &[Rational],
        period: &Rational,
    ) -> Result<Vec<OddSet>, LpError> {
        let sets = general::separate(&self.graph, times, period)
            .map_err(|_| LpError::Contradiction("a link time is negative"))?;
        let named = |set: general::OddSet| {
            let mut ports: Vec<Resource> = set
                .vertices
                .iter()
                .map(|&place| self.ports[place])
                .collect();
            ports.sort_unstable();
            let links = set.edges.iter().map(|&edge| LinkId::new(edge)).collect();
            OddSet { ports, links }
        };
        Ok(sets.into_iter().map(named).collect())
    }
}

/// Solves a program, letting odd-set inequalities join it until its link times violate none.
///
/// `uses` are the columns that occupy links, with the time that a unit takes; `period` is the column that says how much
/// time there is, if it is not 1.
///
/// # Errors
/// The errors of the solver.
pub(crate) fn solve(
    platform: &Platform,
    solver: &mut Solver,
    options: &Options,
    uses: &[(Column, LinkId, Rational)],
    period: Option<Column>,
) -> Result<(Outcome, Vec<(OddSet, Row)>), LpError> {
    let mut joined = Vec::new();
    let Some(ports) = PortSets::new(platform) else {
        return Ok((solver.solve(options)?, joined));
    };
    loop {
        let outcome = solver.solve(options)?;
        let Outcome::Optimal(optimum) = &outcome else {
            return Ok((outcome, joined));
        };
        if options.watch.ask().is_err() {
            // Rows may be missing: this is not an optimum yet.
            return Ok((
                Outcome::LimitReached {
                    primal_bound: None,
                    dual_bound: None,
                },
                joined,
            ));
        }
        let mut times = platform.per_link(Rational::zero());
        for (column, link, time) in uses {
            if !optimum.primal.numerator(*column).is_zero() {
                times[*link] += optimum.primal.get(*column) * time;
            }
        }
        let room = period.map_or_else(Rational::one, |period| optimum.primal.get(period));
        let sets = ports.violated(&times, &room)?;
        if sets.is_empty() {
            return Ok((outcome, joined));
        }
        if sets
            .iter()
            .all(|set| joined.iter().any(|(known, _)| known == set))
        {
            return Err(LpError::Contradiction("an exact optimum violates a row"));
        }
        for set in sets {
            let members = set.members(platform);
            let capacity = whole(set.capacity(platform));
            let inside = uses
                .iter()
                .filter(|(_, link, _)| members.binary_search(link).is_ok());
            let mut entries: Vec<(Column, Rational)> = inside
                .map(|(column, _, time)| (*column, time.clone()))
                .collect();
            let limit = match period {
                Some(period) => {
                    entries.push((period, -capacity));
                    Rational::zero()
                }
                None => capacity,
            };
            joined.push((set, solver.add_row(Relation::AtMost, limit, entries)?));
        }
    }
}
