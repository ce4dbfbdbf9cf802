//! Platform generators, deterministic per seed.
