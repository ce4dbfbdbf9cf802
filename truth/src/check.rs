//! Checks every bound that the referee accepts, and every answer of the solver, against the truth.

use std::panic::{AssertUnwindSafe, catch_unwind};

use num_traits::Zero;
use oneport_lp::{Formulation, LpError, Options, Question, Solution, solve};
use oneport_plan::{Certificate, Collective, Problem, ProblemError, Status};
use oneport_platform::{Rational, whole};
use oneport_referee::Watch;
use oneport_referee::{Rule, Violation, bound, reading};

use crate::certificates::{CertificateKind, certificate, change, complete, weaken};
use crate::draw::Draw;
use crate::game::Carrier;
use crate::prices::{compute_price, link_price};
use crate::sample::Sample;
use crate::throughput::{Oracle, Prices, Refused, Truth};

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The bound holds. `tight`: the cheapest instance costs exactly the amount that the bound states.
    Holds {
        /// Nothing better can be proved with these prices.
        tight: bool,
    },
    /// The referee refused the certificate, and may.
    Refused,
    /// The search was too large.
    GivenUp,
    /// A bound below the truth, a false optimum, a refusal without a reason, or a panic.
    Wrong(String),
}

/// A check and its verdict.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The kind of certificate. `None` for an answer of the solver.
    pub kind: Option<CertificateKind>,
    /// The certificate, if it exists.
    pub certificate: Option<Certificate>,
    /// The result.
    pub verdict: Verdict,
}

/// Computes a bound: the referee's method, or a false one that must be caught.
pub type Bound<'a> = &'a dyn Fn(&Sample, &Certificate) -> Result<Rational, Violation>;

/// The referee's bound.
pub fn referee(sample: &Sample, certificate: &Certificate) -> Result<Rational, Violation> {
    bound(
        &Problem::new(&sample.platform, &sample.collective, &sample.volumes)?,
        certificate,
        &Watch::unlimited(),
    )
}

/// Amount of checks.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Random certificates of each kind.
    pub certificates: usize,
    /// Whether the solver runs, and its answer is compared with the true throughput.
    pub solver: bool,
    /// Limit on the states of a search.
    pub states: usize,
}

/// All checks of one problem.
pub fn check(draw: &mut Draw, sample: &Sample, effort: Effort, bound: Bound<'_>) -> Vec<Checked> {
    let Sample {
        platform,
        collective,
        volumes,
        ..
    } = sample;
    let Ok(oracle) = Oracle::new(platform, collective, volumes, effort.states) else {
        return vec![Checked {
            kind: None,
            certificate: None,
            verdict: Verdict::GivenUp,
        }];
    };
    let mut all = Vec::new();
    for kind in [
        CertificateKind::Prices,
        CertificateKind::OddSets,
        CertificateKind::Cuts,
        CertificateKind::Shares,
        CertificateKind::Crossings,
    ] {
        for _ in 0..effort.certificates {
            let Some(one) = certificate(draw, kind, platform, collective, volumes) else {
                continue;
            };
            all.push(check_weakened(&oracle, sample, kind, one, bound));
        }
    }
    if effort.solver {
        let truth = oracle.throughput();
        let (verdict, own) = check_solver(sample, Formulation::Columns, &truth);
        all.push(Checked {
            kind: None,
            certificate: own.clone(),
            verdict,
        });
        if let Some(own) = own {
            for _ in 0..2 {
                let mut changed = own.clone();
                change(draw, &mut changed);
                complete(platform, collective, volumes, &mut changed);
                all.push(check_weakened(
                    &oracle,
                    sample,
                    CertificateKind::Changed,
                    changed,
                    bound,
                ));
            }
            all.push(check_single(
                &oracle,
                sample,
                CertificateKind::Solver,
                own,
                bound,
            ));
        }
        let (verdict, own) = check_solver(sample, Formulation::Compact, &truth);
        if verdict != Verdict::Refused {
            all.push(Checked {
                kind: None,
                certificate: own,
                verdict,
            });
        }
    }
    all
}

/// A refused certificate is tried again with smaller charges: cuts and the like may have charged too much.
fn check_weakened(
    oracle: &Oracle<'_>,
    sample: &Sample,
    kind: CertificateKind,
    mut certificate: Certificate,
    bound: Bound<'_>,
) -> Checked {
    for _ in 0..3 {
        match bound(sample, &certificate) {
            Err(refusal) if is_of_proof(&refusal) => {
                weaken(&mut certificate);
                complete(
                    &sample.platform,
                    &sample.collective,
                    &sample.volumes,
                    &mut certificate,
                );
            }
            _ => break,
        }
    }
    check_single(oracle, sample, kind, certificate, bound)
}

/// A column or right side of an inequality that differs from the referee's reading of it. Refused certificates are not
/// read.
fn misread(sample: &Sample, certificate: &Certificate) -> Option<String> {
    let problem = Problem::new(&sample.platform, &sample.collective, &sample.volumes).ok()?;
    certificate.needs.iter().find_map(|need| {
        let (columns, right_side) = reading(&problem, need).ok()?;
        let says = need.inequality.statement();
        let demand = sample.collective.demand(need.demand.unwrap_or(0))?;
        let stated = says
            .right_side(&demand)
            .unwrap_or_else(|| right_side.clone());
        let other = columns
            .iter()
            .find(|(column, charged)| says.coefficient(*column) != *charged);
        match other {
            Some((column, charged)) => Some(format!("{need:?} charges {charged} for {column:?}")),
            None if stated != right_side => {
                Some(format!("{need:?} is read as at least {right_side}"))
            }
            None => None,
        }
    })
}

/// Whether a certificate's bound is at least the bound that its prices can prove: for all charges for an instance, the
/// cheapest instance costs at least that much, and for all stated values of the capacities, no set of simultaneous
/// transfers collects more.
pub fn check_single(
    oracle: &Oracle<'_>,
    sample: &Sample,
    kind: CertificateKind,
    certificate: Certificate,
    bound: Bound<'_>,
) -> Checked {
    let verdict = catch_unwind(AssertUnwindSafe(|| bound(sample, &certificate)));
    let verdict = match verdict {
        Err(_) => Verdict::Wrong("the referee panicked".to_string()),
        Ok(bound) => match misread(sample, &certificate) {
            Some(text) => Verdict::Wrong(text),
            None => judge(oracle, sample, &certificate, bound),
        },
    };
    Checked {
        kind: Some(kind),
        certificate: Some(certificate),
        verdict,
    }
}

/// Whether a certificate is malformed, or charges too much.
fn is_of_proof(refusal: &Violation) -> bool {
    matches!(refusal.rule(), Rule::Certificate | Rule::Overcharge)
}

fn judge(
    oracle: &Oracle<'_>,
    sample: &Sample,
    certificate: &Certificate,
    bound: Result<Rational, Violation>,
) -> Verdict {
    let platform = &sample.platform;
    let links = platform
        .link_ids()
        .map(|link| (Carrier::Link(link), link_price(platform, certificate, link)));
    let processors = platform
        .mergers()
        .map(|node| (Carrier::Compute(node), compute_price(certificate, node)));
    let prices: Prices = links
        .chain(processors)
        .filter(|(_, price)| !price.is_zero())
        .collect();
    let cheapest = oracle.cheapest(&prices);
    match (bound, cheapest) {
        (_, Err(Refused::TooLarge)) => Verdict::GivenUp,
        (Err(refusal), Err(Refused::Impossible)) if refusal.rule() == Rule::Unreachable => {
            Verdict::Refused
        }
        (Err(refusal), _) if is_of_proof(&refusal) || refusal.rule() == Rule::NoBound => {
            Verdict::Refused
        }
        (Err(fault), _) => Verdict::Wrong(format!("the referee refuses what is right: {fault}")),
        (Ok(_), Err(Refused::Impossible)) => Verdict::Holds { tight: false },
        (Ok(bound), Ok(cheapest)) => {
            let (said, worth) = (stated_worth(sample, certificate), oracle.worth(&prices));
            let proved = &bound * &cheapest;
            if proved < worth {
                return Verdict::Wrong(format!(
                    "the bound {bound} is too low: per unit of time {worth} is paid, and the cheapest instance costs {cheapest}"
                ));
            }
            if said < worth {
                return Verdict::Wrong(format!(
                    "capacities are undervalued: said to be worth {said}, but transfers collect {worth}"
                ));
            }
            if proved < said {
                return Verdict::Wrong(format!(
                    "an instance is charged more than it costs: the bound is {bound}, capacities are worth {said}, and the \
                     cheapest instance costs {cheapest}"
                ));
            }
            Verdict::Holds {
                tight: proved == said,
            }
        }
    }
}

/// The sum of prices times capacities, as the certificate's documentation has it.
fn stated_worth(sample: &Sample, certificate: &Certificate) -> Rational {
    let resources = certificate.prices();
    let resources =
        resources.map(|(resource, price)| whole(resource.capacity(&sample.platform)) * price);
    let sets = certificate
        .odd_sets()
        .map(|(set, price)| whole(set.capacity(&sample.platform)) * price);
    resources.chain(sets).sum()
}

/// Compares the solver's answer and certificate with the truth.
fn check_solver(
    sample: &Sample,
    formulation: Formulation,
    truth: &Result<Truth, Refused>,
) -> (Verdict, Option<Certificate>) {
    let Sample {
        platform,
        collective,
        volumes,
        ..
    } = sample;
    let wrong_verdict = |text: String| (Verdict::Wrong(format!("{formulation:?}: {text}")), None);
    let problem = match (Problem::new(platform, collective, volumes), truth) {
        (Ok(problem), _) => problem,
        (Err(ProblemError::Unreachable { .. }), Err(Refused::Impossible)) => {
            return (Verdict::Holds { tight: true }, None);
        }
        (Err(fault), _) => return wrong_verdict(format!("the question is refused: {fault}")),
    };
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let question = Question::new(&problem);
        solve(
            &question,
            &Options {
                formulation,
                ..Options::default()
            },
        )
    }));
    let solution = match (answer, truth) {
        (Err(_), _) => return wrong_verdict("the solver panicked".to_string()),
        (Ok(Err(refused)), _) if formulation == Formulation::Compact && may_refuse(&refused) => {
            return (Verdict::Refused, None);
        }
        (Ok(Err(fault)), _) => return wrong_verdict(format!("the solver fails: {fault}")),
        (Ok(Ok(_)), Err(Refused::TooLarge)) => return (Verdict::GivenUp, None),
        (Ok(Ok(_)), Err(Refused::Impossible)) => {
            return wrong_verdict("no scheme exists".to_string());
        }
        (Ok(Ok(solution)), Ok(truth)) => (solution, &truth.throughput),
    };
    let verdict = match judge_solution(sample, &solution.0, solution.1) {
        Ok(tight) => Verdict::Holds { tight },
        Err(text) => Verdict::Wrong(format!("{formulation:?}: {text}")),
    };
    (verdict, Some(solution.0.certificate))
}

/// Whether the solution is optimal, or the fault in it.
fn judge_solution(sample: &Sample, solution: &Solution, truth: &Rational) -> Result<bool, String> {
    let Solution {
        upper_bound,
        status,
        certificate,
        ..
    } = solution;
    let reached = &solution.steady_state.throughput;
    if reached > truth {
        return Err(format!("throughput {reached}, but the best is {truth}"));
    }
    if upper_bound < truth {
        return Err(format!(
            "upper bound {upper_bound}, but the best is {truth}"
        ));
    }
    let optimal = *status == Status::Optimal;
    if optimal && reached != truth {
        return Err(format!(
            "{reached} is said to be optimal, but the best is {truth}"
        ));
    }
    match referee(sample, certificate) {
        Err(fault) => Err(format!("the referee refuses the certificate: {fault}")),
        // A scan's certificate may prove less, if the cheapest scheme itself had to be priced.
        Ok(proved) if proved > *upper_bound && !scans(&sample.collective) => Err(format!(
            "upper bound {upper_bound}, but the certificate proves {proved}"
        )),
        Ok(_) => Ok(optimal),
    }
}

fn scans(collective: &Collective) -> bool {
    collective
        .blocks()
        .iter()
        .any(|block| block.kind == oneport_plan::Kind::Prefix)
}

/// Whether the compact formulation does not support the problem.
fn may_refuse(fault: &LpError) -> bool {
    matches!(
        fault,
        LpError::NoCompact { .. }
            | LpError::CompactSwitches { .. }
            | LpError::CompactTooLarge { .. }
            | LpError::CompactCommutative
    )
}
