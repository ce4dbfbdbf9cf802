//! The native platform file, `oneport-platform/1`: the same keys in TOML and JSON.
//!
//! Both syntaxes are cut into [`Field`]s. Everything that the keys mean is decided here, once.

mod json;
mod measures;
mod shared;
mod toml;
mod write;

use std::borrow::Cow;

use num_traits::{Signed, Zero};
use oneport_platform::{
    Delays, LinkId, Node, NodeId, Platform, PlatformBuilder, PortModel, Rational, parse_rational,
};

use measures::{Measure, Measures};

pub(crate) use json::{assemble, read_json};
pub(crate) use toml::{read_toml, syntax as toml_syntax};
pub(crate) use write::{quote, write_json, write_json_into, write_toml};

use crate::closest::closest;
use crate::error::{FormatError, Mistake, clip};
use crate::scalar::Scalar;
use crate::source::Source;

/// The value of `format`.
const FORMAT: &str = "oneport-platform/1";
const TOP_KEYS: [&str; 6] = ["format", "model", "units", "node", "link", "shared"];
const NODE_KEYS: [&str; 9] = [
    "name",
    "compute",
    "model",
    "ports",
    "replicates",
    "switch",
    "accelerator",
    "alias",
    "reduces",
];
const LINK_KEYS: [&str; 7] = [
    "from",
    "to",
    "cost",
    "bandwidth",
    "duplex",
    "latency",
    "overhead",
];

/// A scalar and its position.
pub(crate) struct Field<'a> {
    pub offset: usize,
    pub scalar: Scalar<'a>,
}

/// An entry of `node` or `link`: for messages.
#[derive(Clone, Copy)]
struct Entry {
    list: &'static str,
    index: usize,
    offset: usize,
}

/// A platform being read: the meaning of every key.
struct Assembly<'a> {
    source: Source<'a>,
    /// Prefix of the keys in messages: "platform." inside a plan.
    prefix: &'static str,
    measures: Measures,
    builder: PlatformBuilder,
    /// Links without a cost, which must have shared capacities, with their positions.
    unlimited: Vec<(LinkId, Entry)>,
}

impl<'a> Assembly<'a> {
    fn new(source: Source<'a>) -> Self {
        Assembly {
            source,
            prefix: "",
            measures: Measures::new(parse_rational),
            builder: Platform::builder(),
            unlimited: Vec::new(),
        }
    }

    fn error(&self, offset: usize, key: &str, mistake: Mistake) -> FormatError {
        self.source
            .error(offset, Some(format!("{}{key}", self.prefix)), mistake)
    }

    fn entry_error(&self, entry: Entry, key: &str, offset: usize, mistake: Mistake) -> FormatError {
        let dot = if key.is_empty() { "" } else { "." };
        self.error(
            offset,
            &format!("{}[{}]{dot}{key}", entry.list, entry.index),
            mistake,
        )
    }

    /// `format`, `model` and `units`.
    fn head(&mut self, [format, model, units]: [Option<Field<'_>>; 3]) -> Result<(), FormatError> {
        let format = format.ok_or_else(|| {
            self.source.error_in_file(Mistake::MissingKey {
                key: "format",
                meaning: "\"oneport-platform/1\"",
            })
        })?;
        if !matches!(&format.scalar, Scalar::Text(text) if text == FORMAT) {
            let mistake = Mistake::WrongFormat {
                found: format.scalar.shown(),
                expected: FORMAT,
            };
            return Err(self.error(format.offset, "format", mistake));
        }
        if let Some(field) = model {
            let model = port_model(&field.scalar)
                .map_err(|mistake| self.error(field.offset, "model", mistake))?;
            self.builder.model(model);
        }
        if let Some(field) = units {
            let declared = match &field.scalar {
                Scalar::Text(text) => self.measures.declare(text),
                other => Err(wrong(
                    other,
                    "units in quotes: data over time, such as \"GB/s\"",
                )),
            };
            declared.map_err(|mistake| self.error(field.offset, "units", mistake))?;
        }
        Ok(())
    }

    /// One `node`. Fields in the order of [`NODE_KEYS`].
    fn node(
        &mut self,
        index: usize,
        offset: usize,
        fields: [Option<Field<'_>>; 9],
    ) -> Result<(), FormatError> {
        let entry = Entry {
            list: "node",
            index,
            offset,
        };
        let [
            name,
            compute,
            model,
            ports,
            replicates,
            switch,
            accelerator,
            alias,
            reduces,
        ] = fields;
        let name = self.name(entry, name, "name", "the node's name")?;
        let mut node = Node::router(name);
        if let Some(field) = compute {
            node.compute = Some(self.value(entry, "compute", Measure::Compute, &field)?);
        }
        if let Some(field) = switch
            && self.boolean(entry, "switch", &field)?
        {
            if let Some(second) = &model {
                return Err(self.entry_error(
                    entry,
                    "",
                    second.offset,
                    Mistake::BothKeys("switch", "model"),
                ));
            }
            node.model = Some(PortModel::Links);
            node.replicates = false;
        }
        if let Some(field) = model {
            let model = port_model(&field.scalar)
                .map_err(|mistake| self.entry_error(entry, "model", field.offset, mistake))?;
            node.model = Some(model);
        }
        if let Some(field) = ports {
            let ports = whole(&field.scalar);
            node.ports = Some(
                ports.map_err(|mistake| self.entry_error(entry, "ports", field.offset, mistake))?,
            );
        }
        if let Some(field) = replicates {
            node.replicates = self.boolean(entry, "replicates", &field)?;
        }
        if let Some(field) = accelerator {
            node.accelerator = self.boolean(entry, "accelerator", &field)?;
        }
        if let Some(field) = alias {
            node.alias = Some(self.name(entry, Some(field), "alias", "a second name")?);
        }
        if let Some(field) = reduces {
            node.reduces = self.reduces(entry, &field)?;
        }
        let added = self.builder.node(node);
        added
            .map(|_| ())
            .map_err(|error| self.entry_error(entry, "", offset, Mistake::Platform(error)))
    }

    /// `reduces`: `true` for merges that take no time, or their time (rate).
    fn reduces(
        &mut self,
        entry: Entry,
        field: &Field<'_>,
    ) -> Result<Option<Rational>, FormatError> {
        match &field.scalar {
            Scalar::Bool(reduces) => Ok(reduces.then(Rational::zero)),
            Scalar::Text(_) | Scalar::Number(_) => Ok(Some(self.value(
                entry,
                "reduces",
                Measure::Compute,
                field,
            )?)),
            other => {
                let right =
                    "true, false, or the time of a merge, such as \"2 ms/GB\" or \"3600 GB/s\"";
                Err(self.entry_error(entry, "reduces", field.offset, wrong(other, right)))
            }
        }
    }

    /// One `link`. Fields in the order of [`LINK_KEYS`].
    fn link(
        &mut self,
        index: usize,
        offset: usize,
        fields: [Option<Field<'_>>; 7],
    ) -> Result<(), FormatError> {
        let entry = Entry {
            list: "link",
            index,
            offset,
        };
        let [from, to, cost, bandwidth, duplex, latency, overhead] = fields;
        let from = self.end(entry, from, "from", "the sending node")?;
        let to = self.end(entry, to, "to", "the receiving node")?;
        let limited = cost.is_some() || bandwidth.is_some();
        let cost = self.cost(entry, cost, bandwidth)?;
        let duplex = match duplex {
            Some(field) => self.boolean(entry, "duplex", &field)?,
            None => false,
        };
        let delays = Delays {
            latency: self.delay(entry, "latency", latency)?,
            overhead: self.delay(entry, "overhead", overhead)?,
        };
        let (builder, unlimited) = (&mut self.builder, &mut self.unlimited);
        let mut one_way = |from, to| {
            let link = builder.link(from, to, cost.clone())?;
            unlimited.extend((!limited).then_some((link, entry)));
            builder.delays(link, delays.clone())
        };
        let added =
            one_way(from, to).and_then(|()| if duplex { one_way(to, from) } else { Ok(()) });
        added.map_err(|error| self.entry_error(entry, "", offset, Mistake::Platform(error)))
    }

    /// `latency` or `overhead`: 0 if absent.
    fn delay(
        &mut self,
        entry: Entry,
        key: &str,
        field: Option<Field<'_>>,
    ) -> Result<Rational, FormatError> {
        field.map_or_else(
            || Ok(Rational::zero()),
            |field| self.value(entry, key, Measure::Delay, &field),
        )
    }

    /// The platform. Its ports are not checked yet.
    fn finish(mut self) -> Result<Platform, FormatError> {
        self.check_limits()?;
        if let Some(units) = self.measures.units() {
            self.builder.units(units);
        }
        self.builder
            .build_with_any_ports()
            .map_err(|error| self.source.error_in_file(Mistake::Platform(error)))
    }

    /// `cost`, or 1 / `bandwidth`. 0 if neither is given.
    fn cost(
        &mut self,
        entry: Entry,
        cost: Option<Field<'_>>,
        bandwidth: Option<Field<'_>>,
    ) -> Result<Rational, FormatError> {
        let (key, measure, field) = match (cost, bandwidth) {
            (Some(cost), None) => ("cost", Measure::Cost, cost),
            (None, Some(bandwidth)) => ("bandwidth", Measure::Bandwidth, bandwidth),
            (Some(_), Some(second)) => {
                let mistake = Mistake::BothKeys("cost", "bandwidth");
                return Err(self.entry_error(entry, "", second.offset, mistake));
            }
            (None, None) => return Ok(Rational::zero()),
        };
        let value = self.value(entry, key, measure, &field)?;
        // Without cost, messages take no time on the link. Its bandwidth would be no number.
        if value.is_negative() || key == "bandwidth" && value.is_zero() {
            let value = field.scalar.shown();
            let mistake = match key {
                "cost" => Mistake::Negative {
                    what: "a link's cost",
                    value,
                },
                _ => Mistake::NotPositive {
                    what: "a link's bandwidth",
                    value,
                },
            };
            return Err(self.entry_error(entry, key, field.offset, mistake));
        }
        Ok(if key == "cost" { value } else { value.recip() })
    }

    fn value(
        &mut self,
        entry: Entry,
        key: &str,
        measure: Measure,
        field: &Field<'_>,
    ) -> Result<Rational, FormatError> {
        let value = match &field.scalar {
            Scalar::Text(text) | Scalar::Number(text) => self.measures.value(measure, text),
            other => Err(wrong(other, "a number; write 7, 0.25, \"2/3\" or \"1e-3\"")),
        };
        let value = value.and_then(|value| match key {
            "compute" if !value.is_positive() => {
                let what = if value.is_zero() {
                    "compute (absent for a router)"
                } else {
                    "compute"
                };
                Err(Mistake::NotPositive {
                    what,
                    value: field.scalar.shown(),
                })
            }
            "reduces" if value.is_negative() => Err(Mistake::Negative {
                what: "the time of a merge",
                value: field.scalar.shown(),
            }),
            _ => Ok(value),
        });
        value.map_err(|mistake| self.entry_error(entry, key, field.offset, mistake))
    }

    fn boolean(&self, entry: Entry, key: &str, field: &Field<'_>) -> Result<bool, FormatError> {
        match field.scalar {
            Scalar::Bool(value) => Ok(value),
            ref other => {
                Err(self.entry_error(entry, key, field.offset, wrong(other, "true or false")))
            }
        }
    }

    fn name(
        &self,
        entry: Entry,
        field: Option<Field<'_>>,
        key: &'static str,
        meaning: &'static str,
    ) -> Result<String, FormatError> {
        let field = field.ok_or_else(|| {
            self.entry_error(
                entry,
                "",
                entry.offset,
                Mistake::MissingKey { key, meaning },
            )
        })?;
        match field.scalar {
            Scalar::Text(text) => Ok(text.into_owned()),
            other => {
                Err(self.entry_error(entry, key, field.offset, wrong(&other, "a name in quotes")))
            }
        }
    }

    fn end(
        &self,
        entry: Entry,
        field: Option<Field<'_>>,
        key: &'static str,
        meaning: &'static str,
    ) -> Result<NodeId, FormatError> {
        let offset = field.as_ref().map_or(entry.offset, |field| field.offset);
        let name = self.name(entry, field, key, meaning)?;
        self.builder.find(&name).ok_or_else(|| {
            let close = self.close(&name);
            self.entry_error(
                entry,
                key,
                offset,
                Mistake::UnknownNode {
                    name: clip(&name),
                    close,
                },
            )
        })
    }

    /// A node with nearly this name. The builder does not list its nodes, but it builds.
    fn close(&self, name: &str) -> Option<String> {
        closest(
            name,
            self.builder
                .clone()
                .build_with_any_ports()
                .ok()?
                .nodes()
                .iter()
                .map(|node| node.name.as_str()),
        )
    }
}

fn wrong(found: &Scalar<'_>, expected: &'static str) -> Mistake {
    Mistake::WrongValue {
        value: found.shown(),
        expected: Cow::Borrowed(expected),
    }
}

fn port_model(scalar: &Scalar<'_>) -> Result<PortModel, Mistake> {
    match scalar {
        Scalar::Text(text) => model_named(text),
        other => Err(wrong(
            other,
            "a port model in quotes: full-duplex, half-duplex, multiport or links",
        )),
    }
}

/// The port model of this name.
pub(crate) fn model_named(text: &str) -> Result<PortModel, Mistake> {
    // The name is cut before it enters the message, so that the models are still listed after a long one.
    clip(text).parse().map_err(Mistake::Model)
}

fn whole(scalar: &Scalar<'_>) -> Result<u32, Mistake> {
    let number = match scalar {
        Scalar::Number(text) => text.parse().ok().filter(|&ports| ports > 0),
        _ => None,
    };
    number.ok_or_else(|| wrong(scalar, "a whole number of ports, from 1 to 4294967295"))
}
