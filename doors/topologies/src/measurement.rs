//! Measurements of collectives by any benchmark program.

use oneport_platform::Rational;

/// Measurements of one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurements {
    /// The program, for people: "nccl-tests", "OSU".
    pub program: &'static str,
    /// The collective by our name. `None` if the program's name does not determine it.
    pub collective: Option<&'static str>,
    /// How many ranks took part, if the file says it.
    pub ranks: Option<usize>,
    /// In the file's order, without those whose results were wrong.
    pub rows: Vec<Measurement>,
    /// How many measurements are left out because their results were wrong.
    pub wrong: usize,
    /// Whether sizes are those of one message (a rank's contribution, a pair's), as OSU counts all-gather, all-to-all,
    /// gather and scatter; else of the whole operation, as nccl-tests count.
    pub by_message: bool,
}

/// One size, measured in place or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    /// Bytes as the program counts them. See [`Measurements::bytes`].
    pub bytes: u64,
    /// Seconds of one operation, if the file says it.
    pub time: Option<Rational>,
    /// Algorithm bandwidth in GB/s (10^9 bytes per second): bytes over time, as the program rounds it.
    pub algbw: Option<Rational>,
    /// Bus bandwidth in GB/s, if the program prints it.
    pub busbw: Option<Rational>,
    /// The operator as the file names it: "sum", or "none" if nothing was combined. `None` if the file does not name
    /// it.
    pub operator: Option<String>,
    /// The root, -1 for a collective without a root. `None` if the file does not name it.
    pub root: Option<i64>,
    /// Whether the result replaced the input.
    pub in_place: bool,
}

impl Measurements {
    /// The bytes of a row as nccl-tests count them, for an operation among `ranks` ranks.
    pub fn bytes(&self, row: &Measurement, ranks: usize) -> u64 {
        let messages = if self.by_message { ranks.max(1) } else { 1 };
        row.bytes.saturating_mul(messages as u64)
    }
}
