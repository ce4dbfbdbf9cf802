//! Options for topologies that other programs wrote, and how they are read.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};
use num_traits::{Signed, Zero};
use oneport::units::{Dimension, Quantity};
use oneport::{Platform, Rational, Units, parse_rational};
pub use oneport_topologies::Imported;
use oneport_topologies::{
    Capacity, Fabric, Format, ImportOptions, Latencies, LatencyAttribute, PlatformFormat,
    Replicate, Topic, read_topology_with_any_ports,
};

use crate::flags::latency::{KindLatency, KnownLatencies};
use crate::words::quantity::rate;
use crate::words::settings::{note, notes_on};
use crate::words::usage::usage;

/// Switches that combine what passes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Combining {
    /// NVSwitches (NVLS).
    Nvswitch,
    /// Switches of InfiniBand, and of --fabric (SHARP).
    Ib,
    /// Both.
    All,
}

/// Values that a topology file lacks.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for topologies of other programs")]
pub struct TopologyArguments {
    /// Bandwidth of every link of a kind, in GB/s or with a unit: nvlink=25, net=400Gbit/s. `oneport inspect` lists the
    /// kinds of a file and the bandwidths assumed. Slurm: also that of the links below switches, leaf[1-4]=100Gbit/s.
    #[arg(long = "link-bandwidth", value_name = "KIND=RATE")]
    link_bandwidth: Vec<String>,
    /// Graphs: the attribute of edges that is their bandwidth, and the units of plain numbers (default: capacity or
    /// bandwidth, in GB/s). Lists of links: the column, by name or number.
    #[arg(long, value_name = "ATTRIBUTE[,UNITS]")]
    capacity: Option<String>,
    /// Graphs: bandwidth of edges that have none, in GB/s or with a unit.
    #[arg(long, value_name = "RATE")]
    capacity_default: Option<String>,
    /// Latency of links, by kind: nvlink=1us,net=5us, in place of what the file states; a time alone (5us): of every
    /// other link for which the file states none; none: nothing is assumed (default for steady states and files);
    /// default: by kind (default where one operation is timed). `oneport inspect` lists kinds and latencies.
    #[arg(
        long,
        value_name = "KIND=TIME,..|TIME|none|default",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    latency: Vec<String>,
    /// Graphs: the attribute of edges that is their latency, and the unit of plain numbers (default: latency or delay,
    /// if it has a unit). Lists of links: the column, by name or number.
    #[arg(long, value_name = "ATTRIBUTE[,UNIT]")]
    latency_attribute: Option<String>,
    /// Rate at which a GPU combines values, in GB/s of result (default: 1000).
    #[arg(long, value_name = "RATE")]
    merge_bandwidth: Option<String>,
    /// NVSwitches duplicate messages (multicast); by default they only forward.
    #[arg(long)]
    multicast: bool,
    /// Switches combine what passes through them (in-network reduction), in no time; by default they only forward.
    /// nvswitch: NVSwitches (NVLS, which duplicates, too: give --multicast); ib: switches of InfiniBand and of
    /// --fabric, which then duplicate, too (SHARP); all: both.
    #[arg(
        long,
        value_enum,
        value_name = "nvswitch|ib|all",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "nvswitch"
    )]
    reduce_in_switch: Option<Combining>,
    /// Several machines like that of the file, joined by --fabric.
    #[arg(long, value_name = "N")]
    replicate: Option<String>,
    /// Connection of the machines: one switch, a switch per network card (rail), cables between every two (full); then,
    /// after a comma, GB/s of each port or cable (default: what the file says of its network cards).
    #[arg(long, value_name = "switch|rail|full[,RATE]", requires = "replicate")]
    fabric: Option<String>,
    /// Network cards that count, by names or patterns of the file, such as mlx5_0..7, or all (default: all but virtual
    /// cards and those of storage, which share a PCI switch with no GPU).
    #[arg(long, value_name = "A,B|all")]
    nics: Vec<String>,
}

impl TopologyArguments {
    /// Reads a platform file or a topology, with the latencies given. Prints assumed values, and merged and omitted
    /// links or nodes, on standard error.
    pub fn read(&self, path: &Path, format: Option<Format>) -> Result<Imported> {
        let (imported, latencies) = self.latencies(self.as_stated(path, format)?, false)?;
        if let Some(line) = latencies
            .line(&imported.platform)
            .filter(|_| latencies.are_assumed())
        {
            note(&line);
        }
        Ok(imported)
    }

    /// As [`TopologyArguments::read`], with the latencies of the file. Ports are checked once models and changes are
    /// known ([`check_ports`](crate::flags::change::check_ports)).
    pub fn as_stated(&self, path: &Path, format: Option<Format>) -> Result<Imported> {
        // Standard input, by its name on Unix.
        let path = if path == Path::new("-") {
            Path::new("/dev/stdin")
        } else {
            path
        };
        let imported = read_topology_with_any_ports(path, format, &self.options()?)?;
        let of = |topic: Topic| {
            let notes = imported
                .notes
                .iter()
                .filter(move |note| note.topic == topic);
            notes.map(move |note| (topic.name(), note.text.as_str()))
        };
        let notes: Vec<(&str, &str)> = Topic::ALL.into_iter().flat_map(of).collect();
        notes_on(&path.display().to_string(), &notes);
        Ok(imported)
    }

    /// The platform of a file that names no units, in these.
    pub fn in_units(imported: &Imported, units: Units) -> Result<Platform> {
        let platform = imported.platform.clone();
        if imported.format != Format::Own(PlatformFormat::Matrix) {
            return Ok(platform.with_units(Some(units)));
        }
        note(&format!(
            "assumed: {}",
            oneport_topologies::merges_of_a_matrix()
        ));
        Ok(oneport::files::matrix_in_units(platform, units)?)
    }

    /// The options, checked.
    pub fn options(&self) -> Result<ImportOptions> {
        let mut link_bandwidth = BTreeMap::new();
        for text in &self.link_bandwidth {
            let wrong = || {
                usage(format!(
                    "--link-bandwidth {text}: of which links? Write KIND=RATE, such as nvlink=25 (GB/s) or node=100Gbit/s, once \
                     per kind; 'oneport inspect' lists the kinds of a file"
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
        let is = |one| {
            let given = self.reduce_in_switch;
            given == Some(one) || given == Some(Combining::All)
        };
        Ok(ImportOptions {
            link_bandwidth,
            merge_rate,
            multicast: self.multicast,
            reduce_in_switch: is(Combining::Nvswitch),
            reduce_in_network: is(Combining::Ib),
            capacity,
            capacity_default: default,
            latency: self
                .latency_attribute
                .as_deref()
                .map(attribute)
                .transpose()?,
            replicate,
            nics: self.nics.clone(),
        })
    }

    /// The platform with the latencies given; the rest by kind of link, if `assumed`.
    pub fn latencies(
        &self,
        imported: Imported,
        assumed: bool,
    ) -> Result<(Imported, KnownLatencies)> {
        with_latencies(&self.latency, imported, assumed)
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
        let (name, bandwidth) = text
            .split_once(',')
            .map_or((text.as_str(), None), |(name, rate)| (name, Some(rate)));
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

/// The platform of a generator.
pub fn generated(platform: Platform, link_kinds: Vec<&'static str>) -> Imported {
    Imported {
        link_kinds,
        ..Imported::plain(platform, Format::Own(PlatformFormat::Toml))
    }
}

/// Kinds of links of accelerators' boxes, as importers call them.
const KINDS: [&str; 5] = ["cpu", "net", "nvlink", "pci", "xgmi"];

/// The platform with the latencies of `--latency`; the rest by kind of link, if `assumed`.
pub fn with_latencies(
    texts: &[String],
    imported: Imported,
    assumed: bool,
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
        note(&format!(
            "--latency {kind}: there are no links of this kind here"
        ));
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
            "--latency: {error}; write KIND=TIME, such as nvlink=1us, or none"
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
