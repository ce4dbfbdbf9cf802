//! `docs/peers.md`: published results of other systems next to the proved optimum of the same platform.
//!
//! The published values are in `fixtures/peers.toml`. Ours are computed. Nothing published may beat a bound.

mod case;
mod platforms;

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use num_traits::Zero;
use oneport::files::write_atomically;
use oneport::{Rational, decimal};
use serde::Deserialize;

use crate::rows::root;
use case::{Case, Measure, Proved};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    peer: Vec<Peer>,
    absent: Vec<Absent>,
}

/// A system and its published results.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peer {
    name: String,
    measure: Measure,
    source: String,
    text: String,
    case: Vec<Case>,
}

/// Published results that cannot be compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Absent {
    what: String,
    reason: String,
}

const INTRODUCTION: &str = "\
# Published results and proved optima

Other systems have published results for known platforms. This page puts each result next to the optimum that oneport proves for the same
platform. `cargo xtask reproduce peers` writes the page, and a test compares it with the computed one. The published values are in
[fixtures/peers.toml](../fixtures/peers.toml), read from the sources named there. The optima are computed, and the referee recomputes them.
If a value begins with `<=` or `>=`, it is a bound that no known schedule attains.

The model counts bandwidth only: links are exclusive, messages may be cut into any parts, and one operation follows another without a break.
The systems also count latencies and whole chunks. The optimum contains neither, so each gap includes the cost of both. *Above* is the
excess of the published time over the least time. *Of its model* is a bound for the system's own model, if that model is stated. In it every
node receives whole chunks, in sequence over each link, with the latency of each chunk, and the total time is a whole number of epochs. The
second *above* is the excess over that bound. The bound considers one node at a time, so it is not always attained. `0` means equal to the
last published decimal. Decimals are cut off.
";

/// Writes the page.
pub fn write() -> Result<()> {
    let path = root().join("docs/peers.md");
    write_atomically(&path, page(&read()?)?.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Compares the page with the computed one.
///
/// # Errors
/// The first line that differs.
pub fn check() -> Result<()> {
    let found = std::fs::read_to_string(root().join("docs/peers.md")).context("docs/peers.md")?;
    let computed = page(&read()?)?;
    let differs = |(found, computed): (&str, &str)| found != computed;
    if let Some(line) = found.lines().zip(computed.lines()).position(differs) {
        bail!(
            "docs/peers.md:{}: this is not what is computed: run `cargo xtask reproduce peers`",
            line + 1
        );
    }
    ensure!(
        found == computed,
        "docs/peers.md ends too early or too late: run `cargo xtask reproduce peers`"
    );
    Ok(())
}

fn read() -> Result<File> {
    let path = root().join("fixtures/peers.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    toml::from_str(&text).context("fixtures/peers.toml")
}

/// The page.
fn page(file: &File) -> Result<String> {
    let mut text = INTRODUCTION.to_string();
    for peer in &file.peer {
        let _ = write!(
            text,
            "\n## {}\n\n{}\nSource: {}.\n\n",
            peer.name, peer.text, peer.source
        );
        text.push_str("| platform | collective | published | optimum | above | of its model | above | remarks |\n");
        text.push_str("|---|---|---:|---:|---:|---:|---:|---|\n");
        for case in &peer.case {
            let proved = case
                .prove(peer.measure)
                .with_context(|| peer.name.clone())?;
            let _ = writeln!(text, "{}", row(case, peer.measure, &proved));
        }
    }
    text.push_str("\n## Not compared\n\n");
    for absent in &file.absent {
        let _ = writeln!(text, "- {}: {}.", absent.what, absent.reason);
    }
    Ok(text)
}

/// A row of the table.
fn row(case: &Case, measure: Measure, proved: &Proved) -> String {
    let (unit, digits, worse) = match measure {
        Measure::Microseconds => (" us", 8, ">= "),
        Measure::Bandwidth => (" GB/s", 6, "<= "),
        Measure::Rounds => ("", 6, ">= "),
    };
    let number = |value: &Rational| match measure {
        Measure::Rounds => value.to_string(),
        _ => decimal(value, digits),
    };
    let published = if case.published.len() > digits + 1 {
        oneport::parse_rational(&case.published)
            .map_or_else(|_| case.published.clone(), |value| number(&value))
    } else {
        case.published.clone()
    };
    let optimum = format!(
        "{}{}{unit}",
        if proved.attained { "" } else { worse },
        number(&proved.optimum)
    );
    let (bound, beyond) = match &proved.of_model {
        Some((bound, above)) => (number(bound) + unit, percent(above)),
        None => ("-".to_string(), "-".to_string()),
    };
    let remarks: Vec<&str> = [Some(case.source.as_str()), case.note.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    format!(
        "| {} | {} | {published}{unit} | {optimum} | {} | {bound} | {beyond} | {} |",
        case.platform,
        case.collective,
        percent(&proved.above),
        remarks.join("; ")
    )
}

fn percent(part: &Rational) -> String {
    if part.is_zero() {
        "0".to_string()
    } else {
        oneport::percent(part)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_what_is_computed() -> anyhow::Result<()> {
        super::check()
    }
}
