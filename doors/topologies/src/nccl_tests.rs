//! Measurements: the JSON file of nccl-tests' option `-J`, the table that they print, or that of the OSU
//! micro-benchmarks.

use std::path::Path;

use num_traits::{Signed, Zero};
use oneport_files::error::FormatError;
use oneport_files::json::{Json, need};
use oneport_files::number::rational;
use oneport_files::scalar::Scalar;
use oneport_files::source::{Source, read_bytes};
use oneport_platform::{Rational, parse_rational, whole};

use crate::measurement::{Measurement, Measurements};
use crate::mistakes::{said, unexpected};
use crate::{imb, osu};

/// Limit on the bytes of a file of measurements.
pub const MAX_MEASUREMENTS_BYTES: u64 = 256 << 20;
/// Most words that a launcher puts before a line: `[1,0]<stdout>:`, `0:`, a date.
const MAX_PREFIX: usize = 6;

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

/// Reads the file that nccl-tests write with `-J FILE`, or the output of nccl-tests, the OSU micro-benchmarks or the
/// Intel MPI Benchmarks, also through a launcher that labels lines. Lines without bandwidths are ignored.
///
/// # Errors
/// The file cannot be read, has another format, has no measurement, or has none with right results.
pub fn read_measurements(path: &Path) -> Result<Measurements, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_MEASUREMENTS_BYTES)?;
    parse_measurements(&name, &bytes)
}

/// Reads like [`read_measurements`], from bytes. `name` is the file's name in messages.
///
/// # Errors
/// The errors of [`read_measurements`].
pub fn parse_measurements(name: &str, bytes: &[u8]) -> Result<Measurements, FormatError> {
    let source = Source::new(name, bytes, "measurements")?;
    let read = if source.text.trim_start().starts_with('{') {
        read(source)?
    } else if let Some(title) = source.text.lines().find_map(osu::title) {
        osu::read(source, title)?
    } else if let Some(name) = source.text.lines().find_map(imb::benchmark) {
        imb::read(source, name)?
    } else {
        read_log(source)?
    };
    if read.rows.is_empty() {
        let text = format!(
            "all {} results in it are wrong (#wrong above 0); a measurement of wrong results does not count",
            read.wrong
        );
        return Err(source.error_in_file(said(text)));
    }
    Ok(read)
}

/// The printed text of nccl-tests: comments, and rows `size count type [redop root] time algbw busbw #wrong`, out of
/// place, then the last four once more, in place.
fn read_log(source: Source<'_>) -> Result<Measurements, FormatError> {
    let mut read = Measurements {
        program: "nccl-tests",
        collective: None,
        ranks: None,
        rows: Vec::new(),
        wrong: 0,
        by_message: false,
    };
    let mut ranks = None;
    for line in source.text.lines() {
        if let Some((_, comment)) = line.split_once('#') {
            let named = comment.split_whitespace().find_map(program);
            if let (Some(known), Some(other)) =
                (read.collective, named.filter(|_| named != read.collective))
            {
                let text =
                    format!("holds measurements of {known} and of {other}; give those of one");
                return Err(source.error(source.offset_of(line), None, said(text)));
            }
            read.collective = read.collective.or(named);
        }
        ranks = ranks.max(ranks_up_to(line));
        let words: Vec<&str> = line.split_whitespace().collect();
        // Launchers put labels before a line.
        let labels = 0..MAX_PREFIX.min(words.len());
        if let Some(row) = labels
            .filter_map(|start| words.get(start..))
            .find_map(TestRow::of)
        {
            row.add_to(&mut read);
        }
    }
    read.ranks = ranks.or(read.ranks);
    if read.rows.is_empty() && read.wrong == 0 {
        Err(source.error_in_file(unexpected(
            "text without rows",
            "what nccl-tests, the OSU benchmarks or IMB-MPI1 print, or nccl-tests' file of -J, with rows of sizes and bandwidths",
        )))
    } else {
        Ok(read)
    }
}

/// `#  Rank  3 Group  0 Pid ...`, in old versions without the group: the number of ranks up to this one.
fn ranks_up_to(line: &str) -> Option<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(3).find_map(|window| match window {
        ["Rank", number, "Group" | "Pid"] => number.parse::<usize>().ok()?.checked_add(1),
        _ => None,
    })
}

/// A row of the printed table.
struct TestRow<'a> {
    bytes: u64,
    count: u64,
    kind: &'a str,
    /// Operator and root, if the version prints them.
    named: &'a [&'a str],
    /// Time, two bandwidths and errors, out of place and in place.
    measured: &'a [&'a str],
}

impl<'a> TestRow<'a> {
    fn of(words: &'a [&'a str]) -> Option<TestRow<'a>> {
        let [bytes, count, kind, rest @ ..] = words else {
            return None;
        };
        let letters = kind.starts_with(|c: char| c.is_ascii_alphabetic());
        let (Ok(bytes), Ok(count), true) = (bytes.parse(), count.parse(), letters) else {
            return None;
        };
        // Old versions have no root, and no operator if nothing is combined.
        let (named, measured) = rest.split_at(rest.len() % 4);
        let times = measured.chunks_exact(4).all(|group| {
            let number = |word: &&str| parse_rational(word).is_ok() || *word == "N/A";
            group.iter().take(3).all(number)
        });
        (times && !measured.is_empty()).then_some(TestRow {
            bytes,
            count,
            kind,
            named,
            measured,
        })
    }

    fn add_to(&self, read: &mut Measurements) {
        let operator = self.named.iter().find(|word| is_name(word));
        let root = self.named.iter().find_map(|word| word.parse().ok());
        // Without an operator, an old version may have counted otherwise.
        let width = width(self.kind).filter(|_| operator.is_some());
        if let (Some(width), None) = (width, read.ranks) {
            // Elements of one rank, if the operation has that number times the number of ranks.
            let own = self.count.saturating_mul(width);
            read.ranks = (own > 0 && self.bytes.is_multiple_of(own))
                .then(|| usize::try_from(self.bytes / own).ok())
                .flatten()
                .filter(|&ranks| ranks > 1);
        }
        for (half, group) in self.measured.chunks_exact(4).enumerate() {
            let [time, algbw, busbw, wrong] = group else {
                continue;
            };
            let Ok(busbw) = parse_rational(busbw) else {
                continue;
            };
            // Old versions print the largest error there, with a point or an exponent.
            if wrong.parse::<u64>().is_ok_and(|wrong| wrong > 0) {
                read.wrong += 1;
                continue;
            }
            let micro = |time| time / whole(1_000_000);
            read.rows.push(Measurement {
                bytes: self.bytes,
                time: parse_rational(time).ok().map(micro),
                algbw: parse_rational(algbw).ok(),
                busbw: Some(busbw),
                operator: operator.map(|name| (*name).to_string()),
                root,
                in_place: half > 0,
            });
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Bytes of an element of a type of NCCL.
fn width(kind: &str) -> Option<u64> {
    Some(match kind {
        "int8" | "uint8" | "char" | "fp8_e4m3" | "fp8_e5m2" | "f8e4m3" | "f8e5m2" => 1,
        "half" | "bfloat16" => 2,
        "int32" | "uint32" | "float" | "int" => 4,
        "int64" | "uint64" | "double" => 8,
        _ => return None,
    })
}

/// Our name for the collective of a program. The longest name first: scatter_perf ends reduce_scatter_perf.
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
        arguments.each(|index, word| {
            if index == 0 {
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
    let mut read = Measurements {
        program: "nccl-tests",
        collective,
        ranks: None,
        rows: Vec::new(),
        wrong: 0,
        by_message: false,
    };
    results.each(|_, result| {
        let [size, operator, root, out_of_place, in_place] =
            result.open_object(["size", "redop", "root", "out_of_place", "in_place"])?;
        let operator = operator.and_then(|name| name.string().ok());
        let root = root
            .and_then(|root| rational(root).ok())
            .and_then(|root| i64::try_from(root.to_integer()).ok());
        let bytes = need(&result, size, "size", "the bytes of the operation")?.whole()?;
        for (replaces, measured) in [(false, out_of_place), (true, in_place)] {
            let Some(measured) = measured.filter(|measured| !measured.is_null()) else {
                continue;
            };
            let [time, alg, bus, wrong] =
                measured.open_object(["time", "alg_bw", "bus_bw", "nwrong"])?;
            let bus = need(&measured, bus, "bus_bw", "the bus bandwidth in GB/s")?;
            // If nccl-tests could not divide, the value is the text "nan".
            if matches!(bus.scalar()?, Scalar::Text(_)) {
                continue;
            }
            let number = |value: Option<Json<'_, '_>>| value.and_then(|value| rational(value).ok());
            if number(wrong).is_some_and(|wrong| !wrong.is_zero()) {
                read.wrong += 1;
                continue;
            }
            let time = number(time).filter(Rational::is_positive);
            read.rows.push(Measurement {
                bytes,
                time: time.map(|time| time / whole(1_000_000)),
                algbw: number(alg),
                busbw: Some(rational(bus)?),
                operator: operator.clone().map(String::from),
                root,
                in_place: replaces,
            });
        }
        Ok(())
    })?;
    if read.rows.is_empty() && read.wrong == 0 {
        return Err(results.fail(unexpected(
            "a list without bandwidths",
            "a list of measurements with \"bus_bw\"",
        )));
    }
    Ok(read)
}
