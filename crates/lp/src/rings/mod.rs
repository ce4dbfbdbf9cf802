//! The best packing of rings: as much data as Hamiltonian cycles over the processors of one box can carry together.
//!
//! The program and its driver (`column_generation`) are those of all other patterns: a ring is a pattern, and the
//! oracle is a cheapest Hamiltonian cycle. A hop from one processor to the next takes the cheapest route through other
//! nodes, so switches disappear from the cycle, and their load is counted.

mod cycle;
mod equal;
mod grown;

use num_bigint::BigUint;
use oneport_numbers::Exact;
use oneport_plan::{Collective, Pattern, Problem, Ring, RingPacking, Task, Volumes};
use oneport_platform::{LinkId, NodeId, PerNode, Platform, Rational};
use oneport_trees::cheapest::Prices;
use oneport_watch::Watch;

use crate::column_generation::generate;
use crate::costs::{self, LinkCosts, Times, amount};
use crate::oracle::{Oracle, Priced};
use crate::oracles::Patterns;
use crate::oracles::route::ShortestPaths;
use crate::resources::Resources;
use crate::{LpError, Question, Until};
use cycle::{cheapest_cycles, tight_cycles};
pub use equal::equal_rings;

/// Limit: processors of a search for rings. They have `2^16` sets.
pub const MOST_GPUS: usize = 16;

/// Rings listed that cost no more than the cheapest. Trades completeness of the list for memory. Not measured.
const MOST_TIGHT: usize = 1000;

/// Reasons why no ring is returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// Rings go from one processor to another.
    #[error("a ring needs at least 2 processors; here {count}")]
    TooFew {
        /// How many there are.
        count: usize,
    },
    /// More than the search can go through.
    #[error(
        "{count} processors; rings are searched over at most {MOST_GPUS}: name those of one box"
    )]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A processor that is listed twice.
    #[error("'{node}' is listed twice; a ring visits every processor once")]
    Twice {
        /// Its name.
        node: String,
    },
    /// A processor sends while it receives.
    #[error(
        "'{node}' has one port for sends and receives together (half-duplex); rings are packed for nodes that send \
             while they receive: give another port model"
    )]
    HalfDuplex {
        /// Its name.
        node: String,
    },
    /// A link without a bandwidth.
    #[error(
        "'{link}' costs nothing, so it has no bandwidth that rings could share; give it a cost"
    )]
    FreeLink {
        /// The link's name.
        link: String,
    },
    /// A processor loses the data that it passes on.
    #[error(
        "'{node}' has replicates = false, so it cannot both keep and pass on what goes round; leave it out of \
             --participants or let it replicate"
    )]
    KeepsNothing {
        /// Its name.
        node: String,
    },
    /// Nowhere to go from a processor, or nothing that leads to it.
    #[error("no ring visits all {count} processors: {what} '{node}' that passes no other of them")]
    DeadEnd {
        /// How many processors there are.
        count: usize,
        /// "no route leads from" or "no route leads to".
        what: &'static str,
        /// The processor's name.
        node: String,
    },
    /// All orders have been tried.
    #[error(
        "no ring visits all {count} processors: whatever the order, some hop has no route that passes no other of \
             them"
    )]
    NoRing {
        /// How many processors there are.
        count: usize,
    },
    /// An order that no ring has.
    #[error("no route leads from '{from}' to '{to}' that passes no other processor of the ring")]
    NoHop {
        /// The processor before.
        from: String,
        /// The one after.
        to: String,
    },
    /// The programs failed.
    #[error(transparent)]
    Program(#[from] LpError),
}

/// The rings of most weight over these processors, with the proof that no others carry more. If the watch ends the
/// search, the best rings found, and the bound proved so far.
///
/// # Errors
/// [`RingError`] gives the reason why there is no ring.
pub fn rings(
    platform: &Platform,
    gpus: &[NodeId],
    watch: &Watch,
) -> Result<RingPacking, RingError> {
    check(platform, gpus)?;
    let question = question_of(platform, gpus, watch)?;
    let pricing = Cycles::new(&question, gpus);
    let resources = Resources::new(platform, false);
    let patterns = Patterns::of_one(&question, Cycles::new(&question, gpus), 1);
    let mixture = generate(&question, resources, &patterns, &Until::default())?;
    let (resources, prices) = Resources::of_certificate(platform, &mixture.prices);
    let tight = pricing.tight(&resources.prices(&prices))?;
    let ring = |pattern: &Pattern| ring_of(platform, gpus, pattern);
    let patterns = mixture.state.patterns.iter();
    Ok(RingPacking {
        rings: patterns
            .map(|weighted| (ring(&weighted.pattern), weighted.weight.clone()))
            .collect(),
        others: tight.iter().map(ring).collect(),
        total: mixture.state.throughput,
        certificate: mixture.prices,
        upper_bound: mixture.at_most,
    })
}

fn check(platform: &Platform, gpus: &[NodeId]) -> Result<(), RingError> {
    let count = gpus.len();
    if count < 2 {
        return Err(RingError::TooFew { count });
    }
    if count > MOST_GPUS {
        return Err(RingError::TooMany { count });
    }
    let name = |node: NodeId| platform.name(node).to_string();
    if let Some(link) = platform.free_link() {
        return Err(RingError::FreeLink {
            link: platform.link_name(link),
        });
    }
    if let Some(index) = (0..count).find(|&index| gpus[..index].contains(&gpus[index])) {
        return Err(RingError::Twice {
            node: name(gpus[index]),
        });
    }
    if let Some(&gpu) = gpus.iter().find(|&&gpu| !platform.node(gpu).replicates) {
        return Err(RingError::KeepsNothing { node: name(gpu) });
    }
    match platform.half_duplex() {
        Some(node) => Err(RingError::HalfDuplex { node: name(node) }),
        None => Ok(()),
    }
}

/// The question of rings, for the driver: messages of size 1 that leave the first processor and come back to it.
fn question_of(platform: &Platform, gpus: &[NodeId], watch: &Watch) -> Result<Question, RingError> {
    Hops::new(platform, gpus).check()?;
    let collective = Collective::broadcast(gpus[0], gpus[1..].to_vec());
    let problem = Problem::new(platform, collective, Volumes::default())
        .map_err(|_| LpError::Contradiction("the broadcast among processors is not valid"))?;
    Ok(Question::new(&problem).watched(watch.clone()))
}

const NO_RING: LpError = LpError::Contradiction("there is a ring, but no cheapest one");

/// Ways from one processor to another that pass no other processor.
struct Hops<'a> {
    platform: &'a Platform,
    gpus: &'a [NodeId],
    is_gpu: PerNode<bool>,
}

impl<'a> Hops<'a> {
    fn new(platform: &'a Platform, gpus: &'a [NodeId]) -> Self {
        let mut is_gpu = platform.per_node(false);
        for gpu in gpus {
            is_gpu[*gpu] = true;
        }
        Hops {
            platform,
            gpus,
            is_gpu,
        }
    }

    /// Whether there is a ring at all.
    fn check(&self) -> Result<(), RingError> {
        let (platform, count) = (self.platform, self.gpus.len());
        let ways = self.ways(&vec![1u64; platform.links().len()]);
        let costs = self.costs(&ways);
        for (index, &gpu) in self.gpus.iter().enumerate() {
            let node = || platform.name(gpu).to_string();
            if costs[index].iter().all(Option::is_none) {
                return Err(RingError::DeadEnd {
                    count,
                    what: "no route leads from",
                    node: node(),
                });
            }
            if costs.iter().all(|row| row[index].is_none()) {
                return Err(RingError::DeadEnd {
                    count,
                    what: "no route leads to",
                    node: node(),
                });
            }
        }
        if cheapest_cycles(&costs).is_empty() {
            Err(RingError::NoRing { count })
        } else {
            Ok(())
        }
    }

    /// Per processor: cheapest routes from it that pass no other processor.
    fn ways<N: Exact>(&self, links: &[N]) -> Vec<ShortestPaths<N>> {
        let through = |node: NodeId| !self.is_gpu[node];
        let paths_from = |&gpu: &NodeId| ShortestPaths::new(self.platform, links, gpu, through);
        self.gpus.iter().map(paths_from).collect()
    }

    fn costs<N: Exact>(&self, ways: &[ShortestPaths<N>]) -> Vec<Vec<Option<N>>> {
        let cost = |(from, ways): (usize, &ShortestPaths<N>)| {
            let hop = |(to, gpu): (usize, &NodeId)| {
                if to == from {
                    None
                } else {
                    ways.cost(*gpu).cloned()
                }
            };
            self.gpus.iter().enumerate().map(hop).collect()
        };
        ways.iter().enumerate().map(cost).collect()
    }

    fn pattern<N: Exact>(&self, ways: &[ShortestPaths<N>], order: &[usize]) -> Option<Pattern> {
        let next = order.iter().cycle().skip(1);
        let hops = order
            .iter()
            .zip(next)
            .map(|(&from, &to)| Some(ways[from].to(self.gpus[to])?.1));
        Some(Pattern::path(
            0,
            hops.collect::<Option<Vec<_>>>()?.into_iter().flatten(),
        ))
    }
}

/// The oracle: cheapest cycles.
struct Cycles<'a> {
    question: &'a Question,
    hops: Hops<'a>,
    times: Times,
}

impl<'a> Cycles<'a> {
    fn new(question: &'a Question, gpus: &'a [NodeId]) -> Self {
        Cycles {
            question,
            hops: Hops::new(question.platform(), gpus),
            times: Times::new(question),
        }
    }

    /// Cheap rings, the cheapest first.
    fn cheapest_rings<N: Exact + Into<BigUint>>(
        &self,
        costs: &LinkCosts<N>,
    ) -> Result<Priced, LpError> {
        let ways = self.hops.ways(&costs.links);
        let cycles = cheapest_cycles(&self.hops.costs(&ways));
        let (cost, _) = cycles.first().ok_or(NO_RING)?;
        let at_least = amount(&costs.unit, cost);
        let patterns = cycles
            .iter()
            .map(|(_, order)| self.hops.pattern(&ways, order))
            .collect::<Option<_>>();
        Ok(Priced {
            at_least,
            patterns: patterns.ok_or(NO_RING)?,
        })
    }

    /// Rings that cost no more than the cheapest, many of them.
    fn tight(&self, prices: &Prices<Rational>) -> Result<Vec<Pattern>, LpError> {
        let costs = costs::exact(self.question, prices);
        let of_ways =
            |orders: Vec<Option<Pattern>>| orders.into_iter().collect::<Option<_>>().ok_or(NO_RING);
        match costs::narrowed(&costs, self.question.platform()) {
            Some(narrow) => {
                let ways = self.hops.ways(&narrow.links);
                let orders = tight_cycles(&self.hops.costs(&ways), MOST_TIGHT);
                of_ways(
                    orders
                        .iter()
                        .map(|order| self.hops.pattern(&ways, order))
                        .collect(),
                )
            }
            None => {
                let ways = self.hops.ways(&costs.links);
                let orders = tight_cycles(&self.hops.costs(&ways), MOST_TIGHT);
                of_ways(
                    orders
                        .iter()
                        .map(|order| self.hops.pattern(&ways, order))
                        .collect(),
                )
            }
        }
    }
}

impl Oracle for Cycles<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        Ok(vec![self.cheapest_rings(&self.times.costs(prices))?])
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        let costs = costs::exact(self.question, prices);
        Ok(vec![
            match costs::narrowed(&costs, self.question.platform()) {
                Some(narrow) => self.cheapest_rings(&narrow)?,
                None => self.cheapest_rings(&costs)?,
            },
        ])
    }
}

/// The ring of a pattern: its links, hop by hop.
fn ring_of(platform: &Platform, gpus: &[NodeId], pattern: &Pattern) -> Ring {
    let mut hops: Vec<Vec<LinkId>> = Vec::with_capacity(gpus.len());
    for task in &pattern.tasks {
        let Task::Send { link, .. } = *task else {
            continue;
        };
        match hops.last_mut() {
            Some(hop) if !gpus.contains(&platform.link(link).from) => hop.push(link),
            _ => hops.push(vec![link]),
        }
    }
    Ring { hops }
}

/// The ring that visits processors in this order. Each hop takes a shortest route (the least time for a unit of data)
/// that passes none of them, as a runtime routes a given order.
///
/// # Errors
/// Those of [`rings`]. [`RingError::NoHop`] if no route leads from one processor to the next.
pub fn ring_of_order(platform: &Platform, order: &[NodeId]) -> Result<Ring, RingError> {
    check(platform, order)?;
    let times: Vec<Rational> = platform
        .links()
        .iter()
        .map(|link| link.cost.clone())
        .collect();
    let ways = Hops::new(platform, order).ways(&times);
    let next = order.iter().cycle().skip(1);
    let hop = |((way, &from), &to): ((&ShortestPaths<Rational>, &NodeId), &NodeId)| {
        let name = |node: NodeId| platform.name(node).to_string();
        let hop = way.to(to).map(|(_, links)| links);
        hop.ok_or_else(|| RingError::NoHop {
            from: name(from),
            to: name(to),
        })
    };
    Ok(Ring {
        hops: ways
            .iter()
            .zip(order)
            .zip(next)
            .map(hop)
            .collect::<Result<_, _>>()?,
    })
}

/// The pattern of a ring.
fn pattern_of(ring: &Ring) -> Pattern {
    Pattern::path(0, ring.hops.iter().flatten().copied())
}
