//! What is found of another program's schedule that is right.

/// What was found to be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The file's format.
    pub format: &'static str,
    /// What the file calls its collective.
    pub collective: String,
    /// Ranks that take part.
    pub ranks: usize,
    /// Threadblocks of all ranks.
    pub threads: usize,
    /// Steps that moved or combined data.
    pub steps: usize,
    /// Whether it is known what the collective asks for, so that the results were compared.
    pub known: bool,
    /// An access that is in order only if the threadblocks of a group go in step, in words. Executors do not promise
    /// that.
    pub in_step: Option<String>,
}
