//! Answers with a schedule, as parts that tests compare and change.

use oneport::{Answer, Solved, files, referee};
use oneport_testkit::Parts;

/// The parts of an answer that has a schedule.
#[track_caller]
pub fn parts(solved: &Solved) -> Parts {
    Parts::from(solved.plan().unwrap())
}

/// The referee's answer to these parts.
pub fn verify(parts: &Parts) -> Result<Answer, referee::Violation> {
    referee::verify(
        parts.claim(),
        &parts.stated(),
        &oneport::watch::Watch::unlimited(),
    )
}

/// The parts as a plan file.
pub fn to_json(parts: &Parts) -> String {
    parts.with(files::plan_to_json).unwrap()
}

/// The parts of a plan file.
#[track_caller]
pub fn from_json(text: &str) -> Parts {
    let (claim, stated) = files::plan_from_json("plan.json", text.as_bytes()).unwrap();
    Parts::of(&claim, &stated).unwrap()
}
