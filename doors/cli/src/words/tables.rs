//! Tables.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Columns, if the output is not a terminal.
const WIDTH: u16 = 120;
/// Minimum width of a readable table.
const NARROWEST: u16 = 60;

/// A table without lines; numbers are in these columns, to the right.
pub fn plain(
    header: &[&str],
    numbers: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(header.to_vec());
    table.add_rows(rows);
    for &column in numbers {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A table without lines, as wide as the terminal at most.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.max(NARROWEST));
    let mut table = plain(header, &[], rows);
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    table.trim_fmt()
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
