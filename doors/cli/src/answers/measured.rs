//! Reads measured throughputs and compares them with proved bounds.

use std::path::Path;

use anyhow::{Result, bail};
use num_traits::{Signed, Zero};
use oneport::units::{Dimension, Quantity};
use oneport::{Bandwidth, Problem, Rational};

use crate::words::usage::usage;

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
    /// The time of one operation; `None` if it was not given.
    pub once: Option<Rational>,
}

impl Measured {
    /// Why it can be above a proved bound, if it is; else `None`.
    pub fn impossible(&self, bound: &Rational) -> Option<String> {
        (self.throughput > *bound).then(|| WRONG.to_string())
    }
}

/// Reads `--measured`.
pub fn read(problem: &Problem, text: &str) -> Result<Measured> {
    let path = Path::new(text);
    if path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        || path.is_file()
    {
        return file(problem, path);
    }
    let (value, algorithm) = match text.trim().strip_suffix("algbw") {
        Some(value) => (value, true),
        None => (text.trim().strip_suffix("busbw").unwrap_or(text), false),
    };
    let quantity = Quantity::parse(value).map_err(|error| usage(format!("--measured: {error}")))?;
    let mut once = None;
    let throughput = match (quantity.dimension, problem.platform().units()) {
        (Dimension::Number, _) => oneport::parse_rational(value)?,
        (_, None) => {
            return Err(usage(format!(
                "--measured: '{text}' has a unit, but the platform has none; write units = \"GB/s\" (data over time) at \
                 the top of its file, or give --units GB/s"
            )));
        }
        (Dimension::Time, Some(units)) => {
            let time = units.time(&quantity, value)?;
            if time.is_zero() {
                return Err(usage(
                    "--measured: a time is positive; give that of one operation, such as 3.1ms",
                ));
            }
            once.insert(time).recip()
        }
        (Dimension::Rate, Some(units)) => {
            let bandwidth = bandwidth(problem)?;
            let unit = Rational::from_integer(1.into());
            let counted = if algorithm {
                bandwidth.algorithm(&unit)
            } else {
                bandwidth.bus(&unit)
            };
            units.rate(&quantity, value)? / counted
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
    Ok(Measured {
        shown: text.trim().to_string(),
        throughput,
        once,
    })
}

/// The row of a file of nccl-tests with the most bytes, in place or out of place, whichever is faster.
#[cfg(not(feature = "topologies"))]
fn file(_: &Problem, path: &Path) -> Result<Measured> {
    bail!(
        "{}: this build of oneport lacks the feature `topologies`; give the number",
        path.display()
    )
}

/// The row of a file of nccl-tests with the most bytes, in place or out of place, whichever is faster.
#[cfg(feature = "topologies")]
fn file(problem: &Problem, path: &Path) -> Result<Measured> {
    let measurements = oneport_topologies::read_measurements(path)?;
    let asked = problem.collective().name();
    if let Some(found) = measurements.collective.filter(|found| *found != asked) {
        bail!(
            "{}: measures {found}, but {asked} is asked for; compare {found}",
            path.display()
        );
    }
    let Some(units) = problem.platform().units() else {
        return Err(usage(
            "--measured: nccl-tests measure GB/s, but the platform has no units; write units = \"GB/s\" (data over time) \
             at the top of its file, or give --units GB/s",
        ));
    };
    let bandwidth = bandwidth(problem)?;
    let best = measurements
        .rows
        .iter()
        .max_by_key(|row| (row.bytes, &row.busbw));
    let Some(best) = best.filter(|row| row.busbw.is_positive()) else {
        bail!(
            "{}: no bandwidth in it is positive; give a run that moved data",
            path.display()
        );
    };
    let place = if best.in_place {
        "in place"
    } else {
        "out of place"
    };
    let bytes = Rational::from_integer((best.bytes).into());
    let shown = format!(
        "{} GB/s (busbw of nccl-tests, {}, {place})",
        oneport::decimal(&best.busbw, 6),
        oneport::Units::bytes_and_seconds().show_data(&bytes),
    );
    let rate = Quantity::parse(&format!("{} GB/s", best.busbw))?;
    let one = Rational::from_integer(1.into());
    Ok(Measured {
        shown,
        throughput: units.rate(&rate, "GB/s")? / bandwidth.bus(&one),
        once: None,
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
