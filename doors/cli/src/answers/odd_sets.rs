//! Odd sets in words: the number of transfers that half-duplex nodes run at a time.

use oneport::plan::OddSet;
use oneport::{Platform, Rational};
use oneport_questions::OddSetWords;
pub use oneport_questions::odd_set_sentence as sentence;
use serde_json::{Value, json};

/// The nodes, further links, capacity and price of an odd set, for `--json`.
pub fn json(platform: &Platform, set: &OddSet, price: Option<&Rational>) -> Value {
    json!(OddSetWords::of(platform, set, price))
}
