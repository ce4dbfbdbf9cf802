//! NCCL's own model of time: the bandwidth that it expects of each algorithm, and the algorithm that it would pick.

use std::path::Path;

use oneport::plan::{Bandwidth, Form};
use oneport::watch::Watch;
use oneport::{Platform, Problem, Rational, decimal};
use oneport_baselines::{
    Boxes, Estimate, Forwarders, NcclModel, Routes, Ties, is_accelerator, ranks,
};
use serde::Serialize;

use crate::error::Result;

/// NCCL's model of the question.
#[derive(Debug, Clone)]
pub struct Nccl {
    rated: Vec<Rated>,
    /// The assumptions of the model besides the platform.
    pub assumed: String,
    /// Whether the question has a size, so that latency counts.
    is_sized: bool,
    /// A switch of a box, if it does not combine and duplicate, so that NVLS cannot run.
    forwards: Option<String>,
}

/// An algorithm with its best protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    /// As in `NCCL_ALGO`.
    pub algorithm: String,
    /// As in `NCCL_PROTO`.
    pub protocol: String,
    /// The bus bandwidth that the model expects, in GB/s.
    pub busbw: Rational,
    /// The time of one operation that the model expects, in microseconds. `None` without a size.
    pub time: Option<Rational>,
}

impl Rated {
    /// Its numbers, in six digits.
    pub fn numbers(&self) -> RatedNumbers {
        RatedNumbers {
            algorithm: self.algorithm.clone(),
            protocol: self.protocol.clone(),
            gigabytes: decimal(&self.busbw, 6),
            microseconds: self.time.as_ref().map(|time| decimal(time, 6)),
        }
    }
}

/// An estimate of NCCL's model as texts of six digits: it is no exact number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatedNumbers {
    /// As in `NCCL_ALGO`.
    pub algorithm: String,
    /// As in `NCCL_PROTO`.
    pub protocol: String,
    /// Bus bandwidth in GB/s.
    #[serde(rename = "busbw_GB_per_s")]
    pub gigabytes: String,
    /// Time of one operation in microseconds. `None` without a size.
    #[serde(rename = "time_us")]
    pub microseconds: Option<String>,
}

/// The model, or the reason why it is not evaluated. `None` if NCCL chooses nothing (no accelerators, another
/// collective), or if the watch has ended.
pub(crate) fn of(
    problem: &Problem,
    is_sized: bool,
    log: &[Printed],
    watch: &Watch,
) -> Option<Result<Nccl, String>> {
    let platform = problem.platform();
    let nodes = ranks(problem);
    if !nodes.iter().all(|&node| is_accelerator(platform, node)) {
        return None;
    }
    let over = Forwarders::Anything;
    let routes = Routes::new(platform, &nodes, over, Ties::Turns, watch).ok()?;
    let boxes = Boxes::find(problem, &nodes, &routes);
    let form = problem.collective().form().map(Form::alike)?;
    let bandwidth = Bandwidth::of(problem)?;
    if boxes.members.is_empty() || nodes.len() < 2 || !NcclModel::chooses(form) {
        return None;
    }
    let model = NcclModel::of(problem, &boxes, &routes);
    let printed: Vec<Estimate> = log
        .iter()
        .filter(|row| row.collective == form.name)
        .map(|row| row.estimate.clone())
        .collect();
    let (estimates, assumed) = match (&model, printed.is_empty()) {
        (_, false) => (printed, "as its log prints it".to_string()),
        (Ok(model), true) => (
            model.estimates(form),
            format!("NCCL 2.30.7, {}", model.assumed()),
        ),
        (Err(reason), true) => return Some(Err(reason.clone())),
    };
    let bytes = platform
        .units()
        .filter(|_| is_sized)
        .map(|units| units.bytes(&bandwidth.size));
    let thousand = || Rational::from_integer(1000.into());
    let rate = |estimate: Estimate| {
        let time = bytes.as_ref().map(|bytes| match &model {
            Ok(model) => model.time(form, &estimate, bytes),
            Err(_) => &estimate.latency + bytes / (&estimate.bandwidth * thousand()),
        });
        let algorithm = match (&time, &bytes) {
            (Some(time), Some(bytes)) => bytes / time / thousand(),
            _ => estimate.bandwidth,
        };
        Rated {
            algorithm: estimate.algorithm,
            protocol: estimate.protocol,
            busbw: algorithm * &bandwidth.bus_factor,
            time,
        }
    };
    let rated = estimates.into_iter().map(rate).collect();
    Some(Ok(Nccl {
        rated: best_protocols(rated),
        assumed,
        is_sized: bytes.is_some(),
        forwards: forwarding(platform, &boxes),
    }))
}

/// The switch of the first box, if the boxes' switches do not combine and duplicate.
fn forwarding(platform: &Platform, boxes: &Boxes) -> Option<String> {
    let first = boxes.switches.first()?;
    boxes
        .combiners
        .is_empty()
        .then(|| platform.name(*first).to_string())
}

/// An entry of NCCL's own table, as its log prints it.
pub(crate) struct Printed {
    /// The collective, by our name.
    collective: &'static str,
    estimate: Estimate,
}

/// Reads the log of `--tuning`.
#[cfg(feature = "topologies")]
pub(crate) fn read(path: &Path) -> Result<Vec<Printed>> {
    let rows = oneport_topologies::read_tuning(path)?;
    let printed = |row: oneport_topologies::Tuned| Printed {
        collective: row.collective,
        estimate: Estimate {
            algorithm: row.algorithm,
            protocol: row.protocol,
            latency: row.latency,
            bandwidth: row.bandwidth,
        },
    };
    Ok(rows.into_iter().map(printed).collect())
}

/// Reads the log of `--tuning`.
#[cfg(not(feature = "topologies"))]
pub(crate) fn read(path: &Path) -> Result<Vec<Printed>> {
    Err(crate::error::unfit(format!(
        "{}: this build of oneport lacks the feature `topologies`",
        path.display()
    )))
}

/// The protocol with the largest bandwidth for every algorithm. The best algorithm is the first.
fn best_protocols(mut rated: Vec<Rated>) -> Vec<Rated> {
    rated.sort_by(|one, other| other.busbw.cmp(&one.busbw));
    let mut best: Vec<Rated> = Vec::new();
    for row in rated {
        if best.iter().all(|known| known.algorithm != row.algorithm) {
            best.push(row);
        }
    }
    best
}

impl Nccl {
    /// The entry of the model for the row of this name.
    pub fn expects(&self, row: &str) -> Option<&Rated> {
        let name = row.strip_prefix("NCCL ")?;
        let name = name.split_once(" (").map_or(name, |(name, _)| name);
        self.rated.iter().find(|rated| rated.algorithm == name)
    }

    /// The entry that NCCL would pick.
    pub fn pick(&self) -> Option<&Rated> {
        self.rated.first()
    }

    /// A switch that only forwards here, if the algorithm has switches combine and duplicate.
    fn forwards_to(&self, algorithm: &str) -> Option<&String> {
        self.forwards
            .as_ref()
            .filter(|_| algorithm.starts_with("NVLS"))
    }

    /// Whether the algorithm that NCCL would pick has a row, if it can have one.
    pub fn can_have_a_row(&self) -> bool {
        let picked = self.pick().map(|rated| rated.algorithm.as_str());
        picked.is_some_and(|algorithm| self.forwards_to(algorithm).is_none())
    }

    /// "would pick Ring (Simple): its own model expects busbw 192 GB/s".
    pub fn sentence(&self) -> Option<String> {
        let Rated {
            algorithm,
            protocol,
            busbw,
            time,
        } = self.pick()?;
        let time = time
            .as_ref()
            .map_or_else(String::new, |time| format!("{} us, ", decimal(time, 4)));
        let size = if self.is_sized {
            ""
        } else {
            ", for large sizes"
        };
        let forwards = self.forwards_to(algorithm).map_or_else(String::new, |switch| {
            format!(
                "; its switches combine and duplicate, and '{switch}' only forwards here, so no bound and no row here is \
                 about it (--reduce-in-switch --multicast, or --change '{switch}: reduces = true' --change '{switch}: \
                 replicates = true')"
            )
        });
        Some(format!(
            "would pick {algorithm} ({protocol}): its own model expects {time}busbw {} GB/s{size} ({}){forwards}",
            decimal(busbw, 4),
            self.assumed
        ))
    }
}
