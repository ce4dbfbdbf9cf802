//! Builder of an imported platform: nodes and links with kinds, bandwidths, and notes.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed, Zero};
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::units::Data;
use oneport_platform::{
    DEFAULT_MERGE_RATE, Delays, LinkId, Node, NodeId, Platform, PlatformError, PortModel, Rational,
    Shared, Units, decimal, whole,
};

use crate::Format;
use crate::graph_roles::Unused;
use crate::imported::{Accelerator, Imported, Note, Topic};
use crate::mistakes::{no_latency, not_positive, said, too_many};
use crate::options::ImportOptions;

/// Limit on the nodes of a topology.
pub(super) const MAX_NODES: usize = 100_000;
/// Limit on the links of a topology, in one direction each.
pub(super) const MAX_LINKS: usize = 250_000;

/// The abilities of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Computes, keeps copies, forwards.
    Processor,
    /// Forwards, and cannot duplicate.
    Switch,
    /// A switch of a network: it forwards. It duplicates and combines (SHARP) if the user sets that.
    Network,
    /// Forwards. Duplicates (multicast) and combines (in-network reduction) if the user sets that.
    Multicast,
}

/// A node of the draft.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub kind: &'static str,
    pub role: Role,
    /// The file's name for a node with another name here.
    pub alias: Option<String>,
}

/// A directed link of the draft.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub from: usize,
    pub to: usize,
    pub kind: &'static str,
    /// GB/s. 0 if only shared capacities limit it.
    pub rate: Rational,
    /// In seconds. 0 if the file states none.
    pub latency: Rational,
}

/// A capacity that links share.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub name: String,
    /// GB/s.
    pub rate: Rational,
    /// Links by their indices in the draft, each with its multiplicity.
    pub weights: BTreeMap<usize, u32>,
}

/// A port that leads out of the machine.
#[derive(Debug, Clone)]
pub(super) struct Port {
    pub node: usize,
    /// GB/s per direction. `None` if the file does not give it.
    pub rate: Option<Rational>,
    /// In seconds. 0 if the file states none.
    pub latency: Rational,
    /// Its name in the file, as `mlx5_3`.
    pub name: Option<String>,
}

/// Builder of an imported platform.
pub(crate) struct Draft<'o> {
    pub(super) options: &'o ImportOptions,
    pub(super) members: Vec<Member>,
    pub(super) wires: Vec<Wire>,
    pub(super) groups: Vec<Group>,
    pub(super) ports: Vec<Port>,
    pub(super) devices: Vec<Accelerator>,
    names: BTreeSet<String>,
    aliases: BTreeSet<String>,
    /// Number of repeated requests for a name.
    repeats: BTreeMap<String, usize>,
    by_ends: BTreeMap<(usize, usize), usize>,
    notes: Vec<Note>,
    noted: BTreeSet<Note>,
    /// Kinds of links whose bandwidth was looked up.
    kinds: BTreeSet<&'static str>,
    /// Other keys of `link_bandwidth` that are valid here.
    allowed: BTreeSet<String>,
    model: PortModel,
    /// The platform's unit of data.
    data: Data,
    /// Whether a link has the attribute with the latency. If not, some attributes of links.
    latency_stated: bool,
    attributes: BTreeSet<String>,
    /// Attributes of graphs that are not read, and look as if they were.
    pub(crate) unused: Unused,
}

impl<'o> Draft<'o> {
    pub(crate) fn new(options: &'o ImportOptions) -> Self {
        Draft {
            options,
            members: Vec::new(),
            wires: Vec::new(),
            groups: Vec::new(),
            ports: Vec::new(),
            devices: Vec::new(),
            names: BTreeSet::new(),
            aliases: BTreeSet::new(),
            repeats: BTreeMap::new(),
            by_ends: BTreeMap::new(),
            notes: Vec::new(),
            noted: BTreeSet::new(),
            kinds: BTreeSet::new(),
            allowed: BTreeSet::new(),
            model: PortModel::Links,
            data: Data::GIGABYTE,
            latency_stated: false,
            attributes: BTreeSet::new(),
            unused: Unused::default(),
        }
    }

    /// Adds a node under an unused name.
    pub(crate) fn node(
        &mut self,
        name: impl Into<String>,
        kind: &'static str,
        role: Role,
    ) -> Result<usize, Mistake> {
        if self.members.len() == MAX_NODES {
            return Err(too_many("nodes", MAX_NODES, "give a part of the topology"));
        }
        let name = name.into();
        if !self.names.insert(name.clone()) {
            return Err(Mistake::Platform(PlatformError::DuplicateNode {
                name: clip(&name),
            }));
        }
        self.members.push(Member {
            name,
            kind,
            role,
            alias: None,
        });
        Ok(self.members.len() - 1)
    }

    /// Makes a node a switch of this kind.
    pub(crate) fn forwards(&mut self, node: usize, kind: &'static str) {
        if let Some(member) = self.members.get_mut(node) {
            (member.kind, member.role) = (kind, Role::Switch);
        }
    }

    /// Gives a node a second name, unless a node has it already.
    pub(crate) fn also(&mut self, node: usize, alias: &str) {
        if alias.is_empty() || !self.aliases.insert(alias.to_string()) {
            return;
        }
        if let Some(member) = self.members.get_mut(node) {
            member.alias = Some(alias.to_string());
        }
    }

    /// Adds a link of `rate` GB/s. A second link between the same ends adds its bandwidth to the first's.
    pub(crate) fn link(
        &mut self,
        from: usize,
        to: usize,
        kind: &'static str,
        rate: Rational,
    ) -> Result<(), Mistake> {
        if !rate.is_positive() {
            return Err(not_positive("a bandwidth", &rate));
        }
        if from == to {
            self.note_loop(from);
            return Ok(());
        }
        self.check_links(1)?;
        match self
            .by_ends
            .get(&(from, to))
            .and_then(|&index| self.wires.get_mut(index))
        {
            Some(wire) => {
                wire.rate += rate;
                if wire.kind != kind {
                    let text = format!(
                        "parallel links of kinds {} and {kind} are one link, their bandwidths added",
                        wire.kind
                    );
                    self.note(Topic::Merged, text);
                }
            }
            None => {
                self.by_ends.insert((from, to), self.wires.len());
                self.wires.push(Wire {
                    from,
                    to,
                    kind,
                    rate,
                    latency: Rational::zero(),
                });
            }
        }
        Ok(())
    }

    /// Adds a link of `rate` GB/s and `latency` seconds between two nodes. Of several links between the same ends the
    /// fastest counts, with its latency; of equally fast ones that of the least latency.
    pub(crate) fn fastest(
        &mut self,
        from: usize,
        to: usize,
        rate: &Rational,
        latency: &Rational,
    ) -> Result<(), Mistake> {
        let known = self.by_ends.get(&(from, to));
        let Some(wire) = known.and_then(|&wire| self.wires.get_mut(wire)) else {
            return self.way(from, to, Some(rate.clone()), latency);
        };
        if *rate > wire.rate || *rate == wire.rate && *latency < wire.latency {
            wire.rate = rate.clone();
            wire.latency = latency.clone();
        }
        self.note(
            Topic::Merged,
            "parallel edges are one link, the fastest counts",
        );
        Ok(())
    }

    /// Notes that the links of a node to itself are left out.
    pub(crate) fn note_loop(&mut self, node: usize) {
        let name = self.members.get(node).map_or("", |member| &member.name);
        let text = format!(
            "links from a node to itself, such as that of {}",
            clip(name)
        );
        self.note(Topic::LeftOut, text);
    }

    /// Adds a link between unconnected nodes. `rate` in GB/s is absent if only shared capacities limit it, `latency` is
    /// in seconds.
    pub(crate) fn way(
        &mut self,
        from: usize,
        to: usize,
        rate: Option<Rational>,
        latency: &Rational,
    ) -> Result<(), Mistake> {
        let wire = Wire {
            from,
            to,
            kind: "link",
            rate: rate.unwrap_or_else(Rational::zero),
            latency: latency.clone(),
        };
        self.copy(&wire, 0)
    }

    /// Adds a copy of this link between the nodes whose numbers are larger by `shift`.
    pub(super) fn copy(&mut self, wire: &Wire, shift: usize) -> Result<(), Mistake> {
        self.check_links(1)?;
        let (from, to) = (wire.from + shift, wire.to + shift);
        self.by_ends.insert((from, to), self.wires.len());
        self.wires.push(Wire {
            from,
            to,
            ..wire.clone()
        });
        Ok(())
    }

    /// Adds a capacity in GB/s that links share: the indices of these links, each with its multiplicity.
    pub(crate) fn share(&mut self, name: &str, rate: &Rational, weights: BTreeMap<usize, u32>) {
        self.groups.push(Group {
            name: name.to_string(),
            rate: rate.clone(),
            weights,
        });
    }

    /// Adds a link in each direction.
    pub(crate) fn duplex(
        &mut self,
        one: usize,
        other: usize,
        kind: &'static str,
        rate: Rational,
    ) -> Result<(), Mistake> {
        self.link(one, other, kind, rate.clone())?;
        self.link(other, one, kind, rate)
    }

    /// The latency of a link in seconds, as the file states it. Of parallel links, which are one, the least counts.
    pub(crate) fn latency(&mut self, from: usize, to: usize, seconds: Rational) {
        let index = self.by_ends.get(&(from, to));
        let Some(wire) = index.and_then(|&index| self.wires.get_mut(index)) else {
            return;
        };
        let merged = !wire.latency.is_zero() && wire.latency != seconds;
        if wire.latency.is_zero() || seconds < wire.latency {
            wire.latency = seconds;
        }
        if merged {
            let text = "parallel links of several latencies are one link of the least latency";
            self.note(Topic::Merged, text);
        }
    }

    /// Records that a link has the attribute with the latency.
    pub(crate) fn latency_is_stated(&mut self) {
        self.latency_stated = true;
    }

    /// Records that a link has these attributes, without that of the latency.
    pub(crate) fn no_latency<'a>(&mut self, attributes: impl Iterator<Item = &'a str>) {
        /// Limit on the attributes that a message lists.
        const MOST: usize = 8;
        if self.options.latency.is_some() && self.attributes.len() < MOST {
            self.attributes.extend(attributes.take(MOST).map(clip));
        }
    }

    /// Whether there is a link.
    pub(crate) fn has_link(&self, from: usize, to: usize) -> bool {
        self.by_ends.contains_key(&(from, to))
    }

    /// Whether a name is taken.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// This name, with #2, #3, ... if it is taken.
    pub(crate) fn free_name(&mut self, name: String) -> String {
        let mut free = name.clone();
        while self.has_name(&free) {
            let count = self.repeats.entry(name.clone()).or_insert(1);
            *count += 1;
            free = format!("{name}#{count}");
        }
        free
    }

    /// Takes the nodes out, and their accelerators. Links between them stay.
    pub(super) fn take_nodes(&mut self) -> (Vec<Member>, Vec<Accelerator>) {
        self.names.clear();
        self.aliases.clear();
        (
            std::mem::take(&mut self.members),
            std::mem::take(&mut self.devices),
        )
    }

    /// Refuses a draft that would become too large before it is built.
    pub(crate) fn check_links(&self, more: usize) -> Result<(), Mistake> {
        if self.wires.len().saturating_add(more) > MAX_LINKS {
            return Err(too_many("links", MAX_LINKS, "give a part of the topology"));
        }
        Ok(())
    }

    /// Adds a port out of the machine, of `rate` GB/s per direction.
    pub(crate) fn port(&mut self, node: usize, rate: Option<Rational>) {
        self.ports.push(Port {
            node,
            rate,
            latency: Rational::default(),
            name: None,
        });
    }

    /// The latency of the port added last, in seconds.
    pub(crate) fn port_latency(&mut self, seconds: Rational) {
        if let Some(port) = self.ports.last_mut() {
            port.latency = seconds;
        }
    }

    /// Adds a [`port`](Self::port) of a card that the file calls `name`.
    pub(crate) fn named_port(&mut self, node: usize, rate: Option<Rational>, name: &str) {
        self.ports.push(Port {
            node,
            rate,
            latency: Rational::default(),
            name: Some(name.to_string()),
        });
    }

    /// Records that a node is this accelerator.
    pub(crate) fn device(&mut self, node: usize, machine: usize, device: u64, rank: Option<u64>) {
        self.devices.push(Accelerator {
            node: NodeId::new(node),
            machine,
            device,
            rank,
        });
    }

    /// The bandwidth of a kind of link in GB/s: the user's, else the `stated` one. `what` completes the note
    /// `nvlink: 20.6 GB/s ...`.
    pub(crate) fn rate(&mut self, kind: &'static str, stated: Rational, what: &str) -> Rational {
        self.kinds.insert(kind);
        let (rate, end) = match self.options.link_bandwidth.get(kind) {
            Some(given) => (given.clone(), ", as given"),
            None => (stated, ""),
        };
        let text = format!("{kind}: {} {what}{end}", gigabytes(&rate));
        self.note(Topic::Assumed, text);
        rate
    }

    /// The bandwidth of a kind of link that the file states itself, unless the user gives another.
    pub(crate) fn stated(&mut self, kind: &'static str, stated: Rational) -> Rational {
        if self.options.link_bandwidth.contains_key(kind) {
            return self.rate(kind, stated, "for every such link");
        }
        self.kinds.insert(kind);
        stated
    }

    /// Sets the port model of the nodes, if links are not the only limits.
    pub(crate) fn ports_of(&mut self, model: PortModel) {
        self.model = model;
    }

    /// Sets the platform's unit of data. Without a call it is the gigabyte. Rates are given to the draft in GB/s.
    pub(crate) fn measured_in(&mut self, data: Data) {
        self.data = data;
    }

    /// Allows the user to give a bandwidth for this key.
    pub(crate) fn allow(&mut self, key: &str) {
        self.allowed.insert(key.to_string());
    }

    /// Adds a remark, once.
    pub(crate) fn note(&mut self, topic: Topic, text: impl Into<String>) {
        /// Limit on remarks: no file needs more, and a hostile one would.
        const MOST: usize = 200;
        let note = Note {
            topic,
            text: text.into(),
        };
        if self.notes.len() < MOST && self.noted.insert(note.clone()) {
            self.notes.push(note);
        }
    }

    /// The platform, in its unit of data and seconds.
    pub(crate) fn finish(
        mut self,
        source: &Source<'_>,
        format: Format,
    ) -> Result<Imported, FormatError> {
        let in_file = |mistake| source.error_in_file(mistake);
        self.check_kinds().map_err(in_file)?;
        if let Some(asked) = self
            .options
            .latency
            .as_ref()
            .filter(|_| !self.latency_stated)
        {
            let known: Vec<String> = self.attributes.iter().cloned().collect();
            return Err(in_file(no_latency(&asked.attribute, &known)));
        }
        for note in self.unused.notes() {
            self.note(note.topic, note.text);
        }
        // Gigabytes in one unit of data.
        let gigabytes = self.data.bits() / Data::GIGABYTE.bits();
        let merge = self.merge_time().map_err(in_file)? * &gigabytes;
        let accelerators: BTreeSet<usize> = self
            .devices
            .iter()
            .map(|device| device.node.index())
            .collect();
        self.note_switches().map_err(in_file)?;
        let mut builder = Platform::builder();
        builder.model(self.model);
        builder.units(Units {
            data: self.data,
            work_is_data: true,
            ..Units::gigabytes_and_seconds()
        });
        let refuse = |error| in_file(Mistake::Platform(error));
        for (index, member) in self.members.iter().enumerate() {
            let node = Node {
                accelerator: accelerators.contains(&index),
                alias: member.alias.clone(),
                ..self.node_of(member, &merge)
            };
            builder.node(node).map_err(refuse)?;
        }
        for wire in &self.wires {
            let [from, to] = [wire.from, wire.to].map(NodeId::new);
            let cost = if wire.rate.is_zero() {
                Rational::zero()
            } else {
                &gigabytes / &wire.rate
            };
            let link = builder.link(from, to, cost).map_err(refuse)?;
            if !wire.latency.is_zero() {
                let overhead = Rational::zero();
                let latency = wire.latency.clone();
                builder
                    .delays(link, Delays { latency, overhead })
                    .map_err(refuse)?;
            }
        }
        for group in &self.groups {
            let weights = group.weights.iter();
            let shared = Shared {
                name: group.name.clone(),
                rate: &group.rate / &gigabytes,
                weights: weights
                    .map(|(&link, &count)| (LinkId::new(link), count))
                    .collect(),
            };
            builder.share(shared).map_err(refuse)?;
        }
        let platform = builder.build().map_err(refuse)?;
        Ok(Imported {
            platform,
            format,
            node_kinds: self.members.iter().map(|member| member.kind).collect(),
            link_kinds: self.wires.iter().map(|wire| wire.kind).collect(),
            accelerators: self.devices,
            notes: self.notes,
        })
    }

    fn node_of(&self, member: &Member, merge: &Rational) -> Node {
        let name = member.name.as_str();
        if member.role == Role::Processor {
            return Node::processor(name, merge.clone());
        }
        let (reduces, replicates) = match member.role {
            Role::Multicast => (self.options.reduce_in_switch, self.options.multicast),
            Role::Network => (
                self.options.reduce_in_network,
                self.options.reduce_in_network,
            ),
            Role::Processor | Role::Switch => (false, false),
        };
        Node {
            replicates,
            reduces: reduces.then(Rational::zero),
            ..Node::router(name)
        }
    }

    /// Refuses bandwidths for kinds that the file has no links of: a typing error would go unnoticed.
    fn check_kinds(&self) -> Result<(), Mistake> {
        let mut given = self.options.link_bandwidth.keys();
        let Some(kind) =
            given.find(|kind| !self.kinds.contains(kind.as_str()) && !self.allowed.contains(*kind))
        else {
            return Ok(());
        };
        let known: Vec<&str> = self.kinds.iter().copied().collect();
        let known = match known.as_slice() {
            [] => "none whose bandwidth could be given".to_string(),
            known => known.join(", "),
        };
        Err(said(format!(
            "there are no links of kind '{}' here; the kinds are {known}",
            clip(kind)
        )))
    }

    /// Ports of network cards that lead to nothing, with their speeds.
    pub(super) fn note_ports(&mut self, ports: &[Port]) {
        let mut counts: BTreeMap<Option<Rational>, usize> = BTreeMap::new();
        for port in ports.iter() {
            *counts.entry(port.rate.clone()).or_default() += 1;
        }
        for (rate, count) in counts {
            let (ports, lead) = if count == 1 {
                ("port", "leads")
            } else {
                ("ports", "lead")
            };
            let text = match rate {
                Some(rate) => format!(
                    "net: {count} {ports} of {} {lead} out of the machine; --replicate N --fabric rail joins N machines by them",
                    gigabytes(&rate)
                ),
                None => format!(
                    "net: {count} {ports} of unknown speed {lead} out of the machine; --replicate N --fabric rail,25 joins N \
                     machines by them, with 25 GB/s each"
                ),
            };
            self.note(Topic::LeftOut, text);
        }
    }

    /// Notes that the NVSwitch is of a generation that can combine, unless the options enable that.
    pub(super) fn note_nvls(&mut self) {
        if !self.options.reduce_in_switch {
            let text = "NVSwitches only forward; those of H100 and later GPUs can combine and duplicate (NVLS), but the file does \
                not say whether they do: --reduce-in-switch --multicast counts that";
            self.note(Topic::Assumed, text);
        }
    }

    /// Notes that NVSwitches combine or duplicate, if an option enables that.
    ///
    /// # Errors
    /// `--reduce-in-switch` without such a switch.
    fn note_switches(&mut self) -> Result<(), Mistake> {
        if self.options.reduce_in_network {
            let (first, more) = self.named(Role::Network).ok_or_else(|| {
                said(
                    "--reduce-in-switch=ib: there is no switch of a network here; --replicate N --fabric rail joins \
                     machines by such switches"
                        .to_string(),
                )
            })?;
            let text = format!(
                "{first}{more} combines and duplicates what passes through it, in no time (SHARP)"
            );
            self.note(Topic::Assumed, text);
        }
        let does = match (self.options.reduce_in_switch, self.options.multicast) {
            (true, true) => "combines and duplicates",
            (true, false) => "combines",
            (false, true) => "duplicates",
            (false, false) => return Ok(()),
        };
        let Some((first, more)) = self.named(Role::Multicast) else {
            let wanted = "--reduce-in-switch: there is no NVSwitch here; --reduce-in-switch=ib is about switches of a \
                network, and for others write `reduces = true` into a platform file (oneport convert)";
            if self.options.reduce_in_switch {
                return Err(said(wanted.to_string()));
            }
            let text = "--multicast: there is no NVSwitch here that could duplicate";
            self.note(Topic::LeftOut, text);
            return Ok(());
        };
        let text = format!("{first}{more} {does} what passes through it, in no time (NVLS)");
        self.note(Topic::Assumed, text);
        Ok(())
    }

    /// The first node of a role, and the number of further ones, in words.
    fn named(&self, role: Role) -> Option<(String, String)> {
        let mut members = self.members.iter().filter(|member| member.role == role);
        let first = clip(&members.next()?.name);
        let more = match members.count() {
            0 => String::new(),
            others => format!(" (and each of {others} more)"),
        };
        Some((first, more))
    }

    /// Seconds per gigabyte of result.
    fn merge_time(&mut self) -> Result<Rational, Mistake> {
        let given = self.options.merge_rate.clone();
        let rate = given.unwrap_or_else(|| whole(DEFAULT_MERGE_RATE));
        if !rate.is_positive() {
            return Err(not_positive("the rate of merging", &rate));
        }
        self.note(
            Topic::Assumed,
            format!("every processor combines values at {}", gigabytes(&rate)),
        );
        Ok(rate.recip())
    }
}

/// A bandwidth as text: `20.6 GB/s`.
pub(super) fn gigabytes(rate: &Rational) -> String {
    format!("{} GB/s", decimal(rate, 6))
}
