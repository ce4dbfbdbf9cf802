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
    /// Whether the collective is known, so that the results were compared.
    pub known: bool,
    /// An access that is ordered only if the threadblocks of a group run in lockstep, in words. Executors do not
    /// guarantee lockstep.
    pub in_step: Option<String>,
}
