//! The Tiers generator: the rules of its networks, the original program's files, and platforms made of both.

mod files;
mod instances;
mod networks;
mod rules;
