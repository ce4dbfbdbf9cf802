//! Roles of the nodes of graphs: the values of `router`, `type`, `kind` and `role` that are understood.
//!
//! A node is a switch if `router` is true, or if `type`, `kind` or `role` is switch or router. Public files write other
//! things under the last three: sizes of sites (Topology Zoo), numbers of communities, kinds of equipment. Such a node
//! is a processor, and a note names the value. A value that names a switch in other words is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;

use oneport_files::closest;
use oneport_files::error::{Mistake, clip};

use crate::imported::{Note, Topic};
use crate::mistakes::{said, unexpected};

/// Attributes of a node or an edge: names and values.
pub(crate) type Attributes<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// The attribute that is true for a node that only forwards.
const ROUTER: &str = "router";
/// Attributes with a word for the role.
const WORDS: [&str; 3] = ["type", "kind", "role"];
/// Words for a node that only forwards.
const SWITCH: [&str; 2] = ["switch", "router"];
/// Words for a node that takes part.
const PROCESSOR: [&str; 11] = [
    "processor",
    "host",
    "server",
    "node",
    "compute",
    "machine",
    "gpu",
    "cpu",
    "npu",
    "tpu",
    "accelerator",
];
/// Words for switches of a fabric. They are refused, and so is any word with `switch` in it.
const FABRIC: [&str; 3] = ["spine", "leaf", "tor"];
/// Values of `router` for a node that only forwards. pandas makes 1.0 of 1.
const TRUE: [&str; 7] = ["true", "yes", "on", "1", "1.0", "t", "y"];
/// Values of `router` for a node that takes part.
const FALSE: [&str; 7] = ["false", "no", "off", "0", "0.0", "f", "n"];
/// Values of an attribute that a node does not have, as networkx and pandas write them.
const ABSENT: [&str; 4] = ["", "none", "null", "nan"];

/// Whether an attribute of this name may be the role of a node.
pub(super) fn is_role(name: &str) -> bool {
    name == ROUTER || WORDS.contains(&name)
}

fn is_any(text: &str, words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// What the attributes of nodes and edges say that is not read. The number of entries is limited.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unused {
    /// Nodes by the attribute and the value that decides nothing about their role.
    roles: BTreeMap<(String, String), usize>,
    /// Nodes by an attribute of another name, and its value that says switch or router.
    elsewhere: BTreeMap<(String, String), usize>,
    /// Attributes of edges, each with the attribute that it resembles.
    near: BTreeMap<String, Option<String>>,
}

/// Limit on the entries of each table: a note lists fewer.
const MOST: usize = 1_000;

impl Unused {
    /// Whether the attributes mark a node that only forwards.
    ///
    /// # Errors
    /// `router` is neither true nor false, or another value names a switch in words that are not read.
    pub(crate) fn is_switch(&mut self, attributes: &Attributes<'_>) -> Result<bool, Mistake> {
        let present = |name| value(attributes, name).filter(|text| !is_any(text, &ABSENT));
        let stated = match present(ROUTER) {
            Some(text) if is_any(text, &TRUE) => Some(true),
            Some(text) if is_any(text, &FALSE) => Some(false),
            Some(text) => {
                let right = "true or false (or yes, no, on, off, 1, 0), as router should be: true for a node that only \
                             forwards";
                return Err(unexpected(format!("router {}", clip(text)), right));
            }
            None => None,
        };
        let words = || {
            WORDS
                .iter()
                .filter_map(|&name| Some((name, present(name)?)))
        };
        if stated == Some(true) || words().any(|(_, text)| is_any(text, &SWITCH)) {
            return Ok(true);
        }
        if stated.is_some() {
            return Ok(false);
        }
        for (name, text) in words() {
            if is_any(text, &FABRIC) || text.to_ascii_lowercase().contains("switch") {
                return Err(said(format!(
                    "{name} {} does not say whether the node only forwards; write {name} switch (or router true) for a \
                     node that only forwards, {name} processor (or router false) for one that takes part",
                    clip(text)
                )));
            }
            if !is_any(text, &PROCESSOR) {
                add(&mut self.roles, name, text);
            }
        }
        let names = |name: &str| matches!(name, "name" | "label" | "id") || WORDS.contains(&name);
        for (name, text) in attributes {
            let says = is_any(text, &SWITCH)
                || is_any(text, &TRUE) && closest(name, SWITCH.into_iter()).is_some()
                || is_any(text, &TRUE) && matches!(name.as_ref(), "is_switch" | "is_router");
            if says && !names(name) {
                add(&mut self.elsewhere, name, text);
            }
        }
        Ok(false)
    }

    /// Records the attributes of an edge that are not read and resemble one of the `known`, which would be read.
    pub(crate) fn edge(&mut self, attributes: &Attributes<'_>, known: &[&str]) {
        for (name, _) in attributes {
            if known.contains(&name.as_ref()) || self.near.contains_key(name.as_ref()) {
                continue;
            }
            let near = closest(
                name,
                known.iter().copied().filter(|known| !known.is_empty()),
            );
            // Two attributes of one edge are two things, such as `capacity` and `capacity2`.
            let near = near.filter(|near| value(attributes, near).is_none());
            if self.near.len() < MOST {
                self.near.insert(name.to_string(), near);
            }
        }
    }

    /// A note for each kind of attribute.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if let Some(listed) = listed(&self.roles) {
            notes.push(Note {
                topic: Topic::Assumed,
                text: format!(
                    "these values name no role, and their nodes take part: {listed}; type switch, or router true, marks a \
                     node that only forwards"
                ),
            });
        }
        if let Some(listed) = listed(&self.elsewhere) {
            notes.push(Note {
                topic: Topic::LeftOut,
                text: format!(
                    "{listed}: the role of a node is read from router, type, kind and role only; these nodes take part"
                ),
            });
        }
        for (name, near) in &self.near {
            if let Some(near) = near {
                let (name, near) = (clip(name), clip(near));
                notes.push(Note {
                    topic: Topic::LeftOut,
                    text: format!("attribute {name} of edges, which is not {near}"),
                });
            }
        }
        notes
    }
}

fn add(table: &mut BTreeMap<(String, String), usize>, name: &str, text: &str) {
    let key = (clip(name), clip(text.trim()));
    if table.len() < MOST || table.contains_key(&key) {
        *table.entry(key).or_default() += 1;
    }
}

/// The first entries of a table, as `type PoP (5 nodes)`. `None` if it is empty.
fn listed(table: &BTreeMap<(String, String), usize>) -> Option<String> {
    /// Shown: entries of a table.
    const SHOWN: usize = 6;
    let entry = |((name, text), count): (&(String, String), &usize)| {
        let nodes = if *count == 1 { "node" } else { "nodes" };
        Cow::from(format!("{name} {text} ({count} {nodes})"))
    };
    let mut shown: Vec<Cow<'_, str>> = table.iter().take(SHOWN).map(entry).collect();
    if table.len() > SHOWN {
        shown.push(format!("{} more", table.len() - SHOWN).into());
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// The value of the first attribute of this name.
pub(crate) fn value<'v>(attributes: &'v Attributes<'_>, name: &str) -> Option<&'v str> {
    attributes
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_ref())
}
