//! Sentences about the keys of a shape that is written as an object.

use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value};

use crate::words::{clipped, give};

/// Keys whose values are texts, or the texts of numbers.
const TEXTS: [&str; 3] = ["hosts", "size", "host_probability"];
/// The key whose value is a list, or its text.
const SIDES: &str = "sides";

/// The sentence about the first wrong key of a shape, whose keys are the options of the command of its name. `None` if
/// every key by itself is right.
pub(super) fn mistake(
    shapes: &Command,
    keys: &Map<String, Value>,
    are_sides: &dyn Fn(&Value) -> bool,
) -> Option<String> {
    let name = keys.get("generate").unwrap_or(&Value::Null);
    let Some(shape) = name.as_str().and_then(|name| shapes.find_subcommand(name)) else {
        return Some(no_shape(shapes, name));
    };
    let name = shape.get_name();
    let own: Vec<(String, &Arg)> = shape
        .get_arguments()
        .filter_map(|option| Some((option.get_long()?.replace('-', "_"), option)))
        .collect();
    let known = || own.iter().map(|(key, _)| key.as_str());
    if let Some(key) = keys
        .keys()
        .find(|key| *key != "generate" && known().all(|known| known != *key))
    {
        let close = oneport::files::closest(key, known());
        let quoted: Vec<String> = known().map(|key| format!("\"{key}\"")).collect();
        let hint = match close {
            Some(close) => format!("did you mean \"{close}\"?"),
            None if quoted.is_empty() => "leave it out".to_string(),
            None => format!("its own keys are {}", quoted.join(", ")),
        };
        return Some(format!("{name} takes no \"{}\"; {hint}", clipped(key)));
    }
    own.iter().find_map(|(key, option)| match keys.get(key) {
        None => option.is_required_set().then(|| {
            let values = takes(key, option);
            format!("{name} needs \"{key}\": give {values}")
        }),
        Some(value) => {
            let values = takes(key, option);
            let sentence = format!("\"{key}\": {}", give(values, value));
            (!fits(key, option, value, are_sides)).then_some(sentence)
        }
    })
}

/// The values of a key.
fn takes(key: &str, option: &Arg) -> &'static str {
    match (key, option.get_action()) {
        (SIDES, _) => "a list of whole numbers, such as [4, 4]",
        (key, _) if TEXTS.contains(&key) => "a number or a text",
        (_, ArgAction::SetTrue) => "true or false",
        _ => "a whole number",
    }
}

/// Whether the type of a value is right.
fn fits(key: &str, option: &Arg, value: &Value, are_sides: &dyn Fn(&Value) -> bool) -> bool {
    match (key, option.get_action()) {
        (SIDES, _) => are_sides(value),
        (key, _) if TEXTS.contains(&key) => value.is_number() || value.is_string(),
        (_, ArgAction::SetTrue) => value.is_boolean(),
        _ => value.is_u64(),
    }
}

/// The sentence that there is no such shape.
fn no_shape(shapes: &Command, name: &Value) -> String {
    let names = || shapes.get_subcommands().map(Command::get_name);
    let list = names().collect::<Vec<_>>().join(", ");
    let shown = clipped(&name.to_string());
    match name
        .as_str()
        .and_then(|name| oneport::files::closest(name, names()))
    {
        Some(close) => {
            format!("there is no shape {shown}; did you mean \"{close}\"? The shapes are {list}")
        }
        None => format!("there is no shape {shown}; the shapes are {list}"),
    }
}
