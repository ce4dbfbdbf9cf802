//! How topologies that other programs wrote are read.

use std::collections::BTreeMap;
use std::path::Path;

use num_traits::{Signed, Zero};
use oneport::units::{Dimension, Quantity};
use oneport::{Platform, Rational, Units, parse_rational};
pub use oneport_topologies::Imported;
use oneport_topologies::{
    Capacity, Fabric, Format, ImportOptions, Latencies, LatencyAttribute, PlatformFormat,
    Replicate, Topic, parse_topology_with_any_ports, read_topology_with_any_ports,
};

use crate::error::{Result, usage};
use crate::latency::{KindLatency, KnownLatencies};
use crate::quantity::rate;
use crate::reading::{Combining, Hearer, Note, Reading};

/// Reads a platform file or a topology. Ports are checked once models and changes are known
/// ([`check_ports`](crate::change::check_ports)).
pub(crate) fn of_file(path: &Path, reading: &Reading, hear: Hearer<'_>) -> Result<Imported> {
    let (options, format) = (reading.options()?, reading.format()?);
    let imported = read_topology_with_any_ports(path, format, &options)?;
    hand_notes(&path.to_string_lossy(), &imported, hear);
    Ok(imported)
}

/// [`of_file`] from JSON. `name` is the platform's name in messages.
pub(crate) fn of_json(
    name: &str,
    text: &str,
    reading: &Reading,
    hear: Hearer<'_>,
) -> Result<Imported> {
    let (options, format) = (reading.options()?, reading.format()?);
    let found = || Format::detect(Path::new(INLINE), text.as_bytes());
    let format = format.unwrap_or_else(found);
    let imported = parse_topology_with_any_ports(name, text.as_bytes(), format, &options)?;
    hand_notes(name, &imported, hear);
    Ok(imported)
}

/// Hands the notes on a file to the caller, topic by topic.
fn hand_notes(name: &str, imported: &Imported, hear: Hearer<'_>) {
    let notes_on = |topic: Topic| {
        let notes = imported
            .notes
            .iter()
            .filter(move |note| note.topic == topic);
        notes.map(move |note| (topic.name(), note.text.as_str()))
    };
    let notes: Vec<(&str, &str)> = Topic::ALL.into_iter().flat_map(notes_on).collect();
    hear(Note::Of(name, &notes));
}

impl Reading {
    fn format(&self) -> Result<Option<Format>> {
        let format = self.format.as_deref().map(str::parse::<Format>);
        format
            .transpose()
            .map_err(|error| usage(format!("--from: {error}")))
    }

    /// The platform of a file that names no units, in these.
    pub(crate) fn in_units(
        imported: &Imported,
        units: Units,
        hear: Hearer<'_>,
    ) -> Result<Platform> {
        let platform = imported.platform.clone();
        if imported.format != Format::Own(PlatformFormat::Matrix) {
            return Ok(platform.with_units(Some(units)));
        }
        hear(Note::Plain(&format!(
            "assumed: {}",
            oneport_topologies::merges_of_a_matrix()
        )));
        Ok(oneport::files::matrix_in_units(platform, units)?)
    }

    /// The options, checked.
    pub fn options(&self) -> Result<ImportOptions> {
        let mut link_bandwidth = BTreeMap::new();
        for text in &self.link_bandwidth.0 {
            let wrong = || {
                usage(format!(
                    "--link-bandwidth: '{text}' names no kind of link; give --link-bandwidth KIND=RATE, such as --link-bandwidth \
                     nvlink=25 (GB/s) or --link-bandwidth node=100Gbit/s, once per kind; 'oneport inspect' lists the \
                     kinds of a file"
                ))
            };
            let (kind, value) = text.split_once('=').ok_or_else(wrong)?;
            if link_bandwidth
                .insert(kind.trim().to_string(), rate("--link-bandwidth", value)?)
                .is_some()
            {
                return Err(usage(format!(
                    "--link-bandwidth: '{}' is given twice; keep one",
                    kind.trim()
                )));
            }
        }
        let merge_rate = self
            .merge_bandwidth
            .as_ref()
            .map(|text| rate("--merge-bandwidth", text))
            .transpose()?;
        let replicate = self
            .replicate
            .as_ref()
            .map(|count| self.machines(count))
            .transpose()?;
        let joins = [
            ("--fabric", &self.fabric),
            ("--fabric-bandwidth", &self.fabric_bandwidth),
        ];
        if let Some((name, _)) = joins.iter().find(|(_, given)| given.is_some())
            && replicate.is_none()
        {
            return Err(usage(format!(
                "{name} joins several machines; give their number, as --replicate 2, or leave it out"
            )));
        }
        let capacity = self
            .capacity
            .as_ref()
            .map(|text| capacity(text))
            .transpose()?;
        let default = self
            .capacity_default
            .as_ref()
            .map(|text| rate("--capacity-default", text))
            .transpose()?;
        let combines = |one| {
            let given = self.reduce_in_switch;
            given == Some(one) || given == Some(Combining::All)
        };
        Ok(ImportOptions {
            link_bandwidth,
            merge_rate,
            multicast: self.multicast,
            reduce_in_switch: combines(Combining::Nvswitch),
            reduce_in_network: combines(Combining::Ib),
            capacity,
            capacity_default: default,
            latency: self
                .latency_attribute
                .as_deref()
                .map(attribute)
                .transpose()?,
            replicate,
            nics: self.nics.0.clone(),
        })
    }

    /// The platform with the latencies given. Those not given are by kind of link, if `assumed`.
    pub fn latencies(
        &self,
        imported: Imported,
        assumed: bool,
        hear: Hearer<'_>,
    ) -> Result<(Imported, KnownLatencies)> {
        with_latencies(&self.latency.split(), imported, assumed, hear)
    }

    fn machines(&self, count: &str) -> Result<Replicate> {
        let wrong = || {
            usage(format!(
                "--replicate: '{count}' is not a number of machines, 1 or more"
            ))
        };
        let count = count
            .parse::<usize>()
            .ok()
            .filter(|&count| count > 0)
            .ok_or_else(wrong)?;
        let missing =
            || usage("--replicate needs --fabric: switch, rail or full, what joins the machines");
        let text = self.fabric.as_ref().ok_or_else(missing)?;
        let own = self.fabric_bandwidth.as_deref();
        let (name, bandwidth) = text
            .split_once(',')
            .map_or((text.as_str(), own), |(name, rate)| (name, Some(rate)));
        let fabric = match name.trim() {
            "switch" => Fabric::Switch,
            "rail" => Fabric::Rail,
            "full" => Fabric::Full,
            other => {
                return Err(usage(format!(
                    "--fabric: '{other}' is not switch, rail or full"
                )));
            }
        };
        let bandwidth = bandwidth.map(|text| rate("--fabric", text)).transpose()?;
        Ok(Replicate {
            count,
            fabric,
            bandwidth,
        })
    }
}

/// `weight` or `LinkSpeedRaw,bit/s`.
fn capacity(text: &str) -> Result<Capacity> {
    let (attribute, units) = text
        .split_once(',')
        .map_or((text, None), |(name, units)| (name, Some(units)));
    let units = units.map_or(Ok(Units::gigabytes_and_seconds()), Units::parse);
    let units = units.map_err(|error| usage(format!("--capacity: {error}")))?;
    Ok(Capacity {
        attribute: attribute.trim().to_string(),
        units,
    })
}

/// The name by which the content of a platform that is part of its question is recognised.
const INLINE: &str = "platform.json";

/// The platform of a generator.
pub fn generated(platform: Platform, link_kinds: Vec<&'static str>) -> Imported {
    Imported {
        link_kinds,
        ..Imported::plain(platform, Format::Own(PlatformFormat::Toml))
    }
}

/// Kinds of links of accelerators' boxes, as importers call them.
const KINDS: [&str; 5] = ["cpu", "net", "nvlink", "pci", "xgmi"];

/// The platform with the latencies of `--latency`. Those not given are by kind of link, if `assumed`.
pub fn with_latencies(
    texts: &[String],
    imported: Imported,
    assumed: bool,
    hear: Hearer<'_>,
) -> Result<(Imported, KnownLatencies)> {
    let units = imported.platform.units();
    let mut given = Latencies {
        assumed,
        ..Latencies::default()
    };
    for text in texts {
        if let word @ ("none" | "default") = text.trim() {
            given.assumed = word == "default";
            continue;
        }
        let twice = match text.split_once('=') {
            Some((kind, value)) => {
                let kind = kind.trim().to_string();
                given.kinds.insert(kind, latency(value, units)?)
            }
            None => given.every.replace(latency(text, units)?),
        };
        if twice.is_some() {
            return Err(usage(format!(
                "--latency {text}: links of this kind have a latency already; keep one"
            )));
        }
    }
    // A list for several kinds of machines may name links that this one has not.
    let kinds = &imported.link_kinds;
    let is_box = kinds.iter().any(|kind| KINDS.contains(kind));
    let absent = |kind: &str| is_box && KINDS.contains(&kind) && !kinds.contains(&kind);
    for (kind, _) in given.kinds.extract_if(.., |kind, _| absent(kind)) {
        hear(Note::Plain(&format!(
            "--latency {kind}: there are no links of this kind here"
        )));
    }
    let (imported, known) = imported
        .with_latencies(&given)
        .map_err(|error| usage(format!("--latency: {error}")))?;
    let known = known.into_iter().map(|one| KindLatency {
        origin: one.origin.name(),
        kind: one.kind,
        latency: one.latency,
        links: one.links,
    });
    Ok((imported, KnownLatencies(known.collect())))
}

/// `delay` or `delay,us`.
fn attribute(text: &str) -> Result<LatencyAttribute> {
    let (attribute, unit) = text
        .split_once(',')
        .map_or((text, None), |(name, unit)| (name, Some(unit.trim())));
    let seconds = |unit: &str| {
        let one = Quantity::parse(&format!("1 {unit}"));
        let time = one.and_then(|one| Units::gigabytes_and_seconds().time(&one, unit));
        time.map_err(|error| usage(format!("--latency-attribute: {error}")))
    };
    Ok(LatencyAttribute {
        attribute: attribute.trim().to_string(),
        seconds: unit.map(seconds).transpose()?,
    })
}

/// A time from 0 on, in the platform's unit of time.
fn latency(text: &str, units: Option<Units>) -> Result<Rational> {
    let text = text.trim();
    let wrong = |error: &dyn std::fmt::Display| {
        usage(format!(
            "--latency: {error}; give --latency KIND=TIME, such as --latency nvlink=1us, or none"
        ))
    };
    let quantity = Quantity::parse(text).map_err(|error| wrong(&error))?;
    let value = match (quantity.dimension, units) {
        (Dimension::Number, Some(_)) => parse_rational(text)
            .map_err(|error| wrong(&error))
            .and_then(|value| {
                if value.is_zero() {
                    Ok(value)
                } else {
                    Err(wrong(&format!("'{text}' has no unit of time")))
                }
            })?,
        (Dimension::Number, None) => parse_rational(text).map_err(|error| wrong(&error))?,
        (_, None) => {
            let text = format!("'{text}' has a unit, but the platform has none");
            return Err(usage(format!(
                "--latency: {text}; give a number of its units of time, or --units GB/s"
            )));
        }
        (_, Some(units)) => units.time(&quantity, text).map_err(|error| wrong(&error))?,
    };
    if value.is_negative() {
        return Err(wrong(&format!("'{text}' is below 0")));
    }
    Ok(value)
}
