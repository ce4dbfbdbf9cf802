//! Options of a user about a topology, for facts that its file does not give.

use std::collections::BTreeMap;

use oneport_platform::{Rational, Units};

/// Facts that the file does not state. The default: one box, stated tables, no capacities.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportOptions {
    /// Bandwidths in GB/s by kind of link, instead of the stated ones: `nvlink`, `xgmi`, `pci`, ...
    pub link_bandwidth: BTreeMap<String, Rational>,
    /// How fast an accelerator combines values, in GB/s of result. 1000 where absent.
    pub merge_rate: Option<Rational>,
    /// Whether NVSwitches duplicate messages (multicast); by default they only forward.
    pub multicast: bool,
    /// Whether NVSwitches combine what passes through them (in-network reduction, NVLS), in no time; by default they
    /// only forward.
    pub reduce_in_switch: bool,
    /// Whether switches of a network of InfiniBand, or of that which joins machines, combine and duplicate what passes
    /// through them (SHARP), in no time; by default they only forward.
    pub reduce_in_network: bool,
    /// Which attribute of a graph's edges is the bandwidth, and its units if it is a plain number.
    pub capacity: Option<Capacity>,
    /// GB/s of a graph's edges that have no bandwidth.
    pub capacity_default: Option<Rational>,
    /// Which attribute of a graph's edges is the latency.
    pub latency: Option<LatencyAttribute>,
    /// Several machines like the one of the file.
    pub replicate: Option<Replicate>,
    /// Network cards that count, by name or pattern, or `all`. Empty: all but virtual cards and those of storage.
    pub nics: Vec<String>,
}

/// An attribute of edges that is their bandwidth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// Its name.
    pub attribute: String,
    /// The units of plain numbers.
    pub units: Units,
}

/// An attribute of edges that is their latency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatencyAttribute {
    /// Its name.
    pub attribute: String,
    /// Seconds that a plain number counts. `None` if values have units of their own.
    pub seconds: Option<Rational>,
}

/// Several machines of one kind, and what joins them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replicate {
    /// How many machines, from 1.
    pub count: usize,
    /// The fabric that joins them.
    pub fabric: Fabric,
    /// GB/s per direction of a port (of a cable, for [`Fabric::Full`]). If absent, the rates of the file's ports.
    pub bandwidth: Option<Rational>,
}

/// The fabric that joins machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fabric {
    /// One switch for all ports.
    Switch,
    /// A switch for the first port of every machine, one for the second, ...
    Rail,
    /// Cables from every port to the same port of every other machine.
    Full,
}
