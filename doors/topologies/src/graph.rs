//! Graphs of other programs: nodes and edges with attributes, for every file format.
//!
//! Nodes are processors, or switches if an attribute marks them (`graph_roles`).
//! The bandwidth of an edge is the attribute that the user names, else `capacity`, else `bandwidth`, else 1 /
//! `exact_cost`. A plain number is in GB/s unless the user gives a unit, and `100 Gbit/s` has its own.

use std::collections::BTreeMap;

use num_traits::{Signed, Zero};
use oneport_files::error::{Mistake, clip};
use oneport_platform::units::{Dimension, Quantity};
use oneport_platform::{Rational, Units, parse_rational};

use crate::draft::{Draft, Role, gigabytes};
use crate::graph_roles::is_role;
pub(crate) use crate::graph_roles::{Attributes, value};
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unknown};
use crate::options::{ImportOptions, LatencyAttribute};

/// Limit on the attributes of a node or an edge.
pub(crate) const MAX_ATTRIBUTES: usize = 500;
/// Attributes that give a bandwidth if the user names none.
const CAPACITY: [&str; 2] = ["capacity", "bandwidth"];
/// Attributes that give a latency if the user names none.
const LATENCY: [&str; 2] = ["latency", "delay"];
/// The cost that our own exports write: its reciprocal is the bandwidth.
const COST: &str = "exact_cost";

/// Attributes of one node or edge beyond the limit.
pub(crate) fn too_many_attributes(what: &'static str) -> Mistake {
    let instead = "leave out attributes other than bandwidths";
    too_many(what, MAX_ATTRIBUTES, instead)
}

/// A graph that is being added to a draft.
pub(crate) struct Graph<'g, 'o> {
    pub draft: &'g mut Draft<'o>,
    /// Index of each node in the draft, by its id.
    indices: BTreeMap<String, usize>,
}

impl<'g, 'o> Graph<'g, 'o> {
    pub(crate) fn new(draft: &'g mut Draft<'o>) -> Self {
        Graph {
            draft,
            indices: BTreeMap::new(),
        }
    }

    /// Adds a node under its `name` or `label`, else its id. Returns its role.
    pub(crate) fn node(&mut self, id: &str, attributes: &Attributes<'_>) -> Result<Role, Mistake> {
        // Graphviz writes the label `\N`: the node's own name.
        let is_own_name = |name: &str| name.is_empty() || name == "\\N";
        let named = value(attributes, "name")
            .or_else(|| value(attributes, "label"))
            .filter(|name| !is_own_name(name));
        let name = match named {
            Some(name) if self.draft.has_name(name) => format!("{name}#{id}"),
            Some(name) => name.to_string(),
            None => id.to_string(),
        };
        let (kind, role) = if self.draft.unused.is_switch(attributes)? {
            ("switch", Role::Switch)
        } else {
            ("node", Role::Processor)
        };
        self.named_node(id, name, kind, role)?;
        Ok(role)
    }

    /// Reads further attributes of a node that is in the draft: they may mark it as a switch.
    pub(crate) fn again(&mut self, id: &str, attributes: &Attributes<'_>) -> Result<(), Mistake> {
        let index = self.index(id)?;
        if self.draft.unused.is_switch(attributes)? {
            self.draft.forwards(index, "switch");
        }
        Ok(())
    }

    /// Adds a node under a name.
    pub(crate) fn named_node(
        &mut self,
        id: &str,
        name: String,
        kind: &'static str,
        role: Role,
    ) -> Result<(), Mistake> {
        if self.indices.contains_key(id) {
            return Err(Mistake::DuplicateKey(format!("node {}", clip(id))));
        }
        let index = self.draft.node(name, kind, role)?;
        self.indices.insert(id.to_string(), index);
        Ok(())
    }

    /// Index of the node of this id in the draft.
    pub(crate) fn index(&self, id: &str) -> Result<usize, Mistake> {
        self.indices.get(id).copied().ok_or_else(|| unknown(id))
    }

    /// Adds an edge between nodes by their ids, in both directions unless it is directed.
    pub(crate) fn edge(
        &mut self,
        from: &str,
        to: &str,
        directed: bool,
        attributes: &Attributes<'_>,
    ) -> Result<(), Mistake> {
        let (one, other) = (self.index(from)?, self.index(to)?);
        let options = self.draft.options;
        let asked = options.capacity.as_ref();
        let [capacity, bandwidth] = asked.map_or(CAPACITY, |asked| [asked.attribute.as_str(), ""]);
        let [latency, delay] = latency_names(options.latency.as_ref());
        let known = [capacity, bandwidth, COST, latency, delay];
        self.draft.unused.edge(attributes, &known);
        let rate = self.rate(attributes)?;
        let rate = self.draft.stated("link", rate);
        if self.draft.has_link(one, other) {
            self.draft.note(
                Topic::Merged,
                "parallel edges are one link, their bandwidths added",
            );
        }
        let latency = self.latency(attributes)?;
        if directed {
            self.draft.link(one, other, "link", rate)?;
        } else {
            self.draft.duplex(one, other, "link", rate)?;
        }
        if let Some(latency) = latency.filter(Signed::is_positive) {
            self.draft.latency(one, other, latency.clone());
            if !directed {
                self.draft.latency(other, one, latency);
            }
        }
        Ok(())
    }

    /// The latency in seconds, if an attribute states it with a unit.
    pub(crate) fn latency(
        &mut self,
        attributes: &Attributes<'_>,
    ) -> Result<Option<Rational>, Mistake> {
        let asked = self.draft.options.latency.as_ref();
        let found = latency_names(asked)
            .into_iter()
            .find_map(|name| Some((name, value(attributes, name)?)));
        let Some((name, text)) = found else {
            let names = attributes.iter().map(|(name, _)| name.as_ref());
            self.draft.no_latency(names);
            return Ok(None);
        };
        self.draft.latency_is_stated();
        let (seconds, note) = latency_in(name, text, asked)?;
        if let Some(note) = note {
            self.draft.note(Topic::LeftOut, note);
        }
        Ok(seconds)
    }

    fn rate(&mut self, attributes: &Attributes<'_>) -> Result<Rational, Mistake> {
        let options = self.draft.options;
        if let Some(capacity) = &options.capacity {
            if let Some(text) = value(attributes, &capacity.attribute) {
                let units = capacity.units;
                self.draft.note(
                    Topic::Assumed,
                    format!("link: {} is the bandwidth, in {units}", capacity.attribute),
                );
                return rate_in(text, units);
            }
        } else if let Some((name, text)) = CAPACITY
            .into_iter()
            .find_map(|name| Some((name, value(attributes, name)?)))
        {
            self.draft.note(
                Topic::Assumed,
                format!("link: {name} is the bandwidth, in GB/s where it has no unit"),
            );
            return rate_in(text, Units::gigabytes_and_seconds());
        } else if let Some(text) = value(attributes, COST) {
            self.draft.note(
                Topic::Assumed,
                "link: 1 / exact_cost is the bandwidth, in GB/s",
            );
            let cost = parse_rational(text)?;
            return if cost.is_positive() {
                Ok(cost.recip())
            } else {
                Err(not_positive(text))
            };
        }
        if let Some(default) = &options.capacity_default {
            let text = format!(
                "link: {} for links without bandwidth, as given",
                gigabytes(default)
            );
            self.draft.note(Topic::Assumed, text);
            return Ok(default.clone());
        }
        let named = options
            .capacity
            .as_ref()
            .map_or("capacity or bandwidth", |capacity| &capacity.attribute);
        let known: Vec<String> = attributes
            .iter()
            .take(8)
            .map(|(name, _)| clip(name))
            .collect();
        let has = if known.is_empty() {
            "none".to_string()
        } else {
            known.join(", ")
        };
        Err(said(format!(
            "no attribute {} gives the bandwidth (there is {has}); name it with --capacity ATTRIBUTE[,UNITS], or give \
             --capacity-default RATE",
            clip(named)
        )))
    }
}

/// The attributes that may be the latency. The second is empty if the user names one.
pub(super) fn latency_names(asked: Option<&LatencyAttribute>) -> [&str; 2] {
    asked.map_or(LATENCY, |asked| [asked.attribute.as_str(), ""])
}

/// The latency in seconds that an attribute of this name states, or a remark if it has no unit.
///
/// # Errors
/// The user names the attribute, and its value is not a latency.
pub(super) fn latency_in(
    name: &str,
    text: &str,
    asked: Option<&LatencyAttribute>,
) -> Result<(Option<Rational>, Option<String>), Mistake> {
    let plain = asked.and_then(|asked| asked.seconds.as_ref());
    match (seconds_in(text, plain), asked) {
        (Ok(Some(seconds)), _) => return Ok((Some(seconds), None)),
        (Err(mistake), Some(_)) => return Err(mistake),
        _ => {}
    }
    let name = clip(name);
    let note = format!(
        "latency: {name} of links is a number without a unit; --latency-attribute {name},us says that it is in microseconds"
    );
    Ok((None, Some(note)))
}

/// Whether an attribute that has a default is read.
pub(super) fn is_read(name: &str, options: &ImportOptions) -> bool {
    const READ: [&str; 7] = [
        "name",
        "label",
        CAPACITY[0],
        CAPACITY[1],
        COST,
        LATENCY[0],
        LATENCY[1],
    ];
    let (capacity, latency) = (&options.capacity, &options.latency);
    READ.contains(&name)
        || is_role(name)
        || capacity.as_ref().is_some_and(|of| of.attribute == name)
        || latency.as_ref().is_some_and(|of| of.attribute == name)
}

/// A bandwidth in GB/s, from a number in these units or from a quantity.
pub(super) fn rate_in(text: &str, units: Units) -> Result<Rational, Mistake> {
    let quantity = Quantity::parse(text.trim())?;
    let gigabytes = Units::gigabytes_and_seconds();
    let rate = match quantity.dimension {
        Dimension::Number => {
            parse_rational(text.trim())? * units.data.bits()
                / units.time.seconds()
                / gigabytes.data.bits()
        }
        _ => gigabytes.rate(&quantity, text)?,
    };
    if rate.is_positive() {
        Ok(rate)
    } else {
        Err(not_positive(text))
    }
}

/// A time in seconds: a number that counts `plain` seconds each, or a quantity. `None` for a number above 0 of no unit.
fn seconds_in(text: &str, plain: Option<&Rational>) -> Result<Option<Rational>, Mistake> {
    let quantity = Quantity::parse(text.trim())?;
    let seconds = match (quantity.dimension, plain) {
        (Dimension::Number, plain) => {
            let value = parse_rational(text.trim())?;
            match plain {
                Some(plain) => value * plain,
                None if value.is_zero() => value,
                None => return Ok(None),
            }
        }
        _ => Units::gigabytes_and_seconds().time(&quantity, text)?,
    };
    if seconds.is_negative() {
        let text = format!("'{}' is below 0; a latency is a time from 0 on", clip(text));
        return Err(said(text));
    }
    Ok(Some(seconds))
}

fn not_positive(text: &str) -> Mistake {
    Mistake::NotPositive {
        what: "a bandwidth",
        value: clip(text),
    }
}
