//! Steady-state programs of collective communication, solved exactly.
//!
//! [`solve`] turns a platform and a collective into a linear program, has it solved exactly, and reads off weighted
//! patterns (the steady state) and prices on ports (the certificate). Two formulations are offered and agree
//! exactly: the aggregated flow ([`Formulation::Columns`], one commodity per source or per target) and the papers'
//! own compact programs ([`Formulation::Compact`]: SSSP and SSPA2A of RR-4872, corrected).

mod all_reduce;
mod anytime;
mod bounds;
mod broadcast;
mod columns;
mod compact;
mod copies_flow;
mod costs;
mod decompose;
mod fewest;
mod flow;
mod generated;
mod in_order;
mod near;
mod odd_sets;
mod paths;
mod patterns;
mod question;
mod reduce;
mod resources;
mod scan;
mod shared;
mod simple;
mod slowest_cut;
mod solve;
mod ssr;
mod stages;
mod start;
mod symmetric;
mod whole;
mod whole_trees;

pub use bounds::{Bound, all_reduce_bound};
pub use columns::{Progress, Watch};
pub use question::{LpError, Question};
pub use shared::{Shared, proves, shared_bound};
pub use simple::certificates as simple_certificates;
pub use solve::{Answer, Formulation, Options, Solution, solve, solve_watched};
pub use whole::{
    OptimalInstances, is_searchable, optimal_instances, own_period, rounded_at, whole_at, whole_in, whole_within,
};
