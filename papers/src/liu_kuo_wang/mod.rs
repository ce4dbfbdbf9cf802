//! Liu-Kuo-Wang 2009: one reduction over processors of unequal speeds.

pub mod brute;
mod checked;
pub mod errata;
mod exchanges;
mod figure_17;
pub mod figures;
mod pictures;
mod searches;
pub mod tables;
mod theorems;
mod third;

use crate::chapter::Chapter;
use crate::rows::{Check, Finding};

/// The chapter of the report.
pub const CHAPTER: Chapter = Chapter {
    number: "001",
    stem: "liu_kuo_wang",
    checks: &[
        figures::CHECKS,
        figure_17::CHECKS,
        theorems::CHECKS,
        searches::CHECKS,
        tables::CHECKS,
        third::CHECKS,
        ERRATA,
    ],
    figures: &[
        figures::figures,
        figure_17::figures,
        searches::figures,
        tables::figures,
    ],
};

const ERRATA: &[(&str, Check)] = &[
    ("start", |_| {
        Ok(errata::starts_at_its_start()?
            .finding()
            .note("the window [s(p), c(s, p)] starts there"))
    }),
    ("theorem-1-proof", |_| {
        let (sides, stop) = errata::exchange_breaks_multiples()?;
        let [from, to] = stop.window;
        Ok(sides.finding().note(format!(
            "25 senders, optimal and in the form of corollary 1: after {} moves p, of time {}, starts at {}, within the window [{from}, {to}] of \
             a faster sender; the theorem holds",
            stop.moves, stop.time, stop.start
        )))
    }),
    ("theorem-4-proof", |_| {
        let (sides, stop) = errata::no_two_levels()?;
        let [from, to] = stop.window;
        Ok(sides.finding().note(format!(
            "39 senders of times 7 and 3, optimal and in the form of corollary 1: after {} moves p starts at {}, within the window [{from}, {to}] \
             of q; the theorem holds, docs/theory.md proves it",
            stop.moves, stop.start
        )))
    }),
    ("point-c", |_| {
        Ok(errata::point_c()?.finding().note(
            "t_f = 2, t_s = 3: S(A) = 5 is more than S(B) + 1 = 4, so the first case does not apply; other columns have the 8 too",
        ))
    }),
    ("summary", |_| {
        Ok(errata::powers_of_two()
            .finding()
            .note("times 1, 3 and 6; the claim holds (row above), its proof is ours"))
    }),
    ("ratio-two", |_| {
        Ok(errata::ratio_of_two()?
            .finding()
            .note("speed ratios from 1 to 3 for which SNF fails on 3 slow and 8 fast"))
    }),
    ("within-15", |paper| {
        Ok(errata::within_seconds(paper)?
            .finding()
            .note("table 1, P = 21"))
    }),
    ("lemma-3-order", |_| {
        let (holds, tried) = theorems::order_in_lemma_3()?;
        Ok(Finding::value(holds).note(format!(
            "{tried} rearrangements; p ends before q2 starts, or when it does, in all of them"
        )))
    }),
    ("sequences", |_| {
        Ok(errata::length_of_sequences()?
            .finding()
            .note("the length whose expected tree size fits the printed means"))
    }),
    ("naive-count", |_| {
        Ok(errata::naive_count()?
            .finding()
            .note("f = s = 150: the text's ceil(s (f - 1) / 2) against all pairs"))
    }),
    ("third-algorithm", |paper| {
        Ok(errata::third_algorithm(paper)?
            .finding()
            .note("cells of tables 3 and 4, not counting zeros"))
    }),
    ("time-ratio", |paper| {
        Ok(errata::time_ratio(paper)?
            .finding()
            .note("P = 21: 8173.73 / 15.28"))
    }),
];
