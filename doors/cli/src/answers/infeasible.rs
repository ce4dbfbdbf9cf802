//! Reports that messages cannot arrive.

use oneport::ProblemError;

/// The source and target of each message without a path; `None` if the error is another.
pub fn unreachable(error: &anyhow::Error) -> Option<&[(String, String)]> {
    match error.downcast_ref() {
        Some(ProblemError::Unreachable { missing, .. }) => Some(missing),
        _ => None,
    }
}

/// Pairs of nodes in words: `from 'a' to 'b'`.
pub fn paths(missing: &[(String, String)]) -> Vec<String> {
    let words = |(from, to): &(String, String)| format!("from '{from}' to '{to}'");
    missing.iter().map(words).collect()
}
