//! Options for topologies that other programs wrote, and how they are read.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use num_traits::Signed;
use oneport::units::{Dimension, Quantity};
use oneport::{Rational, Units, parse_rational};
pub use oneport_topologies::Imported;
use oneport_topologies::{
    Capacity, Fabric, Format, ImportOptions, Replicate, Topic, read_topology,
};

use crate::words::usage::usage;

/// Values that a topology file lacks.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for topologies of other programs")]
pub struct TopologyArguments {
    /// Bandwidth of every link of a kind, in GB/s or with a unit: nvlink=25, net=400Gbit/s. `oneport inspect` lists the
    /// kinds of a file and the bandwidths assumed.
    #[arg(long = "link-bandwidth", value_name = "KIND=RATE")]
    link_bandwidth: Vec<String>,
    /// Graphs: the attribute of edges that is their bandwidth, and the units of plain numbers (default: capacity or
    /// bandwidth, in GB/s).
    #[arg(long, value_name = "ATTRIBUTE[,UNITS]")]
    capacity: Option<String>,
    /// Graphs: bandwidth of edges that have none, in GB/s or with a unit.
    #[arg(long, value_name = "RATE")]
    capacity_default: Option<String>,
    /// Rate at which a GPU combines values, in GB/s of result (default: 1000).
    #[arg(long, value_name = "RATE")]
    merge_bandwidth: Option<String>,
    /// NVSwitches duplicate messages (multicast); by default they only forward.
    #[arg(long)]
    multicast: bool,
    /// NVSwitches combine what passes through them (in-network reduction: NVLS, SHARP), in no time; by default they
    /// only forward. NVLS does both: give --multicast, too.
    #[arg(long)]
    reduce_in_switch: bool,
    /// Several machines like that of the file, joined by --fabric.
    #[arg(long, value_name = "N")]
    replicate: Option<String>,
    /// Connection of the machines: one switch, a switch per network card (rail), cables between every two (full); then,
    /// after a comma, GB/s of each port or cable (default: what the file says of its network cards).
    #[arg(long, value_name = "switch|rail|full[,RATE]", requires = "replicate")]
    fabric: Option<String>,
}

impl TopologyArguments {
    /// Reads a platform file or a topology. Prints assumed values, and merged and omitted links or nodes, on standard
    /// error.
    pub fn read(&self, path: &Path, format: Option<Format>) -> Result<Imported> {
        // Standard input, by its name on Unix.
        let path = if path == Path::new("-") {
            Path::new("/dev/stdin")
        } else {
            path
        };
        let imported = read_topology(path, format, &self.options()?)?;
        for topic in Topic::ALL {
            for note in imported.notes.iter().filter(|note| note.topic == topic) {
                eprintln!("note: {}: {}", topic.name(), note.text);
            }
        }
        Ok(imported)
    }

    /// The options, checked.
    pub fn options(&self) -> Result<ImportOptions> {
        let mut link_bandwidth = BTreeMap::new();
        for text in &self.link_bandwidth {
            let wrong = || {
                usage(format!(
                    "--link-bandwidth {text}: write KIND=RATE, such as nvlink=25"
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
        Ok(ImportOptions {
            link_bandwidth,
            merge_rate,
            multicast: self.multicast,
            reduce_in_switch: self.reduce_in_switch,
            capacity,
            capacity_default: default,
            replicate,
        })
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

/// A bandwidth in GB/s, or with a unit.
fn rate(option: &str, text: &str) -> Result<Rational> {
    let quantity =
        Quantity::parse(text.trim()).map_err(|error| usage(format!("{option}: {error}")))?;
    let value = match quantity.dimension {
        Dimension::Number => {
            parse_rational(text.trim()).map_err(|error| usage(format!("{option}: {error}")))?
        }
        _ => Units::gigabytes_and_seconds()
            .rate(&quantity, text)
            .map_err(|error| usage(format!("{option}: {error}")))?,
    };
    if value.is_positive() {
        Ok(value)
    } else {
        Err(usage(format!(
            "{option}: '{text}' is not a bandwidth above 0, such as 25 (GB/s) or 400Gbit/s"
        )))
    }
}
