//! Times as values that serialise.

use oneport::Rational;
use serde::Serialize;
use serde_json::Value;

use super::TimeAnswer;
use super::measured::{FittedNumbers, MeasuredTimes};
use super::search::{Row, Timed};
use crate::limits::key_of;
use crate::nccl::{Rated, RatedNumbers};

/// Times of one operation, rationals in lowest terms. Times are in seconds. Without units they are in units of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeNumbers {
    /// `feasible`, or `bound` if a size has no run.
    pub status: &'static str,
    /// A row per size, in the order of the question.
    pub sizes: Vec<SizeNumbers>,
    /// The latencies of the platform's links, by kind and origin.
    pub latencies: Value,
    /// The lines fitted to the measured times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitted: Option<Vec<FittedNumbers>>,
    /// The key of the limit that ended the search.
    pub ended_by: Option<&'static str>,
}

/// One size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeNumbers {
    /// Bytes as nccl-tests count them. `None` without units, or if they do not count the collective.
    pub bytes: Option<String>,
    /// The best run. Absent if a limit came before the first run was dated.
    #[serde(flatten)]
    pub best: Option<TimedNumbers>,
    /// Proved lower bound on the time.
    pub lower_bound: String,
    /// The excess of the best time over the bound, as a share of the bound.
    pub gap: Option<String>,
    /// The measured time in seconds. `Some(None)` if this size was not measured. `None` without measurements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Option<String>>,
    /// The estimate of NCCL's own model, if there is one size.
    pub nccl: Option<RatedNumbers>,
    /// The best run of each algorithm, the shortest first.
    pub rows: Vec<TimedNumbers>,
}

/// The best run of an algorithm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimedNumbers {
    /// The name of the algorithm.
    pub name: String,
    /// The number of its pieces.
    pub pieces: u32,
    /// The time.
    pub time: String,
    /// Algorithm bandwidth in GB/s.
    pub algbw: Option<String>,
    /// Bus bandwidth in GB/s.
    pub busbw: Option<String>,
}

impl TimeAnswer {
    /// The times as values that serialise.
    pub fn numbers(&self) -> TimeNumbers {
        let has_runs = self.rows.iter().all(|row| !row.timed.is_empty());
        TimeNumbers {
            status: if has_runs { "feasible" } else { "bound" },
            sizes: self.rows.iter().map(|row| self.of_size(row)).collect(),
            latencies: self.latencies.json(self.problem.platform()),
            fitted: self.measured.as_ref().map(MeasuredTimes::fitted),
            ended_by: self.ended_by.map(key_of),
        }
    }

    fn of_size(&self, row: &Row) -> SizeNumbers {
        let rows: Vec<TimedNumbers> = row.timed.iter().map(|one| self.timed(row, one)).collect();
        let measured = self.measured.as_ref();
        let pick = self.nccl.as_ref().and_then(|nccl| nccl.pick());
        SizeNumbers {
            bytes: self.is_counted(row).then(|| self.bytes(row).to_string()),
            best: rows.first().cloned(),
            lower_bound: self.seconds(&row.least).to_string(),
            gap: row.gap().map(|gap| gap.to_string()),
            measured: measured.map(|_| self.measured(row).map(Rational::to_string)),
            nccl: pick.map(Rated::numbers),
            rows,
        }
    }

    fn timed(&self, row: &Row, timed: &Timed) -> TimedNumbers {
        let rates = self.counted(row, &timed.length);
        let [algbw, busbw] = rates.map(|rate| rate.map(|rate| rate.to_string()));
        TimedNumbers {
            name: timed.name.clone(),
            pieces: timed.pieces,
            time: self.seconds(&timed.length).to_string(),
            algbw,
            busbw,
        }
    }
}
