//! Reasons why nothing is faster.

use num_traits::Zero;
use oneport_plan::{Certificate, Kind, Problem};
use oneport_platform::Rational;
use oneport_referee::{GroupPrice, Violation, proof};
use oneport_watch::Watch;

/// A cost that no instance avoids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The inequality, or the demands whose cheapest patterns are counted.
    pub sentence: String,
    /// Its share of the time of an instance, if the total price is one unit per unit of time. May be negative: some
    /// inequalities only make others sharper.
    pub share: Rational,
}

/// The reasons that a certificate gives, as the referee adds them up: the shares are together 1 / bound.
///
/// # Errors
/// The certificate proves nothing.
pub fn why(problem: &Problem, certificate: &Certificate) -> Result<Vec<Reason>, Violation> {
    let proof = proof(problem, certificate, &Watch::unlimited())?;
    let cheapest = proof
        .groups
        .iter()
        .filter(|group| !group.cheapest.is_zero());
    let mut reasons: Vec<Reason> = cheapest
        .map(|group| Reason {
            sentence: patterns(problem, group),
            share: &group.cheapest / &proof.supply,
        })
        .collect();
    let several = problem.collective().demands() > 1;
    for (need, proved) in certificate
        .needs
        .iter()
        .zip(&proof.needs)
        .filter(|(_, proved)| !proved.is_zero())
    {
        let sentence = need.inequality.statement().sentence(problem.platform());
        let sentence = match need.demand.filter(|_| several) {
            Some(demand) => format!("demand {demand}: {sentence}"),
            None if several && need.demand.is_none() => format!("each demand across: {sentence}"),
            None => sentence,
        };
        reasons.push(Reason {
            sentence,
            share: proved / &proof.supply,
        });
    }
    Ok(reasons)
}

/// The demands of a kind, and the quantity that bounds them.
fn patterns(problem: &Problem, group: &GroupPrice) -> String {
    let kind = problem
        .collective()
        .demand(group.first)
        .map(|demand| demand.kind());
    let (noun, what) = match kind {
        Some(Kind::Route) => ("message", "the cheapest path of each"),
        Some(Kind::Copy) => ("message", "the cheapest tree to all who want it"),
        Some(Kind::Combine) => ("result", "the cheapest reduction tree of each"),
        Some(Kind::CombineCopy | Kind::Prefix) | None => ("demand", "whatever tasks carry it out"),
    };
    let s = if group.count == 1 { "" } else { "s" };
    format!("{} {noun}{s}, {what}", group.count)
}
