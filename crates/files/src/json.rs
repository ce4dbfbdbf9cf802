//! A cursor over JSON text: one level at a time, in the file's own text.
//!
//! The text is checked once as a whole (without recursion, so that nesting costs nothing). After that a value is a
//! slice of the text: it has its line, its number keeps its digits, and lists are walked without being stored.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{FormatError, Mistake, clip, clip_message, quoted};
use crate::scalar::Scalar;
use crate::source::{KeyPath, Source};

/// One JSON value with its position.
#[derive(Clone, Copy)]
pub struct Json<'a, 'p> {
    /// The whole file.
    pub source: Source<'a>,
    text: &'a str,
    /// The keys that lead to the value.
    pub path: KeyPath<'p>,
}

impl<'a> Json<'a, '_> {
    /// Checks the syntax of a whole file.
    pub fn parse(source: Source<'a>) -> Result<Self, FormatError> {
        let raw: &RawValue =
            serde_json::from_str(source.text).map_err(|error| syntax(&source, &error))?;
        Ok(Json {
            source,
            text: raw.get(),
            path: KeyPath::Root,
        })
    }

    /// Offset of the value.
    pub fn offset(&self) -> usize {
        self.source.offset_of(self.text)
    }

    /// An error about this value.
    pub fn fail(&self, mistake: Mistake) -> FormatError {
        self.source.error(self.offset(), self.path.spelt(), mistake)
    }

    /// The error that this value is not the expected one.
    pub fn wrong(&self, expected: impl Into<Cow<'static, str>>) -> FormatError {
        self.fail(Mistake::WrongValue {
            value: self.shown(),
            expected: expected.into(),
        })
    }

    /// The value for an error message.
    fn shown(&self) -> String {
        match self.text.as_bytes().first() {
            Some(b'{') => "an object".to_string(),
            Some(b'[') => "an array".to_string(),
            Some(b'"') => quoted(self.text.trim_matches('"')),
            _ => clip(self.text),
        }
    }

    /// An object's values by key, `None` if the key is absent. An unknown or repeated key is refused.
    pub fn object<const N: usize>(
        &self,
        keys: [&'static str; N],
    ) -> Result<[Option<Json<'a, '_>>; N], FormatError> {
        self.members(keys, true)
    }

    /// [`object`](Self::object) for files of other programs. Unknown keys are ignored.
    pub fn open_object<const N: usize>(
        &self,
        keys: [&'static str; N],
    ) -> Result<[Option<Json<'a, '_>>; N], FormatError> {
        self.members(keys, false)
    }

    fn members<const N: usize>(
        &self,
        keys: [&'static str; N],
        closed: bool,
    ) -> Result<[Option<Json<'a, '_>>; N], FormatError> {
        if !self.text.starts_with('{') {
            return Err(self.wrong("an object"));
        }
        let mut values = [None; N];
        self.walk(|key, raw| {
            let key = key.unwrap_or_default();
            let located = |mistake| {
                self.source
                    .error(self.source.offset_of(raw.get()), self.path.spelt(), mistake)
            };
            match keys.iter().position(|known| *known == key) {
                None if closed => Err(located(Mistake::UnknownKey {
                    key: clip(&key),
                    known: keys.to_vec(),
                })),
                None => Ok(()),
                Some(index) => {
                    let value = Json {
                        source: self.source,
                        text: raw.get(),
                        path: KeyPath::Key(&self.path, keys[index]),
                    };
                    match values[index].replace(value) {
                        None => Ok(()),
                        Some(_) => Err(located(Mistake::DuplicateKey(clip(&key)))),
                    }
                }
            }
        })?;
        Ok(values)
    }

    /// Calls `f` on every element of an array, in order, without storing the array.
    pub fn each(
        &self,
        mut f: impl FnMut(usize, Json<'a, '_>) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        if !self.text.starts_with('[') {
            return Err(self.wrong("an array"));
        }
        let mut index = 0;
        self.walk(|_, raw| {
            let element = Json {
                source: self.source,
                text: raw.get(),
                path: KeyPath::Index(&self.path, index),
            };
            f(index, element)?;
            index += 1;
            Ok(())
        })
    }

    /// Calls `f` on every member of an object, in order, without storing the object. Keys may repeat.
    pub fn entries(
        &self,
        mut f: impl FnMut(Cow<'a, str>, Json<'a, '_>) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        if !self.text.starts_with('{') {
            return Err(self.wrong("an object"));
        }
        self.walk(|key, raw| {
            let key = key.unwrap_or_default();
            let path = KeyPath::Key(&self.path, &key);
            f(
                key.clone(),
                Json {
                    source: self.source,
                    text: raw.get(),
                    path,
                },
            )
        })
    }

    /// The value as it is written.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Visits the members of an object or array, one level.
    fn walk(
        &self,
        f: impl FnMut(Option<Cow<'a, str>>, &'a RawValue) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let mut stop = None;
        let mut text = serde_json::Deserializer::from_str(self.text);
        let walked = text.deserialize_any(Members { f, stop: &mut stop });
        match (stop, walked) {
            (Some(error), _) => Err(error),
            (None, Ok(())) => Ok(()),
            (None, Err(error)) => Err(self.fail(not_json(&error, None))),
        }
    }

    /// The first byte: it distinguishes an object `{`, an array `[`, a string `"` and a number.
    pub fn opening(&self) -> Option<u8> {
        self.text.bytes().next()
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.text == "null"
    }

    /// A string, number or boolean.
    pub fn scalar(&self) -> Result<Scalar<'a>, FormatError> {
        Ok(match self.text.as_bytes().first() {
            Some(b'"') => Scalar::Text(self.unescaped()?),
            Some(b'-' | b'0'..=b'9') => Scalar::Number(Cow::Borrowed(self.text)),
            Some(b't') => Scalar::Bool(true),
            Some(b'f') => Scalar::Bool(false),
            Some(b'n') => Scalar::Other("null"),
            Some(b'[') => Scalar::Other("an array"),
            _ => Scalar::Other("an object"),
        })
    }

    /// A string.
    pub fn string(&self) -> Result<Cow<'a, str>, FormatError> {
        if self.text.starts_with('"') {
            self.unescaped()
        } else {
            Err(self.wrong("a string"))
        }
    }

    fn unescaped(&self) -> Result<Cow<'a, str>, FormatError> {
        match self
            .text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
        {
            Some(inner) if !inner.contains('\\') => Ok(Cow::Borrowed(inner)),
            _ => serde_json::from_str(self.text)
                .map(Cow::Owned)
                .map_err(|error| self.fail(not_json(&error, None))),
        }
    }

    /// A whole number written as a JSON number.
    pub fn whole(&self) -> Result<u64, FormatError> {
        self.text
            .parse()
            .map_err(|_| self.wrong("a whole number from 0 to 18446744073709551615"))
    }

    /// A whole number written as a JSON number, from 0 to `count - 1`: the index of a `what`.
    pub fn index(&self, what: &'static str, count: usize) -> Result<usize, FormatError> {
        if !self.text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.wrong(format!("the number of a {what}, counted from 0")));
        }
        match self.text.parse() {
            Ok(index) if index < count => Ok(index),
            _ => Err(self.fail(Mistake::NoSuch {
                what,
                value: clip(self.text),
                count,
            })),
        }
    }
}

/// A required member.
pub fn need<'a, 'p>(
    owner: &Json<'_, '_>,
    value: Option<Json<'a, 'p>>,
    key: &'static str,
    meaning: &'static str,
) -> Result<Json<'a, 'p>, FormatError> {
    value.ok_or_else(|| owner.fail(Mistake::MissingKey { key, meaning }))
}

fn syntax(source: &Source<'_>, error: &serde_json::Error) -> FormatError {
    FormatError::new(
        source.name,
        Some(error.line().max(1)),
        None,
        not_json(error, Some(error.column())),
    )
}

fn not_json(error: &serde_json::Error, at: Option<usize>) -> Mistake {
    let text = error.to_string();
    let mut message = clip_message(text.split(" at line ").next().unwrap_or_default());
    if error.is_eof() {
        message.push_str(" (the file is cut off)");
    }
    Mistake::Syntax {
        format: "JSON",
        at,
        message,
    }
}

/// Hands the members of one object or array to `f`. `stop` keeps the error that serde cannot carry.
struct Members<'s, F> {
    f: F,
    stop: &'s mut Option<FormatError>,
}

impl<'de, F> Members<'_, F>
where
    F: FnMut(Option<Cow<'de, str>>, &'de RawValue) -> Result<(), FormatError>,
{
    fn hand<E: serde::de::Error>(
        &mut self,
        key: Option<Cow<'de, str>>,
        raw: &'de RawValue,
    ) -> Result<(), E> {
        (self.f)(key, raw).map_err(|error| {
            *self.stop = Some(error);
            E::custom("stopped")
        })
    }
}

impl<'de, F> Visitor<'de> for Members<'_, F>
where
    F: FnMut(Option<Cow<'de, str>>, &'de RawValue) -> Result<(), FormatError>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while let Some(raw) = elements.next_element::<&'de RawValue>()? {
            self.hand(None, raw)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<Cow<'de, str>>()? {
            let raw = members
                .next_value::<&'de RawValue>()
                .map_err(A::Error::custom)?;
            self.hand(Some(key), raw)?;
        }
        Ok(())
    }
}
