//! Times of one operation, by size: `"ask": "time"`.

mod fitted;
mod measured;
mod numbers;
mod search;
mod sizes;

use std::path::Path;
use std::sync::Arc;

use num_traits::Zero;
use oneport::watch::Limit;
use oneport::{Bandwidth, Collective, Options, Platform, Problem, Rational, Units, Volumes};

use crate::asked::{problem, taking_part, volumes_of};
use crate::error::{Result, usage};
use crate::idle::LeftOut;
use crate::latency::KnownLatencies;
use crate::listed;
use crate::nccl::{self, Nccl};
use crate::question::Question;
use crate::reading::Hearer;
use crate::words::seconds;
pub use measured::{FittedNumbers, MeasuredTimes, verdict};
pub use numbers::{SizeNumbers, TimeNumbers, TimedNumbers};
pub use search::{OPTIMUM, Row, Timed};

/// Times of one operation, by size.
pub struct TimeAnswer {
    /// The question with the first size.
    pub problem: Problem,
    /// One row per size.
    pub rows: Vec<Row>,
    /// Whether the question lists no sizes.
    pub single: bool,
    /// Measured times.
    pub measured: Option<MeasuredTimes>,
    /// The resources that limit the optimum of the last size.
    pub limits: String,
    /// The latencies of the platform's links.
    pub latencies: KnownLatencies,
    /// NCCL's own model of the only size. `None` if NCCL chooses nothing, or if the model is not evaluated.
    pub nccl: Option<Nccl>,
    /// The processors that are left out.
    pub left_out: LeftOut,
    /// The limit that ended the search.
    pub ended_by: Option<Limit>,
}

/// A platform with a collective on it, for which only the sizes are missing.
pub(crate) struct Unsized {
    pub(crate) platform: Arc<Platform>,
    pub(crate) collective: Arc<Collective>,
    pub(crate) left_out: LeftOut,
}

impl Unsized {
    /// Reads the names of a question on its platform.
    pub(crate) fn read(platform: Platform, question: &Question) -> Result<Unsized> {
        let (platform, collective, left_out) = taking_part(platform, question)?;
        Ok(Unsized {
            platform: platform.into(),
            collective: collective.into(),
            left_out,
        })
    }

    fn problem(&self, volumes: Volumes) -> Result<Problem> {
        problem(self.platform.clone(), self.collective.clone(), volumes)
    }
}

impl TimeAnswer {
    /// Answers a question. The watch of the options limits all searches.
    ///
    /// # Errors
    /// A question that makes no sense, messages that cannot arrive, files that cannot be read or are of another
    /// question, a limit that came before an optimum was found.
    pub fn of(question: &Question, options: &Options, hear: Hearer<'_>) -> Result<TimeAnswer> {
        let (platform, latencies) = question.read_platform_for_times(hear)?;
        TimeAnswer::on(
            question,
            Unsized::read(platform, question)?,
            latencies,
            options,
        )
    }

    /// Answers a question on its platform, which was read before.
    pub(crate) fn on(
        question: &Question,
        asked: Unsized,
        latencies: KnownLatencies,
        options: &Options,
    ) -> Result<TimeAnswer> {
        let measured = question.measured.as_deref().map(Path::new);
        let measured = measured
            .map(|path| MeasuredTimes::read(path, &asked.problem(Volumes::default())?))
            .transpose()?;
        let sizes: Option<Vec<String>> = match (&question.sizes, &measured) {
            (Some(text), _) => Some(sizes::read(text)?),
            (None, Some(measured)) if !question.is_sized() => Some(measured.sizes()),
            _ => None,
        };
        let of_bytes =
            |bytes: Option<&str>| volumes_of(&asked.platform, &asked.collective, question, bytes);
        let all: Vec<Volumes> = match &sizes {
            Some(sizes) => {
                let each = sizes.iter().map(|bytes| of_bytes(Some(bytes)));
                each.collect::<Result<_>>()?
            }
            None => vec![of_bytes(question.bytes.as_deref())?],
        };
        let all = all.into_iter().map(|volumes| asked.problem(volumes));
        let all: Vec<Problem> = all.collect::<Result<_>>()?;
        let missing = || usage("--sizes: no size; write FROM:TO:xFACTOR, such as 8:4GiB:x2");
        let first = all.first().ok_or_else(missing)?;
        let single = sizes.is_none();
        let nccl = single
            .then(|| nccl::of(first, true, &[], &options.watch))
            .flatten();
        let own = question.with.0.iter();
        let own = own.map(|path| {
            let (mut algorithm, routes) = listed::read(&first.with_largest_messages(), path)?;
            algorithm.name.push_str(" (yours)");
            Ok((algorithm, routes))
        });
        let own: Vec<_> = own.collect::<Result<_>>()?;
        let (rows, limits) = search::of(&all, &own, options)?;
        Ok(TimeAnswer {
            problem: first.clone(),
            rows,
            single,
            measured,
            limits,
            latencies,
            nccl: nccl.and_then(std::result::Result::ok),
            left_out: asked.left_out,
            ended_by: options.watch.ended_by(),
        })
    }

    /// The units of the platform.
    pub fn units(&self) -> Option<Units> {
        self.problem.platform().units()
    }

    /// The operation of a row as nccl-tests count it. `None` if they do not count the collective.
    pub fn bandwidth(&self, row: &Row) -> Option<Bandwidth> {
        let (platform, collective) = (self.problem.platform(), self.problem.collective());
        Bandwidth::of(&Problem::new(platform, collective, &row.volumes).ok()?)
    }

    /// The size of the operation of a row, in units of data. If nccl-tests do not count the collective, it is the
    /// size of a message.
    pub fn size(&self, row: &Row) -> Rational {
        let message = || row.volumes.size.constant().cloned().unwrap_or_default();
        self.bandwidth(row)
            .map_or_else(message, |bandwidth| bandwidth.size)
    }

    /// The size in bytes. If the platform has no units, it is in units of data.
    pub fn bytes(&self, row: &Row) -> Rational {
        let size = self.size(row);
        self.units()
            .map_or_else(|| size.clone(), |units| units.bytes(&size))
    }

    /// Whether the platform has units, and benchmarks count the collective's bandwidth.
    pub fn is_counted(&self, row: &Row) -> bool {
        self.units().is_some() && self.bandwidth(row).is_some()
    }

    /// Algorithm and bus bandwidth, in 10^9 bytes per second. Both are the same if benchmarks do not count the
    /// collective, and 0 if the operation takes no time.
    pub fn gigabytes(&self, row: &Row, time: &Rational) -> [Rational; 2] {
        let seconds = self.seconds(time);
        if seconds.is_zero() {
            return [Rational::zero(), Rational::zero()];
        }
        let algorithm = self.bytes(row) / seconds / Rational::from_integer(1_000_000_000.into());
        let factor = self.bandwidth(row).map(|bandwidth| bandwidth.bus_factor);
        let bus = factor.map_or_else(|| algorithm.clone(), |factor| &algorithm * factor);
        [algorithm, bus]
    }

    /// [`gigabytes`](Self::gigabytes), if benchmarks count them.
    pub fn counted(&self, row: &Row, time: &Rational) -> [Option<Rational>; 2] {
        let counted = self.is_counted(row) && !time.is_zero();
        let gigabytes = counted.then(|| self.gigabytes(row, time));
        gigabytes.map_or([None, None], |both| both.map(Some))
    }

    /// A time in seconds. If the platform has no units, it is in units of time.
    pub fn seconds(&self, time: &Rational) -> Rational {
        seconds(self.problem.platform(), time)
    }

    /// Seconds that were measured of the size of a row.
    pub fn measured(&self, row: &Row) -> Option<&Rational> {
        self.measured.as_ref()?.time(&self.bytes(row))
    }
}

impl Row {
    /// The excess of the shortest time over the bound, as a share of the bound. 0 if the bound is 0. `None` if no run
    /// was dated.
    pub fn gap(&self) -> Option<Rational> {
        let best = self.timed.first()?;
        if self.least.is_zero() {
            return Some(Rational::zero());
        }
        Some(&best.length / &self.least - Rational::from_integer(1.into()))
    }
}
