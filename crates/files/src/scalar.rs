//! A single value of a file, before its kind is checked.

use std::borrow::Cow;

use crate::error::{clip, quoted};

/// A value of a platform file, with the text of its number.
pub enum Scalar<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A number, as it is written.
    Number(Cow<'a, str>),
    /// `true` or `false`.
    Bool(bool),
    /// Anything else, by its kind: "an array".
    Other(&'static str),
}

impl Scalar<'_> {
    /// The value for an error message.
    pub fn shown(&self) -> String {
        match self {
            Scalar::Text(text) => quoted(text),
            Scalar::Number(text) => clip(text),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Other(kind) => kind.to_string(),
        }
    }
}
