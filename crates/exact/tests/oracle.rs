//! Random programs against a naive twin: a dense rational tableau simplex with Bland's rule.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic
)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use oneport_exact::{
    Column, LinearProgram, Method, Options, Outcome, Relation, Row, Sense, Solver, check_farkas,
    check_optimum, check_ray,
};
use oneport_numbers::ratio;
use proptest::prelude::*;

#[derive(Debug, PartialEq)]
enum Naive {
    Optimal(BigRational),
    Infeasible,
    Unbounded,
}

/// Two-phase tableau simplex, written from the definition: one artificial variable per row, Bland's rule.
fn naive(program: &LinearProgram) -> Naive {
    let (rows, columns) = (program.rows(), program.columns());
    let width = columns + 2 * rows + 1;
    let mut tableau = vec![vec![BigRational::zero(); width]; rows];
    for (column, row, value) in
        (0..columns).flat_map(|j| program.column(Column(j)).map(move |(row, v)| (j, row, v)))
    {
        tableau[row.0][column] = value.clone();
    }
    for row in 0..rows {
        let (relation, rhs) = program.row(Row(row));
        match relation {
            Relation::AtMost => tableau[row][columns + row] = BigRational::one(),
            Relation::AtLeast => tableau[row][columns + row] = -BigRational::one(),
            Relation::Equal => {}
        }
        tableau[row][width - 1] = rhs.clone();
        if rhs.is_negative() {
            for value in &mut tableau[row] {
                *value = -value.clone();
            }
        }
        tableau[row][columns + rows + row] = BigRational::one();
    }
    let mut basis: Vec<usize> = (columns + rows..columns + 2 * rows).collect();
    let phase_one: Vec<BigRational> = (0..width - 1)
        .map(|j| {
            if j >= columns + rows {
                BigRational::one()
            } else {
                BigRational::zero()
            }
        })
        .collect();
    if run(&mut tableau, &mut basis, &phase_one, width - 1).is_none() || {
        let left: BigRational = basis
            .iter()
            .zip(&tableau)
            .filter(|(j, _)| **j >= columns + rows)
            .map(|(_, row)| row[width - 1].clone())
            .sum();
        !left.is_zero()
    } {
        return Naive::Infeasible;
    }
    let mut cost = vec![BigRational::zero(); width - 1];
    for (column, cost) in cost.iter_mut().enumerate().take(columns) {
        let value = program.objective(Column(column)).clone();
        *cost = if program.sense() == Sense::Maximize {
            -value
        } else {
            value
        };
    }
    // Artificial variables may stay basic at zero, but never enter again. One driven up is pivoted out first.
    for row in 0..rows {
        if basis[row] >= columns + rows
            && let Some(entering) = (0..columns + rows).find(|&j| !tableau[row][j].is_zero())
        {
            pivot(&mut tableau, &mut basis, row, entering);
        }
    }
    match run(&mut tableau, &mut basis, &cost, columns + rows) {
        None => Naive::Unbounded,
        Some(value) => Naive::Optimal(if program.sense() == Sense::Maximize {
            -value
        } else {
            value
        }),
    }
}

fn pivot(tableau: &mut [Vec<BigRational>], basis: &mut [usize], row: usize, entering: usize) {
    let scale = tableau[row][entering].recip();
    for value in &mut tableau[row] {
        *value *= &scale;
    }
    let pivot_row = tableau[row].clone();
    for (other, line) in tableau.iter_mut().enumerate() {
        if other != row && !line[entering].is_zero() {
            let factor = line[entering].clone();
            for (value, pivot) in line.iter_mut().zip(&pivot_row) {
                *value -= &factor * pivot;
            }
        }
    }
    basis[row] = entering;
}

/// Minimises. Returns `None` if unbounded.
fn run(
    tableau: &mut [Vec<BigRational>],
    basis: &mut [usize],
    cost: &[BigRational],
    usable: usize,
) -> Option<BigRational> {
    loop {
        let last = cost.len();
        let reduced = |j: usize| -> BigRational {
            let priced: BigRational = basis
                .iter()
                .zip(tableau.iter())
                .map(|(&b, row)| &cost[b] * &row[j])
                .sum();
            &cost[j] - priced
        };
        let Some(entering) = (0..usable).find(|&j| reduced(j).is_negative()) else {
            return Some(
                basis
                    .iter()
                    .zip(tableau.iter())
                    .map(|(&b, row)| &cost[b] * &row[last])
                    .sum(),
            );
        };
        let leaving = (0..tableau.len())
            .filter(|&row| tableau[row][entering].is_positive())
            .min_by_key(|&row| (&tableau[row][last] / &tableau[row][entering], basis[row]))?;
        pivot(tableau, basis, leaving, entering);
    }
}

fn agree(
    program: &LinearProgram,
    outcome: &Outcome,
    expected: &Naive,
) -> Result<(), TestCaseError> {
    match (outcome, expected) {
        (Outcome::Optimal(optimum), Naive::Optimal(value)) => {
            prop_assert_eq!(&optimum.objective, value);
            prop_assert!(check_optimum(program, optimum));
            let mut wrong = optimum.clone();
            wrong.objective += BigRational::one();
            prop_assert!(!check_optimum(program, &wrong));
        }
        (Outcome::Infeasible(y), Naive::Infeasible) => prop_assert!(check_farkas(program, y)),
        (Outcome::Unbounded { point, ray }, Naive::Unbounded) => {
            prop_assert!(check_ray(program, point, ray))
        }
        _ => {
            return Err(TestCaseError::fail(format!(
                "{outcome:?} against {expected:?}"
            )));
        }
    }
    Ok(())
}

/// Coefficients of very different sizes and shapes.
fn number() -> impl Strategy<Value = BigRational> {
    prop_oneof![
        5 => (-6i64..7).prop_map(|n| ratio(n, 1)),
        2 => (-9i64..10, 1i64..10).prop_map(|(n, d)| ratio(n, d)),
        1 => (-3i64..4).prop_map(|n| ratio(10_000_000 * n.signum() + n, 1)),
        1 => (-3i64..4, 0u32..9).prop_map(|(n, k)| ratio(n, 10i64.pow(k))),
        1 => (1i64..5).prop_map(|n| ratio(n, 1).pow(100) * ratio(10, 1).pow(30) + ratio(1, 7)),
        // Long denominators without a common factor.
        1 => (-3i64..4, 2i64..9).prop_map(|(n, d)| ratio(n, 1) / (ratio(d, 1).pow(60) + ratio(1, 1))),
    ]
}

fn programs() -> impl Strategy<Value = LinearProgram> {
    (0usize..7, 0usize..8, any::<bool>()).prop_flat_map(|(rows, columns, maximize)| {
        let entry = prop_oneof![2 => Just(BigRational::zero()), 3 => number()];
        let relation = prop_oneof![
            Just(Relation::AtMost),
            Just(Relation::Equal),
            Just(Relation::AtLeast)
        ];
        (
            proptest::collection::vec((relation, number()), rows),
            proptest::collection::vec((number(), proptest::collection::vec(entry, rows)), columns),
        )
            .prop_map(move |(rows, columns)| {
                let mut program = LinearProgram::new(if maximize {
                    Sense::Maximize
                } else {
                    Sense::Minimize
                });
                let rows: Vec<Row> = rows
                    .into_iter()
                    .map(|(relation, rhs)| program.add_row(relation, rhs))
                    .collect();
                for (cost, entries) in columns {
                    program
                        .add_column(cost, rows.iter().copied().zip(entries))
                        .expect("rows exist once");
                }
                program
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_method_agrees_with_the_tableau(program in programs()) {
        let expected = naive(&program);
        for method in [Method::ExactPivots, Method::Simplex, Method::InteriorPoint] {
            let outcome = Solver::new(program.clone()).solve(&Options { method, ..Options::default() });
            agree(&program, &outcome.expect("HiGHS takes it"), &expected)?;
        }
    }

    #[test]
    fn added_columns_and_rows_change_the_answer_as_a_fresh_program_would(
        program in programs(),
        // Exact pivots leave a basis for further pivots.
        method in prop_oneof![Just(Method::Auto), Just(Method::ExactPivots)],
        costs in proptest::collection::vec((number(), number()), 3),
        relations in proptest::collection::vec((0usize..3, number(), number()), 2),
    ) {
        let mut solver = Solver::new(program);
        solver.solve(&Options { method, ..Options::default() }).expect("HiGHS takes it");
        for (cost, value) in costs {
            let entries: Vec<_> = (0..solver.program().rows()).map(|row| (Row(row), &value + ratio(row as i64, 2))).collect();
            solver.add_column(cost, entries).expect("rows exist");
            let program = solver.program().clone();
            agree(&program, &solver.solve(&Options::default()).expect("HiGHS takes it"), &naive(&program))?;
        }
        for (relation, rhs, value) in relations {
            let relation = [Relation::AtMost, Relation::Equal, Relation::AtLeast][relation];
            let entries: Vec<_> = (0..solver.program().columns()).step_by(2).map(|j| (Column(j), value.clone())).collect();
            solver.add_row(relation, rhs, entries).expect("columns exist");
            let program = solver.program().clone();
            agree(&program, &solver.solve(&Options::default()).expect("HiGHS takes it"), &naive(&program))?;
        }
    }

    /// Knapsacks of a column-generation master: the estimate is within the solver's tolerance of the optimum, on both
    /// sides, and stays so when columns arrive.
    #[test]
    fn estimates_are_near_the_optimum(
        columns in proptest::collection::vec((1i64..20, proptest::collection::vec(1i64..20, 4)), 2..9),
        maximize in any::<bool>(),
    ) {
        let (sense, relation) = if maximize { (Sense::Maximize, Relation::AtMost) } else { (Sense::Minimize, Relation::AtLeast) };
        let mut program = LinearProgram::new(sense);
        let rows: Vec<Row> = (1..5).map(|side| program.add_row(relation, ratio(side, 3))).collect();
        let mut solver = Solver::new(program);
        for (cost, entries) in columns {
            let entries = rows.iter().copied().zip(entries.into_iter().map(|entry| ratio(entry, 7)));
            solver.add_column(ratio(cost, 1), entries).expect("rows exist");
            let estimate = solver.estimate(&Options::default()).expect("HiGHS takes it").expect("it has an optimum");
            let program = solver.program();
            let Naive::Optimal(optimum) = naive(program) else { panic!("bounded and feasible") };
            let primal: BigRational =
                estimate.primal.iter().enumerate().map(|(j, x)| program.objective(Column(j)) * x).sum();
            let dual: BigRational = estimate.dual.iter().zip(&rows).map(|(y, row)| program.row(*row).1 * y).sum();
            for value in [primal, dual] {
                prop_assert!((&value - &optimum).abs() < ratio(1, 1_000_000), "{value} against {optimum}");
            }
        }
    }
}

/// Inequalities whose costs and sides differ by less than the float solver can see: refinement finds the optimal basis,
/// and no exact pivot is needed. (It magnifies a program in equations. Among inequalities it would lead astray.)
#[test]
fn near_ties_among_inequalities_are_refined() {
    let fine = 1_000_000_000_000;
    let mut refined = 0;
    for seed in 0..12 {
        let tie = |a: i64, b: i64| ratio(fine + (a + 3) * (b + 5) * (seed + 7) % 10, fine);
        let mut program = LinearProgram::new(Sense::Maximize);
        let rows: Vec<Row> = (0..12)
            .map(|row| program.add_row(Relation::AtMost, tie(row, row * row)))
            .collect();
        for column in 0..36 {
            let ends = [rows[column / 6], rows[6 + column % 6]];
            program
                .add_column(tie(column as i64, 4), ends.map(|row| (row, ratio(1, 1))))
                .expect("rows exist");
        }
        let mut solver = Solver::new(program.clone());
        let outcome = solver.solve(&Options::default()).expect("HiGHS takes it");
        let Outcome::Optimal(optimum) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(check_optimum(&program, &optimum), "seed {seed}");
        assert!(
            !solver.statistics().pivoted,
            "seed {seed}: {:?}",
            solver.statistics()
        );
        refined += solver.statistics().refinements;
    }
    assert!(refined > 0);
}
