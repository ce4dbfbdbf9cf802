//! The best single tree and the best acyclic graph of a broadcast.

use oneport_lp::{self as lp, Question, Shape, Shaped};
use oneport_plan::Problem;

use crate::{Error, Options};

/// The best single tree, or the best acyclic graph, of a broadcast. When the
/// watch ends the search, the best so far, with a bound on all of its kind.
///
/// ```
/// use oneport::{Collective, Options, Problem, Shape, Volumes, best_shape, platform::generate};
/// let ring = generate::ring(4, &generate::Options::default())?;
/// let all: Vec<_> = ring.processors().collect();
/// let broadcast = Collective::broadcast(all[0], all[1..].to_vec());
/// let problem = Problem::new(ring, broadcast, Volumes::default())?;
/// let tree = best_shape(&problem, &Options::default(), Shape::Tree)?;
/// assert_eq!((tree.links.len(), &tree.throughput), (3, &tree.upper_bound));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Other questions, platforms with switches. The errors of the solver.
pub fn best_shape(problem: &Problem, options: &Options, shape: Shape) -> Result<Shaped, Error> {
    let question = Question::new(problem).watched(options.watch.clone());
    Ok(lp::best(&question, &options.program(), shape)?)
}
