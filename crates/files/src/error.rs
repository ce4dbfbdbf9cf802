//! Reasons for refusing a file: the location, the fault, and a correct form.

use std::borrow::Cow;
use std::fmt;

use oneport_plan::{CollectiveError, ProblemError};
use oneport_platform::units::UnitError;
use oneport_platform::{NumberError, ParsePortModelError, PlatformError};

use crate::closest::closest;

/// A refused file: a location and a mistake, one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {mistake}")]
pub struct FormatError {
    /// The location of the mistake.
    pub location: Box<Location>,
    /// The mistake there.
    pub mistake: Box<Mistake>,
}

impl FormatError {
    /// A mistake in a file of this name, at a line and a key if these are known.
    pub fn new(file: &str, line: Option<usize>, key: Option<String>, mistake: Mistake) -> Self {
        FormatError {
            location: Box::new(Location {
                file: file.to_string(),
                line,
                key,
            }),
            mistake: Box::new(mistake),
        }
    }

    /// This error without a line, for text whose lines are not the file's.
    pub(crate) fn without_line(mut self) -> Self {
        self.location.line = None;
        self
    }
}

/// Why a text is not an amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmountError {
    /// The fixed part, or the whole amount if it has no `n`.
    #[error(
        "{0}; an amount is a number (3/2), or a number and a multiple of the operands combined (1+1/2n)"
    )]
    Fixed(NumberError),
    /// The factor before `n`.
    #[error(
        "{0}; before 'n', the number of operands combined, stands a number: 1+1/2n is 1 and another 1/2 for every \
         operand"
    )]
    PerOperand(NumberError),
    /// A quantity that cannot be read, or that measures something else.
    #[error(transparent)]
    Unit(UnitError),
    /// A unit on a platform without units.
    #[error(
        "'{0}' has a unit, but the platform has none; write units = \"GB/s\" (data over time) at the top of its file, \
         give --units GB/s, or leave out the unit"
    )]
    NoUnits(String),
    /// Work per data, although the computes are per data, too.
    #[error(
        "'{0}' is time per data, and so is the compute of every node; leave the work out, or give what is merged as data \
         (64 MiB)"
    )]
    WorkTwice(String),
    /// Work as data on a platform whose computes are per unit of work.
    #[error(
        "'{0}' is data, and the compute of a node is the time of one unit of work; give the work of a merge as a number, \
         as time (2 ms, at compute 1) or as time per data (2 ms/GB)"
    )]
    WorkAsData(String),
}

impl From<UnitError> for Mistake {
    fn from(error: UnitError) -> Self {
        match error {
            UnitError::Number(error) => Mistake::Number(error),
            error => Mistake::Unit(error),
        }
    }
}

/// A location in a file: `platform.toml:12: link[3].cost`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file's name, as the caller gave it.
    pub file: String,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The key, such as `link[3].cost` (entries are counted from 0), or the row and column of a matrix.
    pub key: Option<String>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match &self.key {
            Some(key) => write!(f, ": {key}"),
            None => Ok(()),
        }
    }
}

/// A mistake in a file. Values taken from the file are shortened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// The operating system refused.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A directory instead of a file.
    #[error("is a directory; give the name of a file")]
    Directory,
    /// More bytes than any such file has.
    #[error("is over {limit} bytes; such a file should be smaller")]
    TooLarge {
        /// Most bytes accepted.
        limit: u64,
    },
    /// More entries than the format carries well.
    #[error("has over {limit} {what}; {instead}")]
    TooMany {
        /// The kind of entries that are too many.
        what: &'static str,
        /// Most accepted.
        limit: usize,
        /// The remedy.
        instead: &'static str,
    },
    /// Bytes that are not text.
    #[error("byte {byte} of the file is not UTF-8; save the file as UTF-8 text")]
    NotUtf8 {
        /// Offset of the first wrong byte, from 0.
        byte: usize,
    },
    /// A UTF-16 or UTF-32 file.
    #[error("starts with a UTF-16 byte order mark; save the file as UTF-8 text")]
    Utf16,
    /// Nothing there.
    #[error("is empty; {0} is expected")]
    Empty(&'static str),
    /// The text is not of its format.
    #[error("not valid {format}{}: {message}", column(*.at))]
    Syntax {
        /// Name of the syntax.
        format: &'static str,
        /// Column, counted from 1.
        at: Option<usize>,
        /// The parser's message.
        message: String,
    },
    /// The file's `format` is another one.
    #[error("{found} is not a format read here; write {expected:?}")]
    WrongFormat {
        /// The value found.
        found: String,
        /// The right value.
        expected: &'static str,
    },
    /// A plan file of an earlier version.
    #[error(
        "format \"{found}\" was written by an earlier version, which listed tasks differently; solve the question anew \
             with this one, which writes \"{expected}\""
    )]
    FormerFormat {
        /// The value found.
        found: &'static str,
        /// The format that is written now.
        expected: &'static str,
    },
    /// A platform instead of a plan.
    #[error("this is a platform; a plan is what 'oneport solve ... -o PLAN' writes")]
    PlatformAsPlan,
    /// A plan instead of a platform.
    #[error(
        "this is a plan; 'oneport show' and 'oneport verify' read plans, and its platform stands under 'platform'"
    )]
    PlanAsPlatform,
    /// A key that means nothing here.
    #[error("unknown key '{key}'{}; the keys here are {}", meant(key, .known), .known.join(", "))]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that are known.
        known: Vec<&'static str>,
    },
    /// A key given twice.
    #[error("key '{0}' is given twice; keep one")]
    DuplicateKey(String),
    /// A key that has to be there.
    #[error("'{key}' is missing; it gives {meaning}")]
    MissingKey {
        /// The key.
        key: &'static str,
        /// The meaning of the key.
        meaning: &'static str,
    },
    /// Two keys that exclude each other.
    #[error("both '{0}' and '{1}' are given; keep one")]
    BothKeys(&'static str, &'static str),
    /// A key that means nothing in this case.
    #[error("'{key}' is given, but {why}; leave it out")]
    NotHere {
        /// The key.
        key: &'static str,
        /// The reason why the key is refused.
        why: &'static str,
    },
    /// A value of another kind.
    #[error("{value} is not {expected}")]
    WrongValue {
        /// The value found.
        value: String,
        /// The expected value.
        expected: Cow<'static, str>,
    },
    /// A text that is not an exact number.
    #[error("{}", clip_message(&.0.to_string()))]
    Number(#[from] NumberError),
    /// A quantity that cannot be read, or of the wrong kind.
    #[error(transparent)]
    Unit(UnitError),
    /// Numbers with and without units in one file.
    #[error(
        "'{value}' has {has}, but '{other}' before it {differs}; give all numbers units, or write units = \"GB/s\" \
         (data over time) at the top: plain numbers are in these"
    )]
    MixedUnits {
        /// The number here.
        value: String,
        /// The kind of unit of `value`, if any, in words.
        has: &'static str,
        /// One before it.
        other: String,
        /// How `other` differs, in words.
        differs: &'static str,
    },
    /// Computes per unit of work and per unit of data in one file.
    #[error(
        "compute '{value}' beside '{other}': give all processors the time of one unit of work (2 ms, or a number), or all \
         of them the time per data merged (2 ms/GB, 500 GB/s)"
    )]
    MixedWork {
        /// The compute here.
        value: String,
        /// One before it.
        other: String,
    },
    /// A bandwidth instead of a cost.
    #[error(
        "'{0}' is a bandwidth; write bandwidth = \"{0}\", or the cost, time per data, such as \"80 ms/GB\""
    )]
    RateAsCost(String),
    /// A number that has to be positive.
    #[error("{what} is {value}; it must be positive")]
    NotPositive {
        /// The number's meaning.
        what: &'static str,
        /// The number.
        value: String,
    },
    /// A number that must not be negative.
    #[error("{what} is {value}; it must be 0 or more")]
    Negative {
        /// The number's meaning.
        what: &'static str,
        /// The number.
        value: String,
    },
    /// A port model that does not exist.
    #[error("{}", clip_message(&.0.to_string()))]
    Model(ParsePortModelError),
    /// A node name that is not in the platform.
    #[error("no node is named '{name}'{}", suggestion(.close))]
    UnknownNode {
        /// The name.
        name: String,
        /// A node with nearly that name.
        close: Option<String>,
    },
    /// A number that names nothing.
    #[error("{what} {value} does not exist; there are {count}, numbered from 0")]
    NoSuch {
        /// The kind of numbered things.
        what: &'static str,
        /// The number found.
        value: String,
        /// How many there are.
        count: usize,
    },
    /// The platform is refused.
    #[error("{}", clip_message(&.0.to_string()))]
    Platform(PlatformError),
    /// The collective does not fit its platform.
    #[error("{}", clip_message(&.0.to_string()))]
    Collective(CollectiveError),
    /// A size or an amount of work does not fit the collective, or a message cannot arrive.
    #[error("{}", clip_message(&.0.to_string()))]
    Problem(ProblemError),
    /// A text that is not an amount.
    #[error("{}", clip_message(&.0.to_string()))]
    Amount(AmountError),
    /// A row of a matrix with more or fewer cells than the others.
    #[error("has {cells} cells; {expected} are expected, as in the first row")]
    Ragged {
        /// Cells found.
        cells: usize,
        /// Cells expected.
        expected: usize,
    },
    /// A matrix that is not square.
    #[error(
        "{rows} rows of {columns} numbers; a bandwidth matrix has as many rows as columns; if this \
             is no matrix, it is of no format known here (docs/topologies.md lists them)"
    )]
    NotSquare {
        /// Rows of numbers.
        rows: usize,
        /// Numbers in each.
        columns: usize,
    },
    /// A topology that cannot be imported as it is, or not with these options: why, and what to do.
    #[error("{0}")]
    Import(String),
    /// The platform says something that the format cannot.
    #[error("cannot be written as {format}: {why}; write toml or json")]
    Unsupported {
        /// The format.
        format: &'static str,
        /// The unsupported property.
        why: String,
    },
}

/// Longest part of an error message that is taken from a message of another crate.
const LONG: usize = 500;
/// Longest value shown.
const SHORT: usize = 60;

fn column(at: Option<usize>) -> String {
    at.map(|at| format!(" at column {at}")).unwrap_or_default()
}

fn meant(key: &str, known: &[&'static str]) -> String {
    let close = closest(key, known.iter().copied());
    close.map_or(String::new(), |name| format!(" (did you mean '{name}'?)"))
}

fn suggestion(close: &Option<String>) -> String {
    match close {
        Some(name) => format!("; did you mean '{name}'?"),
        None => "; a link or a participant must name one of the file's nodes".to_string(),
    }
}

/// The text on one line, cut if it is too long.
pub fn clip(text: &str) -> String {
    clip_to(text, SHORT)
}

/// A message of another crate, on one line.
pub fn clip_message(text: &str) -> String {
    clip_to(text, LONG)
}

fn clip_to(text: &str, keep: usize) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(keep) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    let rest = chars.count();
    if rest > 0 {
        shown.push_str(&format!("... ({} characters)", keep + rest));
    }
    shown
}

/// The text in quotes, on one line, cut if it is too long.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", clip(text))
}
