//! Algorithms side by side.

use std::sync::Arc;

use oneport_plan::{EqualRings, Problem};
use oneport_watch::{Limit, Watch};

use crate::atomic::atomic;
use crate::boxes::Boxes;
use crate::nccl::rings_of_one_box as nccl_rings;
use crate::paper_trees::published;
use crate::{
    Algorithm, BaselineError, Forwarders, RankHints, Routes, Throughput, Ties, named,
    of_equal_rings, on_rings, ranks,
};

/// The name of several rings at once.
pub const EQUAL_RINGS: &str = "equal rings at once";

/// An algorithm and its throughput.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The routes of its messages.
    pub routes: Arc<Routes>,
    /// Its throughput and the limiting resources.
    pub sustained: Throughput,
    /// Whether operands are combined in the participants' order.
    pub in_order: bool,
    /// Whether the user supplied this algorithm.
    pub listed: bool,
}

/// Algorithms with their exact throughput, fastest first, ties by name.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Algorithms that perform the collective.
    pub rows: Vec<Compared>,
    /// Algorithms that need a commutative operator.
    pub out_of_order: Vec<Compared>,
    /// Names of algorithms that are left out because they send between unconnected nodes.
    pub unconnected: Vec<String>,
    /// The limit before which not all algorithms were rated.
    pub ended_by: Option<Limit>,
}

impl Comparison {
    /// All [known] algorithms of the collective, on the cheapest paths. Of the two rules for equal paths ([`Ties`]),
    /// each has the one with the higher throughput. Counting takes the most time: `O(blocks sent)` per algorithm and
    /// rule.
    ///
    /// # Errors
    /// Sizes or work that are not constant.
    pub fn of(problem: &Problem, watch: &Watch) -> Result<Comparison, BaselineError> {
        let mut comparison = Comparison {
            rows: Vec::new(),
            out_of_order: Vec::new(),
            unconnected: Vec::new(),
            ended_by: None,
        };
        for ties in [Ties::Turns, Ties::First] {
            let routes = match Routes::new(
                problem.platform(),
                &ranks(problem),
                Forwarders::Anything,
                ties,
                watch,
            ) {
                Ok(routes) => Arc::new(routes),
                Err(limit) => {
                    comparison.ended_by = Some(limit);
                    break;
                }
            };
            for algorithm in known(problem, &routes, watch) {
                if let Err(limit) = watch.ask() {
                    comparison.ended_by = Some(limit);
                    break;
                }
                let name = algorithm.name.clone();
                match comparison.put(problem, algorithm, routes.clone(), watch) {
                    Err(BaselineError::Stopped(limit)) => {
                        comparison.ended_by = Some(limit);
                        break;
                    }
                    Err(BaselineError::NoWay { .. }) if comparison.unconnected.contains(&name) => {}
                    Err(BaselineError::NoWay { .. }) => comparison.unconnected.push(name),
                    added => added?,
                }
            }
        }
        Ok(comparison)
    }

    /// Adds an algorithm that the user supplied, on these routes.
    ///
    /// # Errors
    /// A send between unconnected nodes, or sizes or work that are not constant.
    pub fn add(
        &mut self,
        problem: &Problem,
        algorithm: Algorithm,
        routes: Arc<Routes>,
    ) -> Result<(), BaselineError> {
        let loads = algorithm.loads(problem, &routes, &Watch::unlimited())?;
        let sustained = loads.throughput(problem)?;
        self.insert(problem, algorithm, routes, sustained, true);
        Ok(())
    }

    /// The collective on equal rings, as runtimes use them. Adds nothing if rings cannot perform it. In one box of
    /// accelerators without a switch they are NCCL's rings, too, since NCCL finds them by such a search.
    ///
    /// # Errors
    /// A ring that leaves out a rank, or sizes or work that are not constant.
    pub fn add_rings(
        &mut self,
        problem: &Problem,
        rings: &EqualRings,
    ) -> Result<(), BaselineError> {
        if !on_rings(problem) {
            return Ok(());
        }
        let unlimited = Watch::unlimited();
        let routes = Arc::new(Routes::new(
            problem.platform(),
            &ranks(problem),
            Forwarders::Anything,
            Ties::Turns,
            &unlimited,
        )?);
        let mut names = vec![EQUAL_RINGS.to_string()];
        let boxes = Boxes::find(problem, &ranks(problem), &routes);
        if boxes.members.len() == 1 && !boxes.switched {
            names.push(nccl_rings(rings.count()));
        }
        for name in names {
            let algorithm = of_equal_rings(problem, &name, rings)?;
            self.put(problem, algorithm, routes.clone(), &unlimited)?;
        }
        Ok(())
    }

    fn put(
        &mut self,
        problem: &Problem,
        algorithm: Algorithm,
        routes: Arc<Routes>,
        watch: &Watch,
    ) -> Result<(), BaselineError> {
        let loads = algorithm.loads(problem, &routes, watch)?;
        let sustained = loads.throughput(problem)?;
        self.insert(problem, algorithm, routes, sustained, false);
        Ok(())
    }

    /// Adds a rated algorithm, unless one of its name is at least as fast.
    fn insert(
        &mut self,
        problem: &Problem,
        algorithm: Algorithm,
        routes: Arc<Routes>,
        sustained: Throughput,
        listed: bool,
    ) {
        let in_order = algorithm.is_in_order(problem);
        let list = if in_order || commutes(problem) {
            &mut self.rows
        } else {
            &mut self.out_of_order
        };
        let own = without_channels(&algorithm.name).to_string();
        let known = |known: &Compared| {
            without_channels(&known.algorithm.name) == own && known.listed == listed
        };
        match list.iter_mut().find(|row| !listed && known(row)) {
            Some(row) if row.sustained.throughput >= sustained.throughput => return,
            Some(row) => {
                *row = Compared {
                    algorithm,
                    routes,
                    sustained,
                    in_order,
                    listed,
                }
            }
            None => list.push(Compared {
                algorithm,
                routes,
                sustained,
                in_order,
                listed,
            }),
        }
        list.sort_by(|one, other| {
            let by_throughput = other.sustained.throughput.cmp(&one.sustained.throughput);
            by_throughput.then_with(|| one.algorithm.name.cmp(&other.algorithm.name))
        });
    }
}

/// The [`named`] algorithms of the collective, shaped after the platform, the [`published`] trees of reductions and the
/// [`atomic`] ones of broadcasts.
///
/// Once the watch has ended, no hints of shape are searched.
pub fn known(problem: &Problem, routes: &Routes, watch: &Watch) -> Vec<Algorithm> {
    let shape = RankHints::find(problem, routes, watch);
    let papers = published(problem, routes)
        .into_iter()
        .chain(atomic(problem, routes));
    named(problem, &shape).into_iter().chain(papers).collect()
}

/// The name of an algorithm of NCCL's without the number of its channels, which routes decide: `NCCL Ring`.
fn without_channels(name: &str) -> &str {
    match name.split_once(" (") {
        Some((own, _)) if own.starts_with("NCCL ") => own,
        _ => name,
    }
}

/// Whether operands may be combined in any order.
fn commutes(problem: &Problem) -> bool {
    problem.demands().all(|demand| demand.commutative)
}
