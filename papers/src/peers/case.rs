//! One published result and the proved optimum.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use num_bigint::BigInt;
use num_traits::One;
use oneport::plan::Form;
use oneport::{
    Amount, Goal, NodeId, Options, Platform, Problem, Rational, Status, Volumes, parse_rational,
    solve,
};
use oneport_numbers::{ratio, whole};
use serde::Deserialize;

use super::platforms::platform;

/// Measure of a published number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Measure {
    /// The time of an operation, in microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// All data of an operation over its time.
    #[serde(rename = "GB/s")]
    Bandwidth,
    /// The time of an operation in rounds. In a round a link of 25 GB/s carries one message.
    #[serde(rename = "rounds per chunk")]
    Rounds,
}

/// A published result: see `fixtures/peers.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub platform: String,
    pub collective: String,
    shape: String,
    #[serde(default)]
    sides: Vec<usize>,
    #[serde(default)]
    bandwidth: Vec<i64>,
    data: Option<String>,
    messages: Option<usize>,
    pub published: String,
    pub source: String,
    pub note: Option<String>,
    chunks: Option<usize>,
    latency: Option<String>,
    epoch: Option<String>,
}

/// Volume of an operation, in GB (or GiB).
struct Size {
    data: Rational,
    message: Rational,
}

/// The proved optimum, in the measure of the published number.
#[derive(Debug)]
pub struct Proved {
    /// The optimum.
    pub optimum: Rational,
    /// Whether a steady state attains it. If not, it is a bound.
    pub attained: bool,
    /// Excess time of the published result, as a part of the least time. Zero if rounding of the last printed decimal
    /// explains it.
    pub above: Rational,
    /// A bound for whole chunks, with latency and in epochs, and the excess of the published result over it.
    pub of_model: Option<(Rational, Rational)>,
}

impl Measure {
    /// The number for an operation of this time.
    fn of_time(self, time: &Rational, size: &Size) -> Rational {
        match self {
            Measure::Microseconds => time * whole(1_000_000),
            Measure::Bandwidth => &size.data / time,
            Measure::Rounds => time * whole(25) / &size.message,
        }
    }

    /// The seconds an operation takes.
    fn time(self, value: &Rational, size: &Size) -> Rational {
        match self {
            Measure::Microseconds => value / whole(1_000_000),
            Measure::Bandwidth => &size.data / value,
            Measure::Rounds => value * &size.message / whole(25),
        }
    }
}

impl Case {
    /// Computes the optimum, and compares.
    ///
    /// # Errors
    /// The case is incomplete, or the published result is impossible.
    pub fn prove(&self, measure: Measure) -> Result<Proved> {
        let platform = platform(&self.shape, &self.sides, &self.bandwidth)?;
        let participants: Vec<NodeId> = platform.processors().collect();
        let data = parse_rational(self.data.as_deref().unwrap_or("1"))?;
        let message = &data / whole(self.messages.unwrap_or(participants.len()));
        let size = Size { data, message };
        let (throughput, attained) = throughput(&self.collective, &platform, &participants)?;
        let least = &size.message / throughput;
        let of_model = match self.least_of_model(&platform, &participants, &least, &size.message)? {
            None => None,
            Some(time) => Some((
                measure.of_time(&time, &size),
                self.above(measure, &time, &size)?,
            )),
        };
        let above = self.above(measure, &least, &size)?;
        Ok(Proved {
            optimum: measure.of_time(&least, &size),
            attained,
            above,
            of_model,
        })
    }

    /// Excess of the published result over the least time, as a part of the latter.
    ///
    /// # Errors
    /// The published result takes less time.
    fn above(&self, measure: Measure, least: &Rational, size: &Size) -> Result<Rational> {
        let published = parse_rational(&self.published)?;
        let decimals = self
            .published
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        let half = ratio(
            1,
            BigInt::from(2) * BigInt::from(10).pow(u32::try_from(decimals)?),
        );
        let slack = if self.published.contains('/') {
            whole(0)
        } else {
            half
        };
        let ends = [
            measure.time(&(&published - &slack), size),
            measure.time(&(&published + &slack), size),
        ];
        let (slowest, fastest) = (
            ends.iter().max().context("an end")?,
            ends.iter().min().context("an end")?,
        );
        ensure!(
            slowest >= least,
            "{} on {}: {} is published, but nothing is better than {}",
            self.collective,
            self.platform,
            self.published,
            measure.of_time(least, size)
        );
        let equal = fastest <= least;
        Ok(if equal {
            whole(0)
        } else {
            measure.time(&published, size) / least - Rational::one()
        })
    }

    /// A lower bound on the time under the system's own model: every participant gets whole chunks, one at a time over
    /// each link, with the latency of each. The total is a whole number of epochs.
    fn least_of_model(
        &self,
        platform: &Platform,
        participants: &[NodeId],
        least: &Rational,
        message: &Rational,
    ) -> Result<Option<Rational>> {
        let mut time = least.clone();
        if let Some(chunks) = self.chunks {
            ensure!(
                self.collective == "all-gather",
                "chunks are counted for all-gathers only"
            );
            let latency = parse_rational(self.latency.as_deref().unwrap_or("0"))?;
            let chunk = message / whole(chunks);
            let of_link = |link| &latency + &chunk * &platform.link(link).cost;
            let mut seen: BTreeSet<Vec<Rational>> = BTreeSet::new();
            for &node in participants {
                let mut times: Vec<Rational> = platform
                    .incoming(node)
                    .iter()
                    .map(|&link| of_link(link))
                    .collect();
                times.sort();
                seen.insert(times);
            }
            for times in seen {
                time = time.max(earliest(&times, (participants.len() - 1) * chunks));
            }
        }
        if let Some(epoch) = &self.epoch {
            let epoch = parse_rational(epoch)?;
            time = (time / &epoch).ceil() * epoch;
        }
        Ok((self.chunks.is_some() || self.epoch.is_some()).then_some(time))
    }
}

/// Date at which `chunks` chunks (one at least), in sequence, have passed links with these times per chunk.
fn earliest(times: &[Rational], chunks: usize) -> Rational {
    let mut arrivals = times.to_vec();
    for _ in 1..chunks {
        if let Some(link) = (0..arrivals.len()).min_by_key(|&link| &arrivals[link]) {
            arrivals[link] += &times[link];
        }
    }
    arrivals.into_iter().min().unwrap_or_default()
}

/// The best throughput in messages of 1 GB, and whether a steady state attains it. If a single node plays a role, it is
/// the first.
fn throughput(
    collective: &str,
    platform: &Platform,
    participants: &[NodeId],
) -> Result<(Rational, bool)> {
    let form =
        Form::find(collective).with_context(|| format!("no collective is called {collective}"))?;
    let [first, ref others @ ..] = *participants else {
        bail!("no processors")
    };
    let roles = if form.roles.len() == 2 {
        vec![vec![first], others.to_vec()]
    } else {
        vec![participants.to_vec()]
    };
    let collective = form.build(&roles, true).context("it needs other roles")?;
    let volumes = Volumes {
        work: Amount::Constant(whole(0)),
        ..Volumes::default()
    };
    let problem = Problem::new(platform, &collective, &volumes)?;
    let solved = solve(&problem, &Options::of(Goal::Rate))?;
    solved.patterns()?;
    let answer = solved.answer;
    Ok((answer.bound().clone(), answer.status() == Status::Optimal))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by trying every time at which a chunk can end.
    fn by_trial(times: &[usize], chunks: usize) -> usize {
        (0..)
            .find(|end| times.iter().map(|time| end / time).sum::<usize>() >= chunks)
            .unwrap_or_default()
    }

    #[test]
    fn chunks_come_as_early_as_counting_says() {
        for times in [vec![1], vec![2, 3], vec![3, 3, 7], vec![5, 2, 2, 11]] {
            let rational: Vec<Rational> = times.iter().map(|&time| whole(time)).collect();
            for chunks in 1..30 {
                assert_eq!(
                    earliest(&rational, chunks),
                    whole(by_trial(&times, chunks)),
                    "{times:?} {chunks}"
                );
            }
        }
    }

    fn ring(published: &str) -> Case {
        let text = format!(
            "platform = 'ring'\ncollective = 'all-gather'\nshape = 'torus'\nsides = [3]\nbandwidth = [1]\ndata = '3'\n\
             source = ''\nchunks = 1\nlatency = '1/10'\nepoch = '1/4'\npublished = '{published}'"
        );
        toml::from_str(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Three nodes, 3 GB, 2 of which come over two links of 1 GB/s each: 3 GB/s. Whole chunks with their latency take
    /// 1.1 s, so five epochs of 0.25 s: 2.4 GB/s.
    #[test]
    fn what_is_published_stands_between_the_bounds_or_is_refused() -> Result<()> {
        let proved = ring("2.0").prove(Measure::Bandwidth)?;
        assert_eq!((proved.optimum, proved.attained), (whole(3), true));
        assert_eq!(proved.above, parse_rational("1/2")?);
        assert_eq!(
            proved.of_model,
            Some((parse_rational("2.4")?, parse_rational("1/5")?))
        );
        let proved = ring("2.4").prove(Measure::Bandwidth)?;
        assert_eq!(proved.of_model.map(|(_, above)| above), Some(whole(0)));
        let error = ring("2.5")
            .prove(Measure::Bandwidth)
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "all-gather on ring: 2.5 is published, but nothing is better than 12/5"
        );
        // 2 is 2.4 rounded to an integer.
        assert!(
            ring("2")
                .prove(Measure::Bandwidth)?
                .of_model
                .is_some_and(|(_, above)| above == whole(0))
        );
        Ok(())
    }
}
