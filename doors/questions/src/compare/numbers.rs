//! The comparison as values that serialise.

use oneport::{Rational, Units, count};
use oneport_timing::BestPieces;
use serde::Serialize;
use serde_json::Value;

use super::entry::{Entry, Origin};
use super::{CompareAnswer, Times};
use crate::in_network::InNetworkNumbers;
use crate::limiting::OddSetWords;
use crate::limits::key_of;
use crate::nccl::{Nccl, Rated, RatedNumbers};
use crate::words::seconds;

/// The comparison, rationals in lowest terms. `None` stands for a number that was not asked for, or was not found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompareNumbers {
    /// `optimal` if the throughput equals the bound, `feasible`, or `bound`: only a bound is known.
    pub status: &'static str,
    /// Operations per unit of time of the best schedule known.
    pub throughput: Option<String>,
    /// The bound that the certificate proves.
    pub upper_bound: String,
    /// The bound as a bus bandwidth in GB/s.
    pub busbw: Option<String>,
    /// The proved lower bound on the time of one operation, in seconds. Without units it is in units of time.
    pub lower_bound: Option<String>,
    /// The time of oneport's own best run of one operation.
    pub time: Option<String>,
    /// Its number of pieces.
    pub pieces: Option<u32>,
    /// The algorithms and shapes.
    pub rows: Vec<ComparedNumbers>,
    /// The measurement.
    pub measured: Option<OwnMeasure>,
    /// NCCL's own model of time.
    pub nccl: Option<NcclNumbers>,
    /// The latencies of the platform's links, by kind and origin.
    pub latencies: Option<Value>,
    /// The key of the limit that ended a search.
    pub ended_by: Option<&'static str>,
}

/// An algorithm or a shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedNumbers {
    /// Its name.
    pub name: String,
    /// Its description.
    pub about: String,
    /// Whether it is the user's.
    pub own: bool,
    /// Whether it performs the collective that is asked about.
    pub compared: bool,
    /// Whether it combines operands in the order of the participants.
    pub in_order: bool,
    /// Operations per unit of time.
    pub throughput: String,
    /// The throughput as a share of the bound.
    pub share: String,
    /// Bus bandwidth in GB/s.
    pub busbw: Option<String>,
    /// The time of one operation, in seconds.
    pub time: Option<String>,
    /// Its number of pieces.
    pub pieces: Option<u32>,
    /// The lower bound on the time as a share of the time.
    pub share_once: Option<String>,
    /// The measurement as a share of the throughput.
    pub measured_share: Option<String>,
    /// The estimate of NCCL's model.
    pub nccl_expects: Option<RatedNumbers>,
    /// The resources that limit it.
    pub limited_by: Option<String>,
    /// The keys of an algorithm, or of a shape.
    #[serde(flatten)]
    pub origin: OriginNumbers,
}

/// The keys of an algorithm, or of a shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OriginNumbers {
    /// An algorithm.
    Algorithm {
        /// Libraries that run it, and their names for it.
        run_by: Option<&'static str>,
        /// The odd set that limits it.
        odd_set: Option<OddSetWords>,
    },
    /// The best of a shape.
    Shape {
        /// The bound of its search.
        upper_bound: String,
        /// `optimal` if the throughput equals that bound.
        status: &'static str,
        /// The number of programs of the search.
        programs: usize,
    },
}

/// A measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnMeasure {
    /// As the user reads it.
    pub shown: String,
    /// Operations per unit of time.
    pub throughput: String,
    /// The throughput as a share of the bound.
    pub share: String,
    /// Whether no proved bound excludes it.
    pub possible: bool,
    /// The bound with in-network reduction.
    pub in_network: Option<InNetworkNumbers>,
}

/// NCCL's own model of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NcclNumbers {
    /// The estimate of the algorithm that NCCL would pick.
    pub pick: Option<RatedNumbers>,
    /// The assumptions of the model besides the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// The reason why the model is not evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CompareAnswer {
    /// The comparison as values that serialise.
    pub fn numbers(&self) -> CompareNumbers {
        let platform = self.problem.platform();
        let throughput = self.best.throughput();
        let times = self.times.as_ref();
        let own = times.and_then(|times| times.own.as_ref());
        let entries = self.entries();
        CompareNumbers {
            status: throughput.map_or("bound", |_| self.best.status().name()),
            throughput: throughput.map(Rational::to_string),
            upper_bound: self.best.bound().to_string(),
            busbw: self.gigabytes(self.best.bound()),
            lower_bound: times.map(|times| seconds(platform, &times.least).to_string()),
            time: own.map(|own| seconds(platform, &own.length).to_string()),
            pieces: own.map(|own| own.pieces),
            rows: entries.iter().map(|entry| self.row(entry)).collect(),
            measured: self.own_measure(),
            nccl: self.nccl.as_ref().map(nccl),
            latencies: times.map(|_| self.latencies.json(platform)),
            ended_by: self.ended_by.map(key_of),
        }
    }

    /// The bus bandwidth in GB/s.
    fn gigabytes(&self, throughput: &Rational) -> Option<String> {
        let show = |(units, rate): (Units, Rational)| units.gigabytes_per_second(&rate).to_string();
        self.bus(throughput).map(show)
    }

    fn row(&self, entry: &Entry<'_>) -> ComparedNumbers {
        let platform = self.problem.platform();
        let throughput = entry.throughput();
        let (about, in_order, origin) = match entry.origin {
            Origin::Algorithm(row) => {
                let odd_set = row.sustained.odd_set.as_ref();
                let origin = OriginNumbers::Algorithm {
                    run_by: entry.run_by,
                    odd_set: odd_set.map(|set| OddSetWords::of(platform, set, None)),
                };
                (row.algorithm.about.to_string(), row.in_order, origin)
            }
            Origin::Shape(found) => {
                let shaped = &found.shaped;
                let programs = count(shaped.programs, "program");
                let origin = OriginNumbers::Shape {
                    upper_bound: shaped.upper_bound.to_string(),
                    status: shaped.status.name(),
                    programs: shaped.programs,
                };
                let about =
                    format!("by branch and bound, a search of {programs} that is not checked");
                (about, true, origin)
            }
        };
        let once = self.times.as_ref().zip(entry.once);
        let share_once = |(times, once): (&Times, &BestPieces)| &times.least / &once.length;
        let nccl = self.nccl.as_ref().and_then(|nccl| nccl.as_ref().ok());
        let expected = nccl.and_then(|nccl| nccl.expects(entry.name()));
        let measured_share = self.measured_share(throughput);
        ComparedNumbers {
            name: entry.name().to_string(),
            about,
            own: entry.is_own(),
            compared: entry.compared,
            in_order,
            throughput: throughput.to_string(),
            share: self.share(throughput).to_string(),
            busbw: self.gigabytes(throughput),
            time: entry
                .once
                .map(|once| seconds(platform, &once.length).to_string()),
            pieces: entry.once.map(|once| once.pieces),
            share_once: once.map(|once| share_once(once).to_string()),
            measured_share: measured_share.map(|share| share.to_string()),
            nccl_expects: expected.map(Rated::numbers),
            limited_by: entry.limited_by.clone(),
            origin,
        }
    }

    fn own_measure(&self) -> Option<OwnMeasure> {
        let measured = self.measured.as_ref()?;
        let in_network = self.in_network.as_ref();
        Some(OwnMeasure {
            shown: measured.shown.clone(),
            throughput: measured.throughput.to_string(),
            share: self.share(&measured.throughput).to_string(),
            possible: !self.is_impossible(),
            in_network: in_network.map(|found| found.numbers(measured)),
        })
    }
}

fn nccl(model: &Result<Nccl, String>) -> NcclNumbers {
    match model {
        Ok(model) => NcclNumbers {
            pick: model.pick().map(Rated::numbers),
            assumed: Some(model.assumed.clone()),
            reason: None,
        },
        Err(reason) => NcclNumbers {
            pick: None,
            assumed: None,
            reason: Some(reason.clone()),
        },
    }
}
