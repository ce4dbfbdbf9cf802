//! The Tiers generator: the rules of its networks, the original program's files, and platforms made of both.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod instances;
mod networks;
mod rules;
