//! Tables: as text, CSV, Markdown and LaTeX.

use std::fmt;

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use oneport::units::{Dimension, Quantity};
use oneport::{Rational, Units, parse_rational};

use crate::words::numbers::decimal;

/// Columns, if the output is not a terminal.
const WIDTH: u16 = 120;
/// Minimum width of a readable table.
const NARROWEST: u16 = 60;

/// How a table is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// The whole answer as text.
    #[default]
    Text,
    /// The table as comma-separated values: plain numbers, units in the heading.
    Csv,
    /// The table in Markdown.
    Md,
    /// The table as a tabular of LaTeX.
    Latex,
}

/// The option of commands that print a table.
#[derive(Debug, Clone, Default, Args)]
pub struct FormatArguments {
    /// Print the table alone, in this format.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TableFormat::Text, conflicts_with = "json")]
    pub format: TableFormat,
}

/// A table: its heading, its rows, and which columns hold numbers.
#[derive(Debug, Clone)]
pub struct Sheet {
    header: Vec<String>,
    numbers: Vec<usize>,
    rows: Vec<Vec<String>>,
}

/// A table without lines. These columns hold numbers, which stand to the right.
pub fn plain(
    header: &[&str],
    numbers: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Sheet {
    Sheet {
        header: header.iter().map(ToString::to_string).collect(),
        numbers: numbers.to_vec(),
        rows: rows.into_iter().collect(),
    }
}

/// The table as text, without lines. `None` limits no width.
fn text(sheet: &Sheet, width: Option<u16>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(sheet.header.clone());
    table.add_rows(sheet.rows.iter().cloned());
    for &column in &sheet.numbers {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if let Some(width) = width {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width.max(NARROWEST));
    }
    table
}

/// Columns of the terminal. `None` if the output is not a terminal.
pub fn terminal() -> Option<u16> {
    terminal_size::terminal_size().map(|(width, _)| width.0)
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.trim_fmt())
    }
}

impl Sheet {
    /// The text without blanks at the ends of lines.
    pub fn trim_fmt(&self) -> String {
        text(self, terminal()).trim_fmt()
    }

    /// The table in a format.
    pub fn show(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Text => self.trim_fmt(),
            TableFormat::Csv => self.csv(),
            TableFormat::Md => self.markdown(),
            TableFormat::Latex => self.latex(),
        }
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        [&self.header].into_iter().chain(&self.rows)
    }

    fn csv(&self) -> String {
        let mut sheet = self.clone();
        for column in 0..self.header.len() {
            sheet.make_plain(column);
        }
        let cell = |text: &String| {
            if text.contains([',', '"', '\n']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.clone()
            }
        };
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",");
        sheet.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Numbers of one dimension as plain numbers, with their unit in the heading. Other columns stay as they are.
    fn make_plain(&mut self, column: usize) {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let cells: Vec<&str> = cells.map(String::as_str).collect();
        let is_empty = |cell: &str| cell.is_empty() || cell == "-";
        let mut known = cells
            .iter()
            .filter(|cell| !is_empty(cell))
            .map(|cell| measured(cell));
        let Some(Some((_, unit))) = known.next() else {
            return;
        };
        if !known.all(|other| other.is_some_and(|(_, other)| other == unit)) {
            return;
        }
        let plain: Vec<String> = cells
            .iter()
            .map(|cell| measured(cell).map_or_else(String::new, |(value, _)| decimal(&value)))
            .collect();
        for (row, plain) in self.rows.iter_mut().zip(plain) {
            if let Some(cell) = row.get_mut(column) {
                *cell = plain;
            }
        }
        if let Some(name) = self.header.get_mut(column).filter(|_| !unit.is_empty()) {
            *name = format!("{name} ({unit})").trim_start().to_string();
        }
    }

    fn markdown(&self) -> String {
        let cell = |text: &String| text.replace('|', "\\|");
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(cell).collect();
            format!("| {} |", cells.join(" | "))
        };
        let rule = (0..self.header.len()).map(|column| match self.numbers.contains(&column) {
            true => "---:",
            false => "---",
        });
        let rule = format!("| {} |", rule.collect::<Vec<_>>().join(" | "));
        let mut lines: Vec<String> = self.lines().map(line).collect();
        lines.insert(1, rule);
        lines.join("\n")
    }

    fn latex(&self) -> String {
        let columns = (0..self.header.len()).map(|column| match self.numbers.contains(&column) {
            true => 'r',
            false => 'l',
        });
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(|text| escaped(text)).collect();
            format!("{} \\\\", cells.join(" & "))
        };
        let mut lines: Vec<String> = self.lines().map(line).collect();
        lines.insert(1, "\\hline".to_string());
        format!(
            "\\begin{{tabular}}{{{}}}\n{}\n\\end{{tabular}}",
            columns.collect::<String>(),
            lines.join("\n")
        )
    }
}

/// The value of a cell and its unit: `GB/s`, `s`, `bytes`, `%` or empty. `None` if the cell holds no such number.
fn measured(cell: &str) -> Option<(Rational, &'static str)> {
    let text = cell.trim().trim_start_matches('+');
    if let Some(percent) = text.strip_suffix('%') {
        return Some((parse_rational(percent.trim_end()).ok()?, "%"));
    }
    let quantity = Quantity::parse(text).ok()?;
    let (gigabytes, bytes) = (Units::gigabytes_and_seconds(), Units::bytes_and_seconds());
    match quantity.dimension {
        Dimension::Number => Some((parse_rational(text).ok()?, "")),
        Dimension::Rate => Some((gigabytes.rate(&quantity, text).ok()?, "GB/s")),
        Dimension::Time => Some((gigabytes.time(&quantity, text).ok()?, "s")),
        Dimension::Data => Some((bytes.data(&quantity, text).ok()?, "bytes")),
        _ => None,
    }
}

/// The text for LaTeX.
fn escaped(text: &str) -> String {
    let letter = |letter: char| match letter {
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{letter}"),
        '~' => "\\textasciitilde{}".to_string(),
        '^' => "\\textasciicircum{}".to_string(),
        '\\' => "\\textbackslash{}".to_string(),
        '<' => "$<$".to_string(),
        '>' => "$>$".to_string(),
        letter => letter.to_string(),
    };
    text.chars().map(letter).collect()
}

/// A table without lines, as wide as the terminal at most.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    wide(&plain(header, &[], rows))
}

/// The table as text, as wide as the terminal at most.
pub fn wide(sheet: &Sheet) -> String {
    text(sheet, Some(terminal().unwrap_or(WIDTH))).trim_fmt()
}

/// A table of at most `most` rows, and the number of rows left out.
pub fn first(header: &[&str], rows: Vec<Vec<String>>, most: usize, all: &str) -> String {
    let rest = rows.len().saturating_sub(most);
    let shown = table(header, rows.into_iter().take(most));
    if rest > 0 {
        format!("{shown}\n  ... and {rest} more; {all} lists all")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let row = |cells: [&str; 4]| cells.map(String::from).to_vec();
        plain(
            &["who", "busbw", "time", "of the bound"],
            &[1, 2, 3],
            [
                row(["a_b, \"c\"", "25 GB/s", "5 ms", "50 %"]),
                row(["x|y", "500 MB/s", "2 s", "-"]),
            ],
        )
    }

    #[test]
    fn csv_has_plain_numbers_and_units_in_its_heading() {
        let lines = [
            "who,busbw (GB/s),time (s),of the bound (%)",
            "\"a_b, \"\"c\"\"\",25,0.005,50",
            "x|y,0.5,2,",
        ];
        assert_eq!(sheet().show(TableFormat::Csv), lines.join("\n"));
        // Texts among the numbers keep a column as it is.
        let mixed = plain(&["n"], &[], [vec!["1 s".into()], vec!["far".into()]]);
        assert_eq!(mixed.show(TableFormat::Csv), "n\n1 s\nfar");
    }

    #[test]
    fn markdown_and_latex_keep_their_signs_apart() {
        let lines = [
            "| who | busbw | time | of the bound |",
            "| --- | ---: | ---: | ---: |",
            "| a_b, \"c\" | 25 GB/s | 5 ms | 50 % |",
            "| x\\|y | 500 MB/s | 2 s | - |",
        ];
        assert_eq!(sheet().show(TableFormat::Md), lines.join("\n"));
        let latex = sheet().show(TableFormat::Latex);
        assert!(
            latex.starts_with("\\begin{tabular}{lrrr}\nwho & busbw"),
            "{latex}"
        );
        assert!(
            latex.contains("a\\_b, \"c\" & 25 GB/s & 5 ms & 50 \\% \\\\"),
            "{latex}"
        );
    }
}
