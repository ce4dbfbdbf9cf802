//! Reads measured throughputs and compares them with proved bounds.

use std::path::Path;

use num_traits::{Signed, Zero};
use oneport::platform::whole;
use oneport::units::{Dimension, Quantity};
use oneport::{Bandwidth, Problem, Rational};

use crate::error::{Result, of_cause, unfit, usage};
use crate::reading::Hearer;

/// If a measurement is above a proved bound, the numbers are wrong, or the model is incomplete.
pub const WRONG: &str = "the platform file or the measurement is wrong, or the run does what the file leaves \
    out: switches that combine or copy values (SHARP, NVLS), data that are compressed on the way, or several rails \
    (network cards, cables) behind one name";

/// A measured value as a throughput.
#[derive(Debug, Clone)]
pub struct Measured {
    /// As the user reads it: "212 GB/s".
    pub shown: String,
    /// Operations per unit of time.
    pub throughput: Rational,
    /// The time of one operation. `None` if it was not given.
    pub once: Option<Rational>,
}

impl Measured {
    /// The reasons for which a measurement is above a proved bound. `None` if it is not.
    pub fn impossible(&self, bound: &Rational) -> Option<String> {
        (self.throughput > *bound).then(|| WRONG.to_string())
    }
}

/// Reads a measurement: a number with its unit, or a file. If the question is of one size (`sized`), the row of that
/// size counts.
///
/// # Errors
/// A text that is no positive measurement, a file without one, or a file of another question.
pub fn read(problem: &Problem, text: &str, sized: bool, hear: Hearer<'_>) -> Result<Measured> {
    let path = Path::new(text);
    if path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        || path.is_file()
    {
        return file(problem, path, sized, hear);
    }
    let (value, algorithm) = match text.trim().strip_suffix("algbw") {
        Some(value) => (value, true),
        None => (text.trim().strip_suffix("busbw").unwrap_or(text), false),
    };
    let quantity = Quantity::parse(value).map_err(|error| usage(format!("--measured: {error}")))?;
    let mut once = None;
    let throughput = match (quantity.dimension, problem.platform().units()) {
        (Dimension::Number, _) => oneport::parse_rational(value).map_err(of_cause)?,
        (_, None) => {
            return Err(usage(format!(
                "--measured: '{text}' has a unit, but the platform has none; write units = \"GB/s\" (data over time) at \
                 the top of its file, or give --units GB/s"
            )));
        }
        (Dimension::Time, Some(units)) => {
            let time = units.time(&quantity, value).map_err(of_cause)?;
            if time.is_zero() {
                return Err(usage(
                    "--measured: a time is positive; give that of one operation, such as 3.1ms",
                ));
            }
            once.insert(time).recip()
        }
        (Dimension::Rate, Some(units)) => {
            let bandwidth = bandwidth(problem)?;
            let unit = whole(1);
            let counted = if algorithm {
                bandwidth.algorithm(&unit)
            } else {
                bandwidth.bus(&unit)
            };
            units.rate(&quantity, value).map_err(of_cause)? / counted
        }
        (found, Some(_)) => {
            return Err(usage(format!(
                "--measured: '{text}' is {found}; give a bandwidth (212 GB/s), the time of one operation (3.1 ms) or a \
                 number of operations per unit of time"
            )));
        }
    };
    if !throughput.is_positive() {
        return Err(usage(format!(
            "--measured: {text} is not positive; give what was measured, such as 212GB/s"
        )));
    }
    let shown = text.trim();
    let shown = match (quantity.dimension, problem.platform().units()) {
        (Dimension::Number, Some(units)) => format!(
            "{shown} operations per {} (a number without a unit; a bandwidth has one: {shown} GB/s)",
            units.time
        ),
        (Dimension::Number, None) => format!("{shown} operations per unit of time"),
        _ => shown.to_string(),
    };
    Ok(Measured {
        shown,
        throughput,
        once,
    })
}

/// No file of measurements.
#[cfg(not(feature = "topologies"))]
fn file(_: &Problem, path: &Path, _: bool, _: Hearer<'_>) -> Result<Measured> {
    Err(unfit(format!(
        "{}: this build of oneport lacks the feature `topologies`; give the number",
        path.display()
    )))
}

/// The fastest row of a file of measurements that has the size of the question, else the most bytes.
#[cfg(feature = "topologies")]
fn file(problem: &Problem, path: &Path, sized: bool, hear: Hearer<'_>) -> Result<Measured> {
    use crate::measured_file::{chosen, fits, notes};
    use crate::reading::Note;

    let measurements = oneport_topologies::read_measurements(path)?;
    let Some(units) = problem.platform().units() else {
        return Err(usage(format!(
            "--measured: {} measure GB/s, but the platform has no units; write units = \"GB/s\" (data over time) at the \
             top of its file, or give --units GB/s",
            measurements.program
        )));
    };
    let bandwidth = bandwidth(problem)?;
    let wrong = |text: String| unfit(format!("{}: {text}", path.display()));
    fits(problem, &measurements, bandwidth.ranks).map_err(wrong)?;
    let asked = sized.then(|| units.bytes(&bandwidth.size));
    let row = chosen(problem, &measurements, bandwidth.ranks, asked.as_ref()).map_err(wrong)?;
    for note in notes(&measurements, &bandwidth) {
        hear(Note::Plain(&format!(
            "--measured: {}: {note}",
            path.display()
        )));
    }
    let bytes = whole(measurements.bytes(row, bandwidth.ranks));
    let one = whole(1);
    let per_second = |value: &Rational, unit: &str| {
        let quantity = Quantity::parse(&format!("{value} {unit}"))?;
        units.rate(&quantity, unit)
    };
    let size = oneport::Units::bytes_and_seconds().show_data(&bytes);
    let (shown, throughput) = match (&row.busbw, &row.time) {
        (Some(busbw), _) => {
            let buffers = if row.in_place {
                "in place"
            } else {
                "out of place"
            };
            let shown = format!(
                "{} GB/s (busbw of {}, {size}, {buffers})",
                oneport::decimal(busbw, 6),
                measurements.program
            );
            let rate = per_second(busbw, "GB/s").map_err(of_cause)?;
            (shown, rate / bandwidth.bus(&one))
        }
        (None, Some(time)) => {
            let which = match measurements.program {
                "IMB" => "t_max",
                _ => "average",
            };
            let shown = format!(
                "{} us ({which} of {}, {size})",
                oneport::decimal(&(time * whole(1_000_000)), 6),
                measurements.program
            );
            let rate = per_second(&(&bytes / time), "B/s").map_err(of_cause)?;
            (shown, rate / bandwidth.algorithm(&one))
        }
        (None, None) => return Err(wrong("neither a time nor a bandwidth".to_string())),
    };
    let once = row.time.as_ref().filter(|_| sized).map(|time| {
        let quantity = Quantity::parse(&format!("{time} s"))?;
        units.time(&quantity, "s")
    });
    Ok(Measured {
        shown,
        throughput,
        once: once.transpose().map_err(of_cause)?,
    })
}

fn bandwidth(problem: &Problem) -> Result<Bandwidth> {
    let counted = Bandwidth::of(problem).filter(|bandwidth| bandwidth.bus_factor.is_positive());
    counted.ok_or_else(|| {
        usage(format!(
            "--measured: no benchmark counts the bandwidth of a {}; give the time of one operation",
            problem.collective().name()
        ))
    })
}
