//! Options of a user about a topology, for facts that its file does not give.

use std::collections::BTreeMap;

use oneport_platform::{Rational, Units};

/// Facts that the file leaves open. By default there is one box, the stated tables, and no capacities.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportOptions {
    /// Bandwidths in GB/s by kind of link, instead of the stated ones: `nvlink`, `xgmi`, `pci`, ...
    pub link_bandwidth: BTreeMap<String, Rational>,
    /// Rate at which an accelerator combines values, in GB/s of result. 1000 if absent.
    pub merge_rate: Option<Rational>,
    /// Whether NVSwitches duplicate messages (multicast). By default they only forward.
    pub multicast: bool,
    /// Whether NVSwitches combine messages that pass through them (in-network reduction, NVLS), in no time. By default
    /// they only forward.
    pub reduce_in_switch: bool,
    /// Whether switches of a network of InfiniBand, or of the network that joins machines, combine and duplicate
    /// messages that pass through them (SHARP), in no time. By default they only forward.
    pub reduce_in_network: bool,
    /// The attribute of a graph's edges with the bandwidth, and its units if it is a plain number.
    pub capacity: Option<Capacity>,
    /// GB/s of a graph's edges that have no bandwidth.
    pub capacity_default: Option<Rational>,
    /// Which attribute of a graph's edges is the latency.
    pub latency: Option<LatencyAttribute>,
    /// Several copies of the file's machine.
    pub replicate: Option<Replicate>,
    /// Network cards that count, by name or pattern, or `all`. Empty: all except virtual cards and those of storage.
    pub nics: Vec<String>,
}

/// An attribute of edges with their bandwidth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// Its name.
    pub attribute: String,
    /// The units of plain numbers.
    pub units: Units,
}

/// An attribute of edges with their latency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatencyAttribute {
    /// Its name.
    pub attribute: String,
    /// Seconds per unit of a plain number. `None` if values have units of their own.
    pub seconds: Option<Rational>,
}

/// Several machines of one kind, and the network between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replicate {
    /// Number of machines, from 1.
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
