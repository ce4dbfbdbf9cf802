//! Bandwidth matrices: entry (i, j) is the bandwidth from node i to node j.
//!
//! `n` rows of `n` cells, separated by semicolons, commas, tabs or spaces (the first of these that the first row holds
//! `n` rows of `n` cells, separated by semicolons, commas, tabs or spaces (the first of these that the first row holds
//! outside quotes). An optional first row names the columns, an optional first column the rows. A first row is a row of
//! names if one of its cells is not a number. `0`, `-`, `N/A` or nothing means no link. The diagonal is ignored. Lines
//! that start with `#` and blank lines are comments. Every node is a processor with compute 1. Without names the nodes
//! are `P0`, `P1`, ... A link costs 1 / bandwidth. If the top left cell, else a comment above the first row, gives
//! units of rate, such as `Gbit/s`, they are the units of all cells. Processors then merge at
//! [`DEFAULT_MERGE_RATE`](oneport_platform::DEFAULT_MERGE_RATE), because the file gives no rate of merging.

use std::borrow::Cow;
use std::fmt::Write as _;

use num_traits::{One, Signed, Zero};
use oneport_platform::units::UnitError;
use oneport_platform::{
    LinkId, Node, Platform, PlatformError, PortModel, Rational, Units, default_merge_time,
    parse_rational, work_as_data,
};

use crate::error::{FormatError, Mistake, clip, quoted};
use crate::source::{Source, refused};

/// Most nodes of a matrix: a full one of this size has four million links.
const MAX_NODES: usize = 2000;
/// Top left cell of the matrices written here. No number, so that the first row is one of names.
const CORNER: &str = "from\\to";

/// One line of cells.
#[derive(Clone, Copy)]
struct CellLine<'a> {
    offset: usize,
    text: &'a str,
}

#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Mark(char),
    Space,
}

/// Reads a whole file.
pub(crate) fn read(source: Source<'_>) -> Result<Platform, FormatError> {
    let table = Table::new(&source)?;
    let mut builder = Platform::builder();
    let mut compute = Rational::one();
    if let Some(units) = table.units {
        builder.units(work_as_data(units));
        compute = default_merge_time(units);
    }
    for (index, name) in table.names.iter().enumerate() {
        let offset = table.rows.get(index).map_or(0, |row| row.offset);
        let node = Node::processor(name.as_ref(), compute.clone());
        builder
            .node(node)
            .map_err(|error| refused(&source, offset, error))?;
    }
    let ids: Vec<_> = table
        .names
        .iter()
        .filter_map(|name| builder.find(name))
        .collect();
    for (row, &from) in table.rows.iter().zip(&ids) {
        let cells = table.cells(*row)?;
        for ((cell, &to), column) in cells.iter().skip(table.name_columns).zip(&ids).zip(0..) {
            if from == to {
                continue;
            }
            let bandwidth = bandwidth(cell).map_err(|mistake| {
                let name = |index: usize| {
                    table
                        .names
                        .get(index)
                        .map(|name| clip(name))
                        .unwrap_or_default()
                };
                let (i, j) = (from.index(), column);
                let key = format!(
                    "row {} ({}), column {} ({})",
                    i + 1,
                    name(i),
                    j + 1,
                    name(j)
                );
                source.error(row.offset, Some(key), mistake)
            })?;
            if let Some(bandwidth) = bandwidth {
                builder
                    .link(from, to, bandwidth.recip())
                    .map_err(|error| refused(&source, row.offset, error))?;
            }
        }
    }
    builder
        .build()
        .map_err(|error| source.error_in_file(Mistake::Platform(error)))
}

/// A matrix whose file names no units, in these.
pub fn matrix_in_units(platform: Platform, units: Units) -> Result<Platform, PlatformError> {
    let mut builder = Platform::builder();
    builder.units(work_as_data(units));
    builder.model(platform.model());
    for node in platform.nodes() {
        let compute = node.compute.as_ref().map(|_| default_merge_time(units));
        builder.node(Node {
            compute,
            ..node.clone()
        })?;
    }
    for link in platform.links() {
        builder.link(link.from, link.to, link.cost.clone())?;
    }
    builder.build()
}

/// The bandwidth of a cell. `None` if there is no link.
fn bandwidth(cell: &str) -> Result<Option<Rational>, Mistake> {
    if is_absent(cell) {
        return Ok(None);
    }
    if is_unbounded(cell) {
        let expected =
            Cow::Borrowed("a finite bandwidth; a link takes time, and no link is 0 or -");
        return Err(Mistake::WrongValue {
            value: clip(cell),
            expected,
        });
    }
    let value = parse_rational(cell)?;
    if value.is_negative() {
        return Err(Mistake::NotPositive {
            what: "a bandwidth (0 or - for no link)",
            value: clip(cell),
        });
    }
    Ok(if value.is_zero() { None } else { Some(value) })
}

fn is_absent(cell: &str) -> bool {
    cell.is_empty() || cell == "-" || cell.eq_ignore_ascii_case("n/a")
}

fn is_unbounded(cell: &str) -> bool {
    let bare = cell.trim_start_matches(['+', '-']);
    ["inf", "infinity", "nan"]
        .iter()
        .any(|word| bare.eq_ignore_ascii_case(word))
}

/// Whether a cell can only be a name: no number, nor anything that looks like a mistaken one, as `1,5`.
fn is_name(cell: &str) -> bool {
    let numeric = cell.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && cell
            .chars()
            .all(|c| c.is_ascii_digit() || "+-.,/eE".contains(c));
    !is_absent(cell) && !is_unbounded(cell) && !numeric
}

/// The shape of a matrix: rows of numbers, and the names of the nodes.
struct Table<'a> {
    source: Source<'a>,
    separator: Separator,
    rows: Vec<CellLine<'a>>,
    names: Vec<Cow<'a, str>>,
    /// 1 if the first column holds names.
    name_columns: usize,
    /// Cells of every row.
    width: usize,
    /// The units in the top left cell.
    units: Option<Units>,
}

impl<'a> Table<'a> {
    fn new(source: &Source<'a>) -> Result<Self, FormatError> {
        let mut rows = rows(source)?;
        let first = rows
            .first()
            .copied()
            .ok_or_else(|| source.error_in_file(Mistake::Empty("a row of bandwidths")))?;
        let separator = separator(first.text);
        let mut header = split(first.text, separator);
        // A first row with nothing but its first cell a name may be a row of numbers with the row's name.
        let has_header = header.iter().skip(1).any(|cell| is_name(cell))
            || header.first().is_some_and(|cell| is_name(cell))
                && header.len() != rows.len() + 1
                && (header.len() != rows.len() || rows_repeat(&header, &rows, separator));
        if has_header {
            rows.remove(0);
        }
        let height = rows.len();
        let width = rows
            .first()
            .map_or(header.len(), |row| split(row.text, separator).len());
        if width > MAX_NODES + 1 {
            return Err(source.error(first.offset, None, too_many("columns")));
        }
        let leading = |row: &CellLine<'a>| {
            split(row.text, separator)
                .into_iter()
                .next()
                .unwrap_or_default()
        };
        let named =
            width == height + 1 && (has_header || rows.iter().any(|row| is_name(&leading(row))));
        let name_columns = usize::from(named);
        if width != height + name_columns || height == 0 {
            return Err(source.error(
                first.offset,
                None,
                Mistake::NotSquare {
                    rows: height,
                    columns: width,
                },
            ));
        }
        let names = if named {
            rows.iter().map(leading).collect()
        } else {
            (0..height).map(default_name).collect()
        };
        let mut table = Table {
            source: *source,
            separator,
            rows,
            names,
            name_columns,
            width,
            units: None,
        };
        if has_header {
            let is_title = |cell: &Cow<'_, str>| Units::parse(bare(cell)).is_ok();
            if !named && header.iter().any(is_title) {
                let expected = "the names of the nodes; put # before a title";
                let mistake = Mistake::WrongValue {
                    value: quoted(first.text),
                    expected: Cow::Borrowed(expected),
                };
                return Err(source.error(first.offset, None, mistake));
            }
            if header.len() == height + 1 && named {
                table.units = units(&header.remove(0)).map_err(|error| {
                    source.error(
                        first.offset,
                        Some("the top left cell".to_string()),
                        error.into(),
                    )
                })?;
            }
            table.name_columns_by(header, first)?;
        }
        if table.units.is_none() {
            table.units = units_of_comments(source)?;
        }
        Ok(table)
    }

    /// Takes the names from the first row. Row names, if there are any, must agree.
    fn name_columns_by(
        &mut self,
        header: Vec<Cow<'a, str>>,
        row: CellLine<'a>,
    ) -> Result<(), FormatError> {
        let (cells, expected) = (header.len(), self.rows.len());
        if cells != expected {
            let key = Some("the row of names".to_string());
            return Err(self
                .source
                .error(row.offset, key, Mistake::Ragged { cells, expected }));
        }
        if self.name_columns == 1 {
            for ((column, name), row) in header.iter().zip(&self.names).zip(&self.rows) {
                if column != name {
                    let expected = format!(
                        "{}, the name of the column in the same place",
                        quoted(column)
                    );
                    let mistake = Mistake::WrongValue {
                        value: quoted(name),
                        expected: Cow::Owned(expected),
                    };
                    return Err(self.source.error(
                        row.offset,
                        Some("the name of the row".to_string()),
                        mistake,
                    ));
                }
            }
        }
        self.names = header;
        Ok(())
    }

    fn cells(&self, row: CellLine<'a>) -> Result<Vec<Cow<'a, str>>, FormatError> {
        let cells = split(row.text, self.separator);
        if cells.len() != self.width {
            let mistake = Mistake::Ragged {
                cells: cells.len(),
                expected: self.width,
            };
            return Err(self
                .source
                .error(row.offset, Some("the row".to_string()), mistake));
        }
        Ok(cells)
    }
}

/// Whether the first cells of the rows below the first row are its cells: then a table as wide as high has names on two
/// sides. Else its first cell is one of the diagonal.
fn rows_repeat(header: &[Cow<'_, str>], rows: &[CellLine<'_>], separator: Separator) -> bool {
    let names = header.iter().skip(1);
    let mut below = rows.iter().skip(1).zip(names);
    below.all(|(row, name)| split(row.text, separator).first() == Some(name))
}

/// Returns the units in the top left cell, alone or among words (`bandwidth (GB/s)`). `None` if it has none, or
/// different ones. Other words are ignored.
///
/// # Errors
/// A word that begins or ends like units, but is unknown.
fn units(corner: &str) -> Result<Option<Units>, UnitError> {
    let words = || corner.split_whitespace().map(bare);
    let mut found = words().filter_map(|word| Units::parse(word).ok());
    if let Some(units) = found.next() {
        return Ok(Some(units).filter(|units| found.all(|other| other == *units)));
    }
    for word in words() {
        match Units::parse(word) {
            Err(UnitError::NotUnits(_)) if !word.to_ascii_lowercase().ends_with("bps") => {}
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    Ok(None)
}

/// The units that comments above the first row name.
fn units_of_comments(source: &Source<'_>) -> Result<Option<Units>, FormatError> {
    let mut found: Option<Units> = None;
    for line in source.text.lines() {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        let Some(comment) = text.strip_prefix('#') else {
            break;
        };
        let words = comment
            .split(|c: char| c.is_whitespace() || c == '=')
            .map(bare);
        for units in words.filter_map(|word| Units::parse(word).ok()) {
            if found.is_some_and(|known| known != units) {
                let mistake = Mistake::WrongValue {
                    value: quoted(text),
                    expected: Cow::Borrowed(
                        "one unit; write that of the cells into the top left cell, such as Gbit/s",
                    ),
                };
                return Err(source.error(source.offset_of(line), None, mistake));
            }
            found = Some(units);
        }
    }
    Ok(found)
}

/// A word without brackets and punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| "()[]{},;:.=?!\"'".contains(c))
}

fn default_name<'a>(index: usize) -> Cow<'a, str> {
    Cow::Owned(format!("P{index}"))
}

fn too_many(what: &'static str) -> Mistake {
    Mistake::TooMany {
        what,
        limit: MAX_NODES,
        instead: "give so large a platform as JSON, with its links listed",
    }
}

/// The lines that are neither blank nor comments.
fn rows<'a>(source: &Source<'a>) -> Result<Vec<CellLine<'a>>, FormatError> {
    let mut rows = Vec::new();
    for text in source.text.lines() {
        // A line of nothing but tabs is a row of empty cells.
        if text.trim_matches([' ', '\r']).is_empty() || text.starts_with('#') {
            continue;
        }
        let offset = source.offset_of(text);
        if rows.len() > MAX_NODES {
            return Err(source.error(offset, None, too_many("rows")));
        }
        rows.push(CellLine { offset, text });
    }
    Ok(rows)
}

fn separator(row: &str) -> Separator {
    let mut quoted = false;
    let marks: String = row
        .chars()
        .filter(|&c| {
            quoted ^= c == '"';
            !quoted && [';', ',', '\t'].contains(&c)
        })
        .take(MAX_NODES)
        .collect();
    let first = [';', ',', '\t']
        .into_iter()
        .find(|&mark| marks.contains(mark));
    first.map_or(Separator::Space, Separator::Mark)
}

/// The cells of a line, without surrounding white space and quotes. Stops beyond [`MAX_NODES`] cells.
fn split(text: &str, separator: Separator) -> Vec<Cow<'_, str>> {
    let Separator::Mark(mark) = separator else {
        return text
            .split_whitespace()
            .take(MAX_NODES + 2)
            .map(|cell| unquote(cell).0)
            .collect();
    };
    let mut cells = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest
        && cells.len() < MAX_NODES + 2
    {
        let (cell, used) = if text.trim_start_matches(' ').starts_with('"') {
            let (cell, after) = unquote(text.trim_start_matches(' '));
            (cell, text.len() - after.len())
        } else {
            let end = text.find(mark).unwrap_or(text.len());
            (
                Cow::Borrowed(text.get(..end).unwrap_or_default().trim()),
                end,
            )
        };
        let after = text.get(used..).unwrap_or_default();
        rest = after.split_once(mark).map(|(_, rest)| rest);
        cells.push(cell);
    }
    cells
}

/// The content of a quoted text (`""` is a quote), and the rest after it. Any other text is its own content.
fn unquote(text: &str) -> (Cow<'_, str>, &str) {
    let Some(inner) = text.strip_prefix('"') else {
        return (Cow::Borrowed(text), "");
    };
    let mut bytes = inner.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        if byte == b'"' && bytes.next_if(|(_, next)| *next == b'"').is_none() {
            let cell = inner.get(..at).unwrap_or_default();
            let cell = if cell.contains('"') {
                Cow::Owned(cell.replace("\"\"", "\""))
            } else {
                Cow::Borrowed(cell)
            };
            return (cell, inner.get(at + 1..).unwrap_or_default());
        }
    }
    (Cow::Borrowed(text), "")
}

/// The platform as a CSV matrix with names.
pub(crate) fn write(platform: &Platform) -> Result<String, FormatError> {
    if let Some(why) = unrepresentable(platform) {
        let mistake = Mistake::Unsupported {
            format: "matrix",
            why,
        };
        return Err(FormatError::new("the platform", None, None, mistake));
    }
    let mut out = platform
        .units()
        .map_or_else(|| CORNER.to_string(), |units| units.to_string());
    for node in platform.nodes() {
        let _ = write!(out, ",{}", csv(&node.name));
    }
    out.push('\n');
    for (from, node) in platform.node_ids().zip(platform.nodes()) {
        out.push_str(&csv(&node.name));
        let mut row: Vec<Option<LinkId>> = vec![None; platform.nodes().len()];
        for &link in platform.outgoing(from) {
            if let Some(cell) = row.get_mut(platform.link(link).to.index()) {
                *cell = Some(link);
            }
        }
        for cell in row {
            match cell {
                Some(link) => {
                    let _ = write!(out, ",{}", platform.link(link).cost.recip());
                }
                None => out.push_str(",0"),
            }
        }
        out.push('\n');
    }
    Ok(out)
}

/// The property of the platform that a matrix cannot express, if any.
fn unrepresentable(platform: &Platform) -> Option<String> {
    if platform.nodes().len() > MAX_NODES {
        return Some(format!(
            "it has {} nodes, and a matrix at most {MAX_NODES}",
            platform.nodes().len()
        ));
    }
    if platform.model() != PortModel::default() {
        return Some(format!("its port model is {}", platform.model()));
    }
    if let Some(shared) = platform.shared().first() {
        return Some(format!("it has shared capacities ('{}')", shared.name));
    }
    let units = platform.units();
    let compute = units.map_or_else(Rational::one, default_merge_time);
    let other = match units {
        Some(units) if !units.work_is_data => {
            "has a time for a unit of work, and a matrix with units has merges at 1000 GB/s"
        }
        Some(_) => "has a compute time other than that of merges at 1000 GB/s",
        None => "has a compute time other than 1",
    };
    let per_work = units.is_some_and(|units| !units.work_is_data);
    for node in platform.nodes() {
        let what = match &node.compute {
            None => "is a router",
            Some(found) if *found != compute || per_work => other,
            _ if node.model.is_some() => "has a separate port model",
            _ if node.ports.is_some() => "has a number of ports",
            _ if !node.replicates => "does not replicate",
            _ if node.accelerator => "is an accelerator",
            _ if node.alias.is_some() => "has a second name",
            _ => continue,
        };
        return Some(format!("node '{}' {what}", node.name));
    }
    if let Some(link) = platform.free_link() {
        return Some(format!(
            "link {} costs nothing, and a matrix holds bandwidths",
            platform.link_name(link)
        ));
    }
    let long = platform
        .links()
        .iter()
        .find(|link| parse_rational(&link.cost.recip().to_string()).is_err());
    long.map(|link| {
        format!(
            "the cost of link {} -> {} is too long",
            platform.name(link.from),
            platform.name(link.to)
        )
    })
}

fn csv(name: &str) -> Cow<'_, str> {
    if name
        .chars()
        .all(|c| c.is_alphanumeric() || "_.:/()+".contains(c))
    {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_cut_at_separators_outside_quotes() {
        for (row, cells) in [
            ("1,2, 3", vec!["1", "2", "3"]),
            (",a,b", vec!["", "a", "b"]),
            ("1 2\t3", vec!["1 2", "3"]),
            ("  1   2 ", vec!["1", "2"]),
            (
                "\"a,b\";\"say \"\"x\"\"\" ; c",
                vec!["a,b", "say \"x\"", "c"],
            ),
            ("a,", vec!["a", ""]),
            ("\"open,1", vec!["\"open,1"]),
        ] {
            assert_eq!(split(row, separator(row)), cells, "{row}");
        }
    }
}
