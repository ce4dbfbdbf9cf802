//! Parses `--counts`: the number of messages of each target, participant or pair.

use std::path::Path;

use oneport::plan::Form;
use oneport::{Collective, NodeId, Platform, count, files};

use crate::error::{QuestionError, Result, unfit, usage};
use crate::words::few;

/// Limit on the file.
const MAX_BYTES: u64 = 64 << 20;
/// Shown: nodes in a message.
const SHOWN: usize = 8;

/// The collective with its counts. A wrong number of counts is an error of the platform, a wrong syntax one of usage.
pub fn counted(
    platform: &Platform,
    collective: Collective,
    text: Option<&str>,
) -> Result<Collective> {
    let pairwise = collective.form().is_some_and(Form::is_pairwise);
    // Sources and targets of one message each come first. The counts are of the others.
    let nodes = collective
        .cast()
        .last()
        .copied()
        .unwrap_or_default()
        .to_vec();
    let wanted = Wanted {
        platform,
        nodes: &nodes,
        pairwise,
        name: collective.name(),
    };
    let text = text.ok_or_else(|| usage(format!("{} needs --counts: {wanted}", wanted.name)))?;
    let rows = rows(&read(text)?)?;
    let counts = if pairwise {
        wanted.others(rows)?
    } else {
        wanted.one_each(rows)?
    };
    collective
        .with_counts(&counts)
        .map_err(|error| unfit(format!("--counts: {error}")))
}

/// The text itself, or the content of its file.
fn read(text: &str) -> Result<String> {
    let Some(path) = text.strip_prefix('@') else {
        return Ok(text.to_string());
    };
    let bytes = files::source::read_bytes(Path::new(path), MAX_BYTES)
        .map_err(|error| unfit(format!("--counts: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| unfit(format!("--counts: {path} is no text in UTF-8")))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_string())
}

fn rows(text: &str) -> Result<Vec<Vec<u64>>> {
    let number = |count: &str| {
        count.trim().parse().map_err(|_| {
            usage(format!(
                "--counts: '{}' is no count; give a whole number from 0 to 2^64 - 1",
                count.trim()
            ))
        })
    };
    let row = |row: &str| row.split(',').map(number).collect();
    text.trim().split([';', '\n']).map(row).collect()
}

/// The counts that a collective needs.
struct Wanted<'a> {
    platform: &'a Platform,
    nodes: &'a [NodeId],
    pairwise: bool,
    name: &'static str,
}

impl std::fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self
            .nodes
            .iter()
            .map(|&node| format!("'{}'", self.platform.name(node)));
        let (nodes, names) = (self.nodes.len(), few(names, SHOWN, " and {} more"));
        if self.pairwise {
            write!(
                f,
                "{} of {} separated by ',', for {names}, in this order",
                count(nodes, "row"),
                count(nodes, "count")
            )
        } else {
            write!(f, "{}, for {names}, in this order", count(nodes, "count"))
        }
    }
}

impl Wanted<'_> {
    fn wrong(&self, given: String) -> QuestionError {
        unfit(format!("--counts: {given}; {} needs {self}", self.name))
    }

    /// One row, or a line for each node.
    fn one_each(&self, rows: Vec<Vec<u64>>) -> Result<Vec<u64>> {
        let counts = rows.concat();
        if counts.len() == self.nodes.len() {
            return Ok(counts);
        }
        Err(self.wrong(format!("{} given", are(counts.len(), "count"))))
    }

    /// The counts of all pairs. The diagonal, 0, is left out.
    fn others(&self, rows: Vec<Vec<u64>>) -> Result<Vec<u64>> {
        let nodes = self.nodes.len();
        if rows.len() != nodes {
            return Err(self.wrong(format!("{} given", are(rows.len(), "row"))));
        }
        let mut counts = Vec::with_capacity(nodes.saturating_mul(nodes));
        for (index, (row, &node)) in rows.into_iter().zip(self.nodes).enumerate() {
            let name = self.platform.name(node);
            if row.len() != nodes {
                let given = count(row.len(), "count");
                return Err(self.wrong(format!("the row of '{name}' has {given}")));
            }
            if row[index] != 0 {
                let sent = count(row[index], "message");
                return Err(self.wrong(format!(
                    "'{name}' would send {sent} to itself; write 0 there"
                )));
            }
            counts.extend(
                row.into_iter()
                    .enumerate()
                    .filter(|(other, _)| *other != index)
                    .map(|one| one.1),
            );
        }
        Ok(counts)
    }
}

fn are(number: usize, noun: &str) -> String {
    format!(
        "{} {}",
        count(number, noun),
        if number == 1 { "is" } else { "are" }
    )
}
