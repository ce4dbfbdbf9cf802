//! Options for topologies that other programs wrote.

use clap::{Args, ValueEnum};
use oneport_questions::{Combining, Reading, Texts};

/// Switches that combine what passes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Combine {
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
    reduce_in_switch: Option<Combine>,
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
    /// The options of a question of these names.
    pub fn reading(&self) -> Reading {
        Reading {
            link_bandwidth: Texts(self.link_bandwidth.clone()),
            capacity: self.capacity.clone(),
            capacity_default: self.capacity_default.clone(),
            latency: Texts(self.latency.clone()),
            latency_attribute: self.latency_attribute.clone(),
            merge_bandwidth: self.merge_bandwidth.clone(),
            multicast: self.multicast,
            reduce_in_switch: self.reduce_in_switch.map(|combine| match combine {
                Combine::Nvswitch => Combining::Nvswitch,
                Combine::Ib => Combining::Ib,
                Combine::All => Combining::All,
            }),
            replicate: self.replicate.clone(),
            fabric: self.fabric.clone(),
            nics: Texts(self.nics.clone()),
            ..Reading::default()
        }
    }
}
