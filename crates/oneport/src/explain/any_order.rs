//! The gain of an operator that commutes.

use num_traits::One;
use oneport_plan::{Problem, Status};
use oneport_platform::Rational;

use crate::{Error, Goal, Options, solve};

/// A gain, as a share of the throughput.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gain {
    /// Nothing: proved.
    Nothing,
    /// Exactly this much: proved.
    Exactly(Rational),
    /// This much at least.
    AtLeast(Rational),
    /// A gain was neither found nor excluded.
    Unknown,
}

/// The gain of operands combined in any order over this throughput of the problem. It is [`Gain::Unknown`] if the
/// limits of the options leave too little room, or if the collective has no order.
///
/// # Errors
/// Those of [`solve`].
pub fn any_order(
    problem: &Problem,
    throughput: &Rational,
    options: &Options,
) -> Result<Gain, Error> {
    let collective = problem.collective();
    let cast: Vec<_> = collective.cast().into_iter().map(<[_]>::to_vec).collect();
    let Some(any) = collective.form().and_then(|form| form.build(&cast, true)) else {
        return Ok(Gain::Unknown);
    };
    let problem = problem.asking(any)?;
    let options = options.clone().goal(Goal::Rate);
    let answer = solve(&problem, &options)?.answer;
    let Some(state) = answer.patterns() else {
        return Ok(Gain::Unknown);
    };
    let more = &state.throughput / throughput - Rational::one();
    Ok(match answer.status() {
        _ if answer.bound() <= throughput => Gain::Nothing,
        _ if more <= Rational::default() => Gain::Unknown,
        Status::Optimal => Gain::Exactly(more),
        Status::Feasible => Gain::AtLeast(more),
    })
}
