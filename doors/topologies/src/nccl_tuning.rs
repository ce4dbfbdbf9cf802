//! NCCL's model of time as its log prints it with `NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING`: a latency and a bandwidth
//! for every function, algorithm and protocol.

use std::path::Path;

use num_traits::Signed;

use crate::mistakes::unexpected;
use oneport_files::error::FormatError;
use oneport_files::source::{Source, read_bytes};
use oneport_platform::{Rational, parse_rational};

/// Limit on the bytes of a log.
const MAX_BYTES: u64 = 256 << 20;

/// NCCL's functions that it tunes, by its names and ours.
const FUNCTIONS: [(&str, &str); 5] = [
    ("Broadcast", "broadcast"),
    ("Reduce", "reduce"),
    ("AllGather", "all-gather"),
    ("ReduceScatter", "reduce-scatter"),
    ("AllReduce", "all-reduce"),
];

/// One entry of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tuned {
    /// The collective, by our name.
    pub collective: &'static str,
    /// A name of `NCCL_ALGO`: `Ring`.
    pub algorithm: String,
    /// A name of `NCCL_PROTO`: `Simple`.
    pub protocol: String,
    /// The time of a message of no bytes, in microseconds.
    pub latency: Rational,
    /// Bytes of the operation over time, in GB/s, without latency.
    pub bandwidth: Rational,
}

/// Reads the tables of the first communicator of a log. Entries of 0 GB/s, which NCCL does not consider, are left out.
/// Prefixes of launchers and of NCCL are skipped.
///
/// # Errors
/// The file cannot be read, or it has no table.
pub fn read_tuning(path: &Path) -> Result<Vec<Tuned>, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_BYTES)?;
    let source = Source::new(&name, &bytes, "log")?;
    let rows = tables(source.text);
    if rows.is_empty() {
        return Err(source.error_in_file(unexpected(
            "text without a table of latencies and bandwidths",
            "the log of a run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=TUNING",
        )));
    }
    Ok(rows)
}

fn tables(text: &str) -> Vec<Tuned> {
    let mut rows: Vec<Tuned> = Vec::new();
    let (mut algorithms, mut columns): (Vec<&str>, Vec<(&str, &str)>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let line = line.split_once("NCCL INFO").map_or(line, |(_, line)| line);
        let mut cells = line.split('|').map(str::trim);
        let first = cells.next().unwrap_or_default();
        let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
        match first {
            "Algorithm" => algorithms = cells,
            "Protocol" => {
                let each = (cells.len() / algorithms.len().max(1)).max(1);
                let algorithm =
                    |index: usize| algorithms.get(index / each).copied().unwrap_or_default();
                let numbered = cells.iter().enumerate();
                columns = numbered
                    .map(|(index, protocol)| (algorithm(index), *protocol))
                    .collect();
            }
            // Older versions: `Tree/ LL` for each column.
            "Latency/AlgBw" => {
                columns = cells
                    .iter()
                    .filter_map(|cell| cell.split_once('/'))
                    .collect()
            }
            _ => {
                let Some((_, collective)) = FUNCTIONS.iter().find(|(theirs, _)| *theirs == first)
                else {
                    continue;
                };
                let of_line = columns.iter().zip(&cells);
                rows.extend(
                    of_line
                        .filter_map(|(column, cell)| entry(collective, column.0, column.1, cell)),
                );
            }
        }
    }
    let mut first = Vec::new();
    for row in rows {
        let key = |row: &Tuned| (row.collective, row.algorithm.clone(), row.protocol.clone());
        if first.iter().all(|known| key(known) != key(&row)) {
            first.push(row);
        }
    }
    first.retain(|row| row.bandwidth.is_positive());
    first
}

/// `15.0/ 137.1` in a column.
fn entry(collective: &'static str, algorithm: &str, protocol: &str, cell: &str) -> Option<Tuned> {
    let (latency, bandwidth) = cell.split_once('/')?;
    Some(Tuned {
        collective,
        algorithm: algorithm.trim().to_string(),
        protocol: protocol.trim().to_string(),
        latency: parse_rational(latency.trim()).ok()?,
        bandwidth: parse_rational(bandwidth.trim()).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as NCCL 2.30 and an old version print them, behind a launcher's prefix. The second communicator is left
    /// out.
    #[test]
    fn tables_of_both_forms_are_read() {
        let new = "0: host:1:2 [0] NCCL INFO   Algorithm   |            Tree          |        Ring              |\n\
                   0: host:1:2 [0] NCCL INFO   Protocol    |     LL |  LL128 | Simple |     LL |  LL128 | Simple |\n\
                   0: host:1:2 [0] NCCL INFO  Max NThreads |    512 |    640 |    512 |    512 |    640 |    512 |\n\
                   0: host:1:2 [0] NCCL INFO     AllReduce |    15.2/  29.1 |  33.5/  85.9 |  64.4/ 110.4 |    15.0/  50.1 |  40.6/   0.0 |  56.0/ 137.1 |\n\
                   0: host:1:2 [0] NCCL INFO     AllReduce |    99.0/   1.0 |  33.5/  85.9 |  64.4/ 110.4 |    15.0/  50.1 |  40.6/   0.0 |  56.0/ 137.1 |\n";
        let rows = tables(new);
        let shown = |row: &Tuned| {
            let (latency, bandwidth) = (&row.latency, &row.bandwidth);
            format!(
                "{} {} {} {latency} {bandwidth}",
                row.collective, row.algorithm, row.protocol
            )
        };
        let shown: Vec<String> = rows.iter().map(shown).collect();
        assert_eq!(
            shown,
            [
                "all-reduce Tree LL 76/5 291/10",
                "all-reduce Tree LL128 67/2 859/10",
                "all-reduce Tree Simple 322/5 552/5",
                "all-reduce Ring LL 15 501/10",
                "all-reduce Ring Simple 56 1371/10",
            ]
        );
        let old = "Latency/AlgBw |    Tree/    LL |    Ring/Simple |\n    Broadcast |    0.0/  0.0|   5.0/  20.5|\n";
        let rows = tables(old);
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].collective, &rows[0].algorithm[..]),
            ("broadcast", "Ring")
        );
        assert!(tables("AllReduce | 1/2 |\nnothing").is_empty());
    }
}
