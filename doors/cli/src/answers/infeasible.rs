//! Reports that messages cannot arrive.

pub use oneport_questions::paths;
use oneport_questions::{Kind, QuestionError};

/// The source and target of each message without a path. `None` if the error is another.
pub fn unreachable(error: &QuestionError) -> Option<&[(String, String)]> {
    (error.kind == Kind::Infeasible).then_some(&error.unreachable)
}
