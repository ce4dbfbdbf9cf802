//! Output of the Intel MPI Benchmarks (IMB-MPI1) for a collective: per number of processes a table of sizes and times.
//!
//! Allgather, Alltoall, Gather and Scatter count the bytes of one message, the others the bytes of all messages of the
//! operation. An operation ends when its last process does, so `t_max` is its time.
//!
//! Facts from the user's guide of the Intel MPI Benchmarks 2021, MPI-1 benchmarks.

use oneport_files::error::FormatError;
use oneport_files::source::Source;
use oneport_platform::{parse_rational, whole};

use crate::measurement::{Measurement, Measurements};
use crate::mistakes::{said, unexpected};

/// The benchmark, our name of its collective, whether sizes are of one message.
const BENCHMARKS: [(&str, &str, bool); 8] = [
    ("Allreduce", "all-reduce", false),
    ("Allgather", "all-gather", true),
    ("Reduce_scatter", "reduce-scatter", false),
    ("Alltoall", "all-to-all", true),
    ("Bcast", "broadcast", false),
    ("Reduce", "reduce", false),
    ("Scatter", "scatter", true),
    ("Gather", "gather", true),
];

/// The heading of the column that counts.
const TIME: &str = "t_max[usec]";

/// The benchmark that begins on this line, `# Benchmarking Allreduce`, if one does.
pub(super) fn benchmark(line: &str) -> Option<&str> {
    let (_, comment) = line.split_once('#')?;
    let name = comment.trim().strip_prefix("Benchmarking ")?;
    name.split_whitespace().next()
}

/// The number in `# #processes = 8`.
fn processes(line: &str) -> Option<usize> {
    let (_, number) = line.split_once("#processes =")?;
    number.split_whitespace().next()?.parse().ok()
}

/// Reads the table of the most processes: in the others a part of the job waits.
pub(super) fn read(source: Source<'_>, name: &str) -> Result<Measurements, FormatError> {
    let known = BENCHMARKS.iter().find(|(known, ..)| *known == name);
    let Some(&(_, collective, by_message)) = known else {
        let names = BENCHMARKS.map(|(known, ..)| known).join(", ");
        let text = format!(
            "'{name}' of the Intel MPI Benchmarks measures no collective that is compared here; give {names}"
        );
        return Err(source.error_in_file(said(text)));
    };
    let mut read = Measurements {
        program: "IMB",
        collective: Some(collective),
        ranks: None,
        rows: Vec::new(),
        wrong: 0,
        by_message,
    };
    let mut columns: Option<(usize, usize)> = None;
    let mut counts = true;
    for line in source.text.lines() {
        if let Some(other) = benchmark(line).filter(|other| *other != name) {
            let text = format!("holds the benchmarks {name} and {other}; give that of one");
            return Err(source.error(source.offset_of(line), None, said(text)));
        }
        if let Some(ranks) = processes(line) {
            counts = read.ranks.is_none_or(|known| ranks >= known);
            if counts {
                read.rows.clear();
                read.ranks = Some(ranks);
            }
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(first) = words.iter().position(|word| *word == "#bytes") {
            let time = words.iter().skip(first).position(|word| *word == TIME);
            columns = time.map(|time| (words.len() - first, time));
            continue;
        }
        if let Some(row) = columns
            .filter(|_| counts)
            .and_then(|(columns, time)| row(&words, columns, time))
        {
            read.rows.push(row);
        }
    }
    if read.rows.is_empty() {
        let expected = "rows of #bytes and t_max[usec]";
        return Err(source.error_in_file(unexpected("a benchmark without rows", expected)));
    }
    Ok(read)
}

/// A row of this number of columns, with the time in this one. Launchers may put labels before it. Operations without
/// data do not count.
fn row(words: &[&str], columns: usize, time: usize) -> Option<Measurement> {
    let cells = words.get(words.len().checked_sub(columns)?..)?;
    let bytes: u64 = cells.first()?.parse().ok()?;
    let time = parse_rational(cells.get(time)?).ok()?;
    (bytes > 0).then(|| Measurement {
        bytes,
        time: Some(time / whole(1_000_000)),
        algbw: None,
        busbw: None,
        operator: None,
        root: None,
        in_place: false,
    })
}
