//! How a platform is read.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use crate::error::{Result as Read, usage};
use crate::keys::option;
use crate::text::{Texts, text};

/// A note on the reading of a platform.
#[derive(Debug, Clone, Copy)]
pub enum Note<'n> {
    /// The notes on a file, each with its topic.
    Of(&'n str, &'n [(&'n str, &'n str)]),
    /// One sentence.
    Plain(&'n str),
}

/// The caller's function that hears [`Note`]s.
pub type Hearer<'h> = &'h dyn Fn(Note<'_>);

/// Hears nothing.
pub fn deaf(_: Note<'_>) {}

/// Switches that combine the values that pass through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Combining {
    /// NVSwitches (NVLS).
    Nvswitch,
    /// Switches of InfiniBand, and of the fabric (SHARP).
    Ib,
    /// Both.
    All,
}

/// Values that a platform's file leaves open, as texts: the options of the command of these names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// The format of the file. Without it, its name and content decide.
    pub format: Option<String>,
    /// The port model, in place of the file's.
    pub model: Option<String>,
    /// Units of a platform that names none.
    pub units: Option<String>,
    /// Bandwidths by kind of link: `nvlink=25`.
    pub link_bandwidth: Texts,
    /// Attribute of edges that is their bandwidth, and units: `weight,Gbit/s`.
    pub capacity: Option<String>,
    /// Bandwidth of edges that have none.
    #[serde(deserialize_with = "text")]
    pub capacity_default: Option<String>,
    /// Latencies by kind of link: `nvlink=1us`.
    pub latency: Texts,
    /// Attribute of edges that is their latency, and unit.
    pub latency_attribute: Option<String>,
    /// Rate at which a GPU combines values.
    #[serde(deserialize_with = "text")]
    pub merge_bandwidth: Option<String>,
    /// NVSwitches duplicate messages.
    pub multicast: bool,
    /// Switches that combine the values that pass through them. `true` is [`Combining::Nvswitch`].
    #[serde(deserialize_with = "combining")]
    pub reduce_in_switch: Option<Combining>,
    /// Number of machines like that of the file.
    #[serde(deserialize_with = "text")]
    pub replicate: Option<String>,
    /// Their connection: `switch`, `rail` or `full`, and after a comma a rate.
    pub fabric: Option<String>,
    /// The rate of each port or cable of the connection, if it does not stand in `fabric`.
    #[serde(deserialize_with = "text")]
    pub fabric_bandwidth: Option<String>,
    /// Network cards that count.
    pub nics: Texts,
}

impl Reading {
    /// Refuses the values that only a file leaves open.
    ///
    /// # Errors
    /// One is given.
    pub(crate) fn refuse_of_files(&self, what: &str) -> Read<()> {
        let given = [
            ("format", self.format.is_some()),
            ("link_bandwidth", !self.link_bandwidth.0.is_empty()),
            ("capacity", self.capacity.is_some()),
            ("capacity_default", self.capacity_default.is_some()),
            ("latency_attribute", self.latency_attribute.is_some()),
            ("merge_bandwidth", self.merge_bandwidth.is_some()),
            ("multicast", self.multicast),
            ("reduce_in_switch", self.reduce_in_switch.is_some()),
            ("replicate", self.replicate.is_some()),
            ("fabric", self.fabric.is_some()),
            ("fabric_bandwidth", self.fabric_bandwidth.is_some()),
            ("nics", !self.nics.0.is_empty()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((key, _)) => Err(usage(format!(
                "{} has no effect on {what}; leave it out, or give the path of a file",
                option(key)
            ))),
            None => Ok(()),
        }
    }
}

/// Which switches combine. `true` stands for NVSwitches, `false` for none.
fn combining<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Combining>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null | Value::Bool(false) => Ok(None),
        Value::Bool(true) => Ok(Some(Combining::Nvswitch)),
        value => serde_json::from_value(value)
            .map(Some)
            .map_err(D::Error::custom),
    }
}
