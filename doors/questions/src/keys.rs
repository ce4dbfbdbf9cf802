//! The vocabulary: the keys of a question, and options of the command that are called otherwise.

/// The keys of a question.
pub const KEYS: [&str; 34] = [
    "id",
    "ask",
    "platform",
    "read",
    "changes",
    "model",
    "idle",
    "collective",
    "source",
    "target",
    "root",
    "sources",
    "targets",
    "participants",
    "groups",
    "demands",
    "counts",
    "size",
    "bytes",
    "work",
    "commutative",
    "period",
    "max_loss",
    "max_instances",
    "exact_period",
    "whole_messages",
    "formulation",
    "sizes",
    "measured",
    "with",
    "tuning",
    "time_limit",
    "memory_limit",
    "keep",
];

/// The keys of the value of `read`.
pub const READING_KEYS: [&str; 15] = [
    "format",
    "model",
    "units",
    "link_bandwidth",
    "capacity",
    "capacity_default",
    "latency",
    "latency_attribute",
    "merge_bandwidth",
    "multicast",
    "reduce_in_switch",
    "replicate",
    "fabric",
    "fabric_bandwidth",
    "nics",
];

/// Options whose key has another name or carries a value.
pub(crate) const OTHERWISE: [(&str, &str, &str); 4] = [
    ("change", "changes", ""),
    ("group", "groups", ""),
    ("in-order", "commutative", "false"),
    ("from", "format", ""),
];

/// Whether an option is in that list.
fn is_otherwise(option: &str) -> bool {
    OTHERWISE.iter().any(|(name, ..)| *name == option)
}

/// Options of generators that are no keys of a question.
const OF_GENERATORS: [&str; 26] = [
    "copying",
    "sharp",
    "seed",
    "cost",
    "compute",
    "bandwidth",
    "uplink",
    "hosts",
    "host_probability",
    "memory",
    "nodes",
    "leaves",
    "rows",
    "columns",
    "degree",
    "sides",
    "ports",
    "routers",
    "racks",
    "spines",
    "boxes",
    "accelerators",
    "inside",
    "network",
    "rails",
    "generate",
];

/// A key as sentences of the command name it: `--max-loss` for `max_loss`. The caller's [`Manner`](crate::Manner)
/// spells it anew.
pub(crate) fn option(key: &str) -> String {
    let other = OTHERWISE
        .iter()
        .find(|(_, own, value)| *own == key && value.is_empty());
    other.map_or_else(
        || format!("--{}", key.replace('_', "-")),
        |(option, ..)| format!("--{option}"),
    )
}

/// The values of a key of which a value of another type is refused.
pub(crate) fn values_of(key: &str) -> &'static str {
    match key {
        "ask" => "\"solve\", \"rate\" or \"bound\"",
        "keep" => "\"numbers\", \"certificate\" or \"plan\"",
        "formulation" => "\"columns\" or \"compact\"",
        "idle" => "\"out\" or \"forward\"",
        "collective" => "the name of a collective, such as \"all-reduce\"",
        "model" => "\"full-duplex\", \"half-duplex\", \"multiport\" or \"links\"",
        "changes" => "a list of texts, such as [\"A -> B: bandwidth x2\"]",
        "groups" => "a list of groups, such as [[\"A\", \"B\"], \"C,D@2\"]",
        "commutative" | "exact_period" | "whole_messages" | "multicast" => "true or false",
        "reduce_in_switch" => "true, false, \"nvswitch\", \"ib\" or \"all\"",
        _ => "a text",
    }
}

/// Whether an option of the command (`max-loss`) is a key.
pub(crate) fn is_key(option: &str) -> bool {
    let key = option.replace('-', "_");
    let known = KEYS
        .iter()
        .chain(&READING_KEYS)
        .chain(&OF_GENERATORS)
        .any(|known| *known == key);
    known || is_otherwise(option)
}
