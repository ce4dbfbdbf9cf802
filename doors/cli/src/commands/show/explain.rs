//! Explains the upper bound: the certificate, step by step.

use std::fmt::Write as _;

use anyhow::Result;
use oneport::explain::why;
use oneport::{Plan, Rational, Status};

use super::prices::prices;
use crate::words::numbers::Shown;
use crate::words::tables::first;

/// Limit on the rows.
const ROWS: usize = 20;

/// Explains the bound: the prices of time, the cost of an instance, and the conclusion. The check by hand is in
/// docs/theory.md.
///
/// # Errors
/// The referee rejects the plan.
pub fn text(plan: &Plan<'_>, shown: Shown) -> Result<String> {
    let problem = &plan.problem;
    let unit = shown.unit_of_time();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Why nothing is faster than {}\n\n\
         1. Price the time of these resources so that {unit} of all of them together costs {unit}:\n",
        shown.frequency(plan.upper_bound),
    );
    let _ = writeln!(out, "{}\n", prices(plan, shown));
    let reasons = why(problem, plan.certificate)?;
    let total: Rational = reasons.iter().map(|reason| &reason.share).sum();
    let rows = reasons
        .into_iter()
        .map(|reason| vec![reason.sentence, shown.time(&reason.share)])
        .collect();
    let _ = writeln!(
        out,
        "2. In each schedule the transfers and merges of an instance cost at least:\n\n{}",
        first(&["", "costs at least"], rows, ROWS, "the plan file")
    );
    let bound = total.recip();
    let _ = writeln!(
        out,
        "\n3. So an instance takes {} of the {unit} that all of them together offer in {unit}, and at most {} fit.",
        shown.time(&total),
        shown.frequency(&bound),
    );
    let _ = match plan.status {
        Status::Optimal => write!(out, "   The steady state has this rate: it is optimal."),
        Status::Feasible => {
            let throughput = shown.frequency(&plan.steady_state.throughput);
            write!(
                out,
                "   The steady state has {throughput}; whether more is possible is open."
            )
        }
    };
    Ok(out)
}
