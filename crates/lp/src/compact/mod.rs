//! The papers' own programs, corrected: one commodity per message or partial result. They agree exactly with the flow
//! and with column generation, and serve as their test.

use oneport_exact::Row;
use oneport_plan::Resource;
use oneport_programs::{Equation, ProgramError};

use crate::LpError;

pub(crate) mod copies;
pub(crate) mod reduce;
pub(crate) mod scatter;

/// The rows of resources.
fn resources<All: FromIterator<(Resource, Row)>>(rows: &[(Equation, Row)]) -> All {
    let of_resource = |(equation, row): &(Equation, Row)| match equation {
        Equation::Capacity(resource) => Some((*resource, *row)),
        _ => None,
    };
    rows.iter().filter_map(of_resource).collect()
}

/// Rows that are written to memory without a limit are not refused.
fn refused(_: ProgramError) -> LpError {
    LpError::Contradiction("rows of a program were refused")
}
