//! The truth about tiny platforms, found by looking at all schemes: a test of the theorems behind every bound, not only
//! of the code that uses them.
//!
//! Solver and referee share no code, but they share theorems. This crate shares neither: it is written from the
//! definitions in `oneport_plan` and `oneport_platform`, and holds what both say against an optimum that enumeration
//! finds. It is a tool for developers: nothing depends on it.
//!
//! # Enumeration
//!
//! A *fact* says that a combination of operands is at a node. A demand starts with its operands at their owners and
//! wants facts. Two things make new ones:
//!
//! - A **transfer** takes a fact over a link. It keeps the link, and the ports at its ends, busy for size times cost.
//! - A **merge** at a processor, or at a router that reduces, makes one fact of two at the same node without a common
//!   operand. If the operator does not commute, the operands of both together have to follow one another, and so does
//!   every part. It keeps the node busy for work times the node's time of a merge, and no port.
//!
//! A *scheme* is a sequence of these that ends with everything that is wanted. Demands are independent of one another:
//! an instance carries out one scheme of each, as often as its rate says.
//!
//! Where the definitions leave a choice, schedules may do everything that is possible, so that bounds get the hardest
//! test:
//!
//! - Every node keeps what arrives for as long as it likes: routers and switches too.
//! - Every node passes on what arrives, processors that take part and targets too.
//! - A node that replicates uses a fact any number of times: for transfers over different links, for several transfers
//!   over the same link, for merges, and as a result. A router may replicate.
//! - At a node that does not replicate, every fact that is made there or brought there is used once at most: sent on,
//!   or merged, or kept as a result. The same fact may come several times, and then be used as often. If the node is a
//!   processor, it may merge like any other, whether it takes part or not.
//! - Instances may be carried out by different schemes, and transfers may be interrupted. In the long run only the time
//!   that everything is busy counts, since instances can overlap without limit.
//!
//! Not looked at: sums or differences of different messages sent as one (network coding), and computing the same
//! partial result of overlapping parts (the operator need not be idempotent).
//!
//! # True values
//!
//! [`busy`] lists every maximal set of transfers that nodes and links allow at the same time. [`throughput`] shares out
//! the time among these sets and the instances among the schemes: a linear program, solved exactly. Schemes come from
//! [`search`], which finds a cheapest one under given prices. No theorem about matchings, cuts, trees or exchanges is
//! used; of schemes only that what makes a part comes after what makes its parts.
//!
//! # Checks
//!
//! [`sample`] draws questions, [`certificates`] and [`crossings`] draw certificates of every kind that the referee
//! believes, and [`check`] compares. A bound holds if it is at least the best bound of the prices: the most that a set
//! of simultaneous transfers collects, over the least cost of an instance. An answer of the solver holds if its
//! throughput is not above the true one, its bound not below, both equal where it says "optimal", and its certificate
//! proves its bound.
//!
//! ```sh
//! cargo test -p oneport-truth                                          # a small run, and false bounds that must be
//! caught cargo run --release -p oneport-truth -- --instances 100000 --seed 1  # a wide one: prints a table
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
