//! Values of the parameters of shapes, and sentences about wrong ones.

use oneport::files;
use serde_json::{Map, Value};

use crate::keys::option;
use crate::text;

/// Parameters that are whole numbers. The hosts of racks are a range.
const WHOLE: [&str; 16] = [
    "nodes",
    "leaves",
    "rows",
    "columns",
    "degree",
    "ports",
    "groups",
    "routers",
    "racks",
    "spines",
    "boxes",
    "accelerators",
    "inside",
    "network",
    "rails",
    "memory",
];

const WHOLE_NUMBER: &str = "a whole number, 0 or more";
const RANGE: &str = "a number or a text";
const FLAG: &str = "true or false";
const SHAPE: &str = "the name of a shape, such as \"ring\"";
const SIDES: &str = "a list of whole numbers, such as [4, 4]";

/// The values of a parameter. Empty if there is no such parameter.
fn values_of(key: &str, is_range: bool) -> &'static str {
    match key {
        "hosts" if is_range => RANGE,
        "hosts" => WHOLE_NUMBER,
        "size" | "host_probability" => RANGE,
        "copying" | "sharp" => FLAG,
        "generate" => SHAPE,
        "sides" => SIDES,
        key if WHOLE.contains(&key) => WHOLE_NUMBER,
        _ => "",
    }
}

/// The parameters, with a number for each text that stands for one.
///
/// # Errors
/// A sentence that names the parameter, and a right value.
pub(super) fn checked(mut keys: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let is_range = keys.get("generate").is_some_and(|shape| shape == "racks");
    for (key, value) in &mut keys {
        let right = values_of(key, is_range);
        let fits = match right {
            WHOLE_NUMBER => {
                let number = text::of(value.clone());
                let number = number.and_then(|text| text.trim().parse::<u64>().ok());
                number.inspect(|number| *value = (*number).into()).is_some()
            }
            RANGE => value.is_string() || value.is_number(),
            FLAG => value.is_boolean(),
            SHAPE => value.is_string(),
            _ => true,
        };
        if !fits {
            let shown: String = value.to_string().chars().take(60).collect();
            return Err(format!(
                "{}: {shown} does not fit; give {right}",
                option(key)
            ));
        }
    }
    Ok(keys)
}

/// The sentence about a parameter that is missing, or a name that does not exist. serde puts these names between
/// backticks: the wrong one, then the right ones.
pub(super) fn sentence(error: &str) -> String {
    let mut names = error.split('`').skip(1).step_by(2);
    let Some(name) = names.next() else {
        return error.to_string();
    };
    let known: Vec<&str> = names.collect();
    let (what, wrong) = match error {
        _ if error.starts_with("missing field") => {
            return format!(
                "{} is missing; give {}",
                option(name),
                values_of(name, false)
            );
        }
        _ if error.starts_with("unknown variant") => {
            ("shapes", format!("there is no shape \"{name}\""))
        }
        _ if error.starts_with("unknown field") => {
            ("parameters", format!("the shape takes no \"{name}\""))
        }
        _ => return error.to_string(),
    };
    match files::closest(name, known.iter().copied()) {
        Some(close) => format!("{wrong}; did you mean \"{close}\"?"),
        None if known.is_empty() => format!("{wrong}; leave it out"),
        None => format!("{wrong}; the {what} are {}", known.join(", ")),
    }
}
