//! A finite run: start-up, steady periods, clean-up, on tracks with one task at a time.

use num_bigint::BigInt;
use oneport_plan::{Interval, Problem, Resource, Task};
use oneport_platform::{NodeId, Platform};
use oneport_schedule::{DatedTask, Execution, Piece, ScheduleError};

use crate::{ExportError, Request};

/// Limit on pieces of one run.
const LIMIT: u64 = 2_000_000;

/// A run: a schedule's execution, repeated.
#[derive(Debug)]
pub(crate) struct RepeatedPeriod<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// One period.
    pub execution: Execution,
    /// Periods in which instances start.
    pub periods: u64,
}

/// A port, a link or a processor: it does one task at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Track {
    /// Node under which it is shown: a link under its tail.
    pub node: NodeId,
    /// The resource.
    pub resource: Resource,
    /// Index of the lane of a port with several lanes, from 0.
    pub lane: u32,
}

/// A piece of a task in one period.
#[derive(Debug)]
pub(crate) struct Occurrence<'r> {
    /// Index of the task in the execution.
    pub number: usize,
    /// The task.
    pub dated: &'r DatedTask,
    /// The piece.
    pub piece: &'r Piece,
    /// The period in which its copy started.
    pub period: u64,
    /// Start, in units from the start of the run.
    pub start: BigInt,
    /// End, in units.
    pub end: BigInt,
}

impl<'a> RepeatedPeriod<'a> {
    /// The run of a request.
    ///
    /// # Errors
    /// A run of more than two million pieces.
    pub(crate) fn new(request: &Request<'a>) -> Result<Self, ExportError> {
        let (_, execution) = request.execution("run", None)?;
        let periods = request.starting_periods(execution.depth);
        let pieces: usize = execution.tasks.iter().map(|dated| dated.pieces.len()).sum();
        match (pieces as u64).checked_mul(periods) {
            Some(count) if count <= LIMIT => Ok(RepeatedPeriod {
                problem: request.problem,
                execution,
                periods,
            }),
            _ => Err(ScheduleError::TooManyEvents {
                periods,
                limit: LIMIT,
            }
            .into()),
        }
    }

    /// Every piece of every task of every period.
    pub(crate) fn occurrences(&self) -> impl Iterator<Item = Occurrence<'_>> {
        let numbered = self.execution.tasks.iter().enumerate();
        numbered.flat_map(move |(number, dated)| {
            (0..self.periods).flat_map(move |period| {
                let shift = &self.execution.period * (period + dated.stage as u64);
                dated.pieces.iter().map(move |piece| {
                    let (start, end) = (&piece.start + &shift, &piece.end + &shift);
                    Occurrence {
                        number,
                        dated,
                        piece,
                        period,
                        start,
                        end,
                    }
                })
            })
        })
    }

    /// The tracks that a piece occupies.
    pub(crate) fn tracks(&self, dated: &DatedTask, piece: &Piece) -> Vec<Track> {
        let platform = self.problem.platform();
        let link = match dated.task {
            Task::Merge { node, .. } => {
                return vec![Track {
                    node,
                    resource: Resource::Compute(node),
                    lane: 0,
                }];
            }
            Task::Send { link, .. } => link,
        };
        let ends = [platform.link(link).from, platform.link(link).to];
        let ports = Resource::ends(platform, link)
            .into_iter()
            .zip(ends)
            .zip(piece.lanes);
        let ports = ports.filter_map(|((port, node), lane)| {
            Some(Track {
                node,
                resource: port?,
                lane: lane?,
            })
        });
        let mut tracks: Vec<Track> = ports.collect();
        if tracks.is_empty() {
            tracks.push(Track {
                node: ends[0],
                resource: Resource::Link(link),
                lane: 0,
            });
        }
        tracks
    }

    /// Every track with at least one event, ascending.
    pub(crate) fn all_tracks(&self) -> Vec<Track> {
        let pieces = self
            .execution
            .tasks
            .iter()
            .flat_map(|dated| dated.pieces.iter().map(move |piece| (dated, piece)));
        let mut tracks: Vec<Track> = pieces
            .flat_map(|(dated, piece)| self.tracks(dated, piece))
            .collect();
        tracks.sort_unstable();
        tracks.dedup();
        tracks
    }

    /// Index of the instance of its demand, counted from the start of the run.
    pub(crate) fn instance(&self, occurrence: &Occurrence<'_>) -> u64 {
        let started = self
            .execution
            .started
            .get(&occurrence.dated.message.demand)
            .copied()
            .unwrap_or(0);
        occurrence.period * started + occurrence.dated.copy
    }

    /// Label of the value that is sent or made: `v[0,3] of demand 2, no. 5`.
    pub(crate) fn label(&self, occurrence: &Occurrence<'_>) -> String {
        let message = occurrence.dated.message;
        let of = match self.problem.collective().demands() {
            1 => String::new(),
            _ => format!(" of demand {}", message.demand),
        };
        format!(
            "{}{of}, no. {}",
            part(message.part),
            self.instance(occurrence)
        )
    }
}

/// `v[0,3]`.
pub(crate) fn part(part: Interval) -> String {
    format!("v[{},{}]", part.first, part.last)
}

impl Track {
    /// Its name next to its node's name.
    pub(crate) fn name(&self, platform: &Platform) -> String {
        let numbered = if self.resource.capacity(platform) > 1 {
            format!(" {}", self.lane)
        } else {
            String::new()
        };
        match self.resource {
            Resource::Send(_) => format!("send{numbered}"),
            Resource::Receive(_) => format!("receive{numbered}"),
            Resource::Port(_) => "port".to_string(),
            Resource::Compute(_) => "merge".to_string(),
            Resource::Link(link) => format!("to {}", platform.name(platform.link(link).to)),
            Resource::Shared(id) => format!("shared {id}"),
        }
    }
}
