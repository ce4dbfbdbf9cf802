#![doc = include_str!("../README.md")]
//!
//! # Programs
//!
//! **(P)**, section 3.2, corrected: find weights `x >= 0` of matchings `M` and `y >= 0` of patterns `T` that maximise
//! `sum y(T)` subject to
//! - (comm) `sum x(M) <= 1`,
//! - (edge) `sum x(M) over M with e  >=  sum m(T, e) c(e) y(T)` for every link `e`, where `m(T, e)` counts how often
//!   the pattern's messages use the link.
//!
//! The paper prints an equation for (edge). A part of a matching is a matching, so the optimum is the same. But with an
//! equation (D)'s `v` is free, and shortest paths no longer find the pattern of least weight under prices of both
//! signs. The paper counts a link once per pattern. That is right for broadcast only, whose patterns use a link once.
//!
//! **(D)** minimises `u` over the polyhedron `K` of all `(u, v)` with `u >= 0`, `v >= 0`, `sum v(e) over e in M <=
//! u` for all matchings (type I) and `sum m(T, e) c(e) v(e) >= 1` for all patterns (type II).
//!
//! [`Instance::separate`] decides exactly whether a point lies in `K` (definition 5, lemmas 3 and 4): a heaviest
//! matching under `v`, then for every message the lightest path under `c v`. "Outside" comes with a violated
//! inequality, "inside" with prices that [`Proof::check`] adds up. [`Instance::optimum`] collects the oracle's
//! inequalities until the optimum of (D') over them lies in `K`. Then (P') over the same matchings and patterns is
//! optimal for (P), and a basic solution has at most `|E| + 1` matchings and patterns together (theorem 2, lemma 2).
//!
//! [`Instance::separate_either_sign`] is the oracle of the printed `K`, whose `v` has either sign, for messages that
//! all nodes receive.
//!
//! Nodes are half-duplex. Platforms of other port models have a [`gadget`] of half-duplex nodes. A gadget has links of
//! cost 0, which need no matching and have no row in (P).

pub mod gadget;
pub mod heaviest;
mod instance;
mod oracle;
mod program;

pub use instance::{Instance, Message, SeparationError};
pub use oracle::{Halfspace, Inequality, Lightest, Proof, Separated};
pub use program::{Optimum, Weighted};
