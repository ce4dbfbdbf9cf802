//! RR-7898: one reduction with equal costs, transfers and merges overlapping.

mod brute;
mod checked;
pub mod errata;
mod figure2;
mod theorems;

use anyhow::{Result, ensure};
use num_traits::Zero;
use oneport::Rational;
use oneport::homogeneous::Strategy;
use oneport::plan::Concurrency;
use oneport_drawings::svg;

use crate::chapter::Chapter;
use crate::figures::Figure;
use crate::numbers::whole;
use crate::rows::{Check, Finding, Value};
use checked::{COSTS, reduce};

/// The whole report.
pub const CHAPTER: Chapter = Chapter {
    number: "002",
    stem: "canon_antoniu",
    checks: &[CHECKS, theorems::CHECKS],
    figures: &[figures],
};

const CHECKS: &[(&str, Check)] = &[
    ("figure-1", |_| figure_1()),
    ("figure-1-length", |_| {
        Ok(Finding::value(
            reduce(4, 1, 1, Strategy::Greedy, Concurrency::Unlimited)?.length,
        ))
    }),
    ("one-machine", |_| one_machine()),
    ("no-overlap", |_| no_overlap()),
    ("proposition-2", |_| {
        Ok(errata::largest_first()?
            .finding()
            .note("transfers at 0 and 10, d = c = 1"))
    }),
    ("proposition-3", |_| theorems::default_times()),
    ("lemma-5-sizes", |_| {
        Ok(errata::sizes_in_the_proof()
            .finding()
            .note("k = 1: both parts of a reduction of 5"))
    }),
    ("algorithm-2-line-14", |_| {
        Ok(errata::starts_too_late()?
            .finding()
            .note("n = 2, K = 1, d = c = 1: the last merge ends"))
    }),
    ("algorithm-2-line-8", |_| {
        Ok(errata::before_the_first()?
            .finding()
            .note("n = 4, K = 2: where t_(i-K) is looked up"))
    }),
    ("proposition-8", |_| {
        Ok(errata::bound_of_limited_transfers()?
            .finding()
            .note("n = 6, K = 3, d = 1, c = 0; Algorithm 2 takes 3"))
    }),
    ("corollary-11", |_| {
        Ok(errata::bound_of_limited_reducers()?
            .finding()
            .note("n = 6, K = 3, d = 1, c = 0; Algorithm 3 takes 3"))
    }),
    ("figure-2", |_| figure2::within_three_halves()),
    ("figure-2-limits", |_| figure2::limits()),
    ("conjecture", |_| figure2::conjecture()),
    ("cited-bound", |paper| {
        Ok(Finding::value(errata::cited_bound(paper)?))
    }),
    ("related-work", |_| {
        Ok(Finding::value(errata::slowest_first_over_optimum()?)
            .note("slowest node first is a 2-approximation, and claims no more"))
    }),
    ("theorem-14-free", |_| {
        Ok(errata::no_costs_binomial()?
            .finding()
            .note("without costs every tree takes no time; of the n up to 10 that were tried"))
    }),
    ("theorem-17-free", |_| {
        Ok(errata::no_costs_fibonacci()?
            .finding()
            .note("without costs every tree takes no time; of the n up to 10 that were tried"))
    }),
    ("half", |_| theorems::half()),
    ("proposition-3-time", |_| theorems::linear_time()),
];

/// Figure 1: four values with d = c, and the dates of the three transfers.
fn figure_1() -> Result<Finding> {
    let reduction = reduce(4, 1, 1, Strategy::Greedy, Concurrency::Unlimited)?;
    let mut dates: Vec<Rational> = (1..4)
        .filter_map(|sender| reduction.starts.get(sender))
        .collect();
    // The paper's machines 2, 3, 4 are numbered backwards in time.
    dates.sort_by(|a, b| b.cmp(a));
    Ok(Finding::value(Value::List(
        dates.into_iter().map(Value::Number).collect(),
    )))
}

/// Section 3.1: k values on one machine take d + (k - 1) max(d, c) + c.
fn one_machine() -> Result<Finding> {
    let mut tried = 0;
    for (d, c) in COSTS {
        for k in 1..=12 {
            let flat = reduce(k + 1, d, c, Strategy::Flat, Concurrency::Unlimited)?.length;
            let formula = if d < c { d + k * c } else { k * d + c };
            ensure!(
                formula == d + (k - 1) * d.max(c) + c,
                "the two formulas differ at d = {d}, c = {c}, k = {k}"
            );
            ensure!(
                flat == whole(formula),
                "d = {d}, c = {c}, k = {k}: {flat}, not {formula}"
            );
            tried += 1;
        }
    }
    Ok(Finding::claim(
        true,
        format!("{tried} flat trees, both formulas"),
    ))
}

/// Section 3.1: without overlap, k values take k (d + c): the transfer's cost moves into the merge's.
fn no_overlap() -> Result<Finding> {
    for (d, c) in COSTS {
        for k in 1..=12 {
            let flat = reduce(k + 1, 0, d + c, Strategy::Flat, Concurrency::Unlimited)?.length;
            ensure!(
                flat == whole(k * (d + c)),
                "d = {d}, c = {c}, k = {k}: {flat}"
            );
        }
    }
    Ok(Finding::claim(true, format!("{} cases", COSTS.len() * 12)))
}

fn figures() -> Result<Vec<Figure>> {
    let four = reduce(4, 1, 1, Strategy::Greedy, Concurrency::Unlimited)?;
    let limited = reduce(16, 2, 1, Strategy::Greedy, Concurrency::Transfers(3))?;
    let mut figures = vec![
        Figure::svg(
            "RR-7898, figure 1: schedule",
            "Four values, d = c.",
            svg::reduction_gantt(&four),
        ),
        Figure::svg(
            "RR-7898, figure 1: spanning tree",
            "The sink is at the top.",
            svg::single_tree(&four),
        ),
        Figure::svg(
            "Algorithm 2: sixteen values, at most three transfers at once",
            "d = 2, c = 1; the last loop corrected (E002-3).",
            svg::reduction_gantt(&limited),
        ),
    ];
    for (title, strategy, n) in [
        ("Binomial tree of order 4", Strategy::Binomial, 16),
        ("Fibonacci tree of order 5", Strategy::Fibonacci, 13),
    ] {
        let tree = reduce(n, 1, 1, strategy, Concurrency::Unlimited)?;
        ensure!(!tree.length.is_zero(), "an empty schedule");
        figures.push(Figure::svg(title, "d = c = 1.", svg::single_tree(&tree)));
    }
    figures.extend(figure2::figures()?);
    Ok(figures)
}
