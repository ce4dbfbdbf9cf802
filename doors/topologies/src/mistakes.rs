//! Mistakes that importers report, in one call each.

use std::borrow::Cow;

use oneport_files::error::{Mistake, clip};
use oneport_platform::Rational;

/// An error that consists of words only.
pub(super) fn said(text: impl Into<String>) -> Mistake {
    Mistake::Import(text.into())
}

/// A value where another kind of value should be.
pub(super) fn unexpected(
    value: impl Into<String>,
    expected: impl Into<Cow<'static, str>>,
) -> Mistake {
    Mistake::WrongValue {
        value: value.into(),
        expected: expected.into(),
    }
}

/// The number exceeds a limit. The message names the remedy.
pub(super) fn too_many(what: &'static str, limit: usize, instead: &'static str) -> Mistake {
    Mistake::TooMany {
        what,
        limit,
        instead,
    }
}

/// A node that the file names and does not have.
pub(super) fn unknown(name: &str) -> Mistake {
    Mistake::UnknownNode {
        name: clip(name),
        close: None,
    }
}

/// A rate that is 0 or less.
pub(super) fn not_positive(what: &'static str, value: &Rational) -> Mistake {
    Mistake::NotPositive {
        what,
        value: clip(&value.to_string()),
    }
}

/// No link has the attribute or column that a user calls the latency.
pub(super) fn no_latency(asked: &str, known: &[String]) -> Mistake {
    let known = match known {
        [] => String::new(),
        known => format!(" (there is {})", known.join(", ")),
    };
    said(format!(
        "no link has {} for --latency-attribute{known}; name what is the latency, or leave the option out",
        clip(asked)
    ))
}
