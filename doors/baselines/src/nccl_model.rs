//! NCCL's own model of time, by which it chooses an algorithm and a protocol: `ncclTopoTuneModel` and
//! `ncclTopoGetAlgoTime` of src/graph/tuning.cc, NCCL 2.30.7. It takes the channels that `ncclTopoCompute` of
//! src/graph/search.cc finds if all accelerators of a box are connected to one switch.
//!
//! Rates are GB/s (10^9 bytes), times microseconds. Tables are in hundredths, so that all is exact.

use std::fmt;

use num_traits::{One, Zero};
use oneport_plan::{Form, Problem};
use oneport_platform::{LinkId, NodeId, Rational, ratio};

use crate::boxes::Boxes;
use crate::{Routes, ranks};

/// A generation of NVIDIA's accelerators, as NCCL's tables have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// Compute capability 70.
    Volta,
    /// Compute capability 80.
    Ampere,
    /// Compute capability 90.
    Hopper,
    /// Compute capability 100.
    Blackwell,
}

/// A number in hundredths.
fn hundredths(value: u64) -> Rational {
    ratio(value, 100)
}

fn whole(value: usize) -> Rational {
    oneport_platform::whole(value)
}

/// Fact: the largest number of channels that NCCL searches for. It doubles them afterwards.
const CHANNELS: usize = 32;
/// Fact: the most heads of NVLS.
const HEADS: usize = 16;

impl Generation {
    /// Fact: NVLink of one accelerator, in hundredths of GB/s: that of the data sheet, NCCL's own number
    /// (`SM80_NVLINK_BW` of src/graph/topo.h times the links), and those of earlier versions.
    const NVLINK: [(Generation, [u64; 3]); 4] = [
        (Generation::Volta, [15_000, 12_000, 13_200]),
        (Generation::Ampere, [30_000, 24_000, 24_000]),
        (Generation::Hopper, [45_000, 37_080, 37_080]),
        (Generation::Blackwell, [90_000, 72_180, 72_180]),
    ];

    /// The generation whose accelerators have this NVLink bandwidth, and NCCL's number for it.
    fn of(nvlink: &Rational) -> Option<(Generation, Rational)> {
        let has =
            |row: &&(Generation, [u64; 3])| row.1.iter().any(|rate| hundredths(*rate) == *nvlink);
        let (generation, rates) = Generation::NVLINK.iter().find(has)?;
        Some((*generation, hundredths(rates[1])))
    }

    /// Fact: rates of a channel that the search tries, within one box and between boxes, in tenths of GB/s.
    fn speeds(self, boxes: usize) -> Vec<Rational> {
        let tenths: &[u64] = match (self, boxes) {
            (Generation::Volta | Generation::Ampere, 1) => {
                &[400, 300, 200, 180, 150, 120, 100, 90, 70, 60, 50, 40, 30]
            }
            (Generation::Volta | Generation::Ampere, _) => &[
                480, 300, 280, 240, 200, 180, 150, 120, 100, 90, 70, 60, 50, 40, 30, 24, 12,
            ],
            (Generation::Hopper, 1) => &[600, 500, 400, 300, 240, 200, 150, 120, 110, 60, 30],
            (Generation::Hopper, _) => &[
                480, 450, 420, 400, 300, 240, 220, 200, 175, 150, 120, 60, 30, 24, 12,
            ],
            (Generation::Blackwell, 1) => {
                &[900, 800, 700, 600, 500, 450, 400, 300, 240, 200, 190, 180]
            }
            (Generation::Blackwell, _) => &[
                960, 860, 800, 480, 451, 420, 400, 300, 240, 220, 200, 175, 150, 120, 60, 30, 24,
                12,
            ],
        };
        tenths.iter().map(|value| hundredths(value * 10)).collect()
    }

    /// Fact: limits of a channel for one, two, and more boxes: of trees, of rings and trees by LL128, of NVLS trees.
    fn caps(self, boxes: usize) -> Caps {
        let [tree, ring_ll128, tree_ll128, nvls_tree] = match self {
            Generation::Volta => [[2650, 1850, 1000], [2000; 3], [2000; 3], [0; 3]],
            Generation::Ampere => [[2400, 2360, 1780], [2000; 3], [2000; 3], [0; 3]],
            Generation::Hopper => [
                [3870, 4140, 3600],
                [3670; 3],
                [3670, 3670, 2900],
                [0, 5770, 4550],
            ],
            Generation::Blackwell => [
                [7000, 4280, 2400],
                [4000; 3],
                [5560, 3167, 2000],
                [0, 9600, 8000],
            ],
        }
        .map(|row: [u64; 3]| hundredths(row[boxes.clamp(1, 3) - 1]));
        Caps {
            tree,
            ring_ll128,
            tree_ll128,
            nvls_tree,
        }
    }

    /// Fact: the limit of protocol LL: in one box by accelerator, between boxes by the makers of the processors.
    fn most_ll(self, boxes: usize) -> Rational {
        let row: [u64; 3] = match (self, boxes, self.is_amd()) {
            (Generation::Volta, 1, _) | (_, 2.., false) => [3900, 3900, 2040],
            (Generation::Ampere, 1, _) | (_, 2.., true) => [8770, 2250, 1900],
            (Generation::Hopper, ..) => [14_100, 4500, 3500],
            (Generation::Blackwell, ..) => [28_200, 9000, 7000],
            (Generation::Volta | Generation::Ampere, ..) => [0; 3],
        };
        hundredths(row[boxes.clamp(1, 3) - 1])
    }

    /// Whether the processors are assumed to be AMD's: those of the DGX A100. Other DGX have Intel's.
    fn is_amd(self) -> bool {
        self == Generation::Ampere
    }

    /// Fact: the share of its rate that a switch attains when it combines.
    fn nvls_efficiency(self) -> Option<Rational> {
        match self {
            Generation::Volta | Generation::Ampere => None,
            Generation::Hopper => Some(hundredths(85)),
            Generation::Blackwell => Some(hundredths(74)),
        }
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Limits per channel.
struct Caps {
    tree: Rational,
    ring_ll128: Rational,
    tree_ll128: Rational,
    nvls_tree: Rational,
}

/// The channels that the search found: their number before they are doubled, and the rate of each in a box and between
/// boxes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Graph {
    channels: usize,
    inside: Rational,
    between: Rational,
}

impl Graph {
    /// The rate of all channels in a model of `boxes` boxes: that in a box for at most two boxes, else that between
    /// boxes.
    fn rate(&self, boxes: usize) -> Rational {
        let each = if boxes <= 2 {
            &self.inside
        } else {
            &self.between
        };
        each * whole(self.channels)
    }
}

/// An algorithm with a protocol, as NCCL's model rates it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// A name of `NCCL_ALGO`: `Ring`, `Tree`, `NVLS`, `NVLSTree`, `PAT`.
    pub algorithm: String,
    /// A name of `NCCL_PROTO`: `LL`, `LL128`, `Simple`.
    pub protocol: String,
    /// The time of a message of no bytes, in microseconds.
    pub latency: Rational,
    /// Bytes of the operation over time, in GB/s, without latency.
    pub bandwidth: Rational,
}

/// A machine as NCCL's model sees it.
#[derive(Debug, Clone)]
pub struct NcclModel {
    /// The accelerators.
    pub generation: Generation,
    /// The number of boxes.
    pub boxes: usize,
    /// The number of ranks.
    pub ranks: usize,
    switched: bool,
    ring: Graph,
    tree: Graph,
    nvls: Option<Graph>,
}

/// Protocols: latencies and limits are listed in this order.
const PROTOCOLS: [&str; 3] = ["LL", "LL128", "Simple"];
/// Fact: latencies in hundredths of a microsecond, by protocol: of a start, of a step over NVLink, and over the
/// network.
const RING: [[u64; 3]; 3] = [[660, 1400, 840], [60, 190, 340], [270, 400, 1400]];
/// Fact: the latencies of trees, in the order of [`RING`].
const TREE: [[u64; 3]; 3] = [[680, 1400, 840], [60, 125, 400], [500, 850, 1400]];
/// Fact: corrections of trees, in tenths, by the binary logarithm of the size over 64 bytes.
const CORRECTIONS: [[u64; 23]; 3] = [
    [
        10, 10, 10, 10, 9, 8, 7, 7, 7, 7, 6, 5, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10,
    ],
    [
        10, 10, 10, 10, 10, 9, 8, 8, 8, 7, 6, 6, 6, 6, 6, 6, 8, 9, 9, 9, 9, 10, 10,
    ],
    [
        9, 9, 9, 9, 9, 9, 9, 8, 7, 6, 6, 5, 5, 5, 5, 6, 7, 8, 7, 7, 8, 9, 9,
    ],
];

impl NcclModel {
    /// The model of these boxes.
    ///
    /// # Errors
    /// The reason that the model is not evaluated: a machine that NCCL's tables do not cover, or a search of channels
    /// that is not repeated here.
    pub fn of(problem: &Problem, boxes: &Boxes, routes: &Routes) -> Result<NcclModel, String> {
        let (platform, ranks) = (problem.platform(), ranks(problem));
        let Some(units) = platform.units() else {
            return Err("the platform has no units".to_string());
        };
        let rate = |link: LinkId| {
            let cost = &platform.link(link).cost;
            let free = cost.is_zero();
            (!free).then(|| units.gigabytes_per_second(&cost.recip()))
        };
        let size = boxes.members.first().map_or(0, Vec::len);
        if boxes.members.iter().any(|of| of.len() != size) || size == 0 {
            return Err("its boxes have different numbers of accelerators".to_string());
        }
        let count = boxes.members.len();
        if !boxes.switched && count > 1 {
            return Err("its boxes have no switch that joins their accelerators".to_string());
        }
        let nvlink = nvlink(problem, &ranks, boxes, rate).unwrap_or_default();
        let Some((generation, inside)) = Generation::of(&nvlink) else {
            return Err(format!(
                "an accelerator sends {} GB/s in its box, and NCCL's tables are of 150 (V100), 300 (A100), 450 (H100) \
                 and 900 (B200)",
                decimal(&nvlink)
            ));
        };
        let card = if count > 1 {
            card(&ranks, boxes, routes, rate)
                .ok_or("the rate of its network cards is not stated")?
        } else {
            Rational::zero()
        };
        let cards = boxes.channels.len();
        let speeds = generation.speeds(count);
        let ring = match (boxes.switched, count) {
            (false, _) => {
                // NCCL's link has 20 GB/s. Rings use every link once.
                let links = (&inside / hundredths(2000)).floor().to_integer();
                Graph {
                    channels: usize::try_from(links).unwrap_or(0),
                    inside: hundredths(2000),
                    between: Rational::zero(),
                }
            }
            (true, 1) => searched(generation, &speeds, |speed| floor(&inside, speed)),
            // A channel leaves the box at one accelerator, which differs from channel to channel.
            (true, _) => searched(generation, &speeds, |speed| {
                let most = cards * floor(&card, speed);
                match size {
                    1 => most,
                    _ => most.min(floor(&(&inside * whole(size) / whole(size - 1)), speed)),
                }
            }),
        };
        if ring.channels == 0 {
            return Err("no rate of a channel in NCCL's tables fits its network cards".to_string());
        }
        let tree = tree(&ring, &speeds, &inside, size, count);
        let nvls = generation
            .nvls_efficiency()
            .filter(|_| boxes.switched && size > 1 && (count == 1 || cards == size))
            .and_then(|_| nvls(&speeds, &inside, &card, size, count));
        Ok(NcclModel {
            generation,
            boxes: count,
            ranks: ranks.len(),
            switched: boxes.switched,
            ring,
            tree,
            nvls,
        })
    }

    /// Whether NCCL chooses among algorithms for the collective.
    pub fn chooses(form: &Form) -> bool {
        Function::of(form).is_some()
    }

    /// Accelerators per box.
    fn size(&self) -> usize {
        self.ranks / self.boxes.max(1)
    }

    /// All algorithms that NCCL considers for the collective, with each of their protocols. Empty if NCCL has no choice
    /// of algorithms for it.
    pub fn estimates(&self, form: &Form) -> Vec<Estimate> {
        let Some(function) = Function::of(form) else {
            return Vec::new();
        };
        let mut all: Vec<Estimate> = (0..PROTOCOLS.len())
            .map(|protocol| self.of_ring(function, protocol))
            .collect();
        if function == Function::AllReduce {
            all.extend((0..PROTOCOLS.len()).map(|protocol| self.of_tree(protocol)));
        }
        all.extend(self.of_nvls(function));
        all.extend(self.of_pat(function));
        all.retain(|estimate| !estimate.bandwidth.is_zero());
        all
    }

    /// The time of one operation of `bytes` bytes, in microseconds.
    pub fn time(&self, form: &Form, estimate: &Estimate, bytes: &Rational) -> Rational {
        let (mut latency, mut bandwidth) = (estimate.latency.clone(), estimate.bandwidth.clone());
        let protocol = PROTOCOLS.iter().position(|name| *name == estimate.protocol);
        let blocks = (bytes / whole(64)).floor().to_integer();
        let log = blocks.bits().saturating_sub(1);
        if estimate.algorithm == "Tree" && !blocks.is_zero() {
            let corrections = CORRECTIONS[protocol.unwrap_or(2)];
            if let Some(tenths) = usize::try_from(log)
                .ok()
                .and_then(|log| corrections.get(log))
            {
                bandwidth *= hundredths(tenths * 10);
            }
        }
        let each = bytes / whole(2 * self.ring.channels * self.ranks);
        let plateau =
            estimate.algorithm == "Ring" && estimate.protocol == "Simple" && self.boxes > 1;
        if plateau && Function::of(form) == Some(Function::AllReduce) && each >= whole(64) {
            latency *= hundredths(if self.generation == Generation::Volta {
                190
            } else {
                140
            });
        }
        latency + bytes / (bandwidth * whole(1000))
    }

    /// The algorithm and protocol that NCCL picks for an operation of `bytes` bytes: the least time. Without a size:
    /// the largest bandwidth, which has the least time for large operations.
    pub fn pick(&self, form: &Form, bytes: Option<&Rational>) -> Option<Estimate> {
        let all = self.estimates(form);
        match bytes {
            Some(bytes) => all
                .into_iter()
                .min_by_key(|estimate| self.time(form, estimate, bytes)),
            None => all
                .into_iter()
                .rev()
                .max_by_key(|estimate| estimate.bandwidth.clone()),
        }
    }

    fn of_ring(&self, function: Function, protocol: usize) -> Estimate {
        let caps = self.generation.caps(self.boxes);
        let rate = self.ring.rate(self.boxes);
        let bus = match protocol {
            0 => (rate / whole(2)).min(self.generation.most_ll(self.boxes)),
            1 => (rate * hundredths(92)).min(caps.ring_ll128 * whole(self.ring.channels)),
            _ => rate,
        };
        let steps = function.steps(self.ranks);
        let [base, inside, between] = RING.map(|row| hundredths(row[protocol]));
        let latency = if function == Function::Rooted {
            // All channels have one order of ranks, as on a switch: one step.
            base + if self.boxes == 1 { inside } else { between }
        } else {
            let launch = match (self.boxes, self.generation.is_amd()) {
                (1, _) => 0,
                (_, true) => 200,
                (_, false) => 100,
            };
            let launch = hundredths(launch * if protocol == 2 { 3 } else { 1 });
            let passes = if function == Function::AllReduce {
                2
            } else {
                1
            };
            let borders = passes * (self.boxes - 1);
            let between = if self.size() == 1 {
                hundredths(TREE[2][protocol])
            } else {
                between
            };
            base + whole(steps - borders) * inside.max(launch) + whole(borders) * between
        };
        Estimate {
            algorithm: "Ring".to_string(),
            protocol: PROTOCOLS[protocol].to_string(),
            latency,
            bandwidth: bus * whole(self.ranks) / whole(steps),
        }
    }

    fn of_tree(&self, protocol: usize) -> Estimate {
        let caps = self.generation.caps(self.boxes);
        let channels = whole(self.tree.channels);
        let rate = self.tree.rate(self.boxes) * hundredths(92);
        let mut bus = rate.min(caps.tree * &channels);
        if protocol == 0 {
            bus = (bus / hundredths(380)).min(self.generation.most_ll(self.boxes));
        }
        if protocol == 1 {
            let share = if self.boxes == 1 {
                ratio(7, 9)
            } else {
                ratio(120, 128)
            };
            bus = (bus * share).min(caps.tree_ll128 * &channels);
        }
        let [base, inside, between] = TREE.map(|row| hundredths(row[protocol]));
        let levels = whole(self.boxes.ilog2() as usize);
        Estimate {
            algorithm: "Tree".to_string(),
            protocol: PROTOCOLS[protocol].to_string(),
            latency: base + whole(2) * (whole(self.size() - 1) * inside + levels * between),
            bandwidth: bus / whole(2),
        }
    }

    /// NVLS in one box, its tree between boxes. Between boxes NVLS itself needs a network that combines.
    fn of_nvls(&self, function: Function) -> Option<Estimate> {
        let (graph, efficiency) = (self.nvls.as_ref()?, self.generation.nvls_efficiency()?);
        let is_tree = self.boxes > 1;
        if function == Function::Rooted
            || is_tree && function != Function::AllReduce
            || graph.channels < 2
        {
            return None;
        }
        let mut inside =
            &graph.inside * efficiency * whole(graph.channels - 1) / whole(graph.channels);
        inside *= if function == Function::AllReduce {
            whole(2)
        } else {
            whole(self.size() - 1) / whole(self.size())
        };
        let each = if is_tree {
            let twice = whole(if self.boxes == 2 { 2 } else { 1 });
            let between = &graph.between * twice;
            inside
                .min(between)
                .min(self.generation.caps(self.boxes).nvls_tree)
        } else {
            inside
        };
        let bus = each * whole(graph.channels);
        let ratio = if function == Function::AllReduce {
            whole(self.ranks) / whole(function.steps(self.ranks))
        } else {
            Rational::one()
        };
        let levels = whole(self.boxes.ilog2() as usize);
        Some(Estimate {
            algorithm: if is_tree { "NVLSTree" } else { "NVLS" }.to_string(),
            protocol: "Simple".to_string(),
            latency: hundredths(2500) + whole(2) * levels * hundredths(2090),
            bandwidth: bus * ratio,
        })
    }

    fn of_pat(&self, function: Function) -> Option<Estimate> {
        if function != Function::Spread || self.size() > 1 {
            return None;
        }
        let levels = whole(self.boxes.ilog2() as usize);
        let between = hundredths(TREE[2][2]) / hundredths(350);
        Some(Estimate {
            algorithm: "PAT".to_string(),
            protocol: "Simple".to_string(),
            latency: hundredths(800) + levels * between + whole(self.ranks) * hundredths(280),
            bandwidth: self.tree.rate(self.boxes) * hundredths(75),
        })
    }

    /// Assumptions of the model besides the platform.
    pub fn assumed(&self) -> String {
        let maker = if self.generation.is_amd() {
            "AMD"
        } else {
            "Intel"
        };
        let cpus = if self.boxes > 1 {
            format!(", processors of {maker}, a network that combines nothing")
        } else {
            String::new()
        };
        let links = if self.switched { "NVSwitch" } else { "NVLink" };
        format!("{} GPUs by their {links}{cpus}", self.generation)
    }
}

/// NCCL's functions, in the groups that its model distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Rooted,
    Spread,
    AllReduce,
}

impl Function {
    fn of(form: &Form) -> Option<Function> {
        match form {
            form if form == Form::BROADCAST || form == Form::REDUCE => Some(Function::Rooted),
            form if form == Form::ALL_GATHER || form == Form::REDUCE_SCATTER => {
                Some(Function::Spread)
            }
            form if form == Form::ALL_REDUCE => Some(Function::AllReduce),
            _ => None,
        }
    }

    fn steps(self, ranks: usize) -> usize {
        match self {
            Function::Rooted => ranks,
            Function::Spread => ranks - 1,
            Function::AllReduce => 2 * (ranks - 1),
        }
    }
}

fn floor(whole: &Rational, part: &Rational) -> usize {
    usize::try_from((whole / part).floor().to_integer()).unwrap_or(0)
}

/// The first pass of NCCL's search: the rates from the fastest on, until a slower one is less than 0.49 of the best,
/// and the best product. Then channels are doubled unless they are slow, or many on later accelerators.
fn searched(
    generation: Generation,
    speeds: &[Rational],
    most: impl Fn(&Rational) -> usize,
) -> Graph {
    let mut best = (0, Rational::zero());
    for speed in speeds {
        if best.0 > 0 && speed / &best.1 <= hundredths(49) {
            break;
        }
        let channels = most(speed).min(CHANNELS);
        if speed * whole(channels) > &best.1 * whole(best.0) {
            best = (channels, speed.clone());
        }
    }
    let (mut channels, mut speed) = best;
    let later = matches!(generation, Generation::Hopper | Generation::Blackwell);
    let keeps = speed < whole(25) || later && speed < whole(50) && channels > 4;
    if channels > 0 && !keeps {
        channels *= 2;
        speed /= whole(2);
    }
    Graph {
        channels,
        inside: speed.clone(),
        between: speed,
    }
}

/// The tree has the channels of the ring. Over two boxes or more, the rate in the box is raised while the chains of the
/// channels, which begin at different accelerators, fit.
fn tree(ring: &Graph, speeds: &[Rational], inside: &Rational, size: usize, boxes: usize) -> Graph {
    let mut graph = ring.clone();
    if boxes == 1 || size < 2 {
        return graph;
    }
    let faster = speeds.iter().rev().filter(|speed| **speed > ring.inside);
    for speed in faster {
        let load = speed * whole(ring.channels * (size - 1)) / whole(size);
        if graph.inside >= &ring.between * whole(2) || load > *inside {
            break;
        }
        graph.inside = speed.clone();
    }
    graph
}

/// Every accelerator is the head of one channel, which loads its link twice and those of all others once.
fn nvls(
    speeds: &[Rational],
    inside: &Rational,
    card: &Rational,
    size: usize,
    boxes: usize,
) -> Option<Graph> {
    let channels = size.min(HEADS);
    let share = inside / whole(channels + 1);
    let fits = |speed: &&Rational| **speed <= share && (boxes == 1 || **speed <= *card);
    let speed = speeds.iter().find(fits)?;
    let mut between = speed.clone();
    for faster in speeds.iter().rev().filter(|faster| **faster > *speed) {
        if boxes == 1 || between >= speed * whole(2) || faster > card {
            break;
        }
        between = faster.clone();
    }
    Some(Graph {
        channels,
        inside: speed.clone(),
        between,
    })
}

/// The rate at which an accelerator sends in its box: over its fastest link to a switch, else over all links to
/// accelerators. `None` if the accelerators differ.
fn nvlink(
    problem: &Problem,
    ranks: &[NodeId],
    boxes: &Boxes,
    rate: impl Fn(LinkId) -> Option<Rational>,
) -> Option<Rational> {
    let platform = problem.platform();
    let rate_out_of = |node: NodeId| -> Option<Rational> {
        let links = platform.outgoing(node).iter().copied();
        if boxes.switched {
            return links.filter_map(&rate).max();
        }
        let direct = links.filter(|&link| platform.node(platform.link(link).to).is_processor());
        direct.map(&rate).sum()
    };
    let first = rate_out_of(*ranks.first()?)?;
    ranks
        .iter()
        .all(|&node| rate_out_of(node).as_ref() == Some(&first))
        .then_some(first)
}

/// The rate of the slowest network card: the slowest link on the path from a channel's first accelerator to the next
/// box, within the box and out of it.
fn card(
    ranks: &[NodeId],
    boxes: &Boxes,
    routes: &Routes,
    rate: impl Fn(LinkId) -> Option<Rational>,
) -> Option<Rational> {
    let mut slowest: Option<Rational> = None;
    for channel in &boxes.channels {
        for (index, of) in boxes.members.iter().enumerate() {
            let next = &boxes.members[(index + 1) % boxes.members.len()];
            let at = *channel.get(index)?;
            let path = routes.path(
                *ranks.get(*of.get(at)?)?,
                *ranks.get(next[at % next.len()])?,
            )?;
            for link in path {
                if let Some(found) = rate(link) {
                    slowest = Some(slowest.map_or(found.clone(), |known| known.min(found)));
                }
            }
        }
    }
    slowest
}

/// At most two digits.
fn decimal(value: &Rational) -> String {
    oneport_numbers::decimal(value, 2)
}
