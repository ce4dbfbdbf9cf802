//! JSON objects.

use num_traits::ToPrimitive;
use oneport::units::{Dimension, Quantity};
use oneport::{Rational, Units, parse_rational};
use serde_json::{Number, Value};

/// The keys of all objects in one. Of equal keys the last counts.
pub fn joined(objects: impl IntoIterator<Item = Value>) -> Value {
    let keys = objects.into_iter().filter_map(|object| {
        if let Value::Object(keys) = object {
            Some(keys)
        } else {
            None
        }
    });
    Value::Object(keys.flatten().collect())
}

/// Keys whose texts are exact numbers, and no names.
#[rustfmt::skip]
const NUMBERS: [&str; 46] = [
    "algbw", "bandwidth", "best", "bound", "broadcast_begins", "broadcast_length", "busbw", "busy", "bytes", "capacity",
    "compute", "cost", "cut", "delivered", "eager", "enough", "fullest_buffer", "fullest_buffer_between_periods", "gap",
    "gain_per_price",
    "initialisation", "instances", "instances_per_period", "known", "latency", "length", "loss", "lower_bound", "messages",
    "period", "price", "reduction_length", "schedule_share", "schedule_throughput", "share", "share_at_least",
    "share_at_most", "steady_periods", "throughput", "time", "total", "tp_k", "transfer", "transfers", "until",
    "upper_bound",
];

/// Lists of one reduction, which stay as they are.
const LISTS: [&str; 3] = ["classes", "numbering", "tree"];

/// The object on one line. Beside each exact number in a text, such as `"time": "1/3"`, stands a plain one,
/// `"time_number": 0.3333333333333333`. Bandwidths with a unit are in GB/s.
pub fn line(mut object: Value) -> String {
    number(&mut object);
    object.to_string()
}

fn number(value: &mut Value) {
    match value {
        Value::Array(all) => {
            for one in all {
                number(one);
            }
        }
        Value::Object(keys) => {
            for (key, value) in keys.iter_mut() {
                if !LISTS.contains(&key.as_str()) {
                    number(value);
                }
            }
            let texts = NUMBERS.iter().filter_map(|key| {
                let plain = plain(keys.get(*key)?.as_str()?)?;
                Some((format!("{key}_number"), Value::Number(plain)))
            });
            let plain: Vec<(String, Value)> = texts.collect();
            keys.extend(plain);
        }
        _ => {}
    }
}

/// The number of a text. The number of a rate is in GB/s.
fn plain(text: &str) -> Option<Number> {
    let exact = parse_rational(text).ok().or_else(|| rate(text))?;
    Number::from_f64(exact.to_f64()?)
}

fn rate(text: &str) -> Option<Rational> {
    let quantity = Quantity::parse(text).ok()?;
    let is_rate = quantity.dimension == Dimension::Rate;
    let rate = Units::gigabytes_and_seconds().rate(&quantity, text);
    rate.ok().filter(|_| is_rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fractions_have_a_plain_number_beside_them() {
        let object = json!({
            "name": "3",
            "throughput": "1/4",
            "busbw": "400 Gbit/s",
            "rows": [{"time": "5", "from": "7", "share": null}],
        });
        let read: Value = serde_json::from_str(&line(object)).unwrap_or_default();
        assert_eq!(read["throughput"], json!("1/4"));
        assert_eq!(read["throughput_number"], json!(0.25));
        assert_eq!(read["busbw_number"], json!(50.0));
        assert_eq!(read["rows"][0]["time_number"], json!(5.0));
        for key in ["name_number", "from_number", "share_number"] {
            assert!(read.get(key).is_none() && read["rows"][0].get(key).is_none());
        }
    }
}
