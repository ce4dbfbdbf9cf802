//! RR-2004-32: a series of broadcasts in which a node either sends or receives at any time.

mod asymptotic;
mod collectives;
mod drawings;
mod ellipsoid;
pub mod errata;
mod example;
mod exhaustive;
mod figure_2;
mod gadget;
mod platforms;
mod program;
mod section_7;
mod sweeps;
mod uncut;
mod unique;

use crate::chapter::Chapter;

/// The chapter of the report.
pub const CHAPTER: Chapter = Chapter {
    number: "004",
    stem: "rr2004_32",
    checks: &[
        example::CHECKS,
        figure_2::CHECKS,
        errata::CHECKS,
        sweeps::CHECKS,
        ellipsoid::CHECKS,
        collectives::CHECKS,
        gadget::CHECKS,
        asymptotic::CHECKS,
        uncut::CHECKS,
        section_7::CHECKS,
    ],
    figures: &[
        drawings::figures,
        sweeps::figures,
        ellipsoid::figures,
        asymptotic::figures,
    ],
};

#[cfg(test)]
mod tests {
    use anyhow::{Result, ensure};

    use super::CHAPTER;
    use crate::rows::{Paper, judge_some};

    /// The verdict of each of these rows is the expected one.
    fn hold(rows: &[&str]) -> Result<()> {
        let paper = Paper::load(CHAPTER.stem)?;
        let judged = judge_some(&paper, &CHAPTER.checks.concat(), |id| rows.contains(&id))?;
        ensure!(judged.len() == rows.len(), "a row is missing");
        for judged in judged {
            let found = judged.verdict.as_ref().ok().copied();
            ensure!(
                found == Some(judged.row.verdict),
                "{}: {} ({:?})",
                judged.row.id,
                judged.ours,
                judged.verdict
            );
        }
        Ok(())
    }

    #[test]
    fn rows_that_take_a_moment() -> Result<()> {
        hold(&[
            "bidirectional-solution",
            "figure-1-costs",
            "figure-2-costs",
            "spanning-trees",
            "owners-in-gadgets",
            "gadget-relays",
            "fastest-first",
            "three-times",
        ])
    }

    #[test]
    #[ignore = "long: a minute"]
    fn rows_of_the_ellipsoid_method() -> Result<()> {
        hold(&[
            "definitions-2-5",
            "definition-4",
            "theorem-1",
            "theorem-2",
            "theorem-3-method",
            "ellipsoid-4-1",
            "ellipsoid-4-2",
            "ellipsoid-4-3",
            "atomic-flavours",
        ])
    }
}
