//! Measured times, each beside the row of its own size, and the latency and bandwidth fitted to them.

use std::path::Path;

use num_traits::{One, Signed};
use oneport::{Bandwidth, Problem, Rational, Units, percent};
use serde::Serialize;

use super::fitted::{Line, Point, fitted};
use crate::error::{Result, unfit};
use crate::shown::short;
use crate::words::decimal;

/// A bandwidth at the largest size below this share of the best one, in percent, is remarked on. Trades false alarms
/// for late ones. Not measured.
const HEALTHY: u32 = 85;

/// The measurements of a file.
#[derive(Debug, Clone)]
pub struct MeasuredTimes {
    /// The name of the file.
    file: String,
    /// Bytes as nccl-tests count them, and the shortest time of each size, ascending.
    points: Vec<Point>,
    lines: Vec<Line>,
}

impl MeasuredTimes {
    /// Reads measurements of the collective of the question.
    ///
    /// # Errors
    /// A file without measurements, a file of another collective, or a collective that no benchmark counts.
    pub(crate) fn read(path: &Path, problem: &Problem) -> Result<MeasuredTimes> {
        let mut points = points(path, problem)?;
        points.sort_by(|one, other| (&one.bytes, &one.time).cmp(&(&other.bytes, &other.time)));
        points.dedup_by(|one, other| one.bytes == other.bytes);
        Ok(MeasuredTimes {
            file: path.display().to_string(),
            lines: fitted(&points),
            points,
        })
    }

    /// The sizes, as options take them.
    pub(crate) fn sizes(&self) -> Vec<String> {
        self.points
            .iter()
            .map(|point| format!("{} B", point.bytes))
            .collect()
    }

    /// Seconds of an operation of this many bytes. `None` if it was not measured.
    pub fn time(&self, bytes: &Rational) -> Option<&Rational> {
        let of = |point: &&Point| point.bytes == *bytes;
        self.points.iter().find(of).map(|point| &point.time)
    }

    /// The fitted lines and the remarks on the measurements, as lines of text.
    pub fn text(&self) -> String {
        let units = Units::bytes_and_seconds();
        let (time, data) = (
            |value: &Rational| units.show_time(value),
            |value: &Rational| units.show_data(value),
        );
        let mut out = format!("measured    {}: {} sizes", self.file, self.points.len());
        for line in &self.lines {
            out.push_str(&format!(
                "\nfitted      {} to {}: {}{}, off by {} at most",
                data(&line.from),
                data(&line.to),
                time(&line.latency),
                rate(line).map_or_else(String::new, |rate| format!(
                    " and {} GB/s (algbw)",
                    short(&rate)
                )),
                percent(&line.residual),
            ));
        }
        for remark in self.remarks() {
            out.push_str(&format!("\n            {remark}"));
        }
        out
    }

    /// Remarks on the measurements alone: a bandwidth that falls towards the largest size.
    fn remarks(&self) -> Vec<String> {
        let data = |value: &Rational| Units::bytes_and_seconds().show_data(value);
        let rate = |point: &Point| {
            &point.bytes / &point.time / Rational::from_integer(1_000_000_000.into())
        };
        let best = self
            .points
            .iter()
            .max_by(|one, other| rate(one).cmp(&rate(other)));
        let mut remarks = Vec::new();
        let Some((best, last)) = best.zip(self.points.last()) else {
            return remarks;
        };
        let healthy = Rational::new(HEALTHY.into(), 100.into());
        if rate(last) < rate(best) * healthy {
            remarks.push(format!(
                "the bandwidth falls from {} GB/s at {} to {} GB/s at {}: a link or card that slows down, or is shared with \
                 other traffic",
                short(&rate(best)),
                data(&best.bytes),
                short(&rate(last)),
                data(&last.bytes),
            ));
        }
        remarks
    }

    /// The fitted lines.
    pub fn fitted(&self) -> Vec<FittedNumbers> {
        let line = |line: &Line| FittedNumbers {
            from: line.from.to_string(),
            to: line.to.to_string(),
            latency: decimal(&line.latency),
            algbw: rate(line).map(|rate| decimal(&rate)),
            residual: decimal(&line.residual),
        };
        self.lines.iter().map(line).collect()
    }
}

/// A line fitted to measured times, in decimals of ten digits. A fit is no exact number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedNumbers {
    /// The smallest of its sizes, in bytes.
    pub from: String,
    /// The largest of its sizes, in bytes.
    pub to: String,
    /// Seconds at size 0.
    pub latency: String,
    /// Algorithm bandwidth in GB/s. `None` if the time does not grow with the size.
    pub algbw: Option<String>,
    /// The largest distance of a time from the line, as a share of the time.
    pub residual: String,
}

/// GB/s of a line. `None` if the time does not grow with the size.
fn rate(line: &Line) -> Option<Rational> {
    line.slope
        .is_positive()
        .then(|| (&line.slope * Rational::from_integer(1_000_000_000.into())).recip())
}

/// The measured sizes of a file.
#[cfg(not(feature = "topologies"))]
fn points(path: &Path, _: &Problem) -> Result<Vec<Point>> {
    Err(unfit(format!(
        "{}: this build of oneport lacks the feature `topologies`, which reads measurements",
        path.display()
    )))
}

/// The measured sizes of a file, in place and out of place.
#[cfg(feature = "topologies")]
fn points(path: &Path, problem: &Problem) -> Result<Vec<Point>> {
    use crate::measured_file::{fits, of};

    let measurements = oneport_topologies::read_measurements(path)?;
    let asked = problem.collective().name();
    let Some(bandwidth) =
        Bandwidth::of(problem).filter(|bandwidth| bandwidth.bus_factor.is_positive())
    else {
        return Err(unfit(format!(
            "--measured: no benchmark counts the bandwidth of a {asked}; leave it out"
        )));
    };
    fits(problem, &measurements, bandwidth.ranks)
        .map_err(|text| unfit(format!("{}: {text}", path.display())))?;
    let giga = Rational::from_integer(1_000_000_000.into());
    let positive = |value: &Option<Rational>| value.clone().filter(Signed::is_positive);
    let point = |row: &oneport_topologies::Measurement| {
        let bytes = Rational::from_integer(measurements.bytes(row, bandwidth.ranks).into());
        let counted = &bytes * &bandwidth.bus_factor;
        let time = positive(&row.busbw).map(|busbw| counted / (busbw * &giga));
        let time = time.or_else(|| positive(&row.time))?;
        bytes.is_positive().then_some(Point { time, bytes })
    };
    let points: Vec<Point> = of(problem, &measurements).filter_map(point).collect();
    if points.is_empty() {
        return Err(unfit(format!(
            "{}: no bandwidth in it is positive; give a run that moved data",
            path.display()
        )));
    }
    Ok(points)
}

/// Compares a measured time with the best time known, with a possible cause: the resources that limit the optimum.
/// `None` if the measured time is near the best or below it, or if `limits` is empty.
pub fn verdict(measured: &Rational, best: &Rational, limits: &str) -> Option<String> {
    let ratio = measured / best;
    let healthy = Rational::new(HEALTHY.into(), 100.into());
    if ratio.recip() >= healthy || ratio <= Rational::one() || limits.is_empty() {
        return None;
    }
    Some(format!(
        "the largest size takes {} times the best time above; one slow link among {limits}, at {} of its bandwidth, would explain \
         that, and so would the library's own algorithm (compare)",
        short(&ratio),
        percent(&ratio.recip())
    ))
}
