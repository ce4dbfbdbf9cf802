//! Integer points of a program: HiGHS searches, integers decide.

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_watch::Watch;

use crate::basis::activity;
use crate::form::{AnyForm, Coefficient, IntegerForm, integer_form, sign};
use crate::highs::FloatModel;
use crate::program::{ExactError, LinearProgram, Relation};
use crate::scaled::{Scaling, rounded};

/// How hard to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegerOptions {
    /// Branch-and-bound nodes.
    pub node_limit: u32,
    /// Largest value of any variable.
    pub upper: u32,
}

/// Looks for an integer point of the program that satisfies every row exactly, good in its objective.
///
/// `None` means that no point was found within the limits or before the watch ended. A point may still exist.
///
/// ```
/// use oneport_exact::{IntegerOptions, LinearProgram, Relation, Sense, Watch, find_integer_point, ratio};
/// let mut program = LinearProgram::new(Sense::Maximize);
/// let row = program.add_row(Relation::AtMost, ratio(7, 2));
/// program.add_column(ratio(1, 1), [(row, ratio(1, 1))])?;
/// let options = IntegerOptions { node_limit: 10, upper: 9 };
/// // Without HiGHS the result is `None`.
/// if let Some(point) = find_integer_point(&program, options, &Watch::unlimited())? {
///     assert!(point[0] <= 3.into());
/// }
/// # Ok::<(), oneport_exact::ExactError>(())
/// ```
///
/// # Errors
/// HiGHS refuses a call.
pub fn find_integer_point(
    program: &LinearProgram,
    options: IntegerOptions,
    watch: &Watch,
) -> Result<Option<Vec<BigInt>>, ExactError> {
    if program.columns() == 0 || program.rows() == 0 || watch.ask().is_err() {
        return Ok(None);
    }
    // Column scaling would make integers fractional. Rows may be scaled.
    let mut scaling = Scaling::new(program);
    for exponent in scaling.columns.iter_mut() {
        *exponent = 0;
    }
    scaling.rhs = 0;
    let Some(mut model) = FloatModel::new(&scaling.apply(program))? else {
        return Ok(None);
    };
    model.make_integer(options.upper, options.node_limit)?;
    model.set_time_limit(watch.time_left())?;
    model.run(watch)?;
    let Some(values) = model.column_values() else {
        return Ok(None);
    };
    let Some(point) = rounded(&values) else {
        return Ok(None);
    };
    let holds = match integer_form(program) {
        AnyForm::Small(form) => satisfies(&form, &point),
        AnyForm::Big(form) => satisfies(&form, &point),
    };
    Ok(holds.then_some(point))
}

fn satisfies<C: Coefficient>(form: &IntegerForm<C>, point: &[BigInt]) -> bool {
    let rows = activity(form, point);
    point.iter().all(|value| sign(value) >= 0)
        && rows.iter().enumerate().all(|(row, activity)| {
            let rhs = form.rhs[row].to_big();
            match form.relations[row] {
                Relation::AtMost => *activity <= rhs,
                Relation::Equal => (activity - rhs).is_zero(),
                Relation::AtLeast => *activity >= rhs,
            }
        })
}
