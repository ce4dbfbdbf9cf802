//! Measurements of nccl-tests: the JSON file of its option `-J`.

use std::path::Path;

use oneport_platform::Rational;

use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::number::rational;
use crate::scalar::Scalar;
use crate::source::{Source, read_bytes};

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

/// Reads the file that nccl-tests write with `-J FILE`; keys that say nothing about bandwidths are ignored.
///
/// # Errors
/// A file that cannot be read, text that is not JSON, no measurement in it.
pub fn read_measurements(path: &Path) -> Result<Measurements, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_MEASUREMENTS_BYTES)?;
    read(Source::new(&name, &bytes, "measurements")?)
}

fn read(source: Source<'_>) -> Result<Measurements, FormatError> {
    let top = Json::parse(source)?;
    let [arguments, results] = top.open_object(["args", "results"])?;
    let mut collective = None;
    if let Some(arguments) = arguments {
        arguments.each(|place, word| {
            if place == 0 {
                let word = word.string()?;
                let program = |(program, _): &&(&str, &str)| word.trim_end_matches(".exe").ends_with(program);
                // The longest name first: scatter_perf ends reduce_scatter_perf.
                let named = PROGRAMS.iter().filter(program).max_by_key(|(program, _)| program.len());
                collective = named.map(|&(_, name)| name);
            }
            Ok(())
        })?;
    }
    let results = need(&top, results, "results", "what nccl-tests measured (its option -J FILE writes it)")?;
    let mut rows = Vec::new();
    results.each(|_, result| {
        let [size, out_of_place, in_place] = result.open_object(["size", "out_of_place", "in_place"])?;
        let bytes = need(&result, size, "size", "the bytes of the operation")?.whole()?;
        for (place, measured) in [(false, out_of_place), (true, in_place)] {
            let Some(measured) = measured.filter(|measured| !measured.is_null()) else { continue };
            let [bus] = measured.open_object(["bus_bw"])?;
            let bus = need(&measured, bus, "bus_bw", "the bus bandwidth in GB/s")?;
            // If nccl-tests could not divide, the value is the text "nan".
            if !matches!(bus.scalar()?, Scalar::Text(_)) {
                rows.push(Measurement { bytes, busbw: rational(bus)?, in_place: place });
            }
        }
        Ok(())
    })?;
    if rows.is_empty() {
        return Err(results.fail(Mistake::WrongValue {
            value: "a list without bandwidths".to_string(),
            expected: "a list of measurements with \"bus_bw\"".into(),
        }));
    }
    Ok(Measurements { collective, rows })
}
