//! Sentences about a question that is no valid JSON, or that has a wrong key: the key, and the values that it takes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::keys::{KEYS, READING_KEYS};
use crate::reading::Reading;
use crate::words::{clipped, give};

/// Limit: the levels of nested objects and lists that are read. Fact: `serde_json` reads 127.
const MOST_LEVELS: usize = 127;

/// The sentence about a text that is no JSON object, or in which an object has a key twice.
pub(crate) fn in_form(text: &str) -> Option<String> {
    if !text.trim_start().starts_with('{') {
        return Some(match serde_json::from_str::<Value>(text) {
            Ok(_) => {
                "a question is a JSON object, such as {\"platform\": \"cluster.toml\", \"collective\": \"all-reduce\"}"
                    .to_string()
            }
            Err(error) => no_json(&error),
        });
    }
    let twice = RefCell::new(Vec::new());
    let mut read = serde_json::Deserializer::from_str(text);
    let walked = Walk(&twice)
        .deserialize(&mut read)
        .and_then(|()| read.end());
    let keys = twice.into_inner();
    if !keys.is_empty() {
        let quoted = keys.iter().map(|key| format!("\"{}\"", clipped(key)));
        let path = quoted.collect::<Vec<_>>().join(" in ");
        return Some(format!("the key {path} is given twice; keep one"));
    }
    walked.err().map(|error| no_json(&error))
}

/// The sentence about a question of which a key is wrong: `read` refuses the object of that key alone.
pub(crate) fn in_keys(
    text: &str,
    error: &serde_json::Error,
    read: impl Fn(Value) -> serde_json::Result<()>,
) -> String {
    let Ok(Value::Object(keys)) = serde_json::from_str(text) else {
        return no_json(error);
    };
    for (key, value) in keys {
        if let Some(sentence) = unknown("", &key, &KEYS) {
            return sentence;
        }
        if key == "read"
            && let Value::Object(keys) = &value
            && let Some(sentence) = in_reading(keys)
        {
            return sentence;
        }
        let alone = Map::from_iter([(key.clone(), value.clone())]);
        if let Err(error) = read(Value::Object(alone)) {
            return match takes(&key) {
                Some(values) => format!("\"{key}\": {}", give(values, &value)),
                None => format!("\"{key}\": {error}"),
            };
        }
    }
    error.to_string()
}

/// The sentence about a key of `read`.
fn in_reading(keys: &Map<String, Value>) -> Option<String> {
    keys.iter().find_map(|(key, value)| {
        if let Some(sentence) = unknown("read", key, &READING_KEYS) {
            return Some(sentence);
        }
        let alone = Map::from_iter([(key.clone(), value.clone())]);
        let error = Reading::deserialize(Value::Object(alone)).err()?;
        Some(match takes(key) {
            Some(values) => format!("\"read\": \"{key}\": {}", give(values, value)),
            None => format!("\"read\": \"{key}\": {error}"),
        })
    })
}

/// The values of a key whose own reader has no sentence.
fn takes(key: &str) -> Option<&'static str> {
    Some(match key {
        "ask" => "\"solve\", \"rate\" or \"bound\"",
        "changes" => "a list of texts, such as [\"a -> b: bandwidth x2\"]",
        "model" => "the name of a port model, such as \"full-duplex\"",
        "idle" => "\"out\" or \"forward\"",
        "collective" => "the name of a collective, such as \"all-reduce\"",
        "groups" => {
            "a list of groups, each of them a list of names, \"A,B,C@RATE\" or {\"nodes\": [\"A\", \"B\"], \"rate\": 2}"
        }
        "commutative" | "exact_period" | "whole_messages" | "multicast" => "true or false",
        "formulation" => "\"columns\" or \"compact\"",
        "keep" => "\"numbers\", \"certificate\" or \"plan\"",
        "reduce_in_switch" => "true, false, \"nvswitch\", \"ib\" or \"all\"",
        "format" => "the name of a format, such as \"toml\"",
        "units" => "the text of units, such as \"GB/s\"",
        "capacity" => "the name of an attribute of edges, such as \"weight\"",
        "latency_attribute" => "the name of an attribute of edges, such as \"delay\"",
        "fabric" => "\"switch\", \"rail\" or \"full\"",
        _ => return None,
    })
}

fn no_json(error: &serde_json::Error) -> String {
    let said = error.to_string();
    if said.starts_with("recursion limit") {
        return format!(
            "this is nested too deep; at most {MOST_LEVELS} objects and lists may hold each other"
        );
    }
    format!("this is no JSON: {said}")
}

/// The sentence that there is no such key.
fn unknown(of: &str, key: &str, known: &[&str]) -> Option<String> {
    if known.contains(&key) {
        return None;
    }
    let shown: String = key.chars().take(60).flat_map(char::escape_debug).collect();
    let of = if of.is_empty() {
        String::new()
    } else {
        format!("\"{of}\": ")
    };
    Some(match oneport::files::closest(key, known.iter().copied()) {
        Some(close) => format!("{of}there is no key \"{shown}\"; did you mean \"{close}\"?"),
        None => format!(
            "{of}there is no key \"{shown}\"; the keys are {}",
            known.join(", ")
        ),
    })
}

/// Reads JSON and keeps nothing of it. If an object has a key twice, it ends with an error, and the list has that key
/// and then the keys of the objects around it.
struct Walk<'t>(&'t RefCell<Vec<String>>);

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Walk(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut known = BTreeSet::new();
        while let Some(key) = object.next_key::<String>()? {
            if known.contains(&key) {
                self.0.borrow_mut().push(key);
                return Err(A::Error::custom("a key is given twice"));
            }
            let value = object.next_value_seed(Walk(self.0));
            if value.is_err() && !self.0.borrow().is_empty() {
                self.0.borrow_mut().push(key);
                return value;
            }
            value?;
            known.insert(key);
        }
        Ok(())
    }
}
