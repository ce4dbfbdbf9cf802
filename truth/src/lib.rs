//! The truth about tiny platforms, found by enumerating all schemes: a test of the theorems behind every bound, not
//! only of the code that uses them.
//!
//! Solver and referee share no code, but they share theorems. This crate shares neither: it is written from the
//! definitions in `oneport_plan` and `oneport_platform`, and compares both with an optimum that enumeration finds. It
//! is a tool for developers: nothing depends on it.
//!
//! # Schemes
//!
//! A *fact* means that a combination of operands is at a node. A demand starts with its operands at their owners and
//! must end with its goal facts. Two moves make new ones:
//!
//! - A **transfer** takes a fact over a link. It keeps the link, and the ports at its ends, busy for size times cost.
//! - A **merge** at a processor, or at a router that reduces, makes one fact of two at the same node without a common
//!   operand. If the operator does not commute, the operands of both together must be consecutive, and so must those of
//!   every part. It keeps the node busy for work times the node's time of a merge, and no port.
//!
//! A *scheme* is a sequence of these that ends with all goal facts. Demands are independent of one another: an instance
//! uses one scheme of each, as often as its rate requires.
//!
//! If the definitions do not decide, schedules may use every possibility, so that bounds get the hardest test:
//!
//! - Every node, also a router or switch, keeps arrivals for any length of time.
//! - Every node, also a participating processor or a target, forwards arrivals.
//! - A node that replicates uses a fact any number of times: for transfers over different links, for several transfers
//!   over the same link, for merges, and as a result. A router may replicate.
//! - At a node that does not replicate, every fact that is made or received there is used at most once: sent on, or
//!   merged, or kept as a result. A fact may arrive several times, and then be used as often. If the node is a
//!   processor, it may merge like any other, whether it takes part or not.
//! - Instances may use different schemes, and transfers may be interrupted. In the long run only the time that
//!   everything is busy counts, since instances can overlap without limit.
//!
//! Not covered: sums or differences of different messages sent as one (network coding), and computing one partial
//! result of overlapping parts (the operator need not be idempotent).
//!
//! # The true throughput
//!
//! [`busy`] lists every maximal set of transfers that nodes and links allow at the same time. [`throughput`] shares out
//! the time among these sets and the instances among the schemes: a linear program, solved exactly. Schemes come from
//! [`search`], which finds a cheapest one under given prices. No theorem about matchings, cuts, trees or exchanges is
//! used. The only fact used about schemes is that the move that makes a part follows the moves that make its inputs.
//!
//! # The checks
//!
//! [`sample`] draws problems, [`certificates`] and [`crossings`] draw certificates of every kind that the referee
//! accepts, and [`check`] compares. A bound holds if it is at least the best bound that the prices can prove: the most
//! that a set of simultaneous transfers collects, divided by the least cost of an instance. An answer of the solver
//! holds if its throughput is at most the true one, its bound at least the true one, both equal if its status is
//! "optimal", and its certificate proves its bound.
//!
//! ```sh
//! # A small run, and false bounds that must be caught.
//! cargo test -p oneport-truth
//! # A wide run: prints a table.
//! cargo run --release -p oneport-truth -- --instances 100000 --seed 1
//! ```

pub mod busy;
pub mod certificates;
pub mod check;
pub mod crossings;
pub mod draw;
pub mod game;
mod prices;
pub mod sample;
pub mod search;
pub mod throughput;
