//! Defines requests for exports, and the files that result.

use std::borrow::Cow;

use oneport_plan::{PeriodicSchedule, Problem};
use oneport_schedule::{Execution, Watch, execution};

use crate::ExportError;
use crate::pieces::with_instances;

/// A schedule and the options of its export.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The problem that the schedule solves.
    pub problem: &'a Problem,
    /// The schedule.
    pub schedule: &'a PeriodicSchedule,
    /// Periods in which instances start, for formats that hold a run. `None`: two more than reach the steady state.
    pub periods: Option<u64>,
    /// For formats that hold one operation: number of pieces of each message.
    pub pieces: Pieces,
    /// For GPU libraries: whether input and output are one buffer. `None`: as PyTorch calls the collective, in place
    /// for all-reduce and broadcast, out of place for the others.
    pub in_place: Option<bool>,
    /// For formats that hold one operation of messages with sizes: bytes of a message. `None`: 1 MiB.
    pub bytes: Option<u64>,
    /// For GOAL: one operation of messages with sizes, each rank's order and no dates.
    pub without_dates: bool,
    /// Given dates of the schedule. `None`: the dates of docs/execution.md. Given dates fix the number of instances.
    pub dated: Option<&'a Execution>,
    /// Sends go from processor to processor. Routers between them are left out.
    pub between_processors: bool,
}

impl<'a> Request<'a> {
    /// A request for the unchanged schedule.
    pub fn new(problem: &'a Problem, schedule: &'a PeriodicSchedule) -> Self {
        Request {
            problem,
            schedule,
            periods: None,
            pieces: Pieces::Fitting,
            in_place: None,
            bytes: None,
            without_dates: false,
            dated: None,
            between_processors: false,
        }
    }

    /// The request with messages divided into these pieces.
    pub(crate) fn divided(&self, pieces: Pieces) -> Self {
        Request {
            pieces,
            ..self.clone()
        }
    }

    /// The schedule with its dates, for `instances` per period if they are given.
    ///
    /// # Errors
    /// The number of instances differs from that of the given dates, or an execution is too long to write down.
    pub(crate) fn execution(
        &self,
        format: &'static str,
        instances: Option<u64>,
    ) -> Result<(Cow<'a, PeriodicSchedule>, Execution), ExportError> {
        match (self.dated, instances) {
            (Some(dated), None) => Ok((Cow::Borrowed(self.schedule), dated.clone())),
            (Some(dated), Some(instances)) if instances == dated.instances => {
                Ok((Cow::Borrowed(self.schedule), dated.clone()))
            }
            (Some(_), Some(_)) => {
                let reason = "the dates are those of one operation as a whole; leave --pieces out";
                Err(ExportError::refused(format, reason))
            }
            (None, None) => Ok((
                Cow::Borrowed(self.schedule),
                execution(self.problem, self.schedule, &Watch::unlimited())?,
            )),
            (None, Some(instances)) => {
                let schedule = with_instances(self.problem, self.schedule, instances)?;
                let execution = execution(self.problem, &schedule, &Watch::unlimited())?;
                Ok((Cow::Owned(schedule), execution))
            }
        }
    }

    /// Bytes of a piece of a message that is divided into `pieces` pieces: at least 1.
    pub(crate) fn piece_bytes(&self, piece: u64, pieces: u64) -> u64 {
        let end = |pieces_before: u64| {
            u128::from(self.bytes.unwrap_or(1 << 20)) * u128::from(pieces_before)
                / u128::from(pieces.max(1))
        };
        u64::try_from(end(piece + 1) - end(piece))
            .unwrap_or(u64::MAX)
            .max(1)
    }

    /// Periods in which instances start, for a run whose instances take `depth` periods.
    pub fn starting_periods(&self, depth: usize) -> u64 {
        self.periods.unwrap_or(depth as u64 + 2)
    }
}

/// Number of pieces of each message of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pieces {
    /// A number that fits the format's readers: for GPU libraries, which run only sizes that the pieces divide, a power
    /// of two. For the others, one per instance of the period.
    #[default]
    Fitting,
    /// One per instance of the period, which keeps the plan's throughput.
    Exact,
    /// This number.
    Number(u64),
}

impl Pieces {
    /// The number, if it is given.
    pub fn number(self) -> Option<u64> {
        match self {
            Pieces::Number(pieces) => Some(pieces),
            Pieces::Fitting | Pieces::Exact => None,
        }
    }
}

/// Files to be written, and facts about them that the files lack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written {
    /// The files.
    pub files: Vec<File>,
    /// One fact per line: pieces and their loss, sizes of messages.
    pub notes: Vec<String>,
}

impl From<Vec<File>> for Written {
    fn from(files: Vec<File>) -> Self {
        Written {
            files,
            notes: Vec::new(),
        }
    }
}

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Suffix of the name that the user gave. Empty for the file of that name.
    pub suffix: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

impl File {
    /// The file of the name that the user gave.
    pub fn only(text: String) -> Written {
        vec![File {
            suffix: String::new(),
            bytes: text.into_bytes(),
        }]
        .into()
    }

    /// Content of the file as text.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
