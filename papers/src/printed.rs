//! The papers' programs as printed, errors included: rows of `oneport_programs`, solved by exact pivots.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use num_traits::{One, Zero};
use oneport::plan::Commodity;
use oneport::platform::LinkId;
use oneport::{Platform, Rational};
use oneport_exact::{Method, Options, Outcome, Relation, Sense, Solver};
pub use oneport_programs::Errors;
use oneport_programs::{Equation, Limits, Line, Linear, Quantity, messages};

/// SSSP(G) or SSPA2A(G).
pub struct Program(Linear);

impl Program {
    /// The program for unit messages: variables `send(link, message)` and `TP`.
    ///
    /// # Errors
    /// None.
    pub fn new(platform: &Platform, commodities: &[Commodity], errors: Errors) -> Result<Program> {
        let cost = |link: LinkId| platform.link(link).cost.clone();
        let program = messages(platform, commodities, &cost, errors, Limits::Papers)?;
        Ok(Program(program.substituted()))
    }

    /// Fixes the throughput.
    pub fn fix_throughput(&mut self, value: &Rational) {
        fix(&mut self.0, Quantity::Throughput, value);
    }

    /// Fixes one flow. One that does not exist is 0 anyway.
    pub fn fix(&mut self, link: LinkId, message: usize, value: &Rational) {
        let flow = Quantity::Message { message, link };
        if self.0.quantities().contains(&flow) {
            fix(&mut self.0, flow, value);
        }
    }

    /// The largest throughput.
    ///
    /// # Errors
    /// The program has no optimum.
    pub fn throughput(&self) -> Result<Rational> {
        Ok(optimum(&self.0, Sense::Maximize, Quantity::Throughput)?.0)
    }

    /// The smallest and the largest value of one flow.
    ///
    /// # Errors
    /// The program has no optimum.
    pub fn range(&self, link: LinkId, message: usize) -> Result<(Rational, Rational)> {
        range(&self.0, Quantity::Message { message, link })
    }
}

/// Adds a row that fixes a variable.
pub fn fix(program: &mut Linear, variable: Quantity, value: &Rational) {
    let row = Line {
        equation: Equation::Bound(program.lines.len()),
        terms: vec![(variable, Rational::one())],
        relation: Relation::Equal,
        side: value.clone(),
    };
    program.lines.push(row);
}

/// The smallest and the largest value of a variable. One that does not exist is 0.
///
/// # Errors
/// The program has no optimum.
pub fn range(program: &Linear, variable: Quantity) -> Result<(Rational, Rational)> {
    if !program.quantities().contains(&variable) {
        return Ok((Rational::zero(), Rational::zero()));
    }
    Ok((
        optimum(program, Sense::Minimize, variable)?.0,
        optimum(program, Sense::Maximize, variable)?.0,
    ))
}

/// The optimum of one variable of a program, and the values of all variables there.
///
/// # Errors
/// The program has no optimum.
pub fn optimum(
    program: &Linear,
    sense: Sense,
    objective: Quantity,
) -> Result<(Rational, BTreeMap<Quantity, Rational>)> {
    let mut program = program.clone();
    (program.sense, program.objective) = (sense, vec![objective]);
    let solvable = program.solvable()?;
    match Solver::new(solvable.program).solve(&Options {
        method: Method::ExactPivots,
        ..Options::default()
    })? {
        Outcome::Optimal(optimum) => {
            let value = |column| optimum.primal.get(column);
            let values = solvable.columns.iter().map(|(quantity, (column, minus))| {
                let negative = minus.map(value).unwrap_or_default();
                (*quantity, value(*column) - negative)
            });
            let values = values.collect();
            Ok((optimum.objective, values))
        }
        Outcome::Unbounded { .. } => bail!("the printed program is unbounded"),
        Outcome::Infeasible(_) => bail!("the printed program is infeasible"),
        Outcome::LimitReached { .. } => bail!("the printed program was not solved"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    /// Without the errors, these rows agree with the solver's flows.
    #[test]
    fn without_errors_the_program_is_the_corrected_one() -> Result<()> {
        let cases = [
            cases::toy()?,
            cases::symmetrised_toy()?,
            cases::scatter_to_all("random", cases::random(5, 3, 3, 4)?)?,
            cases::all_to_all_of_all("random", cases::random(4, 2, 5, 4)?)?,
            cases::gather_from_all("random", cases::random(5, 2, 8, 4)?)?,
        ];
        for case in cases {
            let ours = Program::new(
                &case.platform,
                &case.collective.commodities(),
                Errors::default(),
            )?;
            assert_eq!(ours.throughput()?, case.throughput()?, "{}", case.name);
        }
        Ok(())
    }
}
