//! Known algorithms beside the optimum: `"ask": "compare"`.

mod best;
mod entry;
mod numbers;

use std::sync::Arc;

use oneport::watch::Limit;
use oneport::{Answer, Bandwidth, Options, Problem, Rational, Units};
use oneport_baselines::Comparison;

use crate::asked::Asked;
use crate::error::Result;
use crate::idle::LeftOut;
use crate::in_network::InNetwork;
use crate::latency::KnownLatencies;
use crate::listed;
use crate::measured::{self, Measured};
use crate::nccl::{self, Nccl};
use crate::question::Question;
use crate::reading::Hearer;
pub use best::{ShapeFound, Times};
pub use entry::{Entry, Origin};
pub use numbers::{CompareNumbers, ComparedNumbers, NcclNumbers, OriginNumbers, OwnMeasure};

/// Percent of the time left for rating and timing algorithms. Trades rows for an answer in time. Not measured.
const RATED: u32 = 85;

/// Known algorithms beside the optimum of a question.
pub struct CompareAnswer {
    /// The question.
    pub problem: Problem,
    /// The optimum, or the best bound, of the question in its [largest messages](Problem::with_largest_messages).
    pub best: Answer,
    /// The algorithms.
    pub comparison: Comparison,
    /// The best single tree and the best acyclic graph of a broadcast whose size is not given.
    pub shapes: Vec<ShapeFound>,
    /// The measurement.
    pub measured: Option<Measured>,
    /// NCCL's own model, or the reason why it is not evaluated. `None` if NCCL chooses nothing.
    pub nccl: Option<Result<Nccl, String>>,
    /// The bound with in-network reduction, beside the measurement.
    pub in_network: Option<InNetwork>,
    /// Times of one operation. `None` if its size is not given.
    pub times: Option<Times>,
    /// The latencies of the platform's links, if the size of the operation is given.
    pub latencies: KnownLatencies,
    /// The processors that are left out.
    pub left_out: LeftOut,
    /// The limit that ended a search.
    pub ended_by: Option<Limit>,
}

impl CompareAnswer {
    /// Answers a question. The watch of the options limits all searches.
    ///
    /// # Errors
    /// A question that makes no sense, messages that cannot arrive, files that cannot be read or are of another
    /// question, a limit that came before an optimum or a bound was found.
    pub fn of(question: &Question, options: &Options, hear: Hearer<'_>) -> Result<CompareAnswer> {
        let is_sized = question.is_sized();
        let (platform, latencies) = if is_sized {
            question.read_platform_for_times(hear)?
        } else {
            (question.read_platform(hear)?, KnownLatencies::default())
        };
        let asked = Asked::read(platform, question)?;
        CompareAnswer::on(question, asked, latencies, options, hear)
    }

    /// Answers a question on its platform, which was read before.
    pub(crate) fn on(
        question: &Question,
        asked: Asked,
        latencies: KnownLatencies,
        options: &Options,
        hear: Hearer<'_>,
    ) -> Result<CompareAnswer> {
        let is_sized = question.is_sized();
        let problem = asked.problem()?;
        let measured = question.measured.as_deref();
        let measured = measured.map(|text| measured::read(&problem, text, is_sized, hear));
        let measured = measured.transpose()?;
        let log = question.tuning.as_deref().map(nccl::read).transpose()?;
        let own = question.with.0.iter();
        let own = own.map(|path| listed::read(&problem, path));
        let own: Vec<_> = own.collect::<Result<_>>()?;
        let alike = problem.with_largest_messages();
        let nccl = nccl::of(&alike, is_sized, &log.unwrap_or_default(), &options.watch);
        let best = best::of(&alike, options, question.time_limit.is_some())?;
        // An algorithm that has begun is rated to its end.
        let watch = options.watch.turn(RATED);
        let mut comparison = Comparison::of(&alike, &watch)?;
        if let Some(rings) = best::rings(&alike, options)? {
            comparison.add_rings(&alike, &rings)?;
        }
        for (algorithm, routes) in own {
            comparison.add(&alike, algorithm, Arc::new(routes))?;
        }
        let times = is_sized.then(|| Times::of(&alike, &best, &comparison, &watch));
        let times = times.transpose()?;
        // The shapes are steady states, without a time of one operation.
        let shapes = if times.is_none() {
            best::shapes(&best, options)?
        } else {
            Vec::new()
        };
        let in_network = measured
            .as_ref()
            .and_then(|measured| InNetwork::of(&alike, measured, best.bound(), options));
        Ok(CompareAnswer {
            problem,
            best,
            comparison,
            shapes,
            measured,
            nccl,
            in_network,
            times,
            latencies,
            left_out: asked.left_out,
            ended_by: options.watch.ended_by(),
        })
    }

    /// A throughput as a share of the bound.
    pub fn share(&self, throughput: &Rational) -> Rational {
        throughput / self.best.bound()
    }

    /// The measurement as a share of a throughput.
    pub fn measured_share(&self, throughput: &Rational) -> Option<Rational> {
        let measured = self.measured.as_ref()?;
        Some(&measured.throughput / throughput)
    }

    /// Bus bandwidth in the platform's units. `None` without units, or if benchmarks do not count it.
    pub fn bus(&self, throughput: &Rational) -> Option<(Units, Rational)> {
        let units = self.problem.platform().units()?;
        Some((units, Bandwidth::of(&self.problem)?.bus(throughput)))
    }

    /// Whether the measurement is above the bound on the throughput, or below the bound on the time.
    pub fn is_impossible(&self) -> bool {
        self.is_above_bound() || self.is_too_short()
    }

    /// Whether the measurement is above the bound on the throughput.
    pub fn is_above_bound(&self) -> bool {
        let measured = self.measured.as_ref();
        measured.is_some_and(|measured| measured.throughput > *self.best.bound())
    }

    /// Whether the measured time of one operation is below the bound on it.
    pub fn is_too_short(&self) -> bool {
        let once = self.measured.as_ref().and_then(|one| one.once.as_ref());
        let times = self.times.as_ref().zip(once);
        times.is_some_and(|(times, once)| *once < times.least)
    }
}
