//! Measurements of nccl-tests: the JSON file of its option `-J`, or the table that it prints.

use std::path::Path;

use crate::mistakes::unexpected;
use oneport_files::error::FormatError;
use oneport_files::json::{Json, need};
use oneport_files::number::rational;
use oneport_files::scalar::Scalar;
use oneport_files::source::{Source, read_bytes};
use oneport_platform::{Rational, parse_rational};

/// Most bytes of a file of measurements.
pub const MAX_MEASUREMENTS_BYTES: u64 = 256 << 20;

/// Measurements of nccl-tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurements {
    /// The collective by our name. `None` if the program's name does not determine it.
    pub collective: Option<&'static str>,
    /// In the file's order.
    pub rows: Vec<Measurement>,
}

/// One size, measured in place or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    /// Bytes of the operation, as nccl-tests count them.
    pub bytes: u64,
    /// Bus bandwidth, in GB/s (10^9 bytes per second).
    pub busbw: Rational,
    /// Whether the result replaced the input.
    pub in_place: bool,
}

const PROGRAMS: [(&str, &str); 8] = [
    ("all_reduce_perf", "all-reduce"),
    ("all_gather_perf", "all-gather"),
    ("reduce_scatter_perf", "reduce-scatter"),
    ("alltoall_perf", "all-to-all"),
    ("broadcast_perf", "broadcast"),
    ("reduce_perf", "reduce"),
    ("scatter_perf", "scatter"),
    ("gather_perf", "gather"),
];

/// Reads the file that nccl-tests write with `-J FILE`, or what they print; what says nothing about bandwidths is
/// ignored.
///
/// # Errors
/// A file that cannot be read, text that is neither, no measurement in it.
pub fn read_measurements(path: &Path) -> Result<Measurements, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_MEASUREMENTS_BYTES)?;
    let source = Source::new(&name, &bytes, "measurements")?;
    if source.text.trim_start().starts_with('{') {
        read(source)
    } else {
        read_log(source)
    }
}

/// The printed text of nccl-tests: comments, and rows `size count type [redop root] time algbw busbw #wrong`, out of
/// place, then the last four once more, in place.
fn read_log(source: Source<'_>) -> Result<Measurements, FormatError> {
    let (mut collective, mut rows) = (None, Vec::new());
    for line in source.text.lines() {
        if collective.is_none() && line.trim_start().starts_with('#') {
            collective = line.split_whitespace().find_map(program);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [bytes, count, kind, rest @ ..] = &words[..] else {
            continue;
        };
        let (Ok(bytes), Ok(_), Err(_)) = (bytes.parse(), count.parse::<u64>(), kind.parse::<u64>())
        else {
            continue;
        };
        // Old versions have no root, and no operator where nothing is combined.
        let times = rest.len() / 4 * 4;
        for (place, times) in rest[rest.len() - times..].chunks_exact(4).enumerate() {
            if let Ok(busbw) = parse_rational(times[2]) {
                rows.push(Measurement {
                    bytes,
                    busbw,
                    in_place: place > 0,
                });
            }
        }
    }
    if rows.is_empty() {
        Err(source.error_in_file(unexpected(
            "text without rows",
            "what nccl-tests print, or their file of -J, with rows of sizes and bandwidths",
        )))
    } else {
        Ok(Measurements { collective, rows })
    }
}

/// Our name of what a program measures. The longest name first: scatter_perf ends reduce_scatter_perf.
fn program(word: &str) -> Option<&'static str> {
    let ends = |(program, _): &&(&str, &str)| word.trim_end_matches(".exe").ends_with(program);
    PROGRAMS
        .iter()
        .filter(ends)
        .max_by_key(|(program, _)| program.len())
        .map(|&(_, name)| name)
}

fn read(source: Source<'_>) -> Result<Measurements, FormatError> {
    let top = Json::parse(source)?;
    let [arguments, results] = top.open_object(["args", "results"])?;
    let mut collective = None;
    if let Some(arguments) = arguments {
        arguments.each(|place, word| {
            if place == 0 {
                collective = program(&word.string()?);
            }
            Ok(())
        })?;
    }
    let results = need(
        &top,
        results,
        "results",
        "what nccl-tests measured (its option -J FILE writes it)",
    )?;
    let mut rows = Vec::new();
    results.each(|_, result| {
        let [size, out_of_place, in_place] =
            result.open_object(["size", "out_of_place", "in_place"])?;
        let bytes = need(&result, size, "size", "the bytes of the operation")?.whole()?;
        for (place, measured) in [(false, out_of_place), (true, in_place)] {
            let Some(measured) = measured.filter(|measured| !measured.is_null()) else {
                continue;
            };
            let [bus] = measured.open_object(["bus_bw"])?;
            let bus = need(&measured, bus, "bus_bw", "the bus bandwidth in GB/s")?;
            // If nccl-tests could not divide, the value is the text "nan".
            if !matches!(bus.scalar()?, Scalar::Text(_)) {
                rows.push(Measurement {
                    bytes,
                    busbw: rational(bus)?,
                    in_place: place,
                });
            }
        }
        Ok(())
    })?;
    if rows.is_empty() {
        return Err(results.fail(unexpected(
            "a list without bandwidths",
            "a list of measurements with \"bus_bw\"",
        )));
    }
    Ok(Measurements { collective, rows })
}
