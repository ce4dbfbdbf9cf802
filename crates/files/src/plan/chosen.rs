//! The choice of the links of a plan's platform by a search. It is stored beside the plan and is not a claim.

use std::fmt::Write as _;

use crate::error::FormatError;
use crate::json::{Json, need};

/// A search among the links of a larger platform. The plan's platform has the chosen links only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The shape that the links were to have.
    pub shape: ChosenShape,
    /// How many linear programs the search solved.
    pub programs: u64,
}

/// A shape of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenShape {
    /// One tree.
    Tree,
    /// No directed cycle.
    Acyclic,
}

impl ChosenShape {
    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            ChosenShape::Tree => "tree",
            ChosenShape::Acyclic => "acyclic graph",
        }
    }
}

pub(super) fn read(value: &Json<'_, '_>) -> Result<Chosen, FormatError> {
    let [shape, programs] = value.object(["shape", "programs"])?;
    let shape = need(value, shape, "shape", "tree or acyclic graph")?;
    let text = shape.string()?;
    let known = [ChosenShape::Tree, ChosenShape::Acyclic];
    let found = known.into_iter().find(|shape| shape.name() == text);
    Ok(Chosen {
        shape: found.ok_or_else(|| shape.wrong("a shape: tree or acyclic graph"))?,
        programs: need(value, programs, "programs", "how many the search solved")?.whole()?,
    })
}

pub(super) fn write(out: &mut String, chosen: &Chosen) {
    let Chosen { shape, programs } = chosen;
    let _ = writeln!(
        out,
        "  \"chosen\": {{\"shape\": \"{}\", \"programs\": {programs}}},",
        shape.name()
    );
}
