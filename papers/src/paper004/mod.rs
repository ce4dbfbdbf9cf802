//! RR-2004-32: a series of broadcasts where a node sends or receives, one at a time.

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
mod sweeps;
mod uncut;
mod unique;

use crate::chapter::Chapter;

/// The whole report.
pub const CHAPTER: Chapter = Chapter {
    stem: "004",
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
    ],
    figures: &[
        drawings::figures,
        sweeps::figures,
        ellipsoid::figures,
        asymptotic::figures,
    ],
};
