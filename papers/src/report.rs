//! The results of all chapters, and their forms: terminal, Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use comfy_table::{ContentArrangement, Table, presets};

use crate::figures::{Body, Figure};
use crate::networks::{self, Networks};
use crate::rows::{Judged, Paper, RowKind, Verdict};

/// The kinds of row.
pub const KINDS: [(RowKind, &str); 5] = [
    (RowKind::Printed, "a value that the paper prints"),
    (
        RowKind::Yields,
        "what a printed program or formula yields, carried out as printed",
    ),
    (RowKind::Theorem, "a statement of the paper"),
    (
        RowKind::Trend,
        "a tendency of experiments that cannot be repeated as they were",
    ),
    (
        RowKind::Ours,
        "a statement of ours about what the paper shows",
    ),
];

/// Meaning of the verdicts.
pub const VERDICTS: [(Verdict, &str); 5] = [
    (
        Verdict::Exact,
        "ours equals the printed value; if a printed value was used, the note names it",
    ),
    (Verdict::Holds, "true wherever it was tried"),
    (
        Verdict::Corrected,
        "the paper is wrong; the erratum says why",
    ),
    (
        Verdict::NotReproducible,
        "cannot be computed from what we have",
    ),
    (Verdict::Open, "neither proved nor refuted"),
];

/// Title of the section on rows that are not reproducible or open.
pub const LOST: &str = "What nobody could reproduce";
/// Heads of its table.
pub const LOST_HEADER: [&str; 4] = ["paper", "where", "what", "why"];

/// Width of the terminal's tables, in characters.
const WIDTH: u16 = 130;

/// One paper with its outcome.
pub struct Section {
    /// Its printed values.
    pub paper: Paper,
    /// Every row, judged.
    pub rows: Vec<Judged>,
    /// Drawings and tables.
    pub figures: Vec<Figure>,
}

/// Everything.
pub struct Report {
    /// Per paper.
    pub sections: Vec<Section>,
    /// Real networks.
    pub networks: Networks,
    /// Entries of `docs/errata.md`: id and title.
    pub errata: Vec<(String, String)>,
    /// Time taken, in seconds.
    pub seconds: f64,
}

impl Report {
    /// Rows with an unexpected verdict: "RR-4872 row-id: why".
    pub fn failures(&self) -> Vec<String> {
        let rows = self
            .sections
            .iter()
            .flat_map(|section| section.rows.iter().map(move |row| (section, row)));
        rows.filter_map(|(section, judged)| {
            let why = judged.verdict.as_ref().err()?;
            Some(format!(
                "{} row '{}' ({}): {why}",
                section.paper.name, judged.row.id, judged.row.place
            ))
        })
        .chain(self.missing_figures())
        .collect()
    }

    /// Rows that name a figure which the report does not have.
    fn missing_figures(&self) -> Vec<String> {
        let titles: BTreeSet<&str> = self.figures().map(|figure| figure.title.as_str()).collect();
        let rows = self
            .sections
            .iter()
            .flat_map(|section| section.rows.iter().map(move |row| (section, &row.row)));
        let missing = rows
            .flat_map(|(section, row)| row.drawn.iter().map(move |title| (section, row, title)));
        missing
            .filter(|(_, _, title)| !titles.contains(title.as_str()))
            .map(|(section, row, title)| {
                format!(
                    "{} row '{}': no figure '{title}'",
                    section.paper.name, row.id
                )
            })
            .collect()
    }

    /// Number of rows with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let rows = self.sections.iter().flat_map(|section| &section.rows);
        rows.filter(|judged| judged.verdict == Ok(verdict)).count()
    }

    /// "40 rows: 20 exact, 10 holds, 9 corrected, 1 not reproducible".
    pub fn summary(&self) -> String {
        let total: usize = self.sections.iter().map(|section| section.rows.len()).sum();
        let counts =
            Verdict::ALL.map(|verdict| format!("{} {}", self.count(verdict), verdict.name()));
        let failures = self.failures().len();
        let unexpected = if failures > 0 {
            format!(", {failures} UNEXPECTED")
        } else {
            String::new()
        };
        format!("{total} rows: {}{unexpected}", counts.join(", "))
    }

    /// Number of statements of ours that hold.
    pub fn ours(&self) -> usize {
        let rows = self.sections.iter().flat_map(|section| &section.rows);
        rows.filter(|judged| {
            judged.verdict == Ok(Verdict::Holds) && judged.row.kind == RowKind::Ours
        })
        .count()
    }

    /// Rows that are not reproducible or open: paper, place, subject, reason.
    pub fn lost(&self) -> Vec<[String; 4]> {
        let lost = |section: &Section, judged: &Judged| {
            let row = &judged.row;
            let (paper, place) = (section.paper.name.clone(), row.place.clone());
            Some([paper, place, row.what.clone(), row.reason.clone()?])
        };
        self.sections
            .iter()
            .flat_map(|section| {
                section
                    .rows
                    .iter()
                    .filter_map(move |row| lost(section, row))
            })
            .collect()
    }

    /// Tables for the terminal.
    pub fn terminal(&self) -> String {
        let mut out = String::new();
        for section in &self.sections {
            let _ = writeln!(out, "{}: {}\n", section.paper.name, section.paper.title);
            let mut table = table(&["where", "what", "kind", "stated", "ours", "verdict"]);
            for judged in &section.rows {
                let row = &judged.row;
                let (kind, stated) = (row.kind.name().to_string(), row.stated.to_string());
                table.add_row([
                    &row.place,
                    &row.what,
                    &kind,
                    &stated,
                    &judged.ours,
                    &verdict(judged),
                ]);
            }
            let _ = writeln!(out, "{}\n", table.trim_fmt());
        }
        let _ = writeln!(out, "Networks\n");
        let mut table = table(&[&["network", "collective"][..], &networks::HEADER].concat());
        for row in &self.networks.rows {
            table.add_row(
                [&row.network, &row.collective]
                    .into_iter()
                    .chain(&row.cells),
            );
        }
        let _ = writeln!(out, "{}\n", table.trim_fmt());
        for note in &self.networks.notes {
            let _ = writeln!(out, "{note}");
        }
        out
    }

    /// The report as Markdown. Drawings are separate files.
    pub fn markdown(&self) -> String {
        let mut out = format!(
            "# The papers against oneport\n\n{} ({:.1} s).\n\n{}\n\n{}\n",
            self.summary(),
            self.seconds,
            KINDS
                .map(|(kind, meaning)| format!("`{}`: {meaning}.", kind.name()))
                .join(" "),
            VERDICTS
                .map(|(verdict, meaning)| format!("`{}`: {meaning}.", verdict.name()))
                .join(" "),
        );
        for section in &self.sections {
            let _ = write!(
                out,
                "\n## {}\n\n{}. {}.\n\n",
                section.paper.name, section.paper.title, section.paper.source
            );
            let rows = section.rows.iter().map(|judged| {
                let row = &judged.row;
                vec![
                    format!("{} (`{}`)", row.place, row.id),
                    row.what.clone(),
                    row.kind.name().to_string(),
                    row.stated.to_string(),
                    judged.ours.clone(),
                    verdict(judged),
                    noted(judged),
                ]
            });
            markdown_table(
                &mut out,
                &["where", "what", "kind", "stated", "ours", "verdict", "note"].map(str::to_string),
                rows,
            );
            markdown_figures(&mut out, &section.figures);
        }
        out.push_str("\n## Networks\n\n");
        let header: Vec<String> = ["network", "collective"]
            .iter()
            .chain(&networks::HEADER)
            .map(ToString::to_string)
            .collect();
        let rows = self.networks.rows.iter();
        let rows = rows.map(|row| {
            [&row.network, &row.collective]
                .into_iter()
                .chain(&row.cells)
                .cloned()
                .collect()
        });
        markdown_table(&mut out, &header, rows);
        for note in &self.networks.notes {
            let _ = write!(out, "\n{note}\n");
        }
        markdown_figures(&mut out, &self.networks.figures);
        let _ = write!(out, "\n## {LOST}\n\n");
        let header = LOST_HEADER.map(str::to_string);
        markdown_table(
            &mut out,
            &header,
            self.lost().into_iter().map(|row| row.to_vec()),
        );
        out.push_str("\n## Errata\n\n");
        for (id, title) in &self.errata {
            let _ = writeln!(out, "- {id}: {title}");
        }
        out
    }

    /// All figures, in order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections
            .iter()
            .flat_map(|section| &section.figures)
            .chain(&self.networks.figures)
    }
}

/// The note, and which figures draw the row.
fn noted(judged: &Judged) -> String {
    let drawn = judged
        .row
        .drawn
        .iter()
        .map(|title| format!("drawn: {title}"));
    let note = (!judged.note.is_empty()).then(|| judged.note.clone());
    note.into_iter().chain(drawn).collect::<Vec<_>>().join("; ")
}

/// The verdict with its erratum.
pub fn verdict(judged: &Judged) -> String {
    match (&judged.verdict, &judged.row.erratum) {
        (Ok(verdict), Some(erratum)) => format!("{} ({erratum})", verdict.name()),
        (Ok(verdict), None) => verdict.name().to_string(),
        (Err(why), _) => format!("UNEXPECTED: {why}"),
    }
}

/// A figure's file name, without folder and extension, from its title.
pub fn file_name(title: &str) -> String {
    let letters = title.to_lowercase();
    let words = letters
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    table.set_header(header.to_vec());
    table
}

fn markdown_table(out: &mut String, header: &[String], rows: impl Iterator<Item = Vec<String>>) {
    let mut line = |cells: &[String]| {
        let cells: Vec<String> = cells
            .iter()
            .map(|cell| cell.replace('|', "\\|").replace('<', "&lt;"))
            .collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    line(header);
    line(&vec!["---".to_string(); header.len()]);
    for row in rows {
        line(&row);
    }
}

fn markdown_figures(out: &mut String, figures: &[Figure]) {
    for figure in figures {
        let _ = write!(out, "\n### {}\n\n{}\n\n", figure.title, figure.caption);
        match &figure.body {
            Body::Svg(_) => {
                let _ = writeln!(
                    out,
                    "![{}](figures/{}.svg)",
                    figure.title,
                    file_name(&figure.title)
                );
            }
            Body::Table { header, rows } => markdown_table(out, header, rows.iter().cloned()),
        }
    }
}
