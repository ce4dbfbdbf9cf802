#![doc = include_str!("../README.md")]

mod around;
mod bounds;
mod chains;
mod column_generation;
mod compact;
mod costs;
pub mod flow;
mod in_order;
mod mixture;
mod odd_sets;
mod oracle;
mod oracles;
mod question;
mod resources;
mod rings;
mod rounds;
pub mod separation;
mod shapes;
mod simple;
mod solution;
mod solve;
mod stages;
mod strategy;
mod support;
mod symmetry;

pub use bounds::shared_tasks::{Shared, shared_bound};
pub use bounds::{Bound, all_reduce_bound, cut_bound};
pub use oneport_plan::{Problem, Status, SteadyState};
pub use oneport_watch::{Limit, Watch};
pub use question::{LpError, Question};
pub use resources::Resources;
pub use rings::{MOST_GPUS, RingError, equal_rings, ring_of_order, rings};
pub use shapes::{Shape, Shaped, best};
pub use simple::certificates as simple_certificates;
pub use solution::{Answer, Formulation, Observer, Options, Progress, Solution};
pub use solve::{solve, solve_watched};
