//! Answers that are tables: times by size, and known algorithms beside the optimum.

use std::sync::Arc;

use oneport::watch::Watch;
use oneport::{Collective, Options, Platform};
use serde::Serialize;

use crate::asked::{Asked, label};
use crate::compare::{CompareAnswer, CompareNumbers};
use crate::error::Result;
use crate::idle::LeftOut;
use crate::latency::KnownLatencies;
use crate::platform::deaf;
use crate::question::{Ask, Question};
use crate::time::{TimeAnswer, TimeNumbers, Unsized};

/// The numbers of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Tabled {
    /// Times of one operation, by size.
    Time(TimeNumbers),
    /// Known algorithms beside the optimum.
    Compare(Box<CompareNumbers>),
}

/// A table, and the facts of its question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Nodes of the platform.
    pub nodes: usize,
    /// Its links.
    pub links: usize,
    /// The collective's name.
    pub collective: &'static str,
    /// The platform's port model.
    pub model: &'static str,
    /// Its units.
    pub units: Option<String>,
    /// The numbers.
    #[serde(flatten)]
    pub numbers: Tabled,
    /// Processors that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Table {
    fn of(
        platform: &Platform,
        collective: &Collective,
        left_out: &LeftOut,
        numbers: Tabled,
    ) -> Table {
        Table {
            nodes: platform.nodes().len(),
            links: platform.links().len(),
            collective: label(collective),
            model: platform.model().name(),
            units: platform.units().map(|units| units.to_string()),
            numbers,
            left_out: left_out.names().to_vec(),
        }
    }

    /// The table as JSON on one line.
    pub fn to_json(&self) -> String {
        // It has no map of other keys than texts.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The platform of a question for times or a comparison. If the question is about times, it has latencies.
pub(crate) fn read_platform(question: &Question) -> Result<(Platform, KnownLatencies)> {
    if question.ask == Ask::Compare && !question.is_sized() {
        let platform = question.read_platform(&deaf)?;
        return Ok((platform, KnownLatencies::default()));
    }
    question.read_platform_for_times(&deaf)
}

/// Answers a question for times or a comparison on its platform.
///
/// # Errors
/// As [`TimeAnswer::of`] and [`CompareAnswer::of`].
pub(crate) fn on(
    question: &Question,
    platform: Platform,
    latencies: KnownLatencies,
    watch: Watch,
) -> Result<Table> {
    let options = Options::default().watched(watch);
    if question.ask == Ask::Compare {
        let asked = Asked::read(platform, question)?;
        let answer = CompareAnswer::on(question, asked, latencies, &options, &deaf)?;
        let problem = &answer.problem;
        let numbers = Tabled::Compare(Box::new(answer.numbers()));
        return Ok(Table::of(
            problem.platform(),
            problem.collective(),
            &answer.left_out,
            numbers,
        ));
    }
    let asked = Unsized::read(platform, question)?;
    let answer = TimeAnswer::on(question, asked, latencies, &options)?;
    let problem = &answer.problem;
    let numbers = Tabled::Time(answer.numbers());
    Ok(Table::of(
        problem.platform(),
        problem.collective(),
        &answer.left_out,
        numbers,
    ))
}

/// Answers a question for times or a comparison. The watch limits the search.
///
/// # Errors
/// The errors of [`TimeAnswer::of`] and [`CompareAnswer::of`]. A question of another kind is answered as one for times.
pub fn tabled(question: &Question, watch: Watch) -> Result<Table> {
    let (platform, latencies) = read_platform(question)?;
    on(question, platform, latencies, watch)
}

/// The platform without processors that are left out, and the collective on it.
pub(crate) fn of_collective(
    question: &Question,
    platform: &Platform,
) -> Result<(Arc<Platform>, Arc<Collective>)> {
    let asked = Unsized::read(platform.clone(), question)?;
    Ok((asked.platform, asked.collective))
}
