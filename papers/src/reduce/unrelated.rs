//! RR-4872's `w(P_i, T[k,l,m])` in full: products of matrices, and unrelated machines.

use anyhow::{Result, bail, ensure};
use oneport::{Formulation, Goal, Options, Problem, Rational, Volumes, files, solve};

use crate::cases::{self, Case};
use crate::rows::{self, Finding, Value};

/// Throughputs of a product of matrices of 10 x 100, 100 x 5 and 5 x 50 numbers on figure 6's nodes, fully connected:
/// with the work of every task, and with one processor that is five times as fast at one task and another that cannot
/// run one.
pub fn chains() -> Result<Finding> {
    let case = cases::reduce(
        "a product of matrices",
        cases::fixture("toy-reduce.toml")?,
        "0",
        "0 1 2",
    )?;
    let [by_task, unrelated] =
        ["matrix-chain-work.json", "matrix-chain-unrelated.json"].map(|work| optima(&case, work));
    let ([one, two], [three, four]) = (by_task?, unrelated?);
    ensure!(
        one == two && three == four,
        "TP {one} and {three} by columns, {two} and {four} by the program"
    );
    Ok(Finding::value(Value::List(vec![one.into(), three.into()]))
        .note("the same by columns and by the corrected program of section 4.2"))
}

/// The optimum by columns and by the corrected program.
fn optima(case: &Case, work: &str) -> Result<[Rational; 2]> {
    let folder = rows::root().join("fixtures/volumes");
    let size = files::read_amount(&folder.join("matrix-chain-size.json"))?;
    let work = files::read_work(&folder.join(work), &case.platform)?;
    let volumes = Volumes { size, work };
    let problem = Problem::new(&case.platform, &case.collective, &volumes)?;
    let found = |formulation| {
        let options = Options {
            formulation,
            ..Options::of(Goal::Rate)
        };
        let answer = solve(&problem, &options)?.answer;
        match answer.patterns() {
            Some(state) if state.throughput == *answer.bound() => Ok(state.throughput.clone()),
            _ => bail!("no optimum"),
        }
    };
    Ok([found(Formulation::Columns)?, found(Formulation::Compact)?])
}
