//! One paper: its rows and the checks that compute ours.

use anyhow::Result;

use crate::figures::Figure;
use crate::rows::{self, Check, Judged, Paper};

/// One paper: its rows and the checks that compute ours.
pub struct Chapter {
    /// Its number, with which the ids of its errata begin.
    pub number: &'static str,
    /// Its fixture, `fixtures/papers/STEM.toml`.
    pub stem: &'static str,
    /// Per row, the function that computes our value, in parts.
    pub checks: &'static [&'static [(&'static str, Check)]],
    /// Drawings and tables, part by part.
    pub figures: &'static [fn() -> Result<Vec<Figure>>],
}

impl Chapter {
    /// Compares every row of the paper with ours.
    pub fn judge(&self, paper: &Paper) -> Result<Vec<Judged>> {
        rows::judge_all(paper, &self.checks.concat())
    }

    /// Makes the drawings and tables.
    pub fn draw(&self) -> Result<Vec<Figure>> {
        let parts: Vec<_> = self
            .figures
            .iter()
            .map(|figures| figures())
            .collect::<Result<_>>()?;
        Ok(parts.concat())
    }
}
