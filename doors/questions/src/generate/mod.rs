//! Platforms of well-known shapes, and random ones from a seed.

mod hardware;
mod values;

use clap::{Args, Subcommand};
use oneport::platform::generate::{self, Costs, Options, Racks, SwitchedBoxes, tiers};
use oneport::platform::{PlatformError, whole};
use oneport::{Platform, PortModel, Rational, Units, parse_rational};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::{Result, usage};
use crate::keys::option;
use crate::quantity::rate;
use crate::reading::{Hearer, Note};
use crate::text;
use crate::topology::{self, Imported};

/// A shape with its rates: the options of the command, as texts.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Generated {
    /// The platform's shape.
    #[command(subcommand)]
    pub shape: Shape,
    /// Seed of the random graph, and of costs from a range.
    #[arg(long, value_name = "S", global = true)]
    pub seed: Option<u64>,
    /// Complete, ring, star, grid, random, racks: cost of every link (time for a message of size 1): a number, or
    /// LOW..HIGH, drawn uniformly among the integers of the range (default: 1..10).
    #[arg(long, value_name = "C", global = true, allow_hyphen_values = true)]
    pub cost: Option<String>,
    /// Compute cost of every processor (time of one unit of work): as --cost.
    #[arg(long, value_name = "C", global = true, allow_hyphen_values = true)]
    pub compute: Option<String>,
    /// Torus, fat-tree, dragonfly (default: 25 GB/s), racks (instead of --cost): bandwidth of each link and direction,
    /// as "200 Gbit/s" or 25 (GB/s).
    #[arg(long, value_name = "RATE", global = true, allow_hyphen_values = true)]
    pub bandwidth: Option<String>,
    /// Torus, fat-tree, dragonfly, racks: bandwidth of each link between two switches, per direction (default:
    /// --bandwidth).
    #[arg(long, value_name = "RATE", global = true, allow_hyphen_values = true)]
    pub uplink: Option<String>,
    /// Latency of links, by kind: nvlink=1us,net=5us (boxes of accelerators: nvlink or xgmi, and net; other shapes:
    /// link); a time alone: of all links; default: by kind.
    #[arg(
        long,
        value_name = "KIND=TIME,..|TIME|default",
        global = true,
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub latency: Vec<String>,
    /// Port model of the platform.
    #[arg(long, value_name = "MODEL", global = true)]
    pub model: Option<String>,
}

/// The shapes.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Deserialize)]
#[serde(tag = "generate", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// Every node linked to every other.
    Complete {
        /// Nodes.
        #[arg(long, value_name = "N")]
        nodes: usize,
    },
    /// Nodes in a circle.
    Ring {
        /// Nodes.
        #[arg(long, value_name = "N")]
        nodes: usize,
    },
    /// One node linked to all others.
    Star {
        /// Nodes around the hub.
        #[arg(long, value_name = "N")]
        leaves: usize,
    },
    /// Rows and columns, each node linked to its neighbours.
    Grid {
        /// Rows.
        #[arg(long, value_name = "N")]
        rows: usize,
        /// Columns.
        #[arg(long, value_name = "N")]
        columns: usize,
    },
    /// A random connected graph.
    Random {
        /// Nodes.
        #[arg(long, value_name = "N")]
        nodes: usize,
        /// Links per node, on average.
        #[arg(long, value_name = "D", default_value_t = 4)]
        #[serde(default = "default::four")]
        degree: usize,
    },
    /// A torus of any number of dimensions.
    Torus {
        /// Its sides, such as 4x4x4.
        #[arg(long, value_name = "AxBx...", value_parser = sides)]
        sides: Sides,
    },
    /// A three-level fat tree of switches with K ports.
    FatTree {
        /// Ports per switch, an even number K: there are K^3 / 4 hosts.
        #[arg(long, value_name = "K")]
        ports: usize,
    },
    /// A dragonfly: groups of routers, all linked, each router with hosts, every two groups linked once.
    Dragonfly {
        /// Groups.
        #[arg(long, value_name = "N")]
        groups: usize,
        /// Routers per group.
        #[arg(long, value_name = "N")]
        routers: usize,
        /// Hosts per router.
        #[arg(long, value_name = "N")]
        hosts: usize,
    },
    /// Racks of hosts behind a switch each, joined by spines. The default model is links. Costs are drawn, or given in
    /// GB/s by --bandwidth and --uplink.
    Racks {
        /// Racks.
        #[arg(long, value_name = "N", default_value_t = 3)]
        #[serde(default = "default::three")]
        racks: usize,
        /// Hosts per rack: a number, or LOW..HIGH, drawn for every rack.
        #[arg(long, value_name = "N", default_value = "2..8")]
        #[serde(default = "default::few", deserialize_with = "as_text")]
        hosts: String,
        /// Switches that all racks are linked to.
        #[arg(long, value_name = "N", default_value_t = 1)]
        #[serde(default = "default::one")]
        spines: usize,
        /// The switches can duplicate messages.
        #[arg(long)]
        #[serde(default)]
        copying: bool,
    },
    /// A wide-area network by the model of Tiers: 1 MB takes seconds, work is in Mflop.
    Tiers {
        /// small (27 nodes), medium (45), large (185), or the eleven parameters NW,NM,NL,SW,SM,SL,RW,RM,RL,RMW,RLM.
        #[arg(long, value_name = "SIZE", default_value = "small")]
        #[serde(default = "default::small", deserialize_with = "as_text")]
        size: String,
        /// Probability that a node of a local network is a host.
        #[arg(long, value_name = "P", default_value = "7/10")]
        #[serde(default = "default::mostly", deserialize_with = "as_text")]
        host_probability: String,
    },
    /// A DGX-1, 8 V100: the hybrid cube mesh, NVLink of 25 and 50 GB/s.
    Dgx1 {},
    /// Azure NDv2: boxes of 8 V100 as dgx1, joined by 12.5 GB/s per direction.
    Ndv2(Boxes),
    /// DGX A100: 8 accelerators with 300 GB/s to NVSwitch and 25 GB/s to one of two network switches.
    DgxA100(Boxes),
    /// DGX H100: 8 accelerators with 450 GB/s to NVSwitch and 50 GB/s to the network.
    DgxH100(NvlinkBoxes),
    /// DGX B200: 8 accelerators with 900 GB/s to NVSwitch and 50 GB/s to the network.
    DgxB200(NvlinkBoxes),
    /// GB200 NVL72: racks of 72 accelerators with 900 GB/s to NVSwitch and 50 GB/s to the network.
    #[command(name = "gb200-nvl72")]
    #[serde(rename = "gb200-nvl72")]
    Gb200Nvl72(NvlinkBoxes),
    /// Boxes of 8 MI250, 16 dies: Infinity Fabric of 50 to 200 GB/s, 16 GB/s to the network.
    Mi250(Boxes),
    /// Boxes of 8 MI300X, all linked by Infinity Fabric of 64 GB/s, 50 GB/s to the network.
    Mi300x(Boxes),
    /// Boxes of accelerators around a switch, joined by network switches.
    Boxes {
        /// Boxes.
        #[arg(long, value_name = "N", default_value_t = 2)]
        #[serde(default = "default::two")]
        boxes: usize,
        /// Accelerators per box.
        #[arg(long, value_name = "N", default_value_t = 8)]
        #[serde(default = "default::eight")]
        accelerators: usize,
        /// GB/s per direction between an accelerator and the switch of its box.
        #[arg(long, value_name = "GB/s", default_value_t = 450)]
        #[serde(default = "default::inside")]
        inside: u64,
        /// GB/s per direction between an accelerator and its network switch.
        #[arg(long, value_name = "GB/s", default_value_t = 50)]
        #[serde(default = "default::network")]
        network: u64,
        /// Network switches: accelerator i of each box is on number i modulo N.
        #[arg(long, value_name = "N", default_value_t = 1)]
        #[serde(default = "default::one")]
        rails: usize,
        /// GB/s of an accelerator's memory; it merges at a third of that.
        #[arg(long, value_name = "GB/s", default_value_t = 3350)]
        #[serde(default = "default::memory")]
        memory: u64,
        /// The switch of each box combines and duplicates what passes through it; network switches do not.
        #[arg(long)]
        #[serde(default)]
        sharp: bool,
    },
}

/// Number of boxes.
#[derive(Debug, Clone, PartialEq, Eq, Args, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boxes {
    /// Boxes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[serde(default = "default::one")]
    boxes: usize,
}

/// Number of boxes, and the abilities of their switches.
#[derive(Debug, Clone, PartialEq, Eq, Args, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NvlinkBoxes {
    /// Boxes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[serde(default = "default::one")]
    boxes: usize,
    /// NVLink SHARP (NVLS): the NVSwitches combine and duplicate what passes through them, in no time; network switches
    /// do not.
    #[arg(long)]
    #[serde(default)]
    sharp: bool,
}

impl NvlinkBoxes {
    fn platform(&self, shape: fn(usize) -> SwitchedBoxes) -> Result<Platform, PlatformError> {
        generate::switched_boxes(SwitchedBoxes {
            sharp: self.sharp,
            ..shape(self.boxes)
        })
    }
}

impl Generated {
    /// The shape of an object `{"generate": "torus", "sides": [4, 4], "seed": 7}`: the options of the command as keys.
    ///
    /// # Errors
    /// A sentence that names the key.
    pub(crate) fn of_value(value: Value) -> std::result::Result<Generated, String> {
        let Value::Object(mut keys) = value else {
            return Err(
                "a shape is an object, such as {\"generate\": \"dgx-h100\", \"boxes\": 2}".into(),
            );
        };
        keys.retain(|_, value| !value.is_null());
        let mut text_of = |key: &str| {
            let given = keys.remove(key);
            let wrong = || format!("{}: give a number or a text", option(key));
            given
                .map(|value| text::of(value).ok_or_else(wrong))
                .transpose()
        };
        let [cost, compute, bandwidth] = ["cost", "compute", "bandwidth"].map(&mut text_of);
        let [uplink, model, seed] = ["uplink", "model", "seed"].map(&mut text_of);
        let seed = seed?.map(|seed| {
            seed.parse()
                .map_err(|_| format!("--seed: '{seed}' is not a whole number from 0 to 2^64 - 1"))
        });
        let latency = keys.remove("latency").unwrap_or_default();
        let latency: text::Texts =
            serde_json::from_value(latency).map_err(|error| format!("--latency: {error}"))?;
        let (cost, compute, bandwidth, uplink) = (cost?, compute?, bandwidth?, uplink?);
        let shape = Shape::deserialize(Value::Object(values::checked(keys)?))
            .map_err(|error| values::sentence(&error.to_string()))?;
        Ok(Generated {
            shape,
            seed: seed.transpose()?,
            cost,
            compute,
            bandwidth,
            uplink,
            latency: latency.split(),
            model: model?,
        })
    }

    /// The platform, with the kinds of its links and the latencies given.
    ///
    /// # Errors
    /// A parameter that the shape does not take, or whose value makes no platform.
    pub fn imported(&self, hear: Hearer<'_>) -> Result<Imported> {
        let mut platform = made(self)?;
        if let Some(model) = &self.model {
            let model: PortModel = model
                .parse()
                .map_err(|error| usage(format!("--model: {error}")))?;
            platform = platform.with_model(model);
        }
        let kinds = hardware::kinds(&platform, self.shape.inside());
        let generated = topology::generated(platform, kinds);
        let (generated, latencies) =
            topology::with_latencies(&self.latency, generated, false, hear)?;
        if let Some(line) = latencies
            .line(&generated.platform)
            .filter(|_| latencies.are_assumed())
        {
            hear(Note::Plain(&line));
        }
        Ok(generated)
    }
}

fn made(arguments: &Generated) -> Result<Platform> {
    let shape = &arguments.shape;
    shape.refuse_what_it_does_not_draw(arguments)?;
    let options = Options {
        seed: arguments.seed.unwrap_or(1),
        link_cost: costs("--cost", arguments.cost.as_deref())?,
        compute: costs("--compute", arguments.compute.as_deref())?,
    };
    let made = match shape {
        Shape::Complete { nodes } => generate::complete(*nodes, &options),
        Shape::Ring { nodes } => generate::ring(*nodes, &options),
        Shape::Star { leaves } => generate::star(*leaves, &options),
        Shape::Grid { rows, columns } => generate::grid(*rows, *columns, &options),
        Shape::Random { nodes, degree } => generate::random_connected(*nodes, *degree, &options),
        Shape::Torus { sides } => generate::torus(&sides.0),
        Shape::FatTree { ports } => generate::fat_tree(*ports),
        Shape::Dragonfly {
            groups,
            routers,
            hosts,
        } => generate::dragonfly(*groups, *routers, *hosts),
        Shape::Racks {
            racks,
            hosts,
            spines,
            copying,
        } => {
            let hosts = range("--hosts", hosts)?;
            let shape = Racks {
                racks: *racks,
                hosts,
                spines: *spines,
                copying: *copying,
                ..Racks::default()
            };
            generate::racks(&shape, &options)
        }
        Shape::Tiers {
            size,
            host_probability,
        } => wide_area(size, host_probability, options.seed)?,
        Shape::Dgx1 {} => generate::dgx1(),
        Shape::Ndv2(Boxes { boxes }) => generate::ndv2(*boxes),
        Shape::DgxA100(Boxes { boxes }) => generate::dgx_a100(*boxes),
        Shape::DgxH100(boxes) => boxes.platform(SwitchedBoxes::dgx_h100),
        Shape::DgxB200(boxes) => boxes.platform(SwitchedBoxes::dgx_b200),
        Shape::Gb200Nvl72(boxes) => boxes.platform(SwitchedBoxes::gb200_nvl72),
        Shape::Mi250(Boxes { boxes }) => generate::mi250(*boxes),
        Shape::Mi300x(Boxes { boxes }) => generate::mi300x(*boxes),
        Shape::Boxes {
            boxes,
            accelerators,
            inside,
            network,
            rails,
            sharp,
            ..
        } => {
            let (boxes, accelerators, rails) = (*boxes, *accelerators, *rails);
            generate::switched_boxes(SwitchedBoxes {
                boxes,
                accelerators,
                inside: *inside,
                network: *network,
                rails,
                sharp: *sharp,
            })
        }
    };
    let platform = made.map_err(|error| usage(error.to_string()))?;
    in_units(platform, arguments)
}

/// The platform with its units, and the requested rates.
fn in_units(platform: Platform, arguments: &Generated) -> Result<Platform> {
    let given = |option: &str, text: &Option<String>| {
        text.as_deref().map(|text| rate(option, text)).transpose()
    };
    let bandwidth = given("--bandwidth", &arguments.bandwidth)?;
    let uplink = given("--uplink", &arguments.uplink)?;
    let platform = match (bandwidth, uplink) {
        (None, None) => platform,
        (between_all, between_switches) => {
            hardware::carrying(&platform, between_all, between_switches)?
        }
    };
    if matches!(arguments.shape, Shape::Tiers { .. }) {
        let units = Units::parse("MB/s").map_err(|error| usage(error.to_string()))?;
        return Ok(platform.with_units(Some(units)));
    }
    match arguments.shape.memory(arguments) {
        Some(memory) => hardware::merging(&platform, &memory),
        None => Ok(platform),
    }
}

impl Shape {
    /// The kind of links inside a box of accelerators.
    fn inside(&self) -> Option<&'static str> {
        match self {
            Shape::Mi250(_) | Shape::Mi300x(_) => Some("xgmi"),
            Shape::Dgx1 {} | Shape::Ndv2(_) | Shape::DgxA100(_) | Shape::DgxH100(_) => {
                Some("nvlink")
            }
            Shape::DgxB200(_) | Shape::Gb200Nvl72(_) | Shape::Boxes { .. } => Some("nvlink"),
            _ => None,
        }
    }

    /// GB/s of a processor's memory, of shapes in GB/s.
    fn memory(&self, arguments: &Generated) -> Option<Rational> {
        match self {
            Shape::Complete { .. }
            | Shape::Ring { .. }
            | Shape::Star { .. }
            | Shape::Grid { .. } => None,
            Shape::Random { .. } | Shape::Tiers { .. } => None,
            Shape::Racks { .. } => arguments.bandwidth.is_some().then(hardware::host),
            Shape::Torus { .. } | Shape::FatTree { .. } | Shape::Dragonfly { .. } => {
                Some(hardware::host())
            }
            Shape::Dgx1 {} | Shape::Ndv2(_) => Some(whole(hardware::V100)),
            Shape::DgxA100(_) => Some(whole(hardware::A100)),
            Shape::DgxH100(_) => Some(whole(hardware::H100)),
            Shape::DgxB200(_) | Shape::Gb200Nvl72(_) => Some(whole(hardware::B200)),
            Shape::Mi250(_) => Some(whole(hardware::MI250_DIE)),
            Shape::Mi300x(_) => Some(whole(hardware::MI300X)),
            Shape::Boxes { memory, .. } => Some(whole(*memory)),
        }
    }

    /// Rejects options that this shape ignores.
    fn refuse_what_it_does_not_draw(&self, arguments: &Generated) -> Result<()> {
        let (drawn, seeded, rated) = match self {
            Shape::Complete { .. }
            | Shape::Ring { .. }
            | Shape::Star { .. }
            | Shape::Grid { .. }
            | Shape::Random { .. } => (true, true, false),
            Shape::Racks { .. } => (arguments.bandwidth.is_none(), true, true),
            Shape::Tiers { .. } => (false, true, false),
            Shape::Torus { .. } | Shape::FatTree { .. } | Shape::Dragonfly { .. } => {
                (false, false, true)
            }
            _ => (false, false, false),
        };
        let uplinks =
            rated && (arguments.bandwidth.is_some() || !matches!(self, Shape::Racks { .. }));
        let given = [
            (
                "--seed",
                arguments.seed.is_some(),
                seeded,
                "nothing is drawn",
            ),
            (
                "--cost",
                arguments.cost.is_some(),
                drawn,
                "the rates of its links are fixed",
            ),
            (
                "--compute",
                arguments.compute.is_some(),
                drawn,
                "the rates of its processors are fixed",
            ),
            (
                "--bandwidth",
                arguments.bandwidth.is_some(),
                rated,
                "its links have fixed rates",
            ),
            (
                "--uplink",
                arguments.uplink.is_some(),
                uplinks,
                "its links have fixed rates, or --bandwidth is missing",
            ),
        ];
        match given
            .into_iter()
            .find(|&(_, given, allowed, _)| given && !allowed)
        {
            Some((option, _, _, why)) => Err(usage(format!(
                "{option}: not for this shape: {why}; leave it out"
            ))),
            None => Ok(()),
        }
    }
}

/// A network by the model of Tiers, with hosts and costs.
fn wide_area(
    size: &str,
    host_probability: &str,
    seed: u64,
) -> Result<Result<Platform, PlatformError>> {
    let parameters = match size {
        "small" => tiers::TiersParameters::SMALL,
        "medium" => tiers::TiersParameters::MEDIUM,
        "large" => tiers::TiersParameters::LARGE,
        listed => {
            let numbers: Option<Vec<usize>> = listed
                .split(',')
                .map(|number| number.trim().parse().ok())
                .collect();
            let numbers: Option<[usize; 11]> = numbers.and_then(|numbers| numbers.try_into().ok());
            numbers.map(tiers::TiersParameters::from).ok_or_else(|| {
                usage(format!(
                    "--size: '{listed}' is neither small, medium, large nor eleven whole numbers with commas"
                ))
            })?
        }
    };
    let probability = parse_rational(host_probability);
    let host_probability = probability
        .map_err(|error| usage(format!("--host-probability {host_probability}: {error}")))?;
    let instance = tiers::TiersInstance {
        seed,
        host_probability,
        ..tiers::TiersInstance::default()
    };
    Ok(tiers::generate(&parameters, seed)
        .and_then(|topology| tiers::instantiate(&topology, &instance)))
}

/// `3`, `2/3` or `1..10`.
fn costs(option: &str, text: Option<&str>) -> Result<Costs> {
    let Some(text) = text else {
        return Ok(Options::default().link_cost);
    };
    if text.contains("..") {
        let (low, high) = range(option, text)?;
        return Ok(Costs::Uniform {
            low: low as u64,
            high: high as u64,
        });
    }
    let cost: Rational =
        parse_rational(text).map_err(|error| usage(format!("{option} {text}: {error}")))?;
    Ok(Costs::Constant(cost))
}

/// `4` or `2..8`, both ends included.
fn range(option: &str, text: &str) -> Result<(usize, usize)> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let range = number(low)
        .zip(number(high))
        .filter(|(low, high)| low <= high);
    range.ok_or_else(|| {
        usage(format!(
            "{option}: '{text}' is not a range; give a whole number, or LOW..HIGH such as 2..8"
        ))
    })
}

/// A text, or the text of a number.
fn as_text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let wrong = || D::Error::custom("give a number or a text");
    text::of(Value::deserialize(from)?).ok_or_else(wrong)
}

impl<'de> Deserialize<'de> for Sides {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(from)? {
            Value::Array(list) => text::names(list).map(|sides| sides.join("x")),
            value => text::of(value),
        };
        sides(&text.unwrap_or_default()).map_err(D::Error::custom)
    }
}

/// Sides of a torus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides(Vec<usize>);

/// Reads `4x4x4`.
fn sides(text: &str) -> Result<Sides, String> {
    let sides: Option<Vec<usize>> = text
        .split('x')
        .map(|side| side.trim().parse().ok())
        .collect();
    sides.map(Sides).ok_or_else(|| {
        "sides are whole numbers with an x between them, such as 4x4 or 4x4x4".to_string()
    })
}

/// Values of parameters that are not given: those of the options.
mod default {
    pub(super) fn four() -> usize {
        4
    }
    pub(super) fn three() -> usize {
        3
    }
    pub(super) fn few() -> String {
        "2..8".to_string()
    }
    pub(super) fn one() -> usize {
        1
    }
    pub(super) fn small() -> String {
        "small".to_string()
    }
    pub(super) fn mostly() -> String {
        "7/10".to_string()
    }
    pub(super) fn two() -> usize {
        2
    }
    pub(super) fn eight() -> usize {
        8
    }
    pub(super) fn inside() -> u64 {
        450
    }
    pub(super) fn network() -> u64 {
        50
    }
    pub(super) fn memory() -> u64 {
        3350
    }
}
