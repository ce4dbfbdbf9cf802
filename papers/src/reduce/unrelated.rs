//! RR-4872's `w(P_i, T[k,l,m])` in full: products of matrices, and unrelated machines.

use anyhow::{Result, bail, ensure};
use oneport::{Formulation, Options, Problem, Rating, Rational, Volumes, formats, rate};

use crate::cases::{self, Case};
use crate::rows::{self, Finding, Value};

/// Throughputs of a product of matrices of 10 x 100, 100 x 5 and 5 x 50 numbers on figure 6's nodes, fully connected:
/// by work of every task; and where one processor is five times as fast at one task and another cannot do one.
pub fn chains() -> Result<Finding> {
    let case = cases::reduce("a product of matrices", cases::fixture("toy-reduce.toml")?, "0", "0 1 2")?;
    let by_task = optimum(&case, "matrix-chain-work.json")?;
    let unrelated = optimum(&case, "matrix-chain-unrelated.json")?;
    Ok(Finding::value(Value::List(vec![by_task.into(), unrelated.into()]))
        .note("columns and the corrected program of section 4.2 agree, and the referee has checked both"))
}

/// The optimum by both formulations.
fn optimum(case: &Case, work: &str) -> Result<Rational> {
    let folder = rows::root().join("fixtures/volumes");
    let size = formats::read_amount(&folder.join("matrix-chain-size.json"))?;
    let work = formats::read_work(&folder.join(work), &case.platform)?;
    let volumes = Volumes { size, work };
    let problem = Problem::new(&case.platform, &case.collective, &volumes)?;
    let found = |formulation| {
        let options = Options { formulation, ..Options::default() };
        match rate(problem, &options, None)? {
            Rating::Rated(rated) if rated.steady_state.throughput == rated.upper_bound => Ok(rated.upper_bound),
            _ => bail!("no optimum"),
        }
    };
    let (columns, compact) = (found(Formulation::Columns)?, found(Formulation::Compact)?);
    ensure!(columns == compact, "columns {columns}, compact {compact}");
    Ok(columns)
}
