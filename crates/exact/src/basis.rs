//! Evaluates a basis exactly: its primal and dual solution and their violations.

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_watch::Watch;

use crate::factor::Singular;
use crate::form::{Coefficient, IntegerForm, sign};
use crate::kernel::{Basis, Kernel};
use crate::program::Relation;
use crate::vector::RationalVector;

/// The exact solution pair of a basis, in the integer form's units.
pub(crate) struct Evaluation {
    /// Per column. Negative entries are possible if the basis is not primal feasible.
    pub primal: RationalVector,
    /// Row activities `a x`, over the primal denominator.
    pub activity: Vec<BigInt>,
    /// Per row: the multipliers of a minimisation.
    pub dual: RationalVector,
    /// `cost - y A` by column, over the dual denominator.
    pub reduced: Vec<BigInt>,
    /// Excess of each column or row over its bound (positive where violated), over the primal denominator.
    pub primal_violations: Vec<Violation>,
    /// The wrong-signed reduced costs and multipliers, over the dual denominator.
    pub dual_violations: Vec<Violation>,
}

/// A column or row that breaks its bound or sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// Column or row.
    pub member: Member,
    /// The amount of the violation, positive.
    pub amount: BigInt,
}

/// A structural column or a row's slack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Member {
    Column(usize),
    Row(usize),
}

impl Evaluation {
    pub(crate) fn is_optimal(&self) -> bool {
        self.primal_violations.is_empty() && self.dual_violations.is_empty()
    }
}

/// Computes and checks both solutions of a basis.
///
/// # Errors
/// The basis is singular: rows and columns without a pivot. The lists are empty if the watch ended the work.
pub(crate) fn evaluate<C: Coefficient>(
    form: &IntegerForm<C>,
    basis: &Basis,
    watch: &Watch,
) -> Result<Evaluation, Singular> {
    let kernel = Kernel::new(form, basis, watch)?;
    let unspecified = || Singular {
        rows: Vec::new(),
        columns: Vec::new(),
    };
    let primal = kernel.spread(kernel.solve(&form.rhs).ok_or_else(unspecified)?);
    let dual = kernel.multipliers(&form.cost).ok_or_else(unspecified)?;
    let activity = activity(form, &primal.numerators);
    let reduced = reduced_costs(form, &form.cost, &dual);
    let primal_violations = primal_violations(form, &primal, &activity);
    let dual_violations = dual_violations(form, &dual, &reduced);
    Ok(Evaluation {
        primal,
        activity,
        dual,
        reduced,
        primal_violations,
        dual_violations,
    })
}

/// `a_i N` for every row.
pub(crate) fn activity<C: Coefficient>(
    form: &IntegerForm<C>,
    numerators: &[BigInt],
) -> Vec<BigInt> {
    let mut sums = vec![BigInt::zero(); form.rhs.len()];
    for (column, numerator) in numerators.iter().enumerate() {
        if !numerator.is_zero() {
            for (row, value) in form.entries(column) {
                value.add_product(numerator, &mut sums[row]);
            }
        }
    }
    sums
}

/// `d c_j - N_y A_j` for every column, if the multipliers are `N_y / d`.
pub(crate) fn reduced_costs<C: Coefficient>(
    form: &IntegerForm<C>,
    cost: &[C],
    dual: &RationalVector,
) -> Vec<BigInt> {
    let reduced = |column: usize| {
        let mut priced = BigInt::zero();
        for (row, value) in form.entries(column) {
            let multiplier = &dual.numerators[row];
            if !multiplier.is_zero() {
                value.add_product(multiplier, &mut priced);
            }
        }
        let mut reduced = -priced;
        cost[column].add_product(&dual.denominator, &mut reduced);
        reduced
    };
    (0..form.columns()).map(reduced).collect()
}

/// The excess of a row's activity `numerator / denominator` over its right-hand side, over the denominator.
pub(crate) fn excess<C: Coefficient>(
    form: &IntegerForm<C>,
    row: usize,
    activity: &BigInt,
    denominator: &BigInt,
) -> BigInt {
    let mut side = BigInt::zero();
    form.rhs[row].add_product(denominator, &mut side);
    activity - side
}

fn primal_violations<C: Coefficient>(
    form: &IntegerForm<C>,
    primal: &RationalVector,
    activity: &[BigInt],
) -> Vec<Violation> {
    let mut found = Vec::new();
    for (column, numerator) in primal.numerators.iter().enumerate() {
        if sign(numerator) < 0 {
            found.push(Violation {
                member: Member::Column(column),
                amount: -numerator,
            });
        }
    }
    for (row, activity) in activity.iter().enumerate() {
        let excess = excess(form, row, activity, &primal.denominator);
        let amount = match form.relations[row] {
            Relation::AtMost if sign(&excess) > 0 => excess,
            Relation::AtLeast if sign(&excess) < 0 => -excess,
            Relation::Equal if sign(&excess) != 0 => BigInt::from(excess.magnitude().clone()),
            _ => continue,
        };
        found.push(Violation {
            member: Member::Row(row),
            amount,
        });
    }
    found
}

fn dual_violations<C: Coefficient>(
    form: &IntegerForm<C>,
    dual: &RationalVector,
    reduced: &[BigInt],
) -> Vec<Violation> {
    let mut found = Vec::new();
    for (column, reduced) in reduced.iter().enumerate() {
        if sign(reduced) < 0 {
            found.push(Violation {
                member: Member::Column(column),
                amount: -reduced,
            });
        }
    }
    for (row, multiplier) in dual.numerators.iter().enumerate() {
        let wrong = match form.relations[row] {
            Relation::AtMost => sign(multiplier) > 0,
            Relation::AtLeast => sign(multiplier) < 0,
            Relation::Equal => false,
        };
        if wrong {
            let amount = BigInt::from(multiplier.magnitude().clone());
            found.push(Violation {
                member: Member::Row(row),
                amount,
            });
        }
    }
    found
}
