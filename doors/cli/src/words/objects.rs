//! JSON objects.

use serde_json::Value;

/// The keys of all objects in one; of equal keys the last counts.
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
