//! Steady-state programs of collective communication, solved exactly.
//!
//! [`solve`] turns a platform and a collective into a linear program, has it solved exactly, and reads off weighted
//! patterns (the steady state) and prices on ports (the certificate). Two formulations are offered and agree
//! exactly: the aggregated flow ([`Formulation::Columns`], one commodity per source or per target) and the papers'
//! own compact programs ([`Formulation::Compact`]: SSSP and SSPA2A of RR-4872, corrected).

mod bounds;
mod column_generation;
mod compact;
mod costs;
pub mod flow;
mod in_order;
mod oracle;
mod oracles;
mod question;
mod resources;
mod simple;
mod solution;
mod solve;
mod strategy;
mod support;
mod symmetry;

pub use bounds::shared_tasks::{Shared, proves, shared_bound};
pub use bounds::{Bound, all_reduce_bound};
pub use column_generation::{Progress, Watch};
pub use question::{LpError, Question};
pub use resources::Resources;
pub use simple::certificates as simple_certificates;
pub use solution::{Answer, Formulation, Options, Solution};
pub use solve::{solve, solve_watched};
