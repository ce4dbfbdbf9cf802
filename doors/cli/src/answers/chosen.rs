//! Links that a search chose, in words.

use oneport::files::{Chosen, ChosenShape};

use crate::words::output::count;

/// The choice: `a tree chosen by a search of 5 programs`.
pub fn words(chosen: &Chosen) -> String {
    let shape = match chosen.shape {
        ChosenShape::Tree => "a tree",
        ChosenShape::Acyclic => "an acyclic graph",
    };
    let programs = count(chosen.programs, "program");
    format!("{shape} chosen by a search of {programs}")
}

/// The claim that the referee can check, and the one that it cannot: a certificate is one of the links that are there.
pub fn certified(chosen: &Chosen, links: usize) -> String {
    format!(
        "{}; the referee checked the certificate of its {} alone",
        words(chosen),
        count(links, "link")
    )
}
