//! Lists of links: a row for each, with the two nodes and a bandwidth, as written by loops of iperf or ib_write_bw.
//!
//! The first row may name the columns: two nodes (`src,dst`, `from,to`, `client,server`, ...) and the bandwidth, whose
//! unit is in its name (`gbps`, `Gbit/s`, `bandwidth_MBps`), in the cells, in a comment above, or in
//! `--capacity COLUMN,UNITS`. Without it, rows are two names and a number. A column of latencies (`latency_us`, `delay`
//! with units in its cells, or that of `--latency-attribute COLUMN,UNIT`) is kept.
//!
//! Pairs were measured one at a time, so a node sends to one and receives from one at a time, as for a matrix.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Signed;
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::units::{Data, Time};
use oneport_platform::{PortModel, Rational, Units, parse_rational};

use crate::draft::{Draft, Role, gigabytes};
use crate::graph::{latency_in, rate_in};
use crate::imported::Topic;
use crate::mistakes::{no_latency, said, unexpected};
use crate::options::LatencyAttribute;

/// Names of the columns of nodes, in pairs.
const ENDS: [(&str, &str); 12] = [
    ("src", "dst"),
    ("src", "dest"),
    ("source", "destination"),
    ("source", "target"),
    ("source", "dest"),
    ("from", "to"),
    ("sender", "receiver"),
    ("client", "server"),
    ("node1", "node2"),
    ("node_a", "node_b"),
    ("host1", "host2"),
    ("u", "v"),
];
/// Parts of the names of columns of bandwidths without a unit.
const RATES: [&str; 5] = ["bandwidth", "capacity", "throughput", "speed", "bw"];
/// Parts of the names of columns of latencies.
const LATENCIES: [&str; 2] = ["latency", "delay"];
/// Number of columns that are inspected.
const MAX_COLUMNS: usize = 100;

/// Whether a text is such a list.
pub(crate) fn is_list(text: &str) -> bool {
    let mut rows = rows(text).map(|(_, line)| cells(line)).take(50);
    let Some(first) = rows.next() else {
        return false;
    };
    if ends(&first).is_some() {
        // A graph in one line has such words, too.
        return first.len() > 2 && !first.iter().any(|cell| cell.ends_with(['[', '{']));
    }
    // No matrix has rows of two names and a number.
    let is_edge = |row: &Vec<&str>| {
        matches!(row[..], [from, to, rate]
            if parse_rational(from).is_err() && parse_rational(to).is_err() && is_rate(rate))
    };
    is_edge(&first) && rows.all(|row| is_edge(&row))
}

/// Reads a list.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let mut rows = rows(source.text).peekable();
    let head = rows.peek().map(|(_, line)| cells(line)).unwrap_or_default();
    let named = ends(&head);
    if named.is_some() {
        rows.next();
    }
    let [from, to] = named.unwrap_or([0, 1]);
    let (rate, units) = column(source, draft, &head, named)?;
    let delay = latency_column(source, draft, &head, named)?;
    if named.is_some() {
        note_columns(
            draft,
            &head,
            &[from, to, rate, delay.as_ref().map_or(rate, |delay| delay.0)],
        );
    }
    let mut latencies: BTreeMap<(&str, &str), Rational> = BTreeMap::new();
    let mut links: BTreeMap<(&str, &str), (Rational, usize)> = BTreeMap::new();
    let (mut order, mut again, mut silent) = (Vec::new(), 0, 0);
    for (line, text) in rows {
        let offset = source.offset_of(line);
        let row = cells(text);
        let (Some(&one), Some(&other), Some(&cell)) = (row.get(from), row.get(to), row.get(rate))
        else {
            let expected = "two nodes and a bandwidth in every row";
            let found = format!("{} cells", row.len());
            return Err(source.error(offset, None, unexpected(found, expected)));
        };
        let located = |mistake| {
            let key = format!("{} to {}", clip(one), clip(other));
            source.error(offset, Some(key), mistake)
        };
        if is_silent(cell) || cell == "0" {
            silent += 1;
            continue;
        }
        let gigabytes = in_gigabytes(cell, units).map_err(located)?;
        if let Some((column, asked)) = &delay
            && let Some(text) = row.get(*column).filter(|text| !is_silent(text))
        {
            let name = head.get(*column).copied().unwrap_or_default();
            let (seconds, note) = latency_in(name, text, asked.as_ref()).map_err(located)?;
            if let Some(note) = note {
                draft.note(Topic::LeftOut, note);
            }
            if let Some(seconds) = seconds.filter(Signed::is_positive) {
                let least = latencies.entry((one, other)).or_insert(seconds.clone());
                *least = seconds.min(least.clone());
            }
        }
        match links.get_mut(&(one, other)) {
            Some((known, _)) => {
                again += 1;
                *known = gigabytes.max(known.clone());
            }
            None => {
                order.push((one, other));
                links.insert((one, other), (gigabytes, offset));
            }
        }
    }
    note(draft, &links, again, silent);
    add(source, draft, &links, &order, &latencies)
}

/// Whether the cell holds no measurement.
fn is_silent(cell: &str) -> bool {
    cell.is_empty() || cell == "-" || cell.eq_ignore_ascii_case("n/a")
}

/// A column of latencies, and the user's attribute with the unit of its plain numbers.
type Delay = (usize, Option<LatencyAttribute>);

/// The column of latencies: the user's, by name or number, else one with such a name.
fn latency_column(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    head: &[&str],
    named: Option<[usize; 2]>,
) -> Result<Option<Delay>, FormatError> {
    if let Some(asked) = &draft.options.latency {
        let Some(column) = column_of(&asked.attribute, head, named.is_some()) else {
            let known: Vec<String> = head.iter().take(8).map(|cell| clip(cell)).collect();
            return Err(source.error_in_file(no_latency(&asked.attribute, &known)));
        };
        draft.latency_is_stated();
        return Ok(Some((column, Some(asked.clone()))));
    }
    let is_latency = |cell: &&str| {
        let cell = cell.to_ascii_lowercase();
        LATENCIES.iter().any(|name| cell.contains(name))
    };
    let Some(column) = head.iter().position(is_latency).filter(|_| named.is_some()) else {
        return Ok(None);
    };
    let name = head.get(column).copied().unwrap_or_default();
    let words = name.split(|c: char| !c.is_alphanumeric());
    // `latency_min_us` does not count minutes.
    let short = |unit: &Time| unit.seconds() <= Time::SECOND.seconds();
    let unit = words.filter_map(Time::find).find(short);
    let asked = unit.map(|unit| LatencyAttribute {
        attribute: name.to_string(),
        seconds: Some(unit.seconds()),
    });
    if let Some(unit) = unit {
        let text = format!("column {} is the latency, in {}", clip(name), unit.name());
        draft.note(Topic::Assumed, text);
    }
    Ok(Some((column, asked)))
}

/// The index of a column by its name, else by its number from 1.
fn column_of(name: &str, head: &[&str], named: bool) -> Option<usize> {
    let column = head.iter().position(|cell| named && *cell == name);
    let counted = || name.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
    column
        .or_else(counted)
        .filter(|&column| column < head.len())
}

/// Names the columns that are not read.
fn note_columns(draft: &mut Draft<'_>, head: &[&str], read: &[usize]) {
    let unread = head.iter().enumerate().filter(|(at, _)| !read.contains(at));
    let unread: Vec<String> = unread.take(8).map(|(_, cell)| clip(cell)).collect();
    if !unread.is_empty() {
        let text = format!("columns {}", unread.join(", "));
        draft.note(Topic::LeftOut, text);
    }
}

/// The column of bandwidths, and the units of plain numbers in it.
fn column(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    head: &[&str],
    named: Option<[usize; 2]>,
) -> Result<(usize, Option<Units>), FormatError> {
    let offset = rows(source.text)
        .next()
        .map_or(0, |(line, _)| source.offset_of(line));
    if let Some(capacity) = &draft.options.capacity {
        let name = &capacity.attribute;
        let Some(index) = column_of(name, head, named.is_some()) else {
            let text = format!(
                "there is no column '{}'; the columns are {}",
                clip(name),
                head.join(", ")
            );
            return Err(source.error(offset, None, said(text)));
        };
        let text = format!(
            "column {} is the bandwidth, in {}",
            clip(name),
            capacity.units
        );
        draft.note(Topic::Assumed, text);
        return Ok((index, Some(capacity.units)));
    }
    let Some(ends) = named else {
        return Ok((2, in_comment(source.text)));
    };
    let mut others = head.iter().enumerate().filter(|(at, _)| !ends.contains(at));
    let with_unit = others
        .clone()
        .find_map(|(at, cell)| Some((at, Some(unit(cell)?))));
    let is_rate = |cell: &str| {
        let cell = cell.to_ascii_lowercase();
        RATES.iter().any(|name| cell.contains(name))
    };
    let without = others
        .find(|(_, cell)| is_rate(cell))
        .map(|(at, _)| (at, None));
    let Some((index, units)) = with_unit.or(without) else {
        let text = format!(
            "none of the columns {} is a bandwidth; name one gbps or Gbit/s, or give --capacity COLUMN,UNITS",
            head.join(", ")
        );
        return Err(source.error(offset, None, said(text)));
    };
    Ok((index, units.or_else(|| in_comment(source.text))))
}

fn in_gigabytes(cell: &str, units: Option<Units>) -> Result<Rational, Mistake> {
    match units {
        Some(units) => rate_in(cell, units),
        None if parse_rational(cell).is_ok() => Err(said(format!(
            "{} of which unit? Name the column so (src,dst,Gbit/s), write the unit into the cells, or give --capacity \
             COLUMN,UNITS, such as --capacity 3,Gbit/s",
            clip(cell)
        ))),
        None => rate_in(cell, Units::gigabytes_and_seconds()),
    }
}

fn note(
    draft: &mut Draft<'_>,
    links: &BTreeMap<(&str, &str), (Rational, usize)>,
    again: usize,
    silent: usize,
) {
    if again > 0 {
        let text = format!(
            "{again} rows for pairs that have a row: the fastest counts, and the least latency"
        );
        draft.note(Topic::Merged, text);
    }
    if silent > 0 {
        let text = format!("{silent} rows without a bandwidth: those pairs have no link");
        draft.note(Topic::LeftOut, text);
    }
    let back = links
        .keys()
        .filter(|(one, other)| links.contains_key(&(*other, *one)));
    let alone = links.len() - back.count();
    if alone > 0 && alone < links.len() {
        let text =
            format!("{alone} pairs are listed in one direction only: they have no link back");
        draft.note(Topic::Assumed, text);
    }
}

/// Puts nodes and links into the draft: both ways if no pair is listed both ways.
fn add<'a>(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    links: &BTreeMap<(&'a str, &'a str), (Rational, usize)>,
    order: &[(&'a str, &'a str)],
    latencies: &BTreeMap<(&'a str, &'a str), Rational>,
) -> Result<(), FormatError> {
    draft.ports_of(PortModel::FullDuplex);
    draft.note(
        Topic::Assumed,
        "a node sends to one node and receives from one at a time, as pairs are measured; --model links lets all of them at once",
    );
    let both = order
        .iter()
        .all(|(one, other)| one == other || !links.contains_key(&(*other, *one)));
    if both {
        let text = "no pair is listed in both directions: each row is a link in both";
        draft.note(Topic::Assumed, text);
    }
    let speeds: BTreeSet<&Rational> = links.values().map(|(rate, _)| rate).collect();
    if let (Some(least), Some(most)) = (speeds.first(), speeds.last()) {
        let text = format!(
            "link: {} to {}, by the list",
            gigabytes(least),
            gigabytes(most)
        );
        draft.note(Topic::Assumed, text);
    }
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in order {
        let Some((rate, offset)) = links.get(pair) else {
            continue;
        };
        let located = |mistake| source.error(*offset, None, mistake);
        let mut ends = [0; 2];
        for (end, name) in ends.iter_mut().zip([pair.0, pair.1]) {
            *end = match nodes.get(name) {
                Some(&node) => node,
                None => draft.node(name, "node", Role::Processor).map_err(located)?,
            };
            nodes.insert(name, *end);
        }
        let [one, other] = ends;
        let rate = draft.stated("link", rate.clone());
        if both {
            draft.duplex(one, other, "link", rate).map_err(located)?;
        } else {
            draft.link(one, other, "link", rate).map_err(located)?;
        }
        if let Some(latency) = latencies.get(pair) {
            draft.latency(one, other, latency.clone());
            if both {
                draft.latency(other, one, latency.clone());
            }
        }
    }
    Ok(())
}

/// Lines and their trimmed text, without blank lines and comments.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().map(|line| (line, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The cells of a row, between semicolons, commas, tabs, or else spaces.
fn cells(line: &str) -> Vec<&str> {
    let mark = [';', ',', '\t']
        .into_iter()
        .find(|mark| line.contains(*mark));
    match mark {
        Some(mark) => line.split(mark).take(MAX_COLUMNS).map(unquoted).collect(),
        None => line
            .split_whitespace()
            .take(MAX_COLUMNS)
            .map(unquoted)
            .collect(),
    }
}

fn unquoted(cell: &str) -> &str {
    cell.trim().trim_matches('"')
}

/// The columns of the two nodes, if a row names columns.
fn ends(head: &[&str]) -> Option<[usize; 2]> {
    let find = |name: &str| head.iter().position(|cell| cell.eq_ignore_ascii_case(name));
    ENDS.iter()
        .find_map(|(one, other)| Some([find(one)?, find(other)?]))
}

fn is_rate(cell: &str) -> bool {
    parse_rational(cell).is_ok() || rate_in(cell, Units::gigabytes_and_seconds()).is_ok()
}

/// The unit in the name of a column: `gbps`, `Gbit/s`, `bandwidth (MB/s)`, `bw_GBps`. Small letters alone are bits.
fn unit(name: &str) -> Option<Units> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '/');
    words.filter(|word| !word.is_empty()).find_map(unit_word)
}

fn unit_word(word: &str) -> Option<Units> {
    if let Ok(units) = Units::parse(word) {
        return Some(units);
    }
    let prefix = match word.get(..1)?.to_ascii_uppercase().as_str() {
        "K" => "k".to_string(),
        other => other.to_string(),
    };
    let data = match word.get(1..)? {
        "Bps" => format!("{prefix}B"),
        "bps" | "bit" | "bits" | "bits/s" | "b/s" => format!("{prefix}bit"),
        _ => return None,
    };
    Some(Units {
        data: Data::find(&data)?,
        time: Time::SECOND,
        work_is_data: true,
    })
}

/// The unit that comments above the first row name.
fn in_comment(text: &str) -> Option<Units> {
    let lines = text.lines().map(str::trim);
    let comments = lines.take_while(|line| line.is_empty() || line.starts_with('#'));
    let mut found = comments.flat_map(str::split_whitespace).filter_map(unit);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}
