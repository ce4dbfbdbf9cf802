//! Errors of questions, and the manner in which their sentences name an option.

use std::error::Error as Cause;
use std::fmt;

use oneport::files::FormatError;
use oneport::platform::PlatformError;
use oneport::watch::Limit;
use oneport::{Error, NoSchedule, ProblemError};

use crate::keys::{OTHERWISE, is_key};

/// The result of a step from question to answer.
pub type Result<T, E = QuestionError> = std::result::Result<T, E>;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The question is wrong on every platform: a key, its value, or their combination.
    Question,
    /// The platform cannot be read, or the question does not fit it.
    Platform,
    /// Messages cannot arrive.
    Infeasible,
    /// A limit ended the work before anything was found and checked.
    Limit,
    /// A defect of oneport.
    Defect,
}

/// The reason why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuestionError {
    /// Its kind.
    pub kind: Kind,
    /// A sentence that names options as the command does (`--max-loss`). [`said`](QuestionError::said) spells it anew.
    pub message: String,
    /// The source and the target of each message without a path, if the kind is [`Kind::Infeasible`].
    pub unreachable: Vec<(String, String)>,
    /// The limit, if the kind is [`Kind::Limit`].
    pub limit: Option<Limit>,
    /// Whether the question has a key that its collective does not take.
    pub is_untaken: bool,
}

impl QuestionError {
    /// An error of this kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        QuestionError {
            kind,
            message: message.into(),
            unreachable: Vec::new(),
            limit: None,
            is_untaken: false,
        }
    }

    /// The error with its subject before the sentence.
    #[cfg(feature = "compare")]
    pub(crate) fn about(self, subject: impl fmt::Display) -> Self {
        QuestionError {
            message: format!("{subject}: {}", self.message),
            ..self
        }
    }

    /// The sentence in the caller's manner.
    pub fn said(&self, manner: Manner) -> String {
        manner.spell(&self.message)
    }
}

impl fmt::Display for QuestionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Cause for QuestionError {}

/// An error of [`Kind::Question`].
pub(crate) fn usage(message: impl Into<String>) -> QuestionError {
    QuestionError::new(Kind::Question, message)
}

/// An error of [`Kind::Question`] about a key that the collective does not take.
pub(crate) fn untaken(message: impl Into<String>) -> QuestionError {
    QuestionError {
        is_untaken: true,
        ..usage(message)
    }
}

/// An error of [`Kind::Platform`].
pub(crate) fn unfit(message: impl Into<String>) -> QuestionError {
    QuestionError::new(Kind::Platform, message)
}

/// An error of [`Kind::Defect`].
#[cfg(feature = "compare")]
pub(crate) fn defect(message: impl Into<String>) -> QuestionError {
    QuestionError::new(Kind::Defect, message)
}

/// An error of [`Kind::Platform`] with the sentence of another error.
pub(crate) fn of_cause(error: impl Cause) -> QuestionError {
    unfit(chain(&error))
}

/// An error and its causes, with colons between.
pub(crate) fn chain(error: &dyn Cause) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}

impl From<FormatError> for QuestionError {
    fn from(error: FormatError) -> Self {
        unfit(chain(&error))
    }
}

impl From<PlatformError> for QuestionError {
    fn from(error: PlatformError) -> Self {
        unfit(chain(&error))
    }
}

impl From<ProblemError> for QuestionError {
    fn from(error: ProblemError) -> Self {
        let message = chain(&error);
        match error {
            ProblemError::Unreachable { missing, .. } => QuestionError {
                unreachable: missing,
                ..QuestionError::new(Kind::Infeasible, message)
            },
            _ => unfit(message),
        }
    }
}

impl From<NoSchedule> for QuestionError {
    fn from(error: NoSchedule) -> Self {
        unfit(error.to_string())
    }
}

impl From<Error> for QuestionError {
    fn from(error: Error) -> Self {
        match error {
            Error::Problem(oneport::Refusal::Problem(error)) => error.into(),
            Error::Problem(refusal) => unfit(chain(&refusal)),
            Error::Stopped(limit) => stopped(limit, &error),
            error => QuestionError::new(Kind::Defect, chain(&error)),
        }
    }
}

#[cfg(feature = "compare")]
impl From<oneport_timing::TimingError> for QuestionError {
    fn from(error: oneport_timing::TimingError) -> Self {
        match error {
            oneport_timing::TimingError::Stopped(limit) => stopped(limit, &error),
            error => of_cause(error),
        }
    }
}

#[cfg(feature = "compare")]
impl From<oneport_baselines::BaselineError> for QuestionError {
    fn from(error: oneport_baselines::BaselineError) -> Self {
        match error {
            oneport_baselines::BaselineError::Stopped(limit) => stopped(limit, &error),
            error => of_cause(error),
        }
    }
}

/// An error of [`Kind::Limit`].
fn stopped(limit: Limit, error: &dyn Cause) -> QuestionError {
    QuestionError {
        limit: Some(limit),
        ..QuestionError::new(Kind::Limit, chain(error))
    }
}

/// How a caller writes the name of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// `--max-loss`: the command.
    Option,
    /// `max_loss=`: a keyword of Python.
    Keyword,
    /// `"max_loss"`: a key of JSON.
    Key,
}

impl Manner {
    /// The name of an option of the command (`max-loss`) in this manner.
    pub fn name(self, option: &str) -> String {
        let other = OTHERWISE.iter().find(|(name, ..)| *name == option);
        let (key, value) = other.map_or_else(
            || (option.replace('-', "_"), ""),
            |(_, key, value)| (key.to_string(), *value),
        );
        match (self, value) {
            (Manner::Option, _) => format!("--{option}"),
            // A reserved word of Python.
            (Manner::Keyword, _) if option == "with" => "algorithms=".to_string(),
            (Manner::Keyword, "false") => format!("{key}=False"),
            (Manner::Keyword, _) => format!("{key}="),
            (Manner::Key, "") => format!("\"{key}\""),
            (Manner::Key, value) => format!("\"{key}\": {value}"),
        }
    }

    /// An option of the command with the values that follow it (`replicate=N`, `link_bandwidth={"net": 25}`), and the
    /// rest of the sentence.
    fn assigned<'s>(self, option: &str, after: &'s str) -> (String, &'s str) {
        let name = match self {
            Manner::Key => format!("{}: ", self.name(option)),
            _ => self.name(option),
        };
        let again = format!(" --{option}");
        let (mut pairs, mut next, mut rest) = (Vec::new(), Some(after), after);
        while let Some((value, left)) = next.and_then(|next| value_of(option, next)) {
            match value.split_once('=') {
                Some((kind, value)) => pairs.push(format!("\"{kind}\": {}", quoted(value))),
                None if pairs.is_empty() => return (name + &quoted(value), left),
                None => break,
            }
            rest = left;
            next = left.strip_prefix(&again);
        }
        if pairs.is_empty() {
            return (self.name(option), after);
        }
        (format!("{name}{{{}}}", pairs.join(", ")), rest)
    }

    /// A sentence that names options as the command does, with the keys of [`Question`](crate::Question) in this
    /// manner. Options of the command that are no keys stay as they are.
    pub fn spell(self, sentence: &str) -> String {
        if self == Manner::Option {
            return sentence.to_string();
        }
        let mut text = String::with_capacity(sentence.len());
        let mut rest = sentence;
        while let Some(begin) = rest.find("--") {
            let (before, after) = rest.split_at(begin);
            let name = &after[2..];
            let end = name
                .find(|letter: char| !letter.is_ascii_lowercase() && letter != '-')
                .unwrap_or(name.len());
            let option = &name[..end];
            let begins =
                !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '-');
            text.push_str(before);
            rest = &name[end..];
            if begins && is_key(option) {
                let (written, left) = self.assigned(option, rest);
                text.push_str(&written);
                if left.len() < rest.len() && left.starts_with(" --") {
                    text.push(',');
                }
                rest = left;
            } else {
                text.push_str(&after[..2 + end]);
            }
        }
        text + rest
    }
}

/// Options whose value is a kind of links and a number: `net=25`.
const BY_KIND: [&str; 2] = ["link-bandwidth", "latency"];

/// The value of an option at the beginning of a text, and the text after it: a name in capitals for any value, a kind
/// with its number, or an example. A word that goes on with the sentence is no value.
fn value_of<'s>(option: &str, text: &'s str) -> Option<(&'s str, &'s str)> {
    if option == "in-order" {
        return None;
    }
    let word = text.strip_prefix(' ')?.split_whitespace().next()?;
    let value = word.trim_end_matches([';', ':', ',', '.', ')', '\'']);
    let is_value = match option {
        _ if stands_for_any(value) => true,
        "fabric" => ["switch", "rail", "full"].contains(&value.split(',').next()?),
        "replicate" => value.parse::<u64>().is_ok(),
        _ if BY_KIND.contains(&option) => value
            .split_once('=')
            .is_some_and(|(kind, number)| !kind.is_empty() && !number.is_empty()),
        _ => false,
    };
    is_value.then(|| (value, &text[1 + value.len()..]))
}

/// Whether a word is a name in capitals for any value: `RATE`, `ATTRIBUTE[,UNITS]`.
fn stands_for_any(word: &str) -> bool {
    let plain = word.split('[').next().unwrap_or_default();
    !plain.is_empty() && plain.bytes().all(|letter| letter.is_ascii_uppercase())
}

/// A value of an option as Python and JSON write it.
fn quoted(value: &str) -> String {
    if stands_for_any(value) || value.parse::<u64>().is_ok() {
        value.to_string()
    } else {
        format!("\"{value}\"")
    }
}
