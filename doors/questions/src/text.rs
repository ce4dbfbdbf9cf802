//! Values of keys: a number stands for its text.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

/// A list of texts, of which the command takes one per option. In JSON it is one text, a list, or an object
/// `{"kind": value}`, which stands for the texts `kind=value`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

/// Nodes: a text as the command reads it (`A,B`, patterns, `all`), or a list of names and patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nodes {
    /// Names and patterns with commas between, or `all`.
    Text(String),
    /// A name or pattern each.
    List(Vec<String>),
}

/// Paths of files: in JSON one text, or a list of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths(pub Vec<PathBuf>);

impl Texts {
    /// The texts, split at commas.
    pub(crate) fn split(&self) -> Vec<String> {
        let parts = self.0.iter().flat_map(|text| text.split(','));
        parts.map(str::to_string).collect()
    }
}

/// The text of a number or a text.
pub(crate) fn of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A number or a text. `null` stands for an absent one.
pub(crate) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(from)?;
    if value.is_null() {
        return Ok(None);
    }
    let shown = value.to_string();
    let wrong = || D::Error::custom(format!("{shown} is neither a number nor a text"));
    of(value).map(Some).ok_or_else(wrong)
}

/// Counts: a list, a list of rows, or a text as the command reads it.
pub(crate) fn counts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let wrong =
        || D::Error::custom("give a list of whole numbers, or a list of rows of whole numbers");
    let row = |value: Value| match value {
        Value::Array(row) => {
            let counts: Option<Vec<String>> = row.into_iter().map(of).collect();
            counts.map(|counts| counts.join(",")).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    };
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Array(rows) if rows.iter().any(Value::is_array) => {
            let rows: Result<Vec<String>, D::Error> = rows.into_iter().map(row).collect();
            Ok(Some(rows?.join(";")))
        }
        value => row(value).map(Some),
    }
}

/// Sizes: a list, or a text as the command reads it.
pub(crate) fn sizes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let wrong = || D::Error::custom("give a list of sizes, or a text such as \"8:4GiB:x2\"");
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::Array(sizes) => {
            let sizes = names(sizes).ok_or_else(wrong)?;
            Ok(Some(match &sizes[..] {
                [] => return Err(wrong()),
                [only] => format!("{only}:{only}:x2"),
                _ => sizes.join(","),
            }))
        }
        value => of(value).map(Some).ok_or_else(wrong),
    }
}

/// The texts of a list of names, which may be numbers.
pub(crate) fn names(list: Vec<Value>) -> Option<Vec<String>> {
    list.into_iter().map(of).collect()
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wrong = || D::Error::custom("give a text, a list of texts, or {\"KIND\": VALUE, ...}");
        let texts = match Value::deserialize(from)? {
            Value::Null => Some(Vec::new()),
            Value::Array(list) => names(list),
            Value::Object(pairs) => {
                let pair = |(kind, value)| Some(format!("{kind}={}", of(value)?));
                pairs.into_iter().map(pair).collect()
            }
            value => of(value).map(|text| vec![text]),
        };
        texts.map(Texts).ok_or_else(wrong)
    }
}

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wrong = || D::Error::custom("give the path of a file, or a list of paths");
        let path = |value: Value| match value {
            Value::String(text) => Some(PathBuf::from(text)),
            _ => None,
        };
        let paths = match Value::deserialize(from)? {
            Value::Null => Some(Vec::new()),
            Value::Array(list) => list.into_iter().map(path).collect(),
            value => path(value).map(|path| vec![path]),
        };
        paths.map(Paths).ok_or_else(wrong)
    }
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wrong = || {
            D::Error::custom(
                "give a list of names or patterns, or a text such as \"a,b\" or \"all\"",
            )
        };
        match Value::deserialize(from)? {
            Value::Array(list) => names(list).map(Nodes::List).ok_or_else(wrong),
            value => of(value).map(Nodes::Text).ok_or_else(wrong),
        }
    }
}
