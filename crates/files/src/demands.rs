//! Custom demands in a separate file.

use std::path::Path;

use oneport_plan::Collective;
use oneport_platform::Platform;

use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::native::toml_syntax;
use crate::plan::read_demands;
use crate::source::{Source, read_bytes};

/// Most bytes of a file of demands.
pub const MAX_DEMANDS_BYTES: u64 = 64 << 20;

/// The name of the format, which every file states.
const FORMAT: &str = "oneport-demands/1";

/// Reads a collective that has no name:
/// `{"format": "oneport-demands/1", "demands": [{"values": ["a", "b"], "wanted": ["c"]}]}`. A demand wants the values
/// of its owners, combined in this order, at the nodes that are listed or, with `"prefixes": true`, each prefix at the
/// owner of its last value. A single value is a message. `"rate"` (1 if absent) says how often per instance,
/// `"commutative"` (false) whether operands may be combined in any order. A file that ends in `.toml` has the same
/// keys.
///
/// # Errors
/// A file that cannot be read, text that is neither JSON nor TOML, unknown or missing keys and names, and demands that
/// do not fit the platform.
pub fn read_demands_file(path: &Path, platform: &Platform) -> Result<Collective, FormatError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path, MAX_DEMANDS_BYTES)?;
    let is_toml = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    parse_demands(&name, &bytes, is_toml, platform)
}

/// [`read_demands_file`] from bytes.
///
/// # Errors
/// Those of [`read_demands_file`].
pub fn parse_demands(
    name: &str,
    bytes: &[u8],
    is_toml: bool,
    platform: &Platform,
) -> Result<Collective, FormatError> {
    of_text(name, bytes, is_toml, "demands", &|source| {
        read(source, platform)
    })
}

/// Reads text that has the same keys in JSON and TOML. No key may hold a number that is not whole, so no value passes
/// through a float.
pub(crate) fn of_text<T>(
    name: &str,
    bytes: &[u8],
    is_toml: bool,
    what: &'static str,
    read: &dyn Fn(Source<'_>) -> Result<T, FormatError>,
) -> Result<T, FormatError> {
    let source = Source::new(name, bytes, what)?;
    if !is_toml {
        return read(source);
    }
    let table: toml::Table =
        toml::from_str(source.text).map_err(|error| toml_syntax(&source, &error))?;
    let json = serde_json::to_string(&table).unwrap_or_default();
    // Errors give the key only: lines would be lines of the JSON.
    read(Source {
        text: &json,
        ..source
    })
    .map_err(FormatError::without_line)
}

fn read(source: Source<'_>, platform: &Platform) -> Result<Collective, FormatError> {
    let top = Json::parse(source)?;
    if top.opening() == Some(b'[') {
        return Err(top.fail(Mistake::WrongValue {
            value: "a list".to_string(),
            expected: "an object with the list in it, {\"format\": \"oneport-demands/1\", \"demands\": [...]}".into(),
        }));
    }
    let [format, demands] = top.object(["format", "demands"])?;
    let format = need(&top, format, "format", "\"oneport-demands/1\"")?;
    if format.string()? != FORMAT {
        return Err(format.wrong("\"oneport-demands/1\""));
    }
    let list = need(
        &top,
        demands,
        "demands",
        "a list of {\"values\": [...], \"wanted\": [...]}",
    )?;
    let collective = Collective::Custom(read_demands(&list, platform)?);
    collective
        .validate(platform)
        .map_err(|error| list.fail(Mistake::Collective(error)))?;
    Ok(collective)
}
