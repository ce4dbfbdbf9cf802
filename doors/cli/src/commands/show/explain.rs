//! Explains the upper bound: the certificate, step by step.

use std::fmt::Write as _;

use anyhow::Result;
use oneport::plan::{Certificate, Kind};
use oneport::platform::names;
use oneport::{NodeId, Plan, Rational, Status, referee};

use super::prices::prices;
use crate::words::numbers::Shown;
use crate::words::output::count;
use crate::words::tables::first;

/// Limit on the rows.
const ROWS: usize = 20;

/// Explains the bound: the prices of time, the cost of an instance, and the conclusion. The check by hand is in
/// docs/theory.md.
///
/// # Errors
/// The referee rejects the plan.
pub fn text(plan: &Plan, shown: Shown) -> Result<String> {
    let problem = plan.problem()?;
    let proof = referee::proof(problem, &plan.certificate)?;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Why nothing is faster than {}\n\n\
         1. Price the time of these resources so that {} of all of them costs 1:\n",
        shown.frequency(&plan.upper_bound),
        shown.unit_of_time(),
    );
    let _ = writeln!(out, "{}\n", prices(plan, shown));
    let _ = writeln!(out, "2. In each schedule the transfers and merges of an instance cost at least:\n");
    let mut total = Rational::default();
    for need in &proof.needs {
        let price = &need.price / &proof.supply;
        let kind = plan.collective.demand(need.first).map(|demand| demand.kind());
        let _ = writeln!(out, "   {}: {}", what(kind, need.count), shown.time(&price));
        total += price;
    }
    let reasons = reasons(plan, &proof.supply, shown);
    if !reasons.is_empty() {
        let _ = writeln!(out, "\n   because\n\n{}", first(&["", "", "costs at least"], reasons, ROWS, "the plan file"));
    }
    let bound = total.recip();
    let _ = writeln!(
        out,
        "\n3. So an instance takes {} of all the time, and at most {} fit.",
        shown.time(&total),
        shown.frequency(&bound),
    );
    let _ = match plan.status {
        Status::Optimal => write!(out, "   The steady state has this rate: it is optimal."),
        Status::Feasible => {
            let throughput = shown.frequency(&plan.steady_state.throughput);
            write!(out, "   The steady state has {throughput}; whether more is possible is open.")
        }
    };
    Ok(out)
}

/// The demands of a kind, and the quantity that bounds them.
fn what(kind: Option<Kind>, count_of: usize) -> String {
    match kind {
        Some(Kind::Route) => format!("{}, the cheapest path of each", count(count_of, "message")),
        Some(Kind::Copy) => format!("{}, the cheapest tree to all receivers", count(count_of, "message")),
        Some(Kind::Combine) => format!("{}, the cheapest reduction tree of each", count(count_of, "result")),
        _ => format!("{}, whatever tasks carry them out", count(count_of, "demand")),
    }
}

/// The messages that have to cross borders, and the cost of a crossing.
fn reasons(plan: &Plan, supply: &Rational, shown: Shown) -> Vec<Vec<String>> {
    let Certificate { cuts, borders, gatherings, potentials, exchanges, shares, .. } = &plan.certificate;
    let platform = &plan.platform;
    let cost = |weight: &Rational| shown.time(&(weight / supply));
    let sets = |sets: &[Vec<NodeId>]| match sets.iter().all(|set| set.len() == 1) && sets.len() > 2 {
        true => format!("each of {{{}}}", names::list(platform, sets.iter().flatten().copied())),
        false => sets.iter().map(|set| names::set(platform, set)).collect::<Vec<_>>().join(", "),
    };
    let mut rows = Vec::new();
    for cut in cuts {
        let who = cut.demand.map_or("every message that must".to_string(), |demand| format!("demand {demand}"));
        rows.push(vec![who, format!("leaves {}", names::set(platform, &cut.nodes)), cost(&cut.weight)]);
    }
    for border in borders {
        let crossings = count(border.crossings(), "transfer");
        let what = format!("{} {}", border.direction.name(), sets(&border.sets));
        rows.push(vec![format!("{crossings} at least"), what, format!("{} each", cost(&border.weight))]);
    }
    for gathering in gatherings {
        let what = format!("into {}", names::set(platform, &gathering.nodes));
        rows.push(vec!["merges inside need transfers".to_string(), what, format!("{} each", cost(&gathering.weight))]);
    }
    for exchange in exchanges {
        let what = format!("{} {}", exchange.direction.name(), sets(&exchange.parts));
        let over = count(exchange.lengths.len(), "link");
        rows.push(vec!["exchange".to_string(), what, format!("lengths of {over}")]);
    }
    for potential in potentials {
        let what = format!("of '{}'", platform.name(potential.node));
        rows.push(vec!["potential".to_string(), what, cost(&potential.value)]);
    }
    if !shares.is_empty() {
        let what = format!("{} of tasks' prices among goals", count(shares.len(), "share"));
        rows.push(vec!["goals".to_string(), what, "in the plan file".to_string()]);
    }
    rows
}
