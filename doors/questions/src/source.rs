//! Where a platform comes from.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use oneport::Platform;
use serde::Deserialize;
use serde_json::Value;

use crate::generate::Generated;

/// Where a platform comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file of ours, or a topology of another program.
    File(PathBuf),
    /// The content of a platform file, or of a graph, as JSON.
    Inline(Value),
    /// A shape.
    Generated(Box<Generated>),
    /// A platform that was read before.
    Given(Arc<Platform>),
}

impl Default for Source {
    fn default() -> Self {
        Source::File(PathBuf::new())
    }
}

impl Source {
    /// Its name in messages.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Source::File(path) => path.to_string_lossy(),
            _ => "platform".into(),
        }
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let wrong = |error: String| serde::de::Error::custom(error);
        match Value::deserialize(from)? {
            Value::String(path) => Ok(Source::File(path.into())),
            value @ Value::Object(_) if value.get("generate").is_some() => {
                let generated = Generated::of_value(value).map_err(wrong)?;
                Ok(Source::Generated(Box::new(generated)))
            }
            value @ Value::Object(_) => Ok(Source::Inline(value)),
            _ => Err(wrong(
                "give the path of a file, the content of a platform file, or {\"generate\": SHAPE, ...}".to_string(),
            )),
        }
    }
}
