//! Naive checks of certificates against the program itself, in plain rationals.

use num_traits::{Signed, Zero};

use crate::Rational;
use crate::program::{Column, LinearProgram, Relation, Row, Sense};
use crate::solver::Optimum;
use crate::vector::RationalVector;

/// Whether `x` satisfies every row and is non-negative.
fn is_feasible(program: &LinearProgram, x: &RationalVector) -> bool {
    let activity = activity(program, x);
    let nonnegative = (0..program.columns()).all(|column| !x.get(Column(column)).is_negative());
    let rows = (0..program.rows())
        .all(|row| compare(program.relations[row], &activity[row], &program.rhs[row]));
    x.len() == program.columns() && nonnegative && rows
}

fn activity(program: &LinearProgram, x: &RationalVector) -> Vec<Rational> {
    let mut sums = vec![Rational::zero(); program.rows()];
    for column in 0..program.columns() {
        let value = x.get(Column(column));
        if !value.is_zero() {
            for (row, entry) in program.column(Column(column)) {
                sums[row.0] += entry * &value;
            }
        }
    }
    sums
}

fn compare(relation: Relation, activity: &Rational, rhs: &Rational) -> bool {
    match relation {
        Relation::AtMost => activity <= rhs,
        Relation::Equal => activity == rhs,
        Relation::AtLeast => activity >= rhs,
    }
}

/// `y b`, and `y A_j` for every column.
fn aggregate(program: &LinearProgram, y: &RationalVector) -> (Rational, Vec<Rational>) {
    let side = (0..program.rows())
        .map(|row| y.get(Row(row)) * &program.rhs[row])
        .sum();
    let price = |column| {
        program
            .column(Column(column))
            .map(|(row, entry)| y.get(row) * entry)
            .sum()
    };
    (side, (0..program.columns()).map(price).collect())
}

/// Whether the multipliers have the signs that make `y a x` a bound on `y b` from above (`at_most`) or below.
fn signs_fit(program: &LinearProgram, y: &RationalVector, at_most: bool) -> bool {
    (0..program.rows()).all(|row| {
        let value = y.get(Row(row));
        match (program.relations[row], at_most) {
            (Relation::Equal, _) => true,
            (Relation::AtMost, true) | (Relation::AtLeast, false) => !value.is_negative(),
            (Relation::AtMost, false) | (Relation::AtLeast, true) => !value.is_positive(),
        }
    })
}

/// Checks an optimum from the definition: both solutions feasible, both objectives equal to the one claimed.
pub fn check_optimum(program: &LinearProgram, optimum: &Optimum) -> bool {
    let Optimum {
        objective,
        primal,
        dual,
    } = optimum;
    let maximize = program.sense() == Sense::Maximize;
    let (side, prices) = aggregate(program, dual);
    let value: Rational = (0..program.columns())
        .map(|column| primal.get(Column(column)) * &program.objective[column])
        .sum();
    let dual_feasible = prices.iter().zip(&program.objective).all(|(price, cost)| {
        if maximize {
            price >= cost
        } else {
            price <= cost
        }
    });
    is_feasible(program, primal)
        && dual.len() == program.rows()
        && signs_fit(program, dual, maximize)
        && dual_feasible
        && value == *objective
        && side == *objective
}

/// Checks a Farkas certificate: the rows, weighted by `y`, would give `y A x <= y b` with `y A >= 0 > y b`.
pub fn check_farkas(program: &LinearProgram, y: &RationalVector) -> bool {
    let (side, prices) = aggregate(program, y);
    signs_fit(program, y, true)
        && prices.iter().all(|price| !price.is_negative())
        && side.is_negative()
}

/// Checks unboundedness: a feasible point, and a non-negative ray that keeps every row and improves the objective.
pub fn check_ray(program: &LinearProgram, point: &RationalVector, ray: &RationalVector) -> bool {
    let zero = Rational::zero();
    let moves = activity(program, ray);
    let gain: Rational = (0..program.columns())
        .map(|column| ray.get(Column(column)) * &program.objective[column])
        .sum();
    let improves = if program.sense() == Sense::Maximize {
        gain.is_positive()
    } else {
        gain.is_negative()
    };
    is_feasible(program, point)
        && (0..program.columns()).all(|column| !ray.get(Column(column)).is_negative())
        && (0..program.rows()).all(|row| compare(program.relations[row], &moves[row], &zero))
        && improves
}
