//! The native platform file in TOML.
//!
//! The `toml` crate's own value type would turn decimals into floats. Its deserialization tree keeps their text.

use std::borrow::Cow;

use num_bigint::BigInt;
use oneport_platform::Platform;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::shared::{Ends, SHARED_KEYS};
use super::{Assembly, Field, LINK_KEYS, NODE_KEYS, TOP_KEYS};
use crate::error::{FormatError, Mistake, clip, clip_message};
use crate::scalar::Scalar;
use crate::source::Source;

/// Most tokens, and most values, of a TOML file: the parser keeps them all in memory, some 50 bytes a token.
const MAX_TOKENS: usize = 4_000_000;
const MAX_VALUES: usize = 600_000;
/// Longest number in another base. Longer ones are refused as numbers, unconverted.
const MAX_DIGITS: usize = 1000;

/// Reads a whole file.
pub(crate) fn read_toml(source: Source<'_>) -> Result<Platform, FormatError> {
    check_size(source.text).map_err(|mistake| source.error_in_file(mistake))?;
    let top = DeTable::parse(source.text).map_err(|error| syntax(&source, &error))?;
    let [format, model, units, nodes, links, shared] =
        members(&source, top.get_ref(), None, TOP_KEYS)?;
    let mut assembly = Assembly::new(source);
    assembly.head([format, model, units].map(|value| value.map(field)))?;
    let nodes = nodes.ok_or_else(|| {
        source.error_in_file(Mistake::MissingKey {
            key: "node",
            meaning: "the nodes, one [[node]] each",
        })
    })?;
    each(&source, nodes, "node", |index, offset, table| {
        let fields = members(&source, table, Some(("node", index)), NODE_KEYS)?;
        assembly.node(index, offset, fields.map(|value| value.map(field)))
    })?;
    if let Some(links) = links {
        each(&source, links, "link", |index, offset, table| {
            let fields = members(&source, table, Some(("link", index)), LINK_KEYS)?;
            assembly.link(index, offset, fields.map(|value| value.map(field)))
        })?;
    }
    if let Some(shared) = shared {
        each(&source, shared, "shared", |index, offset, table| {
            let [name, bandwidth, links] =
                members(&source, table, Some(("shared", index)), SHARED_KEYS)?;
            let links = links
                .map(|links| listed(&source, index, links))
                .transpose()?;
            let fields = [name, bandwidth].map(|value| value.map(field));
            assembly.shared(index, offset, fields, links)
        })?;
    }
    assembly.finish()
}

/// The links of a shared capacity, with their offsets.
fn listed<'t>(
    source: &Source<'_>,
    index: usize,
    links: Value<'t, '_>,
) -> Result<Vec<(usize, Ends<'t>)>, FormatError> {
    let wrong = |value: Value<'_, '_>, expected: &'static str| {
        let mistake = Mistake::WrongValue {
            value: field(value).scalar.shown(),
            expected: Cow::Borrowed(expected),
        };
        let key = format!("shared[{index}].links");
        source.error(value.span().start, Some(key), mistake)
    };
    let DeValue::Array(links) = links.get_ref() else {
        return Err(wrong(
            links,
            "a list of links, such as [\"a -> b\", \"b -> a\"]",
        ));
    };
    let ends = |link: Value<'t, '_>| match link.get_ref() {
        DeValue::String(text) => Some(Ends::Arrow(Cow::Borrowed(text))),
        DeValue::Array(names) => {
            let names = names.iter().map(|name| match name.get_ref() {
                DeValue::String(name) => Some(Cow::Borrowed(name.as_ref())),
                _ => None,
            });
            Ends::pair(names.collect::<Option<_>>()?)
        }
        _ => None,
    };
    let found = |link: Value<'t, '_>| {
        let ends = ends(link).ok_or_else(|| wrong(link, Ends::EXPECTED))?;
        Ok((link.span().start, ends))
    };
    links.iter().map(found).collect()
}

/// Whether a text is small enough to be read back.
pub(super) fn check_size(text: &str) -> Result<(), Mistake> {
    let instead = "write so large a platform as JSON";
    // At least as many as the parser's: marks and line ends, and the runs of blanks and of other characters.
    let (mut tokens, mut values) = (0, 0);
    let mut before = b'\n';
    for byte in text.bytes() {
        let mark = byte == b'\n' || byte.is_ascii_punctuation();
        let goes_on = kind(byte) == kind(before);
        tokens += usize::from(mark || !goes_on);
        values += usize::from(byte == b',' || byte == b'=');
        before = byte;
    }
    if values > MAX_VALUES {
        return Err(Mistake::TooMany {
            what: "values for a TOML file",
            limit: MAX_VALUES,
            instead,
        });
    }
    if tokens > MAX_TOKENS {
        return Err(Mistake::TooMany {
            what: "words and marks for a TOML file",
            limit: MAX_TOKENS,
            instead,
        });
    }
    Ok(())
}

/// Blank, mark or other.
fn kind(byte: u8) -> u8 {
    match byte {
        b' ' | b'\t' => 0,
        b'\n' => 1,
        _ if byte.is_ascii_punctuation() => 1,
        _ => 2,
    }
}

type Value<'t, 'a> = &'t Spanned<DeValue<'a>>;

/// A table's values by key. The first key that is not known is refused.
fn members<'t, 'a, const N: usize>(
    source: &Source<'_>,
    table: &'t DeTable<'a>,
    entry: Option<(&str, usize)>,
    keys: [&'static str; N],
) -> Result<[Option<Value<'t, 'a>>; N], FormatError> {
    let unknown = table
        .keys()
        .filter(|key| !keys.contains(&key.get_ref().as_ref()))
        .min_by_key(|key| key.span().start);
    if let Some(key) = unknown {
        let at = entry.map(|(list, index)| format!("{list}[{index}]"));
        let mistake = Mistake::UnknownKey {
            key: clip(key.get_ref()),
            known: keys.to_vec(),
        };
        return Err(source.error(key.span().start, at, mistake));
    }
    Ok(keys.map(|key| table.get(key)))
}

/// Calls `f` with the index, offset and contents of every table of an array of tables.
fn each<'t, 'a>(
    source: &Source<'_>,
    list: Value<'t, 'a>,
    name: &'static str,
    mut f: impl FnMut(usize, usize, &'t DeTable<'a>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let wrong = |value: Value<'_, '_>, key: String| {
        let expected = Cow::Owned(format!(
            "a list of tables; write [[{name}]] before the keys of each {name}"
        ));
        let mistake = Mistake::WrongValue {
            value: field(value).scalar.shown(),
            expected,
        };
        source.error(value.span().start, Some(key), mistake)
    };
    let DeValue::Array(elements) = list.get_ref() else {
        return Err(wrong(list, name.to_string()));
    };
    for (index, element) in elements.iter().enumerate() {
        let DeValue::Table(table) = element.get_ref() else {
            return Err(wrong(element, format!("{name}[{index}]")));
        };
        f(index, element.span().start, table)?;
    }
    Ok(())
}

fn field<'t>(value: Value<'t, '_>) -> Field<'t> {
    let scalar = match value.get_ref() {
        DeValue::String(text) => Scalar::Text(Cow::Borrowed(text)),
        DeValue::Integer(integer) => Scalar::Number(decimal(integer)),
        DeValue::Float(float) => Scalar::Number(Cow::Borrowed(float.as_str())),
        DeValue::Boolean(value) => Scalar::Bool(*value),
        DeValue::Datetime(_) => Scalar::Other("a date"),
        DeValue::Array(_) => Scalar::Other("an array"),
        DeValue::Table(_) => Scalar::Other("a table"),
    };
    Field {
        offset: value.span().start,
        scalar,
    }
}

/// The digits in base ten. TOML also has `0xff`, `0o17` and `0b11`.
fn decimal<'t>(integer: &'t DeInteger<'_>) -> Cow<'t, str> {
    let digits = integer.as_str();
    if integer.radix() == 10 || digits.len() > MAX_DIGITS {
        return Cow::Borrowed(digits);
    }
    match BigInt::parse_bytes(digits.as_bytes(), integer.radix()) {
        Some(value) => Cow::Owned(value.to_string()),
        None => Cow::Borrowed(digits),
    }
}

pub(crate) fn syntax(source: &Source<'_>, error: &toml::de::Error) -> FormatError {
    let message = clip_message(error.message());
    match error.span() {
        Some(span) => {
            let before = source.text.get(..span.start).unwrap_or(source.text);
            let column = before
                .rsplit('\n')
                .next()
                .unwrap_or_default()
                .chars()
                .count()
                + 1;
            source.error(
                span.start,
                None,
                Mistake::Syntax {
                    format: "TOML",
                    at: Some(column),
                    message,
                },
            )
        }
        None => source.error_in_file(Mistake::Syntax {
            format: "TOML",
            at: None,
            message,
        }),
    }
}
