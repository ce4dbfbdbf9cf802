//! Result of checking another program's schedule that is right.

/// A schedule that was found to be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The file's format.
    pub format: &'static str,
    /// Name of the collective in the file.
    pub collective: String,
    /// Ranks that take part.
    pub ranks: usize,
    /// Threadblocks of all ranks.
    pub threads: usize,
    /// Steps that moved or combined data.
    pub steps: usize,
    /// Whether the collective has a name of the list, so that the results were compared.
    pub known: bool,
    /// An access that is ordered only if the threadblocks of a group run in lockstep, in words. Executors do not
    /// guarantee lockstep.
    pub in_step: Option<String>,
    /// Out of place: a part of a caller's input that holds another value in the end, in words. Callers keep their
    /// input.
    pub overwritten: Option<String>,
    /// Two ranks that combine the operands of one result in different orders, in words: in floating-point arithmetic
    /// their results differ.
    pub orders: Option<String>,
}
