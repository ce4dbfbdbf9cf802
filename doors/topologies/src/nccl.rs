//! Topology dumps of NCCL and RCCL (`NCCL_TOPO_DUMP_FILE`), with the meaning that NCCL's own search gives them.
//!
//! GPUs are processors. PCI bridges, NUMA nodes, network cards and one NVSwitch for all NVSwitches are routers.
//! Bandwidths are NCCL's, in GB/s per direction: PCI width x speed / 80 (speed in units of 100 Mbit/s per lane), NVLink
//! and xGMI per link and generation, C2C as stated, between NUMA nodes by processor model, network ports as stated.
//!
//! Facts from NVIDIA/nccl `src/graph/topo.cc`, `topo.h` (2.30) and ROCm/rocm-systems `projects/rccl/src/graph/topo.h`.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Signed;
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::{Rational, parse_rational, ratio};
use roxmltree::Node;

use crate::cards;
use crate::draft::{Draft, Role};
use crate::imported::Topic;
use crate::mistakes::{said, too_many, unexpected};
use crate::nccl_rates::{between_cpus, local, pci};
use crate::xml::{self, MAX_DEPTH, children, error_at, integer, need};

/// Reads a dump.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let document = xml::parse(source)?;
    let system = document.root_element();
    if system.has_tag_name("graphs") {
        let text = "a graph of NCCL (NCCL_GRAPH_DUMP_FILE) says which rings to take, not which links there are; give the \
                    topology: NCCL_TOPO_DUMP_FILE=topo.xml in the environment of a job";
        return Err(error_at(source, system, said(text)));
    }
    if !system.has_tag_name("system") {
        let expected =
            "<system> of NCCL or RCCL, nor <topology> of hwloc, <graphml> or <platform> of SimGrid";
        let value = format!("<{}>", clip(system.tag_name().name()));
        return Err(error_at(source, system, unexpected(value, expected)));
    }
    let mut reader = Reader {
        source,
        draft,
        hosts: Vec::new(),
        gpus: Vec::new(),
        devices: BTreeMap::new(),
        cards: BTreeMap::new(),
        listed: BTreeSet::new(),
        bridges: BTreeMap::new(),
        nvswitch: None,
        switches: BTreeMap::new(),
    };
    reader.collect(system)?;
    reader.add_gpus()?;
    reader.add_cpus(system)?;
    reader.add_gpu_links()?;
    reader.add_pci_links(system)?;
    reader.note_absences();
    Ok(())
}

/// A GPU of the file: one rank.
pub(super) struct Gpu<'d, 'i> {
    pub element: Node<'d, 'i>,
    pub host: usize,
    pub bus: u64,
    device: u64,
    rank: Option<u64>,
}

/// The GPUs of one PCI function: one, or several ranks that share it.
pub(super) struct Device {
    /// The GPU itself, or a router before several.
    pub node: usize,
    /// NUMA node.
    pub cpu: Option<usize>,
}

pub(super) struct Reader<'r, 'o, 'd, 'i, 's> {
    pub source: &'r Source<'s>,
    pub draft: &'r mut Draft<'o>,
    /// `host_hash` of every machine.
    pub hosts: Vec<Option<&'d str>>,
    pub gpus: Vec<Gpu<'d, 'i>>,
    pub devices: BTreeMap<(usize, u64), Device>,
    /// Network cards by machine, NUMA node, and PCI slot: its functions are ports of one card.
    pub cards: BTreeMap<(usize, usize, u64), usize>,
    /// Ports by machine, name, number and identity: NCCL lists a card of the machine below several NUMA nodes.
    listed: BTreeSet<(usize, [&'d str; 4])>,
    /// PCI bridges by machine and address.
    pub bridges: BTreeMap<(usize, u64), usize>,
    pub nvswitch: Option<usize>,
    /// The machine that first listed the NVSwitch of an address.
    pub switches: BTreeMap<u64, usize>,
}

impl<'d, 'i> Reader<'_, '_, 'd, 'i, '_> {
    /// Finds the GPUs that take part.
    fn collect(&mut self, system: Node<'d, 'i>) -> Result<(), FormatError> {
        for cpu in children(system, "cpu") {
            let hash = cpu.attribute("host_hash");
            let known = self.hosts.iter().position(|other| *other == hash);
            let host = known.unwrap_or_else(|| {
                self.hosts.push(hash);
                self.hosts.len() - 1
            });
            for element in cpu
                .descendants()
                .filter(|element| element.has_tag_name("gpu"))
            {
                let parent = element
                    .parent_element()
                    .filter(|parent| parent.has_tag_name("pci"));
                let Some(parent) = parent else { continue };
                let bus = bus_id(need(
                    self.source,
                    parent,
                    "busid",
                    "the address on the PCI bus",
                )?);
                let device = integer(self.source, element, "dev")?;
                let rank = integer(self.source, element, "rank")?
                    .and_then(|rank| u64::try_from(rank).ok());
                let device = device
                    .and_then(|device| u64::try_from(device).ok())
                    .unwrap_or(self.gpus.len() as u64);
                self.gpus.push(Gpu {
                    element,
                    host,
                    bus,
                    device,
                    rank,
                });
            }
        }
        if self.gpus.is_empty()
            && system
                .descendants()
                .any(|element| element.has_tag_name("gpu"))
        {
            let text = "no <gpu> stands in a <pci> of a <cpu>, as in every dump of NCCL (NCCL_TOPO_DUMP_FILE=topo.xml); \
                        without addresses on the PCI bus nobody knows what NVLinks lead to";
            return Err(error_at(self.source, system, said(text)));
        }
        if self.gpus.is_empty() {
            let advice = "no <gpu> in this file: it prepares NCCL for a kind of machine (NCCL_TOPO_FILE). Run a job with \
                          NCCL_TOPO_DUMP_FILE=topo.xml on the machine, and give topo.xml";
            return Err(error_at(self.source, system, said(advice)));
        }
        self.keep_ranks();
        Ok(())
    }

    /// NCCL leaves out GPUs without a rank: they take no part in the job.
    fn keep_ranks(&mut self) {
        if self.gpus.iter().all(|gpu| gpu.rank.is_none()) {
            self.draft
                .note(Topic::Assumed, "no GPU has a rank: all take part");
        }
        let total = self.gpus.len();
        if self.gpus.iter().any(|gpu| gpu.rank.is_some()) {
            self.gpus.retain(|gpu| gpu.rank.is_some());
        }
        if self.gpus.len() < total {
            let text = format!(
                "{} of {total} GPUs: they have no rank in the job",
                total - self.gpus.len()
            );
            self.draft.note(Topic::LeftOut, text);
        }
        self.gpus
            .sort_by_key(|gpu| (gpu.host, gpu.rank, gpu.device));
    }

    /// `box0.` if there are several machines.
    fn prefix(&self, host: usize) -> String {
        if self.hosts.len() > 1 {
            format!("box{host}.")
        } else {
            String::new()
        }
    }

    fn add_gpus(&mut self) -> Result<(), FormatError> {
        let gpus = std::mem::take(&mut self.gpus);
        let mut sharing: BTreeMap<(usize, u64), Vec<usize>> = BTreeMap::new();
        for (index, gpu) in gpus.iter().enumerate() {
            sharing.entry((gpu.host, gpu.bus)).or_default().push(index);
        }
        let mut nodes = Vec::with_capacity(gpus.len());
        for gpu in &gpus {
            let shared = sharing
                .get(&(gpu.host, gpu.bus))
                .is_some_and(|indices| indices.len() > 1);
            let rank = if shared {
                format!(".rank{}", gpu.rank.unwrap_or(nodes.len() as u64))
            } else {
                String::new()
            };
            let name = format!("{}gpu{}{rank}", self.prefix(gpu.host), gpu.device);
            let node = self.at(gpu.element, |draft| {
                draft.node(name, "GPU", Role::Processor)
            })?;
            self.draft.device(node, gpu.host, gpu.device, gpu.rank);
            nodes.push(node);
        }
        for (&(host, bus), indices) in &sharing {
            let Some((&first, others)) = indices.split_first() else {
                continue;
            };
            let (Some(gpu), Some(&node)) = (gpus.get(first), nodes.get(first)) else {
                continue;
            };
            let mut device = Device { node, cpu: None };
            if !others.is_empty() {
                let name = format!("{}device{}", self.prefix(host), gpu.device);
                device.node = self.at(gpu.element, |draft| {
                    draft.node(name, "GPU device", Role::Switch)
                })?;
                for index in indices {
                    let (Some(&node), rate) = (nodes.get(*index), local()) else {
                        continue;
                    };
                    self.at(gpu.element, |draft| {
                        draft.duplex(device.node, node, "local", rate)
                    })?;
                }
            }
            self.devices.insert((host, bus), device);
        }
        self.gpus = gpus;
        Ok(())
    }

    fn add_cpus(&mut self, system: Node<'d, 'i>) -> Result<(), FormatError> {
        let mut cpus: BTreeMap<usize, Vec<(usize, Node<'d, 'i>)>> = BTreeMap::new();
        for cpu in children(system, "cpu") {
            let hash = cpu.attribute("host_hash");
            let Some(host) = self.hosts.iter().position(|other| *other == hash) else {
                continue;
            };
            let numa = need(self.source, cpu, "numaid", "the number of the NUMA node")?;
            let name = self
                .draft
                .free_name(format!("{}cpu{}", self.prefix(host), clip(numa)));
            let node = self.at(cpu, |draft| draft.node(name, "CPU", Role::Switch))?;
            cpus.entry(host).or_default().push((node, cpu));
            self.add_below(
                cpu,
                &Parent {
                    host,
                    cpu: node,
                    node,
                    model: 0,
                },
                0,
            )?;
        }
        for cpus in cpus.values() {
            let (many, (_, first)) = match cpus.as_slice() {
                [first, _, ..] => (cpus.len() * (cpus.len() - 1), first),
                _ => continue,
            };
            self.at(*first, |draft| draft.check_links(many))?;
            for &(node, cpu) in cpus {
                let (stated, what) = between_cpus(self.source, cpu)?;
                let rate = self.draft.rate("cpu", stated, &what);
                for &(other, _) in cpus.iter().filter(|(other, _)| *other != node) {
                    self.at(cpu, |draft| draft.link(node, other, "cpu", rate.clone()))?;
                }
            }
        }
        Ok(())
    }

    /// PCI functions and network cards below a NUMA node or a bridge.
    fn add_below(
        &mut self,
        above: Node<'d, 'i>,
        parent: &Parent,
        depth: usize,
    ) -> Result<(), FormatError> {
        if depth > MAX_DEPTH {
            let mistake = too_many("levels of PCI bridges", MAX_DEPTH, "give a real dump");
            return Err(error_at(self.source, above, mistake));
        }
        for element in above.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "pci" => self.add_pci(element, parent, depth)?,
                "nic" if depth == 0 => self.add_nic(element, parent, 0, "local", local())?,
                _ => {}
            }
        }
        Ok(())
    }

    fn add_pci(
        &mut self,
        element: Node<'d, 'i>,
        above: &Parent,
        depth: usize,
    ) -> Result<(), FormatError> {
        let bus = need(self.source, element, "busid", "the address on the PCI bus")?;
        let (rate, unknown) = pci(self.source, element)?;
        if let Some(text) = unknown {
            self.draft.note(Topic::Assumed, text);
        }
        let rate = self.draft.stated("pci", rate);
        if let Some(device) = self.devices.get_mut(&(above.host, bus_id(bus))) {
            device.cpu = Some(above.cpu);
            let node = device.node;
            return self.at(element, |draft| draft.duplex(node, above.node, "pci", rate));
        }
        if let Some(nic) = children(element, "nic").next() {
            return self.add_nic(nic, above, bus_id(bus) | 0xf, "pci", rate);
        }
        let class = element.attribute("class").unwrap_or("0x060400");
        if !is_bridge(class) {
            return Ok(());
        }
        let model = switch_model(self.source, element)?;
        if broadcom(above.model, 0) != 0 && broadcom(model, 1) == broadcom(above.model, 0) {
            // A Broadcom switch shows itself as two levels, with full bandwidth among all ports of both.
            self.draft.note(
                Topic::Merged,
                "the two levels of each Broadcom PCI switch, as NCCL merges them",
            );
            return self.add_below(element, &Parent { model: 0, ..*above }, depth + 1);
        }
        let name = format!(
            "{}pci{}",
            self.prefix(above.host),
            clip(bus.strip_prefix("0000:").unwrap_or(bus))
        );
        // In virtual machines addresses may repeat: NCCL takes every entry for a separate bridge.
        let name = self.draft.free_name(name);
        let node = self.at(element, |draft| {
            draft.node(name, "PCI switch", Role::Switch)
        })?;
        self.bridges.insert((above.host, bus_id(bus)), node);
        self.at(element, |draft| draft.duplex(node, above.node, "pci", rate))?;
        self.add_below(
            element,
            &Parent {
                node,
                model,
                ..*above
            },
            depth + 1,
        )
    }

    /// A network card with all its ports.
    fn add_nic(
        &mut self,
        nic: Node<'d, 'i>,
        above: &Parent,
        slot: u64,
        kind: &'static str,
        rate: Rational,
    ) -> Result<(), FormatError> {
        let mut card = self.cards.get(&(above.host, above.cpu, slot)).copied();
        for net in children(nic, "net").filter(|net| net.attribute("net") != Some("0")) {
            let Some(device) = integer(self.source, net, "dev")? else {
                continue;
            };
            let name = net.attribute("name").unwrap_or_default();
            if self.is_aside(net, above.host, name)? {
                continue;
            }
            let node = match card {
                Some(node) => node,
                None => {
                    let mut own = format!("{}nic{device}", self.prefix(above.host));
                    // Devices are counted by kind of network.
                    if self.draft.has_name(&own) {
                        own = format!("{own}.{}", clip(name));
                    }
                    let own = self.draft.free_name(own);
                    let node =
                        self.at(net, |draft| draft.node(own, "network card", Role::Switch))?;
                    let alias = format!("{}{name}", self.prefix(above.host));
                    self.draft.also(node, &alias);
                    self.cards.insert((above.host, above.cpu, slot), node);
                    self.at(net, |draft| {
                        draft.duplex(node, above.node, kind, rate.clone())
                    })?;
                    *card.insert(node)
                }
            };
            let megabits = integer(self.source, net, "speed")?
                .filter(|&speed| speed > 0)
                .unwrap_or_else(|| {
                    self.draft.note(
                        Topic::Assumed,
                        "net: 10000 Mbit/s for network cards of unknown speed, as NCCL has it",
                    );
                    10_000
                });
            let speed = self.draft.stated("net", ratio(megabits, 8000));
            self.draft.named_port(node, Some(speed), name);
            // In microseconds. 0 if the driver does not report it.
            let latency = net.attribute("latency").map(parse_rational);
            if let Some(Ok(latency)) =
                latency.filter(|of| of.as_ref().is_ok_and(Signed::is_positive))
            {
                let microsecond = ratio(1, 1_000_000);
                self.draft.port_latency(latency * microsecond);
            }
        }
        Ok(())
    }

    /// Whether a card is listed already, or exists only in software.
    fn is_aside(
        &mut self,
        net: Node<'d, 'i>,
        host: usize,
        name: &'d str,
    ) -> Result<bool, FormatError> {
        let nics = &self.draft.options.nics;
        let made_up =
            cards::is_virtual(name, nics).map_err(|mistake| error_at(self.source, net, mistake))?;
        if made_up {
            let text = format!(
                "the virtual network card {0}: no cable leads out of it; --nics {0} counts it",
                clip(name)
            );
            self.draft.note(Topic::LeftOut, text);
            return Ok(true);
        }
        let Some(guid) = net.attribute("guid").filter(|_| !name.is_empty()) else {
            return Ok(false);
        };
        let [device, port] = ["dev", "port"].map(|key| net.attribute(key).unwrap_or_default());
        let again = !self.listed.insert((host, [name, device, port, guid]));
        if again {
            let text = format!(
                "the network card {} is listed more than once, with one name, dev and guid: it is one card, where it \
                 is listed first",
                clip(name)
            );
            self.draft.note(Topic::Merged, text);
        }
        Ok(again)
    }

    fn note_absences(&mut self) {
        if self.hosts.len() > 1 {
            let text = format!(
                "{} machines in one file, distinguished by host_hash",
                self.hosts.len()
            );
            self.draft.note(Topic::Assumed, text);
        }
        if self.draft.ports.is_empty() {
            self.draft
                .note(Topic::Assumed, "no network cards in the file");
        }
    }

    /// Runs an action on the draft. Its errors are reported at this element.
    pub(super) fn at<T>(
        &mut self,
        element: Node<'_, '_>,
        f: impl FnOnce(&mut Draft<'_>) -> Result<T, Mistake>,
    ) -> Result<T, FormatError> {
        f(self.draft).map_err(|mistake| error_at(self.source, element, mistake))
    }
}

/// The nodes above a PCI function.
#[derive(Clone, Copy)]
struct Parent {
    host: usize,
    /// NUMA node.
    cpu: usize,
    /// The node directly above.
    node: usize,
    /// Vendor and device of the bridge directly above. 0 for none.
    model: u64,
}

/// A PCI address as a number, punctuation ignored, as NCCL compares them.
pub(super) fn bus_id(text: &str) -> u64 {
    let digits = text.chars().filter_map(|c| c.to_digit(16));
    digits.fold(0, |id: u64, digit| (id << 4) | u64::from(digit))
}

/// Whether a PCI class is that of a GPU: 0x03... (display) or, of AMD GPUs since MI300, 0x12... (processing
/// accelerator).
pub(super) fn is_gpu(class: &str) -> bool {
    class.starts_with("0x03") || class.starts_with("0x12")
}

/// Whether a class is a bridge: not a GPU, a network card, an NVSwitch or a processor's side of NVLink.
fn is_bridge(class: &str) -> bool {
    !(is_gpu(class) || class.starts_with("0x02") || class.starts_with("0x0680"))
}

/// Vendor, device, subsystem vendor and subsystem device in one number. Each is 0 if it is missing.
fn switch_model(source: &Source<'_>, element: Node<'_, '_>) -> Result<u64, FormatError> {
    let mut model: u64 = 0;
    for key in ["vendor", "device", "subsystem_vendor", "subsystem_device"] {
        let part = integer(source, element, key)?
            .and_then(|part| u16::try_from(part).ok())
            .unwrap_or(0);
        model = (model << 16) | u64::from(part);
    }
    Ok(model)
}

/// The generation of a Broadcom switch that appears as two levels, for the upper (0) or lower (1) level. Otherwise 0.
fn broadcom(model: u64, level: u64) -> u64 {
    match model & 0xffff_ffff_ffff_f000 {
        0x1000_c010_1000_a000 => 4,
        other if other == 0x1000_c030_1000_0000 | (level * 0x1000) => 5,
        _ => 0,
    }
}
