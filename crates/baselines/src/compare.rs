//! Algorithms side by side.

use oneport_plan::Problem;

use crate::published::published;
use crate::{Algorithm, BaselineError, Over, Routes, Shape, Throughput, named, places};

/// An algorithm and what it sustains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How often it can be carried out, and what limits it.
    pub sustained: Throughput,
    /// Whether operands are combined in the participants' order.
    pub in_order: bool,
}

/// What people run today, counted, the fastest first; equals by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Those that carry out the collective.
    pub rows: Vec<Compared>,
    /// Those that would need a commutative operator.
    pub out_of_order: Vec<Compared>,
    /// Names of those that send where no way leads.
    pub without_way: Vec<String>,
}

impl Comparison {
    /// All [`named`] algorithms of the collective and, for reductions, the [`published`] trees, on the cheapest paths.
    /// Largest in time is the counting: `O(blocks sent)` per algorithm.
    ///
    /// # Errors
    /// Sizes or work that are not constant.
    pub fn of(problem: Problem<'_>) -> Result<Comparison, BaselineError> {
        let routes = Routes::new(problem.platform(), &places(problem), Over::Anything);
        let shape = Shape::find(problem, &routes);
        let mut comparison = Comparison { rows: Vec::new(), out_of_order: Vec::new(), without_way: Vec::new() };
        for algorithm in named(problem, &shape).into_iter().chain(published(problem, &routes)) {
            let name = algorithm.name.clone();
            match comparison.add(problem, algorithm, &routes) {
                Err(BaselineError::NoWay { .. }) => comparison.without_way.push(name),
                added => added?,
            }
        }
        Ok(comparison)
    }

    /// One more algorithm, on these routes.
    ///
    /// # Errors
    /// A send where no way leads; sizes or work that are not constant.
    pub fn add(&mut self, problem: Problem<'_>, algorithm: Algorithm, routes: &Routes) -> Result<(), BaselineError> {
        let sustained = algorithm.loads(problem, routes)?.throughput(problem)?;
        let in_order = algorithm.is_in_order(problem);
        let list = if in_order || commutes(problem) { &mut self.rows } else { &mut self.out_of_order };
        list.push(Compared { algorithm, sustained, in_order });
        list.sort_by(|one, other| {
            let by_throughput = other.sustained.throughput.cmp(&one.sustained.throughput);
            by_throughput.then_with(|| one.algorithm.name.cmp(&other.algorithm.name))
        });
        Ok(())
    }
}

/// Whether operands may be combined in any order.
fn commutes(problem: Problem<'_>) -> bool {
    problem.demands().all(|demand| demand.commutative)
}
